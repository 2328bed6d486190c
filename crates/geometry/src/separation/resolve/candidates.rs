//! Facets of `K1 - K2` that may hold the pierced point.
//!
//! The optimal directions are the normal cone of `K1 - K2` at the pierced point, cut by `<α,β> = 1`. With any contact
//! points `p1 - p2 = s β` that cone is the intersection of the normal cones of the two bodies there, so its
//! extreme rays are face normals of either body at its contact point, or cross products of an edge of one
//! and an edge of the other through their contact points. This file lists them without judging: a contact
//! admits those that support both bodies.

use super::contact::Contact;
use crate::shapes::{Polygon, Polytope};
use crate::{PlanarPose, Pose, Vec3};

/// Faces and edges of one body through its contact point, in world axes.
#[derive(Default)]
pub(in crate::separation) struct Features {
    /// Outward unit normals.
    normals: Vec<Vec3>,
    /// Unit vectors along edges.
    edges: Vec<Vec3>,
}

impl Features {
    /// Features of a polytope through the contact point made by `weighted`.
    pub fn of_polytope(p: &Polytope, pose: &Pose, weighted: &[(u32, f64)], tolerance: f64) -> Self {
        let Some(heaviest) = heaviest(weighted) else { return Self::default() };
        let contact = weighted.iter().fold(Vec3::zeros(), |sum, &(k, w)| sum + w * p.vertices()[k as usize]);
        // The contact point lies in a face only together with every vertex that carries it.
        let holds = |f: u32| {
            let face = &p.faces()[f as usize];
            (face.offset - face.normal.dot(&contact)).abs() <= tolerance
        };
        let faces = p.vertex_faces(heaviest).iter().filter(|&&f| holds(f));
        let edges = p.vertex_edges(heaviest).iter().filter(|&&e| {
            let [f, g] = p.faces_of_edge(e as usize);
            holds(f) && holds(g)
        });
        Self {
            normals: faces.map(|&f| pose.direction(&p.faces()[f as usize].normal)).collect(),
            edges: edges.map(|&e| pose.direction(&p.edge_direction(e as usize))).collect(),
        }
    }

    /// Edges of a polygon through the contact point made by `weighted`.
    pub fn of_polygon(p: &Polygon, pose: &PlanarPose, weighted: &[(u32, f64)], tolerance: f64) -> Self {
        let Some(heaviest) = heaviest(weighted) else { return Self::default() };
        let zero = crate::Vec2::zeros();
        let contact = weighted.iter().fold(zero, |sum, &(k, w)| sum + w * p.vertices()[k as usize]);
        let count = p.vertices().len();
        let normals = [(heaviest + count - 1) % count, heaviest].into_iter().filter_map(|k| {
            let (normal, offset) = p.edge(k);
            let holds = (offset - normal.dot(&contact)).abs() <= tolerance;
            holds.then(|| pose.direction(&normal).push(0.0))
        });
        Self { normals: normals.collect(), edges: Vec::new() }
    }
}

fn heaviest(weighted: &[(u32, f64)]) -> Option<usize> {
    weighted.iter().max_by(|p, q| p.1.total_cmp(&q.1)).map(|&(k, _)| k as usize)
}

/// Unit normals, from b to a, of the facets that the contact admits.
pub(super) fn admitted(contact: &Contact, a: &Features, b: &Features) -> Vec<Vec3> {
    let faces = a.normals.iter().map(|n| -n).chain(b.normals.iter().copied());
    let mut normals: Vec<Vec3> = faces.filter(|n| contact.admits(n)).collect();
    for e in &a.edges {
        for f in &b.edges {
            let Some(n) = e.cross(f).try_normalize(f64::EPSILON) else { continue };
            let n = if n.dot(&contact.beta) < 0.0 { -n } else { n };
            if contact.admits(&n) {
                normals.push(n);
            }
        }
    }
    normals
}
