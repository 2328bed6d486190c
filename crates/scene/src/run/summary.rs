//! The figures of a run: `summary.json`.
//!
//! Errors are unaccounted changes: of energy beyond the work of forces, of momentum beyond the impulses of forces, gravity and
//! supports. Energy errors are relative to the largest of three: the kinetic energy, the range of the potential energy, and the energy that
//! lifts the bodies by their radii of gyration; the total energy is no scale, as it depends on the zero of the potential.

use super::checkpoint::ContactFigures;
use super::complementarity::{ComplementarityFigures, ComplementarityStats};
use super::error::RunError;
use super::folder::{self, Folder};
use super::planned_figures::PlanFigures;
use super::shooting_figures::ShootFigures;
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
    /// The run reached its end.
    Finished,
    /// The run was interrupted and can be resumed.
    Interrupted,
    /// A step failed.
    Failed,
}

/// All figures of a run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Summary {
    /// Name of the scene.
    pub scene: String,
    /// Its title, one line.
    pub title: String,
    /// Its description.
    pub description: String,
    /// Name of the scheme.
    pub scheme: String,
    /// Its order of accuracy in time, through the collisions that it resolves.
    pub order: u32,
    /// Its tolerances by name; with a contact potential also the allowed penetration, m.
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
    /// Warnings.
    pub warnings: Vec<String>,
    /// How it ended.
    pub status: Status,
    /// The failed step, if there is one.
    pub failure: Option<Failure>,
    /// Energies.
    pub energy: Energy,
    /// Linear momentum.
    pub linear_momentum: Momentum,
    /// Angular momentum about the origin.
    pub angular_momentum: Momentum,
    /// Largest violation of a joint or loop by positions, m or cosine.
    pub constraint_max: f64,
    /// Largest violation by velocities, m/s or rad/s.
    pub constraint_velocity_max: f64,
    /// Largest violation of the hidden constraints by the unprojected momenta, m/s or rad/s.
    pub constraint_hidden_max: f64,
    /// Largest penetration of two bodies at the end of a step, m; none where nothing can collide.
    pub overlap_max: Option<f64>,
    /// Number of collisions.
    pub collisions: u64,
    /// Steps of islands that fell back to the decomposition scheme.
    pub fallbacks: u64,
    /// Mean violation of constraints over the steps, penetrations in units of the metric; of schemes that stabilise them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub infeasibility_mean: Option<f64>,
    /// Largest violation of constraints.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub infeasibility_max: Option<f64>,
    /// Figures of the complementarity problems of the steps, of schemes that solve them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub complementarity: Option<ComplementarityFigures>,
    /// Contribution of the projection that separates penetrating bodies; none where nothing can collide.
    pub projection: Option<Projection>,
    /// Contributions of the sources of the ledger.
    pub sources: Vec<SourceContribution>,
    /// Numbers of bodies, joints and forces.
    pub counts: Counts,
    /// Number of steps from a row of the trajectory to the next.
    pub every: u64,
    /// Rows of the trajectory.
    pub rows: u64,
    /// Most iterations of a step.
    pub iterations_max: u64,
    /// Figures of the optimal control problem, of a plan.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub plan: Option<PlanFigures>,
    /// Figures of the shooting problem, of a scene with `[shoot]`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub shoot: Option<ShootFigures>,
    /// Deviation of a simulation under planned control inputs from the plan.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub replay: Option<ReplayFigures>,
}

/// Deviation of a simulation under planned control inputs from the plan, at the nodes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ReplayFigures {
    /// Largest distance of a center of mass from its planned position, m.
    pub agreement_position: f64,
    /// Largest angle between an orientation and the planned one, rad.
    pub agreement_rotation: f64,
    /// The joints made by contacts.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub joints: Vec<JointFigures>,
}

/// A joint made by a planned contact in a simulation.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct JointFigures {
    /// Name of the contact.
    pub name: String,
    /// `spherical` or `fixed`.
    pub joint: String,
    /// The bodies that it connects.
    pub bodies: [String; 2],
    /// The node at which it is made.
    pub node: usize,
    /// Planned time of that node, s.
    pub made: f64,
    /// The node at which it is released, if it is.
    pub release: Option<usize>,
    /// Planned time of the release, s.
    pub left: Option<f64>,
    /// Its point, m.
    pub point: [f64; 3],
    /// The impulse on the first body when it is made, N s.
    pub impulse: [f64; 3],
    /// Of a foothold: distance from its friction cone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cone: Option<ConeFigures>,
}

