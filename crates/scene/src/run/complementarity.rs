//! Statistics of the complementarity problems of a scheme's steps: over a whole run, and since the previous row of the trajectory.

use percussion_mechanics::NamedArrays;
use percussion_mechanics::step_record::{Crossing, StepRecord, StepSolver};
use percussion_solve::lcp::friction::FrictionalResidual;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Names of the solvers, in the order of their numbers in `trajectory.npz`; `none` where a step had nothing to solve.
pub const SOLVER_NAMES: [&str; 5] = ["none", "lemke", "relaxation", "fixed-point", "gauss-seidel"];

/// Names of the arrays of [`RowComplementarity`] in the trajectory.
pub const ARRAYS: [&str; 6] =
    ["infeasibility", "contacts", "solver", "solver_iterations", "solver_residual", "solver_converged"];

/// The number of a solver.
fn solver_number(solver: StepSolver) -> usize {
    match solver {
        StepSolver::Auto => 0,
        StepSolver::Lemke => 1,
        StepSolver::Relaxation => 2,
        StepSolver::FixedPoint => 3,
        StepSolver::GaussSeidel => 4,
    }
}

/// Statistics over the steps since the previous row: the worst values; the solver and the number of contacts of the last step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RowComplementarity {
    /// Largest violation of a constraint at the beginning of a step.
    pub infeasibility: f64,
    /// Contacts of the last step.
    pub contacts: f64,
    /// Number of the solver of the last step.
    pub solver: f64,
    /// Most iterations.
    pub iterations: f64,
    /// Largest residual.
    pub residual: f64,
    /// One if all steps converged, otherwise zero.
    pub converged: f64,
}

impl Default for RowComplementarity {
    fn default() -> Self {
        Self {
            infeasibility: 0.0,
            contacts: 0.0,
            solver: 0.0,
            iterations: 0.0,
            residual: 0.0,
            converged: 1.0,
        }
    }
}

impl RowComplementarity {
    /// The values by the names of their arrays.
    pub fn by_name(&self) -> [(&'static str, f64); 6] {
        let Self { infeasibility, contacts, solver, iterations, residual, converged } = *self;
        let [a, b, c, d, e, f] = ARRAYS;
        [(a, infeasibility), (b, contacts), (c, solver), (d, iterations), (e, residual), (f, converged)]
    }

    /// From values by name; none if one is missing.
    pub fn from_named(value: impl Fn(&str) -> Option<f64>) -> Option<Self> {
        let [infeasibility, contacts, solver, iterations, residual, converged] = ARRAYS.map(value);
        Some(Self {
            infeasibility: infeasibility?,
            contacts: contacts?,
            solver: solver?,
            iterations: iterations?,
            residual: residual?,
            converged: converged?,
        })
    }

    /// Adds a step.
    pub fn add(&mut self, step: &StepRecord) {
        self.infeasibility = self.infeasibility.max(step.infeasibility.unwrap_or(0.0));
        let Some(solve) = step.solve else { return };
        self.contacts = solve.contacts as f64;
        self.solver = solver_number(solve.solver) as f64;
        self.iterations = self.iterations.max(solve.iterations as f64);
        self.residual = self.residual.max(solve.residual);
        self.converged = self.converged.min(f64::from(u8::from(solve.converged)));
    }
}

/// Statistics over a whole run.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ComplementarityStats {
    /// Steps with a complementarity problem.
    pub steps: u64,
    /// Steps by solver, in the order of [`SOLVER_NAMES`].
    solvers: [u64; SOLVER_NAMES.len()],
    contacts_sum: u64,
    contacts_max: u64,
    iterations_sum: u64,
    iterations_max: u64,
    residual_max: f64,
    /// Of each law: joints, normal, friction, cone.
    laws: [f64; 4],
    unconverged: u64,
    stabilisation_reduced: u64,
    energy_guarded: u64,
    impulses_scaled: u64,
    impulse_scale_min: f64,
    infeasibility_sum: f64,
    infeasibility_max: f64,
    projected: u64,
    unprojected: u64,
    penetration_left_max: f64,
    crossings: u64,
    /// The fastest pair of parts that crossed: bodies by index in the list of all, and their relative speed, m/s.
    fastest_crossing: [f64; 3],
}

impl Default for ComplementarityStats {
    fn default() -> Self {
        Self {
            steps: 0,
            solvers: [0; SOLVER_NAMES.len()],
            contacts_sum: 0,
            contacts_max: 0,
            iterations_sum: 0,
            iterations_max: 0,
            residual_max: 0.0,
            laws: [0.0; 4],
            unconverged: 0,
            stabilisation_reduced: 0,
            energy_guarded: 0,
            impulses_scaled: 0,
            impulse_scale_min: 1.0,
            infeasibility_sum: 0.0,
            infeasibility_max: 0.0,
            projected: 0,
            unprojected: 0,
            penetration_left_max: 0.0,
            crossings: 0,
            fastest_crossing: [0.0; 3],
        }
    }
}

