//! First and second derivatives of transcriptions against differences, at candidates at random.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::print_stdout)]

mod common;

use common::{build, cube, plain, thrusters, wall};
use nalgebra::Rotation3;
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
use percussion_mechanics::discrete::{Control, displace};
use percussion_mechanics::joint::{ALL_KINDS, JointKind};
use percussion_mechanics::rotation::Mat3;
use percussion_mechanics::{Body, BodyId, JointSpec, Model, ModelBuilder, State};
use percussion_solve::nlp::{Bound, Program, SparsityPattern};
use percussion_testing::Random;

/// An iterate: states displaced at random about a given one, control inputs and time scales at random.
fn initial_iterate(program: &mut Transcription, about: &State, random: &mut Random) -> Iterate {
    let plan = program.plan().clone();
    let mut nodes = Vec::new();
    for k in 0..=plan.intervals {
        let mut state = about.clone();
        for (i, island) in plan.model.islands.iter().enumerate() {
            let fixed = k == 0 && plan.start.fixed[i] || k == plan.intervals && plan.end.fixed[i];
            let from = if k == 0 { &plan.start.state } else { &plan.end.state };
            let d: Vec<f64> = island.dofs.clone().map(|_| 0.03 * random.signed()).collect();
            let zero = vec![0.0; d.len()];
            let (from, d) = if fixed { (from, zero) } else { (about, d) };
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

/// A sparse matrix as a dense one; of a symmetric matrix the lower triangle is given.
fn matrix(
    places: &SparsityPattern,
    values: &[f64],
    (m, n): (usize, usize),
    symmetric: bool,
) -> nalgebra::DMatrix<f64> {
    let mut dense = nalgebra::DMatrix::<f64>::zeros(m, n);
    for ((&r, &c), value) in places.rows.iter().zip(&places.columns).zip(values) {
        assert!(!symmetric || r >= c);
        dense[(r, c)] += value;
        if symmetric && r != c {
            dense[(c, r)] += value;
        }
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
    let dense = matrix(&layout.jacobian, &jacobian, (m, n), false);
    let curved = matrix(&layout.hessian, &hessian, (n, n), true);
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
            let entries = nalgebra::DMatrix::from_column_slice(block.size, block.size, &block.entries);
            let changed = entries * nalgebra::DVector::from_column_slice(&d[own.clone()]);
            turned[own].copy_from_slice(changed.as_slice());
        }
        let own = gradient.iter().zip(&turned).map(|(g, d)| 0.7 * g * d).sum::<f64>();
        let places = layout.jacobian.rows.iter().zip(&layout.jacobian.columns).zip(&jacobian);
        own + places.map(|((r, c), value)| multipliers[*r] * value * turned[*c]).sum::<f64>()
    };
    let size = curved.amax().max(1e-3) * (n as f64).sqrt();
    let directions: Vec<Vec<f64>> = (0..60).map(|_| (0..n).map(|_| random.signed()).collect()).collect();
    let expected = |d: &[f64]| {
        let direction = nalgebra::DVector::from_column_slice(d);
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
fn check_errors(
    name: &str,
    plan: Plan,
    constraint_set: ConstraintSet,
    about: &State,
    seed: u64,
    limits: [f64; 2],
) {
    let (first, second) = errors(plan, constraint_set, about, seed);
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

fn tilted(position: Vec3, turn: Vec3) -> Pose {
    Pose::new(Rotation3::from_scaled_axis(turn), position)
}

#[test]
fn two_cubes_with_distances_conditions_and_a_contact() {
    let mut builder = ModelBuilder::new();
    builder.gravity(Vec3::new(0.1, -0.2, -1.0));
    builder.body(cube("a", 0.2), tilted(Vec3::new(0.0, 0.35, 0.0), Vec3::new(0.3, 0.2, 0.5)));
    builder.body(cube("b", 0.1), tilted(Vec3::new(0.3, 0.35, 0.05), Vec3::new(-0.2, 0.4, 0.1)));
    builder.body(wall(Vec3::y()), Pose::identity());
    let (model, state) = build(builder);
    let mut plan = plain(&model, &state, 4, 0.05);
    plan.actuators = [thrusters(&model, 0), thrusters(&model, 1)].concat();
    plan.actuators.sort_by_key(|a| a.island);
    plan.start.momentum = vec![MomentumCondition::Conditioned; 2];
    plan.end.momentum = vec![MomentumCondition::Conditioned; 2];
    let seen = |body: usize, components: Vec3| BodyPoint { body: Some(body), components };
    let condition = |nodes: NodeSelector, measure: Measure| Condition {
        name: "a condition".to_owned(),
        nodes,
        bounds: vec![Bound::between(-1.0, 1.0); measure.components()],
        measure,
    };
    let target = *Rotation3::from_scaled_axis(Vec3::new(0.4, 0.0, 0.1)).matrix();
    plan.conditions = vec![
        condition(
            NodeSelector::End,
            Measure::Point { of: seen(0, Vec3::new(0.1, 0.0, 0.02)), from: Some(1) },
        ),
        condition(NodeSelector::Always, Measure::Attitude { body: 1, from: Some(0), target }),
        condition(NodeSelector::Node(2), Measure::Attitude { body: 0, from: None, target: Mat3::identity() }),
        condition(
            NodeSelector::End,
            Measure::Alignment { one: seen(0, Vec3::z()), other: seen(1, Vec3::x()) },
        ),
        condition(
            NodeSelector::Start,
            Measure::Velocity { of: seen(0, Vec3::new(0.1, 0.1, 0.0)), from: Some(1) },
        ),
        condition(NodeSelector::End, Measure::AngularVelocity { body: 0, from: None }),
    ];
    let measure = Measure::Alignment {
        one: seen(0, Vec3::y()),
        other: BodyPoint { body: None, components: Vec3::z() },
    };
    plan.goals = vec![
        Goal { name: "up".to_owned(), measure, target: vec![1.0], weight: 2.0 },
        Goal {
            name: "slow".to_owned(),
            measure: Measure::Velocity { of: seen(1, Vec3::zeros()), from: None },
            target: vec![0.0; 3],
            weight: 0.5,
        },
    ];
    plan.time_weight = 0.3;
    for friction in [ContactFriction::Frictionless, ContactFriction::Sticking, ContactFriction::Coulomb(0.4)]
    {
        for slides in [false, true] {
            let mut plan = plan.clone();
            plan.contacts = vec![PlannedContact {
                name: "the hit".to_owned(),
                node: 2,
                bodies: (0, 2),
                restitution: 0.8,
                friction,
                flat: false,
                joint: None,
                release_node: None,
            }];
            let mut resolved = ResolvedContact::find(&model, &plan.contacts[0], &state).unwrap();
            resolved.slides = slides;
            let pairs = model.contacts.as_ref().unwrap().all_pairs();
            let separations = |node: usize| {
                pairs.iter().map(move |&pair| SeparationConstraint {
                    nodes: vec![(node, 0.0)],
                    pair,
                    kind: SeparationKind::Separation,
                })
            };
            let separations = separations(1).chain(separations(3)).chain(planes(&model, &state, 3)).collect();
            check_errors(
                &format!("{friction:?} {slides}"),
                plan,
                ConstraintSet { contacts: vec![resolved], separations },
                &state,
                3 + u64::from(slides),
                [1e-8, 1e-8],
            );
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
        let mut builder = ModelBuilder::new();
        builder.body(cube("a", 0.2), tilted(Vec3::zeros(), turns[0]));
        builder.body(cube("b", 0.1), tilted(Vec3::new(0.3, 0.01, 0.02), turns[1]));
        let (model, state) = build(builder);
        let mut plan = plain(&model, &state, 4, 0.05);
        plan.actuators = [thrusters(&model, 0), thrusters(&model, 1)].concat();
        plan.actuators.sort_by_key(|a| a.island);
        plan.contacts = vec![PlannedContact {
            name: "the hit".to_owned(),
            node: 2,
            bodies: (0, 1),
            restitution: 0.8,
            friction,
            flat,
            joint: None,
            release_node: None,
        }];
        let mut resolved = ResolvedContact::find(&model, &plan.contacts[0], &state).unwrap();
        let region = resolved.find_region(model.contacts.as_ref().unwrap(), &state);
        assert!(region.boundaries.iter().all(|list| list.len() == sides), "{region:?}");
        assert!(
            region.own_distances.iter().all(|list| list.len() == sides)
                && region.own_distances.is_empty() != flat
        );
        resolved.region = Some(region);
        check_errors(
            &format!("{turns:?} {friction:?}"),
            plan,
            ConstraintSet { contacts: vec![resolved], separations: Vec::new() },
            &state,
            5,
            [1e-8, 1e-8],
        );
    }
}

#[test]
fn a_contact_joint_to_the_floor_and_between_bodies() {
    let mut builder = ModelBuilder::new();
    builder.gravity(Vec3::new(0.0, 0.0, -9.81));
    builder.body(cube("a", 0.2), tilted(Vec3::new(0.0, 0.0, 0.2), Vec3::new(0.3, 0.2, 0.5)));
    builder.body(cube("b", 0.1), tilted(Vec3::new(0.2, 0.05, 0.2), Vec3::new(0.3, 0.2, 0.4)));
    builder.body(wall(Vec3::z()), Pose::identity());
    let (model, state) = build(builder);
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
            name: "the catch".to_owned(),
            node: 2,
            bodies,
            restitution: 0.0,
            friction,
            flat: false,
            joint: Some(joint),
            release_node: if joint == ContactJoint::Rigid { Some(4) } else { None },
        }];
        plan.end.momentum[0] = MomentumCondition::Conditioned;
        let resolved = ResolvedContact::find(&model, &plan.contacts[0], &state).unwrap();
        check_errors(
            &format!("{joint:?} {friction:?}"),
            plan,
            ConstraintSet { contacts: vec![resolved], separations: Vec::new() },
            &state,
            8,
            [1e-8, 1e-8],
        );
    }
}

/// Where a joint enters another leaves, and a third one holds on: impulses of three stages at one node.
#[test]
fn joints_that_take_turns() {
    let mut builder = ModelBuilder::new();
    builder.gravity(Vec3::new(0.0, 0.0, -9.81));
    builder.body(cube("a", 0.2), tilted(Vec3::new(0.0, 0.0, 0.2), Vec3::new(0.3, 0.2, 0.5)));
    builder.body(cube("b", 0.1), tilted(Vec3::new(0.2, 0.05, 0.2), Vec3::new(0.3, 0.2, 0.4)));
    builder.body(wall(Vec3::z()), Pose::identity());
    let (model, state) = build(builder);
    let mut plan = plain(&model, &state, 5, 0.02);
    let contact = |node: usize,
                   bodies: (usize, usize),
                   friction: ContactFriction,
                   joint: ContactJoint,
                   release_node: Option<usize>| {
        PlannedContact {
            name: format!("{bodies:?} at {node}"),
            node,
            bodies,
            restitution: 0.0,
            friction,
            flat: false,
            joint: Some(joint),
            release_node,
        }
    };
    plan.contacts = vec![
        contact(1, (0, 1), ContactFriction::Sticking, ContactJoint::Rigid, None),
        contact(2, (0, 2), ContactFriction::Coulomb(0.6), ContactJoint::Point, Some(3)),
        contact(3, (1, 2), ContactFriction::Coulomb(0.4), ContactJoint::Point, Some(4)),
    ];
    let contacts =
        plan.contacts.iter().map(|planned| ResolvedContact::find(&model, planned, &state).unwrap()).collect();
    check_errors("plan", plan, ConstraintSet { contacts, separations: Vec::new() }, &state, 13, [1e-6, 1e-4]);
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
    for dof in 6..10 {
        plan.actuators.push(percussion_control::plan::Actuator {
            name: "motor".to_owned(),
            control: Control::Dof(dof),
            island: 0,
            bounds: vec![Bound::between(-1.0, 1.0)],
            weight: 1.0,
        });
    }
    plan.time_bounds.total = Bound::between(0.1, 0.2);
    plan.conditions = vec![Condition {
        name: "angle".to_owned(),
        nodes: NodeSelector::Always,
        measure: Measure::Coordinate { coordinate: 0, dof: 6 },
        bounds: vec![Bound::between(-1.0, 1.0)],
    }];
    let pairs = model.contacts.as_ref().unwrap().all_pairs();
    let separations = pairs.iter().map(|&pair| SeparationConstraint {
        nodes: vec![(2, 0.01)],
        pair,
        kind: SeparationKind::Separation,
    });
    let separations = separations.chain(planes(&model, &state, 2)).collect();
    check_errors("plan", plan, ConstraintSet { contacts: Vec::new(), separations }, &state, 21, [1e-8, 1e-8]);
}

#[test]
fn trees_on_joints_of_every_kind() {
    for kind in ALL_KINDS {
        for rooted in [false, true] {
            // An island on a fixed joint with the world does not move.
            if rooted && kind == JointKind::Fixed {
                continue;
            }
            let (first, second) = tree_errors(kind, rooted);
            println!("{kind:?}, on the world {rooted}: first {first:e}, second {second:e}");
            assert!(first < 1e-8, "{kind:?}: {first:e}");
            let limit = if kind == JointKind::Rod { 1e-6 } else { 1e-8 };
            assert!(second < limit, "{kind:?}: {second:e}");
        }
    }
}

/// Three bodies and a bead on joints, one of a given kind: with forces, conditions and a foothold on the floor.
fn tree_errors(kind: JointKind, rooted: bool) -> (f64, f64) {
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
    let motors = model.islands[0].dofs.clone().map(|dof| percussion_control::plan::Actuator {
        name: "motor".to_owned(),
        control: Control::Dof(dof),
        island: 0,
        bounds: vec![Bound::FREE],
        weight: 1.0,
    });
    plan.actuators.extend(motors);
    plan.time_bounds.total = Bound::between(0.1, 0.2);
    plan.end.momentum = vec![MomentumCondition::Conditioned];
    let seen = |body: Option<usize>, components: Vec3| BodyPoint { body, components };
    let condition = |nodes: NodeSelector, measure: Measure| Condition {
        name: "a condition".to_owned(),
        nodes,
        bounds: vec![Bound::between(-1.0, 1.0); measure.components()],
        measure,
    };
    let arm = Vec3::new(0.1, -0.05, 0.02);
    plan.conditions = vec![
        condition(NodeSelector::Always, Measure::Point { of: seen(Some(2), arm), from: None }),
        condition(NodeSelector::Node(1), Measure::Point { of: seen(Some(2), arm), from: Some(0) }),
        condition(
            NodeSelector::Node(1),
            Measure::Alignment { one: seen(Some(0), arm), other: seen(Some(2), Vec3::x()) },
        ),
        condition(
            NodeSelector::Node(3),
            Measure::Alignment { one: seen(None, arm), other: seen(Some(2), Vec3::y()) },
        ),
        condition(NodeSelector::End, Measure::Velocity { of: seen(Some(2), arm), from: Some(0) }),
        condition(NodeSelector::End, Measure::Velocity { of: seen(Some(3), Vec3::zeros()), from: Some(2) }),
        condition(NodeSelector::End, Measure::AngularVelocity { body: 2, from: Some(1) }),
    ];
    plan.contacts = vec![PlannedContact {
        name: "the step".to_owned(),
        node: 2,
        bodies: (2, 4),
        restitution: 0.0,
        friction: ContactFriction::Coulomb(0.6),
        flat: false,
        joint: Some(ContactJoint::Point),
        release_node: None,
    }];
    let resolved = ResolvedContact::find(&model, &plan.contacts[0], &state).unwrap();
    errors(
        plan,
        ConstraintSet { contacts: vec![resolved], separations: planes(&model, &state, 1) },
        &state,
        33,
    )
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
        let model = std::sync::Arc::new(model);
        let mut plan = plain(&model, &state, 3, 0.02);
        plan.actuators = thrusters(&model, 0);
        plan.time_bounds.total = Bound::between(0.04, 0.08);
        check_errors(&format!("drag {drag}"), plan, ConstraintSet::default(), &state, 5, [1e-8, 1e-5]);
    }
}
