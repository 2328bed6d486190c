//! Plans: the meaning of a `[plan]` in the numbers of the model, and what is refused.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod common;

use common::{changed, complaints, gallery, scene};
use percussion_control::Guess;
use percussion_control::plan::{ContactFriction, ContactJoint, Measure, MomentumCondition, NodeSelector};
use percussion_control::transcription::{ConstraintSet, Transcription};
use percussion_geometry::Vec3;
use percussion_mechanics::discrete::Control;
use percussion_mechanics::kinematics::ConfigurationKinematics;
use percussion_mechanics::schemes::SchemeKind;
use percussion_scene::{PlanGuess, PlanSettings, Scene};
use percussion_solve::nlp::{Bound, Program};

fn planned(text: &str) -> PlanSettings {
    scene(text).plan.expect("a plan")
}

/// A free cube, a wall, and the beginning of a plan.
const CUBE: &str = "run = { step = 1e-3, until = 1, scheme = \"decomposition\" }\n[contact]\n\
    [bodies.cube]\nshape = { cube = 0.2 }\ndensity = 100\nposition = [0, 1, 0]\nvelocity = [0, -1, 0]\n\
    [bodies.wall]\nkind = \"fixed\"\nshape = { half_space = { normal = [0, 1, 0] } }\n";

fn cube(plan: &str) -> String {
    format!("{CUBE}{plan}")
}

/// A plan of ten intervals with more keys and tables.
fn ten(more: &str) -> String {
    cube(&format!("[plan]\nintervals = 10\nstep = 0.1\n{more}"))
}

/// Two arms and a hand on joints, with a free body beside them.
const ARM: &str = "run = { step = 1e-3, until = 1 }\n\
    [bodies.upper]\nmass = 2\nmoments = [0.1, 0.2, 0.3]\nposition = [1, 0, 0]\n\
    [bodies.lower]\nmass = 1\nmoments = [0.1, 0.1, 0.1]\nposition = [3, 0, 0]\n\
    [bodies.hand]\nmass = 0.5\nmoments = [0.01, 0.02, 0.03]\nposition = [4, 0, 0]\n\
    [bodies.ball]\nkind = \"particle\"\nmass = 1\nposition = [0, 5, 0]\n\
    [joints.shoulder]\nkind = \"revolute\"\nparent = \"world\"\nchild = \"upper\"\nat = [0, 0, 0]\naxis = [0, 0, 1]\nlimits = [-2, 2]\n\
    [joints.elbow]\nkind = \"universal\"\nparent = \"upper\"\nchild = \"lower\"\nat = [2, 0, 0]\naxis = [0, 0, 1]\nsecond_axis = [0, 1, 0]\n\
    [joints.wrist]\nkind = \"spherical\"\nparent = \"lower\"\nchild = \"hand\"\nat = [4, 0, 0]\n";

fn arm(plan: &str) -> String {
    format!("{ARM}[plan]\nintervals = 4\ntime = 2\n{plan}")
}

#[test]
fn an_empty_plan_fixes_the_start_and_leaves_the_end_free() {
    let scene = scene(&ten(""));
    let PlanSettings { plan, guess, options } = scene.plan.clone().unwrap();
    assert_eq!((plan.intervals, plan.step), (10, 0.1));
    assert_eq!(plan.time_bounds.total, Bound::equal(1.0));
    assert_eq!(plan.time_bounds.scale, Bound::between(0.2, 5.0));
    assert_eq!((plan.start.fixed.clone(), plan.end.fixed.clone()), (vec![true], vec![false]));
    assert_eq!(plan.start.momentum, [MomentumCondition::Given(scene.state.momenta.clone())]);
    assert_eq!(plan.start.state, scene.state);
    assert_eq!(plan.end.momentum, [MomentumCondition::Free]);
    assert_eq!((plan.control_effort_weight, plan.time_weight), (1.0, 0.0));
    assert!(plan.actuators.is_empty() && plan.conditions.is_empty() && plan.contacts.is_empty());
    let avoidance = plan.avoidance.unwrap();
    assert_eq!((avoidance.margin, avoidance.pairs), (0.0, None));
    assert!(matches!(guess, PlanGuess::Computed(Guess::Straight)));
    assert_eq!(options.iterations, percussion_control::Options::default().iterations);
    // Without contact nothing keeps apart; without a plan there is none.
    assert!(planned(&arm("")).plan.avoidance.is_none());
    assert!(common::scene(CUBE).plan.is_none());
}

