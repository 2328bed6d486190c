//! Planned contacts: two bodies, a node, and the contact law.

use super::context::Context;
use crate::report::{Read, read_all};
use crate::tree::{Fields, Node};
use percussion_control::plan::{ContactFriction, ContactJoint, PlannedContact};
use percussion_geometry::shapes::{PlanarShape, Solid};
use percussion_mechanics::contact::{ContactGeometry, PartShape};
use std::collections::BTreeSet;

const KEYS: [&str; 8] = ["name", "node", "bodies", "restitution", "friction", "flat", "joint", "release"];

/// The contacts under `plan.contacts`, in order.
pub(super) fn contacts(
    context: &Context<'_>,
    plan: &Fields<'_>,
    intervals: usize,
) -> Read<Vec<PlannedContact>> {
    let items = plan.list("contacts")?.unwrap_or_default();
    let numbered = items.iter().enumerate();
    let planned = read_all(numbered.map(|(i, node)| contact(context, node, i, intervals)))?;
    let wrong = |i: usize, message: String, remedy: &str| {
        Err(context.report.complain(items[i].place, format!("`plan.contacts[{i}]` {message}"), remedy))
    };
    for (i, pair) in planned.windows(2).enumerate() {
        let (before, after) = (&pair[0], &pair[1]);
        if after.node < before.node {
            let message =
                format!("is at node {}, before the previous contact at node {}", after.node, before.node);
            return wrong(i + 1, message, "list contacts in the order of time");
        }
    }
    for (i, later) in planned.iter().enumerate() {
        let same = |m: &&PlannedContact| {
            let (a, b) = m.bodies;
            m.node == later.node && (m.bodies == later.bodies || (b, a) == later.bodies)
        };
        if planned[..i].iter().find(same).is_some() {
            let message = format!("is the second contact of its bodies at node {}", later.node);
            return wrong(i, message, "give another node, or remove it");
        }
    }
    Ok(planned)
}

fn contact(context: &Context<'_>, node: &Node, i: usize, intervals: usize) -> Read<PlannedContact> {
    let f = Fields::of(context.report, node, &format!("plan.contacts[{i}]"), &KEYS)?;
    // All are read before missing ones are reported, so that all complaints are found.
    let (name, at, flat) = (f.text("name"), at_node(&f, intervals), f.boolean("flat"));
    let pair = f.node("bodies").map(|node| context.pair(node, &f.path("bodies"))).transpose();
    let (restitution, friction) = (f.number("restitution"), friction(&f));
    let tie = f.word("joint", &["spherical", "fixed"]);
    let release = f.count("release", 1);
    let pair = pair?
        .ok_or_else(|| f.missing("bodies", "name the two bodies in contact, such as [\"cube\", \"wall\"]"))?;
    let (at, tie) = (at?, tie?);
    let bodies = match context.model.slots[pair.0] {
        // The first one moves.
        None => (pair.1, pair.0),
        Some(_) => pair,
    };
    let parts = contact_parts(context, &f, bodies)?;
    // Defaults are the values of the scene for these surfaces.
    let surface = parts.0.surface(parts.1.0, parts.1.1);
    let restitution = restitution?.unwrap_or(surface.restitution);
    if !(0.0..=1.0).contains(&restitution) {
        return Err(f.wrong("restitution", &format!("is {restitution}"), "give a number from 0 to 1"));
    }
    // A joint sticks by default; with a coefficient of friction it is a foothold.
    let otherwise = if tie.is_some() { ContactFriction::Sticking } else { slip_of(surface.friction) };
    let slip = friction?.unwrap_or(otherwise);
    if tie.is_some() {
        let why = "is given to a contact that makes a joint, which has no restitution";
        f.refuse(&["restitution"], why, "remove it")?;
    }
    if tie == Some("fixed") {
        let why = "is given to a contact that makes a fixed joint, which has no friction law";
        f.refuse(&["friction"], why, "remove it, or make the joint \"spherical\"")?;
    }
    if tie == Some("spherical") {
        if slip == ContactFriction::Frictionless {
            let message = "is 0, but a foothold needs friction";
            return Err(f.wrong("friction", message, "give a coefficient above 0, or remove it"));
        }
        let why = "is given to a contact that makes a spherical joint, at one point";
        f.refuse(&["flat"], why, "remove it, or make the joint \"fixed\"")?;
    }
    let flat = flat?.unwrap_or(false);
    if let (true, None, ContactFriction::Coulomb(mu)) = (flat, tie, slip) {
        let message = format!(
            "is given to surfaces with the friction {mu}, but contacts of faces need sticking or frictionless surfaces"
        );
        return Err(f.wrong("flat", &message, "give `friction` 0 or \"stick\", or remove `flat`"));
    }
    let released = release?;
    if let Some(leaves) = released {
        if tie.is_none() {
            let remedy = "add `joint`, or remove it";
            return Err(f.wrong("release", "is given, but there is no joint to release", remedy));
        }
        if !(leaves > at && leaves < intervals) {
            let message = format!("is {leaves}, but the joint is made at node {at} of {intervals}");
            let remedy = "give a node after that and before the end, or remove it";
            return Err(f.wrong("release", &message, remedy));
        }
    }
    let (a, b) = (context.name(bodies.0), context.name(bodies.1));
    Ok(PlannedContact {
        name: name?.map_or_else(|| format!("the contact of `{a}` and `{b}` at node {at}"), str::to_owned),
        node: at,
        bodies,
        restitution,
        friction: slip,
        flat,
        joint: tie.map(|word| if word == "fixed" { ContactJoint::Rigid } else { ContactJoint::Point }),
        release_node: released,
    })
}

