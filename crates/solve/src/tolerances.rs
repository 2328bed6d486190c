//! Tolerances and numerical parameters of the crate: each with its unit and its reason. Iteration limits stay with their loops.

/// Simplex method.
pub(crate) mod lp {
    /// Feasibility and optimality with which a basis is sought, relative to the size of the terms, in the order tried.
    /// The first nearly always succeeds; the others are for rounding in near-singular bases.
    pub const SEARCH: [f64; 4] = [1e-12, 1e-13, 1e-11, 1e-9];
    /// The same when the basis is confirmed; the last is a few units in the last place.
    pub const CONFIRM: [f64; 3] = [1e-13, 1e-14, 1e-15];
    /// Relative to the largest entry of a tableau column: smaller entries are rounding, not pivots.
    pub const PIVOT: f64 = 1e-11;
    /// Upper limit of `PIVOT` when singular bases have shown that larger entries were rounding too.
    pub const MAX_PIVOT_FLOOR: f64 = 1e-5;
    /// Relative to the largest entry of a tableau column: smaller pivots are taken from a rebuilt tableau only.
    pub const SMALL_PIVOT: f64 = 1e-4;
    /// Share of the errors passed on through the basis that refined solves leave on a rebuilt tableau; far less unless
    /// the basis is nearly singular.
    pub const REFINED_SHARE: f64 = 1e-3;
    /// Share of the largest terms anywhere that is added to every size: the rest of an exact zero after refinement
    /// (1e-30) has no terms of its own to be compared with.
    pub const GLOBAL_SHARE: f64 = 1e-6;
    /// Ratio of the smallest to the largest pivot below which a basis matrix is singular.
    pub const SINGULAR: f64 = 1e-14;
    /// Relative to the largest entry of row or column: smaller entries are the rounding of a zero, such as the cosine
    /// of a right angle, and are left out of the scaling.
    pub const NOISE: f64 = 1e-15;
}

/// Active-set and dual Newton methods for quadratic programs.
pub(crate) mod qp {
    /// Pivot of a Hessian, relative to its diagonal, below which it is not positive definite: fourteen digits are lost.
    pub const INDEFINITE: f64 = 1e-14;
    /// Relative to the largest entry of a Hessian: rounding of a product `J^T M J` formed without regard to symmetry.
    pub const ASYMMETRY: f64 = 1e-12;
    /// Sine of the angle between a normal and the span of the active ones below which it is dependent: what is left is
    /// mostly rounding of the data.
    pub const DEPENDENT: f64 = 1e-11;
    /// Violation of a satisfied constraint, relative to the size of its terms.
    pub const FEASIBLE: f64 = 1e-14;
    /// Violation of a dependent constraint that is rounding of the data, relative to the size of its terms.
    pub const CONSISTENT: f64 = 1e-11;
    /// Relative to the largest entry of the dual direction: smaller entries are rounding and block no step.
    pub const BLOCKING: f64 = 1e-13;
    /// Violation, relative to the size of its terms, below which x is refined before the violation is acted on.
    pub const REFINE_BELOW: f64 = 1e-8;
    /// Added to the diagonal of the dual Hessian, whose eigenvalues lie between 0 and 1: keeps directions in which no
    /// variable moves finite, and costs a well-conditioned piece the eleventh digit per step.
    pub const REGULARISATION: f64 = 1e-11;
    /// Relative error below which the residual in such directions is rounding, which the small regularisation would
    /// turn into long steps.
    pub const LATE: f64 = 1e-9;
    /// The regularisation from there on.
    pub const LATE_REGULARISATION: f64 = 1e-6;
    /// Error of a satisfied row, relative to the size of its terms.
    pub const SATISFIED: f64 = 2e-15;
    /// The same where Newton's method stagnates.
    pub const ACCEPTED: f64 = 1e-13;
    /// Longest step, in units of the Newton step: a longer one leads along a direction without a minimum, and the
    /// problem is (nearly) infeasible.
    pub const MAX_STEP: f64 = 1e8;
}

/// Wolfe's method.
pub(crate) mod hull {
    /// Relative to the size of the points: a point joins if it improves the lower bound by more; rounding of `offset .
    /// p / |offset|` with a margin for twelve coordinates.
    pub const IMPROVEMENT: f64 = 2e-15;
}

