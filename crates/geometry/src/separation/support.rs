//! Support queries of the kernel: vertex scans for small polytopes, hill climbing for large ones, closed
//! forms for curved bodies.

use super::portal::{Point, SupportMap};
use super::small::{M, V, dot, sub};
use crate::shapes::{Block, Lanes, Polytope};
#[cfg(target_arch = "x86_64")]
use std::arch::x86_64::*;

/// Polytopes with more vertices than this climb instead of scanning.
pub(crate) const SCAN_LIMIT: usize = 48;

/// Largest `<n, x>` over the vertices.
#[inline(always)]
pub(crate) fn max_height(lanes: &Lanes, n: &V) -> f64 {
    let mut best = [f64::NEG_INFINITY; 4];
    for Block([x, y, z]) in lanes.aligned() {
        for l in 0..4 {
            let h = x[l] * n[0] + y[l] * n[1] + z[l] * n[2];
            best[l] = if h > best[l] { h } else { best[l] };
        }
    }
    let low = if best[0] > best[1] { best[0] } else { best[1] };
    let high = if best[2] > best[3] { best[2] } else { best[3] };
    if low > high { low } else { high }
}

/// Index of a vertex with the largest `<n, x>`. Up to twelve vertices the heights stay in registers and are compared
/// with the largest; of more, the block index rides in the four lowest mantissa bits of the heights (the vertex is then
/// furthest up to 16 units in the last place), which halves the work of a scan.
#[inline(always)]
pub(crate) fn scan(lanes: &Lanes, n: &V) -> u32 {
    match lanes.aligned() {
        [a] => scan_blocks(&[a], n),
        [a, b] => scan_blocks(&[a, b], n),
        [a, b, c] => scan_blocks(&[a, b, c], n),
        _ => tagged_scan(lanes, n),
    }
}

/// The first vertex with the largest height; filling lanes repeat vertex 0 and are never the first.
#[cfg(not(target_arch = "x86_64"))]
#[inline(always)]
fn scan_blocks<const N: usize>(blocks: &[&Block; N], n: &V) -> u32 {
    let (mut top, mut at) = (f64::NEG_INFINITY, 0);
    for (k, Block([x, y, z])) in blocks.iter().enumerate() {
        for l in 0..4 {
            let h = x[l] * n[0] + y[l] * n[1] + z[l] * n[2];
            if h > top {
                (top, at) = (h, (4 * k + l) as u32);
            }
        }
    }
    at
}

/// The first vertex with the largest height; filling lanes repeat vertex 0 and are never the first. The same operations
/// as the portable version.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
fn scan_blocks<const N: usize>(blocks: &[&Block; N], n: &V) -> u32 {
    #[inline]
    #[target_feature(enable = "sse2")]
    fn first_highest<const N: usize>(blocks: &[&Block; N], nx: f64, ny: f64, nz: f64) -> u32 {
        let n = [_mm_set1_pd(nx), _mm_set1_pd(ny), _mm_set1_pd(nz)];
        let h = blocks.map(|block| [height::<0>(block, &n), height::<2>(block, &n)]);
        let mut top = _mm_max_pd(h[0][0], h[0][1]);
        for pair in &h[1..] {
            top = _mm_max_pd(top, _mm_max_pd(pair[0], pair[1]));
        }
        let top = _mm_max_pd(top, _mm_shuffle_pd::<1>(top, top));
        // One bit for each vertex that is as high.
        let mut level = 0i32;
        for (k, pair) in h.iter().enumerate() {
            let equal = pair.map(|h| _mm_castpd_ps(_mm_cmpeq_pd(h, top)));
            level |= _mm_movemask_ps(_mm_shuffle_ps::<0b10_00_10_00>(equal[0], equal[1])) << (4 * k);
        }
        // None is where heights are no numbers.
        if level == 0 { 0 } else { level.trailing_zeros() }
    }
    // SAFETY: SSE2 belongs to every x86-64.
    unsafe { first_highest(blocks, n[0], n[1], n[2]) }
}

/// Heights of the two vertices of a block that begin at lane `L`, zero or two.
#[cfg(target_arch = "x86_64")]
#[inline]
#[target_feature(enable = "sse2")]
fn height<const L: usize>(Block([x, y, z]): &Block, n: &[__m128d; 3]) -> __m128d {
    const { assert!(L == 0 || L == 2) };
    // SAFETY: lanes L and L + 1 lie in the array, and blocks are aligned to 32 bytes: every other pair to 16.
    let two = |axis: &[f64; 4]| unsafe { _mm_load_pd(axis.as_ptr().add(L)) };
    let xy = _mm_add_pd(_mm_mul_pd(two(x), n[0]), _mm_mul_pd(two(y), n[1]));
    _mm_add_pd(xy, _mm_mul_pd(two(z), n[2]))
}

