//! Newton's method for one step of one island: `p⁻(q0, q1) = p0` for `q1`, loops closed.
//!
//! ```text
//! q1 = q0 moved by h ν,  ν = Mred⁻¹ p0
//! repeat   r = p⁻ - p0 + h B0ᵀ λ,   J = ∂p⁻/∂q1           (both O(n) on the tree)
//!          d = -J⁻¹ (r + h B0ᵀ dλ),  B1 d = -g            (two sweeps; GMRES around them where forces couple bodies)
//!          q1 moved by d on the manifold
//! until    |d·J d| is negligible beside the action of the step
//! ```
//!
//! The stopping test has units of action, so it needs no scale from the user: displacement times momentum, summed.

use super::Interval;
use super::loops::{End, Loops};
use super::middle;
use crate::force::{Force, ForceError};
use crate::model::{Island, Model, State};
use crate::rotation::Mat3;
use crate::spatial::{Vec6, spatial_inertia};
use crate::tolerances::discrete::newton::CORRECTION_ROUNDING;
use crate::tolerances::{INNER_RESIDUAL, LINE_SEARCH_SLOPE, NEWTON_DECREMENT, NEWTON_NOISE, OVERSHOOT};
use crate::tree::Singular;
use percussion_geometry::Vec3;
use percussion_geometry::broad::BroadError;
use percussion_geometry::separation::QueryError;
use percussion_solve::krylov::Product;
use percussion_solve::{Gmres, SolveError};
use thiserror::Error;

/// The two of them by name, for the summary of a run.
pub const TOLERANCES: [(&str, f64); 2] =
    [("newton_decrement", NEWTON_DECREMENT), ("newton_noise", NEWTON_NOISE)];
/// Iterations after which there is no solution nearby.
pub(super) const MOST_ITERATIONS: usize = 40;
/// Halvings of a step at jumps of a force.
const MOST_HALVINGS: usize = 8;
/// Iterations after which every correction that goes beyond its goal has gone too far.
const PATIENCE: usize = 5;
/// Directions of the inner solver before a restart, and restarts.
const DIRECTIONS: usize = 40;
const RESTARTS: usize = 10;

/// The error.
#[derive(Clone, Debug, Error, PartialEq)]
pub enum StepError {
    /// Newton's method found no next configuration.
    #[error("the equations of the step were not solved; take a smaller step")]
    NoConvergence,
    /// The derivative cannot be inverted.
    #[error("the equations of the step are singular; take a smaller step")]
    Singular,
    /// A body turns too far.
    #[error("a body turns by more than 150 degrees in one step; take a smaller step")]
    TurnsTooFar,
    /// A force has no value.
    #[error(transparent)]
    Force(#[from] ForceError),
    /// NaN or infinity.
    #[error("a number is not finite any more")]
    NotFinite,
    /// Bodies overlap and cannot be moved apart.
    #[error(
        "bodies overlap by {depth:e} m and no configuration nearby is without overlap; take a smaller step, or make room"
    )]
    Overlap {
        /// Penetration depth, m.
        depth: f64,
    },
    /// Contacts that can jam.
    #[error(
        "impulses at {contacts} contacts cancel and may grow without bound: the friction cone is not pointed, and the step need not have a solution; lower friction, or take a smaller step"
    )]
    Jammed {
        /// Contacts with such impulses.
        contacts: usize,
    },
    /// Impulses that no solver found.
    #[error(
        "no solver found the impulses of the step (residual {residual:e}); take a smaller step, or set run.lcp.solver to another"
    )]
    Impulses {
        /// Residual of the best solution.
        residual: f64,
    },
    /// A problem that its solver refuses.
    #[error(transparent)]
    Problem(#[from] SolveError),
    /// A distance has no value.
    #[error(transparent)]
    Query(#[from] QueryError),
    /// The broad phase refuses the parts.
    #[error(transparent)]
    Broad(Box<BroadError>),
}

impl StepError {
    /// Whether the equations of the step have no solution that was found.
    pub(crate) fn is_unsolved(&self) -> bool {
        matches!(self, Self::NoConvergence | Self::Singular | Self::NotFinite)
    }
}

impl From<BroadError> for StepError {
    fn from(error: BroadError) -> Self {
        Self::Broad(Box::new(error))
    }
}

impl From<Singular> for StepError {
    fn from(_: Singular) -> Self {
        Self::Singular
    }
}

/// A failed step; the state is untouched.
#[derive(Clone, Debug, Error, PartialEq)]
#[error("step {step} at t = {time} s, body `{body}`: {error}")]
pub struct StepFailure {
    /// Which step.
    pub step: u64,
    /// When it began, s.
    pub time: f64,
    /// A body of the island.
    pub body: String,
    /// The error.
    pub error: StepError,
    /// Relative decrements of the iterations.
    pub history: Vec<f64>,
}

/// Workspace for Newton's method.
#[derive(Clone, Debug, Default)]
pub struct Newton {
    pub(crate) interval: Interval,
    pub(crate) loops: Loops,
    pub(super) krylov: Option<Gmres>,
    pub(super) r: Vec<f64>,
    pub(super) z: Vec<f64>,
    pub(super) d: Vec<f64>,
    history: Vec<f64>,
}

/// Statistics of a step.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct SolverStats {
    /// Newton iterations, the most of any island.
    pub iterations: usize,
    /// The last relative decrement (of action), the greatest of any island.
    pub(crate) decrement: f64,
}

