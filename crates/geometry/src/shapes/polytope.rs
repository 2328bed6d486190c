//! A convex polytope with its full topology.

use super::convex::furthest_of;
use super::{Lanes, area_vector, check_finite};
use crate::tolerances::{FLATNESS, ROUNDING};
use crate::{ShapeError, Vec3};

/// A planar face: outward unit normal and offset, `<normal, x> = offset` on it, `<=` in the body.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Face {
    /// Outward unit normal, body frame.
    pub normal: Vec3,
    /// Distance of the face's plane from the body frame's origin, along the normal.
    pub offset: f64,
    /// Where its vertex loop starts in the polytope's loop array.
    start: u32,
    /// Number of vertices (and of edges) of the loop.
    count: u32,
}

/// An edge between two vertices and two faces. Seen from outside, `faces[0]` walks it from `vertices[0]`
/// to `vertices[1]`, `faces[1]` the other way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Edge {
    /// Its two ends.
    pub vertices: [u32; 2],
    /// The two faces that meet in it.
    pub faces: [u32; 2],
}

/// Vertices, edges and faces incident to a vertex of a small polytope, one bit each.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct VertexIncidence {
    pub vertices: u64,
    pub edges: u64,
    pub faces: u64,
}

/// A convex polytope in its body frame: vertices, faces (as counter-clockwise loops seen from outside),
/// edges and adjacency.
#[derive(Clone, Debug, PartialEq)]
pub struct Polytope {
    vertices: Vec<Vec3>,
    faces: Vec<Face>,
    loops: Vec<u32>,
    edges: Vec<Edge>,
    /// Neighbours of vertex `v`: `neighbours[neighbour_start[v] .. neighbour_start[v + 1]]`.
    neighbour_start: Vec<u32>,
    neighbours: Vec<u32>,
    /// The edge to each neighbour, in step with `neighbours`.
    neighbour_edges: Vec<u32>,
    /// Faces around vertex `v`, likewise.
    vertex_face_start: Vec<u32>,
    vertex_faces: Vec<u32>,
    /// Incidence of each vertex, where 64 bits are enough.
    incidence: Vec<VertexIncidence>,
    /// Unit vectors out of each face across the side from each vertex of its loop to the next, in step with `loops`.
    outward: Vec<Vec3>,
    /// The input point that each vertex was.
    sources: Vec<u32>,
    lanes: Lanes,
    reference: Vec3,
    centred: bool,
    inner_radius: f64,
    outer_radius: f64,
}

impl Polytope {
    /// Builds the topology from vertices and face loops (counter-clockwise seen from outside), which must
    /// describe a closed convex surface: every edge in two loops, in opposite senses. Coordinates must be
    /// finite. The reference point is the centroid.
    pub fn from_faces(vertices: Vec<Vec3>, face_loops: &[Vec<u32>]) -> Result<Self, ShapeError> {
        check_finite("vertex", &vertices)?;
        let mut planes = Vec::with_capacity(face_loops.len());
        for (index, face_loop) in face_loops.iter().enumerate() {
            let not_convex = |why: String| ShapeError::NotConvex { why };
            if face_loop.len() < 3 || face_loop.iter().any(|&v| v as usize >= vertices.len()) {
                return Err(not_convex(format!("face {index} needs three or more existing vertices")));
            }
            let plane = newell_plane(&vertices, face_loop);
            planes.push(plane.ok_or_else(|| not_convex(format!("face {index} has no area")))?);
        }
        Self::from_planes(vertices, face_loops, &planes)
    }

