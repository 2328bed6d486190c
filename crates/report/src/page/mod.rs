//! The page of a run: one file that opens offline.
//!
//! The page itself is `viewer/dist/viewer.html`, built from the sources in `viewer/src` and compiled into the program. Its data are packed
//! here:
//!
//! ```text
//! recording -> appearances, poses in 16 bits, curves of at most a few thousand points, events, summary
//!           -> u32 length, JSON, arrays it refers to -> deflate -> base64 in the page, or served as it is
//! ```
//!
//! | file | contents |
//! |---|---|
//! | `pack.rs` | arrays behind a JSON text |
//! | `poses.rs` | poses in 16 bits, predicted from previous ones |
//! | `plots.rs` | plots, and decimation of long runs |
//! | `forces.rs` | resultant forces on each body at some instants |
//! | `describe.rs` | the JSON text |

mod describe;
mod forces;
mod pack;
mod planned;
mod plots;
mod poses;

use crate::recording::{Recording, RecordingError};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use flate2::Compression;
use flate2::write::ZlibEncoder;
use std::io::Write;
use std::path::Path;

/// The viewer, with a placeholder for the data.
const VIEWER: &str = include_str!("../../../../viewer/dist/viewer.html");
/// The placeholder.
const PLACEHOLDER: &str = "%data%";
/// Largest number of frames of a page.
const FRAMES: usize = 10_000;
/// Largest number of poses of a page: within the memory of a browser.
const POSES: usize = 1_500_000;
/// Largest number of bytes of packed data in a page, before base64, which adds a third.
const BUDGET: usize = 9 << 20;

impl Recording {
    /// Reads the run in a folder with the frames of a page.
    pub fn for_page(path: &Path) -> Result<Self, RecordingError> {
        Self::load_with(path, |bodies| FRAMES.min(POSES / bodies.max(1)).max(2))
    }
}

/// The page of one run, or of several that are compared.
pub fn page(recordings: &mut [Recording]) -> Result<String, RecordingError> {
    Ok(filled(&STANDARD.encode(packed(recordings)?)))
}

/// The page without data: it requests `recording` from its server.
pub fn served_page() -> String {
    filled("")
}

fn filled(data: &str) -> String {
    VIEWER.replacen(PLACEHOLDER, data, 1)
}

/// The data of a page, as the bytes that it contains or requests. Frames are omitted until the data are small enough.
pub fn packed(recordings: &mut [Recording]) -> Result<Vec<u8>, RecordingError> {
    packed_within(recordings, BUDGET)
}

/// The same within a budget of bytes, with at least two frames.
pub fn packed_within(recordings: &mut [Recording], budget: usize) -> Result<Vec<u8>, RecordingError> {
    let mut every = 1;
    loop {
        let bytes = deflated(&describe::container(recordings, every)?);
        if bytes.len() <= budget || recordings.iter().all(|r| r.frames.len() <= 2 * every) {
            return Ok(bytes);
        }
        every *= 2;
    }
}

fn deflated(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = ZlibEncoder::new(Vec::with_capacity(bytes.len() / 2), Compression::default());
    // Writing into memory cannot fail.
    _ = encoder.write_all(bytes);
    encoder.finish().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_viewer_has_one_placeholder_and_no_external_resource() {
        assert_eq!(VIEWER.matches(PLACEHOLDER).count(), 1);
        assert!(VIEWER.contains("id=\"percussion-data\""));
        for outside in ["src=\"http", "href=\"http", "@import", "import("] {
            assert!(!VIEWER.contains(outside), "{outside}");
        }
    }
}
