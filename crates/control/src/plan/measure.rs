//! Measures: functions of a node's state, with their gradients along the degrees of freedom.
//!
//! ```text
//! point       Rbᵀ (x_a - x_b)              a point of a body, in the world or on another body
//! attitude    log(Tᵀ Rbᵀ R_a)              rotation vector from a target to an orientation
//! alignment   u_a · w_b                    two axes
//! coordinate  θ                            of a joint
//! velocities  v_a - v_b, ω_a - ω_b         of bodies, world axes; need the node's momenta
//! ```
//!
//! The first four are functions of the configuration; their gradients are wrenches on the two bodies, reduced to the degrees of freedom.

use nalgebra::Rotation3;
use percussion_geometry::Vec3;
use percussion_mechanics::kinematics::ConfigurationKinematics;
use percussion_mechanics::rotation::{Mat3, RodriguesVector, hat};
use percussion_mechanics::spatial::{Vec6, angular, linear, twist};

/// A point or a direction on a body, in the body's own frame; `None` is the world.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BodyPoint {
    /// The body, by its index in the model.
    pub body: Option<usize>,
    /// Components.
    pub components: Vec3,
}

/// A quantity of a node's state.
#[derive(Clone, Debug, PartialEq)]
pub enum Measure {
    /// The position of a point of a body, in the frame of another one or of the world.
    Point {
        /// The point.
        of: BodyPoint,
        /// The body of the frame; `None` is the world.
        from: Option<usize>,
    },
    /// The rotation vector from a target to a body's orientation.
    Attitude {
        /// The body.
        body: usize,
        /// The body of the frame; `None` is the world.
        from: Option<usize>,
        /// The target, in that frame.
        target: Mat3,
    },
    /// The scalar product of two directions.
    Alignment {
        /// One.
        one: BodyPoint,
        /// The other.
        other: BodyPoint,
    },
    /// A coordinate of a joint, by its index among all of the model, and its degree of freedom.
    Coordinate {
        /// The coordinate.
        coordinate: usize,
        /// The degree of freedom.
        dof: usize,
    },
    /// Velocity of a point of a body, relative to another body, world axes.
    Velocity {
        /// The point.
        of: BodyPoint,
        /// The other body; `None` is the world.
        from: Option<usize>,
    },
    /// Angular velocity of a body relative to another, world axes.
    AngularVelocity {
        /// The body.
        body: usize,
        /// The other body; `None` is the world.
        from: Option<usize>,
    },
}

impl Measure {
    /// Number of components.
    pub fn components(&self) -> usize {
        match self {
            Self::Alignment { .. } | Self::Coordinate { .. } => 1,
            _ => 3,
        }
    }

    /// Whether it depends on momenta.
    pub fn depends_on_velocity(&self) -> bool {
        matches!(self, Self::Velocity { .. } | Self::AngularVelocity { .. })
    }

    /// The bodies it depends on.
    pub fn bodies(&self) -> [Option<usize>; 2] {
        match self {
            Self::Point { of, from } | Self::Velocity { of, from } => [of.body, *from],
            Self::Attitude { body, from, .. } | Self::AngularVelocity { body, from } => [Some(*body), *from],
            Self::Alignment { one, other } => [one.body, other.body],
            Self::Coordinate { .. } => [None, None],
        }
    }

    /// Its components at a node.
    pub fn value(&self, kinematics: &ConfigurationKinematics, out: &mut [f64]) {
        match self {
            Self::Point { of, from } => {
                let (x, r) = kinematics.frame(*from);
                let d = r.transpose() * (kinematics.point(of.body, &of.components) - x);
                out.copy_from_slice(d.as_slice());
            }
            Self::Attitude { body, from, target } => {
                out.copy_from_slice(attitude(kinematics, *body, *from, target).log().as_slice());
            }
            Self::Alignment { one, other } => {
                out[0] = kinematics
                    .direction(one.body, &one.components)
                    .dot(&kinematics.direction(other.body, &other.components))
            }
            Self::Coordinate { coordinate, .. } => out[0] = kinematics.state.coordinates[*coordinate],
            Self::Velocity { of, from } => {
                let velocity = |body: Option<usize>, x: &Vec3| {
                    let t = kinematics.twist(body);
                    linear(&t) + angular(&t).cross(&(x - kinematics.center_of_mass(body)))
                };
                let x = kinematics.point(of.body, &of.components);
                out.copy_from_slice((velocity(of.body, &x) - velocity(*from, &x)).as_slice());
            }
            Self::AngularVelocity { body, from } => {
                let spin = angular(&kinematics.twist(Some(*body))) - angular(&kinematics.twist(*from));
                out.copy_from_slice(spin.as_slice());
            }
        }
    }

