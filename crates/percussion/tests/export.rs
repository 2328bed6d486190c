//! `percussion export`: what is written is read back and compared with the trajectory.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod common;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use common::folder::{Place, floats, ran, refused, run, succeed, text, texts};
use common::{list, program};
use flate2::read::ZlibDecoder;
use percussion::geometry::{Pose, Vec3};
use percussion::scene::run::read_events;
use percussion_report::export::{self, Format};
use percussion_report::{Appearance, Recording};
use serde_json::Value;
use std::fs;
use std::io::Read;
use std::path::Path;
use std::process::Output;

/// A body that spins as it falls on a slope, and a particle; names that must be quoted and escaped.
const SPINNING: &str = r#"
gravity = [0, 0, -9.81]

[run]
step = 1e-3
until = 0.2
scheme = "exact"

[contact]

[bodies.slope]
kind = "fixed"
shape = { half_space = { normal = [0, 0.6, 0.8], offset = 0 } }

[bodies.'brick, <"red" & heavy>']
shape = { box = [0.1, 0.2, 0.3] }
density = 800
position = [0, 0, 0.3]
angular_velocity = [10, 20, 30]

[bodies.speck]
kind = "particle"
mass = 1
position = [1, 0, 1]
"#;

const BRICK: &str = "brick, <\"red\" & heavy>";

fn export(folder: &Path, more: &[&str]) -> Output {
    program().arg("export").arg(folder).args(more).output().unwrap()
}

/// The bytes of an array of a `.vtu` file.
fn decoded(text: &str, name: &str) -> Vec<u8> {
    let start = text.find(&format!("Name=\"{name}\"")).unwrap_or_else(|| panic!("no array {name}"));
    let data = text[start..].split('>').nth(1).unwrap().split('<').next().unwrap().trim();
    // Three words and one for each block, eight bytes each; a base-64 group is three bytes.
    let words = |count: usize| -> Vec<u64> {
        let bytes = STANDARD.decode(&data[..(8 * count).div_ceil(3) * 4]).unwrap();
        bytes.as_chunks::<8>().0.iter().map(|b| u64::from_le_bytes(*b)).collect()
    };
    let blocks = words(3)[0] as usize;
    let header = words(3 + blocks);
    let packed = STANDARD.decode(&data[(8 * (3 + blocks)).div_ceil(3) * 4..]).unwrap();
    let (mut all, mut rest) = (Vec::new(), packed.as_slice());
    for size in &header[3..] {
        let (block, after) = rest.split_at(*size as usize);
        ZlibDecoder::new(block).read_to_end(&mut all).unwrap();
        rest = after;
    }
    assert!(rest.is_empty());
    let full = header[1] as usize * (blocks - usize::from(header[2] > 0)) + header[2] as usize;
    assert_eq!(all.len(), full, "{name}");
    all
}

fn vectors(bytes: &[u8]) -> Vec<Vec3> {
    let numbers: Vec<f64> = bytes.as_chunks::<8>().0.iter().map(|b| f64::from_le_bytes(*b)).collect();
    numbers.as_chunks::<3>().0.iter().map(|v| Vec3::from(*v)).collect()
}

fn integers(bytes: &[u8]) -> Vec<i32> {
    bytes.as_chunks::<4>().0.iter().map(|b| i32::from_le_bytes(*b)).collect()
}

/// Corners of a body in its own frame, in the order in which they are written.
fn corners(appearance: &Appearance) -> Vec<Vec3> {
    appearance.mesh.corners.iter().chain(&appearance.ground.corners).copied().collect()
}

