//! Restitution and friction of surfaces.

/// Restitution and friction, of a body or of a pair.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Surface {
    /// Coefficient of restitution, from 0 (plastic) to 1 (elastic).
    pub restitution: f64,
    /// Coulomb's coefficient, from 0.
    pub friction: f64,
}

impl Surface {
    /// Elastic and smooth.
    pub const IDEAL: Self = Self { restitution: 1.0, friction: 0.0 };

    /// The combination of two surfaces: geometric means, so that a smooth or a plastic one makes the pair so.
    pub fn combined(a: Option<Self>, b: Option<Self>, otherwise: Self) -> Self {
        match (a, b) {
            (Some(a), Some(b)) => Self {
                restitution: mean(a.restitution, b.restitution),
                friction: mean(a.friction, b.friction),
            },
            (Some(one), None) | (None, Some(one)) => one,
            (None, None) => otherwise,
        }
    }
}

/// The geometric mean; equal numbers come back as they are.
fn mean(a: f64, b: f64) -> f64 {
    if a == b { a } else { (a * b).sqrt() }
}
