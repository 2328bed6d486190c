//! Parser: from text to a tree.

use super::{Entry, Node, Table, Value};
use crate::report::{Place, Read, Report};
use toml::Spanned;
use toml::de::{DeTable, DeValue, Error};

/// Parses a document; complaints are recorded.
pub(crate) fn document(report: &Report, source: usize, text: &str) -> Read<Table> {
    let (root, errors) = DeTable::parse_recoverable(text);
    refuse(report, source, &errors)?;
    table(report, source, root.get_ref())
}

/// Parses a single value.
pub(crate) fn value(report: &Report, source: usize, text: &str) -> Read<Node> {
    let (root, errors) = DeValue::parse_recoverable(text);
    refuse(report, source, &errors)?;
    node(report, source, &root)
}

fn refuse(report: &Report, source: usize, errors: &[Error]) -> Read<()> {
    let mut outcome = Ok(());
    for error in errors {
        let offset = error.span().map_or(0, |span| span.start);
        let remedy = match error.message() {
            "duplicate key" => "every name and every key may be given once: rename or remove one of the two",
            _ => "correct the TOML here",
        };
        outcome = Err(report.complain(Place { source, offset }, error.message(), remedy));
    }
    outcome
}

fn table(report: &Report, source: usize, map: &DeTable<'_>) -> Read<Table> {
    let mut entries = Vec::with_capacity(map.len());
    for (key, value) in map {
        let place = Place { source, offset: key.span().start };
        let key = key.get_ref().to_string();
        entries.push(Entry { key, place, node: node(report, source, value)? });
    }
    Ok(Table { entries })
}

fn node(report: &Report, source: usize, value: &Spanned<DeValue<'_>>) -> Read<Node> {
    let place = Place { source, offset: value.span().start };
    let value = match value.get_ref() {
        DeValue::String(text) => Value::Text(text.to_string()),
        DeValue::Boolean(boolean) => Value::Boolean(*boolean),
        DeValue::Datetime(date) => Value::Date(date.to_string()),
        DeValue::Integer(digits) => match i64::from_str_radix(digits.as_str(), digits.radix()) {
            Ok(integer) => Value::Integer(integer),
            Err(_) => return Err(report.complain(place, "this integer is too large", "write it as a float")),
        },
        DeValue::Float(digits) => match digits.as_str().parse() {
            Ok(number) => Value::Float(number),
            Err(_) => return Err(report.complain(place, "this is not a number", "correct the number")),
        },
        DeValue::Array(list) => {
            Value::List(list.iter().map(|item| node(report, source, item)).collect::<Read<_>>()?)
        }
        DeValue::Table(map) => Value::Table(table(report, source, map)?),
    };
    Ok(Node { place, value })
}
