//! Warm-start confirmation of several polytope pairs at once.
//!
//! The portal arithmetic runs across pairs (lane = pair); the support scans run across vertices, pair by pair, because
//! each pair has its own bodies. Operation for operation this is `PlacedPair` in `separation/warm.rs`.

use super::BatchAnswer;
use super::heights::support_heights;
use super::lanes::{
    Packet, Stored, V, WIDTH, add, add_scaled, columns, cross, dot, scale, sub, turned, unturned,
};
use super::queues::PairGroup;
use super::share::PairTable;
use crate::separation::{Basis, Bodies, Outcome, Separation, WarmStart, reference_offset};
use crate::shapes::Polytope;
use crate::tolerances::kernel::WARM_WEIGHT;
use crate::{Pose, Vec3, tolerances};

/// Columns of the rotations and positions of placements.
#[inline(always)]
fn placements<'a, L: Packet>(pose: impl Fn(usize) -> &'a Pose) -> ([V<L>; 3], V<L>) {
    let part = |part: usize| {
        let row = |k: usize| (pose(k) as *const Pose).cast::<f64>().wrapping_add(4 * part);
        // SAFETY: `Pose` is `repr(C)` and consists of twelve f64 (rotation columns, position); part <= 2.
        unsafe { columns::<L>(row) }
    };
    let ([a, b, c, d], [e, f, g, h], [i, x, y, z]) = (part(0), part(1), part(2));
    ([[a, b, c], [d, e, f], [g, h, i]], [x, y, z])
}

/// One vertex of each body.
///
/// # Safety
/// The vertices must exist.
#[inline(always)]
unsafe fn corner<'a, L: Packet>(vertex: impl Fn(usize) -> (&'a Polytope, u32)) -> V<L> {
    let row = |k: usize| {
        let (body, index) = vertex(k);
        body.lanes().points().as_ptr().wrapping_add(index as usize).cast::<f64>()
    };
    // SAFETY: promised by the caller; each vertex is stored as four numbers.
    let [x, y, z, _] = unsafe { columns::<L>(row) };
    [x, y, z]
}

/// From the frames' origins to the reference points of bodies a, and how much further it is than that of bodies b, in
/// world axes, where not all of them are zero.
#[cold]
#[inline(never)]
fn reference_offsets(pairs: &[Bodies; WIDTH]) -> [[Stored; 3]; 2] {
    let mut reference_offsets = [[[0.0; WIDTH]; 3]; 2];
    for (k, pair) in pairs.iter().enumerate() {
        let (a, b) = (reference_offset(pair.pose_a, pair.a), reference_offset(pair.pose_b, pair.b));
        for axis in 0..3 {
            reference_offsets[0][axis][k] = a[axis];
            reference_offsets[1][axis][k] = a[axis] - b[axis];
        }
    }
    reference_offsets
}

