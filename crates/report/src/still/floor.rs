//! Floors and walls: unbounded planes, drawn around the bodies, with a grid and with shadows.
//!
//! A plane has coordinates `u`, `v` in metres; in the picture they are quotients of affine functions of the pixel, so
//! that their change from pixel to pixel is known and lines of the grid have the same width near and far. Planes are
//! cut where they meet each other: six of them are a box. Those that the viewer is behind hide nothing.

use super::camera::{Camera, Lens};
use super::canvas::Canvas;
use super::context::VisibleRegion;
use super::shadow::Shadow;
use super::theme::Theme;
use percussion_geometry::Vec3;

/// Extent of a plane beyond the bodies before it, relative to their radius.
const MARGIN: f64 = 1.0;
/// Start of fading, as a fraction of that.
const FADE: f64 = 0.1;
/// Cells smaller than this in pixels are not drawn.
const SMALLEST_CELL: f64 = 5.0;

/// A plane to draw.
#[derive(Clone, Debug)]
pub struct Floor {
    pub origin: Vec3,
    pub normal: Vec3,
    pub u: Vec3,
    pub v: Vec3,
    /// Corners of the piece that is drawn, counter-clockwise, in its coordinates.
    pub corners: Vec<[f64; 2]>,
    /// The middle of the rectangle behind the bodies, in its coordinates.
    pub middle: [f64; 2],
    /// Half the sides of that.
    half: [f64; 2],
    /// Extent beyond it, m.
    margin: f64,
}

impl Floor {
    /// A plane through a point, limited to the surroundings of the bodies before it.
    pub fn new(point: &Vec3, normal: &Vec3, scope: &VisibleRegion) -> Self {
        // The grid stands at round coordinates: the origin is the point nearest to that of the world.
        let origin = normal * normal.dot(point);
        let first = if normal.x.abs() < 0.9 { Vec3::x() } else { Vec3::y() };
        let u = (first - normal * normal.dot(&first)).normalize();
        let v = normal.cross(&u);
        let (mut middle, mut half) = ([0.0; 2], [0.0; 2]);
        for (k, axis) in [u, v].iter().enumerate() {
            let least = scope.points.iter().map(|p| axis.dot(&(p - origin))).fold(f64::INFINITY, f64::min);
            let most = scope.points.iter().map(|p| axis.dot(&(p - origin))).fold(f64::NEG_INFINITY, f64::max);
            if least <= most {
                (middle[k], half[k]) = (0.5 * (least + most), 0.5 * (most - least));
            }
        }
        let mut floor = Self {
            origin,
            normal: *normal,
            u,
            v,
            corners: Vec::new(),
            middle,
            half,
            margin: MARGIN * scope.radius,
        };
        let [x, y] = floor.reach();
        floor.corners =
            [[-x, -y], [x, -y], [x, y], [-x, y]].map(|c| [middle[0] + c[0], middle[1] + c[1]]).to_vec();
        floor
    }

    /// Extent from its middle.
    pub fn reach(&self) -> [f64; 2] {
        self.half.map(|half| half + self.margin)
    }

    /// Planes, each cut off where it is behind another.
    pub fn cut(mut all: Vec<Floor>) -> Vec<Floor> {
        let planes: Vec<(Vec3, Vec3)> = all.iter().map(|floor| (floor.origin, floor.normal)).collect();
        for (k, floor) in all.iter_mut().enumerate() {
            for (other, (point, normal)) in planes.iter().enumerate() {
                if other != k && normal.dot(&floor.normal) < 1.0 - 1e-9 {
                    floor.clip(point, normal);
                }
            }
        }
        all.retain(|floor| floor.corners.len() > 2);
        all
    }

    /// Whether the viewer is before it.
    pub fn faces(&self, camera: &Camera) -> bool {
        self.normal.dot(&camera.towards(&self.origin)) > 0.0
    }

    /// Keeps what is before a plane.
    fn clip(&mut self, point: &Vec3, normal: &Vec3) {
        let height = |c: &[f64; 2]| normal.dot(&(self.at(c) - point));
        let heights: Vec<f64> = self.corners.iter().map(height).collect();
        let mut kept = Vec::new();
        for (k, corner) in self.corners.iter().enumerate() {
            let next = (k + 1) % self.corners.len();
            let (h, g) = (heights[k], heights[next]);
            if h >= 0.0 {
                kept.push(*corner);
            }
            if (h >= 0.0) != (g >= 0.0) {
                let t = h / (h - g);
                let to = self.corners[next];
                kept.push([corner[0] + t * (to[0] - corner[0]), corner[1] + t * (to[1] - corner[1])]);
            }
        }
        self.corners = kept;
    }

    /// A point of it.
    pub fn at(&self, c: &[f64; 2]) -> Vec3 {
        self.origin + self.u * c[0] + self.v * c[1]
    }

    /// Height of a point above it.
    pub fn height(&self, point: &Vec3) -> f64 {
        self.normal.dot(&(point - self.origin))
    }

