//! How far the features of a planned contact reach.
//!
//! Features are held as planes and lines without end: a corner may come to lie in the plane of a face, but beside the face. What keeps it there are
//! planes again, each carried by one body with a point of the other on its inner side:
//!
//! ```text
//! corner on face   planes through the sides of the face, upright            the corner
//! edge on edge     a plane through each edge                               the ends of the other edge, one on each side
//! face on face     planes through the sides of both                        the centre of pressure
//! ```

use super::encounter::{ResolvedContact, poses};
use super::frozen::{Frozen, Side};
use super::plane::Hull;
use crate::plan::PlannedContact;
use percussion_geometry::{Pose, Vec3};
use percussion_mechanics::contact::ContactGeometry;
use percussion_mechanics::{Model, State};

/// Part of the smaller radius within which points lie in a plane or on a line, and beside a face.
const TOUCHES: f64 = 1e-6;

/// Part of the smaller radius by which a place that is kept on a face stays inside of it: what touches a side alone is lost to rounding.
const INSIDE: f64 = 1e-3;

/// What keeps the place of a contact on the features that meet.
#[derive(Clone, Debug, PartialEq)]
pub struct Kept {
    /// Of each feature, heights that are not negative where it lies well on the other part.
    pub sides: Vec<Vec<Frozen>>,
    /// Of each corner of a face that lies on another one, its heights over the sides of its own face, m.
    pub own: Vec<Vec<f64>>,
    /// Whether all corners of a face lie on the other one: a face that does not push is nowhere otherwise.
    pub firmly: bool,
}

impl ResolvedContact {
    /// What keeps the place of this contact on its features, whose faces lie on each other in a state if they are to.
    pub fn keeps(&self, contacts: &ContactGeometry, state: &State) -> Kept {
        let at = poses(contacts, self.pair, state);
        let at = (&at.0, &at.1);
        let sides = self.features.iter().map(|frozen| sides(contacts, self.pair, frozen, at)).collect();
        let own = match self.features.len() {
            1 => Vec::new(),
            _ => own_heights(contacts, self.pair, &self.features, at),
        };
        Kept { sides, own, firmly: false }
    }

    /// Heights that must not be negative at the node itself: all but those of faces that strike, which are weighed by their impulses.
    pub(super) fn held_sides(&self, meeting: &PlannedContact) -> impl Iterator<Item = &Frozen> {
        let weighed = self.features.len() > 1 && meeting.tie.is_none();
        self.kept
            .iter()
            .filter(move |kept| !weighed || kept.firmly)
            .flat_map(|kept| kept.sides.iter().flatten())
    }

    /// Whether faces pull each other, with the normal impulses of their corners.
    pub fn pulls(&self, impulses: &[f64]) -> bool {
        let (total, all): (f64, f64) = (impulses.iter().sum(), impulses.iter().map(|i| i.abs()).sum());
        self.features.len() > 1 && total < -TOUCHES * all
    }

    /// How far the place of this contact lies beside the features that meet, m, in a state and with the normal impulses of its features; `None`
    /// where it lies on them.
    pub fn beside(&self, model: &Model, state: &State, impulses: &[f64]) -> Option<f64> {
        let contacts = model.contacts.as_ref()?;
        let parts = (&contacts.parts[self.pair.0], &contacts.parts[self.pair.1]);
        let kept = self.keeps(contacts, state);
        let at = poses(contacts, self.pair, state);
        let heights = kept
            .sides
            .iter()
            .map(|list| -> Vec<f64> { list.iter().map(|side| side.read((&at.0, &at.1)).gap).collect() });
        let heights: Vec<Vec<f64>> = heights.collect();
        let total: f64 = impulses.iter().sum();
        // Faces that do not push only have to touch somewhere.
        let weights: Vec<f64> = match self.features.len() {
            1 => vec![1.0],
            count if impulses.len() == count && total > 0.0 => impulses.iter().map(|i| i / total).collect(),
            _ => Vec::new(),
        };
        let lists = [&heights, &kept.own].into_iter().filter(|l| !l.is_empty() && !weights.is_empty());
        let weighed = lists.flat_map(|lists| {
            let mean = |j: usize| -> f64 { lists.iter().zip(&weights).map(|(list, w)| w * list[j]).sum() };
            (0..lists[0].len()).map(mean).collect::<Vec<f64>>()
        });
        let least = weighed.fold(f64::INFINITY, f64::min);
        let radius = parts.0.radius.min(parts.1.radius);
        let apart = crate::clearance::gap(model, self.pair, state, &mut Default::default());
        let beside = (-least - INSIDE * radius).max(apart);
        (beside > TOUCHES * radius).then_some(beside)
    }
}

