//! Closest-point projection: the nearest configuration without penetration [Johnson 3.81-3.83].
//!
//! ```text
//! minimise    1/2 (q - q̃)ᵀ M (q - q̃)  ( + h² |V(q) - V(q̃)| )        subject to  s_i(q) ≥ 0 for all events of all pairs
//!
//! q = q̃
//! repeat   linearize_constraints   s_i + ∇s_i·d ≥ 0 for all events, equalities for loops
//!          distance_gradient       g = P(q)ᵀ M (q - q̃)         linear part m (x - x̃), angular part Σ E_I d̃_I × d_I
//!          solve_step              d = argmin  1/2 dᵀ Mred d + g·d   subject to these      least distance, mass-weighted
//!          move_configuration      q moved by d on the manifold
//! until    nothing penetrates and |d| is small relative to |q - q̃|
//! ```
//!
//! Many constraints without loops are solved in sparse form (`ContactImpulses`), others by a dense quadratic program.
//!
//! Sequential quadratic programming with the Gauss-Newton Hessian: linear convergence at the ratio of penetration and size.
//! Differs from the thesis: all contact events of a pair are constraints, each with its own `s_m` and gradient, where one
//! gradient per pair lets a box rock from corner to corner; and constraints are satisfied exactly, not by a potential.

use super::active_contacts::EventQuery;
use super::collision_groups::{NearPair, poses};
use super::potential::PotentialEnergy;
use super::{
    EVENT_WINDOW, IMMOVABLE_ROW, LOOP_ROUNDING, MAX_ITERATIONS, MAX_ROTATION, NEAREST_ITERATIONS,
    RETAIN_AFTER, STEP_TOLERANCE, TARGET_GAP,
};
use crate::contact::{ContactGeometry, ContactPoint};
use crate::discrete::free_rotation::momentum_of_rotation;
use crate::discrete::{StepError, displace};
use crate::model::Model;
use crate::model::State;
use crate::response::CollisionGroup;
use crate::response::impulse::{ContactImpulses, JacobianRows, MANY_CONTACTS, MassMetric};
use crate::rotation::RodriguesVector;
use crate::spatial::{Vec6, angular, twist};
use percussion_geometry::{Pose, Vec3};
use percussion_solve::qp::QpOutcome;
use percussion_solve::{QpSolver, QuadraticProgram, SolveError};

/// A linearized separation constraint retained from an earlier iteration: points on both bodies and the normal on the second, in
/// their principal frames.
#[derive(Clone, Copy, Debug)]
struct RetainedContact {
    pair: (usize, usize),
    point_a: Vec3,
    point_b: Vec3,
    normal: Vec3,
}

impl RetainedContact {
    /// The constraint of a contact at the poses of the bodies.
    fn of(pair: (usize, usize), (a, b): (&Pose, &Pose), contact: &ContactPoint) -> Self {
        let (point_a, point_b) = (a.inverse_point(&contact.point_a), b.inverse_point(&contact.point_b));
        Self { pair, point_a, point_b, normal: b.inverse_direction(&contact.normal()) }
    }

