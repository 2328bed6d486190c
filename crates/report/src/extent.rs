//! The box around a scene in motion.

use percussion_geometry::Vec3;

/// A box around all bounded bodies in all frames.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Extent {
    /// Smallest coordinates.
    pub low: Vec3,
    /// Largest coordinates.
    pub high: Vec3,
}

impl Extent {
    /// Its center.
    pub fn center(&self) -> Vec3 {
        0.5 * (self.low + self.high)
    }

    /// Half its diagonal, m; one for an empty box.
    pub fn radius(&self) -> f64 {
        let half = 0.5 * (self.high - self.low).norm();
        if half > 0.0 && half.is_finite() { half } else { 1.0 }
    }

    /// Of balls about points.
    pub(crate) fn around(balls: impl Iterator<Item = (Vec3, f64)>) -> Self {
        let mut all = Self { low: Vec3::repeat(f64::INFINITY), high: Vec3::repeat(f64::NEG_INFINITY) };
        for (centre, radius) in balls.filter(|(centre, _)| centre.iter().all(|v| v.is_finite())) {
            all.low = all.low.inf(&centre.add_scalar(-radius));
            all.high = all.high.sup(&centre.add_scalar(radius));
        }
        if all.low.x > all.high.x {
            return Self { low: Vec3::zeros(), high: Vec3::zeros() };
        }
        all
    }
}
