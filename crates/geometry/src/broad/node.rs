//! A node of the tree: eight boxes, compared with a query box all at once.
//!
//! Boxes are kept in single precision, rounded outwards relative to an origin common to all of them. This
//! is safe because rounding is monotone: boxes that touch in double precision touch here.

/// Boxes in a node.
pub(super) const WIDTH: usize = 8;

/// A box in single precision, relative to the tree's origin, never smaller than the true one.
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(align(32))]
pub(super) struct BoxF32 {
    pub lo: [f32; 3],
    pub hi: [f32; 3],
}

impl BoxF32 {
    /// A box that intersects nothing, not even itself.
    pub const EMPTY: BoxF32 = BoxF32 { lo: [f32::INFINITY; 3], hi: [f32::NEG_INFINITY; 3] };

    /// Rounds outwards. Sides at infinity come back to the largest number, beyond every leaf but short of
    /// [`EMPTY`](Self::EMPTY), which must not intersect even them.
    #[inline]
    pub fn new(lo: [f64; 3], hi: [f64; 3]) -> Self {
        Self { lo: lo.map(below), hi: hi.map(|x| -below(-x)) }
    }

    /// Whether the boxes have a point in common.
    #[inline(always)]
    pub fn intersects(&self, other: &BoxF32) -> bool {
        let along = |k: usize| (self.lo[k] <= other.hi[k]) & (other.lo[k] <= self.hi[k]);
        along(0) & along(1) & along(2)
    }

    /// Whether the box of double precision lies inside.
    #[inline(always)]
    pub fn contains(&self, lo: &[f64; 3], hi: &[f64; 3]) -> bool {
        let inside = |k: usize| (f64::from(self.lo[k]) <= lo[k]) & (hi[k] <= f64::from(self.hi[k]));
        inside(0) & inside(1) & inside(2)
    }
}

/// A single-precision number not above `x` and hardly below: the nearest, less one or two units in the
/// last place (less the smallest normal number, near zero).
#[inline(always)]
fn below(x: f64) -> f32 {
    let nearest = (x as f32).clamp(f32::MIN, f32::MAX);
    (nearest - nearest.abs() * f32::EPSILON - f32::MIN_POSITIVE).max(f32::MIN)
}

/// Eight boxes, coordinate by coordinate: `lo[axis][lane]`.
#[derive(Clone, Copy, Debug)]
#[repr(C, align(32))]
pub(super) struct Node {
    lo: [[f32; WIDTH]; 3],
    hi: [[f32; WIDTH]; 3],
}

impl Node {
    pub const EMPTY: Node = Node { lo: [[f32::INFINITY; WIDTH]; 3], hi: [[f32::NEG_INFINITY; WIDTH]; 3] };

    #[inline(always)]
    pub fn lane(&self, l: usize) -> BoxF32 {
        BoxF32 { lo: [0, 1, 2].map(|k| self.lo[k][l]), hi: [0, 1, 2].map(|k| self.hi[k][l]) }
    }

    #[inline(always)]
    pub fn set_lane(&mut self, l: usize, b: &BoxF32) {
        for k in 0..3 {
            self.lo[k][l] = b.lo[k];
            self.hi[k][l] = b.hi[k];
        }
    }

    /// Bit `l` is set where lane `l` intersects the box.
    #[cfg(target_arch = "x86_64")]
    #[inline(always)]
    pub fn intersects(&self, b: &BoxF32) -> u32 {
        use std::arch::x86_64::{_mm_and_ps, _mm_cmple_ps, _mm_load_ps, _mm_movemask_ps, _mm_set1_ps};
        // Spelled out, since the compiler makes three times as many instructions of the plain loop.
        // SAFETY: SSE belongs to every x86-64; a node is aligned to 32 bytes and its arrays are 32 bytes
        // long, so lanes 0 and 4 of each are aligned to 16 bytes and have four numbers from there on.
        unsafe {
            let half = |from: usize| {
                let along = |k: usize| {
                    let lo = _mm_load_ps(self.lo[k].as_ptr().add(from));
                    let hi = _mm_load_ps(self.hi[k].as_ptr().add(from));
                    _mm_and_ps(_mm_cmple_ps(lo, _mm_set1_ps(b.hi[k])), _mm_cmple_ps(_mm_set1_ps(b.lo[k]), hi))
                };
                _mm_movemask_ps(_mm_and_ps(_mm_and_ps(along(0), along(1)), along(2))) as u32
            };
            half(0) | half(4) << 4
        }
    }

