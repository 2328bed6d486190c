//! Annotations of a picture: the time, a bar for the scale, the axes, joints, springs, impulses.

use super::camera::{Area, Camera};
use super::canvas::{Canvas, Stroke};
use super::context::{DrawingContext, Snapshot, VisibleRegion};
use super::font::{self, Anchor};
use super::options::Options;
use super::theme::mixed;
use crate::{BodyPoint, JointLine};
use percussion_geometry::Vec3;
use percussion_mechanics::JointKind;

/// The bar for the scale, as a share of the width of a picture.
const BAR: f64 = 0.15;
/// The longest arrow of an impulse, as a share of the lesser side of a picture.
const ARROW: f64 = 0.16;
/// The side of a picture on which lines are of ordinary width, pixels: the root of 960 times 720.
pub const ORDINARY: f64 = 831.384_387_633_061;
/// Impulses are red.
const IMPULSE: [u8; 3] = [204, 28, 38];

/// Annotations of a picture, with their sizes.
#[derive(Clone, Debug)]
pub struct Annotations {
    /// Pixels per row of the picture.
    pub width: usize,
    /// Rows of the picture.
    pub height: usize,
    /// Pixels of a line of ordinary width.
    pub unit: f64,
    /// Height of capitals, pixels.
    pub text: f64,
    /// The caption: a first word in slanted letters, and the rest.
    pub caption: Option<(String, String)>,
    /// Length of the bar and of the cells of a grid, m.
    pub length: f64,
    /// Whether the bar is drawn.
    pub scale: bool,
    /// Whether the axes are drawn.
    pub axes: bool,
}

/// The greatest of 1, 2, 5, 10, ... times a power of ten that is not greater.
pub fn round_length(most: f64) -> f64 {
    if !(most > 0.0 && most.is_finite()) {
        return 1.0;
    }
    let power = 10f64.powi(most.log10().floor() as i32);
    let first = most / power;
    power * [5.0, 2.0].into_iter().find(|factor| first >= *factor).unwrap_or(1.0)
}

/// The length of the bar of a picture.
pub fn bar_length(camera: &Camera, about: &Vec3, width: f64) -> f64 {
    round_length(1.3 * BAR * width / camera.magnification(about))
}

/// A length in words.
fn in_words(length: f64) -> String {
    let (unit, value) = match length {
        l if l >= 999.0 => ("km", l / 1000.0),
        l if l >= 0.00999 => ("m", l),
        l if l >= 0.000_999 => ("mm", 1000.0 * l),
        l => return format!("{l:.0e} m"),
    };
    let digits = (-value.log10().floor()).max(0.0) as usize;
    format!("{value:.digits$} {unit}")
}

/// Layout of a picture.
#[derive(Clone, Copy, Debug)]
pub struct Room {
    /// Pixels per row.
    pub width: usize,
    /// Rows.
    pub height: usize,
    /// Pixels of a line of ordinary width.
    pub unit: f64,
    /// Height of capitals, pixels.
    pub text: f64,
    /// The part that bodies may fill.
    pub area: Area,
}

impl Room {
    /// For a picture of a size, with letters larger than ordinary ones by a factor.
    pub fn of(options: &Options, width: usize, height: usize, larger: f64) -> Self {
        let (width, height) = (width.max(1), height.max(1));
        let (w, h) = (width as f64, height as f64);
        let unit = ((w * h).sqrt() / ORDINARY).max(0.2);
        let text = (11.5 * unit * larger).max(5.0);
        let side = 0.045 * (w * h).sqrt();
        let top = if options.captions { 3.6 * text } else { side };
        let bottom = if options.scale || options.axes { 3.6 * text } else { side };
        let area = Area { left: side, top, width: w - 2.0 * side, height: (h - top - bottom).max(0.2 * h) };
        Self { width, height, unit, text, area }
    }
}

