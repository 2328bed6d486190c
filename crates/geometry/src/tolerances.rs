//! Every tolerance of this crate, with its unit and its reason. All lengths are multiples of a size, so
//! that a centimetre satellite and a hundred-metre station behave alike.

/// Relative height at which a support point no longer improves the portal (multiple of the pair's size,
/// the sum of the two outer radii). About 45 units in the last place: below it, pivots follow rounding.
pub const PORTAL: f64 = 1e-14;

/// Relative height at which a query that involves a curved shape has converged. Curved shapes approach
/// their optimum gradually; the certificate of the result reports what was reached.
pub const CURVED: f64 = 1e-13;

/// A solution whose certificate gap (relative to size) exceeds this is solved again with a turned ray.
pub const CERTIFICATE: f64 = 1e-12;

/// Barycentric weights above minus this count as inside: rounding of a ratio of areas.
pub const WEIGHT: f64 = 1e-11;

/// Bodies count as beyond the prediction distance when they exceed it by this multiple of the pair's size and of the
/// distance itself: the rounding of a height. Without it touching bodies could count as beyond at prediction zero.
pub const BORDER: f64 = 1e-15;

/// Reference points closer than this multiple of the pair's size count as coincident: the direction
/// between them is then rounding, and the caller's or a fixed direction is used.
pub const COINCIDENT: f64 = 1e-15;

/// Vertices within this multiple of the pair's size of a supporting plane are active on it: a hundred
/// times the rounding of a support value, a thousandth of a distance that users call touching.
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

/// The separation kernel (`separation`). Multiples of the size of the pair, the sum of the outer radii, unless said otherwise.
pub(crate) mod kernel {
    /// Squared sine of the angle below which a corner of a portal counts as sharp: about six degrees, where a cross product
    /// loses one digit.
    pub(crate) const SLIVER: f64 = 1e-2;

    /// How far, in units of the size, a line may be off a side of a portal and count as on it.
    pub(crate) const SIDE: f64 = 1e-16;

    /// Twice an area, in units of the squared size, below which a line may be on a side: 16 units in the last place of a
    /// product of two points.
    pub(crate) const TIE: f64 = 4e-15;

    /// Rounding of a height in units of the normal's length and the size.
    pub(crate) const HEIGHT: f64 = 4e-16;

    /// A weight this little below zero is rounding: the confirmed portal is kept and the weight set to zero.
    pub(crate) const WARM_WEIGHT: f64 = 1e-14;

    /// Steps lead only to portals that are confirmed with full accuracy: the sines of the corner's angle and of the
    /// angle at which the ray pierces them are at least about this.
    pub(crate) const SHARPEST: f64 = 0.1;

    /// How far, in units of the size, weights may miss the line by the rounding of the coordinates alone.
    pub(crate) const SIDEWAYS: f64 = 4e-16;

    /// Points this far sideways of the line (multiple of the pair's size) lie on it: the rounding of a coordinate.
    pub(crate) const ON_LINE: f64 = 4e-16;

    /// Heights of supporting lines that differ by less (multiple of the pair's size, per unit of slope) are one: near the
    /// optimum they differ by the square of the angle, and the lowest is the one whose rounding helped it most.
    pub(crate) const SAME_HEIGHT: f64 = 2e-15;
}

/// Degenerate contacts (`separation::resolve`, `separation::subdifferential`). The tolerance of a contact is [`ACTIVE`]
/// times the size of the pair, in metres.
pub(crate) mod resolve {
    /// Weights above this are comfortably inside: no other facet can be near. Contacts with smaller ones are analysed.
    pub(crate) const INTERIOR_WEIGHT: f64 = 1e-4;

    /// Planes whose normal is this close to orthogonal to β say nothing about `s`: `α = n/<n,β>` would be noise.
    pub(crate) const GRAZING: f64 = 1e-9;

    /// Slack of a vertex that counts as lying on a plane, in units of the contact's tolerance: the contact point
    /// and the vertex may each be off by one.
    pub(crate) const ON: f64 = 2.0;

