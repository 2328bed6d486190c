//! The exact scheme misses no collision: thin, fast and spinning bodies, thrown pairs against the reference, balls, bead chains.

use crate::common::events::{Contact, Motion, Pair, thrown};
use crate::common::*;

/// Impacts of a run.
fn played((model, state): (Model, State), h: f64, steps: usize) -> (Vec<Impact>, Simulation) {
    let mut run = exactly(model, state, h, &ContactOptions::default());
    (impacts(&mut run, steps), run)
}

#[test]
fn a_bullet_does_not_pass_through_a_sheet_in_one_step() {
    // 1 mm thick, 100 m/s: the bullet moves one metre in the step, and the trial step ends far behind the sheet.
    let mut builder = ModelBuilder::new();
    let sheet = brick("sheet", Vec3::new(1e-3, 1.0, 1.0), 1000.0);
    builder.body(sheet, Pose::identity());
    let bullet = brick("bullet", Vec3::new(1e-3, 2e-3, 2e-3), 8000.0);
    let id = builder.body(bullet, Pose::at(Vec3::new(-0.5, 0.0, 0.0)));
    builder.velocity(id, Vec3::new(100.0, 0.0, 0.0), Vec3::zeros());
    builder.contact(surface(1.0, 0.0));
    let (met, run) = played(builder.build().unwrap(), 0.01, 3);
    assert_eq!(met.len(), 1);
    assert!((met[0].time - 0.499 / 100.0).abs() < 1e-15, "{}", met[0].time);
    assert!(linear(&run.ledger().twists()[1]).x < 0.0, "it bounces");
    assert!(run.ledger().extremes().energy_error < 1e-12 * run.ledger().initial().kinetic);
}

#[test]
fn a_spinning_blade_hits_a_post_that_it_has_passed_by_the_end_of_the_trial_step() {
    // The blade turns by 1.2 rad in a step; the post is halfway, and the trial step ends separated from it.
    let blade = |name: &str| brick(name, Vec3::new(1.0, 0.02, 0.02), 500.0);
    let mut builder = ModelBuilder::new();
    let id = builder.body(blade("blade"), Pose::identity());
    builder.velocity(id, Vec3::zeros(), Vec3::new(0.0, 0.0, 1.2f64.sin() / 0.01));
    let at = Vec3::new(0.45 * 0.6f64.cos(), 0.45 * 0.6f64.sin(), 0.0);
    builder.body(brick("post", Vec3::new(0.02, 0.02, 1.0), 50_000.0), Pose::at(at));
    builder.contact(surface(1.0, 0.0));
    let (model, state) = builder.build().unwrap();
    let mut apart = state.clone();
    Variational::new(&model, &apart).step(&model, &mut apart, 0.01).unwrap();
    assert!(model.contacts.as_ref().unwrap().deepest(&apart).is_none(), "the trial ends apart");
    let (met, _) = played((model, state), 0.01, 1);
    assert!(!met.is_empty());
    assert!(met[0].time > 0.001 && met[0].time < 0.006, "{}", met[0].time);
}

/// The model of a reference pair.
fn built(pair: &Pair, start: &[Motion; 2]) -> (Model, State) {
    let mut builder = ModelBuilder::new();
    for (k, (truth, motion)) in pair.solids.iter().zip(start).enumerate() {
        let solid = Solid::Polytope(Polytope::from_vertices(&truth.vertices).unwrap());
        let properties = solid.mass_properties().unwrap();
        let body =
            Body::of_density(&format!("body-{k}"), &properties, truth.mass / properties.volume).unwrap();
        let pose = Pose::new(Rotation3::from_matrix_unchecked(motion.rotation), motion.position);
        let id = builder.body(body.with_shape(solid, Pose::identity()), pose);
        builder.velocity(id, motion.velocity, truth.spin(motion));
    }
    builder.contact(surface(pair.restitution, 0.0));
    builder.build().unwrap()
}

#[test]
fn thrown_polyhedra_collide_at_the_times_and_points_of_the_reference() {
    let (mut met, mut edges, mut worst) = (0, 0, 0.0f64);
    for (i, (pair, start)) in thrown(7, 60, 1.0).into_iter().enumerate() {
        let Ok(history) = pair.run(&start, 1.0) else { continue };
        let times = history.times();
        let h = 2.5e-4;
        let (found, run) = played(built(&pair, &start), h, 4000);
        let extremes = run.ledger().extremes();
        assert!(extremes.energy_error < 1e-12 && extremes.angular_error < 1e-12, "{extremes:?}");
        assert_eq!(found.is_empty(), times.is_empty(), "{i}: {found:?} {times:?}");
        let Some(first) = found.first() else { continue };
        // Flight is of second order: rotations of a few radians, errors of about (ω h)² rad.
        let off = (first.time - times[0]).abs();
        worst = worst.max(off);
        assert!(off < 2e-5, "{i}: {off:e}");
        let truth = &history.impacts[0];
        assert!((first.point - truth.point).norm() < 1e-4, "{i}");
        assert!((first.normal + truth.normal).norm() < 1e-4, "{i}: {} {}", first.normal, truth.normal);
        assert!((first.impulse.norm() - truth.impulse.abs()).abs() < 1e-3 * truth.impulse.abs(), "{i}");
        met += 1;
        edges += usize::from(matches!(truth.contact, Contact::EdgeOnEdge { .. }));
    }
    println!("{met} pairs met, {edges} of them edge on edge, first impacts within {worst:.1e} s");
    assert!(met > 40 && edges > 5, "{met} {edges}");
}

