//! Run folders: running, planning and shooting a scene into a folder, resuming it, and reading it.
//!
//! | file | contents |
//! |---|---|
//! | `folder.rs`, `replace.rs` | files of a run folder, its lock; files that are complete or absent |
//! | `npz/` | NumPy's file format |
//! | `row.rs`, `sources.rs`, `extremes.rs`, `complementarity.rs` | arrays of a trajectory: state and ledger, sources, extremes between rows |
//! | `writer.rs`, `reader.rs` | writer and reader of a trajectory |
//! | `events.rs` | contact events |
//! | `checkpoint.rs` | an instant, from which a run resumes bitwise identically |
//! | `summary.rs`, `planned_figures.rs`, `shooting_figures.rs` | `summary.json` |
//! | `session.rs` | the step loop with its folder |
//! | `follower.rs`, `replay.rs`, `planned_trajectory.rs` | a run under planned control inputs |
//! | `planning.rs`, `planned_arrays.rs` | the solution of an optimal control problem as a run folder |
//! | `shooting.rs` | the solution of a shooting problem, and the run from it |

mod checkpoint;
mod complementarity;
mod error;
mod events;
mod extremes;
pub mod folder;
mod follower;
pub mod npz;
mod planned_arrays;
mod planned_figures;
mod planned_trajectory;
mod planning;
mod reader;
mod replace;
mod replay;
mod row;
mod session;
mod shooting;
mod shooting_figures;
mod sources;
mod summary;
mod writer;

pub use checkpoint::{Checkpoint, ContactFigures};
pub use complementarity::{ComplementarityFigures, ComplementarityStats, RowComplementarity, SOLVER_NAMES};
pub use error::RunError;
pub use events::{EventRecord, read_events};
pub use extremes::RowExtremes;
pub use planned_figures::{ActiveFigure, ContactFigure, PlanFigures, StartFigure};
pub use planned_trajectory::PlannedTrajectory;
pub use planning::plan;
pub use reader::TrajectoryReader;
pub(crate) use replace::replace;
pub use replay::run_with_controls;
pub use row::{CONSTRAINT_NAMES, ENERGY_NAMES, StepFigures};
pub use session::{Progress, prepare, run};
pub use shooting::shoot;
pub use shooting_figures::{ShootFigures, TargetFigure, UnknownFigure};
pub use sources::{ALL_FORCES, MOST_FORCES};
pub use summary::{
    ConeFigures, Counts, Energy, Failure, JointFigures, Momentum, Projection, ReplayFigures,
    SourceContribution, Status, Summary,
};