fn at_node(f: &Fields<'_>, intervals: usize) -> Read<usize> {
    let node = f.count("node", 0)?.ok_or_else(|| f.missing("node", "give the node of the contact"))?;
    if node >= 1 && node < intervals {
        return Ok(node);
    }
    let message = match node {
        0 => "is the start".to_owned(),
        node if node == intervals => "is the end".to_owned(),
        node => format!("is {node}, but there are {intervals} intervals"),
    };
    let remedy = match intervals {
        1 => "raise `intervals`: no node lies between start and end".to_owned(),
        _ => format!("give a node from 1 to {}, or raise `intervals`", intervals - 1),
    };
    Err(f.wrong("node", &message, &remedy))
}

/// A coefficient, or `"stick"`.
fn friction(f: &Fields<'_>) -> Read<Option<ContactFriction>> {
    let Some(node) = f.node("friction") else { return Ok(None) };
    match node.text() {
        Some("stick") => Ok(Some(ContactFriction::Sticking)),
        Some(word) => {
            let message = format!("`{}` is \"{word}\"", f.path("friction"));
            Err(f.report.unknown(node.place, message, word, ["stick"], "give a number, without quotes"))
        }
        None => Ok(f.not_negative("friction", "coefficient")?.map(slip_of)),
    }
}

fn slip_of(friction: f64) -> ContactFriction {
    if friction == 0.0 { ContactFriction::Frictionless } else { ContactFriction::Coulomb(friction) }
}

/// Two parts of the bodies that may collide and have shapes that planned contacts support.
fn contact_parts<'m>(
    context: &'m Context<'_>,
    f: &Fields<'_>,
    (a, b): (usize, usize),
) -> Read<(&'m ContactGeometry, (usize, usize))> {
    let (one, other) = (context.name(a), context.name(b));
    let never = |why: &str, remedy: &str| {
        Err(f.wrong("bodies", &format!("names `{one}` and `{other}`, which cannot collide: {why}"), remedy))
    };
    if context.model.slots[a].is_none() {
        return never("both are fixed", "name a body that moves");
    }
    let Some(contacts) = &context.model.contacts else {
        return never("the scene has no contact", "add [contact]");
    };
    let parts = |body: usize| contacts.first[body]..contacts.first[body + 1];
    for body in [a, b] {
        if parts(body).is_empty() {
            let why = format!("`{}` has no shape", context.name(body));
            return never(&why, "give it one");
        }
    }
    let mut pairs = parts(a).flat_map(|p| parts(b).map(move |q| (p, q))).peekable();
    let colliding: BTreeSet<(usize, usize)> =
        pairs.by_ref().filter(|(p, q)| contacts.may_collide(*p, *q)).collect();
    if colliding.is_empty() {
        let remedy = "set `collide` in [contact.pairs] or of the joint between them";
        return never("contact between them is switched off", remedy);
    }
    let edged = |part: usize| match &contacts.parts[part].shape {
        PartShape::Solid(solid) => matches!(solid, Solid::Polytope(_) | Solid::HalfSpace(_)),
        PartShape::Planar(planar) => matches!(planar, PlanarShape::Polygon(_) | PlanarShape::HalfPlane(_)),
    };
    match colliding.into_iter().find(|(p, q)| edged(*p) && edged(*q)) {
        Some(pair) => Ok((contacts, pair)),
        None => {
            let message = format!("names `{one}` and `{other}`, whose shapes in contact are curved");
            let remedy = "planned contacts support polytopes, polygons and half-spaces: use such shapes, for round ones { rounded = { count = 60, radius = ... } }";
            Err(f.wrong("bodies", &message, remedy))
        }
    }
}
