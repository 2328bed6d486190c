//! Bodies, joints and forces have the meaning given in the guide.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod common;

use common::{changed, scene, with_run};
use nalgebra::{Rotation3, Unit};
use percussion_geometry::{Pose, Vec3};
use percussion_mechanics::force::{Axes, ForceLaw, JointLaw};
use percussion_mechanics::spatial::{angular, linear};
use percussion_scene::Scene;

fn pose(scene: &Scene, name: &str) -> Pose {
    scene.model.pose(&scene.state, scene.model.body_named(name).unwrap())
}

fn close(a: &Pose, b: &Pose) -> bool {
    (a.position - b.position).norm() < 1e-14 && (a.rotation.matrix() - b.rotation.matrix()).norm() < 1e-14
}

/// A matrix as it is written in a scene, all digits.
fn written(rotation: &Rotation3<f64>) -> String {
    let m = rotation.matrix();
    let row = |i: usize| format!("[{:?}, {:?}, {:?}]", m[(i, 0)], m[(i, 1)], m[(i, 2)]);
    format!("[{}, {}, {}]", row(0), row(1), row(2))
}

#[test]
fn all_forms_of_an_orientation_agree() {
    let axis = Unit::new_normalize(Vec3::new(1.0, -2.0, 2.0));
    let rotation = Rotation3::from_axis_angle(&axis, 0.8);
    let v = axis.into_inner() * 0.8;
    let q = nalgebra::UnitQuaternion::from_axis_angle(&axis, 0.8);
    let ways = [
        format!("rotation_vector = [{:?}, {:?}, {:?}]", v.x, v.y, v.z),
        format!("rotation = {}", written(&rotation)),
        format!("quaternion = {{ w = {:?}, x = {:?}, y = {:?}, z = {:?} }}", q.w, q.i, q.j, q.k),
        "axis = [1, -2, 2]\nangle = 0.8".to_owned(),
        format!("axis = [1e60, -2e60, 2e60]\nangle_degrees = {:?}", 0.8f64.to_degrees()),
    ];
    let expected = Pose::new(rotation, Vec3::new(1.0, 2.0, 3.0));
    for way in ways {
        let text = format!("[bodies.a]\nmass = 1\nmoments = [1, 2, 2.5]\nposition = [1, 2, 3]\n{way}\n");
        assert!(close(&pose(&scene(&with_run(&text)), "a"), &expected), "{way}");
    }
}

#[test]
fn bodies_have_the_colours_they_are_given() {
    let text = with_run(
        "[templates.t]\nmass = 1\nshape = { sphere = 1 }\ncolor = \"#00ff7F\"\n\
         [bodies.plain]\nmass = 1\nshape = { sphere = 1 }\n\
         [bodies.own]\ntemplate = \"t\"\ncolor = \"#102030\"\n\
         [bodies.shared]\ntemplate = \"t\"\n\
         [bodies.floor]\nkind = \"fixed\"\ncolor = \"#ffffff\"\n",
    );
    let wanted = [None, Some([0x10, 0x20, 0x30]), Some([0, 0xff, 0x7f]), Some([0xff; 3])];
    let first = scene(&text);
    assert_eq!(first.body_colors, wanted);
    // The scene that a run keeps beside itself has them too.
    assert_eq!(scene(&first.resolved).body_colors, wanted);
}

