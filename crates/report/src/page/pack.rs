//! A JSON text with the arrays to which it refers, in one buffer.

use serde::Serialize;

/// Position of an array, relative to the end of the text.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Ref {
    at: usize,
    count: usize,
    kind: &'static str,
}

/// Arrays one after the other, each at a multiple of eight bytes.
#[derive(Debug, Default)]
pub struct Pack {
    bytes: Vec<u8>,
}

impl Pack {
    fn place<const N: usize>(&mut self, kind: &'static str, values: impl Iterator<Item = [u8; N]>) -> Ref {
        self.bytes.resize(self.bytes.len().next_multiple_of(8), 0);
        let at = self.bytes.len();
        self.bytes.extend(values.flatten());
        Ref { at, count: (self.bytes.len() - at) / N, kind }
    }

    /// Numbers in single precision.
    pub fn singles(&mut self, values: impl IntoIterator<Item = f64>) -> Ref {
        self.place("f32", values.into_iter().map(|v| (v as f32).to_le_bytes()))
    }

    /// Numbers in double precision.
    pub fn doubles(&mut self, values: impl IntoIterator<Item = f64>) -> Ref {
        self.place("f64", values.into_iter().map(f64::to_le_bytes))
    }

    /// Indices.
    pub fn indices(&mut self, values: impl IntoIterator<Item = u32>) -> Ref {
        self.place("u32", values.into_iter().map(u32::to_le_bytes))
    }

    /// Bytes.
    pub fn raw(&mut self, values: impl IntoIterator<Item = u8>) -> Ref {
        self.place("u8", values.into_iter().map(|v| [v]))
    }

    /// The length of the text, the text and the arrays.
    pub fn with_text(self, text: &str) -> Vec<u8> {
        let mut all = Vec::with_capacity(text.len() + self.bytes.len() + 16);
        all.extend((text.len() as u32).to_le_bytes());
        all.extend(text.as_bytes());
        all.resize(all.len().next_multiple_of(8), 0);
        all.extend(self.bytes);
        all
    }
}