/// Draws all of them.
pub fn draw(
    canvas: &mut Canvas,
    context: &DrawingContext,
    camera: &Camera,
    shown: &[usize],
    scope: &VisibleRegion,
    marks: &Annotations,
) {
    if let (true, Some(&last)) = (context.options.connections, shown.last()) {
        joints(canvas, context, camera, last, marks);
    }
    if let Some(window) = context.options.impulses {
        impulses(canvas, context, camera, shown, window, marks);
    }
    let edge = 1.4 * marks.text;
    let ink = context.options.theme.ink();
    let (w, h) = (canvas.width as f64, canvas.height as f64);
    if let Some((slanted, upright)) = &marks.caption {
        let base = [edge, edge + marks.text];
        font::write(canvas, slanted, base, Anchor::Left, marks.text, ink, true);
        let after = font::width(slanted, marks.text) + 0.55 * marks.text;
        font::write(canvas, upright, [base[0] + after, base[1]], Anchor::Left, marks.text, ink, false);
    }
    if marks.scale {
        let long = marks.length * camera.magnification(&scope.centre);
        let (right, y) = (w - edge, h - edge);
        let tick = 0.3 * marks.text;
        let bar = [
            vec![[right - long, y], [right, y]],
            vec![[right - long, y - tick], [right - long, y + tick]],
            vec![[right, y - tick], [right, y + tick]],
        ];
        canvas.stroke(&bar, &Stroke::new(ink, 1.3 * marks.unit));
        let middle = [right - 0.5 * long, y - 0.65 * marks.text];
        font::write(canvas, &in_words(marks.length), middle, Anchor::Middle, marks.text, ink, false);
    }
    if marks.axes {
        axes(canvas, camera, [edge, h - edge], marks, ink);
    }
}

/// The cross of the axes, its middle so that all of it is above and to the right of a corner.
fn axes(canvas: &mut Canvas, camera: &Camera, corner: [f64; 2], marks: &Annotations, ink: [u8; 3]) {
    let long = 2.3 * marks.text;
    let ends = [Vec3::x(), Vec3::y(), Vec3::z()]
        .map(|axis| [long * camera.right.dot(&axis), -long * camera.up.dot(&axis)]);
    let room = 0.75 * marks.text;
    let least = ends.iter().map(|end| end[0]).fold(0.0, f64::min);
    let most = ends.iter().map(|end| end[1]).fold(0.0, f64::max);
    let origin = [corner[0] - 1.3 * least, corner[1] - 1.3 * most];
    for (end, name) in ends.iter().zip(["x", "y", "z"]) {
        let seen = end[0].hypot(end[1]);
        if seen < 0.2 * long {
            continue;
        }
        let to = [origin[0] + end[0], origin[1] + end[1]];
        arrow(canvas, origin, to, 0.42 * marks.text, &Stroke::new(ink, 1.1 * marks.unit));
        let at = [to[0] + end[0] / seen * room, to[1] + end[1] / seen * room + 0.33 * marks.text];
        font::write(canvas, name, at, Anchor::Middle, 0.9 * marks.text, ink, true);
    }
}

/// A line with a filled head.
fn arrow(canvas: &mut Canvas, from: [f64; 2], to: [f64; 2], head: f64, ink: &Stroke) {
    let (dx, dy) = (to[0] - from[0], to[1] - from[1]);
    let length = dx.hypot(dy);
    if !(length > 0.0) {
        return;
    }
    let [ux, uy] = [dx / length, dy / length];
    let head = head.min(0.7 * length);
    let neck = [to[0] - 0.8 * head * ux, to[1] - 0.8 * head * uy];
    canvas.stroke(&[vec![from, neck]], ink);
    let side = |s: f64| [to[0] - head * ux - s * 0.36 * head * uy, to[1] - head * uy + s * 0.36 * head * ux];
    canvas.fill(&[to, side(1.0), side(-1.0)], ink);
}

fn placed(context: &DrawingContext, place: &BodyPoint, frame: usize) -> Vec3 {
    match place.body {
        None => place.point,
        Some(body) => context.recording.frames.at(frame)[body].point(&place.point),
    }
}

/// Substitutes of parts without a shape, behind the bodies: rods from joints to centres of mass, springs.
pub fn rods(
    canvas: &mut Canvas,
    context: &DrawingContext,
    camera: &Camera,
    snapshot: &Snapshot,
    marks: &Annotations,
) {
    let Snapshot { frame, opacity } = *snapshot;
    if !context.options.connections {
        return;
    }
    let ink = Stroke {
        opacity,
        ..Stroke::new(mixed(context.options.theme.ink(), [128; 3], 0.35), 1.3 * marks.unit)
    };
    let flat = |p: Vec3| camera.project(&p).map(|spot| [spot.x, spot.y]);
    for joint in context.recording.connections.joints.iter().filter(|joint| is_pivot(joint)) {
        if joint.kind == JointKind::Rod {
            let [a, b] = [&joint.parent, &joint.child].map(|place| flat(placed(context, place, frame)));
            canvas.stroke(&[a.into_iter().chain(b).collect()], &ink);
        }
        for place in [&joint.parent, &joint.child] {
            let Some(body) = place.body.filter(|&body| context.recording.appearances[body].substitute) else {
                continue;
            };
            let centre =
                context.recording.frames.at(frame)[body].point(&context.recording.appearances[body].centre);
            if let (Some(a), Some(b)) = (flat(placed(context, place, frame)), flat(centre)) {
                canvas.stroke(&[vec![a, b]], &ink);
            }
        }
    }
    for spring in &context.recording.connections.springs {
        let [a, b] = spring.ends.each_ref().map(|end| flat(placed(context, end, frame)));
        if let (Some(a), Some(b)) = (a, b) {
            canvas.stroke(&[coil(a, b, 3.5 * marks.unit)], &ink);
        }
    }
}

