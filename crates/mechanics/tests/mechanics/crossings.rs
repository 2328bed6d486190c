//! Fast bodies and thin walls under schemes that look at contact only at the ends of steps: nothing passes unnoticed in a step.

use crate::common::*;

/// Schemes without a search for the time of impact.
fn schemes() -> Vec<(SchemeKind, SchemeOptions)> {
    let contact = ContactOptions { response: ContactResponse::Published, ..ContactOptions::default() };
    let published = SchemeOptions { contact, ..SchemeOptions::default() };
    [SchemeKind::Potential, SchemeKind::NewmarkExplicit, SchemeKind::NewmarkImplicit]
        .map(|kind| (kind, SchemeOptions::default()))
        .into_iter()
        .chain([(SchemeKind::Decomposition, published)])
        .collect()
}

#[test]
fn bodies_that_pass_a_thin_wall_in_a_step_are_noticed() {
    for (kind, options) in schemes() {
        let mut counts = [0; 4];
        for (name, solid) in &flying_bodies() {
            for (speed, h) in [(60.0, 1e-2), (200.0, 1e-2), (400.0, 1e-3)] {
                for thick in [0.005, 0.02] {
                    for (part, meets) in [(0.0, false), (1.0, false), (2.0, true)] {
                        let flight = Flight { speed, thick, h, part, spin: 0.0, meets };
                        let ending = flight.ending(kind, solid, &options);
                        assert_ne!(ending, Ending::Unnoticed, "{kind} {name} {flight:?}");
                        counts[ending as usize] += 1;
                    }
                }
            }
        }
        println!("{kind}: {counts:?}");
        assert!(counts[Ending::Noticed as usize] > 30, "{kind}");
    }
}

#[test]
fn bodies_that_bounce_or_pass_by_cross_nothing() {
    for (kind, options) in schemes() {
        for (solid, offset, speed) in [
            (&flying_bodies()[0].1, 0.3, 200.0),
            (&flying_bodies()[1].1, 0.3, 50.0),
            (&flying_bodies()[3].1, 0.25, 100.0),
        ] {
            let mut builder = ModelBuilder::new();
            let potential = kind.capabilities().uses_potential();
            builder.contact(ContactSpec {
                potential: potential.then_some(Potential { stiffness: 1e4, drag: 0.0 }),
                ..surface(1.0, 0.0)
            });
            builder.body(Body::fixed("wall").with_shape(wall(0.005), Pose::identity()), Pose::identity());
            let id =
                builder.body(solid_body("body", solid.clone(), 1e3), Pose::at(Vec3::new(offset, -0.9, 0.0)));
            builder.velocity(id, Vec3::new(0.0, speed, 0.0), Vec3::zeros());
            let mut sim = simulated(kind, builder, &options, 1e-2);
            for _ in 0..3 {
                sim.step().unwrap();
                assert_eq!(sim.step_record().unwrap().crossing, None, "{kind} {offset}");
            }
        }
    }
}
