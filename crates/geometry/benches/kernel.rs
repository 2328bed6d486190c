//! Time and instructions per separation query, beside parry3d-f64's GJK + EPA in the same run.
//!
//! `cargo bench -p percussion-geometry --bench kernel` prints markdown tables of ratios (ours / parry, lower is
//! better); with `-- --pile` the last of them only. With `-- --instructions` it runs itself under callgrind and prints ratios of instruction counts
//! instead, which do not depend on what else the machine is doing.
#![allow(missing_docs, clippy::unwrap_used, clippy::expect_used, clippy::print_stdout)]

use nalgebra::Rotation3;
use parry3d_f64::math::{Pose as ParryPose, Vector as ParryVector};
use parry3d_f64::query::epa::EPA;
use parry3d_f64::query::gjk::{self, CsoPoint, GJKResult, VoronoiSimplex};
use parry3d_f64::shape::ConvexPolyhedron;
use percussion_geometry::separation::{Options, WarmStart, separation};
use percussion_geometry::shapes::{Polytope, Solid};
use percussion_geometry::{Pose, Vec3};
use std::hint::black_box;
use std::time::Instant;

const STEPS: usize = 512;
const REGIMES: [(&str, f64); 4] = [("separated", 0.2), ("near", 1e-3), ("shallow", -1e-3), ("deep", -0.2)];

struct Random(u64);

impl Random {
    fn uniform(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        ((self.0 >> 11) as f64) / (1u64 << 53) as f64 * 2.0 - 1.0
    }

    fn vector(&mut self) -> Vec3 {
        loop {
            let v = Vec3::new(self.uniform(), self.uniform(), self.uniform());
            if v.norm() < 1.0 && v.norm() > 0.1 {
                return v.normalize();
            }
        }
    }
}

/// A body for both libraries.
struct Twin {
    ours: Solid,
    parry: ConvexPolyhedron,
}

/// The body in its centre-of-mass frame, as a simulator keeps it.
fn twin(body: Polytope) -> Twin {
    let centred: Vec<Vec3> = body.vertices().iter().map(|v| v - body.reference()).collect();
    let ours = Polytope::from_vertices(&centred).unwrap();
    let points: Vec<_> = ours.vertices().iter().map(|p| ParryVector::new(p.x, p.y, p.z)).collect();
    let parry = ConvexPolyhedron::from_convex_hull(&points).unwrap();
    Twin { ours: Solid::Polytope(ours), parry }
}

/// The largest turn of a step (radians).
const TURN: f64 = 1e-2;

/// Placements along a smooth path of turning bodies whose separation is held at `target`.
fn path(a: &Twin, b: &Twin, target: f64, seed: u64, steps: usize) -> Vec<[Pose; 2]> {
    let mut random = Random(seed);
    let mut turn_a = Rotation3::new(random.vector() * 3.0);
    let mut turn_b = Rotation3::new(random.vector() * 3.0);
    let mut line = random.vector();
    (0..steps)
        .map(|_| {
            turn_a = Rotation3::new(random.vector() * TURN) * turn_a;
            turn_b = Rotation3::new(random.vector() * TURN) * turn_b;
            line = (line + random.vector() * TURN).normalize();
            let far = [Pose::new(turn_a, line * 10.0), Pose::new(turn_b, Vec3::zeros())];
            let (options, mut warm) = (Options::default(), WarmStart::default());
            let s = separation(&a.ours, &far[0], &b.ours, &far[1], &options, &mut warm).unwrap();
            [Pose::new(turn_a, line * (10.0 - s.separation + target)), far[1]]
        })
        .collect()
}

fn parry_pose(pose: &Pose) -> ParryPose {
    let v = pose.rotation.scaled_axis();
    let p = pose.position;
    ParryPose::new(ParryVector::new(p.x, p.y, p.z), ParryVector::new(v.x, v.y, v.z))
}

struct Parry {
    simplex: VoronoiSimplex,
    epa: EPA,
}

impl Parry {
    fn query(
        &mut self,
        a: &Twin,
        pa: &ParryPose,
        b: &Twin,
        pb: &ParryPose,
        prediction: f64,
        direction: &mut Option<ParryVector>,
    ) -> f64 {
        let pos12 = pa.inv_mul(pb);
        let start = direction.or_else(|| pos12.translation.try_normalize()).unwrap_or(ParryVector::X);
        self.simplex.reset(CsoPoint::from_shapes(&pos12, &a.parry, &b.parry, start));
        match gjk::closest_points(
            &pos12,
            &a.parry,
            &b.parry,
            prediction.min(f64::MAX),
            true,
            &mut self.simplex,
        ) {
            GJKResult::ClosestPoints(p1, p2, n) => {
                *direction = Some(n);
                (p2 - p1).dot(n)
            }
            GJKResult::Intersection => {
                match self.epa.closest_points(&pos12, &a.parry, &b.parry, &self.simplex) {
                    Some((p1, p2, n)) => {
                        *direction = Some(n);
                        (p2 - p1).dot(n)
                    }
                    None => f64::NAN,
                }
            }
            _ => f64::NAN,
        }
    }
}

