//! Settings of the run.

use super::contact::{choice, is_auto};
use crate::report::{Read, Report};
use crate::tolerances::WHOLE_STEPS;
use crate::tree::{Fields, Node, Table, Value};
use percussion_mechanics::schemes::{
    DistanceMetric, FrictionCone, GapRule, LcpOptions, RestitutionLaw, SchemeKind, SchemeOptions,
    Stabilisation,
};
use percussion_mechanics::step_record::StepSolver;

/// Settings of a run.
#[derive(Clone, Debug, PartialEq)]
pub struct RunSettings {
    /// Step size h, s.
    pub step: f64,
    /// End time, s.
    pub until: f64,
    /// The scheme.
    pub scheme: SchemeKind,
    /// Parameters of the scheme.
    pub options: SchemeOptions,
    /// Number of steps from a row of the trajectory to the next.
    pub every: usize,
    /// Seed of random numbers.
    pub seed: u64,
    /// Whether initial velocities that violate joints are projected to the nearest admissible ones.
    pub project_velocities: bool,
}

impl RunSettings {
    /// Number of steps: the run may end up to half a step before or after the end time.
    pub fn steps(&self) -> u64 {
        (self.until / self.step).round() as u64
    }
}

/// The names of the schemes; the first is the default.
pub const fn schemes() -> &'static [&'static str] {
    &SchemeKind::NAMES
}

/// Largest number of steps of a run: a double counts them exactly.
const MOST_STEPS: f64 = 9e15;
/// The table `[run]`.
pub(crate) fn run(report: &Report, root: &Table, empty: &Node) -> Read<RunSettings> {
    let node = root.get("run").unwrap_or(empty);
    let known = ["step", "until", "scheme", "newmark", "lcp", "every", "seed", "project_velocities"];
    let fields = Fields::of(report, node, "run", &known)?;
    let needed = |key: &str, remedy: &str, value: Read<Option<f64>>| {
        value.and_then(|value| value.ok_or_else(|| fields.missing(key, remedy)))
    };
    // All are read before missing ones are reported, so that all complaints are found.
    let step = needed("step", "add the step size in seconds under [run], such as step = 1e-3", {
        fields.positive("step", "step size in seconds")
    });
    let until = needed("until", "add the end time in seconds under [run], such as until = 10.0", {
        fields.positive("until", "time in seconds")
    });
    let scheme = scheme(&fields, "scheme").map(Option::unwrap_or_default);
    let every = fields.count("every", 1);
    let seed = seed(&fields);
    let project_velocities = fields.boolean("project_velocities");
    let (step, until, scheme) = (step?, until?, scheme?);
    let steps = until / step;
    if !(steps < MOST_STEPS) {
        let message = format!("needs {steps:e} steps");
        return Err(fields.wrong("until", &message, "enlarge the step or reduce the end time"));
    }
    if !(steps >= 0.5) {
        return Err(fields.wrong("step", "is more than twice the whole run", "reduce it"));
    }
    if (steps - steps.round()).abs() > WHOLE_STEPS {
        let end = steps.round() * step;
        let text = format!("`run.until` is not a whole number of steps: the run ends at {end} s");
        report.warn(Some(fields.place_of("until")), &text);
    }
    Ok(RunSettings {
        options: SchemeOptions { lcp: lcp_options(&fields)?, ..options(&fields, scheme)? },
        step,
        until,
        scheme,
        every: every?.unwrap_or(1),
        seed: seed?,
        project_velocities: project_velocities?.unwrap_or(false),
    })
}

/// The scheme of a key.
pub(crate) fn scheme(fields: &Fields, key: &str) -> Read<Option<SchemeKind>> {
    let word = fields.word(key, schemes())?;
    Ok(word.and_then(|word| SchemeKind::ALL.into_iter().find(|kind| kind.name() == word)))
}

/// The seed.
pub(crate) fn seed(fields: &Fields) -> Read<u64> {
    match fields.node("seed").map(|node| &node.value) {
        None => Ok(0),
        Some(Value::Integer(seed)) if *seed >= 0 => Ok(*seed as u64),
        Some(_) => Err(fields.wrong("seed", "is not a seed", "give a whole number of at least 0")),
    }
}

fn options(fields: &Fields, scheme: SchemeKind) -> Read<SchemeOptions> {
    let Some(node) = fields.node("newmark") else { return Ok(SchemeOptions::default()) };
    let newmark = Fields::of(fields.report, node, "run.newmark", &["beta", "gamma"])?;
    let within = |key: &str, upper: f64| match newmark.number(key)? {
        Some(x) if !(0.0..=upper).contains(&x) => {
            Err(newmark.wrong(key, &format!("is {x}"), &format!("give a number from 0 to {upper}")))
        }
        other => Ok(other),
    };
    let (beta, gamma) = (within("beta", 0.5), within("gamma", 1.0));
    let options = SchemeOptions { beta: beta?, gamma: gamma?, ..SchemeOptions::default() };
    if scheme == SchemeKind::NewmarkExplicit && options.beta.is_some_and(|beta| beta != 0.0) {
        let remedy = "set it to 0 or choose scheme = \"newmark-implicit\"";
        return Err(newmark.wrong("beta", "is not 0, but the scheme is explicit", remedy));
    }
    if scheme == SchemeKind::NewmarkImplicit && options.beta == Some(0.0) {
        let remedy = "give a positive one, usually 0.25, or choose scheme = \"newmark-explicit\"";
        return Err(newmark.wrong("beta", "is 0, but the scheme is implicit", remedy));
    }
    Ok(options)
}

