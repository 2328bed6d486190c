//! The factors: front by front, and their use.

use super::front::{EliminateFront, Front, Pivot};
use super::matrix::SymmetricMatrix;
use super::pairing::IndexGroups;
use super::symbolic::{AssemblyTree, ROOT};
use crate::arithmetic::zeroed;
use crate::simd::Instructions;

/// Rounds of scaling.
const ROUNDS: usize = 2;

/// Signs of the eigenvalues.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Inertia {
    /// How many are positive.
    pub positive: usize,
    /// How many are negative.
    pub negative: usize,
    /// How many are zero, to rounding.
    pub zero: usize,
}

/// An eliminated front: where its factors are.
#[derive(Clone, Copy, Debug)]
struct FactoredFront {
    /// In the list of numbers: `size` rows of each pivot's column.
    panel: usize,
    size: usize,
    /// In the list of pivots.
    pivots: usize,
    count: usize,
    /// In the list of positions.
    positions: usize,
}

/// Contribution of a front to its parent: the lower triangle of a square of delayed columns and rows below, on a stack.
#[derive(Clone, Copy, Debug)]
struct Contribution {
    node: usize,
    delayed: usize,
    /// On the stacks of numbers and of delayed positions.
    at: usize,
    positions: usize,
}

/// Factors of a sparse symmetric matrix, with the workspace for the next one of the same pattern.
pub struct Ldl {
    tree: AssemblyTree,
    /// The pattern: where columns begin, and rows of entries.
    starts: Vec<usize>,
    rows: Vec<usize>,
    scales: Vec<f64>,
    values: Vec<f64>,
    numbers: Vec<f64>,
    pivots: Vec<Pivot>,
    positions: Vec<u32>,
    factored: Vec<FactoredFront>,
    contributions: Vec<Contribution>,
    stack: Vec<f64>,
    delayed_columns: Vec<u32>,
    /// Positions of columns that are zero when they are eliminated.
    zero_pivots: Vec<u32>,
    workspace: Workspace,
    solution: Vec<f64>,
    instructions: Instructions,
}

/// Rows that follow each other in a child's front and in its parent's: from where, to where, how many.
type Run = (usize, usize, usize);

/// Workspace for a front.
#[derive(Default)]
struct Workspace {
    contribution: Vec<f64>,
    products: Vec<f64>,
    packed: Vec<f64>,
    locals: Vec<u32>,
    runs: Vec<Run>,
    gathered: Vec<f64>,
}

impl Ldl {
    /// Entries of `L` are at most this large.
    pub const GROWTH: f64 = 1e6;

    /// Analyses a matrix's pattern. Rows named by `zero_diagonal` have a small diagonal or none and are eliminated together
    /// with one of their largest entries' columns.
    pub fn new(matrix: &SymmetricMatrix, zero_diagonal: impl Fn(usize) -> bool) -> Self {
        let (starts, rows) = (matrix.starts.clone(), matrix.rows.clone());
        let mut scales = vec![1.0; matrix.dimension];
        equilibrate((&starts, &rows), &matrix.values, &mut scales, &mut Vec::new());
        let groups = IndexGroups::new(matrix, &scales, zero_diagonal);
        Self {
            tree: AssemblyTree::new(matrix, &groups),
            values: vec![0.0; rows.len()],
            starts,
            rows,
            scales,
            numbers: Vec::new(),
            pivots: Vec::new(),
            positions: Vec::new(),
            factored: Vec::new(),
            contributions: Vec::new(),
            stack: Vec::new(),
            delayed_columns: Vec::new(),
            zero_pivots: Vec::new(),
            workspace: Workspace::default(),
            solution: vec![0.0; matrix.dimension],
            instructions: Instructions::detect(),
        }
    }

