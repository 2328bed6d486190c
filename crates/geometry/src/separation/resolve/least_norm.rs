//! The least-norm solution of a contact: direction and weights, in the plane and in space.

use super::ResolveError;
use super::analysis::{Analysis, check, normalised, weighted};
use super::body::{Answered, Body};
use super::classify::{ContactClass, classify, plane_tolerance};
use super::contact::{Contact, Side, to_dimension, to_space};
use super::face_weights::face_weights;
use super::resolved::{PlanarResolved, Resolved, ResolvedIn};
use crate::separation::answer::{PlanarSeparation, Separation, SeparationIn};
use crate::shapes::{Feature, PlanarShape, Solid};
use crate::{PlanarPose, Pose, PoseIn, Vec3};
use nalgebra::SVector;

/// Chooses, among all optimal directions and weights of a contact, the shortest.
///
/// A contact that is not degenerate comes back unchanged. Against a half-space the active vertices share the
/// weight equally; a curved body touches in one point.
///
/// ```
/// use percussion_geometry::separation::{Options, WarmStart, resolve, separation};
/// use percussion_geometry::shapes::{Feature, Polytope, Solid};
/// use percussion_geometry::{Pose, Vec3};
///
/// let brick = Solid::Polytope(Polytope::cuboid(2.0, 1.0, 1.0)?);
/// let (upper, lower) = (Pose::at(Vec3::new(0.0, 0.0, 1.0)), Pose::identity());
/// let answer = separation(&brick, &upper, &brick, &lower, &Options::default(), &mut WarmStart::default())?;
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
    shortest(&Answered { a, pose_a, b, pose_b, answer })
}

/// Chooses, among all optimal directions and weights of a planar contact, the shortest; see
/// [`resolve()`].
///
/// ```
/// use percussion_geometry::separation::{PlanarOptions, PlanarWarmStart, planar_separation, resolve_planar};
/// use percussion_geometry::shapes::{PlanarShape, Polygon};
/// use percussion_geometry::{PlanarPose, Vec2};
///
/// // Two squares tip to tip, a quarter of a turn apart from flat.
/// let square = PlanarShape::Polygon(Polygon::regular(4, 1.0)?);
/// let (right, left) = (PlanarPose::at(Vec2::new(2.5, 0.0)), PlanarPose::identity());
/// let answer =
///     planar_separation(&square, &right, &square, &left, &PlanarOptions::default(), &mut PlanarWarmStart::default())?;
/// let resolved = resolve_planar(&square, &right, &square, &left, &answer)?;
/// assert!(resolved.several_alphas && !resolved.several_duals);
/// assert!((resolved.alpha - Vec2::x()).norm() < 1e-15);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn resolve_planar(
    a: &PlanarShape,
    pose_a: &PlanarPose,
    b: &PlanarShape,
    pose_b: &PlanarPose,
    answer: &PlanarSeparation,
) -> Result<PlanarResolved, ResolveError> {
    shortest(&Answered { a, pose_a, b, pose_b, answer })
}

fn shortest<const D: usize, S: Body<D>>(query: &Answered<D, S>) -> Result<ResolvedIn<D>, ResolveError> {
    let Answered { a, pose_a, b, pose_b, answer } = *query;
    check(answer.outcome)?;
    let face = match classify(query) {
        ContactClass::Unique => return Ok(unchanged(a, b, answer)),
        ContactClass::FaceOfA => point_in_face(a, pose_a, b, answer, true),
        ContactClass::FaceOfB => point_in_face(b, pose_b, a, answer, false),
        ContactClass::Degenerate => None,
    };
    if let Some(resolved) = face {
        return Ok(resolved);
    }
    let analysis = analyse(query)?;
    let weights = analysis.weights();
    let offset: SVector<f64, D> = to_dimension(&analysis.offset(&weights));
    let feature = |body: &S, k: usize| feature(body, &analysis.active()[k], &weights[k]);
    let features = (feature(a, 0), feature(b, 1));
    // Bodies without vertices have none to name.
    let [weights_a, weights_b] = weights;
    let named = |body: &S, weights| if body.vertices().is_some() { weights } else { Vec::new() };
    Ok(ResolvedIn {
        alpha: to_dimension(&analysis.alpha()),
        point_a: answer.point_a + offset,
        point_b: answer.point_b + offset,
        several_duals: analysis.several_duals(),
        several_alphas: analysis.alphas().len() > 1,
        ..ResolvedIn::unchanged(answer, named(a, weights_a), named(b, weights_b), features)
    })
}

