//! The maximum penetration of a state.

use crate::common::*;

fn lump(name: &str) -> Body {
    Body::rigid(name, 1.0, Vec3::zeros(), &Mat3::identity()).unwrap()
}

fn ball(name: &str, radius: f64) -> Body {
    lump(name).with_shape(Solid::Sphere(Sphere::new(radius).unwrap()), Pose::identity())
}

#[test]
fn the_deepest_pair_is_found_with_its_overlap() {
    let mut builder = ModelBuilder::new();
    builder.contact(ContactSpec::default());
    for (name, x) in [("first", 0.0), ("second", 1.9), ("third", 3.6), ("far", 9.0)] {
        builder.body(ball(name, 1.0), Pose::at(Vec3::new(x, 0.0, 5.0)));
    }
    builder.body(half_space("floor", Vec3::z(), 4.05), Pose::identity());
    let (model, mut state) = builder.build().unwrap();
    let contacts = model.contacts.as_ref().unwrap();
    let names =
        |pair: (usize, usize)| [pair.0, pair.1].map(|part| contacts.parts[part].body_name(&model).to_owned());
    let (overlap, pair) = contacts.deepest(&state).unwrap();
    assert!((overlap - 0.3).abs() < 1e-14);
    assert_eq!(names(pair), ["second", "third"]);
    // Apart from each other, they stand in the floor; one of them deeper.
    state.positions.iter_mut().enumerate().for_each(|(i, x)| x.x = 3.0 * i as f64);
    let slot = model.slots[3].unwrap();
    state.positions[slot].z = 4.5;
    let (overlap, pair) = contacts.deepest(&state).unwrap();
    assert!((overlap - 0.55).abs() < 1e-14);
    assert_eq!(names(pair), ["far", "floor"]);
    state.positions.iter_mut().for_each(|x| x.z = 5.06);
    assert_eq!(contacts.deepest(&state), None);
}

#[test]
fn bodies_that_never_meet_do_not_overlap() {
    let mut builder = ModelBuilder::new();
    let ids = [("a", 0.0), ("b", 1.0), ("c", 2.5)]
        .map(|(name, x)| builder.body(ball(name, 1.0), Pose::at(Vec3::new(x, 0.0, 0.0))));
    let frame = Pose::identity();
    builder.joint(builder.joint_at("hinge", JointKind::Revolute, Some(ids[0]), ids[1], &frame));
    let apart = PairRule { a: ids[1], b: ids[2], collide: false, surface: None };
    builder.contact(ContactSpec { pairs: vec![apart], ..ContactSpec::default() });
    let (model, state) = builder.build().unwrap();
    assert_eq!(model.contacts.as_ref().unwrap().deepest(&state), None);
}

#[test]
fn balls_reject_no_overlap_in_space_and_in_the_plane() {
    let mut random = Random::new(4);
    let mut seen = 0;
    for _ in 0..40 {
        let mut builder = ModelBuilder::new();
        builder.contact(ContactSpec::default());
        for k in 0..5 {
            let shape = Polytope::cuboid(0.3, 0.5 + 0.1 * f64::from(k), 0.9).unwrap();
            let inside = Pose::new(random.rotation(), random.vector() * 0.2);
            let body = lump(&format!("{k}")).with_shape(Solid::Polytope(shape), inside);
            builder.body(body, random_pose(&mut random));
        }
        // A floor on a moving body, as a lid would be.
        let lid = Solid::HalfSpace(HalfSpace::new(random.vector(), -0.6).unwrap());
        builder.body(lump("lid").with_shape(lid, random_pose(&mut random)), random_pose(&mut random));
        let mut disc = |name: &str, random: &mut Random| {
            let shape = PlanarShape::Circle(Circle::new(0.2).unwrap());
            let inside = PlanarPose::new(random.signed(), Vec2::new(0.1, 0.05));
            let pose = Pose::at(Vec3::new(random.signed(), random.signed(), 0.0) * 0.5);
            let id = builder.body(lump(name).with_outline(shape, inside), pose);
            builder.joint(builder.joint_at(name, JointKind::Planar, None, id, &Pose::identity()));
        };
        disc("left", &mut random);
        disc("right", &mut random);
        let line = PlanarShape::HalfPlane(HalfPlane::new(Vec2::new(0.3, 1.0), -0.1).unwrap());
        builder.body(Body::fixed("ground").with_outline(line, PlanarPose::identity()), Pose::identity());
        let (model, state) = builder.build().unwrap();
        let contacts = model.contacts.as_ref().unwrap();
        let mut deepest = 0.0_f64;
        for (a, b) in contacts.all_pairs() {
            let poses = (contacts.parts[a].body_pose(&state), contacts.parts[b].body_pose(&state));
            let (poses, mut warm) = ((&poses.0, &poses.1), PairWarmStart::default());
            let touch = contacts.separation((a, b), poses, f64::INFINITY, &mut warm);
            deepest = deepest.max(-touch.unwrap().separation);
        }
        let found = contacts.deepest(&state).map_or(0.0, |(overlap, _)| overlap);
        assert_eq!(found, deepest);
        seen += usize::from(found > 0.0);
    }
    assert!(seen > 20);
}
