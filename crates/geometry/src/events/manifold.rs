//! Contact manifolds of any pair of convex bodies, as lists of events: which pair is answered by which method.

use super::EventWorkspace;
use super::band::{Band, Placed, View};
use super::candidates::{ActivityTest, corner_admits};
use super::event::{ContactEvent, EventKind, SeparationLine, Side};
use super::options::{EventOptions, resolution};
use super::rims::{RimPoint, rim_points};
use super::rounded::{RoundedBody, RoundedPair};
use crate::separation::{Outcome, Separation};
use crate::shapes::{Feature, HalfSpace, Solid};
use crate::{Pose, Vec3};

/// The core of a rounded body in its frame: points and radius.
fn core(solid: &Solid) -> Option<(Core, f64)> {
    match solid {
        Solid::Sphere(s) => Some((Core { points: [Vec3::zeros(); 2], count: 1 }, s.radius())),
        Solid::Capsule(c) => {
            let end = Vec3::new(0.0, 0.0, c.half_length());
            Some((Core { points: [-end, end], count: 2 }, c.radius()))
        }
        _ => None,
    }
}

/// A point or a segment.
#[derive(Clone, Copy)]
struct Core {
    points: [Vec3; 2],
    count: usize,
}

impl EventWorkspace {
    /// Finds the contact manifold of any pair of convex bodies from their solved separation; see the table in the
    /// [module](super)'s text. The list is empty when the answer is not [`Outcome::Solved`].
    pub fn manifold(
        &mut self,
        a: &Solid,
        pose_a: &Pose,
        b: &Solid,
        pose_b: &Pose,
        answer: &Separation,
        options: &EventOptions,
    ) -> &[ContactEvent] {
        self.list.clear();
        self.found.clear();
        if answer.outcome != Outcome::Solved {
            return &self.list;
        }
        match (a, b) {
            (Solid::Polytope(p), Solid::Polytope(q)) => {
                return self.find(p, pose_a, q, pose_b, answer, options);
            }
            (_, Solid::HalfSpace(h)) => self.on_half_space(a, pose_a, Side::A, h, pose_b, answer, options),
            (Solid::HalfSpace(h), _) => self.on_half_space(b, pose_b, Side::B, h, pose_a, answer, options),
            (
                Solid::Sphere(_) | Solid::Capsule(_),
                Solid::Sphere(_) | Solid::Capsule(_) | Solid::Polytope(_),
            )
            | (Solid::Polytope(_), Solid::Sphere(_) | Solid::Capsule(_)) => {
                self.rounded(a, pose_a, b, pose_b, answer, options)
            }
            (Solid::Cylinder(_) | Solid::Cone(_), Solid::Polytope(q)) => {
                self.rim_on_polytope(a, pose_a, Side::A, q, pose_b, answer, options)
            }
            (Solid::Polytope(p), Solid::Cylinder(_) | Solid::Cone(_)) => {
                self.rim_on_polytope(b, pose_b, Side::B, p, pose_a, answer, options)
            }
            (Solid::Cylinder(_) | Solid::Cone(_), Solid::Cylinder(_) | Solid::Cone(_)) => {
                self.disc_on_disc((a, pose_a), (b, pose_b), answer, options);
            }
            _ => {}
        }
        self.ensure_separation_event(a, b, answer, options);
        &self.list
    }

    /// The separation itself must be among the events; where no feature pair reproduces it, it is added.
    fn ensure_separation_event(&mut self, a: &Solid, b: &Solid, answer: &Separation, options: &EventOptions) {
        let slack = 2.0 * options.eps_0 * answer.alpha.norm();
        if !self.list.iter().any(|e| e.separation <= answer.separation + slack) {
            let a = plain_feature(a, answer.weights_a());
            let b = plain_feature(b, answer.weights_b());
            self.list.push(ContactEvent::of_separation(answer, a, b));
        }
    }

    fn rounded(
        &mut self,
        a: &Solid,
        pose_a: &Pose,
        b: &Solid,
        pose_b: &Pose,
        answer: &Separation,
        options: &EventOptions,
    ) {
        let origin = pose_b.position;
        let resolution = resolution(a.outer_radius(), b.outer_radius());
        let view = View::along(&answer.beta);
        let test = test(answer, options, a.inner_radius() + b.inner_radius());
        let slack = 4.0 * (options.eps_0 + options.eps_x + resolution) * answer.alpha.norm();
        let depth = test.activity_width + slack;
        let [band_a, band_b] = &mut self.bands;
        let setting = BandQuery { origin, alpha: answer.alpha, depth, view };
        let [hint_a, hint_b] = answer.basis[0];
        let (placed_a, radius_a, axis_a) = setting.prepare(a, pose_a, Side::A, band_a, hint_a);
        let (placed_b, radius_b, axis_b) = setting.prepare(b, pose_b, Side::B, band_b, hint_b);
        let pieces = RoundedPair {
            test,
            a: RoundedBody { placed: placed_a, band: band_a, radius: radius_a },
            b: RoundedBody { placed: placed_b, band: band_b, radius: radius_b },
            resolution,
        };
        pieces.all(&mut self.found);
        self.merge_candidates(options, resolution);
        self.reduce(axis_a.or(axis_b), options);
        for event in &mut self.list {
            event.point_a += origin;
            event.point_b += origin;
        }
    }