#[test]
fn balls_collide_as_in_the_textbook() {
    // Oblique: the impulse acts along the line of centres only. e = 0.5, unequal masses.
    let mut builder = ModelBuilder::new();
    let a = builder.body(sphere("a", 0.1, 1000.0), Pose::identity());
    let b = builder.body(sphere("b", 0.2, 500.0), Pose::at(Vec3::new(1.0, 0.15, 0.0)));
    let (va, vb) = (Vec3::new(2.0, 0.0, 0.1), Vec3::new(-1.0, 0.0, 0.0));
    builder.velocity(a, va, Vec3::new(0.0, 3.0, 1.0));
    builder.velocity(b, vb, Vec3::zeros());
    builder.contact(surface(0.5, 0.0));
    let (model, state) = builder.build().unwrap();
    let (ma, mb) = (model.links[0].mass, model.links[1].mass);
    let (met, run) = played((model, state), 0.01, 100);
    assert_eq!(met.len(), 1);
    let (r, v) = (Vec3::new(-1.0, -0.15, 0.0), va - vb);
    let half = r.dot(&v);
    let t = (-half - (half * half - v.norm_squared() * (r.norm_squared() - 0.09)).sqrt()) / v.norm_squared();
    assert!((met[0].time - t).abs() < 1e-15, "{} {t}", met[0].time);
    let n = (r + v * t) / 0.3;
    let j = -1.5 * n.dot(&v) / (1.0 / ma + 1.0 / mb);
    let twists = run.ledger().twists();
    assert!((linear(&twists[0]) - (va + n * (j / ma))).norm() < 1e-14);
    assert!((linear(&twists[1]) - (vb - n * (j / mb))).norm() < 1e-14);
    let lost = run.ledger().source("contact").unwrap().energy;
    let expected = -0.5 * (1.0 - 0.25) * n.dot(&v).powi(2) / (1.0 / ma + 1.0 / mb);
    assert!((lost - expected).abs() < 1e-13 * expected.abs(), "{lost} {expected}");
    assert!(run.ledger().extremes().energy_error < 1e-13);
}

#[test]
fn a_gas_of_balls_in_a_box_conserves_energy_through_thousands_of_collisions() {
    let mut builder = ModelBuilder::new();
    walls(&mut builder, Vec3::repeat(1.0));
    let mut random = Random::new(3);
    for i in 0..27 {
        let at = Vec3::new((i % 3) as f64, (i / 3 % 3) as f64, (i / 9) as f64) * 0.3 - Vec3::repeat(0.3);
        let ball = sphere(&format!("ball-{i}"), 0.1, 1000.0);
        free_body(&mut builder, ball, at, random.vector(), Vec3::zeros());
    }
    builder.contact(surface(1.0, 0.0));
    let (met, run) = played(builder.build().unwrap(), 0.01, 1000);
    let extremes = run.ledger().extremes();
    println!("{} impacts, energy {:.1e}", met.len(), extremes.energy_error / extremes.energy_scale());
    assert!(met.len() > 1000, "{}", met.len());
    assert!(extremes.energy_error < 1e-12 * extremes.energy_scale());
    // No ball has left, none is inside another.
    assert!(run.state().positions.iter().all(|x| x.amax() < 0.4 + 1e-9));
    for (i, x) in run.state().positions.iter().enumerate() {
        assert!(run.state().positions[..i].iter().all(|y| (x - y).norm() > 0.2 - 1e-12));
    }
}

#[test]
fn a_chain_of_beads_in_a_box_collides_a_thousand_times_without_drift() {
    let (model, state) = beads();
    let mut run = exactly(model, state, 0.1, &ContactOptions::default());
    let (mut count, mut quick, mut last) = (0, 0, f64::NEG_INFINITY);
    let mut course = Vec::new();
    while count < 1000 {
        let entry = run.step().unwrap();
        for impact in &run.step_record().unwrap().impacts {
            quick += usize::from(impact.time - last < 0.1);
            (count, last) = (count + 1, impact.time);
        }
        course.push(entry.measure.energy());
    }
    let extremes = run.ledger().extremes();
    let initial = run.ledger().initial().energy();
    let mean = |part: &[f64]| part.iter().sum::<f64>() / part.len() as f64 / initial - 1.0;
    let half = course.len() / 2;
    let (early, late) = (mean(&course[..half]), mean(&course[half..]));
    assert!(quick >= 1, "{quick}");
    // Published: fluctuations of the order of 1e-4.
    assert!(extremes.energy_error < 3e-4 * initial, "{:e}", extremes.energy_error);
    assert!((early - late).abs() < 2e-4, "no drift: {early:e} {late:e}");
    assert!(extremes.position_violation < 1e-13, "the links keep their length");
    let room = Vec3::new(3.9, 4.9, 6.9);
    assert!(run.state().positions.iter().all(|x| (x.abs() - room).max() < 1e-9));
}

#[test]
fn bodies_in_contact_that_separate_get_no_impulse() {
    // Two cubes face on face, moving apart; and side by side with equal velocities.
    let mut builder = ModelBuilder::new();
    let cube = |name: &str| brick(name, Vec3::repeat(1.0), 1.0);
    builder.body(cube("a"), Pose::identity());
    let b = builder.body(cube("b"), Pose::at(Vec3::x()));
    builder.body(cube("c"), Pose::at(-Vec3::x()));
    builder.velocity(b, Vec3::new(0.1, 0.0, 0.0), Vec3::zeros());
    builder.contact(ContactSpec::default());
    let (met, run) = played(builder.build().unwrap(), 0.1, 10);
    assert!(met.is_empty(), "{met:?}");
    assert_eq!(run.ledger().extremes().energy_error, 0.0);
}
