//! Scene files and run folders.
//!
//! **Knows** the files a user writes and the files a run leaves behind. **Integrates nothing** itself: it asks
//! `mechanics` for every step. Prints nothing.

pub mod run;
