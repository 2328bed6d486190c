//! A run allocates no memory from step to step: neither for the step, its row, nor for the extremes between rows.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod common;

use common::changed;
use percussion_scene::run::run;
use percussion_testing::{CountingAllocator, allocations};
use std::fs;
use std::ops::ControlFlow;

#[global_allocator]
static ALLOCATOR: CountingAllocator = CountingAllocator;

/// Two links in the wind; a brick that slides to rest on a floor in persistent contact; a ball that bounces every few steps.
const SCENE: &str = r#"
gravity = [0, 0, -9.81]
[run]
step = 1e-3
until = 0.4
scheme = "decomposition"
every = 3
[contact]
friction = 0.4
restitution = 0
[bodies.brick]
shape = { box = [0.2, 0.3, 0.1] }
mass = 2
position = [0, 0, 0.05]
velocity = [1, 0, 0]
[bodies.ball]
shape = { sphere = 0.05 }
mass = 1
position = [-2, 0, 0.0502]
[bodies.floor]
kind = "fixed"
shape = { half_space = { normal = [0, 0, 1] } }
[contact.pairs.bouncing]
between = ["ball", "floor"]
restitution = 1
friction = 0
[bodies.upper]
shape = { sphere = 0.1 }
mass = 1
position = [3, 0, 2]
[bodies.lower]
shape = { sphere = 0.1 }
mass = 1
position = [3.5, 0, 2]
[joints.one]
kind = "spherical"
parent = "world"
child = "upper"
at = [2.5, 0, 2]
[joints.two]
kind = "revolute"
parent = "upper"
child = "lower"
at = [3, 0, 2]
axis = [0, 1, 0]
[forces.wind]
kind = "drag"
bodies = ["upper", "lower"]
linear = 0.2
medium = [0, 1, 0]
"#;

#[test]
fn a_run_allocates_no_memory_after_its_first_steps() {
    let folder = std::env::temp_dir().join(format!("percussion-run-allocation-{}", std::process::id()));
    let mut asked = [0; 2];
    let summary = run(changed(SCENE, &[]), &folder, false, &mut |progress| {
        match progress.steps {
            100 => asked[0] = allocations(),
            350 => asked[1] = allocations(),
            _ => {}
        }
        ControlFlow::Continue(())
    })
    .unwrap();
    fs::remove_dir_all(&folder).unwrap();
    assert_eq!((summary.steps, summary.rows), (400, 135));
    assert!(summary.collisions > 25, "{} collisions", summary.collisions);
    assert!(asked[0] > 100, "the counter counts: {asked:?}");
    assert_eq!(asked[1] - asked[0], 0, "250 steps with 83 rows");
}
