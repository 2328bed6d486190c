//! Tables of comma-separated values, after RFC 4180: lines end in CR LF, fields are quoted where they must be.
//!
//! Numbers are written with the fewest digits that are read back bitwise identical. A header names every column, with its
//! unit in brackets where it has one.

use super::twists;
use crate::Recording;
use crate::quaternions::ContinuousQuaternions;
use std::borrow::Cow;
use std::io::{self, Write};

/// Rows of the trajectory read at a time.
const BLOCK: usize = 1024;
/// Coordinates of a vector.
const AXES: [&str; 3] = ["x", "y", "z"];

/// Everything about the run as a whole, at every row of the trajectory: energies, momenta, errors, joint coordinates and
/// whatever else has not a value for each body.
pub fn plots(recording: &mut Recording, out: &mut impl Write) -> io::Result<()> {
    let bodies = recording.appearances.len();
    let arrays: Vec<(&'static str, Vec<usize>)> = recording.trajectory.arrays().to_vec();
    let (mut trajectory, mut header) = (Vec::new(), Vec::new());
    for (array, shape) in arrays {
        let names = names(recording, array).filter(|names| shape.first() == Some(&names.len()));
        // What has bodies for rows belongs into the table of bodies.
        if names.is_none() && shape.len() > 1 && shape[0] == bodies {
            continue;
        }
        header.extend(titles(array, &shape, names.as_deref()));
        trajectory.push((array, shape.iter().product::<usize>()));
    }
    line(out, header.iter().map(String::as_str))?;
    let rows = recording.trajectory.rows();
    let mut columns: Vec<Vec<f64>> = vec![Vec::new(); trajectory.len()];
    for start in (0..rows).step_by(BLOCK) {
        let block = start..rows.min(start + BLOCK);
        for ((array, _), values) in trajectory.iter().zip(&mut columns) {
            values.clear();
            recording.trajectory.read(array, block.clone(), |_, row| values.extend_from_slice(row))?;
        }
        for row in 0..block.len() {
            let cells =
                trajectory.iter().zip(&columns).flat_map(|((_, width), all)| &all[row * width..][..*width]);
            numbers(out, "", cells)?;
        }
    }
    Ok(())
}

/// Placements and velocities of all bodies at the recording's frames: a line for each body and frame.
pub fn bodies(recording: &mut Recording, out: &mut impl Write) -> io::Result<()> {
    let position = AXES.map(|axis| format!("{axis} [m]"));
    let turn = ["qw", "qx", "qy", "qz"].map(str::to_owned);
    let velocity = AXES.map(|axis| format!("v{axis} [m/s]"));
    let spin = AXES.map(|axis| format!("w{axis} [rad/s]"));
    let numbered = position.iter().chain(&turn).chain(&velocity).chain(&spin);
    line(out, ["time [s]", "body"].into_iter().chain(numbered.map(String::as_str)))?;

    let Recording { frames, trajectory, appearances, .. } = recording;
    let names: Vec<Cow<'_, str>> = appearances.iter().map(|appearance| quoted(&appearance.name)).collect();
    let mut quaternions = ContinuousQuaternions::new(names.len());
    for frame in 0..frames.len() {
        let twists = twists(trajectory, frames.rows[frame])?;
        for (body, pose) in frames.at(frame).iter().enumerate() {
            let q = quaternions.next(body, pose);
            let real = [q.w, q.i, q.j, q.k];
            let cells = pose.position.iter().chain(&real).chain(twists[body].iter().flatten());
            numbers(out, &format!("{:?},{}", frames.times[frame], names[body]), cells)?;
        }
    }
    Ok(())
}

/// What happened: a line for each event.
pub fn events(recording: &Recording, out: &mut impl Write) -> io::Result<()> {
    let vector = |name: &str, unit: &str| AXES.map(|axis| format!("{name}_{axis}{unit}"));
    let mut header: Vec<String> = ["time [s]", "first", "second", "kind"].map(str::to_owned).to_vec();
    header.extend(vector("point", " [m]"));
    header.extend(vector("normal", ""));
    header.extend(vector("impulse", " [N s]"));
    for (quantity, unit) in [("energy", "J"), ("normal_velocity", "m/s")] {
        header.extend(["before", "after"].map(|when| format!("{quantity}_{when} [{unit}]")));
    }
    line(out, header.iter().map(String::as_str))?;
    for event in &recording.events {
        let words = [&event.bodies[0], &event.bodies[1], &event.kind].map(|word| quoted(word));
        let [first, second, kind] = &words;
        let energies = [event.energy_before, event.energy_after];
        let speeds = [event.normal_velocity_before, event.normal_velocity_after];
        let vectors = event.point.iter().chain(&event.normal).chain(&event.impulse);
        let cells = vectors.chain(&energies).chain(&speeds);
        numbers(out, &format!("{:?},{first},{second},{kind}", event.time), cells)?;
    }
    Ok(())
}

/// The list that names the columns of an array: `energy_names` for `energy`, `source_names` for `source_energy`, `control_names` for
/// `controls`.
fn names(recording: &mut Recording, array: &str) -> Option<Vec<String>> {
    let ends = array.match_indices('_').map(|(at, _)| at).chain([array.len()]);
    let starts: Vec<&str> = ends.map(|end| &array[..end]).collect();
    // `controls` are named by `control_names`.
    let starts = starts.into_iter().rev().flat_map(|start| [Some(start), start.strip_suffix('s')]).flatten();
    let lists: Vec<_> = starts.map(|start| recording.trajectory.names(&format!("{start}_names"))).collect();
    lists.into_iter().find(|names| !names.is_empty())
}

/// The titles of an array's columns.
fn titles(array: &str, shape: &[usize], names: Option<&[String]>) -> Vec<String> {
    let mut all = vec![array.to_owned()];
    for (depth, &count) in shape.iter().enumerate() {
        let part = |k: usize| match (names, array, count) {
            (Some(names), _, _) if depth == 0 => names[k].clone(),
            (_, "momentum_error", 2) => ["linear", "angular"][k].to_owned(),
            (_, _, 3) => AXES[k].to_owned(),
            _ => k.to_string(),
        };
        all = all.iter().flat_map(|title| (0..count).map(move |k| format!("{title}_{}", part(k)))).collect();
    }
    for title in &mut all {
        *title += unit(array, title);
    }
    all
}

/// The unit of a column; constraints and joint coordinates are lengths or angles, and have none in common.
fn unit(array: &str, title: &str) -> &'static str {
    match array {
        "time" => " [s]",
        "penetration" | "clearance" | "clearance_between" => " [m]",
        "momentum_error" if title.ends_with("_linear") => " [N s]",
        "momentum_error" => " [N m s]",
        _ if array.contains("linear_momentum") => " [N s]",
        _ if array.contains("angular_momentum") => " [N m s]",
        _ if array == "energy" || array.ends_with("_energy") => " [J]",
        _ => "",
    }
}

