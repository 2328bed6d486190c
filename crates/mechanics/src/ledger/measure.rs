//! Measurements at an instant: energies, momenta and constraint violations.

use crate::discrete::potential;
use crate::force::{BodyKinematics, ForceError};
use crate::joint::Joint;
use crate::model::{Model, State, placed};
use crate::spatial::{Vec6, angular, linear};
use crate::tree::System;
use percussion_geometry::Vec3;

/// Energies and momenta at an instant.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Measure {
    /// Kinetic energy of the reduced momenta, `p·Mred⁻¹p/2`, J.
    pub kinetic: f64,
    /// Potential energy, J.
    pub potential: f64,
    /// Linear momentum, N s.
    pub linear: Vec3,
    /// Angular momentum about the origin, N m s.
    pub angular: Vec3,
    /// Centre of mass of all moving bodies, m.
    pub centre: Vec3,
    /// Mass of all moving bodies, kg.
    pub mass: f64,
    /// Maximum violation of a joint or loop by the configuration, m or cosine.
    pub position_violation: f64,
    /// Maximum violation by the velocities, m/s or rad/s.
    pub velocity_violation: f64,
}

impl Measure {
    /// Kinetic and potential energy: the projected discrete Hamiltonian [Johnson 3.72, 3.74].
    pub fn energy(&self) -> f64 {
        self.kinetic + self.potential
    }

    /// Angular momentum about the common centre of mass.
    pub fn angular_about_centre(&self) -> Vec3 {
        self.angular - self.centre.cross(&self.linear)
    }
}

/// Workspace for measuring.
#[derive(Clone, Debug, Default)]
pub struct Scratch {
    system: System,
    rates: Vec<f64>,
    /// Twists of all bodies by slot, after a measurement.
    pub(crate) twists: Vec<Vec6>,
    placements: Vec<BodyKinematics>,
}

impl Scratch {
    /// Measures a state.
    pub fn measure(&mut self, model: &Model, state: &State) -> Result<Measure, ForceError> {
        self.rates.resize(model.dofs, 0.0);
        self.twists.resize(model.moving(), Vec6::zeros());
        model.velocities_into(state, &mut self.system, &mut self.rates, &mut self.twists);
        let mut m = Measure {
            kinetic: 0.0,
            potential: potential(model, state, &mut self.placements)?,
            linear: Vec3::zeros(),
            angular: Vec3::zeros(),
            centre: Vec3::zeros(),
            mass: 0.0,
            position_violation: 0.0,
            velocity_violation: 0.0,
        };
        for (slot, link) in model.links.iter().enumerate() {
            let (x, r, t) = (&state.positions[slot], &state.rotations[slot], &self.twists[slot]);
            let (v, w) = (linear(t), angular(t));
            let spin = r * link.inertia.component_mul(&r.tr_mul(&w));
            m.kinetic += 0.5 * (link.mass * v.norm_squared() + w.dot(&spin));
            m.linear += v * link.mass;
            m.angular += x.cross(&v) * link.mass + spin;
            m.centre += x * link.mass;
            m.mass += link.mass;
        }
        if m.mass > 0.0 {
            m.centre /= m.mass;
        }
        self.add_violations(model, state, &mut m);
        Ok(m)
    }

    fn add_violations(&self, model: &Model, state: &State, m: &mut Measure) {
        for (slot, link) in model.links.iter().enumerate() {
            self.add_joint(&link.joint, link.parent, slot, state, m);
        }
        for closure in &model.closures {
            self.add_joint(&closure.joint, closure.parent, closure.child, state, m);
        }
    }

    fn add_joint(&self, joint: &Joint, parent: Option<usize>, child: usize, state: &State, m: &mut Measure) {
        let from = placed(&state.positions, &state.rotations, parent);
        for &row in joint.rows() {
            let value = joint.row(row, from, (&state.positions[child], &state.rotations[child]));
            let mut rate = value.child.on_twists(&state.rotations[child]).dot(&self.twists[child]);
            if let Some(p) = parent {
                rate += value.parent.on_twists(&state.rotations[p]).dot(&self.twists[p]);
            }
            m.position_violation = m.position_violation.max(value.value.abs());
            m.velocity_violation = m.velocity_violation.max(rate.abs());
        }
    }
}
