//! Trajectories of the islands inside a step, each from its own last node.
//!
//! The trajectory of an island is `q(τ)`, the end of the discrete interval of length `τ` that starts at its node with its
//! momenta. Impacts make new nodes for the islands involved; the others are not affected.

use super::contact_groups::ContactGroups;
use super::motion_bound::{MotionBound, free_twist};
use super::{CROSSING_TRAVEL, ImpactTiming, LARGE_ROTATION, SHORT_INTERVAL, StepContext, failure};
use crate::contact::{ContactGeometry, Part};
use crate::discrete::{Interval, IslandStateMut, SolverStats, StepError, StepFailure};
use crate::model::State;
use crate::model::{Island, Model};
use crate::response::closed_contact::{STOPS_OF_JOINT, has_joint_rows};
use crate::schemes::island_worker::IslandWorker;
use crate::schemes::variational::step_island;
use crate::schemes::{Scheme, Variational};
use crate::spatial::Vec6;
use crate::step_record::Crossing;
use crate::tolerances::variational::REBOUND_STEPS;
use percussion_geometry::{Aabb, Pose, Vec3};
use std::sync::Arc;

/// Trajectories of all islands inside one step.
#[derive(Debug)]
pub(super) struct StepTrajectories {
    /// The islands at their nodes.
    pub node: State,
    /// Time of the node of each island since the beginning of the step, s.
    pub node_time: Vec<f64>,
    /// The islands where they were last evaluated.
    pub sample: State,
    /// Time of that; not a number if it has to be evaluated again.
    sample_time: Vec<f64>,
    /// Twists of the bodies there.
    pub twists: Vec<Vec6>,
    /// The islands at the end of the step, on their present trajectories.
    pub end: State,
    /// Bounds on the motion of the bodies from their nodes to the end of the step.
    pub bounds: Vec<MotionBound>,
    /// Time at the beginning of the step, s.
    pub start_time: f64,
    /// Groups of islands in persistent contact.
    pub groups: ContactGroups,
    /// Time of the next impact of a stop of each island since the beginning of the step, s; infinite without one.
    pub stop_times: Vec<f64>,
    /// Islands whose stops had an impact at the beginning of the step.
    pub struck_at_start: Vec<bool>,
    /// Largest gap of these stops, m.
    pub struck_gap: f64,
    /// Group whose equations were not solved last.
    pub failed_group: Option<usize>,
    /// Length of an interval in which contact impulses are left out, s.
    pub short: f64,
    /// Bounds on the accelerations of the bodies without contact in the step, m/s².
    free_acceleration: Vec<f64>,
    variational: Variational,
    pub(super) worker: IslandWorker,
    mass: Interval,
    rates: Vec<f64>,
    end_twists: Vec<Vec6>,
}

impl StepTrajectories {
    /// For a model with contact and a state of it.
    pub fn new(model: &Model, state: &State, contacts: Arc<ContactGeometry>, contact_gap: f64) -> Self {
        Self {
            groups: ContactGroups::new(model, contacts, contact_gap),
            stop_times: vec![f64::INFINITY; model.islands.len()],
            struck_at_start: vec![false; model.islands.len()],
            struck_gap: 0.0,
            failed_group: None,
            short: 0.0,
            free_acceleration: vec![0.0; model.moving()],
            node: state.clone(),
            node_time: vec![0.0; model.islands.len()],
            sample: state.clone(),
            sample_time: vec![0.0; model.islands.len()],
            twists: vec![Vec6::zeros(); model.moving()],
            end: state.clone(),
            bounds: vec![MotionBound::default(); model.moving()],
            start_time: state.time,
            variational: Variational::new(model, state),
            worker: IslandWorker::default(),
            mass: Interval::default(),
            rates: Vec::new(),
            end_twists: Vec::new(),
        }
    }

