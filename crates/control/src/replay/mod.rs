//! A manoeuvre as a simulation: planned efforts become forces, held over each interval, and a forward scheme is asked what
//! they do.
//!
//! ```text
//! effort on a body     -> Load, in the world's axes or the body's        at the middle of a step, as in the plan
//! effort on a degree of freedom  -> motor along it, whether it has a coordinate    half at each end, as in the plan
//! interval k           -> one step of length t_{k+1} - t_k
//! ```
//!
//! The variational scheme solves the same equations as the plan: without contacts the two agree to rounding. The exact scheme
//! finds planned contacts by itself, a rounding before or after their nodes; placements are continuous there, and it is placements
//! that are compared. Joints that contacts make enter and leave at their nodes ([`Joints`]).

mod joints;

pub use joints::{Cone, Joints, Made};

use crate::plan::Plan;
use crate::transcription::ContactResolutionError;
use percussion_mechanics::discrete::{Control, Differentiator, IntervalInputs, StepFailure};
use percussion_mechanics::force::{Anchor, Force, ForceError, ForceLaw, Given, JointForce, JointLaw, Load};
use percussion_mechanics::schemes::{SchemeError, SchemeKind, SchemeOptions};
use percussion_mechanics::step_record::StepRecord;
use percussion_mechanics::table::{Table, TableError};
use percussion_mechanics::{Model, State};
use thiserror::Error;

/// Why a manoeuvre cannot be simulated.
#[derive(Debug, Error)]
pub enum ReplayError {
    /// Efforts of another plan.
    #[error(
        "there are {efforts} efforts at {nodes} nodes, but the plan has {components} components of controls"
    )]
    UnsupportedScene {
        /// Numbers given.
        efforts: usize,
        /// Nodes given.
        nodes: usize,
        /// What the plan has.
        components: usize,
    },
    /// A contact that the nodes of another plan do not have.
    #[error(
        "{name} is planned beyond the {nodes} nodes that there are; replay with the scene that was planned"
    )]
    Nodes {
        /// The contact.
        name: String,
        /// Nodes given.
        nodes: usize,
    },
    /// A contact whose features cannot be told.
    #[error(transparent)]
    ResolvedContact(#[from] ContactResolutionError),
    /// A joint whose point moves.
    #[error(
        "the point that {name} holds moves by {moved:.1e} m from node to node: it is not the one that touches; plan with the scene as it is, or let a corner touch a face"
    )]
    Slips {
        /// The contact.
        name: String,
        /// How far, m.
        moved: f64,
    },
    /// Nodes whose times do not increase.
    #[error("the times of the nodes: {0}")]
    Times(#[from] TableError),
    /// The scheme cannot be built.
    #[error(transparent)]
    Scheme(#[from] SchemeError),
    /// A step could not be made.
    #[error("interval {}: {}", .0.step, .0.error)]
    Step(Box<StepFailure>),
}

/// How far a simulation is from what was planned, at the nodes.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Agreement {
    /// Greatest distance of a centre of mass from where it was planned, m.
    pub position: f64,
    /// Greatest angle of a body from how it was planned, rad.
    pub rotation: f64,
}

impl Agreement {
    /// Takes a node into account.
    pub fn compare(&mut self, planned: &State, made: &State) {
        for (a, b) in planned.positions.iter().zip(&made.positions) {
            self.position = self.position.max((a - b).norm());
        }
        for (a, b) in planned.rotations.iter().zip(&made.rotations) {
            // |A - B| = 2√2 sin(θ/2): no cancellation for small angles.
            let sine = ((a - b).norm() / 8.0_f64.sqrt()).min(1.0);
            self.rotation = self.rotation.max(2.0 * sine.asin());
        }
    }
}

/// What a replay came to.
#[derive(Clone, Debug, PartialEq)]
pub struct Replayed {
    /// With the plan.
    pub agreement: Agreement,
    /// The joints that contacts made.
    pub joints: Vec<Made>,
}

/// The scheme that replays a plan when nobody says: one that finds its contacts, also those that it should not have.
pub fn default_scheme(plan: &Plan) -> &'static str {
    let soft = plan.model.forces.iter().any(|force| matches!(force.law, ForceLaw::Contact(_)));
    match (soft, plan.model.contacts.is_some()) {
        (true, _) => "potential",
        (false, false) => "variational",
        (false, true) => "exact",
    }
}

