//! Errors of a model: every message names the source and the remedy.

use crate::body::BodyError;
use crate::contact::ContactError;
use crate::force::ParameterError;
use thiserror::Error;

/// An invalid model.
#[derive(Clone, Debug, Error, PartialEq)]
pub enum ModelError {
    /// An invalid body.
    #[error("body `{body}`: {error}")]
    Body {
        /// Its name.
        body: String,
        /// What is wrong.
        error: BodyError,
    },
    /// Two bodies, joints or forces of one name.
    #[error("two {what} are called `{name}`; rename one")]
    Duplicate {
        /// bodies, joints, forces
        what: &'static str,
        /// The name.
        name: String,
    },
    /// A number that is not finite.
    #[error("{place} is not finite")]
    NotFinite {
        /// Where.
        place: String,
    },
    /// A missing body or joint.
    #[error("{place}: there is no {what} number {id}; {count} were added")]
    Unknown {
        /// The force.
        place: String,
        /// body, joint
        what: &'static str,
        /// Its number.
        id: usize,
        /// How many there are.
        count: usize,
    },
    /// A velocity for a body that never moves.
    #[error("`{body}` is fixed, but is given a velocity; give it a mass or leave the velocity out")]
    FixedVelocity {
        /// The body.
        body: String,
    },
    /// A joint that closes a loop with limits, friction or damping.
    #[error(
        "joint `{joint}` closes a loop and has no coordinates for {what}; close the loop by another joint, or give them to another joint"
    )]
    LoopCoordinates {
        /// The joint.
        joint: String,
        /// limits, friction, damping
        what: &'static str,
    },
    /// A joint that starts outside its limits.
    #[error(
        "joint `{joint}` starts at {value}, outside of its limits [{lower}, {upper}]; move its bodies or its initial coordinate, or widen the limits"
    )]
    OutsideLimits {
        /// The joint.
        joint: String,
        /// Its coordinate.
        value: f64,
        /// The limits.
        lower: f64,
        /// The limits.
        upper: f64,
    },
    /// A motion for a body that forces move.
    #[error(
        "`{body}` is given a motion, but forces move it already; make it fixed (`kind = \"fixed\"`) or leave the motion out"
    )]
    MovingDriven {
        /// The body.
        body: String,
    },
    /// A joint or force on a driven body.
    #[error(
        "{what} `{name}` is tied to `{body}`, which has a motion that only contact passes on; tie it to another body or to the world, or leave the motion out"
    )]
    TiedToDriven {
        /// joint, force
        what: &'static str,
        /// Its name.
        name: String,
        /// The driven body.
        body: String,
    },
    /// A joint from a body to itself.
    #[error("joint `{joint}` ties `{body}` to itself; name two bodies")]
    ToItself {
        /// The joint.
        joint: String,
        /// The body.
        body: String,
    },
    /// A joint whose child cannot move.
    #[error("joint `{joint}`: its child `{body}` is fixed; make it the parent")]
    FixedChild {
        /// The joint.
        joint: String,
        /// The body.
        body: String,
    },
    /// A body that is the child of two joints.
    #[error(
        "`{body}` is the child of joints `{first}` and `{second}`; mark one of them as a loop (`loop = true`) or swap its parent and child"
    )]
    TwoParents {
        /// The body.
        body: String,
        /// One joint.
        first: String,
        /// The other.
        second: String,
    },
    /// A cycle of joints.
    #[error(
        "joints go round in a circle through `{body}` (joint `{joint}`); mark one of them as a loop (`loop = true`)"
    )]
    Cycle {
        /// A body of the cycle.
        body: String,
        /// A joint of the cycle.
        joint: String,
    },
    /// A kind of joint whose child cannot be a particle.
    #[error(
        "joint `{joint}` is {kind}, but `{body}` is a particle, which has no orientation; use free, rod, planar or prismatic, or give it an inertia"
    )]
    Particle {
        /// The joint.
        joint: String,
        /// Its kind.
        kind: &'static str,
        /// The particle.
        body: String,
    },
    /// Bodies whose poses violate their joint.
    #[error(
        "joint `{joint}`: the bodies are not placed as it demands (off by {misfit:e} in {row}); move one of them or the joint"
    )]
    Misfit {
        /// The joint.
        joint: String,
        /// By how much (m, or cosine).
        misfit: f64,
        /// Which equation.
        row: String,
    },
    /// Bodies whose axes satisfy the joint's right angles the wrong way round.
    #[error(
        "joint `{joint}`: the child-side axes are perpendicular where they should be, but point the other way; turn the child or its frame about"
    )]
    Flipped {
        /// The joint.
        joint: String,
    },
    /// A rod of no length.
    #[error("rod `{joint}` has length {length}; give it a positive one, or use a spherical joint")]
    Rod {
        /// The joint.
        joint: String,
        /// Its length.
        length: f64,
    },
    /// Velocities that joints do not allow.
    #[error(
        "the velocity of `{body}` is not one that joint `{joint}` allows (off by {misfit:e}); correct it, give the joint's rate instead, or ask for a projection (`project = true`)"
    )]
    Velocity {
        /// The body.
        body: String,
        /// The joint.
        joint: String,
        /// Size of the part that is not allowed, m/s or rad/s.
        misfit: f64,
    },
    /// Joint rates of the wrong number.
    #[error("joint `{joint}` has {expected} degrees of freedom, but {found} rates are given")]
    Rates {
        /// The joint.
        joint: String,
        /// How many there are.
        expected: usize,
        /// How many were given.
        found: usize,
    },
    /// A force along a coordinate the joint does not have.
    #[error(
        "force `{force}`: joint `{joint}` keeps {coordinates} coordinates, so there is no number {asked}; spherical, free and rod joints keep none"
    )]
    Coordinate {
        /// The force.
        force: String,
        /// The joint.
        joint: String,
        /// How many it keeps.
        coordinates: usize,
        /// The one given.
        asked: usize,
    },
    /// A torque, or a force that turns with the body, on a body without orientation.
    #[error(
        "force `{force}` turns `{body}`, or turns with it, but that is a particle; give it an inertia, or a force in the world's axes"
    )]
    NoOrientation {
        /// The force.
        force: String,
        /// The particle.
        body: String,
    },
    /// Contact that cannot be set up.
    #[error(transparent)]
    Contact(#[from] ContactError),
    /// A parameter outside its range.
    #[error("{place} is {value}; {remedy}")]
    Range {
        /// Where.
        place: String,
        /// The value.
        value: f64,
        /// What it should be.
        remedy: &'static str,
    },
}

impl ParameterError {
    /// The same error about the force of a name.
    pub(super) fn of(self, force: &str) -> ModelError {
        let place = format!("force `{force}`: {}", self.parameter);
        ModelError::Range { place, value: self.value, remedy: self.remedy }
    }
}
