//! A branched tree of joints of one kind with every force there is on it.

use super::*;

/// Bodies by index in the list.
pub const ROOT: usize = 1;
pub const MIDDLE: usize = 2;
pub const TIP: usize = 3;
pub const BRANCH: usize = 4;
/// A particle, where the kind suits one.
pub const BEAD: usize = 5;

/// The tree: three in a row, one more on the first, a particle on the second where the kind suits it, and a body that only
/// forces tie to the others. Something else comes first, so that no number of the tree begins at zero.
pub fn tree(kind: JointKind, seed: u64) -> ModelBuilder {
    let mut random = Random::new(seed);
    let mut builder = ModelBuilder::new();
    builder.gravity(Vec3::new(0.5, -0.3, -9.81));
    let elsewhere = Pose::at(Vec3::new(9.0, 0.0, 0.0));
    builder.body(Body::particle("lone", 1.0).unwrap(), elsewhere);
    let mut hang = |builder: &mut ModelBuilder, body: Body, parent: Option<usize>| {
        let id = builder.body(body, random_pose(&mut random));
        let name = format!("joint-{}", id.0);
        let mut spec = builder.joint_at(&name, kind, parent.map(BodyId), id, &random_pose(&mut random));
        if kind == JointKind::Rod {
            spec.child_frame = Pose::at(random.vector() * 0.3);
        }
        builder.joint(spec);
    };
    hang(&mut builder, rigid("root", 1.2), None);
    hang(&mut builder, rigid("middle", 0.8), Some(ROOT));
    hang(&mut builder, rigid("tip", 1.0), Some(MIDDLE));
    hang(&mut builder, rigid("branch", 1.5), Some(ROOT));
    if kind.suits_particle() {
        hang(&mut builder, Body::particle("bead", 0.4).unwrap(), Some(MIDDLE));
    }
    builder.body(rigid("star", 2.0), Pose::new(random.rotation(), Vec3::new(2.5, 1.0, -2.0)));
    builder
}

fn rigid(name: &str, mass: f64) -> Body {
    let inertia = Matrix3::new(0.25, 0.02, 0.0, 0.02, 0.35, -0.015, 0.0, -0.015, 0.15) * mass;
    Body::rigid(name, mass, Vec3::new(0.02, 0.1, -0.03), &inertia).unwrap()
}

/// The tree under forces from potentials alone.
pub fn conservative(kind: JointKind, seed: u64) -> ModelBuilder {
    let mut builder = tree(kind, seed);
    let star = if kind.suits_particle() { BEAD + 1 } else { BRANCH + 1 };
    let mut random = Random::new(seed + 1000);
    let mut at = |body: usize| on(body, random.vector() * 0.3);
    let spring = |a: Anchor, b: Anchor| Spring { a, b, stiffness: 20.0, rest_length: 0.5, damping: 0.0 };
    let charges = vec![
        Source { anchor: at(MIDDLE), weight: 0.5 },
        Source { anchor: at(star), weight: 0.4 },
        Source { anchor: at(BRANCH), weight: -0.3 },
    ];
    for (name, law) in [
        ("spring", ForceLaw::Spring(spring(at(TIP), at(star)))),
        // Both ends on one body: it stores energy only because averaged directors are short.
        ("brace", ForceLaw::Spring(spring(at(BRANCH), at(BRANCH)))),
        ("attraction", ForceLaw::Attraction(Attraction::new(TIP, Vec3::new(1.0, -4.0, 3.0), 3.0))),
        ("gravitation", ForceLaw::Gravitation(Gravitation::new(0.8, &[ROOT, TIP, star]))),
        ("charges", ForceLaw::Charges(Charges { constant: 2.0, softening: 0.3, charges })),
    ] {
        builder.force(force(name, law));
    }
    for coordinate in 0..kind.coordinates(false) {
        for (slot, rest) in [(0, 0.3), (2, -0.5)] {
            let law = JointLaw::Spring { stiffness: 4.0, rest };
            let name = format!("winding-{slot}-{coordinate}");
            builder.joint_force(JointForce { name, slot, coordinate, law });
        }
    }
    builder
}

