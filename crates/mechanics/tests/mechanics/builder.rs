//! From a description to a model: coordinates are read back, and what cannot be is refused by name.

use crate::common::*;

/// Rounding of a chain of a few placements of size one.
const ROUNDING: f64 = 1e-13;
/// Differences of fourth order along a chain of a dozen bodies.
const DIFFERENCES: f64 = 1e-10;

/// A rigid body whose centre of mass and principal axes are not those of its author.
fn rigid(name: &str, random: &mut Random) -> Body {
    let turn = random.rotation();
    let inertia = turn.matrix() * Mat3::from_diagonal(&Vec3::new(1.0, 1.5, 2.0)) * turn.matrix().transpose();
    Body::rigid(name, 2.0, random.vector(), &(0.5 * (inertia + inertia.transpose()))).unwrap()
}

fn inverse(pose: &Pose) -> Pose {
    let rotation = pose.rotation.inverse();
    Pose::new(rotation, -(rotation * pose.position))
}

fn about(axis: Vec3, angle: f64) -> Rotation3<f64> {
    Rotation3::from_axis_angle(&UnitVector3::new_normalize(axis), angle)
}

/// `R_J` and `t_J` from the table of joints, written independently of the engine.
fn joint_pose(kind: JointKind, particle: bool, c: &[f64], random: &mut Random) -> Pose {
    let z = Vec3::z();
    match kind {
        JointKind::Fixed => Pose::identity(),
        JointKind::Revolute => Pose::new(about(z, c[0]), Vec3::zeros()),
        JointKind::Prismatic => Pose::at(z * c[0]),
        JointKind::Cylindrical => Pose::new(about(z, c[0]), z * c[1]),
        JointKind::Universal => Pose::new(about(Vec3::x(), c[0]) * about(Vec3::y(), c[1]), Vec3::zeros()),
        JointKind::Spherical => Pose::new(random.rotation(), Vec3::zeros()),
        JointKind::Planar if particle => Pose::at(Vec3::new(c[0], c[1], 0.0)),
        JointKind::Planar => Pose::new(about(z, c[2]), Vec3::new(c[0], c[1], 0.0)),
        JointKind::Free => random_pose(random),
        JointKind::Rod => Pose::new(random.rotation(), random.vector()),
    }
}

/// A joint of a kind on a parent (a body or the world), its child placed at given coordinates.
fn hang(
    builder: &mut ModelBuilder,
    name: &str,
    kind: JointKind,
    parent: Option<BodyId>,
    child: Body,
    c: &[f64],
    random: &mut Random,
) -> (BodyId, JointSpec) {
    let particle = child.kind == BodyKind::Particle;
    let (parent_frame, child_frame) = (random_pose(random), random_pose(random));
    let base = parent.map_or_else(Pose::identity, |id| builder.pose(id));
    let at =
        base.then(&parent_frame).then(&joint_pose(kind, particle, c, random)).then(&inverse(&child_frame));
    let id = builder.body(child, at);
    let at = Pose::identity();
    let spec = JointSpec::at(name, kind, None, (id, &at), &at);
    (id, JointSpec { parent, parent_frame, child_frame, ..spec })
}

