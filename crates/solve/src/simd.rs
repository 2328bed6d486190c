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

    /// `self + other`
    fn add(self, other: Self) -> Self;
    /// `self * other`
    fn mul(self, other: Self) -> Self;
    /// `(0 + 2) + (1 + 3)`
    fn sum(self) -> f64;
}

impl sealed::Sealed for [f64; WIDTH] {}

/// The packet of every processor.
impl Packet for [f64; WIDTH] {
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
    fn add(self, other: Self) -> Self {
        zip(self, other, |a, b| a + b)
    }

    #[inline(always)]
    fn mul(self, other: Self) -> Self {
        zip(self, other, |a, b| a * b)
    }

    #[inline(always)]
    fn sum(self) -> f64 {
        (self[0] + self[2]) + (self[1] + self[3])
    }
}

#[inline(always)]
fn zip<A: Copy, B: Copy, C>(a: [A; WIDTH], b: [B; WIDTH], f: impl Fn(A, B) -> C) -> [C; WIDTH] {
    [f(a[0], b[0]), f(a[1], b[1]), f(a[2], b[2]), f(a[3], b[3])]
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
    fn add(self, other: Self) -> Self {
        Self(unsafe { _mm256_add_pd(self.0, other.0) })
    }

    #[inline(always)]
    fn mul(self, other: Self) -> Self {
        Self(unsafe { _mm256_mul_pd(self.0, other.0) })
    }

    #[inline(always)]
    fn sum(self) -> f64 {
        unsafe {
            let two = _mm_add_pd(_mm256_castpd256_pd128(self.0), _mm256_extractf128_pd::<1>(self.0));
            _mm_cvtsd_f64(_mm_add_sd(two, _mm_unpackhi_pd(two, two)))
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

    /// All operations on two packets, one after the other.
    struct All<'a>(&'a [[f64; WIDTH]; 2]);

    impl Kernel for All<'_> {
        type Output = [[u64; WIDTH]; 4];

        #[inline(always)]
        fn run<P: Packet>(self) -> Self::Output {
            let [a, b] = self.0.each_ref().map(P::load);
            let [low, high] = a.halves();
            [a.add(b), a.mul(b), P::splat(a.sum()), P::join(&high, &low)].map(|packet| {
                let mut numbers = [0.0; WIDTH];
                packet.store(&mut numbers);
                numbers.map(|x| if x.is_nan() { f64::NAN.to_bits() } else { x.to_bits() })
            })
        }
    }

    #[test]
    fn registers_and_arrays_are_bitwise_identical() {
        let odd = [0.0, -0.0, f64::INFINITY, 1e-310, f64::MIN_POSITIVE, -3.5];
        for k in 0..200 {
            let packets = [0, 1].map(|row| {
                [0, 1, 2, 3].map(|lane| {
                    let i = k * 8 + row * 4 + lane;
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
