//! Charges on points of bodies, by Coulomb's law: `V = Σ K q_i q_j / r_ij` over all pairs on different bodies.
//!
//! Charges of one body do not move against each other and are left out; so are pairs that are both on fixed bodies.

use super::inverse_square::{Pairs, Source};
use super::parameter::{ParameterError, finite_number, positive};

/// Coulomb's constant in vacuum, N m²/C² (CODATA 2022).
pub const COULOMB: f64 = 8.987_551_786_2e9;

/// Charges and the constant of their law.
#[derive(Clone, Debug)]
pub struct Charges {
    /// `K`, N m²/C².
    pub constant: f64,
    /// Softening length, m; zero for none.
    pub softening: f64,
    /// Points with their charges, C.
    pub charges: Vec<Source>,
}

impl Charges {
    pub(super) fn pairs(&self) -> Pairs<'_> {
        Pairs { strength: self.constant, softening: self.softening, sources: &self.charges }
    }

    pub(super) fn check(&self) -> Result<(), ParameterError> {
        positive("Coulomb's constant", self.constant)?;
        for charge in &self.charges {
            finite_number("a charge", charge.weight)?;
        }
        self.pairs().check()
    }
}
