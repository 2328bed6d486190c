//! Mechanisms the tests share.
#![allow(dead_code, clippy::unwrap_used, clippy::expect_used, clippy::panic)]

pub mod collisions;
pub mod differences;
pub mod events;
pub mod everything;
pub mod random;
pub mod reference;

use nalgebra::{Matrix3, Rotation3};
use percussion_geometry::{Pose, Vec3};
use percussion_mechanics::force::{Anchor, Force, ForceLaw, Spring};
use percussion_mechanics::spatial::{angular, linear};
use percussion_mechanics::{Body, JointKind, JointSpec, Model, ModelBuilder, State};

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
    builder.force(Force {
        name: "spring".to_owned(),
        law: ForceLaw::Spring(Spring {
            a: Anchor { body: Some(count - 1), arm: Vec3::new(0.1, -0.05, 0.02) },
            b: Anchor { body: None, arm: Vec3::new(0.3, 0.8, 0.4) },
            stiffness: 30.0,
            rest_length: 0.4,
            damping: 0.3,
        }),
    });
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
        let parent = above.as_ref().map(|(id, pose)| (*id, pose));
        let mut joint = JointSpec::at(&format!("joint-{i}"), kind, parent, (id, &pose), &frame);
        if kind == JointKind::Rod {
            joint.child_frame = Pose::at(Vec3::new(-0.1, 0.02, 0.03));
        }
        let joint = builder.joint(joint);
        let rates: Vec<f64> = (0..kind.dofs(false)).map(|k| 0.8 - 0.5 * k as f64 + 0.3 * i as f64).collect();
        builder.rates(joint, &rates);
        above = Some((id, pose));
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
