//! Laws of impulses as functions of velocities along the directions and of the impulses themselves, with their gradients.
//!
//! ```text
//! restitution  s⁻ + e s⁺        stop  s⁻        stick  s⁻, μ² Λn² - |Λt|²        slide  Λt + μ Λn s⁻/|s⁻|
//! ```

use super::local::{Event, Law};

/// Places of an event's directions: the first, how many its law along holds, and those across.
fn places(events: &[Event]) -> impl Iterator<Item = (&Event, std::ops::Range<usize>, [usize; 2])> {
    let mut next = 0;
    events.iter().map(move |event| {
        let first = next;
        next += event.directions.count();
        let held = if event.directions.pushes() { 1 } else { event.directions.count() };
        (event, first..first + held, [first + 1, first + 2])
    })
}

fn size(slip: [f64; 2]) -> f64 {
    slip[0].hypot(slip[1]).max(f64::MIN_POSITIVE)
}

/// The laws of events, one after the other, from velocities before and after and impulses.
pub(super) fn values(events: &[Event], (before, after): (&[f64], &[f64]), impulses: &[f64], out: &mut [f64]) {
    let mut out = out.iter_mut();
    let mut put = |value: f64| {
        if let Some(place) = out.next() {
            *place = value;
        }
    };
    for (event, along, across) in places(events) {
        let first = along.start;
        match event.normal {
            Law::Restitution(e) => along.for_each(|row| put(after[row] + e * before[row])),
            Law::Stop => along.for_each(|row| put(after[row])),
            _ => {}
        }
        match event.across {
            Law::Stop => across.into_iter().for_each(|row| put(after[row])),
            Law::Stick(mu) => {
                across.into_iter().for_each(|row| put(after[row]));
                let [t, s] = across.map(|row| impulses[row]);
                put(mu * mu * impulses[first] * impulses[first] - t * t - s * s);
            }
            Law::Slide(mu) => {
                let size = size(across.map(|row| after[row]));
                across
                    .into_iter()
                    .for_each(|row| put(impulses[row] + mu * impulses[first] * after[row] / size));
            }
            _ => {}
        }
    }
}

/// Adds the gradient of the laws' weighted sum by velocities before and after and by impulses.
pub(super) fn slopes(
    events: &[Event],
    after: &[f64],
    impulses: &[f64],
    weights: &[f64],
    (by_before, by_after, by_impulses): (&mut [f64], &mut [f64], &mut [f64]),
) {
    let mut weights = weights.iter().copied();
    let mut weight = || weights.next().unwrap_or(0.0);
    for (event, along, across) in places(events) {
        let first = along.start;
        for row in along {
            match event.normal {
                Law::Restitution(e) => {
                    let w = weight();
                    by_after[row] += w;
                    by_before[row] += w * e;
                }
                Law::Stop => by_after[row] += weight(),
                _ => {}
            }
        }
        match event.across {
            Law::Stop => across.into_iter().for_each(|row| by_after[row] += weight()),
            Law::Stick(mu) => {
                across.into_iter().for_each(|row| by_after[row] += weight());
                let w = 2.0 * weight();
                by_impulses[first] += w * mu * mu * impulses[first];
                across.into_iter().for_each(|row| by_impulses[row] -= w * impulses[row]);
            }
            Law::Slide(mu) => {
                let slip = across.map(|row| after[row]);
                let (size, w) = (size(slip), [weight(), weight()]);
                let direction = slip.map(|v| v / size);
                let sum = w[0] * direction[0] + w[1] * direction[1];
                by_impulses[first] += mu * sum;
                for i in 0..2 {
                    by_impulses[across[i]] += w[i];
                    by_after[across[i]] += mu * impulses[first] * (w[i] - sum * direction[i]) / size;
                }
            }
            _ => {}
        }
    }
}
