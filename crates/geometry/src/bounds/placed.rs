//! Tight boxes of placed bodies, read off their support functions along the world axes.

use nalgebra::{SMatrix, SVector};

use super::{Aabb, Bounds, PlanarAabb};
use crate::shapes::{Compound, PlanarCompound, PlanarShape, Polytope, Solid};
use crate::{PlanarPose, Pose};

impl Polytope {
    /// The tight world box at `pose`.
    pub fn bounds(&self, pose: &Pose) -> Aabb {
        let turn = pose.rotation.matrix();
        let mut bounds = Aabb::empty();
        for vertex in self.vertices() {
            let world = turn * vertex;
            bounds.lower = bounds.lower.inf(&world);
            bounds.upper = bounds.upper.sup(&world);
        }
        Aabb::new(bounds.lower + pose.position, bounds.upper + pose.position)
    }
}

impl Solid {
    /// The tight world box at `pose`. A half-space fills all of space, or half of it if its normal is a world
    /// axis to the last bit.
    pub fn bounds(&self, pose: &Pose) -> Aabb {
        match self {
            Solid::Polytope(p) => p.bounds(pose),
            Solid::HalfSpace(h) => {
                let normal = pose.direction(&h.normal());
                below(&normal, h.offset() + normal.dot(&pose.position))
            }
            _ => by_supports(pose.rotation.matrix(), &pose.position, |direction| self.support(direction)),
        }
    }
}

impl Compound {
    /// The tight world box at `pose`.
    pub fn bounds(&self, pose: &Pose) -> Aabb {
        around(self.parts().iter().map(|(place, solid)| solid.bounds(&pose.then(place))))
    }
}

impl PlanarShape {
    /// The tight world box at `pose`. A half-plane fills all of the plane, or half of it if its normal is a
    /// world axis to the last bit.
    pub fn bounds(&self, pose: &PlanarPose) -> PlanarAabb {
        match self {
            PlanarShape::HalfPlane(h) => {
                let normal = pose.direction(&h.normal());
                below(&normal, h.offset() + normal.dot(&pose.position))
            }
            _ => by_supports(pose.rotation.matrix(), &pose.position, |direction| self.support(direction)),
        }
    }
}

impl PlanarCompound {
    /// The tight world box at `pose`.
    pub fn bounds(&self, pose: &PlanarPose) -> PlanarAabb {
        around(self.parts().iter().map(|(place, shape)| shape.bounds(&pose.then(place))))
    }
}

/// The least box that holds some boxes.
pub(super) fn around<const D: usize>(boxes: impl Iterator<Item = Bounds<D>>) -> Bounds<D> {
    boxes.fold(Bounds::empty(), |all, b| all.merged(&b))
}

/// The box of a body with a support function.
fn by_supports<const D: usize>(
    turn: &SMatrix<f64, D, D>,
    position: &SVector<f64, D>,
    support: impl Fn(&SVector<f64, D>) -> Option<SVector<f64, D>>,
) -> Bounds<D> {
    let mut bounds = Bounds::everything();
    for axis in 0..D {
        let direction: SVector<f64, D> = turn.row(axis).transpose();
        if let (Some(top), Some(bottom)) = (support(&direction), support(&-direction)) {
            bounds.upper[axis] = direction.dot(&top) + position[axis];
            bounds.lower[axis] = direction.dot(&bottom) + position[axis];
        }
    }
    bounds
}

/// The box of the points `x` with `<normal, x> <= offset`.
fn below<const D: usize>(normal: &SVector<f64, D>, offset: f64) -> Bounds<D> {
    let mut bounds = Bounds::everything();
    let axis = normal.iamax();
    // Tilted by the least amount, it reaches everywhere.
    if (0..D).all(|k| k == axis || normal[k] == 0.0) {
        if normal[axis] > 0.0 {
            bounds.upper[axis] = offset / normal[axis];
        } else {
            bounds.lower[axis] = offset / normal[axis];
        }
    }
    bounds
}
