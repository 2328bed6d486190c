//! Flat ends of cylinders and cones on one another: points of the outline of their overlap.
//!
//! The overlap of two discs has an outline of at most two arcs, one of either rim, which meet where the rims cross. Its events are
//!
//! ```text
//! rim on disc      the lowest point of a rim, quarter turns from it, and the middle of the arc, over the other disc; the apex of a cone
//! rim on rim       the crossings
//! ```

use super::EventWorkspace;
use super::candidates::{ActivityTest, Candidate};
use super::event::{ContactEvent, EventKind, Side};
use super::manifold::test;
use super::options::{EventOptions, resolution};
use super::rims::{Disc, outline, steepest};
use crate::separation::Separation;
use crate::shapes::{Feature, Solid};
use crate::tolerances::events::{GRAZING, ON_AXIS, ON_RIM, RIMS_PARALLEL};
use crate::{Pose, Vec2, Vec3};

/// Iterations for a crossing of two rims; the first guess is exact for parallel discs.
const MAX_ITERATIONS: usize = 12;

/// A flat end in the working frame.
#[derive(Clone, Copy)]
struct PlacedDisc {
    feature: u32,
    centre: Vec3,
    /// Outward normal.
    normal: Vec3,
    axes: [Vec3; 2],
    radius: f64,
}

impl PlacedDisc {
    fn new(disc: &Disc, pose: &Pose) -> Self {
        Self {
            feature: u32::from(disc.z > 0.0),
            centre: pose.point(&Vec3::new(0.0, 0.0, disc.z)),
            normal: pose.direction(&Vec3::new(0.0, 0.0, disc.z.signum())),
            axes: [pose.direction(&Vec3::x()), pose.direction(&Vec3::y())],
            radius: disc.radius,
        }
    }

    /// Point of the rim along a direction of its plane.
    fn rim(&self, direction: &Vec2) -> Vec3 {
        self.centre + (self.axes[0] * direction.x + self.axes[1] * direction.y) * self.radius
    }

    /// The direction of its plane that points along one of the world.
    fn direction(&self, v: &Vec3) -> Vec2 {
        Vec2::new(self.axes[0].dot(v), self.axes[1].dot(v))
    }
}

/// Two cylinders or cones whose ends may meet.
struct DiscPair<'a> {
    test: ActivityTest<'a>,
    normal: Vec3,
}

