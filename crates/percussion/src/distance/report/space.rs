//! Draws a pair of bodies in space.
//!
//! Convex bodies on the two sides of a plane can be painted one after the other: the one on the far side of
//! the plane, seen from the eye, first. Within a polytope, faces turned away from the eye only show their edges.

use percussion_geometry::shapes::{Polytope, Solid};
use percussion_geometry::{Pose, Vec3};

use super::camera::Camera;
use super::canvas::{Canvas, Point, Side};
use super::placed::{self, annotate};
use crate::distance::Answer;

/// Directions in which the outline of a curved body is sampled.
const OUTLINE: usize = 96;

/// Opacity of bodies: the far side and the other body are visible through them.
const OPACITY: f64 = 0.74;

type Placed<'p> = placed::Placed<'p, Solid, 3>;

/// The drawing of a pair and its answer.
pub fn draw([a, b]: [&Placed; 2], answer: &Answer) -> Canvas {
    let normal: Vec3 = placed::vector(&answer.normal);
    let camera = Camera::across(&normal);
    let mut canvas = Canvas::default();
    let order = if normal.dot(&camera.toward) > 0.0 { [(b, a), (a, b)] } else { [(a, b), (b, a)] };
    for (body, other) in order {
        paint(&mut canvas, &camera, body, body.near(other, answer), placed::size([a, b]));
    }
    annotate(&mut canvas, [a, b], answer, &|point| camera.project(point));
    canvas.axes(vec![
        ("x", camera.project(&Vec3::x())),
        ("y", camera.project(&Vec3::y())),
        ("z", camera.project(&Vec3::z())),
    ]);
    canvas
}

/// Paints the parts of a body, far ones first.
fn paint(canvas: &mut Canvas, camera: &Camera, body: &Placed, near: Vec3, size: f64) {
    let mut order: Vec<(f64, usize)> = body
        .parts
        .iter()
        .enumerate()
        .map(|(k, part)| (camera.toward.dot(&part.placed(&body.pose).point(&part.shape.reference())), k))
        .collect();
    order.sort_by(|x, y| x.0.total_cmp(&y.0));
    for (_, k) in order {
        let part = &body.parts[k];
        let pose = part.placed(&body.pose);
        match &part.shape {
            Solid::Polytope(polytope) => paint_polytope(canvas, camera, body.side, polytope, &pose),
            Solid::HalfSpace(half) => {
                let normal = pose.direction(&half.normal());
                let offset = half.offset() + normal.dot(&pose.position);
                let foot = near - (normal.dot(&near) - offset) * normal;
                paint_floor(canvas, camera, body.side, &foot, &normal, size);
            }
            curved => paint_curved(canvas, camera, body.side, curved, &pose),
        }
    }
}

fn paint_polytope(canvas: &mut Canvas, camera: &Camera, side: Side, polytope: &Polytope, pose: &Pose) {
    let paper: Vec<Point> = polytope.vertices().iter().map(|v| camera.project(&pose.point(v))).collect();
    let facing: Vec<f64> =
        polytope.faces().iter().map(|f| camera.toward.dot(&pose.direction(&f.normal))).collect();
    for edge in polytope.edges() {
        if edge.faces.iter().all(|&f| facing[f as usize] <= 0.0) {
            canvas.line(edge.vertices.map(|v| paper[v as usize]).to_vec(), &side.shade(0.42), 1.0, true);
        }
    }
    for (face, &facing) in polytope.faces().iter().zip(&facing) {
        if facing > 0.0 {
            let outline = polytope.face_loop(face).iter().map(|&v| paper[v as usize]).collect();
            let light = camera.light(&pose.direction(&face.normal));
            canvas.area(outline, &side.shade(light), OPACITY, side.ink());
        }
    }
}

/// A square piece of the boundary of a half-space, with a grid.
fn paint_floor(canvas: &mut Canvas, camera: &Camera, side: Side, foot: &Vec3, normal: &Vec3, size: f64) {
    let helper = if normal.z.abs() < 0.9 { Vec3::z() } else { Vec3::x() };
    let u = helper.cross(normal).normalize() * 1.6 * size;
    let v = normal.cross(&u);
    let at = |s: f64, t: f64| camera.project(&(foot + s * u + t * v));
    let corners = vec![at(-1.0, -1.0), at(1.0, -1.0), at(1.0, 1.0), at(-1.0, 1.0)];
    canvas.area(corners, &side.shade(camera.light(normal)), 0.45, side.ink());
    for k in -2..=2 {
        let s = f64::from(k) / 3.0;
        canvas.line(vec![at(s, -1.0), at(s, 1.0)], side.ink(), 0.4, false);
        canvas.line(vec![at(-1.0, s), at(1.0, s)], side.ink(), 0.4, false);
    }
}

