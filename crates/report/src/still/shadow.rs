//! Shadows on planes: triangles projected along many directions of a small lamp, on a fine raster of the plane. Where a
//! body touches the plane its shadow is sharp, far from it soft.

use super::floor::Floor;
use percussion_geometry::Vec3;
use std::f64::consts::TAU;

/// Points along a side of the raster.
const SIDE: usize = 640;
/// Tangent of the angle under which the lamp is seen from its middle.
const LAMP: f64 = 0.13;
/// Smallest sine of the angle of incidence; flatter light is ignored.
const GRAZING: f64 = 0.15;

/// The hidden fraction of the lamp at points of a plane, from 0 to 1.
#[derive(Clone, Debug)]
pub struct Shadow {
    low: [f64; 2],
    step: [f64; 2],
    dark: Vec<f32>,
}

impl Shadow {
    /// Full light on what a floor shows.
    pub fn new(floor: &Floor) -> Self {
        let [x, y] = floor.reach();
        let step = [x, y].map(|half| 2.0 * half / SIDE as f64);
        let low = [floor.middle[0] - x, floor.middle[1] - y];
        Self { low, step, dark: vec![0.0; SIDE * SIDE] }
    }

    /// Adds the shadow of triangles in light from `light`, a unit vector, sampled at `lamps` points of the
    /// lamp. Several shadows multiply by their opacity.
    pub fn cast(&mut self, floor: &Floor, triangles: &[[Vec3; 3]], light: &Vec3, lamps: usize, opacity: f32) {
        if light.dot(&floor.normal) < GRAZING || triangles.is_empty() {
            return;
        }
        let mut hidden = vec![0u16; SIDE * SIDE];
        let mut marked = vec![0u16; SIDE * SIDE];
        for lamp in 0..lamps {
            let ray = self::ray(floor, light, lamp, lamps);
            for triangle in triangles {
                let thrown = triangle.map(|p| {
                    let arm = p - floor.origin;
                    let height = floor.normal.dot(&arm);
                    [
                        (floor.u.dot(&arm) - height * ray[0] - self.low[0]) / self.step[0],
                        (floor.v.dot(&arm) - height * ray[1] - self.low[1]) / self.step[1],
                    ]
                });
                fill(&mut marked, lamp as u16 + 1, &mut hidden, &thrown);
            }
        }
        // Between the shadows of two points of the lamp there is none.
        let lowest = triangles.iter().flatten().map(|p| floor.height(p)).fold(f64::INFINITY, f64::min);
        let apart = LAMP * lowest.max(0.0) / (lamps as f64).sqrt();
        let reach = self.step.map(|step| (1 + (0.8 * apart / step) as usize).min(SIDE / 16));
        let mut hidden: Vec<f32> = hidden.into_iter().map(f32::from).collect();
        for _ in 0..2 {
            blur(&mut hidden, reach);
        }
        let share = opacity / lamps as f32;
        for (dark, n) in self.dark.iter_mut().zip(&hidden) {
            *dark = 1.0 - (1.0 - *dark) * (1.0 - share * *n);
        }
    }

    /// The darkness at a place of the plane.
    pub fn at(&self, place: [f64; 2]) -> f32 {
        let [x, y] = [0, 1].map(|k| (place[k] - self.low[k]) / self.step[k] - 0.5);
        if !(x >= 0.0 && y >= 0.0 && x < (SIDE - 1) as f64 && y < (SIDE - 1) as f64) {
            return 0.0;
        }
        let (column, row) = (x as usize, y as usize);
        let (s, t) = ((x - column as f64) as f32, (y - row as f64) as f32);
        let first = row * SIDE + column;
        let across = |at: usize| self.dark[at] + s * (self.dark[at + 1] - self.dark[at]);
        let (above, below) = (across(first), across(first + SIDE));
        above + t * (below - above)
    }
}

/// Offset of the shadow of a point one metre above the plane, by one point of the lamp.
fn ray(floor: &Floor, light: &Vec3, lamp: usize, lamps: usize) -> [f64; 2] {
    let rise = light.dot(&floor.normal);
    // Fibonacci lattice on a disc.
    let (radius, angle) =
        (((lamp as f64 + 0.5) / lamps as f64).sqrt(), lamp as f64 * TAU * 0.381_966_011_250_105);
    let (sin, cos) = angle.sin_cos();
    let aside = if lamps == 1 { 0.0 } else { LAMP * radius };
    [light.dot(&floor.u) / rise + aside * cos, light.dot(&floor.v) / rise + aside * sin]
}

