//! Sparse linear systems of blocks of six, with a symmetric pattern and any values: elimination without
//! exchanges between blocks, in an order of least degree.
//!
//! ```text
//! order:   always the block with the least degree; its neighbours become neighbours of each other
//! factor:  for each k in that order: D_k⁻¹;  L_ik = A_ik D_k⁻¹;  A_ij -= L_ik U_kj for all neighbours i, j
//! ```

use crate::simd::{Instructions, Kernel, Packet};

/// Rows and columns of a block.
pub(crate) const BLOCK: usize = 6;
use BLOCK as N;

/// A square block, row by row.
pub(crate) type Block = [[f64; N]; N];

const ZERO: Block = [[0.0; N]; N];

/// `C -= A B`
#[inline(always)]
fn subtract(c: &mut Block, a: &Block, b: &Block) {
    for (c, a) in c.iter_mut().zip(a) {
        let mut row = *c;
        for (a, b) in a.iter().zip(b) {
            for (c, b) in row.iter_mut().zip(b) {
                *c -= a * b;
            }
        }
        *c = row;
    }
}

/// `y -= A x`
#[inline(always)]
fn subtract_image(y: &mut [f64; N], a: &Block, x: &[f64; N]) {
    for (y, a) in y.iter_mut().zip(a) {
        *y -= a.iter().zip(x).map(|(a, x)| a * x).sum::<f64>();
    }
}

/// Gauss and Jordan, with exchanges of rows; nothing if the block is singular.
#[inline(always)]
fn invert(a: &Block) -> Option<Block> {
    let (mut a, mut inverse) = (*a, ZERO);
    (0..N).for_each(|i| inverse[i][i] = 1.0);
    for k in 0..N {
        let pivot = (k + 1..N).fold(k, |best, i| if a[i][k].abs() > a[best][k].abs() { i } else { best });
        if !(a[pivot][k].abs() > f64::MIN_POSITIVE) {
            return None;
        }
        a.swap(k, pivot);
        inverse.swap(k, pivot);
        let scale = 1.0 / a[k][k];
        a[k].iter_mut().chain(&mut inverse[k]).for_each(|v| *v *= scale);
        let (row, image) = (a[k], inverse[k]);
        for i in (0..N).filter(|i| *i != k) {
            let by = a[i][k];
            if by != 0.0 {
                a[i].iter_mut().zip(&row).for_each(|(v, r)| *v -= by * r);
                inverse[i].iter_mut().zip(&image).for_each(|(v, r)| *v -= by * r);
            }
        }
    }
    Some(inverse)
}

/// A matrix and its factors, with a reusable workspace.
#[derive(Clone, Debug, Default)]
pub(crate) struct BlockLu {
    /// Position of each block in the order of elimination, and the other way round.
    position: Vec<u32>,
    order: Vec<u32>,
    /// Positions after k that k is coupled with, ascending: `rows[first[k]..first[k + 1]]`.
    first: Vec<usize>,
    rows: Vec<u32>,
    /// Blocks below and to the right of the diagonal, for each entry of `rows`.
    lower: Vec<Block>,
    upper: Vec<Block>,
    diagonal: Vec<Block>,
    /// Neighbours not eliminated yet.
    neighbours: Vec<Vec<u32>>,
    merged: Vec<u32>,
    x: Vec<[f64; N]>,
}

