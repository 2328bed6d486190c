//! Stops, motors, springs and friction along the coordinates of joints: rows of the problem of a step.
//!
//! ```text
//! rate  u = wᵀ v        the form `coordinate_row` on the twists of both bodies, at the beginning of the step
//! stop      gap/h + u >= 0  ⊥  c >= 0,   γ gap/h beyond the stop;  rebounds with u >= -e u0                     a contact without friction
//! velocity  u - v(t1) = 0                                          within |c| <= h max                          drives
//! friction  u = 0                                                  within |c| <= h bound
//! damper    u + c / (h d) = 0
//! spring    u + 2 c / (h² k) + 2 (q - rest)/h = 0                  at the middle of the step: never gains energy
//! servo     u + c / (h² k + h d) + (k (q - x(t1)) - d x'(t1)) / (h k + d) = 0    at its end: any gains; within |c| <= h max
//! torque    a wrench, as other forces                              free_velocities
//! ```
//!
//! Compliance and bounds are those of drives ([`FrictionContactProblem::drive`]). Positions of stops are corrected as those of joints are.

use super::StepInput;
use super::assemble_problem::add_row;
use super::body_dofs::BodyDofs;
use super::free_velocities::FreeVelocities;
use super::restitution::rebound_threshold;
use crate::force::{JointForce, JointLaw};
use crate::joint::{CoordinateRow, Joint};
use crate::model::{Model, State, placed};
use crate::response::closed_contact::stop_impact;
use crate::spatial::Vec6;
use crate::step_record::{JumpSource, StepRecord};
use percussion_solve::{FrictionContactProblem, Impulses, SolveError};

/// A joint with coordinates, of the model's trees or closures.
#[derive(Clone, Copy, Debug)]
struct JointSite<'a> {
    joint: &'a Joint,
    parent: Option<usize>,
    child: usize,
    /// Where its coordinates begin in the state.
    coordinate: usize,
    /// Its index, of a closure.
    closure: Option<usize>,
}

/// A coordinate's rate over the twists of child and parent.
#[derive(Clone, Copy, Debug)]
struct RateRow {
    slots: [Option<usize>; 2],
    form: CoordinateRow,
    /// `+1`, or `-1` for a stop from above.
    sign: f64,
}

impl RateRow {
    fn rate(&self, twists: &[Vec6]) -> f64 {
        let [child, parent] = self.slots.map(|slot| slot.map(|slot| &twists[slot]));
        let of = |form: &Vec6, twist: Option<&Vec6>| twist.map_or(0.0, |twist| form.dot(twist));
        self.sign * (of(&self.form.child, child) + of(&self.form.parent, parent))
    }

    fn wrench(&self, side: usize) -> Vec6 {
        [self.form.child, self.form.parent][side] * self.sign
    }
}

/// A stop of a coordinate.
#[derive(Clone, Copy, Debug)]
struct StopRow {
    row: RateRow,
    gap: f64,
    restitution: f64,
    /// Index of the closure, if its joint is one, and the coordinate.
    closure: Option<usize>,
    coordinate: usize,
    bias: f64,
    /// Whether it bore a load in the last step.
    was_loaded: bool,
    impulse: f64,
    added: bool,
}

/// A drive.
#[derive(Clone, Copy, Debug)]
struct DriveRow {
    row: RateRow,
    offset: f64,
    compliance: f64,
    bound: f64,
    /// Index of the force, those along closures after those along joints of the tree, unless it has a potential.
    force: Option<usize>,
    impulse: f64,
    added: bool,
}

/// The rows of a step.
#[derive(Debug, Default)]
pub(super) struct JointRows {
    stops: Vec<StopRow>,
    drives: Vec<DriveRow>,
    /// Given torques: row, torque and index of the force.
    torques: Vec<(RateRow, f64, Option<usize>)>,
    /// Impulses of the stops in the last step, for the warm start.
    pub last_stops: Vec<f64>,
}

fn closure_site(model: &Model, index: usize) -> Option<JointSite<'_>> {
    let closure = &model.closures[index];
    let coordinate = closure.coordinate?;
    let (parent, child) = (closure.parent, closure.child);
    Some(JointSite { joint: &closure.joint, parent, child, coordinate, closure: Some(index) })
}

fn link_site(model: &Model, slot: usize) -> JointSite<'_> {
    let link = &model.links[slot];
    let coordinate = link.coordinate;
    JointSite { joint: &link.joint, parent: link.parent, child: slot, coordinate, closure: None }
}

impl JointSite<'_> {
    fn row(&self, i: usize, state: &State, sign: f64) -> RateRow {
        let parent = placed(&state.positions, &state.rotations, self.parent);
        let child = (&state.positions[self.child], &state.rotations[self.child]);
        let form = self.joint.coordinate_row(i, parent, child);
        RateRow { slots: [Some(self.child), self.parent], form, sign }
    }
}

