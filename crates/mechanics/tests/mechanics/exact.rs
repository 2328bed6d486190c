//! The exact scheme against an independent event-driven reference, closed forms and conservation laws.

use crate::common::events::{Flight, Motion, quick_pair, tilted_brick, tilted_cube};
use crate::common::*;

/// Orders measured by halving the step, of one impact's time and of the state at `until`.
fn orders(start: (Flight, Motion), impact: usize, steps: [f64; 3], until: f64) -> (f64, f64) {
    let (flight, start) = start;
    let history = flight.run(&start, until + 0.01).unwrap();
    let errors = steps.map(|h| {
        let (times, off) = against(&flight, &start, &history, h, until);
        let expected = history.times().iter().filter(|&&time| time < until).count();
        assert_eq!(times.len(), expected, "h = {h}: {times:?}");
        ((times[impact] - history.times()[impact]).abs(), off)
    });
    let order = |coarse: f64, fine: f64| (coarse / fine).ln() / (steps[1] / steps[2]).ln();
    (order(errors[1].0, errors[2].0), order(errors[1].1, errors[2].1))
}

#[test]
fn impact_times_and_states_converge_at_order_two() {
    for (name, start, impact, until) in [
        ("cube", tilted_cube(), 1, 1.0),
        ("cube, third", tilted_cube(), 2, 1.4),
        ("brick", tilted_brick(), 1, 1.0),
        ("brick, third", tilted_brick(), 2, 1.3),
    ] {
        let (time, state) = orders(start, impact, [2e-3, 1e-3, 5e-4], until);
        assert!((time - 2.0).abs() < 0.06 && (state - 2.0).abs() < 0.06, "{name}: {time} {state}");
    }
}

#[test]
fn two_impacts_within_half_a_step_converge_too() {
    // 2.35 ms apart: within half of the largest step, and within one step of all.
    for impact in [1, 2] {
        let (time, state) = orders(quick_pair(), impact, [5e-3, 2.5e-3, 1.25e-3], 0.5);
        assert!((time - 2.0).abs() < 0.15 && (state - 2.0).abs() < 0.15, "{impact}: {time} {state}");
    }
}

#[test]
fn a_tilted_elastic_cube_and_brick_conserve_energy_and_vertical_angular_momentum_for_ten_seconds() {
    for (name, (flight, start)) in [("cube", tilted_cube()), ("brick", tilted_brick())] {
        let (model, state) = flying(&flight, &start);
        let mut run = exactly(model, state, 0.01, &ContactOptions::default());
        let spin = run.ledger().initial().angular.z;
        let (mut impacts, mut drift) = (0, 0.0f64);
        for _ in 0..1000 {
            run.step().unwrap();
            impacts += run.step_record().unwrap().impacts.len();
            drift = drift.max((run.ledger().latest().angular.z - spin).abs());
        }
        let extremes = run.ledger().extremes();
        let energy = extremes.energy_error / extremes.energy_scale();
        let (linear, angular) = (extremes.linear_error, extremes.angular_error);
        assert!(impacts > 20 && energy < 1e-12, "{name}: {energy:e}");
        assert!(drift < 1e-12 * extremes.angular.max(1e-3), "{name}: {drift:e}");
        // Sums of a thousand steps, to which gravity brings up to 8 N s each way.
        assert!(linear < 1e-12 && angular < 1e-12, "{name}: {linear:e} {angular:e}");
    }
}

#[test]
fn a_cradle_transfers_its_momentum_at_the_analytic_times() {
    for energy in [EnergyJumpCondition::Projected, EnergyJumpCondition::Discrete] {
        for law in [ImpactLaw::Moreau, ImpactLaw::Sum, ImpactLaw::Sequential] {
            let (model, state) = cradle_one(surface(1.0, 0.0)).build().unwrap();
            let options = ContactOptions { energy, law, ..ContactOptions::default() };
            let mut run = exactly(model, state, 0.01, &options);
            let met = impacts(&mut run, 300);
            // l/2 at 0.105 m/s, then l/10 each.
            assert_eq!(met.len(), 4);
            for (k, impact) in met.iter().enumerate() {
                assert_eq!(impact.bodies, (k, k + 1));
                let expected = (0.5 + 0.1 * k as f64) * CRADLE / 0.105;
                assert!((impact.time - expected).abs() < 1e-12, "{} {expected}", impact.time);
            }
            for (k, twist) in run.ledger().twists().iter().enumerate() {
                let v = if k == 4 { 0.105 } else { 0.0 };
                assert!((linear(twist) - Vec3::new(v, 0.0, 0.0)).norm() < 1e-14);
                assert!(twist.fixed_rows::<3>(3).norm() < 1e-14, "no rotation");
            }
            let extremes = run.ledger().extremes();
            assert!((run.ledger().initial().kinetic - 0.0336781).abs() < 1e-7);
            assert!(extremes.energy_error < 1e-14 && extremes.angular_error < 1e-14);
        }
    }
}

