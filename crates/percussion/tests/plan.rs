//! `percussion plan` and its folder, as a user meets them, and `run --controls` after it.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod common;

use common::folder::{Place, array, code, error, events, refused, run, succeed, summary, text, texts};
use common::page::Page;
use common::{column, list, number, program};
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

fn floats(folder: &Path, name: &str) -> (Vec<usize>, Vec<f64>) {
    let array = array(folder, name);
    (array.header.shape.clone(), array.as_floats().unwrap())
}

const KEYS: &str = "active_constraints clearance clearance_between contact_times contacts evidence iterations \
                    momentum_consistency_max objective objective_guess outcome rounds sigma solve_time_s start \
                    starts stationarity_max violation_max";

/// The plan of a folder happens again in a simulation, up to rounding; the figures of that.
fn replayed(scene: &Path, plan: &Path, again: &Path) -> (Output, Value) {
    let output = run(scene, again, &["--controls", plan.to_str().unwrap()]);
    succeed(&output);
    let figures = summary(again);
    for key in ["agreement_position", "agreement_rotation"] {
        assert!(number(&figures["replay"][key]) < 1e-8, "{}", figures["replay"]);
    }
    (output, figures)
}

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
    assert_eq!(keys, KEYS.split(' ').collect::<Vec<_>>());
    assert_eq!(found["outcome"], "optimal");
    assert_eq!(found["contact_times"], Value::Array(Vec::new()));
    assert!(number(&found["violation_max"]) < 1e-9);
    assert!(number(&found["momentum_consistency_max"]) < 1e-9);
    // The ledger is independent of the program: the controls account for all momentum.
    assert!(number(&figures["linear_momentum"]["max_error"]) < 1e-9);
    assert!(number(&figures["angular_momentum"]["max_error"]) < 1e-9);

    let (shape, times) = floats(&out, "time");
    assert_eq!(shape, [11]);
    assert!((times[10] - 0.5).abs() < 1e-12);
    let (shape, controls) = floats(&out, "controls");
    assert_eq!(shape, [11, 6]);
    assert_eq!(controls[54..60], controls[60..66], "the last row repeats the one before it");
    assert_eq!(texts(&out, "control_names"), ["lift.x", "lift.y", "lift.z", "turn.x", "turn.y", "turn.z"]);
    let units = array(&out, "control_units").as_texts().unwrap();
    assert_eq!(units, ["N", "N", "N", "N m", "N m", "N m"]);
    let (shape, bounds) = floats(&out, "control_bounds");
    assert_eq!(shape, [6, 2]);
    assert!(bounds.chunks(2).all(|pair| pair == [f64::NEG_INFINITY, f64::INFINITY]));
    let (shape, search) = floats(&out, "search");
    assert_eq!(shape, [found["iterations"].as_u64().unwrap() as usize + 1, 4]);
    assert_eq!(search[search.len() - 3], number(&found["objective"]));
    assert_eq!(floats(&out, "momentum_consistency").0, [11, 6]);
    assert_eq!(floats(&out, "reduced_momentum").0, [11, 6]);
    assert_eq!(floats(&out, "energy").0, [11, 7]);
    let (shape, position) = floats(&out, "position");
    assert_eq!(shape, [11, 1, 3]);
    let end = [0.4, 0.0, 0.2];
    assert!(position[30..].iter().zip(end).all(|(x, y)| (x - y).abs() < 1e-9));
    // The objective is the sum in the guide.
    let effort: f64 = controls[..60].chunks(6).map(|row| 0.05 * row.iter().map(|e| e * e).sum::<f64>()).sum();
    let objective = number(&found["objective"]);
    assert!((effort - objective).abs() < 1e-9 * objective, "{effort} {objective}");
    // Along x the least effort for a rest-to-rest motion by constant pieces falls evenly and is odd in time.
    let along: Vec<f64> = controls[..60].iter().step_by(6).copied().collect();
    let falls: Vec<f64> = along.windows(2).map(|pair| pair[1] - pair[0]).collect();
    assert!(along.iter().zip(along.iter().rev()).all(|(a, b)| (a + b).abs() < 1e-6));
    assert!(falls.iter().all(|fall| (fall - falls[0]).abs() < 1e-6), "{along:?}");

    let page = Page::of(&out);
    let plots = column(&page.run(0)["plots"], "id");
    for wanted in ["controls-forces", "controls-torques", "search", "momentum-consistency"] {
        assert!(plots.contains(&wanted), "{plots:?}");
    }
    // Again into the same folder, from what is there.
    let from = format!("plan.guess={{ run = {:?} }}", out.display().to_string());
    let output = plan(&scene, &out, &["--quiet", "--set", &from]);
    succeed(&output);
    assert_eq!(error(&output), "");
    let again = summary(&out)["plan"].clone();
    assert!((number(&again["objective"]) - objective).abs() < 1e-7 * objective);
    assert!((number(&again["objective_guess"]) - objective).abs() < 1e-6 * objective);
}

