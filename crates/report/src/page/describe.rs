//! The text of a page: what is shown, in the words of `viewer/src/data.ts`.

use super::pack::{Pack, Ref};
use super::{forces, plots, poses};
use crate::look::Look;
use crate::mesh::Mesh;
use crate::palette;
use crate::recording::{Recording, RecordingError};
use crate::ties::Place;
use nalgebra::UnitQuaternion;
use percussion_geometry::{Pose, Vec3};
use percussion_scene::run::folder;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use serde_json::{Value, json};
use std::collections::HashMap;

/// Version of the format.
const FORMAT: u32 = 1;
/// Events in a page; all of them are in `events.jsonl`.
const EVENTS: usize = 20_000;

/// Text and arrays of all recordings, with every so many of their frames.
pub fn container(recordings: &mut [Recording], every: usize) -> Result<Vec<u8>, RecordingError> {
    let mut pack = Pack::default();
    let labels = labels(recordings);
    let mut runs = Vec::with_capacity(recordings.len());
    for (recording, label) in recordings.iter_mut().zip(labels) {
        let place = recording.folder.join(folder::TRAJECTORY);
        let rest = run(recording, label, every, &mut pack).map_err(RecordingError::at(&place))?;
        runs.push(Run { summary: recording.summary.as_deref(), rest });
    }
    let program = format!("percussion {}", env!("CARGO_PKG_VERSION"));
    // Texts, numbers and lists of them: nothing that JSON cannot say.
    let about = serde_json::to_string(&About { format: FORMAT, program, runs }).unwrap_or_default();
    Ok(pack.behind(&about))
}

#[derive(Serialize)]
struct About<'a> {
    format: u32,
    program: String,
    runs: Vec<Run<'a>>,
}

/// A run; its figures are those of the file, digit by digit.
#[derive(Serialize)]
struct Run<'a> {
    summary: Option<&'a RawValue>,
    #[serde(flatten)]
    rest: Value,
}

/// What runs are called beside each other: the names of their folders, as long as those differ.
fn labels(recordings: &[Recording]) -> Vec<String> {
    let mut names: Vec<String> = recordings
        .iter()
        .map(|r| {
            // A folder such as `.` has its name only in full.
            let whole = std::fs::canonicalize(&r.folder).unwrap_or_else(|_| r.folder.clone());
            whole.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default()
        })
        .collect();
    for k in 0..names.len() {
        if names.iter().filter(|name| **name == names[k]).count() > 1 {
            names[k] = recordings[k].folder.display().to_string();
        }
    }
    names
}

fn run(recording: &mut Recording, label: String, every: usize, pack: &mut Pack) -> std::io::Result<Value> {
    let frames = poses::packed(recording, every, pack);
    let jointed = !recording.ties.joints.is_empty();
    let h = step(recording);
    let plots = plots::plots(&mut recording.trajectory, h, jointed, pack)?;
    let forces = forces::packed(recording, pack)?;
    let Recording { scene, looks, ties, extent, core, .. } = &*recording;
    let mut meshes = Meshes::default();
    let first = recording.frames.at(0);
    let colours = palette::of_bodies(looks);
    let bodies: Vec<Value> = looks
        .iter()
        .zip(first)
        .zip(colours)
        .map(|((look, pose), colour)| body(look, pose, colour, &mut meshes, pack))
        .collect();
    let planes = looks.iter().enumerate().flat_map(|(k, look)| look.planes.iter().map(move |p| (k, p)));
    let planes: Vec<Value> =
        planes.map(|(k, p)| json!({ "body": k, "point": own(&p.point), "normal": own(&p.normal) })).collect();
    let joints: Vec<Value> = ties
        .joints
        .iter()
        .map(|j| {
            json!({
                "name": j.name, "kind": j.kind.word(), "axis": own(&j.axis),
                "parent": place(&j.parent), "child": place(&j.child),
            })
        })
        .collect();
    let springs: Vec<Value> = ties
        .springs
        .iter()
        .map(|s| json!({ "name": s.name, "ends": s.ends.map(|end| place(&end)) }))
        .collect();
    let charges: Vec<Value> =
        ties.charges.iter().map(|c| json!({ "place": place(&c.place), "charge": c.charge })).collect();
    Ok(json!({
        "name": scene.name,
        "title": scene.title,
        "description": scene.description,
        "label": label,
        "status": status(recording),
        "scheme": scene.run.scheme,
        "h": scene.run.step,
        "until": scene.run.until,
        "potential": scene.contact.is_some_and(|contact| contact.potential.is_some()),
        "bodies": bodies,
        "meshes": meshes.list,
        "planes": planes,
        "joints": joints,
        "springs": springs,
        "charges": charges,
        "frames": frames,
        "events": events(recording, pack),
        "forces": forces,
        "plots": plots,
        "extent": { "low": own(&extent.low), "high": own(&extent.high) },
        "core": { "low": own(&core.low), "high": own(&core.high) },
        "plane": recording.plane().map(|normal| own(&normal)),
        "notes": notes(recording, every),
    }))
}

/// What a page needs of `summary.json` itself.
#[derive(Deserialize)]
struct Said {
    status: String,
    h: f64,
}

fn said(recording: &Recording) -> Option<Said> {
    serde_json::from_str(recording.summary.as_ref()?.get()).ok()
}

