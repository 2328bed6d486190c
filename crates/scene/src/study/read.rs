//! Reads study files.

use super::{Axis, AxisValue, Figure, Fit, Published, Reference, SCENE_PATH, Scale, SourcePlace, Study};
use crate::report::{Place, Read, Report, read_all};
use crate::scene::name_of;
use crate::tree::{Entry, Fields, Node, Value, document, list, quoted, text};
use std::collections::BTreeMap;
use std::io;
use std::path::Path;

/// The keys at the top of a study.
const TOP: [&str; 7] = ["title", "description", "scene", "set", "x", "axes", "figures"];
/// The words for scales.
const SCALES: [&str; 2] = ["log", "linear"];
/// Largest number of points of a grid: larger ones are probably a mistake.
const MOST_POINTS: usize = 100_000;

/// Reads everything, so that all complaints are reported.
pub(super) fn study(
    report: &Report,
    path: &Path,
    files: &dyn Fn(&Path) -> io::Result<String>,
) -> Read<Study> {
    let file = path.display().to_string();
    let written = files(path).map_err(|error| {
        report.complain_of_file(&file, format!("cannot be read: {error}"), "check the path")
    })?;
    let source = report.file(&file, &written);
    let root = document(report, source, &written)?;
    let node = Node { place: Place { source, offset: 0 }, value: Value::Table(root) };
    let top = Fields::of(report, &node, "", &TOP)?;
    let title = top.text("title").map(|text| text.unwrap_or_default().to_owned());
    let description = top.text("description").map(|text| text.unwrap_or_default().trim().to_owned());
    let set = set(&top);
    let axes = axes(&top);
    let scene = scene(&top, axes.as_deref().unwrap_or_default());
    let x = axes.as_ref().map_err(|reported| *reported).and_then(|axes| abscissa(&top, axes));
    // Figures are read even if the axes have complaints; their references to curves are not checked then.
    let curves: Option<Vec<&Axis>> = match (&axes, &x) {
        (Ok(axes), Ok(x)) => {
            Some(axes.iter().enumerate().filter(|(k, _)| k != x).map(|(_, axis)| axis).collect())
        }
        _ => None,
    };
    let figures = figures(&top, curves.as_deref());
    let (set, set_places) = set?.into_iter().unzip();
    Ok(Study {
        name: name_of(path),
        title: title?,
        description: description?,
        scene: scene?,
        set,
        set_places,
        axes: axes?,
        x: x?,
        figures: figures?,
        place: source_place(report, top.place_of("scene")),
    })
}

/// The scene, unless an axis has scenes.
fn scene(top: &Fields, axes: &[Axis]) -> Read<Option<String>> {
    let given = top.text("scene")?.map(str::to_owned);
    let by_axis = axes.iter().find(|axis| axis.path == SCENE_PATH);
    match (&given, by_axis) {
        (None, None) => {
            let remedy = "name a scene file, or a scene of the gallery, such as scene = \"gyroscope\"";
            Err(top.missing("scene", remedy))
        }
        (Some(_), Some(axis)) => {
            let message = format!("is given, and `axes.{}` has scenes", axis.name);
            Err(top.wrong("scene", &message, "remove one of the two"))
        }
        _ => Ok(given),
    }
}

fn source_place(report: &Report, place: Place) -> SourcePlace {
    let (file, place) = report.locate(place);
    SourcePlace { file, place }
}

/// `set = ["run.until=2"]`, as on the command line, with the place of each override.
fn set(top: &Fields) -> Read<Vec<((String, String), SourcePlace)>> {
    let items = top.list("set")?.unwrap_or_default();
    let change = |(i, item): (usize, &Node)| {
        let change = text(top.report, item, &format!("set[{i}]"))?;
        let Some((path, value)) = change.split_once('=') else {
            let remedy = "write \"path=value\" as after --set, such as \"run.until=2\"";
            return Err(top.report.complain(item.place, format!("`set[{i}]` has no `=`"), remedy));
        };
        Ok(((path.trim().to_owned(), value.trim().to_owned()), source_place(top.report, item.place)))
    };
    read_all(items.iter().enumerate().map(change))
}

/// The tables of a collection.
fn named<'a>(top: &Fields<'a>, key: &str, remedy: &str) -> Read<&'a [Entry]> {
    let Some(node) = top.node(key) else { return Err(top.missing(key, remedy)) };
    match node.table() {
        Some(table) if !table.entries.is_empty() => Ok(&table.entries),
        Some(_) => Err(top.wrong(key, "is empty", remedy)),
        None => Err(top.wrong(key, &format!("is {}, not a table of named things", node.kind()), remedy)),
    }
}

