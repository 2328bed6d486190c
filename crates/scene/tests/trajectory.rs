//! What a trajectory keeps beside the states: what every cause brought, and what happened between two rows.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::print_stdout)]

mod common;

use common::changed;
use percussion_scene::run::npz::Reader;
use percussion_scene::run::{ALL_FORCES, MOST_FORCES, Status, Summary, run};
use std::fs;
use std::ops::ControlFlow;
use std::path::PathBuf;

/// A run in a folder that goes when it is dropped.
struct Ran {
    folder: PathBuf,
    summary: Summary,
}

impl Ran {
    fn new(name: &str, text: &str, overrides: &[(&str, &str)]) -> Self {
        let folder =
            std::env::temp_dir().join(format!("percussion-trajectory-{}-{name}", std::process::id()));
        let summary =
            run(changed(text, overrides), &folder, false, &mut |_| ControlFlow::Continue(())).unwrap();
        Self { folder, summary }
    }

    fn reader(&self) -> Reader<std::io::BufReader<fs::File>> {
        Reader::open(&self.folder.join("trajectory.npz")).unwrap()
    }

    fn floats(&self, name: &str) -> Vec<f64> {
        self.reader().array(name).unwrap().as_floats().unwrap()
    }

    fn sources(&self) -> Vec<String> {
        self.reader().array("source_names").unwrap().as_texts().unwrap()
    }

    fn has(&self, name: &str) -> bool {
        self.reader().names().any(|found| found == name)
    }
}

impl Drop for Ran {
    fn drop(&mut self) {
        _ = fs::remove_dir_all(&self.folder);
    }
}

/// A brick slides and tumbles over a floor in the wind; a ball on a damped spring hangs from a hinge and may hit it.
const BUSY: &str = r#"
gravity = [0, 0, -9.81]
[run]
step = 1e-3
until = 1.5
scheme = "dissipative"
[contact]
restitution = 0.6
friction = 0.4
[bodies.brick]
shape = { box = [0.2, 0.3, 0.1] }
mass = 2
position = [0, 0, 0.5]
velocity = [1, 0.2, 0]
angular_velocity = [2, 3, 1]
[bodies.arm]
shape = { sphere = 0.1 }
mass = 1
position = [0.9, 0.1, 0.4]
[bodies.floor]
kind = "fixed"
shape = { half_space = { normal = [0, 0, 1] } }
[joints.hinge]
kind = "revolute"
parent = "world"
child = "arm"
at = [0.9, 0.1, 1.2]
axis = [0, 1, 0]
[forces.wind]
kind = "drag"
body = "brick"
linear = 0.3
angular = 0.01
medium = [0, 2, 0]
[forces.cord]
kind = "spring"
a = { body = "brick", point = [0.1, 0, 0] }
b = { body = "arm", point = [0, 0, 0] }
stiffness = 20
damping = 0.5
[forces.grease]
kind = "torsion-damper"
joint = "hinge"
damping = 0.05
"#;

