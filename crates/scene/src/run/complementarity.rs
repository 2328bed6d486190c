//! What complementarity problems of steps came to: over a whole run, and since the last row that counts.

use percussion_mechanics::contact::StepRecord;
use percussion_mechanics::schemes::StepSolver;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Solvers that can answer, in the order of their numbers in `trajectory.npz`.
pub const SOLVER_NAMES: [&str; 5] = ["none", "lemke", "relaxation", "fixed-point", "sweeps"];

/// The number of a solver.
fn number(solver: StepSolver) -> usize {
    match solver {
        StepSolver::Auto => 0,
        StepSolver::Lemke => 1,
        StepSolver::Relaxation => 2,
        StepSolver::FixedPoint => 3,
        StepSolver::Sweeps => 4,
    }
}

/// Over the steps since the last row that counts: the worst, but who solved and how many contacts there were are of the
/// last one.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RowComplementarity {
    /// Greatest violation of a constraint at the beginning of a step.
    pub infeasibility: f64,
    /// ContactGeometry of the last step.
    pub contacts: f64,
    /// Number of who solved it.
    pub solver: f64,
    /// Most iterations.
    pub iterations: f64,
    /// Worst residual.
    pub residual: f64,
    /// One if all converged, else zero.
    pub converged: f64,
}

/// Names of the arrays, in the order of [`RowComplementarity::numbers`].
pub const ARRAYS: [&str; 6] =
    ["infeasibility", "contacts", "solver", "solver_iterations", "solver_residual", "solver_converged"];

impl RowComplementarity {
    /// No step yet.
    pub fn none() -> Self {
        Self {
            infeasibility: 0.0,
            contacts: 0.0,
            solver: 0.0,
            iterations: 0.0,
            residual: 0.0,
            converged: 1.0,
        }
    }

    /// As numbers.
    pub fn numbers(&self) -> [f64; 6] {
        let Self { infeasibility, contacts, solver, iterations, residual, converged } = *self;
        [infeasibility, contacts, solver, iterations, residual, converged]
    }

    /// From its numbers.
    pub fn of([infeasibility, contacts, solver, iterations, residual, converged]: [f64; 6]) -> Self {
        Self { infeasibility, contacts, solver, iterations, residual, converged }
    }

    /// Takes a step into account.
    pub fn watch(&mut self, inside: &StepRecord) {
        self.infeasibility = self.infeasibility.max(inside.infeasibility.unwrap_or(0.0));
        let Some(solve) = inside.solve else { return };
        self.contacts = solve.contacts as f64;
        self.solver = number(solve.solver) as f64;
        self.iterations = self.iterations.max(solve.iterations as f64);
        self.residual = self.residual.max(solve.residual);
        self.converged = self.converged.min(f64::from(u8::from(solve.converged)));
    }
}

/// Over a whole run.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ComplementarityStats {
    /// Steps with such a problem.
    pub steps: u64,
    /// Steps by who solved, as [`SOLVER_NAMES`].
    solvers: [u64; 5],
    contacts: (u64, u64),
    iterations: (u64, u64),
    residual: f64,
    unconverged: u64,
    eased: u64,
    guarded: u64,
    /// How many, and the part of the impulses that the least one was left with, less than one.
    calmed: (u64, f64),
    /// Sum over the steps, and the greatest.
    infeasibility: (f64, f64),
}

/// Numbers of it.
const NUMBERS: usize = 18;

impl Default for ComplementarityStats {
    fn default() -> Self {
        Self {
            steps: 0,
            solvers: [0; 5],
            contacts: (0, 0),
            iterations: (0, 0),
            residual: 0.0,
            unconverged: 0,
            eased: 0,
            guarded: 0,
            calmed: (0, 1.0),
            infeasibility: (0.0, 0.0),
        }
    }
}

impl ComplementarityStats {
    /// Takes a step into account.
    pub fn watch(&mut self, inside: &StepRecord) {
        let Some(solve) = inside.solve else { return };
        let infeasibility = inside.infeasibility.unwrap_or(0.0);
        self.steps += 1;
        self.solvers[number(solve.solver)] += 1;
        let add = |sum: &mut (u64, u64), value: usize| *sum = (sum.0 + value as u64, sum.1.max(value as u64));
        add(&mut self.contacts, solve.contacts);
        add(&mut self.iterations, solve.iterations);
        self.residual = self.residual.max(solve.residual);
        self.unconverged += u64::from(!solve.converged);
        self.eased += u64::from(solve.eased < 1.0);
        self.guarded += u64::from(solve.guarded > 0);
        self.calmed = (self.calmed.0 + u64::from(solve.calmed < 1.0), self.calmed.1.min(solve.calmed));
        self.infeasibility = (self.infeasibility.0 + infeasibility, self.infeasibility.1.max(infeasibility));
    }

