//! The closest-point projection: the nearest configuration without overlap [Johnson 3.81-3.83].
//!
//! ```text
//! minimise    1/2 (q - q̃)ᵀ M (q - q̃)  ( + h² |V(q) - V(q̃)| )        subject to  s_i(q) ≥ 0 for all events of all pairs
//!
//! q = q̃
//! repeat   g = P(q)ᵀ M (q - q̃)            linear part m (x - x̃), angular part Σ E_I d̃_I × d_I
//!          d = argmin  1/2 dᵀ Mred d + g·d   subject to  s_i + ∇s_i·d ≥ 0      a projection in mass-weighed coordinates
//!          q moved by d on the manifold
//! until    nothing overlaps and d is small beside the way from q̃
//! ```
//!
//! Differs from the thesis: all contact events of a pair are constraints, each with its own `s_m` and gradient, where one
//! gradient for each pair lets a box rock from corner to corner; and constraints are met exactly, not by a potential. Loops are
//! equality rows. Gauss and Newton's Hessian makes convergence linear with the ratio of overlap and size.

use super::fields::Fields;
use super::groups::{Close, poses};
use crate::contact::{ContactGeometry, ContactPoint, ManifoldQuery};
use crate::discrete::free_rotation::momentum_of_turn;
use crate::discrete::{StepError, displace};
use crate::model::Model;
use crate::model::State;
use crate::response::CollisionGroup;
use crate::response::impulse::{Metric, Rows};
use crate::rotation::Turn;
use crate::spatial::{Vec6, angular, twist};
use percussion_geometry::{Pose, Vec3};
use percussion_solve::{QpOutcome, QpSolver, QuadraticProgram, SolveError};

/// Iterations after which the overlap is too deep to be resolved.
const MOST_ITERATIONS: usize = 60;
/// Iterations after which any configuration without overlap will do: corners that take turns keep the nearest one away.
const PATIENCE: usize = 20;
/// A step that is small beside the way from the trial configuration.
const STEADY: f64 = 1e-8;
/// Gaps that are aimed for, in multiples of what is rounding: rounding then leaves no overlap.
const AIM: f64 = 0.1;
/// Greatest turn of a body in one iteration, rad.
const MOST_TURN: f64 = 0.3;
/// How far events may be farther apart than their pair, in overlaps of the group.
const WINDOW: f64 = 4.0;
/// Square of a row's length, relative to that of a free body, below which nothing can be moved along it.
const IMMOVABLE: f64 = 1e-20;

/// Iterations after which contacts of earlier ones stay constraints: bodies with more places of contact than their events tell
/// of (two cylinders face to face) rock otherwise.
const FORGETFUL: usize = 3;

/// A contact of an earlier iteration: points on both bodies, and a normal on the second, in their principal frames.
#[derive(Clone, Copy, Debug)]
struct Cut {
    pair: (usize, usize),
    point_a: Vec3,
    point_b: Vec3,
    normal: Vec3,
}

impl Cut {
    fn of(pair: (usize, usize), (a, b): (&Pose, &Pose), touch: &ContactPoint) -> Self {
        let (point_a, point_b) = (a.inverse_point(&touch.point_a), b.inverse_point(&touch.point_b));
        Self { pair, point_a, point_b, normal: b.inverse_direction(&touch.normal()) }
    }

    /// The same contact elsewhere; `like` is one of the same pair.
    fn at(&self, (a, b): (&Pose, &Pose), like: &ContactPoint) -> ContactPoint {
        let (point_a, point_b) = (a.point(&self.point_a), b.point(&self.point_b));
        let normal = b.direction(&self.normal);
        let separation = normal.dot(&(point_a - point_b));
        // Measured along its normal, which does not follow the reference points.
        ContactPoint {
            separation,
            alpha: normal,
            beta: normal,
            point_a,
            point_b,
            reference_distance: 0.0,
            ..*like
        }
    }
}

/// Solves projections of groups; its memory serves again.
#[derive(Clone, Debug, Default)]
pub(super) struct Projection {
    group: CollisionGroup,
    metric: Metric,
    rows: Rows,
    /// Rows, what their products with the displacement must reach, and what is rounding of it.
    bounds: Vec<(usize, f64, f64)>,
    fields: Fields,
    program: Option<QuadraticProgram>,
    solver: QpSolver,
    room: ManifoldQuery,
    touches: Vec<ContactPoint>,
    cuts: Vec<Cut>,
    gradient: Vec<f64>,
    slope: Vec<f64>,
    dense: Vec<f64>,
    d: Vec<f64>,
    next: Option<State>,
    /// Deepest overlap of the iterations, m.
    pub history: Vec<f64>,
}

