//! Tolerances of the crate: each with its unit and its reason. Limits on iterations are where the iterations are.

// Bodies and joints as authors describe them.
/// Asymmetry of an inertia matrix, relative to its trace, that is rounding in the author's arithmetic.
pub const INERTIA_ASYMMETRY: f64 = 1e-9;
/// Excess of a principal moment over the sum of the other two, relative, that is rounding: thin plates are at equality.
pub const TRIANGLE_EXCESS: f64 = 1e-9;
/// Sine of an angle, part of a shift, or distance of planes, m, that is rounding in the author's arithmetic.
pub const OUT_OF_PLANE: f64 = 1e-9;
/// Misfit of a joint at the start, relative to the size of the scene, that is rounding in the author's arithmetic; the first step removes
/// it, when the joint places its child.
pub const JOINT_MISFIT: f64 = 1e-7;
/// Distance by which a joint may start outside of its limits, rad, or relative to the size of the scene: rounding in the author's arithmetic.
pub const LIMIT_MISFIT: f64 = 1e-9;
/// Misfit of a joint and distance from its limits, relative to the farthest coordinate of the scene, that is rounding of coordinates.
pub const PLACE_ROUNDING: f64 = 64.0 * f64::EPSILON;
/// Difference between components of a child's axes and those its joint gives it that is a misplacement: axes that satisfy the constraints
/// and are wrong differ by a third of a turn or a half, in some component by one or two.
pub const FLIPPED_AXES: f64 = 0.5;
/// Part of a velocity that a joint does not allow, relative to the greatest speed, that is rounding in the author's arithmetic.
pub const VELOCITY_MISFIT: f64 = 1e-9;

// Contact detection.
/// Squared sine of the angle below which two edges count as parallel: their cross product no longer determines a plane.
pub const PARALLEL_EDGES: f64 = 1e-4;
/// Distance of a contact point outside of its features, relative to the smaller part: coplanar faces tilted by as much keep all corners.
pub const FEATURE_MARGIN: f64 = 1e-3;
/// Sine of the greatest angle between faces in surface contact.
pub const FACE_TILT: f64 = 0.1;

// Forces.
/// Length of a spring, relative to its rest length, below which its direction is rounding.
pub const SPRING_LENGTH_MIN: f64 = 1e-12;
/// Change of the polar iteration below which the next change is rounding: convergence is quadratic.
pub const POLAR_CHANGE: f64 = 1e-9;
/// `ε` of the softened separation as a multiple of the size of the pair, the sum of the finite outer radii.
pub const SOFTNESS: f64 = 1e-4;
/// The same for the corners that share the normal damping.
pub const DAMPING_SOFTNESS: f64 = 0.05;
/// Difference of the contact points across β, as a multiple of the size of the pair, that is rounding.
pub const POINTS_AGREE: f64 = 1e-13;
/// Second moments of the corners, as a multiple of the size of the pair squared, below which they do not determine α.
pub const MOMENTS_SINGULAR: f64 = 1e-12;
/// Step of central differences of the contact force, as a multiple of the size of the pair, and of directors: nine to ten digits remain.
pub const DIFFERENCE_STEP: f64 = 1e-6;
/// Steps that a contact under the suggested stiffness lasts at least.
pub const STEPS_PER_CONTACT: f64 = 20.0;

// The ledger.
/// Energy of bodies at rest, relative to their potential energy: errors of smaller motions are relative to it.
pub const REST_ENERGY: f64 = 1e-8;

// Discrete mechanics.
/// Relative decrement of action after which Newton's method ends: convergence is quadratic, what remains is its square.
pub const NEWTON_DECREMENT: f64 = 1e-22;
/// Relative decrement of action at which a stagnating iteration has reached the rounding of forces, or of a very long chain, whose mass
/// matrix has a condition number of 1e16 and more. `SolverStats::decrement` reports the one reached.
pub const NEWTON_NOISE: f64 = 1e-14;
/// Rounding of positions and turns that the iteration cannot remove, relative to coordinates: intervals may be so short that bodies move by less.
pub const POSITION_ROUNDING: f64 = 4.0 * f64::EPSILON;
/// Slope of the residual at the far end of a correction, relative to that at its beginning, beyond which the correction overshoots.
pub const OVERSHOOT: f64 = 0.5;
/// Slope, likewise, at which the line search along a correction ends.
pub const LINE_SEARCH_SLOPE: f64 = 0.1;
/// Relative residual of the inner linear solver of a step: its error times the decrement must vanish in rounding.
pub const INNER_RESIDUAL: f64 = 1e-9;
/// Largest Rodrigues vector of a step, a rotation of 150 degrees: beyond, the equation may have no solution or the wrong one.
pub const RODRIGUES_MAX: f64 = 3.7;
/// Weight of a director, relative to the sum of all three, that is rounding.
pub const DIRECTOR_WEIGHT: f64 = 1e-12;
/// Length of a column of the multipliers' system, relative to the longest, below which the row is redundant.
pub const REDUNDANT_LOOP_ROW: f64 = 1e-10;
/// Length of what remains of a constraint row, relative to the longest, below which it is redundant: half-way, in powers of ten, between
/// rounding and one.
pub const REDUNDANT_ROW: f64 = 1e-8;

