//! The page of a run: one file that opens offline.
//!
//! The page itself is `viewer/dist/viewer.html`, built from the sources beside it and carried inside the program. What it
//! shows is packed here:
//!
//! ```text
//! recording -> looks, poses in 16 bits, curves of at most a few thousand points, events, figures
//!           -> u32 length, JSON, arrays it refers to -> deflate -> base64 in the page, or served as it is
//! ```
//!
//! | file | knows |
//! |---|---|
//! | `pack.rs` | arrays behind a JSON text |
//! | `poses.rs` | placements in 16 bits, predicted from those before |
//! | `plots.rs` | which curves, and how long runs are thinned |
//! | `forces.rs` | what forces do to each body at some instants |
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

/// The viewer, with a place for the data.
const VIEWER: &str = include_str!("../../../../viewer/dist/viewer.html");
/// The place.
const PLACE: &str = "%data%";
/// Frames of a page.
const FRAMES: usize = 10_000;
/// Placements of a page: what a browser holds with ease.
const POSES: usize = 1_500_000;
/// Bytes of packed data in a page, before they are written as text, which takes a third more.
const BUDGET: usize = 9 << 20;

impl Recording {
    /// Reads the run in a folder with as many frames as a page shows.
    pub fn for_page(path: &Path) -> Result<Self, RecordingError> {
        Self::load_with(path, |bodies| FRAMES.min(POSES / bodies.max(1)).max(2))
    }
}

/// The page of one run, or of several that are compared.
pub fn page(recordings: &mut [Recording]) -> Result<String, RecordingError> {
    Ok(filled(&STANDARD.encode(packed(recordings)?)))
}

/// The page without data: it asks the server that it came from for `recording`.
pub fn served_page() -> String {
    filled("")
}

fn filled(data: &str) -> String {
    VIEWER.replacen(PLACE, data, 1)
}

/// What a page shows, as the bytes that it carries or asks for. Frames are left out until they are few enough.
pub fn packed(recordings: &mut [Recording]) -> Result<Vec<u8>, RecordingError> {
    packed_within(recordings, BUDGET)
}

/// The same in at most so many bytes, as long as two frames are left.
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
    fn the_viewer_has_one_place_for_data_and_nothing_from_elsewhere() {
        assert_eq!(VIEWER.matches(PLACE).count(), 1);
        assert!(VIEWER.contains("id=\"percussion-data\""));
        for outside in ["src=\"http", "href=\"http", "@import", "import("] {
            assert!(!VIEWER.contains(outside), "{outside}");
        }
    }
}
