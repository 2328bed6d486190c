#![allow(missing_docs, clippy::unwrap_used, clippy::expect_used, clippy::panic)]
mod common;
mod decomposition_world;
use common::random::Random;
use decomposition_world::*;
use percussion_geometry::shapes::*;
use percussion_geometry::{Pose, Vec3};
use percussion_mechanics::ModelBuilder;
use percussion_mechanics::contact::*;

fn pile(kind: usize, n: usize, e: f64, mu: f64, law: ImpactLaw, h: f64, seed: u64) {
    let mut r = Random(seed);
    let mut b = ModelBuilder::new();
    b.gravity(GRAVITY);
    b.body(floor(), Pose::identity());
    let bowl = 0.35;
    for (nx, ny) in [(1.0, 0.0), (-1.0, 0.0), (0.0, 1.0), (0.0, -1.0)] {
        b.body(
            percussion_mechanics::Body::fixed(&format!("wall{nx}{ny}")).with_shape(
                Solid::HalfSpace(HalfSpace::new(Vec3::new(nx, ny, 0.0), -bowl).unwrap()),
                Pose::identity(),
            ),
            Pose::identity(),
        );
    }
    for k in 0..n {
        let s = 0.1 * (1.0 + 0.5 * r.number());
        let solid = match if kind == 9 { k % 6 } else { kind } {
            0 => Solid::Polytope(Polytope::cube(2.0 * s).unwrap()),
            1 => Solid::Sphere(Sphere::new(s).unwrap()),
            2 => Solid::Polytope(Polytope::pyramid(2.0 * s, 2.0 * s, 3.0 * s).unwrap()),
            3 => Solid::Capsule(Capsule::new(s, 0.7 * s).unwrap()),
            4 => Solid::Polytope(Polytope::prism(6, s, 2.0 * s).unwrap()),
            _ => Solid::Cylinder(Cylinder::new(s, s).unwrap()),
        };
        let body = solid_body(&format!("b{k}"), solid, 300.0);
        let pose =
            Pose::new(r.rotation(), Vec3::new(0.15 * r.number(), 0.15 * r.number(), 0.4 + 0.35 * k as f64));
        b.body(body, pose);
    }
    b.contact(surface(e, mu));
    let mut sim = simulate(b, ContactOptions { law, ..Default::default() }, h);
    let t = std::time::Instant::now();
    let mut over = 0f64;
    let mut slow = 0f64;
    let mut emax = 0f64;
    let mut le = sim.ledger().initial().energy();
    let steps = (3.0 / h) as usize;
    for i in 0..steps {
        let ti = std::time::Instant::now();
        if let Err(e) = sim.advance() {
            println!("FAILED kind {kind} e {e} step {i} hist {:?}", e.history);
            return;
        }
        slow = slow.max(ti.elapsed().as_secs_f64());
        over = over.max(sim.transcript().unwrap().overlap);
        let en = sim.ledger().latest().energy();
        emax = emax.max(en - le);
        le = en;
    }
    println!(
        "kind {kind} n {n} e {e} mu {mu} {law:?} h {h} seed {seed}: {:?} slowest {slow:e} overlap {over:e} K {:e} gain {emax:e} scheme {:e} L {:e} P {:?} proj {:e}",
        t.elapsed(),
        sim.ledger().latest().kinetic,
        cause(&sim, "scheme").energy,
        cause(&sim, "scheme").angular.norm(),
        cause(&sim, "scheme").linear.norm(),
        cause(&sim, "projection").energy
    );
}
#[test]
fn piles() {
    for seed in [1] {
        for kind in [0, 1, 2, 3, 4, 5, 9] {
            pile(kind, 8, 0.3, 0.5, ImpactLaw::Moreau, 2e-3, seed);
        }
        pile(9, 8, 1.0, 0.0, ImpactLaw::Moreau, 2e-3, seed);
        pile(9, 8, 0.3, 0.0, ImpactLaw::Sequential, 2e-3, seed);
        pile(9, 8, 0.3, 0.0, ImpactLaw::Sum, 2e-3, seed);
    }
}
