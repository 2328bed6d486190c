//! Resolving contacts in space.

use super::ResolveError;
use super::analysis::{Analysis, carriers, check, shares};
use super::candidates::Features;
use super::contact::{Contact, Side};
use super::regular::{Verdict, judge, limit};
use super::spread::spread;
use crate::separation::answer::{Feature, Separation};
use crate::separation::gradient::{BetaTerm, MotionGradient, beta_part, motion};
use crate::shapes::{Polytope, Solid};
use crate::{Pose, Vec3};

/// A contact with its degeneracy resolved; all vectors in the world frame.
#[derive(Clone, Debug, PartialEq)]
pub struct Resolved {
    /// The LP value `s`, as in the answer.
    pub separation: f64,
    /// Distance `D` of the reference points along β, as in the answer.
    pub reference_distance: f64,
    /// Unit direction along which `separation` is measured, as in the answer.
    pub beta: Vec3,
    /// Whether β was prescribed.
    pub prescribed: bool,
    /// The shortest optimal direction, `<alpha, beta> = 1`.
    pub alpha: Vec3,
    /// The shortest optimal weights of body a's vertices: positive, sum one, indices ascending. Empty for a
    /// body without vertices.
    pub weights_a: Vec<(u32, f64)>,
    /// Likewise for body b.
    pub weights_b: Vec<(u32, f64)>,
    /// Contact point of body a that these weights make; `point_a - point_b = separation beta`.
    pub point_a: Vec3,
    /// Contact point of body b.
    pub point_b: Vec3,
    /// On each body the feature of least dimension that holds every vertex that can carry weight.
    pub features: (Feature, Feature),
    /// The weights are one choice of many: the primal LP is degenerate (face on face).
    pub several_duals: bool,
    /// The direction is one choice of many: the dual LP is degenerate (corner on corner).
    pub several_alphas: bool,
}

impl Resolved {
    /// Unit normal from body b to body a.
    pub fn normal(&self) -> Vec3 {
        self.alpha / self.alpha.norm()
    }

    /// Distance between the two supporting planes, `s/|alpha|`: the largest of all optimal planes.
    pub fn gap(&self) -> f64 {
        self.separation / self.alpha.norm()
    }

    /// `ds/dβ = -s α`, for a prescribed direction.
    pub fn beta_gradient(&self) -> Vec3 {
        -self.separation * self.alpha
    }

    /// The part of `ds/dc1` that comes from β following the reference points; `ds/dc2` has the opposite one.
    pub fn reference_gradient(&self) -> Vec3 {
        beta_part(&self.alpha, &self.beta, self.separation, self.reference_distance, !self.prescribed)
    }

    /// `ds/dx_i` of body a's active vertices, β held: an element of the subdifferential.
    pub fn vertex_gradients_a(&self) -> impl Iterator<Item = (u32, Vec3)> {
        self.weights_a.iter().map(|&(index, weight)| (index, weight * self.alpha))
    }

    /// `ds/dy_j` of body b's active vertices, β held: an element of the subdifferential.
    pub fn vertex_gradients_b(&self) -> impl Iterator<Item = (u32, Vec3)> {
        self.weights_b.iter().map(|&(index, weight)| (index, -weight * self.alpha))
    }

    /// Derivative with respect to rigid motions of both bodies about their reference points (world
    /// positions): an element of the subdifferential.
    pub fn motion_gradient(&self, reference_a: &Vec3, reference_b: &Vec3, beta: BetaTerm) -> MotionGradient {
        let part = match beta {
            BetaTerm::Follow => self.reference_gradient(),
            BetaTerm::Hold => Vec3::zeros(),
        };
        motion(&self.alpha, &self.point_a, &self.point_b, reference_a, reference_b, &part)
    }
}

/// Chooses, among all optimal directions and weights of a contact, the shortest.
///
/// A contact that is not degenerate comes back unchanged. Against a half-space the active vertices share the
/// weight equally; a curved body touches in one point.
///
/// ```
/// use percussion_geometry::separation::{Feature, Options, Warm, resolve, separation};
/// use percussion_geometry::shapes::{Polytope, Solid};
/// use percussion_geometry::{Pose, Vec3};
///
/// let brick = Solid::Polytope(Polytope::cuboid(2.0, 1.0, 1.0)?);
/// let (upper, lower) = (Pose::at(Vec3::new(0.0, 0.0, 1.0)), Pose::identity());
/// let answer = separation(&brick, &upper, &brick, &lower, &Options::default(), &mut Warm::default())?;
/// let resolved = resolve(&brick, &upper, &brick, &lower, &answer)?;
/// // Face on face: four corners of each brick carry a quarter.
/// assert!(matches!(resolved.features, (Feature::Face(_), Feature::Face(_))));
/// assert_eq!(resolved.weights_a.len(), 4);
/// assert!(resolved.weights_a.iter().all(|(_, w)| (w - 0.25).abs() < 1e-15));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn resolve(
    a: &Solid,
    pose_a: &Pose,
    b: &Solid,
    pose_b: &Pose,
    answer: &Separation,
) -> Result<Resolved, ResolveError> {
    check(answer.outcome)?;
    let face = match judge(a, pose_a, b, pose_b, answer) {
        Verdict::Regular => return Ok(unchanged(a, b, answer)),
        Verdict::FaceOfA => point_in_face(a, pose_a, b, answer, true),
        Verdict::FaceOfB => point_in_face(b, pose_b, a, answer, false),
        Verdict::Unknown => None,
    };
    if let Some(resolved) = face {
        return Ok(resolved);
    }
    let analysis = analyse(a, pose_a, b, pose_b, answer)?;
    let [mut weights_a, mut weights_b] = analysis.weights();
    let offset = analysis.offset(&[weights_a.clone(), weights_b.clone()]);
    let carriers = [&weights_a, &weights_b];
    let feature = |solid: &Solid, k: usize| feature(solid, &analysis.active()[k], carriers[k]);
    let features = (feature(a, 0), feature(b, 1));
    let (point_a, point_b) = (answer.point_a + offset, answer.point_b + offset);
    for (solid, weights) in [(a, &mut weights_a), (b, &mut weights_b)] {
        if !matches!(solid, Solid::Polytope(_)) {
            weights.clear();
        }
    }
    Ok(Resolved {
        separation: answer.separation,
        reference_distance: answer.reference_distance,
        beta: answer.beta,
        prescribed: answer.prescribed,
        alpha: analysis.alpha(),
        weights_a,
        weights_b,
        point_a,
        point_b,
        features,
        several_duals: analysis.several_duals(),
        several_alphas: analysis.alphas().len() > 1,
    })
}

