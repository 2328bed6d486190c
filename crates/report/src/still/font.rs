//! Letters as strokes.
//!
//! Capitals and digits are six units high, small letters four; below the line there are two. A glyph is a list of
//! strokes, each a list of points; a point after `~` pulls the curve between its neighbours towards it, as the middle
//! point of a quadratic Bézier curve.

use super::canvas::{Canvas, Stroke};

/// Width of the space, in units.
const SPACE: f64 = 2.9;
/// Between letters, in units.
const GAP: f64 = 1.25;
/// Pieces of a curve.
const PIECES: u32 = 8;
/// Shear of slanted letters.
const SLANT: f64 = 0.2;

/// Alignment of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Anchor {
    Left,
    Middle,
}

/// The strokes of a letter; a box for an unsupported one.
fn glyph(letter: char) -> &'static str {
    match letter {
        '0' => "2,0 ~0,0 0,3 ~0,6 2,6 ~4,6 4,3 ~4,0 2,0",
        '1' => "0.4,4.7 2,6 2,0",
        '2' => "0.1,4.3 ~0.1,6 2,6 ~3.9,6 3.9,4.3 ~3.9,3.2 2.2,1.9 0,0 4,0",
        '3' => {
            "0.2,4.7 ~0.5,6 2,6 ~3.7,6 3.7,4.6 ~3.7,3.2 1.6,3.2; 1.6,3.2 ~4,3.2 4,1.6 ~4,0 2,0 ~0.2,0 0,1.4"
        }
        '4' => "3,0 3,6 0,1.7 4.1,1.7",
        '5' => "3.6,6 0.6,6 0.3,3.2 ~1,3.8 2,3.8 ~4,3.8 4,1.9 ~4,0 2,0 ~0.3,0 0,1.2",
        '6' => "3.6,5 ~3.3,6 2.1,6 ~0,6 0,2.6 ~0,0 2,0 ~4,0 4,1.9 ~4,3.8 2.1,3.8 ~0.3,3.8 0,2",
        '7' => "0,6 4,6 ~2,3.4 1.4,0",
        '8' => {
            "2,3.2 ~0.3,3.2 0.3,4.6 ~0.3,6 2,6 ~3.7,6 3.7,4.6 ~3.7,3.2 2,3.2 ~0,3.2 0,1.6 ~0,0 2,0 ~4,0 4,1.6 ~4,3.2 2,3.2"
        }
        '9' => "0.4,1 ~0.7,0 1.9,0 ~4,0 4,3.4 ~4,6 2,6 ~0,6 0,4.1 ~0,2.2 1.9,2.2 ~3.7,2.2 4,4",
        '.' => "0.3,0.05 0.3,0.2",
        ',' => "0.5,0.2 0.1,-1",
        ':' => "0.3,0.1 0.3,0.25; 0.3,3.2 0.3,3.35",
        '=' => "0,2 3.8,2; 0,3.9 3.8,3.9",
        '-' => "0,2.6 2.2,2.6",
        '−' => "0,2.6 3.6,2.6",
        '+' => "0,2.9 3.8,2.9; 1.9,1 1.9,4.8",
        '/' => "0,-0.6 2.4,6.4",
        '(' => "1.3,7 ~-0.9,2.8 1.3,-1.4",
        ')' => "0,7 ~2.2,2.8 0,-1.4",
        '_' => "0,-0.8 3.6,-0.8",
        '×' => "0.2,1.3 3.2,4.3; 0.2,4.3 3.2,1.3",
        'a' => "3.4,4 3.4,0; 3.4,2.6 ~3.2,4 1.7,4 ~0,4 0,2 ~0,0 1.7,0 ~3.2,0 3.4,1.4",
        'b' => "0,6.4 0,0; 0,2.6 ~0.2,4 1.8,4 ~3.5,4 3.5,2 ~3.5,0 1.8,0 ~0.2,0 0,1.4",
        'c' => "3.2,3.1 ~2.9,4 1.8,4 ~0,4 0,2 ~0,0 1.8,0 ~2.9,0 3.2,0.9",
        'd' => "3.4,6.4 3.4,0; 3.4,2.6 ~3.2,4 1.7,4 ~0,4 0,2 ~0,0 1.7,0 ~3.2,0 3.4,1.4",
        'e' => "0.05,2.2 3.5,2.2 ~3.5,4 1.8,4 ~0,4 0,2 ~0,0 1.9,0 ~3,0 3.3,0.8",
        'f' => "2.4,6.2 ~1,6.7 1,5 1,0; 0,4 2.2,4",
        'g' => {
            "3.4,4 3.4,-0.4 ~3.4,-2 1.7,-2 ~0.6,-2 0.2,-1.3; 3.4,2.6 ~3.2,4 1.7,4 ~0,4 0,2 ~0,0 1.7,0 ~3.2,0 3.4,1.4"
        }
        'h' => "0,6.4 0,0; 0,2.5 ~0.4,4 1.8,4 ~3.2,4 3.2,2.4 3.2,0",
        'i' => "0.3,4 0.3,0; 0.3,5.6 0.3,5.75",
        'j' => "1,4 1,-1 ~1,-2 -0.2,-2; 1,5.6 1,5.75",
        'k' => "0,6.4 0,0; 3,4 0,1.6; 1.2,2.5 3.2,0",
        'l' => "0.3,6.4 0.3,0",
        'm' => "0,4 0,0; 0,2.6 ~0.3,4 1.4,4 ~2.5,4 2.5,2.5 2.5,0; 2.5,2.6 ~2.8,4 3.9,4 ~5,4 5,2.5 5,0",
        'n' => "0,4 0,0; 0,2.5 ~0.4,4 1.8,4 ~3.2,4 3.2,2.4 3.2,0",
        'o' => "1.8,0 ~0,0 0,2 ~0,4 1.8,4 ~3.6,4 3.6,2 ~3.6,0 1.8,0",
        'p' => "0,4 0,-2; 0,2.6 ~0.2,4 1.8,4 ~3.5,4 3.5,2 ~3.5,0 1.8,0 ~0.2,0 0,1.4",
        'q' => "3.4,4 3.4,-2; 3.4,2.6 ~3.2,4 1.7,4 ~0,4 0,2 ~0,0 1.7,0 ~3.2,0 3.4,1.4",
        'r' => "0,4 0,0; 0,2.3 ~0.3,4 2,3.95",
        's' => "2.9,3.3 ~2.6,4 1.5,4 ~0.2,4 0.2,3 ~0.2,2.2 1.5,2 ~3,1.8 3,1 ~3,0 1.5,0 ~0.3,0 0,0.8",
        't' => "0.9,5.4 0.9,1 ~0.9,0 2.3,0.1; 0,4 2.2,4",
        'u' => "0,4 0,1.6 ~0,0 1.4,0 ~2.9,0 3.2,1.5; 3.2,4 3.2,0",
        'v' => "0,4 1.6,0 3.2,4",
        'w' => "0,4 1.2,0 2.4,3.8 3.6,0 4.8,4",
        'x' => "0,0 3,4; 0,4 3,0",
        'y' => "0,4 1.6,0.1; 3.2,4 1.6,0.1 ~0.9,-2 -0.3,-1.9",
        'z' => "0,4 3,4 0,0 3.1,0",
        'A' => "0,0 2.2,6 4.4,0; 0.75,2 3.65,2",
        'B' => "0,0 0,6 2,6 ~3.7,6 3.7,4.6 ~3.7,3.2 2,3.2 0,3.2; 2,3.2 ~4.1,3.2 4.1,1.6 ~4.1,0 2,0 0,0",
        'C' => "4.2,4.7 ~3.8,6 2.3,6 ~0,6 0,3 ~0,0 2.3,0 ~3.8,0 4.2,1.3",
        'D' => "0,0 0,6 1.8,6 ~4.4,6 4.4,3 ~4.4,0 1.8,0 0,0",
        'E' => "3.6,6 0,6 0,0 3.7,0; 0,3.1 3.2,3.1",
        'F' => "3.6,6 0,6 0,0; 0,3.1 3.1,3.1",
        'G' => "4.2,4.7 ~3.8,6 2.3,6 ~0,6 0,3 ~0,0 2.3,0 ~4.3,0 4.3,2.7 2.5,2.7",
        'H' => "0,0 0,6; 4.1,0 4.1,6; 0,3.1 4.1,3.1",
        'I' => "0.3,0 0.3,6",
        'J' => "2.6,6 2.6,1.6 ~2.6,0 1.2,0 ~0.2,0 0,1.2",
        'K' => "0,0 0,6; 4,6 0,2.3; 1.4,3.6 4.1,0",
        'L' => "0,6 0,0 3.4,0",
        'M' => "0,0 0,6 2.5,1.4 5,6 5,0",
        'N' => "0,0 0,6 4.1,0 4.1,6",
        'O' => "2.4,0 ~0,0 0,3 ~0,6 2.4,6 ~4.8,6 4.8,3 ~4.8,0 2.4,0",
        'P' => "0,0 0,6 2,6 ~4,6 4,4.4 ~4,2.8 2,2.8 0,2.8",
        'Q' => "2.4,0 ~0,0 0,3 ~0,6 2.4,6 ~4.8,6 4.8,3 ~4.8,0 2.4,0; 2.9,1.5 4.7,-0.5",
        'R' => "0,0 0,6 2,6 ~4,6 4,4.4 ~4,2.8 2,2.8 0,2.8; 2,2.8 4.1,0",
        'S' => "3.7,4.9 ~3.4,6 2,6 ~0.3,6 0.3,4.6 ~0.3,3.5 2,3.1 ~4,2.7 4,1.5 ~4,0 2,0 ~0.3,0 0,1.3",
        'T' => "0,6 4.4,6; 2.2,6 2.2,0",
        'U' => "0,6 0,2 ~0,0 2.1,0 ~4.2,0 4.2,2 4.2,6",
        'V' => "0,6 2.2,0 4.4,6",
        'W' => "0,6 1.5,0 3.1,5.6 4.7,0 6.2,6",
        'X' => "0,0 4,6; 0,6 4,0",
        'Y' => "0,6 2.1,2.8 4.2,6; 2.1,2.8 2.1,0",
        'Z' => "0,6 4,6 0,0 4.1,0",
        ' ' => "",
        _ => "0,0 0,6 3.5,6 3.5,0 0,0",
    }
}

