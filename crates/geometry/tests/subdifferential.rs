//! At kinks, one-sided derivatives are those the subdifferential predicts.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::print_stdout)]

mod common;
mod resolve_common;

use common::{Random, ask, cuboid, half_space, octahedron};
use percussion_geometry::separation::{BetaTerm, Subdifferential, subdifferential};
use percussion_geometry::shapes::{Polytope, Solid};
use percussion_geometry::{Pose, Vec3};
use resolve_common::{FAMILIES, Pair, family, figures};

const STEP: f64 = 1e-4;

fn all_gradients(pair: &Pair) -> Subdifferential {
    subdifferential(&pair.a, &pair.pose_a, &pair.b, &pair.pose_b, &pair.ask()).unwrap()
}

fn velocity(random: &mut Random) -> [f64; 12] {
    [0; 12].map(|_| random.uniform())
}

/// The separation of a moved pair, with β following the bodies or held.
fn value(pair: &Pair, velocity: &[f64; 12], by: f64, held: Option<Vec3>) -> f64 {
    pair.moved(velocity, by).ask_along(held).separation
}

/// One-sided derivative along a velocity, extrapolated to step zero; `None` where another kink lies within
/// the step, so that two steps disagree.
fn one_sided(pair: &Pair, velocity: &[f64; 12], held: Option<Vec3>) -> Option<f64> {
    let here = value(pair, velocity, 0.0, held);
    let slope = |by: f64| (value(pair, velocity, by, held) - here) / by;
    let straight = |step: f64| 2.0 * slope(step / 2.0) - slope(step);
    let (long, short) = (straight(STEP), straight(STEP / 2.0));
    ((long - short).abs() <= 1e-5 * (1.0 + long.abs())).then_some((4.0 * short - long) / 3.0)
}

/// Checks one contact along some velocities; returns the worst error of the predicted derivative and how many
/// velocities met another kink.
fn check(name: &str, pair: &Pair, random: &mut Random, velocities: usize) -> (f64, usize) {
    let (ca, cb) = pair.references();
    let (answer, set) = (pair.ask(), all_gradients(pair));
    let chosen = pair.resolve(&answer);
    let (mut worst, mut met) = (0.0f64, 0);
    for term in [BetaTerm::Follow, BetaTerm::Hold] {
        let gradients = set.motion(&ca, &cb, term);
        let held = (term == BetaTerm::Hold).then_some(answer.beta);
        let own = answer.motion_gradient(&ca, &cb, term);
        assert!(gradients.contains(own, 1e-9), "{name}: query's gradient, {:e}", gradients.distance(own));
        let shortest = chosen.motion_gradient(&ca, &cb, term);
        assert!(gradients.contains(shortest, 1e-9), "{name}: resolved, {:e}", gradients.distance(shortest));
        for _ in 0..velocities {
            let v = velocity(random);
            let Some(slope) = one_sided(pair, &v, held) else {
                met += 1;
                continue;
            };
            let opposite = v.map(|c| -c);
            let (low, high) = (-gradients.support(&opposite), gradients.support(&v));
            let size = 1.0 + high.abs().max(low.abs());
            assert!(
                slope >= low - 1e-6 * size && slope <= high + 1e-6 * size,
                "{name}: {slope} in {low}..{high}"
            );
            let predicted = gradients.directional_derivative(&v);
            let error = (slope - predicted).abs() / size;
            assert!(error <= 1e-6, "{name} {term:?}: slope {slope}, predicted {predicted}, {low}..{high}");
            worst = worst.max(error);
        }
    }
    (worst, met)
}

#[test]
fn the_tetrahedra_move_as_their_subdifferentials_say() {
    let mut random = Random(11);
    for figure in figures() {
        let mut worst = 0.0f64;
        for lift in [-0.125, 0.0, 0.25] {
            let (error, met) = check(figure.name, &figure.pair(lift), &mut random, 200);
            assert_eq!(met, 0, "{}", figure.name);
            worst = worst.max(error);
            let set = all_gradients(&figure.pair(lift));
            let region = set.contact_region().len();
            let expected = match figure.name {
                "edge on face" | "edge along edge" => 2,
                "face on face" => 3,
                _ => 1,
            };
            assert_eq!(region, expected, "{}", figure.name);
            let alphas = set.alphas().len();
            match figure.name {
                "vertex on edge" | "edge along edge" => assert_eq!(alphas, 2),
                "vertex on vertex" => assert!(alphas >= 3),
                _ => assert_eq!(alphas, 1),
            }
        }
        println!("{}: one-sided derivatives to {worst:.1e}", figure.name);
    }
}

