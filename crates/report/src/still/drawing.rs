//! Bodies as triangles and lines of the picture: placed, shaded, with their outlines, cut off before they come too
//! near to the eye.
//!
//! Two lamps, one from the upper left and a weaker one from the right, and some light from everywhere.

use super::camera::{Camera, Lens, ScreenPoint};
use super::canvas::Canvas;
use super::layer::{Corner, Layer, Pen};
use super::shape::Shape;
use super::theme::mixed;
use percussion_geometry::{Pose, Vec3};

/// Depth offset of lines towards the viewer, pixels.
const LIFT: f64 = 0.75;
/// Largest number of samples of a band of the picture: within the cache.
const BAND: usize = 1 << 18;

/// Directions to the lamps.
#[derive(Clone, Copy, Debug)]
pub struct Light {
    key: Vec3,
    /// For shadows the first lamp is higher, so that they are nearer to the bodies.
    pub sun: Vec3,
    fill: Vec3,
    up: Vec3,
}

impl Light {
    /// Lamps fixed to the camera.
    pub fn of(camera: &Camera, up: &Vec3) -> Self {
        let level = camera.back - up * up.dot(&camera.back);
        Self {
            key: (up * 1.0 - camera.right * 0.42 + level * 0.42).normalize(),
            sun: (up * 1.0 - camera.right * 0.22 + level * 0.18).normalize(),
            fill: (camera.right * 0.75 + camera.back * 0.6 + up * 0.1).normalize(),
            up: *up,
        }
    }

    /// A colour in this light, from 0 to 255.
    fn shade(&self, rgb: [u8; 3], normal: &Vec3) -> [f32; 3] {
        let key = normal.dot(&self.key).max(0.0);
        let fill = normal.dot(&self.fill).max(0.0);
        let sky = 0.5 + 0.5 * normal.dot(&self.up);
        let bright = 0.50 + 0.38 * key + 0.18 * fill + 0.12 * sky;
        rgb.map(|v| {
            let v = f64::from(v);
            (if bright <= 1.0 { v * bright } else { v + (255.0 - v) * (bright - 1.0) }) as f32
        })
    }
}

/// How a body is drawn.
#[derive(Clone, Copy, Debug)]
pub struct Paint {
    pub rgb: [u8; 3],
    /// Its place among all bodies, from one.
    pub owner: u16,
    /// Flat bodies are not shaded; those of greater order hide the others.
    pub flat: Option<f64>,
    /// Pixels of a line of ordinary width.
    pub unit: f64,
}

/// Triangles and lines of a picture.
#[derive(Clone, Debug)]
pub struct Drawing<'a> {
    camera: &'a Camera,
    light: Light,
    /// Near clipping distance, m.
    limit: f64,
    /// Depth offset of lines, m.
    lift: f64,
    triangles: Vec<([Corner; 3], u16, bool)>,
    lines: Vec<([ScreenPoint; 2], Pen, u16)>,
}

impl<'a> Drawing<'a> {
    /// An empty one of a scene about a point.
    pub fn new(camera: &'a Camera, light: Light, about: &Vec3) -> Self {
        let limit = 1e-3 * camera.distance(about).abs();
        let lift = LIFT / camera.magnification(about);
        Self { camera, light, limit, lift, triangles: Vec::new(), lines: Vec::new() }
    }

