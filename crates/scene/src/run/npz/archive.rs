//! The zip container of `.npz` files: members are stored as they are, one after the other, then a directory.
//!
//! ```text
//! local header, name, [sizes of 64 bits], data      for each member
//! directory entry, name, [sizes of 64 bits]         for each member
//! [end of directory of 64 bits, its locator], end of directory
//! ```
//!
//! The parts in brackets are written where a size or an offset does not fit into 32 bits. Dates are left out: the same
//! members give the same bytes.

use super::array::{Array, Header, Kind};
use flate2::Crc;
use std::fs::File;
use std::io::{self, BufReader, Read, Seek, SeekFrom, Write};
use std::path::Path;

const LOCAL: u32 = 0x0403_4b50;
const ENTRY: u32 = 0x0201_4b50;
const END: u32 = 0x0605_4b50;
const END_WIDE: u32 = 0x0606_4b50;
const LOCATOR: u32 = 0x0706_4b50;
/// Tag of the extra field with sizes of 64 bits.
const WIDE: u16 = 1;
/// In place of a number that does not fit into 32 bits.
const ELSEWHERE: u32 = u32::MAX;
/// The first of January 1980, the zero of zip's calendar.
const NO_DATE: u32 = 0x0021_0000;
const LENGTH_END: u64 = 22;
const LENGTH_LOCATOR: u64 = 20;
const LENGTH_END_WIDE: u64 = 56;
const LENGTH_ENTRY: usize = 46;
const LENGTH_LOCAL: u64 = 30;
/// Bytes copied at a time.
const BLOCK: usize = 1 << 16;

/// A member of an archive.
#[derive(Clone, Debug)]
struct Member {
    name: String,
    /// Where its local header begins.
    offset: u64,
    size: u64,
    crc: u32,
}

/// Writes an archive.
#[derive(Debug)]
pub struct Writer<W> {
    out: W,
    at: u64,
    members: Vec<Member>,
    /// Numbers from here on are written with 64 bits.
    wide_from: u64,
}

impl<W: Write + Seek> Writer<W> {
    /// An archive at the beginning of a file.
    pub fn new(out: W) -> Self {
        Self { out, at: 0, members: Vec::new(), wide_from: u64::from(ELSEWHERE) }
    }

    /// Adds an array under a name without its extension.
    pub fn array(&mut self, name: &str, array: &Array) -> io::Result<()> {
        let bytes = array.bytes();
        self.member(name, bytes.len() as u64, &mut bytes.as_slice())
    }

    /// Adds an array whose data are read from elsewhere.
    pub fn stream(&mut self, name: &str, header: &Header, data: &mut impl Read) -> io::Result<()> {
        let start = header.bytes();
        let size = start.len() as u64 + header.data_size();
        self.member(name, size, &mut start.as_slice().chain(data.take(header.data_size())))
    }

    fn member(&mut self, name: &str, size: u64, data: &mut impl Read) -> io::Result<()> {
        let mut member = Member { name: format!("{name}.npy"), offset: self.at, size, crc: 0 };
        // The checksum is not known before the data have passed: the header is written again afterwards.
        self.local(&member)?;
        let mut crc = Crc::new();
        let mut block = vec![0; BLOCK];
        let mut copied = 0;
        loop {
            let n = data.read(&mut block)?;
            if n == 0 {
                break;
            }
            crc.update(&block[..n]);
            self.out.write_all(&block[..n])?;
            copied += n as u64;
        }
        if copied != size {
            return Err(io::Error::new(
                io::ErrorKind::UnexpectedEof,
                format!("{name} has {copied} of {size} bytes"),
            ));
        }
        member.crc = crc.sum();
        self.out.seek(SeekFrom::Start(member.offset))?;
        let header = self.local(&member)?;
        self.at = member.offset + header + size;
        self.out.seek(SeekFrom::Start(self.at))?;
        self.members.push(member);
        Ok(())
    }