/// Householder least squares.
pub(crate) mod least_squares {
    /// Diagonal entry of R relative to the norm of its column below which the columns are dependent.
    pub const DEPENDENT: f64 = 1e-13;
}

/// Lemke's method.
pub(crate) mod lcp {
    /// Relative to the largest entry of the entering column: smaller entries are rounding and block nothing.
    pub const BLOCKING: f64 = 1e-10;
    /// Relative difference of equal ratios.
    pub const TIED: f64 = 1e-11;
    /// Residual of a solution: far above rounding, far below that of any wrong basis.
    pub const ACCEPTED: f64 = 1e-9;
    /// Relative to the size of a row: entries that cancel to less are zero but for rounding.
    pub const CANCELLED: f64 = 1e-12;
}

/// Frictional contact but for the Gauss-Seidel solver.
pub(crate) mod friction {
    /// Square of the weights of an Anderson extrapolation above which it is dropped.
    pub const MAX_WEIGHTS: f64 = 1e12;
    /// Relative to the diagonal of an inverse mass: rounding of one that was formed without regard to symmetry.
    pub const ASYMMETRY: f64 = 1e-9;
    /// Residual of a solution, in units of the problem.
    pub const ACCEPTED: f64 = 1e-8;
    /// Sum of the impulses of a ray relative to their size, below which it proves the friction cone not pointed.
    pub const RAY_CANCELS: f64 = 1e-8;
    /// The same for the proof of infeasibility of an interior-point method, which has fewer digits.
    pub const PROOF_CANCELS: f64 = 1e-7;
    /// Growth of the change that ends the extrapolation of the fixed point: the plain map contracts, as a rule.
    pub const FIXED_POINT_GROWTH: f64 = 1.0;
    /// Change, in units of the problem, below which rounding hides the contraction.
    pub const VISIBLE: f64 = 1e-10;
    /// Change below which the residual falls no further.
    pub const STATIONARY: f64 = 1e-14;
    /// Gap and infeasibility of Clarabel.
    pub const INTERIOR_POINT: f64 = 1e-11;
    /// Sizes that the problem is scaled to for Clarabel, in the order tried: its homogeneous embedding loses digits on
    /// problems whose solution is of size one or below.
    pub const SCALES: [f64; 3] = [100.0, 1000.0, 10.0];
    /// Residual that needs no refinement.
    pub const EXACT: f64 = 1e-14;
    /// Residual above which small problems are solved by the dense active-set method.
    pub const REFINE_ABOVE: f64 = 1e-11;
}

/// Projected Gauss-Seidel and nonsmooth Newton.
pub(crate) mod gauss_seidel {
    /// Determinant of the compliance of two tangents, relative to its diagonal, below which they are parallel.
    pub const PARALLEL: f64 = 1e-12;
    /// Share added to the diagonal then: it picks one of many minima.
    pub const STIFFENING: f64 = 1e-9;
    /// Distance from a circle relative to its radius at which Newton's method ends.
    pub const ON_CIRCLE: f64 = 1e-15;
    /// Determinant relative to the product of the diagonal below which the rows of a contact are dependent.
    pub const DEPENDENT: f64 = 1e-9;
    /// Energy gained, relative to `|v - v_free|²`, that is rounding.
    pub const ENERGY: f64 = 1e-9;
    /// Growth of the change of a pair of sweeps that ends an extrapolation.
    pub const SWEEP_GROWTH: f64 = 3.0;
    /// Ratio of errors from check to check above which Newton's method takes over.
    pub const SLOW: f64 = 0.1;
    /// The same where Newton's method has a budget: sweeps find much of what is open and sticks at little cost.
    pub const SLOW_ON_BUDGET: f64 = 0.7;
    /// Error after all sweeps below which Newton's method follows in a large island.
    pub const NEAR: f64 = 1e-4;
    /// Share of the tolerance that islands are solved to: the residual of the whole problem rounds differently.
    pub const ISLAND_SHARE: f64 = 0.9;
    /// Multiple of the tolerance above which an error is not rounding.
    pub const UNSOLVED: f64 = 2.0;
    /// Largest compliance ε, in units of the compliance of a contact.
    pub const MAX_COMPLIANCE: f64 = 1.0;
    /// The first.
    pub const FIRST_COMPLIANCE: f64 = 1e-2;
    /// The smallest.
    pub const MIN_COMPLIANCE: f64 = 1e-9;
    /// That of the convex law when it is returned to.
    pub const RESUMED_COMPLIANCE: f64 = 1e-3;
    /// Shortest part of a Newton step that is tried.
    pub const MIN_STEP: f64 = 1e-4;
    /// Defect of a proximal step, relative to the error.
    pub const INEXACTNESS: f64 = 1e-3;
    /// Share of the goal below which no further digits are computed.
    pub const SURPLUS: f64 = 1e-3;
    /// Ratio of errors of two proximal steps above which digits beyond the goal are not worth a step.
    pub const CHEAP: f64 = 0.7;
}

