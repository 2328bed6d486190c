//! Islands on their way through a step, each from its own last node.
//!
//! The path of an island is `q(τ)`, the end of the discrete interval of length `τ` that begins at its node with its momenta.
//! Collisions make new nodes for the islands that meet; the others know nothing of it.
//!
//! For certificates of the search, every body has bounds over the rest of the step: on its angular speed `W`, on the
//! accelerations of its centre and of its turning, and on how far the rates of `q(τ)` are from the velocities of its
//! momenta (both are of second order in `τ`). For a free body under gravity they follow from its constants of motion:
//!
//! ```text
//! Σ J_i (J_i - J_k) ω_i² = L² - 2 T J_k     bounds each |ω_i|, and so W and, by Euler's equations, W'        a = |g|
//! ```
//!
//! For the others they are read off velocities at both ends, doubled: an estimate, good while a step resolves the forces.

use crate::contact::Part;
use crate::discrete::{EndMut, Interval, Newton, StepError, StepFailure};
use crate::model::State;
use crate::model::{Island, Model};
use crate::rotation::Mat3;
use crate::schemes::variational::step_island;
use crate::spatial::{Vec6, angular, linear, twist};
use percussion_geometry::{Aabb, Pose, Vec3};

/// How a body may move over the rest of a step.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Bound {
    /// Greatest angular speed, 1/s.
    pub spin: f64,
    /// Acceleration of the centre that is known, m/s²: gravity, of a body that flies freely.
    pub fall: Vec3,
    /// Greatest acceleration of the centre besides, m/s².
    pub acceleration: f64,
    /// Greatest angular acceleration, 1/s².
    pub spin_rate: f64,
    /// How far the rate of the centre may be from its velocity at the end of the step, m/s; from the node on it grows as
    /// the square of time.
    pub slack: f64,
    /// How far the rate of turning may be from the angular velocity there, 1/s.
    pub spin_slack: f64,
}

impl Bound {
    /// Greatest acceleration of the centre, m/s².
    pub fn pull(&self) -> f64 {
        self.fall.norm() + self.acceleration
    }
}

/// All islands inside one step.
#[derive(Clone, Debug)]
pub(super) struct Paths {
    /// The islands at their nodes.
    pub node: State,
    /// When their nodes are, since the beginning of the step, s.
    pub since: Vec<f64>,
    /// The islands where they were last looked at.
    pub probe: State,
    /// When that was.
    probed: Vec<f64>,
    /// Twists of the bodies there.
    pub twists: Vec<Vec6>,
    /// The islands at the end of the step, as of their present nodes.
    pub end: State,
    /// Bounds on the motion of the bodies.
    pub bounds: Vec<Bound>,
    /// Time at the beginning of the step, s.
    pub begun: f64,
    newton: Newton,
    mass: Interval,
    solved: Vec<f64>,
}

impl Paths {
    pub fn new(model: &Model, state: &State) -> Self {
        Self {
            node: state.clone(),
            since: vec![0.0; model.islands.len()],
            probe: state.clone(),
            probed: vec![0.0; model.islands.len()],
            twists: vec![Vec6::zeros(); model.moving()],
            end: state.clone(),
            bounds: vec![Bound::default(); model.moving()],
            begun: state.time,
            newton: Newton::default(),
            mass: Interval::default(),
            solved: Vec::new(),
        }
    }

    /// The beginning of a step; `end` has been set by the caller.
    pub fn begin(&mut self, state: &State) {
        self.node.clone_from(state);
        self.probe.clone_from(state);
        self.since.fill(0.0);
        // Twists are computed when they are first asked for.
        self.probed.fill(f64::NAN);
        self.begun = state.time;
    }

    /// Brings an island to the time `t` since the beginning of the step, for a look.
    pub fn look(&mut self, model: &Model, index: usize, t: f64) -> Result<(), StepFailure> {
        if self.probed[index] == t {
            return Ok(());
        }
        let island = &model.islands[index];
        let tau = t - self.since[index];
        if tau > 0.0 {
            self.node.time = self.begun + self.since[index];
            step_island(
                model,
                island,
                &self.node,
                tau,
                EndMut::of(&mut self.probe, island),
                &mut self.newton,
            )?;
        } else {
            self.probe.take(&self.node, island);
        }
        self.probed[index] = t;
        self.find_twists(model, island, false);
        Ok(())
    }

