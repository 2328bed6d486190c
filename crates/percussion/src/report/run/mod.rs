//! The page of a run: what it was, what to worry about, its figures and its curves.
//!
//! Curves are read from the folder's `trajectory.npz`, collisions from its `events.jsonl`, shapes from its `scene.toml`; the page
//! itself needs nothing but a browser.

mod events;
mod path;
mod planar;
mod plot;
mod series;

use super::page::{escaped, head};
use super::{number, small};
use events::Collisions;
use percussion_scene::run::npz::Reader;
use percussion_scene::run::{ENERGY_NAMES, Status, Summary, folder};
use plot::plot;
use series::{Trajectory, curves};
use std::io;
use std::path::Path;

const RUN_STYLE: &str = include_str!("style.css");
/// Causes listed in the table: scenes with thousands of forces have them in `summary.json`.
const CAUSES: usize = 30;

/// The page of the run in a folder.
pub fn run_page(folder: &Path, summary: &Summary) -> io::Result<String> {
    let mut trajectory = Reader::open(&folder.join(folder::TRAJECTORY))?;
    let collisions = Collisions::read(folder, summary)?;
    let title = escaped(if summary.title.is_empty() { &summary.scene } else { &summary.title });
    Ok(format!(
        r##"{head}<header>
<p class="maker">percussion run</p>
<h1>{title}</h1>
{concerns}
<p class="description">{description}</p>
{tiles}
</header>
<main class="run">
{paths}{planar}{figures}{plots}{collisions}{causes}</main>
<footer>Made by percussion {version} with the {scheme} scheme. Units are SI. Beside this page:
<a href="summary.json">summary.json</a>, <a href="trajectory.npz">trajectory.npz</a>,
<a href="events.jsonl">events.jsonl</a>, <a href="scene.toml">scene.toml</a>.</footer>
</body>
</html>
"##,
        head = head(&title, RUN_STYLE),
        concerns = concerns(summary),
        description = escaped(summary.description.trim()),
        tiles = tiles(summary),
        paths = path::paths(&mut trajectory)?,
        planar = planar::bodies(folder, &mut trajectory)?,
        plots = plots(&mut trajectory, &collisions.instants)?,
        collisions = collisions.table(),
        figures = figures(summary),
        causes = causes(summary),
        version = escaped(&summary.version),
        scheme = escaped(&summary.scheme),
    ))
}

/// What to worry about, first of all.
fn concerns(summary: &Summary) -> String {
    let mut out = String::new();
    if let Some(failure) = &summary.failure {
        let residuals: Vec<String> = failure.residuals.iter().map(|r| small(*r)).collect();
        let history = match residuals.is_empty() {
            true => String::new(),
            false => format!("<br>Residuals of the iterations: {}", residuals.join(", ")),
        };
        out += &format!(
            "<p class=\"failure\"><b>Step {} at t = {} s could not be made</b> (body {}): {}.{history}</p>\n",
            failure.step,
            number(failure.time),
            escaped(&failure.body),
            escaped(&failure.message),
        );
    }
    if summary.status == Status::Interrupted {
        out += "<p class=\"failure\"><b>Interrupted.</b> The same command with <code>--resume</code> goes on.</p>\n";
    }
    if !summary.warnings.is_empty() {
        let items: String = summary.warnings.iter().map(|w| format!("<li>{}</li>", escaped(w))).collect();
        out += &format!("<ul class=\"warnings\">{items}</ul>\n");
    }
    out
}

fn tiles(summary: &Summary) -> String {
    let tile = |value: String, label: &str| format!("<div><b>{value}</b><span>{label}</span></div>");
    let mut out = tile(number(summary.t_end), "seconds simulated");
    out += &tile(summary.steps.to_string(), "steps");
    out +=
        &tile(summary.counts.bodies.to_string(), if summary.counts.bodies == 1 { "body" } else { "bodies" });
    out += &tile(small(summary.energy.max_relative_error), "greatest energy error, relative");
    out += &tile(small(summary.linear_momentum.max_error), "linear momentum error, N s");
    out += &tile(small(summary.angular_momentum.max_error), "angular momentum error, N m s");
    out += &tile(small(summary.constraint_max), "constraint violation");
    if let Some(overlap) = summary.overlap_max {
        out += &tile(
            summary.collisions.to_string(),
            if summary.collisions == 1 { "collision" } else { "collisions" },
        );
        out += &tile(small(overlap), "greatest overlap, m");
    }
    format!("<div class=\"summary\">{out}</div>")
}

