//! Features of two parts held fast: a smooth function of two placements that agrees with the separation to first order.
//!
//! ```text
//! corner on face   n carried by the face's body        s = n·(x - y)/(n·β)     x, y material points
//! edge on edge     n = e1 × e2, edges carried           the same
//! ```
//!
//! The kernel's answer is the maximum over all pairs of features; with the optimal pair held fast it can be differentiated
//! once more, by differences of the gradient.

use percussion_geometry::separation::QueryError;
use percussion_geometry::shapes::Solid;
use percussion_geometry::{Pose, Vec3};
use percussion_mechanics::contact::{
    ContactGeometry, ContactPoint, PairWarmStart, Part, PartShape, PlaneAttachment,
};
use percussion_mechanics::spatial::{Vec6, twist};

/// What separates two parts, as it is carried by their bodies. Frames are the bodies' principal ones.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Frozen {
    pub(super) carrier: Side,
    /// On the first body.
    pub point_a: Vec3,
    /// On the second.
    pub point_b: Vec3,
    /// Reference points, whose difference is the direction of separations.
    references: Option<(Vec3, Vec3)>,
    /// The direction where it does not follow the reference points, on the second body.
    beta: Vec3,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Side {
    /// Unit normal on the first body.
    A(Vec3),
    /// On the second.
    B(Vec3),
    /// Two edges, ordered so that their product points from the second to the first.
    Edges(Vec3, Vec3),
}

/// What frozen features say at two placements.
#[derive(Clone, Copy, Debug)]
pub struct Reading {
    /// Unit normal from the second to the first.
    pub normal: Vec3,
    /// Distance along it, m.
    pub gap: f64,
    /// The point on the first body where it is nearest to the second, in the world.
    pub point_a: Vec3,
    /// On the second, opposite to it along the normal.
    pub point_b: Vec3,
}

impl Frozen {
    /// From an answer of the kernel at placements of the two principal frames.
    pub fn new(
        contacts: &ContactGeometry,
        pair: (usize, usize),
        poses: (&Pose, &Pose),
        touch: &ContactPoint,
        memory: &PairWarmStart,
    ) -> Self {
        let n = touch.normal();
        let carrier = match contacts.plane_attachment(pair, poses, memory) {
            PlaneAttachment::A => Side::A(poses.0.inverse_direction(&n)),
            PlaneAttachment::B => Side::B(poses.1.inverse_direction(&n)),
            PlaneAttachment::Edges(e1, e2) => {
                let sign = if e1.cross(&e2).dot(&n) < 0.0 { -1.0 } else { 1.0 };
                Side::Edges(poses.0.inverse_direction(&(e1 * sign)), poses.1.inverse_direction(&e2))
            }
        };
        let follows = touch.reference_distance > 0.0;
        let references =
            (poses.0.inverse_point(&touch.reference_a), poses.1.inverse_point(&touch.reference_b));
        Self {
            carrier,
            point_a: poses.0.inverse_point(&touch.point_a),
            point_b: poses.1.inverse_point(&touch.point_b),
            references: follows.then_some(references),
            beta: poses.1.inverse_direction(&touch.beta),
        }
    }

    /// Which of the two bodies carries the normal; `None` if both do.
    pub(super) fn carrier_side(&self) -> Option<usize> {
        match &self.carrier {
            Side::A(_) => Some(0),
            Side::B(_) => Some(1),
            Side::Edges(..) => None,
        }
    }

    /// The same with the normal of the face of the second part that is nearest to it, where two edges would carry theirs.
    pub fn on_a_face(mut self, part: &Part, poses: (&Pose, &Pose)) -> Self {
        if let (Side::Edges(..), PartShape::Solid(Solid::Polytope(polytope))) = (&self.carrier, &part.shape) {
            let normal = poses.1.inverse_direction(&self.read(poses).normal);
            let faces = polytope.faces().iter().map(|face| part.offset.direction(&face.normal));
            let nearest = faces.max_by(|m, n| m.dot(&normal).total_cmp(&n.dot(&normal)));
            self.carrier = Side::B(nearest.unwrap_or(normal));
        }
        self
    }

    /// The same normal at other material points: another corner of one face.
    pub fn at_points(mut self, point_a: Vec3, point_b: Vec3) -> Self {
        (self.point_a, self.point_b) = (point_a, point_b);
        self
    }

    /// A plane of one body that a point of the other one is measured from.
    pub(super) fn plane(carrier: Side, point_a: Vec3, point_b: Vec3) -> Self {
        Self { carrier, point_a, point_b, references: None, beta: Vec3::zeros() }
    }

