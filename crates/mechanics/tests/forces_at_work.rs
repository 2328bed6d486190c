//! Motions under each force that can be written down, with the scheme's own order of accuracy, and work that is booked.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod common;

use common::link;
use percussion_geometry::{Pose, Vec3};
use percussion_mechanics::force::{
    Anchor, Attraction, Axes, Charges, Drag, Force, ForceLaw, Given, Gravitation, JointForce, JointLaw, Load,
    Source, Spring,
};
use percussion_mechanics::rotation::Mat3;
use percussion_mechanics::schemes::{Scheme, Variational};
use percussion_mechanics::simulation::Simulation;
use percussion_mechanics::spatial::{angular, linear};
use percussion_mechanics::table::Table;
use percussion_mechanics::{Body, BodyId, JointKind, Model, ModelBuilder, State};

fn force(name: &str, law: ForceLaw) -> Force {
    Force { name: name.to_owned(), law }
}

fn run(model: &Model, mut state: State, until: f64, steps: usize) -> State {
    let mut scheme = Variational::new(model, &state);
    for _ in 0..steps {
        scheme.step(model, &mut state, until / steps as f64).unwrap();
    }
    state
}

/// Error of a motion at two steps: it falls by four when the step is halved.
fn second_order(error: impl Fn(usize) -> f64, steps: usize) {
    let (coarse, fine) = (error(steps), error(2 * steps));
    let order = (coarse / fine).log2();
    assert!((order - 2.0).abs() < 0.1, "order {order}: {coarse:e} {fine:e}");
}

/// One ball of a unit mass and unit inertia with a velocity and a spin.
fn ball(velocity: Vec3, spin: Vec3, law: impl Fn(&ModelBuilder, BodyId) -> ForceLaw) -> (Model, State) {
    let mut builder = ModelBuilder::new();
    let body = Body::rigid("ball", 1.0, Vec3::zeros(), &Mat3::identity()).unwrap();
    let id = builder.body(body, Pose::at(Vec3::x()));
    builder.velocity(id, velocity, spin);
    let law = law(&builder, id);
    builder.force(force("f", law));
    builder.build().unwrap()
}

#[test]
fn a_planet_goes_round_in_the_time_kepler_says() {
    // Semi-axis a = 1/(2 - v²), period 2π a^1.5 for mu = 1 at r = 1.
    let speed = 1.2f64;
    let period = std::f64::consts::TAU * (1.0 / (2.0 - speed * speed)).powf(1.5);
    let (model, start) = ball(Vec3::y() * speed, Vec3::zeros(), |_, id| {
        ForceLaw::Attraction(Attraction::new(id.0, Vec3::zeros(), 1.0))
    });
    second_order(|steps| (run(&model, start.clone(), period, steps).positions[0] - Vec3::x()).norm(), 2000);
}

#[test]
fn two_stars_circle_each_other_and_two_like_charges_part() {
    let pair = |speed: f64, law: ForceLaw| {
        let mut builder = ModelBuilder::new();
        for (name, side) in [("a", 1.0), ("b", -1.0)] {
            let id = builder.body(Body::particle(name, 1.0).unwrap(), Pose::at(Vec3::x() * side));
            builder.velocity(id, Vec3::y() * (speed * side), Vec3::zeros());
        }
        builder.force(force("f", law));
        builder.build().unwrap()
    };
    // G m/(2r)² = v²/r: with r = 1, G = 4 the speed is one.
    let (model, start) = pair(1.0, ForceLaw::Gravitation(Gravitation::new(4.0, &[0, 1])));
    let once = std::f64::consts::TAU;
    second_order(
        |steps| (run(&model, start.clone(), once, steps).positions[0] - start.positions[0]).norm(),
        500,
    );

    let charge = |body| Source { anchor: Anchor { body: Some(body), arm: Vec3::zeros() }, weight: 1.0 };
    let charges = Charges { constant: 4.0, softening: 0.0, charges: vec![charge(0), charge(1)] };
    let (model, start) = pair(0.0, ForceLaw::Charges(charges));
    // Energy: 2 · v²/2 + K/(2x) = K/2, so from x = 1 to x the time is ∫ dx / sqrt(2 (1 - 1/x)), in closed form.
    let x = 3.0f64;
    let time = ((x * (x - 1.0)).sqrt() + x.sqrt().acosh()) / 2f64.sqrt();
    second_order(|steps| (run(&model, start.clone(), time, steps).positions[0].x - x).abs(), 200);
}

