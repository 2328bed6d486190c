//! Thousands of degenerate contacts: every resolution is optimal, and no optimal one is shorter.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::print_stdout)]

mod common;
mod resolve_common;

use common::Random;
use percussion_geometry::Vec3;
use percussion_geometry::separation::{Ranges, Separation};
use percussion_geometry::shapes::{Feature, Solid};
use percussion_solve::qp::qp_residual;
use percussion_solve::{QpSolver, QuadraticProgram};
use resolve_common::{FAMILIES, Pair, conic, family};

fn mixed(weights: &[(u32, f64)], points: &[Vec3]) -> Vec3 {
    weights.iter().fold(Vec3::zeros(), |sum, &(k, w)| sum + w * points[k as usize])
}

fn squared(weights: impl Iterator<Item = (u32, f64)>) -> f64 {
    weights.map(|(_, w)| w * w).sum()
}

#[test]
fn every_resolution_is_optimal_and_no_longer_than_the_answer() {
    println!("| family | contacts | several π | several α | worst gap | worst residual | microseconds |");
    println!("|---|---|---|---|---|---|---|");
    for (f, name) in FAMILIES.iter().enumerate() {
        let mut random = Random(500 + f as u64);
        let (mut duals, mut alphas, mut gap, mut residual) = (0, 0, 0.0f64, 0.0f64);
        let count = 4000;
        let mut spent = std::time::Duration::ZERO;
        for index in 0..count {
            let pair = family(name, &mut random);
            let answer = pair.ask();
            let clock = std::time::Instant::now();
            let r = pair.resolve(&answer);
            spent += clock.elapsed();
            let (x, y) = pair.vertices();
            let size = pair.size();
            duals += usize::from(r.several_duals);
            alphas += usize::from(r.several_alphas);
            // Weights are weights.
            for weights in [&r.weights_a, &r.weights_b] {
                let total: f64 = weights.iter().map(|(_, w)| w).sum();
                assert!((total - 1.0).abs() <= 1e-13, "{name} {index}: sum {total}");
                assert!(weights.iter().all(|(_, w)| *w > 0.0), "{name} {index}");
            }
            // The direction supports both bodies, the points differ by s β.
            assert!((r.alpha.dot(&r.beta) - 1.0).abs() <= 1e-12 * r.alpha.norm(), "{name} {index}");
            let n = r.normal();
            let low = x.iter().map(|v| n.dot(v)).fold(f64::INFINITY, f64::min);
            let high = y.iter().map(|v| n.dot(v)).fold(f64::NEG_INFINITY, f64::max);
            gap = gap.max((r.gap() - (low - high)).abs() / size);
            let apart = mixed(&r.weights_a, &x) - mixed(&r.weights_b, &y);
            residual = residual.max((apart - r.separation * r.beta).norm() / size);
            assert!((r.point_a - r.point_b - r.separation * r.beta).norm() <= 4e-9, "{name} {index}");
            // Not longer than what the query chose.
            assert!(r.alpha.norm() <= answer.alpha.norm() * (1.0 + 1e-9), "{name} {index}");
            let longer = squared(answer.weights_a()) + squared(answer.weights_b());
            let shorter = squared(r.weights_a.iter().copied()) + squared(r.weights_b.iter().copied());
            assert!(shorter <= longer + 1e-9, "{name} {index}: {shorter} {longer}");
        }
        let each = spent.as_secs_f64() / count as f64 * 1e6;
        println!("| {name} | {count} | {duals} | {alphas} | {gap:.1e} | {residual:.1e} | {each:.1} |");
        assert!(gap <= 4e-11 && residual <= 4e-11, "{name}: {gap:e} {residual:e}");
    }
}

/// The shortest optimal direction by another road: a quadratic program in α over all pairs of vertices,
/// `<α, x_i - y_j - s β> >= 0` up to rounding.
fn shortest_direction(pair: &Pair, answer: &Separation) -> Vec3 {
    let (x, y) = pair.vertices();
    let pierced = answer.separation * answer.beta;
    let mut problem = QuadraticProgram::least_distance(&[0.0; 3]).unwrap();
    problem.equal(answer.beta.as_slice(), 1.0).unwrap();
    for p in &x {
        for q in &y {
            problem.at_least((p - q - pierced).as_slice(), -1e-13).unwrap();
        }
    }
    let mut solver = QpSolver::new();
    let solution = solver.solve(&problem).unwrap();
    assert!(solution.is_optimal() && qp_residual(&problem, solution).unwrap().worst() <= 1e-10);
    Vec3::from_column_slice(&solution.x)
}

#[test]
fn no_optimal_direction_is_shorter() {
    for (f, name) in FAMILIES.iter().enumerate() {
        // A millionth of the size leaves the program in world coordinates too few digits.
        if *name == "size ratio 1e6" || *name == "far from the origin" {
            continue;
        }
        let mut random = Random(900 + f as u64);
        let mut worst = 0.0f64;
        for index in 0..1000 {
            let pair = family(name, &mut random);
            let answer = pair.ask();
            if answer.reference_distance < 1e-9 {
                continue;
            }
            let r = pair.resolve(&answer);
            let other = shortest_direction(&pair, &answer);
            let error = (r.alpha - other).norm() / other.norm();
            assert!(error <= 1e-7, "{name} {index}: {error:e} {} {other}", r.alpha);
            worst = worst.max(error);
        }
        println!("{name}: directions agree to {worst:.1e}");
    }
}

