//! How far a body turns in an interval.
//!
//! Nobody looks between nodes while a program is solved. A body that turns by a large angle from node to node can pass through
//! anything on the way, and to no price that the discrete equations know of: they do not resolve such turns. So bodies that keep
//! apart from others turn by small angles only:
//!
//! ```text
//! cos φ = (tr B - 1)/2 ≥ cos of the limit,   B = R1 R0ᵀ
//! ```

use super::build::{Rows, Setup};
use super::label::Label;
use super::piece::{Context, Piece};
use super::point::{NONE, Point};
use percussion_geometry::Vec3;
use percussion_mechanics::joint::JointKind;
use percussion_mechanics::rotation::Mat3;
use percussion_solve::nlp::{Bound, Undefined};
use std::collections::HashSet;

/// Greatest turn of a body in an interval over which it keeps apart from another, rad.
const TURN: f64 = 0.5;

/// The turn of a body that nothing holds, over an interval.
pub struct Turn {
    interval: usize,
    slot: usize,
    variables: [usize; 6],
    row: [(usize, f64); 1],
}

impl Turn {
    /// Of the body in a slot; `places` are its first variables at the two nodes, `row` where the cosine goes.
    pub fn new(interval: usize, slot: usize, places: [usize; 2], row: usize) -> Self {
        let mut variables = [NONE; 6];
        for (own, first) in variables.chunks_exact_mut(3).zip(places) {
            if first != NONE {
                own.iter_mut().enumerate().for_each(|(i, v)| *v = first + 3 + i);
            }
        }
        Self { interval, slot, variables, row: [(row, 1.0)] }
    }

    fn turned(&self, at: &Point) -> Mat3 {
        let [start, end] = [0, 1].map(|k| &at.nodes[self.interval + k].rotations[self.slot]);
        end * start.transpose()
    }
}

impl Piece for Turn {
    fn variables(&self) -> &[usize] {
        &self.variables
    }

    fn rows(&self) -> &[(usize, f64)] {
        &self.row
    }

    fn value(&self, _: &mut Context, at: &Point, out: &mut [f64]) -> Result<(), Undefined> {
        out[0] = 0.5 * (self.turned(at).trace() - 1.0);
        Ok(())
    }

    fn jacobian(&self, _: &mut Context, at: &Point, out: &mut [f64]) -> Result<(), Undefined> {
        let b = self.turned(at);
        let slope = Vec3::new(b[(1, 2)] - b[(2, 1)], b[(2, 0)] - b[(0, 2)], b[(0, 1)] - b[(1, 0)]) * 0.5;
        out[..3].copy_from_slice((-slope).as_slice());
        out[3..].copy_from_slice(slope.as_slice());
        Ok(())
    }

    fn hessian(
        &self,
        _: &mut Context,
        at: &Point,
        weights: &[f64],
        out: &mut [f64],
    ) -> Result<(), Undefined> {
        let b = self.turned(at);
        let w = 0.5 * weights[0];
        let across = Mat3::identity() * b.trace();
        let own = (b + b.transpose()) * 0.5 - across;
        let mixed = across - b;
        for i in 0..3 {
            for j in 0..3 {
                out[i * 6 + j] = w * own[(i, j)];
                out[(3 + i) * 6 + 3 + j] = w * own[(i, j)];
                out[i * 6 + 3 + j] = w * mixed[(i, j)];
                out[(3 + j) * 6 + i] = w * mixed[(i, j)];
            }
        }
        Ok(())
    }
}

/// Limits of turns, for bodies that nothing holds.
pub(super) fn limit_turns(
    context: &Context,
    setup: &Setup,
    rows: &mut Rows,
    pieces: &mut Vec<Box<dyn Piece>>,
) {
    let (model, numbering) = (&context.plan.model, &context.numbering);
    let Some(contacts) = &model.contacts else { return };
    let mut known = HashSet::new();
    for apart in &setup.apart {
        let [(from, _), (to, _)] = apart.nodes[..] else { continue };
        for slot in [apart.pair.0, apart.pair.1].into_iter().filter_map(|part| contacts.parts[part].slot) {
            let island = model.islands.partition_point(|i| i.bodies.end <= slot);
            let joint = &model.links[slot].joint;
            let free = joint.kind == JointKind::Free && !joint.particle;
            let places = [from, to].map(|node| numbering.places[node][island]);
            if free && places != [NONE; 2] && known.insert((from, slot)) {
                let body = model.links[slot].body;
                let row = rows.add(Bound::at_least(TURN.cos()), Label::Turn { interval: from, body });
                let first = model.links[slot].freedom - model.islands[island].freedoms.start;
                let places = places.map(|place| if place == NONE { NONE } else { place + first });
                pieces.push(Box::new(Turn::new(from, slot, places, row)));
            }
        }
    }
}
