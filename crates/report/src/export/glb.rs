//! The binary form of glTF 2.0: a header, the document as JSON, the numbers one after the other.
//!
//! ```text
//! "glTF" 2 length,  length "JSON" the document,  length "BIN\0" the numbers        words of 32 bits, little endian
//! ```

use super::ExportError;
use serde_json::{Value, json};
use std::collections::HashMap;

const FLOAT: u32 = 5126;
const SHORT: u32 = 5123;
const WORD: u32 = 5125;

/// Use of the numbers of an accessor.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Use {
    /// Attributes of corners.
    Corners = 34962,
    /// Which corners make triangles.
    Indices = 34963,
    /// Keys of animations.
    Keys = 0,
}

/// The numbers with their accessors. Equal numbers are stored once.
#[derive(Debug, Default)]
pub struct Numbers {
    bytes: Vec<u8>,
    views: Vec<Value>,
    accessors: Vec<Value>,
    known: HashMap<(Use, u32, usize, Vec<u8>), usize>,
}

impl Numbers {
    /// Vectors in single precision, optionally with their bounds; returns the accessor.
    pub fn vectors<const D: usize>(&mut self, values: &[[f32; D]], what: Use, bounds: bool) -> usize {
        let bytes = values.iter().flatten().flat_map(|v| v.to_le_bytes()).collect();
        let mut more = json!({});
        if bounds {
            let fold = |start: f32, pick: fn(f32, f32) -> f32| -> Vec<f64> {
                let all =
                    values.iter().fold([start; D], |all, v| std::array::from_fn(|k| pick(all[k], v[k])));
                // As the doubles they are: fewer digits would be other bounds.
                all.map(f64::from).to_vec()
            };
            more = json!({ "min": fold(f32::INFINITY, f32::min), "max": fold(f32::NEG_INFINITY, f32::max) });
        }
        let kind = ["SCALAR", "VEC2", "VEC3", "VEC4"][D - 1];
        self.add(bytes, values.len(), what, FLOAT, kind, more)
    }

    /// Indices, in half words where they fit; returns the accessor.
    pub fn indices(&mut self, values: &[u32]) -> usize {
        // The greatest half word means that a strip begins anew.
        let short = values.iter().all(|v| *v < u32::from(u16::MAX));
        let bytes = match short {
            true => values.iter().flat_map(|v| (*v as u16).to_le_bytes()).collect(),
            false => values.iter().flat_map(|v| v.to_le_bytes()).collect(),
        };
        let kind = if short { SHORT } else { WORD };
        self.add(bytes, values.len(), Use::Indices, kind, "SCALAR", json!({}))
    }

    fn add(
        &mut self,
        bytes: Vec<u8>,
        count: usize,
        what: Use,
        number: u32,
        kind: &str,
        more: Value,
    ) -> usize {
        let key = (what, number, count, bytes);
        if let Some(&accessor) = self.known.get(&key) {
            return accessor;
        }
        let bytes = &key.3;
        let mut view = json!({ "buffer": 0, "byteOffset": self.bytes.len(), "byteLength": bytes.len() });
        if what != Use::Keys {
            view["target"] = json!(what as u32);
        }
        self.bytes.extend_from_slice(bytes);
        self.bytes.resize(self.bytes.len().next_multiple_of(4), 0);
        let mut accessor =
            json!({ "bufferView": self.views.len(), "componentType": number, "count": count, "type": kind });
        if let (Value::Object(accessor), Value::Object(more)) = (&mut accessor, more) {
            accessor.extend(more);
        }
        self.views.push(view);
        self.accessors.push(accessor);
        self.known.insert(key, self.accessors.len() - 1);
        self.accessors.len() - 1
    }

    /// The file of a document that refers to these numbers.
    pub fn file(self, mut document: Value) -> Result<Vec<u8>, ExportError> {
        if !self.bytes.is_empty() {
            document["buffers"] = json!([{ "byteLength": self.bytes.len() }]);
            document["bufferViews"] = self.views.into();
            document["accessors"] = self.accessors.into();
        }
        let mut text = document.to_string().into_bytes();
        text.resize(text.len().next_multiple_of(4), b' ');
        let chunks: &[(&[u8; 4], &[u8])] = match self.bytes.is_empty() {
            true => &[(b"JSON", &text)],
            false => &[(b"JSON", &text), (b"BIN\0", &self.bytes)],
        };
        let bytes = 12 + chunks.iter().map(|(_, data)| 8 + data.len()).sum::<usize>();
        let word = |n: usize| u32::try_from(n).map_err(|_| ExportError::TooLarge { bytes });
        let mut file = Vec::with_capacity(bytes);
        file.extend_from_slice(b"glTF");
        file.extend_from_slice(&2u32.to_le_bytes());
        file.extend_from_slice(&word(bytes)?.to_le_bytes());
        for (kind, data) in chunks {
            file.extend_from_slice(&word(data.len())?.to_le_bytes());
            file.extend_from_slice(*kind);
            file.extend_from_slice(data);
        }
        Ok(file)
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn the_same_numbers_are_kept_once() {
        let mut numbers = Numbers::default();
        let points = [[1.0, 2.0, 3.0], [-1.0, 0.5, 4.0f32]];
        let first = numbers.vectors(&points, Use::Corners, true);
        assert_eq!(numbers.vectors(&points, Use::Corners, true), first);
        assert_ne!(numbers.vectors(&points, Use::Keys, true), first);
        assert_eq!(numbers.accessors[first]["min"], json!([-1.0, 0.5, 3.0]));
        assert_eq!(numbers.accessors[first]["max"], json!([1.0, 2.0, 4.0]));
        let short = numbers.indices(&[0, 1, 65_534]);
        let long = numbers.indices(&[0, 1, 65_535]);
        assert_eq!([short, long].map(|k| numbers.accessors[k]["componentType"].clone()), [5123, 5125]);
        assert_eq!(numbers.bytes.len(), 24 + 24 + 8 + 12);
    }
}
