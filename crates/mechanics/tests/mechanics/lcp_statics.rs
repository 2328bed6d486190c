//! Card houses and arches stand as long as statics lets them: against closed forms and against a search for forces
//! that balance.

use crate::common::*;
use percussion_solve::lp::{LinearProgram, solve_lp};
use std::f64::consts::PI;

/// Half of a card house: corners of a card of length one that leans by `angle` from the vertical, cut flat on the floor and
/// upright at the middle x = 0, where its mirror image leans on it.
fn card(angle: f64, thick: f64) -> Vec<Vec2> {
    // The card's sides are lines x = y tan - c, for c of the upper and of the lower side.
    let (high, low) = (angle.cos(), angle.tan());
    let width = thick / angle.cos();
    let foot = -(high * low) - width;
    let lower = -(high * low);
    // At x = 0 the lower side is at y = high, the upper side above it.
    vec![
        Vec2::new(foot, 0.0),
        Vec2::new(lower, 0.0),
        Vec2::new(0.0, high),
        Vec2::new(0.0, high + width / low),
    ]
}

/// Least friction with which half of the house stands: floor and mirror image push with forces (F, N) at a foot and H at a
/// height y of the cut, N = W, F = H, and moments about a point of the foot give `H y = W (x_c - x_foot)`. H is least for the
/// highest y and the foot nearest to the centre of mass.
fn least_friction(corners: &[Vec2]) -> f64 {
    let (_, centre, _) = area(corners);
    (centre.x - corners[1].x) / corners[3].y
}

#[test]
fn a_card_house_stands_with_enough_friction_and_falls_without() {
    for (angle, thick) in [(0.3_f64, 0.02), (0.5, 0.05), (0.7, 0.02)] {
        let left = card(angle, thick);
        let right: Vec<Vec2> = left.iter().rev().map(|c| Vec2::new(-c.x, c.y)).collect();
        let critical = least_friction(&left);
        assert!((critical / (0.5 * angle.tan()) - 1.0).abs() < 0.2, "near that of thin cards, tan/2");
        for (factor, stands) in [(1.02, true), (0.98, false)] {
            let mut builder = ground(0.0, factor * critical);
            plate(&mut builder, "left", &left);
            plate(&mut builder, "right", &right);
            let mut sim = stepped(builder, LcpOptions::default(), 0.01);
            let start = sim.state().positions.clone();
            run(&mut sim, 300);
            let moved = drift(&sim, &start);
            println!("{angle} {factor}: critical {critical:.4}, moved {moved:.1e}");
            assert_eq!(moved < 1e-8, stands, "{angle} {factor}: {moved:e}");
            assert!(stands || moved > 0.1, "{angle} {factor}: {moved:e}");
        }
    }
}

const VOUSSOIRS: usize = 9;

/// Corners of the stones of a semicircular arch of middle radius one, from the right.
fn arch(thick: f64) -> Vec<Vec<Vec2>> {
    let at = |k: usize, r: f64| {
        let angle = PI * k as f64 / VOUSSOIRS as f64;
        Vec2::new(angle.cos(), if k.is_multiple_of(VOUSSOIRS) { 0.0 } else { angle.sin() }) * r
    };
    let (inner, outer) = (1.0 - 0.5 * thick, 1.0 + 0.5 * thick);
    (0..VOUSSOIRS).map(|k| vec![at(k, inner), at(k, outer), at(k + 1, outer), at(k + 1, inner)]).collect()
}

/// Whether there are forces at the ends of all joints, within friction, that balance the weights: feasibility of a linear program,
/// without time steps. Where there are none the arch falls.
fn balances(stones: &[Vec<Vec2>], mu: f64) -> bool {
    // Unknowns: at both ends of each of n + 1 joints two forces along the edges of the friction cone.
    let n = stones.len();
    let columns = 4 * (n + 1);
    let mut rows = vec![vec![0.0; columns]; 3 * n];
    let mut loads = vec![0.0; 3 * n];
    for (k, stone) in stones.iter().enumerate() {
        let (mass, centre, _) = area(stone);
        loads[3 * k + 1] = mass;
        for (joint, ends, sign) in [(k, [stone[0], stone[1]], 1.0), (k + 1, [stone[3], stone[2]], -1.0)] {
            let along = (ends[1] - ends[0]).normalize();
            // Towards growing angles: into stone k from the joint before it.
            let normal = Vec2::new(-along.y, along.x) * sign;
            for (e, end) in ends.iter().enumerate() {
                for (s, side) in [mu, -mu].into_iter().enumerate() {
                    let force = normal + along * (side * sign);
                    let arm = end - centre;
                    let column = 4 * joint + 2 * e + s;
                    rows[3 * k][column] += force.x;
                    rows[3 * k + 1][column] += force.y;
                    rows[3 * k + 2][column] += arm.x * force.y - arm.y * force.x;
                }
            }
        }
    }
    let mut program = LinearProgram::minimise(&vec![0.0; columns]).unwrap();
    program.nonnegative();
    for (row, load) in rows.iter().zip(&loads) {
        program.equal(row, *load).unwrap();
    }
    solve_lp(&program).unwrap().is_optimal()
}

/// Whether an arch still stands after two seconds.
fn stands(stones: &[Vec<Vec2>], mu: f64) -> bool {
    let mut builder = ground(0.0, mu);
    for (k, stone) in stones.iter().enumerate() {
        plate(&mut builder, &format!("stone-{k}"), stone);
    }
    let mut sim = stepped(builder, LcpOptions::default(), 0.01);
    let start = sim.state().positions.clone();
    run(&mut sim, 200);
    let moved = drift(&sim, &start);
    println!("{mu:.4}: moved {moved:.1e}");
    assert!(!(1e-6..1e-2).contains(&moved), "neither stands nor falls: {moved:e}");
    moved < 1e-6
}

/// The least number with which an arch can stand, by bisection.
fn least((mut falls, mut holds): (f64, f64), stands: impl Fn(f64) -> bool) -> f64 {
    assert!(stands(holds) && !stands(falls));
    for _ in 0..30 {
        let middle = 0.5 * (falls + holds);
        if stands(middle) { holds = middle } else { falls = middle }
    }
    holds
}

#[test]
fn an_arch_stands_where_forces_can_balance_its_weight_and_falls_where_none_can() {
    // Thick enough never to fold up: friction decides.
    let thick = arch(0.3);
    let holds = least((0.0, 1.0), |mu| balances(&thick, mu));
    println!("critical friction {holds:.6}");
    assert!(stands(&thick, 1.02 * holds) && !stands(&thick, 0.98 * holds));
    // Enough friction never to slide: thickness decides.
    let holds = least((0.01, 0.3), |thick| balances(&arch(thick), 1.0));
    // A continuous arch needs 0.1075, as Milankovitch found; joints only where the stones meet, a little less.
    println!("critical thickness {holds:.6}");
    assert!(holds > 0.08 && holds < 0.1075);
    assert!(stands(&arch(1.02 * holds), 1.0) && !stands(&arch(0.98 * holds), 1.0));
}
