//! Every scene of the gallery has its picture, the guide and the README show them, and they are what the scenes appearance like now.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod common;
#[allow(dead_code)]
#[path = "../examples/pictures.rs"]
mod pictures;

use common::root;
use common::tree::read;
use percussion::gallery::{SCENES, Scene};
use percussion::report::still::Picture;
use pictures::{FOLDER, PICTURES};
use std::collections::BTreeSet;
use std::fs;
use std::io::BufReader;
use std::path::Path;

/// Bytes of a picture, at most: they are committed.
const LARGEST: u64 = 130_000;

/// Pictures that are drawn anew, of scenes that are quickly run and not chaotic.
const DRAWN_ANEW: [&str; 4] = ["newtons-cradle-1", "pendulum-floor", "four-bar", "kepler"];

/// Share of pixels that may differ, and by how many levels the others may: rounding of other machines moves edges a little.
const STRAY: f64 = 1e-3;
const LEVELS: u8 = 4;

/// A picture from its file, without opacity: width, height, three bytes a pixel.
fn decoded(path: &Path) -> (usize, usize, Vec<u8>) {
    let file = fs::File::open(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let mut reader = png::Decoder::new(BufReader::new(file)).read_info().unwrap();
    let mut pixels = vec![0; reader.output_buffer_size().unwrap()];
    let info = reader.next_frame(&mut pixels).unwrap();
    assert_eq!(info.color_type, png::ColorType::Rgb, "{}", path.display());
    assert_eq!(info.bit_depth, png::BitDepth::Eight, "{}", path.display());
    (info.width as usize, info.height as usize, pixels)
}

/// How far a picture is from one in a file: the share of pixels that differ by more than [`LEVELS`] in some colour.
fn stray(drawn: &Picture, path: &Path) -> f64 {
    let (width, height, pixels) = decoded(path);
    assert_eq!((drawn.width, drawn.height), (width, height), "{} has another size", path.display());
    let (found, kept) = (drawn.pixels.as_chunks::<4>().0, pixels.as_chunks::<3>().0);
    let differs = |a: &[u8; 4], b: &[u8; 3]| a.iter().zip(b).any(|(a, b)| a.abs_diff(*b) > LEVELS);
    let count = found.iter().zip(kept).filter(|(a, b)| differs(a, b)).count();
    count as f64 / kept.len() as f64
}

/// Whether a scene has a motion to be drawn.
fn moves(scene: &Scene) -> bool {
    ["run", "plan", "shoot"].contains(&scene.kind)
}

#[test]
fn every_scene_that_is_run_or_planned_has_a_picture() {
    let names: BTreeSet<&str> = PICTURES.iter().map(|picture| picture.name).collect();
    assert_eq!(names.len(), PICTURES.len(), "some scene is drawn twice");
    for scene in SCENES.iter().filter(|scene| moves(scene)) {
        assert!(names.contains(scene.name), "examples/pictures.rs does not draw {}", scene.name);
    }
    for picture in PICTURES {
        let path = root().join(FOLDER).join(picture.file());
        let (width, height, pixels) = decoded(&path);
        assert!((480..=1200).contains(&width) && (120..=700).contains(&height), "{}", path.display());
        let bytes = path.metadata().unwrap().len();
        assert!(bytes < LARGEST, "{} has {bytes} bytes", path.display());
        let colours: BTreeSet<&[u8; 3]> = pixels.as_chunks::<3>().0.iter().collect();
        assert!(colours.len() > 30, "{} shows nothing", path.display());
    }
}

#[test]
fn no_picture_is_left_over() {
    let mut wanted: BTreeSet<String> = PICTURES.iter().map(pictures::FigureResult::file).collect();
    wanted.extend(SCENES.iter().filter(|scene| !moves(scene)).map(|scene| format!("{}.svg", scene.name)));
    let entries = fs::read_dir(root().join(FOLDER)).unwrap();
    let found = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    assert_eq!(wanted, found, "run the example `pictures`");
    // The drawing of the tetrahedra is held against the program where it comes from.
    assert_eq!(read(format!("{FOLDER}/tetrahedra.svg")), read("scenes/tetrahedra/picture.svg"));
}

#[test]
fn the_guide_shows_every_scene_with_its_title_and_command() {
    let guide = read("docs/src/gallery.md");
    let sections: Vec<&str> = guide.split("\n### `").skip(1).collect();
    assert_eq!(sections.len(), SCENES.len());
    let shown = |section: &str, file: &str| section.contains(&format!("](pictures/gallery/{file})"));
    for scene in SCENES {
        let section = sections.iter().find(|section| section.starts_with(&format!("{}`\n", scene.name)));
        let section = section.unwrap_or_else(|| panic!("gallery.md has no section on {}", scene.name));
        let words = section.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(words.contains(&format!("**{}.**", scene.title)), "{}: another title", scene.name);
        if scene.kind == "distance" {
            assert!(words.contains(&format!("`percussion distance --example {} ", scene.name)));
            assert!(shown(section, &format!("{}.svg", scene.name)));
            continue;
        }
        if scene.kind == "sweep" {
            assert!(words.contains(&format!("`percussion sweep {}`", scene.name)));
            assert!(shown(section, &format!("{}.svg", scene.name)));
            continue;
        }
        // Shooting problems are solved by the command for plans.
        let verb = if scene.kind == "shoot" { "plan" } else { scene.kind };
        let command = format!("`percussion {verb} {}`", scene.name);
        assert!(words.contains(&command), "{}: no command", scene.name);
        for (file, _) in scene.files.iter().filter(|(file, _)| *file != "scene.toml") {
            let variant = format!("{}/{}`", scene.name, file.trim_end_matches(".toml"));
            assert!(words.contains(&variant), "gallery.md does not name {variant}");
        }
        let variants = format!("{}/", scene.name);
        for picture in PICTURES.iter().filter(|p| p.name == scene.name || p.name.starts_with(&variants)) {
            assert!(shown(section, &picture.file()), "gallery.md does not show {}", picture.file());
        }
    }
}

#[test]
fn the_readme_shows_some_scenes_and_the_page_of_a_run() {
    let text = read("README.md");
    let target = |file: &str| format!("]({FOLDER}/{file})");
    let shown = PICTURES.iter().filter(|picture| text.contains(&target(&picture.file()))).count();
    assert!(shown >= 6, "only {shown} pictures");
    let page = "docs/src/pictures/run.png";
    assert!(text.contains(&format!("]({page})")));
    let (width, height, _) = decoded(&root().join(page));
    assert!(width == 1366 && height > 600, "{width} x {height}");
    assert!(root().join(page).metadata().unwrap().len() < 250_000);
}

#[test]
fn pictures_drawn_anew_are_the_ones_that_are_shown() {
    for name in DRAWN_ANEW {
        let picture = PICTURES.iter().find(|picture| picture.name == name).unwrap();
        let path = root().join(FOLDER).join(picture.file());
        let share = stray(&picture.draw().unwrap(), &path);
        assert!(
            share <= STRAY,
            "{name}: {share} of its pixels differ; run the example `pictures` for {name}"
        );
    }
}

#[test]
fn a_picture_off_by_a_pixel_would_be_noticed() {
    let path = root().join(FOLDER).join("four-bar.png");
    let (width, height, pixels) = decoded(&path);
    let mut pixels: Vec<u8> =
        pixels.as_chunks::<3>().0.iter().flat_map(|p| [p[0], p[1], p[2], 255]).collect();
    assert_eq!(stray(&Picture { width, height, pixels: pixels.clone() }, &path), 0.0);
    pixels.rotate_right(4);
    assert!(stray(&Picture { width, height, pixels }, &path) > 5.0 * STRAY);
}
