//! Programs of tests: dense ones written as formulas, with derivatives by jets of second order.
#![allow(dead_code, clippy::unwrap_used)]

pub mod chain;
pub mod classics;
pub mod jet;

pub use jet::Jet;
use percussion_solve::nlp::{
    Bound, InteriorPoint, Layout, Options, Outcome, Program, Solution, Undefined, check_derivatives,
};

/// The optimum from a start.
pub fn optimum<P: Program>(program: &mut P, start: &P::Point) -> Solution<P::Point> {
    let solution = InteriorPoint::new().solve(program, start, &Options::default()).unwrap();
    assert_eq!(solution.outcome, Outcome::Optimal, "{:?}", solution.residual);
    solution
}

/// Derivatives are those of differences.
pub fn assert_derivatives<P: Program>(program: &mut P, at: &P::Point, weight: f64, multipliers: &[f64]) {
    let check = check_derivatives(program, at, weight, multipliers).unwrap();
    assert!(check.first() < 1e-6 && check.second() < 1e-5, "{check:?}");
}

type Formula = Box<dyn Fn(&[Jet]) -> (Jet, Vec<Jet>)>;

/// A program on lists of numbers given by a formula for objective and constraints.
pub struct Dense {
    pub layout: Layout,
    pub formula: Formula,
    pub names: Vec<String>,
}

impl Dense {
    pub fn new(
        variables: Vec<Bound>,
        constraints: Vec<Bound>,
        formula: impl Fn(&[Jet]) -> (Jet, Vec<Jet>) + 'static,
    ) -> Self {
        let (n, m) = (variables.len(), constraints.len());
        let mut layout = Layout { variables, constraints, ..Layout::default() };
        (0..m * n).for_each(|k| layout.jacobian.push(k / n, k % n));
        for i in 0..n {
            (0..=i).for_each(|j| layout.hessian.push(i, j));
        }
        Self { layout, formula: Box::new(formula), names: Vec::new() }
    }

    fn jets(&self, at: &[f64]) -> (Jet, Vec<Jet>) {
        let x: Vec<Jet> = (0..at.len()).map(|i| Jet::variable(at[i], i, at.len())).collect();
        (self.formula)(&x)
    }
}

impl Program for Dense {
    type Point = Vec<f64>;

    fn layout(&self) -> &Layout {
        &self.layout
    }

    fn coordinates(&self, at: &Vec<f64>, out: &mut [f64]) {
        out.copy_from_slice(at);
    }

    fn retract(&self, from: &Vec<f64>, step: &[f64], to: &mut Vec<f64>) {
        for ((t, f), s) in to.iter_mut().zip(from).zip(step) {
            *t = f + s;
        }
    }

    fn evaluate(&mut self, at: &Vec<f64>, constraints: &mut [f64]) -> Result<f64, Undefined> {
        let (f, c) = self.jets(at);
        for (out, c) in constraints.iter_mut().zip(&c) {
            *out = c.value;
        }
        Ok(f.value)
    }

    fn differentiate(
        &mut self,
        at: &Vec<f64>,
        gradient: &mut [f64],
        jacobian: &mut [f64],
    ) -> Result<(), Undefined> {
        let (f, c) = self.jets(at);
        gradient.copy_from_slice(&f.gradient);
        for (row, c) in c.iter().enumerate() {
            jacobian[row * at.len()..(row + 1) * at.len()].copy_from_slice(&c.gradient);
        }
        Ok(())
    }

    fn lagrangian_hessian(
        &mut self,
        at: &Vec<f64>,
        weight: f64,
        multipliers: &[f64],
        hessian: &mut [f64],
    ) -> Result<(), Undefined> {
        let (f, c) = self.jets(at);
        let places = &self.layout.hessian;
        for ((out, i), j) in hessian.iter_mut().zip(&places.rows).zip(&places.columns) {
            let k = i * at.len() + j;
            *out =
                weight * f.hessian[k] + c.iter().zip(multipliers).map(|(c, y)| y * c.hessian[k]).sum::<f64>();
        }
        Ok(())
    }

    fn constraint_name(&self, constraint: usize) -> String {
        self.names.get(constraint).cloned().unwrap_or_else(|| format!("constraint {constraint}"))
    }
}
