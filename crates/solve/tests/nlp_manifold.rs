//! Programs whose points are no lists of numbers: unit vectors and rotations, with answers known from linear algebra.
#![allow(clippy::unwrap_used)]

mod nlp_common;

use nalgebra::{DMatrix, DVector, Matrix3, Rotation3, Vector3};
use nlp_common::{assert_derivatives, optimum};
use percussion_solve::nlp::{
    Bound, ChartBlock, Charted, InteriorPoint, Layout, Options, Outcome, Program, Undefined,
};

/// `p · A p` on unit vectors: least at an eigenvector of the least eigenvalue. A step is along geodesics, in a basis of the
/// tangent plane.
struct Rayleigh {
    a: DMatrix<f64>,
    layout: Layout,
}

impl Rayleigh {
    fn new(a: DMatrix<f64>) -> Self {
        let n = a.nrows() - 1;
        let mut layout = Layout { variables: vec![Bound::FREE; n], ..Layout::default() };
        for i in 0..n {
            (0..=i).for_each(|j| layout.hessian.push(i, j));
        }
        Self { a, layout }
    }
}

/// The columns of the reflection that takes the first axis to `p`, but the first.
fn basis(p: &DVector<f64>) -> DMatrix<f64> {
    let n = p.len();
    let mut v = p.clone();
    let sign = if p[0] > 0.0 { 1.0 } else { -1.0 };
    v[0] += sign;
    let reflection = DMatrix::identity(n, n) - &v * v.transpose() * (2.0 / v.norm_squared());
    reflection.columns(1, n - 1).into_owned()
}

impl Program for Rayleigh {
    type Point = DVector<f64>;

    fn layout(&self) -> &Layout {
        &self.layout
    }

    fn coordinates(&self, _: &DVector<f64>, _: &mut [f64]) {}

    fn retract(&self, from: &DVector<f64>, step: &[f64], to: &mut DVector<f64>) {
        let v = basis(from) * DVector::from_column_slice(step);
        let r = v.norm();
        *to = from * r.cos() + if r == 0.0 { v } else { v * (r.sin() / r) };
        to.normalize_mut();
    }

    fn evaluate(&mut self, p: &DVector<f64>, _: &mut [f64]) -> Result<f64, Undefined> {
        Ok(p.dot(&(&self.a * p)))
    }

    fn differentiate(
        &mut self,
        p: &DVector<f64>,
        gradient: &mut [f64],
        _: &mut [f64],
    ) -> Result<(), Undefined> {
        gradient.copy_from_slice((basis(p).transpose() * (&self.a * p) * 2.0).as_slice());
        Ok(())
    }

    fn lagrangian_hessian(
        &mut self,
        p: &DVector<f64>,
        weight: f64,
        _: &[f64],
        hessian: &mut [f64],
    ) -> Result<(), Undefined> {
        let b = basis(p);
        let h = b.transpose() * &self.a * &b * 2.0;
        let shift = 2.0 * p.dot(&(&self.a * p));
        let places = &self.layout.hessian;
        for (k, out) in hessian.iter_mut().enumerate() {
            let (i, j) = (places.rows[k], places.columns[k]);
            *out = weight * (h[(i, j)] - if i == j { shift } else { 0.0 });
        }
        Ok(())
    }

    fn chart(&self, base: &DVector<f64>, x: &[f64], blocks: &mut Vec<ChartBlock>) {
        let x = DVector::from_column_slice(x);
        let b = basis(base);
        let (r, n) = (x.norm(), x.len());
        let there = base * r.cos() + &b * &x * if r == 0.0 { 1.0 } else { r.sin() / r };
        let derivative = if r < 1e-9 {
            b.clone()
        } else {
            let unit = &x / r;
            let (sinc, slope) = (r.sin() / r, (r.cos() - r.sin() / r) / r);
            -base * unit.transpose() * r.sin() + &b * sinc + &b * &x * unit.transpose() * slope
        };
        let entries = (basis(&there).transpose() * derivative).as_slice().to_vec();
        *blocks = vec![ChartBlock { first: 0, entries, size: n }];
    }
}

fn symmetric(n: usize) -> DMatrix<f64> {
    let a = DMatrix::from_fn(n, n, |i, j| ((i * 7 + j * 3) as f64).sin());
    &a + a.transpose()
}

#[test]
fn rayleigh_quotient_is_least_at_the_least_eigenvalue() {
    let a = symmetric(8);
    let least = a.clone().symmetric_eigen().eigenvalues.min();
    let mut program = Rayleigh::new(a);
    for k in 0..8 {
        // From an axis, and from a point without symmetry.
        let mut start = DVector::from_fn(8, |i, _| if i == k { 1.0 } else { 0.1 * (i as f64 + 0.3).cos() });
        start.normalize_mut();
        assert_derivatives(&mut program, &start, 1.3, &[]);
        let solution = optimum(&mut program, &start);
        assert!((solution.objective - least).abs() < 1e-12, "{} {least}", solution.objective);
    }
}

