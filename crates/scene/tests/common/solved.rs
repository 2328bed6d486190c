//! Plans of the gallery, solved.
#![allow(clippy::print_stdout)]

use super::gallery;
use percussion_control::{PlanSolution, solve};
use percussion_scene::PlanSettings;
use percussion_solve::nlp::CallbackAction;

/// The plan of a scene of the gallery with overrides.
pub fn planned(name: &str, overrides: &[(&str, &str)]) -> PlanSettings {
    gallery(name, overrides).plan.unwrap()
}

/// What a search finds for a plan.
pub fn searched(settings: &PlanSettings) -> PlanSolution {
    let guess = settings.computed_guess().unwrap().clone();
    let found = solve(&settings.plan, &guess, &settings.options, &mut |_| CallbackAction::Continue).unwrap();
    println!(
        "{:?} J {:.6e} from {:.4e}, sigma {:?}, {} rounds, {} iterations",
        found.outcome,
        found.objective,
        found.objective_guess,
        found.time_scales,
        found.rounds,
        found.iterations
    );
    found
}

/// No constraint is violated, and momentum is accounted for.
pub fn consistent(found: &PlanSolution) {
    let delta = found.consistency.iter().flatten().fold(0.0_f64, |most, d| most.max(d.abs()));
    assert!(found.violation < 1e-9 && delta < 1e-9, "{:e} {delta:e}", found.violation);
}

/// The solution of its plan: no constraint is violated, and momentum is accounted for.
pub fn solved(name: &str, overrides: &[(&str, &str)]) -> PlanSolution {
    let found = searched(&planned(name, overrides));
    println!(
        "{name} {overrides:?}: contacts {:?}",
        found.contacts.iter().map(|c| c.time).collect::<Vec<_>>()
    );
    consistent(&found);
    found
}
