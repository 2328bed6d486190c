//! `percussion plan` and its folder, as a user meets them, and `run --controls` after it.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod common;

use common::folder::{Place, array, code, error, run, succeed, summary};
use common::page::Page;
use common::program;
use serde_json::Value;
use std::fs;
use std::path::Path;
use std::process::Output;

/// A brick that is carried and turned, with weight.
const CARRIED: &str = r#"
title = "Carried"
gravity = [0, 0, -9.81]
[run]
step = 1e-2
until = 0.5
[bodies.brick]
shape = { box = [0.3, 0.2, 0.1] }
mass = 2
[plan]
intervals = 10
time = 0.5
[plan.controls.lift]
kind = "force"
body = "brick"
[plan.controls.turn]
kind = "torque"
body = "brick"
axes = "body"
[plan.end.bodies.brick]
position = [0.4, 0, 0.2]
rotation_vector = [0, 0, 1]
velocity = [0, 0, 0]
angular_velocity = [0, 0, 0]
"#;

/// A cube that has to hit a wall to come back.
const WALL: &str = r#"
[run]
step = 1e-3
until = 0.75
scheme = "exact"
[contact]
[bodies.cube]
shape = { cube = 0.1 }
density = 270
position = [0, 0.10425, 0]
axis = [1, 0, 1]
angle_degrees = 3.8
velocity = [0, -0.25, 0]
[bodies.wall]
kind = "fixed"
shape = { half_space = { normal = [0, 1, 0] } }
[plan]
intervals = 30
step = 0.025
time = 0.75
controls.thrust = { kind = "force", body = "cube", bounds = 0.002 }
controls.torque = { kind = "torque", body = "cube", bounds = 0.001 }
[plan.end.bodies.cube]
position = [0, 0.18325, 0]
rotation_vector = [0, 0, 0]
velocity = [0, 0.25, 0]
angular_velocity = [0, 0, 0]
[[plan.contacts]]
node = 9
bodies = ["cube", "wall"]
restitution = 1
flat = true
"#;

fn plan(scene: &Path, out: &Path, more: &[&str]) -> Output {
    program().arg("plan").arg(scene).arg("--out").arg(out).args(more).output().unwrap()
}

fn text(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).unwrap()
}

fn floats(folder: &Path, name: &str) -> (Vec<usize>, Vec<f64>) {
    let array = array(folder, name);
    (array.header.shape.clone(), array.as_floats().unwrap())
}

const KEYS: [&str; 18] = [
    "active_constraints",
    "clearance",
    "clearance_between",
    "contact_times",
    "contacts",
    "evidence",
    "iterations",
    "momentum_consistency_max",
    "objective",
    "objective_guess",
    "outcome",
    "rounds",
    "sigma",
    "solve_time_s",
    "start",
    "starts",
    "stationarity_max",
    "violation_max",
];