/// What is projected, and how.
#[derive(Clone, Copy)]
pub(super) struct Task<'a> {
    pub model: &'a Model,
    pub contacts: &'a ContactGeometry,
    /// The islands of the group.
    pub islands: &'a [usize],
    /// The trial configuration.
    pub trial: &'a State,
    /// Deepest overlap there, m.
    pub depth: f64,
    /// `h²` if changes of potential energy count [Johnson 3.83].
    pub weight: Option<f64>,
}

/// What the constraints are like at an iterate.
struct Look {
    /// Deepest overlap of two parts that can be moved apart, beyond rounding, m.
    overlap: f64,
    /// Widest opening of a loop.
    opening: f64,
}

impl Projection {
    /// Moves the islands of a group from the trial configuration to the nearest one without overlap of the given pairs.
    /// `at` holds the trial configuration of these islands and becomes the result.
    pub fn project(&mut self, task: &Task, pairs: &mut [Close], at: &mut State) -> Result<(), StepError> {
        self.history.clear();
        self.cuts.clear();
        let from = match task.weight {
            Some(_) => self.fields.potential(task.model, task.islands, task.trial)?,
            None => 0.0,
        };
        let (mut last, mut way) = (f64::INFINITY, 0.0);
        for iteration in 0..MOST_ITERATIONS {
            self.group.begin(task.model, at, task.islands)?;
            self.metric.begin(task.model, &mut self.group)?;
            let look = self.constrain(task, pairs, at)?;
            self.history.push(look.overlap);
            let steady = last <= STEADY * way || iteration > PATIENCE;
            if look.overlap == 0.0 && look.opening <= OPEN && steady && iteration > 0 {
                return Ok(());
            }
            // From where corners take turns, the way back to the trial configuration is given up.
            self.pull_back(task, at, iteration <= PATIENCE);
            let rise = match task.weight {
                Some(weight) => Some((weight, self.rise(task, at, from)?)),
                None => None,
            };
            self.solve(rise)?;
            last = self.advance(task, at);
            way = self.distance(task, at);
        }
        Err(StepError::Overlap { depth: task.depth })
    }

    /// Lists rows for all events of all pairs and for loops.
    fn constrain(&mut self, task: &Task, pairs: &mut [Close], at: &State) -> Result<Look, StepError> {
        let Task { model, contacts, .. } = *task;
        self.rows.clear();
        self.bounds.clear();
        self.dense.clear();
        self.dense.resize(self.group.dofs(), 0.0);
        let mut look = Look { overlap: 0.0, opening: 0.0 };
        for close in pairs {
            let (a, b) = poses(contacts, close.pair, at);
            self.touches.clear();
            let whole = contacts.near_events(
                close.pair,
                (&a, &b),
                WINDOW * task.depth,
                &mut close.memory,
                &mut self.room,
                &mut self.touches,
            )?;
            // Events are known to what tells places apart, the pair to rounding.
            if !self.touches.iter().any(|touch| touch.separation <= whole.separation + AIM * close.tolerance)
            {
                self.touches.push(whole);
            }
            let cuts = self.cuts.iter().filter(|cut| cut.pair == close.pair);
            self.touches.extend(cuts.map(|cut| cut.at((&a, &b), &whole)));
            if self.history.len() > FORGETFUL && whole.separation < -close.tolerance {
                self.cuts.push(Cut::of(close.pair, (&a, &b), &whole));
            }
            let mut movable = false;
            for touch in &self.touches {
                self.group.gradient(model, at, contacts, close.pair, touch, &mut self.dense);
                let length = touch.alpha.norm();
                self.dense.iter_mut().for_each(|v| *v /= length);
                let row = self.rows.push(&self.metric, &mut self.dense);
                if self.rows.product(row, row) > IMMOVABLE * lightness(task, close) {
                    let bound = AIM * close.tolerance - touch.separation / length;
                    self.bounds.push((row, bound, close.tolerance));
                    movable = true;
                }
            }
            if movable && whole.separation < -close.tolerance {
                look.overlap = look.overlap.max(-whole.separation);
            }
        }
        look.opening = self.group.loop_rows().map(|(_, _, value)| value.abs()).fold(0.0, f64::max);
        Ok(look)
    }

