//! Bodies made of several convex parts, rigidly joined.

use super::{PlanarShape, Polytope, Solid};
use crate::mass::{MassProperties, PlanarMassProperties};
use crate::{PlanarPose, Pose, ShapeError};

/// Convex parts, each placed in the body frame. At least one.
#[derive(Clone, Debug, PartialEq)]
pub struct Compound {
    parts: Vec<(Pose, Solid)>,
}

impl Compound {
    /// Joins placed parts.
    pub fn new(parts: Vec<(Pose, Solid)>) -> Result<Self, ShapeError> {
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
    pub fn parts(&self) -> &[(Pose, Solid)] {
        &self.parts
    }

    /// Volume, centroid and inertia, summed over the parts, which **must not overlap**: what two parts share
    /// is counted twice. `None` if a part is a half-space.
    pub fn mass_properties(&self) -> Option<MassProperties> {
        self.parts.iter().map(|(pose, solid)| Some(solid.mass_properties()?.placed(pose))).sum()
    }

    /// The world placement of part `part` when the body is at `pose`.
    pub fn part_pose(&self, part: usize, pose: &Pose) -> Pose {
        pose.then(&self.parts[part].0)
    }
}

impl From<Solid> for Compound {
    fn from(solid: Solid) -> Self {
        Self { parts: vec![(Pose::identity(), solid)] }
    }
}

impl From<Polytope> for Compound {
    fn from(polytope: Polytope) -> Self {
        Solid::Polytope(polytope).into()
    }
}

/// Convex planar parts, each placed in the body frame. At least one.
#[derive(Clone, Debug, PartialEq)]
pub struct PlanarCompound {
    parts: Vec<(PlanarPose, PlanarShape)>,
}

impl PlanarCompound {
    /// Joins placed parts.
    pub fn new(parts: Vec<(PlanarPose, PlanarShape)>) -> Result<Self, ShapeError> {
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
    pub fn parts(&self) -> &[(PlanarPose, PlanarShape)] {
        &self.parts
    }

    /// Area, centroid and polar inertia, summed over the parts, which **must not overlap**. `None` if a part
    /// is a half-plane.
    pub fn mass_properties(&self) -> Option<PlanarMassProperties> {
        self.parts.iter().map(|(pose, shape)| Some(shape.mass_properties()?.placed(pose))).sum()
    }

    /// The world placement of part `part` when the body is at `pose`.
    pub fn part_pose(&self, part: usize, pose: &PlanarPose) -> PlanarPose {
        pose.then(&self.parts[part].0)
    }
}

impl From<PlanarShape> for PlanarCompound {
    fn from(shape: PlanarShape) -> Self {
        Self { parts: vec![(PlanarPose::identity(), shape)] }
    }
}
