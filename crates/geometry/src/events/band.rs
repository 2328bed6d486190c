//! The features of a polytope that lie near its supporting plane.
//!
//! Let `h` be the height of a point above its body's supporting plane, measured along the pair's `alpha` away from
//! the other body. For the points of any event `h(p_a) + h(p_b) = s_m - s`, because `<alpha, β> = 1`. Nearly
//! active events therefore lie in a thin band of both bodies, and every face or edge that carries one has a
//! vertex in it. The heights of a small polytope are compared one and all; the band of a large one is collected by
//! walking the vertex graph: a linear function on a convex polytope has connected sublevel sets, so nothing outside the
//! band and its neighbours is visited.

use super::event::Side;
use crate::shapes::{Polytope, VertexIncidence};
use crate::tolerances::events::SPARE;
use crate::{Pose, Vec2, Vec3};
use nalgebra::Rotation3;

/// A polytope placed in the working frame: world axes, origin at body b's position, so that distance from the
/// world's origin does not blur a contact.
#[derive(Clone, Copy)]
pub(crate) struct Placed<'a> {
    pub polytope: &'a Polytope,
    rotation: Rotation3<f64>,
    shift: Vec3,
}

impl<'a> Placed<'a> {
    pub(crate) fn new(polytope: &'a Polytope, pose: &Pose, origin: &Vec3) -> Self {
        Self { polytope, rotation: pose.rotation, shift: pose.position - origin }
    }

    pub(crate) fn vertex(&self, index: u32) -> Vec3 {
        self.rotation * self.polytope.vertices()[index as usize] + self.shift
    }

    pub(crate) fn direction(&self, body: &Vec3) -> Vec3 {
        self.rotation * body
    }

    pub(crate) fn to_body(self, point: &Vec3) -> Vec3 {
        self.rotation.inverse_transform_vector(&(point - self.shift))
    }

    pub(crate) fn direction_to_body(&self, direction: &Vec3) -> Vec3 {
        self.rotation.inverse_transform_vector(direction)
    }
}

/// A vertex of the band.
#[derive(Clone, Copy, Debug)]
pub(crate) struct BandVertex {
    pub vertex: u32,
    pub point: Vec3,
}

/// An edge with at least one end in the band.
#[derive(Clone, Copy, Debug)]
pub(crate) struct BandEdge {
    pub edge: u32,
    pub from: Vec3,
    pub along: Vec3,
    /// Height of its lower end above the supporting plane, in units of `<alpha, .>`.
    pub height: f64,
    /// Box around the part of the edge that is low enough for an event, seen along β.
    pub low: Vec2,
    pub high: Vec2,
}

/// A face with at least one vertex in the band.
#[derive(Clone, Copy, Debug)]
pub(crate) struct BandFace {
    pub face: u32,
    /// Outward unit normal, world axes.
    pub normal: Vec3,
    /// `<normal, β>`.
    pub along: f64,
    /// `<normal, x>` of its points, to rounding of where the body is.
    pub level: f64,
}

impl BandFace {
    #[inline(always)]
    fn new(body: &Placed, face: u32, view: &View) -> Self {
        let known = &body.polytope.faces()[face as usize];
        let normal = body.direction(&known.normal);
        Self { face, normal, along: normal.dot(&view.beta), level: known.offset + normal.dot(&body.shift) }
    }
}

/// The band of one body; reusable memory.
#[derive(Clone, Debug, Default)]
pub(crate) struct Band {
    pub corners: Vec<BandVertex>,
    pub edges: Vec<BandEdge>,
    pub faces: Vec<BandFace>,
    /// Stamps of visited vertices, edges and faces: equal to `epoch` when visited in this collection.
    seen: [Vec<u32>; 3],
    /// Edges and faces that were visited.
    visited: [Vec<u32>; 2],
    epoch: u32,
    /// Of a small polytope: heights of all vertices; where those are that the band needs, and seen along β.
    blocks: Vec<Block>,
}

