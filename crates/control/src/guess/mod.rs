//! Initial guesses of a search.
//!
//! | guess | configurations | control inputs |
//! |---|---|---|
//! | rest | those of the start | inverse dynamics |
//! | straight | from start to end, each joint by a constant rate | inverse dynamics |
//! | waypoints | the same from one to the next [Johnson 4.22, 4.23] | inverse dynamics |
//! | free motion | a simulation without control inputs, through collisions and on contact joints | zero |
//! | given | those of another solution, at the new nodes | the same |
//!
//! Inverse dynamics computes at each interval the control inputs that lead to the next node, in least squares where the system is
//! underactuated.

mod constrained_motion;
mod free_motion;
mod inverse_dynamics;

use crate::interpolation::between;
use crate::plan::Plan;
use free_motion::free_motion;
use inverse_dynamics::with_inverse_dynamics;
use percussion_mechanics::State;
use percussion_mechanics::schemes::SchemeKind;

/// A configuration at a time.
#[derive(Clone, Debug)]
pub struct Waypoint {
    /// The part of the total time, from 0 to 1.
    pub at: f64,
    /// The configuration; its momenta are not used.
    pub state: State,
}

/// An initial guess.
#[derive(Clone, Debug)]
pub enum Guess {
    /// At rest.
    Rest,
    /// Straight from the start to the end.
    Straight,
    /// From one configuration to the next; the first at 0 and the last at 1.
    Waypoints(Vec<Waypoint>),
    /// A simulation without control inputs.
    FreeMotion {
        /// The scheme.
        scheme: SchemeKind,
    },
    /// Another solution.
    Given {
        /// Its configurations, at times from its own start to its end.
        nodes: Vec<State>,
        /// Control inputs of its intervals.
        inputs: Vec<f64>,
        /// Its time scales, used if the plan has as many segments.
        time_scales: Vec<f64>,
    },
}

/// A path that a search begins with.
#[derive(Clone, Debug)]
pub struct InitialPath {
    /// Configurations at the nodes.
    pub nodes: Vec<State>,
    /// Control inputs, interval by interval.
    pub inputs: Vec<f64>,
    /// Time scales, segment by segment.
    pub time_scales: Vec<f64>,
}

impl InitialPath {
    /// Equal time scales for all segments, within bounds.
    pub fn even_time_scales(plan: &Plan) -> Vec<f64> {
        let total = plan.time_bounds.total;
        let whole = plan.step * plan.intervals as f64;
        let scale = match (total.lower.is_finite(), total.upper.is_finite()) {
            (true, true) => 0.5 * (total.lower + total.upper) / whole,
            (true, false) => (total.lower / whole).max(1.0),
            (false, true) => (total.upper / whole).min(1.0),
            (false, false) => 1.0,
        };
        vec![scale.clamp(plan.time_bounds.scale.lower, plan.time_bounds.scale.upper); plan.segments()]
    }
}

impl Guess {
    /// The initial path of a plan.
    pub fn initial_path(&self, plan: &Plan) -> Result<InitialPath, String> {
        match self {
            Self::Rest => Ok(with_inverse_dynamics(plan, vec![plan.start.state.clone(); plan.intervals + 1])),
            Self::Straight => {
                let ends = [(0.0, &plan.start.state), (1.0, &plan.end.state)];
                Ok(with_inverse_dynamics(plan, along(plan, &ends)))
            }
            Self::Waypoints(points) => {
                let mut list: Vec<(f64, &State)> = points.iter().map(|p| (p.at, &p.state)).collect();
                if list.first().is_none_or(|(at, _)| *at > 0.0) {
                    list.insert(0, (0.0, &plan.start.state));
                }
                Ok(with_inverse_dynamics(plan, along(plan, &list)))
            }
            Self::FreeMotion { scheme } => free_motion(plan, *scheme),
            Self::Given { nodes, inputs, time_scales } => given(plan, nodes, inputs, time_scales),
        }
    }
}

/// Configurations at the nodes along waypoints, which are in the order of their times.
fn along(plan: &Plan, points: &[(f64, &State)]) -> Vec<State> {
    let node = |k: usize| {
        let at = k as f64 / plan.intervals as f64;
        let next = points.iter().position(|(time, _)| *time >= at - 1e-12).unwrap_or(points.len() - 1);
        let (before, after) = (points[next.saturating_sub(1)], points[next]);
        let length = after.0 - before.0;
        let part = if length > 0.0 { ((at - before.0) / length).clamp(0.0, 1.0) } else { 1.0 };
        match part {
            1.0 => after.1.clone(),
            part => between(&plan.model, before.1, after.1, part),
        }
    };
    (0..=plan.intervals).map(node).collect()
}

/// Another solution, interpolated at the nodes of a plan.
fn given(plan: &Plan, nodes: &[State], inputs: &[f64], time_scales: &[f64]) -> Result<InitialPath, String> {
    let (m, intervals) = (plan.components(), nodes.len().saturating_sub(1));
    if intervals == 0 || inputs.len() != m * intervals {
        return Err(format!(
            "it has {} nodes and {} control inputs, but the plan has {m} components of controls",
            nodes.len(),
            inputs.len()
        ));
    }
    let part = |k: usize| k as f64 / plan.intervals as f64 * intervals as f64;
    let configurations = (0..=plan.intervals).map(|k| {
        let at = part(k);
        let before = (at.floor() as usize).min(intervals - 1);
        between(&plan.model, &nodes[before], &nodes[before + 1], at - before as f64)
    });
    let mut own = Vec::new();
    for k in 0..plan.intervals {
        let at = ((part(k) + part(k + 1)) * 0.5).floor() as usize;
        own.extend_from_slice(&inputs[at * m..(at + 1) * m]);
    }
    let time_scales = if time_scales.len() == plan.segments() {
        time_scales.to_vec()
    } else {
        InitialPath::even_time_scales(plan)
    };
    Ok(InitialPath { nodes: configurations.collect(), inputs: own, time_scales })
}
