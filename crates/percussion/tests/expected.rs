//! Every scene that is run keeps what its `expected.json` says it keeps.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::print_stdout)]

mod common;

use percussion::gallery::{SCENES, load};
use percussion::scene::run::{Status, run};
use serde_json::Value;
use std::fs;
use std::ops::ControlFlow;

/// Angular momentum that symmetry keeps may wander by rounding, relative to the greatest there was.
const KEPT: f64 = 1e-11;
/// Joints and loops hold at every step.
const CONSTRAINTS: f64 = 1e-12;

#[test]
fn scenes_of_the_gallery_keep_what_they_should() {
    for scene in SCENES.iter().filter(|scene| scene.kind == "run") {
        let path = common::root().join("scenes").join(scene.name).join("expected.json");
        let expected: Value = serde_json::from_str(&fs::read_to_string(path).unwrap()).unwrap();
        for (file, _) in scene.files {
            let wanted = expected.get(file).unwrap_or_else(|| panic!("{}: nothing about {file}", scene.name));
            let number = |key: &str| wanted[key].as_f64().unwrap_or_else(|| panic!("{file}: {key}"));
            let name = match file.strip_suffix(".toml").unwrap() {
                "scene" => scene.name.to_owned(),
                variant => format!("{}/{variant}", scene.name),
            };
            let until = [("run.until".to_owned(), number("until").to_string())];
            let folder = std::env::temp_dir().join(format!(
                "percussion-expected-{}-{}",
                std::process::id(),
                name.replace('/', "-")
            ));
            let loaded = load(&name, &until).unwrap().unwrap();
            let found = run(loaded, &folder, false, &mut |_| ControlFlow::Continue(())).unwrap();
            fs::remove_dir_all(&folder).unwrap();

            assert_eq!(found.status, Status::Finished, "{name}");
            assert_eq!(found.steps as f64, number("steps"), "{name}");
            let energy = number("energy");
            assert!((found.energy.initial - energy).abs() <= 1e-12 * energy.abs(), "{name}");
            let error = found.energy.max_relative_error;
            println!("{name:24} energy {error:.1e}, constraints {:.1e}", found.constraint_max);
            assert!(error <= number("energy_error_at_most"), "{name}: {error:e}");
            let momentum = found.linear_momentum.max_error.max(found.angular_momentum.max_error);
            assert!(momentum <= number("momentum_error_at_most"), "{name}: {momentum:e}");
            assert!(found.constraint_max <= CONSTRAINTS, "{name}: {:e}", found.constraint_max);
            let spin = &found.angular_momentum;
            for (k, start) in wanted["angular_momentum"].as_array().unwrap().iter().enumerate() {
                assert!((spin.initial[k] - start.as_f64().unwrap()).abs() <= 1e-13 * spin.max, "{name}: {k}");
            }
            for k in wanted["constant"].as_array().unwrap() {
                let k = k.as_u64().unwrap() as usize;
                let off = (spin.last[k] - spin.initial[k]).abs();
                assert!(off <= KEPT * spin.max, "{name}: component {k} is off by {off:e}");
            }
        }
    }
}
