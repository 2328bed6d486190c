//! Study files: what is refused, and the guide's page on them, which names what the reader accepts, no more and no less.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod common;

use common::{blocks, gallery_files};
use percussion_scene::study::{AxisValue, Scale, Study};
use percussion_scene::{Complaint, Vocabulary};
use std::collections::BTreeSet;
use std::fs;

const PAGE: &str = include_str!("../../../docs/src/studies.md");

const GOOD: &str = r#"
scene = "gyroscope"
x = "h"
[axes.h]
path = "run.step"
values = [1e-3, 5e-4]
[axes.gamma]
path = "run.newmark.gamma"
values = [0.5, 1]
[figures.energy]
value = "energy.max_relative_error"
"#;

fn read(text: &str) -> Result<Study, Vec<Complaint>> {
    Study::read("folder/own.toml", &|_| Ok(text.to_owned())).map_err(|error| error.complaints)
}

/// A study with a change is refused at the line of the new text, with this said about it.
fn refused(from: &str, to: &str, said: &str) {
    assert!(GOOD.contains(from), "{from}");
    let text = GOOD.replacen(from, to, 1);
    let found = read(&text).unwrap_err();
    let line = GOOD[..GOOD.find(from).unwrap()].matches('\n').count() + 1;
    let whole = found[0].to_string();
    assert_eq!(found.len(), 1, "{found:#?}");
    assert!(whole.contains(said), "{whole}\nlacks\n{said}");
    assert!(whole.starts_with("folder/own.toml:") && !found[0].remedy.is_empty(), "{whole}");
    assert!(found[0].line() == Some(line) || to.is_empty(), "{whole} is not about line {line}");
}

#[test]
fn a_study_says_what_is_set_and_what_is_drawn() {
    let study = read(GOOD).unwrap();
    assert_eq!((study.name.as_str(), study.scene.as_deref(), study.x), ("own", Some("gyroscope"), 0));
    assert_eq!(study.axes[1].values, [AxisValue::Number(0.5), AxisValue::Whole(1)]);
    assert_eq!((study.axes[0].label.as_str(), study.axes[0].scale), ("h", Scale::Log));
    assert_eq!(study.figures[0].label, "energy.max_relative_error");
    let labels: Vec<String> = study.curves().into_iter().map(|curve| curve.label).collect();
    assert_eq!(labels, ["gamma = 0.5", "gamma = 1"]);
}

#[test]
fn the_first_axis_varies_slowest_and_one_axis_makes_one_curve() {
    let three = format!("{GOOD}[axes.scheme]\npath = \"run.scheme\"\nvalues = [\"a\", \"b\"]\n");
    let labels: Vec<String> = read(&three).unwrap().curves().into_iter().map(|curve| curve.label).collect();
    assert_eq!(labels, ["gamma = 0.5, a", "gamma = 0.5, b", "gamma = 1, a", "gamma = 1, b"]);
    let one = GOOD
        .replace("x = \"h\"\n", "")
        .replace("[axes.gamma]\npath = \"run.newmark.gamma\"\nvalues = [0.5, 1]\n", "");
    let study = read(&one).unwrap();
    assert_eq!((study.curves().len(), study.curves()[0].label.as_str()), (1, ""));
}