#[test]
fn a_resolved_scene_keeps_its_plan() {
    for name in ["cube-wall", "two-cubes", "dice-throw"] {
        let first = gallery(name, &[]);
        let again = scene(&first.resolved);
        let print = |scene: &Scene| format!("{:?}", scene.plan);
        assert_eq!(print(&first), print(&again), "{name}");
    }
}

#[test]
fn an_override_reaches_into_a_plan() {
    let changes =
        [("plan.intervals", "20"), ("plan.contacts.0.node", "14"), ("plan.end.bodies.cube.at_rest", "true")];
    let text = ten("[[plan.contacts]]\nnode = 5\nbodies = [\"wall\", \"cube\"]\n[plan.end.bodies.cube]\n");
    let plan = changed(&text, &changes).plan.unwrap().plan;
    assert_eq!((plan.intervals, plan.contacts[0].node), (20, 14));
    assert_eq!(plan.end.momentum, [MomentumCondition::Given(vec![0.0; 6])]);
}

/// As the guide and the program advise: `--set plan.search.iterations=2000`, whether the scene has that table or not.
#[test]
fn an_override_reaches_settings_that_a_plan_does_not_write() {
    let changes = [
        ("plan.search.iterations", "2000"),
        ("plan.search.starts", "3"),
        ("plan.objective.time", "2"),
        ("plan.avoid.margin", "0.01"),
        ("plan.guess.kind", "rest"),
    ];
    let settings = changed(&ten("time = \"free\"\n"), &changes).plan.unwrap();
    assert_eq!((settings.options.iterations, settings.options.starts), (2000, 3));
    assert_eq!(settings.plan.time_weight, 2.0);
    assert_eq!(settings.plan.avoidance.unwrap().margin, 0.01);
    assert!(matches!(settings.guess, PlanGuess::Computed(Guess::Rest)));
}

#[test]
fn the_cube_that_hits_a_wall_is_that_of_its_file() {
    let scene = gallery("cube-wall", &[]);
    let PlanSettings { plan, guess, .. } = scene.plan.clone().unwrap();
    let (mass, moment) = (0.27, 0.27 * 0.01 / 6.0);
    assert!((scene.model.bodies[0].mass - mass).abs() < 1e-15);
    assert_eq!((plan.intervals, plan.step, plan.time_bounds.total), (30, 0.025, Bound::equal(0.75)));
    assert!(plan.has_unknown_time_scales() && plan.segments() == 2);
    assert_eq!((plan.start.fixed.clone(), plan.end.fixed.clone()), (vec![true], vec![true]));
    let MomentumCondition::Given(p) = &plan.end.momentum[0] else { panic!("{:?}", plan.end.momentum) };
    for (found, wanted) in p.iter().zip([0.0, 0.25 * mass, 0.0, 0.0, 0.0, 0.0]) {
        assert!((found - wanted).abs() < 1e-15, "{p:?}");
    }
    let end = plan.model.pose(&plan.end.state, 0);
    assert!((end.position - Vec3::new(0.0, 0.18325, 0.0)).norm() < 1e-16);
    assert!(end.rotation.angle() < 1e-12);
    let tilt = plan.model.pose(&plan.start.state, 0).rotation.angle();
    let turned = Vec3::new(0.037, 0.2, 0.037);
    assert!((tilt - turned.norm()).abs() < 1e-12);
    assert_eq!(plan.actuators.len(), 2);
    assert!(plan.actuators[0].bounds.iter().all(|b| *b == Bound::between(-0.002, 0.002)));
    assert!(plan.actuators[1].bounds.iter().all(|b| *b == Bound::between(-0.001, 0.001)));
    let meeting = &plan.contacts[0];
    assert_eq!((meeting.node, meeting.bodies, meeting.flat), (9, (0, 1), true));
    assert_eq!(meeting.restitution, 1.0);
    assert_eq!(meeting.friction, ContactFriction::Frictionless);
    assert_eq!(meeting.joint, None);
    assert!(matches!(guess, PlanGuess::Computed(Guess::FreeMotion { scheme: SchemeKind::Decomposition })));
    // Straight at 0.25 m/s the face is 0.217 s away, and again 0.533 s.
    for (centre, time) in [(0.10425_f64, 0.217), (0.18325, 0.533)] {
        assert!((centre - 0.05 - 0.25 * time).abs() < 1e-12);
    }
    // The torque can straighten more until then, from rest to rest about each of two axes.
    let most = 0.25 * 0.001 / moment * 0.217_f64.powi(2);
    assert!(turned.x < 1.5 * most, "{most}");
    // The thrust cannot turn it round.
    assert!(0.002 * 0.75 / mass < 0.25);
}