// Newmark's family.
/// Relative decrement of energy (the square of that of rates) at which rates are known to rounding, `(1e-14)²`.
pub const NEWMARK_DECREMENT: f64 = 1e-28;
/// Relative decrement of energy at which a stagnating iteration has reached the rounding of forces or of a long chain.
pub const NEWMARK_NOISE: f64 = 1e-18;
/// Opening of a loop, relative to the longest arm in the scene, that is rounding.
pub const LOOP_CLOSURE: f64 = 1e-15;
/// Relative residual of the inner linear solver; the outer iteration removes the rest.
pub const NEWMARK_INNER_RESIDUAL: f64 = 1e-10;

pub(crate) mod contact {
    pub(crate) mod curve_crossing {
        /// Change of the parameters of the nearest points of two curves, m, that is rounding.
        pub const ROUNDING: f64 = 1e-15;
        /// The same relative to the distance of the first guess: convergence is quadratic.
        pub const LAST_CORRECTION: f64 = 1e-10;
        /// Sine of the angle between tangents that have no direction across both.
        pub const PARALLEL: f64 = 1e-9;
    }

    pub(crate) mod rim_on_face {
        /// Distance of a crossing from a rim, relative to its squared radius, that is rounding.
        pub const ON_RIM: f64 = 1e-13;
        /// Sine of the angle between a rim and an outline that are tangent.
        pub const TANGENT: f64 = 1e-9;
    }

    pub(crate) mod manifold {
        /// Distance of the points of one contact, relative to the smaller part.
        pub const SAME_CONTACT: f64 = 1e-6;
    }

    pub(crate) mod contact_function {
        /// Sine of the angle between the axis of a disc and the normal of a plane below which the lowest point of its rim is not followed:
        /// its direction is that of rounding.
        pub const FLAT_DISC: f64 = 1e-6;
        /// Sine of the angle between the axes of cylinders or capsules within which they lie side by side, and of that between the axes and a
        /// plane across the normal: the lateral surface of a tilted cylinder ends above its axis by the square.
        pub const SIDE_BY_SIDE: f64 = 0.2;
        /// Sine of the angle between those axes and a plane across the normal, likewise.
        pub const ACROSS: f64 = 5e-4;
        /// Sine of the angle below which edges, rims and axes that cross are nearly parallel: other contacts hold them.
        pub const CURVES_PARALLEL: f64 = 5e-3;
        /// Part of an overlap at its ends in which a nearest point is that of the end.
        pub const OVERLAP_END: f64 = 1e-3;
    }
}

pub(crate) mod discrete {
    pub(crate) mod newton {
        /// Corrections that are rounding, in roundings of positions (m) and of rotations.
        pub const CORRECTION_ROUNDING: f64 = 64.0;
    }
}

pub(crate) mod closed_contact {
    /// Weight of the regularisation of normal impulses at the start of the interval, relative to the diagonal of the Delassus operator:
    /// redundant contacts share a load independently of the initial iterate.
    pub const REGULARISATION: f64 = 1e-6;
    /// The same at the end of the interval, for velocities.
    pub const REGULARISATION_END: f64 = 1e-7;
    /// Relative decrement of action at which iterates that alternate between states of contact are taken, and reported as unsolved.
    pub const UNSOLVED_DECREMENT: f64 = 1e-8;
    /// Slip, relative to the displacement that the friction of the most loaded contact would make, that has no direction: the contact is at
    /// the limit of sticking.
    pub const SLIP_ROUNDING: f64 = 1e-8;
    /// Momentum of a body, and sum of the impulses on it in half a step, that count as zero, relative to the largest impulse of a contact: a
    /// group of many contacts with no more is at rest, and stays where it is.
    pub const REST: f64 = 1e-9;
    /// Change of a gap between two iterates that is rounding, in roundings of positions.
    pub const GAP_CHANGE_ROUNDING: f64 = 16.0;
    /// Gap at which a stop of a joint is closed, m of a unit of length: rounding of its coordinate.
    pub const STOP_GAP: f64 = 1e-13;
    /// Velocity that the gains of a servo remove in half a step, relative to itself, from which they are stiff.
    pub const STIFF_GAINS: f64 = 1.0;
    /// Part of the gap of a closed contact that is closed in a step.
    pub const GAP_DECAY: f64 = 0.5;
    /// Rounding of a gap, relative to the coordinates of its point and the size of its parts.
    pub const GAP_ROUNDING: f64 = 8.0 * f64::EPSILON;

