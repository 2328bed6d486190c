//! A program on a manifold as one on lists of numbers: the point is a base moved by `x`.
//!
//! ```text
//! p = base ⊕ x,   T = ∂d/∂x (a step d at p),   gradient = Tᵀ g,   Jacobian = J T,
//! Hessian = Tᵀ H T + Σ g_k Q_k,   Q: second derivative of the step at p that leads to base ⊕ (x + δ)
//! ```
//!
//! With `A(d)` the derivative of the chart at `p` itself, `∂d/∂δ = A⁻¹ T`, so `Q = ∂T/∂x - (∂A/∂d T) T`, both by differences:
//! blocks are small, and one call perturbs all of them at once.

use super::problem::{Bound, ChartBlock, Layout, Program, Undefined};
use crate::tolerances::charts::STEP;

/// A program in the coordinates of a chart.
pub struct Charted<'a, P: Program> {
    program: &'a mut P,
    base: P::Point,
    point: P::Point,
    layout: Layout,
    base_coordinates: Vec<f64>,
    /// First variable and size of each group of variables that a chart mixes; variables alone are groups of one.
    groups: Vec<(usize, usize)>,
    group_of: Vec<usize>,
    /// Where the products of each entry of the program's Jacobian and Hessian go.
    jacobian_targets: Vec<usize>,
    hessian_targets: Vec<usize>,
    /// Where the chart's own curvature goes, group by group, lower triangles.
    curvature_targets: Vec<usize>,
    blocks: Vec<ChartBlock>,
    chart: Vec<f64>,
    chart_starts: Vec<usize>,
    gradient: Vec<f64>,
    jacobian: Vec<f64>,
    hessian: Vec<f64>,
}

impl<'a, P: Program> Charted<'a, P> {
    /// A program in coordinates around a base.
    pub fn new(program: &'a mut P, base: &P::Point) -> Self {
        let old = program.layout().clone();
        let n = old.variables.len();
        let mut blocks = Vec::new();
        program.chart(base, &vec![0.0; n], &mut blocks);
        let mut base_coordinates = vec![0.0; n];
        program.coordinates(base, &mut base_coordinates);

        let mut groups = Vec::new();
        let mut group_of = vec![usize::MAX; n];
        for block in &blocks {
            let end = (block.first + block.size).min(n);
            group_of[block.first.min(end)..end].fill(groups.len());
            groups.push((block.first, block.size.min(n - block.first.min(n))));
        }
        for (variable, group) in group_of.iter_mut().enumerate() {
            if *group == usize::MAX {
                *group = groups.len();
                groups.push((variable, 1));
            }
        }
        let mut chart_starts = vec![0];
        for &(_, size) in &groups {
            chart_starts.push(chart_starts[chart_starts.len() - 1] + size * size);
        }

        let mut layout = Layout {
            variables: old.variables,
            constraints: old.constraints,
            step_limits: old.step_limits,
            ..Layout::default()
        };
        let mut places = Numbering::default();
        let mut jacobian_targets = Vec::new();
        for (&row, &column) in old.jacobian.rows.iter().zip(&old.jacobian.columns) {
            let (first, size) = groups[group_of[column]];
            jacobian_targets.extend((first..first + size).map(|j| places.number(row, j)));
        }
        (layout.jacobian.rows, layout.jacobian.columns) = places.lists();
        let mut places = Numbering::default();
        let mut hessian_targets = Vec::new();
        for (&row, &column) in old.hessian.rows.iter().zip(&old.hessian.columns) {
            let (a, b) = (groups[group_of[row]], groups[group_of[column]]);
            for i in a.0..a.0 + a.1 {
                for j in b.0..b.0 + b.1 {
                    hessian_targets.push(places.number(i.max(j), i.min(j)));
                }
            }
        }
        let mut curvature_targets = Vec::new();
        for &(first, size) in groups.iter().take(blocks.len()) {
            for i in first..first + size {
                curvature_targets.extend((first..=i).map(|j| places.number(i, j)));
            }
        }
        (layout.hessian.rows, layout.hessian.columns) = places.lists();
        Self {
            gradient: vec![0.0; n],
            jacobian: vec![0.0; old.jacobian.rows.len()],
            hessian: vec![0.0; old.hessian.rows.len()],
            chart: vec![0.0; chart_starts[groups.len()]],
            program,
            base: base.clone(),
            point: base.clone(),
            layout,
            base_coordinates,
            groups,
            group_of,
            jacobian_targets,
            hessian_targets,
            curvature_targets,
            blocks,
            chart_starts,
        }
    }

