//! An independent road: Newton's equations in directors with multipliers, integrated to rounding.
//!
//! Coordinates `q = (φ, d1, d2, d3)` of every body; `M` is constant; all constraints (rigidity, joints, loops) are
//! quadratic, so `q'ᵀ ∇²g q' = g(q+q') - 2 g(q) + g(q-q')` exactly. Accelerations from
//!
//! ```text
//! [ M  Gᵀ ] [ q'' ]   [ F                  ]
//! [ G  0  ] [  λ  ] = [ -q'ᵀ ∇²g q'        ]
//! ```
//!
//! advanced by Gragg's extrapolated midpoint rule of order 16. Shares nothing with the engine's sweeps, Newton
//! iterations and rotations but the definition of joints and forces.

use super::*;

/// Subdivisions of a basic step; each raises the order by two.
const SEQUENCE: [usize; 8] = [2, 4, 6, 8, 10, 12, 14, 16];

/// Positions and directors of all bodies at a later time, in a number of basic steps.
pub fn reference(model: &Model, state: &State, until: f64, steps: usize) -> (Vec<Vec3>, Vec<Mat3>) {
    let n = 12 * model.moving();
    let mut y = DVector::zeros(2 * n);
    for (slot, twist) in model.twists(state).iter().enumerate() {
        let (v, w) = (Vec3::new(twist[0], twist[1], twist[2]), Vec3::new(twist[3], twist[4], twist[5]));
        put(&mut y, 12 * slot, &state.positions[slot], &state.rotations[slot]);
        let rates = Mat3::from_columns(&[0, 1, 2].map(|k| w.cross(&state.rotations[slot].column(k))));
        put(&mut y, n + 12 * slot, &v, &rates);
    }
    let h = (until - state.time) / steps as f64;
    for i in 0..steps {
        y = extrapolated(model, &y, state.time + i as f64 * h, h);
    }
    (0..model.moving()).map(|slot| get(&y, 12 * slot)).unzip()
}

fn put(y: &mut DVector<f64>, at: usize, x: &Vec3, r: &Mat3) {
    y.rows_mut(at, 3).copy_from(x);
    y.rows_mut(at + 3, 9).copy_from_slice(r.as_slice());
}

fn get(y: &DVector<f64>, at: usize) -> (Vec3, Mat3) {
    let v: Vec<f64> = y.rows(at, 12).iter().copied().collect();
    (Vec3::new(v[0], v[1], v[2]), Mat3::from_column_slice(&v[3..]))
}

/// One basic step: Aitken-Neville over midpoint rules of rising subdivision.
fn extrapolated(model: &Model, y0: &DVector<f64>, t: f64, h: f64) -> DVector<f64> {
    let start = rates(model, y0, t);
    let mut column: Vec<DVector<f64>> = Vec::new();
    for (i, &n) in SEQUENCE.iter().enumerate() {
        let s = h / n as f64;
        let (mut a, mut b) = (y0.clone(), y0 + &start * s);
        for k in 1..n {
            let c = &a + rates(model, &b, t + k as f64 * s) * (2.0 * s);
            a = b;
            b = c;
        }
        column.push((&a + &b + rates(model, &b, t + h) * s) * 0.5);
        for j in (0..i).rev() {
            let ratio = (n as f64 / SEQUENCE[j] as f64).powi(2);
            column[j] = &column[j + 1] + (&column[j + 1] - &column[j]) / (ratio - 1.0);
        }
    }
    column.swap_remove(0)
}

fn rates(model: &Model, y: &DVector<f64>, t: f64) -> DVector<f64> {
    let n = y.len() / 2;
    let mut out = DVector::zeros(2 * n);
    out.rows_mut(0, n).copy_from(&y.rows(n, n));
    out.rows_mut(n, n).copy_from(&accelerations(model, y, t));
    out
}

