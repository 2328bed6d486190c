//! The guide's page on scene files: its examples load, its mistakes are refused as it says, and it names what the reader
//! accepts, no more and no less.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod common;

use common::{blocks, gallery_files};
use percussion_scene::{AcceptedWords, Scene, Vocabulary};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;

const PAGE: &str = include_str!("../../../docs/src/scenes.md");

/// An example with the run that most of them leave out.
fn complete(text: &str) -> String {
    if text.contains("[run]") { text.to_owned() } else { format!("{text}\n[run]\nstep = 1e-3\nuntil = 1\n") }
}

#[test]
fn the_examples_load() {
    let mut count = 0;
    for (kind, text) in blocks(PAGE) {
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
    let blocks = blocks(PAGE);
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

/// Keys and words by the tables the page speaks of, heard from its examples and from the gallery. What is written in several
/// places is described once: shapes under `shapes.NAME`, bodies and placements under `bodies.NAME`, points likewise.
struct Heard {
    keys: BTreeMap<String, AcceptedWords>,
    words: BTreeMap<String, AcceptedWords>,
}

fn heard() -> Heard {
    let mut vocabulary = Vocabulary::default();
    for (_, text) in blocks(PAGE).into_iter().filter(|(kind, _)| *kind == "toml") {
        Scene::read_recording(&mut vocabulary, "scene.toml", &|_| Ok(complete(&text))).unwrap();
    }
    for path in gallery_files(false) {
        Scene::read_recording(&mut vocabulary, &path, &|path| fs::read_to_string(path)).unwrap();
    }
    let mut heard = Heard { keys: BTreeMap::new(), words: BTreeMap::new() };
    for (table, known) in &vocabulary.keys {
        heard.keys.entry(described(table, known)).or_default().join(known);
    }
    for (key, known) in &vocabulary.words {
        heard.words.entry(key.clone()).or_default().join(known);
    }
    heard
}

/// Where the page describes a table.
fn described(table: &str, known: &AcceptedWords) -> String {
    let has = |key: &str| known.accepted.contains(key);
    // What is asked of bodies and joints is described once, at the end of a plan.
    if (table.starts_with("plan.") || table.starts_with("shoot.end.")) && !table.ends_with(".quaternion") {
        // So are ranges.
        if known.accepted.iter().eq(["max", "min"]) {
            return "plan.range".to_owned();
        }
        let asked = [".bodies.NAME", ".joints.NAME"].into_iter().find_map(|key| table.find(key));
        return asked.map_or(table.to_owned(), |at| format!("plan.end{}", &table[at..]));
    }
    if has("sphere") {
        return "shapes.NAME".to_owned();
    }
    // Placements are those of bodies, also where nothing else of a body is written.
    if has("quaternion") {
        return "bodies.NAME".to_owned();
    }
    let last = table.rsplit('.').next().unwrap();
    if last == "quaternion" {
        return "bodies.NAME.quaternion".to_owned();
    }
    if has("world") {
        return if has("charge") { "point(charge)" } else { "point" }.to_owned();
    }
    // The measures of a shape, wherever it is written.
    if ["shape", "shapes", "parts"].iter().any(|key| table.contains(&format!(".{key}.")))
        || table.starts_with("shapes.NAME.")
    {
        return format!("shapes.NAME.{last}");
    }
    table.to_owned()
}

/// Keys that all kinds of a collection accept, such as `joint` of patterns.
fn common(keys: &BTreeMap<String, AcceptedWords>, collection: &str) -> BTreeSet<String> {
    let mut kinds = keys.iter().filter(|(table, _)| table.starts_with(&format!("{collection}.NAME(")));
    let first = kinds.next().unwrap().1.accepted.clone();
    kinds.fold(first, |all, (_, known)| all.intersection(&known.accepted).cloned().collect())
}

/// A table is heard of once a scene has it. So that none stays unheard, every key is given somewhere, and every kind is used: those of
/// forces and patterns decide about their keys.
#[test]
fn every_key_and_every_kind_is_used_in_an_example_or_in_the_gallery() {
    let Heard { keys, words } = heard();
    let mut unused: Vec<String> = Vec::new();
    let kinds = words.iter().filter(|(key, _)| key.ends_with(".kind"));
    for (place, known) in keys.iter().chain(kinds) {
        // What is common to all patterns is read in one place.
        let elsewhere =
            |key: &str| place.starts_with("patterns.NAME(") && common(&keys, "patterns").contains(key);
        unused.extend(known.unused().filter(|key| !elsewhere(key)).map(|key| format!("{place}: {key}")));
    }
    assert_eq!(unused, Vec::<String>::new(), "give examples in docs/src/scenes.md");
    assert!(keys.len() > 40 && words.len() > 10, "{} {}", keys.len(), words.len());
}

/// The page's sections by their headings, without the examples.
fn sections() -> BTreeMap<&'static str, String> {
    let mut found: BTreeMap<&str, String> = BTreeMap::new();
    let (mut heading, mut code) = ("", false);
    for line in PAGE.lines() {
        code ^= line.starts_with("```");
        if let Some(text) = line.strip_prefix("## ").filter(|_| !code) {
            heading = text;
        } else if !code && !line.starts_with("```") {
            *found.entry(heading).or_default() += &format!("{line}\n");
        }
    }
    found
}

/// The section that describes a table.
fn section_of(table: &str) -> &'static str {
    if table.starts_with("run.lcp") {
        return "`[run.lcp]`";
    }
    if let Some(part) = table.strip_prefix("plan.") {
        let asked =
            [("bodies.NAME", "`[plan.end.bodies.NAME]`"), ("joints.NAME", "`[plan.end.joints.NAME]`")];
        if let Some((_, section)) = asked.into_iter().find(|(key, _)| part.contains(key)) {
            return section;
        }
        return match part.split('.').next().unwrap() {
            "search" => "`[plan.search]`",
            "objective" => "`[plan.objective]`",
            "controls" => "`[plan.controls.NAME]`",
            "start" | "end" => "`[plan.end]`",
            "conditions" => "`[[plan.conditions]]`",
            "avoid" => "`[plan.avoid]`",
            "contacts" => "`[[plan.contacts]]`",
            // Schemes are those of runs.
            "guess" if part.ends_with(".scheme") => "`[run]`",
            "guess" => "`[plan.guess]`",
            _ => "`[plan]`",
        };
    }
    if let Some(part) = table.strip_prefix("shoot.") {
        return match part {
            "vary" => "`[shoot.vary]`",
            "vary.bodies.NAME" => "`[shoot.vary.bodies.NAME]`",
            "vary.joints.NAME" => "`[shoot.vary.joints.NAME]`",
            "end" => "`[shoot.end]`",
            other => panic!("the page has no section for `shoot.{other}`"),
        };
    }
    match table.split(['.', '(']).next().unwrap() {
        "" => "At the top",
        "run" => "`[run]`",
        "bodies" => "`[bodies.NAME]`",
        "materials" => "`[materials.NAME]`",
        "shapes" => "`[shapes.NAME]`",
        "joints" => "`[joints.NAME]`",
        "forces" | "point" => "`[forces.NAME]`",
        "contact" => "`[contact]`",
        "plan" => "`[plan]`",
        "shoot" => "`[shoot]`",
        "patterns" => "`[patterns.NAME]`",
        other => panic!("the page has no section for `{other}`"),
    }
}