    /// Writes the local header of a member and returns its length.
    fn local(&mut self, member: &Member) -> io::Result<u64> {
        let wide = member.size >= self.wide_from;
        let narrow = if wide { ELSEWHERE } else { member.size as u32 };
        let mut bytes = Bytes::default();
        bytes.u32(LOCAL).u16(version(wide)).u16(0).u16(0).u32(NO_DATE).u32(member.crc);
        bytes.u32(narrow).u32(narrow).u16(member.name.len() as u16).u16(if wide { 20 } else { 0 });
        bytes.text(&member.name);
        if wide {
            bytes.u16(WIDE).u16(16).u64(member.size).u64(member.size);
        }
        self.out.write_all(&bytes.0)?;
        Ok(bytes.0.len() as u64)
    }

    /// Writes the directory and gives the file back.
    pub fn finish(mut self) -> io::Result<W> {
        let mut bytes = Bytes::default();
        for member in &self.members {
            let (wide_size, wide_offset) = (member.size >= self.wide_from, member.offset >= self.wide_from);
            let narrow = if wide_size { ELSEWHERE } else { member.size as u32 };
            let offset = if wide_offset { ELSEWHERE } else { member.offset as u32 };
            let wide = 16 * u16::from(wide_size) + 8 * u16::from(wide_offset);
            let needed = version(wide > 0);
            bytes.u32(ENTRY).u16(needed).u16(needed).u16(0).u16(0).u32(NO_DATE).u32(member.crc);
            bytes.u32(narrow).u32(narrow).u16(member.name.len() as u16);
            bytes.u16(if wide > 0 { wide + 4 } else { 0 }).u16(0).u16(0).u16(0).u32(0).u32(offset);
            bytes.text(&member.name);
            if wide > 0 {
                bytes.u16(WIDE).u16(wide);
            }
            if wide_size {
                bytes.u64(member.size).u64(member.size);
            }
            if wide_offset {
                bytes.u64(member.offset);
            }
        }
        let (count, size) = (self.members.len(), bytes.0.len() as u64);
        let wide = self.at >= self.wide_from || count >= usize::from(u16::MAX);
        if wide {
            let end = self.at + size;
            bytes.u32(END_WIDE).u64(LENGTH_END_WIDE - 12).u16(version(true)).u16(version(true)).u32(0).u32(0);
            bytes.u64(count as u64).u64(count as u64).u64(size).u64(self.at);
            bytes.u32(LOCATOR).u32(0).u64(end).u32(1);
        }
        let few = if wide { u16::MAX } else { count as u16 };
        let (size, at) = if wide { (ELSEWHERE, ELSEWHERE) } else { (size as u32, self.at as u32) };
        bytes.u32(END).u16(0).u16(0).u16(few).u16(few).u32(size).u32(at).u16(0);
        self.out.write_all(&bytes.0)?;
        self.out.flush()?;
        Ok(self.out)
    }
}

/// The version of the format that a reader must support, times ten.
fn version(wide: bool) -> u16 {
    if wide { 45 } else { 20 }
}

/// Numbers as bytes, little end first.
#[derive(Default)]
struct Bytes(Vec<u8>);

impl Bytes {
    fn u16(&mut self, value: u16) -> &mut Self {
        self.0.extend_from_slice(&value.to_le_bytes());
        self
    }

    fn u32(&mut self, value: u32) -> &mut Self {
        self.0.extend_from_slice(&value.to_le_bytes());
        self
    }

    fn u64(&mut self, value: u64) -> &mut Self {
        self.0.extend_from_slice(&value.to_le_bytes());
        self
    }

    fn text(&mut self, text: &str) {
        self.0.extend_from_slice(text.as_bytes());
    }
}

/// Reads an archive that [`Writer`] wrote.
#[derive(Debug)]
pub struct Reader<R> {
    from: R,
    members: Vec<Member>,
}

