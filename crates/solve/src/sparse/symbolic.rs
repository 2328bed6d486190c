//! Symbolic analysis: the order of elimination and the fronts.

use super::matrix::{SymmetricMatrix, bucket};
use super::pairing::IndexGroups;
use crate::tolerances::sparse::{ASSEMBLY_COST, FRONT_COST};
use std::ops::Range;

/// No parent.
pub(super) const ROOT: u32 = u32::MAX;

/// Where an entry of the matrix goes in its front.
#[derive(Clone, Copy, Debug)]
pub(super) struct Entry {
    pub value: u32,
    pub row: u32,
    pub column: u32,
}

/// Columns that are eliminated together, with the rows below them.
#[derive(Clone, Debug)]
pub(super) struct Supernode {
    /// The first position; positions of a front follow each other.
    pub first: u32,
    pub columns: u32,
    pub parent: u32,
    pub children: u32,
    /// In [`AssemblyTree::rows`] and [`AssemblyTree::maps`].
    pub rows: Range<usize>,
    /// In [`AssemblyTree::entries`].
    pub entries: Range<usize>,
}

/// All fronts, children before parents, the children of one parent directly before it.
#[derive(Clone, Debug, Default)]
pub(super) struct AssemblyTree {
    /// The index at each position.
    pub order: Vec<u32>,
    pub nodes: Vec<Supernode>,
    /// Positions of rows below the columns of fronts.
    pub rows: Vec<u32>,
    /// Where those rows are in the parent's front.
    pub maps: Vec<u32>,
    pub entries: Vec<Entry>,
}

/// Neighbours, of groups or of indices.
struct Graph {
    starts: Vec<usize>,
    neighbours: Vec<u32>,
}

impl Graph {
    /// Of groups, sorted.
    fn of_groups(matrix: &SymmetricMatrix, groups: &IndexGroups) -> Self {
        let (begins, mut all) = bucket(groups.members.len(), || {
            let pairs = matrix.entries().map(|(i, j, _)| (groups.of[i], groups.of[j]));
            pairs.filter(|(a, b)| a != b).flat_map(|(a, b)| [(a as usize, b), (b as usize, a)])
        });
        let mut graph = Self { starts: vec![0], neighbours: Vec::with_capacity(all.len()) };
        for ends in begins.windows(2) {
            let own = &mut all[ends[0]..ends[1]];
            own.sort_unstable();
            graph.neighbours.extend(own.chunk_by(|a, b| a == b).map(|same| same[0]));
            graph.starts.push(graph.neighbours.len());
        }
        graph
    }

    /// Of indices, themselves among them.
    fn of_indices(matrix: &SymmetricMatrix) -> Self {
        let (starts, neighbours) = bucket(matrix.dimension, || {
            matrix.entries().flat_map(|(i, j, _)| [(i, j as u32), (j, i as u32)])
        });
        Self { starts, neighbours }
    }

    fn of(&self, member: usize) -> &[u32] {
        &self.neighbours[self.starts[member]..self.starts[member + 1]]
    }

    /// An order with little fill: approximate minimum degree; as given should that fail.
    fn order(&self) -> Vec<u32> {
        let n = self.starts.len() - 1;
        // With the diagonal, which changes nothing but is expected.
        let starts: Vec<i64> = self.starts.iter().enumerate().map(|(i, &s)| (s + i) as i64).collect();
        let mut neighbours: Vec<i64> = Vec::with_capacity(self.neighbours.len() + n);
        for group in 0..n {
            let own = self.of(group);
            let (before, after) = own.split_at(own.partition_point(|&other| (other as usize) < group));
            neighbours.extend(before.iter().map(|&i| i64::from(i)));
            neighbours.push(group as i64);
            neighbours.extend(after.iter().map(|&i| i64::from(i)));
        }
        match amd::order(n as i64, &starts, &neighbours, &amd::Control::default()) {
            Ok((order, _, _)) => order.into_iter().map(|i| i as u32).collect(),
            Err(_) => (0..n as u32).collect(),
        }
    }
}

