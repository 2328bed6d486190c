//! Samples of a picture, several to a pixel: triangles and lines hide what is farther away.
//!
//! A sample belongs to a triangle when its middle lies between the sides, the left and the upper one included:
//! neighbours share no sample and leave none out. Surfaces are entered a little farther away than they are, by what
//! their depth changes in a sample and a half, so that lines on them are seen. A line is seen where its own axis is
//! seen: on the edge of a body it keeps its full width, though half of it lies on a face that comes nearer steeply.
//! Over other bodies each of its samples must be nearer.

use super::camera::{Lens, ScreenPoint};
use super::canvas::Canvas;
use std::ops::Range;

/// A corner of a triangle: position in the picture, and colour from 0 to 255.
#[derive(Clone, Copy, Debug)]
pub struct Corner {
    pub spot: ScreenPoint,
    pub rgb: [f32; 3],
}

/// A pen for lines.
#[derive(Clone, Copy, Debug)]
pub struct Pen {
    /// Width, pixels.
    pub width: f64,
    /// Colour.
    pub rgb: [u8; 3],
    /// Depth offset of its lines towards the viewer, m.
    pub lift: f64,
    /// The measure of nearness.
    pub lens: Lens,
}

impl Pen {
    fn lifted(&self, near: f64) -> f64 {
        match self.lens {
            Lens::Parallel => near + self.lift,
            // 1/(d - lift) to first order.
            Lens::Perspective => near + self.lift * near * near,
        }
    }
}

/// Samples: colour, owner and nearness.
#[derive(Clone, Debug)]
pub struct Layer {
    columns: usize,
    rows: usize,
    per: usize,
    /// The row of the canvas with which it begins.
    first: usize,
    /// The rows of the canvas it is laid on: slightly fewer, as the visibility of lines depends on the samples at their axes.
    within: Range<usize>,
    colour: Vec<[u8; 4]>,
    near: Vec<f32>,
    owner: Vec<u16>,
    /// First and last column and row that show something.
    touched: Option<[usize; 4]>,
}

/// Rows of pixels above and below those that are laid: half the width of a line at least.
const APRON: usize = 6;
/// The owner of empty samples.
pub const NOBODY: u16 = 0;

impl Layer {
    /// One without rows, for canvases of a width, with `per` times `per` samples to a pixel.
    pub fn new(width: usize, per: usize) -> Self {
        Self {
            columns: width * per,
            rows: 0,
            per,
            first: 0,
            within: 0..0,
            colour: Vec::new(),
            near: Vec::new(),
            owner: Vec::new(),
            touched: None,
        }
    }

    /// Clears the layer and moves it to some rows of a canvas.
    pub fn restart(&mut self, within: Range<usize>) {
        self.first = within.start.saturating_sub(APRON);
        self.rows = (within.end + APRON - self.first) * self.per;
        self.within = within;
        self.touched = None;
        let n = self.columns * self.rows;
        self.colour.clear();
        self.colour.resize(n, [0; 4]);
        self.near.clear();
        self.near.resize(n, f32::NEG_INFINITY);
        self.owner.clear();
        self.owner.resize(n, NOBODY);
    }

    /// Keeps nearness and removes colours: the samples only hide.
    pub fn clear_colours(&mut self) {
        let Some([left, right, top, bottom]) = self.touched.take() else { return };
        for row in top..=bottom {
            self.colour[row * self.columns + left..=row * self.columns + right].fill([0; 4]);
        }
    }

    fn touch(&mut self, [left, right, top, bottom]: [usize; 4]) {
        self.touched = Some(match self.touched {
            None => [left, right, top, bottom],
            Some([l, r, t, b]) => [l.min(left), r.max(right), t.min(top), b.max(bottom)],
        });
    }

    fn sampled(&self, spot: &ScreenPoint) -> [f64; 2] {
        [spot.x * self.per as f64, (spot.y - self.first as f64) * self.per as f64]
    }

