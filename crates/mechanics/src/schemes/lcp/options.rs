//! Options of LCP time stepping, with their defaults.

use crate::schemes::SchemeError;
use crate::step_record::StepSolver;

/// Metric of distances.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum DistanceMetric {
    /// Metres along the contact normal; impulses are N s.
    #[default]
    Gap,
    /// Hart's ratio metric `ρ = s/D` [Hart 2.12], without unit.
    Ratio,
}

impl DistanceMetric {
    /// All, by their names in scene files.
    pub const WORDS: [(&'static str, Self); 2] = [("gap", Self::Gap), ("ratio", Self::Ratio)];
}

/// Law of restitution.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum RestitutionLaw {
    /// Newton: relates normal velocities after and before.
    #[default]
    Newton,
    /// Poisson: relates normal impulses of expansion and compression.
    Poisson,
}

impl RestitutionLaw {
    /// All, by their names in scene files.
    pub const WORDS: [(&'static str, Self); 2] = [("newton", Self::Newton), ("poisson", Self::Poisson)];
}

/// What keeps parts from penetrating each other over many steps.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Stabilisation {
    /// Contacts that are closed stay closed in velocities; what a step penetrates by its curvature, a projection of positions
    /// removes.
    #[default]
    Projection,
    /// The step in [`LcpOptions::substeps`] parts of two sweeps, which remove a part of each penetration; problems are not solved to a tolerance.
    /// For large piles in motion [Macklin 2019].
    Substeps,
    /// Constraint stabilisation as published: `γ Φ/h` in the velocity problem, less where it would bring energy [Hart 4.17].
    Published,
}

impl Stabilisation {
    /// All, by their names in scene files.
    pub const WORDS: [(&'static str, Self); 3] =
        [("projection", Self::Projection), ("substeps", Self::Substeps), ("published", Self::Published)];
}

/// Set of the friction impulses of a contact.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FrictionCone {
    /// Coulomb's round cone.
    Round,
    /// A pyramid with `facets` sides [Hart 4.18].
    Pyramid,
}

impl FrictionCone {
    /// All, by their names in scene files.
    pub const WORDS: [(&'static str, Self); 2] = [("round", Self::Round), ("pyramid", Self::Pyramid)];
}

/// Fraction of an open gap that a contact may close in a step.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum GapRule {
    /// All of it: `γ` scales violated constraints only.
    #[default]
    Full,
    /// `γ` times it, as [Hart 4.15, 4.17] print it: approaching bodies come closer by less in every step.
    Gamma,
}

impl GapRule {
    /// All, by their names in scene files.
    pub const WORDS: [(&'static str, Self); 2] = [("full", Self::Full), ("gamma", Self::Gamma)];
}

/// Substeps by default.
const SUBSTEPS: usize = 8;

/// Facets of the friction pyramid by default.
const FACETS: usize = 4;

/// Options of LCP time stepping.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LcpOptions {
    /// What removes penetrations.
    pub stabilisation: Stabilisation,
    /// Number of substeps, with [`Stabilisation::Substeps`].
    pub substeps: usize,
    /// `γ` of the modified linearisation [Hart 4.17]: the fraction of a penetration or of a joint's position error that a step stabilises.
    pub gamma: f64,
    /// Fraction of an open gap that may be closed.
    pub gaps: GapRule,
    /// Whether stabilisation of penetrations is reduced where all of it would bring energy (bodies at rest then stay in
    /// penetration), and bodies on joints are slowed where stabilisation of joints would.
    pub keep_energy: bool,
    /// Distance by which the point of an event may lie outside its features, m; by default the travel of the pair in a step.
    pub eps_x: Option<f64>,
    /// Distance up to which pairs and events are active, in units of the metric; by default the travel of the pair in a step.
    pub eps_t: Option<f64>,
    /// Rounding allowed in comparing events, m.
    pub eps_0: Option<f64>,
    /// Metric of distances.
    pub metric: DistanceMetric,
    /// Solver of the problem.
    pub solver: StepSolver,
    /// Friction cone; by default the one that the other options suit, see [`LcpOptions::friction_cone`].
    pub cone: Option<FrictionCone>,
    /// Facets of the friction pyramid: even; in the plane there are two.
    pub facets: usize,
    /// Whether an edge of the pyramid is aligned with the tangential velocity without impulses, so that it resists straight
    /// sliding; otherwise its directions depend on the normal alone.
    pub aligned: bool,
    /// Residual at which a problem counts as solved, in the units of its residual.
    pub tolerance: f64,
    /// Maximum number of Gauss-Seidel sweeps of a step.
    pub sweeps: usize,
    /// Maximum number of factorizations of Newton's method where sweeps converge slowly; zero: sweeps alone.
    pub newton_factorizations: usize,
    /// Law of restitution.
    pub restitution: RestitutionLaw,
}

impl LcpOptions {
    /// The options of the published scheme: constraint stabilisation and a friction pyramid.
    pub fn published() -> Self {
        Self { stabilisation: Stabilisation::Published, ..Self::default() }
    }