/// A contact with one answer.
fn unchanged<const D: usize, S: Body<D>>(a: &S, b: &S, answer: &SeparationIn<D>) -> ResolvedIn<D> {
    let [weights_a, weights_b] = [normalised(answer.weights_a()), normalised(answer.weights_b())];
    let features = (feature(a, &[], &weights_a), feature(b, &[], &weights_b));
    ResolvedIn::unchanged(answer, weights_a, weights_b, features)
}

/// One point of another body well inside a face of `body`, which is body a where `first` says so. `None` where the
/// weights are not found directly.
fn point_in_face<const D: usize, S: Body<D>>(
    body: &S,
    pose: &PoseIn<D>,
    other: &S,
    answer: &SeparationIn<D>,
    first: bool,
) -> Option<ResolvedIn<D>> {
    let p = body.polytope()?;
    let normal = to_space(&pose.inverse_direction(&answer.normal()));
    let plane_tolerance =
        plane_tolerance([body.outer_radius(), other.outer_radius()], answer.certificate_gap());
    let face = if first {
        face_weights(p, &normal, answer.weights_a(), plane_tolerance)?
    } else {
        face_weights(p, &-normal, answer.weights_b(), plane_tolerance)?
    };
    let (a, b) = if first { (body, other) } else { (other, body) };
    let mut resolved = unchanged(a, b, answer);
    let held = feature(body, &face.active, &face.weights);
    if first {
        (resolved.weights_a, resolved.features.0) = (face.weights, held);
    } else {
        (resolved.weights_b, resolved.features.1) = (face.weights, held);
    }
    resolved.several_duals = true;
    Some(resolved)
}

/// All that is optimal at a contact.
pub(in crate::separation) fn analyse<'a, const D: usize, S: Body<D>>(
    query: &Answered<'a, D, S>,
) -> Result<Analysis<'a>, ResolveError> {
    let Answered { a, pose_a, b, pose_b, answer } = *query;
    check(answer.outcome)?;
    let count = |body: &S| body.vertices().map(<[_]>::len);
    let weighted =
        [weighted('a', count(a), answer.weights_a())?, weighted('b', count(b), answer.weights_b())?];
    let sides =
        [side(a, pose_a, &weighted[0], &answer.point_a), side(b, pose_b, &weighted[1], &answer.point_b)];
    let size: f64 = [a, b].iter().map(|s| s.outer_radius()).filter(|r| r.is_finite()).sum();
    let contact = Contact::new(sides, to_space(&answer.beta), size, answer.certificate_gap(), D);
    let features = |tolerance: f64| {
        [a.features(pose_a, &weighted[0], tolerance), b.features(pose_b, &weighted[1], tolerance)]
    };
    Ok(Analysis::new(contact, &to_space(&answer.alpha), features))
}

/// One body at its contact point.
fn side<'a, const D: usize, S: Body<D>>(
    body: &'a S,
    pose: &'a PoseIn<D>,
    weighted: &[(u32, f64)],
    contact: &SVector<f64, D>,
) -> Side<'a> {
    if let Some(vertices) = body.vertices() {
        // Seen from the reference point, before the contact point is known: short vectors, no digits lost.
        let reference = body.reference();
        let seen = vertices.iter().map(|v| to_space(&pose.direction(&(v - reference))));
        return Side::of_vertices(seen, weighted.to_vec());
    }
    if body.half_space().is_some() {
        return Side::of_plane();
    }
    let contact = pose.inverse_point(contact);
    Side::of_curve(Box::new(move |direction: &Vec3| {
        let support = body.support(&pose.inverse_direction(&to_dimension(direction))).unwrap_or(contact);
        to_space(&pose.direction(&(support - contact)))
    }))
}

/// The feature that holds all active vertices, or at least those that carry weight.
fn feature<const D: usize, S: Body<D>>(body: &S, active: &[u32], weighted: &[(u32, f64)]) -> Feature {
    if body.half_space().is_some() {
        return Feature::Plane;
    }
    if body.vertices().is_none() {
        return Feature::Curved;
    }
    let names: Vec<u32> = weighted.iter().map(|&(k, _)| k).collect();
    let heaviest = weighted.iter().max_by(|p, q| p.1.total_cmp(&q.1)).map_or(0, |&(k, _)| k);
    // Vertices of two almost coplanar faces have no common one.
    body.feature_of(active).or_else(|| body.feature_of(&names)).unwrap_or(Feature::Vertex(heaviest))
}
