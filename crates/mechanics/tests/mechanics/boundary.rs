//! Boundary value problems: first and last configuration given, the motion between them found by Newton's method on the
//! block tri-diagonal equations `p⁺ = p⁻` at every node, and compared with the motion that steps find.

use crate::common::*;

const STEP: f64 = 0.02;
const INTERVALS: usize = 8;
/// A correction after which the next is rounding, and corrections by which it must have come.
const ARRIVED: f64 = 1e-10;
const MOST: usize = 8;
/// How far the first guess bulges away from the motion, rad and m.
const OFF: f64 = 0.02;

/// Configurations found by stepping from rates at random.
fn stepped(model: &Model, state: &State) -> Vec<State> {
    let mut random = Random::new(31);
    let mut state = state.clone();
    let (bodies, dofs) = (island(model).bodies.clone(), island(model).dofs.clone());
    let rates: Vec<f64> = dofs.clone().map(|_| random.signed()).collect();
    let mut room = (vec![Vec6::zeros(); bodies.len()], vec![Vec6::zeros(); bodies.len()]);
    let mass = model.mass_system(&state, bodies);
    mass.multiply(&rates, &mut room.0, &mut room.1, &mut state.momenta[dofs], |_, _| ());
    let mut scheme = Variational::new(model, &state);
    let mut path = vec![state.clone()];
    for _ in 0..INTERVALS {
        scheme.step(model, &mut state, STEP).unwrap();
        path.push(state.clone());
    }
    path
}

/// One row of blocks of the equations: on the node before, on its own, on the one after, and the residual.
struct Row {
    lower: DMatrix<f64>,
    own: DMatrix<f64>,
    upper: DMatrix<f64>,
    residual: DVector<f64>,
}

/// `p⁺ - p⁻ - Bᵀ λ` and `g` at every inner node.
fn equations(model: &Model, path: &[State], multipliers: &[DVector<f64>]) -> Vec<Row> {
    let island = island(model);
    let mut tool = Differentiator::default();
    let mut pieces = Vec::new();
    let mut bent = Vec::new();
    for (k, pair) in path.windows(2).enumerate() {
        let t = path[0].time + (k as f64 + 0.5) * STEP;
        let (start, end) = (&pair[0], &pair[1]);
        let interval = uncontrolled((model, island), (start, end), (t, STEP));
        let mut d = Derivatives::default();
        tool.differentiate(&interval, &mut d).unwrap();
        let n = d.dofs;
        let mut bending = vec![0.0; n * n];
        if let Some(multipliers) = multipliers.get(k) {
            tool.differentiate_loop_forces(&interval, End::After, multipliers.as_slice(), &mut bending);
        }
        pieces.push(d);
        bent.push(DMatrix::from_vec(n, n, bending));
    }
    let mut rows = Vec::new();
    for (k, pair) in pieces.windows(2).enumerate() {
        let (last, next) = (&pair[0], &pair[1]);
        let (n, m) = (last.dofs, last.gaps.len());
        let square = |list: &[f64]| DMatrixView::from_slice(list, n, n).into_owned();
        let bordered = |block: DMatrix<f64>| block.resize(n + m, n + m, 0.0);
        let b = DMatrix::from_row_slice(m, n, &last.rows_after);
        let mut own = bordered(square(&last.after.by_end) - square(&next.before.by_start) - &bent[k]);
        own.view_mut((0, n), (n, m)).copy_from(&-b.transpose());
        own.view_mut((n, 0), (m, n)).copy_from(&b);
        let p = DVector::from_column_slice(&last.after.value)
            - DVector::from_column_slice(&next.before.value)
            - b.transpose() * &multipliers[k];
        rows.push(Row {
            lower: bordered(square(&last.after.by_start)),
            own,
            upper: bordered(-square(&next.before.by_end)),
            residual: DVector::from_iterator(n + m, p.iter().chain(&last.gaps).copied()),
        });
    }
    rows
}

/// Block elimination without exchanges between blocks.
fn solve(mut rows: Vec<Row>) -> Vec<DVector<f64>> {
    for k in 1..rows.len() {
        let (above, below) = rows.split_at_mut(k);
        let (above, row) = (&above[k - 1], &mut below[0]);
        let lu = above.own.clone().lu();
        row.own -= &row.lower * lu.solve(&above.upper).unwrap();
        row.residual -= &row.lower * lu.solve(&above.residual).unwrap();
    }
    let mut answer: Vec<DVector<f64>> = Vec::new();
    for row in rows.iter().rev() {
        let mut b = -&row.residual;
        if let Some(after) = answer.last() {
            b -= &row.upper * after;
        }
        answer.push(row.own.clone().lu().solve(&b).unwrap());
    }
    answer.reverse();
    answer
}

/// Finds the motion between the ends of a stepped path from a spoilt guess; returns the sizes of the corrections.
fn solved(model: &Model, state: &State) -> Vec<f64> {
    let expected = stepped(model, state);
    let mut random = Random::new(8);
    let mut path = expected.clone();
    let n = island(model).dofs.len();
    let off: Vec<f64> = (0..n).map(|_| OFF * random.signed()).collect();
    for (k, node) in path.iter_mut().enumerate().take(INTERVALS).skip(1) {
        let bulge = (std::f64::consts::PI * k as f64 / INTERVALS as f64).sin();
        *node = moved(model, node, &off.iter().map(|d| d * bulge).collect::<Vec<_>>());
    }
    let rows: usize = model.closures.iter().map(|c| c.joint.rows().len()).sum();
    let mut multipliers = vec![DVector::zeros(rows); INTERVALS - 1];
    let mut sizes = Vec::new();
    while sizes.len() < MOST {
        let corrections = solve(equations(model, &path, &multipliers));
        for (k, d) in corrections.iter().enumerate() {
            path[k + 1] = moved(model, &path[k + 1], &d.as_slice()[..n]);
            multipliers[k] += d.rows(n, rows);
        }
        let size = corrections.iter().map(|d| d.rows(0, n).amax()).fold(0.0, f64::max);
        sizes.push(size);
        if size < ARRIVED {
            break;
        }
    }
    for (found, expected) in path.iter().zip(&expected) {
        let off = apart(found, expected);
        assert!(off < ARRIVED, "off by {off:e}");
    }
    sizes
}

/// Each correction is at most about the square of the one before, in units of metres over levers of metres, until rounding. A
/// derivative wrong by a thousandth would end the squaring at 1e-5.
fn assert_quadratic(name: &str, sizes: &[f64]) {
    assert!(sizes.len() < MOST, "{name}: {sizes:?}");
    for pair in sizes.windows(2).filter(|pair| pair[0] < 1e-2) {
        assert!(pair[1] < (100.0 * pair[0] * pair[0]).max(1e-11), "{name}: {sizes:?}");
    }
}

#[test]
fn the_motion_between_two_configurations_is_the_one_that_steps_find() {
    for kind in ALL_KINDS {
        let (model, state) = everything(kind, 2);
        assert_quadratic(&format!("{kind:?}"), &solved(&model, &state));
    }
}

#[test]
fn the_motion_of_a_closed_chain_is_found_with_its_multipliers() {
    for closing in [JointKind::Spherical, JointKind::Rod, JointKind::Planar, JointKind::Cylindrical] {
        let (model, state) = closed(JointKind::Free, closing, false);
        assert_quadratic(&format!("loop closed by {closing:?}"), &solved(&model, &state));
    }
}
