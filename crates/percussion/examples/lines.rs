//! Writes many lines for `percussion distance`, to time it with:
//!
//! ```text
//! cargo run --release -p percussion --example lines 1000000 > lines.jsonl
//! time cargo run --release -p percussion -- distance lines.jsonl > answers.jsonl
//! ```
//!
//! Two named shapes, a cube and a hexagonal prism, stand in random places between overlap and clear distance.

use std::io::{BufWriter, Write};

use percussion_testing::Random;

fn main() -> std::io::Result<()> {
    let count = std::env::args().nth(1).and_then(|n| n.parse::<u64>().ok()).unwrap_or(1_000_000);
    let mut out = BufWriter::new(std::io::stdout().lock());
    writeln!(out, r#"{{"define":"cube","shape":{{"box":[1,1,1]}}}}"#)?;
    writeln!(out, r#"{{"define":"nut","shape":{{"prism":{{"sides":6,"side":0.5,"height":0.8}}}}}}"#)?;
    let mut random = Random::new(7);
    for _ in 0..count {
        let direction = random.vector();
        let at = direction.normalize() * (1.1 + 0.4 * random.signed());
        let [turn, other] = [0; 2].map(|_| <[f64; 3]>::from(2.0 * random.vector()));
        writeln!(
            out,
            r#"{{"a":{{"shape":"nut","position":{:?},"rotation_vector":{turn:?}}},"b":{{"shape":"cube","rotation_vector":{other:?}}}}}"#,
            [at.x, at.y, at.z]
        )?;
    }
    out.flush()
}
