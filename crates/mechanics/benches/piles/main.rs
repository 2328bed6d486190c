//! Piles and a shaker beside rapier3d-f64, in one process and on one thread, and the cost of piles against their contacts.
//!
//! `cargo bench -p percussion-mechanics --bench piles` prints markdown tables; `-- pile`, `-- shaker` or `-- sizes` only one of
//! them. Every engine runs the same scene several times, in turns; the least processor time of each phase counts. The pool of
//! threads is this thread alone, so that all work is in it. Depths come from one function, outside the time.
#![allow(missing_docs, clippy::unwrap_used, clippy::panic, clippy::print_stdout)]

mod engines;
mod penetration;
mod scene;

use engines::{Engine, Ours, Rapier};
use penetration::Depths;
use percussion_geometry::Vec3;
use percussion_mechanics::schemes::{LcpOptions, Stabilisation};
use percussion_mechanics::step_record::StepSolver;
use rapier3d_f64::prelude::IntegrationParameters;
use scene::{H, Scene, pile, shaker};
use std::ops::Range;
use std::time::Instant;

const ROUNDS: usize = 3;
/// Steps between measurements of depths.
const SAMPLE: usize = 10;

/// The engine and its iterations per step.
#[derive(Clone, Copy)]
enum Peer {
    /// Substeps of a step.
    Substeps(usize),
    /// Sweeps of a step.
    Ours(usize),
    /// Solver iterations of a step.
    Rapier(usize),
}

impl Peer {
    fn name(self) -> String {
        match self {
            Self::Substeps(count) => format!("percussion, {count} substeps"),
            Self::Ours(sweeps) => format!("percussion, {sweeps} sweeps"),
            Self::Rapier(iterations) => format!("rapier, {iterations} iterations"),
        }
    }

    fn engine(self, scene: &Scene) -> Box<dyn Engine> {
        match self {
            Self::Substeps(count) => Box::new(Ours::new(scene, &substeps(count))),
            Self::Ours(sweeps) => Box::new(Ours::new(scene, &options(sweeps))),
            Self::Rapier(iterations) => {
                let parameters =
                    IntegrationParameters { num_solver_iterations: iterations, ..Default::default() };
                Box::new(Rapier::new(scene, &parameters))
            }
        }
    }
}

/// Sweeps alone, as many as are given: a step of a game engine is not solved to the end either. Overlaps are corrected whatever it
/// costs, as the peer does.
fn options(sweeps: usize) -> LcpOptions {
    LcpOptions {
        solver: StepSolver::GaussSeidel,
        sweeps,
        newton_factorizations: 0,
        tolerance: 1e-6,
        keep_energy: false,
        ..LcpOptions::published()
    }
}

/// Small steps with two sweeps each.
fn substeps(count: usize) -> LcpOptions {
    LcpOptions {
        stabilisation: Stabilisation::Substeps,
        substeps: count,
        tolerance: 1e-6,
        ..LcpOptions::default()
    }
}

/// What a run came to over a range of steps.
#[derive(Clone, Default)]
struct Phase {
    /// Least processor time of a round, s per step.
    time: f64,
    contacts: f64,
    sweeps: f64,
    residual: f64,
    depths: Depths,
}

/// A run: its phases, and at the end its kinetic energy, J, and the height of the mean body, m.
#[derive(Clone, Default)]
struct Record {
    phases: Vec<Phase>,
    kinetic: f64,
    height: f64,
}

/// Processor time of this thread where the system counts it, so that what else the machine does counts less; else time.
fn clock(from: &Instant) -> f64 {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").ok();
    let spent = text.and_then(|text| text.split(' ').next()?.parse::<f64>().ok());
    spent.map_or_else(|| from.elapsed().as_secs_f64(), |ns| ns * 1e-9)
}

/// Simulates the phases one after the other; depths are measured in the first round only.
fn run(peer: Peer, scene: &Scene, phases: &[Range<usize>], record: &mut Record) {
    let first = record.phases.is_empty();
    record.phases.resize(phases.len(), Phase { time: f64::INFINITY, ..Phase::default() });
    let mut engine = peer.engine(scene);
    let (begin, mut done) = (Instant::now(), 0);
    for (range, phase) in phases.iter().zip(&mut record.phases) {
        (done..range.start).for_each(|_| engine.step());
        done = range.end;
        let mut time = 0.0;
        for from in range.clone().step_by(SAMPLE) {
            let to = (from + SAMPLE).min(range.end);
            let start = clock(&begin);
            (from..to).for_each(|_| engine.step());
            time += clock(&begin) - start;
            if first {
                let share = (to - from) as f64 / range.len() as f64;
                let shift =
                    scene.motion.as_ref().map_or_else(Vec3::zeros, |m| m.pose(to as f64 * H).position);
                phase.depths.add(scene, &engine.poses(), &shift);
                phase.contacts += share * engine.contacts() as f64;
                if let Some(solve) = engine.solve() {
                    phase.sweeps += share * solve.iterations as f64;
                    phase.residual = phase.residual.max(solve.residual);
                }
            }
        }
        phase.time = phase.time.min(time / range.len() as f64);
    }
    let poses = engine.poses();
    record.kinetic = engine.kinetic();
    record.height = poses.iter().map(|p| p.position.z).sum::<f64>() / poses.len() as f64;
}

