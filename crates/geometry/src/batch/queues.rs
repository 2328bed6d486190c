//! Groups of pairs whose support scans have the same lengths.
//!
//! Pairs wait by the lengths of their two scans, so that those of a group scan in step and the processor foresees where
//! their loops end. Whether a pair completes a group cannot be foreseen: groups are therefore formed without a
//! branch, listed, and worked off later.

use super::lanes::WIDTH;
use crate::separation::{SCAN_LIMIT, STEPS};

/// Most pairs that can be at work together: a share of a batch.
pub(super) const SHARE: usize = 4096;

/// Classes of a body by the length of its scan.
pub(super) const CLASSES: usize = SCAN_LIMIT.div_ceil(4) + 1;

/// What the pairs of a group have in common.
#[derive(Clone, Copy, Default)]
pub(super) struct Key(u32);

impl Key {
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

/// A pair at work: its position in the share and, in the highest bits, how many portals it has tried before.
#[derive(Clone, Copy, Default)]
pub(super) struct Job(u16);

impl Job {
    #[inline(always)]
    pub(super) fn new(slot: usize, steps: u32) -> Self {
        const { assert!((STEPS as usize + 1) * SHARE <= 1 << 16) };
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

/// Four jobs in one word: written and read in other pieces they would have to go through the cache first.
#[derive(Clone, Copy, Default)]
struct Packed(u64);

impl Packed {
    #[inline(always)]
    fn with(self, job: Job) -> Self {
        Self(self.0 << 16 | job.0 as u64)
    }

    #[inline(always)]
    fn get(self, k: usize) -> Job {
        Job((self.0 >> (16 * k)) as u16)
    }
}

/// Jobs to be worked on together; those from `count` on are copies of the first.
pub(super) struct Group {
    pub jobs: [Job; WIDTH],
    pub count: usize,
    pub key: Key,
}

/// Jobs that enter before the groups they form are worked off.
pub(super) const ROOM: usize = 16;

/// Most groups at a time: new jobs enter when there is none, and no more than `WIDTH - 1` jobs wait for each key.
const GROUPS: usize = ((WIDTH - 1) * Key::COUNT + ROOM).div_ceil(WIDTH).next_power_of_two();

/// Jobs by what they have in common, and the groups of `N` they have formed.
pub(super) struct Queues<const N: usize> {
    waiting: [Packed; Key::COUNT],
    /// How many wait, modulo `N`.
    counts: [u8; Key::COUNT],
    /// Groups formed and groups taken, in a ring.
    groups: [(Packed, Key); GROUPS],
    formed: usize,
    taken: usize,
}

impl<const N: usize> Queues<N> {
    #[inline(always)]
    pub(super) fn new() -> Self {
        Self {
            waiting: [Packed::default(); Key::COUNT],
            counts: [0; Key::COUNT],
            groups: [(Packed::default(), Key::default()); GROUPS],
            formed: 0,
            taken: 0,
        }
    }

    /// Lets a job wait, and lists the group where it is the last one missing.
    #[inline(always)]
    pub(super) fn enter(&mut self, job: Job, key: Key) {
        let at = key.0 as usize;
        let jobs = self.waiting[at].with(job);
        let count = self.counts[at] + 1;
        let full = count as usize == N;
        self.waiting[at] = jobs;
        self.counts[at] = if full { 0 } else { count };
        self.groups[self.formed % GROUPS] = (jobs, key);
        self.formed += full as usize;
    }

    /// Whether there is no group.
    #[inline(always)]
    pub(super) fn is_idle(&self) -> bool {
        self.taken == self.formed
    }

    /// The next group.
    #[inline(always)]
    pub(super) fn take(&mut self) -> Option<Group> {
        if self.is_idle() {
            (self.formed, self.taken) = (0, 0);
            return None;
        }
        let (jobs, key) = self.groups[self.taken % GROUPS];
        self.taken += 1;
        Some(Group { jobs: std::array::from_fn(|k| jobs.get(k)), count: N, key })
    }

    /// Some of those still waiting when no group is left.
    #[cold]
    #[inline(never)]
    pub(super) fn rest(&mut self) -> Option<Group> {
        let (mut jobs, mut count) = ([Job::default(); WIDTH], 0);
        for (waiting, left) in self.waiting.iter().zip(&mut self.counts) {
            while *left > 0 && count < N {
                *left -= 1;
                jobs[count] = waiting.get(*left as usize);
                count += 1;
            }
        }
        let first = jobs[0];
        jobs[count..].fill(first);
        (count > 0).then_some(Group { jobs, count, key: Key::MIXED })
    }
}
