//! Impacts of a step, before its velocity problem [an extension of Hart 4]: the impact laws of all schemes with impacts.
//!
//! ```text
//! repeat, as long as contacts with restitution close in the step, faster than the threshold:
//!   group_bodies       bodies connected by contacts that are closed, or that close within the step
//!   one free body      impact_in_flight: at the instants at which its contacts close
//!   several bodies     apply_law: the impact law at the configuration and the velocities of the beginning
//!   free_velocity      velocities without impulses, from those after the impact
//! ```
//!
//! The velocity problem starts from the velocities after the impacts; these contacts have no rebound velocities in it. An impact at
//! the beginning of a step takes place across the gaps that are left: the bodies do not travel them before they separate. So linear
//! and angular momentum of bodies that hit each other are conserved.
//!
//! Groups with joints, joint rows or driven bodies, and those of more than [`MAX_CONTACTS`] contacts, are left to the velocity
//! problem, with Newton's law for all contacts at once: impulses of joints and contacts act together there, and the sequence of
//! impacts in a large pile costs more than its problem.

use super::StepInput;
use super::contact_constraint::ContactConstraint;
use super::free_velocities::FreeVelocities;
use super::impact_rows::ImpactRows;
use super::joint_rows::JointRows;
use super::options::{RestitutionLaw, Stabilisation};
use super::restitution::rebound_threshold;
use super::solve_impulses::StepSolution;
use crate::contact::ContactGeometry;
use crate::discrete::StepError;
use crate::model::Groups;
use crate::response::ImpactLaw;
use crate::response::impulse::ImpactSolver;
use crate::spatial::{Vec6, twist};
use crate::tolerances::lcp::apply_impacts::{FLIGHT_STEPS, TOUCHING};
use percussion_geometry::Vec3;

/// Contacts of a group beyond which its impacts are left to the velocity problem.
const MAX_CONTACTS: usize = 128;

/// Rounds of impacts on the contacts of a step; contacts that still close have no restitution in this step.
const MAX_ROUNDS: usize = 32;

/// The impulse of a contact in an impact.
#[derive(Clone, Copy, Debug)]
pub(super) struct ImpactImpulse {
    /// The contact.
    pub contact: ContactConstraint,
    /// Normal impulse, N s per unit of the gradient.
    pub normal: f64,
    /// Friction impulse on the first body, world axes, N s.
    pub friction: Vec3,
    /// Normal velocity before, m/s.
    pub speed: f64,
}

/// Impacts of a step, with workspace.
#[derive(Debug)]
pub(super) struct ImpactPhase {
    /// The law.
    pub law: ImpactLaw,
    pub(super) solver: ImpactSolver,
    pub(super) rows: ImpactRows,
    /// Bodies with joints, by slot.
    jointed: Vec<bool>,
    /// Bodies whose impacts are left to the velocity problem, by slot.
    left: Vec<bool>,
    groups: Groups,
    /// Group of each body: a slot of it.
    group_of: Vec<usize>,
    pub(super) selected: Vec<usize>,
    /// Impulses so far.
    pub impulses: Vec<ImpactImpulse>,
    /// Displacements in the step beyond those of the velocities at its end, by slot: of parabolas and impacts in flight. Empty where
    /// impacts are part of the velocity problem.
    pub offsets: Vec<Vec6>,
    /// Twists before the impacts, by slot.
    pub start: Vec<Vec6>,
    /// Change of energy by normal impulses and by friction, J.
    pub energy: [f64; 2],
    /// Bodies that move on parabolas in this step, by slot.
    pub(super) flies: Vec<bool>,
    /// Bodies that had impacts in flight, by slot.
    pub(super) flew: Vec<bool>,
    landed: Vec<usize>,
    path: Vec<Vec6>,
}

impl ImpactPhase {
    /// With an impact law.
    pub fn new(law: ImpactLaw) -> Self {
        Self {
            law,
            solver: ImpactSolver::new(),
            rows: ImpactRows::default(),
            jointed: Vec::new(),
            left: Vec::new(),
            groups: Groups::default(),
            group_of: Vec::new(),
            selected: Vec::new(),
            impulses: Vec::new(),
            offsets: Vec::new(),
            start: Vec::new(),
            energy: [0.0; 2],
            flies: Vec::new(),
            flew: Vec::new(),
            landed: Vec::new(),
            path: Vec::new(),
        }
    }

