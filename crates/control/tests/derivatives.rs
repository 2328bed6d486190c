//! First and second derivatives of transcriptions against differences, at candidates at random.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::print_stdout)]

mod common;

use common::{build, cube, motor, plain, thrusters, wall};
use nalgebra::{DMatrix, DVector, Rotation3};
use percussion_control::plan::{
    BodyPoint, Condition, ContactFriction, ContactJoint, Goal, Measure, MomentumCondition, NodeSelector,
    Plan, PlannedContact,
};
use percussion_control::transcription::{
    ConstraintSet, Iterate, ResolvedContact, SeparatingPlane, SeparationConstraint, SeparationKind,
    Transcription,
};
use percussion_geometry::{Pose, Vec3};
use percussion_mechanics::contact::{ContactSpec, Potential};
use percussion_mechanics::discrete::displace;
use percussion_mechanics::joint::{ALL_KINDS, JointKind};
use percussion_mechanics::rotation::Mat3;
use percussion_mechanics::{Body, BodyId, JointSpec, Model, ModelBuilder, State};
use percussion_solve::nlp::{Bound, Program, SparsityPattern};
use percussion_testing::Random;
use std::sync::Arc;

/// An iterate: states displaced at random about a given one, control inputs and time scales at random.
fn initial_iterate(program: &mut Transcription, about: &State, random: &mut Random) -> Iterate {
    let plan = program.plan().clone();
    let mut nodes = Vec::new();
    for k in 0..=plan.intervals {
        let mut state = about.clone();
        for (i, island) in plan.model.islands.iter().enumerate() {
            let d: Vec<f64> = island.dofs.clone().map(|_| 0.03 * random.signed()).collect();
            let (from, d) = match plan.boundary(k).filter(|boundary| boundary.fixed[i]) {
                Some(boundary) => (&boundary.state, vec![0.0; d.len()]),
                None => (about, d),
            };
            displace(&plan.model, island, from, &d, &mut state);
        }
        nodes.push(state);
    }
    let inputs: Vec<f64> = (0..plan.intervals * plan.components()).map(|_| random.signed()).collect();
    let time_scales: Vec<f64> = (0..plan.segments()).map(|_| 1.0 + 0.2 * random.signed()).collect();
    let mut point = program.initial_iterate(nodes, &inputs, &time_scales);
    let indices = program.indices().clone();
    for list in &indices.momenta {
        for &first in list.iter().filter(|first| **first != usize::MAX) {
            point.scalars[first..first + 3].iter_mut().for_each(|p| *p += 0.1 * random.signed());
        }
    }
    point
}

/// A sparse matrix as a dense one.
fn matrix(places: &SparsityPattern, values: &[f64], (m, n): (usize, usize)) -> DMatrix<f64> {
    let mut dense = DMatrix::zeros(m, n);
    for ((&r, &c), value) in places.rows.iter().zip(&places.columns).zip(values) {
        dense[(r, c)] += value;
    }
    dense
}