#[test]
fn the_two_cubes_are_those_of_their_file() {
    let scene = gallery("two-cubes", &[]);
    let plan = scene.plan.clone().unwrap().plan;
    assert_eq!(plan.contacts.iter().map(|m| m.node).collect::<Vec<_>>(), [20, 39]);
    assert_eq!((plan.segments(), plan.time_bounds.total), (3, Bound::equal(0.5)));
    let (pusher, pushed) = (0, 1);
    let island = |body: usize| {
        let slot = plan.model.slots[body].unwrap();
        plan.model.islands.iter().position(|i| i.bodies.contains(&slot)).unwrap()
    };
    assert!(plan.end.fixed[island(pusher)] && !plan.end.fixed[island(pushed)]);
    assert_eq!(plan.end.momentum[island(pusher)], MomentumCondition::Given(vec![0.0; 6]));
    assert_eq!(plan.end.momentum[island(pushed)], MomentumCondition::Free);
    assert!(plan.actuators.iter().all(|a| a.island == island(pusher)));
    // Where the one cube shall be, the other one is now.
    let text = scene.resolved.replace("[plan]", "[plan]\nend = { as_in_scene = [\"pushed\"], bodies = { pusher = { position = [0.07296, 0, 0], rotation_vector = [0, 0, 0], at_rest = true } } }");
    let old = |line: &&str| line.starts_with("end = { bodies = { pusher = { position = [0.07296, 0.0");
    let text: Vec<&str> = text.lines().filter(|line| !old(line)).collect();
    let said = complaints(&text.join("\n"))[0].to_string();
    assert!(said.contains("`pusher` and `pushed` penetrate each other by"), "{said}");
    assert!(said.contains("at the end"), "{said}");
}

