//! Friction as printed: the ratio of squared norms of parts of the momentum [Johnson 3.118].
//!
//! The thesis compares *squared* norms of parts of the momentum with `μ` and omits `1 + e` [3.117, 3.118]. Coulomb's law is in
//! [`contact_impulses`](super::contact_impulses); this rule is for comparison with the published results.

use super::SINGULAR_DELASSUS;
use super::constraint::ContactConstraints;
use nalgebra::{Matrix3, Vector3};

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
