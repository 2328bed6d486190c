#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]
mod decomposition_world;
use decomposition_world::*;
use nalgebra::Rotation3;
use percussion_geometry::{Pose, Vec3};
use percussion_mechanics::ModelBuilder;
use percussion_mechanics::contact::*;

#[test]
fn rest_box() {
    let mut b = ModelBuilder::new();
    b.gravity(GRAVITY);
    b.body(floor(), Pose::identity());
    free_body(&mut b, cube("c", 0.2), Vec3::new(0.3, 0.2, 0.1), Vec3::zeros(), Vec3::zeros());
    b.contact(surface(0.0, 0.5));
    let mut sim = simulate(b, ContactOptions::default(), 1e-3);
    let p = position(&sim, 1);
    let t = std::time::Instant::now();
    for _ in 0..10000 {
        sim.advance().unwrap();
    }
    println!(
        "rest drift {:e} rot {:e} time {:?}",
        (position(&sim, 1) - p).norm(),
        (sim.state().rotations[0] - nalgebra::Matrix3::identity()).norm(),
        t.elapsed()
    );
}
#[test]
fn stack() {
    for mu in [0.0, 0.5] {
        let mut b = ModelBuilder::new();
        b.gravity(GRAVITY);
        b.body(floor(), Pose::identity());
        for k in 0..5 {
            free_body(
                &mut b,
                cube(&format!("c{k}"), 0.2),
                Vec3::new(0.3 + 0.01 * (k as f64).sin(), 0.2, 0.1 + 0.2 * k as f64),
                Vec3::zeros(),
                Vec3::zeros(),
            );
        }
        b.contact(surface(0.0, mu));
        let mut sim = simulate(b, ContactOptions::default(), 1e-3);
        let p: Vec<_> = (1..6).map(|k| position(&sim, k)).collect();
        let t = std::time::Instant::now();
        for i in 0..2000 {
            if let Err(e) = sim.advance() {
                println!("{i} {e} {:?}", e.history);
                break;
            }
            if i % 400 == 0 {
                println!(
                    "{i} {:?} {:e}",
                    t.elapsed(),
                    (1..6).map(|k| (position(&sim, k) - p[k - 1]).norm()).fold(0.0, f64::max)
                );
            }
        }
        println!(
            "stack mu {mu}: drift {:e} K {:e} time {:?}",
            (1..6).map(|k| (position(&sim, k) - p[k - 1]).norm()).fold(0.0, f64::max),
            sim.ledger().latest().kinetic,
            t.elapsed()
        );
    }
}
#[test]
fn slide() {
    for h in [4e-3, 2e-3, 1e-3] {
        let mut b = ModelBuilder::new();
        b.gravity(GRAVITY);
        b.body(floor(), Pose::identity());
        free_body(&mut b, cube("c", 0.2), Vec3::new(0.0, 0.2, 0.1), Vec3::new(1.0, 0.0, 0.0), Vec3::zeros());
        b.contact(surface(0.0, 0.3));
        let mut sim = simulate(b, ContactOptions::default(), h);
        for _ in 0..(1.0 / h) as usize {
            sim.advance().unwrap();
        }
        let d = position(&sim, 1).x;
        let exact = 1.0 / (2.0 * 0.3 * 9.81);
        println!("slide h {h}: {d} {exact} err/h {} v {:?}", (d - exact) / h, motion(&sim, 1));
    }
}
#[test]
fn tilted() {
    for (e, mu, consistent, weigh) in
        [(1.0, 0.0, false, false), (1.0, 0.0, true, false), (1.0, 0.0, false, true), (0.6, 0.8, false, false)]
    {
        let mut b = ModelBuilder::new();
        b.gravity(GRAVITY);
        b.body(floor(), Pose::identity());
        b.body(
            cube("c", 0.2),
            Pose::new(Rotation3::from_scaled_axis(Vec3::new(0.4, 0.3, 0.1)), Vec3::new(0.0, 0.0, 0.8)),
        );
        b.contact(surface(e, mu));
        let mut sim =
            simulate(b, ContactOptions { consistent, weigh_potential: weigh, ..Default::default() }, 1e-3);
        let e0 = sim.ledger().initial().energy();
        let t = std::time::Instant::now();
        let mut worst = 0f64;
        let mut n = 0;
        for _ in 0..if mu > 0.0 { 6000 } else { 2000 } {
            sim.advance().unwrap();
            worst = worst.max((sim.ledger().latest().energy() - e0).abs());
            n += sim.transcript().unwrap().impacts.len();
        }
        println!(
            "tilted e {e} mu {mu} cons {consistent} weigh {weigh}: worst dE {worst:e} of {e0} impacts {n} K {:e} z {} scheme E {:e} L {:e} {:?}",
            sim.ledger().latest().kinetic,
            position(&sim, 1).z,
            cause(&sim, "scheme").energy,
            cause(&sim, "scheme").angular.norm(),
            t.elapsed()
        );
        println!(
            "   causes: {:?}",
            sim.ledger().causes().iter().map(|c| (c.name.clone(), c.energy, c.angular.z)).collect::<Vec<_>>()
        );
    }
}
#[test]
fn metro() {
    let mut sim = simulate(metronome(0.05, surface(1.0, 0.0)), ContactOptions::default(), 0.015);
    let e0 = *sim.ledger().initial();
    println!("L0 {:?} P0 {:?}", e0.angular, e0.linear);
    let mut times = vec![];
    let mut worst: f64 = 0.0;
    for _ in 0..2000 {
        sim.advance().unwrap();
        times.extend(sim.transcript().unwrap().impacts.iter().map(|i| (i.time, i.speed)));
        worst = worst.max((sim.ledger().latest().energy() - e0.energy()).abs());
    }
    println!("metro {} {:?} worst {worst:e} of {}", times.len(), &times[..4], e0.energy());
    println!(
        "   causes: {:?}",
        sim.ledger().causes().iter().map(|c| (c.name.clone(), c.energy, c.angular)).collect::<Vec<_>>()
    );
}
