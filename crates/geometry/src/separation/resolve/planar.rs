//! Resolving contacts in the plane: the same analysis with everything in z = 0.

use super::ResolveError;
use super::analysis::{Analysis, carriers, check, shares};
use super::candidates::Features;
use super::contact::{Contact, Side};
use super::regular::{Verdict, judge_planar};
use crate::separation::answer::Feature;
use crate::separation::gradient::{BetaTerm, PlanarMotionGradient};
use crate::separation::planar::PlanarSeparation;
use crate::shapes::PlanarShape;
use crate::{PlanarPose, Vec2, Vec3};

/// A planar contact with its degeneracy resolved; fields as in [`Resolved`](super::Resolved).
#[derive(Clone, Debug, PartialEq)]
pub struct PlanarResolved {
    /// The LP value `s`, as in the answer.
    pub separation: f64,
    /// Distance `D` of the reference points along β, as in the answer.
    pub reference_distance: f64,
    /// Unit direction from b to a, as in the answer.
    pub beta: Vec2,
    /// Whether β was prescribed.
    pub prescribed: bool,
    /// The shortest optimal direction.
    pub alpha: Vec2,
    /// The shortest optimal weights of body a's vertices.
    pub weights_a: Vec<(u32, f64)>,
    /// The shortest optimal weights of body b's vertices.
    pub weights_b: Vec<(u32, f64)>,
    /// Contact point of body a.
    pub point_a: Vec2,
    /// Contact point of body b.
    pub point_b: Vec2,
    /// Vertex or edge of each body that holds every vertex that can carry weight.
    pub features: (Feature, Feature),
    /// The weights are one choice of many (edge on edge).
    pub several_duals: bool,
    /// The direction is one choice of many (corner on corner).
    pub several_alphas: bool,
}

impl PlanarResolved {
    /// Unit normal from body b to body a.
    pub fn normal(&self) -> Vec2 {
        self.alpha / self.alpha.norm()
    }

    /// Distance between the two supporting lines.
    pub fn gap(&self) -> f64 {
        self.separation / self.alpha.norm()
    }

    /// `ds/dβ = -s α`, for a prescribed direction.
    pub fn beta_gradient(&self) -> Vec2 {
        -self.separation * self.alpha
    }

    /// The part of `ds/dc1` that comes from β following the reference points.
    pub fn reference_gradient(&self) -> Vec2 {
        if self.prescribed || !(self.reference_distance > 0.0) {
            return Vec2::zeros();
        }
        let sideways = self.alpha - self.beta * self.beta.dot(&self.alpha);
        -(self.separation / self.reference_distance) * sideways
    }

    /// `ds/dx_i` of body a's active vertices, β held.
    pub fn vertex_gradients_a(&self) -> impl Iterator<Item = (u32, Vec2)> {
        self.weights_a.iter().map(|&(index, weight)| (index, weight * self.alpha))
    }

    /// `ds/dy_j` of body b's active vertices, β held.
    pub fn vertex_gradients_b(&self) -> impl Iterator<Item = (u32, Vec2)> {
        self.weights_b.iter().map(|&(index, weight)| (index, -weight * self.alpha))
    }

    /// Derivative with respect to rigid motions of both bodies about their reference points (world positions).
    pub fn motion_gradient(
        &self,
        reference_a: &Vec2,
        reference_b: &Vec2,
        beta: BetaTerm,
    ) -> PlanarMotionGradient {
        let part = match beta {
            BetaTerm::Follow => self.reference_gradient(),
            BetaTerm::Hold => Vec2::zeros(),
        };
        PlanarMotionGradient {
            translation_a: self.alpha + part,
            rotation_a: (self.point_a - reference_a).perp(&self.alpha),
            translation_b: -self.alpha - part,
            rotation_b: -(self.point_b - reference_b).perp(&self.alpha),
        }
    }
}

