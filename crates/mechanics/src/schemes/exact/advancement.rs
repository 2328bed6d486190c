//! Lower bound of the time of impact of two parts: conservative advancement [Mirtich 1996; Zhang, Lee, Kim 2006].
//!
//! Conservative advancement moves a pair forward by the distance over a bound on the closing speed. Here the bound uses the
//! supporting plane between the parts: unit normal `n`, a point `p` of it. The plane rotates with `Ω`, the angular velocity of the
//! feature that defines it (a face, or two edges), moves with the point of `b` at `p`, and accelerates as `b` does: two free
//! bodies do not approach each other by gravity. A point `x` of `a` then is above it by
//!
//! ```text
//! (x-p)·(n + t n×(ω_a-Ω)) + t n·(v_a(p) - v_b(p))      and at most  A t²/2  less,      likewise for points of b below it
//! lower(t) = min_a - max_b - error t - A t²/2                                          (two support queries)
//! ```
//!
//! with `A` a bound on all second derivatives. As a minimum of parabolas `lower` is concave: where `lower(0) ≥ 0` and
//! `lower(t) ≥ 0` the parts are separated on all of `[0, t]`. Advancing to the first root of `lower` is Newton's method for the
//! time of impact from the safe side: it converges quadratically where the closing-speed bound converges linearly, misses no
//! contact however thin or fast the bodies, and a contact that opens is left in one advance.

use super::motion_bound::MotionBound;
use super::trajectories::StepTrajectories;
use super::{MAX_ROOT_ITERATIONS, ROOT_TOLERANCE, StepContext};
use crate::contact::{ContactPoint, Part, PlaneAttachment};
use crate::spatial::{Vec6, angular, linear};
use percussion_geometry::{Pose, Vec3};

/// A part at an instant, with bounds on its motion to the end of the step.
#[derive(Clone, Copy)]
pub(super) struct MovingPart<'a> {
    pub part: &'a Part,
    pub pose: Pose,
    twist: Vec6,
    bound: MotionBound,
    /// Elapsed fraction of the interval from its node to the end of the step.
    elapsed: f64,
    /// Length of that interval, s.
    interval: f64,
}

impl<'a> MovingPart<'a> {
    /// A part at the last sample of the trajectories, at the time `t`.
    pub fn new(step: &StepContext<'a>, trajectories: &StepTrajectories, part: usize, t: f64) -> Self {
        let island = step.island(part);
        let part = &step.contacts.parts[part];
        let node_time = island.map_or(0.0, |index| trajectories.node_time[index]);
        let interval = step.h - node_time;
        Self {
            part,
            pose: part.body_pose(&trajectories.sample),
            twist: part.slot.map_or_else(Default::default, |slot| trajectories.twists[slot]),
            bound: part.slot.map_or_else(Default::default, |slot| trajectories.bounds[slot]),
            elapsed: if interval > 0.0 { (t - node_time) / interval } else { 0.0 },
            interval,
        }
    }

    /// Difference between the rates of points within `span` and those of the twist now, m/s, and its rate.
    fn rate_error(&self, span: f64) -> (f64, f64) {
        let whole = self.bound.velocity_error + self.bound.angular_velocity_error * span;
        let growth = if self.interval > 0.0 { 2.0 * whole / self.interval } else { 0.0 };
        (whole * self.elapsed * self.elapsed, growth)
    }
}

/// Time for which two parts are separated from now on, s, at most `remaining`; zero where they are in contact and close.
pub(super) fn time_of_impact_bound(
    a: &MovingPart,
    b: &MovingPart,
    contact: &ContactPoint,
    plane: &PlaneAttachment,
    remaining: f64,
) -> f64 {
    let n = contact.normal();
    let p = contact.point_b;
    let velocity =
        |side: &MovingPart| linear(&side.twist) + angular(&side.twist).cross(&(p - side.pose.position));
    let (wa, wb) = (angular(&a.twist), angular(&b.twist));
    let unbounded = !b.part.radius.is_finite();
    let mut rotation = if unbounded { wb } else { plane.spin(&n, &wa, &wb) };
    if rotation.norm() > 4.0 * (a.bound.angular_speed + b.bound.angular_speed) {
        rotation = wb;
    }
    let relative = velocity(a) - velocity(b);
    let rate = n.dot(&relative);
    let (tilt_a, tilt_b) = (n.cross(&(wa - rotation)), n.cross(&(wb - rotation)));
    // Farthest points of each part from p.
    let span = |side: &MovingPart, reference: &Vec3| (reference - p).norm() + side.part.radius;
    let span_a = span(a, &contact.reference_a);
    let span_b = if unbounded { span_a } else { span(b, &contact.reference_b) };
    let turning = rotation.norm();
    // Bound on the second derivatives of the heights of the points of a part.
    let curvature = |side: &MovingPart, span: f64, drift: f64, known: f64| {
        let MotionBound { angular_speed: w, acceleration, angular_acceleration, .. } = side.bound;
        let acceleration = acceleration + known;
        let reach = side.part.reach.min(span + (side.pose.position - p).norm());
        let speed = drift + w * span + acceleration * remaining;
        acceleration + (w * w + angular_acceleration) * reach + turning * (2.0 * speed + turning * span)
    };
    let ((error_a, growth_a), (error_b, growth_b)) = (a.rate_error(span_a), b.rate_error(span_b));
    let error = error_a + error_b;
    // The plane accelerates with b.
    let known = (a.bound.known_acceleration - b.bound.known_acceleration).norm();
    let bend =
        curvature(a, span_a, relative.norm(), known) + curvature(b, span_b, 0.0, 0.0) + growth_a + growth_b;
    // The parabola (value, slope at zero) of the lowest point of a and the highest of b at t.
    let lowest = |t: f64| {
        let d = n + tilt_a * t;
        let x = a.part.support(&a.pose, &-d).map_or_else(Vec3::zeros, |x| x - p);
        let (mut value, mut slope) = (x.dot(&n), x.dot(&tilt_a) + rate - error);
        if !unbounded {
            let d = n + tilt_b * t;
            let y = b.part.support(&b.pose, &d).map_or_else(Vec3::zeros, |y| y - p);
            value -= y.dot(&n);
            slope -= y.dot(&tilt_b);
        }
        (value.max(0.0), slope)
    };
    let mut t = remaining;
    for _ in 0..MAX_ROOT_ITERATIONS {
        let (value, slope) = lowest(t);
        if value + t * (slope - 0.5 * bend * t) >= 0.0 {
            return t;
        }
        let root = first_root(value, slope, bend) * (1.0 - ROOT_TOLERANCE);
        t = if root < t { root } else { 0.5 * t };
    }
    // The bound is concave and still negative: half of `t` is checked.
    let (value, slope) = lowest(0.5 * t);
    if value + 0.5 * t * (slope - 0.25 * bend * t) >= 0.0 { 0.5 * t } else { 0.0 }
}

/// The first positive root of `value + slope t - bend t²/2`, for `value ≥ 0`.
fn first_root(value: f64, slope: f64, bend: f64) -> f64 {
    let disc = (slope * slope + 2.0 * bend * value).sqrt();
    if slope > 0.0 {
        if bend > 0.0 { (slope + disc) / bend } else { f64::INFINITY }
    } else if disc - slope > 0.0 {
        2.0 * value / (disc - slope)
    } else {
        // Neither approaching nor accelerating.
        f64::INFINITY
    }
}
