//! `percussion sweep` and its folder, as a user meets them.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod common;

use common::folder::{Place, code, error, succeed, wait_for};
use common::{program, root};
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

/// Opposite charges fall into each other after 1.57 s; before they meet no step is small enough.
const CHARGES: &str = r#"
[run]
step = 1e-2
until = 1
[bodies]
a = { kind = "particle", mass = 1, position = [-1, 0, 0] }
b = { kind = "particle", mass = 1, position = [1, 0, 0] }
[forces.pull]
kind = "charges"
charges = [{ body = "a", charge = 1 }, { body = "b", charge = -1 }]
constant = 1
"#;

fn prepared(name: &str, study: &str) -> Place {
    let place = Place::new(&format!("sweep-{name}"));
    fs::write(place.join("pendulum.toml"), PENDULUM).unwrap();
    fs::write(place.join("charges.toml"), CHARGES).unwrap();
    fs::write(place.join("study.toml"), study).unwrap();
    place
}

fn sweep(place: &Place, more: &[&str]) -> Output {
    let (study, out) = (place.join("study.toml"), place.join("out"));
    program().arg("sweep").arg(study).arg("--out").arg(out).args(more).output().unwrap()
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
    record["figures"][figure]["curves"][curve]["rate"]["slope"].as_f64().unwrap()
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
    let curves = record["figures"][0]["curves"].as_array().unwrap();
    assert_eq!((&curves[0]["verdict"], &curves[1]["verdict"]), (&"holds".into(), &Value::Null));
    // Points in the order of the grid, whatever order they ended in; values are those of an ordinary run.
    let runs = record["runs"].as_array().unwrap();
    let labels: Vec<&str> = runs.iter().map(|run| run["label"].as_str().unwrap()).collect();
    assert_eq!(
        (labels.len(), labels[0], labels[7]),
        (8, "variational, h = 0.008 s", "newmark-explicit, h = 0.001 s")
    );
    let alone = place.join("alone");
    let set = ["--scheme", "newmark-explicit", "--set", "run.step=2e-3"];
    succeed(&common::folder::run(place.join("pendulum.toml"), &alone, &set));
    let told = common::folder::summary(&alone);
    assert_eq!(runs[6]["values"]["energy"], told["energy"]["max_relative_error"]);
    assert_eq!((&runs[6]["values"]["steps"], &told["steps"]), (&200.0.into(), &200.into()));
    // What was needed on the way is gone.
    assert!(!out.join("points").exists() && !out.join("runs").exists());

    let table = fs::read_to_string(out.join("study.csv")).unwrap();
    let rows: Vec<&str> = table.split("\r\n").collect();
    assert_eq!((rows.len(), rows[0]), (10, "scheme,h [s],energy,steps,status,message"));
    let cells: Vec<&str> = rows[1].split(',').collect();
    assert_eq!(cells[2].parse::<f64>().unwrap(), runs[0]["values"]["energy"].as_f64().unwrap());

    let page = fs::read_to_string(out.join("report.html")).unwrap();
    assert!(page.contains("Energy &lt; step &amp; scheme") && page.matches("<svg").count() == 2, "{page}");
    for outside in ["src=\"", "href=\"http", "@import", "<script"] {
        assert!(!page.contains(outside), "{outside}");
    }
    let said = String::from_utf8(output.stdout).unwrap();
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
    assert!(
        said.contains("error: figure `energy`, curve `variational`: slope ")
            && said.contains("expected at least 2.5"),
        "{said}"
    );
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
    assert!(
        said.contains("error: end = 10: failed: step ") && said.contains("take a smaller step"),
        "{said}"
    );
    let record = json(&place.join("out").join("study.json"));
    let status: Vec<&str> =
        record["runs"].as_array().unwrap().iter().map(|run| run["status"].as_str().unwrap()).collect();
    assert_eq!(status, ["finished", "failed", "finished"]);
    let curve = &record["figures"][0]["curves"][0];
    assert_eq!((&curve["y"][1], &curve["rate"]["points"]), (&Value::Null, &2.into()));
    assert_eq!(curve["rate"]["standard_error"], Value::Null);
    let page = fs::read_to_string(place.join("out").join("report.html")).unwrap();
    assert!(page.contains("Failed runs") && page.contains("class=\"lost\""));
}