fn axes(top: &Fields) -> Read<Vec<Axis>> {
    let entries = named(top, "axes", "write [axes.NAME] with the path that is set and its values")?;
    let axes = read_all(entries.iter().map(|entry| axis(top.report, entry)))?;
    let points = axes.iter().try_fold(1usize, |points, axis| points.checked_mul(axis.values.len()));
    if points.is_none_or(|points| points > MOST_POINTS) {
        let message = format!("has more than {MOST_POINTS} points");
        return Err(top.wrong("axes", &message, "give fewer values"));
    }
    for (k, entry) in entries.iter().enumerate() {
        if axes[..k].iter().any(|other| other.path == axes[k].path) {
            let place =
                entry.node.table().and_then(|axis| axis.get("path")).map_or(entry.place, |path| path.place);
            let message = format!("`{}` is set by two axes", axes[k].path);
            return Err(top.report.complain(place, message, "set another path, or remove one of the two"));
        }
    }
    Ok(axes)
}

fn axis(report: &Report, entry: &Entry) -> Read<Axis> {
    let name = format!("axes.{}", entry.key);
    let fields = Fields::of(report, &entry.node, &name, &["path", "values", "label", "unit", "scale"])?;
    let path = fields.text("path").and_then(|path| {
        let remedy = "give the path of an override, as after --set, such as path = \"run.step\"";
        path.map(str::to_owned).ok_or_else(|| fields.missing("path", remedy))
    });
    let values = values(&fields).and_then(|values| {
        let other = values.iter().find(|value| !matches!(value, AxisValue::Text(_)));
        match other.filter(|_| matches!(path, Ok(ref path) if path == SCENE_PATH)) {
            Some(other) => Err(fields.wrong(
                "values",
                &format!("has {other}, which is no scene"),
                "give names of scenes",
            )),
            None => Ok(values),
        }
    });
    let label = fields.text("label");
    let unit = fields.text("unit");
    let scale = scale(&fields);
    Ok(Axis {
        name: entry.key.clone(),
        path: path?,
        values: values?,
        label: label?.unwrap_or(&entry.key).to_owned(),
        unit: unit?.unwrap_or_default().to_owned(),
        scale: scale?,
        place: source_place(report, fields.place_of("path")),
    })
}

fn values(fields: &Fields) -> Read<Vec<AxisValue>> {
    let remedy = "list the values of the axis, such as values = [0.1, 0.05, 0.02]";
    let Some(items) = fields.list("values")? else { return Err(fields.missing("values", remedy)) };
    if items.is_empty() {
        return Err(fields.wrong("values", "is empty", remedy));
    }
    let mut all: Vec<AxisValue> = Vec::new();
    let mut outcome = Ok(());
    for (i, item) in items.iter().enumerate() {
        match setting(fields.report, item, &format!("{}[{i}]", fields.path("values"))) {
            Err(reported) => outcome = Err(reported),
            Ok(value) if all.contains(&value) => {
                let message = format!("`{}` has {value} twice", fields.path("values"));
                outcome = Err(fields.report.complain(item.place, message, "remove one of the two"));
            }
            Ok(value) => all.push(value),
        }
    }
    outcome.map(|()| all)
}

fn setting(report: &Report, node: &Node, name: &str) -> Read<AxisValue> {
    match &node.value {
        Value::Text(text) => Ok(AxisValue::Text(text.clone())),
        Value::Boolean(boolean) => Ok(AxisValue::Boolean(*boolean)),
        Value::Integer(n) => Ok(AxisValue::Whole(*n)),
        Value::Float(x) if x.is_finite() => Ok(AxisValue::Number(*x)),
        Value::Float(x) => {
            Err(report.complain(node.place, format!("`{name}` is {x}"), "give a finite number"))
        }
        _ => {
            let remedy = "give a number, a word in quotes, true or false";
            Err(report.complain(node.place, format!("`{name}` is {}", node.kind()), remedy))
        }
    }
}

impl AxisValue {
    /// As TOML.
    pub(super) fn toml(&self) -> String {
        match self {
            Self::Boolean(boolean) => boolean.to_string(),
            Self::Whole(n) => n.to_string(),
            // Shortest digits that are read back bitwise identical.
            Self::Number(x) => format!("{x:?}"),
            Self::Text(text) => quoted(text),
        }
    }
}

fn scale(fields: &Fields) -> Read<Scale> {
    Ok(match fields.word("scale", &SCALES)? {
        Some("linear") => Scale::Linear,
        _ => Scale::Log,
    })
}

