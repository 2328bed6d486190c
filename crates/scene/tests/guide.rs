//! The examples of the guide's page on scene files: whole ones load, and mistaken ones are refused as it says.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use percussion_scene::Scene;

const PAGE: &str = include_str!("../../../docs/src/scenes.md");

/// Fenced blocks with what follows the fence.
fn blocks() -> Vec<(&'static str, String)> {
    let mut found = Vec::new();
    let mut lines = PAGE.lines();
    while let Some(line) = lines.next() {
        if let Some(kind) = line.strip_prefix("```") {
            let block: Vec<&str> = lines.by_ref().take_while(|line| !line.starts_with("```")).collect();
            found.push((kind, block.join("\n")));
        }
    }
    found
}

/// An example with the run that most of them leave out.
fn complete(text: &str) -> String {
    if text.contains("[run]") { text.to_owned() } else { format!("{text}\n[run]\nstep = 1e-3\nuntil = 1\n") }
}

#[test]
fn the_examples_load() {
    let mut count = 0;
    for (kind, text) in blocks() {
        if kind == "toml" {
            let scene = Scene::parse(&complete(&text), "scene.toml", "", &[]);
            scene.unwrap_or_else(|error| panic!("{error}\n{text}"));
            count += 1;
        }
    }
    assert!(count >= 5, "{count}");
}

#[test]
fn the_mistakes_are_refused_as_the_page_says() {
    let blocks = blocks();
    let mut count = 0;
    for (i, (kind, text)) in blocks.iter().enumerate() {
        if *kind == "toml error" {
            let error = Scene::parse(&complete(text), "scene.toml", "", &[]).unwrap_err();
            assert_eq!(error.to_string(), blocks[i + 1].1);
            count += 1;
        }
    }
    assert_eq!(count, 1);
}
