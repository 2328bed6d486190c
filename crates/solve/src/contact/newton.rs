//! One nonsmooth Newton step on the projections of all contacts [Alart, Curnier 1991].
//!
//! With `z = x_t - ρ_t y_t`, `d = z/|z|` the equations of a contact, scaled to impulses, are
//!
//! ```text
//! open      x = 0                                           where x_n - ρ_n (y_n + ε (x_n - x_n⁰)) ≤ 0
//! closed    ρ_n (y_n + ε (x_n - x_n⁰)) = 0
//! sticks    ρ_t y_t + δ (x_t - x_t⁰) = 0                    where |z| ≤ μ x_n; δ selects the impulses nearest to x⁰
//! slides    x_t = μ x_n d,  linearised in x_n and z         likewise across d
//! drive     at its bound, or as a closed contact with its compliance
//! Tresca    sticks or slides, with its radius for μ x_n; x_n = 0
//! ```
//!
//! Linearised, these are `P dx + Q G dv = r` with `dv = D dx`. For few closed contacts the unknowns are their impulses, `(P + Q A) dx = r`,
//! and the matrix is dense. For many they are the velocities ([`VelocityStep`](super::velocity_step::VelocityStep)).

use super::length;
use super::system::{ContactLaw, ContactSystem};
use super::velocity_step::VelocityStep;
use crate::dense::Lu;

/// Closed contacts beyond which the unknowns are the velocities.
const DENSE_CONTACTS: usize = 16;

/// Workspace of a Newton step.
#[derive(Clone, Debug, Default)]
pub(super) struct NewtonStep {
    /// The closed contacts.
    closed: Vec<usize>,
    values: Vec<[f64; 3]>,
    matrix: Lu,
    /// Right-hand side, then the change of the impulses.
    change: Vec<f64>,
    velocity_step: VelocityStep,
}

/// Equations of one contact: `p dx + q dy = r`.
pub(super) struct Linearisation {
    pub p: [[f64; 3]; 3],
    pub q: [[f64; 3]; 3],
    pub r: [f64; 3],
}

impl NewtonStep {
    /// Finds the contacts that are closed at an iterate: those whose projected normal impulse exceeds a threshold.
    pub fn find_closed(&mut self, system: &ContactSystem, x: &[[f64; 3]], v: &[f64], threshold: f64) {
        self.closed.clear();
        self.values.clear();
        for (k, (contact, x)) in system.contacts.iter().zip(x).enumerate() {
            let y = system.value(k, v);
            self.values.push(y);
            let drives = matches!(contact.law, ContactLaw::Bounded { .. } | ContactLaw::Tresca { .. });
            if drives || x[0] - contact.scale[0] * contact.regularised(x[0], &y) > threshold {
                self.closed.push(k);
            }
        }
    }

    /// The iterate after a full step from `x`; false where the equations are singular.
    pub fn step(&mut self, system: &ContactSystem, x: &[[f64; 3]], next: &mut Vec<[f64; 3]>) -> bool {
        next.clear();
        next.resize(x.len(), [0.0; 3]);
        let solved = if self.closed.len() > DENSE_CONTACTS {
            self.velocity_step.step(system, x, (&self.closed, &self.values), next)
        } else {
            self.dense_step(system, x, next)
        };
        solved && next.iter().flatten().all(|x| x.is_finite())
    }

