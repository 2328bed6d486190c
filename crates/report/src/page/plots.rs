//! The curves of a page, and how those of long runs are thinned. Those that only plans have are in `planned.rs`.
//!
//! A run with more rows than a plot has pixels is gathered into buckets; of each bucket the lowest and the highest value
//! are trajectory, in the order in which they came: a spike of one step stays visible.

use super::pack::{Pack, Ref};
use super::planned;
use percussion_scene::run::TrajectoryReader;
use serde::Serialize;
use std::io;

/// Rows that are drawn one by one.
const ROWS: usize = 4000;
/// Buckets of longer runs; each gives two points.
const BUCKETS: usize = 2000;
/// Curves of a plot, such as joint coordinates: more could not be told apart.
pub(super) const CURVES: usize = 8;
/// What each cause brought.
const CAUSES: &str = "causes";

/// A plot.
#[derive(Debug, Serialize)]
pub struct Plot {
    pub(super) id: &'static str,
    pub(super) title: &'static str,
    pub(super) unit: &'static str,
    pub(super) scale: &'static str,
    pub(super) note: String,
    /// Of plots that share a card, what this one shows.
    pub(super) choice: Option<String>,
    /// What it is drawn over: `time`, or the `iteration` of a search.
    pub(super) over: &'static str,
    /// Instants, s, or iterations.
    pub(super) time: Ref,
    pub(super) curves: Vec<Curve>,
    /// Where rounds of a search begin, but for the first.
    pub(super) marks: Vec<usize>,
}

/// A curve of a plot.
#[derive(Debug, Serialize)]
pub(super) struct Curve {
    pub(super) name: String,
    pub(super) values: Ref,
    /// Its place among the colours: plots that share a card show the same things in the same ones.
    pub(super) colour: usize,
    /// Whether values hold until the next instant.
    pub(super) steps: bool,
    /// What it has to stay above and below.
    pub(super) limits: [Option<f64>; 2],
}

/// What a plot is made of: columns of an array, by their places.
struct Wanted {
    id: &'static str,
    title: &'static str,
    unit: &'static str,
    log: bool,
    note: &'static str,
    array: &'static str,
    columns: Vec<(usize, String)>,
    choice: Option<String>,
    /// By what values are divided.
    scale: f64,
}

/// All plots of a run with the step `h`, with or without joints.
pub fn plots(
    trajectory: &mut TrajectoryReader,
    h: f64,
    jointed: bool,
    pack: &mut Pack,
) -> io::Result<Vec<Plot>> {
    let gathered = Gathered::of(trajectory.rows());
    let mut times = Vec::new();
    trajectory.read("time", 0..trajectory.rows(), |_, row| times.push(row[0]))?;
    let time = pack.doubles(gathered.times(&times));
    // What was planned comes before what follows from it.
    let mut all = planned::plots(trajectory, &gathered, time, pack)?;
    for wanted in wanted(trajectory, h, jointed) {
        if wanted.columns.is_empty() {
            continue;
        }
        let curves = gathered.curves(trajectory, &wanted, pack)?;
        let Wanted { id, title, unit, log, note, choice, .. } = wanted;
        let (scale, note) = (if log { "log" } else { "linear" }, note.to_owned());
        all.push(Plot {
            id,
            title,
            unit,
            scale,
            note,
            choice,
            over: "time",
            time,
            curves,
            marks: Vec::new(),
        });
    }
    Ok(all)
}

