//! Bodies made of several convex parts, rigidly joined.

use super::{PlanarShape, Polytope, Solid};
use crate::mass::{MassProperties, PlanarMassProperties};
use crate::{PoseIn, ShapeError};

/// Convex parts of the kind `S` in `D` dimensions, each placed in the body frame. At least one.
#[derive(Clone, Debug, PartialEq)]
pub struct CompoundIn<const D: usize, S> {
    parts: Vec<(PoseIn<D>, S)>,
}

/// Convex parts in space.
pub type Compound = CompoundIn<3, Solid>;
/// Convex parts in the plane.
pub type PlanarCompound = CompoundIn<2, PlanarShape>;

impl<const D: usize, S> CompoundIn<D, S> {
    /// Joins placed parts.
    pub fn new(parts: Vec<(PoseIn<D>, S)>) -> Result<Self, ShapeError> {
        if parts.is_empty() {
            return Err(ShapeError::EmptyCompound);
        }
        if let Some(index) = parts.iter().position(|(pose, _)| !pose.is_finite()) {
            let value = format!("position {:?}", parts[index].0.position.as_slice());
            return Err(ShapeError::NotFinite { what: "placement of part", index, value });
        }
        Ok(Self { parts })
    }

    /// The parts and their placements in the body frame.
    pub fn parts(&self) -> &[(PoseIn<D>, S)] {
        &self.parts
    }

    /// The world placement of part `part` when the body is at `pose`.
    pub fn part_pose(&self, part: usize, pose: &PoseIn<D>) -> PoseIn<D> {
        pose.then(&self.parts[part].0)
    }
}

impl Compound {
    /// Volume, centroid and inertia, summed over the parts, which **must not overlap**: what two parts share
    /// is counted twice. `None` if a part is a half-space.
    pub fn mass_properties(&self) -> Option<MassProperties> {
        self.parts.iter().map(|(pose, solid)| Some(solid.mass_properties()?.placed(pose))).sum()
    }
}

impl PlanarCompound {
    /// Area, centroid and polar inertia, summed over the parts, which **must not overlap**. `None` if a part
    /// is a half-plane.
    pub fn mass_properties(&self) -> Option<PlanarMassProperties> {
        self.parts.iter().map(|(pose, shape)| Some(shape.mass_properties()?.placed(pose))).sum()
    }
}

impl<const D: usize, S> From<S> for CompoundIn<D, S> {
    fn from(shape: S) -> Self {
        Self { parts: vec![(PoseIn::identity(), shape)] }
    }
}

impl From<Polytope> for Compound {
    fn from(polytope: Polytope) -> Self {
        Solid::Polytope(polytope).into()
    }
}
