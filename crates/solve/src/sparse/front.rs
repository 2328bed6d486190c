//! Elimination within a front: dense columns, of which those of the front itself are candidates for pivots.
//!
//! The columns are stored with all rows, both triangles of the candidates' square alike: a column is contiguous on either
//! side of the diagonal, and a change of order swaps rows and columns.

use crate::arithmetic::zeroed;
use crate::simd::{Kernel, Packet};
use crate::tolerances::sparse::{CANCELLED, GOOD_GROWTH, ZERO};

/// Rows and columns that the update of the rest works on at once.
const TALL: usize = 8;
const WIDE: usize = 4;

/// A pivot's inverse.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Pivot {
    One(f64),
    /// The first of two rows: diagonal, entry beside it, diagonal of the second.
    Two([f64; 3]),
    /// The second of two rows.
    Second,
}

/// A pivot found.
#[derive(Clone, Copy)]
enum PivotChoice {
    One(usize),
    Two(usize, usize),
}

/// Columns of a front while it is eliminated.
pub(super) struct Front<'a> {
    /// Column by column, `size` rows each.
    pub panel: &'a mut [f64],
    pub size: usize,
    /// Columns that may be eliminated.
    pub candidates: usize,
    /// Positions of the rows.
    pub positions: &'a mut [u32],
}

/// Elimination of a front and the update of what is left, as a kernel.
pub(super) struct EliminateFront<'a, 'b> {
    pub front: &'a mut Front<'b>,
    pub pivots: &'a mut Vec<Pivot>,
    pub products: &'a mut Vec<f64>,
    pub contribution: &'a mut [f64],
    pub packed: &'a mut Vec<f64>,
    /// The greatest growth.
    pub max_growth: f64,
}

impl Kernel for EliminateFront<'_, '_> {
    /// Columns eliminated.
    type Output = usize;

    #[inline(always)]
    fn run<P: Packet>(self) -> usize {
        let count = self.front.eliminate(self.max_growth, self.pivots, self.products);
        self.front.update_contribution(count, self.products, self.contribution, self.packed);
        count
    }
}

