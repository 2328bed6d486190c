//! Products of rows and velocities, four numbers side by side.
//!
//! ```text
//! a0 a1 a2 a3 | b0 b1 b2 b3 | a4 a5 b4 b5          lanes of a row, and of the velocities of its two blocks
//! ```
//!
//! A register of four holds them where the processor has such, and an array where it has none: sums have the same order
//! and the same bits either way. A velocity is read as it was written, whichever side of a contact its block was on.

use crate::lcp::friction::rows::WIDEST;
#[cfg(target_arch = "x86_64")]
use std::arch::x86_64::*;

pub(super) type Body = [f64; WIDEST];
pub(super) type Pair = [f64; 2 * WIDEST];

/// Four numbers.
pub(super) trait Four: Copy {
    /// Four in a row.
    ///
    /// # Safety
    /// There must be four at this place.
    unsafe fn load(from: *const f64) -> Self;
    /// Two from each of two places.
    ///
    /// # Safety
    /// There must be two at each.
    unsafe fn join(low: *const f64, high: *const f64) -> Self;
    /// Writes four.
    ///
    /// # Safety
    /// There must be room for four.
    unsafe fn store(self, to: *mut f64);
    /// Writes two to each of two places.
    ///
    /// # Safety
    /// There must be room for two at each.
    unsafe fn part(self, low: *mut f64, high: *mut f64);
    fn all(x: f64) -> Self;
    fn add(self, other: Self) -> Self;
    fn mul(self, other: Self) -> Self;
    /// `(0 + 2) + (1 + 3)`
    fn sum(self) -> f64;
}

impl Four for [f64; 4] {
    #[inline(always)]
    unsafe fn load(from: *const f64) -> Self {
        // SAFETY: promised by the caller, here and below.
        unsafe { *from.cast() }
    }

    #[inline(always)]
    unsafe fn join(low: *const f64, high: *const f64) -> Self {
        // SAFETY: as above.
        let ([a, b], [c, d]) = unsafe { (*low.cast::<[f64; 2]>(), *high.cast::<[f64; 2]>()) };
        [a, b, c, d]
    }

    #[inline(always)]
    unsafe fn store(self, to: *mut f64) {
        // SAFETY: as above.
        unsafe { *to.cast() = self }
    }

    #[inline(always)]
    unsafe fn part(self, low: *mut f64, high: *mut f64) {
        // SAFETY: as above.
        unsafe { (*low.cast(), *high.cast()) = ([self[0], self[1]], [self[2], self[3]]) }
    }

    #[inline(always)]
    fn all(x: f64) -> Self {
        [x; 4]
    }

    #[inline(always)]
    fn add(self, other: Self) -> Self {
        [self[0] + other[0], self[1] + other[1], self[2] + other[2], self[3] + other[3]]
    }

    #[inline(always)]
    fn mul(self, other: Self) -> Self {
        [self[0] * other[0], self[1] * other[1], self[2] * other[2], self[3] * other[3]]
    }

    #[inline(always)]
    fn sum(self) -> f64 {
        (self[0] + self[2]) + (self[1] + self[3])
    }
}

// SAFETY of every block below: called from functions with AVX alone; places are the caller's promise.
#[cfg(target_arch = "x86_64")]
impl Four for __m256d {
    #[inline(always)]
    unsafe fn load(from: *const f64) -> Self {
        unsafe { _mm256_loadu_pd(from) }
    }

    #[inline(always)]
    unsafe fn join(low: *const f64, high: *const f64) -> Self {
        unsafe { _mm256_insertf128_pd::<1>(_mm256_castpd128_pd256(_mm_loadu_pd(low)), _mm_loadu_pd(high)) }
    }

    #[inline(always)]
    unsafe fn store(self, to: *mut f64) {
        unsafe { _mm256_storeu_pd(to, self) }
    }

    #[inline(always)]
    unsafe fn part(self, low: *mut f64, high: *mut f64) {
        unsafe {
            _mm_storeu_pd(low, _mm256_castpd256_pd128(self));
            _mm_storeu_pd(high, _mm256_extractf128_pd::<1>(self));
        }
    }

    #[inline(always)]
    fn all(x: f64) -> Self {
        unsafe { _mm256_set1_pd(x) }
    }