    /// Whether others cut it off on all sides.
    pub fn is_walled(&self) -> bool {
        let [x, y] = self.reach();
        let inner = |c: &[f64; 2]| {
            (c[0] - self.middle[0]).abs() < 0.999_999 * x && (c[1] - self.middle[1]).abs() < 0.999_999 * y
        };
        self.corners.iter().all(inner)
    }

    /// Draws it on a canvas.
    pub fn draw(
        &self,
        canvas: &mut Canvas,
        camera: &Camera,
        shadow: Option<&Shadow>,
        grid: Option<f64>,
        theme: Theme,
    ) {
        let seen = Chart::of(self, camera);
        let sides = self.sides();
        let [r, g, b] = theme.floor().map(|v| f32::from(v) / 255.0);
        for y in 0..canvas.height {
            for x in 0..canvas.width {
                let Some(spot) = seen.at(x as f64 + 0.5, y as f64 + 0.5) else { continue };
                let [u, v] = spot.place;
                let beyond = |k: usize, at: f64| ((at - self.middle[k]).abs() - self.half[k]).max(0.0);
                let off = (beyond(0, u).powi(2) + beyond(1, v).powi(2)).sqrt() / self.margin;
                if !(off < 1.0) {
                    continue;
                }
                let inside = sides.iter().map(|side| side.distance(&spot)).fold(f64::INFINITY, f64::min);
                let strength = fade(off) * (inside + 0.5).clamp(0.0, 1.0);
                if strength <= 0.0 {
                    continue;
                }
                let line = grid.map_or(0.0, |cell| spot.grid(cell));
                let tint = ((0.045 + 0.16 * line) * strength) as f32;
                canvas.over(x, y, [r * tint, g * tint, b * tint, tint]);
                let dark = shadow.map_or(0.0, |shadow| shadow.at([u, v])) * theme.shadow() * strength as f32;
                if dark > 0.0 {
                    canvas.over(x, y, [0.0, 0.0, 0.0, dark]);
                }
            }
        }
    }

    /// Its sides, as functions that are positive inside.
    fn sides(&self) -> Vec<Side> {
        let n = self.corners.len();
        (0..n)
            .map(|k| (self.corners[k], self.corners[(k + 1) % n]))
            .map(|(a, b)| {
                let along = [b[0] - a[0], b[1] - a[1]];
                let length = along[0].hypot(along[1]).max(f64::MIN_POSITIVE);
                let inward = [-along[1] / length, along[0] / length];
                Side { inward, offset: inward[0] * a[0] + inward[1] * a[1] }
            })
            .collect()
    }
}

/// One within, zero at the rim, smooth between.
fn fade(off: f64) -> f64 {
    let t = ((1.0 - off) / (1.0 - FADE)).clamp(0.0, 1.0);
    t * t * (3.0 - 2.0 * t)
}

struct Side {
    inward: [f64; 2],
    offset: f64,
}

impl Side {
    /// Distance from it in pixels.
    fn distance(&self, spot: &Seen) -> f64 {
        let [a, b] = self.inward;
        let value = a * spot.place[0] + b * spot.place[1] - self.offset;
        let slope = |k: usize| a * spot.slope[0][k] + b * spot.slope[1][k];
        value / (slope(0).powi(2) + slope(1).powi(2)).sqrt().max(f64::MIN_POSITIVE)
    }
}

/// The point of a plane at a pixel.
#[derive(Clone, Copy, Debug)]
pub struct Seen {
    /// Coordinates.
    pub place: [f64; 2],
    /// Derivatives of both, to the right and downwards, m per pixel.
    pub slope: [[f64; 2]; 2],
}

impl Seen {
    /// The fraction of the pixel covered by lines of the grid.
    fn grid(&self, cell: f64) -> f64 {
        let mut line: f64 = 0.0;
        for k in 0..2 {
            let slope = (self.slope[k][0].powi(2) + self.slope[k][1].powi(2)).sqrt().max(f64::MIN_POSITIVE);
            let off = (self.place[k] / cell - (self.place[k] / cell).round()).abs() * cell / slope;
            let dense = ((cell / slope - SMALLEST_CELL) / SMALLEST_CELL).clamp(0.0, 1.0);
            line = line.max(dense * (1.0 - off).clamp(0.0, 1.0));
        }
        line
    }
}

/// From pixels to coordinates of a plane.
pub struct Chart {
    /// Numerators of both coordinates and the denominator: value at the corner of the picture, changes to the right
    /// and downwards.
    parts: [[f64; 3]; 3],
    /// The sign of the denominator where the plane is before the eye.
    sign: f64,
}

impl Chart {
    pub fn of(floor: &Floor, camera: &Camera) -> Self {
        let n = &floor.normal;
        let at = |x: f64, y: f64| {
            let (start, way) = camera.sight(x, y);
            let arm = start - floor.origin;
            let (steep, height) = (n.dot(&way), n.dot(&arm));
            // Height over steepness is how far the sight runs; both are affine in the pixel, and so are the products
            // for one lens.
            [&floor.u, &floor.v]
                .map(|axis| axis.dot(&arm) * steep - height * axis.dot(&way))
                .into_iter()
                .chain([steep])
        };
        let corner: Vec<f64> = at(0.0, 0.0).collect();
        let (right, below): (Vec<f64>, Vec<f64>) = (at(1.0, 0.0).collect(), at(0.0, 1.0).collect());
        let parts = std::array::from_fn(|k| [corner[k], right[k] - corner[k], below[k] - corner[k]]);
        let above = n.dot(&(camera.eye - floor.origin));
        let sign = if camera.lens == Lens::Perspective { -above.signum() } else { 0.0 };
        Self { parts, sign }
    }