    /// Computes where an island is at the end of the step, `h` after its beginning, from its present node.
    pub fn finish(&mut self, model: &Model, index: usize, h: f64) -> Result<(), StepFailure> {
        let island = &model.islands[index];
        let tau = h - self.since[index];
        if tau > 0.0 {
            self.node.time = self.begun + self.since[index];
            step_island(model, island, &self.node, tau, EndMut::of(&mut self.end, island), &mut self.newton)?;
        } else {
            self.end.take(&self.node, island);
        }
        Ok(())
    }

    /// Makes the place last looked at (at `t`) the node of an island.
    pub fn arrive(&mut self, model: &Model, index: usize, t: f64) {
        self.node.take(&self.probe, &model.islands[index]);
        self.since[index] = t;
    }

    /// Forgets what was looked at: the momenta of the node have changed.
    pub fn forget(&mut self, index: usize) {
        self.probed[index] = f64::NAN;
    }

    /// `E_d` of the interval from the node of an island to `t`, J.
    pub fn discrete_energy(&mut self, model: &Model, index: usize, t: f64) -> Result<f64, StepFailure> {
        let island = &model.islands[index];
        let tau = t - self.since[index];
        if island.simple {
            return Ok(self.energy_of_flight(model, island, tau));
        }
        self.node.time = self.begun + self.since[index];
        step_island(model, island, &self.node, tau, EndMut::of(&mut self.probe, island), &mut self.newton)?;
        self.probed[index] = f64::NAN;
        let energy = self.newton.interval.energy(model, island, &self.node, tau);
        energy.map_err(|error| self.failure(model, island, StepError::Force(error)))
    }

    /// `E_d` of a free body under gravity: `Δx` is known, and the turn `c` gives `2 cᵀJc/((1+c²) τ²)`.
    fn energy_of_flight(&self, model: &Model, island: &Island, tau: f64) -> f64 {
        let slot = island.bodies.start;
        let link = &model.links[slot];
        let p = &self.node.momenta[island.dofs.clone()];
        let velocity = Vec3::new(p[0], p[1], p[2]) / link.mass + model.gravity * (0.5 * tau);
        let middle = self.node.positions[slot] + velocity * (0.5 * tau);
        let mut energy = link.mass * (0.5 * velocity.norm_squared() - model.gravity.dot(&middle));
        if !link.joint.particle {
            let hp = self.node.rotations[slot].tr_mul(&Vec3::new(p[3], p[4], p[5])) * tau;
            if let Some((turn, _)) = crate::discrete::free_rotation::turn_of_momentum(&link.inertia, &hp) {
                let c = turn.0;
                let jc = link.inertia.component_mul(&c);
                energy += 2.0 * c.dot(&jc) / ((1.0 + c.norm_squared()) * tau * tau);
            }
        }
        energy
    }

    fn failure(&self, model: &Model, island: &Island, trouble: StepError) -> StepFailure {
        let body = model.bodies[model.links[island.bodies.start].body].name.clone();
        StepFailure { step: self.node.steps, time: self.begun, body, trouble, history: Vec::new() }
    }

    /// Twists of an island at the probe (or at the end of the step), from momenta.
    fn find_twists(&mut self, model: &Model, island: &Island, at_end: bool) {
        let state = if at_end { &self.end } else { &self.probe };
        if island.simple {
            let slot = island.bodies.start;
            self.twists[slot] = free_twist(model, state, slot, &state.momenta[island.dofs.clone()]);
            return;
        }
        self.mass.begin(model, island, state);
        self.mass.set_mass(model, island);
        self.solved.resize(island.dofs.len(), 0.0);
        let twists = &mut self.twists[island.bodies.clone()];
        // A reduced mass matrix is positive definite: masses and moments are, and the columns are independent.
        if self.mass.system.factor().is_ok() {
            self.mass.system.solve(&state.momenta[island.dofs.clone()], &mut self.solved, twists);
        }
    }

    /// Finds the bounds on the motion of an island from its node to the end of the step.
    pub fn bound(&mut self, model: &Model, index: usize, h: f64) -> Result<(), StepFailure> {
        let island = &model.islands[index];
        let tau = h - self.since[index];
        if island.simple {
            let slot = island.bodies.start;
            self.bounds[slot] = flight_bound(model, &self.node, slot, island, tau);
            return Ok(());
        }
        self.find_twists(model, island, true);
        let first = island.bodies.start;
        self.solved.clear();
        self.solved.extend(self.twists[island.bodies.clone()].iter().flat_map(|t| t.iter().copied()));
        let later = std::mem::take(&mut self.solved);
        self.probed[index] = f64::NAN;
        self.look(model, index, self.since[index])?;
        for slot in island.bodies.clone() {
            let at = 6 * (slot - first);
            let end = Vec6::from_column_slice(&later[at..at + 6]);
            let now = &self.twists[slot];
            let (dv, dw) = ((linear(&end) - linear(now)).norm(), (angular(&end) - angular(now)).norm());
            let spin = angular(now).norm().max(angular(&end).norm());
            self.bounds[slot] = Bound {
                spin: spin + dw,
                fall: Vec3::zeros(),
                acceleration: 2.0 * dv / tau,
                spin_rate: 2.0 * dw / tau,
                slack: 0.25 * dv,
                spin_slack: 0.25 * dw + 0.5 * spin * (spin * tau).powi(2),
            };
        }
        self.solved = later;
        Ok(())
    }