impl DiscPair<'_> {
    fn keep(&self, event: ContactEvent, excess: f64, found: &mut Vec<Candidate>) {
        let options = self.test.options;
        if excess <= options.eps_x && self.test.accepts(event.separation, event.alpha.norm()) {
            found.push(Candidate { event, excess });
        }
    }

    /// Points of a body over a disc of the other; `side` is that of the points.
    fn land(
        &self,
        side: Side,
        points: impl Iterator<Item = (Vec3, Feature)>,
        disc: &PlacedDisc,
        found: &mut Vec<Candidate>,
    ) {
        let line = self.test.line;
        let sign = if side == Side::A { 1.0 } else { -1.0 };
        let beta = line.beta * sign;
        let along = disc.normal.dot(&beta);
        let facing = disc.normal.dot(&self.normal) * sign > 0.0
            && disc.normal.cross(&self.normal).norm() <= self.test.options.tilt
            && along > GRAZING;
        if !facing {
            return;
        }
        for (point, own) in points {
            let s = disc.normal.dot(&(point - disc.centre)) / along;
            let projected = point - beta * s;
            let alpha = disc.normal / along * sign;
            let other = Feature::Face(disc.feature);
            let (kind, point_a, point_b) = match side {
                Side::A => (EventKind::Smooth { a: own, b: other }, point, projected),
                Side::B => (EventKind::Smooth { a: other, b: own }, projected, point),
            };
            let event = ContactEvent { kind, separation: s, alpha, point_a, point_b, line };
            self.keep(event, (projected - disc.centre).norm() - disc.radius, found);
        }
    }

    /// The points of a solid that may touch a disc of the other.
    fn points(solid: &Solid, pose: &Pose, disc: &PlacedDisc) -> impl Iterator<Item = (Vec3, Feature)> {
        let (discs, apex) = outline(solid);
        let first = steepest(&pose.inverse_direction(&-disc.normal));
        let apex = apex.map(|apex| (pose.point(&apex), Feature::Vertex(0)));
        let rims = discs.into_iter().flatten().map(|rim| PlacedDisc::new(&rim, pose)).flat_map({
            let centre = disc.centre;
            move |rim| {
                let quarters = [first, Vec2::new(-first.y, first.x), -first, Vec2::new(first.y, -first.x)];
                // The middles of both arcs of the rim between its crossings with the other.
                let middle = rim.direction(&(centre - rim.centre)).try_normalize(ON_AXIS * rim.radius);
                let middles = middle.into_iter().flat_map(|middle| [middle, -middle]);
                quarters.into_iter().chain(middles).map(move |d| (rim.rim(&d), Feature::Curved))
            }
        });
        rims.chain(apex)
    }

    /// The crossings of two rims, seen along β.
    fn cross(&self, a: &PlacedDisc, b: &PlacedDisc, found: &mut Vec<Candidate>) {
        let line = self.test.line;
        let (beta, along) = (line.beta, b.normal.dot(&line.beta));
        // Both discs must look at each other.
        if along <= GRAZING || a.normal.dot(&beta) >= -GRAZING {
            return;
        }
        let project = |v: &Vec3| v - beta * (b.normal.dot(v) / along);
        let apart = project(&(a.centre - b.centre));
        let d = apart.norm();
        if d <= (a.radius - b.radius).abs() || d >= a.radius + b.radius {
            return;
        }
        let e = apart / d;
        let at = (d * d + b.radius * b.radius - a.radius * a.radius) / (2.0 * d);
        let across = b.normal.cross(&e) * (b.radius * b.radius - at * at).max(0.0).sqrt();
        for side in [1.0, -1.0] {
            let guess = a.direction(&(e * at + across * side - apart));
            let mut angle = guess.y.atan2(guess.x);
            let mut event = None;
            for _ in 0..MAX_ITERATIONS {
                let (sin, cos) = angle.sin_cos();
                let arm = a.rim(&Vec2::new(cos, sin)) - b.centre;
                let tangent = (a.axes[1] * cos - a.axes[0] * sin) * a.radius;
                let (y, dy) = (project(&arm), project(&tangent));
                let (f, slope) = (y.norm_squared() - b.radius * b.radius, 2.0 * y.dot(&dy));
                if f.abs() <= ON_RIM * b.radius * b.radius {
                    event = Some((arm + b.centre, tangent, b.normal.cross(&y)));
                    break;
                }
                let change = f / slope;
                if !(change.abs() < 1.0) {
                    break;
                }
                angle -= change;
            }
            let Some((point_a, u, w)) = event else { continue };
            let nu = u.cross(&w);
            if nu.norm() <= RIMS_PARALLEL * u.norm() * w.norm() {
                continue;
            }
            let alpha = nu / nu.dot(&beta);
            let n = alpha.normalize();
            let s = b.normal.dot(&(point_a - b.centre)) / along;
            let point_b = point_a - beta * s;
            // The normal lies between that of the disc and that of the side, of either body.
            let tilt = self.test.options.tilt;
            let (out_a, out_b) = ((point_a - a.centre) / a.radius, (point_b - b.centre) / b.radius);
            let admitted = n.dot(&beta) > GRAZING
                && [-n.dot(&out_a), -n.dot(&a.normal), n.dot(&out_b), n.dot(&b.normal)]
                    .iter()
                    .all(|c| *c >= -tilt);
            if admitted {
                let kind = EventKind::Smooth { a: Feature::Edge(a.feature), b: Feature::Edge(b.feature) };
                let event = ContactEvent { kind, separation: s, alpha, point_a, point_b, line };
                self.keep(event, 0.0, found);
            }
        }
    }
}

impl EventWorkspace {
    /// Cylinders and cones on one another, where their flat ends take part.
    pub(super) fn disc_on_disc(
        &mut self,
        (a, pose_a): (&Solid, &Pose),
        (b, pose_b): (&Solid, &Pose),
        answer: &Separation,
        options: &EventOptions,
    ) {
        let origin = pose_b.position;
        let resolution = resolution(a.outer_radius(), b.outer_radius());
        let test = test(answer, options, a.inner_radius() + b.inner_radius());
        let own = |pose: &Pose| Pose::new(pose.rotation, pose.position - origin);
        let (pose_a, pose_b) = (own(pose_a), own(pose_b));
        let pair = DiscPair { test, normal: answer.normal() };
        let discs = |solid: &Solid, pose: &Pose| {
            outline(solid).0.map(|disc| disc.map(|disc| PlacedDisc::new(&disc, pose)))
        };
        let (discs_a, discs_b) = (discs(a, &pose_a), discs(b, &pose_b));
        for disc in discs_b.iter().flatten() {
            pair.land(Side::A, DiscPair::points(a, &pose_a, disc), disc, &mut self.found);
        }
        for disc in discs_a.iter().flatten() {
            pair.land(Side::B, DiscPair::points(b, &pose_b, disc), disc, &mut self.found);
        }
        for one in discs_a.iter().flatten() {
            for other in discs_b.iter().flatten() {
                pair.cross(one, other, &mut self.found);
            }
        }
        self.merge_candidates(options, resolution);
        for event in &mut self.list {
            event.point_a += origin;
            event.point_b += origin;
        }
    }
}
