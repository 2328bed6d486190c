//! `percussion run` and its folder, as a user meets them.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod common;

use common::folder::{
    CHARGES, Place, array, code, error, floats, outcome, refused, run, start, succeed, summary, text, texts,
    wait_for,
};
use common::page::Page;
use common::{call, column, list, number, program};
use percussion::gallery::{SCENES, load};
use percussion::mechanics::schemes::SchemeKind;
use percussion::scene::run::Checkpoint;
use percussion::scene::run::npz::Kind;
use serde_json::Value;
use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

/// Two bodies that fall, one of them on a spring.
const FALLING: &str = r#"
title = "Falling"
gravity = [0, 0, -9.81]

[run]
step = 1e-3
until = 0.1

[bodies.brick]
shape = { box = [0.1, 0.2, 0.3] }
mass = 2
angular_velocity = [1, 2, 3]

[bodies.bob]
shape = { sphere = 0.1 }
mass = 1
position = [0.6, 0, -0.8]

[joints.pivot]
kind = "revolute"
parent = "world"
child = "bob"
at = [0, 0, 0]
axis = [0, 1, 0]
"#;

/// Keys of `summary.json`, among others.
const KEYS: &str =
    "scene scheme version seed h steps t_end wall_time_s warnings constraint_max overlap_max collisions";

#[test]
fn every_scene_of_the_gallery_runs_with_every_scheme() {
    let place = Place::new("gallery");
    for scene in SCENES.iter().filter(|scene| scene.kind == "run") {
        for (file, _) in scene.files {
            let name = format!("{}/{}", scene.name, file.trim_end_matches(".toml"));
            let step = load(&name, &[]).unwrap().unwrap().run.step;
            for scheme in scene.schemes() {
                let out = place.join(&format!("{scheme}-{}", name.replace('/', "-")));
                let until = format!("{}", 40.0 * step);
                let output =
                    run(&name, &out, &["--until", &until, "--every", "8", "--scheme", scheme.name()]);
                succeed(&output);
                let said = text(&output);
                assert!(said.contains("energy") && said.contains("report.html"), "{said}");

                let told = summary(&out);
                assert_eq!((&told["steps"], &told["scheme"]), (&40.into(), &scheme.name().into()));
                assert_eq!(told["status"], "finished");
                assert!(KEYS.split(' ').all(|key| told.get(key).is_some()), "{told}");
                let lost = number(&told["energy"]["max_relative_error"]);
                // The steps of scenes with collisions suit the scheme they name; a potential would need smaller ones.
                let soft = !told["overlap_max"].is_null() && scheme.capabilities().uses_potential();
                // Of a scheme of order one, less than a tenth is lost in forty steps.
                let most = match scheme {
                    _ if soft => 1.0,
                    SchemeKind::Lcp => 0.1,
                    _ => 1e-3,
                };
                assert!(lost < most, "{name} {scheme}: {lost:e}");
                for momentum in ["linear_momentum", "angular_momentum"] {
                    assert_eq!(common::vector(&told[momentum]["final"]).len(), 3);
                    assert!(told[momentum]["max_error"].is_f64());
                }
                let sources = column(&told["sources"], "source");
                let different: BTreeSet<_> = sources.iter().collect();
                assert_eq!(different.len(), sources.len(), "{name}: sources of one name");
                let bodies = texts(&out, "bodies").len();
                assert_eq!(array(&out, "position").header.shape, [6, bodies, 3], "{name}");
                assert_eq!(array(&out, "rotation").header.shape, [6, bodies, 3, 3]);
                assert_eq!(array(&out, "time").header.kind, Kind::Float);
                let sources = texts(&out, "source_names").len();
                assert_eq!(array(&out, "source_angular_momentum").header.shape, [6, sources, 3], "{name}");
                let events = fs::read_to_string(out.join("events.jsonl")).unwrap();
                let collisions = events.lines().filter(|line| !line.contains("\"fallback\"")).count();
                assert_eq!(told["collisions"], collisions, "{name}");
                let contact = !told["overlap_max"].is_null();
                assert!(contact || events.is_empty(), "{name}");
                let page = Page::of(&out);
                assert_eq!(page.run(0)["summary"], told, "{name}");
                assert_eq!(list(&page.run(0)["bodies"]).len(), bodies);
                assert_eq!(page.poses(0).len(), 6);
                assert!(page.size < 1 << 20, "{name}: {}", page.size);
                assert!(!out.join("parts").exists(), "what was temporary is gone");
                let again = call(&["check", out.join("scene.toml").to_str().unwrap()]);
                assert!(again.stdout.starts_with(b"OK: "), "{}", error(&again));
            }
        }
    }
}

