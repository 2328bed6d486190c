//! Plots of plans: control inputs with their bounds, clearance of bodies, iterations of the optimiser.

use super::pack::{Pack, Ref};
use super::plots::{CURVES, Curve, Decimation, Plot};
use percussion_scene::run::TrajectoryReader;
use std::io;

/// Plotted columns of `search`, after the round.
const SEARCH_COLUMNS: [&str; 3] = ["objective", "violation", "stationarity"];

/// The plots for which the trajectory has arrays; none without a plan.
pub(super) fn plots(
    trajectory: &mut TrajectoryReader,
    decimation: &Decimation,
    time: Ref,
    pack: &mut Pack,
) -> io::Result<Vec<Plot>> {
    let mut all = controls(trajectory, decimation, time, pack)?;
    all.extend(clearance(trajectory, decimation, time, pack)?);
    all.extend(search(trajectory, pack));
    Ok(all)
}

/// The columns of an array, from its first row to its last.
fn columns(trajectory: &mut TrajectoryReader, array: &str) -> io::Result<Vec<Vec<f64>>> {
    let Some(width) = trajectory.width(array) else { return Ok(Vec::new()) };
    let mut all = vec![Vec::with_capacity(trajectory.rows()); width];
    trajectory.read(array, 0..trajectory.rows(), |_, row| {
        all.iter_mut().zip(row).for_each(|(list, v)| list.push(*v))
    })?;
    Ok(all)
}

/// A component of a control.
struct Component {
    name: String,
    unit: String,
    limits: [f64; 2],
    /// Index among all components.
    place: usize,
}

/// Control inputs; those of one unit share an axis.
fn controls(
    trajectory: &mut TrajectoryReader,
    decimation: &Decimation,
    time: Ref,
    pack: &mut Pack,
) -> io::Result<Vec<Plot>> {
    let values = columns(trajectory, "controls")?;
    let (names, units, bounds) = (
        trajectory.names("control_names"),
        trajectory.names("control_units"),
        trajectory.numbers("control_bounds"),
    );
    let components = names.into_iter().enumerate().take(values.len()).map(|(place, name)| Component {
        name,
        // Units and bounds may be absent.
        unit: units.get(place).cloned().unwrap_or_else(|| "N or N m".to_owned()),
        limits: match bounds.get(2 * place..2 * place + 2) {
            Some(pair) => [pair[0], pair[1]],
            None => [f64::NEG_INFINITY, f64::INFINITY],
        },
        place,
    });
    let (held, free): (Vec<_>, Vec<_>) = components.partition(|c| c.limits[0] >= c.limits[1]);
    let kinds = [
        ("controls-forces", "Controls: forces", "N"),
        ("controls-torques", "Controls: torques", "N m"),
        ("controls", "Controls", "N or N m"),
    ];
    let mut all = Vec::new();
    for (id, title, unit) in kinds {
        let names = |list: &[Component]| {
            list.iter().filter(|c| c.unit == unit).map(|c| c.name.clone()).collect::<Vec<_>>()
        };
        let held = names(&held);
        let mut note = "Constant from node to node.".to_owned();
        if free.iter().any(|c| c.unit == unit && c.limits.iter().any(|limit| limit.is_finite())) {
            note += " Dashed: bounds.";
        }
        if !held.is_empty() {
            note += &format!(" Fixed: {}.", held.join(", "));
        }
        let own: Vec<&Component> = free.iter().filter(|c| c.unit == unit).collect();
        for (choice, components) in grouped(&own) {
            let curve = |(colour, c): (usize, &&Component)| Curve {
                name: c.name.clone(),
                values: pack.singles(decimation.thinned(&values[c.place])),
                colour,
                steps: true,
                limits: c.limits.map(|limit| limit.is_finite().then_some(limit)),
            };
            let curves = components.iter().enumerate().map(curve).collect();
            let note = note.clone();
            all.push(Plot { choice, ..Plot::over_time([id, title, unit, "linear"], note, time, curves) });
        }
    }
    Ok(all)
}

/// Components by plot, with the label of the plot: one plot for all components, or one for each control if there are too many.
fn grouped<'a>(components: &[&'a Component]) -> Vec<(Option<String>, Vec<&'a Component>)> {
    if components.is_empty() {
        return Vec::new();
    }
    if components.len() <= CURVES {
        return vec![(None, components.to_vec())];
    }
    let mut all: Vec<(Option<String>, Vec<&Component>)> = Vec::new();
    for component in components {
        let axis = component.name.rsplit_once('.').filter(|(_, axis)| ["x", "y", "z"].contains(axis));
        let control = axis.map_or(component.name.as_str(), |(control, _)| control);
        match all.last_mut().filter(|(choice, _)| choice.as_deref() == Some(control)) {
            Some((_, own)) => own.push(component),
            None => all.push((Some(control.to_owned()), vec![component])),
        }
    }
    all
}