impl Reader<BufReader<File>> {
    /// Opens a file.
    pub fn open(path: &Path) -> io::Result<Self> {
        Self::new(BufReader::new(File::open(path)?))
    }
}

impl<R: Read + Seek> Reader<R> {
    /// Reads the directory.
    pub fn new(mut from: R) -> io::Result<Self> {
        let length = from.seek(SeekFrom::End(0))?;
        let end = field_block(&mut from, length.checked_sub(LENGTH_END), LENGTH_END as usize, END)?;
        let (mut count, mut size, mut start) =
            (u64::from(u16_at(&end, 10)), u64::from(u32_at(&end, 12)), u64::from(u32_at(&end, 16)));
        if start == u64::from(ELSEWHERE) {
            let place = length.checked_sub(LENGTH_END + LENGTH_LOCATOR);
            let locator = field_block(&mut from, place, LENGTH_LOCATOR as usize, LOCATOR)?;
            let wide = field_block(&mut from, Some(u64_at(&locator, 8)), LENGTH_END_WIDE as usize, END_WIDE)?;
            (count, size, start) = (u64_at(&wide, 32), u64_at(&wide, 40), u64_at(&wide, 48));
        }
        if size > length {
            return Err(damaged());
        }
        let mut directory = vec![0; size as usize];
        from.seek(SeekFrom::Start(start))?;
        from.read_exact(&mut directory)?;
        let mut rest = directory.as_slice();
        let mut members = Vec::new();
        for _ in 0..count {
            let (member, after) = member(rest).ok_or_else(damaged)?;
            members.push(member);
            rest = after;
        }
        Ok(Self { from, members })
    }

    /// The names of the arrays.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.members.iter().map(|member| member.name.trim_end_matches(".npy"))
    }

    /// Reads a whole array and verifies its checksum.
    pub fn array(&mut self, name: &str) -> io::Result<Array> {
        let member = self.find(name)?;
        let mut bytes = Vec::new();
        self.data(&member)?.read_to_end(&mut bytes)?;
        let mut crc = Crc::new();
        crc.update(&bytes);
        match bytes.len() as u64 == member.size && crc.sum() == member.crc {
            true => Array::from_bytes(&bytes),
            false => Err(damaged()),
        }
    }

    /// The header of an array, and its data to be read in order; they are not verified.
    pub fn stream(&mut self, name: &str) -> io::Result<(Header, impl Read)> {
        let member = self.find(name)?;
        let mut data = self.data(&member)?;
        let header = Header::read(&mut data)?;
        Ok((header, data))
    }

    /// The rows of an array of numbers, to be read one by one in any order; they are not verified.
    pub fn rows(&mut self, name: &str) -> io::Result<Rows<'_, R>> {
        let member = self.find(name)?;
        let header = Header::read(&mut self.data(&member)?)?;
        if header.kind != Kind::Float || header.shape.is_empty() {
            return Err(damaged());
        }
        let start = self.from.stream_position()?;
        Ok(Rows { from: &mut self.from, start, next: 0, bytes: vec![0; 8 * width(&header)], header })
    }

    fn find(&self, name: &str) -> io::Result<Member> {
        let found = self.members.iter().find(|m| m.name.strip_suffix(".npy") == Some(name));
        found.cloned().ok_or_else(|| {
            io::Error::new(io::ErrorKind::InvalidData, format!("the archive has no array `{name}`"))
        })
    }

    fn data(&mut self, member: &Member) -> io::Result<io::Take<&mut R>> {
        let local = field_block(&mut self.from, Some(member.offset), LENGTH_LOCAL as usize, LOCAL)?;
        let skipped = i64::from(u16_at(&local, 26)) + i64::from(u16_at(&local, 28));
        self.from.seek(SeekFrom::Current(skipped))?;
        Ok((&mut self.from).take(member.size))
    }
}

/// Rows of an array, read one by one.
#[derive(Debug)]
pub struct Rows<'a, R> {
    from: &'a mut R,
    header: Header,
    start: u64,
    next: u64,
    bytes: Vec<u8>,
}

