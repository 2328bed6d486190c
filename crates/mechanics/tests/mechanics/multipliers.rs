//! Multipliers recovered on the tree are those of the textbook, and they are forces.

use crate::common::*;

/// Three states a step apart, around the time `t`.
fn around(model: &Model, start: &State, t: f64, h: f64) -> [State; 3] {
    let mut scheme = Variational::new(model, start);
    let mut state = start.clone();
    for _ in 1..(t / h).round() as usize {
        scheme.step(model, &mut state, h).unwrap();
    }
    let before = state.clone();
    scheme.step(model, &mut state, h).unwrap();
    let now = state.clone();
    scheme.step(model, &mut state, h).unwrap();
    [before, now, state]
}

/// What holds the joints in the middle of three states.
fn reactions(model: &Model, [before, now, after]: &[State; 3], h: f64) -> Reactions {
    let mut reactions = Reactions::default();
    reactions.read(model, before, now, after, h).unwrap();
    reactions
}

#[test]
fn the_tree_gives_the_multipliers_of_the_scheme_that_solves_for_them() {
    let h = 5e-3;
    for (name, (model, start)) in mechanisms::all_with_chains() {
        let states = around(&model, &start, 0.2, h);
        let reactions = reactions(&model, &states, h);
        let [before, now, mut next] = states;
        let mut scheme = Multipliers::new(&model, &start);
        scheme.step_pair(&model, &before, &now, &mut next, h).unwrap();
        let (found, expected) = (reactions.multipliers(), scheme.multipliers());
        assert_eq!(found.len(), expected.len());
        let scale = expected.iter().fold(0f64, |s, v| s.max(v.abs()));
        let worst = found.iter().zip(expected).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
        println!("{name:12} {} multipliers up to {scale:.1}, off by {worst:.1e}", found.len());
        // Differences of placements, divided twice by the step.
        assert!(worst < 1e-15 / (h * h) * 100.0 * (1.0 + scale), "{name}: {worst:e}");
        assert!(scale > 1e-3);
    }
}

/// Covectors on twelve numbers for each body.
fn put(row: &mut [f64], body: usize, form: &LinearForm) {
    row[12 * body..12 * body + 3].iter_mut().zip(form.force.iter()).for_each(|(r, v)| *r += v);
    row[12 * body + 3..12 * body + 12].iter_mut().zip(form.moment.iter()).for_each(|(r, v)| *r += v);
}

#[test]
fn the_tree_gives_the_dense_least_squares_of_the_definition() {
    let h = 5e-3;
    for kind in ALL_KINDS {
        let (model, start) = chain(kind, 3);
        let states = around(&model, &start, 0.2, h);
        let now = &states[1];
        // q, M, V and g written anew: 36 numbers, gravity alone.
        let q = |s: &State, k: usize| -> f64 {
            let (body, i) = (k / 12, k % 12);
            if i < 3 { s.positions[body][i] } else { s.rotations[body][((i - 3) % 3, (i - 3) / 3)] }
        };
        let n = 12 * model.moving();
        let imbalance = DVector::from_fn(n, |k, _| {
            let (link, i) = (&model.links[k / 12], k % 12);
            let weight = if i < 3 { link.mass } else { 0.5 * link.inertia.sum() - link.inertia[(i - 3) / 3] };
            let pull = if i < 3 { link.mass * model.gravity[i] } else { 0.0 };
            let [a, b, c] = [0, 1, 2].map(|s| q(&states[s], k));
            weight * (b - a) / h - weight * (c - b) / h + h * pull
        });
        let mut rows: Vec<Vec<f64>> = Vec::new();
        let pairs = [(0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2)];
        for (slot, link) in model.links.iter().enumerate() {
            for (a, b) in pairs {
                let mut row = vec![0.0; n];
                for i in 0..3 {
                    row[12 * slot + 3 + 3 * a + i] = now.rotations[slot][(i, b)];
                    row[12 * slot + 3 + 3 * b + i] = now.rotations[slot][(i, a)];
                }
                rows.push(row);
            }
            let placed = |slot: usize| (&now.positions[slot], &now.rotations[slot]);
            for &row in link.joint.rows() {
                let value = link.joint.row(row, link.parent.map(placed), placed(slot));
                let mut row = vec![0.0; n];
                put(&mut row, slot, &value.child);
                if let Some(p) = link.parent {
                    put(&mut row, p, &value.parent);
                }
                rows.push(row);
            }
        }
        let g = DMatrix::from_fn(rows.len(), n, |r, c| rows[r][c]);
        let expected = (&g * g.transpose()).lu().solve(&(&g * imbalance / h)).unwrap();
        let reactions = reactions(&model, &states, h);
        let worst = (DVector::from_column_slice(reactions.multipliers()) - &expected).amax();
        println!("{kind:?}: off by {worst:.1e} of {:.1}", expected.amax());
        assert!(worst < 1e-9 * (1.0 + expected.amax()), "{kind:?}");
    }
}

