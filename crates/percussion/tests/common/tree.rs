//! Files of the repository.

use super::root;
use std::fs;
use std::path::{Path, PathBuf};

/// The text of a file.
pub fn read(path: impl AsRef<Path>) -> String {
    let path = root().join(path);
    fs::read_to_string(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()))
}

/// All files below a folder with one of these extensions, sorted, except what is built or hidden.
pub fn files(folder: &str, extensions: &[&str]) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut open = vec![root().join(folder)];
    while let Some(folder) = open.pop() {
        for entry in fs::read_dir(&folder).unwrap() {
            let path = entry.unwrap().path();
            let name = path.file_name().unwrap().to_str().unwrap();
            let skipped = name.starts_with('.') || ["target", "runs", "book", "node_modules"].contains(&name);
            match path.is_dir() {
                true if skipped => {}
                true => open.push(path),
                false if path.extension().is_some_and(|own| extensions.iter().any(|e| own == *e)) => {
                    found.push(path)
                }
                false => {}
            }
        }
    }
    found.sort();
    found
}

/// The path of a file in the repository.
pub fn relative(path: &Path) -> String {
    path.strip_prefix(root()).unwrap().to_str().unwrap().to_owned()
}

/// A fenced block: what follows the fence, its lines, and the line it begins at, from zero.
pub struct Block {
    pub kind: String,
    pub lines: Vec<String>,
    pub at: usize,
}

/// The fenced blocks of a page.
pub fn blocks(page: &str) -> Vec<Block> {
    let mut found = Vec::new();
    let mut lines = page.lines().enumerate();
    while let Some((at, line)) = lines.next() {
        if let Some(kind) = line.strip_prefix("```") {
            let inside = lines.by_ref().take_while(|(_, line)| !line.starts_with("```"));
            let inside = inside.map(|(_, line)| line.to_owned()).collect();
            found.push(Block { kind: kind.to_owned(), lines: inside, at: at + 1 });
        }
    }
    found
}
