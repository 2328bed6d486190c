//! Driven bodies in scene files: what is read, what is refused, and where trajectories have them.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod common;

use common::{changed, refused, scene, try_changed, with_run};
use percussion_geometry::Vec3;
use percussion_mechanics::Motion;
use percussion_mechanics::prescribed_motion::{Wave, Window};
use percussion_mechanics::table::Table;
use percussion_scene::run::npz::Reader;
use percussion_scene::run::run;
use std::f64::consts::{FRAC_PI_2, TAU};
use std::fs;
use std::ops::ControlFlow;

const BALL: &str = "[bodies.ball]\nshape = { sphere = 0.1 }\nmass = 1\nposition = [0, 0, 3]\n";

fn text(motion: &str) -> String {
    format!(
        "{BALL}[bodies.box]\nkind = \"fixed\"\nshape = {{ cube = 1 }}\nposition = [1, 0, 0]\nmotion = {motion}"
    )
}

fn read(motion: &str) -> Motion {
    let scene = scene(&with_run(&text(motion)));
    let body = scene.model.body_named("box").unwrap();
    scene.model.prescribed_motion(body).unwrap().clone()
}

/// What is said of a motion on the last line.
fn wrong(motion: &str, said: &str) {
    refused(&with_run(&format!("{} # <-", text(motion))), said);
}

#[test]
fn motions_are_what_they_say() {
    let wave = |frequency, phase| Wave { frequency, phase };
    let open = Window::default();
    let amplitude = Vec3::new(0.0, 0.0, 0.02);
    assert_eq!(
        read("{ shake = [0, 0, 0.02], frequency = 5 }"),
        Motion::shake(amplitude, wave(5.0, 0.0), open).unwrap()
    );
    assert_eq!(
        read("{ shake = [0, 0, 0.02], frequency = 5, phase_degrees = -90, start = 1, periods = 40 }"),
        Motion::shake(
            amplitude,
            wave(5.0, -FRAC_PI_2),
            Window { start: 1.0, duration: Some(8.0), ramp: 0.0 }
        )
        .unwrap()
    );
    assert_eq!(
        read("{ shake = [0, 0, 0.02], frequency = 5, phase = 0.3, start = -1, stop = 2, ramp = 0.5 }"),
        Motion::shake(amplitude, wave(5.0, 0.3), Window { start: -1.0, duration: Some(3.0), ramp: 0.5 })
            .unwrap()
    );
    let about = Vec3::new(1.0, 2.0, 3.0);
    assert_eq!(
        read("{ turn = [0, 2, 0], rate = 2, about = [1, 2, 3] }"),
        Motion::turn(Vec3::y(), about, 2.0, open).unwrap()
    );
    // A turn that names no point is about the body's own origin.
    assert_eq!(
        read("{ turn = [0, 1, 0], angle_degrees = 90, frequency = 2 }"),
        Motion::rock(Vec3::y(), Vec3::x(), FRAC_PI_2, wave(2.0, 0.0), open).unwrap()
    );
    let table = Table::new(vec![0.0, 2.0], vec![[0.0; 3], [4.0, 0.0, 0.0]]).unwrap();
    assert_eq!(read("{ times = [0, 2], shifts = [[0, 0, 0], [4, 0, 0]] }"), Motion::path(table));
}

