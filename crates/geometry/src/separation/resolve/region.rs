//! The contact region: all points at which the bodies can carry the contact.
//!
//! The image of the dual polytope under `π -> p1`: the common part of the two active faces once body b is shifted
//! by `s β`. A point, a segment or a convex polygon; its corners are Hart's contact events [Hart 3.4].

use super::contact::Contact;
use super::hull_corners::{Flat, clipped, hull_corners};
use super::optimal::OptimalSet;
use crate::Vec3;
use crate::tolerances::resolve::SAME_CORNER;

/// Corners of the region, seen from the contact point; counter-clockwise about the direction that is the cross
/// product of the two tangents.
pub(super) fn region(contact: &Contact, optimal: &OptimalSet) -> Vec<Vec3> {
    let tolerance = SAME_CORNER * contact.tolerance;
    let placed = |p: &Flat| {
        optimal.tangents.iter().zip(p).fold(Vec3::zeros(), |sum, (t, coordinate)| sum + t * *coordinate)
    };
    let corners = |k: usize| -> Vec<Flat> {
        let coordinate = |p: &Vec3, t: usize| optimal.tangents.get(t).map_or(0.0, |t| t.dot(p));
        let flat: Vec<Flat> = optimal.active[k]
            .iter()
            .map(|&i| &contact.sides[k].points[i as usize])
            .map(|p| [coordinate(p, 0), coordinate(p, 1)])
            .collect();
        hull_corners(&flat, tolerance).into_iter().map(|i| flat[i]).collect()
    };
    let (a, b) = (corners(0), corners(1));
    let common = match (a.len(), b.len()) {
        (_, 0) => a,
        (0, _) => b,
        (1, _) => a,
        (_, 1) => b,
        (2, 2) => shared_segment(&a, &b, optimal.tangents.len()),
        (2, _) => clipped(&a, &b),
        _ => clipped(&b, &a),
    };
    let kept = hull_corners(&common, tolerance);
    if kept.is_empty() {
        // Less than rounding is left of the common part, and the contact point is in it.
        return vec![Vec3::zeros()];
    }
    kept.into_iter().map(|k| placed(&common[k])).collect()
}

/// Two edges: crossing ones share the contact point, those on one line an interval.
fn shared_segment(a: &[Flat], b: &[Flat], dimension: usize) -> Vec<Flat> {
    if dimension > 1 {
        return vec![[0.0; 2]];
    }
    let least = |s: &[Flat]| s.iter().map(|p| p[0]).fold(f64::INFINITY, f64::min);
    let most = |s: &[Flat]| s.iter().map(|p| p[0]).fold(f64::NEG_INFINITY, f64::max);
    let (from, to) = (least(a).max(least(b)), most(a).min(most(b)));
    if from < to { vec![[from, 0.0], [to, 0.0]] } else { vec![[0.5 * (from + to), 0.0]] }
}
