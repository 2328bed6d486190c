//! LCP time stepping: rest, sliding, stacks, energy.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod decomposition_world;

use decomposition_world::*;
use nalgebra::Rotation3;
use percussion_geometry::{Pose, Vec3};
use percussion_mechanics::schemes::{LcpOptions, Options, by_name};
use percussion_mechanics::{ModelBuilder, Simulation};

fn stepped(builder: ModelBuilder, lcp: LcpOptions, h: f64) -> Simulation {
    let (model, state) = builder.build_open().unwrap();
    let options = Options { lcp, ..Options::default() };
    let scheme = by_name("lcp", &model, &state, &options).unwrap();
    Simulation::new(model, state, scheme, h).unwrap()
}

/// Boxes of side one on each other.
fn stack(count: usize, mu: f64) -> ModelBuilder {
    let mut builder = ModelBuilder::new();
    builder.body(floor(), Pose::identity());
    builder.gravity(GRAVITY);
    for k in 0..count {
        builder.body(cube(&format!("box-{k}"), 1.0), Pose::at(Vec3::new(0.0, 0.0, 0.5 + k as f64)));
    }
    builder.contact(surface(0.0, mu));
    builder
}

#[test]
fn a_box_at_rest_stays() {
    let mut sim = stepped(stack(1, 0.3), LcpOptions::default(), 0.01);
    let at = position(&sim, 1);
    for _ in 0..1000 {
        sim.advance().unwrap();
    }
    println!("{:e}", (position(&sim, 1) - at).norm());
    assert!((position(&sim, 1) - at).norm() < 1e-12);
}

#[test]
fn ten_boxes_stand_for_a_minute() {
    let mut sim = stepped(stack(10, 0.3), LcpOptions::default(), 0.01);
    let at: Vec<Vec3> = (1..=10).map(|k| position(&sim, k)).collect();
    let (mut worst, mut contacts, mut iterations) = (0.0_f64, 0, 0);
    for _ in 0..6000 {
        sim.advance().unwrap();
        let solve = sim.transcript().unwrap().solve.unwrap();
        worst = worst.max(solve.residual);
        contacts = contacts.max(solve.contacts);
        iterations = iterations.max(solve.iterations);
    }
    let drift = (1..=10).map(|k| (position(&sim, k) - at[k - 1]).norm()).fold(0.0, f64::max);
    println!("{drift:e} {worst:e} {contacts} {iterations}");
    assert!(drift < 1e-6);
}

#[test]
fn blocks_stick_or_slide_on_a_slope() {
    for (angle, mu) in [(0.2_f64, 0.3), (0.3, 0.1), (0.29, 0.3), (0.4, 0.2)] {
        let mut builder = ModelBuilder::new();
        builder.body(floor(), Pose::identity());
        builder.gravity(Vec3::new(9.81 * angle.sin(), 0.0, -9.81 * angle.cos()));
        builder.body(cuboid("block", 0.4, 0.4, 0.2), Pose::at(Vec3::new(0.0, 0.0, 0.1)));
        builder.contact(surface(0.0, mu));
        let mut sim = stepped(builder, LcpOptions::default(), 0.01);
        for _ in 0..100 {
            sim.advance().unwrap();
        }
        let (v, _) = motion(&sim, 1);
        let expected = (9.81 * (angle.sin() - mu * angle.cos())).max(0.0);
        println!("{angle} {mu} {v:?} {expected}");
        assert!((v.x - expected).abs() < 1e-9 && v.z.abs() < 1e-9);
    }
}

#[test]
fn energy_never_grows() {
    let mut builder = ModelBuilder::new();
    builder.body(floor(), Pose::identity());
    builder.gravity(GRAVITY);
    for k in 0..6 {
        let f = |i: usize| ((k * 7 + i) as f64 * 2.3).sin();
        let turn = Rotation3::from_scaled_axis(Vec3::new(f(0), f(1), f(2)) * 2.0);
        let body = cuboid(&format!("box-{k}"), 0.3, 0.5, 0.8);
        let id = builder.body(body, Pose::new(turn, Vec3::new(0.3 * f(3), 0.3 * f(4), 0.8 + k as f64)));
        builder.velocity(id, Vec3::new(f(5), f(6), -1.0), Vec3::new(5.0 * f(7), 6.0 * f(8), 7.0 * f(9)));
    }
    builder.contact(surface(0.0, 0.4));
    let mut sim = stepped(builder, LcpOptions::default(), 0.01);
    let mut last = sim.ledger().latest().energy();
    let (mut worst, mut eased, mut overlap) = (0.0_f64, 0, 0.0_f64);
    for _ in 0..1000 {
        sim.advance().unwrap();
        let energy = sim.ledger().latest().energy();
        worst = worst.max((energy - last) / last.abs());
        last = energy;
        let inside = sim.transcript().unwrap();
        eased += usize::from(inside.solve.unwrap().eased < 1.0);
        overlap = overlap.max(inside.infeasibility.unwrap());
    }
    println!("gain {worst:e} eased {eased} overlap {overlap:e} kinetic {:e}", sim.ledger().latest().kinetic);
    assert!(worst < 1e-9);
}
