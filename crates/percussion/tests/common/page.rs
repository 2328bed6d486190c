//! Reads what a page carries, as the viewer does.
#![allow(dead_code, clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde_json::Value;
use std::fs;
use std::io::Read;
use std::path::Path;

/// The data of a page.
pub struct Page {
    /// Bytes of the file.
    pub size: usize,
    /// The text.
    pub about: Value,
    arrays: Vec<u8>,
}

impl Page {
    /// Of the page in a run folder.
    pub fn of(folder: &Path) -> Self {
        Self::read(&folder.join("report.html"))
    }

    /// Of a file.
    pub fn read(path: &Path) -> Self {
        let text = fs::read_to_string(path).unwrap();
        let data = text.split("id=\"percussion-data\" type=\"text/plain\">").nth(1).unwrap();
        let packed = STANDARD.decode(data.split("</script>").next().unwrap()).unwrap();
        Self { size: text.len(), ..Self::unpack(&packed) }
    }

    /// Of what a server answers.
    pub fn unpack(packed: &[u8]) -> Self {
        let mut bytes = Vec::new();
        flate2::read::ZlibDecoder::new(packed).read_to_end(&mut bytes).unwrap();
        let length = u32::from_le_bytes(bytes[..4].try_into().unwrap()) as usize;
        let about = serde_json::from_slice(&bytes[4..4 + length]).unwrap();
        Self { size: packed.len(), about, arrays: bytes[(4 + length).next_multiple_of(8)..].to_vec() }
    }

    /// A run of it.
    pub fn run(&self, k: usize) -> &Value {
        &self.about["runs"][k]
    }

    /// An array, as numbers.
    pub fn array(&self, place: &Value) -> Vec<f64> {
        let (at, count) = (place["at"].as_u64().unwrap() as usize, place["count"].as_u64().unwrap() as usize);
        let piece = |size: usize| self.arrays[at..at + size * count].chunks(size);
        match place["kind"].as_str().unwrap() {
            "f64" => piece(8).map(|b| f64::from_le_bytes(b.try_into().unwrap())).collect(),
            "f32" => piece(4).map(|b| f64::from(f32::from_le_bytes(b.try_into().unwrap()))).collect(),
            "u32" => piece(4).map(|b| f64::from(u32::from_le_bytes(b.try_into().unwrap()))).collect(),
            "u8" => piece(1).map(|b| f64::from(b[0])).collect(),
            kind => panic!("{kind}"),
        }
    }

    /// Placements by frame and moving body: position, quaternion (x, y, z, w).
    pub fn poses(&self, run: usize) -> Vec<Vec<[f64; 7]>> {
        let frames = &self.run(run)["frames"];
        let (low, step) = (self.array(&frames["low"]), self.array(&frames["step"]));
        let bytes = self.array(&frames["poses"]);
        let (half, count) = (bytes.len() / 2, self.array(&frames["times"]).len());
        let mut all = vec![vec![[0.0; 7]; low.len() / 7]; count];
        for row in 0..low.len() {
            let (mut before, mut last) = (0i64, 0i64);
            for (frame, placed) in all.iter_mut().enumerate() {
                let k = row * count + frame;
                let rest = bytes[k] as i64 + 256 * bytes[half + k] as i64;
                let guess = match frame {
                    0 => 0,
                    1 => last,
                    _ => 2 * last - before,
                };
                (before, last) = (last, (guess + rest).rem_euclid(65536));
                placed[row / 7][row % 7] = low[row] + step[row] * last as f64;
            }
        }
        all
    }

    /// The curve of a plot.
    pub fn curve(&self, run: usize, plot: &str, name: &str) -> Vec<f64> {
        let list = |value: &Value| value.as_array().unwrap().clone();
        let plot = list(&self.run(run)["plots"]).into_iter().find(|p| p["id"] == plot).unwrap();
        let curve = list(&plot["curves"]).into_iter().find(|c| c["name"] == name).unwrap();
        self.array(&curve["values"])
    }
}
