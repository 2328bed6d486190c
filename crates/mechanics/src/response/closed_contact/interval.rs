//! The interval of a group of islands with closed contacts: Newton's method on the end configuration.

use super::confirm::FreeBody;
use super::joint_rows::JointRow;
use super::{
    ClosedContact, GAP_CHANGE_ROUNDING, MAX_ITERATIONS, REGULARISATION, SLIP_ROUNDING, UNSOLVED_DECREMENT,
};
use crate::contact::{ContactGeometry, ManifoldQuery};
use crate::discrete::{IslandStateMut, IslandStep, StepError};
use crate::model::{Model, State};
use crate::spatial::{Vec6, twist};
use crate::tolerances::{NEWTON_DECREMENT, NEWTON_NOISE};
use nalgebra::Rotation3;
use percussion_geometry::events::Side;
use percussion_geometry::{Pose, Vec3};
use percussion_solve::contact::{ContactLaw, ContactSolver, ContactStatus, ContactSystem};

/// One island of the group.
#[derive(Clone, Debug, Default)]
pub(super) struct Member {
    pub island: usize,
    /// First of its degrees of freedom in vectors of the group.
    pub first: usize,
    pub step: IslandStep,
}

/// A block of a contact: the degrees of freedom of one member.
#[derive(Clone, Copy, Debug)]
pub(super) struct ForceBlock {
    pub member: usize,
    pub width: usize,
    /// First of its `3 width` entries of the forces.
    pub at: usize,
}

/// Where a side of a contact acts.
#[derive(Clone, Copy, Debug)]
pub(super) struct ContactSide {
    pub side: Side,
    /// Sign of impulses and displacements: `+1` on `a`.
    pub sign: f64,
    pub member: usize,
    /// Place of the body in its island.
    pub body: usize,
    pub slot: usize,
}

/// What counts as closed and as rounding.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ContactLimits {
    /// Gap at which parts are in contact, m.
    pub closed_gap: f64,
    /// Length of a whole step, s: what is left of closed gaps decays from step to step.
    pub step: f64,
}

/// How an interval was solved.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct IntervalOutcome {
    /// Newton iterations.
    pub iterations: usize,
    /// Residual of the contact laws, relative to the largest impulse.
    pub residual: f64,
    /// Whether the contact laws hold to rounding.
    pub solved: bool,
    /// Whether the iterates still alternate between states of contact that differ little.
    pub unsettled: bool,
}

/// Workspace of the interval of a group.
#[derive(Clone, Debug, Default)]
pub(crate) struct ClosedContactStep {
    pub(super) members: Vec<Member>,
    pub(super) count: usize,
    pub(super) dofs: usize,
    /// Member and place in its island of the body in each slot.
    place_of_slot: Vec<Option<(usize, usize)>>,
    /// The contacts.
    pub contacts: Vec<ClosedContact>,
    pub(super) system: ContactSystem,
    pub(super) solver: ContactSolver,
    pub(super) query: ManifoldQuery,
    /// `P0ᵀ w` of the three directions of every contact, block by block.
    forces: Vec<f64>,
    blocks: Vec<ForceBlock>,
    /// First block of each contact, and one more.
    first_block: Vec<usize>,
    pub(super) rows: Vec<f64>,
    pub(super) columns: Vec<f64>,
    pub(super) v: Vec<f64>,
    pub(super) x: Vec<[f64; 3]>,
    /// The contacts of the present system.
    pub(super) listed: Vec<usize>,
    /// Stops and drives of the joints, and those of the present system, after the contacts.
    pub joint_rows: Vec<JointRow>,
    pub(super) listed_rows: Vec<usize>,
    /// Length of the interval, and time at its end, s.
    pub(super) length: f64,
    pub(super) end_time: f64,
    /// Approach speed from which stops that close in the interval rebound at its end, m/s.
    pub rebound_speed: f64,
    pub(super) impulses: Vec<f64>,
    /// Gaps of the last iterate.
    gaps: Vec<f64>,
    /// The bodies and the scales of the contacts of a confirmation.
    pub(super) free_bodies: Vec<FreeBody>,
    pub(super) scales: Vec<(f64, f64)>,
    /// Whether the group was confirmed to be at rest.
    pub(super) at_rest: bool,
}

