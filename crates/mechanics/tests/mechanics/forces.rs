//! Forces against their potentials, derivatives against differences, and the laws of Newton and Coulomb.

use crate::common::*;

/// Slots do not begin at zero: islands number their bodies from their first.
const FIRST: usize = 5;
const COUNT: usize = 4;
/// Differences of fourth order of forces whose fifth derivatives are some thousand times as large as they are.
const DIFFERENCES: f64 = 1e-9;
const ROUNDING: f64 = 1e-13;

fn anchor(body: usize, random: &mut Random) -> Anchor {
    on(FIRST + body, random.vector() * 0.3)
}

/// Apart from all bodies.
fn on_world(random: &mut Random) -> Anchor {
    in_world(Vec3::new(3.0, 2.0, 0.0) + random.vector() * 0.3)
}

fn given(axes: Axes, random: &mut Random) -> Option<Given> {
    let rows = (0..2).map(|_| random.vector().into()).collect();
    Some(Given { components: Table::new(vec![0.0, 1.0], rows).unwrap(), axes })
}

/// Every law, in every variant that has its own formula.
fn laws(random: &mut Random) -> Vec<Force> {
    let r = random;
    let spring =
        |a, b, rest_length, damping| ForceLaw::Spring(Spring { a, b, stiffness: 3.0, rest_length, damping });
    let source = |anchor: Anchor, weight: f64| Source { anchor, weight };
    let mut named = vec![
        ("spring between bodies", spring(anchor(0, r), anchor(1, r), 0.4, 0.0)),
        ("spring within a body", spring(anchor(0, r), anchor(0, r), 0.1, 0.7)),
        ("spring without rest length", spring(anchor(2, r), anchor(1, r), 0.0, 0.0)),
        ("damped spring", spring(anchor(0, r), anchor(3, r), 0.4, 0.8)),
        ("spring to the world", spring(anchor(0, r), on_world(r), 0.4, 0.8)),
        ("spring from the world", spring(on_world(r), anchor(0, r), 0.4, 0.8)),
    ];
    for softening in [0.0, 0.4] {
        let body = source(anchor(2, r), 1.7);
        let attraction = Attraction { centre: on_world(r).arm, parameter: 2.0, softening, body };
        named.push(("attraction", ForceLaw::Attraction(attraction)));
        let bodies = (0..COUNT).map(|i| source(anchor(i, r), 1.0 + i as f64)).collect();
        named.push(("gravitation", ForceLaw::Gravitation(Gravitation { constant: 0.7, softening, bodies })));
        let mut charges: Vec<Source> = (0..COUNT).map(|i| source(anchor(i, r), 1.5 - i as f64)).collect();
        charges.push(source(anchor(0, r), -0.4));
        charges.push(source(on_world(r), 0.9));
        charges.push(source(on_world(r), -0.6));
        named.push(("charges", ForceLaw::Charges(Charges { constant: 0.9, softening, charges })));
    }
    for (force, torque) in [
        (given(Axes::World, r), None),
        (given(Axes::Body, r), None),
        (None, given(Axes::World, r)),
        (None, given(Axes::Body, r)),
        (given(Axes::Body, r), given(Axes::Body, r)),
        (given(Axes::World, r), given(Axes::Body, r)),
    ] {
        named.push(("load", ForceLaw::Load(Load { anchor: anchor(1, r), force, torque })));
    }
    let still = Drag::at(anchor(2, r));
    let medium = r.vector();
    named.push(("linear drag", ForceLaw::Drag(Drag { linear: 0.8, ..still.clone() })));
    named.push(("quadratic drag", ForceLaw::Drag(Drag { quadratic: 0.8, medium, ..still.clone() })));
    named.push(("angular drag", ForceLaw::Drag(Drag { angular: 0.8, ..still.clone() })));
    let all = Drag { linear: 0.2, quadratic: 0.3, angular: 0.4, angular_quadratic: 0.5, medium, ..still };
    named.push(("all drag", ForceLaw::Drag(all)));
    named.into_iter().map(|(name, law)| force(name, law)).collect()
}

