//! The pictures of the gallery. `cargo run --release -p percussion --example pictures [NAME...]` runs its scenes, each as far as
//! its picture goes, or plans them, and draws them into `docs/src/pictures/gallery`, where the guide and the README find them; without names,
//! all of them. A name is that of a scene, or of a variant: `free-top/unstable`.
//!
//! One table has the options of all pictures: instants side by side for events in sequence, overlaid for paths. Instants are
//! rows of the run.
#![allow(missing_docs, clippy::print_stdout)]

use percussion::gallery;
use percussion::report::Recording;
use percussion::report::still::{self, Options, Picture};
use percussion::scene::run::{plan, run, shoot};
use percussion::solve::nlp::CallbackAction;
use std::error::Error;
use std::fs;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

/// Where the pictures are.
pub const FOLDER: &str = "docs/src/pictures/gallery";

/// Rows that are kept of a run, at most: enough for smooth paths.
const ROWS: u64 = 10_000;

/// How instants are laid out.
#[derive(Clone, Copy)]
enum Kind {
    /// Side by side.
    Strip,
    /// One over the other, with the paths between the first and the last.
    Overlay,
}
use Kind::{Overlay, Strip};

/// A picture of a scene.
pub struct FigureResult {
    /// The scene, or a variant of it.
    pub name: &'static str,
    kind: Kind,
    /// Seconds.
    times: &'static [f64],
    /// Width and height at most, pixels.
    size: (usize, usize),
    /// Azimuth and elevation, where another view than the renderer's is better.
    view: Option<[f64; 2]>,
    /// Impulses so near to an instant are drawn, s.
    impulses: Option<f64>,
}

/// A picture, seen as the renderer chooses, without impulses.
const fn drawn(name: &'static str, kind: Kind, times: &'static [f64], size: (usize, usize)) -> FigureResult {
    FigureResult { name, kind, times, size, view: None, impulses: None }
}

impl FigureResult {
    const fn from(self, azimuth: f64, elevation: f64) -> Self {
        Self { view: Some([azimuth, elevation]), ..self }
    }

    const fn with_impulses(self, within: f64) -> Self {
        Self { impulses: Some(within), ..self }
    }
}

/// A thousandth part of Kepler's thousand revolutions in twenty equal times.
const REVOLUTION: [f64; 21] = {
    let mut times = [0.0; 21];
    let mut k = 0;
    while k < times.len() {
        times[k] = std::f64::consts::TAU * k as f64 / 20.0;
        k += 1;
    }
    times
};

