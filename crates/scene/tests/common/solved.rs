//! Plans of the gallery, solved.
#![allow(clippy::print_stdout)]

use percussion_control::{PlanSolution, solve};
use percussion_scene::{PlanSettings, Scene};
use percussion_solve::nlp::CallbackAction;

/// The plan of a scene of the gallery with overrides.
pub fn planned(name: &str, overrides: &[(&str, &str)]) -> PlanSettings {
    let path = format!("{}/../../scenes/{name}/scene.toml", env!("CARGO_MANIFEST_DIR"));
    let overrides: Vec<(String, String)> =
        overrides.iter().map(|(k, v)| ((*k).to_owned(), (*v).to_owned())).collect();
    Scene::load(path, &overrides).unwrap_or_else(|error| panic!("{error}")).plan.unwrap()
}

/// The solution of its plan: no constraint is violated, and momentum is accounted for.
pub fn solved(name: &str, overrides: &[(&str, &str)]) -> PlanSolution {
    let settings = planned(name, overrides);
    let guess = settings.computed_guess().unwrap().clone();
    let found = solve(&settings.plan, &guess, &settings.options, &mut |_| CallbackAction::Continue).unwrap();
    let delta = found.consistency.iter().flatten().fold(0.0_f64, |a, b| a.max(b.abs()));
    let times: Vec<f64> = found.contacts.iter().map(|c| c.time).collect();
    println!(
        "{name} {overrides:?}: {:?} J {:.4e} from {:.4e}, contacts {times:?}, sigma {:?}, violation {:.1e}, delta {delta:.1e}, {} rounds, {} iterations",
        found.outcome,
        found.objective,
        found.objective_guess,
        found.time_scales,
        found.violation,
        found.rounds,
        found.iterations
    );
    assert!(found.violation < 1e-9);
    assert!(delta < 1e-9);
    found
}
