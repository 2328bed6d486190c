//! The table of capabilities is true of the schemes, and the guide shows it.

use crate::common::*;

const H: f64 = 1e-3;

/// Contact far away, for schemes that need some.
fn far_contact(kind: SchemeKind) -> ContactSpec {
    let elastic = Surface { restitution: 1.0, friction: 0.0 };
    let potential = Potential { stiffness: 1e4, drag: 0.0 };
    let potential = kind.capabilities().uses_potential().then_some(potential);
    ContactSpec { otherwise: Some(elastic), potential, ..ContactSpec::default() }
}

/// A run of a kind, with contact where the kind has it.
fn run(kind: SchemeKind, mut builder: ModelBuilder, contact: bool) -> Result<Simulation, String> {
    if contact {
        builder.contact(far_contact(kind));
    }
    let (model, state) = match kind.capabilities().coordinates {
        Coordinates::Reduced => builder.build(),
        Coordinates::Maximal => builder.build_open(),
    }
    .map_err(|error| error.to_string())?;
    kind.check(&model, 0.0).map_err(|error| error.to_string())?;
    let scheme = kind.build(&model, &state, &SchemeOptions::default()).map_err(|error| error.to_string())?;
    Ok(Simulation::new(model, state, scheme, H).unwrap())
}

/// Whether a kind needs contact to run.
fn needs_contact(kind: SchemeKind) -> bool {
    !kind.capabilities().without_contact
}

/// A bar of unit length along x from the origin of its own frame.
fn bar(name: &str) -> Body {
    let shape = Polytope::cuboid(1.0, 0.1, 0.1).unwrap();
    let middle = Pose::at(Vec3::x() * 0.5);
    Body::of_density(name, &shape.mass_properties().placed(&middle), 100.0).unwrap()
}

fn four_bar() -> ModelBuilder {
    mechanisms::four_bar(Vec3::zeros())
}

#[test]
fn names_read_back_and_unknown_ones_are_refused_with_all_names() {
    for kind in SchemeKind::ALL {
        assert_eq!(kind.name().parse(), Ok(kind));
    }
    let error = "elastic".parse::<SchemeKind>().unwrap_err();
    assert_eq!(error, UnknownScheme { name: "elastic".into() });
    let message = error.to_string();
    assert!(SchemeKind::NAMES.iter().all(|name| message.contains(name)), "{message}");
}

#[test]
fn loops_stay_closed_under_the_schemes_that_take_them() {
    for kind in SchemeKind::ALL {
        assert!(kind.capabilities().loops, "{kind}: refuse loops in check, and test that");
        let mut simulation = run(kind, four_bar(), needs_contact(kind)).unwrap();
        simulation.run_until(0.3).unwrap();
        assert!(simulation.energy().kinetic > 1e-3, "{kind}");
        let opening = simulation.ledger().latest().position_violation;
        assert!(opening < 1e-4, "{kind}: {opening:e}");
    }
}

/// A bar on a hinge about y through the origin, with a constant torque along it.
fn driven_bar(torque: f64, limits: Option<Limits>) -> ModelBuilder {
    let mut builder = ModelBuilder::new();
    let body = builder.body(bar("bar"), Pose::identity());
    let quarter = std::f64::consts::FRAC_PI_2;
    let frame = Pose::new(Rotation3::from_axis_angle(&Vec3::x_axis(), -quarter), Vec3::zeros());
    let mut spec = builder.joint_at("hinge", JointKind::Revolute, None, body, &frame);
    spec.limits[0] = limits;
    let joint = builder.joint(spec);
    if torque != 0.0 {
        let law = JointLaw::Motor(Table::constant([torque]));
        builder.joint_force(JointForce { name: "motor".into(), slot: joint.0, coordinate: 0, law });
    } else {
        builder.rates(joint, &[1.0]);
    }
    builder
}