impl<R: Read + Seek> Rows<'_, R> {
    /// How many there are.
    pub fn count(&self) -> usize {
        self.header.shape[0]
    }

    /// The shape of each.
    pub fn shape(&self) -> &[usize] {
        &self.header.shape[1..]
    }

    /// Numbers in each.
    pub fn width(&self) -> usize {
        width(&self.header)
    }

    /// Reads row `i`.
    pub fn read(&mut self, i: usize, row: &mut Vec<f64>) -> io::Result<()> {
        let at = i as u64;
        // Rows in order are read without a seek, which keeps the buffer.
        if at != self.next {
            self.from.seek(SeekFrom::Start(self.start + at * self.bytes.len() as u64))?;
        }
        if i >= self.count() {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        self.from.read_exact(&mut self.bytes)?;
        self.next = at + 1;
        row.clear();
        row.extend(self.bytes.as_chunks::<8>().0.iter().map(|b| f64::from_le_bytes(*b)));
        Ok(())
    }
}

/// Numbers in a row.
fn width(header: &Header) -> usize {
    header.shape[1..].iter().product()
}

/// The first member of what is left of a directory, and the rest.
fn member(bytes: &[u8]) -> Option<(Member, &[u8])> {
    if bytes.len() < LENGTH_ENTRY || u32_at(bytes, 0) != ENTRY || u16_at(bytes, 10) != 0 {
        return None;
    }
    let (name, extra) = (usize::from(u16_at(bytes, 28)), usize::from(u16_at(bytes, 30)));
    let (entry, rest) = bytes.split_at_checked(LENGTH_ENTRY + name + extra)?;
    let mut extra = entry.get(LENGTH_ENTRY + name + 4..).unwrap_or_default();
    let mut wide = |narrow: u32, words: usize| -> Option<u64> {
        if narrow != ELSEWHERE {
            return Some(u64::from(narrow));
        }
        let (value, after) = extra.split_at_checked(8 * words)?;
        extra = after;
        Some(u64_at(value, 0))
    };
    Some((
        Member {
            crc: u32_at(entry, 16),
            size: wide(u32_at(entry, 24), 2)?,
            offset: wide(u32_at(entry, 42), 1)?,
            name: String::from_utf8(entry[LENGTH_ENTRY..LENGTH_ENTRY + name].to_vec()).ok()?,
        },
        rest,
    ))
}

/// Bytes at a place that must begin with a mark.
fn field_block(
    from: &mut (impl Read + Seek),
    at: Option<u64>,
    length: usize,
    mark: u32,
) -> io::Result<Vec<u8>> {
    let mut bytes = vec![0; length];
    from.seek(SeekFrom::Start(at.ok_or_else(damaged)?))?;
    from.read_exact(&mut bytes)?;
    if u32_at(&bytes, 0) == mark { Ok(bytes) } else { Err(damaged()) }
}

fn u16_at(bytes: &[u8], at: usize) -> u16 {
    u16::from_le_bytes([bytes[at], bytes[at + 1]])
}

fn u32_at(bytes: &[u8], at: usize) -> u32 {
    u32::from(u16_at(bytes, at)) | u32::from(u16_at(bytes, at + 2)) << 16
}

fn u64_at(bytes: &[u8], at: usize) -> u64 {
    u64::from(u32_at(bytes, at)) | u64::from(u32_at(bytes, at + 4)) << 32
}

