//! How far joints turn in an interval.
//!
//! Nobody looks between nodes while a program is solved. A body that turns by a large angle from node to node can pass through
//! anything on the way, and to no price that the discrete equations know of: they do not resolve such turns. So bodies that keep
//! apart from others, and all they hang on, turn by small angles only:
//!
//! ```text
//! free, spherical   cos φ = (tr B - 1)/2 ≥ cos of the limit     B = R1 R0ᵀ of the joint
//! angles            |φ1 - φ0| ≤ the limit
//! ```

use super::build::{Rows, Setup};
use super::label::Label;
use super::piece::{Context, Piece};
use super::point::{NONE, Point};
use nalgebra::Rotation3;
use percussion_geometry::Vec3;
use percussion_mechanics::discrete::difference;
use percussion_mechanics::joint::JointKind;
use percussion_mechanics::rotation::Mat3;
use percussion_solve::nlp::{Bound, Undefined};
use std::collections::HashSet;

/// Greatest turn of a body in an interval over which it keeps apart from another, rad.
const TURN: f64 = 0.5;

/// The turn of a free or spherical joint over an interval.
pub struct Turn {
    interval: usize,
    island: usize,
    /// Place of the first of its three turns among the island's degrees of freedom.
    first: usize,
    variables: [usize; 6],
    row: [(usize, f64); 1],
}

impl Turn {
    /// `places` are the first variables of the island at the two nodes, `row` is where the cosine goes.
    fn new(interval: usize, (island, first): (usize, usize), places: [usize; 2], row: usize) -> Self {
        let mut variables = [NONE; 6];
        for (own, place) in variables.chunks_exact_mut(3).zip(places).filter(|(_, place)| *place != NONE) {
            own.iter_mut().enumerate().for_each(|(i, v)| *v = place + first + i);
        }
        Self { interval, island, first, variables, row: [(row, 1.0)] }
    }

    fn turned(&self, context: &Context, at: &Point) -> Mat3 {
        let model = &context.plan.model;
        let island = &model.islands[self.island];
        let mut d = vec![0.0; island.dofs.len()];
        difference(model, island, &at.nodes[self.interval], &at.nodes[self.interval + 1], &mut d);
        let turn = Vec3::new(d[self.first], d[self.first + 1], d[self.first + 2]);
        *Rotation3::from_scaled_axis(turn).matrix()
    }
}

impl Piece for Turn {
    fn variables(&self) -> &[usize] {
        &self.variables
    }

    fn rows(&self) -> &[(usize, f64)] {
        &self.row
    }

    fn value(&self, context: &mut Context, at: &Point, out: &mut [f64]) -> Result<(), Undefined> {
        out[0] = 0.5 * (self.turned(context, at).trace() - 1.0);
        Ok(())
    }

    fn jacobian(&self, context: &mut Context, at: &Point, out: &mut [f64]) -> Result<(), Undefined> {
        let b = self.turned(context, at);
        let slope = Vec3::new(b[(1, 2)] - b[(2, 1)], b[(2, 0)] - b[(0, 2)], b[(0, 1)] - b[(1, 0)]) * 0.5;
        out[..3].copy_from_slice((-slope).as_slice());
        out[3..].copy_from_slice(slope.as_slice());
        Ok(())
    }

    fn hessian(
        &self,
        context: &mut Context,
        at: &Point,
        weights: &[f64],
        out: &mut [f64],
    ) -> Result<(), Undefined> {
        let b = self.turned(context, at);
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

/// The change of an angle that a joint keeps, over an interval.
struct Angle {
    interval: usize,
    coordinate: usize,
    variables: [usize; 2],
    row: [(usize, f64); 1],
}

impl Piece for Angle {
    fn variables(&self) -> &[usize] {
        &self.variables
    }

    fn rows(&self) -> &[(usize, f64)] {
        &self.row
    }

    fn value(&self, _: &mut Context, at: &Point, out: &mut [f64]) -> Result<(), Undefined> {
        let [start, end] = [0, 1].map(|k| at.nodes[self.interval + k].coordinates[self.coordinate]);
        out[0] = end - start;
        Ok(())
    }

    fn jacobian(&self, _: &mut Context, _: &Point, out: &mut [f64]) -> Result<(), Undefined> {
        out.copy_from_slice(&[-1.0, 1.0]);
        Ok(())
    }

    fn hessian(&self, _: &mut Context, _: &Point, _: &[f64], _: &mut [f64]) -> Result<(), Undefined> {
        Ok(())
    }

    fn curves(&self, _: usize, _: usize) -> bool {
        false
    }
}

/// Limits of turns in the intervals over which parts keep apart.
pub(super) fn limit_turns(
    context: &Context,
    setup: &Setup,
    rows: &mut Rows,
    pieces: &mut Vec<Box<dyn Piece>>,
) {
    let model = &context.plan.model;
    let Some(contacts) = &model.contacts else { return };
    let mut known = HashSet::new();
    for apart in &setup.apart {
        let [(from, _), _] = apart.nodes[..] else { continue };
        for slot in [apart.pair.0, apart.pair.1].into_iter().filter_map(|part| contacts.parts[part].slot) {
            let island = model.islands.partition_point(|i| i.bodies.end <= slot);
            if known.insert((from, island)) {
                limit_island(context, from, island, rows, pieces);
            }
        }
    }
}

/// Limits of the turns of all joints of an island in an interval.
fn limit_island(
    context: &Context,
    interval: usize,
    island: usize,
    rows: &mut Rows,
    pieces: &mut Vec<Box<dyn Piece>>,
) {
    let model = &context.plan.model;
    let it = &model.islands[island];
    let places = [interval, interval + 1].map(|node| context.numbering.places[node][island]);
    if places == [NONE; 2] {
        return;
    }
    for link in &model.links[it.bodies.clone()] {
        let label = Label::Turn { interval, body: link.body };
        let first = link.dof - it.dofs.start;
        let turns = match link.joint.kind {
            JointKind::Spherical => Some(first),
            JointKind::Free if !link.joint.particle => Some(first + 3),
            _ => None,
        };
        if let Some(first) = turns {
            let row = rows.add(Bound::at_least(TURN.cos()), label);
            pieces.push(Box::new(Turn::new(interval, (island, first), places, row)));
            continue;
        }
        for (i, coordinate) in link.coordinates().enumerate().filter(|(i, _)| link.joint.kind.is_angle(*i)) {
            let row = rows.add(Bound::between(-TURN, TURN), label.clone());
            let variables = places.map(|place| if place == NONE { NONE } else { place + first + i });
            pieces.push(Box::new(Angle { interval, coordinate, variables, row: [(row, 1.0)] }));
        }
    }
}
