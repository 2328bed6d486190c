//! Scenes with collisions, for many tests.

use super::events::{Flight, History, Motion};
use super::*;

/// Density of the thesis, kg/m³.
pub const DENSITY: f64 = 270.0;
pub const GRAVITY: Vec3 = Vec3::new(0.0, 0.0, -9.81);
/// Side of the cubes of Newton's cradle, m.
pub const CRADLE: f64 = 0.2 * std::f64::consts::SQRT_2;

/// A body of one solid.
pub fn solid_body(name: &str, solid: Solid, density: f64) -> Body {
    let properties = solid.mass_properties().unwrap();
    Body::of_density(name, &properties, density).unwrap().with_shape(solid, Pose::identity())
}

/// A box.
pub fn brick(name: &str, sides: Vec3, density: f64) -> Body {
    let solid = Solid::Polytope(Polytope::cuboid(sides.x, sides.y, sides.z).unwrap());
    solid_body(name, solid, density)
}

pub fn cuboid(name: &str, a: f64, b: f64, c: f64) -> Body {
    brick(name, Vec3::new(a, b, c), DENSITY)
}

pub fn cube(name: &str, side: f64) -> Body {
    cuboid(name, side, side, side)
}

pub fn sphere(name: &str, radius: f64, density: f64) -> Body {
    solid_body(name, Solid::Sphere(Sphere::new(radius).unwrap()), density)
}

/// A fixed half-space below a plane.
pub fn half_space(name: &str, normal: Vec3, offset: f64) -> Body {
    Body::fixed(name).with_shape(Solid::HalfSpace(HalfSpace::new(normal, offset).unwrap()), Pose::identity())
}

/// The floor `z = 0`.
pub fn floor() -> Body {
    half_space("floor", Vec3::z(), 0.0)
}

/// The walls of a box about the origin.
pub fn walls(builder: &mut ModelBuilder, sides: Vec3) {
    for (k, axis) in [Vec3::x(), Vec3::y(), Vec3::z()].iter().enumerate() {
        for sign in [1.0, -1.0] {
            let wall = half_space(&format!("wall-{k}{sign}"), axis * -sign, -0.5 * sides[k]);
            builder.body(wall, Pose::identity());
        }
    }
}

/// Contact with one surface for all bodies.
pub fn surface(restitution: f64, friction: f64) -> ContactSpec {
    ContactSpec { otherwise: Some(Surface { restitution, friction }), ..ContactSpec::default() }
}

/// Gravity, a level floor and contact with it.
pub fn level(restitution: f64, friction: f64) -> ModelBuilder {
    let mut builder = falling();
    builder.body(floor(), Pose::identity());
    builder.contact(surface(restitution, friction));
    builder
}

/// Adds a body with axes parallel to those of the world.
pub fn free_body(builder: &mut ModelBuilder, body: Body, at: Vec3, velocity: Vec3, spin: Vec3) -> BodyId {
    let id = builder.body(body, Pose::at(at));
    builder.velocity(id, velocity, spin);
    id
}

/// The model of a reference flight above the floor.
pub fn flying(flight: &Flight, start: &Motion) -> (Model, State) {
    let mut builder = ModelBuilder::new();
    builder.gravity(Vec3::new(0.0, 0.0, -flight.gravity));
    builder.body(floor(), Pose::identity());
    let sides = Vec3::from_fn(|k, _| 2.0 * flight.solid.vertices.iter().map(|v| v[k]).fold(0.0, f64::max));
    let body = brick("body", sides, flight.solid.mass / (sides.x * sides.y * sides.z));
    let pose = Pose::new(Rotation3::from_matrix_unchecked(start.rotation), start.position);
    let id = builder.body(body, pose);
    let spin =
        start.rotation * (start.rotation.transpose() * start.momentum).component_div(&flight.solid.moments);
    builder.velocity(id, start.velocity, spin);
    builder.contact(surface(flight.restitution, 0.0));
    builder.build().unwrap()
}

/// The exact scheme on a reference flight: impact times up to `until`, and how far the corners are off there.
pub fn against(flight: &Flight, start: &Motion, history: &History, h: f64, until: f64) -> (Vec<f64>, f64) {
    let (model, state) = flying(flight, start);
    let mut run = exactly(model, state, h, &ContactOptions::default());
    let mut times = Vec::new();
    while run.state().time < until - 0.5 * h {
        run.step().unwrap();
        times.extend(run.step_record().unwrap().impacts.iter().map(|impact| impact.time));
    }
    let truth = history.state_at(run.state().time);
    let pose = run.model().pose(run.state(), 1);
    let corners = flight.solid.vertices.iter();
    let off = corners.map(|corner| (truth.point(corner) - pose.point(corner)).norm()).fold(0.0, f64::max);
    (times, off)
}

/// A simulation by the exact scheme.
pub fn exactly(model: Model, state: State, h: f64, options: &ContactOptions) -> Simulation {
    let contacts = model.contacts.clone().unwrap();
    let scheme = Exact::new(&model, contacts, &state, options, None).unwrap();
    Simulation::new(model, state, Box::new(scheme), h).unwrap()
}

