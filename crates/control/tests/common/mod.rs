//! Models and plans that tests share.
#![allow(dead_code, clippy::unwrap_used, clippy::expect_used)]

use percussion_control::plan::{Actuator, Drive, Plan, Terminal, Times};
use percussion_geometry::shapes::{HalfSpace, Polytope, Solid};
use percussion_geometry::{Pose, Vec3};
use percussion_mechanics::contact::ContactSpec;
use percussion_mechanics::discrete::Control;
use percussion_mechanics::force::Axes;
use percussion_mechanics::{Body, Model, ModelBuilder, State};
use percussion_solve::nlp::Bound;
use std::sync::Arc;

/// A small linear congruential generator.
pub struct Random(pub u64);

impl Random {
    /// Uniform in [-1, 1).
    pub fn number(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        ((self.0 >> 11) as f64) / (1u64 << 53) as f64 * 2.0 - 1.0
    }
}

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

/// Builds with contact watched.
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

/// From a state, at rest or as it moves, to anywhere; nothing asked, nothing dear but effort.
pub fn plain(model: &Arc<Model>, state: &State, intervals: usize, step: f64) -> Plan {
    let islands = model.islands.len();
    let given = model.islands.iter().map(|i| Drive::Given(state.momenta[i.freedoms.clone()].to_vec()));
    let start = Terminal { state: state.clone(), fixed: vec![true; islands], drive: given.collect() };
    let end =
        Terminal { state: state.clone(), fixed: vec![false; islands], drive: vec![Drive::Free; islands] };
    Plan {
        model: model.clone(),
        intervals,
        step,
        actuators: Vec::new(),
        start,
        end,
        conditions: Vec::new(),
        effort: 1.0,
        time: 0.0,
        goals: Vec::new(),
        avoidance: None,
        meetings: Vec::new(),
        times: Times { scale: Bound::between(0.1, 10.0), total: Bound::equal(step * intervals as f64) },
    }
}
