//! The map, the dependency direction, the documents and their examples are kept true.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod common;

use std::collections::BTreeSet;
use std::fs;

use common::root;
use common::tree::{blocks, files, read, relative};

/// Lines past which a source file holds more than one idea.
const LONGEST_FILE: usize = 600;

/// Crates from top to bottom: each may use those to its right.
const ORDER: [&str; 7] = ["percussion", "report", "scene", "control", "mechanics", "geometry", "solve"];

/// A crate for tests and benches only, which uses none of the others.
const TESTING: &str = "testing";

/// Files with a random generator of their own, which tables of the guide are made with.
const CONGRUENTIAL: [&str; 2] = ["crates/geometry/benches/kernel.rs", "crates/geometry/tests/common/mod.rs"];

/// Paths named in the map of ARCHITECTURE.md, without their trailing slash.
fn mapped() -> BTreeSet<String> {
    let text = read("ARCHITECTURE.md");
    let map = text.split("## The map").nth(1).unwrap().split("```").nth(1).unwrap();
    map.lines()
        .filter(|line| !line.trim().is_empty())
        .map(|line| line.split_whitespace().next().unwrap().trim_end_matches('/').to_owned())
        .collect()
}

#[test]
fn every_path_on_the_map_exists() {
    let mapped = mapped();
    assert!(mapped.len() > 10);
    for path in mapped {
        assert!(root().join(&path).is_dir(), "ARCHITECTURE.md names {path}, which is not there");
    }
}

#[test]
fn every_folder_of_code_and_every_scene_is_on_the_map() {
    let mapped = mapped();
    let mut folders: BTreeSet<String> = BTreeSet::new();
    for path in files("crates", &["rs"]) {
        let folder = relative(path.parent().unwrap());
        let parts: Vec<&str> = folder.split('/').collect();
        folders.insert(parts[..2].join("/"));
        if parts.get(2) == Some(&"src") && parts.len() > 3 {
            folders.insert(folder);
        }
    }
    for entry in fs::read_dir(root().join("scenes")).unwrap() {
        folders.insert(relative(&entry.unwrap().path()));
    }
    for folder in folders {
        assert!(mapped.contains(&folder), "{folder} is missing on the map of ARCHITECTURE.md");
    }
}

#[test]
fn crates_depend_downward_only() {
    let rank =
        |name: &str| ORDER.iter().position(|&n| n == name).unwrap_or_else(|| panic!("unknown crate {name}"));
    for entry in fs::read_dir(root().join("crates")).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_str().unwrap().to_owned();
        let manifest = read(path.join("Cargo.toml"));
        let mut section = "";
        for line in manifest.lines() {
            if line.starts_with('[') {
                section = line;
            }
            let Some(rest) = line.strip_prefix("percussion-").filter(|_| section.contains("dependencies"))
            else {
                continue;
            };
            let used = rest.split(['.', ' ', '=']).next().unwrap();
            if used == TESTING {
                assert_eq!(
                    section, "[dev-dependencies]",
                    "{name} must not depend on {used} outside of its tests"
                );
                assert_ne!(name, TESTING);
                continue;
            }
            assert!(name != TESTING && rank(used) > rank(&name), "{name} must not depend on {used}");
        }
    }
}

#[test]
fn tests_share_their_random_numbers_and_their_allocator() {
    let shared = [("struct", "Random"), ("impl", "GlobalAlloc")].map(|(kind, name)| format!("{kind} {name}"));
    for path in files("crates", &["rs"]) {
        let name = relative(&path);
        let own = name.starts_with("crates/testing/") || CONGRUENTIAL.contains(&name.as_str());
        if own || !(name.contains("/tests/") || name.contains("/benches/")) {
            continue;
        }
        let text = fs::read_to_string(&path).unwrap();
        for word in &shared {
            assert!(!text.contains(word), "{name} holds {word}, which is in crates/testing");
        }
    }
}

#[test]
fn no_source_file_is_too_long_and_none_is_unfinished() {
    let unfinished = ["todo!", "unimplemented!", "dbg!"].map(|word| format!("{word}("));
    for path in files("crates", &["rs"]) {
        let text = fs::read_to_string(&path).unwrap();
        let lines = text.lines().count();
        assert!(lines <= LONGEST_FILE, "{} has {lines} lines", relative(&path));
        for word in &unfinished {
            assert!(!text.contains(word), "{} holds {word}", relative(&path));
        }
    }
}

/// Numbers that are no tolerances: constants of nature, defaults of users' settings, bounds of ranges.
const NO_TOLERANCES: [&str; 12] = [
    "ARC",
    "BOX",
    "COULOMB",
    "DEFAULT_MARGIN",
    "DENSITY",
    "GRAVITATION",
    "INFINITE",
    "MOST_STEPS",
    "REPACK_GROWTH",
    "SCALES",
    "TIME_SCALES",
    "UNBOUNDED",
];

