//! `percussion report`: pages and pictures of runs, one by one or side by side.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context, Result, bail};
use percussion::report::still::{self, Options, Theme};
use percussion::report::{Recording, page};
use percussion::scene::run::folder;

use super::print;

const EXAMPLES: &str = "Examples:
  percussion report runs/metronome
  percussion report runs/metronome runs/metronome-decomposition runs/metronome-potential
  percussion report runs/falling-polyhedra --snapshot 0,0.38,0.6,1 --overlay
  percussion report runs/gyroscope --gif --dark

One run: its page is written anew, RUN/report.html. Several: one page lays their playbacks
and curves over each other, comparison.html beside the first of them.

Pictures need neither a display nor a browser: one for each instant, RUN/snapshot-T.png, all of
them side by side in RUN/snapshots.png; with --overlay one over the other in RUN/overlay.png;
with --gif the whole run in RUN/animation.gif.";

/// The page of several runs.
pub const COMPARISON: &str = "comparison.html";

/// Frames that are read for pictures.
const FRAMES: usize = 20_000;

/// Writes the page of a run, one that compares several, or pictures
#[derive(Debug, clap::Args)]
#[command(after_long_help = EXAMPLES, after_help = "See --help for examples.")]
pub struct Arguments {
    /// Run folders
    #[arg(required = true, value_name = "RUN")]
    runs: Vec<PathBuf>,

    /// The page; RUN/report.html or comparison.html when absent. Of pictures, their folder; RUN when absent
    #[arg(long, value_name = "PATH")]
    out: Option<PathBuf>,

    #[command(flatten)]
    pictures: Pictures,
}

/// What is said about pictures.
#[derive(Debug, clap::Args)]
struct Pictures {
    /// Instants (seconds) to be drawn, separated by commas
    #[arg(long, value_name = "T,T,...", value_delimiter = ',', allow_negative_numbers = true)]
    snapshot: Vec<f64>,

    /// The instants in one picture, earlier ones paler, with the paths between them
    #[arg(long, requires = "snapshot")]
    overlay: bool,

    /// The whole run as a moving picture
    #[arg(long)]
    gif: bool,

    /// Width and height in pixels; what stays empty is cut off
    #[arg(long, value_name = "WxH", value_parser = size)]
    size: Option<(usize, usize)>,

    /// From where it is seen: degrees around the vertical, degrees above the horizon
    #[arg(long, value_name = "AZIMUTH,ELEVATION", value_parser = view, allow_hyphen_values = true)]
    view: Option<[f64; 2]>,

    /// On dark paper
    #[arg(long)]
    dark: bool,

    /// Impulses of the impacts since so many seconds before an instant, as arrows
    #[arg(long, value_name = "SECONDS")]
    impulses: Option<f64>,
}

/// Writes what is asked for.
pub fn run(arguments: &Arguments) -> Result<ExitCode> {
    let Arguments { runs, out, pictures } = arguments;
    if pictures.snapshot.is_empty() && !pictures.gif {
        let out = out.clone().unwrap_or_else(|| place(runs));
        write(&out, &mut recordings(runs)?)?;
        print(&format!("{}\n", out.display()))?;
        return Ok(ExitCode::SUCCESS);
    }
    let [run] = runs.as_slice() else { bail!("pictures are made of one run at a time") };
    let recording = Recording::load(run, FRAMES)?;
    pictures.check(&recording)?;
    let folder = out.as_ref().unwrap_or(run);
    fs::create_dir_all(folder).with_context(|| format!("cannot make {}", folder.display()))?;
    for (name, bytes) in pictures.made(&recording) {
        let path = folder.join(name);
        fs::write(&path, bytes).with_context(|| format!("cannot write {}", path.display()))?;
        print(&format!("{}\n", path.display()))?;
    }
    Ok(ExitCode::SUCCESS)
}

impl Pictures {
    /// Instants that the run has not.
    fn check(&self, recording: &Recording) -> Result<()> {
        let times = &recording.frames.times;
        // A recording has a frame: one without is refused when it is read.
        let (first, last) = (times[0], times[times.len() - 1]);
        for t in &self.snapshot {
            if !(first..=last).contains(t) {
                bail!("the run has no instant {t} s: it goes from {first} s to {last} s");
            }
        }
        Ok(())
    }

    /// The pictures with their names.
    fn made(&self, recording: &Recording) -> Vec<(String, Vec<u8>)> {
        let options = self.options();
        let mut all = Vec::new();
        let times = &self.snapshot;
        if self.overlay {
            all.push(("overlay.png".to_owned(), still::overlay(recording, times, &options).png()));
        } else {
            for t in times {
                let picture = still::single(recording, recording.frames.nearest(*t), &options);
                all.push((format!("snapshot-{t}.png"), picture.png()));
            }
            if times.len() > 1 {
                all.push(("snapshots.png".to_owned(), still::strip(recording, times, &options).png()));
            }
        }
        if self.gif {
            all.push(("animation.gif".to_owned(), still::animation(recording, &options)));
        }
        all
    }

    fn options(&self) -> Options {
        let plain = Options::default();
        let (width, height) = self.size.unwrap_or((plain.width, plain.height));
        Options {
            width,
            height,
            view: self.view,
            theme: if self.dark { Theme::Dark } else { Theme::Light },
            impulses: self.impulses,
            ..plain
        }
    }
}

/// Reads runs for a page.
pub fn recordings(runs: &[PathBuf]) -> Result<Vec<Recording>> {
    runs.iter().map(|run| Ok(Recording::for_page(run)?)).collect()
}

/// Writes the page of some recordings.
pub fn write(out: &Path, recordings: &mut [Recording]) -> Result<()> {
    fs::write(out, page::page(recordings)?).with_context(|| format!("cannot write {}", out.display()))
}

/// Where the page goes when nobody says.
fn place(runs: &[PathBuf]) -> PathBuf {
    match runs {
        [one] => one.join(folder::REPORT),
        // There is a first one: clap asks for it.
        all => all[0].parent().unwrap_or(Path::new("")).join(COMPARISON),
    }
}

/// Pixels a side may have.
const SIDES: std::ops::RangeInclusive<usize> = 32..=8192;

fn size(text: &str) -> Result<(usize, usize), String> {
    let sides = text.split_once('x').and_then(|(w, h)| Some((w.parse().ok()?, h.parse().ok()?)));
    match sides {
        Some((w, h)) if SIDES.contains(&w) && SIDES.contains(&h) => Ok((w, h)),
        _ => Err(format!("write it as 960x720, each from {} to {}", SIDES.start(), SIDES.end())),
    }
}

fn view(text: &str) -> Result<[f64; 2], String> {
    let angles =
        text.split_once(',').and_then(|(a, e)| Some([a.trim().parse().ok()?, e.trim().parse().ok()?]));
    match angles {
        Some([azimuth, elevation]) if f64::is_finite(azimuth) && (-90.0..=90.0).contains(&elevation) => {
            Ok([azimuth, elevation])
        }
        _ => Err("write it as -60,25: degrees around the vertical, and from -90 to 90 above the horizon"
            .to_owned()),
    }
}
