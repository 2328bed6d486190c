//! Collisions in a run folder, as a user meets them.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod common;

use common::folder::{
    Place, code, error, events, floats, outcome, ran, refused, run, start, succeed, summary, wait_for,
};
use common::page::Page;
use common::{column, list, number, program, vector};
use percussion::mechanics::schemes::{ContactSupport, SchemeKind};
use percussion::scene::run::Checkpoint;
use serde_json::Value;
use std::fs;
use std::io::Write;
use std::path::Path;

/// A cube falls flat on a floor from rest.
const FALLING: &str = r#"
gravity = [0, 0, -9.81]
[run]
step = 1e-3
until = 1
scheme = "exact"
[contact]
[bodies.cube]
shape = { cube = 0.2 }
density = 270
position = [0, 0, 0.8]
[bodies.floor]
kind = "fixed"
shape = { half_space = { normal = [0, 0, 1] } }
"#;

/// Turned, so that it tumbles.
fn tumbling() -> String {
    FALLING.replace("position", "rotation_vector = [0.3, 0.2, 0.1]\nposition")
}

#[test]
fn every_collision_is_a_line() {
    let (_place, out) = ran("events", FALLING, &[]);
    let lines = events(&out);
    // Down after t, up and down again after 3 t.
    assert_eq!(lines.len(), 1);
    let event = &lines[0];
    let keys: Vec<&String> = event.as_object().unwrap().keys().collect();
    let contract = "bodies energy_after energy_before impulse kind normal normal_velocity_after \
                    normal_velocity_before point time";
    assert_eq!(keys, contract.split(' ').collect::<Vec<_>>());
    let near = |key: &str, wanted: f64, off: f64| {
        let found = number(&event[key]);
        assert!((found - wanted).abs() <= off, "{key}: {found} instead of {wanted}");
    };
    let (height, mass) = (0.7f64, 270.0 * 0.008);
    let speed = (2.0 * 9.81 * height).sqrt();
    near("time", (2.0 * height / 9.81).sqrt(), 1e-9);
    near("normal_velocity_before", -speed, 1e-8);
    near("normal_velocity_after", speed, 1e-8);
    near("energy_before", mass * 9.81 * height, 1e-7);
    near("energy_after", mass * 9.81 * height, 1e-7);
    assert_eq!((&event["bodies"], &event["kind"]), (&serde_json::json!(["cube", "floor"]), &"impact".into()));
    assert_eq!(vector(&event["normal"]), [0.0, 0.0, 1.0]);
    assert!((vector(&event["impulse"])[2] - 2.0 * mass * speed).abs() < 1e-7);
    assert!(vector(&event["point"])[2].abs() < 1e-9);

    let told = summary(&out);
    assert_eq!((&told["collisions"], &told["fallbacks"]), (&1.into(), &0.into()));
    assert!(number(&told["overlap_max"]) < 1e-12, "{}", told["overlap_max"]);
    assert_eq!(told["projection"]["energy"], 0.0);
    assert_eq!(vector(&told["projection"]["angular_momentum"]), [0.0; 3]);
    assert_eq!(
        column(&told["sources"], "source"),
        ["gravity", "supports", "scheme", "contact", "friction", "projection"]
    );
}

#[test]
fn a_resumed_run_is_bitwise_identical_under_every_scheme() {
    let place = Place::new("contact-resumed");
    let scene = place.scene(&tumbling());
    for scheme in SchemeKind::with(|capable| capable.contact != ContactSupport::None).map(SchemeKind::name) {
        let (whole, parts) = (place.join(&format!("{scheme}-1")), place.join(&format!("{scheme}-2")));
        let set = ["--set", "contact.stiffness=3e4", "--set", "run.step=1e-4"];
        let more = [&set[..], &["--every", "750", "--scheme", scheme]].concat();
        let until = |end: &'static str| [&["--until", end], &more[..]].concat();
        succeed(&run(&scene, &whole, &until("1.4")));
        // In the middle of contact where it is a potential, and between the rows of steps 3750 and 4500.
        succeed(&run(&scene, &parts, &until("0.4")));
        let row = |folder: &Path| ["penetration", "substep_min"].map(|name| floats(folder, name)[6]);
        let before = row(&parts);
        succeed(&run(&scene, &parts, &[&until("1.4")[..], &["--resume"]].concat()));
        assert_eq!(outcome(&whole), outcome(&parts), "{scheme}");
        // The largest penetration and the smallest substep are before the interruption; the row after it contains them.
        assert_eq!(row(&parts), before, "{scheme}");
        let [overlap, piece] = before;
        let neither = ["decomposition", "lcp"].contains(&scheme);
        assert!(overlap > 0.02 || piece < 1e-5 || neither, "{scheme}: {before:?}");
        let names: Vec<String> = outcome(&parts).0.into_iter().map(|(name, _)| name).collect();
        let wanted = "penetration substep_min source_energy source_linear_momentum source_angular_momentum";
        for name in wanted.split(' ') {
            assert!(names.iter().any(|found| found == name), "{name} is among what was compared");
        }
    }
}