/// The plots that a run has the arrays for.
fn wanted(trajectory: &mut TrajectoryReader, h: f64, jointed: bool) -> Vec<Wanted> {
    let mut all = Vec::new();
    let energy = trajectory.names("energy_names");
    let named = |names: &[String], wanted: &[(&str, &str)]| -> Vec<(usize, String)> {
        let place = |name: &str| names.iter().position(|n| n == name);
        wanted.iter().filter_map(|(name, label)| Some((place(name)?, (*label).to_owned()))).collect()
    };
    let axes = || ["x", "y", "z"].iter().enumerate().map(|(k, name)| (k, (*name).to_owned())).collect();
    let mut add = |wanted: Wanted, trajectory: &mut TrajectoryReader| {
        // A run by an older version keeps fewer arrays.
        if trajectory.width(wanted.array).is_some_and(|width| wanted.columns.iter().all(|(k, _)| *k < width))
        {
            all.push(wanted);
        }
    };
    let plot = |id, title, unit, array, columns| Wanted {
        id,
        title,
        unit,
        log: false,
        note: "",
        array,
        columns,
        choice: None,
        scale: 1.0,
    };
    let columns = named(&energy, &[("kinetic", "kinetic"), ("potential", "potential"), ("total", "total")]);
    add(plot("energy", "Energy", "J", "energy", columns), trajectory);
    let columns = named(&energy, &[("error", "error")]);
    let note = "The change of the total that no work of a force explains.";
    add(
        Wanted { log: true, note, ..plot("energy-error", "Energy error", "J", "energy", columns) },
        trajectory,
    );
    add(plot("linear-momentum", "Linear momentum", "N s", "linear_momentum", axes()), trajectory);
    add(
        plot("angular-momentum", "Angular momentum about the origin", "N m s", "angular_momentum", axes()),
        trajectory,
    );
    let columns = vec![(0, "linear".to_owned()), (1, "angular".to_owned())];
    let note = "What no force, support or contact explains.";
    let unit = "N s, N m s";
    add(
        Wanted {
            log: true,
            note,
            ..plot("momentum-error", "Momentum error", unit, "momentum_error", columns)
        },
        trajectory,
    );
    let columns = vec![(0, "overlap".to_owned())];
    // Where bodies keep apart, their clearance tells the same and more.
    if trajectory.width("clearance").is_none() {
        let overlap = plot("overlap", "Greatest overlap of two bodies", "m", "overlap", columns);
        add(Wanted { log: true, ..overlap }, trajectory);
    }
    let columns = vec![(0, "shortest piece".to_owned())];
    let note = "Impacts divide the step they are in; one is a whole step.";
    let piece = plot("step-piece", "Shortest piece of a step", "of the step", "substep_min", columns);
    add(Wanted { log: true, note, scale: h, ..piece }, trajectory);
    let columns = |name: &str| vec![(0, name.to_owned())];
    let note = "The greatest overlap, in units of the metric, or opening of a joint.";
    let violation =
        plot("infeasibility", "Violation of constraints", "", "infeasibility", columns("violation"));
    add(Wanted { log: true, note, ..violation }, trajectory);
    add(plot("contacts", "ContactGeometry of the problem", "", "contacts", columns("contacts")), trajectory);
    let iterations = columns("iterations");
    add(
        plot("solver-iterations", "Iterations of the solver", "", "solver_iterations", iterations),
        trajectory,
    );
    let note = "What the judge of the complementarity problem says of the impulses.";
    let residual =
        plot("solver-residual", "Residual of the solver", "", "solver_residual", columns("residual"));
    add(Wanted { log: true, note, ..residual }, trajectory);
    let names = trajectory.names("constraint_names");
    let words = [("position", "placements"), ("velocity", "velocities"), ("hidden", "unprojected momenta")];
    let columns = if jointed { named(&names, &words) } else { Vec::new() };
    let unit = "m, m/s";
    add(
        Wanted { log: true, ..plot("constraints", "Constraint violation", unit, "constraint", columns) },
        trajectory,
    );
    let causes = trajectory.names("cause_names");
    let note = "What each cause has brought so far.";
    let ledger = |unit, array, choice: String, columns| Wanted {
        note,
        choice: Some(choice),
        ..plot(CAUSES, "Ledger by cause", unit, array, columns)
    };
    let columns = causes.iter().cloned().enumerate().collect();
    add(ledger("J", "cause_energy", "energy".to_owned(), columns), trajectory);
    for (word, unit, array) in
        [("linear", "N s", "cause_linear_momentum"), ("angular", "N m s", "cause_angular_momentum")]
    {
        for (axis, letter) in ["x", "y", "z"].iter().enumerate() {
            let columns = causes.iter().enumerate().map(|(k, name)| (3 * k + axis, name.clone())).collect();
            add(ledger(unit, array, format!("{word} momentum {letter}"), columns), trajectory);
        }
    }
    let columns = trajectory.names("coordinate_names").into_iter().enumerate().take(CURVES).collect();
    add(plot("coordinates", "Joint coordinates", "rad or m", "coordinate", columns), trajectory);
    let names = ["linear x", "linear y", "linear z", "angular x", "angular y", "angular z"];
    let columns = names.iter().enumerate().map(|(k, name)| (k, (*name).to_owned())).collect();
    let note = "Momentum in the interval before an instant that efforts, weight and contacts do not explain.";
    let consistency =
        plot("momentum-consistency", "Momentum consistency", "N s, N m s", "momentum_consistency", columns);
    add(Wanted { log: true, note, ..consistency }, trajectory);
    all
}

/// Rows by bucket.
pub(super) struct Gathered {
    rows: usize,
    buckets: usize,
}

impl Gathered {
    fn of(rows: usize) -> Self {
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
        wanted: &Wanted,
        pack: &mut Pack,
    ) -> io::Result<Vec<Curve>> {
        let value = |row: &[f64], column: usize| {
            let value = row[column] / wanted.scale;
            if wanted.log { value.abs() } else { value }
        };
        let mut values = vec![Vec::with_capacity(2 * self.buckets); wanted.columns.len()];
        let thinned = self.is_thinned();
        let mut buckets = vec![Bucket::default(); wanted.columns.len()];
        let mut bucket = 0;
        trajectory.read(wanted.array, 0..self.rows, |k, row| {
            let last = k + 1 == self.begin(bucket + 1);
            for ((list, spread), (column, _)) in values.iter_mut().zip(&mut buckets).zip(&wanted.columns) {
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
        // A cause that brings nothing has no curve: there are many of them.
        let named = wanted.columns.iter().zip(values).enumerate();
        let shown = named.filter(|(_, (_, values))| wanted.id != CAUSES || values.iter().any(|v| *v != 0.0));
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

    /// Numbers that have been read already, one for each row.
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

/// The lowest and the highest value of a bucket, with their rows.
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

    /// In the order in which they came.
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
        let gathered = Gathered::of(100_001);
        assert_eq!(gathered.begin(0), 0);
        assert_eq!(gathered.begin(gathered.buckets), 100_001);
        let times: Vec<f64> = (0..100_001).map(f64::from).collect();
        let points = gathered.times(&times);
        assert_eq!((points.first(), points.last()), (Some(&0.0), Some(&100_000.0)));
        assert!(points.windows(2).all(|pair| pair[0] < pair[1]));
        let mut bucket = Bucket::default();
        [3.0, 9.0, 1.0, 2.0].iter().enumerate().for_each(|(k, v)| bucket.take(k, *v));
        assert_eq!(bucket.both(), [9.0, 1.0]);
    }
}
