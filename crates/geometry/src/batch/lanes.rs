//! Arithmetic of several pairs at once: lane = pair.
//!
//! [`Wide`] is what a vector register can do; the vector algebra over it performs the operations of its namesakes in
//! `separation/small.rs` and `separation/relative.rs` in the same order, without fused multiply-add, so that the bits
//! agree whatever the width.

use crate::shapes::Polytope;
use std::arch::x86_64::__m256d;

/// The most lanes a register has.
pub(super) const MOST: usize = 4;

/// Numbers of as many lanes as there are, the others unused.
pub(super) type Stored = [f64; MOST];

/// A register of numbers, one per pair.
///
/// Methods compile to the instructions they name only when inlined into a function with the register's target feature;
/// they must be called from such functions alone.
pub(super) trait Wide: Copy {
    /// Number of lanes: a power of two, at most [`MOST`].
    const LANES: usize;
    /// One bit per lane.
    type Mask: Copy;

    fn all(value: f64) -> Self;
    fn add(self, other: Self) -> Self;
    fn sub(self, other: Self) -> Self;
    fn mul(self, other: Self) -> Self;
    fn div(self, other: Self) -> Self;
    fn sqrt(self) -> Self;
    fn negated(self) -> Self;
    fn absolute(self) -> Self;
    /// The larger; `other` where one of them is not a number.
    fn max(self, other: Self) -> Self;

    fn greater(self, other: Self) -> Self::Mask;
    fn at_least(self, other: Self) -> Self::Mask;
    fn both(a: Self::Mask, b: Self::Mask) -> Self::Mask;
    /// Bit `k` for lane `k`.
    fn bits(mask: Self::Mask) -> u32;
    /// Zero where the mask is not set.
    fn only(self, mask: Self::Mask) -> Self;

    /// # Safety
    /// As many numbers as there are lanes must be readable.
    unsafe fn read(from: *const f64) -> Self;
    fn load(values: &Stored) -> Self {
        // SAFETY: there are at least as many numbers as lanes.
        unsafe { Self::read(values.as_ptr()) }
    }
    fn store(self, values: &mut Stored);

    /// Four neighbouring numbers of each lane's row, as four columns.
    ///
    /// # Safety
    /// Each pointer must be readable for four numbers.
    unsafe fn columns(row: impl Fn(usize) -> *const f64) -> [Self; 4];

    /// The number of lane `k` in all lanes.
    fn spread(self, k: usize) -> Self;

    /// The rows of four columns; those beyond the lanes are meaningless.
    fn rows(columns: [Self; 4]) -> [__m256d; MOST];

    /// Largest of the numbers of each register; registers beyond the lanes are ignored.
    fn largest(of: [Self; MOST]) -> Self;

    /// A polytope's vertices in blocks of as many as there are lanes: all `x`, all `y`, all `z`.
    fn blocks(body: &Polytope) -> *const f64;
}

/// A vector per lane.
pub(super) type V<L> = [L; 3];

#[inline(always)]
pub(super) fn dot<L: Wide>(a: &V<L>, b: &V<L>) -> L {
    a[0].mul(b[0]).add(a[1].mul(b[1])).add(a[2].mul(b[2]))
}

#[inline(always)]
pub(super) fn add<L: Wide>(a: &V<L>, b: &V<L>) -> V<L> {
    [a[0].add(b[0]), a[1].add(b[1]), a[2].add(b[2])]
}

#[inline(always)]
pub(super) fn sub<L: Wide>(a: &V<L>, b: &V<L>) -> V<L> {
    [a[0].sub(b[0]), a[1].sub(b[1]), a[2].sub(b[2])]
}

#[inline(always)]
pub(super) fn scale<L: Wide>(a: &V<L>, s: L) -> V<L> {
    [a[0].mul(s), a[1].mul(s), a[2].mul(s)]
}

#[inline(always)]
pub(super) fn add_scaled<L: Wide>(a: &V<L>, b: &V<L>, s: L) -> V<L> {
    [a[0].add(b[0].mul(s)), a[1].add(b[1].mul(s)), a[2].add(b[2].mul(s))]
}

#[inline(always)]
pub(super) fn cross<L: Wide>(a: &V<L>, b: &V<L>) -> V<L> {
    let minor = |i: usize, j: usize| a[i].mul(b[j]).sub(a[j].mul(b[i]));
    [minor(1, 2), minor(2, 0), minor(0, 1)]
}

/// World components of a body vector: the columns' combination.
#[inline(always)]
pub(super) fn turned<L: Wide>(columns: &[V<L>; 3], v: &V<L>) -> V<L> {
    let row = |k: usize| columns[0][k].mul(v[0]).add(columns[1][k].mul(v[1])).add(columns[2][k].mul(v[2]));
    [row(0), row(1), row(2)]
}

/// Body components of a world vector.
#[inline(always)]
pub(super) fn unturned<L: Wide>(columns: &[V<L>; 3], v: &V<L>) -> V<L> {
    [dot(&columns[0], v), dot(&columns[1], v), dot(&columns[2], v)]
}

/// Stores the lanes of a vector, to be read one by one.
#[inline(always)]
pub(super) fn store<L: Wide>(v: &V<L>, places: &mut [Stored; 3]) {
    v[0].store(&mut places[0]);
    v[1].store(&mut places[1]);
    v[2].store(&mut places[2]);
}
