//! Lays out the page and the picture.

use super::canvas::{HEIGHT, Side, WIDTH};
use super::{Card, Content, Proximity, Report, number, small};
use crate::distance::StreamCounts;

const STYLE: &str = include_str!("style.css");

/// Definitions and fonts of the drawings; shared by the page and the picture.
const DEFINITIONS: &str = r##"<defs>
<radialGradient id="round-a" cx="38%" cy="30%" r="78%"><stop offset="0" stop-color="#cfe2f8"/><stop offset="0.55" stop-color="#5f98d9"/><stop offset="1" stop-color="#25538f"/></radialGradient>
<radialGradient id="round-b" cx="38%" cy="30%" r="78%"><stop offset="0" stop-color="#fbe6c8"/><stop offset="0.55" stop-color="#e5a04f"/><stop offset="1" stop-color="#955412"/></radialGradient>
</defs>"##;

const LETTERING: &str = "
.body-name { font: 600 15px ui-sans-serif, system-ui, sans-serif; fill: #fff; stroke: #223; stroke-width: 2.6px; paint-order: stroke; text-anchor: middle; dominant-baseline: middle; }
.axis { fill: none; stroke: #8a90a0; stroke-width: 1.2px; }
.axis-name { font: 11px ui-sans-serif, system-ui, sans-serif; fill: #8a90a0; text-anchor: middle; }
";

/// Text that may hold anything, made safe for HTML and SVG.
pub(super) fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

/// Everything before the content of a page, with styles of its own after the common ones.
pub(super) fn head(title: &str, styles: &str) -> String {
    format!(
        r##"<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<link rel="icon" href="data:,">
<title>{title} · percussion</title>
<style>{STYLE}{LETTERING}{styles}</style>
</head>
<body>
"##
    )
}

/// The whole page.
pub fn page(report: &Report, counts: &StreamCounts) -> String {
    let title = escaped(&report.title);
    let cards: String = report.cards.iter().map(card).collect();
    let more = (counts.answered + counts.failed).saturating_sub(report.cards.len() as u64);
    let more = if more > 0 {
        format!("<p class=\"more\">and {more} more lines that are not drawn</p>")
    } else {
        String::new()
    };
    format!(
        r##"{head}<svg width="0" height="0" aria-hidden="true" class="definitions">{DEFINITIONS}</svg>
<header>
<p class="maker">percussion distance</p>
<h1>{title}</h1>
{summary}
{legend}
</header>
<main>
{cards}
</main>
{more}
<footer>Drawn by percussion {version}. Lengths in metres. Separation is measured along the line of references unless beta was given;
the gap is the distance between the two supporting planes. <a href="#top">Back to the top</a></footer>
</body>
</html>
"##,
        head = head(&title, ""),
        summary = summary(report, counts),
        legend = legend(),
        version = env!("CARGO_PKG_VERSION"),
    )
}

fn summary(report: &Report, counts: &StreamCounts) -> String {
    let mut by_proximity = [0usize; 3];
    let mut widest = 0.0f64;
    for card in &report.cards {
        if let Content::Drawn { proximity, certificate, .. } = &card.content {
            by_proximity[*proximity as usize] += 1;
            widest = if certificate.is_finite() { widest.max(*certificate) } else { widest };
        }
    }
    let tile = |value: String, label: &str| format!("<div><b>{value}</b><span>{label}</span></div>");
    let mut tiles = tile(counts.answered.to_string(), if counts.answered == 1 { "pair" } else { "pairs" });
    for proximity in [Proximity::Apart, Proximity::Touching, Proximity::Overlapping] {
        let count = by_proximity[proximity as usize];
        if count > 0 {
            tiles += &tile(count.to_string(), proximity.word());
        }
    }
    if counts.failed > 0 {
        tiles += &tile(counts.failed.to_string(), "not answered");
    }
    tiles += &tile(small(widest), "widest certificate, m");
    format!("<div class=\"summary\">{tiles}</div>")
}

fn legend() -> String {
    let (a, b) = (Side::A, Side::B);
    format!(
        r##"<ul class="legend">
<li><svg viewBox="0 0 22 14"><rect x="1" y="1" width="20" height="12" rx="2" fill="{}" stroke="{}"/></svg>body A</li>
<li><svg viewBox="0 0 22 14"><rect x="1" y="1" width="20" height="12" rx="2" fill="{}" stroke="{}"/></svg>body B</li>
<li><svg viewBox="0 0 22 14"><circle cx="11" cy="7" r="4" fill="#fff" stroke="{}" stroke-width="2"/></svg>contact point</li>
<li><svg viewBox="0 0 22 14"><path d="M1 7H14" stroke="#d02a62" stroke-width="2.2"/><path d="M21 7L13 3V11Z" fill="#d02a62"/></svg>normal, from B to A</li>
<li><svg viewBox="0 0 22 14"><circle cx="4" cy="7" r="3.4" fill="{}"/><path d="M4 7H14" stroke="{}" stroke-width="2.2"/><path d="M21 7L13 3V11Z" fill="{}"/></svg>active vertex and its subgradient: the way it opens the gap, as long as its weight</li>
<li><svg viewBox="0 0 22 14"><circle cx="11" cy="7" r="3" fill="#c41c55" stroke="#fff"/></svg>contact event, if asked for</li>
</ul>"##,
        a.shade(0.6),
        a.ink(),
        b.shade(0.6),
        b.ink(),
        a.shade(0.45),
        a.shade(0.45),
        a.shade(0.45),
        a.shade(0.45)
    )
}

fn card(card: &Card) -> String {
    let line = card.line;
    let name = if card.name.is_empty() { format!("line {line}") } else { escaped(&card.name) };
    match &card.content {
        Content::Failed(wrong) => {
            format!(
                "<article class=\"failed\" id=\"line-{line}\"><h2>{name}</h2><p>{}</p></article>\n",
                escaped(wrong)
            )
        }
        Content::Drawn { drawing, figures, weights, proximity, .. } => {
            let word = proximity.word();
            let rows: String = figures
                .iter()
                .map(|(label, value)| format!("<tr><th scope=\"row\">{label}</th><td>{value}</td></tr>"))
                .collect();
            let bars: String = weights
                .iter()
                .map(|(side, index, weight)| {
                    format!(
                        "<li><span>{}<sub>{index}</sub></span><i style=\"width:{:.1}%;background:{}\"></i><b>{}</b></li>",
                        side.letter(),
                        62.0 * weight,
                        side.shade(0.55),
                        number(*weight)
                    )
                })
                .collect();
            let bars =
                if bars.is_empty() { String::new() } else { format!("<ul class=\"weights\">{bars}</ul>") };
            format!(
                "<article id=\"line-{line}\"><h2>{name}<span class=\"{word}\">{word}</span></h2>\
                 <svg class=\"drawing\" viewBox=\"0 0 {WIDTH} {HEIGHT}\" role=\"img\" aria-label=\"Drawing of {name}\">{drawing}</svg>\
                 <table>{rows}</table>{bars}</article>\n"
            )
        }
    }
}

/// The drawings in rows, on paper of its own, for a page that shows pictures only.
pub fn picture(report: &Report, columns: usize) -> String {
    let drawn: Vec<(&Card, &String)> = report
        .cards
        .iter()
        .filter_map(|card| match &card.content {
            Content::Drawn { drawing, .. } => Some((card, drawing)),
            Content::Failed(_) => None,
        })
        .collect();
    let columns = columns.clamp(1, drawn.len().max(1));
    let cell = HEIGHT + 34.0;
    let (width, height) = (WIDTH * columns as f64, cell * drawn.len().div_ceil(columns) as f64);
    let mut out = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" width=\"{width}\" height=\"{height}\">\n\
         <style>{LETTERING}.caption {{ font: 600 16px ui-sans-serif, system-ui, sans-serif; fill: #333a48; text-anchor: middle; }}</style>\n\
         {DEFINITIONS}\n<rect width=\"100%\" height=\"100%\" rx=\"14\" fill=\"#fbfaf7\"/>\n"
    );
    for (k, (card, drawing)) in drawn.iter().enumerate() {
        let (x, y) = (WIDTH * (k % columns) as f64, cell * (k / columns) as f64);
        let name = if card.name.is_empty() { format!("line {}", card.line) } else { escaped(&card.name) };
        out += &format!(
            "<g transform=\"translate({x} {y})\">{drawing}<text class=\"caption\" x=\"{}\" y=\"{}\">{name}</text></g>\n",
            0.5 * WIDTH,
            HEIGHT + 18.0
        );
    }
    out + "</svg>\n"
}
