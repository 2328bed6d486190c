//! Contact and planar bodies: what is written arrives in the model, and mistakes are named with their lines.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod common;

use common::{changed, refused, scene, try_changed};
use percussion_geometry::Vec3;
use percussion_mechanics::contact::{PartShape, Potential, Surface};
use percussion_mechanics::response::{
    CollisionModel, ContactOptions, ContactResponse, EnergyJumpCondition, FrictionLaw, ImpactLaw,
};
use percussion_scene::Scene;

const RUN: &str = "[run]\nstep = 1e-3\nuntil = 1\nscheme = \"potential\"\n";

/// Three balls in a row, the first two tied by a joint, over a floor.
const BALLS: &str = "[run]\nstep = 1e-3\nuntil = 1\nscheme = \"potential\"\n\
    [materials.steel]\ndensity = 1000\nrestitution = 1\n\
    [bodies.a]\nshape = { sphere = 0.1 }\nmass = 1\nposition = [0, 0, 1]\nmaterial = \"steel\"\n\
    [bodies.b]\nshape = { sphere = 0.2 }\nmass = 1\nposition = [1, 0, 1]\n\
    [bodies.c]\nshape = { sphere = 0.1 }\nmass = 1\nposition = [2, 0, 1]\n\
    [bodies.floor]\nkind = \"fixed\"\nshape = { half_space = { normal = [0, 0, 1] } }\n\
    [joints.j]\nkind = \"spherical\"\nparent = \"a\"\nchild = \"b\"\nat = [0.5, 0, 1]\n";

fn balls(text: &str) -> Scene {
    scene(&format!("{BALLS}{text}"))
}

fn refused_balls(text: &str, said: &str) {
    refused(&format!("{BALLS}{text}"), said);
}

/// Whether two bodies of one part each may meet.
fn meet(scene: &Scene, a: &str, b: &str) -> bool {
    let part = |name: &str| scene.model.body_named(name).unwrap();
    scene.model.contacts.as_ref().unwrap().may_collide(part(a), part(b))
}

fn surface(scene: &Scene, a: &str, b: &str) -> Surface {
    let part = |name: &str| scene.model.body_named(name).unwrap();
    scene.model.contacts.as_ref().unwrap().surface(part(a), part(b))
}

#[test]
fn without_the_table_nothing_collides() {
    let scene = changed(BALLS, &[("run.scheme", "variational")]);
    assert!(scene.model.contacts.is_none() && scene.contact.is_none());
}

#[test]
fn the_table_has_defaults_for_everything() {
    let scene = balls("[contact]\nstiffness = 50\n");
    let settings = scene.contact.unwrap();
    assert_eq!(settings.potential, Some(Potential { stiffness: 50.0, drag: 0.0 }));
    assert!((settings.allowed_penetration - 0.001).abs() < 1e-18, "a hundredth of the smallest radius");
    assert!(!settings.project_start);
    assert_eq!(scene.run.options.contact, ContactOptions::default());
    assert_eq!(surface(&scene, "b", "c"), Surface::IDEAL);
    assert!(meet(&scene, "a", "c") && meet(&scene, "a", "floor") && !meet(&scene, "a", "b"));
}

#[test]
fn every_choice_arrives() {
    let scene = balls(
        "[contact]\nstiffness = 1.5\nallowed_penetration = 0.02\nnormal_damping = 3\nimpact_law = \"sum\"\nenergy_jump = \"discrete\"\nmax_impacts = 7\n\
         friction_law = \"dcr-ratio\"\nresponse = \"published\"\nenergy_consistent = true\npotential_in_projection = true\ncollision_model = \"plastic\"\nproject_start = true\n",
    );
    let settings = scene.contact.unwrap();
    assert_eq!(settings.potential, Some(Potential { stiffness: 1.5, drag: 3.0 }));
    assert_eq!((settings.allowed_penetration, settings.project_start), (0.02, true));
    let wanted = ContactOptions {
        law: ImpactLaw::Sum,
        energy: EnergyJumpCondition::Discrete,
        max_impacts: 7,
        friction: FrictionLaw::Ratio,
        response: ContactResponse::Published,
        consistent: Some(true),
        potential_in_projection: true,
        loss: CollisionModel::Plastic,
    };
    assert_eq!(scene.run.options.contact, wanted);
    let again = Scene::parse(&scene.resolved, "again.toml", "", &[]).unwrap();
    assert_eq!((again.contact, again.run), (scene.contact, scene.run));
}

