//! Swept bounds: boxes that contain a body at every instant of a [`Sweep`].
//!
//! Along a world axis `e`, a point of the body at `w` from the pivot has the height
//!
//! ```text
//! <e, pivot(t)> + <e, a><a, w> + A cos(θ t - φ),     A <= |e × a| d
//! ```
//!
//! for a turn by `θ` about the unit axis `a`, with `d` its distance from the axis through the pivot. All but
//! the cosine is linear in `t`; over an arc of up to half a turn the cosine rises above its own chord by
//! `A (1 - cos θ/2)` at most (the sagitta of the arc). So does the body above the higher of its two end
//! boxes. The way is cut into arcs of at most [`ARC`], so that this bulge is two hundredths of `d` at most,
//! and none along the axis.
//!
//! Where only a bound on the turning is known, one end is at most half of it away, and a point at most a
//! chord of that angle from where it was. The ball about the pivot through the farthest point limits both,
//! and the ring that the body fills when it turns all the way round the axis limits the first.

use crate::tolerances::shapes::HALF_TURN;
use std::f64::consts::{FRAC_PI_2, FRAC_PI_8, PI, TAU};

use nalgebra::SVector;

use super::placed::around;
use super::{Aabb, Bounds, PlanarAabb, PlanarSweep, Sweep, SweepIn};
use crate::shapes::{Compound, PlanarCompound, PlanarShape, Polytope, Solid};
use crate::{PlanarPose, Pose, PoseIn, Vec2, Vec3, tolerances};

/// Longest arc that is bounded by the boxes at its ends (radians): nine boxes for half a turn. Twice as many
/// would quarter the bulge, which is small already.
const ARC: f64 = FRAC_PI_8;

impl Polytope {
    /// A box that holds the body at every instant on its way from `start` to `end`, its reference point going
    /// straight and the rotation the shorter way.
    pub fn swept_bounds(&self, start: &Pose, end: &Pose) -> Aabb {
        self.swept_bounds_along(&Sweep::new(start, end).about(self.reference()))
    }

    /// A box that holds the body at every instant of a motion.
    pub fn swept_bounds_along(&self, sweep: &Sweep) -> Aabb {
        let axis = sweep.start.inverse_direction(&sweep.axis);
        let mut extent =
            RotationExtent { along: [f64::INFINITY, f64::NEG_INFINITY], ..RotationExtent::default() };
        for vertex in self.vertices() {
            let (w, height) = (vertex - sweep.pivot, axis.dot(vertex) - axis.dot(&sweep.pivot));
            extent.along = [extent.along[0].min(height), extent.along[1].max(height)];
            extent.reach = extent.reach.max(w.norm());
            extent.axis_distance = extent.axis_distance.max(w.cross(&axis).norm());
        }
        in_space(sweep, &extent, |pose| self.bounds(pose))
    }
}

impl Solid {
    /// A box that holds the body at every instant on its way from `start` to `end`, its reference point going
    /// straight and the rotation the shorter way. A half-space that turns fills all of space.
    pub fn swept_bounds(&self, start: &Pose, end: &Pose) -> Aabb {
        self.swept_bounds_along(&Sweep::new(start, end).about(self.reference()))
    }

    /// A box that holds the body at every instant of a motion.
    pub fn swept_bounds_along(&self, sweep: &Sweep) -> Aabb {
        let axis = sweep.start.inverse_direction(&sweep.axis);
        let tilt = axis.x.hypot(axis.y);
        let (axis_distance, half_length, skin) = match self {
            Solid::Polytope(p) => return p.swept_bounds_along(sweep),
            Solid::Sphere(s) => (0.0, 0.0, s.radius()),
            Solid::Capsule(s) => (s.half_length() * tilt, s.half_length() * axis.z.abs(), s.radius()),
            Solid::Cylinder(s) => {
                (s.half_height() * tilt + s.radius(), s.half_height() * axis.z.abs() + s.radius() * tilt, 0.0)
            }
            Solid::Cone(s) => {
                let axis_distance = (0.75 * s.height() * tilt).max(0.25 * s.height() * tilt + s.radius());
                (axis_distance, s.outer_radius(), 0.0)
            }
            Solid::Ellipsoid(s) => {
                let across = s.semi_axes().zip_map(&axis, |r, a| r * r * (1.0 - a * a).max(0.0)).sum();
                let along = s.semi_axes().component_mul(&axis).norm();
                (across.sqrt().min(s.semi_axes().max()), along, 0.0)
            }
            Solid::HalfSpace(_) => (0.0, 0.0, 0.0),
        };
        let (middle, off) = (axis.dot(&sweep.pivot), sweep.pivot.cross(&axis).norm());
        let extent = RotationExtent {
            along: [-half_length - middle, half_length - middle],
            axis_distance: off + axis_distance,
            skin,
            reach: sweep.pivot.norm() + self.outer_radius(),
        };
        in_space(sweep, &extent, |pose| self.bounds(pose))
    }
}

