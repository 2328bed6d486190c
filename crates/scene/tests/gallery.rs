//! Every scene of the gallery loads, means what its resolved text means, and can be run.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use percussion_scene::Scene;
use percussion_scene::run::prepare;
use std::path::{Path, PathBuf};

mod common;

fn scenes() -> Vec<PathBuf> {
    let found = common::gallery_files(false);
    assert!(found.len() >= 9, "{found:?}");
    found
}

fn loaded(path: &Path) -> Scene {
    Scene::load(path, &[]).unwrap_or_else(|error| panic!("{error}"))
}

#[test]
fn every_scene_of_the_gallery_loads_without_a_warning() {
    for path in scenes() {
        let scene = loaded(&path);
        assert!(!scene.title.is_empty() && !scene.description.is_empty(), "{}", path.display());
        assert_eq!(scene.warnings, Vec::<String>::new());
    }
}

#[test]
fn a_resolved_scene_loads_bitwise_identical() {
    for path in scenes() {
        let scene = loaded(&path);
        let again = Scene::parse(&scene.resolved, "resolved.toml", "nowhere", &[]).unwrap();
        // Debug prints every number with all its digits.
        assert_eq!(format!("{:?}", scene.model), format!("{:?}", again.model), "{}", path.display());
        assert_eq!(format!("{:?}", scene.state), format!("{:?}", again.state), "{}", path.display());
        assert_eq!(scene.run, again.run);
        assert_eq!(scene.resolved, again.resolved);
        for shorthand in ["template", "pattern", "include"] {
            assert!(!scene.resolved.contains(shorthand), "{}", scene.resolved);
        }
    }
}

/// Largest change of energy within the first steps that counts as the oscillation of a scheme of second order at the steps
/// the scenes choose, relative to the energies involved. A joint in a wrong place or a force of a wrong sign shows as percents.
const OSCILLATION: f64 = 2e-3;

#[test]
fn every_scene_runs_with_its_step_and_keeps_its_energy() {
    for path in scenes() {
        let scene = loaded(&path);
        // What collisions keep depends on the scheme: the figures beside the scenes say it.
        if scene.contact.is_some() {
            continue;
        }
        let mut simulation = prepare(scene).unwrap();
        for _ in 0..2000 {
            simulation.step().unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        }
        let extremes = simulation.ledger().extremes();
        let error = extremes.energy_error / extremes.energy_scale();
        assert!(error < OSCILLATION, "{}: {error:e}", path.display());
        assert!(extremes.position_violation < 1e-12, "{}: {extremes:?}", path.display());
    }
}
