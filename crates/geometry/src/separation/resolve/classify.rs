//! Contacts in general position, recognised by one pass over the vertices: nearly all contacts of a stream.
//!
//! A plane that holds a simplex of `K1 - K2`, and no further vertex, is the only one that supports both bodies where
//! the pierced point lies well inside it, and the weights of the simplex are the only ones. A smooth body fixes the
//! plane by itself; a half-space fixes it, and a single corner must touch it. Where one point lies well inside a face with
//! more than three corners, the direction is still the only one, and the weights are those of `face_weights.rs`.

use super::body::{Answered, Body};
use crate::tolerances;
use crate::tolerances::resolve::{INTERIOR_WEIGHT, ON};
use nalgebra::SVector;

/// What a body contributes to a regular contact.
#[derive(Clone, Copy)]
pub(in crate::separation) enum SupportClass {
    /// So many vertices, and no other lies on the plane.
    Vertices(usize),
    /// Three vertices, with the contact point well inside their triangle, and others on the plane.
    Face,
    /// One point of a smooth surface.
    Smooth,
    /// One point of a surface that may have rims or a tip.
    Curved,
    /// A plane.
    Plane,
}

/// The class of a contact.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ContactClass {
    /// Direction and weights are the only ones.
    Unique,
    /// One point of body b in a face of body a: the direction is the only one.
    FaceOfA,
    /// One point of body a in a face of body b.
    FaceOfB,
    /// Possibly degenerate: to be analysed.
    Degenerate,
}

/// Classifies an answer.
pub(super) fn classify<const D: usize, S: Body<D>>(query: &Answered<D, S>) -> ContactClass {
    let Answered { a, pose_a, b, pose_b, answer } = *query;
    let limit = plane_tolerance([a.outer_radius(), b.outer_radius()], answer.certificate_gap());
    let normal = answer.normal();
    let (inward_a, inward_b) = (pose_a.inverse_direction(&normal), -pose_b.inverse_direction(&normal));
    let first = support_class(a, &inward_a, answer.weights_a(), limit);
    let second = support_class(b, &inward_b, answer.weights_b(), limit);
    first.zip(second).map_or(ContactClass::Degenerate, |(first, second)| contact_class(first, second, D))
}

/// Height over its plane up to which a vertex lies on it, as in the analysis of degenerate contacts.
pub(super) fn plane_tolerance(radii: [f64; 2], gap: f64) -> f64 {
    let size: f64 = radii.iter().filter(|r| r.is_finite()).sum();
    ON * (tolerances::ACTIVE * size + if gap.is_finite() { gap.max(0.0) } else { 0.0 })
}

fn contact_class(first: SupportClass, second: SupportClass, dimension: usize) -> ContactClass {
    use SupportClass::{Curved, Face, Plane, Smooth, Vertices};
    let unique = match (first, second) {
        (Face, Vertices(1) | Smooth | Curved) => return ContactClass::FaceOfA,
        (Vertices(1) | Smooth | Curved, Face) => return ContactClass::FaceOfB,
        (Face, _) | (_, Face) => false,
        (Vertices(m), Vertices(n)) => m + n == dimension + 1,
        // At most a simplex of the plane carries: its weights are unique whatever their number.
        (Vertices(m), Smooth) | (Smooth, Vertices(m)) => m <= dimension,
        (Vertices(m), Curved) | (Curved, Vertices(m)) => m == dimension,
        (Vertices(m), Plane) | (Plane, Vertices(m)) => m == 1,
        // Without vertices there is nothing to share, and the answer's direction is the one kept.
        _ => true,
    };
    if unique { ContactClass::Unique } else { ContactClass::Degenerate }
}

fn support_class<const D: usize, S: Body<D>>(
    body: &S,
    inward: &SVector<f64, D>,
    weights: impl Iterator<Item = (u32, f64)>,
    limit: f64,
) -> Option<SupportClass> {
    match body.vertices() {
        Some(vertices) => vertex_class(vertices, &body.reference(), inward, weights, limit),
        None => Some(body.surface()),
    }
}

/// What the vertices with weight are, if they lie on the plane across `inward` and carry comfortably: all that are
/// on the plane or beyond it, or some of a face. `None` also for weights of other bodies' vertices.
fn vertex_class<const D: usize>(
    vertices: &[SVector<f64, D>],
    reference: &SVector<f64, D>,
    inward: &SVector<f64, D>,
    weights: impl Iterator<Item = (u32, f64)>,
    limit: f64,
) -> Option<SupportClass> {
    let count = vertices.len();
    let point = |k: usize| vertices[k] - reference;
    let mut weighted = [0; 3];
    let (mut carried, mut total, mut contact) = (0, 0.0, SVector::zeros());
    for (k, weight) in weights {
        let k = k as usize;
        if k >= count || !(weight >= INTERIOR_WEIGHT) {
            return None;
        }
        *weighted.get_mut(carried)? = k;
        carried += 1;
        total += weight;
        contact += point(k) * weight;
    }
    contact /= total;
    let height = |k: usize| inward.dot(&(point(k) - contact));
    let level = weighted[..carried].iter().all(|&k| height(k).abs() <= limit);
    let on = (0..count).filter(|&k| height(k) <= limit).count();
    match carried {
        0 => None,
        _ if !level => None,
        _ if on == carried => Some(SupportClass::Vertices(carried)),
        3 => Some(SupportClass::Face),
        _ => None,
    }
}