#[test]
fn a_resumed_run_is_bitwise_identical() {
    let place = Place::new("resume");
    for scene in ["pendulum-chain", "four-bar", "free-top"] {
        let step = load(scene, &[]).unwrap().unwrap().run.step;
        for scheme in SchemeKind::with(|capable| capable.without_contact && capable.order == 2) {
            let (whole, parts) =
                (place.join(&format!("{scene}-{scheme}")), place.join(&format!("{scene}-{scheme}-2")));
            let (half, end) = (format!("{}", 45.0 * step), format!("{}", 100.0 * step));
            let more = ["--every", "7", "--scheme", scheme.name()];
            let options =
                |until, last: &'static [&'static str]| [&["--until", until], &more[..], last].concat();
            succeed(&run(scene, &whole, &options(&end, &[])));
            succeed(&run(scene, &parts, &options(&half, &[])));
            // The state at the end is shown though its turn had not come; it is gone from the longer run.
            assert_eq!(array(&parts, "time").header.shape, [45 / 7 + 2]);
            succeed(&run(scene, &parts, &options(&end, &["--resume"])));
            assert_eq!(outcome(&whole), outcome(&parts), "{scene}");
            // Nothing is left to do, and doing it changes nothing.
            succeed(&run(scene, &parts, &options(&end, &["--resume"])));
            assert_eq!(outcome(&whole), outcome(&parts), "{scene}");
        }
    }
}

#[cfg(unix)]
#[test]
fn a_run_interrupted_by_ctrl_c_resumes_bitwise_identical() {
    let place = Place::new("interrupted");
    let (broken, whole) = (place.join("broken"), place.join("whole"));
    let mut child = start("kepler", &broken, &["--until", "1e9", "--every", "50"]);
    let part = broken.join("parts/time.part");
    wait_for("some rows", || part.metadata().is_ok_and(|data| data.len() > 0));
    let pid = child.id().to_string();
    assert!(std::process::Command::new("kill").args(["-INT", &pid]).status().unwrap().success());
    assert_eq!(child.wait().unwrap().code(), Some(130));
    let told = summary(&broken);
    assert_eq!(told["status"], "interrupted");
    let (steps, h) = (told["steps"].as_u64().unwrap(), told["h"].as_f64().unwrap());
    assert_eq!(Page::of(&broken).run(0)["status"], "interrupted");
    let until = format!("{}", (steps + 120) as f64 * h);
    let output = run("kepler", &broken, &["--until", &until, "--every", "50", "--resume"]);
    succeed(&output);
    succeed(&run("kepler", &whole, &["--until", &until, "--every", "50"]));
    assert_eq!(outcome(&broken), outcome(&whole));
}

/// Cubes on one another, whose contacts Lemke's method takes minutes to solve.
#[cfg(unix)]
const ONE_LONG_STEP: &str = r#"
gravity = [0, 0, -9.81]

[run]
step = 0.01
until = 1
scheme = "lcp"

[run.lcp]
solver = "lemke"
cone = "pyramid"

[contact]
friction = 0.5

[patterns.cube]
kind = "grid"
counts = [4, 4, 6]
spacings = [1.1, 1.1, 1]
body = { shape = { cube = 1 }, density = 1000 }
position = [0, 0, 0.5]

[bodies.floor]
kind = "fixed"
shape = { half_space = { normal = [0, 0, 1] } }
"#;

#[cfg(unix)]
#[test]
fn a_signal_ends_a_run_within_a_step_that_takes_minutes() {
    let place = Place::new("signal");
    let scene = place.scene(ONE_LONG_STEP);
    for signal in ["-INT", "-TERM"] {
        let folder = place.join(signal);
        let mut child = start(scene.to_str().unwrap(), &folder, &[]);
        wait_for("the first checkpoint", || folder.join("checkpoint").exists());
        // Long enough to be in the first step.
        std::thread::sleep(std::time::Duration::from_millis(300));
        let sent = std::time::Instant::now();
        let pid = child.id().to_string();
        assert!(std::process::Command::new("kill").args([signal, &pid]).status().unwrap().success());
        assert_eq!(child.wait().unwrap().code(), Some(130));
        // The limit is 0.7 s, the step takes far longer than this.
        assert!(sent.elapsed().as_secs_f64() < 10.0, "{:?}", sent.elapsed());
        assert!(folder.join("checkpoint").exists() && !folder.join("summary.json").exists());
    }
}