/// `|f_t| - μ f_n` of a foothold, negative inside of the friction cone.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct ConeFigures {
    /// The coefficient of friction.
    pub friction: f64,
    /// Of the impulse when it is made, N s.
    pub blow: f64,
    /// Largest of its forces at the nodes between, N; null if there are none.
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
    /// Largest unaccounted energy, relative to `scale`.
    pub max_relative_error: f64,
    /// The same, J.
    pub max_error: f64,
    /// Scale of the relative error, J.
    pub scale: f64,
    /// Work of non-conservative forces.
    pub work: f64,
    /// Kinetic energy at start and end.
    pub kinetic: [f64; 2],
    /// Potential energy at start and end.
    pub potential: [f64; 2],
    /// Largest kinetic energy.
    pub kinetic_max: f64,
    /// Smallest and largest potential energy.
    pub potential_range: [f64; 2],
    /// Largest error of `H_d` of the unprojected momenta.
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
    /// Largest unaccounted change.
    pub max_error: f64,
    /// Largest norm.
    pub max: f64,
}

/// Contribution of the projection that separates penetrating bodies.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Projection {
    /// J
    pub energy: f64,
    /// SceneInfo the origin, N m s.
    pub angular_momentum: [f64; 3],
}

/// Contribution of a source of the ledger.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SourceContribution {
    /// Name of a force, or `gravity`, `supports`, `scheme`, ...
    pub source: String,
    /// J.
    pub energy: f64,
    /// N s.
    pub linear_momentum: [f64; 3],
    /// SceneInfo the origin, N m s.
    pub angular_momentum: [f64; 3],
}

/// Numbers of bodies, joints and forces of a scene.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Counts {
    /// Bodies, including fixed ones.
    pub bodies: usize,
    /// Bodies that move.
    pub moving: usize,
    /// Joints, without the free joints of bodies that have none in the scene.
    pub joints: usize,
    /// Joints that close loops.
    pub loops: usize,
    /// Degrees of freedom of the tree.
    pub dofs: usize,
    /// Islands: groups of bodies that are advanced independently.
    pub islands: usize,
    /// Forces.
    pub forces: usize,
}

impl Counts {
    /// Those of a model.
    pub fn of(model: &percussion_mechanics::Model) -> Self {
        let tied = |link: &&percussion_mechanics::tree::Link| {
            link.joint.kind != percussion_mechanics::JointKind::Free
        };
        Self {
            bodies: model.bodies.len(),
            moving: model.moving(),
            joints: model.links.iter().filter(tied).count() + model.closures.len(),
            loops: model.closures.len(),
            dofs: model.dofs,
            islands: model.islands.len(),
            forces: model.forces.len() + model.joint_forces.len() + model.closure_forces.len(),
        }
    }
}

/// A failed step.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Failure {
    /// Its number.
    pub step: u64,
    /// Time at its beginning, s.
    pub time: f64,
    /// A body of the island.
    pub body: String,
    /// Error and remedy.
    pub message: String,
    /// Residuals of the iterations: relative decrements of the action. Values that are not finite are written as `null` and read
    /// back as NaN.
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
            message: failure.error.to_string(),
            residuals: failure.history.clone(),
        }
    }
}

/// The result of a run: model, last state, ledger and scheme.
#[derive(Clone, Debug)]
pub struct RunResult<'a> {
    /// The model.
    pub model: &'a Model,
    /// The last state.
    pub state: &'a State,
    /// The ledger.
    pub ledger: &'a Ledger,
    /// Name of the scheme.
    pub scheme: &'a str,
    /// Its order of accuracy in time.
    pub order: u32,
    /// Its tolerances by name.
    pub tolerances: Vec<(&'static str, f64)>,
    /// Step size, s.
    pub h: f64,
}

impl<'a> From<&'a Simulation> for RunResult<'a> {
    fn from(simulation: &'a Simulation) -> Self {
        Self {
            model: simulation.model(),
            state: simulation.state(),
            ledger: simulation.ledger(),
            scheme: simulation.scheme().name(),
            order: simulation.order(),
            tolerances: simulation.tolerances(),
            h: simulation.step_size(),
        }
    }
}

/// Status, warnings and statistics of a run.
#[derive(Clone, Debug)]
pub struct RunStats {
    /// How it ended.
    pub status: Status,
    /// The failed step, if there is one.
    pub failure: Option<Failure>,
    /// Warnings.
    pub warnings: Vec<String>,
    /// Time spent computing, s.
    pub wall_time: f64,
    /// Rows of the trajectory.
    pub rows: u64,
    /// Most iterations of a step.
    pub iterations: u64,
    /// Contact.
    pub contact: ContactFigures,
    /// Statistics of complementarity problems.
    pub complementarity: ComplementarityStats,
}

impl Summary {
    /// Reads the summary of the run in a folder. Numbers are written with all their digits; reading them may lose the last.
    pub fn read(folder: &Path) -> Result<Self, RunError> {
        let path = folder.join(folder::SUMMARY);
        let text = fs::read_to_string(&path).map_err(RunError::at(&path))?;
        serde_json::from_str(&text).map_err(|source| RunError::Summary { path, source })
    }

