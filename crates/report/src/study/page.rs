//! The page of a study: its charts, the slopes with what was expected of them, the values, what failed. One file that opens offline.

use super::{chart, labelled, slope};
use crate::chart::{STYLE as CHARTS, plain};
use crate::export::xml::escaped;
use percussion_scene::run::Status;
use percussion_scene::study::{CurveResult, FigureResult, Fit, PointStatus, Scale, StudyRecord, Verdict};

const STYLE: &str = include_str!("style.css");

/// The whole page.
pub fn page(record: &StudyRecord) -> String {
    let title = escaped(if record.title.is_empty() { &record.study } else { &record.title });
    let figures: String = record.figures.iter().map(|drawn| figure(record, drawn)).collect();
    format!(
        r#"<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<link rel="icon" href="data:,">
<title>{title} · percussion</title>
<style>{STYLE}{CHARTS}</style>
</head>
<body>
<header>
<p class="maker">percussion sweep</p>
<h1>{title}</h1>
<p class="about">{description}</p>
{summary}
</header>
<main>
{figures}{failures}{setting}</main>
<footer>Made by percussion {version}. All values are in <code>study.json</code> and <code>study.csv</code>, every chart in a file of its own.</footer>
</body>
</html>
"#,
        description = escaped(&record.description.replace('\n', " ")),
        summary = summary(record),
        failures = failures(record),
        setting = setting(record),
        version = escaped(&record.version),
    )
}

fn summary(record: &StudyRecord) -> String {
    let count = |standing: PointStatus| record.runs.iter().filter(|run| run.status == standing).count();
    let spent: f64 = record.runs.iter().map(|run| run.wall_time_s).sum();
    let tile = |value: String, label: &str, class: &str| {
        format!("<div><b class=\"{class}\">{value}</b><span>{label}</span></div>")
    };
    let mut tiles = tile(count(PointStatus::Finished).to_string(), "runs finished", "");
    for (standing, label) in [(PointStatus::Failed, "failed"), (PointStatus::Missing, "not finished")] {
        if count(standing) > 0 {
            tiles += &tile(count(standing).to_string(), label, "bad");
        }
    }
    let verdicts: Vec<Verdict> =
        record.figures.iter().flat_map(|d| &d.curves).filter_map(|curve| curve.verdict).collect();
    if !verdicts.is_empty() && record.status == Status::Finished {
        let holds = verdicts.iter().filter(|verdict| **verdict == Verdict::Holds).count();
        let class = if holds == verdicts.len() { "good" } else { "bad" };
        tiles += &tile(format!("{holds} of {}", verdicts.len()), "slopes as expected", class);
    }
    tiles += &tile(format!("{spent:.1} s"), "computing", "");
    format!("<div class=\"summary\">{tiles}</div>")
}

fn figure(record: &StudyRecord, drawn: &FigureResult) -> String {
    let figure = &drawn.figure;
    format!(
        "<section id=\"{name}\">\n<h2>{label}</h2>\n<div class=\"drawing\">{svg}</div>\n{left_out}{rates}{values}</section>\n",
        name = escaped(&figure.name),
        label = escaped(&capital(&figure.label)),
        svg = chart(record, drawn).inline(),
        left_out = left_out(drawn),
        rates = rates(drawn),
        values = values(record, drawn),
    )
}

/// Number of values without a logarithm.
fn left_out(drawn: &FigureResult) -> String {
    let values = drawn.curves.iter().flat_map(|curve| &curve.y).flatten();
    match values.filter(|value| drawn.figure.scale == Scale::Log && !(**value > 0.0)).count() {
        0 => String::new(),
        1 => "<p class=\"about\">One value is not positive and has no place here.</p>\n".to_owned(),
        n => format!("<p class=\"about\">{n} values are not positive and have no place here.</p>\n"),
    }
}

fn capital(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}

fn name(curve: &CurveResult) -> String {
    if curve.label.is_empty() { "all points".to_owned() } else { escaped(&curve.label) }
}

