//! The page of a `distance` run: a drawing and the figures of every pair, in one file that opens offline.
//!
//! [`Report`] observes the stream and keeps the first pairs; `space.rs` and `plane.rs` draw
//! them on a `canvas.rs`, `placed.rs` what both have in common, `page.rs` lays out the page. It writes text and touches no file.

mod camera;
mod canvas;
mod page;
mod placed;
mod plane;
mod space;

use crate::distance::{Answer, Body, LineError, Observer, Pair, Query, StreamCounts};
use canvas::{Canvas, Side};
use placed::Placed;

/// Collects the pairs of a stream for a page.
#[derive(Debug)]
pub struct Report {
    title: String,
    limit: usize,
    cards: Vec<Card>,
}

/// One line of the stream on the page.
#[derive(Debug)]
struct Card {
    line: u64,
    name: String,
    content: Content,
}

#[derive(Debug)]
enum Content {
    Drawn {
        /// Contents of the drawing's `svg` element.
        drawing: String,
        /// Label, value, and whether it belongs to the first lines of the table.
        figures: Vec<(&'static str, String)>,
        weights: Vec<(Side, u32, f64)>,
        proximity: Proximity,
        certificate: f64,
    },
    Failed(String),
}

/// Whether the bodies are apart, touch or overlap.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Proximity {
    Apart,
    Touching,
    Overlapping,
}

impl Proximity {
    fn of(separation: f64) -> Self {
        // Bounds of rounding for bodies of ordinary size; only a word on the page depends on it.
        const TOUCHING: f64 = 1e-12;
        if separation > TOUCHING {
            Proximity::Apart
        } else if separation < -TOUCHING {
            Proximity::Overlapping
        } else {
            Proximity::Touching
        }
    }

    fn word(self) -> &'static str {
        match self {
            Proximity::Apart => "apart",
            Proximity::Touching => "touching",
            Proximity::Overlapping => "overlapping",
        }
    }
}

impl Report {
    /// A page with this title that shows at most `limit` pairs.
    pub fn new(title: &str, limit: usize) -> Self {
        Self { title: title.to_owned(), limit, cards: Vec::new() }
    }

    /// The page.
    pub fn page(&self, counts: &StreamCounts) -> String {
        page::page(self, counts)
    }

    /// The drawings side by side in one SVG picture.
    pub fn picture(&self, columns: usize) -> String {
        page::picture(self, columns)
    }
}

impl Observer for Report {
    fn wants_more(&self) -> bool {
        self.cards.len() < self.limit
    }

    fn answered(&mut self, line: u64, query: &Query, pair: &Pair, answer: &Answer) {
        let name = match query.id.map(|id| id.get()) {
            None => String::new(),
            Some(id) => serde_json::from_str::<String>(id).unwrap_or_else(|_| id.to_owned()),
        };
        let Some(canvas) = drawn(pair, answer) else { return };
        let weights = [(Side::A, &answer.weights_a), (Side::B, &answer.weights_b)];
        let content = Content::Drawn {
            drawing: canvas.svg(),
            figures: figures(answer),
            weights: weights
                .into_iter()
                .flat_map(|(side, w)| w.0.iter().map(move |&(i, x)| (side, i, x)))
                .collect(),
            proximity: Proximity::of(answer.separation),
            certificate: answer.certificate.upper - answer.certificate.lower,
        };
        self.cards.push(Card { line, name, content });
    }

    fn failed(&mut self, line: u64, error: &LineError) {
        self.cards.push(Card { line, name: String::new(), content: Content::Failed(error.to_string()) });
    }
}

/// The drawing of a pair; `None` if the query had no poses, which `solve` would have refused.
fn drawn(pair: &Pair, answer: &Answer) -> Option<Canvas> {
    let [i, j] = answer.parts.unwrap_or([0, 0]);
    match (&*pair.a, &*pair.b) {
        (Body::Space(a), Body::Space(b)) => {
            let (pose_a, pose_b) = (pair.placement_a.space().ok()?, pair.placement_b.space().ok()?);
            let a = Placed { side: Side::A, parts: a, pose: pose_a, part: i, weights: &answer.weights_a };
            let b = Placed { side: Side::B, parts: b, pose: pose_b, part: j, weights: &answer.weights_b };
            Some(space::draw([&a, &b], answer))
        }
        (Body::Plane(a), Body::Plane(b)) => {
            let (pose_a, pose_b) = (pair.placement_a.plane().ok()?, pair.placement_b.plane().ok()?);
            let a = Placed { side: Side::A, parts: a, pose: pose_a, part: i, weights: &answer.weights_a };
            let b = Placed { side: Side::B, parts: b, pose: pose_b, part: j, weights: &answer.weights_b };
            Some(plane::draw([&a, &b], answer))
        }
        _ => None,
    }
}

/// The rows of a pair's table.
fn figures(answer: &Answer) -> Vec<(&'static str, String)> {
    // A coordinate that is rounding relative to the others is printed as zero.
    let vector = |v: &[f64]| {
        let largest = v.iter().fold(0.0f64, |most, c| most.max(c.abs()));
        let entries = v.iter().map(|&c| if c.abs() < 1e-14 * largest.max(1.0) { 0.0 } else { c });
        entries.map(number).collect::<Vec<_>>().join(", ")
    };
    let features = answer.features.map_or("none".to_owned(), |[a, b]| format!("{a} of A, {b} of B"));
    let mut rows = vec![
        ("features", features),
        ("separation", format!("{} m", number(answer.separation))),
        ("gap", format!("{} m", number(answer.gap))),
        ("ratio", number(answer.ratio)),
        ("normal", vector(answer.normal.as_slice())),
    ];
    for (label, point) in [("point on A", &answer.point_a), ("point on B", &answer.point_b)] {
        if let Some(point) = point {
            rows.push((label, vector(point.as_slice())));
        }
    }
    let width = answer.certificate.upper - answer.certificate.lower;
    if let Some(euclid) = &answer.euclidean {
        let label = if euclid.distance < 0.0 { "penetration depth" } else { "Euclidean distance" };
        rows.push((label, format!("{} m", number(euclid.distance.abs()))));
    }
    if let Some(events) = &answer.events {
        rows.push(("contact events", events.len().to_string()));
    }
    if width.is_finite() {
        let supports = if answer.iterations == 1 { "support" } else { "supports" };
        rows.push(("certificate", format!("{} m wide, {} {supports}", small(width), answer.iterations)));
    }
    if answer.outcome != "solved" {
        rows.push(("outcome", answer.outcome.to_owned()));
    }
    rows
}

/// A small number as a power of ten.
fn small(value: f64) -> String {
    if value == 0.0 { "0".into() } else { format!("{value:.1e}") }
}

/// Seven significant digits, without noise.
fn number(value: f64) -> String {
    if value == 0.0 || !value.is_finite() {
        return if value == 0.0 { "0".into() } else { "∞".into() };
    }
    let size = value.abs();
    if size < 1e-12 {
        return format!("{value:.1e}");
    }
    if !(1e-3..1e6).contains(&size) {
        return format!("{value:.5e}");
    }
    let digits = (6 - size.log10().floor() as i32).clamp(0, 9) as usize;
    let text = format!("{value:.digits$}");
    if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.').to_owned() } else { text }
}