#[test]
fn a_killed_run_resumes_from_its_checkpoint() {
    let place = Place::new("killed");
    let (broken, whole) = (place.join("broken"), place.join("whole"));
    let mut child = start("kepler", &broken, &["--until", "1e9"]);
    let part = broken.join("parts/position.part");
    // More rows than the first checkpoint counts.
    wait_for("many rows", || part.metadata().is_ok_and(|data| data.len() > 100_000));
    child.kill().unwrap();
    child.wait().unwrap();
    assert!(!broken.join("summary.json").exists() && broken.join("checkpoint").exists());
    let done = Checkpoint::read(&broken.join("checkpoint")).unwrap().state.steps;
    let h = load("kepler", &[]).unwrap().unwrap().run.step;
    let until = format!("{}", (done + 60) as f64 * h);
    // The first run kept every state or every n-th, as in the scene; so must the others.
    succeed(&run("kepler", &broken, &["--until", &until, "--resume"]));
    succeed(&run("kepler", &whole, &["--until", &until]));
    assert_eq!(outcome(&broken), outcome(&whole));
}

#[test]
fn thinning_keeps_every_nth_state_and_the_last() {
    let place = Place::new("thinning");
    let (all, some) = (place.join("all"), place.join("some"));
    let scene = place.scene(FALLING);
    succeed(&run(&scene, &all, &[]));
    succeed(&run(&scene, &some, &["--every", "30"]));
    let (every, kept) = (floats(&all, "time"), floats(&some, "time"));
    assert_eq!(every.len(), 101);
    assert_eq!(kept, [0, 30, 60, 90, 100].map(|i| every[i]));
    assert_eq!(floats(&all, "rotation")[90 * 18..91 * 18], floats(&some, "rotation")[3 * 18..4 * 18]);
    // The figures are those of all steps.
    let figures = |folder: &Path| summary(folder)["energy"].clone();
    assert_eq!(figures(&all), figures(&some));
}

#[test]
fn set_changes_the_scene_that_is_run() {
    let place = Place::new("set");
    let (light, heavy) = (place.join("light"), place.join("heavy"));
    let scene = place.scene(FALLING);
    succeed(&run(&scene, &light, &[]));
    succeed(&run(&scene, &heavy, &["--set", "bodies.brick.mass=4", "--set", "run.until=0.05"]));
    assert_eq!((floats(&light, "mass"), floats(&heavy, "mass")), (vec![2.0, 1.0], vec![4.0, 1.0]));
    assert_eq!(summary(&heavy)["steps"], 50);
    assert!(fs::read_to_string(heavy.join("scene.toml")).unwrap().contains("mass = 4"));
}

#[test]
fn misuse_is_reported_with_its_place_and_remedy() {
    let place = Place::new("misuse");
    let out = place.join("out");
    let told = |scene: &Path, more: &[&str], words: &[&str]| {
        let output = run(scene, &out, more);
        refused(&output, words);
        assert!(output.stdout.is_empty() && !out.exists(), "nothing is written for {words:?}");
    };
    let bad = place.scene(&FALLING.replace("mass = 2", "mas = 2").replace("1e-3", "-1"));
    told(&bad, &[], &["own.toml:6:", "own.toml:11:", "did you mean `mass`?"]);
    let good = place.scene(FALLING);
    told(&good, &["--scheme", "variatonal"], &["did you mean `variational`?"]);
    told(&good, &["--set", "bodies.brik.mass=3"], &["brik"]);
    told(&good, &["--set", "bodies.brick.mass"], &["path=value"]);
    told(&good, &["--until", "-3"], &["until"]);
    told(&good, &["--until", "nan"], &["until"]);
    told(&good, &["--every", "0"], &["every"]);
    told(&good, &["--resume"], &["holds no run"]);
    told(Path::new("kelper"), &[], &["did you mean `kepler`?"]);
    told(Path::new("no/such.toml"), &[], &["no/such.toml", "percussion gallery"]);
    told(Path::new("tetrahedra"), &[], &["percussion distance --example tetrahedra"]);
    let meeting = place.scene(&CHARGES.replace("-1, 0, 0", "1, 0, 0"));
    told(&meeting, &[], &["cannot start", "pull"]);
}

#[test]
fn check_counts_what_a_scene_holds() {
    let place = Place::new("check");
    let check = |scene: &Path| program().arg("check").arg(scene).output().unwrap();
    let output = check(&place.scene(FALLING));
    succeed(&output);
    let counts = "OK: own: 2 bodies (2 moving), 1 joint (0 loops), 7 degrees of freedom, 2 islands, 0 forces; 100 steps";
    assert!(text(&output).starts_with(counts), "{}", text(&output));
    assert!(text(&check(Path::new("four-bar"))).contains("(1 loop)"));
    let bad = FALLING.replace("sphere", "shpere").replace("kind = \"revolute\"", "kind = \"joint_line\"");
    let output = check(&place.scene(&bad));
    refused(&output, &[]);
    let said = error(&output);
    assert!(said.lines().count() >= 2 && said.lines().all(|line| line.contains("own.toml:")), "{said}");
}

