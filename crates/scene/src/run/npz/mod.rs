//! NumPy's files: `.npy` arrays, and `.npz`, an uncompressed zip archive of them.
//!
//! What is written here is read by `numpy.load` in one line, and by [`Reader`]. Numbers are stored as they are, eight
//! bytes each, little endian, and are read back bitwise identical.
//!
//! | file | contents |
//! |---|---|
//! | `array.rs` | the `.npy` header and whole arrays |
//! | `archive.rs` | the zip container, also past 4 GiB |

mod archive;
mod array;

pub use archive::{Reader, Rows, Writer};
pub(crate) use array::words;
pub use array::{Array, Header, Kind};
