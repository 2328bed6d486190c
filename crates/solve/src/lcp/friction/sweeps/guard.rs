//! Impulses that sweeps start from, or leave unsolved, must not bring energy.
//!
//! ```text
//! K(v) = K(v_free) - x.Δ + D(x),       D(x) = x.u - 1/2 |v - v_free|²,        u = rows . v + Δ
//! D(t x) = t (x.u - |v - v_free|²) + 1/2 t² |v - v_free|²                      least for t = 1 - x.u / |v - v_free|²
//! ```
//!
//! D is what the impulses x of a part bring beyond the energy that there would be without them and what was asked for: the work of the
//! offsets Δ, which mend overlaps, and of walls that are driven. Solutions have `x.u <= 0` and so `D <= 0`; no impulses have
//! `D = 0`. Without friction every visit of a sweep lowers D. What raises it are starts from a step that was another one (after an
//! impact they are a hundred times too large, and a few sweeps leave most of it), and friction, whose bound moves with the
//! pressure. Cones contain all multiples of what they contain, and the best multiple has `D <= 0` whatever x is.

use super::graph::Part;
use super::pass::Account;
use super::system::System;
use crate::lcp::friction::impulses::Cone;

/// D above this multiple of `|v - v_free|²` is no rounding.
const ROUNDING: f64 = 1e-9;

impl System {
    /// Whether `D > 0`.
    pub(super) fn brings_energy(&self, part: &Part, account: &Account) -> bool {
        // What is not a number brings anything.
        !(account.power <= (0.5 + ROUNDING) * self.response(part))
    }

    /// Scales the impulses of a part to their best multiple.
    pub(super) fn temper(&mut self, part: &Part, cone: Cone) -> Account {
        let best = 1.0 - self.account(part, cone).power / self.response(part);
        // Nor is it worth anything.
        let best = if best > 0.0 { best.min(1.0) } else { 0.0 };
        let rows = self.rows_of(part);
        self.x[rows].iter_mut().for_each(|x| *x = if best > 0.0 { best * *x } else { 0.0 });
        self.propel(part);
        self.account(part, cone)
    }

    /// `|v - v_free|²`
    fn response(&self, part: &Part) -> f64 {
        let (v, free) = (&self.v[part.bodies.clone()], &self.free[part.bodies.clone()]);
        let pairs = v.as_flattened().iter().zip(free.as_flattened());
        pairs.fold(0.0, |sum, (v, f)| sum + (v - f) * (v - f))
    }
}