#[test]
fn slips_are_refused_with_place_and_remedy() {
    refused("scene =", "titel = \"x\"\nscene =", "did you mean `title`?");
    refused("x = \"h\"", "x = \"g\"", "there is no axis `g`; did you mean `h`?");
    refused("path = \"run.step\"", "lable = \"x\"\npath = \"run.step\"", "did you mean `label`?");
    refused("[1e-3, 5e-4]", "[1e-3, 1e-3]", "`axes.h.values` has 0.001 twice");
    refused("[1e-3, 5e-4]", "[]", "`axes.h.values` is empty");
    refused("[1e-3, 5e-4]", "[1e-3, -5e-4]", "has the value -5e-4, which has no logarithm");
    refused("[1e-3, 5e-4]", "[1e-3, \"fast\"]", "it is the abscissa axis");
    refused("[1e-3, 5e-4]", "[1e-3, [5e-4]]", "give a number, a word in quotes, true or false");
    refused("[1e-3, 5e-4]", "[1e-3, inf]", "give a finite number");
    refused("\"run.newmark.gamma\"", "\"run.step\"", "`run.step` is set by two axes");
    refused("[figures.energy]", "[figures.\"a/b\"]", "`a/b` is not a valid name of a figure");
    refused("value =", "scale = \"cubic\"\nvalue =", "known here: log, linear");
    refused("value =", "set = 1\nvalue =", "unknown key `set` in `figures.energy`");
    refused("scene =", "set = [\"run.until\"]\nscene =", "`set[0]` has no `=`");
    let fit = |fit: &str, said: &str| refused("value =", &format!("fit = {fit}\nvalue ="), said);
    fit("{ at_lest = 2 }", "did you mean `at_least`?");
    fit("{ from = 1, to = 0.5 }", "not more than `from`");
    fit("{ from = -1 }", "give a positive number");
    fit("{ at_least = 2, only = { gama = [1] } }", "did you mean `gamma`?");
    fit("{ at_least = 2, only = { h = [1e-3] } }", "`h` is not an axis that makes curves");
    fit("{ at_least = 2, only = { gamma = [2] } }", "`axes.gamma` has no value 2; give one of 0.5, 1");
    fit("{ only = { gamma = [1.0] } }", "is given without an expectation");
    let published =
        |item: &str, said: &str| refused("value =", &format!("published = [{item}]\nvalue ="), said);
    published("{ points = [[1, 2]] }", "`figures.energy.published[0].label` is missing");
    published("{ label = \"x\", points = [[1, 2, 3]] }", "has 3 entries, not 2");
    published("{ label = \"x\", points = [], at = { gamma = 3 } }", "`axes.gamma` has no value 3");
    let reference =
        |item: &str, said: &str| refused("value =", &format!("reference = {item}\nvalue ="), said);
    reference("\"x\"", "is a string, not a number");
    reference("[{ at = { gamma = 1 } }]", "`figures.energy.reference[0].value` is missing");
    reference("[{ value = 1, at = { gamma = 3 } }]", "`axes.gamma` has no value 3");
    let scenes = GOOD.replace("\"run.newmark.gamma\"", "\"scene\"");
    assert!(read(&scenes).unwrap_err()[0].to_string().contains("has 0.5, which is no scene"));
}

#[test]
fn an_axis_may_have_scenes_and_a_figure_a_reference_for_each() {
    let text = "x = \"h\"\n[axes.h]\npath = \"run.step\"\nvalues = [1e-3, 5e-4]\n[axes.of]\npath = \"scene\"\n\
                values = [\"kepler\", \"gyroscope\"]\n[figures.energy]\nvalue = \"energy.kinetic.1\"\n\
                reference = [{ value = 1, at = { of = \"kepler\" } }, { value = 2, at = { of = \"gyroscope\" } }]\n";
    let study = read(text).unwrap();
    assert_eq!(
        (study.scene.as_deref(), study.scenes()),
        (None, vec!["kepler".to_owned(), "gyroscope".to_owned()])
    );
    assert_eq!(
        study.figures[0].reference.iter().map(|reference| reference.value).collect::<Vec<_>>(),
        [1.0, 2.0]
    );
    let both = read(&format!("scene = \"kepler\"\n{text}")).unwrap_err();
    assert!(both[0].to_string().contains("is given, and `axes.of` has scenes"), "{both:?}");
}

