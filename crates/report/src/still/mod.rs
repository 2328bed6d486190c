//! Pictures of a run without a display: a small renderer of triangles, lines, shadows and text.
//!
//! **Input**: recordings. **Output**: pixels and the bytes of files, deterministic.
//!
//! A drawing context is made of a recording: surfaces with their outlines, colors, a view. A camera fits the instants that are shown.
//! Floors are painted first, with their grid and the shadows of the bodies; then bodies, by samples that hide each other,
//! earlier instants as pale layers below the last one; then what explains: paths, joints, impulses, the time, the scale.

mod animation;
mod camera;
mod canvas;
mod context;
mod drawing;
mod floor;
mod font;
mod layer;
mod marks;
mod options;
mod picture;
mod quantise;
mod shadow;
mod shape;
mod theme;
mod view;

use crate::Recording;
use canvas::{Canvas, Stroke};
use context::{DrawingContext, Snapshot, VisibleRegion};
use marks::{Annotations, ORDINARY, Room};

pub use animation::animation;
pub use camera::{Area, Camera, Lens, ScreenPoint, View};
pub use options::Options;
pub use picture::Picture;
pub use theme::Theme;

/// Opacity of the first of several instants; the one before the last has [`LATE`].
const EARLY: f64 = 0.22;
const LATE: f64 = 0.6;
/// Largest rounding of printed times, relative to the time between frames.
const EXACT: f64 = 0.01;
/// Trimmed pictures are not lower than this, in widths.
const LOWEST: f64 = 0.4;
/// Panels of a strip are not narrower or wider than this, as width over height.
const NARROW: f64 = 0.55;
const WIDE: f64 = 2.2;

/// One instant.
pub fn single(recording: &Recording, frame: usize, options: &Options) -> Picture {
    let frames: Vec<usize> =
        recording.frames.len().checked_sub(1).map(|last| frame.min(last)).into_iter().collect();
    layered(recording, &frames, options)
}

/// Several instants in one picture: earlier ones are paler, with the paths of the centres of mass.
pub fn overlay(recording: &Recording, times: &[f64], options: &Options) -> Picture {
    layered(recording, &chosen(recording, times), options)
}

fn layered(recording: &Recording, frames: &[usize], options: &Options) -> Picture {
    if frames.is_empty() {
        return blank(options);
    }
    let context = DrawingContext::new(recording, options);
    let scope = context.scope(frames, options.paths);
    let room = Room::of(options, options.width, options.height, 1.0);
    let (camera, marks) = framed(&context, &scope, &trimmed(&context, &scope, room));
    let caption = options.captions.then(|| caption(recording, frames, digits(recording, frames, EXACT)));
    let n = frames.len();
    let opacity = |k: usize| match k + 1 == n {
        true => 1.0,
        false => (EARLY + (LATE - EARLY) * k as f64 / (n.max(3) - 2) as f64) as f32,
    };
    let snapshots: Vec<Snapshot> =
        frames.iter().enumerate().map(|(k, &frame)| Snapshot { frame, opacity: opacity(k) }).collect();
    context.paint(&camera, &scope, &snapshots, &Annotations { caption, ..marks }).picture()
}

/// A picture without empty rows, if cropping is set.
fn trimmed(context: &DrawingContext, scope: &VisibleRegion, room: Room) -> Room {
    let (w, h) = (room.width as f64, room.height as f64);
    let needed = 1.06 * room.area.width / context.view.aspect(&scope.points);
    let lower = (needed + h - room.area.height).max(LOWEST * w).min(h).floor();
    match context.options.trim && lower >= 1.0 {
        false => room,
        true => {
            let area = Area { height: room.area.height - (h - lower), ..room.area };
            Room { height: lower as usize, area, ..room }
        }
    }
}

