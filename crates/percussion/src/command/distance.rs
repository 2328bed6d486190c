//! `percussion distance`: opens files, runs the filter, writes the report.

use std::fs::{self, File};
use std::io::{self, IsTerminal, Read};
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Instant;

use anyhow::{Context, Result, bail};
use percussion::distance::report::Report;
use percussion::distance::{self, Defaults, EventRequest, NamedShapes, Observer, Requests, StreamCounts};
use percussion::gallery;

use super::print_status;

const EXAMPLES: &str = r#"Examples:
  percussion distance --example tetrahedra --report runs/tetrahedra
  percussion distance pairs.jsonl > answers.jsonl
  percussion distance --shapes parts.json --euclidean < poses.jsonl
  echo '{"a": {"sphere": 1, "position": [0, 0, 3]}, "b": {"cube": 1}}' | percussion distance

A line: {"a": SHAPE, "b": SHAPE, "beta": [..], "prediction": m, "events": true, "euclidean": true,
        "gradient": true, "ranges": true, "subdifferential": true, "id": anything}, all but a and b optional
or:     {"define": NAME, "shape": SHAPE}, which holds for the lines below it.
A SHAPE is a name, or an object with one kind and optionally a placement:
  in space       vertices, box, cube, prism, antiprism, pyramid, frustum, wedge, tetrahedron,
                 octahedron, icosahedron, dodecahedron, rounded, sphere, capsule, cylinder, cone,
                 ellipsoid, half_space, half_spaces, mesh, parts, shape
  in the plane   vertices, polygon, rectangle, square, triangle, regular_polygon, circle, ellipse,
                 half_plane, half_spaces, parts, shape
  placement      position, and one of rotation_vector, rotation, angle
The guide's page on `distance` describes all of it.

Exit code: 0 all lines answered; 1 some line has {"error": .., "line": n} as its answer; 2 misuse."#;

/// Separation of pairs of shapes given as lines of JSON, one answer per line
///
/// Reads lines from FILE or from standard input and writes one answer per query to standard output, in the
/// order of the input. Lines that cannot be answered get an error in their place; the others are answered.
#[derive(Debug, clap::Args)]
#[command(after_long_help = EXAMPLES, after_help = "See --help for examples and the form of a line.")]
pub struct Arguments {
    /// Lines to answer; standard input when absent or `-`
    file: Option<PathBuf>,

    /// Answer a shipped scene instead of FILE
    #[arg(long, value_name = "NAME", conflicts_with = "file")]
    example: Option<String>,

    /// A JSON object of names and shapes that lines can use
    #[arg(long, value_name = "FILE")]
    shapes: Option<PathBuf>,

    /// Also write DIR/report.html, a page with a drawing of every pair, and DIR/picture.svg
    #[arg(long, value_name = "DIR")]
    report: Option<PathBuf>,

    /// Draw at most this many pairs in the report
    #[arg(long, value_name = "N", default_value_t = 200)]
    report_limit: usize,

    /// Answer pairs that are provably further apart than this (metres) early, with a bound
    #[arg(long, value_name = "METRES")]
    prediction: Option<f64>,

    /// Add contact events to every answer
    #[arg(long)]
    events: bool,

    /// Add Euclidean distance or penetration depth to every answer
    #[arg(long)]
    euclidean: bool,

    /// Add derivatives with respect to the bodies' motion to every answer
    #[arg(long)]
    gradient: bool,

    /// Add the ranges of all optimal directions and weights to every answer
    #[arg(long)]
    ranges: bool,

    /// Add all generalized gradients (the Clarke subdifferential of the separation) to every answer
    #[arg(long)]
    subdifferential: bool,

    /// Threads to use; all cores when absent
    #[arg(long, value_name = "N")]
    jobs: Option<usize>,
}

/// Drawings side by side in the picture.
const PICTURE_COLUMNS: usize = 4;

/// Answers the lines.
pub fn run(arguments: &Arguments) -> Result<ExitCode> {
    let (title, input) = open(arguments)?;
    let names = match &arguments.shapes {
        None => NamedShapes::default(),
        Some(path) => {
            let text = fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))?;
            NamedShapes::from_json(&text).with_context(|| format!("in {}", path.display()))?
        }
    };
    if let Some(prediction) = arguments.prediction
        && prediction.is_nan()
    {
        bail!("--prediction is not a number");
    }
    let on = |flag: bool| flag.then_some(true);
    let defaults = Defaults {
        prediction: arguments.prediction,
        requests: Requests {
            events: arguments.events.then_some(EventRequest::Flag(true)),
            euclidean: on(arguments.euclidean),
            gradient: on(arguments.gradient),
            ranges: on(arguments.ranges),
            subdifferential: on(arguments.subdifferential),
        },
    };
    super::set_threads(arguments.jobs)?;
    // Before the work, so that a folder that cannot be written is known at once.
    if let Some(folder) = &arguments.report {
        fs::create_dir_all(folder).with_context(|| format!("cannot create {}", folder.display()))?;
    }
    let start = Instant::now();
    let mut report = arguments.report.as_ref().map(|_| Report::new(&title, arguments.report_limit));
    let observer = report.as_mut().map(|report| report as &mut dyn Observer);
    let counts = distance::run(input, io::stdout(), names, &defaults, observer)
        .with_context(|| format!("cannot read {title} or write the answers"))?;
    if let (Some(folder), Some(report)) = (&arguments.report, &report) {
        let path = folder.join("report.html");
        fs::write(&path, report.page(&counts)).with_context(|| format!("cannot write {}", path.display()))?;
        let picture = folder.join("picture.svg");
        fs::write(&picture, report.picture(PICTURE_COLUMNS))
            .with_context(|| format!("cannot write {}", picture.display()))?;
        print_status(&format!("report: {}", path.display()));
    }
    if io::stderr().is_terminal() {
        print_status(&summary(&counts, start.elapsed().as_secs_f64()));
    }
    Ok(if counts.failed == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// The lines to answer, and what to call them.
fn open(arguments: &Arguments) -> Result<(String, Box<dyn Read + Send>)> {
    if let Some(name) = &arguments.example {
        let examples = || gallery::SCENES.iter().filter(|scene| scene.kind == "distance");
        let Some(scene) = examples().find(|scene| scene.name == name) else {
            let known: Vec<&str> = examples().map(|scene| scene.name).collect();
            bail!("no example named `{name}`; there are: {}", known.join(", "));
        };
        return Ok((scene.title.to_owned(), Box::new(scene.pairs.as_bytes())));
    }
    match &arguments.file {
        Some(path) if path.as_os_str() != "-" => {
            let file = File::open(path).with_context(|| format!("cannot open {}", path.display()))?;
            Ok((path.display().to_string(), Box::new(file)))
        }
        _ => {
            if io::stdin().is_terminal() {
                print_status("reading lines from the terminal; end with Ctrl-D. See --help for their form");
            }
            Ok(("standard input".to_owned(), Box::new(io::stdin())))
        }
    }
}

fn summary(counts: &StreamCounts, seconds: f64) -> String {
    let StreamCounts { answered, defined, failed, cut_short, .. } = counts;
    let mut text = format!("{answered} answered, {failed} failed, {defined} defined in {seconds:.3} s");
    if *answered > 10_000 {
        text += &format!(" ({:.0} thousand lines per second)", *answered as f64 / seconds / 1e3);
    }
    if *cut_short {
        text += "; the reader of the answers stopped early";
    }
    text
}
