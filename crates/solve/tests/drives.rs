//! Drives: bounded impulses along a row, with compliance or without, by every solver that takes them; against closed forms and against
//! enumeration of which drives are at their bounds.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use percussion_solve::lcp::friction::{Cone, FrictionalLemke, frictional_residual};
use percussion_solve::{FrictionContactProblem, GaussSeidel};
use percussion_testing::Random;

/// Mass 2 at 3 m/s with a drive to a rate, of a compliance and a bound.
fn cart(rate: f64, compliance: f64, bound: f64) -> FrictionContactProblem {
    let mut problem = FrictionContactProblem::new();
    let cart = problem.block(&[0.5], &[6.0]).unwrap();
    problem.drive(&[(cart, &[1.0])], -rate, compliance, bound).unwrap();
    problem
}

/// Velocity and impulse, by both solvers.
fn solutions(problem: &FrictionContactProblem) -> [(Vec<f64>, Vec<f64>); 3] {
    let mut lemke = FrictionalLemke::new();
    let (mut sweeps, mut newton) = (GaussSeidel::new(), GaussSeidel::exact());
    (sweeps.tolerance, newton.tolerance) = (1e-12, 1e-12);
    newton.max_sweeps = 2;
    let answers = [lemke.solve(problem), sweeps.solve(problem).unwrap(), newton.solve(problem).unwrap()];
    answers.map(|answer| {
        assert!(answer.is_solved(), "{:?}", answer.residual);
        let found = &answer.impulses;
        assert!(frictional_residual(problem, found, Cone::Facets).unwrap().worst() < 1e-9);
        (found.velocity.clone(), found.equality.clone())
    })
}

#[test]
fn a_drive_holds_its_rate_as_long_as_its_bound_suffices() {
    for (rate, compliance, bound, velocity, impulse) in [
        (1.0, 0.0, f64::INFINITY, 1.0, -4.0),
        (1.0, 0.0, 5.0, 1.0, -4.0),
        (1.0, 0.0, 3.0, 1.5, -3.0),
        (5.0, 0.0, 3.0, 4.5, 3.0),
        (0.0, 0.0, 0.0, 3.0, 0.0),
        // Impulse (rate - v) / compliance.
        (1.0, 0.5, f64::INFINITY, 2.0, -2.0),
        (1.0, 0.5, 1.0, 2.5, -1.0),
        (-1.0, 1e9, f64::INFINITY, 3.0 - 0.5 * 4.0 / 1e9, -4.0 / 1e9),
    ] {
        for (v, c) in solutions(&cart(rate, compliance, bound)) {
            assert!((v[0] - velocity).abs() < 1e-9, "{rate} {compliance} {bound}: {v:?}");
            assert!((c[0] - impulse).abs() < 1e-9, "{rate} {compliance} {bound}: {c:?}");
        }
    }
}

#[test]
fn redundant_drives_share_a_load_that_none_of_them_bears_alone() {
    // Three brakes on one wheel, which together can stop it.
    let mut problem = FrictionContactProblem::new();
    let wheel = problem.block(&[0.5], &[6.0]).unwrap();
    for bound in [1.0, 2.0, 4.0] {
        problem.drive(&[(wheel, &[1.0])], 0.0, 0.0, bound).unwrap();
    }
    for (v, c) in solutions(&problem) {
        assert!(v[0].abs() < 1e-9 && (c.iter().sum::<f64>() + 6.0).abs() < 1e-9, "{v:?} {c:?}");
    }
}

