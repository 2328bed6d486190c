//! The guide's index of equations is true: files and functions exist, and the code cites what the index says.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod common;

use common::root;
use common::tree::read;
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

const INDEX: &str = "docs/src/equations.md";

/// Equations that each source has at least in the index.
const LEAST: usize = 12;

struct Entry {
    line: usize,
    /// `Johnson 3.76b`.
    equation: String,
    file: String,
    function: String,
    /// The citation in the code: the equation itself, or that of an equal one.
    cited: String,
}

fn entries(page: &str) -> Vec<Entry> {
    let mut found = Vec::new();
    for (at, line) in page.lines().enumerate() {
        let cells: Vec<&str> = line.trim_matches('|').split('|').map(str::trim).collect();
        if !line.starts_with('|') || cells.len() != 5 || line.starts_with("|---") || cells[0] == "equation" {
            continue;
        }
        let [equation, _, file, function, cited] =
            [0, 1, 2, 3, 4].map(|k| cells[k].trim_matches('`').to_owned());
        let cited = if cited.is_empty() { equation.clone() } else { cited };
        found.push(Entry { line: at + 1, equation, file, function, cited });
    }
    found
}

/// A number such as `3.76b`, `A.8` or `14` by its parts: chapter, number, letter.
fn parts(token: &str) -> Option<(String, u32, String)> {
    let (chapter, rest) = token.split_once('.').unwrap_or(("", token));
    let digits = rest.len() - rest.trim_start_matches(|c: char| c.is_ascii_digit()).len();
    let letter = &rest[digits..];
    let plain = letter.chars().all(|c| c.is_ascii_lowercase()) && letter.len() <= 1;
    plain.then_some((chapter.to_owned(), rest[..digits].parse().ok()?, letter.to_owned()))
}

/// Whether a citation such as `3.81-3.83`, `3.76b` or `Theorem 3.4` covers a number. A citation without a letter covers all letters.
fn covers(token: &str, wanted: &str) -> bool {
    let number = token.rsplit(' ').next().unwrap();
    let Some((chapter, wanted_number, letter)) = parts(wanted) else { return token == wanted };
    let (from, to) = number.split_once('-').unwrap_or((number, number));
    match (parts(from), parts(to)) {
        (Some(from), Some(to)) => {
            let same = from.0 == chapter && to.0 == chapter;
            let inside = (from.1..=to.1).contains(&wanted_number);
            same && inside && (from.2.is_empty() || from.1 != to.1 || letter.is_empty() || from.2 == letter)
        }
        _ => false,
    }
}

/// Whether a text cites an equation in brackets: `[Johnson 2.29, 3.41; Hart 2.12]`, or `[3.76b]` where the author has been named.
fn cites(text: &str, citation: &str) -> bool {
    let (author, wanted) = citation.split_once([' ', ',']).unwrap_or((citation, ""));
    let wanted = wanted.trim();
    if wanted.is_empty() {
        return text.contains(author);
    }
    let number = wanted.rsplit(' ').next().unwrap();
    for piece in text.split('[').skip(1) {
        let Some((inside, _)) = piece.split_once(']') else { continue };
        for one in inside.split("; ") {
            let one = match one.strip_prefix(author) {
                Some(rest) => rest.trim_start_matches([' ', ',']),
                None if one.starts_with(|c: char| c.is_ascii_digit()) && text.contains(author) => one,
                None => continue,
            };
            if one == wanted || one.split(", ").any(|token| covers(token, number)) {
                return true;
            }
        }
    }
    false
}

/// The text of a file, then those of the modules it belongs to, outwards to the crate.
fn with_modules(file: &Path) -> Vec<String> {
    let mut texts = vec![fs::read_to_string(file).unwrap()];
    let mut folder = file.parent();
    while let Some(at) = folder {
        texts.extend(["mod.rs", "lib.rs"].iter().filter_map(|head| fs::read_to_string(at.join(head)).ok()));
        folder = if at.ends_with("src") { None } else { at.parent() };
    }
    texts
}

/// What is wrong with an entry, if anything is.
fn complaint(entry: &Entry) -> Option<String> {
    let Entry { line, equation, file, function, cited } = entry;
    let place = format!("{INDEX}:{line}: {equation}");
    let path = root().join(file);
    if !path.is_file() {
        return Some(format!("{place}: there is no file {file}"));
    }
    let texts = with_modules(&path);
    if !texts.iter().any(|text| cites(text, cited)) {
        return Some(format!("{place}: neither {file} nor its modules cite [{cited}]"));
    }
    let defined = ["(", "<"].iter().any(|open| texts[0].contains(&format!("fn {function}{open}")));
    (!function.is_empty() && !defined).then(|| format!("{place}: {file} has no function `{function}`"))
}

#[test]
fn every_equation_of_the_index_is_where_it_says() {
    let page = read(INDEX);
    let entries = entries(&page);
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for entry in &entries {
        *counts.entry(entry.equation.split(' ').next().unwrap()).or_default() += 1;
    }
    assert_eq!(counts.keys().copied().collect::<Vec<_>>(), ["Hart", "Johnson", "Leyendecker", "Pekarek"]);
    assert!(counts.values().all(|count| *count >= LEAST), "{counts:?}");
    let complaints: Vec<String> = entries.iter().filter_map(complaint).collect();
    assert!(complaints.is_empty(), "{} of {}:\n{}", complaints.len(), entries.len(), complaints.join("\n"));
}

#[test]
fn citations_are_read_with_their_ranges_and_letters() {
    let text = "[Johnson 2.29, 3.81-3.83; Hart Algorithms 3.14, 3.15] and the jump [3.76b] [Leyendecker, after eq. 11]";
    for cited in [
        "Johnson 2.29",
        "Johnson 3.82",
        "Johnson 3.76b",
        "Hart Algorithm 3.15",
        "Leyendecker, after eq. 11",
        "Hart",
    ] {
        assert!(cites(text, cited), "{cited}");
    }
    for missing in ["Johnson 2.2", "Johnson 3.84", "Johnson 3.76a", "Hart 2.29", "Pekarek", "Leyendecker 12"]
    {
        assert!(!cites(text, missing), "{missing}");
    }
    assert!(cites("[Johnson 3.109]", "Johnson 3.109a") && cites("[Johnson A.8, derived]", "Johnson A.8"));
}
