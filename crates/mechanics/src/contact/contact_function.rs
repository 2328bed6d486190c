//! The gap of one contact event as a smooth function of the poses of its two bodies.
//!
//! An event found at one configuration (a corner on a face, two edges, a ball on a plane) is followed to others: its function is
//! that of the same features, whatever the nearest features there are.
//!
//! ```text
//! point on plane    g = n·(c - p) - r         a corner, the centre of a ball, the end of a capsule over a face or half-space
//! point on point    g = |c_a - c_b| - r       balls, ends of capsules, corners
//! edge on edge      g = n·(p_a - p_b) - r     n along the cross product of the edges, rims or axes: curve_crossing.rs
//! rim on face       g = n·(c - p) - R |n × k|     the lowest point of a disc with axis k, over the face: rim_on_face.rs
//! point on axis     g = |c - axis| - r            cylinders and capsules side by side, at both ends of their overlap
//! separation        g = s/|α|                 everything else: the kernel
//! ```

use super::contact_geometry::ContactGeometry;
use super::contact_point::{ContactPoint, PairWarmStart};
use super::curve_crossing::{Curve, crossing};
use super::manifold::ManifoldQuery;
use super::part::{Part, PartShape};
use super::rim_on_face::{FaceOutline, PlacedRim};
use crate::tolerances::contact::contact_function::{
    ACROSS, CURVES_PARALLEL, FLAT_DISC, OVERLAP_END, SIDE_BY_SIDE,
};
use percussion_geometry::events::{EventKind, Side};
use percussion_geometry::separation::QueryError;
use percussion_geometry::shapes::{Feature, PlanarShape, Polytope, Solid};
use percussion_geometry::{Pose, Vec3};

/// A contact at a configuration; vectors in the world.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ContactFrame {
    /// Distance of the features along the normal, m; negative in penetration.
    pub gap: f64,
    /// Unit normal from `b` to `a`.
    pub normal: Vec3,
    /// Contact point.
    pub point: Vec3,
}

/// The gap of one contact event as a function of the poses of its bodies. Points and directions are in the principal frames of their
/// bodies (in the world, for fixed ones).
#[derive(Clone, Debug)]
pub struct ContactFunction {
    /// The parts.
    pub pair: (usize, usize),
    /// The event.
    pub kind: EventKind,
    shape: GapShape,
}

/// How the gap is computed.
#[derive(Clone, Debug)]
enum GapShape {
    PointOnPlane {
        point_on: Side,
        centre: Vec3,
        radius: f64,
        normal: Vec3,
        on_plane: Vec3,
    },
    PointOnPoint {
        centre_a: Vec3,
        centre_b: Vec3,
        radius_a: f64,
        radius: f64,
    },
    EdgeOnEdge {
        edge_a: [Vec3; 2],
        edge_b: [Vec3; 2],
        sign: f64,
    },
    CurveOnCurve {
        curves: [Curve; 2],
        parameters: [f64; 2],
        sign: f64,
        radius_a: f64,
        radius: f64,
        warm_start: PairWarmStart,
    },
    RimOnFace {
        disc_on: Side,
        rim: Rim,
        lowest: [Vec3; 2],
        normal: Vec3,
        on_plane: Vec3,
        outline: FaceOutline,
    },
    PointOnAxis {
        centre: Vec3,
        on_axis: Vec3,
        axis: Vec3,
        radius_a: f64,
        radius: f64,
    },
    Separation {
        warm_start: PairWarmStart,
    },
}

/// A point of a part with the radius of the ball around it that belongs to the part.
#[derive(Clone, Copy)]
struct CorePoint {
    centre: Vec3,
    radius: f64,
}

