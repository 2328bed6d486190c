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

mod attraction;
mod charge;
mod contact;
mod drag;
mod inverse;
mod joint_force;
mod load;
mod parameter;
mod pull;
mod spring;
mod table;

pub use attraction::{Attraction, Gravitation};
pub use charge::{COULOMB, Charges};
pub use contact::{ContactPotential, Suggestion, suggested_stiffness};
pub use drag::Drag;
pub use inverse::Source;
pub use joint_force::{JointForce, JointLaw, JointPull};
pub use load::{Axes, Given, Load};
pub use parameter::ParameterError;
pub use pull::{Anchor, Bodies, Ends, Form, Placement, Pull, Stiffness, Weights};
pub use spring::Spring;
pub use table::{Table, TableError};

use crate::body::Body;
use percussion_geometry::separation::QueryError;
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
    /// Two parts whose separation has no value.
    #[error("{force}: {error}")]
    Separation {
        /// Name of the force.
        force: String,
        /// What the kernel says.
        error: QueryError,
    },
}

/// What a force is.
#[derive(Clone, Debug)]
pub enum Law {
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
    pub law: Law,
}

impl Force {
    /// Adds what the force does at the time `t` to the pulls. Allocates nothing, but where parts overlap.
    pub fn pull(&self, t: f64, bodies: &Bodies, pulls: &mut [Pull]) -> Result<(), ForceError> {
        match &self.law {
            Law::Spring(spring) => spring.pull(&self.name, bodies, pulls)?,
            Law::Attraction(attraction) => attraction.pull(&self.name, bodies, pulls)?,
            Law::Gravitation(gravitation) => gravitation.pairs().pull(&self.name, bodies, pulls)?,
            Law::Charges(charges) => charges.pairs().pull(&self.name, bodies, pulls)?,
            Law::Load(load) => load.pull(t, bodies, pulls),
            Law::Drag(drag) => drag.pull(bodies, pulls),
            Law::Contact(contact) => contact.pull(&self.name, bodies, pulls)?,
        }
        Ok(())
    }

    /// Lists the derivatives of the force at the time `t`.
    pub fn stiffness(&self, t: f64, bodies: &Bodies, list: &mut Vec<Stiffness>) -> Result<(), ForceError> {
        match &self.law {
            Law::Spring(spring) => spring.stiffness(&self.name, bodies, list)?,
            Law::Attraction(attraction) => attraction.stiffness(&self.name, bodies, list)?,
            Law::Gravitation(gravitation) => gravitation.pairs().stiffness(&self.name, bodies, list)?,
            Law::Charges(charges) => charges.pairs().stiffness(&self.name, bodies, list)?,
            Law::Load(load) => load.stiffness(t, list),
            Law::Drag(drag) => drag.stiffness(bodies, list),
            Law::Contact(contact) => contact.stiffness(&self.name, bodies, list)?,
        }
        Ok(())
    }

    /// Lists all of them: also what [`Self::stiffness`] leaves out of contact, at the price of many forces.
    pub fn complete_stiffness(
        &self,
        t: f64,
        bodies: &Bodies,
        list: &mut Vec<Stiffness>,
    ) -> Result<(), ForceError> {
        match &self.law {
            Law::Contact(contact) => contact.complete_stiffness(&self.name, bodies, list),
            _ => self.stiffness(t, bodies, list),
        }
    }

    /// Adds `∂pull/∂t` to the pulls: how the force changes because time goes on, with every body where it is.
    pub fn rate(&self, t: f64, bodies: &Bodies, pulls: &mut [Pull]) {
        match &self.law {
            Law::Load(load) => load.rate(t, bodies, pulls),
            Law::Spring(_)
            | Law::Attraction(_)
            | Law::Gravitation(_)
            | Law::Charges(_)
            | Law::Drag(_)
            | Law::Contact(_) => {}
        }
    }

    /// Potential energy, J: the part of the force that has one.
    pub fn potential(&self, bodies: &Bodies) -> Result<f64, ForceError> {
        match &self.law {
            Law::Spring(spring) => spring.potential(&self.name, bodies),
            Law::Attraction(attraction) => attraction.potential(&self.name, bodies),
            Law::Gravitation(gravitation) => gravitation.pairs().potential(&self.name, bodies),
            Law::Charges(charges) => charges.pairs().potential(&self.name, bodies),
            Law::Contact(contact) => contact.potential(&self.name, bodies),
            Law::Load(_) | Law::Drag(_) => Ok(0.0),
        }
    }

