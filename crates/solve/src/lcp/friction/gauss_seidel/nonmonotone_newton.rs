//! The proximal Newton method of [`NonsmoothNewton`] on Coulomb's law, with centres that may err more than those before, and a budget.
//!
//! ```text
//! repeat with centre c = x, until the error is small or the budget is spent; little of it for digits beyond a sufficient error:
//!   repeat until |F| is a fraction of the error:                        solve_centre
//!     chord step with the factors at hand; where it does not halve |F|:
//!     linearise, newton_direction, backtrack
//!   x = x(v), whether its error is smaller or not; back to c where Newton's method failed
//!   ε smaller where one factorisation sufficed and the error hardly fell, larger where the method failed
//! the impulses with the smallest error
//! ```
//!
//! Where contacts are redundant, their impulses have to travel far along directions that hardly change velocities, until one of
//! them opens or slips; then velocities change, and with them the error, which falls again afterwards. A method that descends ends
//! there. Many centres in a row share their active sets and ε, and with them the factors.

use super::contact_law::{ContactLaw, LawKind};
use super::islands::Island;
use super::nonsmooth_newton::NonsmoothNewton;
use super::system::System;
use crate::lcp::friction::impulses::Cone;
use crate::tolerances::gauss_seidel::{FIRST_COMPLIANCE, MAX_COMPLIANCE, MIN_COMPLIANCE};
use crate::tolerances::nonmonotone_newton::{
    CENTRE_DEFECT, COMPLIANCE_GROWTH, COMPLIANCE_SHRINKAGE, FINEST_DEFECT, GOOD_CHORD, GOOD_GAIN,
    USEFUL_CHORD,
};

/// Newton steps for one centre.
const STEPS: usize = 8;
/// Chord steps for one centre.
const CHORDS: usize = 40;
/// Centres without halving the error after which the method ends.
const PATIENCE: usize = 20;
/// Factorisations for digits beyond a sufficient error.
const FURTHER_DIGITS: usize = 8;
/// Blocks up to which it is the given number of factorisations that counts.
const SMALL: usize = 32;
/// Sweeps that Newton's method may cost in larger islands.
const EFFORT: usize = 600;
/// Products of blocks that cost as much as the update of a contact in a sweep, and such updates that cost as much as the assembly of its
/// derivative.
const PRODUCTS_PER_UPDATE: usize = 1;
const UPDATES_PER_ASSEMBLY: usize = 4;
/// Chord steps that cost as much as a factorisation.
const CHORDS_PER_FACTORISATION: usize = 8;

impl NonsmoothNewton {
    /// Improves the impulses of an island within a budget of factorisations, some of which are spent; returns the error left, never larger than before.
    pub(super) fn solve_nonmonotone(
        &mut self,
        system: &mut System,
        island: &Island,
        cone: Cone,
        (goal, sufficient): (f64, f64),
        (budget, spent): (usize, usize),
    ) -> f64 {
        let rows = system.rows_of(island);
        self.prepare(system, island);
        system.update_velocities(island);
        let mut error = system.error(island, cone);
        self.best.clear();
        self.best.extend_from_slice(&system.x[rows.clone()]);
        (self.steps, self.chords, self.factored) = (0, 0, None);
        let mut law = ContactLaw { kind: LawKind::Coulomb, cone, compliance: FIRST_COMPLIANCE };
        let (mut last, mut mark, mut waited) = (error, error, 0);
        let budget = budget.min(self.affordable(island).saturating_sub(spent));
        let mut limit = budget;
        while error > goal && waited < PATIENCE && self.cost() < limit {
            let before = self.steps;
            let solved =
                self.solve_centre(system, island, law, f64::max(FINEST_DEFECT * goal, CENTRE_DEFECT * last));
            let now = self.residual(system, island, cone);
            if now < error {
                error = now;
                self.best.copy_from_slice(&self.x);
            }
            if !solved {
                law.compliance = f64::min(COMPLIANCE_GROWTH * law.compliance, MAX_COMPLIANCE);
            } else if self.steps <= before + 1 && !(now < GOOD_GAIN * last) {
                law.compliance = f64::max(COMPLIANCE_SHRINKAGE * law.compliance, MIN_COMPLIANCE);
            }
            if solved && now.is_finite() || now < last {
                last = now;
            } else {
                system.x[rows.clone()].copy_from_slice(&self.centre);
                system.update_velocities(island);
            }
            waited = if error < 0.5 * mark { 0 } else { waited + 1 };
            mark = if waited == 0 { error } else { mark };
            if error <= sufficient && limit == budget {
                limit = budget.min(self.cost() + FURTHER_DIGITS);
            }
        }
        self.exhausted = self.cost() >= budget;
        system.x[rows].copy_from_slice(&self.best);
        system.update_velocities(island);
        error
    }

    /// Factorisations that cost as much as [`EFFORT`] sweeps; any number of small ones.
    fn affordable(&self, island: &Island) -> usize {
        if island.blocks.len() <= SMALL {
            return usize::MAX;
        }
        let contacts = island.constraints.len();
        let factorisation = self.factors.products() / PRODUCTS_PER_UPDATE + UPDATES_PER_ASSEMBLY * contacts;
        EFFORT * contacts / factorisation.max(1)
    }

    /// What was spent, in factorisations.
    pub(super) fn cost(&self) -> usize {
        self.steps + self.chords / CHORDS_PER_FACTORISATION
    }

    /// Solves a law around the present impulses until the defect is small enough; whether it is.
    fn solve_centre(&mut self, system: &System, island: &Island, law: ContactLaw, tolerance: f64) -> bool {
        self.set_centre(system, island, law);
        let mut size = self.evaluate(system, island, law);
        let (steps, chords) = (self.steps + STEPS, self.chords + CHORDS);
        while !(size <= tolerance) {
            if self.factored == Some(law.compliance) && self.chords < chords {
                self.chords += 1;
                self.newton_direction(system, island);
                self.move_by(1.0);
                let ahead = self.evaluate(system, island, law);
                if ahead < GOOD_CHORD * size {
                    size = ahead;
                    continue;
                }
                if ahead < USEFUL_CHORD * size {
                    size = ahead;
                } else {
                    self.move_by(-1.0);
                    size = self.evaluate(system, island, law);
                }
            }
            self.factored = None;
            if self.steps == steps || !self.linearise(system, island, law, law.compliance) {
                return false;
            }
            self.factored = Some(law.compliance);
            self.newton_direction(system, island);
            match self.backtrack(system, island, law, size) {
                Some(smaller) => size = smaller,
                None => return false,
            }
        }
        true
    }
}
