//! Nonsmooth Newton refinement of the impulses of Coulomb friction [Alart and Curnier 1991].
//!
//! ```text
//! F_n = λ_n - max(0, λ_n - ρ (v_n - b))              v = v₀ + W λ
//! F_t = λ_t - [λ_t - ρ v_t projected on the disc of radius μ λ_n]
//! ```
//!
//! `F` is piecewise smooth. A few Newton steps with an element of its generalised derivative reach rounding where Gauss-Seidel
//! needs thousands of sweeps: the load of four corners of a box is not unique. For the same reason the derivative is often
//! singular; the step of least norm is taken.

use super::constraint::{ConstraintSlice, ContactConstraint};
use super::{MAX_NEWTON_STEPS, MIN_STEP_FRACTION, NEWTON_REGULARISATION};
use crate::response::dot;
use percussion_solve::Lu;

/// Equations and workspace of the closed contacts.
#[derive(Clone, Debug, Default)]
pub(super) struct FrictionNewton {
    /// The closed contacts, by index in the list of constraints.
    pub closed: Vec<usize>,
    /// Their impulses: one normal and two tangential components each.
    pub impulses: Vec<f64>,
    /// `W`, row by row.
    w: Vec<f64>,
    /// `v₀`: velocities without impulses, with `b` taken off the normal ones.
    v0: Vec<f64>,
    v: Vec<f64>,
    f: Vec<f64>,
    /// Generalised derivative of `F`, column by column.
    j: Vec<f64>,
    d: Vec<f64>,
    previous: Vec<f64>,
    lu: Lu,
}

impl FrictionNewton {
    /// Assembles the Delassus operator of the closed contacts. `u` are mass-weighted momenta without impulses; `velocity_bound`
    /// returns the lower bound of a normal velocity.
    pub fn set_problem(
        &mut self,
        contacts: ConstraintSlice,
        u: &[f64],
        velocity_bound: impl Fn(usize) -> f64,
    ) {
        let n = 3 * self.closed.len();
        self.w.clear();
        self.w.resize(n * n, 0.0);
        self.v0.clear();
        for (i, &index) in self.closed.iter().enumerate() {
            let contact = &contacts.list[index];
            self.v0.extend(contact.rows.iter().map(|&row| contacts.rows.dot(row, u)));
            self.v0[3 * i] -= velocity_bound(index);
            for (j, &other) in self.closed[..=i].iter().enumerate() {
                for (k, &a) in contact.rows.iter().enumerate() {
                    for (l, &b) in contacts.list[other].rows.iter().enumerate() {
                        let value = contacts.rows.delassus(a, b);
                        self.w[(3 * i + k) * n + 3 * j + l] = value;
                        self.w[(3 * j + l) * n + 3 * i + k] = value;
                    }
                }
            }
        }
    }

    /// Newton steps from the given impulses while the residual falls, down to `tolerance`. Returns the mass-weighted residual.
    pub fn refine(&mut self, list: &[ContactConstraint], tolerance: f64) -> f64 {
        let mut residual = self.linearize(list);
        for _ in 0..MAX_NEWTON_STEPS {
            if residual <= tolerance || !self.solve_step() {
                break;
            }
            self.previous.clone_from(&self.impulses);
            let mut fraction = 1.0;
            let next = loop {
                self.impulses.clear();
                self.impulses.extend(self.previous.iter().zip(&self.d).map(|(x, d)| x - fraction * d));
                let next = self.linearize(list);
                if next < (1.0 - 0.1 * fraction) * residual {
                    break next;
                }
                fraction *= 0.5;
                if fraction < MIN_STEP_FRACTION {
                    self.impulses.clone_from(&self.previous);
                    return residual;
                }
            };
            residual = next;
        }
        residual
    }

