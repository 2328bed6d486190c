//! Exact convex decomposition by cutting along face planes.
//!
//! A *cell* is a convex polytope together with the pieces of the mesh's surface strictly inside it. The first
//! cell is the hull. If all pieces lie on the inner side of all the planes of the pieces, the solid within
//! the cell is convex: it is the cell cut by those planes. (The region beyond one of the planes holds no
//! surface, so it is all solid or all void, and it is void next to the piece.) Otherwise the cell is cut in
//! two along a plane that has pieces beyond it; the pieces in that plane are then on the boundary and done
//! with, so that the recursion ends. A cell without pieces is solid or void as its centre is. Finally parts
//! whose union is convex are joined.

use super::super::{Polytope, TriangleMesh, area_vector};
use crate::Vec3;
use crate::tolerances::{FLATNESS, ROUNDING};

/// Cells examined, per allowed part, before the search ends without a result.
const CELLS_PER_PART: usize = 24;

/// Cost of a piece that a plane cuts, against one piece of imbalance.
const CUT_COST: usize = 8;

/// Pieces up to which every rule is tried.
const SMALL: usize = 200;

/// Comparisons of pieces up to which every candidate plane is tried out.
const TRY_ALL: usize = 2_000_000;

/// A convex piece of the surface and its plane.
#[derive(Clone)]
struct Piece {
    corners: Vec<Vec3>,
    normal: Vec3,
    offset: f64,
}

/// Convex parts that fill the mesh without overlap, at most `limit`; `None` if it takes more.
pub(super) fn cells(mesh: &TriangleMesh, limit: usize) -> Option<Vec<Polytope>> {
    if limit == 0 {
        return None;
    }
    let hull = Polytope::from_vertices(mesh.vertices()).ok()?;
    let furthest = mesh.vertices().iter().map(|v| v.amax()).fold(0.0, f64::max);
    let slack = FLATNESS * hull.outer_radius() + ROUNDING * f64::EPSILON * furthest;
    let mut pieces: Vec<Piece> = (0..mesh.triangles().len()).filter_map(|t| piece(mesh, t)).collect();
    for face in hull.faces() {
        pieces.retain(|p| !p.lies_in(&face.normal, face.offset, slack));
    }
    // Each cut disposes of few planes of a curved concave surface: it cannot be done within the limit.
    if obstructed(&pieces, slack, CELLS_PER_PART * limit).len() >= CELLS_PER_PART * limit {
        return None;
    }
    // Each rule is greedy and each is best for some bodies; the fewest parts win. What the quickest cannot do
    // on a body of many faces, the others are not likely to.
    let mut best = cut_into_cells(mesh, &hull, &pieces, limit, slack, Rule::FewestCuts);
    if best.is_some() || pieces.len() <= SMALL {
        for rule in [Rule::FewestObstacles, Rule::LargestFace] {
            let other = cut_into_cells(mesh, &hull, &pieces, limit, slack, rule);
            best = [best, other].into_iter().flatten().min_by_key(Vec::len);
        }
    }
    best
}

/// Cuts the hull along planes chosen by `rule` and joins what can be joined.
fn cut_into_cells(
    mesh: &TriangleMesh,
    hull: &Polytope,
    pieces: &[Piece],
    limit: usize,
    slack: f64,
    rule: Rule,
) -> Option<Vec<Polytope>> {
    let mut stack = vec![(hull.clone(), pieces.to_vec())];
    let mut parts = Vec::new();
    let mut visited = 0;
    while let Some((cell, pieces)) = stack.pop() {
        visited += 1;
        if visited > CELLS_PER_PART * limit || parts.len() > 4 * limit {
            return None;
        }
        if pieces.is_empty() {
            if mesh.winding_number(&cell.reference()) > 0.5 {
                parts.push(cell);
            }
        } else if let Some((normal, offset)) = best_cut(&pieces, slack, rule) {
            for (n, d) in [(normal, offset), (-normal, -offset)] {
                if let Some(half) = cell.clipped(&n, d) {
                    let inside = pieces.iter().filter_map(|p| p.below(&n, d, slack)).collect();
                    stack.push((half, inside));
                }
            }
        } else {
            let cut = |body: Option<Polytope>, p: &Piece| body?.clipped(&p.normal, p.offset);
            parts.extend(pieces.iter().fold(Some(cell), cut));
        }
    }
    join(&mut parts);
    (parts.len() <= limit).then_some(parts)
}

fn piece(mesh: &TriangleMesh, triangle: usize) -> Option<Piece> {
    let corners = mesh.corners(triangle);
    let normal = area_vector(&corners[0], &corners[1], &corners[2]).try_normalize(0.0)?;
    let offset = normal.dot(&(corners.iter().sum::<Vec3>() / 3.0));
    Some(Piece { corners: corners.to_vec(), normal, offset })
}

