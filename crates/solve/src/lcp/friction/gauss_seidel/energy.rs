//! Impulses that sweeps leave unsolved must not add energy.
//!
//! ```text
//! K(v) = K(v_free) + x.Δ⁻ + E(x),      E(x) = x.(u - Δ⁺) - 1/2 |v - v_free|²,        u = rows . v + Δ
//! E(t x) = t (x.(u - Δ⁺) - |v - v_free|²) + 1/2 t² |v - v_free|²          least for t = 1 - x.(u - Δ⁺) / |v - v_free|²
//! ```
//!
//! E is the energy that the impulses x of an island add beyond that without impulses and beyond the work of the
//! penetrations `Δ⁻ = max(-Δ, 0)` that are corrected, of equalities and of walls that are driven. Solutions have `x.u <= 0`, and open gaps Δ⁺
//! only take: `E <= 0`; no impulses have `E = 0`. It is raised by warm starts from a different step (after an impact
//! they are a hundred times too large, and a few sweeps leave most of it), and friction, whose bound moves with the
//! pressure. Cones contain all multiples of what they contain, and the best multiple has `E <= 0` whatever x is.

use super::islands::Island;
use super::sweep::IslandResidual;
use super::system::System;
use crate::lcp::friction::impulses::Cone;
use crate::tolerances::gauss_seidel::ENERGY;

impl System {
    /// Whether `E > 0`.
    pub(super) fn gains_energy(&self, island: &Island, residual: &IslandResidual) -> bool {
        // NaN counts as energy gained.
        !(residual.power <= (0.5 + ENERGY) * self.response(island))
    }

    /// Scales the impulses of an island to their best multiple.
    pub(super) fn scale_impulses(&mut self, island: &Island, cone: Cone) {
        let best = 1.0 - self.island_residual(island, cone).power / self.response(island);
        let rows = self.rows_of(island);
        // NaN is replaced by zero.
        self.x[rows].iter_mut().for_each(|x| *x = if best > 0.0 { best.min(1.0) * *x } else { 0.0 });
        self.update_velocities(island);
    }

    /// `|v - v_free|²`
    fn response(&self, island: &Island) -> f64 {
        let (v, free) = (&self.v[island.blocks.clone()], &self.free[island.blocks.clone()]);
        let pairs = v.as_flattened().iter().zip(free.as_flattened());
        pairs.fold(0.0, |sum, (v, f)| sum + (v - f) * (v - f))
    }
}