    /// Whether the step is made in substeps.
    pub(super) fn in_substeps(&self) -> bool {
        self.stabilisation == Stabilisation::Substeps
    }

    /// The friction cone: the round one, but a pyramid with the published scheme, with options of the pyramid that are not the
    /// default ones, and for solvers of pyramids only.
    pub fn friction_cone(&self) -> FrictionCone {
        let pyramid = self.stabilisation == Stabilisation::Published
            || !self.aligned
            || self.facets != FACETS
            || self.solver_of_pyramids();
        self.cone.unwrap_or(if pyramid { FrictionCone::Pyramid } else { FrictionCone::Round })
    }

    /// Directions of friction along a contact plane, each with its opposite.
    pub(super) fn directions(&self) -> usize {
        match self.friction_cone() {
            FrictionCone::Round => 2,
            FrictionCone::Pyramid => self.facets / 2,
        }
    }

    /// Whether the solver is for pyramids only.
    fn solver_of_pyramids(&self) -> bool {
        matches!(self.solver, StepSolver::Lemke | StepSolver::Relaxation | StepSolver::FixedPoint)
    }

    /// Checks the ranges of all numbers.
    pub fn check(&self) -> Result<(), SchemeError> {
        let outside = |what: &'static str, value: f64, range: &'static str| {
            Err(SchemeError::Number { what, value, range })
        };
        if !(0.0..=1.0).contains(&self.gamma) {
            return outside("gamma", self.gamma, "from 0 to 1");
        }
        for (what, eps) in [("eps_x", self.eps_x), ("eps_t", self.eps_t), ("eps_0", self.eps_0)] {
            if let Some(eps) = eps.filter(|eps| !(*eps >= 0.0 && eps.is_finite())) {
                return outside(what, eps, "of at least 0");
            }
        }
        if self.facets < 4 || !self.facets.is_multiple_of(2) {
            return outside("the number of facets", self.facets as f64, "that is even and at least 4");
        }
        if self.cone == Some(FrictionCone::Round) && self.solver_of_pyramids() {
            return Err(SchemeError::RoundCone { solver: self.solver.name() });
        }
        if !(self.tolerance > 0.0 && self.tolerance < 1.0) {
            return outside("the tolerance", self.tolerance, "between 0 and 1");
        }
        if self.sweeps == 0 {
            return outside("the number of sweeps", 0.0, "of at least 1");
        }
        if self.in_substeps() && !matches!(self.solver, StepSolver::Auto | StepSolver::GaussSeidel) {
            return Err(SchemeError::Substeps { what: "a solver other than Gauss-Seidel sweeps" });
        }
        if self.in_substeps() && self.restitution == RestitutionLaw::Poisson {
            return Err(SchemeError::Substeps { what: "Poisson's law of restitution" });
        }
        if self.substeps == 0 {
            return outside("the number of substeps", 0.0, "of at least 1");
        }
        Ok(())
    }
}

impl Default for LcpOptions {
    fn default() -> Self {
        Self {
            stabilisation: Stabilisation::default(),
            substeps: SUBSTEPS,
            gamma: 1.0,
            gaps: GapRule::default(),
            keep_energy: true,
            eps_x: None,
            eps_t: None,
            eps_0: None,
            metric: DistanceMetric::default(),
            solver: StepSolver::default(),
            cone: None,
            facets: FACETS,
            aligned: true,
            tolerance: 1e-10,
            sweeps: 400,
            newton_factorizations: 200,
            restitution: RestitutionLaw::default(),
        }
    }
}
