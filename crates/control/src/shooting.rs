//! Shooting: initial conditions such that a simulation ends as asked, by Newton's method with the collision integrator inside
//! [Pekarek, the method of shooting].
//!
//! ```text
//! u        some displacements and rates of the degrees of freedom at the start, and the time
//! r(u)     measures of the last state less their targets
//! repeat   J by central differences,  (JᵀJ + λ D) d = -Jᵀ r,  u + d if |r| falls, a larger λ if not
//! ```
//!
//! A trajectory that hits one wall more is another function: where a number of impacts is asked for, steps to other numbers are refused;
//! otherwise only those that do not reduce the residual. The answer tells how many there were.

use crate::kinematics::Stance;
use crate::plan::Measure;
use nalgebra::{DMatrix, DVector};
use percussion_mechanics::discrete::displace;
use percussion_mechanics::schemes::{SchemeKind, SchemeOptions};
use percussion_mechanics::spatial::Vec6;
use percussion_mechanics::{Model, State};
use percussion_solve::nlp::CallbackAction;
use thiserror::Error;

/// A direction of length one among the degrees of freedom: which of them, and how much of each.
pub type Direction = Vec<(usize, f64)>;

/// What may be chosen.
#[derive(Clone, Debug, PartialEq)]
pub enum Unknown {
    /// A displacement along degrees of freedom from where they stand.
    Place(Direction),
    /// The rate along degrees of freedom.
    Rate(Direction),
    /// How long it takes.
    Time,
}

/// What is asked of the last state.
#[derive(Clone, Debug, PartialEq)]
pub enum Aim {
    /// Components of a measure have values; `None` leaves one free.
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

/// A shot.
#[derive(Clone, Debug)]
pub struct Shot<'a> {
    /// Bodies and forces.
    pub model: &'a Model,
    /// Where it begins, before anything is chosen.
    pub start: &'a State,
    /// The scheme.
    pub scheme: SchemeKind,
    /// What is chosen about it.
    pub options: SchemeOptions,
    /// Steps, whatever time they take.
    pub steps: usize,
    /// The time before it is chosen, s.
    pub time: f64,
    /// What may be chosen.
    pub unknowns: Vec<Unknown>,
    /// What is asked.
    pub aims: Vec<Aim>,
    /// How many impacts there are on the way; `None` for any number.
    pub impacts: Option<usize>,
    /// Most iterations.
    pub iterations: usize,
}

/// How a search ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ending {
    /// What is asked is met.
    Hit,
    /// No step reduces the residual.
    Stuck,
    /// Too many iterations.
    IterationLimit,
    /// Asked to stop.
    Stopped,
}

/// One iteration, told after its step; the first tells the start.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Round {
    /// Which iteration; zero is the start.
    pub iteration: usize,
    /// The greatest residual, in the units of what is asked.
    pub residual: f64,
    /// Greatest change of what is chosen.
    pub step: f64,
    /// Damping of the step, relative to the squares of the slopes.
    pub damping: f64,
    /// Shots that were tried for it.
    pub trials: usize,
    /// Impacts of the trajectory.
    pub impacts: usize,
    /// Its time, s.
    pub time: f64,
}

impl Round {
    /// Over the columns of [`Round::line`].
    pub fn heading() -> String {
        "iter  residual      step   damping  shots  impacts      time".to_owned()
    }

    /// The figures in a line.
    pub fn line(&self) -> String {
        format!(
            "{:>4}  {:>8.2e}  {:>8.2e}  {:>8.1e}  {:>5}  {:>7}  {:>8.6}",
            self.iteration, self.residual, self.step, self.damping, self.trials, self.impacts, self.time
        )
    }
}

/// The best shot that was found.
#[derive(Clone, Debug)]
pub struct Hit {
    /// How the search ended.
    pub ending: Ending,
    /// The first state.
    pub start: State,
    /// The last one.
    pub end: State,
    /// The time, s.
    pub time: f64,
    /// What the unknowns were at first, in their order.
    pub guessed: Vec<f64>,
    /// What was chosen.
    pub chosen: Vec<f64>,
    /// What is left of each number that was asked for, in the order of the aims.
    pub left: Vec<f64>,
    /// The greatest residual after each iteration; the first is that of the start.
    pub residuals: Vec<f64>,
    /// Impacts on the way.
    pub impacts: usize,
}

