//! Shooting: initial conditions for which a simulation satisfies targets at its end, by a damped Newton method with the collision integrator
//! inside [Pekarek, the method of shooting].
//!
//! ```text
//! u                 displacements and rates of degrees of freedom at the start, and the time
//! initial_state     the first state of u
//! simulate          the last state, the number of impacts, residuals r(u) of the targets
//! jacobian          J by central differences
//! damped_step       (JᵀJ + λ D) d = -Jᵀ r,  u + d if |r| decreases, a larger λ otherwise
//! ```
//!
//! A trajectory with another number of impacts is another function of u: where a number is prescribed, steps to other numbers are rejected.

use crate::plan::Measure;
use crate::tolerances::shooting::{EPSILON, MIN_DAMPINGS, TOLERANCE};
use nalgebra::{DMatrix, DVector};
use percussion_mechanics::discrete::displace;
use percussion_mechanics::kinematics::ConfigurationKinematics;
use percussion_mechanics::schemes::{SchemeKind, SchemeOptions};
use percussion_mechanics::spatial::Vec6;
use percussion_mechanics::{Model, State};
use percussion_solve::nlp::CallbackAction;
use thiserror::Error;

/// A unit direction in the degrees of freedom: their indices and components.
pub type Direction = Vec<(usize, f64)>;

/// An unknown.
#[derive(Clone, Debug, PartialEq)]
pub enum Unknown {
    /// A displacement along degrees of freedom from the start.
    Displacement(Direction),
    /// A rate along degrees of freedom.
    Rate(Direction),
    /// The time.
    Time,
}

/// A target for the last state.
#[derive(Clone, Debug, PartialEq)]
pub enum Target {
    /// Values of the components of a measure; `None` leaves one free.
    Measure(Measure, Vec<Option<f64>>),
    /// The direction of a body's velocity in the plane of two world axes: angle from the first to the second, rad.
    Heading {
        /// The body.
        body: usize,
        /// The two axes, 0 to 2.
        axes: (usize, usize),
        /// The angle, rad.
        angle: f64,
    },
}

/// A shooting problem.
#[derive(Clone, Debug)]
pub struct ShootingProblem<'a> {
    /// Bodies and forces.
    pub model: &'a Model,
    /// The start, before unknowns are set.
    pub start: &'a State,
    /// The scheme.
    pub scheme: SchemeKind,
    /// Its options.
    pub options: SchemeOptions,
    /// Number of steps, at any time.
    pub steps: usize,
    /// The time, if it is no unknown; otherwise its first value, s.
    pub time: f64,
    /// The unknowns.
    pub unknowns: Vec<Unknown>,
    /// The targets.
    pub targets: Vec<Target>,
    /// The number of impacts of the trajectory; `None` for any.
    pub impacts: Option<usize>,
    /// Most iterations.
    pub iterations: usize,
}

/// The outcome of a search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// All targets are satisfied.
    Converged,
    /// No step reduces the residual.
    Stalled,
    /// Too many iterations.
    IterationLimit,
    /// Interrupted by the caller.
    Interrupted,
}

/// An iteration, after its step; the first one is the start.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Iteration {
    /// Its number; zero is the start.
    pub iteration: usize,
    /// The maximum residual, in the units of the targets.
    pub residual: f64,
    /// Greatest change of an unknown.
    pub step: f64,
    /// Damping of the step, relative to the diagonal of JᵀJ.
    pub damping: f64,
    /// Simulations of the iteration.
    pub simulations: usize,
    /// Impacts of the trajectory.
    pub impacts: usize,
    /// Its time, s.
    pub time: f64,
}

impl Iteration {
    /// Headings of the columns of [`Iteration::line`].
    pub fn heading() -> String {
        "iter  residual      step   damping  simul  impacts      time".to_owned()
    }

    /// Its numbers in a line.
    pub fn line(&self) -> String {
        format!(
            "{:>4}  {:>8.2e}  {:>8.2e}  {:>8.1e}  {:>5}  {:>7}  {:>8.6}",
            self.iteration, self.residual, self.step, self.damping, self.simulations, self.impacts, self.time
        )
    }
}

/// The best trajectory that was found.
#[derive(Clone, Debug)]
pub struct ShootingSolution {
    /// The outcome of the search.
    pub outcome: Outcome,
    /// The first state.
    pub start: State,
    /// The last state.
    pub end: State,
    /// The time, s.
    pub time: f64,
    /// First values of the unknowns, in their order.
    pub initial_unknowns: Vec<f64>,
    /// Values of the unknowns.
    pub unknowns: Vec<f64>,
    /// Residuals of the targets, in their order.
    pub target_residuals: Vec<f64>,
    /// The maximum residual after each iteration; the first is that of the start.
    pub residuals: Vec<f64>,
    /// Impacts of the trajectory.
    pub impacts: usize,
}

