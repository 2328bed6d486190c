//! Path conditions and goals: lists of targets of bodies and joints.

use super::context::Context;
use super::measures::{self, BoundedMeasure};
use super::targets::Targets;
use crate::report::{Place, Read, Reported};
use crate::tolerances::CONDITION;
use crate::tree::{Fields, Node, Value};
use percussion_control::plan::{BoundaryState, Condition, Goal, MomentumCondition, NodeSelector, Plan};
use percussion_mechanics::kinematics::ConfigurationKinematics;
use percussion_solve::nlp::Bound;

/// Conditions and goals as written.
pub(super) struct Written {
    conditions: Vec<(Place, NodeSelector, BoundedMeasure)>,
    goals: Vec<(Place, Goal)>,
}

impl Written {
    /// Reads `plan.conditions`, `plan.objective.goals` and the limits of joints.
    pub fn read(context: &Context<'_>, plan: &Fields<'_>, intervals: usize) -> Read<Self> {
        let mut written = Self { conditions: Vec::new(), goals: Vec::new() };
        let mut outcome = Ok(());
        for (i, node) in plan.list("conditions")?.unwrap_or_default().iter().enumerate() {
            match condition(context, node, i, intervals) {
                Ok(more) => written.conditions.extend(more),
                Err(reported) => outcome = Err(reported),
            }
        }
        let objective = plan.node("objective").and_then(Node::table).and_then(|table| table.get("goals"));
        if let Some(node) = objective {
            let items = crate::tree::list(context.report, node, "plan.objective.goals")?;
            for (i, node) in items.iter().enumerate() {
                match goal(context, node, i) {
                    Ok(more) => written.goals.extend(more),
                    Err(reported) => outcome = Err(reported),
                }
            }
        }
        if plan.boolean("joint_limits")?.unwrap_or(true) {
            written.conditions.extend(limits(context, plan.place));
        }
        outcome.map(|()| written)
    }

    /// Adds them to the plan; reports contradictions to its start and end.
    pub fn add_to(self, context: &Context<'_>, plan: &mut Plan) -> Read<()> {
        let last = plan.intervals;
        for (place, when, bounded) in self.conditions {
            let ends = [(&plan.start, 0, "the start"), (&plan.end, last, "the end")];
            if !bounded.measure.depends_on_velocity() {
                for (terminal, _, at) in ends.into_iter().filter(|(_, node, _)| when.contains(*node, last)) {
                    check_fixed_terminal(context, terminal, &bounded, place, at)?;
                }
            }
            check_other_conditions(context, plan, &bounded, when, place)?;
            if bounded.measure.depends_on_velocity() {
                add_velocity_condition(context, plan, bounded, when, place)?;
            } else {
                plan.conditions.push(bounded.condition(when));
            }
        }
        for (place, goal) in self.goals {
            if goal.measure.depends_on_velocity() {
                let islands = measured_islands(context, &goal.measure);
                if islands.iter().all(|&i| matches!(plan.end.momentum[i], MomentumCondition::Given(_))) {
                    let message = format!("{} is a goal, but it is given in [plan.end]", goal.name);
                    return Err(context.report.complain(place, message, "remove one of the two"));
                }
                condition_drive(&mut plan.end, &islands);
            }
            plan.goals.push(goal);
        }
        Ok(())
    }
}

fn condition(
    context: &Context<'_>,
    node: &Node,
    i: usize,
    intervals: usize,
) -> Read<Vec<(Place, NodeSelector, BoundedMeasure)>> {
    let f = Fields::of(
        context.report,
        node,
        &format!("plan.conditions[{i}]"),
        &["when", "name", "bodies", "joints"],
    )?;
    let (when, name, targets) = (when(&f, intervals), f.text("name"), Targets::read(context, &f, false));
    let (when, name, targets) = (when?, name?, targets?);
    let mut all = bounded(context, &f, &targets)?;
    for (place, bounded) in &mut all {
        if let (Some(name), "align") = (name, bounded.key) {
            bounded.name = name.to_owned();
        } else if let Some(name) = name {
            bounded.name = format!("{name} ({})", bounded.name);
        }
        if bounded.key == "align" && (bounded.bounds[0].lower >= 1.0 || bounded.bounds[0].upper <= -1.0) {
            let message = "`cosine` is met by one direction only, where its gradient vanishes";
            let remedy = "give a range, such as { min = 0.9999 }, or an orientation";
            return Err(context.report.complain(*place, message, remedy));
        }
    }
    Ok(all.into_iter().map(|(place, bounded)| (place, when, bounded)).collect())
}