#[test]
fn a_resumed_run_has_the_same_events() {
    let place = Place::new("events-resumed");
    let (whole, parts) = (place.join("whole"), place.join("parts"));
    let scene = place.scene(&tumbling());
    succeed(&run(&scene, &whole, &["--until", "4"]));
    assert!(events(&whole).len() > 5);
    succeed(&run(&scene, &parts, &["--until", "1.2345"]));
    let first = fs::read(parts.join("events.jsonl")).unwrap();
    assert!(!first.is_empty());
    // What a process wrote after its last checkpoint, and half a line more.
    let mut file = fs::OpenOptions::new().append(true).open(parts.join("events.jsonl")).unwrap();
    file.write_all(b"{\"time\":1.3}\n{\"time\":").unwrap();
    drop(file);
    succeed(&run(&scene, &parts, &["--until", "4", "--resume"]));
    assert_eq!(outcome(&whole), outcome(&parts));
    assert!(fs::read(parts.join("events.jsonl")).unwrap().starts_with(&first));
    // Events that are gone cannot be counted on.
    fs::write(parts.join("events.jsonl"), &first).unwrap();
    refused(&run(&scene, &parts, &["--until", "5", "--resume"]), &["events.jsonl"]);
}

#[test]
fn a_killed_run_loses_and_repeats_no_event() {
    let place = Place::new("events-killed");
    let (whole, broken) = (place.join("whole"), place.join("broken"));
    let scene = place.scene(&tumbling());
    let mut child = start(scene.to_str().unwrap(), &broken, &["--until", "1e6", "--every", "100"]);
    let checkpoint = || Checkpoint::read(&broken.join("checkpoint"));
    wait_for("a checkpoint after the first one", || checkpoint().is_ok_and(|c| c.event_bytes > 0));
    child.kill().unwrap();
    child.wait().unwrap();
    let steps = checkpoint().unwrap().state.steps;
    let until = format!("{}", (steps + 2000) as f64 * 1e-3);
    succeed(&run(&scene, &broken, &["--until", &until, "--every", "100", "--resume"]));
    succeed(&run(&scene, &whole, &["--until", &until, "--every", "100"]));
    assert_eq!(outcome(&whole), outcome(&broken));
}

#[test]
fn a_reader_of_a_run_in_progress_has_its_rows_and_their_events() {
    let place = Place::new("events-followed");
    let out = place.join("out");
    let scene = place.scene(&tumbling());
    // So few rows that no buffer overflows.
    let mut child = start(scene.to_str().unwrap(), &out, &["--until", "1e6", "--every", "2000"]);
    let part = out.join("parts/time.part");
    let more_than = |size: u64| part.metadata().is_ok_and(|data| data.len() > size);
    wait_for("the first row", || more_than(0));
    // The first row is there before the first step; a checkpoint would bring the next ones after four seconds.
    let begun = std::time::Instant::now();
    wait_for("another row", || more_than(8));
    assert!(begun.elapsed().as_secs_f64() < 3.0, "{:?}", begun.elapsed());
    let rows = fs::read(&part).unwrap();
    let seen = fs::read_to_string(out.join("events.jsonl")).unwrap();
    child.kill().unwrap();
    child.wait().unwrap();
    let time = f64::from_le_bytes(*rows.as_chunks::<8>().0.last().unwrap());
    assert!(time > 0.0);
    // Some seconds of the scene are enough to compare with a run that has ended.
    let until = time.min(20.0);
    let whole = place.join("whole");
    succeed(&run(&scene, &whole, &["--until", &format!("{}", until + 0.5), "--every", "2000"]));
    let mut wanted = 0;
    for (line, event) in fs::read_to_string(whole.join("events.jsonl")).unwrap().lines().zip(events(&whole)) {
        if number(&event["time"]) <= until {
            assert!(seen.contains(&format!("{line}\n")), "at {until} this was not to be seen: {line}");
            wanted += 1;
        }
    }
    assert!(wanted > 2, "{wanted} events until {until}");
}

