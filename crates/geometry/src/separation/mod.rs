//! The separation kernel: SSH LP, ratio metric, duals, certificates.

mod answer;

pub use answer::{Feature, Options, Outcome, QueryError, Separation, Warm, kind};