    /// Normal, gap and points at placements.
    pub fn read(&self, poses: (&Pose, &Pose)) -> Reading {
        let normal = match &self.carrier {
            Side::A(n) => poses.0.direction(n),
            Side::B(n) => poses.1.direction(n),
            Side::Edges(e1, e2) => poses.0.direction(e1).cross(&poses.1.direction(e2)).normalize(),
        };
        let (mut point_a, mut point_b) = (poses.0.point(&self.point_a), poses.1.point(&self.point_b));
        let gap = normal.dot(&(point_a - point_b));
        // A corner slides over its face and an edge along the other: the two points are opposite to each other wherever that is.
        match &self.carrier {
            Side::A(_) => point_a = point_b + normal * gap,
            Side::B(_) => point_b = point_a - normal * gap,
            Side::Edges(e1, e2) => {
                // a + t e1 - (b + u e2) is along c = e1 × e2.
                let (e1, e2) = (poses.0.direction(e1), poses.1.direction(e2));
                let (c, apart) = (e1.cross(&e2), point_b - point_a);
                point_a += e1 * (apart.cross(&e2).dot(&c) / c.norm_squared());
                point_b = point_a - normal * gap;
            }
        }
        Reading { normal, gap, point_a, point_b }
    }

    /// The separation that these features give and its gradient, as the kernel would answer if they were optimal.
    pub fn touch(&self, poses: (&Pose, &Pose)) -> ContactPoint {
        let reading = self.read(poses);
        let (beta, ra, rb, distance) = match &self.references {
            Some((a, b)) => {
                let (ra, rb) = (poses.0.point(a), poses.1.point(b));
                let distance = (ra - rb).norm();
                ((ra - rb) / distance, ra, rb, distance)
            }
            None => (poses.1.direction(&self.beta), reading.point_a, reading.point_b, 0.0),
        };
        let alpha = reading.normal / reading.normal.dot(&beta);
        let separation = alpha.dot(&(reading.point_a - reading.point_b));
        let (mut point_a, mut point_b) = (reading.point_a, reading.point_b);
        match &self.carrier {
            Side::A(_) => point_a = point_b + beta * separation,
            Side::B(_) => point_b = point_a - beta * separation,
            Side::Edges(e1, e2) => {
                // a + t e1 - (b + u e2) = s β: across e2 and β for t.
                let (e1, e2) = (poses.0.direction(e1), poses.1.direction(e2));
                let across = e2.cross(&beta);
                let t = -across.dot(&(point_a - point_b)) / across.dot(&e1);
                point_a += e1 * t;
                point_b = point_a - beta * separation;
            }
        }
        ContactPoint {
            separation,
            alpha,
            beta,
            point_a,
            point_b,
            reference_a: ra,
            reference_b: rb,
            reference_distance: distance,
            solved: true,
        }
    }
}

impl Frozen {
    /// The gradient of the gap as wrenches on the two bodies about their centres of mass.
    pub fn gap_wrenches(&self, poses: (&Pose, &Pose), centres: (Vec3, Vec3)) -> (Vec6, Vec6) {
        let Reading { normal: n, point_a, point_b, .. } = self.read(poses);
        // d gap = n·(dx - dy) + dn·(x - y): the points are opposite to each other, and dn is across the normal.
        let (on_a, on_b) = ((point_a - centres.0).cross(&n), -(point_b - centres.1).cross(&n));
        (twist(&n, &on_a), twist(&-n, &on_b))
    }

    /// The gradient of `w·n` along turns of the two bodies, for a vector `w` that is held: the normal turns with its carrier.
    pub fn normal_torques(&self, poses: (&Pose, &Pose), n: &Vec3, w: &Vec3) -> (Vec3, Vec3) {
        match &self.carrier {
            Side::A(_) => (n.cross(w), Vec3::zeros()),
            Side::B(_) => (Vec3::zeros(), n.cross(w)),
            Side::Edges(e1, e2) => {
                let (e1, e2) = (poses.0.direction(e1), poses.1.direction(e2));
                let length = e1.cross(&e2).norm();
                // dn = (I - n nᵀ)(de1 × e2 + e1 × de2)/|e1 × e2|
                let across = (w - n * n.dot(w)) / length;
                (e1.cross(&e2.cross(&across)), e2.cross(&across.cross(&e1)))
            }
        }
    }
}

impl Frozen {
    /// The surface of a half-space, the second part, with points of the first that stay above it.
    pub fn above(
        contacts: &ContactGeometry,
        pair: (usize, usize),
        poses: (&Pose, &Pose),
        points: &[Vec3],
    ) -> Result<Vec<Self>, QueryError> {
        let mut memory = PairWarmStart::default();
        let touch = contacts.separation(pair, poses, f64::INFINITY, &mut memory)?;
        let surface = Self::new(contacts, pair, poses, &touch, &memory);
        Ok(points.iter().map(|point| surface.at_points(*point, surface.point_b)).collect())
    }
}