impl Compound {
    /// A box that holds the body at every instant on its way from `start` to `end`, **its frame's origin**
    /// going straight and the rotation the shorter way.
    pub fn swept_bounds(&self, start: &Pose, end: &Pose) -> Aabb {
        self.swept_bounds_along(&Sweep::new(start, end))
    }

    /// A box that holds the body at every instant of a motion.
    pub fn swept_bounds_along(&self, sweep: &Sweep) -> Aabb {
        around(self.parts().iter().map(|(place, solid)| solid.swept_bounds_along(&sweep.of_part(place))))
    }
}

impl PlanarShape {
    /// A box that holds the body at every instant on its way from `start` to `end`, its reference point going
    /// straight and the rotation the shorter way. A half-plane that turns fills all of the plane.
    pub fn swept_bounds(&self, start: &PlanarPose, end: &PlanarPose) -> PlanarAabb {
        self.swept_bounds_along(&PlanarSweep::new(start, end).about(self.reference()))
    }

    /// A box that holds the body at every instant of a motion.
    pub fn swept_bounds_along(&self, sweep: &PlanarSweep) -> PlanarAabb {
        let off = sweep.pivot.norm();
        let (axis_distance, skin) = match self {
            PlanarShape::Polygon(p) => {
                (p.vertices().iter().map(|v| (v - sweep.pivot).norm()).fold(0.0, f64::max), 0.0)
            }
            PlanarShape::Circle(s) => (off, s.radius()),
            PlanarShape::Ellipse(_) | PlanarShape::HalfPlane(_) => (off + self.outer_radius(), 0.0),
        };
        let reach = axis_distance + skin;
        let revolved = PlanarAabb::new(Vec2::repeat(-reach), Vec2::repeat(reach));
        let motion = Motion { sweep, reach, swing: Vec2::repeat(axis_distance), revolved };
        motion.bounds(|pose| self.bounds(pose))
    }
}

impl PlanarCompound {
    /// A box that holds the body at every instant on its way from `start` to `end`, **its frame's origin**
    /// going straight and the rotation the shorter way.
    pub fn swept_bounds(&self, start: &PlanarPose, end: &PlanarPose) -> PlanarAabb {
        self.swept_bounds_along(&PlanarSweep::new(start, end))
    }

    /// A box that holds the body at every instant of a motion.
    pub fn swept_bounds_along(&self, sweep: &PlanarSweep) -> PlanarAabb {
        around(self.parts().iter().map(|(place, shape)| shape.swept_bounds_along(&sweep.of_part(place))))
    }
}

/// How a body lies about an axis through its pivot. The body is a core with a skin of constant thickness,
/// which a turn leaves as it is.
#[derive(Default)]
struct RotationExtent {
    /// Where the core begins and ends along the axis, from the pivot.
    along: [f64; 2],
    /// Distance at most of the core from the axis.
    axis_distance: f64,
    skin: f64,
    /// Distance at most of the body from the pivot.
    reach: f64,
}

fn in_space(sweep: &Sweep, extent: &RotationExtent, bounds: impl Fn(&Pose) -> Aabb) -> Aabb {
    // Not sqrt(1 - a²), which loses tilts below the root of the unit roundoff.
    let a = sweep.axis;
    let swing = Vec3::new(a.y.hypot(a.z), a.z.hypot(a.x), a.x.hypot(a.y)) * extent.axis_distance;
    let [low, high] = extent.along.map(|height| a * height);
    let revolved = Aabb::new(low.inf(&high) - swing, low.sup(&high) + swing).grown(extent.skin);
    Motion { sweep, reach: extent.reach, swing, revolved }.bounds(bounds)
}

/// What the bounds of a body on its way depend on, in any dimension.
struct Motion<'a, const D: usize> {
    sweep: &'a SweepIn<D>,
    /// Distance of the farthest point from the pivot.
    reach: f64,
    /// Amplitude at most with which the turning makes a point swing along each axis.
    swing: SVector<f64, D>,
    /// What the body fills when it turns all the way round, from the pivot.
    revolved: Bounds<D>,
}

