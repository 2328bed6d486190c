//! The tree of a TOML text: values with their places, before their keys are interpreted.

mod fields;
mod parse;
mod print;

pub(crate) use fields::{Fields, corners, count, list, number, numbers, text};
pub(crate) use parse::{document, value};
pub(crate) use print::{print, quoted};

use crate::report::Place;

/// A value and its place.
#[derive(Clone, Debug)]
pub(crate) struct Node {
    pub place: Place,
    pub value: Value,
}

/// A TOML value.
#[derive(Clone, Debug)]
pub(crate) enum Value {
    Text(String),
    Integer(i64),
    Float(f64),
    Boolean(bool),
    Date(String),
    List(Vec<Node>),
    Table(Table),
}

/// Keys with values, in the order of the file.
#[derive(Clone, Debug, Default)]
pub(crate) struct Table {
    pub entries: Vec<Entry>,
}

/// A key, its place and its value.
#[derive(Clone, Debug)]
pub(crate) struct Entry {
    pub key: String,
    pub place: Place,
    pub node: Node,
}

impl Table {
    /// The entry of a key.
    pub fn entry(&self, key: &str) -> Option<&Entry> {
        self.entries.iter().find(|entry| entry.key == key)
    }

    /// The value of a key.
    pub fn get(&self, key: &str) -> Option<&Node> {
        self.entry(key).map(|entry| &entry.node)
    }

    /// The value of a key, mutable.
    pub fn get_mut(&mut self, key: &str) -> Option<&mut Node> {
        self.entries.iter_mut().find(|entry| entry.key == key).map(|entry| &mut entry.node)
    }

    /// Sets a key; an old one keeps its position.
    pub fn set(&mut self, entry: Entry) {
        match self.entries.iter_mut().find(|old| old.key == entry.key) {
            Some(old) => *old = entry,
            None => self.entries.push(entry),
        }
    }

    /// Removes a key.
    pub fn take(&mut self, key: &str) -> Option<Entry> {
        let index = self.entries.iter().position(|entry| entry.key == key)?;
        Some(self.entries.remove(index))
    }

    /// All keys.
    pub fn keys(&self) -> impl Iterator<Item = &str> {
        self.entries.iter().map(|entry| entry.key.as_str())
    }

    /// The table under a key; none if it is absent or another value.
    pub fn table(&self, key: &str) -> Option<&Table> {
        self.get(key).and_then(Node::table)
    }

    /// The table under a key, created if it is absent; none if the key has another value.
    pub fn table_mut(&mut self, key: &str, place: Place) -> Option<&mut Table> {
        if self.entry(key).is_none() {
            let node = Node { place, value: Value::Table(Table::default()) };
            self.entries.push(Entry { key: key.to_owned(), place, node });
        }
        match &mut self.get_mut(key)?.value {
            Value::Table(table) => Some(table),
            _ => None,
        }
    }
}

impl Entry {
    /// A key and its value with one place for both.
    pub fn new(key: &str, place: Place, value: Value) -> Self {
        Self { key: key.to_owned(), place, node: Node { place, value } }
    }
}

impl Node {
    /// The table it holds.
    pub fn table(&self) -> Option<&Table> {
        match &self.value {
            Value::Table(table) => Some(table),
            _ => None,
        }
    }

    /// The text it holds.
    pub fn text(&self) -> Option<&str> {
        match &self.value {
            Value::Text(text) => Some(text),
            _ => None,
        }
    }

    /// Its type, for messages.
    pub fn kind(&self) -> &'static str {
        match &self.value {
            Value::Text(_) => "a string",
            Value::Integer(_) => "an integer",
            Value::Float(_) => "a number",
            Value::Boolean(_) => "true or false",
            Value::Date(_) => "a date",
            Value::List(_) => "a list",
            Value::Table(_) => "a table",
        }
    }
}

impl Value {
    /// A list of numbers.
    pub fn numbers(place: Place, numbers: &[f64]) -> Self {
        Self::List(numbers.iter().map(|&x| Node { place, value: Self::Float(x) }).collect())
    }
}
