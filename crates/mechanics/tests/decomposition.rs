//! The decomposition scheme: impacts have the outcomes of textbooks, and what is not conserved is the projection's doing.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod decomposition_world;

use decomposition_world::*;
use percussion_geometry::Vec3;
use percussion_mechanics::ModelBuilder;
use percussion_mechanics::contact::{ContactOptions, ContactSpec, ImpactLaw};

const LAWS: [ImpactLaw; 3] = [ImpactLaw::Sum, ImpactLaw::Sequential, ImpactLaw::Moreau];

fn with(law: ImpactLaw) -> ContactOptions {
    ContactOptions { law, ..ContactOptions::default() }
}

#[test]
fn newtons_cradle_hands_its_momentum_on_one_by_one() {
    for law in LAWS {
        let l = side();
        let places: Vec<f64> = [-1.5 * l].into_iter().chain((0..4).map(|k| 1.1 * l * f64::from(k))).collect();
        let h = 0.015;
        let mut sim =
            simulate(row(&places, &[0.105, 0.0, 0.0, 0.0, 0.0], ContactSpec::default()), with(law), h);
        let start = *sim.ledger().initial();
        assert!((start.energy() - 0.0336781).abs() < 1e-7, "{}", start.energy());
        let mut times = Vec::new();
        for _ in 0..200 {
            sim.advance().unwrap();
            times.extend(sim.transcript().unwrap().impacts.iter().map(|impact| impact.time));
        }
        println!("{law:?}: {times:?}");
        let exact = [1.346870, 1.616244, 1.885618, 2.154992];
        assert_eq!(times.len(), 4);
        for (found, exact) in times.iter().zip(exact) {
            println!("{} steps late", (found - exact) / h);
        }
        for k in 0..4 {
            assert!(motion(&sim, k).0.norm() < 1e-15);
        }
        let (v, w) = motion(&sim, 4);
        assert!((v - Vec3::new(0.105, 0.0, 0.0)).norm() < 1e-13 && w.norm() < 1e-12, "{v:?} {w:?}");
        let last = sim.ledger().latest();
        println!("{:e} {:e}", last.energy() - start.energy(), (last.linear - start.linear).norm());
        assert!((last.energy() - start.energy()).abs() < 1e-13 * start.energy());
        assert!((last.linear - start.linear).norm() < 1e-13 * start.linear.norm());
    }
}

#[test]
fn central_impact() {
    let mut builder = ModelBuilder::new();
    free_body(
        &mut builder,
        sphere("a", 0.1, 500.0),
        Vec3::new(-0.5, 0.0, 0.0),
        Vec3::new(2.0, 0.3, 0.0),
        Vec3::zeros(),
    );
    free_body(
        &mut builder,
        sphere("b", 0.2, 300.0),
        Vec3::new(0.5, 0.0, 0.0),
        Vec3::new(-0.1, 0.3, 0.0),
        Vec3::zeros(),
    );
    builder.contact(surface(0.5, 0.0));
    let mut sim = simulate(builder, ContactOptions::default(), 1e-2);
    let met = run_until_meeting(&mut sim, 100);
    println!("{met:?}");
    println!("{:?} {:?}", motion(&sim, 0), motion(&sim, 1));
}
