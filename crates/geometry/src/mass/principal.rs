//! Principal moments and axes of an inertia tensor, by Jacobi rotations.
//!
//! Jacobi's method keeps axes that are already principal untouched, so that a box keeps its own frame even
//! where moments are equal, and finds small moments of symmetric positive tensors to high relative accuracy.

use nalgebra::{Matrix3, Rotation3};

use crate::Vec3;

/// Sweeps over the three off-diagonal entries; convergence is quadratic and takes four to six.
const SWEEPS: usize = 30;

/// Principal moments, ascending, and the axes that belong to them.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Principal {
    /// Moments of inertia about the axes, ascending.
    pub moments: Vec3,
    /// Right-handed axes as columns: `inertia = axes diag(moments) axes^T`.
    pub axes: Rotation3<f64>,
}

impl Principal {
    /// Of a symmetric tensor.
    pub fn of(tensor: &Matrix3<f64>) -> Self {
        let mut a = *tensor;
        let mut v = Matrix3::<f64>::identity();
        for _ in 0..SWEEPS {
            let mut turned = false;
            for (p, q) in [(0, 1), (0, 2), (1, 2)] {
                turned |= rotate(&mut a, &mut v, p, q);
            }
            if !turned {
                break;
            }
        }
        let mut order = [0, 1, 2];
        order.sort_by(|&i, &j| a[(i, i)].total_cmp(&a[(j, j)]));
        let moments = Vec3::from_fn(|k, _| a[(order[k], order[k])]);
        let mut axes = Matrix3::from_columns(&order.map(|k| v.column(k).into_owned()));
        // Signs: the greatest component of the first two is positive, the third makes a right-handed frame.
        for k in 0..2 {
            let column = axes.column(k);
            if column[column.iamax()] < 0.0 {
                axes.column_mut(k).neg_mut();
            }
        }
        let third = axes.column(0).cross(&axes.column(1)).normalize();
        axes.set_column(2, &third);
        Self { moments, axes: Rotation3::from_matrix_unchecked(axes) }
    }
}

/// One rotation in the plane of axes `p` and `q`; `false` when the entry is already negligible.
fn rotate(a: &mut Matrix3<f64>, v: &mut Matrix3<f64>, p: usize, q: usize) -> bool {
    let entry = a[(p, q)];
    if entry.abs() <= f64::EPSILON * 0.25 * (a[(p, p)].abs() * a[(q, q)].abs()).sqrt() {
        a[(p, q)] = 0.0;
        a[(q, p)] = 0.0;
        return false;
    }
    let half_cotangent = (a[(q, q)] - a[(p, p)]) / (2.0 * entry);
    let tangent = half_cotangent.signum() / (half_cotangent.abs() + half_cotangent.hypot(1.0));
    let cosine = 1.0 / tangent.hypot(1.0);
    let sine = tangent * cosine;
    let r = 3 - p - q;
    a[(p, p)] -= tangent * entry;
    a[(q, q)] += tangent * entry;
    a[(p, q)] = 0.0;
    a[(q, p)] = 0.0;
    let (arp, arq) = (a[(r, p)], a[(r, q)]);
    a[(r, p)] = cosine * arp - sine * arq;
    a[(r, q)] = sine * arp + cosine * arq;
    a[(p, r)] = a[(r, p)];
    a[(q, r)] = a[(r, q)];
    for k in 0..3 {
        let (vkp, vkq) = (v[(k, p)], v[(k, q)]);
        v[(k, p)] = cosine * vkp - sine * vkq;
        v[(k, q)] = sine * vkp + cosine * vkq;
    }
    true
}
