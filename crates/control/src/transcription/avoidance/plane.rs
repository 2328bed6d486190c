//! Separating planes as unknowns.
//!
//! Two convex parts are disjoint if and only if a plane separates them. The separation is the best of all planes and is not smooth where that
//! one changes; with the plane among the unknowns all constraints are smooth:
//!
//! ```text
//! unknown      n on the sphere, c                     step along its tangents: n cos|θ| + T θ sin|θ|/|θ|
//! first part   n·(x - o) - c ≥ r + least/2            every vertex x, r its radius, o a fixed point
//! second part  c - n·(y - o) ≥ r + least/2
//! ```
//!
//! A plane separates over an interval: both nodes stay on their sides, and all that lies between them on a straight way. Rotations deviate from
//! that way by the square of their angle; the deviation is measured after a solution and added to `least`.

use super::Hull;
use percussion_geometry::{Pose, Vec3};
use percussion_mechanics::State;
use percussion_mechanics::contact::ContactGeometry;
use percussion_solve::nlp::ChartBlock;

/// A separating plane: where its search begins, and the two hulls.
#[derive(Clone, Debug, PartialEq)]
pub struct SeparatingPlane {
    /// Unit normal from the second part to the first.
    pub(crate) normal: Vec3,
    /// The origin `o` of heights.
    pub(crate) anchor: Vec3,
    /// The height `c`.
    pub(crate) height: f64,
    pub(super) hulls: [Hull; 2],
    /// The direction across the plane in which planar parts move.
    across: Option<Vec3>,
}

impl SeparatingPlane {
    /// The one of some normals with the greatest margin in all of some states; `None` if a part has no core of vertices.
    pub fn best(
        contacts: &ContactGeometry,
        pair: (usize, usize),
        normals: &[Vec3],
        states: &[&State],
    ) -> Option<Self> {
        let parts = [&contacts.parts[pair.0], &contacts.parts[pair.1]];
        let hulls = [Hull::of(parts[0])?, Hull::of(parts[1])?];
        let poses: Vec<[Pose; 2]> =
            states.iter().map(|state| parts.map(|part| part.body_pose(state))).collect();
        let first = poses.first()?;
        let anchor = (first[0].point(&parts[0].reference) + first[1].point(&parts[1].reference)) * 0.5;
        let across = parts[0].shape.is_planar().then(|| {
            let normal = first[0].direction(&parts[0].offset.direction(&Vec3::z()));
            normal.normalize()
        });
        let span = |n: &Vec3| {
            let above = poses.iter().map(|p| hulls[0].min_height(&p[0], n, &anchor));
            let below = poses.iter().map(|p| -hulls[1].min_height(&p[1], &-n, &anchor));
            (below.fold(f64::NEG_INFINITY, f64::max), above.fold(f64::INFINITY, f64::min))
        };
        let best = normals.iter().max_by(|m, n| {
            let margin = |n: &Vec3| span(n).1 - span(n).0;
            margin(m).total_cmp(&margin(n))
        })?;
        let (below, above) = span(best);
        Some(Self { normal: *best, anchor, height: 0.5 * (below + above), hulls, across })
    }

    /// Number of its rotations.
    pub fn rotations(&self) -> usize {
        if self.across.is_some() { 1 } else { 2 }
    }

    /// Number of its rows at a node.
    pub fn rows(&self) -> usize {
        self.hulls.iter().map(|hull| hull.vertices.len()).sum()
    }

    /// Directions in which a normal rotates.
    pub(super) fn tangents(&self, n: &Vec3) -> [Vec3; 2] {
        match &self.across {
            Some(across) => [across.cross(n), Vec3::zeros()],
            None => {
                // The axis that is least along the normal.
                let axis = Vec3::ith(n.map(f64::abs).imin(), 1.0);
                let first = n.cross(&axis).normalize();
                [first, n.cross(&first)]
            }
        }
    }

    /// A step along the tangents of a normal.
    fn along(&self, n: &Vec3, step: &[f64]) -> Vec3 {
        step.iter().zip(&self.tangents(n)).map(|(d, t)| t * *d).sum()
    }

    /// A normal rotated by a step along its tangents.
    pub fn rotated(&self, n: &Vec3, step: &[f64]) -> Vec3 {
        let along = self.along(n, step);
        let angle = along.norm();
        let ratio = if angle > 0.0 { angle.sin() / angle } else { 1.0 };
        (n * angle.cos() + along * ratio).normalize()
    }

    /// The derivative of a rotated normal, along its own tangents, by the step to it.
    pub fn chart(&self, n: &Vec3, first: usize, step: &[f64]) -> ChartBlock {
        let tangents = self.tangents(n);
        let there = self.tangents(&self.rotated(n, step));
        let along = self.along(n, step);
        let angle = along.norm();
        let size = self.rotations();
        let mut entries = Vec::new();
        for (j, tangent) in tangents.iter().enumerate().take(size) {
            let change = match angle > 1e-9 {
                false => *tangent,
                true => {
                    let (sin, cos) = angle.sin_cos();
                    let curvature = (angle * cos - sin) / (angle * angle * angle);
                    tangent * (sin / angle) + along * (curvature * step[j]) - n * (sin / angle * step[j])
                }
            };
            entries.extend(there.iter().take(size).map(|t| t.dot(&change)));
        }
        ChartBlock { first, entries, size }
    }
}
