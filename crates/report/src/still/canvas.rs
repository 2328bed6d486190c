//! The picture while it is made, and strokes with smooth edges on it: text, arrows, paths.

use super::layer::band;
use super::picture::Picture;

/// Red, green, blue times opacity, and opacity, from 0 to 1.
#[derive(Clone, Debug)]
pub struct Canvas {
    pub width: usize,
    pub height: usize,
    pixels: Vec<[f32; 4]>,
}

/// Colour and width of strokes.
#[derive(Clone, Copy, Debug)]
pub struct Stroke {
    pub rgb: [u8; 3],
    /// From 0 to 1.
    pub opacity: f32,
    /// Width of the stroke, pixels.
    pub width: f64,
}

impl Stroke {
    pub fn new(rgb: [u8; 3], width: f64) -> Self {
        Self { rgb, opacity: 1.0, width }
    }

    fn premultiplied(&self, cover: f32) -> [f32; 4] {
        let alpha = self.opacity * cover;
        let [r, g, b] = self.rgb.map(|v| f32::from(v) / 255.0 * alpha);
        [r, g, b, alpha]
    }
}

impl Canvas {
    /// One colour everywhere, or nothing.
    pub fn new(width: usize, height: usize, background: Option<[u8; 3]>) -> Self {
        let fill = background.map_or([0.0; 4], |[r, g, b]| [r, g, b, 255].map(|v: u8| f32::from(v) / 255.0));
        Self { width, height, pixels: vec![fill; width * height] }
    }

    /// Lays a premultiplied colour over a pixel.
    pub fn over(&mut self, x: usize, y: usize, top: [f32; 4]) {
        let pixel = &mut self.pixels[y * self.width + x];
        for (value, new) in pixel.iter_mut().zip(top) {
            *value = new + *value * (1.0 - top[3]);
        }
    }

    /// Lays another canvas over this one, with its corner at a pixel.
    pub fn paste(&mut self, other: &Canvas, left: usize, top: usize) {
        for y in 0..other.height.min(self.height.saturating_sub(top)) {
            for x in 0..other.width.min(self.width.saturating_sub(left)) {
                self.over(left + x, top + y, other.pixels[y * other.width + x]);
            }
        }
    }

    /// Draws lines as one stroke: where pieces meet or cross, ink is laid on once.
    pub fn stroke(&mut self, lines: &[Vec<[f64; 2]>], ink: &Stroke) {
        let pieces = || lines.iter().flat_map(|line| line.windows(2).map(|ends| (ends[0], ends[1])));
        let reach = 0.5 * ink.width + 0.5;
        // Thinner strokes than a pixel are paler, not thinner.
        let strength = ink.width.min(1.0);
        let half = 0.5 * ink.width.max(1.0);
        self.cover(pieces().flat_map(|(a, b)| [a, b]), reach + 0.5, ink, |mask, frame| {
            for (a, b) in pieces() {
                let along = [b[0] - a[0], b[1] - a[1]];
                let length = along[0] * along[0] + along[1] * along[1];
                mask.each(frame, [a, b], reach + 0.5, |x, y| {
                    let share = ((x - a[0]) * along[0] + (y - a[1]) * along[1]) / length;
                    let t = if length > 0.0 { share.clamp(0.0, 1.0) } else { 0.0 };
                    let off = (x - a[0] - t * along[0]).hypot(y - a[1] - t * along[1]);
                    strength * (half + 0.5 - off)
                });
            }
        });
    }

    /// Fills a disc.
    pub fn disc(&mut self, centre: [f64; 2], radius: f64, ink: &Stroke) {
        self.cover([centre].into_iter(), radius + 1.0, ink, |mask, frame| {
            mask.each(frame, [centre, centre], radius + 1.0, |x, y| {
                radius + 0.5 - (x - centre[0]).hypot(y - centre[1])
            });
        });
    }