    /// Power of the part that has no potential, W.
    pub fn power(&self, t: f64, bodies: &Bodies) -> Result<f64, ForceError> {
        match &self.law {
            Law::Spring(spring) => spring.power(&self.name, bodies),
            Law::Attraction(_) | Law::Gravitation(_) | Law::Charges(_) => Ok(0.0),
            Law::Load(load) => Ok(load.power(t, bodies)),
            Law::Drag(drag) => Ok(drag.power(bodies)),
            Law::Contact(contact) => contact.power(&self.name, bodies),
        }
    }

    /// Whether all of it comes from a potential.
    pub fn is_conservative(&self) -> bool {
        match &self.law {
            Law::Spring(spring) => spring.damping == 0.0,
            Law::Contact(contact) => contact.drag == 0.0,
            Law::Attraction(_) | Law::Gravitation(_) | Law::Charges(_) => true,
            Law::Load(_) | Law::Drag(_) => false,
        }
    }

    /// Whether its derivatives jump where it acts: Newton's method must then look where its corrections lead.
    pub fn bends(&self) -> bool {
        matches!(self.law, Law::Contact(_))
    }

    /// Most stiffness elements it lists: scratch memory is made for them once.
    pub fn stiffness_count(&self) -> usize {
        match &self.law {
            Law::Spring(_) | Law::Attraction(_) | Law::Load(_) => 1,
            Law::Gravitation(gravitation) => gravitation.pairs().count(),
            Law::Charges(charges) => charges.pairs().count(),
            Law::Drag(_) => 2,
            Law::Contact(contact) => contact.count(),
        }
    }

    /// Visits the slots of the bodies it acts on; a body may be visited more than once.
    pub fn for_each_slot(&self, visit: &mut dyn FnMut(usize)) {
        let sources = |list: &[Source], visit: &mut dyn FnMut(usize)| {
            list.iter().filter_map(|source| source.anchor.body).for_each(visit)
        };
        match &self.law {
            Law::Spring(spring) => [spring.a, spring.b].iter().filter_map(|a| a.body).for_each(visit),
            Law::Attraction(attraction) => attraction.body.anchor.body.into_iter().for_each(visit),
            Law::Gravitation(gravitation) => sources(&gravitation.bodies, visit),
            Law::Charges(charges) => sources(&charges.charges, visit),
            Law::Load(load) => load.anchor.body.into_iter().for_each(visit),
            Law::Drag(drag) => drag.anchor.body.into_iter().for_each(visit),
            Law::Contact(contact) => contact.slots().iter().copied().for_each(visit),
        }
    }

    /// Every point it acts on; contact has none that stays. Allocates: for building a model, not for steps.
    pub fn anchors_mut(&mut self) -> Vec<&mut Anchor> {
        fn sources(list: &mut [Source]) -> Vec<&mut Anchor> {
            list.iter_mut().map(|source| &mut source.anchor).collect()
        }
        match &mut self.law {
            Law::Spring(spring) => spring.anchors_mut().into(),
            Law::Attraction(attraction) => vec![&mut attraction.body.anchor],
            Law::Gravitation(gravitation) => sources(&mut gravitation.bodies),
            Law::Charges(charges) => sources(&mut charges.charges),
            Law::Load(load) => vec![&mut load.anchor],
            Law::Drag(drag) => vec![&mut drag.anchor],
            Law::Contact(_) => Vec::new(),
        }
    }

    /// Whether its numbers can be meant.
    pub fn check(&self) -> Result<(), ParameterError> {
        match &self.law {
            Law::Spring(spring) => spring.check(),
            Law::Attraction(attraction) => attraction.check(),
            Law::Gravitation(gravitation) => gravitation.check(),
            Law::Charges(charges) => charges.check(),
            Law::Load(load) => load.check(),
            Law::Drag(drag) => drag.check(),
            Law::Contact(contact) => contact.check(),
        }
    }

    /// The body that must have an orientation for the force to mean something, if there is one.
    pub fn turned_body(&self) -> Option<usize> {
        match &self.law {
            Law::Load(load) if load.turns() => load.anchor.body,
            Law::Drag(drag) if drag.turns() => drag.anchor.body,
            _ => None,
        }
    }

    /// Takes over from the bodies what the author need not repeat: masses, centres of mass, and from the author's axes to
    /// the principal ones. Called once, while anchors still name bodies by their place in the list.
    pub fn settle(&mut self, bodies: &[Body]) -> Result<(), ParameterError> {
        match &mut self.law {
            Law::Attraction(attraction) => attraction.settle(bodies),
            Law::Gravitation(gravitation) => gravitation.settle(bodies),
            Law::Load(load) => {
                load.settle(bodies);
                Ok(())
            }
            Law::Spring(_) | Law::Charges(_) | Law::Drag(_) | Law::Contact(_) => Ok(()),
        }
    }
}