    /// The gradient of the distance from the trial configuration, weighed; zero if it is not to count.
    fn pull_back(&mut self, task: &Task, at: &State, counts: bool) {
        self.gradient.clear();
        self.gradient.resize(self.group.dofs(), 0.0);
        if counts {
            let Task { model, trial, .. } = *task;
            self.group.reduce_all(model, |slot| back(model, trial, at, slot), &mut self.gradient);
            self.metric.weigh(&mut self.gradient);
        }
    }

    /// `V(q) - V(q̃)`, with the gradient of `V` (weighed) as the slope.
    fn rise(&mut self, task: &Task, at: &State, from: f64) -> Result<f64, StepError> {
        let value = self.fields.potential(task.model, task.islands, at)?;
        self.slope.clear();
        self.slope.resize(self.group.dofs(), 0.0);
        self.fields.gradient(task.model, &mut self.group, task.islands, at, &mut self.slope)?;
        self.metric.weigh(&mut self.slope);
        Ok(value - from)
    }

    /// The step in weighed coordinates, into `d`. A change of potential energy `|ΔV + ∇V·d|` that counts has one of two
    /// slopes, or stays at its kink.
    fn solve(&mut self, rise: Option<(f64, f64)>) -> Result<(), StepError> {
        let Some((weight, rise)) = rise else { return self.attempt(0.0, None) };
        for sign in [1.0, -1.0] {
            self.attempt(sign * weight, None)?;
            let predicted = rise + self.slope.iter().zip(&self.d).map(|(v, d)| v * d).sum::<f64>();
            if sign * predicted >= 0.0 {
                return Ok(());
            }
        }
        self.attempt(0.0, Some(-rise))
    }

    /// Solves with a multiple of the slope added to the gradient, and with the rise prescribed or not.
    fn attempt(&mut self, weight: f64, rise: Option<f64>) -> Result<(), StepError> {
        self.d.clear();
        self.d.extend(self.gradient.iter().map(|g| -g));
        if weight != 0.0 {
            self.d.iter_mut().zip(&self.slope).for_each(|(d, v)| *d -= weight * v);
        }
        // A body that just fits has no room for what is aimed for: rounding must do.
        for slack in [0.0, 2.0 * AIM] {
            if self.run(slack, rise).map_err(|_| StepError::NotFinite)? != QpOutcome::Infeasible {
                return Ok(());
            }
        }
        Err(StepError::Overlap { depth: self.history.last().copied().unwrap_or(0.0) })
    }

    /// The point nearest to `d` that satisfies all rows, up to a multiple of rounding, into `d`.
    fn run(&mut self, slack: f64, rise: Option<f64>) -> Result<QpOutcome, SolveError> {
        let program = match &mut self.program {
            Some(program) => {
                program.reset_least_distance(&self.d)?;
                program
            }
            none => none.insert(QuadraticProgram::least_distance(&self.d)?),
        };
        for (row, bound, rounding) in &self.bounds {
            self.rows.expand(*row, &mut self.dense);
            program.at_least(&self.dense, bound - slack * rounding)?;
        }
        for (first, row, value) in self.group.loop_rows() {
            self.dense.fill(0.0);
            self.dense[first..first + row.len()].copy_from_slice(row);
            self.metric.weigh(&mut self.dense);
            program.equal(&self.dense, -value)?;
        }
        if let Some(rise) = rise {
            program.equal(&self.slope, rise)?;
        }
        let solution = self.solver.solve(program)?;
        if solution.outcome != QpOutcome::Infeasible {
            self.d.copy_from_slice(&solution.x);
        }
        Ok(solution.outcome)
    }

    /// Moves the configuration by the step; returns its length in the metric of the masses.
    fn advance(&mut self, task: &Task, at: &mut State) -> f64 {
        let model = task.model;
        let length = self.d.iter().map(|v| v * v).sum::<f64>().sqrt();
        // `Mred d = L y`: the solution brings the turns of the bodies along.
        self.metric.unweigh(&mut self.d);
        self.gradient.copy_from_slice(&self.d);
        self.group.solve(model, &self.gradient, &mut self.d);
        let turn = self.group.twists(model).map(|(_, t)| angular(t).norm()).fold(0.0, f64::max);
        if turn > MOST_TURN {
            self.d.iter_mut().for_each(|d| *d *= MOST_TURN / turn);
        }
        let next = self.next.get_or_insert_with(|| at.clone());
        for (block, &index) in self.group.blocks(model).zip(task.islands) {
            let island = &model.islands[index];
            let d = &self.d[block];
            if d.iter().any(|v| *v != 0.0) {
                displace(model, island, at, d, next);
                at.take_place(next, island);
            }
        }
        length
    }

