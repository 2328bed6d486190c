//! What the rounding of coordinates leaves of the contact laws. Several contacts of one body, or a drive without a load, agree with one
//! another to no more than that, and their impulses may be as small: residuals relative to them say nothing.

use super::GAP_ROUNDING;
use super::interval::ClosedContactStep;
use crate::contact::ContactGeometry;
use crate::model::{Model, State};

impl ClosedContactStep {
    /// Residual at the start of the interval that is rounding of gaps, slips and displacements along joints, in units of impulses.
    pub(super) fn rounding_at_start(&self, model: &Model, start: &State) -> f64 {
        let entries = self.listed.iter().enumerate();
        let contacts = entries.map(|(i, &k)| self.contacts[k].rounding * self.system.tangential_scale(i));
        let rows = self.listed_rows.iter().map(|&k| {
            let row = &self.joint_rows[k];
            let link = &model.links[row.slot];
            let size = match link.joint.kind.is_angle(row.coordinate) {
                true => 1.0,
                false => start.positions[row.slot].amax() + link.joint.child_frame.point.amax(),
            };
            let coordinate = start.coordinates[link.coordinate + row.coordinate].abs();
            GAP_ROUNDING * (size + coordinate) * row.scale().abs() / row.mobility[0]
        });
        finite(contacts) + finite(rows)
    }

    /// The same at its end: rounding of velocities. `h` is the length of the interval.
    pub(super) fn rounding_at_end(&self, geometry: &ContactGeometry, end: &State, h: f64) -> f64 {
        let contacts = self.listed.iter().enumerate().map(|(i, &k)| {
            let contact = &self.contacts[k];
            let speeds = self.sides(geometry, contact.function.pair).into_iter().flatten().map(|side| {
                let (shift, turn) = self.members[side.member].step.displacement(side.body);
                let arm = contact.end.point - end.positions[side.slot];
                (shift.norm() + 2.0 * turn.norm() * arm.norm()) / h
            });
            GAP_ROUNDING * speeds.sum::<f64>() * self.system.tangential_scale(i)
        });
        let rows = self.listed_rows.iter().map(|&k| {
            let row = &self.joint_rows[k];
            GAP_ROUNDING * (row.rate[0].abs() + row.target.abs()) * row.scale().abs() / row.mobility[1]
        });
        finite(contacts) + finite(rows)
    }
}

/// The sum of the finite numbers.
fn finite(values: impl Iterator<Item = f64>) -> f64 {
    values.filter(|value| value.is_finite()).sum()
}
