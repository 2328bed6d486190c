//! The front door of percussion.
