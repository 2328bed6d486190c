//! How long two parts certainly stay apart.
//!
//! At an instant the kernel gives a plane between the parts: unit normal `n`, a point `p` of it. Let the plane turn with `Ω` (that
//! of the face, or of the two edges, that define it), go with the point of `b` at `p`, and fall as `b` does: two bodies that fly
//! freely do not come nearer to each other by gravity. A point `x` of `a` then is above it by
//!
//! ```text
//! (x-p)·(n + t n×(ω_a-Ω)) + t n·(v_a(p) - v_b(p))      and at most  A t²/2  less,      likewise for points of b below it
//! lower(t) = min_a - max_b - slack t - A t²/2                                          (two support queries)
//! ```
//!
//! with `A` a bound on all second derivatives. As a minimum of parabolas `lower` is concave: where `lower(0) ≥ 0` and
//! `lower(t) ≥ 0` the parts are apart on all of `[0, t]`. Following the first root of `lower` is Newton's method for the contact
//! time, from the safe side: it converges quadratically, passes no contact however thin or fast the bodies, and leaves a
//! contact that opens without ado.

use super::paths::Bound;
use crate::contact::{ContactPoint, Part, PlaneAttachment};
use crate::spatial::{Vec6, angular, linear};
use percussion_geometry::{Pose, Vec3};

/// A part as the search sees it.
#[derive(Clone, Copy)]
pub(super) struct Side<'a> {
    pub part: &'a Part,
    pub pose: Pose,
    pub twist: Vec6,
    pub bound: Bound,
    /// Share of the way from its node to the end of the step that lies behind it.
    pub behind: f64,
    /// The whole of that way, s.
    pub way: f64,
}

impl Side<'_> {
    /// How far rates of points within `span` may be from those of the twist now, m/s; and how fast that grows.
    fn slack(&self, span: f64) -> (f64, f64) {
        let whole = self.bound.slack + self.bound.spin_slack * span;
        (whole * self.behind * self.behind, if self.way > 0.0 { 2.0 * whole / self.way } else { 0.0 })
    }
}

/// Refinements of the first root before it is taken a little too small.
const REFINEMENTS: usize = 12;
/// Relative accuracy of the first root: what is lost is made up for by the next look.
const ACCURATE: f64 = 1e-3;

/// Time for which the two parts certainly stay apart, s, at most `remaining`; zero where they touch and close.
pub(super) fn clear_for(
    a: &Side,
    b: &Side,
    touch: &ContactPoint,
    carrier: &PlaneAttachment,
    remaining: f64,
) -> f64 {
    let n = touch.normal();
    let p = touch.point_b;
    let at = |side: &Side| linear(&side.twist) + angular(&side.twist).cross(&(p - side.pose.position));
    let (wa, wb) = (angular(&a.twist), angular(&b.twist));
    let unbounded = !b.part.radius.is_finite();
    let mut spin = if unbounded { wb } else { carrier.spin(&n, &wa, &wb) };
    if spin.norm() > 4.0 * (a.bound.spin + b.bound.spin) {
        spin = wb;
    }
    let relative = at(a) - at(b);
    let rate = n.dot(&relative);
    let (tilt_a, tilt_b) = (n.cross(&(wa - spin)), n.cross(&(wb - spin)));
    // Farthest points of each part from p.
    let span = |side: &Side, reference: &Vec3| (reference - p).norm() + side.part.radius;
    let span_a = span(a, &touch.reference_a);
    let span_b = if unbounded { span_a } else { span(b, &touch.reference_b) };
    let turning = spin.norm();
    let curve = |side: &Side, span: f64, drift: f64, fall: f64| {
        let Bound { spin: w, acceleration, spin_rate, .. } = side.bound;
        let acceleration = acceleration + fall;
        let reach = side.part.reach.min(span + (side.pose.position - p).norm());
        let speed = drift + w * span + acceleration * remaining;
        acceleration + (w * w + spin_rate) * reach + turning * (2.0 * speed + turning * span)
    };
    let ((slack_a, grows_a), (slack_b, grows_b)) = (a.slack(span_a), b.slack(span_b));
    let slack = slack_a + slack_b;
    // The plane falls with b.
    let fall = (a.bound.fall - b.bound.fall).norm();
    let bend = curve(a, span_a, relative.norm(), fall) + curve(b, span_b, 0.0, 0.0) + grows_a + grows_b;
    // The parabola (value, slope at zero) of the lowest point of a and the highest of b at t.
    let lowest = |t: f64| {
        let d = n + tilt_a * t;
        let x = a.part.support(&a.pose, &-d).map_or_else(Vec3::zeros, |x| x - p);
        let (mut value, mut slope) = (x.dot(&n), x.dot(&tilt_a) + rate - slack);
        if !unbounded {
            let d = n + tilt_b * t;
            let y = b.part.support(&b.pose, &d).map_or_else(Vec3::zeros, |y| y - p);
            value -= y.dot(&n);
            slope -= y.dot(&tilt_b);
        }
        (value.max(0.0), slope)
    };
    let mut t = remaining;
    for _ in 0..REFINEMENTS {
        let (value, slope) = lowest(t);
        if value + t * (slope - 0.5 * bend * t) >= 0.0 {
            return t;
        }
        let root = first_root(value, slope, bend) * (1.0 - ACCURATE);
        t = if root < t { root } else { 0.5 * t };
    }
    // Concave and still below zero: half of it is past the root by less than a refinement.
    let (value, slope) = lowest(0.5 * t);
    if value + 0.5 * t * (slope - 0.25 * bend * t) >= 0.0 { 0.5 * t } else { 0.0 }
}

/// The positive root of `value + slope t - bend t²/2`, for `value ≥ 0`.
fn first_root(value: f64, slope: f64, bend: f64) -> f64 {
    let disc = (slope * slope + 2.0 * bend * value).sqrt();
    if slope > 0.0 {
        if bend > 0.0 { (slope + disc) / bend } else { f64::INFINITY }
    } else if disc - slope > 0.0 {
        2.0 * value / (disc - slope)
    } else {
        // Neither approaches nor bends.
        f64::INFINITY
    }
}
