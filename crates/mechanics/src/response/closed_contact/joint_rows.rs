//! Stops and drives of joints as rows of the equations of an interval, beside its contacts.
//!
//! With `T` the displacement of the coordinate over the interval and `u1` its rate at the end
//!
//! ```text
//!            at the start                                                      at the end
//! stop       0 ≤ Λ⁺ ⊥ gap(q1) ≥ 0                                              0 ≤ Λ⁻ ⊥ u1 + e u ≥ 0       gap closed; e u if it closes here, u its speed at the stop
//! velocity   T - h v(t + h/2) = 0         within |Λ⁺| ≤ h/2 max                u1 = v(t + h)              within |Λ⁻| ≤ h/2 max
//! friction   T = 0                        within |Λ⁺| ≤ h/2 bound              u1 = 0                     within the same
//! servo      T + κ Λ⁺ + b = 0             within |Λ⁺| ≤ h/2 max                Λ⁻ = Λ⁺, or of the end where the gains are stiff
//!            κ = (2/h) / (k/2 + d/h),     b = (k (c0 - x) - d x') / (k/2 + d/h)    in the middle of the interval
//! ```
//!
//! With stiff gains the middle of the interval alone leaves velocities at the nodes that alternate; then `Λ⁻` is the servo's at the end, which is
//! of first order and damps them. A drive at its bound over the interval stays there at the end unless its rate at the end is beyond the one to hold: then the end decides.
//! Stops of angles are counted in metres, by the radius of gyration of the child about the joint, so that they compare with contacts.

use super::interval::{ClosedContactStep, Member};
use super::{REGULARISATION, REGULARISATION_END};
use crate::force::JointLaw;
use crate::joint::Joint;
use crate::model::{Model, State, placed};
use crate::spatial::{angular, linear};
use crate::step_record::{Impact, ImpactKind, JumpSource, StepRecord};
use crate::tolerances::closed_contact::{STIFF_GAINS, STOP_GAP};
use crate::tree::Link;
use percussion_solve::contact::{ContactLaw, ContactSolverOptions};

/// Stops of a joint coordinate: the lower and the upper one.
const STOPS: usize = 2;
/// Stops of a body's joint, by which stops of all joints are numbered.
pub(crate) const STOPS_OF_JOINT: usize = STOPS * crate::joint::coordinate::MAX_COORDINATES;

/// What a row is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum JointRowKind {
    /// A stop: its number, its bound, and the sign of its gap's growth with the coordinate.
    Stop { number: usize, bound: f64, sign: f64, restitution: f64 },
    /// A drive, by the index of its force.
    Drive { force: usize },
}

/// A row along a coordinate of a joint.
#[derive(Clone, Copy, Debug)]
pub(crate) struct JointRow {
    pub kind: JointRowKind,
    /// Member of the group, degree of freedom in it, and in the group.
    member: usize,
    dof: usize,
    pub group_dof: usize,
    pub slot: usize,
    pub coordinate: usize,
    /// Length by which its coordinate is multiplied, m/rad or 1.
    pub length: f64,
    /// Whether it is left out of the equations.
    pub excluded: bool,
    /// Displacement of the row over the interval, and rate at its end, by a unit of its impulse there.
    pub mobility: [f64; 2],
    /// Rate to hold at the end, or to rebound with.
    pub target: f64,
    /// Gap of a stop at both ends, m.
    pub gap: [f64; 2],
    /// Rate of the coordinate at both ends.
    pub rate: [f64; 2],
    /// Displacement over the interval.
    travel: f64,
    /// Impulses along the coordinate at both ends, in units of `1/length`.
    pub impulse: [f64; 2],
    /// Bound of the impulse at one end.
    bound: f64,
    /// Whether it closes within the interval and rebounds at its end.
    rebounds: bool,
    /// Whether it is a servo whose gains are stiff in the interval.
    stiff: bool,
}

/// Length by which an angle of a joint is counted, m: radius of gyration of the child about the joint.
pub(crate) fn angle_length(link: &Link) -> f64 {
    let arm = link.joint.child_frame.point.norm();
    (arm * arm + link.inertia.max() / link.mass).sqrt()
}

impl JointRow {
    /// The sign and scale of its coordinate: gap, rate and impulse of the row are these times those of the coordinate.
    pub fn scale(&self) -> f64 {
        match self.kind {
            JointRowKind::Stop { sign, .. } => sign * self.length,
            JointRowKind::Drive { .. } => 1.0,
        }
    }