#[test]
fn materials_pairs_and_joints_say_who_meets_and_how() {
    let text = "[contact]\nstiffness = 50\nnormal_damping = 1\nrestitution = 0.25\n\
        [contact.pairs.soft]\nbetween = [\"a\", \"c\"]\nrestitution = 0.5\n\
        [contact.pairs.ghost]\nbetween = [\"floor\", \"c\"]\ncollide = false\n";
    let scene = balls(text);
    // The material says restitution 1 and nothing about friction; b and c have none.
    assert_eq!(surface(&scene, "a", "floor"), Surface { restitution: 1.0, friction: 0.0 });
    assert_eq!(surface(&scene, "b", "c"), Surface { restitution: 0.25, friction: 0.0 });
    assert_eq!(surface(&scene, "c", "a"), Surface { restitution: 0.5, friction: 0.0 });
    assert!(!meet(&scene, "c", "floor") && !meet(&scene, "a", "b"));
    let tied = changed(&format!("{BALLS}{text}"), &[("joints.j.collide", "true")]);
    assert!(meet(&tied, "a", "b") && meet(&tied, "b", "a"));
    // A pair has the last word over a joint.
    let text = format!("{BALLS}{text}[contact.pairs.tied]\nbetween = [\"a\", \"b\"]\ncollide = false\n");
    assert!(!meet(&changed(&text, &[("joints.j.collide", "true")]), "a", "b"));
    assert!(meet(&changed(&text, &[("contact.pairs.tied.collide", "true")]), "a", "b"));
    // All of it survives being written out.
    let again = Scene::parse(&tied.resolved, "again.toml", "", &[]).unwrap();
    assert_eq!(format!("{:?}", tied.model), format!("{:?}", again.model));
}

#[test]
fn bodies_of_patterns_are_named_as_they_are_written_out() {
    let text = format!(
        "{RUN}[contact]\nstiffness = 10\n[contact.pairs.p]\nbetween = [\"row-1\", \"row-3\"]\ncollide = false\n\
         [patterns.row]\nkind = \"row\"\nbody = {{ shape = {{ sphere = 0.1 }}, mass = 1 }}\ncount = 3\nspacing = [1, 0, 0]\n"
    );
    let scene = scene(&text);
    assert!(!meet(&scene, "row-1", "row-3") && meet(&scene, "row-1", "row-2"));
}

#[test]
fn numbers_and_words_out_of_range_are_refused() {
    for (line, said) in [
        ("stiffness = 0", "`contact.stiffness` is 0; give a positive stiffness in N/m, or \"auto\""),
        ("stiffness = -1.5", "`contact.stiffness` is -1.5"),
        ("stiffness = \"atuo\"", "did you mean `auto`?"),
        ("stiffness = \"stiff\"", "known here: auto; give a number in N/m"),
        ("stiffness = [1]", "`contact.stiffness` is a list"),
        ("allowed_penetration = 0", "`contact.allowed_penetration` is 0; give a positive length"),
        ("normal_damping = -1", "`contact.normal_damping` is -1; give a damping in N s/m of zero or more"),
        ("restitution = 1.2", "`contact.restitution` is 1.2; give a number from 0 to 1"),
        ("restitution = -0.1", "from 0 to 1"),
        ("friction = -0.1", "`contact.friction` is -0.1"),
        ("friction = nan", "give a finite number"),
        ("impact_law = \"morau\"", "`contact.impact_law` is \"morau\"; did you mean `moreau`?"),
        ("energy_jump = \"kinetic\"", "known here: projected, discrete"),
        ("max_impacts = 0", "whole number of at least 1"),
        ("friction_law = \"coulom\"", "did you mean `coulomb`?"),
        ("collision_model = \"plastik\"", "did you mean `plastic`?"),
        ("energy_consistent = 1", "write true or false"),
        ("project_start = \"yes\"", "write true or false"),
        ("restituton = 0.5", "unknown key `restituton` in `contact`; did you mean `restitution`?"),
        ("pairs = 3", "write [contact.pairs.NAME]"),
    ] {
        refused_balls(&format!("[contact]\n{line} # <-\n"), said);
    }
    refused_balls("contact = 3 # <-\n", "unknown key");
}

