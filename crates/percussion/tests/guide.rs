//! The guide's tutorial is followed to the letter: its scenes are written, its commands are typed, and what it shows is what comes out.
//! What the guide and the code cite is in the list of references.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod common;

use common::folder::{Place, events, floats, summary, texts};
use common::tree::{blocks, files, read};
use common::{number, program, root};
use percussion::scene::{Scene, run};
use serde_json::Value;
use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::process::{Command, Output};

const TUTORIAL: &str = "docs/src/tutorial.md";

/// Commands that may be told of before the program has them; once it has, they are typed as well.
const LATER: [&str; 1] = ["report"];

/// The folder of the reader's own scene.
const THROW: &str = "runs/throw";

/// Steps that a scene takes after every change of its file.
const A_FEW_STEPS: usize = 40;

/// The head of the table that a line begins.
fn head(line: &str) -> Option<&str> {
    line.starts_with('[').then(|| line.split(']').next().unwrap())
}

/// A file with the tables of a block: those it has are replaced, others come to its end.
fn with_tables(file: &str, block: &[String]) -> String {
    let mut tables: Vec<Vec<&str>> = vec![Vec::new()];
    for line in file.lines() {
        if head(line).is_some() {
            tables.push(Vec::new());
        }
        tables.last_mut().unwrap().push(line);
    }
    let mut place = None;
    for line in block {
        if let Some(name) = head(line) {
            let same = |table: &Vec<&str>| table.first().and_then(|first| head(first)) == Some(name);
            let found = tables.iter().position(same).unwrap_or(tables.len());
            tables.resize_with(tables.len().max(found + 1), Vec::new);
            tables[found].clear();
            place = Some(found);
        }
        tables[place.expect("a block without the name of a file begins with a table")].push(line);
    }
    tables.concat().join("\n") + "\n"
}

/// The words of a command line; quotes hold words together.
fn words(line: &str) -> Vec<String> {
    let mut found = Vec::new();
    for (i, piece) in line.split('\'').enumerate() {
        match i % 2 {
            0 => found.extend(piece.split_whitespace().map(str::to_owned)),
            _ => found.push(piece.to_owned()),
        }
    }
    found
}

/// Types a command in a folder; `None` if the program does not have it yet.
fn typed(line: &str, folder: &Path) -> Option<Output> {
    let own = line.strip_prefix("cargo run --release -- ").or_else(|| line.strip_prefix("percussion "));
    let words = words(own.unwrap_or_else(|| panic!("`{line}` is no command of the program")));
    if LATER.contains(&words[0].as_str()) {
        let help = program().arg("--help").output().unwrap();
        let help = String::from_utf8(help.stdout).unwrap();
        if !help.lines().any(|line| line.split_whitespace().next() == Some(words[0].as_str())) {
            return None;
        }
    }
    Some(program().current_dir(folder).args(words).output().unwrap())
}

/// What a command says: its answer, or its complaint.
fn said(output: &Output) -> String {
    let bytes = if output.status.success() { &output.stdout } else { &output.stderr };
    String::from_utf8(bytes.clone()).unwrap().trim_end().to_owned()
}

/// Whether two texts say the same: word by word; numbers to three digits, what is rounding as rounding, and how long
/// something took not at all.
fn agree(shown: &str, found: &str) -> bool {
    const ROUNDING: f64 = 1e-11;
    let timeless = |text: &str| -> Vec<String> {
        let mut out = String::new();
        for line in text.lines() {
            match (line.split_once(" steps in "), line.rsplit_once(" steps/s)")) {
                (Some((before, _)), Some((_, after))) => out += &format!("{before} steps {after}\n"),
                _ => out += &format!("{line}\n"),
            }
        }
        out.split([' ', '\n', '(', ')', '[', ']', ',', ';'])
            .filter(|word| !word.is_empty())
            .map(str::to_owned)
            .collect()
    };
    let (shown, found) = (timeless(shown), timeless(found));
    let same = |(a, b): (&String, &String)| match (a.parse::<f64>(), b.parse::<f64>()) {
        (Ok(x), Ok(y)) => (x - y).abs() <= 5e-3 * x.abs().max(y.abs()) || x.abs().max(y.abs()) < ROUNDING,
        _ => a == b,
    };
    shown.len() == found.len() && shown.iter().zip(&found).all(same)
}