#[test]
fn degenerate_families_move_as_their_subdifferentials_say() {
    for (f, name) in FAMILIES.iter().enumerate() {
        // Differences of a millionth of the size, or of coordinates of millions, have too few digits; generic
        // contacts have no kinks.
        if ["size ratio 1e6", "far from the origin", "generic"].contains(name) {
            continue;
        }
        let mut random = Random(2100 + f as u64);
        let (mut worst, mut kinks, mut met) = (0.0f64, 0, 0);
        for _ in 0..300 {
            let pair = family(name, &mut random);
            let answer = pair.ask();
            // Far inside each other the direction between the reference points turns quickly.
            if answer.reference_distance < 0.2 {
                continue;
            }
            let set = all_gradients(&pair);
            // Neither a contact without a kink, nor one that another kink is near.
            let sides = |corners: &[Vec3]| -> f64 {
                let next = corners.iter().cycle().skip(1);
                corners.iter().zip(next).map(|(p, q)| (p - q).norm()).fold(f64::INFINITY, f64::min)
            };
            let smooth = set.alphas().len() == 1 && set.contact_region().len() == 1;
            let small = |corners: &[Vec3]| corners.len() > 1 && sides(corners) < 500.0 * STEP;
            let thin = pair.a.inner_radius().min(pair.b.inner_radius()) < 500.0 * STEP;
            if smooth || thin || small(set.alphas()) || small(set.contact_region()) {
                continue;
            }
            kinks += 1;
            let (error, others) = check(name, &pair, &mut random, 5);
            worst = worst.max(error);
            met += others;
        }
        println!("{name}: {kinks} kinks, {met} velocities met another, one-sided derivatives to {worst:.1e}");
        // Ten velocities per kink.
        assert!(met <= kinks / 10, "{name}: {met} of {}", 10 * kinks);
        assert!(kinks > 50, "{name}: {kinks}");
    }
}

#[test]
fn what_a_query_returns_and_what_is_chosen_belong_to_the_set() {
    for (f, name) in FAMILIES.iter().enumerate() {
        let mut random = Random(2500 + f as u64);
        let mut worst = 0.0f64;
        for index in 0..2000 {
            let pair = family(name, &mut random);
            let (answer, set) = (pair.ask(), all_gradients(&pair));
            let chosen = pair.resolve(&answer);
            let (ca, cb) = pair.references();
            let gradients = set.motion(&ca, &cb, BetaTerm::Hold);
            let longest = gradients.extreme_gradients().map(|g| dot(g, g).sqrt()).fold(0.0, f64::max);
            let own = gradients.distance(answer.motion_gradient(&ca, &cb, BetaTerm::Hold)) / longest;
            let shortest = gradients.distance(chosen.motion_gradient(&ca, &cb, BetaTerm::Hold)) / longest;
            assert!(own <= 1e-8 && shortest <= 1e-8, "{name} {index}: {own:e} {shortest:e}");
            worst = worst.max(own).max(shortest);
            let vertices = set.vertices();
            if index % 20 == 0 {
                let (a, b) = (answer.vertex_gradients_a(), answer.vertex_gradients_b());
                let off = vertices.distance(a, b);
                // A body of a millionth of the size is resolved to a hundred-thousandth of itself.
                let allowed = if *name == "size ratio 1e6" { 1e-4 } else { 1e-9 };
                assert!(off <= allowed * answer.alpha.norm(), "{name} {index}: {off:e}");
                assert!(vertices.contains(chosen.vertex_gradients_a(), chosen.vertex_gradients_b(), 1e-9));
            }
        }
        println!("{name}: members to {worst:.1e}");
    }
}