#[test]
fn pairs_name_two_bodies() {
    let pair = |text: &str| format!("[contact]\nstiffness = 1\n[contact.pairs.p]{text}\n");
    for (text, said) in [
        ("\nbetween = [\"a\", \"d\"] # <-", "there is no body `d`; did you mean `a`?"),
        ("\nbetween = [\"a\", \"world\"] # <-", "there is no body `world`"),
        ("\nbetween = [\"a\", \"a\"] # <-", "names one body twice"),
        ("\nbetween = [\"a\"] # <-", "has 1 entries; name two bodies"),
        ("\nbetween = \"a\" # <-", "not a list"),
        ("\nbetween = [\"a\", 3] # <-", "not a string"),
        (" # <-\ncollide = true", "`contact.pairs.p.between` is missing"),
        ("\nbetween = [\"a\", \"b\"]\nfricton = 1 # <-", "did you mean `friction`?"),
        ("\nbetween = [\"a\", \"b\"]\nfriction = -1 # <-", "`contact.pairs.p.friction` is -1"),
        ("\nbetween = [\"a\", \"b\"]\nrestitution = 2 # <-", "from 0 to 1"),
        ("\nbetween = [\"a\", \"b\"]\ncollide = \"no\" # <-", "write true or false"),
    ] {
        refused_balls(&pair(text), said);
    }
}

#[test]
fn a_scheme_that_cannot_express_the_scene_is_refused_where_it_is_named() {
    let with = |scheme: &str, text: &str| {
        let marked = BALLS.replace("\"potential\"\n", &format!("\"{scheme}\" # <-\n"));
        format!("{marked}{text}")
    };
    refused(&with("potential", ""), "for bodies that collide, but nothing does; add [contact]");
    let plain = "[contact]\nstiffness = 10\n";
    for scheme in ["variational", "variational-projected", "variational-multipliers"] {
        let said = format!("the scheme {scheme} has no contact; choose one of newmark-explicit");
        refused(&with(scheme, plain), &said);
    }
    for scheme in ["potential", "newmark-explicit", "newmark-implicit"] {
        scene(&with(scheme, plain));
        refused(&with(scheme, &format!("{plain}friction = 0.3\n")), "has friction 0.3");
        refused(&with(scheme, &format!("{plain}restitution = 0.5\n")), "contact is elastic unless it has");
        scene(&with(scheme, &format!("{plain}restitution = 0.5\nnormal_damping = 1\n")));
    }
    let rough = "[contact]\nfriction = 0.3\nrestitution = 0.5\n";
    for scheme in ["exact", "decomposition", "dissipative"] {
        refused(&with(scheme, ""), "add [contact]");
        let smooth = scene(&with(scheme, "[contact]\nrestitution = 0.5\n"));
        assert_eq!(smooth.contact.unwrap().potential, None);
    }
    let choice = "set friction to 0, or choose exact, dissipative, decomposition or lcp";
    refused(&with("potential", &format!("{plain}friction = 0.3\n")), choice);
    for scheme in ["exact", "decomposition", "dissipative"] {
        scene(&with(scheme, rough));
    }
    let unnamed = BALLS.replace("scheme = \"potential\"\n", "");
    refused(&format!("{unnamed}[contact] # <-\n"), "has no contact");
    let rough = with("potential", "[contact]\nstiffness = 1\n").replace("restitution = 1", "friction = 0.5");
    refused(&rough, "the surface of `a` has friction 0.5");
}

