//! The broad phase: its parts and the list of pairs.

use std::collections::HashMap;

use super::candidates::{Candidates, REMOVED};
use super::node::BoxF32;
use super::pack::Item;
use super::part::{BroadError, Groups, Part, PartId, PartPair, check};
use super::tree::{JoinWork, Tree};
use crate::Vec3;
use crate::bounds::Aabb;

/// Margin of the fat box of a part, as a fraction of its longest side: large enough that a body at an ordinary
/// speed stays inside for a few steps, small enough that few candidate pairs do not touch.
pub const DEFAULT_MARGIN: f64 = 0.05;

/// No slot: the part is unbounded, or not placed yet.
pub(super) const NO_SLOT: u32 = u32::MAX;

/// A part's handle, for updates. It outlives changes of other parts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Proxy {
    index: u32,
    generation: u32,
}

/// Further data of a part.
#[derive(Clone, Copy, Debug)]
pub(super) struct Record {
    /// Place in the tree.
    pub slot: u32,
    /// Place in the order of names, as of the last refresh.
    pub rank: u32,
    generation: u32,
    pub groups: Groups,
    pub fixed: bool,
    pub alive: bool,
    /// Whether it needs a new fat box.
    pub changed: bool,
    /// Whether its pairs are to be searched anew.
    pub pairs_invalid: bool,
}

/// The data by which a pair found in the tree is tested; one per slot, so that neighbours in space are neighbours in
/// memory.
#[derive(Clone, Copy, Debug)]
pub(super) struct Leaf {
    /// The fat box at the last refresh: pairs that intersected then are in the list already.
    pub before: BoxF32,
    pub body: u32,
    pub fixed: bool,
    pub groups: Groups,
    pub rank: u32,
    pub index: u32,
}

impl Leaf {
    pub const EMPTY: Leaf = Leaf {
        before: BoxF32::EMPTY,
        body: 0,
        fixed: false,
        groups: Groups { member: 0, meets: 0 },
        rank: REMOVED,
        index: NO_SLOT,
    };

    /// Whether name, kind and groups allow the pair.
    #[inline(always)]
    pub fn may_collide(&self, other: &Leaf) -> bool {
        (self.body != other.body) & !(self.fixed & other.fixed) & self.groups.agree(&other.groups)
    }
}

/// Fraction of a part's longest side.
#[derive(Clone, Copy, Debug)]
pub(super) struct Margin(pub f64);

impl Default for Margin {
    fn default() -> Self {
        Self(DEFAULT_MARGIN)
    }
}

/// Holds the boxes of parts and lists the pairs that touch.
///
/// ```
/// use percussion_geometry::{Aabb, Vec3};
/// use percussion_geometry::broad::{BroadPhase, Part, PartId};
/// # fn main() -> Result<(), percussion_geometry::broad::BroadError> {
/// let cube = |x: f64| Aabb::new(Vec3::new(x, 0.0, 0.0), Vec3::new(x + 1.0, 1.0, 1.0));
/// let mut broad = BroadPhase::new();
/// let left = broad.insert(Part::moving(PartId::new(0, 0)), &cube(0.0))?;
/// let right = broad.insert(Part::moving(PartId::new(1, 0)), &cube(5.0))?;
/// broad.refresh();
/// assert!(broad.pairs().is_empty());
///
/// broad.update_swept(left, &cube(0.0), &cube(4.5))?; // where it goes within a step
/// broad.refresh();
/// assert_eq!(broad.pairs(), [(PartId::new(0, 0), PartId::new(1, 0))]);
/// # broad.remove(right)?;
/// # Ok(()) }
/// ```
#[derive(Clone, Debug, Default)]
pub struct BroadPhase {
    pub(super) margin: Margin,
    // Per proxy.
    pub(super) names: Vec<PartId>,
    pub(super) boxes: Vec<Aabb>,
    /// Whether the box changed since the last refresh.
    pub(super) moved: Vec<bool>,
    /// Fat boxes, relative to the origin; empty for unbounded parts.
    pub(super) fat: Vec<BoxF32>,
    pub(super) records: Vec<Record>,
    /// Proxies free for use, and those to be freed by the next refresh.
    pub(super) free: Vec<u32>,
    pub(super) dead: Vec<u32>,
    by_id: HashMap<PartId, u32>,
    /// Proxies in the order of their names, as of the last refresh, and those inserted since.
    pub(super) order: Vec<u32>,
    pub(super) added: Vec<u32>,
    /// The names in order.
    pub(super) ids: Vec<PartId>,
    /// Proxies that need a new fat box.
    pub(super) changed: Vec<u32>,
    /// Proxies of parts that reach infinity.
    pub(super) unbounded: Vec<u32>,
    /// Whether anything happened since the last refresh.
    pub(super) dirty: bool,
    pub(super) tree: Tree,
    pub(super) leaves: Vec<Leaf>,
    pub(super) origin: Vec3,
    /// Leaf nodes' spread after the last packing, leaf changes since it was last computed, and slots
    /// appended since the packing.
    pub(super) packed_perimeter: f64,
    pub(super) changes: usize,
    pub(super) appended: usize,
    pub(super) candidates: Candidates,
    /// The list of pairs; entries from `pair_count` on are scratch.
    pub(super) pairs: Vec<PartPair>,
    pub(super) pair_count: usize,
    // Scratch.
    pub(super) invalid_ranks: Vec<bool>,
    pub(super) moved_ranks: Vec<bool>,
    pub(super) renumbered: Vec<u32>,
    pub(super) next_order: Vec<u32>,
    pub(super) items: Vec<Item>,
    pub(super) join_work: JoinWork,
}

