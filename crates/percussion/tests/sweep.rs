//! `percussion sweep` and its folder, as a user meets them.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod common;

use common::folder::{CHARGES, Place, code, error, refused, run, succeed, summary, text, wait_for};
use common::tree::read;
use common::{alike, call, column, list, number, program, root};
use percussion::gallery::{self, SCENES};
use serde_json::Value;
use std::fs;
use std::path::Path;
use std::process::{Command, Output, Stdio};

/// A spherical pendulum with schemes of second order.
const PENDULUM: &str = r#"
gravity = [0, 0, -9.81]
[run]
step = 1e-3
until = 0.4
[bodies.bob]
shape = { box = [0.1, 0.2, 0.3] }
mass = 1
position = [0, 0, -1]
[joints.pivot]
kind = "spherical"
parent = "world"
child = "bob"
at = [0, 0, 0]
rotation_vector = [0, 1, 0]
rates = [0, 0, 2]
"#;

const STUDY: &str = r#"
title = "Energy < step & scheme"
scene = "pendulum.toml"
x = "h"
[axes.scheme]
path = "run.scheme"
values = ["variational", "newmark-explicit"]
[axes.h]
path = "run.step"
values = [8e-3, 4e-3, 2e-3, 1e-3]
unit = "s"
[figures.energy]
value = "energy.max_relative_error"
slope = 2
fit = { at_least = 1.9, at_most = 2.1, only = { scheme = ["variational"] } }
published = [{ label = "a guess", points = [[8e-3, 1e-4], [1e-3, 1e-6]] }]
[figures.steps]
value = "steps"
scale = "linear"
"#;

fn prepared(name: &str, study: &str) -> Place {
    let place = Place::new(&format!("sweep-{name}"));
    fs::write(place.join("pendulum.toml"), PENDULUM).unwrap();
    fs::write(place.join("charges.toml"), CHARGES).unwrap();
    fs::write(place.join("study.toml"), study).unwrap();
    place
}

fn command(place: &Place, more: &[&str]) -> Command {
    let mut command = program();
    command.arg("sweep").arg(place.join("study.toml")).arg("--out").arg(place.join("out")).args(more);
    command
}

fn sweep(place: &Place, more: &[&str]) -> Output {
    command(place, more).output().unwrap()
}

fn json(path: &Path) -> Value {
    serde_json::from_str(&fs::read_to_string(path).unwrap()).unwrap()
}

/// The record without how long anything took.
fn timeless(folder: &Path) -> Value {
    let mut record = json(&folder.join("study.json"));
    for run in record["runs"].as_array_mut().unwrap() {
        run["wall_time_s"] = Value::Null;
        if run["summary"].is_object() {
            run["summary"]["wall_time_s"] = Value::Null;
        }
    }
    record
}

fn slope(record: &Value, figure: usize, curve: usize) -> f64 {
    number(&record["figures"][figure]["curves"][curve]["rate"]["slope"])
}

#[test]
fn a_study_finds_the_order_of_a_scheme() {
    let place = prepared("order", STUDY);
    let output = sweep(&place, &[]);
    succeed(&output);
    let out = place.join("out");
    let record = json(&out.join("study.json"));
    assert_eq!(record["status"], "finished");
    assert!((slope(&record, 0, 0) - 2.0).abs() < 0.1, "{record}");
    let curves = list(&record["figures"][0]["curves"]);
    assert_eq!((&curves[0]["verdict"], &curves[1]["verdict"]), (&"holds".into(), &Value::Null));
    // Points in the order of the grid, whatever order they ended in; values are those of an ordinary run.
    let (runs, labels) = (list(&record["runs"]), column(&record["runs"], "label"));
    assert_eq!((labels[0], labels[7]), ("variational, h = 0.008 s", "newmark-explicit, h = 0.001 s"));
    assert_eq!(labels.len(), 8);
    let alone = place.join("alone");
    let set = ["--scheme", "newmark-explicit", "--set", "run.step=2e-3"];
    succeed(&run(place.join("pendulum.toml"), &alone, &set));
    let told = summary(&alone);
    assert_eq!(runs[6]["values"]["energy"], told["energy"]["max_relative_error"]);
    assert_eq!((&runs[6]["values"]["steps"], &told["steps"]), (&200.0.into(), &200.into()));
    // What was needed on the way is gone.
    assert!(!out.join("points").exists() && !out.join("runs").exists());

    let table = fs::read_to_string(out.join("study.csv")).unwrap();
    let rows: Vec<&str> = table.split("\r\n").collect();
    assert_eq!((rows.len(), rows[0]), (10, "scheme,h [s],energy,steps,status,message"));
    let cells: Vec<&str> = rows[1].split(',').collect();
    assert_eq!(cells[2].parse::<f64>().unwrap(), number(&runs[0]["values"]["energy"]));

    let page = fs::read_to_string(out.join("report.html")).unwrap();
    assert!(page.contains("Energy &lt; step &amp; scheme") && page.matches("<svg").count() == 2, "{page}");
    for outside in ["src=\"", "href=\"http", "@import", "<script"] {
        assert!(!page.contains(outside), "{outside}");
    }
    let said = text(&output);
    assert!(said.contains("variational       slope ") && said.contains("report.html"), "{said}");
}

