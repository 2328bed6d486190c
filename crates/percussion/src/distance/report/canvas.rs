//! A drawing in metres that becomes a piece of SVG: paths, dots, arrows and labels, fitted into a frame.

use std::fmt::Write;

/// A point of the drawing, metres, y up.
pub type Point = [f64; 2];

/// Frame of a drawing in pixels, and the margin kept free.
pub const WIDTH: f64 = 420.0;
/// Height of the frame.
pub const HEIGHT: f64 = 340.0;
const MARGIN: f64 = 26.0;
/// Strip at the bottom that belongs to the axes and the scale.
const FOOT: f64 = 30.0;

/// Which body something belongs to, for its colour.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// Body a, blue.
    A,
    /// Body b, amber.
    B,
}

impl Side {
    /// Hue at the middle of its scale.
    fn base(self) -> [f64; 3] {
        match self {
            Side::A => [70.0, 130.0, 210.0],
            Side::B => [226.0, 150.0, 56.0],
        }
    }

    /// A shade: 0 dark, 0.5 the colour itself, 1 nearly white.
    pub fn shade(self, light: f64) -> String {
        let mix = |c: f64| {
            let value =
                if light < 0.5 { c * (0.45 + 1.1 * light) } else { c + (250.0 - c) * (light - 0.5) * 1.35 };
            value.clamp(0.0, 255.0).round() as u8
        };
        let [r, g, b] = self.base().map(mix);
        format!("#{r:02x}{g:02x}{b:02x}")
    }

    /// The colour of its lines and arrows.
    pub fn ink(self) -> &'static str {
        match self {
            Side::A => "#1d4f91",
            Side::B => "#8f4d05",
        }
    }

    /// Its letter.
    pub fn letter(self) -> &'static str {
        match self {
            Side::A => "A",
            Side::B => "B",
        }
    }
}

enum Element {
    Path { points: Vec<Point>, closed: bool, style: String },
    Arrow { from: Point, to: Point, class: &'static str, colour: &'static str },
    Dot { at: Point, radius: f64, style: String },
    Label { at: Point, text: String, class: &'static str },
}

/// Elements in the order they are painted.
#[derive(Default)]
pub struct Canvas {
    elements: Vec<Element>,
    /// Directions of the coordinate axes on the paper, for the little cross in the corner.
    axes: Vec<(&'static str, Point)>,
}

impl Canvas {
    /// A filled polygon.
    pub fn area(&mut self, points: Vec<Point>, fill: &str, opacity: f64, stroke: &str) {
        let style = format!(
            "fill=\"{fill}\" fill-opacity=\"{opacity}\" stroke=\"{stroke}\" stroke-width=\"1.3\" stroke-linejoin=\"round\""
        );
        self.elements.push(Element::Path { points, closed: true, style });
    }

    /// A line; hidden ones are dashed and faint.
    pub fn line(&mut self, points: Vec<Point>, stroke: &str, width: f64, hidden: bool) {
        let dash = if hidden { " stroke-dasharray=\"3 3\" stroke-opacity=\"0.7\"" } else { "" };
        let style = format!(
            "fill=\"none\" stroke=\"{stroke}\" stroke-width=\"{width}\" stroke-linecap=\"round\"{dash}"
        );
        self.elements.push(Element::Path { points, closed: false, style });
    }

    /// An arrow.
    pub fn arrow(&mut self, from: Point, to: Point, class: &'static str, colour: &'static str) {
        self.elements.push(Element::Arrow { from, to, class, colour });
    }

    /// A dot of a radius in pixels.
    pub fn dot(&mut self, at: Point, radius: f64, fill: &str, stroke: &str) {
        let style = format!("fill=\"{fill}\" stroke=\"{stroke}\" stroke-width=\"1.6\"");
        self.elements.push(Element::Dot { at, radius, style });
    }

    /// A letter or word.
    pub fn label(&mut self, at: Point, text: impl Into<String>, class: &'static str) {
        self.elements.push(Element::Label { at, text: text.into(), class });
    }

