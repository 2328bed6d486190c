//! The equations of one island over one step with given contact impulses at both of its ends, linearised and solved.
//!
//! ```text
//! begin            start configuration; first guess
//! repeat
//!   linearise      r = p⁻(q0, q1) - p0 - c⁺ + h B0ᵀ λ,  J = ∂p⁻/∂q1, loops       c⁺ = P0ᵀ Σ w, contact impulses at the start
//!   free_correction   d = -K⁻¹ r          K⁻¹: J⁻¹ on the displacements that keep the loops closed
//!   solve_column      K⁻¹ P0ᵀ w           displacement by a contact impulse
//!   correct        with other contact impulses, q1 moved by the correction
//! end              p = p⁺(q0, q1), projected on the loops; mass matrix of the end
//!   solve_end      M1⁻¹ P1ᵀ w             velocity by a contact impulse at the end
//! ```

use super::loops::Loops;
use super::newton::{Newton, StepError, solve_linear};
use super::{Interval, IslandStateMut};
use crate::model::{Island, Model, State};
use crate::spatial::{Vec6, twist};
use crate::tolerances::POSITION_ROUNDING;
use percussion_geometry::Vec3;

/// Workspace of one island.
#[derive(Clone, Debug, Default)]
pub struct IslandStep {
    newton: Newton,
    /// Contact impulses at the start in the degrees of freedom.
    contact_impulses: Vec<f64>,
    /// Rates of the degrees of freedom at the start.
    rates: Vec<f64>,
}

impl IslandStep {
    /// Reads the start of a step. First guess: the island moves on with the velocities of its momenta.
    pub fn begin(&mut self, model: &Model, island: &Island, state: &State, h: f64) -> Result<(), StepError> {
        let p0 = &state.momenta[island.dofs.clone()];
        self.contact_impulses.clear();
        self.contact_impulses.resize(p0.len(), 0.0);
        self.newton.begin(model, island, state, p0, h)?;
        self.rates.clear();
        self.rates.extend(self.newton.d.iter().map(|d| d / h));
        Ok(())
    }

    /// Rates of the degrees of freedom at the start.
    pub fn initial_rates(&self) -> &[f64] {
        &self.rates
    }

    /// Takes initial contact impulses: the first guess moves on with them and with gravity. Directly after [`IslandStep::begin`].
    pub fn add_initial_impulses(&mut self, model: &Model, island: &Island, h: f64, impulses: &[f64]) {
        self.contact_impulses.copy_from_slice(impulses);
        let Newton { interval, d, z, .. } = &mut self.newton;
        for (wrench, link) in interval.wrenches.iter_mut().zip(&model.links[island.bodies.clone()]) {
            *wrench = twist(&(model.gravity * (0.5 * h * link.mass)), &Vec3::zeros());
        }
        interval.system.reduce(&mut interval.wrenches, z);
        z.iter_mut().zip(impulses).for_each(|(z, impulse)| *z += impulse);
        interval.system.solve(z, d, &mut interval.twists);
        d.iter_mut().for_each(|rate| *rate *= h);
        interval.correct(model, island, d);
    }

    /// The interval from the start to the present iterate of the end.
    pub fn interval(&self) -> &Interval {
        &self.newton.interval
    }

    /// `P0ᵀ w` of a wrench on a body of the island at the start.
    pub fn reduce_before(&mut self, body: usize, wrench: &Vec6, out: &mut [f64]) {
        let Interval { system, wrenches, .. } = &mut self.newton.interval;
        wrenches.fill(Vec6::zeros());
        wrenches[body] = *wrench;
        system.reduce(wrenches, out);
    }

    /// `P1ᵀ w` of a wrench on a body of the island at the end.
    pub fn reduce_after(&mut self, body: usize, wrench: &Vec6, out: &mut [f64]) {
        let Interval { system, wrenches, .. } = &mut self.newton.interval;
        wrenches.fill(Vec6::zeros());
        wrenches[body] = *wrench;
        system.reduce_at_end(wrenches, out);
    }

