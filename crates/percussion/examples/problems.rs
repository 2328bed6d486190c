//! Complementarity problems of the gallery, for the library that every solver is held against.
//!
//! `cargo run --release -p percussion --example problems [folder]` runs the scenes of LCP time stepping and writes for each of them
//! the problems of the first impact, of the most contacts, of the most iterations and of the last step, as far as they are small, as
//! `SCENE-STEP.txt`.
#![allow(missing_docs, clippy::unwrap_used, clippy::print_stdout)]

use percussion::gallery::load;
use percussion::mechanics::Scheme;
use percussion::mechanics::schemes::Lcp;
use std::path::PathBuf;

const SCENES: [&str; 5] = ["balance2", "pyramid1", "dice3", "setup6", "bolted-car"];

/// Longest text that is kept, bytes.
const LONGEST: usize = 48_000;

/// The best problem so far by some figure: that figure, its step, its text.
#[derive(Default)]
struct Best(Option<(usize, u64, String)>);

impl Best {
    fn offer(&mut self, figure: usize, step: u64, problem: &dyn Fn() -> String) {
        if self.0.as_ref().is_none_or(|(best, ..)| figure > *best) {
            let text = problem();
            if text.len() <= LONGEST {
                self.0 = Some((figure, step, text));
            }
        }
    }
}

fn main() {
    let folder = std::env::args().nth(1).unwrap_or_else(|| "crates/solve/tests/problems".to_owned());
    let folder = PathBuf::from(folder);
    std::fs::create_dir_all(&folder).unwrap();
    for name in SCENES {
        let scene = load(name, &[]).unwrap().unwrap();
        let (model, mut state) = (&scene.model, scene.state.clone());
        let mut scheme = Lcp::new(model, &state, &scene.run.options.lcp).unwrap();
        let [mut impact, mut contacts, mut iterations, mut last] = [const { Best(None) }; 4];
        for step in 0..scene.run.steps() {
            scheme.step(model, &mut state, scene.run.step).unwrap();
            let solve = scheme.last_solve();
            if solve.contacts == 0 {
                continue;
            }
            let text = || scheme.problem().to_text();
            if !scheme.step_record().unwrap().impacts.is_empty() {
                impact.offer(1, step, &text);
            }
            contacts.offer(solve.contacts, step, &text);
            iterations.offer(solve.iterations, step, &text);
            if step + 1 == scene.run.steps() {
                last.offer(1, step, &text);
            }
        }
        let mut written = Vec::new();
        for (what, Best(best)) in [
            ("first impact", impact),
            ("most contacts", contacts),
            ("most iterations", iterations),
            ("last", last),
        ] {
            let Some((figure, step, text)) = best.filter(|(_, step, _)| !written.contains(step)) else {
                continue;
            };
            println!("{name}-{step}: {what}, {figure}, {} bytes", text.len());
            std::fs::write(folder.join(format!("{name}-{step}.txt")), text).unwrap();
            written.push(step);
        }
    }
}
