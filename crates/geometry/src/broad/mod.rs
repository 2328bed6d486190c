//! Broad phase: of all pairs of parts, those whose boxes touch.
//!
//! A dynamic tree of fat boxes [Catto 2019]. The broad phase holds axis-aligned boxes and ids of parts and has no shapes, velocities
//! or contacts: a time step gives it the swept bounds of each part.
//!
//! ```text
//! update     a new box inside the part's fat box costs a comparison; one that leaves it marks the part
//! refresh    marked parts get new fat boxes in the tree, which is searched for their new candidate pairs
//! pairs      candidates whose own boxes touch, sorted by name
//! ```
//!
//! The list of pairs is a function of the current boxes alone: candidates depend on history, but whether a
//! candidate is listed is decided by the boxes as given, in double precision. Two runs that reach the same
//! boxes by different ways, or a run resumed in the middle, get the same list to the last pair.
//!
//! Why a tree of our own: parry's `Bvh`, driven as rapier drives it, takes two to three times as long on
//! ten thousand moving boxes, and far longer on fast ones (`cargo bench --bench broad` prints both). Its
//! nodes hold two boxes in double precision and are linked; ours hold eight in single precision, rounded
//! outwards, and are packed, so that one box is compared with eight others in a dozen vector instructions.
//! With a hundredth of the boxes moving the two are even.

mod cache;
mod candidates;
mod node;
mod pack;
mod part;
mod phase;
mod refresh;
mod tree;

pub use cache::PairCache;
pub use part::{BroadError, Groups, Part, PartId, PartPair};
pub use phase::{BroadPhase, DEFAULT_MARGIN, Proxy};