/// Four vertices side by side.
#[derive(Clone, Copy, Debug, Default)]
struct Block {
    height: [f64; 4],
    point: [[f64; 4]; 3],
    seen: [[f64; 4]; 2],
}

impl Block {
    /// Places the vertices that are these relative to the reference point.
    #[inline(always)]
    fn place(&mut self, [x, y, z]: &[[f64; 4]; 3], body: &Placed, view: &View) {
        let turn = body.rotation.matrix();
        let centred = body.polytope.is_centred();
        let from = if centred { body.shift } else { body.direction(&body.polytope.reference()) + body.shift };
        for i in 0..3 {
            for l in 0..4 {
                self.point[i][l] = turn[(i, 0)] * x[l] + turn[(i, 1)] * y[l] + turn[(i, 2)] * z[l] + from[i];
            }
        }
        let [x, y, z] = &self.point;
        for (seen, axis) in self.seen.iter_mut().zip([&view.u, &view.v]) {
            for l in 0..4 {
                seen[l] = axis.x * x[l] + axis.y * y[l] + axis.z * z[l];
            }
        }
    }

    #[inline(always)]
    fn point(&self, l: usize) -> Vec3 {
        Vec3::new(self.point[0][l], self.point[1][l], self.point[2][l])
    }

    #[inline(always)]
    fn seen(&self, l: usize) -> Vec2 {
        Vec2::new(self.seen[0][l], self.seen[1][l])
    }
}

/// Most vertices, edges or faces of a small polytope: one bit each.
const SMALL: usize = u64::BITS as usize;

/// Places of the ones in a number, in order.
struct SetBits(u64);

impl Iterator for SetBits {
    type Item = usize;

    #[inline(always)]
    fn next(&mut self) -> Option<usize> {
        if self.0 == 0 {
            return None;
        }
        let at = self.0.trailing_zeros() as usize;
        self.0 &= self.0 - 1;
        Some(at)
    }
}

/// Two unit vectors across β; `(u, v, β)` is right-handed.
#[derive(Clone, Copy, Debug)]
pub(crate) struct View {
    pub u: Vec3,
    pub v: Vec3,
    beta: Vec3,
}

impl View {
    pub(crate) fn along(beta: &Vec3) -> Self {
        // The axis least aligned with β keeps the cross product well away from zero.
        let axis = Vec3::ith(beta.iamin(), 1.0);
        let u = axis.cross(beta).normalize();
        Self { u, v: beta.cross(&u), beta: *beta }
    }

    pub(crate) fn see(&self, point: &Vec3) -> Vec2 {
        Vec2::new(self.u.dot(point), self.v.dot(point))
    }
}