/// Reads XML as Python does; `None` if there is no Python.
fn parsed(path: &Path) -> Option<bool> {
    let program = "import sys, xml.dom.minidom as m; r = m.parse(sys.argv[1]).documentElement; sys.exit(r.tagName != 'svg')";
    Some(Command::new("python3").args(["-c", program]).arg(path).output().ok()?.status.success())
}

/// Tags are closed in the order they were opened, attributes are quoted, and nothing that XML reserves stands bare.
fn well_formed(text: &str) {
    let mut open: Vec<&str> = Vec::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('<') {
        assert!(!before.contains('>') || open.last() == Some(&"style"), "{before}");
        let entity =
            |piece: &str| ["amp;", "lt;", "gt;", "quot;"].iter().any(|known| piece.starts_with(known));
        assert!(before.split('&').skip(1).all(entity), "{before}");
        let (tag, after) = after.split_once('>').unwrap();
        assert!(tag.matches('"').count().is_multiple_of(2), "{tag}");
        match (tag.strip_prefix('/'), tag.ends_with('/')) {
            (Some(name), _) => assert_eq!(open.pop(), Some(name)),
            (None, true) => {}
            (None, false) => open.push(tag.split_whitespace().next().unwrap()),
        }
        rest = after;
    }
    assert!(open.is_empty() && rest.trim().is_empty(), "{open:?} {rest}");
}

#[test]
fn drawings_are_xml_and_hold_every_point() {
    let place = prepared("drawings", STUDY);
    succeed(&sweep(&place, &["--set", "run.until=0.08"]));
    for (figure, markers) in [("energy", 8 + 2), ("steps", 8)] {
        let path = place.join("out").join(format!("{figure}.svg"));
        let text = fs::read_to_string(&path).unwrap();
        well_formed(&text);
        assert_ne!(parsed(&path), Some(false), "{figure}");
        // Every point has its value as title, and the whole has a title.
        assert_eq!(text.matches("<title>").count(), markers + 1, "{text}");
        assert!(text.contains("prefers-color-scheme: dark") && text.contains("h [s]"), "{text}");
        assert_eq!(text.contains("class=\"slope\""), figure == "energy");
    }
}

#[test]
fn a_slope_that_is_not_as_expected_ends_with_one_and_is_named() {
    let place = prepared("slope", &STUDY.replace("at_least = 1.9, at_most = 2.1", "at_least = 2.5"));
    let output = sweep(&place, &["--set", "run.until=0.08"]);
    assert_eq!(code(&output), 1, "{}", error(&output));
    let said = error(&output);
    assert!(said.contains("error: figure `energy`, curve `variational`: slope "), "{said}");
    assert!(said.contains("expected at least 2.5"), "{said}");
    assert!(!said.contains("curve `newmark-explicit`"), "{said}");
    let record = json(&place.join("out").join("study.json"));
    assert_eq!(record["figures"][0]["curves"][0]["verdict"], "broken");
}

#[test]
fn a_point_that_fails_is_reported_and_the_others_continue() {
    let study = "scene = \"charges.toml\"\n[axes.end]\npath = \"run.until\"\nvalues = [0.5, 10, 1]\n\
                 [figures.energy]\nvalue = \"energy.max_relative_error\"\nfit = {}\n";
    let place = prepared("failure", study);
    let output = sweep(&place, &[]);
    assert_eq!(code(&output), 1);
    let said = error(&output);
    assert!(said.contains("error: end = 10: failed: step "), "{said}");
    assert!(said.contains("take a smaller step"), "{said}");
    let record = json(&place.join("out").join("study.json"));
    assert_eq!(column(&record["runs"], "status"), ["finished", "failed", "finished"]);
    let curve = &record["figures"][0]["curves"][0];
    assert_eq!((&curve["y"][1], &curve["rate"]["points"]), (&Value::Null, &2.into()));
    assert_eq!(curve["rate"]["standard_error"], Value::Null);
    let page = fs::read_to_string(place.join("out").join("report.html")).unwrap();
    assert!(page.contains("Failed runs") && page.contains("class=\"lost\""));
}

