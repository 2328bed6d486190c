//! Symmetric contacts have symmetric answers, and each is the shortest of all optimal ones.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::print_stdout)]

mod common;
mod resolve_common;

use common::{Random, ask, cuboid, cylinder, half_space, octahedron, random_tetrahedron, sphere};
use nalgebra::{DMatrix, DVector, Rotation3};
use percussion_geometry::separation::{
    Options, Outcome, ResolveError, Resolved, WarmStart, resolve, separation,
};
use percussion_geometry::shapes::{Feature, Polytope, Solid};
use percussion_geometry::{Pose, Vec3};
use percussion_solve::qp::qp_residual;
use percussion_solve::{QpSolver, QuadraticProgram};
use resolve_common::{Pair, conic, figures};

fn resolved(pair: &Pair) -> Resolved {
    pair.resolve(&pair.ask())
}

fn close(p: &Vec3, q: &Vec3) -> bool {
    (p - q).norm() <= 1e-14
}

fn kind(feature: Feature) -> usize {
    match feature {
        Feature::Vertex(_) => 1,
        Feature::Edge(_) => 2,
        Feature::Face(_) => 3,
        _ => 0,
    }
}

#[test]
fn eight_pairs_of_tetrahedra_touch_as_drawn() {
    for figure in figures() {
        for lift in [-0.125, 0.0, 0.25] {
            let pair = figure.pair(lift);
            let r = resolved(&pair);
            let (name, (na, nb)) = (figure.name, figure.carriers);
            assert!((r.separation - lift).abs() <= 1e-15, "{name}: {}", r.separation);
            assert_eq!((kind(r.features.0), kind(r.features.1)), (na, nb), "{name} {lift}: {:?}", r.features);
            assert_eq!(
                (r.several_duals, r.several_alphas),
                (figure.several_duals, figure.several_alphas),
                "{name}"
            );
            // The contact is symmetric: equal weights, straight up, at the axis.
            for (weights, n) in [(&r.weights_a, na), (&r.weights_b, nb)] {
                assert_eq!(weights.len(), n, "{name} {lift}: {weights:?}");
                assert!(
                    weights.iter().all(|(_, w)| (w - 1.0 / n as f64).abs() <= 1e-15),
                    "{name}: {weights:?}"
                );
            }
            assert!(close(&r.alpha, &Vec3::z()), "{name}: {}", r.alpha);
            assert!(
                close(&r.point_a, &Vec3::new(0.0, 0.0, lift)) && close(&r.point_b, &Vec3::zeros()),
                "{name}"
            );
            // Forces act on the vertices of the contact alone: those in the plane z = 0 of their body.
            let (x, y) = pair.vertices();
            for (k, g) in r.vertex_gradients_a() {
                assert!(x[k as usize].z == lift && close(&g, &(Vec3::z() / na as f64)), "{name}: {k} {g}");
            }
            for (k, g) in r.vertex_gradients_b() {
                assert!(y[k as usize].z == 0.0 && close(&g, &(-Vec3::z() / nb as f64)), "{name}: {k} {g}");
            }
        }
    }
}

#[test]
fn a_contact_without_degeneracy_comes_back_unchanged() {
    let mut random = Random(41);
    let mut plain = 0;
    for _ in 0..2000 {
        let place = |random: &mut Random| Pose::new(random.rotation(), random.direction());
        let (a, b) = (random_tetrahedron(&mut random), random_tetrahedron(&mut random));
        let pair = Pair::new(a, place(&mut random), b, place(&mut random));
        let (answer, r) = (pair.ask(), resolved(&pair));
        if answer.weights_a().chain(answer.weights_b()).any(|(_, w)| w < 1e-3) {
            continue;
        }
        plain += 1;
        assert!(r.alpha == answer.alpha && !r.several_alphas && !r.several_duals);
        let mut own: Vec<(u32, f64)> = answer.weights_a().collect();
        own.sort_by_key(|w| w.0);
        assert!(own.len() == r.weights_a.len());
        assert!(own.iter().zip(&r.weights_a).all(|(p, q)| p.0 == q.0 && (p.1 - q.1).abs() <= 1e-15));
        assert!((r.point_a - answer.point_a).norm() <= 1e-15);
    }
    assert!(plain > 1500, "{plain}");
}