/// The outline of a curved body, exact from its support function, and the curves that show how it is turned.
fn paint_curved(canvas: &mut Canvas, camera: &Camera, side: Side, solid: &Solid, pose: &Pose) {
    let outline: Vec<Point> = (0..OUTLINE)
        .filter_map(|k| {
            let (sin, cos) = (std::f64::consts::TAU * k as f64 / OUTLINE as f64).sin_cos();
            let direction = pose.inverse_direction(&(cos * camera.right + sin * camera.up));
            solid.support(&direction).map(|point| camera.project(&pose.point(&point)))
        })
        .collect();
    let curves = surface_curves(solid);
    let faint = side.shade(0.42);
    let lines = |canvas: &mut Canvas, hidden: bool| {
        for curve in &curves {
            for pair in curve.windows(2) {
                let faces_away = pair[0].normals.iter().all(|n| camera.toward.dot(&pose.direction(n)) <= 0.0);
                if faces_away == hidden {
                    let ends = [pair[0].point, pair[1].point].map(|p| camera.project(&pose.point(&p)));
                    canvas.line(ends.to_vec(), if hidden { &faint } else { side.ink() }, 0.7, hidden);
                }
            }
        }
    };
    lines(canvas, true);
    let fill = if side == Side::A { "url(#round-a)" } else { "url(#round-b)" };
    canvas.area(outline, fill, OPACITY + 0.08, side.ink());
    lines(canvas, false);
}

/// A point of a surface curve and the normals of the surfaces that meet there: it is hidden when all of them
/// face away.
struct CurvePoint {
    point: Vec3,
    normals: Vec<Vec3>,
}

/// Rims of cylinders, cones and capsules; the three principal sections of balls and ellipsoids.
fn surface_curves(solid: &Solid) -> Vec<Vec<CurvePoint>> {
    let ring = |f: &dyn Fn(f64, f64) -> CurvePoint| -> Vec<CurvePoint> {
        (0..=60)
            .map(|k| {
                let (sin, cos) = (std::f64::consts::TAU * f64::from(k) / 60.0).sin_cos();
                f(cos, sin)
            })
            .collect()
    };
    let rim = |z: f64, radius: f64, normals: &dyn Fn(Vec3) -> Vec<Vec3>| {
        ring(&|c, s| CurvePoint {
            point: Vec3::new(radius * c, radius * s, z),
            normals: normals(Vec3::new(c, s, 0.0)),
        })
    };
    match solid {
        Solid::Cylinder(c) => [-1.0, 1.0]
            .map(|sign| rim(sign * c.half_height(), c.radius(), &|out| vec![out, sign * Vec3::z()]))
            .into(),
        Solid::Cone(c) => {
            let motion_gradient_of = c.radius() / c.height();
            vec![rim(-0.25 * c.height(), c.radius(), &|out| {
                vec![out + motion_gradient_of * Vec3::z(), -Vec3::z()]
            })]
        }
        Solid::Capsule(c) => {
            [-1.0, 1.0].map(|sign| rim(sign * c.half_length(), c.radius(), &|out| vec![out])).into()
        }
        Solid::Sphere(_) | Solid::Ellipsoid(_) => {
            let axes = match solid {
                Solid::Ellipsoid(e) => e.semi_axes(),
                _ => Vec3::repeat(solid.outer_radius()),
            };
            (0..3)
                .map(|k| {
                    ring(&|c, s| {
                        let mut unit = Vec3::zeros();
                        unit[(k + 1) % 3] = c;
                        unit[(k + 2) % 3] = s;
                        CurvePoint {
                            point: axes.component_mul(&unit),
                            normals: vec![unit.component_div(&axes)],
                        }
                    })
                })
                .collect()
        }
        Solid::Polytope(_) | Solid::HalfSpace(_) => Vec::new(),
    }
}
