//! The projection of positions after a step: the smallest displacement in the mass metric that leaves no penetration.
//!
//! ```text
//! repeat   overlaps      gaps of the events at the end of the step, of pairs that may have met or whose bodies were moved
//!          displacement  d = argmin ½ dᵀ M d   with  Φ_m + n_mᵀ d >= 0 for all events,  νᵀ d = 0 for joints
//!          move_body     q moved by d
//! until    no gap is below rounding, or the limit is reached: then the configuration with the least penetration is kept
//! ```
//!
//! It changes positions only: linear velocities, and angular velocities in body axes, stay as they are, and with them kinetic energy. What it
//! changes of potential energy and angular momentum is recorded as a jump of the source `projection`. Joints keep the position
//! error that they have: the velocity problem stabilises them.

use super::StepInput;
use super::assemble_problem::ProblemAssembly;
use super::body_dofs::BodyDofs;
use super::contact_constraint::ContactConstraint;
use super::find_contacts::part_length;
use super::pair_events::{Instant, PairEvents};
use super::swept_pairs::{PENETRATION_ROUNDING, SweptPair};
use super::update_configuration::move_body;
use crate::contact::{ActivityTolerances, ContactGeometry};
use crate::discrete::StepError;
use crate::model::State;
use crate::spatial::{Vec6, angular, linear};
use crate::step_record::ProjectionStats;
use crate::tolerances::lcp::project_positions::{EVENT_WINDOW, MAX_ROTATION, SUFFICIENT, TILT, TOLERANCE};
use percussion_solve::GaussSeidel;
use rayon::prelude::*;

/// Iterations with gaps evaluated again.
const MAX_ITERATIONS: usize = 12;
/// Sweeps of a displacement, and factorisations of Newton's method.
const SWEEPS: usize = 100;
const FACTORIZATIONS: usize = 50;
/// Contacts beyond which there are sweeps only, and how many.
const MAX_NEWTON_CONTACTS: usize = 150;
const LARGE_SWEEPS: usize = 40;

/// The projection, with workspace.
#[derive(Debug, Default)]
pub(super) struct PositionProjection {
    parts: Vec<SweptPart>,
    contacts: Vec<ContactConstraint>,
    assembly: ProblemAssembly,
    solver: GaussSeidel,
    dofs: Vec<BodyDofs>,
    /// Whether a body was moved, by slot.
    pub moved: Vec<bool>,
    best: Option<State>,
}

impl PositionProjection {
    /// Moves the bodies at the end of a step apart.
    pub fn project_positions(
        &mut self,
        step: &StepInput,
        geometry: &ContactGeometry,
        pairs: &[SweptPair],
        next: &mut State,
    ) -> Result<ProjectionStats, StepError> {
        self.moved.clear();
        self.moved.resize(step.model.moving(), false);
        let mut stats = ProjectionStats::default();
        let mut least = f64::INFINITY;
        loop {
            let overlap = self.overlaps(step, geometry, pairs, next)?;
            if stats.iterations == 0 {
                stats.overlap = overlap.depth;
            }
            if overlap.beyond < least {
                (least, stats.left) =
                    (overlap.beyond, if overlap.beyond > 1.0 { overlap.depth } else { 0.0 });
                if stats.iterations > 0 {
                    self.best.get_or_insert_with(|| next.clone()).clone_from(next);
                }
            }
            if overlap.beyond <= 1.0 || stats.iterations == MAX_ITERATIONS {
                break;
            }
            if stats.iterations == 0 {
                self.best.get_or_insert_with(|| next.clone()).clone_from(next);
                self.solver.tolerance = TOLERANCE;
                self.solver.sufficient = SUFFICIENT;
                self.solver.nonmonotone = true;
            }
            stats.iterations += 1;
            if !self.displace(step, next)? {
                break;
            }
        }
        if stats.left > 0.0
            && let Some(best) = &self.best
        {
            next.clone_from(best);
        }
        Ok(stats)
    }

    /// Lists the events of the pairs that are near; their deepest penetration.
    fn overlaps(
        &mut self,
        step: &StepInput,
        geometry: &ContactGeometry,
        pairs: &[SweptPair],
        next: &State,
    ) -> Result<Overlap, StepError> {
        let moved = &self.moved;
        let moved = |part: usize| geometry.parts[part].slot.is_some_and(|slot| moved[slot]);
        let near = |swept: &SweptPair| !swept.ends_apart || moved(swept.pair.0) || moved(swept.pair.1);
        let length = part_length(pairs.len());
        let count = pairs.len().div_ceil(length);
        self.parts.resize_with(count.max(self.parts.len()), SweptPart::default);
        let parts = &mut self.parts[..count];
        let collect = |part: &mut SweptPart, pairs: &[SweptPair]| {
            part.overlaps(step, geometry, pairs.iter().filter(|swept| near(swept)), next)
        };
        match parts {
            [part] => collect(part, pairs),
            _ => {
                let pairs = pairs.par_chunks(length);
                parts.par_iter_mut().zip(pairs).for_each(|(part, pairs)| collect(part, pairs));
            }
        }
        self.contacts.clear();
        let mut overlap = Overlap::default();
        for part in parts {
            if let Some(error) = part.error.take() {
                return Err(error);
            }
            self.contacts.extend_from_slice(&part.contacts);
            overlap.depth = overlap.depth.max(part.overlap.depth);
            overlap.beyond = overlap.beyond.max(part.overlap.beyond);
        }
        Ok(overlap)
    }

