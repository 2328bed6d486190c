//! VTK's XML files: arrays as blocks of compressed bytes, in base 64, inside a document any XML parser reads.
//!
//! ```text
//! blocks, bytes of a full block, bytes of the last one (0 if full), compressed bytes of each     UInt64, in base 64
//! the compressed blocks one after the other                                                      in base 64
//! ```

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use flate2::Compression;
use flate2::write::ZlibEncoder;
use std::fmt::Write as _;
use std::io::{self, Write};

/// Bytes compressed at a time.
const BLOCK: usize = 1 << 16;
/// Code of a cell that is a point, and of one that is a triangle.
pub const VERTEX: u8 = 1;
/// See [`VERTEX`].
pub const TRIANGLE: u8 = 5;

/// The numbers of an array.
#[derive(Debug)]
pub enum Values {
    /// `Float64`, so many to a tuple.
    Floats(usize, Vec<f64>),
    /// `Float32`, so many to a tuple.
    Singles(usize, Vec<f32>),
    /// `Int32`.
    Integers(Vec<i32>),
    /// `UInt8`.
    Bytes(Vec<u8>),
}

/// A grid: points, and cells of one kind.
#[derive(Debug)]
pub struct Grid<'a> {
    /// Coordinates of the points, three each.
    pub points: Vec<f64>,
    /// Points of the cells.
    pub cells: Vec<i32>,
    /// The kind of all cells.
    pub kind: u8,
    /// Arrays with a tuple per point.
    pub from_points: Vec<(&'static str, Values)>,
    /// Arrays with a tuple per cell.
    pub of_cells: Vec<(&'static str, Values)>,
    /// Time, s.
    pub time: Option<f64>,
    /// What whole numbers in the arrays mean: the array, and a name for each number from zero.
    pub names: Vec<(&'static str, Vec<&'a str>)>,
}

impl Grid<'_> {
    /// The grid as a `.vtu` document.
    pub fn document(self) -> io::Result<String> {
        let corners = if self.kind == VERTEX { 1 } else { 3 };
        let (points, cells) = (self.points.len() / 3, self.cells.len() / corners);
        let ends = (1..=cells).map(|k| (k * corners) as i32).collect();
        let mut text = opening("UnstructuredGrid", " compressor=\"vtkZLibDataCompressor\"");
        text += "<UnstructuredGrid>\n";
        text += "<FieldData>\n";
        if let Some(time) = self.time {
            field(&mut text, "Float64", "TimeValue", &format!("{time:?}"));
        }
        for (array, names) in self.names {
            for (number, name) in names.iter().enumerate() {
                field(&mut text, "Int32", &format!("{array}:{name}"), &number.to_string());
            }
        }
        text += "</FieldData>\n";
        _ = writeln!(text, "<Piece NumberOfPoints=\"{points}\" NumberOfCells=\"{cells}\">");
        section(&mut text, "Points", vec![("points", Values::Floats(3, self.points))])?;
        let cells = vec![
            ("connectivity", Values::Integers(self.cells)),
            ("offsets", Values::Integers(ends)),
            ("types", Values::Bytes(vec![self.kind; cells])),
        ];
        section(&mut text, "Cells", cells)?;
        section(&mut text, "PointData", self.from_points)?;
        section(&mut text, "CellData", self.of_cells)?;
        text += "</Piece>\n</UnstructuredGrid>\n</VTKFile>\n";
        Ok(text)
    }
}

/// A file of a series.
#[derive(Debug)]
pub struct Entry<'a> {
    /// Time, s.
    pub time: f64,
    /// Index among the files of one instant.
    pub part: usize,
    /// Path relative to the collection.
    pub file: &'a str,
}

/// A series as a `.pvd` document.
pub fn collection<'a>(entries: impl Iterator<Item = Entry<'a>>) -> String {
    let mut text = opening("Collection", "");
    text += "<Collection>\n";
    for Entry { time, part, file } in entries {
        let file = escaped(file);
        _ = writeln!(text, "<DataSet timestep=\"{time:?}\" group=\"\" part=\"{part}\" file=\"{file}\"/>");
    }
    text + "</Collection>\n</VTKFile>\n"
}

fn opening(kind: &str, more: &str) -> String {
    format!(
        "<?xml version=\"1.0\"?>\n\
         <VTKFile type=\"{kind}\" version=\"1.0\" byte_order=\"LittleEndian\" header_type=\"UInt64\"{more}>\n"
    )
}

/// A number about the whole. Not every reader supports arrays of texts: names are names of arrays.
fn field(text: &mut String, kind: &str, name: &str, value: &str) {
    let name = escaped(name);
    _ = writeln!(
        text,
        "<DataArray type=\"{kind}\" Name=\"{name}\" NumberOfTuples=\"1\" format=\"ascii\">{value}</DataArray>"
    );
}

fn section(text: &mut String, name: &str, arrays: Vec<(&str, Values)>) -> io::Result<()> {
    _ = writeln!(text, "<{name}>");
    for (name, values) in arrays {
        let (kind, size, bytes): (_, _, Vec<u8>) = match &values {
            Values::Floats(size, v) => ("Float64", *size, v.iter().flat_map(|x| x.to_le_bytes()).collect()),
            Values::Singles(size, v) => ("Float32", *size, v.iter().flat_map(|x| x.to_le_bytes()).collect()),
            Values::Integers(v) => ("Int32", 1, v.iter().flat_map(|x| x.to_le_bytes()).collect()),
            Values::Bytes(v) => ("UInt8", 1, v.clone()),
        };
        _ = write!(text, "<DataArray type=\"{kind}\" Name=\"{name}\"");
        if size > 1 {
            _ = write!(text, " NumberOfComponents=\"{size}\"");
        }
        *text += " format=\"binary\">\n";
        packed(text, &bytes)?;
        *text += "\n</DataArray>\n";
    }
    _ = writeln!(text, "</{name}>");
    Ok(())
}

/// Bytes as blocks.
fn packed(text: &mut String, bytes: &[u8]) -> io::Result<()> {
    let blocks = bytes.chunks(BLOCK);
    let mut header = vec![blocks.len() as u64, BLOCK as u64, (bytes.len() % BLOCK) as u64];
    let mut all = Vec::new();
    for block in blocks {
        let before = all.len();
        let mut encoder = ZlibEncoder::new(&mut all, Compression::fast());
        encoder.write_all(block)?;
        encoder.finish()?;
        header.push((all.len() - before) as u64);
    }
    let header: Vec<u8> = header.iter().flat_map(|word| word.to_le_bytes()).collect();
    STANDARD.encode_string(header, text);
    STANDARD.encode_string(all, text);
    Ok(())
}

/// A text as the value of an attribute.
pub(crate) fn escaped(text: &str) -> String {
    let mut all = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '&' => all += "&amp;",
            '<' => all += "&lt;",
            '>' => all += "&gt;",
            '"' => all += "&quot;",
            // XML allows no others.
            _ if letter.is_control() => all.push(char::REPLACEMENT_CHARACTER),
            _ => all.push(letter),
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_xml_reserves_is_escaped() {
        assert_eq!(escaped("a<b & \"ç\">"), "a&lt;b &amp; &quot;ç&quot;&gt;");
        assert_eq!(escaped("a\u{1}b\nc"), "a\u{fffd}b\u{fffd}c");
    }
}
