//! A bounding-volume tree without pointers: eight boxes to a node, complete, in packed order.
//!
//! Leaves are in *slots*; eight consecutive slots form a node, eight consecutive nodes a node of the next
//! level, up to one root node. Lane `l` of node `k` on level `v + 1` bounds node `8 k + l` of level `v`. The
//! shape of the tree is thus fixed by the number of slots, and its quality by the order of the leaves
//! ([`pack`](super::pack)).
use super::node::{BoxF32, Node, WIDTH};

/// Levels of the tree, at most: `8^11 > 2^32` slots.
const HEIGHT: usize = 11;

/// The tree.
#[derive(Clone, Debug, Default)]
pub(super) struct Tree {
    /// `levels[0]` holds the leaves, the last level the root node alone.
    levels: Vec<Vec<Node>>,
    /// Slots in use, from zero; some may be empty.
    slots: usize,
    /// Levels in use.
    height: usize,
    /// Per leaf node, the lanes changed since the last [`clear_changed`](Self::clear_changed).
    changed: Vec<u8>,
}

impl Tree {
    pub fn slots(&self) -> usize {
        self.slots
    }

    /// Makes room for `slots` leaves, all empty and unchanged. Keeps its capacity.
    pub fn reset(&mut self, slots: usize) {
        self.slots = 0;
        self.height = 0;
        for level in &mut self.levels {
            level.clear();
        }
        self.changed.clear();
        self.grow(slots);
    }

    /// Appends empty slots.
    fn grow(&mut self, slots: usize) {
        self.slots = slots;
        let mut nodes = slots.div_ceil(WIDTH).max(1);
        self.changed.resize(nodes, 0);
        let before = self.height;
        self.height = 0;
        loop {
            if self.levels.len() == self.height {
                self.levels.push(Vec::new());
            }
            self.levels[self.height].resize(nodes, Node::EMPTY);
            self.height += 1;
            if nodes == 1 {
                break;
            }
            nodes = nodes.div_ceil(WIDTH);
        }
        // A new top level must bound what was below the old root.
        for level in if before == 0 { 1..1 } else { before..self.height } {
            for k in 0..self.levels[level - 1].len() {
                self.refit_parent(level - 1, k);
            }
        }
    }

    /// Appends a leaf, marked as changed.
    pub fn push(&mut self, b: &BoxF32) -> usize {
        let slot = self.slots;
        self.grow(slot + 1);
        self.set(slot, b);
        slot
    }

    /// Replaces a leaf and marks it as changed. Its ancestors are stale until the next refit.
    #[inline]
    pub fn set(&mut self, slot: usize, b: &BoxF32) {
        self.levels[0][slot / WIDTH].set_lane(slot % WIDTH, b);
        self.changed[slot / WIDTH] |= 1 << (slot % WIDTH);
    }

    /// Sets a leaf after a [`reset`](Self::reset).
    #[inline]
    pub fn place(&mut self, slot: usize, b: &BoxF32, changed: bool) {
        self.levels[0][slot / WIDTH].set_lane(slot % WIDTH, b);
        self.changed[slot / WIDTH] |= u8::from(changed) << (slot % WIDTH);
    }

    #[inline]
    pub fn is_changed(&self, slot: usize) -> bool {
        self.changed[slot / WIDTH] >> (slot % WIDTH) & 1 != 0
    }

    /// Marks all leaves as unchanged.
    pub fn clear_changed(&mut self) {
        self.changed.fill(0);
    }

    /// Copies the bounds of a node into its parent's lane.
    #[inline(always)]
    fn refit_parent(&mut self, level: usize, node: usize) {
        let b = self.levels[level][node].bounds();
        self.levels[level + 1][node / WIDTH].set_lane(node % WIDTH, &b);
    }

    /// Renews all bounds above the leaves.
    pub fn refit(&mut self) {
        for level in 0..self.height.saturating_sub(1) {
            for node in 0..self.levels[level].len() {
                self.refit_parent(level, node);
            }
        }
    }

    /// Renews the bounds above one leaf.
    pub fn refit_above(&mut self, slot: usize) {
        let mut node = slot / WIDTH;
        for level in 0..self.height.saturating_sub(1) {
            self.refit_parent(level, node);
            node /= WIDTH;
        }
    }

    /// Sum of the half perimeters of the leaf nodes (metres): the quality of the tree.
    pub fn perimeter(&self) -> f64 {
        let perimeter = |node: &Node| {
            let b = node.bounds();
            let size: f32 = (0..3).map(|k| (b.hi[k] - b.lo[k]).max(0.0)).sum();
            f64::from(size)
        };
        self.levels.first().map_or(0.0, |leaves| leaves.iter().map(perimeter).sum())
    }

    /// Whether all leaves lie further from the origin than twice their extent.
    pub fn is_far_from_origin(&self) -> bool {
        let Some(root) = self.height.checked_sub(1).and_then(|top| self.levels[top].first()) else {
            return false;
        };
        let b = root.bounds();
        let extent = (0..3).map(|k| b.hi[k] - b.lo[k]).fold(0.0, f32::max);
        let distance = (0..3).map(|k| (0.5 * b.lo[k] + 0.5 * b.hi[k]).abs()).fold(0.0, f32::max);
        // An empty tree has infinite corners, whose middle is not a number: not far from the origin.
        distance > 2.0 * extent && distance.is_finite()
    }