/// Nonsmooth Newton with centres that may err more than those before.
pub(crate) mod nonmonotone_newton {
    /// Defect of a centre, relative to the error of the one before.
    pub const CENTRE_DEFECT: f64 = 0.1;
    /// Defect below which no centre is solved, relative to the goal.
    pub const FINEST_DEFECT: f64 = 0.01;
    /// Ratio of defects below which a chord step is followed by another one.
    pub const GOOD_CHORD: f64 = 0.5;
    /// Ratio of defects above which a chord step is taken back.
    pub const USEFUL_CHORD: f64 = 0.9;
    /// Ratio of errors of two centres above which the compliance shrinks.
    pub const GOOD_GAIN: f64 = 0.3;
    /// Factor by which it shrinks.
    pub const COMPLIANCE_SHRINKAGE: f64 = 0.2;
    /// Factor by which it grows where Newton's method failed.
    pub const COMPLIANCE_GROWTH: f64 = 3.0;
}

/// Differences of charts and derivative checks.
pub(crate) mod charts {
    /// Step of central differences of a chart.
    pub const STEP: f64 = 1e-5;
    /// Step of first differences of values.
    pub const FIRST: f64 = 1e-6;
    /// Step of first differences of gradients.
    pub const GRADIENT: f64 = 1e-5;
    /// Step of second differences of values.
    pub const SECOND: f64 = 1e-3;
    /// Relative to the largest entry of its kind: smaller entries are compared with that.
    pub const FLOOR: f64 = 1e-3;
}

/// Residual of nonlinear programs, relative.
pub(crate) mod kkt {
    /// Share of the largest term below which the terms of a component are not compared with themselves.
    pub const SIGNIFICANT: f64 = 1e-6;
}

