//! Planned contacts: which bodies collide at which node, and by which laws.

/// Friction of a planned contact.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum ContactFriction {
    /// None.
    Frictionless,
    /// Coulomb's friction with a coefficient: the point sticks if the cone allows it, and slides on the cone otherwise.
    Coulomb(f64),
    /// The point sticks, whatever impulse that takes.
    Sticking,
}

/// A joint that a contact makes, until the end or another node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ContactJoint {
    /// A spherical joint at the point of contact.
    Point,
    /// A fixed joint.
    Rigid,
}

/// A planned contact.
#[must_use]
#[derive(Clone, Debug, PartialEq)]
pub struct PlannedContact {
    /// Its name in messages.
    pub name: String,
    /// Its node.
    pub node: usize,
    /// The bodies, by their indices in the model; the first one moves.
    pub bodies: (usize, usize),
    /// Coefficient of restitution.
    pub restitution: f64,
    /// Friction. A point joint with [`ContactFriction::Coulomb`] is a foothold: its normal force is unilateral and its force within the
    /// friction cone. Other joints hold in all directions.
    pub friction: ContactFriction,
    /// Whether two faces come into contact: all corners of the contact touch.
    pub flat: bool,
    /// The joint that it makes.
    pub joint: Option<ContactJoint>,
    /// The node where that joint leaves; `None` for the end.
    pub release_node: Option<usize>,
}

impl PlannedContact {
    /// An elastic and frictionless contact at one point.
    pub fn new(name: impl Into<String>, node: usize, bodies: (usize, usize)) -> Self {
        Self {
            name: name.into(),
            node,
            bodies,
            restitution: 1.0,
            friction: ContactFriction::Frictionless,
            flat: false,
            joint: None,
            release_node: None,
        }
    }

    /// The same with a coefficient of restitution.
    pub fn restitution(self, restitution: f64) -> Self {
        Self { restitution, ..self }
    }

    /// The same with friction.
    pub fn friction(self, friction: ContactFriction) -> Self {
        Self { friction, ..self }
    }

    /// The same of two faces.
    pub fn flat(self) -> Self {
        Self { flat: true, ..self }
    }

    /// The same with a joint until the end.
    pub fn joint(self, joint: ContactJoint) -> Self {
        Self { joint: Some(joint), ..self }
    }

    /// The coefficient of friction, if the joint that it makes is a foothold.
    pub fn foothold(&self) -> Option<f64> {
        match (self.joint, self.friction) {
            (Some(ContactJoint::Point), ContactFriction::Coulomb(mu)) => Some(mu),
            _ => None,
        }
    }

    /// The last node where it acts, in a plan of so many intervals: its own, or that where the joint leaves.
    pub fn last(&self, intervals: usize) -> usize {
        match self.joint {
            Some(_) => self.release_node.unwrap_or(intervals),
            None => self.node,
        }
    }

    /// Whether it is between two bodies, in either order.
    pub fn is_between(&self, a: usize, b: usize) -> bool {
        self.bodies == (a, b) || self.bodies == (b, a)
    }
}
