//! Support heights of several bodies, each along its own direction: lane = vertex, body by body.

use super::lanes::{Packet, V, WIDTH, store};
use crate::separation::{Basis, Bodies, SCAN_LIMIT, support_height};
use crate::shapes::Polytope;

/// Number of blocks to scan; zero for bodies that climb.
#[inline(always)]
pub(super) fn class(body: &Polytope) -> usize {
    let count = body.lanes().count();
    if count <= SCAN_LIMIT { count.div_ceil(WIDTH) } else { 0 }
}

/// Heights of the pairs' first (`SIDE` 0) or second bodies. `shared`: the class of all of them; zero where they have none
/// in common.
#[inline(always)]
pub(super) fn support_heights<L: Packet, const SIDE: usize>(
    pairs: &[Bodies; WIDTH],
    basis: &[&Basis; WIDTH],
    n: &V<L>,
    shared: usize,
) -> L {
    if shared == 0 {
        let mut directions = [[0.0; WIDTH]; 3];
        store(n, &mut directions);
        return L::load(&heights_one_by_one(WIDTH, SIDE, pairs, basis, &directions));
    }
    let mut best = [L::splat(f64::NEG_INFINITY); WIDTH];
    for k in (0..WIDTH).step_by(2) {
        let body = |k: usize| if SIDE == 0 { pairs[k].a } else { pairs[k].b };
        // SAFETY: all bodies have `shared` blocks.
        [best[k], best[k + 1]] = unsafe {
            heights_of_two(
                [body(k).lanes().blocks(), body(k + 1).lanes().blocks()],
                [spread(n, k), spread(n, k + 1)],
                shared,
            )
        };
    }
    L::max_of_each(best)
}

/// The direction of pair `k` in all lanes.
#[inline(always)]
fn spread<L: Packet>(n: &V<L>, k: usize) -> V<L> {
    [n[0].broadcast(k), n[1].broadcast(k), n[2].broadcast(k)]
}

/// Largest heights by lanes of two bodies along directions that fill the lanes.
///
/// # Safety
/// Both bodies must have `blocks` blocks, at least one.
#[inline(always)]
unsafe fn heights_of_two<L: Packet>(
    bodies: [&[[[f64; WIDTH]; 3]]; 2],
    n: [V<L>; 2],
    blocks: usize,
) -> [L; 2] {
    let at = |k: usize, block: usize| {
        // SAFETY: promised by the caller.
        let [x, y, z] = unsafe { bodies[k].get_unchecked(block) }.each_ref().map(L::load);
        x.mul(n[k][0]).add(y.mul(n[k][1])).add(z.mul(n[k][2]))
    };
    let lowest = L::splat(f64::NEG_INFINITY);
    let mut best = [at(0, 0).max(lowest), at(1, 0).max(lowest)];
    for block in 1..blocks {
        best = [at(0, block).max(best[0]), at(1, block).max(best[1])];
    }
    best
}

/// Bodies that have nothing in common, as the single call takes them.
#[cold]
#[inline(never)]
fn heights_one_by_one(
    lanes: usize,
    side: usize,
    pairs: &[Bodies; WIDTH],
    basis: &[&Basis; WIDTH],
    n: &[[f64; WIDTH]; 3],
) -> [f64; WIDTH] {
    let mut high = [0.0; WIDTH];
    for (k, high) in high.iter_mut().enumerate().take(lanes) {
        let body = if side == 0 { pairs[k].a } else { pairs[k].b };
        *high = support_height(body, &[n[0][k], n[1][k], n[2][k]], basis[k][0][side]);
    }
    high
}