    /// The point of the program at given numbers.
    pub fn point_at(&mut self, x: &[f64]) -> P::Point {
        self.program.retract(&self.base, x, &mut self.point);
        self.point.clone()
    }

    /// Blocks of `∂d/∂x` at `x` from the base or from the point itself, into one list; groups of one are 1.
    fn read_chart(&mut self, from_point: bool, x: &[f64]) {
        let base = if from_point { &self.point } else { &self.base };
        self.program.chart(base, x, &mut self.blocks);
        self.chart.fill(1.0);
        for (block, &start) in self.blocks.iter().zip(&self.chart_starts) {
            self.chart[start..start + block.entries.len()].copy_from_slice(&block.entries);
        }
    }

    /// `∂d_k/∂x_j` of one group.
    fn entry(&self, group: usize, k: usize, j: usize) -> f64 {
        let (first, size) = self.groups[group];
        self.chart[self.chart_starts[group] + (j - first) * size + (k - first)]
    }

    /// Derivatives along `x`'s groups of `Tᵀ g` at fixed `g`: `out[group][i][e] = Σ_k g_k ∂T_ki/∂x_e`.
    fn chart_curvature(&mut self, from_point: bool, x: &[f64], out: &mut [f64]) {
        out.fill(0.0);
        let most = self.groups.iter().map(|g| g.1).max().unwrap_or(0);
        let mixing = self.blocks.len();
        let mut there = x.to_vec();
        for e in 0..most {
            for sign in [1.0, -1.0] {
                there.copy_from_slice(x);
                for &(first, size) in self.groups.iter().take(mixing) {
                    if e < size {
                        there[first + e] += sign * STEP;
                    }
                }
                self.read_chart(from_point, &there);
                for group in 0..mixing {
                    let (first, size) = self.groups[group];
                    for i in 0..size.min(if e < size { size } else { 0 }) {
                        let sum: f64 = (0..size)
                            .map(|k| self.gradient[first + k] * self.entry(group, first + k, first + i))
                            .sum();
                        out[self.chart_starts[group] + i * size + e] += sign * sum / (2.0 * STEP);
                    }
                }
            }
        }
    }
}

