//! Contributions of forces along the paths of islands, interval by interval.

use super::{FORCES, GRAVITY, Ledger};
use crate::discrete::increment_between_frames;
use crate::force::{Bodies, BodyKinematics, ForceAccumulator, ForceError};
use crate::joint::JointFrame;
use crate::model::{Model, State};
use crate::rotation::{Mat3, moment_of};
use crate::step_record::StepRecord;
use percussion_geometry::Vec3;

/// One interval of an island: its beginning and length, s.
#[derive(Clone, Copy)]
struct PathInterval {
    island: usize,
    time: f64,
    duration: f64,
}

/// An end of an interval: positions, orientations and joint coordinates of the island.
#[derive(Clone, Copy)]
enum PathEnd<'a> {
    State(&'a State),
    PathNode(&'a StepRecord, usize),
}

impl<'a> PathEnd<'a> {
    fn body(&self, model: &Model, island: usize, slot: usize) -> (Vec3, Mat3) {
        match self {
            Self::State(state) => (state.positions[slot], state.rotations[slot]),
            Self::PathNode(record, node) => {
                let place =
                    &record.places[record.nodes[*node].places + slot - model.islands[island].bodies.start];
                (place.position, place.rotation)
            }
        }
    }

    /// The coordinates of a body's joint.
    fn coordinates(&self, model: &Model, island: usize, slot: usize) -> &'a [f64] {
        let own = model.links[slot].coordinates();
        match self {
            Self::State(state) => &state.coordinates[own],
            Self::PathNode(record, node) => {
                let first = record.nodes[*node].coordinates;
                let before = model.islands[island].coordinates.start;
                &record.coordinates[first + own.start - before..first + own.end - before]
            }
        }
    }

    /// The frame of a body's joint.
    fn joint_frame(&self, model: &Model, island: usize, slot: usize) -> JointFrame {
        let link = &model.links[slot];
        let parent = link.parent.map(|parent| self.body(model, island, parent));
        let (position, rotation) = self.body(model, island, slot);
        let parent = parent.as_ref().map(|(position, rotation)| (position, rotation));
        link.joint.frame(parent, (&position, &rotation), self.coordinates(model, island, slot))
    }
}

impl Ledger {
    /// Adds gravity and forces along all paths; returns `E_d` of the last intervals.
    pub(super) fn add_forces_along_paths(
        &mut self,
        model: &Model,
        before: &State,
        after: &State,
        h: f64,
        record: Option<&StepRecord>,
    ) -> Result<f64, ForceError> {
        self.impulses.fill((Vec3::zeros(), Vec3::zeros()));
        let mut energy = 0.0;
        for island in 0..model.islands.len() {
            let (mut from, mut since, mut last) = (PathEnd::State(before), 0.0, 0.0);
            if let Some(record) = record {
                for (node, path_node) in record.nodes.iter().enumerate().filter(|(_, n)| n.island == island) {
                    let to = PathEnd::PathNode(record, node);
                    let duration = path_node.since - since;
                    if duration != 0.0 {
                        let interval = PathInterval { island, time: before.time + since, duration };
                        last = self.add_interval(model, interval, from, to)?;
                    }
                    (from, since) = (to, path_node.since);
                }
            }
            if h - since != 0.0 {
                let interval = PathInterval { island, time: before.time + since, duration: h - since };
                last = self.add_interval(model, interval, from, PathEnd::State(after))?;
            }
            energy += last;
        }
        Ok(energy)
    }

    /// Adds gravity and forces over one interval; returns its `E_d`.
    fn add_interval(
        &mut self,
        model: &Model,
        interval: PathInterval,
        from: PathEnd,
        to: PathEnd,
    ) -> Result<f64, ForceError> {
        let PathInterval { island: index, time, duration: h } = interval;
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
            self.sources[GRAVITY].add(&impulse);
            self.placements[slot] = place;
        }
        let t = time + 0.5 * h;
        let bodies = Bodies { first: 0, kinematics: &self.placements };
        for at in island.forces.clone() {
            let (force, source) = (&model.forces[at], &mut self.sources[FORCES + at]);
            force.add_forces(t, &bodies, &mut self.accumulators)?;
            force.for_each_slot(&mut |slot| {
                // A body may be named twice: its force is taken at the first visit.
                let applied = std::mem::replace(&mut self.accumulators[slot], ForceAccumulator::zero());
                let place = &self.placements[slot];
                let about_centre = applied.torque + moment_of(&place.frame, &applied.moment);
                let linear = applied.force * h;
                let impulse = (linear, place.position.cross(&linear) + about_centre * h);
                source.add(&impulse);
                self.impulses[slot].0 += impulse.0;
                self.impulses[slot].1 += impulse.1;
            });
            source.energy += h * force.power(t, &bodies)?;
            energy += force.potential(&bodies)?;
        }
        // The impulses of forces along joints are internal, or the supports'.
        for at in island.joint_forces.clone() {
            let force = &model.joint_forces[at];
            let joint = &model.links[force.slot].joint;
            let ends = [from, to].map(|end| end.coordinates(model, index, force.slot));
            let middle = 0.5 * (force.position(ends[0]) + force.position(ends[1]));
            energy += force.potential(middle);
            if !force.is_conservative() {
                let frames = [from, to].map(|end| end.joint_frame(model, index, force.slot));
                let step = increment_between_frames(joint, &frames[0], &frames[1], (ends[0], ends[1]));
                let rate = joint.travel(&frames[0], &step, force.coordinate) / h;
                let source = &mut self.sources[FORCES + model.forces.len() + at];
                source.energy += h * rate * force.evaluate(t, middle, rate).value;
            }
        }
        Ok(energy)
    }
}
