//! The tolerances of the Euclidean queries. Lengths are multiples of the pair's *scale*: the sum of the outer
//! radii or the distance of the reference points, whichever is larger, because that is what the coordinates
//! of a difference `x - y` are rounded to.

/// Rounding of the length of a difference of points.
pub(super) const ROUNDING: f64 = 2.0 * f64::EPSILON;

/// Weight below zero at which a corner that came in still counts as inside: rounding of a ratio of areas.
pub(super) const ENTERING: f64 = 1e-14;

/// Pivots in a row that may leave both bounds where they are. Two nearly parallel faces of many sides are
/// walked around with such pivots.
pub(super) const STALL_LIMIT: u32 = 40;

/// Steps that may improve witness points after the bounds have met.
pub(super) const REFINE_STEPS: u32 = 10;

/// Bodies closer than this are handed to the depth search, which does not need a direction from the
/// (by then meaningless) difference of two nearly equal points. About 450 units in the last place.
pub(super) const TOUCHING: f64 = 1e-13;

/// A nearest pair whose bounds are further apart than this after the search has ended gets a second
/// opinion from the depth search.
pub(super) const RETRY: f64 = 1e-12;

/// Rounding of a support height, and of a unit normal.
pub(super) const TIE: f64 = 4e-15;

/// Two edges whose directions differ by less than this angle (radians) count as parallel. The facet
/// they would span is thinner than the rounding of its corners, and leaving it out cannot change the depth
/// by more than this angle times the size.
pub(super) const PARALLEL: f64 = 4e-16;

/// Slack of the arc-crossing tests on the Gauss map, in products of unit vectors: face planes of hulls are
/// only this good. Letting in an extra candidate costs time, never accuracy, because every candidate is
/// judged by the true supports.
pub(super) const ARC: f64 = 1e-8;

/// Faces whose vertices leave their plane by more than this are no longer exact facets: the depth is
/// then confirmed by expansion, which knows vertices only.
pub(super) const PLANAR: f64 = 1e-14;

/// Pairs of edges above which listing all facets takes longer than expanding towards the nearest.
pub(super) const MANY_EDGE_PAIRS: usize = 20_000;

/// Vertices within this of a supporting plane belong to the feature on which witness points are chosen.
pub(super) const FEATURE: f64 = 1e-12;

/// Nearest-point steps after which a curved pair stops improving; the certificate tells what was reached.
/// Polytopes end long before, when a vertex pair repeats.
pub(super) const NEAREST_STEPS: u32 = 400;

/// Facets added by an expansion before it stops with the certificate it has.
pub(super) const EXPANSION_STEPS: u32 = 2000;
