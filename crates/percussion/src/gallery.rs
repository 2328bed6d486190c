//! The scenes that come with the program.

/// A shipped scene: a folder of `scenes/`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize)]
pub struct Scene {
    /// Name of its folder.
    pub name: &'static str,
    /// One line about it.
    pub title: &'static str,
    /// What is done with it: `distance`.
    pub kind: &'static str,
    /// Schemes that can run it; none for a `distance` scene.
    pub schemes: &'static [&'static str],
    /// The lines that `percussion distance` is to answer.
    #[serde(skip)]
    pub pairs: &'static str,
}

/// All of them, by name.
pub const SCENES: &[Scene] = &[Scene {
    name: "tetrahedra",
    title: "Two tetrahedra in eight kinds of contact",
    kind: "distance",
    schemes: &[],
    pairs: include_str!("../../../scenes/tetrahedra/pairs.jsonl"),
}];

/// The scene of that name.
pub fn scene(name: &str) -> Option<&'static Scene> {
    SCENES.iter().find(|scene| scene.name == name)
}
