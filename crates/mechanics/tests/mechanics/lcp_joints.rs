//! Joints of time stepping with complementarity are constraints between free bodies: they open by as much as h² and do not drift.

use crate::common::*;
use std::f64::consts::{FRAC_PI_2, PI};

/// Greatest opening of any joint over a time.
fn opening(sim: &mut Simulation, steps: usize) -> f64 {
    let mut worst = 0.0_f64;
    for _ in 0..steps {
        sim.step().unwrap();
        worst = worst.max(violation(sim.model(), sim.state()));
    }
    worst
}

/// Chains of all kinds, rooted in the world, and a loop.
fn jointed() -> Vec<(&'static str, ModelBuilder)> {
    let tied = ALL_KINDS.into_iter().filter(|kind| *kind != JointKind::Free);
    let mut all: Vec<_> = tied.map(|kind| (kind.word(), chain_builder(kind, 3))).collect();
    let mut four_bar = mechanisms::four_bar(Vec3::zeros());
    four_bar.gravity(GRAVITY);
    all.push(("four-bar", four_bar));
    all
}

#[test]
fn joints_open_by_the_square_of_the_step() {
    for (name, builder) in jointed() {
        let points = [0.008, 0.004, 0.002, 0.001].map(|h| {
            let mut sim = stepped(builder.clone(), LcpOptions::default(), h);
            (h, opening(&mut sim, (1.0 / h) as usize))
        });
        if name == "fixed" || name == "prismatic" {
            // Nothing turns: what is left is what solvers leave.
            assert!(points.iter().all(|(_, opening)| *opening < 1e-8), "{name}: {points:?}");
            continue;
        }
        let order = order(&points);
        println!("{name}: {:.2e} to {:.2e}, order {order:.3}", points[0].1, points[3].1);
        assert!(order >= 1.8, "{name}: {order}");
    }
}

#[test]
fn joints_do_not_drift_in_twenty_seconds() {
    for (name, mut builder) in jointed() {
        if ["prismatic", "cylindrical", "planar"].contains(&name) {
            // Nothing holds them: they slide at their own speed, not for two kilometres.
            builder.gravity(Vec3::zeros());
        }
        let h = 0.005;
        let mut sim = stepped(builder, LcpOptions::default(), h);
        // What a joint opens in a step is what its bodies bend from the tangent in it: h² times a length, times ω² and how fast
        // ω changes.
        let mut bend = |from: usize, to: usize| {
            let (mut worst, mut longest) = (0.0_f64, 0.0_f64);
            for _ in from..to {
                let before = sim.model().twists(sim.state());
                let opening = opening(&mut sim, 1);
                let after = sim.model().twists(sim.state());
                let turns = before.iter().zip(&after).map(|(s, t)| {
                    let (v, w) = (angular(s), angular(t));
                    h * h * w.norm_squared().max(v.norm_squared()) + h * (w - v).norm()
                });
                let turn = turns.fold(0.0, f64::max);
                (worst, longest) = (worst.max(opening), longest.max((opening - 1e-8) / turn));
            }
            (worst, longest)
        };
        let (first, _, last) = (bend(0, 800), bend(800, 3200), bend(3200, 4000));
        // Their arms are shorter than a metre. Which lengths come up is a matter of rounding where motions are chaotic.
        assert!(first.1.max(last.1) <= 1.0, "{name}: {first:?} {last:?}");
    }
}

#[test]
fn energy_never_grows_on_joints_of_any_kind() {
    for (name, builder) in jointed() {
        let mut sim = stepped(builder, LcpOptions::default(), 0.01);
        let mut size = energy(&sim).abs();
        let gain = greatest_gain(&mut sim, 500, |sim| size = size.max(sim.ledger().latest().kinetic));
        assert!(gain <= 1e-10 * size, "{name}: {gain:e} {size:e}");
    }
}

/// Arithmetic-geometric mean.
fn agm(mut a: f64, mut b: f64) -> f64 {
    while (a - b).abs() > 1e-15 * a {
        (a, b) = (0.5 * (a + b), (a * b).sqrt());
    }
    a
}

