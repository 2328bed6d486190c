//! Laws of impact: how impulses at all spots change weighed momenta `u` [Johnson 3.5.4].
//!
//! ```text
//! sum          u ← u - (1+e) (g·u/g·g) g,   g = Σ ∇s_i, if g·u < 0                              [Johnson 3.109, 3.5.4]
//! moreau       v_i⁺ + e_i v_i⁻ ≥ 0  ⟂  λ_i ≥ 0      v_i = r_i·u,  u⁺ = u⁻ + Σ λ_i r_i          over all active events
//! sequential   the pair that closes fastest, by Moreau's law for it alone, until none closes
//! stop         points of contact come to a halt: `r·u⁺ = 0` across the normal too, `≥ 0` along it            [Pekarek]
//! ```
//!
//! Moreau's law is a projection: `u⁺` is the point nearest to `u⁻` with `r_i·u ≥ -e_i v_i⁻`. With one coefficient for all it
//! cannot gain energy, and keeps it for `e = 1`, whatever the signs of `v_i⁻`: `u⁺ = c + e (c - u⁻)` with `c` the nearest point
//! of a cone, and `c ⟂ c - u⁻`. Where coefficients differ and energy would be gained, or no velocity satisfies all, the
//! smallest of them counts for all.

use super::friction::{Coulomb, ratio};
use super::spots::Spots;
use crate::discrete::StepError;
use crate::response::{ContactOptions, FrictionLaw, ImpactLaw};
use percussion_solve::{QpOutcome, QpSolver, QuadraticProgram, SolveError};
use std::ops::Range;

/// Closing speed that is rounding, relative to the speeds of the group.
const STILL: f64 = 1e-12;
/// Gain of energy that is rounding, relative.
const GAIN: f64 = 1e-12;
/// Blows of the sequential law for each pair, after which Moreau's law ends the matter.
const MOST_BLOWS: usize = 50;

/// Square of a row across a contact, relative to that along it, below which nothing moves there.
const INERT: f64 = 1e-12;

/// Updates momenta; its memory serves again.
#[derive(Clone, Debug, Default)]
pub(crate) struct Laws {
    /// Weighed momenta.
    pub u: Vec<f64>,
    /// Those before the update.
    pub start: Vec<f64>,
    /// ContactGeometry that close (or open) more slowly than this do not bounce, m/s.
    pub slow: f64,
    /// The coefficient of restitution of all contacts, whatever their surfaces say.
    pub restitution: Option<f64>,
    /// Coefficients of friction count up to this.
    pub roughest: f64,
    /// Energy that restitution took, and that friction took (negative), J.
    pub contact: f64,
    pub friction: f64,
    /// What the impulses of friction are wrong by, relative to the momentum of the group.
    pub residual: f64,
    before: Vec<f64>,
    dense: Vec<f64>,
    pushes: Vec<f64>,
    coulomb: Coulomb,
    program: Option<QuadraticProgram>,
    solver: QpSolver,
}

/// The problem of the point nearest to a target, in memory that may be there already.
fn least_distance<'a>(
    program: &'a mut Option<QuadraticProgram>,
    target: &[f64],
) -> Result<&'a mut QuadraticProgram, SolveError> {
    Ok(match program {
        Some(program) => {
            program.reset_least_distance(target)?;
            program
        }
        none => none.insert(QuadraticProgram::least_distance(target)?),
    })
}

/// `|u|²/2`.
pub(crate) fn energy(u: &[f64]) -> f64 {
    0.5 * u.iter().map(|v| v * v).sum::<f64>()
}

impl Laws {
    pub fn new() -> Self {
        Self { roughest: f64::INFINITY, ..Self::default() }
    }