/// Pieces of code in a text.
fn code(text: &str) -> Vec<&str> {
    text.split('`').skip(1).step_by(2).collect()
}

/// All words inside the pieces of code of a text.
fn code_words(text: &str) -> BTreeSet<&str> {
    let outside = |c: char| !(c.is_ascii_alphanumeric() || "_-".contains(c));
    let words = code(text).into_iter().flat_map(|piece| piece.split(outside));
    words.filter(|word| !word.is_empty()).collect()
}

/// Rows of the tables of a section: the head of each, and its cells.
fn rows(section: &str) -> Vec<(Vec<&str>, Vec<&str>)> {
    let mut found = Vec::new();
    let mut head: Option<Vec<&str>> = None;
    for line in section.lines() {
        if !line.starts_with('|') {
            head = None;
            continue;
        }
        let cells: Vec<&str> = line.trim_matches('|').split('|').map(str::trim).collect();
        match &head {
            None => head = Some(cells),
            Some(_) if line.starts_with("|---") => {}
            Some(head) => found.push((head.clone(), cells)),
        }
    }
    found
}

/// The part of the page that names the keys of a table.
fn names_of(table: &str, sections: &BTreeMap<&str, String>, common: &BTreeSet<String>, key: &str) -> String {
    let section = &sections[section_of(table)];
    let rows_of = |word: &str| -> String {
        let of_word = |cells: &[&str]| code_words(cells[0]).contains(word);
        rows(section).iter().filter(|(_, cells)| of_word(cells)).map(|(_, cells)| cells.join(" | ")).collect()
    };
    if let Some((_, kind)) = table.strip_suffix(')').and_then(|table| table.split_once("NAME(")) {
        return if common.contains(key) { section.clone() } else { rows_of(kind) };
    }
    match table.rsplit_once('.') {
        Some(("run", "lcp")) => section.clone(),
        Some(("shapes.NAME" | "bodies.NAME" | "run", nested)) if nested != "NAME" => rows_of(nested),
        // How shapes are placed is said about bodies.
        Some(("shapes", _)) => format!("{section}{}", sections["`[bodies.NAME]`"]),
        _ => section.clone(),
    }
}

