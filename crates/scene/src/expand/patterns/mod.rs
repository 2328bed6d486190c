//! Patterns: copies of a template in a row, a grid, a ring, at random positions, or connected to a chain by joints.
//!
//! The copies of pattern `NAME` are the bodies `NAME-1`, `NAME-2`, ...; joints have the names of their child bodies.

mod chain;
mod layout;
mod scatter;

use super::merge;
use super::templates::Templates;
use crate::report::{Place, Read, Report};
use crate::tree::{Entry, Fields, Node, Table, Value};
use percussion_geometry::Vec3;
use std::collections::HashSet;

/// The kinds of patterns.
const KINDS: [&str; 5] = ["row", "grid", "ring", "random", "chain"];
/// Largest number of copies of a pattern: larger ones are probably a mistake.
const MOST_COPIES: usize = 1_000_000;

/// Expands all patterns of a scene.
pub(super) fn expand(report: &Report, templates: &Templates<'_>, root: &mut Table) {
    let seed = match root.table("run").and_then(|run| run.get("seed")).map(|node| &node.value) {
        Some(Value::Integer(seed)) => u64::try_from(*seed).unwrap_or(0),
        _ => 0,
    };
    let Some(patterns) = root.take("patterns") else { return };
    let Some(table) = patterns.node.table() else {
        let message = format!("`patterns` is {}", patterns.node.kind());
        _ = report.complain(patterns.place, message, "write [patterns.NAME] and its keys below");
        return;
    };
    for entry in &table.entries {
        if let Ok(expansion) = pattern(report, templates, entry, seed) {
            add(report, root, "bodies", expansion.bodies, entry.place);
            add(report, root, "joints", expansion.joints, entry.place);
        }
    }
}

/// Bodies and joints of a pattern.
#[derive(Default)]
struct Expansion {
    bodies: Vec<Entry>,
    joints: Vec<Entry>,
}

fn add(report: &Report, root: &mut Table, collection: &str, expansion: Vec<Entry>, place: Place) {
    if expansion.is_empty() {
        return;
    }
    // Another value under that name is reported when it is read.
    let Some(table) = root.table_mut(collection, place) else { return };
    let names: HashSet<String> = table.keys().map(str::to_owned).collect();
    for entry in expansion {
        if names.contains(&entry.key) {
            let message = format!("the pattern makes `{collection}.{}`, which is already defined", entry.key);
            _ = report.complain(place, message, "rename the pattern or the other one");
            return;
        }
        table.entries.push(entry);
    }
}

fn pattern(report: &Report, templates: &Templates<'_>, entry: &Entry, seed: u64) -> Read<Expansion> {
    let name = format!("patterns.{}", entry.key);
    let f = Fields::of_some_kind(report, &entry.node, &name)?;
    let Some(kind) = f.word("kind", &KINDS)? else {
        return Err(f.missing("kind", &format!("give one of {}", KINDS.join(", "))));
    };
    let prototype = Prototype::of(&f, templates, entry)?;
    let expansion = match kind {
        "row" => layout::row(&f, &prototype),
        "grid" => layout::grid(&f, &prototype),
        "ring" => layout::ring(&f, &prototype),
        "random" => scatter::random(&f, &prototype, seed),
        _ => return chain::chain(&f, &prototype),
    };
    chain::attach_each(&f, &prototype, expansion?)
}

/// Checks the keys: those of the kind, and those that every pattern has.
fn check_keys(f: &Fields<'_>, kind: &str, own: &[&str]) {
    let common = ["kind", "template", "body", "position", "joint", "anchor"];
    let known: Vec<&str> = common.iter().chain(own).copied().collect();
    f.check_keys(kind, &known);
}

/// The number of copies.
fn copies(f: &Fields<'_>) -> Read<usize> {
    let count = f.count("count", 1)?.ok_or_else(|| f.missing("count", "give the number of copies"))?;
    if count > MOST_COPIES {
        return Err(f.wrong("count", &format!("is {count}"), &format!("make at most {MOST_COPIES}")));
    }
    Ok(count)
}

/// The body that is copied.
struct Prototype<'a> {
    name: &'a str,
    place: Place,
    body: Node,
    /// The pattern's position, or that of the template.
    origin: Vec3,
}

impl<'a> Prototype<'a> {
    /// The template with the pattern's own `body` keys laid over it.
    fn of(f: &Fields<'a>, templates: &Templates<'_>, entry: &'a Entry) -> Read<Self> {
        let mut body = Table::default();
        if let Some(node) = f.node("body") {
            let known = crate::keys::body_keys();
            body = Fields::of(f.report, node, &f.path("body"), &known)?.table.clone();
        }
        match f.table.entry("template") {
            Some(template) if body.entry("template").is_none() => body.entries.push(template.clone()),
            Some(_) => return Err(f.wrong("template", "is given twice", "remove the one in `body`")),
            None if f.has("body") => {}
            None => {
                return Err(f.missing("template", "name the template to repeat, or give the keys as `body`"));
            }
        }
        templates.expand(&mut body)?;
        let body = Node { place: entry.place, value: Value::Table(body) };
        let own = Fields { report: f.report, table: f.table, place: f.place, name: f.name.clone() };
        let origin = match own.vector("position")? {
            Some(origin) => origin,
            None => {
                let table = body.table().map(|table| Fields { table, ..own.clone() });
                table.map_or(Ok(None), |fields| fields.vector("position"))?.unwrap_or_else(Vec3::zeros)
            }
        };
        Ok(Self { name: &entry.key, place: entry.place, body, origin })
    }

    /// Access to the keys of the body.
    fn fields<'b>(&'b self, f: &Fields<'b>) -> Fields<'b> {
        let table = self.body.table().unwrap_or(f.table);
        Fields { report: f.report, table, place: self.place, name: f.name.clone() }
    }

    /// The name of copy `i`, from zero.
    fn name(&self, i: usize) -> String {
        format!("{}-{}", self.name, i + 1)
    }

    fn vector(&self, key: &str, v: &Vec3) -> Entry {
        Entry::new(key, self.place, Value::numbers(self.place, v.as_slice()))
    }

    /// Copy `i` at a position, with further keys.
    fn copy(&self, i: usize, position: &Vec3, own: Vec<Entry>) -> Entry {
        let mut body = self.body.clone();
        if let Value::Table(table) = &mut body.value {
            merge::set(table, self.vector("position", position));
            for entry in own {
                merge::set(table, entry);
            }
        }
        Entry { key: self.name(i), place: self.place, node: body }
    }
}
