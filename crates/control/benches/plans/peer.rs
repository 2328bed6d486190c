//! One program, solved here and by CasADi with Ipopt.

use crate::clock::Clock;
use crate::common::{FREE_MOTION, cube_wall};
use crate::posed;
use percussion_control::plan::{MomentumCondition, Plan};
use percussion_control::solution::Outcome;
use percussion_control::transcription::{Iterate, Transcription};
use percussion_control::{Options, PlanSolution, solve};
use percussion_mechanics::rotation::Mat3;
use percussion_solve::nlp::{CallbackAction, InteriorPoint, Outcome as NlpOutcome, Program, Solution};
use serde_json::{Value, json};
use std::io::Write;
use std::process::{Command, Stdio};

/// Turns that are taken; times are the least.
const TURNS: usize = 6;
/// Searches in a turn.
const REPEATS: usize = 5;

/// Times here, ms: from nothing to a solution with its evidence; the program; its solution.
struct Ours {
    whole: f64,
    building: f64,
    solving: f64,
    found: PlanSolution,
    solution: Solution<Iterate>,
}

/// Contacts planned at three nodes, with the peer if there is an interpreter for it.
pub fn beside(python: Option<&str>) {
    println!(
        "\n| contact at node | unknowns | equations | | iterations | building, ms | solving, ms | whole, ms | J, N² s | contact, s |"
    );
    println!("|---|---|---|---|---|---|---|---|---|---|");
    let mut ratios = Vec::new();
    for node in [4, 9, 14] {
        let mut ours: Option<Ours> = None;
        let mut theirs: Option<Value> = None;
        for _ in 0..TURNS {
            for _ in 0..REPEATS {
                let now = here(node);
                ours = Some(match ours {
                    None => now,
                    Some(best) => Ours {
                        whole: best.whole.min(now.whole),
                        building: best.building.min(now.building),
                        solving: best.solving.min(now.solving),
                        ..now
                    },
                });
            }
            if let (Some(python), Some(ours)) = (python, &ours) {
                let mut now = there(python, node, ours.solution.scale);
                if let Some(best) = &theirs {
                    for key in ["whole", "building", "solving"] {
                        now[key] = json!(best[key].as_f64().unwrap().min(now[key].as_f64().unwrap()));
                    }
                }
                theirs = Some(now);
            }
        }
        let ours = ours.unwrap();
        let (program, _) = posed(&cube_wall(30, node), &FREE_MOTION);
        let (unknowns, equations) = (program.layout().variables.len(), program.layout().constraints.len());
        let Ours { whole, building, solving, found, solution } = &ours;
        let (iterations, objective, time) = (solution.iterations, found.objective, found.contacts[0].time);
        print!(
            "| {node} | {unknowns} | {equations} | percussion | {iterations} | {building:.2} | {solving:.2} "
        );
        println!("| {whole:.2} | {objective:.9e} | {time:.6} |");
        let Some(theirs) = theirs else { continue };
        let number = |key: &str| theirs[key].as_f64().unwrap();
        let (building, solving, whole) = ("building", "solving", "whole");
        println!(
            "| | {} | {} | CasADi {} with Ipopt | {} | {:.2} | {:.2} | {:.2} | {:.9e} | {:.6} |",
            theirs["unknowns"],
            theirs["equations"],
            theirs["version"].as_str().unwrap(),
            theirs["iterations"],
            number(building) * 1e3,
            number(solving) * 1e3,
            number(whole) * 1e3,
            number("objective"),
            theirs["scales"][0].as_f64().unwrap() * 0.025 * node as f64,
        );
        assert_eq!(theirs["status"], "Solve_Succeeded");
        let apart = (number("objective") / ours.found.objective - 1.0).abs();
        assert!(apart < 1e-6, "node {node}: objectives differ by {apart:e}");
        ratios.push((node, number(whole) * 1e3 / ours.whole, number(solving) * 1e3 / ours.solving));
    }
    for (node, whole, solving) in ratios {
        println!(
            "\nNode {node}: the whole takes {whole:.1} times as long there, solving {solving:.1} times."
        );
    }
}

