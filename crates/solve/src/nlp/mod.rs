//! Nonlinear programs with sparse derivatives, on manifolds too.

mod problem;

pub use problem::{Bound, ChartBlock, Layout, Places, Program, Undefined};