#[test]
fn the_throw_of_a_die_is_that_of_its_file() {
    let PlanSettings { plan, .. } = gallery("dice-throw", &[]).plan.unwrap();
    assert_eq!((plan.start.fixed.clone(), plan.end.fixed.clone()), (vec![false], vec![false]));
    assert_eq!(plan.start.momentum, [MomentumCondition::Conditioned]);
    assert_eq!(plan.end.momentum, [MomentumCondition::Conditioned]);
    let names: Vec<(&str, NodeSelector)> =
        plan.conditions.iter().map(|c| (c.name.as_str(), c.nodes)).collect();
    let wanted = ["the position of `die`", "the velocity of `die`", "the angular velocity of `die`"];
    assert_eq!(names, wanted.map(|name| (name, NodeSelector::Start)));
    assert_eq!(plan.conditions[0].bounds[0], Bound::between(0.2, 0.3));
    assert_eq!(plan.conditions[1].bounds[2], Bound::between(-1.0, 2.0));
    assert_eq!(plan.time_bounds.total, Bound::between(0.4, 0.9));
    let (corner, face) = (&plan.contacts[2], &plan.contacts[3]);
    assert_eq!(corner.joint, Some(ContactJoint::Point));
    assert_eq!(corner.release_node, Some(50));
    assert!(!corner.flat);
    assert_eq!((face.joint, face.release_node, face.flat), (Some(ContactJoint::Rigid), None, true));
    // Velocities are sought; a search begins with those of the scene.
    let mass = 270.0 * 0.05_f64.powi(3);
    assert!((plan.start.state.momenta[0] + 1.255 * mass).abs() < 1e-12, "{:?}", plan.start.state.momenta);
    assert_eq!((plan.control_effort_weight, plan.goals.len()), (0.0, 3));
    assert!(matches!(plan.goals[0].measure, Measure::Alignment { .. }) && plan.goals[0].target == [1.0]);
    assert!(plan.goals[1..].iter().all(|goal| goal.target == [0.0; 3] && goal.weight == 1.0));
}

/// What is read suits the program that is made of it: it can be set up and evaluated.
#[test]
fn a_plan_that_was_read_becomes_a_program() {
    let text = arm(
        "[plan.controls.motor]\nkind = \"joint\"\njoint = \"elbow\"\nbounds = [[-1, 1], [-2, 3]]\n\
        [plan.controls.push]\nkind = \"force\"\nbody = \"ball\"\nmask = [true, false, true]\n\
        [plan.start]\njoints.shoulder = { free = [\"coordinates\"] }\nbodies.ball = { free = [\"velocity\"] }\n\
        [plan.end]\njoints.elbow = { coordinates = [0.5, { min = -1, max = 1 }], at_rest = false }\n\
        bodies.hand = { relative_to = \"ball\", position = [1, 0, 0], velocity = [0, 0, 0] }\n",
    );
    let settings = planned(&text);
    let plan = settings.plan.clone();
    // Actuators are sorted by island: the arm comes first, the ball last.
    let names: Vec<&str> = plan.actuators.iter().map(|a| a.name.as_str()).collect();
    assert_eq!(names, ["motor (first)", "motor (second)", "push"]);
    assert_eq!(plan.actuators[1].bounds, [Bound::between(-2.0, 3.0)]);
    assert_eq!(plan.actuators[2].bounds, [Bound::FREE, Bound::equal(0.0), Bound::FREE]);
    assert!(matches!(plan.actuators[0].control, Control::Dof(1)));
    let nodes = vec![plan.start.state.clone(); plan.intervals + 1];
    let inputs = vec![0.0; plan.components() * plan.intervals];
    let mut program = Transcription::new(plan, ConstraintSet::default());
    let point = program.initial_iterate(nodes, &inputs, &[]);
    let mut constraints = vec![0.0; program.layout().constraints.len()];
    program.evaluate(&point, &mut constraints).unwrap();
    assert!(constraints.iter().all(|c| c.is_finite()));
    // The hand is 4 m off the ball in x and -5 m in y; its target is [1, 0, 0].
    let name = "the position of `hand` relative to `ball` at the end";
    let rows = (0..constraints.len()).filter(|row| program.constraint_name(*row) == name);
    let found: Vec<f64> = rows.map(|row| constraints[row]).collect();
    let near = found.iter().zip([4.0, -5.0, 0.0]).all(|(a, b): (&f64, f64)| (a - b).abs() < 1e-14);
    assert!(found.len() == 3 && near, "{found:?}");
}

