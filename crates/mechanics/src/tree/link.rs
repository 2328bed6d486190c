//! Bodies of the tree with the joints to their parents, and joints that close loops.

use crate::joint::Joint;
use percussion_geometry::Vec3;

/// A moving body with the joint to its parent.
#[derive(Clone, Debug)]
pub struct Link {
    /// The body's place in the list of all bodies.
    pub body: usize,
    /// Slot of its parent; `None` is the world.
    pub parent: Option<usize>,
    /// The joint to the parent.
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
    /// Where its coordinates begin in the state, in a model without a tree.
    pub coordinate: Option<usize>,
}
