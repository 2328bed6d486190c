//! Keys that both the expansion and the reading of a scene check.

use crate::placement::PLACEMENT;

/// The keys at the top of a scene.
pub(crate) const TOP: [&str; 15] = [
    "title",
    "description",
    "include",
    "gravity",
    "run",
    "shapes",
    "materials",
    "templates",
    "patterns",
    "bodies",
    "joints",
    "forces",
    "contact",
    "plan",
    "shoot",
];

/// The keys of a body besides those of its placement.
const BODY: [&str; 15] = [
    "kind",
    "template",
    "shape",
    "shapes",
    "material",
    "density",
    "mass",
    "inertia",
    "moments",
    "center_of_mass",
    "velocity",
    "angular_velocity",
    "body_angular_velocity",
    "motion",
    "color",
];

/// All keys of a body.
pub(crate) fn body_keys() -> Vec<&'static str> {
    BODY.iter().chain(&PLACEMENT).copied().collect()
}
