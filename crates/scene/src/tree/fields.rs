//! Typed access to the values of a table. Every complaint has the full name of the key, its line and a remedy.

use super::{Entry, Node, Table, Value};
use crate::report::{Place, Read, Report};
use percussion_geometry::Vec3;
use percussion_geometry::tolerances::LARGEST;

/// Remedy where a table is expected.
const A_TABLE: &str = "write a table";

/// A table with its full name and place.
#[derive(Clone, Debug)]
pub(crate) struct Fields<'a> {
    pub report: &'a Report,
    pub table: &'a Table,
    pub place: Place,
    pub name: String,
}

impl<'a> Fields<'a> {
    /// The table of a node. Unknown keys are reported, and the known ones can still be read.
    pub fn of(report: &'a Report, node: &'a Node, name: &str, known: &[&str]) -> Read<Self> {
        let remedy = match known.first() {
            Some(key) => format!("write a table such as {{ {key} = ... }}"),
            None => A_TABLE.to_owned(),
        };
        let fields = Self::open(report, node, name, &remedy)?;
        fields.check_keys("", known);
        Ok(fields)
    }

    /// The table of a node whose keys depend on its kind: they are checked later with [`Self::check_keys`].
    pub fn of_some_kind(report: &'a Report, node: &'a Node, name: &str) -> Read<Self> {
        Self::open(report, node, name, A_TABLE)
    }

    fn open(report: &'a Report, node: &'a Node, name: &str, remedy: &str) -> Read<Self> {
        let Some(table) = node.table() else {
            let message = format!("`{name}` is {}, not a table", node.kind());
            return Err(report.complain(node.place, message, remedy));
        };
        Ok(Self { report, table, place: node.place, name: name.to_owned() })
    }

    /// Reports unknown keys; `kind` is empty unless the keys depend on it.
    pub fn check_keys(&self, kind: &str, known: &[&str]) {
        self.report.record(|vocabulary| vocabulary.table(&self.name, kind, self.table.keys(), known));
        for entry in self.table.entries.iter().filter(|entry| !known.contains(&entry.key.as_str())) {
            let message = match self.name.is_empty() {
                true => format!("unknown key `{}`", entry.key),
                false => format!("unknown key `{}` in `{}`", entry.key, self.name),
            };
            _ = self.report.unknown(entry.place, message, &entry.key, known.iter().copied(), "");
        }
    }

    /// The full name of a key.
    pub fn path(&self, key: &str) -> String {
        if self.name.is_empty() { key.to_owned() } else { format!("{}.{key}", self.name) }
    }

    /// The place of a key, or that of the table if the key is absent.
    pub fn place_of(&self, key: &str) -> Place {
        self.table.entry(key).map_or(self.place, |entry| entry.place)
    }

    /// Whether a key is given.
    pub fn has(&self, key: &str) -> bool {
        self.table.entry(key).is_some()
    }