/// Confirms the portals of a group and writes the answers where they are. Bit `k` of the result is set where pair `k` was
/// confirmed; the answers of the others are not to be used.
///
/// # Safety
/// The pairs must be polytopes and the vertices of their portals exist.
#[inline(always)]
pub(super) unsafe fn confirm<L: Packet>(
    table: &PairTable,
    group: &PairGroup,
    warm: &mut [WarmStart],
    answers: &mut [BatchAnswer],
) -> u32 {
    let slot = |k: usize| group.pairs[if k < WIDTH { k } else { 0 }].slot();
    // SAFETY: promised by the caller.
    let pairs: [Bodies; WIDTH] = std::array::from_fn(|k| unsafe { table.bodies(slot(k)) });
    // SAFETY: there are as many warm starts as pairs.
    let basis: [&Basis; WIDTH] = std::array::from_fn(|k| unsafe { &warm.get_unchecked(slot(k)).basis });
    // SAFETY: promised by the caller.
    let on_a = |c: usize| unsafe { corner::<L>(|k| (pairs[k].a, basis[k][c][0])) };
    let on_b = |c: usize| unsafe { corner::<L>(|k| (pairs[k].b, basis[k][c][1])) };
    let (rb, position_b) = placements::<L>(|k| pairs[k].pose_b);
    let y = [turned(&rb, &on_b(0)), turned(&rb, &on_b(1)), turned(&rb, &on_b(2))];
    let (ra, position_a) = placements::<L>(|k| pairs[k].pose_a);
    let x = [turned(&ra, &on_a(0)), turned(&ra, &on_a(1)), turned(&ra, &on_a(2))];
    let w = [sub(&x[0], &y[0]), sub(&x[1], &y[1]), sub(&x[2], &y[2])];
    let (zero, one) = (L::splat(0.0), L::splat(1.0));
    let mut lever = [[zero; 3]; 2];
    if !group.key.centred() {
        lever = reference_offsets(&pairs).map(|v| [L::load(&v[0]), L::load(&v[1]), L::load(&v[2])]);
    }
    let t = add(&sub(&position_a, &position_b), &lever[1]);
    let pa = add(&lever[0], &position_a);
    let (side_1, side_2) = (sub(&w[1], &w[0]), sub(&w[2], &w[0]));
    let n = cross(&side_1, &side_2);
    let total = dot(&n, &t).neg();
    let q = cross(&w[0], &t);
    let (m1, m2) = (dot(&q, &side_2).neg(), dot(&q, &side_1));
    let m = [total.sub(m1).sub(m2), m1, m2];
    let height = dot(&n, &w[0]);
    let high_a = support_heights::<L, 0>(&pairs, &basis, &unturned(&ra, &n), group.key.class_a());
    let down = [n[0].neg(), n[1].neg(), n[2].neg()];
    let high_b = support_heights::<L, 1>(&pairs, &basis, &unturned(&rb, &down), group.key.class_b());
    let rise = high_a.add(high_b).sub(height);

    let floor = L::splat(-WARM_WEIGHT).mul(total);
    let mut good = total.gt(zero);
    for weight in m {
        good = L::and(good, weight.ge(floor));
    }
    let distance = dot(&t, &t).sqrt();
    let n1 = n[0].abs().add(n[1].abs()).add(n[2].abs());
    let mut outer: Stored = [0.0; WIDTH];
    for k in 0..WIDTH {
        outer[k] = pairs[k].a.outer_radius() + pairs[k].b.outer_radius();
    }
    let size = L::load(&outer);
    let rounding = L::splat(4e-16).mul(n1).mul(distance);
    let allowed = size.mul(L::splat(tolerances::PORTAL).mul(total).add(rounding));
    let excess = rise.mul(distance);
    good = L::and(good, allowed.ge(excess));
    good = L::and(good, distance.gt(L::splat(tolerances::COINCIDENT).mul(size)));
    good = L::and(good, L::splat(tolerances::LARGEST).gt(distance));
    let confirmed = L::bits(good);

    let m = [m[0].max(zero), m[1].max(zero), m[2].max(zero)];
    let weights = scale(&m, one.div(m[0].add(m[1]).add(m[2])));
    let inverse = one.div(total);
    let s = distance.mul(one.sub(height.mul(inverse)));
    let lower = s.sub(excess.mul(inverse).masked(rise.gt(zero)));
    let beta = scale(&t, one.div(distance));
    let alpha = scale(&n, distance.neg().mul(inverse));
    let mixed = add_scaled(&add_scaled(&scale(&x[0], weights[0]), &x[1], weights[1]), &x[2], weights[2]);
    let point_a = add(&mixed, &pa);
    let point_b = add_scaled(&point_a, &beta, s.neg());

    // Groups of four numbers in the order of the fields of `Separation`.
    let first = L::transpose([beta[0], beta[1], beta[2], s]);
    let second = L::transpose([alpha[0], alpha[1], alpha[2], distance]);
    let third = L::transpose([point_a[0], point_a[1], point_a[2], lower]);
    let fourth = L::transpose([point_b[0], point_b[1], point_b[2], s]);
    let weights = L::transpose([weights[0], weights[1], weights[2], zero]);
    // Not a loop: its rows would go through memory.
    macro_rules! write {
        ($($k:literal)*) => {$(
            // SAFETY: there are as many answers and warm starts as pairs.
            let (answer, start) =
                unsafe { (answers.get_unchecked_mut(slot($k)), warm.get_unchecked_mut(slot($k))) };
            let rows = [first[$k], second[$k], third[$k], fourth[$k], weights[$k]];
            write(answer, start, rows, group.pairs[$k].steps(), confirmed >> $k & 1 == 1);
        )*};
    }
    write!(0 1 2 3);
    confirmed
}

/// Writes an answer and, where it is `confirmed`, the β of the warm start.
#[inline(always)]
fn write<L: Packet>(
    answer: &mut BatchAnswer,
    warm: &mut WarmStart,
    rows: [L; 5],
    steps: u32,
    confirmed: bool,
) {
    // Into the old answer: building a new one and moving it in costs as much as finding it.
    if answer.is_err() {
        reset(answer);
    }
    let Ok(out) = answer else { return };
    // SAFETY: `Separation` is `repr(C)` and starts with sixteen f64: β, s, α, D, p_a, lower, p_b, upper; then come three
    // weights and the basis, which is written after the number that follows the weights.
    unsafe {
        let numbers = (out as *mut Separation).cast::<[f64; WIDTH]>();
        for (k, row) in rows.into_iter().enumerate() {
            row.store(&mut *numbers.add(k));
        }
    }
    out.basis = warm.basis;
    out.iterations = 1 + steps;
    out.outcome = Outcome::Solved;
    out.prescribed = false;
    if confirmed {
        let [[x, y], [z, _]] = rows[0].halves();
        warm.beta = Vec3::new(x, y, z);
    }
}

/// Makes room for an answer, to be overwritten, where there was an error.
#[cold]
#[inline(never)]
fn reset(answer: &mut BatchAnswer) {
    *answer = Ok(Separation::unsolved(Outcome::Beyond, f64::NEG_INFINITY, (Vec3::zeros(), f64::NAN), 0));
}