    /// Whether it is a stop.
    pub fn is_stop(&self) -> bool {
        matches!(self.kind, JointRowKind::Stop { .. })
    }

    /// Whether a stop is closed at the end of the interval.
    fn is_closed(&self) -> bool {
        self.impulse[0] > 0.0 || self.gap[1] <= STOP_GAP * self.length
    }

    /// Speed at which a stop closes at the start of the interval.
    pub fn approach(&self) -> f64 {
        -self.rate[0] * self.scale()
    }

    /// Mean acceleration of the gap of a stop over an interval of length `h`, without its own impulse.
    pub fn free_acceleration(&self, h: f64) -> f64 {
        let free = self.scale() * self.travel - self.mobility[0] * self.impulse[0];
        2.0 * (free + h * self.approach()) / (h * h)
    }

    /// Speed with which a stop that closes within an interval of length `h` is reached without its impulse: with the speed at the start, elastic
    /// stops would gain or lose the work of the forces on the way to them.
    fn speed_at_stop(&self, h: f64) -> f64 {
        (self.approach().powi(2) - 2.0 * self.free_acceleration(h) * self.gap[0]).max(0.0).sqrt()
    }

    /// The impact of a stop that closed within the interval.
    fn impact(&self, model: &Model, end: &State, time: f64) -> Option<Impact> {
        let JointRowKind::Stop { .. } = self.kind else { return None };
        let link = &model.links[self.slot];
        let scale = self.scale();
        let speed = self.rate.map(|rate| rate * scale / self.length);
        let impulse = (self.impulse[0] + self.impulse[1]) * scale;
        let energy = 0.5 * impulse * (self.rate[0] + self.rate[1]);
        let joint = (link.parent, self.slot, &link.joint);
        Some(stop_impact(model, end, joint, self.coordinate, (time, impulse), (speed[0], speed[1]), energy))
    }
}

/// The impact of a stop of a coordinate of a joint from a parent to a child: its impulse (N s or N m s) along the coordinate, at a time, rates of
/// the gap before and after, and the energy that it brought. The first of its bodies is the child, the second the parent or, of a joint to the
/// world, again the child.
pub(crate) fn stop_impact(
    model: &Model,
    state: &State,
    (parent, child, joint): (Option<usize>, usize, &Joint),
    coordinate: usize,
    (time, impulse): (f64, f64),
    speed: (f64, f64),
    energy: f64,
) -> Impact {
    let above = placed(&state.positions, &state.rotations, parent);
    let here = (&state.positions[child], &state.rotations[child]);
    let form = joint.coordinate_row(coordinate, above, here).child;
    let axis = if joint.kind.is_angle(coordinate) { angular(&form) } else { linear(&form) };
    let body = model.links[child].body;
    Impact {
        time,
        bodies: (body, parent.map_or(body, |slot| model.links[slot].body)),
        point: joint.child_frame.on(here.0, here.1).point,
        normal: axis * impulse.signum(),
        impulse: axis * impulse,
        energy: (0.0, energy),
        speed,
        kind: ImpactKind::Stop,
    }
}

/// Whether an island has stops or drives.
pub(crate) fn has_joint_rows(model: &Model, island: &crate::model::Island) -> bool {
    model.joint_forces[island.joint_forces.clone()].iter().any(|force| force.is_drive())
        || has_stops(model, island)
}

/// Whether an island has stops.
pub(crate) fn has_stops(model: &Model, island: &crate::model::Island) -> bool {
    model.links[island.bodies.clone()].iter().any(|link| link.joint.limits.iter().any(Option::is_some))
}