/// A rod of length one on a hinge about y, let go at an angle from below: its first period.
fn period(kind: JointKind, angle: f64, h: f64) -> f64 {
    let mut builder = falling();
    let inertia = Matrix3::from_diagonal(&Vec3::new(1.0 / 12.0, 1.0 / 12.0, 0.001));
    let body = Body::rigid("rod", 1.0, Vec3::zeros(), &inertia).unwrap();
    let turn = Rotation3::from_scaled_axis(Vec3::y() * -angle);
    let pose = Pose::new(turn, turn * Vec3::new(0.0, 0.0, -0.5));
    let id = builder.body(body, pose);
    let hinge = Rotation3::from_scaled_axis(Vec3::new(-FRAC_PI_2, 0.0, 0.0));
    builder.joint(JointSpec::at("hinge", kind, None, (id, &pose), &Pose::new(hinge, Vec3::zeros())));
    let mut sim = stepped(builder, LcpOptions::default(), h);
    // It hangs straight after a quarter and again after three quarters of a period.
    let mut passes = Vec::new();
    let mut last = sim.state().positions[0].x;
    while passes.len() < 2 {
        sim.step().unwrap();
        let x = sim.state().positions[0].x;
        if x * last < 0.0 {
            passes.push(sim.state().time - h * x / (x - last));
        }
        last = x;
    }
    2.0 * (passes[1] - passes[0])
}

/// `T = 2π √(J/(m g l)) / agm(1, cos(θ/2))` with `J = m (2l)²/3`.
#[test]
fn a_pendulum_swings_with_the_period_of_the_closed_form_up_to_a_step() {
    for (kind, angle) in
        [(JointKind::Revolute, 0.1_f64), (JointKind::Revolute, 1.5), (JointKind::Spherical, 1.0)]
    {
        let exact = 2.0 * PI * (1.0 / 3.0 / (G * 0.5)).sqrt() / agm(1.0, (0.5 * angle).cos());
        let points = [0.01, 0.005, 0.0025].map(|h| (h, (period(kind, angle, h) - exact).abs()));
        let order = order(&points);
        println!("{kind:?} {angle}: T = {exact:.6}, errors {points:?}, order {order:.3}");
        for (h, error) in points {
            assert!(error <= 1.5 * h, "{kind:?} {angle} {h}: {error:e}");
        }
        assert!(order > 0.9, "{kind:?} {angle}: {order}");
    }
}

/// What slows jointed bodies lest they gain energy does not slow what they do together.
#[test]
fn jointed_bodies_in_free_space_keep_linear_momentum_and_angular_momentum_to_first_order() {
    for kind in [JointKind::Revolute, JointKind::Spherical, JointKind::Rod, JointKind::Universal] {
        let points = [0.01, 0.005, 0.0025].map(|h| {
            let mut builder = ModelBuilder::new();
            let (one, two) = (Pose::at(Vec3::new(-0.3, 0.0, 0.0)), Pose::at(Vec3::new(0.3, 0.1, 0.05)));
            let first = builder.body(link("first"), one);
            let second = builder.body(link("second"), two);
            let mut joint = builder.joint_at("joint", kind, Some(first), second, &Pose::identity());
            if kind == JointKind::Rod {
                joint.child_frame = Pose::identity();
            }
            builder.joint(joint);
            builder.project(true);
            builder.velocity(first, Vec3::new(1.0, 2.0, 0.5), Vec3::new(1.0, -4.0, 3.0));
            builder.velocity(second, Vec3::new(1.0, -1.0, 0.5), Vec3::new(2.0, 5.0, -3.0));
            let mut sim = stepped(builder, LcpOptions::default(), h);
            let start = *sim.ledger().latest();
            run(&mut sim, (1.0_f64 / h).round() as usize);
            let now = sim.ledger().latest();
            let linear = (now.linear - start.linear).norm() / start.linear.norm();
            assert!(linear < 1e-12, "{kind:?} {h}: {linear:e}");
            let spin = now.angular_about_centre() - start.angular_about_centre();
            (h, spin.norm() / start.angular_about_centre().norm())
        });
        let order = order(&points);
        println!("{kind:?}: angular {points:?}, order {order:.3}");
        assert!(order > 0.8, "{kind:?}: {order}");
    }
}
