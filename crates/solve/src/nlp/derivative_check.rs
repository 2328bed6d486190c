//! Derivatives of a program against differences of its values.
//!
//! First derivatives are compared with central differences along each variable. The chart is compared with differences at a
//! point away from its base. Second derivatives are compared twice: with differences of gradients through the chart, entry by
//! entry, absent ones too; and with second differences of values along a few directions, which need no chart.

use super::charted::Charted;
use super::problem::{Program, Undefined};
use crate::tolerances::charts::{FIRST, FLOOR, GRADIENT, SECOND};

/// Directions of second differences.
const DIRECTIONS: usize = 8;

/// The worst entry of one kind of derivative.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Mismatch {
    /// Difference relative to the larger of the two, or to a thousandth of the largest entry of its kind.
    pub error: f64,
    /// Its row: a constraint, or a variable of the Hessian; zero for the gradient.
    pub row: usize,
    /// Its column: a variable, or which direction.
    pub column: usize,
    /// The value of the program.
    pub given: f64,
    /// What differences say.
    pub expected: f64,
}

/// The worst entries of all kinds of derivatives.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct DerivativeCheck {
    /// Of the gradient of the objective.
    pub gradient: Mismatch,
    /// Of the Jacobian of the constraints.
    pub jacobian: Mismatch,
    /// Of the gradient of the Lagrangian through the chart, away from its base.
    pub chart: Mismatch,
    /// Of the Hessian of the Lagrangian, against differences of gradients through the chart.
    pub hessian: Mismatch,
    /// Of curvatures along a few directions, against second differences of values.
    pub curvature: Mismatch,
}

impl DerivativeCheck {
    /// The largest error of first derivatives, the chart's among them.
    pub fn first(&self) -> f64 {
        self.gradient.error.max(self.jacobian.error).max(self.chart.error)
    }

    /// The largest error of second derivatives.
    pub fn second(&self) -> f64 {
        self.hessian.error.max(self.curvature.error)
    }
}

/// Compares all derivatives of a program at a point with differences, the second ones for the Lagrangian with given weight and
/// multipliers. Errors near 1e-7 (first) and 1e-5 (second) are those of the differences.
pub fn check_derivatives<P: Program>(
    program: &mut P,
    at: &P::Point,
    weight: f64,
    multipliers: &[f64],
) -> Result<DerivativeCheck, Undefined> {
    let layout = program.layout().clone();
    let (n, m) = (layout.variables.len(), layout.constraints.len());
    let mut gradient = vec![0.0; n];
    let mut entries = vec![0.0; layout.jacobian.len()];
    program.differentiate(at, &mut gradient, &mut entries)?;
    let mut jacobian = vec![0.0; m * n];
    for (k, value) in entries.iter().enumerate() {
        jacobian[layout.jacobian.rows[k] * n + layout.jacobian.columns[k]] += value;
    }
    let mut entries = vec![0.0; layout.hessian.len()];
    program.lagrangian_hessian(at, weight, multipliers, &mut entries)?;
    let mut hessian = vec![0.0; n * n];
    for (k, value) in entries.iter().enumerate() {
        let (i, j) = (layout.hessian.rows[k], layout.hessian.columns[k]);
        hessian[i * n + j] += value;
        if i != j {
            hessian[j * n + i] += value;
        }
    }

    let mut check = DerivativeCheck::default();
    let (differences, slopes) = central_differences(program, at, n, m)?;
    check.gradient = worst(&gradient, &differences, n);
    check.jacobian = worst(&jacobian, &slopes, n);
    let mut random = Random(1);
    let lagrangian = Lagrangian { weight, multipliers };
    check.curvature = check_curvature(program, at, &lagrangian, &hessian, &mut random)?;
    let mut charted = Charted::new(program, at);
    let away: Vec<f64> = (0..n).map(|_| 0.1 * random.next()).collect();
    if let Ok(gradient) = lagrangian.gradient(&mut charted, &away) {
        let mut differences = vec![0.0; n];
        let mut x = away.clone();
        for j in 0..n {
            let mut side = |h: f64| {
                x[j] = away[j] + h;
                lagrangian.value(&mut charted, &x)
            };
            differences[j] = (side(FIRST)? - side(-FIRST)?) / (2.0 * FIRST);
            x[j] = away[j];
        }
        check.chart = worst(&gradient, &differences, n);
    }
    let mut columns = vec![0.0; n * n];
    let mut x = vec![0.0; n];
    for j in 0..n {
        let mut side = |h: f64| {
            x[j] = h;
            lagrangian.gradient(&mut charted, &x)
        };
        let (right, left) = (side(GRADIENT)?, side(-GRADIENT)?);
        x[j] = 0.0;
        for i in 0..n {
            columns[i * n + j] = (right[i] - left[i]) / (2.0 * GRADIENT);
        }
    }
    check.hessian = worst(&hessian, &columns, n);
    Ok(check)
}