    /// A basis vertex matters if leaving it out would move the contact point by more than this many tolerances.
    pub(crate) const SIGNIFICANT: f64 = 4.0;

    /// Directions closer than this (relative to their length) are one: two faces that coincide up to the tolerance
    /// of the contact differ by less.
    pub(crate) const SAME_DIRECTION: f64 = 1e-9;

    /// Extent, in tolerances, below which active vertices do not spread in a direction: two points on a plane may
    /// lie on both sides of it.
    pub(crate) const SPREAD: f64 = 8.0;

    /// Corners of the region closer than this many tolerances are one.
    pub(crate) const SAME_CORNER: f64 = 4.0;

    /// The sums may miss by this (relative to the extent of the face): some roundings of weights of order one.
    pub(crate) const ROUNDING: f64 = 4.0 * f64::EPSILON;

    /// Weights below this are rounding of the solvers, and zero.
    pub(crate) const NO_WEIGHT: f64 = 1e-14;

    /// Coordinates below this multiple of the largest are rounding: differences of a handful of products.
    pub(crate) const NOISE: f64 = 1e-15;

    /// Basic weights down to minus this belong to a vertex of the polytope.
    pub(crate) const BASIC: f64 = 1e-10;

    /// A new corner must come nearer by this multiple of the set's size.
    pub(crate) const IMPROVEMENT: f64 = 1e-14;
}

/// Contact events (`events`).
pub(crate) mod events {
    /// How much higher than the band is deep points of an edge may be that still count as low: normals of events may be steeper
    /// than that of the pair.
    pub const SPARE: f64 = 1.5;
    /// Points of equal bodies closer than this multiple of the smaller body's radius are one point: a thousand
    /// times below anything a user calls distinct, a million times above rounding.
    pub(crate) const RESOLUTION: f64 = 1e-9;

    /// Rounding of a placed point is relative to the larger body: this multiple of it is never resolved.
    pub(crate) const ROUNDING: f64 = 1e-13;

    /// Slopes of exactly admissible normals are rounding errors below this sine. Normals of edge pairs are
    /// accurate to `1e-16/PARALLEL` only.
    pub(crate) const EXACT_TILT: f64 = 1e-8;

    /// Normals closer than this (as a cosine) to perpendicular to β do not separate along it.
    pub(crate) const GRAZING: f64 = 1e-9;

    /// Edges whose directions differ by a sine below this count as parallel: their common normal would keep
    /// fewer than ten digits, and the corners at their ends carry the contact.
    pub(crate) const PARALLEL: f64 = 1e-6;

    /// Distance of a crossing of two rims from a rim, relative to its squared radius, that is rounding.
    pub(crate) const ON_RIM: f64 = 1e-13;

    /// Distance of the centres of two rims, relative to the radius, that has no direction.
    pub(crate) const ON_AXIS: f64 = 1e-9;

    /// Sine of the angle below which two rims that cross are nearly tangent: points between their crossings hold them.
    pub(crate) const RIMS_PARALLEL: f64 = 1e-2;

    /// Rounding of the values by which events that are far off are rejected early, relative to the bodies: what a normal of nearly
    /// parallel edges loses, and more.
    pub(crate) const FAR_ROUNDING: f64 = 1e-8;

    /// Faces whose outward normals add up to less than this lie on one another: ten thousand times the rounding of
    /// a turned normal.
    pub(crate) const FACING: f64 = 1e-11;
}

/// Hulls, half-spaces, decomposition and swept bounds (`shapes`, `bounds`).
pub(crate) mod shapes {
    /// Overlaps shallower than this multiple of the smaller body's size are left: they are touching faces.
    pub(crate) const TOUCHING: f64 = 1e-9;

    /// Coordinates below this multiple of the largest are set to zero in the working copy: their products
    /// would underflow and spoil the exactness of the orientation test. Far below any rounding.
    pub(crate) const FLUSH: f64 = 1e-60;

    /// Coordinates below this multiple of the largest would underflow in the exact test.
    pub(crate) const PLANAR_FLUSH: f64 = 1e-100;

