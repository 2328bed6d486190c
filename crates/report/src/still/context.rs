//! The drawing context of a recording: surfaces, colors, the view; and a picture of some of its instants.

use super::camera::{Camera, View};
use super::canvas::{Canvas, Stroke};
use super::drawing::{Drawing, Light, Paint, finite, lay};
use super::floor::Floor;
use super::marks::{self, Annotations};
use super::options::Options;
use super::shadow::Shadow;
use super::shape::Shape;
use super::theme::mixed;
use super::view;
use crate::{Recording, palette};
use percussion_geometry::{Pose, Vec3};

/// Largest distance of a floor that is drawn, relative to the radius of the visible bodies.
const NEAR: f64 = 2.0;
/// Sample points of the light source for shadows: for all instants together, and least number for each.
const LAMPS: usize = 48;
const LEAST_LAMPS: usize = 20;
/// Smallest cosine of the angle between consecutive segments of a path that is drawn straight.
const STRAIGHT: f64 = 0.75;
/// Largest number of frames from which the view is chosen.
const VIEW_FRAMES: usize = 60;

/// A recording prepared for drawing.
pub struct DrawingContext<'a> {
    pub recording: &'a Recording,
    pub options: &'a Options,
    shapes: Vec<Shape>,
    /// Pieces of half-planes.
    grounds: Vec<Shape>,
    pub colours: Vec<[u8; 3]>,
    pub view: View,
    pub up: Vec3,
    pub planar: bool,
}

/// An instant to draw.
#[derive(Clone, Copy, Debug)]
pub struct Snapshot {
    pub frame: usize,
    pub opacity: f32,
}

/// The visible region of a picture.
#[derive(Clone, Debug)]
pub struct VisibleRegion {
    /// Points that bound it.
    pub points: Vec<Vec3>,
    /// Center of the box around them.
    pub centre: Vec3,
    /// Half the diagonal of that box, m; one for an empty region.
    pub radius: f64,
}

impl VisibleRegion {
    /// Of points, without those that are not finite.
    pub fn of(mut points: Vec<Vec3>) -> Self {
        points.retain(|p| p.iter().all(|v| v.is_finite()));
        let low = points.iter().fold(Vec3::repeat(f64::INFINITY), |low, p| low.inf(p));
        let high = points.iter().fold(Vec3::repeat(f64::NEG_INFINITY), |high, p| high.sup(p));
        let radius = 0.5 * (high - low).norm();
        match radius.is_finite() && radius > 0.0 {
            true => Self { centre: 0.5 * (low + high), radius, points },
            false => {
                Self { centre: points.first().copied().unwrap_or_else(Vec3::zeros), radius: 1.0, points }
            }
        }
    }
}

impl<'a> DrawingContext<'a> {
    pub fn new(recording: &'a Recording, options: &'a Options) -> Self {
        let appearances = &recording.appearances;
        // Planes are drawn as floors.
        let ground = |k: usize| match appearances[k].planes.is_empty() {
            // Of the piece only the edge of the half-plane is a line.
            true => Shape { edges: Vec::new(), ..Shape::of(&appearances[k].ground) },
            false => Shape::default(),
        };
        let mut context = Self {
            recording,
            options,
            shapes: appearances.iter().map(|appearance| Shape::of(&appearance.mesh)).collect(),
            grounds: (0..appearances.len()).map(ground).collect(),
            colours: palette::of_bodies(appearances),
            view: View { towards: -Vec3::y(), up: Vec3::z(), lens: super::Lens::Perspective },
            up: view::up(recording),
            planar: recording.plane().is_some(),
        };
        let frames = crate::thinned(recording.frames.len(), VIEW_FRAMES);
        context.view = view::choose(recording, &VisibleRegion::of(context.points(&frames)).points);
        if let Some([azimuth, elevation]) = options.view {
            context.view.towards = view::from_angles(&context.up, azimuth, elevation);
            context.planar = false;
        }
        context.up = context.view.up;
        context
    }

    /// Points that bound the bodies in some frames, with pivots in the world.
    pub fn points(&self, frames: &[usize]) -> Vec<Vec3> {
        let recorded = &self.recording.frames;
        let mut all: Vec<Vec3> = Vec::new();
        for &frame in frames.iter().filter(|&&frame| frame < recorded.len()) {
            for (shape, pose) in self.shapes.iter().zip(recorded.at(frame)) {
                all.extend(shape.reach.iter().map(|p| pose.point(p)));
            }
        }
        let joints = &self.recording.connections.joints;
        let pivots = joints.iter().filter(|joint| joint.parent.body.is_none() && marks::is_pivot(joint));
        all.extend(pivots.map(|joint| joint.parent.point));
        all
    }

