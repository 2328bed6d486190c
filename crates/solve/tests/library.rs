//! Every solver on every problem of a library, in whatever order its rows are written: complementarity problems of the
//! gallery's steps, as `cargo run --release -p percussion --example problems` wrote them. Solvers that agree on them were written
//! apart.
//!
//! An answer with residual r answers exactly a problem whose data differ by about r. So answers may be compared where such
//! changes of the data leave the exact answer where it is; where they do not, the residual is all there is, and that
//! there are many answers is proved.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::print_stdout)]

mod common;
mod stored;

use percussion_solve::lcp::friction::{
    Cone, ConvexRelaxation, FixedPoint, FixedPointMap, FrictionalLemke, FrictionalSolution,
    frictional_residual, relaxation_residual,
};
use percussion_solve::{FrictionContactProblem, GaussSeidel, Impulses};
use percussion_testing::Random;
use stored::{Row, Stored, apart, library, named};

/// Contacts up to which the dense method is used.
const FEW: usize = 60;
/// Residual of a solution.
const SOLVED: f64 = 1e-9;
/// Difference of velocities in the units of the residual.
const SAME: f64 = 1e-8;
/// Orders in which a problem is written, the stored one first.
const ORDERS: usize = 6;
/// Problems that differ by a residual, to see what that does to the exact answer.
const CHANGES: usize = 40;
/// Problems whose velocity is not determined to the residual of a solution.
const UNDETERMINED: [&str; 1] = ["dice3-31"];

/// The residual of an answer, whatever its solver reported.
fn worst_residual(problem: &FrictionContactProblem, impulses: &Impulses) -> f64 {
    frictional_residual(problem, impulses, Cone::Facets).unwrap().worst()
}

fn lemke(problem: &FrictionContactProblem) -> FrictionalSolution {
    FrictionalLemke::new().solve(problem).clone()
}

fn sweeps(problem: &FrictionContactProblem, tolerance: f64) -> FrictionalSolution {
    let mut sweeps = GaussSeidel::exact();
    sweeps.tolerance = tolerance;
    sweeps.solve(problem).unwrap().clone()
}

/// How far the exact answer moves if the data change by a residual.
fn sensitivity(stored: &Stored) -> f64 {
    let mut random = Random::new(5);
    let own = stored.velocity(&lemke(&stored.problem()));
    let answers: Vec<f64> = (0..CHANGES)
        .filter_map(|_| {
            let other = stored.changed(SOLVED, &mut random);
            let problem = &other.problem();
            // A path that rounding spoiled means nothing.
            let answer = [lemke(problem), sweeps(problem, 1e-12)]
                .into_iter()
                .find(|answer| worst_residual(problem, &answer.impulses) <= 0.1 * SOLVED);
            answer.map(|answer| apart(&own, &other.velocity(&answer)))
        })
        .collect();
    assert!(answers.len() > CHANGES / 2, "{}: {} answers", stored.name, answers.len());
    answers.into_iter().fold(0.0, f64::max)
}

#[test]
fn problems_are_written_as_they_were_read() {
    let library = library();
    assert!(library.len() >= 20, "{}", library.len());
    for stored in &library {
        let read: FrictionContactProblem =
            stored.text.parse().unwrap_or_else(|error| panic!("{}: {error}", stored.name));
        assert_eq!(read.to_text(), stored.text, "{}", stored.name);
        assert_eq!(stored.problem(), read, "{}", stored.name);
    }
    let all: usize = library.iter().map(|stored| stored.text.len()).sum();
    assert!(all < 1_000_000 && library.iter().all(|stored| stored.text.len() < 60_000), "{all}");
}

#[test]
fn a_residual_leaves_the_velocity_of_all_but_one_problem_where_it_is() {
    for stored in &library() {
        let sensitivity = sensitivity(stored);
        println!("{}: {sensitivity:.1e}", stored.name);
        assert_eq!(sensitivity <= SAME, !UNDETERMINED.contains(&stored.name.as_str()), "{}", stored.name);
    }
}

#[test]
fn every_solver_solves_every_problem_in_every_order_and_all_agree_where_there_is_one_answer() {
    let (mut compared, mut converged, mut farthest) = (0, 0, 0.0_f64);
    let library = library();
    for stored in &library {
        let name = &stored.name;
        let mut random = Random::new(3);
        let mut velocities: Vec<(String, Vec<f64>)> = Vec::new();
        for order in 0..ORDERS {
            let written = if order == 0 { stored.clone() } else { stored.shuffled(&mut random) };
            let problem = &written.problem();
            let mut answers: Vec<(&str, FrictionalSolution)> = vec![("sweeps", sweeps(problem, 1e-10))];
            if problem.contact_count() <= FEW {
                answers.push(("lemke", lemke(problem)));
            }
            let mut point = FixedPoint::new();
            point.tolerance = 1e-10;
            let answer = point.solve(problem).unwrap().clone();
            // Nothing promises that the fixed point converges.
            if point.report().converged {
                // The relaxation is the problem itself where the widening is that of the solution.
                let slips = written.frictions().zip(&answer.impulses.slip);
                let widening: Vec<f64> = slips.map(|(mu, slip)| mu * slip).collect();
                let relaxed = ConvexRelaxation::new().solve(problem, &widening).unwrap().clone();
                let residual = relaxation_residual(problem, &widening, &relaxed.impulses).unwrap().worst();
                assert!(residual <= SOLVED, "{name}: {residual:e}");
                answers.extend([("fixed point", answer), ("relaxation", relaxed)]);
                converged += 1;
            }
            for (who, answer) in &answers {
                let residual = worst_residual(problem, &answer.impulses);
                assert!(residual <= SOLVED, "{name}, order {order}, {who}: {residual:e}");
                velocities.push((format!("{who} in order {order}"), written.velocity(answer)));
            }
        }
        if UNDETERMINED.contains(&name.as_str()) {
            continue;
        }
        for (k, (who, a)) in velocities.iter().enumerate() {
            for (other, b) in &velocities[..k] {
                let apart = apart(a, b);
                assert!(apart <= SAME, "{name}: {who} and {other} differ by {apart:e}");
                farthest = farthest.max(apart);
                compared += 1;
            }
        }
    }
    println!("{converged} fixed points, {compared} pairs, at most {farthest:.1e} apart");
    assert!(converged > library.len() * ORDERS * 3 / 4, "{converged}");
}

