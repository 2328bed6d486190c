//! LCP time stepping with constraint stabilisation [Hart 4-6]: a constant step, one mixed complementarity problem in each.
//!
//! ```text
//! v*            ← velocities without contact, from forces at the beginning of the step                    free.rs
//! E             ← active and nearly active events of pairs within reach                                    spots.rs
//! M v = M v* + Σ ν c_ν + Σ n c_n + Σ D β                                                                   assembly.rs
//!     γ Θ/h + νᵀ v = 0                        joints, loops or not                                [Hart 4.14]
//!     γ Φ_m/h + n_mᵀ v ≥ 0    ⊥ c_n ≥ 0       every event with its own distance                   [Hart 4.17]
//!     Coulomb's friction on a pyramid                                                             [Hart 4.18]
//!                                                                                                         solve.rs
//! q             ← q moved by h v, rotations by the exponential map                                [Hart 6.17]
//! ```
//!
//! Unknowns are velocities of centres of mass and angular velocities in body axes: the mass matrix is constant
//! (assumption D1). Every body takes part with its own unknowns: the model must have no tree
//! ([`ModelBuilder::build_open`](crate::ModelBuilder::build_open)). Bodies that nothing touches are not in the problem.
//!
//! **Energy.** Over a step of forces `F`, `K(v) - K(v₀) - h F·v = J·v - ½|v - v₀|²` with `J` all impulses, less what the gyroscopic
//! term takes: without stabilisation no impulse has a positive power, and energy falls. An overlap that is mended pushes
//! bodies apart and may bring energy; where it would bring more than the step takes, less of it is mended (`eased`). Joints
//! open in every step in which they turn and are always mended; what that brings is taken from the bodies on them (`brake.rs`).
//! With `keep_energy = false` overlaps are mended whatever it brings, but no faster than a body rises by their depth against gravity.
//! That holds for solutions. Sweeps that stop early see to it that impulses bring no energy beyond that without contact and what
//! overlaps ask for (`guarded`), and what an unsolved step would still gain is taken from its impulses (`calm.rs`).
//!
//! **Restitution** (an extension). Newton: a contact that closes within the step leaves with `e` times the speed at which it
//! came. Poisson: the problem of compression stops it, then its normal impulses act again, `e` times, without friction, and
//! the problem is solved anew.
//! ContactGeometry slower than what gravity does in two steps do not bounce.

mod assembly;
mod brake;
mod calm;
mod free;
mod kept;
mod options;
mod report;
mod solve;
mod spots;

pub use options::{DistanceMetric, GapRule, LcpOptions, RestitutionLaw};

use super::{Scheme, UnknownScheme};
use crate::contact::ContactGeometry;
use crate::discrete::{SolverStats, StepError, StepFailure};
use crate::force::{Bodies as Seen, BodyKinematics, ForceAccumulator};
use crate::joint::JointKind;
use crate::model::Model;
use crate::model::State;
use crate::rotation::{Turn, about, hat, tidied};
use crate::spatial::{Vec6, angular, linear};
use crate::step_record::{LcpSolveStats, StepRecord};
use crate::tree::System;
use assembly::{Assembly, Bodies, Pyramid};
use calm::Groups;
use free::Dof;
use kept::Last;
use percussion_geometry::Vec3;
use percussion_solve::Frictional;
use solve::Solvers;
use spots::{Spot, Spots};
use std::sync::Arc;

/// ContactGeometry that close more slowly than gravity makes them in so many steps do not bounce.
const SLOW: f64 = 2.0;
/// Gain of energy that is nothing, relative to kinetic energies and to what bodies gain in falling by their own size.
const GAIN: f64 = 1e-11;
/// How often less of the overlaps is mended before none is.
const EASINGS: usize = 5;

/// The scheme and its memory.
#[derive(Debug)]
pub struct Lcp {
    options: LcpOptions,
    contacts: Option<Arc<ContactGeometry>>,
    next: State,
    system: System,
    rates: Vec<f64>,
    /// Twists at the beginning, without impulses, and at the end of the step; wrenches of forces; by slot.
    before: Vec<Vec6>,
    flown: Vec<Vec6>,
    after: Vec<Vec6>,
    wrenches: Vec<Vec6>,
    dofs: Vec<Dof>,
    /// Farthest point of each body from its centre of mass, m.
    reaches: Vec<f64>,
    placements: Vec<BodyKinematics>,
    pulls: Vec<ForceAccumulator>,
    spots: Spots,
    offsets: Vec<f64>,
    bounces: Vec<bool>,
    assembly: Assembly,
    solvers: Solvers,
    last: Last,
    /// Impulses of the step: normal, and along the surface in N s, by spot; those of joints.
    normals: Vec<f64>,
    drags: Vec<Vec3>,
    equalities: Vec<f64>,
    solve: LcpSolveStats,
    transcript: StepRecord,
    /// Wrenches of normal impulses and of friction, by slot.
    pushes: Vec<[Vec6; 2]>,
    groups: Groups,
}

