//! The triangulated hull of points in space, by quickhull [Barber 1996] with exact orientation predicates [Shewchuk 1997].
//!
//! Every triangle keeps the points that lie strictly outside it. A step takes the furthest of them (the
//! *eye*), removes all triangles that it sees, and joins the rim of the hole (the *horizon*) to it. "Sees"
//! is the sign of a determinant evaluated exactly, and a point in the plane of a triangle does not see it.
//! Hence the seen triangles always form a disc, the horizon is a simple cycle, no new triangle is degenerate,
//! and a point that sees none of the new triangles lies inside: the step cannot fail, whatever is coplanar,
//! collinear or cospherical. Choosing the furthest point is only for speed, and may round.

use crate::Vec3;
use robust::{Coord3D, orient3d};

/// A closed triangulated surface: `across[t][k]` is the triangle beyond the side from corner `k` to `k + 1`.
pub(super) struct Surface {
    /// Corners of each triangle, counter-clockwise seen from outside.
    pub triangles: Vec<[u32; 3]>,
    /// Neighbours of each triangle.
    pub across: Vec<[u32; 3]>,
}

struct Triangle {
    corners: [u32; 3],
    across: [u32; 3],
    outside: Vec<u32>,
    alive: bool,
    /// The last eye from which this triangle was tested.
    seen_by: u32,
}

impl Triangle {
    fn new(corners: [u32; 3], across: [u32; 3]) -> Self {
        Self { corners, across, outside: Vec::new(), alive: true, seen_by: u32::MAX }
    }
}

/// A rim side of the hole: from `from` to `to`, beyond it the triangle `beyond`.
struct HorizonEdge {
    from: u32,
    to: u32,
    beyond: u32,
}

/// The hull of the points, which must contain the four of `simplex`; `None` if these are coplanar.
pub(super) fn triangulate(points: &[Vec3], simplex: [usize; 4]) -> Option<Surface> {
    let mut hull =
        Hull { points, triangles: Vec::new(), starts_at: vec![u32::MAX; points.len()], orphans: Vec::new() };
    let mut waiting = hull.start(simplex)?;
    let mut horizon = Vec::new();
    while let Some(t) = waiting.pop() {
        if !hull.triangles[t as usize].alive {
            continue;
        }
        if let Some(eye) = hull.take_furthest(t) {
            hull.find_horizon(t, eye, &mut horizon);
            let first = hull.triangles.len() as u32;
            hull.join_horizon(eye, &horizon);
            waiting.extend(first..hull.triangles.len() as u32);
        }
    }
    Some(hull.surface())
}

struct Hull<'a> {
    points: &'a [Vec3],
    triangles: Vec<Triangle>,
    /// Scratch: the new triangle whose rim side starts at a vertex.
    starts_at: Vec<u32>,
    /// Scratch: points of removed triangles.
    orphans: Vec<u32>,
}

