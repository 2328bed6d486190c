//! Motions under each force that can be written down, with the scheme's own order of accuracy, and work that is booked.

use crate::common::*;

fn after(model: &Model, mut state: State, until: f64, steps: usize) -> State {
    let mut scheme = Variational::new(model, &state);
    for _ in 0..steps {
        scheme.step(model, &mut state, until / steps as f64).unwrap();
    }
    state
}

/// Error of a motion at two steps: it falls by four when the step is halved.
fn second_order(what: &str, error: impl Fn(usize) -> f64, steps: usize) {
    let (coarse, fine) = (error(steps), error(2 * steps));
    let order = (coarse / fine).log2();
    assert!((order - 2.0).abs() < 0.1, "{what}: order {order}: {coarse:e} {fine:e}");
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
    second_order(
        "planet",
        |steps| (after(&model, start.clone(), period, steps).positions[0] - Vec3::x()).norm(),
        2000,
    );
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
    second_order("stars", |steps| apart(&after(&model, start.clone(), once, steps), &start), 500);

    let charge = |body| Source { anchor: on(body, Vec3::zeros()), weight: 1.0 };
    let charges = Charges { constant: 4.0, softening: 0.0, charges: vec![charge(0), charge(1)] };
    let (model, start) = pair(0.0, ForceLaw::Charges(charges));
    // Energy: 2 · v²/2 + K/(2x) = K/2, so from x = 1 to x the time is ∫ dx / sqrt(2 (1 - 1/x)), in closed form.
    let x = 3.0f64;
    let time = ((x * (x - 1.0)).sqrt() + x.sqrt().acosh()) / 2f64.sqrt();
    second_order(
        "charges",
        |steps| (after(&model, start.clone(), time, steps).positions[0].x - x).abs(),
        200,
    );
}

/// Velocity and spin after a second.
fn motion_after(model: &Model, start: &State, steps: usize) -> (Vec3, Vec3) {
    let twist = model.twists(&after(model, start.clone(), 1.0, steps))[0];
    (linear(&twist), angular(&twist))
}

#[test]
fn drag_slows_by_its_law() {
    let none = |builder: &ModelBuilder, id| Drag::at(builder.centre(id));
    let (model, start) = ball(Vec3::y() * 2.0, Vec3::z() * 3.0, |builder, id| {
        ForceLaw::Drag(Drag { linear: 0.5, angular: 0.7, ..none(builder, id) })
    });
    let slowed = |steps| motion_after(&model, &start, steps);
    second_order("linear drag", |steps| (slowed(steps).0.y - 2.0 * (-0.5f64).exp()).abs(), 50);
    second_order("angular drag", |steps| (slowed(steps).1.z - 3.0 * (-0.7f64).exp()).abs(), 50);

    let (model, start) = ball(Vec3::y() * 2.0, Vec3::z() * 3.0, |builder, id| {
        let drag = Drag { quadratic: 0.5, angular_quadratic: 0.7, ..none(builder, id) };
        ForceLaw::Drag(Drag { medium: -Vec3::y(), ..drag })
    });
    // w' = -c w², w(0) = 3 against the medium: w = 3/(1 + 3 c t).
    let slowed = |steps| motion_after(&model, &start, steps);
    second_order("quadratic drag", |steps| (slowed(steps).0.y + 1.0 - 3.0 / 2.5).abs(), 50);
    second_order("quadratic angular drag", |steps| (slowed(steps).1.z - 3.0 / 3.1).abs(), 50);
}

#[test]
fn loads_push_along_their_axes() {
    // A thrust that turns with a body of steady spin: v = F/(m ω) (sin ωt, 1 - cos ωt) in the plane.
    let (model, start) = ball(Vec3::zeros(), Vec3::z() * 2.0, |builder, id| {
        let force = Some(Given::constant(Vec3::x() * 3.0, Axes::Body));
        ForceLaw::Load(Load { anchor: builder.centre(id), force, torque: None })
    });
    let expected = Vec3::new(2f64.sin(), 1.0 - 2f64.cos(), 0.0) * 1.5;
    second_order("thrust", |steps| (motion_after(&model, &start, steps).0 - expected).norm(), 50);

    // Torque 4t about the axis of spin, force 2t along x: the midpoint rule is exact for lines.
    let (model, start) = ball(Vec3::zeros(), Vec3::z() * 2.0, |builder, id| {
        let ramp = |top: Vec3, axes| {
            Some(Given { components: Table::new(vec![0.0, 1.0], vec![[0.0; 3], top.into()]).unwrap(), axes })
        };
        let (force, torque) = (ramp(Vec3::x() * 2.0, Axes::World), ramp(Vec3::z() * 4.0, Axes::World));
        ForceLaw::Load(Load { anchor: builder.centre(id), force, torque })
    });
    let (v, w) = motion_after(&model, &start, 64);
    assert!((v - Vec3::x()).amax() < 1e-13 && (w - Vec3::z() * 4.0).amax() < 1e-13, "{v} {w}");
}

