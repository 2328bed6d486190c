//! Packets of four numbers: one set of operations with two implementations, bitwise identical.
//!
//! ```text
//! Instructions::detect().run(kernel)      kernel.run::<P>(), P: an AVX2 register, or an array where there is none
//! ```
//!
//! A [`Kernel`] is compiled once for each implementation of [`Packet`]. The one on registers is compiled with the processor's
//! AVX2 instructions enabled, in plain loops too, which the compiler then vectorises; a kernel need not use packets at all.
//! Fused multiply-add is not enabled, and sums of lanes are formed in one order, so that a kernel gives bitwise identical results
//! whichever way it runs. `Avx2` cannot be named outside of this module: whoever holds one has passed the check of
//! [`Instructions::detect`], which is what makes the operations safe.

#[cfg(target_arch = "x86_64")]
use std::arch::x86_64::*;

/// Numbers in a packet.
pub const WIDTH: usize = 4;

/// Work that is compiled for several instruction sets. Mark `run` and the functions that it calls `#[inline(always)]`: what is
/// not inlined is compiled without AVX2.
pub trait Kernel {
    /// What it computes.
    type Output;

    /// Does the work with packets of type `P`.
    fn run<P: Packet>(self) -> Self::Output;
}

/// An instruction set that the processor has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Instructions {
    avx2: bool,
}

impl Instructions {
    /// The widest there are.
    #[inline(always)]
    pub fn detect() -> Self {
        #[cfg(target_arch = "x86_64")]
        return Self { avx2: std::arch::is_x86_feature_detected!("avx2") };
        #[cfg(not(target_arch = "x86_64"))]
        Self::portable()
    }

    /// Those of every processor.
    pub const fn portable() -> Self {
        Self { avx2: false }
    }

    /// Whether packets are registers.
    pub const fn is_wide(self) -> bool {
        self.avx2
    }

    /// Runs a kernel.
    #[inline(always)]
    pub fn run<K: Kernel>(self, kernel: K) -> K::Output {
        #[cfg(target_arch = "x86_64")]
        if self.avx2 {
            // SAFETY: `detect` has found AVX2; no other function sets the flag.
            return unsafe { run_avx2(kernel) };
        }
        kernel.run::<[f64; WIDTH]>()
    }
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
fn run_avx2<K: Kernel>(kernel: K) -> K::Output {
    kernel.run::<Avx2>()
}

mod sealed {
    pub trait Sealed {}
}

/// Four numbers, lane by lane.
pub trait Packet: Copy + sealed::Sealed {
    /// One truth value per lane.
    type Mask: Copy;

    /// One number in all lanes.
    fn splat(x: f64) -> Self;
    /// Four in a row.
    fn load(from: &[f64; WIDTH]) -> Self;
    /// Writes four.
    fn store(self, to: &mut [f64; WIDTH]);
    /// Two from each of two places.
    fn join(low: &[f64; 2], high: &[f64; 2]) -> Self;
    /// The lower two lanes and the upper two.
    fn halves(self) -> [[f64; 2]; 2];
    /// The number of one lane in all lanes.
    fn broadcast(self, lane: usize) -> Self;

    /// `self + other`
    fn add(self, other: Self) -> Self;
    /// `self - other`
    fn sub(self, other: Self) -> Self;
    /// `self * other`
    fn mul(self, other: Self) -> Self;
    /// `self / other`
    fn div(self, other: Self) -> Self;
    /// Square root.
    fn sqrt(self) -> Self;
    /// `-self`
    fn neg(self) -> Self;
    /// Absolute value.
    fn abs(self) -> Self;
    /// The larger; `other` where one of them is NaN or both are equal.
    fn max(self, other: Self) -> Self;

    /// `self > other`; false for NaN.
    fn gt(self, other: Self) -> Self::Mask;
    /// `self >= other`; false for NaN.
    fn ge(self, other: Self) -> Self::Mask;
    /// `a && b`
    fn and(a: Self::Mask, b: Self::Mask) -> Self::Mask;
    /// Bit `k` for lane `k`.
    fn bits(mask: Self::Mask) -> u32;
    /// Zero where the mask is not set.
    fn masked(self, mask: Self::Mask) -> Self;