#[test]
fn eigenvectors_that_are_no_minima_are_saddles_and_left() {
    let a = symmetric(6);
    let eigen = a.clone().symmetric_eigen();
    let least = eigen.eigenvalues.min();
    let mut program = Rayleigh::new(a);
    for k in 0..6 {
        let start: DVector<f64> = eigen.eigenvectors.column(k).into_owned();
        let stay = Options { leave_saddles: false, ..Options::default() };
        let stays = InteriorPoint::new().solve(&mut program, &start, &stay).unwrap();
        if (eigen.eigenvalues[k] - least).abs() > 1e-9 {
            let Outcome::Saddle { curvature } = stays.outcome else { panic!("{:?}", stays.outcome) };
            // A quotient of Rayleigh for the Hessian: not below its least eigenvalue, and near it.
            let exact = 2.0 * (least - eigen.eigenvalues[k]);
            assert!(curvature >= exact - 1e-9 && curvature <= 0.9 * exact, "{curvature} {exact}");
        }
        let left = optimum(&mut program, &start);
        assert!((left.objective - least).abs() < 1e-10, "{} {least}", left.objective);
    }
}

/// Wahba's problem: the rotation nearest to a matrix, least `-tr(Mᵀ R)`, and a number with bounds beside it; constraints couple
/// both. A step turns in the body's frame.
struct Wahba {
    m: Matrix3<f64>,
    layout: Layout,
}

impl Wahba {
    /// With `tilt`, the third axis must make an angle with the vertical whose cosine is the number.
    fn new(m: Matrix3<f64>, tilt: Option<Bound>) -> Self {
        let mut layout = Layout { variables: vec![Bound::FREE; 3], ..Layout::default() };
        layout.variables.push(Bound::between(-2.0, 2.0));
        for i in 0..4 {
            (0..=i).for_each(|j| layout.hessian.push(i, j));
        }
        if let Some(bound) = tilt {
            layout.variables[3] = bound;
            layout.constraints.push(Bound::equal(0.0));
            (0..4).for_each(|j| layout.jacobian.push(0, j));
        }
        Self { m, layout }
    }
}

/// First and second derivative of `tr(A exp(w))` along `w`.
fn trace_derivatives(a: &Matrix3<f64>) -> (Vector3<f64>, Matrix3<f64>) {
    let first = Vector3::new(a[(1, 2)] - a[(2, 1)], a[(2, 0)] - a[(0, 2)], a[(0, 1)] - a[(1, 0)]);
    (first, (a + a.transpose()) * 0.5 - Matrix3::identity() * a.trace())
}

impl Program for Wahba {
    type Point = (Rotation3<f64>, f64);

    fn layout(&self) -> &Layout {
        &self.layout
    }

    fn coordinates(&self, at: &Self::Point, out: &mut [f64]) {
        out[3] = at.1;
    }

    fn retract(&self, from: &Self::Point, step: &[f64], to: &mut Self::Point) {
        *to = (from.0 * Rotation3::new(Vector3::new(step[0], step[1], step[2])), from.1 + step[3]);
        to.0.renormalize();
    }

    fn evaluate(&mut self, at: &Self::Point, c: &mut [f64]) -> Result<f64, Undefined> {
        if !c.is_empty() {
            c[0] = at.0[(2, 2)] - at.1;
        }
        Ok(-(self.m.transpose() * at.0.matrix()).trace() + 0.5 * at.1 * at.1)
    }

    fn differentiate(
        &mut self,
        at: &Self::Point,
        gradient: &mut [f64],
        jacobian: &mut [f64],
    ) -> Result<(), Undefined> {
        let (g, _) = trace_derivatives(&(self.m.transpose() * at.0.matrix()));
        gradient[..3].copy_from_slice((-g).as_slice());
        gradient[3] = at.1;
        if !jacobian.is_empty() {
            let (g, _) = trace_derivatives(&(vertical() * at.0.matrix()));
            jacobian[..3].copy_from_slice(g.as_slice());
            jacobian[3] = -1.0;
        }
        Ok(())
    }