    /// Draws a triangle; without `seen` it only hides what is behind it.
    pub fn triangle(&mut self, corners: &[Corner; 3], owner: u16, seen: bool) {
        let at = corners.each_ref().map(|c| self.sampled(&c.spot));
        let (top, bottom) = bounds(at.map(|p| p[1]), self.rows);
        if top >= bottom {
            return;
        }
        let Some(plane) = Plane::through(&at, corners.each_ref().map(|c| c.spot.near)) else { return };
        let near = plane.pushed_back();
        let rgb: [Plane; 3] = std::array::from_fn(|k| {
            Plane::through(&at, corners.each_ref().map(|c| f64::from(c.rgb[k]))).unwrap_or_default()
        });
        let flat = corners[0].rgb == corners[1].rgb && corners[1].rgb == corners[2].rgb;
        let paint = |x: f64, y: f64| rgb.each_ref().map(|c| c.at(x, y).round().clamp(0.0, 255.0) as u8);
        let plain = corners[0].rgb.map(|v| v.round().clamp(0.0, 255.0) as u8);
        let (mut leftmost, mut rightmost) = (usize::MAX, 0);
        for row in top..bottom {
            let y = row as f64 + 0.5;
            let Some(cut) = crossed(&at, y) else { continue };
            let (left, right) = bounds([cut[0], cut[1], cut[0]], self.columns);
            if left >= right {
                continue;
            }
            (leftmost, rightmost) = (leftmost.min(left), rightmost.max(right - 1));
            for column in left..right {
                let x = column as f64 + 0.5;
                let (here, place) = (near.at(x, y) as f32, row * self.columns + column);
                if here < self.near[place] {
                    continue;
                }
                self.near[place] = here;
                self.owner[place] = owner;
                if seen {
                    let [r, g, b] = if flat { plain } else { paint(x, y) };
                    self.colour[place] = [r, g, b, 255];
                } else {
                    self.colour[place] = [0; 4];
                }
            }
        }
        if seen && leftmost <= rightmost {
            self.touch([leftmost, rightmost, top, bottom - 1]);
        }
    }

    /// Draws a line on a body.
    pub fn line(&mut self, ends: [ScreenPoint; 2], pen: &Pen, owner: u16) {
        let [a, b] = ends.each_ref().map(|end| self.sampled(end));
        let half = 0.5 * pen.width * self.per as f64;
        let reach = half + 0.5;
        let along = [b[0] - a[0], b[1] - a[1]];
        let length = along[0] * along[0] + along[1] * along[1];
        let rows = bounds([a[1] - reach, b[1] - reach, a[1].max(b[1]) + reach], self.rows);
        let [r, g, blue] = pen.rgb.map(f64::from);
        for row in rows.0..rows.1 {
            let y = row as f64 + 0.5;
            let Some((low, high)) = band(a, b, y, reach) else { continue };
            let (left, right) = bounds([low, high, low], self.columns);
            for column in left..right {
                let x = column as f64 + 0.5;
                let share = ((x - a[0]) * along[0] + (y - a[1]) * along[1]) / length;
                let t = if length > 0.0 { share.clamp(0.0, 1.0) } else { 0.0 };
                let foot = [a[0] + t * along[0], a[1] + t * along[1]];
                let cover = (reach - ((x - foot[0]).powi(2) + (y - foot[1]).powi(2)).sqrt()).min(1.0);
                if !(cover > 0.0) {
                    continue;
                }
                let near = ends[0].near + t * (ends[1].near - ends[0].near);
                let lifted = pen.lifted(near) as f32;
                let place = row * self.columns + column;
                let before = self.owner[place] != owner && lifted < self.near[place];
                if before || self.hides(foot, lifted) {
                    continue;
                }
                let dst = &mut self.colour[place];
                for (value, ink) in dst.iter_mut().zip([r, g, blue, 255.0]) {
                    *value = (f64::from(*value) + cover * (ink - f64::from(*value))).round() as u8;
                }
            }
            if left < right {
                self.touch([left, right - 1, row, row]);
            }
        }
    }

    /// Whether the present content of a sample is nearer.
    fn hides(&self, at: [f64; 2], near: f32) -> bool {
        let place = |v: f64, end: usize| v.clamp(0.0, end as f64 - 1.0) as usize;
        near < self.near[place(at[1], self.rows) * self.columns + place(at[0], self.columns)]
    }

    /// Lays the means of the samples over a canvas.
    pub fn lay(&self, canvas: &mut Canvas, opacity: f32) {
        let Some([left, right, top, bottom]) = self.touched else { return };
        let share = 1.0 / (255.0 * (self.per * self.per) as f32);
        let rows = (top / self.per).max(self.within.start - self.first)
            ..(bottom / self.per + 1).min(self.within.end - self.first);
        for y in rows {
            for x in left / self.per..=right / self.per {
                let mut sum = [0u32; 4];
                for row in y * self.per..(y + 1) * self.per {
                    let first = row * self.columns + x * self.per;
                    for sample in &self.colour[first..first + self.per] {
                        for (total, value) in sum.iter_mut().zip(sample) {
                            *total += u32::from(*value);
                        }
                    }
                }
                if sum[3] > 0 {
                    canvas.over(x, y + self.first, sum.map(|v| v as f32 * share * opacity));
                }
            }
        }
    }
}