    pub(crate) mod warm_start {
        /// Cosine of the angle between normals of the same contact.
        pub const SAME_NORMAL: f64 = 0.99;
        /// Distance of the points of the same contact, relative to the smaller part.
        pub const SAME_POINT: f64 = 0.05;
    }
}

pub(crate) mod impulse {
    /// Closing speed that is rounding, relative to the speeds of the group.
    pub const CLOSING_SPEED_ROUNDING: f64 = 1e-12;
    /// Residual at which the impulses of more than a few contacts are solved, relative to the largest.
    pub const IMPULSE_TOLERANCE: f64 = 1e-12;
    /// Residual, relative to the largest impulse, with which impulses are used instead of those of another method or law; it is in the
    /// statistics.
    pub const USABLE_RESIDUAL: f64 = 1e-6;
    /// Relative difference of closing speeds within which impacts of a sequence come at once.
    pub const SAME_SPEED: f64 = 1e-8;
    /// Closing speed, relative to the first of a sequence of impacts, at which its rest has no restitution: its energy is the square.
    pub const SEQUENCE_END: f64 = 1e-4;
    /// Energy gain of an impact that is rounding, relative.
    pub const ENERGY_GAIN_ROUNDING: f64 = 1e-12;
    /// Square of a tangential row relative to the normal row, below which the point cannot move along it (planar models).
    pub const INERT_TANGENT: f64 = 1e-12;
    /// Square of a row, relative to that of free bodies, below which no impulse can act along it.
    pub const IMMOVABLE_ROW: f64 = 1e-20;
    /// Cosine between normals of one face contact: faces in contact are tilted by less than half a degree.
    pub const PARALLEL_NORMALS: f64 = 1.0 - 5e-5;
    /// Singular values of the Delassus block of a contact that are zero, relative to the greatest.
    pub const SINGULAR_DELASSUS: f64 = 1e-12;
}

pub(crate) mod decomposition {
    /// Penetration that is rounding, relative to the sizes and positions of two parts.
    pub const PENETRATION_ROUNDING: f64 = 1e-13;
    /// Buffer between collision groups, in penetrations of a group [Johnson 3.5.3].
    pub const BUFFER: f64 = 3.0;
    /// How far events may be farther apart than their pair, in penetrations of the group: events that the projection may close.
    pub const EVENT_WINDOW: f64 = 4.0;
    /// Step of an iteration that is small, relative to the distance from the trial configuration.
    pub const STEP_TOLERANCE: f64 = 1e-8;
    /// Target gaps, in multiples of the rounding of a penetration: rounding then leaves no penetration.
    pub const TARGET_GAP: f64 = 0.1;
    /// Largest rotation of a body in one iteration, rad: the linearization is not valid beyond.
    pub const MAX_ROTATION: f64 = 0.3;
    /// Closure error of a loop that is rounding, m or cosine.
    pub const LOOP_ROUNDING: f64 = 1e-12;
}

pub(crate) mod crossings {
    pub use super::lcp::find_crossings::{CROSSING_DEPTH, SHORT_TRAVEL};
    pub use super::lcp::swept_pairs::CROSSING_TRAVEL;
}