    /// Trial step of all islands, with motion bounds.
    pub fn predict(&mut self, step: &StepContext) -> Result<SolverStats, StepFailure> {
        let StepContext { model, start, h, .. } = *step;
        self.end.clone_from(start);
        let stats = self.variational.step(model, &mut self.end, h)?;
        self.node.clone_from(start);
        self.sample.clone_from(start);
        self.node_time.fill(0.0);
        self.sample_time.fill(f64::NAN);
        self.start_time = start.time;
        self.short = SHORT_INTERVAL * h;
        self.failed_group = None;
        self.stop_times.fill(f64::INFINITY);
        self.struck_at_start.fill(false);
        self.struck_gap = 0.0;
        self.worker.excluded_stops.clear();
        self.worker.excluded_stops.resize(STOPS_OF_JOINT * model.moving(), false);
        self.groups.rebound_speed = match step.timing {
            ImpactTiming::TimeOfImpact => f64::INFINITY,
            ImpactTiming::EndOfStep => REBOUND_STEPS * h.abs() * model.gravity.norm(),
        };
        self.worker.rebound_speed = self.groups.rebound_speed;
        self.groups.clear(h);
        for index in 0..model.islands.len() {
            self.update_motion_bounds(model, index, h)?;
        }
        for (acceleration, bound) in self.free_acceleration.iter_mut().zip(&self.bounds) {
            *acceleration = bound.total_acceleration();
        }
        Ok(stats)
    }

    /// Evaluates the configuration and twists of an island at the time `t` since the beginning of the step.
    pub fn evaluate(&mut self, model: &Model, index: usize, t: f64) -> Result<(), StepFailure> {
        if self.sample_time[index] == t {
            return Ok(());
        }
        let island = &model.islands[index];
        let tau = t - self.node_time[index];
        if let Some(group) = self.groups.of(index).filter(|_| tau > self.short) {
            if !self.groups.is_at_rest(group) {
                return self.evaluate_group(model, group, index, t);
            }
            self.sample.copy_configuration(&self.node, island);
            self.sample.momenta[island.dofs.clone()].fill(0.0);
            self.sample_time[index] = t;
            self.update_twists(model, island, false);
            return Ok(());
        }
        if tau > 0.0 {
            self.node.time = self.start_time + self.node_time[index];
            let sample = IslandStateMut::of(&mut self.sample, island);
            step_island(model, island, &self.node, tau, sample, &mut self.worker)?;
        } else {
            self.sample.take(&self.node, island);
        }
        self.sample_time[index] = t;
        self.update_twists(model, island, false);
        Ok(())
    }

    /// Solves the equations of a group, of which an island is given, at the time `t`.
    pub(super) fn evaluate_group(
        &mut self,
        model: &Model,
        group: usize,
        index: usize,
        t: f64,
    ) -> Result<(), StepFailure> {
        let tau = t - self.node_time[index];
        self.node.time = self.start_time + self.node_time[index];
        let from = (&self.node, &self.worker.excluded_stops[..]);
        let solved = self.groups.solve_group(group, model, from, tau, &mut self.sample);
        solved.map_err(|error| self.group_failure(model, (group, index), error))?;
        let mut k = 0;
        while let Some(island) = self.groups.island(group, k) {
            self.sample_time[island] = t;
            self.update_twists(model, &model.islands[island], false);
            k += 1;
        }
        Ok(())
    }

    /// Evaluates both islands of a pair.
    pub fn evaluate_pair(
        &mut self,
        step: &StepContext,
        pair: (usize, usize),
        t: f64,
    ) -> Result<(), StepFailure> {
        for index in step.islands(pair).into_iter().flatten() {
            self.evaluate(step.model, index, t)?;
        }
        Ok(())
    }

    /// Computes the end of the step of an island on its present trajectory.
    pub fn update_end(&mut self, model: &Model, index: usize, h: f64) -> Result<(), StepFailure> {
        let island = &model.islands[index];
        let tau = h - self.node_time[index];
        if let Some(group) = self.groups.of(index).filter(|_| tau > self.short) {
            self.node.time = self.start_time + self.node_time[index];
            let from = (&self.node, &self.worker.excluded_stops[..]);
            let solved = self.groups.solve_group(group, model, from, tau, &mut self.end);
            return solved.map_err(|error| self.group_failure(model, (group, index), error));
        }
        if tau > 0.0 {
            self.node.time = self.start_time + self.node_time[index];
            step_island(
                model,
                island,
                &self.node,
                tau,
                IslandStateMut::of(&mut self.end, island),
                &mut self.worker,
            )?;
        } else {
            self.end.take(&self.node, island);
        }
        Ok(())
    }

