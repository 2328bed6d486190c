//! Names and scenes the tests share.
#![allow(dead_code, unused_imports, clippy::unwrap_used, clippy::expect_used, clippy::panic)]

pub mod collisions;
pub mod crossing;
pub mod differences;
pub mod events;
pub mod everything;
pub mod lasting;
pub mod lcp;
pub mod mechanisms;
pub mod random;
pub mod reference;
pub mod slider;

pub use collisions::*;
pub use crossing::*;
pub use differences::*;
pub use everything::*;
pub use lasting::*;
pub use lcp::*;
pub use nalgebra::{
    DMatrix, DMatrixView, DVector, Matrix3, Rotation2, Rotation3, UnitQuaternion, UnitVector3,
};
pub use percussion_geometry::mass::MassProperties;
pub use percussion_geometry::shapes::*;
pub use percussion_geometry::{PlanarPose, Pose, Vec2, Vec3};
pub use percussion_mechanics::body::*;
pub use percussion_mechanics::contact::*;
pub use percussion_mechanics::discrete::*;
pub use percussion_mechanics::force::*;
pub use percussion_mechanics::joint::LinearForm;
pub use percussion_mechanics::joint::*;
pub use percussion_mechanics::kinematics::*;
pub use percussion_mechanics::ledger::*;
pub use percussion_mechanics::model::*;
pub use percussion_mechanics::prescribed_motion::*;
pub use percussion_mechanics::response::*;
pub use percussion_mechanics::rotation::*;
pub use percussion_mechanics::schemes::*;
pub use percussion_mechanics::spatial::*;
pub use percussion_mechanics::step_record::*;
pub use percussion_mechanics::table::Table;
pub use percussion_mechanics::tree::Closure;
pub use percussion_mechanics::{NamedArrays, SceneBuilder, Simulation};
pub use percussion_testing::{CountingAllocator, Random, allocations};
pub use random::*;

/// A slender asymmetric body.
pub fn link(name: &str) -> Body {
    let inertia = Matrix3::new(0.05, 0.004, 0.0, 0.004, 0.07, -0.003, 0.0, -0.003, 0.03);
    Body::rigid(name, 1.2, Vec3::new(0.02, 0.01, -0.03), &inertia).unwrap()
}

/// Bodies hanging one below the other on joints of one kind, the first on the world, with some spin.
pub fn chain(kind: JointKind, count: usize) -> (Model, State) {
    chain_builder(kind, count).build().unwrap()
}

/// The same with a spring from the last body to the world, so that no motion is a mere parabola.
pub fn sprung_chain(kind: JointKind, count: usize) -> (Model, State) {
    let mut builder = chain_builder(kind, count);
    let (a, b) = (on(count - 1, Vec3::new(0.1, -0.05, 0.02)), in_world(Vec3::new(0.3, 0.8, 0.4)));
    builder.force(spring("spring", a, b, (30.0, 0.4), 0.3));
    builder.build().unwrap()
}

/// The same, to be added to.
pub fn chain_builder(kind: JointKind, count: usize) -> ModelBuilder {
    let mut builder = ModelBuilder::new();
    builder.gravity(Vec3::new(0.0, 0.0, -9.81));
    let mut above = None;
    for i in 0..count {
        let turn = Rotation3::from_scaled_axis(Vec3::new(0.3, 0.9 + 0.2 * i as f64, -0.1));
        let body = link(&format!("link-{i}"));
        let pose = Pose::new(turn, Vec3::new(0.35 * (i as f64 + 0.5), 0.02 * i as f64, -0.1 * i as f64));
        let id = builder.body(body, pose);
        let frame = Pose::new(
            Rotation3::from_scaled_axis(Vec3::new(0.5, 0.2 * i as f64, 0.1)),
            Vec3::new(0.35 * i as f64, 0.0, -0.1 * i as f64),
        );
        let mut joint = builder.joint_at(&format!("joint-{i}"), kind, above, id, &frame);
        if kind == JointKind::Rod {
            joint.child_frame = Pose::at(Vec3::new(-0.1, 0.02, 0.03));
        }
        let joint = builder.joint(joint);
        let rates: Vec<f64> = (0..kind.dofs(false)).map(|k| 0.8 - 0.5 * k as f64 + 0.3 * i as f64).collect();
        builder.rates(joint, &rates);
        above = Some(id);
    }
    builder
}

/// Kinetic energy, potential energy of gravity, linear momentum, angular momentum about the origin.
pub fn totals(model: &Model, state: &State) -> (f64, f64, Vec3, Vec3) {
    let (mut kinetic, mut potential, mut p, mut l) = (0.0, 0.0, Vec3::zeros(), Vec3::zeros());
    for (slot, twist) in model.twists(state).iter().enumerate() {
        let (link, r, x) = (&model.links[slot], &state.rotations[slot], &state.positions[slot]);
        let (v, w) = (linear(twist), angular(twist));
        let spin = r * link.inertia.component_mul(&(r.transpose() * w));
        kinetic += 0.5 * (link.mass * v.norm_squared() + w.dot(&spin));
        potential -= link.mass * model.gravity.dot(x);
        p += v * link.mass;
        l += x.cross(&(v * link.mass)) + spin;
    }
    (kinetic, potential, p, l)
}

