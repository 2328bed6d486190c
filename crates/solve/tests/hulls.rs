//! Nearest points of hulls: closed forms, the other solvers of this crate, and degenerate inputs.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::print_stdout)]

mod common;

use common::dot;
use percussion_solve::hull::hull_residual;
use percussion_solve::{
    LinearProgram, QpSolver, QuadraticProgram, SolveError, distance_to_hull, minimum_norm_point, solve_lp,
};
use percussion_testing::Random;

#[test]
fn the_nearest_point_of_a_cube_is_its_clamped_target() {
    let mut random = Random::new(33);
    let corners: Vec<Vec<f64>> =
        (0..16).map(|k| (0..4).map(|bit| if k >> bit & 1 == 1 { 1.0 } else { -1.0 }).collect()).collect();
    for _ in 0..500 {
        let target: Vec<f64> = random.numbers(4).iter().map(|v| 2.0 * v).collect();
        let nearest = distance_to_hull(&corners, &target).unwrap();
        for (p, t) in nearest.point.iter().zip(&target) {
            assert!((p - t.clamp(-1.0, 1.0)).abs() <= 1e-14);
        }
        assert!(hull_residual(&corners, &target, &nearest).unwrap().worst() <= 1e-14);
    }
}

/// Points in general position, on a grid, repeated, or in a common plane.
fn cloud(random: &mut Random, n: usize, count: usize, kind: usize) -> Vec<Vec<f64>> {
    let shift: Vec<f64> = random.numbers(n).iter().map(|v| 0.6 * v).collect();
    let mut points: Vec<Vec<f64>> = (0..count)
        .map(|_| {
            let p = random.numbers(n);
            if kind == 1 {
                return p.iter().map(|v| (2.0 * v).round() / 2.0 + 0.5).collect();
            }
            let mut p: Vec<f64> = p.iter().zip(&shift).map(|(a, b)| a + b).collect();
            if kind == 2 {
                p[n - 1] = 0.25;
            }
            p
        })
        .collect();
    if kind == 2 {
        points.push(points[0].clone());
    }
    points
}

#[test]
fn nearest_points_match_the_quadratic_program_over_the_weights() {
    let mut random = Random::new(34);
    let mut solver = QpSolver::new();
    let (mut evidence, mut inside, mut most) = (0.0_f64, 0, 0);
    for trial in 0..3000 {
        let (n, count) = (1 + random.below(12), 1 + random.below(40));
        let points = cloud(&mut random, n, count, trial % 3);
        let nearest = minimum_norm_point(&points).unwrap();
        let residual = hull_residual(&points, &vec![0.0; n], &nearest).unwrap();
        evidence = evidence.max(residual.worst());
        most = most.max(nearest.iterations);
        assert!(residual.worst() <= 1e-14, "trial {trial}: {residual:?}");
        assert!(nearest.distance - nearest.lower_bound <= 1e-14 * nearest.size.max(1e-300));
        if nearest.contains(1e-12) {
            inside += 1;
        }
        // The same point as the projection of the origin onto the hull given as x = sum w p.
        if trial % 4 == 0 {
            let k = points.len();
            let mut hessian = vec![0.0; (n + k) * (n + k)];
            // x carries the norm; the weights carry a trace of it to keep the program strictly convex.
            for j in 0..n + k {
                hessian[j * (n + k) + j] = if j < n { 1.0 } else { 1e-7 };
            }
            let mut problem = QuadraticProgram::new(&hessian, &vec![0.0; n + k]).unwrap();
            for i in 0..n {
                let mut row = vec![0.0; n + k];
                row[i] = -1.0;
                points.iter().enumerate().for_each(|(j, p)| row[n + j] = p[i]);
                problem.equal(&row, 0.0).unwrap();
            }
            let row: Vec<f64> = (0..n + k).map(|j| if j < n { 0.0 } else { 1.0 }).collect();
            problem.equal(&row, 1.0).unwrap();
            (n..n + k).for_each(|j| {
                problem.bound(j, 0.0, f64::INFINITY).unwrap();
            });
            let solution = solver.solve(&problem).unwrap();
            assert!(solution.is_optimal());
            let distance = dot(&solution.x[..n], &solution.x[..n]).sqrt();
            // The trace is worth at most 1e-7/2 in the squared distance.
            assert!(distance + 1e-14 >= nearest.distance, "trial {trial}");
            assert!(distance.powi(2) - nearest.distance.powi(2) <= 1.01e-7, "trial {trial}");
        }
    }
    println!("evidence {evidence:.1e}, {inside} of 3000 contain the origin, at most {most} steps");
    assert!(inside > 300 && inside < 2700);
}