impl<P: Program> Program for Charted<'_, P> {
    type Point = Vec<f64>;

    fn layout(&self) -> &Layout {
        &self.layout
    }

    fn coordinates(&self, at: &Vec<f64>, out: &mut [f64]) {
        for (j, bound) in self.layout.variables.iter().enumerate() {
            if *bound != Bound::FREE {
                out[j] = self.base_coordinates[j] + at[j];
            }
        }
    }

    fn retract(&self, from: &Vec<f64>, step: &[f64], to: &mut Vec<f64>) {
        for ((to, from), step) in to.iter_mut().zip(from).zip(step) {
            *to = from + step;
        }
    }

    fn evaluate(&mut self, at: &Vec<f64>, constraints: &mut [f64]) -> Result<f64, Undefined> {
        self.program.retract(&self.base, at, &mut self.point);
        self.program.evaluate(&self.point, constraints)
    }

    fn differentiate(
        &mut self,
        at: &Vec<f64>,
        gradient: &mut [f64],
        jacobian: &mut [f64],
    ) -> Result<(), Undefined> {
        self.program.retract(&self.base, at, &mut self.point);
        self.program.differentiate(&self.point, &mut self.gradient, &mut self.jacobian)?;
        self.read_chart(false, at);
        for (j, out) in gradient.iter_mut().enumerate() {
            let group = self.group_of[j];
            let (first, size) = self.groups[group];
            *out = (first..first + size).map(|k| self.gradient[k] * self.entry(group, k, j)).sum();
        }
        jacobian.fill(0.0);
        let mut targets = self.jacobian_targets.iter();
        for (value, &k) in self.jacobian.iter().zip(&self.program.layout().jacobian.columns) {
            let group = self.group_of[k];
            let (first, size) = self.groups[group];
            for (j, &target) in (first..first + size).zip(&mut targets) {
                jacobian[target] += value * self.entry(group, k, j);
            }
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
        self.program.retract(&self.base, at, &mut self.point);
        self.program.differentiate(&self.point, &mut self.gradient, &mut self.jacobian)?;
        self.program.lagrangian_hessian(&self.point, weight, multipliers, &mut self.hessian)?;
        // The gradient of the Lagrangian along steps at the point.
        self.gradient.iter_mut().for_each(|g| *g *= weight);
        let places = &self.program.layout().jacobian;
        for ((value, &row), &column) in self.jacobian.iter().zip(&places.rows).zip(&places.columns) {
            self.gradient[column] += value * multipliers[row];
        }
        let (mut bend, mut own) = (vec![0.0; self.chart.len()], vec![0.0; self.chart.len()]);
        if !self.blocks.is_empty() {
            self.chart_curvature(false, at, &mut bend);
            self.chart_curvature(true, &vec![0.0; at.len()], &mut own);
        }
        self.read_chart(false, at);

        hessian.fill(0.0);
        let places = &self.program.layout().hessian;
        let mut targets = self.hessian_targets.iter();
        for ((value, &row), &column) in self.hessian.iter().zip(&places.rows).zip(&places.columns) {
            let (ga, gb) = (self.group_of[row], self.group_of[column]);
            let (a, b) = (self.groups[ga], self.groups[gb]);
            for i in a.0..a.0 + a.1 {
                for (j, &target) in (b.0..b.0 + b.1).zip(&mut targets) {
                    let (left, right) = (self.entry(ga, row, i), self.entry(gb, column, j));
                    // Within one group the entry and its mirror image fall into the same triangle.
                    let share = match (row == column, ga == gb, i == j) {
                        (true, _, false) => 0.5,
                        (false, true, true) => 2.0,
                        _ => 1.0,
                    };
                    hessian[target] += share * value * left * right;
                }
            }
        }
        let mut targets = self.curvature_targets.iter();
        for group in 0..self.blocks.len() {
            let (first, size) = self.groups[group];
            let start = self.chart_starts[group];
            // Σ_k g_k Q_k(i, j) before symmetry: ∂T/∂x_j minus the part of A along T e_j, seen through T.
            let at_entry = |i: usize, j: usize| {
                let mut sum = bend[start + i * size + j];
                for p in 0..size {
                    for q in 0..size {
                        let (ti, tj) = (
                            self.entry(group, first + p, first + i),
                            self.entry(group, first + q, first + j),
                        );
                        sum -= own[start + p * size + q] * ti * tj;
                    }
                }
                sum
            };
            for i in 0..size {
                for (j, &target) in (0..=i).zip(&mut targets) {
                    hessian[target] += 0.5 * (at_entry(i, j) + at_entry(j, i));
                }
            }
        }
        Ok(())
    }

    fn constraint_name(&self, constraint: usize) -> String {
        self.program.constraint_name(constraint)
    }

    fn variable_name(&self, variable: usize) -> String {
        self.program.variable_name(variable)
    }
}

/// Numbers of places in the order of their first appearance.
#[derive(Default)]
struct Numbering {
    known: std::collections::HashMap<(usize, usize), usize>,
    places: Vec<(usize, usize)>,
}

impl Numbering {
    fn number(&mut self, row: usize, column: usize) -> usize {
        *self.known.entry((row, column)).or_insert_with(|| {
            self.places.push((row, column));
            self.places.len() - 1
        })
    }

    fn lists(self) -> (Vec<usize>, Vec<usize>) {
        self.places.into_iter().unzip()
    }
}
