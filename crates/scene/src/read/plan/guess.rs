//! The initial guess.

use super::context::Context;
use super::range::exact;
use super::targets::Targets;
use super::terminal::copy_configuration;
use crate::read::joints::WrittenJoint;
use crate::read::run;
use crate::read::scene_parts::InitialState;
use crate::report::Read;
use crate::tree::{Fields, Node};
use percussion_control::Guess;
use percussion_control::guess::Waypoint;
use percussion_control::plan::Plan;
use percussion_geometry::Pose;
use percussion_mechanics::JointKind;
use percussion_mechanics::schemes::SchemeKind;

/// The initial guess of a plan.
#[derive(Clone, Debug)]
pub enum PlanGuess {
    /// A guess computed from the plan.
    Computed(Guess),
    /// The trajectory in a run folder, by its path as written.
    Run(String),
}

const KEYS: [&str; 4] = ["kind", "waypoints", "scheme", "run"];
const KINDS: [&str; 5] = ["rest", "straight", "waypoints", "free-motion", "run"];

/// Default scheme of a free motion: it passes collisions with any step size.
const SCHEME: SchemeKind = SchemeKind::Decomposition;

/// The table `[plan.guess]`.
pub(super) fn guess(context: &Context<'_>, fields: &Fields<'_>, plan: &Plan) -> Read<PlanGuess> {
    let free_motion = |scheme: SchemeKind| PlanGuess::Computed(Guess::FreeMotion { scheme });
    let Some(node) = fields.node("guess") else {
        return Ok(match plan.contacts.is_empty() {
            true => PlanGuess::Computed(Guess::Straight),
            false => free_motion(SCHEME),
        });
    };
    let f = Fields::of(context.report, node, "plan.guess", &KEYS)?;
    let (kind, scheme, run) = (f.word("kind", &KINDS), run::scheme(&f, "scheme"), f.text("run"));
    let (kind, scheme, run) = (kind?, scheme?, run?);
    // Keys imply a kind.
    let implied = [("waypoints", "waypoints"), ("scheme", "free-motion"), ("run", "run")];
    let implied = implied.into_iter().find(|(key, _)| f.has(key)).map(|(_, kind)| kind);
    let kind = kind.or(implied).unwrap_or(if plan.contacts.is_empty() { "straight" } else { "free-motion" });
    for (key, own) in [("waypoints", "waypoints"), ("scheme", "free-motion"), ("run", "run")] {
        if own != kind {
            f.refuse(&[key], &format!("cannot be combined with kind = \"{kind}\""), "remove it")?;
        }
    }
    Ok(match kind {
        "rest" => PlanGuess::Computed(Guess::Rest),
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
        let at = at?.ok_or_else(|| f.missing("at", "give a fraction of the total time, from 0 to 1"))?;
        let targets = targets?;
        if !(0.0..=1.0).contains(&at) {
            return Err(f.wrong("at", &format!("is {at}"), "give a fraction of the total time, from 0 to 1"));
        }
        let last = &all[all.len() - 1];
        if at <= last.at && !(i == 0 && at == 0.0) {
            let message = format!("is {at}, not after {}", last.at);
            let remedy = "list waypoints in the order of time";
            return Err(f.wrong("at", &message, remedy));
        }
        let state = waypoint(context, &f, &targets, &mut poses, last)?;
        if at == 0.0 {
            all.clear();
        }
        all.push(Waypoint { at, state });
    }
    let last = &all[all.len() - 1];
    if last.at < 1.0 {
        // The end, as far as it is fixed; the rest stays at the last waypoint.
        let mut state = last.state.clone();
        for (island, _) in context.model.islands.iter().zip(&plan.end.fixed).filter(|(_, fixed)| **fixed) {
            copy_configuration(&mut state, &plan.end.state, island);
        }
        all.push(Waypoint { at: 1.0, state });
    }
    Ok(all)
}

/// A waypoint: what is not given is as in the previous one.
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
    for joint in context.parts.joints {
        let mut joint = WrittenJoint { coordinates: None, rotation_vector: None, ..joint.clone() };
        if let Some(slot) = context.model.slots[joint.spec.child.0] {
            let link = context.link(slot);
            let own = &before.state.coordinates[link.coordinates()];
            if !own.is_empty() {
                joint.coordinates = Some(own.to_vec());
            }
            if let Some(target) = targets.joint(slot) {
                target.f.refuse(&["rate", "rates", "at_rest"], "is given to a waypoint", PLAIN)?;
                for (i, bound) in target.coordinates.iter().enumerate() {
                    let (Some(bound), Some(own)) = (bound, joint.coordinates.as_mut()) else { continue };
                    if !bound.is_equation() {
                        let message = format!("`{}` is a range", target.f.name);
                        return Err(context.report.complain(target.f.place, message, PLAIN));
                    }
                    own[i] = bound.lower;
                }
                joint.rotation_vector = target.rotation_vector;
            }
        }
        joints.push(joint);
    }
    for target in &targets.bodies {
        // Targets are of moving bodies, which have a slot.
        let Some(slot) = context.model.slots[target.body] else { continue };
        if context.link(slot).joint.kind != JointKind::Free {
            let message = format!("`{}` gives the pose of a body on a joint", target.f.name);
            let remedy = "give the coordinates of the joint instead";
            return Err(context.report.complain(target.f.place, message, remedy));
        }
        let other = ["velocity", "angular_velocity", "at_rest", "relative_to", "point", "align"];
        target.f.refuse(&other, "is given to a waypoint", PLAIN)?;
        let place = match &target.position {
            Some(bounds) => exact(bounds).ok_or_else(|| target.f.wrong("position", "is a range", PLAIN))?,
            None => poses[target.body].position,
        };
        moved_to[target.body] =
            Some(Pose::new(target.rotation.unwrap_or(poses[target.body].rotation), place));
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