#[test]
fn corners_of_a_frame_are_where_the_trajectory_carries_them() {
    let (_place, out) = ran("export-vtk", SPINNING, &[]);
    let output = export(&out, &["--to", "vtk", "--frames", "11"]);
    succeed(&output);
    let said = text(&output);
    assert!(said.contains("11 of 201 frames") && said.contains("run.pvd"), "{said}");

    let recording = Recording::load(&out, 11).unwrap();
    let (x, r) = (floats(&out, "position"), floats(&out, "rotation"));
    let (v, w, times) = (floats(&out, "velocity"), floats(&out, "angular_velocity"), floats(&out, "time"));
    let inside = out.join("export/vtk");
    for frame in 0..11 {
        let row = 20 * frame;
        let text = fs::read_to_string(inside.join(format!("frame-{frame:06}.vtu"))).unwrap();
        let instant = format!("Name=\"TimeValue\" NumberOfTuples=\"1\" format=\"ascii\">{:?}<", times[row]);
        assert!(text.contains(&instant), "{instant}");
        let points = vectors(&decoded(&text, "points"));
        let velocities = decoded(&text, "velocity");
        let velocities = velocities.as_chunks::<4>().0.iter().map(|b| f64::from(f32::from_le_bytes(*b)));
        let velocities: Vec<f64> = velocities.collect();
        let bodies = integers(&decoded(&text, "body"));
        let triangles = integers(&decoded(&text, "connectivity"));
        assert_eq!(integers(&decoded(&text, "offsets")).last(), Some(&(triangles.len() as i32)));
        let mut next = 0;
        for (body, appearance) in
            recording.appearances.iter().enumerate().filter(|(_, appearance)| appearance.moves)
        {
            let at = |all: &[f64]| Vec3::from_column_slice(&all[(3 * row + body) * 3..][..3]);
            let turn = nalgebra::Matrix3::from_row_slice(&r[(3 * row + body) * 9..][..9]);
            let pose = Pose::new(nalgebra::Rotation3::from_matrix_unchecked(turn), at(&x));
            for corner in corners(appearance) {
                assert_eq!(points[next], pose.point(&corner), "frame {frame}, {}", appearance.name);
                let velocity = at(&v) + at(&w).cross(&(points[next] - at(&x)));
                let told = Vec3::from_column_slice(&velocities[3 * next..][..3]);
                assert!((told - velocity).norm() < 1e-5, "{told} {velocity}");
                if appearance.name == BRICK {
                    let own = pose.inverse_point(&points[next]).abs() - Vec3::new(0.05, 0.1, 0.15);
                    assert!(own.norm() < 1e-15, "{own}");
                }
                next += 1;
            }
            let mine = bodies.iter().filter(|b| **b == body as i32).count();
            assert_eq!(mine, appearance.mesh.triangles.len());
        }
        assert_eq!(next, points.len());
        assert!(triangles.iter().all(|corner| (*corner as usize) < points.len()));
    }
    let fixed = fs::read_to_string(inside.join("fixed.vtu")).unwrap();
    let slope = Vec3::new(0.0, 0.6, 0.8);
    let floor = vectors(&decoded(&fixed, "points"));
    assert!(floor.len() == 4 && floor.iter().all(|p| p.dot(&slope).abs() < 1e-12), "{floor:?}");
    assert!(fixed.contains("Name=\"body:brick, &lt;&quot;red&quot; &amp; heavy&gt;\""));

    let events = fs::read_to_string(inside.join("events.vtu")).unwrap();
    let (points, impulses) = (vectors(&decoded(&events, "points")), vectors(&decoded(&events, "impulse")));
    let mut count = 0;
    read_events(&out.join("events.jsonl"), |k, event| {
        assert_eq!((points[k], impulses[k]), (event.point.into(), event.impulse.into()));
        count += 1;
    })
    .unwrap();
    assert!(count > 0 && points.len() == count);

    // A shorter export leaves none of the longer one's frames.
    let pvd = fs::read_to_string(out.join("export/run.pvd")).unwrap();
    assert_eq!((pvd.matches("frame-").count(), pvd.matches("fixed.vtu").count()), (11, 11));
    succeed(&export(&out, &["--to", "vtk", "--frames", "2"]));
    let frames = fs::read_dir(&inside).unwrap().flatten();
    let frames = frames.filter(|entry| entry.file_name().to_str().unwrap().starts_with("frame-"));
    assert_eq!(frames.count(), 2);
}

/// Document and numbers of a `.glb` file.
fn parsed(bytes: &[u8]) -> (Value, Vec<u8>) {
    let word = |at: usize| u32::from_le_bytes(bytes[at..at + 4].try_into().unwrap()) as usize;
    assert_eq!((&bytes[..4], word(4), word(8)), (&b"glTF"[..], 2, bytes.len()));
    let length = word(12);
    (
        serde_json::from_slice(&bytes[20..20 + length]).unwrap(),
        bytes.get(28 + length..).unwrap_or_default().to_vec(),
    )
}

