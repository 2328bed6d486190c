//! Separating features: a vertex and a face, or two edges, fixed on two parts. Their separation is a smooth function of the two poses that
//! agrees with the separation of the parts to first order.
//!
//! ```text
//! vertex on face   n fixed on the body of the face        s = n·(x - y)/(n·β)     x, y material points
//! edge on edge     n = e1 × e2, edges fixed on bodies     the same
//! ```
//!
//! The separation of convex parts is the maximum over all pairs of features. With the optimal pair fixed it is differentiable once more.

use crate::clearance;
use percussion_geometry::separation::QueryError;
use percussion_geometry::shapes::Solid;
use percussion_geometry::{Pose, Vec3};
use percussion_mechanics::State;
use percussion_mechanics::contact::{
    ContactGeometry, ContactPoint, PairWarmStart, Part, PartShape, PlaneAttachment,
};
use percussion_mechanics::spatial::{Vec6, twist};

/// Two features that separate two parts, in the principal frames of their bodies.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SeparatingFeature {
    pub(super) attachment: NormalAttachment,
    /// On the first body.
    pub point_a: Vec3,
    /// On the second.
    pub point_b: Vec3,
    /// Reference points, whose difference is the direction of separations.
    references: Option<(Vec3, Vec3)>,
    /// The direction where it does not follow the reference points, on the second body.
    beta: Vec3,
}

/// The body that the normal is fixed on.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum NormalAttachment {
    /// Unit normal on the first body.
    A(Vec3),
    /// On the second.
    B(Vec3),
    /// Two edges, ordered so that their product points from the second to the first.
    Edges(Vec3, Vec3),
}

/// Separating features at two poses.
#[derive(Clone, Copy, Debug)]
pub struct FeatureGeometry {
    /// Unit normal from the second to the first.
    pub normal: Vec3,
    /// Distance along it, m.
    pub gap: f64,
    /// The point on the first body that is nearest to the second, in the world.
    pub point_a: Vec3,
    /// On the second, opposite to it along the normal.
    pub point_b: Vec3,
}

impl SeparatingFeature {
    /// From the contact point of two parts at poses of the two principal frames.
    pub fn new(
        contacts: &ContactGeometry,
        pair: (usize, usize),
        poses: &[Pose; 2],
        nearest: &ContactPoint,
        warm_start: &PairWarmStart,
    ) -> Self {
        let n = nearest.normal();
        let attachment = match contacts.plane_attachment(pair, (&poses[0], &poses[1]), warm_start) {
            PlaneAttachment::A => NormalAttachment::A(poses[0].inverse_direction(&n)),
            PlaneAttachment::B => NormalAttachment::B(poses[1].inverse_direction(&n)),
            PlaneAttachment::Edges(e1, e2) => {
                let sign = if e1.cross(&e2).dot(&n) < 0.0 { -1.0 } else { 1.0 };
                NormalAttachment::Edges(
                    poses[0].inverse_direction(&(e1 * sign)),
                    poses[1].inverse_direction(&e2),
                )
            }
        };
        let follows = nearest.reference_distance > 0.0;
        let references =
            (poses[0].inverse_point(&nearest.reference_a), poses[1].inverse_point(&nearest.reference_b));
        Self {
            attachment,
            point_a: poses[0].inverse_point(&nearest.point_a),
            point_b: poses[1].inverse_point(&nearest.point_b),
            references: follows.then_some(references),
            beta: poses[1].inverse_direction(&nearest.beta),
        }
    }

    /// Of the contact point of two parts in a state.
    pub fn nearest(
        contacts: &ContactGeometry,
        pair: (usize, usize),
        state: &State,
        warm_start: &mut PairWarmStart,
    ) -> Result<Self, QueryError> {
        let nearest = clearance::nearest(contacts, pair, state, warm_start)?;
        Ok(Self::new(contacts, pair, &clearance::poses(contacts, pair, state), &nearest, warm_start))
    }

    /// Which of the two bodies the normal is fixed on; `None` for two edges.
    pub(super) fn attached_body(&self) -> Option<usize> {
        match &self.attachment {
            NormalAttachment::A(_) => Some(0),
            NormalAttachment::B(_) => Some(1),
            NormalAttachment::Edges(..) => None,
        }
    }

    /// The same with the normal of the nearest face of the second part in place of that of two edges.
    pub fn on_a_face(mut self, part: &Part, poses: &[Pose; 2]) -> Self {
        if let (NormalAttachment::Edges(..), PartShape::Solid(Solid::Polytope(polytope))) =
            (&self.attachment, &part.shape)
        {
            let normal = poses[1].inverse_direction(&self.evaluate(poses).normal);
            let faces = polytope.faces().iter().map(|face| part.offset.direction(&face.normal));
            let nearest = faces.max_by(|m, n| m.dot(&normal).total_cmp(&n.dot(&normal)));
            self.attachment = NormalAttachment::B(nearest.unwrap_or(normal));
        }
        self
    }

