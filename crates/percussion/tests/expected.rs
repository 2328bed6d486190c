//! Every scene that is run keeps what its `expected.json` says it keeps, and does what it says it does.
//!
//! | key | of a scene file |
//! |---|---|
//! | `until`, `steps` | how long the test runs it, s, and in how many steps |
//! | `energy`, `angular_momentum` | at the start |
//! | `energy_error_at_most`, `momentum_error_at_most` | what no cause explains: relative energy; N s and N m s |
//! | `constant`, `spin_scale` | components of the angular momentum that stay, to rounding relative to this size |
//! | `collisions`, `hand_overs_at_most` | how many; none if not given |
//! | `overlap_at_most` | in m; none if not given |
//! | `projection_energy_at_most` | what moving bodies apart brought, J |
//! | `events` | times, impulses and energies of the first collisions |
//! | `final` | velocities, places, spins and energies at the end |
//! | `touching` | how many pairs of bodies are nearer than this at the end |
//! | `settled` | the end compared with the run: kinetic energy with its greatest, the last tenth of potential energies with their drop |
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::print_stdout)]

mod common;

use common::folder::{Place, array};
use percussion::gallery::{SCENES, load};
use percussion::mechanics::Model;
use percussion::mechanics::contact::Memory;
use percussion::scene::run::{Checkpoint, Status, Summary, read_events, run};
use serde::Deserialize;
use std::collections::BTreeMap;
use std::fs;
use std::ops::ControlFlow;
use std::path::Path;

/// Angular momentum that symmetry keeps may wander by rounding, relative to the greatest there was.
const KEPT: f64 = 1e-11;
/// Joints and loops hold at every step.
const CONSTRAINTS: f64 = 1e-12;

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Wanted {
    until: f64,
    steps: u64,
    energy: f64,
    energy_error_at_most: f64,
    momentum_error_at_most: f64,
    angular_momentum: [f64; 3],
    constant: Vec<usize>,
    spin_scale: Option<f64>,
    collisions: Option<u64>,
    #[serde(default)]
    hand_overs_at_most: u64,
    #[serde(default)]
    overlap_at_most: f64,
    projection_energy_at_most: Option<f64>,
    events: Option<Events>,
    #[serde(rename = "final")]
    end: Option<End>,
    touching: Option<Touching>,
    settled: Option<Settled>,
}

/// The first collisions.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Events {
    times: Vec<f64>,
    /// In s.
    tolerance: f64,
    /// Collision `k`, from zero, may be later by `k + 1` times this many seconds.
    #[serde(default)]
    late: f64,
    /// Pairs of collisions that share an instant, to the bit.
    #[serde(default)]
    simultaneous: Vec<[usize; 2]>,
    /// On the first body, N s; leading components.
    #[serde(default)]
    impulses: Vec<Vec<f64>>,
    /// Kinetic, of those that met, J.
    #[serde(default)]
    energies_after: Vec<f64>,
    /// Of impulses and energies, relative.
    relative: Option<f64>,
}

