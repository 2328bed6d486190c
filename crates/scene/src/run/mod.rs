//! Run folders: what a run leaves behind, and how it goes on.
//!
//! | file | knows |
//! |---|---|
//! | `session.rs` | the step loop with its folder: the whole of a run |
//! | `folder.rs` | the files, and who may write them |
//! | `trajectory.rs`, `parts.rs` | what is kept of every state, and how it grows |
//! | `checkpoint.rs` | an instant, exactly |
//! | `summary.rs` | the figures |
//! | `npz/` | NumPy's files |

mod checkpoint;
mod error;
pub mod folder;
pub mod npz;
mod parts;
mod session;
mod summary;
mod trajectory;

pub use checkpoint::Checkpoint;
pub use error::RunError;
pub use session::{Progress, prepare, run};
pub use summary::{Brought, Counts, Energy, Failure, Momentum, Status, Summary};
pub use trajectory::{CONSTRAINT_NAMES, ENERGY_NAMES, StepFigures};
