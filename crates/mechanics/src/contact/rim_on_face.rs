//! The lowest point of a rim over a face that it may overhang.
//!
//! It is the lowest of the half of the rim about the point that is followed: where a disc passes through the face, as a cylinder that rocks
//! does, the other half has a contact of its own, which closes with an impact.
//!
//! Over a half-space it is the lowest point of the circle. Where that lies beside the face, the lowest point over the face is one at which
//! the rim crosses the outline of the face, and the normal is across both.

use super::contact_function::ContactFrame;
use super::contact_geometry::ContactGeometry;
use super::part::PartShape;
use crate::tolerances::contact::contact_function::FLAT_DISC;
use crate::tolerances::contact::rim_on_face::{ON_RIM, TANGENT};
use percussion_geometry::shapes::Solid;
use percussion_geometry::{Pose, Vec3};

/// Iterations for the crossings of two rims; the first guess is exact for parallel discs.
const MAX_ITERATIONS: usize = 12;

/// The outline of a face.
#[derive(Clone, Copy, Debug)]
pub(super) enum FaceOutline {
    /// A half-space has none.
    Unbounded,
    /// A disc, in the frame of its body.
    Disc { centre: Vec3, radius: f64 },
    /// A face of the polytope of a part.
    Polygon { part: usize, face: u32 },
}

/// A rim in the world.
#[derive(Clone, Copy, Debug)]
pub(super) struct PlacedRim {
    pub centre: Vec3,
    pub axis: Vec3,
    pub radius: f64,
    /// The lowest point that is followed, from its centre: moved with the disc, where that lies flat, and with the face.
    pub lowest: [Vec3; 2],
}

/// The lowest point of a rim where it crosses the outline so far: point, height, and the unit vector across both.
struct Lowest(Option<(Vec3, f64, Vec3)>);

impl Lowest {
    fn add(&mut self, rim: &PlacedRim, normal: &Vec3, (point, height, along): (Vec3, f64, Vec3)) {
        let across = rim.axis.cross(&(point - rim.centre)).cross(&along);
        let Some(across) = across.try_normalize(TANGENT * rim.radius * along.norm()) else { return };
        let across = across * across.dot(normal).signum();
        if self.0.is_none_or(|(_, lowest, _)| height < lowest) {
            self.0 = Some((point, height, across));
        }
    }
}

impl PlacedRim {
    /// Unit vectors of the plane of the disc.
    fn axes(&self) -> [Vec3; 2] {
        let helper = if self.axis.x.abs() < 0.7 { Vec3::x() } else { Vec3::y() };
        let e = self.axis.cross(&helper).normalize();
        [e, self.axis.cross(&e)]
    }

    /// The contact of its lowest point over a face through `on_plane` with the outward normal `n`; normal of the contact away from the face.
    pub fn over(
        &self,
        geometry: &ContactGeometry,
        (on_plane, n): (Vec3, Vec3),
        (outline, pose): (&FaceOutline, &Pose),
    ) -> ContactFrame {
        let in_disc = n - self.axis * n.dot(&self.axis);
        let sine = in_disc.norm();
        let flat = sine <= FLAT_DISC;
        let mut arm = if flat { self.lowest[0] } else { in_disc * (-self.radius / sine) };
        if !flat && arm.dot(&self.lowest[1]) < 0.0 {
            // The lowest end of the half of the rim about the point that is followed.
            let end = self.axis.cross(&self.lowest[1]);
            arm = end * (-self.radius * n.dot(&end).signum() / end.norm());
        }
        let gap = n.dot(&(self.centre + arm - on_plane));
        let frame = ContactFrame { gap, normal: n, point: self.centre + arm - n * (0.5 * gap) };
        let (excess, crossing) = match *outline {
            FaceOutline::Unbounded => return frame,
            FaceOutline::Disc { centre, radius } => {
                let centre = pose.point(&centre);
                let arm = frame.point - centre;
                let excess = (arm - n * n.dot(&arm)).norm() - radius;
                (excess, (excess > 0.0).then(|| self.over_disc(centre, radius, &n)).flatten())
            }
            FaceOutline::Polygon { part, face } => {
                self.over_polygon(geometry, (part, face), pose, (&frame.point, &n))
            }
        };
        match crossing {
            _ if excess <= 0.0 => frame,
            Some((point, height, across)) => {
                let gap = height * across.dot(&n);
                ContactFrame { gap, normal: across, point: point - across * (0.5 * gap) }
            }
            // Beside the face.
            None => ContactFrame { gap: gap + excess, ..frame },
        }
    }