impl ClosedContactStep {
    /// Sets the islands of the group; contacts are added to the list by the caller.
    pub fn set_islands(&mut self, model: &Model, islands: &[usize]) {
        self.count = islands.len();
        self.at_rest = false;
        self.dofs = 0;
        if self.members.len() < self.count {
            self.members.resize_with(self.count, Member::default);
        }
        self.place_of_slot.clear();
        self.place_of_slot.resize(model.moving(), None);
        for (index, (member, &island)) in self.members.iter_mut().zip(islands).enumerate() {
            member.island = island;
            member.first = self.dofs;
            self.dofs += model.islands[island].dofs.len();
            for (body, slot) in model.islands[island].bodies.clone().enumerate() {
                self.place_of_slot[slot] = Some((index, body));
            }
        }
        self.contacts.clear();
        self.list_joint_rows(model);
    }

    /// The `k`-th island of the group.
    pub fn island(&self, k: usize) -> Option<usize> {
        self.members[..self.count].get(k).map(|member| member.island)
    }

    /// The islands of the group.
    pub fn islands(&self) -> impl Iterator<Item = usize> {
        self.members[..self.count].iter().map(|member| member.island)
    }

    /// Solves the interval of length `h` from `start`, and writes configuration and momenta of its end.
    pub fn solve(
        &mut self,
        model: &Model,
        geometry: &ContactGeometry,
        start: &State,
        h: f64,
        limits: &ContactLimits,
        end: &mut State,
    ) -> Result<IntervalOutcome, StepError> {
        for contact in &mut self.contacts {
            contact.scale_impulses(h);
        }
        if self.joint_rows.is_empty()
            && let Some(outcome) = self.confirm(model, geometry, (start, h), limits, end)?
        {
            return Ok(outcome);
        }
        for member in &mut self.members[..self.count] {
            member.step.begin(model, &model.islands[member.island], start, h)?;
        }
        self.begin_joint_rows(model, start);
        self.set_forces(model, geometry, start);
        self.sum_impulses();
        for member in &mut self.members[..self.count] {
            let island = &model.islands[member.island];
            let impulses = &self.impulses[member.first..member.first + island.dofs.len()];
            member.step.add_initial_impulses(model, island, h, impulses);
        }
        let mut outcome = IntervalOutcome::default();
        let mut before = f64::INFINITY;
        self.gaps.clear();
        loop {
            outcome.iterations += 1;
            for member in &mut self.members[..self.count] {
                member.step.linearise(model, &model.islands[member.island], start, h)?;
            }
            self.evaluate_contacts(geometry)?;
            let settled = self.gaps_are_rounding();
            self.assemble(model, geometry, start, h, limits);
            let options = self.solver_options();
            let solved = self.solver.solve(&mut self.system, &self.v, &mut self.x, &options);
            let rounding = self.rounding_at_start(model, start);
            outcome.solved = solved.converged || solved.residual.max() <= rounding;
            outcome.residual = if solved.scale > 0.0 { solved.residual.max() / solved.scale } else { 0.0 };
            for (&k, x) in self.listed.iter().zip(&self.x) {
                self.contacts[k].impulse_start = *x;
            }
            self.take_joint_impulses(0);
            let Decrement { decrement, rounding } = self.correct(model, h);
            if !decrement.is_finite() {
                return Err(StepError::NotFinite);
            }
            let noise = decrement >= 0.1 * before && (decrement <= NEWTON_NOISE || settled);
            if decrement <= NEWTON_DECREMENT.max(rounding) || noise {
                break;
            }
            before = decrement;
            if outcome.iterations >= MAX_ITERATIONS {
                if decrement <= UNSOLVED_DECREMENT {
                    outcome.unsettled = true;
                    break;
                }
                return Err(StepError::NoConvergence);
            }
        }
        for member in &mut self.members[..self.count] {
            let island = &model.islands[member.island];
            member.step.end(model, island, start, h, IslandStateMut::of(end, island))?;
        }
        self.evaluate_contacts(geometry)?;
        self.set_slips(geometry, start);
        self.end_time = start.time + h;
        let end_solved = self.solve_end(model, geometry, (limits.closed_gap, h), end);
        outcome.solved &= end_solved.0 && !outcome.unsettled;
        outcome.residual = outcome.residual.max(end_solved.1);
        Ok(outcome)
    }

