//! Degenerate contacts resolved: one symmetric choice among many optimal answers, and the ranges of them all.
//!
//! Boxes on floors, stacked bricks and corners on corners leave the separation LP with several solutions. A query
//! returns one of them, a corner of the optimal set that depends on rounding. [`resolve`] returns the one of least
//! norm instead [Johnson 2.7.5]:
//!
//! ```text
//! α   the shortest optimal direction                                 corner on corner: along the symmetry axis
//! π   the shortest weights over the dual polytope, π >= 0 kept       box on box: four equal weights
//! ```
//!
//! Differs from [Johnson 2.70]: the pseudo-inverse there ignores `π >= 0` and gives pulling forces where faces
//! overlap in part. [`ranges()`] gives the least and greatest value of every component [Akgül 1984].
//!
//! | file | contents |
//! |---|---|
//! | `contact.rs` | the bodies seen from the contact point, and which planes support both |
//! | `candidates.rs` | facets of `K1 - K2` around the pierced point |
//! | `optimal.rs` | all optimal directions, all vertices that can carry weight |
//! | `duals.rs` | the polytope of weights: shortest, cheapest, ranges, corners |
//! | `region.rs` | the contact region |
//! | `classify.rs`, `face_weights.rs` | contacts in general position, which are not degenerate; weights of one point in a face |
//! | `hull_corners.rs` | planar hulls and clipping |
//! | `analysis.rs` | the optimal set and the dual polytope of one contact |
//! | `body.rs` | bodies in the plane and in space |
//! | `least_norm.rs`, `resolved.rs`, `ranges.rs` | the public functions and their results |
//!
//! "On a plane" means within [`tolerances::ACTIVE`](crate::tolerances::ACTIVE) times the size of the pair, throughout.

mod analysis;
mod body;
mod candidates;
mod classify;
mod contact;
mod duals;
mod face_weights;
mod hull_corners;
mod least_norm;
mod optimal;
mod ranges;
mod region;
mod resolved;

pub use least_norm::{resolve, resolve_planar};
pub use ranges::{PlanarRanges, Ranges, RangesIn, planar_ranges, ranges};
pub use resolved::{PlanarResolved, Resolved, ResolvedIn};

pub(in crate::separation) use body::{Answered, Body};
pub(in crate::separation) use contact::to_dimension;
pub(in crate::separation) use duals::Duals;
pub(in crate::separation) use least_norm::analyse;

use super::answer::Outcome;

/// An answer that cannot be resolved.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ResolveError {
    /// The query ended without contact points.
    #[error(
        "the answer is {outcome:?} and has no contact points; use a larger prediction distance or a direction that \
         leads to the body"
    )]
    NotSolved {
        /// How the query ended.
        outcome: Outcome,
    },
    /// The answer names vertices that the bodies do not have.
    #[error(
        "the answer does not belong to these bodies: body {body} has {count} vertices but the answer names vertex \
         {index}; give the bodies of the query, in its order"
    )]
    ForeignAnswer {
        /// `a` or `b`.
        body: char,
        /// How many vertices the body has.
        count: usize,
        /// The vertex named.
        index: u32,
    },
}
