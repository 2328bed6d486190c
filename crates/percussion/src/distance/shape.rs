//! Shapes in JSON, parsed into their specifications.
//!
//! A shape is a name, or an object with one key for its kind (`box`, `sphere`, `vertices`, ...) and
//! optional keys for its placement (`position`, and one of `rotation`, `rotation_vector`, `angle`).

use std::borrow::Cow;
use std::fmt;

use percussion_geometry::shapes::{Rows, SHAPE_KINDS, ShapeParameters, ShapeSpec};
use serde::Deserialize;
use serde::de::{self, Deserializer, MapAccess, Visitor};
use serde_json::value::RawValue;

use super::placement::Placement;

/// A shape with its placement, as written.
#[derive(Clone, Debug, PartialEq)]
pub struct ShapeText<'l> {
    /// What it is.
    pub source: ShapeSource<'l>,
    /// Where it is.
    pub placement: Placement,
}

/// What a shape is made from.
#[derive(Clone, Debug, PartialEq)]
pub enum ShapeSource<'l> {
    /// A defined shape.
    Named(Cow<'l, str>),
    /// Other shapes.
    Parts(Vec<ShapeText<'l>>),
    /// A kind and its parameters.
    Spec(ShapeSpec),
}

/// Keys besides the kinds.
const OTHER_KEYS: [&str; 6] = ["shape", "position", "rotation", "rotation_vector", "angle", "parts"];

/// The message of serde about an unknown key.
fn unknown_key(key: &str, known: &[&str]) -> String {
    format!("unknown field `{key}`, expected one of `{}`", known.join("`, `"))
}

impl<'de> Deserialize<'de> for ShapeText<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(Shape)
    }
}

struct Shape;

impl<'de> Visitor<'de> for Shape {
    type Value = ShapeText<'de>;

    fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(
            "a shape: an object such as {\"box\": [1, 1, 1], \"position\": [0, 0, 1]}, or a defined name",
        )
    }

    fn visit_borrowed_str<E: de::Error>(self, name: &'de str) -> Result<ShapeText<'de>, E> {
        Ok(ShapeText { source: ShapeSource::Named(Cow::Borrowed(name)), placement: Placement::default() })
    }

    fn visit_str<E: de::Error>(self, name: &str) -> Result<ShapeText<'de>, E> {
        let source = ShapeSource::Named(Cow::Owned(name.to_owned()));
        Ok(ShapeText { source, placement: Placement::default() })
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<ShapeText<'de>, A::Error> {
        let mut source = None;
        let mut placement = Placement::default();
        while let Some(Name(key)) = map.next_key()? {
            let given = match &*key {
                "position" => once(&mut placement.position, "position", map.next_value()?).map(|()| None)?,
                "rotation" => once(&mut placement.rotation, "rotation", map.next_value()?).map(|()| None)?,
                "rotation_vector" => {
                    once(&mut placement.rotation_vector, "rotation_vector", map.next_value()?)
                        .map(|()| None)?
                }
                "angle" => once(&mut placement.angle, "angle", map.next_value()?).map(|()| None)?,
                "shape" => Some(ShapeSource::Named(map.next_value::<Name>()?.0)),
                "parts" => Some(ShapeSource::Parts(map.next_value()?)),
                kind => {
                    let unknown =
                        || de::Error::custom(unknown_key(kind, &[&OTHER_KEYS[..], &SHAPE_KINDS].concat()));
                    let kind = SHAPE_KINDS.into_iter().find(|known| *known == kind).ok_or_else(unknown)?;
                    let given = Given { kind, text: map.next_value()?, entries: Vec::new() };
                    let spec = ShapeSpec::read(kind, given).map_err(de::Error::custom)?;
                    Some(ShapeSource::Spec(spec.ok_or_else(unknown)?))
                }
            };
            if given.is_some() && std::mem::replace(&mut source, given).is_some() {
                return Err(de::Error::custom(
                    "two kinds in one shape; keep one, or list them under `parts`",
                ));
            }
        }
        let Some(source) = source else {
            return Err(de::Error::custom(
                "a shape without a kind; add one of the keys vertices, box, sphere, capsule, ... or shape",
            ));
        };
        Ok(ShapeText { source, placement })
    }
}

/// The parameters of a kind, as written: its value, and the entries of that if it is a table.
struct Given<'l> {
    kind: &'static str,
    text: &'l RawValue,
    entries: Vec<(&'static str, &'l RawValue)>,
}

/// The message of an error without its line and column: the caller adds the place in the whole line.
fn without_place(error: serde_json::Error) -> String {
    let text = error.to_string();
    let place = format!(" at line {} column {}", error.line(), error.column());
    text.strip_suffix(&place).unwrap_or(&text).to_owned()
}

