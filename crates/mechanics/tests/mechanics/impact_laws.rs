//! The default impact law: rows of touching bodies have the outcome of the cradle, under every scheme with impacts.

use crate::common::*;

/// A shape of the bodies of a row, as long as wide.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Kind {
    Ball,
    Cube,
}

/// A row along x of touching bodies with given masses and velocities; those that move come from a small distance.
fn touching_row(kind: Kind, masses: &[f64], speeds: &[f64], contact: ContactSpec) -> ModelBuilder {
    let (size, gap) = (0.2, 0.0123);
    let mut builder = ModelBuilder::new();
    let mut x = 0.0;
    for (k, (mass, v)) in masses.iter().zip(speeds).enumerate() {
        if k > 0 {
            x += size + if speeds[k - 1] == *v { 0.0 } else { gap };
        }
        let solid = match kind {
            Kind::Ball => Solid::Sphere(Sphere::new(0.5 * size).unwrap()),
            Kind::Cube => Solid::Polytope(Polytope::cube(size).unwrap()),
        };
        let volume = solid.mass_properties().unwrap().volume;
        let body = solid_body(&format!("body-{k}"), solid, mass / volume);
        free_body(&mut builder, body, Vec3::new(x, 0.0, 0.0), Vec3::x() * *v, Vec3::zeros());
    }
    builder.contact(contact);
    builder
}

/// Velocities along x after all impacts, as long as nothing else moves.
fn outcome(scheme: SchemeKind, builder: ModelBuilder) -> Vec<f64> {
    let mut sim = simulated(scheme, builder, &SchemeOptions::default(), 1e-3);
    let start = *sim.ledger().initial();
    run(&mut sim, 300);
    let last = sim.ledger().latest();
    let scale = start.linear.norm().max((2.0 * start.mass * start.kinetic).sqrt());
    assert!((last.linear - start.linear).norm() < 1e-12 * scale, "{scheme}: momentum");
    assert!(last.energy() <= start.energy() * (1.0 + 1e-12), "{scheme}: energy");
    assert_eq!(sim.step_record().unwrap().unfinished_sequences, 0);
    (0..sim.model().moving())
        .map(|body| {
            let (v, w) = motion(&sim, body);
            assert!(v.yz().norm() < 1e-11 && w.norm() < 1e-10, "{scheme}: body {body} moves aside {v} {w}");
            v.x
        })
        .collect()
}

const SCHEMES: [SchemeKind; 4] =
    [SchemeKind::Exact, SchemeKind::Dissipative, SchemeKind::Decomposition, SchemeKind::Lcp];

fn assert_near(found: &[f64], expected: &[f64], what: &str) {
    let off = found.iter().zip(expected).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
    assert!(off < 1e-10, "{what}: {found:?} {expected:?}");
}

#[test]
fn as_many_bodies_of_a_touching_row_leave_as_arrive() {
    for scheme in SCHEMES {
        for kind in [Kind::Ball, Kind::Cube] {
            for count in 2..=6 {
                for moving in 1..count {
                    let speeds: Vec<f64> = (0..count).map(|k| if k < moving { 1.0 } else { 0.0 }).collect();
                    let expected: Vec<f64> = speeds.iter().rev().copied().collect();
                    let row = touching_row(kind, &vec![1.0; count], &speeds, surface(1.0, 0.0));
                    assert_near(
                        &outcome(scheme, row),
                        &expected,
                        &format!("{scheme} {kind:?} {moving} of {count}"),
                    );
                }
            }
        }
    }
}

#[test]
fn a_row_hit_from_both_sides_stays_symmetric() {
    for scheme in SCHEMES {
        for kind in [Kind::Ball, Kind::Cube] {
            for between in 1..=4 {
                let mut speeds = vec![0.0; between + 2];
                (speeds[0], speeds[between + 1]) = (1.0, -1.0);
                let row = touching_row(kind, &vec![1.0; between + 2], &speeds, surface(1.0, 0.0));
                let expected: Vec<f64> = speeds.iter().map(|v| -v).collect();
                let found = outcome(scheme, row);
                assert_near(&found, &expected, &format!("{scheme} {kind:?} {between} between"));
            }
        }
    }
}