    /// Factorises a matrix of the same pattern. `None` if an entry is no number.
    pub fn factor(&mut self, values: &[f64]) -> Option<Inertia> {
        if values.iter().any(|v| !v.is_finite()) {
            return None;
        }
        self.scales.fill(1.0);
        equilibrate((&self.starts, &self.rows), values, &mut self.scales, &mut self.solution);
        for (ends, s) in self.starts.windows(2).zip(&self.scales) {
            let range = ends[0]..ends[1];
            let places = self.rows[range.clone()].iter().zip(&values[range.clone()]);
            for (own, (&row, value)) in self.values[range].iter_mut().zip(places) {
                *own = value * s * self.scales[row];
            }
        }
        self.numbers.clear();
        self.pivots.clear();
        self.positions.clear();
        self.factored.clear();
        self.contributions.clear();
        self.stack.clear();
        self.delayed_columns.clear();
        self.zero_pivots.clear();
        for node in 0..self.tree.nodes.len() {
            self.factor_front(node);
        }
        let mut inertia = Inertia { zero: self.zero_pivots.len(), ..Inertia::default() };
        for pivot in &self.pivots {
            match pivot {
                Pivot::One(d) if *d > 0.0 => inertia.positive += 1,
                Pivot::One(_) => inertia.negative += 1,
                Pivot::Two([a, b, d]) => {
                    let (p, q) = (a / b, d / b);
                    match p * q > 1.0 {
                        false => {
                            inertia.positive += 1;
                            inertia.negative += 1;
                        }
                        true if *a > 0.0 => inertia.positive += 2,
                        true => inertia.negative += 2,
                    }
                }
                Pivot::Second => {}
            }
        }
        Some(inertia)
    }

    /// Assembles and eliminates a front.
    fn factor_front(&mut self, index: usize) {
        let node = &self.tree.nodes[index];
        let first_child = self.contributions.len() - node.children as usize;
        let inherited: usize = self.contributions[first_child..].iter().map(|child| child.delayed).sum();
        let own = node.columns as usize;
        let (candidates, below) = (inherited + own, node.rows.len());
        let size = candidates + below;
        let (panel_at, labels_at) = (self.numbers.len(), self.positions.len());
        self.numbers.resize(panel_at + size * candidates, 0.0);
        let Workspace { contribution, products, packed, locals, runs, .. } = &mut self.workspace;
        zeroed(contribution, below * below);
        products.clear();
        for child in &self.contributions[first_child..] {
            self.positions.extend(&self.delayed_columns[child.positions..child.positions + child.delayed]);
        }
        self.positions.extend(node.first..node.first + node.columns);
        self.positions.extend(&self.tree.rows[node.rows.clone()]);
        let panel = &mut self.numbers[panel_at..];
        for entry in &self.tree.entries[node.entries.clone()] {
            let (row, column) = (inherited + entry.row as usize, inherited + entry.column as usize);
            let value = self.values[entry.value as usize];
            panel[column * size + row] += value;
        }
        let mut next = 0;
        for child in &self.contributions[first_child..] {
            let their_node = &self.tree.nodes[child.node];
            locals.clear();
            locals.extend((next..next + child.delayed).map(|i| i as u32));
            next += child.delayed;
            locals.extend(self.tree.maps[their_node.rows.clone()].iter().map(|&m| m + inherited as u32));
            let width = locals.len();
            let left = &self.stack[child.at..child.at + width * width];
            runs.clear();
            for (i, &local) in locals.iter().enumerate() {
                match runs.last_mut() {
                    Some((from, to, length)) if *to + *length == local as usize && *from + *length == i => {
                        *length += 1
                    }
                    _ => runs.push((i, local as usize, 1)),
                }
            }
            extend_add(left, runs, width, (panel, size, candidates), contribution);
        }
        // The upper triangle of the candidates' square like the lower one.
        for column in 1..candidates {
            for row in 0..column {
                panel[column * size + row] = panel[row * size + column];
            }
        }
        if let Some(child) = self.contributions.get(first_child) {
            self.stack.truncate(child.at);
            self.delayed_columns.truncate(child.positions);
            self.contributions.truncate(first_child);
        }
        let pivots_at = self.pivots.len();
        let mut front = Front { panel, size, candidates, positions: &mut self.positions[labels_at..] };
        let count = self.instructions.run(EliminateFront {
            front: &mut front,
            pivots: &mut self.pivots,
            products,
            contribution,
            packed,
            max_growth: Self::GROWTH,
        });
        let delayed = candidates - count;
        let left_over = labels_at + count..labels_at + candidates;
        if node.parent == ROOT {
            self.zero_pivots.extend(&self.positions[left_over]);
        } else {
            let (at, positions) = (self.stack.len(), self.delayed_columns.len());
            if delayed == 0 {
                self.stack.extend_from_slice(contribution);
            } else {
                let width = delayed + below;
                self.stack.resize(at + width * width, 0.0);
                let out = &mut self.stack[at..];
                for j in 0..delayed {
                    let column = &self.numbers[panel_at + (count + j) * size..][count..size];
                    out[j * width..(j + 1) * width].copy_from_slice(column);
                }
                for j in 0..below {
                    out[(delayed + j) * width + delayed..(delayed + j + 1) * width]
                        .copy_from_slice(&contribution[j * below..(j + 1) * below]);
                }
                self.delayed_columns.extend(&self.positions[left_over]);
            }
            self.contributions.push(Contribution { node: index, delayed, at, positions });
        }
        self.numbers.truncate(panel_at + size * count);
        self.factored.push(FactoredFront {
            panel: panel_at,
            size,
            pivots: pivots_at,
            count,
            positions: labels_at,
        });
    }

