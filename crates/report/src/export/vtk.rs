//! Files for ParaView: one per frame, one for fixed bodies, a collection with the times, and the events.
//!
//! Points are the corners of all surfaces in the world, in double precision: gaps of touching bodies are far below
//! single precision at their distance from the origin. Velocities, by which surfaces are coloured, are single: they are
//! half of what does not compress, and exact ones are in the trajectory. Corners of a flat face belong to that face alone, so surfaces
//! are shaded flat where they are flat.
//!
//! | array | of | |
//! |---|---|---|
//! | `velocity` | points | of the material point: `v + ω × (x - p)`, m/s |
//! | `body` | cells | number of the body in the scene, from zero |
//! | `TimeValue` | the whole | s |
//! | `body:NAME` | the whole | the number of each body |

use super::xml::{Entry, Grid, TRIANGLE, VERTEX, Values, collection};
use super::{ExportError, Written, surface, twists};
use crate::Recording;
use crate::mesh::Mesh;
use percussion_geometry::{Pose, Vec3};
use std::fs;
use std::io::{self, Write};
use std::path::Path;

/// The folder beside the collection.
const FOLDER: &str = "vtk";
const FIXED: &str = "fixed.vtu";
const EVENTS: &str = "events.vtu";

/// Makes the files of a run.
#[derive(Debug)]
pub struct Exporter {
    names: Vec<String>,
    moving: Vec<(usize, Mesh)>,
    fixed: Vec<(usize, Mesh)>,
}

impl Exporter {
    /// Gathers the surfaces.
    pub fn new(recording: &Recording) -> Self {
        let all = (0..recording.appearances.len()).map(|body| (body, surface(recording, body)));
        let (moving, fixed) = all
            .filter(|(_, mesh)| !mesh.triangles.is_empty())
            .partition(|(body, _)| recording.appearances[*body].travels());
        Self {
            names: recording.appearances.iter().map(|appearance| appearance.name.clone()).collect(),
            moving,
            fixed,
        }
    }

    /// Moving bodies at a frame of the recording, as a `.vtu` document; `None` if nothing moves.
    pub fn frame(&self, recording: &mut Recording, frame: usize) -> io::Result<Option<String>> {
        let Recording { frames, trajectory, .. } = recording;
        let twists = twists(trajectory, frames.rows[frame])?;
        self.grid(&self.moving, frames.at(frame), |body| twists[body], Some(frames.times[frame]))
    }

    /// Fixed bodies, as a `.vtu` document; `None` if everything does.
    pub fn fixed(&self, recording: &Recording) -> io::Result<Option<String>> {
        if recording.frames.is_empty() {
            return Ok(None);
        }
        self.grid(&self.fixed, recording.frames.at(0), |_| [Vec3::zeros(); 2], None)
    }

    /// The events, as a `.vtu` document of points; `None` if there are none.
    ///
    /// Their arrays: `time`, `impulse` on the first body, `normal` from the second to the first, `first` and `second`
    /// (numbers of the bodies) and `kind`, a number with a name in `kind:NAME`.
    pub fn events(&self, recording: &Recording) -> io::Result<Option<String>> {
        let events = &recording.events;
        if events.is_empty() {
            return Ok(None);
        }
        let floats = |size, of: &dyn Fn(usize) -> Vec<f64>| {
            Values::Floats(size, (0..events.len()).flat_map(of).collect())
        };
        let place = |names: &[&str], name: &str| {
            names.iter().position(|known| *known == name).map_or(-1, |place| place as i32)
        };
        let mut kinds: Vec<&str> = events.iter().map(|event| &*event.kind).collect();
        kinds.sort_unstable();
        kinds.dedup();
        let names = self.names();
        let body = |side: usize| {
            Values::Integers(events.iter().map(|event| place(&names, &event.bodies[side])).collect())
        };
        let kind = Values::Integers(events.iter().map(|event| place(&kinds, &event.kind)).collect());
        let grid = Grid {
            points: events.iter().flat_map(|event| event.point).collect(),
            cells: (0..events.len() as i32).collect(),
            kind: VERTEX,
            from_points: vec![
                ("time", floats(1, &|k| vec![events[k].time])),
                ("impulse", floats(3, &|k| events[k].impulse.to_vec())),
                ("normal", floats(3, &|k| events[k].normal.to_vec())),
                ("first", body(0)),
                ("second", body(1)),
                ("kind", kind),
            ],
            of_cells: Vec::new(),
            time: None,
            names: vec![("body", names.clone()), ("kind", kinds)],
        };
        grid.document().map(Some)
    }