fn damaged() -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, "the archive is damaged")
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Cursor;

    fn written(wide_from: u64) -> Vec<u8> {
        let mut writer = Writer::new(Cursor::new(Vec::new()));
        writer.wide_from = wide_from;
        writer.array("names", &Array::texts(&["a", "bc"])).unwrap();
        let header = Header { kind: Kind::Float, shape: vec![2, 2] };
        let data: Vec<u8> = super::super::words(&[1.0, 2.0, 3.0, 4.0]).collect();
        writer.stream("numbers", &header, &mut data.as_slice()).unwrap();
        writer.array("empty", &Array::floats(&[0, 3], &[])).unwrap();
        writer.finish().unwrap().into_inner()
    }

    #[test]
    fn archives_have_the_bytes_of_the_format() {
        let mut writer = Writer::new(Cursor::new(Vec::new()));
        let array = Array::floats(&[1], &[1.0]);
        writer.array("t", &array).unwrap();
        let bytes = writer.finish().unwrap().into_inner();
        let (npy, mut crc) = (array.bytes(), Crc::new());
        crc.update(&npy);
        let crc = crc.sum().to_le_bytes();
        let mut expected = b"PK\x03\x04\x14\0\0\0\0\0\0\0\x21\0".to_vec();
        expected.extend_from_slice(&crc);
        expected.extend_from_slice(b"\x88\0\0\0\x88\0\0\0\x05\0\0\0t.npy");
        expected.extend_from_slice(&npy);
        expected.extend_from_slice(b"PK\x01\x02\x14\0\x14\0\0\0\0\0\0\0\x21\0");
        expected.extend_from_slice(&crc);
        expected.extend_from_slice(b"\x88\0\0\0\x88\0\0\0\x05\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0t.npy");
        expected.extend_from_slice(b"PK\x05\x06\0\0\0\0\x01\0\x01\0\x33\0\0\0\xab\0\0\0\0\0");
        assert_eq!(bytes, expected);
    }

    #[test]
    fn arrays_come_back_with_narrow_and_with_wide_sizes() {
        for wide_from in [u64::from(ELSEWHERE), 200, 0] {
            let mut reader = Reader::new(Cursor::new(written(wide_from))).unwrap();
            assert_eq!(reader.names().collect::<Vec<_>>(), ["names", "numbers", "empty"]);
            assert_eq!(reader.array("names").unwrap().as_texts().unwrap(), ["a", "bc"]);
            assert_eq!(reader.array("numbers").unwrap().as_floats().unwrap(), [1.0, 2.0, 3.0, 4.0]);
            assert_eq!(reader.array("empty").unwrap().header.shape, [0, 3]);
            assert!(reader.array("nothing").is_err());
            let (header, mut data) = reader.stream("numbers").unwrap();
            let mut bytes = Vec::new();
            data.read_to_end(&mut bytes).unwrap();
            assert_eq!((header.shape.as_slice(), bytes.len()), ([2, 2].as_slice(), 32));
            drop(data);
            let (mut rows, mut row) = (reader.rows("numbers").unwrap(), Vec::new());
            assert_eq!((rows.count(), rows.width()), (2, 2));
            for (i, expected) in [(0, [1.0, 2.0]), (1, [3.0, 4.0]), (0, [1.0, 2.0]), (0, [1.0, 2.0])] {
                rows.read(i, &mut row).unwrap();
                assert_eq!(row, expected);
            }
            assert!(rows.read(2, &mut row).is_err());
            assert!(reader.rows("names").is_err());
        }
    }

    #[test]
    fn damage_is_noticed() {
        let good = written(u64::from(ELSEWHERE));
        for cut in [0, 10, good.len() / 2, good.len() - 1] {
            assert!(Reader::new(Cursor::new(good[..cut].to_vec())).is_err(), "{cut}");
        }
        let mut bad = good.clone();
        let at = bad.windows(8).position(|w| w == 3.0f64.to_le_bytes()).unwrap();
        bad[at] ^= 1;
        assert!(Reader::new(Cursor::new(bad)).unwrap().array("numbers").is_err());
        let mut short = Writer::new(Cursor::new(Vec::new()));
        let header = Header { kind: Kind::Float, shape: vec![2] };
        assert!(short.stream("x", &header, &mut [0u8; 8].as_slice()).is_err());
    }
}
