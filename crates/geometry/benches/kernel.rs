//! Time and instructions per separation query, beside parry3d-f64's GJK + EPA in the same run.
//!
//! `cargo bench -p percussion-geometry --bench kernel` prints markdown tables of ratios (ours / parry, lower is
//! better). With `-- --instructions` it runs itself under callgrind and prints ratios of instruction counts
//! instead, which do not depend on what else the machine is doing.
#![allow(missing_docs, clippy::unwrap_used, clippy::expect_used, clippy::print_stdout)]

use nalgebra::Rotation3;
use parry3d_f64::math::{Pose as ParryPose, Vector as ParryVector};
use parry3d_f64::query::epa::EPA;
use parry3d_f64::query::gjk::{self, CsoPoint, GJKResult, VoronoiSimplex};
use parry3d_f64::shape::ConvexPolyhedron;
use percussion_geometry::separation::{Options, Warm, separation};
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

fn twin(points: &[Vec3], faces: Option<Vec<Vec<u32>>>) -> Twin {
    let parry_points: Vec<_> = points.iter().map(|p| ParryVector::new(p.x, p.y, p.z)).collect();
    let parry = ConvexPolyhedron::from_convex_hull(&parry_points).unwrap();
    let ours = match faces {
        Some(faces) => Polytope::from_faces(points.to_vec(), &faces).unwrap(),
        None => {
            let (vertices, triangles) = parry3d_f64::transformation::convex_hull(&parry_points);
            let vertices = vertices.iter().map(|v| Vec3::new(v.x, v.y, v.z)).collect();
            Polytope::from_faces(vertices, &triangles.iter().map(|t| t.to_vec()).collect::<Vec<_>>()).unwrap()
        }
    };
    Twin { ours: Solid::Polytope(ours), parry }
}

fn prism(sides: usize, radius: f64, height: f64) -> Twin {
    let ring = |z: f64| {
        (0..sides).map(move |k| {
            let angle = (k as f64 + 0.5) / sides as f64 * std::f64::consts::TAU;
            Vec3::new(radius * angle.cos(), radius * angle.sin(), z)
        })
    };
    let points: Vec<Vec3> = ring(-height / 2.0).chain(ring(height / 2.0)).collect();
    let n = sides as u32;
    let mut faces = vec![(0..n).rev().collect::<Vec<_>>(), (n..2 * n).collect()];
    faces.extend((0..n).map(|k| vec![k, (k + 1) % n, n + (k + 1) % n, n + k]));
    twin(&points, Some(faces))
}

fn round(count: usize) -> Twin {
    let golden = std::f64::consts::PI * (3.0 - 5f64.sqrt());
    let points: Vec<Vec3> = (0..count)
        .map(|k| {
            let z = 1.0 - 2.0 * (k as f64 + 0.5) / count as f64;
            let (sin, cos) = (golden * k as f64).sin_cos();
            Vec3::new((1.0 - z * z).sqrt() * cos, (1.0 - z * z).sqrt() * sin, z) * 0.5
        })
        .collect();
    twin(&points, None)
}

/// Placements along a smooth path of turning bodies whose separation is held at `target`.
fn path(a: &Twin, b: &Twin, target: f64, step: f64, seed: u64) -> Vec<[Pose; 2]> {
    let mut random = Random(seed);
    let mut turn_a = Rotation3::new(random.vector() * 3.0);
    let mut turn_b = Rotation3::new(random.vector() * 3.0);
    let mut line = random.vector();
    (0..STEPS)
        .map(|_| {
            turn_a = Rotation3::new(random.vector() * step) * turn_a;
            turn_b = Rotation3::new(random.vector() * step) * turn_b;
            line = (line + random.vector() * step).normalize();
            let far = [Pose::new(turn_a, line * 10.0), Pose::new(turn_b, Vec3::zeros())];
            let s = separation(&a.ours, &far[0], &b.ours, &far[1], &Options::default(), &mut Warm::default())
                .unwrap();
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
        let mut warm = Warm::default();
        for [pa, pb] in &scene.path {
            if !warm_start {
                warm = Warm::default();
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
        let path = path(body, body, REGIMES[regime].1, 1e-2, 7 + regime as u64);
        let parry_path = path.iter().map(|p| [parry_pose(&p[0]), parry_pose(&p[1])]).collect();
        Self { path, parry_path, options: Options { prediction, ..Options::default() } }
    }

    /// Mean number of support evaluations.
    fn supports(&self, body: &Twin, warm_start: bool) -> f64 {
        let mut warm = Warm::default();
        let mut total = 0;
        for [pa, pb] in &self.path {
            if !warm_start {
                warm = Warm::default();
            }
            total += separation(&body.ours, pa, &body.ours, pb, &self.options, &mut warm).unwrap().iterations;
        }
        total as f64 / STEPS as f64
    }
}

fn bodies() -> Vec<(&'static str, Twin)> {
    vec![
        ("cube, 8 v", prism(4, 0.5f64.sqrt(), 1.0)),
        ("hexagonal prism, 12 v", prism(6, 0.6, 1.0)),
        ("round, 32 v", round(32)),
        ("round, 512 v", round(512)),
    ]
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
}