/// The strokes of a text from the origin to the right, and its width, in units.
fn strokes(text: &str, slanted: bool) -> (Vec<Vec<[f64; 2]>>, f64) {
    let (mut all, mut at) = (Vec::new(), 0.0);
    for letter in text.chars() {
        if letter == ' ' {
            at += SPACE;
            continue;
        }
        let mut wide: f64 = 0.0;
        for stroke in glyph(letter).split(';') {
            let mut line = trace(stroke);
            for point in &mut line {
                wide = wide.max(point[0]);
                point[0] += at + if slanted { SLANT * point[1] } else { 0.0 };
            }
            all.push(line);
        }
        at += wide + GAP;
    }
    (all, (at - GAP).max(0.0))
}

/// The points of a stroke, with its curves broken into pieces.
fn trace(stroke: &str) -> Vec<[f64; 2]> {
    let mut line: Vec<[f64; 2]> = Vec::new();
    let mut pull: Option<[f64; 2]> = None;
    for word in stroke.split_whitespace() {
        let (curved, numbers) = (word.starts_with('~'), word.trim_start_matches('~'));
        let Some((x, y)) = numbers.split_once(',') else { continue };
        let (Ok(x), Ok(y)) = (x.parse(), y.parse()) else { continue };
        if curved {
            pull = Some([x, y]);
            continue;
        }
        if let (Some(by), Some(&from)) = (pull.take(), line.last()) {
            for k in 1..PIECES {
                let t = f64::from(k) / f64::from(PIECES);
                let at = |k: usize, to: f64| {
                    // A little more than quadratic: bowls of letters are fuller than parabolas.
                    let full = by[k] + 0.12 * (by[k] - 0.5 * (from[k] + to));
                    (1.0 - t) * (1.0 - t) * from[k] + 2.0 * t * (1.0 - t) * full + t * t * to
                };
                line.push([at(0, x), at(1, y)]);
            }
        }
        line.push([x, y]);
    }
    line
}