    /// Solves with the last factors. Zero columns are left out.
    pub fn solve(&mut self, right: &[f64], out: &mut [f64]) {
        let Self {
            tree, solution, factored, numbers, pivots, positions, scales, workspace, zero_pivots, ..
        } = self;
        for (x, &i) in solution.iter_mut().zip(&tree.order) {
            *x = right[i as usize] * scales[i as usize];
        }
        let gathered = &mut workspace.gathered;
        for front in factored.iter() {
            let positions = &positions[front.positions..front.positions + front.size];
            gathered.clear();
            gathered.extend(positions.iter().map(|&p| solution[p as usize]));
            let panel = &numbers[front.panel..front.panel + front.size * front.count];
            for (p, column) in panel.chunks_exact(front.size).enumerate() {
                let value = gathered[p];
                if value != 0.0 {
                    for (x, l) in gathered[p + 1..].iter_mut().zip(&column[p + 1..]) {
                        *x -= l * value;
                    }
                }
            }
            for (x, &p) in gathered.iter().zip(positions) {
                solution[p as usize] = *x;
            }
        }
        for &p in zero_pivots.iter() {
            solution[p as usize] = 0.0;
        }
        for front in factored.iter().rev() {
            let positions = &positions[front.positions..front.positions + front.size];
            gathered.clear();
            gathered.extend(positions.iter().map(|&p| solution[p as usize]));
            let own = &pivots[front.pivots..front.pivots + front.count];
            for (p, pivot) in own.iter().enumerate() {
                match pivot {
                    Pivot::One(d) => gathered[p] *= d,
                    Pivot::Two([a, b, d]) => {
                        let (x, y) = (gathered[p], gathered[p + 1]);
                        gathered[p] = a * x + b * y;
                        gathered[p + 1] = b * x + d * y;
                    }
                    Pivot::Second => {}
                }
            }
            let panel = &numbers[front.panel..front.panel + front.size * front.count];
            for (p, column) in panel.chunks_exact(front.size).enumerate().rev() {
                gathered[p] -= dot(&column[p + 1..], &gathered[p + 1..]);
            }
            for (x, &p) in gathered.iter().zip(positions).take(front.count) {
                solution[p as usize] = *x;
            }
        }
        for (x, &i) in solution.iter().zip(&tree.order) {
            out[i as usize] = x * scales[i as usize];
        }
    }
}