impl ContactFunction {
    /// Of an event of a pair at poses of its bodies, with the warm start of the pair there.
    pub(super) fn new(
        geometry: &ContactGeometry,
        pair: (usize, usize),
        kind: EventKind,
        event: &ContactPoint,
        (pose_a, pose_b): (&Pose, &Pose),
        warm_start: PairWarmStart,
    ) -> Self {
        let parts = [&geometry.parts[pair.0], &geometry.parts[pair.1]];
        let poses = [pose_a, pose_b];
        let points = [event.point_a, event.point_b];
        let [on_a, on_b] = kind.features();
        let core = |side: usize, feature| core_point(parts[side], feature, poses[side], &points[side]);
        let plane_of = |side: usize| {
            let normal = if side == 1 { event.normal() } else { -event.normal() };
            (poses[side].inverse_direction(&normal), poses[side].inverse_point(&points[side]))
        };
        let flat = |feature: Feature, part: &Part| match feature {
            Feature::Plane | Feature::Face(_) => true,
            Feature::Edge(_) => part.shape.is_planar(),
            _ => false,
        };
        let point_on_plane = |point: CorePoint, plane: usize| {
            let (normal, on_plane) = plane_of(plane);
            let point_on = if plane == 1 { Side::A } else { Side::B };
            GapShape::PointOnPlane { point_on, centre: point.centre, radius: point.radius, normal, on_plane }
        };
        let outline = |side: usize, feature| face_outline(geometry, [pair.0, pair.1][side], feature);
        let rim_on_face = |rim: Rim, plane: usize| {
            let (normal, on_plane) = plane_of(plane);
            let disc_on = if plane == 1 { Side::A } else { Side::B };
            let outline = outline(plane, kind.features()[plane]);
            let disc = 1 - plane;
            let own = poses[disc].inverse_point(&points[disc]) - rim.centre;
            let lowest = [own, poses[plane].inverse_direction(&poses[disc].direction(&own))];
            GapShape::RimOnFace { disc_on, rim, lowest, normal, on_plane, outline }
        };
        let rim = |side: usize, feature| {
            let outward = if side == 0 { -event.normal() } else { event.normal() };
            lowest_rim(parts[side], feature, poses[side], &points[side], &outward)
        };
        let separation = || GapShape::Separation { warm_start };
        let edge = |side: usize, feature| match (&parts[side].shape, feature) {
            (PartShape::Solid(solid), Feature::Edge(edge)) => {
                solid.polytope().map(|polytope| edge_of(polytope, edge, &parts[side].offset))
            }
            _ => None,
        };
        // Beside a ball or corner a point of the lateral surface of a cylinder or cone is not that of the material: the surface is curved.
        let lateral = |side: usize, feature| {
            let round = matches!(&parts[side].shape, PartShape::Solid(Solid::Cylinder(_) | Solid::Cone(_)));
            round && feature == Feature::Curved
        };
        let curved = lateral(0, on_a) || lateral(1, on_b);
        // Two corners have no normal where they meet.
        let balls = [core(0, on_a), core(1, on_b)].iter().flatten().any(|point| point.radius > 0.0);
        let shape = if flat(on_b, parts[1]) {
            match (rim(0, on_a), core(0, on_a)) {
                (Some(rim), _) => rim_on_face(rim, 1),
                (None, Some(point)) => point_on_plane(point, 1),
                (None, None) => separation(),
            }
        } else if flat(on_a, parts[0]) {
            match (rim(1, on_b), core(1, on_b)) {
                (Some(rim), _) => rim_on_face(rim, 0),
                (None, Some(point)) => point_on_plane(point, 0),
                (None, None) => separation(),
            }
        } else if let (Some(edge_a), Some(edge_b)) = (edge(0, on_a), edge(1, on_b)) {
            let (a, b) =
                (pose_a.direction(&(edge_a[1] - edge_a[0])), pose_b.direction(&(edge_b[1] - edge_b[0])));
            GapShape::EdgeOnEdge { edge_a, edge_b, sign: a.cross(&b).dot(&event.normal()).signum() }
        } else if let Some((a, b)) = curve_of(parts[0], on_a, &event.normal(), poses[0])
            .zip(curve_of(parts[1], on_b, &event.normal(), poses[1]))
            .filter(|(a, b)| crosses((&a.0, pose_a, &points[0]), (&b.0, pose_b, &points[1])))
        {
            let placed = [a.0.placed(pose_a), b.0.placed(pose_b)];
            let parameters = [placed[0].nearest(&points[0]), placed[1].nearest(&points[1])];
            let tangents = [0, 1].map(|k| placed[k].at(parameters[k]).1);
            GapShape::CurveOnCurve {
                curves: [a.0, b.0],
                parameters,
                sign: tangents[0].cross(&tangents[1]).dot(&event.normal()).signum(),
                radius_a: a.1,
                radius: a.1 + b.1,
                warm_start,
            }
        } else if let Some((a, b)) = core(0, on_a).zip(core(1, on_b)).filter(|_| !curved && balls) {
            GapShape::PointOnPoint {
                centre_a: a.centre,
                centre_b: b.centre,
                radius_a: a.radius,
                radius: a.radius + b.radius,
            }
        } else {
            separation()
        };
        Self { pair, kind, shape }
    }

