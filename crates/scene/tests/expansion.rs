//! Templates, patterns, included files and overrides say what they would say written out.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod common;

use common::{changed, scene, try_changed, with_run};
use percussion_geometry::Vec3;
use percussion_scene::Scene;
use std::collections::HashMap;
use std::io;
use std::path::Path;

/// Where a body is.
fn position(scene: &Scene, name: &str) -> Vec3 {
    let body = scene.model.body_named(name).unwrap_or_else(|| panic!("no {name}"));
    scene.model.pose(&scene.state, body).position
}

fn names(scene: &Scene) -> Vec<&str> {
    scene.model.bodies.iter().map(|body| body.name.as_str()).collect()
}

fn same_bits(a: &Scene, b: &Scene) {
    assert_eq!(format!("{:?} {:?}", a.model, a.state), format!("{:?} {:?}", b.model, b.state));
}

const BEAD: &str = "[templates.bead]\nshape = { sphere = 0.1 }\ndensity = 1000\nposition = [0, 0, 5]\n";

fn pattern(text: &str) -> String {
    with_run(&format!("{BEAD}[patterns.p]\ntemplate = \"bead\"\n{text}"))
}

#[test]
fn keys_of_a_body_override_those_of_its_template() {
    let text = with_run(
        "[templates.base]\nshape = { cube = 1 }\ndensity = 2\naxis = [0, 0, 1]\nangle = 0.5\nvelocity = [1, 0, 0]\n\
         [templates.t]\ntemplate = \"base\"\nposition = [1, 2, 3]\n\
         [bodies.a]\ntemplate = \"t\"\n\
         [bodies.b]\ntemplate = \"t\"\nmass = 5\nangle = 1.5\n\
         [bodies.c]\ntemplate = \"t\"\nrotation_vector = [1, 0, 0]\nshapes = [{ sphere = 1 }]\n",
    );
    let written_out = with_run(
        "[bodies.a]\nshape = { cube = 1 }\ndensity = 2\naxis = [0, 0, 1]\nangle = 0.5\nvelocity = [1, 0, 0]\nposition = [1, 2, 3]\n\
         [bodies.b]\nshape = { cube = 1 }\nmass = 5\naxis = [0, 0, 1]\nangle = 1.5\nvelocity = [1, 0, 0]\nposition = [1, 2, 3]\n\
         [bodies.c]\nshapes = [{ sphere = 1 }]\ndensity = 2\nrotation_vector = [1, 0, 0]\nvelocity = [1, 0, 0]\nposition = [1, 2, 3]\n",
    );
    same_bits(&scene(&text), &scene(&written_out));
}

#[test]
fn rows_and_grids_have_the_expected_positions() {
    let row = scene(&pattern("kind = \"row\"\ncount = 3\nspacing = [1, 0, 0.5]"));
    assert_eq!(names(&row), ["p-1", "p-2", "p-3"]);
    assert_eq!(position(&row, "p-3"), Vec3::new(2.0, 0.0, 6.0));
    let grid =
        scene(&pattern("kind = \"grid\"\ncounts = [2, 3, 2]\nspacings = [1, 2, 4]\nposition = [10, 0, 0]"));
    assert_eq!(names(&grid).len(), 12);
    assert_eq!(position(&grid, "p-2"), Vec3::new(11.0, 0.0, 0.0));
    assert_eq!(position(&grid, "p-3"), Vec3::new(10.0, 2.0, 0.0));
    assert_eq!(position(&grid, "p-12"), Vec3::new(11.0, 4.0, 4.0));
}

