//! Vectors with two or three entries in JSON.

use std::fmt;

use nalgebra::SVector;
use percussion_geometry::{Vec2, Vec3};
use serde::de::{self, Deserialize, Deserializer, SeqAccess, Visitor};
use serde::ser::{Serialize, SerializeSeq, Serializer};

/// A vector or point of the plane or of space. The number of entries decides which.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Coordinates {
    entries: [f64; 3],
    count: u8,
}

impl Coordinates {
    /// Number of entries: two in the plane, three in space.
    pub fn dimension(&self) -> usize {
        usize::from(self.count)
    }

    /// The entries.
    pub fn as_slice(&self) -> &[f64] {
        &self.entries[..self.dimension()]
    }

    /// As a vector of `D` dimensions, if it has as many entries.
    pub fn vector<const D: usize>(&self) -> Option<SVector<f64, D>> {
        (self.dimension() == D).then(|| SVector::from_row_slice(self.as_slice()))
    }

    /// As a vector of space, if it has three entries.
    pub fn space(&self) -> Option<Vec3> {
        self.vector()
    }

    /// As a vector of the plane, if it has two entries.
    pub fn plane(&self) -> Option<Vec2> {
        self.vector()
    }
}

impl<const D: usize> From<SVector<f64, D>> for Coordinates {
    fn from(v: SVector<f64, D>) -> Self {
        const { assert!(D == 2 || D == 3, "vectors of the plane or of space") };
        Self { entries: std::array::from_fn(|k| if k < D { v[k] } else { 0.0 }), count: D as u8 }
    }
}

impl Serialize for Coordinates {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut list = serializer.serialize_seq(Some(self.dimension()))?;
        for entry in self.as_slice() {
            // Negative zero is written as zero.
            list.serialize_element(&(entry + 0.0))?;
        }
        list.end()
    }
}

impl<'de> Deserialize<'de> for Coordinates {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_seq(Entries)
    }
}

struct Entries;

impl<'de> Visitor<'de> for Entries {
    type Value = Coordinates;

    fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str("a list of two numbers (plane) or three (space)")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Coordinates, A::Error> {
        let mut entries = [0.0; 3];
        let mut count = 0;
        while let Some(entry) = list.next_element::<f64>()? {
            if count == 3 {
                return Err(de::Error::custom("more than three entries in a vector; give two or three"));
            }
            entries[count] = entry;
            count += 1;
        }
        if count < 2 {
            return Err(de::Error::custom(format!("{count} entries in a vector; give two or three")));
        }
        Ok(Coordinates { entries, count: count as u8 })
    }
}
