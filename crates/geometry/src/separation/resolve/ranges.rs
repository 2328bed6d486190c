//! Component-wise ranges of all optimal directions and weights (Akgül, A note on shadow prices in linear
//! programming, 1984).

use super::ResolveError;
use super::analysis::Analysis;
use super::planar::analyse as analyse_planar;
use super::space::analyse;
use crate::separation::answer::Separation;
use crate::separation::planar::PlanarSeparation;
use crate::shapes::{PlanarShape, Solid};
use crate::{PlanarPose, Pose};

/// Least and greatest value of every component over all optimal solutions of a contact in space.
#[derive(Clone, Debug, PartialEq)]
pub struct Ranges {
    /// Of the components of α, world frame.
    pub alpha: [(f64, f64); 3],
    /// Of body a's weights: index, least, greatest. Vertices that cannot carry weight are left out.
    pub weights_a: Vec<(u32, f64, f64)>,
    /// Of body b's weights.
    pub weights_b: Vec<(u32, f64, f64)>,
}

/// Least and greatest value of every component over all optimal solutions of a contact in the plane.
#[derive(Clone, Debug, PartialEq)]
pub struct PlanarRanges {
    /// Of the components of α, world frame.
    pub alpha: [(f64, f64); 2],
    /// Of body a's weights: index, least, greatest.
    pub weights_a: Vec<(u32, f64, f64)>,
    /// Of body b's weights.
    pub weights_b: Vec<(u32, f64, f64)>,
}

/// The ranges of a contact in space: two small linear programs per active vertex.
pub fn ranges(
    a: &Solid,
    pose_a: &Pose,
    b: &Solid,
    pose_b: &Pose,
    answer: &Separation,
) -> Result<Ranges, ResolveError> {
    let analysis = analyse(a, pose_a, b, pose_b, answer)?;
    let [mut weights_a, mut weights_b] = weights(&analysis);
    for (solid, weights) in [(a, &mut weights_a), (b, &mut weights_b)] {
        if !matches!(solid, Solid::Polytope(_)) {
            weights.clear();
        }
    }
    Ok(Ranges { alpha: [0, 1, 2].map(|k| component(&analysis, k)), weights_a, weights_b })
}

/// The ranges of a contact in the plane.
pub fn planar_ranges(
    a: &PlanarShape,
    pose_a: &PlanarPose,
    b: &PlanarShape,
    pose_b: &PlanarPose,
    answer: &PlanarSeparation,
) -> Result<PlanarRanges, ResolveError> {
    let analysis = analyse_planar(a, pose_a, b, pose_b, answer)?;
    let [mut weights_a, mut weights_b] = weights(&analysis);
    for (shape, weights) in [(a, &mut weights_a), (b, &mut weights_b)] {
        if !matches!(shape, PlanarShape::Polygon(_)) {
            weights.clear();
        }
    }
    Ok(PlanarRanges { alpha: [0, 1].map(|k| component(&analysis, k)), weights_a, weights_b })
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
