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
