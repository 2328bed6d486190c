//! `percussion report`: report pages and pictures of runs.

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

With one run, its report page RUN/report.html is written again. With several runs, one page compares
their playbacks and plots: comparison.html beside the first run folder.

Pictures are drawn without a display or a browser: RUN/snapshot-T.png for each instant and
RUN/snapshots.png with all of them side by side; with --overlay all instants in one picture,
RUN/overlay.png; with --gif an animation of the run, RUN/animation.gif.";

/// File name of the page that compares several runs.
pub const COMPARISON: &str = "comparison.html";

/// Largest number of frames read for pictures.
const FRAMES: usize = 20_000;

/// Writes the report page of a run, a comparison of several runs, or pictures
#[derive(Debug, clap::Args)]
#[command(after_long_help = EXAMPLES, after_help = "See --help for examples.")]
pub struct Arguments {
    /// Run folders
    #[arg(required = true, value_name = "RUN")]
    runs: Vec<PathBuf>,

    /// Output file of the page [default: RUN/report.html or comparison.html]; output folder of pictures [default: RUN]
    #[arg(long, value_name = "PATH")]
    out: Option<PathBuf>,

    #[command(flatten)]
    pictures: Pictures,
}

/// Options of pictures.
#[derive(Debug, clap::Args)]
struct Pictures {
    /// Draw these instants (seconds, separated by commas)
    #[arg(long, value_name = "T,T,...", value_delimiter = ',', allow_negative_numbers = true)]
    snapshot: Vec<f64>,

    /// Draw all instants in one picture, earlier ones paler, with the paths between them
    #[arg(long, requires = "snapshot")]
    overlay: bool,

    /// Write an animation of the whole run
    #[arg(long)]
    gif: bool,

    /// Width and height in pixels; empty margins are cropped
    #[arg(long, value_name = "WxH", value_parser = size)]
    size: Option<(usize, usize)>,

    /// Direction of the camera: degrees around the vertical, degrees above the horizon
    #[arg(long, value_name = "AZIMUTH,ELEVATION", value_parser = view, allow_hyphen_values = true)]
    view: Option<[f64; 2]>,

    /// Use the dark theme
    #[arg(long)]
    dark: bool,

    /// Draw the impulses of impacts within this time before an instant as arrows
    #[arg(long, value_name = "SECONDS")]
    impulses: Option<f64>,
}

/// Writes the page or the pictures.
pub fn run(arguments: &Arguments) -> Result<ExitCode> {
    let Arguments { runs, out, pictures } = arguments;
    if pictures.snapshot.is_empty() && !pictures.gif {
        let out = out.clone().unwrap_or_else(|| page_path(runs));
        write_page(&out, &mut recordings(runs)?)?;
        print(&format!("{}\n", out.display()))?;
        return Ok(ExitCode::SUCCESS);
    }
    let [run] = runs.as_slice() else { bail!("pictures need exactly one run") };
    let recording = Recording::load(run, FRAMES)?;
    pictures.check(&recording)?;
    let folder = out.as_ref().unwrap_or(run);
    fs::create_dir_all(folder).with_context(|| format!("cannot make {}", folder.display()))?;
    for (name, bytes) in pictures.draw(&recording) {
        let path = folder.join(name);
        fs::write(&path, bytes).with_context(|| format!("cannot write {}", path.display()))?;
        print(&format!("{}\n", path.display()))?;
    }
    Ok(ExitCode::SUCCESS)
}

impl Pictures {
    /// Checks that the run contains the instants.
    fn check(&self, recording: &Recording) -> Result<()> {
        let times = &recording.frames.times;
        // Recordings without frames are refused when they are read.
        let (first, last) = (times[0], times[times.len() - 1]);
        for t in &self.snapshot {
            if !(first..=last).contains(t) {
                bail!("--snapshot {t} is outside of the run, which lasts from {first} s to {last} s");
            }
        }
        Ok(())
    }

    /// The pictures with their file names.
    fn draw(&self, recording: &Recording) -> Vec<(String, Vec<u8>)> {
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
pub fn write_page(out: &Path, recordings: &mut [Recording]) -> Result<()> {
    fs::write(out, page::page(recordings)?).with_context(|| format!("cannot write {}", out.display()))
}

/// Default path of the page.
fn page_path(runs: &[PathBuf]) -> PathBuf {
    match runs {
        [one] => one.join(folder::REPORT),
        // There is a first one: the argument is required.
        all => all[0].parent().unwrap_or(Path::new("")).join(COMPARISON),
    }
}

/// Allowed numbers of pixels of a side.
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