    /// `(0 + 2) + (1 + 3)`
    fn sum(self) -> f64;
    /// Four rows as four columns.
    fn transpose(rows: [Self; WIDTH]) -> [Self; WIDTH];
    /// The largest number of each packet, in its order.
    fn max_of_each(packets: [Self; WIDTH]) -> Self;
}

impl sealed::Sealed for [f64; WIDTH] {}

/// The packet of every processor.
impl Packet for [f64; WIDTH] {
    type Mask = [bool; WIDTH];

    #[inline(always)]
    fn splat(x: f64) -> Self {
        [x; WIDTH]
    }

    #[inline(always)]
    fn load(from: &[f64; WIDTH]) -> Self {
        *from
    }

    #[inline(always)]
    fn store(self, to: &mut [f64; WIDTH]) {
        *to = self;
    }

    #[inline(always)]
    fn join(&[a, b]: &[f64; 2], &[c, d]: &[f64; 2]) -> Self {
        [a, b, c, d]
    }

    #[inline(always)]
    fn halves(self) -> [[f64; 2]; 2] {
        let [a, b, c, d] = self;
        [[a, b], [c, d]]
    }

    #[inline(always)]
    fn broadcast(self, lane: usize) -> Self {
        [self[lane]; WIDTH]
    }

    #[inline(always)]
    fn add(self, other: Self) -> Self {
        zip(self, other, |a, b| a + b)
    }

    #[inline(always)]
    fn sub(self, other: Self) -> Self {
        zip(self, other, |a, b| a - b)
    }

    #[inline(always)]
    fn mul(self, other: Self) -> Self {
        zip(self, other, |a, b| a * b)
    }

    #[inline(always)]
    fn div(self, other: Self) -> Self {
        zip(self, other, |a, b| a / b)
    }

    #[inline(always)]
    fn sqrt(self) -> Self {
        self.map(f64::sqrt)
    }

    #[inline(always)]
    fn neg(self) -> Self {
        self.map(|a| -a)
    }

    #[inline(always)]
    fn abs(self) -> Self {
        self.map(f64::abs)
    }

    #[inline(always)]
    fn max(self, other: Self) -> Self {
        zip(self, other, larger)
    }

    #[inline(always)]
    fn gt(self, other: Self) -> Self::Mask {
        zip(self, other, |a, b| a > b)
    }

    #[inline(always)]
    fn ge(self, other: Self) -> Self::Mask {
        zip(self, other, |a, b| a >= b)
    }

    #[inline(always)]
    fn and(a: Self::Mask, b: Self::Mask) -> Self::Mask {
        zip(a, b, |a, b| a && b)
    }

    #[inline(always)]
    fn bits(mask: Self::Mask) -> u32 {
        (0..WIDTH).fold(0, |bits, k| bits | u32::from(mask[k]) << k)
    }

    #[inline(always)]
    fn masked(self, mask: Self::Mask) -> Self {
        zip(self, mask, |a, keep| if keep { a } else { 0.0 })
    }

    #[inline(always)]
    fn sum(self) -> f64 {
        (self[0] + self[2]) + (self[1] + self[3])
    }

    #[inline(always)]
    fn transpose([a, b, c, d]: [Self; WIDTH]) -> [Self; WIDTH] {
        [0, 1, 2, 3].map(|k| [a[k], b[k], c[k], d[k]])
    }

    #[inline(always)]
    fn max_of_each(packets: [Self; WIDTH]) -> Self {
        packets.map(|[a, b, c, d]| larger(larger(a, b), larger(c, d)))
    }
}

#[inline(always)]
fn zip<A: Copy, B: Copy, C>(a: [A; WIDTH], b: [B; WIDTH], f: impl Fn(A, B) -> C) -> [C; WIDTH] {
    [f(a[0], b[0]), f(a[1], b[1]), f(a[2], b[2]), f(a[3], b[3])]
}

/// As the instruction does it: the second where they cannot be compared.
#[inline(always)]
fn larger(a: f64, b: f64) -> f64 {
    if a > b { a } else { b }
}

/// A register of AVX2.
#[cfg(target_arch = "x86_64")]
#[derive(Clone, Copy)]
struct Avx2(__m256d);

#[cfg(target_arch = "x86_64")]
impl sealed::Sealed for Avx2 {}

// SAFETY of every block below: `Avx2` is private and reaches a kernel through `run_avx2` alone, which is called where the
// processor has AVX2. Loads and stores are unaligned and stay within the arrays referred to.
#[cfg(target_arch = "x86_64")]
impl Packet for Avx2 {
    type Mask = Self;