    /// Writes it into the folder of its run.
    pub fn write(&self, folder: &Folder) -> Result<(), RunError> {
        // A summary holds numbers, texts and lists of them, which JSON can express: this does not fail.
        let text = serde_json::to_string_pretty(self).unwrap_or_default() + "\n";
        folder.write(folder::SUMMARY, &text)
    }

    /// Collects the figures of a run.
    pub fn new(scene: &SceneInfo, result: &RunResult<'_>, stats: RunStats) -> Self {
        let (state, ledger) = (result.state, result.ledger);
        let (first, last, extremes) = (ledger.initial(), ledger.latest(), ledger.extremes());
        let scale = extremes.energy_scale();
        let complementarity = stats.complementarity.warnings(|body| result.model.bodies[body].name.as_str());
        Self {
            scene: scene.name.clone(),
            title: scene.title.clone(),
            description: scene.description.clone(),
            scheme: result.scheme.to_owned(),
            order: result.order,
            tolerances: result
                .tolerances
                .iter()
                .copied()
                .chain(scene.allowed_penetration.map(|depth| ("allowed_penetration", depth)))
                .map(|(name, value)| (name.to_owned(), value))
                .collect(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            seed: scene.seed,
            h: result.h,
            steps: state.steps,
            t_end: state.time,
            wall_time_s: stats.wall_time,
            warnings: scene.warnings_after(stats.warnings, &stats.contact, complementarity),
            status: stats.status,
            failure: stats.failure,
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
                // The sum of no terms is -0.
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
            overlap_max: result.model.contacts.as_ref().map(|_| stats.contact.penetration),
            collisions: stats.contact.collisions,
            fallbacks: stats.contact.fallbacks,
            infeasibility_mean: stats.complementarity.infeasibility_mean(),
            infeasibility_max: stats.complementarity.infeasibility_max(),
            complementarity: stats.complementarity.figures(),
            projection: ledger.source("projection").map(|source| Projection {
                energy: source.energy,
                angular_momentum: vector(&source.angular),
            }),
            sources: ledger
                .sources()
                .iter()
                .map(|source| SourceContribution {
                    source: source.name.clone(),
                    energy: source.energy,
                    linear_momentum: vector(&source.linear),
                    angular_momentum: vector(&source.angular),
                })
                .collect(),
            counts: Counts::of(result.model),
            every: scene.every,
            rows: stats.rows,
            iterations_max: stats.iterations,
            plan: None,
            shoot: None,
            replay: None,
        }
    }
}

fn vector(v: &Vec3) -> [f64; 3] {
    (*v).into()
}

/// Entries of the summary that are copied from the scene.
#[derive(Clone, Debug)]
pub struct SceneInfo {
    name: String,
    title: String,
    description: String,
    seed: u64,
    every: u64,
    /// Allowed penetration, m, where contact is a potential.
    allowed_penetration: Option<f64>,
}

impl SceneInfo {
    /// The warnings of the scene and those of the run.
    fn warnings_after(
        &self,
        mut warnings: Vec<String>,
        contact: &ContactFigures,
        complementarity: Vec<String>,
    ) -> Vec<String> {
        warnings.extend(complementarity);
        if let Some(allowed) = self.allowed_penetration.filter(|allowed| contact.penetration > *allowed) {
            warnings.push(format!(
                "bodies penetrated each other by up to {:.2e} m, more than the allowed {allowed:.2e} m; take a smaller step with a larger `stiffness`",
                contact.penetration
            ));
        }
        let steps = |count: u64| if count == 1 { "1 step".to_owned() } else { format!("{count} steps") };
        if contact.unsolved > 0 {
            warnings.push(format!(
                "the contact impulses of {} were not solved to their tolerance: the largest residual is {:.1e} of the largest of them; take a smaller step",
                steps(contact.unsolved),
                contact.residual
            ));
        }
        if contact.unfinished > 0 {
            warnings.push(format!(
                "{} of impacts between pairs of bodies did not end and were resolved at once; choose another `impact_law`",
                if contact.unfinished == 1 { "1 sequence".to_owned() } else { format!("{} sequences", contact.unfinished) }
            ));
        }
        if contact.fallbacks == 0 {
            return warnings;
        }
        let steps = steps(contact.fallbacks);
        warnings.push(format!(
            "{steps} fell back to the decomposition scheme after too many impacts, or because the equations of contact had no solution: take a smaller step"
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
            allowed_penetration: scene
                .contact
                .filter(|contact| contact.potential.is_some())
                .map(|contact| contact.allowed_penetration),
        }
    }
}
