//! The Clarke subdifferential of the separation: all gradients at a kink.
//!
//! At a degenerate contact `s` has no gradient but a convex set of them, the hull of
//!
//! ```text
//! g(α, π) = derivative of  <α, Σ π_i x_i - Σ π_j y_j> + s (1 - <α,β>)      α extreme optimal direction,
//!                                                                        π corner of the dual polytope
//! ```
//!
//! [Johnson 2.66, 2.67]. For rigid motions only the contact point `p1 = Σ π_i x_i` matters, so that the corners of the
//! contact region take the place of those of the dual polytope. Every such pair is the limit of gradients of
//! nearby contacts (shift the bodies to single out α, turn or bend them to single out π), hence the hull is the
//! subdifferential and not only an outer bound. The one-sided derivative along a velocity is the value of the matrix
//! game in which α maximises and π minimises; it lies between `-support(-v)` and `support(v)`.

mod motions;
mod vertices;

pub use motions::GradientSet;
pub use vertices::{VertexGradient, VertexSubdifferential};

use super::answer::Separation;
use super::gradient::{BetaTerm, MotionGradient, PlanarMotionGradient, beta_part, motion};
use super::planar::PlanarSeparation;
use super::resolve::{Analysis, ResolveError, analyse, analyse_planar};
use crate::shapes::{PlanarShape, Solid};
use crate::{PlanarPose, Pose, Vec2, Vec3};
use vertices::Weighing;

/// All gradients of the separation of one pair in space.
#[derive(Clone, Debug)]
pub struct Subdifferential {
    separation: f64,
    reference_distance: f64,
    beta: Vec3,
    prescribed: bool,
    alphas: Vec<Vec3>,
    region: Vec<Vec3>,
    weighing: Weighing,
}

/// Finds all gradients of the separation at a contact. Curved bodies touch in one point and have one gradient.
///
/// ```
/// use percussion_geometry::separation::{BetaTerm, Options, Warm, separation, subdifferential};
/// use percussion_geometry::shapes::{Polytope, Solid};
/// use percussion_geometry::{Pose, Vec3};
///
/// let cube = Solid::Polytope(Polytope::cube(1.0)?);
/// let (upper, lower) = (Pose::at(Vec3::new(0.5, 0.0, 1.0)), Pose::identity());
/// let answer = separation(&cube, &upper, &cube, &lower, &Options::default(), &mut Warm::default())?;
/// let set = subdifferential(&cube, &upper, &cube, &lower, &answer)?;
/// // Face on face, half overlapping: one direction, a rectangle of contact points.
/// assert_eq!((set.alphas().len(), set.contact_region().len()), (1, 4));
/// let gradients = set.motion(&upper.position, &lower.position, BetaTerm::Follow);
/// let own = answer.motion_gradient(&upper.position, &lower.position, BetaTerm::Follow);
/// assert!(gradients.contains(own, 1e-12));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn subdifferential(
    a: &Solid,
    pose_a: &Pose,
    b: &Solid,
    pose_b: &Pose,
    answer: &Separation,
) -> Result<Subdifferential, ResolveError> {
    let analysis = analyse(a, pose_a, b, pose_b, answer)?;
    Ok(Subdifferential {
        separation: answer.separation,
        reference_distance: answer.reference_distance,
        beta: answer.beta,
        prescribed: answer.prescribed,
        alphas: analysis.alphas().to_vec(),
        region: analysis.region().iter().map(|p| answer.point_a + p).collect(),
        weighing: weighing(analysis, [matches!(a, Solid::Polytope(_)), matches!(b, Solid::Polytope(_))]),
    })
}

/// Bodies without vertices have no columns.
fn weighing(analysis: Analysis, named: [bool; 2]) -> Weighing {
    let active = analysis.active().clone();
    let own = analysis.weights();
    Weighing::new(active, named, own, analysis.into_duals())
}

impl Subdifferential {
    /// Extreme optimal directions: one, the two ends of a segment, or the corners of a polygon.
    pub fn alphas(&self) -> &[Vec3] {
        &self.alphas
    }

    /// Corners of the contact region on body a: a point, a segment or a convex polygon. Body b's is shifted by
    /// `-separation beta`.
    pub fn contact_region(&self) -> &[Vec3] {
        &self.region
    }

