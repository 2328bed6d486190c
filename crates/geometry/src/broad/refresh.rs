//! One refresh of the broad phase: from boxes to pairs.
//!
//! ```text
//! renumber     the order of names, after insertions and removals
//! update_tree  new fat boxes for the parts that left theirs; the tree is refitted, or packed anew
//! search       the changed leaves against the tree: pairs that intersect now and did not before
//! select       pairs whose fat boxes are apart are dropped; of the rest, those that touch are listed
//! ```
//!
//! Fat boxes depend on history; the list does not, because the boxes themselves decide.

use super::candidates::REMOVED;
use super::node::{BoxF32, WIDTH};
use super::pack::{Item, pack};
use super::part::PartId;
use super::phase::{BroadPhase, Leaf, NO_SLOT};

/// Coordinates from here on (metres) are treated as infinite: beyond the range of single precision.
const UNBOUNDED: f64 = 1e30;

/// The tree is packed anew when its leaf nodes have grown by this factor since the last packing.
const REPACK_GROWTH: f64 = 1.25;

/// Walk up from each changed leaf while fewer than one in this many have changed; renew all bounds otherwise.
const FEW_TO_REFIT: usize = 4;

/// Query leaf by leaf while fewer than one in this many have changed; join the tree with itself otherwise.
const FEW_TO_QUERY: usize = 6;

impl BroadPhase {
    /// Finds the pairs whose boxes touch, as they now are.
    pub fn refresh(&mut self) {
        self.refresh_where(|_, _| true);
    }

    /// As [`refresh`](Self::refresh), listing only the pairs that `keep` accepts. It is called once for
    /// each touching pair, in the order of the list, the lesser name first.
    pub fn refresh_where(&mut self, keep: impl FnMut(PartId, PartId) -> bool) {
        if self.dirty {
            self.renumber();
            self.update_tree();
            self.search();
            self.dirty = false;
        }
        self.select(keep);
    }

    /// Brings the order of names up to date after insertions and removals.
    fn renumber(&mut self) {
        if self.added.is_empty() && self.dead.is_empty() {
            return;
        }
        for &k in &self.dead {
            let slot = self.records[k as usize].slot;
            if slot != NO_SLOT {
                self.tree.set(slot as usize, &BoxF32::EMPTY);
                self.tree.refit_above(slot as usize);
                self.leaves[slot as usize] = Leaf::EMPTY;
            }
        }
        let Self { names, records, added, order, next_order, renumbered, .. } = self;
        added.retain(|&k| records[k as usize].alive);
        added.sort_unstable_by_key(|&k| names[k as usize]);
        next_order.clear();
        renumbered.clear();
        let mut inserted = added.drain(..).peekable();
        for &k in order.iter() {
            if !records[k as usize].alive {
                renumbered.push(REMOVED);
                continue;
            }
            let id = names[k as usize];
            while let Some(new) = inserted.next_if(|&new| names[new as usize] < id) {
                next_order.push(new);
            }
            renumbered.push(next_order.len() as u32);
            next_order.push(k);
        }
        next_order.extend(inserted);
        std::mem::swap(order, next_order);
        self.ids.clear();
        for (rank, &k) in order.iter().enumerate() {
            records[k as usize].rank = rank as u32;
            self.ids.push(names[k as usize]);
        }
        self.candidates.renumber(&self.renumbered);
        self.changed.retain(|&k| self.records[k as usize].alive);
        self.unbounded.retain(|&k| self.records[k as usize].alive);
        for leaf in self.leaves.iter_mut().filter(|leaf| leaf.index != NO_SLOT) {
            leaf.rank = self.records[leaf.index as usize].rank;
        }
        self.free.append(&mut self.dead);
    }