#[test]
fn a_ring_is_a_circle_and_its_bodies_may_face_outward() {
    let text = "kind = \"ring\"\ncount = 8\nradius = 2\naxis = [1, 1, 0]\nfacing = true\nposition = [0, 0, 1]\n\
                body = { rotation_vector = [0.3, 0, 0] }";
    let ring = scene(&pattern(text));
    let centre = Vec3::new(0.0, 0.0, 1.0);
    let axis = Vec3::new(1.0, 1.0, 0.0).normalize();
    let pose = |i: usize| ring.model.pose(&ring.state, i);
    let outward: Vec<Vec3> =
        (0..8).map(|i| pose(i).inverse_direction(&(pose(i).position - centre))).collect();
    for i in 0..8 {
        let arm = pose(i).position - centre;
        assert!((arm.norm() - 2.0).abs() < 1e-14 && arm.dot(&axis).abs() < 1e-14);
        let next = pose((i + 1) % 8).position - centre;
        assert!((arm.angle(&next) - std::f64::consts::FRAC_PI_4).abs() < 1e-14);
        // Seen from each body, outward is the same direction.
        assert!((outward[i] - outward[0]).norm() < 1e-14);
    }
    let fixed = scene(&pattern(&text.replace("facing = true", "start = 0.1")));
    let turned = |i: usize| fixed.model.pose(&fixed.state, i).rotation;
    assert_eq!(turned(0), turned(5));
}

const RANDOM: &str = "kind = \"random\"\ncount = 40\nbox = [[-1, -1, 0], [1, 1, 2]]\nmin_distance = 0.3\n\
                      rotation = true\nspeed = 0.5\nspin = 2.0\nposition = [0, 0, 10]";

#[test]
fn random_bodies_keep_their_bounds_and_their_seed() {
    let text = pattern(RANDOM);
    let first = scene(&text);
    let twists = first.model.twists(&first.state);
    for (i, twist) in twists.iter().enumerate() {
        let here = first.model.pose(&first.state, i).position - Vec3::new(0.0, 0.0, 10.0);
        assert!(here.x.abs() <= 1.0 && here.y.abs() <= 1.0 && (0.0..=2.0).contains(&here.z));
        assert!(twist.fixed_rows::<3>(0).norm() <= 0.5 * (1.0 + 1e-12));
        assert!(twist.fixed_rows::<3>(3).norm() <= 2.0 * (1.0 + 1e-12));
        for j in 0..i {
            let other = first.model.pose(&first.state, j).position - Vec3::new(0.0, 0.0, 10.0);
            assert!((here - other).norm() >= 0.3 * (1.0 - 1e-12));
        }
    }
    same_bits(&first, &scene(&text));
    let other = changed(&text, &[("run.seed", "1")]);
    assert_ne!(position(&first, "p-1"), position(&other, "p-1"));
    // Another pattern beside it changes nothing.
    let beside = scene(&format!("{text}\n[patterns.q]\ntemplate = \"bead\"\n{}", RANDOM.replace("40", "3")));
    assert_eq!(position(&first, "p-40"), position(&beside, "p-40"));
    assert_ne!(position(&beside, "p-1"), position(&beside, "q-1"));
}

#[test]
fn a_seed_gives_the_same_scene_in_every_version() {
    let found = position(&scene(&pattern(RANDOM)), "p-1");
    let once = Vec3::new(PINNED[0], PINNED[1], PINNED[2]);
    assert_eq!(found, once);
}

/// Where the first body of the random pattern is, computed apart from this program: SplitMix64 and FNV-1a by hand.
const PINNED: [f64; 3] = [0.2805914270292664, -0.052915922237517066, 10.576221712368833];

#[test]
fn a_resolved_random_scene_loads_bitwise_identical() {
    let text = format!("gravity = [0, 0.1, -9.81]\n{}", pattern(RANDOM));
    let first = changed(&text, &[("bodies.p-3.mass", "0.1"), ("patterns.p.count", "7")]);
    assert_eq!(first.model.bodies.len(), 7);
    assert_eq!(first.model.bodies[2].mass, 0.1);
    same_bits(&first, &scene(&first.resolved));
    assert_eq!(first.resolved, scene(&first.resolved).resolved);
}