/// A zigzag between two points.
fn coil(a: [f64; 2], b: [f64; 2], half: f64) -> Vec<[f64; 2]> {
    let (dx, dy) = (b[0] - a[0], b[1] - a[1]);
    let length = dx.hypot(dy);
    let quaternions = 9;
    let mut line = vec![a];
    if length > 4.0 * half {
        for k in 0..2 * quaternions {
            let t = 0.15 + 0.7 * (f64::from(k) + 0.5) / f64::from(2 * quaternions);
            let s = if k % 2 == 0 { half } else { -half } / length;
            line.push([a[0] + t * dx - s * dy, a[1] + t * dy + s * dx]);
        }
        line.insert(1, [a[0] + 0.15 * dx, a[1] + 0.15 * dy]);
        line.push([a[0] + 0.85 * dx, a[1] + 0.85 * dy]);
    }
    line.push(b);
    line
}

/// Whether a joint rotates about a point.
pub fn is_pivot(joint: &JointLine) -> bool {
    matches!(joint.kind, JointKind::Revolute | JointKind::Universal | JointKind::Spherical | JointKind::Rod)
}

/// Joints that turn as small rings; those on the world are filled.
fn joints(canvas: &mut Canvas, context: &DrawingContext, camera: &Camera, frame: usize, marks: &Annotations) {
    let ink = context.options.theme.ink();
    let size = 0.27 * marks.text;
    for joint in context.recording.connections.joints.iter().filter(|joint| is_pivot(joint)) {
        // A rod ends in the middle of a body, which need not be marked.
        if joint.kind == JointKind::Rod && joint.parent.body.is_some() {
            continue;
        }
        let Some(spot) = camera.project(&placed(context, &joint.parent, frame)) else { continue };
        let at = [spot.x, spot.y];
        canvas.disc(at, size, &Stroke::new(ink, 0.0));
        if joint.parent.body.is_some() {
            canvas.disc(at, (size - 1.1 * marks.unit).max(0.5 * size), &Stroke::new([255; 3], 0.0));
        }
    }
}

/// Contacts near instants: a dot, and an arrow along the impulse on the first body.
fn impulses(
    canvas: &mut Canvas,
    context: &DrawingContext,
    camera: &Camera,
    shown: &[usize],
    window: f64,
    marks: &Annotations,
) {
    let times: Vec<f64> = shown.iter().map(|&frame| context.recording.frames.times[frame]).collect();
    let near = |time: f64| times.iter().any(|t| (time - t).abs() <= window);
    let events = || context.recording.events.iter().filter(|event| near(event.time));
    let strength = |impulse: &[f64; 3]| Vec3::from(*impulse).norm();
    let most = events().map(|event| strength(&event.impulse)).fold(0.0, f64::max);
    let longest = ARROW * canvas.width.min(canvas.height) as f64;
    let ink = Stroke::new(IMPULSE, 1.8 * marks.unit);
    // A pale rim keeps them apart from bodies of any colour.
    let rim = Stroke { opacity: 0.75, ..Stroke::new([255; 3], 4.4 * marks.unit) };
    for event in events() {
        let point = Vec3::from(event.point);
        let Some(spot) = camera.project(&point) else { continue };
        let impulse = Vec3::from(event.impulse);
        if impulse.norm() > 1e-3 * most {
            let long = longest * impulse.norm() / most;
            let way = impulse.normalize();
            let to = [spot.x + long * camera.right.dot(&way), spot.y - long * camera.up.dot(&way)];
            canvas.stroke(&[vec![[spot.x, spot.y], to]], &rim);
            arrow(canvas, [spot.x, spot.y], to, 0.85 * marks.text, &ink);
        }
        canvas.disc([spot.x, spot.y], 2.6 * marks.unit, &ink);
    }
}