#[test]
fn every_key_and_every_word_the_reader_accepts_is_on_the_page() {
    let Heard { keys, words } = heard();
    let sections = sections();
    let mut missing = Vec::new();
    for (table, known) in &keys {
        let common = match table.split_once(".NAME(") {
            Some((collection, _)) => common(&keys, collection),
            None => BTreeSet::new(),
        };
        for key in &known.accepted {
            if !code_words(&names_of(table, &sections, &common, key)).contains(key.as_str()) {
                missing.push(format!("{table}: {key}"));
            }
        }
    }
    for (key, known) in &words {
        // The coordinates of a joint are listed with its kinds.
        let table = if key == "forces.NAME.coordinate" { "joints" } else { key };
        let named = code_words(&sections[section_of(table)]);
        let lacking = known.accepted.iter().filter(|word| !named.contains(word.as_str()));
        missing.extend(lacking.map(|word| format!("{key}: {word}")));
    }
    assert_eq!(missing, Vec::<String>::new(), "docs/src/scenes.md does not name them");
}

/// Keys inside the braces of a piece of code, `{ sides, side or circumradius, normal = [x, y] }`; `...` stands for more.
fn braces(piece: &str) -> Option<Vec<&str>> {
    let inside = piece.strip_prefix('{')?.strip_suffix('}')?;
    let mut depth = 0;
    let parts = inside.split(|c: char| {
        depth += i32::from(c == '[') - i32::from(c == ']');
        c == ',' && depth == 0
    });
    Some(parts.flat_map(|part| part.split('=').next().unwrap().split(" or ")).map(str::trim).collect())
}

/// A key, alone or with a value.
fn key_of(piece: &str) -> Option<&str> {
    let key = piece.split(" = ").next().unwrap();
    (!key.is_empty() && key.chars().all(|c| c.is_ascii_lowercase() || c == '_')).then_some(key)
}

#[test]
fn every_key_in_the_tables_of_the_page_is_accepted_by_the_reader() {
    let Heard { keys, words } = heard();
    let mut checked = 0;
    let mut wrong = Vec::new();
    let mut check = |known: &AcceptedWords, word: &str, place: &str| {
        checked += 1;
        if !known.accepted.contains(word) {
            wrong.push(format!("{place}: {word}"));
        }
    };
    let sections = sections();
    for (heading, section) in &sections {
        let table = match *heading {
            "At the top" => "",
            other => other.trim_matches(['`', '[', ']']),
        };
        for (head, cells) in rows(section) {
            let first = code_words(cells[0]);
            match (head[0], head[1]) {
                ("key", _) => {
                    first.iter().for_each(|key| check(&keys[table], key, heading));
                    let nested: BTreeSet<&str> =
                        code(cells[1]).into_iter().filter_map(braces).flatten().collect();
                    if nested.is_empty() || nested.contains("...") {
                        continue;
                    }
                    for key in first {
                        let known = &keys[&format!("{table}.{key}")];
                        nested.iter().for_each(|inner| check(known, inner, key));
                    }
                }
                ("kind", "keys") => {
                    let kind = cells[0].trim_matches('`');
                    let mut known = keys[&format!("{table}({kind})")].clone();
                    if kind == "charges" {
                        known.join(&keys["point(charge)"]);
                    }
                    for piece in code(cells[1]) {
                        key_of(piece).into_iter().for_each(|key| check(&known, key, kind));
                        let inner = braces(piece).unwrap_or_default();
                        inner.iter().for_each(|key| check(&keys["forces.NAME.torque"], key, kind));
                    }
                }
                ("kind", _) => check(&words[&format!("{table}.kind")], cells[0].trim_matches('`'), heading),
                ("scheme", _) => first.iter().for_each(|word| check(&words["run.scheme"], word, heading)),
                other => panic!("a table of an unknown kind: {other:?}"),
            }
        }
    }
    let words_here = code(&sections["`[run]`"]).into_iter().filter(|piece| piece.starts_with('"'));
    words_here.for_each(|word| check(&words["run.scheme"], word.trim_matches('"'), "scheme"));
    assert_eq!(wrong, Vec::<String>::new(), "docs/src/scenes.md names what the reader refuses");
    assert!(checked > 150, "{checked}");
}

