//! Sparse factors against dense ones: solutions, signs of eigenvalues, and what happens where pivots fail.
#![allow(missing_docs, clippy::unwrap_used, clippy::print_stdout)]

mod common;

use nalgebra::{DMatrix, DVector, SymmetricEigen};
use percussion_solve::sparse::{Inertia, Ldl, SymmetricMatrix};
use percussion_testing::Random;

/// A matrix from entries (row, column, value) of its lower triangle; those at one place are added.
fn matrix(dimension: usize, entries: &[(usize, usize, f64)]) -> SymmetricMatrix {
    let mut places: Vec<(usize, usize)> = entries.iter().map(|&(i, j, _)| (i, j)).collect();
    places.extend((0..dimension).map(|i| (i, i)));
    let (mut matrix, slots) = SymmetricMatrix::zeros(dimension, &places);
    for (&(_, _, v), slot) in entries.iter().zip(slots) {
        matrix.values[slot] += v;
    }
    matrix
}

fn dense(matrix: &SymmetricMatrix) -> DMatrix<f64> {
    let mut full = DMatrix::zeros(matrix.dimension, matrix.dimension);
    for (i, j, v) in matrix.entries() {
        full[(i, j)] = v;
        full[(j, i)] = v;
    }
    full
}

/// Signs of the eigenvalues, and the quotient of the largest and the least of them.
fn spectrum(full: &DMatrix<f64>) -> (Inertia, f64) {
    let values = SymmetricEigen::new(full.clone()).eigenvalues;
    let most = values.amax();
    let mut inertia = Inertia::default();
    for v in values.iter() {
        match v.abs() <= 1e-12 * most {
            true => inertia.zero += 1,
            false if *v > 0.0 => inertia.positive += 1,
            false => inertia.negative += 1,
        }
    }
    (inertia, most / values.abs().min())
}

/// Solves and corrects the solution so many times, and returns how large residuals are beside the sums of absolute values that they
/// are differences of, row by row.
fn residual(matrix: &SymmetricMatrix, factors: &mut Ldl, random: &mut Random, corrections: usize) -> f64 {
    let n = matrix.dimension;
    let right = DVector::from_vec(random.numbers(n));
    let full = dense(matrix);
    let (mut x, mut d) = (DVector::zeros(n), DVector::zeros(n));
    for _ in 0..=corrections {
        let left = &right - &full * &x;
        factors.solve(left.as_slice(), d.as_mut_slice());
        x += &d;
    }
    let (left, sizes) = (&right - &full * &x, full.abs() * x.abs() + right.abs());
    left.abs().component_div(&sizes).max()
}

/// The step of a chain: states with and without curvature, inputs, equations between neighbours, and columns that touch all.
fn chain(random: &mut Random, links: usize, width: usize, border: usize) -> (SymmetricMatrix, Vec<bool>) {
    let mut entries = Vec::new();
    let block = 3 * width;
    let n = links * block + border;
    let mut needy = vec![false; n];
    for k in 0..links {
        let (state, effort, equation) = (k * block, k * block + width, k * block + 2 * width);
        for i in 0..width {
            entries.push((effort + i, effort + i, random.between(0.01, 2.0)));
            entries.push((equation + i, effort + i, random.between(0.1, 1.0)));
            needy[equation + i] = true;
            for j in 0..width {
                if random.between(0.0, 1.0) < 0.3 {
                    entries.push((state + i.max(j), state + i.min(j), random.between(-0.5, 0.5)));
                }
                let own = if i == j { 3.0 } else { 0.3 };
                entries.push((equation + i, state + j, own * random.between(0.5, 1.0)));
                if k > 0 {
                    entries.push((equation + i, state - block + j, random.between(-0.6, 0.6)));
                }
                if k + 1 < links {
                    entries.push((equation + i, state + block + j, random.between(-0.6, 0.6)));
                }
            }
            for b in 0..border {
                entries.push((n - border + b, equation + i, random.signed()));
            }
        }
    }
    for b in 0..border {
        entries.push((n - border + b, n - border + b, random.signed()));
    }
    (matrix(n, &entries), needy)
}

#[test]
fn chains_have_the_inertia_and_the_solutions_of_dense_factors() {
    let mut random = Random::new(1);
    let mut worst = 0.0_f64;
    for case in 0..60 {
        let (a, needy) = chain(&mut random, 2 + case % 9, 1 + case % 5, case % 3);
        let mut factors = Ldl::new(&a, |i| needy[i]);
        let inertia = factors.factor(&a.values).unwrap();
        let full = dense(&a);
        assert_eq!(inertia, spectrum(&full).0, "case {case}");
        worst = worst.max(residual(&a, &mut factors, &mut random, 0));
        let right = DVector::from_fn(a.dimension, |i, _| (i as f64).sin());
        let mut x = vec![0.0; a.dimension];
        factors.solve(right.as_slice(), &mut x);
        let exact = full.clone().lu().solve(&right).unwrap();
        let apart = (DVector::from_vec(x) - &exact).amax() / exact.amax();
        assert!(apart < 1e-9, "case {case}: {apart:e}");
    }
    println!("residual at most {worst:.1e}");
    assert!(worst < 1e-12);
}

