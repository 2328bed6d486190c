//! What the reader knows at every table: the keys it accepts there, and the words it accepts for a key.
//!
//! It is gathered from the very lists that unknown keys and words are judged by, while scenes are read: there is no second list
//! that could differ. A table is known once a scene that has it was read; [`Known::unused`] tells which doors
//! a collection of scenes has not opened.

use crate::complaint::SceneError;
use crate::report::Report;
use crate::scene::Scene;
use crate::study::Study;
use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::path::Path;

/// What may be written in one place, and what was.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Known {
    /// What the reader accepts.
    pub accepted: BTreeSet<String>,
    /// What the scenes have written there.
    pub given: BTreeSet<String>,
}

impl Known {
    /// What is accepted and was never written.
    pub fn unused(&self) -> impl Iterator<Item = &str> {
        self.accepted.difference(&self.given).map(String::as_str)
    }

    /// What two places know together.
    pub fn join(&mut self, other: &Self) {
        self.accepted.extend(other.accepted.iter().cloned());
        self.given.extend(other.given.iter().cloned());
    }
}

/// The keys and words of scene files, as far as the scenes that were read led to them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Vocabulary {
    /// Keys by table: `run`, `bodies.NAME`, `bodies.NAME.shapes.capsule`, `forces.NAME(spring)`; the top has no name. Places in
    /// lists are left out, names of the author's choice are `NAME`, and a kind that decides about the keys is in brackets.
    pub keys: BTreeMap<String, Known>,
    /// Words by key: `run.scheme`, `joints.NAME.kind`.
    pub words: BTreeMap<String, Known>,
}

impl Vocabulary {
    /// Reads a scene, with all files taken from `files`, for the keys and words that it leads to.
    pub fn listen(
        &mut self,
        path: impl AsRef<Path>,
        files: &dyn Fn(&Path) -> io::Result<String>,
    ) -> Result<Scene, SceneError> {
        let report = Report::listening(std::mem::take(self));
        let (outcome, heard) = Scene::read_into(report, path.as_ref(), &[], files);
        *self = heard.unwrap_or_default();
        outcome
    }

    /// Reads a study for the keys and words that it leads to.
    pub fn listen_to_study(
        &mut self,
        path: impl AsRef<Path>,
        files: &dyn Fn(&Path) -> io::Result<String>,
    ) -> Result<Study, SceneError> {
        let report = Report::listening(std::mem::take(self));
        let (outcome, heard) = Study::read_into(report, path.as_ref(), files);
        *self = heard.unwrap_or_default();
        outcome
    }

    /// Notes the keys of a table; `kind` is empty unless it decides about them.
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
        note(self.keys.entry(name).or_default(), given, accepted);
    }

    /// Notes the words of a key.
    pub(crate) fn word(&mut self, key: &str, given: &str, accepted: &[&str]) {
        note(self.words.entry(general(key)).or_default(), [given].into_iter(), accepted);
    }
}

fn note<'k>(known: &mut Known, given: impl Iterator<Item = &'k str>, accepted: &[&str]) {
    known.accepted.extend(accepted.iter().map(|word| (*word).to_owned()));
    known.given.extend(given.map(str::to_owned));
}

/// A full name without what is particular about it: `bodies.arm.shapes[2].box` is `bodies.NAME.shapes.box`.
fn general(name: &str) -> String {
    let mut parts: Vec<&str> =
        name.split('.').map(|part| part.split_once('[').map_or(part, |(key, _)| key)).collect();
    let named = match parts[..] {
        // The first name in a plan or a shot is that of a control, a body or a joint.
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
    fn names_of_the_authors_choice_are_left_out() {
        assert_eq!(general("bodies.arm.shapes[2].box"), "bodies.NAME.shapes.box");
        assert_eq!(general("contact.pairs.guard"), "contact.pairs.NAME");
        assert_eq!(general("run.newmark"), "run.newmark");
        assert_eq!(general("plan.end.bodies.arm.align[0]"), "plan.end.bodies.NAME.align");
        assert_eq!(general("plan.contacts[1]"), "plan.contacts");
        assert_eq!(general("shoot.vary.joints.hinge"), "shoot.vary.joints.NAME");
        assert_eq!(general("contact.impact_law"), "contact.impact_law");
        assert_eq!(general(""), "");
    }

    #[test]
    fn a_scene_tells_the_keys_of_its_tables_and_what_it_leaves_unsaid() {
        let text = "[run]\nstep = 1e-3\nuntil = 1\nscheme = \"variational\"\n[bodies.ball]\nshape = { sphere = 1 }\nmass = 1\n\
                    [forces.pull]\nkind = \"spring\"\na = \"ball\"\nb = { world = [0, 0, 1] }\nstiffness = 1";
        let mut heard = Vocabulary::default();
        let scene = heard.listen("scene.toml", &|_| Ok(text.to_owned())).unwrap();
        assert_eq!(scene.model.bodies.len(), 1);
        let run = &heard.keys["run"];
        assert!(run.accepted.contains("seed") && run.unused().any(|key| key == "seed"));
        assert!(!run.unused().any(|key| key == "step"));
        let pull: Vec<&str> = heard.keys["forces.NAME(spring)"].unused().collect();
        assert_eq!(pull, ["damping", "rest_length"]);
        assert!(heard.words["run.scheme"].unused().any(|word| word == "exact"));
        assert!(heard.words["forces.NAME.kind"].given.contains("spring"));
        // What is refused is heard as well.
        assert!(heard.listen("scene.toml", &|_| Ok("[joints.pin]\nkind = \"pin\"".to_owned())).is_err());
        assert!(heard.words["joints.NAME.kind"].accepted.contains("revolute"));
        assert!(heard.keys["run"].given.contains("step"));
    }
}