    /// A box around a part from the node of its island to the end of the step.
    pub fn swept(&self, part: &Part, gravity: f64, h: f64, since: f64) -> Aabb {
        let Some(slot) = part.slot else { return part.bounds(&Pose::identity()) };
        let (from, to) = (self.node.principal_pose(slot), self.end.principal_pose(slot));
        let tau = h - since;
        let bound = &self.bounds[slot];
        let angle = bound.spin * tau;
        let bulge = 0.125 * (bound.pull() + gravity) * tau * tau;
        if angle > LARGE_TURN || !part.radius.is_finite() {
            // Anywhere around its centre of mass.
            let (a, b) = (from.position, to.position);
            let reach = if part.reach.is_finite() { part.reach } else { return Aabb::everything() };
            return Aabb::of_points([&a, &b]).grown(reach + bulge);
        }
        let sag = part.reach * (1.0 - (0.5 * angle).cos()) * 1.5;
        part.bounds(&from).merged(&part.bounds(&to)).grown(sag + bulge)
    }
}

/// Turn in a step beyond which boxes are drawn around all that a body may reach, rad.
const LARGE_TURN: f64 = 1.0;

fn spin_of(inertia: &Vec3, rotation: &Mat3, momentum: &Vec3) -> Vec3 {
    rotation * rotation.tr_mul(momentum).component_div(inertia)
}

/// Twist of a free body from its momenta.
fn free_twist(model: &Model, state: &State, slot: usize, p: &[f64]) -> Vec6 {
    let link = &model.links[slot];
    let velocity = Vec3::new(p[0], p[1], p[2]) / link.mass;
    if link.joint.particle {
        return twist(&velocity, &Vec3::zeros());
    }
    twist(&velocity, &spin_of(&link.inertia, &state.rotations[slot], &Vec3::new(p[3], p[4], p[5])))
}

fn flight_bound(model: &Model, node: &State, slot: usize, island: &Island, tau: f64) -> Bound {
    let link = &model.links[slot];
    let fall = model.gravity;
    if link.joint.particle {
        return Bound { fall, ..Bound::default() };
    }
    let p = &node.momenta[island.dofs.clone()];
    let momentum = node.rotations[slot].tr_mul(&Vec3::new(p[3], p[4], p[5]));
    let most = most_spin(&link.inertia, &momentum);
    let spin = most.norm() * ROUNDING;
    let j = &link.inertia;
    let rate = |i: usize, k: usize, l: usize| ((j[k] - j[l]) / j[i] * most[k] * most[l]).abs();
    Bound {
        spin,
        fall,
        acceleration: 0.0,
        spin_rate: Vec3::new(rate(0, 1, 2), rate(1, 2, 0), rate(2, 0, 1)).norm() * ROUNDING,
        slack: 0.0,
        // sin θ = τ ω about an axis: the rate of θ is ω/cos θ.
        spin_slack: spin * (spin * tau).powi(2),
    }
}

/// Greatest components of the angular velocity (body axes) of a free body, from its energy and momentum:
/// `Σ J_i (J_i - J_k) ω_i² = L² - 2 T J_k` leaves the axis `k` out, and bounds the others where all terms have one sign.
fn most_spin(j: &Vec3, momentum: &Vec3) -> Vec3 {
    let square = momentum.norm_squared();
    let twice = momentum.dot(&momentum.component_div(j));
    Vec3::from_fn(|i, _| {
        let plain = (square / j[i]).min(twice) / j[i];
        let others = [j.min(), j.max()].into_iter().filter(|k| (j[i] - k).abs() > SAME * j[i]);
        let bound = others.map(|k| {
            let room = (square - twice * k).abs() + SAME * (square + twice * k);
            room / (j[i] * (j[i] - k).abs())
        });
        bound.fold(plain, f64::min).max(0.0).sqrt()
    })
}

/// Moments closer than this (relative) are equal; differences below it are rounding.
const SAME: f64 = 1e-12;

/// A hair more than one: bounds hold after rounding.
const ROUNDING: f64 = 1.0 + 1e-12;
