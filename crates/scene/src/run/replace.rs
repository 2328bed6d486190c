//! Files that are complete or absent: written under another name, then renamed.

use std::fs;
use std::io;
use std::path::Path;

/// Suffix of a file that is being written.
pub const UNFINISHED: &str = ".unfinished";

/// Writes a file under another name and renames it when it is complete.
pub(crate) fn replace(path: &Path, write: impl FnOnce(&Path) -> io::Result<()>) -> io::Result<()> {
    let mut name = path.as_os_str().to_owned();
    name.push(UNFINISHED);
    let unfinished = Path::new(&name);
    write(unfinished)?;
    fs::rename(unfinished, path)
}
