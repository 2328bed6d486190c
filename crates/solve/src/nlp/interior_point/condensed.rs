//! Inequalities that are eliminated: rows with the same columns together add a dense block `Σ jᵀ j / e` to the Hessian.

use crate::arithmetic::zeroed;
use crate::simd::{Instructions, Kernel, Packet};
use std::collections::HashMap;

/// Columns that are added at once.
const STRIP: usize = 4;

/// Rows with the same columns.
pub(super) struct Block {
    rows: Vec<u32>,
    columns: Vec<usize>,
    /// Entries of the Jacobian, row by row.
    entries: Vec<u32>,
    /// Where products of two columns go, the second not after the first.
    slots: Vec<u32>,
}

/// Rows of a block, with their entries.
type Members = Vec<(u32, Vec<u32>)>;

/// All blocks, with a workspace to add them.
#[derive(Default)]
pub(super) struct Condensed {
    blocks: Vec<Block>,
    workspace: Vec<f64>,
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
        let mut group_of: HashMap<Vec<usize>, usize> = HashMap::new();
        let mut row_groups: Vec<(Vec<usize>, Members)> = Vec::new();
        for row in order {
            let Some((columns, entries)) = rows.remove(&row) else { continue };
            let at = *group_of.entry(columns).or_insert_with_key(|columns| {
                row_groups.push((columns.clone(), Vec::new()));
                row_groups.len() - 1
            });
            row_groups[at].1.push((row as u32, entries));
        }
        let block = |(columns, members): (Vec<usize>, Members)| Block {
            rows: members.iter().map(|(row, _)| *row).collect(),
            entries: members.iter().flat_map(|(_, entries)| entries).copied().collect(),
            columns,
            slots: Vec::new(),
        };
        Self { blocks: row_groups.into_iter().map(block).collect(), workspace: Vec::new() }
    }

    /// Pairs of columns that blocks add to.
    pub fn places(&self) -> impl Iterator<Item = (usize, usize)> {
        self.blocks.iter().flat_map(Block::pairs)
    }

    /// Where products go, in the order of [`Condensed::places`].
    pub fn set_slots(&mut self, slots: &[usize]) {
        let mut slots = slots.iter();
        for block in &mut self.blocks {
            let width = block.columns.len();
            block.slots = slots.by_ref().take(width * (width + 1) / 2).map(|&slot| slot as u32).collect();
        }
    }

    /// Adds all blocks, with what rows are divided by.
    pub fn add(&mut self, jacobian: &[f64], divisors: &[f64], values: &mut [f64]) {
        let Self { blocks, workspace } = self;
        Instructions::detect().run(AddBlocks { blocks, workspace, jacobian, divisors, values });
    }

    /// Adds the rows' sum with given weights to the columns.
    pub fn add_rows(&mut self, jacobian: &[f64], weight: impl Fn(usize) -> f64, columns: &mut [f64]) {
        let Self { blocks, workspace } = self;
        for block in blocks {
            zeroed(workspace, block.columns.len());
            for (row, entries) in block.members() {
                let factor = weight(row);
                for (sum, &entry) in workspace.iter_mut().zip(entries) {
                    *sum += jacobian[entry as usize] * factor;
                }
            }
            for (sum, &column) in workspace.iter().zip(&block.columns) {
                columns[column] += sum;
            }
        }
    }

    /// Products of the rows with the columns' numbers.
    pub fn multiply(&mut self, jacobian: &[f64], columns: &[f64], mut put: impl FnMut(usize, f64)) {
        let Self { blocks, workspace } = self;
        for block in blocks {
            workspace.clear();
            workspace.extend(block.columns.iter().map(|&column| columns[column]));
            for (row, entries) in block.members() {
                put(row, workspace.iter().zip(entries).map(|(x, &entry)| jacobian[entry as usize] * x).sum());
            }
        }
    }
}

/// The sum of all blocks' products, as a kernel.
struct AddBlocks<'a> {
    blocks: &'a [Block],
    workspace: &'a mut Vec<f64>,
    jacobian: &'a [f64],
    divisors: &'a [f64],
    values: &'a mut [f64],
}

impl Kernel for AddBlocks<'_> {
    type Output = ();

    #[inline(always)]
    fn run<P: Packet>(self) {
        let Self { blocks, workspace, jacobian, divisors, values } = self;
        for block in blocks {
            let width = block.columns.len();
            let padded = width.next_multiple_of(STRIP);
            zeroed(workspace, (padded + block.rows.len()) * padded);
            let (sums, own) = workspace.split_at_mut(padded * padded);
            for (own, (row, entries)) in own.chunks_exact_mut(padded).zip(block.members()) {
                let factor = 1.0 / divisors[row].sqrt();
                for (value, &entry) in own.iter_mut().zip(entries) {
                    *value = jacobian[entry as usize] * factor;
                }
            }
            for a in (0..padded).step_by(STRIP) {
                for b in (0..=a).step_by(STRIP) {
                    let tile = tile(own, padded, a, b);
                    for (i, line) in tile.iter().enumerate() {
                        sums[(a + i) * padded + b..][..STRIP].copy_from_slice(line);
                    }
                }
            }
            let mut slots = block.slots.iter();
            for (a, sums) in sums.chunks_exact(padded).enumerate().take(width) {
                for ((b, sum), slot) in sums[..=a].iter().enumerate().zip(&mut slots) {
                    // Two entries at one place: their product counts twice.
                    let twice = a != b && block.columns[a] == block.columns[b];
                    values[*slot as usize] += if twice { 2.0 * sum } else { *sum };
                }
            }
        }
    }
}

/// Products of some columns with others, summed over rows.
#[inline(always)]
fn tile(rows: &[f64], width: usize, a: usize, b: usize) -> [[f64; STRIP]; STRIP] {
    let mut sums = [[0.0; STRIP]; STRIP];
    for row in rows.chunks_exact(width) {
        let (first, second) = (&row[a..a + STRIP], &row[b..b + STRIP]);
        for (sums, x) in sums.iter_mut().zip(first) {
            for (sum, y) in sums.iter_mut().zip(second) {
                *sum += x * y;
            }
        }
    }
    sums
}

impl Block {
    /// Rows with their entries.
    fn members(&self) -> impl Iterator<Item = (usize, &[u32])> {
        self.rows.iter().map(|&row| row as usize).zip(self.entries.chunks_exact(self.columns.len()))
    }

    fn pairs(&self) -> impl Iterator<Item = (usize, usize)> {
        let columns = &self.columns;
        (0..columns.len()).flat_map(move |a| (0..=a).map(move |b| (columns[a], columns[b])))
    }
}