    /// The same normal at other material points: another corner of one face.
    pub fn at_points(mut self, point_a: Vec3, point_b: Vec3) -> Self {
        (self.point_a, self.point_b) = (point_a, point_b);
        self
    }

    /// A plane of one body and a point of the other one.
    pub(super) fn plane(attachment: NormalAttachment, point_a: Vec3, point_b: Vec3) -> Self {
        Self { attachment, point_a, point_b, references: None, beta: Vec3::zeros() }
    }

    /// Normal, gap and points at two poses.
    pub fn evaluate(&self, poses: &[Pose; 2]) -> FeatureGeometry {
        let normal = match &self.attachment {
            NormalAttachment::A(n) => poses[0].direction(n),
            NormalAttachment::B(n) => poses[1].direction(n),
            NormalAttachment::Edges(e1, e2) => {
                poses[0].direction(e1).cross(&poses[1].direction(e2)).normalize()
            }
        };
        let (mut point_a, mut point_b) = (poses[0].point(&self.point_a), poses[1].point(&self.point_b));
        let gap = normal.dot(&(point_a - point_b));
        // A corner slides over its face and an edge along the other: the two points are opposite to each other wherever that is.
        match &self.attachment {
            NormalAttachment::A(_) => point_a = point_b + normal * gap,
            NormalAttachment::B(_) => point_b = point_a - normal * gap,
            NormalAttachment::Edges(e1, e2) => {
                // a + t e1 - (b + u e2) is along c = e1 × e2.
                let (e1, e2) = (poses[0].direction(e1), poses[1].direction(e2));
                let (c, apart) = (e1.cross(&e2), point_b - point_a);
                point_a += e1 * (apart.cross(&e2).dot(&c) / c.norm_squared());
                point_b = point_a - normal * gap;
            }
        }
        FeatureGeometry { normal, gap, point_a, point_b }
    }

    /// The contact point of these features, as if they were the optimal ones.
    pub fn contact_point(&self, poses: &[Pose; 2]) -> ContactPoint {
        let geometry = self.evaluate(poses);
        let (beta, ra, rb, distance) = match &self.references {
            Some((a, b)) => {
                let (ra, rb) = (poses[0].point(a), poses[1].point(b));
                let distance = (ra - rb).norm();
                ((ra - rb) / distance, ra, rb, distance)
            }
            None => (poses[1].direction(&self.beta), geometry.point_a, geometry.point_b, 0.0),
        };
        let alpha = geometry.normal / geometry.normal.dot(&beta);
        let separation = alpha.dot(&(geometry.point_a - geometry.point_b));
        let (mut point_a, mut point_b) = (geometry.point_a, geometry.point_b);
        match &self.attachment {
            NormalAttachment::A(_) => point_a = point_b + beta * separation,
            NormalAttachment::B(_) => point_b = point_a - beta * separation,
            NormalAttachment::Edges(e1, e2) => {
                // a + t e1 - (b + u e2) = s β: across e2 and β for t.
                let (e1, e2) = (poses[0].direction(e1), poses[1].direction(e2));
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

    /// The gradient of the gap as wrenches on the two bodies about their centres of mass.
    pub fn gap_wrenches(&self, poses: &[Pose; 2], centres: [Vec3; 2]) -> [Vec6; 2] {
        let FeatureGeometry { normal: n, point_a, point_b, .. } = self.evaluate(poses);
        // d gap = n·(dx - dy) + dn·(x - y): the points are opposite to each other, and dn is across the normal.
        let (on_a, on_b) = ((point_a - centres[0]).cross(&n), -(point_b - centres[1]).cross(&n));
        [twist(&n, &on_a), twist(&-n, &on_b)]
    }

    /// The gradient of `w·n` along rotations of the two bodies, for a constant vector `w`: the normal rotates with its body.
    pub fn normal_torques(&self, poses: &[Pose; 2], n: &Vec3, w: &Vec3) -> [Vec3; 2] {
        match &self.attachment {
            NormalAttachment::A(_) => [n.cross(w), Vec3::zeros()],
            NormalAttachment::B(_) => [Vec3::zeros(), n.cross(w)],
            NormalAttachment::Edges(e1, e2) => {
                let (e1, e2) = (poses[0].direction(e1), poses[1].direction(e2));
                let length = e1.cross(&e2).norm();
                // dn = (I - n nᵀ)(de1 × e2 + e1 × de2)/|e1 × e2|
                let across = (w - n * n.dot(w)) / length;
                [e1.cross(&e2.cross(&across)), e2.cross(&across.cross(&e1))]
            }
        }
    }
}
