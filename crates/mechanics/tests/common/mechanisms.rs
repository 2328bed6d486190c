//! Mechanisms with loops, particles, springs and motors, on which schemes are compared.

use super::*;

fn builder() -> ModelBuilder {
    let mut builder = ModelBuilder::new();
    builder.gravity(Vec3::new(0.3, 0.0, -9.81));
    builder
}

/// Three links between four points, the first and the last on the world, by joints of one kind with given axes; each is turned by
/// `turn` from the one before.
fn bars(
    b: &mut ModelBuilder,
    kind: JointKind,
    points: [Vec3; 4],
    turn: Vec3,
    axes: Rotation3<f64>,
) -> Vec<JointId> {
    let mut above = None;
    let joint = |i: usize| {
        let rotation = Rotation3::from_scaled_axis(turn * (i as f64 + 1.0));
        let pose = Pose::new(rotation, (points[i] + points[i + 1]) * 0.5);
        let id = b.body(link(&format!("bar-{i}")), pose);
        let parent = above.replace(id);
        b.joint(b.joint_at(&format!("joint-{i}"), kind, parent, id, &Pose::new(axes, points[i])))
    };
    let joints = (0..3).map(joint).collect();
    b.close(b.joint_at("last", kind, None, above.unwrap(), &Pose::new(axes, points[3])));
    b.project(true);
    joints
}

/// Three links and the ground, hinged about y: planar motion in space, so three equations of the loop are redundant.
pub fn four_bar(turn: Vec3) -> ModelBuilder {
    let mut b = builder();
    let hinge = Rotation3::from_scaled_axis(Vec3::new(-std::f64::consts::FRAC_PI_2, 0.0, 0.0));
    let points = [(0.0, 0.0), (0.1, 0.4), (0.8, 0.6), (0.9, 0.0)].map(|(x, z)| Vec3::new(x, 0.0, z));
    bars(&mut b, JointKind::Revolute, points, turn, hinge);
    b.velocity(BodyId(0), Vec3::new(0.8, 0.0, -0.2), Vec3::new(0.0, 4.0, 0.0));
    b
}

/// Four balls-and-sockets in a ring, in space: a loop without redundancy.
pub fn ring() -> (Model, State) {
    let mut b = builder();
    let points =
        [Vec3::zeros(), Vec3::new(0.1, 0.2, 0.4), Vec3::new(0.8, -0.1, 0.6), Vec3::new(0.9, 0.0, 0.0)];
    let turn = Vec3::new(0.4, -0.2, 0.3);
    for joint in bars(&mut b, JointKind::Spherical, points, turn, Rotation3::identity()) {
        b.rates(joint, &[0.9, -0.4, 0.7]);
    }
    b.build().unwrap()
}

/// Stiffness and rest length of the springs, N/m and m.
const SPRING: (f64, f64) = (30.0, 0.3);

/// Two rigid bodies and a particle, free, tied by springs (one damped) and one of them to the world.
pub fn tied() -> (Model, State) {
    let mut b = builder();
    let turn = |x: f64| Rotation3::from_scaled_axis(Vec3::new(0.3, x, -0.1));
    let first = b.body(link("first"), Pose::new(turn(0.4), Vec3::new(0.0, 0.0, 0.0)));
    let second = b.body(link("second"), Pose::new(turn(1.4), Vec3::new(0.7, 0.1, 0.2)));
    let bead = b.body(Body::particle("bead", 0.4).unwrap(), Pose::at(Vec3::new(0.2, 0.6, 0.1)));
    b.velocity(first, Vec3::new(0.2, 0.0, 1.0), Vec3::new(2.0, 1.0, -1.5));
    b.velocity(second, Vec3::new(0.0, 0.5, 0.0), Vec3::new(-1.0, 2.0, 0.5));
    b.velocity(bead, Vec3::new(0.0, -0.4, 0.3), Vec3::zeros());
    let arm = Vec3::new(0.1, 0.05, -0.08);
    b.force(spring("one", on(0, arm), on(1, -arm), SPRING, 0.8));
    b.force(spring("two", on(1, arm * 2.0), on(2, Vec3::zeros()), SPRING, 0.0));
    b.force(spring("three", on(0, -arm), in_world(Vec3::new(0.0, 0.2, 1.0)), SPRING, 0.0));
    b.build().unwrap()
}

