//! Fast bodies and thin walls in time stepping with complementarity: nothing passes unnoticed.

use crate::common::*;

/// How a flight under time stepping with complementarity ends.
fn ending(solid: &Solid, lcp: LcpOptions, flight: Flight) -> Ending {
    flight.ending(SchemeKind::Lcp, solid, &SchemeOptions { lcp, ..SchemeOptions::default() })
}

#[test]
fn no_body_passes_a_wall_unnoticed_at_any_speed_with_any_metric() {
    for lcp in stabilisations() {
        for metric in [DistanceMetric::Gap, DistanceMetric::Ratio] {
            let mut counts = [0; 3];
            for (name, solid) in &flying_bodies() {
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
    for (name, solid) in &flying_bodies()[..2] {
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
    let rod = &flying_bodies()[3].1;
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
    for (name, solid) in &flying_bodies() {
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