#[test]
fn a_cradle_hit_from_both_sides_stays_symmetric_with_its_middle_at_rest() {
    for law in [ImpactLaw::Moreau, ImpactLaw::Sum] {
        let (model, state) = cradle_two(surface(1.0, 0.0)).build().unwrap();
        let options = ContactOptions { law, ..ContactOptions::default() };
        let mut run = exactly(model, state, 0.01, &options);
        let met = impacts(&mut run, 300);
        let triple = 0.51 * CRADLE / 0.105;
        assert!((triple - 1.373807).abs() < 1e-6);
        let at_once: Vec<_> = met.iter().filter(|impact| (impact.time - triple).abs() < 1e-9).collect();
        assert_eq!(at_once.len(), 2, "both sides of the middle cube at one instant: {met:?}");
        assert_eq!(at_once[0].time, at_once[1].time);
        let twists = run.ledger().twists();
        for (k, v) in [-0.105, 0.0, 0.0, 0.0, 0.105].into_iter().enumerate() {
            assert!((linear(&twists[k]) - Vec3::new(v, 0.0, 0.0)).norm() < 1e-13, "{k}: {}", twists[k]);
        }
        assert!(run.ledger().extremes().energy_error < 1e-14);
    }
}

/// The states at both ends of the intervals between the nodes of the last step of a single island.
fn intervals(run: &Simulation, before: &State, h: f64) -> Vec<(State, State, f64)> {
    let inside = run.step_record().unwrap();
    let mut states = vec![(0.0, before.clone())];
    for node in &inside.nodes {
        let mut state = before.clone();
        for (slot, place) in inside.places[node.places..].iter().take(state.positions.len()).enumerate() {
            state.positions[slot] = place.position;
            state.rotations[slot] = place.rotation;
        }
        states.push((node.since, state));
    }
    states.push((h, run.state().clone()));
    states.windows(2).map(|w| (w[0].1.clone(), w[1].1.clone(), w[1].0 - w[0].0)).collect()
}

#[test]
fn a_metronome_keeps_its_angular_momentum_zero_under_both_jump_conditions() {
    let h = 0.015;
    let mut found = Vec::new();
    for energy in [EnergyJumpCondition::Projected, EnergyJumpCondition::Discrete] {
        let (model, state) = metronome().build().unwrap();
        let options = ContactOptions { energy, ..ContactOptions::default() };
        let mut run = exactly(model, state, h, &options);
        let (mut times, mut spin) = (Vec::new(), 0.0f64);
        let (mut of_intervals, mut of_momenta) = ((f64::MAX, f64::MIN), (f64::MAX, f64::MIN));
        let widen = |range: &mut (f64, f64), x: f64| *range = (range.0.min(x), range.1.max(x));
        for _ in 0..667 {
            let before = run.state().clone();
            let entry = run.step().unwrap();
            spin = spin.max(entry.measure.angular.norm());
            widen(&mut of_intervals, entry.discrete_energy);
            widen(&mut of_momenta, entry.measure.energy());
            let inside = run.step_record().unwrap();
            times.extend(inside.impacts.iter().map(|impact| impact.time));
            if !inside.impacts.is_empty() && energy == EnergyJumpCondition::Discrete {
                let [first, second] = [0, 1].map(|k| {
                    let (from, to, length) = &intervals(&run, &before, h)[k];
                    discrete_energy(run.model(), from, to, *length).unwrap()
                });
                // Computed from configurations: their rounding over the shorter interval.
                assert!((first - second).abs() < 1e-9 * first, "{first} {second}");
            }
        }
        assert!(times.len() >= 15, "{}", times.len());
        assert!(spin < 1e-13, "{spin:e}");
        let width = |range: (f64, f64)| range.1 - range.0;
        assert!(width(of_momenta) < width(of_intervals), "H_d oscillates less than E_d");
        // Periodic: equal times between impacts.
        let gaps: Vec<f64> = times.windows(2).map(|w| w[1] - w[0]).collect();
        let mean = gaps.iter().sum::<f64>() / gaps.len() as f64;
        assert!(gaps.iter().all(|gap| (gap - mean).abs() < 1e-3 * mean), "{gaps:?}");
        found.push(times);
    }
    // The two conditions agree up to the error of the scheme.
    let apart = found[0].iter().zip(&found[1]).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
    assert!(apart < 2e-3, "{apart:e}");
}

#[test]
fn time_runs_backwards_through_flight_and_through_an_elastic_impact() {
    for steps in [30, 60] {
        let (flight, start) = tilted_brick();
        let (model, state) = flying(&flight, &start);
        let first = state.clone();
        let mut run = exactly(model.clone(), state, 0.01, &ContactOptions::default());
        let met = impacts(&mut run, steps).len();
        assert_eq!(met, usize::from(steps == 60));
        let mut back = run.state().clone();
        back.momenta.iter_mut().for_each(|p| *p = -*p);
        let mut run = exactly(model, back, 0.01, &ContactOptions::default());
        assert_eq!(impacts(&mut run, steps).len(), met);
        let off = apart(run.state(), &first);
        println!("{steps} steps there and back: {off:.1e}");
        assert!(off < 1e-9, "{off:e}");
    }
}