impl Front<'_> {
    /// Eliminates as many columns as have pivots whose growth is at most `max_growth`. `products` gets `L D` of the rows that are no
    /// candidates, column by column.
    #[inline(always)]
    pub fn eliminate(&mut self, max_growth: f64, pivots: &mut Vec<Pivot>, products: &mut Vec<f64>) -> usize {
        let mut done = 0;
        while done < self.candidates {
            match self.find_pivot(done, max_growth) {
                None => break,
                Some(PivotChoice::One(c)) => {
                    self.swap(done, c);
                    pivots.push(self.eliminate_one(done, products));
                    done += 1;
                }
                Some(PivotChoice::Two(c, r)) => {
                    self.swap(done, c);
                    // The partner may have been where the first went from.
                    let r = if r == done { c } else { r };
                    self.swap(done + 1, r);
                    pivots.push(self.eliminate_two(done, products));
                    pivots.push(Pivot::Second);
                    done += 2;
                }
            }
        }
        done
    }

    /// The rows of a column from one on.
    #[inline(always)]
    fn column(&self, from: usize, column: usize) -> &[f64] {
        &self.panel[column * self.size + from..(column + 1) * self.size]
    }

    /// The first pivot with little growth, or the one with least if that is at most `max_growth`.
    #[inline(always)]
    fn find_pivot(&self, from: usize, max_growth: f64) -> Option<PivotChoice> {
        let mut best: Option<(f64, PivotChoice)> = None;
        for c in from..self.candidates {
            let own = self.column(from, c);
            let (before, after) = (&own[..c - from], &own[c - from + 1..]);
            let (diagonal, all) = (own[c - from].abs(), largest(before).max(largest(after)));
            if diagonal > ZERO && all <= GOOD_GROWTH * diagonal {
                return Some(PivotChoice::One(c));
            }
            if diagonal.max(all) <= ZERO {
                continue;
            }
            let mut found = (f64::INFINITY, PivotChoice::One(c));
            if diagonal > ZERO {
                found.0 = all / diagonal;
            }
            if let Some((growth, partner)) = self.two_by_two_growth(from, c)
                && growth < found.0
            {
                found = (growth, PivotChoice::Two(c, partner));
            }
            if found.0 <= GOOD_GROWTH {
                return Some(found.1);
            }
            if best.as_ref().is_none_or(|(least, _)| found.0 < *least) {
                best = Some(found);
            }
        }
        best.filter(|(growth, _)| *growth <= max_growth).map(|(_, choice)| choice)
    }

    /// The growth of a pivot of two rows, of which the second is where the column's largest entry among the candidates is.
    #[inline(always)]
    fn two_by_two_growth(&self, from: usize, c: usize) -> Option<(f64, usize)> {
        let own = self.column(from, c);
        let (mut partner, mut most) = (c - from, ZERO);
        for (i, v) in own[..self.candidates - from].iter().enumerate() {
            if i != c - from && v.abs() > most {
                (partner, most) = (i, v.abs());
            }
        }
        if partner == c - from {
            return None;
        }
        let other = self.column(from, from + partner);
        let (low, high) = (partner.min(c - from), partner.max(c - from));
        let besides =
            |v: &[f64]| largest(&v[..low]).max(largest(&v[low + 1..high])).max(largest(&v[high + 1..]));
        let (first, second) = (besides(own), besides(other));
        let (a, b, d) = (own[c - from], own[partner], other[partner]);
        let determinant = (a * d - b * b).abs();
        // Both products are rounded: what is left of a cancellation is no pivot.
        if determinant <= CANCELLED * (a * d).abs().max(b * b) {
            return None;
        }
        let (a, b, d) = (a.abs(), b.abs(), d.abs());
        let growth = (d * first + b * second).max(b * first + a * second) / determinant;
        Some((growth, from + partner))
    }

    #[inline(always)]
    fn swap(&mut self, a: usize, b: usize) {
        if a == b {
            return;
        }
        let size = self.size;
        let (low, high) = (a.min(b), a.max(b));
        let (left, right) = self.panel.split_at_mut(high * size);
        left[low * size..(low + 1) * size].swap_with_slice(&mut right[..size]);
        for column in self.panel.chunks_exact_mut(size) {
            column.swap(a, b);
        }
        self.positions.swap(a, b);
    }

    #[inline(always)]
    fn eliminate_one(&mut self, k: usize, products: &mut Vec<f64>) -> Pivot {
        let (size, candidates) = (self.size, self.candidates);
        let (before, after) = self.panel.split_at_mut((k + 1) * size);
        let own = &mut before[k * size..];
        let inverse = 1.0 / own[k];
        products.extend_from_slice(&own[candidates..]);
        own[k + 1..].iter_mut().for_each(|v| *v *= inverse);
        let own = &own[k + 1..];
        for column in after.chunks_exact_mut(size).take(candidates - k - 1) {
            let factor = column[k];
            if factor != 0.0 {
                for (v, l) in column[k + 1..].iter_mut().zip(own) {
                    *v -= l * factor;
                }
            }
        }
        Pivot::One(inverse)
    }

    #[inline(always)]
    fn eliminate_two(&mut self, k: usize, products: &mut Vec<f64>) -> Pivot {
        let (size, candidates) = (self.size, self.candidates);
        let (before, after) = self.panel.split_at_mut((k + 2) * size);
        let (first, second) = before[k * size..].split_at_mut(size);
        let (a, b, d) = (first[k], first[k + 1], second[k + 1]);
        // Scaled by the entry beside the diagonal, which is not small, so that the determinant does not overflow.
        let (p, q) = (a / b, d / b);
        let common = 1.0 / (b * (p * q - 1.0));
        let inverse = [q * common, -common, p * common];
        products.extend_from_slice(&first[candidates..]);
        products.extend_from_slice(&second[candidates..]);
        first[k + 1] = 0.0;
        for (x, y) in first[k + 2..].iter_mut().zip(&mut second[k + 2..]) {
            (*x, *y) = (*x * inverse[0] + *y * inverse[1], *x * inverse[1] + *y * inverse[2]);
        }
        let (first, second) = (&first[k + 2..], &second[k + 2..]);
        for column in after.chunks_exact_mut(size).take(candidates - k - 2) {
            let (x, y) = (column[k], column[k + 1]);
            for ((v, l), m) in column[k + 2..].iter_mut().zip(first).zip(second) {
                *v -= l * x + m * y;
            }
        }
        Pivot::Two(inverse)
    }

    /// Takes `L D Lᵀ` of the rows that are no candidates from the lower triangle of the contribution block; `packed` is workspace.
    #[inline(always)]
    pub fn update_contribution(
        &self,
        done: usize,
        products: &[f64],
        contribution: &mut [f64],
        packed: &mut Vec<f64>,
    ) {
        let (size, candidates) = (self.size, self.candidates);
        let below = size - candidates;
        if done == 0 || below == 0 {
            return;
        }
        if done * below <= 16 {
            for (own, product) in self.panel.chunks_exact(size).zip(products.chunks_exact(below)) {
                for (j, column) in contribution.chunks_exact_mut(below).enumerate() {
                    let w = product[j];
                    for (v, l) in column[j..].iter_mut().zip(&own[candidates + j..]) {
                        *v -= l * w;
                    }
                }
            }
            return;
        }
        // Strips of rows, each with its part of all pivots' columns one after the other: L, then L D.
        let strips = below.div_ceil(TALL);
        let half = strips * TALL * done;
        zeroed(packed, 2 * half);
        let (lower, scaled) = packed.split_at_mut(half);
        for (p, (own, product)) in
            self.panel.chunks_exact(size).zip(products.chunks_exact(below)).take(done).enumerate()
        {
            for (to, from) in [(&mut *lower, &own[candidates..]), (&mut *scaled, product)] {
                for (s, part) in from.chunks(TALL).enumerate() {
                    let at = (s * done + p) * TALL;
                    to[at..at + part.len()].copy_from_slice(part);
                }
            }
        }
        for (t, right) in scaled.chunks_exact(TALL * done).enumerate() {
            for half in 0..TALL / WIDE {
                let first = t * TALL + half * WIDE;
                if first >= below {
                    break;
                }
                for (s, left) in lower.chunks_exact(TALL * done).enumerate().skip(t) {
                    let sums = product(left, right, half * WIDE);
                    for (c, sum) in sums.iter().enumerate().take(below - first) {
                        let column = &mut contribution[(first + c) * below..(first + c + 1) * below];
                        let end = below.min((s + 1) * TALL);
                        for (v, sum) in column[s * TALL..end].iter_mut().zip(sum) {
                            *v -= sum;
                        }
                    }
                }
            }
        }
    }
}

/// The largest absolute value.
#[inline(always)]
fn largest(values: &[f64]) -> f64 {
    let mut most = [0.0_f64; TALL];
    let strips = values.chunks_exact(TALL);
    let contribution =
        strips.remainder().iter().fold(0.0_f64, |most, v| if v.abs() > most { v.abs() } else { most });
    for strip in strips {
        for (m, v) in most.iter_mut().zip(strip) {
            *m = if v.abs() > *m { v.abs() } else { *m };
        }
    }
    most.iter().fold(contribution, |most, m| if *m > most { *m } else { most })
}

/// Products of a strip of rows with some of another's, summed over the pivots.
#[inline(always)]
fn product(left: &[f64], right: &[f64], first: usize) -> [[f64; TALL]; WIDE] {
    let mut sums = [[0.0; TALL]; WIDE];
    for (l, r) in left.chunks_exact(TALL).zip(right.chunks_exact(TALL)) {
        for (c, sum) in sums.iter_mut().enumerate() {
            let w = r[first + c];
            for (s, l) in sum.iter_mut().zip(l) {
                *s += l * w;
            }
        }
    }
    sums
}