    /// Places the changed leaves and renews the bounds above them, or packs the tree anew.
    fn update_tree(&mut self) {
        let appended_before = self.appended;
        for at in 0..self.changed.len() {
            self.place(self.changed[at] as usize);
        }
        self.changes += self.changed.len();
        let slots = self.tree.slots();
        if self.appended * 8 > slots || self.order.len() * 2 + WIDTH < slots || self.needs_packing() {
            self.repack();
        } else if self.appended > appended_before || self.changed.len() * FEW_TO_REFIT > slots {
            self.tree.refit();
        } else {
            for &k in &self.changed {
                let slot = self.records[k as usize].slot;
                if slot != NO_SLOT {
                    self.tree.refit_above(slot as usize);
                }
            }
        }
        if self.tree.is_far_from_origin() {
            self.repack();
        }
    }

    /// The loose box of a part; `None` if the part is unbounded.
    fn fat_box(&self, k: usize) -> Option<BoxF32> {
        let b = &self.boxes[k];
        if b.lower.amax().max(b.upper.amax()) >= UNBOUNDED {
            return None;
        }
        let margin = self.margin.0 * b.extents().max();
        let (lo, hi) = (b.lower - self.origin, b.upper - self.origin);
        Some(BoxF32::new(lo.map(|x| x - margin).into(), hi.map(|x| x + margin).into()))
    }

    fn leaf(&self, k: usize, before: BoxF32) -> Leaf {
        let record = &self.records[k];
        let body = self.names[k].body;
        Leaf { before, body, fixed: record.fixed, groups: record.groups, rank: record.rank, index: k as u32 }
    }

    /// Gives a changed part its new loose box.
    fn place(&mut self, k: usize) {
        let fat = self.fat_box(k);
        let slot = self.records[k].slot;
        self.fat[k] = fat.unwrap_or(BoxF32::EMPTY);
        match (fat, slot) {
            (Some(fat), NO_SLOT) => {
                // Pairs it may have had while unbounded are listed still.
                self.records[k].pairs_invalid = true;
                self.unbounded.retain(|&u| u as usize != k);
                self.records[k].slot = self.tree.push(&fat) as u32;
                self.leaves.push(self.leaf(k, BoxF32::EMPTY));
                self.appended += 1;
            }
            (Some(fat), slot) => {
                self.tree.set(slot as usize, &fat);
                if self.records[k].pairs_invalid {
                    self.leaves[slot as usize] = self.leaf(k, BoxF32::EMPTY);
                }
            }
            (None, slot) => {
                if slot != NO_SLOT {
                    self.tree.set(slot as usize, &BoxF32::EMPTY);
                    self.tree.refit_above(slot as usize);
                    self.leaves[slot as usize] = Leaf::EMPTY;
                    self.records[k].slot = NO_SLOT;
                }
                if !self.unbounded.contains(&(k as u32)) {
                    self.unbounded.push(k as u32);
                }
            }
        }
    }

    /// Whether insertions have enlarged the leaf nodes so much that packing anew pays. Tested rarely.
    fn needs_packing(&mut self) -> bool {
        if self.changes * 2 < self.tree.slots() {
            return false;
        }
        self.changes = 0;
        self.tree.perimeter() > REPACK_GROWTH * self.packed_perimeter
    }

    /// Puts all leaves in packed order.
    fn repack(&mut self) {
        self.move_origin();
        self.items.clear();
        for leaf in self.leaves.iter().filter(|leaf| leaf.index != NO_SLOT) {
            self.items.push(Item::new(self.fat[leaf.index as usize], *leaf));
        }
        pack(&mut self.items);
        self.tree.reset(self.items.len());
        self.leaves.clear();
        for (slot, item) in self.items.iter().enumerate() {
            let record = &mut self.records[item.leaf.index as usize];
            record.slot = slot as u32;
            self.tree.place(slot, &item.bounds, record.changed);
            self.leaves.push(item.leaf);
        }
        self.tree.refit();
        self.packed_perimeter = self.tree.perimeter();
        self.changes = 0;
        self.appended = 0;
    }

