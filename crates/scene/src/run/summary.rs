//! The figures of a run: `summary.json`.
//!
//! Errors are what no cause explains: energy beyond the work of forces, momentum beyond the impulses of forces, gravity and
//! supports. Energy errors are relative to the greatest kinetic energy or the range of the potential, whichever is greater:
//! the total itself depends on where the potential is said to be zero.

use super::checkpoint::ContactFigures;
use super::complementarity::{ComplementarityFigures, ComplementarityStats};
use super::error::RunError;
use super::folder;
use super::planned_figures::PlanFigures;
use super::shooting::ShootFigures;
use crate::Scene;
use percussion_geometry::Vec3;
use percussion_mechanics::discrete::StepFailure;
use percussion_mechanics::{Ledger, Model, Simulation, State};
use serde::{Deserialize, Deserializer, Serialize};
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

/// How a run ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Status {
    /// It reached its end.
    Finished,
    /// It was reported to stop; it can be resumed.
    Interrupted,
    /// A step could not be made.
    Failed,
}

/// All figures of a run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Summary {
    /// Name of the scene.
    pub scene: String,
    /// One line scene_info it.
    pub title: String,
    /// What it shows.
    pub description: String,
    /// Name of the scheme.
    pub scheme: String,
    /// Its order of accuracy in time, through the collisions it knows of.
    pub order: u32,
    /// Its tolerances by name, and with a contact potential the overlap that is allowed, m.
    pub tolerances: BTreeMap<String, f64>,
    /// Version of the program.
    pub version: String,
    /// Seed of everything random.
    pub seed: u64,
    /// Step size, s.
    pub h: f64,
    /// Steps taken.
    pub steps: u64,
    /// Time reached, s.
    pub t_end: f64,
    /// Time spent computing, over all parts of a resumed run, s.
    pub wall_time_s: f64,
    /// What is odd but not wrong.
    pub warnings: Vec<String>,
    /// How it ended.
    pub status: Status,
    /// Why a step could not be made.
    pub failure: Option<Failure>,
    /// Energies.
    pub energy: Energy,
    /// Linear momentum.
    pub linear_momentum: Momentum,
    /// Angular momentum scene_info the origin.
    pub angular_momentum: Momentum,
    /// Greatest violation of a joint or loop by placements, m or cosine.
    pub constraint_max: f64,
    /// Greatest violation by velocities, m/s or rad/s.
    pub constraint_velocity_max: f64,
    /// Greatest violation of the hidden constraints by the unprojected momenta, m/s or rad/s.
    pub constraint_hidden_max: f64,
    /// Greatest overlap of two bodies at the end of a step, m; none where nothing can collide.
    pub overlap_max: Option<f64>,
    /// Collisions.
    pub collisions: u64,
    /// Steps of islands handed to the decomposition scheme.
    pub fallbacks: u64,
    /// Mean violation of constraints over the steps, penetration_monitor in units of the metric; of schemes that stabilise them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub infeasibility_mean: Option<f64>,
    /// The greatest.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub infeasibility_max: Option<f64>,
    /// What the complementarity problems of the steps came to, of schemes that have them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub complementarity: Option<ComplementarityFigures>,
    /// What moving bodies out of each other brought; none where nothing can collide.
    pub projection: Option<Projection>,
    /// What every cause has brought.
    pub causes: Vec<SourceContribution>,
    /// What the scene is made of.
    pub counts: Counts,
    /// Every how many steps a state is in the trajectory.
    pub every: u64,
    /// States in the trajectory.
    pub rows: u64,
    /// Most iterations a step took.
    pub iterations_max: u64,
    /// What the search for a manoeuvre came to, of a plan.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub plan: Option<PlanFigures>,
    /// What the search for initial conditions came to, of a shooting.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub shoot: Option<ShootFigures>,
    /// How far a simulation under planned efforts is from the plan.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub replay: Option<ReplayFigures>,
}

