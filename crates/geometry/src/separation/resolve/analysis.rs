//! A contact analysed: the part that space and plane share.

use super::candidates::{Features, admitted};
use super::contact::Contact;
use super::duals::Duals;
use super::optimal::OptimalSet;
use super::region::region;
use super::{Outcome, ResolveError};
use crate::tolerances::resolve::INTERIOR_WEIGHT;
use crate::{Vec3, tolerances};

/// All that is optimal at a contact.
pub(in crate::separation) struct Analysis<'a> {
    pub(super) contact: Contact<'a>,
    pub(super) optimal: OptimalSet,
    pub(super) duals: Duals,
    /// The answer was the only one.
    plain: Option<Vec3>,
}

impl<'a> Analysis<'a> {
    /// `features` are those of each body at its contact point, given when the tolerance is known.
    pub(super) fn new(contact: Contact<'a>, alpha: &Vec3, features: impl Fn(f64) -> [Features; 2]) -> Self {
        let plain = is_nondegenerate(&contact, alpha);
        // A half-space has one normal, which the answer already is.
        let normals = if plain || contact.has_half_space {
            Vec::new()
        } else {
            let [a, b] = features(contact.tolerance);
            admitted(&contact, &a, &b)
        };
        let mut optimal = OptimalSet::new(&contact, &normals, alpha);
        if plain {
            optimal.alphas = vec![*alpha];
        }
        let duals = Duals::new(&contact, &optimal);
        Self { contact, optimal, duals, plain: plain.then_some(*alpha) }
    }

    /// The shortest optimal direction.
    pub(super) fn alpha(&self) -> Vec3 {
        self.plain.unwrap_or_else(|| self.optimal.shortest(&self.contact.beta))
    }

    /// The shortest weights, named, those that are zero left out.
    pub(in crate::separation) fn weights(&self) -> [Vec<(u32, f64)>; 2] {
        let shortest = match self.plain {
            Some(_) => self.duals.given(),
            None => self.duals.shortest(),
        };
        let named = self.duals.named(&shortest, &self.optimal.active);
        named.map(|side| normalised(side.into_iter().filter(|(_, w)| *w > 0.0)))
    }

    /// Where weights put the contact point, seen from the answer's.
    pub(super) fn offset(&self, weights: &[Vec<(u32, f64)>; 2]) -> Vec3 {
        let side = usize::from(weights[0].is_empty());
        let points = &self.contact.sides[side].points;
        weights[side].iter().fold(Vec3::zeros(), |sum, &(k, w)| sum + w * points[k as usize])
    }

    pub(super) fn several_duals(&self) -> bool {
        self.optimal.several_duals()
    }

    /// Extreme optimal directions.
    pub(in crate::separation) fn alphas(&self) -> &[Vec3] {
        &self.optimal.alphas
    }

    /// Vertices of body a and body b that can carry weight.
    pub(in crate::separation) fn active(&self) -> &[Vec<u32>; 2] {
        &self.optimal.active
    }

    /// Corners of the contact region, seen from the answer's contact point.
    pub(in crate::separation) fn region(&self) -> Vec<Vec3> {
        region(&self.contact, &self.optimal)
    }

    /// The polytope of weights of the active vertices, a's first.
    pub(in crate::separation) fn into_duals(self) -> Duals {
        self.duals
    }
}

/// Whether the answer's plane holds a simplex and the pierced point lies well inside it.
fn is_nondegenerate(contact: &Contact, alpha: &Vec3) -> bool {
    let weighted = || contact.sides.iter().flat_map(|s| &s.weighted);
    let simplex = contact.dimension + 1;
    if contact.has_half_space
        || weighted().count() != simplex
        || weighted().any(|(_, w)| *w < INTERIOR_WEIGHT)
    {
        return false;
    }
    let active = contact.on_plane(&alpha.normalize());
    active[0].len() + active[1].len() == simplex
        && contact.sides.iter().zip(&active).all(|(s, on)| s.weighted.iter().all(|(k, _)| on.contains(k)))
}

/// The weights of one body's vertices in an answer. Refuses those of other bodies.
pub(super) fn weighted(
    body: char,
    count: Option<usize>,
    weights: impl Iterator<Item = (u32, f64)>,
) -> Result<Vec<(u32, f64)>, ResolveError> {
    let Some(count) = count else { return Ok(Vec::new()) };
    let mut weighted: Vec<(u32, f64)> = weights.collect();
    // A line through a vertex may leave the rounding of a weight on the interior point it started from.
    weighted.retain(|&(k, w)| (k as usize) < count || w > tolerances::WEIGHT);
    let foreign = weighted.iter().map(|&(k, _)| k).find(|&k| k as usize >= count);
    if let Some(index) = foreign.or(weighted.is_empty().then_some(u32::MAX)) {
        return Err(ResolveError::ForeignAnswer { body, count, index });
    }
    let total: f64 = weighted.iter().map(|(_, w)| w).sum();
    weighted.iter_mut().for_each(|(_, w)| *w /= total);
    Ok(weighted)
}

/// Refuses answers without contact points.
pub(super) fn check(outcome: Outcome) -> Result<(), ResolveError> {
    if outcome == Outcome::Solved { Ok(()) } else { Err(ResolveError::NotSolved { outcome }) }
}

/// Weights by ascending index, with the sum one to the last digit: a corner that carries alone carries 1.
pub(super) fn normalised(weights: impl Iterator<Item = (u32, f64)>) -> Vec<(u32, f64)> {
    let mut normalised: Vec<(u32, f64)> = weights.collect();
    normalised.sort_unstable_by_key(|&(k, _)| k);
    let total: f64 = normalised.iter().map(|(_, w)| w).sum();
    normalised.iter_mut().for_each(|(_, w)| *w /= total);
    normalised
}
