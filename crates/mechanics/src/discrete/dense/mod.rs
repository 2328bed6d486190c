//! One step of one island in redundant coordinates: the forms of the scheme that exist to be compared with.
//!
//! ```text
//! multipliers [Johnson 3.8]    p̂ = -D1 L_d + h G0ᵀ λ,  g(q1) = 0      unknown q1 and λ
//! projected   [Johnson 3.12]   P0ᵀ (p̂ + D1 L_d) = 0,   g(q1) = 0      unknown q1
//! ```
//!
//! `p̂` is a redundant momentum of the start: `M P Mred⁻¹ p` from the reduced one [3.20] in the (q, p) form, `D2 L_d` of the
//! interval before in the (q, q) form. The two differ by a multiple of `Gᵀ`, which shifts `λ` and moves nothing.
//!
//! The unknown is the *increment* of the coordinates: every constraint is a product of two linear functions, so
//! `g(q1) - g(q0) = G((q0+q1)/2) (q1 - q0)` exactly, and a small step loses no digits. Matrices are dense. Loops that say the
//! same twice are the rule; a choice of independent rows is made at the start of the step, the others have multiplier zero.

mod matrix;

use super::directors::{Directors, Moved};
use super::independent_rows::Independent;
use super::loops::End;
use super::newton::MOST_ITERATIONS;
use super::reconstruction::turn_of_change;
use super::{
    IslandStateMut, Newton, SolverStats, StepError, StepFailure, free_rotation::momentum_of_rotation,
};
use crate::force::{Bodies, BodyKinematics, ForceAccumulator, ForceError};
use crate::joint::{Displacement, LinearForm};
use crate::model::{Island, Model, State};
use crate::rotation::{Mat3, hat};
use crate::spatial::{angular, linear};
use crate::tolerances::{NEWTON_DECREMENT, NEWTON_NOISE};
use percussion_geometry::Vec3;
use percussion_solve::Lu;

/// Which equations are solved.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Redundant {
    /// With multipliers [Johnson 3.8].
    #[default]
    Multipliers,
    /// With the null-space matrix in front [Johnson 3.12].
    Projected,
}

/// Workspace for steps in redundant coordinates.
#[derive(Clone, Debug, Default)]
pub struct Dense {
    kind: Redundant,
    newton: Newton,
    directors: Directors,
    independent: Independent,
    lu: Lu,
    /// `q1 - q0`.
    delta: Vec<f64>,
    /// `p̂`.
    momentum: Vec<f64>,
    reduced: Vec<f64>,
    residual: Vec<f64>,
    multipliers: Vec<f64>,
    /// `g(q0)` of the loops.
    loops_before: Vec<f64>,
    /// Rows that are enforced.
    kept: Vec<usize>,
    values: Vec<f64>,
    g0: Vec<f64>,
    g1: Vec<f64>,
    /// `-D2 D1 L_d`, row by row.
    tangent: Vec<f64>,
    /// `P0` times the null space of the loops, by columns.
    null: Vec<f64>,
    rhs: Vec<f64>,
    left: Vec<f64>,
    right: Vec<f64>,
    forms: Vec<LinearForm>,
    positions: Vec<Vec3>,
    frames: Vec<Mat3>,
    history: Vec<f64>,
}

impl Dense {
    /// Workspace for any island of a model.
    pub fn new(kind: Redundant, model: &Model, state: &State) -> Self {
        let mut directors = Directors::default();
        let mut largest = 0;
        for island in &model.islands {
            directors.begin(model, island, state);
            let rows = if kind == Redundant::Multipliers { directors.rows } else { 0 };
            largest = largest.max(directors.size + rows);
        }
        Self {
            kind,
            directors,
            lu: Lu::new(largest),
            rhs: Vec::with_capacity(largest),
            history: Vec::with_capacity(MOST_ITERATIONS),
            ..Self::default()
        }
    }

    /// Multipliers of the last step: body by body the six of its directors (none for a particle) and those of its joint's
    /// rows, then those of the loops.
    pub fn multipliers(&self) -> &[f64] {
        &self.multipliers
    }

    /// One step of an island, in the (q, q) form where the state before this one is given.
    pub fn step(
        &mut self,
        model: &Model,
        island: &Island,
        before: Option<&State>,
        state: &State,
        h: f64,
        end: IslandStateMut,
    ) -> Result<SolverStats, StepFailure> {
        self.history.clear();
        self.attempt(model, island, before, state, h, end).map_err(|(error, node)| StepFailure {
            step: state.steps,
            time: state.time,
            body: model.bodies[model.links[island.bodies.start + node].body].name.clone(),
            error,
            history: self.history.clone(),
        })
    }