/// Coordinates of the joints that are constraints, at the placements of a state; angles are those nearest to the ones before.
pub(super) fn follow_closures(model: &Model, state: &mut State) {
    for closure in &model.closures {
        let Some(first) = closure.coordinate else { continue };
        let parent = placed(&state.positions, &state.rotations, closure.parent);
        let child = (&state.positions[closure.child], &state.rotations[closure.child]);
        let own = &mut state.coordinates[first..first + closure.joint.coordinates()];
        closure.joint.follow_coordinates(parent, child, own);
    }
}

impl JointRows {
    /// Lists the rows of a step, and adds the wrenches of given torques to those of the bodies.
    pub fn list_rows(&mut self, step: &StepInput, wrenches: &mut [Vec6]) {
        let StepInput { model, state, .. } = *step;
        self.stops.clear();
        self.drives.clear();
        self.torques.clear();
        let closures = (0..model.closures.len()).filter_map(|index| closure_site(model, index));
        for site in (0..model.links.len()).map(|slot| link_site(model, slot)).chain(closures) {
            for (i, limits) in site.joint.limits.iter().enumerate().take(site.joint.coordinates()) {
                let Some(limits) = limits else { continue };
                let value = state.coordinates[site.coordinate + i];
                for (bound, sign) in [(limits.lower, 1.0), (limits.upper, -1.0)] {
                    if bound.is_finite() {
                        let was_loaded = self.last_stops.get(self.stops.len()).is_some_and(|c| *c > 0.0);
                        self.stops.push(StopRow {
                            was_loaded,
                            row: site.row(i, state, sign),
                            gap: sign * (value - bound),
                            restitution: limits.restitution,
                            closure: site.closure,
                            coordinate: i,
                            bias: 0.0,
                            impulse: 0.0,
                            added: false,
                        });
                    }
                }
            }
        }
        for (index, force) in model.joint_forces.iter().enumerate() {
            // Work of dampers and torques along joints of the tree is known to the ledger.
            let recorded = force.is_drive().then_some(index);
            self.add_force(step, force, &link_site(model, force.slot), recorded);
        }
        for (index, force) in model.closure_forces.iter().enumerate() {
            let recorded = (!force.is_conservative()).then_some(model.joint_forces.len() + index);
            if let Some(site) = closure_site(model, force.slot) {
                self.add_force(step, force, &site, recorded);
            }
        }
        for (row, torque, _) in &self.torques {
            for (side, slot) in row.slots.into_iter().enumerate() {
                if let Some(slot) = slot {
                    wrenches[slot] += row.wrench(side) * *torque;
                }
            }
        }
    }

    fn add_force(&mut self, step: &StepInput, force: &JointForce, site: &JointSite, recorded: Option<usize>) {
        let StepInput { state, h, .. } = *step;
        let (t, end) = (state.time, state.time + h);
        let row = site.row(force.coordinate, state, 1.0);
        let value = state.coordinates[site.coordinate + force.coordinate];
        let (offset, compliance, bound) = match &force.law {
            JointLaw::Motor(table) => {
                self.torques.push((row, table.at(t + 0.5 * h)[0], recorded));
                return;
            }
            JointLaw::Spring { stiffness, rest } => {
                (2.0 * (value - rest) / h, 2.0 / (h * h * stiffness), f64::INFINITY)
            }
            JointLaw::Damper { damping } => (0.0, 1.0 / (h * damping), f64::INFINITY),
            JointLaw::Velocity { velocity, max } => (-velocity.at(end)[0], 0.0, h * max),
            JointLaw::Friction { bound } => (0.0, 0.0, h * bound),
            JointLaw::Servo { stiffness, damping, position, max } => {
                let gain = h * stiffness + damping;
                let pull =
                    stiffness * (value - position.at(end)[0]) - damping * position.slope(t + 0.5 * h)[0];
                (pull / gain, 1.0 / (h * gain), h * max)
            }
        };
        // Without stiffness, damping or torque there is no force.
        if compliance.is_finite() && offset.is_finite() && bound > 0.0 {
            let force = recorded;
            self.drives.push(DriveRow { row, offset, compliance, bound, force, impulse: 0.0, added: false });
        }
    }

    /// Slots of the bodies on which rows act.
    pub fn slots(&self) -> impl Iterator<Item = Option<usize>> {
        let stops = self.stops.iter().map(|stop| &stop.row);
        stops.chain(self.drives.iter().map(|drive| &drive.row)).flat_map(|row| row.slots)
    }

    /// Right-hand sides of the stops, with the rebound velocities of those that close within the step.
    pub fn set_biases(&mut self, step: &StepInput, velocities: &FreeVelocities) {
        let threshold = rebound_threshold(step);
        for stop in &mut self.stops {
            let scaled = if stop.gap > 0.0 { stop.gap } else { step.options.gamma * stop.gap };
            stop.bias = scaled / step.h;
            let approach = -stop.row.rate(&velocities.initial);
            let closes = stop.gap + step.h * stop.row.rate(&velocities.free) < 0.0;
            if closes && stop.restitution > 0.0 && approach > threshold {
                stop.bias = -stop.restitution * approach;
            }
        }
    }

