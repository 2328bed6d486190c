//! A scene: read, expanded, built.

use crate::complaint::SceneError;
use crate::expand;
use crate::read::{self, ContactSettings, Material, PlanSettings, RunSettings, ShootSettings};
use crate::report::Report;
use crate::tree::print;
use crate::vocabulary::Vocabulary;
use percussion_mechanics::{Model, State};
use std::io;
use std::path::Path;

/// A scene file, built: the model, its first state, and how to run it.
#[derive(Clone, Debug)]
pub struct Scene {
    /// The name of its folder or file.
    pub name: String,
    /// One line about it.
    pub title: String,
    /// What it shows.
    pub description: String,
    /// Everything that time does not change.
    pub model: Model,
    /// Everything that it does, at time zero.
    pub state: State,
    /// How to run it.
    pub run: RunSettings,
    /// What is said about contact; without it nothing collides.
    pub contact: Option<ContactSettings>,
    /// A manoeuvre that is wanted, if the scene has a `[plan]`.
    pub plan: Option<PlanSettings>,
    /// A shot that is wanted, if the scene has a `[shoot]`.
    pub shoot: Option<ShootSettings>,
    /// The materials.
    pub materials: Vec<Material>,
    /// The material of each body, as its place in the list.
    pub body_materials: Vec<Option<usize>>,
    /// The colour of each body, red, green and blue, where the scene gives one.
    pub body_colours: Vec<Option<[u8; 3]>>,
    /// The scene with files, overrides, templates and patterns written out. It loads to the same model, bit for bit.
    pub resolved: String,
    /// What is odd but not wrong.
    pub warnings: Vec<String>,
}

impl Scene {
    /// Reads a scene file. Overrides are pairs of a path such as `run.step` or `bodies.top.mass` and a TOML value.
    pub fn load(path: impl AsRef<Path>, overrides: &[(String, String)]) -> Result<Self, SceneError> {
        Self::read(path, overrides, &|path| std::fs::read_to_string(path))
    }

    /// Reads a scene from a text. `name` is what complaints call it; files it includes are looked for in `folder`.
    pub fn parse(
        text: &str,
        name: &str,
        folder: impl AsRef<Path>,
        overrides: &[(String, String)],
    ) -> Result<Self, SceneError> {
        let path = folder.as_ref().join(name);
        Self::read(&path, overrides, &|asked| match asked == path {
            true => Ok(text.to_owned()),
            false => std::fs::read_to_string(asked),
        })
    }

    /// Reads a scene with all files taken from `files`.
    pub fn read(
        path: impl AsRef<Path>,
        overrides: &[(String, String)],
        files: &dyn Fn(&Path) -> io::Result<String>,
    ) -> Result<Self, SceneError> {
        Self::read_into(Report::default(), path.as_ref(), overrides, files).0
    }

    /// Reads a scene; the report may be one that listens.
    pub(crate) fn read_into(
        mut report: Report,
        path: &Path,
        overrides: &[(String, String)],
        files: &dyn Fn(&Path) -> io::Result<String>,
    ) -> (Result<Self, SceneError>, Option<Vocabulary>) {
        let outcome = expand::expand(&report, path, overrides, files)
            .and_then(|root| Ok((read::build(&report, &root)?, root)));
        let clean = report.is_clean();
        let heard = report.heard();
        let (complaints, warnings) = report.finish();
        let scene = match outcome {
            Ok((built, root)) if clean => Ok(Self {
                name: name_of(path),
                title: built.title,
                description: built.description,
                model: built.model,
                state: built.state,
                run: built.run,
                contact: built.contact,
                plan: built.plan,
                shoot: built.shoot,
                materials: built.materials,
                body_materials: built.body_materials,
                body_colours: built.body_colours,
                // The root is a table: it was built from one.
                resolved: root.table().map(print).unwrap_or_default(),
                warnings,
            }),
            _ => Err(SceneError { complaints }),
        };
        (scene, heard)
    }
}

/// The name of a scene: that of its folder if the file is called `scene.toml`, otherwise that of the file. So it is with `study.toml`.
pub(crate) fn name_of(path: &Path) -> String {
    let stem = path.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default();
    let folder = path.parent().and_then(Path::file_name).map(|name| name.to_string_lossy().into_owned());
    match folder {
        Some(folder) if stem == "scene" || stem == "study" => folder,
        _ => stem,
    }
}
