//! Linear programs with few variables and many constraints: maximise `<c, x>` subject to `<a_i, x> <= b_i`.
//!
//! A dual simplex method. The basis is a set of `D` constraints, `x` the point where they meet, and `y` the
//! weights with which their normals make up `c`; `y >= 0` throughout. Each step takes in a violated
//! constraint and drops the one whose weight reaches zero first. A box of half-width `bound` gives the
//! first basis. After many steps the rule of least index takes over, which cannot cycle. Each step solves
//! small systems afresh, so that no error accumulates.

use crate::tolerances::shapes::{FEASIBLE, PIVOT};

/// The optimum, or the best point when the steps ran out.
pub(super) struct Optimum<const D: usize> {
    pub x: [f64; D],
}

/// Maximises `<objective, x>` within the constraints and the box `|x_k| <= bound`. Rows should be of about
/// unit length. `None` if the constraints contradict each other.
pub(super) fn maximise<const D: usize>(
    objective: [f64; D],
    constraints: &[([f64; D], f64)],
    bound: f64,
) -> Option<Optimum<D>> {
    // Rows 0 .. D and D .. 2 D are the box, the rest is given.
    let row = |index: usize| -> ([f64; D], f64) {
        if index < 2 * D {
            let mut a = [0.0; D];
            a[index % D] = if index < D { 1.0 } else { -1.0 };
            (a, bound)
        } else {
            constraints[index - 2 * D]
        }
    };
    let rows = 2 * D + constraints.len();
    let mut basis: [usize; D] = std::array::from_fn(|k| if objective[k] >= 0.0 { k } else { D + k });
    let pivot_limit = 20 * rows + 200;
    let mut best = None;
    for step in 0..2 * pivot_limit {
        let members = basis.map(row);
        let x = solve(members.map(|(a, _)| a), members.map(|(_, b)| b))?;
        let columns: [[f64; D]; D] = std::array::from_fn(|i| std::array::from_fn(|k| members[k].0[i]));
        let y = solve(columns, objective)?;
        best = Some(Optimum { x });
        let excess = |index: usize| {
            let (a, b) = row(index);
            let terms: f64 = (0..D).map(|k| (a[k] * x[k]).abs()).sum();
            let height: f64 = (0..D).map(|k| a[k] * x[k]).sum::<f64>() - b;
            (height > FEASIBLE * (terms + b.abs())).then_some(height)
        };
        let mut violated = (0..rows).filter(|i| !basis.contains(i)).filter_map(|i| Some((i, excess(i)?)));
        let least_index = step >= pivot_limit;
        let entering = if least_index {
            violated.next()
        } else {
            violated.fold(None, |worst: Option<(usize, f64)>, v| match worst {
                Some(w) if w.1 >= v.1 => Some(w),
                _ => Some(v),
            })
        };
        let Some((entering, _)) = entering else { break };
        let w = solve(columns, row(entering).0)?;
        let ratio = |k: usize| y[k].max(0.0) / w[k];
        let leaving = (0..D).filter(|&k| w[k] > PIVOT).min_by(|&i, &j| {
            // Of equal ratios the largest pivot, or the least index once cycling is suspected.
            let tie = if least_index { basis[i].cmp(&basis[j]) } else { w[j].total_cmp(&w[i]) };
            ratio(i).total_cmp(&ratio(j)).then(tie)
        })?;
        basis[leaving] = entering;
    }
    best
}

/// Solves a small system by elimination with row pivoting; `None` when it is singular.
pub(super) fn solve<const D: usize>(mut a: [[f64; D]; D], mut b: [f64; D]) -> Option<[f64; D]> {
    for k in 0..D {
        let pivot = (k..D).max_by(|&i, &j| a[i][k].abs().total_cmp(&a[j][k].abs()))?;
        if a[pivot][k] == 0.0 || !a[pivot][k].is_finite() {
            return None;
        }
        a.swap(k, pivot);
        b.swap(k, pivot);
        for i in k + 1..D {
            let factor = a[i][k] / a[k][k];
            let row = a[k];
            for (entry, above) in a[i].iter_mut().zip(row).skip(k) {
                *entry -= factor * above;
            }
            b[i] -= factor * b[k];
        }
    }
    let mut x = [0.0; D];
    for k in (0..D).rev() {
        let rest: f64 = (k + 1..D).map(|j| a[k][j] * x[j]).sum();
        x[k] = (b[k] - rest) / a[k][k];
    }
    Some(x)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_furthest_corner_of_a_square_is_found() {
        let square = [([1.0, 0.0], 1.0), ([-1.0, 0.0], 1.0), ([0.0, 1.0], 1.0), ([0.0, -1.0], 1.0)];
        let best = maximise([2.0, -1.0], &square, 1e6).unwrap();
        assert_eq!(best.x, [1.0, -1.0]);
    }

    #[test]
    fn contradictions_are_noticed() {
        assert!(maximise([1.0], &[([1.0], -1.0), ([-1.0], -1.0)], 1e3).is_none());
    }

    #[test]
    fn the_value_agrees_with_brute_force_over_all_corners() {
        let mut seed = 1u64;
        let mut random = || {
            seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (seed >> 11) as f64 / (1u64 << 52) as f64 - 1.0
        };
        for _ in 0..200 {
            let rows: Vec<([f64; 3], f64)> = (0..12)
                .map(|_| {
                    let v = nalgebra::Vector3::new(random(), random(), random()).normalize();
                    ([v.x, v.y, v.z], 0.5 + 0.5 * random().abs())
                })
                .collect();
            let c = [random(), random(), random()];
            let mut all = rows.clone();
            for k in 0..3 {
                let mut a = [0.0; 3];
                a[k] = 1.0;
                all.push((a, 10.0));
                all.push((a.map(|v: f64| -v), 10.0));
            }
            let mut best = f64::NEG_INFINITY;
            for i in 0..all.len() {
                for j in 0..i {
                    for k in 0..j {
                        let picked = [all[i], all[j], all[k]];
                        let Some(x) = solve(picked.map(|r| r.0), picked.map(|r| r.1)) else { continue };
                        let dot = |a: [f64; 3]| a[0] * x[0] + a[1] * x[1] + a[2] * x[2];
                        if all.iter().all(|r| dot(r.0) <= r.1 + 1e-9) {
                            best = best.max(dot(c));
                        }
                    }
                }
            }
            let x = maximise(c, &rows, 10.0).unwrap().x;
            let value = c[0] * x[0] + c[1] * x[1] + c[2] * x[2];
            assert!((value - best).abs() < 1e-9 * best.abs(), "{value} {best}");
        }
    }
}