/// All pictures.
pub const PICTURES: &[FigureResult] = &[
    drawn("articulated-manipulator", Strip, &[0.0, 0.08, 0.16, 0.2, 0.24, 0.3], (960, 360))
        .from(-100.0, 12.0),
    drawn("balance2", Strip, &[0.0, 0.6, 1.0, 1.5, 2.0, 4.0], (900, 520)),
    drawn("bolted-car", Overlay, &[0.0, 1.0, 1.6, 2.1, 2.6, 3.2], (840, 400)),
    // Before the shakes, after twenty and thirty, and at rest after forty.
    drawn("brazil-nut", Strip, &[1.6, 5.7, 7.7, 10.6], (840, 230)).from(-90.0, 8.0),
    drawn("dice3", Strip, &[0.0, 0.4, 0.7, 1.0, 1.3, 3.0], (960, 480)),
    drawn("robot-hand", Strip, &[0.0, 0.3, 0.5, 1.0, 1.4, 2.2], (960, 520)).from(-62.0, 14.0),
    drawn("pyramid1", Strip, &[0.0, 0.7, 1.2, 1.7, 2.2, 10.0], (900, 400)),
    drawn("setup6", Strip, &[0.0, 0.4, 0.6, 0.9, 1.3, 6.0], (960, 640)),
    drawn(
        "bead-chain",
        Overlay,
        &[0.0, 50.0, 100.0, 150.0, 200.0, 250.0, 300.0, 350.0, 400.0, 450.0, 500.0],
        (600, 600),
    ),
    // On each limb in turn.
    drawn("cartwheel", Overlay, &[0.0, 0.22, 0.421, 0.822, 1.05, 1.293, 2.0], (880, 390)).from(-90.0, 6.0),
    drawn("charged-pair", Overlay, &[0.0, 4.0, 8.0, 11.0, 14.0, 17.0, 20.0], (800, 450)).from(-90.0, 90.0),
    // Tilted, flat at the wall, and on the way back.
    drawn("cube-wall", Strip, &[0.0, 0.1, 0.217, 0.4, 0.75], (960, 240)).from(28.0, 16.0).with_impulses(0.01),
    drawn("cube-wall-penalty", Strip, &[0.0, 0.195, 0.255, 0.315, 0.75], (960, 240)).from(28.0, 16.0),
    drawn("dice-throw", Overlay, &[0.0, 0.08, 0.154, 0.164, 0.24, 0.33, 0.404, 0.48, 0.6], (840, 520))
        .from(-70.0, 14.0),
    drawn("falling-cube", Strip, &[0.0, 0.2, 0.378, 0.56, 0.755], (960, 340))
        .from(-62.0, 12.0)
        .with_impulses(0.002),
    drawn("falling-cube/tilted", Strip, &[0.0, 0.34, 0.45, 0.6, 0.75, 0.9], (960, 300)).from(-62.0, 14.0),
    drawn("falling-cube-inelastic", Overlay, &[0.0, 0.2, 0.34, 0.5, 0.7, 5.0], (960, 540)),
    drawn("falling-polyhedra", Strip, &[0.2, 0.345, 0.38, 0.42, 0.48, 0.6], (740, 450)).from(-62.0, 14.0),
    drawn("four-bar", Strip, &[0.0, 0.07, 0.17, 0.22, 0.26, 0.32], (960, 480)).from(-90.0, 0.0),
    drawn("free-top", Strip, &[0.0, 0.1, 0.2, 0.3, 0.4, 0.5], (840, 480)),
    // Half quaternions apart: what is left is the turning over.
    drawn("free-top/unstable", Strip, &[0.0, 1.257, 1.571, 1.885, 2.199, 2.513], (840, 480)),
    drawn("gyroscope", Overlay, &[0.0, 1.35, 3.1], (720, 540)).from(-80.0, 28.0),
    drawn("hexagons-plane-clump", Strip, &[0.0, 0.14, 0.28, 0.42, 0.6, 1.0], (900, 520)),
    drawn("hexagons-plane-disperse", Strip, &[0.0, 0.3, 0.6, 1.0, 2.0, 4.0], (900, 520)),
    drawn("hexagons-seven", Strip, &[0.0, 6.5], (960, 480)).from(-62.0, 60.0),
    drawn("hexagons-two", Strip, &[0.0, 0.46, 0.56, 0.64], (960, 540)).with_impulses(0.01),
    drawn("kepler", Overlay, &REVOLUTION, (960, 540)).from(-90.0, 90.0),
    // Apart, blue in apricot, teal through blue, and one piece.
    drawn("knot-burr", Strip, &[0.0, 0.1, 0.16, 0.2, 0.24, 0.29], (960, 520)).from(-40.0, 32.0),
    drawn("persistent-contact", Strip, &[0.0, 0.1, 0.2, 0.3, 0.4, 0.5], (960, 440)),
    drawn("persistent-contact/ladder", Overlay, &[0.0, 0.12, 0.2, 0.27, 0.336, 0.4], (600, 440))
        .from(-90.0, 4.0),
    drawn("metronome", Strip, &[0.0, 0.3, 0.57, 0.87, 1.17], (960, 400))
        .from(-78.0, 10.0)
        .with_impulses(0.012),
    drawn("newtons-cradle-1", Strip, &[0.0, 1.35, 1.62, 1.89, 2.16, 3.0], (960, 400))
        .from(-72.0, 14.0)
        .with_impulses(0.01),
    drawn("newtons-cradle-2", Strip, &[0.0, 1.35, 1.38, 3.0], (960, 400))
        .from(-72.0, 14.0)
        .with_impulses(0.01),
    drawn("pendulum-chain", Overlay, &[0.0, 0.2, 0.4, 0.6, 0.8, 1.0, 1.2], (960, 540)),
    drawn("pendulum-floor", Overlay, &[0.0, 0.12, 0.22, 0.32, 0.421], (840, 480))
        .from(-78.0, 10.0)
        .with_impulses(0.005),
    drawn("pendulum-floor/spherical", Overlay, &[0.0, 0.14, 0.28, 0.42, 0.56, 0.7, 0.84], (720, 480)),
    drawn("plastic-pair-1", Strip, &[0.0, 0.29, 1.0], (960, 240)).from(-72.0, 14.0).with_impulses(0.01),
    drawn("plastic-pair-2", Strip, &[0.0, 0.15, 1.0], (960, 240)).from(-72.0, 14.0).with_impulses(0.01),
    drawn("satellite-reconfiguration", Strip, &[0.0, 0.1, 0.16, 0.22, 0.26, 0.3], (960, 420))
        .from(-70.0, 30.0),
    drawn("shooting-circle", Overlay, &[0.0, 0.14, 0.28, 0.4, 0.511, 0.66, 0.7908, 0.9, 1.0228], (840, 640)),
    drawn(
        "shooting-ellipse",
        Overlay,
        &[0.0, 0.15, 0.3, 0.44, 0.5686, 0.72, 0.87, 0.9868, 1.11, 1.2518],
        (840, 690),
    ),
    drawn("slider-crank", Strip, &[0.0, 0.2, 0.28, 0.39, 0.47, 0.53], (960, 540)),
    drawn("two-cubes", Strip, &[0.0, 0.1975, 0.39, 0.5], (960, 300)).from(-55.0, 35.0).with_impulses(0.004),
    drawn("wedge-elastic", Overlay, &[0.0, 0.2, 0.36, 0.6, 0.86, 1.2, 1.45], (720, 420)),
    drawn("wedge-frictional", Overlay, &[0.0, 0.2, 0.36, 0.48, 1.5], (720, 420)),
    drawn("wedge-frictionless", Overlay, &[0.0, 0.2, 0.36, 0.5, 1.0, 1.5, 2.0], (720, 420)),
    drawn("wedge-plastic", Overlay, &[0.0, 0.2, 0.36, 0.375, 1.0], (720, 420)),
];