/// Largest relative error of gradient and Jacobian, and of the Hessian of a Lagrangian at random.
fn errors(plan: Plan, constraint_set: ConstraintSet, about: &State, seed: u64) -> (f64, f64) {
    let mut random = Random::new(seed);
    let mut program = Transcription::new(plan, constraint_set);
    let at = initial_iterate(&mut program, about, &mut random);
    let layout = program.layout().clone();
    let (n, m) = (layout.variables.len(), layout.constraints.len());
    let (mut gradient, mut jacobian) = (vec![0.0; n], vec![0.0; layout.jacobian.len()]);
    program.differentiate(&at, &mut gradient, &mut jacobian).unwrap();
    let multipliers: Vec<f64> = (0..m).map(|_| random.signed()).collect();
    let mut hessian = vec![0.0; layout.hessian.len()];
    program.lagrangian_hessian(&at, 0.7, &multipliers, &mut hessian).unwrap();
    let dense = matrix(&layout.jacobian, &jacobian, (m, n));
    // The lower triangle is given.
    let mut curved = matrix(&layout.hessian, &hessian, (n, n));
    assert_eq!(curved, curved.lower_triangle());
    curved.fill_upper_triangle_with_lower_triangle();
    let mut to = at.clone();
    let mut there = at.clone();
    let mut values = |program: &mut Transcription, step: &[f64]| {
        program.retract(&at, step, &mut to);
        let mut constraints = vec![0.0; m];
        let f = program.evaluate(&to, &mut constraints).unwrap();
        (f, constraints)
    };
    let (eps, mut first) = (1e-6, 0.0_f64);
    let size = dense.amax().max(1e-3);
    for v in 0..n {
        let mut step = vec![0.0; n];
        step[v] = eps;
        let plus = values(&mut program, &step);
        step[v] = -eps;
        let minus = values(&mut program, &step);
        let slope = (plus.0 - minus.0) / (2.0 * eps);
        let scale = gradient.iter().fold(1e-3, |a: f64, g| a.max(g.abs()));
        first = first.max((slope - gradient[v]).abs() / scale);
        for r in 0..m {
            let slope = (plus.1[r] - minus.1[r]) / (2.0 * eps);
            let error = (slope - dense[(r, v)]).abs() / size;
            if error > 1e-5 {
                let names = (program.constraint_name(r), program.variable_name(v));
                println!("{error:e} {slope} {} {names:?}", dense[(r, v)]);
            }
            first = first.max(error);
        }
    }
    // The slope along a direction, before and after: there it is turned as the chart turns it.
    let eps = 1e-5;
    let mut blocks = Vec::new();
    let mut slope = |program: &mut Transcription, d: &[f64], by: f64| {
        let step: Vec<f64> = d.iter().map(|x| x * by).collect();
        program.retract(&at, &step, &mut there);
        program.differentiate(&there, &mut gradient, &mut jacobian).unwrap();
        program.chart(&at, &step, &mut blocks);
        let mut turned = d.to_vec();
        for block in &blocks {
            let own = block.first..block.first + block.size;
            let entries = DMatrix::from_column_slice(block.size, block.size, &block.entries);
            let changed = entries * DVector::from_column_slice(&d[own.clone()]);
            turned[own].copy_from_slice(changed.as_slice());
        }
        let own = gradient.iter().zip(&turned).map(|(g, d)| 0.7 * g * d).sum::<f64>();
        let places = layout.jacobian.rows.iter().zip(&layout.jacobian.columns).zip(&jacobian);
        own + places.map(|((r, c), value)| multipliers[*r] * value * turned[*c]).sum::<f64>()
    };
    let size = curved.amax().max(1e-3) * (n as f64).sqrt();
    let directions: Vec<Vec<f64>> = (0..60).map(|_| (0..n).map(|_| random.signed()).collect()).collect();
    let expected = |d: &[f64]| {
        let direction = DVector::from_column_slice(d);
        direction.dot(&(&curved * &direction))
    };
    let mut second = 0.0_f64;
    // Charts do not say how the directions of a rod's swings turn.
    let rods = program.plan().model.links.iter().any(|link| link.joint.kind == JointKind::Rod);
    for d in directions.iter().filter(|_| !rods) {
        let measured = (slope(&mut program, d, eps) - slope(&mut program, d, -eps)) / (2.0 * eps);
        second = second.max((measured - expected(d)).abs() / size);
    }
    // By values alone: coarser, but free of all charts.
    let eps = 1e-4;
    let mut lagrangian = |d: &[f64], by: f64| {
        let step: Vec<f64> = d.iter().map(|x| x * by).collect();
        let (f, c) = values(&mut program, &step);
        0.7 * f + c.iter().zip(&multipliers).map(|(a, b)| a * b).sum::<f64>()
    };
    for d in &directions {
        let sum = lagrangian(d, eps) - 2.0 * lagrangian(d, 0.0) + lagrangian(d, -eps);
        let error = (sum / (eps * eps) - expected(d)).abs() / size;
        assert!(error < 1e-5, "{error:e}");
        if rods {
            second = second.max(error);
        }
    }
    (first, second)
}

/// Bounds the largest errors of first and second derivatives.
fn check_errors(name: &str, plan: Plan, set: ConstraintSet, about: &State, seed: u64, limits: [f64; 2]) {
    let (first, second) = errors(plan, set, about, seed);
    println!("{name}: first {first:e}, second {second:e}");
    assert!(first < limits[0] && second < limits[1], "{name}: {first:e} {second:e}");
}