/// The keys of `[run.lcp]`.
const LCP: [&str; 17] = [
    "stabilisation",
    "substeps",
    "gamma",
    "gaps",
    "keep_energy",
    "eps_x",
    "eps_t",
    "eps_0",
    "metric",
    "solver",
    "cone",
    "facets",
    "aligned",
    "tolerance",
    "sweeps",
    "newton_factorizations",
    "restitution_law",
];

/// The table `[run.lcp]`.
fn lcp_options(fields: &Fields) -> Read<LcpOptions> {
    let own = LcpOptions::default();
    let Some(node) = fields.node("lcp") else { return Ok(own) };
    let lcp = Fields::of(fields.report, node, "run.lcp", &LCP)?;
    let within = |key: &str, upper: f64, remedy: &str| match lcp.number(key)? {
        Some(x) if !(0.0..=upper).contains(&x) => Err(lcp.wrong(key, &format!("is {x}"), remedy)),
        other => Ok(other),
    };
    const LENGTH: &str = "give a number of at least 0";
    let stabilisation = choice(&lcp, "stabilisation", &Stabilisation::WORDS, own.stabilisation);
    let gamma = within("gamma", 1.0, "give a number from 0 to 1");
    let eps = |key: &str| match is_auto(&lcp, key, "give a number, without quotes")? {
        true => Ok(None),
        false => within(key, f64::MAX, LENGTH),
    };
    let (eps_x, eps_t, eps_0) = (eps("eps_x"), eps("eps_t"), eps("eps_0"));
    let metric = choice(&lcp, "metric", &DistanceMetric::WORDS, own.metric);
    let gaps = choice(&lcp, "gaps", &GapRule::WORDS, own.gaps);
    let keep_energy = lcp.boolean("keep_energy");
    let solver = choice(&lcp, "solver", &StepSolver::WORDS, own.solver);
    let restitution = choice(&lcp, "restitution_law", &RestitutionLaw::WORDS, own.restitution);
    let (facets, sweeps, aligned) = (lcp.count("facets", 4), lcp.count("sweeps", 1), lcp.boolean("aligned"));
    let cone = cone(&lcp);
    let newton_factorizations = lcp.count("newton_factorizations", 0);
    let tolerance = match lcp.positive("tolerance", "residual") {
        Ok(Some(x)) if x >= 1.0 => {
            Err(lcp.wrong("tolerance", &format!("is {x}"), "give a number below 1, such as 1e-9"))
        }
        other => other,
    };
    let facets = facets?.unwrap_or(own.facets);
    if !facets.is_multiple_of(2) {
        let remedy = "give an even number: the directions come in opposite pairs";
        return Err(lcp.wrong("facets", &format!("is {facets}"), remedy));
    }
    let substeps = lcp.count("substeps", 1)?;
    let in_substeps = matches!(stabilisation, Ok(Stabilisation::Substeps));
    if substeps.is_some() && !in_substeps {
        return Err(lcp.wrong(
            "substeps",
            "needs stabilisation = \"substeps\"",
            "add it, or remove `substeps`",
        ));
    }
    let unused = ["sweeps", "newton_factorizations", "gamma", "gaps", "keep_energy", "restitution_law"];
    if let Some(key) = unused.into_iter().find(|key| in_substeps && lcp.has(key)) {
        let message = "has no effect with stabilisation = \"substeps\"";
        return Err(lcp.wrong(key, message, "remove it, or choose stabilisation = \"projection\""));
    }
    for key in ["gamma", "keep_energy"].into_iter().filter(|key| lcp.has(key) && !lcp.has("stabilisation")) {
        let text = format!(
            "`run.lcp.{key}` acts on joints only, since positions of contacts are projected; add stabilisation = \"published\" for constraint stabilisation of contacts, or stabilisation = \"projection\""
        );
        fields.report.warn(Some(lcp.place_of(key)), &text);
    }
    Ok(LcpOptions {
        stabilisation: stabilisation?,
        substeps: substeps.unwrap_or(own.substeps),
        cone: cone?,
        gamma: gamma?.unwrap_or(own.gamma),
        gaps: gaps?,
        keep_energy: keep_energy?.unwrap_or(own.keep_energy),
        eps_x: eps_x?,
        eps_t: eps_t?,
        eps_0: eps_0?,
        metric: metric?,
        solver: solver?,
        facets,
        aligned: aligned?.unwrap_or(own.aligned),
        tolerance: tolerance?.unwrap_or(own.tolerance),
        sweeps: sweeps?.unwrap_or(own.sweeps),
        newton_factorizations: newton_factorizations?.unwrap_or(own.newton_factorizations),
        restitution: restitution?,
    })
}

/// The friction cone; the keys of a pyramid choose one.
fn cone(lcp: &Fields) -> Read<Option<FrictionCone>> {
    let pyramid = lcp.has("facets") || lcp.has("aligned");
    if !lcp.has("cone") {
        return Ok(pyramid.then_some(FrictionCone::Pyramid));
    }
    let cone = choice(lcp, "cone", &FrictionCone::WORDS, FrictionCone::Round)?;
    if cone == FrictionCone::Round && pyramid {
        let remedy = "remove `facets` and `aligned`, or choose cone = \"pyramid\"";
        return Err(lcp.wrong("cone", "has no facets", remedy));
    }
    Ok(Some(cone))
}