    /// A failure of the equations of a group, named after a body of an island.
    fn group_failure(
        &mut self,
        model: &Model,
        (group, index): (usize, usize),
        error: StepError,
    ) -> StepFailure {
        self.failed_group = Some(group);
        let slot = model.islands[index].bodies.start;
        failure(model, &self.node, model.links[slot].body, error)
    }

    /// Makes the last sample of an island (at `t`) its node.
    pub fn set_node(&mut self, model: &Model, index: usize, t: f64) {
        self.node.take(&self.sample, &model.islands[index]);
        self.node_time[index] = t;
    }

    /// Invalidates the sample of an island: the momenta of its node have changed.
    pub fn invalidate(&mut self, index: usize) {
        self.sample_time[index] = f64::NAN;
    }

    /// `E_d` of the intervals from the nodes of some islands to `t`, J; `None` where an island has its node at `t`.
    pub fn discrete_energy(
        &mut self,
        model: &Model,
        islands: &[usize],
        t: f64,
    ) -> Result<Option<f64>, StepFailure> {
        let mut energy = 0.0;
        for &index in islands {
            let tau = t - self.node_time[index];
            let rows = has_joint_rows(model, &model.islands[index]);
            if !(t > self.node_time[index]) || self.groups.of(index).is_some() || rows {
                return Ok(None);
            }
            energy += self.discrete_energy_of(model, index, tau)?;
        }
        Ok(Some(energy))
    }

    /// `E_d` of the interval of length `tau` from the node of an island, J.
    fn discrete_energy_of(&mut self, model: &Model, index: usize, tau: f64) -> Result<f64, StepFailure> {
        let island = &model.islands[index];
        if island.simple {
            return Ok(self.discrete_energy_of_free_body(model, island, tau));
        }
        self.node.time = self.start_time + self.node_time[index];
        step_island(
            model,
            island,
            &self.node,
            tau,
            IslandStateMut::of(&mut self.sample, island),
            &mut self.worker,
        )?;
        self.invalidate(index);
        self.worker.newton.interval.energy(model, island, &self.node, tau).map_err(|error| StepFailure {
            step: self.node.steps,
            time: self.start_time,
            body: model.bodies[model.links[island.bodies.start].body].name.clone(),
            error: StepError::Force(error),
            history: Vec::new(),
        })
    }

    /// `E_d` of a free body under gravity: `Δx` is known, and the rotation `c` contributes `2 cᵀJc/((1+c²) τ²)`.
    fn discrete_energy_of_free_body(&self, model: &Model, island: &Island, tau: f64) -> f64 {
        let slot = island.bodies.start;
        let link = &model.links[slot];
        let p = &self.node.momenta[island.dofs.clone()];
        let velocity = Vec3::new(p[0], p[1], p[2]) / link.mass + model.gravity * (0.5 * tau);
        let middle = self.node.positions[slot] + velocity * (0.5 * tau);
        let mut energy = link.mass * (0.5 * velocity.norm_squared() - model.gravity.dot(&middle));
        if !link.joint.particle {
            let hp = self.node.rotations[slot].tr_mul(&Vec3::new(p[3], p[4], p[5])) * tau;
            if let Some((turn, _)) = crate::discrete::free_rotation::rotation_of_momentum(&link.inertia, &hp)
            {
                let c = turn.0;
                let jc = link.inertia.component_mul(&c);
                energy += 2.0 * c.dot(&jc) / ((1.0 + c.norm_squared()) * tau * tau);
            }
        }
        energy
    }

    /// Twists of an island at the sample (or at the end of the step), from momenta.
    fn update_twists(&mut self, model: &Model, island: &Island, at_end: bool) {
        let state = if at_end { &self.end } else { &self.sample };
        if island.simple {
            self.twists[island.bodies.start] = free_twist(model, state, island);
            return;
        }
        self.mass.begin(model, island, state);
        self.mass.set_mass(model, island);
        self.rates.resize(island.dofs.len(), 0.0);
        let twists = &mut self.twists[island.bodies.clone()];
        // A reduced mass matrix is positive definite: masses and moments are, and the columns are independent.
        if self.mass.system.factor().is_ok() {
            self.mass.system.solve(&state.momenta[island.dofs.clone()], &mut self.rates, twists);
        }
    }

