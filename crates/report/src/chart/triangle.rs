//! The triangle that shows a slope: beside the curves, where there is space.

use super::scale::Scale;

/// Distance kept from curves, pixels.
const CLEAR: f64 = 16.0;
/// Room for its two numbers: to the side and below, pixels.
const LETTERS: [f64; 2] = [24.0, 18.0];
/// Places that are tried along either side.
const TRIES: usize = 24;

/// A triangle with a horizontal and a vertical leg, in pixels inside a frame, y down.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Triangle {
    /// The left end of the horizontal leg.
    pub corner: [f64; 2],
    /// Its length.
    pub run: f64,
    /// How far the other leg goes up; negative if it goes down.
    pub rise: f64,
}

impl Triangle {
    /// The triangle of a slope in a frame of this size, away from the curves (points close to each other, pixels). `None` if slopes mean
    /// nothing here.
    pub fn place(slope: f64, scales: [&Scale; 2], size: [f64; 2], curves: &[[f64; 2]]) -> Option<Self> {
        if slope == 0.0 || !scales.iter().all(|scale| scale.is_log()) {
            return None;
        }
        // Pixels of a decade.
        let [across, up] = [size[0] / scales[0].range(), size[1] / scales[1].range()];
        let decades = (0.2 * size[0] / across).min(0.3 * size[1] / (up * slope.abs())).min(1.0);
        let (run, rise) = (decades * across, decades * slope * up);
        let wide = [run + LETTERS[0], rise.abs() + LETTERS[1]];
        let share =
            |k: usize, free: f64| CLEAR + (free - 2.0 * CLEAR).max(0.0) * k as f64 / (TRIES - 1) as f64;
        let mut best: Option<(f64, Self)> = None;
        for k in 0..TRIES * TRIES {
            let (left, top) = (share(k % TRIES, size[0] - wide[0]), share(k / TRIES, size[1] - wide[1]));
            let away = |p: &[f64; 2]| {
                let beyond = |x: f64, low: f64, width: f64| (low - x).max(x - low - width).max(0.0);
                beyond(p[0], left, wide[0]).hypot(beyond(p[1], top, wide[1]))
            };
            let nearest = curves.iter().map(away).fold(f64::INFINITY, f64::min);
            // As near to a curve as it can be compared with, and not nearer.
            let worth = if nearest < CLEAR { nearest - 1e6 } else { -nearest };
            if best.is_none_or(|(most, _)| worth > most) {
                let bottom = top + rise.abs();
                let corner = [left, if rise > 0.0 { bottom } else { top }];
                best = Some((worth, Self { corner, run, rise }));
            }
        }
        best.map(|(_, triangle)| triangle)
    }

    /// The end of the horizontal leg where the right angle is, and the tip of the other leg.
    pub fn rest(&self) -> [[f64; 2]; 2] {
        let [x, y] = self.corner;
        [[x + self.run, y], [x + self.run, y - self.rise]]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_has_the_slope_and_stays_off_the_curves() {
        let decade = |low: f64, high: f64| Scale::of([low, high].into_iter(), true);
        let (x, y) = (decade(1e-3, 1e-1), decade(1e-8, 1e-4));
        let size = [600.0, 400.0];
        let curve: Vec<[f64; 2]> =
            (0..=100).map(|k| [6.0 * f64::from(k), 400.0 - 4.0 * f64::from(k)]).collect();
        let found = Triangle::place(2.0, [&x, &y], size, &curve).unwrap();
        let slope = (found.rise / (size[1] / y.range())) / (found.run / (size[0] / x.range()));
        assert!((slope - 2.0).abs() < 1e-12);
        let [angle, tip] = found.rest();
        for [px, py] in &curve {
            let inside = (found.corner[0]..=angle[0]).contains(px) && (tip[1]..=angle[1]).contains(py);
            assert!(!inside, "{found:?}");
        }
        assert!(tip[1] >= 0.0 && angle[0] <= 600.0 && angle[1] <= 400.0);
        assert_eq!(Triangle::place(2.0, [&x, &Scale::of([0.0, 1.0].into_iter(), false)], size, &curve), None);
    }
}