/// The first of the places 0, 1, ... whose middle is not before the least value, and the first whose middle is not
/// before the greatest.
pub fn bounds(values: [f64; 3], end: usize) -> (usize, usize) {
    let low = values[0].min(values[1]).min(values[2]);
    let high = values[0].max(values[1]).max(values[2]);
    let place = |v: f64| (v - 0.5).ceil().clamp(0.0, end as f64) as usize;
    (place(low), place(high))
}

/// Where the sides of a triangle cross a row: the least and the greatest. The same side gives the same number in both
/// triangles that have it.
pub fn crossed(at: &[[f64; 2]; 3], y: f64) -> Option<[f64; 2]> {
    let (mut low, mut high) = (f64::INFINITY, f64::NEG_INFINITY);
    for k in 0..3 {
        let (p, q) = (at[k], at[(k + 1) % 3]);
        let (p, q) = if (p[1], p[0]) <= (q[1], q[0]) { (p, q) } else { (q, p) };
        if p[1] <= y && y < q[1] {
            let x = p[0] + (q[0] - p[0]) * ((y - p[1]) / (q[1] - p[1]));
            (low, high) = (low.min(x), high.max(x));
        }
    }
    (low <= high).then_some([low, high])
}

/// Where a row may be within a distance of a segment.
pub fn band(a: [f64; 2], b: [f64; 2], y: f64, reach: f64) -> Option<(f64, f64)> {
    let (p, q) = if a[1] <= b[1] { (a, b) } else { (b, a) };
    if y + reach < p[1] || y - reach > q[1] {
        return None;
    }
    let rise = q[1] - p[1];
    let at = |y: f64| match rise > 0.0 {
        true => p[0] + (q[0] - p[0]) * ((y - p[1]) / rise).clamp(0.0, 1.0),
        false => p[0],
    };
    let (mut low, mut high) = (at(y - reach), at(y + reach));
    if rise <= 0.0 {
        (low, high) = (p[0], q[0]);
    }
    Some((low.min(high) - reach, low.max(high) + reach))
}

/// An affine function of the place in the picture.
#[derive(Clone, Copy, Debug, Default)]
struct Plane {
    origin: [f64; 2],
    value: f64,
    slope: [f64; 2],
}

impl Plane {
    fn through(at: &[[f64; 2]; 3], values: [f64; 3]) -> Option<Self> {
        let [p, q] = [1, 2].map(|k| [at[k][0] - at[0][0], at[k][1] - at[0][1]]);
        let [f, g] = [values[1] - values[0], values[2] - values[0]];
        let area = p[0] * q[1] - p[1] * q[0];
        let slope = [(f * q[1] - g * p[1]) / area, (g * p[0] - f * q[0]) / area];
        let fair = area != 0.0 && slope.iter().all(|s| s.is_finite()) && values[0].is_finite();
        fair.then_some(Self { origin: at[0], value: values[0], slope })
    }

    fn at(&self, x: f64, y: f64) -> f64 {
        self.value + self.slope[0] * (x - self.origin[0]) + self.slope[1] * (y - self.origin[1])
    }

