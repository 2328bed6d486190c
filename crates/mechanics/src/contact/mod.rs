//! Contact detection: parts of bodies, candidate pairs, separations and contact manifolds. No dynamics.
//!
//! ```text
//! part, contact_geometry   convex shapes in principal frames (fixed bodies: in the world), rules for pairs
//! all_pairs                all pairs, bounding balls
//! candidate_pairs          pairs from the broad phase, with their warm starts
//! contact_point            s, α, β and contact points of a pair; ∇s as wrenches on its two bodies
//! manifold                 contact events of a pair [Hart 3.14, 3.15]
//! contact_function         the gap of one event as a smooth function of the poses of its bodies
//! curve_crossing           edges, rims and axes that cross
//! rim_on_face              the lowest point of a rim over a face that it may overhang
//! plane_attachment         the features that a separating plane is attached to
//! surface                  restitution and friction
//! ```
//!
//! Conventions: part `a` of a pair is body 1 of [Johnson 2.29], `α` and the normal point from `b` to `a`; a half-space is
//! always `b`. The gradient of `s` with respect to twists `(v, ω)` at the centres of mass is `(α, r × α)` on `a` and its
//! opposite on `b`, with the β term added at the reference points [Johnson 3.48, mathematics 1].

mod all_pairs;
mod candidate_pairs;
mod contact_function;
mod contact_geometry;
mod contact_point;
mod curve_crossing;
mod manifold;
mod part;
mod plane_attachment;
mod rim_on_face;
mod surface;

pub use candidate_pairs::{CandidatePair, CandidatePairs};
pub use contact_function::{ContactFrame, ContactFunction};
pub use contact_geometry::{ContactError, ContactGeometry, ContactSpec, PairRule, Potential};
pub use contact_point::{ContactPoint, PairWarmStart};
pub use manifold::{ActivityTolerances, ManifoldQuery};
pub use part::{Part, PartPose, PartShape};
pub use plane_attachment::PlaneAttachment;
pub use surface::Surface;