    /// Residual and derivative at the present iterate.
    pub fn linearise(
        &mut self,
        model: &Model,
        island: &Island,
        state: &State,
        h: f64,
    ) -> Result<(), StepError> {
        let newton = &mut self.newton;
        newton.residual(model, island, state, h)?;
        newton.r.iter_mut().zip(&self.contact_impulses).for_each(|(r, c)| *r -= c);
        newton.interval.linearise(model, island, state, state.time + 0.5 * h, h)?;
        newton.interval.system.factor()?;
        newton.linearise_loops(model, island, h);
        Ok(())
    }

    /// `-K⁻¹ r`: the correction without a change of the contact impulses.
    pub fn free_correction(&mut self, model: &Model, island: &Island, h: f64, out: &mut [f64]) {
        let Newton { interval, krylov, r, loops, .. } = &mut self.newton;
        solve_linear(interval, krylov, model, island, h, r, out);
        if loops.rows > 0 {
            loops.solve(out, true);
            Loops::add_transposed(&loops.solved_rows, &loops.correction, 1.0, out);
        }
        out.iter_mut().for_each(|d| *d = -*d);
    }

    /// `K⁻¹ w` of a reduced impulse at the start.
    pub fn solve_column(&mut self, model: &Model, island: &Island, h: f64, w: &[f64], out: &mut [f64]) {
        let Newton { interval, krylov, loops, .. } = &mut self.newton;
        solve_linear(interval, krylov, model, island, h, w, out);
        if loops.rows > 0 {
            loops.solve(out, false);
            Loops::add_transposed(&loops.solved_rows, &loops.correction, 1.0, out);
        }
    }

    /// Takes other contact impulses and moves the end by the correction that belongs to them. Returns the decrement of action of the
    /// correction, and the action of the step.
    pub fn correct(
        &mut self,
        model: &Model,
        island: &Island,
        h: f64,
        contact_impulses: &[f64],
    ) -> (f64, f64) {
        let newton = &mut self.newton;
        for ((r, new), old) in newton.r.iter_mut().zip(contact_impulses).zip(&mut self.contact_impulses) {
            *r -= new - *old;
            *old = *new;
        }
        newton.apply_correction(model, island, h);
        let decrement = (newton.slope().abs(), newton.action(model, island, h));
        newton.interval.correct(model, island, &newton.d);
        decrement
    }

    /// Decrement of action of a correction by the rounding of positions.
    pub fn rounding(&self, model: &Model, island: &Island, h: f64) -> f64 {
        let of_body = |(slot, position): (usize, &Vec3)| {
            let link = &model.links[slot];
            let place = POSITION_ROUNDING * position.amax();
            let turn = POSITION_ROUNDING * POSITION_ROUNDING * link.inertia.max();
            (link.mass * place * place + turn) / h.abs()
        };
        island.bodies.clone().zip(&self.newton.interval.positions).map(of_body).sum()
    }

    /// Writes configuration and momenta of the end, without contact impulses there, and evaluates the mass matrix of the end.
    pub fn end(
        &mut self,
        model: &Model,
        island: &Island,
        state: &State,
        h: f64,
        end: IslandStateMut,
    ) -> Result<(), StepError> {
        self.newton.finish(model, island, state, h, end)?;
        self.newton.begin_end(model, island)?;
        Ok(())
    }

    /// `M1⁻¹ w` of a reduced impulse at the end, on the velocities that the loops allow.
    pub fn solve_end(&mut self, w: &[f64], out: &mut [f64]) {
        let Newton { interval, loops, .. } = &mut self.newton;
        interval.system.solve(w, out, &mut interval.twists);
        if loops.rows > 0 {
            loops.solve(out, false);
            Loops::add_transposed(&loops.solved_rows, &loops.correction, 1.0, out);
        }
    }

    /// Projects momenta at the end on those that the loops allow.
    pub fn project_end(&mut self, momenta: &mut [f64]) {
        let Newton { interval, loops, z, .. } = &mut self.newton;
        if loops.rows > 0 {
            loops.project(&mut interval.system, z, &mut interval.twists, momenta);
        }
    }

    /// Displacement of a body over the step: the shift of its centre of mass, and its turn as a Rodrigues vector.
    pub fn displacement(&self, body: usize) -> (Vec3, Vec3) {
        let displacement = &self.newton.interval.displacements[body];
        (displacement.shift, displacement.turn.0)
    }
}
