//! The vocabulary of scene files: the keys that are accepted in each table, and the words that are accepted for a key.
//!
//! It is recorded while scenes are read, from the same lists by which unknown keys and words are refused, so that there is no
//! second list that could differ. A table is recorded once a scene that has it was read; [`AcceptedWords::unused`] gives the
//! keys and words that no scene of a collection uses.

use std::collections::{BTreeMap, BTreeSet};

/// What is accepted in one place, and what was written there.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AcceptedWords {
    /// What is accepted.
    pub accepted: BTreeSet<String>,
    /// What the scenes wrote there.
    pub given: BTreeSet<String>,
}

impl AcceptedWords {
    /// What is accepted and was never written.
    pub fn unused(&self) -> impl Iterator<Item = &str> {
        self.accepted.difference(&self.given).map(String::as_str)
    }

    /// The union of two places.
    pub fn join(&mut self, other: &Self) {
        self.accepted.extend(other.accepted.iter().cloned());
        self.given.extend(other.given.iter().cloned());
    }
}

/// The keys and words of scene files, as far as the scenes that were read contain their tables.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Vocabulary {
    /// Keys by table: `run`, `bodies.NAME`, `bodies.NAME.shapes.capsule`, `forces.NAME(spring)`; the name of the top table is empty.
    /// Indices into lists are left out, names chosen by the author are `NAME`, and a kind on which the keys depend is in brackets.
    pub keys: BTreeMap<String, AcceptedWords>,
    /// Words by key: `run.scheme`, `joints.NAME.kind`.
    pub words: BTreeMap<String, AcceptedWords>,
}

impl Vocabulary {
    /// Records the keys of a table; `kind` is empty unless the keys depend on it.
    pub(crate) fn table<'k>(
        &mut self,
        name: &str,
        kind: &str,
        given: impl Iterator<Item = &'k str>,
        accepted: &[&str],
    ) {
        let mut name = general(name);
        if !kind.is_empty() {
            name = format!("{name}({kind})");
        }
        record(self.keys.entry(name).or_default(), given, accepted);
    }

    /// Records the words of a key.
    pub(crate) fn word(&mut self, key: &str, given: &str, accepted: &[&str]) {
        record(self.words.entry(general(key)).or_default(), [given].into_iter(), accepted);
    }
}

fn record<'k>(known: &mut AcceptedWords, given: impl Iterator<Item = &'k str>, accepted: &[&str]) {
    known.accepted.extend(accepted.iter().map(|word| (*word).to_owned()));
    known.given.extend(given.map(str::to_owned));
}

/// A full name with `NAME` for names chosen by the author and without indices: `bodies.arm.shapes[2].box` is `bodies.NAME.shapes.box`.
fn general(name: &str) -> String {
    let mut parts: Vec<&str> =
        name.split('.').map(|part| part.split_once('[').map_or(part, |(key, _)| key)).collect();
    let named = match parts[..] {
        // The first name in [plan] or [shoot] is that of a control, a body or a joint.
        ["plan" | "shoot", ..] => {
            let collection = parts.iter().position(|part| ["controls", "bodies", "joints"].contains(part));
            collection.map_or(parts.len(), |at| at + 1)
        }
        ["contact", "pairs", ..] => 2,
        ["run" | "contact", ..] => parts.len(),
        _ => 1,
    };
    if let Some(part) = parts.get_mut(named) {
        *part = "NAME";
    }
    parts.join(".")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_chosen_by_the_author_are_left_out() {
        assert_eq!(general("bodies.arm.shapes[2].box"), "bodies.NAME.shapes.box");
        assert_eq!(general("contact.pairs.guard"), "contact.pairs.NAME");
        assert_eq!(general("run.newmark"), "run.newmark");
        assert_eq!(general("plan.end.bodies.arm.align[0]"), "plan.end.bodies.NAME.align");
        assert_eq!(general("plan.contacts[1]"), "plan.contacts");
        assert_eq!(general("shoot.vary.joints.hinge"), "shoot.vary.joints.NAME");
        assert_eq!(general("contact.impact_law"), "contact.impact_law");
        assert_eq!(general(""), "");
    }
}
