//! Printer: from a tree to text in a canonical form, with all digits of numbers, named tables under headers and everything below them on
//! one line.

use super::{Node, Table, Value};
use std::fmt::Write;

/// Prints a document.
pub(crate) fn print(root: &Table) -> String {
    let mut out = String::new();
    for entry in root.entries.iter().filter(|entry| entry.node.table().is_none()) {
        line(&mut out, &entry.key, &entry.node);
    }
    for entry in &root.entries {
        let Some(table) = entry.node.table() else { continue };
        // A collection is a table of tables; its members get the headers.
        let collection =
            !table.entries.is_empty() && table.entries.iter().all(|member| member.node.table().is_some());
        if collection {
            for member in &table.entries {
                header(&mut out, &[&entry.key, &member.key]);
                body(&mut out, member.node.table());
            }
        } else {
            header(&mut out, &[&entry.key]);
            body(&mut out, Some(table));
        }
    }
    out
}

fn header(out: &mut String, path: &[&String]) {
    if !out.is_empty() {
        out.push('\n');
    }
    let path: Vec<String> = path.iter().map(|name| key(name)).collect();
    out.push_str(&format!("[{}]\n", path.join(".")));
}

fn body(out: &mut String, table: Option<&Table>) {
    for entry in table.map_or(&[][..], |table| &table.entries) {
        line(out, &entry.key, &entry.node);
    }
}

fn line(out: &mut String, name: &str, node: &Node) {
    out.push_str(&key(name));
    out.push_str(" = ");
    inline(out, &node.value);
    out.push('\n');
}

fn inline(out: &mut String, value: &Value) {
    match value {
        Value::Text(text) => out.push_str(&quoted(text)),
        Value::Date(date) => out.push_str(date),
        // Shortest digits that are read back bitwise identically.
        Value::Float(number) => _ = write!(out, "{number:?}"),
        Value::Integer(integer) => _ = write!(out, "{integer}"),
        Value::Boolean(boolean) => _ = write!(out, "{boolean}"),
        Value::List(list) => {
            out.push('[');
            for (i, item) in list.iter().enumerate() {
                out.push_str(if i > 0 { ", " } else { "" });
                inline(out, &item.value);
            }
            out.push(']');
        }
        Value::Table(table) => {
            out.push('{');
            for (i, entry) in table.entries.iter().enumerate() {
                out.push_str(if i > 0 { ", " } else { " " });
                out.push_str(&key(&entry.key));
                out.push_str(" = ");
                inline(out, &entry.node.value);
            }
            out.push_str(if table.entries.is_empty() { "}" } else { " }" });
        }
    }
}

fn key(name: &str) -> String {
    let bare = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
    if !name.is_empty() && name.chars().all(bare) { name.to_owned() } else { quoted(name) }
}

pub(crate) fn quoted(text: &str) -> String {
    let mut out = String::from("\"");
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\t' => out.push_str("\\t"),
            c if c.is_control() => _ = write!(out, "\\u{:04X}", u32::from(c)),
            c => out.push(c),
        }
    }
    out.push('"');
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::Report;
    use crate::tree::document;

    #[test]
    fn a_printed_document_is_read_and_printed_as_the_same_text() {
        let text = "title = \"a \\\"b\\\"\\n\\u0007ü\"\ngravity = [0.1, -0.0, 1e300, 5e-324, 3]\n\
                    [\"run it\"]\nstep = 1e-3\nnewmark = { beta = 0.25, list = [{ a = true }, {}] }\n\
                    [bodies.a]\nmass = 0x10\n[bodies.\"b c\"]\n[empty]\n";
        let read = |text: &str| {
            let report = Report::default();
            let source = report.file("t", text);
            print(&document(&report, source, text).unwrap())
        };
        let once = read(text);
        assert_eq!(once, read(&once));
        assert!(once.contains("[bodies.\"b c\"]"), "{once}");
        assert!(once.contains("gravity = [0.1, -0.0, 1e300, 5e-324, 3]"), "{once}");
    }
}