#[test]
fn a_plan_has_the_folder_of_a_run() {
    let place = Place::new("plan-folder");
    let (scene, out) = (place.scene(CARRIED), place.join("carried"));
    let output = plan(&scene, &out, &[]);
    succeed(&output);
    assert!(error(&output).lines().next().unwrap().contains("objective"), "{}", error(&output));
    assert!(text(&output).contains("optimal"));
    let figures = summary(&out);
    assert_eq!(figures["status"], "finished");
    assert_eq!(figures["scheme"], "plan");
    let found = &figures["plan"];
    let mut keys: Vec<&str> = found.as_object().unwrap().keys().map(String::as_str).collect();
    keys.sort_unstable();
    assert_eq!(keys, KEYS);
    assert_eq!(found["outcome"], "optimal");
    assert_eq!(found["contact_times"], Value::Array(Vec::new()));
    assert!(found["violation_max"].as_f64().unwrap() < 1e-9);
    assert!(found["momentum_consistency_max"].as_f64().unwrap() < 1e-9);
    // The ledger is independent of the program: the controls account for all momentum.
    assert!(figures["linear_momentum"]["max_error"].as_f64().unwrap() < 1e-9);
    assert!(figures["angular_momentum"]["max_error"].as_f64().unwrap() < 1e-9);

    let (shape, times) = floats(&out, "time");
    assert_eq!(shape, [11]);
    assert!((times[10] - 0.5).abs() < 1e-12);
    let (shape, controls) = floats(&out, "controls");
    assert_eq!(shape, [11, 6]);
    assert_eq!(controls[54..60], controls[60..66], "the last row repeats the one before it");
    let names = array(&out, "control_names").as_texts().unwrap();
    assert_eq!(names, ["lift.x", "lift.y", "lift.z", "turn.x", "turn.y", "turn.z"]);
    let units = array(&out, "control_units").as_texts().unwrap();
    assert_eq!(units, ["N", "N", "N", "N m", "N m", "N m"]);
    let (shape, bounds) = floats(&out, "control_bounds");
    assert_eq!(shape, [6, 2]);
    assert!(bounds.chunks(2).all(|pair| pair == [f64::NEG_INFINITY, f64::INFINITY]));
    let (shape, search) = floats(&out, "search");
    assert_eq!(shape, [found["iterations"].as_u64().unwrap() as usize + 1, 4]);
    assert_eq!(search[search.len() - 3], found["objective"].as_f64().unwrap());
    assert_eq!(floats(&out, "momentum_consistency").0, [11, 6]);
    assert_eq!(floats(&out, "reduced_momentum").0, [11, 6]);
    assert_eq!(floats(&out, "energy").0, [11, 7]);
    let (shape, position) = floats(&out, "position");
    assert_eq!(shape, [11, 1, 3]);
    let end = [0.4, 0.0, 0.2];
    assert!(position[30..].iter().zip(end).all(|(x, y)| (x - y).abs() < 1e-9));
    // The objective is the sum in the guide.
    let effort: f64 = controls[..60].chunks(6).map(|row| 0.05 * row.iter().map(|e| e * e).sum::<f64>()).sum();
    let objective = found["objective"].as_f64().unwrap();
    assert!((effort - objective).abs() < 1e-9 * objective, "{effort} {objective}");
    // Along x the least effort for a rest-to-rest motion by constant pieces falls evenly and is odd in time.
    let along: Vec<f64> = controls[..60].iter().step_by(6).copied().collect();
    let falls: Vec<f64> = along.windows(2).map(|pair| pair[1] - pair[0]).collect();
    assert!(along.iter().zip(along.iter().rev()).all(|(a, b)| (a + b).abs() < 1e-6));
    assert!(falls.iter().all(|fall| (fall - falls[0]).abs() < 1e-6), "{along:?}");

    let page = Page::read(&out.join("report.html"));
    let plots: Vec<&str> = page.about["runs"][0]["plots"]
        .as_array()
        .unwrap()
        .iter()
        .map(|p| p["id"].as_str().unwrap())
        .collect();
    for wanted in ["controls-forces", "controls-torques", "search", "momentum-consistency"] {
        assert!(plots.contains(&wanted), "{plots:?}");
    }
    // Again into the same folder, from what is there.
    let from = format!("plan.guess={{ run = {:?} }}", out.display().to_string());
    let output = plan(&scene, &out, &["--quiet", "--set", &from]);
    succeed(&output);
    assert_eq!(error(&output), "");
    let again = summary(&out)["plan"].clone();
    assert!((again["objective"].as_f64().unwrap() - objective).abs() < 1e-7 * objective);
    assert!((again["objective_guess"].as_f64().unwrap() - objective).abs() < 1e-6 * objective);
}

#[test]
fn a_plan_without_contact_is_replayed_to_rounding() {
    let place = Place::new("plan-replay");
    let (scene, out, again) = (place.scene(CARRIED), place.join("plan"), place.join("replay"));
    succeed(&plan(&scene, &out, &["--quiet"]));
    let output = run(&scene, &again, &["--controls", out.to_str().unwrap()]);
    succeed(&output);
    assert!(text(&output).contains("from the plan"));
    let figures = summary(&again);
    assert_eq!(figures["scheme"], "variational");
    assert_eq!(figures["steps"], 10);
    for key in ["agreement_position", "agreement_rotation"] {
        assert!(figures["replay"][key].as_f64().unwrap() < 1e-8, "{}", figures["replay"]);
    }
    // The same, checked from the files.
    let (planned, made) = (floats(&out, "position").1, floats(&again, "position").1);
    assert!(planned.iter().zip(&made).all(|(a, b)| (a - b).abs() < 1e-8));
    let simulated = run(&scene, &place.join("own"), &[]);
    succeed(&simulated);
    let wrong = run(&scene, &place.join("wrong"), &["--controls", place.join("own").to_str().unwrap()]);
    assert_eq!(code(&wrong), 2);
    assert!(error(&wrong).contains("simulated, not planned"), "{}", error(&wrong));
}

