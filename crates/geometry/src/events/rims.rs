//! Cylinders and cones on flat ground: rims are sampled where they support the body.
//!
//! A disc on a plane touches along a curve; four of its points hold it as well against tipping. One of them is the
//! lowest point of the rim, so that the least of the events is the separation itself; the others follow at quarter
//! turns (from the body's x axis when the disc lies exactly flat). Over the edge of a face the rest of the
//! overlap's outline is added: face corners under the disc, and the crossings of face sides with the rim.

use super::EventWorkspace;
use super::band::{Band, BandFace, Placed, View};
use super::candidates::{ActivityTest, Candidate, corner_admits, edge_admits, outside_face};
use super::event::{ContactEvent, EventKind, Side};
use super::manifold::test;
use super::options::{EventOptions, resolution};
use crate::separation::Separation;
use crate::shapes::{Feature, Polytope, Solid};
use crate::tolerances::events::{GRAZING, PARALLEL, RIMS_PARALLEL};
use crate::{Pose, Vec2, Vec3};

/// A point of a body that may touch the ground, body frame.
#[derive(Clone, Copy)]
pub(crate) struct RimPoint {
    pub point: Vec3,
    pub feature: Feature,
}

/// A flat end of a cylinder or cone, body frame.
#[derive(Clone, Copy)]
pub(super) struct Disc {
    /// Its height; the outward normal is `±z`, away from the centroid.
    pub z: f64,
    pub radius: f64,
}

/// The flat ends of a solid and the apex of a cone.
pub(super) fn outline(solid: &Solid) -> ([Option<Disc>; 2], Option<Vec3>) {
    match solid {
        Solid::Cylinder(c) => {
            let disc = |z: f64| Some(Disc { z, radius: c.radius() });
            ([disc(-c.half_height()), disc(c.half_height())], None)
        }
        Solid::Cone(c) => {
            let base = Disc { z: -0.25 * c.height(), radius: c.radius() };
            ([Some(base), None], Some(Vec3::new(0.0, 0.0, 0.75 * c.height())))
        }
        _ => ([None, None], None),
    }
}

/// Direction in the disc's plane that falls most steeply along `down`.
pub(super) fn steepest(down: &Vec3) -> Vec2 {
    Vec2::new(down.x, down.y).try_normalize(0.0).unwrap_or_else(Vec2::x)
}

/// Points of the rims, quarter turns from the lowest one, and a cone's apex.
pub(crate) fn rim_points(solid: &Solid, down: &Vec3) -> impl Iterator<Item = RimPoint> {
    let (discs, apex) = outline(solid);
    let first = steepest(down);
    let quarters = [first, Vec2::new(-first.y, first.x), -first, Vec2::new(first.y, -first.x)];
    let rims = discs.into_iter().flatten().flat_map(move |disc| {
        quarters.into_iter().map(move |q| RimPoint {
            point: Vec3::new(disc.radius * q.x, disc.radius * q.y, disc.z),
            feature: Feature::Curved,
        })
    });
    rims.chain(apex.map(|point| RimPoint { point, feature: Feature::Vertex(0) }))
}

/// A cylinder or cone over one face of a polytope, in the working frame.
struct DiscOnFace<'a> {
    test: ActivityTest<'a>,
    solid: &'a Solid,
    pose: Pose,
    side: Side,
    ground: Placed<'a>,
    band_face: BandFace,
    /// β from the polytope to the solid.
    beta: Vec3,
}

