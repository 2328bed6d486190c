//! The exact scheme against an independent event-driven reference.
#![allow(clippy::unwrap_used)]

mod common;

use common::collisions::{exactly, flying};
use common::events::{tilted_brick, tilted_cube};
use percussion_mechanics::contact::ContactOptions;

#[test]
fn look() {
    for (name, (flight, start)) in [("cube", tilted_cube()), ("brick", tilted_brick())] {
        let history = flight.run(&start, 2.3).unwrap();
        let times = history.times();
        println!("{name} reference {times:?}");
        for h in [0.01, 0.005, 0.0025] {
            let (model, state) = flying(&flight, &start);
            let mut run = exactly(model, state, h, &ContactOptions::default());
            let mut found = Vec::new();
            for _ in 0..(2.3f64 / h).round() as usize {
                run.advance().unwrap();
                found.extend(run.transcript().unwrap().impacts.iter().map(|i| i.time));
            }
            let errors: Vec<f64> = found.iter().zip(&times).map(|(a, b)| a - b).collect();
            println!(
                "{h}: {found:?}\n   {errors:?} energy {:e} L {:e}",
                run.ledger().extremes().energy_error / run.ledger().extremes().energy_scale(),
                run.ledger().extremes().angular_error
            );
        }
    }
}