/// Nanoseconds per query of two closures, passes interleaved, best of `rounds`.
fn race(rounds: usize, count: usize, mut ours: impl FnMut(), mut theirs: impl FnMut()) -> (f64, f64) {
    let mut best = (f64::INFINITY, f64::INFINITY);
    for _ in 0..rounds {
        let t = Instant::now();
        ours();
        best.0 = best.0.min(t.elapsed().as_nanos() as f64 / count as f64);
        let t = Instant::now();
        theirs();
        best.1 = best.1.min(t.elapsed().as_nanos() as f64 / count as f64);
    }
    best
}

/// One pass over a path by ours or by parry.
fn pass(body: &Twin, scene: &Scene, ours: bool, warm_start: bool) {
    if ours {
        let mut warm = WarmStart::default();
        for [pa, pb] in &scene.path {
            if !warm_start {
                warm = WarmStart::default();
            }
            black_box(separation(&body.ours, pa, &body.ours, pb, &scene.options, &mut warm)).ok();
        }
    } else {
        let mut parry = Parry { simplex: VoronoiSimplex::new(), epa: EPA::new() };
        let mut direction = None;
        for [pa, pb] in &scene.parry_path {
            if !warm_start {
                direction = None;
            }
            black_box(parry.query(body, pa, body, pb, scene.options.prediction, &mut direction));
        }
    }
}

struct Scene {
    path: Vec<[Pose; 2]>,
    parry_path: Vec<[ParryPose; 2]>,
    options: Options,
}

impl Scene {
    fn new(body: &Twin, regime: usize, prediction: f64) -> Self {
        let path = path(body, body, REGIMES[regime].1, 7 + regime as u64, STEPS);
        let parry_path = path.iter().map(|p| [parry_pose(&p[0]), parry_pose(&p[1])]).collect();
        Self { path, parry_path, options: Options { prediction, ..Options::default() } }
    }

    /// Mean number of support evaluations.
    fn supports(&self, body: &Twin, warm_start: bool) -> f64 {
        let mut warm = WarmStart::default();
        let mut total = 0;
        for [pa, pb] in &self.path {
            if !warm_start {
                warm = WarmStart::default();
            }
            total += separation(&body.ours, pa, &body.ours, pb, &self.options, &mut warm).unwrap().iterations;
        }
        total as f64 / STEPS as f64
    }
}

fn bodies() -> Vec<(&'static str, Twin)> {
    let bodies = [
        ("cube, 8 v", Polytope::cube(1.0)),
        ("hexagonal prism, 12 v", Polytope::prism(6, 0.6, 1.0)),
        ("round, 32 v", Polytope::rounded(32, 0.5)),
        ("round, 512 v", Polytope::rounded(512, 0.5)),
    ];
    bodies.map(|(name, body)| (name, twin(body.unwrap()))).into()
}

/// Instructions per query, by the difference between three passes and one under callgrind.
fn instructions(body: usize, regime: usize, prediction: f64, ours: bool, warm: bool) -> Option<f64> {
    let count = |passes: usize| -> Option<f64> {
        let probe = format!("{body},{regime},{prediction},{ours},{warm},{passes}");
        let out = std::process::Command::new("valgrind")
            .args(["--tool=callgrind", "--callgrind-out-file=/dev/null"])
            .arg(std::env::current_exe().ok()?)
            .env("PERCUSSION_PROBE", probe)
            .output()
            .ok()?;
        let text = String::from_utf8_lossy(&out.stderr).into_owned();
        text.lines().find_map(|l| l.split("Collected :").nth(1)?.trim().parse().ok())
    };
    Some((count(3)? - count(1)?) / (2 * STEPS) as f64)
}

/// Steps of the pile.
const FRAMES: usize = 8;
/// Pairs of the pile.
const PAIRS: usize = 4096;

/// A mixed pile: pairs of cubes, prisms and round bodies, a quarter in each regime, turning 1e-2 rad a step.
struct Pile {
    bodies: Vec<Twin>,
    /// Bodies of each pair.
    pairs: Vec<[usize; 2]>,
    frames: Vec<Vec<[Pose; 2]>>,
    parry_frames: Vec<Vec<[ParryPose; 2]>>,
}