fn accessed(document: &Value, numbers: &[u8], accessor: &Value) -> Vec<f32> {
    let accessor = &document["accessors"][accessor.as_u64().unwrap() as usize];
    let view = &document["bufferViews"][accessor["bufferView"].as_u64().unwrap() as usize];
    let at = |key: &str| view[key].as_u64().unwrap() as usize;
    let bytes = &numbers[at("byteOffset")..][..at("byteLength")];
    bytes.as_chunks::<4>().0.iter().map(|b| f32::from_le_bytes(*b)).collect()
}

#[test]
fn keys_of_a_glb_are_the_places_of_the_trajectory_and_equal_bodies_share_their_numbers() {
    let place = Place::new("export-gltf");
    let out = place.join("cradle");
    succeed(&run("newtons-cradle-1", &out, &["--until", "2"]));
    succeed(&export(&out, &["--to", "gltf", "--frames", "all"]));
    let (document, numbers) = parsed(&fs::read(out.join("export/run.glb")).unwrap());
    let position = |k: usize| &document["meshes"][k]["primitives"][0]["attributes"]["POSITION"];
    assert_eq!(list(&document["meshes"]).len(), 5);
    assert!((0..5).all(|k| position(k).is_number() && position(k) == position(0)));
    let x = floats(&out, "position");
    let animation = &document["animations"][0];
    let mut moved = Vec::new();
    for channel in list(&animation["channels"]) {
        assert_eq!(channel["target"]["path"], "translation", "nothing quaternions");
        let node = channel["target"]["node"].as_u64().unwrap() as usize;
        let name = document["nodes"][node]["name"].as_str().unwrap();
        let body = texts(&out, "bodies").iter().position(|b| b == name).unwrap();
        let sampler = &animation["samplers"][channel["sampler"].as_u64().unwrap() as usize];
        let [times, keys] = ["input", "output"].map(|end| accessed(&document, &numbers, &sampler[end]));
        assert_eq!((times.len(), keys.len()), (201, 603));
        for (row, key) in keys.as_chunks::<3>().0.iter().enumerate() {
            let expected = &x[(5 * row + body) * 3..][..3];
            assert_eq!(key.as_slice(), expected.iter().map(|v| *v as f32).collect::<Vec<_>>());
        }
        moved.push(name);
    }
    // Impacts are at 1.35 s, 1.62 s, 1.89 s and, after the end of this run, 2.16 s.
    assert!(["cube-1", "cube-2", "cube-3", "cube-4"] == moved[..], "{moved:?}");
}

#[test]
fn cells_of_the_tables_are_read_back_bitwise_identical_to_the_trajectory() {
    let (place, out) = ran("export-csv", SPINNING, &[]);
    succeed(&export(&out, &["--to", "csv", "--frames", "3"]));
    let plots = fs::read_to_string(out.join("export/plots.csv")).unwrap();
    let (header, lines) = plots.split_once("\r\n").unwrap();
    let header: Vec<&str> = header.split(',').collect();
    let cells: Vec<Vec<f64>> =
        lines.lines().map(|line| line.split(',').map(|cell| cell.parse().unwrap()).collect()).collect();
    assert_eq!(cells.len(), 201);
    let energies = texts(&out, "energy_names").iter().map(|name| format!("energy_{name} [J]")).collect();
    let vector =
        |name: &str, unit: &str| ["x", "y", "z"].map(|axis| format!("{name}_{axis} [{unit}]")).to_vec();
    for (name, titles) in [
        ("time", vec!["time [s]".to_owned()]),
        ("energy", energies),
        ("linear_momentum", vector("linear_momentum", "N s")),
        ("angular_momentum", vector("angular_momentum", "N m s")),
        ("constraint", ["position", "velocity", "hidden"].map(|c| format!("constraint_{c}")).to_vec()),
    ] {
        let values = floats(&out, name);
        for (k, title) in titles.iter().enumerate() {
            let column =
                header.iter().position(|h| h == title).unwrap_or_else(|| panic!("no column {title}"));
            for (row, cells) in cells.iter().enumerate() {
                let value = values[row * titles.len() + k];
                assert_eq!(cells[column].to_bits(), value.to_bits(), "{title} {row}");
            }
        }
    }

    let bodies = fs::read_to_string(out.join("export/bodies.csv")).unwrap();
    let lines: Vec<&str> = bodies.split_terminator("\r\n").collect();
    assert_eq!(lines.len(), 1 + 3 * 3);
    let quoted = format!("\"{}\",", BRICK.replace('"', "\"\""));
    let (time, rest) = lines[8].split_once(',').unwrap();
    let last: Vec<f64> =
        rest.strip_prefix(&quoted).unwrap().split(',').map(|cell| cell.parse().unwrap()).collect();
    assert_eq!(time.parse(), Ok(floats(&out, "time")[200]));
    let at = |name: &str| floats(&out, name)[(3 * 200 + 1) * 3..][..3].to_vec();
    assert_eq!(last[..3], at("position"));
    assert_eq!(last[7..], [at("velocity"), at("angular_velocity")].concat());
    let events = fs::read_to_string(out.join("export/events.csv")).unwrap();
    let told = fs::read_to_string(out.join("events.jsonl")).unwrap();
    assert_eq!(events.lines().count(), 1 + told.lines().count());

    // A run that has not ended is written as far as it has come.
    fs::create_dir(out.join("parts")).unwrap();
    for name in Recording::load(&out, 1).unwrap().trajectory.arrays().iter().map(|(name, _)| *name) {
        let bytes: Vec<u8> = floats(&out, name).iter().flat_map(|v| v.to_le_bytes()).collect();
        fs::write(out.join(format!("parts/{name}.part")), bytes).unwrap();
    }
    fs::remove_file(out.join("trajectory.npz")).unwrap();
    succeed(&export(&out, &["--to", "csv", "--out", place.join("again").to_str().unwrap(), "--frames", "3"]));
    for (file, before) in [("plots.csv", plots), ("bodies.csv", bodies), ("events.csv", events)] {
        assert!(fs::read_to_string(place.join("again").join(file)).unwrap() == before, "{file}");
    }
}