#[test]
fn bodies_that_overlap_at_the_start_are_refused_with_the_pair_and_the_depth() {
    let near = BALLS
        .replace("[bodies.c]", "[bodies.c] # <-")
        .replace("position = [2, 0, 1]", "position = [1.25, 0, 1]");
    let text = format!("{near}[contact]\nstiffness = 10\n");
    refused(&text, "`b` and `c` penetrate each other by 5.0");
    refused(&text, "more than the allowed 1e-3 m; move one of them, or separate them with --project-start");
    // Less than is allowed is allowed.
    try_changed(&text, &[("contact.allowed_penetration", "0.06")]).unwrap();
    // What is tied or told apart does not count.
    let apart = format!("{text}[contact.pairs.p]\nbetween = [\"b\", \"c\"]\ncollide = false\n");
    try_changed(&apart, &[]).unwrap();
}

#[test]
fn contact_without_shapes_is_mentioned() {
    let text = format!("{RUN}[contact]\nstiffness = 1\n[bodies.p]\nkind = \"particle\"\nmass = 1\n");
    assert!(scene(&text).warnings[0].contains("no two bodies with shapes can collide"));
    assert_eq!(balls("[contact]\nstiffness = 1\n").warnings, Vec::<String>::new());
}

/// A planar body on its joint.
fn flat(shape: &str, more: &str) -> String {
    format!(
        "{RUN}[contact]\nstiffness = 10\n[bodies.f]\nshape = {{ {shape} }}\ndensity = 2\n\
         [joints.p]\nkind = \"planar\"\nparent = \"world\"\nchild = \"f\"\naxis = [0, 0, 1]\n{more}"
    )
}

#[test]
fn planar_shapes_have_a_mass_per_area() {
    let root3 = 3f64.sqrt();
    // Area, and the second moments across y and across x: ∫ y² and ∫ x².
    for (shape, area, xx, yy) in [
        ("polygon = [[0, 0], [2, 0], [2, 3], [0, 3]]", 6.0, 6.0 * 9.0 / 12.0, 6.0 * 4.0 / 12.0),
        ("rectangle = [2, 3]", 6.0, 4.5, 2.0),
        ("square = 2", 4.0, 4.0 / 3.0, 4.0 / 3.0),
        ("triangle = { base = 2, height = 3 }", 3.0, 3.0 * 9.0 / 18.0, 3.0 * 4.0 / 24.0),
        ("circle = 2", 4.0 * std::f64::consts::PI, 4.0 * std::f64::consts::PI, 4.0 * std::f64::consts::PI),
        (
            "ellipse = [2, 1]",
            2.0 * std::f64::consts::PI,
            0.5 * std::f64::consts::PI,
            2.0 * std::f64::consts::PI,
        ),
        ("regular_polygon = { sides = 6, side = 1 }", 1.5 * root3, 5.0 * root3 / 16.0, 5.0 * root3 / 16.0),
        ("regular_polygon = { sides = 4, circumradius = 1.4142135623730951 }", 4.0, 4.0 / 3.0, 4.0 / 3.0),
    ] {
        let scene = scene(&flat(shape, ""));
        let body = &scene.model.bodies[0];
        assert!((body.mass - 2.0 * area).abs() < 1e-12, "{shape}: {}", body.mass);
        let mut found: Vec<f64> = body.inertia.iter().copied().collect();
        let mut wanted = [2.0 * xx, 2.0 * yy, 2.0 * (xx + yy)];
        found.sort_by(f64::total_cmp);
        wanted.sort_by(f64::total_cmp);
        assert!(
            found.iter().zip(wanted).all(|(a, b)| (a - b).abs() < 1e-12),
            "{shape}: {found:?} {wanted:?}"
        );
        assert!(body.shapes.is_empty() && body.outlines.len() == 1);
    }
    // A mass instead of a density.
    let heavy = flat("square = 2", "").replace("density = 2", "mass = 8");
    assert_eq!(scene(&heavy).model.bodies[0].mass, 8.0);
}