    /// The sides of a contact on moving bodies.
    pub(super) fn sides(&self, geometry: &ContactGeometry, pair: (usize, usize)) -> [Option<ContactSide>; 2] {
        [(pair.0, Side::A, 1.0), (pair.1, Side::B, -1.0)].map(|(part, side, sign)| {
            let slot = geometry.parts[part].slot?;
            let (member, body) = self.place_of_slot[slot]?;
            Some(ContactSide { side, sign, member, body, slot })
        })
    }

    /// `P0ᵀ w` of all contacts, and the first guess with the impulses that they have.
    fn set_forces(&mut self, model: &Model, geometry: &ContactGeometry, start: &State) {
        self.forces.clear();
        self.blocks.clear();
        self.first_block.clear();
        for k in 0..self.contacts.len() {
            self.first_block.push(self.blocks.len());
            let contact = &self.contacts[k];
            let (point, normal, [s, t]) = (contact.start.point, contact.start.normal, contact.start_tangents);
            for side in self.sides(geometry, contact.function.pair).into_iter().flatten() {
                let arm = point - start.positions[side.slot];
                let wrenches = [normal, s, t].map(|d| twist(&d, &arm.cross(&d)) * side.sign);
                let first = self.first_block[k];
                let island = &model.islands[self.members[side.member].island];
                let width = island.dofs.len();
                let known = self.blocks[first..].iter().position(|block| block.member == side.member);
                let at = match known {
                    Some(block) => self.blocks[first + block].at,
                    None => {
                        self.blocks.push(ForceBlock { member: side.member, width, at: self.forces.len() });
                        self.forces.resize(self.forces.len() + 3 * width, 0.0);
                        self.forces.len() - 3 * width
                    }
                };
                self.rows.clear();
                self.rows.resize(width, 0.0);
                for (c, wrench) in wrenches.iter().enumerate() {
                    self.members[side.member].step.reduce_before(side.body, wrench, &mut self.rows);
                    let force = &mut self.forces[at + c * width..at + (c + 1) * width];
                    force.iter_mut().zip(&self.rows).for_each(|(f, r)| *f += r);
                }
            }
        }
        self.first_block.push(self.blocks.len());
    }

    /// Poses of the bodies of a pair at the present end.
    fn end_poses(&self, geometry: &ContactGeometry, pair: (usize, usize)) -> (Pose, Pose) {
        let [a, b] = self.sides(geometry, pair).map(|side| {
            side.map_or_else(Pose::identity, |side| {
                let interval = self.members[side.member].step.interval();
                let rotation = Rotation3::from_matrix_unchecked(interval.rotations[side.body]);
                Pose::new(rotation, interval.positions[side.body])
            })
        });
        (a, b)
    }

    /// Evaluates the contacts at the present end.
    fn evaluate_contacts(&mut self, geometry: &ContactGeometry) -> Result<(), StepError> {
        for k in 0..self.contacts.len() {
            let (a, b) = self.end_poses(geometry, self.contacts[k].function.pair);
            let contact = &mut self.contacts[k];
            contact.end = contact.function.evaluate(geometry, (&a, &b), &mut self.query)?;
        }
        Ok(())
    }