    #[inline(always)]
    fn add(self, other: Self) -> Self {
        unsafe { _mm256_add_pd(self, other) }
    }

    #[inline(always)]
    fn mul(self, other: Self) -> Self {
        unsafe { _mm256_mul_pd(self, other) }
    }

    #[inline(always)]
    fn sum(self) -> f64 {
        unsafe {
            let two = _mm_add_pd(_mm256_castpd256_pd128(self), _mm256_extractf128_pd::<1>(self));
            _mm_cvtsd_f64(_mm_add_sd(two, _mm_unpackhi_pd(two, two)))
        }
    }
}

/// Whether the processor has registers of four.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
pub(super) fn by_four() -> bool {
    std::arch::is_x86_feature_detected!("avx")
}

/// The velocities of two blocks, or a row over them.
#[derive(Clone, Copy)]
pub(super) struct Lanes<F>([F; 3]);

impl<F: Four> Lanes<F> {
    #[inline(always)]
    pub(super) fn of(a: &Body, b: &Body) -> Self {
        let (a, b) = (a.as_ptr(), b.as_ptr());
        // SAFETY: both have six numbers.
        unsafe { Self([F::load(a), F::load(b), F::join(a.add(4), b.add(4))]) }
    }

    #[inline(always)]
    fn row(row: &Pair) -> Self {
        let r = row.as_ptr();
        // SAFETY: a row has twelve numbers.
        unsafe { Self([F::load(r), F::load(r.add(6)), F::join(r.add(4), r.add(10))]) }
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
        let by = F::all(by);
        Self(self.0.map(|lanes| lanes.mul(by)))
    }

    /// As a row.
    #[inline(always)]
    pub(super) fn pair(&self) -> Pair {
        let ([p, q, r], mut row) = (self.0, [0.0; 2 * WIDEST]);
        let to = row.as_mut_ptr();
        // SAFETY: a row has twelve numbers.
        unsafe {
            p.store(to);
            q.store(to.add(6));
            r.part(to.add(4), to.add(10));
        }
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
        let by = [F::all(by[0]), F::all(by[1]), F::all(by[2])];
        for (i, v) in self.0.iter_mut().enumerate() {
            *v = v.add(by[0].mul(n.0[i]).add(by[1].mul(s.0[i])).add(by[2].mul(t.0[i])));
        }
    }

    /// Writes the velocities of two different blocks.
    #[inline(always)]
    pub(super) fn write(&self, v: &mut [Body], [a, b]: [usize; 2]) {
        let [p, q, r] = self.0;
        let (a, b) = (v[a].as_mut_ptr(), v[b].as_mut_ptr());
        // SAFETY: both have six numbers.
        unsafe {
            p.store(a);
            q.store(b);
            r.part(a.add(4), b.add(4));
        }
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

    #[cfg(target_arch = "x86_64")]
    #[test]
    fn registers_and_arrays_give_the_same_bits() {
        #[target_feature(enable = "avx")]
        fn registers(rows: &[Pair; 3], v: &mut [Body]) -> [f64; 3] {
            visit::<__m256d>(rows, v)
        }
        #[inline(always)]
        fn visit<F: Four>(rows: &[Pair; 3], v: &mut [Body]) -> [f64; 3] {
            let mut lanes = Lanes::<F>::of(&v[1], &v[0]);
            let speeds = lanes.speeds(rows);
            lanes.push(rows, &speeds);
            lanes.write(v, [1, 0]);
            speeds
        }
        if !by_four() {
            return;
        }
        for k in 0..100 {
            let f = |i: usize| (1.7 * (k * 60 + i) as f64).sin();
            let rows = [0, 12, 24].map(|at| std::array::from_fn(|i| f(at + i)));
            let mut v: [Body; 2] = [36, 42].map(|at| std::array::from_fn(|i| f(at + i)));
            let mut w = v;
            let speeds = visit::<[f64; 4]>(&rows, &mut v);
            // SAFETY: the processor has registers of four.
            assert_eq!(speeds, unsafe { registers(&rows, &mut w) });
            assert_eq!(v, w);
            let plain: f64 = (0..6).map(|i| rows[0][i] * f(42 + i) + rows[0][6 + i] * f(36 + i)).sum();
            assert!((speeds[0] - plain).abs() < 1e-14);
        }
    }
}
