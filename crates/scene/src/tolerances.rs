//! Tolerances of scene files: numbers of a file count as equal within the digits that are usually written.
//!
//! | constant | value | unit | reason |
//! |---|---|---|---|
//! | [`ORTHONORMAL`] | 1e-6 | none | six printed digits of a rotation matrix |
//! | [`UNIT_NORM`] | 1e-6 | none | six printed digits of a quaternion |
//! | [`RIGHT_ANGLE`] | 1e-6 | cosine | six printed digits of two axes |
//! | [`WHOLE_STEPS`] | 1e-6 | steps | six digits of a step size |
//! | [`SAME_AXIS`] | 1e-9 | none | rounding of a unit vector that is computed from the file |
//! | [`INITIAL_PENETRATION`] | 1e-9 | radius of the smaller part | rounding of positions that are computed from the file |
//! | [`CONDITION`] | 1e-9 | rad, m, rad/s, m/s | rounding of a condition at a fixed start or end |
//! | [`REACHABLE_TIME`] | 1e-9 | longest time | rounding of a sum of intervals |
//! | [`UNCHANGED`] | 1e-12 | SI | rounding of a gradient |
//! | [`ALLOWED_PENETRATION`] | 1e-2 | radius of the smallest part | default of `contact.allowed_penetration`: hardly visible |

/// Largest deviation of a `rotation` matrix from orthonormal. Within it the matrix is made orthonormal to rounding; beyond it, it is refused.
pub(crate) const ORTHONORMAL: f64 = 1e-6;
/// Largest deviation of the norm of a quaternion from one.
pub(crate) const UNIT_NORM: f64 = 1e-6;
/// Largest cosine between two axes that count as perpendicular.
pub(crate) const RIGHT_ANGLE: f64 = 1e-6;
/// Largest distance of the end time from a whole number of steps without a warning.
pub(crate) const WHOLE_STEPS: f64 = 1e-6;
/// Largest difference of two unit vectors that count as equal, and of the squared length of an axis in a plane from one.
pub(crate) const SAME_AXIS: f64 = 1e-9;
/// Largest penetration at the start or the end that counts as contact.
pub(crate) const INITIAL_PENETRATION: f64 = 1e-9;
/// Largest violation of a condition by a fixed start or end.
pub(crate) const CONDITION: f64 = 1e-9;
/// Margin for a total time at the limits of the time scales.
pub(crate) const REACHABLE_TIME: f64 = 1e-9;
/// Largest gradient or difference that counts as zero.
pub(crate) const UNCHANGED: f64 = 1e-12;
/// Default of the allowed penetration.
pub(crate) const ALLOWED_PENETRATION: f64 = 0.01;
