//! Fast bodies and thin walls in time stepping with complementarity: nothing passes unnoticed.

use crate::common::*;

/// A wall across x, as thick as given.
fn wall(thick: f64) -> Solid {
    Solid::Polytope(Polytope::cuboid(thick, 2.0, 2.0).unwrap())
}

/// What flies at walls.
fn bodies() -> [(&'static str, Solid); 4] {
    [
        ("sphere", Solid::Sphere(Sphere::new(0.05).unwrap())),
        ("box", Solid::Polytope(Polytope::cuboid(0.1, 0.08, 0.06).unwrap())),
        ("plate", Solid::Polytope(Polytope::cuboid(0.2, 0.2, 0.004).unwrap())),
        ("rod", Solid::Capsule(Capsule::new(0.2, 0.004).unwrap())),
    ]
}

/// A flight: relative speed, thickness of the wall, step, place within the step, spin, and whether the wall comes to meet it.
#[derive(Clone, Copy, Debug)]
struct Flight {
    speed: f64,
    thick: f64,
    h: f64,
    part: f64,
    spin: f64,
    meets: bool,
}

/// How a flight ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Ending {
    Stopped,
    /// On the other side, or past it at some time, with a crossing in the record.
    Noticed,
    /// The run ended with an error that names the body.
    Refused,
    Unnoticed,
}

fn ending(solid: &Solid, lcp: LcpOptions, flight: Flight) -> Ending {
    let Flight { speed, thick, h, part, spin, meets } = flight;
    let mut builder = ModelBuilder::new();
    builder.contact(surface(0.0, 0.3));
    if meets {
        let id = builder.body(solid_body("wall", wall(thick), 1e4), Pose::identity());
        builder.velocity(id, Vec3::x() * (0.5 * speed), Vec3::zeros());
    } else {
        builder.body(Body::fixed("wall").with_shape(wall(thick), Pose::identity()), Pose::identity());
    }
    let own = if meets { 0.5 * speed } else { speed };
    let turn = Rotation3::from_scaled_axis(Vec3::new(0.3, 0.4 * part, 0.1));
    let distance = 0.25 + speed * h * (1.0 + 0.3 * part);
    let id = builder.body(solid_body("body", solid.clone(), 1e3), Pose::new(turn, Vec3::x() * distance));
    builder.velocity(id, Vec3::new(-own, 0.1 * own * part, 0.0), Vec3::new(0.1, spin, 0.3 * spin));
    let mut sim = stepped(builder, lcp, h);
    let (mut noticed, mut through) = (false, false);
    for _ in 0..((distance / speed / h) as usize + 4).min(400) {
        if let Err(failure) = sim.step() {
            assert!(failure.error == StepError::TurnsTooFar && !failure.body.is_empty(), "{failure}");
            return Ending::Refused;
        }
        let crossing = sim.step_record().unwrap().crossing;
        if let Some(Crossing { bodies, speed }) = crossing {
            assert!(bodies == (0, 1) || bodies == (1, 0));
            assert!(speed > 0.0);
            noticed = true;
        }
        let face = if meets { position(&sim, 0).x } else { 0.0 };
        let at = position(&sim, 1);
        through |= at.yz().amax() < 1.0 && at.x < face;
    }
    match (through, noticed) {
        (_, true) => Ending::Noticed,
        (true, false) => Ending::Unnoticed,
        (false, false) => Ending::Stopped,
    }
}

#[test]
fn no_body_passes_a_wall_unnoticed_at_any_speed_with_any_metric() {
    for lcp in stabilisations() {
        for metric in [DistanceMetric::Gap, DistanceMetric::Ratio] {
            let mut counts = [0; 3];
            for (name, solid) in &bodies() {
                for speed in [1.0, 5.0, 20.0, 60.0, 200.0] {
                    for thick in [0.005, 0.02, 0.05] {
                        for h in [1e-3, 1e-2] {
                            for (part, spin, meets) in [
                                (0.0, 0.0, false),
                                (1.0, 100.0, false),
                                (2.0, 0.0, false),
                                (1.0, 0.0, true),
                                (2.0, 100.0, true),
                            ] {
                                let flight = Flight { speed, thick, h, part, spin, meets };
                                let ending = ending(solid, LcpOptions { metric, ..lcp }, flight);
                                assert_ne!(ending, Ending::Unnoticed, "{name} {metric:?} {flight:?}");
                                counts[ending as usize] += 1;
                            }
                        }
                    }
                }
            }
            let [stopped, noticed, refused] = counts;
            println!(
                "{:?} {metric:?}: {stopped} stopped, {noticed} noticed, {refused} refused",
                lcp.stabilisation
            );
            // The step is solved again with the contacts at which parts would cross.
            assert!(lcp.stabilisation == Stabilisation::Published || 20 * noticed < stopped);
        }
    }
}