#[test]
fn joints_that_are_all_fixed_make_a_fixed_end() {
    let text = arm("[plan.end.joints]\nshoulder = { angle = 1.5707963267948966, rate = 1 }\n\
        elbow = { coordinates = [0, 0], rates = [0, 0] }\nwrist = { rotation_vector = [0, 0, 0], at_rest = true }\n");
    let plan = planned(&text).plan;
    assert_eq!(plan.end.fixed, [true, false]);
    // Everything has turned by a right angle about the shoulder.
    let hand = plan.model.pose(&plan.end.state, 2);
    assert!((hand.position - Vec3::new(0.0, 4.0, 0.0)).norm() < 1e-14, "{hand:?}");
    let MomentumCondition::Given(p) = &plan.end.momentum[0] else { panic!("{:?}", plan.end.momentum) };
    // Along the shoulder: the moment of inertia of all of them about it.
    let all = (0.3 + 2.0) + (0.1 + 9.0) + (0.03 + 0.5 * 16.0);
    assert!((p[0] - all).abs() < 1e-12, "{p:?}");
    // Coordinates beyond half a turn are kept as they are given.
    let plan = planned(&text.replace("1.5707963267948966", "7.0").replace("limits = [-2, 2]", "")).plan;
    assert_eq!(plan.end.state.coordinates[0], 7.0);
    let velocity = Measure::Velocity {
        of: percussion_control::plan::BodyPoint { body: Some(2), components: Vec3::zeros() },
        from: None,
    };
    let mut state = plan.end.state.clone();
    let MomentumCondition::Given(p) = &plan.end.momentum[0] else { panic!() };
    state.momenta[..6].copy_from_slice(p);
    let mut v = [0.0; 3];
    velocity.value(&ConfigurationKinematics::with_velocities(&plan.model, &state), &mut v);
    let (sin, cos) = 7.0_f64.sin_cos();
    assert!((v[0] + 4.0 * sin).abs() < 1e-12 && (v[1] - 4.0 * cos).abs() < 1e-12, "{v:?}");
}

#[test]
fn a_spherical_joint_on_its_own_is_a_condition_on_orientations() {
    let plan = planned(&arm("[plan.end]\njoints.wrist = { rotation_vector = [0.1, 0.2, 0.3] }\n")).plan;
    assert_eq!(plan.conditions[0].name, "the rotation of joint `wrist`");
    assert!(!plan.end.fixed[0]);
    let mut off = [0.0; 3];
    // The state at the end satisfies the condition on the joint.
    plan.conditions[0].measure.value(&ConfigurationKinematics::new(&plan.model, &plan.end.state), &mut off);
    assert!(off.iter().all(|c| c.abs() < 1e-14), "{off:?}");
    plan.conditions[0].measure.value(&ConfigurationKinematics::new(&plan.model, &plan.start.state), &mut off);
    assert!((off[0] + 0.1).abs() < 1e-14 && (off[2] + 0.3).abs() < 1e-14, "{off:?}");
}

#[test]
fn limits_of_joints_hold_at_all_nodes_unless_they_are_switched_off() {
    let plan = planned(&arm("")).plan;
    let limit = &plan.conditions[0];
    assert_eq!(limit.name, "the limits of angle of joint `shoulder`");
    assert_eq!(limit.nodes, NodeSelector::Always);
    assert_eq!((limit.bounds[0], plan.conditions.len()), (Bound::between(-2.0, 2.0), 1));
    assert!(planned(&arm("joint_limits = false\n")).plan.conditions.is_empty());
    let text = arm("").replace("limits = [-2, 2]", "angle = 1\nlimits = [-0.5, 0.5]");
    let said = complaints(&text)[0].to_string();
    let bounds = "joint `shoulder` starts at 0.9999999999999999, outside of its limits [-0.5, 0.5]";
    assert!(said.contains(bounds), "{said}");
}

