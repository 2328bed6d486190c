//! What may be chosen about time stepping with complementarity, with its defaults.

use crate::schemes::UnknownScheme;

/// In what a distance is measured.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum DistanceMetric {
    /// Metres along the contact normal; impulses are N s.
    #[default]
    Gap,
    /// Hart's ratio metric `ρ = s/D` [Hart 2.12], without unit.
    Ratio,
}

impl DistanceMetric {
    /// All, by their words.
    pub const WORDS: [(&'static str, Self); 2] = [("gap", Self::Gap), ("ratio", Self::Ratio)];
}

/// Who solves the complementarity problem of a step.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum StepSolver {
    /// Sweeps; where they do not reach the tolerance, Lemke's method for few contacts and the fixed point for many.
    #[default]
    Auto,
    /// Lemke's method with lexicographic pivoting.
    Lemke,
    /// The convex relaxation alone [Hart 5.6, Algorithm 6.5].
    Relaxation,
    /// The fixed point on top of the relaxation [Hart 5.17].
    FixedPoint,
    /// Sweeps alone.
    Sweeps,
}

impl StepSolver {
    /// All, by their words.
    pub const WORDS: [(&'static str, Self); 5] = [
        ("auto", Self::Auto),
        ("lemke", Self::Lemke),
        ("relaxation", Self::Relaxation),
        ("fixed-point", Self::FixedPoint),
        ("gauss-seidel", Self::Sweeps),
    ];

    /// Its word.
    pub fn word(self) -> &'static str {
        Self::WORDS.iter().find(|(_, solver)| *solver == self).map_or("auto", |(word, _)| word)
    }
}

/// What restitution relates.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum RestitutionLaw {
    /// Normal velocities after and before.
    #[default]
    Newton,
    /// Normal impulses of expansion and compression.
    Poisson,
}

impl RestitutionLaw {
    /// All, by their words.
    pub const WORDS: [(&'static str, Self); 2] = [("newton", Self::Newton), ("poisson", Self::Poisson)];
}

/// How much of an open gap a contact may close in a step.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum GapRule {
    /// All of it: `γ` mends what is violated and bodies meet when they meet.
    #[default]
    Full,
    /// `γ` times it, as [Hart 4.15, 4.17] print it: bodies within reach come closer by less in every step.
    Gamma,
}

impl GapRule {
    /// All, by their words.
    pub const WORDS: [(&'static str, Self); 2] = [("full", Self::Full), ("gamma", Self::Gamma)];
}

/// What may be chosen about time stepping with complementarity.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LcpOptions {
    /// `γ` of the modified linearisation [Hart 4.17]: the part of an overlap or of a gaping joint that a step mends.
    pub gamma: f64,
    /// How much of an open gap may be closed.
    pub gaps: GapRule,
    /// Whether less of an overlap is mended where all of it would bring energy (bodies at rest are then not lifted out of it), and
    /// bodies on joints are slowed where mending those would.
    pub keep_energy: bool,
    /// How far the point of an event may lie outside its features, m; by default what the pair travels in a step.
    pub eps_x: Option<f64>,
    /// How near parts and events must be to count, in units of the metric; by default what the pair travels in a step.
    pub eps_t: Option<f64>,
    /// Rounding allowed in comparing events, m.
    pub eps_0: Option<f64>,
    /// In what distances are measured.
    pub metric: DistanceMetric,
    /// Who solves.
    pub solver: StepSolver,
    /// Facets of the friction pyramid: even; in the plane there are two.
    pub facets: usize,
    /// Whether the pyramid turns with the slip that there would be without friction, so that a corner of it resists straight
    /// sliding; otherwise it follows from the normal alone.
    pub aligned: bool,
    /// Residual at which a problem counts as solved, in the units of its judge.
    pub tolerance: f64,
    /// Most sweeps of a step.
    pub sweeps: usize,
    /// Most factorisations of Newton's method where sweeps are slow; sweeps alone at zero.
    pub polish: usize,
    /// What restitution relates.
    pub restitution: RestitutionLaw,
}

impl LcpOptions {
    /// Whether its numbers can be meant.
    pub fn check(&self) -> Result<(), UnknownScheme> {
        let outside = |what: &'static str, value: f64, range: &'static str| {
            Err(UnknownScheme::Number { what, value, range })
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
        if !(self.tolerance > 0.0 && self.tolerance < 1.0) {
            return outside("the tolerance", self.tolerance, "between 0 and 1");
        }
        if self.sweeps == 0 {
            return outside("the number of sweeps", 0.0, "of at least 1");
        }
        Ok(())
    }
}

impl Default for LcpOptions {
    fn default() -> Self {
        Self {
            gamma: 1.0,
            gaps: GapRule::default(),
            keep_energy: true,
            eps_x: None,
            eps_t: None,
            eps_0: None,
            metric: DistanceMetric::default(),
            solver: StepSolver::default(),
            facets: 4,
            aligned: true,
            tolerance: 1e-10,
            sweeps: 400,
            polish: 200,
            restitution: RestitutionLaw::default(),
        }
    }
}
