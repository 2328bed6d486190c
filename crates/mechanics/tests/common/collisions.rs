//! Scenes with collisions, for many tests.

use super::events::{Flight, History, Motion};
use nalgebra::Rotation3;
use percussion_geometry::mass::MassProperties;
use percussion_geometry::shapes::{HalfSpace, Polytope, Solid, Sphere};
use percussion_geometry::{Pose, Vec3};
use percussion_mechanics::contact::{ContactSpec, PairRule, Surface};
use percussion_mechanics::force::{Anchor, Charges, Force, ForceLaw, Source};
use percussion_mechanics::response::ContactOptions;
use percussion_mechanics::schemes::Exact;
use percussion_mechanics::{Body, BodyId, JointKind, JointSpec, Model, ModelBuilder, Simulation, State};

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

/// Contact with one surface for all bodies.
pub fn surfaces(restitution: f64, friction: f64) -> ContactSpec {
    ContactSpec { otherwise: Some(Surface { restitution, friction }), ..ContactSpec::default() }
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
    builder.contact(surfaces(flight.restitution, 0.0));
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

/// Side of the cubes of Newton's cradle, m.
pub const CRADLE: f64 = 0.2 * std::f64::consts::SQRT_2;

/// Cubes in a row along x, with given gaps between them and velocities: Newton's cradle without strings.
pub fn cradle(gaps: &[f64], velocities: &[f64], restitution: f64) -> (Model, State) {
    let mut builder = ModelBuilder::new();
    let mut x = 0.0;
    for (i, velocity) in velocities.iter().enumerate() {
        let body = brick(&format!("cube-{i}"), Vec3::repeat(CRADLE), 270.0);
        let id = builder.body(body, Pose::at(Vec3::new(x, 0.0, 0.0)));
        builder.velocity(id, Vec3::new(*velocity, 0.0, 0.0), Vec3::zeros());
        x += CRADLE + gaps.get(i).copied().unwrap_or(0.0);
    }
    builder.contact(surfaces(restitution, 0.0));
    builder.build().unwrap()
}

/// Case 1 of [Johnson 3.3.5] as a builder.
pub fn cradle_builder() -> ModelBuilder {
    let mut builder = ModelBuilder::new();
    let mut x = 0.0;
    for i in 0..5 {
        let body = brick(&format!("cube-{i}"), Vec3::repeat(CRADLE), 270.0);
        let id = builder.body(body, Pose::at(Vec3::new(x, 0.0, 0.0)));
        if i == 0 {
            builder.velocity(id, Vec3::new(0.105, 0.0, 0.0), Vec3::zeros());
        }
        x += CRADLE * if i == 0 { 1.5 } else { 1.1 };
    }
    builder
}

/// Case 1 of [Johnson 3.3.5]: one cube runs into four at rest.
pub fn cradle_one() -> (Model, State) {
    let mut builder = cradle_builder();
    builder.contact(surfaces(1.0, 0.0));
    builder.build().unwrap()
}

/// Case 2: two cubes run into three at rest from both sides.
pub fn cradle_two() -> (Model, State) {
    let gap = CRADLE / 100.0;
    cradle(&[CRADLE / 2.0, gap, gap, CRADLE / 2.0], &[0.105, 0.0, 0.0, 0.0, -0.105], 1.0)
}

/// Two square prisms on a spherical joint between them, turned by an eighth of a turn against each other [Johnson 3.3.5].
/// The joint is on a neck of 0.05 m at either side, so that the prisms do not touch at the start.
pub fn metronome() -> (Model, State) {
    let (side, neck) = (0.2 * 3f64.sqrt(), 0.05);
    let mut builder = ModelBuilder::new();
    let half = 0.5 * side + neck;
    let lower = Pose::at(Vec3::new(0.0, 0.0, -half));
    let turn = Rotation3::from_scaled_axis(Vec3::new(0.0, 0.0, std::f64::consts::FRAC_PI_4));
    let upper = Pose::new(turn, Vec3::new(0.0, 0.0, half));
    let first = builder.body(brick("lower", Vec3::repeat(side), 270.0), lower);
    let second = builder.body(brick("upper", Vec3::repeat(side), 270.0), upper);
    // Relative to the joint the prisms turn about y with 1 and -1 rad/s; the whole does not drift.
    let (w1, w2) = (Vec3::new(0.0, 1.0, 0.0), Vec3::new(0.0, -1.0, 0.0));
    let v = w1.cross(&Vec3::new(0.0, 0.0, -half));
    let u = w2.cross(&Vec3::new(0.0, 0.0, half));
    let drift = (v + u) * 0.5;
    builder.velocity(first, v - drift, w1);
    builder.velocity(second, u - drift, w2);
    builder.joint(JointSpec::at(
        "neck",
        JointKind::Spherical,
        Some((first, &lower)),
        (second, &upper),
        &Pose::identity(),
    ));
    let rule = PairRule { a: first, b: second, collide: true, surface: None };
    builder.contact(ContactSpec { pairs: vec![rule], ..surfaces(1.0, 0.0) });
    builder.build().unwrap()
}

/// Hexagonal prisms (side 0.2 m, height 0.4 m, density 270) at given poses, with six alternating charges each, 0.1 m from
/// the centre behind the faces, and `K = 5e-4` [Johnson 3.51].
pub fn hexagons(places: &[Pose], restitution: f64, friction: f64) -> (Model, State) {
    let mut builder = ModelBuilder::new();
    let mut charges = Vec::new();
    for (i, pose) in places.iter().enumerate() {
        let solid = Solid::Polytope(Polytope::prism_of_side(6, 0.2, 0.4).unwrap());
        let properties = solid.mass_properties().unwrap();
        let body = Body::of_density(&format!("prism-{i}"), &properties, 270.0).unwrap();
        builder.body(body.with_shape(solid, Pose::identity()), *pose);
        for k in 0..6 {
            let angle = (k as f64 + 0.5) * std::f64::consts::FRAC_PI_3;
            let arm = Vec3::new(0.1 * angle.cos(), 0.1 * angle.sin(), 0.0);
            let strength = if k % 2 == 0 { 1.0 } else { -1.0 };
            charges.push(Source { anchor: Anchor { body: Some(i), arm }, weight: strength });
        }
    }
    let law = ForceLaw::Charges(Charges { charges, constant: 5e-4, softening: 0.0 });
    builder.force(Force { name: "charges".into(), law });
    builder.contact(surfaces(restitution, friction));
    builder.build().unwrap()
}

/// Seven positions in a flower: one in the middle and six around, faces towards it at a distance of `gap`.
pub fn flower(gap: f64) -> Vec<Pose> {
    let reach = 0.2 * 3f64.sqrt() + gap;
    let mut places = vec![Pose::identity()];
    for k in 0..6 {
        let angle = (k as f64 + 0.5) * std::f64::consts::FRAC_PI_3;
        places.push(Pose::at(Vec3::new(reach * angle.cos(), reach * angle.sin(), 0.0)));
    }
    places
}

/// A body of one solid.
pub fn solid_body(name: &str, solid: Solid, density: f64) -> Body {
    let properties = solid.mass_properties().unwrap();
    Body::of_density(name, &properties, density).unwrap().with_shape(solid, Pose::identity())
}

/// Four beads on links of length one in a box of 8 x 10 x 14 [Leyendecker 3.3].
pub fn beads() -> (Model, State) {
    let mut builder = ModelBuilder::new();
    for (k, (axis, size)) in [(Vec3::x(), 8.0), (Vec3::y(), 10.0), (Vec3::z(), 14.0)].into_iter().enumerate()
    {
        for sign in [1.0, -1.0] {
            let plane = Solid::HalfSpace(HalfSpace::new(axis * -sign, -0.5 * size).unwrap());
            let wall = Body::fixed(&format!("wall-{k}{sign}")).with_shape(plane, Pose::identity());
            builder.body(wall, Pose::identity());
        }
    }
    let mut last: Option<(BodyId, Pose)> = None;
    for (i, (x, y)) in [(-3.0, -1.0), (-1.0, 1.0), (1.0, -1.0), (3.0, 1.0)].into_iter().enumerate() {
        let bead = Body::particle(&format!("bead-{i}"), 1.0).unwrap();
        let bead = bead.with_shape(Solid::Sphere(Sphere::new(0.1).unwrap()), Pose::identity());
        let pose = Pose::at(Vec3::new(x, y, 0.0) / (2.0 * 2f64.sqrt()));
        let id = builder.body(bead, pose);
        // Without a velocity of its own a bead moves with its parent.
        let velocity = if i == 0 { Vec3::new(-0.1, 0.1, -0.1) } else { Vec3::zeros() };
        builder.velocity(id, velocity, Vec3::zeros());
        match &last {
            None => {}
            Some((parent, at)) => {
                let mut rod =
                    JointSpec::at(&format!("link-{i}"), JointKind::Rod, Some((*parent, at)), (id, &pose), at);
                rod.child_frame = Pose::identity();
                rod.length = Some(1.0);
                builder.joint(rod);
            }
        }
        last = Some((id, pose));
    }
    builder.contact(surfaces(1.0, 0.0));
    builder.build().unwrap()
}
