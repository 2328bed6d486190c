//! Templates: keys shared by bodies. The keys of a body override those of its template; a template may be based on another.

use super::merge;
use crate::keys::body_keys;
use crate::report::{Place, Read, Report};
use crate::tree::{Fields, Node, Table, Value};

/// The templates of a scene.
pub(super) struct Templates<'a> {
    report: &'a Report,
    table: Table,
}

impl<'a> Templates<'a> {
    /// Removes the templates from a scene; all of them are checked for unknown keys, used or not.
    pub fn take(report: &'a Report, root: &mut Table) -> Self {
        let mut table = Table::default();
        if let Some(entry) = root.take("templates") {
            match entry.node.value {
                Value::Table(found) => table = found,
                _ => {
                    let message = format!("`templates` is {}", entry.node.kind());
                    _ = report.complain(entry.place, message, "write [templates.NAME] and its keys below");
                }
            }
        }
        for entry in &table.entries {
            _ = Fields::of(report, &entry.node, &format!("templates.{}", entry.key), &body_keys());
        }
        Self { report, table }
    }

    /// Merges templates into the bodies that name one.
    pub fn expand_bodies(&self, root: &mut Table) {
        let Some(node) = root.get_mut("bodies") else { return };
        let Value::Table(bodies) = &mut node.value else { return };
        for entry in &mut bodies.entries {
            if let Value::Table(body) = &mut entry.node.value {
                _ = self.expand(body);
            }
        }
    }

    /// Merges the template of a body into it.
    pub fn expand(&self, body: &mut Table) -> Read<()> {
        let mut open = Vec::new();
        let Some(named) = body.take("template") else { return Ok(()) };
        let mut whole = self.named(&named.node, &mut open)?;
        merge::merge_into(&mut whole, std::mem::take(body));
        *body = whole;
        Ok(())
    }

    fn named(&self, reference: &Node, open: &mut Vec<String>) -> Read<Table> {
        let name = crate::tree::text(self.report, reference, "template")?;
        if open.iter().any(|other| other == name) {
            let message = format!("template `{name}` is based on itself");
            return Err(self.report.complain(reference.place, message, "remove the cyclic reference"));
        }
        let Some(entry) = self.table.entry(name) else { return Err(self.unknown(reference.place, name)) };
        let Value::Table(mut own) = entry.node.value.clone() else { return Err(crate::report::Reported) };
        let Some(base) = own.take("template") else { return Ok(own) };
        open.push(name.to_owned());
        let mut whole = self.named(&base.node, open)?;
        merge::merge_into(&mut whole, own);
        Ok(whole)
    }

    fn unknown(&self, place: Place, name: &str) -> crate::report::Reported {
        let remedy = format!("define it under [templates.{name}]");
        let message = format!("there is no template `{name}`");
        self.report.unknown(place, message, name, self.table.keys(), &remedy)
    }
}