impl Lcp {
    /// For a model and a state of it.
    pub fn new(model: &Model, state: &State, options: &LcpOptions) -> Result<Self, UnknownScheme> {
        let hung = model.links.iter().find(|link| {
            let open = matches!(link.joint.kind, JointKind::Free | JointKind::Planar);
            !(open && link.parent.is_none())
        });
        if let Some(link) = hung {
            return Err(UnknownScheme::Tree { joint: link.joint.name.clone() });
        }
        options.check()?;
        let n = model.moving();
        Ok(Self {
            options: *options,
            contacts: model.contacts.clone(),
            next: state.clone(),
            system: System::default(),
            rates: vec![0.0; model.dofs],
            before: vec![Vec6::zeros(); n],
            flown: vec![Vec6::zeros(); n],
            after: vec![Vec6::zeros(); n],
            wrenches: vec![Vec6::zeros(); n],
            dofs: Vec::with_capacity(n),
            reaches: reaches(model),
            placements: vec![BodyKinematics::rest(); n],
            pulls: vec![ForceAccumulator::zero(); n],
            spots: Spots::default(),
            offsets: Vec::new(),
            bounces: Vec::new(),
            assembly: Assembly::default(),
            solvers: Solvers::default(),
            last: Last::default(),
            normals: Vec::new(),
            drags: Vec::new(),
            equalities: Vec::new(),
            solve: LcpSolveStats::default(),
            transcript: StepRecord::default(),
            pushes: vec![[Vec6::zeros(); 2]; n],
            groups: Groups::default(),
        })
    }

    /// The problem of the last step that had one: for libraries of problems.
    pub fn problem(&self) -> &Frictional {
        &self.assembly.problem
    }

    /// How the problem of the last step was solved.
    pub fn last_solve(&self) -> LcpSolveStats {
        self.solve
    }

    /// Velocities at the beginning, and without impulses.
    fn fly(&mut self, model: &Model, state: &State, h: f64) -> Result<(), (StepError, usize)> {
        if model.links.iter().all(|link| link.joint.kind == JointKind::Free) {
            for (slot, link) in model.links.iter().enumerate() {
                let (position, rotation) = (&state.positions[slot], &state.rotations[slot]);
                let momenta = &state.momenta[link.dofs()];
                self.before[slot] = free::twist_of(link, position, rotation, momenta);
            }
        } else {
            model.velocities_into(state, &mut self.system, &mut self.rates, &mut self.before);
        }
        for (slot, link) in model.links.iter().enumerate() {
            self.pulls[slot] =
                ForceAccumulator { force: model.gravity * link.mass, ..ForceAccumulator::zero() };
            if model.forces.is_empty() {
                continue;
            }
            let (rotation, t) = (&state.rotations[slot], &self.before[slot]);
            self.placements[slot] = BodyKinematics {
                position: state.positions[slot],
                frame: *rotation,
                velocity: linear(t),
                frame_rate: hat(&angular(t)) * rotation,
            };
        }
        let seen = Seen { first: 0, placements: &self.placements };
        for force in &model.forces {
            let error = |error| (StepError::Force(error), 0);
            force.pull(state.time, &seen, &mut self.pulls).map_err(error)?;
        }
        self.dofs.clear();
        for (slot, link) in model.links.iter().enumerate() {
            let rotation = &state.rotations[slot];
            let dof = Dof::new(link, rotation);
            let wrench = self.pulls[slot].wrench(rotation);
            let flown = free::flown(link, rotation, &dof, &self.before[slot], &wrench, h);
            self.flown[slot] = flown.map_err(|trouble| (trouble, slot))?;
            self.wrenches[slot] = wrench;
            self.dofs.push(dof);
        }
        Ok(())
    }

