//! Runs the program as a user does.
#![allow(dead_code, clippy::unwrap_used, clippy::expect_used, clippy::panic)]

pub mod folder;
pub mod page;

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

/// `percussion distance ARGUMENTS < input`.
pub fn distance(arguments: &[&str], input: &str) -> Output {
    let mut child = program()
        .arg("distance")
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let input = input.to_owned();
    // A program that refuses its arguments may close its input before it has read it.
    let feeder = std::thread::spawn(move || drop(stdin.write_all(input.as_bytes())));
    let output = child.wait_with_output().unwrap();
    feeder.join().unwrap();
    output
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

/// A list of numbers.
pub fn vector(value: &Value) -> Vec<f64> {
    value
        .as_array()
        .unwrap_or_else(|| panic!("{value} is no list"))
        .iter()
        .map(|v| v.as_f64().unwrap())
        .collect()
}

/// Sparse weights.
pub fn weights(value: &Value) -> Vec<(usize, f64)> {
    let mut all: Vec<(usize, f64)> = value
        .as_object()
        .unwrap()
        .iter()
        .map(|(index, weight)| (index.parse().unwrap(), weight.as_f64().unwrap()))
        .collect();
    all.sort_by_key(|&(index, _)| index);
    all
}
