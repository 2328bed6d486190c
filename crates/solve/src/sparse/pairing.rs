//! Rows without a diagonal of their own and their partners in 2x2 pivots.

use super::matrix::SymmetricMatrix;
use crate::tolerances::sparse::WEAK_PAIR;

/// No partner.
const UNPAIRED: u32 = u32::MAX;

/// Members of groups of one or two, and the group of each index.
pub(super) struct IndexGroups {
    pub members: Vec<[u32; 2]>,
    pub of: Vec<u32>,
}

impl IndexGroups {
    /// How many indices a group has.
    pub fn size(&self, group: usize) -> usize {
        1 + usize::from(self.members[group][1] != UNPAIRED)
    }

    /// Pairs those that need a partner with a neighbour that does not, large entries first. Columns with very many entries make
    /// no pairs: they would delay a row to the end.
    pub fn new(matrix: &SymmetricMatrix, scales: &[f64], zero_diagonal: impl Fn(usize) -> bool) -> Self {
        let n = matrix.dimension;
        let mut degree = vec![0_u32; n];
        let mut largest = vec![0.0_f64; n];
        for (i, j, v) in matrix.entries().filter(|(i, j, _)| i != j) {
            for (own, other) in [(i, j), (j, i)] {
                degree[own] += 1;
                if zero_diagonal(own) && !zero_diagonal(other) {
                    largest[own] = largest[own].max((v * scales[i] * scales[j]).abs());
                }
            }
        }
        let max_degree = 16.max((10.0 * (n as f64).sqrt()) as u32);
        let mut candidates: Vec<(f64, u32, u32)> = Vec::new();
        for (i, j, v) in matrix.entries().filter(|(i, j, _)| i != j) {
            let (row, column) = match (zero_diagonal(i), zero_diagonal(j)) {
                (true, false) => (i, j),
                (false, true) => (j, i),
                _ => continue,
            };
            let part = (v * scales[i] * scales[j]).abs() / largest[row];
            if part >= WEAK_PAIR && degree[column] <= max_degree {
                candidates.push((part, row as u32, column as u32));
            }
        }
        candidates.sort_unstable_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)).then(a.2.cmp(&b.2)));
        let mut partner = vec![UNPAIRED; n];
        for (_, row, column) in candidates {
            if partner[row as usize] == UNPAIRED && partner[column as usize] == UNPAIRED {
                partner[row as usize] = column;
                partner[column as usize] = row;
            }
        }
        let mut groups = Self { members: Vec::new(), of: vec![0; n] };
        for (i, &other) in partner.iter().enumerate() {
            if other == UNPAIRED || (i as u32) < other {
                groups.of[i] = groups.members.len() as u32;
                if other != UNPAIRED {
                    groups.of[other as usize] = groups.members.len() as u32;
                }
                groups.members.push([i as u32, other]);
            }
        }
        groups
    }
}