/// The page with what it shows written anew where it is no longer true.
struct Renewed {
    lines: Vec<String>,
    /// Lines that have come in above, less those that have gone.
    shift: isize,
    stale: Vec<String>,
}

impl Renewed {
    fn compare(&mut self, at: usize, shown: &[String], found: &str, what: &str) {
        if agree(&shown.join("\n"), found) {
            return;
        }
        self.stale.push(format!("{what}\nshows\n{}\nbut says\n{found}", shown.join("\n")));
        let new: Vec<String> = found.lines().map(str::to_owned).collect();
        let from = (at as isize + self.shift) as usize;
        self.shift += new.len() as isize - shown.len() as isize;
        self.lines.splice(from..from + shown.len(), new);
    }
}

/// What the text says about its runs of the scene, one after the other, and what its program in Python reads from the last.
fn hold(kept: &[(Value, Vec<Value>)], folder: &Path) {
    let [flat, tilted, rough, tailed, thrown] = kept else { panic!("{} runs", kept.len()) };
    // It lands flat after the time of free fall, and bounces to where it came from.
    assert!((number(&flat.1[0]["time"]) - (2.0 * 0.95 / 9.81_f64).sqrt()).abs() < 1e-12);
    for (told, _) in [flat, tilted] {
        assert!(number(&told["energy"]["max_relative_error"]) < 1e-13);
    }
    assert!(tilted.1.len() > flat.1.len());
    // It comes to rest; contact and friction are the sources.
    for (told, _) in [rough, tailed] {
        let energy = &told["energy"];
        assert!(number(&energy["kinetic"][1]) < 1e-3 * number(&energy["kinetic_max"]), "{energy}");
        let took = |source: &str| {
            let mut sources = told["sources"].as_array().unwrap().iter();
            number(&sources.find(|brought| brought["source"] == source).unwrap()["energy"])
        };
        assert!(took("contact") < -1.0 && took("friction") < -0.1, "{}", told["sources"]);
    }
    assert!(number(&tailed.0["constraint_max"]) < 1e-12);
    // The common centre of mass falls along the parabola, then the box hits the wall.
    let folder = folder.join(THROW);
    let [time, position, mass] = ["time", "position", "mass"].map(|name| floats(&folder, name));
    let names = texts(&folder, "bodies");
    let [tossed, tail] = ["box", "tail"].map(|own| names.iter().position(|name| name == own).unwrap());
    let bodies = names.len();
    let hit = |event: &&Value| {
        let names = event["bodies"].as_array().unwrap();
        names.iter().any(|name| name == "box")
            && names.iter().any(|name| name.as_str().unwrap().starts_with("wall"))
    };
    let hit = number(&thrown.1.iter().find(hit).unwrap()["time"]);
    assert!(hit > 0.3);
    for (k, t) in time.iter().enumerate().take_while(|(_, t)| **t < 0.3) {
        let height = |body: usize| position[(k * bodies + body) * 3 + 2] * mass[body];
        let centre = (height(tossed) + height(tail)) / (mass[tossed] + mass[tail]);
        assert!((centre - (1.0 - 9.81 / 2.0 * t * t)).abs() < 1e-12);
    }
    let page = read(TUTORIAL);
    assert!(page.contains(&format!("{hit:.3} s: box wall-")));
    assert!(page.contains(&format!("{} {bodies} 3", time.len())));
}

