//! From space to the picture: a camera, and its position for a set of points in view.
//!
//! With the axes of the picture given, points fit between the sides of a rectangle when the eye stands behind four
//! planes: for coordinates `x` to the right and `z` towards the viewer and a half width `t` at unit distance, `|x -
//! e_x| ≤ t (e_z - z)`. The nearest such eye is `e_z = (max(x + t z) + max(-x + t z)) / 2t`, the same upwards,
//! whichever is farther.

use percussion_geometry::Vec3;

/// Half the opening angle along the longer side of a picture, rad: a long lens, with little distortion.
const HALF_ANGLE: f64 = 0.19;
/// Least distance of the eye from the points, relative to their extent.
const CLEARANCE: f64 = 0.5;

/// The projection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lens {
    /// Through the eye.
    Perspective,
    /// Parallel to each other.
    Parallel,
}

/// Direction of view, without the distance.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct View {
    /// From the scene to the viewer.
    pub towards: Vec3,
    /// The upward direction in the picture.
    pub up: Vec3,
    /// The projection.
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

/// A camera: the map from points of space to the picture.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Camera {
    /// Position of the viewer; with parallel projection, a point in the middle of the picture.
    pub eye: Vec3,
    /// To the right in the picture, a unit vector as the next two.
    pub right: Vec3,
    /// Up in the picture.
    pub up: Vec3,
    /// From the picture to the viewer.
    pub back: Vec3,
    /// The projection.
    pub lens: Lens,
    /// Pixels of a unit at unit distance; with parallel projection, of a unit.
    pub scale: f64,
    /// Intersection of the camera axis and the picture, in pixels from the upper left corner.
    pub middle: [f64; 2],
}

/// Position of a point in a picture.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ScreenPoint {
    /// Pixels from the left.
    pub x: f64,
    /// Pixels from above.
    pub y: f64,
    /// Greater for nearer points, and affine in `x` and `y` along a plane: the inverse of the distance along the axis, or
    /// minus the distance when lines of sight are parallel.
    pub near: f64,
}

impl View {
    /// Right, up and back, always orthonormal.
    fn axes(&self) -> [Vec3; 3] {
        let unit = |v: Vec3| v.try_normalize(1e-9).filter(|v| v.iter().all(|x| x.is_finite()));
        let back = unit(self.towards).unwrap_or(-Vec3::y());
        let across = |up: Vec3| unit(up.cross(&back));
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
    /// The nearest camera for which all points lie inside an area of a picture.
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
            let ends = [right, up, back].map(|axis| [about - axis * 0.5, about + axis * 0.5]);
            return Self::fit(view, ends.as_flattened(), area);
        }
        if view.lens == Lens::Parallel {
            let scale =
                (width / (east + west).max(1e-3 * size)).min(height / (north + south).max(1e-3 * size));
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

    /// Position of a point in the picture; none if it is behind the eye.
    pub fn project(&self, point: &Vec3) -> Option<ScreenPoint> {
        let arm = point - self.eye;
        let distance = -self.back.dot(&arm);
        let (scale, near) = match self.lens {
            Lens::Parallel => (self.scale, -distance),
            Lens::Perspective if distance > 0.0 => (self.scale / distance, 1.0 / distance),
            Lens::Perspective => return None,
        };
        let x = self.middle[0] + scale * self.right.dot(&arm);
        let y = self.middle[1] - scale * self.up.dot(&arm);
        (x.is_finite() && y.is_finite()).then_some(ScreenPoint { x, y, near })
    }

    /// Pixels per metre at a point.
    pub fn magnification(&self, point: &Vec3) -> f64 {
        match self.lens {
            Lens::Parallel => self.scale,
            Lens::Perspective => self.scale / self.distance(point).max(f64::MIN_POSITIVE),
        }
    }

    /// A point of the line of sight through a pixel, and its direction.
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

/// Maximum minus minimum.
fn spread(values: impl Iterator<Item = f64>) -> f64 {
    let (low, high) =
        values.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), v| (low.min(v), high.max(v)));
    high - low
}

#[cfg(test)]
mod tests {
    use super::*;

    const AREA: Area = Area { left: 20.0, top: 10.0, width: 200.0, height: 100.0 };

    fn view(lens: Lens) -> View {
        View { towards: -Vec3::y(), up: Vec3::z(), lens }
    }

