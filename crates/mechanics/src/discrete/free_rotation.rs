//! A free rigid body: the discrete Moser-Veselov equation, solved in three unknowns without trigonometry.
//!
//! ```text
//! 2 (J c + c × J c) = h Π (1 + |c|²)          Π = R0ᵀ π: angular momentum in body axes, c: Rodrigues vector of R0ᵀ R1
//! ```
//!
//! Quadratic in `c`; Newton from `c = h J⁻¹Π / 2` needs two to four iterations. Spatial momentum does not enter as an
//! unknown and is carried over untouched.

use crate::rotation::{Mat3, Turn, hat, tidied};
use crate::tolerances::RODRIGUES_MAX;
use percussion_geometry::Vec3;

/// Iterations after which a step is too large to have a solution.
const MOST_ITERATIONS: usize = 30;

/// `l h`: the discrete angular momentum of a turn in body axes, times the step.
pub fn momentum_of_turn(inertia: &Vec3, c: &Vec3) -> Vec3 {
    let jc = inertia.component_mul(c);
    (jc + c.cross(&jc)) * (2.0 / (1.0 + c.norm_squared()))
}

/// The turn (in body axes) of a free body with angular momentum `hp = h Π` in a step, and the iterations it took.
/// `None` if the step is too large.
pub fn turn_of_momentum(inertia: &Vec3, hp: &Vec3) -> Option<(Turn, usize)> {
    let mut c = hp.component_div(inertia) * 0.5;
    let scale = hp.amax();
    for iteration in 1..=MOST_ITERATIONS {
        let jc = inertia.component_mul(&c);
        let r = (jc + c.cross(&jc)) * 2.0 - hp * (1.0 + c.norm_squared());
        // d(c × Jc) = dc × Jc + c × J dc
        let mut jacobian =
            (hat(&c) * Mat3::from_diagonal(inertia) - hat(&jc)) * 2.0 - hp * c.transpose() * 2.0;
        for k in 0..3 {
            jacobian[(k, k)] += 2.0 * inertia[k];
        }
        let d = solve3(&jacobian, &r)?;
        c -= d;
        // Quadratic convergence: what is left after a correction of 1e-9 is below rounding.
        if d.norm_squared() <= 1e-18 * c.norm_squared() || scale == 0.0 {
            let fine = c.norm_squared() <= RODRIGUES_MAX * RODRIGUES_MAX;
            return fine.then_some((Turn(c), iteration));
        }
    }
    None
}

/// `m x = b` by Cramer's rule; `None` where the determinant vanishes.
fn solve3(m: &Mat3, b: &Vec3) -> Option<Vec3> {
    let (x, y, z) = (m.column(0).into_owned(), m.column(1).into_owned(), m.column(2).into_owned());
    let yz = y.cross(&z);
    let det = x.dot(&yz);
    if !(det.abs() > f64::MIN_POSITIVE) {
        return None;
    }
    let zx = z.cross(&x);
    let xy = x.cross(&y);
    Some(Vec3::new(b.dot(&yz), b.dot(&zx), b.dot(&xy)) / det)
}

/// One step of a free rigid body: its new orientation, and the iterations. `None` if the step is too large.
pub fn turned(inertia: &Vec3, rotation: &Mat3, momentum: &Vec3, h: f64) -> Option<(Mat3, usize)> {
    let hp = rotation.tr_mul(momentum) * h;
    let (turn, iterations) = turn_of_momentum(inertia, &hp)?;
    Some((tidied(&(rotation * turn.matrix())), iterations))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_closed_form_of_the_momentum_is_the_sum_over_directors() {
        let (j, c) = (Vec3::new(1.0, 2.0, 2.5), Vec3::new(0.3, -0.2, 0.7));
        let e = Vec3::new(j.y + j.z - j.x, j.z + j.x - j.y, j.x + j.y - j.z) * 0.5;
        let r = Turn(c).matrix();
        let sum: Vec3 = (0..3).map(|i| Vec3::ith(i, 1.0).cross(&r.column(i)) * e[i]).sum();
        assert!((momentum_of_turn(&j, &c) - sum).norm() < 1e-15);
    }

    #[test]
    fn the_turn_reproduces_the_momentum_and_spins_about_an_axis_have_a_closed_form() {
        let j = Vec3::new(1.0, 2.0, 2.5);
        let hp = Vec3::new(0.4, -0.3, 0.8);
        let (turn, iterations) = turn_of_momentum(&j, &hp).unwrap();
        assert!((momentum_of_turn(&j, &turn.0) - hp).norm() < 1e-15);
        assert!(iterations <= 5);
        // About an axis: 2 J c/(1+c²) = J sin θ.
        let (turn, _) = turn_of_momentum(&j, &Vec3::new(0.0, 0.0, 2.5 * 0.6)).unwrap();
        assert!((turn.log().z - 0.6f64.asin()).abs() < 1e-15);
    }

    #[test]
    fn a_step_without_solution_is_refused() {
        // sin θ = 1.2 has none.
        assert_eq!(turn_of_momentum(&Vec3::new(1.0, 1.0, 1.0), &Vec3::new(1.2, 0.0, 0.0)), None);
        assert!(turn_of_momentum(&Vec3::new(1.0, 1.0, 1.0), &Vec3::zeros()).is_some());
    }
}