#[test]
fn partial_ends_are_conditions() {
    let plan = planned(&ten("[plan.end.bodies.cube]\nposition = [{ min = -1, max = 1 }, 0.5, { min = 0 }]\n\
        angular_velocity = [0, 0, 0]\nalign = [{ axis = [0, 0, 2], with = [0, 0, 1], cosine = { min = 0.8 } }]\n"))
    .plan;
    assert_eq!(plan.end.fixed, [false]);
    assert_eq!(plan.end.momentum, [MomentumCondition::Conditioned]);
    let said: Vec<(&str, &[Bound])> =
        plan.conditions.iter().map(|c| (c.name.as_str(), &c.bounds[..])).collect();
    let at = [Bound::between(-1.0, 1.0), Bound::equal(0.5), Bound::at_least(0.0)];
    let still = [Bound::equal(0.0); 3];
    let align = [Bound::at_least(0.8)];
    assert_eq!(
        said,
        [
            ("the position of `cube`", &at[..]),
            ("the alignment of `cube`", &align[..]),
            ("the angular velocity of `cube`", &still[..]),
        ]
    );
    // Its place at the end is as near to that of the start as the bounds let it be.
    assert_eq!(plan.end.state.positions[0], Vec3::new(0.0, 0.5, 0.0));
}

#[test]
fn placements_relative_to_a_fixed_body_are_fixed_and_those_relative_to_a_moving_one_are_conditions() {
    let shelf =
        "[bodies.shelf]\nkind = \"fixed\"\nposition = [0, 2, 0]\naxis = [0, 0, 1]\nangle_degrees = 90\n";
    let relative = |to: &str, more: &str| {
        let placed = "position = [1, 0, 0]\nrotation_vector = [0, 0, 0]";
        ten(&format!("[plan.end.bodies.cube]\nrelative_to = \"{to}\"\n{placed}\n{more}"))
    };
    let plan = planned(&relative("shelf", shelf)).plan;
    assert_eq!(plan.end.fixed, [true]);
    assert_eq!(plan.end.momentum, [MomentumCondition::Free]);
    let pose = plan.model.pose(&plan.end.state, 0);
    assert!((pose.position - Vec3::new(0.0, 3.0, 0.0)).norm() < 1e-15, "{pose:?}");
    assert!((pose.rotation.angle() - std::f64::consts::FRAC_PI_2).abs() < 1e-12);
    let other = "[bodies.other]\nshape = { cube = 0.1 }\nmass = 1\nposition = [3, 3, 3]\n";
    let plan = planned(&relative("other", &format!("at_rest = true\n{other}"))).plan;
    assert_eq!(plan.end.fixed, [false, false]);
    assert_eq!(plan.end.momentum, [MomentumCondition::Conditioned, MomentumCondition::Conditioned]);
    assert_eq!(plan.conditions.len(), 4);
    assert_eq!(plan.conditions[3].name, "the angular velocity of `cube` relative to `other`");
    // A search begins with the cube beside the other one.
    assert_eq!(plan.end.state.positions[0], Vec3::new(4.0, 3.0, 3.0));
}

#[test]
fn conditions_and_goals_are_read_in_the_same_words() {
    let plan = planned(
        &ten("[plan.objective]\ncontrol_effort = 0.5\ntime = 2\n\
        [[plan.objective.goals]]\nweight = 3\nbodies.cube = { position = [0, 2, 0], velocity = [1, 0, 0] }\n\
        [[plan.conditions]]\nwhen = 4\nname = \"halfway\"\nbodies.cube = { position = [0, 1, { max = 2 }] }\n\
        [[plan.conditions]]\nbodies.cube = { point = [0.1, 0, 0], velocity = { max = [3, 3, 3] } }\n")
        .replace("step = 0.1", "step = 0.1\ntime = \"free\""),
    )
    .plan;
    assert_eq!((plan.control_effort_weight, plan.time_weight), (0.5, 2.0));
    assert_eq!(plan.time_bounds.total, Bound::at_least(0.0));
    assert_eq!(plan.goals.len(), 2);
    assert_eq!((plan.goals[0].target.clone(), plan.goals[0].weight), (vec![0.0, 2.0, 0.0], 3.0));
    assert_eq!(plan.conditions[0].nodes, NodeSelector::Node(4));
    assert_eq!(plan.conditions[0].name, "halfway (the position of `cube`)");
    // A velocity at all nodes: the first one is given and within bounds, the last one is sought.
    assert_eq!(plan.conditions.len(), 1 + 10);
    assert_eq!(plan.conditions[1].nodes, NodeSelector::Node(1));
    assert_eq!(plan.conditions[10].nodes, NodeSelector::End);
    assert_eq!(plan.end.momentum, [MomentumCondition::Conditioned]);
}