#[test]
fn a_planned_collision_is_an_event_and_happens_again() {
    let place = Place::new("plan-wall");
    let (scene, out, again) = (place.scene(WALL), place.join("plan"), place.join("replay"));
    succeed(&plan(&scene, &out, &["--quiet"]));
    let found = summary(&out)["plan"].clone();
    let time = found["contact_times"][0].as_f64().unwrap();
    assert!((0.18..0.26).contains(&time), "{time}");
    assert_eq!(found["sigma"].as_array().unwrap().len(), 2);
    assert_eq!(found["contacts"][0]["bodies"], serde_json::json!(["cube", "wall"]));
    let events = fs::read_to_string(out.join("events.jsonl")).unwrap();
    let event: Value = serde_json::from_str(events.lines().next().unwrap()).unwrap();
    assert_eq!((events.lines().count(), &event["kind"]), (1, &Value::from("planned")));
    assert_eq!(event["time"].as_f64().unwrap(), time);
    // The clearance is what the figures say, and that of a cube before a wall: none at the blow, and as the last corner is away at the ends.
    let ((shape, at), (_, between)) = (floats(&out, "clearance"), floats(&out, "clearance_between"));
    assert_eq!(shape, [31, 1]);
    let least = |numbers: &[f64]| numbers.iter().copied().fold(f64::INFINITY, f64::min);
    assert_eq!(Some(least(&at)), found["clearance"].as_f64());
    assert_eq!(Some(least(&between)), found["clearance_between"].as_f64());
    assert!(at[9].abs() < 1e-9 && (at[30] - 0.13325).abs() < 1e-9, "{at:?}");
    assert!((0..30).all(|k| between[k] <= at[k].min(at[k + 1]) && between[k] > -1e-9), "{between:?}");
    assert_eq!(array(&out, "clearance_names").as_texts().unwrap(), ["cube, wall"]);
    assert_eq!(floats(&out, "clearance_margins").1, [0.0]);
    assert_eq!(floats(&out, "control_bounds").1[..2], [-0.002, 0.002]);
    // Nothing is lost, and the cube leaves as fast as it came.
    let number = |key: &str| event[key].as_f64().unwrap();
    assert!((number("energy_before") - number("energy_after")).abs() < 1e-9);
    assert!((number("normal_velocity_before") + number("normal_velocity_after")).abs() < 1e-7);
    assert!(number("normal_velocity_before") < -0.2);
    let impulse = event["impulse"][1].as_f64().unwrap();
    let speed = number("normal_velocity_after") - number("normal_velocity_before");
    // Where the impulse acts is where this holds: v' = λ (1/m + |r × n|²/J), with the centre of the cube on the y axis.
    let arm = event["point"][0].as_f64().unwrap().hypot(event["point"][2].as_f64().unwrap());
    let mobility = 1.0 / 0.27 + arm * arm / (0.27 * 0.01 / 6.0);
    assert!((impulse * mobility - speed).abs() < 1e-6, "{impulse} {mobility} {speed}");
    assert!(summary(&out)["linear_momentum"]["max_error"].as_f64().unwrap() < 1e-9);

    let output = run(&scene, &again, &["--controls", out.to_str().unwrap()]);
    succeed(&output);
    let figures = summary(&again);
    assert_eq!((&figures["scheme"], &figures["collisions"]), (&Value::from("exact"), &Value::from(1)));
    for key in ["agreement_position", "agreement_rotation"] {
        assert!(figures["replay"][key].as_f64().unwrap() < 1e-8, "{}", figures["replay"]);
    }
    // What shows runs shows plans.
    for more in [&["report"][..], &["export", "--to", "csv"]] {
        let shown = program().args(more).arg(&out).output().unwrap();
        assert_eq!(code(&shown), 0, "{more:?}: {}", error(&shown));
    }
}

/// A block on a rail lands on a corner that sticks, stands on it and rises again.
const LANDS: &str = r#"
gravity = [0, 0, -9.81]
run = { step = 1e-3, until = 1.2, scheme = "exact" }
contact = {}

[bodies.block]
shape = { cube = 0.2 }
density = 270
position = [0, 0, 0.45]
rotation_vector = [0.5, 0.3, 0.2]
[bodies.floor]
kind = "fixed"
shape = { half_space = { normal = [0, 0, 1] } }
[joints.rail]
kind = "prismatic"
parent = "world"
child = "block"
axis = [0, 0, 1]
at = [0, 0, 0]

