//! The schemes of collisions side by side on the two regular motions of [Johnson 3.6, figs 3.87-3.90]: Newton's cradle of cubes and
//! the prismatic metronome.
//!
//! `cargo run --release -p percussion --example schemes` prints a markdown table.
#![allow(missing_docs, clippy::unwrap_used, clippy::print_stdout)]

use percussion::gallery::load;
use percussion::geometry::Vec3;
use percussion::mechanics::Simulation;
use percussion::scene::run::prepare;
use std::time::Instant;

/// What is compared: the scene of the exact scheme first.
const CASES: [(&str, &[&str]); 3] = [
    (
        "newtons-cradle-1",
        &["newtons-cradle-1", "newtons-cradle-1/decomposition", "newtons-cradle-1/potential"],
    ),
    (
        "newtons-cradle-2",
        &["newtons-cradle-2", "newtons-cradle-2/decomposition", "newtons-cradle-2/potential"],
    ),
    (
        "metronome",
        &[
            "metronome",
            "metronome/discrete",
            "metronome/decomposition",
            "metronome/potential",
            "metronome/potential-fine",
        ],
    ),
];

/// The point of every body whose path is compared: that of the metronome's prisms moves to and fro, while their centres stay.
const ABOVE: Vec3 = Vec3::new(0.0, 0.0, 0.2);

/// x-positions of all bodies over time.
struct Course {
    times: Vec<f64>,
    places: Vec<Vec<f64>>,
    run: Simulation,
    wall: f64,
}

impl Course {
    fn of(name: &str) -> Self {
        let scene = load(name, &[]).unwrap().unwrap();
        let steps = scene.run.steps();
        let mut run = prepare(scene).unwrap();
        let (mut times, mut places) = (vec![0.0], vec![Self::appearance(&run)]);
        let mut wall = 0.0;
        for _ in 0..steps {
            let from = Instant::now();
            run.step().unwrap();
            wall += from.elapsed().as_secs_f64();
            times.push(run.state().time);
            places.push(Self::appearance(&run));
        }
        Self { times, places, run, wall }
    }

    fn appearance(run: &Simulation) -> Vec<f64> {
        let moving = (0..run.model().bodies.len()).filter(|&body| run.model().slots[body].is_some());
        moving.map(|body| run.model().pose(run.state(), body).point(&ABOVE).x).collect()
    }

    /// x-position of a body at a time, between steps along a straight line.
    fn at(&self, body: usize, time: f64) -> f64 {
        let next = self.times.partition_point(|&t| t < time).clamp(1, self.times.len() - 1);
        let (t0, t1) = (self.times[next - 1], self.times[next]);
        let share = (time - t0) / (t1 - t0);
        self.places[next - 1][body] * (1.0 - share) + self.places[next][body] * share
    }

    /// Greatest distance in x from another course at its own times.
    fn apart(&self, other: &Self) -> f64 {
        let last = other.times[other.times.len() - 1];
        let mut most = 0.0f64;
        for (time, places) in self.times.iter().zip(&self.places).filter(|(time, _)| **time <= last) {
            for (body, x) in places.iter().enumerate() {
                most = most.max((x - other.at(body, *time)).abs());
            }
        }
        most
    }
}

fn main() {
    println!(
        "| scene | scheme | h, s | x off the exact scheme by, m | energy error, relative | projection: angular momentum, N m s | computed in, ms |"
    );
    println!("|---|---|---|---|---|---|---|");
    for (scene, names) in CASES {
        let courses: Vec<Course> = names.iter().map(|name| Course::of(name)).collect();
        for (name, course) in names.iter().zip(&courses) {
            let variant = name.strip_prefix(scene).unwrap_or_default().trim_start_matches('/');
            let scheme = match variant {
                "discrete" => "exact, discrete energy",
                _ => course.run.scheme().name(),
            };
            let extremes = course.run.ledger().extremes();
            let projection =
                course.run.ledger().source("projection").map_or(0.0, |cause| cause.angular.norm());
            println!(
                "| {scene} | {scheme} | {} | {:.1e} | {:.1e} | {projection:.1e} | {:.1} |",
                course.run.step_size(),
                course.apart(&courses[0]),
                extremes.energy_error / extremes.energy_scale(),
                course.wall * 1e3
            );
        }
    }
}