    /// Of cylinders or capsules that lie side by side at poses of their bodies: at both ends of their overlap and, between them, where
    /// they are nearest. Their contact is nearly a line, on which the nearest point moves far with little rotation.
    pub(super) fn side_by_side(
        geometry: &ContactGeometry,
        pair: (usize, usize),
        (kind, event): (EventKind, &ContactPoint),
        poses: (&Pose, &Pose),
    ) -> Option<impl Iterator<Item = Self> + use<>> {
        let rod = |part: usize, pose: &Pose| {
            let part = &geometry.parts[part];
            let (half, radius) = match &part.shape {
                PartShape::Solid(Solid::Capsule(c)) => (c.half_length(), c.radius()),
                PartShape::Solid(Solid::Cylinder(c)) => (c.half_height(), c.radius()),
                _ => return None,
            };
            let at = pose.then(&part.offset);
            Some((at.position, at.direction(&Vec3::z()), half, radius))
        };
        let (a, axis_a, half_a, radius_a) = rod(pair.0, poses.0)?;
        let (b, axis_b, half_b, radius_b) = rod(pair.1, poses.1)?;
        let normal = event.normal();
        let across = |axis: &Vec3| axis.dot(&normal).abs() <= ACROSS;
        if !(axis_a.cross(&axis_b).norm() <= SIDE_BY_SIDE && across(&axis_a) && across(&axis_b)) {
            return None;
        }
        let middle = (b - a).dot(&axis_a);
        let (low, high) = ((middle - half_b).max(-half_a), (middle + half_b).min(half_a));
        let nearest = (event.point() - a).dot(&axis_a);
        let margin = OVERLAP_END * (high - low);
        let between = Some(nearest).filter(|at| (low + margin..=high - margin).contains(at));
        let (on_axis, axis) = (poses.1.inverse_point(&b), poses.1.inverse_direction(&axis_b));
        let own = *poses.0;
        let at = move |along: f64| {
            let (centre, radius) = (own.inverse_point(&(a + axis_a * along)), radius_a + radius_b);
            Self { pair, kind, shape: GapShape::PointOnAxis { centre, on_axis, axis, radius_a, radius } }
        };
        (low < high).then(|| [Some(low), between, Some(high)].into_iter().flatten().map(at))
    }

    /// Whether it follows features, and not the separation of the pair.
    pub(super) fn is_followed(&self) -> bool {
        !matches!(self.shape, GapShape::Separation { .. })
    }

    /// Whether the contact point is a point of the material of body `a` (of `b`): it moves with the body.
    pub fn is_material(&self, side: Side) -> bool {
        match self.shape {
            GapShape::PointOnPlane { point_on, radius, .. } => point_on == side && radius == 0.0,
            _ => false,
        }
    }

