//! Whatever is done to a scene, it loads or is refused with a remedy; nothing panics, and no infinity gets in.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod common;

use common::try_changed;
use std::fs;
use std::path::Path;

/// A small generator (Lehmer's), enough to choose mutations.
struct Dice(u64);

impl Dice {
    fn below(&mut self, n: usize) -> usize {
        self.0 = self.0 * 48_271 % 0x7fff_ffff;
        self.0 as usize % n
    }
}

/// Typical mistakes in scene files.
const STRANGE: [&str; 22] = [
    "nan",
    "inf",
    "-1",
    "0",
    "1e308",
    "-1e308",
    "1e-320",
    "1e70",
    "\"\"",
    "[]",
    "{}",
    "true",
    "[[1, 2], [3]]",
    "99999999999",
    "\"world\"",
    "\"ü\"",
    "1979-05-27",
    "[nan, 0, 0]",
    "[0, 0, 0]",
    "{ sphere = 1 }",
    "\"top\"",
    "=",
];

fn mutated(text: &str, dice: &mut Dice) -> String {
    let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
    for _ in 0..=dice.below(2) {
        let at = dice.below(lines.len());
        let other = dice.below(lines.len());
        match dice.below(7) {
            0 => drop(lines.remove(at)),
            1 => lines.swap(at, other),
            2 => lines.insert(at, lines[other].clone()),
            3 | 4 => {
                if let Some((key, _)) = lines[at].clone().split_once('=') {
                    lines[at] = format!("{key}= {}", STRANGE[dice.below(STRANGE.len())]);
                }
            }
            5 => {
                let mut letters: Vec<char> = lines[at].chars().collect();
                if !letters.is_empty() {
                    let i = dice.below(letters.len());
                    letters[i] = ['x', '0', '-', '"', ']', '.', 'e', 'é'][dice.below(8)];
                }
                lines[at] = letters.into_iter().collect();
            }
            _ => {
                // One number among several.
                let parts: Vec<&str> = lines[at].split(", ").collect();
                let i = dice.below(parts.len());
                let strange = STRANGE[dice.below(8)];
                lines[at] = parts
                    .iter()
                    .enumerate()
                    .map(|(k, p)| if k == i { strange } else { p })
                    .collect::<Vec<_>>()
                    .join(", ");
            }
        }
        if lines.is_empty() {
            lines.push(String::new());
        }
    }
    lines.join("\n")
}

#[test]
fn any_mutation_loads_or_is_refused_with_a_remedy() {
    let scenes = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../scenes");
    let mut texts: Vec<String> =
        ["charged-pair", "four-bar", "free-top", "gyroscope", "kepler", "pendulum-chain", "slider-crank"]
            .iter()
            .map(|name| fs::read_to_string(scenes.join(name).join("scene.toml")).unwrap())
            .collect();
    let guide = include_str!("../../../docs/src/scenes.md");
    texts.extend(guide.split("```toml\n").skip(1).map(|rest| {
        let text = rest.split("```").next().unwrap();
        let run = if text.contains("[run]") { "" } else { "run = { step = 1e-3, until = 1 }\n" };
        format!("{run}{text}")
    }));
    assert!(texts.iter().filter(|text| text.contains("[contact]")).count() >= 2);
    let (mut loaded, mut refused) = (0, 0);
    let mut dice = Dice(20_260_101);
    for round in 0..4000 {
        let text = mutated(&texts[round % texts.len()], &mut dice);
        match try_changed(&text, &[]) {
            Ok(scene) => {
                loaded += 1;
                assert!(scene.state.is_finite(), "{text}");
                assert!(scene.run.step > 0.0 && scene.run.until.is_finite());
                let again = try_changed(&scene.resolved, &[])
                    .unwrap_or_else(|e| panic!("{e:#?}\n{text}\n{}", scene.resolved));
                assert_eq!(format!("{:?}", scene.state), format!("{:?}", again.state), "{text}");
            }
            Err(complaints) => {
                refused += 1;
                assert!(!complaints.is_empty(), "{text}");
                for complaint in complaints {
                    assert!(complaint.line().is_some(), "{complaint}\n{text}");
                    assert!(!complaint.remedy.is_empty(), "{complaint}\n{text}");
                }
            }
        }
    }
    assert!(loaded > 500 && refused > 500, "{loaded} {refused}");
}