    /// The path of a body's center of mass over some frames.
    pub fn path(&self, body: usize, frames: impl Iterator<Item = usize>) -> Vec<Vec3> {
        let centre = self.recording.appearances[body].centre;
        frames.map(|frame| self.recording.frames.at(frame)[body].point(&centre)).collect()
    }

    /// The planes that are drawn.
    fn floors(&self, poses: &[Pose], scope: &VisibleRegion) -> Vec<Floor> {
        let mut all = Vec::new();
        for (appearance, pose) in
            self.recording.appearances.iter().zip(poses).filter(|(_, pose)| finite(pose))
        {
            for plane in &appearance.planes {
                let (point, normal) = (pose.point(&plane.point), pose.direction(&plane.normal));
                all.push(Floor::new(&point, &normal, scope));
            }
        }
        Floor::cut(all)
    }

    /// The visible region of some frames: the bodies, their paths if drawn, and the floors below them.
    pub fn scope(&self, frames: &[usize], ways: bool) -> VisibleRegion {
        let all = crate::thinned(self.recording.frames.len(), VIEW_FRAMES.max(frames.len()));
        let mut points = self.points(frames);
        if self.options.whole {
            points.extend(self.points(&all));
        }
        if let (true, Some(&first), Some(&last)) = (ways, frames.first(), frames.last()) {
            for body in (0..self.colours.len()).filter(|&body| self.recording.appearances[body].moves) {
                points.extend(self.path(body, first..=last));
            }
        }
        let mut scope = VisibleRegion::of(points);
        let Some(&last) = frames.last() else { return scope };
        let poses = self.recording.frames.at(last);
        let mut more = Vec::new();
        for floor in self.floors(poses, &scope) {
            let height = floor.height(&scope.centre);
            let below = floor.normal.dot(&self.up) > 0.7;
            if below && (0.0..NEAR * scope.radius).contains(&height) {
                let low = scope.points.iter().filter(|p| floor.height(p) <= height);
                more.extend(low.map(|p| p - floor.normal * floor.height(p)));
            }
            if floor.is_walled() {
                more.extend(floor.corners.iter().map(|c| floor.at(c)));
            }
        }
        for (ground, pose) in self.grounds.iter().zip(poses) {
            for [a, b] in ground.mesh.lines.iter().map(|ends| ends.map(|p| pose.point(&p))) {
                let share = (scope.centre - a).dot(&(b - a)) / (b - a).norm_squared();
                let foot = a + (b - a) * share.clamp(0.0, 1.0);
                more.extend(((foot - scope.centre).norm() < NEAR * scope.radius).then_some(foot));
            }
        }
        scope.points.append(&mut more);
        VisibleRegion::of(scope.points)
    }

    /// Paints instants over each other, the last one in front, with their annotations.
    pub fn paint(
        &self,
        camera: &Camera,
        scope: &VisibleRegion,
        snapshots: &[Snapshot],
        marks: &Annotations,
    ) -> Canvas {
        let frames = &self.recording.frames;
        let mut canvas = Canvas::new(marks.width, marks.height, self.options.theme.background());
        let Some(last) = snapshots.last() else { return canvas };
        let shown: Vec<usize> = snapshots.iter().map(|snapshot| snapshot.frame).collect();
        let light = Light::of(camera, &self.up);
        let mut floors = self.floors(frames.at(last.frame), scope);
        floors.retain(|floor| floor.faces(camera));
        for floor in &floors {
            let shadow = self.options.shadows.then(|| self.shadow(floor, snapshots, &light));
            let cell = self.options.grid.then_some(marks.length);
            floor.draw(&mut canvas, camera, shadow.as_ref(), cell, self.options.theme);
        }
        let mut behind = Drawing::new(camera, light, &scope.centre);
        for floor in &floors {
            let corners: Vec<Vec3> = floor.corners.iter().map(|c| floor.at(c)).collect();
            behind.screen(&corners, u16::MAX);
        }
        self.bodies(&mut behind, last.frame, false, marks.unit);
        let drawings: Vec<(Drawing, f32)> = snapshots
            .iter()
            .map(|snapshot| {
                let mut drawing = Drawing::new(camera, light, &scope.centre);
                self.bodies(&mut drawing, snapshot.frame, true, marks.unit);
                (drawing, snapshot.opacity)
            })
            .collect();
        let (earlier, now) = drawings.split_at(drawings.len() - 1);
        let per = self.options.samples.clamp(1, 8);
        lay(&mut canvas, &behind, true, &[], per);
        for snapshot in &snapshots[..earlier.len()] {
            marks::rods(&mut canvas, self, camera, snapshot, marks);
        }
        lay(&mut canvas, &behind, false, earlier, per);
        if snapshots.len() > 1 && self.options.paths {
            self.paths(&mut canvas, camera, &shown, marks);
        }
        marks::rods(&mut canvas, self, camera, last, marks);
        lay(&mut canvas, &behind, false, now, per);
        marks::draw(&mut canvas, self, camera, &shown, scope, marks);
        canvas
    }