/// The slopes, if lines are fitted.
fn rates(drawn: &FigureResult) -> String {
    let Some(fit) = &drawn.figure.fit else { return String::new() };
    let row = |(k, curve): (usize, &CurveResult)| {
        let (found, points) = match &curve.rate {
            Some(rate) => (slope(rate), rate.points.to_string()),
            None => ("–".to_owned(), "–".to_owned()),
        };
        let verdict = match curve.verdict {
            Some(Verdict::Holds) => "<td class=\"good\">as expected</td>",
            Some(Verdict::Broken) => "<td class=\"bad\">not as expected</td>",
            None if fit.at_least.is_some() || fit.at_most.is_some() => {
                "<td class=\"none\">nothing expected</td>"
            }
            None => "<td></td>",
        };
        format!(
            "<tr><th scope=\"row\"><span class=\"chart\"><i class=\"key k{}\"></i></span>{}</th><td>{found}</td><td>{points}</td>{verdict}</tr>\n",
            k % 8,
            name(curve)
        )
    };
    let rows: String = drawn.curves.iter().enumerate().map(row).collect();
    format!(
        "<h3>Slopes of the logarithms, by least squares{}</h3>\n<div class=\"scroll\"><table><thead><tr><th></th><th>slope ± standard error</th><th>points</th><th>{}</th></tr></thead>\n<tbody>{rows}</tbody></table></div>\n",
        within(fit),
        expected(fit),
    )
}

fn within(fit: &Fit) -> String {
    match (fit.from, fit.to) {
        (None, None) => String::new(),
        (Some(from), None) => format!(", from {from}"),
        (None, Some(to)) => format!(", up to {to}"),
        (Some(from), Some(to)) => format!(", from {from} to {to}"),
    }
}

fn expected(fit: &Fit) -> String {
    let parts = [fit.at_least.map(|x| format!("at least {x}")), fit.at_most.map(|x| format!("at most {x}"))];
    let parts: Vec<String> = parts.into_iter().flatten().collect();
    if parts.is_empty() { String::new() } else { format!("expected {}", parts.join(", ")) }
}

/// The values: a row for each place on the axis, a column for each curve.
fn values(record: &StudyRecord, drawn: &FigureResult) -> String {
    let axis = record.axis();
    let head = axis.map_or_else(|| record.x.clone(), |axis| labelled(&axis.name, &axis.unit));
    let columns: String = drawn.curves.iter().map(|curve| format!("<th>{}</th>", name(curve))).collect();
    let places = drawn.curves.first().map_or(0, |curve| curve.x.len());
    let row = |k: usize| {
        let at = drawn.curves[0].x[k];
        let cell = |curve: &CurveResult| match curve.y[k] {
            Some(value) if drawn.figure.scale == Scale::Linear => format!("<td>{}</td>", plain(value)),
            Some(value) => format!("<td>{value:.4e}</td>"),
            None => "<td class=\"none\">–</td>".to_owned(),
        };
        let cells: String = drawn.curves.iter().map(cell).collect();
        format!("<tr><th scope=\"row\">{}</th>{cells}</tr>\n", plain(at))
    };
    let rows: String = (0..places).map(row).collect();
    let unit = labelled("Values", &drawn.figure.unit);
    format!(
        "<h3>{}</h3>\n<div class=\"scroll\"><table><thead><tr><th>{}</th>{columns}</tr></thead>\n<tbody>{rows}</tbody></table></div>\n",
        escaped(&unit),
        escaped(&head)
    )
}

/// Points without a value, with the reason.
fn failures(record: &StudyRecord) -> String {
    let row = |run: &percussion_scene::study::PointOutcome| {
        let message = run.message.as_deref().unwrap_or_default();
        format!(
            "<tr><th scope=\"row\">{}</th><td class=\"wide\">{}</td></tr>\n",
            escaped(&run.label),
            escaped(message)
        )
    };
    let rows: String = record.incomplete().map(row).collect();
    if rows.is_empty() {
        return String::new();
    }
    format!(
        "<section><h2 class=\"bad\">Failed runs</h2>\n<div class=\"scroll\"><table><tbody>{rows}</tbody></table></div></section>\n"
    )
}

/// The scene, the axes, and what is common to all points.
fn setting(record: &StudyRecord) -> String {
    let axis = |axis: &percussion_scene::study::Axis| {
        let values: Vec<String> = axis.values.iter().map(ToString::to_string).collect();
        format!(
            "<tr><th scope=\"row\">{}</th><td class=\"left\"><code>{}</code></td><td class=\"wide\">{}</td></tr>\n",
            escaped(&labelled(&axis.label, &axis.unit)),
            escaped(&axis.path),
            escaped(&values.join(", "))
        )
    };
    let axes: String = record.axes.iter().map(axis).collect();
    let common: Vec<String> =
        record.set.iter().map(|change| format!("<code>{}</code>", escaped(change))).collect();
    let common = if common.is_empty() { String::new() } else { format!(" with {}", common.join(", ")) };
    format!(
        "<section><h2>The grid</h2>\n<p>The scene <code>{}</code>{common}, run at {} points.</p>\n<div class=\"scroll\"><table><thead><tr><th>axis</th><th class=\"left\">sets</th><th class=\"left\">to</th></tr></thead>\n<tbody>{axes}</tbody></table></div></section>\n",
        escaped(&record.scene),
        record.runs.len()
    )
}
