//! The ledger in a checkpoint: one named array per quantity. Everything else in a ledger follows from the model and the state,
//! bitwise identical.
//!
//! | name | |
//! |---|---|
//! | `initial.*` | the first measurement |
//! | `extremes.*` | extremes so far |
//! | `source.NAME.*` | energy and momenta of a source so far |
//! | `previous.*` | the state before the last step; `previous.valid` is 1 if the last step has no collision inside |

use super::{Extremes, Ledger, LedgerSource, Measure};
use crate::NamedArrays;
use percussion_geometry::Vec3;
use thiserror::Error;

/// A checkpoint of a ledger of another model.
#[derive(Clone, Debug, Error, PartialEq)]
pub enum LedgerMismatch {
    /// An array is missing.
    #[error("the checkpoint of the ledger has no array `{0}`; it belongs to another scene")]
    Missing(String),
    /// An array has another length.
    #[error(
        "the array `{name}` in the checkpoint of the ledger has {found} numbers instead of {expected}; it belongs to another scene"
    )]
    Length {
        /// Name of the array.
        name: String,
        /// Its length.
        found: usize,
        /// The length for this model.
        expected: usize,
    },
}

/// A named quantity.
enum Quantity<'a> {
    Number(&'a mut f64),
    Vector(&'a mut Vec3),
}

impl Quantity<'_> {
    fn numbers(&mut self) -> &mut [f64] {
        match self {
            Self::Number(value) => std::slice::from_mut(value),
            Self::Vector(value) => value.as_mut_slice(),
        }
    }
}

fn measure(m: &mut Measure) -> [(&'static str, Quantity<'_>); 8] {
    use Quantity::{Number, Vector};
    [
        ("kinetic", Number(&mut m.kinetic)),
        ("potential", Number(&mut m.potential)),
        ("linear_momentum", Vector(&mut m.linear)),
        ("angular_momentum", Vector(&mut m.angular)),
        ("center_of_mass", Vector(&mut m.centre)),
        ("mass", Number(&mut m.mass)),
        ("position_violation", Number(&mut m.position_violation)),
        ("velocity_violation", Number(&mut m.velocity_violation)),
    ]
}

fn extremes(e: &mut Extremes) -> [(&'static str, Quantity<'_>); 12] {
    use Quantity::Number;
    [
        ("energy_error", Number(&mut e.energy_error)),
        ("linear_error", Number(&mut e.linear_error)),
        ("angular_error", Number(&mut e.angular_error)),
        ("position_violation", Number(&mut e.position_violation)),
        ("velocity_violation", Number(&mut e.velocity_violation)),
        ("kinetic", Number(&mut e.kinetic)),
        ("potential_min", Number(&mut e.potential.0)),
        ("potential_max", Number(&mut e.potential.1)),
        ("linear_momentum", Number(&mut e.linear)),
        ("angular_momentum", Number(&mut e.angular)),
        ("hamiltonian_error", Number(&mut e.hamiltonian_error)),
        ("hidden_violation", Number(&mut e.hidden_violation)),
    ]
}

fn source(s: &mut LedgerSource) -> [(&'static str, Quantity<'_>); 3] {
    [
        ("energy", Quantity::Number(&mut s.energy)),
        ("linear_momentum", Quantity::Vector(&mut s.linear)),
        ("angular_momentum", Quantity::Vector(&mut s.angular)),
    ]
}

/// The array of a name and a length.
fn array(from: &NamedArrays, name: String, expected: usize) -> Result<&[f64], LedgerMismatch> {
    match from.get(&name) {
        Some(values) if values.len() == expected => Ok(values),
        Some(values) => Err(LedgerMismatch::Length { name, found: values.len(), expected }),
        None => Err(LedgerMismatch::Missing(name)),
    }
}

impl Ledger {
    /// Saves the arrays of [`Ledger::restore`].
    pub fn save(&self, to: &mut NamedArrays) {
        let (mut initial, mut extreme) = (self.initial, self.extremes);
        for (name, mut quantity) in measure(&mut initial) {
            to.insert(format!("initial.{name}"), quantity.numbers().to_vec());
        }
        for (name, mut quantity) in extremes(&mut extreme) {
            to.insert(format!("extremes.{name}"), quantity.numbers().to_vec());
        }
        for known in &self.sources {
            for (name, mut quantity) in source(&mut known.clone()) {
                to.insert(format!("source.{}.{name}", known.name), quantity.numbers().to_vec());
            }
        }
        let previous = &self.previous;
        to.insert("previous.valid", [f64::from(u8::from(self.previous_valid))]);
        to.insert("previous.time", [previous.time]);
        let positions: Vec<f64> = previous.positions.iter().flat_map(|x| x.iter().copied()).collect();
        to.insert("previous.positions", positions);
        let rotations: Vec<f64> = previous.rotations.iter().flat_map(|r| r.iter().copied()).collect();
        to.insert("previous.rotations", rotations);
        to.insert("previous.coordinates", previous.coordinates.as_slice());
        to.insert("previous.momenta", previous.momenta.as_slice());
    }

    /// Restores the arrays of [`Ledger::save`] of a ledger of the same model at the present state. On failure the ledger is unchanged.
    pub fn restore(&mut self, from: &NamedArrays) -> Result<(), LedgerMismatch> {
        let mut restored = self.clone();
        let set = |prefix: &str, list: &mut [(&'static str, Quantity)]| {
            list.iter_mut().try_for_each(|(name, quantity)| {
                let to = quantity.numbers();
                to.copy_from_slice(array(from, format!("{prefix}.{name}"), to.len())?);
                Ok(())
            })
        };
        set("initial", &mut measure(&mut restored.initial))?;
        set("extremes", &mut extremes(&mut restored.extremes))?;
        for known in &mut restored.sources {
            let prefix = format!("source.{}", known.name);
            set(&prefix, &mut source(known))?;
        }
        let previous = &mut restored.previous;
        let find = |name: &str, length: usize| array(from, format!("previous.{name}"), length);
        restored.previous_valid = find("valid", 1)? != [0.0];
        previous.time = find("time", 1)?[0];
        let positions = find("positions", 3 * previous.positions.len())?;
        previous
            .positions
            .iter_mut()
            .flat_map(|x| x.iter_mut())
            .zip(positions)
            .for_each(|(to, from)| *to = *from);
        let rotations = find("rotations", 9 * previous.rotations.len())?;
        previous
            .rotations
            .iter_mut()
            .flat_map(|r| r.iter_mut())
            .zip(rotations)
            .for_each(|(to, from)| *to = *from);
        let coordinates = find("coordinates", previous.coordinates.len())?;
        previous.coordinates.copy_from_slice(coordinates);
        let momenta = find("momenta", previous.momenta.len())?;
        previous.momenta.copy_from_slice(momenta);
        *self = restored;
        Ok(())
    }
}