#[test]
fn a_run_without_events_motion_or_time_is_written_too() {
    let place = Place::new("export-still");
    let out = place.join("run");
    succeed(&run("kepler", &out, &["--until", "0.1", "--every", "1"]));
    let mut recording = Recording::load(&out, 1).unwrap();
    assert!(recording.events.is_empty());
    for appearance in &mut recording.appearances {
        appearance.moves = false;
    }
    for format in Format::ALL {
        let written = export::write(&mut recording, format, &place.join("out")).unwrap();
        let size: u64 = written.files.iter().map(|path| path.metadata().unwrap().len()).sum();
        assert_eq!(written.bytes, size);
    }
    let (document, _) = parsed(&fs::read(place.join("out/run.glb")).unwrap());
    assert_eq!((document["animations"].is_null(), list(&document["nodes"]).len()), (true, 3));
    let files: Vec<_> =
        fs::read_dir(place.join("out/vtk")).unwrap().flatten().map(|e| e.file_name()).collect();
    assert_eq!(files, ["fixed.vtu"]);
    assert_eq!(fs::read_to_string(place.join("out/events.csv")).unwrap().lines().count(), 1);
    assert_eq!(fs::read_to_string(place.join("out/plots.csv")).unwrap().lines().count(), 22);

    // Nor is there anything to see.
    for appearance in &mut recording.appearances {
        appearance.mesh = Default::default();
    }
    let (document, numbers) = parsed(&export::gltf(&recording).unwrap());
    assert!(document["meshes"].is_null() && numbers.is_empty());
    export::write(&mut recording, Format::Vtk, &place.join("out")).unwrap();
    assert_eq!(fs::read_dir(place.join("out/vtk")).unwrap().count(), 0);
}

#[test]
fn what_cannot_be_exported_is_refused_with_a_remedy() {
    let place = Place::new("export-refused");
    for (arguments, remedy) in [
        (&["--to", "csv"][..], "make one with: percussion run SCENE --out"),
        (&["--to", "obj"], "choose vtk, gltf or csv"),
        (&[], "--to <FORMAT>"),
        (&["--to", "csv", "--frames", "0"], "give a number of at least 1, or `all`"),
    ] {
        refused(&export(&place.join(""), arguments), &[remedy]);
    }
    let out = place.join("run");
    succeed(&run("kepler", &out, &["--until", "0.1"]));
    fs::write(place.join("file"), "").unwrap();
    let output = export(&out, &["--to", "csv", "--out", place.join("file").to_str().unwrap()]);
    refused(&output, &["cannot write", "file"]);
}
