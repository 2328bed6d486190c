//! Pages and pictures of runs: what they carry is what the run folder holds.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod common;

use common::folder::{Place, array, code, floats, refused, run, start, succeed, text, wait_for};
use common::page::Page;
use common::{call, list, program};
use percussion::report::{Recording, page};
use std::fs;
use std::path::Path;
use std::process::Output;

fn report(words: &[&str], folders: &[&Path]) -> Output {
    program().arg("report").args(folders).args(words).output().unwrap()
}

#[test]
fn a_page_has_every_body_where_the_trajectory_has_it() {
    let place = Place::new("page-poses");
    let out = place.join("out");
    succeed(&run("falling-polyhedra", &out, &["--until", "1"]));
    let page = Page::of(&out);
    let run = page.run(0);
    assert_eq!(page.array(&run["frames"]["times"]), floats(&out, "time"));
    let bodies = array(&out, "position").header.shape[1];
    let (positions, rotations) = (floats(&out, "position"), floats(&out, "rotation"));
    let moving: Vec<usize> =
        list(&run["frames"]["moving"]).iter().map(|k| k.as_u64().unwrap() as usize).collect();
    assert_eq!((moving.len(), bodies), (7, 8), "the floor does not move");
    let step = page.array(&run["frames"]["step"]);
    for (frame, poses) in page.poses(0).iter().enumerate() {
        for (slot, pose) in poses.iter().enumerate() {
            let at = frame * bodies + moving[slot];
            for axis in 0..3 {
                let off = (pose[axis] - positions[3 * at + axis]).abs();
                assert!(off <= 0.51 * step[7 * slot + axis] + 1e-15, "{off:e}");
            }
            let [x, y, z, w] = [pose[3], pose[4], pose[5], pose[6]];
            let size = (x * x + y * y + z * z + w * w).sqrt();
            let [x, y, z, w] = [x, y, z, w].map(|v| v / size);
            // The first column of the rotation of a quaternion.
            let column = [1.0 - 2.0 * (y * y + z * z), 2.0 * (x * y + w * z), 2.0 * (x * z - w * y)];
            for (row, value) in column.iter().enumerate() {
                assert!((value - rotations[9 * at + 3 * row]).abs() < 1e-4);
            }
        }
    }
}

#[test]
fn curves_are_those_of_the_trajectory_and_spikes_survive_thinning() {
    let place = Place::new("page-curves");
    let (short, long) = (place.join("short"), place.join("long"));
    succeed(&run("falling-cube/tilted", &short, &["--until", "2"]));
    let energy = floats(&short, "energy");
    let single = |v: f64| f64::from(v as f32);
    let total: Vec<f64> = energy.chunks(7).map(|row| single(row[2])).collect();
    assert_eq!(Page::of(&short).curve(0, "energy", "total"), total);
    // Twelve thousand rows are two thousand buckets of six; the smallest substep is in one row.
    succeed(&run("falling-cube/tilted", &long, &["--until", "12", "--set", "run.step=1e-3"]));
    let substeps = floats(&long, "substep_min");
    assert_eq!(substeps.len(), 12_001);
    let shown = Page::of(&long).curve(0, "substep", "smallest substep");
    assert_eq!(shown.len(), 4000);
    let least = |list: &[f64]| list.iter().copied().fold(f64::INFINITY, f64::min);
    assert_eq!(least(&shown), single(least(&substeps) / 1e-3));
    assert!(least(&shown) < 0.99, "some step was divided");
    // The playback is thinned, with a note.
    let page = Page::of(&long);
    assert_eq!(page.poses(0).len(), 10_000);
    let notes = page.run(0)["notes"].to_string();
    assert!(notes.contains("10000 of the 12001 rows"), "{notes}");
}

#[test]
fn frames_are_left_out_until_a_page_is_small_enough_with_a_warning() {
    let place = Place::new("page-budget");
    let out = place.join("out");
    succeed(&run("falling-polyhedra", &out, &["--until", "1"]));
    let mut recordings = [Recording::for_page(&out).unwrap()];
    let whole = page::packed(&mut recordings).unwrap().len();
    // Halfway between all frames and almost none.
    let least = page::packed_within(&mut recordings, 0).unwrap().len();
    let budget = (whole + least) / 2;
    let bytes = page::packed_within(&mut recordings, budget).unwrap();
    assert!(bytes.len() <= budget, "{} of {whole} bytes", bytes.len());
    let packed = Page::unpack(&bytes);
    let times = packed.array(&packed.run(0)["frames"]["times"]);
    assert!(times.len() < 1001 && times.first() == Some(&0.0) && times.last() == Some(&1.0));
    let said = format!("{} of the 1001 rows", times.len());
    assert!(packed.run(0)["notes"].to_string().contains(&said));
}

