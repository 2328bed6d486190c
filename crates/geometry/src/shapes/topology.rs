//! Adjacency of the vertices, edges and faces of a polytope. Nothing here allocates.

use super::Feature;
use super::{Edge, Polytope};
use crate::Vec3;

impl Polytope {
    /// The edge that joins two vertices, in either sense.
    pub fn edge_between(&self, v: usize, w: usize) -> Option<usize> {
        if v >= self.vertices().len() {
            return None;
        }
        let place = self.neighbours(v).iter().position(|&n| n as usize == w)?;
        Some(self.vertex_edges(v)[place] as usize)
    }

    /// The two faces that meet in edge `edge`; seen from outside the first walks it from its first vertex to
    /// its second.
    pub fn faces_of_edge(&self, edge: usize) -> [u32; 2] {
        self.edges()[edge].faces
    }

    /// Unit vector along edge `edge`, from its first vertex to its second.
    pub fn edge_direction(&self, edge: usize) -> Vec3 {
        let [from, to] = self.edge_ends(edge);
        (to - from).normalize()
    }

    /// The two ends of edge `edge`, body frame.
    pub fn edge_ends(&self, edge: usize) -> [Vec3; 2] {
        self.edges()[edge].vertices.map(|v| self.vertices()[v as usize])
    }

    /// Edges of a face in the order of its loop: the `k`-th starts at the `k`-th vertex of the loop.
    pub fn face_edges(&self, face: usize) -> impl Iterator<Item = usize> {
        let corners = self.face_loop(&self.faces()[face]);
        (0..corners.len()).filter_map(move |k| {
            self.edge_between(corners[k] as usize, corners[(k + 1) % corners.len()] as usize)
        })
    }

    /// Faces that share an edge with `face`, in the order of its loop.
    pub fn face_neighbours(&self, face: usize) -> impl Iterator<Item = usize> {
        self.face_edges(face).map(move |e| {
            let Edge { faces: [a, b], .. } = self.edges()[e];
            if a as usize == face { b as usize } else { a as usize }
        })
    }

    /// The feature of least dimension that contains all the given vertices (repetitions do not matter): a
    /// vertex, an edge, or a face. `None` for no vertices, for indices that do not exist and for vertices
    /// that have no face in common.
    pub fn feature(&self, active: &[u32]) -> Option<Feature> {
        let &first = active.first()?;
        if active.iter().any(|&v| v as usize >= self.vertices().len()) {
            return None;
        }
        let Some(&second) = active.iter().find(|&&v| v != first) else {
            return Some(Feature::Vertex(first));
        };
        if active.iter().all(|&v| v == first || v == second)
            && let Some(edge) = self.edge_between(first as usize, second as usize)
        {
            return Some(Feature::Edge(edge as u32));
        }
        let holds_all = |f: &&u32| active.iter().all(|&v| self.vertex_faces(v as usize).contains(f));
        self.vertex_faces(first as usize).iter().find(holds_all).map(|&f| Feature::Face(f))
    }
}
