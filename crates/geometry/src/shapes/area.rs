//! Area vectors of triangles, in twice the working precision.
//!
//! A facet of a hull may be a sliver: metres long and nanometres across. The products of its sides then agree
//! in half of their digits, and a normal from plain differences is tilted by the rounding of a coordinate over
//! the width of the sliver; the plane would cut into the body elsewhere. Carrying the rounding errors of
//! differences and products along keeps the normal of the very coordinates that were given.

use crate::Vec3;

/// A number as the sum of a rounded value and its error.
#[derive(Clone, Copy)]
struct Double {
    high: f64,
    low: f64,
}

/// `a - b` with its rounding error (Knuth).
fn difference(a: f64, b: f64) -> Double {
    let high = a - b;
    let part = a - high;
    Double { high, low: (a - (high + part)) + (part - b) }
}

/// `a b - c d`, in about twice the precision.
fn difference_of_products(a: Double, b: Double, c: Double, d: Double) -> f64 {
    let (first, second) = (a.high * b.high, c.high * d.high);
    let first_error = a.high.mul_add(b.high, -first);
    let second_error = c.high.mul_add(d.high, -second);
    let Double { high, low } = difference(first, second);
    let mixed = (a.high * b.low + a.low * b.high) - (c.high * d.low + c.low * d.high);
    high + (low + (first_error - second_error) + mixed)
}

/// Twice the area of a triangle times its unit normal: `(b - a) x (c - a)`.
pub(crate) fn area_vector(a: &Vec3, b: &Vec3, c: &Vec3) -> Vec3 {
    let side = |k: usize| (difference(b[k], a[k]), difference(c[k], a[k]));
    let ((ux, vx), (uy, vy), (uz, vz)) = (side(0), side(1), side(2));
    Vec3::new(
        difference_of_products(uy, vz, uz, vy),
        difference_of_products(uz, vx, ux, vz),
        difference_of_products(ux, vy, uy, vx),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_normal_of_a_sliver_is_that_of_its_coordinates() {
        // Corners on a line up to one unit in the last place of one coordinate.
        let step = 2f64.powi(-52);
        let a = Vec3::new(1.0, 1.0, 1.0);
        let b = Vec3::new(1.0 + 1.0 / 3.0, 1.5, 1.25);
        let c = Vec3::new(1.0 + 2.0 / 3.0, 2.0, 1.5 + step);
        let n = area_vector(&a, &b, &c);
        // With u = b - a and v = c - a (all exact in binary but for the thirds, which round alike).
        let u = [b.x - 1.0, 0.5, 0.25];
        let v = [c.x - 1.0, 1.0, 0.5 + step];
        let residue = v[0] - 2.0 * u[0];
        let exact = [0.5 * step, 0.25 * residue - step * u[0], -0.5 * residue];
        for k in 0..3 {
            assert!((n[k] - exact[k]).abs() <= 1e-12 * step, "{k}: {:e} {:e}", n[k], exact[k]);
        }
    }
}
