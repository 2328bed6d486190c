//! Options, warm start and answer of a separation query.

use super::solution::PortalSolutionIn;
use crate::PoseIn;
use nalgebra::SVector;

/// Options of a query in `D` dimensions.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct OptionsIn<const D: usize> {
    /// Bodies whose distance provably exceeds this (metres) are answered [`Outcome::Beyond`] as soon as
    /// that is known. Infinite: always solve.
    pub prediction: f64,
    /// The direction β along which separation is measured, from body b to body a; need not be a unit
    /// vector. `None`: along the line from b's reference point to a's (for a half-space, its normal).
    pub beta: Option<SVector<f64, D>>,
}

/// Options of a query in space.
pub type Options = OptionsIn<3>;
/// Options of a query in the plane.
pub type PlanarOptions = OptionsIn<2>;

impl<const D: usize> Default for OptionsIn<D> {
    fn default() -> Self {
        Self { prediction: f64::INFINITY, beta: None }
    }
}

/// Warm start of a pair: the last optimal basis and direction. Default: a cold start.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct WarmStartIn<const D: usize> {
    /// Vertex pairs `(a, b)` of the last optimal portal (in the plane the one right of the ray first); `u32::MAX`
    /// where there is none.
    pub basis: [[u32; 2]; D],
    /// The last β, used when the reference points coincide; zero when unknown.
    pub beta: SVector<f64, D>,
}

/// Warm start of a pair in space.
pub type WarmStart = WarmStartIn<3>;
/// Warm start of a pair in the plane.
pub type PlanarWarmStart = WarmStartIn<2>;

impl<const D: usize> Default for WarmStartIn<D> {
    fn default() -> Self {
        Self { basis: [[u32::MAX; 2]; D], beta: SVector::zeros() }
    }
}

/// How a query ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// Lower and upper bound met: every field holds the optimum.
    Solved,
    /// The bodies are further apart than the prediction distance. `separation` is a lower bound; points
    /// and weights are not meaningful.
    Beyond,
    /// The prescribed direction never brings the bodies together (the LP is unbounded), or they would overlap
    /// sideways by less than [`GRAZING`](crate::tolerances::GRAZING) of their size. `separation` is infinite and `alpha` is a unit
    /// normal, orthogonal to β, of two planes that separate the bodies by `lower`.
    Missed,
}

/// The answer for one pair of convex bodies in `D` dimensions; all vectors in the world frame.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SeparationIn<const D: usize> {
    /// Unit direction along which `separation` is measured, from b to a.
    pub beta: SVector<f64, D>,
    /// The LP value `s`: positive apart, zero touching, negative overlapping. Metres along β.
    pub separation: f64,
    /// Optimal primal direction, `<alpha, beta> = 1`; not a unit vector.
    pub alpha: SVector<f64, D>,
    /// Distance `D` of the reference points along β (metres; for a prescribed β the component along it).
    pub reference_distance: f64,
    /// Contact point on body a; `point_a - point_b = separation beta`.
    pub point_a: SVector<f64, D>,
    /// Proven lower bound of `separation` (from the supporting planes).
    pub lower: f64,
    /// Contact point on body b.
    pub point_b: SVector<f64, D>,
    /// Proven upper bound of `separation` (from the portal).
    pub upper: f64,
    /// Dual weights of the basis pairs: non-negative, summing to one.
    pub weights: [f64; D],
    /// Basis vertex pairs `(index in a, index in b)`; `u32::MAX` for a curved or unbounded body.
    pub basis: [[u32; 2]; D],
    /// Support evaluations used.
    pub iterations: u32,
    /// How the query ended.
    pub outcome: Outcome,
    /// Whether β was prescribed: then it does not move with the bodies.
    pub prescribed: bool,
}

/// The answer for one pair of convex bodies in space.
pub type Separation = SeparationIn<3>;
/// The answer for one pair of convex bodies in the plane.
pub type PlanarSeparation = SeparationIn<2>;

