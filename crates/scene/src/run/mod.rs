//! Run folders: what a run leaves behind, and how it goes on.
//!
//! | file | knows |
//! |---|---|
//! | `session.rs` | the step loop with its folder: the whole of a run |
//! | `folder.rs` | the files, and who may write them |
//! | `trajectory.rs`, `parts.rs` | what is kept of every state, and how it grows |
//! | `planned.rs`, `planned_figures.rs` | the same folder of a manoeuvre that was looked for |
//! | `shooting.rs` | initial conditions that were looked for, and the run from them |
//! | `manoeuvre.rs` | a manoeuvre read back, to begin another search or to be simulated |
//! | `kept.rs` | what a run has kept, for those who look at it |
//! | `causes.rs`, `since.rs` | what of it the causes brought, and what happened between two rows |
//! | `events.rs` | who met whom, when and how |
//! | `checkpoint.rs` | an instant, exactly |
//! | `summary.rs` | the figures |
//! | `npz/` | NumPy's files |

mod checkpoint;
mod complementarity;
mod error;
mod events;
mod extremes;
pub mod folder;
pub mod npz;
mod planned_arrays;
mod planned_figures;
mod planned_trajectory;
mod planning;
mod reader;
mod replay;
mod row;
mod session;
mod shooting;
mod sources;
mod summary;
mod writer;

pub(crate) use checkpoint::replace;
pub use checkpoint::{Checkpoint, ContactFigures};
pub use complementarity::{ComplementarityFigures, ComplementarityStats, RowComplementarity, SOLVER_NAMES};
pub use error::RunError;
pub use events::{EventRecord, read_events};
pub use extremes::RowExtremes;
pub use planned_figures::{ActiveFigure, ContactFigure, PlanFigures, StartFigure};
pub use planned_trajectory::PlannedTrajectory;
pub use planning::plan;
pub use reader::TrajectoryReader;
pub use replay::run_with_controls;
pub use row::{CONSTRAINT_NAMES, ENERGY_NAMES, StepFigures};
pub use session::{Progress, prepare, run};
pub use shooting::{ShootFigures, TargetFigure, UnknownFigure, shoot};
pub use sources::{ALL_FORCES, MOST_FORCES};
pub use summary::{
    ConeFigures, Counts, Energy, Failure, JointFigures, Momentum, Projection, ReplayFigures,
    SourceContribution, Status, Summary,
};
