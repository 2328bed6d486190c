//! LCP time stepping starts each step from the impulses of the last.

use crate::common::*;

/// Stacks of boxes side by side, on a floor that comes first in the list of parts and second in its pairs.
#[test]
fn stacks_at_rest_need_no_more_sweeps() {
    let mut builder = level(0.0, 0.3);
    for k in 0..9 {
        let at = Vec3::new(2.0 * (k % 3) as f64, 0.0, 0.5 + (k / 3) as f64);
        builder.body(cube(&format!("box-{k}"), 1.0), Pose::at(at));
    }
    let (model, mut state) = builder.build_open().unwrap();
    let options = LcpOptions { solver: StepSolver::GaussSeidel, tolerance: 1e-7, ..LcpOptions::default() };
    let mut scheme = Lcp::new(&model, &state, &options).unwrap();
    let mut sweeps = |count: usize| -> usize {
        let mut step = || scheme.step(&model, &mut state, 0.01).map(|stats| stats.iterations).unwrap();
        (0..count).map(|_| step()).sum()
    };
    let first = sweeps(1);
    sweeps(20);
    let later = sweeps(10);
    println!("{first} sweeps at first, {later} in ten steps later");
    // Ten cold starts would take ten times as many as the first.
    assert!(later < 2 * first, "{first} {later}");
}