#[test]
fn the_tolerances_of_a_crate_are_on_one_page() {
    for name in ["solve", "geometry", "mechanics", "control", "scene"] {
        let source = format!("crates/{name}/src");
        let mut pages = 0;
        for path in files(&source, &["rs"]) {
            if path.ends_with("tolerances.rs") {
                pages += 1;
                continue;
            }
            let text = fs::read_to_string(&path).unwrap();
            for line in text.lines() {
                let item = line.trim_start_matches("pub(super) ").trim_start_matches("pub(crate) ");
                let Some(constant) = item.trim_start_matches("pub ").strip_prefix("const ") else { continue };
                let (constant, kind) = constant.split_once(": ").unwrap_or((constant, ""));
                let tolerance = kind.starts_with("f64") && !NO_TOLERANCES.contains(&constant);
                assert!(!tolerance, "{}: {constant} belongs to {source}/tolerances.rs", relative(&path));
            }
        }
        assert_eq!(pages, 1, "{name}");
    }
}

#[test]
fn nothing_below_the_command_line_prints() {
    for path in files("crates", &["rs"]) {
        let name = relative(&path);
        if !name.contains("/src/") || name.starts_with("crates/percussion/src/command/") {
            continue;
        }
        let text = fs::read_to_string(&path).unwrap();
        for word in ["println!(", "eprintln!(", "print!(", "eprint!(", "stdout()", "stderr()"] {
            let line = text.lines().find(|line| line.contains(word) && !line.trim_start().starts_with("//"));
            assert_eq!(line, None, "{name} prints");
        }
    }
}

#[test]
fn documents_name_no_place_on_somebodys_machine() {
    let places = ["work", "tmp", "home", "root", "Users"].map(|folder| format!("/{folder}/"));
    for path in files(".", &["rs", "md", "toml", "jsonl", "svg"]) {
        let text = fs::read_to_string(&path).unwrap();
        for place in &places {
            assert!(!text.contains(place.as_str()), "{} names {place}", relative(&path));
        }
    }
}

/// Text between fences that open with exactly this line.
fn fenced(text: &str, fence: &str) -> Vec<String> {
    blocks(text).iter().filter(|block| block.kind == fence).map(|block| block.lines.join("\n")).collect()
}

#[test]
fn the_two_commands_of_the_readme_work() {
    let block = fenced(&read("README.md"), "").remove(0);
    let commands: Vec<&str> = block.lines().collect();
    assert_eq!(commands.len(), 2, "{block}");
    assert_eq!(commands[1], "cargo test --workspace");
    let arguments =
        commands[0].strip_prefix("cargo run --release -- ").expect("the first command runs the program");
    assert!(arguments.starts_with("run "), "the first command simulates a scene");
    // Without --out a run goes below runs/, which is not committed.
    assert!(!arguments.contains("--out") && read(".gitignore").lines().any(|line| line == "/runs"));
    let target = std::env::temp_dir().join(format!("percussion-readme-{}", std::process::id()));
    let output = common::program().args(arguments.split(' ')).arg("--out").arg(&target).output().unwrap();
    assert!(output.status.success() && !output.stdout.is_empty());
    assert!(target.join("report.html").metadata().unwrap().len() > 10_000);
    fs::remove_dir_all(&target).unwrap();
}

/// Whether two JSON values agree, numbers up to rounding.
fn agree(x: &serde_json::Value, y: &serde_json::Value) -> bool {
    use serde_json::Value::{Array, Number, Object};
    match (x, y) {
        (Number(x), Number(y)) => (x.as_f64().unwrap() - y.as_f64().unwrap()).abs() < 1e-12,
        (Array(x), Array(y)) => x.len() == y.len() && x.iter().zip(y).all(|(x, y)| agree(x, y)),
        (Object(x), Object(y)) => {
            x.len() == y.len()
                && x.iter().all(|(key, value)| y.get(key).is_some_and(|other| agree(value, other)))
        }
        _ => x == y,
    }
}

/// Fences marked `jsonl` come in pairs: what is asked, and what is answered. With `PERCUSSION_UPDATE_DOCS` set,
/// the answers are written anew.
#[test]
fn the_examples_in_the_documents_are_what_the_program_answers() {
    for document in ["README.md", "docs/src/distance.md"] {
        let text = read(document);
        let blocks = fenced(&text, "jsonl");
        assert!(!blocks.is_empty() && blocks.len().is_multiple_of(2), "{document}");
        let mut renewed = text.clone();
        for pair in blocks.chunks(2) {
            let output = common::distance(&[], &format!("{}\n", pair[0]));
            let answered = String::from_utf8(output.stdout).unwrap();
            renewed = renewed.replace(&pair[1], answered.trim_end());
            let parse = |text: &str| -> Vec<serde_json::Value> {
                text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
            };
            let (given, printed) = (parse(&answered), parse(&pair[1]));
            let same = given.len() == printed.len() && given.iter().zip(&printed).all(|(x, y)| agree(x, y));
            if std::env::var_os("PERCUSSION_UPDATE_DOCS").is_none() {
                assert!(same, "{document} shows\n{}\nbut the program answers\n{answered}", pair[1]);
            }
        }
        if renewed != text && std::env::var_os("PERCUSSION_UPDATE_DOCS").is_some() {
            fs::write(root().join(document), renewed).unwrap();
        }
    }
}