/// Parents in the tree of elimination, for groups by their place in an order [Liu 1990].
fn elimination_tree(graph: &Graph, Sequence { order, place, .. }: &Sequence) -> Vec<u32> {
    let n = order.len();
    let (mut parent, mut ancestor) = (vec![ROOT; n], vec![ROOT; n]);
    for (k, &group) in order.iter().enumerate() {
        for &other in graph.of(group as usize) {
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

/// An order of groups, with the positions of their members.
struct Sequence {
    order: Vec<u32>,
    /// Of groups.
    place: Vec<u32>,
    /// The first position of the group at each place, and the end.
    first: Vec<u32>,
    /// Of indices.
    position: Vec<u32>,
}

impl Sequence {
    fn new(order: Vec<u32>, groups: &IndexGroups) -> Self {
        let mut position = vec![0; groups.of.len()];
        let mut first = Vec::with_capacity(order.len() + 1);
        let mut next = 0;
        for &group in &order {
            first.push(next);
            for &member in &groups.members[group as usize][..groups.size(group as usize)] {
                position[member as usize] = next;
                next += 1;
            }
        }
        first.push(next);
        Self { place: inverse_permutation(&order), order, first, position }
    }

    /// Positions below each group: its neighbours that come later and those of its children. Lists are sorted. A group is
    /// eliminated as a whole, but a row below may be one of a pair.
    fn row_structure(&self, neighbours: &Graph, groups: &IndexGroups, parent: &[u32]) -> Vec<Vec<u32>> {
        let n = self.order.len();
        let mut children = vec![Vec::new(); n];
        let mut mark = vec![ROOT; self.position.len()];
        let mut all: Vec<Vec<u32>> = Vec::with_capacity(n);
        for k in 0..n {
            let mut own = Vec::new();
            let end = self.first[k + 1];
            let mut take = |p: u32| {
                if p >= end && mark[p as usize] != k as u32 {
                    mark[p as usize] = k as u32;
                    own.push(p);
                }
            };
            let group = self.order[k] as usize;
            for &member in &groups.members[group][..groups.size(group)] {
                neighbours.of(member as usize).iter().for_each(|&j| take(self.position[j as usize]));
            }
            for &child in &children[k] {
                let row_structure: &Vec<u32> = &all[child as usize];
                row_structure.iter().for_each(|&p| take(p));
            }
            own.sort_unstable();
            if parent[k] != ROOT {
                children[parent[k] as usize].push(k as u32);
            }
            all.push(own);
        }
        all
    }
}

fn inverse_permutation(order: &[u32]) -> Vec<u32> {
    let mut place = vec![0; order.len()];
    for (k, &group) in order.iter().enumerate() {
        place[group as usize] = k as u32;
    }
    place
}

impl AssemblyTree {
    /// Works out fronts for a matrix's pattern.
    pub fn new(matrix: &SymmetricMatrix, groups: &IndexGroups) -> Self {
        let (graph, neighbours) = (Graph::of_groups(matrix, groups), Graph::of_indices(matrix));
        let sequence = Sequence::new(graph.order(), groups);
        let parent = elimination_tree(&graph, &sequence);
        let row_structure = sequence.row_structure(&neighbours, groups, &parent);
        let counts: Vec<u32> = row_structure.iter().map(|list| list.len() as u32).collect();
        let order = postorder(&parent, &counts).iter().map(|&k| sequence.order[k as usize]).collect();
        let sequence = Sequence::new(order, groups);
        let parent = elimination_tree(&graph, &sequence);
        let row_structure = sequence.row_structure(&neighbours, groups, &parent);
        let fronts = amalgamate(&sequence, &parent, &row_structure);
        Self::from_supernodes(matrix, &sequence, &row_structure, &fronts)
    }

    fn from_supernodes(
        matrix: &SymmetricMatrix,
        sequence: &Sequence,
        row_structure: &[Vec<u32>],
        fronts: &[Range<usize>],
    ) -> Self {
        let n = matrix.dimension;
        let mut tree = Self { order: inverse_permutation(&sequence.position), ..Self::default() };
        let mut front_of = vec![0_u32; n];
        for (f, range) in fronts.iter().enumerate() {
            let positions = sequence.first[range.start]..sequence.first[range.end];
            front_of[positions.start as usize..positions.end as usize].fill(f as u32);
            let from = tree.rows.len();
            // What the last group has below it, all groups before it have at most, besides the front itself.
            tree.rows.extend(&row_structure[range.end - 1]);
            tree.nodes.push(Supernode {
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
        tree.map_to_parents();
        tree.map_entries(matrix, &sequence.position, &front_of);
        tree
    }

    /// Where rows are in the parents' fronts.
    fn map_to_parents(&mut self) {
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
    fn map_entries(&mut self, matrix: &SymmetricMatrix, position: &[u32], front_of: &[u32]) {
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
                let row_structure = &self.rows[node.rows.clone()];
                node.columns + row_structure.partition_point(|&r| r < row) as u32
            };
            self.entries[counts[front]] = Entry { value: value as u32, row, column: column - node.first };
            counts[front] += 1;
        }
    }
}

/// Ranges of groups that make a front: as long as one front costs less than two.
fn amalgamate(sequence: &Sequence, parent: &[u32], row_structure: &[Vec<u32>]) -> Vec<Range<usize>> {
    // With columns and rows.
    let mut fronts: Vec<(Range<usize>, usize, usize)> = Vec::new();
    for (k, list) in row_structure.iter().enumerate() {
        let columns = (sequence.first[k + 1] - sequence.first[k]) as usize;
        let mut own = (k..k + 1, columns, list.len());
        while let Some((range, columns, theirs)) = fronts.last() {
            if !own.0.contains(&(parent[range.end - 1] as usize)) {
                break;
            }
            let all = columns + own.1;
            if supernode_cost(all, own.2) > supernode_cost(*columns, *theirs) + supernode_cost(own.1, own.2) {
                break;
            }
            own = (range.start..k + 1, all, own.2);
            fronts.pop();
        }
        fronts.push(own);
    }
    fronts.into_iter().map(|(range, ..)| range).collect()
}

/// Cost of a front, in products: elimination, passing the rest on, and its administration.
fn supernode_cost(columns: usize, rows: usize) -> f64 {
    let (c, r) = (columns as f64, rows as f64);
    0.5 * c * (c + r) * (c + r) + ASSEMBLY_COST * r * r + FRONT_COST
}
