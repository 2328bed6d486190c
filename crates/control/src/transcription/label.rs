//! What rows and variables are, in the words of the scene.

use super::point::{NONE, Numbering};
use crate::plan::Plan;

/// What a row says.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Label {
    /// Momenta balance at a node.
    Motion {
        /// The node.
        node: usize,
        /// Whose.
        island: usize,
    },
    /// A momentum is what it should be at an end.
    Momentum {
        /// The node.
        node: usize,
        /// Whose.
        island: usize,
    },
    /// A condition of the plan.
    Condition {
        /// Which.
        condition: usize,
        /// Where.
        node: usize,
    },
    /// Two parts keep apart.
    Apart {
        /// Which.
        pair: (usize, usize),
        /// Where.
        node: usize,
    },
    /// A body turns little enough for others to be kept clear of between nodes.
    Turn {
        /// The interval.
        interval: usize,
        /// Which.
        body: usize,
    },
    /// A planned contact touches.
    ContactPoint {
        /// Which.
        meeting: usize,
    },
    /// It lies on the faces or edges that meet, not beside them.
    Within {
        /// Which.
        meeting: usize,
    },
    /// Faces push each other.
    Push {
        /// Which.
        meeting: usize,
    },
    /// Its law of impact.
    Law {
        /// Which.
        meeting: usize,
    },
    /// The joint that it made holds.
    ContactJoint {
        /// Which.
        meeting: usize,
        /// Where.
        node: usize,
    },
    /// The foothold that it made only pushes, within the cone of friction.
    Cone {
        /// Which.
        meeting: usize,
        /// Where.
        node: usize,
    },
    /// The time that all takes.
    Time,
}

impl Label {
    /// In words.
    pub fn words(&self, plan: &Plan) -> String {
        let at = |node: usize| match node {
            0 => "at the start".to_owned(),
            k if k == plan.intervals => "at the end".to_owned(),
            k => format!("at node {k}"),
        };
        match self {
            Self::Motion { node, island } => {
                format!("the equations of motion of {} {}", bodies(plan, *island), at(*node))
            }
            Self::Momentum { node, island } => {
                format!("the velocity of {} {}", bodies(plan, *island), at(*node))
            }
            Self::Condition { condition, node } => {
                format!("{} {}", plan.conditions[*condition].name, at(*node))
            }
            Self::Apart { pair, node } => {
                let name = |part: usize| {
                    let parts = plan.model.contacts.as_ref().map(|c| &c.parts[part]);
                    parts.map_or("?", |part| part.body_name(&plan.model)).to_owned()
                };
                format!("`{}` keeps clear of `{}` {}", name(pair.0), name(pair.1), at(*node))
            }
            Self::Turn { interval, body } => format!(
                "the turn of `{}` in interval {interval}, which must stay small where others are near (more `intervals` help)",
                plan.model.bodies[*body].name
            ),
            Self::ContactPoint { meeting } => format!("{} touches", plan.meetings[*meeting].name),
            Self::Within { meeting } => {
                format!("{} lies on what meets there, not beside it", plan.meetings[*meeting].name)
            }
            Self::Push { meeting } => format!("{} pushes", plan.meetings[*meeting].name),
            Self::Law { meeting } => format!("the law of impact of {}", plan.meetings[*meeting].name),
            Self::ContactJoint { meeting, node } => {
                format!("the joint made by {} {}", plan.meetings[*meeting].name, at(*node))
            }
            Self::Cone { meeting, node } => {
                format!("friction on the foothold of {} {}", plan.meetings[*meeting].name, at(*node))
            }
            Self::Time => "the time of the whole manoeuvre".to_owned(),
        }
    }
}

impl Label {
    /// As a party of a conflict: how far it is from what the plan asks for, and its name without nodes that say nothing.
    pub fn party(&self, plan: &Plan) -> (u8, String) {
        match self {
            Self::Motion { island, .. } => {
                (2, format!("the equations of motion of {}", bodies(plan, *island)))
            }
            Self::Momentum { .. } => (1, self.words(plan)),
            _ => (0, self.words(plan)),
        }
    }
}

/// The bounds of a variable, efforts without their intervals.
pub fn bounds(plan: &Plan, numbering: &Numbering, at: usize) -> String {
    let name = effort(plan, numbering, at).map_or_else(|| variable(plan, numbering, at), |(name, _)| name);
    format!("the bounds of {name}")
}

/// Names of an island's bodies.
fn bodies(plan: &Plan, island: usize) -> String {
    let model = &plan.model;
    let links = &model.links[model.islands[island].bodies.clone()];
    let names: Vec<String> = links.iter().map(|link| format!("`{}`", model.bodies[link.body].name)).collect();
    names.join(", ")
}

/// What a variable is.
pub fn variable(plan: &Plan, numbering: &Numbering, variable: usize) -> String {
    for (k, places) in numbering.places.iter().enumerate() {
        for (island, &first) in places.iter().enumerate().filter(|(_, first)| **first != NONE) {
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
    if let Some((name, interval)) = effort(plan, numbering, variable) {
        return format!("{name} in interval {interval}");
    }
    if numbering.planes.first().is_some_and(|first| variable >= *first) {
        return "a plane between two parts".to_owned();
    }
    if numbering.scales != NONE && variable >= numbering.scales {
        return format!("time scale {}", variable - numbering.scales + 1);
    }
    "a momentum or an impulse".to_owned()
}

/// An effort and its interval, if a variable is one.
fn effort(plan: &Plan, numbering: &Numbering, variable: usize) -> Option<(String, usize)> {
    let own = |first: &usize| (*first..*first + plan.components()).contains(&variable);
    let interval = numbering.efforts.iter().position(own)?;
    let mut component = variable - numbering.efforts[interval];
    for actuator in &plan.actuators {
        let count = actuator.control.components();
        if component < count {
            return Some((format!("component {component} of {}", actuator.name), interval));
        }
        component -= count;
    }
    None
}