impl SolverStats {
    /// The worse of two.
    pub fn merge(self, other: Self) -> Self {
        Self {
            iterations: self.iterations.max(other.iterations),
            decrement: self.decrement.max(other.decrement),
        }
    }
}

/// Output of a step of one island.
pub struct IslandStateMut<'a> {
    /// Positions of its bodies.
    pub(crate) positions: &'a mut [Vec3],
    /// Their orientations.
    pub(crate) rotations: &'a mut [Mat3],
    /// Joint coordinates.
    pub(crate) coordinates: &'a mut [f64],
    /// Momenta.
    pub(crate) momenta: &'a mut [f64],
}

impl<'a> IslandStateMut<'a> {
    /// The same, to be written again later.
    fn again(&mut self) -> IslandStateMut<'_> {
        IslandStateMut {
            positions: self.positions,
            rotations: self.rotations,
            coordinates: self.coordinates,
            momenta: self.momenta,
        }
    }

    /// The part of a state that belongs to an island.
    pub fn of(state: &'a mut State, island: &Island) -> Self {
        Self {
            positions: &mut state.positions[island.bodies.clone()],
            rotations: &mut state.rotations[island.bodies.clone()],
            coordinates: &mut state.coordinates[island.coordinates.clone()],
            momenta: &mut state.momenta[island.dofs.clone()],
        }
    }
}

impl Newton {
    /// One step of an island.
    pub fn step(
        &mut self,
        model: &Model,
        island: &Island,
        state: &State,
        h: f64,
        end: IslandStateMut,
    ) -> Result<SolverStats, StepFailure> {
        match self.halve(model, island, state, h, end, 0) {
            Ok(stats) => Ok(stats),
            Err((error, node)) => Err(StepFailure {
                step: state.steps,
                time: state.time,
                body: model.bodies[model.links[island.bodies.start + node].body].name.clone(),
                error,
                history: self.history.clone(),
            }),
        }
    }

    /// A step, or two halves of it where a force jumps and its equations have no solution: over shorter steps the jump weighs
    /// less against the mass.
    fn halve(
        &mut self,
        model: &Model,
        island: &Island,
        state: &State,
        h: f64,
        mut end: IslandStateMut,
        depth: usize,
    ) -> Result<SolverStats, (StepError, usize)> {
        self.history.clear();
        // Room for all iterations at once: warm steps allocate nothing.
        self.history.reserve(MOST_ITERATIONS);
        let bends = model.forces[island.forces.clone()].iter().any(Force::has_discontinuous_stiffness);
        match self.attempt(model, island, state, h, end.again()) {
            Err((StepError::NoConvergence | StepError::NotFinite, _)) if bends && depth < MOST_HALVINGS => {}
            ended => return ended,
        }
        let mut middle = state.clone();
        middle.time = state.time + 0.5 * h;
        let there = IslandStateMut::of(&mut middle, island);
        let first = self.halve(model, island, state, 0.5 * h, there, depth + 1)?;
        Ok(first.merge(self.halve(model, island, &middle, 0.5 * h, end, depth + 1)?))
    }