/// Particles on rigid bodies and rigid bodies on particles.
pub fn beads() -> (Model, State) {
    let mut b = builder();
    let turn = |x: f64| Rotation3::from_scaled_axis(Vec3::new(0.3, x, -0.1));
    let bar = b.body(link("bar"), Pose::new(turn(0.5), Vec3::new(0.2, 0.0, 0.0)));
    let mut particle =
        |name: &str, mass: f64, at: Vec3| b.body(Body::particle(name, mass).unwrap(), Pose::at(at));
    let bead = particle("bead", 0.3, Vec3::new(0.5, 0.1, 0.1));
    let slider = particle("slider", 0.2, Vec3::new(0.2, 0.3, 0.2));
    let tail = b.body(link("tail"), Pose::new(turn(-0.4), Vec3::new(0.8, 0.2, 0.0)));
    let pearl = b.body(Body::particle("pearl", 0.2).unwrap(), Pose::at(Vec3::new(0.5, 0.5, 0.3)));

    let on_world = b.joint_at("ball", JointKind::Spherical, None, bar, &Pose::identity());
    let rod = b.joint_at("rod", JointKind::Rod, Some(bar), bead, &Pose::at(Vec3::new(0.3, 0.0, 0.0)));
    let rod = JointSpec { child_frame: Pose::identity(), ..rod };
    let rail = Pose::new(turn(1.0), Vec3::new(0.2, 0.3, 0.2));
    let rail = b.joint_at("rail", JointKind::Prismatic, Some(bar), slider, &rail);
    // A child of a particle turns against the axes of the particle's parent.
    let hinge = Pose::new(turn(0.2), b.pose(bead).position);
    let hinge = b.joint_at("hinge", JointKind::Revolute, Some(bead), tail, &hinge);
    let table = Pose::new(turn(0.7), b.pose(pearl).position);
    let table = b.joint_at("table", JointKind::Planar, Some(slider), pearl, &table);
    let joints: [(JointSpec, &[f64]); 5] = [
        (on_world, &[1.0, -0.5, 2.0]),
        (rod, &[0.7, -1.2]),
        (rail, &[0.3]),
        (hinge, &[1.5]),
        (table, &[0.2, -0.3]),
    ];
    for (joint, rates) in joints {
        let joint = b.joint(joint);
        b.rates(joint, rates);
    }
    b.force(spring("band", on(2, Vec3::zeros()), on(0, Vec3::new(0.0, 0.1, 0.0)), SPRING, 0.3));
    b.force(spring("cord", on(4, Vec3::zeros()), on(1, Vec3::zeros()), SPRING, 0.0));
    b.build().unwrap()
}

/// A chain of links on joints of given kinds; the last body may be a particle.
fn line(b: &mut ModelBuilder, kinds: &[JointKind], ends_in_bead: bool) {
    let mut above = None;
    for (i, &kind) in kinds.iter().enumerate() {
        let at = i as f64;
        let turn = Rotation3::from_scaled_axis(Vec3::new(0.3, 0.9 + 0.2 * at, -0.1));
        let pose = Pose::new(turn, Vec3::new(0.3 * (at + 0.5), 0.1 * at, -0.1 * at));
        let bead = ends_in_bead && i + 1 == kinds.len();
        let body = if bead { Body::particle("bead", 0.4).unwrap() } else { link(&format!("link-{i}")) };
        let id = b.body(body, pose);
        let axes = Rotation3::from_scaled_axis(Vec3::new(0.5, 0.4 * at, 0.1));
        let frame = Pose::new(axes, Vec3::new(0.3 * at, 0.0, -0.1 * at));
        let mut joint = b.joint_at(&format!("joint-{i}"), kind, above.replace(id), id, &frame);
        if kind == JointKind::Rod {
            joint.child_frame = if bead { Pose::identity() } else { Pose::at(Vec3::new(-0.1, 0.02, 0.03)) };
        }
        b.joint(joint);
    }
}

/// What motors do in time.
fn motor() -> JointLaw {
    JointLaw::Motor(Table::new(vec![0.0, 0.4, 1.0], vec![[0.5], [2.0], [-1.0]]).unwrap())
}

/// A tree whose joints have springs, dampers and motors along every coordinate there is.
pub fn driven() -> (Model, State) {
    use JointKind::{Cylindrical, Planar, Prismatic, Revolute, Universal};
    let mut b = builder();
    let kinds = [Cylindrical, Revolute, Universal, Planar, Prismatic];
    line(&mut b, &kinds, false);
    for (slot, kind) in kinds.iter().enumerate() {
        for coordinate in 0..kind.coordinates(false) {
            let laws = [
                ("spring", JointLaw::Spring { stiffness: 15.0, rest: 0.2 }),
                ("damper", JointLaw::Damper { damping: 0.3 }),
                ("motor", motor()),
            ];
            for (name, law) in laws {
                let name = format!("{name}-{slot}-{coordinate}");
                b.joint_force(JointForce { name, slot, coordinate, law });
            }
        }
    }
    b.build().unwrap()
}

