//! Islands of coupled blocks. Islands share no block and are solved one by one; within an island, blocks are
//! visited in breadth from those that are in contact with the world, so that a sweep passes impulses upwards; large islands have
//! [colours](super::colours).

use super::colours::{ColourOrder, SweepTask};
use std::ops::Range;

/// No block: the world.
pub(super) const WORLD: u32 = u32::MAX;

/// Ranges of places in the lists of [`IslandGraph`].
#[derive(Clone, Debug, Default)]
pub(super) struct Island {
    pub(super) blocks: Range<usize>,
    pub(super) constraints: Range<usize>,
    /// Its tasks, if it is large.
    pub(super) tasks: Range<usize>,
}

/// The order of blocks and of the constraints (contacts or equalities) between them.
#[derive(Clone, Debug, Default)]
pub(super) struct IslandGraph {
    /// Blocks of each constraint; the world comes second.
    pub(super) endpoints: Vec<[u32; 2]>,
    /// Blocks and constraints in the order of visits.
    pub(super) blocks: Vec<u32>,
    pub(super) constraints: Vec<u32>,
    pub(super) islands: Vec<Island>,
    /// Tasks of large islands, colour by colour.
    pub(super) tasks: Vec<SweepTask>,
    pub(super) order: ColourOrder,
    /// Where each block is in `blocks`.
    pub(super) place: Vec<u32>,
    leader: Vec<u32>,
    first: Vec<u32>,
    list: Vec<u32>,
    /// First block of each island that is in contact with the world, and the next of each of those.
    grounded: Vec<u32>,
    next: Vec<u32>,
    placed: Vec<bool>,
}

impl IslandGraph {
    /// Arranges the constraints in `endpoints`.
    pub(super) fn arrange(&mut self, blocks: usize) {
        self.index(blocks);
        for list in [&mut self.grounded, &mut self.next, &mut self.place] {
            list.clear();
            list.resize(blocks, WORLD);
        }
        self.placed.clear();
        self.placed.resize(self.endpoints.len(), false);
        self.blocks.clear();
        self.constraints.clear();
        self.islands.clear();
        self.tasks.clear();
        for block in (0..blocks).rev() {
            let mut touching = self.list[range(&self.first, block)].iter();
            if touching.any(|&constraint| self.endpoints[constraint as usize][1] == WORLD) {
                let leader = self.find(block as u32) as usize;
                self.next[block] = self.grounded[leader];
                self.grounded[leader] = block as u32;
            }
        }
        for block in 0..blocks {
            if self.place[block] != WORLD || range(&self.first, block).is_empty() {
                continue;
            }
            let (from, constraint) = (self.blocks.len(), self.constraints.len());
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
            while at < self.blocks.len() {
                for k in range(&self.first, self.blocks[at] as usize) {
                    let constraint = self.list[k] as usize;
                    if !self.placed[constraint] {
                        self.placed[constraint] = true;
                        self.constraints.push(constraint as u32);
                        let endpoints = self.endpoints[constraint];
                        endpoints.into_iter().filter(|b| *b != WORLD).for_each(|b| self.visit(b));
                    }
                }
                at += 1;
            }
            let tasks = self.arrange_colours(from, constraint);
            self.islands.push(Island {
                blocks: from..self.blocks.len(),
                constraints: constraint..self.constraints.len(),
                tasks,
            });
        }
    }

    /// The constraints of a block.
    pub(super) fn constraints_of(&self, block: usize) -> &[u32] {
        &self.list[range(&self.first, block)]
    }

    fn visit(&mut self, block: u32) {
        let place = &mut self.place[block as usize];
        if *place == WORLD {
            *place = self.blocks.len() as u32;
            self.blocks.push(block);
        }
    }

    /// The constraints of each block, and the connected components.
    fn index(&mut self, blocks: usize) {
        self.leader.clear();
        self.leader.extend(0..blocks as u32);
        self.first.clear();
        self.first.resize(blocks + 1, 0);
        for k in 0..self.endpoints.len() {
            let [a, b] = self.endpoints[k];
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
        for (constraint, endpoints) in self.endpoints.iter().enumerate().rev() {
            for &block in endpoints.iter().filter(|b| **b != WORLD) {
                let end = &mut self.first[block as usize + 1];
                *end -= 1;
                self.list[*end as usize] = constraint as u32;
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
    fn islands_are_separate_and_begin_at_the_ground() {
        // A tower 0-1-2 that stands on 2, a free pair 3-5, a body alone on the world 4, one that nobody touches.
        let mut graph = IslandGraph {
            endpoints: vec![[0, 1], [1, 2], [3, 5], [4, WORLD], [2, WORLD], [2, WORLD]],
            ..IslandGraph::default()
        };
        for _ in 0..2 {
            graph.arrange(7);
            assert_eq!(graph.blocks, [2, 1, 0, 3, 5, 4]);
            assert_eq!(graph.constraints, [1, 4, 5, 0, 2, 3]);
            let islands: Vec<_> =
                graph.islands.iter().map(|p| (p.blocks.clone(), p.constraints.clone())).collect();
            assert_eq!(islands, [(0..3, 0..4), (3..5, 4..5), (5..6, 5..6)]);
            assert_eq!(graph.place, [2, 1, 0, 3, 5, 4, WORLD]);
        }
    }
}