impl Pile {
    fn new() -> Self {
        let bodies: Vec<Twin> = bodies().into_iter().take(3).map(|b| b.1).collect();
        let mut random = Random(99);
        let mut frames = vec![Vec::new(); FRAMES];
        let pairs = (0..PAIRS)
            .map(|k| {
                let pick = |r: &mut Random| (((r.uniform() + 1.0) * 1.5) as usize).min(2);
                let (a, b) = (pick(&mut random), pick(&mut random));
                let target = REGIMES[k % 4].1;
                let path = path(&bodies[a], &bodies[b], target, 1000 + k as u64, FRAMES);
                for (frame, [pa, pb]) in frames.iter_mut().zip(path) {
                    let at = Vec3::new(10.0 * (k % 64) as f64, 10.0 * (k / 64) as f64, 0.0);
                    frame.push([pa, pb].map(|p| Pose::new(p.rotation, p.position + at)));
                }
                [a, b]
            })
            .collect();
        let parry_frames =
            frames.iter().map(|f| f.iter().map(|p| p.each_ref().map(parry_pose)).collect()).collect();
        Self { bodies, pairs, frames, parry_frames }
    }

    fn ours(&self, frame: usize, warm: &mut [WarmStart]) {
        for ((&[a, b], [pa, pb]), warm) in self.pairs.iter().zip(&self.frames[frame]).zip(warm) {
            let (a, b) = (&self.bodies[a].ours, &self.bodies[b].ours);
            black_box(separation(a, pa, b, pb, &Options::default(), warm)).ok();
        }
    }

    fn parry(&self, frame: usize, parry: &mut Parry, directions: &mut [Option<ParryVector>]) {
        for ((&[a, b], [pa, pb]), direction) in
            self.pairs.iter().zip(&self.parry_frames[frame]).zip(directions)
        {
            black_box(parry.query(&self.bodies[a], pa, &self.bodies[b], pb, f64::INFINITY, direction));
        }
    }
}

/// Time per pair of the pile: every frame forwards, then backwards, so that no step is larger than the others. The libraries
/// take turns, and of every frame the best time counts: a frame is short enough to escape other programs.
fn pile_table() {
    let pile = Pile::new();
    let mut warm = vec![WarmStart::default(); PAIRS];
    let mut directions = vec![None; PAIRS];
    let mut parry = Parry { simplex: VoronoiSimplex::new(), epa: EPA::new() };
    let mut times = [[f64::INFINITY; 2 * FRAMES]; 2];
    for _ in 0..30 {
        for (k, times) in times.iter_mut().enumerate() {
            for (frame, time) in (0..FRAMES).chain((0..FRAMES).rev()).zip(times) {
                let t = Instant::now();
                match k {
                    0 => pile.parry(frame, &mut parry, &mut directions),
                    _ => pile.ours(frame, &mut warm),
                }
                *time = time.min(t.elapsed().as_nanos() as f64);
            }
        }
    }
    let best = times.map(|times| times.iter().sum::<f64>() / (2 * FRAMES * PAIRS) as f64);
    println!("\n| warm mixed pile, {PAIRS} pairs | ns per pair | ratio to parry | ratio to single calls |");
    println!("|---|---|---|---|");
    for (name, t) in ["parry, warm direction", "single calls"].iter().zip(best) {
        println!("| {name} | {t:.0} | {:.3} | {:.2} |", t / best[0], t / best[1]);
    }
}

fn main() {
    if let Ok(probe) = std::env::var("PERCUSSION_PROBE") {
        let part: Vec<&str> = probe.split(',').collect();
        let (_, body) = &bodies()[part[0].parse::<usize>().unwrap()];
        let scene = Scene::new(body, part[1].parse().unwrap(), part[2].parse().unwrap());
        for _ in 0..part[5].parse::<usize>().unwrap() {
            pass(body, &scene, part[3] == "true", part[4] == "true");
        }
        return;
    }
    if std::env::args().any(|a| a == "--pile") {
        return pile_table();
    }
    let counting = std::env::args().any(|a| a == "--instructions");
    let unit = if counting { "instructions" } else { "ns" };
    for (title, warm, prediction) in [
        ("warm, step 1e-2 rad", true, f64::INFINITY),
        ("cold", false, f64::INFINITY),
        ("cold, prediction 0.1 m", false, 0.1),
    ] {
        println!("\n| {title} | supports | {} |", REGIMES.map(|r| r.0).join(" | "));
        println!("|---|---|---|---|---|---|");
        for (b, (name, body)) in bodies().iter().enumerate() {
            let mut cells = String::new();
            let mut supports = 0.0;
            for regime in 0..4 {
                let scene = Scene::new(body, regime, prediction);
                supports += scene.supports(body, warm) / 4.0;
                let (ours, parry) = if counting {
                    let count = |ours| instructions(b, regime, prediction, ours, warm).unwrap_or(f64::NAN);
                    (count(true), count(false))
                } else {
                    race(60, STEPS, || pass(body, &scene, true, warm), || pass(body, &scene, false, warm))
                };
                cells += &format!(" {:.3} ({ours:.0} {unit}) |", ours / parry);
            }
            println!("| {name} | {supports:.2} |{cells}");
        }
    }
    if !counting {
        pile_table();
    }
}
