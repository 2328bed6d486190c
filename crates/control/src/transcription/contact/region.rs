//! The region of a planned contact: the faces and edges that its features belong to.
//!
//! Features are unbounded planes and lines: a corner may lie in the plane of a face, but outside of the face. The region is bounded by planes,
//! each fixed on one body with a point of the other on its inner side:
//!
//! ```text
//! corner on face   planes through the sides of the face, upright            the corner
//! edge on edge     a plane through each edge                               the ends of the other edge, one on each side
//! face on face     planes through the sides of both                        the centre of pressure
//! ```

use super::super::avoidance::Hull;
use super::feature::{NormalAttachment, SeparatingFeature};
use super::resolve::ResolvedContact;
use crate::clearance::{gap, poses, smaller_radius};
use crate::plan::PlannedContact;
use crate::tolerances::contact::region::{INSIDE, ON};
use percussion_geometry::{Pose, Vec3};
use percussion_mechanics::contact::ContactGeometry;
use percussion_mechanics::{Model, State};

/// The region of a contact.
#[derive(Clone, Debug, PartialEq)]
pub struct ContactRegion {
    /// Of each feature, its boundaries: their gaps are not negative inside.
    pub boundaries: Vec<Vec<SeparatingFeature>>,
    /// Of each corner of a face on another one, its distances from the sides of its own face, m.
    pub own_distances: Vec<Vec<f64>>,
    /// Whether all corners of a face lie within the other one; otherwise the centre of pressure does.
    pub all_corners: bool,
}

impl ResolvedContact {
    /// Its region; faces of a face contact must lie on each other in the state.
    pub fn find_region(&self, contacts: &ContactGeometry, state: &State) -> ContactRegion {
        let at = &poses(contacts, self.pair, state);
        let boundaries =
            self.features.iter().map(|feature| boundaries(contacts, self.pair, feature, at)).collect();
        let own_distances = match self.features.len() {
            1 => Vec::new(),
            _ => own_distances(contacts, self.pair, &self.features, at),
        };
        ContactRegion { boundaries, own_distances, all_corners: false }
    }

    /// Boundaries that are enforced at the node itself: all but those of impacts of faces, whose centre of pressure is bounded.
    pub(super) fn enforced_boundaries(
        &self,
        planned: &PlannedContact,
    ) -> impl Iterator<Item = &SeparatingFeature> {
        let by_pressure = self.features.len() > 1 && planned.joint.is_none();
        self.region
            .iter()
            .filter(move |region| !by_pressure || region.all_corners)
            .flat_map(|region| region.boundaries.iter().flatten())
    }

    /// Whether the total normal impulse of faces is negative.
    pub fn is_tensile(&self, impulses: &[f64]) -> bool {
        let (total, all): (f64, f64) = (impulses.iter().sum(), impulses.iter().map(|i| i.abs()).sum());
        self.features.len() > 1 && total < -ON * all
    }

    /// How far this contact lies outside of its region, m, in a state and with the normal impulses of its features; `None` inside.
    pub fn distance_outside(&self, model: &Model, state: &State, impulses: &[f64]) -> Option<f64> {
        let contacts = model.contacts.as_ref()?;
        let region = self.find_region(contacts, state);
        let at = &poses(contacts, self.pair, state);
        let height = |side: &SeparatingFeature| side.evaluate(at).gap;
        let heights: Vec<Vec<f64>> =
            region.boundaries.iter().map(|list| list.iter().map(height).collect()).collect();
        let total: f64 = impulses.iter().sum();
        // Faces without impulses only have to touch somewhere.
        let weights: Vec<f64> = match self.features.len() {
            1 => vec![1.0],
            count if impulses.len() == count && total > 0.0 => impulses.iter().map(|i| i / total).collect(),
            _ => Vec::new(),
        };
        let lists =
            [&heights, &region.own_distances].into_iter().filter(|l| !l.is_empty() && !weights.is_empty());
        let weighed = lists.flat_map(|lists| {
            let mean = |j: usize| -> f64 { lists.iter().zip(&weights).map(|(list, w)| w * list[j]).sum() };
            (0..lists[0].len()).map(mean).collect::<Vec<f64>>()
        });
        let least = weighed.fold(f64::INFINITY, f64::min);
        let radius = smaller_radius(contacts, self.pair);
        let apart = gap(model, self.pair, state, &mut Default::default());
        let outside = (-least - INSIDE * radius).max(apart);
        (outside > ON * radius).then_some(outside)
    }
}

