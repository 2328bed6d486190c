//! A contact seen from its own contact point: where the vertices lie, and which planes support both bodies.
//!
//! All points are differences from the contact point of their body, in world axes. There `p1 - p2 = s β` becomes
//! "both bodies hold the origin", and neither a large distance between the bodies nor a large distance from
//! the world's origin costs a digit: the contact points are made from the weights, never from coordinates.

use crate::tolerances::resolve::{GRAZING, ON, SIGNIFICANT};
use crate::{Vec3, tolerances};
use nalgebra::SVector;

/// A vector of the plane or of space in space: planar contacts lie in z = 0.
pub(super) fn to_space<const D: usize>(v: &SVector<f64, D>) -> Vec3 {
    Vec3::from_fn(|k, _| if k < D { v[k] } else { 0.0 })
}

/// The first components of a vector of space.
pub(in crate::separation) fn to_dimension<const D: usize>(v: &Vec3) -> SVector<f64, D> {
    SVector::from_fn(|k, _| v[k])
}

/// Support point of a curved body along a direction, seen from its contact point.
pub(super) type Support<'a> = Box<dyn Fn(&Vec3) -> Vec3 + 'a>;

/// One body at its contact point.
pub(super) struct Side<'a> {
    /// All vertices; the contact point itself for a curved body; nothing for a half-space.
    pub points: Vec<Vec3>,
    /// Vertices that carry the contact in the answer, with their weights.
    pub weighted: Vec<(u32, f64)>,
    /// How far a curved body reaches.
    pub curve: Option<Support<'a>>,
}

impl<'a> Side<'a> {
    /// A body with vertices (world axes, any origin) and the weights that make its contact point.
    pub fn of_vertices(vertices: impl Iterator<Item = Vec3>, weighted: Vec<(u32, f64)>) -> Self {
        let mut points: Vec<Vec3> = vertices.collect();
        let contact = weighted.iter().fold(Vec3::zeros(), |sum, &(k, w)| sum + w * points[k as usize]);
        points.iter_mut().for_each(|p| *p -= contact);
        Self { points, weighted, curve: None }
    }

    /// A curved body: one point carries everything.
    pub fn of_curve(support: Support<'a>) -> Self {
        Self { points: vec![Vec3::zeros()], weighted: vec![(0, 1.0)], curve: Some(support) }
    }

    /// A half-space: the plane holds the origin and extends for ever.
    pub fn of_plane() -> Self {
        Self { points: Vec::new(), weighted: Vec::new(), curve: None }
    }

    /// Least height over the plane through the contact point across the inward unit normal `n`.
    fn lowest(&self, n: &Vec3) -> f64 {
        let flat = self.points.iter().map(|p| n.dot(p)).fold(f64::INFINITY, f64::min);
        match &self.curve {
            Some(support) => flat.min(n.dot(&support(&-n))),
            None => flat,
        }
    }
}

/// Two bodies at their common contact.
pub(super) struct Contact<'a> {
    /// Body a, then body b.
    pub sides: [Side<'a>; 2],
    /// Unit direction of the query, from b to a.
    pub beta: Vec3,
    /// Distance within which points lie on a plane (metres).
    pub tolerance: f64,
    /// Two or three. Planar contacts lie in z = 0.
    pub dimension: usize,
    /// One body is a half-space, along which the other's contact point may slide.
    pub has_half_space: bool,
}

impl<'a> Contact<'a> {
    /// `size` is the sum of the outer radii of the bounded bodies, `gap` the width of the answer's certificate.
    pub fn new(sides: [Side<'a>; 2], beta: Vec3, size: f64, gap: f64, dimension: usize) -> Self {
        let has_half_space = sides.iter().any(|s| s.points.is_empty());
        let gap = if gap.is_finite() { gap.max(0.0) } else { 0.0 };
        Self { sides, beta, tolerance: tolerances::ACTIVE * size + gap, dimension, has_half_space }
    }

    /// Inward unit normals of the two sides for the direction `n` from b to a.
    fn inward(n: &Vec3) -> [Vec3; 2] {
        [*n, -n]
    }

    /// Height of the lowest point of both bodies, each over its side of the plane across the unit vector
    /// `n` from b to a: zero for an optimal direction, negative for all others.
    pub fn support(&self, n: &Vec3) -> f64 {
        let inward = Self::inward(n);
        self.sides[0].lowest(&inward[0]).min(self.sides[1].lowest(&inward[1]))
    }

    /// Whether the plane across the unit vector `n` supports both bodies and holds every vertex that carries
    /// the contact: then `n/<n,β>` is optimal.
    pub fn admits(&self, n: &Vec3) -> bool {
        let carried = self.sides.iter().zip(Self::inward(n)).all(|(side, n)| {
            side.weighted.iter().all(|&(k, w)| {
                let point = &side.points[k as usize];
                w * point.norm() <= SIGNIFICANT * self.tolerance || n.dot(point) <= ON * self.tolerance
            })
        });
        n.dot(&self.beta) > GRAZING && carried && self.support(n) >= -self.tolerance
    }

    /// Vertices on the plane across the unit vector `n`.
    pub fn on_plane(&self, n: &Vec3) -> [Vec<u32>; 2] {
        let inward = Self::inward(n);
        [0, 1].map(|k| {
            let points = self.sides[k].points.iter().enumerate();
            points
                .filter(|(_, p)| inward[k].dot(p).abs() <= ON * self.tolerance)
                .map(|(i, _)| i as u32)
                .collect()
        })
    }
}