/// Blocks marked `toml` are files (their first line names them) or tables to be put into the last one; `console` are commands
/// with what they say; `python` is followed by what it prints. With `PERCUSSION_UPDATE_DOCS` set, what is shown is
/// written anew.
#[test]
fn the_tutorial_can_be_followed() {
    let page = read(TUTORIAL);
    let mut renewed =
        Renewed { lines: page.lines().map(str::to_owned).collect(), shift: 0, stale: Vec::new() };
    let place = Place::new("tutorial");
    let folder = place.join("");
    let (mut file, mut text, mut refused) = (String::new(), String::new(), None);
    let (mut scenes, mut commands, mut kept) = (0, 0, Vec::new());
    let numpy =
        Command::new("python3").args(["-c", "import numpy"]).output().is_ok_and(|o| o.status.success());
    let blocks = blocks(&page);
    for (i, block) in blocks.iter().enumerate() {
        match block.kind.as_str() {
            "toml" => {
                scenes += 1;
                let named = block.lines[0].strip_prefix("# ").filter(|name| name.ends_with(".toml"));
                let new = match named {
                    Some(_) => block.lines.join("\n"),
                    None => with_tables(&text, &block.lines),
                };
                if let Some(name) = named.filter(|name| *name == file) {
                    // The whole file again: it is what the steps have led to.
                    let [a, b] =
                        [&new, &text].map(|text| Scene::parse(text, name, "", &[]).unwrap().resolved);
                    assert_eq!(a, b, "the complete scene is not the one that was built");
                }
                file = named.unwrap_or(&file).to_owned();
                text = new;
                fs::write(folder.join(&file), &text).unwrap();
                match Scene::parse(&text, &file, "", &[]) {
                    Err(error) => refused = Some(error.to_string()),
                    Ok(scene) => {
                        assert_eq!(scene.warnings, Vec::<String>::new());
                        let mut simulation = run::prepare(scene).unwrap();
                        for _ in 0..A_FEW_STEPS {
                            simulation.step().unwrap();
                        }
                    }
                }
            }
            "console" => {
                let starts: Vec<usize> =
                    (0..block.lines.len()).filter(|&k| block.lines[k].starts_with("$ ")).collect();
                assert_eq!(starts.first(), Some(&0), "{:?}", block.lines);
                for (k, &start) in starts.iter().enumerate() {
                    let end = starts.get(k + 1).copied().unwrap_or(block.lines.len());
                    let command = &block.lines[start][2..];
                    let shown = &block.lines[start + 1..end];
                    let Some(output) = typed(command, &folder) else { continue };
                    commands += 1;
                    let mut found = said(&output);
                    if let Some(error) = refused.take() {
                        // A scene that was refused is shown to be.
                        assert_eq!((output.status.code(), found.as_str()), (Some(2), error.as_str()));
                    } else {
                        assert!(output.status.success(), "{command}: {found}");
                    }
                    if shown.is_empty() {
                        found.clear();
                    }
                    renewed.compare(block.at + start + 1, shown, &found, command);
                    if command == "percussion run throw.toml" && output.status.success() {
                        kept.push((summary(&folder.join(THROW)), events(&folder.join(THROW))));
                    }
                }
            }
            "python" if numpy => {
                let output = Command::new("python3")
                    .args(["-c", &block.lines.join("\n")])
                    .current_dir(&folder)
                    .output();
                let output = output.unwrap();
                assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
                let shown = &blocks[i + 1];
                assert_eq!(shown.kind, "text");
                renewed.compare(shown.at, &shown.lines, &said(&output), "the program in Python");
            }
            "python" | "text" => {}
            other => panic!("a block of an unknown kind: {other}"),
        }
    }
    assert_eq!(refused, None, "a refused scene is not shown to be");
    if std::env::var_os("PERCUSSION_UPDATE_DOCS").is_some() {
        fs::write(root().join(TUTORIAL), renewed.lines.join("\n") + "\n").unwrap();
    } else {
        assert!(renewed.stale.is_empty(), "{}", renewed.stale.join("\n\n"));
    }
    assert!(scenes >= 6 && commands >= 8, "{scenes} {commands}");
    hold(&kept, &folder);
}