    /// The same contact at other poses; `like` is a contact of the same pair.
    fn at(&self, (a, b): (&Pose, &Pose), like: &ContactPoint) -> ContactPoint {
        let (point_a, point_b) = (a.point(&self.point_a), b.point(&self.point_b));
        let normal = b.direction(&self.normal);
        let separation = normal.dot(&(point_a - point_b));
        // Measured along its normal, which is fixed to the second body.
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

/// Projects groups, with its workspace.
#[derive(Clone, Debug, Default)]
pub(super) struct ClosestPointProjection {
    group: CollisionGroup,
    metric: MassMetric,
    rows: JacobianRows,
    /// Rows, lower bounds of their products with the displacement, and rounding of these.
    bounds: Vec<(usize, f64, f64)>,
    potential: PotentialEnergy,
    program: Option<QuadraticProgram>,
    solver: QpSolver,
    sparse: ContactImpulses,
    multipliers: Vec<f64>,
    query: EventQuery,
    retained: Vec<RetainedContact>,
    gradient: Vec<f64>,
    slope: Vec<f64>,
    dense: Vec<f64>,
    d: Vec<f64>,
    next: Option<State>,
    /// Deepest penetration at each iteration, m.
    pub history: Vec<f64>,
}

/// The projection of one group.
#[derive(Clone, Copy)]
pub(super) struct ProjectionProblem<'a> {
    pub model: &'a Model,
    pub contacts: &'a ContactGeometry,
    /// The islands of the group.
    pub islands: &'a [usize],
    /// The trial configuration.
    pub trial: &'a State,
    /// Deepest penetration there, m.
    pub depth: f64,
    /// `h²` if the objective includes the change of potential energy [Johnson 3.83].
    pub weight: Option<f64>,
}

/// Constraint violation at an iterate.
struct Violation {
    /// Deepest penetration beyond rounding of a pair that can be moved, m.
    depth: f64,
    /// Largest closure error of a loop.
    opening: f64,
}

impl ClosestPointProjection {
    /// Moves the islands of a group from the trial configuration to the nearest one without penetration of the given pairs.
    /// `at` is the trial configuration of these islands on input and the result on output.
    pub fn project(
        &mut self,
        problem: &ProjectionProblem,
        pairs: &mut [NearPair],
        at: &mut State,
    ) -> Result<(), StepError> {
        self.history.clear();
        self.retained.clear();
        let from = match problem.weight {
            Some(_) => self.potential.energy(problem.model, problem.islands, problem.trial)?,
            None => 0.0,
        };
        let (mut last, mut distance) = (f64::INFINITY, 0.0);
        for iteration in 0..MAX_ITERATIONS {
            self.group.begin(problem.model, at, problem.islands)?;
            self.metric.factor(problem.model, &mut self.group)?;
            let violation = self.linearize_constraints(problem, pairs, at)?;
            self.history.push(violation.depth);
            let converged = last <= STEP_TOLERANCE * distance || iteration > NEAREST_ITERATIONS;
            if violation.depth == 0.0 && violation.opening <= LOOP_ROUNDING && converged && iteration > 0 {
                return Ok(());
            }
            // Where the active events alternate, any configuration without penetration is accepted.
            self.distance_gradient(problem, at, iteration <= NEAREST_ITERATIONS);
            let change = match problem.weight {
                Some(weight) => Some((weight, self.potential_change(problem, at, from)?)),
                None => None,
            };
            self.solve_step(change)?;
            last = self.move_configuration(problem, at);
            distance = self.distance(problem, at);
        }
        Err(StepError::Overlap { depth: problem.depth })
    }

    /// Linearizes the separations of all events of all pairs.
    fn linearize_constraints(
        &mut self,
        problem: &ProjectionProblem,
        pairs: &mut [NearPair],
        at: &State,
    ) -> Result<Violation, StepError> {
        let ProjectionProblem { model, contacts, .. } = *problem;
        self.rows.clear();
        self.bounds.clear();
        self.dense.clear();
        self.dense.resize(self.group.dofs(), 0.0);
        let mut violation = Violation { depth: 0.0, opening: 0.0 };
        for near in pairs {
            let (a, b) = poses(contacts, near.pair, at);
            self.query.points.clear();
            let window = EVENT_WINDOW * problem.depth;
            let pair_contact = self.query.add_near_events(contacts, near, at, window)?;
            // Events are accurate to the resolution of the kernel, the pair to rounding.
            let least = pair_contact.separation + TARGET_GAP * near.tolerance;
            if !self.query.points.iter().any(|contact| contact.separation <= least) {
                self.query.points.push(pair_contact);
            }
            let retained = self.retained.iter().filter(|contact| contact.pair == near.pair);
            self.query.points.extend(retained.map(|contact| contact.at((&a, &b), &pair_contact)));
            if self.history.len() > RETAIN_AFTER && pair_contact.separation < -near.tolerance {
                self.retained.push(RetainedContact::of(near.pair, (&a, &b), &pair_contact));
            }
            let mut movable = false;
            for contact in &self.query.points {
                self.group.gradient(model, at, contacts, near.pair, contact, &mut self.dense);
                let length = contact.alpha.norm();
                self.dense.iter_mut().for_each(|v| *v /= length);
                let row = self.rows.push(&self.metric, &mut self.dense);
                if self.rows.delassus(row, row) > IMMOVABLE_ROW * max_inverse_mass(problem, near) {
                    let bound = TARGET_GAP * near.tolerance - contact.separation / length;
                    self.bounds.push((row, bound, near.tolerance));
                    movable = true;
                }
            }
            if movable && pair_contact.separation < -near.tolerance {
                violation.depth = violation.depth.max(-pair_contact.separation);
            }
        }
        violation.opening = self.group.loop_rows().map(|(_, _, value)| value.abs()).fold(0.0, f64::max);
        Ok(violation)
    }

