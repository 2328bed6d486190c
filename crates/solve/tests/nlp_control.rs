//! Optimal control: a closed form, sizes from small to large, bounds and obstacles, workspaces reused between solves.
#![allow(clippy::unwrap_used, clippy::print_stdout)]

mod nlp_common;

use nlp_common::chain::{Chain, ChainParameters};
use nlp_common::optimum;
use percussion_solve::nlp::{
    Bound, InteriorPoint, Layout, Options, Outcome, Program, Solution, Undefined, WarmStart, kkt_residual,
};

/// A mass from rest to rest one metre away within a second with least effort; forces constant on each of `k` intervals.
struct Glide {
    h: f64,
    layout: Layout,
    jacobian: Vec<f64>,
}

impl Glide {
    fn new(k: usize, force: f64) -> Self {
        let h = 1.0 / k as f64;
        // Position and velocity at each node, then the forces.
        let mut layout = Layout { variables: vec![Bound::FREE; 2 * (k + 1)], ..Layout::default() };
        for (variable, value) in [(0, 0.0), (1, 0.0), (2 * k, 1.0), (2 * k + 1, 0.0)] {
            layout.variables[variable] = Bound::equal(value);
        }
        layout.variables.extend(vec![Bound::between(-force, force); k]);
        layout.constraints = vec![Bound::equal(0.0); 2 * k];
        let mut jacobian = Vec::new();
        for i in 0..k {
            let u = 2 * (k + 1) + i;
            let position = vec![(2 * i, -1.0), (2 * i + 1, -h), (2 * i + 2, 1.0), (u, -0.5 * h * h)];
            let velocity = vec![(2 * i + 1, -1.0), (2 * i + 3, 1.0), (u, -h)];
            for (row, terms) in [(2 * i, position), (2 * i + 1, velocity)] {
                for (column, value) in terms {
                    layout.jacobian.push(row, column);
                    jacobian.push(value);
                }
            }
            layout.hessian.push(u, u);
        }
        Self { h, layout, jacobian }
    }

    /// The answer from zero, and the first of the forces.
    fn solve(&mut self) -> (Solution<Vec<f64>>, usize) {
        let start = vec![0.0; self.layout.variables.len()];
        let solution = optimum(self, &start);
        let forces = start.len() - self.layout.hessian.len();
        println!(
            "{:>5} intervals: {} iterations, {:?}, per iteration {:?}",
            start.len() - forces,
            solution.iterations,
            solution.timing.total,
            solution.timing.total / solution.iterations as u32
        );
        (solution, forces)
    }
}

impl Program for Glide {
    type Point = Vec<f64>;

    fn layout(&self) -> &Layout {
        &self.layout
    }

    fn coordinates(&self, at: &Vec<f64>, out: &mut [f64]) {
        out.copy_from_slice(at);
    }

    fn retract(&self, from: &Vec<f64>, step: &[f64], to: &mut Vec<f64>) {
        to.iter_mut().zip(from).zip(step).for_each(|((t, f), s)| *t = f + s);
    }

    fn evaluate(&mut self, x: &Vec<f64>, c: &mut [f64]) -> Result<f64, Undefined> {
        c.fill(0.0);
        let places = &self.layout.jacobian;
        for ((row, column), value) in places.rows.iter().zip(&places.columns).zip(&self.jacobian) {
            c[*row] += value * x[*column];
        }
        Ok(self.layout.hessian.rows.iter().map(|&u| 0.5 * self.h * x[u] * x[u]).sum())
    }

    fn differentiate(
        &mut self,
        x: &Vec<f64>,
        gradient: &mut [f64],
        jacobian: &mut [f64],
    ) -> Result<(), Undefined> {
        gradient.fill(0.0);
        self.layout.hessian.rows.iter().for_each(|&u| gradient[u] = self.h * x[u]);
        jacobian.copy_from_slice(&self.jacobian);
        Ok(())
    }

    fn lagrangian_hessian(
        &mut self,
        _: &Vec<f64>,
        weight: f64,
        _: &[f64],
        hessian: &mut [f64],
    ) -> Result<(), Undefined> {
        hessian.fill(weight * self.h);
        Ok(())
    }
}

#[test]
fn least_effort_is_that_of_the_closed_form_at_every_size() {
    for k in [30, 300, 3000] {
        let (solution, forces) = Glide::new(k, 100.0).solve();
        // Forces are linear in time: u = c (1/2 - t), c = 12 / (1 - 1/k²), of effort c / 2.
        let c = 12.0 / (1.0 - 1.0 / (k * k) as f64);
        assert!((solution.objective - 0.5 * c).abs() < 1e-6, "{k}: {}", solution.objective);
        let worst = (0..k).fold(0.0, |worst: f64, i| {
            let exact = c * (0.5 - (i as f64 + 0.5) / k as f64);
            worst.max((solution.point[forces + i] - exact).abs())
        });
        assert!(worst < 1e-5, "{k}: {worst}");
        assert!(solution.residual.violation() < 1e-10, "{:?}", solution.residual);
    }
}