#[test]
fn mass_comes_from_shape_and_density_or_is_given() {
    let text = with_run(
        "[materials.m]\ndensity = 10\nfriction = 0.5\nrestitution = 1\n\
         [shapes.bar]\nbox = [1, 2, 3]\nposition = [0, 0, 1]\n\
         [bodies.density]\nshape = \"bar\"\ndensity = 10\n\
         [bodies.material]\nshape = { shape = \"bar\", position = [1, 0, 0] }\nmaterial = \"m\"\n\
         [bodies.mass]\nshapes = [\"bar\"]\nmass = 60\n\
         [bodies.moments]\nshape = \"bar\"\nmass = 60\nmoments = [65, 50, 25]\n\
         [bodies.centre]\nmass = 60\ninertia = [[65, 0, 0], [0, 50, 0], [0, 0, 25]]\ncenter_of_mass = [0, 0, 1]\n\
         [bodies.particle]\nkind = \"particle\"\nshape = \"bar\"\nmaterial = \"m\"\n\
         [bodies.floor]\nkind = \"fixed\"\nshape = { half_space = { normal = [0, 0, 1] } }\n",
    );
    let scene = scene(&text);
    let bodies = &scene.model.bodies;
    for body in &bodies[..6] {
        assert!((body.mass - 60.0).abs() < 1e-12, "{}", body.name);
    }
    // m/12 (b² + c²): 5 * (4 + 9) = 65, 5 * 10 = 50, 5 * 5 = 25.
    for body in &bodies[..5] {
        let mut moments: Vec<f64> = body.inertia.iter().copied().collect();
        moments.sort_by(f64::total_cmp);
        assert!(moments.iter().zip([25.0, 50.0, 65.0]).all(|(a, b)| (a - b).abs() < 1e-12), "{}", body.name);
    }
    assert!((bodies[0].principal.position - Vec3::z()).norm() < 1e-15);
    assert!((bodies[1].principal.position - Vec3::new(1.0, 0.0, 1.0)).norm() < 1e-15);
    assert!((bodies[4].principal.position - Vec3::z()).norm() < 1e-15);
    assert_eq!(bodies[6].shapes.len(), 1);
    assert_eq!(scene.body_materials[1], Some(0));
    assert_eq!((scene.materials[0].friction, scene.materials[0].restitution), (Some(0.5), Some(1.0)));
}

#[test]
fn every_kind_of_shape_can_be_written() {
    for (shape, volume) in [
        ("box = [1, 2, 3]", 6.0),
        ("cube = 2", 8.0),
        ("sphere = 1", 4.0 / 3.0 * std::f64::consts::PI),
        ("ellipsoid = [1, 2, 3]", 8.0 * std::f64::consts::PI),
        ("capsule = { length = 3, radius = 1 }", (3.0 + 4.0 / 3.0) * std::f64::consts::PI),
        ("cylinder = { height = 3, radius = 1 }", 3.0 * std::f64::consts::PI),
        ("cone = { height = 3, radius = 1 }", std::f64::consts::PI),
        ("prism = { sides = 4, side = 2, height = 3 }", 12.0),
        ("prism = { sides = 4, circumradius = 1, height = 3 }", 6.0),
        ("antiprism = { sides = 3, side = 1, height = 0.816496580927726 }", 2f64.sqrt() / 3.0),
        ("pyramid = { base = [1, 2], height = 3 }", 2.0),
        ("pyramid = { sides = 4, circumradius = 1, height = 3 }", 2.0),
        ("frustum = { sides = 4, bottom = 2, top = 1, height = 3 }", 14.0),
        ("wedge = [1, 2, 3]", 3.0),
        ("tetrahedron = 1", 2f64.sqrt() / 12.0),
        ("octahedron = 1", 2f64.sqrt() / 3.0),
        ("icosahedron = 1", 5.0 / 12.0 * (3.0 + 5f64.sqrt())),
        ("dodecahedron = 1", (15.0 + 7.0 * 5f64.sqrt()) / 4.0),
        ("vertices = [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]]", 1.0 / 6.0),
        (
            "half_spaces = [[1, 0, 0, 1], [-1, 0, 0, 1], [0, 1, 0, 1], [0, -1, 0, 1], [0, 0, 1, 1], [0, 0, -1, 1]]",
            8.0,
        ),
        ("polygon = { vertices = [[0, 0], [2, 0], [0, 2]], thickness = 0.5 }", 1.0),
        ("parts = [{ cube = 1 }, { cube = 1, position = [1, 0, 0] }]", 2.0),
        (
            "mesh = { vertices = [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]], triangles = [[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]] }",
            1.0 / 6.0,
        ),
    ] {
        let scene = scene(&with_run(&format!("[bodies.a]\ndensity = 1\nshape = {{ {shape} }}\n")));
        let mass = scene.model.bodies[0].mass;
        assert!((mass - volume).abs() < 1e-12 * volume, "{shape}: {mass} {volume}");
    }
    let round =
        scene(&with_run("[bodies.a]\ndensity = 1\nshape = { rounded = { count = 100, radius = 1 } }\n"));
    assert!((0.9..4.18).contains(&round.model.bodies[0].mass));
}