impl ComplementarityStats {
    /// Adds a step. Crossings are those of any scheme.
    pub fn add(&mut self, step: &StepRecord) {
        if let Some(Crossing { bodies, speed }) = step.crossing {
            self.crossings += 1;
            if speed > self.fastest_crossing[2] {
                self.fastest_crossing = [bodies.0 as f64, bodies.1 as f64, speed];
            }
        }
        let Some(solve) = step.solve else { return };
        let infeasibility = step.infeasibility.unwrap_or(0.0);
        let (contacts, iterations) = (solve.contacts as u64, solve.iterations as u64);
        self.steps += 1;
        self.solvers[solver_number(solve.solver)] += 1;
        self.contacts_sum += contacts;
        self.contacts_max = self.contacts_max.max(contacts);
        self.iterations_sum += iterations;
        self.iterations_max = self.iterations_max.max(iterations);
        self.residual_max = self.residual_max.max(solve.residual);
        let FrictionalResidual { equality, normal, friction, cone, .. } = solve.laws;
        for (worst, law) in self.laws.iter_mut().zip([equality, normal, friction, cone]) {
            *worst = worst.max(law);
        }
        self.unconverged += u64::from(!solve.converged);
        self.stabilisation_reduced += u64::from(solve.stabilisation_factor < 1.0);
        self.energy_guarded += u64::from(solve.energy_guarded > 0);
        self.impulses_scaled += u64::from(solve.impulse_scale < 1.0);
        self.impulse_scale_min = self.impulse_scale_min.min(solve.impulse_scale);
        if let Some(projection) = step.projection {
            self.projected += u64::from(projection.iterations > 0);
            self.unprojected += u64::from(projection.left > 0.0);
            self.penetration_left_max = self.penetration_left_max.max(projection.left);
        }
        self.infeasibility_sum += infeasibility;
        self.infeasibility_max = self.infeasibility_max.max(infeasibility);
    }

    /// Saves all values by name.
    pub fn save(&self, to: &mut NamedArrays) {
        to.insert("steps", [self.steps as f64]);
        to.insert("solvers", self.solvers.map(|steps| steps as f64));
        to.insert("contacts_sum", [self.contacts_sum as f64]);
        to.insert("contacts_max", [self.contacts_max as f64]);
        to.insert("iterations_sum", [self.iterations_sum as f64]);
        to.insert("iterations_max", [self.iterations_max as f64]);
        to.insert("residual_max", [self.residual_max]);
        to.insert("residual_laws", self.laws);
        to.insert("unconverged", [self.unconverged as f64]);
        to.insert("stabilisation_reduced", [self.stabilisation_reduced as f64]);
        to.insert("energy_guarded", [self.energy_guarded as f64]);
        to.insert("impulses_scaled", [self.impulses_scaled as f64]);
        to.insert("impulse_scale_min", [self.impulse_scale_min]);
        to.insert("infeasibility_sum", [self.infeasibility_sum]);
        to.insert("infeasibility_max", [self.infeasibility_max]);
        to.insert("projected", [self.projected as f64]);
        to.insert("unprojected", [self.unprojected as f64]);
        to.insert("penetration_left_max", [self.penetration_left_max]);
        to.insert("crossings", [self.crossings as f64]);
        to.insert("fastest_crossing", self.fastest_crossing);
    }

    /// Restores what [`Self::save`] saved; none if a value is missing.
    pub fn restore(from: &NamedArrays) -> Option<Self> {
        let number = |name: &str| from.fixed::<1>(name).map(|[value]| value);
        let count = |name: &str| number(name).map(|value| value as u64);
        Some(Self {
            steps: count("steps")?,
            solvers: from.fixed("solvers")?.map(|steps| steps as u64),
            contacts_sum: count("contacts_sum")?,
            contacts_max: count("contacts_max")?,
            iterations_sum: count("iterations_sum")?,
            iterations_max: count("iterations_max")?,
            residual_max: number("residual_max")?,
            laws: from.fixed("residual_laws")?,
            unconverged: count("unconverged")?,
            stabilisation_reduced: count("stabilisation_reduced")?,
            energy_guarded: count("energy_guarded")?,
            impulses_scaled: count("impulses_scaled")?,
            impulse_scale_min: number("impulse_scale_min")?,
            infeasibility_sum: number("infeasibility_sum")?,
            infeasibility_max: number("infeasibility_max")?,
            projected: count("projected")?,
            unprojected: count("unprojected")?,
            penetration_left_max: number("penetration_left_max")?,
            crossings: count("crossings")?,
            fastest_crossing: from.fixed("fastest_crossing")?,
        })
    }

