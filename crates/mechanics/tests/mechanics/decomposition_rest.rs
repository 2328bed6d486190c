//! Rest under the decomposition scheme: boxes stay in place, stacks stand, falling bodies come to rest.

use crate::common::*;

#[test]
fn a_box_at_rest_stays_for_ten_thousand_steps() {
    for (law, friction) in [(ImpactLaw::Moreau, 0.0), (ImpactLaw::Moreau, 0.5), (ImpactLaw::Sequential, 0.5)]
    {
        let mut builder = level(0.0, friction);
        let at = Vec3::new(0.3, 0.2, 0.1);
        builder.body(cube("box", 0.2), Pose::at(at));
        let mut sim = simulate(builder, ContactOptions { law, ..ContactOptions::default() }, 1e-3);
        let mut overlap = 0f64;
        for _ in 0..10_000 {
            sim.step().unwrap();
            overlap = overlap.max(sim.step_record().unwrap().overlap);
        }
        let (drift, turn) =
            ((position(&sim, 1) - at).norm(), (sim.state().rotations[0] - Matrix3::identity()).norm());
        println!("{law:?}, friction {friction}: drift {drift:e}, turned {turn:e}, overlap {overlap:e}");
        assert!(drift < 1e-9 * 0.2 && turn < 1e-9 && overlap < 1e-15);
        // The impulses of the floor balance the weight.
        let (push, weight) = (cause(&sim, "contact").linear, cause(&sim, "gravity").linear);
        assert!((push + weight).norm() < 1e-9 * weight.norm());
        assert!(cause(&sim, "scheme").linear.norm() < 1e-9 * weight.norm());
    }
}

#[test]
fn a_stack_of_five_boxes_stands() {
    for friction in [0.0, 0.5] {
        let mut builder = level(0.0, friction);
        // Slightly rotated, each on the one below.
        for k in 0..5 {
            let x = 0.01 * f64::from(k).sin();
            let turn = Rotation3::from_scaled_axis(Vec3::z() * (0.1 * f64::from(k)));
            let pose = Pose::new(turn, Vec3::new(x, 0.3 * x, 0.1 + 0.2 * f64::from(k)));
            builder.body(cube(&format!("box-{k}"), 0.2), pose);
        }
        let mut sim = simulate(builder, ContactOptions::default(), 1e-3);
        let start = sim.state().positions.clone();
        run(&mut sim, 3000);
        let drift = drift(&sim, &start);
        println!("friction {friction}: drift {drift:e}, kinetic {:e}", sim.ledger().latest().kinetic);
        // Velocities of contacts are known to the regularisation of their impulses, 1e-7 of the speed that gravity brings in a step.
        let known = 0.5 * sim.ledger().initial().mass * (1e-7 * G * 1e-3f64).powi(2);
        assert!(drift < 1e-9 * 0.2 && sim.ledger().latest().kinetic < known);
    }
}

#[test]
fn a_falling_cube_comes_to_rest_on_a_face() {
    let mut builder = level(0.6, 0.8);
    let turn = Rotation3::from_scaled_axis(Vec3::new(0.4, 0.3, 0.1));
    builder.body(cube("cube", 0.2), Pose::new(turn, Vec3::new(0.0, 0.0, 0.8)));
    let mut sim = simulate(builder, ContactOptions::default(), 1e-3);
    let start = sim.ledger().initial().energy();
    let mut last = start;
    for _ in 0..4000 {
        sim.step().unwrap();
        // Free fall conserves energy, impacts dissipate; only the projection may add some.
        let energy = sim.ledger().latest().energy();
        assert!(energy <= last + 0.01 * start, "{energy} {last}");
        last = energy;
    }
    let upright = sim.state().rotations[0].row(2).amax();
    let (height, kinetic) = (position(&sim, 1).z, sim.ledger().latest().kinetic);
    println!("height {height}, kinetic {kinetic:e} J, upright {upright}");
    assert!((height - 0.1).abs() < 1e-3 && kinetic < 1e-4 && upright > 1.0 - 1e-6);
    let scheme = cause(&sim, "scheme");
    assert!(scheme.energy.abs() < 1e-10 * start && scheme.angular.norm() < 1e-10);
}

/// Bodies of all kinds fall on each other: none penetrate, and momentum is conserved.
#[test]
fn a_pile_of_different_bodies_does_not_penetrate() {
    let shapes = [
        Solid::Polytope(Polytope::cube(0.2).unwrap()),
        Solid::Sphere(Sphere::new(0.1).unwrap()),
        Solid::Polytope(Polytope::pyramid(0.2, 0.2, 0.3).unwrap()),
        Solid::Capsule(Capsule::new(0.1, 0.07).unwrap()),
        Solid::Polytope(Polytope::prism(6, 0.1, 0.2).unwrap()),
        Solid::Cylinder(Cylinder::new(0.1, 0.1).unwrap()),
    ];
    for (law, restitution, friction) in
        [(ImpactLaw::Moreau, 0.3, 0.5), (ImpactLaw::Moreau, 0.0, 0.0), (ImpactLaw::Sequential, 0.3, 0.0)]
    {
        let mut builder = level(restitution, friction);
        for (k, solid) in shapes.iter().enumerate() {
            let k = k as f64;
            let turn = Rotation3::from_scaled_axis(Vec3::new(0.7 * k, 1.0 - 0.4 * k, 0.3));
            let at = Vec3::new(0.05 * (2.0 * k).sin(), 0.05 * (3.0 * k).cos(), 0.25 + 0.3 * k);
            builder.body(solid_body(&format!("body-{k}"), solid.clone(), 300.0), Pose::new(turn, at));
        }
        let mut sim = simulate(builder, ContactOptions { law, ..ContactOptions::default() }, 2e-3);
        for _ in 0..700 {
            sim.step().unwrap();
            assert!(sim.step_record().unwrap().overlap < 1e-9 * 0.1);
        }
        // Persistent contact leaves a penetration of a billionth of the smallest part at most.
        assert!(deepest(sim.model(), sim.state()) < 1e-9 * 0.1);
        let (scheme, gravity) = (cause(&sim, "scheme"), cause(&sim, "gravity"));
        assert!(scheme.linear.norm() < 1e-10 * gravity.linear.norm());
        assert!(scheme.angular.norm() < 1e-10 * gravity.linear.norm());
        let rounding = 1e-15 * sim.ledger().initial().energy();
        assert!(cause(&sim, "contact").energy <= 0.0 && cause(&sim, "friction").energy <= rounding);
    }
}
