//! Derivatives of Jacobian columns along the degrees of freedom of an island.
//!
//! Degree of freedom `j` gives a body the velocity `v_j` of its centre of mass and the angular velocity `ω_j`. Under virtual rates of all
//! degrees of freedom, inner ones give it `(v>, ω>)`, and outer ones and `j` itself the angular velocity `A_j`:
//!
//! ```text
//! y_j = ∂v/∂j = A_j × v_j + ω_j × v>        ∂²v/∂i∂j = ω_i × y_j + (A_i × ω_i) × v_j        i outer, j inner or the same
//! z_j = ∂ω/∂j = ω_j × ω>                    ∂²ω/∂i∂j = ω_i × z_j
//! ```
//!
//! The three rotations of a free or spherical joint are one rotation vector: there both orders count half.

use super::jacobian_columns::{AncestorChain, JointColumn};
use percussion_geometry::Vec3;

/// A Jacobian column of a body with its derivative under a virtual motion.
#[derive(Clone, Copy, Debug)]
pub struct ColumnDerivative {
    /// The column `(v, ω)`.
    pub column: JointColumn,
    /// `y` and `z`: derivatives of the virtual velocity and angular velocity along the degree of freedom.
    pub derivative: (Vec3, Vec3),
    /// `A × ω`: rotation of the axis by the outer degrees of freedom and its own.
    pub axis_rate: Vec3,
}

/// Sets the column derivatives of a body under virtual rates of its island; returns its virtual velocity and angular velocity.
pub fn set_column_derivatives(
    chain: AncestorChain,
    rates: &[f64],
    out: &mut Vec<ColumnDerivative>,
) -> (Vec3, Vec3) {
    let list = chain.columns;
    let motion = |columns: &[JointColumn]| {
        let sum = (Vec3::zeros(), Vec3::zeros());
        columns.iter().fold(sum, |sum, column| {
            let rate = rates[column.dof];
            (sum.0 + column.velocity * rate, sum.1 + column.angular_velocity * rate)
        })
    };
    let whole = motion(list);
    let mut outer = (Vec3::zeros(), Vec3::zeros());
    out.clear();
    let mut next = 0;
    while next < list.len() {
        let count = list[next..]
            .iter()
            .take_while(|column| column.shares_rotation_vector(&list[next]))
            .count()
            .max(1);
        let own = motion(&list[next..next + count]);
        outer = (outer.0 + own.0, outer.1 + own.1);
        let inner = (whole.0 - outer.0, whole.1 - outer.1);
        for column in &list[next..next + count] {
            let (v, ω) = (&column.velocity, &column.angular_velocity);
            let mut derivative = (outer.1.cross(v) + ω.cross(&inner.0), ω.cross(&inner.1));
            if let Some(rod) = column.rod {
                derivative.0 += chain.rods[rod].velocity_derivative(rates, column.dof);
            }
            out.push(ColumnDerivative { column: *column, derivative, axis_rate: outer.1.cross(ω) });
        }
        next += count;
    }
    whole
}
