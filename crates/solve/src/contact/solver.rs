//! The main loop: Newton steps while they reduce the residual, sweeps otherwise, until the residual is rounding or the budget is spent.

use super::newton::NewtonStep;
use super::sweep::sweep;
use super::{ContactLaw, ContactResidual, ContactStatus, ContactSystem, length};
use crate::tolerances::contact::solver::{
    DEGENERATE, FIRST_PROXIMAL, PROXIMAL_FALL, PROXIMAL_FEW, PROXIMAL_GROWTH, PROXIMAL_MANY, STAGNATION,
    UNBOUNDED,
};

/// Options of [`ContactSolver`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ContactSolverOptions {
    /// Residual at which a problem is solved, relative to the largest impulse.
    pub tolerance: f64,
    /// The same for problems of at most [`ContactSolverOptions::few`] contacts, which cost little: rounding.
    pub tolerance_few: f64,
    /// Number of contacts that are few.
    pub few: usize,
    /// Maximum number of Newton steps.
    pub newton_steps: usize,
    /// Maximum number of sweeps.
    pub sweeps: usize,
}

impl Default for ContactSolverOptions {
    fn default() -> Self {
        Self { tolerance: 1e-11, tolerance_few: 1e-14, few: 16, newton_steps: 60, sweeps: 200 }
    }
}

/// How a problem was solved.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ContactOutcome {
    /// Residual of the impulses.
    pub residual: ContactResidual,
    /// The largest impulse that the data suggest: residuals are relative to it.
    pub scale: f64,
    /// Whether the residual came below the tolerance.
    pub converged: bool,
    /// Newton steps.
    pub newton_steps: usize,
    /// Sweeps.
    pub sweeps: usize,
}

/// Sweeps after Newton steps that failed, at first; doubled with every failure.
const FIRST_SWEEPS: usize = 8;
/// Halvings of a Newton step.
const HALVINGS: usize = 4;

/// Newton steps on many contacts before the next sweeps.
const NEWTON_BATCH: usize = 10;
/// Merits of iterates, the largest of which the next must be below.
const MERITS: usize = 4;

/// Contacts up to which proximal iterations are made where Newton's method fails: they cost much.
const PROXIMAL_CONTACTS: usize = 64;
/// Their number.
const PROXIMAL_ROUNDS: usize = 40;
/// Iterations on many contacts in a row that do not halve the residual, after which they end.
const PROXIMAL_STALLS: usize = 8;
/// Newton's method is tried again after some sweeps.
const PROXIMAL_TRIALS: usize = 5;
const PROXIMAL_SWEEPS: usize = 10;

/// Rounds with a new reference of the regularisation.
const ROUNDS: usize = 3;
/// The same for many contacts.
const ROUNDS_MANY: usize = 16;

/// `v = v0 + D x`.
fn set_velocities(v: &mut Vec<f64>, system: &ContactSystem, v0: &[f64], x: &[[f64; 3]]) {
    v.clear();
    v.extend_from_slice(v0);
    x.iter().enumerate().for_each(|(k, x)| system.add_impulse(k, x, 1.0, v));
}

/// Solver with its workspace.
#[derive(Clone, Debug, Default)]
pub struct ContactSolver {
    newton: NewtonStep,
    v: Vec<f64>,
    trial_v: Vec<f64>,
    trial: Vec<[f64; 3]>,
    full: Vec<[f64; 3]>,
    best: Vec<[f64; 3]>,
    best_residual: ContactResidual,
    /// Rounding of the normal velocities, in units of impulses: no residual is below it.
    rounding: f64,
    /// Impulses before a round.
    before: Vec<[f64; 3]>,
    /// Whether the problem is one of the proximal iterations, whose residual is not that of the problem itself.
    is_proximal: bool,
    /// Weights of the regularisation, and the last solution of proximal iterations.
    weights: Vec<f64>,
    last: Vec<[f64; 3]>,
}

