//! The arrays of `trajectory.npz`, and the row that is added to them at an instant.
//!
//! | array | shape | |
//! |---|---|---|
//! | `time` | (n) | s |
//! | `position`, `velocity` | (n, b, 3) | of the origins of the body frames, world axes; of driven bodies as prescribed |
//! | `rotation` | (n, b, 3, 3) | `x_world = rotation x_body + position` |
//! | `angular_velocity` | (n, b, 3) | world axes |
//! | `energy` | (n, 7) | columns named by `energy_names` |
//! | `linear_momentum`, `angular_momentum`, `angular_momentum_centre` | (n, 3) | of all moving bodies; about the origin, about the common centre of mass |
//! | `momentum_error` | (n, 2) | norms of the unaccounted linear and angular momentum so far |
//! | `constraint` | (n, 3) | columns named by `constraint_names` |
//! | `coordinate` | (n, c) | joint coordinates, named by `coordinate_names` |
//! | `penetration`, `substep_min` | (n) | largest penetration, m, and smallest substep, s, over the steps since the previous row; only of a model with contact |
//! | `infeasibility`, `contacts`, `solver`, `solver_iterations`, `solver_residual`, `solver_converged` | (n) | of complementarity problems: the worst since the previous row; `contacts` and `solver` (an index into `solver_names`) of the last step |
//! | `source_energy` | (n, k) | contribution of each source so far, named by `source_names` |
//! | `source_linear_momentum`, `source_angular_momentum` | (n, k, 3) | likewise; angular about the origin |
//! | `controls` | (n, m) | of a plan: control inputs in `control_units`, from a row to the next, named by `control_names`, within `control_bounds` (m, 2); the last row repeats the one before it |
//! | `momentum_consistency` | (n, 6) | of a plan: unaccounted linear and angular momentum about the origin in the interval before a row |
//! | `reduced_momentum` | (n, f) | of a plan: along the degrees of freedom, after the impacts at a row |
//! | `clearance`, `clearance_between` | (n, p) | of a plan: smallest separation of pairs named by `clearance_names`, whose margins are `clearance_margins`, at a row and from it to the next |
//! | `search` | (i, 4) | of a plan: iterations of the optimiser, columns named by `search_names` |
//! | `bodies`, `mass`, `centre_of_mass`, `inertia` | (b), (b), (b, 3), (b, 3, 3) | in the body frame; inertia about the center of mass; zero for fixed bodies |

use super::complementarity::{ARRAYS, SOLVER_NAMES};
use super::extremes::RowExtremes;
use super::npz::Array;
use super::sources::{self, Contributions};
use super::writer::{GrowingArray, Row};
use nalgebra::Matrix3;
use percussion_geometry::Vec3;
use percussion_mechanics::spatial::{angular, linear};
use percussion_mechanics::{Ledger, Model, State};

/// Columns of `energy`.
pub const ENERGY_NAMES: [&str; 7] =
    ["kinetic", "potential", "total", "discrete", "work", "error", "hamiltonian"];
/// Columns of `constraint`.
pub const CONSTRAINT_NAMES: [&str; 3] = ["position", "velocity", "hidden"];

/// The arrays that grow with the run; `complementarity` adds those of complementarity problems.
pub fn growing_arrays(model: &Model, complementarity: bool) -> Vec<GrowingArray> {
    let b = model.bodies.len();
    let array = |name, shape: &[usize]| GrowingArray { name, shape: shape.to_vec() };
    let mut all = vec![
        array("time", &[]),
        array("position", &[b, 3]),
        array("rotation", &[b, 3, 3]),
        array("velocity", &[b, 3]),
        array("angular_velocity", &[b, 3]),
        array("energy", &[ENERGY_NAMES.len()]),
        array("linear_momentum", &[3]),
        array("angular_momentum", &[3]),
        array("angular_momentum_centre", &[3]),
        array("momentum_error", &[2]),
        array("constraint", &[CONSTRAINT_NAMES.len()]),
        array("coordinate", &[model.coordinates]),
    ];
    // Absent where nothing is measured: zeros would be taken for measurements.
    if model.contacts.is_some() {
        all.extend([array("penetration", &[]), array("substep_min", &[])]);
    }
    if complementarity {
        all.extend(ARRAYS.map(|name| array(name, &[])));
    }
    let k = sources::names(model).len();
    all.extend([
        array("source_energy", &[k]),
        array("source_linear_momentum", &[k, 3]),
        array("source_angular_momentum", &[k, 3]),
    ]);
    all
}

/// The arrays that do not grow.
pub fn constant_arrays(model: &Model) -> Vec<(&'static str, Array)> {
    let b = model.bodies.len();
    let names: Vec<&str> = model.bodies.iter().map(|body| body.name.as_str()).collect();
    let masses: Vec<f64> = model.bodies.iter().map(|body| body.mass).collect();
    let centers: Vec<f64> = model.bodies.iter().flat_map(|body| xyz(&body.principal.position)).collect();
    let inertias: Vec<f64> = model
        .bodies
        .iter()
        .flat_map(|body| {
            let axes = body.principal.rotation.matrix();
            row_major(&(axes * Matrix3::from_diagonal(&body.inertia) * axes.transpose()))
        })
        .collect();
    vec![
        ("bodies", Array::texts(&names)),
        ("mass", Array::floats(&[b], &masses)),
        ("centre_of_mass", Array::floats(&[b, 3], &centers)),
        ("inertia", Array::floats(&[b, 3, 3], &inertias)),
        ("energy_names", Array::texts(&ENERGY_NAMES)),
        ("constraint_names", Array::texts(&CONSTRAINT_NAMES)),
        ("coordinate_names", Array::texts(&coordinate_names(model))),
        ("solver_names", Array::texts(&SOLVER_NAMES)),
        ("source_names", Array::texts(&sources::names(model))),
    ]
}

