//! Plans that nothing satisfies end with what is in conflict, in words of the scene.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::print_stdout)]

mod common;

use common::scene;
use common::solved::searched;
use percussion_control::solution::Outcome;

/// A cube, a block beside it, and targets of the cube.
fn conflicts(plan: &str) -> Vec<String> {
    let text = format!(
        r#"
        run = {{ step = 1e-3, until = 1.0, scheme = "exact" }}
        [contact]
        [bodies.runner]
        shape = {{ cube = 0.1 }}
        density = 270.0
        position = [-0.4, 0.0, 0.0]
        [bodies.block]
        kind = "fixed"
        shape = {{ box = [0.3, 0.3, 0.3] }}
        [plan]
        intervals = 12
        step = 0.05
        {plan}
        "#
    );
    let found = searched(&scene(&text).plan.unwrap());
    // The best that was found is kept.
    assert!(found.objective.is_finite() && found.nodes.len() == 13);
    match found.outcome {
        Outcome::Infeasible(names) => names,
        other => panic!("{other:?}"),
    }
}

#[test]
fn where_a_body_should_be_there_is_another() {
    let names = conflicts(
        r#"
        [plan.controls.thrust]
        kind = "force"
        body = "runner"
        [plan.controls.torque]
        kind = "torque"
        body = "runner"
        [plan.end.bodies.runner]
        position = { min = [-0.05, -0.05, -0.05], max = [0.05, 0.05, 0.05] }
        at_rest = true
        "#,
    );
    assert!(names.iter().any(|n| n == "`runner` keeps clear of `block` at the end"), "{names:?}");
}

#[test]
fn forces_are_too_weak() {
    // 0.27 kg over 0.6 m in 0.6 s and back to rest takes 4 s²/t² = 1.8 N; the block is not in the way.
    let names = conflicts(
        r#"
        [plan.controls.thrust]
        kind = "force"
        body = "runner"
        bounds = 0.5
        [plan.end.bodies.runner]
        position = [-0.4, 0.6, 0.0]
        at_rest = true
        "#,
    );
    assert_eq!(names[..2], ["the position of `runner` at the end", "the bounds of component 1 of thrust"]);
}