    /// Farther away by what it changes within a sample and a half.
    fn pushed_back(mut self) -> Self {
        self.value -= 1.5 * (self.slope[0].abs() + self.slope[1].abs());
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn corner(x: f64, y: f64, near: f64, shade: f32) -> Corner {
        Corner { spot: ScreenPoint { x, y, near }, rgb: [shade; 3] }
    }

    fn shown(layer: &Layer, width: usize, height: usize) -> Vec<u8> {
        let mut canvas = Canvas::new(width, height, None);
        layer.lay(&mut canvas, 1.0);
        canvas.picture().pixels
    }

    fn started(width: usize, height: usize, per: usize) -> Layer {
        let mut layer = Layer::new(width, per);
        layer.restart(0..height);
        layer
    }

    /// Triangles about a point, corners anywhere: each sample inside belongs to exactly one of them.
    #[test]
    fn neighbours_share_no_sample_and_leave_none_out() {
        let rim: Vec<[f64; 2]> = (0..7)
            .map(|k| (0.9 * f64::from(k)).sin_cos())
            .map(|(s, c)| [20.3 + 15.1 * c, 19.7 + 17.3 * s])
            .collect();
        let count = |triangles: &[[[f64; 2]; 3]]| -> Vec<u32> {
            let mut total = vec![0; 40 * 40 * 9];
            for t in triangles {
                let mut layer = started(40, 40, 3);
                layer.triangle(&t.map(|p| corner(p[0], p[1], 1.0, 200.0)), 1, true);
                for (n, sample) in total.iter_mut().zip(&layer.colour) {
                    *n += u32::from(sample[3] > 0);
                }
            }
            total
        };
        let hub = [21.0, 18.0];
        let wheel: Vec<_> = (0..7).map(|k| [hub, rim[k], rim[(k + 1) % 7]]).collect();
        let fan: Vec<_> = (1..6).map(|k| [rim[0], rim[k], rim[k + 1]]).collect();
        let (by_wheel, by_fan) = (count(&wheel), count(&fan));
        assert!(by_wheel.iter().all(|n| *n <= 1));
        assert!(by_wheel == by_fan);
        assert!(by_wheel.iter().sum::<u32>() > 5000);
    }

    #[test]
    fn what_is_nearer_is_seen_whatever_comes_first() {
        let low =
            [corner(2.0, 2.0, 1.003, 50.0), corner(30.0, 3.0, 1.003, 50.0), corner(10.0, 30.0, 1.003, 50.0)];
        // Nearer on the left, farther on the right.
        let tilted =
            [corner(1.0, 12.0, 2.0, 250.0), corner(31.0, 4.0, 0.0, 250.0), corner(31.0, 28.0, 0.0, 250.0)];
        let pictures = [[low, tilted], [tilted, low]].map(|order| {
            let mut layer = started(32, 32, 3);
            order.iter().enumerate().for_each(|(k, t)| layer.triangle(t, k as u16 + 1, true));
            shown(&layer, 32, 32)
        });
        assert!(pictures[0] == pictures[1]);
        let at = |x: usize, y: usize| pictures[0][4 * (32 * y + x)];
        // Along the row, the tilted one is at nearness 1 in the middle, x = 16.
        assert_eq!((at(10, 14), at(20, 10)), (250, 50));
    }

    /// A line behind a face stays hidden where bands of the picture meet, and one before it is whole.
    #[test]
    fn bands_do_not_show() {
        let face = |near: f64| {
            [[-50.0, -50.0], [150.0, -50.0], [20.0, 150.0]].map(|[x, y]| corner(x, y, near, 90.0))
        };
        let pen = Pen { width: 2.0, rgb: [0; 3], lift: 0.0, lens: Lens::Parallel };
        let ends = [[3.0, 2.0], [37.0, 36.0]].map(|[x, y]| ScreenPoint { x, y, near: 1.0 });
        for near in [0.5, 1.5] {
            let draw = |bands: &[Range<usize>]| {
                let mut canvas = Canvas::new(40, 40, None);
                let mut layer = Layer::new(40, 3);
                for band in bands {
                    layer.restart(band.clone());
                    layer.triangle(&face(near), 1, true);
                    layer.line(ends, &pen, 2);
                    layer.lay(&mut canvas, 1.0);
                }
                canvas.picture().pixels
            };
            let (whole, parts) = (draw(&[0..40, 40..40]), draw(&[0..13, 13..14, 14..31, 31..40]));
            assert!(whole == parts);
            let dark = whole.as_chunks::<4>().0.iter().filter(|p| p[0] < 45).count();
            assert_eq!(dark > 40, near < 1.0, "{dark}");
        }
    }

    #[test]
    fn a_line_has_the_width_of_its_pen() {
        let mut layer = started(60, 20, 4);
        let ends = [ScreenPoint { x: 10.0, y: 10.3, near: 1.0 }, ScreenPoint { x: 50.0, y: 10.3, near: 1.0 }];
        layer.line(ends, &Pen { width: 3.0, rgb: [0; 3], lift: 0.0, lens: Lens::Parallel }, 1);
        let pixels = shown(&layer, 60, 20);
        let across: u32 = (0..20).map(|y| u32::from(pixels[4 * (60 * y + 30) + 3])).sum();
        assert!((f64::from(across) / 255.0 - 3.0).abs() < 0.02, "{across}");
    }

    #[test]
    fn triangles_without_area_and_far_away_are_harmless() {
        let mut layer = started(8, 8, 2);
        for ends in [[[1.0, 1.0], [5.0, 5.0], [3.0, 3.0]], [[-1e12, -1e12], [1e12, -1e12], [0.0, 1e12]]] {
            layer.triangle(&ends.map(|[x, y]| corner(x, y, 1.0, 9.0)), 1, true);
        }
        assert!(shown(&layer, 8, 8).as_chunks::<4>().0.iter().all(|p| *p == [9, 9, 9, 255]));
        let wild =
            [ScreenPoint { x: f64::NAN, y: 0.0, near: 1.0 }, ScreenPoint { x: 1e300, y: -1e300, near: 1.0 }];
        layer.line(wild, &Pen { width: 1.0, rgb: [0; 3], lift: 0.0, lens: Lens::Parallel }, 1);
    }
}
