//! Arrays as `.npy` files, format 1.0.
//!
//! ```text
//! 0x93 "NUMPY" 1 0, u16 length of the header, the header, the data in C order
//! {'descr': '<f8', 'fortran_order': False, 'shape': (7, 3), }      then spaces and a line feed, to a multiple of 64 bytes
//! ```

use std::io;

const MAGIC: [u8; 8] = *b"\x93NUMPY\x01\x00";
/// Data begin at a multiple of this.
const ALIGNMENT: usize = 64;

/// Type of the elements of an array.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// `f64`.
    Float,
    /// `i64`.
    Integer,
    /// Text of at most so many characters.
    Text(usize),
}

impl Kind {
    fn descr(self) -> String {
        match self {
            Kind::Float => "<f8".into(),
            Kind::Integer => "<i8".into(),
            Kind::Text(n) => format!("<U{n}"),
        }
    }

    /// Bytes of an entry.
    pub fn size(self) -> usize {
        match self {
            Kind::Float | Kind::Integer => 8,
            Kind::Text(n) => 4 * n,
        }
    }
}

/// Header of an array.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Header {
    /// Type of its elements.
    pub kind: Kind,
    /// Shape.
    pub shape: Vec<usize>,
}

impl Header {
    /// Bytes of its data.
    pub fn data_size(&self) -> u64 {
        self.shape.iter().map(|&n| n as u64).product::<u64>() * self.kind.size() as u64
    }

    /// The bytes before the data.
    pub fn bytes(&self) -> Vec<u8> {
        let mut shape: String = self.shape.iter().map(|n| format!("{n}, ")).collect();
        // A tuple of one keeps its comma; longer ones have none at the end.
        let kept = if self.shape.len() == 1 { shape.len() - 1 } else { shape.len().saturating_sub(2) };
        shape.truncate(kept);
        let text =
            format!("{{'descr': '{}', 'fortran_order': False, 'shape': ({shape}), }}", self.kind.descr());
        let length = (MAGIC.len() + 2 + text.len() + 1).next_multiple_of(ALIGNMENT) - MAGIC.len() - 2;
        let mut bytes = MAGIC.to_vec();
        bytes.extend_from_slice(&(length as u16).to_le_bytes());
        bytes.extend_from_slice(text.as_bytes());
        bytes.resize(MAGIC.len() + 2 + length - 1, b' ');
        bytes.push(b'\n');
        bytes
    }

    /// Reads a header as [`bytes`](Self::bytes) writes it.
    pub fn read(from: &mut impl io::Read) -> io::Result<Header> {
        let mut start = [0; MAGIC.len() + 2];
        from.read_exact(&mut start)?;
        let (magic, length) = start.split_at(MAGIC.len());
        if magic != MAGIC {
            return Err(damaged("it does not begin as an array does"));
        }
        let mut text = vec![0; usize::from(u16::from_le_bytes([length[0], length[1]]))];
        from.read_exact(&mut text)?;
        let text = String::from_utf8(text).map_err(|_| damaged("its header is not text"))?;
        Self::parse(&text).ok_or_else(|| damaged("its header is of another kind"))
    }

    fn parse(text: &str) -> Option<Header> {
        let rest = text.strip_prefix("{'descr': '<")?;
        let (descr, rest) = rest.split_once('\'')?;
        let kind = match descr {
            "f8" => Kind::Float,
            "i8" => Kind::Integer,
            _ => Kind::Text(descr.strip_prefix('U')?.parse().ok()?),
        };
        let rest = rest.strip_prefix(", 'fortran_order': False, 'shape': (")?;
        let (shape, _) = rest.split_once(')')?;
        let numbers = shape.split(',').map(str::trim).filter(|n| !n.is_empty());
        Some(Header { kind, shape: numbers.map(|n| n.parse().ok()).collect::<Option<_>>()? })
    }
}

/// An array as a whole.
#[derive(Clone, Debug, PartialEq)]
pub struct Array {
    /// Its header.
    pub header: Header,
    data: Vec<u8>,
}

impl Array {
    /// An array of numbers; the shape must account for all of them.
    pub fn floats(shape: &[usize], values: &[f64]) -> Self {
        debug_assert_eq!(shape.iter().product::<usize>(), values.len());
        let header = Header { kind: Kind::Float, shape: shape.to_vec() };
        Self { header, data: words(values).collect() }
    }

    /// A list of whole numbers.
    pub fn integers(values: &[i64]) -> Self {
        let header = Header { kind: Kind::Integer, shape: vec![values.len()] };
        Self { header, data: values.iter().flat_map(|v| v.to_le_bytes()).collect() }
    }

    /// A list of words.
    pub fn texts<T: AsRef<str>>(values: &[T]) -> Self {
        // NumPy has no text of no characters.
        let longest = values.iter().map(|v| v.as_ref().chars().count()).max().unwrap_or(0).max(1);
        let mut data = Vec::with_capacity(values.len() * longest * 4);
        for (i, value) in values.iter().enumerate() {
            data.extend(value.as_ref().chars().flat_map(|c| u32::from(c).to_le_bytes()));
            data.resize((i + 1) * longest * 4, 0);
        }
        Self { header: Header { kind: Kind::Text(longest), shape: vec![values.len()] }, data }
    }