impl Band {
    /// Collects the features of `body` with a vertex at most `depth` (in units of `<alpha, .>`) above its
    /// supporting plane, starting the search at vertex `hint`.
    pub(crate) fn collect(
        &mut self,
        body: &Placed,
        side: Side,
        alpha: &Vec3,
        depth: f64,
        hint: u32,
        view: &View,
    ) {
        let polytope = body.polytope;
        let vertices = polytope.vertices();
        self.corners.clear();
        self.edges.clear();
        self.faces.clear();
        // Downward along `down` is towards the other body.
        let outward = if side == Side::A { -*alpha } else { *alpha };
        let down = body.direction_to_body(&outward);
        if !polytope.incidence().is_empty() {
            return self.scan(body, &down, depth, view);
        }
        self.visited.iter_mut().for_each(Vec::clear);
        self.begin_epoch([vertices.len(), polytope.edges().len(), polytope.faces().len()]);
        let lowest = descend(polytope, &down, hint);
        let floor = vertices[lowest as usize];
        self.visit(0, lowest);
        self.corners.push(BandVertex { vertex: lowest, point: body.vertex(lowest) });
        let mut next = 0;
        while let Some(corner) = self.corners.get(next).copied() {
            next += 1;
            let (neighbours, edges) =
                (polytope.neighbours(corner.vertex as usize), polytope.vertex_edges(corner.vertex as usize));
            for (&neighbour, &edge) in neighbours.iter().zip(edges) {
                if self.visit(1, edge) {
                    self.visited[0].push(edge);
                }
                let height = down.dot(&(floor - vertices[neighbour as usize]));
                if height <= depth && self.visit(0, neighbour) {
                    self.corners.push(BandVertex { vertex: neighbour, point: body.vertex(neighbour) });
                }
            }
            for &face in polytope.vertex_faces(corner.vertex as usize) {
                if self.visit(2, face) {
                    self.visited[1].push(face);
                }
            }
        }
        // The walk depends on the hint; the order of the answer must not.
        self.corners.sort_unstable_by_key(|c| c.vertex);
        self.visited.iter_mut().for_each(|list| list.sort_unstable());
        let height = |v: u32| down.dot(&(floor - vertices[v as usize]));
        self.edges.extend(self.visited[0].iter().map(|&edge| {
            let ends = polytope.edges()[edge as usize].vertices;
            let [from, to] = ends.map(|v| body.vertex(v));
            let seen = [view.see(&from), view.see(&to)];
            BandEdge::low_part(edge, [&from, &to], [&seen[0], &seen[1]], ends.map(height), SPARE * depth)
        }));
        self.faces.extend(self.visited[1].iter().map(|&face| BandFace::new(body, face, view)));
    }

    /// The same for a small polytope, without a walk.
    fn scan(&mut self, body: &Placed, down: &Vec3, depth: f64, view: &View) {
        let polytope = body.polytope;
        let blocks = polytope.lanes().blocks();
        self.blocks.resize(blocks.len(), Block::default());
        let mut deepest = f64::NEG_INFINITY;
        for ([x, y, z], out) in blocks.iter().zip(&mut self.blocks) {
            for l in 0..4 {
                out.height[l] = down.x * x[l] + down.y * y[l] + down.z * z[l];
                deepest = if out.height[l] > deepest { out.height[l] } else { deepest };
            }
        }
        let mut within = 0u64;
        for (k, block) in self.blocks.iter_mut().enumerate() {
            for l in 0..4 {
                block.height[l] = deepest - block.height[l];
                within |= u64::from(block.height[l] <= depth) << (4 * k + l);
            }
        }
        // Filling lanes are none of its vertices.
        within &= u64::MAX >> (SMALL - polytope.vertices().len());
        let mut near = VertexIncidence { vertices: within, ..VertexIncidence::default() };
        for v in SetBits(within) {
            let around = &polytope.incidence()[v];
            near.vertices |= around.vertices;
            near.edges |= around.edges;
            near.faces |= around.faces;
        }
        for (k, (lanes, out)) in blocks.iter().zip(&mut self.blocks).enumerate() {
            if (near.vertices >> (4 * k)) & 15 != 0 {
                out.place(lanes, body, view);
            }
        }
        let at = |v: usize| (&self.blocks[v / 4], v % 4);
        for v in SetBits(within) {
            let (block, l) = at(v);
            self.corners.push(BandVertex { vertex: v as u32, point: block.point(l) });
        }
        for edge in SetBits(near.edges) {
            let [(p, k), (q, l)] = polytope.edges()[edge].vertices.map(|v| at(v as usize));
            self.edges.push(BandEdge::low_part(
                edge as u32,
                [&p.point(k), &q.point(l)],
                [&p.seen(k), &q.seen(l)],
                [p.height[k], q.height[l]],
                SPARE * depth,
            ));
        }
        for face in SetBits(near.faces) {
            self.faces.push(BandFace::new(body, face as u32, view));
        }
    }

