//! Rotations without trigonometry: the Rodrigues vector of an increment, and friends.
//!
//! A rotation by the angle `θ` about the unit axis `n` has the Rodrigues vector `c = tan(θ/2) n`. Then
//!
//! ```text
//! R x - x = 2 (c × x + c × (c × x)) / (1 + |c|²)        no difference of nearly equal numbers for small turns
//! c of (b after a) = (a + b + b × a) / (1 - a·b)
//! ```
//!
//! so a step that turns a body a little is described to full *relative* precision, which the difference of
//! two rotation matrices is not: there the angular momentum of a step of length `h` would be known to `eps/(h ω)`.
//! Half turns have no Rodrigues vector: a step that large has no meaning for an integrator either.

use nalgebra::Matrix3;
use percussion_geometry::Vec3;

/// A 3 by 3 matrix.
pub type Mat3 = Matrix3<f64>;

/// The matrix of `x -> w × x`.
pub fn hat(w: &Vec3) -> Mat3 {
    Mat3::new(0.0, -w.z, w.y, w.z, 0.0, -w.x, -w.y, w.x, 0.0)
}

/// `Σ_I r_I × m_I` over the columns: twice the axial vector of `m rᵀ`. For `m = F vᵀ` it is `(r v) × F`.
pub fn moment_of(r: &Mat3, m: &Mat3) -> Vec3 {
    let k = m * r.transpose();
    Vec3::new(k[(2, 1)] - k[(1, 2)], k[(0, 2)] - k[(2, 0)], k[(1, 0)] - k[(0, 1)])
}

/// A rotation as its Rodrigues vector `tan(θ/2) n`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RodriguesVector(pub Vec3);

impl RodriguesVector {
    /// No rotation.
    pub fn identity() -> Self {
        Self(Vec3::zeros())
    }

    /// The rotation by `angle` about a unit axis.
    pub fn about(axis: &Vec3, angle: f64) -> Self {
        Self(axis * (0.5 * angle).tan())
    }

    /// The rotation whose rotation vector (axis times angle) is `w`.
    pub fn exp(w: &Vec3) -> Self {
        let angle = w.norm();
        // tan(x)/x = 1 + x²/3 + 2x⁴/15 + ...: below this bound the next term is under one unit of rounding.
        let half = 0.5 * angle;
        let ratio = if half < 1e-3 {
            0.5 * (1.0 + half * half / 3.0 + 2.0 * half.powi(4) / 15.0)
        } else {
            half.tan() / angle
        };
        Self(w * ratio)
    }

    /// Axis times angle.
    pub fn log(&self) -> Vec3 {
        let c = self.0.norm();
        let ratio = if c < 1e-3 { 2.0 * (1.0 - c * c / 3.0 + c.powi(4) / 5.0) } else { 2.0 * c.atan() / c };
        self.0 * ratio
    }

    /// The rotation `first`, then this one.
    pub fn after(&self, first: &RodriguesVector) -> RodriguesVector {
        let (a, b) = (&first.0, &self.0);
        RodriguesVector((a + b + b.cross(a)) / (1.0 - a.dot(b)))
    }

    /// The same rotation in axes turned by `frame`.
    pub fn rotated_by(&self, frame: &Mat3) -> RodriguesVector {
        RodriguesVector(frame * self.0)
    }

    /// `R x - x`, to relative precision.
    pub fn displacement(&self, x: &Vec3) -> Vec3 {
        let c = &self.0;
        let cx = c.cross(x);
        (cx + c.cross(&cx)) * (2.0 / (1.0 + c.norm_squared()))
    }

    /// The rotation matrix.
    pub fn matrix(&self) -> Mat3 {
        let c = &self.0;
        let k = 2.0 / (1.0 + c.norm_squared());
        let h = hat(c);
        Mat3::identity() + (h + h * h) * k
    }

    /// The rotation vector of a rotation matrix turns into a `RodriguesVector`; accurate away from half turns.
    pub fn from_matrix(r: &Mat3) -> RodriguesVector {
        let axial = Vec3::new(r[(2, 1)] - r[(1, 2)], r[(0, 2)] - r[(2, 0)], r[(1, 0)] - r[(0, 1)]);
        RodriguesVector(axial / (1.0 + r.trace()))
    }
}

/// The rotation matrix of angle `angle` about a unit axis.
pub fn about(axis: &Vec3, angle: f64) -> Mat3 {
    let (s, c) = angle.sin_cos();
    Mat3::identity() * c + hat(axis) * s + axis * axis.transpose() * (1.0 - c)
}

/// The nearest rotation, for a matrix that is one up to rounding (one step of the polar iteration).
pub fn orthonormalised(r: &Mat3) -> Mat3 {
    let excess = r.transpose() * r;
    r * (Mat3::identity() * 1.5 - excess * 0.5)
}

/// The direction from which [`tangents`] turns its frame, and the frame there. Its opposite is the one direction without
/// a continuous answer (no frame is continuous everywhere), so it is none along which anything is likely to point.
const FROM: [[f64; 3]; 3] = [[0.48, 0.6, 0.64], [0.8, 0.0, -0.6], [-0.36, 0.8, -0.48]];