    /// Moves the origin of single precision to the middle of a scene that is far from it.
    fn move_origin(&mut self) {
        let bounded = self.order.iter().filter(|&&k| self.records[k as usize].slot != NO_SLOT);
        let around = bounded.map(|&k| self.boxes[k as usize]).reduce(|a, b| a.merged(&b));
        let Some(around) = around else { return };
        let centre = around.centre();
        if (centre - self.origin).amax() <= around.extents().amax() {
            return;
        }
        // All coordinates have changed, so all pairs are searched anew.
        self.origin = centre;
        for at in 0..self.order.len() {
            let k = self.order[at] as usize;
            let slot = self.records[k].slot;
            if slot != NO_SLOT {
                self.fat[k] = self.fat_box(k).unwrap_or(BoxF32::EMPTY);
                self.leaves[slot as usize].before = BoxF32::EMPTY;
                self.records[k].pairs_invalid = true;
                self.mark(k);
            }
        }
    }

    /// Finds the new candidates among the changed leaves and the unbounded parts, and merges them in.
    fn search(&mut self) {
        self.invalid_ranks.clear();
        self.invalid_ranks.resize(self.order.len(), false);
        let changed = std::mem::take(&mut self.changed);
        let unbounded = std::mem::take(&mut self.unbounded);
        let mut candidates = std::mem::take(&mut self.candidates);
        let pairs_invalid =
            changed.iter().filter(|&&k| self.records[k as usize].pairs_invalid).chain(&unbounded);
        let mut any = false;
        for &k in pairs_invalid {
            self.invalid_ranks[self.records[k as usize].rank as usize] = true;
            // Its pairs are tested anew.
            self.moved[k as usize] = true;
            any = true;
        }
        if any {
            let pairs_invalid = &self.invalid_ranks;
            candidates.filter(|a, b, touched| (touched, !(pairs_invalid[a] | pairs_invalid[b])));
        }

        let (tree, leaves) = (&self.tree, &self.leaves);
        let mut test = |a: &Leaf, b: &Leaf| {
            if a.may_collide(b) & !a.before.intersects(&b.before) {
                candidates.push(a.rank, b.rank);
            }
        };
        if changed.len() * FEW_TO_QUERY > tree.slots() {
            tree.join(&mut self.join_work, |i, j| test(&leaves[i], &leaves[j]));
        } else {
            for &k in &changed {
                let i = self.records[k as usize].slot;
                if i == NO_SLOT {
                    continue;
                }
                // Two changed leaves find each other twice: the one in the lower slot reports.
                let i = i as usize;
                tree.query(&self.fat[k as usize], |j| {
                    if i < j || (j < i && !tree.is_changed(j)) {
                        test(&leaves[i], &leaves[j]);
                    }
                });
            }
        }
        // Unbounded parts are few: all of their pairs are searched every time.
        for (at, &k) in unbounded.iter().enumerate() {
            let leaf = self.leaf(k as usize, BoxF32::EMPTY);
            let b = &self.boxes[k as usize];
            let around = BoxF32::new((b.lower - self.origin).into(), (b.upper - self.origin).into());
            tree.query(&around, |j| test(&leaf, &leaves[j]));
            for &other in &unbounded[..at] {
                test(&leaf, &self.leaf(other as usize, BoxF32::EMPTY));
            }
        }
        candidates.merge();

        for &k in &changed {
            let k = k as usize;
            let record = &mut self.records[k];
            record.changed = false;
            record.pairs_invalid = false;
            if record.slot != NO_SLOT {
                self.leaves[record.slot as usize].before = self.fat[k];
            }
        }
        self.tree.clear_changed();
        self.candidates = candidates;
        self.unbounded = unbounded;
        self.changed = changed;
        self.changed.clear();
    }