    /// Mean of the violation of constraints over the steps; none without steps.
    pub fn infeasibility_mean(&self) -> Option<f64> {
        (self.steps > 0).then(|| self.infeasibility_sum / self.steps as f64)
    }

    /// Largest violation of constraints; none without steps.
    pub fn infeasibility_max(&self) -> Option<f64> {
        (self.steps > 0).then_some(self.infeasibility_max)
    }

    /// Warnings about what steps left: penetrations, crossings and unsolved problems; `name` gives the name of a body.
    pub fn warnings<'a>(&self, name: impl Fn(usize) -> &'a str) -> Vec<String> {
        let steps = |count: u64| if count == 1 { "1 step".to_owned() } else { format!("{count} steps") };
        let mut warnings = Vec::new();
        if self.crossings > 0 {
            let [a, b, speed] = self.fastest_crossing;
            warnings.push(format!(
                "bodies passed through each other in {}, the fastest `{}` and `{}` at {speed:.3} m/s; take a smaller step",
                steps(self.crossings),
                name(a as usize),
                name(b as usize)
            ));
        }
        if self.unprojected > 0 {
            warnings.push(format!(
                "the projection of positions left penetrations in {}, up to {:.2e} m: bodies have too little room, or joints hold them in each other",
                steps(self.unprojected),
                self.penetration_left_max
            ));
        }
        if self.unconverged > 0 {
            let [joints, normal, friction, cone] = self.laws;
            warnings.push(format!(
                "the contact problem is unsolved in {} of {}: residual up to {:.1e} (joints {joints:.1e}, normal {normal:.1e}, sliding {friction:.1e}, cone {cone:.1e})",
                steps(self.unconverged),
                self.steps,
                self.residual_max
            ));
        }
        warnings
    }

    /// The figures of the summary; none without steps.
    pub fn figures(&self) -> Option<ComplementarityFigures> {
        let mean = |sum: u64| sum as f64 / self.steps as f64;
        (self.steps > 0).then(|| ComplementarityFigures {
            solvers: SOLVER_NAMES
                .iter()
                .zip(self.solvers)
                .filter(|(_, steps)| *steps > 0)
                .map(|(name, steps)| ((*name).to_owned(), steps))
                .collect(),
            contacts_mean: mean(self.contacts_sum),
            contacts_max: self.contacts_max,
            iterations_mean: mean(self.iterations_sum),
            iterations_max: self.iterations_max,
            residual_max: self.residual_max,
            residual_laws: {
                let [joints, normal, friction, cone] = self.laws;
                ResidualByLaw { joints, normal, friction, cone }
            },
            unconverged: self.unconverged,
            stabilisation_reduced: self.stabilisation_reduced,
            energy_guarded: self.energy_guarded,
            impulses_scaled: self.impulses_scaled,
            impulse_scale_min: self.impulse_scale_min,
            projected: self.projected,
            unprojected: self.unprojected,
            penetration_left_max: self.penetration_left_max,
            crossings: self.crossings,
        })
    }
}

/// Figures of the complementarity problems of a run, `complementarity` in `summary.json`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ComplementarityFigures {
    /// Steps by solver; `none` had nothing to solve.
    pub solvers: BTreeMap<String, u64>,
    /// Mean number of contacts of a step.
    pub contacts_mean: f64,
    /// Largest number of contacts of a step.
    pub contacts_max: u64,
    /// Mean number of iterations of a step.
    pub iterations_mean: f64,
    /// Largest number of iterations of a step.
    pub iterations_max: u64,
    /// Largest residual, as measured by the residual check of the problem.
    pub residual_max: f64,
    /// Largest residual of each law.
    #[serde(default)]
    pub residual_laws: ResidualByLaw,
    /// Steps whose residual stayed above the tolerance.
    pub unconverged: u64,
    /// Steps in which penetrations were stabilised with less than gamma, because all of it would have increased the energy.
    pub stabilisation_reduced: u64,
    /// Steps in which, for some bodies, the solver made more sweeps than configured or impulses were scaled down, because the
    /// result would have increased the energy.
    #[serde(default)]
    pub energy_guarded: u64,
    /// Unconverged steps whose impulses were scaled down, because they would have increased the energy.
    #[serde(default)]
    pub impulses_scaled: u64,
    /// Smallest factor by which impulses were scaled; one if there was none.
    #[serde(default = "unscaled")]
    pub impulse_scale_min: f64,
    /// Steps in which positions were projected, because parts penetrated each other.
    #[serde(default)]
    pub projected: u64,
    /// Steps in which the projection left a penetration.
    #[serde(default)]
    pub unprojected: u64,
    /// Largest penetration that the projection left, m.
    #[serde(default)]
    pub penetration_left_max: f64,
    /// Steps in which parts passed through each other.
    #[serde(default)]
    pub crossings: u64,
}

