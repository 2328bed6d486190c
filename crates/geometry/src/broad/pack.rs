//! The order in which leaves are packed into the tree.
//!
//! A median split in space, repeated: a range of leaf nodes is cut at the multiple of the largest power of
//! the tree's width inside it that is nearest to its middle, across the axis on which the centres spread
//! most. Every node of the packed tree then is a cell of that division. Boxes much larger than most would
//! spoil the nodes of their small neighbours and come last, in nodes of their own.

use super::node::{BoxF32, WIDTH};
use super::phase::Leaf;

/// Boxes more than this many times larger than the median box are packed apart from the others.
const LARGE: f32 = 4.0;

/// A leaf to be assigned to a slot.
#[derive(Clone, Copy, Debug)]
pub(super) struct Item {
    pub bounds: BoxF32,
    pub leaf: Leaf,
    centre: [f32; 3],
    size: f32,
}

impl Item {
    pub fn new(bounds: BoxF32, leaf: Leaf) -> Self {
        let side = |k: usize| bounds.hi[k] - bounds.lo[k];
        Self {
            bounds,
            leaf,
            centre: [0, 1, 2].map(|k| 0.5 * bounds.lo[k] + 0.5 * bounds.hi[k]),
            size: side(0).max(side(1)).max(side(2)),
        }
    }
}

/// Puts the items in packed order: item `s` belongs in slot `s`.
pub(super) fn pack(items: &mut [Item]) {
    let mut start = 0;
    while start < items.len() {
        let rest = &mut items[start..];
        let middle = rest.len() / 2;
        let median = rest.select_nth_unstable_by(middle, |a, b| a.size.total_cmp(&b.size)).1.size;
        // The upper half is unsorted still: bring its ordinary boxes forward.
        let mut ordinary = middle + 1;
        for k in middle + 1..rest.len() {
            if rest[k].size <= LARGE * median {
                rest.swap(k, ordinary);
                ordinary += 1;
            }
        }
        let end = start + ordinary;
        divide(&mut items[start..end], start);
        start = end;
    }
}

/// Sorts a range of items that begins at slot `first` into cells.
fn divide(items: &mut [Item], first: usize) {
    let Some(cut) = cut(first, first + items.len()) else { return };
    let mut lo = [f32::INFINITY; 3];
    let mut hi = [f32::NEG_INFINITY; 3];
    for item in items.iter() {
        for k in 0..3 {
            lo[k] = if item.centre[k] < lo[k] { item.centre[k] } else { lo[k] };
            hi[k] = if item.centre[k] > hi[k] { item.centre[k] } else { hi[k] };
        }
    }
    let spread = [0, 1, 2].map(|k| hi[k] - lo[k]);
    let mut axis = if spread[1] > spread[0] { 1 } else { 0 };
    if spread[2] > spread[axis] {
        axis = 2;
    }
    if spread[axis] > 0.0 {
        items.select_nth_unstable_by(cut - first, |a, b| a.centre[axis].total_cmp(&b.centre[axis]));
    }
    let (left, right) = items.split_at_mut(cut - first);
    divide(left, first);
    divide(right, cut);
}

/// Where to cut the slots `first .. end`; `None` inside one node.
fn cut(first: usize, end: usize) -> Option<usize> {
    let mut power = WIDTH;
    let inside = |power: usize| (first / power + 1) * power < end;
    if !inside(power) {
        return None;
    }
    while inside(power * WIDTH) {
        power *= WIDTH;
    }
    let (low, high) = (first / power + 1, (end - 1) / power);
    // Nearest multiple to the middle.
    let middle = ((first + end) / 2 + power / 2) / power;
    Some(middle.clamp(low, high) * power)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn item(k: usize, low: [f64; 3], size: f64) -> Item {
        Item::new(BoxF32::new(low, low.map(|x| x + size)), Leaf { index: k as u32, ..Leaf::EMPTY })
    }

    /// Cubes in scrambled order on a grid of eight by eight by eight.
    fn grid() -> Vec<Item> {
        (0..512_usize)
            .map(|k| {
                let at = k * 197 % 512;
                item(k, [at % 8, at / 8 % 8, at / 64].map(|x| x as f64), 0.5)
            })
            .collect()
    }

    fn largest_side(items: &[Item]) -> f32 {
        let side = |k: usize| {
            let low = items.iter().map(|i| i.bounds.lo[k]).fold(f32::INFINITY, f32::min);
            items.iter().map(|i| i.bounds.hi[k]).fold(f32::NEG_INFINITY, f32::max) - low
        };
        side(0).max(side(1)).max(side(2))
    }

    #[test]
    fn a_grid_of_cubes_is_packed_into_cubes_of_cubes() {
        let mut items = grid();
        pack(&mut items);
        assert!(items.chunks(8).all(|node| (largest_side(node) - 1.5).abs() < 1e-4));
        assert!(items.chunks(64).all(|node| (largest_side(node) - 3.5).abs() < 1e-4));
        let mut names: Vec<u32> = items.iter().map(|i| i.leaf.index).collect();
        names.sort_unstable();
        assert!(names.iter().enumerate().all(|(k, &name)| k == name as usize), "each once");
    }

    #[test]
    fn boulders_come_last_and_leave_the_small_boxes_to_themselves() {
        let mut items = grid();
        for k in 0..40 {
            let at = |j: usize| (k * j % 7) as f64;
            items.insert(12 * k, item(512 + k, [at(1), at(2), at(3)], if k < 30 { 3.0 } else { 100.0 }));
        }
        pack(&mut items);
        assert!(items[..512].iter().all(|i| i.size < 0.6));
        assert!(items[512..542].iter().all(|i| i.size < 4.0));
        assert!(items[..512].chunks(8).all(|node| largest_side(node) < 1.6));
    }

    #[test]
    fn cuts_fall_on_borders_of_nodes() {
        for first in 0..200 {
            for end in first..400 {
                match cut(first, end) {
                    Some(at) => assert!(first < at && at < end && at % WIDTH == 0),
                    None => assert!(end <= (first / WIDTH + 1) * WIDTH),
                }
            }
        }
    }
}
