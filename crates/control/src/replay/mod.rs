//! Replay of a solution: its control inputs become forces that are constant over each interval, in a simulation by a forward scheme.
//!
//! ```text
//! input on a body      -> Load, in the world's axes or the body's        at the middle of a step, as in the plan
//! input on a degree of freedom  -> motor along it                                half at each end, as in the plan
//! interval k           -> one step of length t_{k+1} - t_k
//! joint limits         -> none: they are conditions at the nodes of the plan
//! ```
//!
//! The variational scheme solves the same equations as the plan: without contacts the two agree to rounding. The exact scheme detects planned
//! contacts, a rounding before or after their nodes; poses are continuous there and are compared. Contact joints enter and leave at their nodes
//! ([`ContactJoints`]).

mod joints;

pub use joints::{ConeExcess, ContactJoints, JointRecord};

use crate::plan::Plan;
use crate::transcription::ContactResolutionError;
use percussion_mechanics::discrete::{Control, Differentiator, IntervalInputs, StepFailure};
use percussion_mechanics::force::{Anchor, Force, ForceError, ForceLaw, Given, JointForce, JointLaw, Load};
use percussion_mechanics::schemes::{SchemeError, SchemeKind, SchemeOptions};
use percussion_mechanics::step_record::StepRecord;
use percussion_mechanics::table::{Table, TableError};
use percussion_mechanics::{Model, State};
use thiserror::Error;

/// Why a solution cannot be simulated.
#[derive(Debug, Error)]
pub enum ReplayError {
    /// Control inputs of another plan.
    #[error(
        "there are {inputs} control inputs at {nodes} nodes, but the plan has {components} components of controls"
    )]
    InputCount {
        /// Numbers given.
        inputs: usize,
        /// Nodes given.
        nodes: usize,
        /// Entries of the plan.
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
    /// A contact whose features cannot be determined.
    #[error(transparent)]
    ResolvedContact(#[from] ContactResolutionError),
    /// A contact joint whose point moves.
    #[error(
        "the point that the joint of {name} holds moves by {moved:.1e} m from node to node: it is not the point of contact; plan with the scene as it is, or let a corner touch a face"
    )]
    MovingPoint {
        /// The contact.
        name: String,
        /// Distance, m.
        moved: f64,
    },
    /// Nodes whose times do not increase.
    #[error("the times of the nodes: {0}")]
    Times(#[from] TableError),
    /// The scheme cannot be built.
    #[error(transparent)]
    Scheme(#[from] SchemeError),
    /// A step failed.
    #[error("interval {}: {}", .0.step, .0.error)]
    Step(Box<StepFailure>),
}

/// Deviation of a simulation from the plan, at the nodes.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Deviation {
    /// Greatest distance of a centre of mass from its planned position, m.
    pub position: f64,
    /// Greatest angle of a body from its planned orientation, rad.
    pub rotation: f64,
}

impl Deviation {
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

/// The result of a replay.
#[derive(Clone, Debug, PartialEq)]
pub struct ReplayResult {
    /// From the plan.
    pub deviation: Deviation,
    /// The contact joints.
    pub joints: Vec<JointRecord>,
}

/// The default scheme of a replay: one that detects contacts, unplanned ones too.
pub fn default_scheme(plan: &Plan) -> &'static str {
    let soft = plan.model.forces.iter().any(|force| matches!(force.law, ForceLaw::Contact(_)));
    match (soft, plan.model.contacts.is_some()) {
        (true, _) => "potential",
        (false, false) => "variational",
        (false, true) => "exact",
    }
}

