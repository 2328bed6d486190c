//! The scene a command is about: a file, a folder with a `scene.toml`, or a name from the gallery.

use std::path::Path;

use anyhow::{Result, bail};
use percussion::gallery::{self, SCENES};
use percussion::scene::{Scene, SceneError, nearest};

use super::Told;

/// What the user says about a scene.
#[derive(Debug, clap::Args)]
pub struct Asked {
    /// A scene file, a folder with a scene.toml, or a name from the gallery
    pub scene: String,

    /// Integrator, instead of the scene's `run.scheme`; `run` takes several, separated by commas
    #[arg(long, value_name = "NAME")]
    pub scheme: Option<String>,

    /// Changes a value of the scene, such as run.step=1e-4 or bodies.top.mass=2; may be repeated
    #[arg(long = "set", value_name = "PATH=VALUE")]
    set: Vec<String>,

    /// When to stop (seconds), instead of the scene's `run.until`
    #[arg(long, value_name = "T", allow_negative_numbers = true)]
    until: Option<f64>,

    /// Keep every N-th state, instead of the scene's `run.every`
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    every: Option<u64>,

    /// Move bodies apart that overlap at the start, as `project_start = true` in [contact]
    #[arg(long)]
    project_start: bool,
}

impl Asked {
    /// Reads it, or says everything that is wrong with it.
    pub fn load(&self) -> Result<Scene> {
        self.read(&self.scene, self.scheme.as_deref())
    }

    /// Reads another scene, or with another scheme, with the same changes.
    pub fn read(&self, asked: &str, scheme: Option<&str>) -> Result<Scene> {
        let overrides = self.overrides(scheme)?;
        let Some(read) = named(asked, Path::new(""), &overrides) else {
            bail!("{}", unknown(asked));
        };
        match read {
            Ok(scene) => Ok(scene),
            Err(error) => bail!(Told(error.to_string())),
        }
    }

    /// What is changed, in the order it is applied: `--set` first, then the options with names of their own.
    fn overrides(&self, scheme: Option<&str>) -> Result<Vec<(String, String)>> {
        let mut all = changes(&self.set)?;
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

/// What `--set path=value` changes.
pub fn changes(set: &[String]) -> Result<Vec<(String, String)>> {
    let mut all = Vec::new();
    for change in set {
        let Some((path, value)) = change.split_once('=') else {
            bail!("--set {change} has no `=`; write --set path=value, such as --set run.step=1e-4");
        };
        all.push((path.trim().to_owned(), value.trim().to_owned()));
    }
    Ok(all)
}

/// Reads a scene: a file or a folder with a `scene.toml`, looked for in `folder`, or a name from the gallery. `None` if there is none.
pub fn named(
    asked: &str,
    folder: &Path,
    overrides: &[(String, String)],
) -> Option<Result<Scene, SceneError>> {
    let path = folder.join(asked);
    let inside = path.join("scene.toml");
    if path.is_file() {
        Some(Scene::load(path, overrides))
    } else if inside.is_file() {
        Some(Scene::load(inside, overrides))
    } else {
        // A variant such as free-top/unstable is called by both its names.
        let own = |scene: Scene| Scene { name: asked.replace('/', "-"), ..scene };
        gallery::load(asked, overrides).map(|read| read.map(own))
    }
}

/// What to say when there is no such scene.
pub fn unknown(name: &str) -> String {
    let built = |scene: &&gallery::Scene| ["run", "plan"].contains(&scene.kind);
    if let Some(scene) = gallery::scene(name).filter(|scene| !built(scene)) {
        let example = if scene.kind == "distance" { "--example " } else { "" };
        return format!("`{name}` is not a scene to run; try: percussion {} {example}{name}", scene.kind);
    }
    let names = SCENES.iter().filter(built).map(|scene| scene.name);
    let hint = match nearest(name, names) {
        Some(near) => format!("did you mean `{near}`?"),
        None => "`percussion gallery` lists the scenes that come with the program".to_owned(),
    };
    format!("there is no file and no gallery scene `{name}`; {hint}")
}
