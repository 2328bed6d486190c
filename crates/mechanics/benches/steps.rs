//! Time per step: free bodies beside rapier3d-f64 in the same run, and chains of growing length.
//!
//! `cargo bench -p percussion-mechanics --bench steps` prints markdown tables.
#![allow(missing_docs, clippy::unwrap_used, clippy::expect_used, clippy::print_stdout)]

use nalgebra::Matrix3;
use percussion_geometry::{Pose, Vec3};
use percussion_mechanics::schemes::{Scheme, Variational};
use percussion_mechanics::{Body, JointKind, Model, ModelBuilder, State};
use rapier3d_f64::prelude::{MassProperties, PhysicsWorld, RigidBodyBuilder, Vector};
use std::time::Instant;

const H: f64 = 1e-3;
const MOMENTS: Vec3 = Vec3::new(1.0, 2.0, 2.5);

/// Spread-out velocities, the same for everyone.
fn motion(i: usize) -> (Vec3, Vec3, Vec3) {
    let a = i as f64;
    let at = Vec3::new((a * 0.37).sin(), (a * 0.73).cos(), (a * 0.11).sin()) * 100.0;
    let v = Vec3::new((a * 0.9).cos(), (a * 1.3).sin(), (a * 0.5).cos());
    let w = Vec3::new((a * 1.7).sin(), (a * 0.3).cos(), (a * 2.1).sin()) * 3.0;
    (at, v, w)
}

fn free_bodies(count: usize) -> (Model, State) {
    let mut builder = ModelBuilder::new();
    builder.gravity(Vec3::new(0.0, 0.0, -9.81));
    for i in 0..count {
        let (at, v, w) = motion(i);
        let body =
            Body::rigid(&format!("b{i}"), 1.5, Vec3::zeros(), &Matrix3::from_diagonal(&MOMENTS)).unwrap();
        let id = builder.body(body, Pose::at(at));
        builder.velocity(id, v, w);
    }
    builder.build().unwrap()
}

fn chain(kind: JointKind, count: usize) -> (Model, State) {
    let mut builder = ModelBuilder::new();
    builder.gravity(Vec3::new(0.0, 0.0, -9.81));
    let inertia = Matrix3::from_diagonal(&Vec3::new(0.002, 0.01, 0.009));
    let mut above = None;
    for i in 0..count {
        let pose = Pose::at(Vec3::new(0.3 * (i as f64 + 0.5), 0.0, 0.0));
        let id = builder.body(Body::rigid(&format!("l{i}"), 1.0, Vec3::zeros(), &inertia).unwrap(), pose);
        let frame = Pose::at(Vec3::new(0.3 * i as f64, 0.0, 0.0));
        builder.joint(builder.joint_at(&format!("j{i}"), kind, above.replace(id), id, &frame));
    }
    builder.build().unwrap()
}

/// Best time per step over a few rounds, s.
fn best(rounds: usize, steps: usize, mut step: impl FnMut()) -> f64 {
    step();
    (0..rounds)
        .map(|_| {
            let from = Instant::now();
            (0..steps).for_each(|_| step());
            from.elapsed().as_secs_f64() / steps as f64
        })
        .fold(f64::INFINITY, f64::min)
}

fn ours(count: usize, threads: usize, steps: usize) -> f64 {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
    pool.install(|| {
        let (model, mut state) = free_bodies(count);
        let mut scheme = Variational::new(&model, &state);
        best(5, steps, || {
            scheme.step(&model, &mut state, H).unwrap();
        })
    })
}

fn rapier(count: usize, gyroscopic: bool, steps: usize) -> f64 {
    let mut world = PhysicsWorld::new();
    world.gravity = Vector::new(0.0, 0.0, -9.81);
    world.integration_parameters.dt = H;
    for i in 0..count {
        let (at, v, w) = motion(i);
        let vector = |v: Vec3| Vector::new(v.x, v.y, v.z);
        let mass = MassProperties::new(Vector::ZERO, 1.5, vector(MOMENTS));
        let body = RigidBodyBuilder::dynamic()
            .translation(vector(at))
            .linvel(vector(v))
            .angvel(vector(w))
            .can_sleep(false)
            .additional_mass_properties(mass)
            .build();
        let handle = world.bodies.insert(body);
        world.bodies[handle].enable_gyroscopic_forces(gyroscopic);
    }
    best(5, steps, || world.step())
}

fn main() {
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    println!("| free bodies | ns per body and step | ratio to rapier |");
    println!("|---|---|---|");
    let count = 10_000;
    let peer = rapier(count, true, 10) / count as f64 * 1e9;
    let line = |name: &str, ns: f64| println!("| {name} | {ns:.0} | {:.3} |", ns / peer);
    line("rapier, 10,000 bodies, gyroscopic forces on", peer);
    line("rapier, 10,000 bodies, off", rapier(count, false, 10) / count as f64 * 1e9);
    line("one body", ours(1, 1, 20_000) * 1e9);
    for count in [100, 1000, 10_000, 100_000] {
        let steps = (200_000 / count).clamp(2, 1000);
        line(&format!("{count} bodies, one thread"), ours(count, 1, steps) / count as f64 * 1e9);
    }
    line(&format!("10,000 bodies, {threads} threads"), ours(10_000, threads, 20) / 1e4 * 1e9);

    println!("\n| chain | links | µs per step | µs per link and step |");
    println!("|---|---|---|---|");
    for kind in [JointKind::Revolute, JointKind::Spherical] {
        for count in [1, 10, 100, 1000, 4000] {
            let (model, mut state) = chain(kind, count);
            let mut scheme = Variational::new(&model, &state);
            let time = best(3, (4000 / count).max(2), || {
                scheme.step(&model, &mut state, H).unwrap();
            }) * 1e6;
            println!("| {} | {count} | {time:.1} | {:.2} |", kind.word(), time / count as f64);
        }
    }
}