    fn attempt(
        &mut self,
        model: &Model,
        island: &Island,
        state: &State,
        h: f64,
        end: IslandStateMut,
    ) -> Result<SolverStats, (StepError, usize)> {
        let t = state.time + 0.5 * h;
        let p0 = &state.momenta[island.dofs.clone()];
        let force = |error: ForceError| (StepError::Force(error), 0);
        let singular = |error: Singular| (StepError::Singular, error.slot);

        self.begin(model, island, state, p0, h).map_err(singular)?;
        let bends = model.forces[island.forces.clone()].iter().any(Force::has_discontinuous_stiffness);
        let mut stats = SolverStats::default();
        let mut slope = 0.0;
        loop {
            stats.iterations += 1;
            // Two kinds of corrections in turn: where one cycles, the other leaves the cycle.
            self.interval.definite = bends && (stats.iterations - 1) / PATIENCE % 2 == 1;
            self.residual(model, island, state, h).map_err(force)?;
            if bends && stats.iterations > 1 {
                let far = if stats.iterations > PATIENCE { 0.0 } else { OVERSHOOT };
                self.step_back(model, island, state, h, (slope, far)).map_err(force)?;
            }
            self.interval.linearise(model, island, state, t, h).map_err(force)?;
            self.interval.system.factor().map_err(singular)?;
            self.correction(model, island, h);
            slope = self.slope();
            let decrement = slope.abs() / self.action(model, island, h);
            self.history.push(decrement);
            if !decrement.is_finite() {
                return Err((StepError::NotFinite, 0));
            }
            self.interval.correct(model, island, &self.d);
            let before = self.history.len().checked_sub(2).map_or(f64::INFINITY, |i| self.history[i]);
            // Nonlinear forces slow convergence down: slow convergence is not yet stagnation.
            let noise = decrement <= NEWTON_NOISE && decrement >= 0.1 * before;
            if decrement <= NEWTON_DECREMENT
                || (noise && !(bends && stats.iterations < MOST_ITERATIONS - PATIENCE))
            {
                stats.decrement = decrement;
                break;
            }
            if stats.iterations >= MOST_ITERATIONS {
                if self.corrections_are_rounding() {
                    stats.decrement = decrement;
                    break;
                }
                return Err((StepError::NoConvergence, 0));
            }
        }
        self.finish(model, island, state, h, end).map_err(force)?;
        Ok(stats)
    }

    /// Whether the corrections are the rounding of positions and rotations. In a very short interval its momentum is not small compared
    /// with that of the forces, and the decrement does not vanish: loops close to rounding only.
    fn corrections_are_rounding(&self) -> bool {
        let size = self.interval.positions.iter().map(|x| x.norm()).fold(1.0, f64::max);
        self.d.iter().all(|d| d.abs() <= CORRECTION_ROUNDING * f64::EPSILON * size)
    }

    /// Reads the start of a step, and takes for a first guess that bodies carry on with the velocities of the momenta `p0`.
    /// Leaves those velocities behind as twists.
    pub(super) fn begin(
        &mut self,
        model: &Model,
        island: &Island,
        state: &State,
        p0: &[f64],
        h: f64,
    ) -> Result<(), Singular> {
        for list in [&mut self.r, &mut self.z, &mut self.d] {
            list.clear();
            list.resize(island.dofs.len(), 0.0);
        }
        let it = &mut self.interval;
        it.begin(model, island, state);
        self.loops.begin(model, island);
        if self.loops.rows > 0 {
            let range = island.bodies.clone();
            let (x, r) = (&state.positions[range.clone()], &state.rotations[range]);
            self.loops.evaluate(End::Before, model, island, &it.system, (x, r), &mut it.wrenches);
        }
        it.set_mass(model, island);
        it.system.factor()?;
        it.system.solve(p0, &mut self.d, &mut it.twists);
        self.d.iter_mut().for_each(|rate| *rate *= h);
        it.correct(model, island, &self.d);
        Ok(())
    }