#[test]
fn gradients_outside_are_told_apart() {
    let mut random = Random(13);
    for figure in figures() {
        let pair = figure.pair(0.0);
        let (ca, cb) = pair.references();
        let gradients = all_gradients(&pair).motion(&ca, &cb, BetaTerm::Follow);
        let own: [f64; 12] = pair.ask().motion_gradient(&ca, &cb, BetaTerm::Follow).into();
        for _ in 0..50 {
            let v = velocity(&mut random);
            let length = v.iter().map(|c| c * c).sum::<f64>().sqrt();
            // Just beyond the extreme element along v: outside by that much.
            let top =
                gradients.extreme_gradients().max_by(|p, q| dot(*p, &v).total_cmp(&dot(*q, &v))).unwrap();
            let mut beyond = *top;
            beyond.iter_mut().zip(&v).for_each(|(g, v)| *g += 1e-6 * v / length);
            let distance = gradients.distance(beyond);
            assert!((0.9999e-6..=1.0001e-6).contains(&distance), "{}: {distance:e}", figure.name);
            assert!(!gradients.contains(beyond, 1e-8) && gradients.contains(*top, 1e-12));
            let perturbed: [f64; 12] = std::array::from_fn(|k| own[k] + 1e-3 * v[k]);
            assert!(!gradients.contains(perturbed, 1e-6), "{}", figure.name);
        }
        // Any mixture of elements is an element.
        let list: Vec<[f64; 12]> = gradients.extreme_gradients().copied().collect();
        let shares: Vec<f64> = list.iter().map(|_| random.uniform().abs()).collect();
        let total: f64 = shares.iter().sum();
        let mut mixture = [0.0; 12];
        for (g, share) in list.iter().zip(&shares) {
            mixture.iter_mut().zip(g).for_each(|(m, g)| *m += share / total * g);
        }
        assert!(gradients.contains(mixture, 1e-13));
        assert!(gradients.distance([f64::NAN; 12]).is_infinite());
    }
}

fn dot(p: &[f64], q: &[f64]) -> f64 {
    p.iter().zip(q).map(|(a, b)| a * b).sum()
}

#[test]
fn the_contact_region_of_stacked_boxes_is_the_overlap_of_their_faces() {
    let mut random = Random(17);
    for _ in 0..200 {
        let half = |r: &mut Random| Vec3::from_fn(|_, _| 0.5 + 0.25 * r.below(4) as f64);
        let (a, b) = (half(&mut random), half(&mut random));
        let shift = Vec3::new(0.4 * random.uniform(), 0.4 * random.uniform(), a.z + b.z + 0.01);
        let pair = Pair::new(cuboid(a), Pose::at(shift), cuboid(b), Pose::identity());
        let answer = pair.ask();
        // Along the normal, the overlap is that of the faces as they lie; along β, of the shifted ones.
        let set = all_gradients(&pair);
        let slide = answer.separation * answer.beta;
        for axis in 0..2 {
            let values = || set.contact_region().iter().map(|p| p[axis]);
            let low = values().fold(f64::INFINITY, f64::min);
            let high = values().fold(f64::NEG_INFINITY, f64::max);
            let expected_low = (shift[axis] - a[axis]).max(slide[axis] - b[axis]);
            let expected_high = (shift[axis] + a[axis]).min(slide[axis] + b[axis]);
            assert!((low - expected_low).abs() <= 1e-13 && (high - expected_high).abs() <= 1e-13);
        }
        assert_eq!(set.contact_region().len(), 4);
    }
}

#[test]
fn a_box_on_a_floor_lifts_off_as_predicted() {
    let floor = half_space(Vec3::z(), 0.0);
    let mut random = Random(19);
    let pose = Pose::at(Vec3::new(0.1, 0.2, 0.25));
    let pair = Pair {
        a: Solid::Polytope(cuboid(Vec3::new(1.0, 0.5, 0.25))),
        pose_a: pose,
        b: floor,
        pose_b: Pose::identity(),
    };
    let answer = pair.ask();
    let set = all_gradients(&pair);
    assert_eq!((set.alphas().len(), set.contact_region().len()), (1, 4));
    let (ca, cb) = pair.references();
    let gradients = set.motion(&ca, &cb, BetaTerm::Follow);
    assert!(gradients.contains(answer.motion_gradient(&ca, &cb, BetaTerm::Follow), 1e-14));
    for _ in 0..200 {
        // The floor stays where it is.
        let mut v = velocity(&mut random);
        v[6..].fill(0.0);
        let slope = one_sided(&pair, &v, None).unwrap();
        assert!((slope - gradients.directional_derivative(&v)).abs() <= 1e-8);
    }
}