#[test]
fn turning_the_tetrahedra_turns_the_answer() {
    let mut random = Random(7);
    for figure in figures() {
        for _ in 0..50 {
            let turn = random.rotation();
            let lift = 0.25 * (random.below(3) as f64 - 1.0);
            let (straight, turned) =
                (resolved(&figure.pair(lift)), resolved(&figure.pair(lift).turned(&turn)));
            assert_eq!(straight.features, turned.features, "{}", figure.name);
            assert_eq!(straight.several_alphas, turned.several_alphas, "{}", figure.name);
            assert_eq!(straight.several_duals, turned.several_duals, "{}", figure.name);
            assert!((turned.alpha - turn * straight.alpha).norm() <= 1e-13, "{}", figure.name);
            for (p, q) in straight.weights_a.iter().zip(&turned.weights_a) {
                assert!(p.0 == q.0 && (p.1 - q.1).abs() <= 1e-13, "{}: {p:?} {q:?}", figure.name);
            }
        }
    }
}

#[test]
fn a_box_on_an_equal_box_stands_on_four_equal_corners() {
    for (half, height) in [(Vec3::new(1.0, 0.5, 0.25), 0.5), (Vec3::new(0.5, 0.5, 0.5), 0.875)] {
        let pair =
            Pair::new(cuboid(half), Pose::at(Vec3::new(0.0, 0.0, height)), cuboid(half), Pose::identity());
        let r = resolved(&pair);
        assert!(r.weights_a.len() == 4 && r.weights_b.len() == 4);
        assert!(r.weights_a.iter().chain(&r.weights_b).all(|(_, w)| (w - 0.25).abs() <= 1e-15));
        assert_eq!(r.features, (Feature::Face(0), Feature::Face(1)));
        assert!(close(&r.alpha, &Vec3::z()) && r.several_duals && !r.several_alphas);
    }
}

/// The dual polytope over the active corners, in plain coordinates.
fn equations(x: &[Vec3], y: &[Vec3], piercing: &Vec3) -> Vec<(Vec<f64>, f64)> {
    let row = |on_a: &dyn Fn(&Vec3) -> f64, on_b: &dyn Fn(&Vec3) -> f64| {
        x.iter().map(on_a).chain(y.iter().map(on_b)).collect::<Vec<f64>>()
    };
    vec![
        (row(&|v| v.x, &|v| -v.x), piercing.x),
        (row(&|v| v.y, &|v| -v.y), piercing.y),
        (row(&|_| 1.0, &|_| 0.0), 1.0),
        (row(&|_| 0.0, &|_| 1.0), 1.0),
    ]
}

#[test]
fn partly_overlapping_boxes_never_pull() {
    let mut pulling = 0;
    for (dx, dy) in [(1.5, 0.0), (1.5, 1.0), (1.75, 0.5), (0.5, 0.25), (1.9, 1.9)] {
        let pair = Pair::new(
            cuboid(Vec3::new(1.0, 1.0, 0.5)),
            Pose::at(Vec3::new(dx, dy, 1.0)),
            cuboid(Vec3::new(1.0, 1.0, 0.5)),
            Pose::identity(),
        );
        let (answer, r) = (pair.ask(), resolved(&pair));
        let (x, y) = pair.vertices();
        let (x, y) = (x[..4].to_vec(), y[4..].to_vec());
        let equations = equations(&x, &y, &(answer.separation * answer.beta));
        let a = DMatrix::from_fn(4, 8, |i, j| equations[i].0[j]);
        let b = DVector::from_fn(4, |i, _| equations[i].1);
        let plain = a.clone().svd(true, true).pseudo_inverse(1e-12).unwrap() * &b;
        pulling += usize::from(plain.min() < -1e-3);

        let mut weights = vec![0.0; 8];
        r.weights_a.iter().for_each(|&(k, w)| weights[k as usize] = w);
        r.weights_b.iter().for_each(|&(k, w)| weights[k as usize] = w);
        assert!(weights.iter().all(|w| *w >= 0.0));
        assert!((&a * DVector::from_vec(weights.clone()) - &b).amax() <= 1e-14);
        assert!(DVector::from_vec(weights.clone()).norm() >= plain.norm() - 1e-14);

        // The same program in world coordinates, and its KKT residual.
        let mut problem = QuadraticProgram::least_distance(&[0.0; 8]).unwrap();
        problem.nonnegative();
        for (row, value) in &equations {
            problem.equal(row, *value).unwrap();
        }
        let mut solver = QpSolver::new();
        let mut solution = solver.solve(&problem).unwrap().clone();
        solution.x.clone_from(&weights);
        let kkt_residual = qp_residual(&problem, &solution).unwrap().worst();
        assert!(kkt_residual <= 1e-13, "({dx}, {dy}): KKT residual {kkt_residual:e}");
        for (w, v) in weights.iter().zip(conic(1.0, &[0.0; 8], &equations, 1e-12).x) {
            assert!((w - v).abs() <= 1e-6, "({dx}, {dy}): {w} against Clarabel's {v}");
        }
    }
    assert!(pulling >= 3, "the pseudo-inverse pulls in {pulling} of 5");
}

