//! Modules of a crate depend only on those above them in its list of layers.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod common;

use common::tree::{files, read, relative};
use std::collections::BTreeSet;

/// Crates with their top-level modules from the lowest to the highest: each may use those above it in the list.
const CRATES: [(&str, &str); 6] = [
    (
        "solve",
        "error arithmetic constraints tolerances simd dense least_squares sparse krylov lp qp hull contact lcp nlp",
    ),
    ("geometry", "pose error tolerances mass shapes bounds separation euclid events broad"),
    (
        "mechanics",
        "named_arrays tolerances rotation spatial table prescribed_motion body joint tree contact force model \
         kinematics discrete step_record response schemes ledger simulation views builder",
    ),
    (
        "control",
        "tolerances islands interpolation plan solution clearance transcription guess consistency search pairs extraction \
         planner multistart replay shooting builder",
    ),
    (
        "scene",
        "tolerances spelling complaint vocabulary report tree orthonormal placement keys penetration expand read \
         scene run study",
    ),
    (
        "report",
        "extent mesh connections quaternions appearance recording palette page export still chart study",
    ),
];

/// The folder of the sources of a crate, and its modules.
fn layers() -> impl Iterator<Item = (&'static str, String, Vec<&'static str>)> {
    CRATES.into_iter().map(|(name, list)| (name, format!("crates/{name}/src"), list.split(' ').collect()))
}

/// The code of a source file without comments.
fn code(text: &str) -> String {
    text.lines().map(|line| line.split("//").next().unwrap_or("")).collect::<Vec<_>>().join("\n")
}

/// Names that follow `crate::` in the code, those inside of braces too.
fn used_names(code: &str) -> BTreeSet<String> {
    let identifier = |text: &str| -> String {
        text.trim_start().chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect()
    };
    let mut names = BTreeSet::new();
    for rest in code.split("crate::").skip(1) {
        let Some(list) = rest.strip_prefix('{') else {
            names.insert(identifier(rest));
            continue;
        };
        let (mut depth, mut start) = (0, 0);
        for (at, c) in list.char_indices() {
            match c {
                '{' => depth += 1,
                ',' if depth == 0 => {
                    names.insert(identifier(&list[start..at]));
                    start = at + 1;
                }
                '}' if depth == 0 => {
                    names.insert(identifier(&list[start..at]));
                    break;
                }
                '}' => depth -= 1,
                _ => {}
            }
        }
    }
    names.remove("");
    names
}

/// Names that the root of a crate re-exports, with the module that each comes from.
fn re_exports(lib: &str) -> Vec<(String, String)> {
    let statements = lib.split(';').filter_map(|s| s.trim().strip_prefix("pub use "));
    let mut found = Vec::new();
    for statement in statements {
        let (module, names) = statement.split_once("::").unwrap_or((statement, ""));
        for name in names.split([',', '{', '}', ' ', '\n', ':']).filter(|name| !name.is_empty()) {
            found.push((name.to_owned(), module.to_owned()));
        }
    }
    found
}

#[test]
fn modules_depend_only_on_the_layers_below_them() {
    for (name, source, modules) in layers() {
        let lib = code(&read(format!("{source}/lib.rs")));
        let exported = re_exports(&lib);
        let rank = |module: &str| modules.iter().position(|m| *m == module);
        let mut wrong = Vec::new();
        for path in files(&source, &["rs"]).iter().filter(|path| !path.ends_with("src/lib.rs")) {
            let file = relative(path);
            let own = file[source.len() + 1..].split('/').next().unwrap().trim_end_matches(".rs");
            let layer = rank(own).unwrap_or_else(|| panic!("{name}: {own} is not in the list of layers"));
            for used in used_names(&code(&read(path))) {
                let module =
                    exported.iter().find(|(item, _)| *item == used).map_or(&used, |(_, module)| module);
                match rank(module) {
                    Some(other) if other > layer => {
                        wrong.push(format!("{file} uses {module}, a layer above {own}"));
                    }
                    Some(_) => {}
                    None => wrong.push(format!("{file} uses {used}, which is in no layer")),
                }
            }
        }
        assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    }
}

#[test]
fn every_layer_is_a_module_and_the_crate_documents_their_order() {
    for (name, source, modules) in layers() {
        let lib = read(format!("{source}/lib.rs"));
        let mut documented = 0;
        for module in &modules {
            assert!(lib.contains(&format!("mod {module};")), "{name} has no module {module}");
            let at = lib[documented..].find(&format!("//! {module} "));
            documented += at.unwrap_or_else(|| {
                panic!("{name}: {module} is missing in the list of lib.rs, or out of order")
            });
        }
        let declared = lib.lines().filter_map(|line| line.trim_start_matches("pub ").strip_prefix("mod "));
        for module in declared {
            let module = module.trim_end_matches(';');
            assert!(modules.contains(&module), "{name}: {module} is in no layer");
        }
    }
}