/// All measures of the targets, with their places.
fn bounded(
    context: &Context<'_>,
    f: &Fields<'_>,
    targets: &Targets<'_>,
) -> Read<Vec<(Place, BoundedMeasure)>> {
    if targets.is_empty() {
        let message = format!("`{}` specifies nothing", f.name);
        let remedy = "give targets of bodies or joints: bodies.NAME = { ... }";
        return Err(context.report.complain(f.place, message, remedy));
    }
    let mut all = Vec::new();
    for target in &targets.bodies {
        all.extend(target.all(context).into_iter().map(|bounded| (target.f.place, bounded)));
    }
    for target in &targets.joints {
        let remedy = "give velocities of bodies; rates can be given at the start and the end";
        target.f.refuse(&["rate", "rates", "at_rest"], "is given in a path condition", remedy)?;
        all.extend(target.placement(context).into_iter().map(|bounded| (target.f.place, bounded)));
    }
    Ok(all)
}

fn when(f: &Fields<'_>, intervals: usize) -> Read<NodeSelector> {
    let Some(node) = f.node("when") else { return Ok(NodeSelector::Always) };
    if let Value::Integer(_) = node.value {
        let at = f.count("when", 0)?.unwrap_or(0);
        return match at {
            0 => Ok(NodeSelector::Start),
            k if k == intervals => Ok(NodeSelector::End),
            k if k < intervals => Ok(NodeSelector::Node(k)),
            k => Err(f.wrong("when", &format!("is {k}"), &format!("give a node from 0 to {intervals}"))),
        };
    }
    Ok(match f.word("when", &["always", "start", "end"])? {
        Some("start") => NodeSelector::Start,
        Some("end") => NodeSelector::End,
        _ => NodeSelector::Always,
    })
}

fn goal(context: &Context<'_>, node: &Node, i: usize) -> Read<Vec<(Place, Goal)>> {
    let known = ["weight", "name", "bodies", "joints"];
    let f = Fields::of(context.report, node, &format!("plan.objective.goals[{i}]"), &known)?;
    let (weight, name) = (f.not_negative("weight", "weight"), f.text("name"));
    let targets = Targets::read(context, &f, false);
    let (weight, name, targets) = (weight?.unwrap_or(1.0), name?, targets?);
    let mut goals = Vec::new();
    for (place, bounded) in bounded(context, &f, &targets)? {
        if bounded.equations() != bounded.bounds.len() {
            let message = format!("{} is a range, but a goal needs numbers", bounded.name);
            return Err(context.report.complain(place, message, "give numbers, or make it a path condition"));
        }
        let goal = Goal {
            name: name.map_or_else(|| bounded.name.clone(), str::to_owned),
            target: bounded.bounds.iter().map(|bound| bound.lower).collect(),
            measure: bounded.measure,
            weight,
        };
        goals.push((place, goal));
    }
    Ok(goals)
}

/// Limits of joints, at all nodes.
fn limits(context: &Context<'_>, place: Place) -> Vec<(Place, NodeSelector, BoundedMeasure)> {
    let mut all = Vec::new();
    for (slot, link) in context.model.links.iter().enumerate() {
        for (i, limit) in link.joint.limits.iter().enumerate().take(link.joint.coordinates()) {
            let Some(limit) = limit else { continue };
            let bounded = measures::coordinate(context, slot, i, Bound::between(limit.lower, limit.upper));
            let joint = context.written(slot).map_or(place, |(_, joint)| joint.place);
            let name = format!("the limits of {}", bounded.name.trim_start_matches("the "));
            all.push((joint, NodeSelector::Always, BoundedMeasure { name, ..bounded }));
        }
    }
    all
}

/// The islands on which a measure depends.
pub(super) fn measured_islands(
    context: &Context<'_>,
    measure: &percussion_control::plan::Measure,
) -> Vec<usize> {
    let mut islands: Vec<usize> =
        measure.bodies().into_iter().flatten().filter_map(|body| context.island(body)).collect();
    if let percussion_control::plan::Measure::Coordinate { dof, .. } = measure {
        islands.extend(context.model.islands.iter().position(|island| island.dofs.contains(dof)));
    }
    islands.sort_unstable();
    islands.dedup();
    islands
}