#[test]
fn balls_and_boxes_without_spin_are_stopped_by_a_thin_wall_at_any_speed() {
    for (name, solid) in &bodies()[..2] {
        for metric in [DistanceMetric::Gap, DistanceMetric::Ratio] {
            for speed in [1.0, 20.0, 50.0, 200.0] {
                for thick in [0.005, 0.02] {
                    let flight = Flight { speed, thick, h: 1e-3, part: 0.0, spin: 0.0, meets: false };
                    let ending = ending(solid, LcpOptions { metric, ..LcpOptions::default() }, flight);
                    assert_eq!(ending, Ending::Stopped, "{name} {metric:?} {flight:?}");
                }
            }
        }
    }
}

/// A thin rod spins next to a wall, so that its ends sweep through where the wall is between two steps.
#[test]
fn the_ends_of_a_rod_that_spins_into_a_wall_do_not_pass_unnoticed() {
    let rod = &bodies()[3].1;
    for lcp in stabilisations() {
        for h in [1e-3, 5e-3] {
            for spin in [50.0, 200.0, 400.0] {
                let mut builder = ModelBuilder::new();
                builder.contact(surface(0.0, 0.3));
                builder.body(Body::fixed("wall").with_shape(wall(0.005), Pose::identity()), Pose::identity());
                let id =
                    builder.body(solid_body("rod", rod.clone(), 1e3), Pose::at(Vec3::new(0.15, 0.0, 0.0)));
                builder.velocity(id, Vec3::new(-1.0, 0.0, 0.0), Vec3::y() * spin);
                let mut sim = stepped(builder, lcp, h);
                let mut noticed = false;
                for _ in 0..(0.2 / h) as usize {
                    if let Err(failure) = sim.step() {
                        assert_eq!(failure.error, StepError::TurnsTooFar);
                        noticed = true;
                        break;
                    }
                    noticed |= sim.step_record().unwrap().crossing.is_some();
                }
                let through = position(&sim, 1).x < 0.0;
                println!("{:?} {h} {spin}: through {through}, noticed {noticed}", lcp.stabilisation);
                assert!(noticed || !through, "{:?} {h} {spin}", lcp.stabilisation);
            }
        }
    }
}

/// What slides along a wall, or passes beside it, however fast, crosses nothing.
#[test]
fn sliding_along_a_wall_is_no_crossing() {
    for (name, solid) in &bodies() {
        for (offset, speed) in [(0.0, 200.0), (1e-4, 200.0), (0.3, 50.0)] {
            let mut builder = ModelBuilder::new();
            builder.contact(surface(0.0, 0.0));
            builder.body(Body::fixed("wall").with_shape(wall(0.005), Pose::identity()), Pose::identity());
            let low = solid.support(&-Vec3::x()).unwrap().x;
            let id = builder.body(
                solid_body(name, solid.clone(), 1e3),
                Pose::at(Vec3::new(0.0025 - low + offset, -0.9, 0.0)),
            );
            builder.velocity(id, Vec3::new(0.0, speed, 0.0), Vec3::zeros());
            let mut sim = stepped(builder, LcpOptions::default(), 1e-2);
            for _ in 0..3 {
                sim.step().unwrap();
                assert_eq!(sim.step_record().unwrap().crossing, None, "{name} {offset}");
            }
            let moved = position(&sim, 1).y + 0.9;
            assert!((moved - 0.03 * speed).abs() < 1e-6, "{name} {offset}: {moved}");
        }
    }
}
