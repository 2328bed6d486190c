//! Curved bodies: profiles swept about the z-axis, ellipsoids as stretched balls.

use super::Mesh;
use percussion_geometry::Vec3;
use std::f64::consts::{FRAC_PI_2, PI, TAU};

/// Sides of a circle.
const AROUND: u32 = 48;
/// Pieces of a half circle from pole to pole.
const ALONG: u32 = 24;

/// A point of a profile: distance from the axis, height, and the normal there.
struct Rim {
    radius: f64,
    z: f64,
    normal: [f64; 2],
}

/// Sweeps a smooth profile, given from below to above; several of them may meet in an edge.
fn sweep(mesh: &mut Mesh, profile: &[Rim]) {
    let first = mesh.corners.len() as u32;
    for rim in profile {
        for k in 0..=AROUND {
            let (sin, cos) = (TAU * f64::from(k) / f64::from(AROUND)).sin_cos();
            mesh.corners.push(Vec3::new(rim.radius * cos, rim.radius * sin, rim.z));
            mesh.normals.push(Vec3::new(rim.normal[0] * cos, rim.normal[0] * sin, rim.normal[1]));
        }
    }
    for (i, pair) in profile.windows(2).enumerate() {
        let row = first + i as u32 * (AROUND + 1);
        for k in 0..AROUND {
            let [a, b] = [row + k, row + k + 1];
            let [c, d] = [a + AROUND + 1, b + AROUND + 1];
            // Triangles at a pole have no area.
            if pair[0].radius > 0.0 {
                mesh.triangles.push([a, b, d]);
            }
            if pair[1].radius > 0.0 {
                mesh.triangles.push([a, d, c]);
            }
        }
    }
}

/// The circle about the z-axis, as lines.
fn circle(mesh: &mut Mesh, radius: f64, z: f64) {
    ring(mesh, |cos, sin| Vec3::new(radius * cos, radius * sin, z));
}

fn ring(mesh: &mut Mesh, at: impl Fn(f64, f64) -> Vec3) {
    let point = |k: u32| {
        let (sin, cos) = (TAU * f64::from(k) / f64::from(AROUND)).sin_cos();
        at(cos, sin)
    };
    mesh.lines.extend((0..AROUND).map(|k| [point(k), point(k + 1)]));
}

/// An arc of a circle about `(0, z)` from the latitude `from` to `to`.
fn arc(radius: f64, z: f64, from: f64, to: f64, pieces: u32) -> Vec<Rim> {
    (0..=pieces)
        .map(|k| {
            let (sin, cos) = (from + (to - from) * f64::from(k) / f64::from(pieces)).sin_cos();
            // The cosine of a right angle is not quite zero.
            let cos = if cos.abs() < 1e-15 { 0.0 } else { cos };
            Rim { radius: radius * cos, z: z + radius * sin, normal: [cos, sin] }
        })
        .collect()
}

fn disc(mesh: &mut Mesh, radius: f64, z: f64, up: f64) {
    let [centre, rim] = [0.0, radius].map(|radius| Rim { radius, z, normal: [0.0, up] });
    if up > 0.0 { sweep(mesh, &[rim, centre]) } else { sweep(mesh, &[centre, rim]) }
}

pub fn cylinder(half_height: f64, radius: f64) -> Mesh {
    let mut mesh = Mesh::default();
    disc(&mut mesh, radius, -half_height, -1.0);
    sweep(&mut mesh, &[-half_height, half_height].map(|z| Rim { radius, z, normal: [1.0, 0.0] }));
    disc(&mut mesh, radius, half_height, 1.0);
    for z in [-half_height, half_height] {
        circle(&mut mesh, radius, z);
    }
    mesh
}

pub fn cone(height: f64, radius: f64) -> Mesh {
    let mut mesh = Mesh::default();
    let (low, high) = (-0.25 * height, 0.75 * height);
    let slant = height.hypot(radius);
    let normal = [height / slant, radius / slant];
    disc(&mut mesh, radius, low, -1.0);
    sweep(&mut mesh, &[Rim { radius, z: low, normal }, Rim { radius: 0.0, z: high, normal }]);
    circle(&mut mesh, radius, low);
    mesh
}

pub fn capsule(half_length: f64, radius: f64) -> Mesh {
    let mut mesh = Mesh::default();
    let mut profile = arc(radius, -half_length, -FRAC_PI_2, 0.0, ALONG / 2);
    profile.extend(arc(radius, half_length, 0.0, FRAC_PI_2, ALONG / 2));
    sweep(&mut mesh, &profile);
    for z in [-half_length, half_length] {
        circle(&mut mesh, radius, z);
    }
    mesh
}

pub fn ellipsoid(semi_axes: &Vec3) -> Mesh {
    let mut mesh = Mesh::default();
    sweep(&mut mesh, &arc(1.0, 0.0, -0.5 * PI, 0.5 * PI, ALONG));
    for normal in &mut mesh.normals {
        *normal = normal.component_div(semi_axes).normalize();
    }
    ring(&mut mesh, |cos, sin| Vec3::new(cos, sin, 0.0));
    ring(&mut mesh, |cos, sin| Vec3::new(0.0, cos, sin));
    ring(&mut mesh, |cos, sin| Vec3::new(sin, 0.0, cos));
    for p in mesh.corners.iter_mut().chain(mesh.lines.iter_mut().flatten()) {
        p.component_mul_assign(semi_axes);
    }
    mesh
}
