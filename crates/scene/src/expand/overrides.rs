//! Overrides: `run.step = 1e-4`, `bodies.top.mass = 2`, set from the command line or a study.
//!
//! A path leads through tables by key and through lists by index. Its last key may be new (it is then checked like any other key), but
//! the tables before it must exist, except for tables of settings. Bodies and joints made by templates and patterns can be overridden
//! too: such overrides are deferred until everything is expanded.

use super::merge;
use crate::keys::TOP;
use crate::report::{Place, Read, Report, Reported};
use crate::tree::{Entry, Node, Table, Value, document, value};

/// One override.
pub(super) struct Change {
    path: Vec<String>,
    node: Node,
    place: Place,
}

/// State of the tree.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum ExpansionStage {
    /// As written.
    Written,
    /// Templates and patterns are expanded.
    Expanded,
}

/// Tables whose keys are names chosen by the author.
const COLLECTIONS: [&str; 7] = ["shapes", "materials", "templates", "patterns", "bodies", "joints", "forces"];

/// Reads the overrides.
pub(super) fn parse(report: &Report, overrides: &[(String, String)]) -> Read<Vec<Change>> {
    let all: Vec<Read<Change>> = overrides.iter().map(|(path, value)| one(report, path, value)).collect();
    all.into_iter().collect()
}

fn one(report: &Report, path: &str, text: &str) -> Read<Change> {
    let source = report.change(path, text);
    let place = Place { source, offset: 0 };
    let node = if is_word(text) {
        Node { place, value: Value::Text(text.trim().to_owned()) }
    } else {
        value(report, source, text)?
    };
    // A path is a dotted key, which the TOML parser reads with its quotes.
    let scratch = Report::default();
    let line = format!("{path} = 0");
    let keys = document(&scratch, scratch.file("", &line), &line).ok().and_then(|table| dotted(&table));
    match keys {
        Some(path) => Ok(Change { path, node, place }),
        None => Err(report.complain(
            place,
            format!("`{path}` is not a path"),
            "write names with dots between them",
        )),
    }
}

/// Whether a value is a plain word, which needs no quotes.
fn is_word(text: &str) -> bool {
    let text = text.trim();
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_/. ".contains(c);
    text.starts_with(|c: char| c.is_ascii_alphabetic())
        && text.chars().all(plain)
        && !["true", "false", "nan", "inf"].contains(&text)
}

fn dotted(table: &Table) -> Option<Vec<String>> {
    let [entry] = &table.entries[..] else { return None };
    let mut path = vec![entry.key.clone()];
    match &entry.node.value {
        Value::Table(inner) => path.extend(dotted(inner)?),
        Value::Integer(0) => {}
        _ => return None,
    }
    Some(path)
}

/// Applies overrides in their order and returns those that are deferred.
pub(super) fn apply(
    report: &Report,
    root: &mut Table,
    changes: Vec<Change>,
    stage: ExpansionStage,
) -> Read<Vec<Change>> {
    let mut deferred = Vec::new();
    let mut outcome = Ok(());
    for change in changes {
        match set(report, root, &change, stage) {
            Ok(true) => {}
            Ok(false) => deferred.push(change),
            Err(reported) => outcome = Err(reported),
        }
    }
    outcome.map(|()| deferred)
}

/// Sets one value; false if it is deferred.
fn set(report: &Report, root: &mut Table, change: &Change, stage: ExpansionStage) -> Read<bool> {
    let known = TOP.into_iter().filter(|key| *key != "include");
    let (top, rest) = (change.path[0].as_str(), &change.path[1..]);
    if !known.clone().any(|key| key == top) {
        return Err(report.unknown(change.place, format!("a scene has no `{top}`"), top, known, ""));
    }
    let can_defer = stage == ExpansionStage::Written && (top == "bodies" || top == "joints");
    if rest.is_empty() {
        if COLLECTIONS.contains(&top) {
            let message = format!("`{top}` as a whole cannot be overridden");
            return Err(report.complain(change.place, message, "give the path of a value in it"));
        }
        root.set(Entry { key: top.to_owned(), place: change.place, node: change.node.clone() });
        return Ok(true);
    }
    if root.get(top).is_none() && top == "run" {
        _ = root.table_mut(top, change.place);
    }
    // Tables of settings are created where the scene does not have them.
    let settings: &[&str] = match top {
        "run" => &["newmark", "lcp"],
        "plan" if root.get(top).is_some() => &["search", "objective", "avoid", "guess"],
        _ => &[],
    };
    if rest.len() > 1 && settings.contains(&rest[0].as_str()) {
        _ = root.table_mut(top, change.place).and_then(|table| table.table_mut(&rest[0], change.place));
    }
    let Some(node) = root.get_mut(top) else {
        let message = format!("the scene has no `{top}`");
        return if can_defer {
            Ok(false)
        } else {
            Err(report.complain(change.place, message, "define it in the file"))
        };
    };
    let new_name = COLLECTIONS.contains(&top);
    match descend(node, rest, change, new_name) {
        Ok(()) => Ok(true),
        Err(_) if can_defer => Ok(false),
        Err(unknown_path) => Err(unknown_path.complain(report, change)),
    }
}

/// A path that leads to nothing.
struct UnknownPath {
    at: String,
    key: String,
    known: Vec<String>,
}

impl UnknownPath {
    fn complain(&self, report: &Report, change: &Change) -> Reported {
        let message = format!("there is no `{}` in `{}`", self.key, self.at);
        report.unknown(change.place, message, &self.key, self.known.iter().map(String::as_str), "")
    }
}

fn descend(mut node: &mut Node, path: &[String], change: &Change, named: bool) -> Result<(), UnknownPath> {
    let mut at = change.path[0].clone();
    for (depth, key) in path.iter().enumerate() {
        let last = depth + 1 == path.len();
        let unknown_path = |known: Vec<String>| UnknownPath { at: at.clone(), key: key.clone(), known };
        match &mut node.value {
            Value::Table(table) => {
                // A new key may be set, but not a new name in a collection.
                if last && !(named && depth == 0 && table.entry(key).is_none()) {
                    let entry = Entry { key: key.clone(), place: change.place, node: change.node.clone() };
                    merge::set(table, entry);
                    return Ok(());
                }
                let known = table.keys().map(str::to_owned).collect();
                node = table.get_mut(key).ok_or_else(|| unknown_path(known))?;
            }
            Value::List(list) => {
                let known = (0..list.len()).map(|i| i.to_string()).collect();
                let item = key.parse().ok().and_then(|i: usize| list.get_mut(i));
                node = item.ok_or_else(|| unknown_path(known))?;
                if last {
                    *node = change.node.clone();
                    return Ok(());
                }
            }
            _ => return Err(unknown_path(Vec::new())),
        }
        at = format!("{at}.{key}");
    }
    Ok(())
}
