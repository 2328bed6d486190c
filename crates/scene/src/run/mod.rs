//! Run folders: what a run leaves behind, and how it goes on.
//!
//! | file | knows |
//! |---|---|
//! | `session.rs` | the step loop with its folder: the whole of a run |
//! | `folder.rs` | the files, and who may write them |
//! | `trajectory.rs`, `parts.rs` | what is kept of every state, and how it grows |
//! | `planned.rs`, `planned_figures.rs` | the same folder of a manoeuvre that was looked for |
//! | `shot.rs` | initial conditions that were looked for, and the run from them |
//! | `manoeuvre.rs` | a manoeuvre read back, to begin another search or to be simulated |
//! | `kept.rs` | what a run has kept, for those who look at it |
//! | `causes.rs`, `since.rs` | what of it the causes brought, and what happened between two rows |
//! | `events.rs` | who met whom, when and how |
//! | `checkpoint.rs` | an instant, exactly |
//! | `summary.rs` | the figures |
//! | `npz/` | NumPy's files |

mod causes;
mod checkpoint;
mod error;
mod events;
pub mod folder;
mod kept;
mod manoeuvre;
pub mod npz;
mod parts;
mod planned;
mod planned_arrays;
mod planned_figures;
mod session;
mod shot;
mod since;
mod steered;
mod stepping;
mod summary;
mod trajectory;

pub use causes::{ALL_FORCES, MOST_FORCES};
pub(crate) use checkpoint::replace;
pub use checkpoint::{Checkpoint, ContactFigures};
pub use error::RunError;
pub use events::{Event, read_events};
pub use kept::Kept;
pub use manoeuvre::Planned;
pub use planned::plan;
pub use planned_figures::{ActiveFigure, ContactFigure, PlanFigures, StartFigure};
pub use session::{Progress, prepare, run};
pub use shot::{ChosenFigure, LeftFigure, ShootFigures, shoot};
pub use since::Since;
pub use steered::run_steered;
pub use stepping::{Complementarity, SOLVER_NAMES, SinceSteps, Stepping};
pub use summary::{
    Brought, ConeFigures, Counts, Energy, Failure, JointFigures, Momentum, Projection, ReplayFigures, Status,
    Summary,
};
pub use trajectory::{CONSTRAINT_NAMES, ENERGY_NAMES, StepFigures};