    /// `d = -J⁻¹(r + h B0ᵀ dλ)` with `B1 d = -g`; afterwards `r` includes `h B0ᵀ dλ`.
    fn correction(&mut self, model: &Model, island: &Island, h: f64) {
        self.linearise_loops(model, island, h);
        self.apply_correction(model, island, h);
    }

    /// `J⁻¹ h B0ᵀ`, `g` and `B1` of the loops, and the factors of `B1 J⁻¹ h B0ᵀ`.
    pub(super) fn linearise_loops(&mut self, model: &Model, island: &Island, h: f64) {
        let (m, n) = (self.loops.rows, self.r.len());
        if m == 0 {
            return;
        }
        for k in 0..m {
            self.d.copy_from_slice(&self.loops.before[k * n..(k + 1) * n]);
            self.d.iter_mut().for_each(|b| *b *= h);
            let answer = &mut self.loops.solved_rows[k * n..(k + 1) * n];
            solve_linear(&mut self.interval, &mut self.krylov, model, island, h, &self.d, answer);
        }
        self.read_loops(model, island);
        self.loops.factor();
    }

    /// The correction for the present residual, after [`Newton::linearise_loops`].
    pub(super) fn apply_correction(&mut self, model: &Model, island: &Island, h: f64) {
        solve_linear(&mut self.interval, &mut self.krylov, model, island, h, &self.r, &mut self.z);
        let n = self.r.len();
        if self.loops.rows > 0 {
            self.loops.solve(&self.z, true);
            Loops::add_transposed(&self.loops.before, &self.loops.correction, h, &mut self.r);
            for (k, x) in self.loops.correction.iter().enumerate() {
                self.loops.multipliers[k] += x;
                let answer = &self.loops.solved_rows[k * n..(k + 1) * n];
                self.z.iter_mut().zip(answer).for_each(|(z, a)| *z += x * a);
            }
        }
        self.d.iter_mut().zip(&self.z).for_each(|(d, z)| *d = -z);
    }

    /// `g` and `B` of the loops at the end.
    fn read_loops(&mut self, model: &Model, island: &Island) {
        let it = &mut self.interval;
        let placed = (it.positions.as_slice(), it.rotations.as_slice());
        self.loops.evaluate(End::After, model, island, &it.system, placed, &mut it.wrenches);
    }

    /// `d·r`: slope of the action along `d`.
    pub(super) fn slope(&self) -> f64 {
        self.d.iter().zip(&self.r).map(|(d, r)| d * r).sum()
    }

    /// `r = p⁻ - p0 + h B0ᵀ λ` at the current increments.
    pub(super) fn residual(
        &mut self,
        model: &Model,
        island: &Island,
        state: &State,
        h: f64,
    ) -> Result<(), ForceError> {
        let t = state.time + 0.5 * h;
        self.interval.evaluate(model, island, state, t, h)?;
        self.interval.momenta_before(model, island, state, t, h, &mut self.r);
        let p0 = &state.momenta[island.dofs.clone()];
        self.r.iter_mut().zip(p0).for_each(|(r, p)| *r -= p);
        Loops::add_transposed(&self.loops.before, &self.loops.multipliers, h, &mut self.r);
        Ok(())
    }

    /// Goes back along the last correction `d`, at whose beginning the slope was `from`, if it went too far: to where the slope
    /// changes sign. With forces whose derivatives jump, full corrections cycle across the jump.
    fn step_back(
        &mut self,
        model: &Model,
        island: &Island,
        state: &State,
        h: f64,
        (from, far): (f64, f64),
    ) -> Result<(), ForceError> {
        let mut here = self.slope();
        // Steps may go backwards: the slope has the sign of -h.
        if !(here * from < 0.0 && here.abs() > far * from.abs()) {
            return Ok(());
        }
        let (mut low, mut high, mut at) = (0.0, 1.0, 1.0);
        while here.abs() > LINE_SEARCH_SLOPE * from.abs() && high - low > f64::EPSILON {
            let next = 0.5 * (low + high);
            self.z.iter_mut().zip(&self.d).for_each(|(z, d)| *z = d * (next - at));
            self.interval.correct(model, island, &self.z);
            self.residual(model, island, state, h)?;
            here = self.slope();
            at = next;
            *(if here * from < 0.0 { &mut high } else { &mut low }) = next;
        }
        Ok(())
    }