    /// Moves the bodies by the smallest displacement that closes all linearised constraints; whether there is one.
    fn displace(&mut self, step: &StepInput, next: &mut State) -> Result<bool, StepError> {
        self.dofs.clear();
        let links = step.model.links.iter().zip(&next.rotations);
        self.dofs.extend(links.map(|(link, rotation)| BodyDofs::new(link, rotation)));
        let dofs = &self.dofs;
        let movable =
            |slot: Option<usize>, gradient: &Vec6| slot.is_some_and(|s| dofs[s].is_moved_by(gradient));
        if let Some(geometry) = step.geometry {
            self.contacts.retain(|contact| {
                let slots = contact.slots(geometry);
                (0..2).any(|side| movable(slots[side], &contact.gradient[side]))
            });
        }
        self.assembly.assemble_displacement(step, next, &self.contacts, &self.dofs)?;
        if self.assembly.problem.momentum_size() == 0.0 {
            return Ok(false);
        }
        // The next iteration corrects what sweeps leave; many contacts make factorisations expensive.
        let large = self.contacts.len() > MAX_NEWTON_CONTACTS;
        self.solver.max_sweeps = if large { LARGE_SWEEPS } else { SWEEPS };
        self.solver.newton_factorizations = if large { 0 } else { FACTORIZATIONS };
        let displacement = &self.solver.solve(&self.assembly.problem)?.impulses.velocity;
        let mut turn = 0.0_f64;
        for &(slot, at) in &self.assembly.members {
            let dofs = &self.dofs[slot];
            turn = turn.max(angular(&dofs.twist(&displacement[at..at + dofs.count])).norm());
        }
        let part = if turn > MAX_ROTATION { MAX_ROTATION / turn } else { 1.0 };
        for &(slot, at) in &self.assembly.members {
            let dofs = &self.dofs[slot];
            let d = dofs.twist(&displacement[at..at + dofs.count]);
            if linear(&d).norm_squared() + angular(&d).norm_squared() > 0.0 {
                self.moved[slot] = true;
                move_body(step.model, slot, &d, part, next);
            }
        }
        Ok(true)
    }
}

/// A part of the pairs, in parallel with others.
#[derive(Debug, Default)]
struct SweptPart {
    events: PairEvents,
    contacts: Vec<ContactConstraint>,
    overlap: Overlap,
    error: Option<StepError>,
}

impl SweptPart {
    /// Lists the events of pairs, with their deepest penetration.
    fn overlaps<'a>(
        &mut self,
        step: &StepInput,
        geometry: &ContactGeometry,
        pairs: impl Iterator<Item = &'a SweptPair>,
        next: &State,
    ) {
        self.contacts.clear();
        self.overlap = Overlap::default();
        self.error = None;
        let at = Instant { state: next, since: step.h };
        for swept in pairs {
            let (a, b) = swept.pair;
            let window = EVENT_WINDOW * swept.radius;
            let tolerances =
                ActivityTolerances { within: window, eps_x: window, eps_t: window, eps_0: 0.0, tilt: TILT };
            let poses = at.poses(geometry, swept.pair);
            let reach = geometry.parts[a].radius + geometry.parts[b].radius + window;
            if (poses.0.reference - poses.1.reference).norm_squared() > reach * reach {
                continue;
            }
            let before = self.contacts.len();
            let (places, limits, scene) = ((&poses.0, &poses.1), (&tolerances, None), (step, geometry));
            if let Err(error) =
                self.events.add_contacts(scene, swept.pair, places, &at, limits, &mut self.contacts)
            {
                self.error = Some(error);
                return;
            }
            for contact in &self.contacts[before..] {
                let depth = -contact.distance * contact.unit;
                self.overlap.depth = self.overlap.depth.max(depth);
                self.overlap.beyond = self.overlap.beyond.max(depth / (PENETRATION_ROUNDING * swept.radius));
            }
        }
    }
}

/// Penetration of a configuration.
#[derive(Clone, Copy, Debug, Default)]
struct Overlap {
    /// The deepest, m.
    depth: f64,
    /// The deepest in multiples of what is rounding for its pair.
    beyond: f64,
}