impl ClosedContactStep {
    /// Lists the rows of the islands of the group; `excluded` are stops that are left out, by number.
    pub(super) fn list_joint_rows(&mut self, model: &Model) {
        self.joint_rows.clear();
        for (index, member) in self.members[..self.count].iter().enumerate() {
            let island = &model.islands[member.island];
            let row = |kind: JointRowKind, slot: usize, coordinate: usize| {
                let link = &model.links[slot];
                let is_angle = link.joint.kind.is_angle(coordinate);
                JointRow {
                    kind,
                    member: index,
                    dof: link.dof - island.dofs.start + coordinate,
                    group_dof: member.first + link.dof - island.dofs.start + coordinate,
                    slot,
                    coordinate,
                    length: if is_angle { angle_length(link) } else { 1.0 },
                    excluded: false,
                    mobility: [0.0; 2],
                    target: 0.0,
                    gap: [0.0; 2],
                    rate: [0.0; 2],
                    travel: 0.0,
                    impulse: [0.0; 2],
                    bound: 0.0,
                    rebounds: false,
                    stiff: false,
                }
            };
            for slot in island.bodies.clone() {
                let joint = &model.links[slot].joint;
                for (i, limits) in joint.limits.iter().enumerate().take(joint.coordinates()) {
                    let Some(limits) = limits else { continue };
                    for (side, bound, sign) in [(0, limits.lower, 1.0), (1, limits.upper, -1.0)] {
                        if bound.is_finite() {
                            let number = slot * STOPS_OF_JOINT + i * STOPS + side;
                            let restitution = limits.restitution;
                            let kind = JointRowKind::Stop { number, bound, sign, restitution };
                            self.joint_rows.push(row(kind, slot, i));
                        }
                    }
                }
            }
            for force in island.joint_forces.clone() {
                let known = &model.joint_forces[force];
                if known.is_drive() {
                    let kind = JointRowKind::Drive { force };
                    self.joint_rows.push(row(kind, known.slot, known.coordinate));
                }
            }
        }
    }

    /// The stops, with their gaps and impulses, by index among the rows.
    pub fn stops(&self) -> impl Iterator<Item = (usize, usize, &JointRow)> {
        self.joint_rows.iter().enumerate().filter_map(|(index, row)| match row.kind {
            JointRowKind::Stop { number, .. } => Some((index, number, row)),
            JointRowKind::Drive { .. } => None,
        })
    }

    /// Leaves the stops out whose numbers are excluded.
    pub fn exclude_stops(&mut self, excluded: &[bool]) {
        for row in &mut self.joint_rows {
            if let JointRowKind::Stop { number, .. } = row.kind {
                row.excluded = excluded.get(number).copied().unwrap_or(false);
            }
        }
    }

    /// Begins an interval: rates at its start, no impulses.
    pub(super) fn begin_joint_rows(&mut self, model: &Model, start: &State) {
        for row in &mut self.joint_rows {
            row.impulse = [0.0; 2];
            row.rate[0] = self.members[row.member].step.initial_rates()[row.dof];
            let link = &model.links[row.slot];
            if let JointRowKind::Stop { bound, .. } = row.kind {
                row.gap[0] = row.scale() * (start.coordinates[link.coordinate + row.coordinate] - bound);
            }
        }
    }

    /// Options of the solver. A grasp with friction in its joints leaves many forces undetermined: contacts beside rows are solved as many are,
    /// from the last iterate.
    pub(super) fn solver_options(&self) -> ContactSolverOptions {
        let options = ContactSolverOptions::default();
        let grasp = !self.listed_rows.is_empty() && !self.listed.is_empty();
        ContactSolverOptions { few: if grasp { 0 } else { options.few }, ..options }
    }

    /// Displacement of the coordinates over the interval, and gaps at its end.
    fn evaluate_joint_rows(&mut self, model: &Model) {
        for row in &mut self.joint_rows {
            let island = &model.islands[self.members[row.member].island];
            let interval = self.members[row.member].step.interval();
            row.travel = interval.travel_along(row.slot, row.coordinate, model, island);
            row.gap[1] = row.gap[0] + row.scale() * row.travel;
        }
    }

    /// Adds the rows at the present iterate, after the contacts.
    pub(super) fn add_joint_rows(&mut self, model: &Model, start: &State, h: f64) {
        self.evaluate_joint_rows(model);
        let middle = start.time + 0.5 * h;
        for k in 0..self.joint_rows.len() {
            let row = self.joint_rows[k];
            if row.excluded {
                continue;
            }
            let (law, bias) = match row.kind {
                // A stop that keeps half of its gap in this iterate is out of reach.
                JointRowKind::Stop { .. } if row.impulse[0] == 0.0 && row.gap[1] > 0.5 * row.gap[0].abs() => {
                    continue;
                }
                JointRowKind::Stop { .. } => (ContactLaw::Cone { friction: 0.0 }, row.gap[1]),
                JointRowKind::Drive { force } => {
                    let position = start.coordinates[model.links[row.slot].coordinate + row.coordinate];
                    let (bias, compliance, most) = match &model.joint_forces[force].law {
                        JointLaw::Velocity { velocity, max } => (-h * velocity.at(middle)[0], 0.0, *max),
                        JointLaw::Friction { bound } => (0.0, 0.0, *bound),
                        JointLaw::Servo { stiffness, damping, position: table, max } => {
                            let gain = 0.5 * stiffness + damping / h;
                            let pull = stiffness * (position - table.at(middle)[0])
                                - damping * table.slope(middle)[0];
                            (pull / gain, 2.0 / (h * gain), *max)
                        }
                        JointLaw::Spring { .. } | JointLaw::Damper { .. } | JointLaw::Motor(_) => continue,
                    };
                    let bound = 0.5 * h * most;
                    self.joint_rows[k].bound = bound;
                    // Without gains there is no force.
                    if !bias.is_finite() || !compliance.is_finite() {
                        continue;
                    }
                    (ContactLaw::Bounded { bound, compliance }, bias + row.travel)
                }
            };
            self.system.add_contact(law, [bias, 0.0, 0.0], REGULARISATION);
            self.listed_rows.push(k);
            self.x.push([row.impulse[0], 0.0, 0.0]);
            self.add_joint_row_block(model, k, Some(h));
        }
    }