/// Interior-point method; letters as in [Wächter and Biegler 2006].
pub(crate) mod interior_point {
    /// Shortest step tried where nothing is violated: shorter ones are below rounding.
    pub const MIN_ALPHA: f64 = 1e-14;
    /// Least barrier parameter after a restart of the barrier.
    pub const RESTART_BARRIER: f64 = 1e-6;
    /// Error of a solved barrier problem, in units of μ.
    pub const KAPPA_EPSILON: f64 = 10.0;
    /// Linear decrease of μ.
    pub const KAPPA_MU: f64 = 0.2;
    /// Superlinear decrease of μ, an exponent.
    pub const THETA_MU: f64 = 1.5;
    /// Least fraction to the boundary.
    pub const MIN_TAU: f64 = 0.99;
    /// Violation, relative to the first, above which no point is accepted.
    pub const MAX_THETA: f64 = 1e4;
    /// Violation, relative to the first, below which the switching condition is tested.
    pub const SMALL_THETA: f64 = 1e-4;
    /// Decrease of the violation required by the filter.
    pub const GAMMA_THETA: f64 = 1e-5;
    /// Decrease of the barrier objective required by the filter, in units of the violation.
    pub const GAMMA_PHI: f64 = 1e-5;
    /// Factor of the switching condition.
    pub const DELTA: f64 = 1.0;
    /// Exponent of the barrier objective in the switching condition.
    pub const S_PHI: f64 = 2.3;
    /// Exponent of the violation in the switching condition.
    pub const S_THETA: f64 = 1.1;
    /// Share of the predicted decrease in the Armijo condition.
    pub const ETA_PHI: f64 = 1e-8;
    /// Safety factor of the shortest step.
    pub const GAMMA_ALPHA: f64 = 0.05;
    /// Decrease of the violation by a second-order correction that allows another one.
    pub const KAPPA_SOC: f64 = 0.99;
    /// Step, relative to the point, whose effect is below rounding.
    pub const TINY: f64 = 10.0 * f64::EPSILON;
    /// Rounding of the barrier objective, relative to it.
    pub const PHI_ROUNDING: f64 = 10.0 * f64::EPSILON;
    /// Rounding of a constraint's value, relative to it.
    pub const CONSTRAINT_ROUNDING: f64 = 16.0 * f64::EPSILON;
    /// Weight, relative to μ, of a linear term that bounds variables with one bound only.
    pub const KAPPA_D: f64 = 1e-5;
    /// Largest ratio of a bound's multiplier and μ / slack.
    pub const KAPPA_SIGMA: f64 = 1e10;
    /// Average of multipliers above which the tolerances are relative to it.
    pub const S_MAX: f64 = 100.0;
    /// First shift of the Hessian's diagonal by the inertia correction.
    pub const FIRST_SHIFT: f64 = 1e-4;
    /// The smallest.
    pub const MIN_SHIFT: f64 = 1e-20;
    /// The largest, above which there is no search direction.
    pub const MAX_SHIFT: f64 = 1e40;
    /// Growth of the shift before any has succeeded.
    pub const FIRST_GROWTH: f64 = 100.0;
    /// Growth of the shift after one has.
    pub const GROWTH: f64 = 8.0;
    /// Decrease of the shift from one iteration to the next.
    pub const SHRINKAGE: f64 = 1.0 / 3.0;
    /// Shift of the rows of a singular Jacobian, in units of the fourth root of μ.
    pub const ROW_SHIFT: f64 = 1e-8;
    /// Least curvature of a row's variable: below it the variable is far from its bounds and nothing depends on it.
    pub const MIN_ROW_CURVATURE: f64 = 1e-14;
    /// Residual of a linear solve, relative to right-hand side and solution, at which refinement ends.
    pub const REFINED: f64 = 1e-12;
    /// The same above which a solution is not used.
    pub const UNUSABLE: f64 = 1e-5;
    /// Violation of an acceptable point, in the program's units.
    pub const ACCEPTABLE_VIOLATION: f64 = 1e-8;
    /// Error at which the sum of violations is stationary: its multipliers are at most one.
    pub const STATIONARY_VIOLATION: f64 = 1e-7;
    /// Largest gradient of the Lagrangian, in units of the tolerance, where large multipliers loosen that.
    pub const MAX_GRADIENT: f64 = 1e4;
    /// Scaled objective below which the program is unbounded.
    pub const UNBOUNDED: f64 = -1e15;
    /// Weight of violations where the best iterate is chosen: feasible before stationary.
    pub const VIOLATION_WEIGHT: f64 = 1e4;
    /// Steps shorter than this are blocked by bounds.
    pub const BLOCKED: f64 = 0.02;
    /// First damping of steps at a kink, added to the Hessian's diagonal.
    pub const FIRST_DAMPING: f64 = 1e-2;
    /// The largest.
    pub const MAX_DAMPING: f64 = 1e8;
    /// Its growth after a step that was cut.
    pub const DAMPING_GROWTH: f64 = 4.0;
    /// Its decay after one that was not.
    pub const DAMPING_DECAY: f64 = 0.3;
    /// Damping below which there is none.
    pub const NO_DAMPING: f64 = 1e-6;
    /// Decrease of the error that counts as progress.
    pub const PROGRESS: f64 = 0.9;
    /// Distance from its bounds at which a variable starts, relative to the bound and to the distance of both.
    pub const PUSH: f64 = 1e-2;
    /// The same for a warm start.
    pub const PUSH_WARM: f64 = 1e-9;
    /// Relaxation of bounds, in units of the tolerance of constraints: a program may have no strictly feasible point.
    pub const RELAXATION: f64 = 0.1;
    /// Range that the largest entry of a row of the Jacobian is scaled into.
    pub const ROW_RANGE: (f64, f64) = (1e-2, 1e2);
    /// Largest scale of a row.
    pub const MAX_ROW_SCALE: f64 = 1e4;
    /// Largest scale of the objective.
    pub const MAX_OBJECTIVE_SCALE: f64 = 1e10;
    /// Least length of a step that matters: with the curvature it gives a least gradient.
    pub const MIN_LENGTH: f64 = 1e-4;
    /// Least-squares multipliers above this are not used at the start.
    pub const MAX_FIRST_MULTIPLIER: f64 = 1e3;
    /// Scaled multiplier of the sum of violations above which a constraint is part of a conflict.
    pub const CONFLICTING: f64 = 1e-6;
    /// Relative change of curvature that ends the inverse iteration.
    pub const SETTLED: f64 = 1e-3;
    /// Curvature, relative to the Hessian's largest entry, that may be rounding.
    pub const FLAT: f64 = 1e-9;
    /// First length tried along a direction of negative curvature.
    pub const FIRST_ESCAPE: f64 = 1.0;
    /// Ratio of one length to the one before.
    pub const ESCAPE_FACTOR: f64 = 0.25;
    /// Share of the predicted decrease that a step must attain.
    pub const ESCAPE_SHARE: f64 = 0.1;
    /// Least barrier parameter after an escape from a saddle.
    pub const ESCAPE_BARRIER: f64 = 1e-3;
    /// Violation after restoration, relative to that before.
    pub const RESTORATION_GAIN: f64 = 0.9;
    /// The same where the filter is cleared.
    pub const LARGE_GAIN: f64 = 1e-2;
    /// First barrier parameter of restoration, relative to the largest violation.
    pub const RESTORATION_BARRIER: f64 = 1e-3;
    /// Proximal weight relative to the root of the barrier parameter.
    pub const PROXIMAL: f64 = 1e-2;
    /// Error of the primal-dual equations after a soft restoration step, relative to that before.
    pub const SOFT_GAIN: f64 = 0.9999;
}

