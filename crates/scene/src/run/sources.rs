//! Contributions of the sources of the ledger up to a row of the trajectory.
//!
//! The sources are those of the ledger, in its order. With more than [`MOST_FORCES`] forces their sum is kept as one source, as
//! otherwise a trajectory would hold more about forces than about bodies.

use percussion_mechanics::Model;
use percussion_mechanics::ledger::{Ledger, LedgerSource};
use std::borrow::Cow;
use std::ops::Range;

/// Most forces that are kept as sources of their own; more are kept as their sum.
pub const MOST_FORCES: usize = 24;
/// Name of the source that is the sum of all forces.
pub const ALL_FORCES: &str = "forces";

/// Names of the sources that are kept.
pub fn names(model: &Model) -> Vec<Cow<'_, str>> {
    let mut all: Vec<Cow<'_, str>> = Ledger::source_names(model).collect();
    if let Some(forces) = summed(model) {
        all.splice(forces, [Cow::Borrowed(ALL_FORCES)]);
    }
    all
}

/// The sources of the ledger that are kept as their sum, if any.
fn summed(model: &Model) -> Option<Range<usize>> {
    Some(Ledger::forces(model)).filter(|forces| forces.len() > MOST_FORCES)
}

/// Contributions of all sources, with reusable memory.
#[derive(Debug)]
pub struct Contributions {
    summed: Option<Range<usize>>,
    /// J, by source.
    pub energy: Vec<f64>,
    /// N s, three components by source.
    pub linear_momentum: Vec<f64>,
    /// About the origin, N m s, three components by source.
    pub angular_momentum: Vec<f64>,
}

impl Contributions {
    /// For the sources of a model.
    pub fn new(model: &Model) -> Self {
        Self {
            summed: summed(model),
            energy: Vec::new(),
            linear_momentum: Vec::new(),
            angular_momentum: Vec::new(),
        }
    }

    /// Takes the present values of the ledger.
    pub fn update(&mut self, ledger: &Ledger) {
        for list in [&mut self.energy, &mut self.linear_momentum, &mut self.angular_momentum] {
            list.clear();
        }
        let all = ledger.sources();
        match self.summed.clone() {
            None => self.extend(all),
            Some(forces) => {
                self.extend(&all[..=forces.start]);
                for source in &all[forces.start + 1..forces.end] {
                    self.add_to_last(source);
                }
                self.extend(&all[forces.end..]);
            }
        }
    }

    fn extend(&mut self, sources: &[LedgerSource]) {
        for source in sources {
            self.energy.push(source.energy);
            self.linear_momentum.extend(&source.linear);
            self.angular_momentum.extend(&source.angular);
        }
    }

    fn add_to_last(&mut self, source: &LedgerSource) {
        let add = |list: &mut [f64], more: &[f64]| {
            list.iter_mut().rev().zip(more.iter().rev()).for_each(|(to, from)| *to += from);
        };
        add(&mut self.energy, &[source.energy]);
        add(&mut self.linear_momentum, source.linear.as_slice());
        add(&mut self.angular_momentum, source.angular.as_slice());
    }
}
