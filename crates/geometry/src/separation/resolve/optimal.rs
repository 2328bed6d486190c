//! Everything that is optimal: all directions α and all vertices that can carry weight.
//!
//! Let `G` be the smallest face of `K1 - K2` that holds the pierced point. The vertices that can carry weight are those
//! of `G = G1 - G2`, the vertices on every optimal plane; each of them is positive in some optimal dual, because
//! the pierced point is in the relative interior of `G`. The optimal directions span the dimensions that `G`
//! leaves: a polygon across a corner, a segment across an edge, one point on a facet.

use super::contact::Contact;
use super::hull_corners::{Flat, hull_corners};
use crate::Vec3;
use crate::separation::small::complete;
use crate::tolerances::resolve::{SAME_DIRECTION, SPREAD};
use percussion_solve::minimum_norm_point;

/// The optimal sets of a contact.
pub(super) struct OptimalSet {
    /// Extreme optimal directions, `<α,β> = 1`: one, the two ends of a segment, or the corners of a polygon.
    pub alphas: Vec<Vec3>,
    /// Vertices of each body that can carry weight.
    pub active: [Vec<u32>; 2],
    /// Orthonormal directions along which the active vertices spread, at most one less than the dimension.
    pub tangents: Vec<Vec3>,
}

impl OptimalSet {
    /// From the admitted facet normals; `last` is the answer's own direction, used where there are none (curved
    /// bodies away from their flat parts).
    pub fn new(contact: &Contact, normals: &[Vec3], last: &Vec3) -> Self {
        let given = [last.normalize()];
        let normals = if normals.is_empty() { &given } else { normals };
        let mut active = contact.on_plane(&normals[0]);
        for n in &normals[1..] {
            let other = contact.on_plane(n);
            for (active, other) in active.iter_mut().zip(&other) {
                active.retain(|k| other.contains(k));
            }
        }
        for (active, side) in active.iter_mut().zip(&contact.sides) {
            // Every admitted plane holds the carriers that matter; an answer that stopped early may not.
            if !side.weighted.iter().any(|(k, _)| active.contains(k)) {
                active.extend(side.weighted.iter().map(|&(k, _)| k));
                active.sort_unstable();
            }
        }
        let tangents = tangents(contact, &active, normals);
        let alphas = alphas(contact, normals, &tangents);
        Self { alphas, active, tangents }
    }

    /// The optimal direction of least length: the point nearest to the origin of the extreme ones' hull.
    pub fn shortest(&self, beta: &Vec3) -> Vec3 {
        // Seen from β, to which all their differences are orthogonal: |α|^2 = 1 + |α - β|^2.
        let offsets: Vec<[f64; 3]> = self.alphas.iter().map(|a| (a - beta).into()).collect();
        match minimum_norm_point(&offsets) {
            Ok(nearest) => beta + Vec3::from_column_slice(&nearest.point),
            // Not reached: there is at least one direction and all are finite.
            Err(_) => self.alphas[0],
        }
    }

    /// Whether the dual polytope is more than one point: more weights than independent equations.
    pub fn several_duals(&self) -> bool {
        let bounded = self.active.iter().filter(|a| !a.is_empty()).count();
        let equations = if bounded == 2 { 2 + self.tangents.len() } else { 1 };
        self.active.iter().map(Vec::len).sum::<usize>() > equations
    }
}

/// Directions along which the active vertices spread.
fn tangents(contact: &Contact, active: &[Vec<u32>; 2], normals: &[Vec3]) -> Vec<Vec3> {
    let n = normals.iter().sum::<Vec3>().normalize();
    let mut spread: Vec<Vec3> = Vec::new();
    for (active, side) in active.iter().zip(&contact.sides) {
        let mut points = active.iter().map(|&k| side.points[k as usize]);
        if let Some(first) = points.next() {
            spread.extend(points.map(|p| p - first).map(|d| d - n * n.dot(&d)));
        }
    }
    let mut tangents = Vec::new();
    while tangents.len() + 1 < contact.dimension {
        let Some(longest) = spread.iter().max_by(|p, q| p.norm().total_cmp(&q.norm())).copied() else {
            break;
        };
        if !(longest.norm() > SPREAD * contact.tolerance) {
            break;
        }
        let t = longest.normalize();
        spread.iter_mut().for_each(|d| *d -= t * t.dot(d));
        tangents.push(t);
    }
    tangents
}

/// The extreme directions among the admitted ones.
fn alphas(contact: &Contact, normals: &[Vec3], tangents: &[Vec3]) -> Vec<Vec3> {
    let beta = &contact.beta;
    let alphas: Vec<Vec3> = normals.iter().map(|n| n / n.dot(beta)).collect();
    let length = alphas.iter().map(|a| a.norm()).fold(0.0, f64::max);
    let free = if contact.has_half_space { 0 } else { contact.dimension - 1 - tangents.len() };
    let best = || {
        let height = |k: usize| contact.support(&normals[k]);
        (0..normals.len()).max_by(|&i, &j| height(i).total_cmp(&height(j)).then(j.cmp(&i))).unwrap_or(0)
    };
    let (u, v) = match (free, tangents) {
        (0, _) => return vec![alphas[best()]],
        // Across the line of the active vertices, within the plane of all α.
        (1, [t]) => (beta.cross(t).normalize(), None),
        (1, _) => (Vec3::new(-beta.y, beta.x, 0.0), None),
        _ => {
            let (u, v) = complete(beta.as_ref());
            (Vec3::from(u), Some(Vec3::from(v)))
        }
    };
    let flat: Vec<Flat> = alphas.iter().map(|a| [a.dot(&u), v.map_or(0.0, |v| a.dot(&v))]).collect();
    hull_corners(&flat, SAME_DIRECTION * length).into_iter().map(|k| alphas[k]).collect()
}