#[test]
fn along_a_prescribed_direction_the_overlap_carries() {
    // Straight up, body a half beyond the edge of body b: the middle of the overlap is as near as weights get.
    let pair = Pair::new(
        cuboid(Vec3::new(1.0, 1.0, 0.5)),
        Pose::at(Vec3::new(1.0, 0.5, 1.25)),
        cuboid(Vec3::new(1.0, 1.0, 0.5)),
        Pose::identity(),
    );
    let answer = pair.ask_along(Some(Vec3::z()));
    let r = pair.resolve(&answer);
    assert!((r.separation - 0.25).abs() <= 1e-15 && r.prescribed && close(&r.alpha, &Vec3::z()));
    assert_eq!(r.features, (Feature::Face(0), Feature::Face(1)));
    assert!((r.point_a - Vec3::new(0.5, 0.25, 0.75)).norm() <= 1e-14, "{}", r.point_a);
    let (x, y) = pair.vertices();
    let equations = equations(&x[..4], &y[4..], &(answer.separation * answer.beta));
    let expected = conic(1.0, &[0.0; 8], &equations, 1e-12).x;
    for (weights, expected) in [(&r.weights_a, &expected[..4]), (&r.weights_b, &expected[4..])] {
        for &(k, w) in weights {
            assert!((w - expected[k as usize % 4]).abs() <= 1e-6, "{k}: {w}");
        }
    }
    assert_eq!(r.reference_gradient(), Vec3::zeros());
}

#[test]
fn octahedra_tip_to_tip_push_along_the_axis() {
    let (a, b) = (octahedron(Vec3::new(1.0, 1.0, 1.0)), octahedron(Vec3::new(0.5, 0.5, 0.5)));
    for (axis, distance) in [(Vec3::x(), 1.5), (Vec3::y(), 1.25), (Vec3::z(), 2.0)] {
        let pair = Pair::new(a.clone(), Pose::at(axis * distance), b.clone(), Pose::identity());
        let answer = pair.ask();
        let r = resolved(&pair);
        assert!(close(&r.alpha, &axis), "{}", r.alpha);
        assert!(answer.alpha.norm() > 1.1, "the query's own direction is a corner of the optimal face");
        assert!(matches!(r.features, (Feature::Vertex(_), Feature::Vertex(_))));
        assert!(r.several_alphas && !r.several_duals);
        let range = pair.ranges(&answer);
        for k in 0..3 {
            let (low, high) = range.alpha[k];
            let expected = if axis[k] == 1.0 { (1.0, 1.0) } else { (-1.0, 1.0) };
            assert!((low - expected.0).abs() <= 1e-14 && (high - expected.1).abs() <= 1e-14, "{low} {high}");
        }
        assert_eq!(range.weights_a.len(), 1);
        assert_eq!((range.weights_a[0].1, range.weights_a[0].2), (1.0, 1.0));
    }
}

#[test]
fn ranges_of_stacked_boxes_are_those_of_their_overlap() {
    // Equal boxes shifted by half a length in x: the pierced point has x_a - x_b = 1, the overlap is half a face.
    let pair = Pair::new(
        cuboid(Vec3::new(1.0, 1.0, 0.5)),
        Pose::at(Vec3::new(1.0, 0.0, 1.0)),
        cuboid(Vec3::new(1.0, 1.0, 0.5)),
        Pose::identity(),
    );
    let answer = pair.ask();
    let range = pair.ranges(&answer);
    assert_eq!(range.alpha.map(|r| r.1 - r.0), [0.0; 3]);
    let (x, _) = pair.vertices();
    for &(k, low, high) in &range.weights_a {
        // The contact point reaches the near end of a's face, but only the middle of it on the far side.
        let expected = if x[k as usize].x < 0.5 { 1.0 } else { 0.5 };
        assert!(low.abs() <= 1e-14 && (high - expected).abs() <= 1e-13, "{k}: {low} {high}");
    }
    assert!(range.weights_a.len() == 4 && range.weights_b.len() == 4);
}

#[test]
fn a_vertex_on_a_square_face_is_carried_by_all_four_corners() {
    // The weights of a triangle would do; the shortest ones are symmetric.
    let pair = Pair::new(
        octahedron(Vec3::new(0.5, 0.5, 0.5)),
        Pose::at(Vec3::new(0.0, 0.0, 1.0)),
        cuboid(Vec3::new(1.0, 1.0, 0.5)),
        Pose::identity(),
    );
    let r = resolved(&pair);
    assert_eq!(pair.ask().weights_b().count(), 2, "the query sees a diagonal of the face");
    assert!(r.weights_b.len() == 4 && r.weights_b.iter().all(|(_, w)| (w - 0.25).abs() <= 1e-15));
    assert!(matches!(r.features, (Feature::Vertex(5), Feature::Face(1))), "{:?}", r.features);
}