#[test]
fn a_body_at_rest_is_held_by_its_weight() {
    let mut builder = falling();
    let pose = Pose::new(Rotation3::from_scaled_axis(Vec3::new(0.3, -0.8, 0.2)), Vec3::new(0.4, 0.1, 0.2));
    let id = builder.body(link("held"), pose);
    let frame = Pose::new(Rotation3::from_scaled_axis(Vec3::new(1.0, 0.3, 0.0)), Vec3::new(0.1, 0.0, 0.0));
    builder.joint(builder.joint_at("weld", JointKind::Fixed, None, id, &frame));
    let (model, start) = builder.build().unwrap();
    let states = around(&model, &start, 0.1, 1e-2);
    let (reactions, now) = (reactions(&model, &states, 1e-2), &states[1]);
    let found = reactions.joint(0);
    let weight = Vec3::new(0.0, 0.0, 1.2 * 9.81);
    let arm = now.positions[0] - Vec3::new(0.1, 0.0, 0.0);
    assert!((found.point - Vec3::new(0.1, 0.0, 0.0)).norm() < 1e-15);
    assert!((found.force - weight).norm() < 1e-12, "{found:?}");
    assert!((found.torque - arm.cross(&weight)).norm() < 1e-12, "{found:?}");
}

#[test]
fn a_wheel_out_of_balance_pulls_at_its_bearing() {
    // Turning about a vertical axis through a point off the centre, without gravity: the bearing turns the mass around.
    let mut builder = ModelBuilder::new();
    let id = builder.body(link("wheel"), Pose::identity());
    let axis = Pose::at(Vec3::new(-0.3, 0.0, 0.0));
    let joint = builder.joint(builder.joint_at("axle", JointKind::Revolute, None, id, &axis));
    builder.rates(joint, &[5.0]);
    let (model, start) = builder.build().unwrap();
    let errors = [2e-3, 1e-3].map(|h| {
        let states = around(&model, &start, 0.1, h);
        let reactions = reactions(&model, &states, h);
        let found = reactions.joint(0);
        let mut arm = states[1].positions[0] - Vec3::new(-0.3, 0.0, 0.0);
        arm.z = 0.0;
        assert!(found.torque.z.abs() < 1e-9);
        (found.force + arm * (1.2 * 25.0)).norm()
    });
    assert!(errors[0] < 1e-3 && (errors[0] / errors[1] - 4.0).abs() < 0.2, "{errors:?}");
}

#[test]
fn hidden_constraints_hold_for_projected_momenta_and_up_to_the_square_of_the_step_for_others() {
    for (name, (model, start)) in mechanisms::all_with_chains() {
        if name == "Fixed" {
            continue;
        }
        let [coarse, fine] = [4e-3, 2e-3].map(|h| {
            let [before, now, after] = around(&model, &start, 0.2, h);
            let hidden = hidden_violation(&model, &before, &now, &after, h).unwrap();
            let mut instant = Instant::default();
            instant.read(&model, &before, &now, &after, h).unwrap();
            (hidden, instant.hamiltonian() - instant.projected_hamiltonian())
        });
        let (ratio, energy) = (coarse.0.unprojected / fine.0.unprojected, coarse.1 / fine.1);
        assert!(coarse.0.projected.max(fine.0.projected) < 1e-12, "{name}");
        // Projection takes energy away, and only that of the part it removes: the square of the violation.
        assert!(fine.1 > -1e-12, "{name}");
        if coarse.0.unprojected > 1e-9 {
            assert!((ratio - 4.0).abs() < 0.4, "{name}: {ratio}");
        }
        if coarse.1 > 1e-8 {
            assert!((energy - 16.0).abs() < 3.0, "{name}: {energy}");
        }
    }
}

#[test]
fn the_discrete_energy_is_the_ledgers() {
    let h = 5e-3;
    for (name, (model, mut state)) in mechanisms::all_with_chains() {
        let mut ledger = Ledger::new(&model, &state).unwrap();
        let mut scheme = Variational::new(&model, &state);
        for _ in 0..20 {
            let before = state.clone();
            scheme.step(&model, &mut state, h).unwrap();
            let entry = ledger.record(&model, &before, &state, h, None).unwrap();
            let found = discrete_energy(&model, &before, &state, h).unwrap();
            assert!((found - entry.discrete_energy).abs() < 1e-10, "{name}: {found} {entry:?}");
        }
        // The projected Hamiltonian is what the ledger calls energy.
        let [before, now, after] = around(&model, &state, 2.0 * h, h);
        let mut instant = Instant::default();
        instant.read(&model, &before, &now, &after, h).unwrap();
        let ledger = Ledger::new(&model, &now).unwrap();
        assert!((instant.projected_hamiltonian() - ledger.initial().energy()).abs() < 1e-11, "{name}");
    }
}
