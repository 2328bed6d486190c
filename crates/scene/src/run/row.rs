//! What of a run is kept: the arrays of `trajectory.npz`.
//!
//! | array | shape | |
//! |---|---|---|
//! | `time` | (n) | s |
//! | `position`, `velocity` | (n, b, 3) | of the bodies' own origins, world axes; of driven bodies as prescribed |
//! | `rotation` | (n, b, 3, 3) | `x_world = rotation x_body + position` |
//! | `angular_velocity` | (n, b, 3) | world axes |
//! | `energy` | (n, 7) | columns named by `energy_names` |
//! | `linear_momentum`, `angular_momentum`, `angular_momentum_centre` | (n, 3) | of everything that moves; scene_info the origin, scene_info the common centre of mass |
//! | `momentum_error` | (n, 2) | size of the linear and angular momentum that no cause explains so far |
//! | `constraint` | (n, 3) | columns named by `constraint_names` |
//! | `coordinate` | (n, c) | joint coordinates, named by `coordinate_names` |
//! | `overlap`, `step_piece` | (n) | extremes over the steps since the row before; only of a model with contact |
//! | `infeasibility`, `contacts`, `solver`, `solver_iterations`, `solver_residual`, `solver_converged` | (n) | of complementarity problems: the worst since the row before; `contacts` and `solver` (a place in `solver_names`) of the last step |
//! | `cause_energy` | (n, k) | what every cause has brought so far, named by `cause_names` |
//! | `cause_linear_momentum`, `cause_angular_momentum` | (n, k, 3) | likewise; angular scene_info the origin |
//! | `controls` | (n, m) | of a plan: efforts in `control_units`, from a row to the next, named by `control_names`, within `control_bounds` (m, 2); the last row repeats the one before it |
//! | `momentum_consistency` | (n, 6) | of a plan: linear and angular momentum scene_info the origin that nothing explains in the interval before a row |
//! | `reduced_momentum` | (n, f) | of a plan: along the degrees of freedom, after what happens at a row |
//! | `clearance`, `clearance_between` | (n, p) | of a plan: least separation of two bodies, named by `clearance_names`, that keep `clearance_margins` apart, at a row and from it to the next |
//! | `search` | (i, 4) | of a plan: its iterations, columns named by `search_names` |
//! | `bodies`, `mass`, `centre_of_mass`, `inertia` | (b), (b), (b, 3), (b, 3, 3) | own axes; inertia scene_info the centre of mass; zero for fixed bodies |

use super::complementarity::{ARRAYS, SOLVER_NAMES};
use super::extremes::RowExtremes;
use super::npz::Array;
use super::sources::{self, SourceRow};
use super::writer::Column;
use nalgebra::Matrix3;
use percussion_geometry::Vec3;
use percussion_mechanics::joint::motion::{angular, linear};
use percussion_mechanics::{Ledger, Model, State};

/// Columns of `energy`.
pub const ENERGY_NAMES: [&str; 7] =
    ["kinetic", "potential", "total", "discrete", "work", "error", "hamiltonian"];
/// Columns of `constraint`.
pub const CONSTRAINT_NAMES: [&str; 3] = ["position", "velocity", "hidden"];

/// The arrays that grow with the run; `stepping` with complementarity problems.
pub fn columns(model: &Model, stepping: bool) -> Vec<Column> {
    let b = model.bodies.len();
    let column = |name, shape: &[usize]| Column { name, shape: shape.to_vec() };
    let mut all = vec![
        column("time", &[]),
        column("position", &[b, 3]),
        column("rotation", &[b, 3, 3]),
        column("velocity", &[b, 3]),
        column("angular_velocity", &[b, 3]),
        column("energy", &[ENERGY_NAMES.len()]),
        column("linear_momentum", &[3]),
        column("angular_momentum", &[3]),
        column("angular_momentum_centre", &[3]),
        column("momentum_error", &[2]),
        column("constraint", &[CONSTRAINT_NAMES.len()]),
        column("coordinate", &[model.coordinates]),
    ];
    // Zeros where nothing was measured would be taken for measurements.
    if model.contacts.is_some() {
        all.extend([column("overlap", &[]), column("step_piece", &[])]);
    }
    if stepping {
        all.extend(ARRAYS.map(|name| column(name, &[])));
    }
    let k = sources::names(model).len();
    all.extend([
        column("cause_energy", &[k]),
        column("cause_linear_momentum", &[k, 3]),
        column("cause_angular_momentum", &[k, 3]),
    ]);
    all
}

/// The arrays that do not.
pub fn fixed(model: &Model) -> Vec<(&'static str, Array)> {
    let b = model.bodies.len();
    let names: Vec<&str> = model.bodies.iter().map(|body| body.name.as_str()).collect();
    let masses: Vec<f64> = model.bodies.iter().map(|body| body.mass).collect();
    let centres: Vec<f64> = model.bodies.iter().flat_map(|body| own(&body.principal.position)).collect();
    let inertias: Vec<f64> = model
        .bodies
        .iter()
        .flat_map(|body| {
            let axes = body.principal.rotation.matrix();
            rows(&(axes * Matrix3::from_diagonal(&body.inertia) * axes.transpose()))
        })
        .collect();
    vec![
        ("bodies", Array::texts(&names)),
        ("mass", Array::floats(&[b], &masses)),
        ("centre_of_mass", Array::floats(&[b, 3], &centres)),
        ("inertia", Array::floats(&[b, 3, 3], &inertias)),
        ("energy_names", Array::texts(&ENERGY_NAMES)),
        ("constraint_names", Array::texts(&CONSTRAINT_NAMES)),
        ("coordinate_names", Array::texts(&coordinate_names(model))),
        ("solver_names", Array::texts(&SOLVER_NAMES)),
        ("cause_names", Array::texts(&sources::names(model))),
    ]
}

