//! Plans by the names of bodies.
//!
//! ```
//! use percussion_control::{BuilderError, PlanBuilder};
//! # fn turn_around(model: percussion_mechanics::Model, state: percussion_mechanics::State) -> Result<(), BuilderError> {
//! let solution = PlanBuilder::new(model, state)
//!     .intervals(30)
//!     .time(0.75)
//!     .control_force("cube", -0.002..=0.002)
//!     .control_torque("cube", -0.001..=0.001)
//!     .contact_with(9, "cube", "wall", |contact| contact.flat())
//!     .end(|end| end.position("cube", [0.0, 0.2, 0.0]).rotation_vector("cube", [0.0; 3]).at_rest())
//!     .solve()?;
//! let (times, positions) = (solution.times(), solution.positions("cube"));
//! # Ok(())
//! # }
//! ```
//!
//! The plan begins at the given state and minimises control effort. Every pair of parts that can collide is kept apart, except at planned
//! contacts. The initial guess is a free motion through planned contacts, or a straight path without any.

use crate::islands::island_of;
use crate::plan::{
    Actuator, Avoidance, BodyPoint, Condition, Measure, MomentumCondition, NodeSelector, Plan,
    PlannedContact, TimeBounds, rotation_of,
};
use crate::{Guess, Options, PlanError, PlanSolution, solve};
use nalgebra::Rotation3;
use percussion_geometry::Vec3;
use percussion_mechanics::discrete::{Control, ControlError, displace};
use percussion_mechanics::force::Axes;
use percussion_mechanics::joint::JointKind;
use percussion_mechanics::schemes::SchemeKind;
use percussion_mechanics::{Model, State};
use percussion_solve::nlp::{Bound, CallbackAction};
use std::ops::RangeInclusive;
use std::sync::Arc;
use thiserror::Error;

/// Bounds of time scales.
const TIME_SCALES: (f64, f64) = (0.2, 5.0);
/// The scheme of a guess by free motion.
const SCHEME: SchemeKind = SchemeKind::Decomposition;

/// Why a plan cannot be built or solved.
#[derive(Clone, Debug, Error)]
pub enum BuilderError {
    /// A body is not in the model.
    #[error("there is no body `{name}`; the model has {known}")]
    UnknownBody {
        /// The name.
        name: String,
        /// Names of all bodies.
        known: String,
    },
    /// A fixed body cannot be controlled or moved.
    #[error("body `{name}` does not move, but {what}; give a body that moves")]
    FixedBody {
        /// The name.
        name: String,
        /// What is prescribed.
        what: &'static str,
    },
    /// A control cannot act on its body.
    #[error("control of `{name}`: {error}")]
    Control {
        /// The body.
        name: String,
        /// The reason.
        error: ControlError,
    },
    /// A number is missing or not positive.
    #[error("{what} is missing or not positive; call {remedy}")]
    Missing {
        /// What is missing.
        what: &'static str,
        /// The method to call.
        remedy: &'static str,
    },
    /// The search cannot begin.
    #[error(transparent)]
    Plan(#[from] PlanError),
}

/// The last state as it is built; what is not prescribed is free.
#[must_use]
#[derive(Clone, Debug, Default)]
pub struct EndBuilder {
    bodies: Vec<(String, BodyEnd)>,
    at_rest: bool,
}

/// What is prescribed about a body at the end.
#[derive(Clone, Debug, Default)]
struct BodyEnd {
    position: Option<Vec3>,
    rotation: Option<Vec3>,
    velocity: Option<Vec3>,
    angular_velocity: Option<Vec3>,
}

impl EndBuilder {
    fn set(mut self, name: &str, with: impl FnOnce(&mut BodyEnd)) -> Self {
        let known = self.bodies.iter().position(|(own, _)| own == name);
        let at = known.unwrap_or_else(|| {
            self.bodies.push((name.to_owned(), BodyEnd::default()));
            self.bodies.len() - 1
        });
        with(&mut self.bodies[at].1);
        self
    }

    /// Position of a body's own frame, m.
    pub fn position(self, body: &str, position: [f64; 3]) -> Self {
        self.set(body, |end| end.position = Some(position.into()))
    }

    /// Orientation of a body's own frame, as a rotation vector, rad.
    pub fn rotation_vector(self, body: &str, rotation: [f64; 3]) -> Self {
        self.set(body, |end| end.rotation = Some(rotation.into()))
    }

    /// Velocity of the origin of a body's own frame, m/s.
    pub fn velocity(self, body: &str, velocity: [f64; 3]) -> Self {
        self.set(body, |end| end.velocity = Some(velocity.into()))
    }