/// A cube lies on a floor with four corners, slides and turns. Three corners carry it; which of them do decides friction's moment and
/// so how fast it turns. As stored, the gaps of the corners disagree by 5e-11, and an exact answer must leave one of
/// them out. Where they agree, any share of the load is as good: from wherever the solver starts it finds another exact answer.
#[test]
fn a_face_that_slides_and_turns_has_many_answers() {
    let mut stored = named("dice3-31");
    let on_floor = |contact: &[Row]| contact[0].on.len() == 1;
    let corners: Vec<usize> = (0..stored.contacts.len()).filter(|&m| on_floor(&stored.contacts[m])).collect();
    assert_eq!(corners.len(), 4);
    // Across the face, gaps are linear in the corners: what is left of their sum with these signs is a disagreement.
    let signs = [1.0, -1.0, -1.0, 1.0];
    let over = |value: &dyn Fn(&Row) -> f64| -> f64 {
        corners.iter().zip(signs).map(|(&m, sign)| sign * value(&stored.contacts[m][0])).sum()
    };
    for k in 0..6 {
        assert!(over(&|row| row.on[0].1[k]).abs() < 1e-15, "the rows are dependent");
    }
    let disagreement = over(&|row| row.head[1]);
    let first = &stored.contacts[corners[0]][0];
    let unit = stored.problem().momentum_size() * stored.root_compliance(first);
    println!("disagreement {:.1e}", disagreement / unit);
    assert!((1e-11..1e-10).contains(&(disagreement / unit)));
    let normal = &mut stored.contacts[corners[0]][0];
    normal.head[1] -= disagreement;
    let problem = &stored.problem();
    let (a, b) = (lemke(problem).impulses, sweeps(problem, 1e-13).impulses);
    let mix = |t: f64, a: &[f64], b: &[f64]| -> Vec<f64> {
        a.iter().zip(b).map(|(a, b)| (1.0 - t) * a + t * b).collect()
    };
    let mut last: Option<Vec<f64>> = None;
    let mut solver = GaussSeidel::exact();
    solver.tolerance = 1e-13;
    for k in 0..=10 {
        let t = 0.1 * f64::from(k);
        let (normal, facets) = (mix(t, &a.normal, &b.normal), mix(t, &a.facets, &b.facets));
        let answer = solver.solve_from(problem, &Impulses { normal, facets, ..Impulses::default() }).unwrap();
        let (residual, velocity) = (worst_residual(problem, &answer.impulses), stored.velocity(answer));
        let moved = last.map_or(f64::INFINITY, |last| apart(&last, &velocity));
        println!("{t:.1}: residual {residual:.1e}, spin {:.6}, moved {moved:.1e}", velocity[5]);
        assert!(residual <= 1e-12 && moved > SAME, "{t}: {residual:e}, {moved:e}");
        last = Some(velocity);
    }
    assert!(apart(&stored.velocity(&lemke(problem)), &last.unwrap()) > 5e-4);
}

/// Without widening the relaxation lets contacts dilate: another problem, which its own residual accepts.
#[test]
fn the_plain_relaxation_of_every_problem_is_solved() {
    for stored in &library() {
        let (name, problem) = (&stored.name, &stored.problem());
        let widening = vec![0.0; problem.contact_count()];
        let answer = ConvexRelaxation::new().solve(problem, &widening).unwrap().clone();
        let residual = relaxation_residual(problem, &widening, &answer.impulses).unwrap().worst();
        assert!(residual <= SOLVED, "{name}: {residual:e}");
    }
}

/// The three maps have the same fixed points.
#[test]
fn the_three_maps_agree_where_they_converge() {
    let mut compared = 0;
    for stored in &library() {
        let problem = &stored.problem();
        let velocities: Vec<Vec<f64>> =
            [FixedPointMap::Velocity, FixedPointMap::Widening, FixedPointMap::LimitedSlip]
                .into_iter()
                .filter_map(|map| {
                    let mut point = FixedPoint::new();
                    (point.map, point.tolerance) = (map, 1e-10);
                    let answer = point.solve(problem).unwrap().clone();
                    point.report().converged.then(|| {
                        assert!(worst_residual(problem, &answer.impulses) <= SOLVED, "{}", stored.name);
                        stored.velocity(&answer)
                    })
                })
                .collect();
        if UNDETERMINED.contains(&stored.name.as_str()) {
            continue;
        }
        for pair in velocities.windows(2) {
            let apart = apart(&pair[0], &pair[1]);
            assert!(apart <= SAME, "{}: {apart:e}", stored.name);
            compared += 1;
        }
    }
    println!("{compared} pairs");
    assert!(compared >= 30, "{compared}");
}