    /// Fills a convex polygon.
    pub fn fill(&mut self, corners: &[[f64; 2]], ink: &Stroke) {
        if corners.is_empty() {
            return;
        }
        let area: f64 = (0..corners.len())
            .map(|k| (corners[k], corners[(k + 1) % corners.len()]))
            .map(|(a, b)| a[0] * b[1] - a[1] * b[0])
            .sum();
        self.cover(corners.iter().copied(), 1.0, ink, |mask, frame| {
            let across = (frame.2 - frame.0 + frame.3 - frame.1) as f64;
            mask.each(frame, [corners[0]; 2], across, |x, y| {
                let inside = (0..corners.len()).map(|k| {
                    let (a, b) = (corners[k], corners[(k + 1) % corners.len()]);
                    let (dx, dy) = (b[0] - a[0], b[1] - a[1]);
                    area.signum() * (dx * (y - a[1]) - dy * (x - a[0])) / dx.hypot(dy).max(1e-9)
                });
                inside.fold(f64::INFINITY, f64::min) + 0.5
            });
        });
    }

    /// Paints the pixels of a mask around some points.
    fn cover(
        &mut self,
        points: impl Iterator<Item = [f64; 2]>,
        reach: f64,
        ink: &Stroke,
        draw: impl FnOnce(&mut Mask, (usize, usize, usize, usize)),
    ) {
        let mut low = [f64::INFINITY; 2];
        let mut high = [f64::NEG_INFINITY; 2];
        for p in points.filter(|p| p.iter().all(|v| v.is_finite())) {
            for k in 0..2 {
                low[k] = low[k].min(p[k] - reach);
                high[k] = high[k].max(p[k] + reach);
            }
        }
        let place = |v: f64, end: usize| v.clamp(0.0, end as f64) as usize;
        let (left, top) = (place(low[0].floor(), self.width), place(low[1].floor(), self.height));
        let (right, bottom) = (place(high[0].ceil(), self.width), place(high[1].ceil(), self.height));
        if left >= right || top >= bottom {
            return;
        }
        let mut mask = Mask { cover: vec![0.0; (right - left) * (bottom - top)] };
        draw(&mut mask, (left, top, right, bottom));
        for y in top..bottom {
            for x in left..right {
                let cover = mask.cover[(y - top) * (right - left) + x - left];
                if cover > 0.0 {
                    self.over(x, y, ink.premultiplied(cover));
                }
            }
        }
    }

    /// The finished picture.
    pub fn picture(&self) -> Picture {
        let byte = |v: f32| (255.0 * v).round().clamp(0.0, 255.0) as u8;
        let pixels = self.pixels.iter().flat_map(|&[r, g, b, alpha]| match alpha > 0.0 {
            true => [byte(r / alpha), byte(g / alpha), byte(b / alpha), byte(alpha)],
            false => [0; 4],
        });
        Picture { width: self.width, height: self.height, pixels: pixels.collect() }
    }
}

/// The covered fraction of each pixel of a rectangle.
struct Mask {
    cover: Vec<f32>,
}

impl Mask {
    /// Covers the pixels around a segment up to a distance.
    fn each(
        &mut self,
        (left, top, right, bottom): (usize, usize, usize, usize),
        [a, b]: [[f64; 2]; 2],
        reach: f64,
        cover: impl Fn(f64, f64) -> f64,
    ) {
        let from = |v: f64, low: usize, high: usize| v.floor().clamp(low as f64, high as f64) as usize;
        let to = |v: f64, low: usize, high: usize| v.ceil().clamp(low as f64, high as f64) as usize;
        let (y0, y1) = (a[1].min(b[1]) - reach, a[1].max(b[1]) + reach);
        for y in from(y0, top, bottom)..to(y1, top, bottom) {
            let Some((x0, x1)) = band(a, b, y as f64 + 0.5, reach) else { continue };
            for x in from(x0, left, right)..to(x1, left, right) {
                let value = cover(x as f64 + 0.5, y as f64 + 0.5).clamp(0.0, 1.0) as f32;
                let place = &mut self.cover[(y - top) * (right - left) + x - left];
                *place = place.max(value);
            }
        }
    }
}