#[test]
fn planar_shapes_are_placed_in_their_plane() {
    let scene = scene(&flat(
        "parts = [{ circle = 1, position = [1, 2] }, { square = 2, position = [3, 4], angle_degrees = 45 }], position = [10, 0], angle = 1.5707963267948966",
        "",
    ));
    let outlines = &scene.model.bodies[0].outlines;
    assert!((outlines[0].offset.position - percussion_geometry::Vec2::new(8.0, 1.0)).norm() < 1e-14);
    assert!((outlines[1].offset.position - percussion_geometry::Vec2::new(6.0, 3.0)).norm() < 1e-14);
    let angle = outlines[1].offset.rotation.angle();
    assert!((angle - 0.75 * std::f64::consts::PI).abs() < 1e-14, "{angle}");
    // The centre of mass: areas π and 4 at (8, 1) and (6, 3).
    let pi = std::f64::consts::PI;
    let centre = scene.model.bodies[0].principal.position;
    let wanted = Vec3::new(8.0 * pi + 24.0, pi + 12.0, 0.0) / (pi + 4.0);
    assert!((centre - wanted).norm() < 1e-13, "{centre}");
    assert!(
        scene.model.contacts.unwrap().parts.iter().all(|part| matches!(part.shape, PartShape::Planar(_)))
    );
}

#[test]
fn planar_bodies_stay_in_one_plane() {
    let free = "[bodies.f] # <-\nshape = { circle = 1 }\nmass = 1\n";
    refused(
        &format!("{RUN}{free}[contact]\nstiffness = 1\n"),
        "has planar shapes but can leave its plane; connect it to the world by a joint",
    );
    refused(&format!("{}{free}", RUN.replace("potential", "variational")), "can leave its plane");
    let hung = |text: &str| {
        format!("{RUN}{free}[contact]\nstiffness = 1\n[joints.j]\nparent = \"world\"\nchild = \"f\"\n{text}")
    };
    refused(&hung("kind = \"revolute\"\nat = [0, 0, 0]\naxis = [0, 0, 1]\n"), "can leave its plane");
    refused(&hung("kind = \"planar\"\naxis = [0, 1, 0]\n"), "give the joint axis = [0.0, 0.0, 1.0]");
    refused(&hung("kind = \"planar\"\naxis = [0, 0, -1]\n"), "the plane of joint `j` has another normal");
    // A body that stands upright moves in an upright plane.
    let upright = hung("kind = \"planar\"\naxis = [0, -1, 0]\n")
        .replace("mass = 1\n", "mass = 1\naxis = [1, 0, 0]\nangle_degrees = 90\n");
    let loaded = scene(&upright);
    assert!((loaded.model.links[0].joint.parent_frame.axes.column(2) + Vec3::y()).norm() < 1e-15);
    let flipped = "[bodies.w] # <-\nkind = \"fixed\"\nshape = { half_plane = { normal = [0, 1] } }\naxis = [1, 0, 0]\nangle_degrees = 180\n";
    refused(&flat("circle = 1", flipped), "the z axes of the planar bodies `f` and `w` differ");
    let above = "[bodies.w] # <-\nkind = \"fixed\"\nshape = { half_plane = { normal = [0, 1], offset = -9 } }\nposition = [0, 0, 1]\n";
    refused(&flat("circle = 1", above), "do not lie in one plane");
}

