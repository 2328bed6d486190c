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

/// Face loops (counter-clockwise seen from outside, starting at their smallest vertex, sorted) over the
/// vertices that are corners of at least three faces. `None` if some face has fewer than three corners.
pub(super) fn facets(points: &[Vec3], surface: &Surface, tolerance: f64) -> Option<Vec<Vec<u32>>> {
    let face_of = grow(points, surface, tolerance);
    let count = face_of.iter().map(|&f| f + 1).max().unwrap_or(0) as usize;
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
    let mut loops = Vec::with_capacity(count);
    for rim in &sides {
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
        loops.push(face);
    }
    loops.sort();
    Some(loops)
}

/// Assigns each triangle to a face.
fn grow(points: &[Vec3], surface: &Surface, tolerance: f64) -> Vec<u32> {
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

    let mut face_of = vec![NONE; areas.len()];
    let mut corner_of = vec![NONE; points.len()];
    let mut faces = 0;
    let mut members: Vec<u32> = Vec::new();
    let mut waiting: Vec<u32> = Vec::new();
    for seed in order {
        if face_of[seed as usize] != NONE {
            continue;
        }
        let face = faces;
        faces += 1;
        face_of[seed as usize] = face;
        members.clear();
        members.extend(surface.triangles[seed as usize]);
        members.iter().for_each(|&v| corner_of[v as usize] = face);
        let mut total = areas[seed as usize];
        waiting.clear();
        waiting.extend(surface.across[seed as usize]);
        while let Some(t) = waiting.pop() {
            if face_of[t as usize] != NONE {
                continue;
            }
            let corners = surface.triangles[t as usize];
            let shared = surface.across[t as usize].iter().filter(|&&n| face_of[n as usize] == face).count();
            let fresh = corners.iter().copied().find(|&v| corner_of[v as usize] != face);
            let stays_disc = shared == 2 || (shared == 1 && fresh.is_some());
            let sum = total + areas[t as usize];
            if !stays_disc || !flat(points, &members, fresh, &sum, tolerance) {
                continue;
            }
            face_of[t as usize] = face;
            total = sum;
            if let Some(v) = fresh {
                corner_of[v as usize] = face;
                members.push(v);
            }
            waiting.extend(surface.across[t as usize]);
        }
    }
    face_of
}

/// Whether the points, with one more, lie within `tolerance` of a plane across `normal`.
fn flat(points: &[Vec3], members: &[u32], one_more: Option<u32>, normal: &Vec3, tolerance: f64) -> bool {
    let Some(normal) = normal.try_normalize(0.0) else { return false };
    let origin = points[members[0] as usize];
    let heights = members.iter().copied().chain(one_more).map(|v| normal.dot(&(points[v as usize] - origin)));
    let (low, high) = heights.fold((0.0f64, 0.0f64), |(l, h), x| (l.min(x), h.max(x)));
    high - low <= tolerance
}