fn here(node: usize) -> Ours {
    let from = Clock::now();
    let found =
        solve(&cube_wall(30, node), &FREE_MOTION, &Options::default(), &mut |_| CallbackAction::Continue)
            .unwrap();
    let whole = from.ms();
    assert_eq!(found.outcome, Outcome::Optimal);
    assert_eq!(found.rounds, 1, "the first program is the last");
    let from = Clock::now();
    let (mut program, start) = posed(&cube_wall(30, node), &FREE_MOTION);
    let building = from.ms();
    let options = percussion_solve::nlp::Options {
        constraint_tolerance: Options::default().tolerance,
        ..percussion_solve::nlp::Options::default()
    };
    let from = Clock::now();
    let solution = InteriorPoint::new().solve(&mut program, &start, &options).unwrap();
    let solving = from.ms();
    assert_eq!(solution.outcome, NlpOutcome::Optimal);
    assert_eq!(solution.objective, found.objective, "it is the same program");
    Ours { whole, building, solving, found, solution }
}

/// The same by the peer.
fn there(python: &str, node: usize, scale: f64) -> Value {
    let plan = cube_wall(30, node);
    let problem = problem(&plan, &posed(&plan, &FREE_MOTION), scale);
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/benches/plans/peer.py");
    let mut child = Command::new(python)
        .arg(script)
        .env("OMP_NUM_THREADS", "1")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("the interpreter named by --casadi");
    child.stdin.take().unwrap().write_all(problem.to_string().as_bytes()).unwrap();
    let answer = child.wait_with_output().unwrap();
    assert!(answer.status.success(), "the peer failed");
    serde_json::from_slice(&answer.stdout).unwrap()
}

/// The program as numbers.
fn problem(plan: &Plan, (program, start): &(Transcription, Iterate), scale: f64) -> Value {
    let (planned, resolved) = (&plan.contacts[0], &program.constraint_set().contacts[0]);
    let contacts = plan.model.contacts.as_ref().unwrap();
    assert_eq!(contacts.parts[resolved.pair.0].body, 0, "corners are the cube's");
    assert!(program.constraint_set().separations.is_empty());
    let body = &plan.model.bodies[0];
    let matrix = |r: &Mat3| -> Vec<[f64; 3]> { (0..3).map(|i| [r[(i, 0)], r[(i, 1)], r[(i, 2)]]).collect() };
    let list = |v: &[f64]| v.to_vec();
    let momentum = |momentum: &MomentumCondition| match momentum {
        MomentumCondition::Given(p) => p.clone(),
        other => panic!("{other:?}"),
    };
    let bounds: Vec<f64> = plan.actuators.iter().flat_map(|a| a.bounds.iter().map(|b| b.upper)).collect();
    json!({
        "intervals": plan.intervals,
        "node": planned.node,
        "step": plan.step,
        "time": plan.time_bounds.total.lower,
        "scales": [plan.time_bounds.scale.lower, plan.time_bounds.scale.upper],
        "mass": body.mass,
        "inertia": list(body.inertia.as_slice()),
        "directors": list(body.director_moments().as_slice()),
        "positions": start.nodes.iter().map(|n| list(n.positions[0].as_slice())).collect::<Vec<_>>(),
        "rotations": start.nodes.iter().map(|n| matrix(&n.rotations[0])).collect::<Vec<_>>(),
        "first": momentum(&plan.start.momentum[0]),
        "last": momentum(&plan.end.momentum[0]),
        "bounds": bounds,
        "restitution": planned.restitution,
        "corners": resolved.features.iter().map(|f| list(f.point_a.as_slice())).collect::<Vec<_>>(),
        "start": start.scalars,
        "scale": scale,
        "tolerance": 1e-8,
        "repeats": REPEATS,
    })
}