    /// Computes bounds on the motion of an island from its node to the end of the step.
    pub fn update_motion_bounds(&mut self, model: &Model, index: usize, h: f64) -> Result<(), StepFailure> {
        let island = &model.islands[index];
        let tau = h - self.node_time[index];
        if island.simple && self.groups.of(index).is_none() {
            let bound = MotionBound::of_free_body(model, &self.node, island, tau);
            self.bounds[island.bodies.start] = bound;
            return Ok(());
        }
        self.update_twists(model, island, true);
        self.end_twists.clear();
        self.end_twists.extend_from_slice(&self.twists[island.bodies.clone()]);
        self.invalidate(index);
        self.evaluate(model, index, self.node_time[index])?;
        for (slot, end) in island.bodies.clone().zip(&self.end_twists) {
            self.bounds[slot] = MotionBound::of_twists(&self.twists[slot], end, tau);
        }
        Ok(())
    }

    /// Greatest bound on the acceleration of some bodies, with contact or without, m/s².
    pub fn max_acceleration(&self, slots: impl Iterator<Item = usize>) -> f64 {
        let of = |slot: usize| self.bounds[slot].total_acceleration().max(self.free_acceleration[slot]);
        slots.map(of).fold(0.0, f64::max)
    }

    /// Whether the impact of a pair after `t` is resolved at the end of the step: there it is plain on which side its parts are.
    pub fn is_left_to_end(&self, step: &StepContext, pair: (usize, usize), t: f64) -> bool {
        step.timing == ImpactTiming::EndOfStep && self.crossing(step, pair, t).is_none()
    }

    /// The crossing of a pair after `t` that the end of the step does not tell: its parts may travel farther than a part of their
    /// thickness. Nothing travels through a half-space.
    pub fn crossing(&self, step: &StepContext, pair: (usize, usize), t: f64) -> Option<Crossing> {
        let parts = [pair.0, pair.1].map(|part| &step.contacts.parts[part]);
        if parts.iter().any(|part| part.shape.is_unbounded()) {
            return None;
        }
        let thickness = parts.iter().map(|part| part.shape.inner_radius()).fold(f64::INFINITY, f64::min);
        let travel = self.max_travel(step, pair, t);
        let crossing = Crossing { bodies: (parts[0].body, parts[1].body), speed: travel / (step.h - t) };
        (travel > CROSSING_TRAVEL * thickness).then_some(crossing)
    }

    /// Bound on the distance that points of two parts move relative to each other from `t` to the end of the step, m.
    fn max_travel(&self, step: &StepContext, pair: (usize, usize), t: f64) -> f64 {
        let tau = step.h - t;
        let motion = |index: usize| {
            let part = &step.contacts.parts[index];
            let Some((slot, node)) = part.slot.zip(step.island(index)) else {
                return (Vec3::zeros(), 0.0);
            };
            let bound = &self.bounds[slot];
            let whole = step.h - self.node_time[node];
            let way = self.end.positions[slot] - self.node.positions[slot];
            let chord = if whole > 0.0 { way * (tau / whole) } else { Vec3::zeros() };
            let turn = (bound.angular_speed * tau).min(std::f64::consts::PI) * part.reach;
            (chord, turn + 0.5 * bound.total_acceleration() * tau * tau)
        };
        let ((a, bend_a), (b, bend_b)) = (motion(pair.0), motion(pair.1));
        (a - b).norm() + bend_a + bend_b
    }

    /// Bounding box of the motion of a part over the last `tau` of the step, from the node of its island.
    pub fn swept_bounds(&self, part: &Part, gravity: f64, tau: f64) -> Aabb {
        let Some(slot) = part.slot else { return part.bounds(&Pose::identity()) };
        let (from, to) = (self.node.principal_pose(slot), self.end.principal_pose(slot));
        let bound = &self.bounds[slot];
        let angle = bound.angular_speed * tau;
        // The greatest deviation from the chord.
        let path = 0.125 * (bound.total_acceleration() + gravity) * tau * tau;
        if angle > LARGE_ROTATION || !part.radius.is_finite() {
            // The ball about the centre of mass that contains the part.
            let (a, b) = (from.position, to.position);
            let reach = if part.reach.is_finite() { part.reach } else { return Aabb::everything() };
            return Aabb::from_points([&a, &b]).grown(reach + path);
        }
        let arc = part.reach * (1.0 - (0.5 * angle).cos()) * 1.5;
        part.bounds(&from).merged(&part.bounds(&to)).grown(arc + path)
    }
}
