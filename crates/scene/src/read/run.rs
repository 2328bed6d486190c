//! How a scene is to be run.

use super::contact::{is_auto, meaning};
use crate::report::{Read, Report};
use crate::tree::{Fields, Node, Table, Value};
use percussion_mechanics::schemes::{
    DistanceMetric, GapRule, LcpOptions, NAMES, Options, RestitutionLaw, StepSolver,
};

/// How a scene is to be run.
#[derive(Clone, Debug, PartialEq)]
pub struct RunSettings {
    /// Step size h, s.
    pub step: f64,
    /// When to stop, s.
    pub until: f64,
    /// Name of the scheme: one of [`schemes`].
    pub scheme: String,
    /// Parameters of the scheme.
    pub options: Options,
    /// Every how many steps a state is kept.
    pub every: usize,
    /// Seed of everything random.
    pub seed: u64,
    /// Whether velocities that joints do not allow are projected to the nearest that they do.
    pub project: bool,
}

impl RunSettings {
    /// Steps from zero to the end: the last one may end up to half a step beside it.
    pub fn steps(&self) -> u64 {
        (self.until / self.step).round() as u64
    }
}

/// The names of the schemes a scene may ask for; the first is what it gets when it does not.
pub const fn schemes() -> &'static [&'static str] {
    &NAMES
}

/// Most steps of a run: they are counted exactly in a double.
const MOST_STEPS: f64 = 9e15;
/// How far the end may be from a whole number of steps before it is mentioned, in steps.
const WHOLE: f64 = 1e-6;

/// The table `[run]`.
pub(crate) fn run(report: &Report, root: &Table, nowhere: &Node) -> Read<RunSettings> {
    let node = root.get("run").unwrap_or(nowhere);
    let known = ["step", "until", "scheme", "newmark", "lcp", "every", "seed", "project_velocities"];
    let fields = Fields::of(report, node, "run", &known)?;
    let needed = |key: &str, remedy: &str, value: Read<Option<f64>>| {
        value.and_then(|value| value.ok_or_else(|| fields.missing(key, remedy)))
    };
    // All are read before any is asked for, so that all complaints are heard.
    let step = needed("step", "add the step size in seconds under [run], such as step = 1e-3", {
        fields.positive("step", "step size in seconds")
    });
    let until = needed("until", "add when to stop under [run], in seconds, such as until = 10.0", {
        fields.positive("until", "time in seconds")
    });
    let scheme = fields.word("scheme", schemes()).map(|word| word.unwrap_or(schemes()[0]).to_owned());
    let every = fields.count("every", 1);
    let seed = seed(&fields);
    let project = fields.boolean("project_velocities");
    let (step, until, scheme) = (step?, until?, scheme?);
    let steps = until / step;
    if !(steps < MOST_STEPS) {
        let message = format!("is {steps:e} steps away");
        return Err(fields.wrong("until", &message, "enlarge the step or stop earlier"));
    }
    if !(steps >= 0.5) {
        return Err(fields.wrong("step", "is more than twice the whole run", "reduce it"));
    }
    if (steps - steps.round()).abs() > WHOLE {
        let end = steps.round() * step;
        let text = format!("`run.until` is not a whole number of steps: the run ends at {end} s");
        report.warn(Some(fields.place_of("until")), &text);
    }
    Ok(RunSettings {
        options: Options { lcp: stepping(&fields)?, ..options(&fields, &scheme)? },
        step,
        until,
        scheme,
        every: every?.unwrap_or(1),
        seed: seed?,
        project: project?.unwrap_or(false),
    })
}

/// The seed, also needed before everything else is read.
pub(crate) fn seed(fields: &Fields) -> Read<u64> {
    match fields.node("seed").map(|node| &node.value) {
        None => Ok(0),
        Some(Value::Integer(seed)) if *seed >= 0 => Ok(*seed as u64),
        Some(_) => Err(fields.wrong("seed", "is not a seed", "give a whole number of at least 0")),
    }
}