#[test]
fn coordinates_with_whole_turns_are_read_back_and_place_the_child_where_it_was() {
    let mut random = Random::new(11);
    for kind in ALL_KINDS {
        for particle in [false, true] {
            if particle && !kind.suits_particle() {
                continue;
            }
            for repeat in 0..8 {
                let mut builder = ModelBuilder::new();
                let pose = random_pose(&mut random);
                let base = builder.body(rigid("base", &mut random), pose);
                let parent = (repeat % 4 != 3).then_some(base);
                let child = match particle {
                    true => Body::particle("child", 1.0).unwrap(),
                    false => rigid("child", &mut random),
                };
                let c: Vec<f64> = (0..3).map(|_| 3.1 * random.signed()).collect();
                let (child, mut joint) = hang(&mut builder, "j", kind, parent, child, &c, &mut random);
                joint.turns = [2.0, -3.0, 7.0];
                let count = kind.coordinates(particle);
                let turned =
                    |i: usize| if kind.is_angle(i) { joint.turns[i] * std::f64::consts::TAU } else { 0.0 };
                let expected: Vec<f64> = (0..count).map(|i| c[i] + turned(i)).collect();
                builder.joint(joint);
                let placed = builder.pose(child);
                let (model, state) = builder.build().unwrap();
                let slot = model.slots[child.0].unwrap();
                let link = &model.links[slot];
                let found = &state.coordinates[link.coordinates()];
                assert_eq!(found.len(), count);
                for (a, b) in found.iter().zip(&expected) {
                    assert!((a - b).abs() < ROUNDING, "{}: {found:?} {expected:?}", kind.word());
                }
                assert_eq!(link.parent, parent.map(|id| model.slots[id.0].unwrap()));
                // The author's frame is where the author put it, and the engine's joint agrees.
                let pose = model.pose(&state, child.0);
                assert!((pose.position - placed.position).amax() < ROUNDING);
                assert!((pose.rotation.matrix() - placed.rotation.matrix()).amax() < ROUNDING);
                let above = link.parent.map(|p| (&state.positions[p], &state.rotations[p]));
                let here = (&state.positions[slot], &state.rotations[slot]);
                let stand = link.joint.frame(above, here, found);
                let (position, rotation) =
                    link.joint.child_pose(&stand, &stand.parent, &JointIncrement::zero(), found);
                assert!((position - here.0).amax() < ROUNDING, "{} {position} {}", kind.word(), here.0);
                assert!((rotation - here.1).amax() < ROUNDING, "{} {rotation} {}", kind.word(), here.1);
            }
        }
    }
}

#[test]
fn twists_of_a_tree_are_the_differences_of_its_placements_also_below_particles() {
    let mut random = Random::new(12);
    let mut builder = ModelBuilder::new();
    let pose = random_pose(&mut random);
    let mut parent = builder.body(rigid("root", &mut random), pose);
    let chain = [
        (JointKind::Revolute, false),
        (JointKind::Rod, true),
        (JointKind::Rod, true),
        (JointKind::Universal, false),
        (JointKind::Prismatic, true),
        (JointKind::Planar, false),
        (JointKind::Free, true),
        (JointKind::Cylindrical, false),
        (JointKind::Rod, false),
        (JointKind::Spherical, false),
        (JointKind::Fixed, false),
    ];
    for (i, (kind, particle)) in chain.into_iter().enumerate() {
        let name = format!("b{i}");
        let body = match particle {
            true => Body::particle(&name, 1.0).unwrap(),
            false => rigid(&name, &mut random),
        };
        let c: Vec<f64> = (0..3).map(|_| random.signed()).collect();
        let (id, joint) = hang(&mut builder, &name, kind, Some(parent), body, &c, &mut random);
        builder.joint(joint);
        parent = id;
    }
    let (model, state) = builder.build().unwrap();
    let system = model.mass_system(&state, 0..model.moving());
    for k in 0..model.dofs {
        let mut u = vec![0.0; model.dofs];
        u[k] = 1.0;
        let mut twists = vec![Vec6::zeros(); model.moving()];
        system.expand(&u, &mut twists);
        let at = |e: f64| {
            let (mut to, d) = (state.clone(), u.iter().map(|v| v * e).collect::<Vec<_>>());
            displace(&model, &model.islands[0], &state, &d, &mut to);
            to
        };
        for (slot, expected) in twists.iter().enumerate() {
            let v = derivative(|e| at(e).positions[slot]);
            let spin = derivative(|e| at(e).rotations[slot]) * state.rotations[slot].transpose();
            let found = twist(&v, &Vec3::new(spin[(2, 1)], spin[(0, 2)], spin[(1, 0)]));
            assert!((found - expected).amax() < DIFFERENCES, "dof {k}, body {slot}: {found} {expected}");
        }
    }
}

/// A body at a place with a joint of some kind to the world, or to the body before.
struct Scene {
    builder: ModelBuilder,
    a: BodyId,
    b: BodyId,
    fixed: BodyId,
    bead: BodyId,
}

impl Scene {
    fn new() -> Self {
        let mut builder = ModelBuilder::new();
        let body = |name: &str| Body::rigid(name, 1.0, Vec3::zeros(), &Mat3::identity()).unwrap();
        let a = builder.body(body("a"), Pose::at(Vec3::x()));
        let b = builder.body(body("b"), Pose::at(Vec3::x() * 2.0));
        let fixed = builder.body(Body::fixed("wall"), Pose::identity());
        let bead = builder.body(Body::particle("bead", 1.0).unwrap(), Pose::at(Vec3::y()));
        Self { builder, a, b, fixed, bead }
    }