/// How far a simulation under planned efforts is from what was planned, at the nodes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ReplayFigures {
    /// Greatest distance of a centre of mass from where it was planned, m.
    pub agreement_position: f64,
    /// Greatest angle of a body from how it was planned, rad.
    pub agreement_rotation: f64,
    /// The joints that contacts made.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub joints: Vec<JointFigures>,
}

/// A joint that a planned contact made in a simulation.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct JointFigures {
    /// The contact's name.
    pub name: String,
    /// `spherical` or `fixed`.
    pub joint: String,
    /// The bodies it holds together.
    pub bodies: [String; 2],
    /// The node where it entered.
    pub node: usize,
    /// When that was planned, s.
    pub made: f64,
    /// The node where it is to leave, if it is.
    pub release: Option<usize>,
    /// When that was planned, s.
    pub left: Option<f64>,
    /// Where it holds, m.
    pub point: [f64; 3],
    /// The impulse on the first body with which it entered, N s.
    pub impulse: [f64; 3],
    /// Of a foothold, how far it was outside of its cone of friction.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cone: Option<ConeFigures>,
}

/// `|f_t| - μ f_n` of a foothold, negative inside of the cone.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct ConeFigures {
    /// The coefficient of friction.
    pub friction: f64,
    /// Of the impulse with which it entered, N s.
    pub blow: f64,
    /// The greatest of its forces at nodes between its ends, N; null if there are none.
    pub force: Option<f64>,
}

/// Energies over a run, J.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Energy {
    /// At the start: kinetic and potential.
    pub initial: f64,
    /// At the end.
    #[serde(rename = "final")]
    pub last: f64,
    /// Greatest energy no work explains, relative to `scale`.
    pub max_relative_error: f64,
    /// The same, J.
    pub max_error: f64,
    /// What the error is relative to, J.
    pub scale: f64,
    /// Work of non-conservative forces.
    pub work: f64,
    /// Kinetic energy at start and end.
    pub kinetic: [f64; 2],
    /// Potential energy at start and end.
    pub potential: [f64; 2],
    /// Greatest kinetic energy.
    pub kinetic_max: f64,
    /// Smallest and greatest potential energy.
    pub potential_range: [f64; 2],
    /// Greatest error of `H_d` of the unprojected momenta.
    pub hamiltonian_max_error: f64,
}

/// A momentum over a run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Momentum {
    /// At the start.
    pub initial: [f64; 3],
    /// At the end.
    #[serde(rename = "final")]
    pub last: [f64; 3],
    /// Greatest change that no cause explains.
    pub max_error: f64,
    /// Greatest size.
    pub max: f64,
}

/// What moving bodies out of each other has brought.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Projection {
    /// J
    pub energy: f64,
    /// SceneInfo the origin, N m s.
    pub angular_momentum: [f64; 3],
}

/// What a cause has brought.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SourceContribution {
    /// A force's name, or `gravity`, `supports`, `scheme`.
    pub cause: String,
    /// J.
    pub energy: f64,
    /// N s.
    pub linear_momentum: [f64; 3],
    /// SceneInfo the origin, N m s.
    pub angular_momentum: [f64; 3],
}

/// What a scene is made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Counts {
    /// Bodies, fixed ones too.
    pub bodies: usize,
    /// Bodies that move.
    pub moving: usize,
    /// Joints that hold bodies: all but the free ones nobody wrote down.
    pub joints: usize,
    /// Joints that close loops.
    pub loops: usize,
    /// Degrees of freedom of the tree.
    pub dofs: usize,
    /// Groups that advance on their own.
    pub islands: usize,
    /// Forces.
    pub forces: usize,
}

impl Counts {
    /// Those of a model.
    pub fn of(model: &percussion_mechanics::Model) -> Self {
        let tied = |link: &&percussion_mechanics::model::Link| {
            link.joint.kind != percussion_mechanics::JointKind::Free
        };
        Self {
            bodies: model.bodies.len(),
            moving: model.moving(),
            joints: model.links.iter().filter(tied).count() + model.closures.len(),
            loops: model.closures.len(),
            dofs: model.dofs,
            islands: model.islands.len(),
            forces: model.forces.len() + model.joint_forces.len(),
        }
    }
}