/// Planes between all pairs that have one, over an interval and at a node.
fn planes(model: &Model, state: &State, interval: usize) -> Vec<SeparationConstraint> {
    let contacts = model.contacts.as_ref().unwrap();
    let normal = Vec3::new(-0.9, 0.1, 0.2).normalize();
    let each = contacts.all_pairs().into_iter().filter_map(|pair| {
        let plane = SeparatingPlane::best(contacts, pair, &[normal], &[state])?;
        let by = |nodes: &[usize]| SeparationConstraint {
            nodes: nodes.iter().map(|node| (*node, 0.01)).collect(),
            pair,
            kind: SeparationKind::Plane(plane.clone()),
        };
        Some([by(&[interval, interval + 1]), by(&[1])])
    });
    each.flatten().collect()
}

/// Separations of all pairs at nodes.
fn separations(model: &Model, nodes: &[usize], least: f64) -> Vec<SeparationConstraint> {
    let kind = SeparationKind::Separation;
    let pairs = model.contacts.as_ref().unwrap().all_pairs();
    let all = nodes.iter().flat_map(|&node| pairs.iter().map(move |&pair| (node, pair)));
    all.map(|(node, pair)| SeparationConstraint { nodes: vec![(node, least)], pair, kind: kind.clone() })
        .collect()
}

/// The features of all planned contacts in a state.
fn resolved(plan: &Plan, state: &State) -> Vec<ResolvedContact> {
    plan.contacts.iter().map(|planned| ResolvedContact::find(&plan.model, planned, state).unwrap()).collect()
}

fn on(body: impl Into<Option<usize>>, components: Vec3) -> BodyPoint {
    BodyPoint { body: body.into(), components }
}

fn condition(nodes: NodeSelector, measure: Measure) -> Condition {
    let bounds = vec![Bound::between(-1.0, 1.0); measure.components()];
    Condition { name: "a condition".to_owned(), nodes, bounds, measure }
}

fn tilted(position: Vec3, turn: Vec3) -> Pose {
    Pose::new(Rotation3::from_scaled_axis(turn), position)
}

/// Two cubes in poses under gravity, and a wall with a normal.
fn two_cubes(gravity: Vec3, [a, b]: [Pose; 2], normal: Option<Vec3>) -> (Arc<Model>, State) {
    let mut builder = ModelBuilder::new();
    builder.gravity(gravity);
    builder.body(cube("a", 0.2), a);
    builder.body(cube("b", 0.1), b);
    if let Some(normal) = normal {
        builder.body(wall(normal), Pose::identity());
    }
    build(builder)
}

/// Two cubes above a floor, turned against each other by a little.
fn cubes_over_a_floor() -> (Arc<Model>, State) {
    let a = tilted(Vec3::new(0.0, 0.0, 0.2), Vec3::new(0.3, 0.2, 0.5));
    let b = tilted(Vec3::new(0.2, 0.05, 0.2), Vec3::new(0.3, 0.2, 0.4));
    two_cubes(Vec3::new(0.0, 0.0, -9.81), [a, b], Some(Vec3::z()))
}

