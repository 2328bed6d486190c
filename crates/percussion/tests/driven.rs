//! Driven bodies are shown where they are: on the page, in pictures and in exports.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod common;

use common::folder::{Place, floats, ran, refused, run, succeed};
use common::page::Page;
use common::{list, program};
use percussion::report::Recording;
use std::fs;

/// A belt below, a table that is shaken, a drum that quaternions, a wall, and a ball on a spring.
const WORKS: &str = r#"
[run]
step = 1e-2
until = 1

[bodies.belt]
kind = "fixed"
shape = { half_space = { normal = [0, 0, 1], offset = -1 } }
motion = { times = [0, 1], shifts = [[0, 0, 0], [40, 0, 0]] }

[bodies.wall]
kind = "fixed"
shape = { box = [0.1, 1, 1] }
position = [-1, 0, 0]

[bodies.table]
kind = "fixed"
shape = { box = [0.5, 0.5, 0.1] }
motion = { shake = [0, 0, 0.3], frequency = 1 }

[bodies.ball]
shape = { sphere = 0.1 }
mass = 1
position = [0, 0, 1]

[bodies.drum]
kind = "fixed"
shape = { box = [0.5, 0.1, 0.5] }
position = [1, 0, 0]
motion = { turn = [0, 1, 0], rate = 2 }

[forces.spring]
kind = "spring"
a = "ball"
b = { world = [0, 0, 2] }
stiffness = 1
rest_length = 0.2
"#;

const BODIES: usize = 5;
const TABLE: usize = 2;
const BALL: usize = 3;
const DRUM: usize = 4;

#[test]
fn a_page_moves_them_and_gives_them_no_force() {
    let (_place, out) = ran("driven-page", WORKS, &[]);
    let page = Page::of(&out);
    let data = page.run(0);
    let moving: Vec<u64> = list(&data["frames"]["moving"]).iter().map(|k| k.as_u64().unwrap()).collect();
    assert_eq!(moving, [0, 2, 3, 4], "the wall stays");
    for (body, moves) in [(TABLE, false), (BALL, true), (DRUM, false)] {
        assert_eq!(data["bodies"][body]["moves"], moves);
    }
    let x = floats(&out, "position");
    let step = page.array(&data["frames"]["step"]);
    let poses = page.poses(0);
    assert_eq!(poses.len(), 101);
    for (frame, poses) in poses.iter().enumerate() {
        for (slot, pose) in poses.iter().enumerate() {
            let at = &x[3 * (frame * BODIES + moving[slot] as usize)..][..3];
            for axis in 0..3 {
                let off = (pose[axis] - at[axis]).abs();
                assert!(off <= 0.51 * step[7 * slot + axis] + 1e-15, "{off:e}");
            }
        }
    }
    // The drum has turned by two radians about y at the end.
    let [_, y, _, w] = <[f64; 4]>::try_from(&poses[100][3][3..]).unwrap();
    assert!(((y / w).abs() - 1f64.tan()).abs() < 1e-3, "{y} {w}");
    // Forces stand beside the bodies in the same order: the ball is the third.
    let forces = page.array(&data["forces"]["values"]);
    for of_bodies in forces.chunks(3 * moving.len()) {
        assert!(of_bodies[..6].iter().chain(&of_bodies[9..]).all(|f| *f == 0.0), "{of_bodies:?}");
    }
    assert!((forces[8] - 0.8).abs() < 1e-6, "the spring pulls the ball up: {:?}", &forces[..12]);
}

#[test]
fn a_piece_of_a_belt_is_long_enough_to_stay_below_the_scene() {
    let (_place, out) = ran("driven-belt", WORKS, &[]);
    let recording = Recording::load(&out, 101).unwrap();
    for frame in 0..recording.frames.len() {
        let corners = recording.appearances[0].ground.corners.iter();
        let xs: Vec<f64> = corners.map(|c| recording.frames.at(frame)[0].point(c).x).collect();
        let (low, high) = (xs.iter().copied().fold(9e9, f64::min), xs.iter().copied().fold(-9e9, f64::max));
        assert!(low < -1.0 && high > 1.0, "frame {frame}: from {low} to {high}");
    }
    // The scene is no larger for it.
    assert!(recording.extent.radius() < 3.0);
}

#[test]
fn a_picture_shows_them_where_they_are_at_its_instant() {
    let (place, out) = ran("driven-picture", WORKS, &[]);
    let picture = |time: &str| {
        let folder = place.join(&format!("at-{time}"));
        let words = ["--snapshot", time, "--size", "320x240", "--out", folder.to_str().unwrap()];
        succeed(&program().arg("report").arg(&out).args(words).output().unwrap());
        fs::read(folder.join(format!("snapshot-{time}.png"))).unwrap()
    };
    // At 0 and at 0.5 the table is in the same place, the drum is not; at 0.25 neither is.
    let [a, b, c] = ["0", "0.25", "0.5"].map(picture);
    assert!(a != b && b != c && a != c);
}

#[test]
fn exports_carry_them() {
    let (_place, out) = ran("driven-export", WORKS, &[]);
    for format in ["gltf", "vtk"] {
        let words = ["--to", format, "--frames", "all"];
        succeed(&program().arg("export").arg(&out).args(words).output().unwrap());
    }
    let bytes = fs::read(out.join("export/run.glb")).unwrap();
    let length = u32::from_le_bytes(bytes[12..16].try_into().unwrap()) as usize;
    let document: serde_json::Value = serde_json::from_slice(&bytes[20..20 + length]).unwrap();
    let mut moved: Vec<(String, String)> = Vec::new();
    for channel in list(&document["animations"][0]["channels"]) {
        let target = &channel["target"];
        let node = &document["nodes"][target["node"].as_u64().unwrap() as usize];
        moved.push((node["name"].as_str().unwrap().into(), target["path"].as_str().unwrap().into()));
    }
    moved.sort();
    let expected =
        [("ball", "translation"), ("belt", "translation"), ("drum", "rotation"), ("table", "translation")];
    assert_eq!(moved, expected.map(|(body, path)| (body.to_owned(), path.to_owned())));
    // What is fixed and nothing else is written once.
    let recording = Recording::load(&out, 3).unwrap();
    let corners = |file: &str| {
        let text = fs::read_to_string(out.join("export/vtk").join(file)).unwrap();
        let counted = text.split("NumberOfPoints=\"").nth(1).unwrap().split('"').next().unwrap();
        counted.parse::<usize>().unwrap()
    };
    let own = |body: usize| {
        let appearance = &recording.appearances[body];
        appearance.mesh.corners.len() + appearance.ground.corners.len()
    };
    assert_eq!(corners("fixed.vtu"), own(1));
    assert_eq!(corners("frame-000050.vtu"), own(0) + own(TABLE) + own(BALL) + own(DRUM));
}

#[test]
fn the_program_refuses_a_scheme_to_which_they_would_rest() {
    let place = Place::new("driven-refused");
    let text = WORKS.replace("until = 1\n", "until = 1\nscheme = \"exact\"\n[contact]\n");
    let said = "`belt` has a motion, but the scheme exact treats fixed bodies as at rest";
    refused(&run(place.scene(&text), &place.join("run"), &[]), &[said]);
}
