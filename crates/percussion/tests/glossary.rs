//! Words that the glossary retires do not return, in names, messages or prose.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod common;

use common::tree::{files, read, relative};
use std::collections::BTreeMap;

const GLOSSARY: &str = "docs/src/glossary.md";

/// Pages that name retired words or titles of other people's works, and this test.
const EXEMPT: [&str; 3] = [GLOSSARY, "docs/src/references.md", "crates/percussion/tests/glossary.rs"];

/// Terms of the literature that contain a retired word: the word before it, and the word.
const TERMS: [[&str; 2]; 2] = [["shadow", "price"], ["shadow", "prices"]];

/// Occurrences that are reported at most.
const REPORTED: usize = 400;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    /// Names in sources.
    Code,
    /// Comments, string literals, pages and scene files.
    Prose,
}

/// A word, or a part of a name, in lower case.
struct Word {
    text: String,
    kind: Kind,
    line: usize,
    /// Whether only spaces, line ends, hyphens, underscores or comment signs separate it from the word before.
    follows: bool,
    /// The whole name, at its first part.
    name: Option<String>,
}

struct Retired {
    /// As in the table.
    entry: String,
    instead: String,
    /// Lower-case words; empty for a whole name.
    words: Vec<String>,
    kinds: Vec<Kind>,
}

/// Rows of the table of retired words.
fn retired(page: &str) -> Vec<Retired> {
    let table = page.split("## Retired words").nth(1).expect("a section on retired words");
    let rows = table
        .lines()
        .filter(|line| line.starts_with("| "))
        .map(|line| line.trim_matches('|').split('|').map(str::trim).collect::<Vec<_>>());
    rows.filter(|cells| cells[0] != "retired")
        .map(|cells| {
            let [entry, instead, place] = cells[..] else { panic!("{cells:?}") };
            let kinds = match place {
                "code" => vec![Kind::Code],
                "prose" => vec![Kind::Prose],
                "both" => vec![Kind::Code, Kind::Prose],
                other => panic!("`{entry}`: where is `{other}`"),
            };
            let whole = entry.starts_with(char::is_uppercase);
            let words = entry.split(' ').filter(|_| !whole).map(str::to_owned).collect();
            Retired { entry: entry.to_owned(), instead: instead.to_owned(), words, kinds }
        })
        .collect()
}

/// Parts of a name: `hand_over`, `handOver` and `HTMLPage` have two each.
fn parts(name: &str) -> Vec<String> {
    let letters: Vec<char> = name.chars().collect();
    let mut found: Vec<String> = Vec::new();
    let mut open = false;
    for (i, &c) in letters.iter().enumerate() {
        if !c.is_alphabetic() {
            open = false;
            continue;
        }
        let before = i.checked_sub(1).map(|k| letters[k]);
        let after = letters.get(i + 1);
        let hump = c.is_uppercase()
            && before.is_some_and(|b| {
                b.is_lowercase() || (b.is_uppercase() && after.is_some_and(|a| a.is_lowercase()))
            });
        if !open || hump {
            found.push(String::new());
        }
        open = true;
        found.last_mut().unwrap().extend(c.to_lowercase());
    }
    found
}

/// Words of a text whose characters are marked as code or prose.
fn words(text: &str, kinds: &dyn Fn(usize) -> Kind) -> Vec<Word> {
    let mut found: Vec<Word> = Vec::new();
    let (mut line, mut joined, mut name, mut kind) = (1, false, String::new(), Kind::Prose);
    let mut close = |name: &mut String, kind: Kind, line: usize, joined: &mut bool| {
        for (i, part) in parts(name).into_iter().enumerate() {
            let follows = i > 0 || *joined;
            found.push(Word { text: part, kind, line, follows, name: (i == 0).then(|| name.clone()) });
        }
        if !name.is_empty() {
            *joined = true;
        }
        name.clear();
    };
    for (at, c) in text.char_indices() {
        if c.is_alphanumeric() || c == '_' {
            kind = kinds(at);
            name.push(c);
            continue;
        }
        close(&mut name, kind, line, &mut joined);
        joined &= c.is_whitespace() || "-/!*".contains(c);
        line += usize::from(c == '\n');
    }
    close(&mut name, kind, line, &mut joined);
    found
}