/// `joint` where a joint keeps one coordinate, `joint.0`, `joint.1`, ... where it keeps more.
fn coordinate_names(model: &Model) -> Vec<String> {
    let mut names = Vec::with_capacity(model.coordinates);
    for link in &model.links {
        match link.joint.coordinates() {
            1 => names.push(link.joint.name.clone()),
            n => names.extend((0..n).map(|i| format!("{}.{i}", link.joint.name))),
        }
    }
    names
}

/// What belongs to a step, not to an instant: `E_d` of the step that led here, and `H_d` and the violation of the hidden
/// constraints at its beginning.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StepFigures {
    /// J
    pub discrete_energy: f64,
    /// J
    pub hamiltonian: f64,
    /// m/s or 1/s
    pub hidden: f64,
}

/// A row of all growing arrays, made anew in the same memory at each instant that is kept.
#[derive(Debug)]
pub struct TrajectoryRow {
    position: Vec<f64>,
    rotation: Vec<f64>,
    velocity: Vec<f64>,
    angular_velocity: Vec<f64>,
    small: [f64; 22],
    coordinate: Vec<f64>,
    /// Only of a model with contact.
    since: Option<[f64; 2]>,
    /// Only of a scheme with complementarity problems.
    steps: Option<[f64; 6]>,
    causes: SourceRow,
}

impl TrajectoryRow {
    /// For the states of a model.
    pub fn new(model: &Model, stepping: bool) -> Self {
        Self {
            position: Vec::new(),
            rotation: Vec::new(),
            velocity: Vec::new(),
            angular_velocity: Vec::new(),
            small: [0.0; 22],
            coordinate: Vec::new(),
            since: model.contacts.as_ref().map(|_| [0.0; 2]),
            steps: stepping.then_some([0.0; 6]),
            causes: SourceRow::new(model),
        }
    }

    /// Fills in the present instant, which the ledger has measured, given the figures of the step that led to it and of all since
    /// the last row.
    pub fn fill(
        &mut self,
        model: &Model,
        state: &State,
        ledger: &Ledger,
        step: &StepFigures,
        since: &RowExtremes,
    ) {
        for list in [&mut self.position, &mut self.rotation, &mut self.velocity, &mut self.angular_velocity] {
            list.clear();
        }
        for (body, slot) in model.slots.iter().enumerate() {
            let pose = model.pose(state, body);
            let (v, w) = match slot {
                None => model.driven(body).map_or((Vec3::zeros(), Vec3::zeros()), |motion| {
                    let twist = motion.twist(state.time);
                    (twist.velocity(&pose.position), twist.angular)
                }),
                Some(slot) => {
                    let (twist, centre) = (&ledger.twists()[*slot], &state.positions[*slot]);
                    let w = angular(twist);
                    (linear(twist) + w.cross(&(pose.position - centre)), w)
                }
            };
            self.position.extend(own(&pose.position));
            self.rotation.extend(rows(pose.rotation.matrix()));
            self.velocity.extend(own(&v));
            self.angular_velocity.extend(own(&w));
        }
        self.coordinate.clone_from(&state.coordinates);
        let measure = ledger.latest();
        let (initial, total) = (ledger.initial().energy(), measure.energy());
        // The sum of nothing is -0.
        let work = ledger.work() + 0.0;
        let error = total - initial - work;
        let StepFigures { discrete_energy, hamiltonian, hidden } = *step;
        let energies = [measure.kinetic, measure.potential, total, discrete_energy, work, error, hamiltonian];
        let vectors = [measure.linear, measure.angular, measure.angular_about_centre()];
        let scheme = ledger.causes().iter().find(|cause| cause.name == "scheme");
        let errors = scheme.map_or([0.0; 2], |cause| [cause.linear.norm(), cause.angular.norm()]);
        let violations = [measure.position_violation, measure.velocity_violation, hidden];
        let all = std::iter::once(state.time)
            .chain(energies)
            .chain(vectors.iter().flat_map(own))
            .chain(errors)
            .chain(violations);
        self.small.iter_mut().zip(all).for_each(|(to, from)| *to = from);
        if let Some(kept) = &mut self.since {
            *kept = [since.overlap, since.piece];
        }
        if let Some(kept) = &mut self.steps {
            *kept = since.steps.numbers();
        }
        self.causes.fill(ledger);
    }

    /// In the order of [`columns`].
    pub fn slices(&self) -> impl Iterator<Item = &[f64]> + Clone {
        let s = &self.small;
        let always: [&[f64]; 12] = [
            &s[..1],
            &self.position,
            &self.rotation,
            &self.velocity,
            &self.angular_velocity,
            &s[1..8],
            &s[8..11],
            &s[11..14],
            &s[14..17],
            &s[17..19],
            &s[19..22],
            &self.coordinate,
        ];
        let since = self.since.iter().flat_map(|kept| kept.chunks(1));
        let steps = self.steps.iter().flat_map(|kept| kept.chunks(1));
        always.into_iter().chain(since).chain(steps).chain(self.causes.slices())
    }
}

fn own(v: &Vec3) -> [f64; 3] {
    [v.x, v.y, v.z]
}

/// Entries row by row, as NumPy keeps them.
pub(super) fn rows(m: &Matrix3<f64>) -> [f64; 9] {
    std::array::from_fn(|i| m[(i / 3, i % 3)])
}