    /// The `.npy` file.
    pub fn bytes(&self) -> Vec<u8> {
        let mut bytes = self.header.bytes();
        bytes.extend_from_slice(&self.data);
        bytes
    }

    /// From a `.npy` file.
    pub fn from_bytes(mut bytes: &[u8]) -> io::Result<Self> {
        let header = Header::read(&mut bytes)?;
        match header.data_size() == bytes.len() as u64 {
            true => Ok(Self { header, data: bytes.to_vec() }),
            false => Err(damaged("its size is not that of its shape")),
        }
    }

    /// The numbers, if it holds any.
    pub fn as_floats(&self) -> io::Result<Vec<f64>> {
        match self.header.kind {
            Kind::Float => Ok(self.entries().map(f64::from_le_bytes).collect()),
            _ => Err(damaged("it does not hold numbers")),
        }
    }

    /// The whole numbers, if it holds any.
    pub fn as_integers(&self) -> io::Result<Vec<i64>> {
        match self.header.kind {
            Kind::Integer => Ok(self.entries().map(i64::from_le_bytes).collect()),
            _ => Err(damaged("it does not hold whole numbers")),
        }
    }

    /// The words, if it holds any.
    pub fn as_texts(&self) -> io::Result<Vec<String>> {
        let Kind::Text(n) = self.header.kind else { return Err(damaged("it does not hold words")) };
        let (letters, _) = self.data.as_chunks::<4>();
        let word = |letters: &[[u8; 4]]| -> Option<String> {
            letters.iter().map(|&b| u32::from_le_bytes(b)).filter(|&c| c != 0).map(char::from_u32).collect()
        };
        letters.chunks(n.max(1)).map(|w| word(w).ok_or_else(|| damaged("its words are no text"))).collect()
    }

    fn entries(&self) -> impl Iterator<Item = [u8; 8]> {
        self.data.as_chunks::<8>().0.iter().copied()
    }
}

/// The bytes of numbers.
pub(crate) fn words(values: &[f64]) -> impl Iterator<Item = u8> {
    values.iter().flat_map(|v| v.to_le_bytes())
}

fn damaged(what: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, format!("the array is damaged: {what}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headers_are_those_of_numpy_byte_by_byte() {
        let header = Header { kind: Kind::Float, shape: vec![7, 3] };
        let mut expected = b"\x93NUMPY\x01\x00\x76\x00".to_vec();
        expected.extend_from_slice(b"{'descr': '<f8', 'fortran_order': False, 'shape': (7, 3), }");
        expected.resize(127, b' ');
        expected.push(b'\n');
        assert_eq!(header.bytes(), expected);
        let text = |kind, shape: &[usize]| {
            let bytes = Header { kind, shape: shape.to_vec() }.bytes();
            assert!(bytes.len().is_multiple_of(64) && bytes.ends_with(b"\n"));
            assert_eq!(usize::from(bytes[8]) + 256 * usize::from(bytes[9]), bytes.len() - 10);
            String::from_utf8(bytes[10..].to_vec()).unwrap().trim_end().to_owned()
        };
        assert_eq!(text(Kind::Text(9), &[5]), "{'descr': '<U9', 'fortran_order': False, 'shape': (5,), }");
        assert_eq!(text(Kind::Integer, &[]), "{'descr': '<i8', 'fortran_order': False, 'shape': (), }");
        assert_eq!(
            text(Kind::Float, &[0, 2, 3, 3]),
            "{'descr': '<f8', 'fortran_order': False, 'shape': (0, 2, 3, 3), }"
        );
    }

    #[test]
    fn arrays_are_read_back_bitwise_identical() {
        let values = [0.1, -0.0, f64::MIN_POSITIVE / 8.0, 1e300, f64::NAN, -7.0];
        let back = Array::from_bytes(&Array::floats(&[2, 3], &values).bytes()).unwrap();
        assert_eq!(back.header.shape, [2, 3]);
        let bits = |values: &[f64]| values.iter().map(|v| v.to_bits()).collect::<Vec<_>>();
        assert_eq!(bits(&back.as_floats().unwrap()), bits(&values));
        let whole = [i64::MIN, -1, 0, i64::MAX];
        assert_eq!(
            Array::from_bytes(&Array::integers(&whole).bytes()).unwrap().as_integers().unwrap(),
            whole
        );
        for words in [vec!["träger", "", "λ-2", "𝔸"], vec![], vec![""]] {
            let back = Array::from_bytes(&Array::texts(&words).bytes()).unwrap();
            assert_eq!(back.as_texts().unwrap(), words);
        }
    }

    #[test]
    fn damaged_arrays_are_refused() {
        let bytes = Array::floats(&[3], &[1.0, 2.0, 3.0]).bytes();
        assert!(Array::from_bytes(&bytes[..bytes.len() - 1]).is_err());
        assert!(Array::from_bytes(&bytes[1..]).is_err());
        assert!(Array::from_bytes(b"").is_err());
        assert!(Array::from_bytes(&bytes).unwrap().as_texts().is_err());
    }
}