    /// Drops the candidates whose loose boxes have parted and lists those whose own boxes touch.
    fn select(&mut self, mut keep: impl FnMut(PartId, PartId) -> bool) {
        let Self { order, ids, boxes, fat, moved, moved_ranks, candidates, pairs, .. } = self;
        moved_ranks.clear();
        moved_ranks.extend(order.iter().map(|&k| moved[k as usize]));
        moved.fill(false);
        if pairs.len() < candidates.len() {
            pairs.resize(candidates.len(), (PartId::default(), PartId::default()));
        }
        let mut count = 0;
        candidates.filter(|a, b, touched| {
            pairs[count] = (ids[a], ids[b]);
            let (mut touch, mut near) = (touched, true);
            if moved_ranks[a] | moved_ranks[b] {
                let (i, j) = (order[a] as usize, order[b] as usize);
                touch = boxes[i].overlaps(&boxes[j]);
                // An unbounded part has no fat box: its pair is kept while it touches.
                near = touch || fat[i].intersects(&fat[j]);
            }
            count += usize::from(touch && keep(ids[a], ids[b]));
            (touch, near)
        });
        self.pair_count = count;
    }
}

const _: () = assert!(WIDTH == 8, "changed lanes are kept as the bits of a byte");

#[cfg(test)]
mod tests {
    use super::*;
    use crate::broad::{Part, Proxy};
    use crate::{Aabb, Vec3};

    /// A row of 64 cubes of one metre, two metres apart, from `x` on.
    fn row(x: f64) -> impl Iterator<Item = Aabb> {
        (0..64).map(move |k| {
            let low = Vec3::new(x + 2.0 * f64::from(k), 0.0, 0.0);
            Aabb::new(low, low + Vec3::repeat(1.0))
        })
    }

    fn insert(broad: &mut BroadPhase, x: f64) -> Vec<Proxy> {
        let part = |k: usize| Part::moving(PartId::new(k as u32, 0));
        row(x).enumerate().map(|(k, b)| broad.insert(part(k), &b).unwrap()).collect()
    }

    #[test]
    fn a_scene_that_travels_takes_the_origin_along() {
        let mut broad = BroadPhase::new();
        let proxies = insert(&mut broad, 0.0);
        broad.refresh();
        // A thousand kilometres per refresh: single precision would soon resolve no metres.
        for k in 1..=1000 {
            let x = 1e6 * f64::from(k);
            for (proxy, b) in proxies.iter().zip(row(x)) {
                broad.update(*proxy, &b).unwrap();
            }
            broad.refresh();
            assert!(broad.pairs().is_empty());
        }
        assert!((broad.origin.x - 1e9).abs() < 1e8, "{}", broad.origin.x);
        assert_eq!(broad.candidates.len(), 0, "loose boxes still tell neighbours apart");
    }

    #[test]
    fn a_small_move_costs_nothing_in_the_tree() {
        let mut broad = BroadPhase::with_margin(0.1).unwrap();
        let proxies = insert(&mut broad, 0.0);
        broad.refresh();
        for (proxy, b) in proxies.iter().zip(row(0.09)) {
            broad.update(*proxy, &b).unwrap();
        }
        assert!(broad.changed.is_empty());
        for (proxy, b) in proxies.iter().zip(row(0.11)).take(5) {
            broad.update(*proxy, &b).unwrap();
        }
        assert_eq!(broad.changed.len(), 5);
    }

    #[test]
    fn wandering_leaves_are_packed_anew() {
        let mut broad = BroadPhase::new();
        let proxies = insert(&mut broad, 0.0);
        broad.refresh();
        let packed = broad.tree.perimeter();
        // Everyone changes places with someone far away.
        let places: Vec<Aabb> = row(0.0).collect();
        for (k, proxy) in proxies.iter().enumerate() {
            broad.update(*proxy, &places[(k * 37) % 64]).unwrap();
        }
        broad.refresh();
        assert!(broad.tree.perimeter() < 1.01 * packed);
    }
}
