//! Inequalities that are eliminated: rows with the same columns together add a dense block `Σ jᵀ j / e` to the Hessian.

use std::collections::HashMap;

/// Rows with the same columns.
pub(super) struct Block {
    rows: Vec<u32>,
    columns: Vec<usize>,
    /// Entries of the Jacobian, by column and then by row.
    entries: Vec<u32>,
    /// Where products of two columns go, the second not after the first.
    slots: Vec<u32>,
}

/// Rows of a block, with their entries.
type Members = Vec<(u32, Vec<u32>)>;

/// All blocks, with memory to add them.
#[derive(Default)]
pub(super) struct Condensed {
    blocks: Vec<Block>,
    room: Vec<f64>,
}

impl Condensed {
    /// Of the entries (row, column) of a Jacobian in rows that are eliminated.
    pub fn new(
        jacobian: impl Iterator<Item = (usize, usize)>,
        is_eliminated: impl Fn(usize) -> bool,
    ) -> Self {
        let mut rows: HashMap<usize, (Vec<usize>, Vec<u32>)> = HashMap::new();
        let mut order = Vec::new();
        for (entry, (row, column)) in jacobian.enumerate().filter(|(_, (row, _))| is_eliminated(*row)) {
            let (columns, entries) = rows.entry(row).or_insert_with(|| {
                order.push(row);
                Default::default()
            });
            columns.push(column);
            entries.push(entry as u32);
        }
        let mut known: HashMap<Vec<usize>, usize> = HashMap::new();
        let mut groups: Vec<(Vec<usize>, Members)> = Vec::new();
        for row in order {
            let Some((columns, entries)) = rows.remove(&row) else { continue };
            let at = *known.entry(columns).or_insert_with_key(|columns| {
                groups.push((columns.clone(), Vec::new()));
                groups.len() - 1
            });
            groups[at].1.push((row as u32, entries));
        }
        let block = |(columns, members): (Vec<usize>, Members)| Block {
            rows: members.iter().map(|(row, _)| *row).collect(),
            entries: (0..columns.len())
                .flat_map(|c| members.iter().map(move |(_, entries)| entries[c]))
                .collect(),
            columns,
            slots: Vec::new(),
        };
        Self { blocks: groups.into_iter().map(block).collect(), room: Vec::new() }
    }

    pub fn is_empty(&self) -> bool {
        self.blocks.is_empty()
    }

    /// Pairs of columns, the smaller first, that blocks add to.
    pub fn places(&self) -> impl Iterator<Item = (usize, usize)> {
        self.blocks.iter().flat_map(|block| block.pairs().map(|(a, b)| (a.min(b), a.max(b))))
    }

    /// Looks up where products go.
    pub fn lay_out(&mut self, slot: impl Fn(usize, usize) -> usize) {
        for block in &mut self.blocks {
            block.slots = block.pairs().map(|(a, b)| slot(a.min(b), a.max(b)) as u32).collect();
        }
    }

    /// Adds all blocks, with what rows are divided by.
    pub fn add(&mut self, jacobian: &[f64], divisors: &[f64], values: &mut [f64]) {
        let Self { blocks, room } = self;
        for block in blocks {
            let (count, width) = (block.rows.len(), block.columns.len());
            room.clear();
            room.extend(block.rows.iter().map(|row| 1.0 / divisors[*row as usize].sqrt()));
            for own in block.entries.chunks_exact(count) {
                for (r, entry) in own.iter().enumerate() {
                    room.push(jacobian[*entry as usize] * room[r]);
                }
            }
            let weighted = &room[count..];
            let mut slots = block.slots.iter();
            for a in 0..width {
                let one = &weighted[a * count..(a + 1) * count];
                for (b, slot) in (0..=a).zip(&mut slots) {
                    let other = &weighted[b * count..(b + 1) * count];
                    let sum: f64 = one.iter().zip(other).map(|(x, y)| x * y).sum();
                    // Two entries at one place: their product counts twice.
                    let twice = a != b && block.columns[a] == block.columns[b];
                    values[*slot as usize] += if twice { 2.0 * sum } else { sum };
                }
            }
        }
    }
}

impl Block {
    fn pairs(&self) -> impl Iterator<Item = (usize, usize)> {
        let columns = &self.columns;
        (0..columns.len()).flat_map(move |a| (0..=a).map(move |b| (columns[a], columns[b])))
    }
}
