//! The broad phase: what is watched, and the list of pairs.

use std::collections::HashMap;

use super::candidates::{Candidates, GONE};
use super::node::Outward;
use super::pack::Item;
use super::part::{BroadError, Groups, Part, PartId, PartPair, check};
use super::tree::{JoinWork, Tree};
use crate::Vec3;
use crate::bounds::Aabb;

/// Slack around a part's box, as a fraction of its longest side: large enough that a body at an ordinary
/// speed stays inside for a few steps, small enough that few pairs are looked at in vain.
pub const DEFAULT_SLACK: f64 = 0.05;

/// No slot: the part is unbounded, or not placed yet.
pub(super) const NOWHERE: u32 = u32::MAX;

/// A part's handle, for updates. It outlives changes of other parts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Proxy {
    index: u32,
    generation: u32,
}

/// What else is known of a part.
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
    /// Whether it awaits a new loose box.
    pub changed: bool,
    /// Whether its pairs are to be forgotten and found anew.
    pub renewed: bool,
}

/// What a pair found in the tree is judged by; one per slot, so that neighbours in space are neighbours
/// in memory.
#[derive(Clone, Copy, Debug)]
pub(super) struct Seat {
    /// The loose box at the last refresh: pairs that met then are in the list already.
    pub before: Outward,
    pub body: u32,
    pub fixed: bool,
    pub groups: Groups,
    pub rank: u32,
    pub index: u32,
}

impl Seat {
    pub const EMPTY: Seat = Seat {
        before: Outward::EMPTY,
        body: 0,
        fixed: false,
        groups: Groups { member: 0, meets: 0 },
        rank: GONE,
        index: NOWHERE,
    };

    /// Whether name, kind and groups allow the pair.
    #[inline(always)]
    pub fn may_collide(&self, other: &Seat) -> bool {
        (self.body != other.body) & !(self.fixed & other.fixed) & self.groups.agree(&other.groups)
    }
}

/// Fraction of a part's longest side.
#[derive(Clone, Copy, Debug)]
pub(super) struct Slack(pub f64);

impl Default for Slack {
    fn default() -> Self {
        Self(DEFAULT_SLACK)
    }
}

/// Watches the boxes of parts and lists the pairs that touch.
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
    pub(super) slack: Slack,
    // Per proxy.
    pub(super) names: Vec<PartId>,
    pub(super) boxes: Vec<Aabb>,
    /// Whether the box changed since the last refresh.
    pub(super) moved: Vec<bool>,
    /// Loose boxes, relative to the origin; empty for unbounded parts.
    pub(super) loose: Vec<Outward>,
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
    /// Proxies that await a new loose box.
    pub(super) changed: Vec<u32>,
    /// Proxies of parts that reach infinity.
    pub(super) unbounded: Vec<u32>,
    /// Whether anything happened since the last refresh.
    pub(super) stirred: bool,
    pub(super) tree: Tree,
    pub(super) seats: Vec<Seat>,
    pub(super) origin: Vec3,
    /// Leaf nodes' spread after the last packing, leaf changes since it was last looked at, and slots
    /// appended since the packing.
    pub(super) packed_spread: f64,
    pub(super) wear: usize,
    pub(super) appended: usize,
    pub(super) candidates: Candidates,
    /// The list of pairs; entries from `touching` on are scratch.
    pub(super) pairs: Vec<PartPair>,
    pub(super) touching: usize,
    // Scratch.
    pub(super) renewed_ranks: Vec<bool>,
    pub(super) moved_ranks: Vec<bool>,
    pub(super) renumbered: Vec<u32>,
    pub(super) next_order: Vec<u32>,
    pub(super) items: Vec<Item>,
    pub(super) join_work: JoinWork,
}

impl BroadPhase {
    /// Nothing to watch yet; [`DEFAULT_SLACK`].
    pub fn new() -> Self {
        Self::default()
    }

    /// As [`new`](Self::new) with another slack, a fraction of each part's longest side. It changes the
    /// cost, never the pairs.
    pub fn with_slack(slack: f64) -> Result<Self, BroadError> {
        if slack.is_finite() && slack >= 0.0 {
            Ok(Self { slack: Slack(slack), ..Self::default() })
        } else {
            Err(BroadError::BadSlack { given: slack })
        }
    }

    /// Number of parts watched.
    pub fn len(&self) -> usize {
        self.by_id.len()
    }

    /// Whether no part is watched.
    pub fn is_empty(&self) -> bool {
        self.by_id.is_empty()
    }

    /// Starts to watch a part.
    pub fn insert(&mut self, part: Part, aabb: &Aabb) -> Result<Proxy, BroadError> {
        check(part.id, aabb)?;
        if self.by_id.contains_key(&part.id) {
            return Err(BroadError::Duplicate { id: part.id });
        }
        let record = Record {
            slot: NOWHERE,
            rank: GONE,
            generation: 0,
            groups: part.groups,
            fixed: part.fixed,
            alive: true,
            changed: true,
            renewed: false,
        };
        let index = match self.free.pop() {
            Some(index) => {
                let k = index as usize;
                let generation = self.records[k].generation;
                self.records[k] = Record { generation, ..record };
                self.names[k] = part.id;
                self.boxes[k] = *aabb;
                self.moved[k] = true;
                self.loose[k] = Outward::EMPTY;
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
                self.loose.push(Outward::EMPTY);
                index
            }
        };
        self.by_id.insert(part.id, index);
        self.added.push(index);
        self.changed.push(index);
        self.stirred = true;
        Ok(Proxy { index, generation: self.records[index as usize].generation })
    }

    /// Stops watching a part. Its pairs leave the list with the next [`refresh`](Self::refresh).
    pub fn remove(&mut self, proxy: Proxy) -> Result<(), BroadError> {
        let k = self.known(proxy)?;
        self.by_id.remove(&self.names[k]);
        let record = &mut self.records[k];
        record.alive = false;
        record.generation = record.generation.wrapping_add(1);
        self.dead.push(proxy.index);
        self.stirred = true;
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
        self.stirred = true;
        let (lo, hi) = (aabb.lower - self.origin, aabb.upper - self.origin);
        if !self.loose[k].contains(&lo.into(), &hi.into()) {
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
        self.renew(k);
        Ok(())
    }

    /// Fixes the part or sets it free.
    pub fn set_fixed(&mut self, proxy: Proxy, fixed: bool) -> Result<(), BroadError> {
        let k = self.known(proxy)?;
        self.records[k].fixed = fixed;
        self.renew(k);
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
    /// on earlier positions, not on the slack.
    #[inline]
    pub fn pairs(&self) -> &[PartPair] {
        &self.pairs[..self.touching]
    }

    #[inline(always)]
    fn known(&self, proxy: Proxy) -> Result<usize, BroadError> {
        let k = proxy.index as usize;
        match self.records.get(k) {
            Some(record) if record.generation == proxy.generation && record.alive => Ok(k),
            _ => Err(BroadError::Removed { index: proxy.index }),
        }
    }

    /// Puts a part on the list of those that await a new loose box.
    #[inline(always)]
    pub(super) fn mark(&mut self, k: usize) {
        if !self.records[k].changed {
            self.records[k].changed = true;
            self.changed.push(k as u32);
        }
    }

    fn renew(&mut self, k: usize) {
        self.records[k].renewed = true;
        self.mark(k);
        self.stirred = true;
    }
}
