//! Projected Gauss-Seidel sweeps: every contact in turn, the others fixed.

use super::residual::nearest_on_disc;
use super::system::{ContactLaw, ContactSystem};

/// Projections of the tangential impulse of one contact in a sweep.
const TANGENTIAL_PROJECTIONS: usize = 3;

/// One sweep over all contacts; updates impulses and velocities.
pub(super) fn sweep(system: &ContactSystem, x: &mut [[f64; 3]], v: &mut [f64]) {
    for (k, (contact, x)) in system.contacts.iter().zip(x).enumerate() {
        let mut y = system.value(k, v);
        let before = *x;
        let local = &contact.local;
        let normal = contact.projected(x[0], &y);
        let change = normal - x[0];
        x[0] = normal;
        (1..3).for_each(|r| y[r] += local[r][0] * change);
        match contact.law {
            ContactLaw::Cone { friction: 0.0 } | ContactLaw::Bounded { .. } => (x[1], x[2]) = (0.0, 0.0),
            ContactLaw::Cone { .. } | ContactLaw::Tresca { .. } => {
                for _ in 0..TANGENTIAL_PROJECTIONS {
                    let next = nearest_on_disc(contact.tangential_step(x, &y), contact.law.radius(x[0]));
                    let change = [next[0] - x[1], next[1] - x[2]];
                    (x[1], x[2]) = (next[0], next[1]);
                    (1..3).for_each(|r| y[r] += local[r][1] * change[0] + local[r][2] * change[1]);
                }
            }
            ContactLaw::Sliding { friction, direction } => {
                (x[1], x[2]) = (-friction * x[0] * direction[0], -friction * x[0] * direction[1]);
            }
        }
        let change = [x[0] - before[0], x[1] - before[1], x[2] - before[2]];
        if change != [0.0; 3] {
            system.add_impulse(k, &change, 1.0, v);
        }
    }
}
