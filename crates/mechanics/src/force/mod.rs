//! Forces: potentials and the rest, as functions of the motion of material points.
//!
//! Input of a force is a [`BodyKinematics`] per body: position and directors with their rates. A material point of arm `v`
//! is at `x = position + frame v` and moves with `x' = velocity + frame_rate v`. The midpoint rule passes averaged
//! directors, which are not orthonormal; nothing here assumes that they are.
//!
//! ```text
//! midpoint of a step   position (φ0+φ1)/2   frame (R0+R1)/2   velocity (φ1-φ0)/h   frame_rate (R1-R0)/h
//! instant              position φ           frame R           velocity φ'          frame_rate ω × R
//! ```
//!
//! Its result for every body is a [`ForceAccumulator`]: `force = Σ F`, `moment = Σ F vᵀ`, and couples that
//! have no point of attack. From these the torque about the centre of mass at *any* orientation `R` follows, `Σ (R v) × F`:
//! the discrete equations need it at both ends of a step. For Newton's method it lists its derivatives as
//! [`Stiffness`] elements. Bodies are numbered by their slot in the model; a force on a fixed body acts on the world.

mod accumulator;
mod attraction;
mod charge;
mod contact_potential;
mod drag;
mod inverse_square;
mod joint_force;
mod load;
mod parameter;
mod spring;

pub use accumulator::{
    Anchor, Bodies, BodyKinematics, Ends, ForceAccumulator, LinearForm, Stiffness, Weights,
};
pub use attraction::{Attraction, Gravitation};
pub use charge::{COULOMB, Charges};
pub use contact_potential::ContactPotential;
pub use drag::Drag;
pub use inverse_square::Source;
pub use joint_force::{JointForce, JointForceValue, JointLaw};
pub use load::{Axes, Given, Load};
pub use parameter::ParameterError;
pub use spring::Spring;

use crate::body::Body;
use percussion_geometry::separation::QueryError;
use thiserror::Error;

/// Error of a force without a value.
#[derive(Clone, Debug, Error, PartialEq)]
pub enum ForceError {
    /// Coincident points of a force that is singular there.
    #[error(
        "{force}: two of its points are {distance:e} m apart, where it has no finite value; move them apart or soften it"
    )]
    Singular {
        /// Name of the force.
        force: String,
        /// Distance of the points, m.
        distance: f64,
    },
    /// Two parts whose separation has no value.
    #[error("{force}: {error}")]
    Separation {
        /// Name of the force.
        force: String,
        /// The error of the separation query.
        error: QueryError,
    },
}

/// Kind of a force.
#[derive(Clone, Debug)]
pub enum ForceLaw {
    /// A linear spring and damper between two points.
    Spring(Spring),
    /// The gravity of a point fixed in space.
    Attraction(Attraction),
    /// The gravity between bodies.
    Gravitation(Gravitation),
    /// Electric charges on bodies.
    Charges(Charges),
    /// A given force or torque.
    Load(Load),
    /// The resistance of a medium.
    Drag(Drag),
    /// Contact as a potential.
    Contact(ContactPotential),
}

/// A force with its name in the scene.
#[derive(Clone, Debug)]
pub struct Force {
    /// Its name in the scene.
    pub name: String,
    /// What it is.
    pub law: ForceLaw,
}

impl Force {
    /// Adds the force at the time `t` to the accumulators. Allocates only where parts overlap.
    pub fn add_forces(
        &self,
        t: f64,
        bodies: &Bodies,
        accumulators: &mut [ForceAccumulator],
    ) -> Result<(), ForceError> {
        match &self.law {
            ForceLaw::Spring(spring) => spring.add_forces(&self.name, bodies, accumulators)?,
            ForceLaw::Attraction(attraction) => attraction.add_forces(&self.name, bodies, accumulators)?,
            ForceLaw::Gravitation(gravitation) => {
                gravitation.pairs().add_forces(&self.name, bodies, accumulators)?
            }
            ForceLaw::Charges(charges) => charges.pairs().add_forces(&self.name, bodies, accumulators)?,
            ForceLaw::Load(load) => load.add_forces(t, bodies, accumulators),
            ForceLaw::Drag(drag) => drag.add_forces(bodies, accumulators),
            ForceLaw::Contact(contact) => contact.add_forces(&self.name, bodies, accumulators)?,
        }
        Ok(())
    }

