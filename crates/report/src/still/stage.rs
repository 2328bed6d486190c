//! A recording made ready for pictures: surfaces, colours, the view; and one picture of some of its instants.

use super::camera::{Camera, View};
use super::canvas::{Canvas, Ink};
use super::drawing::{Drawing, Light, Paint, finite, lay};
use super::floor::Floor;
use super::marks::{self, Marks};
use super::options::Options;
use super::shadow::Shadow;
use super::shape::Shape;
use super::view;
use crate::{Recording, palette};
use percussion_geometry::{Pose, Vec3};

/// How far floors are drawn, in radii of what is shown.
const FLOOR: f64 = 2.4;
/// Points of the lamp that shadows are made with: together for all instants, and at least for each.
const LAMPS: usize = 48;
const LEAST_LAMPS: usize = 10;
/// Of at most so many frames the points are taken that choose the view.
const LOOKED_AT: usize = 60;

/// A recording made ready.
pub struct Stage<'a> {
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

/// An instant to show.
#[derive(Clone, Copy, Debug)]
pub struct Shot {
    pub frame: usize,
    pub opacity: f32,
}

/// A ball around what a picture shows.
#[derive(Clone, Copy, Debug)]
pub struct Ball {
    pub centre: Vec3,
    pub radius: f64,
}

impl Ball {
    /// Around the box around points.
    pub fn around(points: &[Vec3]) -> Self {
        let low = points.iter().fold(Vec3::repeat(f64::INFINITY), |low, p| low.inf(p));
        let high = points.iter().fold(Vec3::repeat(f64::NEG_INFINITY), |high, p| high.sup(p));
        let radius = 0.5 * (high - low).norm();
        match radius.is_finite() && radius > 0.0 {
            true => Self { centre: 0.5 * (low + high), radius },
            false => Self { centre: points.first().copied().unwrap_or_else(Vec3::zeros), radius: 1.0 },
        }
    }
}

impl<'a> Stage<'a> {
    pub fn new(recording: &'a Recording, options: &'a Options) -> Self {
        let looks = &recording.looks;
        let mut moving = 0;
        let colours = looks
            .iter()
            .map(|look| match look.moves {
                false => palette::FIXED,
                true => {
                    moving += 1;
                    palette::colour(moving - 1)
                }
            })
            .collect();
        // Planes are drawn as floors.
        let ground = |k: usize| if looks[k].planes.is_empty() { Shape::of(&looks[k].ground) } else { Shape::default() };
        let mut stage = Self {
            recording,
            options,
            shapes: looks.iter().map(|look| Shape::of(&look.mesh)).collect(),
            grounds: (0..looks.len()).map(ground).collect(),
            colours,
            view: View { towards: -Vec3::y(), up: Vec3::z(), lens: super::Lens::Perspective },
            up: view::up(recording),
            planar: recording.plane().is_some(),
        };
        let frames = crate::thinned(recording.frames.len(), LOOKED_AT);
        stage.view = view::choose(recording, &stage.points(&frames));
        if let Some([azimuth, elevation]) = options.view {
            stage.view.towards = view::from_angles(&stage.up, azimuth, elevation);
            stage.planar = false;
        }
        stage.up = stage.view.up;
        stage
    }

    /// Points that tell how far bodies reach at some frames, with what hangs on the world.
    pub fn points(&self, frames: &[usize]) -> Vec<Vec3> {
        let recorded = &self.recording.frames;
        let mut all: Vec<Vec3> = Vec::new();
        for &frame in frames.iter().filter(|&&frame| frame < recorded.len()) {
            for (shape, pose) in self.shapes.iter().zip(recorded.at(frame)) {
                all.extend(shape.reach.iter().map(|p| pose.point(p)));
            }
        }
        let joints = &self.recording.ties.joints;
        all.extend(joints.iter().filter(|j| j.parent.body.is_none()).map(|j| j.parent.point));
        all.retain(|p| p.iter().all(|v| v.is_finite()));
        all
    }

    /// The way of a body's centre of mass over some frames.
    pub fn path(&self, body: usize, frames: impl Iterator<Item = usize>) -> Vec<Vec3> {
        let centre = self.recording.looks[body].centre;
        frames.map(|frame| self.recording.frames.at(frame)[body].point(&centre)).collect()
    }

    /// The planes that are drawn.
    fn floors(&self, poses: &[Pose], camera: &Camera, ball: &Ball) -> Vec<Floor> {
        let mut all = Vec::new();
        for (look, pose) in self.recording.looks.iter().zip(poses).filter(|(_, pose)| finite(pose)) {
            for plane in &look.planes {
                let (point, normal) = (pose.point(&plane.point), pose.direction(&plane.normal));
                all.push(Floor::new(&point, &normal, &ball.centre, FLOOR * ball.radius));
            }
        }
        Floor::cut(all, camera)
    }