/// Targets of `[text](target)` outside of code.
fn links(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut code = false;
    for line in text.lines() {
        if line.starts_with("```") {
            code = !code;
        }
        if code {
            continue;
        }
        let plain: String = line.split('`').step_by(2).collect::<Vec<_>>().join("`");
        for piece in plain.split("](").skip(1) {
            found.push(piece.split(')').next().unwrap().to_owned());
        }
    }
    found
}

/// The anchor a heading gets.
fn anchor(heading: &str) -> String {
    let kept = heading.trim_start_matches('#').trim().to_lowercase();
    kept.chars()
        .filter(|c| c.is_alphanumeric() || " -_".contains(*c))
        .map(|c| if c == ' ' { '-' } else { c })
        .collect()
}

#[test]
fn links_and_includes_of_the_documents_resolve() {
    let mut checked = 0;
    for path in files(".", &["md"]) {
        let text = fs::read_to_string(&path).unwrap();
        let folder = path.parent().unwrap();
        for link in links(&text) {
            if link.starts_with("http") {
                continue;
            }
            let (file, fragment) = link.split_once('#').unwrap_or((&link, ""));
            let target = if file.is_empty() { path.clone() } else { folder.join(file) };
            assert!(target.exists(), "{} links to {link}", relative(&path));
            if !fragment.is_empty() {
                let headings = fs::read_to_string(&target).unwrap();
                let known = headings.lines().filter(|l| l.starts_with('#')).any(|l| anchor(l) == fragment);
                assert!(known, "{} links to {link}, which has no such heading", relative(&path));
            }
            checked += 1;
        }
        for piece in text.split("{{#include ").skip(1) {
            let file = piece.split("}}").next().unwrap();
            assert!(folder.join(file).exists(), "{} includes {file}", relative(&path));
        }
    }
    assert!(checked > 15, "only {checked} links were found");
}

#[test]
fn every_page_of_the_guide_is_in_its_summary() {
    let summary = read("docs/src/SUMMARY.md");
    for path in files("docs/src", &["md"]) {
        let name = relative(&path).strip_prefix("docs/src/").unwrap().to_owned();
        if name != "SUMMARY.md" && !name.starts_with("tables/") {
            assert!(summary.contains(&format!("({name})")), "SUMMARY.md lacks {name}");
        }
    }
}

#[test]
fn every_scene_folder_is_shipped_and_complete() {
    let mut folders: Vec<String> = fs::read_dir(root().join("scenes"))
        .unwrap()
        .map(|entry| entry.unwrap().file_name().to_str().unwrap().to_owned())
        .collect();
    folders.sort();
    let shipped: Vec<&str> = percussion::gallery::SCENES.iter().map(|scene| scene.name).collect();
    assert_eq!(folders, shipped);
    for scene in percussion::gallery::SCENES {
        let folder = root().join("scenes").join(scene.name);
        let needed: &[&str] = match scene.kind {
            "distance" => &["README.md", "pairs.jsonl", "expected.json", "picture.svg"],
            "sweep" => &["README.md", "study.toml"],
            _ => &["README.md", "scene.toml", "expected.json"],
        };
        for file in needed {
            assert!(folder.join(file).exists(), "scenes/{} lacks {file}", scene.name);
        }
        let mut variants: Vec<String> = files(&relative(&folder), &["toml"])
            .iter()
            .map(|path| path.file_name().unwrap().to_str().unwrap().to_owned())
            .collect();
        variants.sort();
        let mut carried: Vec<&str> = scene.files.iter().map(|(name, _)| *name).collect();
        carried.sort_unstable();
        assert_eq!(variants, carried, "the program does not carry all files of scenes/{}", scene.name);
    }
}

#[test]
fn scenes_that_are_run_or_planned_load_from_within_the_program() {
    use percussion::gallery::{SCENES, load};
    for scene in SCENES.iter().filter(|scene| ["run", "plan", "shoot"].contains(&scene.kind)) {
        let loaded = load(scene.name, &[]).unwrap().unwrap();
        assert_eq!((loaded.name.as_str(), loaded.title.as_str()), (scene.name, scene.title));
        assert_eq!(loaded.plan.is_some(), scene.kind == "plan", "{}", scene.name);
        assert_eq!(loaded.shoot.is_some(), scene.kind == "shoot", "{}", scene.name);
    }
    assert_eq!(load("free-top/unstable", &[]).unwrap().unwrap().name, "unstable");
    assert!(load("tetrahedra", &[]).is_none() && load("teapot", &[]).is_none());
    assert!(load("order-of-schemes/study", &[]).is_none());
}

#[test]
fn studies_load_from_within_the_program() {
    use percussion::gallery::{SCENES, load, study};
    let mut count = 0;
    for scene in SCENES.iter().filter(|scene| scene.kind == "sweep") {
        let loaded = study(scene.name).unwrap().unwrap();
        assert_eq!((loaded.name.as_str(), loaded.title.as_str()), (scene.name, scene.title));
        for of in loaded.scenes() {
            assert!(load(&of, &[]).is_some(), "{}: no scene {of}", scene.name);
        }
        count += 1;
    }
    assert!(count > 0 && study("free-top").is_none());
}