/// The last state.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct End {
    #[serde(default)]
    velocity: BTreeMap<String, [f64; 3]>,
    /// Of the bodies' own frames.
    #[serde(default)]
    position: BTreeMap<String, [Option<f64>; 3]>,
    /// In m and m/s.
    tolerance: Option<f64>,
    /// Of all bodies, rad/s.
    spin_at_most: Option<f64>,
    /// In J.
    kinetic_at_most: Option<f64>,
    /// Kinetic and potential, J, and its tolerance.
    energy: Option<[f64; 2]>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Touching {
    pairs: usize,
    within: f64,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Settled {
    kinetic_at_most: f64,
    potential_at_most: f64,
}

#[test]
fn scenes_of_the_gallery_keep_what_they_should() {
    let place = Place::new("expected");
    for scene in SCENES.iter().filter(|scene| scene.kind == "run") {
        let path = common::root().join("scenes").join(scene.name).join("expected.json");
        let text = fs::read_to_string(path).unwrap();
        let mut expected: BTreeMap<String, Wanted> =
            serde_json::from_str(&text).unwrap_or_else(|error| panic!("{}: {error}", scene.name));
        for (file, _) in scene.files {
            let wanted =
                expected.remove(*file).unwrap_or_else(|| panic!("{}: nothing about {file}", scene.name));
            let name = match file.strip_suffix(".toml").unwrap() {
                "scene" => scene.name.to_owned(),
                variant => format!("{}/{variant}", scene.name),
            };
            let until = [("run.until".to_owned(), wanted.until.to_string())];
            let folder = place.join(&name.replace('/', "-"));
            let loaded = load(&name, &until).unwrap().unwrap();
            let model = loaded.model.clone();
            let found = run(loaded, &folder, false, &mut |_| ControlFlow::Continue(())).unwrap();
            keeps(&name, &wanted, &found);
            if let Some(events) = &wanted.events {
                happens(&name, events, &folder);
            }
            if let Some(end) = &wanted.end {
                ends(&name, end, &found, &folder);
            }
            if let Some(Touching { pairs, within }) = wanted.touching {
                let state = Checkpoint::read(&folder.join("checkpoint")).unwrap().state;
                assert_eq!(neighbours(&model, &state, within), pairs, "{name}: pairs that touch");
            }
            if let Some(settled) = &wanted.settled {
                rests(&name, settled, &found, &folder);
            }
        }
        assert!(expected.is_empty(), "{}: {:?} are not in the gallery", scene.name, expected.keys());
    }
}

/// What the summary says.
fn keeps(name: &str, wanted: &Wanted, found: &Summary) {
    assert_eq!(found.status, Status::Finished, "{name}");
    assert_eq!(found.steps, wanted.steps, "{name}");
    let start = found.energy.initial;
    assert!((start - wanted.energy).abs() <= 1e-12 * wanted.energy.abs(), "{name}: {start}");
    let error = found.energy.max_relative_error;
    let projection = found.projection.as_ref().map_or(0.0, |projection| projection.energy);
    println!(
        "{name:36} {:6.2} s  energy {error:.1e}, constraints {:.1e}, {} collisions, projection {projection:.1e} J",
        found.wall_time_s, found.constraint_max, found.collisions
    );
    assert!(error <= wanted.energy_error_at_most, "{name}: {error:e}");
    let momentum = found.linear_momentum.max_error.max(found.angular_momentum.max_error);
    assert!(momentum <= wanted.momentum_error_at_most, "{name}: {momentum:e}");
    assert!(found.constraint_max <= CONSTRAINTS, "{name}: {:e}", found.constraint_max);
    let spin = &found.angular_momentum;
    let scale = wanted.spin_scale.unwrap_or(spin.max);
    for (k, start) in wanted.angular_momentum.iter().enumerate() {
        assert!((spin.initial[k] - start).abs() <= 1e-13 * scale, "{name}: {k}: {}", spin.initial[k]);
    }
    for &k in &wanted.constant {
        let off = (spin.last[k] - spin.initial[k]).abs();
        assert!(off <= KEPT * scale, "{name}: component {k} is off by {off:e}");
    }
    if let Some(collisions) = wanted.collisions {
        assert_eq!(found.collisions, collisions, "{name}: collisions");
    }
    assert!(found.hand_overs <= wanted.hand_overs_at_most, "{name}: {} hand-overs", found.hand_overs);
    let overlap = found.overlap_max.unwrap_or(0.0);
    assert!(overlap <= wanted.overlap_at_most, "{name}: overlaps by {overlap:e}");
    if let Some(most) = wanted.projection_energy_at_most {
        assert!(projection.abs() <= most, "{name}: projections brought {projection:e} J");
    }
}

/// The first collisions.
fn happens(name: &str, wanted: &Events, folder: &Path) {
    let (mut times, mut impulses, mut energies) = (Vec::new(), Vec::new(), Vec::new());
    read_events(&folder.join("events.jsonl"), |_, event| {
        times.push(event.time);
        impulses.push(event.impulse);
        energies.push(event.energy_after);
    })
    .unwrap();
    assert!(times.len() >= wanted.times.len(), "{name}: {} collisions", times.len());
    for (k, (found, expected)) in times.iter().zip(&wanted.times).enumerate() {
        let (early, late) = (expected - wanted.tolerance, wanted.late * (k + 1) as f64 + wanted.tolerance);
        assert!(
            (early..=expected + late).contains(found),
            "{name}: collision {k} at {found}, not {expected}"
        );
    }
    for [a, b] in &wanted.simultaneous {
        assert_eq!(times[*a], times[*b], "{name}: collisions {a} and {b}");
    }
    let relative = wanted.relative.unwrap_or(0.0);
    for (k, (found, expected)) in impulses.iter().zip(&wanted.impulses).enumerate() {
        let size = expected.iter().fold(0.0, |size: f64, part| size.hypot(*part));
        for (found, expected) in found.iter().zip(expected) {
            assert!((found - expected).abs() <= relative * size, "{name}: impulse {k}: {found} {expected}");
        }
    }
    for (k, (found, expected)) in energies.iter().zip(&wanted.energies_after).enumerate() {
        assert!((found - expected).abs() <= relative * expected, "{name}: energy {k}: {found} {expected}");
    }
}

/// The last state.
fn ends(name: &str, wanted: &End, found: &Summary, folder: &Path) {
    let bodies = array(folder, "bodies").as_texts().unwrap();
    let last = |what: &str| {
        let all = array(folder, what).as_floats().unwrap();
        all[all.len() - 3 * bodies.len()..].to_vec()
    };
    let tolerance = wanted.tolerance.unwrap_or(0.0);
    let near = |what: &str, all: &[f64], body: &str, k: usize, expected: f64| {
        let index = bodies.iter().position(|name| name == body).unwrap_or_else(|| panic!("{name}: {body}?"));
        let found = all[3 * index + k];
        assert!((found - expected).abs() <= tolerance, "{name}: {what} of {body}: {found} {expected}");
    };
    let (places, velocities) = (last("position"), last("velocity"));
    for (body, velocity) in &wanted.velocity {
        velocity.iter().enumerate().for_each(|(k, v)| near("velocity", &velocities, body, k, *v));
    }
    for (body, place) in &wanted.position {
        for (k, x) in place.iter().enumerate().filter_map(|(k, x)| Some((k, (*x)?))) {
            near("position", &places, body, k, x);
        }
    }
    if let Some(most) = wanted.spin_at_most {
        let spin = last("angular_velocity").iter().fold(0.0, |most: f64, part| most.max(part.abs()));
        assert!(spin <= most, "{name}: spins with {spin:e} rad/s");
    }
    if let Some(most) = wanted.kinetic_at_most {
        let kinetic = found.energy.kinetic[1];
        assert!(kinetic <= most, "{name}: kinetic energy {kinetic:e} J");
    }
    if let Some([energy, tolerance]) = wanted.energy {
        assert!(
            (found.energy.last - energy).abs() <= tolerance,
            "{name}: {} J at the end",
            found.energy.last
        );
    }
}

/// Pairs of parts nearer than this.
fn neighbours(model: &Model, state: &percussion::mechanics::State, within: f64) -> usize {
    let contacts = model.contacts.as_ref().unwrap();
    let near = |&(a, b): &(usize, usize)| {
        let poses = (contacts.parts[a].body_pose(state), contacts.parts[b].body_pose(state));
        let touch = contacts.touch((a, b), (&poses.0, &poses.1), f64::INFINITY, &mut Memory::default());
        touch.unwrap().separation < within
    };
    contacts.all_pairs().iter().filter(|pair| near(pair)).count()
}

/// Kinetic energy has gone, and potential energy stays where it is.
fn rests(name: &str, wanted: &Settled, found: &Summary, folder: &Path) {
    let kinetic = found.energy.kinetic[1] / found.energy.kinetic_max;
    assert!(kinetic <= wanted.kinetic_at_most, "{name}: {kinetic:e} of the kinetic energy is left");
    let energies = array(folder, "energy");
    let width = energies.header.shape[1];
    let potential: Vec<f64> = energies.as_floats().unwrap().chunks(width).map(|row| row[1]).collect();
    let range = |part: &[f64]| {
        let (low, high) =
            part.iter().fold((f64::MAX, f64::MIN), |(low, high), v| (low.min(*v), high.max(*v)));
        high - low
    };
    let moves = range(&potential[potential.len() - potential.len() / 10..]) / range(&potential);
    println!(
        "{name:36} kinetic energy {kinetic:.1e} of its greatest, potential moves by {moves:.1e} of its range"
    );
    assert!(
        moves <= wanted.potential_at_most,
        "{name}: potential energy still moves by {moves:e} of its range"
    );
}
