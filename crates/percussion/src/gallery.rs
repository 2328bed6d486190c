//! The scenes and studies that are compiled into the program.

use percussion_mechanics::schemes::SchemeKind;
use percussion_scene::SceneError;
use percussion_scene::study::Study;
use std::io;
use std::path::Path;

/// A shipped scene: a folder of `scenes/`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Scene {
    /// Name of its folder.
    pub name: &'static str,
    /// One line about it.
    pub title: &'static str,
    /// What is done with it: `distance`, `run`, `plan`, `shoot` (by the command `plan`) or `sweep`.
    pub kind: &'static str,
    /// The lines that `percussion distance` is to answer.
    pub pairs: &'static str,
    /// Scene files with their texts: `scene.toml` and its variants, or `study.toml`.
    pub files: &'static [(&'static str, &'static str)],
}

/// A shipped scene with the texts of its files.
macro_rules! shipped {
    ($kind:literal, $name:literal, $title:literal, $($file:literal),+) => {
        Scene {
            name: $name,
            title: $title,
            kind: $kind,
            pairs: "",
            files: &[$(($file, include_str!(concat!("../../../scenes/", $name, "/", $file)))),+],
        }
    };
}

/// A scene to be run, with its variants.
macro_rules! run_scene {
    ($name:literal, $title:literal $(, $file:literal)*) => { shipped!("run", $name, $title, "scene.toml" $(, $file)*) };
}

/// A scene with a plan to be solved, with its variants.
macro_rules! plan_scene {
    ($name:literal, $title:literal $(, $file:literal)*) => { shipped!("plan", $name, $title, "scene.toml" $(, $file)*) };
}

/// A scene whose initial conditions are to be found.
macro_rules! shoot_scene {
    ($name:literal, $title:literal) => {
        shipped!("shoot", $name, $title, "scene.toml")
    };
}

/// A study of one or several of the scenes.
macro_rules! study {
    ($name:literal, $title:literal) => {
        shipped!("sweep", $name, $title, "study.toml")
    };
}

/// All of them, by name.
pub const SCENES: &[Scene] = &[
    plan_scene!(
        "articulated-manipulator",
        "A chain of four links reaches through a hole and hooks itself behind the wall"
    ),
    run_scene!("balance2", "A balanced plank is hit by a square and throws everything off"),
    study!("balance2-gamma", "Less stabilisation, more violation: balance2 against gamma"),
    study!("balance2-steps", "How far balance2 violates its constraints, against the step"),
    run_scene!("bead-chain", "Four beads on links bounce about in a box"),
    run_scene!("bolted-car", "Two wheels, bolted together by a rod, roll through a valley"),
    run_scene!("brazil-nut", "A large body among 269 small ones rises to the top of a shaken box"),
    plan_scene!(
        "cartwheel",
        "A robot turns a cartwheel over five footholds, driven by shoulders and hips alone",
        "sketch.toml"
    ),
    run_scene!("charged-pair", "Two charged dumbbells attract, pass and turn each other"),
    plan_scene!("cube-wall", "A cube turns round by hitting a wall, and straightens itself on the way"),
    plan_scene!(
        "cube-wall-penalty",
        "A cube turns round by sinking into a soft wall and being pushed out again"
    ),
    plan_scene!(
        "dice-throw",
        "A die is thrown against a wall so that it lands on a sticky floor with a chosen face up"
    ),
    run_scene!("dice3", "A cube falls over the edge of another"),
    study!("dice3-steps", "How far dice3 violates its constraints, against the step"),
    run_scene!(
        "falling-cube",
        "A cube falls flat on the floor and bounces to where it came from",
        "tilted.toml",
        "decomposition.toml",
        "decomposition-tilted.toml",
        "potential.toml"
    ),
    run_scene!("falling-cube-inelastic", "A tilted cube falls on a rough floor and comes to rest on a face"),
    run_scene!(
        "falling-polyhedra",
        "Seven polyhedra fall on a floor and into each other",
        "decomposition.toml",
        "potential.toml"
    ),
    run_scene!("four-bar", "A four-bar linkage: a crank drives a rocker"),
    run_scene!("free-top", "A body with three different moments of inertia turns freely", "unstable.toml"),
    run_scene!("gyroscope", "A fast top on a point, under gravity"),
    run_scene!("hexagons-plane-clump", "Sixteen charged hexagons of the plane lock into a regular grid"),
    run_scene!("hexagons-plane-disperse", "Sixteen hexagons of the plane run into each other and disperse"),
    run_scene!(
        "hexagons-seven",
        "Seven charged hexagonal prisms assemble into a flower",
        "elastic.toml",
        "exact.toml",
        "potential.toml"
    ),
    run_scene!("hexagons-two", "Two charged hexagonal prisms pull each other together", "discrete.toml"),
    run_scene!("kepler", "Two bodies on eccentric orbits about each other, for a thousand revolutions"),
    plan_scene!("knot-burr", "Three pieces of a burr puzzle assemble themselves"),
    run_scene!(
        "metronome",
        "Two prisms on a common joint swing and hit each other, edge on face",
        "discrete.toml",
        "decomposition.toml",
        "potential.toml",
        "potential-fine.toml"
    ),
    run_scene!(
        "newtons-cradle-1",
        "One cube runs into four in a row, and the last one leaves",
        "decomposition.toml",
        "potential.toml"
    ),
    run_scene!(
        "newtons-cradle-2",
        "Two cubes run into three at rest from both sides",
        "decomposition.toml",
        "potential.toml"
    ),
    study!("order-of-schemes", "How the energy errors of three schemes fall with the step"),
    run_scene!("pendulum-chain", "A hanging chain of eight links on spherical joints", "revolute.toml"),
    run_scene!(
        "pendulum-floor",
        "A pendulum strikes a floor: only what its rod allows is reflected",
        "spherical.toml"
    ),
    run_scene!(
        "persistent-contact",
        "A tilted disc rolls steadily",
        "box.toml",
        "ladder.toml",
        "arm.toml",
        "ball.toml",
        "block.toml"
    ),
    study!("persistent-contact-schemes", "Persistent contact under three schemes"),
    study!("persistent-contact-steps", "How the errors of persistent contact fall with the step"),
    run_scene!("plastic-pair-1", "A cube meets another one at rest and they go on together"),
    run_scene!("plastic-pair-2", "Two cubes meet and stay where they are"),
    run_scene!("pyramid1", "A triangle tips the first of nine rectangles, and they fall like dominoes"),
    study!("pyramid1-steps", "How far pyramid1 violates its constraints, against the step"),
    run_scene!("robot-hand", "A hand grasps a block and lifts it by friction", "exact.toml"),
    plan_scene!(
        "satellite-reconfiguration",
        "A small satellite undocks, flies around another and docks with its fork"
    ),
    run_scene!("setup6", "A cube falls on a tetrahedron in a corner"),
    study!("setup6-steps", "How far setup6 violates its constraints, against the step"),
    shoot_scene!("shooting-circle", "A disc is thrown so that it comes back at an angle, off floor and wall"),
    shoot_scene!(
        "shooting-ellipse",
        "An ellipse is thrown so that it comes back at an angle, off floor and wall"
    ),
    run_scene!("slider-crank", "A crank drives a slider to and fro"),
    Scene {
        name: "tetrahedra",
        title: "Two tetrahedra in eight kinds of contact",
        kind: "distance",
        pairs: include_str!("../../../scenes/tetrahedra/pairs.jsonl"),
        files: &[],
    },
    plan_scene!("two-cubes", "A cube pushes another out of its way with two blows"),
    run_scene!("wedge-elastic", "A wedge falls on a floor that takes nothing"),
    run_scene!("wedge-frictional", "A wedge falls on a rough floor that takes half of the normal velocity"),
    run_scene!(
        "wedge-frictionless",
        "A wedge falls on a smooth floor that takes half of the normal velocity"
    ),
    run_scene!("wedge-plastic", "A wedge falls on a floor at which the point that touches stops"),
];