impl<const D: usize> Motion<'_, D> {
    /// `box_of` is the body's box at a placement.
    fn bounds(&self, box_of: impl Fn(&PoseIn<D>) -> Bounds<D>) -> Bounds<D> {
        let sweep = self.sweep;
        let box_at = |fraction: f64, angle: f64| box_of(&sweep.turned(fraction, angle));
        if !sweep.is_finite() {
            // NaN at one end must not be lost in the union with the other: every user refuses this box.
            return Bounds::new(SVector::repeat(f64::NAN), SVector::repeat(f64::NAN));
        }
        let (first, last) = (box_at(0.0, 0.0), box_at(1.0, sweep.angle));
        if self.reach.is_infinite() {
            let still = sweep.angle == 0.0 && sweep.turning.is_none_or(|bound| bound <= 0.0);
            return if still { first.merged(&last) } else { Bounds::everything() };
        }
        let ends = first.merged(&last);
        let line = sweep.line();
        // Rounding is relative to the largest coordinate of the frame's origin.
        let frame = sweep.start.position.amax().max(sweep.end.position.amax());
        let pivot_path = Bounds::from_points(&line);
        let bounds = match sweep.turning {
            Some(bound) => self.bounded_turning(&first, &last, &pivot_path, bound),
            None => {
                let mut bounds = self.arcs(&ends, sweep.angle, &box_at);
                if PI - sweep.angle.abs() < HALF_TURN {
                    bounds =
                        bounds.merged(&self.arcs(&ends, sweep.angle - TAU.copysign(sweep.angle), &box_at));
                }
                // The axis of a small turn is known too badly for the ring, which would not be a limit anyway.
                if sweep.angle.abs() > ARC {
                    let revolved = Bounds::new(
                        pivot_path.lower + self.revolved.lower,
                        pivot_path.upper + self.revolved.upper,
                    );
                    bounds = bounds.intersection(&revolved);
                }
                bounds
            }
        };
        let rounding = tolerances::ROUNDING
            * f64::EPSILON
            * (frame + pivot_path.lower.amax().max(pivot_path.upper.amax()) + self.reach);
        bounds.intersection(&pivot_path.grown(self.reach)).grown(rounding)
    }

    /// The boxes at the ends of all arcs, and the bulge between them.
    fn arcs(&self, ends: &Bounds<D>, angle: f64, box_at: &impl Fn(f64, f64) -> Bounds<D>) -> Bounds<D> {
        // At most a turn, so seventeen at most.
        let arcs = (angle.abs() / ARC).ceil().max(1.0);
        let mut bounds = *ends;
        for k in 1..arcs as usize {
            let fraction = k as f64 / arcs;
            bounds = bounds.merged(&box_at(fraction, fraction * angle));
        }
        // 1 - cos θ/2, without cancellation.
        let bulge = self.swing * (2.0 * (angle / (4.0 * arcs)).sin().powi(2));
        Bounds::new(bounds.lower - bulge, bounds.upper + bulge)
    }

    /// Everything within half of the turning from either end, anywhere on the line.
    fn bounded_turning(
        &self,
        first: &Bounds<D>,
        last: &Bounds<D>,
        pivot_path: &Bounds<D>,
        bound: f64,
    ) -> Bounds<D> {
        let line = self.sweep.line();
        let about = |b: &Bounds<D>, pivot: &SVector<f64, D>| Bounds::new(b.lower - pivot, b.upper - pivot);
        let ends = about(first, &line[0]).merged(&about(last, &line[1]));
        let chord = 2.0 * self.reach * (bound.max(self.sweep.angle.abs()) / 4.0).min(FRAC_PI_2).sin();
        Bounds::new(ends.lower + pivot_path.lower, ends.upper + pivot_path.upper).grown(chord)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cosine_rises_above_its_chord_by_the_sagitta_at_most() {
        for k in 1..=40 {
            let theta = PI * f64::from(k) / 40.0;
            let sagitta = 1.0 - (theta / 2.0).cos();
            let mut highest = 0.0_f64;
            for phase in 0..720 {
                let phase = TAU * f64::from(phase) / 720.0;
                let (from, to) = (phase.cos(), (theta - phase).cos());
                for t in (0..=200).map(|t| f64::from(t) / 200.0) {
                    highest = highest.max((theta * t - phase).cos() - (1.0 - t) * from - t * to);
                }
            }
            assert!(highest <= sagitta + 1e-15 && highest > 0.999 * sagitta, "{theta}: {highest} {sagitta}");
        }
    }

    #[test]
    fn an_end_at_nan_does_not_hide_behind_the_other() {
        let ball = Solid::Sphere(crate::shapes::Sphere::new(1.0).unwrap());
        let nowhere = Pose::at(Vec3::new(0.0, f64::NAN, 0.0));
        for (start, end) in [(Pose::identity(), nowhere), (nowhere, Pose::identity())] {
            let b = ball.swept_bounds(&start, &end);
            assert!(b.lower.iter().chain(b.upper.iter()).all(|c| c.is_nan()));
        }
    }
}