    /// Violations below this multiple of the terms of a constraint are rounding.
    pub(crate) const FEASIBLE: f64 = 1e-14;

    /// Entries of a pivot column below this (normals are of unit size) are rounding.
    pub(crate) const PIVOT: f64 = 1e-11;

    /// A component of a direction of escape beyond this makes a body unbounded: faces as parallel as
    /// [`DEGENERATE`](crate::tolerances::DEGENERATE) count as parallel.
    pub(crate) const RECESSION: f64 = 1e-9;

    /// Turns that miss half a turn by less than this (radians) are bounded both ways round: which way is shorter
    /// was decided by rounding.
    pub(crate) const HALF_TURN: f64 = 1e-7;
}

/// Euclidean queries (`euclid`). Lengths are multiples of the *scale* of the pair: the sum of the outer radii or the distance of
/// the reference points, whichever is larger, because the coordinates of a difference `x - y` are rounded to it.
pub(crate) mod euclid {
    /// Rounding of the length of a difference of points.
    pub(crate) const ROUNDING: f64 = 2.0 * f64::EPSILON;

    /// Weight below zero at which a corner that came in still counts as inside: rounding of a ratio of areas.
    pub(crate) const ENTERING: f64 = 1e-14;

    /// Pivots in a row that may leave both bounds where they are. Two nearly parallel faces of many sides are
    /// walked around with such pivots.
    pub(crate) const STALL_LIMIT: u32 = 40;

    /// Steps that may improve witness points after the bounds have met.
    pub(crate) const REFINE_STEPS: u32 = 10;

    /// Bodies closer than this go to the depth search, which does not need a direction from the
    /// (by then meaningless) difference of two nearly equal points. About 450 units in the last place.
    pub(crate) const TOUCHING: f64 = 1e-13;

    /// A nearest pair whose bounds are further apart than this after the search has ended is solved again
    /// by the depth search.
    pub(crate) const RETRY: f64 = 1e-12;

    /// Rounding of a support height, and of a unit normal.
    pub(crate) const TIE: f64 = 4e-15;

    /// Two edges whose directions differ by less than this angle (radians) count as parallel. The facet
    /// they would span is thinner than the rounding of its corners, and leaving it out cannot change the depth
    /// by more than this angle times the size.
    pub(crate) const PARALLEL: f64 = 4e-16;

    /// Slack of the arc-crossing tests on the Gauss map, in products of unit vectors: face planes of hulls are
    /// only this good. Letting in an extra candidate costs time, never accuracy, because every candidate is
    /// evaluated by the true supports.
    pub(crate) const ARC: f64 = 1e-8;

    /// Faces whose vertices leave their plane by more than this are no longer exact facets: the depth is
    /// then confirmed by expansion, which uses vertices only.
    pub(crate) const PLANAR: f64 = 1e-14;

    /// Pairs of edges above which listing all facets takes longer than expanding towards the nearest.
    pub(crate) const MANY_EDGE_PAIRS: usize = 20_000;

    /// Vertices within this of a supporting plane belong to the feature on which witness points are chosen.
    pub(crate) const FEATURE: f64 = 1e-12;

    /// Nearest-point steps after which a curved pair stops improving; the certificate has the accuracy reached.
    /// Polytopes end long before, when a vertex pair repeats.
    pub(crate) const NEAREST_STEPS: u32 = 400;

    /// Facets added by an expansion before it stops with the certificate it has.
    pub(crate) const EXPANSION_STEPS: u32 = 2000;
}

pub(crate) mod separation {
    pub(crate) mod general {
        /// Interior points hold every line that passes the origin within this multiple of the inner radius: the inscribed
        /// circle of their projected triangle has radius 0.25 of it.
        pub const INTERIOR_REACH: f64 = 0.2;
    }

    pub(crate) mod planar_curved {
        /// Newton's method goes on as long as it brings the line this many times nearer.
        pub const PROGRESS: f64 = 4.0;
    }
}