impl BlockLu {
    /// Finds an order and the pattern of the factors for n blocks, coupled as listed.
    pub(crate) fn analyse(&mut self, n: usize, couplings: impl Iterator<Item = (u32, u32)>) {
        self.neighbours.iter_mut().for_each(Vec::clear);
        self.neighbours.resize_with(n.max(self.neighbours.len()), Vec::new);
        for (i, j) in couplings {
            self.neighbours[i as usize].push(j);
            self.neighbours[j as usize].push(i);
        }
        for list in &mut self.neighbours[..n] {
            list.sort_unstable();
            list.dedup();
        }
        self.position.clear();
        self.position.resize(n, u32::MAX);
        self.order.clear();
        self.rows.clear();
        self.first.clear();
        self.first.push(0);
        for k in 0..n {
            // The list is short.
            let left = (0..n).filter(|i| self.position[*i] == u32::MAX);
            let Some(next) = left.min_by_key(|i| self.neighbours[*i].len()) else { break };
            self.position[next] = k as u32;
            self.order.push(next as u32);
            let list = std::mem::take(&mut self.neighbours[next]);
            for &other in &list {
                let theirs = &mut self.neighbours[other as usize];
                union(theirs, &list, &mut self.merged);
                theirs.clear();
                theirs.extend(self.merged.iter().filter(|b| **b != other && **b != next as u32));
            }
            self.rows.extend_from_slice(&list);
            self.first.push(self.rows.len());
            self.neighbours[next] = list;
        }
        for k in 0..n {
            let list = &mut self.rows[self.first[k]..self.first[k + 1]];
            list.iter_mut().for_each(|b| *b = self.position[*b as usize]);
            list.sort_unstable();
        }
        self.lower.resize(self.rows.len(), ZERO);
        self.upper.resize(self.rows.len(), ZERO);
        self.diagonal.resize(n, ZERO);
        self.x.resize(n, [0.0; N]);
    }

    /// Products of blocks in an elimination of the pattern.
    pub(crate) fn products(&self) -> usize {
        self.first.windows(2).map(|ends| (ends[1] - ends[0]) * (ends[1] - ends[0] + 1)).sum()
    }

    /// The identity.
    pub(crate) fn reset(&mut self) {
        self.lower.fill(ZERO);
        self.upper.fill(ZERO);
        self.diagonal.fill(ZERO);
        for block in &mut self.diagonal {
            (0..N).for_each(|i| block[i][i] = 1.0);
        }
    }

    /// The block in row i and column j, which must be coupled.
    pub(crate) fn block(&mut self, i: usize, j: usize) -> &mut Block {
        let (p, q) = (self.position[i], self.position[j]);
        if p == q {
            return &mut self.diagonal[p as usize];
        }
        let (column, row) = (p.min(q) as usize, p.max(q));
        let list = &self.rows[self.first[column]..self.first[column + 1]];
        let at = self.first[column] + list.partition_point(|r| *r < row);
        if p > q { &mut self.lower[at] } else { &mut self.upper[at] }
    }

    /// Eliminates; false if a pivot has no inverse.
    pub(crate) fn factor(&mut self) -> bool {
        Instructions::detect().run(Factor(self))
    }

    #[inline(always)]
    fn eliminate(&mut self) -> bool {
        for k in 0..self.diagonal.len() {
            let Some(inverse) = invert(&self.diagonal[k]) else { return false };
            self.diagonal[k] = inverse;
            let range = self.first[k]..self.first[k + 1];
            for at in range.clone() {
                let mut scaled = ZERO;
                let minus = self.lower[at].map(|row| row.map(|v| -v));
                subtract(&mut scaled, &minus, &inverse);
                self.lower[at] = scaled;
            }
            // What belongs to k comes before what belongs to its neighbours.
            let end = range.end;
            let (lower, later_lower) = self.lower.split_at_mut(end);
            let (upper, later_upper) = self.upper.split_at_mut(end);
            for a in range {
                let j = self.rows[a] as usize;
                subtract(&mut self.diagonal[j], &lower[a], &upper[a]);
                // All later neighbours of k are neighbours of j, too.
                let mut at = self.first[j];
                for b in a + 1..end {
                    while self.rows[at] < self.rows[b] {
                        at += 1;
                    }
                    subtract(&mut later_lower[at - end], &lower[b], &upper[a]);
                    subtract(&mut later_upper[at - end], &lower[a], &upper[b]);
                }
            }
        }
        true
    }

    /// Solves for a right-hand side, which is overwritten.
    pub(crate) fn solve(&mut self, b: &mut [[f64; N]]) {
        Instructions::detect().run(Solve(self, b));
    }