/// The whole dual polytope, every vertex of both bodies a variable, in world coordinates.
fn dual_equations(pair: &Pair, answer: &Separation) -> Vec<(Vec<f64>, f64)> {
    let (x, y) = pair.vertices();
    let (n, count) = (x.len(), x.len() + y.len());
    let pierced = answer.separation * answer.beta;
    let row = |axis: usize| x.iter().map(|v| v[axis]).chain(y.iter().map(|v| -v[axis])).collect();
    let sum = |first: bool| ((0..count).map(|j| f64::from((j < n) == first)).collect(), 1.0);
    (0..3).map(|axis| (row(axis), pierced[axis])).chain([sum(true), sum(false)]).collect()
}

fn range_of(ranges: &Ranges, k: usize, count: usize) -> (f64, f64) {
    let (list, index) = if k < count { (&ranges.weights_a, k) } else { (&ranges.weights_b, k - count) };
    list.iter().find(|r| r.0 as usize == index).map_or((0.0, 0.0), |r| (r.1, r.2))
}

/// Vertices of the feature.
fn corners(solid: &Solid, feature: Feature) -> Vec<u32> {
    let Solid::Polytope(p) = solid else { return vec![] };
    match feature {
        Feature::Vertex(v) => vec![v],
        Feature::Edge(e) => p.edges()[e as usize].vertices.to_vec(),
        Feature::Face(f) => p.face_loop(&p.faces()[f as usize]).to_vec(),
        _ => vec![],
    }
}

#[test]
fn no_optimal_weights_are_shorter_and_features_are_what_can_carry() {
    let mut checked = 0;
    for name in ["aligned", "stacked", "corner-corner", "prism on prism", "tetrahedra on a lattice"] {
        let mut random = Random(1300);
        for index in 0..60 {
            let pair = family(name, &mut random);
            let answer = pair.ask();
            if answer.reference_distance < 1e-9 {
                continue;
            }
            let r = pair.resolve(&answer);
            let all = pair.ranges(&answer);
            let (x, y) = pair.vertices();
            let (n, count) = (x.len(), x.len() + y.len());
            let mut own = vec![0.0; count];
            r.weights_a.iter().for_each(|&(k, w)| own[k as usize] = w);
            r.weights_b.iter().for_each(|&(k, w)| own[n + k as usize] = w);
            let equations = dual_equations(&pair, &answer);
            let least = |cost: &[f64]| conic(0.0, cost, &equations, 1e-10).obj_val;
            // π is the shortest exactly if <π, π'> >= |π|^2 for every π' of the polytope.
            let norm: f64 = own.iter().map(|w| w * w).sum();
            let product = least(&own);
            assert!(product >= norm - 1e-7, "{name} {index}: {product} {norm}");
            // Ranges against the whole polytope, and attained.
            let mut can_carry = [vec![], vec![]];
            for k in 0..count {
                let mut cost = vec![0.0; count];
                cost[k] = 1.0;
                let low = least(&cost);
                cost[k] = -1.0;
                let high = -least(&cost);
                let range = range_of(&all, k, n);
                assert!(
                    (range.0 - low).abs() <= 1e-6 && (range.1 - high).abs() <= 1e-6,
                    "{name} {index}: {k} {range:?} {low} {high}"
                );
                assert!(range.0 - 1e-12 <= own[k] && own[k] <= range.1 + 1e-12, "{name} {index}: {k}");
                if high > 1e-4 {
                    can_carry[usize::from(k >= n)].push(if k < n { k } else { k - n } as u32);
                }
            }
            for (solid, feature, carry) in
                [(&pair.a, r.features.0, &can_carry[0]), (&pair.b, r.features.1, &can_carry[1])]
            {
                let mut corners = corners(solid, feature);
                corners.sort_unstable();
                assert_eq!(&corners, carry, "{name} {index}: {feature:?}");
            }
            for k in 0..3 {
                assert!(all.alpha[k].0 - 1e-12 <= r.alpha[k] && r.alpha[k] <= all.alpha[k].1 + 1e-12);
            }
            checked += 1;
        }
    }
    println!("{checked} contacts");
    assert!(checked > 250);
}

#[test]
fn exchanging_the_bodies_mirrors_the_resolution() {
    for (f, name) in FAMILIES.iter().enumerate() {
        let mut random = Random(1700 + f as u64);
        for index in 0..500 {
            let pair = family(name, &mut random);
            if pair.ask().reference_distance < 1e-9 {
                continue;
            }
            let mirror = pair.swapped();
            let (r, m) = (pair.resolve(&pair.ask()), mirror.resolve(&mirror.ask()));
            let (alpha, mirrored) = (r.alpha, m.alpha);
            assert!((alpha + mirrored).norm() <= 1e-8 * alpha.norm(), "{name} {index}: {alpha} {mirrored}");
            assert_eq!((r.features.0, r.features.1), (m.features.1, m.features.0), "{name} {index}");
            let differs = |p: &[(u32, f64)], q: &[(u32, f64)]| {
                let weight =
                    |list: &[(u32, f64)], k: u32| list.iter().find(|w| w.0 == k).map_or(0.0, |w| w.1);
                p.iter().chain(q).map(|w| (weight(p, w.0) - weight(q, w.0)).abs()).fold(0.0, f64::max)
            };
            let error = differs(&r.weights_a, &m.weights_b).max(differs(&r.weights_b, &m.weights_a));
            assert!(error <= 1e-6, "{name} {index}: {error:e}");
        }
    }
}