pub fn simulate(builder: ModelBuilder, contact: ContactOptions, h: f64) -> Simulation {
    let (model, state) = builder.build().unwrap();
    let options = SchemeOptions { contact, ..SchemeOptions::default() };
    let scheme = SchemeKind::Decomposition.build(&model, &state, &options).unwrap();
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

/// Cubes of the thesis in a row along x, at given positions of their centres, with given velocities.
pub fn row(places: &[f64], speeds: &[f64], contact: ContactSpec) -> ModelBuilder {
    let mut builder = ModelBuilder::new();
    for (k, (x, v)) in places.iter().zip(speeds).enumerate() {
        let body = builder.body(cube(&format!("cube-{k}"), CRADLE), Pose::at(Vec3::new(*x, 0.0, 0.0)));
        builder.velocity(body, Vec3::new(*v, 0.0, 0.0), Vec3::zeros());
    }
    builder.contact(contact);
    builder
}

/// Two square prisms on a spherical joint between them, turned by an eighth of a turn against each other [Johnson 3.3.5].
/// The joint is on a neck of 0.05 m at either side, so that the prisms do not touch at the start. Relative to the joint they turn
/// about y with 1 and -1 rad/s; the whole does not drift.
pub fn metronome() -> ModelBuilder {
    let (side, neck) = (0.2 * 3f64.sqrt(), 0.05);
    let mut builder = ModelBuilder::new();
    let quarter = Rotation3::from_scaled_axis(Vec3::z() * std::f64::consts::FRAC_PI_4);
    let height = 0.5 * side + neck;
    let (low, high) = (Pose::at(Vec3::zeros()), Pose::new(quarter, Vec3::new(0.0, 0.0, 2.0 * height)));
    let first = builder.body(cube("lower", side), low);
    let second = builder.body(cube("upper", side), high);
    let frame = Pose::at(Vec3::new(0.0, 0.0, height));
    let joint = builder.joint(builder.joint_at("neck", JointKind::Spherical, Some(first), second, &frame));
    builder.velocity(first, Vec3::zeros(), Vec3::y());
    builder.rates(joint, &[0.0, -2.0, 0.0]);
    let rule = PairRule { a: first, b: second, collide: true, surface: None };
    builder.contact(ContactSpec { pairs: vec![rule], ..surface(1.0, 0.0) });
    builder
}

/// The depth of the deepest overlap, m.
pub fn deepest(model: &Model, state: &State) -> f64 {
    model.contacts.as_ref().unwrap().deepest(state).map_or(0.0, |(overlap, _)| overlap)
}

/// Runs until an impact; the record of its step.
pub fn run_until_impact(sim: &mut Simulation, most: usize) -> StepRecord {
    for _ in 0..most {
        sim.step().unwrap();
        let inside = sim.step_record().unwrap();
        if !inside.impacts.is_empty() {
            return inside.clone();
        }
    }
    panic!("no impact");
}

/// Case 1 of [Johnson 3.3.5]: one cube runs into four at rest.
pub fn cradle_one(contact: ContactSpec) -> ModelBuilder {
    let places = [0.0, 1.5, 2.6, 3.7, 4.8].map(|x| CRADLE * x);
    row(&places, &[0.105, 0.0, 0.0, 0.0, 0.0], contact)
}

/// Case 2: two cubes run into three at rest from both sides.
pub fn cradle_two(contact: ContactSpec) -> ModelBuilder {
    let places = [-2.51, -1.01, 0.0, 1.01, 2.51].map(|x| CRADLE * x);
    row(&places, &[0.105, 0.0, 0.0, 0.0, -0.105], contact)
}

/// Four beads on links of length one in a box of 8 x 10 x 14 [Leyendecker 3.3].
pub fn beads() -> (Model, State) {
    let mut builder = ModelBuilder::new();
    walls(&mut builder, Vec3::new(8.0, 10.0, 14.0));
    let mut last: Option<BodyId> = None;
    for (i, (x, y)) in [(-3.0, -1.0), (-1.0, 1.0), (1.0, -1.0), (3.0, 1.0)].into_iter().enumerate() {
        let bead = Body::particle(&format!("bead-{i}"), 1.0).unwrap();
        let bead = bead.with_shape(Solid::Sphere(Sphere::new(0.1).unwrap()), Pose::identity());
        let pose = Pose::at(Vec3::new(x, y, 0.0) / (2.0 * 2f64.sqrt()));
        let id = builder.body(bead, pose);
        // Without a velocity of its own a bead moves with its parent.
        let velocity = if i == 0 { Vec3::new(-0.1, 0.1, -0.1) } else { Vec3::zeros() };
        builder.velocity(id, velocity, Vec3::zeros());
        if let Some(parent) = last.replace(id) {
            let (name, frame) = (format!("link-{i}"), builder.pose(parent));
            let rod = builder.joint_at(&name, JointKind::Rod, Some(parent), id, &frame);
            builder.joint(JointSpec { child_frame: Pose::identity(), length: Some(1.0), ..rod });
        }
    }
    builder.contact(surface(1.0, 0.0));
    builder.build().unwrap()
}