    /// As numbers, for a checkpoint.
    pub fn numbers(&self) -> [f64; NUMBERS] {
        let s = self.solvers.map(|n| n as f64);
        [
            self.steps as f64,
            s[0],
            s[1],
            s[2],
            s[3],
            s[4],
            self.contacts.0 as f64,
            self.contacts.1 as f64,
            self.iterations.0 as f64,
            self.iterations.1 as f64,
            self.residual,
            self.unconverged as f64,
            self.eased as f64,
            self.infeasibility.0,
            self.infeasibility.1,
            self.guarded as f64,
            self.calmed.0 as f64,
            self.calmed.1,
        ]
    }

    /// From its numbers; none if there are too few or too many.
    pub fn of(numbers: &[f64]) -> Option<Self> {
        let n: [f64; NUMBERS] = numbers.try_into().ok()?;
        let whole = |k: usize| n[k] as u64;
        Some(Self {
            steps: whole(0),
            solvers: std::array::from_fn(|k| whole(1 + k)),
            contacts: (whole(6), whole(7)),
            iterations: (whole(8), whole(9)),
            residual: n[10],
            unconverged: whole(11),
            eased: whole(12),
            infeasibility: (n[13], n[14]),
            guarded: whole(15),
            calmed: (whole(16), n[17]),
        })
    }

    /// Mean and greatest violation of constraints; none without steps.
    pub fn infeasibility(&self) -> Option<(f64, f64)> {
        (self.steps > 0).then(|| (self.infeasibility.0 / self.steps as f64, self.infeasibility.1))
    }

    /// What a summary says of it; nothing without steps.
    pub fn summary(&self) -> Option<ComplementarityFigures> {
        let mean = |sum: u64| sum as f64 / self.steps as f64;
        (self.steps > 0).then(|| ComplementarityFigures {
            solvers: SOLVER_NAMES
                .iter()
                .zip(self.solvers)
                .filter(|(_, steps)| *steps > 0)
                .map(|(name, steps)| ((*name).to_owned(), steps))
                .collect(),
            contacts_mean: mean(self.contacts.0),
            contacts_max: self.contacts.1,
            iterations_mean: mean(self.iterations.0),
            iterations_max: self.iterations.1,
            residual_max: self.residual,
            unconverged: self.unconverged,
            eased: self.eased,
            guarded: self.guarded,
            calmed: self.calmed.0,
            calmed_min: self.calmed.1,
        })
    }
}

/// What the complementarity problems of a run came to.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ComplementarityFigures {
    /// Steps by who solved them; `none` had nothing to solve.
    pub solvers: BTreeMap<String, u64>,
    /// ContactGeometry of a step, on average.
    pub contacts_mean: f64,
    /// The most.
    pub contacts_max: u64,
    /// Iterations of a step, on average.
    pub iterations_mean: f64,
    /// The most.
    pub iterations_max: u64,
    /// Worst residual, in the units of the judge.
    pub residual_max: f64,
    /// Steps whose residual stayed above the tolerance.
    pub unconverged: u64,
    /// Steps in which penetration_monitor were mended with less than gamma, because all of it would have brought energy.
    pub eased: u64,
    /// Steps in which sweeps went on, or impulses were scaled down, for some bodies: so few sweeps as were asked for would have
    /// brought energy.
    #[serde(default)]
    pub guarded: u64,
    /// Steps that were not solved and got a part of their impulses only, because all of them would have brought energy.
    #[serde(default)]
    pub calmed: u64,
    /// The least such part; one if there was none.
    #[serde(default = "whole")]
    pub calmed_min: f64,
}

/// What is not scaled.
fn whole() -> f64 {
    1.0
}

#[cfg(test)]
mod tests {
    use super::*;
    use percussion_mechanics::schemes::LcpSolveStats;

    #[test]
    fn steps_kept_from_bringing_energy_are_counted_and_survive_a_checkpoint() {
        let mut stepping = ComplementarityStats::default();
        let solve =
            LcpSolveStats { solver: StepSolver::Sweeps, eased: 1.0, calmed: 1.0, ..LcpSolveStats::default() };
        for (guarded, calmed) in [(0, 1.0), (2, 1.0), (1, 0.25), (0, 0.75)] {
            let solve = LcpSolveStats { guarded, calmed, ..solve };
            stepping.watch(&StepRecord { solve: Some(solve), ..StepRecord::default() });
            stepping = ComplementarityStats::of(&stepping.numbers()).unwrap();
        }
        let summary = stepping.summary().unwrap();
        assert_eq!((summary.guarded, summary.calmed, summary.calmed_min), (2, 2, 0.25));
        // What was written before these were counted says nothing of them.
        let mut text = serde_json::to_value(&summary).unwrap();
        for name in ["guarded", "calmed", "calmed_min"] {
            text.as_object_mut().unwrap().remove(name).unwrap();
        }
        let old: ComplementarityFigures = serde_json::from_value(text).unwrap();
        assert_eq!((old.guarded, old.calmed, old.calmed_min), (0, 0, 1.0));
    }
}
