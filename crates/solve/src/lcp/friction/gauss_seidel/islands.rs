//! Who is coupled with whom. Parts that share no block are problems of their own; within a part, blocks are
//! visited in breadth from those that touch the world, so that a sweep carries news upwards.

use std::ops::Range;

/// No block: the world.
pub(super) const WORLD: u32 = u32::MAX;

/// Ranges of places in the lists of [`Graph`].
#[derive(Clone, Debug, Default)]
pub(super) struct Part {
    pub(super) bodies: Range<usize>,
    pub(super) items: Range<usize>,
}

/// The order of blocks and of the items (contacts or equalities) between them.
#[derive(Clone, Debug, Default)]
pub(super) struct Graph {
    /// Blocks of each item; the world comes second.
    pub(super) ends: Vec<[u32; 2]>,
    /// Blocks and items in the order of visits.
    pub(super) bodies: Vec<u32>,
    pub(super) items: Vec<u32>,
    pub(super) parts: Vec<Part>,
    /// Where each block is in `bodies`.
    pub(super) place: Vec<u32>,
    leader: Vec<u32>,
    first: Vec<u32>,
    list: Vec<u32>,
    /// First block of each part that touches the world, and the next of each of those.
    grounded: Vec<u32>,
    next: Vec<u32>,
    placed: Vec<bool>,
}

impl Graph {
    /// Arranges the items in `ends`.
    pub(super) fn arrange(&mut self, blocks: usize) {
        self.index(blocks);
        for list in [&mut self.grounded, &mut self.next, &mut self.place] {
            list.clear();
            list.resize(blocks, WORLD);
        }
        self.placed.clear();
        self.placed.resize(self.ends.len(), false);
        self.bodies.clear();
        self.items.clear();
        self.parts.clear();
        for block in (0..blocks).rev() {
            let mut touching = self.list[range(&self.first, block)].iter();
            if touching.any(|&item| self.ends[item as usize][1] == WORLD) {
                let leader = self.find(block as u32) as usize;
                self.next[block] = self.grounded[leader];
                self.grounded[leader] = block as u32;
            }
        }
        for block in 0..blocks {
            if self.place[block] != WORLD || range(&self.first, block).is_empty() {
                continue;
            }
            let (from, item) = (self.bodies.len(), self.items.len());
            let leader = self.find(block as u32) as usize;
            let mut seed = self.grounded[leader];
            if seed == WORLD {
                self.visit(block as u32);
            }
            while seed != WORLD {
                self.visit(seed);
                seed = self.next[seed as usize];
            }
            let mut at = from;
            while at < self.bodies.len() {
                for k in range(&self.first, self.bodies[at] as usize) {
                    let item = self.list[k] as usize;
                    if !self.placed[item] {
                        self.placed[item] = true;
                        self.items.push(item as u32);
                        let ends = self.ends[item];
                        ends.into_iter().filter(|b| *b != WORLD).for_each(|b| self.visit(b));
                    }
                }
                at += 1;
            }
            self.parts.push(Part { bodies: from..self.bodies.len(), items: item..self.items.len() });
        }
    }

    fn visit(&mut self, block: u32) {
        let place = &mut self.place[block as usize];
        if *place == WORLD {
            *place = self.bodies.len() as u32;
            self.bodies.push(block);
        }
    }

    /// The items of each block, and which blocks belong together.
    fn index(&mut self, blocks: usize) {
        self.leader.clear();
        self.leader.extend(0..blocks as u32);
        self.first.clear();
        self.first.resize(blocks + 1, 0);
        for k in 0..self.ends.len() {
            let [a, b] = self.ends[k];
            self.first[a as usize + 1] += 1;
            if b != WORLD {
                self.first[b as usize + 1] += 1;
                let (a, b) = (self.find(a), self.find(b));
                self.leader[a.max(b) as usize] = a.min(b);
            }
        }
        (0..blocks).for_each(|b| self.first[b + 1] += self.first[b]);
        self.list.resize(self.first[blocks] as usize, 0);
        // Filling from the back leaves each start where it belongs.
        for (item, ends) in self.ends.iter().enumerate().rev() {
            for &block in ends.iter().filter(|b| **b != WORLD) {
                let end = &mut self.first[block as usize + 1];
                *end -= 1;
                self.list[*end as usize] = item as u32;
            }
        }
        self.first.rotate_left(1);
        self.first[blocks] = self.list.len() as u32;
    }

    fn find(&mut self, mut block: u32) -> u32 {
        while self.leader[block as usize] != block {
            let above = self.leader[self.leader[block as usize] as usize];
            self.leader[block as usize] = above;
            block = above;
        }
        block
    }
}

fn range(first: &[u32], block: usize) -> Range<usize> {
    first[block] as usize..first[block + 1] as usize
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_are_apart_and_begin_at_the_ground() {
        // A tower 0-1-2 that stands on 2, a free pair 3-5, a body alone on the world 4, one that nobody touches.
        let mut graph = Graph {
            ends: vec![[0, 1], [1, 2], [3, 5], [4, WORLD], [2, WORLD], [2, WORLD]],
            ..Graph::default()
        };
        for _ in 0..2 {
            graph.arrange(7);
            assert_eq!(graph.bodies, [2, 1, 0, 3, 5, 4]);
            assert_eq!(graph.items, [1, 4, 5, 0, 2, 3]);
            let parts: Vec<_> = graph.parts.iter().map(|p| (p.bodies.clone(), p.items.clone())).collect();
            assert_eq!(parts, [(0..3, 0..4), (3..5, 4..5), (5..6, 5..6)]);
            assert_eq!(graph.place, [2, 1, 0, 3, 5, 4, WORLD]);
        }
    }
}
