//! Forces: potentials and the rest, as functions of the motion of material points.
//!
//! A force sees each body as a [`Placement`]: position and directors with their rates. A material point of arm `v`
//! is at `x = position + frame v` and moves with `x' = velocity + frame_rate v`. The midpoint rule hands in averaged
//! directors, which are not orthonormal; nothing here assumes that they are.
//!
//! ```text
//! midpoint of a step   position (φ0+φ1)/2   frame (R0+R1)/2   velocity (φ1-φ0)/h   frame_rate (R1-R0)/h
//! instant              position φ           frame R           velocity φ'          frame_rate ω × R
//! ```
//!
//! A force answers with what it does to every body, a [`Pull`]: `force = Σ F`, `moment = Σ F vᵀ`, and couples that
//! have no point of attack. From these the torque about the centre of mass at *any* orientation `R` follows, `Σ (R v) × F`:
//! the discrete equations need it at both ends of a step. For Newton's method it lists its derivatives as
//! [`Stiffness`] elements. Bodies are numbered by their slot in the model; a force on a fixed body acts on the world.

mod joint_force;
mod pull;
mod spring;
mod table;

pub use joint_force::{JointForce, JointLaw, JointPull};
pub use pull::{Anchor, Bodies, Ends, Placement, Pull, Stiffness, Weights};
pub use spring::Spring;
pub use table::{Table, TableError};

use thiserror::Error;

/// Why a force has no value.
#[derive(Clone, Debug, Error, PartialEq)]
pub enum ForceError {
    /// Two points that must not meet have met.
    #[error(
        "{force}: two of its points are {distance:e} m apart, where it has no finite value; move them apart or soften it"
    )]
    Singular {
        /// Name of the force.
        force: String,
        /// Distance of the points, m.
        distance: f64,
    },
}

/// What a force is.
#[derive(Clone, Debug)]
pub enum Law {
    /// A linear spring and damper between two points.
    Spring(Spring),
}

/// A force with its name in the scene.
#[derive(Clone, Debug)]
pub struct Force {
    /// Its name in the scene.
    pub name: String,
    /// What it is.
    pub law: Law,
}

impl Force {
    /// Adds what the force does at the time `t` to the pulls.
    pub fn pull(&self, _t: f64, bodies: &Bodies, pulls: &mut [Pull]) -> Result<(), ForceError> {
        match &self.law {
            Law::Spring(spring) => spring.pull(&self.name, bodies, pulls),
        }
    }

    /// Lists the derivatives of the force at the time `t`.
    pub fn stiffness(&self, _t: f64, bodies: &Bodies, list: &mut Vec<Stiffness>) -> Result<(), ForceError> {
        match &self.law {
            Law::Spring(spring) => spring.stiffness(&self.name, bodies, list),
        }
    }

    /// Potential energy, J: the part of the force that has one.
    pub fn potential(&self, bodies: &Bodies) -> Result<f64, ForceError> {
        match &self.law {
            Law::Spring(spring) => spring.potential(&self.name, bodies),
        }
    }

    /// Most stiffness elements it lists: scratch memory is made for them once.
    pub fn stiffness_count(&self) -> usize {
        match &self.law {
            Law::Spring(_) => 1,
        }
    }

    /// Power of the part that has no potential, W.
    pub fn power(&self, _t: f64, bodies: &Bodies) -> Result<f64, ForceError> {
        match &self.law {
            Law::Spring(spring) => spring.power(&self.name, bodies),
        }
    }

    /// Visits the slots of the bodies it acts on; a body may be visited more than once.
    pub fn for_each_slot(&self, visit: &mut dyn FnMut(usize)) {
        match &self.law {
            Law::Spring(spring) => [spring.a, spring.b].iter().filter_map(|a| a.body).for_each(visit),
        }
    }

    /// Every point it acts on.
    pub fn anchors_mut(&mut self) -> Vec<&mut Anchor> {
        match &mut self.law {
            Law::Spring(spring) => spring.anchors_mut().into(),
        }
    }
}
