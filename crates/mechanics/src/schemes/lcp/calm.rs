//! Energy that a step would bring because its problem was not solved, taken from its impulses.
//!
//! Impulses of a solver that stopped early may push where bodies part. Where that brings energy, the bodies that touch each other,
//! however indirectly, get a part of their impulses only: the largest with which they gain none.
//!
//! ```text
//! v ← v* + t (v - v*)        gain(t) = gain(0) + B t + A t² = 0,   t in [0, 1]
//! A = ½ |v - v*|²_M          B = gain(1) - gain(0) - A             gain(0) = -½ |v* - v₀|²_M - (what the gyroscopic term takes)
//! ```
//!
//! Friction stays within its cones, and what is missing is overlap, which later steps mend.

use super::brake::largest;
use super::{GAIN, Lcp};
use crate::contact::ContactGeometry;
use crate::model::Model;
use crate::spatial::{Vec6, angular, linear};

/// What bodies that touch each other gain.
#[derive(Clone, Copy, Debug, Default)]
struct Gain {
    /// `gain(0)`, `gain(1)`, A, and the size that they are measured by.
    idle: f64,
    whole: f64,
    square: f64,
    size: f64,
    /// t.
    part: f64,
}

/// Bodies that touch each other, by slot; its memory serves again.
#[derive(Debug, Default)]
pub(super) struct Groups {
    leader: Vec<usize>,
    gains: Vec<Gain>,
}

impl Groups {
    fn find(&mut self, mut slot: usize) -> usize {
        while self.leader[slot] != slot {
            self.leader[slot] = self.leader[self.leader[slot]];
            slot = self.leader[slot];
        }
        slot
    }

    fn tie(&mut self, a: Option<usize>, b: Option<usize>) {
        if let (Some(a), Some(b)) = (a, b) {
            let (a, b) = (self.find(a), self.find(b));
            self.leader[a.max(b)] = a.min(b);
        }
    }
}

impl Lcp {
    /// Scales the impulses of bodies that would gain energy; returns the least part that any keep.
    pub(super) fn calm(&mut self, model: &Model, contacts: Option<&ContactGeometry>, h: f64) -> f64 {
        let mut groups = std::mem::take(&mut self.groups);
        let slots = |pair: (usize, usize)| {
            let of = |part: usize| contacts.and_then(|contacts| contacts.parts[part].slot);
            (of(pair.0), of(pair.1))
        };
        groups.leader.clear();
        groups.leader.extend(0..model.moving());
        groups.gains.clear();
        groups.gains.resize(model.moving(), Gain::default());
        for spot in &self.spots.list {
            let (a, b) = slots(spot.pair);
            groups.tie(a, b);
        }
        model.closures.iter().for_each(|closure| groups.tie(closure.parent, Some(closure.child)));
        for &(slot, _) in &self.assembly.members {
            let (link, rotation) = (&model.links[slot], &self.next.rotations[slot]);
            let kinetic = |t: &Vec6| {
                let w = rotation.tr_mul(&angular(t));
                0.5 * (link.mass * linear(t).norm_squared() + w.dot(&link.inertia.component_mul(&w)))
            };
            let (flown, after, force) = (&self.flown[slot], &self.after[slot], self.wrenches[slot] * h);
            let (before, end) = (kinetic(&self.before[slot]), kinetic(after));
            let leader = groups.find(slot);
            let gain = &mut groups.gains[leader];
            gain.idle += kinetic(flown) - before - force.dot(flown);
            gain.whole += end - before - force.dot(after);
            gain.square += kinetic(&(after - flown));
            gain.size += before + end + force.dot(after).abs();
            gain.size += linear(&self.wrenches[slot]).norm() * self.reaches[slot];
        }
        // What driven bodies do is work.
        for ((spot, c), drag) in self.spots.list.iter().zip(&self.normals).zip(&self.drags) {
            let (a, b) = slots(spot.pair);
            if let Some(slot) = a.or(b) {
                let leader = groups.find(slot);
                groups.gains[leader].whole += c * spot.carried + drag.dot(&spot.wall);
            }
        }
        let mut least = 1.0_f64;
        for gain in &mut groups.gains {
            let nothing = GAIN * gain.size;
            gain.part = if gain.whole > nothing {
                let straight = gain.whole - gain.idle - gain.square;
                largest(gain.square, straight, nothing - gain.idle)
            } else {
                1.0
            };
            least = least.min(gain.part);
        }
        if least < 1.0 {
            for &(slot, _) in &self.assembly.members {
                let leader = groups.find(slot);
                let part = groups.gains[leader].part;
                self.after[slot] = self.flown[slot] + (self.after[slot] - self.flown[slot]) * part;
            }
            for (k, spot) in self.spots.list.iter().enumerate() {
                let (a, b) = slots(spot.pair);
                if let Some(slot) = a.or(b) {
                    let leader = groups.find(slot);
                    let part = groups.gains[leader].part;
                    self.normals[k] *= part;
                    self.drags[k] *= part;
                }
            }
        }
        self.groups = groups;
        least
    }
}
