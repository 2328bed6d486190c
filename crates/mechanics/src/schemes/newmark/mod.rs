//! Newmark's family of schemes [Johnson 3.3], explicit and implicit, in the degrees of freedom of the tree.
//!
//! ```text
//! q1 = q0 moved by h ν0 + h²/2 [(1-2β) a0 + 2β a1]          ν1 = ν0 + h [(1-γ) a0 + γ a1]
//! a  = Mred⁻¹ (Pᵀ F - bias)                                 forward dynamics at both ends
//! ```
//!
//! Rates are those of the degrees of freedom; turns are increments in the axes of the parent-side frame, `exp` of the bracket from the
//! left. The state carries momenta, so rates follow from them at the start of a step and return to them at its end. `a1`
//! depends on `ν1` through bias and damping even where `β = 0`: it is iterated to rounding with the matrix
//! `Mred + γh C + βh² K`.
//!
//! A rigid body without parent and children is treated as Krysl and Endres do: its spatial angular
//! momentum is advanced by the same rule, `π1 = π0 + h [(1-γ) τ0 + γ τ1]`, and its angular velocity follows; without torque the
//! momentum stays bitwise identical.
//!
//! Loops are kept by multipliers on accelerations, and after the step positions and rates are projected to the constraint
//! manifold of the loops, in the metric of the masses. The projection moves by `h³`, less than the error of the scheme.
//!
//! Nothing here is symplectic: momenta about supports and energy drift as schemes of second order drift.

mod dynamics;
mod update;

use super::{Scheme, SchemeError, SchemeKind};
use crate::discrete::{SolverStats, StepError, StepFailure};
use crate::force::{ForceError, Weights};
use crate::joint::JointIncrement;
use crate::model::State;
use crate::model::{Island, Model};
use crate::rotation::RodriguesVector;
use crate::spatial::angular;
use crate::tolerances::RODRIGUES_MAX;
use crate::tolerances::{LOOP_CLOSURE, NEWMARK_DECREMENT, NEWMARK_NOISE};
use crate::tree::Singular;
use dynamics::Dynamics;
use percussion_geometry::Vec3;
use update::{Family, Spin};

/// Iterations after which there is no solution nearby.
const MOST_ITERATIONS: usize = 60;
/// Most projections of the positions; they converge quadratically.
const MOST_PROJECTIONS: usize = 8;

/// A scheme of Newmark's family with its workspace.
#[derive(Clone, Debug)]
pub struct Newmark {
    family: Family,
    next: State,
    dynamics: Dynamics,
    /// Free rigid bodies without anything on them, by slot.
    free_bodies: Vec<bool>,
    size: f64,
    rates0: Vec<f64>,
    a0: Vec<f64>,
    rates: Vec<f64>,
    a: Vec<f64>,
    r: Vec<f64>,
    d: Vec<f64>,
    steps: Vec<JointIncrement>,
    spins: Vec<Spin>,
    joint_frames0: Vec<crate::joint::JointFrame>,
    history: Vec<f64>,
}

impl Newmark {
    /// `β = 0`, `γ = 1/2`: explicit in positions.
    pub fn explicit(model: &Model, state: &State) -> Self {
        Self::of(Family { beta: 0.0, gamma: 0.5 }, model, state)
    }

    /// `β = 1/4`, `γ = 1/2`: the trapezoidal rule.
    pub fn implicit(model: &Model, state: &State) -> Self {
        Self::of(Family { beta: 0.25, gamma: 0.5 }, model, state)
    }

    /// Any `β` in [0, 1/2] and `γ` in [0, 1].
    pub fn new(beta: f64, gamma: f64, model: &Model, state: &State) -> Result<Self, SchemeError> {
        for (symbol, value, most) in [("beta", beta, 0.5), ("gamma", gamma, 1.0)] {
            if !(0.0..=most).contains(&value) {
                return Err(SchemeError::Weight { symbol, value, least: 0.0, most });
            }
        }
        Ok(Self::of(Family { beta, gamma }, model, state))
    }

    fn of(family: Family, model: &Model, state: &State) -> Self {
        let mut next = state.clone();
        next.momenta.resize(model.dofs, 0.0);
        Self {
            family,
            next,
            dynamics: Dynamics::default(),
            free_bodies: update::free_bodies(model),
            size: model.size(state),
            rates0: Vec::new(),
            a0: Vec::new(),
            rates: Vec::new(),
            a: Vec::new(),
            r: Vec::new(),
            d: Vec::new(),
            steps: Vec::new(),
            spins: Vec::new(),
            joint_frames0: Vec::new(),
            history: Vec::with_capacity(MOST_ITERATIONS),
        }
    }