    /// The step with the impulses as unknowns.
    fn dense_step(&mut self, system: &ContactSystem, x: &[[f64; 3]], next: &mut [[f64; 3]]) -> bool {
        let n = 3 * self.closed.len();
        self.change.clear();
        self.change.resize(n, 0.0);
        // Open contacts lose their impulses, which changes the velocities of the others.
        let matrix = self.matrix.reset(n);
        for (row, &i) in self.closed.iter().enumerate() {
            let mut y = self.values[i];
            for j in (0..x.len()).filter(|j| x[*j] != [0.0; 3] && self.closed.binary_search(j).is_err()) {
                if let Some(a) = system.coupling(i, j) {
                    (0..3).for_each(|r| y[r] -= (0..3).map(|c| a[r][c] * x[j][c]).sum::<f64>());
                }
            }
            let Linearisation { p, q, r } = linearise(system, i, &x[i], &y);
            self.change[3 * row..3 * row + 3].copy_from_slice(&r);
            for (column, &j) in self.closed.iter().enumerate() {
                let Some(a) = system.coupling(i, j) else { continue };
                for (r, q) in q.iter().enumerate() {
                    for c in 0..3 {
                        let mut entry: f64 = (0..3).map(|k| q[k] * a[k][c]).sum();
                        if i == j {
                            entry += p[r][c];
                        }
                        matrix[(3 * column + c) * n + 3 * row + r] = entry;
                    }
                }
            }
        }
        if self.matrix.factor().is_err() {
            return false;
        }
        self.matrix.solve(&mut self.change);
        for (&k, change) in self.closed.iter().zip(self.change.chunks_exact(3)) {
            (0..3).for_each(|c| next[k][c] = x[k][c] + change[c]);
        }
        true
    }
}

/// The linearised equations of a closed contact.
pub(super) fn linearise(system: &ContactSystem, k: usize, x: &[f64; 3], y: &[f64; 3]) -> Linearisation {
    let contact = &system.contacts[k];
    let [rho_n, rho_t] = contact.scale;
    let mut p = [[0.0; 3]; 3];
    let mut q = [[0.0; 3]; 3];
    let mut r = [0.0; 3];
    (p[0][0], q[0][0]) = (rho_n * (contact.weight + contact.compliance()), rho_n);
    r[0] = -rho_n * contact.regularised(x[0], y);
    match contact.law {
        ContactLaw::Bounded { bound, .. } => {
            let next = contact.projected(x[0], y);
            if next.abs() >= bound {
                (p[0][0], q[0][0], r[0]) = (1.0, 0.0, next - x[0]);
            }
            (1..3).for_each(|t| (p[t][t], r[t]) = (1.0, -x[t]));
        }
        ContactLaw::Sliding { friction, direction } => {
            for t in 0..2 {
                (p[1 + t][1 + t], p[1 + t][0]) = (1.0, friction * direction[t]);
                r[1 + t] = -x[1 + t] - friction * x[0] * direction[t];
            }
        }
        ContactLaw::Cone { friction: 0.0 } => {
            (1..3).for_each(|t| (p[t][t], r[t]) = (1.0, -x[t]));
        }
        ContactLaw::Cone { .. } | ContactLaw::Tresca { .. } => {
            let friction = contact.law.friction();
            let z = contact.tangential_step(x, y);
            let length = length(&z);
            let normal = (x[0] - rho_n * contact.regularised(x[0], y)).max(0.0);
            let radius = contact.law.radius(normal);
            if matches!(contact.law, ContactLaw::Tresca { .. }) {
                (p[0][0], q[0][0], r[0]) = (1.0, 0.0, -x[0]);
            }
            if length <= radius || !(rho_t > 0.0) {
                for t in 1..3 {
                    (p[t][t], q[t][t]) = (system.proximal + rho_t * contact.tangential_weight, rho_t);
                    let pull = contact.tangential_weight * (x[t] - contact.tangential_reference[t - 1]);
                    r[t] = -rho_t * (y[t] + pull);
                    if !(rho_t > 0.0) {
                        (p[t][t], r[t]) = (1.0, -x[t]);
                    }
                }
            } else {
                let d = [z[0] / length, z[1] / length];
                let turning = radius / length;
                for t in 0..2 {
                    // x_t - μ (x_n - ρ_n (y_n + ε (x_n - x_n⁰))) d(x_t - ρ_t y_t)
                    p[1 + t][0] = -friction * d[t] * (1.0 - rho_n * contact.weight);
                    q[1 + t][0] = friction * d[t] * rho_n;
                    for s in 0..2 {
                        let across = turning * (f64::from(u8::from(s == t)) - d[t] * d[s]);
                        p[1 + t][1 + s] = f64::from(u8::from(s == t)) - across + system.proximal * across;
                        p[1 + t][1 + s] += rho_t * contact.tangential_weight * across;
                        q[1 + t][1 + s] = rho_t * across;
                    }
                    r[1 + t] = radius * d[t] - x[1 + t];
                }
            }
        }
    }
    Linearisation { p, q, r }
}