    /// Ends the ballistic flight of bodies with contacts that are closed or close within the step, unless they had an impact in flight.
    pub fn end_flight_of_touching_bodies(
        &mut self,
        step: &StepInput,
        velocities: &FreeVelocities,
        contacts: &[ContactConstraint],
    ) {
        let Some(geometry) = step.geometry.filter(|_| !self.offsets.is_empty()) else { return };
        let mut landed = std::mem::take(&mut self.landed);
        landed.clear();
        for contact in contacts.iter().filter(|contact| self.connects(step, geometry, velocities, contact)) {
            landed.extend(contact.slots(geometry).into_iter().flatten().filter(|slot| !self.flew[*slot]));
        }
        landed.iter().for_each(|slot| self.end_flight(step, *slot));
        self.landed = landed;
    }

    /// Ends the ballistic flight of bodies on which contact impulses of the velocity problem act: with them its parabola would bring energy. Whether
    /// there are any.
    pub fn end_flight_of_loaded_bodies(
        &mut self,
        step: &StepInput,
        contacts: &[ContactConstraint],
        solution: &StepSolution,
    ) -> bool {
        let Some(geometry) = step.geometry.filter(|_| !self.offsets.is_empty()) else { return false };
        let mut any = false;
        for (contact, _) in contacts.iter().zip(&solution.normal).filter(|(_, normal)| **normal != 0.0) {
            for slot in contact.slots(geometry).into_iter().flatten() {
                any |= self.flies[slot];
                self.end_flight(step, slot);
            }
        }
        any
    }

    fn end_flight(&mut self, step: &StepInput, slot: usize) {
        if std::mem::take(&mut self.flies[slot]) {
            self.offsets[slot] -= flight_offset(step);
        }
    }

    /// Whether a body moves under gravity alone, but for contacts.
    pub(super) fn is_ballistic(&self, step: &StepInput, velocities: &FreeVelocities, slot: usize) -> bool {
        let weight = step.model.gravity * step.model.links[slot].mass;
        !self.jointed[slot] && velocities.wrenches[slot] == twist(&weight, &Vec3::zeros())
    }

    /// Whether impacts are resolved before the velocity problem: not with the published scheme and Poisson's law, which have
    /// restitution in it.
    pub fn acts(step: &StepInput) -> bool {
        step.options.stabilisation != Stabilisation::Published
            && step.options.restitution == RestitutionLaw::Newton
            && step.h > 0.0
            && step.geometry.is_some()
    }

    /// Begins a step.
    pub fn begin(&mut self, step: &StepInput, velocities: &FreeVelocities, rows: &JointRows) {
        let n = step.model.moving();
        self.impulses.clear();
        self.energy = [0.0; 2];
        self.start.clone_from(&velocities.initial);
        self.left.clear();
        self.left.resize(n, false);
        self.jointed.clear();
        self.jointed.resize(n, false);
        let closures = step.model.closures.iter().flat_map(|closure| [closure.parent, Some(closure.child)]);
        closures.chain(rows.slots()).flatten().for_each(|slot| self.jointed[slot] = true);
        self.flew.clear();
        self.flew.resize(n, false);
        self.flies.clear();
        self.offsets.clear();
        if Self::acts(step) {
            // Bodies without contact fly with the mean of the velocities at both ends of the step, on parabolas; substeps move all so.
            let (whole, flight) = (!step.options.in_substeps(), flight_offset(step));
            for slot in 0..n {
                let flies = whole && self.is_ballistic(step, velocities, slot);
                self.flies.push(flies);
                self.offsets.push(if flies { flight } else { Vec6::zeros() });
            }
        }
    }

    /// Keeps the rebounds that are left to the velocity problem.
    pub fn keep_rebounds(&self, step: &StepInput, contacts: &[ContactConstraint], rebounds: &mut [bool]) {
        let Some(geometry) = step.geometry.filter(|_| Self::acts(step)) else { return };
        for (contact, rebounds) in contacts.iter().zip(rebounds) {
            *rebounds &= contact.slots(geometry).into_iter().flatten().any(|slot| self.left[slot]);
        }
    }