#[test]
fn a_plan_without_contact_is_replayed_to_rounding() {
    let place = Place::new("plan-replay");
    let (scene, out, again) = (place.scene(CARRIED), place.join("plan"), place.join("replay"));
    succeed(&plan(&scene, &out, &["--quiet"]));
    let (output, figures) = replayed(&scene, &out, &again);
    assert!(text(&output).contains("from the plan"));
    assert_eq!(figures["scheme"], "variational");
    assert_eq!(figures["steps"], 10);
    // The same, checked from the files.
    let (planned, made) = (floats(&out, "position").1, floats(&again, "position").1);
    assert!(planned.iter().zip(&made).all(|(a, b)| (a - b).abs() < 1e-8));
    let simulated = run(&scene, &place.join("own"), &[]);
    succeed(&simulated);
    let wrong = run(&scene, &place.join("wrong"), &["--controls", place.join("own").to_str().unwrap()]);
    refused(&wrong, &["simulated, not planned"]);
}

#[test]
fn a_planned_collision_is_an_event_and_happens_again() {
    let place = Place::new("plan-wall");
    let (scene, out, again) = (place.scene(WALL), place.join("plan"), place.join("replay"));
    succeed(&plan(&scene, &out, &["--quiet"]));
    let found = summary(&out)["plan"].clone();
    let time = number(&found["contact_times"][0]);
    assert!((0.18..0.26).contains(&time), "{time}");
    assert_eq!(list(&found["sigma"]).len(), 2);
    assert_eq!(found["contacts"][0]["bodies"], serde_json::json!(["cube", "wall"]));
    let [event] = &events(&out)[..] else { panic!("not one event") };
    assert_eq!(event["kind"], "planned");
    assert_eq!(number(&event["time"]), time);
    // The clearance is what the figures say, and that of a cube before a wall: none at the blow, and as the last corner is away at the ends.
    let ((shape, at), (_, between)) = (floats(&out, "clearance"), floats(&out, "clearance_between"));
    assert_eq!(shape, [31, 1]);
    let least = |numbers: &[f64]| numbers.iter().copied().fold(f64::INFINITY, f64::min);
    assert_eq!(Some(least(&at)), found["clearance"].as_f64());
    assert_eq!(Some(least(&between)), found["clearance_between"].as_f64());
    assert!(at[9].abs() < 1e-9 && (at[30] - 0.13325).abs() < 1e-9, "{at:?}");
    assert!((0..30).all(|k| between[k] <= at[k].min(at[k + 1]) && between[k] > -1e-9), "{between:?}");
    assert_eq!(texts(&out, "clearance_names"), ["cube, wall"]);
    assert_eq!(floats(&out, "clearance_margins").1, [0.0]);
    assert_eq!(floats(&out, "control_bounds").1[..2], [-0.002, 0.002]);
    // Nothing is lost, and the cube leaves as fast as it came.
    let of = |key: &str| number(&event[key]);
    assert!((of("energy_before") - of("energy_after")).abs() < 1e-9);
    assert!((of("normal_velocity_before") + of("normal_velocity_after")).abs() < 1e-7);
    assert!(of("normal_velocity_before") < -0.2);
    let impulse = number(&event["impulse"][1]);
    let speed = of("normal_velocity_after") - of("normal_velocity_before");
    // Where the impulse acts is where this holds: v' = λ (1/m + |r × n|²/J), with the centre of the cube on the y axis.
    let arm = number(&event["point"][0]).hypot(number(&event["point"][2]));
    let mobility = 1.0 / 0.27 + arm * arm / (0.27 * 0.01 / 6.0);
    assert!((impulse * mobility - speed).abs() < 1e-6, "{impulse} {mobility} {speed}");
    assert!(summary(&out)["linear_momentum"]["max_error"].as_f64().unwrap() < 1e-9);

    let (_, figures) = replayed(&scene, &out, &again);
    assert_eq!((&figures["scheme"], &figures["collisions"]), (&Value::from("exact"), &Value::from(1)));
    // What shows runs shows plans.
    for more in [&["report"][..], &["export", "--to", "csv"]] {
        succeed(&program().args(more).arg(&out).output().unwrap());
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
    let (output, figures) = replayed(&scene, &out, &again);
    let said = text(&output);
    assert!(said.contains("joint        the landing: `block` on `floor`, spherical, from "), "{said}");
    assert!(said.contains("within the friction cone") && said.contains("from the plan"), "{said}");
    let found = summary(&out)["plan"].clone();
    assert_eq!((&figures["scheme"], &figures["collisions"]), (&Value::from("exact"), &Value::from(1)));
    let joint = &figures["replay"]["joints"][0];
    for (key, value) in [("joint", Value::from("spherical")), ("node", 8.into()), ("release", 16.into())] {
        assert_eq!(joint[key], value);
    }
    assert_eq!(joint["made"], found["contact_times"][0]);
    // The force of the floor is the weight: that far within the cone, 2.16 kg times 9.81 m/s² times 0.5.
    assert!((number(&joint["cone"]["force"]) + 0.5 * 2.16 * 9.81).abs() < 0.5, "{joint}");
    let (shape, planned) = floats(&out, "position");
    let made = floats(&again, "position").1;
    assert_eq!(shape, [25, 2, 3]);
    assert!(planned.iter().zip(&made).all(|(a, b)| (a - b).abs() < 1e-8));
    // It stands still between its nodes, in the rows of the run, and the books are right.
    let velocity = floats(&again, "velocity").1;
    assert!((8..=16).all(|k| velocity[6 * k + 2].abs() < 1e-9), "{velocity:?}");
    assert!(velocity[6 * 7 + 2] < -0.1);
    let [event] = &events(&again)[..] else { panic!("not one event") };
    assert_eq!(event["kind"], "joint");
    let speed = number(&event["normal_velocity_before"]);
    let lost = number(&event["energy_before"]) - number(&event["energy_after"]);
    assert!((lost - 0.5 * 2.16 * speed * speed).abs() < 1e-9, "{event}");
    let sources = list(&figures["sources"]);
    let contact = sources.iter().find(|entry| entry["source"] == "contact").unwrap();
    assert!((number(&contact["energy"]) + lost).abs() < 1e-9, "{contact}");
    assert!(again.join("report.html").is_file());
    // A folder whose contacts are elsewhere is not this plan's.
    let node = ["--set", "plan.contacts.0.node=4", "--controls", out.to_str().unwrap()];
    refused(&run(&scene, &place.join("other"), &node), &["the landing", "plan"]);
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
    let (start, starts) = (&figures["plan"]["start"], list(&figures["plan"]["starts"]));
    assert_eq!(starts.len(), 3);
    assert!(starts.iter().all(|one| one["outcome"] == "optimal"), "{starts:?}");
    let best = &starts[start.as_u64().unwrap() as usize - 1];
    assert_eq!(best["objective"], figures["plan"]["objective"]);
    let prices = starts.iter().map(|one| number(&one["objective"]));
    assert_eq!(number(&best["objective"]), prices.fold(f64::INFINITY, f64::min));
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
    assert_eq!(figures["status"], "failed");
    assert_eq!(figures["plan"]["outcome"], "infeasible");
    let evidence: Vec<&str> = list(&figures["plan"]["evidence"]).iter().filter_map(Value::as_str).collect();
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
    refused(&plan(&scene, &place.join("none"), &[]), &["neither a table [plan]", "percussion run"]);
    refused(&run(&scene, &place.join("none"), &["--controls", "nowhere"]), &["neither a table [plan]"]);
    fs::create_dir_all(place.join("full")).unwrap();
    fs::write(place.join("full").join("letter.txt"), "text").unwrap();
    refused(&plan(&place.scene(CARRIED), &place.join("full"), &["--quiet"]), &["not a run folder"]);
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
    assert_eq!((&figures["status"], &figures["collisions"]), (&"finished".into(), &2.into()));
    assert_eq!(figures["shoot"]["outcome"], "converged");
    // A line for each iteration and one for the first iterate, under their heading.
    let iterations = figures["shoot"]["iterations"].as_u64().unwrap() as usize;
    assert_eq!(log.lines().count(), iterations + 2, "{log}");
    assert!(text(&output).contains("disc.velocity.x"), "{}", text(&output));
    assert!(out.join("report.html").is_file());
    // The trajectory begins with the solution.
    let (_, velocity) = floats(&out, "velocity");
    let solution = number(&figures["shoot"]["unknowns"][0]["value"]);
    assert!((velocity[0] - solution).abs() < 1e-12, "{} {solution}", velocity[0]);
    let output = plan(Path::new("shooting-circle"), &out, &["--quiet", "--set", "shoot.iterations=2"]);
    let said = error(&output);
    assert!(code(&output) == 1 && said.contains("shoot.iterations") && said.contains("`disc`"), "{said}");
    let away = plan(Path::new("shooting-circle"), &out, &["--set", "bodies.disc.velocity=[2, 9, 0]"]);
    refused(&away, &["0 impacts"]);
}