/// Four sums side by side: quick, and in the same order everywhere.
fn dot(a: &[f64], b: &[f64]) -> f64 {
    let mut sums = [0.0; 4];
    let (first, second) = (a.chunks_exact(4), b.chunks_exact(4));
    let contribution: f64 = first.remainder().iter().zip(second.remainder()).map(|(x, y)| x * y).sum();
    for (x, y) in first.zip(second) {
        for k in 0..4 {
            sums[k] += x[k] * y[k];
        }
    }
    (sums[0] + sums[1]) + (sums[2] + sums[3]) + contribution
}

/// Extend-add: a child's contribution block into the columns of its parent, below the diagonal, and into the parent's own contribution.
fn extend_add(
    left: &[f64],
    runs: &[Run],
    width: usize,
    (panel, size, candidates): (&mut [f64], usize, usize),
    contribution: &mut [f64],
) {
    let below = size - candidates;
    for (r, &(from, to, length)) in runs.iter().enumerate() {
        for k in 0..length {
            let column = &left[(from + k) * width..(from + k + 1) * width];
            let a = to + k;
            let (target, offset) = if a < candidates {
                (&mut panel[a * size..(a + 1) * size], 0)
            } else {
                (&mut contribution[(a - candidates) * below..(a - candidates + 1) * below], candidates)
            };
            let mut add = |from: usize, to: usize, length: usize| {
                let target = &mut target[to - offset..to - offset + length];
                for (t, v) in target.iter_mut().zip(&column[from..from + length]) {
                    *t += v;
                }
            };
            add(from + k, to + k, length - k);
            runs[r + 1..].iter().for_each(|&(from, to, length)| add(from, to, length));
        }
    }
}

/// Factors of rows and columns that bring the largest entries of all rows near one [Ruiz 2001].
fn equilibrate(
    (starts, rows): (&[usize], &[usize]),
    values: &[f64],
    scales: &mut [f64],
    workspace: &mut Vec<f64>,
) {
    zeroed(workspace, scales.len());
    for _ in 0..ROUNDS {
        workspace.fill(0.0);
        for (j, ends) in starts.windows(2).enumerate() {
            let own = scales[j];
            let mut most = 0.0_f64;
            for (&i, v) in rows[ends[0]..ends[1]].iter().zip(&values[ends[0]..ends[1]]) {
                let size = v.abs() * scales[i] * own;
                if size > workspace[i] {
                    workspace[i] = size;
                }
                if size > most {
                    most = size;
                }
            }
            if most > workspace[j] {
                workspace[j] = most;
            }
        }
        for (s, most) in scales.iter_mut().zip(workspace.iter()) {
            if *most > 0.0 {
                *s /= most.sqrt();
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A band with weak diagonals, solved with and without the processor's wide instructions.
    #[test]
    fn the_factors_are_bitwise_identical_with_and_without_wide_instructions() {
        let n = 120;
        let places: Vec<(usize, usize)> =
            (0..n).flat_map(|j| (j..n.min(j + 14)).map(move |i| (i, j))).collect();
        let (mut matrix, slots) = SymmetricMatrix::zeros(n, &places);
        for (&(i, j), slot) in places.iter().zip(slots) {
            matrix.values[slot] = (1.0 + (3 * i + 7 * j) as f64).sin() * if i == j { 0.01 } else { 1.0 };
        }
        let right: Vec<f64> = (0..n).map(|i| (i as f64).cos()).collect();
        let solved = |instructions: Instructions| {
            let mut factors = Ldl { instructions, ..Ldl::new(&matrix, |_| false) };
            let inertia = factors.factor(&matrix.values);
            let mut x = vec![0.0; n];
            factors.solve(&right, &mut x);
            (inertia, factors.numbers, x)
        };
        assert_eq!(solved(Instructions::portable()), solved(Instructions::detect()));
    }
}