    /// Applies the law that is asked for to `u`. `spots` are all events, or for the law `sum` one for each pair; `wide` is
    /// one for each pair, if the ratio of [3.118] decides about friction.
    pub fn strike(
        &mut self,
        options: &ContactOptions,
        spots: &mut Spots,
        wide: &mut Spots,
    ) -> Result<(), StepError> {
        self.start.clone_from(&self.u);
        (self.contact, self.friction, self.residual) = (0.0, 0.0, 0.0);
        for place in [&mut *spots, &mut *wide] {
            for spot in &mut place.list {
                spot.before = place.rows.dot(spot.rows[0], &self.u);
                spot.friction = spot.friction.min(self.roughest);
                spot.restitution = match spot.before.abs() < self.slow {
                    true => 0.0,
                    false => self.restitution.unwrap_or(spot.restitution),
                };
            }
        }
        let rub = options.friction == FrictionLaw::Coulomb;
        match options.law {
            ImpactLaw::Sum => self.sum(spots, rub),
            ImpactLaw::Moreau => self.moreau(spots, 0..spots.list.len(), rub)?,
            ImpactLaw::Sequential => self.sequential(spots, rub)?,
        }
        if !rub {
            let before = energy(&self.u);
            ratio(wide, &self.start, &mut self.u);
            self.friction += energy(&self.u) - before;
        }
        Ok(())
    }

    /// Stops all spots: a plastic impact that sticks.
    pub fn stop(&mut self, spots: &mut Spots) -> Result<(), StepError> {
        self.start.clone_from(&self.u);
        self.before.clone_from(&self.u);
        (self.contact, self.friction) = (0.0, 0.0);
        for spot in &mut spots.list {
            spot.before = spots.rows.dot(spot.rows[0], &self.u);
        }
        self.halt(spots).map_err(|_| StepError::NotFinite)?;
        self.contact = energy(&self.u) - energy(&self.start);
        Ok(())
    }

    fn halt(&mut self, spots: &mut Spots) -> Result<(), SolveError> {
        let program = least_distance(&mut self.program, &self.before)?;
        self.dense.clear();
        self.dense.resize(self.before.len(), 0.0);
        let mut taken = Vec::with_capacity(3 * spots.list.len());
        for (k, spot) in spots.list.iter().enumerate() {
            let along = spots.rows.product(spot.rows[0], spot.rows[0]);
            for (i, &row) in spot.rows.iter().enumerate() {
                // Out of the plane nothing moves, and nothing needs to stop.
                if !(spots.rows.product(row, row) > INERT * along) {
                    continue;
                }
                spots.rows.expand(row, &mut self.dense);
                match i {
                    0 => program.at_least(&self.dense, 0.0)?,
                    _ => program.equal(&self.dense, 0.0)?,
                };
                taken.push((k, i));
            }
        }
        let solution = self.solver.solve(program)?;
        for (&(k, i), &impulse) in taken.iter().zip(&solution.row_duals) {
            let spot = &mut spots.list[k];
            spots.rows.add(spot.rows[i], impulse, &mut self.u);
            match i {
                0 => spot.push += impulse,
                _ => spot.drag += spot.across[i - 1] * impulse,
            }
        }
        Ok(())
    }

    /// One multiplier for the sum of all gradients; friction by the sum of local impulses.
    fn sum(&mut self, spots: &mut Spots, rub: bool) {
        let Spots { list, rows, .. } = spots;
        self.dense.clear();
        self.dense.resize(self.u.len(), 0.0);
        for spot in list.iter() {
            rows.add(spot.rows[0], spot.steepness, &mut self.dense);
        }
        let along: f64 = self.dense.iter().zip(&self.u).map(|(g, u)| g * u).sum();
        let square = 2.0 * energy(&self.dense);
        if !(along < 0.0 && square > 0.0) {
            return;
        }
        let e = list.iter().map(|spot| spot.restitution).fold(1.0, f64::min);
        let factor = -(1.0 + e) * along / square;
        let before = energy(&self.u);
        self.u.iter_mut().zip(&self.dense).for_each(|(u, g)| *u += factor * g);
        list.iter_mut().for_each(|spot| spot.push = factor * spot.steepness);
        let between = energy(&self.u);
        self.contact = between - before;
        if rub {
            self.coulomb.local(list, rows, &mut self.u);
            self.friction = energy(&self.u) - between;
        }
    }

