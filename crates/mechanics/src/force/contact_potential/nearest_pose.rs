//! Pose of a body for contact queries: shapes are rigid, so averaged directors at the middle of a step are replaced by the nearest rotation.
//!
//! ```text
//! F = S R                      R the rotation nearest to the directors F (their polar factor), S symmetric
//! ω = A⁻¹ Σ_I r_I × f_I'       A = tr(S) - S        how R turns while the directors change
//! M = hat(A⁻¹ τ) R             the forces on directors that a torque τ on R is: M·F' = τ·ω
//! ```
//!
//! The polar factor turns with the directors, so a potential of `R` keeps angular momentum as one of points does, and with
//! `M` as its gradient the midpoint rule stays variational. The torque of `M` at `F` is `(tr(S) - S) A⁻¹ τ = τ`: the exchange of bodies
//! cancels to rounding. At an instant `S` is one and `M` is the torque itself.

use crate::force::{Bodies, LinearForm};
use crate::rotation::{Mat3, hat};
use crate::spatial::{Vec6, angular, linear};
use crate::tolerances::POLAR_CHANGE;
use nalgebra::Rotation3;
use percussion_geometry::Pose;

/// Iterations for directors of a step that turns by all but half a turn.
const MOST_ITERATIONS: usize = 60;

/// A body at the rotation nearest to its directors.
#[derive(Clone, Copy, Debug)]
pub(super) struct NearestPose {
    /// Its slot; `None` for a fixed body.
    slot: Option<usize>,
    /// Its principal frame.
    pub pose: Pose,
    /// `A⁻¹`.
    lever: Mat3,
}

impl NearestPose {
    /// The body in a slot, or a fixed one.
    pub fn new(slot: Option<usize>, bodies: &Bodies) -> Self {
        let Some(seen) = slot.map(|slot| &bodies.kinematics[slot - bodies.first]) else {
            return Self { slot, pose: Pose::identity(), lever: Mat3::identity() * 0.5 };
        };
        let rotation = nearest_rotation(&seen.frame);
        let stretch = seen.frame * rotation.transpose();
        let stretch = (stretch + stretch.transpose()) * 0.5;
        let a = Mat3::identity() * stretch.trace() - stretch;
        // Singular for a turn by half a turn in one step only, where nothing has a value any more.
        let lever = a.try_inverse().unwrap_or_else(|| Mat3::repeat(f64::NAN));
        let pose = Pose::new(Rotation3::from_matrix_unchecked(rotation), seen.position);
        Self { slot, pose, lever }
    }

    /// A wrench about the centre of mass as forces on position and directors.
    pub fn form(&self, wrench: &Vec6) -> LinearForm {
        let moment = hat(&(self.lever * angular(wrench))) * self.pose.rotation.matrix();
        LinearForm { body: self.slot, force: linear(wrench), moment }
    }
}

/// The rotation nearest to directors that average two rotations less than half a turn apart: `X <- (X + X⁻ᵀ)/2`.
fn nearest_rotation(frame: &Mat3) -> Mat3 {
    let mut x = *frame;
    for _ in 0..MOST_ITERATIONS {
        let [a, b, c] = [0, 1, 2].map(|k| x.column(k).into_owned());
        let cofactors = Mat3::from_columns(&[b.cross(&c), c.cross(&a), a.cross(&b)]);
        let next = (x + cofactors / a.dot(&b.cross(&c))) * 0.5;
        let change = (next - x).amax();
        x = next;
        // Also where nothing is a number any more: the separation kernel refuses such placements.
        if !(change > POLAR_CHANGE) {
            break;
        }
    }
    x
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::force::BodyKinematics;
    use crate::rotation::{RodriguesVector, about, moment_of};
    use crate::spatial::twist;
    use percussion_geometry::Vec3;

    fn averaged(turn: &Vec3) -> (Mat3, Mat3, Mat3) {
        let r0 = RodriguesVector::exp(&Vec3::new(0.4, -1.1, 0.7)).matrix();
        let r1 = RodriguesVector::exp(turn).matrix() * r0;
        (r0, r1, (r0 + r1) * 0.5)
    }

    #[test]
    fn the_nearest_rotation_of_two_averaged_ones_is_half_way() {
        for angle in [0.0, 1e-9, 1e-3, 0.5, 2.0, 3.1] {
            let axis = Vec3::new(0.6, -0.48, 0.64);
            let (r0, _, frame) = averaged(&(axis * angle));
            let half_way = about(&axis, 0.5 * angle) * r0;
            // At nearly half a turn two singular values vanish, and rounding is amplified by their inverse.
            let tolerance = 4e-16 / (0.5 * angle).cos();
            assert!((nearest_rotation(&frame) - half_way).amax() < tolerance, "{angle}");
        }
    }

    #[test]
    fn forces_on_directors_do_the_work_of_a_torque_on_the_nearest_rotation() {
        let (_, _, frame) = averaged(&Vec3::new(0.3, 0.5, -0.4));
        let frame_rate = Mat3::new(0.2, -0.5, 0.1, 0.7, 0.3, -0.4, 0.6, -0.1, 0.9);
        let velocity = Vec3::new(0.1, -0.2, 0.3);
        let places = [BodyKinematics { position: Vec3::new(1.0, 2.0, 3.0), frame, velocity, frame_rate }];
        let bodies = Bodies { first: 7, kinematics: &places };
        let (force, torque) = (Vec3::new(1.0, -2.0, 0.5), Vec3::new(0.7, 0.2, -0.9));
        let form = NearestPose::new(Some(7), &bodies).form(&twist(&force, &torque));
        let e = 1e-5;
        let at = |e: f64| nearest_rotation(&(frame + frame_rate * e));
        let turning = (at(e) - at(-e)) / (2.0 * e) * at(0.0).transpose();
        let spin = Vec3::new(turning[(2, 1)], turning[(0, 2)], turning[(1, 0)]);
        assert!((turning - hat(&spin)).amax() < 1e-9);
        assert!((form.rate(&bodies) - force.dot(&velocity) - torque.dot(&spin)).abs() < 1e-9);
        // At the averaged directors they are the whole torque.
        assert!((moment_of(&frame, &form.moment) - torque).norm() < 1e-15);
    }

    #[test]
    fn at_an_instant_a_torque_works_with_the_angular_velocity() {
        let (frame, _, _) = averaged(&Vec3::zeros());
        let w = Vec3::new(0.3, -0.8, 0.2);
        let places = [BodyKinematics { frame, frame_rate: hat(&w) * frame, ..BodyKinematics::rest() }];
        let bodies = Bodies { first: 0, kinematics: &places };
        let torque = Vec3::new(0.7, 0.2, -0.9);
        let form = NearestPose::new(Some(0), &bodies).form(&twist(&Vec3::zeros(), &torque));
        assert!((form.rate(&bodies) - torque.dot(&w)).abs() < 1e-15);
    }
}