/// The model of a plan under efforts that are held between nodes at given times. The joints
/// that contacts make are not in it: [`Joints`].
pub fn loaded(plan: &Plan, times: &[f64], efforts: &[f64]) -> Result<Model, ReplayError> {
    let components = plan.components();
    let intervals = times.len().saturating_sub(1);
    if intervals == 0 || efforts.len() != components * intervals {
        return Err(ReplayError::UnsupportedScene { efforts: efforts.len(), nodes: times.len(), components });
    }
    let model = &plan.model;
    let begin = &times[..intervals];
    let taken = |name: &str| {
        model.forces.iter().any(|f| f.name == name) || model.joint_forces.iter().any(|f| f.name == name)
    };
    let (mut forces, mut along) = (Vec::new(), Vec::new());
    for (a, actuator) in plan.actuators.iter().enumerate() {
        let first = plan.first_component(a);
        let effort = |k: usize, i: usize| efforts[k * components + first + i];
        let name = match taken(&actuator.name) {
            true => format!("control {}", actuator.name),
            false => actuator.name.clone(),
        };
        match &actuator.control {
            Control::Dof(dof) => {
                let slot = model.links.partition_point(|link| link.dofs().end <= *dof);
                let coordinate = dof - model.links[slot].dof;
                let table = Table::held(begin.to_vec(), (0..intervals).map(|k| [effort(k, 0)]).collect())?;
                along.push(JointForce { name, slot, coordinate, law: JointLaw::Motor(table) });
            }
            Control::Force(grip) | Control::Torque(grip) => {
                let seen = |k: usize| {
                    let own = percussion_geometry::Vec3::new(effort(k, 0), effort(k, 1), effort(k, 2));
                    (grip.directions * own).into()
                };
                let components = Table::held(begin.to_vec(), (0..intervals).map(seen).collect())?;
                let given = Given { components, axes: grip.axes };
                let anchor = Anchor { body: Some(grip.slot), arm: grip.arm };
                let (force, torque) = match actuator.control {
                    Control::Torque(_) => (None, Some(given)),
                    _ => (Some(given), None),
                };
                forces.push(Force { name, law: ForceLaw::Load(Load { anchor, force, torque }) });
            }
        }
    }
    Ok(model.with_forces(forces, along))
}

/// Simulates planned efforts from the first node on, a step for each interval, and compares all nodes.
pub fn replay(
    plan: &Plan,
    nodes: &[State],
    efforts: &[f64],
    scheme: SchemeKind,
    options: &SchemeOptions,
) -> Result<Replayed, ReplayError> {
    let times: Vec<f64> = nodes.iter().map(|node| node.time).collect();
    let mut model = loaded(plan, &times, efforts)?;
    let mut joints = Joints::new(plan, nodes, model.clone())?;
    let mut state = nodes[0].clone();
    let mut stepper = scheme.build(&model, &state, options)?;
    let mut agreement = Agreement::default();
    for (k, pair) in nodes.windows(2).enumerate() {
        state.time = pair[0].time;
        if let Some(next) = joints.enter(k, &mut state) {
            model = next;
            stepper = scheme.build(&model, &state, options)?;
        }
        let h = pair[1].time - pair[0].time;
        stepper.step(&model, &mut state, h).map_err(|failure| ReplayError::Step(Box::new(failure)))?;
        joints.look(&state, broken(stepper.step_record()));
        agreement.compare(&pair[1], &state);
    }
    Ok(Replayed { agreement, joints: joints.made().to_vec() })
}

/// Whether something collided inside a step.
pub fn broken(inside: Option<&StepRecord>) -> bool {
    inside.is_some_and(|inside| !inside.nodes.is_empty())
}

/// Reduced momenta with which an interval ends, before anything happens at its node: those of the discrete equations between
/// two nodes.
pub fn momenta_at_end(
    plan: &Plan,
    ends: (&State, &State),
    efforts: &[f64],
    tool: &mut Differentiator,
) -> Result<Vec<f64>, ForceError> {
    let model = &*plan.model;
    let (start, end) = ends;
    let h = end.time - start.time;
    let mut all = vec![0.0; model.dofs];
    for (i, island) in model.islands.iter().enumerate() {
        let range = plan.actuators_of(i);
        let controls: Vec<Control> = plan.actuators[range.clone()].iter().map(|a| a.control).collect();
        let (first, last) = (plan.first_component(range.start), plan.first_component(range.end));
        let passage = IntervalInputs {
            model,
            island,
            start,
            end,
            t: start.time + 0.5 * h,
            h,
            controls: &controls,
            efforts: &efforts[first..last],
        };
        let mut before = vec![0.0; island.dofs.len()];
        tool.momenta(&passage, &mut before, &mut all[island.dofs.clone()])?;
    }
    Ok(all)
}
