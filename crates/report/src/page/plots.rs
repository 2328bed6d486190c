//! Plots of a page, and the decimation of long runs. The plots of plans are in `planned.rs`.
//!
//! A run with more rows than a plot has pixels is divided into buckets; of each bucket the minimum and the maximum are kept, in the order
//! of time, so that a spike of one step stays visible.

use super::pack::{Pack, Ref};
use super::planned;
use percussion_scene::run::TrajectoryReader;
use serde::Serialize;
use std::io;

/// Largest number of rows without decimation.
const ROWS: usize = 4000;
/// Number of buckets of longer runs; each gives two points.
const BUCKETS: usize = 2000;
/// Largest number of curves of a plot: more could not be distinguished.
pub(super) const CURVES: usize = 8;
/// Contributions of the sources of the ledger.
const SOURCES: &str = "sources";

/// A plot.
#[derive(Debug, Serialize)]
pub struct Plot {
    pub(super) id: &'static str,
    pub(super) title: &'static str,
    pub(super) unit: &'static str,
    pub(super) scale: &'static str,
    pub(super) note: String,
    /// Label of this plot among those that share a card.
    pub(super) choice: Option<String>,
    /// Abscissa: `time`, or `iteration` of the optimiser.
    pub(super) over: &'static str,
    /// Times, s, or iterations.
    pub(super) time: Ref,
    pub(super) curves: Vec<Curve>,
    /// Indices at which rounds begin, except the first.
    pub(super) marks: Vec<usize>,
}