#[test]
fn joints_need_what_the_page_says_and_keep_the_coordinates_it_lists() {
    let sections = sections();
    let mut count = 0;
    for (head, cells) in rows(&sections["`[joints.NAME]`"]) {
        if head[0] != "kind" {
            continue;
        }
        let kind = cells[0].trim_matches('`');
        let (coordinates, needs) = (code(cells[2]), code(cells[3]));
        let scene = |needs: &[&str]| {
            let mut text =
                "run = { step = 1e-3, until = 1 }\n[bodies]\na = { mass = 1, moments = [1, 1, 1] }\n\
                b = { mass = 1, moments = [1, 1, 1], position = [0, 0, 1] }\n"
                    .to_owned();
            for coordinate in &coordinates {
                text += &format!(
                    "[forces.{coordinate}]\nkind = \"torsion-damper\"\njoint = \"j\"\ncoordinate = \"{coordinate}\"\ndamping = 1\n"
                );
            }
            text += &format!("[joints.j]\nkind = \"{kind}\"\nparent = \"a\"\nchild = \"b\"\n");
            if !coordinates.is_empty() {
                text += &format!("coordinates = {:?}\n", vec![0.0; coordinates.len()]);
            }
            for key in needs {
                let value = match *key {
                    "at" => "[0, 0, 0]",
                    "axis" => "[0, 0, 1]",
                    "second_axis" => "[1, 0, 0]",
                    other => panic!("{other}"),
                };
                text += &format!("{key} = {value}\n");
            }
            Scene::parse(&text, "scene.toml", "", &[])
        };
        scene(&needs).unwrap_or_else(|error| panic!("{kind}: {error}"));
        for left_out in &needs {
            let rest: Vec<&str> = needs.iter().copied().filter(|key| key != left_out).collect();
            let error = scene(&rest).unwrap_err().to_string();
            assert!(error.contains(&format!("`joints.j.{left_out}` is missing")), "{kind}: {error}");
        }
        count += 1;
    }
    assert_eq!(count, 9);
}

#[test]
fn schemes_take_the_surfaces_the_page_says() {
    let sections = sections();
    let mut count = 0;
    for (head, cells) in rows(&sections["`[contact]`"]) {
        if head[0] != "scheme" {
            continue;
        }
        for scheme in code(cells[0]) {
            let accepts = |line: &str| {
                let text = format!(
                    "[run]\nstep = 1e-3\nuntil = 1\nscheme = \"{scheme}\"\n[contact]\n{line}\n\
                     [bodies.a]\nshape = {{ sphere = 1 }}\nmass = 1\n[bodies.b]\nshape = {{ sphere = 1 }}\nmass = 1\nposition = [0, 0, 3]"
                );
                Scene::parse(&text, "scene.toml", "", &[]).is_ok()
            };
            assert!(accepts(""), "{scheme}");
            assert_eq!(accepts("restitution = 0.5"), cells[2] == "any", "restitution, {scheme}");
            assert_eq!(accepts("friction = 0.5"), cells[3] == "any", "friction, {scheme}");
            let by_drag = cells[2].contains("`normal_damping`");
            let damped = accepts("restitution = 0.5\nnormal_damping = 1");
            assert_eq!(damped, cells[2] == "any" || by_drag, "drag, {scheme}");
            count += 1;
        }
    }
    assert_eq!(count, 7);
}

/// `Name { field, ... }` on the page on forces are the structures of the library, field by field.
#[test]
fn the_page_on_forces_names_the_fields_of_the_laws() {
    let page = include_str!("../../../docs/src/forces.md");
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../mechanics/src/force");
    let source: String = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.is_file())
        .map(|path| fs::read_to_string(path).unwrap())
        .collect();
    let mut count = 0;
    for piece in code(page).into_iter().filter(|piece| piece.ends_with('}')) {
        let (name, fields) = piece.split_once(' ').unwrap();
        let said: BTreeSet<&str> = braces(fields).unwrap().into_iter().collect();
        let body = source.split(&format!("pub struct {name} {{")).nth(1).unwrap_or_else(|| panic!("{name}"));
        let body = body.split("\n}").next().unwrap();
        let fields = body.lines().filter_map(|line| line.trim().strip_prefix("pub ")?.split(':').next());
        assert_eq!(said, fields.collect(), "{name}");
        count += 1;
    }
    assert!(count >= 6, "{count}");
}