/// Velocities after impacts of neighbours one after the other, the fastest first.
fn pairwise(masses: &[f64], speeds: &[f64], e: f64) -> Vec<f64> {
    let mut v = speeds.to_vec();
    loop {
        let closing = |k: &usize| v[*k] - v[k + 1];
        let fastest = (0..v.len() - 1).max_by(|a, b| closing(a).total_cmp(&closing(b))).unwrap();
        if closing(&fastest) <= 1e-13 {
            return v;
        }
        let (m, n) = (masses[fastest], masses[fastest + 1]);
        let impulse = (1.0 + e) * closing(&fastest) * m * n / (m + n);
        v[fastest] -= impulse / m;
        v[fastest + 1] += impulse / n;
    }
}

#[test]
fn rows_of_unequal_masses_have_the_impacts_of_neighbours_one_after_the_other() {
    for scheme in SCHEMES {
        for kind in [Kind::Ball, Kind::Cube] {
            for (masses, speeds) in [
                (&[1.0, 2.0, 3.0][..], &[1.0, 0.0, 0.0][..]),
                (&[3.0, 1.0, 0.5, 2.0], &[1.0, 0.0, 0.0, 0.0]),
                (&[1.0, 2.0, 1.5, 4.0], &[1.0, 1.0, 0.0, 0.0]),
            ] {
                for e in [1.0, 0.9] {
                    // At their times of impact contacts that touch may meet in groups, and the order is another one.
                    if scheme != SchemeKind::Decomposition && e < 1.0 {
                        continue;
                    }
                    let found = outcome(scheme, touching_row(kind, masses, speeds, surface(e, 0.0)));
                    assert_near(
                        &found,
                        &pairwise(masses, speeds, e),
                        &format!("{scheme} {kind:?} {masses:?} {e}"),
                    );
                }
            }
        }
    }
}

#[test]
fn a_plastic_row_moves_on_together() {
    for scheme in [SchemeKind::Dissipative, SchemeKind::Decomposition] {
        for kind in [Kind::Ball, Kind::Cube] {
            let row = touching_row(kind, &[1.0, 2.0, 3.0], &[1.0, 0.0, 0.0], surface(0.0, 0.0));
            assert_near(&outcome(scheme, row), &[1.0 / 6.0; 3], &format!("{scheme} {kind:?}"));
        }
    }
}

/// Bodies thrown at each other in a heap, with friction and restitution.
#[test]
fn impacts_with_friction_and_restitution_gain_no_energy_and_keep_momentum() {
    for scheme in [SchemeKind::Dissipative, SchemeKind::Decomposition, SchemeKind::Lcp] {
        for law in [ImpactLaw::Sequential, ImpactLaw::Moreau] {
            for (e, mu) in [(0.3, 0.5), (0.8, 0.2), (0.9, 1.0)] {
                let mut builder = ModelBuilder::new();
                for k in 0..8 {
                    let out = Vec3::new(
                        f64::from(k & 1) - 0.5,
                        f64::from(k >> 1 & 1) - 0.5,
                        f64::from(k >> 2) - 0.5,
                    );
                    let turn = Rotation3::from_scaled_axis(Vec3::new(0.2 * f64::from(k), 0.1, 0.4));
                    let id = builder
                        .body(cuboid(&format!("brick-{k}"), 0.15, 0.2, 0.25), Pose::new(turn, out * 0.7));
                    builder.velocity(id, -out * 2.0, Vec3::new(0.5, -0.3 * f64::from(k), 0.4));
                }
                builder.contact(surface(e, mu));
                let contact = ContactOptions { law, ..ContactOptions::default() };
                let options = SchemeOptions { contact, ..SchemeOptions::default() };
                let mut sim = simulated(scheme, builder, &options, 2e-3);
                let start = *sim.ledger().initial();
                let (mut last, mut met, mut unfinished) = (start.energy(), 0, 0);
                for _ in 0..600 {
                    sim.step().unwrap();
                    let now = sim.ledger().latest();
                    assert!(
                        now.energy() <= last + 1e-10 * start.energy(),
                        "{scheme} {law:?} {e} {mu}: {:e}",
                        now.energy() - last
                    );
                    assert!((now.linear - start.linear).norm() < 1e-12 * start.mass, "{scheme} {law:?}");
                    last = now.energy();
                    let record = sim.step_record().unwrap();
                    met += record.impacts.len();
                    unfinished += record.unfinished_sequences;
                }
                println!("{scheme} {law:?} {e} {mu}: {met} impacts, {unfinished} sequences without end");
                assert!(met > 5 && last < 0.9 * start.energy());
            }
        }
    }
}
