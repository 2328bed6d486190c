//! A share of a batch: warm polytope pairs in groups of as many as a register has lanes, everything else one by one.
//!
//! Pairs enter the queues in small blocks and leave them confirmed. A pair whose portal is not confirmed takes a step
//! to another portal and is queued again.

use super::confirm::confirm;
use super::heights::class;
use super::lanes::{Packet, WIDTH};
use super::queues::{ENTRY_BLOCK, GroupQueues, QueuedPair, ScanClass};
use super::{BatchAnswer, BatchPair, one};
use crate::Pose;
use crate::separation::{Basis, Bodies, Options, PlacedPair, WARM_STEPS, WarmStart, solve_after_steps};
use crate::shapes::Solid;
use percussion_solve::simd::{Instructions, Kernel};
use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};

/// How many pairs ahead placements and answers are fetched: groups are not formed in the order of the pairs, which the
/// processor could foresee.
const PREFETCH_AHEAD: usize = 32;

/// Shapes, placements and pairs, known to fit together.
#[derive(Clone, Copy)]
pub(super) struct PairTable<'a> {
    pub shapes: &'a [Solid],
    pub poses: &'a [Pose],
    pub pairs: &'a [BatchPair],
}

impl<'a> PairTable<'a> {
    /// The bodies of a pair of polytopes.
    ///
    /// # Safety
    /// `scan_class` must have accepted the pair.
    #[inline(always)]
    pub(super) unsafe fn bodies(&self, slot: usize) -> Bodies<'a> {
        // SAFETY: pairs refer to existing shapes and placements, as the callers of `solve_by_four` promise;
        // `scan_class` accepts polytopes only.
        unsafe {
            let pair = self.pairs.get_unchecked(slot);
            let polytope = |shape: u32| match self.shapes.get_unchecked(shape as usize) {
                Solid::Polytope(polytope) => polytope,
                _ => std::hint::unreachable_unchecked(),
            };
            Bodies {
                a: polytope(pair.shape_a),
                b: polytope(pair.shape_b),
                pose_a: self.poses.get_unchecked(pair.pose_a as usize),
                pose_b: self.poses.get_unchecked(pair.pose_b as usize),
            }
        }
    }

    /// What a pair of polytopes with a last portal of existing vertices has in common with others.
    ///
    /// # Safety
    /// There must be so many pairs.
    #[inline(always)]
    unsafe fn scan_class(&self, slot: usize, basis: &Basis) -> Option<ScanClass> {
        // SAFETY: as above; promised by the caller.
        let (a, b) = unsafe {
            let pair = self.pairs.get_unchecked(slot);
            let shape = |shape: u32| self.shapes.get_unchecked(shape as usize);
            (shape(pair.shape_a), shape(pair.shape_b))
        };
        let (Solid::Polytope(a), Solid::Polytope(b)) = (a, b) else { return None };
        let [i, j, k] = *basis;
        let highest = [i[0].max(j[0]).max(k[0]) as usize, i[1].max(j[1]).max(k[1]) as usize];
        let exist = highest[0] < a.lanes().count() && highest[1] < b.lanes().count();
        exist.then_some(ScanClass::new(class(a), class(b), a.is_centred() & b.is_centred()))
    }
}

/// A share by fours.
///
/// # Safety
/// The pairs, at most `SHARE` of them, must refer to existing shapes and placements, and there must be as many warm starts
/// and answers as pairs.
pub(super) unsafe fn solve_by_four(table: PairTable, warm: &mut [WarmStart], answers: &mut [BatchAnswer]) {
    Instructions::detect().run(Share { table, warm, answers });
}

/// The work of [`solve_by_four`], which makes the promises.
struct Share<'a> {
    table: PairTable<'a>,
    warm: &'a mut [WarmStart],
    answers: &'a mut [BatchAnswer],
}

impl Kernel for Share<'_> {
    type Output = ();

    #[inline(always)]
    fn run<L: Packet>(self) {
        // SAFETY: promised by the caller of `solve_by_four`.
        unsafe { solve_share::<L, WIDTH>(self.table, self.warm, self.answers) }
    }
}

/// # Safety
/// As for `solve_by_four`.
#[inline(always)]
unsafe fn solve_share<L: Packet, const N: usize>(
    table: PairTable,
    warm: &mut [WarmStart],
    answers: &mut [BatchAnswer],
) {
    let PairTable { shapes, poses, pairs } = table;
    let mut queues = GroupQueues::<N>::new();
    // Jobs whose portals were not confirmed. That cannot be foreseen either, and it is known late: they are listed
    // without a branch.
    let mut failed = [QueuedPair::default(); ENTRY_BLOCK + WIDTH];
    let (mut failures, mut next) = (0, 0);
    loop {
        if failures >= ENTRY_BLOCK || failures > 0 && queues.is_empty() {
            for queued in &failed[..failures] {
                let slot = queued.slot();
                // SAFETY: `scan_class` has accepted the pair, and there is such a pair.
                unsafe {
                    let bodies = table.bodies(slot);
                    if step(
                        &bodies,
                        queued.steps(),
                        &pairs[slot].options(),
                        &mut warm[slot],
                        &mut answers[slot],
                    ) && let Some(key) = table.scan_class(slot, &warm[slot].basis)
                    {
                        queues.push(QueuedPair::new(slot, queued.steps() + 1), key);
                    }
                }
            }
            failures = 0;
            continue;
        }
        if queues.is_empty() && next < pairs.len() {
            let end = (next + ENTRY_BLOCK).min(pairs.len());
            for slot in next..end {
                if let Some(later) = pairs.get(slot + PREFETCH_AHEAD) {
                    prefetch(&poses[later.pose_a as usize]);
                    prefetch(&poses[later.pose_b as usize]);
                    prefetch(&answers[slot + PREFETCH_AHEAD]);
                }
                // SAFETY: there are as many pairs and warm starts.
                match unsafe { table.scan_class(slot, &warm.get_unchecked(slot).basis) } {
                    Some(key) => queues.push(QueuedPair::new(slot, 0), key),
                    None => answers[slot] = one(shapes, poses, &pairs[slot], &mut warm[slot]),
                }
            }
            next = end;
            continue;
        }
        // At the end, the last pairs and those too rare to form groups.
        let Some(group) = queues.pop().or_else(|| queues.pop_incomplete()) else { break };
        // SAFETY: `scan_class` has accepted the queued pairs.
        let confirmed = unsafe { confirm::<L>(&table, &group, warm, answers) };
        for k in 0..N {
            failed[failures] = group.pairs[k];
            failures += (confirmed >> k & 1 == 0 && k < group.count) as usize;
        }
    }
}

/// Moves a pair whose portal was not confirmed to another one, or solves it; whether it has to be confirmed again.
#[inline(never)]
fn step(
    bodies: &Bodies,
    steps: u32,
    options: &Options,
    warm: &mut WarmStart,
    answer: &mut BatchAnswer,
) -> bool {
    if steps < WARM_STEPS
        && let Some(basis) = PlacedPair::new(bodies).next_basis(&warm.basis, options)
    {
        warm.basis = basis;
        return true;
    }
    *answer = solve_after_steps(bodies, options, warm, steps);
    false
}

/// Fetches what a pair will read or write into the nearest cache.
#[inline(always)]
fn prefetch<T>(value: &T) {
    let start = (value as *const T).cast::<i8>();
    for line in 0..size_of::<T>().div_ceil(64) {
        // SAFETY: a prefetch is a hint that reads nothing, wherever it points.
        unsafe { _mm_prefetch::<_MM_HINT_T0>(start.wrapping_add(64 * line)) };
    }
}
