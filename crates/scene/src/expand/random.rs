//! Reproducible random numbers: SplitMix64 with sums, products and square roots only, so that a seed gives the same scene on every machine
//! and in every version.
//!
//! [Steele, Lea, Flood 2014]: the state grows by `0x9e3779b97f4a7c15`, and the output is the state after two multiplications with shifts.

use percussion_geometry::Vec3;

/// A stream of random numbers.
#[derive(Clone, Debug)]
pub(super) struct Random(u64);

impl Random {
    /// The stream of a seed and a name: other names have other streams, so that adding a pattern to a scene does not change the others.
    pub fn new(seed: u64, name: &str) -> Self {
        // FNV-1a hash of the name.
        let hash = name.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
            (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
        });
        let mut stream = Self(seed);
        Self(stream.next() ^ hash)
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// Uniform in [0, 1): the upper 53 bits.
    pub fn unit(&mut self) -> f64 {
        (self.next() >> 11) as f64 * (-53f64).exp2()
    }

    /// Uniform between two bounds.
    pub fn between(&mut self, lower: f64, upper: f64) -> f64 {
        lower + (upper - lower) * self.unit()
    }

    /// Uniformly in the ball of a radius.
    pub fn in_ball(&mut self, radius: f64) -> Vec3 {
        loop {
            let v = Vec3::from_fn(|_, _| self.between(-1.0, 1.0));
            if v.norm_squared() <= 1.0 {
                return v * radius;
            }
        }
    }

    /// A uniformly distributed orientation as a unit quaternion `[w, x, y, z]`.
    pub fn orientation(&mut self) -> [f64; 4] {
        loop {
            let q: [f64; 4] = std::array::from_fn(|_| self.between(-1.0, 1.0));
            let square: f64 = q.iter().map(|x| x * x).sum();
            // Near the center the direction has few digits.
            if (1e-4..=1.0).contains(&square) {
                return q.map(|x| x / square.sqrt());
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_stream_is_that_of_the_reference_implementation() {
        // First outputs of the reference implementation for the seed 1234567.
        let mut stream = Random(1_234_567);
        let found: Vec<u64> = (0..3).map(|_| stream.next()).collect();
        assert_eq!(found, [6_457_827_717_110_365_317, 3_203_168_211_198_807_973, 9_817_491_932_198_370_423]);
    }

    #[test]
    fn orientations_are_uniformly_distributed() {
        let mut stream = Random::new(7, "test");
        let count = 20_000;
        let mut mean = [[0.0; 4]; 4];
        for _ in 0..count {
            let q = stream.orientation();
            for i in 0..4 {
                for j in 0..4 {
                    mean[i][j] += q[i] * q[j] / f64::from(count);
                }
            }
        }
        // E[q qᵀ] = 1/4; the deviation of a mean of 20,000 is about 0.17/sqrt(20000) = 1.2e-3; five of those.
        for i in 0..4 {
            for j in 0..4 {
                let expected = if i == j { 0.25 } else { 0.0 };
                assert!((mean[i][j] - expected).abs() < 6e-3, "{mean:?}");
            }
        }
    }
}
