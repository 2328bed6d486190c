//! The cartwheel of the gallery: what holds it, when it lands, and the simulator on the same way.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::print_stdout)]

mod common;

use common::scene;
use common::solved::{planned, solved};
use percussion_control::PlanSolution;
use percussion_control::plan::ContactJoint;
use percussion_control::replay::{Deviation, ReplayResult, model_with_controls, replay};
use percussion_control::solution::Outcome;
use percussion_geometry::Vec3;
use percussion_mechanics::discrete::Control;
use percussion_mechanics::rotation::RodriguesVector;
use percussion_mechanics::schemes::SchemeKind;
use percussion_mechanics::{Model, State};
use std::sync::LazyLock;

/// The solution of the scene as it is.
static FOUND: LazyLock<PlanSolution> = LazyLock::new(|| solved("cartwheel", &[]));

/// A limb of the cartwheel with its point, and the nodes from where it stands on it to where it leaves.
const FOOTHOLDS: [(usize, [f64; 3], usize, usize); 4] = [
    (3, [0.0, 0.0, -0.5], 6, 40),
    (1, [0.0, 0.0, 0.42], 40, 74),
    (2, [0.0, 0.0, 0.42], 74, 112),
    (4, [0.0, 0.0, -0.5], 112, 150),
];

#[test]
fn a_cartwheel_stands_on_footholds_that_only_push() {
    let plan = planned("cartwheel", &[]).plan;
    let found = &*FOUND;
    assert_eq!(found.outcome, Outcome::Optimal);
    let model = &plan.model;
    let masses: Vec<f64> = model.links.iter().map(|link| link.mass).collect();
    let weight = 9.81 * masses.iter().sum::<f64>();
    let along = |state: &State| state.positions.iter().zip(&masses).map(|(x, m)| x.x * m * 9.81).sum::<f64>();
    // What the degrees of freedom of the plane carry, up, along and about its normal.
    let carried =
        |k: usize| (found.nodes[k].momenta[0], found.nodes[k].momenta[1], found.nodes[k].momenta[2]);
    let (mut hardest, mut steepest) = (0.0_f64, 0.0_f64);
    for (body, point, first, last) in FOOTHOLDS {
        let tip = |k: usize| model.pose(&found.nodes[k], body).point(&Vec3::from(point));
        let place = tip(first);
        assert!(place.z.abs() < 1e-9);
        for k in first - 1..last - 1 {
            let h = found.nodes[k + 1].time - found.nodes[k].time;
            let (a, b) = (carried(k), carried(k + 1));
            // The impulse at the next node: the weight explains the rest. At the first one it is the blow of the landing.
            let (up, sideways) = (b.0 - a.0 + weight * h, b.1 - a.1);
            assert!(up > -1e-9 && sideways.abs() < 0.8 * up + 1e-9, "node {}: {up} {sideways}", k + 1);
            if up > 1e-3 {
                steepest = steepest.max(sideways.abs() / up);
            }
            if k < first {
                continue;
            }
            hardest = hardest.max(up / h);
            assert!((tip(k + 1) - place).norm() < 1e-9, "node {}", k + 1);
            // It acts at the point: about that nothing but the weight has a moment.
            let about = |k: usize, (up, along, spin): (f64, f64, f64)| {
                let arm = found.nodes[k].positions[0] - place;
                spin + arm.z * along - arm.x * up
            };
            let given = h * (0.5 * (along(&found.nodes[k]) + along(&found.nodes[k + 1])) - weight * place.x);
            let gained = about(k + 1, b) - about(k, a);
            assert!((gained - given).abs() < 1e-9, "node {}: {gained} {given}", k + 1);
        }
    }
    // Before the first landing a simulation of the torques flies the same way.
    let (times, torques) = (found.nodes[..=6].iter().map(|node| node.time), &found.inputs[..6 * 4]);
    let driven = model_with_controls(&plan, &times.collect::<Vec<f64>>(), torques).unwrap();
    let mut state = found.nodes[0].clone();
    let mut scheme = SchemeKind::Variational.build(&driven, &state, &Default::default()).unwrap();
    for node in &found.nodes[1..=6] {
        let h = node.time - state.time;
        scheme.step(&driven, &mut state, h).unwrap();
        for (made, meant) in state.positions.iter().zip(&node.positions) {
            assert!((made - meant).norm() < 1e-8);
        }
    }
    println!("forces up to {hardest:.0} N, sideways up to {steepest:.2} of that");
    // The cone matters, and the robot has gone round and rests.
    assert!(steepest > 0.7);
    let end = &found.nodes[plan.intervals];
    assert!(end.momenta.iter().all(|p| p.abs() < 1e-9));
    let turned = |k: usize| {
        let (from, to) = (&found.nodes[k].rotations[0], &found.nodes[k + 1].rotations[0]);
        RodriguesVector::from_matrix(&(to * from.transpose()))
    };
    let whole: f64 = (0..plan.intervals).map(|k| turned(k).log().y).sum();
    assert!((whole - (std::f64::consts::TAU - 0.15)).abs() < 1e-9, "{whole}");
}

