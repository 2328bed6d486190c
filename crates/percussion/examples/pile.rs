//! A pile of boxes on a floor: built, stepped and read.
//!
//! `cargo run --release --example pile`
#![allow(clippy::print_stdout)]

use percussion::prelude::*;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut scene = SceneBuilder::new();
    scene.gravity([0.0, 0.0, -9.81]).friction(0.5);
    scene.fixed("floor").half_space([0.0, 0.0, 1.0]);
    for k in 0..5 {
        scene.body(format!("box{k}")).cuboid([1.0; 3]).density(1000.0).position([
            0.0,
            0.0,
            0.5 + 1.1 * k as f64,
        ]);
    }
    let mut simulation = scene.simulate(SchemeKind::Lcp, 1e-2)?;
    simulation.run_until(2.0)?;
    println!("top box at {}", simulation.body("box4")?.position());
    println!("energy {} J", simulation.energy().total());
    for contact in simulation.contacts() {
        let (a, b) = contact.bodies;
        println!("{a} and {b}: {:.1} N s along the normal", contact.impulse.dot(&contact.normal));
    }
    Ok(())
}
