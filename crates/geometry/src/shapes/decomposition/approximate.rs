//! Approximate convex decomposition: V-HACD on voxels [Mamou 2009], then overlaps are cut away.

use crate::tolerances::shapes::TOUCHING;
use parry3d_f64::math::Vector;
use parry3d_f64::transformation::vhacd::{VHACD, VHACDParameters};

use super::super::{Polytope, TriangleMesh};
use super::DecompositionOptions;
use crate::Vec3;

/// Convex parts that follow the mesh to about a voxel.
pub(super) fn parts(mesh: &TriangleMesh, options: &DecompositionOptions) -> Vec<Polytope> {
    // About the middle and at unit size, so that voxels are equally fine for every body.
    let first = mesh.vertices()[0];
    let (low, high) = mesh.vertices().iter().fold((first, first), |(l, h), v| (l.inf(v), h.sup(v)));
    let (middle, size) = ((low + high) / 2.0, (high - low).amax());
    let points: Vec<Vector> = mesh
        .vertices()
        .iter()
        .map(|v| {
            let w = (v - middle) / size;
            Vector::new(w.x, w.y, w.z)
        })
        .collect();
    let parameters = VHACDParameters {
        resolution: options.resolution,
        concavity: options.concavity,
        plane_downsampling: 2,
        convex_hull_downsampling: 2,
        ..VHACDParameters::default()
    };
    let found = VHACD::decompose(&parameters, &points, mesh.triangles(), true);
    let mut parts: Vec<Polytope> = found
        .compute_exact_convex_hulls(&points, mesh.triangles())
        .into_iter()
        .filter_map(|(corners, _)| {
            let corners: Vec<Vec3> =
                corners.iter().map(|p| Vec3::new(p.x, p.y, p.z) * size + middle).collect();
            Polytope::from_vertices(&corners).ok()
        })
        .collect();
    separate(&mut parts);
    parts
}

/// Cuts overlapping pairs apart along the middle of their shallowest overlap.
fn separate(parts: &mut Vec<Polytope>) {
    let mut i = 0;
    while i < parts.len() {
        let mut j = i + 1;
        while j < parts.len() {
            if let Some((normal, offset)) = parting_plane(&parts[i], &parts[j]) {
                let (lower, upper) = (parts[i].clipped(&normal, offset), parts[j].clipped(&-normal, -offset));
                match (lower, upper) {
                    (Some(lower), Some(upper)) => (parts[i], parts[j]) = (lower, upper),
                    // One part lies within the other: it adds nothing.
                    (None, _) => {
                        parts.swap_remove(i);
                        j = i;
                    }
                    (_, None) => {
                        parts.swap_remove(j);
                        continue;
                    }
                }
            }
            j += 1;
        }
        i += 1;
    }
}

/// A plane through the middle of the shallowest overlap, over the face normals of both bodies and the frame's
/// axes (along which voxels are cut); `a` belongs below it. `None` if some plane already separates them.
fn parting_plane(a: &Polytope, b: &Polytope) -> Option<(Vec3, f64)> {
    let axes = [Vec3::x(), Vec3::y(), Vec3::z()].into_iter().flat_map(|n| [n, -n]);
    let normals = axes.chain(a.faces().iter().map(|f| f.normal)).chain(b.faces().iter().map(|f| -f.normal));
    let slack = TOUCHING * a.outer_radius().min(b.outer_radius());
    let mut best: Option<(f64, Vec3, f64)> = None;
    for normal in normals {
        let top = normal.dot(&a.vertices()[a.support_index(&normal)]);
        let bottom = normal.dot(&b.vertices()[b.support_index(&-normal)]);
        let depth = top - bottom;
        if depth <= slack {
            return None;
        }
        if best.is_none_or(|(least, _, _)| depth < least) {
            best = Some((depth, normal, (top + bottom) / 2.0));
        }
    }
    best.map(|(_, normal, offset)| (normal, offset))
}