#[test]
fn several_schemes_are_one_command_and_one_page() {
    let place = Place::new("page-compared");
    let out = place.join("out");
    succeed(&run("falling-cube/tilted", &out, &["--scheme", "exact,decomposition", "--until", "1"]));
    let folders = ["exact", "decomposition"].map(|scheme| out.join(format!("falling-cube-tilted-{scheme}")));
    let page = Page::read(&out.join("comparison.html"));
    for (k, folder) in folders.iter().enumerate() {
        let alone = Page::of(folder);
        assert_eq!(page.run(k)["summary"], alone.run(0)["summary"]);
        assert_eq!(page.run(k)["label"], folder.file_name().unwrap().to_str().unwrap());
        assert_eq!(page.poses(k), alone.poses(0));
    }
    // The same from the folders, and two of one name have different labels.
    let other = place.join("other/falling-cube-tilted-exact");
    fs::create_dir_all(other.parent().unwrap()).unwrap();
    fs::rename(&folders[1], &other).unwrap();
    let file = place.join("pair.html");
    succeed(&report(&["--out", file.to_str().unwrap()], &[&folders[0], &other]));
    let page = Page::read(&file);
    assert_ne!(page.run(0)["label"], page.run(1)["label"]);
    refused(&run("free-top", &out, &["free-top"]), &["two of the scenes"]);
}

#[test]
fn pictures_are_drawn_without_a_display() {
    let place = Place::new("pictures");
    let out = place.join("out");
    succeed(&run("gyroscope", &out, &["--until", "0.2"]));
    let output = report(&["--snapshot", "0,0.1,0.2", "--gif", "--size", "320x240"], &[&out]);
    succeed(&output);
    let said = text(&output);
    for name in ["snapshot-0.png", "snapshot-0.1.png", "snapshot-0.2.png", "snapshots.png", "animation.gif"] {
        let path = out.join(name);
        assert!(said.contains(path.to_str().unwrap()), "{said}");
        let start = fs::read(&path).unwrap();
        let magic = if name.ends_with("png") { b"\x89PNG\r\n\x1a\n" } else { b"GIF89a\x40\x01" };
        assert!(start.starts_with(magic), "{name}");
    }
    let other = place.join("pictures");
    succeed(&report(&["--snapshot", "0,0.2", "--overlay", "--out", other.to_str().unwrap()], &[&out]));
    assert_eq!(fs::read_dir(&other).unwrap().count(), 1);
    for (words, why) in [
        (&["--snapshot", "0.1,7"][..], "the run, which lasts from 0 s to 0.2 s"),
        (&["--snapshot", "NaN"], "--snapshot NaN is outside"),
        (&["--gif", "--size", "0x9"], "960x720"),
        (&["--gif", "--view", "1,100"], "above the horizon"),
        (&["--overlay"], "--snapshot"),
    ] {
        refused(&report(words, &[&out]), &[why]);
    }
    refused(&report(&["--gif"], &[&out, &out]), &["exactly one run"]);
}

#[test]
fn a_folder_without_a_run_is_refused_with_a_remedy() {
    let place = Place::new("page-nothing");
    for command in ["report", "view"] {
        let output = call(&[command, place.join("empty").to_str().unwrap()]);
        refused(&output, &["percussion run SCENE --out"]);
    }
    let out = place.join("out");
    succeed(&run("free-top", &out, &["--until", "0.01"]));
    fs::write(
        out.join("scene.toml"),
        "title = \"another\"\n[run]\nstep = 1\nuntil = 1\n[bodies.x]\nmass = 1\nkind = \"particle\"\n",
    )
    .unwrap();
    refused(&report(&[], &[&out]), &["do not belong together"]);
    fs::remove_file(out.join("trajectory.npz")).unwrap();
    assert_eq!(code(&report(&[], &[&out])), 2);
}

#[test]
fn a_run_in_progress_or_killed_has_a_page_too() {
    let place = Place::new("page-live");
    let out = place.join("out");
    let mut child = start("kepler", &out, &["--until", "1e9", "--every", "50"]);
    let part = out.join("parts/angular_momentum.part");
    wait_for("some rows", || part.metadata().is_ok_and(|data| data.len() > 24 * 20));
    succeed(&report(&[], &[&out]));
    let page = Page::of(&out);
    let run = page.run(0);
    assert_eq!((&run["status"], &run["summary"]), (&"running".into(), &serde_json::Value::Null));
    let times = page.array(&run["frames"]["times"]);
    assert!(times.len() > 5 && times.windows(2).all(|pair| pair[0] < pair[1]));
    assert_eq!(page.poses(0).len(), times.len());
    child.kill().unwrap();
    child.wait().unwrap();
    succeed(&report(&[], &[&out]));
    assert_eq!(Page::of(&out).run(0)["status"], "interrupted");
}
