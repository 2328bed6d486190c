//! Charts as SVG: curves on logarithmic or linear axes, with markers, a legend and optionally a slope for comparison.
//!
//! | file | contents |
//! |---|---|
//! | `scale.rs` | where numbers go, and which are written beside the frame |
//! | `triangle.rs` | the triangle of a slope, and a place for it |
//! | `style.css` | colors of the light and the dark theme |
//!
//! A chart stands alone or inside a page; in a page, [`STYLE`] is given once for all of them. Nothing in it needs a script or a font of its own.

mod scale;
mod triangle;

pub use scale::{Mark, Scale, plain};
pub use triangle::Triangle;

use crate::export::xml::escaped;
use std::fmt::Write;

/// Style of charts, for the light and the dark theme.
pub const STYLE: &str = include_str!("style.css");

/// Number of colours of curves; they repeat with other markers.
const COLOURS: usize = 8;
/// Frame of the curves in pixels, and what surrounds it.
const FRAME: [f64; 2] = [640.0, 420.0];
const LEFT: f64 = 84.0;
const TOP: f64 = 18.0;
const BOTTOM: f64 = 56.0;
/// Between the frame and the legend.
const GAP: f64 = 22.0;
/// Width of a letter of the legend, about, pixels.
const LETTER: f64 = 7.2;
/// Widest legend, pixels.
const WIDEST: f64 = 330.0;

/// Label and scale of an axis.
#[derive(Clone, Debug, PartialEq)]
pub struct Side {
    /// Its quantity, with its unit.
    pub label: String,
    /// Whether it is logarithmic.
    pub log: bool,
}

/// A curve.
#[derive(Clone, Debug, PartialEq)]
pub struct Line {
    /// Its name in the legend.
    pub label: String,
    /// Second line in the legend.
    pub note: String,
    /// Points in their order, each with its title.
    pub points: Vec<(f64, f64, String)>,
    /// Its colour and its marker; none for what belongs to no curve.
    pub colour: Option<usize>,
    /// Whether it is a published result: hollow and dashed.
    pub published: bool,
}

/// A chart.
#[derive(Clone, Debug, PartialEq)]
pub struct Chart {
    /// Its description, for screen readers.
    pub title: String,
    /// The horizontal side.
    pub x: Side,
    /// The vertical side.
    pub y: Side,
    /// The curves.
    pub lines: Vec<Line>,
    /// A slope to compare with.
    pub slope: Option<f64>,
    /// Places on the horizontal side that have no value, each with the reason.
    pub lost: Vec<(f64, String)>,
}

impl Chart {
    /// The chart on its own.
    pub fn svg(&self) -> String {
        self.drawn(STYLE)
    }

    /// The chart for a page that has the style already.
    pub fn inline(&self) -> String {
        self.drawn("")
    }

