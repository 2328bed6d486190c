//! The scene of a command: a file, a folder with a `scene.toml`, or a name from the gallery.

use std::path::Path;

use anyhow::{Result, bail};
use percussion::gallery::{self, SCENES};
use percussion::scene::{Scene, SceneError, nearest};

use super::SceneComplaints;

/// Arguments for a scene.
#[derive(Debug, clap::Args)]
pub struct SceneArguments {
    /// A scene file, a folder with a scene.toml, or a name from the gallery
    pub scene: String,

    /// Time integration scheme [default: `run.scheme` of the scene]; `run` takes several, separated by commas
    #[arg(long, value_name = "NAME")]
    pub scheme: Option<String>,

    /// Override a value of the scene, such as run.step=1e-4 or bodies.top.mass=2; may be repeated
    #[arg(long = "set", value_name = "PATH=VALUE")]
    set: Vec<String>,

    /// End time in seconds [default: `run.until` of the scene]
    #[arg(long, value_name = "T", allow_negative_numbers = true)]
    until: Option<f64>,

    /// Write every N-th state to the trajectory [default: `run.every` of the scene]
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    every: Option<u64>,

    /// Separate bodies that penetrate each other at the start, as `project_start = true` in [contact]
    #[arg(long)]
    project_start: bool,
}

impl SceneArguments {
    /// Reads the scene, or returns all complaints.
    pub fn load(&self) -> Result<Scene> {
        self.read(&self.scene, self.scheme.as_deref())
    }

    /// Reads a scene with these overrides and a scheme.
    pub fn read(&self, name: &str, scheme: Option<&str>) -> Result<Scene> {
        let overrides = self.all_overrides(scheme)?;
        let Some(read) = named(name, Path::new(""), &overrides) else {
            bail!("{}", unknown_scene(name));
        };
        match read {
            Ok(scene) => Ok(scene),
            Err(error) => bail!(SceneComplaints(error.to_string())),
        }
    }

    /// All overrides in their order: `--set` first, then the other options.
    fn all_overrides(&self, scheme: Option<&str>) -> Result<Vec<(String, String)>> {
        let mut all = overrides(&self.set)?;
        let named = [
            ("run.scheme", scheme.map(str::to_owned)),
            ("run.until", self.until.map(|t| format!("{t:?}"))),
            ("run.every", self.every.map(|n| n.to_string())),
            ("contact.project_start", self.project_start.then(|| "true".to_owned())),
        ];
        all.extend(named.into_iter().filter_map(|(path, value)| Some((path.to_owned(), value?))));
        Ok(all)
    }
}

/// The overrides of `--set path=value`.
pub fn overrides(set: &[String]) -> Result<Vec<(String, String)>> {
    let mut all = Vec::new();
    for change in set {
        let Some((path, value)) = change.split_once('=') else {
            bail!("--set {change} has no `=`; write --set path=value, such as --set run.step=1e-4");
        };
        all.push((path.trim().to_owned(), value.trim().to_owned()));
    }
    Ok(all)
}

/// Reads a scene: a file or a folder with a `scene.toml`, searched in `folder`, or a name from the gallery. None if there is none.
pub fn named(name: &str, folder: &Path, overrides: &[(String, String)]) -> Option<Result<Scene, SceneError>> {
    let path = folder.join(name);
    let inside = path.join("scene.toml");
    if path.is_file() {
        Some(Scene::load(path, overrides))
    } else if inside.is_file() {
        Some(Scene::load(inside, overrides))
    } else {
        // A variant such as free-top/unstable has the name of both.
        let own = |scene: Scene| Scene { name: name.replace('/', "-"), ..scene };
        gallery::load(name, overrides).map(|read| read.map(own))
    }
}

/// The error for an unknown scene.
pub fn unknown_scene(name: &str) -> String {
    let built = |scene: &&gallery::Scene| ["run", "plan"].contains(&scene.kind);
    if let Some(scene) = gallery::scene(name).filter(|scene| !built(scene)) {
        let example = if scene.kind == "distance" { "--example " } else { "" };
        return format!("`{name}` is not a scene to run; try: percussion {} {example}{name}", scene.kind);
    }
    let names = SCENES.iter().filter(built).map(|scene| scene.name);
    let hint = match nearest(name, names) {
        Some(near) => format!("did you mean `{near}`?"),
        None => "`percussion gallery` lists the scenes of the gallery".to_owned(),
    };
    format!("there is no file and no gallery scene `{name}`; {hint}")
}
