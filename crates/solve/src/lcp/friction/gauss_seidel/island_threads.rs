//! Islands of one problem, solved at the same time.
//!
//! ```text
//! group_islands     consecutive islands with about the same number of constraints, some groups per thread
//! copy_islands      rows, impulses and velocities of a group, for a solver of its own
//! solve_islands     in each of them
//! write back        impulses and velocities; residuals and figures are those of all groups
//! ```
//!
//! An island is solved without regard to others, so that results are bitwise identical for any number of threads and groups.

use super::islands::{Island, IslandGraph};
use super::solver::GaussSeidel;
use super::system::System;
use std::ops::Range;

/// Constraints from which on islands are solved in threads.
const MIN_CONSTRAINTS: usize = 400;

/// Groups per thread: some islands take longer than others.
const GROUPS_PER_THREAD: usize = 3;

impl GaussSeidel {
    /// Solves all islands, at the same time where there are many.
    pub(super) fn solve_all_islands(&mut self) {
        let threads = rayon::current_num_threads();
        if threads == 1 || !self.system.graph.is_divisible() {
            return self.solve_islands();
        }
        let mut workers = std::mem::take(&mut self.workers);
        let groups = self.system.graph.group_islands(GROUPS_PER_THREAD * threads);
        workers.resize_with(groups.clone().count().max(workers.len()), Self::default);
        let count = groups.clone().count();
        for (worker, islands) in workers.iter_mut().zip(groups.clone()) {
            worker.copy_options(self);
            worker.system.copy_islands(&self.system, islands);
        }
        solve_in_threads(&mut workers[..count]);
        let (mut row, mut block) = (0, 0);
        for worker in &workers[..count] {
            let System { x, v, .. } = &worker.system;
            // The last velocity is that of the world.
            let blocks = v.len() - 1;
            self.system.x[row..row + x.len()].copy_from_slice(x);
            self.system.v[block..block + blocks].copy_from_slice(&v[..blocks]);
            (row, block) = (row + x.len(), block + blocks);
            self.residual.max_with(&worker.residual);
            self.report.join(&worker.report);
        }
        self.workers = workers;
    }
}

/// Solves the islands of all workers.
fn solve_in_threads(workers: &mut [GaussSeidel]) {
    match workers {
        [] => {}
        [worker] => worker.solve_islands(),
        _ => {
            let (left, right) = workers.split_at_mut(workers.len() / 2);
            rayon::join(|| solve_in_threads(left), || solve_in_threads(right));
        }
    }
}

impl IslandGraph {
    /// Whether there are enough islands of similar size for threads.
    fn is_divisible(&self) -> bool {
        let all = self.constraints.len();
        let largest = self.islands.iter().map(|island| island.constraints.len()).max().unwrap_or(0);
        all >= MIN_CONSTRAINTS && 4 * largest <= 3 * all
    }

    /// Ranges of consecutive islands.
    fn group_islands(&self, most: usize) -> impl Iterator<Item = Range<usize>> + Clone {
        let share = self.constraints.len().div_ceil(most);
        let mut first = 0;
        std::iter::from_fn(move || {
            let from = first;
            let start = self.islands.get(from)?.constraints.start;
            while first < self.islands.len() && self.islands[first].constraints.end - start <= share
                || first == from
            {
                first += 1;
            }
            Some(from..first)
        })
    }
}

impl System {
    /// Becomes the system of some consecutive islands of another one.
    fn copy_islands(&mut self, from: &Self, islands: Range<usize>) {
        let islands = &from.graph.islands[islands];
        let [Some(first), Some(last)] = [islands.first(), islands.last()] else { return };
        let blocks = first.blocks.start..last.blocks.end;
        let constraints = first.constraints.start..last.constraints.end;
        let tasks = first.tasks.start..last.tasks.end;
        let rows = from.rows_of(&Island { constraints: constraints.clone(), ..Island::default() });
        let shift = |range: &Range<usize>, by: usize| range.start - by..range.end - by;
        self.size = from.size;
        self.graph.islands.clear();
        self.graph.islands.extend(islands.iter().map(|island| Island {
            blocks: shift(&island.blocks, blocks.start),
            constraints: shift(&island.constraints, constraints.start),
            tasks: shift(&island.tasks, tasks.start),
        }));
        self.graph.tasks.clear();
        self.graph.tasks.extend(from.graph.tasks[tasks].iter().map(|task| {
            let mut task = task.clone();
            task.blocks = shift(&task.blocks, blocks.start);
            task.constraints = shift(&task.constraints, constraints.start);
            task
        }));
        let (world, own_world) = (from.v.len() as u32 - 1, blocks.len() as u32);
        self.constraints.clear();
        self.constraints.extend(from.constraints[constraints].iter().map(|constraint| {
            let mut constraint = constraint.clone();
            constraint.first -= rows.start as u32;
            let place = |e: u32| if e == world { own_world } else { e - blocks.start as u32 };
            constraint.endpoints = constraint.endpoints.map(place);
            constraint
        }));
        for (own, all) in [(&mut self.drift, &from.drift), (&mut self.x, &from.x)] {
            own.clear();
            own.extend_from_slice(&all[rows.clone()]);
        }
        self.rows.clear();
        self.rows.extend_from_slice(&from.rows[rows]);
        for (own, all) in [(&mut self.v, &from.v), (&mut self.free, &from.free)] {
            own.clear();
            own.extend_from_slice(&all[blocks.clone()]);
            own.push(all[all.len() - 1]);
        }
        self.trial.resize(from.trial.len(), 0.0);
    }
}
