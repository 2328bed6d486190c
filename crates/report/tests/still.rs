//! Pictures of runs: what they show, that they are the same every time, and that nothing stops them.
#![allow(clippy::unwrap_used, clippy::panic)]

use percussion_report::still::{self, Options, Picture, Theme};
use percussion_report::{Recording, palette};
use percussion_scene::{Scene, run};
use std::ops::ControlFlow;
use std::path::PathBuf;

/// A run of a scene in a folder of its own, removed with it.
struct Run {
    folder: PathBuf,
    recording: Recording,
}

impl Run {
    fn of(name: &str, text: &str) -> Self {
        let folder = std::env::temp_dir().join(format!("percussion-still-{name}-{}", std::process::id()));
        let _ = std::fs::remove_dir_all(&folder);
        let scene =
            Scene::parse(text, "scene.toml", std::env::temp_dir(), &[]).unwrap_or_else(|e| panic!("{e}"));
        run::run(scene, &folder, false, &mut |_| ControlFlow::Continue(())).unwrap();
        let recording = Recording::load(&folder, 1000).unwrap();
        Self { folder, recording }
    }
}

impl Drop for Run {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.folder);
    }
}

const BOUNCE: &str = r#"
gravity = [0.0, 0.0, -9.81]
[run]
step = 0.01
until = 1.0
scheme = "exact"
[contact]
restitution = 0.5
[bodies.cube]
shape = { cube = 0.2 }
density = 500.0
position = [0.0, 0.0, 0.4]
rotation_vector = [0.3, 0.2, 0.1]
[bodies.ball]
shape = { sphere = 0.1 }
density = 500.0
position = [0.5, 0.0, 0.6]
velocity = [0.3, 0.0, 0.0]
[bodies.floor]
kind = "fixed"
shape = { half_space = { normal = [0.0, 0.0, 1.0] } }
"#;

const REST: &str = r#"
[run]
step = 0.1
until = 0.2
[bodies.dot]
kind = "particle"
mass = 1.0
position = [3.0, 4.0, 5.0]
"#;

const DISC: &str = r#"
[run]
step = 0.1
until = 1.0
[bodies.disc]
shape = { circle = 1.0 }
mass = 1.0
position = [2.0, 3.0, 0.0]
[joints.plane]
kind = "planar"
parent = "world"
child = "disc"
axis = [0.0, 0.0, 1.0]
"#;

/// Pixels that appearance as a colour does in some light.
fn share_of(picture: &Picture, rgb: [u8; 3]) -> f64 {
    let hue = |p: &[u8]| {
        let [r, g, b] = [0, 1, 2].map(|k| f64::from(p[k]));
        let (most, least) = (r.max(g).max(b), r.min(g).min(b));
        (most - least > 40.0).then(|| (3f64.sqrt() * (g - b)).atan2(2.0 * r - g - b))
    };
    let wanted = hue(&rgb).unwrap();
    let alike = picture
        .pixels
        .as_chunks::<4>()
        .0
        .iter()
        .filter(|p| hue(&p[..]).is_some_and(|h| (h - wanted).abs() < 0.12));
    alike.count() as f64 / (picture.width * picture.height) as f64
}

#[test]
fn the_same_run_gives_the_same_bytes() {
    let run = Run::of("same", BOUNCE);
    let options = Options { width: 320, height: 240, impulses: Some(0.05), ..Options::default() };
    let times = [0.0, 0.2, 0.4, 0.9];
    let make = || {
        [
            still::single(&run.recording, 30, &options).png(),
            still::strip(&run.recording, &times, &options).png(),
            still::overlay(&run.recording, &times, &options).png(),
            still::animation(&run.recording, &Options { most_frames: 12, ..options.clone() }),
        ]
    };
    assert!(make() == make());
}

#[test]
fn bodies_are_seen_in_their_colours_and_fill_the_picture() {
    let run = Run::of("seen", BOUNCE);
    let options = Options { width: 480, height: 360, ..Options::default() };
    let picture = still::single(&run.recording, 0, &options);
    for k in 0..2 {
        let share = share_of(&picture, palette::colour(k));
        assert!(share > 0.02, "{k}: {share}");
    }
    // Nothing of a body touches the sides.
    let white = |x: usize, y: usize| picture.at(x, y).unwrap()[..3].iter().all(|v| *v > 200);
    assert!((0..picture.width).all(|x| white(x, 0) && white(x, picture.height - 1)));
    assert!((0..picture.height).all(|y| white(0, y) && white(picture.width - 1, y)));
}

#[test]
fn a_colour_of_the_scene_takes_the_place_of_one_in_turn() {
    let painted = BOUNCE.replace("shape = { cube = 0.2 }", "shape = { cube = 0.2 }\ncolor = \"#e01010\"");
    let (plain, run) = (Run::of("plain", BOUNCE), Run::of("painted", &painted));
    let options = Options { width: 480, height: 360, ..Options::default() };
    let red = |run: &Run| share_of(&still::single(&run.recording, 0, &options), [0xe0, 0x10, 0x10]);
    assert!(red(&plain) < 1e-3 && red(&run) > 0.02, "{} {}", red(&plain), red(&run));
    let colours = palette::of_bodies(&run.recording.appearances);
    assert_eq!(colours, [[0xe0, 0x10, 0x10], palette::colour(1), palette::FIXED]);
}

