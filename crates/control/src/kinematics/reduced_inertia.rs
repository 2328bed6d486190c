//! Islands of a node as they stand: how their bodies move along the degrees of freedom, and their reduced mass matrices, factored.
//!
//! Vectors are over the degrees of freedom of the islands looked at, one island after the other.

use super::column_derivative::{ColumnDerivative, set_column_derivatives};
use super::columns::{AncestorChain, JacobianColumns};
use percussion_geometry::Vec3;
use percussion_mechanics::rotation::Mat3;
use percussion_mechanics::{Model, State};
use std::ops::Range;

/// An island of the list.
#[derive(Debug, Default)]
struct IslandInertia {
    bodies: Range<usize>,
    dofs: Range<usize>,
    columns: JacobianColumns,
    /// The lower factor of `M = L Lᵀ`, row by row.
    factor: Vec<f64>,
}

/// Islands as they stand; memory is kept from one look to the next.
#[derive(Debug, Default)]
pub(crate) struct ReducedInertia {
    islands: Vec<IslandInertia>,
    count: usize,
    /// Moments of inertia of the bodies, world axes, by slot.
    inertia: Vec<Mat3>,
    column_derivatives: [Vec<ColumnDerivative>; 2],
}

impl ReducedInertia {
    /// Looks at islands in a state.
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
                    let (push, torque) = (one.velocity * link.mass, self.inertia[slot] * one.turn);
                    for other in &columns[..=k] {
                        own.factor[one.dof * n + other.dof] +=
                            other.velocity.dot(&push) + other.turn.dot(&torque);
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

    /// The way to a body, and the degrees of freedom of its island; `None` if it stands firm.
    pub fn ancestors(&self, slot: usize) -> Option<(AncestorChain<'_>, Range<usize>)> {
        let it = self.inertias().iter().find(|it| it.bodies.contains(&slot))?;
        Some((it.columns.ancestors(slot - it.bodies.start), it.dofs.clone()))
    }

    /// Whether differences of gradients are second derivatives as they are.
    pub fn connection_is_zero(&self) -> bool {
        self.inertias().iter().all(|it| it.columns.connection_is_zero())
    }

    /// What differences of gradients lack of second derivatives.
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
                let (way, own) = (it.columns.ancestors(i), it.dofs.clone());
                let [ones, others] = &mut self.column_derivatives;
                let (v, turn) = set_column_derivatives(way, &mu[own.clone()], ones);
                let (u, spin) = set_column_derivatives(way, &nu[own.clone()], others);
                let mass = model.links[slot].mass;
                let (of_turn, of_spin) = (self.inertia[slot] * turn, self.inertia[slot] * spin);
                let carried = of_spin.cross(&turn) + of_turn.cross(&spin);
                for (one, other) in ones.iter().zip(others) {
                    let moving = one.by.0.dot(&u) + v.dot(&other.by.0);
                    let turning = one.by.1.dot(&of_spin) + of_turn.dot(&other.by.1);
                    out[own.start + one.column.dof] -=
                        mass * moving + turning + one.column.turn.dot(&carried);
                }
            }
        }
    }
}

/// Replaces the lower triangle of a positive definite matrix by its factor. Reduced mass matrices are: masses are positive, columns
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

/// A virtual motion of a body, with its rays left behind.
pub(crate) fn motion(
    inertia: &ReducedInertia,
    slot: Option<usize>,
    rates: &[f64],
    column_derivatives: &mut Vec<ColumnDerivative>,
) -> (Vec3, Vec3) {
    column_derivatives.clear();
    match slot.and_then(|slot| inertia.ancestors(slot)) {
        Some((way, own)) => set_column_derivatives(way, &rates[own], column_derivatives),
        None => (Vec3::zeros(), Vec3::zeros()),
    }
}
