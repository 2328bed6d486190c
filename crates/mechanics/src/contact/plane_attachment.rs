//! The features that a separating plane of two parts is attached to: a face of one, or an edge of each.
//!
//! A plane that separates two parts at an instant goes on separating them longest if it follows the features that
//! define it: the face of a body (turning with that body), or two crossing edges (turning so that it holds both, to first
//! order).

use super::contact_geometry::ContactGeometry;
use super::contact_point::PairWarmStart;
use super::part::PartShape;
use crate::tolerances::PARALLEL_EDGES;
use percussion_geometry::shapes::{PlanarShape, Solid};
use percussion_geometry::{Pose, Vec3};

/// Feature that a separating plane is attached to.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum PlaneAttachment {
    /// A face of the first part, or anything about it.
    A,
    /// A face of the second part, or anything about it.
    B,
    /// Two edges, one of each, world directions.
    Edges(Vec3, Vec3),
}

impl PlaneAttachment {
    /// Angular velocity of the plane with unit normal `n`, for bodies with angular velocities `wa` and `wb`.
    pub fn spin(&self, n: &Vec3, wa: &Vec3, wb: &Vec3) -> Vec3 {
        match self {
            Self::A => *wa,
            Self::B => *wb,
            // Ω·(e × n) = ω·(e × n) for each edge; along n as the mean.
            Self::Edges(e1, e2) => {
                let (u1, u2) = (e1.cross(n), e2.cross(n));
                let det = n.dot(&u1.cross(&u2));
                if det * det <= PARALLEL_EDGES * u1.norm_squared() * u2.norm_squared() {
                    return *wb;
                }
                let (r1, r2) = (u1.dot(wa), u2.dot(wb));
                let mean = 0.5 * n.dot(&(wa + wb));
                (u2.cross(n) * r1 + n.cross(&u1) * r2) / det + n * mean
            }
        }
    }
}

impl ContactGeometry {
    /// The attachment of the separating plane, from the basis of the last query.
    pub fn plane_attachment(
        &self,
        (a, b): (usize, usize),
        poses: (&Pose, &Pose),
        warm_start: &PairWarmStart,
    ) -> PlaneAttachment {
        let (p, q) = (&self.parts[a], &self.parts[b]);
        match (&p.shape, &q.shape) {
            (PartShape::Solid(Solid::Polytope(x)), PartShape::Solid(Solid::Polytope(y))) => {
                let basis = &warm_start.space.basis;
                let (firsts, seconds) = (basis.map(|pair| pair[0]), basis.map(|pair| pair[1]));
                match (distinct(&firsts), distinct(&seconds)) {
                    (_, 3) => PlaneAttachment::B,
                    (3, _) => PlaneAttachment::A,
                    (2, 2) => {
                        let e1 =
                            edge(&firsts, x.vertices()).map(|e| poses.0.direction(&p.offset.direction(&e)));
                        let e2 =
                            edge(&seconds, y.vertices()).map(|e| poses.1.direction(&q.offset.direction(&e)));
                        e1.zip(e2).map_or(PlaneAttachment::B, |(e1, e2)| PlaneAttachment::Edges(e1, e2))
                    }
                    _ => PlaneAttachment::B,
                }
            }
            (PartShape::Planar(PlanarShape::Polygon(_)), PartShape::Planar(PlanarShape::Polygon(_))) => {
                let basis = &warm_start.plane.basis;
                if basis[0][1] != basis[1][1] { PlaneAttachment::B } else { PlaneAttachment::A }
            }
            (_, other) if other.is_unbounded() => PlaneAttachment::B,
            (PartShape::Solid(Solid::Polytope(_)), _) => PlaneAttachment::A,
            (PartShape::Planar(PlanarShape::Polygon(_)), _) => PlaneAttachment::A,
            _ => PlaneAttachment::B,
        }
    }
}

/// Number of different vertices.
fn distinct(list: &[u32; 3]) -> usize {
    let [x, y, z] = *list;
    1 + usize::from(y != x) + usize::from(z != x && z != y)
}

/// The edge between the two different vertices of a list.
fn edge(list: &[u32; 3], vertices: &[Vec3]) -> Option<Vec3> {
    let other = list.iter().find(|&&v| v != list[0])?;
    Some(vertices.get(*other as usize)? - vertices.get(list[0] as usize)?)
}