    #[test]
    fn parallel_sights_show_a_square_where_it_should_be() {
        let corners = [Vec3::new(-1.0, 5.0, -1.0), Vec3::new(1.0, -5.0, 1.0)];
        let camera = Camera::fit(&view(Lens::Parallel), &corners, &AREA);
        assert_eq!(camera.scale, 50.0);
        let spot = camera.project(&Vec3::new(1.0, 3.0, 0.5)).unwrap();
        assert_eq!((spot.x, spot.y), (20.0 + 100.0 + 50.0, 10.0 + 50.0 - 25.0));
        let nearer = camera.project(&Vec3::new(1.0, 2.0, 0.5)).unwrap();
        assert!((nearer.near - spot.near - 1.0).abs() < 1e-14);
    }

    #[test]
    fn what_is_twice_as_far_is_half_as_large() {
        let camera = Camera {
            eye: Vec3::new(0.0, -10.0, 0.0),
            right: Vec3::x(),
            up: Vec3::z(),
            back: -Vec3::y(),
            lens: Lens::Perspective,
            scale: 500.0,
            middle: [320.0, 240.0],
        };
        let spot = |p: Vec3| camera.project(&p).map(|spot| [spot.x, spot.y]);
        assert_eq!(spot(Vec3::new(1.0, 0.0, 2.0)), Some([370.0, 140.0]));
        assert_eq!(spot(Vec3::new(1.0, 10.0, 2.0)), Some([345.0, 190.0]));
        assert_eq!(spot(camera.eye), None);
        assert_eq!(spot(Vec3::new(0.0, -11.0, 0.0)), None);
        let (start, way) = camera.sight(370.0, 140.0);
        assert!((start + way * 10.0 - Vec3::new(1.0, 0.0, 2.0)).norm() < 1e-14);
    }

    /// The camera is the nearest with all points in view: they are inside, and two opposite sides are touched.
    #[test]
    fn points_fill_the_area_that_is_meant_for_them() {
        let mut seed = 1u64;
        let mut number = || {
            seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (seed >> 33) as f64 / f64::from(1u32 << 31) - 0.5
        };
        for _ in 0..50 {
            let points: Vec<Vec3> = (0..20).map(|_| Vec3::new(3.0 * number(), number(), number())).collect();
            let towards = Vec3::new(number(), number() - 1.0, number().abs());
            for lens in [Lens::Perspective, Lens::Parallel] {
                let camera = Camera::fit(&View { towards, up: Vec3::z(), lens }, &points, &AREA);
                let spots: Vec<ScreenPoint> = points.iter().map(|p| camera.project(p).unwrap()).collect();
                let end = |of: fn(&ScreenPoint) -> f64, pick: fn(f64, f64) -> f64| {
                    spots.iter().map(of).reduce(pick).unwrap()
                };
                let (left, right) = (end(|s| s.x, f64::min) - 20.0, 220.0 - end(|s| s.x, f64::max));
                let (top, bottom) = (end(|s| s.y, f64::min) - 10.0, 110.0 - end(|s| s.y, f64::max));
                let gaps = [left, right, top, bottom];
                assert!(gaps.iter().all(|gap| *gap > -1e-9), "{gaps:?}");
                assert!((left + right).min(top + bottom) < 1e-9, "{gaps:?}");
            }
        }
    }

    #[test]
    fn nothing_and_a_point_are_seen_too() {
        for points in
            [vec![], vec![Vec3::new(3.0, 4.0, 5.0)], vec![Vec3::x(); 9], vec![Vec3::repeat(f64::NAN)]]
        {
            for lens in [Lens::Perspective, Lens::Parallel] {
                let camera = Camera::fit(&view(lens), &points, &AREA);
                let about = points.first().copied().filter(|p| p.x.is_finite()).unwrap_or_else(Vec3::zeros);
                let spot = camera.project(&about).unwrap();
                assert!((spot.x - 120.0).abs() < 1e-9 && (spot.y - 60.0).abs() < 1e-9, "{spot:?}");
            }
        }
        // A line along the sight, seen end on.
        let camera = Camera::fit(&view(Lens::Perspective), &[Vec3::zeros(), Vec3::y()], &AREA);
        assert!(camera.distance(&Vec3::zeros()) > 0.1);
        // A view along the upward direction.
        let along = View { towards: Vec3::z(), up: Vec3::z(), lens: Lens::Perspective };
        assert!(Camera::fit(&along, &[Vec3::zeros(), Vec3::x()], &AREA).project(&Vec3::x()).is_some());
    }
}