    fn lagrangian_hessian(
        &mut self,
        at: &Self::Point,
        weight: f64,
        y: &[f64],
        hessian: &mut [f64],
    ) -> Result<(), Undefined> {
        let (_, h) = trace_derivatives(&(self.m.transpose() * at.0.matrix()));
        let mut h = h * -weight;
        if let Some(y) = y.first() {
            h += trace_derivatives(&(vertical() * at.0.matrix())).1 * *y;
        }
        for (k, out) in hessian.iter_mut().enumerate() {
            let (i, j) = (self.layout.hessian.rows[k], self.layout.hessian.columns[k]);
            *out = if i == 3 { if j == 3 { weight } else { 0.0 } } else { h[(i, j)] };
        }
        Ok(())
    }

    fn chart(&self, _: &Self::Point, x: &[f64], blocks: &mut Vec<ChartBlock>) {
        // The right Jacobian of the exponential map.
        let w = Vector3::new(x[0], x[1], x[2]);
        let (r, cross) = (w.norm(), w.cross_matrix());
        let (a, b) = if r < 1e-4 {
            (0.5 - r * r / 24.0, 1.0 / 6.0 - r * r / 120.0)
        } else {
            ((1.0 - r.cos()) / (r * r), (r - r.sin()) / (r * r * r))
        };
        let t = Matrix3::identity() - cross * a + cross * cross * b;
        *blocks = vec![ChartBlock { first: 0, entries: t.as_slice().to_vec(), size: 3 }];
    }
}

/// `e₃ e₃ᵀ`: the trace of it times R is the cosine of the tilt.
fn vertical() -> Matrix3<f64> {
    Matrix3::from_diagonal(&Vector3::new(0.0, 0.0, 1.0))
}

fn matrix(seed: f64) -> Matrix3<f64> {
    Matrix3::from_fn(|i, j| (seed + (3 * i + j) as f64 * 1.7).sin())
}

/// The rotation nearest to a matrix, by singular values.
fn nearest(m: &Matrix3<f64>) -> Matrix3<f64> {
    let svd = m.svd(true, true);
    let (u, vt) = (svd.u.unwrap(), svd.v_t.unwrap());
    u * Matrix3::from_diagonal(&Vector3::new(1.0, 1.0, (u * vt).determinant().signum())) * vt
}

#[test]
fn the_nearest_rotation_is_that_of_the_singular_values() {
    for k in 0..10 {
        let mut program = Wahba::new(matrix(f64::from(k)), None);
        let start = (Rotation3::new(Vector3::new(0.3, -0.2, 0.1 * f64::from(k))), 0.7);
        assert_derivatives(&mut program, &start, 0.9, &[]);
        let solution = optimum(&mut program, &start);
        let error = (solution.point.0.matrix() - nearest(&program.m)).norm();
        assert!(error < 1e-6, "{k}: {error}");
        assert!(solution.point.1.abs() < 1e-7);
    }
}

#[test]
fn the_mean_of_rotations_is_found_from_anywhere() {
    let rotations: Vec<Rotation3<f64>> = (0..7)
        .map(|k| Rotation3::new(Vector3::new((k as f64).sin(), (2.0 * k as f64).cos(), 0.3 * k as f64)))
        .collect();
    let sum = rotations.iter().fold(Matrix3::zeros(), |sum, r| sum + r.matrix());
    let mut program = Wahba::new(sum, None);
    for start in rotations {
        let solution = optimum(&mut program, &(start, 0.0));
        assert!((solution.point.0.matrix() - nearest(&sum)).norm() < 1e-6);
    }
}

#[test]
fn constraints_and_bounds_hold_on_rotations_and_the_chart_leads_to_the_same_point() {
    let mut program = Wahba::new(matrix(2.0), Some(Bound::between(0.2, 0.3)));
    let start = (Rotation3::new(Vector3::new(1.0, 0.2, 0.1)), 0.5);
    assert_derivatives(&mut program, &start, 0.9, &[0.8]);
    let solution = optimum(&mut program, &start);
    let tilt = solution.point.0[(2, 2)];
    assert!((0.2 - 1e-10..=0.3 + 1e-10).contains(&tilt), "{tilt}");
    let residual = solution.residual;
    assert!(residual.violation() < 1e-10 && residual.stationarity < 1e-6, "{residual:?}");

    // Through the chart: lists of numbers, the same second derivatives, the same answer.
    let mut charted = Charted::new(&mut program, &start);
    let x = vec![0.4, -0.3, 0.6, 0.1];
    assert_derivatives(&mut charted, &x, 0.9, &[0.8]);
    let numbers = optimum(&mut charted, &vec![0.0; 4]);
    let point = charted.point_at(&numbers.point);
    let (one, other) = (solution.objective, numbers.objective);
    assert!((other - one).abs() < 1e-8, "{other} {one}");
    assert!((point.0.matrix() - solution.point.0.matrix()).norm() < 1e-4);
}