pub(crate) mod exact {
    /// Gap at which parts are in contact, relative to the smallest part.
    pub const CONTACT_GAP: f64 = 1e-10;
    /// Penetration of a pair in persistent contact, in contact gaps, up to which its contacts remove it and the response at the end of a
    /// step leaves it to them.
    pub const CLOSED_PENETRATION: f64 = 10.0;
    /// Travel of a pair in a step, relative to the smaller ball inside of its parts, beyond which the end of the step does not tell on which
    /// side they are.
    pub const CROSSING_TRAVEL: f64 = super::lcp::swept_pairs::CROSSING_TRAVEL;
    /// Advance that counts as zero, in steps: the parts are in contact.
    pub const NO_ADVANCE: f64 = 1e-13;
    /// Forced advance, in steps.
    pub const FORCED_ADVANCE: f64 = 1e-3;
    /// Advance that is small, in steps: a contact that opens advances farther.
    pub const SMALL_ADVANCE: f64 = 1e-4;
    /// Speed of rest at the end of a step, in the speed gained by free fall over a step.
    pub const REST_SPEED: f64 = 2.0;
    /// Duration of a bounce, in steps, below which a contact is at rest: where impacts dissipate energy, and where they do not.
    pub const SHORT_BOUNCE: f64 = 1e-4;
    /// The same where impacts do not dissipate energy.
    pub const SHORT_BOUNCE_ELASTIC: f64 = 1e-5;
    /// Closing speed at rest, in speeds of rest, whose energy is negligible: persistent contact removes it.
    pub const NEGLIGIBLE_CLOSING: f64 = 1e-2;
    /// Interval of a group, in steps, in which contact impulses are left out: those that keep the gaps would be rounding of the gaps divided
    /// by the interval, while free fall closes them by the square of the interval.
    pub const SHORT_INTERVAL: f64 = 1e-5;
    /// Short intervals within which roots of the gaps of stops are not located.
    pub const SHORT_APPROACH: f64 = 8.0;
    /// Difference of times of impact, in steps, within which contacts are simultaneous.
    pub const SAME_TIME: f64 = 1e-9;
    /// Relative accuracy of the first root of the lower bound of a separation: the next advance corrects it.
    pub const ROOT_TOLERANCE: f64 = 1e-3;
    /// Rotation in a step beyond which swept bounds contain the ball that a body can reach, rad.
    pub const LARGE_ROTATION: f64 = 1.0;
    /// Moments of inertia closer than this (relative) are equal; differences below it are rounding.
    pub const EQUAL_MOMENTS: f64 = 1e-12;
    /// Factor that makes motion bounds valid after rounding.
    pub const BOUND_ROUNDING: f64 = 1.0 + 1e-12;
    /// Distance of the centre of a ball from the centre of mass, relative to its radius, that is rounding.
    pub const CENTRED_BALL: f64 = 1e-14;
    /// Change of the time of the next impact that ends the rounds between it and the length of a jump, in steps.
    pub const NEXT_IMPACT_TOLERANCE: f64 = 1e-13;
    /// Shortest interval over which a discrete energy is measured, in steps.
    pub const MIN_ENERGY_INTERVAL: f64 = 1e-9;
    /// Relative accuracy of the length of a jump by the secant method.
    pub const SECANT_TOLERANCE: f64 = 1e-15;
    /// Relative rounding of the discrete energy.
    pub const ENERGY_ROUNDING: f64 = 1e-15;

    pub(crate) mod contact_groups {
        /// Distance that a pair may travel in the rest of a step, in multiples of its travel with the present velocities: at first, the factor
        /// by which it grows in another round, if contacts that closed were missing.
        pub const TRAVEL_MARGIN: f64 = 1.25;
        /// Factor by which that travel grows in another round, if contacts that closed were missing.
        pub const TRAVEL_GROWTH: f64 = 8.0;
        /// Sine of the angle by which faces may be tilted against each other in each of these rounds.
        pub const FACE_TILTS: [f64; 3] = [crate::tolerances::FACE_TILT, 0.5, 1.0];
        /// Distance of contact points from a line on which they lie, relative to the smaller part.
        pub const COLLINEAR: f64 = 1e-6;
        /// Gap at a root, in contact gaps.
        pub const ROOT_GAP: f64 = 0.1;
        /// Length of the bracket of a root that is rounding, in steps.
        pub const ROOT_BRACKET: f64 = 1e-14;
    }
}

pub(crate) mod variational {
    /// Approach speed, in multiples of what gravity adds in a step, from which a stop of a joint rebounds at the end of a step.
    pub const REBOUND_STEPS: f64 = 2.0;
}

pub(crate) mod lcp {
    pub(crate) mod contact_constraint {
        /// Least distance of reference points in the ratio metric, relative to the radius of the smaller part.
        pub const MIN_REFERENCE: f64 = 0.1;
    }

    pub(crate) mod energy {
        /// Gain of energy that is rounding, relative to kinetic energies and to the energy of falling by the size of a body.
        pub const NEGLIGIBLE_GAIN: f64 = 1e-11;
    }

