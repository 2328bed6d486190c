//! Named shapes: built once, shared by all lines below their definition.

use std::collections::HashMap;

use super::body::Body;
use super::line_error::LineError;
use super::shape::ShapeText;

/// Shapes by name. A name may be defined again further down the stream: every definition holds from its own
/// line to the next one, so that lines can be answered in any order and in parallel.
#[derive(Clone, Debug, Default)]
pub struct NamedShapes {
    shapes: HashMap<String, Vec<Definition>>,
}

#[derive(Clone, Debug)]
struct Definition {
    line: u64,
    body: Body,
}

impl NamedShapes {
    /// Reads a JSON object of names and shapes. A shape may use names that are defined before it.
    pub fn from_json(text: &str) -> Result<Self, LineError> {
        let entries: Entries = serde_json::from_str(text).map_err(|e| LineError::Text(e.to_string()))?;
        let mut names = NamedShapes::default();
        for (name, shape) in &entries.0 {
            names.define(name, shape, 0).map_err(|error| error.within(name.as_str()))?;
        }
        Ok(names)
    }

    /// Builds a shape and gives it a name from `line` on.
    pub fn define(&mut self, name: &str, shape: &ShapeText, line: u64) -> Result<(), LineError> {
        let body = Body::build(&shape.source, self, line)?;
        let body = if shape.placement.is_absent() { body } else { body.moved(shape)? };
        self.shapes.entry(name.to_owned()).or_default().push(Definition { line, body });
        Ok(())
    }

    /// The shape of that name as of `line`.
    pub fn get(&self, name: &str, line: u64) -> Result<&Body, LineError> {
        let definitions = self.shapes.get(name).map_or(&[][..], Vec::as_slice);
        match definitions.iter().rev().find(|definition| definition.line <= line) {
            Some(definition) => Ok(&definition.body),
            None => Err(LineError::unknown_name(
                name,
                self.shapes
                    .iter()
                    .filter(|(_, all)| all.iter().any(|d| d.line <= line))
                    .map(|(known, _)| known.as_str()),
            )),
        }
    }

    /// Removes definitions that are out of scope from `line` on.
    pub fn prune(&mut self, line: u64) {
        for definitions in self.shapes.values_mut() {
            if let Some(current) = definitions.iter().rposition(|definition| definition.line <= line) {
                definitions.drain(..current);
            }
        }
    }
}

/// An object read in its own order, so that later shapes can use earlier names.
struct Entries<'l>(Vec<(String, ShapeText<'l>)>);

impl<'de> serde::Deserialize<'de> for Entries<'de> {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Object;
        impl<'de> serde::de::Visitor<'de> for Object {
            type Value = Entries<'de>;
            fn expecting(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
                f.write_str("an object of names and shapes, {\"cube\": {\"box\": [1, 1, 1]}, ...}")
            }
            fn visit_map<A: serde::de::MapAccess<'de>>(self, mut map: A) -> Result<Entries<'de>, A::Error> {
                let mut entries = Vec::new();
                while let Some(entry) = map.next_entry()? {
                    entries.push(entry);
                }
                Ok(Entries(entries))
            }
        }
        deserializer.deserialize_map(Object)
    }
}