/// The abscissa axis; optional if there is one axis.
fn abscissa(top: &Fields, axes: &[Axis]) -> Read<usize> {
    let names = axes.iter().map(|axis| axis.name.as_str());
    let x = match (top.text("x")?, axes) {
        (Some(given), _) => names.clone().position(|name| name == given).ok_or_else(|| {
            let place = top.node("x").map_or(top.place, |node| node.place);
            top.report.unknown(place, format!("there is no axis `{given}`"), given, names, "")
        })?,
        (None, [_]) => 0,
        (None, _) => {
            let names: Vec<&str> = names.collect();
            let remedy = format!("name the abscissa axis of the figures, one of {}", names.join(", "));
            return Err(top.missing("x", &remedy));
        }
    };
    let axis = &axes[x];
    // The axes were read from this table.
    let node =
        top.table.table("axes").and_then(|axes| axes.table(&axis.name)).and_then(|axis| axis.get("values"));
    let items = match node.map(|node| &node.value) {
        Some(Value::List(items)) => items.as_slice(),
        _ => &[],
    };
    let mut outcome = Ok(x);
    for (value, item) in axis.values.iter().zip(items) {
        outcome = match value.number() {
            None => {
                let message =
                    format!("`axes.{}` has the value {value}, but it is the abscissa axis", axis.name);
                Err(top.report.complain(item.place, message, "give numbers, or another axis as `x`"))
            }
            Some(number) if axis.scale == Scale::Log && !(number > 0.0) => {
                let message = format!("`axes.{}` has the value {value}, which has no logarithm", axis.name);
                Err(top.report.complain(item.place, message, "give positive numbers, or scale = \"linear\""))
            }
            Some(_) => continue,
        };
    }
    outcome
}

fn figures(top: &Fields, curves: Option<&[&Axis]>) -> Read<Vec<Figure>> {
    let remedy = "write [figures.NAME] with a value, such as value = \"energy.max_relative_error\"";
    let entries = named(top, "figures", remedy)?;
    read_all(entries.iter().map(|entry| figure(top.report, entry, curves)))
}

fn figure(report: &Report, entry: &Entry, curves: Option<&[&Axis]>) -> Read<Figure> {
    let name = format!("figures.{}", entry.key);
    // It is used as a file name.
    let plain = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
    if !entry.key.chars().all(plain) || entry.key.is_empty() {
        let remedy = "use letters, digits, `-` and `_`: its chart is NAME.svg";
        let message = format!("`{}` is not a valid name of a figure", entry.key);
        return Err(report.complain(entry.place, message, remedy));
    }
    let known = ["value", "label", "unit", "scale", "slope", "fit", "reference", "published"];
    let fields = Fields::of(report, &entry.node, &name, &known)?;
    let value = fields.text("value").and_then(|value| {
        let remedy = "give a path into summary.json, such as value = \"energy.max_relative_error\"";
        value.map(str::to_owned).ok_or_else(|| fields.missing("value", remedy))
    });
    let (label, unit, scale) = (fields.text("label"), fields.text("unit"), scale(&fields));
    let slope = fields.number("slope");
    let fit = fields.node("fit").map(|node| fit(&fields, node, curves)).transpose();
    let reference = reference(&fields, curves);
    let published = match fields.list("published") {
        Ok(Some(items)) => {
            read_all(items.iter().enumerate().map(|(i, item)| published(&fields, item, i, curves)))
        }
        Ok(None) => Ok(Vec::new()),
        Err(reported) => Err(reported),
    };
    let value = value?;
    Ok(Figure {
        name: entry.key.clone(),
        label: label?.unwrap_or(&value).to_owned(),
        unit: unit?.unwrap_or_default().to_owned(),
        scale: scale?,
        slope: slope?,
        fit: fit?,
        reference: reference?,
        published: published?,
        place: source_place(report, fields.node("value").map_or(fields.place, |node| node.place)),
        value,
    })
}

fn fit(figure: &Fields, node: &Node, curves: Option<&[&Axis]>) -> Read<Fit> {
    let name = figure.path("fit");
    let fields = Fields::of(figure.report, node, &name, &["from", "to", "at_least", "at_most", "only"])?;
    let (from, to) = (fields.positive("from", "number"), fields.positive("to", "number"));
    let (at_least, at_most) = (fields.number("at_least"), fields.number("at_most"));
    let mut only = BTreeMap::new();
    for (entry, axis) in chosen(&fields, "only", curves)? {
        let name = format!("{}.{}", fields.path("only"), entry.key);
        let items = list(fields.report, &entry.node, &name)?;
        let values = read_all(items.iter().map(|item| value_of(fields.report, item, &name, axis)))?;
        only.insert(axis.name.clone(), values);
    }
    let fit = Fit { from: from?, to: to?, at_least: at_least?, at_most: at_most?, only };
    if let (Some(from), Some(to)) = (fit.from, fit.to)
        && !(from < to)
    {
        return Err(fields.wrong("to", &format!("is {to}, not more than `from`"), "exchange the two"));
    }
    if !fit.only.is_empty() && fit.at_least.is_none() && fit.at_most.is_none() {
        let remedy = "give `at_least` or `at_most`: `only` selects the curves to which they apply";
        return Err(fields.wrong("only", "is given without an expectation", remedy));
    }
    Ok(fit)
}

