//! Scenes of bodies that meet, as many tests need them.

use super::events::{Flight, Motion};
use nalgebra::Rotation3;
use percussion_geometry::mass::MassProperties;
use percussion_geometry::shapes::{HalfSpace, Polytope, Solid};
use percussion_geometry::{Pose, Vec3};
use percussion_mechanics::contact::{ContactOptions, ContactSpec, Surface};
use percussion_mechanics::schemes::Exact;
use percussion_mechanics::{Body, Model, ModelBuilder, Simulation, State};

/// A box of uniform density.
pub fn brick(name: &str, sides: Vec3, density: f64) -> Body {
    let solid = Solid::Polytope(Polytope::cuboid(sides.x, sides.y, sides.z).unwrap());
    let properties: MassProperties = solid.mass_properties().unwrap();
    Body::of_density(name, &properties, density).unwrap().with_shape(solid, Pose::identity())
}

/// The floor `z = 0`.
pub fn floor() -> Body {
    let plane = Solid::HalfSpace(HalfSpace::new(Vec3::z(), 0.0).unwrap());
    Body::fixed("floor").with_shape(plane, Pose::identity())
}

/// Contact of surfaces that are all alike.
pub fn surfaces(restitution: f64, friction: f64) -> ContactSpec {
    ContactSpec { otherwise: Some(Surface { restitution, friction }), ..ContactSpec::default() }
}

/// The body of a reference flight above the floor, in the engine.
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
    builder.contact(surfaces(flight.restitution, 0.0));
    builder.build().unwrap()
}

/// A simulation by the exact scheme.
pub fn exactly(model: Model, state: State, h: f64, options: &ContactOptions) -> Simulation {
    let contacts = model.contacts.clone().unwrap();
    let scheme = Exact::new(&model, contacts, &state, options, None).unwrap();
    Simulation::new(model, state, Box::new(scheme), h).unwrap()
}