#[test]
fn contacts_have_the_surfaces_of_the_scene_by_default() {
    let contacts = "[[plan.contacts]]\nnode = 3\nbodies = [\"wall\", \"cube\"]\n\
        [[plan.contacts]]\nname = \"the second\"\nnode = 5\nbodies = [\"cube\", \"wall\"]\nrestitution = 0.5\nfriction = \"stick\"\n\
        [[plan.contacts]]\nnode = 7\nbodies = [\"cube\", \"wall\"]\njoint = \"fixed\"\nrelease = 8\n\
        [[plan.contacts]]\nnode = 8\nbodies = [\"cube\", \"wall\"]\njoint = \"spherical\"\nrelease = 9\n\
        [[plan.contacts]]\nnode = 9\nbodies = [\"cube\", \"wall\"]\njoint = \"spherical\"\nfriction = 0.7\n";
    let text = ten(contacts).replace("[contact]", "[contact]\nrestitution = 0.9\nfriction = 0.3");
    let plan = planned(&text).plan;
    let [first, second, third, held, foothold] = &plan.contacts[..] else { panic!() };
    // The first one moves.
    assert_eq!(first.bodies, (0, 1));
    assert_eq!(first.restitution, 0.9);
    assert_eq!(first.friction, ContactFriction::Coulomb(0.3));
    assert_eq!(first.name, "the contact of `cube` and `wall` at node 3");
    assert_eq!(second.name, "the second");
    assert_eq!(second.restitution, 0.5);
    assert_eq!(second.friction, ContactFriction::Sticking);
    assert_eq!((third.joint, third.release_node), (Some(ContactJoint::Rigid), Some(8)));
    // A joint holds in all directions, whatever the surfaces are like, unless it has a friction of its own.
    assert_eq!(third.friction, ContactFriction::Sticking);
    assert_eq!(held.friction, ContactFriction::Sticking);
    assert_eq!(held.foothold(), None);
    assert_eq!((foothold.joint, foothold.foothold()), (Some(ContactJoint::Point), Some(0.7)));
}

#[test]
fn avoidance_names_pairs_of_parts() {
    let three = "[bodies.post]\nkind = \"fixed\"\nposition = [2, 1, 0]\nshapes = [{ cube = 0.1 }, { cube = 0.1, position = [0, 1, 0] }]\n";
    let pairs =
        |avoid: &str| planned(&format!("{}{three}", ten(avoid))).plan.avoidance.map(|a| (a.margin, a.pairs));
    assert_eq!(pairs("avoid = false\n"), None);
    assert_eq!(pairs("avoid = true\n"), Some((0.0, None)));
    assert_eq!(pairs("[plan.avoid]\nmargin = 0.1\n"), Some((0.1, None)));
    assert_eq!(
        pairs("[plan.avoid]\npairs = [[\"cube\", \"post\"]]\n"),
        Some((0.0, Some(vec![(0, 2), (0, 3)])))
    );
    assert_eq!(pairs("[plan.avoid]\nexclude = [[\"post\", \"cube\"]]\n"), Some((0.0, Some(vec![(0, 1)]))));
}