/// Reports a condition that a fixed start or end violates.
fn check_fixed_terminal(
    context: &Context<'_>,
    terminal: &BoundaryState,
    bounded: &BoundedMeasure,
    place: Place,
    at: &str,
) -> Read<()> {
    if !measured_islands(context, &bounded.measure).iter().all(|&island| terminal.fixed[island]) {
        return Ok(());
    }
    let stance = ConfigurationKinematics::new(context.model, &terminal.state);
    let mut values = vec![0.0; bounded.measure.components()];
    bounded.measure.value(&stance, &mut values);
    let worst = values.iter().zip(&bounded.bounds).map(|(value, bound)| bound.violation(*value));
    let worst = worst.fold(0.0, f64::max);
    if worst <= CONDITION {
        return Ok(());
    }
    let message = format!("{} is out of its bounds by {worst:.3e} at {at}, which is fixed", bounded.name);
    let remedy = format!("widen the bounds, or change {at}");
    Err(context.report.complain(place, message, remedy))
}

/// The node of a condition; none for all nodes.
fn node_of(when: NodeSelector, last: usize) -> Option<usize> {
    match when {
        NodeSelector::Start => Some(0),
        NodeSelector::End => Some(last),
        NodeSelector::Node(node) => Some(node),
        NodeSelector::Always => None,
    }
}

/// Reports a condition that contradicts another one on the same measure.
fn check_other_conditions(
    context: &Context<'_>,
    plan: &Plan,
    bounded: &BoundedMeasure,
    when: NodeSelector,
    place: Place,
) -> Read<()> {
    let last = plan.intervals;
    let clash = |other: &&Condition| {
        let together = match (node_of(when, last), node_of(other.nodes, last)) {
            (Some(one), Some(two)) => one == two,
            _ => true,
        };
        let apart = |(a, b): (&Bound, &Bound)| a.lower > b.upper + CONDITION || b.lower > a.upper + CONDITION;
        together && other.measure == bounded.measure && bounded.bounds.iter().zip(&other.bounds).any(apart)
    };
    let Some(other) = plan.conditions.iter().find(clash) else { return Ok(()) };
    let message = format!("{} contradicts another condition on {}", bounded.name, other.name);
    Err(context.report.complain(place, message, "make the ranges overlap, or remove one of the two"))
}

/// Adds a condition on velocities: at the start and the end momenta become conditioned, unless they are given.
fn add_velocity_condition(
    context: &Context<'_>,
    plan: &mut Plan,
    bounded: BoundedMeasure,
    when: NodeSelector,
    place: Place,
) -> Read<()> {
    let islands = measured_islands(context, &bounded.measure);
    let last = plan.intervals;
    let nodes: Vec<usize> = (0..=last).filter(|&node| when.contains(node, last)).collect();
    for node in nodes {
        let (own, terminal) = match node {
            0 => (NodeSelector::Start, Some(&mut plan.start)),
            k if k == last => (NodeSelector::End, Some(&mut plan.end)),
            k => (NodeSelector::Node(k), None),
        };
        if let Some(terminal) = terminal {
            if islands.iter().all(|&i| matches!(terminal.momentum[i], MomentumCondition::Given(_))) {
                check_given_velocity(context, terminal, &bounded, (own, when), place)?;
                continue;
            }
            condition_drive(terminal, &islands);
        }
        plan.conditions.push(bounded.clone().condition(own));
    }
    Ok(())
}

/// Checks a velocity condition at a start or end with given velocities.
fn check_given_velocity(
    context: &Context<'_>,
    terminal: &BoundaryState,
    bounded: &BoundedMeasure,
    (own, when): (NodeSelector, NodeSelector),
    place: Place,
) -> Read<()> {
    let at = if own == NodeSelector::Start { "the start" } else { "the end" };
    if own == when {
        let message = format!("{} is a condition at {at}, but it is given there", bounded.name);
        return Err::<(), Reported>(context.report.complain(place, message, "remove one of the two"));
    }
    let mut state = terminal.state.clone();
    for (island, drive) in context.model.islands.iter().zip(&terminal.momentum) {
        if let MomentumCondition::Given(p) = drive {
            state.momenta[island.dofs.clone()].copy_from_slice(p);
        }
    }
    let stance = ConfigurationKinematics::with_velocities(context.model, &state);
    let mut values = [0.0; 3];
    bounded.measure.value(&stance, &mut values);
    let worst =
        values.iter().zip(&bounded.bounds).map(|(value, bound)| bound.violation(*value)).fold(0.0, f64::max);
    if worst <= CONDITION {
        return Ok(());
    }
    let message = format!("{} is out of its bounds by {worst:.3e} at {at}, where it is given", bounded.name);
    Err(context.report.complain(place, message, format!("widen the bounds, or change {at}")))
}

/// Makes free momenta conditioned, for a condition on velocities.
pub(super) fn condition_drive(terminal: &mut BoundaryState, islands: &[usize]) {
    for &island in islands {
        if terminal.momentum[island] == MomentumCondition::Free {
            terminal.momentum[island] = MomentumCondition::Conditioned;
        }
    }
}
