//! One point in a face with many corners: its weights are the shortest, checked over the whole face.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::print_stdout)]

mod common;
mod resolve_common;

use common::{Random, cuboid, octahedron, prism, sphere};
use percussion_geometry::shapes::{Polytope, Solid};
use percussion_geometry::{Pose, Vec3};
use percussion_solve::qp::qp_residual;
use percussion_solve::{QpSolver, QuadraticProgram};
use resolve_common::Pair;

/// The shortest weights on `corners` (seen from the contact point) by the general solver, and how far `given` is
/// from optimal.
fn shortest_weights(corners: &[Vec3], normal: &Vec3, given: &[f64]) -> (Vec<f64>, f64) {
    let n = corners.len();
    let u = normal.cross(&Vec3::new(0.3, -0.5, 0.8)).normalize();
    let v = normal.cross(&u);
    let extent = corners.iter().map(|x| x.norm()).fold(0.0, f64::max);
    let mut problem = QuadraticProgram::least_distance(&vec![0.0; n]).unwrap();
    problem.nonnegative();
    problem.equal(&vec![1.0; n], 1.0).unwrap();
    for t in [u, v] {
        let row: Vec<f64> = corners.iter().map(|x| t.dot(x) / extent).collect();
        problem.equal(&row, 0.0).unwrap();
    }
    let mut solver = QpSolver::new();
    let mut solution = solver.solve(&problem).unwrap().clone();
    let weights = solution.x.clone();
    solution.x = given.to_vec();
    (weights, qp_residual(&problem, &solution).unwrap().worst())
}

/// Checks the face of `solid` against the general solver; gives the number of its corners and of those that carry.
fn check(solid: &Solid, pose: &Pose, weights: &[(u32, f64)], normal: &Vec3) -> (usize, usize) {
    let Solid::Polytope(p) = solid else { return (1, 1) };
    let points: Vec<Vec3> = p.vertices().iter().map(|x| pose.rotation * x).collect();
    let contact: Vec3 = weights.iter().map(|&(k, w)| w * points[k as usize]).sum();
    let active: Vec<usize> =
        (0..points.len()).filter(|&k| normal.dot(&(points[k] - contact)).abs() < 1e-9).collect();
    let corners: Vec<Vec3> = active.iter().map(|&k| points[k] - contact).collect();
    let given: Vec<f64> = active
        .iter()
        .map(|&k| weights.iter().find(|(j, _)| *j as usize == k).map_or(0.0, |(_, w)| *w))
        .collect();
    assert!((given.iter().sum::<f64>() - 1.0).abs() <= 1e-14, "weights lie on the face");
    if active.len() > 3 {
        let (best, residual) = shortest_weights(&corners, normal, &given);
        let length = |w: &[f64]| w.iter().map(|w| w * w).sum::<f64>();
        assert!(residual < 1e-12, "{given:?} {best:?} {residual:e}");
        assert!(length(&given) <= length(&best) + 1e-12);
        for (g, b) in given.iter().zip(&best) {
            assert!((g - b).abs() < 1e-10, "{given:?} {best:?}");
        }
    }
    (active.len(), weights.len())
}

fn bodies() -> Vec<Polytope> {
    vec![
        cuboid(Vec3::new(1.0, 1.0, 1.0)),
        cuboid(Vec3::new(1.0, 0.3, 0.1)),
        cuboid(Vec3::new(3.0, 0.01, 0.5)),
        prism(5, Vec3::new(0.8, 0.8, 0.5)),
        prism(12, Vec3::new(1.0, 1.0, 0.1)),
        octahedron(Vec3::new(1.0, 0.7, 0.9)),
    ]
}

#[test]
fn a_corner_in_a_face_is_held_by_the_shortest_weights() {
    let mut random = Random(5);
    let bodies = bodies();
    let (mut in_faces, mut partly) = (0, 0);
    for _ in 0..20_000 {
        let (a, b) = (&bodies[random.below(bodies.len())], &bodies[random.below(bodies.len())]);
        let place = |random: &mut Random| Pose::new(random.rotation(), 1.5 * random.direction());
        let pair = Pair::new(a.clone(), place(&mut random), b.clone(), place(&mut random));
        let answer = pair.ask();
        let r = pair.resolve(&answer);
        let n = answer.normal();
        let (corners_a, carriers_a) = check(&pair.a, &pair.pose_a, &r.weights_a, &n);
        let (corners_b, carriers_b) = check(&pair.b, &pair.pose_b, &r.weights_b, &n);
        assert!((r.alpha - answer.alpha).norm() < 1e-9 * answer.alpha.norm());
        assert_eq!(r.several_duals, corners_a > 3 || corners_b > 3);
        assert!((r.point_a - r.point_b - r.separation * r.beta).norm() < 1e-13);
        in_faces += usize::from(r.several_duals);
        partly += usize::from(corners_a + corners_b > carriers_a + carriers_b);
    }
    println!("{in_faces} corners in faces, {partly} of them held by some corners of the face only");
    assert!(in_faces > 5000 && partly > 1000);
}

#[test]
fn a_ball_in_the_middle_of_a_face_is_held_by_all_its_corners() {
    let ball = sphere(0.5);
    let block = Solid::Polytope(prism(8, Vec3::new(1.0, 1.0, 0.5)));
    let mut random = Random(6);
    for _ in 0..2000 {
        let turn = random.rotation();
        let shift = Vec3::new(0.3 * random.uniform(), 0.3 * random.uniform(), 2.0);
        let pose = Pose::new(turn, Vec3::zeros());
        let above = Pose::at(turn * shift);
        let pair = Pair { a: ball.clone(), pose_a: above, b: block.clone(), pose_b: pose };
        let answer = pair.ask_along(Some(turn * Vec3::z()));
        let r = pair.resolve(&answer);
        let (corners, carriers) = check(&block, &pose, &r.weights_b, &answer.normal());
        assert!(corners == 8 && carriers == 8 && r.weights_a.is_empty(), "{:?}", r.weights_b);
    }
}