#[test]
fn motors_drive_joints_under_the_schemes_that_have_them_and_others_refuse_them() {
    for kind in SchemeKind::ALL {
        let made = run(kind, driven_bar(1.0, None), needs_contact(kind));
        if !kind.capabilities().motors {
            assert!(made.is_err(), "{kind}");
            continue;
        }
        let mut simulation = made.unwrap();
        simulation.run_until(0.1).unwrap();
        // The inertia of a bar of mass 1 kg about its end.
        let expected = 0.5 * 0.01 / (1.0 / 3.0 + 0.01 / 12.0);
        let angle = simulation.joint("hinge").unwrap().coordinates()[0].abs();
        // At first order the positions of a step follow the velocities of its end.
        let tolerance = if kind.capabilities().order == 1 { 1.1 * H / 0.1 } else { 1e-3 };
        assert!((angle - expected).abs() < tolerance * expected, "{kind}: {angle} {expected}");
    }
}

#[test]
fn joint_limits_are_enforced_or_refused() {
    for kind in SchemeKind::ALL {
        assert!(!kind.capabilities().soft_bodies);
        let limits = Some(Limits::new(-0.01, 0.01));
        let made = run(kind, driven_bar(0.0, limits), needs_contact(kind));
        if !kind.capabilities().joint_limits {
            let text = made.map(|_| ()).unwrap_err();
            assert!(text.contains("joint `hinge` has limits") && text.contains("choose"), "{kind}: {text}");
            continue;
        }
        let mut simulation = made.unwrap();
        simulation.run_until(0.1).unwrap();
        let tip = simulation.body("bar").unwrap().pose().rotation.angle();
        assert!((tip - 0.01).abs() < 1e-9, "{kind}: {tip}");
    }
}

#[test]
fn drives_are_taken_or_refused() {
    for kind in SchemeKind::ALL {
        let mut builder = driven_bar(0.0, None);
        let law = JointLaw::Velocity { velocity: Table::constant([0.5]), max: f64::INFINITY };
        builder.joint_force(JointForce { name: "motor".into(), slot: 0, coordinate: 0, law });
        let made = run(kind, builder, needs_contact(kind));
        assert_eq!(made.is_ok(), kind.capabilities().drives, "{kind}");
        let Err(text) = made else { continue };
        assert!(text.contains("`motor` is a drive") && text.contains("choose"), "{kind}: {text}");
    }
}

/// A square in the plane that falls on a line.
fn planar(restitution: f64, friction: f64, kind: SchemeKind) -> ModelBuilder {
    let mut builder = ModelBuilder::new();
    builder.gravity(Vec3::new(0.0, -9.81, 0.0));
    builder.body(half_plane(), Pose::identity());
    let shape = PlanarShape::Polygon(Polygon::square(1.0).unwrap());
    flat(&mut builder, "square", shape, (1.0, 1.0 / 6.0), 0.0, Vec2::y() * 0.6);
    if kind.capabilities().contact != ContactSupport::None {
        let spec = far_contact(kind);
        builder.contact(ContactSpec { otherwise: Some(Surface { restitution, friction }), ..spec });
    }
    builder
}

#[test]
fn planar_bodies_stay_above_the_ground_under_all_schemes_with_contact() {
    for kind in SchemeKind::ALL {
        assert!(kind.capabilities().planar);
        let mut simulation = run(kind, planar(1.0, 0.0, kind), false).unwrap();
        simulation.run_until(0.5).unwrap();
        let position = simulation.body("square").unwrap().position();
        assert!(position.z.abs() < 1e-12, "{kind}: {position}");
        let held = kind.capabilities().contact != ContactSupport::None;
        assert_eq!(position.y > 0.4, held, "{kind}: {position}");
    }
}