/// Where comments and string literals of a source are: byte ranges, in order.
fn prose_of_source(text: &str) -> Vec<(usize, usize)> {
    let bytes = text.as_bytes();
    let mut found = Vec::new();
    let mut at = 0;
    while at < bytes.len() {
        let rest = &bytes[at..];
        let end = |close: &str, from: usize| {
            text[from..].find(close).map_or(bytes.len(), |length| from + length + close.len())
        };
        let hashes = rest.iter().skip(1).take_while(|b| **b == b'#').count();
        let begins_name = at == 0 || !(bytes[at - 1].is_ascii_alphanumeric() || bytes[at - 1] == b'_');
        let until = if rest.starts_with(b"//") {
            end("\n", at)
        } else if rest.starts_with(b"/*") {
            end("*/", at)
        } else if rest[0] == b'r' && begins_name && rest.get(1 + hashes) == Some(&b'"') {
            end(&format!("\"{}", "#".repeat(hashes)), at + 2 + hashes)
        } else if matches!(rest[0], b'"' | b'`') {
            let mut k = at + 1;
            while k < bytes.len() && bytes[k] != rest[0] {
                k += 1 + usize::from(bytes[k] == b'\\');
            }
            (k + 1).min(bytes.len())
        } else if rest[0] == b'\'' {
            // A character: one letter or an escape. Anything else is a lifetime (or a string in TypeScript, below).
            let letter = text[at + 1..].chars().next().map_or(0, char::len_utf8);
            match rest.get(1) {
                Some(b'\\') => end("'", at + 3),
                _ if rest.get(1 + letter) == Some(&b'\'') => at + 2 + letter,
                _ => {
                    at += 1;
                    continue;
                }
            }
        } else {
            at += 1;
            continue;
        };
        found.push((at, until));
        at = until;
    }
    found
}

/// Words of a file, with those of its name on line 0.
fn words_of(name: &str, text: &str) -> Vec<Word> {
    let source = name.ends_with(".rs") || name.ends_with(".ts");
    let mut found = words(name.rsplit('/').next().unwrap(), &|_| Kind::Code);
    found.iter_mut().for_each(|word| word.line = 0);
    if source {
        let prose = prose_of_source(text);
        found.extend(words(text, &|at| {
            let next = prose.partition_point(|(from, _)| *from <= at);
            if next > 0 && at < prose[next - 1].1 { Kind::Prose } else { Kind::Code }
        }));
    } else {
        found.extend(words(text, &|_| Kind::Prose));
    }
    found
}

/// Lines at which retired words occur in a file: line, entry.
fn occurrences<'a>(found: &[Word], table: &'a [Retired]) -> Vec<(usize, &'a Retired)> {
    let mut by_first: BTreeMap<&str, Vec<&Retired>> = BTreeMap::new();
    for entry in table {
        let first = entry.words.first().map_or(entry.entry.as_str(), String::as_str);
        by_first.entry(first).or_default().push(entry);
    }
    let mut hits = Vec::new();
    for (i, word) in found.iter().enumerate() {
        let whole = word.name.iter().filter_map(|name| by_first.get(name.as_str())).flatten();
        hits.extend(
            whole
                .filter(|entry| entry.words.is_empty() && entry.kinds.contains(&word.kind))
                .map(|entry| (word.line, *entry)),
        );
        for entry in by_first.get(word.text.as_str()).into_iter().flatten() {
            let same = |(k, wanted): (usize, &String)| {
                found.get(i + k).is_some_and(|other| {
                    other.text == *wanted && other.kind == word.kind && (k == 0 || other.follows)
                })
            };
            let all = !entry.words.is_empty() && entry.words.iter().enumerate().all(same);
            let term = i > 0 && word.follows && TERMS.contains(&[&found[i - 1].text, &word.text]);
            if all && !term && entry.kinds.contains(&word.kind) {
                hits.push((word.line, *entry));
            }
        }
    }
    hits
}

