//! Runs the program as a user does.
#![allow(dead_code, clippy::unwrap_used, clippy::expect_used, clippy::panic)]

pub mod folder;
pub mod page;
pub mod tree;

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use serde_json::Value;

/// The repository.
pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().unwrap()
}

/// The program, to be run from the repository.
pub fn program() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_percussion"));
    command.current_dir(root());
    command
}

/// What the program answers to these arguments.
pub fn call(arguments: &[&str]) -> Output {
    program().args(arguments).output().unwrap()
}

/// `percussion distance ARGUMENTS < input`.
pub fn distance(arguments: &[&str], input: &(impl AsRef<[u8]> + ?Sized)) -> Output {
    let mut child = piped().args(arguments).spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let input = input.as_ref().to_vec();
    // A program that refuses its arguments may close its input before it has read it.
    let feeder = std::thread::spawn(move || drop(stdin.write_all(&input)));
    let output = child.wait_with_output().unwrap();
    feeder.join().unwrap();
    output
}

/// `percussion distance` with its input and output in hand.
pub fn piped() -> Command {
    let mut command = program();
    command.arg("distance").stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

/// The answers of a run, one value per line.
pub fn answers(output: &Output) -> Vec<Value> {
    let text = std::str::from_utf8(&output.stdout).unwrap();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// Answers one line.
pub fn answer(line: &str) -> Value {
    let mut all = answers(&distance(&[], line));
    assert_eq!(all.len(), 1, "{line}");
    all.remove(0)
}

/// The entries of a list.
pub fn list(value: &Value) -> &[Value] {
    value.as_array().unwrap_or_else(|| panic!("{value} is no list"))
}

/// A list of numbers.
pub fn vector(value: &Value) -> Vec<f64> {
    list(value).iter().map(number).collect()
}

/// A number.
pub fn number(value: &Value) -> f64 {
    value.as_f64().unwrap_or_else(|| panic!("{value} is no number"))
}

/// What the entries of a list have under a key, as texts.
pub fn column<'a>(value: &'a Value, key: &str) -> Vec<&'a str> {
    list(value).iter().map(|entry| entry[key].as_str().unwrap()).collect()
}

/// Whether two texts are the same but for their numbers, and those are near each other.
pub fn alike(a: &str, b: &str, near: impl Fn(f64, f64) -> bool) -> bool {
    let inside = |c: char| c.is_ascii_digit() || c == '.';
    let words = |text: &str| -> Vec<String> {
        let mut all: Vec<String> = Vec::new();
        let mut number = None;
        for c in text.chars() {
            if number != Some(inside(c)) {
                all.push(String::new());
                number = Some(inside(c));
            }
            all.last_mut().unwrap().push(c);
        }
        all
    };
    let (a, b) = (words(a), words(b));
    let same = |(x, y): (&String, &String)| match (x.parse::<f64>(), y.parse::<f64>()) {
        (Ok(x), Ok(y)) => near(x, y),
        _ => x == y,
    };
    a.len() == b.len() && a.iter().zip(&b).all(same)
}

/// Sparse weights.
pub fn weights(value: &Value) -> Vec<(usize, f64)> {
    let entries = value.as_object().unwrap().iter();
    let mut all: Vec<(usize, f64)> =
        entries.map(|(k, weight)| (k.parse().unwrap(), number(weight))).collect();
    all.sort_by_key(|&(index, _)| index);
    all
}
