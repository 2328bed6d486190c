//! How the large body of the gallery's `brazil-nut` rises, shake by shake.
//!
//! `cargo run --release -p percussion --example shakes [SEED...] [PATH=VALUE...]` runs the scene with each of the seeds (its own
//! if none is given) and these changes, and prints a markdown table. After every fifth shake, and at rest in the end: how many of the 269 small
//! bodies have their centres lower than the large one, and how many lie on top of it. Then how they go round: the mean rise of a
//! small body in a shake, less that of all of them, in the middle of the box and beside its rough walls. `materials.rough.friction=0`
//! makes these walls smooth.
#![allow(missing_docs, clippy::unwrap_used, clippy::print_stdout)]

use percussion::gallery::load;
use percussion::geometry::Vec3;
use percussion::mechanics::Simulation;
use percussion::scene::run::prepare;

/// When the shakes of the scene begin and how long each takes, s, and how many there are.
const START: f64 = 1.6;
const SHAKE: f64 = 0.2;
const SHAKES: u32 = 40;

/// Shakes from one column to the next.
const EVERY: u32 = 5;

/// A body is on top of the large one if its centre is higher and its horizontal distance less than this, m: the radius of the large one.
const ACROSS: f64 = 0.11;

/// Distances from the middle of the box within which bodies are in the middle, and beyond which they are beside the walls, m.
const MIDDLE: f64 = 0.1;
const BESIDE: f64 = 0.28;

/// Centres of the large body and of the small ones.
fn centres(run: &Simulation) -> (Vec3, Vec<Vec3>) {
    let model = run.model();
    let large = model.body_named("nut").unwrap();
    let small = (0..model.bodies.len()).filter(|&body| body != large && model.slots[body].is_some());
    let centre = |body| model.pose(run.state(), body).position;
    (centre(large), small.map(centre).collect())
}

/// How many small bodies are lower than the large one, and how many on top of it.
fn around(run: &Simulation) -> String {
    let (large, small) = centres(run);
    let higher: Vec<&Vec3> = small.iter().filter(|centre| centre.z > large.z).collect();
    let on_top = higher.iter().filter(|centre| (**centre - large).xy().norm() < ACROSS).count();
    format!("{}, {on_top}", small.len() - higher.len())
}

/// Mean rise of those that were within a range of distances from the middle, less that of all, m.
fn rise(from: &[Vec3], to: &[Vec3], within: impl Fn(f64) -> bool) -> f64 {
    let mean = |chosen: &dyn Fn(f64) -> bool| {
        let risen: Vec<f64> =
            from.iter().zip(to).filter(|(a, _)| chosen(a.x.abs())).map(|(a, b)| b.z - a.z).collect();
        risen.iter().sum::<f64>() / risen.len().max(1) as f64
    };
    mean(&within) - mean(&|_| true)
}

/// The row of a seed.
fn row(seed: &str, changes: &[(String, String)]) -> String {
    let changes = [changes, &[("run.seed".to_owned(), seed.to_owned())]].concat();
    let scene = load("brazil-nut", &changes).unwrap().unwrap();
    let end = scene.run.until;
    let mut run = prepare(scene).unwrap();
    // To the nearest step.
    let mut advance = |until: f64| {
        while run.state().time + 0.5 * run.step_size() < until {
            run.step().unwrap();
        }
        (around(&run), centres(&run).1)
    };
    let (start, mut before) = advance(START);
    let (mut cells, mut middle, mut beside) = (vec![seed.to_owned(), start], 0.0, 0.0);
    for shake in 1..=SHAKES {
        let (counts, after) = advance(START + SHAKE * f64::from(shake));
        middle += 1e3 * rise(&before, &after, |x| x < MIDDLE) / f64::from(SHAKES);
        beside += 1e3 * rise(&before, &after, |x| x > BESIDE) / f64::from(SHAKES);
        before = after;
        if shake % EVERY == 0 {
            cells.push(counts);
        }
    }
    cells.extend([advance(end).0, format!("{middle:.1}"), format!("{beside:.1}")]);
    format!("| {} |", cells.join(" | "))
}

fn main() {
    let (changes, mut seeds): (Vec<String>, Vec<String>) =
        std::env::args().skip(1).partition(|argument| argument.contains('='));
    let changes: Vec<(String, String)> = changes
        .iter()
        .filter_map(|change| change.split_once('='))
        .map(|(path, value)| (path.to_owned(), value.to_owned()))
        .collect();
    if seeds.is_empty() {
        seeds.push(load("brazil-nut", &[]).unwrap().unwrap().run.seed.to_string());
    }
    let shakes: Vec<String> = (0..=SHAKES).step_by(EVERY as usize).map(|shake| shake.to_string()).collect();
    println!("| seed | {} | at rest | middle, mm | beside, mm |", shakes.join(" | "));
    println!("|{}", "---:|".repeat(shakes.len() + 4));
    for seed in &seeds {
        println!("{}", row(seed, &changes));
    }
}
