//! The books as plain numbers: what a ledger needs to be closed at one instant and opened again there later.
//!
//! Everything else in a ledger is measured anew from the model and the state, to the same bits.

use super::{Extremes, Ledger, LedgerSource};
use crate::ledger::Measure;
use percussion_geometry::Vec3;
use thiserror::Error;

/// Numbers of a measurement, of the extremes, and of a cause.
const MEASURE: usize = 14;
const EXTREMES: usize = 12;
const CAUSE: usize = 7;

/// Books of another model.
#[derive(Clone, Debug, Error, PartialEq)]
#[error("the books hold {found} numbers, but this model keeps {expected}; they belong to another scene")]
pub struct LedgerMismatch {
    /// How many were given.
    pub found: usize,
    /// How many there should be.
    pub expected: usize,
}

impl Ledger {
    /// What the ledger remembers, as numbers for [`Ledger::restore`].
    pub fn figures(&self) -> Vec<f64> {
        let (m, e) = (&self.initial, &self.extremes);
        let mut all = vec![m.kinetic, m.potential];
        for v in [&m.linear, &m.angular, &m.centre] {
            all.extend_from_slice(v.as_slice());
        }
        all.extend([m.mass, m.position_violation, m.velocity_violation]);
        all.extend([e.energy_error, e.linear_error, e.angular_error]);
        all.extend([e.position_violation, e.velocity_violation, e.kinetic]);
        all.extend([e.potential.0, e.potential.1, e.linear, e.angular]);
        all.extend([e.hamiltonian_error, e.hidden_violation]);
        for cause in &self.causes {
            all.push(cause.energy);
            all.extend(cause.linear.iter().chain(cause.angular.iter()));
        }
        let previous = &self.previous;
        all.extend([f64::from(u8::from(self.followed)), previous.time]);
        all.extend(previous.positions.iter().flat_map(|x| x.iter()));
        all.extend(previous.rotations.iter().flat_map(|r| r.iter()));
        all.extend(previous.coordinates.iter().chain(&previous.momenta));
        all
    }

    /// Takes over the figures of a ledger of the same model that was closed at the present state.
    pub fn restore(&mut self, figures: &[f64]) -> Result<(), LedgerMismatch> {
        let books = MEASURE + EXTREMES + CAUSE * self.causes.len();
        let previous = &mut self.previous;
        let expected =
            books + 2 + 12 * previous.positions.len() + previous.coordinates.len() + previous.momenta.len();
        if figures.len() != expected {
            return Err(LedgerMismatch { found: figures.len(), expected });
        }
        let (figures, before) = figures.split_at(books);
        self.followed = before[0] != 0.0;
        previous.time = before[1];
        let places = previous.positions.iter_mut().flat_map(|x| x.iter_mut());
        let axes = previous.rotations.iter_mut().flat_map(|r| r.iter_mut());
        let rest = previous.coordinates.iter_mut().chain(&mut previous.momenta);
        places.chain(axes).chain(rest).zip(&before[2..]).for_each(|(to, from)| *to = *from);
        let (m, rest) = figures.split_at(MEASURE);
        let (e, causes) = rest.split_at(EXTREMES);
        let vector = |v: &[f64]| Vec3::new(v[0], v[1], v[2]);
        self.initial = Measure {
            kinetic: m[0],
            potential: m[1],
            linear: vector(&m[2..]),
            angular: vector(&m[5..]),
            centre: vector(&m[8..]),
            mass: m[11],
            position_violation: m[12],
            velocity_violation: m[13],
        };
        self.extremes = Extremes {
            energy_error: e[0],
            linear_error: e[1],
            angular_error: e[2],
            position_violation: e[3],
            velocity_violation: e[4],
            kinetic: e[5],
            potential: (e[6], e[7]),
            linear: e[8],
            angular: e[9],
            hamiltonian_error: e[10],
            hidden_violation: e[11],
        };
        for (LedgerSource { energy, linear, angular, .. }, c) in
            self.causes.iter_mut().zip(causes.chunks(CAUSE))
        {
            (*energy, *linear, *angular) = (c[0], vector(&c[1..]), vector(&c[4..]));
        }
        Ok(())
    }
}