    /// Bit `l` is set where lane `l` intersects the box.
    #[cfg(not(target_arch = "x86_64"))]
    #[inline(always)]
    pub fn intersects(&self, b: &BoxF32) -> u32 {
        self.intersects_by_lane(b)
    }

    /// As [`intersects`](Self::intersects), lane by lane.
    #[cfg(any(test, not(target_arch = "x86_64")))]
    fn intersects_by_lane(&self, b: &BoxF32) -> u32 {
        (0..WIDTH).fold(0, |mask, l| mask | u32::from(self.lane(l).intersects(b)) << l)
    }

    /// The box around all lanes.
    #[inline(always)]
    pub fn bounds(&self) -> BoxF32 {
        BoxF32 {
            lo: [0, 1, 2].map(|k| reduce(&self.lo[k], |a, b| if a < b { a } else { b })),
            hi: [0, 1, 2].map(|k| reduce(&self.hi[k], |a, b| if a > b { a } else { b })),
        }
    }
}

/// Combines eight numbers in halves, as vector instructions do.
#[inline(always)]
fn reduce(v: &[f32; WIDTH], least: impl Fn(f32, f32) -> f32) -> f32 {
    let four = [0, 1, 2, 3].map(|l| least(v[l], v[l + 4]));
    least(least(four[0], four[2]), least(four[1], four[3]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rounding_never_shrinks_a_box() {
        let mut x = 1e-320_f64;
        while x < 1e29 {
            for v in [x, -x, x * 1.000_000_01, f64::from(x as f32)] {
                assert!(f64::from(below(v)) <= v && f64::from(-below(-v)) >= v, "{v:e}");
                assert!((v - f64::from(below(v))).abs() <= 4e-7 * v.abs() + 3e-38, "{v:e}");
            }
            x *= 1.37;
        }
        assert!(below(0.0) <= 0.0 && below(f64::INFINITY) < f32::INFINITY);
        assert_eq!(below(f64::NEG_INFINITY), f32::MIN);
    }

    #[test]
    fn an_empty_lane_meets_no_box_however_large() {
        let everywhere = BoxF32::new([f64::NEG_INFINITY; 3], [f64::INFINITY; 3]);
        assert_eq!(Node::EMPTY.intersects(&everywhere), 0);
        let mut node = Node::EMPTY;
        node.set_lane(5, &BoxF32::new([1e29; 3], [1e29; 3]));
        assert_eq!(node.intersects(&everywhere), 1 << 5);
    }

    #[test]
    fn eight_lanes_at_once_agree_with_lane_by_lane() {
        // Small whole numbers, so that shared faces are frequent.
        let mut state = 1u32;
        let mut random = || {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (state >> 29) as f32
        };
        let mut random_box = || {
            let lo: [f32; 3] = std::array::from_fn(|_| random());
            BoxF32 { lo, hi: lo.map(|x| x + 0.5 * random()) }
        };
        let mut counts = [0; WIDTH + 1];
        for _ in 0..2000 {
            let mut node = Node::EMPTY;
            for l in 0..WIDTH {
                node.set_lane(l, &random_box());
            }
            let b = random_box();
            assert_eq!(node.intersects(&b), node.intersects_by_lane(&b));
            counts[node.intersects(&b).count_ones() as usize] += 1;
            let around = node.bounds();
            assert!((0..WIDTH).all(|l| {
                (0..3).all(|k| around.lo[k] <= node.lane(l).lo[k] && node.lane(l).hi[k] <= around.hi[k])
            }));
            assert!((0..3).all(|k| node.lo[k].contains(&around.lo[k]) && node.hi[k].contains(&around.hi[k])));
        }
        assert!(counts[..5].iter().all(|&c| c > 10), "{counts:?}");
    }
}
