//! Impact laws as functions of velocities along the directions and of the impulses, with their gradients.
//!
//! ```text
//! restitution  s⁻ + e s⁺        stop  s⁻        stick  s⁻, μ² Λn² - |Λt|²        slide  Λt + μ Λn s⁻/|s⁻|
//! ```

use super::constraint::{ContactConstraint, ImpulseLaw};

/// Places of the directions of each constraint: those of its normal law, and the two tangents.
fn places(
    constraints: &[ContactConstraint],
) -> impl Iterator<Item = (&ContactConstraint, std::ops::Range<usize>, [usize; 2])> {
    let mut next = 0;
    constraints.iter().map(move |constraint| {
        let first = next;
        next += constraint.directions.count();
        let normal = if constraint.directions.has_normal() { 1 } else { constraint.directions.count() };
        (constraint, first..first + normal, [first + 1, first + 2])
    })
}

fn size(velocity: [f64; 2]) -> f64 {
    velocity[0].hypot(velocity[1]).max(f64::MIN_POSITIVE)
}

/// The laws of all constraints, one after the other, from velocities before and after and impulses.
pub(super) fn values(
    constraints: &[ContactConstraint],
    (before, after): (&[f64], &[f64]),
    impulses: &[f64],
    out: &mut [f64],
) {
    let mut out = out.iter_mut();
    let mut put = |value: f64| {
        if let Some(place) = out.next() {
            *place = value;
        }
    };
    for (constraint, along, tangents) in places(constraints) {
        let first = along.start;
        match constraint.normal {
            ImpulseLaw::Restitution(e) => along.for_each(|row| put(after[row] + e * before[row])),
            ImpulseLaw::Stop => along.for_each(|row| put(after[row])),
            _ => {}
        }
        match constraint.tangential {
            ImpulseLaw::Stop => tangents.into_iter().for_each(|row| put(after[row])),
            ImpulseLaw::Stick(mu) => {
                tangents.into_iter().for_each(|row| put(after[row]));
                let [t, s] = tangents.map(|row| impulses[row]);
                put(mu * mu * impulses[first] * impulses[first] - t * t - s * s);
            }
            ImpulseLaw::Slide(mu) => {
                let size = size(tangents.map(|row| after[row]));
                tangents
                    .into_iter()
                    .for_each(|row| put(impulses[row] + mu * impulses[first] * after[row] / size));
            }
            _ => {}
        }
    }
}

/// Adds the gradient of the weighted sum of the laws by velocities before and after and by impulses.
pub(super) fn add_gradient(
    constraints: &[ContactConstraint],
    after: &[f64],
    impulses: &[f64],
    weights: &[f64],
    (by_before, by_after, by_impulses): (&mut [f64], &mut [f64], &mut [f64]),
) {
    let mut weights = weights.iter().copied();
    let mut weight = || weights.next().unwrap_or(0.0);
    for (constraint, along, tangents) in places(constraints) {
        let first = along.start;
        for row in along {
            match constraint.normal {
                ImpulseLaw::Restitution(e) => {
                    let w = weight();
                    by_after[row] += w;
                    by_before[row] += w * e;
                }
                ImpulseLaw::Stop => by_after[row] += weight(),
                _ => {}
            }
        }
        match constraint.tangential {
            ImpulseLaw::Stop => tangents.into_iter().for_each(|row| by_after[row] += weight()),
            ImpulseLaw::Stick(mu) => {
                tangents.into_iter().for_each(|row| by_after[row] += weight());
                let w = 2.0 * weight();
                by_impulses[first] += w * mu * mu * impulses[first];
                tangents.into_iter().for_each(|row| by_impulses[row] -= w * impulses[row]);
            }
            ImpulseLaw::Slide(mu) => {
                let slip = tangents.map(|row| after[row]);
                let (size, w) = (size(slip), [weight(), weight()]);
                let direction = slip.map(|v| v / size);
                let sum = w[0] * direction[0] + w[1] * direction[1];
                by_impulses[first] += mu * sum;
                for i in 0..2 {
                    by_impulses[tangents[i]] += w[i];
                    by_after[tangents[i]] += mu * impulses[first] * (w[i] - sum * direction[i]) / size;
                }
            }
            _ => {}
        }
    }
}
