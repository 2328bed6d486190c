//! Every tolerance of this crate, with its unit and its reason. All lengths are multiples of a size, so
//! that a centimetre satellite and a hundred-metre station behave alike.

/// Relative height at which a support point no longer improves the portal (multiple of the pair's size,
/// the sum of the two outer radii). About 45 units in the last place: below it, pivots chase rounding.
pub const PORTAL: f64 = 1e-14;

/// Relative height at which a query that involves a curved shape has converged. Curved shapes approach
/// their optimum gradually; the certificate of the result reports what was reached.
pub const CURVED: f64 = 1e-13;

/// A solution whose certificate gap (relative to size) exceeds this is solved again with a turned ray.
pub const CERTIFICATE: f64 = 1e-12;

/// Barycentric weights above minus this count as inside: rounding of a ratio of areas.
pub const WEIGHT: f64 = 1e-11;

/// Bodies count as beyond the prediction distance when they exceed it by this multiple of the pair's size and of the
/// distance itself: the rounding of a height. Without it bodies in touch could be waved through at prediction zero.
pub const BORDER: f64 = 1e-15;

/// Reference points closer than this multiple of the pair's size count as coincident: the direction
/// between them is then rounding, and the caller's or a fixed direction is used.
pub const COINCIDENT: f64 = 1e-15;

/// Vertices within this multiple of the pair's size of a supporting plane are active on it: a hundred
/// times the rounding of a support value, a thousandth of what any user calls touching.
pub const ACTIVE: f64 = 1e-11;

/// Hull facets whose planes agree to this multiple of the body's size are one face.
pub const FLATNESS: f64 = 1e-9;

/// A body whose extent in some direction is below this multiple of its largest extent is flat.
pub const DEGENERATE: f64 = 1e-10;

/// Multiple of the unit roundoff of the largest coordinate below which distances between input points are
/// rounding: a body far from the origin cannot be flatter than its own coordinates resolve.
pub const ROUNDING: f64 = 16.0;

/// No two facets merge, and no two points are one, across more than this multiple of the body's least
/// width: needles and flakes keep details that are small against their length.
pub const DETAIL: f64 = 1e-6;

/// Bodies that overlap sideways of a prescribed direction by less than this multiple of the pair's size pass each
/// other: their separation along it would change by their size within that overlap.
pub const GRAZING: f64 = 1e-6;

/// Sizes and distances beyond this (metres), or sizes below its inverse, are refused: products of four of them
/// would leave the range of the numbers.
pub const LARGEST: f64 = 1e70;

/// The prediction distance beyond which rounding cannot reach, for a pair of the given size.
pub(crate) fn border(prediction: f64, size: f64) -> f64 {
    prediction + BORDER * (prediction.abs() + size)
}
