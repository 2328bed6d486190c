//! Warm confirmation of four polytope pairs at once, in the lanes of AVX2 registers.
//!
//! The portal arithmetic runs across pairs (lane = pair); the support scans run across vertices (lane = vertex),
//! pair by pair, because each pair has its own bodies. Operation for operation this is `confirm` in
//! `separation/polytope.rs`: no fused multiply-add, no reordered sums, so that the bits agree.

use super::{BatchAnswer, BatchPair, one};
use crate::separation::{Options, Outcome, SCAN_LIMIT, Separation, WARM_WEIGHT, Warm, top_by_climbing};
use crate::shapes::{Polytope, Solid};
use crate::{Pose, Vec3, tolerance};
use std::arch::x86_64::*;

/// Four lanes.
type L = __m256d;
/// A vector per lane.
type V = [L; 3];

#[inline]
#[target_feature(enable = "avx2")]
fn all(value: f64) -> L {
    _mm256_set1_pd(value)
}

#[inline]
#[target_feature(enable = "avx2")]
fn dot(a: &V, b: &V) -> L {
    let xy = _mm256_add_pd(_mm256_mul_pd(a[0], b[0]), _mm256_mul_pd(a[1], b[1]));
    _mm256_add_pd(xy, _mm256_mul_pd(a[2], b[2]))
}

#[inline]
#[target_feature(enable = "avx2")]
fn sub(a: &V, b: &V) -> V {
    [_mm256_sub_pd(a[0], b[0]), _mm256_sub_pd(a[1], b[1]), _mm256_sub_pd(a[2], b[2])]
}

#[inline]
#[target_feature(enable = "avx2")]
fn scale(a: &V, s: L) -> V {
    [_mm256_mul_pd(a[0], s), _mm256_mul_pd(a[1], s), _mm256_mul_pd(a[2], s)]
}

#[inline]
#[target_feature(enable = "avx2")]
fn add_scaled(a: &V, b: &V, s: L) -> V {
    let add = |k: usize| _mm256_add_pd(a[k], _mm256_mul_pd(b[k], s));
    [add(0), add(1), add(2)]
}

#[inline]
#[target_feature(enable = "avx2")]
fn cross(a: &V, b: &V) -> V {
    let minor = |i: usize, j: usize| _mm256_sub_pd(_mm256_mul_pd(a[i], b[j]), _mm256_mul_pd(a[j], b[i]));
    [minor(1, 2), minor(2, 0), minor(0, 1)]
}

#[inline]
#[target_feature(enable = "avx2")]
fn negated(a: L) -> L {
    _mm256_xor_pd(a, all(-0.0))
}

/// World components of a body vector: the columns' combination.
#[inline]
#[target_feature(enable = "avx2")]
fn turned(columns: &[V; 3], v: &V) -> V {
    let row = |k: usize| {
        let xy = _mm256_add_pd(_mm256_mul_pd(columns[0][k], v[0]), _mm256_mul_pd(columns[1][k], v[1]));
        _mm256_add_pd(xy, _mm256_mul_pd(columns[2][k], v[2]))
    };
    [row(0), row(1), row(2)]
}

/// Body components of a world vector.
#[inline]
#[target_feature(enable = "avx2")]
fn unturned(columns: &[V; 3], v: &V) -> V {
    [dot(&columns[0], v), dot(&columns[1], v), dot(&columns[2], v)]
}

/// Four rows of four numbers to four columns.
#[inline]
#[target_feature(enable = "avx2")]
fn transposed(rows: [L; 4]) -> [L; 4] {
    let low01 = _mm256_unpacklo_pd(rows[0], rows[1]);
    let high01 = _mm256_unpackhi_pd(rows[0], rows[1]);
    let low23 = _mm256_unpacklo_pd(rows[2], rows[3]);
    let high23 = _mm256_unpackhi_pd(rows[2], rows[3]);
    [
        _mm256_permute2f128_pd::<0x20>(low01, low23),
        _mm256_permute2f128_pd::<0x20>(high01, high23),
        _mm256_permute2f128_pd::<0x31>(low01, low23),
        _mm256_permute2f128_pd::<0x31>(high01, high23),
    ]
}