    /// The same with the planes of the faces given: unit normals and offsets.
    pub(super) fn from_planes(
        vertices: Vec<Vec3>,
        face_loops: &[Vec<u32>],
        planes: &[(Vec3, f64)],
    ) -> Result<Self, ShapeError> {
        let not_convex = |why: String| ShapeError::NotConvex { why };
        let mut faces = Vec::with_capacity(face_loops.len());
        let mut loops = Vec::new();
        let mut half_edges = std::collections::BTreeMap::new();
        for (index, face_loop) in face_loops.iter().enumerate() {
            let (normal, offset) = planes[index];
            faces.push(Face { normal, offset, start: loops.len() as u32, count: face_loop.len() as u32 });
            loops.extend_from_slice(face_loop);
            for (k, &from) in face_loop.iter().enumerate() {
                let to = face_loop[(k + 1) % face_loop.len()];
                if half_edges.insert((from, to), index as u32).is_some() {
                    return Err(not_convex(format!("edge {from}-{to} is walked twice in the same sense")));
                }
            }
        }
        let mut edges = Vec::with_capacity(half_edges.len() / 2);
        for (&(from, to), &face) in &half_edges {
            let Some(&other) = half_edges.get(&(to, from)) else {
                return Err(not_convex(format!("edge {from}-{to} belongs to one face only")));
            };
            if from < to {
                edges.push(Edge { vertices: [from, to], faces: [face, other] });
            }
        }
        if vertices.len() + faces.len() != edges.len() + 2 {
            return Err(not_convex(format!(
                "{} vertices - {} edges + {} faces is not 2; every vertex must belong to a face",
                vertices.len(),
                edges.len(),
                faces.len()
            )));
        }
        let (neighbour_start, neighbours) = compressed(
            vertices.len(),
            edges.iter().flat_map(|e| [(e.vertices[0], e.vertices[1]), (e.vertices[1], e.vertices[0])]),
        );
        let (_, neighbour_edges) = compressed(
            vertices.len(),
            edges.iter().enumerate().flat_map(|(k, e)| e.vertices.map(|v| (v, k as u32))),
        );
        let (vertex_face_start, vertex_faces) = compressed(
            vertices.len(),
            faces.iter().enumerate().flat_map(|(f, face)| {
                loops[face.start as usize..(face.start + face.count) as usize]
                    .iter()
                    .map(move |&v| (v, f as u32))
            }),
        );
        let mut polytope = Self {
            lanes: Lanes::new(&vertices, &Vec3::zeros()),
            sources: (0..vertices.len() as u32).collect(),
            vertices,
            faces,
            loops,
            edges,
            neighbour_start,
            neighbours,
            neighbour_edges,
            vertex_face_start,
            vertex_faces,
            incidence: Vec::new(),
            outward: Vec::new(),
            reference: Vec3::zeros(),
            centred: true,
            inner_radius: 0.0,
            outer_radius: 0.0,
        };
        polytope.precompute_incidence();
        let furthest = polytope.vertices.iter().map(|v| v.amax()).fold(0.0, f64::max);
        let centroid = polytope.volume_and_centroid().1;
        // A centroid that is the frame's origin up to rounding is the origin: queries then skip a rotation.
        let centred = centroid.amax() <= ROUNDING * f64::EPSILON * furthest;
        polytope.place_reference(if centred { Vec3::zeros() } else { centroid });
        if polytope.inner_radius.is_nan() || polytope.inner_radius <= 0.0 {
            return Err(not_convex("the centroid does not lie strictly inside every face".into()));
        }
        let slack = FLATNESS * polytope.outer_radius + ROUNDING * f64::EPSILON * furthest;
        for (f, face) in polytope.faces.iter().enumerate() {
            if let Some(v) = polytope.vertices.iter().position(|v| face.normal.dot(v) > face.offset + slack) {
                return Err(not_convex(format!("vertex {v} lies outside face {f}")));
            }
        }
        Ok(polytope)
    }

    /// Precomputes the incidence of vertices and the outward directions of sides.
    fn precompute_incidence(&mut self) {
        let bits = |list: &[u32]| list.iter().fold(0, |bits, k| bits | 1 << k);
        if self.vertices.len().max(self.edges.len()).max(self.faces.len()) <= u64::BITS as usize {
            self.incidence = (0..self.vertices.len())
                .map(|v| VertexIncidence {
                    vertices: bits(self.neighbours(v)),
                    edges: bits(self.vertex_edges(v)),
                    faces: bits(self.vertex_faces(v)),
                })
                .collect();
        }
        let outward = self.faces.iter().flat_map(|face| {
            let corners = self.face_loop(face);
            let place = |k: usize| self.vertices[corners[k % corners.len()] as usize];
            (0..corners.len()).map(move |k| {
                let out = (place(k + 1) - place(k)).cross(&face.normal);
                out / out.norm()
            })
        });
        self.outward = outward.collect();
    }

    /// Moves the reference point, for bodies whose line of centres should not start at the centroid
    /// (the mean of the vertices for finite elements, a composite body's centre of mass).
    pub fn with_reference(mut self, reference: Vec3) -> Result<Self, ShapeError> {
        self.place_reference(reference);
        if self.inner_radius > 0.0 {
            return Ok(self);
        }
        Err(ShapeError::OutOfRange {
            what: "depth of the reference point below the surface",
            value: self.inner_radius,
            must: "positive: the reference point has to lie inside the body",
        })
    }

    fn place_reference(&mut self, reference: Vec3) {
        self.reference = reference;
        self.centred = reference == Vec3::zeros();
        self.lanes = Lanes::new(&self.vertices, &reference);
        self.inner_radius =
            self.faces.iter().map(|f| f.offset - f.normal.dot(&reference)).fold(f64::INFINITY, f64::min);
        self.outer_radius = self.vertices.iter().map(|v| (v - reference).norm()).fold(0.0, f64::max);
    }