    #[inline(always)]
    fn splat(x: f64) -> Self {
        Self(unsafe { _mm256_set1_pd(x) })
    }

    #[inline(always)]
    fn load(from: &[f64; WIDTH]) -> Self {
        Self(unsafe { _mm256_loadu_pd(from.as_ptr()) })
    }

    #[inline(always)]
    fn store(self, to: &mut [f64; WIDTH]) {
        unsafe { _mm256_storeu_pd(to.as_mut_ptr(), self.0) }
    }

    #[inline(always)]
    fn join(low: &[f64; 2], high: &[f64; 2]) -> Self {
        Self(unsafe {
            let low = _mm256_castpd128_pd256(_mm_loadu_pd(low.as_ptr()));
            _mm256_insertf128_pd::<1>(low, _mm_loadu_pd(high.as_ptr()))
        })
    }

    #[inline(always)]
    fn halves(self) -> [[f64; 2]; 2] {
        let mut halves = [[0.0; 2]; 2];
        unsafe {
            _mm_storeu_pd(halves[0].as_mut_ptr(), _mm256_castpd256_pd128(self.0));
            _mm_storeu_pd(halves[1].as_mut_ptr(), _mm256_extractf128_pd::<1>(self.0));
        }
        halves
    }

    #[inline(always)]
    fn broadcast(self, lane: usize) -> Self {
        Self(unsafe {
            match lane {
                0 => _mm256_permute4x64_pd::<0x00>(self.0),
                1 => _mm256_permute4x64_pd::<0x55>(self.0),
                2 => _mm256_permute4x64_pd::<0xaa>(self.0),
                _ => _mm256_permute4x64_pd::<0xff>(self.0),
            }
        })
    }

    #[inline(always)]
    fn add(self, other: Self) -> Self {
        Self(unsafe { _mm256_add_pd(self.0, other.0) })
    }

    #[inline(always)]
    fn sub(self, other: Self) -> Self {
        Self(unsafe { _mm256_sub_pd(self.0, other.0) })
    }

    #[inline(always)]
    fn mul(self, other: Self) -> Self {
        Self(unsafe { _mm256_mul_pd(self.0, other.0) })
    }

    #[inline(always)]
    fn div(self, other: Self) -> Self {
        Self(unsafe { _mm256_div_pd(self.0, other.0) })
    }

    #[inline(always)]
    fn sqrt(self) -> Self {
        Self(unsafe { _mm256_sqrt_pd(self.0) })
    }

    #[inline(always)]
    fn neg(self) -> Self {
        Self(unsafe { _mm256_xor_pd(self.0, _mm256_set1_pd(-0.0)) })
    }

    #[inline(always)]
    fn abs(self) -> Self {
        Self(unsafe { _mm256_andnot_pd(_mm256_set1_pd(-0.0), self.0) })
    }

    #[inline(always)]
    fn max(self, other: Self) -> Self {
        Self(unsafe { _mm256_max_pd(self.0, other.0) })
    }

    #[inline(always)]
    fn gt(self, other: Self) -> Self::Mask {
        Self(unsafe { _mm256_cmp_pd::<_CMP_GT_OQ>(self.0, other.0) })
    }

    #[inline(always)]
    fn ge(self, other: Self) -> Self::Mask {
        Self(unsafe { _mm256_cmp_pd::<_CMP_GE_OQ>(self.0, other.0) })
    }

    #[inline(always)]
    fn and(a: Self::Mask, b: Self::Mask) -> Self::Mask {
        Self(unsafe { _mm256_and_pd(a.0, b.0) })
    }

    #[inline(always)]
    fn bits(mask: Self::Mask) -> u32 {
        unsafe { _mm256_movemask_pd(mask.0) as u32 }
    }

    #[inline(always)]
    fn masked(self, mask: Self::Mask) -> Self {
        Self(unsafe { _mm256_and_pd(mask.0, self.0) })
    }

    #[inline(always)]
    fn sum(self) -> f64 {
        unsafe {
            let two = _mm_add_pd(_mm256_castpd256_pd128(self.0), _mm256_extractf128_pd::<1>(self.0));
            _mm_cvtsd_f64(_mm_add_sd(two, _mm_unpackhi_pd(two, two)))
        }
    }