    /// Its lowest crossing with the rim of a disc, seen along the normal of the disc.
    fn over_disc(&self, centre: Vec3, radius: f64, n: &Vec3) -> Option<(Vec3, f64, Vec3)> {
        let flat = |v: Vec3| v - n * n.dot(&v);
        let apart = flat(self.centre - centre);
        let d = apart.norm();
        if d <= (self.radius - radius).abs() || d >= self.radius + radius {
            return None;
        }
        let e = apart / d;
        let at = (d * d + radius * radius - self.radius * self.radius) / (2.0 * d);
        let across = n.cross(&e) * (radius * radius - at * at).max(0.0).sqrt();
        let [x, y] = self.axes();
        let mut lowest = Lowest(None);
        for side in [1.0, -1.0] {
            let guess = e * at + across * side - apart;
            let mut angle = y.dot(&guess).atan2(x.dot(&guess));
            for _ in 0..MAX_ITERATIONS {
                let (sin, cos) = angle.sin_cos();
                let arm = self.centre + (x * cos + y * sin) * self.radius - centre;
                let tangent = (y * cos - x * sin) * self.radius;
                let flat = flat(arm);
                let f = flat.norm_squared() - radius * radius;
                let change = f / (2.0 * flat.dot(&tangent));
                if f.abs() <= ON_RIM * radius * radius {
                    lowest.add(self, n, (arm + centre, n.dot(&arm), n.cross(&flat)));
                    break;
                }
                if !(change.abs() < 1.0) {
                    break;
                }
                angle -= change;
            }
        }
        lowest.0
    }

    /// How far a point lies outside of a face of a polytope, and, if it does, the lowest crossing with its sides, seen along its normal.
    fn over_polygon(
        &self,
        geometry: &ContactGeometry,
        (part, face): (usize, u32),
        pose: &Pose,
        (point, n): (&Vec3, &Vec3),
    ) -> (f64, Option<(Vec3, f64, Vec3)>) {
        let part = &geometry.parts[part];
        let PartShape::Solid(Solid::Polytope(polytope)) = &part.shape else { return (0.0, None) };
        let at = pose.then(&part.offset);
        let Some(face) = polytope.faces().get(face as usize) else { return (0.0, None) };
        let corners = polytope.face_loop(face);
        let vertex = |k: usize| at.point(&polytope.vertices()[corners[k % corners.len()] as usize]);
        let outward = |k: usize| (vertex(k + 1) - vertex(k)).cross(n).normalize();
        let excess = (0..corners.len())
            .map(|k| outward(k).dot(&(point - vertex(k))))
            .fold(f64::NEG_INFINITY, f64::max);
        if excess <= 0.0 {
            return (excess, None);
        }
        let [x, y] = self.axes();
        let mut lowest = Lowest(None);
        for k in 0..corners.len() {
            let (v, m) = (vertex(k), outward(k));
            let side = vertex(k + 1) - v;
            // m·(c - v) + R (m·x cos φ + m·y sin φ) = 0
            let (a, b) = (m.dot(&x) * self.radius, m.dot(&y) * self.radius);
            let (amplitude, level) = (a.hypot(b), -m.dot(&(self.centre - v)));
            if !(level.abs() < amplitude) {
                continue;
            }
            let (phase, half) = (b.atan2(a), (level / amplitude).acos());
            for angle in [phase - half, phase + half] {
                let (sin, cos) = angle.sin_cos();
                let point = self.centre + (x * cos + y * sin) * self.radius;
                let along = side.dot(&(point - v)) / side.norm_squared();
                if (0.0..=1.0).contains(&along) {
                    lowest.add(self, n, (point, n.dot(&(point - v)), side));
                }
            }
        }
        (excess, lowest.0)
    }
}
