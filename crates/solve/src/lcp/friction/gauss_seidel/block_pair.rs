//! Products of rows and velocities, in packets of four.
//!
//! ```text
//! a0 a1 a2 a3 | b0 b1 b2 b3 | a4 a5 b4 b5          lanes of a row, and of the velocities of its two blocks
//! ```
//!
//! [Packets](crate::simd) hold them: sums have the same order on every processor.
//! A velocity is read as it was written, whichever side of a contact its block was on.

use crate::lcp::friction::rows::MAX_BLOCK;
use crate::simd::{Packet, window, window_mut};

pub(super) type BlockVector = [f64; MAX_BLOCK];
pub(super) type TwoBlockRow = [f64; ROW];

const ROW: usize = 2 * MAX_BLOCK;

/// The velocities of two blocks, or a row over them.
#[derive(Clone, Copy)]
pub(super) struct BlockPair<P>([P; 3]);

impl<P: Packet> BlockPair<P> {
    #[inline(always)]
    pub(super) fn load(a: &BlockVector, b: &BlockVector) -> Self {
        let last = P::join(window::<4, 2, MAX_BLOCK>(a), window::<4, 2, MAX_BLOCK>(b));
        Self([P::load(window::<0, 4, MAX_BLOCK>(a)), P::load(window::<0, 4, MAX_BLOCK>(b)), last])
    }

    #[inline(always)]
    fn row(row: &TwoBlockRow) -> Self {
        Self::load(window::<0, MAX_BLOCK, ROW>(row), window::<MAX_BLOCK, MAX_BLOCK, ROW>(row))
    }

    #[inline(always)]
    pub(super) fn product(&self, other: &Self) -> f64 {
        let ([p, q, r], [x, y, z]) = (&self.0, &other.0);
        p.mul(*x).add(q.mul(*y)).add(r.mul(*z)).sum()
    }

    /// Number by number.
    #[inline(always)]
    pub(super) fn times(&self, other: &Self) -> Self {
        let ([p, q, r], [x, y, z]) = (self.0, other.0);
        Self([p.mul(x), q.mul(y), r.mul(z)])
    }

    #[inline(always)]
    pub(super) fn scaled(&self, by: f64) -> Self {
        let by = P::splat(by);
        Self(self.0.map(|pair| pair.mul(by)))
    }

    /// As a row.
    #[inline(always)]
    pub(super) fn pair(&self) -> TwoBlockRow {
        let ([p, q, r], mut row) = (self.0, [0.0; ROW]);
        let [low, high] = r.halves();
        p.store(window_mut::<0, 4, ROW>(&mut row));
        q.store(window_mut::<6, 4, ROW>(&mut row));
        *window_mut::<4, 2, ROW>(&mut row) = low;
        *window_mut::<10, 2, ROW>(&mut row) = high;
        row
    }

    /// `rᵀ v`
    #[inline(always)]
    pub(super) fn row_velocity(&self, row: &TwoBlockRow) -> f64 {
        self.product(&Self::row(row))
    }

    /// Velocities along the three rows of a contact.
    #[inline(always)]
    pub(super) fn row_velocities(&self, rows: &[TwoBlockRow; 3]) -> [f64; 3] {
        [self.row_velocity(&rows[0]), self.row_velocity(&rows[1]), self.row_velocity(&rows[2])]
    }

    /// What the impulses of a contact's rows do to the velocities.
    #[inline(always)]
    pub(super) fn apply_impulses(&mut self, rows: &[TwoBlockRow; 3], by: &[f64; 3]) {
        let [n, s, t] = [Self::row(&rows[0]), Self::row(&rows[1]), Self::row(&rows[2])];
        let by = [P::splat(by[0]), P::splat(by[1]), P::splat(by[2])];
        for (i, v) in self.0.iter_mut().enumerate() {
            *v = v.add(by[0].mul(n.0[i]).add(by[1].mul(s.0[i])).add(by[2].mul(t.0[i])));
        }
    }

    /// Writes the velocities of the first block.
    #[inline(always)]
    pub(super) fn write_first(&self, v: &mut BlockVector) {
        self.0[0].store(window_mut::<0, 4, MAX_BLOCK>(v));
        *window_mut::<4, 2, MAX_BLOCK>(v) = self.0[2].halves()[0];
    }

    /// Writes the velocities of two different blocks.
    #[inline(always)]
    pub(super) fn write(&self, v: &mut [BlockVector], [a, b]: [usize; 2]) {
        let [p, q, r] = self.0;
        let [low, high] = r.halves();
        p.store(window_mut::<0, 4, MAX_BLOCK>(&mut v[a]));
        q.store(window_mut::<0, 4, MAX_BLOCK>(&mut v[b]));
        *window_mut::<4, 2, MAX_BLOCK>(&mut v[a]) = low;
        *window_mut::<4, 2, MAX_BLOCK>(&mut v[b]) = high;
    }
}

/// `rᵀ v`
#[inline(always)]
pub(super) fn row_velocity(row: &TwoBlockRow, a: &BlockVector, b: &BlockVector) -> f64 {
    BlockPair::<[f64; 4]>::load(a, b).row_velocity(row)
}

/// `v += x r`
#[inline(always)]
pub(super) fn apply_impulse(row: &TwoBlockRow, x: f64, a: &mut BlockVector, b: &mut BlockVector) {
    for i in 0..MAX_BLOCK {
        a[i] += x * row[i];
        b[i] += x * row[MAX_BLOCK + i];
    }
}

/// `rᵀ s`
#[inline(always)]
pub(super) fn row_product(r: &TwoBlockRow, s: &TwoBlockRow) -> f64 {
    BlockPair::<[f64; 4]>::row(r).product(&BlockPair::row(s))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::simd::{Instructions, Kernel};

    struct Update<'a>(&'a [TwoBlockRow; 3], &'a mut [BlockVector; 2]);

    impl Kernel for Update<'_> {
        type Output = [f64; 3];

        #[inline(always)]
        fn run<P: Packet>(self) -> [f64; 3] {
            let Self(rows, v) = self;
            let mut pair = BlockPair::<P>::load(&v[1], &v[0]);
            let row_velocities = pair.row_velocities(rows);
            pair.apply_impulses(rows, &row_velocities);
            pair.write(v, [1, 0]);
            row_velocities
        }
    }

    #[test]
    fn row_products_are_bitwise_identical_on_all_processors() {
        for k in 0..100 {
            let f = |i: usize| (1.7 * (k * 60 + i) as f64).sin();
            let rows = [0, 12, 24].map(|at| std::array::from_fn(|i| f(at + i)));
            let mut v: [BlockVector; 2] = [36, 42].map(|at| std::array::from_fn(|i| f(at + i)));
            let mut w = v;
            let row_velocities = Instructions::portable().run(Update(&rows, &mut v));
            assert_eq!(row_velocities, Instructions::detect().run(Update(&rows, &mut w)));
            assert_eq!(v, w);
            let plain: f64 = (0..6).map(|i| rows[0][i] * f(42 + i) + rows[0][6 + i] * f(36 + i)).sum();
            assert!((row_velocities[0] - plain).abs() < 1e-14);
        }
    }
}