fn accelerations(model: &Model, y: &DVector<f64>, t: f64) -> DVector<f64> {
    let n = y.len() / 2;
    let q = y.rows(0, n).into_owned();
    let v = y.rows(n, n).into_owned();
    let (g, jacobian) = constraints(model, &q);
    let curvature = constraints(model, &(&q + &v)).0 - &g * 2.0 + constraints(model, &(&q - &v)).0;
    let m = g.len();
    let mut a = DMatrix::zeros(n + m, n + m);
    let mut b = DVector::zeros(n + m);
    let pulls = pulls(model, &q, &v, t);
    for (slot, link) in model.links.iter().enumerate() {
        let half = 0.5 * link.inertia.sum();
        for k in 0..12 {
            let weight = if k < 3 { link.mass } else { half - link.inertia[(k - 3) / 3] };
            // A particle's directors have no inertia; rigidity of its frame holds them anyway.
            a[(12 * slot + k, 12 * slot + k)] = if weight == 0.0 { 1.0 } else { weight };
        }
        b.rows_mut(12 * slot, 3).copy_from(&pulls[slot].force);
        // A couple T acts on the directors as T × d / 2.
        let frame = get(&q, 12 * slot).1;
        let couple = Mat3::from_columns(&[0, 1, 2].map(|k| pulls[slot].torque.cross(&frame.column(k)) * 0.5));
        b.rows_mut(12 * slot + 3, 9).copy_from_slice((pulls[slot].moment + couple).as_slice());
    }
    a.view_mut((n, 0), (m, n)).copy_from(&jacobian);
    a.view_mut((0, n), (n, m)).copy_from(&jacobian.transpose());
    b.rows_mut(n, m).copy_from(&-curvature);
    a.lu().solve(&b).unwrap().rows(0, n).into_owned()
}

fn pulls(model: &Model, q: &DVector<f64>, v: &DVector<f64>, t: f64) -> Vec<ForceAccumulator> {
    let placements: Vec<BodyKinematics> = (0..model.moving())
        .map(|slot| {
            let ((position, frame), (velocity, frame_rate)) = (get(q, 12 * slot), get(v, 12 * slot));
            BodyKinematics { position, frame, velocity, frame_rate }
        })
        .collect();
    let mut pulls: Vec<ForceAccumulator> = model
        .links
        .iter()
        .map(|link| ForceAccumulator { force: model.gravity * link.mass, ..ForceAccumulator::zero() })
        .collect();
    let bodies = Bodies { first: 0, kinematics: &placements };
    for force in &model.forces {
        force.add_forces(t, &bodies, &mut pulls).unwrap();
    }
    pulls
}

/// All constraints with their Jacobian: six for the rigidity of each body [Johnson 3.21], then joints and loops.
fn constraints(model: &Model, q: &DVector<f64>) -> (DVector<f64>, DMatrix<f64>) {
    let n = q.len();
    let mut values = Vec::new();
    let mut rows: Vec<DVector<f64>> = Vec::new();
    for slot in 0..model.moving() {
        let (_, r) = get(q, 12 * slot);
        for i in 0..3 {
            for j in i..3 {
                let mut row = DVector::zeros(n);
                for k in 0..3 {
                    row[12 * slot + 3 + 3 * i + k] += r[(k, j)];
                    row[12 * slot + 3 + 3 * j + k] += r[(k, i)];
                }
                values.push(r.column(i).dot(&r.column(j)) - if i == j { 1.0 } else { 0.0 });
                rows.push(row);
            }
        }
    }
    let placed: Vec<(Vec3, Mat3)> = (0..model.moving()).map(|slot| get(q, 12 * slot)).collect();
    let mut add = |joint: &Joint, parent: Option<usize>, child: usize| {
        for &row in joint.rows() {
            let from = parent.map(|p| (&placed[p].0, &placed[p].1));
            let value = joint.row(row, from, (&placed[child].0, &placed[child].1));
            let mut line = DVector::zeros(n);
            let mut put_form = |slot: usize, form: &LinearForm| {
                put(&mut line, 12 * slot, &form.force, &form.moment);
            };
            put_form(child, &value.child);
            if let Some(p) = parent {
                put_form(p, &value.parent);
            }
            values.push(value.value);
            rows.push(line);
        }
    };
    for (slot, link) in model.links.iter().enumerate() {
        add(&link.joint, link.parent, slot);
    }
    for closure in &model.closures {
        add(&closure.joint, closure.parent, closure.child);
    }
    let jacobian = DMatrix::from_fn(rows.len(), n, |r, c| rows[r][c]);
    (DVector::from_vec(values), jacobian)
}