/// Multifrontal factorisation.
pub(crate) mod sparse {
    /// Growth of entries at which a pivot is taken without a search for a better one.
    pub const GOOD_GROWTH: f64 = 8.0;
    /// Pivots and columns smaller than this are zero: entries are scaled to about one.
    pub const ZERO: f64 = 1e-14;
    /// Determinant of a 2x2 pivot, relative to its products, that is rounding.
    pub const CANCELLED: f64 = 1e-13;
    /// Relative to the largest entry of a row: smaller entries make no 2x2 pivot.
    pub const WEAK_PAIR: f64 = 1e-2;
    /// Cost of assembling an entry into the parent's front, in multiplications.
    pub const ASSEMBLY_COST: f64 = 5.0;
    /// Cost of a front by itself, in multiplications.
    pub const FRONT_COST: f64 = 200.0;
}

pub(crate) mod contact {
    pub(crate) mod solver {
        /// Proximal weight of sticking contacts, relative to `A_tt`: redundant impulses stay where they are. The velocities that it leaves
        /// vanish as the iteration converges.
        pub const PROXIMAL_FEW: f64 = 1e-7;
        /// The same for many contacts, and the least weight of their normal impulses: the rounding of their data, divided by the weight, is
        /// an impulse.
        pub const PROXIMAL_MANY: f64 = 1e-3;
        /// Factor by which the weights of many contacts are lowered where a violation does not decrease.
        pub const LOWER_WEIGHT: f64 = 0.1;
        /// Residual, in multiples of the tolerance, that stagnating Newton steps have reached: rounding of the data.
        pub const STAGNATION: f64 = 100.0;
        /// First weight of proximal iterations where Newton's method fails, relative to the compliance of a contact.
        pub const FIRST_PROXIMAL: f64 = 1.0;
        /// Factor of the weight after a round that Newton's method has solved.
        pub const PROXIMAL_FALL: f64 = 0.3;
        /// Factor of the weight after a round that it has not.
        pub const PROXIMAL_GROWTH: f64 = 5.0;
        /// Impulses, relative to the largest that the data suggest, that grow without bound: there is no solution.
        pub const UNBOUNDED: f64 = 1e8;
        /// Normal impulse of a contact that is about to open or to close, in multiples of the goal: it is open.
        pub const DEGENERATE: f64 = 0.1;
    }
}