/// Tetrahedra with all vertices moved along given velocities.
fn bent(points: &[Vec3], velocities: &[Vec3], by: f64) -> Solid {
    let p: Vec<Vec3> = points.iter().zip(velocities).map(|(p, v)| p + by * v).collect();
    let faces = [vec![0, 2, 1], vec![0, 1, 3], vec![1, 2, 3], vec![0, 3, 2]];
    // The reference point, and with it β, is held.
    Solid::Polytope(Polytope::from_faces(p, &faces).unwrap())
}

#[test]
fn vertices_of_tetrahedra_pull_within_their_subdifferential() {
    let mut random = Random(23);
    for figure in figures() {
        for lift in [0.0, 0.25] {
            let pair = figure.pair(lift);
            let (answer, set) = (pair.ask(), all_gradients(&pair));
            let set = set.vertices();
            let chosen = pair.resolve(&answer);
            let name = figure.name;
            assert!(set.contains(answer.vertex_gradients_a(), answer.vertex_gradients_b(), 1e-12), "{name}");
            assert!(set.contains(chosen.vertex_gradients_a(), chosen.vertex_gradients_b(), 1e-12), "{name}");
            let off = random.direction() * 1e-3;
            let perturbed = chosen
                .vertex_gradients_a()
                .enumerate()
                .map(|(k, (i, g))| (i, if k == 0 { g + off } else { g }));
            assert!(!set.contains(perturbed, chosen.vertex_gradients_b(), 1e-6), "{name}");

            let (Solid::Polytope(a), Solid::Polytope(b)) = (&pair.a, &pair.b) else { unreachable!() };
            let (x, y) = (a.vertices().to_vec(), b.vertices().to_vec());
            for _ in 0..50 {
                let mut wander = || (0..4).map(|_| random.direction()).collect::<Vec<Vec3>>();
                let (u, v) = (wander(), wander());
                let value = |by: f64| {
                    let (a, b) = (bent(&x, &u, by), bent(&y, &v, by));
                    ask(&a, &pair.pose_a, &b, &pair.pose_b, Some(answer.beta)).separation
                };
                let slope = |by: f64| (value(by) - value(0.0)) / by;
                let slope = 2.0 * slope(STEP / 2.0) - slope(STEP);
                let named = |list: &[Vec3], sign: f64| -> Vec<(u32, Vec3)> {
                    list.iter().enumerate().map(|(k, v)| (k as u32, sign * v)).collect()
                };
                let high = set.support(&named(&u, 1.0), &named(&v, 1.0));
                let low = -set.support(&named(&u, -1.0), &named(&v, -1.0));
                assert!(slope >= low - 1e-6 && slope <= high + 1e-6, "{name}: {slope} in {low}..{high}");
                // The listed extreme gradients reach as far as the support.
                let rate = |g: &[Vec<(u32, Vec3)>; 2]| -> f64 {
                    let part = |g: &[(u32, Vec3)], v: &[Vec3]| {
                        g.iter().map(|(k, g)| g.dot(&v[*k as usize])).sum::<f64>()
                    };
                    part(&g[0], &u) + part(&g[1], &v)
                };
                let listed = set.extreme_gradients().iter().map(rate).fold(f64::NEG_INFINITY, f64::max);
                assert!((listed - high).abs() <= 1e-9, "{name}: {listed} {high}");
            }
        }
    }
}

#[test]
fn octahedra_tip_to_tip_have_a_pyramid_of_directions() {
    let (a, b) = (octahedron(Vec3::new(1.0, 1.0, 1.0)), octahedron(Vec3::new(0.5, 0.5, 0.5)));
    let pair = Pair::new(a, Pose::at(Vec3::new(0.0, 0.0, 1.5)), b, Pose::identity());
    let set = all_gradients(&pair);
    // The four faces that meet in the tip.
    assert_eq!((set.alphas().len(), set.contact_region().len()), (4, 1));
    for alpha in set.alphas() {
        assert!((alpha.z - 1.0).abs() <= 1e-15 && (alpha.x.abs() - 1.0).abs() <= 1e-15);
        assert!((alpha.y.abs() - 1.0).abs() <= 1e-15);
    }
}