/// Two unit vectors that complete a unit vector to a right-handed frame, as a function of it alone: a fixed frame
/// turned along the shortest way. Rounding in `n` changes them by rounding, so two places that compute `n` each in its
/// own way agree on them.
pub fn tangents(n: &Vec3) -> (Vec3, Vec3) {
    let [from, a, b] = FROM.map(Vec3::from);
    let sum = from + n;
    // 1 + from·n = |from + n|²/2, without the cancellation near the opposite of `from`.
    let half = 0.5 * sum.norm_squared();
    if half < f64::EPSILON * f64::EPSILON {
        return (a, -b);
    }
    (a - sum * (a.dot(n) / half), b - sum * (b.dot(n) / half))
}

/// How [`tangents`] change while the unit vector `n` changes by `d` (perpendicular to it). At the one direction without a
/// continuous answer there is no derivative either, and the result is zero.
pub fn tangents_derivative(n: &Vec3, d: &Vec3) -> (Vec3, Vec3) {
    let [from, a, b] = FROM.map(Vec3::from);
    let sum = from + n;
    let half = 0.5 * sum.norm_squared();
    if half < f64::EPSILON * f64::EPSILON {
        return (Vec3::zeros(), Vec3::zeros());
    }
    let rate = sum.dot(d) / half;
    let change = |e: &Vec3| -(d * e.dot(n) + sum * (e.dot(d) - e.dot(n) * rate)) / half;
    (change(&a), change(&b))
}

#[cfg(test)]
mod tests {
    use super::*;
    use nalgebra::Rotation3;

    #[test]
    fn turns_compose_as_matrices_do() {
        let (a, b) = (
            RodriguesVector::exp(&Vec3::new(0.3, -0.2, 0.9)),
            RodriguesVector::exp(&Vec3::new(-1.1, 0.4, 0.2)),
        );
        let expected = b.matrix() * a.matrix();
        assert!((b.after(&a).matrix() - expected).norm() < 1e-15);
        let x = Vec3::new(0.1, 2.0, -3.0);
        assert!((a.displacement(&x) - (a.matrix() * x - x)).norm() < 1e-15);
        assert!((RodriguesVector::from_matrix(&expected).0 - b.after(&a).0).norm() < 1e-14);
    }

    #[test]
    fn the_exponential_agrees_with_an_independent_one_for_small_and_large_turns() {
        for size in [0.0, 1e-9, 1e-4, 1.9e-3, 2.1e-3, 0.5, 3.0] {
            let w = Vec3::new(0.6, -0.48, 0.64) * size;
            let other = Rotation3::from_scaled_axis(w);
            assert!((RodriguesVector::exp(&w).matrix() - other.matrix()).norm() < 1e-15, "{size}");
            assert!((RodriguesVector::exp(&w).log() - w).norm() < 1e-15 * (1.0 + size));
            assert!((about(&Vec3::new(0.6, -0.48, 0.64), size) - other.matrix()).norm() < 1e-15);
        }
    }

    #[test]
    fn tangents_complete_any_direction_to_a_frame() {
        let opposite = -Vec3::from(FROM[0]);
        let near = (opposite + Vec3::new(0.0, 1e-6, 0.0)).normalize();
        for n in [Vec3::z(), -Vec3::z(), Vec3::x(), Vec3::new(0.36, 0.48, -0.8), opposite, near] {
            let (a, b) = tangents(&n);
            // Rounding in `n` is amplified by the inverse of its distance from the opposite.
            let tolerance = if n == near { 1e-9 } else { 1e-15 };
            assert!((a.cross(&b) - n).norm() < tolerance && a.dot(&n).abs() < tolerance);
            assert!((a.norm() - 1.0).abs() < tolerance);
        }
    }

    #[test]
    fn tangents_change_as_their_differences_do() {
        for n in [Vec3::z(), Vec3::x(), Vec3::new(0.36, 0.48, -0.8), Vec3::new(-0.6, -0.48, -0.64)] {
            let d = n.cross(&Vec3::new(0.3, -0.9, 0.5));
            let e = 1e-5;
            let at = |e: f64| tangents(&(n + d * e).normalize());
            let ((a1, b1), (a0, b0)) = (at(e), at(-e));
            let (a, b) = tangents_derivative(&n, &d);
            // Differences of second order: curvature grows with the inverse square of the distance from the opposite.
            assert!(((a1 - a0) / (2.0 * e) - a).norm() < 1e-7 && ((b1 - b0) / (2.0 * e) - b).norm() < 1e-7);
        }
    }

    #[test]
    fn a_rounded_rotation_is_tidied_to_rounding() {
        let r = RodriguesVector::exp(&Vec3::new(0.3, -0.2, 0.9)).matrix() * (1.0 + 1e-9);
        let t = orthonormalised(&r);
        assert!((t.transpose() * t - Mat3::identity()).norm() < 1e-15);
    }
}