/// A step that could not be made.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Failure {
    /// Which one.
    pub step: u64,
    /// When it began, s.
    pub time: f64,
    /// A body of the island.
    pub body: String,
    /// What went wrong, and what to do.
    pub message: String,
    /// Residuals of the iterations: their relative decrements of action. JSON has no word for one that is not finite; it
    /// is written `null` and read back as not a number.
    #[serde(deserialize_with = "numbers_or_null")]
    pub residuals: Vec<f64>,
}

fn numbers_or_null<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<f64>, D::Error> {
    let all = Vec::<Option<f64>>::deserialize(from)?;
    Ok(all.into_iter().map(|number| number.unwrap_or(f64::NAN)).collect())
}

impl From<&StepFailure> for Failure {
    fn from(failure: &StepFailure) -> Self {
        Self {
            step: failure.step,
            time: failure.time,
            body: failure.body.clone(),
            message: failure.trouble.to_string(),
            residuals: failure.history.clone(),
        }
    }
}

/// What a run has made: its model, its last state, its recorder, and how steps were made.
#[derive(Clone, Debug)]
pub struct RunResult<'a> {
    /// Everything that time does not change.
    pub model: &'a Model,
    /// The last state.
    pub state: &'a State,
    /// The recorder.
    pub ledger: &'a Ledger,
    /// Who made the steps.
    pub scheme: &'a str,
    /// Order of accuracy in time.
    pub order: u32,
    /// Tolerances by name.
    pub tolerances: Vec<(&'static str, f64)>,
    /// Step, s.
    pub h: f64,
}

impl<'a> From<&'a Simulation> for RunResult<'a> {
    fn from(simulation: &'a Simulation) -> Self {
        Self {
            model: simulation.model(),
            state: simulation.state(),
            ledger: simulation.ledger(),
            scheme: simulation.scheme(),
            order: simulation.order(),
            tolerances: simulation.tolerances(),
            h: simulation.step_size(),
        }
    }
}

/// What is known scene_info a run besides its scene and its simulation.
#[derive(Clone, Debug)]
pub struct RunStats {
    /// How it ended.
    pub status: Status,
    /// Why a step could not be made.
    pub failure: Option<Failure>,
    /// What is odd but not wrong.
    pub warnings: Vec<String>,
    /// Time spent computing, s.
    pub wall_time: f64,
    /// States in the trajectory.
    pub rows: u64,
    /// Most iterations a step took.
    pub iterations: u64,
    /// What collisions came to.
    pub contact: ContactFigures,
    /// What complementarity problems came to.
    pub stepping: ComplementarityStats,
}

impl Summary {
    /// Reads the figures of the run in a folder. They are written with all their digits; reading them may cost the last.
    pub fn read(folder: &Path) -> Result<Self, RunError> {
        let path = folder.join(folder::SUMMARY);
        let text = fs::read_to_string(&path).map_err(RunError::at(&path))?;
        serde_json::from_str(&text).map_err(|source| RunError::Summary { path, source })
    }

