//! Products of rows and velocities, four numbers side by side.
//!
//! ```text
//! a0 a1 a2 a3 | b0 b1 b2 b3 | a4 a5 b4 b5          lanes of a row, and of the velocities of its two blocks
//! ```
//!
//! A register of four holds them where the processor has such, and an array where it has none: sums have the same order
//! and the same bits either way. A velocity is read as it was written, whichever side of a contact its block was on.

use crate::lcp::friction::rows::WIDEST;
use crate::simd::{Packet, window, window_mut};

pub(super) type Body = [f64; WIDEST];
pub(super) type Pair = [f64; ROW];

const ROW: usize = 2 * WIDEST;

/// The velocities of two blocks, or a row over them.
#[derive(Clone, Copy)]
pub(super) struct Lanes<P>([P; 3]);

impl<P: Packet> Lanes<P> {
    #[inline(always)]
    pub(super) fn of(a: &Body, b: &Body) -> Self {
        let last = P::join(window::<4, 2, WIDEST>(a), window::<4, 2, WIDEST>(b));
        Self([P::load(window::<0, 4, WIDEST>(a)), P::load(window::<0, 4, WIDEST>(b)), last])
    }

    #[inline(always)]
    fn row(row: &Pair) -> Self {
        Self::of(window::<0, WIDEST, ROW>(row), window::<WIDEST, WIDEST, ROW>(row))
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
        Self(self.0.map(|lanes| lanes.mul(by)))
    }

    /// As a row.
    #[inline(always)]
    pub(super) fn pair(&self) -> Pair {
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
    pub(super) fn along(&self, row: &Pair) -> f64 {
        self.product(&Self::row(row))
    }

    /// Velocities along the three rows of a contact.
    #[inline(always)]
    pub(super) fn speeds(&self, rows: &[Pair; 3]) -> [f64; 3] {
        [self.along(&rows[0]), self.along(&rows[1]), self.along(&rows[2])]
    }

    /// What the impulses of a contact's rows do to the velocities.
    #[inline(always)]
    pub(super) fn push(&mut self, rows: &[Pair; 3], by: &[f64; 3]) {
        let [n, s, t] = [Self::row(&rows[0]), Self::row(&rows[1]), Self::row(&rows[2])];
        let by = [P::splat(by[0]), P::splat(by[1]), P::splat(by[2])];
        for (i, v) in self.0.iter_mut().enumerate() {
            *v = v.add(by[0].mul(n.0[i]).add(by[1].mul(s.0[i])).add(by[2].mul(t.0[i])));
        }
    }

    /// Writes the velocities of two different blocks.
    #[inline(always)]
    pub(super) fn write(&self, v: &mut [Body], [a, b]: [usize; 2]) {
        let [p, q, r] = self.0;
        let [low, high] = r.halves();
        p.store(window_mut::<0, 4, WIDEST>(&mut v[a]));
        q.store(window_mut::<0, 4, WIDEST>(&mut v[b]));
        *window_mut::<4, 2, WIDEST>(&mut v[a]) = low;
        *window_mut::<4, 2, WIDEST>(&mut v[b]) = high;
    }
}

/// `rᵀ v`
#[inline(always)]
pub(super) fn along(row: &Pair, a: &Body, b: &Body) -> f64 {
    Lanes::<[f64; 4]>::of(a, b).along(row)
}

/// `v += x r`
#[inline(always)]
pub(super) fn push(row: &Pair, x: f64, a: &mut Body, b: &mut Body) {
    for i in 0..WIDEST {
        a[i] += x * row[i];
        b[i] += x * row[WIDEST + i];
    }
}

/// `rᵀ s`
#[inline(always)]
pub(super) fn overlap(r: &Pair, s: &Pair) -> f64 {
    Lanes::<[f64; 4]>::row(r).product(&Lanes::row(s))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::simd::{Instructions, Kernel};

    struct Update<'a>(&'a [Pair; 3], &'a mut [Body; 2]);

    impl Kernel for Update<'_> {
        type Output = [f64; 3];

        #[inline(always)]
        fn run<P: Packet>(self) -> [f64; 3] {
            let Self(rows, v) = self;
            let mut lanes = Lanes::<P>::of(&v[1], &v[0]);
            let speeds = lanes.speeds(rows);
            lanes.push(rows, &speeds);
            lanes.write(v, [1, 0]);
            speeds
        }
    }

    #[test]
    fn registers_and_arrays_give_the_same_bits() {
        for k in 0..100 {
            let f = |i: usize| (1.7 * (k * 60 + i) as f64).sin();
            let rows = [0, 12, 24].map(|at| std::array::from_fn(|i| f(at + i)));
            let mut v: [Body; 2] = [36, 42].map(|at| std::array::from_fn(|i| f(at + i)));
            let mut w = v;
            let speeds = Instructions::portable().run(Update(&rows, &mut v));
            assert_eq!(speeds, Instructions::detect().run(Update(&rows, &mut w)));
            assert_eq!(v, w);
            let plain: f64 = (0..6).map(|i| rows[0][i] * f(42 + i) + rows[0][6 + i] * f(36 + i)).sum();
            assert!((speeds[0] - plain).abs() < 1e-14);
        }
    }
}