    /// A joint at the child's centre.
    fn joint(&self, name: &str, kind: JointKind, parent: Option<BodyId>, child: BodyId) -> JointSpec {
        self.builder.joint_at(name, kind, parent, child, &self.builder.pose(child))
    }

    /// Adds such a joint to the tree.
    fn tie(&mut self, name: &str, kind: JointKind, parent: Option<BodyId>, child: BodyId) -> JointId {
        let joint = self.joint(name, kind, parent, child);
        self.builder.joint(joint)
    }

    /// The error of a scene that is changed before it is built.
    fn error(change: impl Fn(&mut Self)) -> ModelError {
        let mut scene = Self::new();
        change(&mut scene);
        scene.builder.build().unwrap_err()
    }

    /// The message of a joint that is changed before it is added, as a joint of the tree or of a loop.
    fn refusal(kind: JointKind, in_loop: bool, change: impl Fn(&mut JointSpec)) -> Option<ModelError> {
        let mut s = Scene::new();
        let mut joint = s.joint("j", kind, Some(s.a), s.b);
        change(&mut joint);
        if in_loop {
            s.builder.close(joint);
        } else {
            s.builder.joint(joint);
        }
        s.builder.build().err()
    }
}

#[test]
fn joints_that_cannot_hang_are_refused_by_name() {
    use JointKind::{Free, Revolute, Rod};
    let error = Scene::error(|s| {
        s.tie("first", Revolute, None, s.a);
        s.tie("second", Free, Some(s.b), s.a);
    });
    assert!(matches!(&error, ModelError::TwoParents { body, .. } if body == "a"), "{error}");
    assert!(error.to_string().contains("`first` and `second`") && error.to_string().contains("loop"));
    let error = Scene::error(|s| {
        s.tie("up", Revolute, Some(s.a), s.b);
        s.tie("down", Revolute, Some(s.b), s.a);
    });
    assert!(matches!(&error, ModelError::Cycle { body, .. } if body == "a"), "{error}");
    let tied = |name: &str, kind: JointKind, ends: fn(&Scene) -> (Option<BodyId>, BodyId)| {
        Scene::error(|s| {
            let (parent, child) = ends(s);
            s.tie(name, kind, parent, child);
        })
    };
    let error = tied("knot", Revolute, |s| (Some(s.a), s.a));
    assert_eq!(error, ModelError::ToItself { joint: "knot".into(), body: "a".into() });
    let error = tied("hinge", Revolute, |s| (Some(s.a), s.fixed));
    assert_eq!(error, ModelError::FixedChild { joint: "hinge".into(), body: "wall".into() });
    let error = tied("hinge", Revolute, |s| (None, s.bead));
    assert!(matches!(&error, ModelError::Particle { kind: "revolute", .. }), "{error}");
    let error = tied("rod", Rod, |s| (None, s.a));
    assert_eq!(error, ModelError::Rod { joint: "rod".into(), length: 0.0 });
    let error = Scene::error(|s| {
        let joint = s.joint("lost", Free, None, s.a);
        s.builder.joint(JointSpec { parent: Some(BodyId(99)), ..joint });
    });
    assert!(matches!(error, ModelError::Unknown { what: "body", id: 99, count: 4, .. }));
}

#[test]
fn bodies_that_are_not_where_their_joint_wants_them_are_refused() {
    for kind in ALL_KINDS {
        for in_loop in [false, true] {
            let length = (kind == JointKind::Rod).then_some(1.0);
            let apart = |joint: &mut JointSpec| {
                joint.parent_frame.position +=
                    Vec3::new(1.0, 0.0, 0.0) * f64::from(u8::from(length.is_some()));
                joint.length = length;
            };
            assert_eq!(Scene::refusal(kind, in_loop, apart), None, "{}", kind.word());
            if kind == JointKind::Free {
                continue;
            }
            let off = |joint: &mut JointSpec| {
                apart(joint);
                joint.parent_frame.position += Vec3::new(0.3, 0.2, 0.1);
            };
            let error = Scene::refusal(kind, in_loop, off).unwrap();
            assert!(matches!(&error, ModelError::Misfit { joint, .. } if joint == "j"), "{error}");
            // Rounding of an author's decimals is forgiven.
            let nearly = |joint: &mut JointSpec| {
                apart(joint);
                joint.parent_frame.position += Vec3::new(3e-9, 2e-9, 1e-9);
            };
            assert_eq!(Scene::refusal(kind, in_loop, nearly), None, "{}", kind.word());
        }
    }
    let tilted = |joint: &mut JointSpec| joint.child_frame.rotation = about(Vec3::x(), 0.01);
    let error = Scene::refusal(JointKind::Revolute, false, tilted).unwrap();
    assert!(matches!(&error, ModelError::Misfit { row, .. } if row.contains("right angle")), "{error}");
}

