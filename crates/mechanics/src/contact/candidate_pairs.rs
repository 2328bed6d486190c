//! Candidate pairs of parts from the broad phase, with their warm starts.
//!
//! Bounding boxes come from the caller: around parts at their poses, or around their paths over a step. The list of pairs is
//! that of the broad phase without excluded pairs; a warm start lasts while the boxes of the pair overlap.

use super::contact_geometry::ContactGeometry;
use super::contact_point::PairWarmStart;
use percussion_geometry::Aabb;
use percussion_geometry::broad::{self, BroadError, BroadPhase, PairCache, PartId, Proxy};

/// A pair of parts whose boxes overlap, in the order of queries.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CandidatePair {
    /// The parts.
    pub pair: (usize, usize),
    /// Index of its warm start.
    at: usize,
}

/// The candidate pairs of a model.
#[derive(Debug, Default)]
pub struct CandidatePairs {
    broad: BroadPhase,
    proxies: Vec<Proxy>,
    cache: PairCache<PairWarmStart>,
    pairs: Vec<CandidatePair>,
}

impl CandidatePairs {
    /// The pairs of all parts, in given boxes.
    pub fn new(contacts: &ContactGeometry, mut boxed: impl FnMut(usize) -> Aabb) -> Result<Self, BroadError> {
        let mut candidates = Self::default();
        for (index, part) in contacts.parts.iter().enumerate() {
            let id = PartId::new(part.body as u32, part.index as u32);
            let named = if part.moves() { broad::Part::moving(id) } else { broad::Part::fixed(id) };
            let proxy = candidates.broad.insert(named, &boxed(index))?;
            candidates.proxies.push(proxy);
        }
        candidates.find(contacts)?;
        Ok(candidates)
    }

    /// Takes new boxes of the moving parts and finds the pairs.
    pub fn update(
        &mut self,
        contacts: &ContactGeometry,
        mut boxed: impl FnMut(usize) -> Aabb,
    ) -> Result<(), BroadError> {
        for (index, part) in contacts.parts.iter().enumerate() {
            if part.moves() {
                self.broad.update(self.proxies[index], &boxed(index))?;
            }
        }
        self.find(contacts)
    }

    fn find(&mut self, contacts: &ContactGeometry) -> Result<(), BroadError> {
        self.broad.refresh();
        self.cache.update(self.broad.pairs())?;
        self.pairs.clear();
        let place = |id: PartId| contacts.first[id.body as usize] + id.part as usize;
        for (at, &(a, b)) in self.cache.pairs().iter().enumerate() {
            let (a, b) = (place(a), place(b));
            if contacts.may_collide(a, b) {
                self.pairs.push(CandidatePair { pair: contacts.ordered(a, b), at });
            }
        }
        Ok(())
    }

    /// The pairs whose boxes overlap, sorted.
    pub fn pairs(&self) -> &[CandidatePair] {
        &self.pairs
    }

    /// Warm start of the `k`-th pair.
    pub fn warm_start(&mut self, k: usize) -> &mut PairWarmStart {
        &mut self.cache.values_mut()[self.pairs[k].at]
    }
}