#[test]
fn links_of_a_chain_are_children_of_one_another() {
    let text = pattern(
        "kind = \"chain\"\ncount = 4\nposition = [0, 0, -0.5]\nspacing = [0, 0, -1]\nanchor = \"world\"\n\
         joint = { kind = \"revolute\", at = [0, 0, 0.5], axis = [0, 1, 0], limits = [-2, 2] }\n\
         first = { angle_degrees = 90, rate = 3 }",
    );
    let chain = scene(&text);
    assert_eq!(chain.model.dofs, 4);
    // A quarter turn about y takes the downward chain to -x.
    for i in 0..4 {
        let expected = Vec3::new(-0.5 - i as f64, 0.0, 0.0);
        assert!((position(&chain, &format!("p-{}", i + 1)) - expected).norm() < 1e-14);
    }
    assert_eq!(chain.state.coordinates, [std::f64::consts::FRAC_PI_2, 0.0, 0.0, 0.0]);
    assert_eq!(chain.model.links[0].joint.name, "p-1");
    assert_eq!(chain.model.links[3].joint.limits[0].unwrap().upper, 2.0);
    // Rigid turning at 3 rad/s: the last link moves at 3 * 3.5.
    let fastest = chain.model.twists(&chain.state)[3].fixed_rows::<3>(0).norm();
    assert!((fastest - 10.5).abs() < 1e-12);
    let free = scene(&text.replace("anchor = \"world\"\n", "").replace("first =", "#"));
    assert_eq!(free.model.dofs, 6 + 3);
    same_bits(&chain, &scene(&chain.resolved));
}

#[test]
fn rods_connect_beads_to_a_chain() {
    let text = with_run(
        "[templates.bead]\nkind = \"particle\"\nmass = 1\n\
         [patterns.p]\nkind = \"chain\"\ntemplate = \"bead\"\ncount = 4\nspacing = [1, 0, 0]\njoint = { kind = \"rod\" }",
    );
    let chain = scene(&text);
    assert_eq!(chain.model.dofs, 3 + 3 * 2);
    assert!(chain.model.links[1..].iter().all(|link| link.joint.length == 1.0));
}

#[test]
fn overrides_reach_everything_that_has_a_path() {
    let text = pattern("kind = \"row\"\ncount = 3\nspacing = [1, 0, 0]");
    let all = changed(
        &text,
        &[
            ("run.step", "1e-4"),
            ("run.scheme", "variational"),
            ("run.newmark.gamma", "0.6"),
            ("gravity", "[0, 0, -1.62]"),
            ("title", "On the moon"),
            ("patterns.p.count", "4"),
            ("templates.bead.density", "2000"),
            ("bodies.p-2.position.1", "7"),
            ("bodies.p-4.shape.sphere", "0.2"),
        ],
    );
    assert_eq!((all.run.step, all.run.scheme.name()), (1e-4, "variational"));
    assert_eq!((all.run.options.beta, all.run.options.gamma), (None, Some(0.6)));
    assert_eq!((all.model.gravity.z, all.title.as_str()), (-1.62, "On the moon"));
    assert_eq!(position(&all, "p-2"), Vec3::new(1.0, 7.0, 5.0));
    assert!((all.model.bodies[3].mass / all.model.bodies[0].mass - 8.0).abs() < 1e-12);
    let ball = 4.0 / 3.0 * std::f64::consts::PI * 1e-3 * 2000.0;
    assert!((all.model.bodies[0].mass - ball).abs() < 1e-12);
}

