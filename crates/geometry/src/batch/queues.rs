//! Groups of pairs whose support scans have the same lengths.
//!
//! Pairs are queued by the lengths of their two scans, so that those of a group scan in step and the ends of their loops are
//! predicted. Whether a pair completes a group cannot be predicted: groups are therefore formed without a branch, listed, and
//! processed later.

use super::lanes::WIDTH;
use crate::separation::{SCAN_LIMIT, WARM_STEPS};

/// Most pairs that can be at work together: a share of a batch.
pub(super) const SHARE: usize = 4096;

/// Classes of a body by the length of its scan.
pub(super) const CLASSES: usize = SCAN_LIMIT.div_ceil(4) + 1;

/// The class of a pair: the lengths of both scans, and whether both bodies are centred.
#[derive(Clone, Copy, Default)]
pub(super) struct ScanClass(u32);

impl ScanClass {
    /// How many there are: classes of both bodies, and whether both are centred on their frames.
    const COUNT: usize = 2 * CLASSES * CLASSES;
    /// Nothing in common.
    pub(super) const MIXED: Self = Self(0);

    #[inline(always)]
    pub(super) fn new(class_a: usize, class_b: usize, centred: bool) -> Self {
        Self(((class_a * CLASSES + class_b) * 2 + centred as usize) as u32)
    }

    #[inline(always)]
    pub(super) fn class_a(self) -> usize {
        self.0 as usize / (2 * CLASSES)
    }

    #[inline(always)]
    pub(super) fn class_b(self) -> usize {
        self.0 as usize / 2 % CLASSES
    }

    /// Whether all bodies are centred on their frames.
    #[inline(always)]
    pub(super) fn centred(self) -> bool {
        self.0 % 2 == 1
    }
}

/// A queued pair: its position in the block and, in the highest bits, how many portals it has tried before.
#[derive(Clone, Copy, Default)]
pub(super) struct QueuedPair(u16);

impl QueuedPair {
    #[inline(always)]
    pub(super) fn new(slot: usize, steps: u32) -> Self {
        const { assert!((WARM_STEPS as usize + 1) * SHARE <= 1 << 16) };
        Self((slot + steps as usize * SHARE) as u16)
    }

    #[inline(always)]
    pub(super) fn slot(self) -> usize {
        self.0 as usize % SHARE
    }

    #[inline(always)]
    pub(super) fn steps(self) -> u32 {
        (self.0 as usize / SHARE) as u32
    }
}

/// Four pairs in one word: written and read in other pieces they would have to go through the cache first.
#[derive(Clone, Copy, Default)]
struct Packed(u64);

impl Packed {
    #[inline(always)]
    fn with(self, queued: QueuedPair) -> Self {
        Self(self.0 << 16 | queued.0 as u64)
    }

    #[inline(always)]
    fn get(self, k: usize) -> QueuedPair {
        QueuedPair((self.0 >> (16 * k)) as u16)
    }
}

/// Pairs to be confirmed together; those from `count` on are copies of the first.
pub(super) struct PairGroup {
    pub pairs: [QueuedPair; WIDTH],
    pub count: usize,
    pub key: ScanClass,
}

/// Pairs pushed before the groups they form are processed.
pub(super) const ENTRY_BLOCK: usize = 16;

/// Most groups at a time: new jobs enter when there is none, and no more than `WIDTH - 1` jobs wait for each key.
const GROUPS: usize = ((WIDTH - 1) * ScanClass::COUNT + ENTRY_BLOCK).div_ceil(WIDTH).next_power_of_two();

/// Queued pairs by class, and the groups of `N` they have formed.
pub(super) struct GroupQueues<const N: usize> {
    waiting: [Packed; ScanClass::COUNT],
    /// How many are queued, modulo `N`.
    counts: [u8; ScanClass::COUNT],
    /// Groups formed and groups taken, in a ring.
    groups: [(Packed, ScanClass); GROUPS],
    formed: usize,
    taken: usize,
}

impl<const N: usize> GroupQueues<N> {
    #[inline(always)]
    pub(super) fn new() -> Self {
        Self {
            waiting: [Packed::default(); ScanClass::COUNT],
            counts: [0; ScanClass::COUNT],
            groups: [(Packed::default(), ScanClass::default()); GROUPS],
            formed: 0,
            taken: 0,
        }
    }

    /// Queues a pair, and lists the group that it completes.
    #[inline(always)]
    pub(super) fn push(&mut self, queued: QueuedPair, key: ScanClass) {
        let at = key.0 as usize;
        let pairs = self.waiting[at].with(queued);
        let count = self.counts[at] + 1;
        let full = count as usize == N;
        self.waiting[at] = pairs;
        self.counts[at] = if full { 0 } else { count };
        self.groups[self.formed % GROUPS] = (pairs, key);
        self.formed += full as usize;
    }

    /// Whether there is no group.
    #[inline(always)]
    pub(super) fn is_empty(&self) -> bool {
        self.taken == self.formed
    }

    /// The next group.
    #[inline(always)]
    pub(super) fn pop(&mut self) -> Option<PairGroup> {
        if self.is_empty() {
            (self.formed, self.taken) = (0, 0);
            return None;
        }
        let (pairs, key) = self.groups[self.taken % GROUPS];
        self.taken += 1;
        Some(PairGroup { pairs: std::array::from_fn(|k| pairs.get(k)), count: N, key })
    }

    /// Some of those still queued when no group is left.
    #[cold]
    #[inline(never)]
    pub(super) fn pop_incomplete(&mut self) -> Option<PairGroup> {
        let (mut pairs, mut count) = ([QueuedPair::default(); WIDTH], 0);
        for (waiting, left) in self.waiting.iter().zip(&mut self.counts) {
            while *left > 0 && count < N {
                *left -= 1;
                pairs[count] = waiting.get(*left as usize);
                count += 1;
            }
        }
        let first = pairs[0];
        pairs[count..].fill(first);
        (count > 0).then_some(PairGroup { pairs, count, key: ScanClass::MIXED })
    }
}