/// All that changed is what the sources brought; relative to all that they moved about.
fn account_for_everything(ran: &Ran) {
    let sources = ran.sources();
    let k = sources.len();
    let scheme = sources.iter().position(|name| name == "scheme").unwrap();
    let near = |what: &str, found: f64, wanted: f64, scale: f64| {
        assert!((found - wanted).abs() <= 1e-12 * scale, "{what}: {found:e} {wanted:e} beside {scale:e}");
    };
    let (energy, brought) = (ran.floats("energy"), ran.floats("source_energy"));
    let scale = ran.summary.energy.scale;
    for (energy, brought) in energy.chunks(7).zip(brought.chunks(k)) {
        let [_, _, total, _, work, error, _] = energy else { unreachable!() };
        let scale = scale.max(brought.iter().map(|e| e.abs()).sum());
        near("energy", brought.iter().sum(), total - ran.summary.energy.initial, scale);
        let others: f64 = (0..k).filter(|&i| i != scheme).map(|i| brought[i]).sum();
        near("work", others, *work, scale);
        near("error", brought[scheme], *error, scale);
    }
    for (name, column) in [("linear_momentum", 0), ("angular_momentum", 1)] {
        let (momenta, brought) = (ran.floats(name), ran.floats(&format!("source_{name}")));
        let error = ran.floats("momentum_error");
        let mut flow = 0.0f64;
        for (row, (momentum, brought)) in momenta.chunks(3).zip(brought.chunks(3 * k)).enumerate() {
            flow = flow.max(brought.iter().map(|p| p.abs()).sum());
            for i in 0..3 {
                let sum: f64 = brought.iter().skip(i).step_by(3).sum();
                near(name, sum, momentum[i] - momenta[i], flow.max(1.0));
            }
            let [x, y, z] = brought[3 * scheme..][..3] else { unreachable!() };
            near("error", (x * x + y * y + z * z).sqrt(), error[2 * row + column], flow);
        }
        assert!(flow > 1.0, "{flow}");
    }
    // The last row is bitwise equal to the summary.
    for (i, told) in ran.summary.sources.iter().enumerate().filter(|_| k == ran.summary.sources.len()) {
        assert_eq!(told.source, sources[i]);
        assert_eq!(told.energy, brought[brought.len() - k + i]);
        let linear = ran.floats("source_linear_momentum");
        assert_eq!(told.linear_momentum, linear[linear.len() - 3 * (k - i)..][..3]);
    }
}

#[test]
fn sources_account_for_everything_that_changes() {
    for scheme in ["dissipative", "decomposition"] {
        let ran = Ran::new(&format!("sources-{scheme}"), BUSY, &[("run.scheme", scheme), ("run.every", "7")]);
        assert_eq!(
            ran.sources(),
            ["gravity", "supports", "scheme", "wind", "cord", "grease", "contact", "friction", "projection"]
        );
        account_for_everything(&ran);
        // Each of them had something to do.
        let (k, energy) = (9, ran.floats("source_energy"));
        let last = &energy[energy.len() - k..];
        println!("{scheme}: {} collisions, {last:?}", ran.summary.collisions);
        assert!(ran.summary.collisions > 3 && last[3..8].iter().all(|e| e.abs() > 1e-3), "{last:?}");
        assert_eq!(&energy[..k], [0.0; 9], "nothing was brought before the first step");
    }
}

#[test]
fn many_forces_are_kept_as_one() {
    let more = |count: usize| {
        let force = |i: usize| {
            format!(
                "[forces.f{i}]\nkind = \"drag\"\nbody = \"brick\"\nlinear = 0.0{}\nmedium = [0, {i}, 0]\n",
                i + 1
            )
        };
        (0..count).map(force).collect::<String>()
    };
    // With the three that are there already.
    let few = Ran::new("forces-few", &format!("{BUSY}{}", more(MOST_FORCES - 3)), &[("run.until", "0.4")]);
    assert_eq!(few.sources().len(), MOST_FORCES + 6);
    account_for_everything(&few);
    let many = Ran::new("forces-many", &format!("{BUSY}{}", more(MOST_FORCES - 2)), &[("run.until", "0.4")]);
    assert_eq!(
        many.sources(),
        ["gravity", "supports", "scheme", ALL_FORCES, "contact", "friction", "projection"]
    );
    account_for_everything(&many);
    // The summary has them one by one: three built in, all forces, three of contact.
    let forces = &many.summary.sources[3..3 + MOST_FORCES + 1];
    let energy = many.floats("source_energy");
    let sum: f64 = forces.iter().map(|f| f.energy).sum();
    assert_eq!(energy[energy.len() - 4], sum);
    let linear = many.floats("source_linear_momentum");
    for i in 0..3 {
        let sum: f64 = forces.iter().map(|f| f.linear_momentum[i]).sum();
        assert!((linear[linear.len() - 12 + i] - sum).abs() <= 1e-14 * sum.abs());
    }
}