    /// Lists the derivatives of the force at the time `t`.
    pub fn stiffness(&self, t: f64, bodies: &Bodies, list: &mut Vec<Stiffness>) -> Result<(), ForceError> {
        match &self.law {
            ForceLaw::Spring(spring) => spring.stiffness(&self.name, bodies, list)?,
            ForceLaw::Attraction(attraction) => attraction.stiffness(&self.name, bodies, list)?,
            ForceLaw::Gravitation(gravitation) => gravitation.pairs().stiffness(&self.name, bodies, list)?,
            ForceLaw::Charges(charges) => charges.pairs().stiffness(&self.name, bodies, list)?,
            ForceLaw::Load(load) => load.stiffness(t, list),
            ForceLaw::Drag(drag) => drag.stiffness(bodies, list),
            ForceLaw::Contact(contact) => contact.stiffness(&self.name, bodies, list)?,
        }
        Ok(())
    }

    /// Lists all of them: also those that [`Self::stiffness`] omits for contact, at the cost of many evaluations.
    pub fn complete_stiffness(
        &self,
        t: f64,
        bodies: &Bodies,
        list: &mut Vec<Stiffness>,
    ) -> Result<(), ForceError> {
        match &self.law {
            ForceLaw::Contact(contact) => contact.complete_stiffness(&self.name, bodies, list),
            _ => self.stiffness(t, bodies, list),
        }
    }

    /// Adds the partial derivative of the force with respect to time.
    pub fn add_time_derivatives(&self, t: f64, bodies: &Bodies, accumulators: &mut [ForceAccumulator]) {
        if let ForceLaw::Load(load) = &self.law {
            load.add_time_derivatives(t, bodies, accumulators);
        }
    }

    /// Potential energy, J: the part of the force that has one.
    pub fn potential(&self, bodies: &Bodies) -> Result<f64, ForceError> {
        match &self.law {
            ForceLaw::Spring(spring) => spring.potential(&self.name, bodies),
            ForceLaw::Attraction(attraction) => attraction.potential(&self.name, bodies),
            ForceLaw::Gravitation(gravitation) => gravitation.pairs().potential(&self.name, bodies),
            ForceLaw::Charges(charges) => charges.pairs().potential(&self.name, bodies),
            ForceLaw::Contact(contact) => contact.potential(&self.name, bodies),
            ForceLaw::Load(_) | ForceLaw::Drag(_) => Ok(0.0),
        }
    }

    /// Power of the part that has no potential, W.
    pub fn power(&self, t: f64, bodies: &Bodies) -> Result<f64, ForceError> {
        match &self.law {
            ForceLaw::Spring(spring) => spring.power(&self.name, bodies),
            ForceLaw::Attraction(_) | ForceLaw::Gravitation(_) | ForceLaw::Charges(_) => Ok(0.0),
            ForceLaw::Load(load) => Ok(load.power(t, bodies)),
            ForceLaw::Drag(drag) => Ok(drag.power(bodies)),
            ForceLaw::Contact(contact) => contact.power(&self.name, bodies),
        }
    }

    /// Whether all of it comes from a potential.
    pub fn is_conservative(&self) -> bool {
        match &self.law {
            ForceLaw::Spring(spring) => spring.damping == 0.0,
            ForceLaw::Contact(contact) => contact.drag == 0.0,
            ForceLaw::Attraction(_) | ForceLaw::Gravitation(_) | ForceLaw::Charges(_) => true,
            ForceLaw::Load(_) | ForceLaw::Drag(_) => false,
        }
    }

