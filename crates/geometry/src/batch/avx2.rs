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

/// One basis vertex of each pair, `index` known to exist.
#[inline]
#[target_feature(enable = "avx2")]
fn corners(bodies: &[&Polytope; 4], basis: &[&[[u32; 2]; 3]; 4], c: usize, side: usize) -> V {
    let row = |k: usize| {
        // SAFETY: `chunk` lets only pairs wait whose basis indices are below the bodies' vertex counts.
        load(unsafe { bodies[k].lanes().points().get_unchecked(basis[k][c][side] as usize) })
    };
    let [x, y, z, _] = transposed([row(0), row(1), row(2), row(3)]);
    [x, y, z]
}

/// From the frames' origins to the reference points, in world axes, where not all of them are zero.
#[cold]
#[target_feature(enable = "avx2")]
fn levers(bodies: [&Polytope; 4], columns: &[V; 3]) -> V {
    let row = |k: usize| {
        let r = bodies[k].reference();
        load(&[r.x, r.y, r.z, 0.0])
    };
    let [x, y, z, _] = transposed([row(0), row(1), row(2), row(3)]);
    let lever = turned(columns, &[x, y, z]);
    // A centred body's lever is a positive zero in the single call, whatever the signs of its axes.
    let centred = |k: usize| if bodies[k].is_centred() { -1.0 } else { 1.0 };
    let mask = load(&[centred(0), centred(1), centred(2), centred(3)]);
    let pick = |k: usize| _mm256_blendv_pd(lever[k], _mm256_setzero_pd(), mask);
    [pick(0), pick(1), pick(2)]
}

/// Heights of four bodies along their own directions.
#[inline]
#[target_feature(enable = "avx2")]
fn tops(bodies: [&Polytope; 4], n: &V, hint: [u32; 4]) -> L {
    let [a, b, c, d] = transposed([n[0], n[1], n[2], n[2]]);
    load(&[
        top(bodies[0], a, hint[0]),
        top(bodies[1], b, hint[1]),
        top(bodies[2], c, hint[2]),
        top(bodies[3], d, hint[3]),
    ])
}

