//! Dot products, plain and in twice the working precision.
//!
//! Iterative refinement is only as good as its residuals: these are formed with error-free transformations
//! (Ogita, Rump and Oishi 2005, algorithm Dot2), which need neither a wider type nor a fused multiply-add.

pub(crate) fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(x, y)| x * y).sum()
}

/// `y += scale * x`.
pub(crate) fn add_scaled(y: &mut [f64], scale: f64, x: &[f64]) {
    for (yi, xi) in y.iter_mut().zip(x) {
        *yi += scale * xi;
    }
}

/// Makes a list of `n` zeros; keeps the capacity.
pub(crate) fn zeroed(list: &mut Vec<f64>, n: usize) {
    list.clear();
    list.resize(n, 0.0);
}

/// Largest absolute value, zero for an empty slice.
pub(crate) fn max_abs(a: &[f64]) -> f64 {
    a.iter().fold(0.0, |m: f64, v| m.max(v.abs()))
}

/// Euclidean norm. Plain: the callers' data are scaled, so overflow of the squares is not a concern.
pub(crate) fn norm(a: &[f64]) -> f64 {
    dot(a, a).sqrt()
}

/// A sum that carries its own rounding error.
#[derive(Clone, Copy, Default)]
pub(crate) struct TwofoldSum {
    high: f64,
    low: f64,
}

impl TwofoldSum {
    /// Starts from a number.
    pub(crate) fn new(value: f64) -> Self {
        Self { high: value, low: 0.0 }
    }

    /// Adds `a * b` with both rounding errors kept.
    pub(crate) fn add_product(&mut self, a: f64, b: f64) {
        let p = a * b;
        let e = product_error(a, b, p);
        let s = self.high + p;
        // Knuth's TwoSum: exact whatever the order of magnitudes.
        let v = s - self.high;
        let f = (self.high - (s - v)) + (p - v);
        self.high = s;
        self.low += e + f;
    }

    /// The rounded sum.
    pub(crate) fn value(self) -> f64 {
        self.high + self.low
    }
}

/// `start + a . b` as if computed in twice the working precision, then rounded.
pub(crate) fn accurate_dot(start: f64, a: &[f64], b: &[f64]) -> f64 {
    let mut sum = TwofoldSum::new(start);
    for (x, y) in a.iter().zip(b) {
        sum.add_product(*x, *y);
    }
    sum.value()
}

/// Rounding error of the product `p = fl(a b)`: Dekker's splitting, exact unless a factor exceeds 2^995.
fn product_error(a: f64, b: f64, p: f64) -> f64 {
    let (ah, al) = split(a);
    let (bh, bl) = split(b);
    al * bl - (((p - ah * bh) - al * bh) - ah * bl)
}

/// Splits a number into two halves of 26 bits each (Veltkamp).
fn split(a: f64) -> (f64, f64) {
    const SPLITTER: f64 = 134_217_729.0; // 2^27 + 1
    let c = SPLITTER * a;
    let high = c - (c - a);
    (high, a - high)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cancellation_leaves_no_error_in_the_accurate_dot() {
        // 1e16 + 1 - 1e16 - 1 + 2^-30: the plain sum loses everything below 2.
        let a = [1e16, 1.0, -1e16, -1.0, 1.0];
        let b = [1.0, 1.0, 1.0, 1.0, 2f64.powi(-30)];
        assert_eq!(accurate_dot(0.0, &a, &b), 2f64.powi(-30));
    }

    #[test]
    fn the_product_error_is_exact() {
        let (a, b): (f64, f64) = (1.0 + 2f64.powi(-30), 1.0 - 2f64.powi(-31));
        let p = a * b;
        // The exact product is 1 + 2^-31 - 2^-61.
        assert_eq!(product_error(a, b, p), -2f64.powi(-61));
    }
}