/// Several instants side by side or in rows, all at the same scale. The picture has the given width, and
/// at most the height.
pub fn strip(recording: &Recording, times: &[f64], options: &Options) -> Picture {
    let frames = chosen(recording, times);
    if frames.is_empty() {
        return blank(options);
    }
    let context = DrawingContext::new(recording, options);
    let scope = context.scope(&frames, false);
    let aspect = context.view.aspect(&scope.points).clamp(NARROW, WIDE);
    let columns = columns(frames.len(), aspect, options);
    let rows = frames.len().div_ceil(columns);
    let gap = options.width / 120;
    let width = ((options.width + gap) / columns).saturating_sub(gap).max(1);
    let most = ((options.height + gap) / rows).saturating_sub(gap);
    let height = ((width as f64 / aspect) as usize).min(most).max(1);
    let digits = digits(recording, &frames, EXACT);
    let small = ((width * height) as f64).sqrt() / ORDINARY;
    // Lines may become thinner in small panels, letters less so.
    let room = Room::of(options, width, height, (1.0 / small).sqrt().clamp(1.0, 2.0));
    let (camera, marks) = framed(&context, &scope, &room);
    let whole = (height + gap) * rows - gap;
    let mut canvas = Canvas::new(options.width.max(1), whole.max(1), options.theme.background());
    let frame_ink = Stroke { opacity: 0.25, ..Stroke::new(options.theme.ink(), 1.0) };
    for (k, &frame) in frames.iter().enumerate() {
        let marks = Annotations {
            caption: options.captions.then(|| caption(recording, &[frame], digits)),
            scale: marks.scale && k == 0,
            axes: marks.axes && k == 0,
            ..marks.clone()
        };
        let mut panel = context.paint(&camera, &scope, &[Snapshot { frame, opacity: 1.0 }], &marks);
        let [right, bottom] = [width, height].map(|v| v as f64 - 0.5);
        panel.stroke(
            &[vec![[0.5, 0.5], [right, 0.5], [right, bottom], [0.5, bottom], [0.5, 0.5]]],
            &frame_ink,
        );
        canvas.paste(&panel, k % columns * (width + gap), k / columns * (height + gap));
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

/// A camera with the region in view, and the annotations.
fn framed(context: &DrawingContext, scope: &VisibleRegion, room: &Room) -> (Camera, Annotations) {
    let Room { width, height, unit, text, area } = *room;
    let camera = Camera::fit(&context.view, &scope.points, &area);
    let length = marks::bar_length(&camera, &scope.centre, width as f64);
    let Options { scale, axes, .. } = *context.options;
    (camera, Annotations { width, height, unit, text, caption: None, length, scale, axes })
}

fn blank(options: &Options) -> Picture {
    Canvas::new(options.width.max(1), options.height.max(1), options.theme.background()).picture()
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

/// The time of an instant, or the first and the last of several: a slanted word and the rest.
fn caption(recording: &Recording, frames: &[usize], digits: usize) -> (String, String) {
    let time = |frame: &usize| format!("{:.digits$}", recording.frames.times[*frame]);
    let times: Vec<String> = match frames {
        [first, .., last] => vec![time(first), time(last)],
        _ => frames.iter().map(time).collect(),
    };
    ("t".to_owned(), format!("= {} s", times.join(" to ")))
}

/// Decimals for which times of different frames differ: the rounding is small relative to the time between them.
fn digits(recording: &Recording, frames: &[usize], share: f64) -> usize {
    let times = &recording.frames.times;
    let all = times.last().unwrap_or(&0.0) - times.first().unwrap_or(&0.0);
    let between = frames.windows(2).map(|pair| times[pair[1]] - times[pair[0]]).fold(all, f64::min);
    let fits = |digits: &usize| {
        let scale = 10f64.powi(*digits as i32);
        frames.iter().all(|&frame| {
            (times[frame] - (times[frame] * scale).round() / scale).abs() <= share * between.abs()
        })
    };
    (0..9).find(fits).unwrap_or(9)
}