    /// The fastest pair first.
    fn sequential(&mut self, spots: &mut Spots, rub: bool) -> Result<(), StepError> {
        let speed = (2.0 * energy(&self.start)).sqrt();
        for _ in 0..MOST_BLOWS * spots.pairs.len() {
            let mut worst = (0.0, 0);
            for (k, pair) in spots.pairs.iter().enumerate() {
                for spot in &spots.list[pair.clone()] {
                    let row = spot.rows[0];
                    let closing = -spots.rows.dot(row, &self.u);
                    let still = STILL * speed * spots.rows.product(row, row).sqrt();
                    if closing > still && closing > worst.0 {
                        worst = (closing, k);
                    }
                }
            }
            if worst.0 == 0.0 {
                return Ok(());
            }
            self.moreau(spots, spots.pairs[worst.1].clone(), rub)?;
        }
        self.moreau(spots, 0..spots.list.len(), rub)
    }

    /// All at once, for a range of spots, from the present momenta.
    fn moreau(&mut self, spots: &mut Spots, range: Range<usize>, rub: bool) -> Result<(), StepError> {
        if range.is_empty() {
            return Ok(());
        }
        self.before.clone_from(&self.u);
        let start = energy(&self.before);
        // Momenta whose squares vanish are none: nothing can be compared with them.
        if start < f64::MIN_POSITIVE {
            return Ok(());
        }
        let limit = start * (1.0 + GAIN);
        let least = spots.list[range.clone()].iter().map(|spot| spot.restitution).fold(1.0, f64::min);
        let mut most = 1.0;
        let fine = self.push(spots, range.clone(), most).map_err(|_| StepError::NotFinite)?;
        if !(fine && energy(&self.u) <= limit) {
            most = least;
            self.push(spots, range.clone(), most).map_err(|_| StepError::NotFinite)?;
        }
        let between = energy(&self.u);
        self.contact += between - start;
        if rub && spots.list[range.clone()].iter().any(|spot| spot.friction > 0.0) {
            self.rub(spots, range.clone(), most, limit);
            self.friction += energy(&self.u) - between;
        } else {
            spots.list[range].iter_mut().zip(&self.pushes).for_each(|(spot, push)| spot.push += push);
        }
        Ok(())
    }

    /// Moreau's law without friction; coefficients of restitution count up to `most`. Whether all can be satisfied.
    fn push(&mut self, spots: &Spots, range: Range<usize>, most: f64) -> Result<bool, SolveError> {
        let program = least_distance(&mut self.program, &self.before)?;
        self.dense.clear();
        self.dense.resize(self.before.len(), 0.0);
        for spot in &spots.list[range.clone()] {
            spots.rows.expand(spot.rows[0], &mut self.dense);
            let before = spots.rows.dot(spot.rows[0], &self.before);
            program.at_least(&self.dense, -spot.restitution.min(most) * before)?;
        }
        let solution = self.solver.solve(program)?;
        self.pushes.clone_from(&solution.row_duals);
        self.u.clone_from(&self.before);
        for (spot, push) in spots.list[range].iter().zip(&self.pushes) {
            spots.rows.add(spot.rows[0], *push, &mut self.u);
        }
        Ok(solution.outcome == QpOutcome::Optimal)
    }

    /// Friction on top. Newton's restitution with friction may gain energy where a push turns sliding round [Kane and Levinson
    /// 1985], or have no solution where bodies are jammed; then Poisson's takes its place, and if that gains too, none.
    fn rub(&mut self, spots: &mut Spots, range: Range<usize>, most: f64, limit: f64) {
        let (list, rows) = (&spots.list[range.clone()], &spots.rows);
        self.u.clone_from(&self.before);
        let found = self.coulomb.solve(list, rows, most, &self.pushes, &mut self.u);
        if !(found && energy(&self.u) <= limit) && most > 0.0 {
            self.u.clone_from(&self.before);
            self.coulomb.solve(list, rows, 0.0, &self.pushes, &mut self.u);
            self.coulomb.rebound(list, rows, most, limit, &mut self.u);
        }
        self.residual = self.residual.max(self.coulomb.residual());
        self.coulomb.hand_out(&mut spots.list[range]);
    }
}