#[test]
fn an_unsupported_scheme_or_start_is_reported_before_anything_is_written() {
    let place = Place::new("events-misuse");
    let out = place.join("out");
    let told = |text: &str, more: &[&str], words: &[&str]| {
        let scene = place.scene(text);
        for command in [vec!["run"], vec!["check"]] {
            let mut program = program();
            program.args(&command).arg(&scene).args(more);
            if command == ["run"] {
                program.arg("--out").arg(&out);
            }
            refused(&program.output().unwrap(), words);
            assert!(!out.exists());
        }
    };
    let words = ["override run.scheme=variational", "has no contact", "exact"];
    told(FALLING, &["--scheme", "variational"], &words);
    let without = FALLING.replace("[contact]\n", "");
    told(&without, &[], &["own.toml:6:1:", "add [contact]"]);
    told(&without, &["--project-start"], &["contact.project_start=true", "no `contact`"]);
    let rough = FALLING.replace("[contact]", "[contact]\nfriction = 0.4");
    let words = ["override run.scheme=potential", "has friction 0.4", "exact, dissipative"];
    told(&rough, &["--scheme", "potential"], &words);
    let sunk = FALLING.replace("0.8]", "0.09]");
    told(&sunk, &[], &["own.toml:12:", "`cube` and `floor` penetrate each other by 1.0", "--project-start"]);
    let moved = place.join("moved");
    succeed(&run(place.scene(&sunk), &moved, &["--project-start", "--until", "0.01"]));
    let height = floats(&moved, "position")[2];
    assert!((height - 0.1).abs() < 1e-9, "{height}");
    assert!(fs::read_to_string(moved.join("scene.toml")).unwrap().contains("project_start = true"));
}

/// A disc is thrown at a hexagon before a wall.
const PLANE: &str = r#"
[run]
step = 1e-3
until = 2
scheme = "exact"
[contact]
[bodies.disc]
shape = { circle = 0.15 }
density = 20
position = [-1, 0.55, 0]
velocity = [2, 0.1, 0]
[bodies."<six>"]
shape = { regular_polygon = { sides = 6, side = 0.2 } }
density = 20
position = [0, 0.6, 0]
[joints.one]
kind = "planar"
parent = "world"
child = "disc"
axis = [0, 0, 1]
[joints.two]
kind = "planar"
parent = "world"
child = "<six>"
axis = [0, 0, 1]
[bodies.wall]
kind = "fixed"
shape = { half_plane = { normal = [-1, 0], offset = -2 } }
"#;

#[test]
fn the_page_has_the_collisions_and_the_planar_bodies() {
    let (_place, out) = ran("events-page", PLANE, &[]);
    let lines = events(&out);
    assert!(lines.len() >= 2, "{lines:?}");
    // They meet in their plane.
    let flat = |event: &Value| ["point", "impulse"].iter().all(|key| event[key][2] == 0.0);
    assert!(lines.iter().all(flat), "{lines:?}");
    let text = fs::read_to_string(out.join("report.html")).unwrap();
    assert!(!text.contains("<six>"), "names from a scene stay packed");
    let page = Page::of(&out);
    let run = page.run(0);
    assert_eq!(run["events"]["count"], lines.len());
    let times: Vec<f64> = lines.iter().map(|event| number(&event["time"])).collect();
    assert_eq!(page.array(&run["events"]["time"]), times);
    assert!(list(&run["bodies"]).iter().any(|body| body["name"] == "<six>"));
    // All of it lies in one plane: the page appearances at it from the front.
    assert_eq!(vector(&run["plane"]).iter().map(|v| v.abs()).collect::<Vec<_>>(), [0.0, 0.0, 1.0]);
    // Two bodies have an outline, a wall has a piece of its edge.
    let with = |key: &str| list(&run["bodies"]).iter().filter(|b| !b[key].is_null()).count();
    assert_eq!((with("mesh"), with("ground")), (2, 1));
}

/// A ball between two walls hits one of them every tenth of a second.
const WALLS: &str = r#"
[run]
step = 1e-2
until = 30
scheme = "exact"
[contact]
[bodies.ball]
shape = { sphere = 0.1 }
mass = 1
velocity = [2, 0, 0]
[bodies.walls]
kind = "fixed"
shapes = [{ half_space = { normal = [1, 0, 0], offset = -0.2 } }, { half_space = { normal = [-1, 0, 0], offset = -0.2 } }]
"#;

