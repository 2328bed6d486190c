//! Laws of contact with a little compliance: impulses as projections of trial impulses, and their derivatives.
//!
//! ```text
//! trial w = c - u / ε;  x = C(w):  -(u + ε (x - c)) is in the normal cone at x
//! Coulomb:  C has a normal impulse first, x_n = max(0, w_n), then the tangential one within the cone, x_t = P_{μ x_n}(w_t)
//! drive:    C clamps to the bound; the trial is c - (u + κ c) / (ε + κ)
//! convex:   C is the nearest point of the cone of friction, and u_n is widened by μ |u_t| of the centre: its
//!           derivative is symmetric, and the law the minimum of a convex function
//! ```

use super::sweep::project_normal_first;
use super::system::Constraint;
use crate::lcp::friction::impulses::Cone;

/// Which projection.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum LawKind {
    /// The nearest point of the cone.
    Convex,
    /// Normal impulse first, friction within its bound.
    Coulomb,
}

/// A law with its compliance ε.
#[derive(Clone, Copy, Debug)]
pub(super) struct ContactLaw {
    pub(super) kind: LawKind,
    pub(super) cone: Cone,
    pub(super) compliance: f64,
}

impl ContactLaw {
    /// Projects a trial impulse onto the cone.
    pub(super) fn project(self, constraint: &Constraint, trial: &mut [f64]) {
        match self.kind {
            _ if !constraint.contact => trial[0] = trial[0].clamp(-constraint.bound, constraint.bound),
            LawKind::Convex => nearest_in_cone(trial, constraint.friction, self.cone),
            LawKind::Coulomb => project_normal_first(trial, constraint.friction, self.cone),
        }
    }

    /// Widening of the gap by the velocities of the centre.
    pub(super) fn widening(self, constraint: &Constraint, slips: &[f64]) -> f64 {
        match self.cone {
            _ if self.kind == LawKind::Coulomb || !constraint.contact => 0.0,
            Cone::Facets => constraint.friction * slips.iter().fold(0.0, |m: f64, u| m.max(u.abs())),
            Cone::Round => constraint.friction * slips.iter().fold(0.0, |m: f64, u| m.hypot(*u)),
        }
    }

    /// The derivative of the projection x of a trial impulse, row by row; false if it is zero.
    pub(super) fn derivative(
        self,
        constraint: &Constraint,
        trial: &[f64],
        x: &[f64],
        out: &mut [f64],
    ) -> bool {
        let n = x.len();
        out.fill(0.0);
        if !constraint.contact {
            // Of a drive, the derivative times ε: its own compliance adds to that of the law.
            out[0] = self.compliance / (self.compliance + constraint.compliance);
            return trial[0].abs() < constraint.bound;
        }
        if !(x[0] > 0.0) {
            return false;
        }
        (0..n).for_each(|i| out[i * n + i] = 1.0);
        let (p, μ) = (&trial[1..], constraint.friction);
        let convex = self.kind == LawKind::Convex;
        match self.cone {
            Cone::Facets if p.iter().map(|p| p.abs()).sum::<f64>() > μ * trial[0] => {
                // All positive entries shrink alike; the convex law adds their loss to the normal impulse.
                let count = x[1..].iter().filter(|x| **x != 0.0).count().max(1) as f64;
                let count = if convex { count + μ * μ } else { count };
                let sign = |i: usize| if x[i] == 0.0 { 0.0 } else { x[i].signum() };
                for i in 1..n {
                    out[i * n] = sign(i) * μ / count;
                    for j in 1..n {
                        let one = if i == j { sign(i).abs() } else { 0.0 };
                        out[i * n + j] = one - sign(i) * sign(j) / count;
                    }
                }
                if convex {
                    out[0] = 1.0 - μ * μ / count;
                    (1..n).for_each(|j| out[j] = sign(j) * μ / count);
                }
            }
            Cone::Round if n > 1 => {
                let long = p.iter().map(|p| p * p).sum::<f64>().sqrt();
                if long > μ * trial[0] {
                    let shrink = μ * x[0] / long;
                    let scale = if convex { 1.0 / (1.0 + μ * μ) } else { 1.0 };
                    for i in 1..n {
                        let d = p[i - 1] / long;
                        out[i * n] = μ * d * scale;
                        for j in 1..n {
                            let one = if i == j { 1.0 } else { 0.0 };
                            let e = p[j - 1] / long;
                            let row_velocity = if convex { μ * μ * scale * d * e } else { 0.0 };
                            out[i * n + j] = shrink * (one - d * e) + row_velocity;
                        }
                    }
                    if convex {
                        out[0] = scale;
                        (1..n).for_each(|j| out[j] = μ * scale * p[j - 1] / long);
                    }
                }
            }
            _ => {}
        }
        true
    }
}

