//! Searches of plans: what an iteration costs for growing numbers of nodes, and a cube that hits a wall, beside CasADi with Ipopt.
//!
//! `cargo bench -p percussion-control --bench plans` prints markdown tables. `-- --casadi PYTHON` names an interpreter with the
//! package `casadi`, whose solution of the same programs (`peer.py`) is timed in turns with ours. Times are processor times, the
//! least of several.
#![allow(missing_docs, clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::print_stdout)]

mod clock;
#[path = "../../tests/common/mod.rs"]
mod common;
mod peer;

use clock::Clock;
use common::{FREE_MOTION, cube_wall, rest_to_rest};
use nalgebra::Rotation3;
use percussion_control::plan::{Plan, PlannedContact};
use percussion_control::solution::Outcome;
use percussion_control::transcription::{ConstraintSet, Iterate, ResolvedContact, Transcription};
use percussion_control::{Guess, Options, solve};
use percussion_geometry::{Pose, Vec3};
use percussion_mechanics::Body;
use percussion_mechanics::rotation::Mat3;
use percussion_solve::nlp::{Bound, CallbackAction, InteriorPoint, Outcome as NlpOutcome, Program};

/// Nodes besides the first.
const LENGTHS: [usize; 5] = [30, 100, 300, 1000, 3000];

fn main() {
    let only = std::env::args().skip_while(|a| a != "--only").nth(1);
    let python = std::env::args().skip_while(|a| a != "--casadi").nth(1);
    let selected = |name: &str| only.as_ref().is_none_or(|only| only == name);
    if selected("turn") {
        lengths("a turn in free flight", &|n| (turn(n), Guess::Straight));
    }
    if selected("hit") {
        lengths("a cube hits a wall", &|n| (cube_wall(n, 3 * n / 10), FREE_MOTION));
    }
    if selected("wall") {
        peer::beside(python.as_deref());
    }
}

/// A body with three moments, from rest to rest, with torques at their bounds for a part of the time.
fn turn(intervals: usize) -> Plan {
    let moments = Mat3::from_diagonal(&Vec3::new(1.0, 2.0, 2.6));
    let to = Pose::new(Rotation3::from_scaled_axis(Vec3::new(1.0, 0.7, -0.9)), Vec3::new(0.3, 0.0, 0.1));
    let body = || Body::rigid("b", 3.0, Vec3::zeros(), &moments).unwrap();
    let mut plan = rest_to_rest(&body, to, intervals, 1.0);
    plan.actuators[1].bounds = vec![Bound::between(-8.0, 8.0); 3];
    plan
}

/// The program that a search begins with, and its start, of a plan whose bodies are clear of each other in the guess, except at planned
/// contacts.
fn posed(plan: &Plan, guess: &Guess) -> (Transcription, Iterate) {
    let path = guess.initial_path(plan).unwrap();
    let find = |planned: &PlannedContact| {
        ResolvedContact::find(&plan.model, planned, &path.nodes[planned.node]).unwrap()
    };
    let contacts = plan.contacts.iter().map(find).collect();
    let mut program = Transcription::new(plan.clone(), ConstraintSet { contacts, separations: Vec::new() });
    let start = program.initial_iterate(path.nodes, &path.inputs, &path.time_scales);
    (program, start)
}

/// Times of searches against the number of intervals, and their growth.
fn lengths(name: &str, case: &dyn Fn(usize) -> (Plan, Guess)) {
    println!(
        "\n| {name}: intervals | unknowns | building, ms | analysis, ms | iterations | an iteration, ms | whole, ms |"
    );
    println!("|---|---|---|---|---|---|---|");
    let mut figures = Vec::new();
    for intervals in LENGTHS {
        let (plan, guess) = case(intervals);
        let mut best = [f64::INFINITY; 4];
        let (mut unknowns, mut iterations) = (0, 0);
        for _ in 0..(3000 / intervals).clamp(5, 20) {
            let from = Clock::now();
            let (mut program, start) = posed(&plan, &guess);
            let building = from.ms();
            let mut interior = InteriorPoint::new();
            // The second search has the analysis of the first: the difference is what that took.
            let searches = [(); 2].map(|()| {
                let from = Clock::now();
                let options = percussion_solve::nlp::Options::default();
                let found = interior.solve(&mut program, &start, &options).unwrap();
                assert_eq!(found.outcome, NlpOutcome::Optimal);
                (unknowns, iterations) = (program.layout().variables.len(), found.iterations);
                from.ms()
            });
            let from = Clock::now();
            let whole = solve(&plan, &guess, &Options::default(), &mut |_| CallbackAction::Continue).unwrap();
            assert_eq!(whole.outcome, Outcome::Optimal);
            let now = [building, searches[0], searches[1], from.ms()];
            best = std::array::from_fn(|i| now[i].min(best[i]));
        }
        let [building, first, again, whole] = best;
        let each = again / iterations as f64;
        println!(
            "| {intervals} | {unknowns} | {building:.2} | {:.2} | {iterations} | {each:.3} | {whole:.1} |",
            first - again
        );
        figures.push((intervals as f64, each));
    }
    println!(
        "\nAn iteration costs time proportional to the number of intervals to the power {:.2}.",
        exponent(&figures)
    );
}

/// The slope of a line through the logarithms.
fn exponent(figures: &[(f64, f64)]) -> f64 {
    let logs: Vec<(f64, f64)> = figures.iter().map(|(x, y)| (x.ln(), y.ln())).collect();
    let n = logs.len() as f64;
    let mean = |of: &dyn Fn(&(f64, f64)) -> f64| logs.iter().map(of).sum::<f64>() / n;
    let (x, y) = (mean(&|p| p.0), mean(&|p| p.1));
    let (xy, xx) = (mean(&|p| (p.0 - x) * (p.1 - y)), mean(&|p| (p.0 - x) * (p.0 - x)));
    xy / xx
}