impl DiscOnFace<'_> {
    /// Assembles an event from the solid's point; `normal` points from the polytope to the solid.
    fn event(&self, own: Feature, other: Feature, s: f64, normal: &Vec3, point: Vec3) -> ContactEvent {
        let projected = point - self.beta * s;
        let (kind, point_a, point_b) = match self.side {
            Side::A => (EventKind::Smooth { a: own, b: other }, point, projected),
            Side::B => (EventKind::Smooth { a: other, b: own }, projected, point),
        };
        let line = self.test.line;
        ContactEvent { kind, separation: s, alpha: normal / normal.dot(&line.beta), point_a, point_b, line }
    }

    fn keep(&self, event: ContactEvent, excess: f64, found: &mut Vec<Candidate>) {
        let options = self.test.options;
        if excess <= options.eps_x && self.test.accepts(event.separation, event.alpha.norm()) {
            found.push(Candidate { event, excess });
        }
    }

    /// A point of the solid on the face.
    fn land(&self, point: Vec3, own: Feature, found: &mut Vec<Candidate>) {
        let face = &self.ground.polytope.faces()[self.band_face.face as usize];
        let height = face.normal.dot(&self.ground.to_body(&point)) - face.offset;
        let s = height / self.band_face.normal.dot(&self.beta);
        let projected = self.ground.to_body(&(point - self.beta * s));
        let excess = outside_face(self.ground.polytope, self.band_face.face, &projected);
        let event = self.event(own, Feature::Face(self.band_face.face), s, &self.band_face.normal, point);
        self.keep(event, excess, found);
    }

    fn all(&self, found: &mut Vec<Candidate>) {
        let down = self.pose.inverse_direction(&-self.band_face.normal);
        for RimPoint { point, feature } in rim_points(self.solid, &down) {
            self.land(self.pose.point(&point), feature, found);
        }
        let (discs, apex) = outline(self.solid);
        // The lowest line of the curved side, over the sides of the face.
        let first = steepest(&down);
        let rim = |disc: Disc| Vec3::new(disc.radius * first.x, disc.radius * first.y, disc.z);
        let [bottom, top] = discs;
        if let (Some(from), Some(to)) = (bottom.map(rim), top.map(rim).or(apex)) {
            self.side_line(self.pose.point(&from), self.pose.point(&to), found);
        }
    }

    fn corners(&self) -> &[u32] {
        let polytope = self.ground.polytope;
        polytope.face_loop(&polytope.faces()[self.band_face.face as usize])
    }

    /// A straight line of the solid's side across the face's sides.
    fn side_line(&self, from: Vec3, to: Vec3, found: &mut Vec<Candidate>) {
        let e = to - from;
        let corners = self.corners();
        for (k, &v) in corners.iter().enumerate() {
            let w = corners[(k + 1) % corners.len()];
            let Some(edge) = self.ground.polytope.edge_between(v as usize, w as usize) else { continue };
            let (y, f) = (self.ground.vertex(v), self.ground.vertex(w) - self.ground.vertex(v));
            let nu = e.cross(&f);
            if nu.norm() <= PARALLEL * e.norm() * f.norm() {
                continue;
            }
            let nu = if nu.dot(&self.band_face.normal) < 0.0 { -nu } else { nu }.normalize();
            let slope = nu.dot(&self.beta);
            if nu.cross(&self.band_face.normal).norm() > self.test.options.tilt || slope <= GRAZING {
                continue;
            }
            let c = e.cross(&f).dot(&self.beta);
            let d = from - y;
            let (u, t) = (-d.dot(&f.cross(&self.beta)) / c, -d.dot(&e.cross(&self.beta)) / c);
            let s = nu.dot(&(d + e * u - f * t)) / slope;
            let beyond = |t: f64, length: f64| (-t).max(t - 1.0) * length;
            let excess = beyond(u, e.norm()).max(beyond(t, f.norm()));
            let event = self.event(Feature::Curved, Feature::Edge(edge as u32), s, &nu, from + e * u);
            self.keep(event, excess, found);
        }
    }
}

/// A flat end of a cylinder or cone over the corners and edges of a polytope, in the working frame.
struct EndOnEdges<'a> {
    test: ActivityTest<'a>,
    side: Side,
    ground: Placed<'a>,
    /// β and the normal of the pair, from the polytope to the solid.
    beta: Vec3,
    normal: Vec3,
    feature: u32,
    centre: Vec3,
    outward: Vec3,
    radius: f64,
}

