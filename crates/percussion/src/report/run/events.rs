//! Collisions: a table of the first ones, and instants for the axes of time.

use super::super::page::escaped;
use super::super::{number, small};
use percussion_scene::run::{Event, Summary, folder, read_events};
use std::io;
use std::path::Path;

/// Collisions that are listed.
const LISTED: usize = 200;
/// Instants that can be told apart on an axis.
const INSTANTS: usize = 480;

/// The collisions of a run.
pub struct Collisions {
    /// Instants at which something met, thinned to what an axis can show, s.
    pub instants: Vec<f64>,
    rows: String,
    count: usize,
    /// Whether anything could meet.
    watched: bool,
}

impl Collisions {
    /// Those of the run in a folder.
    pub fn read(folder: &Path, summary: &Summary) -> io::Result<Self> {
        let (mut rows, mut count) = (String::new(), 0);
        let mut seen = [false; INSTANTS];
        let scale = INSTANTS as f64 / summary.t_end.max(f64::MIN_POSITIVE);
        let mut instants = Vec::new();
        read_events(&folder.join(folder::EVENTS), |index, event| {
            count = index + 1;
            if index < LISTED {
                rows += &row(index, event);
            }
            let bucket = ((event.time * scale) as usize).min(INSTANTS - 1);
            if !std::mem::replace(&mut seen[bucket], true) {
                instants.push(event.time);
            }
        })?;
        Ok(Self { instants, rows, count, watched: summary.overlap_max.is_some() })
    }

    /// The table; nothing where nothing could meet.
    pub fn table(&self) -> String {
        let Self { rows, count, .. } = self;
        if !self.watched {
            return String::new();
        }
        if *count == 0 {
            return "<article><h2>Collisions</h2><p class=\"none\">there were none, or the scheme has none: contact as a potential acts over \
                    a while</p></article>\n"
                .to_owned();
        }
        let note = match *count > LISTED {
            true => format!(
                "<p class=\"none\">the first {LISTED} of {count}; all are in <a href=\"events.jsonl\">events.jsonl</a></p>"
            ),
            false => String::new(),
        };
        format!(
            "<article class=\"wide\"><h2>Collisions</h2><table class=\"events\"><thead><tr><th></th><th>t / s</th><th>kind</th><th>bodies</th>\
             <th>point / m</th><th>normal velocity / m/s</th><th>impulse / N s</th><th>energy lost / J</th></tr></thead>\
             <tbody>{rows}</tbody></table>{note}</article>\n"
        )
    }
}

fn row(index: usize, event: &Event<'_>) -> String {
    let [a, b] = &event.bodies;
    let size = event.impulse.iter().map(|v| v * v).sum::<f64>().sqrt();
    format!(
        "<tr><th scope=\"row\">{}</th><td>{}</td><td>{}</td><td>{}, {}</td><td>{}</td><td>{} to {}</td><td>{}</td><td>{}</td></tr>",
        index + 1,
        number(event.time),
        escaped(&event.kind),
        escaped(a),
        escaped(b),
        event.point.map(number).join(", "),
        number(event.normal_velocity_before),
        number(event.normal_velocity_after),
        number(size),
        small(event.energy_before - event.energy_after),
    )
}
