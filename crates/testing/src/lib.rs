//! What the tests and benches of the other crates share: random numbers that are the same on every machine, and an
//! allocator that counts requests. A development dependency only; it depends on no crate of this workspace.

mod allocations;
mod random;

pub use allocations::{CountingAllocator, allocations, allocations_during};
pub use random::Random;
