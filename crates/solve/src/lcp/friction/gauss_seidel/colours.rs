//! The order of visits of a large island, such that parts of it can be swept at the same time.
//!
//! ```text
//! levels      blocks by their distance from a peripheral one: constraints join blocks of the same level or of neighbouring ones
//! halves      consecutive levels, 2 n of them with about the same number of constraints
//! colour 0    n tasks: the constraints within two halves, 2i and 2i + 1
//! colour 1    n - 1 tasks: the constraints between the halves 2i + 1 and 2i + 2
//! sweep       all tasks of colour 0, then all of colour 1; back in reverse
//! ```
//!
//! Tasks of one colour share no block, so that they may be swept in any order or at the same time with bitwise identical results. The
//! number of tasks depends on the island alone, not on the number of threads. Blocks and constraints of a task are side by side in memory,
//! and in a task constraints keep their order in breadth from the world.
//!
//! Engines colour single contacts, each of which then needs a barrier per colour, ten to twenty in a pile. Here parts of the island are
//! coloured, with two barriers in a sweep, neighbours remain neighbours in memory, and all but the constraints between parts are visited in
//! the order without colours.

use super::block_pair::{BlockVector, TwoBlockRow};
use super::islands::{Island, IslandGraph, WORLD};
use super::sweep::{Part, larger};
use super::system::{Constraint, System};
use std::ops::Range;

/// Constraints of an island from which on it has colours: below, threads cost more than they bring.
const MIN_CONSTRAINTS: usize = 1000;

/// Constraints per task.
const TASK_CONSTRAINTS: usize = 500;

/// Most tasks of a colour.
const MAX_TASKS: usize = 64;

/// Rows of the constraint with most of them, beyond which there are no threads: a task has no workspace for more.
const MAX_ROWS: usize = 64;

/// Constraints that are visited one after the other.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct SweepTask {
    /// Places of its blocks.
    pub(super) blocks: Range<usize>,
    pub(super) constraints: Range<usize>,
    /// Zero or one.
    pub(super) colour: usize,
}

/// Workspace of the order.
#[derive(Clone, Debug, Default)]
pub(super) struct ColourOrder {
    /// Level of each block, then its half.
    level: Vec<u32>,
    queue: Vec<u32>,
    /// First half of the levels, constraints per level.
    count: Vec<u32>,
    sorted: Vec<u32>,
}

impl IslandGraph {
    /// Arranges the last island by colours if it is large; its blocks are those from a place on, and likewise its constraints.
    pub(super) fn arrange_colours(&mut self, blocks: usize, constraints: usize) -> Range<usize> {
        let first = self.tasks.len();
        let size = self.constraints.len() - constraints;
        let mut order = std::mem::take(&mut self.order);
        if size >= MIN_CONSTRAINTS {
            let levels = self.find_levels(&mut order, blocks);
            let tasks = (size / TASK_CONSTRAINTS).min(levels / 2).min(MAX_TASKS);
            if tasks > 1 {
                self.find_halves(&mut order, (blocks, constraints), levels, 2 * tasks);
                self.sort_blocks(&mut order, blocks, 2 * tasks, first);
                self.sort_constraints(&mut order, constraints, tasks, first);
            }
        }
        self.order = order;
        first..self.tasks.len()
    }

    /// Levels of the blocks of the last island; returns their number.
    fn find_levels(&self, order: &mut ColourOrder, blocks: usize) -> usize {
        let mut root = self.blocks[blocks];
        let mut levels = 0;
        order.level.resize(self.place.len().max(order.level.len()), 0);
        // The first search finds a peripheral block.
        for _ in 0..2 {
            self.blocks[blocks..].iter().for_each(|&block| order.level[block as usize] = WORLD);
            order.queue.clear();
            order.queue.push(root);
            order.level[root as usize] = 0;
            let mut at = 0;
            while at < order.queue.len() {
                let block = order.queue[at];
                at += 1;
                let next = order.level[block as usize] + 1;
                for &constraint in self.constraints_of(block as usize) {
                    for other in self.endpoints[constraint as usize] {
                        if other != WORLD && order.level[other as usize] == WORLD {
                            order.level[other as usize] = next;
                            order.queue.push(other);
                        }
                    }
                }
            }
            root = order.queue[order.queue.len() - 1];
            levels = order.level[root as usize] as usize + 1;
        }
        levels
    }