    #[inline(always)]
    fn transpose([a, b, c, d]: [Self; WIDTH]) -> [Self; WIDTH] {
        unsafe {
            let (low, high) = (_mm256_unpacklo_pd(a.0, b.0), _mm256_unpackhi_pd(a.0, b.0));
            let (low_2, high_2) = (_mm256_unpacklo_pd(c.0, d.0), _mm256_unpackhi_pd(c.0, d.0));
            [
                Self(_mm256_permute2f128_pd::<0x20>(low, low_2)),
                Self(_mm256_permute2f128_pd::<0x20>(high, high_2)),
                Self(_mm256_permute2f128_pd::<0x31>(low, low_2)),
                Self(_mm256_permute2f128_pd::<0x31>(high, high_2)),
            ]
        }
    }

    #[inline(always)]
    fn max_of_each([a, b, c, d]: [Self; WIDTH]) -> Self {
        unsafe {
            let pairs =
                |a: __m256d, b: __m256d| _mm256_max_pd(_mm256_unpacklo_pd(a, b), _mm256_unpackhi_pd(a, b));
            let (first, second) = (pairs(a.0, b.0), pairs(c.0, d.0));
            let low = _mm256_permute2f128_pd::<0x20>(first, second);
            Self(_mm256_max_pd(low, _mm256_permute2f128_pd::<0x31>(first, second)))
        }
    }
}

/// `N` of the numbers of an array, from number `AT` on.
#[inline(always)]
pub fn window<const AT: usize, const N: usize, const M: usize>(of: &[f64; M]) -> &[f64; N] {
    const { assert!(AT + N <= M) };
    // SAFETY: the numbers lie within the array.
    unsafe { &*of.as_ptr().add(AT).cast() }
}

/// The same, to be written.
#[inline(always)]
pub fn window_mut<const AT: usize, const N: usize, const M: usize>(of: &mut [f64; M]) -> &mut [f64; N] {
    const { assert!(AT + N <= M) };
    // SAFETY: the numbers lie within the array.
    unsafe { &mut *of.as_mut_ptr().add(AT).cast() }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// All operations on some packets, one after the other.
    struct All<'a>(&'a [[f64; WIDTH]; 4]);

    impl Kernel for All<'_> {
        type Output = (Vec<[u64; WIDTH]>, Vec<u32>);

        #[inline(always)]
        fn run<P: Packet>(self) -> Self::Output {
            let packets = [0, 1, 2, 3].map(|k| P::load(&self.0[k]));
            let [a, b, ..] = packets;
            let masks = [a.gt(b), a.ge(b), P::and(a.gt(b), b.ge(P::splat(0.0)))];
            let mut results =
                vec![a.add(b), a.sub(b), a.mul(b), a.div(b), a.sqrt(), a.neg(), a.abs(), a.max(b)];
            results.extend(masks.map(|mask| a.masked(mask)));
            results.extend([0, 1, 2, 3].map(|lane| a.broadcast(lane)));
            results.extend(P::transpose(packets));
            results.extend([P::max_of_each(packets), P::splat(a.sum())]);
            let [low, high] = a.halves();
            results.push(P::join(&high, &low));
            let numbers = results.into_iter().map(|packet| {
                let mut numbers = [0.0; WIDTH];
                packet.store(&mut numbers);
                numbers.map(|x| if x.is_nan() { f64::NAN.to_bits() } else { x.to_bits() })
            });
            (numbers.collect(), masks.map(P::bits).to_vec())
        }
    }

    #[test]
    fn registers_and_arrays_are_bitwise_identical() {
        let odd = [0.0, -0.0, f64::INFINITY, 1e-310, f64::MIN_POSITIVE, -3.5];
        for k in 0..200 {
            let packets = [0, 1, 2, 3].map(|row| {
                [0, 1, 2, 3].map(|lane| {
                    let i = k * 16 + row * 4 + lane;
                    if k % 4 == 0 { odd[(7 * i + k) % 6] } else { (1.7 * i as f64).sin().exp() }
                })
            });
            assert_eq!(
                Instructions::detect().run(All(&packets)),
                Instructions::portable().run(All(&packets)),
                "{packets:?}"
            );
        }
    }

    #[test]
    fn a_window_is_part_of_its_array() {
        let mut numbers = [0.0, 1.0, 2.0, 3.0, 4.0, 5.0];
        assert_eq!(window::<4, 2, 6>(&numbers), &[4.0, 5.0]);
        *window_mut::<1, 2, 6>(&mut numbers) = [7.0, 8.0];
        assert_eq!(numbers, [0.0, 7.0, 8.0, 3.0, 4.0, 5.0]);
    }
}
