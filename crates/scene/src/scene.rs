//! A scene: source text, expanded and built into a model, its initial state and settings.

use crate::complaint::SceneError;
use crate::expand;
use crate::read;
pub use crate::read::Scene;
use crate::report::Report;
use crate::tree::print;
use crate::vocabulary::Vocabulary;
use std::io;
use std::path::Path;

impl Scene {
    /// Reads a scene file. Overrides are pairs of a path such as `run.step` or `bodies.top.mass` and a TOML value.
    pub fn load(path: impl AsRef<Path>, overrides: &[(String, String)]) -> Result<Self, SceneError> {
        Self::read(path, overrides, &|path| std::fs::read_to_string(path))
    }

    /// Reads a scene from a text. `name` is used in complaints; included files are searched in `folder`.
    pub fn parse(
        text: &str,
        name: &str,
        folder: impl AsRef<Path>,
        overrides: &[(String, String)],
    ) -> Result<Self, SceneError> {
        let path = folder.as_ref().join(name);
        Self::read(&path, overrides, &|requested| match requested == path {
            true => Ok(text.to_owned()),
            false => std::fs::read_to_string(requested),
        })
    }

    /// Reads a scene with all files taken from `files`.
    pub fn read(
        path: impl AsRef<Path>,
        overrides: &[(String, String)],
        files: &dyn Fn(&Path) -> io::Result<String>,
    ) -> Result<Self, SceneError> {
        Self::read_with(Report::default(), path.as_ref(), overrides, files).0
    }

    /// Reads a scene and records its keys and words, with those that are accepted beside them, in a vocabulary.
    pub fn read_recording(
        vocabulary: &mut Vocabulary,
        path: impl AsRef<Path>,
        files: &dyn Fn(&Path) -> io::Result<String>,
    ) -> Result<Self, SceneError> {
        let report = Report::recording(std::mem::take(vocabulary));
        let (outcome, recorded) = Self::read_with(report, path.as_ref(), &[], files);
        *vocabulary = recorded.unwrap_or_default();
        outcome
    }

    /// Reads a scene with a report; returns the vocabulary too, if the report records one.
    fn read_with(
        mut report: Report,
        path: &Path,
        overrides: &[(String, String)],
        files: &dyn Fn(&Path) -> io::Result<String>,
    ) -> (Result<Self, SceneError>, Option<Vocabulary>) {
        let outcome = expand::expand(&report, path, overrides, files)
            .and_then(|root| Ok((read::build(&report, &root)?, root)));
        let clean = report.is_clean();
        let vocabulary = report.take_vocabulary();
        let (complaints, warnings) = report.finish();
        let scene = match outcome {
            // The root is a table: it was built from one.
            Ok((scene, root)) if clean => Ok(Self {
                name: name_of(path),
                resolved: root.table().map(print).unwrap_or_default(),
                warnings,
                ..scene
            }),
            _ => Err(SceneError { complaints }),
        };
        (scene, vocabulary)
    }
}

/// The name of a scene or study: that of its folder if the file is called `scene.toml` or `study.toml`, otherwise that of the file.
pub(crate) fn name_of(path: &Path) -> String {
    let stem = path.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default();
    let folder = path.parent().and_then(Path::file_name).map(|name| name.to_string_lossy().into_owned());
    match folder {
        Some(folder) if stem == "scene" || stem == "study" => folder,
        _ => stem,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reading_a_scene_records_accepted_and_given_keys() {
        let text = "[run]\nstep = 1e-3\nuntil = 1\nscheme = \"variational\"\n[bodies.ball]\nshape = { sphere = 1 }\nmass = 1\n\
                    [forces.pull]\nkind = \"spring\"\na = \"ball\"\nb = { world = [0, 0, 1] }\nstiffness = 1";
        let mut vocabulary = Vocabulary::default();
        let scene = Scene::read_recording(&mut vocabulary, "scene.toml", &|_| Ok(text.to_owned())).unwrap();
        assert_eq!(scene.model.bodies.len(), 1);
        let run = &vocabulary.keys["run"];
        assert!(run.accepted.contains("seed") && run.unused().any(|key| key == "seed"));
        assert!(!run.unused().any(|key| key == "step"));
        let pull: Vec<&str> = vocabulary.keys["forces.NAME(spring)"].unused().collect();
        assert_eq!(pull, ["damping", "rest_length"]);
        assert!(vocabulary.words["run.scheme"].unused().any(|word| word == "exact"));
        assert!(vocabulary.words["forces.NAME.kind"].given.contains("spring"));
        // A scene that is refused is recorded too.
        let wrong = |_: &Path| Ok("[joints.pin]\nkind = \"pin\"".to_owned());
        assert!(Scene::read_recording(&mut vocabulary, "scene.toml", &wrong).is_err());
        assert!(vocabulary.words["joints.NAME.kind"].accepted.contains("revolute"));
        assert!(vocabulary.keys["run"].given.contains("step"));
    }
}