/// The step that was made: a shot may change that of its scene.
fn step(recording: &Recording) -> f64 {
    said(recording).map_or(recording.scene.run.step, |said| said.h)
}

/// A run without figures that nobody goes on with was broken off.
fn status(recording: &Recording) -> String {
    let unsaid = if recording.trajectory.is_in_progress() { "running" } else { "interrupted" };
    said(recording).map_or_else(|| unsaid.to_owned(), |said| said.status)
}

/// What the page leaves out or changes, in words.
fn notes(recording: &Recording, every: usize) -> Vec<String> {
    let (rows, shown) = (recording.trajectory.rows(), poses::chosen(recording.frames.len(), every).len());
    let mut notes = Vec::new();
    if shown < rows {
        notes.push(format!(
            "The playback shows {shown} of the {rows} states that were trajectory, evenly spaced; trajectory.npz has all of them."
        ));
    }
    notes.push(
        "Placements in the playback are rounded to 16 bits of the range each body moves in; figures and plots are not."
            .to_owned(),
    );
    if recording.events.len() > EVENTS {
        notes.push(format!("Of {} events the first {EVENTS} are here.", recording.events.len()));
    }
    let stand_ins = recording.looks.iter().filter(|look| look.stand_in).count();
    if stand_ins > 0 {
        notes.push(
            "Bodies without a shape are drawn as the ellipsoids of their inertia, particles as small balls."
                .to_owned(),
        );
    }
    notes
}

#[derive(Serialize)]
struct PackedMesh {
    corners: Ref,
    normals: Ref,
    triangles: Ref,
    lines: Ref,
}

/// Meshes, each once.
#[derive(Default)]
struct Meshes {
    list: Vec<PackedMesh>,
    known: HashMap<Vec<u8>, usize>,
}

impl Meshes {
    fn place(&mut self, mesh: &Mesh, pack: &mut Pack) -> Option<usize> {
        if mesh.is_empty() {
            return None;
        }
        // The first bytes of all numbers tell meshes apart as far as the page can.
        let numbers = || mesh.corners.iter().chain(mesh.lines.iter().flatten()).flat_map(|p| p.iter());
        let key: Vec<u8> = numbers().flat_map(|v| (*v as f32).to_le_bytes()).collect();
        if let Some(&known) = self.known.get(&key) {
            return Some(known);
        }
        let flat = |points: &[Vec3]| points.iter().flat_map(|p| [p.x, p.y, p.z]).collect::<Vec<_>>();
        self.list.push(PackedMesh {
            corners: pack.singles(flat(&mesh.corners)),
            normals: pack.singles(flat(&mesh.normals)),
            triangles: pack.indices(mesh.triangles.iter().flatten().copied()),
            lines: pack.singles(flat(mesh.lines.as_flattened())),
        });
        let new = self.list.len() - 1;
        self.known.insert(key, new);
        Some(new)
    }
}

fn body(look: &Look, pose: &Pose, colour: [u8; 3], meshes: &mut Meshes, pack: &mut Pack) -> Value {
    let turn = UnitQuaternion::from_rotation_matrix(&pose.rotation);
    let [r, g, b] = colour;
    json!({
        "name": look.name,
        "moves": look.moves,
        "colour": format!("#{r:02x}{g:02x}{b:02x}"),
        "mesh": meshes.place(&look.mesh, pack),
        "ground": meshes.place(&look.ground, pack),
        "stand_in": look.stand_in,
        "mass": look.mass,
        "centre": own(&look.centre),
        "pose": { "position": own(&pose.position), "quaternion": turn.coords.as_slice() },
    })
}

fn events(recording: &Recording, pack: &mut Pack) -> Value {
    let all = &recording.events;
    let shown = &all[..all.len().min(EVENTS)];
    let places: HashMap<&str, u32> =
        recording.looks.iter().enumerate().map(|(k, look)| (look.name.as_str(), k as u32)).collect();
    let mut kinds: Vec<&str> = Vec::new();
    let kind: Vec<u8> = shown
        .iter()
        .map(|event| {
            let known = kinds.iter().position(|kind| *kind == event.kind);
            known.unwrap_or_else(|| {
                kinds.push(&event.kind);
                kinds.len() - 1
            }) as u8
        })
        .collect();
    let bodies =
        shown.iter().flat_map(|e| e.bodies.iter().map(|name| places.get(&**name).copied().unwrap_or(0)));
    let vectors = shown.iter().flat_map(|e| [e.point, e.normal, e.impulse].into_iter().flatten());
    let figures = shown
        .iter()
        .flat_map(|e| [e.energy_before, e.energy_after, e.normal_velocity_before, e.normal_velocity_after]);
    json!({
        "count": shown.len(),
        "total": all.len(),
        "time": pack.doubles(shown.iter().map(|e| e.time)),
        "bodies": pack.indices(bodies),
        "vectors": pack.singles(vectors),
        "figures": pack.doubles(figures),
        "kind": pack.raw(kind),
        "kinds": kinds,
    })
}

fn place(place: &Place) -> Value {
    json!({ "body": place.body, "point": own(&place.point) })
}

fn own(v: &Vec3) -> [f64; 3] {
    (*v).into()
}