#[test]
fn a_motor_on_the_world_is_a_load_along_the_axes_of_its_joint() {
    for kind in [JointKind::Spherical, JointKind::Free] {
        let (model, start) = chain(kind, 2);
        let joint = &model.links[0].joint;
        let axes = joint.parent_frame.axes;
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
        let anchor = on(0, joint.child_frame.point);
        let load = force("load", ForceLaw::Load(Load { anchor, force: push, torque: turn }));
        let [driven, loaded] =
            [model.with_forces(Vec::new(), motors), model.with_forces(vec![load], Vec::new())];
        let [driven, loaded, free] =
            [&driven, &loaded, &model].map(|model| after(model, start.clone(), 0.5, 100));
        let (same, other) = (apart(&driven, &loaded), apart(&driven, &free));
        assert!(same < 1e-12 && other > 1e-2, "{kind:?}: {same:e} {other:e}");
    }
}

#[test]
fn work_of_motors_accounts_for_energy_on_joints_without_coordinates() {
    for kind in [JointKind::Spherical, JointKind::Free, JointKind::Rod] {
        let (model, start) = chain(kind, 3);
        let motors = (0..3).flat_map(|slot| {
            (0..kind.dofs(false)).map(move |coordinate| {
                let size = 0.5 + 0.3 * coordinate as f64 - 0.4 * slot as f64;
                let law = JointLaw::Motor(Table::new(vec![0.0, 0.2], vec![[size], [-0.3]]).unwrap());
                JointForce { name: format!("motor-{slot}-{coordinate}"), slot, coordinate, law }
            })
        });
        let driven = model.with_forces(Vec::new(), motors.collect());
        let unbooked = |steps: usize| {
            let scene = (driven.clone(), start.clone());
            let mut simulation = simulation(SchemeKind::Variational, scene, 0.2 / steps as f64);
            let before = simulation.ledger().initial().energy();
            let entry = (0..steps).map(|_| simulation.step().unwrap()).last().unwrap();
            assert!(entry.work.abs() > 1e-2, "{kind:?}: {}", entry.work);
            // Motors on the world bring momentum as supports do.
            let unexplained = simulation.ledger().source("scheme").unwrap();
            assert!(unexplained.linear.amax() < 1e-12 && unexplained.angular.amax() < 1e-12, "{kind:?}");
            (entry.measure.energy() - before - entry.work).abs()
        };
        second_order(kind.word(), unbooked, 100);
    }
}

/// A chain of three, with every kind of force on it.
fn laden(kind: JointKind) -> (Model, State) {
    let mut builder = chain_builder(kind, 3);
    let star = builder.body(link("star"), Pose::at(Vec3::new(0.6, 1.0, 0.3)));
    let at = |body: usize| on(body, Vec3::new(0.05, 0.1, -0.1));
    let source = |body: usize, weight: f64| Source { anchor: at(body), weight };
    let given = |x: f64, y: f64, axes| Some(Given::constant(Vec3::new(x, y, 0.5), axes));
    let charges = vec![source(1, 0.5), source(star.0, 0.4), source(2, -0.3)];
    let spring = Spring { a: at(0), b: at(star.0), stiffness: 20.0, rest_length: 0.5, damping: 0.3 };
    let load = |body, (x, y), (u, v), axes| {
        let (force, torque) = (given(x, y, axes), given(u, v, axes));
        ForceLaw::Load(Load { anchor: at(body), force, torque })
    };
    let drag =
        Drag { linear: 0.1, quadratic: 0.2, angular: 0.01, angular_quadratic: 0.01, ..Drag::at(at(1)) };
    for (name, law) in [
        ("spring", ForceLaw::Spring(spring)),
        ("attraction", ForceLaw::Attraction(Attraction::new(2, Vec3::new(1.0, -2.0, 0.0), 3.0))),
        ("gravitation", ForceLaw::Gravitation(Gravitation::new(0.8, &[0, 2, star.0]))),
        ("charges", ForceLaw::Charges(Charges { constant: 2.0, softening: 0.1, charges })),
        ("thrust", load(2, (0.5, 1.0), (0.1, 0.0), Axes::Body)),
        ("push", load(1, (-1.0, 0.3), (0.0, 0.1), Axes::World)),
        ("drag", ForceLaw::Drag(Drag { medium: Vec3::x(), ..drag })),
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
            let mut simulation = simulation(SchemeKind::Variational, laden(kind), 0.2 / steps as f64);
            let start = simulation.ledger().initial().energy();
            let (mut most, mut last) = (0, 0.0);
            for _ in 0..steps {
                let entry = simulation.step().unwrap();
                most = most.max(simulation.solver_stats().iterations);
                last = entry.measure.energy() - start - entry.work;
            }
            // Exact derivatives: a few iterations even for the coarsest step.
            assert!(most <= 5, "{kind:?}: {most} iterations");
            last.abs()
        };
        second_order(kind.word(), unbooked, 100);
    }
}