    /// Adds the moving bodies, or the others.
    fn bodies(&self, drawing: &mut Drawing, frame: usize, moving: bool, unit: f64) {
        let poses = self.recording.frames.at(frame);
        let background = self.options.theme.background().unwrap_or([255; 3]);
        for k in (0..poses.len()).filter(|&k| self.recording.appearances[k].travels() == moving) {
            let order = if moving { k + 1 + poses.len() } else { k + 1 };
            let flat = self.planar.then_some(order as f64);
            let owner = (k + 1).min(usize::from(u16::MAX) - 1) as u16;
            let paint = Paint { rgb: self.colours[k], owner, flat, unit };
            let pale = Paint { rgb: mixed(paint.rgb, background, 0.6), ..paint };
            drawing.body(&self.grounds[k], &poses[k], &pale);
            drawing.body(&self.shapes[k], &poses[k], &paint);
        }
    }

    fn shadow(&self, floor: &Floor, snapshots: &[Snapshot], light: &Light) -> Shadow {
        let mut shadow = Shadow::new(floor);
        let lamps = (LAMPS / snapshots.len()).max(LEAST_LAMPS);
        for snapshot in snapshots {
            let mut triangles = Vec::new();
            for (shape, pose) in self.shapes.iter().zip(self.recording.frames.at(snapshot.frame)) {
                if !finite(pose) {
                    continue;
                }
                let lit = |face: &Vec3| !shape.closed || pose.direction(face).dot(&light.sun) > -0.1;
                for (triangle, _) in
                    shape.mesh.triangles.iter().zip(&shape.faces).filter(|(_, face)| lit(face))
                {
                    triangles.push(triangle.map(|i| pose.point(&shape.mesh.corners[i as usize])));
                }
            }
            shadow.cast(floor, &triangles, &light.sun, lamps, snapshot.opacity);
        }
        shadow
    }

    /// The paths of the centres of mass between the first and the last of some frames, with a dot at each.
    fn paths(&self, canvas: &mut Canvas, camera: &Camera, shown: &[usize], marks: &Annotations) {
        let (Some(&first), Some(&last)) = (shown.iter().min(), shown.iter().max()) else { return };
        for k in (0..self.colours.len()).filter(|&k| self.recording.appearances[k].moves) {
            let spots = |points: Vec<Vec3>| -> Vec<[f64; 2]> {
                points.iter().filter_map(|p| camera.project(p)).map(|spot| [spot.x, spot.y]).collect()
            };
            let rgb = mixed(self.colours[k], self.options.theme.ink(), 0.25);
            let ink = Stroke { rgb, opacity: 0.85, width: 1.1 * marks.unit };
            let way = spots(self.path(k, first..=last));
            if is_resolved(&way) {
                canvas.stroke(&[way], &ink);
            }
            for spot in spots(self.path(k, shown.iter().copied())) {
                canvas.disc(spot, 2.0 * marks.unit, &Stroke::new(rgb, 0.0));
            }
        }
    }
}

/// Whether points are so dense that the line through them is a path: nearly all pieces have about the direction
/// of the previous one.
fn is_resolved(way: &[[f64; 2]]) -> bool {
    let pieces: Vec<[f64; 2]> = way
        .windows(2)
        .map(|ends| [ends[1][0] - ends[0][0], ends[1][1] - ends[0][1]])
        .filter(|piece| piece[0].hypot(piece[1]) > 0.5)
        .collect();
    let straight = |pair: &&[[f64; 2]]| {
        let ([a, b], [c, d]) = (pair[0], pair[1]);
        a * c + b * d > STRAIGHT * a.hypot(b) * c.hypot(d)
    };
    let quaternions = pieces.windows(2).len();
    let sharp = quaternions - pieces.windows(2).filter(straight).count();
    sharp <= (quaternions / 7).max(3)
}
