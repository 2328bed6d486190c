//! The model: everything about a scene that is constant in time.
//!
//! The list of bodies has the order of the scene. Moving bodies are also numbered by *slots*: grouped into
//! islands, and in each tree parents before children. An island is a set of bodies that joints, loops or forces
//! connect; islands are independent and advance in parallel, bitwise identical.

mod build;
mod check;
mod error;
mod initial_momenta;
mod island;
mod joint_spec;
mod open_loops;
mod part_poses;
mod state;
mod suggested_stiffness;
mod with_forces;
mod with_loops;

pub use crate::body::BodyId;
pub use build::ModelBuilder;
pub use error::ModelError;
pub(crate) use island::Groups;
pub use island::Island;
pub use joint_spec::{JointId, JointSpec};
pub use state::State;
pub use suggested_stiffness::{Suggestion, suggested_stiffness};

use crate::body::Body;
use crate::contact::ContactGeometry;
use crate::force::{Force, JointForce};
use crate::joint::Joint;
use crate::prescribed_motion::Motion;
use crate::rotation::Mat3;
use crate::tree::{Closure, Link};
use percussion_geometry::{Pose, Vec3};
use std::sync::Arc;

/// Everything about a scene that is constant in time.
#[derive(Clone, Debug)]
pub struct Model {
    /// All bodies, in the order of the scene.
    pub bodies: Vec<Body>,
    /// Poses of the bodies' own frames at the start: those of fixed bodies, and the reference of driven ones.
    pub placed: Vec<Pose>,
    /// Slot of each body, if forces move it.
    pub slots: Vec<Option<usize>>,
    /// The moving bodies, by slot.
    pub links: Vec<Link>,
    /// Joints that close loops, by island.
    pub closures: Vec<Closure>,
    /// Forces, by island.
    pub forces: Vec<Force>,
    /// Forces along joints of the tree, by island.
    pub joint_forces: Vec<JointForce>,
    /// Forces along joints that are constraints, in a model without a tree; their slots are indices of closures.
    pub closure_forces: Vec<JointForce>,
    /// Contact geometry, if contact is enabled.
    pub contacts: Option<Arc<ContactGeometry>>,
    /// Independent groups of bodies.
    pub islands: Vec<Island>,
    /// Uniform gravity, m/s².
    pub gravity: Vec3,
    /// All degrees of freedom of the tree.
    pub dofs: usize,
    /// All joint coordinates.
    pub coordinates: usize,
}

impl Model {
    /// The index of a body in the list, by name.
    pub fn body_named(&self, name: &str) -> Option<usize> {
        self.bodies.iter().position(|body| body.name == name)
    }

    /// Pose of a body's own frame.
    pub fn pose(&self, state: &State, body: usize) -> Pose {
        match self.slots[body] {
            Some(slot) => self.bodies[body].own_pose(&state.principal_pose(slot)),
            None => match self.prescribed_motion(body) {
                Some(motion) => motion.pose(state.time).then(&self.placed[body]),
                None => self.placed[body],
            },
        }
    }

    /// The prescribed motion of a fixed body.
    pub fn prescribed_motion(&self, body: usize) -> Option<&Motion> {
        self.bodies[body].motion.as_deref()
    }

    /// The bodies with a prescribed motion.
    pub fn prescribed_motions(&self) -> impl Iterator<Item = (usize, &Motion)> {
        (0..self.bodies.len()).filter_map(|body| Some((body, self.prescribed_motion(body)?)))
    }

    /// All joints: those of the tree, then those that close loops.
    pub fn joints(&self) -> impl Iterator<Item = &Joint> {
        self.links.iter().map(|link| &link.joint).chain(self.closures.iter().map(|closure| &closure.joint))
    }

    /// Whether a joint has limits.
    pub fn has_limits(&self) -> bool {
        self.joints().any(|joint| joint.limits.iter().any(Option::is_some))
    }

    /// Whether joints have limits or drives.
    pub fn has_joint_rows(&self) -> bool {
        let mut forces = self.joint_forces.iter().chain(&self.closure_forces);
        self.has_limits() || forces.any(JointForce::is_drive)
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
        let joints = self.links.iter().map(|l| &l.joint).chain(self.closures.iter().map(|c| &c.joint));
        let arms = joints.map(|joint| joint.child_frame.point.norm().max(joint.length));
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
