//! Where the search begins.

use super::context::Context;
use super::range::exact;
use super::targets::Targets;
use super::terminal::copy_place;
use crate::read::joints::WrittenJoint;
use crate::read::scene_parts::InitialState;
use crate::report::Read;
use crate::tree::{Fields, Node};
use percussion_control::Guess;
use percussion_control::guess::Waypoint;
use percussion_control::plan::Plan;
use percussion_geometry::Pose;
use percussion_mechanics::JointKind;
use percussion_mechanics::schemes::NAMES;

/// Where the search for a manoeuvre begins.
#[derive(Clone, Debug)]
pub enum PlanGuess {
    /// Something that can be worked out from the plan.
    Computed(Guess),
    /// The manoeuvre of a run folder, by its path as written.
    Run(String),
}

const KEYS: [&str; 4] = ["kind", "waypoints", "scheme", "run"];
const KINDS: [&str; 5] = ["rest", "straight", "waypoints", "free-motion", "run"];

/// The scheme of a free motion, if none is named: it goes through collisions at any step.
const SCHEME: &str = "decomposition";

/// The table `[plan.guess]`.
pub(super) fn guess(context: &Context<'_>, fields: &Fields<'_>, plan: &Plan) -> Read<PlanGuess> {
    let free_motion = |scheme: &str| PlanGuess::Computed(Guess::FreeMotion { scheme: scheme.to_owned() });
    let Some(node) = fields.node("guess") else {
        return Ok(match plan.meetings.is_empty() {
            true => PlanGuess::Computed(Guess::Straight),
            false => free_motion(SCHEME),
        });
    };
    let f = Fields::of(context.report, node, "plan.guess", &KEYS)?;
    let (kind, scheme, run) = (f.word("kind", &KINDS), f.word("scheme", &NAMES), f.text("run"));
    let (kind, scheme, run) = (kind?, scheme?, run?);
    // A key says which kind is meant.
    let implied = [("waypoints", "waypoints"), ("scheme", "free-motion"), ("run", "run")];
    let implied = implied.into_iter().find(|(key, _)| f.has(key)).map(|(_, kind)| kind);
    let kind = kind.or(implied).unwrap_or(if plan.meetings.is_empty() { "straight" } else { "free-motion" });
    for (key, own) in [("waypoints", "waypoints"), ("scheme", "free-motion"), ("run", "run")] {
        if own != kind {
            f.refuse(&[key], &format!("does not go with kind = \"{kind}\""), "remove it")?;
        }
    }
    Ok(match kind {
        "rest" => PlanGuess::Computed(Guess::Still),
        "straight" => PlanGuess::Computed(Guess::Straight),
        "free-motion" => free_motion(scheme.unwrap_or(SCHEME)),
        "run" => PlanGuess::Run(run.ok_or_else(|| f.missing("run", "name a run folder"))?.to_owned()),
        _ => {
            let items = f.list("waypoints")?;
            let items = items.ok_or_else(|| {
                f.missing(
                    "waypoints",
                    "list them, such as [{ at = 0.5, bodies.NAME = { position = [0, 0, 1] } }]",
                )
            })?;
            PlanGuess::Computed(Guess::Waypoints(waypoints(context, items, plan)?))
        }
    })
}