    #[inline(always)]
    fn substitute(&mut self, b: &mut [[f64; N]]) {
        let n = self.diagonal.len();
        for (x, from) in self.x.iter_mut().zip(&self.order) {
            *x = b[*from as usize];
        }
        for k in 0..n {
            let (head, tail) = self.x.split_at_mut(k + 1);
            for at in self.first[k]..self.first[k + 1] {
                subtract_image(&mut tail[self.rows[at] as usize - k - 1], &self.lower[at], &head[k]);
            }
        }
        for k in (0..n).rev() {
            let mut sum = self.x[k];
            for at in self.first[k]..self.first[k + 1] {
                subtract_image(&mut sum, &self.upper[at], &self.x[self.rows[at] as usize]);
            }
            let mut minus = [0.0; N];
            subtract_image(&mut minus, &self.diagonal[k], &sum);
            self.x[k] = minus.map(|v| -v);
        }
        for (x, to) in self.x.iter().zip(&self.order) {
            b[*to as usize] = *x;
        }
    }
}

/// [`BlockLu::eliminate`] as a kernel.
struct Factor<'a>(&'a mut BlockLu);

impl Kernel for Factor<'_> {
    type Output = bool;

    #[inline(always)]
    fn run<P: Packet>(self) -> bool {
        self.0.eliminate()
    }
}

/// [`BlockLu::substitute`] as a kernel.
struct Solve<'a>(&'a mut BlockLu, &'a mut [[f64; N]]);

impl Kernel for Solve<'_> {
    type Output = ();

    #[inline(always)]
    fn run<P: Packet>(self) {
        self.0.substitute(self.1);
    }
}

/// Merges ascending lists.
fn union(a: &[u32], b: &[u32], into: &mut Vec<u32>) {
    into.clear();
    let (mut i, mut j) = (0, 0);
    while i < a.len() || j < b.len() {
        let (p, q) = (a.get(i).copied().unwrap_or(u32::MAX), b.get(j).copied().unwrap_or(u32::MAX));
        into.push(p.min(q));
        i += usize::from(p <= q);
        j += usize::from(q <= p);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_grid_of_blocks_is_solved_to_rounding() {
        let (side, mut seed) = (5_usize, 1.0_f64);
        let n = side * side;
        let mut couplings = vec![];
        for i in 0..n {
            if i % side > 0 {
                couplings.push((i as u32, i as u32 - 1));
            }
            if i >= side {
                couplings.push((i as u32 - side as u32, i as u32));
            }
        }
        let mut factors = BlockLu::default();
        for round in 0..2 {
            factors.analyse(n, couplings.iter().copied());
            factors.reset();
            let mut dense = nalgebra::DMatrix::<f64>::identity(N * n, N * n);
            let pairs = couplings.iter().flat_map(|&(i, j)| [(i, j), (j, i), (i, i), (j, j)]);
            for (i, j) in pairs {
                let block = factors.block(i as usize, j as usize);
                for r in 0..N {
                    for c in 0..N {
                        seed = (seed * 1.7 + 0.3).sin() * 3.0;
                        let value = 0.1 * seed + if i == j && r == c { 2.0 } else { 0.0 };
                        block[r][c] += value;
                        dense[(N * i as usize + r, N * j as usize + c)] += value;
                    }
                }
            }
            let x: Vec<[f64; N]> =
                (0..n).map(|i| [0, 1, 2, 3, 4, 5].map(|k| ((i + k + round) as f64).cos())).collect();
            let image = &dense * nalgebra::DVector::from_column_slice(x.as_flattened());
            let mut b: Vec<[f64; N]> =
                image.as_slice().chunks_exact(N).map(|c| [0, 1, 2, 3, 4, 5].map(|k| c[k])).collect();
            assert!(factors.factor());
            factors.solve(&mut b);
            let error = b
                .as_flattened()
                .iter()
                .zip(x.as_flattened())
                .fold(0.0, |m: f64, (a, b)| m.max((a - b).abs()));
            assert!(error < 1e-11, "{error:e}");
            // Less fill than a band: nested rows of five would have 25 * 5.
            assert!(factors.rows.len() < 25 * 5, "{}", factors.rows.len());
        }
    }
}
