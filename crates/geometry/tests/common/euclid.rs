//! Euclidean distance and penetration depth of two polytopes by brute force over all pairs of features.
#![allow(dead_code)]

use percussion_geometry::shapes::Polytope;
use percussion_geometry::{Pose, Vec3};

/// A polytope's vertices in the world.
fn placed(p: &Polytope, pose: &Pose) -> Vec<Vec3> {
    p.vertices().iter().map(|v| pose.point(v)).collect()
}

/// Penetration depth: the least width of the Minkowski difference beyond the origin, over the normals of all its
/// possible facets (faces of a, faces of b, crossed edges). Not positive when a plane separates the bodies.
pub fn depth(a: &Polytope, pose_a: &Pose, b: &Polytope, pose_b: &Pose) -> f64 {
    let (x, y) = (placed(a, pose_a), placed(b, pose_b));
    let sunk = |n: &Vec3| {
        let low = x.iter().map(|p| n.dot(p)).fold(f64::INFINITY, f64::min);
        let high = y.iter().map(|p| n.dot(p)).fold(f64::NEG_INFINITY, f64::max);
        high - low
    };
    let faces_a = a.faces().iter().map(|f| pose_a.direction(&f.normal));
    let faces_b = b.faces().iter().map(|f| pose_b.direction(&f.normal));
    let mut least = faces_a.chain(faces_b).map(|n| sunk(&n).min(sunk(&-n))).fold(f64::INFINITY, f64::min);
    for e in a.edges() {
        let u = x[e.vertices[1] as usize] - x[e.vertices[0] as usize];
        for f in b.edges() {
            let v = y[f.vertices[1] as usize] - y[f.vertices[0] as usize];
            if let Some(n) = u.cross(&v).try_normalize(1e-9 * u.norm() * v.norm()) {
                least = least.min(sunk(&n)).min(sunk(&-n));
            }
        }
    }
    least
}

/// Distance of two disjoint polytopes: over all pairs of edges, and of corners with faces.
pub fn distance(a: &Polytope, pose_a: &Pose, b: &Polytope, pose_b: &Pose) -> f64 {
    let (x, y) = (placed(a, pose_a), placed(b, pose_b));
    let mut least = f64::INFINITY;
    for e in a.edges() {
        for f in b.edges() {
            let [p, q] = e.vertices.map(|k| x[k as usize]);
            let [r, s] = f.vertices.map(|k| y[k as usize]);
            least = least.min(between_segments([p, q], [r, s]));
        }
    }
    least.min(corners_over_faces(&x, b, &y)).min(corners_over_faces(&y, a, &x))
}

fn to_segment(p: &Vec3, [q, r]: [Vec3; 2]) -> f64 {
    let along = r - q;
    let t = ((p - q).dot(&along) / along.norm_squared()).clamp(0.0, 1.0);
    (q + along * t - p).norm()
}

fn between_segments([p, q]: [Vec3; 2], [r, s]: [Vec3; 2]) -> f64 {
    let ends = to_segment(&p, [r, s]).min(to_segment(&q, [r, s])).min(to_segment(&r, [p, q]));
    let ends = ends.min(to_segment(&s, [p, q]));
    let (u, v, w) = (q - p, s - r, p - r);
    let n = u.cross(&v);
    if n.norm() <= 1e-9 * u.norm() * v.norm() {
        return ends;
    }
    // Feet of the common perpendicular.
    let t = v.cross(&w).dot(&n) / n.norm_squared();
    let k = u.cross(&w).dot(&n) / n.norm_squared();
    if (0.0..=1.0).contains(&t) && (0.0..=1.0).contains(&k) {
        return ends.min((w + u * t - v * k).norm());
    }
    ends
}

/// Least height of points over the faces that they lie above.
fn corners_over_faces(points: &[Vec3], body: &Polytope, vertices: &[Vec3]) -> f64 {
    let mut least = f64::INFINITY;
    for face in body.faces() {
        let corners: Vec<Vec3> = body.face_loop(face).iter().map(|&k| vertices[k as usize]).collect();
        let n = (corners[1] - corners[0]).cross(&(corners[2] - corners[0])).normalize();
        for p in points {
            let height = n.dot(&(p - corners[0]));
            let above = (0..corners.len()).all(|k| {
                let side = corners[(k + 1) % corners.len()] - corners[k];
                n.dot(&side.cross(&(p - corners[k]))) >= 0.0
            });
            if above && height >= 0.0 {
                least = least.min(height);
            }
        }
    }
    least
}
