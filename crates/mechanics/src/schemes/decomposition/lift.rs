//! Momentum lift: momenta at the projected configuration [Johnson 3.89, 3.99, 3.102].
//!
//! ```text
//! bodies at q̃      (m v, J̃ ω)             from the momenta there
//! bodies at q      (m v, dR J̃ ω)          dR = R R̃ᵀ: the rotation of the projection
//! momenta at q     κ P(q)ᵀ (...)           κ: kinetic energy is conserved
//! ```
//!
//! For free bodies this is [3.99], `κ = 1`. For chains the thesis prints [3.102] without `κ` and calls it an identity, but the
//! rotated momenta of the bodies of a chain are not admissible for its joints, and `Pᵀ` removes the inadmissible part: kinetic
//! energy would not be conserved, as [3.84] demands.

use crate::discrete::StepError;
use crate::model::Model;
use crate::model::State;
use crate::response::{CollisionGroup, dot};
use crate::spatial::{Vec6, angular, linear, twist};
use crate::step_record::{JumpSource, MomentumJump, StepRecord};
use percussion_geometry::Vec3;

/// Lifts momenta of groups, with its workspace.
#[derive(Clone, Debug, Default)]
pub(super) struct MomentumLift {
    /// The group at the trial configuration.
    before: CollisionGroup,
    /// Momentum of each body, linear and about its centre of mass, by slot.
    bodies: Vec<Vec6>,
    rates: Vec<f64>,
    old: Vec<f64>,
}

impl MomentumLift {
    /// Lifts the momenta of a group from `trial` to `at`, the configuration of `group`, into `momenta`; records the jumps of its
    /// bodies. Returns the kinetic energy.
    pub fn lift(
        &mut self,
        model: &Model,
        islands: &[usize],
        (trial, at): (&State, &State),
        group: &mut CollisionGroup,
        momenta: &mut Vec<f64>,
        record: &mut StepRecord,
    ) -> Result<f64, StepError> {
        self.bodies.resize(model.moving(), Vec6::zeros());
        self.before.begin(model, trial, islands)?;
        self.before.momenta(model, trial, &mut self.old);
        self.rates.clear();
        self.rates.resize(self.old.len(), 0.0);
        self.before.solve(model, &self.old, &mut self.rates);
        let energy = 0.5 * dot(&self.old, &self.rates);
        for (slot, t) in self.before.twists(model) {
            self.bodies[slot] = momentum(model, trial, slot, t);
        }
        let rotated = |slot: usize| {
            let body = &self.bodies[slot];
            let angular_momentum = at.rotations[slot] * trial.rotations[slot].tr_mul(&angular(body));
            twist(&linear(body), &angular_momentum)
        };
        momenta.clear();
        momenta.resize(self.old.len(), 0.0);
        group.reduce_all(model, rotated, momenta);
        group.solve(model, momenta, &mut self.rates);
        let lifted_energy = 0.5 * dot(momenta, &self.rates);
        let scale = if lifted_energy > 0.0 { (energy / lifted_energy).sqrt() } else { 1.0 };
        momenta.iter_mut().for_each(|p| *p *= scale);
        for (slot, t) in group.twists(model) {
            let (old, new) = (self.bodies[slot], momentum(model, at, slot, &(t * scale)));
            let about = |x: &Vec3, m: &Vec6| x.cross(&linear(m)) + angular(m);
            let jump = MomentumJump {
                source: JumpSource::Projection,
                slot,
                linear: linear(&new) - linear(&old),
                angular: about(&at.positions[slot], &new) - about(&trial.positions[slot], &old),
                energy: 0.0,
            };
            record.jumps.push(jump);
        }
        Ok(energy)
    }
}

/// Linear momentum of a body and its angular momentum about its centre of mass.
fn momentum(model: &Model, state: &State, slot: usize, t: &Vec6) -> Vec6 {
    let (link, r) = (&model.links[slot], &state.rotations[slot]);
    let angular_momentum = r * link.inertia.component_mul(&r.tr_mul(&angular(t)));
    twist(&(linear(t) * link.mass), &angular_momentum)
}