#[test]
fn what_is_missing_is_asked_for() {
    for (left_out, said) in [
        ("scene = \"gyroscope\"\n", "`scene` is missing"),
        ("x = \"h\"\n", "`x` is missing; name the abscissa axis of the figures, one of h, gamma"),
        ("values = [0.5, 1]\n", "`axes.gamma.values` is missing"),
        ("path = \"run.step\"\n", "`axes.h.path` is missing"),
        ("value = \"energy.max_relative_error\"\n", "`figures.energy.value` is missing"),
        ("[figures.energy]\nvalue = \"energy.max_relative_error\"\n", "`figures` is missing"),
    ] {
        refused(left_out, "", said);
    }
    let error = Study::load("nowhere/study.toml").unwrap_err().to_string();
    assert!(error.starts_with("nowhere/study.toml: cannot be read"), "{error}");
}

/// The vocabulary of the page's examples and of the studies in the gallery.
fn vocabulary() -> Vocabulary {
    let mut vocabulary = Vocabulary::default();
    for (_, text) in blocks(PAGE).into_iter().filter(|(kind, _)| *kind == "toml") {
        Study::read_recording(&mut vocabulary, "study.toml", &|_| Ok(text.clone()))
            .unwrap_or_else(|error| panic!("{error}\n{text}"));
    }
    for path in gallery_files(true) {
        Study::read_recording(&mut vocabulary, &path, &|path| fs::read_to_string(path)).unwrap();
    }
    vocabulary
}

#[test]
fn the_pages_mistakes_are_refused_as_it_says() {
    let blocks = blocks(PAGE);
    let mut count = 0;
    for (i, (kind, text)) in blocks.iter().enumerate() {
        if *kind == "toml error" {
            let error = Study::read("study.toml", &|_| Ok(text.clone())).unwrap_err();
            assert_eq!(error.to_string(), blocks[i + 1].1);
            count += 1;
        }
    }
    assert_eq!(count, 1);
}

/// Keys of the page's tables by the reader's names for them: those of a row's first cell, and those in braces in its second.
fn named_on_the_page() -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    let mut table = None;
    for line in PAGE.lines() {
        if let Some(heading) = line.strip_prefix("## ") {
            table = match heading {
                "At the top" => Some(String::new()),
                "`[axes.NAME]`" | "`[figures.NAME]`" => {
                    Some(heading.trim_matches(['`', '[', ']']).to_owned())
                }
                _ => None,
            };
        }
        let (Some(table), Some(row)) = (&table, line.strip_prefix("| `")) else { continue };
        let (keys, said) = row.split_once(" | ").unwrap();
        for key in keys.trim_matches('`').split("`, `") {
            found.insert(format!("{table}: {key}"));
            if let Some(inside) = said.split_once("`{ ").and_then(|(_, after)| after.split_once(" }`")) {
                found.extend(inside.0.split(", ").map(|inner| format!("{table}.{key}: {inner}")));
            }
        }
    }
    found
}

#[test]
fn the_page_names_every_key_the_reader_accepts_and_no_other() {
    let vocabulary = vocabulary();
    let accepted: BTreeSet<String> = vocabulary
        .keys
        .iter()
        .flat_map(|(table, known)| known.accepted.iter().map(move |key| format!("{table}: {key}")))
        .collect();
    assert_eq!(named_on_the_page(), accepted, "docs/src/studies.md and the reader differ");
    assert!(accepted.len() > 20, "{accepted:?}");
    for (key, known) in &vocabulary.words {
        for word in &known.accepted {
            assert!(PAGE.contains(&format!("`\"{word}\"`")), "the page does not name {word} of {key}");
        }
    }
}

#[test]
fn every_key_is_used_in_an_example_or_in_the_gallery() {
    let vocabulary = vocabulary();
    let unused: Vec<String> = vocabulary
        .keys
        .iter()
        .flat_map(|(table, known)| known.unused().map(move |key| format!("{table}: {key}")))
        .collect();
    assert_eq!(unused, Vec::<String>::new(), "give examples in docs/src/studies.md");
}
