//! What remains of a polytope below a plane.

use super::Polytope;
use crate::tolerances::{FLATNESS, ROUNDING};
use crate::{ShapeError, Vec3};

impl Polytope {
    /// The part of the body with `<normal, x> <= offset` (a unit normal), or `None` where nothing of it
    /// remains. Vertices nearer to the plane than the flatness tolerance count as lying on it.
    pub fn clipped(&self, normal: &Vec3, offset: f64) -> Option<Polytope> {
        let furthest = self.vertices().iter().map(|v| v.amax()).fold(offset.abs(), f64::max);
        let slack = 0.1 * FLATNESS * self.outer_radius() + ROUNDING * f64::EPSILON * furthest;
        let heights: Vec<f64> = self.vertices().iter().map(|v| normal.dot(v) - offset).collect();
        if heights.iter().all(|&h| h <= slack) {
            return Some(self.clone());
        }
        if heights.iter().all(|&h| h >= -slack) {
            return None;
        }
        let below = self.vertices().iter().zip(&heights).filter(|(_, h)| **h <= slack);
        let mut points: Vec<Vec3> = below.map(|(v, _)| *v).collect();
        for edge in self.edges() {
            let [mut a, mut b] = edge.vertices.map(|v| v as usize);
            if heights[a] > heights[b] {
                std::mem::swap(&mut a, &mut b);
            }
            if heights[a] < -slack && heights[b] > slack {
                let fraction = heights[a] / (heights[a] - heights[b]);
                let (from, to) = (self.vertices()[a], self.vertices()[b]);
                points.push(from + (to - from) * fraction);
            }
        }
        Polytope::from_vertices(&points).ok().map(|p| {
            let sources = (0..p.vertices().len() as u32).collect();
            p.with_sources(sources)
        })
    }

    /// The convex hull of two bodies.
    pub fn joined(&self, other: &Polytope) -> Result<Polytope, ShapeError> {
        Polytope::from_vertices(&[self.vertices(), other.vertices()].concat())
    }
}