    fn drawn(&self, style: &str) -> String {
        let all = || self.lines.iter().flat_map(|line| &line.points);
        let x = Scale::of(all().map(|p| p.0).chain(self.lost.iter().map(|(x, _)| *x)), self.x.log);
        let y = Scale::of(all().map(|p| p.1), self.y.log);
        let legend = self.legend_width();
        let width = LEFT + FRAME[0] + GAP + legend;
        let rows: f64 = self.lines.iter().map(height).sum();
        let height = TOP + BOTTOM + FRAME[1].max(rows);
        let title = escaped(&self.title);
        let mut out = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"chart\" viewBox=\"0 0 {width:.0} {height:.0}\" \
             width=\"{width:.0}\" height=\"{height:.0}\" role=\"img\" aria-label=\"{title}\">\n"
        );
        if !style.is_empty() {
            out += &format!("<style>\n{style}</style>\n");
        }
        out += &format!(
            "<title>{title}</title>\n<rect class=\"paper\" width=\"100%\" height=\"100%\" rx=\"8\"/>\n"
        );
        self.sides(&mut out, &x, &y);
        let place =
            |px: f64, py: f64| Some([LEFT + FRAME[0] * x.at(px)?, TOP + FRAME[1] * (1.0 - y.at(py)?)]);
        let placed: Vec<Vec<([f64; 2], &str)>> = self
            .lines
            .iter()
            .map(|line| {
                let points = line.points.iter();
                points.filter_map(|(x, y, said)| Some((place(*x, *y)?, said.as_str()))).collect()
            })
            .collect();
        self.triangle(&mut out, [&x, &y], &placed);
        for (line, points) in self.lines.iter().zip(&placed) {
            curve(&mut out, line, points);
        }
        for (at, why) in &self.lost {
            let Some(share) = x.at(*at) else { continue };
            let (cx, cy) = (LEFT + FRAME[0] * share, TOP + FRAME[1] - 9.0);
            _ = writeln!(
                out,
                "<path class=\"lost\" d=\"M{:.1} {:.1}l9 9m0 -9l-9 9\"><title>{}</title></path>",
                cx - 4.5,
                cy - 4.5,
                escaped(why)
            );
        }
        if placed.iter().all(Vec::is_empty) {
            let (cx, cy) = (LEFT + 0.5 * FRAME[0], TOP + 0.5 * FRAME[1]);
            _ = writeln!(
                out,
                "<text class=\"soft\" x=\"{cx:.0}\" y=\"{cy:.0}\" text-anchor=\"middle\">no values to draw</text>"
            );
        }
        self.legend(&mut out);
        out + "</svg>\n"
    }

    /// Grid, frame, numbers and labels of the axes.
    fn sides(&self, out: &mut String, x: &Scale, y: &Scale) {
        let (right, bottom) = (LEFT + FRAME[0], TOP + FRAME[1]);
        for strong in [false, true] {
            let class = if strong { "grid" } else { "minor" };
            let mut path = String::new();
            for mark in x.marks().iter().filter(|mark| mark.label.is_empty() != strong) {
                let at = LEFT + FRAME[0] * mark.at;
                _ = write!(path, "M{at:.1} {TOP}V{bottom}");
            }
            for mark in y.marks().iter().filter(|mark| mark.label.is_empty() != strong) {
                let at = bottom - FRAME[1] * mark.at;
                _ = write!(path, "M{LEFT} {at:.1}H{right}");
            }
            _ = writeln!(out, "<path class=\"{class}\" d=\"{path}\"/>");
        }
        _ = writeln!(
            out,
            "<rect class=\"frame\" x=\"{LEFT}\" y=\"{TOP}\" width=\"{}\" height=\"{}\"/>",
            FRAME[0], FRAME[1]
        );
        for mark in x.marks().iter().filter(|mark| !mark.label.is_empty()) {
            let (at, low) = (LEFT + FRAME[0] * mark.at, bottom + 18.0);
            let text = &mark.label;
            _ = writeln!(
                out,
                "<text class=\"ink\" x=\"{at:.1}\" y=\"{low}\" text-anchor=\"middle\">{text}</text>"
            );
        }
        for mark in y.marks().iter().filter(|mark| !mark.label.is_empty()) {
            let (at, left) = (bottom - FRAME[1] * mark.at + 4.5, LEFT - 8.0);
            let text = &mark.label;
            _ = writeln!(
                out,
                "<text class=\"ink\" x=\"{left}\" y=\"{at:.1}\" text-anchor=\"end\">{text}</text>"
            );
        }
        let (cx, cy) = (LEFT + 0.5 * FRAME[0], TOP + 0.5 * FRAME[1]);
        _ = writeln!(
            out,
            "<text class=\"ink name\" x=\"{cx:.1}\" y=\"{}\" text-anchor=\"middle\">{}</text>\n\
                 <text class=\"ink name\" transform=\"translate(22 {cy:.1}) rotate(-90)\" text-anchor=\"middle\">{}</text>",
            bottom + 43.0,
            escaped(&self.x.label),
            escaped(&self.y.label)
        );
    }

    /// The triangle of the slope, where there is space.
    fn triangle(&self, out: &mut String, scales: [&Scale; 2], placed: &[Vec<([f64; 2], &str)>]) {
        let Some(slope) = self.slope else { return };
        let mut near = Vec::new();
        for line in placed {
            near.extend(line.iter().map(|(p, _)| [p[0] - LEFT, p[1] - TOP]));
            for pair in line.windows(2) {
                let ([x0, y0], [x1, y1]) = (pair[0].0, pair[1].0);
                near.extend((1..16).map(|k| {
                    let t = f64::from(k) / 16.0;
                    [x0 + t * (x1 - x0) - LEFT, y0 + t * (y1 - y0) - TOP]
                }));
            }
        }
        let Some(triangle) = Triangle::place(slope, scales, FRAME, &near) else { return };
        let shift = |[x, y]: [f64; 2]| [x + LEFT, y + TOP];
        let ([ax, ay], [[bx, by], [cx, cy]]) = (shift(triangle.corner), triangle.rest().map(shift));
        let below = if triangle.rise > 0.0 { 14.0 } else { -5.0 };
        _ = writeln!(
            out,
            "<g><path class=\"slope\" d=\"M{ax:.1} {ay:.1}L{bx:.1} {by:.1}L{cx:.1} {cy:.1}Z\"/>\
                 <text class=\"soft small\" x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"middle\">1</text>\
                 <text class=\"soft small\" x=\"{:.1}\" y=\"{:.1}\">{}</text></g>",
            0.5 * (ax + bx),
            ay + below,
            bx + 5.0,
            0.5 * (by + cy) + 4.0,
            plain(slope)
        );
    }

    fn legend_width(&self) -> f64 {
        let letters = |text: &str, size: f64| text.chars().count() as f64 * size;
        let widest = self
            .lines
            .iter()
            .map(|line| letters(&line.label, LETTER).max(letters(&line.note, 0.88 * LETTER)))
            .fold(0.0, f64::max);
        if widest > 0.0 { (44.0 + widest).min(WIDEST) } else { 0.0 }
    }

    fn legend(&self, out: &mut String) {
        let left = LEFT + FRAME[0] + GAP;
        let mut top = TOP + 8.0;
        for line in self.lines.iter().filter(|line| height(line) > 0.0) {
            curve(out, line, &[([left, top], ""), ([left + 26.0, top], "")]);
            _ = writeln!(
                out,
                "<text class=\"ink\" x=\"{:.1}\" y=\"{:.1}\">{}</text>",
                left + 36.0,
                top + 4.5,
                escaped(&line.label)
            );
            if !line.note.is_empty() {
                _ = writeln!(
                    out,
                    "<text class=\"soft small\" x=\"{:.1}\" y=\"{:.1}\">{}</text>",
                    left + 36.0,
                    top + 20.0,
                    escaped(&line.note)
                );
            }
            top += height(line);
        }
    }
}