    fn attempt(
        &mut self,
        model: &Model,
        island: &Island,
        before: Option<&State>,
        state: &State,
        h: f64,
        end: IslandStateMut,
    ) -> Result<SolverStats, (StepError, usize)> {
        let t = state.time + 0.5 * h;
        let force = |error: ForceError| (StepError::Force(error), 0);
        self.begin(model, island, before, state, h)?;
        let mut stats = SolverStats::default();
        loop {
            stats.iterations += 1;
            self.place(model, island, state, h);
            self.evaluate_forces(model, island, t).map_err(force)?;
            self.set_residual(model, island, state, t, h);
            self.set_rows(model, island);
            self.set_tangent(model, island, state, t, h).map_err(force)?;
            self.correct(h).ok_or((StepError::Singular, 0))?;
            let moved: f64 = self.directors.mass.iter().zip(&self.rhs).map(|(m, d)| m * d * d).sum();
            let decrement = moved / h.abs() / self.newton.action(model, island, h);
            let last = self.history.last().copied().unwrap_or(f64::INFINITY);
            self.history.push(decrement);
            if !decrement.is_finite() {
                return Err((StepError::NotFinite, 0));
            }
            if decrement <= NEWTON_DECREMENT || (decrement <= NEWTON_NOISE && decrement >= 0.1 * last) {
                stats.decrement = decrement;
                break;
            }
            if stats.iterations >= MOST_ITERATIONS {
                return Err((StepError::NoConvergence, 0));
            }
        }
        self.place(model, island, state, h);
        self.newton.interval.set_increments_from_displacements(model, island);
        self.newton.finish(model, island, state, h, end).map_err(force)?;
        Ok(stats)
    }

    /// Reads the start: coordinates, momentum, constraints, the rows to enforce, and a first guess.
    fn begin(
        &mut self,
        model: &Model,
        island: &Island,
        before: Option<&State>,
        state: &State,
        h: f64,
    ) -> Result<(), (StepError, usize)> {
        let range = island.bodies.clone();
        self.directors.begin(model, island, state);
        let (n, m, dofs) = (self.directors.size, self.directors.rows, island.dofs.len());
        for (list, len) in [
            (&mut self.delta, n),
            (&mut self.momentum, n),
            (&mut self.residual, n),
            (&mut self.left, n),
            (&mut self.right, n),
            (&mut self.reduced, dofs),
            (&mut self.multipliers, m),
            (&mut self.values, m),
            (&mut self.g0, m * n),
            (&mut self.g1, m * n),
            (&mut self.tangent, n * n),
        ] {
            list.clear();
            list.resize(len, 0.0);
        }
        let (x, r) = (&state.positions[range.clone()], &state.rotations[range.clone()]);
        self.directors.gradients(model, island, x, r, &mut self.g0);
        match before {
            Some(before) => self.momentum_of_interval(model, island, before, state, h)?,
            None => self.reduced.copy_from_slice(&state.momenta[island.dofs.clone()]),
        }
        let singular = |error: crate::tree::Singular| (StepError::Singular, error.slot);
        self.newton.begin(model, island, state, &self.reduced, h).map_err(singular)?;
        if before.is_none() {
            for (i, rotation) in r.iter().enumerate() {
                let twist = &self.newton.interval.twists[i];
                let moved = Moved { shift: linear(twist), frame: hat(&angular(twist)) * rotation };
                self.directors.set(i, &moved, &mut self.momentum);
            }
            self.momentum.iter_mut().zip(&self.directors.mass).for_each(|(p, m)| *p *= m);
        }
        self.loops_before.clear();
        self.loops_before.extend_from_slice(&self.newton.loops.values);
        self.choose_rows(dofs);
        if self.kind == Redundant::Projected {
            self.set_null(island, r);
        }
        // The guess moves on the manifold.
        self.newton
            .interval
            .evaluate(model, island, state, state.time + 0.5 * h, h)
            .map_err(|error| (StepError::Force(error), 0))?;
        for (i, rotation) in r.iter().enumerate() {
            let change = &self.newton.interval.displacements[i];
            let moved = Moved { shift: change.shift, frame: change.turn.moves_frame(rotation) };
            self.directors.set(i, &moved, &mut self.delta);
        }
        Ok(())
    }

    /// `p̂ = D2 L_d` of the interval before, and the reduced momentum it amounts to.
    fn momentum_of_interval(
        &mut self,
        model: &Model,
        island: &Island,
        before: &State,
        state: &State,
        h: f64,
    ) -> Result<(), (StepError, usize)> {
        let it = &mut self.newton.interval;
        it.reconstruct(model, island, before, state, h).map_err(|error| (StepError::Force(error), 0))?;
        it.covectors(End::After, model, island, before, (before.time + 0.5 * h, h), &mut self.forms);
        it.set_end_columns(model, island, before);
        for (i, form) in self.forms.iter().enumerate() {
            self.directors.put(i, form, &mut self.momentum);
            it.wrenches[i] = form.on_twists(&it.rotations[i]);
        }
        it.system.reduce_at_end(&mut it.wrenches, &mut self.reduced);
        Ok(())
    }