/// A line of texts.
pub(crate) fn line<'a>(out: &mut impl Write, cells: impl Iterator<Item = &'a str>) -> io::Result<()> {
    let cells: Vec<Cow<'_, str>> = cells.map(quoted).collect();
    write!(out, "{}\r\n", cells.join(","))
}

/// A line of numbers, after what has been written already.
fn numbers<'a>(out: &mut impl Write, before: &str, cells: impl Iterator<Item = &'a f64>) -> io::Result<()> {
    out.write_all(before.as_bytes())?;
    let mut comma = !before.is_empty();
    for cell in cells {
        // The debug format has an exponent where the plain one would write hundreds of zeros.
        write!(out, "{}{cell:?}", if comma { "," } else { "" })?;
        comma = true;
    }
    out.write_all(b"\r\n")
}

/// A text as a field.
fn quoted(text: &str) -> Cow<'_, str> {
    match text.contains([',', '"', '\r', '\n']) {
        true => Cow::Owned(format!("\"{}\"", text.replace('"', "\"\""))),
        false => Cow::Borrowed(text),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn titles_name_every_column_with_its_unit() {
        let names = ["gravity".to_owned(), "a,b".to_owned()];
        assert_eq!(titles("time", &[], None), ["time [s]"]);
        assert_eq!(
            titles("momentum_error", &[2], None),
            ["momentum_error_linear [N s]", "momentum_error_angular [N m s]"]
        );
        let wide = titles("source_linear_momentum", &[2, 3], Some(&names));
        assert_eq!(wide.len(), 6);
        assert_eq!(wide[0], "source_linear_momentum_gravity_x [N s]");
        assert_eq!(wide[5], "source_linear_momentum_a,b_z [N s]");
        assert_eq!(titles("else", &[2], None), ["else_0", "else_1"]);
    }

    #[test]
    fn fields_are_quoted_where_they_must_be() {
        assert_eq!(quoted("a b;c"), "a b;c");
        assert_eq!(quoted("a \"b\", c"), "\"a \"\"b\"\", c\"");
        assert_eq!(quoted("a\nb"), "\"a\nb\"");
    }
}
