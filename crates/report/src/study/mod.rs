//! Presentation of studies: a chart for each figure, a page with all of them, a table.
//!
//! **Input**: the record of a study. **Output**: texts.

mod page;

pub use page::page;

use crate::chart::{Chart, Line, Side};
use crate::export::csv;
use percussion_scene::study::{AxisValue, CurveResult, FigureResult, Published, Rate, Scale, StudyRecord};
use std::io::{self, Write};

/// A label with its unit.
fn labelled(label: &str, unit: &str) -> String {
    if unit.is_empty() { label.to_owned() } else { format!("{label} [{unit}]") }
}

/// A slope with its standard error.
fn slope(rate: &Rate) -> String {
    match rate.standard_error {
        Some(error) => format!("{:.3} ± {error:.3}", rate.slope),
        None => format!("{:.3}", rate.slope),
    }
}

/// The chart of a figure.
pub fn chart(record: &StudyRecord, drawn: &FigureResult) -> Chart {
    let figure = &drawn.figure;
    let axis = record.axis();
    let (name, unit) = axis.map_or((record.x.as_str(), ""), |axis| (axis.label.as_str(), axis.unit.as_str()));
    let mut lines: Vec<Line> =
        drawn.curves.iter().enumerate().map(|(k, curve)| line(k, curve, drawn, &record.x)).collect();
    for published in &figure.published {
        lines.push(others(published, &drawn.curves));
    }
    Chart {
        title: format!("{} against {name}", figure.label),
        x: Side { label: labelled(name, unit), log: axis.is_none_or(|axis| axis.scale == Scale::Log) },
        y: Side { label: labelled(&figure.label, &figure.unit), log: figure.scale == Scale::Log },
        lines,
        slope: figure.slope,
        lost: lost(record, drawn),
    }
}

fn line(k: usize, curve: &CurveResult, drawn: &FigureResult, x: &str) -> Line {
    let say = |at: f64, value: f64| {
        let name = if curve.label.is_empty() { String::new() } else { format!("{}, ", curve.label) };
        format!("{name}{x} = {at}: {value:.4e} {}", drawn.figure.unit).trim_end().to_owned()
    };
    let mut points: Vec<(f64, f64, String)> =
        curve.x.iter().zip(&curve.y).filter_map(|(x, y)| y.map(|y| (*x, y, say(*x, y)))).collect();
    points.sort_by(|a, b| a.0.total_cmp(&b.0));
    let note = curve.rate.as_ref().map(|rate| format!("slope {}", slope(rate))).unwrap_or_default();
    let label = if curve.label.is_empty() && !note.is_empty() { "this study" } else { &curve.label };
    Line { label: label.to_owned(), note, points, colour: Some(k), published: false }
}

/// Published results, in the colour of their curve.
fn others(published: &Published, curves: &[CurveResult]) -> Line {
    let own = |curve: &CurveResult| !published.at.is_empty() && curve.at == published.at;
    let colour = if curves.len() == 1 { Some(0) } else { curves.iter().position(own) };
    let say = |[x, y]: &[f64; 2]| (*x, *y, format!("{}: {y:.4e} at {x}", published.label));
    let mut points: Vec<(f64, f64, String)> = published.points.iter().map(say).collect();
    points.sort_by(|a, b| a.0.total_cmp(&b.0));
    Line { label: published.label.clone(), note: String::new(), points, colour, published: true }
}

/// Places on the axis where a curve has no value, and why.
fn lost(record: &StudyRecord, drawn: &FigureResult) -> Vec<(f64, String)> {
    let mut places: Vec<(f64, String)> = Vec::new();
    for run in
        record.runs.iter().filter(|run| !run.values.get(&drawn.figure.name).is_some_and(Option::is_some))
    {
        let place = run.at.get(&record.x).and_then(AxisValue::number);
        let (Some(x), Some(message)) = (place, &run.message) else { continue };
        let why = format!("{}: {message}", run.label);
        match places.iter_mut().find(|(at, _)| *at == x) {
            Some((_, all)) => *all += &format!("; {why}"),
            None => places.push((x, why)),
        }
    }
    places
}

/// The values as a table after RFC 4180: a line for each point, in the order of the grid.
pub fn table(record: &StudyRecord, out: &mut impl Write) -> io::Result<()> {
    let axes = record.axes.iter().map(|axis| labelled(&axis.name, &axis.unit));
    let figures = record.figures.iter().map(|drawn| labelled(&drawn.figure.name, &drawn.figure.unit));
    let last = ["status", "message"].map(str::to_owned);
    let header: Vec<String> = axes.chain(figures).chain(last).collect();
    csv::line(out, header.iter().map(String::as_str))?;
    for run in &record.runs {
        let axes = record.axes.iter().map(|axis| match run.at.get(&axis.name) {
            Some(AxisValue::Number(x)) => format!("{x:?}"),
            Some(other) => other.to_string(),
            None => String::new(),
        });
        let value = |drawn: &FigureResult| match run.values.get(&drawn.figure.name).copied().flatten() {
            // The debug format has an exponent where the plain one would write hundreds of zeros.
            Some(value) => format!("{value:?}"),
            None => String::new(),
        };
        let status = format!("{:?}", run.status).to_lowercase();
        let last = [status, run.message.clone().unwrap_or_default()];
        let cells: Vec<String> = axes.chain(record.figures.iter().map(value)).chain(last).collect();
        csv::line(out, cells.iter().map(String::as_str))?;
    }
    Ok(())
}