impl Plot {
    /// A plot over the time: its id, title, unit and scale.
    pub(super) fn over_time(
        [id, title, unit, scale]: [&'static str; 4],
        note: String,
        time: Ref,
        curves: Vec<Curve>,
    ) -> Self {
        let (choice, marks) = (None, Vec::new());
        Self { id, title, unit, scale, note, choice, over: "time", time, curves, marks }
    }
}

/// A curve of a plot.
#[derive(Debug, Serialize)]
pub(super) struct Curve {
    pub(super) name: String,
    pub(super) values: Ref,
    /// Index of its color: plots that share a card use the same colors for the same quantities.
    pub(super) colour: usize,
    /// Whether values are constant until the next instant.
    pub(super) steps: bool,
    /// Lower and upper bound.
    pub(super) limits: [Option<f64>; 2],
}

/// The source of a plot: columns of an array, by index.
struct PlotSource {
    id: &'static str,
    title: &'static str,
    unit: &'static str,
    log: bool,
    note: &'static str,
    array: &'static str,
    columns: Vec<(usize, String)>,
    choice: Option<String>,
    /// Divisor of the values.
    scale: f64,
}

/// All plots of a run with the step `h`, with or without joints.
pub fn plots(
    trajectory: &mut TrajectoryReader,
    h: f64,
    jointed: bool,
    pack: &mut Pack,
) -> io::Result<Vec<Plot>> {
    let decimation = Decimation::new(trajectory.rows());
    let mut times = Vec::new();
    trajectory.read("time", 0..trajectory.rows(), |_, row| times.push(row[0]))?;
    let time = pack.doubles(decimation.times(&times));
    // Plots of the plan come first.
    let mut all = planned::plots(trajectory, &decimation, time, pack)?;
    for source in plot_sources(trajectory, h, jointed) {
        if source.columns.is_empty() {
            continue;
        }
        let curves = decimation.curves(trajectory, &source, pack)?;
        let PlotSource { id, title, unit, log, note, choice, .. } = source;
        let (scale, note) = (if log { "log" } else { "linear" }, note.to_owned());
        all.push(Plot { choice, ..Plot::over_time([id, title, unit, scale], note, time, curves) });
    }
    Ok(all)
}

/// The plots for which the trajectory has arrays.
fn plot_sources(trajectory: &mut TrajectoryReader, h: f64, jointed: bool) -> Vec<PlotSource> {
    let mut all = conservation_plots(trajectory);
    all.extend(contact_plots(trajectory, h));
    if jointed {
        all.push(constraint_plot(trajectory));
    }
    all.extend(ledger_plots(trajectory));
    let columns = trajectory.names("coordinate_names").into_iter().enumerate().take(CURVES).collect();
    all.push(plot("coordinates", "Joint coordinates", "rad or m", "coordinate", columns));
    let names = ["linear x", "linear y", "linear z", "angular x", "angular y", "angular z"];
    let note = "Unaccounted momentum in the interval before an instant: not from control inputs, gravity or contacts.";
    let unit = "N s, N m s";
    let consistency =
        plot("momentum-consistency", "Momentum consistency", unit, "momentum_consistency", numbered(&names));
    all.push(PlotSource { log: true, note, ..consistency });
    let has_columns = |plot: &PlotSource| {
        trajectory.width(plot.array).is_some_and(|width| plot.columns.iter().all(|(k, _)| *k < width))
    };
    all.into_iter().filter(has_columns).collect()
}

fn plot(
    id: &'static str,
    title: &'static str,
    unit: &'static str,
    array: &'static str,
    columns: Vec<(usize, String)>,
) -> PlotSource {
    PlotSource { id, title, unit, log: false, note: "", array, columns, choice: None, scale: 1.0 }
}

/// Columns from the first one on, with their names.
fn numbered(names: &[&str]) -> Vec<(usize, String)> {
    names.iter().enumerate().map(|(k, name)| (k, (*name).to_owned())).collect()
}

/// Columns by name, with their labels.
fn named(names: &[String], columns: &[(&str, &str)]) -> Vec<(usize, String)> {
    let place = |name: &str| names.iter().position(|n| n == name);
    columns.iter().filter_map(|(name, label)| Some((place(name)?, (*label).to_owned()))).collect()
}

/// Energy, momenta and their errors.
fn conservation_plots(trajectory: &mut TrajectoryReader) -> Vec<PlotSource> {
    let names = trajectory.names("energy_names");
    let parts = named(&names, &[("kinetic", "kinetic"), ("potential", "potential"), ("total", "total")]);
    let error = named(&names, &[("error", "error")]);
    let axes = || numbered(&["x", "y", "z"]);
    let unit = "N s, N m s";
    vec![
        plot("energy", "Energy", "J", "energy", parts),
        PlotSource {
            log: true,
            note: "Change of the total energy that is not work of forces.",
            ..plot("energy-error", "Energy error", "J", "energy", error)
        },
        plot("linear-momentum", "Linear momentum", "N s", "linear_momentum", axes()),
        plot("angular-momentum", "Angular momentum about the origin", "N m s", "angular_momentum", axes()),
        PlotSource {
            log: true,
            note: "Unaccounted: not from forces, supports or contacts.",
            ..plot(
                "momentum-error",
                "Momentum error",
                unit,
                "momentum_error",
                numbered(&["linear", "angular"]),
            )
        },
    ]
}

/// Penetration, substeps and complementarity problems, in a run with the step `h`.
fn contact_plots(trajectory: &mut TrajectoryReader, h: f64) -> Vec<PlotSource> {
    let mut all = Vec::new();
    // In plans with collision avoidance the clearance shows the same.
    if trajectory.width("clearance").is_none() {
        let columns = numbered(&["penetration"]);
        let penetration = plot("penetration", "Max penetration of two bodies", "m", "penetration", columns);
        all.push(PlotSource { log: true, ..penetration });
    }
    let columns = numbered(&["smallest substep"]);
    let note = "Impacts divide a step into substeps; one is an undivided step.";
    let substep = plot("substep", "Smallest substep", "of the step", "substep_min", columns);
    all.push(PlotSource { log: true, note, scale: h, ..substep });
    let note = "Largest penetration, in units of the metric, or violation of a joint.";
    let columns = numbered(&["violation"]);
    let violation = plot("infeasibility", "Violation of constraints", "", "infeasibility", columns);
    all.push(PlotSource { log: true, note, ..violation });
    all.push(plot("contacts", "Contacts of the problem", "", "contacts", numbered(&["contacts"])));
    let columns = numbered(&["iterations"]);
    all.push(plot("solver-iterations", "Iterations of the solver", "", "solver_iterations", columns));
    let note = "Residual of the complementarity problem.";
    let columns = numbered(&["residual"]);
    let residual = plot("solver-residual", "Residual of the solver", "", "solver_residual", columns);
    all.push(PlotSource { log: true, note, ..residual });
    all
}

fn constraint_plot(trajectory: &mut TrajectoryReader) -> PlotSource {
    let labels = [("position", "positions"), ("velocity", "velocities"), ("hidden", "unprojected momenta")];
    let columns = named(&trajectory.names("constraint_names"), &labels);
    let plot = plot("constraints", "Constraint violation", "m, m/s", "constraint", columns);
    PlotSource { log: true, ..plot }
}

/// Contributions of the sources of the ledger.
fn ledger_plots(trajectory: &mut TrajectoryReader) -> Vec<PlotSource> {
    let sources = trajectory.names("source_names");
    let note = "Contribution of each source so far.";
    let ledger = |unit, array, choice: String, columns| PlotSource {
        note,
        choice: Some(choice),
        ..plot(SOURCES, "Ledger by source", unit, array, columns)
    };
    let columns = sources.iter().cloned().enumerate().collect();
    let mut all = vec![ledger("J", "source_energy", "energy".to_owned(), columns)];
    for (word, unit, array) in
        [("linear", "N s", "source_linear_momentum"), ("angular", "N m s", "source_angular_momentum")]
    {
        for (axis, letter) in ["x", "y", "z"].iter().enumerate() {
            let columns = sources.iter().enumerate().map(|(k, name)| (3 * k + axis, name.clone())).collect();
            all.push(ledger(unit, array, format!("{word} momentum {letter}"), columns));
        }
    }
    all
}

/// Decimation of rows into buckets.
pub(super) struct Decimation {
    rows: usize,
    buckets: usize,
}

impl Decimation {
    fn new(rows: usize) -> Self {
        Self { rows, buckets: if rows <= ROWS { rows } else { BUCKETS } }
    }

