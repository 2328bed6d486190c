//! The features of a planned contact, from a configuration near it.

use super::feature::SeparatingFeature;
use super::region::ContactRegion;
use crate::clearance::{poses, smaller_radius};
use crate::plan::{ContactJoint, PlannedContact};
use crate::tolerances::contact::resolve::FACE_WINDOW;
use percussion_geometry::shapes::{PlanarShape, Solid};
use percussion_geometry::{Pose, Vec3};
use percussion_mechanics::contact::{
    ContactGeometry, ContactPoint, ManifoldQuery, PairWarmStart, Part, PartShape,
};
use percussion_mechanics::rotation::{Mat3, orthonormalised};
use percussion_mechanics::{Model, State};
use thiserror::Error;

/// A planned contact with its features.
#[derive(Clone, Debug)]
pub struct ResolvedContact {
    /// The parts.
    pub pair: (usize, usize),
    /// The features: one, or three corners of a face.
    pub features: Vec<SeparatingFeature>,
    /// Whether the point slides, where friction may let it stick.
    pub slides: bool,
    /// Other corners of the first part, which stay above the second while a contact joint holds.
    pub corners: Vec<SeparatingFeature>,
    /// Relative orientation of a rigid contact joint.
    pub attitude: Mat3,
    /// Shares of the features in an impulse at the middle of the contact.
    pub shares: Vec<f64>,
    /// The region of the contact, where it must be enforced.
    pub region: Option<ContactRegion>,
}

/// Why a contact cannot be planned.
#[derive(Clone, Debug, Error, PartialEq)]
pub enum ContactResolutionError {
    /// No parts of the two bodies can collide.
    #[error(
        "{0}: no parts of the two bodies can collide; give both a shape and switch contact between them on, or choose other bodies"
    )]
    Never(String),
    /// A curved part.
    #[error("{0}: `{1}` is curved; planned contacts need polytopes, polygons and half-spaces")]
    Curved(String, String),
    /// Faces are not near each other.
    #[error("{0}: a face contact is planned, but the nearest faces are not parallel in the guess")]
    NotFlat(String),
    /// The separation query failed.
    #[error("{0}: {1}")]
    Query(String, String),
}

impl ResolvedContact {
    /// The nearest features of the planned's bodies in a state.
    pub fn find(
        model: &Model,
        planned: &PlannedContact,
        state: &State,
    ) -> Result<Self, ContactResolutionError> {
        let name = || planned.name.clone();
        let contacts = model.contacts.as_ref().ok_or_else(|| ContactResolutionError::Never(name()))?;
        let (a, b) = planned.bodies;
        let parts = |body: usize| contacts.first[body]..contacts.first[body + 1];
        let mut best: Option<((usize, usize), ContactPoint, PairWarmStart)> = None;
        for pair in parts(a).flat_map(|p| parts(b).map(move |q| (p, q))) {
            if !contacts.may_collide(pair.0, pair.1) {
                continue;
            }
            let pair = contacts.ordered(pair.0, pair.1);
            let poses = poses(contacts, pair, state);
            let mut warm_start = PairWarmStart::default();
            let nearest = contacts
                .resolved_separation(pair, (&poses[0], &poses[1]), &mut warm_start)
                .map_err(|e| ContactResolutionError::Query(name(), e.to_string()))?;
            if best.as_ref().is_none_or(|(_, least, _)| nearest.gap() < least.gap()) {
                best = Some((pair, nearest, warm_start));
            }
        }
        let (pair, nearest, mut warm_start) = best.ok_or_else(|| ContactResolutionError::Never(name()))?;
        for part in [pair.0, pair.1] {
            if curved(&contacts.parts[part].shape) {
                let body = contacts.parts[part].body_name(model).to_owned();
                return Err(ContactResolutionError::Curved(name(), body));
            }
        }
        let at = &poses(contacts, pair, state);
        let feature = SeparatingFeature::new(contacts, pair, at, &nearest, &warm_start);
        let mut found = Self {
            pair,
            features: vec![feature],
            slides: false,
            corners: Vec::new(),
            attitude: Mat3::identity(),
            shares: vec![1.0],
            region: None,
        };
        // As measured by a rigid joint: the body that moves, relative to the other or to the world.
        let (mover, _, other) = found.held_point(contacts);
        let turned = |part: &Part| *model.pose(state, part.body).rotation.matrix();
        let from = if other.slot.is_some() { turned(other) } else { Mat3::identity() };
        found.attitude = orthonormalised(&(from.transpose() * turned(mover)));
        if planned.flat {
            let (mut list, mut query) = (Vec::new(), ManifoldQuery::default());
            let window = FACE_WINDOW * smaller_radius(contacts, pair);
            let face = feature.on_a_face(&contacts.parts[pair.1], at);
            contacts
                .near_events(pair, (&at[0], &at[1]), window, &mut warm_start, &mut query, &mut list)
                .map_err(|e| ContactResolutionError::Query(name(), e.to_string()))?;
            let corners = spread(&list).ok_or_else(|| ContactResolutionError::NotFlat(name()))?;
            found.features = corners
                .map(|t| face.at_points(at[0].inverse_point(&t.point_a), at[1].inverse_point(&t.point_b)))
                .to_vec();
            let middle = list.iter().map(|t| t.point_a).sum::<Vec3>() / list.len() as f64;
            found.shares = shares(&corners.map(|t| t.point_a), &middle).to_vec();
        }
        // A rigid joint fixes all corners.
        if planned.joint == Some(ContactJoint::Point) {
            found.corners = other_corners(contacts, pair, at, &feature);
        }
        Ok(found)
    }