/// The point of a cone nearest to x, in place.
fn nearest_in_cone(x: &mut [f64], friction: f64, cone: Cone) {
    let Some((n, p)) = x.split_first_mut() else { return };
    if p.is_empty() {
        *n = n.max(0.0);
        return;
    }
    match cone {
        Cone::Facets => {
            // As for the diamond, whose radius grows with the shrinkage.
            let mut by = 0.0;
            if p.iter().map(|p| p.abs()).sum::<f64>() <= friction * *n {
                return;
            }
            for _ in 0..=p.len() {
                let positive = p.iter().map(|v| v.abs()).filter(|v| *v > by);
                let (sum, count) = positive.fold((0.0, 0.0), |(sum, count), v| (sum + v, count + 1.0));
                by = f64::max(by, (sum - friction * *n) / (count + friction * friction));
            }
            p.iter_mut().for_each(|v| *v = v.signum() * (v.abs() - by).max(0.0));
            *n = if p.iter().all(|p| *p == 0.0) { 0.0 } else { *n + friction * by };
        }
        Cone::Round => {
            let long = p.iter().map(|p| p * p).sum::<f64>().sqrt();
            if long <= friction * *n {
                return;
            }
            let normal = (*n + friction * long) / (1.0 + friction * friction);
            *n = normal.max(0.0);
            p.iter_mut().for_each(|p| *p *= friction * *n / long);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Trial impulses all around, most of them outside of the cone.
    fn trials() -> impl Iterator<Item = [f64; 4]> {
        (0..200).map(|k| [0, 1, 2, 3].map(|i| 2.0 * ((k * 17 + i * 29 + 1) as f64).sin()))
    }

    #[test]
    fn the_residual_of_the_nearest_point_is_normal_to_the_cone() {
        for (cone, n) in [(Cone::Facets, 3), (Cone::Facets, 4), (Cone::Round, 3)] {
            for trial in trials() {
                let mut x = trial;
                nearest_in_cone(&mut x[..n], 0.6, cone);
                let size = match cone {
                    Cone::Facets => x[1..n].iter().map(|p| p.abs()).sum::<f64>(),
                    Cone::Round => x[1..n].iter().map(|p| p * p).sum::<f64>().sqrt(),
                };
                assert!(size <= 0.6 * x[0] + 1e-14);
                // w - x is perpendicular to x and in the polar cone: μ |.|* + normal <= 0.
                let rest: Vec<f64> = trial[..n].iter().zip(&x).map(|(w, x)| w - x).collect();
                assert!(rest.iter().zip(&x).map(|(r, x)| r * x).sum::<f64>().abs() < 1e-14);
                let dual = match cone {
                    Cone::Facets => rest[1..].iter().fold(0.0, |m: f64, r| m.max(r.abs())),
                    Cone::Round => rest[1..].iter().map(|r| r * r).sum::<f64>().sqrt(),
                };
                assert!(0.6 * dual + rest[0] <= 1e-14, "{trial:?} {x:?}");
            }
        }
    }

    #[test]
    fn derivatives_agree_with_differences() {
        let mut constraint = Constraint::empty();
        constraint.friction = 0.6;
        for (cone, n) in [(Cone::Facets, 3), (Cone::Facets, 4), (Cone::Round, 3), (Cone::Facets, 1)] {
            for kind in [LawKind::Convex, LawKind::Coulomb] {
                let law = ContactLaw { kind, cone, compliance: 1.0 };
                for trial in trials() {
                    let place = |w: [f64; 4]| {
                        let mut x = w;
                        law.project(&constraint, &mut x[..n]);
                        x
                    };
                    let (x, mut out) = (place(trial), vec![0.0; n * n]);
                    law.derivative(&constraint, &trial[..n], &x[..n], &mut out);
                    for j in 0..n {
                        let mut near = trial;
                        near[j] += 1e-7;
                        let moved = place(near);
                        for i in 0..n {
                            let difference = (moved[i] - x[i]) / 1e-7;
                            assert!(
                                (difference - out[i * n + j]).abs() < 1e-5,
                                "{cone:?} {kind:?} {trial:?}"
                            );
                        }
                    }
                }
            }
        }
    }
}
