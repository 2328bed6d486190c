//! Coulomb friction by block Gauss-Seidel in contact space, and the friction ratio of [Johnson 3.118].
//!
//! ```text
//! λ_n ≥ 0  ⟂  v_n⁺ + e v_n⁻ ≥ 0        |λ_t| ≤ μ λ_n,  λ_t minimises 1/2 λᵀ W_tt λ + b·λ there      v_t⁺ = b + W_tt λ_t
//!
//! start_impulses                initial normal impulses, Delassus blocks, bounds from restitution
//! sweep                         each contact solved exactly in turn (sequential impulses)
//! refine_by_newton              after many sweeps: nonsmooth Newton step                        cone_newton.rs
//! apply_poisson_restitution     restitution by Poisson's hypothesis from a plastic solution
//! add_impulses_to               impulses added to the constraints
//! ```
//!
//! A contact sticks (`v_t⁺ = 0`) if the impulse for that is at most `μ λ_n`; otherwise it slides against `λ_t`.
//!
//! The thesis compares *squared* norms of parts of the momentum with `μ` and omits `1 + e` [3.117, 3.118]; that rule is available
//! as [`ratio_friction`] for comparison.

use super::cone_newton::FrictionNewton;
use super::constraint::{ConstraintSlice, ContactConstraint, ContactConstraints};
use super::impact_law::energy;
use super::mass_metric::JacobianRows;
use super::{
    MAX_SWEEPS, MAX_SWEEPS_RESTITUTION, NEWTON_ACCEPTED, SINGULAR_DELASSUS, SWEEP_TOLERANCE,
    SWEEPS_BEFORE_NEWTON,
};
use nalgebra::{Matrix3, Vector2, Vector3};

/// Impulse of one contact during the iteration.
#[derive(Clone, Copy, Debug)]
struct ContactImpulse {
    normal: f64,
    tangential: Vector2<f64>,
    /// Lower bound of `v_n⁺`.
    velocity_bound: f64,
    w_nn: f64,
    w_tt: [f64; 3],
}

/// Solves for impulses with Coulomb friction, with its workspace.
#[derive(Clone, Debug, Default)]
pub(super) struct FrictionSolver {
    impulses: Vec<ContactImpulse>,
    saved: Vec<ContactImpulse>,
    /// Mass-weighted momenta without impulses.
    start: Vec<f64>,
    /// Change of momentum at which the iteration ends.
    tolerance: f64,
    /// Change of momentum by the last sweep.
    change: f64,
    newton: FrictionNewton,
}

impl FrictionSolver {
    fn start_impulses(
        &mut self,
        contacts: ConstraintSlice,
        max_restitution: f64,
        normal_impulses: impl Iterator<Item = f64>,
        u: &[f64],
    ) {
        self.impulses.clear();
        self.impulses.extend(contacts.list.iter().zip(normal_impulses).map(|(contact, normal)| {
            let [n, s, t] = contact.rows;
            let w_tt =
                [contacts.rows.delassus(s, s), contacts.rows.delassus(s, t), contacts.rows.delassus(t, t)];
            let velocity_bound = -contact.restitution.min(max_restitution) * contacts.rows.dot(n, u);
            ContactImpulse {
                normal,
                tangential: Vector2::zeros(),
                velocity_bound,
                w_nn: contacts.rows.delassus(n, n),
                w_tt,
            }
        }));
    }

    /// Solves for the impulses of a list of constraints and adds them to `u`. Coefficients of restitution are at
    /// most `max_restitution`; `normal_impulses` are the initial normal impulses. Whether the iteration converged.
    pub fn solve(
        &mut self,
        contacts: ConstraintSlice,
        max_restitution: f64,
        normal_impulses: &[f64],
        u: &mut [f64],
    ) -> bool {
        self.start_impulses(contacts, max_restitution, normal_impulses.iter().copied(), u);
        self.start.clear();
        self.start.extend_from_slice(u);
        self.tolerance =
            SWEEP_TOLERANCE * (8 + contacts.list.len()) as f64 * u.iter().map(|v| v * v).sum::<f64>().sqrt();
        self.update_momenta(contacts, u);
        let mut next_refinement = SWEEPS_BEFORE_NEWTON;
        for sweep in 1..=if max_restitution > 0.0 { MAX_SWEEPS_RESTITUTION } else { MAX_SWEEPS } {
            self.change = self.sweep(contacts, true, u);
            if !(self.change > self.tolerance) {
                return true;
            }
            if sweep == next_refinement {
                next_refinement *= 2;
                if self.refine_by_newton(contacts, u) {
                    return true;
                }
            }
        }
        false
    }