#[test]
fn a_ball_between_walls_hits_one_of_them_every_tenth_of_a_second() {
    let (_place, out) = ran("events-many", WALLS, &[]);
    let lines = events(&out);
    // The first after 0.05 s, then one every 0.1 s.
    assert_eq!(lines.len(), 300);
    for (k, event) in lines.iter().enumerate() {
        assert!((number(&event["time"]) - (0.05 + 0.1 * k as f64)).abs() < 1e-8, "{event}");
    }
    let shown = Page::of(&out).run(0)["events"].clone();
    assert_eq!((&shown["count"], &shown["total"]), (&300.into(), &300.into()));
}

#[test]
fn fallbacks_are_counted_and_reported() {
    let place = Place::new("events-handed");
    let out = place.join("out");
    // Steps with two collisions each, and one is allowed.
    let more = ["--set", "contact.max_impacts=1", "--set", "run.step=0.2", "--until", "1"];
    let output = run(place.scene(WALLS), &out, &more);
    succeed(&output);
    let (told, lines) = (summary(&out), events(&out));
    let handed = lines.iter().filter(|event| event["kind"] == "fallback").count();
    assert!(told["fallbacks"].as_u64().unwrap() > 0 && handed > 0, "{told}");
    assert_eq!(told["collisions"], lines.len() - handed);
    let warning = told["warnings"][0].as_str().unwrap();
    assert!(warning.contains("fell back to the decomposition scheme"), "{warning}");
    assert!(error(&output).contains(warning));
    assert_eq!(Page::of(&out).run(0)["summary"]["warnings"][0], warning);
}

#[test]
fn a_failed_step_keeps_the_collisions_before_it() {
    let place = Place::new("events-failure");
    let out = place.join("out");
    // Opposite charges without shapes fall into each other while the cube falls on the floor.
    let charges = r#"
[bodies]
p = { kind = "particle", mass = 1, position = [-1, 0, 5] }
q = { kind = "particle", mass = 1, position = [1, 0, 5] }
[forces.pull]
kind = "charges"
charges = [{ body = "p", charge = 1 }, { body = "q", charge = -1 }]
constant = 1
"#;
    let scene = place.scene(&FALLING.replace("[bodies.cube]", &format!("{charges}[bodies.cube]")));
    let output = run(&scene, &out, &["--until", "10", "--set", "run.step=1e-2"]);
    assert_eq!(code(&output), 1, "{}", error(&output));
    let (told, lines) = (summary(&out), events(&out));
    assert_eq!(told["status"], "failed");
    let end = number(&told["t_end"]);
    assert!(end > 0.5 && told["collisions"] == lines.len() && !lines.is_empty());
    assert!(lines.iter().all(|event| number(&event["time"]) <= end));
    assert_eq!(floats(&out, "time").last(), Some(&end), "everything up to the last good step is there");
    let resumed = run(&scene, &out, &["--until", "10", "--set", "run.step=1e-2", "--resume"]);
    assert_eq!(code(&resumed), 1, "{}", error(&resumed));
    assert_eq!(events(&out), lines);
}

#[test]
fn penetrations_beyond_the_allowed_one_are_reported() {
    let place = Place::new("overlap");
    let scene = place.scene(&FALLING.replace("[contact]", "[contact]\nallowed_penetration = 0.004"));
    let (coarse, fine) = (place.join("coarse"), place.join("fine"));
    let output = run(&scene, &coarse, &["--scheme", "potential", "--until", "0.7"]);
    succeed(&output);
    let told = summary(&coarse);
    let overlap = number(&told["overlap_max"]);
    assert!(overlap > 0.004 && overlap < 0.1, "{overlap}");
    let warnings: Vec<&str> = list(&told["warnings"]).iter().map(|w| w.as_str().unwrap()).collect();
    // Foreseen when it was read, and seen when it was over.
    assert!(warnings[0].contains("own.toml:7:") && warnings[0].contains("take steps of"), "{warnings:?}");
    let remedy = "more than the allowed 4.00e-3 m; take a smaller step with a larger `stiffness`";
    assert!(warnings[1].contains(remedy), "{warnings:?}");
    assert!(error(&output).contains(warnings[1]));
    assert_eq!(events(&coarse), Vec::<Value>::new());

    let more = ["--scheme", "potential", "--until", "0.7", "--set", "run.step=1e-5", "--every", "100"];
    succeed(&run(&scene, &fine, &more));
    let told = summary(&fine);
    let overlap = number(&told["overlap_max"]);
    // A cube of 2.16 kg that fell 0.7 m: as deep as allowed, not deeper.
    assert!(overlap < 0.004 && overlap > 0.0035, "{overlap}");
    assert_eq!(told["warnings"], serde_json::json!([]));
}