    /// What a contact joint holds: the part that moves with the point on it, in the body's principal frame, and the other part.
    pub(crate) fn held_point<'a>(&self, contacts: &'a ContactGeometry) -> (&'a Part, Vec3, &'a Part) {
        let (p, q) = (&contacts.parts[self.pair.0], &contacts.parts[self.pair.1]);
        let feature = &self.features[0];
        match p.slot {
            Some(_) => (p, feature.point_a, q),
            None => (q, feature.point_b, p),
        }
    }
}

fn curved(shape: &PartShape) -> bool {
    match shape {
        PartShape::Solid(solid) => !matches!(solid, Solid::Polytope(_) | Solid::HalfSpace(_)),
        PartShape::Planar(planar) => !matches!(planar, PlanarShape::Polygon(_) | PlanarShape::HalfPlane(_)),
    }
}

/// Three points that span the largest triangle; `None` for points on a line.
fn spread(list: &[ContactPoint]) -> Option<[ContactPoint; 3]> {
    let mut best: Option<(f64, [ContactPoint; 3])> = None;
    for i in 0..list.len() {
        for j in i + 1..list.len() {
            for k in j + 1..list.len() {
                let [p, q, r]: [Vec3; 3] = [i, j, k].map(|e| list[e].point_a);
                let area = (q - p).cross(&(r - p)).norm();
                if best.as_ref().is_none_or(|(most, _)| area > *most * (1.0 + 1e-9)) {
                    best = Some((area, [list[i], list[j], list[k]]));
                }
            }
        }
    }
    best.filter(|(area, _)| *area > 1e-12).map(|(_, three)| three)
}

/// Weights of three corners with a sum of one, such that their mean is a point of their plane.
fn shares(corners: &[Vec3; 3], point: &Vec3) -> [f64; 3] {
    let [p, q, r] = corners.map(|corner| corner - point);
    let normal = (corners[1] - corners[0]).cross(&(corners[2] - corners[0]));
    [q.cross(&r), r.cross(&p), p.cross(&q)].map(|area| area.dot(&normal) / normal.norm_squared())
}

/// The other corners of a polytope that touches a half-space with one.
fn other_corners(
    contacts: &ContactGeometry,
    pair: (usize, usize),
    at: &[Pose; 2],
    feature: &SeparatingFeature,
) -> Vec<SeparatingFeature> {
    let part = &contacts.parts[pair.0];
    let PartShape::Solid(Solid::Polytope(polytope)) = &part.shape else { return Vec::new() };
    if !contacts.parts[pair.1].shape.is_unbounded() {
        return Vec::new();
    }
    let touching = at[0].point(&feature.point_a);
    let corners = polytope.vertices().iter().map(|v| part.offset.point(v));
    let others = corners.filter(|corner| (at[0].point(corner) - touching).norm() > 1e-6 * part.radius);
    others.map(|corner| feature.at_points(corner, feature.point_b)).collect()
}