    /// The band of a body that is a point or a segment: all of it.
    pub(crate) fn of_core(&mut self, points: &[Vec3], view: &View) {
        self.corners.clear();
        self.edges.clear();
        self.faces.clear();
        self.corners
            .extend(points.iter().enumerate().map(|(k, &point)| BandVertex { vertex: k as u32, point }));
        if let [from, to] = *points {
            self.edges.push(BandEdge::between(0, from, to, view));
        }
    }

    fn begin_epoch(&mut self, counts: [usize; 3]) {
        self.epoch = self.epoch.wrapping_add(1);
        if self.epoch == 0 {
            self.seen.iter_mut().for_each(|stamps| stamps.fill(0));
            self.epoch = 1;
        }
        for (stamps, count) in self.seen.iter_mut().zip(counts) {
            if stamps.len() < count {
                stamps.resize(count, 0);
            }
        }
    }

    /// Marks a feature; whether it was new.
    fn visit(&mut self, kind: usize, index: u32) -> bool {
        let stamp = &mut self.seen[kind][index as usize];
        let fresh = *stamp != self.epoch;
        *stamp = self.epoch;
        fresh
    }
}

impl BandEdge {
    /// Of an edge whose ends, seen along β and of these heights, may rise above what events can reach.
    #[inline(always)]
    fn low_part(edge: u32, ends: [&Vec3; 2], seen: [&Vec2; 2], heights: [f64; 2], reached: f64) -> Self {
        let [from, to] = ends;
        let second_is_low = heights[1] < heights[0];
        let (p, q) = if second_is_low { (seen[1], seen[0]) } else { (seen[0], seen[1]) };
        let (low, high) = if second_is_low { (heights[1], heights[0]) } else { (heights[0], heights[1]) };
        let end = if high > reached { p + (q - p) * ((reached - low) / (high - low)) } else { *q };
        Self {
            edge,
            from: *from,
            along: to - from,
            height: low,
            low: Vec2::new(lesser(p.x, end.x), lesser(p.y, end.y)),
            high: Vec2::new(greater(p.x, end.x), greater(p.y, end.y)),
        }
    }

    /// All of a list as if they were one.
    #[inline(always)]
    pub(crate) fn around(edges: &[Self]) -> Option<Self> {
        let mut all = *edges.first()?;
        for band_edge in &edges[1..] {
            all.low = Vec2::new(lesser(all.low.x, band_edge.low.x), lesser(all.low.y, band_edge.low.y));
            all.high =
                Vec2::new(greater(all.high.x, band_edge.high.x), greater(all.high.y, band_edge.high.y));
        }
        Some(all)
    }

    fn between(edge: u32, from: Vec3, to: Vec3, view: &View) -> Self {
        let (p, q) = (view.see(&from), view.see(&to));
        Self { edge, from, along: to - from, height: 0.0, low: p.inf(&q), high: p.sup(&q) }
    }
}

/// The lesser of two numbers, without care for what is none.
fn lesser(a: f64, b: f64) -> f64 {
    if a < b { a } else { b }
}

/// The greater of two numbers, likewise.
fn greater(a: f64, b: f64) -> f64 {
    if a > b { a } else { b }
}

/// Walks from `hint` to a vertex with no neighbour further along `down`. Heights are compared as numbers, not by
/// edges: among the coplanar vertices of a face, rounding can make every edge of a cycle seem to fall.
fn descend(polytope: &Polytope, down: &Vec3, hint: u32) -> u32 {
    let (vertices, centre) = (polytope.vertices(), polytope.reference());
    let depth = |v: u32| down.dot(&(vertices[v as usize] - centre));
    let mut here = if (hint as usize) < vertices.len() { hint } else { 0 };
    let mut best = depth(here);
    loop {
        let last = here;
        for &neighbour in polytope.neighbours(last as usize) {
            let found = depth(neighbour);
            if found > best {
                (best, here) = (found, neighbour);
            }
        }
        if here == last {
            return here;
        }
    }
}