impl Hull<'_> {
    /// Whether point `p` lies strictly outside the triangle.
    fn is_outside(&self, p: u32, corners: [u32; 3]) -> bool {
        let [a, b, c] = corners.map(|v| coordinates(&self.points[v as usize]));
        orient3d(a, b, c, coordinates(&self.points[p as usize])) < 0.0
    }

    /// The first tetrahedron, with every other point in an outside list or dropped as interior.
    fn start(&mut self, simplex: [usize; 4]) -> Option<Vec<u32>> {
        let [a, mut b, mut c, d] = simplex.map(|v| v as u32);
        let [pa, pb, pc, pd] = simplex.map(|v| coordinates(&self.points[v]));
        let side = orient3d(pa, pb, pc, pd);
        if side == 0.0 {
            return None;
        }
        if side < 0.0 {
            std::mem::swap(&mut b, &mut c);
        }
        // Now d lies below abc, which is therefore counter-clockwise seen from outside.
        self.triangles.push(Triangle::new([a, b, c], [1, 2, 3]));
        self.triangles.push(Triangle::new([b, a, d], [0, 3, 2]));
        self.triangles.push(Triangle::new([c, b, d], [0, 1, 3]));
        self.triangles.push(Triangle::new([a, c, d], [0, 2, 1]));
        for p in (0..self.points.len() as u32).filter(|p| ![a, b, c, d].contains(p)) {
            self.assign(p, 0);
        }
        Some(vec![0, 1, 2, 3])
    }

    /// Puts a point into the list of the first triangle, from `first` on, that it sees.
    fn assign(&mut self, p: u32, first: usize) {
        if let Some(t) =
            (first..self.triangles.len()).find(|&t| self.is_outside(p, self.triangles[t].corners))
        {
            self.triangles[t].outside.push(p);
        }
    }

    /// Removes and returns the point furthest outside triangle `t`.
    fn take_furthest(&mut self, t: u32) -> Option<u32> {
        let [a, b, c] = self.triangles[t as usize].corners.map(|v| self.points[v as usize]);
        let normal = (b - a).cross(&(c - a));
        let mut best: Option<(f64, usize)> = None;
        for (k, &p) in self.triangles[t as usize].outside.iter().enumerate() {
            let height = normal.dot(&(self.points[p as usize] - a));
            if best.is_none_or(|(highest, _)| height > highest) {
                best = Some((height, k));
            }
        }
        best.map(|(_, k)| self.triangles[t as usize].outside.swap_remove(k))
    }

    /// Marks every triangle that `eye` sees as dead and collects the rim of the hole.
    fn find_horizon(&mut self, from: u32, eye: u32, horizon: &mut Vec<HorizonEdge>) {
        horizon.clear();
        self.triangles[from as usize].alive = false;
        self.triangles[from as usize].seen_by = eye;
        let mut stack = vec![from];
        while let Some(t) = stack.pop() {
            let Triangle { corners, across, .. } = self.triangles[t as usize];
            let mut outside = std::mem::take(&mut self.triangles[t as usize].outside);
            self.orphans.append(&mut outside);
            for k in 0..3 {
                let next = across[k];
                let neighbour = &self.triangles[next as usize];
                if neighbour.alive && neighbour.seen_by != eye {
                    let visible = self.is_outside(eye, neighbour.corners);
                    self.triangles[next as usize].seen_by = eye;
                    if visible {
                        self.triangles[next as usize].alive = false;
                        stack.push(next);
                    }
                }
                if self.triangles[next as usize].alive {
                    horizon.push(HorizonEdge { from: corners[k], to: corners[(k + 1) % 3], beyond: next });
                }
            }
        }
    }

    /// Joins the horizon to the eye and assigns the points of the removed triangles to the new ones.
    fn join_horizon(&mut self, eye: u32, horizon: &[HorizonEdge]) {
        let first = self.triangles.len();
        for (k, side) in horizon.iter().enumerate() {
            self.starts_at[side.from as usize] = (first + k) as u32;
        }
        for (k, side) in horizon.iter().enumerate() {
            let new = (first + k) as u32;
            let next = self.starts_at[side.to as usize];
            self.triangles.push(Triangle::new([side.from, side.to, eye], [side.beyond, next, u32::MAX]));
            let beyond = &mut self.triangles[side.beyond as usize];
            for j in 0..3 {
                if beyond.corners[j] == side.to && beyond.corners[(j + 1) % 3] == side.from {
                    beyond.across[j] = new;
                }
            }
        }
        for k in first..self.triangles.len() {
            let next = self.triangles[k].across[1] as usize;
            self.triangles[next].across[2] = k as u32;
        }
        let mut orphans = std::mem::take(&mut self.orphans);
        for p in orphans.drain(..) {
            self.assign(p, first);
        }
        self.orphans = orphans;
    }

    fn surface(self) -> Surface {
        let mut place = vec![u32::MAX; self.triangles.len()];
        let mut count = 0;
        for (t, triangle) in self.triangles.iter().enumerate() {
            if triangle.alive {
                place[t] = count;
                count += 1;
            }
        }
        let alive = || self.triangles.iter().filter(|t| t.alive);
        Surface {
            triangles: alive().map(|t| t.corners).collect(),
            across: alive().map(|t| t.across.map(|n| place[n as usize])).collect(),
        }
    }
}

fn coordinates(p: &Vec3) -> Coord3D<f64> {
    Coord3D { x: p.x, y: p.y, z: p.z }
}