#[test]
fn angular_velocity_may_be_given_in_the_bodys_axes() {
    let text = with_run(
        "[bodies.a]\nmass = 1\nmoments = [1, 2, 2.5]\naxis = [0, 0, 1]\nangle_degrees = 90\nbody_angular_velocity = [3, 0, 0]\n",
    );
    let scene = scene(&text);
    assert!((angular(&scene.model.twists(&scene.state)[0]) - Vec3::new(0.0, 3.0, 0.0)).norm() < 1e-14);
}

/// A body beside a joint, as written, and what the joint's coordinates make of it.
fn placed(joint: &str) -> Scene {
    let text = format!(
        "[bodies.base]\nkind = \"fixed\"\nposition = [5, 5, 5]\nrotation_vector = [0.1, 0.2, 0.3]\n\
         [bodies.a]\nmass = 1\nmoments = [1, 2, 2.5]\nposition = [1, 0, 0]\n\
         [bodies.b]\nmass = 1\nmoments = [1, 2, 2.5]\nposition = [2, 0, 0]\nrotation_vector = [0.3, 0, 0]\n\
         [joints.j]\nparent = \"base\"\nchild = \"a\"\n{joint}\n\
         [joints.k]\nkind = \"fixed\"\nparent = \"a\"\nchild = \"b\"\n"
    );
    scene(&with_run(&text))
}

#[test]
fn joint_coordinates_move_a_body_and_its_descendants() {
    let about = |axis: Vec3, angle: f64| Rotation3::from_axis_angle(&Unit::new_normalize(axis), angle);
    let (none, z) = (Rotation3::identity(), Vec3::z());
    // The motion of space that takes the bodies from where they are written to where they start.
    let cases: [(&str, Pose); 7] = [
        (
            "kind = \"revolute\"\nat = [0, 0, 0]\naxis = [0, 0, 2]\nangle = 7.0",
            Pose::new(about(z, 7.0), Vec3::zeros()),
        ),
        ("kind = \"prismatic\"\naxis = [0, 3, 4]\ntravel = -0.5", Pose::at(Vec3::new(0.0, -0.3, -0.4))),
        (
            "kind = \"cylindrical\"\nat = [0, 0, 0]\naxis = [0, 0, 1]\nangle = 1.0\ntravel = 2.0",
            Pose::new(about(z, 1.0), Vec3::new(0.0, 0.0, 2.0)),
        ),
        (
            "kind = \"universal\"\nat = [0, 0, 0]\naxis = [1, 0, 0]\nsecond_axis = [0, 1, 0]\ncoordinates = [0.4, 0.9]",
            Pose::new(about(Vec3::x(), 0.4) * about(Vec3::y(), 0.9), Vec3::zeros()),
        ),
        (
            "kind = \"planar\"\nat = [0, 0, 0]\naxis = [0, 0, 1]\nsecond_axis = [0, 1, 0]\ncoordinates = [1.0, 2.0, 0.5]",
            Pose::new(about(z, 0.5), Vec3::new(-2.0, 1.0, 0.0)),
        ),
        (
            "kind = \"spherical\"\nat = [0, 0, 0]\nrotation_vector = [0.3, -0.4, 1.2]",
            Pose::new(Rotation3::new(Vec3::new(0.3, -0.4, 1.2)), Vec3::zeros()),
        ),
        ("kind = \"fixed\"", Pose::new(none, Vec3::zeros())),
    ];
    for (joint, moved) in cases {
        let scene = placed(joint);
        let a = moved.then(&Pose::at(Vec3::x()));
        let b = moved.then(&Pose::new(Rotation3::new(Vec3::new(0.3, 0.0, 0.0)), Vec3::x() * 2.0));
        assert!(close(&pose(&scene, "a"), &a), "{joint}");
        assert!(close(&pose(&scene, "b"), &b), "{joint}");
        if let Some(given) = joint.split("coordinates = ").nth(1) {
            assert_eq!(format!("{:?}", scene.state.coordinates), given);
        }
    }
    // Whole turns are kept, and the number as it was written.
    assert_eq!(placed(cases[0].0).state.coordinates, [7.0]);
}

