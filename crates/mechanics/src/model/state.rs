//! The state: everything about a scene that changes in time.

use super::Island;
use crate::rotation::Mat3;
use crate::tree::Link;
use nalgebra::Rotation3;
use percussion_geometry::{Pose, Vec3};

/// Poses and momenta of all moving bodies at an instant, by slot.
///
/// The reduced momentum `p = Pᵀ M q'` of the degrees of freedom is stored instead of velocities: the variational schemes
/// conserve it exactly; velocities follow from it.
#[derive(Debug, PartialEq)]
pub struct State {
    /// Time, s.
    pub time: f64,
    /// Steps taken.
    pub steps: u64,
    /// Centres of mass, m.
    pub positions: Vec<Vec3>,
    /// Principal axes as columns.
    pub rotations: Vec<Mat3>,
    /// Joint coordinates, rad and m.
    pub coordinates: Vec<f64>,
    /// Reduced momenta of the degrees of freedom.
    pub momenta: Vec<f64>,
}

impl Clone for State {
    fn clone(&self) -> Self {
        Self {
            time: self.time,
            steps: self.steps,
            positions: self.positions.clone(),
            rotations: self.rotations.clone(),
            coordinates: self.coordinates.clone(),
            momenta: self.momenta.clone(),
        }
    }

    /// Reuses allocations: steps do not allocate.
    fn clone_from(&mut self, other: &Self) {
        self.time = other.time;
        self.steps = other.steps;
        self.positions.clone_from(&other.positions);
        self.rotations.clone_from(&other.rotations);
        self.coordinates.clone_from(&other.coordinates);
        self.momenta.clone_from(&other.momenta);
    }
}

impl State {
    /// Pose of the principal frame of the body in a slot.
    pub fn principal_pose(&self, slot: usize) -> Pose {
        Pose::new(Rotation3::from_matrix_unchecked(self.rotations[slot]), self.positions[slot])
    }

    /// Copies the configuration of an island from another state.
    pub(crate) fn copy_configuration(&mut self, from: &Self, island: &Island) {
        let (bodies, coordinates) = (island.bodies.clone(), island.coordinates.clone());
        self.positions[bodies.clone()].copy_from_slice(&from.positions[bodies.clone()]);
        self.rotations[bodies.clone()].copy_from_slice(&from.rotations[bodies]);
        self.coordinates[coordinates.clone()].copy_from_slice(&from.coordinates[coordinates]);
    }

    /// Copies the configuration and momenta of an island from another state.
    pub(crate) fn take(&mut self, from: &Self, island: &Island) {
        self.copy_configuration(from, island);
        let dofs = island.dofs.clone();
        self.momenta[dofs.clone()].copy_from_slice(&from.momenta[dofs]);
    }

    /// Whether every number is finite.
    pub fn is_finite(&self) -> bool {
        self.positions.iter().all(|p| p.iter().all(|v| v.is_finite()))
            && self.rotations.iter().all(|r| r.iter().all(|v| v.is_finite()))
            && self.coordinates.iter().chain(&self.momenta).all(|v| v.is_finite())
    }

    /// The first slot with a number that is not finite, in its pose, its joint coordinates or its momenta.
    pub(crate) fn first_not_finite(&self, links: &[Link]) -> Option<usize> {
        links.iter().enumerate().position(|(slot, link)| {
            let place = self.positions[slot].iter().chain(self.rotations[slot].iter());
            let own = self.coordinates[link.coordinates()].iter().chain(&self.momenta[link.dofs()]);
            !place.chain(own).all(|v| v.is_finite())
        })
    }
}
