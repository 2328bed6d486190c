//! Substeps: rest, friction, restitution, joints and driven bodies against closed forms, and piles.

use crate::common::*;

fn substeps(count: usize) -> LcpOptions {
    LcpOptions {
        stabilisation: Stabilisation::Substeps,
        substeps: count,
        tolerance: 1e-6,
        ..LcpOptions::default()
    }
}

#[test]
fn a_box_slides_with_coulomb_friction_and_stops() {
    // 2 m/s against 0.4 g: it stops after v/(μ g) and v²/(2 μ g), both to first order in the substep.
    let (mu, v, h) = (0.4, 2.0, 1e-3);
    let mut builder = level(0.0, mu);
    let id = builder.body(cuboid("box", 0.5, 0.4, 0.2), Pose::at(Vec3::new(0.0, 0.0, 0.1)));
    builder.velocity(id, Vec3::new(v, 0.0, 0.0), Vec3::zeros());
    let mut sim = stepped(builder, substeps(4), h);
    sim.run_until(1.0).unwrap();
    let x = sim.state().positions[0];
    let way = 0.5 * v * v / (mu * 9.81);
    assert!((x.x - way).abs() < v * h && x.y.abs() < 1e-5, "{x} {way}");
    assert!((x.z - 0.1).abs() < 1e-3 * 0.1, "{}", x.z);
    let (kinetic, ..) = totals(sim.model(), sim.state());
    assert!(kinetic < 1e-12, "{kinetic:e}");
}

#[test]
fn free_bodies_fall_along_the_parabola() {
    let mut builder = level(0.0, 0.5);
    let id = builder.body(cuboid("box", 0.5, 0.4, 0.2), Pose::at(Vec3::new(0.0, 0.0, 5.0)));
    builder.velocity(id, Vec3::new(1.0, 0.0, 2.0), Vec3::zeros());
    let mut sim = stepped(builder, substeps(8), 1e-2);
    sim.run_until(0.5).unwrap();
    let z = 5.0 + 2.0 * 0.5 - 0.5 * 9.81 * 0.25;
    assert!((sim.state().positions[0] - Vec3::new(0.5, 0.0, z)).norm() < 1e-13);
}

#[test]
fn a_ball_rebounds_with_its_restitution() {
    for e in [0.3, 0.8, 1.0] {
        let mut builder = falling();
        builder.contact(surface(e, 0.0));
        builder.body(half_space("floor", Vec3::z(), 0.0), Pose::identity());
        let ball = Solid::Sphere(Sphere::new(0.1).unwrap());
        let body = Body::of_density("ball", &ball.mass_properties().unwrap(), 1000.0).unwrap();
        let id = builder.body(body.with_shape(ball, Pose::identity()), Pose::at(Vec3::new(0.0, 0.0, 0.101)));
        builder.velocity(id, Vec3::new(0.0, 0.0, -3.0), Vec3::zeros());
        let mut sim = stepped(builder, substeps(4), 1e-3);
        sim.step().unwrap();
        let after = sim.model().twists(sim.state())[0];
        // Gravity acts over the step, before and after the impact.
        assert!((after[2] - 3.0 * e).abs() < 2.0 * 9.81 * 1e-3, "{e}: {}", after[2]);
    }
}

#[test]
fn a_driven_floor_carries_a_box_and_does_not_run_ahead_of_itself() {
    let mut builder = falling();
    builder.contact(surface(0.0, 0.5));
    let wave = Wave { frequency: 1.0, phase: -std::f64::consts::FRAC_PI_2 };
    let motion = Motion::shake(Vec3::new(0.0, 0.0, 0.02), wave, Window::default()).unwrap();
    builder.body(half_space("floor", Vec3::z(), 0.0).with_motion(motion.clone()), Pose::identity());
    builder.body(cuboid("box", 0.3, 0.3, 0.2), Pose::at(Vec3::new(0.0, 0.0, 0.1)));
    let mut sim = stepped(builder, substeps(8), 2e-3);
    let mut worst = 0.0_f64;
    for k in 1..=500 {
        sim.step().unwrap();
        let floor = motion.pose(2e-3 * k as f64).position.z;
        worst = worst.max((sim.state().positions[0].z - 0.1 - floor).abs());
    }
    assert!(worst < 1e-3 * 0.17, "{worst:e}");
}

#[test]
fn a_tower_stands_with_penetrations_of_a_thousandth() {
    let mut builder = level(0.0, 0.5);
    for k in 0..8 {
        builder.body(
            cuboid(&format!("box{k}"), 0.2, 0.2, 0.2),
            Pose::at(Vec3::new(0.0, 0.0, 0.1 + 0.2 * k as f64)),
        );
    }
    let mut sim = stepped(builder, substeps(8), 1e-2);
    sim.run_until(3.0).unwrap();
    for (k, x) in sim.state().positions.iter().enumerate() {
        let at = 0.1 + 0.2 * k as f64;
        assert!(x.x.hypot(x.y) < 1e-3 && (x.z - at).abs() < 3e-4 * (k + 1) as f64, "{k}: {x}");
    }
    let (kinetic, ..) = totals(sim.model(), sim.state());
    assert!(kinetic < 1e-5, "{kinetic:e}");
}

#[test]
fn limits_and_drives_are_refused_with_the_remedy() {
    let mut builder = level(0.0, 0.5);
    let at = Pose::at(Vec3::new(0.0, 0.0, 1.0));
    let id = builder.body(cuboid("door", 0.2, 0.2, 0.2), at);
    let mut spec = builder.joint_at("hinge", JointKind::Revolute, None, id, &at);
    spec.friction[0] = 0.1;
    builder.joint(spec);
    let (model, state) = builder.build_open().unwrap();
    let error = Lcp::new(&model, &state, &substeps(4)).unwrap_err().to_string();
    assert!(error.contains("friction in joints") && error.contains("projection"), "{error}");
}
