//! Models and plans that tests share.
#![allow(dead_code, clippy::unwrap_used, clippy::expect_used)]

use nalgebra::Rotation3;
use percussion_control::plan::{
    Actuator, Avoidance, BoundaryState, ContactFriction, MomentumCondition, Plan, PlannedContact, TimeBounds,
};
use percussion_geometry::shapes::{HalfSpace, Polytope, Solid};
use percussion_geometry::{Pose, Vec3};
use percussion_mechanics::contact::ContactSpec;
use percussion_mechanics::discrete::Control;
use percussion_mechanics::force::Axes;
use percussion_mechanics::{Body, Model, ModelBuilder, State};
use percussion_solve::nlp::Bound;
use std::sync::Arc;

/// A cube of 270 kg/m³.
pub fn cube(name: &str, edge: f64) -> Body {
    let solid = Solid::Polytope(Polytope::cube(edge).unwrap());
    let properties = solid.mass_properties().unwrap();
    Body::of_density(name, &properties, 270.0).unwrap().with_shape(solid, Pose::identity())
}

/// A wall at the origin with a normal.
pub fn wall(normal: Vec3) -> Body {
    Body::fixed("wall").with_shape(Solid::HalfSpace(HalfSpace::new(normal, 0.0).unwrap()), Pose::identity())
}

/// Builds with contact detection.
pub fn build(mut builder: ModelBuilder) -> (Arc<Model>, State) {
    builder.contact(ContactSpec::default());
    let (model, state) = builder.build().unwrap();
    (Arc::new(model), state)
}

/// Force and torque on a body in the world's axes, without bounds.
pub fn thrusters(model: &Model, body: usize) -> Vec<Actuator> {
    let slot = model.slots[body].unwrap();
    let island = model.islands.partition_point(|i| i.bodies.end <= slot);
    let centre = model.bodies[body].principal.position;
    let force = Control::force(model, body, &centre, Axes::World).unwrap();
    let torque = Control::torque(model, body, Axes::World).unwrap();
    let name = &model.bodies[body].name;
    [(force, "force"), (torque, "torque")]
        .map(|(control, what)| Actuator {
            name: format!("{what} on {name}"),
            control,
            island,
            bounds: vec![Bound::FREE; 3],
            weight: 1.0,
        })
        .to_vec()
}

/// From a state, at rest or as it moves, to anywhere; no conditions, with control effort as the objective.
pub fn plain(model: &Arc<Model>, state: &State, intervals: usize, step: f64) -> Plan {
    let islands = model.islands.len();
    let given =
        model.islands.iter().map(|i| MomentumCondition::Given(state.momenta[i.dofs.clone()].to_vec()));
    let start = BoundaryState { state: state.clone(), fixed: vec![true; islands], momentum: given.collect() };
    let end = BoundaryState {
        state: state.clone(),
        fixed: vec![false; islands],
        momentum: vec![MomentumCondition::Free; islands],
    };
    Plan {
        model: model.clone(),
        intervals,
        step,
        actuators: Vec::new(),
        start,
        end,
        conditions: Vec::new(),
        control_effort_weight: 1.0,
        time_weight: 0.0,
        goals: Vec::new(),
        avoidance: None,
        contacts: Vec::new(),
        time_bounds: TimeBounds {
            scale: Bound::between(0.1, 10.0),
            total: Bound::equal(step * intervals as f64),
        },
    }
}

/// A body from rest to rest between two placements, from the world's origin.
pub fn rest_to_rest(body: &dyn Fn() -> Body, to: Pose, intervals: usize, time: f64) -> Plan {
    let placed = |pose: Pose| {
        let mut builder = ModelBuilder::new();
        builder.body(body(), pose);
        build(builder)
    };
    let (model, start) = placed(Pose::identity());
    let (_, end) = placed(to);
    let mut plan = plain(&model, &start, intervals, time / intervals as f64);
    plan.time_bounds.total = Bound::equal(time);
    plan.actuators = thrusters(&model, 0);
    plan.end.fixed = vec![true];
    plan.end.momentum = vec![MomentumCondition::Given(vec![0.0; 6])];
    plan.end.state = end;
    plan
}

/// How a cube comes to a wall, and how strong it is.
pub struct Approach {
    /// Distance of its centre from the wall at the start, m.
    pub start: f64,
    /// Its rotation vector there.
    pub turn: Vec3,
    /// Distance at the end, m.
    pub end: f64,
    /// Bounds of force, N, and torque, N m.
    pub bounds: (f64, f64),
}

/// A cube that must hit a wall to come back, at a planned node.
pub fn wall_plan(node: usize) -> Plan {
    let turn = Vec3::new(0.0, 0.2, 0.02);
    hit_wall(30, node, &Approach { start: 0.11, turn, end: 0.18, bounds: (0.02, 0.01) })
}

/// The same with the figures of the scene `cube-wall`: weaker, and tilted about both axes.
pub fn cube_wall(intervals: usize, node: usize) -> Plan {
    let turn = Vec3::new(0.037, 0.2, 0.037);
    let approach = Approach { start: 0.10425, turn, end: 0.18325, bounds: (0.002, 0.001) };
    hit_wall(intervals, node, &approach)
}

fn hit_wall(intervals: usize, node: usize, approach: &Approach) -> Plan {
    let place = |position: Vec3, turn: Vec3, velocity: Vec3| {
        let mut builder = ModelBuilder::new();
        let body = builder.body(cube("cube", 0.1), Pose::new(Rotation3::from_scaled_axis(turn), position));
        builder.velocity(body, velocity, Vec3::zeros());
        builder.body(wall(Vec3::y()), Pose::identity());
        build(builder)
    };
    let (model, state) =
        place(Vec3::new(0.0, approach.start, 0.0), approach.turn, Vec3::new(0.0, -0.25, 0.0));
    let (_, end) = place(Vec3::new(0.0, approach.end, 0.0), Vec3::zeros(), Vec3::new(0.0, 0.25, 0.0));
    let mut plan = plain(&model, &state, intervals, 0.75 / intervals as f64);
    plan.actuators = thrusters(&model, 0);
    let (force, torque) = approach.bounds;
    plan.actuators[0].bounds = vec![Bound::between(-force, force); 3];
    plan.actuators[1].bounds = vec![Bound::between(-torque, torque); 3];
    plan.end.momentum = vec![MomentumCondition::Given(end.momenta.clone())];
    plan.end.fixed = vec![true];
    plan.end.state = end;
    plan.avoidance = Some(Avoidance { margin: 0.0, pairs: None });
    plan.contacts = vec![PlannedContact {
        name: "the hit".to_owned(),
        node,
        bodies: (0, 1),
        restitution: 1.0,
        friction: ContactFriction::Frictionless,
        flat: true,
        joint: None,
        release_node: None,
    }];
    plan
}