    fn begin(&mut self, model: &Model, island: &Island) {
        let n = island.dofs.len();
        for list in [&mut self.rates0, &mut self.a0, &mut self.rates, &mut self.a, &mut self.r, &mut self.d] {
            list.clear();
            list.resize(n, 0.0);
        }
        self.steps.clear();
        self.steps.resize(island.bodies.len(), JointIncrement::zero());
        self.spins.clear();
        self.spins.resize(island.bodies.len(), Spin::default());
        self.history.clear();
        self.dynamics.begin(model, island);
    }

    fn advance(
        &mut self,
        model: &Model,
        island: &Island,
        state: &State,
        h: f64,
    ) -> Result<SolverStats, (StepError, usize)> {
        let force = |error: ForceError| (StepError::Force(error), 0);
        let singular = |error: Singular| (StepError::Singular, error.slot);
        self.begin(model, island);
        self.start(model, island, state)?;
        let t = state.time + h;
        let implicit = self.family.beta != 0.0;
        let weights = self.family.weights(h);
        let mut stats = SolverStats::default();
        loop {
            stats.iterations += 1;
            let first = stats.iterations == 1;
            if first || implicit {
                self.move_bodies(model, island, state, h);
            }
            if first {
                self.carry_rods(model, island);
            }
            self.set_rates(model, island, h);
            let coordinates = &self.next.coordinates[island.coordinates.clone()];
            let dynamics = &mut self.dynamics;
            dynamics.set_rates(model, island, &self.rates);
            dynamics.evaluate_forces(model, island, t).map_err(force)?;
            dynamics.residual(model, island, t, (coordinates, &self.rates), &self.a, &mut self.r);
            if first || implicit {
                let free_bodies = &self.free_bodies[island.bodies.clone()];
                let by_rates = |i: usize| !free_bodies[i];
                dynamics
                    .linearise(model, island, t, (coordinates, &self.rates), weights, by_rates)
                    .map_err(force)?;
                dynamics.factor(model, island).map_err(singular)?;
            }
            dynamics.correct(model, island, &self.r, &mut self.d);
            self.a.iter_mut().zip(&self.d).for_each(|(a, d)| *a += d);
            let turned = self.turn_spins(model, island);
            let moved = self.dynamics.kinetic_norm(model, island, &self.d);
            let decrement = h * h * (moved + turned) / self.scale(model, island, h);
            let last = self.history.last().copied().unwrap_or(f64::INFINITY);
            self.history.push(decrement);
            if !decrement.is_finite() {
                return Err((StepError::NotFinite, 0));
            }
            if decrement <= NEWMARK_DECREMENT || (decrement <= NEWMARK_NOISE && decrement >= last) {
                stats.decrement = decrement;
                break;
            }
            if stats.iterations >= MOST_ITERATIONS {
                return Err((StepError::NoConvergence, 0));
            }
        }
        self.finish(model, island, state, h).map_err(singular)?;
        self.check(island)?;
        Ok(stats)
    }

    /// Rates and accelerations at the start.
    fn start(&mut self, model: &Model, island: &Island, state: &State) -> Result<(), (StepError, usize)> {
        let singular = |error: Singular| (StepError::Singular, error.slot);
        let (bodies, t) = (island.bodies.clone(), state.time);
        let coordinates = &state.coordinates[island.coordinates.clone()];
        let dynamics = &mut self.dynamics;
        let (x, r) = (&state.positions[bodies.clone()], &state.rotations[bodies.clone()]);
        dynamics.configure(model, island, x, r, coordinates);
        self.joint_frames0.clear();
        self.joint_frames0.extend_from_slice(&dynamics.joint_frames);
        dynamics.factor(model, island).map_err(singular)?;
        let momenta = &state.momenta[island.dofs.clone()];
        dynamics.solve_tree(model, island, momenta, &mut self.rates0);
        dynamics.set_rates(model, island, &self.rates0);
        dynamics.evaluate_forces(model, island, t).map_err(|error| (StepError::Force(error), 0))?;
        dynamics.residual(model, island, t, (coordinates, &self.rates0), &self.a0, &mut self.r);
        dynamics.correct(model, island, &self.r, &mut self.d);
        self.a0.copy_from_slice(&self.d);
        self.a.copy_from_slice(&self.d);
        for (i, slot) in bodies.enumerate() {
            if self.free_bodies[slot] {
                let at = model.links[slot].dof + 3;
                let momentum = Vec3::new(state.momenta[at], state.momenta[at + 1], state.momenta[at + 2]);
                let torque = self.torque(i);
                self.spins[i] = Spin { momentum, torque0: torque, torque1: torque };
            }
        }
        Ok(())
    }

