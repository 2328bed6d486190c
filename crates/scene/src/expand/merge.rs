//! Merging of tables: values of the upper table replace those of the lower one, key by key.

use crate::report::{Place, Report};
use crate::tree::{Entry, Table, Value};

/// Keys that express the same quantity: setting one removes the alternatives set before.
pub(super) fn alternatives(key: &str) -> &'static [&'static str] {
    match key {
        "rotation_vector" => &["rotation", "quaternion", "axis", "angle", "angle_degrees"],
        "rotation" => &["rotation_vector", "quaternion", "axis", "angle", "angle_degrees"],
        "quaternion" => &["rotation_vector", "rotation", "axis", "angle", "angle_degrees"],
        "axis" => &["rotation_vector", "rotation", "quaternion"],
        "angle" => &["rotation_vector", "rotation", "quaternion", "angle_degrees", "coordinates"],
        "angle_degrees" => &["rotation_vector", "rotation", "quaternion", "angle", "coordinates"],
        "travel" => &["coordinates"],
        "coordinates" => &["angle", "angle_degrees", "travel"],
        "rate" => &["rates"],
        "rates" => &["rate"],
        "shape" => &["shapes"],
        "shapes" => &["shape"],
        "density" => &["mass"],
        "mass" => &["density"],
        "inertia" => &["moments"],
        "moments" => &["inertia"],
        "angular_velocity" => &["body_angular_velocity"],
        "body_angular_velocity" => &["angular_velocity"],
        _ => &[],
    }
}

/// Sets a key of a body, joint or force and removes its alternatives.
pub(super) fn set(table: &mut Table, entry: Entry) {
    table.entries.retain(|old| !alternatives(&entry.key).contains(&old.key.as_str()));
    table.set(entry);
}

/// Merges the keys of a body, joint or force into those of another.
pub(super) fn merge_into(lower: &mut Table, upper: Table) {
    // Alternatives are removed from the lower table only: two of them in one table are an error, which the reader reports.
    for entry in &upper.entries {
        lower.entries.retain(|old| !alternatives(&entry.key).contains(&old.key.as_str()));
    }
    for entry in upper.entries {
        lower.set(entry);
    }
}

/// Merges a document into another: collections by name, tables of the same name key by key.
pub(super) fn documents(lower: &mut Table, upper: Table) {
    for entry in upper.entries {
        let old = lower.get_mut(&entry.key);
        match (old.map(|node| &mut node.value), entry.node.value) {
            (Some(Value::Table(old)), Value::Table(new)) => collections(old, new),
            (_, value) => {
                let node = crate::tree::Node { place: entry.node.place, value };
                lower.set(Entry { node, ..entry });
            }
        }
    }
}

fn collections(lower: &mut Table, upper: Table) {
    for entry in upper.entries {
        let old = lower.get_mut(&entry.key);
        match (old.map(|node| &mut node.value), &entry.node.value) {
            (Some(Value::Table(old)), Value::Table(new)) => merge_into(old, new.clone()),
            _ => lower.set(entry),
        }
    }
}

/// Joins two documents; names defined in both are reported.
pub(super) fn join(report: &Report, first: &mut Table, second: Table) {
    let clash = |old: &Entry, new: Place, name: String| {
        let message = format!("`{name}` is already defined at {}", report.file_line(old.place));
        _ = report.complain(new, message, "rename or remove one of the two");
    };
    for entry in second.entries {
        let title = entry.key == "title" || entry.key == "description";
        let Some(old) = first.entries.iter_mut().find(|old| old.key == entry.key) else {
            first.entries.push(entry);
            continue;
        };
        match (&mut old.node.value, entry.node.value) {
            (Value::Table(here), Value::Table(there)) => {
                for member in there.entries {
                    match here.entry(&member.key) {
                        Some(known) => clash(known, member.place, format!("{}.{}", entry.key, member.key)),
                        None => here.entries.push(member),
                    }
                }
            }
            // Titles of included files are ignored.
            _ if title => {}
            _ => clash(old, entry.place, entry.key),
        }
    }
}
