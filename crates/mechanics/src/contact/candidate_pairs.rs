//! Which pairs of parts are near, and what each remembers.
//!
//! Boxes come from the caller: around parts where they stand, or around their paths over a step. The list of pairs is
//! that of the broad phase less the pairs that never meet; what a pair remembers goes on while its boxes touch.

use super::contact_geometry::ContactGeometry;
use super::contact_point::PairWarmStart;
use percussion_geometry::Aabb;
use percussion_geometry::broad::{self, BroadError, BroadPhase, PairCache, PartId, Proxy};

/// A pair of parts whose boxes touch, in the order in which it is asked about.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CandidatePair {
    /// The parts.
    pub pair: (usize, usize),
    /// Where its memory is.
    at: usize,
}

/// Watches the parts of a model.
#[derive(Debug, Default)]
pub struct CandidatePairs {
    broad: BroadPhase,
    proxies: Vec<Proxy>,
    cache: PairCache<PairWarmStart>,
    near: Vec<CandidatePair>,
}

impl CandidatePairs {
    /// Watches all parts, in given boxes.
    pub fn new(contacts: &ContactGeometry, mut boxed: impl FnMut(usize) -> Aabb) -> Result<Self, BroadError> {
        let mut watch = Self::default();
        for (index, part) in contacts.parts.iter().enumerate() {
            let id = PartId::new(part.body as u32, part.index as u32);
            let named = if part.moves() { broad::Part::moving(id) } else { broad::Part::fixed(id) };
            let proxy = watch.broad.insert(named, &boxed(index))?;
            watch.proxies.push(proxy);
        }
        watch.find(contacts)?;
        Ok(watch)
    }

    /// Takes new boxes of the moving parts and finds the pairs.
    pub fn look(
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
        self.near.clear();
        let place = |id: PartId| contacts.first[id.body as usize] + id.part as usize;
        for (at, &(a, b)) in self.cache.pairs().iter().enumerate() {
            let (a, b) = (place(a), place(b));
            if contacts.may_meet(a, b) {
                self.near.push(CandidatePair { pair: contacts.ordered(a, b), at });
            }
        }
        Ok(())
    }

    /// The pairs whose boxes touch, sorted.
    pub fn near(&self) -> &[CandidatePair] {
        &self.near
    }

    /// What the `k`-th of them remembers.
    pub fn memory(&mut self, k: usize) -> &mut PairWarmStart {
        &mut self.cache.values_mut()[self.near[k].at]
    }
}
