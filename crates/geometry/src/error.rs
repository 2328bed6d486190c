//! Errors in the construction of shapes, each with its remedy.

/// A shape that cannot be built. Every message names the offending part and the remedy.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum ShapeError {
    /// A coordinate or parameter is NaN or infinite.
    #[error("{what} {index} is not finite: {value}; every coordinate must be a finite number")]
    NotFinite {
        /// The kind of thing, for example `vertex`.
        what: &'static str,
        /// Its position in the input, from zero.
        index: usize,
        /// The value as written.
        value: String,
    },
    /// A length or count outside its range.
    #[error("{what} is {value}, but must be {must}")]
    OutOfRange {
        /// The parameter's name.
        what: &'static str,
        /// The value given.
        value: f64,
        /// The range in words.
        must: &'static str,
    },
    /// Fewer points than a body of that dimension needs.
    #[error("{given} distinct points given, but a convex body needs at least {needed}; add vertices")]
    TooFewPoints {
        /// Distinct points in the input.
        given: usize,
        /// The least number.
        needed: usize,
    },
    /// All points in a plane, on a line or in one place.
    #[error(
        "the {count} points {lie}: the body has no {measure} (extent {thickness:e} m across, {size:e} m along); \
         give it thickness or use a planar body"
    )]
    Flat {
        /// Number of points.
        count: usize,
        /// `lie in a plane`, `lie on a line`, `coincide`.
        lie: &'static str,
        /// `volume` or `area`.
        measure: &'static str,
        /// Extent across the flat direction.
        thickness: f64,
        /// Largest extent.
        size: f64,
    },
    /// Half-spaces that do not bound a body.
    #[error(
        "the {count} half-spaces leave the body unbounded along {direction:?}; add a face that closes it"
    )]
    Unbounded {
        /// Number of half-spaces.
        count: usize,
        /// A direction in which the body never ends.
        direction: Vec<f64>,
    },
    /// Half-spaces with no common interior point.
    #[error("the {count} half-spaces have no common interior point (deepest inscribed radius {radius:e} m)")]
    Empty {
        /// Number of half-spaces.
        count: usize,
        /// Radius of the largest inscribed ball, not positive.
        radius: f64,
    },
    /// A compound without parts.
    #[error("a compound needs at least one part; this one has none")]
    EmptyCompound,
    /// A triangle mesh with fewer faces than a tetrahedron.
    #[error(
        "the mesh has {given} triangle(s), but a closed surface has at least 4: it is open; add the missing triangles"
    )]
    TooFewTriangles {
        /// Triangles in the input, those that shrink to an edge or a point not counted.
        given: usize,
    },
    /// A triangle mesh that does not enclose a volume.
    #[error(
        "the mesh is open: edge {from}-{to} belongs to {faces} triangle(s) instead of two; close the hole or \
         remove the extra face"
    )]
    OpenMesh {
        /// First vertex of the edge.
        from: usize,
        /// Second vertex of the edge.
        to: usize,
        /// How many triangles share it.
        faces: usize,
    },
    /// Two neighbouring triangles that disagree about which side is outside.
    #[error(
        "the mesh is not consistently oriented: the two triangles at edge {from}-{to} walk it in the same sense; \
         reverse the order of one of them"
    )]
    MixedOrientation {
        /// First vertex of the edge.
        from: usize,
        /// Second vertex of the edge.
        to: usize,
    },
    /// A triangle that refers to a vertex that does not exist, or repeats one.
    #[error("triangle {triangle} is not usable: {why}")]
    BadTriangle {
        /// Its index.
        triangle: usize,
        /// The reason.
        why: String,
    },
    /// A mesh that encloses a negative volume.
    #[error(
        "the mesh encloses the volume {volume:e} m3: its triangles must be ordered counter-clockwise seen from outside"
    )]
    InsideOut {
        /// The signed volume.
        volume: f64,
    },
    /// Faces given as loops do not form a closed convex surface.
    #[error("the faces do not form a convex body: {why}")]
    NotConvex {
        /// The reason.
        why: String,
    },
}