    /// The step of least norm: `(JᵀJ + δ) d = Jᵀ F`. Whether it could be solved for.
    fn solve_step(&mut self) -> bool {
        let n = self.f.len();
        let column = |c: usize| &self.j[c * n..(c + 1) * n];
        let a = self.lu.reset(n);
        let mut trace = 0.0;
        for c in 0..n {
            for r in 0..=c {
                let sum = dot(column(r), column(c));
                a[c * n + r] = sum;
                a[r * n + c] = sum;
            }
            trace += a[c * n + c];
        }
        (0..n).for_each(|c| a[c * n + c] += NEWTON_REGULARISATION * trace / n as f64);
        self.d.clear();
        self.d.extend((0..n).map(|c| dot(column(c), &self.f)));
        let solved = self.lu.factor().is_ok();
        if solved {
            self.lu.solve(&mut self.d);
        }
        solved
    }

    /// Evaluates `F` and its derivative; returns the mass-weighted norm of `F`.
    fn linearize(&mut self, list: &[ContactConstraint]) -> f64 {
        let n = self.impulses.len();
        self.v.clone_from(&self.v0);
        for (v, row) in self.v.iter_mut().zip(self.w.chunks_exact(n)) {
            *v += dot(row, &self.impulses);
        }
        self.f.clear();
        self.f.resize(n, 0.0);
        self.j.clear();
        self.j.resize(n * n, 0.0);
        let mut residual = 0.0;
        for i in 0..self.closed.len() {
            residual += self.normal_equation(3 * i);
            residual += self.friction_equation(3 * i, list[self.closed[i]].friction);
        }
        residual
    }

    /// Sets row `at` of the derivative to that of a velocity divided by `scale`.
    fn copy_row(&mut self, at: usize, scale: f64) {
        let n = self.f.len();
        (0..n).for_each(|c| self.j[c * n + at] = self.w[at * n + c] / scale);
    }

    fn normal_equation(&mut self, at: usize) -> f64 {
        let n = self.f.len();
        let w = self.w[at * n + at];
        let (x, v) = (self.impulses[at], self.v[at] / w);
        if x - v > 0.0 {
            self.f[at] = v;
            self.copy_row(at, w);
        } else {
            self.f[at] = x;
            self.j[at * n + at] = 1.0;
        }
        self.f[at].abs() * w.sqrt()
    }

    fn friction_equation(&mut self, at: usize, friction: f64) -> f64 {
        let n = self.f.len();
        let w = self.w[(at + 1) * n + at + 1].max(self.w[(at + 2) * n + at + 2]);
        let radius = friction * self.impulses[at].max(0.0);
        let x = [self.impulses[at + 1], self.impulses[at + 2]];
        let v = [self.v[at + 1], self.v[at + 2]];
        if !(w > 0.0) || radius == 0.0 {
            for (k, x) in (at + 1..).zip(x) {
                self.f[k] = x;
                self.j[k * n + k] = 1.0;
            }
            return x[0].hypot(x[1]) * w.sqrt();
        }
        let t = [x[0] - v[0] / w, x[1] - v[1] / w];
        let length = t[0].hypot(t[1]);
        if length <= radius {
            // Sticks: v_t = 0.
            for (k, v) in (at + 1..).zip(v) {
                self.f[k] = v / w;
                self.copy_row(k, w);
            }
        } else {
            // Slides: λ_t = r t/|t|, and d(t/|t|) = (1 - t tᵀ/|t|²) dt/|t|.
            let unit = [t[0] / length, t[1] / length];
            for k in 0..2 {
                self.f[at + 1 + k] = x[k] - radius * unit[k];
                for l in 0..2 {
                    let same = if k == l { 1.0 } else { 0.0 };
                    let across = radius / length * (same - unit[k] * unit[l]);
                    for c in 0..n {
                        self.j[c * n + at + 1 + k] += across * self.w[(at + 1 + l) * n + c] / w;
                    }
                    self.j[(at + 1 + l) * n + at + 1 + k] += same - across;
                }
                self.j[at * n + at + 1 + k] -= friction * unit[k];
            }
        }
        self.f[at + 1].hypot(self.f[at + 2]) * w.sqrt()
    }
}