    /// The contact at other poses of the bodies.
    pub fn evaluate(
        &mut self,
        geometry: &ContactGeometry,
        (pose_a, pose_b): (&Pose, &Pose),
        query: &mut ManifoldQuery,
    ) -> Result<ContactFrame, QueryError> {
        let pose = |side: Side| if side == Side::A { pose_a } else { pose_b };
        let outward = |side: Side, normal: Vec3| if side == Side::A { normal } else { -normal };
        Ok(match &mut self.shape {
            GapShape::PointOnPlane { point_on, centre, radius, normal, on_plane } => {
                let (own, other) = (pose(*point_on), pose(point_on.other()));
                let (c, n) = (own.point(centre), other.direction(normal));
                let height = n.dot(&(c - other.point(on_plane)));
                let gap = height - *radius;
                ContactFrame { gap, normal: outward(*point_on, n), point: c - n * (*radius + 0.5 * gap) }
            }
            GapShape::PointOnPoint { centre_a, centre_b, radius_a, radius } => {
                let (a, b) = (pose_a.point(centre_a), pose_b.point(centre_b));
                let apart = a - b;
                let distance = apart.norm();
                let normal = apart / distance;
                let gap = distance - *radius;
                ContactFrame { gap, normal, point: a - normal * (*radius_a + 0.5 * gap) }
            }
            GapShape::EdgeOnEdge { edge_a, edge_b, sign } => {
                let (p, q) = (pose_a.point(&edge_a[0]), pose_b.point(&edge_b[0]));
                let (u, w) =
                    (pose_a.direction(&(edge_a[1] - edge_a[0])), pose_b.direction(&(edge_b[1] - edge_b[0])));
                let across = u.cross(&w);
                let normal = across * (*sign / across.norm());
                let apart = q - p;
                // p + s u and q + t w are nearest.
                let s = apart.cross(&w).dot(&across) / across.norm_squared();
                let t = apart.cross(&u).dot(&across) / across.norm_squared();
                ContactFrame { gap: -normal.dot(&apart), normal, point: (p + u * s + q + w * t) * 0.5 }
            }
            GapShape::CurveOnCurve { curves, parameters, sign, radius_a, radius, warm_start } => {
                let [a, b] = [curves[0].placed(pose_a), curves[1].placed(pose_b)];
                let Some(([p, q], across)) = crossing(&a, &b, *parameters) else {
                    let whole =
                        geometry.separation(self.pair, (pose_a, pose_b), f64::INFINITY, warm_start)?;
                    return Ok(ContactFrame {
                        gap: whole.gap(),
                        normal: whole.normal(),
                        point: whole.point(),
                    });
                };
                let normal = across * *sign;
                let gap = normal.dot(&(p - q)) - *radius;
                ContactFrame { gap, normal, point: p - normal * (*radius_a + 0.5 * gap) }
            }
            GapShape::RimOnFace { disc_on, rim, lowest, normal, on_plane, outline } => {
                let (own, other) = (pose(*disc_on), pose(disc_on.other()));
                let (centre, axis) = (own.point(&rim.centre), own.direction(&rim.axis));
                let lowest = [own.direction(&lowest[0]), other.direction(&lowest[1])];
                let placed = PlacedRim { centre, axis, radius: rim.radius, lowest };
                let plane = (other.point(on_plane), other.direction(normal));
                let frame = placed.over(geometry, plane, (outline, other));
                ContactFrame { normal: outward(*disc_on, frame.normal), ..frame }
            }
            GapShape::PointOnAxis { centre, on_axis, axis, radius_a, radius } => {
                let (c, p, u) = (pose_a.point(centre), pose_b.point(on_axis), pose_b.direction(axis));
                let apart = c - p;
                let across = apart - u * apart.dot(&u);
                let distance = across.norm();
                let normal = across / distance;
                let gap = distance - *radius;
                ContactFrame { gap, normal, point: c - normal * (*radius_a + 0.5 * gap) }
            }
            GapShape::Separation { warm_start } => {
                let mut near = std::mem::take(&mut query.events);
                near.clear();
                let [p, q] = [self.pair.0, self.pair.1].map(|part| geometry.parts[part].radius);
                let poses = (pose_a, pose_b);
                let whole = geometry.near_events(self.pair, poses, p.min(q), warm_start, query, &mut near);
                let same = near.iter().zip(&query.kinds).filter(|(_, kind)| **kind == self.kind);
                let nearest =
                    same.map(|(event, _)| *event).min_by(|a, b| a.separation.total_cmp(&b.separation));
                query.events = near;
                let contact = nearest.unwrap_or(whole?);
                ContactFrame { gap: contact.gap(), normal: contact.normal(), point: contact.point() }
            }
        })
    }
}

/// The point of a part whose ball makes the contact, in the frame of its body.
fn core_point(part: &Part, feature: Feature, pose: &Pose, point: &Vec3) -> Option<CorePoint> {
    let at = |centre: Vec3, radius: f64| Some(CorePoint { centre: part.offset.point(&centre), radius });
    let material = || Some(CorePoint { centre: pose.inverse_point(point), radius: 0.0 });
    match (&part.shape, feature) {
        (PartShape::Solid(Solid::Sphere(sphere)), Feature::Curved) => at(Vec3::zeros(), sphere.radius()),
        (PartShape::Solid(Solid::Capsule(capsule)), Feature::Vertex(end)) => {
            let sign = if end == 0 { -1.0 } else { 1.0 };
            at(Vec3::new(0.0, 0.0, sign * capsule.half_length()), capsule.radius())
        }
        (PartShape::Solid(Solid::Polytope(polytope)), Feature::Vertex(vertex)) => {
            at(*polytope.vertices().get(vertex as usize)?, 0.0)
        }
        // The apex of a cone; points of the rim of a disc that lies flat, or that are not its lowest.
        (PartShape::Solid(Solid::Cone(_)), Feature::Vertex(_))
        | (PartShape::Solid(Solid::Cylinder(_) | Solid::Cone(_)), Feature::Curved) => material(),
        (PartShape::Planar(PlanarShape::Polygon(_)), Feature::Vertex(_)) => material(),
        (PartShape::Planar(PlanarShape::Circle(circle)), Feature::Curved) => {
            at(Vec3::zeros(), circle.radius())
        }
        _ => None,
    }
}

/// A disc whose rim touches with its lowest point, in the frame of its body.
#[derive(Clone, Copy, Debug)]
struct Rim {
    centre: Vec3,
    axis: Vec3,
    radius: f64,
}