fn waypoints(context: &Context<'_>, items: &[Node], plan: &Plan) -> Read<Vec<Waypoint>> {
    let mut poses: Vec<Pose> =
        (0..context.model.bodies.len()).map(|b| context.model.pose(&plan.start.state, b)).collect();
    let mut all: Vec<Waypoint> = vec![Waypoint { at: 0.0, state: plan.start.state.clone() }];
    for (i, item) in items.iter().enumerate() {
        let f = Fields::of(
            context.report,
            item,
            &format!("plan.guess.waypoints[{i}]"),
            &["at", "bodies", "joints"],
        )?;
        let (at, targets) = (f.number("at"), Targets::read(context, &f, false));
        let at = at?.ok_or_else(|| f.missing("at", "give the part of the time, from 0 to 1"))?;
        let targets = targets?;
        if !(0.0..=1.0).contains(&at) {
            return Err(f.wrong("at", &format!("is {at}"), "give the part of the time, from 0 to 1"));
        }
        let last = &all[all.len() - 1];
        if at <= last.at && !(i == 0 && at == 0.0) {
            return Err(f.wrong(
                "at",
                &format!("is {at}, not after {}", last.at),
                "list waypoints in their order",
            ));
        }
        let state = waypoint(context, &f, &targets, &mut poses, last)?;
        if at == 0.0 {
            all.clear();
        }
        all.push(Waypoint { at, state });
    }
    let last = &all[all.len() - 1];
    if last.at < 1.0 {
        // The end as far as it stands firm; the rest stays where it was last.
        let mut state = last.state.clone();
        for (island, _) in context.model.islands.iter().zip(&plan.end.fixed).filter(|(_, fixed)| **fixed) {
            copy_place(&mut state, &plan.end.state, island);
        }
        all.push(Waypoint { at: 1.0, state });
    }
    Ok(all)
}

/// A waypoint: what is not said is as in the one before it.
fn waypoint(
    context: &Context<'_>,
    f: &Fields<'_>,
    targets: &Targets<'_>,
    poses: &mut Vec<Pose>,
    before: &Waypoint,
) -> Read<percussion_mechanics::State> {
    const PLAIN: &str = "give numbers: waypoints are configurations";
    let mut moved_to = vec![None; poses.len()];
    let mut joints: Vec<WrittenJoint> = Vec::new();
    for joint in context.kit.joints {
        let mut joint = WrittenJoint { coordinates: None, turned: None, ..joint.clone() };
        if let Some(slot) = context.model.slots[joint.spec.child.0] {
            let link = context.link(slot);
            let own = &before.state.coordinates[link.coordinates()];
            if !own.is_empty() {
                joint.coordinates = Some(own.to_vec());
            }
            if let Some(ask) = targets.joint(slot) {
                ask.f.refuse(&["rate", "rates", "at_rest"], "is given to a waypoint", PLAIN)?;
                for (i, bound) in ask.coordinates.iter().enumerate() {
                    let (Some(bound), Some(own)) = (bound, joint.coordinates.as_mut()) else { continue };
                    if !bound.is_equation() {
                        let message = format!("`{}` is a range", ask.f.name);
                        return Err(context.report.complain(ask.f.place, message, PLAIN));
                    }
                    own[i] = bound.lower;
                }
                joint.turned = ask.turned;
            }
        }
        joints.push(joint);
    }
    for ask in &targets.bodies {
        // The ask was read: the body moves.
        let Some(slot) = context.model.slots[ask.body] else { continue };
        if context.link(slot).joint.kind != JointKind::Free {
            let message = format!("`{}` places a body that hangs on a joint", ask.f.name);
            return Err(context.report.complain(
                ask.f.place,
                message,
                "give the joint's coordinates instead",
            ));
        }
        let other = ["velocity", "angular_velocity", "at_rest", "relative_to", "point", "align"];
        ask.f.refuse(&other, "is given to a waypoint", PLAIN)?;
        let place = match &ask.position {
            Some(bounds) => exact(bounds).ok_or_else(|| ask.f.wrong("position", "is a range", PLAIN))?,
            None => poses[ask.body].position,
        };
        moved_to[ask.body] = Some(Pose::new(ask.rotation.unwrap_or(poses[ask.body].rotation), place));
    }
    let none = InitialState {
        poses: Vec::new(),
        velocities: vec![None; moved_to.len()],
        rates: vec![None; joints.len()],
    };
    let (state, stand) = context.rebuilt(poses, &moved_to, &joints, none, f.place)?;
    *poses = stand;
    Ok(state)
}