#[test]
fn iterations_hardly_depend_on_the_size_with_forces_at_their_bounds_too() {
    let mut counts = Vec::new();
    for k in [30, 300, 3000] {
        let mut glide = Glide::new(k, 4.5);
        let (solution, forces) = glide.solve();
        let at_bounds = solution.point[forces..].iter().filter(|u| u.abs() > 4.5 - 1e-6).count();
        assert!(at_bounds > k / 5, "{at_bounds}");
        let checked = kkt_residual(&mut glide, &solution.point, &solution.multipliers).unwrap();
        assert!(checked.constraints < 1e-10 && checked.relative_stationarity < 1e-6, "{checked:?}");
        counts.push(solution.iterations);
        if k == 3000 {
            assert!((solution.objective - bounded_effort(4.5)).abs() < 1e-4, "{}", solution.objective);
        }
    }
    assert!(counts.iter().max().unwrap() <= &(counts.iter().min().unwrap() + 6), "{counts:?}");
}

/// Least effort with forces at most `a`: at the bound until `s`, then linear to zero at half time, and the mirror image.
/// The way of one half: `a s²/2 + a s r + a r²/3` with `r = 1/2 - s`, half a metre; solved for `s` by bisection.
fn bounded_effort(a: f64) -> f64 {
    let way = |s: f64| {
        let r = 0.5 - s;
        a * (0.5 * s * s + s * r + r * r / 3.0)
    };
    let (mut low, mut high) = (0.0, 0.5);
    for _ in 0..100 {
        let s = 0.5 * (low + high);
        if way(s) < 0.5 { low = s } else { high = s }
    }
    a * a * (low + (0.5 - low) / 3.0)
}

fn parameters() -> ChainParameters {
    ChainParameters { nodes: 31, force: 2.2, free_time: false, obstacles: 0, cost_factor: 1.0 }
}

fn solved(parameters: &ChainParameters) -> Solution<Vec<f64>> {
    let mut chain = Chain::new(parameters);
    let start = chain.start();
    optimum(&mut chain, &start)
}

#[test]
fn a_mechanism_is_moved_within_bounds_and_tolerance_and_the_unit_of_the_objective_does_not_matter() {
    let mut iterations = Vec::new();
    let mut objectives = Vec::new();
    for cost_factor in [1e3, 1.0, 1e-3, 1e-6] {
        let solution = solved(&ChainParameters { cost_factor, ..parameters() });
        let residual = solution.residual;
        assert!(residual.violation() < 1e-10 && residual.sign == 0.0, "{cost_factor}: {residual:?}");
        if cost_factor == 1.0 {
            assert!(solution.iterations <= 20, "{}", solution.iterations);
            assert!(residual.relative_stationarity < 1e-6, "{residual:?}");
        }
        iterations.push(solution.iterations);
        objectives.push(solution.objective / cost_factor);
    }
    assert!(objectives.iter().all(|f| (f / objectives[0] - 1.0).abs() < 1e-7), "{objectives:?}");
    let (least, most) = (iterations.iter().min().unwrap(), iterations.iter().max().unwrap());
    assert!(most - least <= 3, "{iterations:?}");
}

#[test]
fn obstacles_are_gone_around_and_free_time_is_used() {
    let solution = solved(&ChainParameters { free_time: true, obstacles: 6, force: 8.0, ..parameters() });
    assert!(solution.residual.violation() < 1e-10, "{:?}", solution.residual);
    assert!(solution.multipliers.constraints.iter().any(|y| *y < -1e-3), "no obstacle is in the way");
}

#[test]
fn the_next_search_reuses_the_analysis_and_a_hot_one_the_answer() {
    let mut chain = Chain::new(&parameters());
    let start = chain.start();
    let mut interior = InteriorPoint::new();
    let first = interior.solve(&mut chain, &start, &Options::default()).unwrap();
    let again = interior.solve(&mut chain, &start, &Options::default()).unwrap();
    assert_eq!(first.point, again.point);
    // Forces a little tighter: a similar program.
    let mut tighter = Chain::new(&ChainParameters { force: 2.15, ..parameters() });
    let cold = interior.solve(&mut tighter, &start, &Options::default()).unwrap();
    let options = Options { warm: Some(WarmStart::after(&again)), ..Options::default() };
    let hot = interior.solve(&mut tighter, &again.point, &options).unwrap();
    println!("cold {} hot {}", cold.iterations, hot.iterations);
    assert_eq!(hot.outcome, Outcome::Optimal);
    assert!((hot.objective / cold.objective - 1.0).abs() < 1e-7);
    assert!(hot.iterations < cold.iterations, "{} {}", hot.iterations, cold.iterations);
}
