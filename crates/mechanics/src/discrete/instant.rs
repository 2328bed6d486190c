//! An instant between two intervals, read back from three states.
//!
//! In redundant coordinates the interval before arrives with `D2 L_d(q_{k-1}, q_k)` and the one after leaves with
//! `-D1 L_d(q_k, q_{k+1})`; their difference is the constraint impulse, `h Gᵀ λ_k` [Johnson 3.8], and their mean the unprojected
//! momentum `p_k` of [Johnson 3.14]: `p_k = D2 L_d - (h/2) Gᵀ λ_k = -D1 L_d + (h/2) Gᵀ λ_k`.
//!
//! Forces push `p_k` off the momenta that constraints allow: the hidden constraints `G M⁻¹ p_k = 0` [3.19] hold up to `h²`,
//! and exactly for the momenta that the reduced scheme carries [3.20].
//!
//! A director may weigh nothing (that across a thin plate): momentum does not determine its rate. Then the rate is the
//! mean of those of the two intervals.

use super::directors::{Moved, director_weights, for_each_row};
use super::loops::End;
use super::{Interval, energy};
use crate::force::ForceError;
use crate::joint::LinearForm;
use crate::model::{Island, Model, State};
use crate::rotation::{Mat3, hat};
use crate::spatial::{Vec6, angular, linear};
use crate::tolerances::DIRECTOR_WEIGHT;
use percussion_geometry::Vec3;

/// Distance of momenta from those that constraints allow: maximum `|G M⁻¹ p|` [Johnson 3.19], m/s or 1/s.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Hidden {
    /// For the unprojected momenta [Johnson 3.14].
    pub unprojected: f64,
    /// For the momenta that the state carries [Johnson 3.20].
    pub projected: f64,
}

/// An instant between two intervals; reused workspace.
#[derive(Clone, Debug, Default)]
pub struct Instant {
    pub(super) interval: Interval,
    list: Vec<LinearForm>,
    /// `D2 L_d` of the interval before, by slot.
    pub(super) arriving: Vec<LinearForm>,
    /// `-D1 L_d` of the interval after, by slot.
    pub(super) leaving: Vec<LinearForm>,
    /// `M⁻¹ p_k`, by slot.
    rates: Vec<Moved>,
    allowed: Vec<Moved>,
    twists: Vec<Vec6>,
    solved: Vec<f64>,
    hidden: Hidden,
    kinetic: f64,
    allowed_kinetic: f64,
    potential: f64,
}

impl Instant {
    /// Reads the instant `now` from it and the states a step `h` before and after it.
    pub fn read(
        &mut self,
        model: &Model,
        before: &State,
        now: &State,
        after: &State,
        h: f64,
    ) -> Result<(), ForceError> {
        self.arriving.clear();
        self.leaving.clear();
        self.rates.clear();
        self.allowed.clear();
        self.hidden = Hidden::default();
        (self.kinetic, self.allowed_kinetic) = (0.0, 0.0);
        self.twists.resize(model.moving(), Vec6::zeros());
        self.solved.resize(model.dofs, 0.0);
        for island in &model.islands {
            self.read_island(model, island, before, now, after, h)?;
        }
        self.potential = energy::potential(model, now, &mut self.interval.placements)?;
        Ok(())
    }

