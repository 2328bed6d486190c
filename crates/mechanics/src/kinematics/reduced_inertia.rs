//! Reduced mass matrices `M = Pᵀ M P` of some islands at a configuration, with their Cholesky factors, and the gradient of `μᵀ M ν`.
//!
//! Vectors stack the degrees of freedom of these islands in their order.

use super::column_derivatives::{ColumnDerivative, set_column_derivatives};
use super::jacobian_columns::{AncestorChain, JacobianColumns};
use crate::model::{Model, State};
use crate::rotation::Mat3;
use percussion_geometry::Vec3;
use std::ops::Range;

/// One of the islands.
#[derive(Debug, Default)]
struct IslandInertia {
    bodies: Range<usize>,
    dofs: Range<usize>,
    columns: JacobianColumns,
    /// The lower factor of `M = L Lᵀ`, row by row.
    factor: Vec<f64>,
}

/// Reduced mass matrices of some islands; reused workspace.
#[derive(Debug, Default)]
pub struct ReducedInertia {
    islands: Vec<IslandInertia>,
    count: usize,
    /// Moments of inertia of the bodies, world axes, by slot.
    inertia: Vec<Mat3>,
    column_derivatives: [Vec<ColumnDerivative>; 2],
}

impl ReducedInertia {
    /// Computes the columns and factored mass matrices of islands at a state.
    pub fn set(&mut self, model: &Model, islands: &[usize], state: &State) {
        if self.islands.len() < islands.len() {
            self.islands.resize_with(islands.len(), IslandInertia::default);
        }
        self.count = islands.len();
        self.inertia.resize(model.links.len(), Mat3::zeros());
        let mut first = 0;
        for (own, &island) in self.islands.iter_mut().zip(islands) {
            let it = &model.islands[island];
            let n = it.dofs.len();
            own.bodies = it.bodies.clone();
            own.dofs = first..first + n;
            own.columns.set(model, island, state);
            own.factor.clear();
            own.factor.resize(n * n, 0.0);
            for (i, slot) in it.bodies.clone().enumerate() {
                let (link, r) = (&model.links[slot], &state.rotations[slot]);
                self.inertia[slot] = r * Mat3::from_diagonal(&link.inertia) * r.transpose();
                let columns = own.columns.ancestors(i).columns;
                for (k, one) in columns.iter().enumerate() {
                    let (force, torque) =
                        (one.velocity * link.mass, self.inertia[slot] * one.angular_velocity);
                    for other in &columns[..=k] {
                        own.factor[one.dof * n + other.dof] +=
                            other.velocity.dot(&force) + other.angular_velocity.dot(&torque);
                    }
                }
            }
            factor(&mut own.factor, n);
            first += n;
        }
    }

    fn inertias(&self) -> &[IslandInertia] {
        &self.islands[..self.count]
    }

    /// The ancestor chain of the body in a slot, and the range of the degrees of freedom of its island; `None` if the island is not in
    /// the list.
    pub fn ancestors(&self, slot: usize) -> Option<(AncestorChain<'_>, Range<usize>)> {
        let it = self.inertias().iter().find(|it| it.bodies.contains(&slot))?;
        Some((it.columns.ancestors(slot - it.bodies.start), it.dofs.clone()))
    }

    /// See [`JacobianColumns::connection_is_zero`].
    pub fn connection_is_zero(&self) -> bool {
        self.inertias().iter().all(|it| it.columns.connection_is_zero())
    }

    /// See [`JacobianColumns::add_connection`].
    pub fn add_connection(&self, gradient: &[f64], mut with: impl FnMut(usize, usize, f64)) {
        for it in self.inertias() {
            let first = it.dofs.start;
            it.columns
                .add_connection(&gradient[it.dofs.clone()], |i, j, value| with(first + i, first + j, value));
        }
    }

    /// `M⁻¹ x` in place.
    pub fn solve(&self, x: &mut [f64]) {
        for it in self.inertias() {
            solve(&it.factor, &mut x[it.dofs.clone()]);
        }
    }

    /// Adds to `out` the gradient of `-μ·M ν` along the degrees of freedom.
    pub fn add_mass_gradient(&mut self, model: &Model, (mu, nu): (&[f64], &[f64]), out: &mut [f64]) {
        for it in &self.islands[..self.count] {
            for (i, slot) in it.bodies.clone().enumerate() {
                let (chain, own) = (it.columns.ancestors(i), it.dofs.clone());
                let [ones, others] = &mut self.column_derivatives;
                let (v, ω) = set_column_derivatives(chain, &mu[own.clone()], ones);
                let (u, ψ) = set_column_derivatives(chain, &nu[own.clone()], others);
                let mass = model.links[slot].mass;
                let (spin_ω, spin_ψ) = (self.inertia[slot] * ω, self.inertia[slot] * ψ);
                let gyroscopic = spin_ψ.cross(&ω) + spin_ω.cross(&ψ);
                for (one, other) in ones.iter().zip(others) {
                    let translation = one.derivative.0.dot(&u) + v.dot(&other.derivative.0);
                    let rotation = one.derivative.1.dot(&spin_ψ) + spin_ω.dot(&other.derivative.1);
                    out[own.start + one.column.dof] -=
                        mass * translation + rotation + one.column.angular_velocity.dot(&gyroscopic);
                }
            }
        }
    }
}

/// Cholesky factor in the place of the lower triangle. Reduced mass matrices are positive definite: masses are positive, columns
/// independent.
fn factor(a: &mut [f64], n: usize) {
    for i in 0..n {
        for j in 0..=i {
            let sum: f64 = (0..j).map(|k| a[i * n + k] * a[j * n + k]).sum();
            let left = a[i * n + j] - sum;
            a[i * n + j] = if i == j { left.sqrt() } else { left / a[j * n + j] };
        }
    }
}

fn solve(l: &[f64], x: &mut [f64]) {
    let n = x.len();
    for i in 0..n {
        let sum: f64 = (0..i).map(|k| l[i * n + k] * x[k]).sum();
        x[i] = (x[i] - sum) / l[i * n + i];
    }
    for i in (0..n).rev() {
        let sum: f64 = (i + 1..n).map(|k| l[k * n + i] * x[k]).sum();
        x[i] = (x[i] - sum) / l[i * n + i];
    }
}

/// Virtual velocity and angular velocity of the body in a slot under virtual rates; writes the derivatives of its columns. Zero for a
/// body that does not move.
pub fn virtual_motion(
    inertia: &ReducedInertia,
    slot: Option<usize>,
    rates: &[f64],
    column_derivatives: &mut Vec<ColumnDerivative>,
) -> (Vec3, Vec3) {
    column_derivatives.clear();
    match slot.and_then(|slot| inertia.ancestors(slot)) {
        Some((chain, own)) => set_column_derivatives(chain, &rates[own], column_derivatives),
        None => (Vec3::zeros(), Vec3::zeros()),
    }
}