/// Bodies apart from each other, moving, with directors that are no rotation.
fn placements(random: &mut Random) -> Vec<BodyKinematics> {
    (0..COUNT)
        .map(|i| BodyKinematics {
            position: Vec3::new(2.0 * i as f64, 0.0, 0.0) + random.vector() * 0.3,
            frame: random.rotation().matrix() + random.matrix() * 0.2,
            velocity: random.vector(),
            frame_rate: random.matrix(),
        })
        .collect()
}

fn pulls(force: &Force, placements: &[BodyKinematics]) -> Vec<ForceAccumulator> {
    let mut pulls = vec![ForceAccumulator::zero(); COUNT];
    force.add_forces(0.3, &Bodies { first: FIRST, kinematics: placements }, &mut pulls).unwrap();
    pulls
}

#[test]
fn a_conservative_force_is_the_slope_of_its_potential_for_any_directors() {
    let mut random = Random::new(21);
    let mut seen = 0;
    for force in laws(&mut random) {
        if matches!(force.law, ForceLaw::Load(_) | ForceLaw::Drag(_)) {
            assert!(!force.is_conservative());
            continue;
        }
        let mut at = placements(&mut random);
        // Dampers have no potential and act on what moves.
        at.iter_mut().for_each(|p| (p.velocity, p.frame_rate) = (Vec3::zeros(), Mat3::zeros()));
        let pulls = pulls(&force, &at);
        for (i, pull) in pulls.iter().enumerate() {
            assert_eq!(pull.torque, Vec3::zeros());
            for _ in 0..4 {
                let (dx, dr) = (random.vector(), random.matrix());
                let slope = derivative(|e| {
                    let mut at = at.clone();
                    at[i].position += dx * e;
                    at[i].frame += dr * e;
                    force.potential(&Bodies { first: FIRST, kinematics: &at }).unwrap()
                });
                let work = pull.force.dot(&dx) + pull.moment.dot(&dr);
                assert!((slope + work).abs() < DIFFERENCES, "{}: {slope} {work}", force.name);
            }
        }
        seen += 1;
    }
    assert_eq!(seen, 12);
}

/// `∂wrench/∂twist` by the elements, for all bodies at once.
fn by_elements(
    elements: &[Stiffness],
    ends: (&[Mat3], &[Mat3]),
    weights: &Weights,
    scale: f64,
    twists: &[Vec6],
) -> Vec<Vec6> {
    let mut blocks = vec![Mat6::zeros(); COUNT];
    let mut wrenches = vec![Vec6::zeros(); COUNT];
    for element in elements {
        element.add_blocks(FIRST, ends, weights, scale, &mut blocks);
        element.add_coupling(FIRST, ends, weights, scale, twists, &mut wrenches);
    }
    wrenches.iter().zip(&blocks).zip(twists).map(|((w, block), t)| w + block * t).collect()
}