/// Why a search cannot begin.
#[derive(Clone, Debug, Error)]
pub enum ShootingError {
    /// The simulation failed at the first values of the unknowns.
    #[error("the first trajectory cannot be simulated: {0}")]
    Simulation(String),
    /// The numbers of unknowns and targets differ.
    #[error(
        "there are {targets} numbers as targets and {unknowns} unknowns: Newton's method needs as many of one as of the other"
    )]
    Uneven {
        /// Numbers of all targets.
        targets: usize,
        /// Unknowns.
        unknowns: usize,
    },
    /// The first trajectory has another number of impacts.
    #[error(
        "the first trajectory has {found} impacts, but {prescribed} are prescribed; begin with one that has as many, or remove `impacts`"
    )]
    Impacts {
        /// Of the first trajectory.
        found: usize,
        /// Prescribed.
        prescribed: usize,
    },
}

/// Most dampings in an iteration.
const MAX_DAMPINGS: usize = 40;

/// The end of a simulation.
struct Simulated {
    residual: DVector<f64>,
    end: State,
    impacts: usize,
}

impl ShootingProblem<'_> {
    /// Solves for the unknowns; `watch` is called every iteration and may interrupt the search.
    pub fn solve(
        &self,
        watch: &mut dyn FnMut(&Iteration) -> CallbackAction,
    ) -> Result<ShootingSolution, ShootingError> {
        let initial = self.initial_unknowns();
        let targets = self.target_count();
        if targets != initial.len() {
            return Err(ShootingError::Uneven { targets, unknowns: initial.len() });
        }
        let mut here = self.simulate(&initial).map_err(ShootingError::Simulation)?;
        if let Some(prescribed) = self.impacts.filter(|prescribed| *prescribed != here.impacts) {
            return Err(ShootingError::Impacts { found: here.impacts, prescribed });
        }
        let mut u = initial.clone();
        let mut residuals = vec![here.residual.amax()];
        let mut damping = 0.0;
        let (mut step, mut simulations) = (0.0, 1);
        let outcome = loop {
            let iteration = residuals.len() - 1;
            let (residual, impacts, time) = (here.residual.amax(), here.impacts, self.initial_state(&u).1);
            let record = Iteration { iteration, residual, step, damping, simulations, impacts, time };
            let answer = watch(&record);
            match () {
                () if residual < TOLERANCE => break Outcome::Converged,
                () if answer == CallbackAction::Stop => break Outcome::Interrupted,
                () if iteration == self.iterations => break Outcome::IterationLimit,
                () => {}
            }
            let jacobian = self.jacobian(&u, &here);
            let Some((next, there, tried)) = self.damped_step(&u, &here, &jacobian, &mut damping) else {
                break Outcome::Stalled;
            };
            (step, simulations) = ((&next - &u).amax(), tried + 2 * u.len());
            (u, here) = (next, there);
            residuals.push(here.residual.amax());
        };
        let (start, time) = self.initial_state(&u);
        let list = |v: &DVector<f64>| v.iter().copied().collect();
        Ok(ShootingSolution {
            outcome,
            start,
            time,
            initial_unknowns: list(&initial),
            unknowns: list(&u),
            target_residuals: list(&here.residual),
            end: here.end,
            residuals,
            impacts: here.impacts,
        })
    }

    /// A damped step that reduces the residual, and the number of trials; less damping after a successful one.
    fn damped_step(
        &self,
        u: &DVector<f64>,
        here: &Simulated,
        jacobian: &DMatrix<f64>,
        damping: &mut f64,
    ) -> Option<(DVector<f64>, Simulated, usize)> {
        for tried in 1..=MAX_DAMPINGS {
            let mut normal = jacobian.transpose() * jacobian;
            for i in 0..normal.nrows() {
                let own = normal[(i, i)].max(f64::MIN_POSITIVE);
                normal[(i, i)] += *damping * own;
            }
            let right = -jacobian.transpose() * &here.residual;
            // Without damping J itself is factored: the normal equations would lose half of the digits.
            let d = match *damping {
                0.0 => jacobian.clone().lu().solve(&-&here.residual),
                _ => normal.cholesky().map(|factors| factors.solve(&right)),
            };
            if let Some(d) = d {
                let next = u + d;
                if let Ok(there) = self.simulate(&next)
                    && self.impacts.is_none_or(|prescribed| prescribed == there.impacts)
                    && there.residual.norm() < here.residual.norm()
                {
                    *damping = if *damping < MIN_DAMPINGS.1 { 0.0 } else { *damping * 0.1 };
                    return Some((next, there, tried));
                }
            }
            *damping = if *damping == 0.0 { MIN_DAMPINGS.0 } else { *damping * 10.0 };
        }
        None
    }

    /// The Jacobian of the residual by central differences; one-sided ones where a simulation fails.
    fn jacobian(&self, u: &DVector<f64>, here: &Simulated) -> DMatrix<f64> {
        let mut jacobian = DMatrix::zeros(here.residual.len(), u.len());
        for i in 0..u.len() {
            let mut shifted = u.clone();
            shifted[i] += EPSILON;
            let forward = self.simulate(&shifted);
            shifted[i] = u[i] - EPSILON;
            let back = self.simulate(&shifted);
            let column = match (forward, back) {
                (Ok(forward), Ok(back)) => (forward.residual - back.residual) / (2.0 * EPSILON),
                (Ok(forward), Err(_)) => (forward.residual - &here.residual) / EPSILON,
                (Err(_), Ok(back)) => (&here.residual - back.residual) / EPSILON,
                (Err(_), Err(_)) => continue,
            };
            jacobian.set_column(i, &column);
        }
        jacobian
    }

    /// First values of the unknowns.
    fn initial_unknowns(&self) -> DVector<f64> {
        let rates = self.model.rates(self.start);
        let each = self.unknowns.iter().map(|unknown| match unknown {
            Unknown::Displacement(_) => 0.0,
            Unknown::Rate(along) => along.iter().map(|(dof, part)| part * rates[*dof]).sum(),
            Unknown::Time => self.time,
        });
        DVector::from_iterator(self.unknowns.len(), each)
    }

    fn target_count(&self) -> usize {
        let each = self.targets.iter().map(|target| match target {
            Target::Measure(_, values) => values.iter().flatten().count(),
            Target::Heading { .. } => 1,
        });
        each.sum()
    }

    /// The first state and the time.
    fn initial_state(&self, u: &DVector<f64>) -> (State, f64) {
        let mut displacement = vec![0.0; self.model.dofs];
        let before = self.model.rates(self.start);
        let mut rates = before.clone();
        let mut time = self.time;
        for (unknown, value) in self.unknowns.iter().zip(u.iter()) {
            match unknown {
                Unknown::Displacement(along) => {
                    along.iter().for_each(|(i, part)| displacement[*i] += part * value)
                }
                Unknown::Rate(along) => {
                    let more = value - along.iter().map(|(i, part)| part * before[*i]).sum::<f64>();
                    along.iter().for_each(|(i, part)| rates[*i] += part * more);
                }
                Unknown::Time => time = *value,
            }
        }
        let mut state = self.start.clone();
        for island in &self.model.islands {
            displace(self.model, island, self.start, &displacement[island.dofs.clone()], &mut state);
            let system = self.model.mass_system(&state, island.bodies.clone());
            let count = island.bodies.len();
            let (mut twists, mut wrenches) = (vec![Vec6::zeros(); count], vec![Vec6::zeros(); count]);
            let mut momenta = vec![0.0; island.dofs.len()];
            system.multiply(&rates[island.dofs.clone()], &mut twists, &mut wrenches, &mut momenta, |_, _| ());
            state.momenta[island.dofs.clone()].copy_from_slice(&momenta);
        }
        (state, time)
    }

    fn simulate(&self, u: &DVector<f64>) -> Result<Simulated, String> {
        let (mut state, time) = self.initial_state(u);
        if !(time > 0.0 && time.is_finite()) {
            return Err(format!("the time is {time} s"));
        }
        let h = time / self.steps as f64;
        let mut scheme = self.scheme.build(self.model, &state, &self.options).map_err(|e| e.to_string())?;
        let mut impacts = 0;
        for _ in 0..self.steps {
            scheme.step(self.model, &mut state, h).map_err(|e| e.to_string())?;
            impacts += scheme.step_record().map_or(0, |t| t.impacts.len());
        }
        Ok(Simulated { residual: self.residual(&state), end: state, impacts })
    }

    /// Residuals of the targets at the last state.
    fn residual(&self, state: &State) -> DVector<f64> {
        let kinematics = ConfigurationKinematics::with_velocities(self.model, state);
        let mut out = Vec::new();
        for target in &self.targets {
            match target {
                Target::Measure(measure, values) => {
                    let mut found = [0.0; 3];
                    measure.value(&kinematics, &mut found[..measure.components()]);
                    let residuals = found.iter().zip(values).filter_map(|(f, v)| v.map(|v| f - v));
                    out.extend(residuals);
                }
                Target::Heading { body, axes, angle } => {
                    let t = kinematics.twist(Some(*body));
                    let difference = t[axes.1].atan2(t[axes.0]) - angle;
                    out.push(difference.sin().atan2(difference.cos()));
                }
            }
        }
        DVector::from_vec(out)
    }
}
