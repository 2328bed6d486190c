//! Non-convex meshes as lists of convex polytopes.
//!
//! In this order:
//!
//! 1. a convex mesh is one part, its hull;
//! 2. [`exact`]: cuts along planes of the mesh's own faces until what is left in each cell is convex, then joins
//!    parts whose union is convex. The parts do not overlap and fill the mesh to rounding;
//! 3. [`approximate`]: where that would take too many parts (curved concave surfaces), approximate convex
//!    decomposition of a voxelised mesh (V-HACD), with overlaps cut away.
//!
//! The result contains the method and by how much the volume of the parts differs from that of the mesh.

mod approximate;
mod exact;

use super::{Compound, Polytope, Solid, TriangleMesh, at_least};
use crate::tolerances::FLATNESS;
use crate::{Pose, ShapeError};

/// How far a decomposition may go.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DecompositionOptions {
    /// Most parts of an exact decomposition (default 64); zero goes straight to the approximate one.
    pub exact_parts: usize,
    /// Voxels along the longest side for the approximate one (default 64): finer is slower and closer.
    pub resolution: u32,
    /// Concavity, as a fraction of the size, that an approximate part may keep (default 0.003).
    pub concavity: f64,
}

impl Default for DecompositionOptions {
    fn default() -> Self {
        Self { exact_parts: 64, resolution: 64, concavity: 0.003 }
    }
}

/// How the parts were found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DecompositionKind {
    /// The mesh was convex: one part.
    Convex,
    /// Cuts along faces: parts fill the mesh and do not overlap.
    Exact,
    /// Voxels: parts follow the mesh to about a voxel.
    Approximate,
}

/// Convex parts of a mesh and how well they fill it.
#[derive(Clone, Debug, PartialEq)]
pub struct Decomposition {
    /// The parts, in the frame of the mesh.
    pub parts: Vec<Polytope>,
    /// How they were found.
    pub kind: DecompositionKind,
    /// Volume of the mesh.
    pub mesh_volume: f64,
    /// Sum of the parts' volumes.
    pub parts_volume: f64,
}

impl Decomposition {
    fn new(mesh: &TriangleMesh, parts: Vec<Polytope>, kind: DecompositionKind) -> Self {
        let parts_volume = parts.iter().map(Polytope::volume).sum();
        Self { parts, kind, mesh_volume: mesh.volume(), parts_volume }
    }

    /// Relative error of the volume, `(parts - mesh)/mesh`.
    pub fn volume_error(&self) -> f64 {
        (self.parts_volume - self.mesh_volume) / self.mesh_volume
    }

    /// The parts as one body.
    pub fn compound(&self) -> Result<Compound, ShapeError> {
        let place = |p: &Polytope| (Pose::identity(), Solid::Polytope(p.clone()));
        Compound::new(self.parts.iter().map(place).collect())
    }
}

impl TriangleMesh {
    /// Convex parts of the body, with the default options.
    pub fn decomposed(&self) -> Result<Decomposition, ShapeError> {
        self.decomposed_with(&DecompositionOptions::default())
    }

    /// Convex parts of the body.
    pub fn decomposed_with(&self, options: &DecompositionOptions) -> Result<Decomposition, ShapeError> {
        at_least("resolution of the decomposition", options.resolution as usize, 4, "at least 4 voxels")?;
        if !(options.concavity > 0.0 && options.concavity <= 1.0) {
            let (what, must) = ("concavity of the decomposition", "between 0 and 1");
            return Err(ShapeError::OutOfRange { what, value: options.concavity, must });
        }
        if let Some(hull) = self.as_convex() {
            return Ok(Decomposition::new(self, vec![hull], DecompositionKind::Convex));
        }
        if let Some(parts) = exact::cells(self, options.exact_parts) {
            let found = Decomposition::new(self, parts, DecompositionKind::Exact);
            // A surface that crosses itself has no exact parts; its winding is not zero or one everywhere.
            if !found.parts.is_empty() && found.volume_error().abs() <= FLATNESS {
                return Ok(found);
            }
        }
        let parts = approximate::parts(self, options);
        if parts.is_empty() {
            return Err(ShapeError::EmptyCompound);
        }
        Ok(Decomposition::new(self, parts, DecompositionKind::Approximate))
    }
}