    /// Replaces levels by halves, with at least one level each.
    fn find_halves(
        &self,
        order: &mut ColourOrder,
        (blocks, constraints): (usize, usize),
        levels: usize,
        halves: usize,
    ) {
        let ColourOrder { level, count, .. } = order;
        count.clear();
        count.resize(levels, 0);
        let lower = |constraint: &u32| {
            let [a, b] = self.endpoints[*constraint as usize];
            level[a as usize].min(if b == WORLD { WORLD } else { level[b as usize] })
        };
        self.constraints[constraints..].iter().for_each(|constraint| count[lower(constraint) as usize] += 1);
        let total = self.constraints.len() - constraints;
        let (mut half, mut sum) = (0, 0);
        for (k, count) in count.iter_mut().enumerate() {
            // The levels that are left suffice for the halves that are left.
            let due = sum * halves >= (half + 1) * total || levels - k <= halves - 1 - half;
            if k > 0 && due && half + 1 < halves {
                half += 1;
            }
            sum += *count as usize;
            *count = half as u32;
        }
        for &block in &self.blocks[blocks..] {
            level[block as usize] = count[level[block as usize] as usize];
        }
    }

    /// Sorts the blocks of the last island by their halves, and begins the tasks.
    fn sort_blocks(&mut self, order: &mut ColourOrder, blocks: usize, halves: usize, first: usize) {
        let ColourOrder { level, queue, sorted, .. } = order;
        let half = |block: &u32| level[*block as usize] as usize;
        counting_sort(&mut self.blocks[blocks..], halves, half, sorted, queue);
        for (place, &block) in self.blocks.iter().enumerate().skip(blocks) {
            self.place[block as usize] = place as u32;
        }
        // `queue` has the ends of the halves.
        let end = |half: usize| blocks + queue[half] as usize;
        let start = |half: usize| if half == 0 { blocks } else { end(half - 1) };
        for colour in [0, 1] {
            for task in 0..halves / 2 - colour {
                let (low, high) = (2 * task + colour, 2 * task + colour + 1);
                self.tasks.push(SweepTask { blocks: start(low)..end(high), constraints: 0..0, colour });
            }
        }
        debug_assert_eq!(self.tasks.len(), first + halves - 1);
    }

    /// Sorts the constraints of the last island by their tasks.
    fn sort_constraints(&mut self, order: &mut ColourOrder, constraints: usize, tasks: usize, first: usize) {
        let Self { endpoints, tasks: list, constraints: all, .. } = self;
        let ColourOrder { level, queue, sorted, .. } = order;
        let task = |constraint: &u32| {
            let [a, b] = endpoints[*constraint as usize];
            let a = level[a as usize] as usize;
            let b = if b == WORLD { a } else { level[b as usize] as usize };
            if a / 2 == b / 2 { a / 2 } else { tasks + a.min(b) / 2 }
        };
        counting_sort(&mut all[constraints..], list.len() - first, task, sorted, queue);
        let mut start = constraints;
        for (task, end) in list[first..].iter_mut().zip(queue.iter()) {
            task.constraints = start..constraints + *end as usize;
            start = task.constraints.end;
        }
    }
}

/// Sorts a list by keys below a number, keeping the order of equal ones; `ends` becomes the end of each key.
fn counting_sort(
    list: &mut [u32],
    keys: usize,
    key: impl Fn(&u32) -> usize,
    sorted: &mut Vec<u32>,
    ends: &mut Vec<u32>,
) {
    ends.clear();
    ends.resize(keys + 1, 0);
    list.iter().for_each(|item| ends[key(item) + 1] += 1);
    (0..keys).for_each(|k| ends[k + 1] += ends[k]);
    sorted.clear();
    sorted.extend_from_slice(list);
    for item in sorted.iter() {
        let at = &mut ends[key(item)];
        list[*at as usize] = *item;
        *at += 1;
    }
    ends.truncate(keys);
}

impl System {
    /// Whether the tasks of an island are done at the same time.
    pub(super) fn has_parallel_tasks(&self, island: &Island) -> bool {
        !island.tasks.is_empty() && self.trial.len() <= MAX_ROWS && rayon::current_num_threads() > 1
    }

    /// Visits all constraints of an island that has tasks, colour by colour. Returns the largest of what the visits return.
    pub(super) fn visit_colours<V: Fn(Part) -> f64 + Sync>(
        &mut self,
        island: &Island,
        back: bool,
        visit: V,
    ) -> f64 {
        let System { graph, constraints, rows, drift, x, v, .. } = self;
        let tasks = &graph.tasks[island.tasks.clone()];
        let colours = tasks.split_at(tasks.partition_point(|task| task.colour == 0));
        let visits = Visits { constraints, rows, drift, visit };
        let mut change = 0.0;
        for tasks in if back { [colours.1, colours.0] } else { [colours.0, colours.1] } {
            change = larger(visits.run(tasks, (x, 0), (v, 0)), change);
        }
        change
    }
}