    /// The row and column of one row of a joint, over an interval of length `h`, or at its end.
    fn add_joint_row_block(&mut self, model: &Model, k: usize, h: Option<f64>) {
        let row = &mut self.joint_rows[k];
        let Member { island, first, step } = &mut self.members[row.member];
        let island = &model.islands[*island];
        let width = island.dofs.len();
        self.rows.clear();
        self.rows.resize(3 * width, 0.0);
        self.rows[row.dof] = row.scale();
        self.columns.clear();
        self.columns.resize(3 * width, 0.0);
        let (force, column) = (&self.rows[..width], &mut self.columns[..width]);
        match h {
            Some(h) => step.solve_column(model, island, h, force, column),
            None => step.solve_end(force, column),
        }
        row.mobility[usize::from(h.is_none())] = self.rows[row.dof] * self.columns[row.dof];
        self.system.add_block(*first, &self.rows, &self.columns);
    }

    /// Takes the impulses at the start from the solution of the present problem.
    pub(super) fn take_joint_impulses(&mut self, end: usize) {
        let contacts = self.listed.len();
        for (&k, x) in self.listed_rows.iter().zip(&self.x[contacts..]) {
            self.joint_rows[k].impulse[end] = x[0];
        }
    }

    /// Adds the impulses at the start to those of the contacts in the degrees of freedom.
    pub(super) fn sum_joint_impulses(&mut self) {
        for row in &self.joint_rows {
            self.impulses[self.members[row.member].first + row.dof] += row.scale() * row.impulse[0];
        }
    }

    /// Impulses at the end that are known from the interval, those of servos and of drives at their bounds, are added to the momenta.
    pub(super) fn set_known_impulses_at_end(&mut self, model: &Model, h: f64, end: &mut State) {
        self.evaluate_joint_rows(model);
        self.length = h;
        for k in 0..self.joint_rows.len() {
            let row = &mut self.joint_rows[k];
            row.impulse[1] = 0.0;
            let JointRowKind::Drive { force } = row.kind else { continue };
            let mut servo = false;
            if let JointLaw::Servo { stiffness, damping, .. } = &model.joint_forces[force].law {
                let Member { island, step, .. } = &mut self.members[row.member];
                let width = model.islands[*island].dofs.len();
                self.rows.clear();
                self.rows.resize(2 * width, 0.0);
                self.rows[row.dof] = 1.0;
                let (force, column) = self.rows.split_at_mut(width);
                step.solve_end(force, column);
                row.stiff = 0.5 * h * (damping + 0.5 * h * stiffness) * column[row.dof] > STIFF_GAINS;
                servo = !row.stiff;
            }
            let slides = row.impulse[0].abs() >= row.bound;
            if servo || slides {
                row.impulse[1] = row.impulse[0];
                let island = &model.islands[self.members[row.member].island];
                end.momenta[island.dofs.start + row.dof] += row.impulse[1];
            }
        }
    }

