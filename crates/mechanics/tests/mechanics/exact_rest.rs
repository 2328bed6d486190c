//! Decaying bounces and contacts at rest under the exact scheme.

use crate::common::*;

fn dropped(body: Body, height: f64, restitution: f64) -> (Model, State) {
    let mut builder = level(restitution, 0.0);
    builder.body(body, Pose::at(Vec3::new(0.0, 0.0, height)));
    builder.build().unwrap()
}

#[test]
fn a_ball_and_a_flat_cube_bounce_in_a_geometric_series_and_come_to_rest() {
    let (ball, cube) = (sphere("ball", 0.1, 500.0), cube("cube", 0.2));
    for (body, e) in [(ball.clone(), 0.5), (ball, 0.8), (cube.clone(), 0.5), (cube, 0.8)] {
        let name = body.name.clone();
        let (model, state) = dropped(body, 0.8, e);
        let mut run = exactly(model, state, 0.01, &ContactOptions::default());
        let mut times = Vec::new();
        let mut rests = 0;
        for _ in 0..600 {
            run.step().unwrap();
            let inside = run.step_record().unwrap();
            let impacts = inside.impacts.iter().filter(|impact| impact.kind == ImpactKind::Impact);
            times.extend(impacts.map(|impact| impact.time));
            rests += inside.rests;
        }
        // t0 = sqrt(2 H/g); the k-th bounce lasts 2 t0 e^k.
        let fall = (2.0 * 0.7 / G).sqrt();
        let mut expected = fall;
        for (k, time) in times.iter().take(12).enumerate() {
            assert!((time - expected).abs() < 1e-11, "{name} e = {e}: bounce {k} at {time}, {expected}");
            expected += 2.0 * fall * e.powi(k as i32 + 1);
        }
        let rest = fall * (1.0 + e) / (1.0 - e);
        assert!((times.last().unwrap() - rest).abs() < 1e-2, "{name}: {:?} {rest}", times.last());
        let height = run.state().positions[0].z;
        assert!(times.len() >= 12 && rests > 100, "{name}: {} {rests}", times.len());
        assert!((height - 0.1).abs() < 1e-12, "{name}: {height}");
        assert!(run.ledger().latest().kinetic < 1e-20);
        // Restitution and projection account for the change of energy.
        assert!(run.ledger().extremes().energy_error < 1e-11);
    }
}

#[test]
fn a_cube_on_the_floor_stays_at_rest() {
    for e in [0.0, 0.5, 1.0] {
        let (model, state) = dropped(cube("cube", 0.2), 0.1, e);
        let mut run = exactly(model, state, 0.01, &ContactOptions::default());
        for _ in 0..1000 {
            run.step().unwrap();
            let pose = run.model().pose(run.state(), 1);
            assert!((pose.position - Vec3::new(0.0, 0.0, 0.1)).norm() < 1e-12, "e = {e}: {pose:?}");
            assert!(pose.rotation.angle() < 1e-12, "e = {e}: {pose:?}");
        }
        assert!(run.ledger().latest().kinetic < 1e-20, "e = {e}");
    }
}

#[test]
fn a_plastic_cube_tips_over_its_edge_and_lies_flat() {
    let mut builder = level(0.0, 0.0);
    let turn = Rotation3::from_scaled_axis(Vec3::new(0.3, 0.1, 0.0));
    builder.body(cube("cube", 0.2), Pose::new(turn, Vec3::new(0.0, 0.0, 0.3)));
    let (model, state) = builder.build().unwrap();
    let mut sim = exactly(model, state, 2e-3, &ContactOptions::default());
    run(&mut sim, 2000);
    let (height, axes) = (sim.state().positions[0].z, sim.state().rotations[0]);
    let upright = axes.row(2).amax();
    assert!((height - 0.1).abs() < 1e-6, "{height}");
    assert!(upright > 1.0 - 1e-9, "{upright}");
}