#[test]
fn drag_slows_by_its_law() {
    let (model, start) = ball(Vec3::y() * 2.0, Vec3::z() * 3.0, |builder, id| {
        ForceLaw::Drag(Drag { linear: 0.5, angular: 0.7, ..Drag::at(builder.centre(id)) })
    });
    second_order(
        |steps| {
            (linear(&model.twists(&run(&model, start.clone(), 1.0, steps))[0]).y - 2.0 * (-0.5f64).exp())
                .abs()
        },
        50,
    );
    second_order(
        |steps| {
            (angular(&model.twists(&run(&model, start.clone(), 1.0, steps))[0]).z - 3.0 * (-0.7f64).exp())
                .abs()
        },
        50,
    );

    let (model, start) = ball(Vec3::y() * 2.0, Vec3::z() * 3.0, |builder, id| {
        let medium = -Vec3::y();
        ForceLaw::Drag(Drag {
            quadratic: 0.5,
            angular_quadratic: 0.7,
            medium,
            ..Drag::at(builder.centre(id))
        })
    });
    // w' = -c w², w(0) = 3 against the medium: w = 3/(1 + 3 c t).
    second_order(
        |steps| (linear(&model.twists(&run(&model, start.clone(), 1.0, steps))[0]).y + 1.0 - 3.0 / 2.5).abs(),
        50,
    );
    second_order(
        |steps| (angular(&model.twists(&run(&model, start.clone(), 1.0, steps))[0]).z - 3.0 / 3.1).abs(),
        50,
    );
}

#[test]
fn loads_push_along_their_axes() {
    // A thrust that turns with a body of steady spin: v = F/(m ω) (sin ωt, 1 - cos ωt) in the plane.
    let (model, start) = ball(Vec3::zeros(), Vec3::z() * 2.0, |builder, id| {
        let force = Some(Given::constant(Vec3::x() * 3.0, Axes::Body));
        ForceLaw::Load(Load { anchor: builder.centre(id), force, torque: None })
    });
    let expected = Vec3::new(2f64.sin(), 1.0 - 2f64.cos(), 0.0) * 1.5;
    second_order(
        |steps| (linear(&model.twists(&run(&model, start.clone(), 1.0, steps))[0]) - expected).norm(),
        50,
    );

    // Torque 4t about the axis of spin, force 2t along x: the midpoint rule is exact for lines.
    let (model, start) = ball(Vec3::zeros(), Vec3::z() * 2.0, |builder, id| {
        let ramp = |top: Vec3, axes| {
            Some(Given { components: Table::new(vec![0.0, 1.0], vec![[0.0; 3], top.into()]).unwrap(), axes })
        };
        let (force, torque) = (ramp(Vec3::x() * 2.0, Axes::World), ramp(Vec3::z() * 4.0, Axes::World));
        ForceLaw::Load(Load { anchor: builder.centre(id), force, torque })
    });
    let twist = model.twists(&run(&model, start, 1.0, 64))[0];
    assert!(
        (linear(&twist) - Vec3::x()).amax() < 1e-13 && (angular(&twist) - Vec3::z() * 4.0).amax() < 1e-13
    );
}

/// How far two runs of as many steps are apart.
fn apart(models: [&Model; 2], start: &State) -> f64 {
    let [a, b] = models.map(|model| run(model, start.clone(), 0.5, 100));
    let places = a.positions.iter().zip(&b.positions).map(|(a, b)| (a - b).amax());
    let turns = a.rotations.iter().zip(&b.rotations).map(|(a, b)| (a - b).amax());
    places.chain(turns).fold(0.0, f64::max)
}

#[test]
fn a_motor_on_the_world_is_a_load_along_the_axes_of_its_joint() {
    for kind in [JointKind::Spherical, JointKind::Free] {
        let (model, start) = common::chain(kind, 2);
        let joint = &model.links[0].joint;
        let axes = joint.on_parent.axes;
        let table = |size: f64| Table::new(vec![0.0, 0.5], vec![[size], [-0.3]]).unwrap();
        let motors: Vec<JointForce> = (0..joint.dofs())
            .map(|coordinate| {
                let law = JointLaw::Motor(table(1.0 + coordinate as f64));
                JointForce { name: format!("motor-{coordinate}"), slot: 0, coordinate, law }
            })
            .collect();
        let given = |first: f64| {
            let row = |values: [f64; 3]| (axes * Vec3::from(values)).into();
            let rows = vec![row([first, first + 1.0, first + 2.0]), row([-0.3; 3])];
            Some(Given { components: Table::new(vec![0.0, 0.5], rows).unwrap(), axes: Axes::World })
        };
        let (push, turn) = match kind {
            JointKind::Free => (given(1.0), given(4.0)),
            _ => (None, given(1.0)),
        };
        let anchor = Anchor { body: Some(0), arm: joint.on_child.point };
        let load = force("load", ForceLaw::Load(Load { anchor, force: push, torque: turn }));
        let [driven, loaded] =
            [model.with_forces(Vec::new(), motors), model.with_forces(vec![load], Vec::new())];
        let (same, other) = (apart([&driven, &loaded], &start), apart([&driven, &model], &start));
        assert!(same < 1e-12 && other > 1e-2, "{kind:?}: {same:e} {other:e}");
    }
}