#[inline]
#[target_feature(enable = "avx2")]
fn load(values: &[f64; 4]) -> L {
    // SAFETY: the reference covers four readable numbers; the load needs no alignment.
    unsafe { _mm256_loadu_pd(values.as_ptr()) }
}

#[inline]
#[target_feature(enable = "avx2")]
fn stored(lanes: L) -> [f64; 4] {
    let mut out = [0.0; 4];
    // SAFETY: `out` holds four numbers; the store needs no alignment.
    unsafe { _mm256_storeu_pd(out.as_mut_ptr(), lanes) };
    out
}

/// Columns of the rotations and positions of four placements.
#[inline]
#[target_feature(enable = "avx2")]
fn placements(poses: [&Pose; 4]) -> ([V; 3], V) {
    let part = |k: usize| {
        let row = |pose: &Pose| {
            // SAFETY: `Pose` is `repr(C)` and consists of twelve f64 (rotation columns, position); k <= 2.
            unsafe { _mm256_loadu_pd((pose as *const Pose).cast::<f64>().add(4 * k)) }
        };
        transposed([row(poses[0]), row(poses[1]), row(poses[2]), row(poses[3])])
    };
    let ([a, b, c, d], [e, f, g, h], [i, x, y, z]) = (part(0), part(1), part(2));
    ([[a, b, c], [d, e, f], [g, h, i]], [x, y, z])
}

/// One basis vertex of each pair.
#[inline]
#[target_feature(enable = "avx2")]
fn corners(bodies: [&Polytope; 4], index: [u32; 4]) -> V {
    let row = |k: usize| load(&bodies[k].lanes().points()[index[k] as usize]);
    let [x, y, z, _] = transposed([row(0), row(1), row(2), row(3)]);
    [x, y, z]
}

/// From the frames' origins to the reference points, in world axes.
#[inline]
#[target_feature(enable = "avx2")]
fn levers(bodies: [&Polytope; 4], columns: &[V; 3]) -> V {
    let zero = _mm256_setzero_pd();
    if bodies.iter().all(|b| b.is_centred()) {
        return [zero; 3];
    }
    let row = |k: usize| {
        let r = bodies[k].reference();
        load(&[r.x, r.y, r.z, 0.0])
    };
    let [x, y, z, _] = transposed([row(0), row(1), row(2), row(3)]);
    let turned = turned(columns, &[x, y, z]);
    // A centred body's lever is a positive zero in the single call, whatever the signs of its axes.
    let centred = |k: usize| if bodies[k].is_centred() { -1.0 } else { 1.0 };
    let mask = load(&[centred(0), centred(1), centred(2), centred(3)]);
    turned.map(|component| _mm256_blendv_pd(component, zero, mask))
}

/// Largest height over the vertices of a small polytope.
#[inline]
#[target_feature(enable = "avx2")]
fn highest(body: &Polytope, n: &[f64; 3]) -> f64 {
    let (nx, ny, nz) = (all(n[0]), all(n[1]), all(n[2]));
    let mut best = all(f64::NEG_INFINITY);
    for [x, y, z] in body.lanes().blocks() {
        let xy = _mm256_add_pd(_mm256_mul_pd(load(x), nx), _mm256_mul_pd(load(y), ny));
        best = _mm256_max_pd(_mm256_add_pd(xy, _mm256_mul_pd(load(z), nz)), best);
    }
    let pair = _mm_max_pd(_mm256_castpd256_pd128(best), _mm256_extractf128_pd::<1>(best));
    _mm_cvtsd_f64(_mm_max_sd(pair, _mm_unpackhi_pd(pair, pair)))
}

/// Heights of four bodies along their own directions.
#[inline]
#[target_feature(enable = "avx2")]
fn tops(bodies: [&Polytope; 4], n: &V, hint: [u32; 4]) -> L {
    let (x, y, z) = (stored(n[0]), stored(n[1]), stored(n[2]));
    let mut out = [0.0; 4];
    for k in 0..4 {
        let n = [x[k], y[k], z[k]];
        out[k] = if bodies[k].lanes().count() <= SCAN_LIMIT {
            highest(bodies[k], &n)
        } else {
            top_by_climbing(bodies[k], &n, hint[k])
        };
    }
    load(&out)
}