#[test]
fn stiffness_is_the_difference_of_wrenches_in_position_and_velocity_for_any_directors() {
    let mut random = Random::new(22);
    for force in laws(&mut random) {
        let at = placements(&mut random);
        // Levers at one end of the step, displacements at the other; the force depends on neither.
        let first: Vec<Mat3> = (0..COUNT).map(|_| *random.rotation().matrix()).collect();
        let second: Vec<Mat3> = (0..COUNT).map(|_| *random.rotation().matrix()).collect();
        let mut elements = Vec::new();
        force.stiffness(0.3, &Bodies { first: FIRST, kinematics: &at }, &mut elements).unwrap();
        let by_position = Weights { position: 1.0, velocity: 0.0 };
        let by_velocity = Weights { position: 0.0, velocity: 1.0 };
        for weights in [by_position, by_velocity, Weights { position: 0.5, velocity: 3.0 }] {
            for moved in 0..=COUNT {
                // One body alone, then all together.
                let mut twist = |i| match i == moved || moved == COUNT {
                    true => Vec6::from_fn(|_, _| random.signed()),
                    false => Vec6::zeros(),
                };
                let twists: Vec<Vec6> = (0..COUNT).map(&mut twist).collect();
                let expected: Vec<Vec6> = (0..COUNT)
                    .map(|i| {
                        derivative(|e| {
                            let mut at = at.clone();
                            for ((p, t), r1) in at.iter_mut().zip(&twists).zip(&second) {
                                let (dx, dr) = (linear(t) * e, hat(&angular(t)) * r1 * e);
                                p.position += dx * weights.position;
                                p.frame += dr * weights.position;
                                p.velocity += dx * weights.velocity;
                                p.frame_rate += dr * weights.velocity;
                            }
                            pulls(&force, &at)[i].wrench(&first[i])
                        })
                    })
                    .collect();
                let found = by_elements(&elements, (&first, &second), &weights, 1.0, &twists);
                let scaled = by_elements(&elements, (&first, &second), &weights, -0.5, &twists);
                for i in 0..COUNT {
                    let error = (found[i] - expected[i]).amax();
                    assert!(error < DIFFERENCES, "{} body {i}: off by {error:e}", force.name);
                    assert!((scaled[i] + found[i] * 0.5).amax() < ROUNDING);
                }
            }
        }
    }
}

#[test]
fn what_bodies_do_to_each_other_sums_to_nothing() {
    let mut random = Random::new(23);
    for force in laws(&mut random) {
        let outside = match &force.law {
            ForceLaw::Load(_) | ForceLaw::Drag(_) | ForceLaw::Attraction(_) => true,
            ForceLaw::Spring(spring) => spring.a.body.is_none() || spring.b.body.is_none(),
            _ => false,
        };
        if outside {
            continue;
        }
        let mut force = force;
        if let ForceLaw::Charges(charges) = &mut force.law {
            charges.charges.retain(|charge| charge.anchor.body.is_some());
        }
        let at = placements(&mut random);
        let (mut total, mut torque) = (Vec3::zeros(), Vec3::zeros());
        for (pull, p) in pulls(&force, &at).iter().zip(&at) {
            total += pull.force;
            // The torque about the origin at the seen points, which lie on the lines of action.
            torque += p.position.cross(&pull.force) + pull.torque + moment_of(&p.frame, &pull.moment);
        }
        assert!(total.amax() < ROUNDING && torque.amax() < ROUNDING, "{}: {total} {torque}", force.name);
    }
}

/// Particles at rest at given positions.
fn at_rest(places: &[Vec3]) -> Vec<BodyKinematics> {
    places.iter().map(|&position| BodyKinematics { position, ..BodyKinematics::rest() }).collect()
}

fn centres(weights: &[f64]) -> Vec<Source> {
    let source = |(i, &weight)| Source { anchor: on(i, Vec3::zeros()), weight };
    weights.iter().enumerate().map(source).collect()
}

/// Force on the first body and potential energy.
fn answer(law: ForceLaw, at: &[BodyKinematics]) -> Result<(Vec3, f64), ForceError> {
    let force = force("f", law);
    let bodies = Bodies { first: 0, kinematics: at };
    let mut pulls = vec![ForceAccumulator::zero(); at.len()];
    force.add_forces(0.0, &bodies, &mut pulls)?;
    Ok((pulls[0].force, force.potential(&bodies)?))
}

