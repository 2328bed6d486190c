//! Collision avoidance: pairs with a margin, with a check of start and end as far as these are fixed.

use super::context::Context;
use crate::report::{Place, Read};
use crate::tolerances::INITIAL_PENETRATION;
use crate::tree::{Fields, Node, Value};
use percussion_control::plan::{Avoidance, BoundaryState, PlannedContact};
use percussion_mechanics::contact::PairWarmStart;
use std::collections::BTreeSet;

const KEYS: [&str; 3] = ["margin", "pairs", "exclude"];

/// The pairs with a margin: by default all pairs that may collide. With a contact potential, which allows penetration,
/// there are none by default.
pub(super) fn avoidance(context: &Context<'_>, plan: &Fields<'_>) -> Read<Option<Avoidance>> {
    let all = Avoidance { margin: 0.0, pairs: None };
    let Some(node) = plan.node("avoid") else {
        let hard = context.contact.is_some_and(|contact| contact.potential.is_none());
        return Ok(hard.then_some(all));
    };
    if let Value::Boolean(false) = node.value {
        return Ok(None);
    }
    let Some(contacts) = &context.model.contacts else {
        let remedy = "add [contact]: without it nothing collides, and there is nothing to avoid";
        return Err(plan.wrong("avoid", "is given, but the scene has no contact", remedy));
    };
    if let Value::Boolean(true) = node.value {
        return Ok(Some(all));
    }
    let f = Fields::of(context.report, node, "plan.avoid", &KEYS)?;
    let margin = f.not_negative("margin", "distance in metres");
    let lists = |key: &str| -> Read<Option<BTreeSet<(usize, usize)>>> {
        let Some(items) = f.list(key)? else { return Ok(None) };
        let name = f.path(key);
        let mut found = BTreeSet::new();
        for item in items {
            found.extend(part_pairs(context, item, &name)?);
        }
        Ok(Some(found))
    };
    let (pairs, except) = (lists("pairs"), lists("exclude"));
    let (margin, mut pairs, except) = (margin?.unwrap_or(0.0), pairs?, except?);
    if let Some(except) = except {
        pairs = Some(&pairs.unwrap_or_else(|| contacts.all_pairs().into_iter().collect()) - &except);
    }
    Ok(Some(Avoidance { margin, pairs: pairs.map(|pairs| pairs.into_iter().collect()) }))
}

/// The pairs of parts of two bodies that may meet.
fn part_pairs(context: &Context<'_>, node: &Node, name: &str) -> Read<Vec<(usize, usize)>> {
    let (a, b) = context.pair(node, name)?;
    let found: Vec<(usize, usize)> = context.model.contacts.as_ref().map_or_else(Vec::new, |contacts| {
        let parts = |body: usize| contacts.first[body]..contacts.first[body + 1];
        let pairs = parts(a).flat_map(|p| parts(b).map(move |q| (p, q)));
        pairs.filter(|(p, q)| contacts.may_collide(*p, *q)).map(|(p, q)| contacts.ordered(p, q)).collect()
    });
    if found.is_empty() {
        let message =
            format!("`{name}` names `{}` and `{}`, which cannot collide", context.name(a), context.name(b));
        let remedy = "give both a shape and let them collide, or remove the pair";
        return Err(context.report.complain(node.place, message, remedy));
    }
    Ok(found)
}

/// A start or end to be checked.
pub(super) struct EndCheck<'a> {
    pub terminal: &'a BoundaryState,
    /// Whether it is the end.
    pub last: bool,
    pub place: Place,
    /// Planned contacts: bodies connected by them may touch.
    pub planned: &'a [PlannedContact],
}

/// Reports a start or end at which fixed bodies are closer than the margin.
pub(super) fn check_separation(
    context: &Context<'_>,
    avoidance: &Avoidance,
    check: &EndCheck<'_>,
) -> Read<()> {
    let Some(contacts) = &context.model.contacts else { return Ok(()) };
    let known = |body: usize| context.island(body).is_none_or(|island| check.terminal.fixed[island]);
    let pairs = avoidance.pairs.clone().unwrap_or_else(|| contacts.all_pairs());
    let mut deepest: Option<(f64, (usize, usize))> = None;
    for pair in pairs {
        let (p, q) = (&contacts.parts[pair.0], &contacts.parts[pair.1]);
        if !known(p.body) || !known(q.body) {
            continue;
        }
        let poses = (p.body_pose(&check.terminal.state), q.body_pose(&check.terminal.state));
        let query =
            contacts.separation(pair, (&poses.0, &poses.1), avoidance.margin, &mut PairWarmStart::default());
        let Ok(contact) = query else { continue };
        let joined = check
            .planned
            .iter()
            .any(|m| m.joint.is_some() && (m.bodies == (p.body, q.body) || m.bodies == (q.body, p.body)));
        let least = if joined { 0.0 } else { avoidance.margin };
        let lacking = least - contact.separation;
        let rounding = INITIAL_PENETRATION * p.radius.min(q.radius);
        if lacking > rounding && lacking > deepest.map_or(0.0, |(most, _)| most) {
            deepest = Some((lacking, (pair.0, pair.1)));
        }
    }
    let Some((lacking, (p, q))) = deepest else { return Ok(()) };
    let names = (contacts.parts[p].body_name(context.model), contacts.parts[q].body_name(context.model));
    let separation = avoidance.margin - lacking;
    let apart = match separation < 0.0 {
        true => format!("penetrate each other by {:.3e} m", -separation),
        false => format!("are {separation:.3e} m apart, nearer than the margin of {} m", avoidance.margin),
    };
    let (when, remedy) = match check.last {
        true => ("at the end", "change the end, or allow the penetration with `exclude` in [plan.avoid]"),
        false => {
            ("at the start", "move one of them, or allow the penetration with `exclude` in [plan.avoid]")
        }
    };
    let message = format!("`{}` and `{}` {apart} {when}", names.0, names.1);
    Err(context.report.complain(check.place, message, remedy))
}