fn options(fields: &Fields, scheme: &str) -> Read<Options> {
    let Some(node) = fields.node("newmark") else { return Ok(Options::default()) };
    let newmark = Fields::of(fields.report, node, "run.newmark", &["beta", "gamma"])?;
    let within = |key: &str, upper: f64| match newmark.number(key)? {
        Some(x) if !(0.0..=upper).contains(&x) => {
            Err(newmark.wrong(key, &format!("is {x}"), &format!("give a number from 0 to {upper}")))
        }
        other => Ok(other),
    };
    let (beta, gamma) = (within("beta", 0.5), within("gamma", 1.0));
    let options = Options { beta: beta?, gamma: gamma?, ..Options::default() };
    if scheme == "newmark-explicit" && options.beta.is_some_and(|beta| beta != 0.0) {
        let remedy = "set it to 0 or choose scheme = \"newmark-implicit\"";
        return Err(newmark.wrong("beta", "is not 0, but the scheme is explicit", remedy));
    }
    if scheme == "newmark-implicit" && options.beta == Some(0.0) {
        let remedy = "give a positive one, usually 0.25, or choose scheme = \"newmark-explicit\"";
        return Err(newmark.wrong("beta", "is 0, but the scheme is implicit", remedy));
    }
    Ok(options)
}

/// The keys of `[run.lcp]`.
const STEPPING: [&str; 14] = [
    "gamma",
    "gaps",
    "keep_energy",
    "eps_x",
    "eps_t",
    "eps_0",
    "metric",
    "solver",
    "facets",
    "aligned",
    "tolerance",
    "sweeps",
    "newton_factorizations",
    "restitution_law",
];

/// The table `[run.lcp]`.
fn stepping(fields: &Fields) -> Read<LcpOptions> {
    let own = LcpOptions::default();
    let Some(node) = fields.node("lcp") else { return Ok(own) };
    let lcp = Fields::of(fields.report, node, "run.lcp", &STEPPING)?;
    let within = |key: &str, upper: f64, remedy: &str| match lcp.number(key)? {
        Some(x) if !(0.0..=upper).contains(&x) => Err(lcp.wrong(key, &format!("is {x}"), remedy)),
        other => Ok(other),
    };
    const LENGTH: &str = "give a number of at least 0";
    let gamma = within("gamma", 1.0, "give a number from 0 to 1");
    let eps = |key: &str| match is_auto(&lcp, key, "give a number, without quotes")? {
        true => Ok(None),
        false => within(key, f64::MAX, LENGTH),
    };
    let (eps_x, eps_t, eps_0) = (eps("eps_x"), eps("eps_t"), eps("eps_0"));
    let metric = meaning(&lcp, "metric", &DistanceMetric::WORDS, own.metric);
    let gaps = meaning(&lcp, "gaps", &GapRule::WORDS, own.gaps);
    let keep_energy = lcp.boolean("keep_energy");
    let solver = meaning(&lcp, "solver", &StepSolver::WORDS, own.solver);
    let restitution = meaning(&lcp, "restitution_law", &RestitutionLaw::WORDS, own.restitution);
    let (facets, sweeps, aligned) = (lcp.count("facets", 4), lcp.count("sweeps", 1), lcp.boolean("aligned"));
    let polish = lcp.count("newton_factorizations", 0);
    let tolerance = match lcp.positive("tolerance", "residual") {
        Ok(Some(x)) if x >= 1.0 => {
            Err(lcp.wrong("tolerance", &format!("is {x}"), "give a number below 1, such as 1e-9"))
        }
        other => other,
    };
    let facets = facets?.unwrap_or(own.facets);
    if !facets.is_multiple_of(2) {
        let remedy = "give an even number: every direction has its opposite";
        return Err(lcp.wrong("facets", &format!("is {facets}"), remedy));
    }
    Ok(LcpOptions {
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
        polish: polish?.unwrap_or(own.polish),
        restitution: restitution?,
    })
}
