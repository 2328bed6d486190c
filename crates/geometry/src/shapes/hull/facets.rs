//! Coplanar triangles of a hull joined into polygonal faces.
//!
//! Faces grow from the largest triangle outwards. A neighbour joins when all corners of the face and of the
//! neighbour stay within the tolerance of their common mean plane (area-weighted, so that slivers with a
//! meaningless normal do not tilt it) and when the face stays a disc. The disc test is local: a triangle may
//! join along one side if its third corner is new, or along two sides. Partial shellings of a triangulated
//! disc always extend, so a flat face is never left with a hole.

use super::triangulate::Surface;
use crate::Vec3;
use crate::shapes::area_vector;

const NONE: u32 = u32::MAX;

/// A polygonal face of the hull.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Facet {
    /// Its corners, counter-clockwise seen from outside, starting at the smallest index.
    pub corners: Vec<u32>,
    /// Its largest triangle.
    pub seed: [u32; 3],
}

/// What counts as flat.
#[derive(Clone, Copy)]
pub(super) struct Limits {
    /// Greatest distance of a face's corners from its plane.
    pub tolerance: f64,
    /// Greatest distance by which the body may stick out of the plane of a face.
    pub slack: f64,
}

/// Faces, sorted, over the vertices that are corners of at least three faces. `None` if some face has fewer
/// than three corners.
pub(super) fn facets(points: &[Vec3], surface: &Surface, limits: Limits) -> Option<Vec<Facet>> {
    let (face_of, seeds) = grow(points, surface, limits);
    let count = seeds.len();
    let mut sides: Vec<Vec<(u32, u32)>> = vec![Vec::new(); count];
    for (t, corners) in surface.triangles.iter().enumerate() {
        for k in 0..3 {
            if face_of[surface.across[t][k] as usize] != face_of[t] {
                sides[face_of[t] as usize].push((corners[k], corners[(k + 1) % 3]));
            }
        }
    }
    let mut meetings = vec![0u32; points.len()];
    for &(from, _) in sides.iter().flatten() {
        meetings[from as usize] += 1;
    }
    let mut next = vec![NONE; points.len()];
    let mut found = Vec::with_capacity(count);
    for (rim, &seed) in sides.iter().zip(&seeds) {
        for &(from, to) in rim {
            next[from as usize] = to;
        }
        let corners = rim.iter().map(|&(from, _)| from).filter(|&v| meetings[v as usize] >= 3);
        let start = corners.min()?;
        let mut face = Vec::with_capacity(rim.len());
        let mut vertex = start;
        for _ in 0..rim.len() {
            if meetings[vertex as usize] >= 3 {
                face.push(vertex);
            }
            vertex = next[vertex as usize];
        }
        if face.len() < 3 || vertex != start {
            return None;
        }
        found.push(Facet { corners: face, seed: surface.triangles[seed as usize] });
    }
    found.sort();
    Some(found)
}

/// Assigns each triangle to a face; also the largest triangle of each face.
fn grow(points: &[Vec3], surface: &Surface, limits: Limits) -> (Vec<u32>, Vec<u32>) {
    let corner = |v: u32| points[v as usize];
    let area = |t: usize| {
        let [a, b, c] = surface.triangles[t].map(corner);
        area_vector(&a, &b, &c)
    };
    let areas: Vec<Vec3> = (0..surface.triangles.len()).map(area).collect();
    let mut order: Vec<u32> = (0..areas.len() as u32).collect();
    order.sort_by(|&s, &t| {
        let size = |k: u32| areas[k as usize].norm_squared();
        size(t)
            .total_cmp(&size(s))
            .then_with(|| surface.triangles[s as usize].cmp(&surface.triangles[t as usize]))
    });

    let mut on_hull: Vec<u32> = surface.triangles.iter().flatten().copied().collect();
    on_hull.sort_unstable();
    on_hull.dedup();
    let mut growth = Growth {
        points,
        surface,
        areas,
        face_of: vec![NONE; order.len()],
        corner_of: vec![NONE; points.len()],
        members: Vec::new(),
        triangles: Vec::new(),
    };
    let mut seeds = Vec::new();
    for seed in order {
        if growth.face_of[seed as usize] != NONE {
            continue;
        }
        let face = seeds.len() as u32;
        seeds.push(seed);
        let total =
            growth.face(seed, face, |g, fresh, sum| flat(points, &g.members, fresh, sum, limits.tolerance));
        if growth.triangles.len() > 1 && !growth.supports(&on_hull, &total, limits.slack) {
            growth.undo();
            let normal = growth.areas[seed as usize].normalize();
            let origin = corner(surface.triangles[seed as usize][0]);
            let near = |v: u32| normal.dot(&(corner(v) - origin)).abs() <= limits.tolerance.min(limits.slack);
            growth.face(seed, face, |_, fresh, _| fresh.is_none_or(near));
        }
    }
    (growth.face_of, seeds)
}