#[test]
fn slips_are_refused_before_anything_is_run() {
    let negative = STUDY.replace("4e-3, ", "-4e-3, ").replace("unit = \"s\"", "scale = \"linear\"");
    for (study, said) in [
        (
            STUDY.replace("run.scheme", "run.shceme"),
            [
                "study.toml:6:1: run.shceme=\"variational\": ",
                "unknown key `shceme` in `run`; did you mean `scheme`?",
            ],
        ),
        (negative, ["study.toml:9:1: run.step=-0.004: ", "give a positive step size"]),
        (
            STUDY.replace("max_relative_error", "max_relative_eror"),
            [
                "study.toml:13:9: `energy` of summary.json has no `max_relative_eror`",
                "did you mean `max_relative_error`?",
            ],
        ),
        (
            STUDY.replace("pendulum.toml", "pendulun.toml"),
            ["study.toml:3:1: ", "there is no file and no gallery scene `pendulun.toml`"],
        ),
        (STUDY.replace("newmark-explicit", "exact"), ["study.toml:", ""]),
        (
            STUDY.replace("x = \"h\"", "x = \"h\"\nset = [\"bodies.bobb.mass=2\"]"),
            ["study.toml:5:8: bodies.bobb.mass=2: ", "did you mean `bob`?"],
        ),
    ] {
        let place = prepared("slips", &study);
        let output = sweep(&place, &[]);
        refused(&output, &said);
        // One complaint, though two schemes have the wrong path.
        assert!(!said[0].contains("shceme") || error(&output).lines().count() == 1, "{}", error(&output));
        // Nothing is left that would be in the way.
        assert_eq!(fs::read_dir(place.join("out")).map_or(0, Iterator::count), 0);
    }
    for (arguments, said) in [
        (&["gyroscope"][..], "`gyroscope` is not a study; try: percussion run gyroscope"),
        (&["order-of-scheme"], "did you mean `order-of-schemes`?"),
        (&["order-of-schemes", "--jobs", "0"], "0 is not in 1.."),
        (&["order-of-schemes", "--set", "run.until"], "has no `=`"),
        (&["order-of-schemes", "--set", "run.utnil=1"], "override run.utnil=1: unknown key `utnil`"),
    ] {
        refused(&call(&[&["sweep"], arguments].concat()), &[said]);
    }
}

#[test]
fn a_folder_that_holds_something_else_is_left_alone() {
    let place = prepared("folder", STUDY);
    let out = place.join("out");
    fs::create_dir_all(&out).unwrap();
    fs::write(out.join("thesis.txt"), "mine").unwrap();
    refused(&sweep(&place, &[]), &["is not the folder of a study; choose another folder with --out"]);
    assert_eq!(fs::read_dir(&out).unwrap().count(), 1);
    fs::remove_file(out.join("thesis.txt")).unwrap();
    refused(&sweep(&place, &["--resume"]), &["holds no study to resume"]);
}

#[test]
fn neither_threads_nor_kept_runs_change_a_figure() {
    let place = prepared("threads", STUDY);
    let quick = ["--set", "run.until=0.08"];
    succeed(&sweep(&place, &[&quick[..], &["--jobs", "1"]].concat()));
    let one = timeless(&place.join("out"));
    let table = fs::read(place.join("out").join("study.csv")).unwrap();
    succeed(&sweep(&place, &[&quick[..], &["--jobs", "3", "--keep"]].concat()));
    let mut three = timeless(&place.join("out"));
    assert_eq!(fs::read(place.join("out").join("study.csv")).unwrap(), table);
    let kept = place.join("out").join("runs").join("scheme-variational_h-0.008");
    assert!(kept.join("trajectory.npz").exists() && kept.join("report.html").exists());
    // Runs that are kept keep all their states.
    for record in [&one, &three] {
        assert_eq!(list(&record["runs"]).len(), 8);
    }
    for (kept, run) in three["runs"].as_array_mut().unwrap().iter_mut().zip(list(&one["runs"])) {
        for key in ["every", "rows"] {
            kept["summary"][key] = run["summary"][key].clone();
        }
    }
    assert_eq!(one, three);
}

#[test]
fn an_interrupted_study_resumes_to_the_same_figures() {
    stopped_and_resumed("-INT", Some(130));
}