/// Marks the points of the raster inside a triangle, and counts those that were not marked before.
fn fill(marked: &mut [u16], mark: u16, count: &mut [u16], at: &[[f64; 2]; 3]) {
    let low = at.iter().map(|p| p[1]).fold(f64::INFINITY, f64::min);
    let high = at.iter().map(|p| p[1]).fold(f64::NEG_INFINITY, f64::max);
    let place = |v: f64| (v - 0.5).ceil().clamp(0.0, SIDE as f64) as usize;
    for row in place(low)..place(high) {
        let Some([left, right]) = super::layer::crossed(at, row as f64 + 0.5) else { continue };
        for k in row * SIDE + place(left)..row * SIDE + place(right) {
            if marked[k] != mark {
                marked[k] = mark;
                count[k] += 1;
            }
        }
    }
}

/// Means over the neighbours within a reach, across and down.
fn blur(values: &mut [f32], reach: [usize; 2]) {
    let mut line = [0.0; SIDE];
    for (way, (step, other)) in [(1, SIDE), (SIDE, 1)].into_iter().enumerate() {
        let width = 2 * reach[way] + 1;
        for first in (0..SIDE).map(|k| k * other) {
            for (k, value) in line.iter_mut().enumerate() {
                *value = values[first + k * step];
            }
            // Counts of a few dozen: what is left of their sums is rounding.
            let mut sum: f32 = line[..reach[way]].iter().sum();
            for k in 0..SIDE {
                sum += line.get(k + reach[way]).unwrap_or(&0.0);
                sum -= k.checked_sub(reach[way] + 1).map_or(0.0, |before| line[before]);
                values[first + k * step] = sum.max(0.0) / width as f32;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::still::context::VisibleRegion;

    fn floor() -> Floor {
        Floor::new(
            &Vec3::zeros(),
            &Vec3::z(),
            &VisibleRegion::of(vec![Vec3::new(-2.0, -2.0, 0.0), Vec3::new(2.0, 2.0, 2.0)]),
        )
    }

    /// A level square with half side `half` and its middle at a point.
    fn square(middle: Vec3, half: f64) -> Vec<[Vec3; 3]> {
        let at = |x: f64, y: f64| middle + Vec3::new(half * x, half * y, 0.0);
        vec![[at(-1.0, -1.0), at(1.0, -1.0), at(1.0, 1.0)], [at(-1.0, -1.0), at(1.0, 1.0), at(-1.0, 1.0)]]
    }

    /// Area and middle of a shadow, by a sum over the plane.
    fn moments(shadow: &Shadow) -> (f64, [f64; 2]) {
        let (n, step) = (1000, 0.008);
        let (mut area, mut first) = (0.0, [0.0; 2]);
        for k in 0..n * n {
            let place = [k % n, k / n].map(|i| (i as f64 + 0.5) * step - 4.0);
            let dark = f64::from(shadow.at(place)) * step * step;
            area += dark;
            first = [first[0] + dark * place[0], first[1] + dark * place[1]];
        }
        (area, first.map(|m| m / area))
    }

    #[test]
    fn a_shadow_lies_where_the_light_puts_it() {
        let light = Vec3::new(-0.3, 0.2, 1.0).normalize();
        for lamps in [1, 48] {
            let mut shadow = Shadow::new(&floor());
            shadow.cast(&floor(), &square(Vec3::new(0.5, -0.5, 2.0), 0.4), &light, lamps, 1.0);
            let (area, middle) = moments(&shadow);
            // Sides are right to half a cell of the raster.
            let off = 0.5 * shadow.step[0];
            assert!((area - 0.64).abs() < 3.2 * off, "{area}");
            // Two metres up, along the light and down again.
            let expected = [0.5 + 2.0 * 0.3, -0.5 - 2.0 * 0.2];
            assert!((0..2).all(|k| (middle[k] - expected[k]).abs() < off), "{middle:?}");
        }
    }

    #[test]
    fn shadows_are_sharp_below_and_soft_far_away() {
        let partly = |height: f64| {
            let mut shadow = Shadow::new(&floor());
            shadow.cast(&floor(), &square(Vec3::new(0.0, 0.0, height), 0.5), &Vec3::z(), 48, 1.0);
            let row: Vec<f32> = (0..400).map(|k| shadow.at([f64::from(k) * 0.005, 0.0])).collect();
            row.iter().filter(|dark| **dark > 0.02 && **dark < 0.98).count() as f64 * 0.005
        };
        // A lamp of tangent 0.13 blurs by twice that times the height.
        let (near, far) = (partly(0.0), partly(1.5));
        assert!(near < 7.0 * Shadow::new(&floor()).step[0], "{near}");
        assert!((far - 0.39).abs() < 0.12, "{far}");
    }

    #[test]
    fn light_from_below_throws_none() {
        let mut shadow = Shadow::new(&floor());
        shadow.cast(&floor(), &square(Vec3::z(), 0.5), &-Vec3::z(), 8, 1.0);
        assert_eq!(shadow.at([0.0, 0.0]), 0.0);
    }
}
