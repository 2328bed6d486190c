//! Run folders, made by the program and read back.

use super::program;
use percussion::scene::run::Checkpoint;
use percussion::scene::run::npz::{Array, Reader};
use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Output, Stdio};
use std::time::{Duration, Instant};

/// Opposite charges fall into each other after 1.57 s; just before they meet no step is small enough.
pub const CHARGES: &str = r#"
[run]
step = 1e-2
until = 10
[bodies]
a = { kind = "particle", mass = 1, position = [-1, 0, 0] }
b = { kind = "particle", mass = 1, position = [1, 0, 0] }
[forces.pull]
kind = "charges"
charges = [{ body = "a", charge = 1 }, { body = "b", charge = -1 }]
constant = 1
"#;

/// A folder that goes when it is dropped.
pub struct Place(PathBuf);

impl Place {
    pub fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("percussion-run-{}-{name}", std::process::id()));
        fs::create_dir_all(&path).unwrap();
        Self(path)
    }

    pub fn join(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }

    /// A scene file in it.
    pub fn scene(&self, text: &str) -> PathBuf {
        let path = self.join("own.toml");
        fs::write(&path, text).unwrap();
        path
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        _ = fs::remove_dir_all(&self.0);
    }
}

/// Runs a scene into a folder.
pub fn run(scene: impl AsRef<Path>, out: &Path, more: &[&str]) -> Output {
    program().arg("run").arg(scene.as_ref()).arg("--out").arg(out).args(more).output().unwrap()
}

/// Begins to.
pub fn start(scene: &str, out: &Path, more: &[&str]) -> Child {
    let mut command = program();
    command.arg("run").arg(scene).arg("--out").arg(out).args(more);
    command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap()
}

/// Runs the scene of a text into the folder `out` of a new place.
pub fn ran(name: &str, text: &str, more: &[&str]) -> (Place, PathBuf) {
    let place = Place::new(name);
    let out = place.join("out");
    succeed(&run(place.scene(text), &out, more));
    (place, out)
}

/// Its exit code.
pub fn code(output: &Output) -> i32 {
    output.status.code().unwrap()
}

/// Its standard error.
pub fn error(output: &Output) -> String {
    String::from_utf8(output.stderr.clone()).unwrap()
}

/// Its standard output.
pub fn text(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).unwrap()
}

/// It was refused as misuse, and its complaint has all these words.
#[track_caller]
pub fn refused(output: &Output, words: &[&str]) {
    let said = error(output);
    assert_eq!(code(output), 2, "{said}");
    assert!(words.iter().all(|word| said.contains(word)), "{said} lacks one of {words:?}");
}

/// It went well.
pub fn succeed(output: &Output) {
    assert_eq!(code(output), 0, "{}", error(output));
}

/// The figures.
pub fn summary(folder: &Path) -> Value {
    serde_json::from_str(&fs::read_to_string(folder.join("summary.json")).unwrap()).unwrap()
}

/// An array of the trajectory.
pub fn array(folder: &Path, name: &str) -> Array {
    Reader::open(&folder.join("trajectory.npz")).unwrap().array(name).unwrap()
}

/// An array of numbers of the trajectory.
pub fn floats(folder: &Path, name: &str) -> Vec<f64> {
    array(folder, name).as_floats().unwrap()
}

/// An array of names of the trajectory.
pub fn texts(folder: &Path, name: &str) -> Vec<String> {
    array(folder, name).as_texts().unwrap()
}

/// Its events.
pub fn events(folder: &Path) -> Vec<Value> {
    let text = fs::read_to_string(folder.join("events.jsonl")).unwrap();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// All there is to know about the outcome of a run, except how long it took.
pub fn outcome(folder: &Path) -> (Vec<(String, Array)>, Checkpoint, Value, String) {
    let mut reader = Reader::open(&folder.join("trajectory.npz")).unwrap();
    let names: Vec<String> = reader.names().map(str::to_owned).collect();
    let arrays = names.into_iter().map(|name| (name.clone(), reader.array(&name).unwrap())).collect();
    let mut checkpoint = Checkpoint::read(&folder.join("checkpoint")).unwrap();
    checkpoint.wall_time = 0.0;
    let mut summary = summary(folder);
    summary["wall_time_s"] = Value::Null;
    let events = fs::read_to_string(folder.join("events.jsonl")).unwrap();
    (arrays, checkpoint, summary, events)
}

/// Waits until a condition holds.
pub fn wait_for(what: &str, condition: impl Fn() -> bool) {
    let begun = Instant::now();
    while !condition() {
        assert!(begun.elapsed() < Duration::from_secs(60), "waited in vain for {what}");
        std::thread::sleep(Duration::from_millis(10));
    }
}