/// The maximum violation of any joint or loop.
pub fn violation(model: &Model, state: &State) -> f64 {
    let trees = model.links.iter().enumerate().map(|(slot, link)| (&link.joint, link.parent, slot));
    let loops = model.closures.iter().map(|c| (&c.joint, c.parent, c.child));
    let placed = |slot: usize| (&state.positions[slot], &state.rotations[slot]);
    trees
        .chain(loops)
        .flat_map(|(joint, parent, child)| {
            joint.rows().iter().map(move |&row| joint.row(row, parent.map(placed), placed(child)).value.abs())
        })
        .fold(0.0, f64::max)
}

/// A builder with gravity along -z, m/s².
pub fn falling() -> ModelBuilder {
    let mut builder = ModelBuilder::new();
    builder.gravity(GRAVITY);
    builder
}

/// A point of a body, by its index in the list.
pub fn on(body: usize, arm: Vec3) -> Anchor {
    Anchor { body: Some(body), arm }
}

/// A point of the world.
pub fn in_world(arm: Vec3) -> Anchor {
    Anchor { body: None, arm }
}

/// A force by name.
pub fn force(name: &str, law: ForceLaw) -> Force {
    Force { name: name.to_owned(), law }
}

/// A spring of a stiffness and a rest length, with damping.
pub fn spring(name: &str, a: Anchor, b: Anchor, (stiffness, rest_length): (f64, f64), damping: f64) -> Force {
    force(name, ForceLaw::Spring(Spring { a, b, stiffness, rest_length, damping }))
}

/// Kinematics of all bodies at rest.
pub fn at_rest(state: &State) -> Vec<BodyKinematics> {
    let places = state.positions.iter().zip(&state.rotations);
    let rest = |(&position, &frame)| BodyKinematics { position, frame, ..BodyKinematics::rest() };
    places.map(rest).collect()
}

/// Pulls of all forces on bodies at rest, by slot.
pub fn pulls(model: &Model, state: &State) -> Vec<ForceAccumulator> {
    let kinematics = at_rest(state);
    let mut pulls = vec![ForceAccumulator::zero(); kinematics.len()];
    for force in &model.forces {
        force.add_forces(0.0, &Bodies { first: 0, kinematics: &kinematics }, &mut pulls).unwrap();
    }
    pulls
}

/// A free body at the origin with the world's axes as principal ones.
pub fn top(moments: Vec3, spin: Vec3) -> ModelBuilder {
    let mut builder = ModelBuilder::new();
    let body = Body::rigid("top", 3.0, Vec3::zeros(), &Matrix3::from_diagonal(&moments)).unwrap();
    free_body(&mut builder, body, Vec3::zeros(), Vec3::new(0.1, -0.2, 0.05), spin);
    builder
}

/// A simulation by a scheme with default options.
pub fn simulation(kind: SchemeKind, (model, state): (Model, State), h: f64) -> Simulation {
    let scheme = kind.build(&model, &state, &SchemeOptions::default()).unwrap();
    Simulation::new(model, state, scheme, h).unwrap()
}

/// Makes a number of steps.
pub fn run(sim: &mut Simulation, steps: usize) {
    for _ in 0..steps {
        sim.step().unwrap();
    }
}

/// The impacts of a number of steps.
pub fn impacts(sim: &mut Simulation, steps: usize) -> Vec<Impact> {
    let step = |_| {
        sim.step().unwrap();
        sim.step_record().unwrap().impacts.clone()
    };
    (0..steps).flat_map(step).collect()
}

/// Positions and directors of all bodies.
pub type Places = (Vec<Vec3>, Vec<Mat3>);

/// The greatest difference of positions and directors from exact ones.
pub fn distance(state: &State, exact: &Places) -> f64 {
    let moved = state.positions.iter().zip(&exact.0).map(|(a, b)| (a - b).amax());
    let turned = state.rotations.iter().zip(&exact.1).map(|(a, b)| (a - b).amax());
    moved.chain(turned).fold(0.0, f64::max)
}

/// The greatest difference of positions, directors and coordinates.
pub fn apart(a: &State, b: &State) -> f64 {
    let coordinates = a.coordinates.iter().zip(&b.coordinates).map(|(a, b)| (a - b).abs());
    coordinates.fold(distance(a, &(b.positions.clone(), b.rotations.clone())), f64::max)
}

/// Slope of a straight line through the logarithms of points.
pub fn order(points: &[(f64, f64)]) -> f64 {
    let n = points.len() as f64;
    let logs = || points.iter().map(|(x, y)| (x.ln(), y.ln()));
    let mean = logs().fold((0.0, 0.0), |m, (x, y)| (m.0 + x / n, m.1 + y / n));
    let (over, under) = logs()
        .fold((0.0, 0.0), |s, (x, y)| (s.0 + (x - mean.0) * (y - mean.1), s.1 + (x - mean.0) * (x - mean.0)));
    over / under
}
