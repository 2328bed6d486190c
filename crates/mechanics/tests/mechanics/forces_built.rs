//! Forces when a model is built: masses and frames taken from bodies, refused parameters, and steps without allocation.

use crate::common::*;

const ROUNDING: f64 = 1e-13;

/// Two bodies and a bead at random, and a wall.
struct Scene {
    builder: ModelBuilder,
    a: BodyId,
    b: BodyId,
    bead: BodyId,
    wall: BodyId,
}

impl Scene {
    fn new() -> Self {
        let mut random = Random::new(31);
        let mut builder = ModelBuilder::new();
        let mut at = |x: f64| Pose::new(random.rotation(), random.vector() + Vec3::x() * x);
        let a = builder.body(link("a"), at(0.0));
        let b = builder.body(link("b"), at(5.0));
        let bead = builder.body(Body::particle("bead", 0.3).unwrap(), at(10.0));
        let wall = builder.body(Body::fixed("wall"), at(15.0));
        Self { builder, a, b, bead, wall }
    }

    fn with(mut self, law: ForceLaw) -> Result<(Model, State), ModelError> {
        self.builder.force(force("f", law));
        self.builder.build()
    }
}

#[test]
fn gravity_takes_masses_and_centres_of_mass_from_the_bodies() {
    let s = Scene::new();
    let all = [s.a.0, s.b.0, s.bead.0];
    let (model, state) = s.with(ForceLaw::Gravitation(Gravitation::new(2.0, &all))).unwrap();
    let found = pulls(&model, &state);
    for (i, pull) in found.iter().enumerate() {
        let mut expected = Vec3::zeros();
        for j in 0..3 {
            let x = state.positions[j] - state.positions[i];
            if i != j {
                expected += x * (2.0 * model.links[i].mass * model.links[j].mass / x.norm().powi(3));
            }
        }
        assert!((pull.force - expected).amax() < ROUNDING);
        assert!(pull.wrench(&state.rotations[i]).fixed_rows::<3>(3).amax() < ROUNDING);
    }
    assert_eq!(model.islands.len(), 1);

    let s = Scene::new();
    let (wall, b) = (s.wall.0, s.b.0);
    let error = s.with(ForceLaw::Gravitation(Gravitation::new(2.0, &[wall, b]))).unwrap_err();
    assert!(error.to_string().contains("force `f`") && error.to_string().contains("mu = G M"), "{error}");

    let s = Scene::new();
    let (a, centre) = (s.a, Vec3::new(0.0, -3.0, 1.0));
    let (model, state) = s.with(ForceLaw::Attraction(Attraction::new(a.0, centre, 5.0))).unwrap();
    let slot = model.slots[a.0].unwrap();
    let x = centre - state.positions[slot];
    let expected = x * (5.0 * model.links[slot].mass / x.norm().powi(3));
    assert!((pulls(&model, &state)[slot].force - expected).amax() < ROUNDING);
    // A point of space ties no bodies together.
    assert_eq!(model.islands.len(), 3);
}

#[test]
fn loads_in_the_bodys_axes_are_those_of_its_author() {
    let s = Scene::new();
    let (a, pose) = (s.a, s.builder.pose(s.a));
    let (force, torque) = (Vec3::new(1.0, 2.0, 3.0), Vec3::new(-0.5, 0.2, 0.9));
    let point = Vec3::new(0.3, -0.1, 0.2);
    let load = Load {
        anchor: on(a.0, point),
        force: Some(Given::constant(force, Axes::Body)),
        torque: Some(Given::constant(torque, Axes::Body)),
    };
    let (model, state) = s.with(ForceLaw::Load(load)).unwrap();
    let slot = model.slots[a.0].unwrap();
    let wrench = pulls(&model, &state)[slot].wrench(&state.rotations[slot]);
    let (push, arm) = (pose.rotation * force, pose.point(&point) - state.positions[slot]);
    assert!((wrench.fixed_rows::<3>(0) - push).amax() < ROUNDING);
    assert!((wrench.fixed_rows::<3>(3) - (arm.cross(&push) + pose.rotation * torque)).amax() < ROUNDING);
}

#[test]
fn drag_at_the_centre_of_mass_does_not_turn() {
    let s = Scene::new();
    let (a, anchor) = (s.a, s.builder.centre(s.a));
    let drag = Drag { linear: 2.0, medium: Vec3::x(), ..Drag::at(anchor) };
    let (model, state) = s.with(ForceLaw::Drag(drag)).unwrap();
    let slot = model.slots[a.0].unwrap();
    let wrench = pulls(&model, &state)[slot].wrench(&state.rotations[slot]);
    assert!((wrench.fixed_rows::<3>(0) - Vec3::x() * 2.0).amax() < ROUNDING);
    assert!(wrench.fixed_rows::<3>(3).amax() < ROUNDING);
}