/// The text that is looked at: migration notes name the old words on purpose; their lines are blanked.
fn shown(name: &str, text: String) -> String {
    if name != "CHANGELOG.md" {
        return text;
    }
    let mut notes = false;
    let keep = |line: &str| {
        if line.starts_with("##") {
            notes = line.contains("Migration notes");
        }
        if notes { String::new() } else { line.to_owned() }
    };
    text.lines().map(keep).collect::<Vec<_>>().join("\n")
}

#[test]
fn no_retired_word_returns() {
    let table = retired(&read(GLOSSARY));
    assert!(table.len() > 60, "{}", table.len());
    let (mut report, mut counts) = (Vec::new(), BTreeMap::<&str, usize>::new());
    for path in files(".", &["rs", "ts", "toml", "md"]) {
        let name = relative(&path);
        let manifest =
            name.ends_with("Cargo.toml") || name.ends_with("clippy.toml") || name.ends_with("rustfmt.toml");
        if EXEMPT.contains(&name.as_str()) || manifest {
            continue;
        }
        let text = shown(&name, read(&path));
        for (line, entry) in occurrences(&words_of(&name, &text), &table) {
            *counts.entry(&entry.entry).or_default() += 1;
            report.push(format!("{name}:{line}: `{}`; use {}", entry.entry, entry.instead));
        }
    }
    let total = report.len();
    report.truncate(REPORTED);
    let mut counted: Vec<_> = counts.into_iter().collect();
    counted.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
    assert_eq!(total, 0, "{}\n{total} in all: {counted:?}", report.join("\n"));
}

#[test]
fn retired_words_are_found_as_words_and_as_parts_of_names() {
    let page = "## Retired words\n\n| retired | use instead | where |\n|---|---|---|\n| hand over | fall back | both |\n\
                | dear | costly | both |\n| price | cost | prose |\n| spot | point | code |\n| knows | uses | prose |\n| Touch | ContactPoint | code |\n";
    let table = retired(page);
    assert_eq!(table.len(), 6);
    let hits = |name: &str, text: &str| -> Vec<(usize, String)> {
        let found = occurrences(&words_of(name, text), &table);
        found.into_iter().map(|(line, entry)| (line, entry.entry.clone())).collect()
    };
    let of = |line: usize, entry: &str| (line, entry.to_owned());
    for text in [
        "fn hand_over() {}",
        "let handOver = 1;",
        "struct HandOver;",
        "// a hand-over",
        "\"hand over\"",
        "// hand\n// over",
    ] {
        assert_eq!(hits("a.rs", text), [of(1, "hand over")], "{text}");
    }
    assert_eq!(hits("hand_over.rs", ""), [of(0, "hand over")]);
    assert_eq!(hits("a.md", "one\nis dear, but\n"), [of(2, "dear")]);
    assert_eq!(hits("a.md", "a shadow price\nand a price\n"), [of(2, "price")]);
    assert_eq!(
        hits("a.rs", "let spot = \"spot\"; // spot\nlet a: Touch = knows; // knows Touch"),
        [of(1, "spot"), of(2, "Touch"), of(2, "knows")]
    );
    for text in [
        "fn handler(overlap: f64) {}",
        "// by hand. Over",
        "let endear = 'd'; let touch = 1;",
        "fn f<'dearest>() {}",
    ] {
        assert_eq!(hits("a.rs", text), [], "{text}");
    }
    assert_eq!(hits("a.rs", "let q = '\"'; let spot = r#\"a \" spot\"#;"), [of(1, "spot")]);
    assert_eq!(parts("HTMLPage2d_next"), ["html", "page", "d", "next"]);
}