    /// Finds the spots of the step and what their distances ask of velocities.
    fn look(&mut self, model: &Model, state: &State, h: f64) -> Result<(), StepError> {
        let Some(contacts) = self.contacts.clone() else { return Ok(()) };
        self.spots.find(&contacts, state, &self.flown, &self.reaches, h, &self.options)?;
        let dofs = &self.dofs;
        // What nothing can move along is no constraint.
        self.spots.list.retain(|spot| {
            [0, 1].iter().any(|&side| {
                let part = [spot.pair.0, spot.pair.1][side];
                contacts.parts[part].slot.is_some_and(|slot| dofs[slot].feels(&spot.wrenches[side]))
            })
        });
        let slow = SLOW * h * model.gravity.norm();
        self.bounces.clear();
        for spot in &self.spots.list {
            let closes = || spot.distance + h * approach(&contacts, spot, &self.flown) < 0.0;
            let fast = || -approach(&contacts, spot, &self.before) * spot.metres > slow;
            self.bounces.push(spot.surface.restitution > 0.0 && closes() && fast());
        }
        Ok(())
    }

    /// What the distances ask of velocities, with a part of γ for those that are overlaps.
    fn ask(&mut self, model: &Model, h: f64, eased: f64) {
        let LcpOptions { gamma, restitution, gaps, keep_energy, .. } = self.options;
        let pull = model.gravity.norm();
        self.offsets.clear();
        for (k, spot) in self.spots.list.iter().enumerate() {
            let part = match (spot.distance < 0.0, gaps) {
                (true, _) => eased * gamma,
                (false, GapRule::Full) => 1.0,
                (false, GapRule::Gamma) => gamma,
            };
            let mut offset = part * spot.distance / h;
            // Whatever it costs is not whatever it flings.
            if !keep_energy && offset < 0.0 {
                offset = offset.max(-rise(pull, -spot.distance * spot.metres) / spot.metres);
            }
            // ContactGeometry that bounce do so where they are: what is left of a gap must not take from the rebound.
            if self.bounces[k] {
                let bound = match restitution {
                    RestitutionLaw::Newton => {
                        // The speed before, from the constraint's own row.
                        let contacts = self.contacts.as_deref();
                        let v0 = contacts.map_or(0.0, |contacts| approach(contacts, spot, &self.before));
                        spot.surface.restitution * v0
                    }
                    RestitutionLaw::Poisson => 0.0,
                };
                offset = offset.min(bound);
            }
            // The problem knows the bodies that forces move.
            self.offsets.push(offset + spot.carried);
        }
    }

    /// Impulses and velocities of the step, with a part of γ for overlaps.
    fn push(&mut self, model: &Model, state: &State, h: f64, eased: f64) -> Result<(), StepError> {
        self.ask(model, h, eased);
        let contacts = self.contacts.clone();
        let contacts = contacts.as_deref();
        let count = self.spots.list.len();
        self.normals.clear();
        self.normals.resize(count, 0.0);
        self.drags.clear();
        self.drags.resize(count, Vec3::zeros());
        self.after.copy_from_slice(&self.flown);
        self.respond(model, contacts, state, h, eased, true)?;
        let LcpOptions { restitution, .. } = self.options;
        let expands = self.bounces.iter().zip(&self.normals).any(|(bounces, c)| *bounces && *c > 0.0);
        if restitution == RestitutionLaw::Poisson && expands {
            let Some(contacts) = contacts else { return Ok(()) };
            for (k, spot) in self.spots.list.iter().enumerate() {
                if !self.bounces[k] {
                    continue;
                }
                let again = spot.surface.restitution * self.normals[k];
                self.normals[k] += again;
                for (side, part) in [spot.pair.0, spot.pair.1].into_iter().enumerate() {
                    if let Some(slot) = contacts.parts[part].slot {
                        let dof = &self.dofs[slot];
                        let mut v = dof.unknowns(&self.after[slot]);
                        let row = dof.row(&spot.wrenches[side]);
                        v.iter_mut().zip(row).zip(dof.inverse).for_each(|((v, r), w)| *v += again * r * w);
                        self.after[slot] = dof.twist(&v);
                    }
                }
            }
            let first = self.solve;
            self.respond(model, Some(contacts), state, h, eased, false)?;
            self.solve.iterations += first.iterations;
            self.solve.residual = self.solve.residual.max(first.residual);
            self.solve.converged &= first.converged;
            self.solve.guarded += first.guarded;
        }
        Ok(())
    }

