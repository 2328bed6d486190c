//! The order of elimination and the fronts: what can be known before there are numbers.

use super::pairs::Groups;
use super::symmetric::Symmetric;
use std::ops::Range;

/// No parent.
pub(super) const ROOT: u32 = u32::MAX;
/// Fronts are merged with their parents if that makes at most this part of the merged columns zeros, and not too many columns.
const ZEROS: f64 = 0.3;
const MERGED: usize = 24;

/// Where an entry of the matrix goes in its front.
#[derive(Clone, Copy, Debug)]
pub(super) struct Entry {
    pub value: u32,
    pub row: u32,
    pub column: u32,
}

/// Columns that are eliminated together, with the rows below them.
#[derive(Clone, Debug)]
pub(super) struct Node {
    /// The first position; positions of a front follow each other.
    pub first: u32,
    pub columns: u32,
    pub parent: u32,
    pub children: u32,
    /// In [`Tree::rows`] and [`Tree::maps`].
    pub rows: Range<usize>,
    /// In [`Tree::entries`].
    pub entries: Range<usize>,
}

/// All fronts, children before parents, the children of one parent directly before it.
#[derive(Clone, Debug, Default)]
pub(super) struct Tree {
    /// The index at each position.
    pub order: Vec<u32>,
    pub nodes: Vec<Node>,
    /// Positions of rows below the columns of fronts.
    pub rows: Vec<u32>,
    /// Where those rows are in the parent's front.
    pub maps: Vec<u32>,
    pub entries: Vec<Entry>,
}

/// The neighbours of groups.
struct Graph {
    starts: Vec<usize>,
    neighbours: Vec<u32>,
}

impl Graph {
    fn new(matrix: &Symmetric, groups: &Groups) -> Self {
        let n = groups.members.len();
        let pairs = || {
            let pairs = matrix.entries().map(|(i, j, _)| (groups.of[i], groups.of[j]));
            pairs.filter(|(a, b)| a != b).flat_map(|(a, b)| [(a, b), (b, a)])
        };
        let mut begins = vec![0; n + 1];
        pairs().for_each(|(a, _)| begins[a as usize + 1] += 1);
        for a in 0..n {
            begins[a + 1] += begins[a];
        }
        let mut next = begins.clone();
        let mut all = vec![0; begins[n]];
        pairs().for_each(|(a, b)| {
            all[next[a as usize]] = b;
            next[a as usize] += 1;
        });
        let mut graph = Self { starts: vec![0], neighbours: Vec::with_capacity(all.len()) };
        for a in 0..n {
            let own = &mut all[begins[a]..begins[a + 1]];
            own.sort_unstable();
            let from = graph.neighbours.len();
            for &b in own.iter() {
                if graph.neighbours.len() == from || graph.neighbours.last() != Some(&b) {
                    graph.neighbours.push(b);
                }
            }
            graph.starts.push(graph.neighbours.len());
        }
        graph
    }

    fn of(&self, group: usize) -> &[u32] {
        &self.neighbours[self.starts[group]..self.starts[group + 1]]
    }

    /// An order with little fill: approximate minimum degree; as given should that fail.
    fn order(&self) -> Vec<u32> {
        let n = self.starts.len() - 1;
        let starts: Vec<i64> = self.starts.iter().map(|&s| s as i64).collect();
        let neighbours: Vec<i64> = self.neighbours.iter().map(|&s| i64::from(s)).collect();
        match amd::order(n as i64, &starts, &neighbours, &amd::Control::default()) {
            Ok((order, _, _)) => order.into_iter().map(|i| i as u32).collect(),
            Err(_) => (0..n as u32).collect(),
        }
    }
}

/// Parents in the tree of elimination, for groups by their place in an order [Liu 1990].
fn parents(graph: &Graph, order: &[u32], place: &[u32]) -> Vec<u32> {
    let n = order.len();
    let (mut parent, mut ancestor) = (vec![ROOT; n], vec![ROOT; n]);
    for k in 0..n {
        for &other in graph.of(order[k] as usize) {
            let mut i = place[other as usize];
            while i != ROOT && (i as usize) < k {
                let next = ancestor[i as usize];
                ancestor[i as usize] = k as u32;
                if next == ROOT {
                    parent[i as usize] = k as u32;
                }
                i = next;
            }
        }
    }
    parent
}

