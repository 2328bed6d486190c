//! How near an event must be to count, and what "the same place" means.

use crate::tolerances::events::{EXACT_TILT, RESOLUTION, ROUNDING};

/// Length below which two points of a pair's contact are the same, from the bodies' outer radii (an infinite
/// radius is ignored).
pub fn resolution(radius_a: f64, radius_b: f64) -> f64 {
    let small = radius_a.min(radius_b);
    let large = if radius_a.max(radius_b).is_finite() { radius_a.max(radius_b) } else { small };
    RESOLUTION * small + ROUNDING * large
}

/// Which events to keep: the tolerances of [Hart Algorithm 3.14].
///
/// Event `m` is kept when
///
/// ```text
/// s - eps_0 |alpha_m|  <=  s_m  <=  s + eps_t D + eps_0 |alpha_m|
/// ```
///
/// its points lie at most `eps_x` outside the two features, and its normal leaves the cone of admissible contact
/// normals of both features by an angle of sine at most `tilt`.
///
/// The printed algorithm compares growth factors, `|t_m - t| <= eps_t`. With `s = D (1 - 1/t)` that is
/// `|s_m - s| <= eps_t D` near contact (t close to one), which is the form used here because it does not
/// degrade for deep overlap. There `D` shrinks; it is then replaced by the sum of the bodies' inner radii, its
/// least value for touching bodies. Candidates below `s` are not events: their points would lie
/// outside a body. The printed second condition has its sign reversed; in terms of the contact points
/// `p_a - p_b = s_m β`, which are the preimages of the grown bodies' common point, it says that each point is
/// nearly inside its body. It is applied within the features themselves: along an edge, and in a face's
/// plane.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct EventOptions {
    /// How far a point may lie outside its feature, metres.
    pub eps_x: f64,
    /// How far an event's ratio metric may exceed the pair's; dimensionless.
    pub eps_t: f64,
    /// Rounding allowed in comparing separations, metres along the event's normal.
    pub eps_0: f64,
    /// Sine of the largest angle by which an event's normal may leave the features' normal cones. Events at
    /// one place whose normals agree within it are one event.
    pub tilt: f64,
}

impl EventOptions {
    /// Active events only: what touches at the optimum, up to rounding. Takes the bodies' outer radii.
    pub fn active(radius_a: f64, radius_b: f64) -> Self {
        let resolution = resolution(radius_a, radius_b);
        Self { eps_x: resolution, eps_t: 0.0, eps_0: resolution, tilt: EXACT_TILT }
    }

    /// Active and nearly active events, for time stepping: whatever could touch after a tilt of a degree or
    /// a slip of a hundredth of the smaller body.
    pub fn nearly_active(radius_a: f64, radius_b: f64) -> Self {
        let active = Self::active(radius_a, radius_b);
        Self { eps_x: active.eps_x.max(1e-2 * radius_a.min(radius_b)), eps_t: 1e-2, tilt: 0.1, ..active }
    }
}