[plan]
intervals = 24
time = 1.2
[plan.controls]
lift = { kind = "joint", joint = "rail" }
[plan.end]
at_rest = true
[plan.end.joints]
rail = -0.1
[[plan.contacts]]
name = "the landing"
node = 8
bodies = ["block", "floor"]
joint = "spherical"
friction = 0.5
release = 16
"#;

#[test]
fn contact_joints_are_replayed() {
    let place = Place::new("plan-lands");
    let (scene, out, again) = (place.scene(LANDS), place.join("plan"), place.join("replay"));
    succeed(&plan(&scene, &out, &["--quiet"]));
    let output = run(&scene, &again, &["--controls", out.to_str().unwrap()]);
    succeed(&output);
    let said = text(&output);
    assert!(said.contains("joint        the landing: `block` on `floor`, spherical, from "), "{said}");
    assert!(said.contains("within the friction cone") && said.contains("from the plan"), "{said}");
    let (figures, found) = (summary(&again), summary(&out)["plan"].clone());
    assert_eq!((&figures["scheme"], &figures["collisions"]), (&Value::from("exact"), &Value::from(1)));
    for key in ["agreement_position", "agreement_rotation"] {
        assert!(figures["replay"][key].as_f64().unwrap() < 1e-8, "{}", figures["replay"]);
    }
    let joint = &figures["replay"]["joints"][0];
    assert_eq!(
        (&joint["joint"], &joint["node"], &joint["release"]),
        (&"spherical".into(), &8.into(), &16.into())
    );
    assert_eq!(joint["made"], found["contact_times"][0]);
    // The force of the floor is the weight: that far within the cone, 2.16 kg times 9.81 m/s² times 0.5.
    assert!((joint["cone"]["force"].as_f64().unwrap() + 0.5 * 2.16 * 9.81).abs() < 0.5, "{joint}");
    let (shape, planned) = floats(&out, "position");
    let made = floats(&again, "position").1;
    assert_eq!(shape, [25, 2, 3]);
    assert!(planned.iter().zip(&made).all(|(a, b)| (a - b).abs() < 1e-8));
    // It stands still between its nodes, in the rows of the run, and the books are right.
    let velocity = floats(&again, "velocity").1;
    assert!((8..=16).all(|k| velocity[6 * k + 2].abs() < 1e-9), "{velocity:?}");
    assert!(velocity[6 * 7 + 2] < -0.1);
    let events = fs::read_to_string(again.join("events.jsonl")).unwrap();
    let event: Value = serde_json::from_str(events.lines().next().unwrap()).unwrap();
    assert_eq!((events.lines().count(), &event["kind"]), (1, &Value::from("joint")));
    let speed = event["normal_velocity_before"].as_f64().unwrap();
    let lost = event["energy_before"].as_f64().unwrap() - event["energy_after"].as_f64().unwrap();
    assert!((lost - 0.5 * 2.16 * speed * speed).abs() < 1e-9, "{event}");
    let sources = figures["sources"].as_array().unwrap();
    let contact = sources.iter().find(|entry| entry["source"] == "contact").unwrap();
    assert!((contact["energy"].as_f64().unwrap() + lost).abs() < 1e-9, "{contact}");
    assert!(again.join("report.html").is_file());
    // A folder whose contacts are elsewhere is not this plan's.
    let node = ["--set", "plan.contacts.0.node=4", "--controls", out.to_str().unwrap()];
    let other = run(&scene, &place.join("other"), &node);
    assert_eq!(code(&other), 2);
    assert!(error(&other).contains("the landing") && error(&other).contains("plan"), "{}", error(&other));
}

#[test]
fn several_starts_are_logged_and_the_best_is_named() {
    let place = Place::new("plan-starts");
    let several =
        CARRIED.replace("[plan.controls.lift]", "search = { starts = 2, seed = 7 }\n[plan.controls.lift]");
    let (scene, out) = (place.scene(&several), place.join("starts"));
    let output = plan(&scene, &out, &[]);
    succeed(&output);
    let log = error(&output);
    let begun: Vec<&str> = log.lines().filter(|line| line.starts_with("round")).collect();
    assert_eq!(begun, ["round 2, start 2", "round 3, start 3"], "{log}");
    let figures = summary(&out);
    let (start, starts) = (&figures["plan"]["start"], figures["plan"]["starts"].as_array().unwrap());
    assert_eq!(starts.len(), 3);
    assert!(starts.iter().all(|one| one["outcome"] == "optimal"), "{starts:?}");
    let best = &starts[start.as_u64().unwrap() as usize - 1];
    assert_eq!(best["objective"], figures["plan"]["objective"]);
    let prices = starts.iter().map(|one| one["objective"].as_f64().unwrap());
    assert_eq!(best["objective"].as_f64().unwrap(), prices.fold(f64::INFINITY, f64::min));
    let said = format!("starts       the best is number {start} of optimal ");
    assert!(text(&output).contains(&said), "{}", text(&output));
}