/// Visits of tasks of one colour.
struct Visits<'a, V> {
    constraints: &'a [Constraint],
    rows: &'a [TwoBlockRow],
    drift: &'a [f64],
    visit: V,
}

impl<V: Fn(Part) -> f64 + Sync> Visits<'_, V> {
    /// Impulses and velocities come with the indices of the first ones.
    fn run(
        &self,
        tasks: &[SweepTask],
        (x, first_row): (&mut [f64], usize),
        (v, first_block): (&mut [BlockVector], usize),
    ) -> f64 {
        if let [task] = tasks {
            let blocks = task.blocks.start - first_block..task.blocks.end - first_block;
            let part = Part {
                constraints: &self.constraints[task.constraints.clone()],
                rows: self.rows,
                drift: self.drift,
                impulses: (x, first_row),
                velocities: (&mut v[blocks], task.blocks.start),
                trial: &mut [0.0; MAX_ROWS],
            };
            return (self.visit)(part);
        }
        let (left, right) = tasks.split_at(tasks.len() / 2);
        let Some(next) = right.first().filter(|_| !left.is_empty()) else { return 0.0 };
        let first = self.constraints.get(next.constraints.start);
        let row = first.map_or(first_row + x.len(), |constraint| constraint.first as usize);
        let (x_left, x_right) = x.split_at_mut(row - first_row);
        let (v_left, v_right) = v.split_at_mut(next.blocks.start - first_block);
        let (one, other) = rayon::join(
            || self.run(left, (x_left, first_row), (v_left, first_block)),
            || self.run(right, (x_right, row), (v_right, next.blocks.start)),
        );
        larger(one, other)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A grid of blocks, each in contact with its neighbours, the lowest ones with the world.
    fn grid(side: [u32; 3]) -> IslandGraph {
        let at = |[i, j, k]: [u32; 3]| i + side[0] * (j + side[1] * k);
        let mut graph = IslandGraph::default();
        for i in 0..side[0] {
            for j in 0..side[1] {
                for k in 0..side[2] {
                    let block = at([i, j, k]);
                    if k == 0 {
                        graph.endpoints.push([block, WORLD]);
                    }
                    for (step, within) in [
                        ([1, 0, 0], i + 1 < side[0]),
                        ([0, 1, 0], j + 1 < side[1]),
                        ([0, 0, 1], k + 1 < side[2]),
                    ] {
                        if within {
                            graph.endpoints.push([block, at([i + step[0], j + step[1], k + step[2]])]);
                        }
                    }
                }
            }
        }
        graph
    }

    #[test]
    fn tasks_of_a_colour_share_no_block_and_together_are_the_island() {
        for side in [[10, 10, 10], [40, 30, 1], [400, 2, 1], [3, 3, 3]] {
            let mut graph = grid(side);
            let blocks = side.iter().product::<u32>() as usize;
            graph.arrange(blocks);
            let [island] = &graph.islands[..] else { panic!("one island") };
            let tasks = &graph.tasks[island.tasks.clone()];
            assert_eq!(tasks.is_empty(), graph.endpoints.len() < MIN_CONSTRAINTS);
            let mut constraints =
                tasks.first().map_or(0..0, |task| task.constraints.start..task.constraints.start);
            for (k, task) in tasks.iter().enumerate() {
                assert_eq!(task.constraints.start, constraints.end);
                constraints.end = task.constraints.end;
                let last = tasks[..k].iter().rfind(|other| other.colour == task.colour);
                assert!(last.is_none_or(|last| last.blocks.end <= task.blocks.start), "{side:?} {tasks:?}");
                for &constraint in &graph.constraints[task.constraints.clone()] {
                    for block in graph.endpoints[constraint as usize].into_iter().filter(|b| *b != WORLD) {
                        assert!(
                            task.blocks.contains(&(graph.place[block as usize] as usize)),
                            "{side:?} {task:?}"
                        );
                    }
                }
            }
            assert!(tasks.is_empty() || constraints == island.constraints);
            let mut sorted = graph.constraints.clone();
            sorted.sort_unstable();
            assert!(sorted.iter().enumerate().all(|(k, constraint)| *constraint == k as u32));
            let placed = |(place, block): (usize, &u32)| graph.place[*block as usize] == place as u32;
            assert!(graph.blocks.len() == blocks && graph.blocks.iter().enumerate().all(placed));
        }
    }
}