/// The scene of that name.
pub fn scene(name: &str) -> Option<&'static Scene> {
    SCENES.iter().find(|scene| scene.name == name)
}

/// Loads a scene of any kind: `free-top`, or a variant such as `free-top/unstable`. `None` if there is no such scene.
pub fn load(
    name: &str,
    overrides: &[(String, String)],
) -> Option<Result<percussion_scene::Scene, SceneError>> {
    let (folder, variant) = name.split_once('/').unwrap_or((name, "scene"));
    let file = format!("{variant}.toml");
    let built = |scene: &&Scene| ["run", "plan", "shoot"].contains(&scene.kind);
    let runs = |scene: &&Scene| built(scene) && scene.files.iter().any(|(name, _)| *name == file);
    let scene = scene(folder).filter(runs)?;
    let path = Path::new(folder).join(&file);
    Some(percussion_scene::Scene::read(path, overrides, &|path| scene.carried(path)))
}

/// Loads a study: `order-of-schemes`. `None` if there is no such study.
pub fn study(name: &str) -> Option<Result<Study, SceneError>> {
    let scene = scene(name).filter(|scene| scene.kind == "sweep")?;
    Some(Study::read(Path::new(name).join("study.toml"), &|path| scene.carried(path)))
}

impl Scene {
    /// The schemes whose capabilities cover it; none for a `distance` scene, a plan, a shooting problem or a study.
    pub fn schemes(&self) -> Vec<SchemeKind> {
        if self.kind != "run" {
            return Vec::new();
        }
        let Some(Ok(scene)) = load(self.name, &[]) else { return Vec::new() };
        let damping = scene.contact.as_ref().and_then(|contact| contact.potential).map_or(0.0, |p| p.drag);
        SchemeKind::ALL.into_iter().filter(|kind| kind.check(&scene.model, damping).is_ok()).collect()
    }

    /// A file of its folder.
    fn carried(&self, path: &Path) -> io::Result<String> {
        let found = self.files.iter().find(|(name, _)| Path::new(self.name).join(name) == path);
        found.map(|(_, text)| (*text).to_owned()).ok_or_else(|| io::Error::from(io::ErrorKind::NotFound))
    }
}
