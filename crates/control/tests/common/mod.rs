//! Models and plans that tests share.
#![allow(dead_code, clippy::unwrap_used, clippy::expect_used)]

use nalgebra::Rotation3;
use percussion_control::guess::Waypoint;
use percussion_control::plan::{Actuator, Avoidance, BoundaryState, Plan, PlannedContact};
use percussion_control::solution::Outcome;
use percussion_control::{Guess, Options, PlanSolution, solve};
use percussion_geometry::shapes::{HalfSpace, Polytope, Solid};
use percussion_geometry::{Pose, Vec3};
use percussion_mechanics::contact::ContactSpec;
use percussion_mechanics::discrete::Control;
use percussion_mechanics::force::Axes;
use percussion_mechanics::schemes::SchemeKind;
use percussion_mechanics::{Body, Model, ModelBuilder, State};
use percussion_solve::nlp::{Bound, CallbackAction};
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
        .map(|(control, what)| Actuator::new(format!("{what} on {name}"), control, island, Bound::FREE))
        .to_vec()
}

/// A control along a degree of freedom of the first island.
pub fn motor(dof: usize, bound: Bound) -> Actuator {
    Actuator::new(format!("motor {dof}"), Control::Dof(dof), 0, bound)
}

/// From a state, at rest or as it moves, to anywhere; no conditions, with control effort as the objective.
pub fn plain(model: &Arc<Model>, state: &State, intervals: usize, step: f64) -> Plan {
    Plan::new(model.clone(), state.clone(), intervals, step)
}

/// From one state to another, at rest or as they move.
pub fn from_to(model: &Arc<Model>, start: &State, end: State, intervals: usize, step: f64) -> Plan {
    Plan { end: BoundaryState::given(model, end), ..plain(model, start, intervals, step) }
}

/// A path by free motion with detection of collisions.
pub const FREE_MOTION: Guess = Guess::FreeMotion { scheme: SchemeKind::Exact };

/// The optimal solution of a plan.
pub fn solved(plan: &Plan, guess: &Guess) -> PlanSolution {
    let found = solve(plan, guess, &Options::default(), &mut |_| CallbackAction::Continue).unwrap();
    let PlanSolution { objective, clearance, violation, rounds, iterations, .. } = &found;
    println!(
        "J {objective:.6e}, clearance {clearance:.3e}, violation {violation:.1e}, {rounds} rounds, {iterations} iterations"
    );
    assert_eq!(found.outcome, Outcome::Optimal);
    assert!(found.violation < 1e-9, "{:e}", found.violation);
    found
}

/// A cube that must pass a block of some edges, from x = -0.4 to x = 0.4 in a second, and is led past it at a height.
pub fn around(
    intervals: usize,
    turn: Vec3,
    block: [f64; 3],
    [block_y, pass_y, end_y]: [f64; 3],
) -> (Plan, Guess) {
    let placed = |x: f64, y: f64| {
        let mut builder = ModelBuilder::new();
        let pose = Pose::new(Rotation3::from_scaled_axis(turn), Vec3::new(x, y, 0.0));
        builder.body(cube("runner", 0.1), pose);
        let block = Solid::Polytope(Polytope::cuboid(block[0], block[1], block[2]).unwrap());
        let at = Pose::at(Vec3::new(0.0, block_y, 0.0));
        builder.body(Body::fixed("block").with_shape(block, Pose::identity()), at);
        build(builder)
    };
    let (model, start) = placed(-0.4, 0.0);
    let ((_, pass), (_, end)) = (placed(0.0, pass_y), placed(0.4, end_y));
    let mut plan = from_to(&model, &start, end.clone(), intervals, 1.0 / intervals as f64);
    plan.time_bounds.total = Bound::equal(1.0);
    plan.actuators = thrusters(&model, 0);
    plan.avoidance = Some(Avoidance { margin: 0.0, pairs: None });
    let points = vec![Waypoint { at: 0.5, state: pass }, Waypoint { at: 1.0, state: end }];
    (plan, Guess::Waypoints(points))
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
    let mut plan = from_to(&model, &start, end, intervals, time / intervals as f64);
    plan.time_bounds.total = Bound::equal(time);
    plan.actuators = thrusters(&model, 0);
    plan
}

/// A cube that must hit a wall to come back, at a planned node.
pub fn wall_plan(node: usize) -> Plan {
    hit_wall(30, node, [0.11, 0.18], Vec3::new(0.0, 0.2, 0.02), [0.02, 0.01])
}

/// The same with the figures of the scene `cube-wall`: weaker, and tilted about both axes.
pub fn cube_wall(intervals: usize, node: usize) -> Plan {
    hit_wall(intervals, node, [0.10425, 0.18325], Vec3::new(0.037, 0.2, 0.037), [0.002, 0.001])
}

/// From one distance from the wall to another, m, from a rotation vector to none, with greatest force, N, and torque, N m.
fn hit_wall(intervals: usize, node: usize, distances: [f64; 2], turn: Vec3, greatest: [f64; 2]) -> Plan {
    let place = |position: Vec3, turn: Vec3, velocity: Vec3| {
        let mut builder = ModelBuilder::new();
        let body = builder.body(cube("cube", 0.1), Pose::new(Rotation3::from_scaled_axis(turn), position));
        builder.velocity(body, velocity, Vec3::zeros());
        builder.body(wall(Vec3::y()), Pose::identity());
        build(builder)
    };
    let (model, state) = place(Vec3::new(0.0, distances[0], 0.0), turn, Vec3::new(0.0, -0.25, 0.0));
    let (_, end) = place(Vec3::new(0.0, distances[1], 0.0), Vec3::zeros(), Vec3::new(0.0, 0.25, 0.0));
    let mut plan = from_to(&model, &state, end, intervals, 0.75 / intervals as f64);
    plan.actuators = thrusters(&model, 0);
    for (actuator, most) in plan.actuators.iter_mut().zip(greatest) {
        actuator.bounds = vec![Bound::between(-most, most); 3];
    }
    plan.avoidance = Some(Avoidance { margin: 0.0, pairs: None });
    plan.contacts = vec![PlannedContact { flat: true, ..PlannedContact::new("the hit", node, (0, 1)) }];
    plan
}