/// Children before parents, those with more rows later.
fn postorder(parent: &[u32], weight: &[u32]) -> Vec<u32> {
    let n = parent.len();
    let mut by_weight: Vec<u32> = (0..n as u32).collect();
    by_weight.sort_by_key(|&i| weight[i as usize]);
    let mut children = vec![Vec::new(); n];
    let mut stack: Vec<(u32, usize)> = Vec::new();
    for i in by_weight {
        match parent[i as usize] {
            ROOT => stack.push((i, 0)),
            p => children[p as usize].push(i),
        }
    }
    let mut list = Vec::with_capacity(n);
    while let Some((i, next)) = stack.pop() {
        match children[i as usize].get(next) {
            Some(&child) => {
                stack.push((i, next + 1));
                stack.push((child, 0));
            }
            None => list.push(i),
        }
    }
    list
}

/// Groups below each group: its neighbours that come later and those of its children. Lists are sorted.
fn structures(graph: &Graph, order: &[u32], place: &[u32], parent: &[u32]) -> Vec<Vec<u32>> {
    let n = order.len();
    let mut children = vec![Vec::new(); n];
    let mut mark = vec![ROOT; n];
    let mut all: Vec<Vec<u32>> = Vec::with_capacity(n);
    for k in 0..n {
        let mut own = Vec::new();
        mark[k] = k as u32;
        let mut take = |i: u32| {
            if i as usize > k && mark[i as usize] != k as u32 {
                mark[i as usize] = k as u32;
                own.push(i);
            }
        };
        graph.of(order[k] as usize).iter().for_each(|&other| take(place[other as usize]));
        for &child in &children[k] {
            let below: &Vec<u32> = &all[child as usize];
            below.iter().for_each(|&i| take(i));
        }
        own.sort_unstable();
        if parent[k] != ROOT {
            children[parent[k] as usize].push(k as u32);
        }
        all.push(own);
    }
    all
}

fn places(order: &[u32]) -> Vec<u32> {
    let mut place = vec![0; order.len()];
    for (k, &group) in order.iter().enumerate() {
        place[group as usize] = k as u32;
    }
    place
}

impl Tree {
    /// Works out fronts for a matrix's pattern.
    pub fn new(matrix: &Symmetric, groups: &Groups) -> Self {
        let graph = Graph::new(matrix, groups);
        let order = graph.order();
        let place = places(&order);
        let parent = parents(&graph, &order, &place);
        let below = structures(&graph, &order, &place, &parent);
        let counts: Vec<u32> = below.iter().map(|list| list.len() as u32).collect();
        let post = postorder(&parent, &counts);
        let order: Vec<u32> = post.iter().map(|&k| order[k as usize]).collect();
        let place = places(&order);
        let parent = parents(&graph, &order, &place);
        let below = structures(&graph, &order, &place, &parent);
        let fronts = merged(groups, &order, &parent, &below);
        Self::laid_out(matrix, groups, &order, &below, &fronts)
    }

    fn laid_out(
        matrix: &Symmetric,
        groups: &Groups,
        order: &[u32],
        below: &[Vec<u32>],
        fronts: &[Range<usize>],
    ) -> Self {
        let n = matrix.dimension;
        let mut tree = Self::default();
        let mut first_of_group = Vec::with_capacity(order.len() + 1);
        for &group in order {
            first_of_group.push(tree.order.len() as u32);
            let size = groups.size(group as usize);
            tree.order.extend(&groups.members[group as usize][..size]);
        }
        first_of_group.push(n as u32);
        let mut front_of = vec![0_u32; n];
        for (f, range) in fronts.iter().enumerate() {
            let positions = first_of_group[range.start]..first_of_group[range.end];
            front_of[positions.start as usize..positions.end as usize].fill(f as u32);
            let from = tree.rows.len();
            // What the last group has below it, all groups before it have at most, besides the front itself.
            let last = &below[range.end - 1];
            tree.rows.extend(
                last.iter().flat_map(|&g| first_of_group[g as usize]..first_of_group[g as usize + 1]),
            );
            tree.nodes.push(Node {
                first: positions.start,
                columns: positions.end - positions.start,
                parent: ROOT,
                children: 0,
                rows: from..tree.rows.len(),
                entries: 0..0,
            });
        }
        for f in 0..tree.nodes.len() {
            if let Some(&row) = tree.rows[tree.nodes[f].rows.clone()].first() {
                let parent = front_of[row as usize];
                tree.nodes[f].parent = parent;
                tree.nodes[parent as usize].children += 1;
            }
        }
        tree.map();
        tree.scatter(matrix, &front_of);
        tree
    }