#[test]
fn waypoints_are_states() {
    let text = arm(
        "[plan.end]\njoints.shoulder = 1\njoints.elbow = { coordinates = [0, 0] }\njoints.wrist = { rotation_vector = [0, 0, 0] }\n\
        [plan.guess]\nwaypoints = [{ at = 0.25, joints.shoulder = 0.5, bodies.ball = { position = [1, 1, 1] } }, { at = 0.5, joints.elbow = { coordinates = [0.1, 0.2] } }]\n",
    );
    let PlanGuess::Computed(Guess::Waypoints(all)) = planned(&text).guess else { panic!() };
    let at: Vec<f64> = all.iter().map(|w| w.at).collect();
    assert_eq!(at, [0.0, 0.25, 0.5, 1.0]);
    assert_eq!(all[1].state.coordinates, [0.5, 0.0, 0.0]);
    assert_eq!(all[2].state.coordinates, [0.5, 0.1, 0.2]);
    assert_eq!(all[3].state.coordinates, [1.0, 0.0, 0.0]);
    let ball = all[0].state.positions.len() - 1;
    assert!(all[1..].iter().all(|w| w.state.positions[ball] == Vec3::new(1.0, 1.0, 1.0)));
    for (text, run) in [("run = \"runs/a\"\n", true), ("kind = \"rest\"\n", false)] {
        let guess = planned(&arm(&format!("[plan.guess]\n{text}"))).guess;
        assert_eq!(matches!(&guess, PlanGuess::Run(path) if path == "runs/a"), run);
    }
}

#[test]
fn bodies_of_a_mechanism_may_be_placed_instead_of_its_joints() {
    // The elbow is bent by a right angle about its second axis; the hand goes with it.
    let text = arm(
        "[plan.end]\nat_rest = true\nbodies.upper = { position = [1, 0, 0], rotation_vector = [0, 0, 0] }\n\
        bodies.lower = { position = [2, 0, -1], axis = [0, 1, 0], angle_degrees = 90 }\n\
        bodies.hand = { position = [2, 0, -2], axis = [0, 1, 0], angle_degrees = 90 }\n",
    );
    let plan = planned(&text).plan;
    assert_eq!(plan.end.fixed, [true, false]);
    assert_eq!(
        plan.end.momentum,
        [MomentumCondition::Given(vec![0.0; 6]), MomentumCondition::Given(vec![0.0; 3])]
    );
    let found = &plan.end.state.coordinates;
    let wanted = [0.0, 0.0, std::f64::consts::FRAC_PI_2];
    assert!(found.iter().zip(wanted).all(|(a, b)| (a - b).abs() < 1e-12), "{found:?}");
}

#[test]
fn a_start_may_differ_from_the_scene() {
    let mass = 100.0 * 0.008;
    let plan = planned(&ten("[plan.start.bodies.cube]\nposition = [0, 2, 0]\nvelocity = [3, 0, 0]\n")).plan;
    let MomentumCondition::Given(p) = &plan.start.momentum[0] else { panic!("{:?}", plan.start.momentum) };
    assert!(plan.start.fixed[0] && (p[0] - 3.0 * mass).abs() < 1e-14 && p[1] == 0.0, "{p:?}");
    assert_eq!(plan.start.state.positions[0], Vec3::new(0.0, 2.0, 0.0));
    // What is not freed is held as the scene has it: here the velocity, where the placement is not firm.
    let plan = planned(&ten("[plan.start.bodies.cube]\nfree = [\"orientation\"]\n")).plan;
    assert_eq!((plan.start.fixed[0], &plan.start.momentum[0]), (false, &MomentumCondition::Conditioned));
    let names: Vec<&str> = plan.conditions.iter().map(|c| c.name.as_str()).collect();
    assert_eq!(names, ["the position of `cube`", "the velocity of `cube`", "the angular velocity of `cube`"]);
    assert!(plan.conditions[1].bounds[1].violation(-1.0) < 1e-15);
    assert!(plan.conditions[1].bounds[1].is_equation());
    let plan = planned(&ten("[plan.start.bodies.cube]\nfree = true\n")).plan;
    assert_eq!((plan.start.fixed[0], &plan.start.momentum[0]), (false, &MomentumCondition::Free));
    assert!(plan.conditions.is_empty());
}