#[test]
fn mistakes_in_planar_shapes_are_refused() {
    for (shape, said) in [
        ("circle = -1", "must be"),
        ("polygon = [[0, 0], [1, 1], [2, 2]]", ""),
        ("polygon = [[0, 0, 0], [1, 1, 0]]", "has 3 entries, not 2"),
        ("polygon = { vertices = [[0, 0], [1, 0], [0, 1]] }", "thickness` is missing"),
        ("regular_polygon = { sides = 2, side = 1 }", "at least 3"),
        ("regular_polygon = { sides = 5 }", "give one of `side` and `circumradius`"),
        ("ellipse = 3", "not a list"),
        ("circle = 1, position = [0, 0, 0]", "has 3 entries, not 2"),
        ("circle = 1, rotation_vector = [0, 0, 1]", "give `angle` or `angle_degrees`"),
        ("parts = [{ circle = 1 }, { sphere = 1 }]", "mixes shapes of the plane and of space"),
        ("half_plane = { normal = [0, 0] }", ""),
        ("circel = 1", "did you mean `circle`?"),
    ] {
        let text = flat(shape, "").replace(&format!("{{ {shape} }}\n"), &format!("{{ {shape} }} # <-\n"));
        refused(&text, said);
    }
    let endless = flat("half_plane = { normal = [0, 1] }", "").replace("[bodies.f]", "[bodies.f] # <-");
    refused(&endless, "no shape of finite volume");
}

/// Two balls of 1 kg run into each other at 2 m/s.
const HEAD_ON: &str = "[contact]\nallowed_penetration = 0.01\n\
    [bodies.a]\nshape = { sphere = 0.1 }\nmass = 1\nposition = [-1, 0, 0]\nvelocity = [1, 0, 0]\n\
    [bodies.b]\nshape = { sphere = 0.1 }\nmass = 1\nposition = [1, 0, 0]\nvelocity = [-1, 0, 0]\n";

#[test]
fn a_stiffness_is_found_that_keeps_the_overlap() {
    // C δ²/2 = m v²/2 with the reduced mass of half a kilogram.
    let text = format!("{}{HEAD_ON}", RUN.replace("1e-3", "1e-4"));
    for (word, scheme) in
        [("", "potential"), ("stiffness = \"auto\"\n", "newmark-explicit"), ("", "newmark-implicit")]
    {
        let text = text.replace("[contact]\n", &format!("[contact]\n{word}"));
        let scene = changed(&text, &[("run.scheme", scheme)]);
        let found = scene.contact.unwrap().potential.unwrap().stiffness;
        assert!((found - 2e4).abs() < 1e-8, "{found}");
        assert_eq!(scene.warnings, Vec::<String>::new());
        let again = Scene::parse(&scene.resolved, "again.toml", "", &[]).unwrap();
        assert_eq!(again.contact, scene.contact);
        let mut simulation = percussion_scene::run::prepare(scene).unwrap();
        let mut deepest: f64 = 0.0;
        for _ in 0..12_000 {
            simulation.step().unwrap();
            let contacts = simulation.model().contacts.as_ref().unwrap();
            deepest = deepest.max(contacts.deepest(simulation.state()).map_or(0.0, |(overlap, _)| overlap));
        }
        assert!((deepest - 0.01).abs() < 1e-4, "{scheme}: {deepest}");
    }
    // A step that cannot resolve such a contact has a warning.
    let coarse = scene(&format!("{RUN}{HEAD_ON}"));
    let found = coarse.contact.unwrap().potential.unwrap().stiffness;
    assert!(found < 2e4 && coarse.warnings.len() == 1, "{found} {:?}", coarse.warnings);
    assert!(coarse.warnings[0].contains("test.toml:5:") && coarse.warnings[0].contains("take steps of"));
}