    /// Adds a body.
    pub fn body(&mut self, shape: &Shape, pose: &Pose, paint: &Paint) {
        if !finite(pose) {
            return;
        }
        let world: Vec<Vec3> = shape.mesh.corners.iter().map(|p| pose.point(p)).collect();
        let normals: Vec<Vec3> = shape.mesh.normals.iter().map(|n| pose.direction(n)).collect();
        let soft = mixed(paint.rgb, [255; 3], 0.12);
        for (triangle, face) in shape.mesh.triangles.iter().zip(&shape.faces) {
            let turned = pose.direction(face).dot(&self.camera.towards(&world[triangle[0] as usize])) < 0.0;
            if turned && shape.closed {
                continue;
            }
            let corners = triangle.map(|i| {
                let normal = if turned { -normals[i as usize] } else { normals[i as usize] };
                let rgb = match paint.flat {
                    Some(_) => soft.map(f32::from),
                    None => self.light.shade(soft, &normal),
                };
                (world[i as usize], rgb)
            });
            self.triangle(&corners, paint, true);
        }
        // Small bodies have thin lines.
        let size = shape.radius * self.camera.magnification(&pose.position);
        let thin = (size / 14.0).min(1.0);
        let pen = |width: f64, dark: f64| {
            let lift = if paint.flat.is_some() { 0.25 } else { self.lift };
            let rgb = mixed(paint.rgb, [12, 14, 18], dark);
            Pen { width: (width * paint.unit * thin).max(0.3), rgb, lift, lens: self.camera.lens }
        };
        let (mark, crease, outline) = (pen(0.7, 0.35), pen(1.0, 0.62), pen(1.45, 0.72));
        for (ends, sharp) in &shape.lines {
            self.line(ends.map(|p| pose.point(&p)), if *sharp { &crease } else { &mark }, paint);
        }
        for edge in &shape.edges {
            let ends = edge.ends.map(|p| pose.point(&p));
            let towards = self.camera.towards(&ends[0]);
            let facing = edge.normals.map(|n| pose.direction(&n).dot(&towards) > 0.0);
            if edge.rim || facing[0] != facing[1] {
                self.line(ends, &outline, paint);
            }
        }
    }

    /// Adds a piece of a plane that hides what is behind it and is not seen.
    pub fn screen(&mut self, corners: &[Vec3], owner: u16) {
        let paint = Paint { rgb: [0; 3], owner, flat: None, unit: 1.0 };
        for k in 2..corners.len() {
            self.triangle(&[corners[0], corners[k - 1], corners[k]].map(|p| (p, [0.0; 3])), &paint, false);
        }
    }

    fn triangle(&mut self, corners: &[(Vec3, [f32; 3]); 3], paint: &Paint, seen: bool) {
        let depth = |p: &(Vec3, [f32; 3])| self.camera.distance(&p.0) - self.limit;
        let all_seen = self.camera.lens == Lens::Parallel || corners.iter().all(|c| depth(c) >= 0.0);
        let mut kept: Vec<(Vec3, [f32; 3])> = Vec::new();
        if all_seen {
            kept.extend(corners);
        } else {
            for k in 0..3 {
                let (a, b) = (&corners[k], &corners[(k + 1) % 3]);
                let (da, db) = (depth(a), depth(b));
                if da >= 0.0 {
                    kept.push(*a);
                }
                if (da >= 0.0) != (db >= 0.0) {
                    let t = da / (da - db);
                    let rgb = std::array::from_fn(|k| a.1[k] + t as f32 * (b.1[k] - a.1[k]));
                    kept.push((a.0 + (b.0 - a.0) * t, rgb));
                }
            }
        }
        let spots: Vec<Corner> = kept
            .iter()
            .filter_map(|(p, rgb)| self.spot(p, paint).map(|spot| Corner { spot, rgb: *rgb }))
            .collect();
        for k in 2..spots.len() {
            self.triangles.push(([spots[0], spots[k - 1], spots[k]], paint.owner, seen));
        }
    }

    fn line(&mut self, [a, b]: [Vec3; 2], pen: &Pen, paint: &Paint) {
        let (mut a, mut b) = (a, b);
        if self.camera.lens == Lens::Perspective {
            let [da, db] = [&a, &b].map(|p| self.camera.distance(p) - self.limit);
            if da < 0.0 && db < 0.0 {
                return;
            }
            if (da < 0.0) != (db < 0.0) {
                let cut = a + (b - a) * (da / (da - db));
                if da < 0.0 { a = cut } else { b = cut }
            }
        }
        if let (Some(a), Some(b)) = (self.spot(&a, paint), self.spot(&b, paint)) {
            self.lines.push(([a, b], *pen, paint.owner));
        }
    }