#[test]
fn what_cannot_be_is_named() {
    let place = Place::new("plan-infeasible");
    let far = CARRIED.replace(
        "body = \"brick\"\n[plan.controls.turn]",
        "body = \"brick\"\nbounds = 25\n[plan.controls.turn]",
    );
    let far = far.replace("position = [0.4, 0, 0.2]", "position = [9, 0, 0]");
    let (scene, out) = (place.scene(&far), place.join("far"));
    let output = plan(&scene, &out, &["--quiet"]);
    assert_eq!(code(&output), 1, "{}", error(&output));
    let figures = summary(&out);
    assert_eq!(
        (&figures["status"], &figures["plan"]["outcome"]),
        (&Value::from("failed"), &Value::from("infeasible"))
    );
    let evidence: Vec<&str> =
        figures["plan"]["evidence"].as_array().unwrap().iter().filter_map(Value::as_str).collect();
    // What is too small before what connects it with the ends, which are given.
    assert_eq!(evidence[0], "the bounds of component 0 of lift", "{evidence:?}");
    assert!(evidence.contains(&"the velocity of `brick` at the end"), "{evidence:?}");
    assert!(error(&output).contains(evidence[0]));
}

#[test]
fn misuse_is_reported_with_its_remedy() {
    let place = Place::new("plan-misuse");
    let without = CARRIED.split("[plan]").next().unwrap();
    let scene = place.scene(without);
    let output = plan(&scene, &place.join("none"), &[]);
    assert_eq!(code(&output), 2);
    assert!(error(&output).contains("neither a table [plan]") && error(&output).contains("percussion run"));
    let output = run(&scene, &place.join("none"), &["--controls", "nowhere"]);
    assert_eq!(code(&output), 2);
    assert!(error(&output).contains("neither a table [plan]"));
    fs::create_dir_all(place.join("full")).unwrap();
    fs::write(place.join("full").join("letter.txt"), "text").unwrap();
    let output = plan(&place.scene(CARRIED), &place.join("full"), &["--quiet"]);
    assert_eq!(code(&output), 2);
    assert!(error(&output).contains("not a run folder"));
}

#[test]
fn a_shooting_problem_is_solved_logged_and_shown() {
    let place = Place::new("plan-shoot");
    let out = place.join("shoot");
    let output = plan(Path::new("shooting-circle"), &out, &[]);
    succeed(&output);
    let log = error(&output);
    assert!(log.lines().next().unwrap().contains("residual"), "{log}");
    let figures = summary(&out);
    assert_eq!(
        (&figures["status"], &figures["shoot"]["outcome"], &figures["collisions"]),
        (&Value::from("finished"), &Value::from("converged"), &Value::from(2))
    );
    // A line for each iteration and one for the first iterate, under their heading.
    let iterations = figures["shoot"]["iterations"].as_u64().unwrap() as usize;
    assert_eq!(log.lines().count(), iterations + 2, "{log}");
    assert!(text(&output).contains("disc.velocity.x"), "{}", text(&output));
    assert!(out.join("report.html").is_file());
    // The trajectory begins with the solution.
    let (_, velocity) = floats(&out, "velocity");
    let solution = figures["shoot"]["unknowns"][0]["value"].as_f64().unwrap();
    assert!((velocity[0] - solution).abs() < 1e-12, "{} {solution}", velocity[0]);
    let output = plan(Path::new("shooting-circle"), &out, &["--quiet", "--set", "shoot.iterations=2"]);
    assert_eq!(code(&output), 1);
    assert!(
        error(&output).contains("shoot.iterations") && error(&output).contains("`disc`"),
        "{}",
        error(&output)
    );
    let away = plan(Path::new("shooting-circle"), &out, &["--set", "bodies.disc.velocity=[2, 9, 0]"]);
    assert_eq!(code(&away), 2);
    assert!(error(&away).contains("0 impacts"), "{}", error(&away));
}
