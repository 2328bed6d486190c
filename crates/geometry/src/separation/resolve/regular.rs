//! Contacts that have one answer only, recognised without memory of their own: most of those a stream or a step meets.
//!
//! A plane that holds a simplex of `K1 - K2`, and no further vertex, is the only one that supports both bodies where
//! the pierced point lies well inside it, and the weights of the simplex are the only ones. A smooth body fixes the
//! plane by itself; a half-space fixes it and asks for a single corner.

use super::analysis::COMFORTABLE;
use super::contact::ON;
use crate::separation::answer::Separation;
use crate::separation::planar::PlanarSeparation;
use crate::shapes::{PlanarShape, Solid};
use crate::{PlanarPose, Pose, Vec3, tolerance};

/// What a body contributes to a regular contact.
#[derive(Clone, Copy)]
enum Share {
    /// So many vertices, and no other lies on the plane.
    Vertices(usize),
    /// One point of a smooth surface.
    Smooth,
    /// One point of a surface that may have rims or a tip.
    Curved,
    /// A plane.
    Plane,
}

/// Whether direction and weights of an answer in space are the only ones. `false` says nothing.
pub(super) fn is_regular(a: &Solid, pose_a: &Pose, b: &Solid, pose_b: &Pose, answer: &Separation) -> bool {
    let limit = limit([a.outer_radius(), b.outer_radius()], answer.certificate_gap());
    let normal = answer.normal();
    let (inward_a, inward_b) = (pose_a.inverse_direction(&normal), -pose_b.inverse_direction(&normal));
    let first = share(a, &inward_a, answer.weights_a(), limit);
    let second = share(b, &inward_b, answer.weights_b(), limit);
    first.zip(second).is_some_and(|(first, second)| suffices(first, second, 3))
}

/// Whether direction and weights of an answer in the plane are the only ones. `false` says nothing.
pub(super) fn is_regular_planar(
    a: &PlanarShape,
    pose_a: &PlanarPose,
    b: &PlanarShape,
    pose_b: &PlanarPose,
    answer: &PlanarSeparation,
) -> bool {
    let limit = limit([a.outer_radius(), b.outer_radius()], answer.certificate_gap());
    let normal = answer.normal();
    let (inward_a, inward_b) = (pose_a.inverse_direction(&normal), -pose_b.inverse_direction(&normal));
    let first = share_planar(a, &inward_a.push(0.0), answer.weights_a(), limit);
    let second = share_planar(b, &inward_b.push(0.0), answer.weights_b(), limit);
    first.zip(second).is_some_and(|(first, second)| suffices(first, second, 2))
}

/// Height over its plane up to which a vertex lies on it, as for the contacts that are looked into.
fn limit(radii: [f64; 2], gap: f64) -> f64 {
    let size: f64 = radii.iter().filter(|r| r.is_finite()).sum();
    ON * (tolerance::ACTIVE * size + if gap.is_finite() { gap.max(0.0) } else { 0.0 })
}

fn suffices(first: Share, second: Share, dimension: usize) -> bool {
    use Share::{Curved, Plane, Smooth, Vertices};
    match (first, second) {
        (Vertices(m), Vertices(n)) => m + n == dimension + 1,
        // At most a simplex of the plane carries: its weights are unique whatever their number.
        (Vertices(m), Smooth) | (Smooth, Vertices(m)) => m <= dimension,
        (Vertices(m), Curved) | (Curved, Vertices(m)) => m == dimension,
        (Vertices(m), Plane) | (Plane, Vertices(m)) => m == 1,
        // Without vertices there is nothing to share, and the answer's direction is the one kept.
        _ => true,
    }
}

fn share(
    solid: &Solid,
    inward: &Vec3,
    weights: impl Iterator<Item = (u32, f64)>,
    limit: f64,
) -> Option<Share> {
    match solid {
        Solid::Polytope(p) => {
            let reference = p.reference();
            let vertices = p.vertices();
            alone(vertices.len(), |k| vertices[k] - reference, inward, weights, limit)
        }
        Solid::Sphere(_) | Solid::Capsule(_) | Solid::Ellipsoid(_) => Some(Share::Smooth),
        Solid::Cylinder(_) | Solid::Cone(_) => Some(Share::Curved),
        Solid::HalfSpace(_) => Some(Share::Plane),
    }
}

fn share_planar(
    shape: &PlanarShape,
    inward: &Vec3,
    weights: impl Iterator<Item = (u32, f64)>,
    limit: f64,
) -> Option<Share> {
    match shape {
        PlanarShape::Polygon(p) => {
            let vertices = p.relative();
            let point = |k: usize| Vec3::new(vertices[k][0], vertices[k][1], 0.0);
            alone(vertices.len(), point, inward, weights, limit)
        }
        PlanarShape::Circle(_) | PlanarShape::Ellipse(_) => Some(Share::Smooth),
        PlanarShape::HalfPlane(_) => Some(Share::Plane),
    }
}

/// The number of vertices with weight, if they lie on the plane across `inward`, carry comfortably, and no
/// other vertex is on the plane or beyond it. `None` also for weights of other bodies' vertices.
fn alone(
    count: usize,
    point: impl Fn(usize) -> Vec3,
    inward: &Vec3,
    weights: impl Iterator<Item = (u32, f64)>,
    limit: f64,
) -> Option<Share> {
    let mut carriers = [0; 3];
    let (mut carried, mut total, mut contact) = (0, 0.0, Vec3::zeros());
    for (k, weight) in weights {
        let k = k as usize;
        if k >= count || !(weight >= COMFORTABLE) {
            return None;
        }
        *carriers.get_mut(carried)? = k;
        carried += 1;
        total += weight;
        contact += weight * point(k);
    }
    contact /= total;
    let height = |k: usize| inward.dot(&(point(k) - contact));
    let level = carriers[..carried].iter().all(|&k| height(k).abs() <= limit);
    let on = (0..count).filter(|&k| height(k) <= limit).count();
    (carried > 0 && level && on == carried).then_some(Share::Vertices(carried))
}