    /// Solves the problem of the velocities in `after` and adds its impulses.
    fn respond(
        &mut self,
        model: &Model,
        contacts: Option<&ContactGeometry>,
        state: &State,
        h: f64,
        eased: f64,
        first: bool,
    ) -> Result<(), StepError> {
        let LcpOptions { gamma, facets, aligned, .. } = self.options;
        let bodies = Bodies { dofs: &self.dofs, flown: &self.after };
        let (spots, assembly) = (&self.spots.list, &mut self.assembly);
        let mend = (gamma / h, Pyramid { facets, aligned });
        assembly.write(model, contacts, state, spots, &self.offsets, &bodies, mend)?;
        // No members, or nothing that moves and nothing that is asked of it: no impulses.
        if assembly.problem.momentum_size() == 0.0 {
            let contacts = assembly.problem.contact_count();
            self.solve = LcpSolveStats {
                contacts,
                converged: true,
                eased: 1.0,
                calmed: 1.0,
                ..LcpSolveStats::default()
            };
            self.equalities.clear();
            return Ok(());
        }
        let width = |k: usize| assembly.tangents_of(k);
        let equalities = assembly.problem.equality_count();
        let start = self.last.start(contacts, spots, &assembly.tangents, width, equalities);
        let (solution, solve) = self.solvers.solve(&assembly.problem, start, &self.options)?;
        self.solve = LcpSolveStats { eased, ..solve };
        let impulses = &solution.impulses;
        for &(slot, at) in &assembly.members {
            let dof = &self.dofs[slot];
            self.after[slot] = dof.twist(&impulses.velocity[at..at + dof.count]);
        }
        for (k, spot) in spots.iter().enumerate() {
            self.normals[k] += impulses.normal[k];
            for t in assembly.tangents_of(k) {
                let along = impulses.facets[2 * t] - impulses.facets[2 * t + 1];
                self.drags[k] += assembly.tangents[t] * (along / spot.metres);
            }
        }
        if first {
            self.equalities.clone_from(&impulses.equality);
        }
        Ok(())
    }

    /// Energy that the step brings beyond the work of forces and what is nothing, J.
    fn gain(&self, model: &Model, h: f64) -> f64 {
        let (mut gain, mut size) = (0.0, 0.0);
        for &(slot, _) in &self.assembly.members {
            let link = &model.links[slot];
            let kinetic = |t: &Vec6| {
                let w = self.next.rotations[slot].tr_mul(&angular(t));
                0.5 * (link.mass * linear(t).norm_squared() + w.dot(&link.inertia.component_mul(&w)))
            };
            let (k0, k1) = (kinetic(&self.before[slot]), kinetic(&self.after[slot]));
            let work = h * self.wrenches[slot].dot(&self.after[slot]);
            gain += k1 - k0 - work;
            // A body at rest has the energy of falling by its own size to be compared with.
            size += k0 + k1 + work.abs() + linear(&self.wrenches[slot]).norm() * self.reaches[slot];
        }
        // What driven bodies do to others is work as well: they go on whatever it takes.
        for ((spot, c), drag) in self.spots.list.iter().zip(&self.normals).zip(&self.drags) {
            gain += c * spot.carried + drag.dot(&spot.wall);
        }
        gain - GAIN * size
    }

    /// The step itself; `next` is where the bodies were.
    fn advance(&mut self, model: &Model, state: &State, h: f64) -> Result<(), (StepError, usize)> {
        self.next.clone_from(state);
        self.fly(model, state, h)?;
        let here = |trouble: StepError| (trouble, 0);
        self.look(model, state, h).map_err(here)?;
        let keeps = self.options.keep_energy && self.options.gamma > 0.0;
        let mut eased = 1.0;
        for easing in 0..=EASINGS {
            self.push(model, state, h, eased).map_err(here)?;
            let mends = keeps && self.spots.list.iter().any(|spot| spot.distance < 0.0);
            if !mends || eased == 0.0 || self.gain(model, h) <= 0.0 {
                break;
            }
            eased = if easing + 1 < EASINGS { 0.5 * eased } else { 0.0 };
        }
        if keeps && self.assembly.opening > 0.0 {
            self.brake(model, state, h);
        }
        if self.options.keep_energy && !self.solve.converged {
            let contacts = self.contacts.clone();
            self.solve.calmed = self.calm(model, contacts.as_deref(), h);
        }
        let (normals, drags) = (&self.normals, &self.drags);
        let kept = |k: usize| (normals[k], drags[k]);
        self.last.keep(&self.spots.list, kept, &self.equalities);
        self.place(model, state, h);
        Ok(())
    }