/// Prose of a file: pages without code and formulas, sources without anything but comments; pieces of code are left out.
fn prose(path: &Path) -> String {
    let text = read(path);
    let source = path.extension().is_some_and(|extension| extension == "rs");
    let mut fenced = false;
    let mut out = String::new();
    for line in text.lines() {
        let line = line.trim_start();
        let line = match (source, line.strip_prefix("//")) {
            (true, None) => continue,
            (true, Some(comment)) => comment.trim_start_matches(['/', '!']),
            (false, _) => line,
        };
        fenced ^= !source && line.starts_with("```");
        if !fenced {
            out += &line.split('`').step_by(2).collect::<Vec<_>>().join("`");
            out.push('\n');
        }
    }
    if source {
        return out;
    }
    let without = |text: &str, open: &str, close: &str| -> String {
        let mut pieces = text.split(open);
        let first = pieces.next().unwrap_or_default().to_owned();
        pieces.fold(first, |all, piece| all + piece.split_once(close).map_or(piece, |(_, after)| after))
    };
    without(&without(&out, r"\\[", r"\\]"), r"\\(", r"\\)")
}

/// Names in `[Name 3.2]`, `[Name, Theorem 3.4]`, `[Name 1; Other 2]`, `[Name]`: whoever is cited.
fn cited(prose: &str) -> Vec<String> {
    let mut found = Vec::new();
    for piece in prose.split('[').skip(1) {
        let Some((inside, after)) = piece.split_once(']') else { continue };
        let link = after.starts_with(['(', '[']);
        if link || inside.contains(['(', ':', '\n', '"']) {
            continue;
        }
        for one in inside.split("; ") {
            let name = one.split([' ', ',']).next().unwrap();
            let author = name.chars().next().is_some_and(char::is_uppercase)
                && name.chars().skip(1).all(char::is_lowercase)
                && name.chars().count() > 2;
            // Where the author has just been named, a number may stand alone.
            if author && !["Algorithm", "Theorem"].contains(&name) {
                found.push(name.replace('ü', "u"));
            }
        }
    }
    found
}

#[test]
fn citations_are_in_the_list_of_references_and_the_references_are_cited() {
    let page = read("docs/src/references.md");
    let rows = page.lines().filter_map(|line| line.strip_prefix("| ")?.split(" | ").next());
    let listed: BTreeSet<String> = rows.skip(1).map(str::to_owned).collect();
    let entries = read("docs/references.bib");
    let noted = |piece: &str| piece.split(['}', '.']).next().unwrap().to_owned();
    let in_bibliography: BTreeSet<String> = entries.split("Cited as ").skip(1).map(noted).collect();
    assert_eq!(entries.matches("\n@").count() + 1, in_bibliography.len(), "an entry is not noted");
    assert_eq!(listed, in_bibliography, "references.md and references.bib differ");

    let mut everywhere = BTreeSet::new();
    let mut count = 0;
    for (folder, extension) in [("docs/src", "md"), ("scenes", "md"), ("crates", "rs")] {
        for path in files(folder, &[extension]) {
            for name in cited(&prose(&path)) {
                assert!(
                    listed.contains(&name),
                    "{} cites {name}, whom references.md does not list",
                    path.display()
                );
                everywhere.insert(name);
                count += 1;
            }
        }
    }
    assert!(count > 150, "only {count} citations were found");
    assert_eq!(everywhere, listed, "a reference is cited nowhere");
    assert_eq!(
        cited("[Hart, Theorem 3.4] [Johnson 2.29, 3.41; Hart 2.12] [a](b) [Link](c) [x] [Gauss]").len(),
        4
    );
}