    fn is_thinned(&self) -> bool {
        self.buckets < self.rows
    }

    /// First row of a bucket.
    fn begin(&self, bucket: usize) -> usize {
        bucket * self.rows / self.buckets
    }

    fn times(&self, times: &[f64]) -> Vec<f64> {
        if !self.is_thinned() {
            return times.to_vec();
        }
        let pair = |bucket| {
            let (first, next) = (self.begin(bucket), self.begin(bucket + 1));
            // The last point is the end of the run.
            let second = if bucket + 1 == self.buckets { next - 1 } else { (first + next) / 2 };
            [times[first], times[second]]
        };
        (0..self.buckets).flat_map(pair).collect()
    }

    fn curves(
        &self,
        trajectory: &mut TrajectoryReader,
        source: &PlotSource,
        pack: &mut Pack,
    ) -> io::Result<Vec<Curve>> {
        let value = |row: &[f64], column: usize| {
            let value = row[column] / source.scale;
            if source.log { value.abs() } else { value }
        };
        let mut values = vec![Vec::with_capacity(2 * self.buckets); source.columns.len()];
        let thinned = self.is_thinned();
        let mut buckets = vec![Bucket::default(); source.columns.len()];
        let mut bucket = 0;
        trajectory.read(source.array, 0..self.rows, |k, row| {
            let last = k + 1 == self.begin(bucket + 1);
            for ((list, spread), (column, _)) in values.iter_mut().zip(&mut buckets).zip(&source.columns) {
                let value = value(row, *column);
                if !thinned {
                    list.push(value);
                    continue;
                }
                spread.take(k, value);
                if last {
                    list.extend(spread.both());
                    *spread = Bucket::default();
                }
            }
            bucket += usize::from(last);
        })?;
        // Sources without contribution have no curve: there are many of them.
        let named = source.columns.iter().zip(values).enumerate();
        let shown = named.filter(|(_, (_, values))| source.id != SOURCES || values.iter().any(|v| *v != 0.0));
        Ok(shown
            .map(|(colour, ((_, name), values))| Curve {
                name: name.clone(),
                values: pack.singles(values),
                colour,
                steps: false,
                limits: [None; 2],
            })
            .collect())
    }

    /// Decimates values, one for each row.
    pub(super) fn thinned(&self, values: &[f64]) -> Vec<f64> {
        if !self.is_thinned() {
            return values.to_vec();
        }
        let both = |bucket| {
            let mut spread = Bucket::default();
            (self.begin(bucket)..self.begin(bucket + 1)).for_each(|row| spread.take(row, values[row]));
            spread.both()
        };
        (0..self.buckets).flat_map(both).collect()
    }
}

/// Minimum and maximum of a bucket, with their rows.
#[derive(Clone, Copy, Default)]
struct Bucket(Option<[(usize, f64); 2]>);

impl Bucket {
    fn take(&mut self, row: usize, value: f64) {
        let [low, high] = self.0.get_or_insert([(row, value); 2]);
        if value < low.1 {
            *low = (row, value);
        }
        if value > high.1 {
            *high = (row, value);
        }
    }

    /// In the order of time.
    fn both(&self) -> [f64; 2] {
        let [low, high] = self.0.unwrap_or_default();
        if low.0 <= high.0 { [low.1, high.1] } else { [high.1, low.1] }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn buckets_hold_every_row_once_and_keep_spikes() {
        let decimation = Decimation::new(100_001);
        assert_eq!(decimation.begin(0), 0);
        assert_eq!(decimation.begin(decimation.buckets), 100_001);
        let times: Vec<f64> = (0..100_001).map(f64::from).collect();
        let points = decimation.times(&times);
        assert_eq!((points.first(), points.last()), (Some(&0.0), Some(&100_000.0)));
        assert!(points.windows(2).all(|pair| pair[0] < pair[1]));
        let mut bucket = Bucket::default();
        [3.0, 9.0, 1.0, 2.0].iter().enumerate().for_each(|(k, v)| bucket.take(k, *v));
        assert_eq!(bucket.both(), [9.0, 1.0]);
    }
}