#[test]
fn charges_and_masses_follow_the_inverse_square() {
    let at = at_rest(&[Vec3::zeros(), Vec3::new(0.0, 3.0, 0.0)]);
    let charges = |softening| Charges { constant: 2.0, softening, charges: centres(&[1.5, -4.0]) };
    // K q q / r = 2·1.5·(-4)/3, K q q / r² = 12/9, towards the other.
    let (force, potential) = answer(ForceLaw::Charges(charges(0.0)), &at).unwrap();
    assert!((force - Vec3::new(0.0, 12.0 / 9.0, 0.0)).amax() < 1e-15 && (potential + 4.0).abs() < 1e-15);
    // Softened by 4 m: ρ = 5 m.
    let (force, potential) = answer(ForceLaw::Charges(charges(4.0)), &at).unwrap();
    assert!((force - Vec3::new(0.0, 12.0 * 3.0 / 125.0, 0.0)).amax() < 1e-15);
    assert!((potential + 12.0 / 5.0).abs() < 1e-15);

    let gravitation = Gravitation { constant: 6.0, softening: 0.0, bodies: centres(&[2.0, 3.0]) };
    let (force, potential) = answer(ForceLaw::Gravitation(gravitation), &at).unwrap();
    assert!((force - Vec3::new(0.0, 36.0 / 9.0, 0.0)).amax() < 1e-15 && (potential + 12.0).abs() < 1e-15);

    let body = centres(&[2.0])[0];
    let attraction = Attraction { centre: Vec3::new(0.0, 0.0, 2.0), parameter: 5.0, softening: 0.0, body };
    let (force, potential) = answer(ForceLaw::Attraction(attraction), &at).unwrap();
    assert!((force - Vec3::new(0.0, 0.0, 10.0 / 4.0)).amax() < 1e-15 && (potential + 5.0).abs() < 1e-15);
}

#[test]
fn points_that_meet_are_an_error_that_names_the_force_unless_softened() {
    let singular = |law: ForceLaw, at: &[BodyKinematics]| {
        let error = answer(law, at).unwrap_err();
        assert_eq!(error, ForceError::Singular { force: "f".to_owned(), distance: 0.0 });
        assert!(error.to_string().starts_with("f: ") && error.to_string().contains("soften"));
    };
    let met = at_rest(&[Vec3::x(), Vec3::x()]);
    let charges = |softening, weights: &[f64]| {
        ForceLaw::Charges(Charges { constant: 2.0, softening, charges: centres(weights) })
    };
    singular(charges(0.0, &[1.0, 2.0]), &met);
    let gravitation = Gravitation { constant: 1.0, softening: 0.0, bodies: centres(&[1.0, 1.0]) };
    singular(ForceLaw::Gravitation(gravitation), &met);
    let body = centres(&[2.0])[0];
    let centre = Vec3::x();
    singular(ForceLaw::Attraction(Attraction { centre, parameter: 5.0, softening: 0.0, body }), &met);
    let spring = |rest_length, damping| {
        let [a, b] = [0, 1].map(|body| on(body, Vec3::zeros()));
        ForceLaw::Spring(Spring { a, b, stiffness: 2.0, rest_length, damping })
    };
    singular(spring(1.0, 0.0), &met);
    singular(spring(0.0, 1.0), &met);
    assert_eq!(answer(spring(0.0, 0.0), &met).unwrap(), (Vec3::zeros(), 0.0));
    assert_eq!(answer(charges(0.5, &[1.0, 2.0]), &met).unwrap(), (Vec3::zeros(), 8.0));
    // Points without charge may meet, and points that nearly meet have nothing finite to say.
    assert_eq!(answer(charges(0.0, &[0.0, 2.0]), &met).unwrap(), (Vec3::zeros(), 0.0));
    let near = at_rest(&[Vec3::zeros(), Vec3::x() * 1e-150]);
    assert!(answer(charges(0.0, &[1.0, 2.0]), &near).is_err());
}