/// The model of a plan with control inputs as forces that are constant between nodes at given times, without contact joints
/// ([`ContactJoints`]).
pub fn model_with_controls(plan: &Plan, times: &[f64], inputs: &[f64]) -> Result<Model, ReplayError> {
    let components = plan.components();
    let intervals = times.len().saturating_sub(1);
    if intervals == 0 || inputs.len() != components * intervals {
        return Err(ReplayError::InputCount { inputs: inputs.len(), nodes: times.len(), components });
    }
    let model = &plan.model;
    let begin = &times[..intervals];
    let taken = |name: &str| {
        model.forces.iter().any(|f| f.name == name) || model.joint_forces.iter().any(|f| f.name == name)
    };
    let (mut forces, mut along) = (Vec::new(), Vec::new());
    for (a, actuator) in plan.actuators.iter().enumerate() {
        let first = plan.first_component(a);
        let input = |k: usize, i: usize| inputs[k * components + first + i];
        let name = match taken(&actuator.name) {
            true => format!("control {}", actuator.name),
            false => actuator.name.clone(),
        };
        match &actuator.control {
            Control::Dof(dof) => {
                let slot = model.links.partition_point(|link| link.dofs().end <= *dof);
                let coordinate = dof - model.links[slot].dof;
                let table = Table::held(begin.to_vec(), (0..intervals).map(|k| [input(k, 0)]).collect())?;
                along.push(JointForce { name, slot, coordinate, law: JointLaw::Motor(table) });
            }
            Control::Force(grip) | Control::Torque(grip) => {
                let input_at = |k: usize| {
                    let own = percussion_geometry::Vec3::new(input(k, 0), input(k, 1), input(k, 2));
                    (grip.directions * own).into()
                };
                let components = Table::held(begin.to_vec(), (0..intervals).map(input_at).collect())?;
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
    let mut model = model.with_forces(forces, along);
    // Limits are conditions of the plan, not stops of its equations: stops would respond to the rounding of active conditions.
    model.links.iter_mut().for_each(|link| link.joint.limits = [None; 3]);
    Ok(model)
}

/// Simulates planned control inputs from the first node, a step for each interval, and compares all nodes.
pub fn replay(
    plan: &Plan,
    nodes: &[State],
    inputs: &[f64],
    scheme: SchemeKind,
    options: &SchemeOptions,
) -> Result<ReplayResult, ReplayError> {
    let times: Vec<f64> = nodes.iter().map(|node| node.time).collect();
    let mut model = model_with_controls(plan, &times, inputs)?;
    let mut joints = ContactJoints::new(plan, nodes, model.clone())?;
    let mut state = nodes[0].clone();
    let mut stepper = scheme.build(&model, &state, options)?;
    let mut deviation = Deviation::default();
    for (k, pair) in nodes.windows(2).enumerate() {
        state.time = pair[0].time;
        if let Some(next) = joints.enter(k, &mut state) {
            model = next;
            stepper = scheme.build(&model, &state, options)?;
        }
        let h = pair[1].time - pair[0].time;
        stepper.step(&model, &mut state, h).map_err(|failure| ReplayError::Step(Box::new(failure)))?;
        joints.record_reactions(&state, has_collision(stepper.step_record()));
        deviation.compare(&pair[1], &state);
    }
    Ok(ReplayResult { deviation, joints: joints.records().to_vec() })
}

/// Whether a step has a collision.
pub fn has_collision(inside: Option<&StepRecord>) -> bool {
    inside.is_some_and(|inside| !inside.nodes.is_empty())
}

/// Reduced momenta at the end of an interval, before impulses at its node: those of the discrete equations between two nodes.
pub fn momenta_at_end(
    plan: &Plan,
    ends: (&State, &State),
    inputs: &[f64],
    differentiator: &mut Differentiator,
) -> Result<Vec<f64>, ForceError> {
    let model = &*plan.model;
    let (start, end) = ends;
    let h = end.time - start.time;
    let mut all = vec![0.0; model.dofs];
    for (i, island) in model.islands.iter().enumerate() {
        let (controls, own) = plan.controls_of(i);
        let interval = IntervalInputs {
            model,
            island,
            start,
            end,
            t: start.time + 0.5 * h,
            h,
            controls: &controls,
            control_inputs: &inputs[own],
        };
        let mut before = vec![0.0; island.dofs.len()];
        differentiator.momenta(&interval, &mut before, &mut all[island.dofs.clone()])?;
    }
    Ok(all)
}
