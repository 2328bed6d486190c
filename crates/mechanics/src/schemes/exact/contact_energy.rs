//! Energy of persistent contact, and of stops and drives of joints: the jumps of kinetic energy by its impulses at both ends of an interval.
//!
//! ```text
//! K⁺ - K⁻ = J·(v⁻ + v⁺)/2        J: impulses at one configuration, v∓: velocities before and after them
//! ```
//!
//! Between the ends the interval is one of motion without contact, so these jumps are all that contact does to the energy, shares of
//! normal impulses and friction included.

use crate::contact::ContactGeometry;
use crate::model::{Model, State};
use crate::response::CollisionGroup;
use crate::response::closed_contact::{ClosedContact, JointRow};
use crate::spatial::{Vec6, twist};
use crate::tree::Singular;
use percussion_geometry::Vec3;

/// An end of an interval.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::schemes) enum IntervalEnd {
    /// Its momenta are those before the impulses.
    Start,
    /// Its momenta are those after the impulses.
    End,
}

/// Computes energies, with workspace.
#[derive(Clone, Debug, Default)]
pub(in crate::schemes) struct ContactEnergy {
    islands: Vec<usize>,
    group: CollisionGroup,
    momenta: Vec<f64>,
    jump: Vec<f64>,
    rates: Vec<f64>,
    /// Impulses on the bodies about their centres of mass, by slot, and their mean twists.
    impulses: Vec<Vec6>,
    twists: Vec<Vec6>,
    /// Energies brought by the rows of joints, added up over the ends of the interval, J.
    pub of_rows: Vec<f64>,
}

impl ContactEnergy {
    /// Energy brought by the normal impulses and by friction of contacts of some islands at one end of their interval, J.
    pub fn energies(
        &mut self,
        (model, geometry): (&Model, &ContactGeometry),
        islands: impl Iterator<Item = usize>,
        (contacts, rows): (&[ClosedContact], &[JointRow]),
        (state, end): (&State, IntervalEnd),
    ) -> Result<(f64, f64), Singular> {
        self.islands.clear();
        self.islands.extend(islands);
        self.impulses.clear();
        self.impulses.resize(model.moving(), Vec6::zeros());
        self.twists.resize(model.moving(), Vec6::zeros());
        let of = |contact: &ClosedContact| match end {
            IntervalEnd::Start => (contact.start.point, contact.impulses_at_start()),
            IntervalEnd::End => (contact.end.point, contact.impulses_at_end()),
        };
        let wrenches = |contact: &ClosedContact, point: Vec3, impulse: Vec3| {
            let sides = [(contact.function.pair.0, 1.0), (contact.function.pair.1, -1.0)];
            sides.map(|(part, sign)| {
                let slot = geometry.parts[part].slot?;
                let arm = point - state.positions[slot];
                Some((slot, twist(&impulse, &arm.cross(&impulse)) * sign))
            })
        };
        for contact in contacts {
            let (point, (normal, tangential)) = of(contact);
            for (slot, wrench) in wrenches(contact, point, normal + tangential).into_iter().flatten() {
                self.impulses[slot] += wrench;
            }
        }
        self.group.begin(model, state, &self.islands)?;
        self.group.momenta(model, state, &mut self.momenta);
        for room in [&mut self.jump, &mut self.rates] {
            room.clear();
            room.resize(self.momenta.len(), 0.0);
        }
        let impulses = &self.impulses;
        self.group.reduce_all(model, |slot| impulses[slot], &mut self.jump);
        let at = usize::from(end == IntervalEnd::End);
        for row in rows {
            self.jump[row.group_dof] += row.scale() * row.impulse[at];
        }
        let half = if end == IntervalEnd::Start { 0.5 } else { -0.5 };
        self.momenta.iter_mut().zip(&self.jump).for_each(|(p, jump)| *p += half * jump);
        self.group.solve(model, &self.momenta, &mut self.rates);
        for (slot, twist) in self.group.twists(model) {
            self.twists[slot] = *twist;
        }
        if end == IntervalEnd::Start {
            self.of_rows.clear();
            self.of_rows.resize(rows.len(), 0.0);
        }
        for (energy, row) in self.of_rows.iter_mut().zip(rows) {
            *energy += row.scale() * row.impulse[at] * self.rates[row.group_dof];
        }
        let (mut by_normal, mut by_friction) = (0.0, 0.0);
        for contact in contacts {
            let (point, (normal, tangential)) = of(contact);
            for (energy, impulse) in [(&mut by_normal, normal), (&mut by_friction, tangential)] {
                let sides = wrenches(contact, point, impulse);
                *energy += sides.iter().flatten().map(|(slot, w)| w.dot(&self.twists[*slot])).sum::<f64>();
            }
        }
        Ok((by_normal, by_friction))
    }
}