/// Patterns without any order, most diagonals zero, and nothing said about which rows need a partner: pivots must wait for
/// parents.
#[test]
fn any_pattern_is_factorised() {
    let mut random = Random::new(2);
    let mut worst = [0.0_f64; 2];
    for case in 0..200 {
        let n = 3 + case % 40;
        let mut entries = Vec::new();
        for i in 0..n {
            if random.between(0.0, 1.0) < 0.2 {
                entries.push((i, i, random.signed()));
            }
            for _ in 0..2 {
                let j = (random.between(0.0, n as f64) as usize).min(n - 1);
                if j != i {
                    let value = random.signed() * 10.0_f64.powf(random.between(-4.0, 4.0));
                    entries.push((i.max(j), i.min(j), value));
                }
            }
        }
        let a = matrix(n, &entries);
        let mut factors = Ldl::new(&a, |_| false);
        let inertia = factors.factor(&a.values).unwrap();
        let (expected, condition) = spectrum(&dense(&a));
        if condition < 1e9 {
            assert_eq!(inertia, expected, "case {case}, condition {condition:e}");
            for (corrections, worst) in worst.iter_mut().enumerate() {
                *worst = worst.max(residual(&a, &mut factors, &mut random, corrections));
            }
        }
    }
    println!("residual at most {:.1e}, corrected once {:.1e}", worst[0], worst[1]);
    // Growth of pivots costs digits, which a correction brings back.
    assert!(worst[0] < 1e-5 && worst[1] < 1e-14);
}

#[test]
fn dependent_equations_leave_zero_eigenvalues() {
    // Two equal equations, and a third that is nothing.
    let entries = [(0, 0, 1.0), (1, 1, 2.0), (2, 0, 1.0), (2, 1, 1.0), (3, 0, 1.0), (3, 1, 1.0), (4, 4, 0.0)];
    let a = matrix(5, &entries);
    let mut factors = Ldl::new(&a, |i| i >= 2);
    assert_eq!(factors.factor(&a.values), Some(Inertia { positive: 2, negative: 1, zero: 2 }));
    // Other numbers, same pattern: as if nothing had been.
    let mut b = a.clone();
    b.values.iter_mut().enumerate().for_each(|(k, v)| *v += 0.1 * (k as f64 + 1.0));
    let inertia = factors.factor(&b.values).unwrap();
    assert_eq!(inertia, spectrum(&dense(&b)).0);
    assert!(residual(&b, &mut factors, &mut Random::new(3), 0) < 1e-14);
}

#[test]
fn numbers_that_are_none_are_refused() {
    let mut a = matrix(2, &[(0, 0, 1.0), (1, 0, 1.0)]);
    let mut factors = Ldl::new(&a, |_| false);
    a.values[1] = f64::NAN;
    assert_eq!(factors.factor(&a.values), None);
}

/// Barriers near their ends: diagonals over twenty powers of ten.
#[test]
fn stiff_diagonals_do_no_harm() {
    let mut random = Random::new(4);
    let mut worst = 0.0_f64;
    for case in 0..40 {
        let (mut a, needy) = chain(&mut random, 6, 4, 1);
        for j in (0..a.dimension).filter(|&j| !needy[j]) {
            a.values[a.starts[j]] += 10.0_f64.powf(random.between(-10.0, 10.0));
        }
        let mut factors = Ldl::new(&a, |i| needy[i]);
        let inertia = factors.factor(&a.values).unwrap();
        let negative = needy.iter().filter(|n| **n).count();
        assert_eq!(inertia, Inertia { positive: a.dimension - negative, negative, zero: 0 }, "case {case}");
        worst = worst.max(residual(&a, &mut factors, &mut random, 0));
    }
    println!("residual at most {worst:.1e}");
    assert!(worst < 1e-12);
}

/// The same by another's factors, for chains too long for dense ones.
#[test]
fn long_chains_agree_with_another_factorisation() {
    let mut random = Random::new(5);
    for (links, width) in [(300, 6), (40, 20)] {
        let (a, needy) = chain(&mut random, links, width, 2);
        let mut factors = Ldl::new(&a, |i| needy[i]);
        let inertia = factors.factor(&a.values).unwrap();
        let other = feral::CscMatrix {
            n: a.dimension,
            col_ptr: a.starts.clone(),
            row_idx: a.rows.clone(),
            values: a.values.clone(),
        };
        let mut solver = feral::Solver::new();
        solver.factor(&other, None);
        let theirs = solver.inertia().unwrap();
        assert_eq!((inertia.positive, inertia.negative), (theirs.positive, theirs.negative));
        let right: Vec<f64> = (0..a.dimension).map(|i| (i as f64).cos()).collect();
        let (mut x, mut y) = (vec![0.0; a.dimension], vec![0.0; a.dimension]);
        factors.solve(&right, &mut x);
        solver.solve_into(&right, &mut y).unwrap();
        let most = y.iter().fold(0.0_f64, |m, v| m.max(v.abs()));
        let apart = x.iter().zip(&y).fold(0.0_f64, |m, (a, b)| m.max((a - b).abs())) / most;
        println!("{links} links of {width}: {apart:.1e}");
        assert!(apart < 1e-9, "{apart:e}");
    }
}