/// The entries of a table whose keys are axes that make curves; none if it is not known which those are.
fn chosen<'a, 'c>(
    fields: &Fields<'a>,
    key: &str,
    curves: Option<&[&'c Axis]>,
) -> Read<Vec<(&'a Entry, &'c Axis)>> {
    let (Some(node), Some(curves)) = (fields.node(key), curves) else { return Ok(Vec::new()) };
    let table = Fields::of_some_kind(fields.report, node, &fields.path(key))?.table;
    let found = |entry: &'a Entry| {
        let axis = curves.iter().find(|axis| axis.name == entry.key);
        axis.map(|axis| (entry, *axis)).ok_or_else(|| {
            let message = format!("`{}` is not an axis that makes curves", entry.key);
            let names = curves.iter().map(|axis| axis.name.as_str());
            fields.report.unknown(entry.place, message, &entry.key, names, "there is none")
        })
    };
    read_all(table.entries.iter().map(found))
}

/// One of the values of an axis.
fn value_of(report: &Report, node: &Node, name: &str, axis: &Axis) -> Read<AxisValue> {
    let given = setting(report, node, name)?;
    let same = |own: &&AxisValue| match (own.number(), given.number()) {
        (Some(a), Some(b)) => a == b,
        _ => **own == given,
    };
    axis.values.iter().find(same).cloned().ok_or_else(|| {
        let known: Vec<String> = axis.values.iter().map(ToString::to_string).collect();
        let message = format!("`axes.{}` has no value {given}", axis.name);
        report.complain(node.place, message, format!("give one of {}", known.join(", ")))
    })
}

/// `reference = 1.5`, or a list of values with the curves to which they belong.
fn reference(figure: &Fields, curves: Option<&[&Axis]>) -> Read<Vec<Reference>> {
    if !matches!(figure.node("reference").map(|node| &node.value), Some(Value::List(_))) {
        let value = figure.number("reference")?;
        return Ok(value.map(|value| Reference { value, at: BTreeMap::new() }).into_iter().collect());
    }
    let items = figure.list("reference")?.unwrap_or_default();
    read_all(items.iter().enumerate().map(|(i, item)| {
        let name = format!("{}[{i}]", figure.path("reference"));
        let fields = Fields::of(figure.report, item, &name, &["value", "at"])?;
        let value = fields
            .number("value")
            .and_then(|value| value.ok_or_else(|| fields.missing("value", "give the reference value")))?;
        Ok(Reference { value, at: curve_at(&fields, curves)? })
    }))
}

/// The curve that `at` selects: a value of each axis that makes curves, or none.
fn curve_at(fields: &Fields, curves: Option<&[&Axis]>) -> Read<BTreeMap<String, AxisValue>> {
    let mut at = BTreeMap::new();
    for (entry, axis) in chosen(fields, "at", curves)? {
        let name = format!("{}.{}", fields.path("at"), entry.key);
        at.insert(axis.name.clone(), value_of(fields.report, &entry.node, &name, axis)?);
    }
    match curves.unwrap_or_default().iter().find(|axis| !at.is_empty() && !at.contains_key(&axis.name)) {
        Some(axis) => {
            let remedy = format!("add a value of `{}`, so that one curve is selected", axis.name);
            Err(fields.wrong("at", "does not name a curve", &remedy))
        }
        None => Ok(at),
    }
}

fn published(figure: &Fields, node: &Node, i: usize, curves: Option<&[&Axis]>) -> Read<Published> {
    let name = format!("{}[{i}]", figure.path("published"));
    let fields = Fields::of(figure.report, node, &name, &["label", "points", "at"])?;
    let label = fields
        .text("label")
        .and_then(|label| label.map(str::to_owned).ok_or_else(|| fields.missing("label", "name the source")));
    let points = fields.rows::<2>("points").and_then(|points| {
        let remedy = "give abscissas and ordinates, such as points = [[0.1, 2e-3], [0.05, 5e-4]]";
        points.ok_or_else(|| fields.missing("points", remedy))
    });
    Ok(Published { label: label?, points: points?, at: curve_at(&fields, curves)? })
}
