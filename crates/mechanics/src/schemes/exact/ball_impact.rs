//! Time of impact of balls in free flight: the root of a quadratic [Leyendecker 1].
//!
//! The centre of a free ball moves as `x + v t + g t²/2` in the discrete scheme too, whatever its rotation; gravity cancels in the
//! relative motion of two of them.
//!
//! ```text
//! ball, ball          |r + v t|² = R²               r, v: relative position and velocity, R: sum of the radii
//! ball, half-space    s + n·v t + n·g t²/2 = 0      s: distance to the plane
//! ```

use super::trajectories::StepTrajectories;
use super::{CENTRED_BALL, StepContext};
use crate::contact::{ContactPoint, PartShape};
use crate::spatial::linear;
use percussion_geometry::shapes::{PlanarShape, Solid};

/// Time until two parts are in contact, if they are balls in free flight or one and a fixed half-space; infinite if they never
/// are. `None` for other pairs.
pub(super) fn ball_time_of_impact(
    step: &StepContext,
    trajectories: &StepTrajectories,
    (a, b): (usize, usize),
    contact: &ContactPoint,
) -> Option<f64> {
    let (p, q) = (&step.contacts.parts[a], &step.contacts.parts[b]);
    let slot = free_ball(step, trajectories, a)?;
    let velocity = linear(&trajectories.twists[slot]);
    if q.shape.is_unbounded() && q.slot.is_none() {
        let n = contact.normal();
        return Some(first_root(contact.gap().max(0.0), n.dot(&velocity), n.dot(&step.model.gravity)));
    }
    let other = free_ball(step, trajectories, b)?;
    let r = trajectories.sample.positions[slot] - trajectories.sample.positions[other];
    let v = velocity - linear(&trajectories.twists[other]);
    let (closing, speed) = (r.dot(&v), v.norm_squared());
    let radii = p.radius + q.radius;
    let gap = contact.gap().max(0.0) * (r.norm() + radii);
    let disc = closing * closing - speed * gap;
    if !(closing < 0.0 && disc >= 0.0) {
        return Some(f64::INFINITY);
    }
    Some(gap / (disc.sqrt() - closing))
}

/// Slot of a body in free flight, if the part is a ball about its centre of mass.
fn free_ball(step: &StepContext, trajectories: &StepTrajectories, part: usize) -> Option<usize> {
    let part = &step.contacts.parts[part];
    let ball =
        matches!(part.shape, PartShape::Solid(Solid::Sphere(_)) | PartShape::Planar(PlanarShape::Circle(_)));
    let slot = part.slot.filter(|_| ball && part.reference.norm() <= CENTRED_BALL * part.radius)?;
    let island = step.island_of[slot];
    let flies = step.model.islands[island].simple && trajectories.groups.of(island).is_none();
    flies.then_some(slot)
}

/// The first positive root of `value + slope t + acceleration t²/2`, for `value ≥ 0`; infinite if there is none.
fn first_root(value: f64, slope: f64, acceleration: f64) -> f64 {
    let disc = slope * slope - 2.0 * acceleration * value;
    if slope >= 0.0 {
        if acceleration < 0.0 { (slope + disc.sqrt()) / -acceleration } else { f64::INFINITY }
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
    fn first_roots_are_those_of_a_thrown_stone() {
        // From 2 m at rest, 2 m up at 3 m/s, 2 m down, and never back against gravity.
        assert!((first_root(2.0, 0.0, -9.81) - (4.0f64 / 9.81).sqrt()).abs() < 1e-15);
        let up = first_root(2.0, 3.0, -9.81);
        assert!((2.0 + 3.0 * up - 0.5 * 9.81 * up * up).abs() < 1e-14 && up > 0.9);
        let down = first_root(2.0, -3.0, -9.81);
        assert!((2.0 - 3.0 * down - 0.5 * 9.81 * down * down).abs() < 1e-14 && down < 0.5);
        assert_eq!(first_root(2.0, 1.0, 0.0), f64::INFINITY);
        assert_eq!(first_root(2.0, -1.0, 9.81), f64::INFINITY);
        // On the floor: an upward throw returns to it, and rest is in contact at once.
        assert!((first_root(0.0, 1.0, -2.0) - 1.0).abs() < 1e-15);
        assert_eq!(first_root(0.0, 0.0, -2.0), 0.0);
    }
}