    /// Reduces the manifold to the nearest event and, for a segment, the two outermost ones, provided their normals agree.
    fn reduce(&mut self, axis: Option<Vec3>, options: &EventOptions) {
        let Some(lowest) = self.list.iter().min_by(|e, f| e.separation.total_cmp(&f.separation)).copied()
        else {
            return;
        };
        let normal = lowest.normal();
        let tilt = options.tilt;
        self.list.retain(|e| e.normal().cross(&normal).norm() <= tilt && e.alpha.dot(&lowest.alpha) > 0.0);
        let axis = axis.unwrap_or_else(Vec3::zeros);
        let ends = self.list.iter().fold([lowest; 2], |[first, last], e| {
            let at = |e: &ContactEvent| axis.dot(&e.point_a);
            [if at(e) < at(&first) { *e } else { first }, if at(e) > at(&last) { *e } else { last }]
        });
        self.list.retain(|e| ends.contains(e) || *e == lowest);
    }

    #[allow(clippy::too_many_arguments)]
    fn on_half_space(
        &mut self,
        solid: &Solid,
        pose: &Pose,
        side: Side,
        half: &HalfSpace,
        pose_half: &Pose,
        answer: &Separation,
        options: &EventOptions,
    ) {
        let origin = pose_half.position;
        let test = test(answer, options, solid.inner_radius());
        let normal = pose_half.direction(&half.normal());
        let floor = HalfSpaceContact { test, side, normal, offset: half.offset(), origin };
        let shift = pose.position - origin;
        let place = |p: Vec3| pose.direction(&p) + shift;
        match solid {
            Solid::Polytope(p) => {
                let placed = Placed::new(p, pose, &origin);
                let depth = test.activity_width + 2.0 * options.eps_0 * answer.alpha.norm();
                let hint = answer.basis[0][if side == Side::A { 0 } else { 1 }];
                let band = &mut self.bands[0];
                band.collect(&placed, side, &answer.alpha, depth, hint, &View::along(&answer.beta));
                for corner in &band.corners {
                    if corner_admits(&placed, corner.vertex, &normal, options.tilt) {
                        self.list.extend(floor.land(corner.point, Feature::Vertex(corner.vertex)));
                    }
                }
            }
            Solid::Cylinder(_) | Solid::Cone(_) => {
                for RimPoint { point, feature } in rim_points(solid, &pose.inverse_direction(&-normal)) {
                    self.list.extend(floor.land(place(point), feature));
                }
            }
            _ => {
                let Some((core, radius)) = core(solid) else { return };
                for (k, point) in core.points.into_iter().take(core.count).enumerate() {
                    let feature = if core.count == 1 { Feature::Curved } else { Feature::Vertex(k as u32) };
                    self.list.extend(floor.land(place(point) - normal * radius, feature));
                }
            }
        }
    }
}

/// How the bands of both bodies of a rounded pair are collected.
struct BandQuery {
    origin: Vec3,
    alpha: Vec3,
    depth: f64,
    view: View,
}

impl BandQuery {
    /// Fills a band; the placed polytope, the radius about the core and the core's direction where there are any.
    fn prepare<'s>(
        &self,
        solid: &'s Solid,
        pose: &Pose,
        side: Side,
        band: &mut Band,
        hint: u32,
    ) -> (Option<Placed<'s>>, f64, Option<Vec3>) {
        if let Solid::Polytope(p) = solid {
            let placed = Placed::new(p, pose, &self.origin);
            band.collect(&placed, side, &self.alpha, self.depth, hint, &self.view);
            return (Some(placed), 0.0, None);
        }
        // Only spheres and capsules come here otherwise; a point would be the core of anything else.
        let (core, radius) = core(solid).unwrap_or((Core { points: [Vec3::zeros(); 2], count: 1 }, 0.0));
        let points = core.points.map(|p| pose.direction(&p) + (pose.position - self.origin));
        band.of_core(&points[..core.count], &self.view);
        (None, radius, (core.count == 2).then(|| points[1] - points[0]))
    }
}

/// The window of acceptance around an answer; `inner` is the least distance of touching reference points.
pub(crate) fn test<'a>(answer: &Separation, options: &'a EventOptions, inner: f64) -> ActivityTest<'a> {
    let scale = answer.reference_distance.max(inner);
    ActivityTest {
        options,
        line: SeparationLine::from(answer),
        separation: answer.separation,
        activity_width: options.eps_t * scale,
        rounding: f64::INFINITY,
    }
}

/// A half-space that material points land on.
struct HalfSpaceContact<'a> {
    test: ActivityTest<'a>,
    side: Side,
    normal: Vec3,
    offset: f64,
    origin: Vec3,
}

impl HalfSpaceContact<'_> {
    fn land(&self, point: Vec3, feature: Feature) -> Option<ContactEvent> {
        let line = self.test.line;
        let alpha = self.normal / self.normal.dot(&line.beta);
        let separation = (self.normal.dot(&point) - self.offset) * alpha.norm();
        if !self.test.accepts(separation, alpha.norm()) {
            return None;
        }
        let point = point + self.origin;
        let (kind, point_a, point_b) = match self.side {
            Side::A => {
                (EventKind::Smooth { a: feature, b: Feature::Plane }, point, point - line.beta * separation)
            }
            Side::B => {
                (EventKind::Smooth { a: Feature::Plane, b: feature }, point + line.beta * separation, point)
            }
        };
        Some(ContactEvent { kind, separation, alpha, point_a, point_b, line })
    }
}

/// A body's feature where only the separation and its active vertices are known.
fn plain_feature(solid: &Solid, weights: impl Iterator<Item = (u32, f64)>) -> Feature {
    match solid {
        Solid::Polytope(p) => {
            let (mut active, mut count) = ([0; 3], 0);
            for (index, _) in weights.take(3) {
                active[count] = index;
                count += 1;
            }
            p.feature(&active[..count]).unwrap_or(Feature::Vertex(active[0]))
        }
        Solid::HalfSpace(_) => Feature::Plane,
        _ => Feature::Curved,
    }
}
