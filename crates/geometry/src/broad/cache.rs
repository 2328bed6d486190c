//! Values kept for each pair while it persists, mostly warm starts.

use super::part::{BroadError, PartId, PartPair};

/// A value for each pair of a sorted list, carried over from step to step.
///
/// ```
/// use percussion_geometry::broad::{PairCache, PartId};
/// # fn main() -> Result<(), percussion_geometry::broad::BroadError> {
/// let id = |body| PartId::new(body, 0);
/// let mut cache = PairCache::<u32>::new();
/// cache.update(&[(id(0), id(1)), (id(1), id(2))])?;
/// cache.values_mut()[1] = 7;
/// cache.update(&[(id(0), id(2)), (id(1), id(2))])?; // one pair ends, one begins, one goes on
/// assert_eq!(cache.values(), [0, 7]);
/// # Ok(()) }
/// ```
#[derive(Clone, Debug, Default)]
pub struct PairCache<T> {
    pairs: Vec<PartPair>,
    values: Vec<T>,
    // The next state, built here and then exchanged.
    next: Vec<T>,
}

impl<T> PairCache<T> {
    /// An empty cache.
    pub fn new() -> Self {
        Self { pairs: Vec::new(), values: Vec::new(), next: Vec::new() }
    }

    /// The pairs, sorted.
    #[inline]
    pub fn pairs(&self) -> &[PartPair] {
        &self.pairs
    }

    /// The values, in the order of [`pairs`](Self::pairs).
    #[inline]
    pub fn values(&self) -> &[T] {
        &self.values
    }

    /// The values to be changed, in the order of [`pairs`](Self::pairs).
    #[inline]
    pub fn values_mut(&mut self) -> &mut [T] {
        &mut self.values
    }

    /// Pairs and values together: slices of one length, to be worked through in parallel.
    #[inline]
    pub fn split(&mut self) -> (&[PartPair], &mut [T]) {
        (&self.pairs, &mut self.values)
    }

    /// The value of a pair, whichever part is named first.
    pub fn get(&self, a: PartId, b: PartId) -> Option<&T> {
        let pair = if a < b { (a, b) } else { (b, a) };
        self.pairs.binary_search(&pair).ok().map(|at| &self.values[at])
    }

    /// Removes all pairs. Keeps its capacity.
    pub fn clear(&mut self) {
        self.pairs.clear();
        self.values.clear();
    }
}

impl<T: Default> PairCache<T> {
    /// Takes over a new list of pairs (sorted, each once, as [`BroadPhase::pairs`] gives it): pairs that go on
    /// keep their values, new ones start with the default, values of those that ended are dropped.
    ///
    /// [`BroadPhase::pairs`]: super::BroadPhase::pairs
    pub fn update(&mut self, pairs: &[PartPair]) -> Result<(), BroadError> {
        if let Some(at) = pairs.windows(2).position(|w| w[0] >= w[1]) {
            return Err(BroadError::Unsorted { index: at + 1 });
        }
        self.next.clear();
        let mut old = 0;
        for pair in pairs {
            while self.pairs.get(old).is_some_and(|p| p < pair) {
                old += 1;
            }
            self.next.push(if self.pairs.get(old) == Some(pair) {
                std::mem::take(&mut self.values[old])
            } else {
                T::default()
            });
        }
        std::mem::swap(&mut self.values, &mut self.next);
        self.pairs.clear();
        self.pairs.extend_from_slice(pairs);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pair(a: u32, b: u32) -> PartPair {
        (PartId::new(a, 0), PartId::new(b, 0))
    }

    #[test]
    fn a_pair_keeps_its_value_while_it_lasts_and_starts_anew_when_it_returns() {
        let mut cache = PairCache::<Vec<u8>>::new();
        cache.update(&[pair(0, 1), pair(0, 2), pair(3, 4)]).unwrap();
        for (k, value) in cache.values_mut().iter_mut().enumerate() {
            value.push(k as u8);
        }
        cache.update(&[pair(0, 2), pair(1, 2), pair(3, 4), pair(5, 6)]).unwrap();
        assert_eq!(cache.values(), [vec![1], vec![], vec![2], vec![]]);
        assert_eq!(cache.get(PartId::new(4, 0), PartId::new(3, 0)), Some(&vec![2]));
        assert_eq!(cache.get(PartId::new(0, 0), PartId::new(1, 0)), None);
        cache.update(&[pair(0, 1)]).unwrap();
        assert_eq!(cache.values(), [Vec::<u8>::new()]);
    }

    #[test]
    fn a_list_out_of_order_is_refused_and_nothing_is_lost() {
        let mut cache = PairCache::<i32>::new();
        cache.update(&[pair(0, 1)]).unwrap();
        cache.values_mut()[0] = 5;
        assert_eq!(
            cache.update(&[pair(0, 1), pair(2, 3), pair(1, 2)]),
            Err(BroadError::Unsorted { index: 2 })
        );
        assert_eq!(cache.update(&[pair(0, 1), pair(0, 1)]), Err(BroadError::Unsorted { index: 1 }));
        assert_eq!(cache.values(), [5]);
    }
}
