//! What every cause has brought so far, as rows of the trajectory.
//!
//! The causes are those of the ledger, in its order. A scene with very many forces would write more scene_info its forces than
//! scene_info its bodies: beyond [`MOST_FORCES`] they are kept as one cause, the sum of all of them.

use percussion_mechanics::Model;
use percussion_mechanics::ledger::{Ledger, LedgerSource};
use std::borrow::Cow;
use std::ops::Range;

/// Forces that are reported apart; more than these are kept as one.
pub const MOST_FORCES: usize = 24;
/// Name of the cause that stands for all forces.
pub const ALL_FORCES: &str = "forces";

/// Names of the causes that are reported apart.
pub fn names(model: &Model) -> Vec<Cow<'_, str>> {
    let mut all: Vec<Cow<'_, str>> = Ledger::cause_names(model).collect();
    if let Some(forces) = joined(model) {
        all.splice(forces, [Cow::Borrowed(ALL_FORCES)]);
    }
    all
}

/// Which causes of the ledger are kept as one, if any are.
fn joined(model: &Model) -> Option<Range<usize>> {
    Some(Ledger::forces(model)).filter(|forces| forces.len() > MOST_FORCES)
}

/// A row of what every cause has brought, made anew in the same memory.
#[derive(Debug)]
pub struct SourceRow {
    joined: Option<Range<usize>>,
    energy: Vec<f64>,
    linear: Vec<f64>,
    angular: Vec<f64>,
}

impl SourceRow {
    /// For the causes of a model.
    pub fn new(model: &Model) -> Self {
        Self { joined: joined(model), energy: Vec::new(), linear: Vec::new(), angular: Vec::new() }
    }

    /// Fills in what the ledger says now.
    pub fn fill(&mut self, ledger: &Ledger) {
        for list in [&mut self.energy, &mut self.linear, &mut self.angular] {
            list.clear();
        }
        let all = ledger.causes();
        match self.joined.clone() {
            None => self.extend(all),
            Some(forces) => {
                self.extend(&all[..forces.start]);
                self.extend(&all[forces.start..=forces.start]);
                for cause in &all[forces.start + 1..forces.end] {
                    self.add(cause);
                }
                self.extend(&all[forces.end..]);
            }
        }
    }

    fn extend(&mut self, causes: &[LedgerSource]) {
        for cause in causes {
            self.energy.push(cause.energy);
            self.linear.extend(&cause.linear);
            self.angular.extend(&cause.angular);
        }
    }

    /// Adds to the last one.
    fn add(&mut self, cause: &LedgerSource) {
        let add = |list: &mut [f64], more: &[f64]| {
            list.iter_mut().rev().zip(more.iter().rev()).for_each(|(to, from)| *to += from);
        };
        add(&mut self.energy, &[cause.energy]);
        add(&mut self.linear, cause.linear.as_slice());
        add(&mut self.angular, cause.angular.as_slice());
    }

    /// Energies, linear and angular momenta, cause by cause.
    pub fn slices(&self) -> [&[f64]; 3] {
        [&self.energy, &self.linear, &self.angular]
    }
}
