//! Contact response: momenta of the islands that collide, and the impact laws that change them.
//!
//! ```text
//! collision_group   islands in contact: ∇s in their degrees of freedom, ⟨.,.⟩ of Mred⁻¹
//! options           impact, friction and collision laws
//! closed_contact    persistent contact over an interval: unilateral constraints with friction
//! impulse           rows, laws and friction of the impulses at one configuration
//! ```

pub(crate) mod closed_contact;
mod collision_group;
pub(crate) mod impulse;
mod options;

pub use collision_group::{CollisionGroup, dot};
pub use options::{
    CollisionModel, ContactOptions, ContactResponse, EnergyJumpCondition, FrictionLaw, ImpactLaw,
};