impl ContactSolver {
    /// Solves for the impulses `x`, from their initial values; `v0` are the velocities without impulses.
    pub fn solve(
        &mut self,
        system: &mut ContactSystem,
        v0: &[f64],
        x: &mut [[f64; 3]],
        options: &ContactSolverOptions,
    ) -> ContactOutcome {
        // Few contacts share their load independently of the initial iterate; many start from the solution of the last step.
        let few = system.len() <= options.few;
        let (proximal, least_weight) = if few { (PROXIMAL_FEW, 0.0) } else { (PROXIMAL_MANY, PROXIMAL_MANY) };
        system.prepare(proximal, least_weight);
        let mut outcome = ContactOutcome::default();
        self.rounding = 0.0;
        for (k, x) in x.iter().enumerate() {
            let free = system.value(k, v0)[0].abs() * system.contacts[k].scale[0];
            outcome.scale = outcome.scale.max(x[0].abs()).max(free);
            let rounding = f64::EPSILON * system.normal_velocity_size(k, v0) * system.contacts[k].scale[0];
            self.rounding = self.rounding.max(rounding);
            if let ContactLaw::Tresca { radius } = system.contacts[k].law {
                outcome.scale = outcome.scale.max(radius);
            }
        }
        let regularised = system.contacts.iter().any(|contact| contact.weight > 0.0);
        let rounds = if few { ROUNDS } else { ROUNDS_MANY };
        let mut before = f64::INFINITY;
        for round in 0..if regularised { rounds } else { 1 } {
            if round > 0 || !few {
                system.contacts.iter_mut().zip(x.iter()).for_each(|(contact, x)| contact.reference = x[0]);
            }
            if round > 0 && !few {
                // What the regularisation has left of the violation.
                let left = ContactResidual::of(system, x, &self.v).max();
                let goal = outcome.scale * options.tolerance;
                if left <= goal {
                    break;
                }
                before = match left > 0.5 * before {
                    // With friction eigenvalues may be small or negative: the violation decreases slowly or grows.
                    true if left <= STAGNATION * goal || !system.lower_weights() => break,
                    true => f64::INFINITY,
                    false => left,
                };
            }
            let known = outcome;
            self.before.clear();
            self.before.extend_from_slice(x);
            self.solve_round(system, v0, x, options, &mut outcome);
            if !outcome.converged {
                if system.has_lower_weights() {
                    x.copy_from_slice(&self.before);
                    set_velocities(&mut self.v, system, v0, x);
                    outcome = ContactOutcome {
                        newton_steps: outcome.newton_steps,
                        sweeps: outcome.sweeps,
                        ..known
                    };
                }
                break;
            }
        }
        outcome
    }

    /// Newton steps and sweeps with the present references of the regularisation; leaves the best iterate.
    fn solve_round(
        &mut self,
        system: &mut ContactSystem,
        v0: &[f64],
        x: &mut [[f64; 3]],
        options: &ContactSolverOptions,
        outcome: &mut ContactOutcome,
    ) {
        let few = system.len() <= options.few;
        let tolerance = if few { options.tolerance_few } else { options.tolerance };
        let goal = f64::max(outcome.scale * tolerance, self.rounding);
        set_velocities(&mut self.v, system, v0, x);
        outcome.residual = ContactResidual::of(system, x, &self.v);
        self.best.clear();
        self.best.extend_from_slice(x);
        self.best_residual = outcome.residual;
        let mut batch = FIRST_SWEEPS;
        while outcome.residual.max() > goal {
            let progressed = self.newton_steps(system, v0, x, (goal, options), outcome);
            self.keep_best(x, outcome.residual);
            let spent = outcome.sweeps >= options.sweeps;
            if spent || progressed && self.best_residual.max() <= STAGNATION * goal {
                break;
            }
            for _ in 0..batch.min(options.sweeps - outcome.sweeps) {
                sweep(system, x, &mut self.v);
                outcome.sweeps += 1;
            }
            batch *= 2;
            outcome.residual = ContactResidual::of(system, x, &self.v);
            self.keep_best(x, outcome.residual);
        }
        if system.len() <= PROXIMAL_CONTACTS && self.best_residual.max() > STAGNATION * goal {
            self.is_proximal = true;
            self.proximal_rounds(system, v0, x, (goal, options), outcome);
            self.is_proximal = false;
        }
        x.copy_from_slice(&self.best);
        set_velocities(&mut self.v, system, v0, x);
        outcome.residual = self.best_residual;
        outcome.converged = self.best_residual.max() <= STAGNATION * goal;
    }