    /// Where rows are in the parents' fronts.
    fn map(&mut self) {
        self.maps = vec![0; self.rows.len()];
        for node in &self.nodes {
            let Some(parent) = self.nodes.get(node.parent as usize) else { continue };
            let theirs = &self.rows[parent.rows.clone()];
            let mut at = 0;
            for k in node.rows.clone() {
                let row = self.rows[k];
                self.maps[k] = if row < parent.first + parent.columns {
                    row - parent.first
                } else {
                    while theirs[at] != row {
                        at += 1;
                    }
                    parent.columns + at as u32
                };
            }
        }
    }

    /// Where entries of the matrix go.
    fn scatter(&mut self, matrix: &Symmetric, front_of: &[u32]) {
        let mut position = vec![0_u32; matrix.dimension];
        for (p, &i) in self.order.iter().enumerate() {
            position[i as usize] = p as u32;
        }
        let mut counts = vec![0; self.nodes.len() + 1];
        for (i, j, _) in matrix.entries() {
            counts[front_of[position[i].min(position[j]) as usize] as usize + 1] += 1;
        }
        for (f, node) in self.nodes.iter_mut().enumerate() {
            counts[f + 1] += counts[f];
            node.entries = counts[f]..counts[f + 1];
        }
        self.entries = vec![Entry { value: 0, row: 0, column: 0 }; matrix.values.len()];
        for (value, (i, j, _)) in matrix.entries().enumerate() {
            let (a, b) = (position[i], position[j]);
            let (row, column) = (a.max(b), a.min(b));
            let front = front_of[column as usize] as usize;
            let node = &self.nodes[front];
            let row = if row < node.first + node.columns {
                row - node.first
            } else {
                let below = &self.rows[node.rows.clone()];
                node.columns + below.partition_point(|&r| r < row) as u32
            };
            self.entries[counts[front]] = Entry { value: value as u32, row, column: column - node.first };
            counts[front] += 1;
        }
    }
}

/// Ranges of groups that make a front.
fn merged(groups: &Groups, order: &[u32], parent: &[u32], below: &[Vec<u32>]) -> Vec<Range<usize>> {
    let size = |k: usize| groups.size(order[k] as usize);
    let rows: Vec<usize> =
        below.iter().map(|list| list.iter().map(|&g| size(g as usize)).sum::<usize>()).collect();
    // Columns, and entries that are zeros.
    let mut fronts: Vec<(Range<usize>, usize, usize)> = Vec::new();
    for k in 0..order.len() {
        let mut own = (k..k + 1, size(k), 0);
        while let Some((range, columns, zeros)) = fronts.last() {
            let last = range.end - 1;
            if !own.0.contains(&(parent[last] as usize)) {
                break;
            }
            let (all, below) = (columns + own.1, rows[k]);
            let more = zeros + own.2 + columns * (own.1 + below - rows[last]);
            let entries = all * (all + 1) / 2 + all * below;
            let fits = more == zeros + own.2 || (all <= MERGED && (more as f64) <= ZEROS * entries as f64);
            if !fits {
                break;
            }
            own = (range.start..k + 1, all, more);
            fronts.pop();
        }
        fronts.push(own);
    }
    fronts.into_iter().map(|(range, _, _)| range).collect()
}