/// A lane of four pairs waiting for confirmation.
struct Four<'a> {
    slot: [usize; 4],
    a: [&'a Polytope; 4],
    b: [&'a Polytope; 4],
    pose_a: [&'a Pose; 4],
    pose_b: [&'a Pose; 4],
}

/// One task's share: warm polytope pairs by fours, everything else one by one.
#[target_feature(enable = "avx2")]
pub(super) fn chunk(
    shapes: &[Solid],
    poses: &[Pose],
    pairs: &[BatchPair],
    options: &Options,
    warm: &mut [Warm],
    answers: &mut [BatchAnswer],
) {
    let mut waiting = [0usize; 4];
    let mut count = 0;
    for (slot, pair) in pairs.iter().enumerate() {
        let (a, b) = (&shapes[pair.shape_a as usize], &shapes[pair.shape_b as usize]);
        let basis = &warm[slot].basis;
        let known = match (a, b) {
            (Solid::Polytope(p), Solid::Polytope(q)) => {
                let (na, nb) = (p.lanes().count() as u32, q.lanes().count() as u32);
                basis.iter().all(|id| id[0] < na && id[1] < nb)
            }
            _ => false,
        };
        if !known {
            answers[slot] = one(shapes, poses, pair, options, &mut warm[slot]);
            continue;
        }
        waiting[count] = slot;
        count += 1;
        if count == 4 {
            count = 0;
            if let Some(four) = gather(shapes, poses, pairs, waiting) {
                let failed = confirm(&four, warm, answers);
                for (k, &slot) in waiting.iter().enumerate() {
                    if failed >> k & 1 == 1 {
                        answers[slot] = one(shapes, poses, &pairs[slot], options, &mut warm[slot]);
                    }
                }
            }
        }
    }
    for &slot in &waiting[..count] {
        answers[slot] = one(shapes, poses, &pairs[slot], options, &mut warm[slot]);
    }
}

/// The bodies and placements of four pairs; `None` only if one is not a polytope, which the caller has excluded.
#[inline]
fn gather<'a>(
    shapes: &'a [Solid],
    poses: &'a [Pose],
    pairs: &[BatchPair],
    slot: [usize; 4],
) -> Option<Four<'a>> {
    let body = |index: u32| match &shapes[index as usize] {
        Solid::Polytope(p) => Some(p),
        _ => None,
    };
    let p = slot.map(|s| pairs[s]);
    Some(Four {
        slot,
        a: [body(p[0].shape_a)?, body(p[1].shape_a)?, body(p[2].shape_a)?, body(p[3].shape_a)?],
        b: [body(p[0].shape_b)?, body(p[1].shape_b)?, body(p[2].shape_b)?, body(p[3].shape_b)?],
        pose_a: p.map(|p| &poses[p.pose_a as usize]),
        pose_b: p.map(|p| &poses[p.pose_b as usize]),
    })
}

/// Confirms four remembered portals; bit `k` of the result is set where pair `k` was not confirmed.
#[inline]
#[target_feature(enable = "avx2")]
fn confirm(four: &Four, warm: &mut [Warm], answers: &mut [BatchAnswer]) -> u32 {
    let basis = four.slot.map(|s| warm[s].basis);
    let side = |corner: usize, side: usize| [0, 1, 2, 3].map(|k| basis[k][corner][side]);
    let (ra, position_a) = placements(four.pose_a);
    let (rb, position_b) = placements(four.pose_b);
    let x = [0, 1, 2].map(|c| turned(&ra, &corners(four.a, side(c, 0))));
    let w = [0, 1, 2].map(|c| sub(&x[c], &turned(&rb, &corners(four.b, side(c, 1)))));
    let (lever_a, lever_b) = (levers(four.a, &ra), levers(four.b, &rb));
    let t = add_scaled(&sub(&position_a, &position_b), &sub(&lever_a, &lever_b), all(1.0));
    let pa = add_scaled(&lever_a, &position_a, all(1.0));
    let (side_1, side_2) = (sub(&w[1], &w[0]), sub(&w[2], &w[0]));
    let n = cross(&side_1, &side_2);
    let total = negated(dot(&n, &t));
    let q = cross(&w[0], &t);
    let (m1, m2) = (negated(dot(&q, &side_2)), dot(&q, &side_1));
    let m = [_mm256_sub_pd(_mm256_sub_pd(total, m1), m2), m1, m2];
    let floor = _mm256_mul_pd(all(-WARM_WEIGHT), total);
    let zero = _mm256_setzero_pd();
    let at_least = |a: L, b: L| _mm256_cmp_pd::<_CMP_GE_OQ>(a, b);
    let mut inside = _mm256_cmp_pd::<_CMP_GT_OQ>(total, zero);
    for weight in m {
        inside = _mm256_and_pd(inside, at_least(weight, floor));
    }
    let down = [negated(n[0]), negated(n[1]), negated(n[2])];
    let high_a = tops(four.a, &unturned(&ra, &n), side(0, 0));
    let high_b = tops(four.b, &unturned(&rb, &down), side(0, 1));
    let height = dot(&n, &w[0]);
    let rise = _mm256_sub_pd(_mm256_add_pd(high_a, high_b), height);
    let distance = _mm256_sqrt_pd(dot(&t, &t));
    let inverse = _mm256_div_pd(all(1.0), total);
    let absolute = |a: L| _mm256_andnot_pd(all(-0.0), a);
    let n1 = _mm256_add_pd(_mm256_add_pd(absolute(n[0]), absolute(n[1])), absolute(n[2]));
    let outer = |k: usize| four.a[k].outer_radius() + four.b[k].outer_radius();
    let size = load(&[outer(0), outer(1), outer(2), outer(3)]);
    let rounding = _mm256_mul_pd(_mm256_mul_pd(all(4e-16), n1), distance);
    let allowed = _mm256_mul_pd(size, _mm256_add_pd(_mm256_mul_pd(all(tolerance::PORTAL), total), rounding));
    let met = _mm256_cmp_pd::<_CMP_LE_OQ>(_mm256_mul_pd(rise, distance), allowed);
    let apart = _mm256_cmp_pd::<_CMP_GT_OQ>(distance, _mm256_mul_pd(all(tolerance::COINCIDENT), size));
    let confirmed = _mm256_movemask_pd(_mm256_and_pd(inside, _mm256_and_pd(met, apart))) as u32;

    let m = m.map(|v| _mm256_max_pd(v, zero));
    let sum = _mm256_add_pd(_mm256_add_pd(m[0], m[1]), m[2]);
    let weights = scale(&m, _mm256_div_pd(all(1.0), sum));
    let s = _mm256_mul_pd(distance, _mm256_sub_pd(all(1.0), _mm256_mul_pd(height, inverse)));
    let lack = _mm256_mul_pd(_mm256_mul_pd(rise, distance), inverse);
    let lack = _mm256_and_pd(_mm256_cmp_pd::<_CMP_GT_OQ>(rise, zero), lack);
    let beta = scale(&t, _mm256_div_pd(all(1.0), distance));
    let alpha = scale(&n, _mm256_mul_pd(negated(distance), inverse));
    let mixed = add_scaled(&add_scaled(&scale(&x[0], weights[0]), &x[1], weights[1]), &x[2], weights[2]);
    let point_a = add_scaled(&mixed, &pa, all(1.0));
    let point_b = add_scaled(&point_a, &beta, negated(s));
    let lower = _mm256_sub_pd(s, lack);

    let rows = |v: &V, last: L| transposed([v[0], v[1], v[2], last]).map(|l| stored(l));
    let (beta, alpha) = (rows(&beta, s), rows(&alpha, distance));
    let (point_a, point_b) = (rows(&point_a, lower), rows(&point_b, zero));
    let weights = rows(&weights, zero);
    let vector = |v: &[f64; 4]| Vec3::new(v[0], v[1], v[2]);
    for k in 0..4 {
        if confirmed >> k & 1 == 0 {
            continue;
        }
        let slot = four.slot[k];
        let direction = vector(&beta[k]);
        warm[slot].beta = direction;
        answers[slot] = Ok(Separation {
            outcome: Outcome::Solved,
            separation: beta[k][3],
            reference_distance: alpha[k][3],
            beta: direction,
            prescribed: false,
            alpha: vector(&alpha[k]),
            point_a: vector(&point_a[k]),
            point_b: vector(&point_b[k]),
            weights: [weights[k][0], weights[k][1], weights[k][2]],
            basis: basis[k],
            lower: point_a[k][3],
            upper: beta[k][3],
            iterations: 1,
        });
    }
    !confirmed & 15
}