#[test]
fn slips_are_refused_before_anything_is_run() {
    let said = |name: &str, study: &str| {
        let place = prepared(name, study);
        let output = sweep(&place, &[]);
        assert_eq!(code(&output), 2, "{study}\n{}", error(&output));
        assert!(!place.join("out").join("study.json").exists());
        // Nothing is left that would be in the way.
        let left = fs::read_dir(place.join("out")).map_or(0, Iterator::count);
        assert_eq!(left, 0);
        error(&output)
    };
    let text = said("path", &STUDY.replace("run.scheme", "run.shceme"));
    assert!(text.contains("study.toml:6:1: run.shceme=\"variational\": unknown key `shceme` in `run`; did you mean `scheme`?"), "{text}");
    assert_eq!(text.lines().count(), 1, "{text}");
    let text =
        said("value", &STUDY.replace("4e-3, ", "-4e-3, ").replace("unit = \"s\"", "scale = \"linear\""));
    assert!(
        text.contains("study.toml:9:1: run.step=-0.004: ") && text.contains("give a positive step size"),
        "{text}"
    );
    let text = said("figure", &STUDY.replace("max_relative_error", "max_relative_eror"));
    assert!(text.contains("study.toml:13:9: `energy` of summary.json has no `max_relative_eror`; did you mean `max_relative_error`?"), "{text}");
    let text = said("scene", &STUDY.replace("pendulum.toml", "pendulun.toml"));
    assert!(text.contains("study.toml:3:1: there is no file and no gallery scene `pendulun.toml`"), "{text}");
    let text = said("scheme", &STUDY.replace("newmark-explicit", "exact"));
    assert!(text.contains("study.toml:"), "{text}");
    let text = said("set", &STUDY.replace("x = \"h\"", "x = \"h\"\nset = [\"bodies.bobb.mass=2\"]"));
    assert!(
        text.contains("study.toml:5:8: bodies.bobb.mass=2: ") && text.contains("did you mean `bob`?"),
        "{text}"
    );

    let misuse = |arguments: &[&str], said: &str| {
        let output = program().arg("sweep").args(arguments).output().unwrap();
        assert_eq!(code(&output), 2);
        assert!(error(&output).contains(said), "{}", error(&output));
    };
    misuse(&["gyroscope"], "`gyroscope` is not a study; try: percussion run gyroscope");
    misuse(&["order-of-scheme"], "did you mean `order-of-schemes`?");
    misuse(&["order-of-schemes", "--jobs", "0"], "0 is not in 1..");
    misuse(&["order-of-schemes", "--set", "run.until"], "has no `=`");
    misuse(&["order-of-schemes", "--set", "run.utnil=1"], "override run.utnil=1: unknown key `utnil`");
}

#[test]
fn a_folder_that_holds_something_else_is_left_alone() {
    let place = prepared("folder", STUDY);
    let out = place.join("out");
    fs::create_dir_all(&out).unwrap();
    fs::write(out.join("thesis.txt"), "mine").unwrap();
    let output = sweep(&place, &[]);
    assert_eq!(code(&output), 2);
    assert!(
        error(&output).contains("is not the folder of a study; choose another folder with --out"),
        "{}",
        error(&output)
    );
    assert_eq!(fs::read_dir(&out).unwrap().count(), 1);
    fs::remove_file(out.join("thesis.txt")).unwrap();
    let output = sweep(&place, &["--resume"]);
    assert_eq!(code(&output), 2);
    assert!(error(&output).contains("holds no study to resume"), "{}", error(&output));
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
        assert_eq!(record["runs"].as_array().unwrap().len(), 8);
    }
    for (kept, run) in three["runs"].as_array_mut().unwrap().iter_mut().zip(one["runs"].as_array().unwrap()) {
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
    let (study, out) = (place.join("study.toml"), place.join("out"));
    let mut child = program()
        .arg("sweep")
        .arg(&study)
        .arg("--out")
        .arg(&out)
        .args(long)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
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
    let missing = record["runs"].as_array().unwrap().iter().filter(|run| run["status"] == "missing").count();
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
    assert!(record["runs"].as_array().unwrap().iter().all(kinetic), "{record}");
    // Another scene is run anew.
    assert_eq!(again(&longer, &["--set", "run.until=0.16"]).len(), 10);
}

/// Numbers of two drawings agree up to what rounding of other machines may do, and everything else to the letter.
fn alike(a: &str, b: &str) -> bool {
    let inside = |c: char| c.is_ascii_digit() || c == '.';
    let words = |text: &str| -> Vec<String> {
        let mut all: Vec<String> = Vec::new();
        let mut number = None;
        for c in text.chars() {
            if number != Some(inside(c)) {
                all.push(String::new());
                number = Some(inside(c));
            }
            all.last_mut().unwrap().push(c);
        }
        all
    };
    let (a, b) = (words(a), words(b));
    let same = |(x, y): (&String, &String)| match (x.parse::<f64>(), y.parse::<f64>()) {
        (Ok(x), Ok(y)) => (x - y).abs() <= 0.11 + 1e-3 * x.abs(),
        _ => x == y,
    };
    a.len() == b.len() && a.iter().zip(&b).all(same)
}

/// With `PERCUSSION_UPDATE_DOCS` set, the drawings of the guide are written anew.
#[test]
fn studies_of_the_gallery_have_the_expected_figures_and_charts() {
    let place = Place::new("sweep-gallery");
    for scene in SCENES.iter().filter(|scene| scene.kind == "sweep") {
        let out = place.join(scene.name);
        let output = program().args(["sweep", scene.name, "--out"]).arg(&out).output().unwrap();
        succeed(&output);
        let first = &gallery::study(scene.name).unwrap().unwrap().figures[0].name;
        let drawn = fs::read_to_string(out.join(format!("{first}.svg"))).unwrap();
        let shown = root().join("docs/src/pictures/gallery").join(format!("{}.svg", scene.name));
        if std::env::var_os("PERCUSSION_UPDATE_DOCS").is_some() {
            fs::write(&shown, &drawn).unwrap();
        }
        let kept = fs::read_to_string(&shown).unwrap();
        assert!(alike(&drawn, &kept), "{}: the guide shows another drawing", scene.name);
    }
    assert!(alike("a1.05b", "a1.1b") && !alike("a1b", "a2b") && !alike("a1b", "c1b"));
}