    /// Whether its derivatives jump: Newton's method then needs a line search.
    pub fn has_discontinuous_stiffness(&self) -> bool {
        matches!(self.law, ForceLaw::Contact(_))
    }

    /// Visits the slots of the bodies it acts on; a body may be visited more than once.
    pub fn for_each_slot(&self, visit: &mut dyn FnMut(usize)) {
        let sources = |list: &[Source], visit: &mut dyn FnMut(usize)| {
            list.iter().filter_map(|source| source.anchor.body).for_each(visit)
        };
        match &self.law {
            ForceLaw::Spring(spring) => [spring.a, spring.b].iter().filter_map(|a| a.body).for_each(visit),
            ForceLaw::Attraction(attraction) => attraction.body.anchor.body.into_iter().for_each(visit),
            ForceLaw::Gravitation(gravitation) => sources(&gravitation.bodies, visit),
            ForceLaw::Charges(charges) => sources(&charges.charges, visit),
            ForceLaw::Load(load) => load.anchor.body.into_iter().for_each(visit),
            ForceLaw::Drag(drag) => drag.anchor.body.into_iter().for_each(visit),
            ForceLaw::Contact(contact) => contact.slots().iter().copied().for_each(visit),
        }
    }

    /// Every point it acts on; contact has none that is constant. Allocates: for building a model, not for steps.
    pub fn anchors_mut(&mut self) -> Vec<&mut Anchor> {
        fn sources(list: &mut [Source]) -> Vec<&mut Anchor> {
            list.iter_mut().map(|source| &mut source.anchor).collect()
        }
        match &mut self.law {
            ForceLaw::Spring(spring) => spring.anchors_mut().into(),
            ForceLaw::Attraction(attraction) => vec![&mut attraction.body.anchor],
            ForceLaw::Gravitation(gravitation) => sources(&mut gravitation.bodies),
            ForceLaw::Charges(charges) => sources(&mut charges.charges),
            ForceLaw::Load(load) => vec![&mut load.anchor],
            ForceLaw::Drag(drag) => vec![&mut drag.anchor],
            ForceLaw::Contact(_) => Vec::new(),
        }
    }

    /// Checks the parameters.
    pub fn check(&self) -> Result<(), ParameterError> {
        match &self.law {
            ForceLaw::Spring(spring) => spring.check(),
            ForceLaw::Attraction(attraction) => attraction.check(),
            ForceLaw::Gravitation(gravitation) => gravitation.check(),
            ForceLaw::Charges(charges) => charges.check(),
            ForceLaw::Load(load) => load.check(),
            ForceLaw::Drag(drag) => drag.check(),
            ForceLaw::Contact(contact) => contact.check(),
        }
    }

    /// The body whose orientation the force depends on, if there is one.
    pub fn oriented_body(&self) -> Option<usize> {
        match &self.law {
            ForceLaw::Load(load) if load.turns() => load.anchor.body,
            ForceLaw::Drag(drag) if drag.turns() => drag.anchor.body,
            _ => None,
        }
    }

    /// Takes masses and centres of mass from the bodies, and transforms from the author's axes to
    /// the principal ones. Called once, while anchors contain body indices instead of slots.
    pub fn resolve_bodies(&mut self, bodies: &[Body]) -> Result<(), ParameterError> {
        match &mut self.law {
            ForceLaw::Attraction(attraction) => attraction.resolve_bodies(bodies),
            ForceLaw::Gravitation(gravitation) => gravitation.resolve_bodies(bodies),
            ForceLaw::Load(load) => {
                load.resolve_bodies(bodies);
                Ok(())
            }
            ForceLaw::Spring(_) | ForceLaw::Charges(_) | ForceLaw::Drag(_) | ForceLaw::Contact(_) => Ok(()),
        }
    }
}
