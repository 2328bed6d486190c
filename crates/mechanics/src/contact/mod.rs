//! Contact: which parts of bodies can meet, how far apart they are, and what an impact does to momenta.
//!
//! **Knows** convex parts on bodies, pairs of them that may meet, surfaces, and momenta of islands. Schemes decide *when* to
//! ask; nothing here advances time.
//!
//! ```text
//! parts      convex shapes in principal frames (fixed bodies: in the world)             part.rs, contacts.rs
//! watch      which pairs are near, over a sweep; what each pair remembers                watch.rs
//! touch      s, α, β and contact points of a pair; ∇s as wrenches on its two bodies      touch.rs
//! overlap    the pair that overlaps most of all, for states looked at once                overlap.rs
//! group      islands that meet: ∇s in their degrees of freedom, ⟨.,.⟩ of Mred⁻¹                    group.rs
//! transcript what happened inside a step: nodes, impulses, events                        transcript.rs
//! ```
//!
//! Conventions: part `a` of a pair is body 1 of [Johnson 2.29], `α` and the normal point from `b` to `a`; a half-space is
//! always `b`. The gradient of `s` with respect to twists `(v, ω)` at the centres of mass is `(α, r × α)` on `a` and its
//! opposite on `b`, with the β term added at the reference points [Johnson 3.48, mathematics 1].

mod all_pairs;
mod candidate_pairs;
mod contact_geometry;
mod contact_point;
mod manifold;
mod part;
mod plane_attachment;
mod surface;

pub use candidate_pairs::{CandidatePair, CandidatePairs};
pub use contact_geometry::{ContactError, ContactGeometry, ContactSpec, PairRule, Potential};
pub use contact_point::{ContactPoint, PairWarmStart};
pub use manifold::{ActivityTolerances, ManifoldQuery};
pub use part::{Part, PartPose, PartShape};
pub use plane_attachment::PlaneAttachment;
pub use surface::Surface;
