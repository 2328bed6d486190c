//! Includes: the keys of the including file override those of included files.

use super::merge;
use crate::keys::TOP;
use crate::report::{Place, Read, Report};
use crate::tree::{Table, Value, document};
use std::io;
use std::path::{Component, Path, PathBuf};

/// Loads a file with all its includes.
pub(super) fn load(report: &Report, path: &Path, files: &dyn Fn(&Path) -> io::Result<String>) -> Read<Table> {
    let mut loader = Loader { report, files, open: Vec::new(), done: Vec::new() };
    loader.load(path, None)
}

struct Loader<'a> {
    report: &'a Report,
    files: &'a dyn Fn(&Path) -> io::Result<String>,
    /// Files that are being read, each included by the previous one.
    open: Vec<PathBuf>,
    /// Files that have been read; a file that is included twice is read once.
    done: Vec<PathBuf>,
}

impl Loader<'_> {
    fn load(&mut self, path: &Path, include_place: Option<Place>) -> Read<Table> {
        let name = path.display().to_string();
        let text = (self.files)(path).map_err(|error| {
            let message = format!("cannot read `{name}`: {error}");
            let remedy = "check the path (it is relative to the including file) and its permissions";
            match include_place {
                Some(place) => self.report.complain(place, message, remedy),
                None => {
                    self.report.complain_of_file(&name, format!("cannot be read: {error}"), "check the path")
                }
            }
        })?;
        let source = self.report.file(&name, &text);
        let mut own = document(self.report, source, &text)?;
        let Some(include) = own.take("include") else { return Ok(own) };
        self.report.record(|vocabulary| vocabulary.table("", "", ["include"].into_iter(), &TOP));
        self.open.push(plain(path));
        let mut below = Table::default();
        let mut outcome = Ok(());
        let Value::List(list) = include.node.value else {
            let remedy = "write a list of files, such as include = [\"shapes.toml\"]";
            let message = format!("`include` is {}", include.node.kind());
            return Err(self.report.complain(include.node.place, message, remedy));
        };
        for item in list {
            match self.member(path, &item) {
                Ok(Some(table)) => merge::join(self.report, &mut below, table),
                Ok(None) => {}
                Err(reported) => outcome = Err(reported),
            }
        }
        self.open.pop();
        outcome?;
        merge::documents(&mut below, own);
        Ok(below)
    }

    /// Loads an included file; `None` if it has been read already.
    fn member(&mut self, from: &Path, item: &crate::tree::Node) -> Read<Option<Table>> {
        let Some(file) = item.text() else {
            let message = format!("`include` lists {}", item.kind());
            return Err(self.report.complain(item.place, message, "name a file, in quotes"));
        };
        let path = from.parent().unwrap_or(Path::new("")).join(file);
        let key = plain(&path);
        if self.open.contains(&key) {
            let message = format!("`{file}` includes itself, directly or through others");
            return Err(self.report.complain(item.place, message, "remove the cyclic include"));
        }
        if self.done.contains(&key) {
            return Ok(None);
        }
        let table = self.load(&path, Some(item.place))?;
        self.done.push(key);
        Ok(Some(table))
    }
}

/// A path without `.` and, where possible, without `..`.
fn plain(path: &Path) -> PathBuf {
    let mut out = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir if matches!(out.components().next_back(), Some(Component::Normal(_))) => {
                out.pop();
            }
            part => out.push(part),
        }
    }
    out
}