/// Why there can be none.
#[derive(Clone, Debug, Error)]
pub enum ShootingError {
    /// A simulation failed at the very start.
    #[error("the first shot cannot be simulated: {0}")]
    Simulation(String),
    /// As many numbers must be chosen as are asked for.
    #[error(
        "{aims} numbers are asked of the last state, and {unknowns} may be chosen: Newton's method needs as many of one as of the other"
    )]
    Uneven {
        /// Numbers asked.
        aims: usize,
        /// Numbers to choose.
        unknowns: usize,
    },
    /// The first shot has another number of impacts.
    #[error(
        "the first shot has {found} impacts on its way, but {asked} are asked for; begin with one that has as many, or do not ask"
    )]
    Impacts {
        /// Of the first shot.
        found: usize,
        /// Asked for.
        asked: usize,
    },
}

/// Residual at which an aim is met.
const MET: f64 = 1e-10;
/// Steps of differences.
const STEP: f64 = 1e-6;
/// Dampings that are tried in an iteration.
const TRIALS: usize = 40;

impl Shot<'_> {
    /// Finds what to choose; the watcher is told every iteration and may end the search.
    pub fn solve(&self, watch: &mut dyn FnMut(&Round) -> CallbackAction) -> Result<Hit, ShootingError> {
        let guessed = self.first();
        let aims = self.asked();
        if aims != guessed.len() {
            return Err(ShootingError::Uneven { aims, unknowns: guessed.len() });
        }
        let mut here = self.fly(&guessed).map_err(ShootingError::Simulation)?;
        if let Some(asked) = self.impacts.filter(|asked| *asked != here.impacts) {
            return Err(ShootingError::Impacts { found: here.impacts, asked });
        }
        let mut u = guessed.clone();
        let mut residuals = vec![here.residual.amax()];
        let mut damping = 0.0;
        let (mut step, mut trials) = (0.0, 1);
        let ending = loop {
            let iteration = residuals.len() - 1;
            let (residual, impacts, time) = (here.residual.amax(), here.impacts, self.begin(&u).1);
            let round = Round { iteration, residual, step, damping, trials, impacts, time };
            let told = watch(&round);
            match () {
                () if residual < MET => break Ending::Hit,
                () if told == CallbackAction::Stop => break Ending::Stopped,
                () if iteration == self.iterations => break Ending::IterationLimit,
                () => {}
            }
            let slope = self.slope(&u, &here);
            let Some((next, there, tried)) = self.step(&u, &here, &slope, &mut damping) else {
                break Ending::Stuck;
            };
            (step, trials) = ((&next - &u).amax(), tried + 2 * u.len());
            (u, here) = (next, there);
            residuals.push(here.residual.amax());
        };
        let (start, time) = self.begin(&u);
        let list = |v: &DVector<f64>| v.iter().copied().collect();
        Ok(Hit {
            ending,
            start,
            time,
            guessed: list(&guessed),
            chosen: list(&u),
            left: list(&here.residual),
            end: here.end,
            residuals,
            impacts: here.impacts,
        })
    }

    /// A damped step that reduces the residual, and how many were tried; less damping after a good one.
    fn step(
        &self,
        u: &DVector<f64>,
        here: &Flight,
        slope: &DMatrix<f64>,
        damping: &mut f64,
    ) -> Option<(DVector<f64>, Flight, usize)> {
        for tried in 1..=TRIALS {
            let mut normal = slope.transpose() * slope;
            for i in 0..normal.nrows() {
                let own = normal[(i, i)].max(f64::MIN_POSITIVE);
                normal[(i, i)] += *damping * own;
            }
            let right = -slope.transpose() * &here.residual;
            // Without damping the slopes themselves are solved with: their squares would lose half of the digits.
            let d = match *damping {
                0.0 => slope.clone().lu().solve(&-&here.residual),
                _ => normal.cholesky().map(|factors| factors.solve(&right)),
            };
            if let Some(d) = d {
                let next = u + d;
                if let Ok(there) = self.fly(&next)
                    && self.impacts.is_none_or(|asked| asked == there.impacts)
                    && there.residual.norm() < here.residual.norm()
                {
                    *damping = if *damping < 1e-9 { 0.0 } else { *damping * 0.1 };
                    return Some((next, there, tried));
                }
            }
            *damping = if *damping == 0.0 { 1e-6 } else { *damping * 10.0 };
        }
        None
    }

    fn slope(&self, u: &DVector<f64>, here: &Flight) -> DMatrix<f64> {
        let mut slope = DMatrix::zeros(here.residual.len(), u.len());
        for i in 0..u.len() {
            let mut shifted = u.clone();
            shifted[i] += STEP;
            let forward = self.fly(&shifted);
            shifted[i] = u[i] - STEP;
            let back = self.fly(&shifted);
            let column = match (forward, back) {
                (Ok(forward), Ok(back)) => (forward.residual - back.residual) / (2.0 * STEP),
                (Ok(forward), Err(_)) => (forward.residual - &here.residual) / STEP,
                (Err(_), Ok(back)) => (&here.residual - back.residual) / STEP,
                (Err(_), Err(_)) => continue,
            };
            slope.set_column(i, &column);
        }
        slope
    }

    /// What the unknowns are before they are chosen.
    fn first(&self) -> DVector<f64> {
        let rates = self.model.rates(self.start);
        let each = self.unknowns.iter().map(|unknown| match unknown {
            Unknown::Place(_) => 0.0,
            Unknown::Rate(along) => along.iter().map(|(dof, part)| part * rates[*dof]).sum(),
            Unknown::Time => self.time,
        });
        DVector::from_iterator(self.unknowns.len(), each)
    }

    fn asked(&self) -> usize {
        let each = self.aims.iter().map(|aim| match aim {
            Aim::Measure(_, values) => values.iter().flatten().count(),
            Aim::Heading { .. } => 1,
        });
        each.sum()
    }

    /// The first state and the time.
    fn begin(&self, u: &DVector<f64>) -> (State, f64) {
        let mut place = vec![0.0; self.model.dofs];
        let before = self.model.rates(self.start);
        let mut rates = before.clone();
        let mut time = self.time;
        for (unknown, value) in self.unknowns.iter().zip(u.iter()) {
            match unknown {
                Unknown::Place(along) => along.iter().for_each(|(i, part)| place[*i] += part * value),
                Unknown::Rate(along) => {
                    let more = value - along.iter().map(|(i, part)| part * before[*i]).sum::<f64>();
                    along.iter().for_each(|(i, part)| rates[*i] += part * more);
                }
                Unknown::Time => time = *value,
            }
        }
        let mut state = self.start.clone();
        for island in &self.model.islands {
            displace(self.model, island, self.start, &place[island.dofs.clone()], &mut state);
        }
        for island in &self.model.islands {
            let system = self.model.mass_system(&state, island.bodies.clone());
            let count = island.bodies.len();
            let (mut twists, mut wrenches) = (vec![Vec6::zeros(); count], vec![Vec6::zeros(); count]);
            let mut momenta = vec![0.0; island.dofs.len()];
            system.multiply(&rates[island.dofs.clone()], &mut twists, &mut wrenches, &mut momenta, |_, _| ());
            state.momenta[island.dofs.clone()].copy_from_slice(&momenta);
        }
        (state, time)
    }

    fn fly(&self, u: &DVector<f64>) -> Result<Flight, String> {
        let (mut state, time) = self.begin(u);
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
        Ok(Flight { residual: self.residual(&state), end: state, impacts })
    }

    fn residual(&self, state: &State) -> DVector<f64> {
        let stance = Stance::moving(self.model, state);
        let mut out = Vec::new();
        for aim in &self.aims {
            match aim {
                Aim::Measure(measure, values) => {
                    let mut found = [0.0; 3];
                    measure.value(&stance, &mut found[..measure.components()]);
                    let asked = found.iter().zip(values).filter_map(|(f, v)| v.map(|v| f - v));
                    out.extend(asked);
                }
                Aim::Heading { body, axes, angle } => {
                    let t = stance.twist(Some(*body));
                    let apart = t[axes.1].atan2(t[axes.0]) - angle;
                    out.push(apart.sin().atan2(apart.cos()));
                }
            }
        }
        DVector::from_vec(out)
    }
}

/// A trajectory's end.
struct Flight {
    residual: DVector<f64>,
    end: State,
    impacts: usize,
}
