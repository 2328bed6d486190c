//! Large piles: sweeps over the contacts, then Newton's method on what they find. Knows impulses and rows of
//! [the problem](super::problem), nothing of bodies.
//!
//! ```text
//! graph      who is coupled with whom: parts that know nothing of each other, each from the world outward
//! system     the rows of each part side by side in memory, in units in which masses and compliances are one
//! pose       a problem, written into the system
//! pass       one contact after the other: sweeps, their errors, the cones; local: the friction of one contact
//! lanes      products of rows and velocities, four numbers side by side
//! guard      what is left unsolved must not bring energy
//! newton     all contacts at once: law: contacts with a little compliance; factors: sparse elimination
//! solver     sweeps forth and back, extrapolated (Anderson), then Newton's method, part by part
//! ```

mod assembly;
mod block_lu;
mod block_pair;
mod contact_law;
mod energy;
mod islands;
mod nonsmooth_newton;
mod solver;
mod sweep;
mod system;
mod tangential;

pub use solver::{GaussSeidel, GaussSeidelReport};
