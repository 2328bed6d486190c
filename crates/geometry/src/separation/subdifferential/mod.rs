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

use super::answer::{PlanarSeparation, Separation};
use super::gradient::{BetaTerm, CrossProduct, MotionGradientOf, SeparationDifferential};
use super::resolve::{Answered, Body, ResolveError, analyse, to_dimension};
use crate::shapes::{PlanarShape, Solid};
use crate::{PlanarPose, Pose, Vec2, Vec3};
use nalgebra::SVector;
use vertices::DualWeights;

/// All gradients of the separation of one pair in `D` dimensions.
#[derive(Clone, Debug)]
pub struct SubdifferentialIn<const D: usize> {
    separation: f64,
    reference_distance: f64,
    beta: SVector<f64, D>,
    prescribed: bool,
    alphas: Vec<SVector<f64, D>>,
    region: Vec<SVector<f64, D>>,
    dual_weights: DualWeights,
}

/// All gradients of the separation of one pair in space.
pub type Subdifferential = SubdifferentialIn<3>;
/// All gradients of the separation of one pair in the plane.
pub type PlanarSubdifferential = SubdifferentialIn<2>;

/// Finds all gradients of the separation at a contact. Curved bodies touch in one point and have one gradient.
///
/// ```
/// use percussion_geometry::separation::{BetaTerm, Options, WarmStart, separation, subdifferential};
/// use percussion_geometry::shapes::{Polytope, Solid};
/// use percussion_geometry::{Pose, Vec3};
///
/// let cube = Solid::Polytope(Polytope::cube(1.0)?);
/// let (upper, lower) = (Pose::at(Vec3::new(0.5, 0.0, 1.0)), Pose::identity());
/// let answer = separation(&cube, &upper, &cube, &lower, &Options::default(), &mut WarmStart::default())?;
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
    SubdifferentialIn::new(&Answered { a, pose_a, b, pose_b, answer })
}

/// Finds all gradients of the separation at a planar contact; see [`subdifferential()`].
pub fn planar_subdifferential(
    a: &PlanarShape,
    pose_a: &PlanarPose,
    b: &PlanarShape,
    pose_b: &PlanarPose,
    answer: &PlanarSeparation,
) -> Result<PlanarSubdifferential, ResolveError> {
    SubdifferentialIn::new(&Answered { a, pose_a, b, pose_b, answer })
}

impl<const D: usize> SubdifferentialIn<D> {
    fn new<S: Body<D>>(query: &Answered<D, S>) -> Result<Self, ResolveError> {
        let analysis = analyse(query)?;
        let answer = query.answer;
        Ok(Self {
            separation: answer.separation,
            reference_distance: answer.reference_distance,
            beta: answer.beta,
            prescribed: answer.prescribed,
            alphas: analysis.alphas().iter().map(to_dimension).collect(),
            region: analysis.region().iter().map(|p| answer.point_a + to_dimension(p)).collect(),
            // Bodies without vertices have no columns.
            dual_weights: DualWeights::new(
                analysis.active().clone(),
                [query.a, query.b].map(|body| body.vertices().is_some()),
                analysis.weights(),
                analysis.into_duals(),
            ),
        })
    }

    /// Extreme optimal directions: one, the two ends of a segment, or (in space) the corners of a polygon.
    pub fn alphas(&self) -> &[SVector<f64, D>] {
        &self.alphas
    }

    /// Corners of the contact region on body a: a point, a segment or (in space) a convex polygon. Body b's is shifted
    /// by `-separation beta`.
    pub fn contact_region(&self) -> &[SVector<f64, D>] {
        &self.region
    }

    /// Gradients with respect to the vertices of both bodies, β held.
    pub fn vertices(&self) -> VertexSubdifferential<'_, D> {
        VertexSubdifferential::new(self.alphas.clone(), &self.dual_weights)
    }

    /// The gradient of every extreme direction at every corner of the contact region.
    fn gradients<const N: usize>(
        &self,
        reference_a: &SVector<f64, D>,
        reference_b: &SVector<f64, D>,
        beta: BetaTerm,
    ) -> GradientSet<N>
    where
        SVector<f64, D>: CrossProduct,
        MotionGradientOf<SVector<f64, D>>: Into<[f64; N]>,
    {
        let gradient = |&alpha: &SVector<f64, D>, &point_a: &SVector<f64, D>| {
            let differential = SeparationDifferential {
                separation: self.separation,
                alpha,
                point_a,
                point_b: point_a - self.beta * self.separation,
                beta: self.beta,
                reference_distance: self.reference_distance,
                prescribed: self.prescribed,
            };
            differential.motion(reference_a, reference_b, beta).into()
        };
        let of_alpha = |alpha| self.region.iter().map(|point| gradient(alpha, point)).collect();
        GradientSet::new(self.alphas.iter().map(of_alpha).collect())
    }
}

impl Subdifferential {
    /// Gradients with respect to rigid motions about the given reference points (world positions).
    pub fn motion(&self, reference_a: &Vec3, reference_b: &Vec3, beta: BetaTerm) -> GradientSet<12> {
        self.gradients(reference_a, reference_b, beta)
    }
}

impl PlanarSubdifferential {
    /// Gradients with respect to rigid motions about the given reference points (world positions).
    pub fn motion(&self, reference_a: &Vec2, reference_b: &Vec2, beta: BetaTerm) -> GradientSet<6> {
        self.gradients(reference_a, reference_b, beta)
    }
}