#[test]
fn an_override_that_leads_nowhere_is_refused_with_a_suggestion() {
    let text = pattern("kind = \"row\"\ncount = 3\nspacing = [1, 0, 0]");
    for (path, value, said) in [
        ("rnu.step", "1", "a scene has no `rnu`; did you mean `run`?"),
        ("run.stpe", "1", "unknown key `stpe` in `run`; did you mean `step`?"),
        ("bodies.p-5.mass", "1", "there is no `p-5` in `bodies`; did you mean `p-1`?"),
        ("bodies.p-1.mas", "1", "unknown key `mas` in `bodies.p-1`; did you mean `mass`?"),
        ("bodies.p-1.position.3", "1", "there is no `3` in `bodies.p-1.position`"),
        ("bodies.p-1.shape.spehre.x", "1", "did you mean `sphere`?"),
        ("bodies.new", "{ mass = 1 }", "there is no `new` in `bodies`"),
        ("joints.a.rate", "1", "no `joints`"),
        ("run.step", "-1", "`run.step` is -1; give a positive step size"),
        ("run.step", "[1", ""),
        ("run..step", "1", "is not a path"),
        ("bodies", "{}", "as a whole cannot be overridden"),
        ("include", "['x']", "a scene has no `include`"),
    ] {
        let found = try_changed(&text, &[(path, value)]).unwrap_err();
        assert_eq!(found.len(), 1, "{found:#?}");
        let whole = found[0].to_string();
        assert!(whole.starts_with(&format!("override {path}={value}: ")) && whole.contains(said), "{whole}");
        assert!(found[0].line().is_none() && !found[0].remedy.is_empty(), "{whole}");
    }
}

/// Reads a scene from files in memory.
fn from_files(files: &[(&str, &str)]) -> Result<Scene, percussion_scene::SceneError> {
    let files: HashMap<&str, &str> = files.iter().copied().collect();
    Scene::read("here/scene.toml", &[], &|path: &Path| {
        let found = files.get(path.to_str().unwrap());
        found.map(|text| (*text).to_owned()).ok_or_else(|| io::Error::from(io::ErrorKind::NotFound))
    })
}

const MAIN: &str = "include = [\"lib/shapes.toml\", \"lib/matter.toml\"]\nrun = { step = 1e-3, until = 1 }\n\
                    [bodies.a]\nshape = \"ball\"\nmaterial = \"wood\"\n";

#[test]
fn included_files_lie_below_and_paths_are_relative_to_the_file_that_names_them() {
    let scene = from_files(&[
        ("here/scene.toml", &format!("{MAIN}[materials.wood]\ndensity = 600\n")),
        ("here/lib/shapes.toml", "title = \"Shapes\"\n[shapes.ball]\nsphere = 1\n"),
        ("here/lib/matter.toml", "include = [\"../more/wood.toml\"]\ntitle = \"Matter\"\n"),
        ("here/lib/../more/wood.toml", "[materials.wood]\ndensity = 500\nfriction = 0.4\n"),
    ])
    .unwrap();
    assert_eq!(scene.name, "here");
    assert_eq!((scene.materials[0].density, scene.materials[0].friction), (Some(600.0), Some(0.4)));
    assert_eq!(scene.body_materials, [Some(0)]);
    assert!((scene.model.bodies[0].mass - 600.0 * 4.0 / 3.0 * std::f64::consts::PI).abs() < 1e-9);
    same_bits(&scene, &Scene::parse(&scene.resolved, "x.toml", "elsewhere", &[]).unwrap());
}

#[test]
fn a_library_that_two_files_include_is_read_once() {
    let library = ("here/lib/base.toml", "[shapes.ball]\nsphere = 1\n[materials.wood]\ndensity = 500\n");
    from_files(&[
        ("here/scene.toml", MAIN),
        ("here/lib/shapes.toml", "include = [\"base.toml\"]\n"),
        ("here/lib/matter.toml", "include = [\"./base.toml\"]\n"),
        library,
    ])
    .unwrap();
}

