//! Collision scenes of the gallery: time to compute them beside the times that were published for them, and the cost of watching
//! bodies that do not meet.
//!
//! `cargo bench -p percussion --bench collisions` prints markdown tables. Published times are those of [Johnson 3.4.3], in Matlab on
//! a machine of their day: a factor of a thousand is not all ours.
#![allow(missing_docs, clippy::unwrap_used, clippy::print_stdout)]

use percussion::gallery::load;
use percussion::geometry::shapes::{Polytope, Solid};
use percussion::geometry::{Pose, Vec3};
use percussion::mechanics::contact::ContactSpec;
use percussion::mechanics::schemes::{SchemeKind, SchemeOptions};
use percussion::mechanics::{Body, Model, ModelBuilder, State};
use percussion::scene::run::prepare;
use std::time::Instant;

const ROUNDS: usize = 5;

/// Scene, until when, and the time that was published, s.
const PUBLISHED: [(&str, Option<f64>, Option<f64>); 9] = [
    ("newtons-cradle-1", None, Some(10.962)),
    ("newtons-cradle-2", None, Some(10.571)),
    ("metronome", None, Some(6.15)),
    ("metronome/discrete", None, Some(6.68)),
    ("hexagons-two", None, Some(44.329)),
    ("hexagons-two/discrete", None, Some(50.43)),
    ("hexagons-seven/exact", Some(0.3085), Some(4500.0)),
    ("hexagons-seven/exact", None, None),
    ("falling-polyhedra", None, None),
];

fn main() {
    println!("| scene | steps | impacts | ours, ms | published, s | ours to published |");
    println!("|---|---|---|---|---|---|");
    for (name, until, published) in PUBLISHED {
        let set: Vec<(String, String)> =
            until.map(|until| ("run.until".to_owned(), until.to_string())).into_iter().collect();
        let mut best = f64::INFINITY;
        let (mut steps, mut impacts) = (0, 0);
        for _ in 0..ROUNDS {
            let scene = load(name, &set).unwrap().unwrap();
            steps = scene.run.steps();
            let mut run = prepare(scene).unwrap();
            impacts = 0;
            let from = Instant::now();
            for _ in 0..steps {
                run.step().unwrap();
                impacts += run.step_record().map_or(0, |inside| inside.impacts.len());
            }
            best = best.min(from.elapsed().as_secs_f64());
        }
        let (there, ratio) = published.map_or_else(
            || (String::new(), String::new()),
            |published| (format!("{published}"), format!("1/{:.0}", published / best)),
        );
        let name = until.map_or_else(|| name.to_owned(), |until| format!("{name}, {until} s"));
        println!("| {name} | {steps} | {impacts} | {:.2} | {there} | {ratio} |", best * 1e3);
    }
    println!("\nSteps of free boxes that do not meet, ns per body; the variational scheme does not look:\n");
    println!("| bodies | variational | exact | decomposition |");
    println!("|---|---|---|---|");
    for count in [10, 100, 1000, 10_000] {
        let (model, state) = apart(count);
        let cost = |scheme: SchemeKind| {
            let mut scheme = scheme.build(&model, &state, &SchemeOptions::default()).unwrap();
            let mut state = state.clone();
            let steps = 20_000 / count + 3;
            let mut best = f64::INFINITY;
            for _ in 0..ROUNDS {
                let from = Instant::now();
                (0..steps).for_each(|_| _ = scheme.step(&model, &mut state, 1e-3).unwrap());
                best = best.min(from.elapsed().as_secs_f64() / (steps * count) as f64);
            }
            best * 1e9
        };
        let [a, b, c] = [SchemeKind::Variational, SchemeKind::Exact, SchemeKind::Decomposition].map(cost);
        println!("| {count} | {a:.0} | {b:.0} | {c:.0} |");
    }
}

/// Boxes on a grid, each flying its own way, too slowly to meet.
fn apart(count: usize) -> (Model, State) {
    let mut builder = ModelBuilder::new();
    let solid = Solid::Polytope(Polytope::cuboid(0.2, 0.3, 0.1).unwrap());
    let properties = solid.mass_properties().unwrap();
    let side = (count as f64).cbrt().ceil() as usize;
    for i in 0..count {
        let body = Body::of_density(&format!("box-{i}"), &properties, 270.0).unwrap();
        let at = Vec3::new((i % side) as f64, (i / side % side) as f64, (i / side / side) as f64);
        let id = builder.body(body.with_shape(solid.clone(), Pose::identity()), Pose::at(at * 2.0));
        let a = i as f64;
        let velocity = Vec3::new((a * 0.9).cos(), (a * 1.3).sin(), (a * 0.5).cos());
        let spin = Vec3::new((a * 1.7).sin(), (a * 0.3).cos(), (a * 2.1).sin());
        builder.velocity(id, velocity * 0.05, spin * 3.0);
    }
    builder.contact(ContactSpec::default());
    builder.build().unwrap()
}