impl Piece {
    /// Least and greatest height above a plane.
    fn heights(&self, normal: &Vec3, offset: f64) -> (f64, f64) {
        let heights = self.corners.iter().map(|v| normal.dot(v) - offset);
        heights.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), h| (low.min(h), high.max(h)))
    }

    fn lies_in(&self, normal: &Vec3, offset: f64, slack: f64) -> bool {
        let (low, high) = self.heights(normal, offset);
        low >= -slack && high <= slack
    }

    /// Its area.
    fn area(&self) -> f64 {
        let fan = self.corners[1..].windows(2);
        fan.map(|pair| area_vector(&self.corners[0], &pair[0], &pair[1]).norm() / 2.0).sum()
    }

    /// What lies strictly below a plane.
    fn below(&self, normal: &Vec3, offset: f64, slack: f64) -> Option<Piece> {
        let (low, high) = self.heights(normal, offset);
        if low >= -slack {
            return None;
        }
        if high <= slack {
            return Some(self.clone());
        }
        let mut corners = Vec::with_capacity(self.corners.len() + 1);
        for (k, from) in self.corners.iter().enumerate() {
            let to = self.corners[(k + 1) % self.corners.len()];
            let (h, g) = (normal.dot(from) - offset, normal.dot(&to) - offset);
            if h <= 0.0 {
                corners.push(*from);
            }
            if (h < 0.0 && g > 0.0) || (h > 0.0 && g < 0.0) {
                corners.push(from + (to - from) * (h / (h - g)));
            }
        }
        if corners.len() >= 3 { Some(Piece { corners, ..*self }) } else { None }
    }
}

/// Which plane to cut along.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Rule {
    /// The one that leaves least to be done on both sides (where that can be found out quickly).
    FewestObstacles,
    /// The one that cuts fewest pieces and divides them evenly.
    FewestCuts,
    /// The one that holds most surface.
    LargestFace,
}

/// The different planes that have pieces beyond them, at most `most`.
fn obstructed(pieces: &[Piece], slack: f64, most: usize) -> Vec<&Piece> {
    let mut found: Vec<&Piece> = Vec::new();
    for piece in pieces {
        let known = found.iter().any(|c| piece.lies_in(&c.normal, c.offset, slack));
        if !known && pieces.iter().any(|p| p.heights(&piece.normal, piece.offset).1 > slack) {
            found.push(piece);
            if found.len() >= most {
                break;
            }
        }
    }
    found
}

/// The plane to cut along; `None` if none has pieces beyond it.
fn best_cut(pieces: &[Piece], slack: f64, rule: Rule) -> Option<(Vec3, f64)> {
    let candidates = obstructed(pieces, slack, usize::MAX);
    let try_all = candidates.len() * pieces.len() * pieces.len() <= TRY_ALL;
    let cost = |c: &Piece| {
        let (mut below, mut beyond, mut across) = (0usize, 0usize, 0usize);
        let mut held = 0.0;
        for piece in pieces {
            let (low, high) = piece.heights(&c.normal, c.offset);
            match (low < -slack, high > slack) {
                (true, true) => across += 1,
                (true, false) => below += 1,
                (false, true) => beyond += 1,
                (false, false) => held += piece.area(),
            }
        }
        let first = match rule {
            Rule::FewestObstacles if try_all => {
                let sides = [(c.normal, c.offset), (-c.normal, -c.offset)];
                sides.iter().map(|(n, d)| obstacles(pieces, n, *d, slack)).sum::<usize>() as f64
            }
            Rule::LargestFace => -held,
            _ => 0.0,
        };
        (first, CUT_COST * across + below.abs_diff(beyond))
    };
    let costs = candidates.iter().map(|c| cost(c));
    let order = |a: &(f64, usize), b: &(f64, usize)| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1));
    let (_, best) = costs.zip(&candidates).min_by(|(a, _), (b, _)| order(a, b))?;
    Some((best.normal, best.offset))
}

/// How many times a piece lies beyond the plane of another, of the pieces below a cut.
fn obstacles(pieces: &[Piece], normal: &Vec3, offset: f64, slack: f64) -> usize {
    let below: Vec<Piece> = pieces.iter().filter_map(|p| p.below(normal, offset, slack)).collect();
    let beyond = |p: &Piece| below.iter().filter(|q| q.heights(&p.normal, p.offset).1 > slack).count();
    below.iter().map(beyond).sum()
}

/// Replaces pairs of parts by their hull while that adds no volume.
fn join(parts: &mut Vec<Polytope>) {
    let mut volumes: Vec<f64> = parts.iter().map(Polytope::volume).collect();
    let mut i = 0;
    while i < parts.len() {
        let joined = (i + 1..parts.len()).find_map(|j| {
            if !share_a_plane(&parts[i], &parts[j]) {
                return None;
            }
            let hull = parts[i].joined(&parts[j]).ok()?;
            let (whole, sum) = (hull.volume(), volumes[i] + volumes[j]);
            (whole - sum <= 1e-3 * FLATNESS * sum).then_some((j, hull, whole))
        });
        match joined {
            Some((j, hull, whole)) => {
                parts.swap_remove(j);
                volumes.swap_remove(j);
                (parts[i], volumes[i]) = (hull, whole);
                // The larger part may now fit to one that was refused before.
                i = 0;
            }
            None => i += 1,
        }
    }
}

/// Whether two bodies have a face in a common plane, from opposite sides.
fn share_a_plane(a: &Polytope, b: &Polytope) -> bool {
    let slack = FLATNESS * a.outer_radius().max(b.outer_radius());
    a.faces().iter().any(|f| {
        b.faces()
            .iter()
            .any(|g| (f.normal + g.normal).norm() < 1e-6 && (f.offset + g.offset).abs() < 8.0 * slack)
    })
}
