//! Forces that fall with the square of the distance: one kernel for masses and charges.
//!
//! Between points with weights `w_a`, `w_b` a distance `r` apart, with `x` from `b` to `a` and a softening length `s`:
//!
//! ```text
//! ρ² = r² + s²     V = k w_a w_b / ρ     F_a = k w_a w_b x / ρ³     ∂F_a/∂x = k w_a w_b (1 - 3 x xᵀ/ρ²) / ρ³
//! ```
//!
//! Like attracts like for `k < 0` (gravity) and repels for `k > 0` (charges). Softening [Plummer 1911] bounds everything
//! where points coincide; without it coincident points are an error.

use super::parameter::{ParameterError, finite, not_negative};
use super::{Anchor, Bodies, ForceAccumulator, ForceError, Stiffness};
use crate::rotation::Mat3;
use percussion_geometry::Vec3;

/// A point with a weight: a mass in kg or a charge in C.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Source {
    /// Position.
    pub anchor: Anchor,
    /// Weight.
    pub weight: f64,
}

/// All pairs of a list of sources.
#[derive(Clone, Copy, Debug)]
pub(super) struct Pairs<'a> {
    /// `k`
    pub strength: f64,
    /// `s`, m
    pub softening: f64,
    /// The points.
    pub sources: &'a [Source],
}

/// One pair at an instant.
#[derive(Clone, Copy, Debug)]
pub(super) struct Pair {
    /// `k w_a w_b`
    strength: f64,
    x: Vec3,
    /// `1/ρ`
    inverse: f64,
}

impl Pair {
    /// An error where force or stiffness is not finite.
    pub fn new(
        name: &str,
        strength: f64,
        softening: f64,
        a: &Anchor,
        b: &Anchor,
        bodies: &Bodies,
    ) -> Result<Self, ForceError> {
        let x = a.point(bodies) - b.point(bodies);
        let inverse = 1.0 / x.norm().hypot(softening);
        if !(strength * inverse * inverse * inverse).is_finite() {
            return Err(ForceError::Singular { force: name.to_owned(), distance: x.norm() });
        }
        Ok(Self { strength, x, inverse })
    }

    /// The force on `a`.
    pub fn force(&self) -> Vec3 {
        self.x * (self.strength * self.inverse * self.inverse * self.inverse)
    }

    /// `∂F_a/∂x_a`.
    pub fn gradient(&self) -> Mat3 {
        let e = self.x * self.inverse;
        (Mat3::identity() - e * e.transpose() * 3.0)
            * (self.strength * self.inverse * self.inverse * self.inverse)
    }

    pub fn potential(&self) -> f64 {
        self.strength * self.inverse
    }
}

impl Pairs<'_> {
    /// Visits all pairs of different bodies, one of which moves.
    fn each(
        &self,
        name: &str,
        bodies: &Bodies,
        mut visit: impl FnMut(&Anchor, &Anchor, &Pair),
    ) -> Result<(), ForceError> {
        for (i, a) in self.sources.iter().enumerate() {
            for b in &self.sources[i + 1..] {
                let strength = self.strength * a.weight * b.weight;
                // Points without weight may coincide.
                if a.anchor.body == b.anchor.body || strength == 0.0 {
                    continue;
                }
                let pair = Pair::new(name, strength, self.softening, &a.anchor, &b.anchor, bodies)?;
                visit(&a.anchor, &b.anchor, &pair);
            }
        }
        Ok(())
    }

    pub fn add_forces(
        &self,
        name: &str,
        bodies: &Bodies,
        accumulators: &mut [ForceAccumulator],
    ) -> Result<(), ForceError> {
        self.each(name, bodies, |a, b, pair| {
            let force = pair.force();
            a.apply_force(bodies, &force, accumulators);
            b.apply_force(bodies, &-force, accumulators);
        })
    }

    pub fn stiffness(
        &self,
        name: &str,
        bodies: &Bodies,
        list: &mut Vec<Stiffness>,
    ) -> Result<(), ForceError> {
        self.each(name, bodies, |a, b, pair| list.push(Stiffness::between(a, b, pair.gradient())))
    }

    pub fn potential(&self, name: &str, bodies: &Bodies) -> Result<f64, ForceError> {
        let mut sum = 0.0;
        self.each(name, bodies, |_, _, pair| sum += pair.potential())?;
        Ok(sum)
    }

    pub fn check(&self) -> Result<(), ParameterError> {
        not_negative("softening", self.softening)?;
        for source in self.sources {
            finite("a coordinate of a point", &source.anchor.arm)?;
        }
        Ok(())
    }
}