    /// The first of these keys that is given.
    pub fn first_of(&self, keys: &[&'static str]) -> Option<&'static str> {
        keys.iter().copied().find(|key| self.has(key))
    }

    /// The value of a key.
    pub fn node(&self, key: &str) -> Option<&'a Node> {
        self.table.get(key)
    }

    /// Reports a missing key.
    pub fn missing(&self, key: &str, remedy: &str) -> crate::report::Reported {
        self.report.complain(self.place, format!("`{}` is missing", self.path(key)), remedy)
    }

    /// Reports an invalid value of a key.
    pub fn wrong(&self, key: &str, message: &str, remedy: &str) -> crate::report::Reported {
        let text = format!("`{}` {message}", self.path(key));
        self.report.complain(self.place_of(key), text, remedy)
    }

    /// Reports keys that do not apply here.
    pub fn refuse(&self, keys: &[&str], why: &str, remedy: &str) -> Read<()> {
        let mut outcome = Ok(());
        for key in keys.iter().filter(|key| self.has(key)) {
            outcome = Err(self.wrong(key, why, remedy));
        }
        outcome
    }

    fn read<T>(
        &self,
        key: &str,
        read: impl FnOnce(&'a Report, &'a Node, &str) -> Read<T>,
    ) -> Read<Option<T>> {
        self.node(key).map(|node| read(self.report, node, &self.path(key))).transpose()
    }

    /// A finite number.
    pub fn number(&self, key: &str) -> Read<Option<f64>> {
        self.read(key, number)
    }

    /// A positive number; `what` names it, with its unit.
    pub fn positive(&self, key: &str, what: &str) -> Read<Option<f64>> {
        match self.number(key)? {
            Some(x) if x > 0.0 && x < 1.0 / LARGEST => {
                let remedy = format!("use units in which it is above {:e}", 1.0 / LARGEST);
                Err(self.wrong(key, &format!("is {x:e}"), &remedy))
            }
            Some(x) if !(x > 0.0) => {
                Err(self.wrong(key, &format!("is {x}"), &format!("give a positive {what}")))
            }
            other => Ok(other),
        }
    }

    /// A number of zero or more; `what` names it, with its unit.
    pub fn not_negative(&self, key: &str, what: &str) -> Read<Option<f64>> {
        match self.number(key)? {
            Some(x) if !(x >= 0.0) => {
                Err(self.wrong(key, &format!("is {x}"), &format!("give a {what} of zero or more")))
            }
            other => Ok(other),
        }
    }

    /// Three finite numbers.
    pub fn vector(&self, key: &str) -> Read<Option<Vec3>> {
        Ok(self.read(key, numbers::<3>)?.map(Vec3::from))
    }

    /// A direction: three finite numbers, not all zero, made a unit vector.
    pub fn direction(&self, key: &str) -> Read<Option<Vec3>> {
        let Some(vector) = self.vector(key)? else { return Ok(None) };
        // Scaled first, so that squares neither underflow nor overflow.
        let scale = vector.amax();
        if scale == 0.0 {
            return Err(self.wrong(key, "is the zero vector", "give a direction such as [0, 0, 1]"));
        }
        Ok(Some((vector / scale).normalize()))
    }

    /// `N` finite numbers.
    pub fn numbers<const N: usize>(&self, key: &str) -> Read<Option<[f64; N]>> {
        self.read(key, numbers::<N>)
    }

    /// Any number of finite numbers.
    pub fn number_list(&self, key: &str) -> Read<Option<Vec<f64>>> {
        self.read(key, number_list)
    }

    /// Rows of `N` finite numbers.
    pub fn rows<const N: usize>(&self, key: &str) -> Read<Option<Vec<[f64; N]>>> {
        self.read(key, |report, node, name| {
            list(report, node, name)?
                .iter()
                .enumerate()
                .map(|(i, row)| numbers::<N>(report, row, &format!("{name}[{i}]")))
                .collect()
        })
    }

    /// A text.
    pub fn text(&self, key: &str) -> Read<Option<&'a str>> {
        self.read(key, text)
    }

    /// One of several words.
    pub fn word(&self, key: &str, known: &[&str]) -> Read<Option<&'a str>> {
        let Some(word) = self.text(key)? else { return Ok(None) };
        self.report.record(|vocabulary| vocabulary.word(&self.path(key), word, known));
        if known.contains(&word) {
            return Ok(Some(word));
        }
        let message = format!("`{}` is \"{word}\"", self.path(key));
        let place = self.node(key).map_or(self.place, |node| node.place);
        Err(self.report.unknown(place, message, word, known.iter().copied(), ""))
    }

    /// A boolean.
    pub fn boolean(&self, key: &str) -> Read<Option<bool>> {
        self.read(key, |report, node, name| match node.value {
            Value::Boolean(boolean) => Ok(boolean),
            _ => {
                let message = format!("`{name}` is {}", node.kind());
                Err(report.complain(node.place, message, "write true or false, without quotes"))
            }
        })
    }

    /// A whole number from `least`.
    pub fn count(&self, key: &str, least: usize) -> Read<Option<usize>> {
        self.read(key, |report, node, name| count(report, node, name, least))
    }

    /// The entries of a collection of named things; empty if it is absent.
    pub fn entries(&self, key: &str) -> Read<&'a [Entry]> {
        let Some(node) = self.node(key) else { return Ok(&[]) };
        let Some(Table { entries }) = node.table() else {
            let message = format!("is {}, not a table of named things", node.kind());
            let remedy = format!("write [{}.NAME] and its keys below", self.path(key));
            return Err(self.wrong(key, &message, &remedy));
        };
        Ok(entries)
    }

    /// Reports a key that is given together with another one.
    pub fn not_both(&self, other: &str, key: &str) -> Read<()> {
        if !(self.has(other) && self.has(key)) {
            return Ok(());
        }
        Err(self.wrong(key, &format!("is given together with `{other}`"), "keep one of the two"))
    }

    /// A list.
    pub fn list(&self, key: &str) -> Read<Option<&'a [Node]>> {
        self.read(key, list)
    }
}

