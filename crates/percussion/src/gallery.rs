//! The scenes that come with the program, carried inside it.

use percussion_mechanics::schemes::WITHOUT_CONTACT;
use percussion_scene::SceneError;
use std::io;
use std::path::Path;

/// A shipped scene: a folder of `scenes/`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize)]
pub struct Scene {
    /// Name of its folder.
    pub name: &'static str,
    /// One line about it.
    pub title: &'static str,
    /// What is done with it: `distance` or `run`.
    pub kind: &'static str,
    /// Schemes that can run it; none for a `distance` scene.
    pub schemes: &'static [&'static str],
    /// The lines that `percussion distance` is to answer.
    #[serde(skip)]
    pub pairs: &'static str,
    /// Scene files with their texts: `scene.toml` and its variants.
    #[serde(skip)]
    pub files: &'static [(&'static str, &'static str)],
}

/// A scene to be run, with its files, and the schemes for it if bodies collide in it.
macro_rules! run_scene {
    ($name:literal, $title:literal, [$($file:literal),+]) => {
        run_scene!($name, $title, [$($file),+], &WITHOUT_CONTACT)
    };
    ($name:literal, $title:literal, [$($file:literal),+], $schemes:expr) => {
        Scene {
            name: $name,
            title: $title,
            kind: "run",
            schemes: $schemes,
            pairs: "",
            files: &[$(($file, include_str!(concat!("../../../scenes/", $name, "/", $file)))),+],
        }
    };
}

/// All of them, by name.
pub const SCENES: &[Scene] = &[
    run_scene!("charged-pair", "Two charged dumbbells attract, pass and turn each other", ["scene.toml"]),
    run_scene!("four-bar", "A four-bar linkage: a crank drives a rocker", ["scene.toml"]),
    run_scene!(
        "free-top",
        "A body with three different moments of inertia turns freely",
        ["scene.toml", "unstable.toml"]
    ),
    run_scene!("gyroscope", "A fast top on a point, under gravity", ["scene.toml"]),
    run_scene!(
        "kepler",
        "Two bodies on eccentric orbits about each other, for a thousand revolutions",
        ["scene.toml"]
    ),
    run_scene!(
        "pendulum-chain",
        "A hanging chain of eight links on spherical joints",
        ["scene.toml", "revolute.toml"]
    ),
    run_scene!("slider-crank", "A crank drives a slider to and fro", ["scene.toml"]),
    Scene {
        name: "tetrahedra",
        title: "Two tetrahedra in eight kinds of contact",
        kind: "distance",
        schemes: &[],
        pairs: include_str!("../../../scenes/tetrahedra/pairs.jsonl"),
        files: &[],
    },
];

/// The scene of that name.
pub fn scene(name: &str) -> Option<&'static Scene> {
    SCENES.iter().find(|scene| scene.name == name)
}

/// Loads a scene to be run: `free-top`, or a variant such as `free-top/unstable`. `None` if there is no such scene.
pub fn load(
    name: &str,
    overrides: &[(String, String)],
) -> Option<Result<percussion_scene::Scene, SceneError>> {
    let (folder, variant) = name.split_once('/').unwrap_or((name, "scene"));
    let file = format!("{variant}.toml");
    let scene = scene(folder).filter(|scene| scene.files.iter().any(|(name, _)| *name == file))?;
    let carried = |path: &Path| {
        let found = scene.files.iter().find(|(name, _)| Path::new(scene.name).join(name) == path);
        found.map(|(_, text)| (*text).to_owned()).ok_or_else(|| io::Error::from(io::ErrorKind::NotFound))
    };
    Some(percussion_scene::Scene::read(Path::new(folder).join(&file), overrides, &carried))
}