    /// Whether gaps have changed by no more than their rounding since the last iterate. In a short interval the momentum of this rounding
    /// is not small compared with that of the forces, and the decrement does not vanish.
    fn gaps_are_rounding(&mut self) -> bool {
        let positions =
            self.members[..self.count].iter().flat_map(|member| &member.step.interval().positions);
        let size = positions.map(|x| x.norm()).fold(0.0, f64::max);
        let same = |(contact, gap): (&ClosedContact, &f64)| {
            let rounding = f64::EPSILON * contact.end.point.norm().max(size);
            contact.excluded || (contact.end.gap - gap).abs() <= GAP_CHANGE_ROUNDING * rounding
        };
        let known = self.gaps.len() == self.contacts.len();
        let rounding = known && self.contacts.iter().zip(&self.gaps).all(same);
        self.gaps.clear();
        self.gaps.extend(self.contacts.iter().map(|contact| contact.end.gap));
        rounding
    }

    /// The linearised contact problem at the present iterate: bias, rows at the end, columns of impulses at the start.
    fn assemble(
        &mut self,
        model: &Model,
        geometry: &ContactGeometry,
        start: &State,
        h: f64,
        limits: &ContactLimits,
    ) {
        self.v.clear();
        self.v.resize(self.dofs, 0.0);
        for member in &mut self.members[..self.count] {
            let island = &model.islands[member.island];
            let v = &mut self.v[member.first..member.first + island.dofs.len()];
            member.step.free_correction(model, island, h, v);
        }
        self.system.clear(self.dofs);
        self.listed.clear();
        self.listed_rows.clear();
        self.x.clear();
        for k in 0..self.contacts.len() {
            let contact = &self.contacts[k];
            if contact.excluded {
                continue;
            }
            let sides = self.sides(geometry, contact.function.pair);
            let tangents = contact.mean_tangents();
            let slip = self.slip(start, contact, &sides);
            let law = ContactLaw::Cone { friction: contact.friction };
            let gap = contact.gap_to_close(h, limits);
            let bias = [gap, tangents[0].dot(&slip), tangents[1].dot(&slip)];
            self.system.add_contact(law, bias, REGULARISATION);
            self.listed.push(k);
            self.x.push(contact.impulse_start);
            for block in self.first_block[k]..self.first_block[k + 1] {
                self.add_block(model, start, k, &sides, self.blocks[block], h);
            }
        }
        self.add_joint_rows(model, start, h);
        for (i, x) in self.x.iter().enumerate() {
            self.system.add_impulse(i, x, -1.0, &mut self.v);
        }
    }

    /// Adds the rows and columns of one block of a contact.
    fn add_block(
        &mut self,
        model: &Model,
        start: &State,
        contact: usize,
        sides: &[Option<ContactSide>; 2],
        block: ForceBlock,
        h: f64,
    ) {
        let ForceBlock { member, width, at } = block;
        self.rows.clear();
        self.rows.resize(3 * width, 0.0);
        self.columns.clear();
        self.columns.resize(4 * width, 0.0);
        for side in sides.iter().flatten().filter(|side| side.member == member) {
            let wrenches = self.row_wrenches(start, &self.contacts[contact], side);
            for (r, wrench) in wrenches.iter().enumerate() {
                let row = &mut self.columns[3 * width..];
                self.members[member].step.reduce_after(side.body, wrench, row);
                let target = &mut self.rows[r * width..(r + 1) * width];
                target.iter_mut().zip(row.iter()).for_each(|(t, r)| *t += r);
            }
        }
        let Member { island, first, step } = &mut self.members[member];
        for c in 0..3 {
            let force = &self.forces[at + c * width..at + (c + 1) * width];
            let column = &mut self.columns[c * width..(c + 1) * width];
            step.solve_column(model, &model.islands[*island], h, force, column);
        }
        self.system.add_block(*first, &self.rows, &self.columns[..3 * width]);
    }

