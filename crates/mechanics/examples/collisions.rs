//! Accuracy of the exact scheme as a table: impact times and states against an independent event-driven integration, and what
//! long elastic runs keep.
//!
//! `cargo run --release -p percussion-mechanics --example collisions` prints markdown.
#![allow(missing_docs, clippy::unwrap_used, clippy::print_stdout)]

#[path = "../tests/common/mod.rs"]
mod common;

use common::collisions::{against, beads, cradle_one, exactly, flying, metronome, surface};
use common::events::{Flight, Motion, quick_pair, tilted_brick, tilted_cube};
use percussion_mechanics::response::{ContactOptions, EnergyJumpCondition};
use percussion_mechanics::{Model, State};

fn main() {
    println!(
        "Impact times and states (greatest displacement of a corner) against an event-driven integration of order 30:\n"
    );
    println!("| body | impact | h, s | time off by, s | order | state off by, m | order |");
    println!("|---|---|---|---|---|---|---|");
    converge("cube", tilted_cube(), 1, 1.0, 4e-3);
    converge("cube", tilted_cube(), 2, 1.4, 4e-3);
    converge("brick", tilted_brick(), 1, 1.0, 4e-3);
    converge("brick, first of two within h/2", quick_pair(), 1, 0.5, 5e-3);
    converge("brick, second of two within h/2", quick_pair(), 2, 0.5, 5e-3);
    println!("\nWhat elastic runs keep, relative to the maximum of the run:\n");
    println!("| run | h, s | time, s | impacts | energy | unaccounted angular momentum |");
    println!("|---|---|---|---|---|---|");
    let (flight, start) = tilted_cube();
    keep("tilted cube on a floor", flying(&flight, &start), 0.01, 10.0, EnergyJumpCondition::Projected);
    let (flight, start) = tilted_brick();
    keep("tilted brick on a floor", flying(&flight, &start), 0.01, 10.0, EnergyJumpCondition::Projected);
    keep(
        "Newton's cradle",
        cradle_one(surface(1.0, 0.0)).build().unwrap(),
        0.01,
        3.0,
        EnergyJumpCondition::Projected,
    );
    keep("metronome", metronome().build().unwrap(), 0.015, 10.0, EnergyJumpCondition::Projected);
    keep(
        "metronome, discrete energy",
        metronome().build().unwrap(),
        0.015,
        10.0,
        EnergyJumpCondition::Discrete,
    );
    keep("chain of beads in a box", beads(), 0.1, 2000.0, EnergyJumpCondition::Projected);
}

fn converge(name: &str, (flight, start): (Flight, Motion), impact: usize, until: f64, coarsest: f64) {
    let history = flight.run(&start, until + 0.01).unwrap();
    let mut last: Option<(f64, f64)> = None;
    for k in 0..4 {
        let h = coarsest * 0.5f64.powi(k);
        let (times, off) = against(&flight, &start, &history, h, until);
        let time = (times[impact] - history.times()[impact]).abs();
        let order = |now: f64, before: Option<f64>| {
            before.map_or_else(String::new, |before| format!("{:.3}", (before / now).log2()))
        };
        println!(
            "| {name} | {} | {h} | {time:.2e} | {} | {off:.2e} | {} |",
            impact + 1,
            order(time, last.map(|l| l.0)),
            order(off, last.map(|l| l.1))
        );
        last = Some((time, off));
    }
}

fn keep(name: &str, (model, state): (Model, State), h: f64, until: f64, energy: EnergyJumpCondition) {
    let options = ContactOptions { energy, ..ContactOptions::default() };
    let mut run = exactly(model, state, h, &options);
    let impacts = common::impacts(&mut run, (until / h).round() as usize).len();
    let extremes = run.ledger().extremes();
    let error = extremes.energy_error / extremes.energy_scale();
    let spin = match extremes.angular {
        size if size > 1e-9 => format!("{:.1e}", extremes.angular_error / size),
        _ => format!("{:.1e} (of none)", extremes.angular_error),
    };
    println!("| {name} | {h} | {until} | {impacts} | {error:.1e} | {spin} |");
}