    /// Angular velocity of a body, rad/s.
    pub fn angular_velocity(self, body: &str, angular_velocity: [f64; 3]) -> Self {
        self.set(body, |end| end.angular_velocity = Some(angular_velocity.into()))
    }

    /// All bodies are at rest.
    pub fn at_rest(mut self) -> Self {
        self.at_rest = true;
        self
    }
}

/// A plan as it is built. The first error is returned by [`PlanBuilder::plan`] or [`PlanBuilder::solve`].
#[must_use]
#[derive(Clone, Debug)]
pub struct PlanBuilder {
    plan: Plan,
    end: EndBuilder,
    guess: Option<Guess>,
    options: Options,
    error: Option<BuilderError>,
}

impl PlanBuilder {
    /// A plan that begins at a state of a model.
    pub fn new(model: impl Into<Arc<Model>>, state: State) -> Self {
        let mut plan = Plan::new(model.into(), state, 0, 0.0);
        plan.avoidance = plan.model.contacts.is_some().then_some(Avoidance { margin: 0.0, pairs: None });
        let scale = Bound::between(TIME_SCALES.0, TIME_SCALES.1);
        plan.time_bounds = TimeBounds { scale, total: Bound::FREE };
        Self { plan, end: EndBuilder::default(), guess: None, options: Options::default(), error: None }
    }

    /// Number of intervals.
    pub fn intervals(mut self, intervals: usize) -> Self {
        self.plan.intervals = intervals;
        self
    }

    /// The total time, s.
    pub fn time(mut self, time: f64) -> Self {
        self.plan.time_bounds.total = Bound::equal(time);
        self
    }

    /// A force at the centre of mass of a body, world axes, with bounds of its components, N. Its name is `force on BODY`.
    pub fn control_force(self, body: &str, bounds: RangeInclusive<f64>) -> Self {
        self.control(body, "force", bounds)
    }

    /// A torque on a body, world axes, with bounds of its components, N m. Its name is `torque on BODY`.
    pub fn control_torque(self, body: &str, bounds: RangeInclusive<f64>) -> Self {
        self.control(body, "torque", bounds)
    }

    /// An elastic, frictionless contact of two bodies at a node, of which the first one moves.
    pub fn contact(self, node: usize, first: &str, second: &str) -> Self {
        self.contact_with(node, first, second, |contact| contact)
    }

    /// A contact of two bodies at a node with other properties.
    pub fn contact_with(
        mut self,
        node: usize,
        first: &str,
        second: &str,
        with: impl FnOnce(PlannedContact) -> PlannedContact,
    ) -> Self {
        let (Some(a), Some(b)) = (self.body(first), self.body(second)) else { return self };
        let name = format!("the contact of `{first}` and `{second}` at node {node}");
        self.plan.contacts.push(with(PlannedContact::new(name, node, (a, b))));
        self
    }

    /// The last state.
    pub fn end(mut self, with: impl FnOnce(EndBuilder) -> EndBuilder) -> Self {
        self.end = with(self.end);
        self
    }

    /// The initial guess.
    pub fn guess(mut self, guess: Guess) -> Self {
        self.guess = Some(guess);
        self
    }

    /// Options of the search.
    pub fn options(mut self, options: Options) -> Self {
        self.options = options;
        self
    }

    /// The plan as data.
    pub fn plan(mut self) -> Result<Plan, BuilderError> {
        self.finish()?;
        Ok(self.plan)
    }

    /// Solves the plan.
    pub fn solve(mut self) -> Result<PlanSolution, BuilderError> {
        self.finish()?;
        let implied = match self.plan.contacts.is_empty() {
            true => Guess::Straight,
            false => Guess::FreeMotion { scheme: SCHEME },
        };
        let guess = self.guess.unwrap_or(implied);
        Ok(solve(&self.plan, &guess, &self.options, &mut |_| CallbackAction::Continue)?)
    }

    /// The index of a body; records an error if there is none.
    fn body(&mut self, name: &str) -> Option<usize> {
        let bodies = &self.plan.model.bodies;
        let found = bodies.iter().position(|body| body.name == name);
        if found.is_none() {
            let known: Vec<String> = bodies.iter().map(|body| format!("`{}`", body.name)).collect();
            self.fail(BuilderError::UnknownBody { name: name.to_owned(), known: known.join(", ") });
        }
        found
    }

    /// The index and the slot of a body that moves; records an error otherwise.
    fn moving_body(&mut self, name: &str, what: &'static str) -> Option<(usize, usize)> {
        let body = self.body(name)?;
        let slot = self.plan.model.slots[body];
        if slot.is_none() {
            self.fail(BuilderError::FixedBody { name: name.to_owned(), what });
        }
        slot.map(|slot| (body, slot))
    }

    fn fail(&mut self, error: BuilderError) {
        self.error.get_or_insert(error);
    }