    /// The torque about the centre of mass of the body in a place, in the axes of its joint.
    fn torque(&self, i: usize) -> Vec3 {
        let world = angular(&self.dynamics.accumulators[i].wrench(&self.dynamics.rotations[i]));
        self.joint_frames0[i].parent.axes.tr_mul(&world)
    }

    /// Moves the bodies to the end of the step for the present accelerations.
    fn move_bodies(&mut self, model: &Model, island: &Island, state: &State, h: f64) {
        for (i, link) in model.links[island.bodies.clone()].iter().enumerate() {
            let range = link.dof - island.dofs.start..link.dofs().end - island.dofs.start;
            let (rates, a0, a1) = (&self.rates0[range.clone()], &self.a0[range.clone()], &self.a[range]);
            let (from, to) = (&self.joint_frames0[i], &self.dynamics.joint_frames[i]);
            self.steps[i] = self.family.step(&link.joint, (from, to), rates, (a0, a1), h);
        }
        self.place(model, island, state);
    }

    /// Computes the poses of the bodies from their joints.
    fn place(&mut self, model: &Model, island: &Island, state: &State) {
        let b0 = island.bodies.start;
        for (i, slot) in island.bodies.clone().enumerate() {
            let link = &model.links[slot];
            let own = &mut self.next.coordinates[link.coordinates()];
            own.copy_from_slice(&state.coordinates[link.coordinates()]);
            link.joint.advance_coordinates(&self.steps[i], own);
            let frame = match link.parent {
                Some(p) => link.joint.parent_frame.on(&self.next.positions[p], &self.next.rotations[p]),
                None => link.joint.parent_frame,
            };
            let (position, rotation) =
                link.joint.child_pose(&self.joint_frames0[i], &frame, &self.steps[i], own);
            self.next.positions[b0 + i] = position;
            self.next.rotations[b0 + i] = rotation;
        }
        let bodies = island.bodies.clone();
        let (x, r) = (&self.next.positions[bodies.clone()], &self.next.rotations[bodies]);
        let coordinates = &self.next.coordinates[island.coordinates.clone()];
        self.dynamics.configure(model, island, x, r, coordinates);
    }

    /// The accelerations of the start, a first guess of those of the end, in the columns of the end.
    fn carry_rods(&mut self, model: &Model, island: &Island) {
        for (i, link) in model.links[island.bodies.clone()].iter().enumerate() {
            let first = link.dof - island.dofs.start;
            let (from, to) = (&self.joint_frames0[i], &self.dynamics.joint_frames[i]);
            update::transport_rod_components(&link.joint, from, to, &mut self.a[first..]);
        }
    }

    /// Rates at the end for the present accelerations.
    fn set_rates(&mut self, model: &Model, island: &Island, h: f64) {
        for (i, slot) in island.bodies.clone().enumerate() {
            let link = &model.links[slot];
            let range = link.dof - island.dofs.start..link.dofs().end - island.dofs.start;
            let (from, to) = (&self.joint_frames0[i], &self.dynamics.joint_frames[i]);
            let known = (&self.rates0[range.clone()], &self.a0[range.clone()], &self.a[range.clone()]);
            let rates = &mut self.rates[range];
            self.family.rates(&link.joint, from, to, known, h, rates);
            if self.free_bodies[slot] {
                let momentum = self.family.momentum(&self.spins[i], h);
                let axes = to.parent.axes.tr_mul(&self.dynamics.rotations[i]);
                let spin = axes * axes.tr_mul(&momentum).component_div(&link.inertia);
                rates[3..].copy_from_slice(spin.as_slice());
            }
        }
    }

    /// Copies the torques at the end; returns the energy of their changes per unit of time squared.
    fn turn_spins(&mut self, model: &Model, island: &Island) -> f64 {
        let mut change = 0.0;
        for (i, slot) in island.bodies.clone().enumerate() {
            if self.free_bodies[slot] {
                let torque = self.torque(i);
                let moved = (torque - self.spins[i].torque1) * self.family.gamma;
                change += moved.norm_squared() / model.links[slot].inertia.min();
                self.spins[i].torque1 = torque;
            }
        }
        change
    }