#[test]
fn axes_that_point_the_wrong_way_are_refused_though_their_right_angles_are_right() {
    use JointKind::{Cylindrical, Fixed, Planar, Prismatic, Revolute};
    let half = std::f64::consts::PI;
    let third = 2.0 * half / 3.0;
    let sum = Vec3::new(1.0, 1.0, 1.0);
    for in_loop in [false, true] {
        for (kind, axis, angle) in [
            (Revolute, Vec3::x(), half),
            (Revolute, Vec3::y(), half),
            (Cylindrical, Vec3::x(), half),
            (Planar, Vec3::new(0.6, 0.8, 0.0), half),
            (Prismatic, Vec3::z(), half),
            (Prismatic, sum, third),
            (Fixed, Vec3::x(), half),
            (Fixed, Vec3::z(), half),
            (Fixed, sum, -third),
        ] {
            let error =
                Scene::refusal(kind, in_loop, |joint| joint.child_frame.rotation = about(axis, angle));
            let fits_rows = !matches!(error, Some(ModelError::Misfit { .. }));
            // One of the two thirds of a turn breaks the right angles themselves.
            assert!(fits_rows || angle.abs() == third, "{error:?}");
            if fits_rows {
                assert_eq!(error, Some(ModelError::Flipped { joint: "j".into() }), "{}", kind.word());
            }
        }
        // Half a turn about the joint's own axis is a coordinate.
        let turned = |joint: &mut JointSpec| joint.child_frame.rotation = about(Vec3::z(), half);
        for kind in [Revolute, Cylindrical, Planar] {
            assert_eq!(Scene::refusal(kind, in_loop, turned), None, "{}", kind.word());
        }
    }
}

#[test]
fn velocities_that_joints_do_not_allow_are_refused_or_projected() {
    let scene = |velocity: Vec3, project: bool| {
        let mut s = Scene::new();
        let mut joint = s.joint("hinge", JointKind::Revolute, None, s.a);
        // The hinge is at the origin, its axis is z; the body is one metre away along x.
        joint.parent_frame.position = Vec3::zeros();
        joint.child_frame.position = -Vec3::x();
        s.builder.joint(joint);
        s.builder.velocity(s.a, velocity, Vec3::z() * 2.0);
        s.builder.project(project);
        let a = s.a;
        s.builder.build().map(|(model, state)| model.twists(&state)[model.slots[a.0].unwrap()])
    };
    let allowed = scene(Vec3::y() * 2.0, false).unwrap();
    assert!((allowed - twist(&(Vec3::y() * 2.0), &(Vec3::z() * 2.0))).amax() < ROUNDING);
    let error = scene(Vec3::y() * 2.5, false).unwrap_err();
    assert!(
        matches!(&error, ModelError::Velocity { body, joint, .. } if body == "a" && joint == "hinge"),
        "{error}"
    );
    // m = 1, J = 1 about the hinge J + m = 2: angular momentum 2.5 + 2 gives the nearest rate 2.25.
    let nearest = scene(Vec3::y() * 2.5, true).unwrap();
    assert!((nearest - twist(&(Vec3::y() * 2.25), &(Vec3::z() * 2.25))).amax() < ROUNDING);

    let error = Scene::error(|s| {
        let hinge = s.tie("hinge", JointKind::Revolute, None, s.a);
        s.builder.rates(hinge, &[1.0, 2.0]);
    });
    assert_eq!(error, ModelError::Rates { joint: "hinge".into(), expected: 1, found: 2 });
    let error = Scene::error(|s| s.builder.velocity(s.fixed, Vec3::x(), Vec3::zeros()));
    assert_eq!(error, ModelError::FixedVelocity { body: "wall".into() });
}

type Change = fn(&mut Scene);

fn pull(a: usize, b: usize) -> Force {
    spring("pull", on(a, Vec3::zeros()), on(b, Vec3::zeros()), (1.0, 0.5), 0.0)
}

