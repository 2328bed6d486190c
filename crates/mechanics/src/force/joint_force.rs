//! Forces along a joint's own degrees of freedom: torsional springs and dampers, motors, friction.
//!
//! They act on a joint coordinate (angle or travel) `c`, taken at the middle of a step as the mean of its ends and
//! with the rate `(c1 - c0)/h`. Angles are not reduced to one turn: a clockwork spring winds up.
//!
//! Motors of a velocity, servos and dry friction are *drives*: their torque is an unknown of the step within a bound, and a condition
//! determines it. They are rows of the contact problem (`response/joint_rows`, `schemes/lcp/joint_rows.rs`); as forces they are zero.
//!
//! ```text
//! velocity   rate = v(t)  within |τ| ≤ max;  τ = ±max where the rate is less, more
//! friction   the same with v = 0: sticks exactly, or slides with constant torque
//! servo      τ = clamp(stiffness (x(t) - c) + damping (x'(t) - rate)), implicit in the step
//! ```
//!
//! A motor of a torque needs no coordinate: a model [with forces added](crate::Model::with_forces) may have it along the degrees of
//! freedom of spherical, free and rod joints, which keep none. Its
//! share in a step is `h/2` at each end, along the axes that the degree of freedom has there, as that of a
//! [`Control`](crate::discrete::Control) along the degree of freedom; its work is that along the displacement of the degree of freedom
//! ([`Joint::travel`](crate::joint::Joint::travel)).

use super::parameter::{ParameterError, finite_number, not_below_zero, not_negative};
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
    /// A motor that holds a rate within a largest torque; it holds a load still at rate zero.
    Velocity {
        /// Rate to hold, rad/s or m/s.
        velocity: Table<1>,
        /// Largest torque or force, N m or N; infinite without one.
        max: f64,
    },
    /// A servo: a spring and a damper towards a position given in time, within a largest torque.
    Servo {
        /// Gain, N m/rad or N/m.
        stiffness: f64,
        /// Gain, N m s/rad or N s/m.
        damping: f64,
        /// The position, rad or m.
        position: Table<1>,
        /// Largest torque or force, N m or N; infinite without one.
        max: f64,
    },
    /// Dry friction: opposes motion with a constant torque, and sticks within it.
    Friction {
        /// Torque or force of sliding, N m or N.
        bound: f64,
    },
}

/// A force along one degree of freedom of a joint.
#[derive(Clone, Debug)]
pub struct JointForce {
    /// Its name in the scene.
    pub name: String,
    /// The slot of the joint's child. (While a model is being built: the joint's index in the list. Of forces along joints that are
    /// constraints: the index of the closure.)
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

    /// Whether its torque is an unknown of the step.
    pub fn is_drive(&self) -> bool {
        matches!(self.law, JointLaw::Velocity { .. } | JointLaw::Servo { .. } | JointLaw::Friction { .. })
    }

    /// At the time `t`, for the coordinate `c` and its rate; zero for drives.
    pub fn evaluate(&self, t: f64, c: f64, rate: f64) -> JointForceValue {
        let (value, by_position, by_velocity) = match &self.law {
            JointLaw::Spring { stiffness, rest } => (-stiffness * (c - rest), -stiffness, 0.0),
            JointLaw::Damper { damping } => (-damping * rate, 0.0, -damping),
            JointLaw::Motor(table) => (table.at(t)[0], 0.0, 0.0),
            JointLaw::Velocity { .. } | JointLaw::Servo { .. } | JointLaw::Friction { .. } => (0.0, 0.0, 0.0),
        };
        JointForceValue { value, by_position, by_velocity }
    }

    /// `∂value/∂t`.
    pub fn time_derivative(&self, t: f64) -> f64 {
        match &self.law {
            JointLaw::Motor(table) => table.slope(t)[0],
            _ => 0.0,
        }
    }

    /// Potential energy, J.
    pub fn potential(&self, c: f64) -> f64 {
        match &self.law {
            JointLaw::Spring { stiffness, rest } => 0.5 * stiffness * (c - rest).powi(2),
            _ => 0.0,
        }
    }

    /// Power of the part that has no potential, W; zero for drives.
    pub fn power(&self, t: f64, c: f64, rate: f64) -> f64 {
        if self.is_conservative() { 0.0 } else { self.evaluate(t, c, rate).value * rate }
    }

    /// Checks the parameters.
    pub fn check(&self) -> Result<(), ParameterError> {
        let numbers = |table: &Table<1>| {
            table.numbers().try_for_each(|number| finite_number("a value of the motor", number))
        };
        match &self.law {
            JointLaw::Spring { stiffness, rest } => {
                not_negative("stiffness", *stiffness)?;
                finite_number("the rest coordinate", *rest)
            }
            JointLaw::Damper { damping } => not_negative("damping", *damping),
            JointLaw::Motor(table) => numbers(table),
            JointLaw::Velocity { velocity, max } => {
                not_below_zero("the largest torque", *max)?;
                numbers(velocity)
            }
            JointLaw::Servo { stiffness, damping, position, max } => {
                not_negative("stiffness", *stiffness)?;
                not_negative("damping", *damping)?;
                not_below_zero("the largest torque", *max)?;
                numbers(position)
            }
            JointLaw::Friction { bound } => not_negative("friction", *bound),
        }
    }

    /// Whether all of it comes from a potential.
    pub fn is_conservative(&self) -> bool {
        matches!(self.law, JointLaw::Spring { .. })
    }
}