    pub(crate) mod find_contacts {
        /// Minimum distance by which the point of an event may lie outside its features, relative to the smaller part: faces in contact
        /// keep all their corners.
        pub const MIN_FEATURE_SLACK: f64 = 1e-3;
        /// Sine of the angle between faces in contact, at least and at most; between them the rotation in a step.
        pub const TILT: (f64, f64) = (0.1, 0.9);
        /// Factor on the distance that a pair can travel in a step: impulses speed bodies up.
        pub const TRAVEL_MARGIN: f64 = 1.25;
        /// Gap of a closed pair beyond what its motion bends in a step, relative to the smaller part.
        pub const CLOSED: f64 = 1e-9;
        /// Bend of the motion in a step, relative to the smaller part, below which the middle of the step is its beginning.
        pub const NO_BEND: f64 = 1e-9;
        /// Penetration by the velocities at the beginning, relative to the distance that the pair can travel, that is an impact; the contact
        /// point of a body that rolls may move much faster than its points do.
        pub const IMPACT_DEPTH: f64 = 0.25;
        /// Rotation of a pair in a step, rad, beyond which the middle of the step says nothing about its end.
        pub const MAX_TURN: f64 = 1.0;
    }

    pub(crate) mod find_crossings {
        /// Travel between two instants, relative to the radii of balls inside of the parts, at which the later one tells whether they cross.
        pub const SHORT_TRAVEL: f64 = 0.25;
        /// Overlap that is a crossing, relative to the smaller of these radii; a projection removes less than that on the right side.
        pub const CROSSING_DEPTH: f64 = 0.5;
        /// Sine of the angle between faces in contact at a crossing.
        pub const TILT: f64 = 0.5;
    }

    pub(crate) mod free_velocities {
        /// Largest rotation of a step, rad: 150 degrees.
        pub const MAX_ROTATION: f64 = 2.618;
        /// Relative difference of moments of inertia below which the gyroscopic term is rounding.
        pub const EQUAL_MOMENTS: f64 = 1e-14;
    }

    pub(crate) mod project_positions {
        /// Residual of a displacement, relative to the largest violation: the next iteration corrects the rest.
        pub const TOLERANCE: f64 = 1e-6;
        /// Residual from which on further digits are computed only where they cost little.
        pub const SUFFICIENT: f64 = 1e-4;
        /// Gap up to which events take part, relative to the smaller part: a displacement must not close others.
        pub const EVENT_WINDOW: f64 = 1e-3;
        /// Sine of the angle between faces in contact.
        pub const TILT: f64 = 0.1;
        /// Largest rotation of an iteration, rad: beyond, linearised gaps say nothing.
        pub const MAX_ROTATION: f64 = 0.2;
    }

    pub(crate) mod apply_impacts {
        /// Gap up to which contacts are closed, relative to the radius of the smaller part: beyond what a projection of positions leaves.
        pub const TOUCHING: f64 = 1e-6;
        /// Part of a step within which contacts that close are one impact: rounding of gaps.
        pub const SAME_TIME: f64 = 1e-6;
        /// Closing speed from which on a body in flight rebounds, relative to that of other contacts: it must fly on for the rest of the step.
        pub const FLIGHT_STEPS: f64 = 0.25;
    }

    pub(crate) mod restitution {
        /// Contacts that close more slowly than gravity accelerates in so many steps do not rebound.
        pub const SLOW_STEPS: f64 = 2.0;
    }

    pub(crate) mod solve_impulses {
        /// Fraction of a penetration that a substep removes.
        pub const SUBSTEP_SHARE: f64 = 0.1;
    }

    pub(crate) mod stabilisation_bias {
        /// Penetration that substeps leave, relative to the radius of the smaller part: contacts that open and close with the errors of the
        /// sweeps would lose their friction.
        pub const SUBSTEP_PENETRATION: f64 = 1e-3;
    }

    pub(crate) mod solvers {
        /// Residual above which impulses that no solver improves are not used.
        pub const MAX_RESIDUAL: f64 = 1e-3;
        /// Residual of a solved step under the automatic choice on the round cone: further digits, up to the tolerance, are computed where
        /// they cost little.
        pub const SUFFICIENT_RESIDUAL: f64 = 1e-8;
    }

    pub(crate) mod swept_pairs {
        /// Penetration that is rounding, relative to the smaller part: what events take for one place.
        pub const PENETRATION_ROUNDING: f64 = 1e-9;
        /// Distance between parts, relative to their radius, that a projection may close: pairs in twice this reach are known.
        pub const PROJECTION_REACH: f64 = 0.01;
        /// Travel of a pair, relative to the radii of balls inside of its parts, beyond which they may have crossed unseen.
        pub const CROSSING_TRAVEL: f64 = 0.5;
        /// Bulge of an arc, relative to its length, at most; that of a short one is an eighth of its angle.
        pub const BULGE: f64 = 0.5;
    }

    pub(crate) mod warm_start {
        /// Maximum travel of a point in a step to be the same contact, relative to the smaller part.
        pub const SAME_CONTACT: f64 = 0.1;
    }
}
