//! Newton's method for Coulomb's law, from impulses that are nearly right.
//!
//! ```text
//! F_n = λ_n - max(0, λ_n - ρ (v_n - b))              v = v₀ + W λ
//! F_t = λ_t - [λ_t - ρ v_t projected on the disc of radius μ λ_n]             [Alart and Curnier 1991]
//! ```
//!
//! `F` is piecewise smooth; a generalised derivative and a few steps lead to rounding where Gauss-Seidel's sweeps would have to
//! be thousands: four corners of a box share their load in many ways. For that reason the derivative is often
//! singular, and any solution of its equations will do.

use super::metric::Rows;
use super::spots::Spot;
use crate::response::dot;
use percussion_solve::Lu;

/// Steps after which the impulses were not nearly right.
const MOST_STEPS: usize = 12;
/// A step shorter than this part of the whole one leads nowhere.
const SHORTEST: f64 = 0.1;
/// What is added to the derivative's squares, relative to them: the shortest of all solutions is then taken.
const REDUNDANT: f64 = 1e-12;

/// The equations of the spots that are closed; its memory serves again.
#[derive(Clone, Debug, Default)]
pub(super) struct Polish {
    /// The spots, by their places in the list.
    pub closed: Vec<usize>,
    /// Their impulses: a normal and two tangential ones for each.
    pub impulses: Vec<f64>,
    /// `W`, row by row.
    w: Vec<f64>,
    /// `v₀`: velocities without impulses, with `b` taken off the normal ones.
    v0: Vec<f64>,
    v: Vec<f64>,
    f: Vec<f64>,
    /// The derivative of `F`, column by column.
    j: Vec<f64>,
    d: Vec<f64>,
    kept: Vec<f64>,
    lu: Lu,
}

impl Polish {
    /// Reads the equations of the spots that are closed; `u` are weighed momenta without impulses, `bound` tells what a normal
    /// velocity must reach.
    pub fn begin(&mut self, list: &[Spot], rows: &Rows, u: &[f64], bound: impl Fn(usize) -> f64) {
        let n = 3 * self.closed.len();
        self.w.clear();
        self.w.resize(n * n, 0.0);
        self.v0.clear();
        for (i, &place) in self.closed.iter().enumerate() {
            let spot = &list[place];
            self.v0.extend(spot.rows.iter().map(|&row| rows.dot(row, u)));
            self.v0[3 * i] -= bound(place);
            for (j, &other) in self.closed[..=i].iter().enumerate() {
                for (k, &a) in spot.rows.iter().enumerate() {
                    for (l, &b) in list[other].rows.iter().enumerate() {
                        let value = rows.product(a, b);
                        self.w[(3 * i + k) * n + 3 * j + l] = value;
                        self.w[(3 * j + l) * n + 3 * i + k] = value;
                    }
                }
            }
        }
    }

    /// Takes Newton steps from the impulses given while `|F|` falls, down to `enough`. What it is then, weighed.
    pub fn run(&mut self, list: &[Spot], enough: f64) -> f64 {
        let mut size = self.linearise(list);
        for _ in 0..MOST_STEPS {
            if size <= enough || !self.find_step() {
                break;
            }
            self.kept.clone_from(&self.impulses);
            let mut part = 1.0;
            let next = loop {
                self.impulses.clear();
                self.impulses.extend(self.kept.iter().zip(&self.d).map(|(x, d)| x - part * d));
                let next = self.linearise(list);
                if next < (1.0 - 0.1 * part) * size {
                    break next;
                }
                part *= 0.5;
                if part < SHORTEST {
                    self.impulses.clone_from(&self.kept);
                    return size;
                }
            };
            size = next;
        }
        size
    }

    /// The shortest step: `(JᵀJ + δ) d = Jᵀ F`. Whether there is one.
    fn find_step(&mut self) -> bool {
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
        (0..n).for_each(|c| a[c * n + c] += REDUNDANT * trace / n as f64);
        self.d.clear();
        self.d.extend((0..n).map(|c| dot(column(c), &self.f)));
        let fine = self.lu.factor().is_ok();
        if fine {
            self.lu.solve(&mut self.d);
        }
        fine
    }

    /// `F` and its derivative; the size of `F`, weighed.
    fn linearise(&mut self, list: &[Spot]) -> f64 {
        let n = self.impulses.len();
        self.v.clone_from(&self.v0);
        for (v, row) in self.v.iter_mut().zip(self.w.chunks_exact(n)) {
            *v += dot(row, &self.impulses);
        }
        self.f.clear();
        self.f.resize(n, 0.0);
        self.j.clear();
        self.j.resize(n * n, 0.0);
        let mut size = 0.0;
        for i in 0..self.closed.len() {
            size += self.normal(3 * i);
            size += self.tangential(3 * i, list[self.closed[i]].friction);
        }
        size
    }

    /// Row `at` of the derivative becomes that of a velocity, over `scale`.
    fn copy_row(&mut self, at: usize, scale: f64) {
        let n = self.f.len();
        (0..n).for_each(|c| self.j[c * n + at] = self.w[at * n + c] / scale);
    }

    fn normal(&mut self, at: usize) -> f64 {
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

    fn tangential(&mut self, at: usize, friction: f64) -> f64 {
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