#[test]
fn frames_on_bodies_are_equivalent_to_a_point_of_the_world() {
    let world = placed("kind = \"revolute\"\nat = [0, 0, 0]\naxis = [0, 0, 1]\nangle = 0.4\nrate = 2");
    let child = placed("kind = \"revolute\"\nchild_frame = { position = [-1, 0, 0] }\nangle = 0.4\nrate = 2");
    for name in ["a", "b"] {
        assert!(close(&pose(&world, name), &pose(&child, name)));
    }
    let twist = world.model.twists(&world.state)[0];
    assert!((linear(&twist) - child.model.twists(&child.state)[0].fixed_rows::<3>(0)).norm() < 1e-13);
    assert!((angular(&twist) - Vec3::z() * 2.0).norm() < 1e-13);
    // Both frames explicit: the child goes where the coordinates put it, wherever it was written.
    let text = with_run(
        "[bodies.a]\nmass = 1\nmoments = [1, 2, 2.5]\nposition = [9, 9, 9]\n[joints.j]\nkind = \"prismatic\"\nparent = \"world\"\n\
         child = \"a\"\nparent_frame = { position = [0, 0, 1] }\nchild_frame = { position = [0, 0, -1] }\ntravel = 3\n",
    );
    assert!(close(&pose(&scene(&text), "a"), &Pose::at(Vec3::new(0.0, 0.0, 5.0))));
}

const TWO: &str = "[bodies.a]\nmass = 1\nmoments = [1, 2, 2.5]\ncenter_of_mass = [0, 0, 1]\n\
                   [bodies.b]\nmass = 2\nmoments = [1, 2, 2.5]\nposition = [3, 0, 0]\n\
                   [joints.j]\nkind = \"cylindrical\"\nparent = \"world\"\nchild = \"b\"\nat = [3, 0, 0]\naxis = [0, 0, 1]\n";

fn forced(text: &str) -> Scene {
    scene(&with_run(&format!("{TWO}{text}")))
}