#[test]
fn motions_that_cannot_be_meant_are_refused() {
    wrong("{ shake = [0, 0, 1], freqency = 1, frequency = 1 }", "did you mean `frequency`?");
    wrong("{ shake = [0, 0, 1] }", "`bodies.box.motion.frequency` is missing; give it in hertz");
    wrong("{ shake = [0, 1], frequency = 1 }", "has 2 entries, not 3");
    wrong("{ shake = [0, 0, 1], frequency = 0 }", "`bodies.box.motion.frequency` is 0; give a positive");
    wrong("{ frequency = 1 }", "has no kind of motion; give `shake`");
    wrong("[0, 0, 1]", "is a list, not a table");
    wrong(
        "{ shake = [0, 0, 1], frequency = 1, rate = 1 }",
        "`bodies.box.motion.rate` cannot be combined with `shake`",
    );
    wrong(
        "{ turn = [0, 0, 1], rate = 1, times = [0] }",
        "`bodies.box.motion.times` cannot be combined with `turn`",
    );
    wrong("{ turn = [0, 0, 1], rate = 1, periods = 2 }", "cannot be combined with `rate`");
    wrong("{ turn = [0, 0, 1], rate = 1, angle = 2 }", "is given together with `rate`");
    wrong("{ turn = [0, 0, 1] }", "`bodies.box.motion.rate` is missing");
    wrong("{ turn = [0, 0, 0], rate = 1 }", "is the zero vector");
    wrong("{ turn = [0, 0, 1], angle = 1, angle_degrees = 3, frequency = 1 }", "keep one of the two");
    wrong("{ times = [0, 1] }", "`bodies.box.motion.shifts` is missing");
    wrong("{ times = [0, 0], shifts = [[0, 0, 0], [1, 0, 0]] }", "sort the instants");
    wrong("{ times = [0, 1], shifts = [[0, 0, 0]] }", "2 instants and 1 values");
    wrong("{ times = [0], shifts = [[0, 0, 0]], ramp = 1 }", "cannot be combined with `times`");
    wrong("{ shake = [0, 0, 1], frequency = 1, start = 2, stop = 1 }", "but the motion starts at 2");
    wrong("{ shake = [0, 0, 1], frequency = 1, stop = 1, periods = 2 }", "is given together with `stop`");
    wrong("{ shake = [0, 0, 1], frequency = 1, ramp = -1 }", "of zero or more");
    wrong("{ shake = [0, 0, 1], frequency = 2, periods = 1, ramp = 0.3 }", "give at most half of that");
}

#[test]
fn only_fixed_bodies_are_driven_and_only_contact_passes_it_on() {
    let turn = "motion = { turn = [0, 0, 1], rate = 1 }";
    refused(
        &with_run(&format!("{BALL}{turn} # <-")),
        "`bodies.ball.motion` is given to a body that is not fixed; make the body kind = \"fixed\"",
    );
    let hub = format!("{BALL}[bodies.hub]\nkind = \"fixed\"\n{turn}\n");
    refused(
        &with_run(&format!(
            "{hub}[joints.j] # <-\nkind = \"spherical\"\nparent = \"hub\"\nchild = \"ball\"\nat = [0, 0, 0]"
        )),
        "joint `j` is tied to `hub`, which has a motion",
    );
    refused(
        &with_run(&format!(
            "{hub}[forces.f] # <-\nkind = \"spring\"\na = \"hub\"\nb = \"ball\"\nstiffness = 1"
        )),
        "force `f` is tied to `hub`, which has a motion",
    );
    // Planar shapes stay in their plane.
    let plate = "[bodies.plate] # <-\nkind = \"fixed\"\nshape = { rectangle = [1, 1] }\n\
                 motion = { turn = [0, 1, 0], rate = 1 }";
    refused(&with_run(&format!("{BALL}{plate}")), "its motion leaves their plane");
    scene(&with_run(&format!("{BALL}{}", plate.replace("[0, 1, 0]", "[0, 0, 1]"))));
}

#[test]
fn schemes_that_know_no_driven_bodies_refuse_them_where_they_can_be_touched() {
    let shaken = text("{ shake = [0, 0, 0.1], frequency = 1 }");
    let run = |scheme: &str| format!("[run]\nstep = 1e-3\nuntil = 1\nscheme = \"{scheme}\"");
    for scheme in ["exact", "decomposition", "potential"] {
        let said = format!("the scheme {scheme} treats fixed bodies as at rest; choose the scheme lcp");
        refused(
            &format!("{shaken}\n{} # <-\n[contact]", run(scheme)),
            &format!("`box` has a motion, but {said}"),
        );
    }
    assert!(try_changed(&format!("{shaken}\n{}", run("newmark-explicit")), &[]).is_ok());
}

