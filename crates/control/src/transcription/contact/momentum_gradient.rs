//! Functions of configurations, momenta and impulses at a node, with their gradients.
//!
//! ```text
//! D(q)         rows: directions of the impulses as covectors of the degrees of freedom
//! p⁻ = p⁺ + Dᵀ Λ                                            added to the rows of momentum balance [Johnson 4.4]
//! restitution  n·v⁻ + e n·v⁺ = 0       v = M(q)⁻¹ p         stick   t·v⁻ = 0       slide   Λt + μ Λn t(v⁻) = 0
//! ```
//!
//! Velocities after impulses are those of `p⁺ + Dᵀ Λ`. With `φ` the weighted sum of all functions, `c` its derivatives by velocities along
//! the directions and `μ = M⁻¹ Dᵀ c`
//!
//! ```text
//! ∂φ/∂p = μ⁺ + μ⁻       ∂φ/∂Λ = D ζ + derivatives of laws by Λ       ζ = w + μ⁻, w the weights of Dᵀ Λ
//! ∂φ/∂q = Λ·D'ζ + c⁺·D'v⁺ + c⁻·D'v⁻ - μ⁺·M'v⁺ - μ⁻·M'v⁻             all else constant
//! ```

use super::jacobian::ContactJacobian;
use super::law;
use super::momentum_block::{MomentumBlock, MomentumFunction};
use percussion_mechanics::kinematics::{ColumnDerivative, ReducedInertia};
use percussion_mechanics::{Model, State};

/// Scratch memory of momentum blocks.
#[derive(Debug, Default)]
pub(in super::super) struct ContactWorkspace {
    pub(super) inertia: ReducedInertia,
    jacobians: Vec<ContactJacobian>,
    /// `D`, row by row.
    directions: Vec<f64>,
    /// `M⁻¹ p` before and after the impulses.
    rates: [Vec<f64>; 2],
    /// `Dᵀ Λ`.
    momentum_change: Vec<f64>,
    /// Velocities along the directions before and after.
    velocities: [Vec<f64>; 2],
    by_velocities: [Vec<f64>; 2],
    by_impulses: Vec<f64>,
    /// `μ⁺` and `μ⁻`.
    mu: [Vec<f64>; 2],
    zeta: Vec<f64>,
    column_derivatives: [Vec<ColumnDerivative>; 2],
    /// Momenta and impulses by local place.
    pub(super) scalars: Vec<f64>,
}

impl MomentumBlock {
    /// Sets directions, rates and velocities along the directions at a state and at the scalars of the workspace.
    pub(super) fn linearize(&self, workspace: &mut ContactWorkspace, model: &Model, state: &State) {
        let n = self.momenta;
        let ContactWorkspace { inertia, jacobians, directions, rates, momentum_change, scalars, .. } =
            workspace;
        inertia.set(model, &self.islands.islands, state);
        jacobians.clear();
        match &self.function {
            MomentumFunction::Impulses(constraints) => jacobians
                .extend(constraints.iter().filter_map(|c| ContactJacobian::of_constraint(model, state, c))),
            MomentumFunction::Velocity(measure) | MomentumFunction::VelocityGoal(measure, ..) => {
                jacobians.extend(ContactJacobian::of_measure(model, state, measure));
            }
        }
        let count: usize = jacobians.iter().map(ContactJacobian::count).sum();
        directions.resize(count * n, 0.0);
        let mut next = 0;
        for jacobian in jacobians {
            let own = jacobian.count() * n;
            jacobian.rows(inertia, n, &mut directions[next..next + own]);
            next += own;
        }
        for list in rates.iter_mut().chain([&mut *momentum_change]) {
            list.clear();
            list.extend_from_slice(&scalars[n..2 * n]);
        }
        momentum_change.fill(0.0);
        for (row, impulse) in directions.chunks_exact(n.max(1)).zip(&scalars[self.impulses..]) {
            momentum_change.iter_mut().zip(row).for_each(|(p, d)| *p += impulse * d);
        }
        if !self.momenta_after {
            rates[1].iter_mut().zip(&*momentum_change).for_each(|(a, p)| *a += p);
        }
        for (velocities, rates) in workspace.velocities.iter_mut().zip(rates) {
            inertia.solve(rates);
            velocities.clear();
            velocities.extend(directions.chunks_exact(n.max(1)).map(|row| dot(row, rates)));
        }
    }

