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
use percussion_solve::PivotedQr;

/// Steps after which the impulses were not nearly right.
const MOST_STEPS: usize = 12;
/// Columns shorter than this, relative to the longest, are combinations of others.
const REDUNDANT: f64 = 1e-11;

/// The equations of the spots of a list; its memory serves again.
#[derive(Clone, Debug, Default)]
pub(super) struct Polish {
    /// `W`, row by row.
    w: Vec<f64>,
    /// `v₀`: velocities without impulses, with `b` taken off the normal ones.
    v0: Vec<f64>,
    v: Vec<f64>,
    f: Vec<f64>,
    /// Impulses: normal and two tangential ones for each spot.
    pub impulses: Vec<f64>,
    qr: PivotedQr,
}

impl Polish {
    /// Reads the equations; `u` are weighed momenta without impulses, `bounds` what normal velocities must reach.
    pub fn begin(&mut self, list: &[Spot], rows: &Rows, u: &[f64], bounds: impl Iterator<Item = f64>) {
        let n = 3 * list.len();
        self.w.clear();
        self.w.resize(n * n, 0.0);
        self.v0.clear();
        for (i, (spot, bound)) in list.iter().zip(bounds).enumerate() {
            self.v0.extend(spot.rows.iter().map(|&row| rows.dot(row, u)));
            self.v0[3 * i] -= bound;
            for (j, other) in list[..=i].iter().enumerate() {
                for (k, &a) in spot.rows.iter().enumerate() {
                    for (l, &b) in other.rows.iter().enumerate() {
                        let value = rows.product(a, b);
                        self.w[(3 * i + k) * n + 3 * j + l] = value;
                        self.w[(3 * j + l) * n + 3 * i + k] = value;
                    }
                }
            }
        }
    }

    /// Takes Newton steps from the impulses given, until `|F|` does not fall any more. What it is then, weighed.
    pub fn run(&mut self, list: &[Spot]) -> f64 {
        let mut last = f64::INFINITY;
        for _ in 0..MOST_STEPS {
            let (size, matrix_ready) = self.linearise(list);
            if !matrix_ready || !(size < 0.5 * last) {
                return size.min(last);
            }
            last = size;
            self.qr.factor(REDUNDANT);
            self.qr.solve(&mut self.f);
            self.impulses.iter_mut().zip(&self.f).for_each(|(x, d)| *x -= d);
        }
        last
    }

    /// `F` and its derivative, in the factorisation's memory; the size of `F`, and whether it is a number.
    fn linearise(&mut self, list: &[Spot]) -> (f64, bool) {
        let n = self.impulses.len();
        self.v.clone_from(&self.v0);
        for (v, row) in self.v.iter_mut().zip(self.w.chunks_exact(n)) {
            *v += row.iter().zip(&self.impulses).map(|(w, x)| w * x).sum::<f64>();
        }
        self.f.clear();
        self.f.resize(n, 0.0);
        let j = self.qr.reset(n);
        let mut size = 0.0;
        for (i, spot) in list.iter().enumerate() {
            let at = 3 * i;
            let (x, v) = (&self.impulses[at..at + 3], &self.v[at..at + 3]);
            let w = |r: usize, c: usize| self.w[r * n + c];
            let w_n = w(at, at);
            if x[0] - v[0] / w_n > 0.0 {
                // Closed: v_n = b.
                self.f[at] = v[0] / w_n;
                (0..n).for_each(|c| j[c * n + at] = w(at, c) / w_n);
            } else {
                self.f[at] = x[0];
                j[at * n + at] = 1.0;
            }
            size += self.f[at].abs() * w_n.sqrt();
            let w_t = w(at + 1, at + 1).max(w(at + 2, at + 2));
            let radius = spot.friction * x[0].max(0.0);
            if !(w_t > 0.0) || radius == 0.0 {
                for k in 1..3 {
                    self.f[at + k] = x[k];
                    j[(at + k) * n + at + k] = 1.0;
                }
                size += (self.f[at + 1].abs() + self.f[at + 2].abs()) * w_t.sqrt();
                continue;
            }
            let t = [x[1] - v[1] / w_t, x[2] - v[2] / w_t];
            let length = t[0].hypot(t[1]);
            if length <= radius {
                // Sticks: v_t = 0.
                for k in 1..3 {
                    self.f[at + k] = v[k] / w_t;
                    (0..n).for_each(|c| j[c * n + at + k] = w(at + k, c) / w_t);
                }
            } else {
                // Slides: λ_t = r t/|t|, and d(t/|t|) = (1 - t tᵀ/|t|²) dt/|t|.
                let unit = [t[0] / length, t[1] / length];
                let slope = radius / length;
                for k in 0..2 {
                    self.f[at + 1 + k] = x[1 + k] - radius * unit[k];
                    for l in 0..2 {
                        let across = slope * (if k == l { 1.0 } else { 0.0 } - unit[k] * unit[l]);
                        for c in 0..n {
                            j[c * n + at + 1 + k] += across * w(at + 1 + l, c) / w_t;
                        }
                        j[(at + 1 + l) * n + at + 1 + k] -= across;
                    }
                    j[(at + 1 + k) * n + at + 1 + k] += 1.0;
                    j[at * n + at + 1 + k] -= spot.friction * unit[k];
                }
            }
            size += (self.f[at + 1].abs() + self.f[at + 2].abs()) * w_t.sqrt();
        }
        (size, size.is_finite())
    }
}
