//! Candidate pairs between one refresh and the next.
//!
//! Parts are numbered by their *rank* among the names; a pair of ranks `a < b` is one number, so that a
//! sorted list of numbers is sorted by names. Its lowest bit is whether the pair touched. From one
//! refresh to the next few pairs come and go: the new ones are sorted by themselves and merged in whole
//! stretches.

/// Rank of a removed part.
pub(super) const REMOVED: u32 = u32::MAX;

/// Two ranks (below 2^31) in one number, the lesser in the upper half.
#[inline(always)]
fn key(a: u32, b: u32) -> u64 {
    let (a, b) = if a < b { (a, b) } else { (b, a) };
    u64::from(a) << 32 | u64::from(b) << 1
}

/// The two ranks of a pair, the lesser first.
#[inline(always)]
pub(super) fn ranks(key: u64) -> (usize, usize) {
    ((key >> 32) as usize, (key as u32 >> 1) as usize)
}

/// The sorted list.
#[derive(Clone, Debug, Default)]
pub(super) struct Candidates {
    keys: Vec<u64>,
    fresh: Vec<u64>,
    scratch: Vec<u64>,
}

impl Candidates {
    /// Adds a pair that is not in the list; [`merge`](Self::merge) sorts it in.
    #[inline(always)]
    pub fn push(&mut self, a: u32, b: u32) {
        self.fresh.push(key(a, b));
    }

    /// Number of pairs in the list.
    pub fn len(&self) -> usize {
        self.keys.len()
    }

    /// Renumbers the ranks. `renumbered[old]` is the new rank or [`REMOVED`] and rises where it is not gone,
    /// so that the list stays sorted.
    pub fn renumber(&mut self, renumbered: &[u32]) {
        self.keys.retain_mut(|pair| {
            let (a, b) = ranks(*pair);
            let (a, b) = (renumbered[a], renumbered[b]);
            if a == REMOVED || b == REMOVED {
                return false;
            }
            *pair = key(a, b) | (*pair & 1);
            true
        });
    }

    /// Takes the pairs found into the list.
    pub fn merge(&mut self) {
        if self.fresh.is_empty() {
            return;
        }
        self.fresh.sort_unstable();
        self.scratch.clear();
        let mut rest = &self.keys[..];
        for &new in &self.fresh {
            let (before, after) = rest.split_at(rank_of(rest, new));
            self.scratch.extend_from_slice(before);
            self.scratch.push(new);
            rest = after;
        }
        self.scratch.extend_from_slice(rest);
        self.fresh.clear();
        std::mem::swap(&mut self.keys, &mut self.scratch);
        debug_assert!(self.keys.is_sorted_by(|a, b| a < b), "each candidate once");
    }

    /// Filters the list in order. `decide` takes a pair and whether it touched, and returns whether it touches now and
    /// whether to keep it.
    #[inline(always)]
    pub fn filter(&mut self, mut decide: impl FnMut(usize, usize, bool) -> (bool, bool)) {
        let mut kept = 0;
        for at in 0..self.keys.len() {
            let pair = self.keys[at];
            let (a, b) = ranks(pair);
            let (touch, keep) = decide(a, b, pair & 1 != 0);
            // Written first and counted afterwards: the outcome is not predictable.
            self.keys[kept] = pair & !1 | u64::from(touch);
            kept += usize::from(keep);
        }
        self.keys.truncate(kept);
    }
}

/// How many of the sorted numbers are below `value`: doubling steps, then bisection, since the next place
/// is mostly near.
#[inline(always)]
fn rank_of(sorted: &[u64], value: u64) -> usize {
    let mut reach = 1;
    while reach < sorted.len() && sorted[reach - 1] < value {
        reach *= 2;
    }
    let low = reach / 2;
    let high = reach.min(sorted.len());
    low + sorted[low..high].partition_point(|&k| k < value)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_place_of_a_number_is_found_wherever_it_lies() {
        for n in 0..40_u64 {
            let sorted: Vec<u64> = (0..n).map(|k| 2 * k).collect();
            for value in 0..=2 * n + 1 {
                assert_eq!(rank_of(&sorted, value), sorted.iter().filter(|&&k| k < value).count());
            }
        }
    }

    #[test]
    fn merging_and_renumbering_keep_the_list_sorted() {
        let mut list = Candidates::default();
        for (a, b) in [(4, 1), (0, 3), (2, 3), (1, 0)] {
            list.push(a, b);
        }
        list.merge();
        list.push(3, 1);
        list.merge();
        let pairs = |l: &Candidates| l.keys.iter().map(|&k| ranks(k)).collect::<Vec<_>>();
        assert_eq!(pairs(&list), [(0, 1), (0, 3), (1, 3), (1, 4), (2, 3)]);
        // Rank 1 goes, a newcomer takes rank 2.
        list.renumber(&[0, REMOVED, 1, 3, 4]);
        assert_eq!(pairs(&list), [(0, 3), (1, 3)]);
    }
}