    /// Proximal iterations [Rockafellar 1976]: problems with `A + W`, `b - W x⁰`, which Newton's method solves from the last solution `x⁰`, with
    /// weights that fall where it does and grow where it does not. Each ends with Newton steps on the problem itself, whose regularisation has
    /// the last solution as its reference.
    fn proximal_rounds(
        &mut self,
        system: &mut ContactSystem,
        v0: &[f64],
        x: &mut [[f64; 3]],
        (goal, options): (f64, &ContactSolverOptions),
        outcome: &mut ContactOutcome,
    ) {
        let mut weights = std::mem::take(&mut self.weights);
        weights.clear();
        weights.extend(system.contacts.iter().map(|contact| contact.weight));
        let mut last = std::mem::take(&mut self.last);
        last.clone_from(&self.best);
        let mut relative = FIRST_PROXIMAL;
        let many = system.len() > options.few;
        let mut stalled = 0;
        self.best_residual = ContactResidual { normal: f64::INFINITY, friction: f64::INFINITY };
        let solved = |residual: &ContactResidual| residual.max() <= STAGNATION * goal;
        for _ in 0..PROXIMAL_ROUNDS {
            system.set_proximal(relative, &last);
            x.copy_from_slice(&last);
            set_velocities(&mut self.v, system, v0, x);
            let mut inner = ContactOutcome { residual: ContactResidual::of(system, x, &self.v), ..*outcome };
            for trial in 0..PROXIMAL_TRIALS {
                if trial > 0 {
                    (0..PROXIMAL_SWEEPS).for_each(|_| sweep(system, x, &mut self.v));
                    inner.residual = ContactResidual::of(system, x, &self.v);
                }
                inner.newton_steps = 0;
                self.newton_steps(system, v0, x, (goal, options), &mut inner);
                if solved(&inner.residual) {
                    break;
                }
            }
            if !solved(&inner.residual) {
                relative *= PROXIMAL_GROWTH;
                continue;
            }
            let largest = x.iter().flatten().fold(0.0f64, |most, x| most.max(x.abs()));
            if !(largest <= UNBOUNDED * outcome.scale) {
                break;
            }
            relative *= PROXIMAL_FALL;
            last.copy_from_slice(x);
            let before = self.best_residual.max();
            self.newton_rounds(system, v0, x, (&weights, goal, options), outcome);
            stalled = if self.best_residual.max() > 0.5 * before { stalled + 1 } else { 0 };
            if solved(&self.best_residual) || many && stalled > PROXIMAL_STALLS {
                break;
            }
        }
        system.end_proximal(&weights, &self.best);
        (self.weights, self.last) = (weights, last);
    }

    /// Newton steps on the problem itself, the last iterate as the reference of its regularisation; keeps the best iterate.
    fn newton_rounds(
        &mut self,
        system: &mut ContactSystem,
        v0: &[f64],
        x: &mut [[f64; 3]],
        (weights, goal, options): (&[f64], f64, &ContactSolverOptions),
        outcome: &ContactOutcome,
    ) {
        for _ in 0..ROUNDS {
            system.end_proximal(weights, x);
            set_velocities(&mut self.v, system, v0, x);
            let residual = ContactResidual::of(system, x, &self.v);
            self.keep_best(x, residual);
            let mut inner = ContactOutcome { residual, newton_steps: 0, ..*outcome };
            if residual.max() <= STAGNATION * goal
                || !self.newton_steps(system, v0, x, (goal, options), &mut inner)
            {
                break;
            }
        }
    }