/// Residuals of the laws of contact, in the units of the residual.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ResidualByLaw {
    /// Velocities along the constraints of joints.
    pub joints: f64,
    /// Separation against normal impulse.
    pub normal: f64,
    /// Friction that does not oppose sliding: direction and dissipation.
    pub friction: f64,
    /// Friction beyond its bound, or sliding within it.
    pub cone: f64,
}

fn unscaled() -> f64 {
    1.0
}

#[cfg(test)]
mod tests {
    use super::*;
    use percussion_mechanics::step_record::{LcpSolveStats, ProjectionStats};

    #[test]
    fn steps_kept_from_gaining_energy_are_counted_and_restored_from_a_checkpoint() {
        let mut stats = ComplementarityStats::default();
        let solve = LcpSolveStats {
            solver: StepSolver::GaussSeidel,
            stabilisation_factor: 1.0,
            impulse_scale: 1.0,
            ..LcpSolveStats::default()
        };
        for (energy_guarded, impulse_scale) in [(0, 1.0), (2, 1.0), (1, 0.25), (0, 0.75)] {
            let solve = LcpSolveStats { energy_guarded, impulse_scale, ..solve };
            stats.add(&StepRecord { solve: Some(solve), ..StepRecord::default() });
            let mut saved = NamedArrays::default();
            stats.save(&mut saved);
            stats = ComplementarityStats::restore(&saved).unwrap();
        }
        let figures = stats.figures().unwrap();
        assert_eq!(figures.energy_guarded, 2);
        assert_eq!(figures.impulses_scaled, 2);
        assert_eq!(figures.impulse_scale_min, 0.25);
        // Summaries without these counts can be read.
        let mut text = serde_json::to_value(&figures).unwrap();
        for name in ["energy_guarded", "impulses_scaled", "impulse_scale_min"] {
            text.as_object_mut().unwrap().remove(name).unwrap();
        }
        let old: ComplementarityFigures = serde_json::from_value(text).unwrap();
        assert_eq!((old.energy_guarded, old.impulses_scaled, old.impulse_scale_min), (0, 0, 1.0));
    }

    #[test]
    fn unsolved_steps_are_a_warning_with_the_residual_of_each_law() {
        let mut stats = ComplementarityStats::default();
        for (residual, converged) in [(1e-9, true), (2e-4, false), (1e-5, false)] {
            let laws = FrictionalResidual { normal: residual, cone: 0.5 * residual, ..Default::default() };
            let solve = Some(LcpSolveStats { residual, laws, converged, ..LcpSolveStats::default() });
            stats.add(&StepRecord { solve, ..StepRecord::default() });
            let mut saved = NamedArrays::default();
            stats.save(&mut saved);
            stats = ComplementarityStats::restore(&saved).unwrap();
        }
        let laws = stats.figures().unwrap().residual_laws;
        assert_eq!((laws.joints, laws.normal, laws.friction, laws.cone), (0.0, 2e-4, 0.0, 1e-4));
        let warnings = stats.warnings(|_| "");
        assert!(warnings[0].contains("2 steps of 3: residual up to 2.0e-4"), "{warnings:?}");
        assert!(warnings[0].contains("normal 2.0e-4") && warnings[0].contains("cone 1.0e-4"), "{warnings:?}");
    }

    #[test]
    fn penetrations_that_are_left_and_crossings_are_warnings_with_figures() {
        let mut stats = ComplementarityStats::default();
        let names = ["floor", "ball", "wall"];
        assert!(stats.warnings(|body| names[body]).is_empty());
        for (left, speed) in [(0.0, 5.0), (2e-4, 7.25), (1e-4, 6.0)] {
            let projection = Some(ProjectionStats { iterations: 2, left, ..ProjectionStats::default() });
            let crossing = Some(Crossing { bodies: (1, 2), speed });
            let solve = Some(LcpSolveStats::default());
            stats.add(&StepRecord { solve, projection, crossing, ..StepRecord::default() });
            let mut saved = NamedArrays::default();
            stats.save(&mut saved);
            stats = ComplementarityStats::restore(&saved).unwrap();
        }
        let figures = stats.figures().unwrap();
        assert_eq!((figures.projected, figures.unprojected, figures.crossings), (3, 2, 3));
        let warnings = stats.warnings(|body| names[body]);
        assert!(warnings[0].contains("3 steps, the fastest `ball` and `wall` at 7.250 m/s"), "{warnings:?}");
        assert!(warnings[1].contains("2 steps, up to 2.00e-4 m"), "{warnings:?}");
    }
}