#[test]
fn parameters_that_cannot_be_meant_are_refused_by_name() {
    let at = |body: usize| on(body, Vec3::zeros());
    let spring = || Spring { a: at(0), b: at(1), stiffness: 1.0, rest_length: 1.0, damping: 0.0 };
    let charges = |charge: f64| Charges {
        constant: 1.0,
        softening: 0.0,
        charges: vec![Source { anchor: at(0), weight: charge }, Source { anchor: at(1), weight: 1.0 }],
    };
    let push = |v: f64| Some(Given::constant(Vec3::x() * v, Axes::World));
    let load = |v: f64| Load { anchor: at(0), force: push(v), torque: None };
    let drag = || Drag::at(at(0));
    let nan = f64::NAN;
    let cases: Vec<(&str, ForceLaw)> = vec![
        ("stiffness is -1", ForceLaw::Spring(Spring { stiffness: -1.0, ..spring() })),
        ("stiffness is NaN", ForceLaw::Spring(Spring { stiffness: nan, ..spring() })),
        ("rest length is -2", ForceLaw::Spring(Spring { rest_length: -2.0, ..spring() })),
        ("damping is -3", ForceLaw::Spring(Spring { damping: -3.0, ..spring() })),
        (
            "a coordinate of an end is NaN",
            ForceLaw::Spring(Spring { b: in_world(Vec3::x() * nan), ..spring() }),
        ),
        ("a charge is inf", ForceLaw::Charges(charges(f64::INFINITY))),
        ("softening is -1", ForceLaw::Charges(Charges { softening: -1.0, ..charges(1.0) })),
        ("Coulomb's constant is 0", ForceLaw::Charges(Charges { constant: 0.0, ..charges(1.0) })),
        ("the constant of gravitation is NaN", ForceLaw::Gravitation(Gravitation::new(nan, &[0, 1]))),
        (
            "the gravitational parameter mu is -1",
            ForceLaw::Attraction(Attraction::new(0, Vec3::zeros(), -1.0)),
        ),
        ("a coordinate of the centre is NaN", ForceLaw::Attraction(Attraction::new(0, Vec3::x() * nan, 1.0))),
        ("a component of the force is NaN", ForceLaw::Load(load(nan))),
        ("linear drag is -1", ForceLaw::Drag(Drag { linear: -1.0, ..drag() })),
        ("quadratic drag is NaN", ForceLaw::Drag(Drag { quadratic: nan, ..drag() })),
        ("angular drag is -1", ForceLaw::Drag(Drag { angular: -1.0, ..drag() })),
        ("quadratic angular drag is -1", ForceLaw::Drag(Drag { angular_quadratic: -1.0, ..drag() })),
        (
            "a component of the medium's velocity is NaN",
            ForceLaw::Drag(Drag { medium: Vec3::y() * nan, ..drag() }),
        ),
    ];
    for (start, law) in cases {
        let error = Scene::new().with(law).unwrap_err().to_string();
        assert!(error.starts_with(&format!("force `f`: {start}; give a ")), "{error}");
    }
    for law in [ForceLaw::Spring(spring()), ForceLaw::Charges(charges(-1.0)), ForceLaw::Load(load(1.0))] {
        assert!(Scene::new().with(law).is_ok());
    }
}

#[test]
fn forces_along_joints_are_checked_too() {
    for (start, law) in [
        ("stiffness is -1", JointLaw::Spring { stiffness: -1.0, rest: 0.0 }),
        ("the rest coordinate is NaN", JointLaw::Spring { stiffness: 1.0, rest: f64::NAN }),
        ("damping is -1", JointLaw::Damper { damping: -1.0 }),
        ("a value of the motor is NaN", JointLaw::Motor(Table::constant([f64::NAN]))),
    ] {
        let mut s = Scene::new();
        let pose = s.builder.pose(s.a);
        s.builder.joint(s.builder.joint_at("hinge", JointKind::Revolute, None, s.a, &pose));
        s.builder.joint_force(JointForce { name: "f".to_owned(), slot: 0, coordinate: 0, law });
        let error = s.builder.build().unwrap_err().to_string();
        assert!(error.starts_with(&format!("force `f`: {start}; give a ")), "{error}");
    }
}

#[test]
fn what_has_no_orientation_is_not_turned() {
    let push = Some(Given::constant(Vec3::x(), Axes::Body));
    let world = Some(Given::constant(Vec3::x(), Axes::World));
    for (force, torque) in [(push.clone(), None), (None, world.clone())] {
        let s = Scene::new();
        let anchor = s.builder.centre(s.bead);
        let error = s.with(ForceLaw::Load(Load { anchor, force, torque })).unwrap_err();
        assert_eq!(error, ModelError::NoOrientation { force: "f".into(), body: "bead".into() });
    }
    let s = Scene::new();
    let anchor = s.builder.centre(s.bead);
    let error = s.with(ForceLaw::Drag(Drag { angular: 1.0, ..Drag::at(anchor) })).unwrap_err();
    assert!(matches!(error, ModelError::NoOrientation { .. }));
    let s = Scene::new();
    let anchor = s.builder.centre(s.bead);
    assert!(s.with(ForceLaw::Load(Load { anchor, force: world, torque: None })).is_ok());
}