/// Width of a text whose capitals are `size` pixels high.
pub fn width(text: &str, size: f64) -> f64 {
    strokes(text, false).1 * size / 6.0
}

/// Writes a text with its base line at a point; capitals are `size` pixels high.
pub fn write(
    canvas: &mut Canvas,
    text: &str,
    at: [f64; 2],
    anchor: Anchor,
    size: f64,
    rgb: [u8; 3],
    slanted: bool,
) {
    let (mut lines, wide) = strokes(text, slanted);
    let unit = size / 6.0;
    let shift = match anchor {
        Anchor::Left => 0.0,
        Anchor::Middle => -0.5 * wide,
    };
    for point in lines.iter_mut().flatten() {
        *point = [at[0] + (point[0] + shift) * unit, at[1] - point[1] * unit];
    }
    canvas.stroke(&lines, &Stroke::new(rgb, (0.125 * size).max(0.9)));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_glyph_can_be_read_and_stays_between_its_lines() {
        let letters = (' '..='z').filter(|c| c.is_ascii_alphanumeric()).chain("×−.,:=+-/()_".chars());
        for letter in letters {
            let (lines, wide) = strokes(&letter.to_string(), false);
            assert!(!lines.is_empty() && lines.iter().all(|line| line.len() > 1), "{letter}");
            assert!(lines.iter().flatten().all(|p| (-2.3..7.1).contains(&p[1])), "{letter}");
            assert!((0.3..6.5).contains(&wide), "{letter} {wide}");
            // All entries of the table are parsed.
            let numbers = glyph(letter).split([' ', ';', ',', '~']).filter(|w| !w.is_empty());
            assert!(numbers.clone().count() % 2 == 0, "{letter}");
            assert!(numbers.clone().all(|w| w.parse::<f64>().is_ok()), "{letter}");
        }
        assert_eq!(strokes("", false).1, 0.0);
    }

    #[test]
    fn texts_stand_where_they_are_put() {
        let ink = |anchor| {
            let mut canvas = Canvas::new(200, 40, None);
            write(&mut canvas, "HH", [100.0, 30.0], anchor, 18.0, [0, 0, 0], false);
            let picture = canvas.picture();
            let dark: Vec<usize> = (0..200 * 40).filter(|i| picture.pixels[4 * i + 3] > 127).collect();
            let columns = dark.iter().map(|i| i % 200);
            let rows = dark.iter().map(|i| i / 200);
            (columns.clone().min(), columns.max(), rows.clone().min(), rows.max())
        };
        // H is 4.1 units wide: two of them with their gap are 28.35 pixels of 3 to the unit, with a stroke of 2.25.
        assert_eq!(ink(Anchor::Left), (Some(99), Some(128), Some(11), Some(30)));
        assert_eq!(ink(Anchor::Middle), (Some(85), Some(114), Some(11), Some(30)));
        assert!((width("HH", 18.0) - 28.35).abs() < 1e-12);
    }
}
