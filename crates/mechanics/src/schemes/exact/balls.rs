//! Balls that fly freely: the contact time is the root of a quadratic [Leyendecker 1].
//!
//! The centre of a free ball goes `x + v t + g t²/2` in the discrete scheme as in nature, whatever its spin; between two of
//! them gravity drops out and the way is straight.
//!
//! ```text
//! ball, ball          |r + v t|² = R²               r, v: relative place and velocity, R: sum of the radii
//! ball, half-space    s + n·v t + n·g t²/2 = 0      s: distance to the plane
//! ```

use super::Exact;
use crate::contact::{ContactPoint, Part, PartShape};
use crate::model::Model;
use crate::spatial::linear;
use percussion_geometry::shapes::{PlanarShape, Solid};

/// Distance of a ball's middle from the centre of mass, relative to its radius, that is rounding.
const CENTRED: f64 = 1e-14;

impl Exact {
    /// Time until two parts touch, if they are balls in free flight or one and a fixed half-space; infinite if they never do.
    /// `None`: it is not that simple.
    pub(super) fn ball_time(
        &self,
        model: &Model,
        (a, b): (usize, usize),
        touch: &ContactPoint,
    ) -> Option<f64> {
        let (p, q) = (&self.contacts.parts[a], &self.contacts.parts[b]);
        let slot = self.flying_ball(model, p)?;
        let velocity = linear(&self.paths.twists[slot]);
        if q.shape.is_unbounded() && q.slot.is_none() {
            let n = touch.normal();
            return Some(first_root(touch.gap().max(0.0), n.dot(&velocity), n.dot(&model.gravity)));
        }
        let other = self.flying_ball(model, q)?;
        let r = self.paths.probe.positions[slot] - self.paths.probe.positions[other];
        let v = velocity - linear(&self.paths.twists[other]);
        let (closing, speed) = (r.dot(&v), v.norm_squared());
        let radii = p.radius + q.radius;
        let gap = touch.gap().max(0.0) * (r.norm() + radii);
        let disc = closing * closing - speed * gap;
        if !(closing < 0.0 && disc >= 0.0) {
            return Some(f64::INFINITY);
        }
        Some(gap / (disc.sqrt() - closing))
    }

    /// Slot of a ball about the centre of mass of a body that flies freely.
    fn flying_ball(&self, model: &Model, part: &Part) -> Option<usize> {
        let ball = matches!(
            part.shape,
            PartShape::Solid(Solid::Sphere(_)) | PartShape::Planar(PlanarShape::Circle(_))
        );
        let slot = part.slot.filter(|_| ball && part.reference.norm() <= CENTRED * part.radius)?;
        model.islands[self.island_of[slot]].simple.then_some(slot)
    }
}

/// The first positive root of `value + slope t + pull t²/2`, for `value ≥ 0`; infinite if there is none.
fn first_root(value: f64, slope: f64, pull: f64) -> f64 {
    let disc = slope * slope - 2.0 * pull * value;
    if slope >= 0.0 {
        if pull < 0.0 { (slope + disc.sqrt()) / -pull } else { f64::INFINITY }
    } else if disc >= 0.0 {
        2.0 * value / (disc.sqrt() - slope)
    } else {
        f64::INFINITY
    }
}

#[cfg(test)]
mod tests {
    use super::first_root;

    #[test]
    fn roots_are_those_of_a_thrown_stone() {
        // From 2 m at rest, 2 m up at 3 m/s, 2 m down, and never back against gravity.
        assert!((first_root(2.0, 0.0, -9.81) - (4.0f64 / 9.81).sqrt()).abs() < 1e-15);
        let up = first_root(2.0, 3.0, -9.81);
        assert!((2.0 + 3.0 * up - 0.5 * 9.81 * up * up).abs() < 1e-14 && up > 0.9);
        let down = first_root(2.0, -3.0, -9.81);
        assert!((2.0 - 3.0 * down - 0.5 * 9.81 * down * down).abs() < 1e-14 && down < 0.5);
        assert_eq!(first_root(2.0, 1.0, 0.0), f64::INFINITY);
        assert_eq!(first_root(2.0, -1.0, 9.81), f64::INFINITY);
        // On the floor, on the way up: the bounce ends where it should, and rest is at once.
        assert!((first_root(0.0, 1.0, -2.0) - 1.0).abs() < 1e-15);
        assert_eq!(first_root(0.0, 0.0, -2.0), 0.0);
    }
}
