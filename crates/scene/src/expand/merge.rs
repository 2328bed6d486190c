//! One table laid over another: the upper one has the last word, key by key.

use crate::report::{Place, Report};
use crate::tree::{Entry, Table, Value};

/// Keys that say the same thing in another way: when one is given, what was said before with its rivals is void.
pub(super) fn rivals(key: &str) -> &'static [&'static str] {
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

/// Sets a key of a body, joint or force over what was said before.
pub(super) fn set(table: &mut Table, entry: Entry) {
    table.entries.retain(|old| !rivals(&entry.key).contains(&old.key.as_str()));
    table.set(entry);
}

/// Lays the keys of a body, joint or force over those of another.
pub(super) fn lay_over(lower: &mut Table, upper: Table) {
    // Rivals void what was below, not each other: two in one table are an error, to be found by its reader.
    for entry in &upper.entries {
        lower.entries.retain(|old| !rivals(&entry.key).contains(&old.key.as_str()));
    }
    for entry in upper.entries {
        lower.set(entry);
    }
}

/// Lays a document over another: collections by name, and what has the same name key by key.
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
            (Some(Value::Table(old)), Value::Table(new)) => lay_over(old, new.clone()),
            _ => lower.set(entry),
        }
    }
}

/// Puts two documents side by side: what both define is complained about.
pub(super) fn side_by_side(report: &Report, first: &mut Table, second: Table) {
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
            // A library may have a title of its own.
            _ if title => {}
            _ => clash(old, entry.place, entry.key),
        }
    }
}