#[test]
fn work_of_motors_accounts_for_energy_on_joints_without_coordinates() {
    for kind in [JointKind::Spherical, JointKind::Free, JointKind::Rod] {
        let (model, start) = common::chain(kind, 3);
        let motors = (0..3).flat_map(|slot| {
            (0..kind.dofs(false)).map(move |coordinate| {
                let size = 0.5 + 0.3 * coordinate as f64 - 0.4 * slot as f64;
                let law = JointLaw::Motor(Table::new(vec![0.0, 0.2], vec![[size], [-0.3]]).unwrap());
                JointForce { name: format!("motor-{slot}-{coordinate}"), slot, coordinate, law }
            })
        });
        let driven = model.with_forces(Vec::new(), motors.collect());
        let unbooked = |steps: usize| {
            let scheme = Box::new(Variational::new(&driven, &start));
            let mut simulation =
                Simulation::new(driven.clone(), start.clone(), scheme, 0.2 / steps as f64).unwrap();
            let before = simulation.ledger().initial().energy();
            let entry = (0..steps).map(|_| simulation.advance().unwrap()).last().unwrap();
            assert!(entry.work.abs() > 1e-2, "{kind:?}: {}", entry.work);
            // Motors on the world bring momentum as supports do.
            let unexplained = simulation.ledger().source("scheme").unwrap();
            assert!(unexplained.linear.amax() < 1e-12 && unexplained.angular.amax() < 1e-12, "{kind:?}");
            (entry.measure.energy() - before - entry.work).abs()
        };
        let (coarse, fine) = (unbooked(100), unbooked(200));
        let order = (coarse / fine).log2();
        assert!((order - 2.0).abs() < 0.2, "{kind:?}: order {order}, {coarse:e} {fine:e}");
    }
}

/// A chain of three, with every kind of force on it.
fn laden(kind: JointKind) -> (Model, State) {
    let mut builder = common::chain_builder(kind, 3);
    let star = builder.body(link("star"), Pose::at(Vec3::new(0.6, 1.0, 0.3)));
    let at = |body: usize| Anchor { body: Some(body), arm: Vec3::new(0.05, 0.1, -0.1) };
    let source = |body: usize, weight: f64| Source { anchor: at(body), weight };
    let given = |x: f64, y: f64, axes| Some(Given::constant(Vec3::new(x, y, 0.5), axes));
    let charges = vec![source(1, 0.5), source(star.0, 0.4), source(2, -0.3)];
    for (name, law) in [
        (
            "spring",
            ForceLaw::Spring(Spring {
                a: at(0),
                b: at(star.0),
                stiffness: 20.0,
                rest_length: 0.5,
                damping: 0.3,
            }),
        ),
        ("attraction", ForceLaw::Attraction(Attraction::new(2, Vec3::new(1.0, -2.0, 0.0), 3.0))),
        ("gravitation", ForceLaw::Gravitation(Gravitation::new(0.8, &[0, 2, star.0]))),
        ("charges", ForceLaw::Charges(Charges { constant: 2.0, softening: 0.1, charges })),
        (
            "thrust",
            ForceLaw::Load(Load {
                anchor: at(2),
                force: given(0.5, 1.0, Axes::Body),
                torque: given(0.1, 0.0, Axes::Body),
            }),
        ),
        (
            "push",
            ForceLaw::Load(Load {
                anchor: at(1),
                force: given(-1.0, 0.3, Axes::World),
                torque: given(0.0, 0.1, Axes::World),
            }),
        ),
        (
            "drag",
            ForceLaw::Drag(Drag {
                linear: 0.1,
                quadratic: 0.2,
                angular: 0.01,
                angular_quadratic: 0.01,
                medium: Vec3::x(),
                ..Drag::at(at(1))
            }),
        ),
    ] {
        builder.force(force(name, law));
    }
    builder.build().unwrap()
}

#[test]
fn newton_converges_fast_and_work_accounts_for_energy_with_every_force_on_a_chain() {
    for kind in
        [JointKind::Revolute, JointKind::Universal, JointKind::Spherical, JointKind::Planar, JointKind::Rod]
    {
        let unbooked = |steps: usize| {
            let (model, state) = laden(kind);
            let scheme = Box::new(Variational::new(&model, &state));
            let mut simulation = Simulation::new(model, state, scheme, 0.2 / steps as f64).unwrap();
            let start = simulation.ledger().initial().energy();
            let (mut most, mut last) = (0, 0.0);
            for _ in 0..steps {
                let entry = simulation.advance().unwrap();
                most = most.max(simulation.effort().iterations);
                last = entry.measure.energy() - start - entry.work;
            }
            // Exact derivatives: a few iterations even for the coarsest step.
            assert!(most <= 5, "{kind:?}: {most} iterations");
            last.abs()
        };
        let (coarse, fine) = (unbooked(100), unbooked(200));
        let order = (coarse / fine).log2();
        assert!((order - 2.0).abs() < 0.2, "{kind:?}: order {order}, {coarse:e} {fine:e}");
    }
}
