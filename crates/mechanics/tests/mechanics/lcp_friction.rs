//! Friction of time stepping with complementarity: slopes, stopping distances, rolling, and what the pyramid makes of the cone.

use crate::common::*;
use std::f64::consts::{FRAC_PI_2, PI, TAU};

/// A flat block on a floor.
fn block(builder: &mut ModelBuilder) {
    builder.body(cuboid("block", 0.4, 0.4, 0.2), Pose::at(Vec3::new(0.0, 0.0, 0.1)));
}

#[test]
fn a_block_on_a_slope_sticks_below_the_angle_of_friction_and_slides_as_coulomb_says_above() {
    // The relaxation lifts what slides, and is left out.
    let solvers = [StepSolver::Auto, StepSolver::Lemke, StepSolver::FixedPoint, StepSolver::GaussSeidel];
    for (angle, mu) in [(0.2_f64, 0.3), (0.29, 0.3), (0.3, 0.1), (0.4, 0.2), (0.5, 0.5)] {
        for solver in solvers {
            for metric in [DistanceMetric::Gap, DistanceMetric::Ratio] {
                let mut builder = slope(angle, mu);
                block(&mut builder);
                let mut sim = stepped(builder, LcpOptions { solver, metric, ..sharp() }, 0.01);
                run(&mut sim, 100);
                let (v, w) = motion(&sim, 1);
                let expected = Vec3::new((G * (angle.sin() - mu * angle.cos())).max(0.0), 0.0, 0.0);
                let error = (v - expected).norm() + w.norm();
                assert!(error < 1e-9, "{angle} {mu} {solver:?} {metric:?}: {error:e}");
            }
        }
    }
}

/// A flat block with sides that differ, turned about the normal of a slope, after some steps; the slope is inclined by an angle more
/// than that of friction.
fn yawed(mu: f64, beyond: f64, yaw: f64, steps: usize) -> Simulation {
    let mut builder = slope(mu.atan() + beyond, mu);
    let turn = Rotation3::from_scaled_axis(Vec3::z() * yaw);
    builder.body(cuboid("block", 0.4, 0.3, 0.1), Pose::new(turn, Vec3::z() * 0.05));
    let mut sim = stepped(builder, LcpOptions::default(), 1e-3);
    run(&mut sim, steps);
    sim
}

#[test]
fn a_block_does_not_creep_on_a_slope_half_a_degree_below_the_angle_of_friction_however_it_is_turned() {
    for mu in [0.2, 0.5] {
        for k in 0..6 {
            let sim = yawed(mu, -0.5_f64.to_radians(), 0.27 * f64::from(k), 10_000);
            let moved = (position(&sim, 1) - Vec3::z() * 0.05).norm();
            assert!(moved < 1e-9, "{mu} {k}: {moved:e}");
        }
    }
}

#[test]
fn a_block_slides_above_the_angle_of_friction_alike_however_it_is_turned() {
    for mu in [0.2_f64, 0.5] {
        for beyond in [0.5_f64, 5.0].map(f64::to_radians) {
            let (angle, steps) = (mu.atan() + beyond, 500);
            let speed = G * (angle.sin() - mu * angle.cos()) * 1e-3 * f64::from(steps);
            for k in 0..6 {
                let sim = yawed(mu, beyond, 0.27 * f64::from(k), steps as usize);
                let (v, w) = motion(&sim, 1);
                let error = (v - Vec3::x() * speed).norm() + 0.2 * w.norm();
                assert!(error < 1e-6 * speed, "{mu} {beyond} {k}: {:e}", error / speed);
            }
        }
    }
}

/// The point of a regular polygon with a corner at angle zero that is nearest to a point outside of it.
fn nearest(corners: usize, radius: f64, point: Vec2) -> Vec2 {
    let angle = |k: usize| TAU * k as f64 / corners as f64;
    let corner = |k: usize| Vec2::new(angle(k).cos(), angle(k).sin()) * radius;
    (0..corners)
        .map(|k| {
            let (a, b) = (corner(k), corner(k + 1));
            let t = ((point - a).dot(&(b - a)) / (b - a).norm_squared()).clamp(0.0, 1.0);
            a + (b - a) * t
        })
        .min_by(|a, b| (a - point).norm().total_cmp(&(b - point).norm()))
        .unwrap()
}

/// On a pyramid that does not turn, the block is accelerated by what is left of gravity after the nearest friction that the
/// polygon allows: `a = g_t - Π g_t`, for any direction and number of facets.
#[test]
fn a_pyramid_with_n_facets_errs_by_as_much_as_its_polygon_does() {
    let (along, pull, mu) = (3.0, 9.0, 0.25);
    let (s, t) = tangents(&Vec3::z());
    let mut worst = Vec::new();
    for facets in [4, 8, 16, 32] {
        let mut error = 0.0_f64;
        let bound = mu * pull * (1.0 - (PI / facets as f64).cos());
        // The middle of a facet is the worst direction.
        for direction in [0.0, 0.2, 0.5, 1.0].map(|part| part * PI / facets as f64) {
            let (x, y) = (along * direction.cos(), along * direction.sin());
            let mut builder = slope(0.0, mu);
            builder.gravity(s * x + t * y - Vec3::z() * pull);
            block(&mut builder);
            let lcp = LcpOptions { facets, aligned: false, ..sharp() };
            let mut sim = stepped(builder, lcp, 0.01);
            run(&mut sim, 100);
            let (v, w) = motion(&sim, 1);
            let drive = Vec2::new(x, y);
            let expected = drive - nearest(facets, mu * pull, drive);
            let seen = Vec2::new(v.dot(&s), v.dot(&t));
            assert!((seen - expected).norm() + w.norm() < 1e-9, "{facets} {direction}: {seen} {expected}");
            let off = (seen.norm() - (along - mu * pull)).abs();
            assert!(off <= bound + 1e-9, "{facets} {direction}: {off:e} {bound:e}");
            error = error.max(off);
        }
        assert!((error - bound).abs() < 1e-9, "{facets}: the bound {bound:e} is reached: {error:e}");
        worst.push((facets as f64, error));
    }
    let order = order(&worst);
    assert!((-2.05..=-1.95).contains(&order), "{order}");
}

