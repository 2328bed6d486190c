//! probe
#![allow(clippy::unwrap_used, missing_docs)]
use nalgebra::Rotation3;
use percussion_geometry::shapes::*;
use percussion_geometry::*;
use percussion_mechanics::contact::*;
use percussion_mechanics::schemes::*;
use percussion_mechanics::*;

fn main() {
    let arg = |k: usize| std::env::args().nth(k).unwrap();
    let c: f64 = arg(1).parse().unwrap();
    let h: f64 = arg(2).parse().unwrap();
    let drag: f64 = arg(3).parse().unwrap();
    let n: usize = arg(4).parse().unwrap();
    let t: f64 = arg(5).parse().unwrap();
    let kind = arg(6);
    let seeds: u64 = arg(7).parse().unwrap();
    for seed0 in 1..=seeds {
        let mut seed = seed0 * 977;
        let mut num = || {
            seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            ((seed >> 11) as f64) / (1u64 << 53) as f64 * 2.0 - 1.0
        };
        let mut b = ModelBuilder::new();
        b.gravity(Vec3::new(0.0, 0.0, -9.81));
        b.contact(ContactSpec { potential: Some(Potential { stiffness: c, drag }), ..Default::default() });
        for k in 0..n {
            let cube = if k % 3 == 0 {
                Polytope::cuboid(0.2, 0.2, 0.2)
            } else if k % 3 == 1 {
                Polytope::cuboid(0.1, 0.2, 0.3)
            } else {
                Polytope::from_vertices(&[
                    Vec3::new(0.1, 0.1, 0.0),
                    Vec3::new(-0.1, 0.1, 0.0),
                    Vec3::new(0.1, -0.1, 0.0),
                    Vec3::new(-0.1, -0.1, 0.0),
                    Vec3::new(0.0, 0.0, 0.4),
                ])
            }
            .unwrap();
            let props = cube.mass_properties();
            let body = Body::of_density(&format!("cube{k}"), &props, 270.0)
                .unwrap()
                .with_shape(Solid::Polytope(cube), Pose::identity());
            let tilt = Vec3::new(num(), num(), num());
            let at = Vec3::new(
                0.4 * ((k % 2) as f64) + 0.05 * num(),
                0.4 * (((k / 2) % 2) as f64) + 0.05 * num(),
                0.5 + 0.4 * ((k / 4) as f64),
            );
            b.body(body, Pose::new(Rotation3::from_scaled_axis(tilt), at));
        }
        let floor = Solid::HalfSpace(HalfSpace::new(Vec3::z(), 0.0).unwrap());
        b.body(Body::fixed("floor").with_shape(floor, Pose::identity()), Pose::identity());
        for (nx, o) in [(Vec3::x(), -0.3), (-Vec3::x(), -0.7), (Vec3::y(), -0.3), (-Vec3::y(), -0.7)] {
            let wall = Solid::HalfSpace(HalfSpace::new(nx, o).unwrap());
            b.body(Body::fixed(&format!("wall{nx}")).with_shape(wall, Pose::identity()), Pose::identity());
        }
        if let Some(v) = std::env::args().nth(8) {
            let v: f64 = v.parse().unwrap();
            for k in 0..n {
                use percussion_mechanics::force::*;
                let anchor = b.centre(BodyId(k));
                b.force(Force {
                    name: format!("drag{k}"),
                    law: Law::Drag(Drag { linear: v, angular: v * 0.01, ..Drag::at(anchor) }),
                });
            }
        }
        let (model, state) = b.build().unwrap();
        let scheme: Box<dyn Scheme + Send> = match kind.as_str() {
            "v" => Box::new(Variational::new(&model, &state)),
            "i" => Box::new(Newmark::implicit(&model, &state)),
            _ => Box::new(Newmark::explicit(&model, &state)),
        };
        let mut sim = Simulation::new(model, state, scheme, h).unwrap();
        let mut deep = 0.0f64;
        let mut worst = 0;
        let mut total = 0;
        let e0 = sim.ledger().initial().energy();
        let start = std::time::Instant::now();
        let mut k = 0;
        while k < (t / h) as usize {
            if let Err(e) = sim.advance() {
                println!(
                    "fail at {k} (t={}): {e} {:?}",
                    k as f64 * h,
                    &e.history[e.history.len().saturating_sub(10)..]
                );
                break;
            }
            k += 1;
            worst = worst.max(sim.effort().iterations);
            total += sim.effort().iterations;
            let cont = sim.model().contacts.as_ref().unwrap();
            deep = deep.max(cont.deepest(sim.state()).map_or(0.0, |d| d.0));
        }
        let m = sim.ledger().latest();
        println!(
            "E0 {e0:.3} E {:.3} work {:.3} scheme {:.2e} kin {:.2e} deep {:.4} worst {} mean {:.2} us/step {:.0} Lerr {:.1e}",
            m.energy(),
            sim.ledger().work(),
            sim.ledger().cause("scheme").unwrap().energy,
            m.kinetic,
            deep,
            worst,
            total as f64 / k as f64,
            start.elapsed().as_micros() as f64 / k as f64,
            sim.ledger().extremes().angular_error
        );
    }
}
