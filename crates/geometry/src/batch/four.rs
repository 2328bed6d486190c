//! Four lanes in an AVX2 register.

use super::lanes::{MOST, Stored, Wide};
use crate::shapes::Polytope;
use std::arch::x86_64::*;

// SAFETY of every block below: `Wide` is called from functions with AVX2 alone.
impl Wide for __m256d {
    const LANES: usize = 4;
    type Mask = __m256d;

    #[inline(always)]
    fn all(value: f64) -> Self {
        unsafe { _mm256_set1_pd(value) }
    }

    #[inline(always)]
    fn add(self, other: Self) -> Self {
        unsafe { _mm256_add_pd(self, other) }
    }

    #[inline(always)]
    fn sub(self, other: Self) -> Self {
        unsafe { _mm256_sub_pd(self, other) }
    }

    #[inline(always)]
    fn mul(self, other: Self) -> Self {
        unsafe { _mm256_mul_pd(self, other) }
    }

    #[inline(always)]
    fn div(self, other: Self) -> Self {
        unsafe { _mm256_div_pd(self, other) }
    }

    #[inline(always)]
    fn sqrt(self) -> Self {
        unsafe { _mm256_sqrt_pd(self) }
    }

    #[inline(always)]
    fn negated(self) -> Self {
        unsafe { _mm256_xor_pd(self, _mm256_set1_pd(-0.0)) }
    }

    #[inline(always)]
    fn absolute(self) -> Self {
        unsafe { _mm256_andnot_pd(_mm256_set1_pd(-0.0), self) }
    }

    #[inline(always)]
    fn max(self, other: Self) -> Self {
        unsafe { _mm256_max_pd(self, other) }
    }

    #[inline(always)]
    fn greater(self, other: Self) -> Self::Mask {
        unsafe { _mm256_cmp_pd::<_CMP_GT_OQ>(self, other) }
    }

    #[inline(always)]
    fn at_least(self, other: Self) -> Self::Mask {
        unsafe { _mm256_cmp_pd::<_CMP_GE_OQ>(self, other) }
    }

    #[inline(always)]
    fn both(a: Self::Mask, b: Self::Mask) -> Self::Mask {
        unsafe { _mm256_and_pd(a, b) }
    }

    #[inline(always)]
    fn bits(mask: Self::Mask) -> u32 {
        unsafe { _mm256_movemask_pd(mask) as u32 }
    }

    #[inline(always)]
    fn only(self, mask: Self::Mask) -> Self {
        unsafe { _mm256_and_pd(mask, self) }
    }

    #[inline(always)]
    unsafe fn read(from: *const f64) -> Self {
        unsafe { _mm256_loadu_pd(from) }
    }

    #[inline(always)]
    fn store(self, values: &mut Stored) {
        unsafe { _mm256_storeu_pd(values.as_mut_ptr(), self) }
    }

    #[inline(always)]
    unsafe fn columns(row: impl Fn(usize) -> *const f64) -> [Self; 4] {
        unsafe {
            let rows = [row(0), row(1), row(2), row(3)].map(|row| _mm256_loadu_pd(row));
            transposed(rows)
        }
    }

    #[inline(always)]
    fn spread(self, k: usize) -> Self {
        unsafe {
            match k {
                0 => _mm256_permute4x64_pd::<0x00>(self),
                1 => _mm256_permute4x64_pd::<0x55>(self),
                2 => _mm256_permute4x64_pd::<0xaa>(self),
                _ => _mm256_permute4x64_pd::<0xff>(self),
            }
        }
    }

    #[inline(always)]
    fn rows(columns: [Self; 4]) -> [__m256d; MOST] {
        transposed(columns)
    }

    #[inline(always)]
    fn largest(of: [Self; MOST]) -> Self {
        unsafe {
            let pairs = |a: Self, b: Self| _mm256_max_pd(_mm256_unpacklo_pd(a, b), _mm256_unpackhi_pd(a, b));
            let (first, second) = (pairs(of[0], of[1]), pairs(of[2], of[3]));
            let low = _mm256_permute2f128_pd::<0x20>(first, second);
            _mm256_max_pd(low, _mm256_permute2f128_pd::<0x31>(first, second))
        }
    }

    #[inline(always)]
    fn blocks(body: &Polytope) -> *const f64 {
        body.lanes().blocks().as_ptr().cast()
    }
}

/// Four rows of four numbers to four columns.
#[inline(always)]
fn transposed([a, b, c, d]: [__m256d; 4]) -> [__m256d; 4] {
    // SAFETY: as above.
    unsafe {
        let (low, high) = (_mm256_unpacklo_pd(a, b), _mm256_unpackhi_pd(a, b));
        let (low_2, high_2) = (_mm256_unpacklo_pd(c, d), _mm256_unpackhi_pd(c, d));
        [
            _mm256_permute2f128_pd::<0x20>(low, low_2),
            _mm256_permute2f128_pd::<0x20>(high, high_2),
            _mm256_permute2f128_pd::<0x31>(low, low_2),
            _mm256_permute2f128_pd::<0x31>(high, high_2),
        ]
    }
}