/// Smallest separation of bodies at nodes and between them: of all pairs, then of each pair.
fn clearance(
    trajectory: &mut TrajectoryReader,
    decimation: &Decimation,
    time: Ref,
    pack: &mut Pack,
) -> io::Result<Vec<Plot>> {
    let (at, between) = (columns(trajectory, "clearance")?, columns(trajectory, "clearance_between")?);
    let (names, margins) = (trajectory.names("clearance_names"), trajectory.numbers("clearance_margins"));
    let pairs = at.len().min(between.len()).min(names.len()).min(margins.len());
    let rows = trajectory.rows();
    // Two bodies connected by a joint have no clearance, also at the nodes of that time.
    let connected =
        |pair: usize, k: usize| between[pair][k.saturating_sub(1)].is_nan() || between[pair][k].is_nan();
    let free = |pair: usize, k: usize| if connected(pair, k) { f64::NAN } else { at[pair][k] };
    let least = |value: &dyn Fn(usize, usize) -> f64| -> Vec<f64> {
        (0..rows).map(|k| (0..pairs).fold(f64::NAN, |least, pair| least.min(value(pair, k)))).collect()
    };
    // The margin of all pairs is that of pairs without planned contact, if there are any.
    let margin = margins.iter().copied().fold(0.0, f64::max);
    let all = (pairs > 1)
        .then(|| ("all pairs".to_owned(), least(&free), least(&|pair, k| between[pair][k]), margin));
    let each = (0..pairs).map(|k| (names[k].clone(), at[k].clone(), between[k].clone(), margins[k]));
    let plots = all.into_iter().chain(each).map(|(name, at, between, margin)| {
        let mut curve = |name: &str, colour: usize, steps: bool, values: &[f64], limit| Curve {
            name: name.to_owned(),
            values: pack.singles(decimation.thinned(values)),
            colour,
            steps,
            limits: [limit, None],
        };
        let curves = vec![
            curve("at nodes", 0, false, &at, Some(margin)),
            curve("between nodes", 1, true, &between, None),
        ];
        let pair = if pairs == 1 { format!("Of {name}. ") } else { String::new() };
        let note = "Smallest separation of bodies that keep clear of each other. Dashed: the margin.";
        let words = ["clearance", "Clearance", "m", "linear"];
        let choice = (pairs > 1).then_some(name);
        Plot { choice, ..Plot::over_time(words, format!("{pair}{note}"), time, curves) }
    });
    Ok(plots.collect())
}

/// The iterations of the optimiser.
fn search(trajectory: &mut TrajectoryReader, pack: &mut Pack) -> Option<Plot> {
    let width = SEARCH_COLUMNS.len() + 1;
    let all = trajectory.numbers("search");
    let rows: Vec<&[f64]> = all.chunks_exact(width).collect();
    let rounds = rows.last()?[0];
    let time = pack.doubles((0..rows.len()).map(|k| k as f64));
    let curve = |(k, name): (usize, &&str)| Curve {
        name: (*name).to_owned(),
        values: pack.singles(rows.iter().map(|row| row[k + 1].abs())),
        colour: k,
        steps: false,
        limits: [None; 2],
    };
    let curves = SEARCH_COLUMNS.iter().enumerate().map(curve).collect();
    let marks = (1..rows.len()).filter(|&k| rows[k][0] != rows[k - 1][0]).collect();
    let rounds =
        if rounds > 1.0 { format!(" {rounds} rounds, separated by dotted lines.") } else { String::new() };
    let note = format!(
        "Absolute value of the objective, max violations of constraints and of stationarity (scaled).{rounds}"
    );
    let words = ["search", "Optimisation", "over iterations", "log"];
    Some(Plot { over: "iteration", marks, ..Plot::over_time(words, note, time, curves) })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn few_controls_share_a_plot_and_many_do_not() {
        let components = |names: &[&str]| -> Vec<Component> {
            let one = |(place, name): (usize, &&str)| Component {
                name: (*name).to_owned(),
                unit: "N".to_owned(),
                limits: [-1.0, 1.0],
                place,
            };
            names.iter().enumerate().map(one).collect()
        };
        let few = components(&["a.x", "a.y", "a.z", "motor"]);
        assert_eq!(grouped(&few.iter().collect::<Vec<_>>()).len(), 1);
        let many = components(&["a.x", "a.y", "a.z", "motor", "b.x", "b.y", "b.z", "c.x", "c.y", "c.z"]);
        let found: Vec<(Option<String>, usize)> = grouped(&many.iter().collect::<Vec<_>>())
            .into_iter()
            .map(|(choice, columns)| (choice, columns.len()))
            .collect();
        let plot_sources = [("a", 3), ("motor", 1), ("b", 3), ("c", 3)];
        assert_eq!(found, plot_sources.map(|(name, n)| (Some(name.to_owned()), n)));
    }
}
