//! Controls: forces and torques constant over an interval, at degrees of freedom of joints or at points of bodies.
//!
//! A control acts in the middle of the interval like any force, with the share `h/2` at each end [Johnson 4.5]. A force or
//! torque along a body's axes turns with its averaged directors, as a [`Load`](crate::force::Load) of the simulation does:
//! a plan found with controls and a simulation under tabulated loads solve the same equations.

use crate::body::BodyKind;
use crate::force::{Anchor, Axes, Bodies, ForceAccumulator, Stiffness};
use crate::model::Model;
use crate::rotation::Mat3;
use percussion_geometry::Vec3;
use thiserror::Error;

/// A point of a body with axes, in which the three components of a force or torque are given.
#[derive(Clone, Copy, Debug)]
pub struct ApplicationFrame {
    /// The body's slot.
    pub slot: usize,
    /// The point, in the principal frame, m.
    pub arm: Vec3,
    /// Axes of the components.
    pub axes: Axes,
    /// From components to the principal frame's (for the body's axes) or the world's.
    pub directions: Mat3,
}

/// Point of action of a control input.
#[derive(Clone, Copy, Debug)]
pub enum Control {
    /// A degree of freedom of a joint, by its place among all degrees of freedom of the model: one component, N or N m.
    Dof(usize),
    /// A point of a body: three components of a force, N.
    Force(ApplicationFrame),
    /// A body: three components of a torque, N m.
    Torque(ApplicationFrame),
}

/// Error of an invalid control.
#[derive(Clone, Debug, Error, PartialEq)]
pub enum ControlError {
    /// The body is fixed.
    #[error("body `{0}` is fixed: a control on it moves nothing; choose a body that moves")]
    Fixed(String),
    /// A point mass has no axes and cannot be turned.
    #[error("body `{0}` is a particle, which has no orientation; give a force along the world's axes")]
    Particle(String),
}

impl Control {
    /// A force at a point of a body (by its place in the list of all bodies), point and axes in the author's frame.
    pub fn force(model: &Model, body: usize, point: &Vec3, axes: Axes) -> Result<Self, ControlError> {
        let (slot, particle) = mover(model, body)?;
        if particle && axes == Axes::Body {
            return Err(ControlError::Particle(model.bodies[body].name.clone()));
        }
        let arm = model.bodies[body].arm(point);
        Ok(Self::Force(ApplicationFrame { slot, arm, axes, directions: directions(model, body, axes) }))
    }

    /// A torque on a body, in the world's axes or the author's on the body.
    pub fn torque(model: &Model, body: usize, axes: Axes) -> Result<Self, ControlError> {
        let (slot, particle) = mover(model, body)?;
        if particle {
            return Err(ControlError::Particle(model.bodies[body].name.clone()));
        }
        let directions = directions(model, body, axes);
        Ok(Self::Torque(ApplicationFrame { slot, arm: Vec3::zeros(), axes, directions }))
    }

    /// Number of components of its input.
    pub fn components(&self) -> usize {
        match self {
            Self::Dof(_) => 1,
            Self::Force(_) | Self::Torque(_) => 3,
        }
    }

    /// Adds its force to the accumulators; an input along a degree of freedom adds nothing there.
    pub(super) fn add_forces(&self, input: &[f64], bodies: &Bodies, accumulators: &mut [ForceAccumulator]) {
        match self {
            Self::Dof(_) => {}
            Self::Force(frame) => {
                let anchor = Anchor { body: Some(frame.slot), arm: frame.arm };
                anchor.apply_force(bodies, &frame.components_in_world(input, bodies), accumulators);
            }
            Self::Torque(frame) => {
                accumulators[frame.slot - bodies.first].torque += frame.components_in_world(input, bodies)
            }
        }
    }

    /// The derivative of the force of its input with respect to the body's directors.
    pub(super) fn stiffness(&self, input: &[f64], list: &mut Vec<Stiffness>) {
        let (frame, force, torque) = match self {
            Self::Dof(_) => return,
            Self::Force(frame) => (frame, frame.components(input), Vec3::zeros()),
            Self::Torque(frame) => (frame, Vec3::zeros(), frame.components(input)),
        };
        if frame.axes == Axes::Body {
            list.push(Stiffness::Following { body: frame.slot, arm: frame.arm, force, torque });
        }
    }
}

impl ApplicationFrame {
    fn components(&self, input: &[f64]) -> Vec3 {
        self.directions * Vec3::new(input[0], input[1], input[2])
    }

    /// In the world's axes.
    fn components_in_world(&self, input: &[f64], bodies: &Bodies) -> Vec3 {
        self.axes.to_world(&self.components(input), &bodies.kinematics[self.slot - bodies.first])
    }
}

fn mover(model: &Model, body: usize) -> Result<(usize, bool), ControlError> {
    let slot = model.slots[body].ok_or_else(|| ControlError::Fixed(model.bodies[body].name.clone()))?;
    Ok((slot, model.bodies[body].kind == BodyKind::Particle))
}

fn directions(model: &Model, body: usize, axes: Axes) -> Mat3 {
    match axes {
        Axes::World => Mat3::identity(),
        Axes::Body => *model.bodies[body].principal.rotation.inverse().matrix(),
    }
}