/// Motors along every degree of freedom of joints that keep no coordinates: a ball and socket on the world, a body that flies free of
/// it, a rod and a bead on another.
pub fn powered() -> (Model, State) {
    let mut b = builder();
    line(&mut b, &[JointKind::Spherical, JointKind::Free, JointKind::Rod, JointKind::Rod], true);
    // A chain in the order of its bodies: their numbers are their slots.
    let (model, state) = b.build().unwrap();
    let motors = model.links.iter().enumerate().flat_map(|(slot, link)| {
        (0..link.joint.dofs()).map(move |coordinate| {
            let name = format!("motor-{slot}-{coordinate}");
            JointForce { name, slot, coordinate, law: motor() }
        })
    });
    (model.with_forces(Vec::new(), motors.collect()), state)
}

/// Two pendulums that repel each other, in a wind, with loads that turn with them.
pub fn loaded() -> (Model, State) {
    let mut b = builder();
    let arm = Vec3::new(0.1, 0.05, -0.08);
    let table = Table::new(vec![0.0, 0.5], vec![[1.0, 0.0, 0.5], [-0.5, 1.0, 0.0]]).unwrap();
    for i in 0..2 {
        let turn = Rotation3::from_scaled_axis(Vec3::new(0.3, 0.9 + 0.4 * i as f64, -0.1));
        let pose = Pose::new(turn, Vec3::new(0.6 * i as f64, 0.0, 0.0));
        let id = b.body(link(&format!("link-{i}")), pose);
        let ball = Pose::at(Vec3::new(0.6 * i as f64, 0.1, 0.3));
        let joint = b.joint(b.joint_at(&format!("ball-{i}"), JointKind::Spherical, None, id, &ball));
        b.rates(joint, &[2.0, -1.0, 3.0]);
        let anchor = on(i, arm);
        let load = Load {
            anchor,
            force: Some(Given { components: table.clone(), axes: Axes::Body }),
            torque: Some(Given::constant(Vec3::new(0.1, -0.2, 0.15), Axes::Body)),
        };
        b.force(force(&format!("jet-{i}"), ForceLaw::Load(load)));
        let wind = Drag {
            linear: 0.2,
            quadratic: 0.3,
            angular: 0.01,
            angular_quadratic: 0.02,
            medium: Vec3::new(1.0, 0.5, 0.0),
            ..Drag::at(anchor)
        };
        b.force(force(&format!("wind-{i}"), ForceLaw::Drag(wind)));
    }
    let charges = [0, 1].map(|i| Source { anchor: on(i, -arm), weight: 1.0 });
    let law = Charges { constant: 0.8, softening: 0.0, charges: charges.to_vec() };
    b.force(force("charges", ForceLaw::Charges(law)));
    b.build().unwrap()
}

/// A thin plate on a ball joint with a spring at a corner: the director across it weighs nothing.
pub fn plate() -> (Model, State) {
    let mut b = builder();
    let inertia = Matrix3::from_diagonal(&Vec3::new(0.02, 0.03, 0.05));
    let plate = Body::rigid("plate", 1.5, Vec3::zeros(), &inertia).unwrap();
    let pose = Pose::new(Rotation3::from_scaled_axis(Vec3::new(0.3, 0.5, -0.1)), Vec3::new(0.2, 0.1, 0.0));
    let id = b.body(plate, pose);
    let joint = b.joint(b.joint_at("ball", JointKind::Spherical, None, id, &Pose::identity()));
    b.rates(joint, &[1.0, -2.0, 3.0]);
    let corner = on(0, Vec3::new(0.2, 0.15, 0.0));
    b.force(spring("band", corner, in_world(Vec3::new(0.3, 0.2, 0.9)), SPRING, 0.2));
    b.build().unwrap()
}

/// All of them, by name.
pub fn all() -> Vec<(&'static str, (Model, State))> {
    vec![
        ("four-bar", four_bar(Vec3::new(0.1, 0.2, 0.3)).build().unwrap()),
        ("ring", ring()),
        ("tied", tied()),
        ("beads", beads()),
        ("driven", driven()),
        ("powered", powered()),
        ("loaded", loaded()),
        ("plate", plate()),
    ]
}

/// A chain of every kind of joint, and the special mechanisms.
pub fn all_with_chains() -> Vec<(String, (Model, State))> {
    let chains = ALL_KINDS.into_iter().map(|kind| (format!("{kind:?}"), chain(kind, 3)));
    chains.chain(all().into_iter().map(|(name, one)| (name.to_owned(), one))).collect()
}
