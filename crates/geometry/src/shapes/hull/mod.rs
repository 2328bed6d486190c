//! Convex hulls: polytopes and polygons from their vertices.
//!
//! Three stages, each in its own file:
//!
//! 1. [`cloud`]: refuse what is no body (NaN, too few, coincident, collinear, coplanar), join points that
//!    are one up to rounding, and fix the tolerance below which this body has no detail;
//! 2. [`triangulate`]: the hull of the remaining points as triangles, with exact orientation tests, so that
//!    no arrangement of points can make it fail;
//! 3. [`facets`]: join coplanar triangles into polygonal faces and drop the points inside faces and edges.
//!
//! Only stage 3 has a tolerance, and its result is checked: if a face does not come out as a proper polygon,
//! it is repeated with a tenth of the tolerance.

mod cloud;
mod distinct;
mod facets;
mod planar;
mod triangulate;

pub(super) use cloud::Strictness;

use super::polytope::newell_plane;
use super::{Face, Polytope, area_vector};
use crate::tolerances::{FLATNESS, ROUNDING};
use crate::{ShapeError, Vec3};
use cloud::Cloud;
use facets::Limits;

/// How often the merging of triangles is repeated with a tenth of the tolerance.
const MERGE_ATTEMPTS: usize = 8;

impl Polytope {
    /// The convex hull of the points, with coplanar triangles joined into polygonal faces.
    ///
    /// Points inside the hull, inside a face or inside an edge are dropped; the vertices that remain **keep
    /// the order of the input**, and [`sources`](Self::sources) gives the input point of each one. Input
    /// that is already convex comes back with index `i` as vertex `i`.
    ///
    /// ```
    /// use percussion_geometry::{Vec3, shapes::Polytope};
    /// let corners: Vec<Vec3> =
    ///     (0..8).map(|k| Vec3::new((k & 1) as f64, (k >> 1 & 1) as f64, (k >> 2) as f64)).collect();
    /// let cube = Polytope::from_vertices(&corners)?;
    /// assert_eq!((cube.vertices().len(), cube.edges().len(), cube.faces().len()), (8, 12, 6));
    /// # Ok::<(), percussion_geometry::ShapeError>(())
    /// ```
    pub fn from_vertices(points: &[Vec3]) -> Result<Self, ShapeError> {
        hull(points, Strictness::Body)
    }
}

/// The hull of points, with the flatness limits of `strictness`.
pub(super) fn hull(points: &[Vec3], strictness: Strictness) -> Result<Polytope, ShapeError> {
    let cloud = Cloud::new(points, strictness)?;
    let surface = triangulate::triangulate(&cloud.points, cloud.simplex).ok_or_else(|| cloud.flat())?;
    let mut tolerance = cloud.tolerance;
    let mut failure = None;
    for _ in 0..MERGE_ATTEMPTS {
        match assemble(points, &cloud, &surface, tolerance) {
            Ok(polytope) => return Ok(polytope),
            Err(error) => failure = failure.or(Some(error)),
        }
        tolerance /= 10.0;
    }
    // The loop ran at least once, so there is a first failure to report.
    Err(failure.unwrap_or(ShapeError::NotConvex { why: "its faces could not be assembled".into() }))
}

/// Faces with the given tolerance, and the polytope on the vertices that remain.
fn assemble(
    points: &[Vec3],
    cloud: &Cloud,
    surface: &triangulate::Surface,
    tolerance: f64,
) -> Result<Polytope, ShapeError> {
    let facets = facets::facets(&cloud.points, surface, Limits { tolerance, slack: cloud.slack })
        .ok_or_else(|| ShapeError::NotConvex { why: "a face has fewer than three corners".into() })?;
    let mut used: Vec<u32> = facets.iter().flat_map(|f| &f.corners).copied().collect();
    used.sort_unstable();
    used.dedup();
    let mut position = vec![u32::MAX; cloud.points.len()];
    for (index, &point) in used.iter().enumerate() {
        position[point as usize] = index as u32;
    }
    let sources: Vec<u32> = used.iter().map(|&v| cloud.kept[v as usize]).collect();
    let vertices: Vec<Vec3> = sources.iter().map(|&s| points[s as usize]).collect();
    let size = vertices.iter().map(|v| (v - vertices[0]).norm()).fold(0.0, f64::max);
    let furthest = vertices.iter().map(|v| v.amax()).fold(0.0, f64::max);
    let slack = 0.5 * FLATNESS * size + ROUNDING * f64::EPSILON * furthest;
    let mut loops: Vec<Vec<u32>> = Vec::with_capacity(facets.len());
    let mut planes = Vec::with_capacity(facets.len());
    for facet in &facets {
        let corners: Vec<u32> = facet.corners.iter().map(|&v| position[v as usize]).collect();
        let seed = facet.seed.map(|v| points[cloud.kept[v as usize] as usize]);
        let plane = supporting_plane(&vertices, &corners, &seed, slack);
        planes.push(plane.ok_or_else(|| ShapeError::NotConvex { why: "a face is not flat".into() })?);
        loops.push(corners);
    }
    let polytope = Polytope::from_planes(vertices, &loops, &planes)?.with_sources(sources);
    if polytope.faces().iter().all(|face| turns_left(&polytope, face)) {
        return Ok(polytope);
    }
    Err(ShapeError::NotConvex { why: "a merged face has a corner that turns the wrong way".into() })
}

/// The mean plane of a face, or the plane of its largest triangle where the mean plane cuts off more than
/// `slack` of the body: on a face that is tiny against the body, the mean of nearly coplanar triangles may
/// be tilted, but the plane of each triangle of the exact hull supports it.
fn supporting_plane(vertices: &[Vec3], corners: &[u32], seed: &[Vec3; 3], slack: f64) -> Option<(Vec3, f64)> {
    let (normal, offset) = newell_plane(vertices, corners)?;
    let origin = vertices[corners[0] as usize];
    let height = offset - normal.dot(&origin);
    if vertices.iter().all(|v| normal.dot(&(v - origin)) <= height + slack) {
        return Some((normal, offset));
    }
    let [a, b, c] = seed;
    let normal = area_vector(a, b, c).try_normalize(0.0)?;
    let flat = corners.iter().all(|&v| normal.dot(&(vertices[v as usize] - a)).abs() <= slack);
    flat.then(|| (normal, normal.dot(a)))
}

/// Whether a face is strictly convex as a polygon: details just above the tolerance can spoil that.
fn turns_left(polytope: &Polytope, face: &Face) -> bool {
    let corners = polytope.face_loop(face);
    let at = |k: usize| polytope.vertices()[corners[k % corners.len()] as usize];
    (0..corners.len()).all(|k| (at(k + 1) - at(k)).cross(&(at(k + 2) - at(k + 1))).dot(&face.normal) > 0.0)
}