    /// Calls `emit` with every slot whose leaf intersects the box.
    pub fn query(&self, b: &BoxF32, mut emit: impl FnMut(usize)) {
        self.walk(
            b,
            |node| {
                let mut lanes = self.levels[0][node].intersects(b);
                while lanes != 0 {
                    emit(node * WIDTH + lanes.trailing_zeros() as usize);
                    lanes &= lanes - 1;
                }
            },
            0,
        );
    }

    /// Calls `visit` with every leaf node, from `first` on, whose bounds intersect the box.
    #[inline(always)]
    fn walk(&self, b: &BoxF32, mut visit: impl FnMut(usize), first: usize) {
        if self.slots == 0 {
            return;
        }
        if self.height == 1 {
            return visit(0);
        }
        // One entry per level: the node and its lanes still to be visited.
        let mut stack = [(0usize, 0u32); HEIGHT];
        let mut level = self.height - 1;
        // Nodes before this one on a level hold only leaf nodes before `first`.
        let start = |level: usize| first >> (3 * level);
        let lanes_of = |level: usize, node: usize| {
            let mut lanes = self.levels[level][node].intersects(b);
            if node == start(level) {
                lanes &= !0 << (start(level - 1) % WIDTH);
            }
            lanes
        };
        stack[level] = (0, lanes_of(level, 0));
        loop {
            let (node, lanes) = stack[level];
            if lanes == 0 {
                level += 1;
                if level == self.height {
                    return;
                }
                continue;
            }
            stack[level].1 = lanes & (lanes - 1);
            let child = node * WIDTH + lanes.trailing_zeros() as usize;
            if level == 1 {
                visit(child);
            } else {
                level -= 1;
                stack[level] = (child, lanes_of(level, child));
            }
        }
    }

    /// Calls `emit` once with every two slots whose leaves intersect and of which at least one has changed.
    ///
    /// For each leaf node: the leaf nodes from there on that it intersects, then its lanes that reach into the
    /// bounds of each of them, then the lanes of those nodes that intersect these. Every stage writes whole nodes'
    /// worth of lanes and counts afterwards: hits are as good as random, and a branch on each would cost
    /// more than the comparison.
    pub fn join(&self, work: &mut JoinWork, mut emit: impl FnMut(usize, usize)) {
        let JoinWork { nodes, reaching, pairs } = work;
        let leaves = match self.levels.first() {
            Some(leaves) if self.slots > 0 => leaves,
            _ => return,
        };
        for (a, node_a) in leaves.iter().enumerate() {
            let around_a = node_a.bounds();
            nodes.clear();
            self.walk(&around_a, |b| nodes.push(b as u32), a);

            let changed_a = u32::from(self.changed[a]);
            ensure_len(reaching, nodes.len());
            let mut count = 0;
            for &b in nodes.iter() {
                let around_b = if b as usize == a { around_a } else { self.bounds_of(b as usize) };
                let relevant = if self.changed[b as usize] == 0 { changed_a } else { !0 };
                let lanes = node_a.intersects(&around_b) & relevant;
                write_lanes(&mut reaching[count..], lanes, |lane| (lane, b));
                count += lanes.count_ones() as usize;
            }

            ensure_len(pairs, count);
            let mut found = 0;
            for &(i, b) in &reaching[..count] {
                let to = b as usize;
                let relevant = if changed_a >> i & 1 != 0 { !0 } else { u32::from(self.changed[to]) };
                // Within a node, each two lanes once.
                let later = if to == a { !1 << i } else { !0 };
                let lanes = leaves[to].intersects(&node_a.lane(i as usize)) & relevant & later;
                write_lanes(&mut pairs[found..], lanes, |lane| (i, b * WIDTH as u32 + lane));
                found += lanes.count_ones() as usize;
            }
            for &(i, slot) in &pairs[..found] {
                emit(a * WIDTH + i as usize, slot as usize);
            }
        }
    }

    /// The bounds of a leaf node, as its parent has them.
    #[inline(always)]
    fn bounds_of(&self, node: usize) -> BoxF32 {
        self.levels[1][node / WIDTH].lane(node % WIDTH)
    }
}

/// Scratch of [`Tree::join`].
#[derive(Clone, Debug, Default)]
pub(super) struct JoinWork {
    nodes: Vec<u32>,
    /// A lane of the current node and the node whose bounds it intersects.
    reaching: Vec<(u32, u32)>,
    /// A lane of the current node and the slot it intersects.
    pairs: Vec<(u32, u32)>,
}

/// Makes room for all lanes of so many masks.
fn ensure_len(list: &mut Vec<(u32, u32)>, masks: usize) {
    if list.len() < masks * WIDTH {
        list.resize(masks * WIDTH, (0, 0));
    }
}

/// Writes an entry for each lane set in the mask, and as many useless ones behind as make a full node.
#[inline(always)]
fn write_lanes(list: &mut [(u32, u32)], lanes: u32, entry: impl Fn(u32) -> (u32, u32)) {
    let order = &LANES[(lanes & 0xff) as usize];
    for (place, &lane) in list[..WIDTH].iter_mut().zip(order) {
        *place = entry(u32::from(lane));
    }
}

/// The lanes set in each mask, from the lowest.
static LANES: [[u8; WIDTH]; 256] = {
    let mut table = [[0; WIDTH]; 256];
    let mut mask = 0;
    while mask < 256 {
        let (mut lane, mut at) = (0, 0);
        while lane < WIDTH {
            if mask >> lane & 1 != 0 {
                table[mask][at] = lane as u8;
                at += 1;
            }
            lane += 1;
        }
        mask += 1;
    }
    table
};