/// Runs all peers in turns, and prints a row for each; ratios are to the last of them.
fn compare(scene: &Scene, peers: &[Peer], phases: &[(&str, Range<usize>)]) {
    let ranges: Vec<_> = phases.iter().map(|(_, range)| range.clone()).collect();
    let mut records = vec![Record::default(); peers.len()];
    for _ in 0..ROUNDS {
        for (peer, record) in peers.iter().zip(&mut records) {
            run(*peer, scene, &ranges, record);
        }
    }
    let Some(other) = records.last().cloned() else { return };
    let names: Vec<String> = phases.iter().map(|(name, _)| format!("{name}, ms per step | ratio")).collect();
    println!(
        "| engine | {} | contacts | overlapping of touching pairs | mean depth of overlapping, mm | of touching, mm | ratio | deepest, mm | kinetic at the end, J | mean height, m | residual |",
        names.join(" | ")
    );
    println!("|---|{}", "---|".repeat(2 * phases.len() + 9));
    for (peer, record) in peers.iter().zip(&records) {
        let times: Vec<String> = record
            .phases
            .iter()
            .zip(&other.phases)
            .map(|(phase, other)| format!("{:.2} | {:.2}", phase.time * 1e3, phase.time / other.time))
            .collect();
        let (Some(last), Some(theirs)) = (record.phases.last(), other.phases.last()) else { continue };
        let d = &last.depths;
        let samples = phases.last().map_or(1, |(_, range)| range.len().div_ceil(SAMPLE));
        let residual = if last.residual > 0.0 { format!("{:.0e}", last.residual) } else { String::new() };
        println!(
            "| {} | {} | {:.0} | {} of {} | {:.4} | {:.4} | {} | {:.2} | {:.2e} | {:.3} | {residual} |",
            peer.name(),
            times.join(" | "),
            last.contacts,
            d.overlapping / samples,
            d.pairs / samples,
            d.over_overlapping() * 1e3,
            d.over_touching() * 1e3,
            fraction(d.over_touching() / theirs.depths.over_touching()),
            d.deepest * 1e3,
            record.kinetic,
            record.height,
        );
    }
    println!();
}

/// A ratio, as a fraction where it is small.
fn fraction(ratio: f64) -> String {
    if ratio < 0.5 { format!("1/{:.0}", 1.0 / ratio) } else { format!("{ratio:.2}") }
}

/// Time per step of piles that have come to rest against their contacts, with the exponent of the fit.
fn sizes(sweeps: usize) {
    println!("| boxes | contacts | ms per step | µs per contact | sweeps |");
    println!("|---|---|---|---|---|");
    let mut points = Vec::new();
    for count in [125, 250, 500, 1000, 2000] {
        let scene = pile(count);
        let mut record = Record::default();
        for _ in 0..ROUNDS {
            run(Peer::Ours(sweeps), &scene, std::slice::from_ref(&(200..300)), &mut record);
        }
        let phase = &record.phases[0];
        let (ms, per) = (phase.time * 1e3, phase.time * 1e6 / phase.contacts);
        println!("| {count} | {:.0} | {ms:.2} | {per:.2} | {:.0} |", phase.contacts, phase.sweeps);
        points.push((phase.contacts.ln(), phase.time.ln()));
    }
    println!("\nTime grows with the contacts to the power {:.2}.\n", slope(&points));
}

/// Of the line of least squares.
fn slope(points: &[(f64, f64)]) -> f64 {
    let n = points.len() as f64;
    let (x, y) = points.iter().fold((0.0, 0.0), |(x, y), p| (x + p.0 / n, y + p.1 / n));
    let product: f64 = points.iter().map(|p| (p.0 - x) * (p.1 - y)).sum();
    product / points.iter().map(|p| (p.0 - x) * (p.0 - x)).sum::<f64>()
}

/// Both engines must have the same bodies.
fn same_masses(scene: &Scene) {
    let (ours, other) = (Ours::new(scene, &options(1)), Rapier::new(scene, &Default::default()));
    let off = ours.masses().zip(other.masses()).map(|(m, n)| (m - n).abs() / m).fold(0.0, f64::max);
    assert!(off < 1e-9, "masses differ by {off:e}");
}

fn main() {
    rayon::ThreadPoolBuilder::new().num_threads(1).use_current_thread().build_global().unwrap();
    let wanted: Vec<String> = std::env::args().skip(1).filter(|a| !a.starts_with('-')).collect();
    let asks = |what: &str| wanted.is_empty() || wanted.iter().any(|w| w == what);
    let peers = [
        Peer::Substeps(8),
        Peer::Ours(10),
        Peer::Ours(20),
        Peer::Ours(50),
        Peer::Rapier(16),
        Peer::Rapier(4),
    ];
    if asks("pile") {
        println!("A pile of 1,000 boxes:\n");
        let scene = pile(1000);
        same_masses(&scene);
        compare(&scene, &peers, &[("falling", 0..100), ("settled", 400..500)]);
    }
    if asks("shaker") {
        println!("A shaker with 270 polyhedra:\n");
        let scene = shaker(270);
        same_masses(&scene);
        compare(&scene, &peers, &[("falling", 0..100), ("shaken", 100..400)]);
    }
    if asks("sizes") {
        println!("Piles of growing size, 20 sweeps:\n");
        sizes(20);
    }
}