    /// Volume and centroid, by signed tetrahedra.
    pub fn volume_and_centroid(&self) -> (f64, Vec3) {
        let properties = self.mass_properties();
        (properties.volume, properties.centroid)
    }

    /// The vertices, body frame.
    pub fn vertices(&self) -> &[Vec3] {
        &self.vertices
    }

    /// The faces.
    pub fn faces(&self) -> &[Face] {
        &self.faces
    }

    /// The edges.
    pub fn edges(&self) -> &[Edge] {
        &self.edges
    }

    /// Vertex indices of a face, counter-clockwise seen from outside.
    pub fn face_loop(&self, face: &Face) -> &[u32] {
        &self.loops[face.start as usize..(face.start + face.count) as usize]
    }

    /// Unit vectors out of a face across its sides, in step with its loop.
    pub(crate) fn face_outward(&self, face: &Face) -> &[Vec3] {
        &self.outward[face.start as usize..(face.start + face.count) as usize]
    }

    /// Incidence of each vertex, if there are at most 64 vertices, edges and faces; otherwise empty.
    #[inline]
    pub(crate) fn incidence(&self) -> &[VertexIncidence] {
        &self.incidence
    }

    /// Vertices joined to `vertex` by an edge.
    #[inline]
    pub fn neighbours(&self, vertex: usize) -> &[u32] {
        &self.neighbours[self.neighbour_start[vertex] as usize..self.neighbour_start[vertex + 1] as usize]
    }

    /// Faces that contain `vertex`.
    pub fn vertex_faces(&self, vertex: usize) -> &[u32] {
        &self.vertex_faces
            [self.vertex_face_start[vertex] as usize..self.vertex_face_start[vertex + 1] as usize]
    }

    /// Edges that end in `vertex`, in step with [`neighbours`](Self::neighbours).
    #[inline]
    pub fn vertex_edges(&self, vertex: usize) -> &[u32] {
        &self.neighbour_edges
            [self.neighbour_start[vertex] as usize..self.neighbour_start[vertex + 1] as usize]
    }

    /// For each vertex the index of the input point it was. Vertices keep the order of the input, so this
    /// is `0, 1, 2, ...` exactly when no point was dropped.
    pub fn sources(&self) -> &[u32] {
        &self.sources
    }

    /// Records which input point each vertex was.
    pub(super) fn with_sources(mut self, sources: Vec<u32>) -> Self {
        self.sources = sources;
        self
    }

    /// Vertices relative to the reference point, packed for support scans.
    #[inline(always)]
    pub fn lanes(&self) -> &Lanes {
        &self.lanes
    }

    /// The reference point, body frame.
    #[inline(always)]
    pub fn reference(&self) -> Vec3 {
        self.reference
    }

    /// Whether the reference point is the body frame's origin.
    #[inline(always)]
    pub fn is_centred(&self) -> bool {
        self.centred
    }

    /// Radius of a ball about the reference point that lies in the body.
    #[inline(always)]
    pub fn inner_radius(&self) -> f64 {
        self.inner_radius
    }

    /// Radius of the ball about the reference point that holds the body.
    #[inline(always)]
    pub fn outer_radius(&self) -> f64 {
        self.outer_radius
    }

    /// Index of a vertex furthest along `direction` (body frame).
    pub fn support_index(&self, direction: &Vec3) -> usize {
        furthest_of(&self.vertices, direction)
    }
}

/// Plane of a loop across the sum of its triangles' area vectors; `None` when the loop has no area.
pub(super) fn newell_plane(vertices: &[Vec3], face_loop: &[u32]) -> Option<(Vec3, f64)> {
    let origin = vertices[face_loop[0] as usize];
    let mut area = Vec3::zeros();
    let mut centre = Vec3::zeros();
    for (k, &from) in face_loop.iter().enumerate() {
        let to = face_loop[(k + 1) % face_loop.len()];
        area += area_vector(&origin, &vertices[from as usize], &vertices[to as usize]);
        centre += vertices[from as usize] - origin;
    }
    let normal = area.try_normalize(0.0).filter(|n| n.iter().all(|c| c.is_finite()))?;
    Some((normal, normal.dot(&(origin + centre / face_loop.len() as f64))))
}

/// Lists of `value`s by `key`, compressed: starts and values.
fn compressed(keys: usize, pairs: impl Iterator<Item = (u32, u32)> + Clone) -> (Vec<u32>, Vec<u32>) {
    let mut start = vec![0u32; keys + 1];
    for (key, _) in pairs.clone() {
        start[key as usize + 1] += 1;
    }
    for k in 0..keys {
        start[k + 1] += start[k];
    }
    let mut next = start.clone();
    let mut values = vec![0u32; start[keys] as usize];
    for (key, value) in pairs {
        values[next[key as usize] as usize] = value;
        next[key as usize] += 1;
    }
    (start, values)
}