impl FigureResult {
    /// The name of its file.
    pub fn file(&self) -> String {
        format!("{}.png", self.name.replace('/', "-"))
    }

    /// Runs the scene and draws it.
    pub fn draw(&self) -> Result<Picture, Box<dyn Error>> {
        let place = format!("percussion-picture-{}-{}", std::process::id(), self.file());
        let folder = std::env::temp_dir().join(place);
        let recording = self.recorded(&folder);
        if folder.exists() {
            fs::remove_dir_all(&folder)?;
        }
        let (recording, options) = (recording?, self.options());
        Ok(match self.kind {
            Strip => still::strip(&recording, self.times, &options),
            Overlay => still::overlay(&recording, self.times, &options),
        })
    }

    /// The run as far as it is drawn, or the whole plan.
    fn recorded(&self, folder: &Path) -> Result<Recording, Box<dyn Error>> {
        let load = |overrides: &[(String, String)]| {
            gallery::load(self.name, overrides).ok_or_else(|| format!("no scene is called {}", self.name))
        };
        let folder_name = self.name.split('/').next();
        match folder_name.and_then(gallery::scene).map(|scene| scene.kind) {
            Some("plan") => plan(load(&[])??, folder, &mut |_| CallbackAction::Continue)?,
            Some("shoot") => shoot(load(&[])??, folder, &mut |_| CallbackAction::Continue)?,
            _ => {
                let last = self.times.iter().copied().fold(0.0, f64::max);
                let until = ("run.until".to_owned(), format!("{last:?}"));
                let steps = load(std::slice::from_ref(&until))??.run.steps();
                let every = ("run.every".to_owned(), steps.div_ceil(ROWS).to_string());
                run(load(&[until, every])??, folder, false, &mut |_| ControlFlow::Continue(()))?
            }
        };
        Ok(Recording::load(folder, usize::MAX)?)
    }

    fn options(&self) -> Options {
        let (width, height) = self.size;
        Options { width, height, view: self.view, impulses: self.impulses, ..Options::default() }
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let root: PathBuf = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let names: Vec<String> = std::env::args().skip(1).collect();
    if let Some(name) = names.iter().find(|name| PICTURES.iter().all(|picture| picture.name != **name)) {
        let known: Vec<&str> = PICTURES.iter().map(|picture| picture.name).collect();
        return Err(format!("there is no picture of {name}, only of {}", known.join(", ")).into());
    }
    let folder = root.join(FOLDER);
    fs::create_dir_all(&folder)?;
    for picture in PICTURES.iter().filter(|p| names.is_empty() || names.iter().any(|name| name == p.name)) {
        let (file, bytes) = (picture.file(), picture.draw()?.png());
        println!("{FOLDER}/{file}: {} kB", bytes.len().div_ceil(1000));
        fs::write(folder.join(file), bytes)?;
    }
    if names.is_empty() {
        // FigureResult by the report of `percussion distance`; the guide reaches only what lies below it.
        fs::copy(root.join("scenes/tetrahedra/picture.svg"), folder.join("tetrahedra.svg"))?;
    }
    Ok(())
}
