//! Heaps of mixed polyhedra that fall and settle, solved to the tolerance, beside fifty Gauss-Seidel sweeps.
//!
//! `cargo bench -p percussion-mechanics --bench heaps` prints a markdown table; `-- COUNT...` only heaps of these sizes, `-- --mujoco PYTHON` dominoes
//! beside MuJoCo. Both
//! solvers simulate the same scene, one after the other and on one thread; every step is timed by the fastest of two runs.
#![allow(missing_docs, clippy::unwrap_used, clippy::print_stdout)]

use nalgebra::Rotation3;
use percussion_geometry::shapes::{HalfSpace, Polytope, Solid};
use percussion_geometry::{Pose, Vec3};
use percussion_mechanics::contact::{ContactSpec, Surface};
use percussion_mechanics::schemes::{Lcp, LcpOptions, Scheme};
use percussion_mechanics::step_record::StepSolver;
use percussion_mechanics::{Body, Model, ModelBuilder, State};
use percussion_testing::Random;
use std::process::Command;
use std::time::Instant;

const STEPS: usize = 200;
const GRAVITY: f64 = 9.81;
const FRICTION: f64 = 0.5;
/// Residual of a solved step.
const SOLVED: f64 = 1e-8;

/// Cubes, boxes, tetrahedra and prisms of about 0.2 m, in turns.
fn solid(k: usize) -> Polytope {
    let prism = |corners: usize, radius: f64, height: f64| {
        let ring = |z: f64| {
            (0..corners).map(move |i| {
                let angle = std::f64::consts::TAU * i as f64 / corners as f64;
                Vec3::new(radius * angle.cos(), radius * angle.sin(), z)
            })
        };
        Polytope::from_vertices(&ring(-0.5 * height).chain(ring(0.5 * height)).collect::<Vec<_>>()).unwrap()
    };
    match k % 5 {
        0 => Polytope::cube(0.2).unwrap(),
        1 => Polytope::cuboid(0.3, 0.2, 0.12).unwrap(),
        2 => {
            let r = 0.13;
            let corners = [[r, r, r], [r, -r, -r], [-r, r, -r], [-r, -r, r]].map(Vec3::from);
            Polytope::from_vertices(&corners).unwrap()
        }
        3 => prism(3, 0.15, 0.2),
        _ => prism(6, 0.12, 0.18),
    }
}

/// Polyhedra, turned anyhow, close above each other; on a floor, or in a bin a little wider than their lattice.
fn heap(count: usize, bin: bool) -> (Model, State) {
    let mut random = Random::new(count as u64);
    let mut builder = ModelBuilder::new();
    builder.gravity(Vec3::new(0.0, 0.0, -GRAVITY));
    let side = (count as f64).cbrt().ceil() as usize;
    let spacing = 0.3;
    let width = side as f64 * spacing;
    let floor = Solid::HalfSpace(HalfSpace::new(Vec3::z(), 0.0).unwrap());
    let mut ground = Body::fixed("ground").with_shape(floor, Pose::identity());
    if bin {
        for (x, y) in [(1.0, 0.0), (-1.0, 0.0), (0.0, 1.0), (0.0, -1.0)] {
            let wall = Solid::HalfSpace(HalfSpace::new(Vec3::new(-x, -y, 0.0), -0.5 * width - 0.05).unwrap());
            ground = ground.with_shape(wall, Pose::identity());
        }
    }
    builder.body(ground, Pose::identity());
    for k in 0..count {
        let at = |k: usize| (k as f64 + 0.5) * spacing;
        let position = Vec3::new(
            at(k % side) - 0.5 * width,
            at(k / side % side) - 0.5 * width,
            at(k / side / side) + 0.05,
        );
        let axis = Vec3::new(random.normal(), random.normal(), random.normal());
        let solid = Solid::Polytope(solid(k));
        let body = Body::of_density(&format!("body-{k}"), &solid.mass_properties().unwrap(), 1000.0).unwrap();
        let pose = Pose::new(Rotation3::from_scaled_axis(axis), position);
        builder.body(body.with_shape(solid, Pose::identity()), pose);
    }
    let surface = Surface { restitution: 0.0, friction: FRICTION };
    builder.contact(ContactSpec { otherwise: Some(surface), ..ContactSpec::default() });
    builder.build_open().unwrap()
}

/// Upright dominoes in a row, the first of which is pushed.
fn dominoes(count: usize) -> (Model, State) {
    let mut builder = ModelBuilder::new();
    builder.gravity(Vec3::new(0.0, 0.0, -GRAVITY));
    let floor = Solid::HalfSpace(HalfSpace::new(Vec3::z(), 0.0).unwrap());
    builder.body(Body::fixed("ground").with_shape(floor, Pose::identity()), Pose::identity());
    for k in 0..count {
        let solid = Solid::Polytope(Polytope::cuboid(0.2, 0.5, 1.0).unwrap());
        let body = Body::of_density(&format!("body-{k}"), &solid.mass_properties().unwrap(), 1000.0).unwrap();
        let id = builder
            .body(body.with_shape(solid, Pose::identity()), Pose::at(Vec3::new(0.5 * k as f64, 0.0, 0.5)));
        if k == 0 {
            builder.velocity(id, Vec3::new(1.0, 0.0, 0.0), Vec3::new(0.0, 3.0, 0.0));
        }
    }
    let surface = Surface { restitution: 0.0, friction: FRICTION };
    builder.contact(ContactSpec { otherwise: Some(surface), ..ContactSpec::default() });
    builder.build_open().unwrap()
}

