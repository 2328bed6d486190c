//! What hangs: chains, where each body hangs on the one before it, and patterns of bodies that hang on one and the same.

use super::{Expansion, Prototype, check_keys, copies};
use crate::expand::merge;
use crate::report::Read;
use crate::tree::{Entry, Fields, Node, Table, Value};
use percussion_geometry::Vec3;

/// Points of a joint that are given relative to the position of a body of the chain.
const RELATIVE: [&str; 3] = ["at", "from", "to"];

/// `count` copies, `spacing` apart, each with the joint `joint` to the one before it, the first one to `anchor`.
pub(super) fn chain(f: &Fields<'_>, prototype: &Prototype<'_>) -> Read<Expansion> {
    check_keys(f, "chain", &["count", "spacing", "first"]);
    let count = copies(f);
    let spacing =
        f.vector("spacing")?.ok_or_else(|| f.missing("spacing", "give the vector to the next one"))?;
    let anchor = f.text("anchor")?;
    let joint = part(f, "joint")?.ok_or_else(|| {
        f.missing(
            "joint",
            "say how they hang on each other, such as joint = { kind = \"spherical\", at = [0, 0, 0.5] }",
        )
    })?;
    let first = part(f, "first")?;
    if first.is_some() && anchor.is_none() {
        return Err(f.wrong("first", "is given, but the first body hangs on nothing", "add `anchor`"));
    }
    let mut made = Expansion::default();
    for i in 0..count? {
        let position = prototype.origin + spacing * i as f64;
        made.bodies.push(prototype.copy(i, &position, Vec::new()));
        let parent = match (i, anchor) {
            (0, None) => continue,
            (0, Some(anchor)) => anchor.to_owned(),
            _ => prototype.name(i - 1),
        };
        let mut keys = joint.clone();
        if let (0, Some(first)) = (i, &first) {
            merge::lay_over(&mut keys, first.clone());
        }
        for key in RELATIVE {
            // A rod comes from the body before.
            let base = if key == "from" && i > 0 { position - spacing } else { position };
            shift(f, &mut keys, key, &base)?;
        }
        made.joints.push(joint_entry(prototype, keys, parent, prototype.name(i)));
    }
    Ok(made)
}

/// Hangs every body of a pattern on its `anchor`, if it says by which `joint`.
pub(super) fn attach_each(f: &Fields<'_>, prototype: &Prototype<'_>, mut made: Expansion) -> Read<Expansion> {
    let anchor = f.text("anchor")?;
    let Some(joint) = part(f, "joint")? else {
        return match anchor {
            Some(_) => Err(f.wrong("anchor", "has no joint", "say by which `joint` the bodies hang on it")),
            None => Ok(made),
        };
    };
    for body in &made.bodies {
        let Some(table) = body.node.table() else { continue };
        let fields = Fields { report: f.report, table, place: prototype.place, name: f.name.clone() };
        let position = fields.vector("position")?.unwrap_or(prototype.origin);
        let mut keys = joint.clone();
        for key in RELATIVE {
            shift(f, &mut keys, key, &position)?;
        }
        let parent = anchor.unwrap_or("world").to_owned();
        made.joints.push(joint_entry(prototype, keys, parent, body.key.clone()));
    }
    Ok(made)
}

/// A joint with the name of the body it carries.
fn joint_entry(prototype: &Prototype<'_>, mut keys: Table, parent: String, child: String) -> Entry {
    let name = |key: &str, value: String| Entry::new(key, prototype.place, Value::Text(value));
    keys.entries.insert(0, name("child", child.clone()));
    keys.entries.insert(0, name("parent", parent));
    let node = Node { place: prototype.place, value: Value::Table(keys) };
    Entry { key: child, place: prototype.place, node }
}

/// A table of joint keys.
fn part(f: &Fields<'_>, key: &str) -> Read<Option<Table>> {
    let Some(node) = f.node(key) else { return Ok(None) };
    let Some(table) = node.table() else {
        return Err(f.wrong(key, &format!("is {}", node.kind()), "write a table with the keys of a joint"));
    };
    let fields = Fields { report: f.report, table, place: node.place, name: f.path(key) };
    fields.refuse(&["parent", "child", "loop"], "is the chain's own affair", "remove it")?;
    Ok(Some(table.clone()))
}

/// Moves a relative point to where the body is.
fn shift(f: &Fields<'_>, keys: &mut Table, key: &str, base: &Vec3) -> Read<()> {
    let place = match keys.entry(key) {
        Some(entry) => entry.node.place,
        None => return Ok(()),
    };
    let relative = {
        let fields = Fields { report: f.report, table: keys, place: f.place, name: f.path("joint") };
        fields.vector(key)?
    };
    if let Some(relative) = relative {
        let absolute = base + relative;
        keys.set(Entry::new(key, place, Value::numbers(place, absolute.as_slice())));
    }
    Ok(())
}