/// Chooses, among all optimal directions and weights of a planar contact, the shortest; see
/// [`resolve`](super::resolve()).
///
/// ```
/// use percussion_geometry::separation::{PlanarOptions, PlanarWarm, planar_separation, resolve_planar};
/// use percussion_geometry::shapes::{PlanarShape, Polygon};
/// use percussion_geometry::{PlanarPose, Vec2};
///
/// // Two squares tip to tip, a quarter of a turn apart from flat.
/// let square = PlanarShape::Polygon(Polygon::regular(4, 1.0)?);
/// let (right, left) = (PlanarPose::at(Vec2::new(2.5, 0.0)), PlanarPose::identity());
/// let answer =
///     planar_separation(&square, &right, &square, &left, &PlanarOptions::default(), &mut PlanarWarm::default())?;
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
    check(answer.outcome)?;
    if judge_planar(a, pose_a, b, pose_b, answer) == Verdict::Regular {
        return Ok(unchanged(a, b, answer));
    }
    let analysis = analyse(a, pose_a, b, pose_b, answer)?;
    let [mut weights_a, mut weights_b] = analysis.weights();
    let offset = analysis.offset(&[weights_a.clone(), weights_b.clone()]).xy();
    let features =
        (feature(a, &analysis.active()[0], &weights_a), feature(b, &analysis.active()[1], &weights_b));
    for (shape, weights) in [(a, &mut weights_a), (b, &mut weights_b)] {
        if !matches!(shape, PlanarShape::Polygon(_)) {
            weights.clear();
        }
    }
    Ok(PlanarResolved {
        separation: answer.separation,
        reference_distance: answer.reference_distance,
        beta: answer.beta,
        prescribed: answer.prescribed,
        alpha: analysis.alpha().xy(),
        weights_a,
        weights_b,
        point_a: answer.point_a + offset,
        point_b: answer.point_b + offset,
        features,
        several_duals: analysis.several_duals(),
        several_alphas: analysis.alphas().len() > 1,
    })
}

/// A contact with one answer.
fn unchanged(a: &PlanarShape, b: &PlanarShape, answer: &PlanarSeparation) -> PlanarResolved {
    let [weights_a, weights_b] = [shares(answer.weights_a()), shares(answer.weights_b())];
    PlanarResolved {
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

/// All that is optimal at a contact in the plane.
pub(in crate::separation) fn analyse<'a>(
    a: &'a PlanarShape,
    pose_a: &'a PlanarPose,
    b: &'a PlanarShape,
    pose_b: &'a PlanarPose,
    answer: &PlanarSeparation,
) -> Result<Analysis<'a>, ResolveError> {
    check(answer.outcome)?;
    let count = |shape: &PlanarShape| match shape {
        PlanarShape::Polygon(p) => Some(p.vertices().len()),
        _ => None,
    };
    let carriers =
        [carriers('a', count(a), answer.weights_a())?, carriers('b', count(b), answer.weights_b())?];
    let side =
        |shape: &'a PlanarShape, pose: &'a PlanarPose, carriers: &[(u32, f64)], contact: &Vec2| match shape {
            PlanarShape::Polygon(p) => {
                let vertices = p.relative().iter().map(|v| pose.direction(&Vec2::from(*v)).push(0.0));
                Side::of_vertices(vertices, carriers.to_vec())
            }
            PlanarShape::HalfPlane(_) => Side::of_plane(),
            _ => {
                let contact = pose.inverse_point(contact);
                Side::of_curve(Box::new(move |direction: &Vec3| {
                    let support = shape.support(&pose.inverse_direction(&direction.xy())).unwrap_or(contact);
                    pose.direction(&(support - contact)).push(0.0)
                }))
            }
        };
    let sides =
        [side(a, pose_a, &carriers[0], &answer.point_a), side(b, pose_b, &carriers[1], &answer.point_b)];
    let size: f64 = [a, b].iter().map(|s| s.outer_radius()).filter(|r| r.is_finite()).sum();
    let contact = Contact::new(sides, answer.beta.push(0.0), size, answer.certificate_gap(), 2);
    let features = |tolerance: f64| {
        [(a, pose_a, &carriers[0]), (b, pose_b, &carriers[1])].map(|(shape, pose, carriers)| match shape {
            PlanarShape::Polygon(p) => Features::of_polygon(p, pose, carriers, tolerance),
            _ => Features::default(),
        })
    };
    Ok(Analysis::new(contact, &answer.alpha.push(0.0), features))
}

/// The vertex or edge that holds all active vertices.
fn feature(shape: &PlanarShape, active: &[u32], carriers: &[(u32, f64)]) -> Feature {
    match shape {
        PlanarShape::HalfPlane(_) => Feature::Plane,
        PlanarShape::Polygon(p) => {
            let names: Vec<u32> = carriers.iter().map(|&(k, _)| k).collect();
            let heaviest = carriers.iter().max_by(|p, q| p.1.total_cmp(&q.1)).map_or(0, |&(k, _)| k);
            p.feature(active).or_else(|| p.feature(&names)).unwrap_or(Feature::Vertex(heaviest))
        }
        _ => Feature::Curved,
    }
}
