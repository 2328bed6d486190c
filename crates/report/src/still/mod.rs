//! Pictures of a run without a display: a small renderer of triangles, lines, shadows and text.
//!
//! **Knows** recordings. **Makes** pixels and the bytes of files; the same ones every time.
//!
//! A recording becomes a [`stage`]: surfaces with their outlines, colours, a view. A [`camera`] fits the instants that are shown. Floors are
//! painted first, with their grid and the [`shadow`]s of the bodies; then bodies, by samples that hide each other
//! ([`layer`]), earlier instants as pale layers below the last one; then what explains: paths, joints, impulses, the time, the scale.

mod camera;
mod canvas;
mod drawing;
mod floor;
mod font;
mod layer;
mod marks;
mod options;
mod picture;
mod shadow;
mod shape;
mod stage;
mod theme;
mod view;

use crate::Recording;
use marks::Marks;
use percussion_geometry::Vec3;
use stage::{Ball, Shot, Stage};

pub use camera::{Area, Camera, Lens, Spot, View};
pub use options::Options;
pub use picture::Picture;
pub use theme::Theme;

/// Opacity of the first of several instants; the one before the last has [`LATE`].
const EARLY: f64 = 0.22;
const LATE: f64 = 0.6;
/// The side of a picture on which lines are of ordinary width, pixels: the root of 960 times 720.
const ORDINARY: f64 = 831.384_387_633_061;
/// Panels of a strip are not narrower or wider than this, as width over height.
const NARROW: f64 = 0.55;
const WIDE: f64 = 2.2;

/// One instant.
pub fn single(recording: &Recording, frame: usize, options: &Options) -> Picture {
    let stage = Stage::new(recording, options);
    let frame = frame.min(recording.frames.len().saturating_sub(1));
    if recording.frames.is_empty() {
        return blank(options);
    }
    let digits = digits(recording, &[frame]);
    let (camera, marks) = framed(&stage, &stage.points(&[frame]), options.width, options.height, 1.0);
    let marks = Marks { caption: caption(recording, frame, digits, options), ..marks };
    stage.paint(options.width, options.height, &camera, &[Shot { frame, opacity: 1.0 }], &marks).picture()
}

/// Several instants in one picture: earlier ones are paler, and the ways of the centres of mass are drawn.
pub fn overlay(recording: &Recording, times: &[f64], options: &Options) -> Picture {
    let stage = Stage::new(recording, options);
    let frames = chosen(recording, times);
    let (Some(&first), Some(&last)) = (frames.first(), frames.last()) else { return blank(options) };
    let mut points = stage.points(&frames);
    for body in (0..recording.looks.len()).filter(|&body| recording.looks[body].moves) {
        points.extend(stage.path(body, first..=last));
    }
    points.retain(|p: &Vec3| p.iter().all(|v| v.is_finite()));
    let (camera, marks) = framed(&stage, &points, options.width, options.height, 1.0);
    let digits = digits(recording, &frames);
    let time = |frame: usize| format!("{:.digits$}", recording.frames.times[frame]);
    let caption = options.captions.then(|| match first == last {
        true => ("t".to_owned(), format!("= {} s", time(first))),
        false => ("t".to_owned(), format!("= {} to {} s", time(first), time(last))),
    });
    let n = frames.len();
    let opacity = |k: usize| match k + 1 == n {
        true => 1.0,
        false => (EARLY + (LATE - EARLY) * k as f64 / (n.max(3) - 2) as f64) as f32,
    };
    let shots: Vec<Shot> =
        frames.iter().enumerate().map(|(k, &frame)| Shot { frame, opacity: opacity(k) }).collect();
    stage.paint(options.width, options.height, &camera, &shots, &Marks { caption, ..marks }).picture()
}

