//! Support queries of the kernel: vertex scans for small polytopes, hill climbing for large ones, closed
//! forms for curved bodies.

use super::portal::{Point, SupportMap};
use super::small::{M, V, dot, sub};
use crate::shapes::{Lanes, Polytope};

/// Polytopes with more vertices than this climb instead of scanning.
pub(crate) const SCAN_LIMIT: usize = 48;

/// Largest `<n, x>` over the vertices.
#[inline(always)]
pub(crate) fn highest(lanes: &Lanes, n: &V) -> f64 {
    let mut best = [f64::NEG_INFINITY; 4];
    for [x, y, z] in lanes.blocks() {
        for l in 0..4 {
            let h = x[l] * n[0] + y[l] * n[1] + z[l] * n[2];
            best[l] = if h > best[l] { h } else { best[l] };
        }
    }
    let low = if best[0] > best[1] { best[0] } else { best[1] };
    let high = if best[2] > best[3] { best[2] } else { best[3] };
    if low > high { low } else { high }
}

/// Index of a vertex with the largest `<n, x>`, up to 16 units in the last place of the heights: the block index
/// rides in their four lowest mantissa bits, which halves the work of a scan.
#[inline(always)]
pub(crate) fn scan(lanes: &Lanes, n: &V) -> u32 {
    const { assert!(SCAN_LIMIT / 4 <= TAG as usize) };
    let best = tagged_tops(lanes, n);
    let (low, at_low) = if best[1] > best[0] { (best[1], 1) } else { (best[0], 0) };
    let (high, at_high) = if best[3] > best[2] { (best[3], 3) } else { (best[2], 2) };
    let (top, lane) = if high > low { (high, at_high) } else { (low, at_low) };
    let index = (4 * (top.to_bits() & TAG) + lane) as u32;
    // Filling lanes repeat vertex 0.
    if (index as usize) < lanes.count() { index } else { 0 }
}

/// Mantissa bits that carry the block index.
const TAG: u64 = 15;

/// Largest tagged height in each of the four lanes.
#[cfg(not(target_arch = "x86_64"))]
#[inline(always)]
fn tagged_tops(lanes: &Lanes, n: &V) -> [f64; 4] {
    let mut best = [f64::NEG_INFINITY; 4];
    for (tag, [x, y, z]) in lanes.blocks().iter().enumerate() {
        for l in 0..4 {
            let h = x[l] * n[0] + y[l] * n[1] + z[l] * n[2];
            let h = f64::from_bits(h.to_bits() & !TAG | tag as u64);
            best[l] = if h > best[l] { h } else { best[l] };
        }
    }
    best
}

/// Largest tagged height in each of the four lanes. The same operations as the portable version, spelled out in
/// the instructions every x86-64 has: left to itself the compiler rebuilds the tags in every block.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
fn tagged_tops(lanes: &Lanes, n: &V) -> [f64; 4] {
    #[inline]
    #[target_feature(enable = "sse2")]
    fn tops(lanes: &Lanes, n: &V) -> [f64; 4] {
        use std::arch::x86_64::*;
        let (nx, ny, nz) = (_mm_set1_pd(n[0]), _mm_set1_pd(n[1]), _mm_set1_pd(n[2]));
        let value = _mm_castsi128_pd(_mm_set1_epi64x(!(TAG as i64)));
        let one = _mm_set1_epi64x(1);
        let mut tag = _mm_setzero_si128();
        let mut low = _mm_set1_pd(f64::NEG_INFINITY);
        let mut high = low;
        for [x, y, z] in lanes.blocks() {
            let height = |l: usize| {
                let xs = _mm_mul_pd(_mm_set_pd(x[l + 1], x[l]), nx);
                let xy = _mm_add_pd(xs, _mm_mul_pd(_mm_set_pd(y[l + 1], y[l]), ny));
                let h = _mm_add_pd(xy, _mm_mul_pd(_mm_set_pd(z[l + 1], z[l]), nz));
                _mm_or_pd(_mm_and_pd(h, value), _mm_castsi128_pd(tag))
            };
            low = _mm_max_pd(height(0), low);
            high = _mm_max_pd(height(2), high);
            tag = _mm_add_epi64(tag, one);
        }
        let second = |pair: __m128d| _mm_cvtsd_f64(_mm_unpackhi_pd(pair, pair));
        [_mm_cvtsd_f64(low), second(low), _mm_cvtsd_f64(high), second(high)]
    }
    // SAFETY: SSE2 belongs to every x86-64.
    unsafe { tops(lanes, n) }
}

/// Walks from `start` to a vertex none of whose neighbours is higher along `n`. Heights are compared by
/// edge vectors, whose rounding is relative to the edge: on a finely faceted body differences of heights
/// would drown. Among vertices that are level up to rounding such comparisons may run in a circle; no walk is
/// longer than the number of vertices.
#[inline(always)]
pub(crate) fn climb(polytope: &Polytope, n: &V, start: u32) -> u32 {
    let lanes = polytope.lanes();
    let mut here = if (start as usize) < lanes.count() { start } else { 0 };
    for _ in 0..lanes.count() {
        let at = lanes.get(here as usize);
        let (mut best, mut next) = (0.0, here);
        for &neighbour in polytope.neighbours(here as usize) {
            let edge = sub(&lanes.get(neighbour as usize), &at);
            let rise = dot(n, &edge);
            if rise > best {
                (best, next) = (rise, neighbour);
            }
        }
        // A rise within the rounding of its own terms is level ground.
        let edge = sub(&lanes.get(next as usize), &at);
        let terms = (n[0] * edge[0]).abs() + (n[1] * edge[1]).abs() + (n[2] * edge[2]).abs();
        if best <= 1e-15 * terms {
            break;
        }
        here = next;
    }
    here
}

/// Index of a support vertex of a polytope along `n`.
#[inline(always)]
pub(crate) fn furthest(polytope: &Polytope, n: &V, hint: u32) -> u32 {
    if polytope.lanes().count() <= SCAN_LIMIT { scan(polytope.lanes(), n) } else { climb(polytope, n, hint) }
}

/// Two polytopes: `r` turns b's frame into a's.
pub(crate) struct PolytopePair<'a> {
    pub a: &'a Polytope,
    pub b: &'a Polytope,
    pub r: M,
    /// Where the last climb ended on each body.
    pub hint: [u32; 2],
}

impl PolytopePair<'_> {
    /// The point of the Minkowski difference made of these two vertices.
    #[inline(always)]
    pub(crate) fn point(&self, id: [u32; 2]) -> Point {
        let x = self.a.lanes().get(id[0] as usize);
        let y = self.r.times(&self.b.lanes().get(id[1] as usize));
        Point { w: sub(&x, &y), x, id }
    }
}

impl SupportMap for PolytopePair<'_> {
    #[inline(always)]
    fn support(&mut self, n: &V) -> Point {
        let along_b = self.r.transposed_times(&[-n[0], -n[1], -n[2]]);
        self.hint = [furthest(self.a, n, self.hint[0]), furthest(self.b, &along_b, self.hint[1])];
        self.point(self.hint)
    }
}
