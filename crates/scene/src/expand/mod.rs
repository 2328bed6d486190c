//! Expansion of a scene: includes, overrides, templates and patterns are written out.
//!
//! The result is a tree of the same format, so that it can be printed and read again with the same meaning.

mod include;
mod merge;
mod overrides;
mod patterns;
mod random;
mod templates;

use crate::keys::TOP;
use crate::report::{Place, Read, Report};
use crate::tree::{Fields, Node, Value};
use std::io;
use std::path::Path;

/// Reads a file and everything it includes, and expands it.
pub(crate) fn expand(
    report: &Report,
    path: &Path,
    overrides: &[(String, String)],
    files: &dyn Fn(&Path) -> io::Result<String>,
) -> Read<Node> {
    let mut root = include::load(report, path, files)?;
    let changes = overrides::parse(report, overrides);
    let later = overrides::apply(report, &mut root, changes?, overrides::ExpansionStage::Written)?;
    let place = Place { source: 0, offset: 0 };
    let node = Node { place, value: Value::Table(root) };
    // Keys are checked before templates and patterns are removed; expansion continues after complaints to find further ones.
    let mut root = Fields::of(report, &node, "", &TOP)?.table.clone();
    let templates = templates::Templates::take(report, &mut root);
    templates.expand_bodies(&mut root);
    patterns::expand(report, &templates, &mut root);
    overrides::apply(report, &mut root, later, overrides::ExpansionStage::Expanded)?;
    Ok(Node { place, value: Value::Table(root) })
}
