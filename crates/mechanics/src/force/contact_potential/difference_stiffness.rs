//! All derivatives of the contact potential, for those who cannot do with the steep ones: differences of the force.
//!
//! The force on a pair is a function of twelve numbers of each body, position and directors, and with drag of as many
//! rates. Each is moved to and fro, and the difference of the forces is listed as the force that goes with it: the step is a
//! millionth of the size of the pair, a hundredth of what corners share a contact within. The force is exact to rounding, so that nine
//! to ten digits of its derivatives are. Where a derivative jumps, at the first touch and where corners begin to share, it is that of
//! one of the sides or between them.

use super::super::{Bodies, BodyKinematics, ForceError, LinearForm, Stiffness};
use super::{ContactPotential, Softened};
use crate::rotation::Mat3;
use crate::tolerances::DIFFERENCE_STEP;
use percussion_geometry::Vec3;

/// What is moved.
#[derive(Clone, Copy, PartialEq)]
enum Moved {
    Place,
    Rate,
}

impl ContactPotential {
    /// Lists them.
    pub(in crate::force) fn complete_stiffness(
        &self,
        name: &str,
        bodies: &Bodies,
        list: &mut Vec<Stiffness>,
    ) -> Result<(), ForceError> {
        let mut moved = Vec::new();
        for &pair in &self.pairs {
            if self.meeting(name, pair, bodies)?.is_none() {
                continue;
            }
            moved.clear();
            moved.extend_from_slice(bodies.placements);
            let slots = [pair.0, pair.1].map(|part| self.contacts.parts[part].slot);
            let size = Softened::size(&self.contacts, pair).unwrap_or(1.0);
            for (side, slot) in slots.iter().enumerate().filter_map(|(k, slot)| Some((k, (*slot)?))) {
                for (what, number) in kinds(self.drag > 0.0).flat_map(|w| (0..12).map(move |n| (w, n))) {
                    let step = if number < 3 { DIFFERENCE_STEP * size } else { DIFFERENCE_STEP };
                    let mut sides = [[blank(slots[0]), blank(slots[1])]; 2];
                    for (forces, sign) in sides.iter_mut().zip([1.0, -1.0]) {
                        let own = slot - bodies.first;
                        shift(&mut moved[own], what, number, sign * step);
                        let seen = Bodies { first: bodies.first, placements: &moved };
                        self.add_forces(name, pair, &seen, forces)?;
                        moved[own] = bodies.placements[own];
                    }
                    let slope = |k: usize| LinearForm {
                        body: slots[k],
                        force: (sides[0][k].force - sides[1][k].force) / (2.0 * step),
                        moment: (sides[0][k].moment - sides[1][k].moment) / (2.0 * step),
                    };
                    let mut along = [blank(slots[0]), blank(slots[1])];
                    match number {
                        0..3 => along[side].force[number] = 1.0,
                        _ => along[side].moment[number - 3] = 1.0,
                    }
                    let (by_position, by_velocity) =
                        if what == Moved::Place { (1.0, 0.0) } else { (0.0, 1.0) };
                    let push = [slope(0), slope(1)];
                    list.push(Stiffness::Outer { push, along, by_position, by_velocity });
                }
            }
        }
        Ok(())
    }

    /// Adds what a pair does to its two bodies.
    fn add_forces(
        &self,
        name: &str,
        pair: (usize, usize),
        bodies: &Bodies,
        forces: &mut [LinearForm; 2],
    ) -> Result<(), ForceError> {
        let Some((meeting, resistance)) = self.meeting(name, pair, bodies)? else { return Ok(()) };
        // Forms come in pairs: of the first body, of the second.
        for (k, (form, size)) in self.pushes(&meeting, resistance.as_ref()).enumerate() {
            forces[k % 2].force += form.force * size;
            forces[k % 2].moment += form.moment * size;
        }
        Ok(())
    }
}

fn kinds(drag: bool) -> impl Iterator<Item = Moved> {
    [Moved::Place, Moved::Rate].into_iter().take(if drag { 2 } else { 1 })
}

fn blank(body: Option<usize>) -> LinearForm {
    LinearForm { body, force: Vec3::zeros(), moment: Mat3::zeros() }
}

/// Moves one of the twelve numbers of a placement, or of its rates.
fn shift(placement: &mut BodyKinematics, what: Moved, number: usize, by: f64) {
    let (position, frame) = match what {
        Moved::Place => (&mut placement.position, &mut placement.frame),
        Moved::Rate => (&mut placement.velocity, &mut placement.frame_rate),
    };
    match number {
        0..3 => position[number] += by,
        _ => frame[number - 3] += by,
    }
}