/// A list.
pub(crate) fn list<'a>(report: &Report, node: &'a Node, name: &str) -> Read<&'a [Node]> {
    match &node.value {
        Value::List(list) => Ok(list),
        _ => Err(report.complain(
            node.place,
            format!("`{name}` is {}, not a list", node.kind()),
            "write it in square brackets",
        )),
    }
}

/// A text.
pub(crate) fn text<'a>(report: &Report, node: &'a Node, name: &str) -> Read<&'a str> {
    node.text().ok_or_else(|| {
        let message = format!("`{name}` is {}, not a string", node.kind());
        report.complain(node.place, message, "write it in quotes")
    })
}

/// A finite number.
pub(crate) fn number(report: &Report, node: &Node, name: &str) -> Read<f64> {
    let number = match node.value {
        Value::Float(number) => number,
        Value::Integer(integer) => integer as f64,
        _ => {
            let message = format!("`{name}` is {}, not a number", node.kind());
            return Err(report.complain(node.place, message, "write a number such as 0.5, without quotes"));
        }
    };
    if number.abs() <= LARGEST {
        return Ok(number);
    }
    if number.is_finite() {
        let remedy = format!("use units in which numbers stay below {LARGEST:e}");
        return Err(report.complain(node.place, format!("`{name}` is {number:e}"), remedy));
    }
    Err(report.complain(node.place, format!("`{name}` is {number}"), "give a finite number"))
}

/// A whole number from `least`.
pub(crate) fn count(report: &Report, node: &Node, name: &str, least: usize) -> Read<usize> {
    let given = match node.value {
        Value::Integer(integer) => usize::try_from(integer).ok().filter(|count| *count >= least),
        _ => None,
    };
    given.ok_or_else(|| {
        let found = match &node.value {
            Value::Integer(integer) => integer.to_string(),
            _ => node.kind().to_owned(),
        };
        let message = format!("`{name}` is {found}");
        report.complain(node.place, message, format!("give a whole number of at least {least}"))
    })
}

/// Any number of finite numbers.
pub(crate) fn number_list(report: &Report, node: &Node, name: &str) -> Read<Vec<f64>> {
    let items = list(report, node, name)?;
    items.iter().enumerate().map(|(i, item)| number(report, item, &format!("{name}[{i}]"))).collect()
}

/// `N` finite numbers.
pub(crate) fn numbers<const N: usize>(report: &Report, node: &Node, name: &str) -> Read<[f64; N]> {
    let found = number_list(report, node, name)?;
    let count = found.len();
    found.try_into().map_err(|_| {
        let message = format!("`{name}` has {count} entries, not {N}");
        let pattern = vec!["0.0"; N].join(", ");
        report.complain(node.place, message, format!("give {N} numbers, such as [{pattern}]"))
    })
}

/// Three indices of vertices, from zero.
pub(crate) fn corners(report: &Report, node: &Node, name: &str, vertices: usize) -> Read<[u32; 3]> {
    let items = list(report, node, name)?;
    let found: Vec<u32> = items
        .iter()
        .map(|item| {
            let index = count(report, item, name, 0)?;
            u32::try_from(index).ok().filter(|_| index < vertices).ok_or_else(|| {
                let message = format!("`{name}` names vertex {index}, but there are {vertices}");
                report.complain(item.place, message, "vertices are counted from zero")
            })
        })
        .collect::<Read<_>>()?;
    found.try_into().map_err(|_| {
        report.complain(node.place, format!("`{name}` is not a triangle"), "give three numbers of vertices")
    })
}