/// A disc of radius 1 along its normal: its area over that of the square around it is pi/4.
#[test]
fn a_planar_body_is_seen_along_the_normal() {
    let run = Run::of("disc", DISC);
    let bare = Options {
        width: 300,
        height: 300,
        captions: false,
        scale: false,
        axes: false,
        theme: Theme::Transparent,
        ..Options::default()
    };
    let picture = still::single(&run.recording, 0, &bare);
    let covered: f64 = picture.pixels.as_chunks::<4>().0.iter().map(|p| f64::from(p[3]) / 255.0).sum();
    let seen = |i: &usize| picture.pixels[4 * i + 3] > 127;
    let columns: Vec<usize> = (0..300 * 300).filter(seen).map(|i| i % 300).collect();
    let wide = (columns.iter().max().unwrap() - columns.iter().min().unwrap() + 1) as f64;
    let exact = std::f64::consts::FRAC_PI_4 * wide * wide;
    assert!((covered / exact - 1.0).abs() < 0.02, "{covered} {exact}");
    assert!(wide > 260.0);
}

#[test]
fn a_png_is_read_back_as_it_was() {
    let run = Run::of("png", BOUNCE);
    for theme in [Theme::Light, Theme::Dark, Theme::Transparent] {
        let options = Options { width: 200, height: 150, theme, ..Options::default() };
        let picture = still::single(&run.recording, 5, &options);
        let bytes = picture.png();
        let mut reader = png::Decoder::new(std::io::Cursor::new(bytes)).read_info().unwrap();
        let mut read = vec![0; reader.output_buffer_size().unwrap()];
        let info = reader.next_frame(&mut read).unwrap();
        assert_eq!((info.width as usize, info.height as usize), (picture.width, picture.height));
        let per = info.color_type.samples();
        assert_eq!(per, if theme == Theme::Transparent { 4 } else { 3 });
        let same = picture.pixels.chunks(4).zip(read.chunks(per)).all(|(a, b)| a[..per] == *b);
        assert!(same);
    }
}

/// Frames of the animation are, up to the palette, the pictures of their instants; time runs at the given speed.
#[test]
fn an_animation_shows_the_run() {
    let run = Run::of("gif", BOUNCE);
    let options = Options { width: 240, height: 180, speed: Some(0.5), ..Options::default() };
    let bytes = still::animation(&run.recording, &options);
    let mut setup = gif::DecodeOptions::new();
    setup.set_color_output(gif::ColorOutput::RGBA);
    let mut decoder = setup.read_info(bytes.as_slice()).unwrap();
    assert_eq!(decoder.repeat(), gif::Repeat::Infinite);
    let (width, height) = (decoder.width() as usize, decoder.height() as usize);
    let mut screen = vec![0u8; 4 * width * height];
    let mut delays = Vec::new();
    while let Some(frame) = decoder.read_next_frame().unwrap() {
        delays.push(u32::from(frame.delay));
        let (left, top) = (usize::from(frame.left), usize::from(frame.top));
        for (k, p) in frame.buffer.chunks(4).enumerate().filter(|(_, p)| p[3] > 0) {
            let (x, y) = (left + k % usize::from(frame.width), top + k / usize::from(frame.width));
            screen[4 * (y * width + x)..][..4].copy_from_slice(p);
        }
    }
    // One second at half speed: 2 s, with the last frame after it.
    assert_eq!(delays.len(), 51);
    assert_eq!(delays[..50].iter().sum::<u32>(), 200);
    // The last instant by itself is seen by another camera; its colours are the same.
    for k in 0..2 {
        let last = Picture { width, height, pixels: screen.clone() };
        assert!(share_of(&last, palette::colour(k)) > 0.005, "{k}");
    }
    assert!(screen.chunks(4).all(|p| p[3] == 255));
}

#[test]
fn every_combination_of_options_gives_a_picture() {
    for (name, text) in [("rest", REST), ("odd", BOUNCE), ("plane", DISC)] {
        let run = Run::of(name, text);
        let sizes = [(0, 0), (1, 1), (7, 300), (300, 5), (64, 48)];
        for (width, height) in sizes {
            let options = Options { width, height, samples: 0, impulses: Some(1.0), ..Options::default() };
            for times in [vec![], vec![0.0], vec![f64::NAN, -1e9, 1e9], vec![0.1; 9]] {
                for picture in [
                    still::strip(&run.recording, &times, &options),
                    still::overlay(&run.recording, &times, &options),
                ] {
                    assert_eq!(picture.pixels.len(), 4 * picture.width * picture.height);
                    // A strip has a row of pixels for each of its panels at least.
                    assert!(picture.width == width.max(1) && picture.height <= height.max(3));
                    assert!(!picture.png().is_empty());
                }
            }
            still::single(&run.recording, usize::MAX, &options);
        }
        let small =
            Options { width: 40, height: 30, most_frames: 0, speed: Some(-1.0), ..Options::default() };
        assert!(!still::animation(&run.recording, &small).is_empty());
        for view in [[0.0, 90.0], [0.0, -90.0], [1e9, f64::NAN]] {
            let options = Options { view: Some(view), width: 64, height: 48, ..Options::default() };
            still::single(&run.recording, 0, &options);
        }
    }
}

#[test]
fn impulses_are_drawn_in_red_near_their_instants() {
    let run = Run::of("impulses", BOUNCE);
    let event = run.recording.events.iter().find(|event| event.kind == "impact").unwrap();
    let frame = run.recording.frames.nearest(event.time);
    let red = |impulses: Option<f64>| {
        let options = Options { width: 960, height: 720, impulses, ..Options::default() };
        let picture = still::single(&run.recording, frame, &options);
        picture.pixels.chunks(4).filter(|p| p[0] > 180 && p[1] < 60 && p[2] < 70).count()
    };
    assert_eq!(red(None), 0);
    assert!(red(Some(0.02)) > 20);
}