#[test]
fn the_landing_of_a_cartwheel_does_not_depend_on_the_node() {
    let found = &*FOUND;
    let (first, again) = (["8", "42", "76", "114", "148"], ["6", "44", "78", "114", "152"]);
    for nodes in [first, again] {
        let mut overrides = Vec::new();
        for (i, node) in nodes.iter().enumerate() {
            overrides.push((format!("plan.contacts.{i}.node"), *node));
            if i < 3 {
                overrides.push((format!("plan.contacts.{i}.release"), nodes[i + 1]));
            }
        }
        let overrides: Vec<(&str, &str)> = overrides.iter().map(|(k, v)| (k.as_str(), *v)).collect();
        let other = solved("cartwheel", &overrides);
        assert_eq!(other.outcome, Outcome::Optimal);
        for (a, b) in found.contacts.iter().zip(&other.contacts) {
            assert!((a.time - b.time).abs() < 0.002 * a.time.max(0.1), "{} {}", a.time, b.time);
        }
        assert!((found.objective - other.objective).abs() < 1e-3 * found.objective);
    }
}

/// The simulation makes the footholds itself, as loops, and lets go of them again.
#[test]
fn a_simulation_of_its_torques_turns_the_cartwheel_over_its_footholds() {
    let plan = planned("cartwheel", &[]).plan;
    let found = &*FOUND;
    let follow = |nodes: &[State], torques: &[f64]| -> ReplayResult {
        replay(&plan, nodes, torques, SchemeKind::Exact, &Default::default()).unwrap()
    };
    let made = follow(&found.nodes, &found.inputs);
    println!("{:?}", made.deviation);
    // A robot on its hands falls over: what differs at the start by so much of the momenta has grown by this factor.
    const DIFFERENCE: f64 = 1e-11;
    let mut nodes = found.nodes.clone();
    nodes[0].momenta.iter_mut().for_each(|p| *p *= 1.0 + DIFFERENCE);
    let grown = follow(&nodes, &found.inputs).deviation;
    println!("differences grow by {:.1e} in rotation", grown.rotation / DIFFERENCE);
    assert!(grown.rotation > 1e4 * DIFFERENCE);
    let rounding = |grown: f64| 1e2 * f64::EPSILON * grown / DIFFERENCE;
    assert!(made.deviation.position < rounding(grown.position), "{:?}", made.deviation);
    assert!(made.deviation.rotation < rounding(grown.rotation), "{:?}", made.deviation);
    assert_eq!(made.joints.len(), 5);
    for (joint, contact) in made.joints.iter().zip(&found.contacts) {
        println!("{} {:?} {:?}", joint.name, joint.impulse, joint.cone);
        assert_eq!(&joint.name, &contact.name);
        assert_eq!(joint.nodes.0, contact.node);
        assert_eq!(joint.joint, ContactJoint::Point);
        assert!((joint.impulse - contact.impulse).norm() < 1e-6, "{} {}", joint.impulse, contact.impulse);
        assert!(joint.speed.0 < -0.01 && joint.speed.1.abs() < 1e-9, "{:?}", joint.speed);
        assert!(joint.energy.1 < joint.energy.0);
        let cone = joint.cone.unwrap();
        assert!(cone.impulse < 1e-6 && cone.force.unwrap() < 1e-3, "{cone:?}");
    }
    assert_eq!(
        made.joints.iter().map(|joint| joint.nodes.1).collect::<Vec<_>>(),
        [Some(40), Some(74), Some(112), None, None]
    );
    // Torques that are one per cent too strong lead elsewhere, and out of the cones.
    let strong: Vec<f64> = found.inputs.iter().map(|torque| 1.01 * torque).collect();
    let off = follow(&found.nodes, &strong);
    assert!(off.deviation.position > 1e-2 && off.deviation.rotation > 1e-2, "{:?}", off.deviation);
}

