//! Booking forces along the paths of islands, piece by piece.

use super::{FORCES, GRAVITY, Ledger};
use crate::discrete::step_from_stands;
use crate::force::{Bodies, BodyKinematics, ForceAccumulator, ForceError};
use crate::joint::JointFrame;
use crate::model::Model;
use crate::model::State;
use crate::rotation::{Mat3, moment_of};
use crate::step_record::StepRecord;
use percussion_geometry::Vec3;

/// One interval of an island: when it begins and how long it is, s.
#[derive(Clone, Copy)]
struct Piece {
    island: usize,
    time: f64,
    duration: f64,
}

/// An end of a piece: positions, orientations and joint coordinates of the island.
#[derive(Clone, Copy)]
enum At<'a> {
    State(&'a State),
    PathNode(&'a StepRecord, usize),
}

impl<'a> At<'a> {
    fn body(&self, model: &Model, island: usize, slot: usize) -> (Vec3, Mat3) {
        match self {
            Self::State(state) => (state.positions[slot], state.rotations[slot]),
            Self::PathNode(inside, node) => {
                let place =
                    &inside.places[inside.nodes[*node].places + slot - model.islands[island].bodies.start];
                (place.position, place.rotation)
            }
        }
    }

    /// The coordinates of a body's joint.
    fn coordinates(&self, model: &Model, island: usize, slot: usize) -> &'a [f64] {
        let own = model.links[slot].coordinates();
        match self {
            Self::State(state) => &state.coordinates[own],
            Self::PathNode(inside, node) => {
                let first = inside.nodes[*node].coordinates;
                let before = model.islands[island].coordinates.start;
                &inside.coordinates[first + own.start - before..first + own.end - before]
            }
        }
    }

    /// Where a body's joint stands.
    fn stand(&self, model: &Model, island: usize, slot: usize) -> JointFrame {
        let link = &model.links[slot];
        let parent = link.parent.map(|parent| self.body(model, island, parent));
        let (position, rotation) = self.body(model, island, slot);
        let parent = parent.as_ref().map(|(position, rotation)| (position, rotation));
        link.joint.stand(parent, (&position, &rotation), self.coordinates(model, island, slot))
    }
}

impl Ledger {
    /// Books gravity and forces along all paths; returns `E_d` of the last pieces.
    pub(super) fn book_paths(
        &mut self,
        model: &Model,
        before: &State,
        after: &State,
        h: f64,
        inside: Option<&StepRecord>,
    ) -> Result<f64, ForceError> {
        self.impulses.fill((Vec3::zeros(), Vec3::zeros()));
        let mut energy = 0.0;
        for island in 0..model.islands.len() {
            let (mut from, mut since, mut last) = (At::State(before), 0.0, 0.0);
            if let Some(inside) = inside {
                for (node, broken) in inside.nodes.iter().enumerate().filter(|(_, n)| n.island == island) {
                    let to = At::PathNode(inside, node);
                    let duration = broken.since - since;
                    if duration != 0.0 {
                        let piece = Piece { island, time: before.time + since, duration };
                        last = self.book_piece(model, piece, from, to)?;
                    }
                    (from, since) = (to, broken.since);
                }
            }
            if h - since != 0.0 {
                let piece = Piece { island, time: before.time + since, duration: h - since };
                last = self.book_piece(model, piece, from, At::State(after))?;
            }
            energy += last;
        }
        Ok(energy)
    }

    /// Books gravity and forces over one interval; returns its `E_d`.
    fn book_piece(&mut self, model: &Model, piece: Piece, from: At, to: At) -> Result<f64, ForceError> {
        let Piece { island: index, time, duration: h } = piece;
        let island = &model.islands[index];
        let mut energy = 0.0;
        for slot in island.bodies.clone() {
            let link = &model.links[slot];
            let ((x0, r0), (x1, r1)) = (from.body(model, index, slot), to.body(model, index, slot));
            let place = BodyKinematics {
                position: (x0 + x1) * 0.5,
                frame: (r0 + r1) * 0.5,
                velocity: (x1 - x0) / h,
                frame_rate: (r1 - r0) / h,
            };
            let half = 0.5 * link.inertia.sum();
            let turning: f64 =
                (0..3).map(|k| (half - link.inertia[k]) * place.frame_rate.column(k).norm_squared()).sum();
            energy += 0.5 * (link.mass * place.velocity.norm_squared() + turning);
            energy -= link.mass * model.gravity.dot(&place.position);
            let impulse = model.gravity * (link.mass * h);
            let impulse = (impulse, place.position.cross(&impulse));
            self.impulses[slot].0 += impulse.0;
            self.impulses[slot].1 += impulse.1;
            self.causes[GRAVITY].add(&impulse);
            self.placements[slot] = place;
        }
        let t = time + 0.5 * h;
        let bodies = Bodies { first: 0, placements: &self.placements };
        for at in island.forces.clone() {
            let (force, cause) = (&model.forces[at], &mut self.causes[FORCES + at]);
            force.pull(t, &bodies, &mut self.pulls)?;
            force.for_each_slot(&mut |slot| {
                // A body may be named twice: its pull is taken at the first visit.
                let pull = std::mem::replace(&mut self.pulls[slot], ForceAccumulator::zero());
                let place = &self.placements[slot];
                let about_centre = pull.torque + moment_of(&place.frame, &pull.moment);
                let linear = pull.force * h;
                let impulse = (linear, place.position.cross(&linear) + about_centre * h);
                cause.add(&impulse);
                self.impulses[slot].0 += impulse.0;
                self.impulses[slot].1 += impulse.1;
            });
            cause.energy += h * force.power(t, &bodies)?;
            energy += force.potential(&bodies)?;
        }
        // The impulses of forces along joints are internal, or the supports'.
        for at in island.joint_forces.clone() {
            let force = &model.joint_forces[at];
            let joint = &model.links[force.slot].joint;
            let ends = [from, to].map(|end| end.coordinates(model, index, force.slot));
            let middle = 0.5 * (force.place(ends[0]) + force.place(ends[1]));
            energy += force.potential(middle);
            if !force.is_conservative() {
                let stands = [from, to].map(|end| end.stand(model, index, force.slot));
                let step = step_from_stands(joint, &stands[0], &stands[1], (ends[0], ends[1]));
                let rate = joint.travel(&stands[0], &step, force.coordinate) / h;
                let cause = &mut self.causes[FORCES + model.forces.len() + at];
                cause.energy += h * rate * force.pull(t, middle, rate).value;
            }
        }
        Ok(energy)
    }
}