    /// Writes the gradients of its components along all degrees of freedom of the model, row by row. Not for velocities.
    pub fn gradient(&self, kinematics: &mut ConfigurationKinematics, out: &mut [f64]) {
        out.fill(0.0);
        let n = kinematics.model.dofs;
        if let Self::Coordinate { dof, .. } = self {
            out[*dof] = 1.0;
            return;
        }
        let [a, b] = self.bodies();
        for (c, row) in out.chunks_exact_mut(n).enumerate() {
            let (on_a, on_b) = self.wrenches(kinematics, c);
            kinematics.generalised_forces(&[(a, on_a), (b, on_b)], row);
        }
    }

    /// The gradient of a component as wrenches on its two bodies, about their centres of mass.
    fn wrenches(&self, kinematics: &ConfigurationKinematics, c: usize) -> (Vec6, Vec6) {
        match self {
            Self::Point { of, from } => {
                // d = n·(x_a - x_b) with an axis n of b, which rotates with b.
                let (_, r) = kinematics.frame(*from);
                let axis = r.column(c).into_owned();
                let x = kinematics.point(of.body, &of.components);
                let on = |centre: Vec3| twist(&axis, &(x - centre).cross(&axis));
                (on(kinematics.center_of_mass(of.body)), -on(kinematics.center_of_mass(*from)))
            }
            Self::Attitude { body, from, target } => {
                // log(exp(ω) R): the inverse of the left Jacobian; ω is the difference of rotations, in the target's frame on b.
                let (_, r) = kinematics.frame(*from);
                let turn = attitude(kinematics, *body, *from, target);
                let rows = left_inverse(&turn.log()) * (r * target).transpose();
                let row = rows.row(c).transpose();
                (twist(&Vec3::zeros(), &row), twist(&Vec3::zeros(), &-row))
            }
            Self::Alignment { one, other } => {
                let torque = kinematics
                    .direction(one.body, &one.components)
                    .cross(&kinematics.direction(other.body, &other.components));
                (twist(&Vec3::zeros(), &torque), twist(&Vec3::zeros(), &-torque))
            }
            // No gradients by wrenches.
            Self::Coordinate { .. } | Self::Velocity { .. } | Self::AngularVelocity { .. } => {
                (Vec6::zeros(), Vec6::zeros())
            }
        }
    }
}

/// `Tᵀ Rbᵀ R_a`: the rotation from the target to the orientation, in the target's axes.
fn attitude(
    kinematics: &ConfigurationKinematics,
    body: usize,
    from: Option<usize>,
    target: &Mat3,
) -> RodriguesVector {
    let (_, above) = kinematics.frame(from);
    let (_, own) = kinematics.frame(Some(body));
    RodriguesVector::from_matrix(&((above * target).transpose() * own))
}

/// The inverse of the left Jacobian of the exponential: `log(exp(ω) exp(w)) = w + L⁻¹ ω`.
pub(crate) fn left_inverse(w: &Vec3) -> Mat3 {
    let angle = w.norm();
    let half = 0.5 * angle;
    // (1 - (θ/2) cot(θ/2)) / θ², by its series where it cancels.
    let factor = if angle < 1e-3 {
        1.0 / 12.0 + angle * angle / 720.0
    } else {
        (1.0 - half / half.tan()) / (angle * angle)
    };
    let k = hat(w);
    Mat3::identity() - k * 0.5 + k * k * factor
}

/// The left Jacobian of the exponential: `exp(w + d) = exp(L d) exp(w)` to first order.
pub(crate) fn left_jacobian(w: &Vec3) -> Mat3 {
    let angle2 = w.norm_squared();
    let angle = angle2.sqrt();
    let (a, b) = if angle < 1e-3 {
        (0.5 - angle2 / 24.0, 1.0 / 6.0 - angle2 / 120.0)
    } else {
        ((1.0 - angle.cos()) / angle2, (angle - angle.sin()) / (angle2 * angle))
    };
    let k = hat(w);
    Mat3::identity() + k * a + k * k * b
}

/// A rotation matrix from a rotation vector.
pub fn rotation_of(vector: &Vec3) -> Mat3 {
    *Rotation3::from_scaled_axis(*vector).matrix()
}