/// A drum that turns about an axis beside it, and a lift.
const WORKS: &str = r#"
gravity = [0, 0, -9.81]
[run]
step = 1e-3
until = 1
every = 100
[bodies.drum]
kind = "fixed"
shape = { box = [1, 0.1, 1] }
position = [2, 0, 0]
axis = [0, 0, 1]
angle_degrees = 90
motion = { turn = [0, 0, 1], rate = 3, about = [0, 0, 0] }
[bodies.table]
kind = "fixed"
shape = { box = [1, 1, 0.1] }
motion = { shake = [0, 0, 0.5], frequency = 2 }
[bodies.ball]
shape = { sphere = 0.1 }
mass = 1
position = [0, 0, 3]
[bodies.post]
kind = "fixed"
shape = { box = [1, 1, 0.1] }
position = [9, 0, 0]
"#;

#[test]
fn trajectories_have_driven_bodies_where_they_are() {
    let folder = std::env::temp_dir().join(format!("percussion-driven-{}", std::process::id()));
    run(changed(WORKS, &[]), &folder, false, &mut |_| ControlFlow::Continue(())).unwrap();
    let mut reader = Reader::open(&folder.join("trajectory.npz")).unwrap();
    let mut floats = |name: &str| reader.array(name).unwrap().as_floats().unwrap();
    let (time, x, r) = (floats("time"), floats("position"), floats("rotation"));
    let (v, w) = (floats("velocity"), floats("angular_velocity"));
    fs::remove_dir_all(&folder).unwrap();
    assert_eq!(time.len(), 11);
    for (k, t) in time.iter().enumerate() {
        let near = |found: &[f64], expected: [f64; 3], what: &str| {
            let off = (Vec3::from_column_slice(found) - Vec3::from(expected)).norm();
            assert!(off < 1e-12, "{what} at {t}: {found:?}, not {expected:?}");
        };
        let vector = |all: &[f64], body: usize| all[3 * (4 * k + body)..][..3].to_vec();
        let (sin, cos) = (3.0 * t).sin_cos();
        near(&vector(&x, 0), [2.0 * cos, 2.0 * sin, 0.0], "the drum");
        near(&vector(&v, 0), [-6.0 * sin, 6.0 * cos, 0.0], "the drum's velocity");
        near(&vector(&w, 0), [0.0, 0.0, 3.0], "the drum's spin");
        // Placed by a quarter turn, then turned: its x axis.
        let axis = [r[9 * 4 * k], r[9 * 4 * k + 3], r[9 * 4 * k + 6]];
        near(&axis, [-sin, cos, 0.0], "the drum's axis");
        let (sin, cos) = (2.0 * TAU * t).sin_cos();
        near(&vector(&x, 1), [0.0, 0.0, 0.5 * sin], "the table");
        near(&vector(&v, 1), [0.0, 0.0, TAU * cos], "the table's velocity");
        near(&vector(&w, 1), [0.0; 3], "the table's spin");
        near(&vector(&x, 3), [9.0, 0.0, 0.0], "the post");
        near(&vector(&v, 3), [0.0; 3], "the post's velocity");
    }
    // The ball falls as if they were not there.
    assert!((x[3 * (4 * 10 + 2) + 2] - (3.0 - 0.5 * 9.81)).abs() < 1e-10);
}

#[test]
fn a_resolved_scene_drives_its_bodies_in_the_same_way() {
    let first = changed(WORKS, &[("bodies.table.motion.frequency", "3")]);
    let again = scene(&first.resolved);
    for body in 0..4 {
        assert_eq!(first.model.prescribed_motion(body), again.model.prescribed_motion(body));
    }
    assert!((first.model.prescribed_motion(1).unwrap().shift(1.0 / 12.0).z - 0.5).abs() < 1e-12);
}
