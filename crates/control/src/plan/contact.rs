//! ContactGeometry on purpose: which parts meet at which node, and what happens then.

/// What surfaces do across the normal.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Slip {
    /// Nothing: frictionless.
    Free,
    /// Coulomb's friction with a coefficient: the point sticks if the cone allows it, and slides on the cone otherwise.
    Friction(f64),
    /// The point stops, whatever that takes.
    Sticks,
}

/// A joint that a contact makes, until the end or another contact.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ContactJoint {
    /// The two points stay together; the bodies turn about them.
    Point,
    /// The bodies stay as they are on each other.
    Rigid,
}

/// A contact on purpose.
#[derive(Clone, Debug, PartialEq)]
pub struct PlannedContact {
    /// What people call it.
    pub name: String,
    /// At which node.
    pub node: usize,
    /// Which bodies, by their places in the list; the first one moves.
    pub bodies: (usize, usize),
    /// Coefficient of restitution.
    pub restitution: f64,
    /// What happens across the normal. A joint at a point that the contact makes with [`Slip::Friction`] is a foothold: it pushes only, within the
    /// cone. Other joints hold in all directions.
    pub slip: Slip,
    /// Whether faces are to lie on each other: all corners of the contact touch.
    pub flat: bool,
    /// A joint that it makes.
    pub tie: Option<ContactJoint>,
    /// The node where that joint leaves again, if it does.
    pub released: Option<usize>,
}

impl PlannedContact {
    /// The coefficient of friction, if the joint that it makes is a foothold.
    pub fn foothold(&self) -> Option<f64> {
        match (self.tie, self.slip) {
            (Some(ContactJoint::Point), Slip::Friction(mu)) => Some(mu),
            _ => None,
        }
    }

    /// The last node where it acts, in a plan of so many intervals: its own, or that where the joint it makes leaves.
    pub fn last(&self, intervals: usize) -> usize {
        match self.tie {
            Some(_) => self.released.unwrap_or(intervals),
            None => self.node,
        }
    }
}