#[test]
fn two_cubes_with_distances_conditions_and_a_contact() {
    let a = tilted(Vec3::new(0.0, 0.35, 0.0), Vec3::new(0.3, 0.2, 0.5));
    let b = tilted(Vec3::new(0.3, 0.35, 0.05), Vec3::new(-0.2, 0.4, 0.1));
    let (model, state) = two_cubes(Vec3::new(0.1, -0.2, -1.0), [a, b], Some(Vec3::y()));
    let mut plan = plain(&model, &state, 4, 0.05);
    plan.actuators = [thrusters(&model, 0), thrusters(&model, 1)].concat();
    plan.start.momentum = vec![MomentumCondition::Conditioned; 2];
    plan.end.momentum = vec![MomentumCondition::Conditioned; 2];
    let target = *Rotation3::from_scaled_axis(Vec3::new(0.4, 0.0, 0.1)).matrix();
    plan.conditions = vec![
        condition(NodeSelector::End, Measure::Point { of: on(0, Vec3::new(0.1, 0.0, 0.02)), from: Some(1) }),
        condition(NodeSelector::Always, Measure::Attitude { body: 1, from: Some(0), target }),
        condition(NodeSelector::Node(2), Measure::Attitude { body: 0, from: None, target: Mat3::identity() }),
        condition(NodeSelector::End, Measure::Alignment { one: on(0, Vec3::z()), other: on(1, Vec3::x()) }),
        condition(
            NodeSelector::Start,
            Measure::Velocity { of: on(0, Vec3::new(0.1, 0.1, 0.0)), from: Some(1) },
        ),
        condition(NodeSelector::End, Measure::AngularVelocity { body: 0, from: None }),
    ];
    let goal = |name: &str, measure, target: &[f64], weight| Goal {
        name: name.to_owned(),
        measure,
        target: target.to_vec(),
        weight,
    };
    plan.goals = vec![
        goal("up", Measure::Alignment { one: on(0, Vec3::y()), other: on(None, Vec3::z()) }, &[1.0], 2.0),
        goal("slow", Measure::Velocity { of: on(1, Vec3::zeros()), from: None }, &[0.0; 3], 0.5),
    ];
    plan.time_weight = 0.3;
    for friction in [ContactFriction::Frictionless, ContactFriction::Sticking, ContactFriction::Coulomb(0.4)]
    {
        for slides in [false, true] {
            let mut plan = plan.clone();
            let hit = PlannedContact::new("the hit", 2, (0, 2));
            plan.contacts = vec![PlannedContact { restitution: 0.8, friction, ..hit }];
            let mut contacts = resolved(&plan, &state);
            contacts[0].slides = slides;
            let separations = [separations(&model, &[1, 3], 0.0), planes(&model, &state, 3)].concat();
            let set = ConstraintSet { contacts, separations };
            let seed = 3 + u64::from(slides);
            check_errors(&format!("{friction:?} {slides}"), plan, set, &state, seed, [1e-8, 1e-8]);
        }
    }
}

/// A contact between two bodies that move, within its region: a corner on a face, faces on each other, edges across each other.
#[test]
fn places_of_contacts_that_are_kept_on_faces_and_edges() {
    let quarter = std::f64::consts::FRAC_PI_4;
    let cases = [
        ([Vec3::new(0.0, 0.6, 0.5), Vec3::zeros()], false, 4),
        ([Vec3::zeros(), Vec3::new(0.0, 0.6, 0.5)], false, 4),
        ([Vec3::zeros(), Vec3::zeros()], true, 4),
        ([Vec3::new(0.0, quarter, 0.0), Vec3::new(0.0, 0.0, quarter)], false, 4),
    ];
    for ((turns, flat, sides), friction) in cases.into_iter().flat_map(|case| {
        [ContactFriction::Frictionless, ContactFriction::Sticking].map(|friction| (case, friction))
    }) {
        let poses = [tilted(Vec3::zeros(), turns[0]), tilted(Vec3::new(0.3, 0.01, 0.02), turns[1])];
        let (model, state) = two_cubes(Vec3::zeros(), poses, None);
        let mut plan = plain(&model, &state, 4, 0.05);
        plan.actuators = [thrusters(&model, 0), thrusters(&model, 1)].concat();
        let hit = PlannedContact::new("the hit", 2, (0, 1));
        plan.contacts = vec![PlannedContact { restitution: 0.8, friction, flat, ..hit }];
        let mut contacts = resolved(&plan, &state);
        let region = contacts[0].find_region(model.contacts.as_ref().unwrap(), &state);
        assert!(region.boundaries.iter().all(|list| list.len() == sides), "{region:?}");
        assert!(
            region.own_distances.iter().all(|list| list.len() == sides)
                && region.own_distances.is_empty() != flat
        );
        contacts[0].region = Some(region);
        let set = ConstraintSet { contacts, separations: Vec::new() };
        check_errors(&format!("{turns:?} {friction:?}"), plan, set, &state, 5, [1e-8, 1e-8]);
    }
}