    /// Restitution by Poisson's hypothesis: the normal impulses of the plastic impact are multiplied by `1 + e`, and friction is
    /// solved for again. Undone if the energy then exceeds `limit`.
    pub fn apply_poisson_restitution(
        &mut self,
        contacts: ConstraintSlice,
        max_restitution: f64,
        limit: f64,
        u: &mut [f64],
    ) {
        self.saved.clone_from(&self.impulses);
        for (contact, impulse) in contacts.list.iter().zip(&mut self.impulses) {
            impulse.normal *= 1.0 + contact.restitution.min(max_restitution);
        }
        self.update_momenta(contacts, u);
        for _ in 0..MAX_SWEEPS {
            self.change = self.sweep(contacts, false, u);
            if !(self.change > self.tolerance) {
                break;
            }
        }
        if !(energy(u) <= limit) {
            std::mem::swap(&mut self.saved, &mut self.impulses);
            self.update_momenta(contacts, u);
        }
    }

    /// Newton refinement of the present impulses, checked by a sweep and undone if that changes them. Whether it was accepted.
    fn refine_by_newton(&mut self, contacts: ConstraintSlice, u: &mut [f64]) -> bool {
        let Self { impulses, newton, .. } = self;
        newton.closed.clear();
        newton.closed.extend((0..impulses.len()).filter(|&k| impulses[k].normal > 0.0));
        if newton.closed.is_empty() {
            return false;
        }
        newton.impulses.clear();
        for &k in &newton.closed {
            let impulse = &impulses[k];
            newton.impulses.extend([impulse.normal, impulse.tangential.x, impulse.tangential.y]);
        }
        newton.set_problem(contacts, &self.start, |k| impulses[k].velocity_bound);
        if !(newton.refine(contacts.list, self.tolerance) <= NEWTON_ACCEPTED * self.tolerance) {
            return false;
        }
        self.saved.clone_from(impulses);
        for (&k, x) in newton.closed.iter().zip(newton.impulses.chunks_exact(3)) {
            impulses[k].normal = x[0].max(0.0);
            impulses[k].tangential = Vector2::new(x[1], x[2]);
        }
        self.update_momenta(contacts, u);
        let change = self.sweep(contacts, true, u);
        let accepted = change <= 4.0 * self.tolerance;
        if accepted {
            self.change = change;
        } else {
            std::mem::swap(&mut self.saved, &mut self.impulses);
            self.update_momenta(contacts, u);
        }
        accepted
    }

    /// `u` from the momenta without impulses and the present impulses.
    fn update_momenta(&self, contacts: ConstraintSlice, u: &mut [f64]) {
        u.copy_from_slice(&self.start);
        for (contact, impulse) in contacts.list.iter().zip(&self.impulses) {
            for (row, value) in
                contact.rows.iter().zip([impulse.normal, impulse.tangential.x, impulse.tangential.y])
            {
                contacts.rows.add_scaled(*row, value, u);
            }
        }
    }

    /// Solves every contact once, in turn, or only its friction; returns the change of momentum.
    fn sweep(&mut self, contacts: ConstraintSlice, normal: bool, u: &mut [f64]) -> f64 {
        let mut change = 0.0;
        for (contact, impulse) in contacts.list.iter().zip(&mut self.impulses) {
            let [n, s, t] = contact.rows;
            if normal {
                let updated = (impulse.normal
                    + (impulse.velocity_bound - contacts.rows.dot(n, u)) / impulse.w_nn)
                    .max(0.0);
                contacts.rows.add_scaled(n, updated - impulse.normal, u);
                change += (updated - impulse.normal).abs() * impulse.w_nn.sqrt();
                impulse.normal = updated;
            }
            if contact.friction == 0.0 {
                continue;
            }
            let v = Vector2::new(contacts.rows.dot(s, u), contacts.rows.dot(t, u));
            let updated = minimize_over_disc(
                &impulse.w_tt,
                &(v - multiply(&impulse.w_tt, &impulse.tangential)),
                contact.friction * impulse.normal,
            );
            let difference = updated - impulse.tangential;
            contacts.rows.add_scaled(s, difference.x, u);
            contacts.rows.add_scaled(t, difference.y, u);
            change += difference.norm() * impulse.w_tt[0].max(impulse.w_tt[2]).sqrt();
            impulse.tangential = updated;
        }
        change
    }

    /// Change of momentum by the last sweep relative to the momentum of the group: an estimate of the error.
    pub fn residual(&self) -> f64 {
        let scale = (2.0 * energy(&self.start)).sqrt();
        if scale > 0.0 { self.change / scale } else { 0.0 }
    }

