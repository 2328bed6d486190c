//! Programs of tests: dense ones written as formulas, with derivatives by jets of second order.
#![allow(dead_code)]

pub mod chain;
pub mod classics;
pub mod jet;

pub use jet::Jet;
use percussion_solve::nlp::{Bound, Layout, Program, Undefined};

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
        for i in 0..m {
            for j in 0..n {
                layout.jacobian.push(i, j);
            }
        }
        for i in 0..n {
            for j in 0..=i {
                layout.hessian.push(i, j);
            }
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
        let n = at.len();
        let mut k = 0;
        for i in 0..n {
            for j in 0..=i {
                let sum: f64 = c.iter().zip(multipliers).map(|(c, y)| y * c.hessian[i * n + j]).sum();
                hessian[k] = weight * f.hessian[i * n + j] + sum;
                k += 1;
            }
        }
        Ok(())
    }

    fn constraint_name(&self, constraint: usize) -> String {
        self.names.get(constraint).cloned().unwrap_or_else(|| format!("constraint {constraint}"))
    }
}
