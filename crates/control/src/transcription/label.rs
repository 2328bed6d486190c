//! Names of rows and variables, in the words of the scene.

use super::variables::{NONE, VariableIndices};
use crate::plan::Plan;
use std::sync::Arc;

/// The meaning of a row.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Label {
    /// Momentum balance of an island at a node.
    Dynamics {
        /// The node.
        node: usize,
        /// The island.
        island: usize,
    },
    /// The momentum of an island at an end of the trajectory.
    BoundaryMomentum {
        /// The node.
        node: usize,
        /// The island.
        island: usize,
    },
    /// A path constraint by its name: a condition of the plan, or any other.
    Path {
        /// The name.
        name: Arc<str>,
        /// The node.
        node: usize,
    },
    /// Two parts keep apart.
    Separation {
        /// The parts.
        pair: (usize, usize),
        /// The node.
        node: usize,
    },
    /// The rotation of a body in an interval is limited.
    RotationLimit {
        /// The interval.
        interval: usize,
        /// The body.
        body: usize,
    },
    /// The gap of a planned contact is zero.
    ContactGap(usize),
    /// A planned contact lies within the faces or edges in contact.
    ContactRegion(usize),
    /// The total normal impulse of faces is not negative.
    Unilateral(usize),
    /// The impact law of a planned contact.
    ImpactLaw(usize),
    /// The joint that a planned contact makes.
    ContactJoint {
        /// The planned contact.
        contact: usize,
        /// The node.
        node: usize,
    },
    /// The friction cone of a foothold.
    FrictionCone {
        /// The planned contact.
        contact: usize,
        /// The node.
        node: usize,
    },
    /// The total time.
    Time,
}

/// How far a label is from what the plan prescribes: conflicts name the nearest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum LabelRank {
    /// Prescribed by the plan.
    Prescribed,
    /// A velocity at an end.
    Velocity,
    /// Equations of motion, which connect all others.
    Dynamics,
}

impl Label {
    /// In words.
    pub fn words(&self, plan: &Plan) -> String {
        let at = |node: usize| match node {
            0 => "at the start".to_owned(),
            k if k == plan.intervals => "at the end".to_owned(),
            k => format!("at node {k}"),
        };
        let name = |contact: &usize| &plan.contacts[*contact].name;
        match self {
            Self::Dynamics { node, island } => {
                format!("the equations of motion of {} {}", bodies(plan, *island), at(*node))
            }
            Self::BoundaryMomentum { node, island } => {
                format!("the velocity of {} {}", bodies(plan, *island), at(*node))
            }
            Self::Path { name, node } => format!("{name} {}", at(*node)),
            Self::Separation { pair, node } => {
                let name = |part: usize| {
                    let parts = plan.model.contacts.as_ref().map(|c| &c.parts[part]);
                    parts.map_or("?", |part| part.body_name(&plan.model)).to_owned()
                };
                format!("`{}` keeps clear of `{}` {}", name(pair.0), name(pair.1), at(*node))
            }
            Self::RotationLimit { interval, body } => format!(
                "the rotation of `{}` in interval {interval}, which must stay small where others are near (more `intervals` help)",
                plan.model.bodies[*body].name
            ),
            Self::ContactGap(contact) => format!("{} is in contact", name(contact)),
            Self::ContactRegion(contact) => {
                format!("{} lies within the faces or edges in contact", name(contact))
            }
            Self::Unilateral(contact) => format!("{} pushes", name(contact)),
            Self::ImpactLaw(contact) => format!("the impact law of {}", name(contact)),
            Self::ContactJoint { contact, node } => {
                format!("the joint made by {} {}", name(contact), at(*node))
            }
            Self::FrictionCone { contact, node } => {
                format!("the friction cone of the foothold {} {}", name(contact), at(*node))
            }
            Self::Time => "the total time".to_owned(),
        }
    }

    /// Its rank in a conflict, and its name there: without nodes for equations of motion.
    pub fn in_conflict(&self, plan: &Plan) -> (LabelRank, String) {
        match self {
            Self::Dynamics { island, .. } => {
                (LabelRank::Dynamics, format!("the equations of motion of {}", bodies(plan, *island)))
            }
            Self::BoundaryMomentum { .. } => (LabelRank::Velocity, self.words(plan)),
            _ => (LabelRank::Prescribed, self.words(plan)),
        }
    }
}

/// The name of the bounds of a variable; control inputs without their intervals.
pub fn bounds(plan: &Plan, indices: &VariableIndices, at: usize) -> String {
    let name = input(plan, indices, at).map_or_else(|| variable(plan, indices, at), |(name, _)| name);
    format!("the bounds of {name}")
}

/// Names of an island's bodies.
fn bodies(plan: &Plan, island: usize) -> String {
    let model = &plan.model;
    let links = &model.links[model.islands[island].bodies.clone()];
    let names: Vec<String> = links.iter().map(|link| format!("`{}`", model.bodies[link.body].name)).collect();
    names.join(", ")
}

/// The name of a variable.
pub fn variable(plan: &Plan, indices: &VariableIndices, variable: usize) -> String {
    for (k, firsts) in indices.configurations.iter().enumerate() {
        for (island, &first) in firsts.iter().enumerate().filter(|(_, first)| **first != NONE) {
            let n = plan.model.islands[island].dofs.len();
            if (first..first + n).contains(&variable) {
                return format!(
                    "degree of freedom {} of {} at node {k}",
                    variable - first,
                    bodies(plan, island)
                );
            }
        }
    }
    if let Some((name, interval)) = input(plan, indices, variable) {
        return format!("{name} in interval {interval}");
    }
    if indices.planes.first().is_some_and(|first| variable >= *first) {
        return "a separating plane".to_owned();
    }
    if indices.time_scales != NONE && variable >= indices.time_scales {
        return format!("time scale {}", variable - indices.time_scales + 1);
    }
    "a momentum or an impulse".to_owned()
}

/// The name of a control input and its interval, if a variable is one.
fn input(plan: &Plan, indices: &VariableIndices, variable: usize) -> Option<(String, usize)> {
    let own = |first: &usize| (*first..*first + plan.components()).contains(&variable);
    let interval = indices.inputs.iter().position(own)?;
    let mut component = variable - indices.inputs[interval];
    for actuator in &plan.actuators {
        let count = actuator.control.components();
        if component < count {
            return Some((format!("component {component} of {}", actuator.name), interval));
        }
        component -= count;
    }
    None
}