/// Boundaries of the region of a feature.
fn boundaries(
    contacts: &ContactGeometry,
    pair: (usize, usize),
    feature: &SeparatingFeature,
    at: &[Pose; 2],
) -> Vec<SeparatingFeature> {
    let parts = [pair.0, pair.1].map(|part| &contacts.parts[part]);
    let radius = smaller_radius(contacts, pair);
    let points = [feature.point_a, feature.point_b];
    // A plane of the body of one side with points of both, its own first.
    let plane = |side: usize, inwards: Vec3, own: Vec3, other: Vec3| match side {
        0 => SeparatingFeature::plane(NormalAttachment::A(-inwards), own, other),
        _ => SeparatingFeature::plane(NormalAttachment::B(inwards), other, own),
    };
    let on_face = |side: usize, n: &Vec3| {
        let Some(hull) = Hull::of(parts[side]) else { return Vec::new() };
        let outline = outline(hull.vertices(), n, &points[side], radius).into_iter();
        outline.map(|(m, y)| plane(side, m, y, points[1 - side])).collect()
    };
    match &feature.attachment {
        NormalAttachment::A(n) => on_face(0, n),
        NormalAttachment::B(n) => on_face(1, n),
        NormalAttachment::Edges(e1, e2) => {
            let (Some(first), Some(second)) = (Hull::of(parts[0]), Hull::of(parts[1])) else {
                return Vec::new();
            };
            // A body may roll about its edge, and its plane with it: ends that are inside of planes by so much are still beyond the crossing.
            let inside = INSIDE * radius;
            let n = feature.evaluate(at).normal;
            let edges = [at[0].direction(e1), at[1].direction(e2)];
            let mut list = Vec::new();
            for (side, hull, edge) in [(1, first, e1), (0, second, e2)] {
                // The plane through the edge of a side bounds the ends of the other edge.
                let across = edges[side].cross(&n);
                for (end, to) in ends(hull.vertices(), &points[1 - side], edge, radius) {
                    let sign = (to * across.dot(&edges[1 - side])).signum();
                    let m = at[side].inverse_direction(&(across.normalize() * sign));
                    list.push(plane(side, m, points[side] + m * inside, end));
                }
            }
            list
        }
    }
}

/// The two ends of an edge through a point along a direction, each with the sign of its side.
fn ends(vertices: &[Vec3], point: &Vec3, along: &Vec3, radius: f64) -> Vec<(Vec3, f64)> {
    let (near, along) = (ON * radius, along.normalize());
    let on = |v: &&Vec3| (*v - point).cross(&along).norm() <= near;
    let place = |v: &Vec3| along.dot(&(v - point));
    let least = vertices.iter().filter(on).min_by(|v, w| place(v).total_cmp(&place(w)));
    let most = vertices.iter().filter(on).max_by(|v, w| place(v).total_cmp(&place(w)));
    match (least, most) {
        (Some(least), Some(most)) if place(most) - place(least) > near => vec![(*least, -1.0), (*most, 1.0)],
        _ => Vec::new(),
    }
}

/// The sides of the face of a convex body that lies in a plane: unit normals in the plane, inwards, and points well inside of them.
fn outline(vertices: &[Vec3], normal: &Vec3, point: &Vec3, radius: f64) -> Vec<(Vec3, Vec3)> {
    let (near, inside) = (ON * radius, INSIDE * radius);
    let on = |v: &&Vec3| normal.dot(&(*v - point)).abs() <= near;
    let face: Vec<Vec3> = vertices.iter().filter(on).copied().collect();
    if let [one, other] = face[..] {
        // The face of a polygon is an edge.
        let along = (other - one).normalize();
        return vec![(along, one + along * inside), (-along, other - along * inside)];
    }
    let mut list: Vec<(Vec3, Vec3)> = Vec::new();
    for from in &face {
        for to in face.iter().filter(|to| (*to - from).norm() > near) {
            let m = normal.cross(&(to - from)).normalize();
            let bounds = face.iter().all(|v| m.dot(&(v - from)) >= -near);
            let known =
                list.iter().any(|(n, y)| (n - m).norm() < 1e-6 && m.dot(&(from - y)).abs() <= near + inside);
            if bounds && !known {
                list.push((m, from + m * inside));
            }
        }
    }
    list
}

/// Distances of the corners of a face contact from the sides of the face that their normal is not fixed on.
fn own_distances(
    contacts: &ContactGeometry,
    pair: (usize, usize),
    features: &[SeparatingFeature],
    at: &[Pose; 2],
) -> Vec<Vec<f64>> {
    let n = features[0].evaluate(at).normal;
    let (side, part) = match &features[0].attachment {
        NormalAttachment::A(_) => (1, pair.1),
        _ => (0, pair.0),
    };
    let points: Vec<Vec3> = features.iter().map(|f| [f.point_a, f.point_b][side]).collect();
    let Some(hull) = Hull::of(&contacts.parts[part]) else { return Vec::new() };
    let own = at[side].inverse_direction(&n);
    let outline = outline(hull.vertices(), &own, &points[0], smaller_radius(contacts, pair));
    let heights = |x: &Vec3| outline.iter().map(|(m, y)| m.dot(&(x - y))).collect();
    points.iter().map(heights).collect()
}