    /// Applies the impacts of the contacts of a step to the velocities at its beginning. Whether there were any.
    pub fn apply_impacts(
        &mut self,
        step: &StepInput,
        velocities: &mut FreeVelocities,
        contacts: &[ContactConstraint],
    ) -> Result<bool, StepError> {
        let Some(geometry) = step.geometry.filter(|_| Self::acts(step)) else { return Ok(false) };
        let mut any = false;
        for round in 0.. {
            let starts = |this: &Self, contact: &ContactConstraint, steps: f64| {
                let speed = -contact.distance_rate(geometry, &velocities.initial) * contact.unit;
                contact.surface.restitution > 0.0
                    && speed > steps * rebound_threshold(step)
                    && this.closes(step, geometry, velocities, contact)
            };
            if !contacts.iter().any(|contact| starts(self, contact, FLIGHT_STEPS)) {
                break;
            }
            if round == MAX_ROUNDS {
                self.solver.unfinished += 1;
                break;
            }
            self.group_bodies(step, geometry, velocities, contacts);
            // Groups with an impact, and whether one of its contacts is fast enough at the beginning of the step.
            let mut groups: Vec<(usize, bool)> = Vec::new();
            for contact in contacts.iter().filter(|contact| starts(self, contact, FLIGHT_STEPS)) {
                let slot = contact.slots(geometry).into_iter().flatten().next();
                let Some(group) = slot.map(|slot| self.group_of[slot]) else { continue };
                let fast = starts(self, contact, 1.0);
                match groups.iter_mut().find(|(known, _)| *known == group) {
                    Some((_, any)) => *any |= fast,
                    None => groups.push((group, fast)),
                }
            }
            let mut applied = false;
            for (group, fast) in groups {
                applied |= self.apply_impact(step, velocities, contacts, (group, fast))?;
            }
            if !applied {
                break;
            }
            any = true;
        }
        Ok(any)
    }

    /// Distance from which a contact reaches its gap at the end of the step with the velocities there.
    pub fn shifted_distance(&self, geometry: &ContactGeometry, contact: &ContactConstraint) -> f64 {
        if self.offsets.is_empty() {
            return contact.distance;
        }
        let slots = contact.slots(geometry).into_iter().zip(&contact.gradient);
        let shift: f64 =
            slots.filter_map(|(slot, gradient)| slot.map(|slot| gradient.dot(&self.offsets[slot]))).sum();
        contact.distance + shift
    }

    /// Whether a contact closes within the step without impulses.
    fn closes(
        &self,
        step: &StepInput,
        geometry: &ContactGeometry,
        velocities: &FreeVelocities,
        contact: &ContactConstraint,
    ) -> bool {
        let travel = step.h * contact.distance_rate(geometry, &velocities.free);
        self.shifted_distance(geometry, contact) + travel < 0.0
    }

    /// Whether a contact connects its bodies: it is closed, or closes within the step.
    fn connects(
        &self,
        step: &StepInput,
        geometry: &ContactGeometry,
        velocities: &FreeVelocities,
        contact: &ContactConstraint,
    ) -> bool {
        self.shifted_distance(geometry, contact) * contact.unit <= touching(geometry, contact)
            || self.closes(step, geometry, velocities, contact)
    }

    /// Groups the bodies that are connected by contacts.
    fn group_bodies(
        &mut self,
        step: &StepInput,
        geometry: &ContactGeometry,
        velocities: &FreeVelocities,
        contacts: &[ContactConstraint],
    ) {
        let mut groups = std::mem::take(&mut self.groups);
        groups.reset(step.model.moving());
        for contact in contacts {
            if let [Some(a), Some(b)] = contact.slots(geometry)
                && self.connects(step, geometry, velocities, contact)
            {
                groups.join(a, b);
            }
        }
        self.group_of.clear();
        self.group_of.extend((0..step.model.moving()).map(|slot| groups.find(slot)));
        self.groups = groups;
    }

