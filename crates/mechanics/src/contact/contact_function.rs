//! The gap of one contact event as a smooth function of the poses of its two bodies.
//!
//! An event found at one configuration (a corner on a face, two edges, a ball on a plane) is followed to others: its function is
//! that of the same features, whatever the nearest features there are.
//!
//! ```text
//! point on plane    g = n·(c - p) - r         a corner, the centre of a ball, the end of a capsule over a face or half-space
//! point on point    g = |c_a - c_b| - r       balls, ends of capsules, corners
//! edge on edge      g = n·(p_a - p_b)         n along the cross product of the edges
//! rim on plane      g = n·(c - p) - R |n × k|     the lowest point of a disc with axis k
//! point on axis     g = |c - axis| - r            cylinders and capsules side by side, at both ends of their overlap
//! separation        g = s/|α|                 everything else: the kernel
//! ```

use super::contact_geometry::ContactGeometry;
use super::contact_point::{ContactPoint, PairWarmStart};
use super::manifold::ManifoldQuery;
use super::part::{Part, PartShape};
use crate::tolerances::contact::contact_function::{ACROSS, FLAT_DISC, OVERLAP_END, SIDE_BY_SIDE};
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
    PointOnPlane { point_on: Side, centre: Vec3, radius: f64, normal: Vec3, on_plane: Vec3 },
    PointOnPoint { centre_a: Vec3, centre_b: Vec3, radius_a: f64, radius: f64 },
    EdgeOnEdge { edge_a: [Vec3; 2], edge_b: [Vec3; 2], sign: f64 },
    RimOnPlane { disc_on: Side, centre: Vec3, axis: Vec3, radius: f64, normal: Vec3, on_plane: Vec3 },
    PointOnAxis { centre: Vec3, on_axis: Vec3, axis: Vec3, radius_a: f64, radius: f64 },
    Separation { warm_start: PairWarmStart },
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
        let rim_on_plane = |rim: Rim, plane: usize| {
            let (normal, on_plane) = plane_of(plane);
            let disc_on = if plane == 1 { Side::A } else { Side::B };
            let Rim { centre, axis, radius } = rim;
            GapShape::RimOnPlane { disc_on, centre, axis, radius, normal, on_plane }
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
                (Some(rim), _) => rim_on_plane(rim, 1),
                (None, Some(point)) => point_on_plane(point, 1),
                (None, None) => separation(),
            }
        } else if flat(on_a, parts[0]) {
            match (rim(1, on_b), core(1, on_b)) {
                (Some(rim), _) => rim_on_plane(rim, 0),
                (None, Some(point)) => point_on_plane(point, 0),
                (None, None) => separation(),
            }
        } else if let (Some(edge_a), Some(edge_b)) = (edge(0, on_a), edge(1, on_b)) {
            let (a, b) =
                (pose_a.direction(&(edge_a[1] - edge_a[0])), pose_b.direction(&(edge_b[1] - edge_b[0])));
            GapShape::EdgeOnEdge { edge_a, edge_b, sign: a.cross(&b).dot(&event.normal()).signum() }
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
            GapShape::RimOnPlane { disc_on, centre, axis, radius, normal, on_plane } => {
                let (own, other) = (pose(*disc_on), pose(disc_on.other()));
                let (c, k, n) = (own.point(centre), own.direction(axis), other.direction(normal));
                let in_disc = n - k * n.dot(&k);
                let sine = in_disc.norm();
                let lowest = if sine > 0.0 { in_disc * (*radius / sine) } else { Vec3::zeros() };
                let gap = n.dot(&(c - other.point(on_plane))) - *radius * sine;
                ContactFrame { gap, normal: outward(*disc_on, n), point: c - lowest - n * (0.5 * gap) }
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

/// The ends of an edge of a polytope, in the frame of its body.
fn edge_of(polytope: &Polytope, edge: u32, offset: &Pose) -> [Vec3; 2] {
    polytope.edges()[edge as usize].vertices.map(|v| offset.point(&polytope.vertices()[v as usize]))
}