/// A ball of radius 0.1 m falls on a floor where contact is a potential.
const SOFT: &str = r#"
gravity = [0, 0, -9.81]
[run]
step = 1e-3
until = 0.5
scheme = "potential"
[contact]
stiffness = 3e4
[bodies.ball]
shape = { sphere = 0.1 }
mass = 1
position = [0, 0, 0.5]
[bodies.floor]
kind = "fixed"
shape = { half_space = { normal = [0, 0, 1] } }
"#;

#[test]
fn the_max_penetration_between_two_rows_is_kept() {
    let all = Ran::new("overlap-all", SOFT, &[]);
    let some = Ran::new("overlap-some", SOFT, &[("run.every", "64")]);
    let (overlap, position) = (all.floats("penetration"), all.floats("position"));
    for (overlap, place) in overlap.iter().zip(position.chunks(6)) {
        let wanted = (0.1 - place[2]).max(0.0);
        assert!((overlap - wanted).abs() < 1e-12, "{overlap} {wanted}");
    }
    let deepest = overlap.iter().copied().fold(0.0, f64::max);
    assert!(deepest > 1e-3 && Some(deepest) == all.summary.overlap_max, "{deepest}");
    let kept = some.floats("penetration");
    // 0, 64, ..., 448 and the last, 500.
    let steps: Vec<usize> = (0..8).map(|i| 64 * i).chain([500]).collect();
    assert_eq!(kept.len(), steps.len());
    assert_eq!(kept[0], overlap[0]);
    for (i, pair) in steps.windows(2).enumerate() {
        let most = overlap[pair[0] + 1..=pair[1]].iter().copied().fold(0.0, f64::max);
        assert_eq!(kept[i + 1], most);
    }
    assert!(kept.contains(&deepest) && !steps.iter().any(|&s| overlap[s] == deepest), "between two rows");
    // Contact acts over a while here; no step is divided.
    assert!(all.floats("substep_min").iter().all(|&piece| piece == 1e-3));
}

/// A ball between two walls: it hits one after 0.05 s and then every 0.1 s.
const WALLS: &str = r#"
[run]
step = 0.03
until = 0.9
scheme = "exact"
[contact]
[bodies.ball]
shape = { sphere = 0.1 }
mass = 1
velocity = [2, 0, 0]
[bodies.walls]
kind = "fixed"
shapes = [{ half_space = { normal = [1, 0, 0], offset = -0.2 } }, { half_space = { normal = [-1, 0, 0], offset = -0.2 } }]
"#;

#[test]
fn the_smallest_substep_between_two_rows_is_kept() {
    let h = 0.03;
    // Pieces of the step that ends at `i h`: impacts at 0.05 + 0.1 k lie on multiples of 0.01, none of them on one of 0.03.
    let piece = |i: usize| {
        let impact = |k: usize| 0.05 + 0.1 * k as f64;
        let from = (i as f64 - 1.0) * h;
        let since = (0..9).map(|k| impact(k) - from).find(|since| (1e-6..h - 1e-6).contains(since));
        since.map_or(h, |since| since.min(h - since))
    };
    let all = Ran::new("piece-all", WALLS, &[]);
    let found = all.floats("substep_min");
    assert_eq!(found[0], h);
    let mut divided = 0;
    for (i, &found) in found.iter().enumerate().skip(1) {
        // Impacts at 0.15, 0.45 and 0.75 fall on the end of a step; there rounding decides what lies before and after.
        if i % 10 != 5 && i % 10 != 6 {
            assert!((found - piece(i)).abs() < 1e-8, "{i}: {found} {}", piece(i));
            divided += usize::from(found < 0.99 * h);
        }
    }
    assert_eq!(divided, 6);
    let some = Ran::new("piece-some", WALLS, &[("run.every", "4")]);
    let kept = some.floats("substep_min");
    assert_eq!(kept.len(), 9);
    for (i, rows) in found[1..].chunks(4).enumerate() {
        assert_eq!(kept[i + 1], rows.iter().copied().fold(h, f64::min));
    }
}

