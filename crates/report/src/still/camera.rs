//! From space to the picture: a camera, and where it must stand to see a set of points.
//!
//! With the axes of the picture given, points fit between the sides of a rectangle when the eye stands behind four planes: for
//! coordinates `x` to the right and `z` towards the viewer and a half width `t` at unit distance, `|x - e_x| ≤ t (e_z - z)`.
//! The nearest such eye is `e_z = (max(x + t z) + max(-x + t z)) / 2t`, the same upwards, whichever is farther.

use percussion_geometry::Vec3;

/// Half the opening angle along the longer side of a picture, rad: a long lens, with little distortion.
const HALF_ANGLE: f64 = 0.19;
/// The eye keeps this distance from what it sees, in sizes of it.
const CLEARANCE: f64 = 0.5;

/// How lines of sight run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lens {
    /// Through the eye.
    Perspective,
    /// Parallel to each other.
    Parallel,
}

/// From where a scene is seen, but not from how far.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct View {
    /// From the scene to the viewer.
    pub towards: Vec3,
    /// What is up in the picture.
    pub up: Vec3,
    /// How lines of sight run.
    pub lens: Lens,
}

/// A rectangle of a picture, in pixels.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Area {
    /// Its left side.
    pub left: f64,
    /// Its upper side.
    pub top: f64,
    /// Its width.
    pub width: f64,
    /// Its height.
    pub height: f64,
}

/// A camera: what a point of space is in the picture.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Camera {
    /// Where the viewer is; with parallel lines of sight, a point that is seen in the middle.
    pub eye: Vec3,
    /// To the right in the picture, a unit vector as the next two.
    pub right: Vec3,
    /// Up in the picture.
    pub up: Vec3,
    /// From the picture to the viewer.
    pub back: Vec3,
    /// How lines of sight run.
    pub lens: Lens,
    /// Pixels of a unit at unit distance; with parallel lines of sight, of a unit.
    pub scale: f64,
    /// Where the axis of the camera meets the picture, in pixels from its upper left corner.
    pub middle: [f64; 2],
}

/// Where a point is in a picture.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Spot {
    /// Pixels from the left.
    pub x: f64,
    /// Pixels from above.
    pub y: f64,
    /// Greater for what is nearer, and affine in `x` and `y` along a plane: the inverse of the distance along the axis, or
    /// minus the distance when lines of sight are parallel.
    pub near: f64,
}

impl View {
    /// Right, up and back; whatever is asked for, they are orthonormal.
    fn axes(&self) -> [Vec3; 3] {
        let back = self.towards.try_normalize(0.0).unwrap_or(-Vec3::y());
        let across = |up: Vec3| up.cross(&back).try_normalize(1e-9);
        let right =
            across(self.up).or_else(|| across(Vec3::z())).or_else(|| across(Vec3::y())).unwrap_or(Vec3::x());
        [right, back.cross(&right), back]
    }

    /// Width over height of points as they are seen from far away.
    pub fn aspect(&self, points: &[Vec3]) -> f64 {
        let [right, up, _] = self.axes();
        let span = |axis: Vec3| spread(points.iter().map(|p| axis.dot(p)));
        let ratio = span(right) / span(up);
        if ratio.is_finite() && ratio > 0.0 { ratio } else { 1.0 }
    }
}

impl Camera {
    /// The camera that sees all points inside an area of a picture, as large as they can be.
    pub fn fit(view: &View, points: &[Vec3], area: &Area) -> Self {
        let [right, up, back] = view.axes();
        let (width, height) = (area.width.max(1.0), area.height.max(1.0));
        let middle = [area.left + 0.5 * area.width, area.top + 0.5 * area.height];
        let greatest = |axis: Vec3| points.iter().map(|p| axis.dot(p)).fold(f64::NEG_INFINITY, f64::max);
        let [east, west, north, south] = [right, -right, up, -up].map(greatest);
        let (front, behind) = (greatest(back), greatest(-back));
        let size = (east + west).max(north + south).max(front + behind);
        if !(size.is_finite() && size > 0.0) {
            // A single point, or none: a metre about it.
            let about = points.first().copied().filter(|p| p.iter().all(|v| v.is_finite()));
            let about = about.unwrap_or_else(Vec3::zeros);
            return Self::fit(view, &[about.add_scalar(-0.5), about.add_scalar(0.5)], area);
        }
        if view.lens == Lens::Parallel {
            let scale = (width / (east + west).max(1e-3 * size)).min(height / (north + south).max(1e-3 * size));
            let eye = right * (0.5 * (east - west)) + up * (0.5 * (north - south)) + back * (front + size);
            return Self { eye, right, up, back, lens: view.lens, scale, middle };
        }
        let scale = 0.5 * width.max(height) / HALF_ANGLE.tan();
        let between = |axis: Vec3, half: f64| {
            let [plus, minus] = [axis, -axis].map(|axis| greatest(axis + back * half));
            ((plus + minus) / (2.0 * half), 0.5 * (plus - minus))
        };
        let (by_width, x) = between(right, 0.5 * width / scale);
        let (by_height, y) = between(up, 0.5 * height / scale);
        let z = by_width.max(by_height).max(front + CLEARANCE * size);
        Self { eye: right * x + up * y + back * z, right, up, back, lens: view.lens, scale, middle }
    }

    /// Distance of a point from the eye along the axis.
    pub fn distance(&self, point: &Vec3) -> f64 {
        -self.back.dot(&(point - self.eye))
    }

    /// Where a point is in the picture; nothing where it is not before the eye.
    pub fn project(&self, point: &Vec3) -> Option<Spot> {
        let arm = point - self.eye;
        let distance = -self.back.dot(&arm);
        let (scale, near) = match self.lens {
            Lens::Parallel => (self.scale, -distance),
            Lens::Perspective if distance > 0.0 => (self.scale / distance, 1.0 / distance),
            Lens::Perspective => return None,
        };
        let x = self.middle[0] + scale * self.right.dot(&arm);
        let y = self.middle[1] - scale * self.up.dot(&arm);
        (x.is_finite() && y.is_finite()).then_some(Spot { x, y, near })
    }

    /// Pixels per metre where a point is.
    pub fn magnification(&self, point: &Vec3) -> f64 {
        match self.lens {
            Lens::Parallel => self.scale,
            Lens::Perspective => self.scale / self.distance(point).max(f64::MIN_POSITIVE),
        }
    }

    /// A point of the line of sight through a pixel, and the direction in which it runs on.
    pub fn sight(&self, x: f64, y: f64) -> (Vec3, Vec3) {
        let [dx, dy] = [x - self.middle[0], self.middle[1] - y].map(|d| d / self.scale);
        let aside = self.right * dx + self.up * dy;
        match self.lens {
            Lens::Parallel => (self.eye + aside, -self.back),
            Lens::Perspective => (self.eye, aside - self.back),
        }
    }

    /// From a point to the viewer; not a unit vector.
    pub fn towards(&self, point: &Vec3) -> Vec3 {
        match self.lens {
            Lens::Parallel => self.back,
            Lens::Perspective => self.eye - point,
        }
    }
}

/// Greatest less least.
fn spread(values: impl Iterator<Item = f64>) -> f64 {
    let (low, high) =
        values.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), v| (low.min(v), high.max(v)));
    high - low
}
