//! Three-vectors as plain arrays: the kernel's arithmetic, in a fixed order of operations so that every
//! instruction set rounds alike.

pub(crate) type V = [f64; 3];

#[inline(always)]
pub(crate) fn dot(a: &V, b: &V) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

#[inline(always)]
pub(crate) fn sub(a: &V, b: &V) -> V {
    [a[0] - b[0], a[1] - b[1], a[2] - b[2]]
}

#[inline(always)]
pub(crate) fn scale(a: &V, s: f64) -> V {
    [a[0] * s, a[1] * s, a[2] * s]
}

#[inline(always)]
pub(crate) fn add_scaled(a: &V, b: &V, s: f64) -> V {
    [a[0] + b[0] * s, a[1] + b[1] * s, a[2] + b[2] * s]
}

#[inline(always)]
pub(crate) fn cross(a: &V, b: &V) -> V {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

#[inline(always)]
pub(crate) fn norm(a: &V) -> f64 {
    dot(a, a).sqrt()
}

/// The number, or zero where it is below or none: one instruction, which `max` with its care for NaN is not.
#[inline(always)]
pub(crate) fn positive(v: f64) -> f64 {
    if v > 0.0 { v } else { 0.0 }
}

/// Two unit vectors that complete the unit vector `d` to a right-handed frame `(u, v, d)`.
pub(crate) fn complete(d: &V) -> (V, V) {
    // The axis least aligned with d keeps the cross product well away from zero.
    let k = if d[0].abs() <= d[1].abs() && d[0].abs() <= d[2].abs() {
        0
    } else if d[1].abs() <= d[2].abs() {
        1
    } else {
        2
    };
    let mut axis = [0.0; 3];
    axis[k] = 1.0;
    let u = cross(&axis, d);
    let u = scale(&u, 1.0 / norm(&u));
    (u, cross(d, &u))
}

/// A rotation matrix by rows.
#[derive(Clone, Copy, Debug)]
pub(crate) struct M(pub [V; 3]);

impl M {
    #[inline(always)]
    pub(crate) fn times(&self, v: &V) -> V {
        [dot(&self.0[0], v), dot(&self.0[1], v), dot(&self.0[2], v)]
    }

    #[inline(always)]
    pub(crate) fn transposed_times(&self, v: &V) -> V {
        let m = &self.0;
        [
            m[0][0] * v[0] + m[1][0] * v[1] + m[2][0] * v[2],
            m[0][1] * v[0] + m[1][1] * v[1] + m[2][1] * v[2],
            m[0][2] * v[0] + m[1][2] * v[1] + m[2][2] * v[2],
        ]
    }
}
