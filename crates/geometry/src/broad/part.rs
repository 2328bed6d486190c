//! Parts of the broad phase: their ids and groups, and errors.

use crate::bounds::Aabb;

/// The name of a convex part: which body, and which of its parts. Pairs are sorted by it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PartId {
    /// The body. Parts of one body never pair.
    pub body: u32,
    /// The part within the body.
    pub part: u32,
}

impl PartId {
    /// A name from its two numbers.
    #[inline]
    pub fn new(body: u32, part: u32) -> Self {
        Self { body, part }
    }
}

impl std::fmt::Display for PartId {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "part {} of body {}", self.part, self.body)
    }
}

/// Two parts, the lesser name first.
pub type PartPair = (PartId, PartId);

/// Collision groups: two parts pair only if each belongs to a group with which the other collides.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Groups {
    /// Bit set of the groups that the part belongs to.
    pub member: u32,
    /// Bit set of the groups with which the part collides.
    pub meets: u32,
}

impl Groups {
    /// Collides with everything.
    pub const ALL: Groups = Groups { member: !0, meets: !0 };

    /// Whether both sides allow the pair.
    #[inline(always)]
    pub fn agree(&self, other: &Groups) -> bool {
        (self.member & other.meets != 0) & (other.member & self.meets != 0)
    }
}

impl Default for Groups {
    fn default() -> Self {
        Self::ALL
    }
}

/// A part as it is inserted into the broad phase.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Part {
    /// Its name, unique in the broad phase.
    pub id: PartId,
    /// Never moves by itself (ground, walls): two fixed parts never pair. Its box may still be updated.
    pub fixed: bool,
    /// Its collision groups.
    pub groups: Groups,
}

impl Part {
    /// A part that moves and collides with everything.
    pub fn moving(id: PartId) -> Self {
        Self { id, fixed: false, groups: Groups::ALL }
    }

    /// A part at rest that collides with everything that moves.
    pub fn fixed(id: PartId) -> Self {
        Self { id, fixed: true, groups: Groups::ALL }
    }

    /// The same part in other groups.
    pub fn with_groups(self, groups: Groups) -> Self {
        Self { groups, ..self }
    }
}

/// A refused request to the broad phase. It changes nothing.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum BroadError {
    /// A corner of a box is not a number, a box is inside out, or lies wholly at infinity.
    #[error(
        "the box of {id} is not a box: least corner {lower:?}, greatest corner {upper:?}; every least coordinate \
         must be a number not above the greatest (check the body's pose for NaN)"
    )]
    BadBox {
        /// Whose box.
        id: PartId,
        /// Its least corner.
        lower: [f64; 3],
        /// Its greatest corner.
        upper: [f64; 3],
    },
    /// A bound on a displacement is negative, infinite or not a number.
    #[error("the displacement of {id} is bounded by {bound}, but a bound must be a number from zero up")]
    BadDisplacement {
        /// Whose displacement.
        id: PartId,
        /// The bound given.
        bound: f64,
    },
    /// The name is taken.
    #[error("{id} is already in the broad phase; update its box or give the new part another number")]
    Duplicate {
        /// The name.
        id: PartId,
    },
    /// The proxy was removed.
    #[error("the proxy {index} has been removed; keep the one returned by the last insert of its part")]
    Removed {
        /// Its place.
        index: u32,
    },
    /// The slack is negative, infinite or not a number.
    #[error("the margin is {given}, but must be a number from zero up (a fraction of a part's size)")]
    BadMargin {
        /// The slack given.
        given: f64,
    },
    /// A list of pairs is not sorted, or names a pair twice.
    #[error("pair {index} of the list does not come after the one before it; sort the list and drop repeats")]
    Unsorted {
        /// The first pair out of order.
        index: usize,
    },
    /// More parts than can be numbered.
    #[error("the broad phase holds 2^31 parts already; split the scene")]
    Full,
}

/// Refuses what is not a box.
#[inline(always)]
pub(super) fn check(id: PartId, b: &Aabb) -> Result<(), BroadError> {
    let ordered = |k: usize| {
        (b.lower[k] <= b.upper[k]) & (b.lower[k] < f64::INFINITY) & (b.upper[k] > f64::NEG_INFINITY)
    };
    if ordered(0) & ordered(1) & ordered(2) {
        Ok(())
    } else {
        Err(BroadError::BadBox { id, lower: b.lower.into(), upper: b.upper.into() })
    }
}