    /// Lists the rows of the problem at the end.
    pub(super) fn list_joint_rows_at_end(&mut self, model: &Model, end: &State) {
        for k in 0..self.joint_rows.len() {
            let row = self.joint_rows[k];
            if row.excluded {
                continue;
            }
            let (law, bias) = match row.kind {
                JointRowKind::Stop { restitution, .. } => {
                    let was_open = row.gap[0] > STOP_GAP * row.length;
                    // Where impacts are located, a stop that is just reached has its own in the next interval.
                    let reached = self.rebound_speed == f64::INFINITY && was_open && row.impulse[0] == 0.0;
                    if !row.is_closed() || reached {
                        continue;
                    }
                    let approach = row.approach();
                    let closes = was_open && approach > self.rebound_speed;
                    self.joint_rows[k].rebounds = closes;
                    let rebound = if closes { restitution * row.speed_at_stop(self.length) } else { 0.0 };
                    (ContactLaw::Cone { friction: 0.0 }, -rebound)
                }
                JointRowKind::Drive { force } => {
                    let (target, compliance) = match &model.joint_forces[force].law {
                        JointLaw::Velocity { velocity, .. } => (velocity.at(self.end_time)[0], 0.0),
                        JointLaw::Friction { .. } => (0.0, 0.0),
                        JointLaw::Servo { stiffness, damping, position, .. } if row.stiff => {
                            let gain = damping + 0.5 * self.length * stiffness;
                            let at = end.coordinates[model.links[row.slot].coordinate + row.coordinate];
                            let rate = position.slope(self.end_time - 0.5 * self.length)[0];
                            let pull = stiffness * (position.at(self.end_time)[0] - at) + damping * rate;
                            (pull / gain, 2.0 / (self.length * gain))
                        }
                        _ => continue,
                    };
                    // A row whose impulse is known is there to see whether it is reversed.
                    (ContactLaw::Bounded { bound: self.bound_at_end(&row), compliance }, -target)
                }
            };
            self.system.add_contact(law, [bias, 0.0, 0.0], REGULARISATION_END);
            self.listed_rows.push(k);
            self.x.push([0.0; 3]);
            self.joint_rows[k].target = bias;
            self.add_joint_row_block(model, k, None);
        }
    }

    /// Largest impulse of a drive at the end: none beside one that is known.
    fn bound_at_end(&self, row: &JointRow) -> f64 {
        if row.impulse[1] == 0.0 { row.bound } else { 0.0 }
    }

    /// Drives whose impulses at the end were taken from the interval, but push on beyond the rate to hold: the end decides instead. Whether
    /// there are any; the momenta of the end lose their impulses.
    pub(super) fn release_reversed_drives(&mut self, model: &Model, end: &mut State) -> bool {
        let contacts = self.listed.len();
        let mut any = false;
        for i in 0..self.listed_rows.len() {
            let k = self.listed_rows[i];
            let row = self.joint_rows[k];
            if !matches!(row.kind, JointRowKind::Drive { .. }) || row.impulse[1] == 0.0 {
                continue;
            }
            let y = self.system.value(contacts + i, self.solver.velocities());
            if y[0] * row.impulse[1] > 0.0 {
                let island = &model.islands[self.members[row.member].island];
                end.momenta[island.dofs.start + row.dof] -= row.impulse[1];
                self.joint_rows[k].impulse[1] = 0.0;
                any = true;
            }
        }
        any
    }

    /// Adds the impulses at the end that were solved for to the momenta there, with the rates that follow.
    pub(super) fn add_joint_impulses_at_end(&mut self, model: &Model, end: &mut State) {
        let contacts = self.listed.len();
        for (i, &k) in self.listed_rows.iter().enumerate() {
            let row = &mut self.joint_rows[k];
            let impulse = self.x[contacts + i][0];
            row.impulse[1] += impulse;
            let island = &model.islands[self.members[row.member].island];
            end.momenta[island.dofs.start + row.dof] += row.scale() * impulse;
        }
    }

    /// Rates of the coordinates at the end.
    pub(super) fn set_joint_rates_at_end(&mut self, model: &Model, end: &State) {
        for k in 0..self.joint_rows.len() {
            let JointRow { member, dof, .. } = self.joint_rows[k];
            let Member { island, step, .. } = &mut self.members[member];
            let dofs = model.islands[*island].dofs.clone();
            self.rows.clear();
            self.rows.resize(dofs.len(), 0.0);
            step.solve_end(&end.momenta[dofs], &mut self.rows);
            self.joint_rows[k].rate[1] = self.rows[dof];
        }
    }

    /// Records the work of the drives and stops, their energies, over the last interval, which ends at `end`, and impacts of stops that
    /// rebounded there.
    pub fn record_joint_rows(&self, model: &Model, energies: &[f64], end: &State, record: &mut StepRecord) {
        for (row, energy) in self.joint_rows.iter().zip(energies) {
            if row.excluded || row.impulse == [0.0; 2] {
                continue;
            }
            match row.kind {
                JointRowKind::Stop { .. } => {
                    record.energy(JumpSource::Stop, row.slot, *energy);
                    if row.rebounds {
                        record.impacts.extend(row.impact(model, end, self.end_time));
                    }
                }
                JointRowKind::Drive { force } => record.joint_work.push((force, *energy)),
            }
        }
    }
}