#[test]
fn a_contact_joint_to_the_floor_and_between_bodies() {
    let (model, state) = cubes_over_a_floor();
    let foothold = ContactFriction::Coulomb(0.6);
    for (joint, bodies, friction) in [
        (ContactJoint::Point, (0, 2), ContactFriction::Sticking),
        (ContactJoint::Rigid, (0, 1), ContactFriction::Sticking),
        (ContactJoint::Point, (0, 1), ContactFriction::Sticking),
        (ContactJoint::Point, (0, 2), foothold),
        (ContactJoint::Point, (0, 1), foothold),
    ] {
        let mut plan = plain(&model, &state, 5, 0.02);
        plan.end.momentum = vec![MomentumCondition::Given(vec![0.0; 6]); 2];
        plan.contacts = vec![PlannedContact {
            restitution: 0.0,
            friction,
            joint: Some(joint),
            release_node: if joint == ContactJoint::Rigid { Some(4) } else { None },
            ..PlannedContact::new("the catch", 2, bodies)
        }];
        plan.end.momentum[0] = MomentumCondition::Conditioned;
        let set = ConstraintSet { contacts: resolved(&plan, &state), separations: Vec::new() };
        check_errors(&format!("{joint:?} {friction:?}"), plan, set, &state, 8, [1e-8, 1e-8]);
    }
}

/// Where a joint enters another leaves, and a third one holds on: impulses of three stages at one node.
#[test]
fn joints_that_take_turns() {
    let (model, state) = cubes_over_a_floor();
    let mut plan = plain(&model, &state, 5, 0.02);
    plan.contacts = [
        (1, (0, 1), ContactFriction::Sticking, ContactJoint::Rigid, None),
        (2, (0, 2), ContactFriction::Coulomb(0.6), ContactJoint::Point, Some(3)),
        (3, (1, 2), ContactFriction::Coulomb(0.4), ContactJoint::Point, Some(4)),
    ]
    .map(|(node, bodies, friction, joint, release_node)| PlannedContact {
        restitution: 0.0,
        friction,
        joint: Some(joint),
        release_node,
        ..PlannedContact::new(format!("{bodies:?} at {node}"), node, bodies)
    })
    .to_vec();
    let set = ConstraintSet { contacts: resolved(&plan, &state), separations: Vec::new() };
    check_errors("plan", plan, set, &state, 13, [1e-6, 1e-4]);
}

#[test]
fn a_chain_with_torques_in_its_joints() {
    let mut builder = ModelBuilder::new();
    builder.gravity(Vec3::new(0.0, 0.0, -9.81));
    let at = |x: f64| Pose::at(Vec3::new(x, 0.0, 0.5));
    let a = builder.body(cube("a", 0.2), at(0.0));
    let b = builder.body(cube("b", 0.2), at(0.3));
    let c = builder.body(cube("c", 0.2), at(0.6));
    builder.joint(JointSpec::at("hinge", JointKind::Revolute, Some((a, &at(0.0))), (b, &at(0.3)), &at(0.15)));
    builder.joint(JointSpec::at("ball", JointKind::Spherical, Some((b, &at(0.3))), (c, &at(0.6)), &at(0.45)));
    builder.body(wall(Vec3::z()), Pose::identity());
    let (model, state) = build(builder);
    let mut plan = plain(&model, &state, 3, 0.04);
    plan.actuators = thrusters(&model, 0);
    plan.actuators.extend((6..10).map(|dof| motor(dof, Bound::between(-1.0, 1.0))));
    plan.time_bounds.total = Bound::between(0.1, 0.2);
    plan.conditions = vec![condition(NodeSelector::Always, Measure::Coordinate { coordinate: 0, dof: 6 })];
    let separations = [separations(&model, &[2], 0.01), planes(&model, &state, 2)].concat();
    let set = ConstraintSet { contacts: Vec::new(), separations };
    check_errors("plan", plan, set, &state, 21, [1e-8, 1e-8]);
}

#[test]
fn trees_on_joints_of_every_kind() {
    for kind in ALL_KINDS {
        for rooted in [false, true] {
            // An island on a fixed joint with the world does not move.
            if rooted && kind == JointKind::Fixed {
                continue;
            }
            check_tree(kind, rooted);
        }
    }
}

