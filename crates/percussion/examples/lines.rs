//! Writes many lines for `percussion distance`, to time it with:
//!
//! ```text
//! cargo run --release -p percussion --example lines 1000000 > lines.jsonl
//! time cargo run --release -p percussion -- distance lines.jsonl > answers.jsonl
//! ```
//!
//! Two named shapes, a cube and a hexagonal prism, stand in random places between overlap and clear distance.

use std::io::{BufWriter, Write};

use percussion::geometry::Vec3;

fn main() -> std::io::Result<()> {
    let count = std::env::args().nth(1).and_then(|n| n.parse::<u64>().ok()).unwrap_or(1_000_000);
    let mut out = BufWriter::new(std::io::stdout().lock());
    writeln!(out, r#"{{"define":"cube","shape":{{"box":[1,1,1]}}}}"#)?;
    writeln!(out, r#"{{"define":"nut","shape":{{"prism":{{"sides":6,"side":0.5,"height":0.8}}}}}}"#)?;
    let mut random = Random(7);
    for _ in 0..count {
        let direction = Vec3::new(random.next(), random.next(), random.next());
        let at = direction.normalize() * (1.1 + 0.4 * random.next());
        let (turn, other) = (random.vector(2.0), random.vector(2.0));
        writeln!(
            out,
            r#"{{"a":{{"shape":"nut","position":{:?},"rotation_vector":{turn:?}}},"b":{{"shape":"cube","rotation_vector":{other:?}}}}}"#,
            [at.x, at.y, at.z]
        )?;
    }
    out.flush()
}

/// A linear congruential generator: the same lines everywhere.
struct Random(u64);

impl Random {
    /// Uniform in [-1, 1).
    fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (self.0 >> 11) as f64 / (1u64 << 53) as f64 * 2.0 - 1.0
    }

    fn vector(&mut self, scale: f64) -> [f64; 3] {
        [0; 3].map(|_| scale * self.next())
    }
}