    /// Action of the motion and the forces in the step.
    pub(super) fn action(&self, model: &Model, island: &Island, h: f64) -> f64 {
        let it = &self.interval;
        // Steps may go backwards.
        let h = h.abs();
        let mut action = f64::MIN_POSITIVE;
        for (i, link) in model.links[island.bodies.clone()].iter().enumerate() {
            let (m, j) = (link.mass, link.inertia.min());
            action += m * it.displacements[i].shift.norm_squared() / h;
            action += 2.0 * it.spins[i].norm() * it.displacements[i].turn.0.norm();
            let applied = it.accumulators[i].wrench(&it.rotations0[i]) * h;
            action += applied.fixed_rows::<3>(0).norm_squared() * h / m;
            if j > 0.0 {
                action += applied.fixed_rows::<3>(3).norm_squared() * h / j;
            }
        }
        action
    }

    /// Writes configuration and momenta of the end.
    pub(super) fn finish(
        &mut self,
        model: &Model,
        island: &Island,
        state: &State,
        h: f64,
        mut end: IslandStateMut,
    ) -> Result<(), ForceError> {
        let t = state.time + 0.5 * h;
        let it = &mut self.interval;
        it.evaluate(model, island, state, t, h)?;
        it.set_end_columns(model, island, state);
        it.momenta_after(model, island, state, t, h, end.momenta);
        it.place_end(model, island, state, &mut end);
        if self.loops.rows > 0 {
            self.project(model, island, end.momenta);
        }
        Ok(())
    }

    /// Projects the momenta at the end to those that the loops allow: `p - Bᵀ (B M⁻¹ Bᵀ)⁻¹ B M⁻¹ p`.
    fn project(&mut self, model: &Model, island: &Island, momenta: &mut [f64]) {
        // The reduced mass matrix is positive definite; without factors the momenta stay as they are.
        if self.begin_end(model, island).is_err() {
            return;
        }
        let it = &mut self.interval;
        self.loops.project(&mut it.system, &mut self.z, &mut it.twists, momenta);
    }

    /// Makes the system the reduced mass matrix of the end, with its factors and those of the loops.
    pub(super) fn begin_end(&mut self, model: &Model, island: &Island) -> Result<(), Singular> {
        let it = &mut self.interval;
        for ((node, link), rotation) in
            it.system.nodes.iter_mut().zip(&model.links[island.bodies.clone()]).zip(&it.rotations)
        {
            node.motion0 = node.motion1;
            node.reach0 = node.reach1;
            node.along = Vec6::zeros();
            node.block = spatial_inertia(link.mass, &link.inertia, rotation);
        }
        it.system.factor()?;
        if self.loops.rows > 0 {
            self.read_loops(model, island);
            let it = &mut self.interval;
            self.loops.solve_rows(&mut it.system, &mut it.twists);
        }
        Ok(())
    }
}

/// `J x = b`: sweeps on the tree, with GMRES around them where forces couple bodies.
pub(super) fn solve_linear(
    interval: &mut Interval,
    krylov: &mut Option<Gmres>,
    model: &Model,
    island: &Island,
    h: f64,
    b: &[f64],
    x: &mut [f64],
) {
    let Interval { system, twists, wrenches, stiffness, rotations0, rotations, coupled, .. } = interval;
    if !*coupled {
        system.solve(b, x, twists);
        return;
    }
    let largest = model.islands.iter().map(|island| island.dofs.len()).max().unwrap_or(0);
    let krylov = krylov.get_or_insert_with(|| Gmres::new(largest, DIRECTIONS));
    let weights = middle(h);
    let ends = (rotations0.as_slice(), rotations.as_slice());
    krylov.solve(b, x, INNER_RESIDUAL, RESTARTS, |product, v, out| match product {
        Product::Preconditioner => system.solve(v, out, twists),
        Product::Matrix => system.multiply(v, twists, wrenches, out, |twists, wrenches| {
            for element in stiffness.iter() {
                element.add_coupling(island.bodies.start, ends, &weights, -0.5 * h, twists, wrenches);
            }
        }),
    });
}