/// The disc of a cylinder or cone whose lowest point is a given point of the world; `down` leads out of the part.
fn lowest_rim(part: &Part, feature: Feature, pose: &Pose, point: &Vec3, down: &Vec3) -> Option<Rim> {
    if feature != Feature::Curved {
        return None;
    }
    let (ends, radius) = match &part.shape {
        PartShape::Solid(Solid::Cylinder(c)) => ([-c.half_height(), c.half_height()], c.radius()),
        PartShape::Solid(Solid::Cone(c)) => ([-0.25 * c.height(); 2], c.radius()),
        _ => return None,
    };
    let at = pose.then(&part.offset);
    let (own, down) = (at.inverse_point(point), at.inverse_direction(down));
    let z = if (own.z - ends[0]).abs() <= (own.z - ends[1]).abs() { ends[0] } else { ends[1] };
    let sine = down.x.hypot(down.y);
    // The lowest point lies along `down`; others of the rim are not followed.
    let lowest = sine > FLAT_DISC && (own.x * down.x + own.y * down.y) / sine >= radius * (1.0 - 1e-9);
    lowest.then(|| Rim {
        centre: part.offset.point(&Vec3::new(0.0, 0.0, z)),
        axis: part.offset.direction(&Vec3::z()),
        radius,
    })
}

/// The outline of a flat feature.
fn face_outline(geometry: &ContactGeometry, part: usize, feature: Feature) -> FaceOutline {
    let Part { shape, offset, .. } = &geometry.parts[part];
    let disc =
        |z: f64, radius: f64| FaceOutline::Disc { centre: offset.point(&Vec3::new(0.0, 0.0, z)), radius };
    match (shape, feature) {
        (PartShape::Solid(Solid::Polytope(_)), Feature::Face(face)) => FaceOutline::Polygon { part, face },
        (PartShape::Solid(Solid::Cylinder(c)), Feature::Face(end)) => {
            disc(if end == 0 { -c.half_height() } else { c.half_height() }, c.radius())
        }
        (PartShape::Solid(Solid::Cone(c)), Feature::Face(_)) => disc(-0.25 * c.height(), c.radius()),
        _ => FaceOutline::Unbounded,
    }
}

/// The curve of a feature, in the frame of its body, with the radius of the part about it.
fn curve_of(part: &Part, feature: Feature, normal: &Vec3, pose: &Pose) -> Option<(Curve, f64)> {
    let PartShape::Solid(solid) = &part.shape else { return None };
    let offset = &part.offset;
    let line = |point: Vec3, along: Vec3, radius: f64| Some((Curve::Line { point, along }, radius));
    let axis = |radius: f64| line(offset.position, offset.direction(&Vec3::z()), radius);
    let rim = |z: f64, radius: f64| {
        let axes = [offset.direction(&Vec3::x()), offset.direction(&Vec3::y())];
        Some((Curve::Rim { centre: offset.point(&Vec3::new(0.0, 0.0, z)), axes, radius }, 0.0))
    };
    match (solid, feature) {
        (Solid::Polytope(polytope), Feature::Edge(edge)) => {
            let [from, to] = edge_of(polytope, edge, offset);
            line(from, (to - from).normalize(), 0.0)
        }
        (Solid::Cylinder(c), Feature::Edge(end)) => {
            rim(if end == 0 { -c.half_height() } else { c.half_height() }, c.radius())
        }
        (Solid::Cone(c), Feature::Edge(_)) => rim(-0.25 * c.height(), c.radius()),
        // The side of a cylinder, not its rim.
        (Solid::Cylinder(c), Feature::Curved) => {
            let along = pose.direction(&offset.direction(&Vec3::z()));
            axis(c.radius()).filter(|_| along.dot(normal).abs() <= ACROSS)
        }
        (Solid::Capsule(c), Feature::Edge(_)) => axis(c.radius()),
        _ => None,
    }
}

/// Whether two curves at points of them are far from parallel.
fn crosses((a, pose_a, on_a): (&Curve, &Pose, &Vec3), (b, pose_b, on_b): (&Curve, &Pose, &Vec3)) -> bool {
    let (a, b) = (a.placed(pose_a), b.placed(pose_b));
    let (u, w) = (a.at(a.nearest(on_a)).1, b.at(b.nearest(on_b)).1);
    u.cross(&w).norm() > CURVES_PARALLEL
}

/// The ends of an edge of a polytope, in the frame of its body.
fn edge_of(polytope: &Polytope, edge: u32, offset: &Pose) -> [Vec3; 2] {
    polytope.edges()[edge as usize].vertices.map(|v| offset.point(&polytope.vertices()[v as usize]))
}
