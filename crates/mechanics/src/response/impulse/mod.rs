//! Impulses: what contacts that touch do to the momenta of the islands that meet, for all schemes with impacts.
//!
//! **Knows** momenta at one configuration and places where parts touch. It has never heard of time.
//!
//! ```text
//! metric      coordinates u = L⁻¹ p in which masses are one             metric.rs
//! spots       where parts touch, with the rows that impulses act along  spots.rs
//! laws        sum, sequential, Moreau; restitution; plastic             laws.rs
//! friction    Coulomb's law: sweeps, then Newton's method               friction.rs, polish.rs
//! ```

mod friction;
mod laws;
mod metric;
mod polish;
mod spots;

pub(crate) use laws::{Laws, energy};
pub(crate) use metric::{Metric, Rows};
pub(crate) use spots::{Ground, Spot, Spots};