impl BroadPhase {
    /// An empty broad phase with [`DEFAULT_MARGIN`].
    pub fn new() -> Self {
        Self::default()
    }

    /// As [`new`](Self::new) with another margin, a fraction of each part's longest side. It changes the
    /// cost, never the pairs.
    pub fn with_margin(margin: f64) -> Result<Self, BroadError> {
        if margin.is_finite() && margin >= 0.0 {
            Ok(Self { margin: Margin(margin), ..Self::default() })
        } else {
            Err(BroadError::BadMargin { given: margin })
        }
    }

    /// Number of parts.
    pub fn len(&self) -> usize {
        self.by_id.len()
    }

    /// Whether there are no parts.
    pub fn is_empty(&self) -> bool {
        self.by_id.is_empty()
    }

    /// Inserts a part.
    pub fn insert(&mut self, part: Part, aabb: &Aabb) -> Result<Proxy, BroadError> {
        check(part.id, aabb)?;
        if self.by_id.contains_key(&part.id) {
            return Err(BroadError::Duplicate { id: part.id });
        }
        let record = Record {
            slot: NO_SLOT,
            rank: REMOVED,
            generation: 0,
            groups: part.groups,
            fixed: part.fixed,
            alive: true,
            changed: true,
            pairs_invalid: false,
        };
        let index = match self.free.pop() {
            Some(index) => {
                let k = index as usize;
                let generation = self.records[k].generation;
                self.records[k] = Record { generation, ..record };
                self.names[k] = part.id;
                self.boxes[k] = *aabb;
                self.moved[k] = true;
                self.fat[k] = BoxF32::EMPTY;
                index
            }
            None => {
                let index = self.records.len() as u32;
                if index >= 1 << 31 {
                    return Err(BroadError::Full);
                }
                self.records.push(record);
                self.names.push(part.id);
                self.boxes.push(*aabb);
                self.moved.push(true);
                self.fat.push(BoxF32::EMPTY);
                index
            }
        };
        self.by_id.insert(part.id, index);
        self.added.push(index);
        self.changed.push(index);
        self.dirty = true;
        Ok(Proxy { index, generation: self.records[index as usize].generation })
    }

    /// Removes a part. Its pairs leave the list with the next [`refresh`](Self::refresh).
    pub fn remove(&mut self, proxy: Proxy) -> Result<(), BroadError> {
        let k = self.known(proxy)?;
        self.by_id.remove(&self.names[k]);
        let record = &mut self.records[k];
        record.alive = false;
        record.generation = record.generation.wrapping_add(1);
        self.dead.push(proxy.index);
        self.dirty = true;
        Ok(())
    }