#[test]
fn friction_and_restitution_are_refused_where_the_table_says_so() {
    for kind in SchemeKind::ALL {
        let capable = kind.capabilities();
        if capable.contact == ContactSupport::None {
            continue;
        }
        assert_eq!(run(kind, planar(1.0, 0.3, kind), false).is_ok(), capable.friction, "{kind}");
        let any = capable.restitution == RestitutionSupport::Any;
        assert_eq!(run(kind, planar(0.5, 0.0, kind), false).is_ok(), any, "{kind}");
    }
}

#[test]
fn contact_is_needed_optional_or_refused_as_the_table_says() {
    for kind in SchemeKind::ALL {
        let Capabilities { contact, without_contact, .. } = kind.capabilities();
        assert_eq!(run(kind, four_bar(), false).is_ok(), without_contact, "{kind}");
        assert_eq!(run(kind, four_bar(), true).is_ok(), contact != ContactSupport::None, "{kind}");
    }
}

#[test]
fn the_order_of_a_scheme_is_that_of_the_table() {
    for kind in SchemeKind::ALL {
        let simulation = run(kind, four_bar(), needs_contact(kind)).unwrap();
        assert_eq!((simulation.scheme(), simulation.order()), (kind, kind.capabilities().order));
    }
}

#[test]
fn a_scene_built_by_names_is_read_by_names() {
    let mut scene = SceneBuilder::new();
    scene.gravity([0.0, 0.0, -9.81]);
    scene.fixed("floor").half_space([0.0, 0.0, 1.0]);
    scene.body("ball").sphere(0.5).position([0.0, 0.0, 0.5]);
    scene.body("bob").sphere(0.1).position([2.0, 0.0, 2.0]).density(500.0);
    scene
        .joint("hinge", JointKind::Revolute, "bob")
        .point([2.0, 0.0, 3.0])
        .axis([0.0, 1.0, 0.0])
        .rates(&[1.0]);
    let mut simulation = scene.simulate(SchemeKind::Decomposition, H).unwrap();
    let bob = simulation.body("bob").unwrap();
    assert!((bob.velocity().norm() - 1.0).abs() < 1e-12 && (bob.angular_velocity().y - 1.0).abs() < 1e-12);
    simulation.run_until(0.1).unwrap();
    assert!((simulation.state().time - 0.1).abs() < 1e-12);
    let angle = simulation.joint("hinge").unwrap().coordinates()[0];
    assert!(angle > 0.08 && angle < 0.1, "{angle}");
    assert!((simulation.joint("hinge").unwrap().rates()[0]) < 1.0);
    assert!((simulation.body("ball").unwrap().center_of_mass().z - 0.5).abs() < 1e-3);
    assert_eq!(simulation.body("bell").err().unwrap().to_string(), "there is no body `bell`");

    let mut wrong = scene.clone();
    wrong.joint("rope", JointKind::Spherical, "bog");
    let error = wrong.simulate(SchemeKind::Lcp, H).err().unwrap().to_string();
    assert_eq!(error, "joint `rope`: there is no body `bog`");
    let mut flat = scene.clone();
    flat.body("sheet").cuboid([1.0, 1.0, 0.0]);
    let error = flat.simulate(SchemeKind::Lcp, H).err().unwrap().to_string();
    assert!(error.starts_with("body `sheet`: "), "{error}");
    scene.body("ghost");
    let error = scene.simulate(SchemeKind::Lcp, H).err().unwrap().to_string();
    assert!(error.contains("`ghost`"), "{error}");
}

/// `PERCUSSION_UPDATE_DOCS=1 cargo test` writes the table.
#[test]
fn the_guide_shows_the_table_of_capabilities() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/src/tables/capabilities.md");
    let table = capabilities_markdown();
    if std::env::var_os("PERCUSSION_UPDATE_DOCS").is_some() {
        std::fs::write(path, &table).unwrap();
    }
    let shown = std::fs::read_to_string(path).unwrap_or_default();
    assert_eq!(
        shown, table,
        "docs/src/tables/capabilities.md is out of date; run with PERCUSSION_UPDATE_DOCS=1"
    );
}
