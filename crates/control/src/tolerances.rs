//! Tolerances of the crate: each with its unit and its reason. Limits on iterations are where the iterations are.

pub(crate) mod extraction {
    /// Sections of a way above this part of the least known clearance are not bisected.
    pub const RESOLUTION: f64 = 0.9;
    /// Greatest distance of an active inequality from its bound: as part of its width, or of one if it has one bound.
    pub const ACTIVE_DISTANCE: (f64, f64) = (1e-3, 1e-6);
    /// Part of the greatest multiplier below which others count as zero.
    pub const NEGLIGIBLE: f64 = 1e-6;
}

pub(crate) mod guess {
    pub(crate) mod constrained_motion {
        /// Correction, rad and m, after which the next one is rounding.
        pub const CONVERGED: f64 = 1e-9;
    }

    pub(crate) mod inverse_dynamics {
        /// Singular values below this count as zero.
        pub const SINGULAR: f64 = 1e-12;
    }
}

pub(crate) mod pairs {
    /// Part of the smaller radius within which pairs are separated if there are more.
    pub const NEAR: f64 = 0.25;
    /// Allowed penetration between nodes, as part of the smaller radius.
    pub const ALLOWED_PENETRATION: f64 = 1e-4;
    /// Factor of the missing separation by which the least one is raised.
    pub const RAISE: f64 = 1.5;
}

pub(crate) mod planner {
    /// The barrier parameter that a later round begins with.
    pub const WARM_BARRIER: f64 = 1e-6;
    /// Relative distance from the friction cone below which a sticking contact is taken to slide.
    pub const ON_CONE: f64 = 1e-6;
}

pub(crate) mod replay {
    pub(crate) mod joints {
        /// Greatest motion of the point that a joint holds, relative to the radius of its part.
        pub const MAX_MOTION: f64 = 1e-6;
        /// Relative difference of the lengths of two intervals that count as equal.
        pub const EQUAL_LENGTH: f64 = 1e-9;
    }
}

pub(crate) mod search {
    /// Penetration that counts as rounding, m.
    pub const ROUNDING: f64 = 1e-9;
}

pub(crate) mod shooting {
    /// Residual up to which a target counts as satisfied.
    pub const TOLERANCE: f64 = 1e-10;
    /// Step of central differences.
    pub const EPSILON: f64 = 1e-6;
    /// The first damping other than zero; smaller ones become zero.
    pub const MIN_DAMPINGS: (f64, f64) = (1e-6, 1e-9);
}

pub(crate) mod avoidance {
    pub(crate) mod rotation_limit {
        /// Greatest rotation of a body in an interval over which it keeps apart from another, rad.
        pub const MAX_ROTATION: f64 = 0.5;
    }
}

pub(crate) mod block {
    /// Step of central differences: rad, m, of time scales, and parts of the largest momentum or impulse.
    pub const EPSILON: f64 = 1e-5;
}

pub(crate) mod contact {
    pub(crate) mod momentum_block {
        /// Least momentum or impulse to which the step of central differences is relative.
        pub const MIN_SCALE: f64 = 1e-4;
    }

    pub(crate) mod region {
        /// Part of the smaller radius within which points lie in a plane, on a line, or in a region.
        pub const ON: f64 = 1e-6;
        /// Part of the smaller radius by which boundaries are moved inwards: a contact on the very boundary would be lost to rounding.
        pub const INSIDE: f64 = 1e-3;
    }

    pub(crate) mod resolve {
        /// Part of the smaller radius by which corners of faces may differ in height in the guess.
        pub const FACE_WINDOW: f64 = 0.3;
    }
}

pub(crate) mod variables {
    /// Greatest step of a degree of freedom in one iteration of the solver, rad and m: rotations by more are not small.
    pub const MAX_STEP: f64 = 0.3;
}