    /// Derivatives of gap and slip by a displacement of the body at the end, as wrenches.
    fn row_wrenches(&self, start: &State, contact: &ClosedContact, side: &ContactSide) -> [Vec6; 3] {
        let step = &self.members[side.member].step;
        let (normal, tangents) = (contact.end.normal, contact.mean_tangents());
        let (arm_start, arm) = self.arms(start, contact, side);
        let (_, c) = step.displacement(side.body);
        let slip = |t: &Vec3| {
            if contact.function.is_material(side.side) {
                return twist(t, &arm.cross(t));
            }
            // T·(δc × (r0 + r1)) with δc = (δθ - c × δθ + c (c·δθ))/2
            let moment = (arm_start + arm).cross(t);
            twist(t, &((moment + c.cross(&moment) + c * c.dot(&moment)) * 0.5))
        };
        [twist(&normal, &arm.cross(&normal)), slip(&tangents[0]), slip(&tangents[1])].map(|w| w * side.sign)
    }

    /// Arms of the contact point at the start and at the end.
    fn arms(&self, start: &State, contact: &ClosedContact, side: &ContactSide) -> (Vec3, Vec3) {
        let interval = self.members[side.member].step.interval();
        let arm_start = contact.start.point - start.positions[side.slot];
        (arm_start, contact.end.point - interval.positions[side.body])
    }

    /// Slip of a contact over the interval, world.
    fn slip(&self, start: &State, contact: &ClosedContact, sides: &[Option<ContactSide>; 2]) -> Vec3 {
        let of_side = |side: &ContactSide| {
            let (shift, c) = self.members[side.member].step.displacement(side.body);
            let (arm_start, arm) = self.arms(start, contact, side);
            (shift + c.cross(&(arm_start + arm))) * side.sign
        };
        sides.iter().flatten().map(of_side).sum()
    }

    /// Slips of all contacts at the end, and whether they stick.
    fn set_slips(&mut self, geometry: &ContactGeometry, start: &State) {
        for k in 0..self.contacts.len() {
            let contact = &self.contacts[k];
            let sides = self.sides(geometry, contact.function.pair);
            let slip = self.slip(start, contact, &sides);
            let tangents = contact.mean_tangents();
            self.contacts[k].slip = [tangents[0].dot(&slip), tangents[1].dot(&slip)];
            self.contacts[k].slides = false;
        }
        let largest = self.x.iter().fold(0.0f64, |most, x| most.max(x[0]));
        for (i, &k) in self.listed.iter().enumerate() {
            let contact = &mut self.contacts[k];
            let status = self.solver.status(&self.system, i, &self.x[i]);
            let slip = contact.slip[0].hypot(contact.slip[1]) * self.system.tangential_scale(i);
            contact.slides =
                status == ContactStatus::Sliding && slip > SLIP_ROUNDING * contact.friction * largest;
        }
    }

    /// Contact impulses at the start in the degrees of freedom.
    fn sum_impulses(&mut self) {
        self.impulses.clear();
        self.impulses.resize(self.dofs, 0.0);
        for (k, contact) in self.contacts.iter().enumerate() {
            for ForceBlock { member, width, at } in &self.blocks[self.first_block[k]..self.first_block[k + 1]]
            {
                let first = self.members[*member].first;
                let target = &mut self.impulses[first..first + width];
                for (c, x) in contact.impulse_start.iter().enumerate() {
                    let force = &self.forces[at + c * width..at + (c + 1) * width];
                    target.iter_mut().zip(force).for_each(|(t, f)| *t += x * f);
                }
            }
        }
        self.sum_joint_impulses();
    }

    /// Moves the ends of all islands by the corrections that belong to the contact impulses.
    fn correct(&mut self, model: &Model, h: f64) -> Decrement {
        self.sum_impulses();
        let (mut decrement, mut rounding, mut action) = (0.0, 0.0, f64::MIN_POSITIVE);
        for member in &mut self.members[..self.count] {
            let island = &model.islands[member.island];
            let impulses = &self.impulses[member.first..member.first + island.dofs.len()];
            let (slope, of_step) = member.step.correct(model, island, h, impulses);
            decrement += slope;
            action += of_step;
            rounding += member.step.rounding(model, island, h);
        }
        Decrement { decrement: decrement / action, rounding: rounding / action }
    }
}

/// Decrement of action of a correction, and that of rounding, relative to the action of the group.
struct Decrement {
    decrement: f64,
    rounding: f64,
}