fn plots(trajectory: &mut Trajectory, marks: &[f64]) -> io::Result<String> {
    let energy = |name: &str| ENERGY_NAMES.iter().position(|n| *n == name).unwrap_or(0);
    let parts: Vec<(usize, &str)> =
        ["kinetic", "potential", "total"].iter().map(|name| (energy(name), *name)).collect();
    let mut one = |title: &str, unit: &str, array: &str, columns: &[(usize, &str)]| {
        Ok::<_, io::Error>(plot(title, unit, &curves(trajectory, array, columns)?, marks))
    };
    let mut out = one("Energy", "J", "energy", &parts)?;
    out += &one("Energy error", "J", "energy", &[(energy("error"), "total - initial - work")])?;
    let names = [(0, "linear / N s"), (1, "angular / N m s")];
    out += &one("Momentum error", "no cause explains", "momentum_error", &names)?;
    let names = [(0, "placements / m"), (1, "velocities / m/s")];
    out += &one("Constraint violation", "greatest of all joints", "constraint", &names)?;
    let axes = [(0, "x"), (1, "y"), (2, "z")];
    out += &one("Angular momentum about the origin", "N m s", "angular_momentum", &axes)?;
    Ok(out)
}

fn figures(summary: &Summary) -> String {
    let vector = |v: &[f64; 3]| v.map(number).join(", ");
    let (energy, counts) = (&summary.energy, &summary.counts);
    let rate = summary.steps as f64 / summary.wall_time_s.max(f64::MIN_POSITIVE);
    let mut rows = vec![
        ("scene", escaped(&summary.scene)),
        ("scheme", escaped(&summary.scheme)),
        ("step", format!("{} s", number(summary.h))),
        ("computed in", format!("{} s, {rate:.0} steps per second", number(summary.wall_time_s))),
        ("bodies, joints, loops", format!("{}, {}, {}", counts.bodies, counts.joints, counts.loops)),
        ("freedoms, islands, forces", format!("{}, {}, {}", counts.freedoms, counts.islands, counts.forces)),
        ("energy at start and end", format!("{} J, {} J", number(energy.initial), number(energy.last))),
        ("work of forces", format!("{} J", number(energy.work))),
        ("energy error", format!("{} J beside {} J", small(energy.max_error), number(energy.scale))),
        ("linear momentum at start", format!("{} N s", vector(&summary.linear_momentum.initial))),
        ("at the end", format!("{} N s", vector(&summary.linear_momentum.last))),
        ("angular momentum at start", format!("{} N m s", vector(&summary.angular_momentum.initial))),
        ("at the end", format!("{} N m s", vector(&summary.angular_momentum.last))),
        ("constraints by placements", small(summary.constraint_max)),
        ("constraints by velocities", small(summary.constraint_velocity_max)),
        ("by unprojected momenta", small(summary.constraint_hidden_max)),
        ("most iterations of a step", summary.iterations_max.to_string()),
        ("states kept", format!("{}, every {} steps", summary.rows, summary.every)),
    ];
    if let Some(overlap) = summary.overlap_max {
        rows.push(("collisions", summary.collisions.to_string()));
        rows.push(("greatest overlap", format!("{} m", small(overlap))));
        rows.push(("steps handed over", summary.hand_overs.to_string()));
    }
    if let Some(projection) = &summary.projection {
        let (energy, spin) = (number(projection.energy), vector(&projection.angular_momentum));
        rows.push(("projection brought", format!("{energy} J, {spin} N m s")));
    }
    let rows: String =
        rows.iter().map(|(a, b)| format!("<tr><th scope=\"row\">{a}</th><td>{b}</td></tr>")).collect();
    format!("<article><h2>Figures</h2><table>{rows}</table></article>\n")
}

fn causes(summary: &Summary) -> String {
    let vector = |v: &[f64; 3]| v.map(number).join(", ");
    let rows: String = summary
        .causes
        .iter()
        .take(CAUSES)
        .map(|c| {
            format!(
                "<tr><th scope=\"row\">{}</th><td>{}</td><td>{}</td><td>{}</td></tr>",
                escaped(&c.cause),
                number(c.energy),
                vector(&c.linear_momentum),
                vector(&c.angular_momentum)
            )
        })
        .collect();
    let more = match summary.causes.len().saturating_sub(CAUSES) {
        0 => String::new(),
        n => format!("<p class=\"none\">and {n} more in summary.json</p>"),
    };
    format!(
        "<article class=\"wide\"><h2>What each cause brought</h2><table><thead><tr><th></th><th>energy / J</th>\
         <th>linear momentum / N s</th><th>angular momentum / N m s</th></tr></thead><tbody>{rows}</tbody></table>{more}</article>\n"
    )
}