#[test]
fn forces_arrive_in_the_model_as_written() {
    let law = |scene: &Scene| scene.model.forces[0].law.clone();
    let spring = forced(
        "[forces.f]\nkind = \"spring\"\na = \"a\"\nb = { body = \"b\", point = [0, 0, 1] }\nstiffness = 5\ndamping = 0.5\n",
    );
    let ForceLaw::Spring(s) = law(&spring) else { panic!() };
    // Its length at the start: from the centre of mass of a, (0, 0, 1), to (3, 0, 1).
    assert_eq!((s.stiffness, s.damping, s.rest_length), (5.0, 0.5, 3.0));
    let damper =
        forced("[forces.f]\nkind = \"damper\"\na = \"a\"\nb = { world = [1, 1, 1] }\ndamping = 0.5\n");
    let ForceLaw::Spring(s) = law(&damper) else { panic!() };
    assert_eq!(
        (s.stiffness, s.rest_length, s.damping, s.b.body, s.b.arm),
        (0.0, 0.0, 0.5, None, Vec3::repeat(1.0))
    );
    let charges = forced(
        "[forces.f]\nkind = \"charges\"\nsoftening = 0.1\ncharges = [{ body = \"a\", charge = 1e-6 }, { world = [0, 0, 9], charge = -2e-6 }]\n",
    );
    let ForceLaw::Charges(c) = law(&charges) else { panic!() };
    assert!((c.constant - 8.9875517862e9).abs() < 1.0 && c.softening == 0.1);
    assert_eq!(c.charges.iter().map(|source| source.weight).collect::<Vec<_>>(), [1e-6, -2e-6]);
    let gravity = forced("[forces.f]\nkind = \"mutual-gravity\"\n");
    let ForceLaw::Gravitation(g) = law(&gravity) else { panic!() };
    assert_eq!(g.constant, 6.6743e-11);
    assert_eq!(g.bodies.iter().map(|source| source.weight).sum::<f64>(), 3.0);
    let attraction = forced(
        "[forces.f]\nkind = \"attraction\"\nparameter = 4\ncenter = [1, 0, 0]\nbodies = [\"a\", \"b\"]\n",
    );
    assert_eq!(attraction.model.forces.iter().map(|f| f.name.as_str()).collect::<Vec<_>>(), ["f-a", "f-b"]);
    let load = forced(
        "[forces.f]\nkind = \"load\"\non = \"a\"\nforce = { times = [0, 1], values = [[0, 0, 0], [2, 0, 0]] }\ntorque = [0, 0, 3]\n",
    );
    let ForceLaw::Load(l) = law(&load) else { panic!() };
    let (force, torque) = (l.force.unwrap(), l.torque.unwrap());
    assert_eq!(force.components.at(0.5), [1.0, 0.0, 0.0]);
    assert_eq!(torque.components.at(9.0), [0.0, 0.0, 3.0]);
    assert_eq!(force.axes, Axes::World);
    let drag = forced(
        "[forces.f]\nkind = \"drag\"\nbody = \"a\"\nlinear = 0.1\nangular_quadratic = 0.2\nmedium = [1, 0, 0]\n",
    );
    let ForceLaw::Drag(d) = law(&drag) else { panic!() };
    assert_eq!((d.linear, d.quadratic, d.angular_quadratic, d.medium), (0.1, 0.0, 0.2, Vec3::x()));
    // At the centre of mass, which is the origin of the principal frame.
    assert_eq!(d.anchor.arm, Vec3::zeros());
}

#[test]
fn forces_along_joints_name_their_coordinate() {
    let text = "[forces.s]\nkind = \"torsion-spring\"\njoint = \"j\"\ncoordinate = \"angle\"\nstiffness = 2\nrest = 0.5\n\
                [forces.d]\nkind = \"torsion-damper\"\njoint = \"j\"\ncoordinate = \"travel\"\ndamping = 3\n\
                [forces.m]\nkind = \"motor\"\njoint = \"j\"\ncoordinate = \"travel\"\ntimes = [0, 2]\nvalues = [0, 4]\n";
    let scene = forced(text);
    let [s, d, m] = &scene.model.joint_forces[..] else { panic!() };
    assert!(matches!(s.law, JointLaw::Spring { stiffness: 2.0, rest: 0.5 }) && s.coordinate == 0);
    assert!(matches!(d.law, JointLaw::Damper { damping: 3.0 }) && d.coordinate == 1);
    let JointLaw::Motor(table) = &m.law else { panic!() };
    assert_eq!((table.at(1.0), m.coordinate), ([2.0], 1));
}

#[test]
fn a_run_that_does_not_end_on_a_step_is_mentioned() {
    let text = with_run("[bodies.a]\nkind = \"particle\"\nmass = 1\n");
    assert_eq!(scene(&text).warnings, Vec::<String>::new());
    let odd = changed(&text, &[("run.until", "1.0004")]);
    assert_eq!(odd.run.steps(), 1000);
    assert!(odd.warnings[0].contains("not a whole number of steps"), "{:?}", odd.warnings);
}