fn brake(name: &str, joint: usize, coordinate: usize) -> JointForce {
    JointForce { name: name.to_owned(), slot: joint, coordinate, law: JointLaw::Damper { damping: 1.0 } }
}

#[test]
fn names_that_stand_twice_are_refused() {
    let cases: [(&'static str, &str, Change); 3] = [
        ("bodies", "a", |s| {
            s.builder.body(Body::fixed("a"), Pose::identity());
        }),
        ("joints", "j", |s| {
            s.tie("j", JointKind::Free, None, s.a);
            s.builder.close(s.joint("j", JointKind::Free, None, s.b));
        }),
        ("forces", "pull", |s| {
            s.tie("hinge", JointKind::Revolute, None, s.a);
            s.builder.force(pull(s.a.0, s.b.0));
            s.builder.joint_force(brake("pull", 0, 0));
        }),
    ];
    for (what, name, add) in cases {
        assert_eq!(Scene::error(add), ModelError::Duplicate { what, name: name.into() });
    }
}

#[test]
fn forces_on_what_is_not_there_are_refused() {
    let error = Scene::error(|s| s.builder.force(pull(0, 17)));
    assert_eq!(error.to_string(), "force `pull`: there is no body number 17; 4 were added");
    let error = Scene::error(|s| s.builder.joint_force(brake("brake", 0, 0)));
    assert!(matches!(error, ModelError::Unknown { what: "joint", id: 0, count: 0, .. }));
    let error = Scene::error(|s| {
        s.tie("hinge", JointKind::Revolute, None, s.a);
        s.builder.joint_force(brake("brake", 0, 1));
    });
    assert!(matches!(error, ModelError::Coordinate { coordinates: 1, asked: 1, .. }));
    // The index is that of a coordinate: a missing one is not taken for a degree of freedom.
    let error = Scene::error(|s| {
        s.tie("ball", JointKind::Spherical, None, s.a);
        let law = JointLaw::Motor(Table::constant([1.0]));
        s.builder.joint_force(JointForce { law, ..brake("motor", 0, 0) });
    });
    assert!(matches!(error, ModelError::Coordinate { coordinates: 0, asked: 0, .. }));
}

#[test]
fn numbers_that_are_none_are_caught_at_the_door() {
    let cases: [(&str, Change); 6] = [
        ("gravity", |s| s.builder.gravity(Vec3::new(0.0, f64::NAN, 0.0))),
        ("the placement of `c`", |s| {
            let body = Body::particle("c", 1.0).unwrap();
            s.builder.body(body, Pose::at(Vec3::new(f64::INFINITY, 0.0, 0.0)));
        }),
        ("the velocity of `a`", |s| s.builder.velocity(s.a, Vec3::zeros(), Vec3::x() * f64::NAN)),
        ("the frame of joint `j`", |s| {
            let mut joint = s.joint("j", JointKind::Free, None, s.a);
            joint.child_frame.position.x = f64::NAN;
            s.builder.joint(joint);
        }),
        ("a rate of joint `j`", |s| {
            let id = s.tie("j", JointKind::Revolute, None, s.a);
            s.builder.rates(id, &[f64::NAN]);
        }),
        ("the turns of joint `j`", |s| {
            let joint = s.joint("j", JointKind::Revolute, None, s.a);
            s.builder.joint(JointSpec { turns: [f64::NAN, 0.0, 0.0], ..joint });
        }),
    ];
    for (place, spoil) in cases {
        assert_eq!(Scene::error(spoil), ModelError::NotFinite { place: place.into() });
    }
    let limited = |lower, upper| {
        Scene::refusal(JointKind::Revolute, false, |j| j.limits[0] = Some(Limits::new(lower, upper)))
    };
    assert_eq!(limited(f64::NEG_INFINITY, 1.0), None);
    assert!(matches!(limited(f64::NAN, 1.0), Some(ModelError::Range { .. })));
    assert!(matches!(limited(2.0, 1.0), Some(ModelError::Range { value: 2.0, .. })));
    let part = Scene::refusal(JointKind::Revolute, false, |j| j.turns[0] = 0.5);
    assert!(matches!(part, Some(ModelError::Range { value: 0.5, .. })));
    let error = Scene::error(|s| {
        let particle = Body::particle("c", 1.0).unwrap();
        s.builder.body(Body { kind: BodyKind::Rigid, ..particle }, Pose::identity());
    });
    assert_eq!(error, ModelError::Body { body: "c".into(), error: BodyError::Moment(0.0) });
}
