//! Results are bitwise identical for any number of threads.

use crate::common::*;

/// Free bodies, jointed pairs and pairs on springs, mixed.
fn crowd(count: usize) -> (Model, State) {
    let mut random = Random::new(7);
    let mut builder = falling();
    let mut last = None;
    for i in 0..count {
        let moments = Vec3::new(1.5, 1.7, 2.0) + random.vector() * 0.2;
        let body =
            Body::rigid(&format!("b{i}"), 1.0, Vec3::zeros(), &Matrix3::from_diagonal(&moments)).unwrap();
        let pose = random_pose(&mut random);
        let id = builder.body(body, pose);
        builder.velocity(id, random.vector(), random.vector());
        if i % 5 == 1 {
            builder.joint(builder.joint_at(&format!("j{i}"), JointKind::Spherical, last, id, &pose));
        }
        if i % 5 == 3 {
            let (a, b) = (on(i, random.vector()), on(i - 1, random.vector()));
            builder.force(spring(&format!("s{i}"), a, b, (5.0, 0.0), 0.0));
        }
        last = Some(id);
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
    builder.velocity(id, linear(&twist), angular(&twist));
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

/// Boxes in a loose lattice that fall on a floor: more pairs than one thread queries.
#[test]
fn a_pile_is_bitwise_identical_for_any_number_of_threads() {
    let mut random = Random::new(3);
    let mut builder = level(0.0, 0.5);
    for k in 0..216 {
        let at = Vec3::new((k % 6) as f64, (k / 6 % 6) as f64, (k / 36) as f64) * 0.3 + Vec3::z() * 0.25;
        builder.body(cuboid(&format!("box-{k}"), 0.2, 0.22, 0.24), Pose::new(random.rotation(), at));
    }
    let (model, start) = builder.build_open().unwrap();
    let run = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| {
            let options = LcpOptions { sweeps: 20, newton_factorizations: 0, ..LcpOptions::default() };
            let mut state = start.clone();
            let mut scheme = Lcp::new(&model, &state, &options).unwrap();
            let mut contacts = 0;
            for _ in 0..40 {
                scheme.step(&model, &mut state, 0.01).unwrap();
                contacts = contacts.max(scheme.last_solve().contacts);
            }
            assert!(contacts > 400, "{contacts}");
            state
        })
    };
    let alone = run(1);
    for threads in [2, 3, 8] {
        assert_eq!(run(threads), alone, "{threads} threads");
    }
}
