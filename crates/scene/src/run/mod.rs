//! Run folders: what a run leaves behind.

pub mod npz;