/// A contact with one answer.
fn unchanged(a: &Solid, b: &Solid, answer: &Separation) -> Resolved {
    let [weights_a, weights_b] = [shares(answer.weights_a()), shares(answer.weights_b())];
    Resolved {
        separation: answer.separation,
        reference_distance: answer.reference_distance,
        beta: answer.beta,
        prescribed: answer.prescribed,
        alpha: answer.alpha,
        point_a: answer.point_a,
        point_b: answer.point_b,
        features: (feature(a, &[], &weights_a), feature(b, &[], &weights_b)),
        weights_a,
        weights_b,
        several_duals: false,
        several_alphas: false,
    }
}

/// One point of another body well inside a face of `solid`, which is body a where `first` says so. `None` where the
/// weights are not found directly.
fn point_in_face(
    solid: &Solid,
    pose: &Pose,
    other: &Solid,
    answer: &Separation,
    first: bool,
) -> Option<Resolved> {
    let Solid::Polytope(p) = solid else { return None };
    let normal = pose.inverse_direction(&answer.normal());
    let limit = limit([solid.outer_radius(), other.outer_radius()], answer.certificate_gap());
    let face = if first {
        spread(p, &normal, answer.weights_a(), limit)?
    } else {
        spread(p, &-normal, answer.weights_b(), limit)?
    };
    let (a, b) = if first { (solid, other) } else { (other, solid) };
    let mut resolved = unchanged(a, b, answer);
    let held = feature(solid, &face.active, &face.weights);
    if first {
        (resolved.weights_a, resolved.features.0) = (face.weights, held);
    } else {
        (resolved.weights_b, resolved.features.1) = (face.weights, held);
    }
    resolved.several_duals = true;
    Some(resolved)
}

/// All that is optimal at a contact in space.
pub(in crate::separation) fn analyse<'a>(
    a: &'a Solid,
    pose_a: &'a Pose,
    b: &'a Solid,
    pose_b: &'a Pose,
    answer: &Separation,
) -> Result<Analysis<'a>, ResolveError> {
    check(answer.outcome)?;
    let count = |solid: &Solid| match solid {
        Solid::Polytope(p) => Some(p.vertices().len()),
        _ => None,
    };
    let carriers =
        [carriers('a', count(a), answer.weights_a())?, carriers('b', count(b), answer.weights_b())?];
    let side = |solid: &'a Solid, pose: &'a Pose, carriers: &[(u32, f64)], contact: &Vec3| match solid {
        Solid::Polytope(p) => of_polytope(p, pose, carriers),
        Solid::HalfSpace(_) => Side::of_plane(),
        _ => {
            let contact = pose.inverse_point(contact);
            Side::of_curve(Box::new(move |direction: &Vec3| {
                let support = solid.support(&pose.inverse_direction(direction)).unwrap_or(contact);
                pose.direction(&(support - contact))
            }))
        }
    };
    let sides =
        [side(a, pose_a, &carriers[0], &answer.point_a), side(b, pose_b, &carriers[1], &answer.point_b)];
    let size: f64 = [a, b].iter().map(|s| s.outer_radius()).filter(|r| r.is_finite()).sum();
    let contact = Contact::new(sides, answer.beta, size, answer.certificate_gap(), 3);
    let features = |tolerance: f64| {
        [(a, pose_a, &carriers[0]), (b, pose_b, &carriers[1])].map(|(solid, pose, carriers)| match solid {
            Solid::Polytope(p) => Features::of_polytope(p, pose, carriers, tolerance),
            _ => Features::default(),
        })
    };
    Ok(Analysis::new(contact, &answer.alpha, features))
}

fn of_polytope<'a>(p: &Polytope, pose: &Pose, carriers: &[(u32, f64)]) -> Side<'a> {
    // Seen from the reference point, before the contact point is known: short vectors, no digits lost.
    let vertices = p.vertices().iter().map(|v| pose.direction(&(v - p.reference())));
    Side::of_vertices(vertices, carriers.to_vec())
}

/// The feature that holds all active vertices, or at least those that carry weight.
fn feature(solid: &Solid, active: &[u32], carriers: &[(u32, f64)]) -> Feature {
    match solid {
        Solid::HalfSpace(_) => Feature::Plane,
        Solid::Polytope(p) => {
            let names: Vec<u32> = carriers.iter().map(|&(k, _)| k).collect();
            let heaviest = carriers.iter().max_by(|p, q| p.1.total_cmp(&q.1)).map_or(0, |&(k, _)| k);
            // Vertices of two almost coplanar faces have no common one.
            p.feature(active).or_else(|| p.feature(&names)).unwrap_or(Feature::Vertex(heaviest))
        }
        _ => Feature::Curved,
    }
}