impl EndOnEdges<'_> {
    fn event(&self, own: Feature, other: Feature, s: f64, normal: &Vec3, point: Vec3) -> ContactEvent {
        let projected = point - self.beta * s;
        let line = self.test.line;
        let (alpha, (kind, point_a, point_b)) = match self.side {
            Side::A => (*normal, (EventKind::Smooth { a: own, b: other }, point, projected)),
            Side::B => (-*normal, (EventKind::Smooth { a: other, b: own }, projected, point)),
        };
        ContactEvent { kind, separation: s, alpha: alpha / alpha.dot(&line.beta), point_a, point_b, line }
    }

    fn keep(&self, event: ContactEvent, excess: f64, found: &mut Vec<Candidate>) {
        if excess <= self.test.options.eps_x && self.test.accepts(event.separation, event.alpha.norm()) {
            found.push(Candidate { event, excess });
        }
    }

    /// Corners under the end, and edges across its rim.
    fn all(&self, band: &Band, found: &mut Vec<Candidate>) {
        let Self { outward, centre, radius, .. } = *self;
        let slope = outward.dot(&self.beta);
        if slope >= -GRAZING {
            return;
        }
        // Along β onto the plane of the end: the separation and the point.
        let lift = |y: Vec3| {
            let s = outward.dot(&(centre - y)) / slope;
            (s, y + self.beta * s)
        };
        let tilt = self.test.options.tilt;
        if outward.cross(&self.normal).norm() <= tilt {
            for corner in &band.corners {
                if corner_admits(&self.ground, corner.vertex, &outward, tilt) {
                    let (s, x) = lift(corner.point);
                    let (own, other) = (Feature::Face(self.feature), Feature::Vertex(corner.vertex));
                    self.keep(self.event(own, other, s, &-outward, x), (x - centre).norm() - radius, found);
                }
            }
        }
        for edge in &band.edges {
            let ((s0, x), (s1, next)) = (lift(edge.from), lift(edge.from + edge.along));
            let (d, e) = (x - centre, next - x);
            let (p, q) = (e.norm_squared(), d.dot(&e));
            let inside = q * q - p * (d.norm_squared() - radius * radius);
            if inside <= 0.0 || p == 0.0 {
                continue;
            }
            for t in [(-q - inside.sqrt()) / p, (-q + inside.sqrt()) / p] {
                if !(0.0..=1.0).contains(&t) {
                    continue;
                }
                let (s, point) = (s0 + (s1 - s0) * t, x + e * t);
                let radial = (point - centre) / radius;
                let nu = outward.cross(&radial).cross(&edge.along);
                let length = nu.norm();
                if length <= RIMS_PARALLEL * edge.along.norm() {
                    continue;
                }
                let n = nu * (nu.dot(&self.beta).signum() / length);
                let admitted = n.dot(&self.beta) > GRAZING
                    && -n.dot(&radial) >= -tilt
                    && -n.dot(&outward) >= -tilt
                    && edge_admits(&self.ground, edge, &-n, tilt);
                if admitted {
                    let (own, other) = (Feature::Edge(self.feature), Feature::Edge(edge.edge));
                    self.keep(self.event(own, other, s, &n, point), 0.0, found);
                }
            }
        }
    }
}

impl EventWorkspace {
    /// A cylinder or cone on the faces of a polytope that support it.
    #[allow(clippy::too_many_arguments)]
    pub(super) fn rim_on_polytope(
        &mut self,
        solid: &Solid,
        pose: &Pose,
        side: Side,
        polytope: &Polytope,
        pose_polytope: &Pose,
        answer: &Separation,
        options: &EventOptions,
    ) {
        let origin = pose_polytope.position;
        let resolution = resolution(solid.outer_radius(), polytope.outer_radius());
        let test = test(answer, options, solid.inner_radius() + polytope.inner_radius());
        let ground = Placed::new(polytope, pose_polytope, &origin);
        let pose = Pose::new(pose.rotation, pose.position - origin);
        let slack = 4.0 * (options.eps_0 + options.eps_x + resolution) * answer.alpha.norm();
        let hint = answer.basis[0][if side == Side::A { 1 } else { 0 }];
        let view = View::along(&answer.beta);
        let band = &mut self.bands[0];
        band.collect(&ground, side.other(), &answer.alpha, test.activity_width + slack, hint, &view);
        let sign = if side == Side::A { 1.0 } else { -1.0 };
        let (beta, normal) = (answer.beta * sign, answer.normal() * sign);
        for &band_face in &band.faces {
            let facing = band_face.normal.dot(&normal) > 0.0
                && band_face.normal.cross(&normal).norm() <= options.tilt
                && band_face.normal.dot(&beta) > GRAZING;
            if facing {
                DiscOnFace { test, solid, pose, side, ground, band_face, beta }.all(&mut self.found);
            }
        }
        for disc in outline(solid).0.into_iter().flatten() {
            let centre = pose.point(&Vec3::new(0.0, 0.0, disc.z));
            let outward = pose.direction(&Vec3::new(0.0, 0.0, disc.z.signum()));
            let (feature, radius) = (u32::from(disc.z > 0.0), disc.radius);
            let end = EndOnEdges { test, side, ground, beta, normal, feature, centre, outward, radius };
            end.all(band, &mut self.found);
        }
        self.merge_candidates(options, resolution);
        for event in &mut self.list {
            event.point_a += origin;
            event.point_b += origin;
        }
    }
}