#[test]
fn membership_agrees_with_the_feasibility_of_a_linear_program() {
    let mut random = Random::new(35);
    for trial in 0..400 {
        let (n, count) = (1 + random.below(6), 2 + random.below(15));
        let points = cloud(&mut random, n, count, trial % 3);
        let target: Vec<f64> = random.numbers(n).iter().map(|v| 0.3 * v).collect();
        let nearest = distance_to_hull(&points, &target).unwrap();
        let k = points.len();
        let mut problem = LinearProgram::minimise(&vec![0.0; k]).unwrap();
        problem.nonnegative().equal(&vec![1.0; k], 1.0).unwrap();
        for i in 0..n {
            let row: Vec<f64> = points.iter().map(|p| p[i]).collect();
            problem.equal(&row, target[i]).unwrap();
        }
        let feasible = solve_lp(&problem).unwrap().is_optimal();
        assert_eq!(nearest.contains(1e-12), feasible, "trial {trial}: {}", nearest.distance);
        assert_eq!(nearest.excludes(1e-12), !feasible, "trial {trial}: {}", nearest.lower_bound);
    }
}

#[test]
fn a_boundary_point_belongs_and_a_hair_outside_does_not() {
    // Zero on an edge, on a corner, and 1e-10 outside a face, at two sizes.
    for size in [1.0, 1e6] {
        let scaled = |points: &[[f64; 3]]| points.iter().map(|p| p.map(|v| size * v)).collect::<Vec<_>>();
        let edge = scaled(&[[1.0, 0.0, 0.0], [-1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 1.0, 3.0]]);
        assert!(minimum_norm_point(&edge).unwrap().contains(1e-15));
        let corner = scaled(&[[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 2.0]]);
        assert!(minimum_norm_point(&corner).unwrap().contains(0.0));
        let hair = scaled(&[[1e-10, 1.0, 1.0], [1e-10, -1.0, 1.0], [1e-10, 0.0, -2.0], [1.0, 0.0, 0.0]]);
        let nearest = minimum_norm_point(&hair).unwrap();
        assert!((nearest.distance / size - 1e-10).abs() < 1e-15);
        assert!(nearest.excludes(1e-11) && !nearest.contains(1e-11));
    }
}

#[test]
fn misuse_is_refused_with_the_place() {
    let none: [[f64; 2]; 0] = [];
    assert!(matches!(minimum_norm_point(&none), Err(SolveError::Empty { .. })));
    assert!(matches!(
        minimum_norm_point(&[vec![1.0, 2.0], vec![1.0]]),
        Err(SolveError::Length { expected: 2, found: 1, .. })
    ));
    assert!(matches!(minimum_norm_point(&[[f64::NAN]]), Err(SolveError::NotFinite { .. })));
    assert!(matches!(distance_to_hull(&[[0.0]], &[f64::INFINITY]), Err(SolveError::NotFinite { .. })));
}

#[test]
fn the_residual_finds_spoilt_answers() {
    let points = [[1.0, 2.0], [1.0, -1.0], [4.0, 0.0]];
    let good = minimum_norm_point(&points).unwrap();
    let mut bad = good.clone();
    bad.weights = vec![0.5, 0.5, 0.0];
    assert!(hull_residual(&points, &[0.0; 2], &bad).unwrap().combination > 0.01);
    bad.point = vec![1.0, 0.5];
    assert!(hull_residual(&points, &[0.0; 2], &bad).unwrap().gap > 0.01);
}
