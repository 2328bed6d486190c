//! Mechanisms that close on themselves.

use crate::common::*;

/// A bar between two points of the x-z plane.
fn bar(builder: &mut ModelBuilder, name: &str, from: Vec3, to: Vec3) -> BodyId {
    let length = (to - from).norm();
    let across = 0.08 * length * length + 0.002;
    let inertia = Matrix3::from_diagonal(&Vec3::new(0.002, across, across));
    let along = (to - from) / length;
    let angle = -along.z.atan2(along.x);
    let pose = Pose::new(Rotation3::from_axis_angle(&Vec3::y_axis(), angle), 0.5 * (from + to));
    builder.body(Body::rigid(name, length, Vec3::zeros(), &inertia).unwrap(), pose)
}

/// Crank, coupler and rocker between four points, hinged to the world at the outer two, with a rate of the crank.
fn close_bars(builder: &mut ModelBuilder, [a, b, c, d]: [Vec3; 4], rate: f64) {
    let (crank, coupler) = (bar(builder, "crank", a, b), bar(builder, "coupler", b, c));
    let rocker = bar(builder, "rocker", d, c);
    // z of the joints along the world's y.
    let turn = Rotation3::from_axis_angle(&Vec3::x_axis(), -std::f64::consts::FRAC_PI_2);
    let hinge = |builder: &ModelBuilder, name: &str, parent, child, at: Vec3| {
        builder.joint_at(name, JointKind::Revolute, parent, child, &Pose::new(turn, at))
    };
    let first = builder.joint(hinge(builder, "A", None, crank, a));
    builder.joint(hinge(builder, "B", Some(crank), coupler, b));
    builder.joint(hinge(builder, "D", None, rocker, d));
    builder.close(hinge(builder, "C", Some(coupler), rocker, c));
    builder.rates(first, &[rate]);
}

/// A four-bar linkage of revolute joints, three of whose equations are redundant, turning its crank.
fn four_bar() -> (Model, State) {
    let corners = [(0.0, 0.0), (0.1, 0.25), (0.75, 0.5), (0.8, 0.0)].map(|(x, z)| Vec3::new(x, 0.0, z));
    let mut builder = falling();
    close_bars(&mut builder, corners, 6.0);
    builder.project(true);
    builder.build().unwrap()
}

#[test]
fn a_four_bar_with_redundant_hinges_stays_closed_and_keeps_its_energy() {
    let error = |h: f64, steps: usize| {
        let (model, mut state) = four_bar();
        let energy = |state: &State| {
            let (kinetic, potential, _, _) = totals(&model, state);
            kinetic + potential
        };
        let start = energy(&state);
        let mut scheme = Variational::new(&model, &state);
        let mut worst = 0f64;
        for _ in 0..steps {
            scheme.step(&model, &mut state, h).unwrap();
            worst = worst.max((energy(&state) - start).abs() / start.abs());
            assert!(violation(&model, &state) < 1e-12);
        }
        worst
    };
    // Energy errors oscillate and fall with the square of the step.
    let (coarse, fine) = (error(1e-3, 5000), error(5e-4, 10_000));
    assert!(coarse < 2e-4, "{coarse:e}");
    let order = (coarse / fine).log2();
    println!("order of the energy error {order}");
    assert!((1.8..2.2).contains(&order));
}

#[test]
fn velocities_that_would_open_a_loop_are_refused_unless_projected() {
    let mut builder = ModelBuilder::new();
    let corners = [(0.0, 0.0), (0.0, 0.3), (0.5, 0.3), (0.5, 0.0)].map(|(x, z)| Vec3::new(x, 0.0, z));
    close_bars(&mut builder, corners, 1.0);
    let refused = builder.clone().build().unwrap_err();
    assert!(matches!(&refused, ModelError::Velocity { joint, .. } if joint == "C"), "{refused}");
    builder.project(true);
    let (model, state) = builder.build().unwrap();
    // A parallelogram: crank and rocker turn alike, the coupler does not turn at all.
    let twists = model.twists(&state);
    let rate = |name: &str| {
        let slot = model.slots[model.body_named(name).unwrap()].unwrap();
        twists[slot][4]
    };
    assert!((rate("crank") - rate("rocker")).abs() < 1e-13);
    assert!(rate("coupler").abs() < 1e-13 && rate("crank").abs() > 0.1);
}