/// The tree under everything, with tables that are not constant.
pub fn everything(kind: JointKind, seed: u64) -> (Model, State) {
    let mut builder = conservative(kind, seed);
    let mut random = Random::new(seed + 2000);
    let mut at = |body: usize| on(body, random.vector() * 0.3);
    let given = |x: f64, y: f64, axes| {
        let values = vec![[x, y, 0.5], [-y, 2.0 * x, 0.1]];
        Some(Given { components: Table::new(vec![-2.0, 2.0], values).unwrap(), axes })
    };
    let load = |anchor, axes| Load { anchor, force: given(0.5, 1.0, axes), torque: given(0.2, -0.3, axes) };
    let (a, b) = (at(MIDDLE), at(BRANCH));
    let (thrust, push) = (load(at(TIP), Axes::Body), load(at(MIDDLE), Axes::World));
    let drag =
        Drag { linear: 0.1, quadratic: 0.2, angular: 0.05, angular_quadratic: 0.04, ..Drag::at(at(TIP)) };
    for (name, law) in [
        ("damper", ForceLaw::Spring(Spring { a, b, stiffness: 0.0, rest_length: 0.4, damping: 0.7 })),
        ("thrust", ForceLaw::Load(thrust)),
        ("push", ForceLaw::Load(push)),
        ("drag", ForceLaw::Drag(Drag { medium: Vec3::x(), ..drag })),
    ] {
        builder.force(force(name, law));
    }
    for coordinate in 0..kind.coordinates(false) {
        let law = JointLaw::Damper { damping: 0.3 };
        builder.joint_force(JointForce { name: format!("damper-{coordinate}"), slot: 1, coordinate, law });
    }
    let (model, state) = builder.build().unwrap();
    let motors = [ROOT, TIP].into_iter().filter_map(|body| model.slots[body]).flat_map(|slot| {
        (0..model.links[slot].joint.dofs()).map(move |coordinate| {
            let law = JointLaw::Motor(Table::new(vec![-2.0, 2.0], vec![[1.0], [-0.5]]).unwrap());
            JointForce { name: format!("motor-{slot}-{coordinate}"), slot, coordinate, law }
        })
    });
    (model.with_forces(Vec::new(), motors.collect()), state)
}

/// Every kind of control on it, and control inputs.
pub fn controls(model: &Model, random: &mut Random) -> (Vec<Control>, Vec<f64>) {
    let (world, body) = (Axes::World, Axes::Body);
    let mut controls: Vec<Control> = island(model).dofs.clone().step_by(3).map(Control::Dof).collect();
    for axes in [world, body] {
        controls.push(Control::force(model, TIP, &(random.vector() * 0.3), axes).unwrap());
        controls.push(Control::torque(model, MIDDLE, axes).unwrap());
    }
    let count: usize = controls.iter().map(Control::components).sum();
    (controls, (0..count).map(|_| 3.0 * random.signed()).collect())
}

/// The same tree with a loop of some kind from the branch (or the world) to the tip.
pub fn closed(kind: JointKind, closing: JointKind, to_world: bool) -> (Model, State) {
    let mut builder = conservative(kind, 1);
    let (parent, frame) = ((!to_world).then_some(BodyId(BRANCH)), random_pose(&mut Random::new(9)));
    let mut spec = builder.joint_at("loop", closing, parent, BodyId(TIP), &frame);
    if closing == JointKind::Rod {
        spec.child_frame = Pose::at(Vec3::new(0.3, 0.1, -0.2));
    }
    builder.close(spec);
    builder.build().unwrap()
}

/// The tree among the islands.
pub fn island(model: &Model) -> &Island {
    let island = &model.islands[1];
    assert!(model.islands.len() == 2 && island.bodies.len() >= 5 && island.bodies.start == 1);
    island
}

/// A configuration some way from a given one, every degree of freedom of the tree moved by up to `size`.
pub fn elsewhere(model: &Model, state: &State, size: f64, random: &mut Random) -> State {
    let d: Vec<f64> = island(model).dofs.clone().map(|_| size * random.signed()).collect();
    moved(model, state, &d)
}

/// A configuration with the tree displaced in its degrees of freedom.
pub fn moved(model: &Model, state: &State, d: &[f64]) -> State {
    let mut to = state.clone();
    displace(model, island(model), state, d, &mut to);
    to
}

/// An interval without control inputs.
pub fn uncontrolled<'a>(
    (model, island): (&'a Model, &'a Island),
    (start, end): (&'a State, &'a State),
    (t, h): (f64, f64),
) -> IntervalInputs<'a> {
    IntervalInputs { model, island, start, end, t, h, controls: &[], control_inputs: &[] }
}
