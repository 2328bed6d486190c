//! Results are bitwise identical for any number of threads.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod common;

use common::random::random_pose;
use nalgebra::Matrix3;
use percussion_geometry::Vec3;
use percussion_mechanics::force::{Anchor, Force, ForceLaw, Spring};
use percussion_mechanics::schemes::{Scheme, Variational};
use percussion_mechanics::{Body, JointKind, JointSpec, Model, ModelBuilder, State};
use percussion_testing::Random;

/// Free bodies, jointed pairs and pairs on springs, mixed.
fn crowd(count: usize) -> (Model, State) {
    let mut random = Random::new(7);
    let mut builder = ModelBuilder::new();
    builder.gravity(Vec3::new(0.0, 0.0, -9.81));
    let mut last = None;
    for i in 0..count {
        let moments = Vec3::new(1.5, 1.7, 2.0) + random.vector() * 0.2;
        let body =
            Body::rigid(&format!("b{i}"), 1.0, Vec3::zeros(), &Matrix3::from_diagonal(&moments)).unwrap();
        let pose = random_pose(&mut random);
        let id = builder.body(body, pose);
        builder.velocity(id, random.vector(), random.vector());
        if let (Some((other, other_pose)), 1) = (last, i % 5) {
            let at = JointSpec::at(
                &format!("j{i}"),
                JointKind::Spherical,
                Some((other, &other_pose)),
                (id, &pose),
                &pose,
            );
            builder.joint(at);
        }
        if i % 5 == 3 {
            let a = Anchor { body: Some(i), arm: random.vector() };
            let b = Anchor { body: Some(i - 1), arm: random.vector() };
            let spring = Spring { a, b, stiffness: 5.0, rest_length: 0.0, damping: 0.0 };
            builder.force(Force { name: format!("s{i}"), law: ForceLaw::Spring(spring) });
        }
        last = Some((id, pose));
    }
    builder.project(true);
    builder.build().unwrap()
}

#[test]
fn one_thread_and_many_give_identical_bits() {
    let (model, start) = crowd(2000);
    let run = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| {
            let mut state = start.clone();
            let mut scheme = Variational::new(&model, &state);
            for _ in 0..20 {
                scheme.step(&model, &mut state, 2e-3).unwrap();
            }
            state
        })
    };
    let alone = run(1);
    assert_ne!(alone, start);
    for threads in [2, 3, 8] {
        assert_eq!(run(threads), alone, "{threads} threads");
    }
}

#[test]
fn a_body_moves_the_same_alone_and_in_a_crowd() {
    let (model, start) = crowd(400);
    let lonely = model.islands.iter().find(|island| island.simple).unwrap();
    let slot = lonely.bodies.start;
    let mut builder = ModelBuilder::new();
    builder.gravity(model.gravity);
    let body = model.links[slot].body;
    let id = builder.body(model.bodies[body].clone(), model.placed[body]);
    let twist = model.twists(&start)[slot];
    builder.velocity(id, Vec3::new(twist[0], twist[1], twist[2]), Vec3::new(twist[3], twist[4], twist[5]));
    let (single, mut alone) = builder.build().unwrap();
    alone.momenta.copy_from_slice(&start.momenta[lonely.dofs.clone()]);
    let mut crowd = start.clone();
    let (mut a, mut b) = (Variational::new(&model, &crowd), Variational::new(&single, &alone));
    for _ in 0..50 {
        a.step(&model, &mut crowd, 1e-3).unwrap();
        b.step(&single, &mut alone, 1e-3).unwrap();
    }
    assert_eq!(crowd.positions[slot], alone.positions[0]);
    assert_eq!(crowd.rotations[slot], alone.rotations[0]);
}
