//! A glTF scene: a node per body with its surface, edges and color, and an animation of their poses.
//!
//! glTF's axis upwards is y and the engine's is z: one root node rotates the scene. Numbers are of single precision, as
//! the format has it. A body that does not move in translation or rotation has no keys for it.

use super::glb::{Numbers, Use};
use super::{ExportError, surface};
use crate::mesh::Mesh;
use crate::quaternions::ContinuousQuaternions;
use crate::{Recording, palette};
use percussion_geometry::{Pose, Vec3};
use serde_json::{Value, json};
use std::f64::consts::FRAC_1_SQRT_2;

/// Ends of lines, not corners of triangles.
const LINES: u32 = 1;
/// The colour of edges.
const DARK: [u8; 3] = [32, 34, 40];

/// The run as a `.glb` file.
pub fn gltf(recording: &Recording) -> Result<Vec<u8>, ExportError> {
    let mut numbers = Numbers::default();
    let mut materials = vec![material("edges", DARK, false)];
    let (mut meshes, mut nodes, mut shown) = (Vec::new(), Vec::new(), Vec::new());
    let colours = palette::of_bodies(&recording.appearances);
    // The first node is the one above all others.
    nodes.push(Value::Null);
    for (body, appearance) in recording.appearances.iter().enumerate() {
        let all = surface(recording, body);
        if all.is_empty() {
            continue;
        }
        // What is flat is seen from both sides.
        let flat = appearance.planar || !appearance.ground.is_empty();
        materials.push(material(&appearance.name, colours[body], flat));
        let primitives = primitives(&mut numbers, &all, materials.len() - 1);
        meshes.push(json!({ "name": appearance.name, "primitives": primitives }));
        let mut node = json!({ "name": appearance.name, "mesh": meshes.len() - 1 });
        if let Some(pose) = recording.frames.poses.get(body) {
            let q = ContinuousQuaternions::new(1).next(0, pose);
            node["translation"] = json!(single(&pose.position).map(f64::from));
            node["rotation"] = json!([q.i, q.j, q.k, q.w].map(|v| f64::from(v as f32)));
        }
        shown.push((body, nodes.len()));
        nodes.push(node);
    }
    // A quarter turn about x: z goes to y.
    nodes[0] = json!({ "name": recording.scene.name, "rotation": [-FRAC_1_SQRT_2, 0, 0, FRAC_1_SQRT_2] });
    let mut document = json!({
        "asset": { "version": "2.0", "generator": concat!("percussion ", env!("CARGO_PKG_VERSION")) },
        "scene": 0,
        "scenes": [{ "name": title(recording), "nodes": [0] }],
    });
    if !shown.is_empty() {
        nodes[0]["children"] = shown.iter().map(|(_, node)| *node).collect();
        document["materials"] = materials.into();
        document["meshes"] = meshes.into();
    }
    document["nodes"] = nodes.into();
    if let Some(animation) = animation(recording, &shown, &mut numbers) {
        document["animations"] = json!([animation]);
    }
    numbers.file(document)
}

fn title(recording: &Recording) -> &str {
    let scene = &recording.scene;
    if scene.title.is_empty() { &scene.name } else { &scene.title }
}

fn material(name: &str, colour: [u8; 3], flat: bool) -> Value {
    let [r, g, b] = palette::linear(colour);
    json!({
        "name": name,
        "pbrMetallicRoughness": { "baseColorFactor": [r, g, b, 1.0], "metallicFactor": 0.0, "roughnessFactor": 0.7 },
        "doubleSided": flat,
    })
}

/// Triangles and lines of a surface.
fn primitives(numbers: &mut Numbers, mesh: &Mesh, material: usize) -> Vec<Value> {
    let mut all = Vec::new();
    if !mesh.triangles.is_empty() {
        let corners: Vec<[f32; 3]> = mesh.corners.iter().map(single).collect();
        let normals: Vec<[f32; 3]> = mesh.normals.iter().map(single).collect();
        let position = numbers.vectors(&corners, Use::Corners, true);
        let normal = numbers.vectors(&normals, Use::Corners, false);
        let indices = numbers.indices(mesh.triangles.as_flattened());
        let attributes = json!({ "POSITION": position, "NORMAL": normal });
        all.push(json!({ "attributes": attributes, "indices": indices, "material": material }));
    }
    if !mesh.lines.is_empty() {
        let ends: Vec<[f32; 3]> = mesh.lines.iter().flatten().map(single).collect();
        let position = numbers.vectors(&ends, Use::Corners, true);
        all.push(json!({ "attributes": { "POSITION": position }, "material": 0, "mode": LINES }));
    }
    all
}

/// Keys at all frames for what moves; nothing if there is no time or no motion.
fn animation(recording: &Recording, shown: &[(usize, usize)], numbers: &mut Numbers) -> Option<Value> {
    let frames = &recording.frames;
    // Times must increase, also in single precision.
    let mut keys: Vec<(usize, f32)> = Vec::with_capacity(frames.len());
    for (frame, &time) in frames.times.iter().enumerate() {
        if keys.last().is_none_or(|(_, before)| time as f32 > *before) {
            keys.push((frame, time as f32));
        }
    }
    let times: Vec<[f32; 1]> = keys.iter().map(|(_, time)| [*time]).collect();
    let (mut samplers, mut channels) = (Vec::new(), Vec::new());
    let mut add = |path: &str, node: usize, input: usize, output: usize| {
        samplers.push(json!({ "input": input, "output": output, "interpolation": "LINEAR" }));
        channels.push(json!({ "sampler": samplers.len() - 1, "target": { "node": node, "path": path } }));
    };
    for &(body, node) in shown.iter().filter(|(body, _)| recording.appearances[*body].travels()) {
        let poses: Vec<&Pose> = keys.iter().map(|(frame, _)| &frames.at(*frame)[body]).collect();
        let places: Vec<[f32; 3]> = poses.iter().map(|pose| single(&pose.position)).collect();
        let mut quaternions = ContinuousQuaternions::new(1);
        let turned = poses.iter().map(|pose| quaternions.next(0, pose));
        let turned: Vec<[f32; 4]> = turned.map(|q| [q.i, q.j, q.k, q.w].map(|v| v as f32)).collect();
        if places.windows(2).any(|pair| pair[0] != pair[1]) {
            let input = numbers.vectors(&times, Use::Keys, true);
            add("translation", node, input, numbers.vectors(&places, Use::Keys, false));
        }
        if turned.windows(2).any(|pair| pair[0] != pair[1]) {
            let input = numbers.vectors(&times, Use::Keys, true);
            add("rotation", node, input, numbers.vectors(&turned, Use::Keys, false));
        }
    }
    let name = title(recording);
    (!channels.is_empty()).then(|| json!({ "name": name, "samplers": samplers, "channels": channels }))
}

fn single(v: &Vec3) -> [f32; 3] {
    [v.x as f32, v.y as f32, v.z as f32]
}
