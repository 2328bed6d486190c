//! Colour quantisation: the palette of an animation.
//!
//! Colours are counted in cells of a cube, with their means. The box of cells whose colours differ most is cut at its
//! mean along its longest axis until there are as many boxes as colours; a few rounds of moving each colour to the
//! mean of the cells that are nearest to it follow. Counts enter by their root: the background is everywhere, and the
//! bodies matter more.

/// Bits of a channel that distinguish cells.
const BITS: usize = 6;
const CELLS: usize = 1 << (3 * BITS);
/// Rounds of moving colours to the means of what is nearest to them.
const ROUNDS: usize = 4;

/// Counts of colours.
pub struct Census {
    count: Vec<u32>,
    sum: Vec<[u64; 3]>,
}

/// A palette, and the index of its colour for each cell.
pub struct Palette {
    pub colours: Vec<[u8; 3]>,
    nearest: Vec<u8>,
}

#[derive(Clone, Copy)]
struct Cell {
    place: usize,
    weight: f64,
    mean: [f64; 3],
}

fn cell([r, g, b]: [u8; 3]) -> usize {
    let part = |v: u8| usize::from(v) >> (8 - BITS);
    part(r) << (2 * BITS) | part(g) << BITS | part(b)
}

impl Census {
    pub fn new() -> Self {
        Self { count: vec![0; CELLS], sum: vec![[0; 3]; CELLS] }
    }

    /// Counts the colours of pixels of four bytes.
    pub fn add(&mut self, pixels: &[u8]) {
        for p in pixels.as_chunks::<4>().0 {
            let place = cell([p[0], p[1], p[2]]);
            self.count[place] += 1;
            for (sum, v) in self.sum[place].iter_mut().zip(p) {
                *sum += u64::from(*v);
            }
        }
    }

    /// At most so many colours for all of them.
    pub fn palette(&self, most: usize) -> Palette {
        let cells: Vec<Cell> = (0..CELLS)
            .filter(|&place| self.count[place] > 0)
            .map(|place| {
                let n = f64::from(self.count[place]);
                Cell { place, weight: n.sqrt(), mean: self.sum[place].map(|v| v as f64 / n) }
            })
            .collect();
        let mut boxes = vec![cells.clone()];
        while boxes.len() < most {
            let widest =
                (0..boxes.len()).max_by(|&i, &j| scatter(&boxes[i]).0.total_cmp(&scatter(&boxes[j]).0));
            let Some(widest) = widest.filter(|&k| boxes[k].len() > 1) else { break };
            let (_, axis, mean) = scatter(&boxes[widest]);
            let (low, high): (Vec<Cell>, Vec<Cell>) =
                boxes[widest].iter().partition(|cell| cell.mean[axis] <= mean[axis]);
            if low.is_empty() || high.is_empty() {
                break;
            }
            boxes[widest] = low;
            boxes.push(high);
        }
        let mut colours: Vec<[f64; 3]> =
            boxes.iter().filter(|cells| !cells.is_empty()).map(|cells| scatter(cells).2).collect();
        for _ in 0..ROUNDS {
            let mut parts: Vec<Vec<Cell>> = vec![Vec::new(); colours.len()];
            for cell in &cells {
                parts[closest(&colours, &cell.mean)].push(*cell);
            }
            for (colour, part) in colours.iter_mut().zip(&parts) {
                if !part.is_empty() {
                    *colour = scatter(part).2;
                }
            }
        }
        // The color of most pixels, the background, is kept as it is.
        if let Some(common) = cells.iter().max_by_key(|cell| self.count[cell.place]) {
            let at = closest(&colours, &common.mean);
            colours[at] = common.mean.map(f64::round);
        }
        let half = (1 << (8 - BITS)) as f64 * 0.5;
        let middle = |place: usize| {
            let part = |shift: usize| ((place >> shift & ((1 << BITS) - 1)) << (8 - BITS)) as f64 + half;
            [part(2 * BITS), part(BITS), part(0)]
        };
        let mut nearest: Vec<u8> = (0..CELLS)
            .map(|place| if self.count[place] == 0 { closest(&colours, &middle(place)) as u8 } else { 0 })
            .collect();
        for cell in &cells {
            nearest[cell.place] = closest(&colours, &cell.mean) as u8;
        }
        let colours = colours.iter().map(|c| c.map(|v| v.round().clamp(0.0, 255.0) as u8)).collect();
        Palette { colours, nearest }
    }
}

impl Palette {
    /// The index of the colour of a pixel.
    pub fn of(&self, rgb: [u8; 3]) -> u8 {
        self.nearest[cell(rgb)]
    }
}

fn closest(colours: &[[f64; 3]], to: &[f64; 3]) -> usize {
    let off = |c: &[f64; 3]| -> f64 { (0..3).map(|k| (c[k] - to[k]) * (c[k] - to[k])).sum() };
    let mut best = (f64::INFINITY, 0);
    for (k, colour) in colours.iter().enumerate() {
        let here = off(colour);
        if here < best.0 {
            best = (here, k);
        }
    }
    best.1
}

/// The largest range of the colours of a box along an axis, that axis, and their mean.
fn scatter(cells: &[Cell]) -> (f64, usize, [f64; 3]) {
    let weight: f64 = cells.iter().map(|cell| cell.weight).sum();
    let mean: [f64; 3] =
        std::array::from_fn(|k| cells.iter().map(|cell| cell.weight * cell.mean[k]).sum::<f64>() / weight);
    let spread = |k: usize| -> f64 { cells.iter().map(|c| c.weight * (c.mean[k] - mean[k]).powi(2)).sum() };
    let axis = (0..3).max_by(|&i, &j| spread(i).total_cmp(&spread(j))).unwrap_or(0);
    (spread(axis), axis, mean)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn few_colours_are_kept_as_they_are() {
        let colours = [[255, 255, 255], [0, 114, 178], [230, 159, 0], [12, 14, 18]];
        let mut census = Census::new();
        for (k, [r, g, b]) in colours.into_iter().enumerate() {
            census.add(&[r, g, b, 255].repeat(1000 / (k + 1)));
        }
        let palette = census.palette(255);
        assert_eq!(palette.colours.len(), 4);
        for rgb in colours {
            assert_eq!(palette.colours[usize::from(palette.of(rgb))], rgb);
        }
    }

    #[test]
    fn shades_agree_to_a_few_levels() {
        let mut census = Census::new();
        let shades: Vec<[u8; 3]> = (0..=255).flat_map(|v| [[v, v, v], [v, v / 2, 0]]).collect();
        for [r, g, b] in &shades {
            census.add(&[*r, *g, *b, 255]);
        }
        let palette = census.palette(128);
        assert!(palette.colours.len() <= 128);
        for rgb in shades {
            let got = palette.colours[usize::from(palette.of(rgb))];
            assert!((0..3).all(|k| got[k].abs_diff(rgb[k]) <= 6), "{rgb:?} {got:?}");
        }
    }
}
