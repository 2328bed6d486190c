//! Every scene that is run or planned has the conserved quantities and the results of its `expected.json`.
//!
//! | key | of a scene file |
//! |---|---|
//! | `until`, `steps` | how long the test runs it, s, and in how many steps |
//! | `energy`, `angular_momentum` | at the start |
//! | `energy_error_at_most`, `momentum_error_at_most` | unaccounted: relative energy; N s and N m s |
//! | `constant`, `spin_scale` | components of the angular momentum that stay, to rounding relative to this size |
//! | `collisions`, `collisions_at_least` | how many; of chaotic motions, how many at least |
//! | `fallbacks_at_most` | none if not given |
//! | `penetration_at_most` | in m; none if not given |
//! | `constraints_at_most` | of joints, m; of schemes that keep them by constraints |
//! | `infeasibility_mean_at_most` | mean violation of contacts and joints; then every step was solved and no step gained energy |
//! | `projection_energy_at_most` | what moving bodies apart brought, J |
//! | `events` | times, impulses and energies of the first collisions |
//! | `final` | velocities, places, spins and energies at the end |
//! | `touching` | how many pairs of bodies are nearer than this at the end |
//! | `settled` | the end compared with the run: kinetic energy with its greatest, the last tenth of potential energies with their drop |
//!
//! | key | of a plan |
//! |---|---|
//! | `objective`, `guess_at_least` | the objective and its tolerance, relative, or 1e-12 where it is zero; least ratio of the objective of the guess to it |
//! | `contact_times`, `time_tolerance` | of planned contacts, s |
//! | `sigma`, `sigma_tolerance` | time scales |
//! | `violation_at_most` | of constraints, in their units, and unaccounted momentum, N s and N m s |
//! | `iterations_at_most`, `rounds_at_most` | of the search |
//! | `penetration_at_most`, `graze_at_most` | at nodes and between them, m; none if not given |
//! | `replay_at_most` | distance of a simulation under its control inputs from it, m and rad |
//! | `final` | as above |
//!
//! | key | of a shooting problem |
//! |---|---|
//! | `unknowns`, `tolerance` | what the search chose, by name, and how near it is |
//! | `impacts`, `residual_at_most`, `iterations_at_most` | of the search |
//! | `events`, `final` | as above |
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::print_stdout)]

mod common;

use common::folder::{self, Place, array, succeed, summary};
use percussion::gallery::{SCENES, load};
use percussion::mechanics::contact::PairWarmStart;
use percussion::mechanics::schemes::SchemeKind;
use percussion::mechanics::{Model, State};
use percussion::scene::run::{Checkpoint, Status, Summary, plan, read_events, run, shoot};
use percussion::solve::nlp::CallbackAction;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use std::collections::BTreeMap;
use std::fs;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

/// Angular momentum that symmetry keeps may wander by rounding, relative to the greatest there was.
const KEPT: f64 = 1e-11;
/// An objective that counts as zero.
const NOTHING: f64 = 1e-12;
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
    constraints_at_most: Option<f64>,
    infeasibility_mean_at_most: Option<f64>,
    #[serde(default)]
    collisions_at_least: u64,
    #[serde(default)]
    fallbacks_at_most: u64,
    /// Steps whose contact problem is not solved to its tolerance.
    #[serde(default)]
    unsolved_at_most: u64,
    #[serde(default)]
    penetration_at_most: f64,
    projection_energy_at_most: Option<f64>,
    events: Option<Events>,
    #[serde(rename = "final")]
    end: Option<End>,
    touching: Option<Touching>,
    settled: Option<Settled>,
}

/// Of a plan.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Planned {
    objective: [f64; 2],
    guess_at_least: Option<f64>,
    #[serde(default)]
    contact_times: Vec<f64>,
    #[serde(default)]
    time_tolerance: f64,
    sigma: Option<Vec<f64>>,
    #[serde(default)]
    sigma_tolerance: f64,
    violation_at_most: f64,
    iterations_at_most: usize,
    #[serde(default = "once")]
    rounds_at_most: usize,
    #[serde(default)]
    penetration_at_most: f64,
    #[serde(default)]
    graze_at_most: f64,
    replay_at_most: Option<f64>,
    #[serde(rename = "final")]
    end: Option<End>,
}

fn once() -> usize {
    1
}

