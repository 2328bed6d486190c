//! Support heights of several bodies, each along its own direction: lane = vertex, body by body.

use super::confirm::Bodies;
use super::lanes::{MOST, V, Wide, store};
use crate::separation::{Basis, SCAN_LIMIT, support_height};
use crate::shapes::Polytope;

/// Number of blocks to scan; zero for bodies that climb.
#[inline(always)]
pub(super) fn class<L: Wide>(body: &Polytope) -> usize {
    let count = body.lanes().count();
    if count <= SCAN_LIMIT { count.div_ceil(L::LANES) } else { 0 }
}

/// Heights of the pairs' first (`SIDE` 0) or second bodies. `shared`: the class of all of them; zero where they have none
/// in common.
#[inline(always)]
pub(super) fn support_heights<L: Wide, const SIDE: usize>(
    pairs: &[Bodies; MOST],
    basis: &[&Basis; MOST],
    n: &V<L>,
    shared: usize,
) -> L {
    if shared == 0 {
        let mut directions = [[0.0; MOST]; 3];
        store(n, &mut directions);
        return L::load(&heights_one_by_one(L::LANES, SIDE, pairs, basis, &directions));
    }
    let mut best = [L::all(f64::NEG_INFINITY); MOST];
    for k in (0..L::LANES).step_by(2) {
        let body = |k: usize| if SIDE == 0 { pairs[k].a } else { pairs[k].b };
        // SAFETY: all bodies have `shared` blocks.
        [best[k], best[k + 1]] = unsafe {
            heights_of_two(
                [L::blocks(body(k)), L::blocks(body(k + 1))],
                [spread(n, k), spread(n, k + 1)],
                shared,
            )
        };
    }
    L::largest(best)
}

/// The direction of pair `k` in all lanes.
#[inline(always)]
fn spread<L: Wide>(n: &V<L>, k: usize) -> V<L> {
    [n[0].spread(k), n[1].spread(k), n[2].spread(k)]
}

/// Largest heights by lanes of two bodies along directions that fill the lanes.
///
/// # Safety
/// Both bodies must have `blocks` blocks, at least one.
#[inline(always)]
unsafe fn heights_of_two<L: Wide>(bodies: [*const f64; 2], n: [V<L>; 2], blocks: usize) -> [L; 2] {
    let at = |k: usize, block: usize| {
        // SAFETY: promised by the caller.
        let [x, y, z] = unsafe {
            let start = bodies[k].add(3 * L::LANES * block);
            [L::read(start), L::read(start.add(L::LANES)), L::read(start.add(2 * L::LANES))]
        };
        x.mul(n[k][0]).add(y.mul(n[k][1])).add(z.mul(n[k][2]))
    };
    let lowest = L::all(f64::NEG_INFINITY);
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
    pairs: &[Bodies; MOST],
    basis: &[&Basis; MOST],
    n: &[[f64; MOST]; 3],
) -> [f64; MOST] {
    let mut high = [0.0; MOST];
    for (k, high) in high.iter_mut().enumerate().take(lanes) {
        let body = if side == 0 { pairs[k].a } else { pairs[k].b };
        *high = support_height(body, &[n[0][k], n[1][k], n[2][k]], basis[k][0][side]);
    }
    high
}
