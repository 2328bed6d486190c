//! Component-wise ranges of all optimal directions and weights (Akgül, A note on shadow prices in linear
//! programming, 1984).

use super::ResolveError;
use super::analysis::Analysis;
use super::body::{Answered, Body};
use super::least_norm::analyse;
use crate::separation::answer::{PlanarSeparation, Separation};
use crate::shapes::{PlanarShape, Solid};
use crate::{PlanarPose, Pose};

/// Least and greatest value of every component over all optimal solutions of a contact in `D` dimensions.
#[derive(Clone, Debug, PartialEq)]
pub struct RangesIn<const D: usize> {
    /// Of the components of α, world frame.
    pub alpha: [(f64, f64); D],
    /// Of body a's weights: index, least, greatest. Vertices that cannot carry weight are left out.
    pub weights_a: Vec<(u32, f64, f64)>,
    /// Of body b's weights.
    pub weights_b: Vec<(u32, f64, f64)>,
}

/// Least and greatest values of a contact in space.
pub type Ranges = RangesIn<3>;
/// Least and greatest values of a contact in the plane.
pub type PlanarRanges = RangesIn<2>;

/// The ranges of a contact in space: two small linear programs per active vertex.
pub fn ranges(
    a: &Solid,
    pose_a: &Pose,
    b: &Solid,
    pose_b: &Pose,
    answer: &Separation,
) -> Result<Ranges, ResolveError> {
    ranges_in(&Answered { a, pose_a, b, pose_b, answer })
}

/// The ranges of a contact in the plane.
pub fn planar_ranges(
    a: &PlanarShape,
    pose_a: &PlanarPose,
    b: &PlanarShape,
    pose_b: &PlanarPose,
    answer: &PlanarSeparation,
) -> Result<PlanarRanges, ResolveError> {
    ranges_in(&Answered { a, pose_a, b, pose_b, answer })
}

fn ranges_in<const D: usize, S: Body<D>>(query: &Answered<D, S>) -> Result<RangesIn<D>, ResolveError> {
    let analysis = analyse(query)?;
    let [weights_a, weights_b] = weights(&analysis);
    let named = |body: &S, weights| if body.vertices().is_some() { weights } else { Vec::new() };
    Ok(RangesIn {
        alpha: std::array::from_fn(|k| component(&analysis, k)),
        weights_a: named(query.a, weights_a),
        weights_b: named(query.b, weights_b),
    })
}

/// A linear function on a polygon is extreme at its corners.
fn component(analysis: &Analysis, k: usize) -> (f64, f64) {
    let values = || analysis.alphas().iter().map(|a| a[k]);
    (values().fold(f64::INFINITY, f64::min), values().fold(f64::NEG_INFINITY, f64::max))
}

fn weights(analysis: &Analysis) -> [Vec<(u32, f64, f64)>; 2] {
    let active = analysis.active();
    let range = |index: u32, place: usize| {
        let (least, greatest) = analysis.duals.range(place);
        (index, least, greatest)
    };
    let first = active[0].len();
    [
        active[0].iter().enumerate().map(|(k, &i)| range(i, k)).collect(),
        active[1].iter().enumerate().map(|(k, &j)| range(j, first + k)).collect(),
    ]
}
