//! Arrays of `trajectory.npz` that only plans have: names, units and bounds of controls, pairs with collision avoidance, iterations of the
//! optimiser.

use super::npz::Array;
use percussion_control::PlanSolution;
use percussion_control::plan::{Actuator, Plan};
use percussion_control::solution::Clearance;
use percussion_mechanics::Model;
use percussion_mechanics::discrete::Control;
use percussion_mechanics::joint::JointKind;
use percussion_solve::nlp::IterationRecord;

/// Growing arrays of all plans.
pub const PLANNED: [&str; 3] = ["controls", "momentum_consistency", "reduced_momentum"];
/// Growing arrays of plans with pairs with collision avoidance.
pub const GUARDED: [&str; 2] = ["clearance", "clearance_between"];
/// Columns of `search`.
const SEARCH_NAMES: [&str; 4] = ["round", "objective", "violation", "stationarity"];

/// Names, units and bounds of controls; names and margins of pairs with collision avoidance, if there are any.
pub fn constant_arrays(plan: &Plan, found: &PlanSolution) -> Vec<(&'static str, Array)> {
    let units: Vec<&str> = plan.actuators.iter().flat_map(|a| units(&plan.model, a)).collect();
    let bounds = plan.actuators.iter().flat_map(|actuator| &actuator.bounds);
    let bounds: Vec<f64> = bounds.flat_map(|bound| [bound.lower, bound.upper]).collect();
    let mut arrays = vec![
        ("control_names", Array::texts(&control_names(plan))),
        ("control_units", Array::texts(&units)),
        ("control_bounds", Array::floats(&[bounds.len() / 2, 2], &bounds)),
    ];
    if !found.clearances.is_empty() {
        let name = |body: usize| &plan.model.bodies[body].name;
        let pair = |c: &Clearance| format!("{}, {}", name(c.bodies.0), name(c.bodies.1));
        let names: Vec<String> = found.clearances.iter().map(pair).collect();
        let margins: Vec<f64> = found.clearances.iter().map(|c| c.margin).collect();
        arrays.push(("clearance_names", Array::texts(&names)));
        arrays.push(("clearance_margins", Array::floats(&[margins.len()], &margins)));
    }
    arrays
}

/// Names of the components of all controls: `thrust.x`, or `motor` if there is one component.
fn control_names(plan: &Plan) -> Vec<String> {
    let names = |actuator: &Actuator| match actuator.control.components() {
        1 => vec![actuator.name.clone()],
        _ => ["x", "y", "z"].map(|axis| format!("{}.{axis}", actuator.name)).to_vec(),
    };
    plan.actuators.iter().flat_map(names).collect()
}

/// The units of an actuator's components.
fn units(model: &Model, actuator: &Actuator) -> Vec<&'static str> {
    match actuator.control {
        Control::Force(_) => vec!["N"; 3],
        Control::Torque(_) => vec!["N m"; 3],
        Control::Dof(dof) => {
            let link = &model.links[model.links.partition_point(|link| link.dofs().end <= dof)];
            let (kind, own) = (link.joint.kind, dof - link.dof);
            let turns = match kind {
                JointKind::Spherical => Some(true),
                JointKind::Free => Some(own >= 3),
                JointKind::Rod => None,
                _ => Some(kind.is_angle(own)),
            };
            vec![turns.map_or("N or N m", |turns| if turns { "N m" } else { "N" })]
        }
    }
}

/// The iterations of the optimiser.
#[derive(Debug, Default)]
pub struct SearchLog {
    rows: Vec<f64>,
    round: usize,
}

impl SearchLog {
    /// Adds an iteration.
    pub fn push(&mut self, record: &IterationRecord) {
        // Every round starts with iteration zero.
        self.round += usize::from(record.iteration == 0);
        self.rows.extend([self.round as f64, record.objective, record.primal, record.dual]);
    }

    /// As arrays of the archive.
    pub fn arrays(&self) -> [(&'static str, Array); 2] {
        let columns = SEARCH_NAMES.len();
        [
            ("search", Array::floats(&[self.rows.len() / columns, columns], &self.rows)),
            ("search_names", Array::texts(&SEARCH_NAMES)),
        ]
    }
}