    /// Paints instants over each other, the last one in front, and what belongs to them.
    pub fn paint(&self, width: usize, height: usize, camera: &Camera, shots: &[Shot], marks: &Marks) -> Canvas {
        let frames = &self.recording.frames;
        let mut canvas = Canvas::new(width, height, self.options.theme.paper());
        let Some(last) = shots.last() else { return canvas };
        let shown: Vec<usize> = shots.iter().map(|shot| shot.frame).collect();
        let ball = Ball::around(&self.points(&shown));
        let light = Light::of(camera, &self.up);
        let floors = self.floors(frames.at(last.frame), camera, &ball);
        for floor in &floors {
            let shadow = self.options.shadows.then(|| self.shadow(floor, shots, &light));
            let cell = self.options.grid.then_some(marks.length);
            floor.draw(&mut canvas, camera, shadow.as_ref(), cell, self.options.theme);
        }
        let mut behind = Drawing::new(camera, light, &ball.centre);
        for floor in &floors {
            let corners: Vec<Vec3> = floor.corners.iter().map(|c| floor.at(c)).collect();
            behind.screen(&corners, u16::MAX);
        }
        self.bodies(&mut behind, last.frame, false, marks.unit);
        let drawings: Vec<(Drawing, f32)> = shots
            .iter()
            .map(|shot| {
                let mut drawing = Drawing::new(camera, light, &ball.centre);
                self.bodies(&mut drawing, shot.frame, true, marks.unit);
                (drawing, shot.opacity)
            })
            .collect();
        let (earlier, now) = drawings.split_at(drawings.len() - 1);
        let per = self.options.samples.clamp(1, 8);
        lay(&mut canvas, &behind, true, earlier, per);
        if shots.len() > 1 && self.options.paths {
            self.paths(&mut canvas, camera, &shown, marks);
        }
        marks::rods(&mut canvas, self, camera, last.frame, marks);
        lay(&mut canvas, &behind, false, now, per);
        marks::draw(&mut canvas, self, camera, &shown, &ball, marks);
        canvas
    }

    /// Adds the bodies that move, or those that do not.
    fn bodies(&self, drawing: &mut Drawing, frame: usize, moving: bool, unit: f64) {
        let poses = self.recording.frames.at(frame);
        for (k, look) in self.recording.looks.iter().enumerate().filter(|(_, look)| look.moves == moving) {
            let order = if moving { k + 1 + poses.len() } else { k + 1 };
            let flat = self.planar.then_some(order as f64);
            let owner = (k + 1).min(usize::from(u16::MAX) - 1) as u16;
            let paint = Paint { rgb: self.colours[k], owner, flat, unit };
            drawing.body(&self.grounds[k], &poses[k], &paint);
            drawing.body(&self.shapes[k], &poses[k], &paint);
        }
    }

    fn shadow(&self, floor: &Floor, shots: &[Shot], light: &Light) -> Shadow {
        let mut shadow = Shadow::new(floor);
        let lamps = (LAMPS / shots.len()).max(LEAST_LAMPS);
        for shot in shots {
            let mut triangles = Vec::new();
            for (shape, pose) in self.shapes.iter().zip(self.recording.frames.at(shot.frame)) {
                if !finite(pose) {
                    continue;
                }
                let lit = |face: &Vec3| !shape.closed || pose.direction(face).dot(&light.key) > -0.1;
                for (triangle, _) in shape.mesh.triangles.iter().zip(&shape.faces).filter(|(_, face)| lit(face)) {
                    triangles.push(triangle.map(|i| pose.point(&shape.mesh.corners[i as usize])));
                }
            }
            shadow.cast(floor, &triangles, &light.key, lamps, shot.opacity);
        }
        shadow
    }

    /// The ways of the centres of mass between the first and the last of some frames, with a dot at each.
    fn paths(&self, canvas: &mut Canvas, camera: &Camera, shown: &[usize], marks: &Marks) {
        let (Some(&first), Some(&last)) = (shown.iter().min(), shown.iter().max()) else { return };
        for (k, _) in self.recording.looks.iter().enumerate().filter(|(_, look)| look.moves) {
            let spots = |points: Vec<Vec3>| -> Vec<[f64; 2]> {
                points.iter().filter_map(|p| camera.project(p)).map(|spot| [spot.x, spot.y]).collect()
            };
            let rgb = super::theme::mixed(self.colours[k], self.options.theme.ink(), 0.25);
            let ink = Ink { rgb, opacity: 0.85, width: 1.1 * marks.unit };
            canvas.stroke(&[spots(self.path(k, first..=last))], &ink);
            for spot in spots(self.path(k, shown.iter().copied())) {
                canvas.disc(spot, 2.0 * marks.unit, &Ink::new(rgb, 0.0));
            }
        }
    }
}