    fn names(&self) -> Vec<&str> {
        self.names.iter().map(String::as_str).collect()
    }

    fn grid(
        &self,
        surfaces: &[(usize, Mesh)],
        poses: &[Pose],
        twist: impl Fn(usize) -> [Vec3; 2],
        time: Option<f64>,
    ) -> io::Result<Option<String>> {
        if surfaces.is_empty() {
            return Ok(None);
        }
        let (mut points, mut velocities, mut cells, mut bodies) = (vec![], vec![], vec![], vec![]);
        for (body, mesh) in surfaces {
            let first = (points.len() / 3) as i32;
            let (pose, [v, w]) = (&poses[*body], twist(*body));
            for corner in &mesh.corners {
                points.extend(pose.point(corner).iter());
                velocities.extend((v + w.cross(&pose.direction(corner))).iter().map(|v| *v as f32));
            }
            cells.extend(mesh.triangles.iter().flatten().map(|&corner| first + corner as i32));
            bodies.resize(bodies.len() + mesh.triangles.len(), *body as i32);
        }
        let grid = Grid {
            points,
            cells,
            kind: TRIANGLE,
            from_points: vec![("velocity", Values::Singles(3, velocities))],
            of_cells: vec![("body", Values::Integers(bodies))],
            time,
            names: vec![("body", self.names())],
        };
        grid.document().map(Some)
    }
}

/// Writes all files below a folder; the collection last, when everything it names is there.
pub(super) fn write(
    recording: &mut Recording,
    folder: &Path,
    written: &mut Written,
) -> Result<(), ExportError> {
    let inside = folder.join(FOLDER);
    fs::create_dir_all(&inside).and_then(|()| clear(&inside)).map_err(ExportError::at(&inside))?;
    let exporter = Exporter::new(recording);
    let mut put = |name: &str, document: io::Result<Option<String>>| -> Result<bool, ExportError> {
        let path = inside.join(name);
        let Some(text) = document.map_err(ExportError::at(&path))? else { return Ok(false) };
        written.file(path, |out| out.write_all(text.as_bytes()))?;
        Ok(true)
    };
    let fixed = put(FIXED, exporter.fixed(recording))?;
    put(EVENTS, exporter.events(recording))?;
    let mut moving = false;
    for frame in 0..recording.frames.len() {
        moving = put(&frame_name(frame), exporter.frame(recording, frame))?;
    }
    let times = &recording.frames.times;
    let files: Vec<String> = (0..times.len()).map(|k| format!("{FOLDER}/{}", frame_name(k))).collect();
    let still = format!("{FOLDER}/{FIXED}");
    let entries = times.iter().zip(&files).flat_map(|(&time, file)| {
        let parts = [(moving, file), (fixed, &still)].into_iter().enumerate();
        parts.filter(|(_, (there, _))| *there).map(move |(part, (_, file))| Entry { time, part, file })
    });
    let text = collection(entries);
    written.file(folder.join("run.pvd"), |out| out.write_all(text.as_bytes()))?;
    // It is the one to open.
    written.files.rotate_right(1);
    Ok(())
}

fn frame_name(frame: usize) -> String {
    format!("frame-{frame:06}.vtu")
}

/// Removes the files of an earlier export, whose frames would be read as frames of this one.
fn clear(folder: &Path) -> io::Result<()> {
    for path in fs::read_dir(folder)?.flatten().map(|entry| entry.path()) {
        let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        let number = name.strip_prefix("frame-").and_then(|rest| rest.strip_suffix(".vtu"));
        let frame = number.is_some_and(|n| !n.is_empty() && n.bytes().all(|b| b.is_ascii_digit()));
        if frame || name == FIXED || name == EVENTS {
            fs::remove_file(path)?;
        }
    }
    Ok(())
}