/// `joint` for a joint with one coordinate, `joint.0`, `joint.1`, ... for a joint with more.
fn coordinate_names(model: &Model) -> Vec<String> {
    let mut names = Vec::with_capacity(model.coordinates);
    let closures = model.closures.iter().filter(|closure| closure.coordinate.is_some());
    for joint in model.links.iter().map(|link| &link.joint).chain(closures.map(|closure| &closure.joint)) {
        match joint.coordinates() {
            1 => names.push(joint.name.clone()),
            n => names.extend((0..n).map(|i| format!("{}.{i}", joint.name))),
        }
    }
    names
}

/// Figures of a step, not of an instant: `E_d` of the step that ends here, and `H_d` and the violation of the hidden
/// constraints at its beginning.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StepFigures {
    /// J
    pub discrete_energy: f64,
    /// J
    pub hamiltonian: f64,
    /// m/s or 1/s
    pub hidden_violation: f64,
}

/// Computes rows of the trajectory, with reusable memory.
#[derive(Debug)]
pub struct RowBuilder {
    row: Row,
    position: Vec<f64>,
    rotation: Vec<f64>,
    velocity: Vec<f64>,
    angular_velocity: Vec<f64>,
    contributions: Contributions,
}

impl RowBuilder {
    /// For the states of a model and some arrays.
    pub fn new(model: &Model, arrays: &[GrowingArray]) -> Self {
        Self {
            row: Row::new(arrays),
            position: Vec::new(),
            rotation: Vec::new(),
            velocity: Vec::new(),
            angular_velocity: Vec::new(),
            contributions: Contributions::new(model),
        }
    }

    /// Computes the row of the present state, which is the latest that the ledger recorded, with the figures of the step that led to it and
    /// the extremes since the previous row. Further arrays can be set in the row before it is written.
    pub fn build(
        &mut self,
        model: &Model,
        state: &State,
        ledger: &Ledger,
        step: &StepFigures,
        extremes: &RowExtremes,
    ) -> &mut Row {
        self.set_bodies(model, state, ledger);
        self.contributions.update(ledger);
        let row = &mut self.row;
        row.set("time", [state.time]);
        row.set("coordinate", state.coordinates.iter().copied());
        let measure = ledger.latest();
        let (initial, total) = (ledger.initial().energy(), measure.energy());
        // The sum of no terms is -0.
        let work = ledger.work() + 0.0;
        let error = total - initial - work;
        let StepFigures { discrete_energy, hamiltonian, hidden_violation } = *step;
        let energy = [measure.kinetic, measure.potential, total, discrete_energy, work, error, hamiltonian];
        row.set("energy", energy);
        row.set("linear_momentum", xyz(&measure.linear));
        row.set("angular_momentum", xyz(&measure.angular));
        row.set("angular_momentum_centre", xyz(&measure.angular_about_centre()));
        let scheme = ledger.sources().iter().find(|source| source.name == "scheme");
        row.set(
            "momentum_error",
            scheme.map_or([0.0; 2], |source| [source.linear.norm(), source.angular.norm()]),
        );
        row.set("constraint", [measure.position_violation, measure.velocity_violation, hidden_violation]);
        row.set("penetration", [extremes.penetration]);
        row.set("substep_min", [extremes.substep_min]);
        for (name, value) in extremes.complementarity.by_name() {
            row.set(name, [value]);
        }
        row.set("source_energy", self.contributions.energy.iter().copied());
        row.set("source_linear_momentum", self.contributions.linear_momentum.iter().copied());
        row.set("source_angular_momentum", self.contributions.angular_momentum.iter().copied());
        row
    }

    /// Positions, rotations and velocities of all bodies.
    fn set_bodies(&mut self, model: &Model, state: &State, ledger: &Ledger) {
        for list in [&mut self.position, &mut self.rotation, &mut self.velocity, &mut self.angular_velocity] {
            list.clear();
        }
        for (body, slot) in model.slots.iter().enumerate() {
            let pose = model.pose(state, body);
            let (v, w) = match slot {
                None => model.prescribed_motion(body).map_or((Vec3::zeros(), Vec3::zeros()), |motion| {
                    let twist = motion.twist(state.time);
                    (twist.velocity(&pose.position), twist.angular)
                }),
                Some(slot) => {
                    let (twist, center) = (&ledger.twists()[*slot], &state.positions[*slot]);
                    let w = angular(twist);
                    (linear(twist) + w.cross(&(pose.position - center)), w)
                }
            };
            self.position.extend(xyz(&pose.position));
            self.rotation.extend(row_major(pose.rotation.matrix()));
            self.velocity.extend(xyz(&v));
            self.angular_velocity.extend(xyz(&w));
        }
        self.row.set("position", self.position.iter().copied());
        self.row.set("rotation", self.rotation.iter().copied());
        self.row.set("velocity", self.velocity.iter().copied());
        self.row.set("angular_velocity", self.angular_velocity.iter().copied());
    }
}

fn xyz(v: &Vec3) -> [f64; 3] {
    [v.x, v.y, v.z]
}

/// Entries row by row, the order of NumPy.
pub(super) fn row_major(m: &Matrix3<f64>) -> [f64; 9] {
    std::array::from_fn(|i| m[(i / 3, i % 3)])
}
