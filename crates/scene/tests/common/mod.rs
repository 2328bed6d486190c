//! Scenes from texts.
#![allow(dead_code, clippy::unwrap_used, clippy::expect_used, clippy::panic)]

pub mod solved;

use percussion_scene::{Complaint, Scene};
use std::fs;
use std::path::PathBuf;

/// A text with the run it needs.
pub fn with_run(text: &str) -> String {
    format!("run = {{ step = 1e-3, until = 1.0 }}\n{text}")
}

/// The scene of a text.
pub fn scene(text: &str) -> Scene {
    changed(text, &[])
}

/// The scene of a text with overrides.
pub fn changed(text: &str, overrides: &[(&str, &str)]) -> Scene {
    try_changed(text, overrides).unwrap_or_else(|complaints| panic!("{complaints:#?}"))
}

/// The scene of a text with overrides, or what is wrong with it.
pub fn try_changed(text: &str, overrides: &[(&str, &str)]) -> Result<Scene, Vec<Complaint>> {
    Scene::parse(text, "test.toml", "folder", &owned(overrides)).map_err(|error| error.complaints)
}

fn owned(overrides: &[(&str, &str)]) -> Vec<(String, String)> {
    overrides.iter().map(|(path, value)| ((*path).to_owned(), (*value).to_owned())).collect()
}

/// A scene of the gallery with overrides.
pub fn gallery(name: &str, overrides: &[(&str, &str)]) -> Scene {
    let path = format!("{}/../../scenes/{name}/scene.toml", env!("CARGO_MANIFEST_DIR"));
    Scene::load(path, &owned(overrides)).unwrap_or_else(|error| panic!("{error}"))
}

/// All files of the gallery that end in `.toml`, sorted: scenes, or studies.
pub fn gallery_files(studies: bool) -> Vec<PathBuf> {
    let folders = fs::read_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/../../scenes")).unwrap();
    let files = folders.flat_map(|folder| fs::read_dir(folder.unwrap().path()).unwrap());
    let mut found: Vec<PathBuf> = files
        .map(|file| file.unwrap().path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "toml"))
        .filter(|path| path.ends_with("study.toml") == studies)
        .collect();
    found.sort();
    found
}

/// What is wrong with a text.
pub fn complaints(text: &str) -> Vec<Complaint> {
    try_changed(text, &[]).expect_err("this scene should be refused")
}

/// The text is refused at the line that ends in `# <-`, with this message.
pub fn refused(text: &str, said: &str) {
    let found = complaints(text);
    let line = text.lines().position(|line| line.ends_with("# <-")).expect("a marked line") + 1;
    assert_eq!(found.len(), 1, "{found:#?}");
    assert_eq!(found[0].line(), Some(line), "{found:#?}");
    let whole = found[0].to_string();
    assert!(whole.starts_with(&format!("folder/test.toml:{line}:")), "{whole}");
    assert!(whole.contains(said), "{whole}\nlacks\n{said}");
    assert!(!found[0].remedy.is_empty(), "{whole} has no remedy");
}

/// Every text is refused after this beginning, at its line that ends in `# <- MESSAGE`, with the message.
pub fn all_refused(before: &str, texts: &[&str]) {
    for text in texts {
        let (head, rest) = text.split_once("# <- ").expect("a marked line");
        let (said, tail) = rest.split_once('\n').unwrap_or((rest, ""));
        refused(&format!("{before}{head}# <-\n{tail}"), said);
    }
}

/// Fenced blocks of a page with what follows the fence.
pub fn blocks(page: &str) -> Vec<(&str, String)> {
    let mut found = Vec::new();
    let mut lines = page.lines();
    while let Some(line) = lines.next() {
        if let Some(kind) = line.strip_prefix("```") {
            let block: Vec<&str> = lines.by_ref().take_while(|line| !line.starts_with("```")).collect();
            found.push((kind, block.join("\n")));
        }
    }
    found
}