/// As [`scan`], for more than three blocks.
#[inline(always)]
fn tagged_scan(lanes: &Lanes, n: &V) -> u32 {
    const { assert!(SCAN_LIMIT / 4 <= TAG as usize) };
    let best = tagged_heights(lanes, n);
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
fn tagged_heights(lanes: &Lanes, n: &V) -> [f64; 4] {
    let mut best = [f64::NEG_INFINITY; 4];
    for (tag, Block([x, y, z])) in lanes.aligned().iter().enumerate() {
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
fn tagged_heights(lanes: &Lanes, n: &V) -> [f64; 4] {
    #[inline]
    #[target_feature(enable = "sse2")]
    fn tops(lanes: &Lanes, nx: f64, ny: f64, nz: f64) -> [f64; 4] {
        let n = [_mm_set1_pd(nx), _mm_set1_pd(ny), _mm_set1_pd(nz)];
        let value = _mm_castsi128_pd(_mm_set1_epi64x(!(TAG as i64)));
        let one = _mm_set1_epi64x(1);
        let mut tag = _mm_setzero_si128();
        let mut low = _mm_set1_pd(f64::NEG_INFINITY);
        let mut high = low;
        for block in lanes.aligned() {
            let tagged = |h: __m128d| _mm_or_pd(_mm_and_pd(h, value), _mm_castsi128_pd(tag));
            low = _mm_max_pd(low, tagged(height::<0>(block, &n)));
            high = _mm_max_pd(high, tagged(height::<2>(block, &n)));
            tag = _mm_add_epi64(tag, one);
        }
        let second = |pair: __m128d| _mm_cvtsd_f64(_mm_unpackhi_pd(pair, pair));
        [_mm_cvtsd_f64(low), second(low), _mm_cvtsd_f64(high), second(high)]
    }
    // SAFETY: SSE2 belongs to every x86-64.
    unsafe { tops(lanes, n[0], n[1], n[2]) }
}

/// Walks from `start` to a vertex none of whose neighbours is higher along `n`. Heights are compared by
/// edge vectors, whose rounding is relative to the edge: on a finely faceted body differences of heights
/// would drown. Among vertices that are level up to rounding such comparisons may run in a circle; no walk is
/// longer than the number of vertices.
#[inline(always)]
pub(crate) fn climb(polytope: &Polytope, n: &V, start: u32) -> u32 {
    // Not by address, which would keep the direction in memory for scans too.
    climb_from(polytope, n[0], n[1], n[2], start)
}

#[inline(never)]
fn climb_from(polytope: &Polytope, x: f64, y: f64, z: f64, start: u32) -> u32 {
    let n = &[x, y, z];
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
pub(crate) fn support_vertex(polytope: &Polytope, n: &V, hint: u32) -> u32 {
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
        let id = [support_vertex(self.a, n, self.hint[0]), support_vertex(self.b, &along_b, self.hint[1])];
        self.hint = id;
        self.point(id)
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    #[test]
    fn scans_of_every_size_find_the_furthest_vertex() {
        for count in 4..=SCAN_LIMIT {
            let body = Polytope::rounded(count, 0.5).unwrap();
            let lanes = body.lanes();
            for k in 0..200 {
                let (a, b) = (2.4 * k as f64, 0.01 * k as f64 - 1.0);
                let n = [(1.0 - b * b).sqrt() * a.cos(), (1.0 - b * b).sqrt() * a.sin(), b];
                let found = scan(lanes, &n) as usize;
                assert!(found < lanes.count());
                // Tags cost the heights four bits.
                let lost = if count > 12 { 16.0 * f64::EPSILON } else { 0.0 };
                assert!(
                    dot(&n, &lanes.get(found)) >= max_height(lanes, &n) - lost,
                    "{count} vertices along {n:?}"
                );
            }
        }
    }

    #[test]
    fn of_level_vertices_a_small_body_names_the_first() {
        let cube = Polytope::cube(1.0).unwrap();
        let first = (0..8).position(|v| cube.lanes().get(v)[2] > 0.0);
        assert_eq!(first, Some(scan(cube.lanes(), &[0.0, 0.0, 1.0]) as usize));
    }

    #[test]
    fn heights_that_are_no_numbers_still_name_a_vertex() {
        for count in [4, 8, 12, 13, 48] {
            let body = Polytope::rounded(count, 0.5).unwrap();
            assert!((scan(body.lanes(), &[f64::NAN, 0.0, 1.0]) as usize) < body.lanes().count());
        }
    }
}