    /// The point at a position of the picture; none above the horizon.
    pub fn at(&self, x: f64, y: f64) -> Option<Seen> {
        let [u, v, below] = self.parts.each_ref().map(|p| p[0] + p[1] * x + p[2] * y);
        if below == 0.0 || self.sign != 0.0 && below.signum() != self.sign {
            return None;
        }
        let place = [u / below, v / below];
        let slope = std::array::from_fn(|k| {
            [1, 2].map(|way| (self.parts[k][way] - place[k] * self.parts[2][way]) / below)
        });
        Some(Seen { place, slope })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::still::camera::{Area, View};

    fn scope() -> VisibleRegion {
        VisibleRegion::of(vec![Vec3::new(-1.0, -2.0, 0.5), Vec3::new(2.0, 1.0, 1.0)])
    }

    fn cameras() -> [Camera; 2] {
        let area = Area { left: 30.0, top: 20.0, width: 500.0, height: 300.0 };
        [Lens::Perspective, Lens::Parallel].map(|lens| {
            let view = View { towards: Vec3::new(0.4, -0.8, 0.5), up: Vec3::z(), lens };
            Camera::fit(&view, &scope().points, &area)
        })
    }

    /// The chart undoes the projection, and its slopes are differences.
    #[test]
    fn pixels_have_the_coordinates_of_the_plane() {
        let normal = Vec3::new(0.1, -0.3, 0.9).normalize();
        let floor = Floor::new(&Vec3::new(0.0, 0.0, -0.2), &normal, &scope());
        for camera in cameras() {
            let chart = Chart::of(&floor, &camera);
            for c in [[0.0, 0.0], [1.3, -0.4], [-0.7, 1.1]] {
                let spot = camera.project(&floor.at(&c)).unwrap();
                let seen = chart.at(spot.x, spot.y).unwrap();
                let step = 1e-4;
                let moved =
                    [chart.at(spot.x + step, spot.y).unwrap(), chart.at(spot.x, spot.y + step).unwrap()];
                for k in 0..2 {
                    assert!((seen.place[k] - c[k]).abs() < 1e-9, "{:?} {c:?}", seen.place);
                    for (way, there) in moved.iter().enumerate() {
                        let slope = (there.place[k] - seen.place[k]) / step;
                        assert!((slope - seen.slope[k][way]).abs() < 1e-6 * (1.0 + slope.abs()));
                    }
                }
            }
        }
    }

    #[test]
    fn nothing_is_above_the_horizon() {
        let floor = Floor::new(&Vec3::zeros(), &Vec3::z(), &scope());
        let camera = cameras()[0];
        let chart = Chart::of(&floor, &camera);
        // The direction of the horizon, to which horizontal sights go.
        let level = -(camera.back - Vec3::z() * camera.back.z);
        let horizon = camera.project(&(camera.eye + level)).unwrap();
        assert!(chart.at(horizon.x, horizon.y - 1.0).is_none());
        assert!(chart.at(horizon.x, horizon.y + 1.0).is_some());
    }

    /// Six planes that face each other are the walls of a box.
    #[test]
    fn planes_cut_each_other_to_a_box() {
        let sides = [Vec3::x(), Vec3::y(), Vec3::z()].into_iter().flat_map(|axis| [axis, -axis]);
        let half = Vec3::new(2.2, 2.4, 1.4);
        let all = sides.map(|n| Floor::new(&-n.component_mul(&half), &n, &scope())).collect();
        let walls = Floor::cut(all);
        assert_eq!(walls.len(), 6);
        for wall in &walls {
            assert!(wall.is_walled());
            assert_eq!(wall.corners.len(), 4);
            for c in &wall.corners {
                assert!((wall.at(c).abs() - half).norm() < 1e-12);
            }
        }
        // Three of them face the viewer with their inside.
        assert_eq!(walls.iter().filter(|wall| wall.faces(&cameras()[0])).count(), 3);
    }

    /// Lines of the grid keep their width: a pixel in a row of `n` per cell is covered by the share 1/n.
    #[test]
    fn lines_of_the_grid_are_a_pixel_wide() {
        for cells in [20.0, 47.3] {
            let seen =
                |x: f64| Seen { place: [x / cells, 0.5], slope: [[1.0 / cells, 0.0], [0.0, 1.0 / cells]] };
            let ink: f64 = (0..10_000).map(|k| seen(f64::from(k) + 0.5).grid(1.0)).sum();
            assert!((ink / 10_000.0 * cells - 1.0).abs() < 0.01, "{ink}");
        }
    }
}