    /// Mass-weighted gradient of the distance from the trial configuration; zero if it is not to be minimised.
    fn distance_gradient(&mut self, problem: &ProjectionProblem, at: &State, minimise: bool) {
        self.gradient.clear();
        self.gradient.resize(self.group.dofs(), 0.0);
        if minimise {
            let ProjectionProblem { model, trial, .. } = *problem;
            self.group.reduce_all(
                model,
                |slot| displacement_wrench(model, trial, at, slot),
                &mut self.gradient,
            );
            self.metric.to_weighted(&mut self.gradient);
        }
    }

    /// `V(q) - V(q̃)`; the mass-weighted gradient of `V` becomes the slope.
    fn potential_change(
        &mut self,
        problem: &ProjectionProblem,
        at: &State,
        from: f64,
    ) -> Result<f64, StepError> {
        let value = self.potential.energy(problem.model, problem.islands, at)?;
        self.slope.clear();
        self.slope.resize(self.group.dofs(), 0.0);
        self.potential.gradient(problem.model, &mut self.group, problem.islands, at, &mut self.slope)?;
        self.metric.to_weighted(&mut self.slope);
        Ok(value - from)
    }

    /// The step in mass-weighted coordinates, into `d`. If the objective includes `|ΔV + ∇V·d|`, the solution lies on one of its
    /// two slopes or at its kink.
    fn solve_step(&mut self, change: Option<(f64, f64)>) -> Result<(), StepError> {
        let Some((weight, change)) = change else { return self.solve_with_weight(0.0, None) };
        for sign in [1.0, -1.0] {
            self.solve_with_weight(sign * weight, None)?;
            let predicted = change + self.slope.iter().zip(&self.d).map(|(v, d)| v * d).sum::<f64>();
            if sign * predicted >= 0.0 {
                return Ok(());
            }
        }
        self.solve_with_weight(0.0, Some(-change))
    }

    /// Solves with a multiple of the slope added to the gradient, and with `∇V·d` prescribed or not.
    fn solve_with_weight(&mut self, weight: f64, change: Option<f64>) -> Result<(), StepError> {
        self.d.clear();
        self.d.extend(self.gradient.iter().map(|g| -g));
        if weight != 0.0 {
            self.d.iter_mut().zip(&self.slope).for_each(|(d, v)| *d -= weight * v);
        }
        if self.bounds.len() >= MANY_CONTACTS && change.is_none() && self.group.loop_rows().next().is_none() {
            let bounds = self.bounds.iter().map(|(row, bound, _)| (*row, *bound));
            let solved = self.sparse.nearest_point(&self.rows, bounds, &mut self.d, &mut self.multipliers);
            if solved.is_some() {
                return Ok(());
            }
        }
        // A body that just fits leaves no room for the target gaps: gaps down to rounding are accepted.
        for slack in [0.0, 2.0 * TARGET_GAP] {
            if self.solve_program(slack, change).map_err(|_| StepError::NotFinite)? != QpOutcome::Infeasible {
                return Ok(());
            }
        }
        Err(StepError::Overlap { depth: self.history.last().copied().unwrap_or(0.0) })
    }

    /// The point nearest to `d` that satisfies all rows up to a multiple of rounding, into `d`.
    fn solve_program(&mut self, slack: f64, change: Option<f64>) -> Result<QpOutcome, SolveError> {
        let program = match &mut self.program {
            Some(program) => {
                program.reset_least_distance(&self.d)?;
                program
            }
            none => none.insert(QuadraticProgram::least_distance(&self.d)?),
        };
        for (row, bound, rounding) in &self.bounds {
            self.rows.write_dense(*row, &mut self.dense);
            program.at_least(&self.dense, bound - slack * rounding)?;
        }
        for (first, row, value) in self.group.loop_rows() {
            self.dense.fill(0.0);
            self.dense[first..first + row.len()].copy_from_slice(row);
            self.metric.to_weighted(&mut self.dense);
            program.equal(&self.dense, -value)?;
        }
        if let Some(change) = change {
            program.equal(&self.slope, change)?;
        }
        let solution = self.solver.solve(program)?;
        if solution.outcome != QpOutcome::Infeasible {
            self.d.copy_from_slice(&solution.x);
        }
        Ok(solution.outcome)
    }