#[test]
fn power_is_what_forces_without_potential_do_to_what_moves() {
    let mut random = Random::new(24);
    for force in laws(&mut random) {
        let mut at = placements(&mut random);
        // At an instant: directors are a rotation, and turn rigidly.
        let spins: Vec<Vec3> = at.iter().map(|_| random.vector()).collect();
        for (p, spin) in at.iter_mut().zip(&spins) {
            p.frame = *random.rotation().matrix();
            p.frame_rate = hat(spin) * p.frame;
            assert!((p.spin() - spin).amax() < ROUNDING);
        }
        let bodies = Bodies { first: FIRST, kinematics: &at };
        let total: f64 = pulls(&force, &at)
            .iter()
            .zip(&at)
            .zip(&spins)
            .map(|((pull, p), spin)| {
                let wrench = pull.wrench(&p.frame);
                linear(&wrench).dot(&p.velocity) + angular(&wrench).dot(spin)
            })
            .sum();
        let stored = derivative(|e| {
            let moved: Vec<BodyKinematics> = at
                .iter()
                .zip(&spins)
                .map(|(p, spin)| BodyKinematics {
                    position: p.position + p.velocity * e,
                    frame: RodriguesVector::exp(&(spin * e)).matrix() * p.frame,
                    ..*p
                })
                .collect();
            force.potential(&Bodies { first: FIRST, kinematics: &moved }).unwrap()
        });
        let power = force.power(0.3, &bodies).unwrap();
        assert!((total - power + stored).abs() < DIFFERENCES, "{}: {total} {power} {stored}", force.name);
        if matches!(&force.law, ForceLaw::Spring(spring) if spring.a.body == spring.b.body) {
            // No damper works between points that keep their distance.
            assert!(power.abs() < ROUNDING);
            continue;
        }
        assert_eq!(force.is_conservative(), power == 0.0, "{}", force.name);
        let resists = match &force.law {
            ForceLaw::Spring(spring) => spring.damping > 0.0,
            ForceLaw::Drag(drag) => drag.medium == Vec3::zeros(),
            _ => false,
        };
        assert!(!resists || power < 0.0, "{}", force.name);
    }
}

#[test]
fn a_force_visits_the_bodies_it_pulls() {
    let mut random = Random::new(25);
    for mut force in laws(&mut random) {
        let mut visited = [false; COUNT];
        force.for_each_slot(&mut |slot| visited[slot - FIRST] = true);
        for (pull, visited) in pulls(&force, &placements(&mut random)).iter().zip(visited) {
            let pulled = pull.moment != Mat3::zeros() || pull.torque != Vec3::zeros();
            assert_eq!(pulled, visited, "{}", force.name);
        }
        let anchored: Vec<usize> = force.anchors_mut().iter().filter_map(|anchor| anchor.body).collect();
        assert!((0..COUNT).all(|i| visited[i] == anchored.contains(&(FIRST + i))), "{}", force.name);
    }
}

#[test]
fn forces_along_joints_are_their_slopes() {
    let force = |law: JointLaw| JointForce { name: "f".to_owned(), slot: 0, coordinate: 0, law };
    let motor = Table::new(vec![0.0, 2.0], vec![[1.0], [5.0]]).unwrap();
    for (law, conservative) in [
        (JointLaw::Spring { stiffness: 3.0, rest: 0.4 }, true),
        (JointLaw::Damper { damping: 0.7 }, false),
        (JointLaw::Motor(motor), false),
    ] {
        let force = force(law);
        let (t, c, rate) = (0.5, 9.7, -1.3);
        let pull = force.evaluate(t, c, rate);
        let by_position = derivative(|e| force.evaluate(t, c + e, rate).value);
        let by_velocity = derivative(|e| force.evaluate(t, c, rate + e).value);
        assert!((by_position - pull.by_position).abs() < DIFFERENCES);
        assert!((by_velocity - pull.by_velocity).abs() < DIFFERENCES);
        let slope = derivative(|e| force.potential(c + e));
        let power = force.power(t, c, rate);
        assert!((pull.value * rate - power + slope * rate).abs() < DIFFERENCES);
        assert_eq!(force.is_conservative(), conservative);
        assert_eq!(conservative, power == 0.0);
    }
    assert_eq!(force(JointLaw::Motor(Table::constant([2.0]))).evaluate(0.0, 0.0, 0.0).value, 2.0);
}