    fn keep_best(&mut self, x: &[[f64; 3]], residual: ContactResidual) {
        if residual.max() < self.best_residual.max() {
            self.best_residual = residual;
            self.best.copy_from_slice(x);
        }
    }

    /// Newton steps as long as the residual falls. Whether one was made.
    fn newton_steps(
        &mut self,
        system: &ContactSystem,
        v0: &[f64],
        x: &mut [[f64; 3]],
        (goal, options): (f64, &ContactSolverOptions),
        outcome: &mut ContactOutcome,
    ) -> bool {
        let mut made = false;
        // Of many contacts the sum of squares is the merit function, which may grow for some steps (Grippo, Lampariello, Lucidi 1986).
        let many = system.len() > options.few;
        let mut merits = [ContactResidual::with_squares(system, x, &self.v).1; MERITS];
        let mut step = 0;
        while outcome.newton_steps < options.newton_steps
            && outcome.residual.max() > goal
            && !(many && step == NEWTON_BATCH)
        {
            self.newton.find_closed(system, x, &self.v, DEGENERATE * goal);
            if !self.newton.step(system, x, &mut self.full) {
                return made;
            }
            outcome.newton_steps += 1;
            made = true;
            let mut fraction = 1.0;
            let mut accepted = false;
            for _ in 0..=HALVINGS {
                self.trial.clear();
                let between = |(from, to): (&[f64; 3], &[f64; 3])| {
                    [0, 1, 2]
                        .map(|c| if fraction == 1.0 { to[c] } else { from[c] + fraction * (to[c] - from[c]) })
                };
                self.trial.extend(x.iter().zip(&self.full).map(between));
                set_velocities(&mut self.trial_v, system, v0, &self.trial);
                let (residual, squares) = ContactResidual::with_squares(system, &self.trial, &self.trial_v);
                let falls = match many {
                    true => squares < merits.iter().fold(0.0, |most: f64, merit| most.max(*merit)),
                    false => residual.max() < outcome.residual.max(),
                };
                if falls {
                    merits[step % MERITS] = squares;
                    step += 1;
                    x.copy_from_slice(&self.trial);
                    std::mem::swap(&mut self.v, &mut self.trial_v);
                    outcome.residual = residual;
                    accepted = true;
                    break;
                }
                fraction *= 0.5;
            }
            if !accepted {
                return made;
            }
            if many && !self.is_proximal {
                self.keep_best(x, outcome.residual);
            }
        }
        made
    }

    /// The velocities of the solution found last.
    pub fn velocities(&self) -> &[f64] {
        &self.v
    }

    /// Status of a contact at the solution found last, with its impulses.
    pub fn status(&self, system: &ContactSystem, contact: usize, x: &[f64; 3]) -> ContactStatus {
        let entry = &system.contacts[contact];
        let y = system.value(contact, &self.v);
        let normal = x[0] - entry.scale[0] * entry.regularised(x[0], &y);
        if let ContactLaw::Bounded { bound, .. } = entry.law {
            return if normal.abs() < bound { ContactStatus::Sticking } else { ContactStatus::Sliding };
        }
        let radius = entry.law.radius(normal);
        match entry.law {
            ContactLaw::Cone { .. } | ContactLaw::Sliding { .. } if !(normal > 0.0) => ContactStatus::Open,
            ContactLaw::Bounded { .. } | ContactLaw::Sliding { .. } => ContactStatus::Sliding,
            ContactLaw::Cone { .. } | ContactLaw::Tresca { .. } => {
                let z = length(&entry.tangential_step(x, &y));
                if z > radius { ContactStatus::Sliding } else { ContactStatus::Sticking }
            }
        }
    }
}
