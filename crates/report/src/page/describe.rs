//! The JSON text of a page, with the keys of `viewer/src/data.ts`.

use super::pack::{Pack, Ref};
use super::{forces, plots, poses};
use crate::appearance::Appearance;
use crate::connections::BodyPoint;
use crate::mesh::Mesh;
use crate::palette;
use crate::recording::{Recording, RecordingError};
use nalgebra::UnitQuaternion;
use percussion_geometry::{Pose, Vec3};
use percussion_scene::run::folder;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use serde_json::{Value, json};
use std::collections::HashMap;

/// Version of the format.
const FORMAT: u32 = 1;
/// Largest number of events in a page; all of them are in `events.jsonl`.
const EVENTS: usize = 20_000;

/// Text and arrays of all recordings, with every `every`-th of their frames.
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
    // Texts, numbers and lists of them, which JSON can express: this does not fail.
    let text = serde_json::to_string(&PageData { format: FORMAT, program, runs }).unwrap_or_default();
    Ok(pack.with_text(&text))
}

#[derive(Serialize)]
struct PageData<'a> {
    format: u32,
    program: String,
    runs: Vec<Run<'a>>,
}

/// A run, with the text of its summary.
#[derive(Serialize)]
struct Run<'a> {
    summary: Option<&'a RawValue>,
    #[serde(flatten)]
    rest: Value,
}

/// Labels of compared runs: the names of their folders, or the paths where names are equal.
fn labels(recordings: &[Recording]) -> Vec<String> {
    let mut names: Vec<String> = recordings
        .iter()
        .map(|r| {
            // The name of `.` is that of its full path.
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
    let jointed = !recording.connections.joints.is_empty();
    let h = step(recording);
    let plots = plots::plots(&mut recording.trajectory, h, jointed, pack)?;
    let forces = forces::packed(recording, pack)?;
    let Recording { scene, appearances, connections, extent, core, .. } = &*recording;
    let mut meshes = Meshes::default();
    let first = recording.frames.at(0);
    let colours = palette::of_bodies(appearances);
    let bodies: Vec<Value> = appearances
        .iter()
        .zip(first)
        .zip(colours)
        .map(|((appearance, pose), colour)| body(appearance, pose, colour, &mut meshes, pack))
        .collect();
    let planes = appearances
        .iter()
        .enumerate()
        .flat_map(|(k, appearance)| appearance.planes.iter().map(move |p| (k, p)));
    let planes: Vec<Value> =
        planes.map(|(k, p)| json!({ "body": k, "point": own(&p.point), "normal": own(&p.normal) })).collect();
    let joints: Vec<Value> = connections
        .joints
        .iter()
        .map(|j| {
            json!({
                "name": j.name, "kind": j.kind.word(), "axis": own(&j.axis),
                "parent": place(&j.parent), "child": place(&j.child),
            })
        })
        .collect();
    let springs: Vec<Value> = connections
        .springs
        .iter()
        .map(|s| json!({ "name": s.name, "ends": s.ends.map(|end| place(&end)) }))
        .collect();
    let charges: Vec<Value> =
        connections.charges.iter().map(|c| json!({ "place": place(&c.place), "charge": c.charge })).collect();
    Ok(json!({
        "name": scene.name,
        "title": scene.title,
        "description": scene.description,
        "label": label,
        "status": status(recording),
        "scheme": scene.run.scheme.name(),
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

/// The keys of `summary.json` that are needed here.
#[derive(Deserialize)]
struct SummaryKeys {
    status: String,
    h: f64,
}

fn summary_keys(recording: &Recording) -> Option<SummaryKeys> {
    serde_json::from_str(recording.summary.as_ref()?.get()).ok()
}

/// The step size of the run: shooting may change that of the scene.
fn step(recording: &Recording) -> f64 {
    summary_keys(recording).map_or(recording.scene.run.step, |summary| summary.h)
}

/// The status: a run without summary is in progress or was interrupted.
fn status(recording: &Recording) -> String {
    let unfinished = if recording.trajectory.is_in_progress() { "running" } else { "interrupted" };
    summary_keys(recording).map_or_else(|| unfinished.to_owned(), |summary| summary.status)
}

/// Notes about omitted or rounded data.
fn notes(recording: &Recording, every: usize) -> Vec<String> {
    let (rows, shown) = (recording.trajectory.rows(), poses::chosen(recording.frames.len(), every).len());
    let mut notes = Vec::new();
    if shown < rows {
        notes.push(format!(
            "The playback shows {shown} of the {rows} rows of the trajectory, evenly spaced; trajectory.npz has all of them."
        ));
    }
    notes.push(
        "Poses in the playback are rounded to 16 bits of the range of each body; figures and plots are not."
            .to_owned(),
    );
    if recording.events.len() > EVENTS {
        notes.push(format!("The first {EVENTS} of {} events are listed.", recording.events.len()));
    }
    let substitutes = recording.appearances.iter().filter(|appearance| appearance.substitute).count();
    if substitutes > 0 {
        notes.push(
            "Bodies without a shape are drawn as their ellipsoids of inertia, particles as small balls."
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
        // Meshes are equal if they are in single precision.
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

fn body(
    appearance: &Appearance,
    pose: &Pose,
    colour: [u8; 3],
    meshes: &mut Meshes,
    pack: &mut Pack,
) -> Value {
    let turn = UnitQuaternion::from_rotation_matrix(&pose.rotation);
    let [r, g, b] = colour;
    json!({
        "name": appearance.name,
        "moves": appearance.moves,
        "colour": format!("#{r:02x}{g:02x}{b:02x}"),
        "mesh": meshes.place(&appearance.mesh, pack),
        "ground": meshes.place(&appearance.ground, pack),
        "substitute": appearance.substitute,
        "mass": appearance.mass,
        "centre": own(&appearance.centre),
        "pose": { "position": own(&pose.position), "quaternion": turn.coords.as_slice() },
    })
}

fn events(recording: &Recording, pack: &mut Pack) -> Value {
    let all = &recording.events;
    let shown = &all[..all.len().min(EVENTS)];
    let places: HashMap<&str, u32> = recording
        .appearances
        .iter()
        .enumerate()
        .map(|(k, appearance)| (appearance.name.as_str(), k as u32))
        .collect();
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

fn place(place: &BodyPoint) -> Value {
    json!({ "body": place.body, "point": own(&place.point) })
}

fn own(v: &Vec3) -> [f64; 3] {
    (*v).into()
}