/// Several instants side by side or in rows, all at the same scale. The picture has the width that is asked for, and at most the height.
pub fn strip(recording: &Recording, times: &[f64], options: &Options) -> Picture {
    let stage = Stage::new(recording, options);
    let frames = chosen(recording, times);
    if frames.is_empty() {
        return blank(options);
    }
    let points = stage.points(&frames);
    let aspect = stage.view.aspect(&points).clamp(NARROW, WIDE);
    let columns = columns(frames.len(), aspect, options);
    let rows = frames.len().div_ceil(columns);
    let width = (options.width / columns).max(1);
    let height = ((width as f64 / aspect) as usize).min(options.height / rows).max(1);
    let digits = digits(recording, &frames);
    let small = ((width * height) as f64).sqrt() / ORDINARY;
    // Lines may become thinner in small panels, letters less so.
    let (camera, marks) = framed(&stage, &points, width, height, (1.0 / small).sqrt().clamp(1.0, 2.0));
    let mut canvas = canvas::Canvas::new(options.width, height * rows, options.theme.paper());
    for (k, &frame) in frames.iter().enumerate() {
        let marks = Marks {
            caption: caption(recording, frame, digits, options),
            scale: marks.scale && k == 0,
            axes: marks.axes && k == 0,
            ..marks.clone()
        };
        let panel = stage.paint(width, height, &camera, &[Shot { frame, opacity: 1.0 }], &marks);
        let left = (options.width - columns * width) / 2;
        canvas.paste(&panel, left + k % columns * width, k / columns * height);
    }
    canvas.picture()
}

/// The number of columns that makes panels largest.
fn columns(panels: usize, aspect: f64, options: &Options) -> usize {
    let size = |columns: &usize| {
        let rows = panels.div_ceil(*columns);
        let (w, h) = (options.width as f64 / *columns as f64, options.height as f64 / rows as f64);
        w.min(h * aspect)
    };
    (1..=panels).rev().max_by(|a, b| size(a).total_cmp(&size(b))).unwrap_or(1)
}

/// A camera that sees points in a picture of a size, and what is drawn besides them.
fn framed(stage: &Stage, points: &[Vec3], width: usize, height: usize, larger: f64) -> (Camera, Marks) {
    let options = stage.options;
    let unit = (((width * height) as f64).sqrt() / ORDINARY).max(0.2);
    let text = (11.5 * unit * larger).max(5.0);
    let area = marks::room(width, height, (options.captions, options.scale || options.axes), text);
    let camera = Camera::fit(&stage.view, points, &area);
    let length = marks::bar_length(&camera, &Ball::around(points).centre, width as f64);
    let marks = Marks { unit, text, caption: None, length, scale: options.scale, axes: options.axes };
    (camera, marks)
}

fn blank(options: &Options) -> Picture {
    canvas::Canvas::new(options.width, options.height, options.theme.paper()).picture()
}

/// The frames nearest to some times, in order, each once.
fn chosen(recording: &Recording, times: &[f64]) -> Vec<usize> {
    if recording.frames.is_empty() {
        return Vec::new();
    }
    let mut frames: Vec<usize> = times.iter().map(|&time| recording.frames.nearest(time)).collect();
    frames.sort_unstable();
    frames.dedup();
    frames
}

fn caption(recording: &Recording, frame: usize, digits: usize, options: &Options) -> Option<(String, String)> {
    let time = recording.frames.times[frame];
    options.captions.then(|| ("t".to_owned(), format!("= {time:.digits$} s")))
}

/// So many decimals that times differ where frames do: errors are below a hundredth of what lies between frames that are shown.
fn digits(recording: &Recording, frames: &[usize]) -> usize {
    let times = &recording.frames.times;
    let all = times.last().unwrap_or(&0.0) - times.first().unwrap_or(&0.0);
    let between = frames.windows(2).map(|pair| times[pair[1]] - times[pair[0]]).fold(all, f64::min);
    let fits = |digits: &usize| {
        let scale = 10f64.powi(*digits as i32);
        frames.iter().all(|&frame| (times[frame] - (times[frame] * scale).round() / scale).abs() <= 0.01 * between.abs())
    };
    (0..9).find(fits).unwrap_or(9)
}