    fn control(mut self, name: &str, kind: &str, bounds: RangeInclusive<f64>) -> Self {
        let Some((body, slot)) = self.moving_body(name, "a control acts on it") else { return self };
        let model = &*self.plan.model;
        let control = match kind {
            "force" => Control::force(model, body, &model.bodies[body].principal.position, Axes::World),
            _ => Control::torque(model, body, Axes::World),
        };
        match control {
            Err(error) => self.fail(BuilderError::Control { name: name.to_owned(), error }),
            Ok(control) => {
                let island = island_of(model, slot);
                let bound = Bound::between(*bounds.start(), *bounds.end());
                let actuator = Actuator::new(format!("{kind} on {name}"), control, island, bound);
                let place = self.plan.actuators.partition_point(|a| a.island <= island);
                self.plan.actuators.insert(place, actuator);
            }
        }
        self
    }

    /// Sets the step and the last state.
    fn finish(&mut self) -> Result<(), BuilderError> {
        let total = self.plan.time_bounds.total;
        if self.plan.intervals == 0 {
            self.fail(BuilderError::Missing { what: "the number of intervals", remedy: "`.intervals(30)`" });
        }
        if !(total.is_equation() && total.lower > 0.0) {
            self.fail(BuilderError::Missing { what: "the total time", remedy: "`.time(1.0)`" });
        }
        self.plan.step = total.lower / self.plan.intervals as f64;
        let model = self.plan.model.clone();
        if self.end.at_rest {
            for (island, momentum) in model.islands.iter().zip(&mut self.plan.end.momentum) {
                *momentum = MomentumCondition::Given(vec![0.0; island.dofs.len()]);
            }
        }
        for (name, end) in std::mem::take(&mut self.end.bodies) {
            if let Some((body, slot)) = self.moving_body(&name, "its last state is given") {
                self.end_configuration(&name, body, slot, &end);
                self.end_velocity(&name, body, slot, &end);
            }
        }
        self.error.take().map_or(Ok(()), Err)
    }

    /// Fixes the last configuration of a free body, or adds conditions.
    fn end_configuration(&mut self, name: &str, body: usize, slot: usize, end: &BodyEnd) {
        let model = self.plan.model.clone();
        let index = island_of(&model, slot);
        let (island, joint) = (&model.islands[index], &model.links[slot].joint);
        let is_free = island.bodies.len() == 1 && joint.kind == JointKind::Free && !joint.particle;
        if let (true, Some(position), Some(rotation)) = (is_free, end.position, end.rotation) {
            let start = &self.plan.start.state;
            let pose = model.pose(start, body);
            // The joint moves the body's frame to the target: a rotation about its own point, and a translation of that.
            let target = Rotation3::from_scaled_axis(rotation);
            let turn = target * pose.rotation.inverse();
            let point = start.positions[slot] + start.rotations[slot] * joint.child_frame.point;
            let shift = position + turn * (point - pose.position) - point;
            let axes = joint.parent_frame.axes.transpose();
            let (linear, angular) = (axes * shift, axes * turn.scaled_axis());
            let d = [linear.x, linear.y, linear.z, angular.x, angular.y, angular.z];
            displace(&model, island, start, &d, &mut self.plan.end.state);
            self.plan.end.fixed[index] = true;
            return;
        }
        let of = BodyPoint { body: Some(body), components: Vec3::zeros() };
        if let Some(position) = end.position {
            self.condition(name, "position", Measure::Point { of, from: None }, &position);
        }
        if let Some(rotation) = end.rotation {
            let measure = Measure::Attitude { body, from: None, target: rotation_of(&rotation) };
            self.condition(name, "orientation", measure, &Vec3::zeros());
        }
    }

    /// Adds conditions on the last velocity of a body; its momentum is an unknown.
    fn end_velocity(&mut self, name: &str, body: usize, slot: usize, end: &BodyEnd) {
        let of = BodyPoint { body: Some(body), components: Vec3::zeros() };
        let island = island_of(&self.plan.model, slot);
        for (what, measure, value) in [
            ("velocity", Measure::Velocity { of, from: None }, end.velocity),
            ("angular velocity", Measure::AngularVelocity { body, from: None }, end.angular_velocity),
        ] {
            let Some(value) = value else { continue };
            self.plan.end.momentum[island] = MomentumCondition::Conditioned;
            self.condition(name, what, measure, &value);
        }
    }

    fn condition(&mut self, body: &str, what: &str, measure: Measure, value: &Vec3) {
        self.plan.conditions.push(Condition {
            name: format!("{what} of `{body}`"),
            nodes: NodeSelector::End,
            measure,
            bounds: value.iter().map(|v| Bound::equal(*v)).collect(),
        });
    }
}