/// Runs of a scene: each step is timed by the fastest of them, which does the same work.
const ROUNDS: usize = 2;

#[derive(Default)]
struct Record {
    /// Of each step, s.
    times: Vec<f64>,
    solved: usize,
    worst: f64,
    contacts: usize,
    iterations: usize,
}

impl Record {
    fn per_step(&self) -> f64 {
        self.times.iter().sum::<f64>() / self.times.len() as f64
    }
}

fn run(scene: &(Model, State), h: f64, options: &LcpOptions) -> Record {
    let mut record = Record { times: vec![f64::INFINITY; STEPS], ..Record::default() };
    for round in 0..ROUNDS {
        let (model, mut state) = scene.clone();
        let mut scheme = Lcp::new(&model, &state, options).unwrap();
        for time in &mut record.times {
            let start = Instant::now();
            scheme.step(&model, &mut state, h).unwrap();
            *time = time.min(start.elapsed().as_secs_f64());
            if round == 0 {
                let solve = scheme.last_solve();
                record.solved += usize::from(solve.residual <= SOLVED);
                record.worst = record.worst.max(solve.residual);
                record.contacts = record.contacts.max(solve.contacts);
                record.iterations += solve.iterations;
            }
        }
    }
    record
}

/// Dominoes at 1 ms for two seconds, beside MuJoCo: `dominoes.py` with an interpreter that has the package `mujoco`. Least processor times
/// of three runs.
fn beside_mujoco(python: &str) {
    let (count, h, steps) = (25, 1e-3, 2000);
    let (model, start) = dominoes(count);
    let (mut best, mut solved, mut fallen) = (f64::INFINITY, 0, 0);
    for _ in 0..3 {
        let mut scheme = Lcp::new(&model, &start, &LcpOptions::default()).unwrap();
        let mut state = start.clone();
        let from = Instant::now();
        for _ in 0..steps {
            scheme.step(&model, &mut state, h).unwrap();
            solved += usize::from(scheme.last_solve().residual <= SOLVED);
        }
        best = from.elapsed().as_secs_f64().min(best);
        fallen = state.positions.iter().filter(|x| x.z < 0.45).count();
    }
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/benches/heaps/dominoes.py");
    let arguments = [script.to_owned(), count.to_string(), h.to_string(), steps.to_string()];
    let output = Command::new(python).args(arguments).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let text = String::from_utf8(output.stdout).unwrap();
    let [time, theirs, depth] =
        <[f64; 3]>::try_from(text.split_whitespace().map(|word| word.parse().unwrap()).collect::<Vec<_>>())
            .unwrap();
    let ours = best / f64::from(steps);
    println!(
        "| {count} dominoes, 1 ms | ms per step | ratio | fallen | steps solved | deepest at the end, mm |"
    );
    println!("|---|---|---|---|---|---|");
    let share = 100.0 * solved as f64 / f64::from(3 * steps);
    println!("| percussion | {:.4} | {:.2} | {fallen} | {share:.1} % | |", ours * 1e3, ours / time);
    println!("| MuJoCo | {:.4} | 1.00 | {theirs} | | {:.2} |", time * 1e3, depth * 1e3);
}

fn main() {
    rayon::ThreadPoolBuilder::new().num_threads(1).build_global().unwrap();
    let wanted: Vec<usize> = std::env::args().skip(1).filter_map(|a| a.parse().ok()).collect();
    if let Some(python) = std::env::args().skip_while(|a| a != "--mujoco").nth(1) {
        return beside_mujoco(&python);
    }
    println!(
        "| scene | step, s | steps solved | largest residual | contacts | iterations per step | ms per step | slowest, ms | 50 sweeps, ms per step | ratio |"
    );
    println!("|---|---|---|---|---|---|---|---|---|---|");
    let default = LcpOptions::default();
    let sweeps =
        LcpOptions { solver: StepSolver::GaussSeidel, sweeps: 50, newton_factorizations: 0, ..default };
    for count in [25, 50, 100, 500] {
        if !wanted.is_empty() && !wanted.contains(&count) {
            continue;
        }
        for h in [1e-3, 1e-2] {
            let mut scenes = vec![("floor", heap(count, false)), ("bin", heap(count, true))];
            if count == 25 {
                scenes.push(("dominoes", dominoes(count)));
            }
            for (name, scene) in scenes {
                let fifty = run(&scene, h, &sweeps);
                let full = run(&scene, h, &default);
                println!(
                    "| {count}, {name} | {h} | {:.1} % | {:.0e} | {} | {:.0} | {:.2} | {:.1} | {:.2} | {:.2} |",
                    100.0 * full.solved as f64 / STEPS as f64,
                    full.worst,
                    full.contacts,
                    full.iterations as f64 / STEPS as f64,
                    full.per_step() * 1e3,
                    full.times.iter().fold(0.0, |most: f64, time| most.max(*time)) * 1e3,
                    fifty.per_step() * 1e3,
                    full.per_step() / fifty.per_step(),
                );
            }
        }
    }
}