    /// Its functions, where `MomentumBlock::linearize` was called.
    pub(super) fn functions(&self, workspace: &ContactWorkspace, out: &mut [f64]) {
        let [before, after] = &workspace.velocities;
        match &self.function {
            MomentumFunction::Velocity(_) => out.copy_from_slice(after),
            MomentumFunction::VelocityGoal(_, target, weight) => {
                out[0] = weight * after.iter().zip(target).map(|(v, t)| (v - t) * (v - t)).sum::<f64>();
            }
            MomentumFunction::Impulses(constraints) => {
                let (change, laws) = out.split_at_mut(self.momenta);
                change.copy_from_slice(&workspace.momentum_change);
                law::values(constraints, (before, after), &workspace.scalars[self.impulses..], laws);
            }
        }
    }

    /// The gradient of their weighted sum along all variables, where `MomentumBlock::linearize` was called.
    pub(super) fn gradient(
        &self,
        workspace: &mut ContactWorkspace,
        model: &Model,
        weights: &[f64],
        out: &mut [f64],
    ) {
        let n = self.momenta;
        self.differentiate_laws(workspace, weights);
        let ContactWorkspace { inertia, directions, by_velocities, by_impulses, mu, zeta, .. } = workspace;
        for (mu, by) in mu.iter_mut().zip(by_velocities) {
            mu.clear();
            mu.resize(n, 0.0);
            for (row, by) in directions.chunks_exact(n.max(1)).zip(&*by) {
                mu.iter_mut().zip(row).for_each(|(x, d)| *x += by * d);
            }
            inertia.solve(mu);
        }
        let [mu_before, mu_after] = &*mu;
        zeta.clear();
        zeta.resize(n, 0.0);
        if matches!(self.function, MomentumFunction::Impulses(_)) {
            zeta.copy_from_slice(&weights[..n]);
            if !self.momenta_after {
                zeta.iter_mut().zip(mu_after).for_each(|(x, v)| *x += v);
            }
        }
        out.fill(0.0);
        let (along, scalars) = out.split_at_mut(n);
        let (by_momenta, out) = scalars.split_at_mut(n);
        by_momenta.iter_mut().zip(mu_before.iter().zip(mu_after)).for_each(|(o, (b, a))| *o = b + a);
        for ((out, row), direct) in out.iter_mut().zip(directions.chunks_exact(n.max(1))).zip(&*by_impulses) {
            *out = direct + dot(row, zeta);
        }
        self.add_configuration_gradient(workspace, model, along);
    }

    /// Sets the derivatives of the weighted sum by velocities and, of laws, by impulses.
    fn differentiate_laws(&self, workspace: &mut ContactWorkspace, weights: &[f64]) {
        let ContactWorkspace { velocities, by_velocities, by_impulses, scalars, .. } = workspace;
        let count = velocities[0].len();
        let [by_before, by_after] = by_velocities;
        for list in [&mut *by_before, &mut *by_after, &mut *by_impulses] {
            list.clear();
            list.resize(count, 0.0);
        }
        match &self.function {
            MomentumFunction::Velocity(_) => by_after.copy_from_slice(weights),
            MomentumFunction::VelocityGoal(_, target, weight) => {
                for ((by, v), t) in by_after.iter_mut().zip(&velocities[1]).zip(target) {
                    *by = 2.0 * weight * weights[0] * (v - t);
                }
            }
            MomentumFunction::Impulses(constraints) => {
                let gradient = (&mut by_before[..], &mut by_after[..], &mut by_impulses[..]);
                let (impulses, weights) = (&scalars[self.impulses..], &weights[self.momenta..]);
                law::add_gradient(constraints, &velocities[1], impulses, weights, gradient);
            }
        }
    }

    fn add_configuration_gradient(&self, workspace: &mut ContactWorkspace, model: &Model, along: &mut [f64]) {
        let ContactWorkspace { inertia, jacobians, rates, by_velocities, mu, zeta, scalars, .. } = workspace;
        let derivatives = &mut workspace.column_derivatives;
        let impulses = &scalars[self.impulses..];
        let mut next = 0;
        for jacobian in jacobians {
            let own = next..next + jacobian.count();
            if !impulses.is_empty() {
                jacobian.add_gradient(inertia, &impulses[own.clone()], zeta, derivatives, along);
            }
            for (by, rates) in by_velocities.iter().zip(&*rates) {
                jacobian.add_gradient(inertia, &by[own.clone()], rates, derivatives, along);
            }
            next = own.end;
        }
        for ((by, mu), rates) in by_velocities.iter().zip(mu).zip(rates) {
            if by.iter().any(|c| *c != 0.0) {
                inertia.add_mass_gradient(model, (mu, rates), along);
            }
        }
    }
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}
