//! The model: everything about a scene that time does not change.
//!
//! Bodies keep the order of the scene for everyone outside. Inside, the moving ones are numbered by *slots*: grouped into
//! islands, and in each tree parents before children. An island is a set of bodies that joints, loops or forces tie
//! together; islands know nothing of each other and advance on their own, in parallel, to the same bits.

mod build;
mod check;
mod error;
mod island;
mod loaded;
mod open;
mod start;
mod tied;

pub use build::{BodyId, JointId, JointSpec, ModelBuilder};
pub use error::ModelError;
pub use island::Island;

use crate::body::Body;
use crate::contact::ContactGeometry;
use crate::force::{Force, JointForce};
use crate::joint::Joint;
use crate::motion::Motion;
use crate::rotation::Mat3;
use crate::state::State;
use percussion_geometry::{Pose, Vec3};
use std::sync::Arc;

/// A moving body with the joint it hangs on.
#[derive(Clone, Debug)]
pub struct Link {
    /// The body's place in the list of all bodies.
    pub body: usize,
    /// Slot of the body it hangs on; `None` is the world.
    pub parent: Option<usize>,
    /// How it hangs.
    pub joint: Joint,
    /// Where its degrees of freedom begin.
    pub dof: usize,
    /// Where its joint coordinates begin.
    pub coordinate: usize,
    /// Mass, kg.
    pub mass: f64,
    /// Principal moments of inertia, kg m².
    pub inertia: Vec3,
}

impl Link {
    /// The range of its degrees of freedom.
    pub fn dofs(&self) -> std::ops::Range<usize> {
        self.dof..self.dof + self.joint.dofs()
    }

    /// The range of its joint coordinates.
    pub fn coordinates(&self) -> std::ops::Range<usize> {
        self.coordinate..self.coordinate + self.joint.coordinates()
    }
}

/// A joint that closes a loop: constraints on top of the tree.
#[derive(Clone, Debug)]
pub struct Closure {
    /// The joint; its frames are on principal frames.
    pub joint: Joint,
    /// Slot of the parent side; `None` is the world.
    pub parent: Option<usize>,
    /// Slot of the child side.
    pub child: usize,
}

/// Everything about a scene that time does not change.
#[derive(Clone, Debug)]
pub struct Model {
    /// All bodies, in the order of the scene.
    pub bodies: Vec<Body>,
    /// Placements of the bodies' own frames at the start (what fixed bodies keep, and driven ones are displaced from).
    pub placed: Vec<Pose>,
    /// Slot of each body, if forces move it.
    pub slots: Vec<Option<usize>>,
    /// The moving bodies, by slot.
    pub links: Vec<Link>,
    /// Joints that close loops, by island.
    pub closures: Vec<Closure>,
    /// Forces, by island.
    pub forces: Vec<Force>,
    /// Forces along joints, by island.
    pub joint_forces: Vec<JointForce>,
    /// What may meet, if contact is watched.
    pub contacts: Option<Arc<ContactGeometry>>,
    /// Groups that advance on their own.
    pub islands: Vec<Island>,
    /// Uniform gravity, m/s².
    pub gravity: Vec3,
    /// All degrees of freedom of the tree.
    pub dofs: usize,
    /// All joint coordinates.
    pub coordinates: usize,
}

impl Model {
    /// The place of a body in the list, by name.
    pub fn body_named(&self, name: &str) -> Option<usize> {
        self.bodies.iter().position(|body| body.name == name)
    }

    /// BodyKinematics of a body's own frame.
    pub fn pose(&self, state: &State, body: usize) -> Pose {
        match self.slots[body] {
            Some(slot) => self.bodies[body].author_pose(&state.principal_pose(slot)),
            None => match self.driven(body) {
                Some(motion) => motion.pose(state.time).then(&self.placed[body]),
                None => self.placed[body],
            },
        }
    }

    /// How a fixed body is moved, if it is.
    pub fn driven(&self, body: usize) -> Option<&Motion> {
        self.bodies[body].motion.as_deref()
    }

    /// The bodies that are driven, each with its motion.
    pub fn all_driven(&self) -> impl Iterator<Item = (usize, &Motion)> {
        (0..self.bodies.len()).filter_map(|body| Some((body, self.driven(body)?)))
    }

    /// Number of moving bodies.
    pub fn moving(&self) -> usize {
        self.links.len()
    }

    /// A length typical of the scene: the greatest distance between a body and its joint, or between bodies at the
    /// start; tolerances on lengths are relative to it.
    pub fn size(&self, state: &State) -> f64 {
        let centre = state.positions.iter().sum::<Vec3>() / state.positions.len().max(1) as f64;
        let spread = state.positions.iter().map(|p| (p - centre).norm()).fold(0.0, f64::max);
        let arms = self.links.iter().map(|l| l.joint.on_child.point.norm().max(l.joint.length));
        arms.fold(spread, f64::max).max(f64::MIN_POSITIVE)
    }
}

/// World orientation and position of a parent, if it moves.
pub(crate) fn placed<'a>(
    positions: &'a [Vec3],
    rotations: &'a [Mat3],
    slot: Option<usize>,
) -> Option<(&'a Vec3, &'a Mat3)> {
    slot.map(|slot| (&positions[slot], &rotations[slot]))
}