/// Of a shooting problem.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct ShootWanted {
    unknowns: BTreeMap<String, f64>,
    tolerance: f64,
    impacts: usize,
    residual_at_most: f64,
    iterations_at_most: usize,
    events: Events,
    #[serde(rename = "final")]
    end: End,
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
    /// Pairs of collisions that share an instant, bitwise.
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

/// What is not as it should be, all of it.
struct Complaints<'a> {
    name: &'a str,
    said: &'a mut Vec<String>,
}

impl Complaints<'_> {
    fn unless(&mut self, fine: bool, otherwise: impl FnOnce() -> String) {
        if !fine {
            self.said.push(format!("{}: {}", self.name, otherwise()));
        }
    }
}

/// Runs all files of the scenes of a kind, each with what is expected of it, and reports all complaints together.
fn check<W: DeserializeOwned>(kind: &str, one: impl Fn(&str, W, &mut Complaints<'_>)) {
    let mut said = Vec::new();
    for (name, wanted) in files(kind) {
        one(&name, wanted, &mut Complaints { name: &name, said: &mut said });
    }
    assert!(said.is_empty(), "\n{}", said.join("\n"));
}

/// All files of the scenes of a kind, by their names in the gallery, with what is expected of them.
fn files<W: DeserializeOwned>(kind: &str) -> Vec<(String, W)> {
    let mut all = Vec::new();
    for scene in SCENES.iter().filter(|scene| scene.kind == kind) {
        let path = common::root().join("scenes").join(scene.name).join("expected.json");
        let text = fs::read_to_string(path).unwrap();
        let mut expected: BTreeMap<String, W> =
            serde_json::from_str(&text).unwrap_or_else(|error| panic!("{}: {error}", scene.name));
        for (file, _) in scene.files {
            let wanted =
                expected.remove(*file).unwrap_or_else(|| panic!("{}: nothing about {file}", scene.name));
            let name = match file.strip_suffix(".toml").unwrap() {
                "scene" => scene.name.to_owned(),
                variant => format!("{}/{variant}", scene.name),
            };
            all.push((name, wanted));
        }
        assert!(expected.is_empty(), "{}: {:?} are not in the gallery", scene.name, expected.keys());
    }
    all
}

#[test]
fn scenes_of_the_gallery_conserve_what_is_expected() {
    let place = Place::new("expected");
    check("run", |name, wanted: Wanted, c| {
        let until = [("run.until".to_owned(), wanted.until.to_string())];
        let folder = place.join(&name.replace('/', "-"));
        let loaded = load(name, &until).unwrap().unwrap();
        let model = loaded.model.clone();
        let found = run(loaded, &folder, false, &mut |_| ControlFlow::Continue(())).unwrap();
        keeps(c, &wanted, &found);
        if let Some(events) = &wanted.events {
            happens(c, events, &folder);
        }
        if let Some(end) = &wanted.end {
            ends(c, end, &found, &folder);
        }
        if let Some(Touching { pairs, within }) = wanted.touching {
            let state = Checkpoint::read(&folder.join("checkpoint")).unwrap().state;
            let found = neighbours(&model, &state, within);
            c.unless(found == pairs, || format!("{found} pairs touch"));
        }
        if let Some(settled) = &wanted.settled {
            rests(c, settled, &found, &folder);
        }
        fs::remove_dir_all(&folder).unwrap();
    });
}

#[test]
fn plans_of_the_gallery_have_the_expected_solutions() {
    let place = Place::new("expected-plans");
    // Some searches are long: this variable names a folder in which their results are kept.
    let kept = std::env::var_os("PERCUSSION_PLANS").map(PathBuf::from);
    check("plan", |name, wanted: Planned, c| {
        let own = name.replace('/', "-");
        let folder = kept.as_ref().map_or_else(|| place.join(&own), |kept| kept.join(&own));
        let loaded = load(name, &[]).unwrap().unwrap();
        let found = plan(loaded, &folder, &mut |_| CallbackAction::Continue).unwrap();
        solves(c, &wanted, &found);
        if let Some(end) = &wanted.end {
            ends(c, end, &found, &folder);
        }
        if let Some(most) = wanted.replay_at_most {
            let again = place.join(&format!("{own}-replay"));
            succeed(&folder::run(name, &again, &["--controls", folder.to_str().unwrap()]));
            let replay = summary(&again)["replay"].clone();
            for what in ["agreement_position", "agreement_rotation"] {
                let off = replay[what].as_f64().unwrap();
                c.unless(off <= most, || format!("{what} of the replay is {off:e}"));
            }
        }
    });
}

#[test]
fn shooting_problems_of_the_gallery_converge() {
    let place = Place::new("expected-shoot");
    check("shoot", |name, wanted: ShootWanted, c| {
        let folder = place.join(&name.replace('/', "-"));
        let loaded = load(name, &[]).unwrap().unwrap();
        let found = shoot(loaded, &folder, &mut |_| CallbackAction::Continue).unwrap();
        let figures = found.shoot.as_ref().unwrap();
        println!("{name:36} {:6.3} s  residuals {:?}", figures.solve_time_s, figures.residuals);
        c.unless(found.status == Status::Finished && figures.outcome == "converged", || {
            figures.outcome.clone()
        });
        c.unless(figures.impacts == wanted.impacts, || format!("{} impacts", figures.impacts));
        let residual = figures.residuals.last().copied().unwrap_or(f64::NAN);
        c.unless(residual <= wanted.residual_at_most, || format!("misses by {residual:e}"));
        let iterations = figures.iterations;
        c.unless(iterations <= wanted.iterations_at_most, || format!("{iterations} iterations"));
        c.unless(figures.unknowns.len() == wanted.unknowns.len(), || "the unknowns are others".to_owned());
        for one in &figures.unknowns {
            let expected = wanted.unknowns.get(&one.name).copied().unwrap_or(f64::NAN);
            let fine = (one.value - expected).abs() <= wanted.tolerance;
            c.unless(fine, || format!("{} is {}, not {expected}", one.name, one.value));
        }
        happens(c, &wanted.events, &folder);
        ends(c, &wanted.end, &found, &folder);
    });
}

#[test]
fn schemes_of_a_scene_can_express_it_and_no_others_can() {
    for scene in SCENES.iter().filter(|scene| scene.kind == "run") {
        for scheme in SchemeKind::ALL {
            let chosen = [("run.scheme".to_owned(), scheme.name().to_owned())];
            // Some scenes leave the scheme to its default: then there is nothing to override.
            if load(scene.name, &[]).unwrap().unwrap().contact.is_none() {
                continue;
            }
            let fits = load(scene.name, &chosen).unwrap().is_ok();
            assert_eq!(fits, scene.schemes().contains(&scheme), "{} by {scheme}", scene.name);
        }
    }
}

/// Figures of the summary.
fn keeps(c: &mut Complaints<'_>, wanted: &Wanted, found: &Summary) {
    c.unless(found.status == Status::Finished, || format!("{:?}", found.failure));
    c.unless(found.steps == wanted.steps, || format!("{} steps", found.steps));
    let start = found.energy.initial;
    c.unless((start - wanted.energy).abs() <= 1e-12 * wanted.energy.abs(), || {
        format!("begins with {start} J")
    });
    let error = found.energy.max_relative_error;
    let projection = found.projection.as_ref().map_or(0.0, |brought| brought.energy);
    println!(
        "{:36} {:6.2} s  energy {error:.1e}, constraints {:.1e}, {} collisions, projection {projection:.1e} J",
        c.name, found.wall_time_s, found.constraint_max, found.collisions
    );
    c.unless(error <= wanted.energy_error_at_most, || format!("energy error {error:e}"));
    let momentum = found.linear_momentum.max_error.max(found.angular_momentum.max_error);
    c.unless(momentum <= wanted.momentum_error_at_most, || format!("momentum error {momentum:e}"));
    let most = wanted.constraints_at_most.unwrap_or(CONSTRAINTS);
    c.unless(found.constraint_max <= most, || format!("constraints {:e}", found.constraint_max));
    let spin = &found.angular_momentum;
    let scale = wanted.spin_scale.unwrap_or(spin.max);
    for (k, start) in wanted.angular_momentum.iter().enumerate() {
        let found = spin.initial[k];
        c.unless((found - start).abs() <= 1e-13 * scale, || {
            format!("begins with {found} N m s about axis {k}")
        });
    }
    for &k in &wanted.constant {
        let off = (spin.last[k] - spin.initial[k]).abs();
        c.unless(off <= KEPT * scale, || format!("angular momentum {k} is off by {off:e}"));
    }
    let met = found.collisions;
    let fine = wanted.collisions.is_none_or(|wanted| met == wanted) && met >= wanted.collisions_at_least;
    c.unless(fine, || format!("{met} collisions"));
    c.unless(found.fallbacks <= wanted.fallbacks_at_most, || format!("{} fallbacks", found.fallbacks));
    let unsolved = found.complementarity.as_ref().map_or(0, |figures| figures.unconverged);
    c.unless(unsolved <= wanted.unsolved_at_most, || format!("{unsolved} steps unsolved"));
    let allowed = |warning: &&String| wanted.unsolved_at_most == 0 || !warning.contains("unsolved");
    let warnings: Vec<&String> = found.warnings.iter().filter(allowed).collect();
    c.unless(found.fallbacks > 0 || warnings.is_empty(), || format!("{warnings:?}"));
    let overlap = found.overlap_max.unwrap_or(0.0);
    c.unless(overlap <= wanted.penetration_at_most, || format!("overlaps by {overlap:e} m"));
    if let Some(most) = wanted.infeasibility_mean_at_most {
        let mean = found.infeasibility_mean.unwrap_or(f64::INFINITY);
        c.unless(mean <= most, || format!("constraints are violated by {mean:e} on average"));
        let unconverged = found.complementarity.as_ref().map_or(u64::MAX, |problems| problems.unconverged);
        c.unless(unconverged == 0, || format!("{unconverged} steps were not solved"));
    }
    if let Some(most) = wanted.projection_energy_at_most {
        c.unless(projection.abs() <= most, || format!("projections brought {projection:e} J"));
    }
}

/// Figures of the search in the summary.
fn solves(c: &mut Complaints<'_>, wanted: &Planned, found: &Summary) {
    let figures = found.plan.as_ref().unwrap();
    println!(
        "{:36} {:6.2} s  J {:?}, contacts {:?}, sigma {:?}, {} iterations, {} rounds",
        c.name,
        figures.solve_time_s,
        figures.objective,
        figures.contact_times,
        figures.sigma,
        figures.iterations,
        figures.rounds
    );
    c.unless(figures.outcome == "optimal", || format!("{}: {:?}", figures.outcome, figures.evidence));
    c.unless(found.warnings.is_empty(), || found.warnings.join("; "));
    let ([objective, relative], reached) = (wanted.objective, figures.objective.unwrap_or(f64::NAN));
    c.unless((reached - objective).abs() <= (relative * objective).max(NOTHING), || {
        format!("has objective {reached:e}")
    });
    if let Some(times) = wanted.guess_at_least {
        let guess = figures.objective_guess.unwrap_or(f64::NAN);
        c.unless(guess >= times * reached, || format!("the guess has only objective {guess:e}"));
    }
    let lists = [
        ("contacts", &figures.contact_times, Some(&wanted.contact_times), wanted.time_tolerance),
        ("time scales", &figures.sigma, wanted.sigma.as_ref(), wanted.sigma_tolerance),
    ];
    for (what, found, expected, tolerance) in lists {
        let near = |expected: &Vec<f64>| {
            expected.len() == found.len()
                && found.iter().zip(expected).all(|(found, value)| (found - value).abs() <= tolerance)
        };
        c.unless(expected.is_none_or(near), || format!("{what} {found:?}, not {expected:?}"));
    }
    for violation in [figures.violation_max, figures.momentum_consistency_max] {
        let violation = violation.unwrap_or(f64::NAN);
        c.unless(violation <= wanted.violation_at_most, || format!("violates by {violation:e}"));
    }
    let (iterations, rounds) = (figures.iterations, figures.rounds);
    c.unless(iterations <= wanted.iterations_at_most, || format!("{iterations} iterations"));
    c.unless(rounds <= wanted.rounds_at_most, || format!("{rounds} rounds"));
    let overlap = found.overlap_max.unwrap_or(0.0);
    c.unless(overlap <= wanted.penetration_at_most, || format!("overlaps by {overlap:e} m"));
    let graze = -figures.clearance_between.unwrap_or(0.0);
    c.unless(graze <= wanted.graze_at_most, || format!("overlaps by {graze:e} m between nodes"));
}

/// The first collisions.
fn happens(c: &mut Complaints<'_>, wanted: &Events, folder: &Path) {
    let (mut times, mut impulses, mut energies) = (Vec::new(), Vec::new(), Vec::new());
    read_events(&folder.join("events.jsonl"), |_, event| {
        times.push(event.time);
        impulses.push(event.impulse);
        energies.push(event.energy_after);
    })
    .unwrap();
    if times.len() < wanted.times.len() {
        return c.unless(false, || format!("{} collisions", times.len()));
    }
    for (k, (found, expected)) in times.iter().zip(&wanted.times).enumerate() {
        let (early, late) = (wanted.tolerance, wanted.late * (k + 1) as f64 + wanted.tolerance);
        let fine = (expected - early..=expected + late).contains(found);
        c.unless(fine, || format!("collision {k} at {found}, not {expected} s"));
    }
    for [a, b] in &wanted.simultaneous {
        c.unless(times[*a] == times[*b], || format!("collisions {a} and {b} are not at one instant"));
    }
    let relative = wanted.relative.unwrap_or(0.0);
    for (k, (found, expected)) in impulses.iter().zip(&wanted.impulses).enumerate() {
        let size = expected.iter().fold(0.0, |size: f64, part| size.hypot(*part));
        let fine = found.iter().zip(expected).all(|(found, part)| (found - part).abs() <= relative * size);
        c.unless(fine, || format!("impulse {k} is {found:?}, not {expected:?}"));
    }
    for (k, (found, expected)) in energies.iter().zip(&wanted.energies_after).enumerate() {
        let fine = (found - expected).abs() <= relative * expected;
        c.unless(fine, || format!("energy after {k} is {found}, not {expected} J"));
    }
}

/// The last state.
fn ends(c: &mut Complaints<'_>, wanted: &End, found: &Summary, folder: &Path) {
    let bodies = array(folder, "bodies").as_texts().unwrap();
    let last = |what: &str| {
        let all = array(folder, what).as_floats().unwrap();
        all[all.len() - 3 * bodies.len()..].to_vec()
    };
    let tolerance = wanted.tolerance.unwrap_or(0.0);
    let place = wanted.position.iter().map(|(body, place)| ("position", body, *place));
    let velocity = wanted.velocity.iter().map(|(body, v)| ("velocity", body, v.map(Some)));
    for (what, body, expected) in place.chain(velocity) {
        let index = bodies.iter().position(|name| name == body).unwrap_or_else(|| panic!("no body {body}"));
        let found = &last(what)[3 * index..3 * index + 3];
        let near = |(found, part): (&f64, &Option<f64>)| part.is_none_or(|x| (found - x).abs() <= tolerance);
        let fine = found.iter().zip(&expected).all(near);
        c.unless(fine, || format!("{what} of {body} is {found:?}, not {expected:?}"));
    }
    if let Some(most) = wanted.spin_at_most {
        let spin = last("angular_velocity").iter().fold(0.0, |most: f64, part| most.max(part.abs()));
        c.unless(spin <= most, || format!("spins with {spin:e} rad/s"));
    }
    if let Some(most) = wanted.kinetic_at_most {
        let kinetic = found.energy.kinetic[1];
        c.unless(kinetic <= most, || format!("ends with the kinetic energy {kinetic:e} J"));
    }
    if let Some([energy, tolerance]) = wanted.energy {
        let last = found.energy.last;
        c.unless((last - energy).abs() <= tolerance, || format!("ends with {last}, not {energy} J"));
    }
}

/// Pairs of parts nearer than this.
fn neighbours(model: &Model, state: &State, within: f64) -> usize {
    let contacts = model.contacts.as_ref().unwrap();
    let near = |&(a, b): &(usize, usize)| {
        let poses = (contacts.parts[a].body_pose(state), contacts.parts[b].body_pose(state));
        let touch =
            contacts.separation((a, b), (&poses.0, &poses.1), f64::INFINITY, &mut PairWarmStart::default());
        touch.unwrap().separation < within
    };
    contacts.all_pairs().iter().filter(|pair| near(pair)).count()
}

/// Kinetic energy has gone, and potential energy stays where it is.
fn rests(c: &mut Complaints<'_>, wanted: &Settled, found: &Summary, folder: &Path) {
    let kinetic = found.energy.kinetic[1] / found.energy.kinetic_max;
    c.unless(kinetic <= wanted.kinetic_at_most, || format!("{kinetic:e} of the kinetic energy is left"));
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
        "{:36} kinetic energy {kinetic:.1e} of its greatest, potential moves by {moves:.1e} of its range",
        c.name
    );
    c.unless(moves <= wanted.potential_at_most, || {
        format!("potential energy moves by {moves:e} of its range")
    });
}
