//! Small dense solvers.