/// The robot on a hinge where a limb of it stands, everything as at a node; `plan.controls` by the names of limbs.
fn hinged(
    found: &PlanSolution,
    model: &Model,
    (body, point, first, _): (usize, [f64; 3], usize, usize),
) -> String {
    let at = [
        ("torso", 0.0, 0.0),
        ("lead-arm", 0.12, 0.2),
        ("trail-arm", -0.12, 0.2),
        ("lead-leg", 0.09, -0.2),
        ("trail-leg", -0.09, -0.2),
    ];
    let state = &found.nodes[first];
    let place = model.pose(state, body).point(&Vec3::from(point));
    // Bodies as written, shifted such that the point is where it stands.
    let (x, z) = (place.x - at[body].1, place.z - at[body].2 - point[2]);
    let turn = |body: usize| angle(model, state, body);
    let mut text =
        String::from("gravity = [0, 0, -9.81]\nrun = { step = 1e-3, until = 1, scheme = \"variational\" }\n");
    let original = include_str!("../../../scenes/cartwheel/scene.toml");
    let templates = original.find("[templates.arm]").unwrap()..original.find("[bodies]").unwrap();
    text += &original[templates];
    text += "[plan]\nintervals = 10\nstep = 0.1\n";
    for (limb, (name, a, b)) in at.iter().enumerate() {
        let shape = match limb {
            0 => "shape = { box = [0.24, 0.14, 0.4] }\nmass = 9",
            1 | 2 => "template = \"arm\"",
            _ => "template = \"leg\"",
        };
        text += &format!("[bodies.{name}]\n{shape}\nposition = [{:?}, 0, {:?}]\n", x + a, z + b);
        let (parent, child, own) = match limb {
            0 => ("world", at[body].0, (place.x, place.z, turn(body))),
            limb if limb == body => (at[body].0, "torso", (x + a, z + b, turn(0) - turn(body))),
            limb => ("torso", *name, (x + a, z + b, turn(limb) - turn(0))),
        };
        let joint = if limb == 0 { "foothold" } else { name };
        text += &format!(
            "[joints.{joint}]\nkind = \"revolute\"\nparent = \"{parent}\"\nchild = \"{child}\"\naxis = [0, 1, 0]\nat = [{:?}, 0, {:?}]\nangle = {:?}\n",
            own.0, own.1, own.2
        );
        if limb > 0 {
            text += &format!("[plan.controls.{name}]\nkind = \"joint\"\njoint = \"{name}\"\n");
        }
    }
    text
}

/// By how much a body is turned about the normal of the plane, as it was written.
fn angle(model: &Model, state: &State, body: usize) -> f64 {
    let turned = model.pose(state, body).rotation;
    let up = turned * Vec3::z();
    up.x.atan2(up.z)
}

/// On each foothold the robot is a tree on a hinge, which the simulator supports: other coordinates, the same discrete equations.
#[test]
fn on_its_footholds_the_cartwheel_agrees_with_a_simulation_under_its_torques() {
    let plan = planned("cartwheel", &[]).plan;
    let found = &*FOUND;
    let model = &plan.model;
    let name = |model: &Model, slot: usize| model.bodies[model.links[slot].body].name.clone();
    for foothold in FOOTHOLDS {
        let (body, point, first, last) = foothold;
        let hung = scene(&hinged(found, model, foothold));
        let hinged = hung.plan.unwrap().plan;
        let (start, nodes) = (&found.nodes[first], &found.nodes[first..=last]);
        let slots: Vec<usize> = (0..5)
            .map(|slot| (0..5).find(|other| name(&hinged.model, *other) == name(model, slot)).unwrap())
            .collect();
        // Torques by the names of controls: along the joint of the limb that stands, which now carries the torso, the other way round.
        let limb = model.bodies[body].name.clone();
        let mut torques = Vec::new();
        for k in first..last {
            for actuator in &hinged.actuators {
                let own = plan.actuators.iter().position(|a| {
                    let Control::Dof(dof) = a.control else { panic!() };
                    let slot = model.links.iter().position(|link| link.dof == dof).unwrap();
                    name(model, slot) == actuator.name
                });
                let sign = if actuator.name == limb { -1.0 } else { 1.0 };
                torques.push(sign * found.inputs[k * 4 + own.unwrap()]);
            }
        }
        let times: Vec<f64> = nodes.iter().map(|node| node.time).collect();
        let driven = model_with_controls(&hinged, &times, &torques).unwrap();
        // Momenta along the new degrees of freedom: all turns about the point, or all but the limb about its hinge.
        let p = |k: usize| start.momenta[k];
        let place = model.pose(start, body).point(&Vec3::from(point));
        let hinge = model.pose(start, body).point(&Vec3::zeros());
        let about = |centre: &Vec3| {
            let arm = start.positions[0] - centre;
            p(2) + arm.z * p(1) - arm.x * p(0)
        };
        let mut state = hinged.start.state.clone();
        state.time = start.time;
        for (slot, other) in slots.iter().enumerate() {
            let dof = model.links[slot].dof;
            state.momenta[hinged.model.links[*other].dof] = match slot {
                0 => about(&hinge) - p(model.links[model.slots[body].unwrap()].dof),
                _ if model.links[slot].body == body => about(&place),
                _ => p(dof),
            };
        }
        let mut scheme = SchemeKind::Variational.build(&driven, &state, &Default::default()).unwrap();
        let mut agreement = Deviation::default();
        for (k, node) in nodes.iter().enumerate() {
            if k > 0 {
                let h = node.time - state.time;
                scheme.step(&driven, &mut state, h).unwrap();
            }
            let mut seen = node.clone();
            for (slot, other) in slots.iter().enumerate() {
                (seen.positions[slot], seen.rotations[slot]) =
                    (state.positions[*other], state.rotations[*other]);
            }
            agreement.compare(node, &seen);
        }
        println!("{limb}: {agreement:?}");
        assert!(agreement.position < 1e-8 && agreement.rotation < 1e-8, "{limb}: {agreement:?}");
    }
}
