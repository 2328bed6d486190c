//! A convex polygon, the shape of a planar body.

use super::Feature;
use super::check_finite;
use super::convex::furthest_of;
use crate::{ShapeError, Vec2};

/// A convex polygon in its body frame, vertices counter-clockwise; edge `k` runs from vertex `k` to
/// vertex `k + 1`.
#[derive(Clone, Debug, PartialEq)]
pub struct Polygon {
    vertices: Vec<Vec2>,
    /// Outward unit normals and offsets of the edges.
    edges: Vec<(Vec2, f64)>,
    /// Vertices relative to the reference point.
    relative: Vec<[f64; 2]>,
    /// The input point that each vertex was.
    sources: Vec<u32>,
    reference: Vec2,
    inner_radius: f64,
    outer_radius: f64,
}

impl Polygon {
    /// Builds from vertices that already are in strictly convex counter-clockwise order.
    pub fn from_loop(vertices: Vec<Vec2>) -> Result<Self, ShapeError> {
        check_finite("vertex", &vertices)?;
        if vertices.len() < 3 {
            return Err(ShapeError::TooFewPoints { given: vertices.len(), needed: 3 });
        }
        let count = vertices.len();
        let mut edges = Vec::with_capacity(count);
        for k in 0..count {
            let side = vertices[(k + 1) % count] - vertices[k];
            let normal =
                Vec2::new(side.y, -side.x).try_normalize(0.0).filter(|n| n.iter().all(|c| c.is_finite()));
            let Some(normal) = normal else {
                return Err(ShapeError::NotConvex {
                    why: format!("vertices {k} and {} coincide", (k + 1) % count),
                });
            };
            edges.push((normal, normal.dot(&vertices[k])));
            let next = vertices[(k + 2) % count] - vertices[(k + 1) % count];
            let turn = side.perp(&next);
            if turn.is_nan() || turn <= 0.0 {
                let why =
                    format!("vertex {} is not a strictly convex counter-clockwise corner", (k + 1) % count);
                return Err(ShapeError::NotConvex { why });
            }
        }
        let mut polygon = Self {
            relative: Vec::new(),
            sources: (0..count as u32).collect(),
            vertices,
            edges,
            reference: Vec2::zeros(),
            inner_radius: 0.0,
            outer_radius: 0.0,
        };
        let centroid = polygon.area_and_centroid().1;
        polygon.place_reference(centroid);
        if polygon.inner_radius.is_nan() || polygon.inner_radius <= 0.0 {
            return Err(ShapeError::NotConvex { why: "the loop winds around more than once".into() });
        }
        Ok(polygon)
    }

    /// Moves the reference point; it must lie inside.
    pub fn with_reference(mut self, reference: Vec2) -> Result<Self, ShapeError> {
        self.place_reference(reference);
        if self.inner_radius > 0.0 {
            return Ok(self);
        }
        Err(ShapeError::OutOfRange {
            what: "depth of the reference point below the boundary",
            value: self.inner_radius,
            must: "positive: the reference point has to lie inside the polygon",
        })
    }

    fn place_reference(&mut self, reference: Vec2) {
        self.reference = reference;
        self.relative = self.vertices.iter().map(|v| [v.x - reference.x, v.y - reference.y]).collect();
        self.inner_radius =
            self.edges.iter().map(|(n, o)| o - n.dot(&reference)).fold(f64::INFINITY, f64::min);
        self.outer_radius = self.vertices.iter().map(|v| (v - reference).norm()).fold(0.0, f64::max);
    }

    /// Area and centroid by the shoelace sums about the first vertex.
    pub fn area_and_centroid(&self) -> (f64, Vec2) {
        let origin = self.vertices[0];
        let (mut area, mut moment) = (0.0, Vec2::zeros());
        for pair in self.vertices[1..].windows(2) {
            let (a, b) = (pair[0] - origin, pair[1] - origin);
            let twice = a.perp(&b);
            area += twice / 2.0;
            moment += twice / 6.0 * (a + b);
        }
        (area, origin + moment / area)
    }

    /// The vertices, counter-clockwise.
    pub fn vertices(&self) -> &[Vec2] {
        &self.vertices
    }

    /// Index of a vertex furthest along `direction` (body frame).
    pub fn support_index(&self, direction: &Vec2) -> usize {
        furthest_of(&self.vertices, direction)
    }

    /// Outward unit normal and offset of edge `k`.
    pub fn edge(&self, k: usize) -> (Vec2, f64) {
        self.edges[k]
    }

    /// For each vertex the index of the input point it was.
    pub fn sources(&self) -> &[u32] {
        &self.sources
    }

    /// Records which input point each vertex was.
    pub(super) fn with_sources(mut self, sources: Vec<u32>) -> Self {
        self.sources = sources;
        self
    }

    /// The feature that holds all the given vertices: a vertex, or the edge between two neighbours. `None`
    /// for no vertices, for vertices that share no edge, and for indices that do not exist.
    pub fn feature(&self, active: &[u32]) -> Option<Feature> {
        let count = self.vertices.len() as u32;
        let &first = active.first()?;
        if active.iter().any(|&v| v >= count) {
            return None;
        }
        let Some(&second) = active.iter().find(|&&v| v != first) else {
            return Some(Feature::Vertex(first));
        };
        if active.iter().any(|&v| v != first && v != second) {
            return None;
        }
        if (first + 1) % count == second {
            Some(Feature::Edge(first))
        } else if (second + 1) % count == first {
            Some(Feature::Edge(second))
        } else {
            None
        }
    }

    /// Vertices relative to the reference point.
    #[inline(always)]
    pub fn relative(&self) -> &[[f64; 2]] {
        &self.relative
    }

    /// The reference point, body frame.
    #[inline(always)]
    pub fn reference(&self) -> Vec2 {
        self.reference
    }

    /// Radius of a disc about the reference point inside the polygon.
    #[inline(always)]
    pub fn inner_radius(&self) -> f64 {
        self.inner_radius
    }

    /// Radius of the disc about the reference point that holds the polygon.
    #[inline(always)]
    pub fn outer_radius(&self) -> f64 {
        self.outer_radius
    }
}