    /// Adds the impulses last solved for to those of the constraints.
    pub fn add_impulses_to(&self, list: &mut [ContactConstraint]) {
        for (contact, impulse) in list.iter_mut().zip(&self.impulses) {
            contact.normal_impulse += impulse.normal;
            contact.friction_impulse +=
                contact.tangents[0] * impulse.tangential.x + contact.tangents[1] * impulse.tangential.y;
        }
    }

    /// Tangential impulses for the normal impulses of the constraints, each from the same `u`, to which all are added.
    pub fn solve_for_normal_impulses(
        &mut self,
        list: &mut [ContactConstraint],
        rows: &JacobianRows,
        u: &mut [f64],
    ) {
        let contacts = ConstraintSlice { list, rows };
        self.start_impulses(contacts, 0.0, list.iter().map(|contact| contact.normal_impulse), u);
        for (contact, impulse) in list.iter().zip(&mut self.impulses) {
            let v = Vector2::new(rows.dot(contact.rows[1], u), rows.dot(contact.rows[2], u));
            impulse.tangential = minimize_over_disc(&impulse.w_tt, &v, contact.friction * impulse.normal);
        }
        for (contact, impulse) in list.iter_mut().zip(&mut self.impulses) {
            rows.add_scaled(contact.rows[1], impulse.tangential.x, u);
            rows.add_scaled(contact.rows[2], impulse.tangential.y, u);
            impulse.normal = 0.0;
        }
        self.add_impulses_to(list);
    }
}

/// `W x` of a symmetric matrix `(w0, w1; w1, w2)`.
fn multiply(w: &[f64; 3], x: &Vector2<f64>) -> Vector2<f64> {
    Vector2::new(w[0] * x.x + w[1] * x.y, w[1] * x.x + w[2] * x.y)
}

/// The minimum of `1/2 xᵀ W x + b·x` over the disc of a radius, `W` = ((w0, w1), (w1, w2)) positive semidefinite.
///
/// Solved as `x = radius y` in the unit disc, with `radius W` and `b` scaled by the greater of the two, so that squares do not
/// underflow however small the impulses are: at rest, momenta decrease by a rounding with every response.
fn minimize_over_disc(w: &[f64; 3], b: &Vector2<f64>, radius: f64) -> Vector2<f64> {
    if !(radius > 0.0) || *b == Vector2::zeros() {
        return Vector2::zeros();
    }
    // Eigenvectors (c, s) and (-s, c).
    let angle = 0.5 * (2.0 * w[1]).atan2(w[0] - w[2]);
    let (s, c) = angle.sin_cos();
    let (mean, spread) = (0.5 * (w[0] + w[2]), (0.5 * (w[0] - w[2])).hypot(w[1]));
    let scale = (radius * (mean + spread)).max(b.amax());
    let values = Vector2::new(mean + spread, (mean - spread).max(0.0)) * (radius / scale);
    let b = Vector2::new(c * b.x + s * b.y, c * b.y - s * b.x) / scale;
    let back = |y: Vector2<f64>| Vector2::new(c * y.x - s * y.y, s * y.x + c * y.y) * radius;
    let at = |k: f64| {
        let part = |i: usize| if b[i] == 0.0 { 0.0 } else { -b[i] / (values[i] + k) };
        Vector2::new(part(0), part(1))
    };
    let admissible =
        |i: usize| values[i] > SINGULAR_DELASSUS * values[0] || b[i].abs() <= SINGULAR_DELASSUS * b.amax();
    if admissible(0) && admissible(1) {
        let still =
            |i: usize| if values[i] > SINGULAR_DELASSUS * values[0] { -b[i] / values[i] } else { 0.0 };
        let free = Vector2::new(still(0), still(1));
        if free.norm() <= 1.0 {
            return back(free);
        }
    }
    // |y(k)| = 1 for one k > 0: Newton on 1/|y(k)|, from the left, where it is concave and increasing.
    let mut k = (0..2).map(|i| b[i].abs() - values[i]).fold(0.0, f64::max);
    for _ in 0..60 {
        let y = at(k);
        let length = y.norm();
        let slope = (0..2).map(|i| y[i] * y[i] / (values[i] + k)).sum::<f64>() / length.powi(3);
        let next = k + (1.0 - 1.0 / length) / slope;
        if !(next > k * (1.0 + 1e-15)) {
            break;
        }
        k = next;
    }
    back(at(k).normalize())
}

