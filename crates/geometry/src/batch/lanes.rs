//! Vector algebra of several pairs at once: lane = pair.
//!
//! Performs the operations of its namesakes in `separation/small.rs` and `separation/relative.rs` in the same order, on
//! [packets](percussion_solve::simd), so that the answers are bitwise identical.

pub(super) use percussion_solve::simd::{Packet, WIDTH};

/// One number per lane.
pub(super) type Stored = [f64; WIDTH];

/// Four neighbouring numbers of each lane's row, as four columns.
///
/// # Safety
/// Each pointer must be readable for four numbers.
#[inline(always)]
pub(super) unsafe fn columns<L: Packet>(row: impl Fn(usize) -> *const f64) -> [L; WIDTH] {
    // SAFETY: promised by the caller.
    L::transpose([0, 1, 2, 3].map(|k| L::load(unsafe { &*row(k).cast() })))
}

/// A vector per lane.
pub(super) type V<L> = [L; 3];

#[inline(always)]
pub(super) fn dot<L: Packet>(a: &V<L>, b: &V<L>) -> L {
    a[0].mul(b[0]).add(a[1].mul(b[1])).add(a[2].mul(b[2]))
}

#[inline(always)]
pub(super) fn add<L: Packet>(a: &V<L>, b: &V<L>) -> V<L> {
    [a[0].add(b[0]), a[1].add(b[1]), a[2].add(b[2])]
}

#[inline(always)]
pub(super) fn sub<L: Packet>(a: &V<L>, b: &V<L>) -> V<L> {
    [a[0].sub(b[0]), a[1].sub(b[1]), a[2].sub(b[2])]
}

#[inline(always)]
pub(super) fn scale<L: Packet>(a: &V<L>, s: L) -> V<L> {
    [a[0].mul(s), a[1].mul(s), a[2].mul(s)]
}

#[inline(always)]
pub(super) fn add_scaled<L: Packet>(a: &V<L>, b: &V<L>, s: L) -> V<L> {
    [a[0].add(b[0].mul(s)), a[1].add(b[1].mul(s)), a[2].add(b[2].mul(s))]
}

#[inline(always)]
pub(super) fn cross<L: Packet>(a: &V<L>, b: &V<L>) -> V<L> {
    let minor = |i: usize, j: usize| a[i].mul(b[j]).sub(a[j].mul(b[i]));
    [minor(1, 2), minor(2, 0), minor(0, 1)]
}

/// World components of a body vector: the columns' combination.
#[inline(always)]
pub(super) fn turned<L: Packet>(columns: &[V<L>; 3], v: &V<L>) -> V<L> {
    let row = |k: usize| columns[0][k].mul(v[0]).add(columns[1][k].mul(v[1])).add(columns[2][k].mul(v[2]));
    [row(0), row(1), row(2)]
}

/// Body components of a world vector.
#[inline(always)]
pub(super) fn unturned<L: Packet>(columns: &[V<L>; 3], v: &V<L>) -> V<L> {
    [dot(&columns[0], v), dot(&columns[1], v), dot(&columns[2], v)]
}

/// Stores the lanes of a vector, to be read one by one.
#[inline(always)]
pub(super) fn store<L: Packet>(v: &V<L>, places: &mut [Stored; 3]) {
    v[0].store(&mut places[0]);
    v[1].store(&mut places[1]);
    v[2].store(&mut places[2]);
}