/// Largest height over the vertices along the first three numbers of `n`.
#[inline]
#[target_feature(enable = "avx2")]
fn top(body: &Polytope, n: L, hint: u32) -> f64 {
    let blocks = body.lanes().blocks();
    if blocks.len() * 4 > SCAN_LIMIT {
        let [x, y, z, _] = stored(n);
        // A scan where the single call scans, a climb where it climbs.
        if body.lanes().count() > SCAN_LIMIT {
            return top_by_climbing(body, &[x, y, z], hint);
        }
    }
    let (nx, ny) = (_mm256_permute4x64_pd::<0x00>(n), _mm256_permute4x64_pd::<0x55>(n));
    let nz = _mm256_permute4x64_pd::<0xaa>(n);
    let mut best = all(f64::NEG_INFINITY);
    for [x, y, z] in blocks {
        let xy = _mm256_add_pd(_mm256_mul_pd(load(x), nx), _mm256_mul_pd(load(y), ny));
        best = _mm256_max_pd(_mm256_add_pd(xy, _mm256_mul_pd(load(z), nz)), best);
    }
    let pair = _mm_max_pd(_mm256_castpd256_pd128(best), _mm256_extractf128_pd::<1>(best));
    _mm_cvtsd_f64(_mm_max_sd(pair, _mm_unpackhi_pd(pair, pair)))
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
    let mut all_centred = true;
    for (slot, pair) in pairs.iter().enumerate() {
        let Some(centred) = remembered(shapes, pair, &warm[slot]) else {
            answers[slot] = one(shapes, poses, pair, options, &mut warm[slot]);
            continue;
        };
        waiting[count] = slot;
        count += 1;
        all_centred &= centred;
        if count == 4 {
            count = 0;
            let confirmed = if std::mem::replace(&mut all_centred, true) {
                confirm::<true>(shapes, poses, pairs, &waiting, warm, answers)
            } else {
                confirm::<false>(shapes, poses, pairs, &waiting, warm, answers)
            };
            let confirmed = confirmed.unwrap_or(0);
            if confirmed != 15 {
                for (k, &slot) in waiting.iter().enumerate() {
                    if confirmed >> k & 1 == 0 {
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

/// For two polytopes with a remembered portal of existing vertices: whether both are centred on their frames.
#[inline(always)]
fn remembered(shapes: &[Solid], pair: &BatchPair, warm: &Warm) -> Option<bool> {
    let (a, b) = (polytope(shapes, pair.shape_a)?, polytope(shapes, pair.shape_b)?);
    let [i, j, k] = warm.basis;
    let highest = [i[0].max(j[0]).max(k[0]) as usize, i[1].max(j[1]).max(k[1]) as usize];
    let exist = highest[0] < a.lanes().count() && highest[1] < b.lanes().count();
    exist.then_some(a.is_centred() && b.is_centred())
}

/// The polytope of a shape.
#[inline(always)]
fn polytope(shapes: &[Solid], index: u32) -> Option<&Polytope> {
    match &shapes[index as usize] {
        Solid::Polytope(p) => Some(p),
        _ => None,
    }
}

/// Confirms four remembered portals and writes their answers; bit `k` of the result is set where pair `k` was
/// confirmed. `None` where a body is not a polytope, which `remembered` has excluded. `CENTRED`: all eight bodies are.
#[inline]
#[target_feature(enable = "avx2")]
fn confirm<const CENTRED: bool>(
    shapes: &[Solid],
    poses: &[Pose],
    pairs: &[BatchPair],
    slots: &[usize; 4],
    warm: &mut [Warm],
    answers: &mut [BatchAnswer],
) -> Option<u32> {
    let [p, q, r, s] = [&pairs[slots[0]], &pairs[slots[1]], &pairs[slots[2]], &pairs[slots[3]]];
    let body = |index: u32| polytope(shapes, index);
    let a = [body(p.shape_a)?, body(q.shape_a)?, body(r.shape_a)?, body(s.shape_a)?];
    let b = [body(p.shape_b)?, body(q.shape_b)?, body(r.shape_b)?, body(s.shape_b)?];
    let basis = [&warm[slots[0]].basis, &warm[slots[1]].basis, &warm[slots[2]].basis, &warm[slots[3]].basis];
    let hint = |side: usize| [basis[0][0][side], basis[1][0][side], basis[2][0][side], basis[3][0][side]];
    let (hint_a, hint_b) = (hint(0), hint(1));
    let pose = |index: u32| &poses[index as usize];
    let (ra, position_a) = placements([pose(p.pose_a), pose(q.pose_a), pose(r.pose_a), pose(s.pose_a)]);
    let (rb, position_b) = placements([pose(p.pose_b), pose(q.pose_b), pose(r.pose_b), pose(s.pose_b)]);
    let x = [
        turned(&ra, &corners(&a, &basis, 0, 0)),
        turned(&ra, &corners(&a, &basis, 1, 0)),
        turned(&ra, &corners(&a, &basis, 2, 0)),
    ];
    let w = [
        sub(&x[0], &turned(&rb, &corners(&b, &basis, 0, 1))),
        sub(&x[1], &turned(&rb, &corners(&b, &basis, 1, 1))),
        sub(&x[2], &turned(&rb, &corners(&b, &basis, 2, 1))),
    ];
    let none = [_mm256_setzero_pd(); 3];
    let (lever_a, lever_b) = if CENTRED { (none, none) } else { (levers(a, &ra), levers(b, &rb)) };
    let t = add_scaled(&sub(&position_a, &position_b), &sub(&lever_a, &lever_b), all(1.0));
    let pa = add_scaled(&lever_a, &position_a, all(1.0));
    let (side_1, side_2) = (sub(&w[1], &w[0]), sub(&w[2], &w[0]));
    let n = cross(&side_1, &side_2);
    let total = negated(dot(&n, &t));
    let ray_side = cross(&w[0], &t);
    let (m1, m2) = (negated(dot(&ray_side, &side_2)), dot(&ray_side, &side_1));
    let m = [_mm256_sub_pd(_mm256_sub_pd(total, m1), m2), m1, m2];
    let floor = _mm256_mul_pd(all(-WARM_WEIGHT), total);
    let zero = _mm256_setzero_pd();
    let at_least = |a: L, b: L| _mm256_cmp_pd::<_CMP_GE_OQ>(a, b);
    let mut inside = _mm256_cmp_pd::<_CMP_GT_OQ>(total, zero);
    for weight in m {
        inside = _mm256_and_pd(inside, at_least(weight, floor));
    }
    let down = [negated(n[0]), negated(n[1]), negated(n[2])];
    let high_a = tops(a, &unturned(&ra, &n), hint_a);
    let high_b = tops(b, &unturned(&rb, &down), hint_b);
    let height = dot(&n, &w[0]);
    let rise = _mm256_sub_pd(_mm256_add_pd(high_a, high_b), height);
    let distance = _mm256_sqrt_pd(dot(&t, &t));
    let inverse = _mm256_div_pd(all(1.0), total);
    let absolute = |a: L| _mm256_andnot_pd(all(-0.0), a);
    let n1 = _mm256_add_pd(_mm256_add_pd(absolute(n[0]), absolute(n[1])), absolute(n[2]));
    let outer = |k: usize| a[k].outer_radius() + b[k].outer_radius();
    let size = load(&[outer(0), outer(1), outer(2), outer(3)]);
    let rounding = _mm256_mul_pd(_mm256_mul_pd(all(4e-16), n1), distance);
    let allowed = _mm256_mul_pd(size, _mm256_add_pd(_mm256_mul_pd(all(tolerance::PORTAL), total), rounding));
    let met = _mm256_cmp_pd::<_CMP_LE_OQ>(_mm256_mul_pd(rise, distance), allowed);
    let apart = _mm256_cmp_pd::<_CMP_GT_OQ>(distance, _mm256_mul_pd(all(tolerance::COINCIDENT), size));
    let apart = _mm256_and_pd(apart, _mm256_cmp_pd::<_CMP_LT_OQ>(distance, all(tolerance::LARGEST)));
    let confirmed = _mm256_movemask_pd(_mm256_and_pd(inside, _mm256_and_pd(met, apart))) as u32;

    let m = [_mm256_max_pd(m[0], zero), _mm256_max_pd(m[1], zero), _mm256_max_pd(m[2], zero)];
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

    // Groups of four numbers in the order of the fields of `Separation`.
    let groups = [
        transposed([beta[0], beta[1], beta[2], s]),
        transposed([alpha[0], alpha[1], alpha[2], distance]),
        transposed([point_a[0], point_a[1], point_a[2], lower]),
        transposed([point_b[0], point_b[1], point_b[2], s]),
    ];
    let weights = transposed([weights[0], weights[1], weights[2], zero]);
    for k in 0..4 {
        if confirmed >> k & 1 == 0 {
            continue;
        }
        let slot = slots[k];
        let (memory, answer) = (&mut warm[slot], &mut answers[slot]);
        // Into the old answer: building a new one and moving it in costs as much as finding it.
        if answer.is_err() {
            *answer = Ok(UNKNOWN);
        }
        let Ok(out) = answer else { continue };
        // SAFETY: `Separation` is `repr(C)` and starts with sixteen f64: β, s, α, D, p_a, lower, p_b, upper.
        unsafe {
            let numbers = (out as *mut Separation).cast::<f64>();
            _mm256_storeu_pd(numbers, groups[0][k]);
            _mm256_storeu_pd(numbers.add(4), groups[1][k]);
            _mm256_storeu_pd(numbers.add(8), groups[2][k]);
            _mm256_storeu_pd(numbers.add(12), groups[3][k]);
        }
        let [first, second, third, _] = stored(weights[k]);
        out.weights = [first, second, third];
        out.basis = memory.basis;
        out.iterations = 1;
        out.outcome = Outcome::Solved;
        out.prescribed = false;
        memory.beta = out.beta;
    }
    Some(confirmed)
}

/// An answer to be overwritten.
const UNKNOWN: Separation = Separation {
    outcome: Outcome::Beyond,
    separation: f64::NAN,
    reference_distance: f64::NAN,
    beta: Vec3::new(0.0, 0.0, 0.0),
    prescribed: false,
    alpha: Vec3::new(0.0, 0.0, 0.0),
    point_a: Vec3::new(0.0, 0.0, 0.0),
    point_b: Vec3::new(0.0, 0.0, 0.0),
    weights: [0.0; 3],
    basis: [[u32::MAX; 2]; 3],
    lower: f64::NEG_INFINITY,
    upper: f64::INFINITY,
    iterations: 0,
};