    /// Adds the drives as equalities.
    pub fn add_drives(
        &mut self,
        block: &[usize],
        dofs: &[BodyDofs],
        problem: &mut FrictionContactProblem,
    ) -> Result<(), SolveError> {
        for drive in &mut self.drives {
            let DriveRow { row, offset, compliance, bound, .. } = *drive;
            let form = |side: usize, dofs: &BodyDofs| dofs.wrench_row(&row.wrench(side));
            let add = |row: &[(usize, &[f64])], problem: &mut FrictionContactProblem| {
                problem.drive(row, offset, compliance, bound).map(|_| ())
            };
            drive.added = add_row(block, dofs, row.slots, form, add, problem)?;
        }
        Ok(())
    }

    /// Adds the stops as contacts without friction, after all contacts; returns the largest violation.
    pub fn add_stops(
        &mut self,
        block: &[usize],
        dofs: &[BodyDofs],
        problem: &mut FrictionContactProblem,
    ) -> Result<f64, SolveError> {
        let mut violation = 0.0_f64;
        for stop in &mut self.stops {
            let StopRow { row, bias, gap, .. } = *stop;
            violation = violation.max(-gap);
            let form = |side: usize, dofs: &BodyDofs| dofs.wrench_row(&row.wrench(side));
            let add = |row: &[(usize, &[f64])], problem: &mut FrictionContactProblem| {
                problem.contact(row, 0.0, bias).map(|_| ())
            };
            stop.added = add_row(block, dofs, row.slots, form, add, problem)?;
        }
        Ok(violation)
    }

    /// Initial impulses of the stops, in their order.
    pub fn initial_stops(&self) -> impl Iterator<Item = f64> {
        let known = self.last_stops.len() == self.stops.len();
        let last = move |k: usize| if known { self.last_stops[k] } else { 0.0 };
        self.stops.iter().enumerate().filter(|(_, stop)| stop.added).map(move |(k, _)| last(k))
    }

    /// Adds the impulses of a solution, whose problem has this many contacts of bodies; drives are its last equalities.
    pub fn add_impulses(&mut self, impulses: &Impulses, contacts: usize) {
        let equalities = impulses.equality.len() - self.drive_count();
        let added = self.stops.iter_mut().filter(|stop| stop.added);
        added.zip(&impulses.normal[contacts..]).for_each(|(stop, c)| stop.impulse += *c);
        let added = self.drives.iter_mut().filter(|drive| drive.added);
        added.zip(&impulses.equality[equalities..]).for_each(|(drive, c)| drive.impulse += *c);
    }

    /// Removes all impulses.
    pub fn reset_impulses(&mut self) {
        self.stops.iter_mut().for_each(|stop| stop.impulse = 0.0);
        self.drives.iter_mut().for_each(|drive| drive.impulse = 0.0);
    }

    /// Stores the impulses of the stops for the next step.
    pub fn store_stops(&mut self) {
        self.last_stops.clear();
        self.last_stops.extend(self.stops.iter().map(|stop| stop.impulse));
    }

    /// Number of drives in the problem.
    fn drive_count(&self) -> usize {
        self.drives.iter().filter(|drive| drive.added).count()
    }

    /// Energy that drives take, J: what their impulses did along the rates that they are to hold.
    pub fn drive_energy(&self) -> f64 {
        self.drives.iter().map(|drive| drive.impulse * drive.offset).sum()
    }

    /// Records the work of drives, torques and stops, and impacts of stops.
    pub fn record(
        &self,
        step: &StepInput,
        velocities: &FreeVelocities,
        twists: &[Vec6],
        record: &mut StepRecord,
    ) {
        let mean = |row: &RateRow| 0.5 * (row.rate(&velocities.initial) + row.rate(twists));
        for drive in &self.drives {
            record.joint_work.extend(drive.force.map(|force| (force, drive.impulse * mean(&drive.row))));
        }
        for (row, torque, force) in &self.torques {
            record.joint_work.extend(force.map(|force| (force, step.h * torque * mean(row))));
        }
        for stop in self.stops.iter().filter(|stop| stop.impulse != 0.0) {
            let slot = stop.row.slots[0].unwrap_or_default();
            record.energy(JumpSource::Stop, slot, stop.impulse * mean(&stop.row));
            let speed = stop.row.rate(&velocities.initial);
            if stop.was_loaded || -speed <= rebound_threshold(step) {
                continue;
            }
            let (time, impulse) = (step.state.time + step.h, stop.row.sign * stop.impulse);
            let speed = (speed, stop.row.rate(twists));
            let energy = stop.impulse * mean(&stop.row);
            let site = match stop.closure {
                Some(index) => closure_site(step.model, index),
                None => Some(link_site(step.model, slot)),
            };
            record.impacts.extend(site.map(|JointSite { joint, parent, child, .. }| {
                let joint = (parent, child, joint);
                stop_impact(step.model, step.state, joint, stop.coordinate, (time, impulse), speed, energy)
            }));
        }
    }
}