#[test]
fn a_gripper_driven_shut_holds_a_block_by_friction_up_to_the_bound_of_its_drive() {
    // A finger presses a block of weight 2 per step against a wall; friction 0.5 on both sides bears it from pressure 2 on.
    for (bound, falls) in [(1.9, 0.1 / 2.0), (2.1, 0.0)] {
        let mut problem = FrictionContactProblem::new();
        let identity = |w: f64| [w, 0.0, 0.0, w];
        let finger = problem.block(&identity(1.0), &[0.0, 0.0]).unwrap();
        let block = problem.block(&identity(0.5), &[0.0, -2.0]).unwrap();
        problem.equality(&[(finger, &[0.0, 1.0])], 0.0).unwrap();
        problem.drive(&[(finger, &[1.0, 0.0])], 1.0, 0.0, bound).unwrap();
        problem.contact(&[(finger, &[1.0, 0.0]), (block, &[-1.0, 0.0])], 0.5, 0.0).unwrap();
        problem.tangent(&[(finger, &[0.0, 1.0]), (block, &[0.0, -1.0])]).unwrap();
        problem.contact(&[(block, &[1.0, 0.0])], 0.5, 0.0).unwrap();
        problem.tangent(&[(block, &[0.0, 1.0])]).unwrap();
        for (v, c) in solutions(&problem) {
            assert!((v[3] + falls).abs() < 1e-9, "{bound}: {v:?}");
            assert!((c[1] + bound).abs() < 1e-9, "{bound}: {c:?}");
        }
    }
}

#[test]
fn drives_of_chains_agree_with_the_enumeration_of_their_states() {
    let mut random = Random::new(7);
    for _ in 0..60 {
        let n = 4;
        let (mut problem, mut momenta, mut drives) = (FrictionContactProblem::new(), vec![], vec![]);
        for _ in 0..n {
            momenta.push(random.between(-2.0, 2.0));
            problem.block(&[1.0], &momenta[momenta.len() - 1..]).unwrap();
        }
        for k in 1..n {
            let compliance = if random.between(0.0, 1.0) < 0.5 { 0.0 } else { random.between(0.0, 2.0) };
            let drive = (random.between(-1.0, 1.0), compliance, random.between(0.0, 1.0));
            problem.drive(&[(k - 1, &[-1.0]), (k, &[1.0])], drive.0, drive.1, drive.2).unwrap();
            drives.push(drive);
        }
        let expected = enumerate(&momenta, &drives);
        for (v, _) in solutions(&problem) {
            let error = v.iter().zip(&expected).fold(0.0, |m: f64, (a, b)| m.max((a - b).abs()));
            assert!(error < 1e-8, "{v:?} {expected:?}");
        }
    }
}

/// Velocities of unit masses in a row with drives between neighbours: the combination of states (free, at either bound) that is consistent.
fn enumerate(momenta: &[f64], drives: &[(f64, f64, f64)]) -> Vec<f64> {
    let m = drives.len();
    for combination in 0..3usize.pow(m as u32) {
        let state: Vec<usize> = (0..m).map(|k| combination / 3usize.pow(k as u32) % 3).collect();
        // (G + κ) c = -(rate + offset) on the free ones, by Gauss-Jordan elimination.
        let fixed = |k: usize| [0.0, drives[k].2, -drives[k].2][state[k]];
        let coupling = |i: usize, j: usize| match i.abs_diff(j) {
            0 => 2.0,
            1 => -1.0,
            _ => 0.0,
        };
        let mut a = vec![vec![0.0; m + 1]; m];
        for i in 0..m {
            if state[i] != 0 {
                (a[i][i], a[i][m]) = (1.0, fixed(i));
                continue;
            }
            for (j, entry) in a[i].iter_mut().take(m).enumerate() {
                *entry = coupling(i, j) + if i == j { drives[i].1 } else { 0.0 };
            }
            a[i][m] = -(momenta[i + 1] - momenta[i] + drives[i].0);
        }
        for i in 0..m {
            let pivot = a[i][i];
            a[i].iter_mut().for_each(|x| *x /= pivot);
            let row = a[i].clone();
            for (_, other) in a.iter_mut().enumerate().filter(|(j, _)| *j != i) {
                let factor = other[i];
                other.iter_mut().zip(&row).for_each(|(x, r)| *x -= factor * r);
            }
        }
        let c: Vec<f64> = a.iter().map(|row| row[m]).collect();
        let mut v = momenta.to_vec();
        for (k, c) in c.iter().enumerate() {
            v[k] -= c;
            v[k + 1] += c;
        }
        let consistent = (0..m).all(|k| {
            let (offset, compliance, bound) = drives[k];
            let u = v[k + 1] - v[k] + offset + compliance * c[k];
            match state[k] {
                0 => c[k].abs() <= bound + 1e-12,
                1 => u <= 1e-12,
                _ => u >= -1e-12,
            }
        });
        if consistent {
            return v;
        }
    }
    panic!("no consistent combination");
}