    fn read_island(
        &mut self,
        model: &Model,
        island: &Island,
        before: &State,
        now: &State,
        after: &State,
        h: f64,
    ) -> Result<(), ForceError> {
        let first = island.bodies.start;
        let it = &mut self.interval;
        it.reconstruct(model, island, before, now, h)?;
        it.covectors(End::After, model, island, before, (now.time - 0.5 * h, h), &mut self.list);
        self.arriving.extend_from_slice(&self.list);
        // Rates of the interval before, for directors that weigh nothing.
        self.rates.extend(it.displacements.iter().zip(&it.rotations0).map(|(change, rotation)| Moved {
            shift: change.shift / h,
            frame: change.turn.moves_frame(rotation) / h,
        }));
        it.reconstruct(model, island, now, after, h)?;
        it.covectors(End::Before, model, island, now, (now.time + 0.5 * h, h), &mut self.list);
        self.leaving.extend_from_slice(&self.list);
        it.set_mass(model, island);
        // A reduced mass matrix is positive definite: masses and moments are, and the columns are independent.
        if it.system.factor().is_ok() {
            let range = island.dofs.clone();
            let twists = &mut self.twists[island.bodies.clone()];
            it.system.solve(&now.momenta[range.clone()], &mut self.solved[range], twists);
        }
        for (i, slot) in island.bodies.clone().enumerate() {
            let (link, rotation) = (&model.links[slot], &now.rotations[slot]);
            let change = &self.interval.displacements[i];
            let last = (self.rates[slot].frame + change.turn.moves_frame(rotation) / h) * 0.5;
            let (p, q) = (&self.arriving[slot], &self.leaving[slot]);
            let momentum =
                LinearForm { force: (p.force + q.force) * 0.5, moment: (p.moment + q.moment) * 0.5 };
            let mut rate = Moved { shift: momentum.force / link.mass, frame: last };
            let weights = director_weights(link);
            for k in 0..3 {
                if weights[k] > DIRECTOR_WEIGHT * weights.sum() {
                    rate.frame.set_column(k, &(momentum.moment.column(k) / weights[k]));
                }
            }
            let twist = &self.twists[slot];
            let allowed = Moved { shift: linear(twist), frame: hat(&angular(twist)) * rotation };
            self.kinetic += kinetic(link.mass, &weights, &rate);
            self.allowed_kinetic += kinetic(link.mass, &weights, &allowed);
            self.rates[slot] = rate;
            self.allowed.push(allowed);
        }
        self.carry_particles(model, island, now);
        let hidden = &mut self.hidden;
        let (rates, allowed) = (&self.rates, &self.allowed);
        let bodies = island.bodies.clone();
        let placed = (&now.positions[bodies.clone()], &now.rotations[bodies]);
        for_each_row(model, island, placed.0, placed.1, |_, line| {
            let along = |list: &[Moved]| {
                let parent = line.parent.map_or(0.0, |p| line.parent_form.on(&list[first + p]));
                (line.child_form.on(&list[first + line.child]) + parent).abs()
            };
            hidden.unprojected = hidden.unprojected.max(along(rates));
            hidden.projected = hidden.projected.max(along(allowed));
        });
        Ok(())
    }

    /// A particle's axes move with those of its parent.
    fn carry_particles(&mut self, model: &Model, island: &Island, now: &State) {
        for slot in island.bodies.clone() {
            let link = &model.links[slot];
            if link.joint.particle {
                self.rates[slot].frame = link.parent.map_or_else(Mat3::zeros, |p| {
                    self.rates[p].frame * now.rotations[p].tr_mul(&now.rotations[slot])
                });
            }
        }
    }

    /// Violation of the hidden constraints.
    pub fn hidden(&self) -> Hidden {
        self.hidden
    }

    /// `H_d`: kinetic energy of the unprojected momenta and potential energy, J [Johnson 3.4.3].
    pub fn hamiltonian(&self) -> f64 {
        self.kinetic + self.potential
    }

    /// `H_d` with the projected momenta, J [Johnson 3.72].
    pub fn projected_hamiltonian(&self) -> f64 {
        self.allowed_kinetic + self.potential
    }
}

fn kinetic(mass: f64, weights: &Vec3, rate: &Moved) -> f64 {
    let turning: f64 = (0..3).map(|k| weights[k] * rate.frame.column(k).norm_squared()).sum();
    0.5 * (mass * rate.shift.norm_squared() + turning)
}

/// Violation of the hidden constraints [Johnson 3.19] at `now`, from it and the states a step `h` before and after it.
pub fn hidden_violation(
    model: &Model,
    before: &State,
    now: &State,
    after: &State,
    h: f64,
) -> Result<Hidden, ForceError> {
    let mut instant = Instant::default();
    instant.read(model, before, now, after, h)?;
    Ok(instant.hidden())
}