    /// How far the group is from the trial configuration, in the metric of the masses.
    fn distance(&self, task: &Task, at: &State) -> f64 {
        let model = task.model;
        let bodies = task.islands.iter().flat_map(|&i| model.islands[i].bodies.clone());
        let squared = |slot: usize| {
            let link = &model.links[slot];
            let shift = (at.positions[slot] - task.trial.positions[slot]).norm_squared();
            let turn = at.rotations[slot] - task.trial.rotations[slot];
            let half = 0.5 * link.inertia.sum();
            let turned: f64 = (0..3).map(|k| (half - link.inertia[k]) * turn.column(k).norm_squared()).sum();
            link.mass * shift + turned
        };
        bodies.map(squared).sum::<f64>().sqrt()
    }
}

/// Opening of a loop that is rounding, m or cosine.
const OPEN: f64 = 1e-12;

/// `M (q - q̃)` of a body as a wrench.
fn back(model: &Model, trial: &State, at: &State, slot: usize) -> Vec6 {
    let link = &model.links[slot];
    let (from, to) = (&trial.rotations[slot], &at.rotations[slot]);
    let turn = Turn::of_matrix(&(to * from.transpose()));
    let turning = from * momentum_of_turn(&link.inertia, &from.tr_mul(&turn.0));
    twist(&((at.positions[slot] - trial.positions[slot]) * link.mass), &turning)
}

/// How easily the lighter body of a pair is moved: the inverse of its mass.
fn lightness(task: &Task, close: &Close) -> f64 {
    let mass = |part: usize| task.contacts.parts[part].slot.map(|slot| task.model.links[slot].mass);
    [close.pair.0, close.pair.1].into_iter().filter_map(mass).map(|m| 1.0 / m).fold(0.0, f64::max)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contact::ContactSpec;
    use crate::schemes::decomposition::groups::Groups;
    use crate::{Body, ModelBuilder};
    use percussion_geometry::shapes::{HalfSpace, Polytope, Solid};
    use percussion_solve::kkt_residual;

    /// Four corners in the floor and four on the box below: rows that depend on each other.
    #[test]
    fn redundant_corners_are_judged_optimal() {
        let mut builder = ModelBuilder::new();
        let floor = Solid::HalfSpace(HalfSpace::new(Vec3::z(), 0.0).unwrap());
        builder.body(Body::fixed("floor").with_shape(floor, Pose::identity()), Pose::identity());
        for (k, z) in [0.098, 0.295].into_iter().enumerate() {
            let solid = Polytope::cube(0.2).unwrap();
            let body = Body::of_density(&format!("box-{k}"), &solid.mass_properties(), 270.0).unwrap();
            let body = body.with_shape(Solid::Polytope(solid), Pose::identity());
            let turn = nalgebra::Rotation3::from_scaled_axis(Vec3::new(1e-3 * k as f64, 2e-3, 0.3));
            builder.body(body, Pose::new(turn, Vec3::new(0.01 * k as f64, 0.0, z)));
        }
        builder.contact(ContactSpec::default());
        let (model, trial) = builder.build().unwrap();
        let contacts = model.contacts.as_deref().unwrap();
        let mut groups = Groups::new(&model);
        assert!(groups.gather(&model, contacts, &trial).unwrap());
        assert_eq!(groups.close.len(), 2);
        let mut projection = Projection::default();
        let depth = groups.depth(0);
        let task = Task { model: &model, contacts, islands: &[0, 1], trial: &trial, depth, weight: None };
        let mut at = trial.clone();
        let mut pairs = groups.close.clone();
        projection.project(&task, &mut pairs, &mut at).unwrap();
        let program = projection.program.as_ref().unwrap();
        assert!(program.rows() >= 8, "{}", program.rows());
        let solution = projection.solver.solve(program).unwrap();
        let judged = kkt_residual(program, solution).unwrap();
        assert!(judged.worst() < 1e-12, "{judged:?}");
        assert!(solution.row_duals.iter().filter(|dual| **dual > 0.0).count() >= 2);
        assert!(projection.history.len() <= 8, "{:?}", projection.history);
    }
}