/// Heights that keep the point of a feature on what it meets.
fn sides(
    contacts: &ContactGeometry,
    pair: (usize, usize),
    frozen: &Frozen,
    at: (&Pose, &Pose),
) -> Vec<Frozen> {
    let hulls = (Hull::of(&contacts.parts[pair.0]), Hull::of(&contacts.parts[pair.1]));
    let radius = contacts.parts[pair.0].radius.min(contacts.parts[pair.1].radius);
    let (a, b) = (frozen.point_a, frozen.point_b);
    match &frozen.carrier {
        Side::A(n) => {
            let Some(hull) = hulls.0 else { return Vec::new() };
            let outline = outline(hull.vertices(), n, &a, radius).into_iter();
            outline.map(|(m, y)| Frozen::plane(Side::A(-m), y, b)).collect()
        }
        Side::B(n) => {
            let Some(hull) = hulls.1 else { return Vec::new() };
            let outline = outline(hull.vertices(), n, &b, radius).into_iter();
            outline.map(|(m, y)| Frozen::plane(Side::B(m), a, y)).collect()
        }
        Side::Edges(e1, e2) => {
            let (Some(first), Some(second)) = hulls else { return Vec::new() };
            // A body may roll about its edge and its plane with it: ends that are inside of planes by so much are beyond the crossing all the same.
            let inside = INSIDE * radius;
            let n = frozen.read(at).normal;
            let across = (at.1.direction(e2).cross(&n), at.0.direction(e1).cross(&n));
            let mut list = Vec::new();
            for (end, to) in ends(first.vertices(), &a, e1, radius) {
                let sign = (to * across.0.dot(&at.0.direction(e1))).signum();
                let m = at.1.inverse_direction(&(across.0.normalize() * sign));
                list.push(Frozen::plane(Side::B(m), end, b + m * inside));
            }
            for (end, to) in ends(second.vertices(), &b, e2, radius) {
                let sign = (to * across.1.dot(&at.1.direction(e2))).signum();
                let m = at.0.inverse_direction(&(across.1.normalize() * sign));
                list.push(Frozen::plane(Side::A(-m), a + m * inside, end));
            }
            list
        }
    }
}

/// The two ends of an edge through a point along a direction, each with the sign of its side.
fn ends(vertices: &[Vec3], point: &Vec3, along: &Vec3, radius: f64) -> Vec<(Vec3, f64)> {
    let (near, along) = (TOUCHES * radius, along.normalize());
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
    let (near, inside) = (TOUCHES * radius, INSIDE * radius);
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

/// Heights of the corners of faces that lie on each other over the sides of the face that does not carry their normal.
fn own_heights(
    contacts: &ContactGeometry,
    pair: (usize, usize),
    features: &[Frozen],
    at: (&Pose, &Pose),
) -> Vec<Vec<f64>> {
    let radius = contacts.parts[pair.0].radius.min(contacts.parts[pair.1].radius);
    let n = features[0].read(at).normal;
    let (part, points, own) = match &features[0].carrier {
        Side::A(_) => (pair.1, features.iter().map(|f| f.point_b).collect(), at.1.inverse_direction(&n)),
        _ => (pair.0, features.iter().map(|f| f.point_a).collect::<Vec<Vec3>>(), at.0.inverse_direction(&n)),
    };
    let Some(hull) = Hull::of(&contacts.parts[part]) else { return Vec::new() };
    let outline = outline(hull.vertices(), &own, &points[0], radius);
    let heights = |x: &Vec3| outline.iter().map(|(m, y)| m.dot(&(x - y))).collect();
    points.iter().map(heights).collect()
}