/// Pixels of a line of the legend; a curve without texts has none.
fn height(line: &Line) -> f64 {
    match (line.label.is_empty(), line.note.is_empty()) {
        (true, true) => 0.0,
        (_, false) => 41.0,
        (false, true) => 24.0,
    }
}

/// A line through points, with their markers.
fn curve(out: &mut String, line: &Line, points: &[([f64; 2], &str)]) {
    let class = line.colour.map_or("others".to_owned(), |k| format!("k{}", k % COLOURS));
    let (dash, fill) = if line.published {
        (" stroke-dasharray=\"5 4\"", " class=\"paper\" stroke=\"currentColor\" stroke-width=\"1.8\"")
    } else {
        ("", " fill=\"currentColor\"")
    };
    _ = write!(
        out,
        "<g class=\"{class}\"><path fill=\"none\" stroke=\"currentColor\" stroke-width=\"2\" stroke-linejoin=\"round\"{dash} d=\""
    );
    for (k, ([x, y], _)) in points.iter().enumerate() {
        _ = write!(out, "{}{x:.1} {y:.1}", if k == 0 { 'M' } else { 'L' });
    }
    out.push_str("\"/>");
    // In the legend one marker stands in the middle.
    let legend = points.iter().all(|(_, title)| title.is_empty()) && points.len() == 2;
    let markers: Vec<([f64; 2], &str)> = match points {
        [([x0, y0], _), ([x1, y1], _)] if legend => vec![([0.5 * (x0 + x1), 0.5 * (y0 + y1)], "")],
        all => all.to_vec(),
    };
    for ([x, y], title) in markers {
        _ = write!(out, "<path d=\"M{x:.1} {y:.1}{}\"{fill}", marker(line.colour.unwrap_or(0)));
        match title {
            "" => out.push_str("/>"),
            title => _ = write!(out, "><title>{}</title></path>", escaped(title)),
        }
    }
    out.push_str("</g>\n");
}

/// The outline of a marker about its middle; after every round of colours another one begins.
fn marker(k: usize) -> &'static str {
    const MARKERS: [&str; 7] = [
        // A circle, a square, a triangle, a diamond, a triangle on its tip, a bar, a pentagon.
        "m-4.6 0a4.6 4.6 0 1 0 9.2 0a4.6 4.6 0 1 0 -9.2 0z",
        "m-4.2 -4.2h8.4v8.4h-8.4z",
        "m0 -5.6l5.3 9.2h-10.6z",
        "m0 -6l5.2 6l-5.2 6l-5.2 -6z",
        "m0 5.6l5.3 -9.2h-10.6z",
        "m-5.4 -2.6h10.8v5.2h-10.8z",
        "m0 -5.4l5.1 3.7l-2 6h-6.2l-2 -6z",
    ];
    MARKERS[k % MARKERS.len()]
}