#[test]
fn a_box_on_a_floor_stands_on_its_lowest_corners() {
    let (solid, floor) = (Solid::Polytope(cuboid(Vec3::new(1.0, 0.5, 0.25))), half_space(Vec3::z(), 0.0));
    let quarter = std::f64::consts::FRAC_PI_4;
    for (turn, corners) in [
        (Rotation3::identity(), 4),
        (Rotation3::new(Vec3::x() * quarter), 2),
        (Rotation3::new(Vec3::x() * quarter) * Rotation3::new(Vec3::y() * 0.3), 1),
    ] {
        let pose = Pose::new(turn, Vec3::new(0.3, 0.2, 2.0));
        let pair = Pair { a: solid.clone(), pose_a: pose, b: floor.clone(), pose_b: Pose::identity() };
        let r = resolved(&pair);
        assert_eq!(r.weights_a.len(), corners);
        assert!(r.weights_a.iter().all(|(_, w)| (w - 1.0 / corners as f64).abs() <= 1e-15));
        assert!(r.weights_b.is_empty() && r.features.1 == Feature::Plane);
        assert_eq!(kind(r.features.0), corners.min(3));
        assert_eq!(r.several_duals, corners > 1);
        assert!(close(&r.alpha, &Vec3::z()) && !r.several_alphas);
        assert!((r.point_a - r.point_b - r.separation * r.beta).norm() <= 1e-15);
        // The force acts below the centre, unlike that of the single corner the query returns.
        if corners == 4 {
            assert!((r.point_a.xy() - pose.position.xy()).norm() <= 1e-15);
        }

        let m = resolved(&pair.swapped());
        assert_eq!((m.weights_b, m.features.0, m.features.1), (r.weights_a, Feature::Plane, r.features.0));
        assert!((m.alpha + r.alpha).norm() == 0.0 && (m.point_b - r.point_a).norm() <= 1e-15);
    }
}

#[test]
fn curved_bodies_touch_in_one_point() {
    let plate = Solid::Polytope(cuboid(Vec3::new(1.0, 1.0, 0.5)));
    let (ball, can) = (sphere(0.5), cylinder(0.5, 0.5));
    let pose = Pose::at(Vec3::new(0.0, 0.0, 1.25));
    let over =
        |a: &Solid, b: &Solid| Pair { a: a.clone(), pose_a: pose, b: b.clone(), pose_b: Pose::identity() };
    for solid in [&ball, &can] {
        let pair = over(solid, &plate);
        let (answer, r) = (pair.ask(), resolved(&pair));
        assert_eq!(r.features, (Feature::Curved, Feature::Face(1)));
        assert!(r.weights_a.is_empty());
        let total: f64 = r.weights_b.iter().map(|(_, w)| w).sum();
        assert!((total - 1.0).abs() <= 1e-14);
        assert!((r.alpha - Vec3::z()).norm() <= 1e-14, "{}", r.alpha);
        assert!((r.point_a - r.point_b - r.separation * r.beta).norm() <= 1e-13);
        assert!((r.point_b - answer.point_b).norm() <= 1e-12);
    }
    // Above the middle of the face all four corners carry a quarter.
    let r = resolved(&over(&ball, &plate));
    assert!(r.weights_b.iter().all(|(_, w)| (w - 0.25).abs() <= 1e-7), "{:?}", r.weights_b);
    let pair = over(&ball, &ball);
    let r = resolved(&pair);
    assert!(r.features == (Feature::Curved, Feature::Curved) && r.alpha == pair.ask().alpha);
}

#[test]
fn answers_without_contact_points_are_refused() {
    let pair = Pair::new(
        Polytope::cube(1.0).unwrap(),
        Pose::at(Vec3::new(5.0, 0.0, 0.0)),
        Polytope::cube(1.0).unwrap(),
        Pose::identity(),
    );
    let options = Options { prediction: 0.1, ..Options::default() };
    let far = separation(&pair.a, &pair.pose_a, &pair.b, &pair.pose_b, &options, &mut WarmStart::default())
        .unwrap();
    let refused = resolve(&pair.a, &pair.pose_a, &pair.b, &pair.pose_b, &far);
    assert_eq!(refused, Err(ResolveError::NotSolved { outcome: Outcome::Beyond }));
    let other = Solid::Polytope(Polytope::prism(12, 1.0, 1.0).unwrap());
    let answer = ask(&other, &pair.pose_a, &other, &pair.pose_b, None);
    let refused = resolve(&pair.a, &pair.pose_a, &pair.b, &pair.pose_b, &answer).unwrap_err();
    assert!(matches!(refused, ResolveError::ForeignAnswer { body: 'a', count: 8, .. }), "{refused}");
    assert!(refused.to_string().contains("do not belong") || refused.to_string().contains("does not belong"));
}
