//! Symmetric matrices in compressed columns.

/// The lower triangle of a symmetric matrix, column by column.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SymmetricMatrix {
    /// Rows and columns.
    pub dimension: usize,
    /// Where each column begins, and where the last one ends.
    pub starts: Vec<usize>,
    /// The row of each entry.
    pub rows: Vec<usize>,
    /// The entries.
    pub values: Vec<f64>,
}

impl SymmetricMatrix {
    /// A matrix of zeros with given places, in any order, on either side of the diagonal and more than once, and the slot of
    /// each of them in `values`.
    pub fn zeros(dimension: usize, places: &[(usize, usize)]) -> (Self, Vec<usize>) {
        // Row and number of each place, by columns.
        let (begins, mut sorted) =
            bucket(dimension, || places.iter().enumerate().map(|(k, &(i, j))| (i.min(j), (i.max(j), k))));
        let mut matrix = Self { dimension, starts: vec![0], rows: Vec::new(), values: Vec::new() };
        let mut slots = vec![0; places.len()];
        for ends in begins.windows(2) {
            let own = &mut sorted[ends[0]..ends[1]];
            own.sort_unstable();
            for same in own.chunk_by(|a, b| a.0 == b.0) {
                same.iter().for_each(|&(_, k)| slots[k] = matrix.rows.len());
                matrix.rows.push(same[0].0);
            }
            matrix.starts.push(matrix.rows.len());
        }
        matrix.values = vec![0.0; matrix.rows.len()];
        (matrix, slots)
    }

    /// Entries as (row, column, value).
    pub fn entries(&self) -> impl Iterator<Item = (usize, usize, f64)> {
        (0..self.dimension).flat_map(move |j| {
            let range = self.starts[j]..self.starts[j + 1];
            self.rows[range.clone()].iter().zip(&self.values[range]).map(move |(&i, &v)| (i, j, v))
        })
    }

    /// The product with a vector.
    pub fn multiply(&self, x: &[f64], out: &mut [f64]) {
        out.fill(0.0);
        for j in 0..self.dimension {
            let range = self.starts[j]..self.starts[j + 1];
            let mut sum = 0.0;
            for (&i, &v) in self.rows[range.clone()].iter().zip(&self.values[range]) {
                out[i] += v * x[j];
                if i != j {
                    sum += v * x[i];
                }
            }
            out[j] += sum;
        }
    }
}

/// Second members of pairs by the first, in the order given: where those of each begin, and all of them.
pub(super) fn bucket<T: Copy + Default, I: Iterator<Item = (usize, T)>>(
    count: usize,
    pairs: impl Fn() -> I,
) -> (Vec<usize>, Vec<T>) {
    let mut begins = vec![0; count + 1];
    pairs().for_each(|(first, _)| begins[first + 1] += 1);
    for k in 0..count {
        begins[k + 1] += begins[k];
    }
    let mut next = begins.clone();
    let mut all = vec![T::default(); begins[count]];
    pairs().for_each(|(first, second)| {
        all[next[first]] = second;
        next[first] += 1;
    });
    (begins, all)
}
