//! Planar bodies in their plane, at the start and at the end.

use super::super::canvas::{Canvas, HEIGHT, Point, WIDTH};
use super::super::plane::outline;
use super::plot::COLOURS;
use super::series::{Trajectory, samples};
use nalgebra::Matrix3;
use percussion_geometry::{PlanarPose, Vec2, Vec3};
use percussion_mechanics::Model;
use percussion_mechanics::body::AttachedOutline;
use percussion_scene::{Scene, run::folder};
use std::io;
use std::path::Path;

/// Bodies that are drawn: more would hide each other.
const BODIES: usize = 400;
/// Cosine beyond which a direction is one of the coordinate axes.
const ALONG: f64 = 1.0 - 1e-9;

/// The drawing; nothing where no body is planar.
pub fn bodies(folder: &Path, trajectory: &mut Trajectory) -> io::Result<String> {
    // The scene beside the run is the one that ran; a folder without it still has its curves.
    let Ok(scene) = Scene::load(folder.join(folder::SCENE), &[]) else { return Ok(String::new()) };
    let flat: Vec<usize> =
        (0..scene.model.bodies.len()).filter(|&b| !scene.model.bodies[b].outlines.is_empty()).collect();
    let Some(&first) = flat.first() else { return Ok(String::new()) };
    let (position, rotation) = (ends(trajectory, "position")?, ends(trajectory, "rotation")?);
    let at = |end: usize, body: usize| {
        let axes = Matrix3::from_row_slice(&rotation[end][9 * body..9 * body + 9]);
        (axes, Vec3::from_column_slice(&position[end][3 * body..3 * body + 3]))
    };
    let view = View::across(&at(0, first).0.column(2).into());
    let shown = &flat[..flat.len().min(BODIES)];
    let placed = |end: usize| -> Vec<(usize, PlanarPose)> {
        shown.iter().map(|&b| (b, view.place(at(end, b)))).collect()
    };
    let canvas = drawing(&scene.model, &view, &[placed(0), placed(1)]);
    let note = match flat.len() {
        n if n > BODIES => format!("<p class=\"none\">the first {BODIES} of {n} planar bodies</p>"),
        _ => String::new(),
    };
    let title = "Planar bodies, at the start (dashed) and at the end";
    Ok(format!(
        "<article><h2>{title}</h2><svg class=\"drawing\" viewBox=\"0 0 {WIDTH} {HEIGHT}\" role=\"img\" aria-label=\"{title}\">{}</svg>{note}</article>\n",
        canvas.svg()
    ))
}

/// First and last row of an array.
fn ends(trajectory: &mut Trajectory, array: &str) -> io::Result<[Vec<f64>; 2]> {
    let width = trajectory.rows(array)?.width();
    let mut rows = samples(trajectory, array, 2, std::slice::from_ref(&(0..width)))?;
    let last = rows.pop().unwrap_or_default();
    Ok([rows.pop().unwrap_or_else(|| last.clone()), last])
}

fn drawing(model: &Model, view: &View, ends: &[Vec<(usize, PlanarPose)>; 2]) -> Canvas {
    let paper = |points: Vec<Vec2>| -> Vec<Point> { points.iter().map(|p| [p.x, p.y]).collect() };
    let bounded = |part: &&AttachedOutline| part.shape.outer_radius().is_finite();
    let all = ends.iter().flatten();
    let outer: Vec<Vec2> = all
        .flat_map(|(b, pose)| {
            let parts = model.bodies[*b].outlines.iter().filter(bounded);
            parts.flat_map(move |part| outline(&part.shape, &pose.then(&part.offset), Vec2::zeros(), 0.0))
        })
        .collect();
    let (low, high) =
        outer.iter().fold((Vec2::repeat(f64::INFINITY), Vec2::repeat(f64::NEG_INFINITY)), |(l, h), p| {
            (l.inf(p), h.sup(p))
        });
    let (middle, size) = match outer.is_empty() {
        true => (Vec2::zeros(), 1.0),
        // Walls reach a little beyond what stands before them.
        false => (0.5 * (low + high), 0.3 * (high - low).amax().max(f64::MIN_POSITIVE)),
    };
    let mut canvas = Canvas::default();
    for (end, hidden) in [(0, true), (1, false)] {
        for (k, (b, pose)) in ends[end].iter().enumerate() {
            let body = &model.bodies[*b];
            let colour = if body.moves() { COLOURS[k % COLOURS.len()] } else { "#8a8f98" };
            for part in &body.outlines {
                let mut points = paper(outline(&part.shape, &pose.then(&part.offset), middle, size));
                if hidden && body.moves() {
                    points.extend(points.first().copied());
                    canvas.line(points, colour, 1.0, true);
                } else if !hidden {
                    canvas.area(points, colour, 0.35, colour);
                }
            }
        }
    }
    canvas.axes(view.named());
    canvas
}

/// The plane as it lies on the paper: seen against its normal, the vertical upright.
struct View {
    right: Vec3,
    up: Vec3,
}

impl View {
    fn across(normal: &Vec3) -> Self {
        let up = Vec3::z() - normal * normal.z;
        let up = if up.norm() > 1e-6 { up.normalize() } else { (Vec3::y() - normal * normal.y).normalize() };
        Self { right: up.cross(normal), up }
    }

    /// Where a body with these axes and this origin stands on the paper.
    fn place(&self, (axes, origin): (Matrix3<f64>, Vec3)) -> PlanarPose {
        let x: Vec3 = axes.column(0).into();
        let angle = x.dot(&self.up).atan2(x.dot(&self.right));
        PlanarPose::new(angle, Vec2::new(origin.dot(&self.right), origin.dot(&self.up)))
    }

    /// The coordinate axes that lie along the edges of the paper.
    fn named(&self) -> Vec<(&'static str, Point)> {
        let mut found = Vec::new();
        for (name, axis) in [("x", Vec3::x()), ("y", Vec3::y()), ("z", Vec3::z())] {
            let on = [axis.dot(&self.right), axis.dot(&self.up)];
            if on[0].hypot(on[1]) > ALONG {
                found.push((name, on));
            }
        }
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn planes_lie_on_the_paper_as_they_stand() {
        let ground = View::across(&Vec3::z());
        assert_eq!((ground.right, ground.up), (Vec3::x(), Vec3::y()));
        let upright = View::across(&-Vec3::y());
        assert_eq!((upright.right, upright.up), (Vec3::x(), Vec3::z()));
        assert_eq!(upright.named(), [("x", [1.0, 0.0]), ("z", [0.0, 1.0])]);
        let turn = nalgebra::Rotation3::from_axis_angle(&-Vec3::y_axis(), 0.4);
        let frame = Matrix3::from_columns(&[Vec3::x(), Vec3::z(), -Vec3::y()]);
        let placed = upright.place((turn.matrix() * frame, Vec3::new(1.0, 5.0, 2.0)));
        assert!((placed.rotation.angle() - 0.4).abs() < 1e-15);
        assert_eq!(placed.position, Vec2::new(1.0, 2.0));
    }
}
