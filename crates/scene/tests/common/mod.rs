//! Scenes from texts.
#![allow(dead_code, clippy::unwrap_used, clippy::expect_used, clippy::panic)]

pub mod solved;

use percussion_scene::{Complaint, Scene};

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
    let overrides: Vec<(String, String)> =
        overrides.iter().map(|(path, value)| ((*path).to_owned(), (*value).to_owned())).collect();
    Scene::parse(text, "test.toml", "folder", &overrides).map_err(|error| error.complaints)
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
