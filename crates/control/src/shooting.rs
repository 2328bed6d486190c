//! Shooting: initial conditions such that a simulation ends as asked, by Newton's method with the collision integrator inside
//! [Pekarek, the method of shooting].
//!
//! ```text
//! u        some displacements and rates of the freedoms at the start, and the time
//! r(u)     measures of the last state less their targets
//! repeat   J by central differences,  (JᵀJ + λ D) d = -Jᵀ r,  u + d if |r| falls, a larger λ if not
//! ```
//!
//! A trajectory that hits one wall more is another function: steps across such a change are refused like all that do not reduce the
//! residual, and the answer tells how many impacts there were.

use crate::kinematics::Stance;
use crate::plan::Measure;
use nalgebra::{DMatrix, DVector};
use percussion_mechanics::discrete::displace;
use percussion_mechanics::joint::motion::Vec6;
use percussion_mechanics::schemes::{Options as SchemeOptions, by_name};
use percussion_mechanics::{Model, State};
use thiserror::Error;

/// What may be chosen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unknown {
    /// A displacement of a freedom from where it stands.
    Place(usize),
    /// The rate of a freedom.
    Rate(usize),
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
    /// The scheme's name.
    pub scheme: &'a str,
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
}

/// A shot that was found.
#[derive(Clone, Debug)]
pub struct Hit {
    /// The first state.
    pub start: State,
    /// The last one.
    pub end: State,
    /// The time, s.
    pub time: f64,
    /// What was chosen, in the order of the unknowns.
    pub chosen: Vec<f64>,
    /// The greatest residual after each iteration; the first is that of the start.
    pub residuals: Vec<f64>,
    /// Impacts on the way.
    pub impacts: usize,
}

/// Why there is none.
#[derive(Clone, Debug, Error)]
pub enum ShootingError {
    /// A simulation failed at the very start.
    #[error("the first shot cannot be simulated: {0}")]
    Simulation(String),
    /// Fewer unknowns than aims.
    #[error(
        "{aims} numbers are asked of the last state, but only {unknowns} may be chosen; ask less or choose more"
    )]
    TooFew {
        /// Numbers asked.
        aims: usize,
        /// Numbers to choose.
        unknowns: usize,
    },
    /// No step reduces the residual.
    #[error(
        "no step reduces the residual of {residual:.3e} any more after {iterations} iterations and {impacts} impacts; begin nearer"
    )]
    Stuck {
        /// The residual.
        residual: f64,
        /// Iterations made.
        iterations: usize,
        /// Impacts of the last trajectory.
        impacts: usize,
    },
}

/// Residual at which an aim is met.
const MET: f64 = 1e-10;
/// Steps of differences.
const STEP: f64 = 1e-6;
/// Most iterations.
const MOST: usize = 60;

impl Shot<'_> {
    /// Finds what to choose.
    pub fn solve(&self) -> Result<Hit, ShootingError> {
        let mut u = self.first();
        let aims = self.asked();
        if aims > u.len() {
            return Err(ShootingError::TooFew { aims, unknowns: u.len() });
        }
        let mut here = self.fly(&u).map_err(ShootingError::Simulation)?;
        let mut residuals = vec![here.residual.amax()];
        let mut damping = 0.0;
        for iteration in 0..MOST {
            if here.residual.amax() < MET {
                break;
            }
            let slope = self.slope(&u, &here);
            let stuck = ShootingError::Stuck {
                residual: here.residual.amax(),
                iterations: iteration,
                impacts: here.impacts,
            };
            let Some((next, there)) = self.step(&u, &here, &slope, &mut damping) else { return Err(stuck) };
            (u, here) = (next, there);
            residuals.push(here.residual.amax());
        }
        if !(here.residual.amax() < MET) {
            let residual = here.residual.amax();
            return Err(ShootingError::Stuck { residual, iterations: MOST, impacts: here.impacts });
        }
        let (start, time) = self.begin(&u);
        let chosen = u.iter().copied().collect();
        Ok(Hit { start, end: here.end, time, chosen, residuals, impacts: here.impacts })
    }

    /// A damped step that reduces the residual; less damping after a good one.
    fn step(
        &self,
        u: &DVector<f64>,
        here: &Flight,
        slope: &DMatrix<f64>,
        damping: &mut f64,
    ) -> Option<(DVector<f64>, Flight)> {
        for _ in 0..40 {
            let mut normal = slope.transpose() * slope;
            for i in 0..normal.nrows() {
                let own = normal[(i, i)].max(f64::MIN_POSITIVE);
                normal[(i, i)] += (*damping).max(1e-15) * own;
            }
            let right = -slope.transpose() * &here.residual;
            if let Some(d) = normal.cholesky().map(|factors| factors.solve(&right)) {
                let next = u + d;
                if let Ok(there) = self.fly(&next)
                    && there.residual.norm() < here.residual.norm()
                {
                    *damping = if *damping < 1e-9 { 0.0 } else { *damping * 0.1 };
                    return Some((next, there));
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
            Unknown::Rate(freedom) => rates[*freedom],
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
        let mut place = vec![0.0; self.model.freedoms];
        let mut rates = self.model.rates(self.start);
        let mut time = self.time;
        for (unknown, value) in self.unknowns.iter().zip(u.iter()) {
            match unknown {
                Unknown::Place(freedom) => place[*freedom] = *value,
                Unknown::Rate(freedom) => rates[*freedom] = *value,
                Unknown::Time => time = *value,
            }
        }
        let mut state = self.start.clone();
        for island in &self.model.islands {
            displace(self.model, island, self.start, &place[island.freedoms.clone()], &mut state);
        }
        for island in &self.model.islands {
            let system = self.model.mass_system(&state, island.bodies.clone());
            let count = island.bodies.len();
            let (mut twists, mut wrenches) = (vec![Vec6::zeros(); count], vec![Vec6::zeros(); count]);
            let mut momenta = vec![0.0; island.freedoms.len()];
            system.multiply(
                &rates[island.freedoms.clone()],
                &mut twists,
                &mut wrenches,
                &mut momenta,
                |_, _| (),
            );
            state.momenta[island.freedoms.clone()].copy_from_slice(&momenta);
        }
        (state, time)
    }

    fn fly(&self, u: &DVector<f64>) -> Result<Flight, String> {
        let (mut state, time) = self.begin(u);
        if !(time > 0.0 && time.is_finite()) {
            return Err(format!("the time is {time} s"));
        }
        let h = time / self.steps as f64;
        let mut scheme =
            by_name(self.scheme, self.model, &state, &self.options).map_err(|e| e.to_string())?;
        let mut impacts = 0;
        for _ in 0..self.steps {
            scheme.step(self.model, &mut state, h).map_err(|e| e.to_string())?;
            impacts += scheme.transcript().map_or(0, |t| t.impacts.len());
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