impl<const D: usize> SeparationIn<D> {
    /// The answer of a solution, for a body a with the given reference point.
    pub(crate) fn solved(
        proof: &PortalSolutionIn<D>,
        pose_a: &PoseIn<D>,
        reference_a: &SVector<f64, D>,
        (beta, reference_distance): (SVector<f64, D>, f64),
        iterations: u32,
    ) -> Self {
        let point_a = pose_a.point(&(SVector::from(proof.x) + reference_a));
        let separation = reference_distance - proof.depth;
        Self {
            outcome: Outcome::Solved,
            separation,
            reference_distance,
            beta,
            prescribed: false,
            alpha: pose_a.direction(&SVector::from(proof.alpha)),
            point_a,
            point_b: point_a - separation * beta,
            weights: proof.weights,
            basis: proof.id,
            lower: proof.lower,
            upper: proof.upper,
            iterations,
        }
    }

    /// The answer of which a lower bound of the separation is all that is known.
    pub(crate) fn unsolved(
        outcome: Outcome,
        lower: f64,
        (beta, reference_distance): (SVector<f64, D>, f64),
        iterations: u32,
    ) -> Self {
        Self {
            outcome,
            separation: lower,
            reference_distance,
            beta,
            prescribed: false,
            alpha: beta,
            point_a: SVector::repeat(f64::NAN),
            point_b: SVector::repeat(f64::NAN),
            weights: [0.0; D],
            basis: [[u32::MAX; 2]; D],
            lower,
            upper: f64::INFINITY,
            iterations,
        }
    }

    /// Unit normal from body b to body a.
    pub fn normal(&self) -> SVector<f64, D> {
        self.alpha / self.alpha.norm()
    }

    /// Distance between the two supporting planes (lines, in the plane), `s/|alpha|`. A lower bound of the distance when positive.
    pub fn gap(&self) -> f64 {
        match self.outcome {
            Outcome::Missed => self.lower,
            _ => self.separation / self.alpha.norm(),
        }
    }

    /// Hart's ratio metric `r = D/(D - s)`: the factor by which both bodies, grown about their reference
    /// points, just touch [Hart 2.12].
    pub fn ratio(&self) -> f64 {
        self.reference_distance / (self.reference_distance - self.separation)
    }

    /// The width of the certificate, `upper - lower`.
    pub fn certificate_gap(&self) -> f64 {
        self.upper - self.lower
    }

    /// Active vertices of body a with their weights (each index once), at most `D`.
    pub fn weights_a(&self) -> impl Iterator<Item = (u32, f64)> {
        merged(self.basis.map(|pair| pair[0]), self.weights)
    }

    /// Active vertices of body b with their weights (each index once), at most `D`.
    pub fn weights_b(&self) -> impl Iterator<Item = (u32, f64)> {
        merged(self.basis.map(|pair| pair[1]), self.weights)
    }
}

/// Sums the weights of equal indices and drops zeros and placeholders.
pub(super) fn merged<const N: usize>(
    indices: [u32; N],
    weights: [f64; N],
) -> impl Iterator<Item = (u32, f64)> {
    (0..N).filter_map(move |k| {
        let index = indices[k];
        if index == u32::MAX || indices[..k].contains(&index) {
            return None;
        }
        let weight: f64 = (k..N).filter(|&j| indices[j] == index).map(|j| weights[j]).sum();
        (weight > 0.0).then_some((index, weight))
    })
}

/// A query that has no answer because its input is unusable.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum QueryError {
    /// A placement holds NaN or an infinity.
    #[error("the placement of body {body} is not finite; check its position and rotation")]
    NotFinite {
        /// `a` or `b`.
        body: char,
    },
    /// Lengths outside the range in which products of four of them are numbers.
    #[error("sizes and distances must lie between 1e-70 m and 1e70 m; use other units")]
    OutOfScale,
    /// A prescribed direction that is zero or not finite.
    #[error("the prescribed direction beta is zero or not finite; give a vector that points from b to a")]
    BadDirection,
    /// A prescribed direction that does not lead out of a half-space.
    #[error(
        "the prescribed direction beta does not point out of the half-space; along it the bodies never separate"
    )]
    IntoHalfSpace,
    /// Two half-spaces have no separation.
    #[error("both bodies are half-spaces; at least one must be bounded")]
    BothUnbounded,
}

impl QueryError {
    /// Refuses placements that hold NaN or an infinity.
    pub(crate) fn unless_finite<const D: usize>(pose_a: &PoseIn<D>, pose_b: &PoseIn<D>) -> Result<(), Self> {
        for (pose, body) in [(pose_a, 'a'), (pose_b, 'b')] {
            if !pose.is_finite() {
                return Err(Self::NotFinite { body });
            }
        }
        Ok(())
    }
}