#[test]
fn the_figures_of_a_run_are_read_back() {
    let told = |ran: &Ran| {
        let back = Summary::read(&ran.folder).unwrap();
        let (was, is) = (serde_json::to_value(&ran.summary).unwrap(), serde_json::to_value(&back).unwrap());
        assert!(was == is, "{was}\n{is}");
        back
    };
    let exact = told(&Ran::new("read-exact", BUSY, &[("run.until", "0.4")]));
    assert_eq!((exact.scheme.as_str(), exact.order, exact.status), ("dissipative", 2, Status::Finished));
    assert!(exact.failure.is_none() && exact.sources.len() == 9 && exact.projection.is_some());
    let names: Vec<&str> = exact.tolerances.keys().map(String::as_str).collect();
    assert_eq!(names, ["contact_gap", "newton_decrement", "newton_noise", "penetration_rounding"]);
    // 1e-10 of parts some decimetres in size.
    assert!((1e-12..1e-10).contains(&exact.tolerances["contact_gap"]), "{:?}", exact.tolerances);
    let soft = told(&Ran::new("read-soft", SOFT, &[("run.until", "0.1")]));
    assert_eq!((soft.order, soft.tolerances["allowed_penetration"]), (2, 1e-3));
    let rough = [("run.until", "0.1"), ("run.scheme", "decomposition")];
    assert_eq!(told(&Ran::new("read-decomposition", WALLS, &rough)).order, 1);
    // Particles that meet: no step is small enough.
    let failed = "[run]\nstep = 1e-2\nuntil = 10\n[bodies]\n\
        a = { kind = \"particle\", mass = 1, position = [-1, 0, 0] }\n\
        b = { kind = \"particle\", mass = 1, position = [1, 0, 0] }\n\
        [forces.pull]\nkind = \"charges\"\nconstant = 1\n\
        charges = [{ body = \"a\", charge = 1 }, { body = \"b\", charge = -1 }]\n";
    let ran = Ran::new("read-failed", failed, &[]);
    let back = told(&ran);
    let failure = back.failure.unwrap();
    assert_eq!((back.status, failure.step), (Status::Failed, back.steps));
    assert!(failure.residuals.len() > 5);

    let path = ran.folder.join("summary.json");
    let text = fs::read_to_string(&path).unwrap();
    // A residual that is not finite has no number in JSON.
    let first = text.find("\"residuals\": [").unwrap() + "\"residuals\": [".len();
    let end = first + text[first..].find(',').unwrap();
    fs::write(&path, format!("{}null{}", &text[..first], &text[end..])).unwrap();
    let residuals = Summary::read(&ran.folder).unwrap().failure.unwrap().residuals;
    assert!(residuals[0].is_nan() && residuals[1..] == failure.residuals[1..]);
    fs::write(&path, text.replace("\"order\": 2,", "")).unwrap();
    let error = Summary::read(&ran.folder).unwrap_err().to_string();
    assert!(
        ["summary.json", "`order`", "run the scene again"].iter().all(|word| error.contains(word)),
        "{error}"
    );
    fs::remove_file(&path).unwrap();
    assert!(Summary::read(&ran.folder).unwrap_err().to_string().contains("summary.json"));
}

#[test]
fn what_is_not_measured_is_absent() {
    let none = Ran::new("absent", &WALLS.replace("[contact]\n", "").replace("exact", "variational"), &[]);
    assert!(!none.has("penetration") && !none.has("substep_min"));
    assert_eq!(none.sources(), ["gravity", "supports", "scheme"]);
    assert_eq!(none.summary.overlap_max, None);
}