    /// The impact of a group; `fast` tells whether it is one at the beginning of the step. Whether it changed velocities.
    fn apply_impact(
        &mut self,
        step: &StepInput,
        velocities: &mut FreeVelocities,
        contacts: &[ContactConstraint],
        (group, fast): (usize, bool),
    ) -> Result<bool, StepError> {
        let Some(geometry) = step.geometry else { return Ok(false) };
        self.selected.clear();
        for (k, contact) in contacts.iter().enumerate() {
            let slot = contact.slots(geometry).into_iter().flatten().next();
            let own = slot.is_some_and(|slot| self.group_of[slot] == group);
            if own && self.connects(step, geometry, velocities, contact) {
                self.selected.push(k);
            }
        }
        let driven = |k: &usize| {
            let (a, b) = contacts[*k].pair;
            geometry.parts[a].motion.is_some() || geometry.parts[b].motion.is_some()
        };
        let members = || (0..self.group_of.len()).filter(|slot| self.group_of[*slot] == group);
        let left = self.selected.len() > MAX_CONTACTS
            || members().any(|slot| self.jointed[slot])
            || self.selected.iter().any(driven);
        if left {
            members().for_each(|slot| self.left[slot] = true);
            return Ok(false);
        }
        if members().count() == 1 && self.impact_in_flight(step, velocities, contacts, group)? {
            return Ok(true);
        }
        Ok(fast && self.apply_law_at_beginning(step, velocities, contacts)?)
    }

    /// The impact law for the selected contacts, at the beginning of the step.
    fn apply_law_at_beginning(
        &mut self,
        step: &StepInput,
        velocities: &mut FreeVelocities,
        contacts: &[ContactConstraint],
    ) -> Result<bool, StepError> {
        let Some(geometry) = step.geometry else { return Ok(false) };
        if self.law == ImpactLaw::Sum {
            self.select_one_of_each_pair(contacts);
        }
        self.rows.assemble(geometry, &velocities.dofs, contacts, &self.selected);
        let mut u = std::mem::take(&mut self.solver.u);
        self.rows.weigh(&velocities.dofs, |slot| velocities.initial[slot], &mut u);
        self.solver.u = u;
        self.solver.rest_speed = rebound_threshold(step);
        self.solver.apply(self.law, &mut self.rows.constraints, None)?;
        if !self.store_impulses(contacts) {
            return Ok(false);
        }
        self.energy[0] += self.solver.restitution_energy;
        self.energy[1] += self.solver.friction_energy;
        let change: Vec<f64> = self.solver.u.iter().zip(&self.solver.start).map(|(u, s)| u - s).collect();
        for member in 0..self.rows.members.len() {
            let slot = self.rows.members[member].0;
            velocities.initial[slot] += self.rows.twist(&velocities.dofs, member, &change);
            velocities.free_velocity(step, slot)?;
        }
        Ok(true)
    }

    /// Of each pair of parts the contact with the least distance.
    fn select_one_of_each_pair(&mut self, contacts: &[ContactConstraint]) {
        let mut one: Vec<usize> = Vec::new();
        for &k in &self.selected {
            match one.iter_mut().find(|other| contacts[**other].pair == contacts[k].pair) {
                Some(other) if contacts[k].distance < contacts[*other].distance => *other = k,
                Some(_) => {}
                None => one.push(k),
            }
        }
        self.selected = one;
    }

    /// Stores the impulses of the constraints. Whether there are any.
    pub(super) fn store_impulses(&mut self, contacts: &[ContactConstraint]) -> bool {
        let before = self.impulses.len();
        for (&k, solved) in self.selected.iter().zip(&self.rows.constraints.list) {
            if solved.normal_impulse != 0.0 || solved.friction_impulse != Vec3::zeros() {
                self.impulses.push(ImpactImpulse {
                    contact: contacts[k],
                    normal: solved.normal_impulse * contacts[k].unit,
                    friction: solved.friction_impulse,
                    speed: solved.normal_velocity_before,
                });
            }
        }
        self.impulses.len() > before
    }

    /// The twists with which the bodies move from the beginning of the step to its end.
    pub fn path_twists<'a>(&'a mut self, step: &StepInput, solution: &'a StepSolution) -> &'a [Vec6] {
        let twists = solution.path_twists();
        if self.offsets.is_empty() {
            return twists;
        }
        self.path.clear();
        self.path.extend(twists.iter().zip(&self.offsets).map(|(twist, offset)| twist + offset / step.h));
        &self.path
    }
}

/// Displacement of a body in free flight within a step beyond that of the velocity at its end, `-h² g/2`.
pub(super) fn flight_offset(step: &StepInput) -> Vec6 {
    twist(&(step.model.gravity * (-0.5 * step.h * step.h)), &Vec3::zeros())
}

/// Gap up to which a contact is closed, m.
pub(super) fn touching(geometry: &ContactGeometry, contact: &ContactConstraint) -> f64 {
    let (a, b) = contact.pair;
    TOUCHING * geometry.parts[a].radius.min(geometry.parts[b].radius)
}