    /// The energy that decrements are relative to: kinetic energy, and its change by forces in the step.
    fn scale(&self, model: &Model, island: &Island, h: f64) -> f64 {
        let mut scale = f64::MIN_POSITIVE;
        for (i, link) in model.links[island.bodies.clone()].iter().enumerate() {
            let (twist, applied) = (&self.dynamics.twists[i], &self.dynamics.accumulators[i]);
            let velocity = twist.fixed_rows::<3>(0).norm() + h.abs() * applied.force.norm() / link.mass;
            scale += link.mass * velocity * velocity;
            let (j, r) = (link.inertia.min(), &self.dynamics.rotations[i]);
            if j > 0.0 {
                let spin = angular(twist).norm() + h.abs() * angular(&applied.wrench(r)).norm() / j;
                scale += j * spin * spin;
            }
        }
        scale
    }

    /// Refuses a step that turned too far to mean anything, or has no numbers.
    fn check(&self, island: &Island) -> Result<(), (StepError, usize)> {
        let far = |turn: &RodriguesVector| !(turn.0.norm() <= RODRIGUES_MAX);
        if let Some(i) = self.steps.iter().position(|step| far(&step.turn) || far(&step.swing)) {
            return Err((StepError::TurnsTooFar, i));
        }
        let finite = self.next.momenta[island.dofs.clone()].iter().all(|p| p.is_finite())
            && self.next.positions[island.bodies.clone()].iter().all(|x| x.iter().all(|x| x.is_finite()));
        if finite { Ok(()) } else { Err((StepError::NotFinite, 0)) }
    }

    /// Closes the loops and writes the momenta.
    fn finish(&mut self, model: &Model, island: &Island, state: &State, h: f64) -> Result<(), Singular> {
        // With the torques and accelerations of the last iteration.
        self.set_rates(model, island, h);
        if self.dynamics.loops.rows > 0 {
            for _ in 0..MOST_PROJECTIONS {
                self.dynamics.set_mass(model, island);
                self.dynamics.factor(model, island)?;
                let open = self.dynamics.loop_correction(&mut self.d);
                if open <= LOOP_CLOSURE * self.size {
                    break;
                }
                for (i, link) in model.links[island.bodies.clone()].iter().enumerate() {
                    let range = link.dof - island.dofs.start..link.dofs().end - island.dofs.start;
                    self.steps[i] =
                        link.joint.incremented(&self.joint_frames0[i], &self.steps[i], &self.d[range]);
                }
                self.place(model, island, state);
            }
            self.dynamics.set_mass(model, island);
            self.dynamics.factor(model, island)?;
            self.dynamics.project(&mut self.rates);
        }
        self.dynamics.set_rates(model, island, &self.rates);
        let momenta = &mut self.next.momenta[island.dofs.clone()];
        self.dynamics.momenta(model, island, momenta);
        for (i, slot) in island.bodies.clone().enumerate() {
            if self.free_bodies[slot] {
                let momentum = self.family.momentum(&self.spins[i], h);
                let at = model.links[slot].dof + 3;
                self.next.momenta[at..at + 3].copy_from_slice(momentum.as_slice());
            }
        }
        Ok(())
    }
}

impl Scheme for Newmark {
    fn kind(&self) -> SchemeKind {
        if self.family.beta == 0.0 { SchemeKind::NewmarkExplicit } else { SchemeKind::NewmarkImplicit }
    }

    fn order(&self) -> u32 {
        if self.family.gamma == 0.5 { self.kind().capabilities().order } else { 1 }
    }

    fn tolerances(&self) -> Vec<(&'static str, f64)> {
        vec![
            ("newton_decrement", NEWMARK_DECREMENT),
            ("newton_noise", NEWMARK_NOISE),
            ("loop_closure", LOOP_CLOSURE),
        ]
    }

    fn step(&mut self, model: &Model, state: &mut State, h: f64) -> Result<SolverStats, StepFailure> {
        let mut stats = SolverStats::default();
        for island in &model.islands {
            let one = self.advance(model, island, state, h).map_err(|(error, node)| StepFailure {
                step: state.steps,
                time: state.time,
                body: model.bodies[model.links[island.bodies.start + node].body].name.clone(),
                error,
                history: self.history.clone(),
            })?;
            stats = stats.merge(one);
        }
        self.next.time = state.time + h;
        self.next.steps = state.steps + 1;
        std::mem::swap(state, &mut self.next);
        Ok(stats)
    }
}

impl Family {
    /// Shares of a change of acceleration in positions and rates.
    fn weights(&self, h: f64) -> Weights {
        Weights { position: self.beta * h * h, velocity: self.gamma * h }
    }
}
