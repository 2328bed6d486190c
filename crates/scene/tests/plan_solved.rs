//! Plans of scene files, solved.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::print_stdout)]

use percussion_control::manoeuvre::Ending;
use percussion_control::{Manoeuvre, find};
use percussion_scene::Scene;
use percussion_solve::nlp::Watch;

fn solved(name: &str, overrides: &[(&str, &str)]) -> Manoeuvre {
    let path = format!("{}/{name}/scene.toml", env!("CARGO_MANIFEST_DIR"));
    let overrides: Vec<(String, String)> =
        overrides.iter().map(|(k, v)| ((*k).to_owned(), (*v).to_owned())).collect();
    let scene = Scene::load(path, &overrides).unwrap();
    let settings = scene.plan.unwrap();
    let guess = settings.made_guess().unwrap().clone();
    let found = find(&settings.plan, &guess, &settings.options, &mut |_| Watch::Continue).unwrap();
    let delta = found.consistency.iter().flatten().fold(0.0_f64, |a, b| a.max(b.abs()));
    let times: Vec<f64> = found.contacts.iter().map(|c| c.time).collect();
    println!(
        "{name} {overrides:?}: {:?} J {:.4e} from {:.4e}, contacts {times:?}, sigma {:?}, violation {:.1e}, delta {delta:.1e}, {} rounds, {} iterations",
        found.ending,
        found.objective,
        found.objective_guess,
        found.scales,
        found.violation,
        found.rounds,
        found.iterations
    );
    assert!(found.violation < 1e-9);
    assert!(delta < 1e-9);
    found
}

#[test]
fn a_cube_uses_a_wall() {
    let mut found = Vec::new();
    for node in ["4", "9", "14"] {
        let one = solved("../../scenes/cube-wall", &[("plan.contacts.0.node", node)]);
        assert_eq!(one.ending, Ending::Optimal);
        found.push((one.contacts[0].time, one.objective));
    }
    let spread = |of: fn(&(f64, f64)) -> f64| {
        let values = found.iter().map(of);
        let most = values.clone().fold(0.0_f64, f64::max);
        let least = values.fold(f64::INFINITY, f64::min);
        (most - least) / least
    };
    assert!(spread(|one| one.0) < 0.015);
    assert!(spread(|one| one.1) < 0.03);
}

#[test]
fn two_cubes() {
    let found = solved("tests/plans/two-cubes", &[]);
    assert_eq!(found.ending, Ending::Optimal);
}
