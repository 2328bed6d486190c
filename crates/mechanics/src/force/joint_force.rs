//! Forces along a joint's own degrees of freedom: torsional springs and dampers, motors.
//!
//! They act on a joint coordinate (angle or travel) `c`, taken at the middle of a step as the mean of its ends and
//! with the rate `(c1 - c0)/h`. Angles are not reduced to one turn: a clockwork spring winds up.
//!
//! A motor needs no coordinate: a model [with forces added](crate::Model::with_forces) may have it along the degrees of freedom of
//! spherical, free and rod joints, which keep none. Its
//! share in a step is `h/2` at each end, along the axes that the degree of freedom has there, as that of a
//! [`Control`](crate::discrete::Control) along the degree of freedom; its work is that along the displacement of the degree of freedom
//! ([`Joint::travel`](crate::joint::Joint::travel)).

use super::parameter::{ParameterError, finite_number, not_negative};
use crate::table::Table;

/// What acts along a degree of freedom of a joint.
#[derive(Clone, Debug)]
pub enum JointLaw {
    /// `-stiffness (c - rest)`, with the energy `stiffness/2 (c - rest)²`.
    Spring {
        /// N m/rad or N/m.
        stiffness: f64,
        /// Coordinate without force.
        rest: f64,
    },
    /// `-damping c'`.
    Damper {
        /// N m s/rad or N s/m.
        damping: f64,
    },
    /// A torque or force given in time; the joint need not have a coordinate.
    Motor(Table<1>),
}

/// A force along one degree of freedom of a joint.
#[derive(Clone, Debug)]
pub struct JointForce {
    /// Its name in the scene.
    pub name: String,
    /// The slot of the joint's child. (While a model is being built: the joint's index in the list.)
    pub slot: usize,
    /// The degree of freedom of the joint: the coordinate of the same number, where the joint has coordinates.
    pub coordinate: usize,
    /// What it is.
    pub law: JointLaw,
}

/// Value and derivatives of a force along a coordinate.
#[derive(Clone, Copy, Debug)]
pub struct JointForceValue {
    /// Torque or force.
    pub value: f64,
    /// Derivative with respect to the coordinate.
    pub by_position: f64,
    /// Derivative with respect to its rate.
    pub by_velocity: f64,
}

impl JointForce {
    /// The coordinate along the degree of freedom; zero without one.
    pub fn position(&self, coordinates: &[f64]) -> f64 {
        coordinates.get(self.coordinate).copied().unwrap_or(0.0)
    }

    /// At the time `t`, for the coordinate `c` and its rate.
    pub fn evaluate(&self, t: f64, c: f64, rate: f64) -> JointForceValue {
        let (value, by_position, by_velocity) = match &self.law {
            JointLaw::Spring { stiffness, rest } => (-stiffness * (c - rest), -stiffness, 0.0),
            JointLaw::Damper { damping } => (-damping * rate, 0.0, -damping),
            JointLaw::Motor(table) => (table.at(t)[0], 0.0, 0.0),
        };
        JointForceValue { value, by_position, by_velocity }
    }

    /// `∂value/∂t`.
    pub fn time_derivative(&self, t: f64) -> f64 {
        match &self.law {
            JointLaw::Motor(table) => table.slope(t)[0],
            JointLaw::Spring { .. } | JointLaw::Damper { .. } => 0.0,
        }
    }

    /// Potential energy, J.
    pub fn potential(&self, c: f64) -> f64 {
        match &self.law {
            JointLaw::Spring { stiffness, rest } => 0.5 * stiffness * (c - rest).powi(2),
            JointLaw::Damper { .. } | JointLaw::Motor(_) => 0.0,
        }
    }

    /// Power of the part that has no potential, W.
    pub fn power(&self, t: f64, c: f64, rate: f64) -> f64 {
        if self.is_conservative() { 0.0 } else { self.evaluate(t, c, rate).value * rate }
    }

    /// Checks the parameters.
    pub fn check(&self) -> Result<(), ParameterError> {
        match &self.law {
            JointLaw::Spring { stiffness, rest } => {
                not_negative("stiffness", *stiffness)?;
                finite_number("the rest coordinate", *rest)
            }
            JointLaw::Damper { damping } => not_negative("damping", *damping),
            JointLaw::Motor(table) => {
                table.numbers().try_for_each(|number| finite_number("a value of the motor", number))
            }
        }
    }

    /// Whether all of it comes from a potential.
    pub fn is_conservative(&self) -> bool {
        matches!(self.law, JointLaw::Spring { .. })
    }
}