#[test]
fn a_killed_study_resumes_to_the_same_figures() {
    stopped_and_resumed("-KILL", None);
}

fn stopped_and_resumed(signal: &str, exit: Option<i32>) {
    let place = prepared(&format!("resume{signal}"), STUDY);
    let long = ["--set", "run.until=40", "--jobs", "1"];
    let out = place.join("out");
    let mut child = command(&place, &long).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    let ended = |out: &Path| {
        let text = fs::read_to_string(out.join("study.json")).unwrap_or_default();
        text.matches("\"status\": \"finished\"").count()
    };
    wait_for("the first points", || ended(&out) >= 2);
    let interrupt = Command::new("kill").args([signal, &child.id().to_string()]).status().unwrap();
    assert!(interrupt.success());
    assert_eq!(child.wait().unwrap().code(), exit);
    let record = json(&out.join("study.json"));
    assert_eq!(record["status"], "interrupted");
    let missing = list(&record["runs"]).iter().filter(|run| run["status"] == "missing").count();
    assert!((1..8).contains(&missing), "{missing}");
    assert_eq!(out.join("report.html").exists(), exit.is_some());

    let output = sweep(&place, &[&long[..], &["--resume"]].concat());
    succeed(&output);
    let told = error(&output);
    assert_eq!(told.lines().filter(|line| line.contains("/8  ")).count(), missing, "{told}");
    let resumed = timeless(&out);
    succeed(&sweep(&place, &long));
    assert_eq!(resumed, timeless(&out));
    assert!(!out.join("points").exists());
}

#[test]
fn a_resumed_study_runs_what_has_changed_and_nothing_else() {
    let place = prepared("changed", STUDY);
    let quick = ["--set", "run.until=0.08"];
    succeed(&sweep(&place, &quick));
    let lines = |output: &Output| {
        error(output).lines().filter(|line| line.contains("  ")).map(str::to_owned).collect::<Vec<_>>()
    };
    let again = |study: &str, more: &[&str]| {
        fs::write(place.join("study.toml"), study).unwrap();
        let output = sweep(&place, &[more, &["--resume"]].concat());
        succeed(&output);
        lines(&output)
    };
    assert_eq!(again(STUDY, &quick), Vec::<String>::new());
    // Another step, and another figure of all runs.
    let longer = STUDY.replace("2e-3, 1e-3]", "2e-3, 1e-3, 5e-4]")
        + "[figures.kinetic]\nvalue = \"energy.kinetic_max\"\nunit = \"J\"\n";
    let told = again(&longer, &quick);
    assert_eq!(told.len(), 2, "{told:?}");
    assert!(told.iter().all(|line| line.contains("h = 5e-4 s")), "{told:?}");
    let record = json(&place.join("out").join("study.json"));
    let kinetic = |run: &Value| run["values"]["kinetic"].as_f64().is_some_and(|energy| energy > 0.0);
    assert!(list(&record["runs"]).iter().all(kinetic), "{record}");
    // Another scene is run anew.
    assert_eq!(again(&longer, &["--set", "run.until=0.16"]).len(), 10);
}

/// Numbers of two drawings agree up to what rounding of other machines may do, and everything else to the letter.
fn same_drawing(a: &str, b: &str) -> bool {
    alike(a, b, |x, y| (x - y).abs() <= 0.11 + 1e-3 * x.abs())
}

/// With `PERCUSSION_UPDATE_DOCS` set, the drawings of the guide are written anew.
#[test]
fn studies_of_the_gallery_have_the_expected_figures_and_charts() {
    let place = Place::new("sweep-gallery");
    for scene in SCENES.iter().filter(|scene| scene.kind == "sweep") {
        let out = place.join(scene.name);
        succeed(&call(&["sweep", scene.name, "--out", out.to_str().unwrap()]));
        let first = &gallery::study(scene.name).unwrap().unwrap().figures[0].name;
        let drawn = fs::read_to_string(out.join(format!("{first}.svg"))).unwrap();
        let shown = format!("docs/src/pictures/gallery/{}.svg", scene.name);
        if std::env::var_os("PERCUSSION_UPDATE_DOCS").is_some() {
            fs::write(root().join(&shown), &drawn).unwrap();
        }
        assert!(same_drawing(&drawn, &read(&shown)), "{}: the guide shows another drawing", scene.name);
    }
    assert!(same_drawing("a1.05b", "a1.1b") && !same_drawing("a1b", "a2b") && !same_drawing("a1b", "c1b"));
}