impl<'l> Given<'l> {
    fn read<T: Deserialize<'l>>(&self, key: &str) -> Result<Option<T>, String> {
        let entry = self.entries.iter().find(|(other, _)| *other == key).map(|(_, text)| *text);
        let text = if key.is_empty() { Some(self.text) } else { entry };
        text.map(|text| serde_json::from_str(text.get()).map_err(without_place)).transpose()
    }

    /// Rows, all of the width `N`; `what` a row and its numbers are called.
    fn width<const N: usize>(
        &self,
        rows: &[Vec<f64>],
        [row, numbers]: [&str; 2],
    ) -> Result<Vec<[f64; N]>, String> {
        let read = |(k, given): (usize, &Vec<f64>)| {
            let count = given.len();
            let wrong =
                |_| format!("{}: {row} {k} has {count} {numbers}, give {N} in every {row}", self.kind);
            given.as_slice().try_into().map_err(wrong)
        };
        rows.iter().enumerate().map(read).collect()
    }
}

impl<'l> ShapeParameters for Given<'l> {
    type Error = String;

    fn table(&self, keys: &'static [&'static str]) -> Result<Self, String> {
        let mut text = serde_json::Deserializer::from_str(self.text.get());
        let entries = text.deserialize_map(TableOf(keys)).map_err(without_place)?;
        Ok(Self { entries, ..*self })
    }

    fn is_list(&self) -> bool {
        self.text.get().starts_with('[')
    }

    fn number(&self, key: &'static str) -> Result<Option<f64>, String> {
        self.read(key)
    }

    fn count(&self, key: &'static str) -> Result<Option<usize>, String> {
        self.read(key)
    }

    fn numbers<const N: usize>(&self, key: &'static str) -> Result<Option<[f64; N]>, String> {
        let wrong = |given: Vec<f64>| format!("{}: {} numbers given instead of {N}", self.kind, given.len());
        self.read::<Vec<f64>>(key)?.map(|given| given.try_into().map_err(wrong)).transpose()
    }

    fn normal<const D: usize>(&self, key: &'static str) -> Result<Option<[f64; D]>, String> {
        self.numbers(key)
    }

    fn rows<const P: usize, const S: usize>(&self, key: &'static str) -> Result<Option<Rows<P, S>>, String> {
        let Some(rows) = self.read::<Vec<Vec<f64>>>(key)? else { return Ok(None) };
        let names = if P == S || S == 3 { ["vertex", "coordinates"] } else { ["row", "entries"] };
        Ok(Some(match rows.first() {
            Some(first) if first.len() == P => Rows::Plane(self.width(&rows, names)?),
            _ => Rows::Space(self.width(&rows, names)?),
        }))
    }

    fn triangles(&self, key: &'static str, _: usize) -> Result<Option<Vec<[u32; 3]>>, String> {
        self.read(key)
    }

    fn missing(&self, key: &'static str) -> String {
        format!("{}: the key `{key}` is missing", self.kind)
    }

    fn unfit(&self, message: &'static str, remedy: &'static str) -> String {
        format!("{} {message}; {remedy}", self.kind)
    }
}

/// A table that may have these keys.
struct TableOf(&'static [&'static str]);

impl<'de> Visitor<'de> for TableOf {
    type Value = Vec<(&'static str, &'de RawValue)>;

    fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "an object with the keys {}", self.0.join(", "))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut entries: Self::Value = Vec::with_capacity(self.0.len());
        while let Some(Name(key)) = map.next_key()? {
            let known = self.0.iter().copied().find(|known| *known == key);
            let key = known.ok_or_else(|| de::Error::custom(unknown_key(&key, self.0)))?;
            if entries.iter().any(|(other, _)| *other == key) {
                return Err(de::Error::duplicate_field(key));
            }
            entries.push((key, map.next_value()?));
        }
        Ok(entries)
    }
}

/// Fills a slot that may be given once.
pub(super) fn once<T, E: de::Error>(slot: &mut Option<T>, key: &'static str, value: T) -> Result<(), E> {
    match slot.replace(value) {
        None => Ok(()),
        Some(_) => Err(E::duplicate_field(key)),
    }
}

/// A string that borrows from the line where it can.
pub(super) struct Name<'l>(pub Cow<'l, str>);

impl<'de> Deserialize<'de> for Name<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Text;
        impl<'de> Visitor<'de> for Text {
            type Value = Name<'de>;
            fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
                f.write_str("the name of a defined shape")
            }
            fn visit_borrowed_str<E: de::Error>(self, name: &'de str) -> Result<Name<'de>, E> {
                Ok(Name(Cow::Borrowed(name)))
            }
            fn visit_str<E: de::Error>(self, name: &str) -> Result<Name<'de>, E> {
                Ok(Name(Cow::Owned(name.to_owned())))
            }
        }
        deserializer.deserialize_str(Text)
    }
}