    /// Puts the figures together.
    pub fn new(scene: &SceneInfo, made: &RunResult<'_>, course: RunStats) -> Self {
        let (state, ledger) = (made.state, made.ledger);
        let (first, last, extremes) = (ledger.initial(), ledger.latest(), ledger.extremes());
        let scale = extremes.energy_scale();
        Self {
            scene: scene.name.clone(),
            title: scene.title.clone(),
            description: scene.description.clone(),
            scheme: made.scheme.to_owned(),
            order: made.order,
            tolerances: made
                .tolerances
                .iter()
                .copied()
                .chain(scene.allowed.map(|overlap| ("allowed_overlap", overlap)))
                .map(|(name, value)| (name.to_owned(), value))
                .collect(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            seed: scene.seed,
            h: made.h,
            steps: state.steps,
            t_end: state.time,
            wall_time_s: course.wall_time,
            warnings: scene.warnings_after(course.warnings, &course.contact),
            status: course.status,
            failure: course.failure,
            energy: Energy {
                initial: first.energy(),
                last: last.energy(),
                max_relative_error: if scale > 0.0 {
                    extremes.energy_error / scale
                } else {
                    extremes.energy_error
                },
                max_error: extremes.energy_error,
                scale,
                // The sum of nothing is -0.
                work: ledger.work() + 0.0,
                kinetic: [first.kinetic, last.kinetic],
                potential: [first.potential, last.potential],
                kinetic_max: extremes.kinetic,
                potential_range: [extremes.potential.0, extremes.potential.1],
                hamiltonian_max_error: extremes.hamiltonian_error,
            },
            linear_momentum: Momentum {
                initial: first.linear.into(),
                last: last.linear.into(),
                max_error: extremes.linear_error,
                max: extremes.linear,
            },
            angular_momentum: Momentum {
                initial: first.angular.into(),
                last: last.angular.into(),
                max_error: extremes.angular_error,
                max: extremes.angular,
            },
            constraint_max: extremes.position_violation,
            constraint_velocity_max: extremes.velocity_violation,
            constraint_hidden_max: extremes.hidden_violation,
            overlap_max: made.model.contacts.as_ref().map(|_| course.contact.overlap),
            collisions: course.contact.collisions,
            fallbacks: course.contact.fallbacks,
            infeasibility_mean: course.stepping.infeasibility().map(|(mean, _)| mean),
            infeasibility_max: course.stepping.infeasibility().map(|(_, max)| max),
            complementarity: course.stepping.summary(),
            projection: ledger
                .cause("projection")
                .map(|cause| Projection { energy: cause.energy, angular_momentum: vector(&cause.angular) }),
            causes: ledger
                .causes()
                .iter()
                .map(|cause| SourceContribution {
                    cause: cause.name.clone(),
                    energy: cause.energy,
                    linear_momentum: vector(&cause.linear),
                    angular_momentum: vector(&cause.angular),
                })
                .collect(),
            counts: Counts::of(made.model),
            every: scene.every,
            rows: course.rows,
            iterations_max: course.iterations,
            plan: None,
            shoot: None,
            replay: None,
        }
    }
}

fn vector(v: &Vec3) -> [f64; 3] {
    (*v).into()
}

/// What a summary says scene_info a scene.
#[derive(Clone, Debug)]
pub struct SceneInfo {
    name: String,
    title: String,
    description: String,
    seed: u64,
    every: u64,
    /// How far bodies may overlap, m, where contact is a potential.
    allowed: Option<f64>,
}

impl SceneInfo {
    /// What was odd before the run, and what turned out to be.
    fn warnings_after(&self, mut warnings: Vec<String>, contact: &ContactFigures) -> Vec<String> {
        if let Some(allowed) = self.allowed.filter(|allowed| contact.overlap > *allowed) {
            warnings.push(format!(
                "bodies overlapped by up to {:.2e} m, more than the {allowed:.2e} m allowed; take a smaller step with a larger `stiffness`",
                contact.overlap
            ));
        }
        let steps = match contact.fallbacks {
            0 => return warnings,
            1 => "1 step was".to_owned(),
            n => format!("{n} steps were"),
        };
        warnings.push(format!(
            "{steps} handed to the decomposition scheme for too many impacts; bodies that come to rest on others do that, otherwise take a smaller step"
        ));
        warnings
    }
}

impl From<&Scene> for SceneInfo {
    fn from(scene: &Scene) -> Self {
        Self {
            name: scene.name.clone(),
            title: scene.title.clone(),
            description: scene.description.clone(),
            seed: scene.run.seed,
            every: scene.run.every as u64,
            allowed: scene
                .contact
                .filter(|contact| contact.potential.is_some())
                .map(|contact| contact.overlap),
        }
    }
}