/// Faces as they grow.
struct Growth<'a> {
    points: &'a [Vec3],
    surface: &'a Surface,
    /// Area vectors of the triangles.
    areas: Vec<Vec3>,
    /// The face of each triangle.
    face_of: Vec<u32>,
    /// The last face that took in a vertex.
    corner_of: Vec<u32>,
    /// Vertices of the face under way.
    members: Vec<u32>,
    /// Triangles of the face under way.
    triangles: Vec<u32>,
}

impl Growth<'_> {
    /// Grows a face from a seed: a neighbour joins if the face stays a disc and `joins` agrees, given the
    /// vertex that would be new and the area vector of all. Returns the area vector.
    fn face(&mut self, seed: u32, face: u32, joins: impl Fn(&Self, Option<u32>, &Vec3) -> bool) -> Vec3 {
        let corners = self.surface.triangles[seed as usize];
        self.face_of[seed as usize] = face;
        self.members.clear();
        self.members.extend(corners);
        self.triangles.clear();
        self.triangles.push(seed);
        corners.iter().for_each(|&v| self.corner_of[v as usize] = face);
        let mut total = self.areas[seed as usize];
        let mut waiting = self.surface.across[seed as usize].to_vec();
        while let Some(t) = waiting.pop() {
            if self.face_of[t as usize] != NONE {
                continue;
            }
            let neighbours = self.surface.across[t as usize];
            let shared = neighbours.iter().filter(|&&n| self.face_of[n as usize] == face).count();
            let mut corners = self.surface.triangles[t as usize].iter().copied();
            let fresh = corners.find(|&v| self.corner_of[v as usize] != face);
            let stays_disc = shared == 2 || (shared == 1 && fresh.is_some());
            let sum = total + self.areas[t as usize];
            if !stays_disc || !joins(self, fresh, &sum) {
                continue;
            }
            self.face_of[t as usize] = face;
            self.triangles.push(t);
            total = sum;
            if let Some(v) = fresh {
                self.corner_of[v as usize] = face;
                self.members.push(v);
            }
            waiting.extend(neighbours);
        }
        total
    }

    /// Gives the triangles of the face under way back.
    fn undo(&mut self) {
        self.triangles.iter().for_each(|&t| self.face_of[t as usize] = NONE);
        self.members.iter().for_each(|&v| self.corner_of[v as usize] = NONE);
    }

    /// Whether the mean plane of the face under way leaves no vertex further outside than `slack`. It may not
    /// where a face is tiny against the body: what is flat within the face need not be so far from it.
    fn supports(&self, vertices: &[u32], area: &Vec3, slack: f64) -> bool {
        let Some(normal) = area.try_normalize(0.0) else { return false };
        let mean = |sum: Vec3, v: &u32| sum + self.points[*v as usize];
        let centre = self.members.iter().fold(Vec3::zeros(), mean) / self.members.len() as f64;
        vertices.iter().all(|&v| normal.dot(&(self.points[v as usize] - centre)) <= slack)
    }
}

/// Whether the points, with one more, lie within `tolerance` of a plane across `normal`.
fn flat(points: &[Vec3], members: &[u32], one_more: Option<u32>, normal: &Vec3, tolerance: f64) -> bool {
    let Some(normal) = normal.try_normalize(0.0) else { return false };
    let origin = points[members[0] as usize];
    let heights = members.iter().copied().chain(one_more).map(|v| normal.dot(&(points[v as usize] - origin)));
    let (low, high) = heights.fold((0.0f64, 0.0f64), |(l, h), x| (l.min(x), h.max(x)));
    high - low <= tolerance
}