#[test]
fn bodies_that_overlap_at_the_start_are_moved_apart_if_asked_for() {
    // Cubes of 1 kg and 3 kg, a tenth of a metre into each other, and one that stands in the floor.
    let text = "[run]\nstep = 1e-3\nuntil = 1\nscheme = \"exact\"\n[contact]\nproject_start = true\n\
        [bodies.light]\nshape = { cube = 1 }\nmass = 1\nposition = [0, 0, 5]\nvelocity = [0, 2, 0]\n\
        [bodies.heavy]\nshape = { cube = 1 }\nmass = 3\nposition = [0.9, 0, 5]\n\
        [bodies.sunk]\nshape = { cube = 1 }\nmass = 1\nposition = [5, 0, 0.3]\nangular_velocity = [0, 0, 3]\n\
        [bodies.floor]\nkind = \"fixed\"\nshape = { half_space = { normal = [0, 0, 1] } }\n";
    for scheme in ["exact", "decomposition", "potential"] {
        let moved = changed(text, &[("run.scheme", scheme)]);
        let at = |name: &str| moved.model.pose(&moved.state, moved.model.body_named(name).unwrap()).position;
        // The nearest in the metric of the masses: the lighter one moves three times as far.
        assert!((at("light") - Vec3::new(-0.075, 0.0, 5.0)).norm() < 1e-9, "{scheme}: {}", at("light"));
        assert!((at("heavy") - Vec3::new(0.925, 0.0, 5.0)).norm() < 1e-9, "{scheme}: {}", at("heavy"));
        assert!((at("sunk") - Vec3::new(5.0, 0.0, 0.5)).norm() < 1e-9, "{scheme}: {}", at("sunk"));
        // They keep their velocities: nothing has met yet.
        let still =
            changed(&text.replace("0.9, 0", "9, 0").replace("0.3]", "0.6]"), &[("run.scheme", scheme)]);
        let off = moved.state.momenta.iter().zip(&still.state.momenta).map(|(a, b)| (a - b).abs());
        assert!(off.fold(0.0, f64::max) < 1e-12, "{scheme}");
        let again = Scene::parse(&moved.resolved, "again.toml", "", &[]).unwrap();
        assert_eq!(again.state, moved.state, "{scheme}");
    }
    // What cannot be moved apart is refused.
    let stuck = "[run]\nstep = 1e-3\nuntil = 1\nscheme = \"exact\"\n[contact]\nproject_start = true\n\
        [bodies.left]\nkind = \"fixed\"\nshape = { half_space = { normal = [1, 0, 0] } }\n\
        [bodies.right]\nkind = \"fixed\"\nshape = { half_space = { normal = [-1, 0, 0] } }\nposition = [0.5, 0, 0]\n\
        [bodies.wide] # <-\nshape = { sphere = 1 }\nmass = 1\n";
    refused(stuck, "they cannot be separated automatically");
}

#[test]
fn the_scheme_lcp_projects_positions_on_a_round_cone_unless_keys_say_otherwise() {
    use percussion_mechanics::schemes::{FrictionCone, LcpOptions, Stabilisation};
    let text = |keys: &str| {
        format!(
            "[run]\nstep = 1e-3\nuntil = 1\nscheme = \"lcp\"\n[run.lcp]\n{keys}\n\
            [bodies.a]\nshape = {{ sphere = 0.1 }}\nmass = 1\n"
        )
    };
    let read = |keys: &str| scene(&text(keys));
    let cone = |keys: &str| read(keys).run.options.lcp.friction_cone();
    assert_eq!(read("").run.options.lcp, LcpOptions::default());
    assert_eq!(read("stabilisation = \"published\"").run.options.lcp, LcpOptions::published());
    assert_eq!(read("").run.options.lcp.stabilisation, Stabilisation::Projection);
    assert_eq!(cone(""), FrictionCone::Round);
    for pyramid in [
        "stabilisation = \"published\"",
        "facets = 4",
        "aligned = true",
        "solver = \"lemke\"",
        "cone = \"pyramid\"",
    ] {
        assert_eq!(cone(pyramid), FrictionCone::Pyramid, "{pyramid}");
    }
    assert_eq!(cone("stabilisation = \"published\"\ncone = \"round\""), FrictionCone::Round);
    refused(&text("cone = \"round\" # <-\nfacets = 8"), "remove `facets` and `aligned`");
    // A key that stabilised contacts before is not left out in silence.
    let warned = read("gamma = 0.5").warnings;
    assert!(warned.iter().any(|w| w.contains("`run.lcp.gamma` acts on joints only")), "{warned:?}");
    for said in ["published", "projection"] {
        let warned = read(&format!("gamma = 0.5\nstabilisation = \"{said}\"")).warnings;
        assert!(!warned.iter().any(|w| w.contains("gamma")), "{warned:?}");
    }
}
