//! SplitMix64 [Steele, Lea, Flood 2014]: a generator of one word of state with the same numbers on every machine.

use nalgebra::{Matrix3, Rotation3, Vector3};
use std::f64::consts::PI;

/// A stream of random numbers, determined by its seed.
#[derive(Clone, Debug)]
pub struct Random(u64);

impl Random {
    /// The stream of a seed.
    pub fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// 64 random bits.
    pub fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// Uniform in [0, 1).
    pub fn unit(&mut self) -> f64 {
        (self.bits() >> 11) as f64 * (-53f64).exp2()
    }

    /// Uniform in [-1, 1).
    pub fn signed(&mut self) -> f64 {
        2.0 * self.unit() - 1.0
    }

    /// Uniform in [lower, upper).
    pub fn between(&mut self, lower: f64, upper: f64) -> f64 {
        lower + (upper - lower) * self.unit()
    }

    /// Uniform in 0..n.
    pub fn below(&mut self, n: usize) -> usize {
        (self.bits() % n as u64) as usize
    }

    /// Approximately normal with mean zero and variance one: the sum of twelve uniform numbers.
    pub fn normal(&mut self) -> f64 {
        (0..12).map(|_| self.unit()).sum::<f64>() - 6.0
    }

    /// `n` numbers uniform in [-1, 1).
    pub fn numbers(&mut self, n: usize) -> Vec<f64> {
        (0..n).map(|_| self.signed()).collect()
    }

    /// Uniform in the cube [-1, 1)³.
    pub fn vector(&mut self) -> Vector3<f64> {
        Vector3::from_fn(|_, _| self.signed())
    }

    /// Components uniform in [-1, 1).
    pub fn matrix(&mut self) -> Matrix3<f64> {
        Matrix3::from_fn(|_, _| self.signed())
    }

    /// Uniform on the unit sphere.
    pub fn direction(&mut self) -> Vector3<f64> {
        loop {
            let v = self.vector();
            let n = v.norm();
            if n > 0.1 && n < 1.0 {
                return v / n;
            }
        }
    }

    /// By an angle uniform in [-π, π) about a uniform axis.
    pub fn rotation(&mut self) -> Rotation3<f64> {
        Rotation3::new(self.direction() * (PI * self.signed()))
    }
}
