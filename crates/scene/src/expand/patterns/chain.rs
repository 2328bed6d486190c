//! Patterns with joints: chains, in which each body is the child of the previous one, and patterns whose bodies have a common parent.

use super::{Expansion, Prototype, check_keys, copies};
use crate::expand::merge;
use crate::report::Read;
use crate::tree::{Entry, Fields, Node, Table, Value};
use percussion_geometry::Vec3;

/// Points of a joint that are given relative to the position of a body of the chain.
const RELATIVE: [&str; 3] = ["at", "from", "to"];

/// `count` copies, `spacing` apart, each with the joint `joint` to the previous one; the parent of the first one is `anchor`.
pub(super) fn chain(f: &Fields<'_>, prototype: &Prototype<'_>) -> Read<Expansion> {
    check_keys(f, "chain", &["count", "spacing", "first"]);
    let count = copies(f);
    let spacing =
        f.vector("spacing")?.ok_or_else(|| f.missing("spacing", "give the vector to the next one"))?;
    let anchor = f.text("anchor")?;
    let joint = part(f, "joint")?.ok_or_else(|| {
        f.missing(
            "joint",
            "give the joint between them, such as joint = { kind = \"spherical\", at = [0, 0, 0.5] }",
        )
    })?;
    let first = part(f, "first")?;
    if first.is_some() && anchor.is_none() {
        return Err(f.wrong("first", "is given, but the first body has no parent", "add `anchor`"));
    }
    let mut expansion = Expansion::default();
    for i in 0..count? {
        let position = prototype.origin + spacing * i as f64;
        expansion.bodies.push(prototype.copy(i, &position, Vec::new()));
        let parent = match (i, anchor) {
            (0, None) => continue,
            (0, Some(anchor)) => anchor.to_owned(),
            _ => prototype.name(i - 1),
        };
        let mut keys = joint.clone();
        if let (0, Some(first)) = (i, &first) {
            merge::merge_into(&mut keys, first.clone());
        }
        for key in RELATIVE {
            // A rod starts at the previous body.
            let base = if key == "from" && i > 0 { position - spacing } else { position };
            shift(f, &mut keys, key, &base)?;
        }
        expansion.joints.push(joint_entry(prototype, keys, parent, prototype.name(i)));
    }
    Ok(expansion)
}

/// Adds a joint from `anchor` to every body of a pattern, if the pattern has a `joint`.
pub(super) fn attach_each(
    f: &Fields<'_>,
    prototype: &Prototype<'_>,
    mut expansion: Expansion,
) -> Read<Expansion> {
    let anchor = f.text("anchor")?;
    let Some(joint) = part(f, "joint")? else {
        return match anchor {
            Some(_) => {
                Err(f.wrong("anchor", "has no joint", "give the `joint` between the bodies and their parent"))
            }
            None => Ok(expansion),
        };
    };
    for body in &expansion.bodies {
        let Some(table) = body.node.table() else { continue };
        let fields = Fields { report: f.report, table, place: prototype.place, name: f.name.clone() };
        let position = fields.vector("position")?.unwrap_or(prototype.origin);
        let mut keys = joint.clone();
        for key in RELATIVE {
            shift(f, &mut keys, key, &position)?;
        }
        let parent = anchor.unwrap_or("world").to_owned();
        expansion.joints.push(joint_entry(prototype, keys, parent, body.key.clone()));
    }
    Ok(expansion)
}

/// A joint with the name of its child.
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
    fields.refuse(&["parent", "child", "loop"], "is set by the pattern", "remove it")?;
    Ok(Some(table.clone()))
}

/// Makes a point relative to a body absolute.
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