    /// Moves the configuration by the step; returns the length of the step in the mass metric.
    fn move_configuration(&mut self, problem: &ProjectionProblem, at: &mut State) -> f64 {
        let model = problem.model;
        let length = self.d.iter().map(|v| v * v).sum::<f64>().sqrt();
        // `Mred d = L y`: the tree solver also returns the twists of the bodies.
        self.metric.to_momenta(&mut self.d);
        self.gradient.copy_from_slice(&self.d);
        self.group.solve(model, &self.gradient, &mut self.d);
        let turn = self.group.twists(model).map(|(_, t)| angular(t).norm()).fold(0.0, f64::max);
        if turn > MAX_ROTATION {
            self.d.iter_mut().for_each(|d| *d *= MAX_ROTATION / turn);
        }
        let next = self.next.get_or_insert_with(|| at.clone());
        for (block, &index) in self.group.blocks(model).zip(problem.islands) {
            let island = &model.islands[index];
            let d = &self.d[block];
            if d.iter().any(|v| *v != 0.0) {
                displace(model, island, at, d, next);
                at.copy_configuration(next, island);
            }
        }
        length
    }

    /// Distance of the group from the trial configuration in the mass metric.
    fn distance(&self, problem: &ProjectionProblem, at: &State) -> f64 {
        let model = problem.model;
        let bodies = problem.islands.iter().flat_map(|&i| model.islands[i].bodies.clone());
        let squared = |slot: usize| {
            let link = &model.links[slot];
            let shift = (at.positions[slot] - problem.trial.positions[slot]).norm_squared();
            let turn = at.rotations[slot] - problem.trial.rotations[slot];
            let half = 0.5 * link.inertia.sum();
            let rotated: f64 = (0..3).map(|k| (half - link.inertia[k]) * turn.column(k).norm_squared()).sum();
            link.mass * shift + rotated
        };
        bodies.map(squared).sum::<f64>().sqrt()
    }
}

/// `M (q - q̃)` of a body as a wrench.
fn displacement_wrench(model: &Model, trial: &State, at: &State, slot: usize) -> Vec6 {
    let link = &model.links[slot];
    let (from, to) = (&trial.rotations[slot], &at.rotations[slot]);
    let turn = RodriguesVector::from_matrix(&(to * from.transpose()));
    let torque = from * momentum_of_rotation(&link.inertia, &from.tr_mul(&turn.0));
    twist(&((at.positions[slot] - trial.positions[slot]) * link.mass), &torque)
}

/// Inverse mass of the lighter body of a pair, 1/kg.
fn max_inverse_mass(problem: &ProjectionProblem, near: &NearPair) -> f64 {
    let mass = |part: usize| problem.contacts.parts[part].slot.map(|slot| problem.model.links[slot].mass);
    [near.pair.0, near.pair.1].into_iter().filter_map(mass).map(|m| 1.0 / m).fold(0.0, f64::max)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contact::ContactSpec;
    use crate::schemes::decomposition::collision_groups::CollisionGroups;
    use crate::{Body, ModelBuilder};
    use percussion_geometry::shapes::{HalfSpace, Polytope, Solid};
    use percussion_solve::qp::qp_residual;

    /// Four corners in the floor and four on the box below: rows that depend on each other.
    #[test]
    fn projection_with_redundant_corners_is_optimal() {
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
        let mut groups = CollisionGroups::new(&model);
        assert!(groups.find(&model, contacts, &trial).unwrap());
        assert_eq!(groups.pairs.len(), 2);
        let mut projection = ClosestPointProjection::default();
        let depth = groups.depth(0);
        let problem = ProjectionProblem {
            model: &model,
            contacts,
            islands: &[0, 1],
            trial: &trial,
            depth,
            weight: None,
        };
        let mut at = trial.clone();
        let mut pairs = groups.pairs.clone();
        projection.project(&problem, &mut pairs, &mut at).unwrap();
        let program = projection.program.as_ref().unwrap();
        assert!(program.rows() >= 8, "{}", program.rows());
        let solution = projection.solver.solve(program).unwrap();
        let residual = qp_residual(program, solution).unwrap();
        assert!(residual.worst() < 1e-12, "{residual:?}");
        assert!(solution.row_duals.iter().filter(|dual| **dual > 0.0).count() >= 2);
        assert!(projection.history.len() <= 8, "{:?}", projection.history);
    }
}
