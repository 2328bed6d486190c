//! Trajectories around obstacles: clear at nodes and between them.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::print_stdout)]

mod common;

use common::{around, solved};
use percussion_geometry::Vec3;

#[test]
fn a_cube_passes_a_block() {
    let (mut plan, guess) = around(30, Vec3::new(0.1, 0.2, 0.3), [0.2, 0.3, 0.3], [-0.03, 0.3, 0.02]);
    plan.avoidance.as_mut().unwrap().margin = 0.01;
    let found = solved(&plan, &guess);
    assert!(found.clearance > 0.01 - 1e-8);
    assert!(found.clearance_between > 0.0);
}