#[test]
fn a_failed_step_is_reported_with_its_evidence() {
    let place = Place::new("failure");
    let out = place.join("out");
    let output = run(place.scene(CHARGES), &out, &[]);
    assert_eq!(code(&output), 1, "{}", error(&output));
    assert!(error(&output).contains("step"), "{}", error(&output));
    let told = summary(&out);
    assert_eq!(told["status"], "failed");
    let failure = &told["failure"];
    let (steps, rows) = (told["steps"].as_u64().unwrap(), told["rows"].as_u64().unwrap());
    assert!(steps > 10 && failure["step"].as_u64() == Some(steps), "{failure}");
    assert!(failure["message"].as_str().unwrap().contains("take a smaller step"), "{failure}");
    assert!(common::vector(&failure["residuals"]).len() > 5, "the history of the iterations: {failure}");
    // The last good state is the checkpoint, and everything before it is in the trajectory.
    let checkpoint = Checkpoint::read(&out.join("checkpoint")).unwrap();
    assert_eq!(checkpoint.state.steps, steps);
    let position = array(&out, "position");
    assert_eq!((position.header.shape[0] as u64, rows), (steps + 1, steps + 1));
    let last = &position.as_floats().unwrap()[6 * steps as usize..];
    assert_eq!(last[0].abs(), checkpoint.state.positions[0].x.abs());
    assert_eq!(Page::of(&out).run(0)["summary"]["failure"], *failure);
}

#[test]
fn folders_of_others_are_left_alone() {
    let place = Place::new("others");
    let out = place.join("out");
    let scene = place.scene(FALLING);
    fs::create_dir(&out).unwrap();
    succeed(&run(&scene, &out, &[]));
    fs::write(out.join("notes.txt"), "mine").unwrap();
    succeed(&run(&scene, &out, &["--until", "0.02"]));
    assert_eq!(fs::read_to_string(out.join("notes.txt")).unwrap(), "mine");
    assert_eq!(summary(&out)["steps"], 20);

    let other = place.join("other");
    fs::create_dir(&other).unwrap();
    fs::write(other.join("summary.json"), "not a run's").unwrap();
    refused(&run(&scene, &other, &[]), &["not a run folder", "--out"]);
    assert_eq!(fs::read_dir(&other).unwrap().count(), 1);

    let heavier = ["--resume", "--set", "bodies.brick.mass=3"];
    refused(&run(&scene, &out, &heavier), &["`mass = 2`", "`mass = 3`"]);
    refused(&run(&scene, &out, &["--resume", "--until", "0.01"]), &["--until"]);

    let held = fs::File::open(out.join("events.jsonl")).unwrap();
    held.lock().unwrap();
    refused(&run(&scene, &out, &[]), &["another process"]);
    assert_eq!(summary(&out)["steps"], 20, "the old run is still there");
}

#[test]
fn the_gallery_lists_names_titles_kinds_and_schemes() {
    let scenes: Vec<Value> = serde_json::from_slice(&call(&["gallery", "--json"]).stdout).unwrap();
    assert!(scenes.len() >= 8 && scenes.iter().any(|scene| scene["kind"] == "distance"));
    for scene in &scenes {
        let keys: Vec<&String> = scene.as_object().unwrap().keys().collect();
        assert_eq!(keys, ["kind", "name", "schemes", "title"]);
        let schemes = list(&scene["schemes"]);
        let known = |name: &Value| SchemeKind::NAMES.contains(&name.as_str().unwrap());
        assert!(scene["title"].is_string() && schemes.iter().all(known), "{scene}");
        assert!(scene["kind"] != "run" || !schemes.is_empty(), "{scene}");
        let example = call(&["distance", "--example", scene["name"].as_str().unwrap()]);
        assert_eq!(example.status.success(), scene["kind"] == "distance", "{scene}");
    }
    let plain = text(&call(&["gallery"]));
    assert_eq!(plain.lines().count(), scenes.len());
    assert!(plain.lines().any(|line| line.starts_with("tetrahedra")), "{plain}");
}

#[test]
fn the_result_does_not_depend_on_the_number_of_threads() {
    let place = Place::new("threads");
    let folders = ["1", "2", "5"].map(|jobs| {
        let out = place.join(jobs);
        succeed(&run("pendulum-chain", &out, &["--until", "0.1", "--jobs", jobs]));
        outcome(&out)
    });
    assert!(folders.iter().all(|outcome| *outcome == folders[0]));
}