/// Friction as printed: `-p_slide` if `|p_slide|²/|p_norm|² ≤ μ`, else `-μ (|p_norm|²/|p_slide|²) p_slide`, with
/// `p_slide = p_nonfix - p_norm` of the momenta before the update [Johnson 3.114-3.118]. One constraint per pair.
pub(super) fn ratio_friction(constraints: &mut ContactConstraints, before: &[f64], u: &mut [f64]) {
    let ContactConstraints { list, rows, .. } = constraints;
    for contact in list.iter_mut() {
        let velocity = Vector3::from_fn(|i, _| rows.dot(contact.rows[i], before));
        if !(velocity[0] < 0.0) {
            continue;
        }
        let w = Matrix3::from_fn(|i, j| rows.delassus(contact.rows[i], contact.rows[j]));
        let norm = velocity[0] / w[(0, 0)];
        let mut slide = solve_symmetric(&w, &velocity);
        slide[0] -= norm;
        let (sliding, normal) = (slide.dot(&(w * slide)), norm * norm * w[(0, 0)]);
        let ratio = sliding / normal;
        let factor = if ratio <= contact.friction { 1.0 } else { contact.friction / ratio };
        let impulse = slide * -factor;
        (0..3).for_each(|i| rows.add_scaled(contact.rows[i], impulse[i], u));
        contact.friction_impulse =
            contact.normal * impulse[0] + contact.tangents[0] * impulse[1] + contact.tangents[1] * impulse[2];
    }
}

/// `w⁺ v` of a positive semidefinite matrix.
fn solve_symmetric(w: &Matrix3<f64>, v: &Vector3<f64>) -> Vector3<f64> {
    let eigen = w.symmetric_eigen();
    let max_restitution = eigen.eigenvalues.amax();
    (0..3)
        .filter(|i| eigen.eigenvalues[*i] > SINGULAR_DELASSUS * max_restitution)
        .map(|i| {
            let axis = eigen.eigenvectors.column(i);
            axis * (axis.dot(v) / eigen.eigenvalues[i])
        })
        .sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_minimum_over_a_disc_satisfies_its_conditions() {
        for (w, b, radius) in [
            ([2.0, 0.3, 1.0], [0.5, -0.7], 10.0),
            ([2.0, 0.3, 1.0], [0.5, -0.7], 0.2),
            ([2.0, 1.4, 1.0], [0.5, -0.7], 0.3),
            ([1.0, 0.0, 0.0], [0.5, 0.0], 0.2),
            ([1.0, 0.0, 0.0], [0.5, 0.0], 2.0),
            ([1e-6, 0.0, 3.0], [1.0, 1.0], 1e-3),
            ([1.0, 0.0, 1.0], [3.0, 4.0], 1.0),
        ] {
            let b = Vector2::from(b);
            let x = minimize_over_disc(&w, &b, radius);
            let v = b + multiply(&w, &x);
            // Sticks inside; on the rim it slides against the impulse.
            if x.norm() < radius * (1.0 - 1e-12) {
                assert!(v.norm() < 1e-14, "{w:?} {b:?} {v:?}");
            } else {
                assert!((x.norm() - radius).abs() < 1e-15 * radius.max(1.0));
                assert!(v.perp(&x).abs() < 1e-13 * radius && v.dot(&x) <= 0.0, "{w:?} {b:?} {v:?} {x:?}");
            }
        }
        assert_eq!(
            minimize_over_disc(&[1.0, 0.0, 1.0], &Vector2::new(3.0, 4.0), 1.0),
            Vector2::new(-0.6, -0.8)
        );
    }

    #[test]
    fn the_minimum_over_a_disc_scales_with_its_data() {
        // Momenta of bricks at rest for some steps: their squares underflow.
        let w = [3.0, -0.75, 8.75];
        let b = Vector2::new(-7.0, 0.75);
        for radius in [0.5, 20.0] {
            let x = minimize_over_disc(&w, &b, radius);
            for power in [-1000, -600, -540, 300] {
                let scale = 2f64.powi(power);
                assert_eq!(minimize_over_disc(&w, &(b * scale), radius * scale), x * scale, "{power}");
            }
        }
        // Radii far smaller and far greater than what the linear term needs.
        for (b, radius) in [(b, 1e-300), (b * 1e-300, 1e-307), (b * 1e-300, 1.0)] {
            let x = minimize_over_disc(&w, &b, radius);
            assert!(x.iter().all(|x| x.is_finite()) && x.x.hypot(x.y) <= radius * (1.0 + 1e-15), "{x}");
            assert!(x.dot(&b) <= 0.0 && x.x.hypot(x.y) > 0.0, "{x}");
        }
    }
}
