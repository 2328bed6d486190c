//! One closed contact: its frames at both ends of the interval, and its impulses.

use super::interval::ContactLimits;
use super::{GAP_DECAY, GAP_ROUNDING};
use crate::contact::{ContactFrame, ContactFunction};
use percussion_geometry::Vec3;

/// A closed contact, or one that may close in the interval.
#[derive(Clone, Debug)]
pub(crate) struct ClosedContact {
    /// The gap as a function of the configuration.
    pub function: ContactFunction,
    /// Coefficient of friction.
    pub friction: f64,
    /// Rounding of the gap, m.
    pub rounding: f64,
    /// Whether it is left out of the equations.
    pub excluded: bool,
    /// At the start of the interval.
    pub start: ContactFrame,
    /// Tangents there.
    pub start_tangents: [Vec3; 2],
    /// At the end.
    pub end: ContactFrame,
    /// Impulse on `a` at the start: normal, and along the tangents there, N s.
    pub impulse_start: [f64; 3],
    /// Impulse on `a` at the end: normal, and along the tangents there, N s.
    pub impulse_end: [f64; 3],
    /// Length of the interval of the impulses, s.
    pub interval: f64,
    /// Slip over the interval along the carried tangents, m.
    pub slip: [f64; 2],
    /// Whether it slides over the interval.
    pub slides: bool,
}

impl ClosedContact {
    /// A contact at the start of an interval, of parts of a size.
    pub fn new(
        function: ContactFunction,
        start: ContactFrame,
        tangents: (Vec3, Vec3),
        friction: f64,
        size: f64,
    ) -> Self {
        Self {
            rounding: GAP_ROUNDING * (start.point.amax() + size),
            function,
            friction,
            excluded: false,
            start,
            start_tangents: [tangents.0, tangents.1],
            end: start,
            impulse_start: [0.0; 3],
            impulse_end: [0.0; 3],
            interval: 0.0,
            slip: [0.0; 2],
            slides: false,
        }
    }

    /// Gap at the end of an interval of length `h` beyond the one to which the contact may close. Redundant contacts whose gaps differ by
    /// rounding would load one another if all had to vanish at once: what is left of a closed gap decays over steps. Deeper penetration
    /// decreases by as much: errors do not add up, and bodies that start in penetration keep it nearly.
    pub fn gap_to_close(&self, h: f64, limits: &ContactLimits) -> f64 {
        let (start, decay) = (self.start.gap, GAP_DECAY * (h / limits.step).clamp(0.0, 1.0));
        let kept = if start > limits.closed_gap {
            0.0
        } else if start < -limits.closed_gap {
            start + decay * limits.closed_gap
        } else {
            start * (1.0 - decay)
        };
        let gap = self.end.gap - kept;
        if gap.abs() <= self.rounding { 0.0 } else { gap }
    }

    /// Scales the impulses to an interval of another length: initial values of a solver.
    pub fn scale_impulses(&mut self, h: f64) {
        let factor = if self.interval > 0.0 && !self.excluded { h / self.interval } else { 0.0 };
        self.impulse_start.iter_mut().chain(&mut self.impulse_end).for_each(|x| *x *= factor);
        self.interval = h;
    }

    /// The tangents carried to another normal by the smallest rotation.
    pub fn carried_tangents(&self, normal: &Vec3) -> [Vec3; 2] {
        let from = &self.start.normal;
        let sum = from + normal;
        let scale = 1.0 + from.dot(normal);
        // Opposite normals: no rotation is smallest.
        if !(scale > 1e-12) {
            return self.start_tangents;
        }
        self.start_tangents.map(|t| t - sum * (t.dot(normal) / scale))
    }

    /// The tangents at the end.
    pub fn end_tangents(&self) -> [Vec3; 2] {
        self.carried_tangents(&self.end.normal)
    }

    /// The tangents of the mean normal.
    pub fn mean_tangents(&self) -> [Vec3; 2] {
        let sum = self.start.normal + self.end.normal;
        match sum.try_normalize(1e-6) {
            Some(mean) => self.carried_tangents(&mean),
            None => self.start_tangents,
        }
    }

    /// Normal and tangential impulse on `a` at the start, world.
    pub fn impulses_at_start(&self) -> (Vec3, Vec3) {
        impulses(&self.start.normal, &self.start_tangents, &self.impulse_start)
    }

    /// Normal and tangential impulse on `a` at the end, world.
    pub fn impulses_at_end(&self) -> (Vec3, Vec3) {
        impulses(&self.end.normal, &self.end_tangents(), &self.impulse_end)
    }
}

fn impulses(normal: &Vec3, tangents: &[Vec3; 2], impulse: &[f64; 3]) -> (Vec3, Vec3) {
    (normal * impulse[0], tangents[0] * impulse[1] + tangents[1] * impulse[2])
}