/// Gradient of the objective and Jacobian of the constraints by central differences.
fn central_differences<P: Program>(
    program: &mut P,
    at: &P::Point,
    n: usize,
    m: usize,
) -> Result<(Vec<f64>, Vec<f64>), Undefined> {
    let mut there = at.clone();
    let (mut up, mut down) = (vec![0.0; m], vec![0.0; m]);
    let mut step = vec![0.0; n];
    let (mut gradient, mut jacobian) = (vec![0.0; n], vec![0.0; m * n]);
    for j in 0..n {
        let mut side = |h: f64, constraints: &mut [f64]| {
            step[j] = h;
            program.retract(at, &step, &mut there);
            program.evaluate(&there, constraints)
        };
        gradient[j] = (side(FIRST, &mut up)? - side(-FIRST, &mut down)?) / (2.0 * FIRST);
        step[j] = 0.0;
        for i in 0..m {
            jacobian[i * n + j] = (up[i] - down[i]) / (2.0 * FIRST);
        }
    }
    Ok((gradient, jacobian))
}

/// Second differences of the Lagrangian along a few directions.
fn check_curvature<P: Program>(
    program: &mut P,
    at: &P::Point,
    lagrangian: &Lagrangian,
    hessian: &[f64],
    random: &mut Random,
) -> Result<Mismatch, Undefined> {
    let n = program.layout().variables.len();
    let mut there = at.clone();
    let mut value = |step: &[f64]| {
        program.retract(at, step, &mut there);
        lagrangian.value(program, &there)
    };
    let middle = value(&vec![0.0; n])?;
    let (mut given, mut expected) = (vec![0.0; DIRECTIONS], vec![0.0; DIRECTIONS]);
    for k in 0..DIRECTIONS {
        let direction: Vec<f64> = (0..n).map(|_| random.next()).collect();
        given[k] = (0..n * n).map(|e| direction[e / n] * hessian[e] * direction[e % n]).sum();
        let mut second = |h: f64| -> Result<f64, Undefined> {
            let along = |s: f64| -> Vec<f64> { direction.iter().map(|d| s * d).collect() };
            Ok((value(&along(h))? - 2.0 * middle + value(&along(-h))?) / (h * h))
        };
        // Richardson extrapolation: the error of second order cancels.
        expected[k] = (4.0 * second(SECOND)? - second(2.0 * SECOND)?) / 3.0;
    }
    Ok(worst(&given, &expected, DIRECTIONS))
}

/// `weight f + Σ multiplier c`
struct Lagrangian<'a> {
    weight: f64,
    multipliers: &'a [f64],
}

impl Lagrangian<'_> {
    fn value<P: Program>(&self, program: &mut P, at: &P::Point) -> Result<f64, Undefined> {
        let mut constraints = vec![0.0; self.multipliers.len()];
        let f = program.evaluate(at, &mut constraints)?;
        Ok(self.weight * f + constraints.iter().zip(self.multipliers).map(|(c, y)| c * y).sum::<f64>())
    }

    fn gradient<P: Program>(&self, program: &mut P, at: &P::Point) -> Result<Vec<f64>, Undefined> {
        let pattern = program.layout().jacobian.clone();
        let mut gradient = vec![0.0; program.layout().variables.len()];
        let mut entries = vec![0.0; pattern.len()];
        program.differentiate(at, &mut gradient, &mut entries)?;
        gradient.iter_mut().for_each(|g| *g *= self.weight);
        for (k, value) in entries.iter().enumerate() {
            gradient[pattern.columns[k]] += value * self.multipliers[pattern.rows[k]];
        }
        Ok(gradient)
    }
}

fn worst(given: &[f64], expected: &[f64], width: usize) -> Mismatch {
    let largest = given.iter().chain(expected).fold(0.0, |a: f64, v| a.max(v.abs()));
    let mut worst = Mismatch::default();
    for (k, (&given, &expected)) in given.iter().zip(expected).enumerate() {
        let size = given.abs().max(expected.abs()).max(FLOOR * largest).max(f64::MIN_POSITIVE);
        let error = (given - expected).abs() / size;
        if !(error <= worst.error) {
            let error = if error.is_nan() { f64::INFINITY } else { error };
            worst = Mismatch { error, row: k / width, column: k % width, given, expected };
        }
    }
    worst
}

/// Numbers between -1 and 1, the same ones every time.
struct Random(u64);

impl Random {
    fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
    }
}