/// `v_k = v - k μ g h` until it is zero: the sum of `h v_k` is `v²/(2 μ g) - h v/2` and less than `h² μ g` more.
#[test]
fn a_block_stops_after_the_distance_of_uniform_deceleration_up_to_half_a_step() {
    let (v, mu) = (2.0, 0.3);
    let exact = v * v / (2.0 * mu * G);
    let mut errors = Vec::new();
    for h in [0.02, 0.01, 0.005, 0.0025] {
        let mut builder = level(0.0, mu);
        block(&mut builder);
        let id = BodyId(1);
        builder.velocity(id, Vec3::new(0.6 * v, 0.8 * v, 0.0), Vec3::zeros());
        let mut sim = stepped(builder, sharp(), h);
        run(&mut sim, (1.0 / h) as usize);
        let steps = (v / (mu * G * h)).floor();
        let summed = h * (steps * v - 0.5 * mu * G * h * steps * (steps + 1.0));
        let at = position(&sim, 1);
        let expected = Vec3::new(0.6 * summed, 0.8 * summed, 0.1);
        assert!((at - expected).norm() < 1e-9, "{h}: {at} {expected}");
        assert!(motion(&sim, 1).0.norm() < 1e-12);
        let error = (at.xy().norm() - exact).abs();
        assert!((error - 0.5 * h * v).abs() <= h * h * mu * G);
        errors.push((h, error));
    }
    let order = order(&errors);
    println!("{errors:?}: order {order:.3}");
    assert!((0.95..=1.05).contains(&order), "{order}");
}

/// `a = g sin / (1 + J/(m r²))`: 5/7 for a ball, 2/3 for cylinder and disc.
#[test]
fn round_bodies_roll_down_slopes_as_their_moments_of_inertia_say() {
    let (angle, mu, r) = (0.3_f64, 0.4, 0.2);
    let side = Rotation3::from_scaled_axis(Vec3::x() * FRAC_PI_2);
    // A capsule: a cylinder of length l and a ball of radius r, l = 3 r, both about the axis.
    let (tube, ball) = (PI * r * r * 0.6, 4.0 / 3.0 * PI * r * r * r);
    let capsule = (0.5 * tube + 0.4 * ball) / (tube + ball);
    let bodies = [
        ("ball", Solid::Sphere(Sphere::new(r).unwrap()), 0.4),
        ("cylinder", Solid::Cylinder(Cylinder::new(0.3, r).unwrap()), 0.5),
        ("capsule", Solid::Capsule(Capsule::new(0.3, r).unwrap()), capsule),
    ];
    for under in [floor(), slab(8.0, 4.0, 0.5)] {
        for (name, solid, inertia) in &bodies {
            let mut builder = above(under.clone(), mu);
            builder.gravity(Vec3::new(G * angle.sin(), 0.0, -G * angle.cos()));
            let body = solid_body(name, solid.clone(), DENSITY);
            builder.body(body, Pose::new(side, Vec3::new(-1.0, 0.0, r)));
            let mut sim = stepped(builder, sharp(), 0.01);
            run(&mut sim, 100);
            let ((v, w), expected) = (motion(&sim, 1), G * angle.sin() / (1.0 + inertia));
            let error = (v - Vec3::x() * expected).norm() + r * (w - Vec3::y() * (expected / r)).norm();
            println!("{name} on {}: {error:.1e}", under.name);
            assert!(error < 1e-9, "{name} on {}: {error:e}", under.name);
        }
    }
}

#[test]
fn discs_of_the_plane_roll_down_lines_and_sides_of_polygons() {
    let (angle, mu, r) = (0.3_f64, 0.4, 0.2);
    for on_block in [false, true] {
        let (mut builder, top, body) = ground_or_block(on_block, mu);
        builder.gravity(Vec3::new(G * angle.sin(), -G * angle.cos(), 0.0));
        let disc = PlanarShape::Circle(Circle::new(r).unwrap());
        flat(&mut builder, "disc", disc, (2.0, 0.5 * 2.0 * r * r), 0.0, Vec2::new(-1.0, top + r));
        let mut sim = stepped(builder, sharp(), 0.01);
        run(&mut sim, 100);
        let ((v, w), expected) = (motion(&sim, body), 2.0 / 3.0 * G * angle.sin());
        let error = (v - Vec3::x() * expected).norm() + (w.z * r + expected).abs();
        assert!(error < 1e-9, "{on_block}: {error:e}");
    }
}