    /// Names the coordinate axes.
    pub fn axes(&mut self, axes: Vec<(&'static str, Point)>) {
        self.axes = axes;
    }

    /// The contents of an `svg` element of [`WIDTH`] by [`HEIGHT`] pixels.
    pub fn svg(&self) -> String {
        let fit = Fit::of(&self.elements);
        let mut out = String::new();
        for element in &self.elements {
            fit.write(&mut out, element);
        }
        self.write_axes(&mut out);
        fit.write_scale(&mut out);
        out
    }

    fn write_axes(&self, out: &mut String) {
        let centre = [34.0, HEIGHT - 30.0];
        for (name, direction) in &self.axes {
            let tip = [centre[0] + 20.0 * direction[0], centre[1] - 20.0 * direction[1]];
            let text = [centre[0] + 28.0 * direction[0], centre[1] - 28.0 * direction[1] + 3.5];
            _ = write!(
                out,
                "<path class=\"axis\" d=\"M{:.1} {:.1}L{:.1} {:.1}\"/><text class=\"axis-name\" x=\"{:.1}\" y=\"{:.1}\">{name}</text>",
                centre[0], centre[1], tip[0], tip[1], text[0], text[1]
            );
        }
    }
}

/// How metres become pixels.
struct Fit {
    scale: f64,
    centre: Point,
}

impl Fit {
    fn of(elements: &[Element]) -> Self {
        let mut low = [f64::INFINITY; 2];
        let mut high = [f64::NEG_INFINITY; 2];
        let mut see = |point: &Point| {
            for k in 0..2 {
                low[k] = low[k].min(point[k]);
                high[k] = high[k].max(point[k]);
            }
        };
        for element in elements {
            match element {
                Element::Path { points, .. } => points.iter().for_each(&mut see),
                Element::Arrow { from, to, .. } => [from, to].into_iter().for_each(&mut see),
                Element::Dot { at, .. } | Element::Label { at, .. } => see(at),
            }
        }
        if !(low[0] <= high[0] && low[1] <= high[1]) {
            return Self { scale: 1.0, centre: [0.0, 0.0] };
        }
        let extent = |k: usize| (high[k] - low[k]).max(f64::MIN_POSITIVE);
        let scale = ((WIDTH - 2.0 * MARGIN) / extent(0)).min((HEIGHT - 2.0 * MARGIN - FOOT) / extent(1));
        Self { scale, centre: [0.5 * (low[0] + high[0]), 0.5 * (low[1] + high[1])] }
    }

    fn pixel(&self, point: &Point) -> Point {
        [
            0.5 * WIDTH + self.scale * (point[0] - self.centre[0]),
            0.5 * (HEIGHT - FOOT) - self.scale * (point[1] - self.centre[1]),
        ]
    }

    fn write(&self, out: &mut String, element: &Element) {
        match element {
            Element::Path { points, closed, style } => {
                out.push_str("<path d=\"");
                for (k, point) in points.iter().enumerate() {
                    let [x, y] = self.pixel(point);
                    _ = write!(out, "{}{x:.1} {y:.1}", if k == 0 { 'M' } else { 'L' });
                }
                _ = write!(out, "{}\" {style}/>", if *closed { "Z" } else { "" });
            }
            Element::Arrow { from, to, class, colour } => self.write_arrow(out, from, to, class, colour),
            Element::Dot { at, radius, style } => {
                let [x, y] = self.pixel(at);
                _ = write!(out, "<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"{radius}\" {style}/>");
            }
            Element::Label { at, text, class } => {
                let [x, y] = self.pixel(at);
                _ = write!(out, "<text class=\"{class}\" x=\"{x:.1}\" y=\"{y:.1}\">{text}</text>");
            }
        }
    }

    /// A shaft and a head, over a light halo so that it stands out from the faces.
    fn write_arrow(&self, out: &mut String, from: &Point, to: &Point, class: &str, colour: &str) {
        let (p, q) = (self.pixel(from), self.pixel(to));
        let along = [q[0] - p[0], q[1] - p[1]];
        let length = along[0].hypot(along[1]);
        if !(length > 1.0) {
            return;
        }
        let u = [along[0] / length, along[1] / length];
        let head = 9.0_f64.min(0.6 * length);
        let neck = [q[0] - head * u[0], q[1] - head * u[1]];
        let wing = 0.42 * head;
        let (left, right) =
            ([neck[0] - wing * u[1], neck[1] + wing * u[0]], [neck[0] + wing * u[1], neck[1] - wing * u[0]]);
        let shaft = format!("M{:.1} {:.1}L{:.1} {:.1}", p[0], p[1], neck[0], neck[1]);
        let tip = format!(
            "M{:.1} {:.1}L{:.1} {:.1}L{:.1} {:.1}Z",
            q[0], q[1], left[0], left[1], right[0], right[1]
        );
        _ = write!(
            out,
            "<g class=\"{class}\"><path d=\"{shaft}{tip}\" fill=\"none\" stroke=\"#fff\" stroke-opacity=\"0.7\" stroke-width=\"4.5\" \
                 stroke-linejoin=\"round\"/><path d=\"{shaft}\" stroke=\"{colour}\" stroke-width=\"2.2\"/>\
                 <path d=\"{tip}\" fill=\"{colour}\"/></g>"
        );
    }

    /// A bar of a round length.
    fn write_scale(&self, out: &mut String) {
        let wanted = 70.0 / self.scale;
        let power = 10f64.powf(wanted.log10().floor());
        let metres = power * [5.0, 2.0, 1.0].into_iter().find(|m| m * power <= wanted).unwrap_or(1.0);
        let (x1, x0, y) = (WIDTH - 16.0, WIDTH - 16.0 - metres * self.scale, HEIGHT - 14.0);
        _ = write!(
            out,
            "<path class=\"axis\" d=\"M{x0:.1} {:.1}V{y:.1}H{x1:.1}V{:.1}\"/>\
                 <text class=\"axis-name\" x=\"{:.1}\" y=\"{:.1}\">{metres} m</text>",
            y - 4.0,
            y - 4.0,
            0.5 * (x0 + x1),
            y - 6.0
        );
    }
}