    fn spot(&self, point: &Vec3, paint: &Paint) -> Option<ScreenPoint> {
        let spot = self.camera.project(point)?;
        Some(ScreenPoint { near: paint.flat.unwrap_or(spot.near), ..spot })
    }

    fn draw(&self, layer: &mut Layer) {
        for (corners, owner, seen) in &self.triangles {
            layer.triangle(corners, *owner, *seen);
        }
        for (ends, pen, owner) in &self.lines {
            layer.line(*ends, pen, *owner);
        }
    }
}

/// Whether a pose is finite.
pub fn finite(pose: &Pose) -> bool {
    pose.position.iter().chain(pose.rotation.matrix().iter()).all(|v| v.is_finite())
}

/// Lays drawings over a canvas, each with its opacity, one over the other; `behind` hides parts of all of them, and is
/// seen itself when `seen`.
pub fn lay(canvas: &mut Canvas, behind: &Drawing, seen: bool, snapshots: &[(Drawing, f32)], per: usize) {
    let rows = (BAND / (canvas.width * per * per).max(1)).clamp(1, canvas.height.max(1));
    let mut layer = Layer::new(canvas.width, per);
    for first in (0..canvas.height).step_by(rows) {
        let within = first..(first + rows).min(canvas.height);
        if seen {
            layer.restart(within.clone());
            behind.draw(&mut layer);
            layer.lay(canvas, 1.0);
        }
        for (snapshot, opacity) in snapshots {
            layer.restart(within.clone());
            behind.draw(&mut layer);
            layer.clear_colours();
            snapshot.draw(&mut layer);
            layer.lay(canvas, *opacity);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mesh::Mesh;
    use percussion_geometry::shapes::{Polytope, Solid, Sphere};

    fn camera(lens: Lens, eye: Vec3, scale: f64) -> Camera {
        Camera { eye, right: Vec3::x(), up: Vec3::z(), back: -Vec3::y(), lens, scale, middle: [100.0, 80.0] }
    }

    fn pixels(camera: &Camera, bodies: &[(Shape, Pose, Option<f64>)], unit: f64) -> Vec<[u8; 4]> {
        let mut drawing = Drawing::new(camera, Light::of(camera, &Vec3::z()), &Vec3::zeros());
        for (k, (shape, pose, flat)) in bodies.iter().enumerate() {
            let paint =
                Paint { rgb: [[200, 40, 40], [40, 40, 200]][k % 2], owner: k as u16 + 1, flat: *flat, unit };
            drawing.body(shape, pose, &paint);
        }
        let mut canvas = Canvas::new(200, 160, None);
        let nothing = Drawing::new(camera, Light::of(camera, &Vec3::z()), &Vec3::zeros());
        lay(&mut canvas, &nothing, true, &[(drawing, 1.0)], 3);
        canvas.picture().pixels.as_chunks::<4>().0.to_vec()
    }

    fn cube(side: f64) -> Shape {
        Shape::of(&Mesh::of(&Solid::Polytope(Polytope::cuboid(side, side, side).unwrap())))
    }

    fn covered(pixels: &[[u8; 4]]) -> f64 {
        pixels.iter().map(|p| f64::from(p[3])).sum::<f64>() / 255.0
    }

    /// A cube along an axis is a square: with parallel sights of its side, in perspective of that of its front face.
    /// Its outline adds half a pen's width around it.
    #[test]
    fn a_cube_along_an_axis_covers_what_it_should() {
        let pen = 1.45 * 0.25;
        for (x, z) in [(0.0, 0.0), (0.003, -0.0047)] {
            let body = || [(cube(1.0), Pose::at(Vec3::new(x, 0.0, z)), None)];
            let parallel = covered(&pixels(&camera(Lens::Parallel, Vec3::zeros(), 100.0), &body(), 0.25));
            let exact = 100.0 * 100.0 + 4.0 * 100.0 * 0.5 * pen;
            assert!((parallel - exact).abs() < 60.0, "{parallel} {exact}");
            let eye = Vec3::new(0.0, -5.5, 0.0);
            let perspective = covered(&pixels(&camera(Lens::Perspective, eye, 500.0), &body(), 0.25));
            assert!((perspective - exact).abs() < 60.0, "{perspective} {exact}");
        }
    }

    /// A ball covers a disc, in perspective larger than its radius: sin a = r/d.
    #[test]
    fn a_ball_covers_its_disc() {
        let ball = Shape::of(&Mesh::of(&Solid::Sphere(Sphere::new(0.5).unwrap())));
        let eye = Vec3::new(0.0, -2.5, 0.0);
        let area =
            covered(&pixels(&camera(Lens::Perspective, eye, 250.0), &[(ball, Pose::identity(), None)], 0.25));
        let radius = 250.0 * (0.5f64 / 2.5).asin().tan() + 0.5 * 1.45 * 0.25;
        let exact = std::f64::consts::PI * radius * radius;
        assert!((area / exact - 1.0).abs() < 0.01, "{area} {exact}");
    }

    #[test]
    fn bodies_in_front_hide_others_and_their_lines() {
        let camera = camera(Lens::Perspective, Vec3::new(0.0, -6.0, 0.0), 400.0);
        let bodies = |far: f64| {
            vec![
                (cube(1.0), Pose::at(Vec3::new(0.0, 0.0, 0.0)), None),
                (cube(0.5), Pose::at(Vec3::new(0.0, far, 0.0)), None),
            ]
        };
        let alone = pixels(&camera, &bodies(0.0)[..1], 1.0);
        assert!(pixels(&camera, &bodies(2.0), 1.0) == alone);
        let before = pixels(&camera, &bodies(-2.0), 1.0);
        assert!(before[80 * 200 + 100][2] > 100 && alone[80 * 200 + 100][2] < 60);
    }

    #[test]
    fn flat_bodies_hide_each_other_by_their_order() {
        let camera = camera(Lens::Parallel, Vec3::zeros(), 100.0);
        let bodies = |orders: [f64; 2]| orders.map(|order| (cube(0.6), Pose::identity(), Some(order)));
        let red = |orders: [f64; 2]| pixels(&camera, &bodies(orders), 1.0)[80 * 200 + 100][0] > 100;
        assert!(red([2.0, 1.0]) && !red([1.0, 2.0]));
    }

    /// Whatever the eye is in, and wherever bodies are, there is a picture.
    #[test]
    fn a_body_at_the_camera_is_cut_off() {
        let eye = Vec3::new(0.0, -1.0, 0.0);
        let camera = camera(Lens::Perspective, eye, 150.0);
        let ball = || Shape::of(&Mesh::of(&Solid::Sphere(Sphere::new(0.7).unwrap())));
        for position in [eye, eye + Vec3::new(0.3, 0.7, 0.0), eye - Vec3::y() * 5.0, Vec3::repeat(f64::NAN)] {
            let bodies = [cube(1.0), ball()].map(|shape| (shape, Pose::at(position), None));
            pixels(&camera, &bodies, 1.0);
        }
        // A floor that extends below and behind the eye is visible before it.
        let mut drawing = Drawing::new(&camera, Light::of(&camera, &Vec3::z()), &Vec3::zeros());
        let floor = [[-9.0, -9.0], [9.0, -9.0], [9.0, 9.0], [-9.0, 9.0]].map(|[x, y]| Vec3::new(x, y, -0.5));
        drawing.screen(&floor, 1);
        assert!(!drawing.triangles.is_empty());
        let seen = drawing.triangles.iter().flat_map(|t| &t.0);
        assert!(seen.clone().all(|c| c.spot.near > 0.0 && c.spot.near <= 1.0001 / drawing.limit));
    }
}
