//! Bodies that collide, for the tests of the decomposition scheme.
#![allow(dead_code, clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use nalgebra::Rotation3;
use percussion_geometry::shapes::{HalfSpace, Polytope, Solid, Sphere};
use percussion_geometry::{Pose, Vec3};
use percussion_mechanics::contact::{ContactSpec, PairRule, Surface};
use percussion_mechanics::ledger::LedgerSource;
use percussion_mechanics::response::ContactOptions;
use percussion_mechanics::schemes::{Options, by_name};
use percussion_mechanics::spatial::{Vec6, angular, linear};
use percussion_mechanics::step_record::StepRecord;
use percussion_mechanics::{Body, BodyId, JointKind, JointSpec, ModelBuilder, Simulation};

/// Density of the thesis, kg/m³.
pub const DENSITY: f64 = 270.0;
pub const GRAVITY: Vec3 = Vec3::new(0.0, 0.0, -9.81);

pub fn solid_body(name: &str, solid: Solid, density: f64) -> Body {
    let properties = solid.mass_properties().unwrap();
    Body::of_density(name, &properties, density).unwrap().with_shape(solid, Pose::identity())
}

pub fn cube(name: &str, side: f64) -> Body {
    solid_body(name, Solid::Polytope(Polytope::cube(side).unwrap()), DENSITY)
}

pub fn cuboid(name: &str, a: f64, b: f64, c: f64) -> Body {
    solid_body(name, Solid::Polytope(Polytope::cuboid(a, b, c).unwrap()), DENSITY)
}

pub fn sphere(name: &str, radius: f64, density: f64) -> Body {
    solid_body(name, Solid::Sphere(Sphere::new(radius).unwrap()), density)
}

/// A fixed half-space below z = 0.
pub fn floor() -> Body {
    Body::fixed("floor")
        .with_shape(Solid::HalfSpace(HalfSpace::new(Vec3::z(), 0.0).unwrap()), Pose::identity())
}

pub fn surface(restitution: f64, friction: f64) -> ContactSpec {
    ContactSpec { otherwise: Some(Surface { restitution, friction }), ..ContactSpec::default() }
}

pub fn simulate(builder: ModelBuilder, contact: ContactOptions, h: f64) -> Simulation {
    let (model, state) = builder.build().unwrap();
    let options = Options { contact, ..Options::default() };
    let scheme = by_name("decomposition", &model, &state, &options).unwrap();
    Simulation::new(model, state, scheme, h).unwrap()
}

/// Velocity of the centre of mass and angular velocity of the body in a slot.
pub fn motion(sim: &Simulation, body: usize) -> (Vec3, Vec3) {
    let twists: Vec<Vec6> = sim.model().twists(sim.state());
    let slot = sim.model().slots[body].unwrap();
    (linear(&twists[slot]), angular(&twists[slot]))
}

/// Velocity of the point of a body that is at `point`.
pub fn velocity_at(sim: &Simulation, body: usize, point: &Vec3) -> Vec3 {
    let (v, w) = motion(sim, body);
    v + w.cross(&(point - position(sim, body)))
}

pub fn position(sim: &Simulation, body: usize) -> Vec3 {
    sim.state().positions[sim.model().slots[body].unwrap()]
}

pub fn cause<'a>(sim: &'a Simulation, name: &str) -> &'a LedgerSource {
    sim.ledger().source(name).unwrap()
}

/// Cubes of the thesis in a row along x, at given places of their centres, with given velocities.
pub fn row(places: &[f64], speeds: &[f64], contact: ContactSpec) -> ModelBuilder {
    let mut builder = ModelBuilder::new();
    for (k, (x, v)) in places.iter().zip(speeds).enumerate() {
        let body = builder.body(cube(&format!("cube-{k}"), side()), Pose::at(Vec3::new(*x, 0.0, 0.0)));
        builder.velocity(body, Vec3::new(*v, 0.0, 0.0), Vec3::zeros());
    }
    builder.contact(contact);
    builder
}

/// Side of the cubes of Newton's cradle, m.
pub fn side() -> f64 {
    0.2 * 2f64.sqrt()
}

/// The metronome: two square prisms on a spherical joint between them, a neck away from both.
pub fn metronome(neck: f64, contact: ContactSpec) -> ModelBuilder {
    let side = 0.2 * 3f64.sqrt();
    let mut builder = ModelBuilder::new();
    let quarter = Rotation3::from_scaled_axis(Vec3::z() * std::f64::consts::FRAC_PI_4);
    let height = 0.5 * side + neck;
    let (low, high) = (Pose::at(Vec3::zeros()), Pose::new(quarter, Vec3::new(0.0, 0.0, 2.0 * height)));
    let first = builder.body(cuboid("lower", side, side, side), low);
    let second = builder.body(cuboid("upper", side, side, side), high);
    let joint = builder.joint(JointSpec::at(
        "neck",
        JointKind::Spherical,
        Some((first, &low)),
        (second, &high),
        &Pose::at(Vec3::new(0.0, 0.0, height)),
    ));
    builder.velocity(first, Vec3::zeros(), Vec3::y());
    builder.rates(joint, &[0.0, -2.0, 0.0]);
    let rule = PairRule { a: first, b: second, collide: true, surface: None };
    builder.contact(ContactSpec { pairs: vec![rule], ..contact });
    builder
}

/// Runs until parts meet; what happened then.
pub fn run_until_meeting(sim: &mut Simulation, most: usize) -> StepRecord {
    for _ in 0..most {
        sim.advance().unwrap();
        let inside = sim.transcript().unwrap();
        if !inside.impacts.is_empty() {
            return inside.clone();
        }
    }
    panic!("nothing met");
}

/// Adds a body with its axes along those of the world.
pub fn free_body(builder: &mut ModelBuilder, body: Body, at: Vec3, velocity: Vec3, spin: Vec3) -> BodyId {
    let id = builder.body(body, Pose::at(at));
    builder.velocity(id, velocity, spin);
    id
}