    /// Moves the bodies and writes their momenta.
    fn place(&mut self, model: &Model, state: &State, h: f64) {
        let next = &mut self.next;
        for (slot, link) in model.links.iter().enumerate() {
            let (v, w) = (linear(&self.after[slot]), angular(&self.after[slot]));
            let mut position = state.positions[slot] + v * h;
            let mut rotation = state.rotations[slot];
            let joint = &link.joint;
            if joint.kind == JointKind::Planar {
                let (frame, arm) = (&joint.on_parent, &joint.on_child);
                let own = &mut next.coordinates[link.coordinates()];
                if let Some(angle) = own.get_mut(2) {
                    *angle += h * frame.axes.column(2).dot(&w);
                    rotation = frame.axes * about(&Vec3::z(), *angle) * arm.axes.transpose();
                }
                let hinge = frame.axes.tr_mul(&(position + rotation * arm.point - frame.point));
                (own[0], own[1]) = (hinge.x, hinge.y);
                // The plane is kept to rounding.
                let shift = Vec3::new(hinge.x, hinge.y, 0.0);
                position = frame.point + frame.axes * shift - rotation * arm.point;
            } else if !joint.particle {
                let turn = Turn::exp(&(state.rotations[slot].tr_mul(&w) * h));
                rotation = tidied(&(state.rotations[slot] * turn.matrix()));
            }
            // Angular velocity stays in body axes.
            let spin = rotation * state.rotations[slot].tr_mul(&w);
            next.positions[slot] = position;
            next.rotations[slot] = rotation;
            self.after[slot].fixed_rows_mut::<3>(3).copy_from(&spin);
        }
        next.time = state.time + h;
        next.steps = state.steps + 1;
        for (slot, link) in model.links.iter().enumerate() {
            if link.joint.kind == JointKind::Free {
                let (position, rotation) = (&next.positions[slot], &next.rotations[slot]);
                let momenta = &mut next.momenta[link.dofs()];
                free::momenta_of(link, position, rotation, &self.after[slot], momenta);
                continue;
            }
            let node = model.mass_node(next, slot, slot, link.dof);
            let wrench = node.block * self.after[slot];
            for (k, p) in next.momenta[link.dofs()].iter_mut().enumerate() {
                *p = node.motion0.column(k).dot(&wrench);
            }
        }
    }
}

/// Farthest point of the parts of each body from its centre of mass, or of its joints, m, by slot.
fn reaches(model: &Model) -> Vec<f64> {
    let mut reaches: Vec<f64> = vec![0.0; model.moving()];
    for closure in &model.closures {
        let ends =
            [(Some(closure.child), &closure.joint.on_child), (closure.parent, &closure.joint.on_parent)];
        for (slot, frame) in ends {
            if let Some(slot) = slot {
                reaches[slot] = reaches[slot].max(frame.point.norm());
            }
        }
    }
    for part in model.contacts.iter().flat_map(|contacts| &contacts.parts) {
        if let Some(slot) = part.slot {
            reaches[slot] = f64::max(reaches[slot], part.reach);
        }
    }
    reaches
}

/// Speed with which a body rises by a depth against gravity, m/s: no limit without gravity.
fn rise(gravity: f64, depth: f64) -> f64 {
    if gravity > 0.0 { (2.0 * gravity * depth).sqrt() } else { f64::INFINITY }
}

/// How fast the distance of a spot changes with given twists.
fn approach(contacts: &ContactGeometry, spot: &Spot, twists: &[Vec6]) -> f64 {
    let of = |part: usize, w: &Vec6| contacts.parts[part].slot.map_or(0.0, |slot| w.dot(&twists[slot]));
    of(spot.pair.0, &spot.wrenches[0]) + of(spot.pair.1, &spot.wrenches[1]) + spot.carried
}

impl Scheme for Lcp {
    fn name(&self) -> &'static str {
        "lcp"
    }

    fn order(&self) -> u32 {
        1
    }

    fn tolerances(&self) -> Vec<(&'static str, f64)> {
        vec![("complementarity", self.options.tolerance)]
    }

    fn step(&mut self, model: &Model, state: &mut State, h: f64) -> Result<SolverStats, StepFailure> {
        self.transcript.clear();
        let done = self.advance(model, state, h);
        if let Err((trouble, slot)) = done {
            let body =
                model.links.get(slot).map_or_else(String::new, |link| model.bodies[link.body].name.clone());
            return Err(StepFailure {
                step: state.steps,
                time: state.time,
                body,
                trouble,
                history: Vec::new(),
            });
        }
        self.report(model, state, h);
        std::mem::swap(state, &mut self.next);
        Ok(SolverStats { iterations: self.solve.iterations, decrement: self.solve.residual })
    }

    fn transcript(&self) -> Option<&StepRecord> {
        Some(&self.transcript)
    }

    fn steps_by_complementarity(&self) -> bool {
        true
    }

    fn memory(&self, out: &mut Vec<f64>) {
        self.last.write(out);
    }

    fn recall(&mut self, numbers: &[f64]) -> bool {
        self.last.read(numbers)
    }
}