    /// Gradients with respect to rigid motions about the given reference points (world positions).
    pub fn motion(&self, reference_a: &Vec3, reference_b: &Vec3, beta: BetaTerm) -> GradientSet<12> {
        let follows = beta == BetaTerm::Follow && !self.prescribed;
        let gradient = |alpha: &Vec3, point_a: &Vec3| {
            let part = beta_part(alpha, &self.beta, self.separation, self.reference_distance, follows);
            let point_b = point_a - self.separation * self.beta;
            motion(alpha, point_a, &point_b, reference_a, reference_b, &part).columns()
        };
        let of_alpha = |alpha: &Vec3| self.region.iter().map(|p| gradient(alpha, p)).collect();
        GradientSet::new(self.alphas.iter().map(of_alpha).collect())
    }

    /// Gradients with respect to the vertices of both bodies, β held.
    pub fn vertices(&self) -> VertexSubdifferential<'_, 3> {
        VertexSubdifferential::new(self.alphas.clone(), &self.weighing)
    }
}

/// All gradients of the separation of one pair in the plane.
#[derive(Clone, Debug)]
pub struct PlanarSubdifferential {
    separation: f64,
    reference_distance: f64,
    beta: Vec2,
    prescribed: bool,
    alphas: Vec<Vec2>,
    region: Vec<Vec2>,
    weighing: Weighing,
}

/// Finds all gradients of the separation at a planar contact; see [`subdifferential()`].
pub fn planar_subdifferential(
    a: &PlanarShape,
    pose_a: &PlanarPose,
    b: &PlanarShape,
    pose_b: &PlanarPose,
    answer: &PlanarSeparation,
) -> Result<PlanarSubdifferential, ResolveError> {
    let analysis = analyse_planar(a, pose_a, b, pose_b, answer)?;
    Ok(PlanarSubdifferential {
        separation: answer.separation,
        reference_distance: answer.reference_distance,
        beta: answer.beta,
        prescribed: answer.prescribed,
        alphas: analysis.alphas().iter().map(|v| v.xy()).collect(),
        region: analysis.region().iter().map(|p| answer.point_a + p.xy()).collect(),
        weighing: weighing(
            analysis,
            [matches!(a, PlanarShape::Polygon(_)), matches!(b, PlanarShape::Polygon(_))],
        ),
    })
}

impl PlanarSubdifferential {
    /// Extreme optimal directions: one, or the two ends of a segment.
    pub fn alphas(&self) -> &[Vec2] {
        &self.alphas
    }

    /// Ends of the contact region on body a: a point or a segment.
    pub fn contact_region(&self) -> &[Vec2] {
        &self.region
    }

    /// Gradients with respect to rigid motions about the given reference points (world positions).
    pub fn motion(&self, reference_a: &Vec2, reference_b: &Vec2, beta: BetaTerm) -> GradientSet<6> {
        let follows = beta == BetaTerm::Follow && !self.prescribed;
        let gradient = |alpha: &Vec2, point_a: &Vec2| -> [f64; 6] {
            let part = beta_part(
                &alpha.push(0.0),
                &self.beta.push(0.0),
                self.separation,
                self.reference_distance,
                follows,
            );
            let point_b = point_a - self.separation * self.beta;
            PlanarMotionGradient {
                translation_a: alpha + part.xy(),
                rotation_a: (point_a - reference_a).perp(alpha),
                translation_b: -alpha - part.xy(),
                rotation_b: -(point_b - reference_b).perp(alpha),
            }
            .into()
        };
        let of_alpha = |alpha: &Vec2| self.region.iter().map(|p| gradient(alpha, p)).collect();
        GradientSet::new(self.alphas.iter().map(of_alpha).collect())
    }

    /// Gradients with respect to the vertices of both bodies, β held.
    pub fn vertices(&self) -> VertexSubdifferential<'_, 2> {
        VertexSubdifferential::new(self.alphas.clone(), &self.weighing)
    }
}

impl From<MotionGradient> for [f64; 12] {
    /// The columns `c1, θ1, c2, θ2`.
    fn from(gradient: MotionGradient) -> Self {
        gradient.columns()
    }
}

impl From<PlanarMotionGradient> for [f64; 6] {
    /// The columns `c1, θ1, c2, θ2`.
    fn from(g: PlanarMotionGradient) -> Self {
        [
            g.translation_a.x,
            g.translation_a.y,
            g.rotation_a,
            g.translation_b.x,
            g.translation_b.y,
            g.rotation_b,
        ]
    }
}