#[test]
fn included_files_are_complained_about_where_it_helps() {
    let told = |files: &[(&str, &str)]| {
        let complaints = from_files(files).unwrap_err().complaints;
        assert_eq!(complaints.len(), 1, "{complaints:#?}");
        complaints[0].to_string()
    };
    let shapes = ("here/lib/shapes.toml", "[shapes.ball]\nsphere = 1\n");
    let matter = ("here/lib/matter.toml", "[materials.wood]\ndensity = 500\n");
    let main = ("here/scene.toml", MAIN);
    assert!(told(&[main, shapes]).starts_with("here/scene.toml:1:31: cannot read `here/lib/matter.toml`"));
    assert!(told(&[]).starts_with("here/scene.toml: cannot be read"));
    let both = ("here/lib/matter.toml", "[materials.wood]\ndensity = 5\n[shapes.ball]\nsphere = 2\n");
    let said = told(&[main, shapes, both]);
    assert!(
        said.starts_with(
            "here/lib/matter.toml:3:9: `shapes.ball` is already defined at here/lib/shapes.toml:1"
        ),
        "{said}"
    );
    let circle = ("here/lib/shapes.toml", "include = [\"../scene.toml\"]\n");
    assert!(
        told(&[main, circle, matter])
            .starts_with("here/lib/shapes.toml:1:12: `../scene.toml` includes itself")
    );
    let slip = ("here/lib/shapes.toml", "[shapes.ball]\n\nspere = 1\nsphere = 1");
    assert!(told(&[main, slip, matter]).starts_with("here/lib/shapes.toml:3:1: unknown key `spere`"));
    let word = ("here/scene.toml", "include = \"x.toml\"\n");
    assert!(told(&[word]).contains("write a list of files"));
}

#[test]
fn every_body_of_a_pattern_may_be_a_child_of_one_parent() {
    let flat = pattern("kind = \"grid\"\ncounts = [2, 2, 1]\nspacings = [1, 1, 1]\n").replace(
        "[patterns.p]",
        "[patterns.p]\njoint = { kind = \"planar\", axis = [0, 0, 1], at = [0, 0, 0.5] }",
    );
    let planar = scene(&flat);
    assert_eq!((planar.model.dofs, planar.model.islands.len()), (12, 4));
    let joints: Vec<(&str, f64)> =
        planar.model.links.iter().map(|l| (l.joint.name.as_str(), l.joint.parent_frame.point.x)).collect();
    assert_eq!(joints.len(), 4);
    for (name, x) in joints {
        let body = planar.model.body_named(name).unwrap();
        assert_eq!(planar.model.pose(&planar.state, body).position.x, x, "{name}");
    }
    let hung = scene(&format!(
        "{}[bodies.hub]\nmass = 1\nmoments = [1, 1, 1]\nposition = [0, 0, 9]\n",
        flat.replace("[patterns.p]", "[patterns.p]\nanchor = \"hub\"")
    ));
    assert_eq!((hung.model.dofs, hung.model.islands.len()), (18, 1));
    let lost = pattern("kind = \"row\"\ncount = 2\nspacing = [1, 0, 0]\nanchor = \"world\"\n");
    let told = try_changed(&lost, &[]).unwrap_err();
    assert!(told[0].to_string().contains("`patterns.p.anchor` has no joint"), "{told:?}");
}

#[test]
fn ten_thousand_bodies_and_a_chain_of_a_thousand_load_at_once() {
    let text = pattern("kind = \"grid\"\ncounts = [100, 100, 1]\nspacings = [1, 1, 1]\n");
    let chain = "[patterns.c]\nkind = \"chain\"\ntemplate = \"bead\"\ncount = 1000\nspacing = [0, 0, -1]\n\
                 anchor = \"p-10000\"\njoint = { kind = \"spherical\", at = [0, 0, 0.5] }\nposition = [99, 99, 4]\n";
    let began = std::time::Instant::now();
    let scene = scene(&format!("{text}{chain}"));
    assert_eq!(scene.model.dofs, 6 * 10_000 + 3 * 1000);
    // Half a second here; a load that is quadratic in the bodies takes minutes.
    assert!(began.elapsed().as_secs() < 30, "{:?}", began.elapsed());
}