/// Three bodies and a bead on joints, one of a given kind: with forces, conditions and a foothold on the floor.
fn check_tree(kind: JointKind, rooted: bool) {
    let mut builder = ModelBuilder::new();
    builder.gravity(Vec3::new(0.3, 0.0, -9.81));
    let place = |x: f64| tilted(Vec3::new(x, 0.02, 0.5 - 0.3 * x), Vec3::new(0.3 - x, 0.2 * x, 0.4));
    let frame = |x: f64| tilted(Vec3::new(x, 0.1, 0.4), Vec3::new(0.5, -0.3 + x, 0.2));
    let (pa, pb, pc, pd) = (place(0.0), place(0.3), place(0.6), place(0.9));
    let a = builder.body(cube("a", 0.2), pa);
    let b = builder.body(cube("b", 0.15), pb);
    let c = builder.body(cube("c", 0.2), pc);
    let bead = builder.body(Body::particle("bead", 0.7).unwrap(), pd);
    let mut joint = |kind, parent: Option<(BodyId, &Pose)>, child: (BodyId, &Pose), x: f64| {
        let mut spec = JointSpec::at("joint", kind, parent, child, &frame(x));
        spec.name = format!("joint at {x}");
        if kind == JointKind::Rod {
            // Its two points are apart.
            spec.child_frame.position += Vec3::new(0.03, 0.11, -0.05);
        }
        builder.joint(spec);
    };
    match rooted {
        true => {
            joint(kind, None, (a, &pa), -0.1);
            joint(JointKind::Revolute, Some((a, &pa)), (b, &pb), 0.15);
        }
        false => joint(kind, Some((a, &pa)), (b, &pb), 0.15),
    }
    joint(JointKind::Universal, Some((b, &pb)), (c, &pc), 0.45);
    joint(JointKind::Planar, Some((b, &pb)), (bead, &pd), 0.6);
    builder.body(wall(Vec3::z()), Pose::identity());
    let (model, state) = build(builder);
    let mut plan = plain(&model, &state, 4, 0.03);
    plan.actuators = thrusters(&model, 2);
    plan.actuators.extend(model.islands[0].dofs.clone().map(|dof| motor(dof, Bound::FREE)));
    plan.time_bounds.total = Bound::between(0.1, 0.2);
    plan.end.momentum = vec![MomentumCondition::Conditioned];
    let arm = Vec3::new(0.1, -0.05, 0.02);
    plan.conditions = vec![
        condition(NodeSelector::Always, Measure::Point { of: on(2, arm), from: None }),
        condition(NodeSelector::Node(1), Measure::Point { of: on(2, arm), from: Some(0) }),
        condition(NodeSelector::Node(1), Measure::Alignment { one: on(0, arm), other: on(2, Vec3::x()) }),
        condition(NodeSelector::Node(3), Measure::Alignment { one: on(None, arm), other: on(2, Vec3::y()) }),
        condition(NodeSelector::End, Measure::Velocity { of: on(2, arm), from: Some(0) }),
        condition(NodeSelector::End, Measure::Velocity { of: on(3, Vec3::zeros()), from: Some(2) }),
        condition(NodeSelector::End, Measure::AngularVelocity { body: 2, from: Some(1) }),
    ];
    plan.contacts = vec![PlannedContact {
        restitution: 0.0,
        friction: ContactFriction::Coulomb(0.6),
        joint: Some(ContactJoint::Point),
        ..PlannedContact::new("the step", 2, (2, 4))
    }];
    let (contacts, separations) = (resolved(&plan, &state), planes(&model, &state, 1));
    let name = format!("{kind:?}, on the world {rooted}");
    let second = if kind == JointKind::Rod { 1e-6 } else { 1e-8 };
    check_errors(&name, plan, ConstraintSet { contacts, separations }, &state, 33, [1e-8, second]);
}

#[test]
fn a_cube_in_a_wall_that_is_a_potential() {
    for drag in [0.0, 0.05] {
        let mut builder = ModelBuilder::new();
        // A corner sinks into the wall, deep enough that no iterate is near the first touch.
        builder.body(cube("cube", 0.1), tilted(Vec3::new(0.02, 0.03, 0.01), Vec3::new(0.5, 0.2, 0.6)));
        builder.body(wall(Vec3::y()), Pose::identity());
        let potential = Some(Potential { stiffness: 20.0, drag });
        builder.contact(ContactSpec { potential, ..ContactSpec::default() });
        let (model, state) = builder.build().unwrap();
        let model = Arc::new(model);
        let mut plan = plain(&model, &state, 3, 0.02);
        plan.actuators = thrusters(&model, 0);
        plan.time_bounds.total = Bound::between(0.04, 0.08);
        check_errors(&format!("drag {drag}"), plan, ConstraintSet::default(), &state, 5, [1e-8, 1e-5]);
    }
}
