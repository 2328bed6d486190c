#![allow(clippy::unwrap_used)]
use nalgebra::Rotation3;
use percussion_geometry::shapes::*;
use percussion_geometry::*;
use percussion_mechanics::contact::*;
use percussion_mechanics::schemes::Variational;
use percussion_mechanics::*;

fn main() {
    let mut seed = 1u64;
    let mut num = || {
        seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        ((seed >> 11) as f64) / (1u64 << 53) as f64 * 2.0 - 1.0
    };
    let (mut fails, mut runs) = (0, 0);
    let mut worst = 0;
    let c: f64 = std::env::args().nth(1).unwrap().parse().unwrap();
    let h: f64 = std::env::args().nth(2).unwrap().parse().unwrap();
    for _ in 0..50 {
        let mut b = ModelBuilder::new();
        b.gravity(Vec3::new(0.0, 0.0, -9.81));
        b.contact(ContactSpec {
            potential: Some(Potential { stiffness: c, drag: 0.0 }),
            ..Default::default()
        });
        let cube = Polytope::cuboid(0.2, 0.2, 0.2).unwrap();
        let m = Solid::Polytope(cube.clone());
        let props = cube.mass_properties();
        let body = Body::of_density("cube", &props, 270.0).unwrap().with_shape(m, Pose::identity());
        let tilt = Vec3::new(num(), num(), num());
        b.body(body, Pose::new(Rotation3::from_scaled_axis(tilt), Vec3::new(0.0, 0.0, 0.3)));
        let floor = Solid::HalfSpace(HalfSpace::new(Vec3::z(), 0.0).unwrap());
        b.body(Body::fixed("floor").with_shape(floor, Pose::identity()), Pose::identity());
        let (model, state) = b.build().unwrap();
        let scheme = Box::new(Variational::new(&model, &state));
        let mut sim = Simulation::new(model, state, scheme, h).unwrap();
        runs += 1;
        let mut emax = 0.0f64;
        let mut deep = 0.0f64;
        let e0 = sim.ledger().initial().energy();
        for k in 0..(2.0 / h) as usize {
            if let Err(e) = sim.advance() {
                fails += 1;
                println!("fail at {k} (t={}): {e} {:?}", k as f64 * h, &e.history[e.history.len() - 6..]);
                break;
            }
            worst = worst.max(sim.effort().iterations);
            emax = emax.max((sim.ledger().latest().energy() - e0).abs());
            let cont = sim.model().contacts.as_ref().unwrap();
            deep = deep.max(cont.deepest(sim.state()).map_or(0.0, |d| d.0));
        }
        println!("dE/E0 {:.2e} deep {:.3}", emax / e0, deep);
    }
    println!("{fails} of {runs}, worst iterations {worst}");
}