    /// The part's box is now `aabb`.
    #[inline]
    pub fn update(&mut self, proxy: Proxy, aabb: &Aabb) -> Result<(), BroadError> {
        let k = self.known(proxy)?;
        check(self.names[k], aabb)?;
        if self.boxes[k] == *aabb {
            return Ok(());
        }
        self.boxes[k] = *aabb;
        self.moved[k] = true;
        self.dirty = true;
        let (lo, hi) = (aabb.lower - self.origin, aabb.upper - self.origin);
        if !self.fat[k].contains(&lo.into(), &hi.into()) {
            self.mark(k);
        }
        Ok(())
    }

    /// The part goes from `start` to `end` within the step, without leaving the box around both: in a straight
    /// line without turning. A part that turns as well is updated with its
    /// [`swept_bounds`](crate::shapes::Solid::swept_bounds).
    pub fn update_swept(&mut self, proxy: Proxy, start: &Aabb, end: &Aabb) -> Result<(), BroadError> {
        let id = self.names[self.known(proxy)?];
        check(id, start)?;
        check(id, end)?;
        self.update(proxy, &start.merged(end))
    }

    /// No point of the part gets further than `displacement` (metres) from where it is within the step.
    pub fn update_reach(&mut self, proxy: Proxy, aabb: &Aabb, displacement: f64) -> Result<(), BroadError> {
        let id = self.names[self.known(proxy)?];
        if !(displacement >= 0.0 && displacement.is_finite()) {
            return Err(BroadError::BadDisplacement { id, bound: displacement });
        }
        check(id, aabb)?;
        self.update(proxy, &aabb.grown(displacement))
    }

    /// Puts the part in other groups.
    pub fn set_groups(&mut self, proxy: Proxy, groups: Groups) -> Result<(), BroadError> {
        let k = self.known(proxy)?;
        self.records[k].groups = groups;
        self.invalidate_pairs(k);
        Ok(())
    }

    /// Fixes the part or sets it free.
    pub fn set_fixed(&mut self, proxy: Proxy, fixed: bool) -> Result<(), BroadError> {
        let k = self.known(proxy)?;
        self.records[k].fixed = fixed;
        self.invalidate_pairs(k);
        Ok(())
    }

    /// The handle of a part, by name.
    pub fn proxy(&self, id: PartId) -> Option<Proxy> {
        let index = *self.by_id.get(&id)?;
        Some(Proxy { index, generation: self.records[index as usize].generation })
    }

    /// The part behind a handle.
    pub fn part(&self, proxy: Proxy) -> Result<Part, BroadError> {
        let k = self.known(proxy)?;
        let Record { fixed, groups, .. } = self.records[k];
        Ok(Part { id: self.names[k], fixed, groups })
    }

    /// The part's box, as given last.
    pub fn aabb(&self, proxy: Proxy) -> Result<&Aabb, BroadError> {
        self.known(proxy).map(|k| &self.boxes[k])
    }

    /// The touching pairs found by the last [`refresh`](Self::refresh), sorted by name, each once, the
    /// lesser name first. They depend on the boxes alone: not on the order of insertions and updates, not
    /// on earlier positions, not on the margin.
    #[inline]
    pub fn pairs(&self) -> &[PartPair] {
        &self.pairs[..self.pair_count]
    }

    #[inline(always)]
    fn known(&self, proxy: Proxy) -> Result<usize, BroadError> {
        let k = proxy.index as usize;
        match self.records.get(k) {
            Some(record) if record.generation == proxy.generation && record.alive => Ok(k),
            _ => Err(BroadError::Removed { index: proxy.index }),
        }
    }

    /// Marks a part that needs a new fat box.
    #[inline(always)]
    pub(super) fn mark(&mut self, k: usize) {
        if !self.records[k].changed {
            self.records[k].changed = true;
            self.changed.push(k as u32);
        }
    }

    fn invalidate_pairs(&mut self, k: usize) {
        self.records[k].pairs_invalid = true;
        self.mark(k);
        self.dirty = true;
    }
}