    fn choose_rows(&mut self, dofs: usize) {
        let fixed = self.directors.rows - self.directors.loop_rows;
        self.independent.choose(&self.newton.loops.before, dofs);
        self.kept.clear();
        self.kept.extend(0..fixed);
        self.kept.extend(self.independent.chosen.iter().map(|k| fixed + k));
    }

    /// `P0 Z`, with `Z` spanning the rates that loops leave free.
    fn set_null(&mut self, island: &Island, rotations: &[Mat3]) {
        let (n, dofs) = (self.directors.size, island.dofs.len());
        self.independent.complete(dofs);
        let it = &mut self.newton.interval;
        self.null.clear();
        self.null.resize(self.independent.complement.len() / dofs.max(1) * n, 0.0);
        let rates = self.independent.complement.chunks_exact(dofs.max(1));
        for (rates, column) in rates.zip(self.null.chunks_exact_mut(n.max(1))) {
            // The columns of the end are still those of the beginning: nothing has been linearised.
            it.system.expand(rates, &mut it.twists);
            for (i, rotation) in rotations.iter().enumerate() {
                let twist = &it.twists[i];
                let moved = Moved { shift: linear(twist), frame: hat(&angular(twist)) * rotation };
                self.directors.set(i, &moved, column);
            }
        }
    }

    /// Placements at the end and at the middle, from the increment.
    fn place(&mut self, model: &Model, island: &Island, state: &State, h: f64) {
        let it = &mut self.newton.interval;
        let n = island.bodies.len();
        self.positions.resize(n, Vec3::zeros());
        self.frames.resize(n, Mat3::identity());
        for (i, slot) in island.bodies.clone().enumerate() {
            let (x0, r0) = (&state.positions[slot], &it.rotations0[i]);
            let moved = self.directors.moved(&self.delta, i);
            it.positions[i] = x0 + moved.shift;
            it.rotations[i] = r0 + moved.frame;
            let turn = turn_of_change(r0, &moved.frame);
            it.displacements[i] = Displacement { shift: moved.shift, turn };
            it.spins[i] = r0 * momentum_of_rotation(&model.links[slot].inertia, &r0.tr_mul(&turn.0)) / h;
            it.placements[i] = BodyKinematics {
                position: x0 + moved.shift * 0.5,
                frame: r0 + moved.frame * 0.5,
                velocity: moved.shift / h,
                frame_rate: moved.frame / h,
            };
            self.positions[i] = it.placements[i].position;
            self.frames[i] = it.placements[i].frame;
        }
        if !island.joint_forces.is_empty() {
            it.set_increments_from_displacements(model, island);
        }
    }

    fn evaluate_forces(&mut self, model: &Model, island: &Island, t: f64) -> Result<(), ForceError> {
        let it = &mut self.newton.interval;
        for (applied, link) in it.accumulators.iter_mut().zip(&model.links[island.bodies.clone()]) {
            *applied = ForceAccumulator { force: model.gravity * link.mass, ..ForceAccumulator::zero() };
        }
        let bodies = Bodies { first: island.bodies.start, kinematics: &it.placements };
        for force in &model.forces[island.forces.clone()] {
            force.add_forces(t, &bodies, &mut it.accumulators)?;
        }
        Ok(())
    }

    /// `-D1 L_d - p̂ + h G0ᵀ λ`.
    fn set_residual(&mut self, model: &Model, island: &Island, state: &State, t: f64, h: f64) {
        let it = &self.newton.interval;
        it.force_covectors(End::Before, model, island, state, (t, h), &mut self.forms);
        let known = self.directors.mass.iter().zip(&self.delta).zip(&self.momentum);
        for (r, ((m, d), p)) in self.residual.iter_mut().zip(known) {
            *r = m * d / h - p;
        }
        for (i, form) in self.forms.iter().enumerate() {
            self.directors.put(i, form, &mut self.residual);
        }
        let n = self.directors.size;
        for (row, factor) in self.g0.chunks_exact(n.max(1)).zip(&self.multipliers) {
            self.residual.iter_mut().zip(row).for_each(|(r, g)| *r += h * factor * g);
        }
    }

    /// `g(q1)` and its derivative.
    fn set_rows(&mut self, model: &Model, island: &Island) {
        let n = self.directors.size;
        self.directors.gradients(model, island, &self.positions, &self.frames, &mut self.g1);
        for (value, row) in self.values.iter_mut().zip(self.g1.chunks_exact(n.max(1))) {
            *value = row.iter().zip(&self.delta).map(|(g, d)| g * d).sum();
        }
        // Poses follow from joints after every step, not from loops: the violation of loops is removed now.
        let fixed = self.directors.rows - self.directors.loop_rows;
        self.values[fixed..].iter_mut().zip(&self.loops_before).for_each(|(v, g)| *v += g);
        let it = &self.newton.interval;
        self.directors.gradients(model, island, &it.positions, &it.rotations, &mut self.g1);
    }
}
