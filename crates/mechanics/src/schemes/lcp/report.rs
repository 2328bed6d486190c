//! What a step tells: impulses for the ledger, meetings for whoever watches, how far constraints are violated.

use super::{Lcp, SLOW, approach};
use crate::contact::ContactGeometry;
use crate::model::Model;
use crate::model::State;
use crate::spatial::{Vec6, angular, linear, twist};
use crate::step_record::{Impact, ImpactKind, JumpSource, MomentumJump};
use percussion_geometry::Vec3;

impl Lcp {
    /// Writes the transcript of the step from `state` to `next`.
    pub(super) fn report(&mut self, model: &Model, state: &State, h: f64) {
        self.transcript.solve = Some(self.solve);
        self.transcript.infeasibility = Some(self.assembly.opening.max(self.spots.deepest.1));
        let Some(contacts) = self.contacts.clone() else { return };
        self.book(model, &contacts, state);
        self.meet(model, &contacts, state, h);
    }

    /// Books impulses, and the energy that they brought or took: `K(v) - K(v₀) = (h F + J)·(v + v₀)/2`.
    fn book(&mut self, model: &Model, contacts: &ContactGeometry, state: &State) {
        self.pushes.fill([Vec6::zeros(); 2]);
        for (k, spot) in self.spots.list.iter().enumerate() {
            let (c, drag) = (self.normals[k], &self.drags[k]);
            if c == 0.0 && *drag == Vec3::zeros() {
                continue;
            }
            let slots = [spot.pair.0, spot.pair.1].map(|part| contacts.parts[part].slot);
            for (side, slot) in slots.into_iter().enumerate() {
                let Some(slot) = slot else { continue };
                let along = if side == 0 { *drag } else { -drag };
                let turn = (spot.point - state.positions[slot]).cross(&along);
                let [push, rub] = &mut self.pushes[slot];
                *push += spot.wrenches[side] * c;
                *rub += twist(&along, &turn);
            }
        }
        let (mut normal, mut friction) = (0.0, 0.0);
        for (slot, [push, rub]) in self.pushes.iter().enumerate() {
            if *push == Vec6::zeros() && *rub == Vec6::zeros() {
                continue;
            }
            // Velocities of the end in the axes of the beginning, in which impulses act.
            let turned =
                state.rotations[slot] * self.next.rotations[slot].tr_mul(&angular(&self.after[slot]));
            let end = twist(&linear(&self.after[slot]), &turned);
            let mean = (self.before[slot] + end) * 0.5;
            normal += push.dot(&mean);
            friction += rub.dot(&mean);
            for (cause, wrench) in [(JumpSource::Contact, push), (JumpSource::Friction, rub)] {
                self.transcript.jumps.push(jump(cause, slot, &state.positions[slot], wrench));
            }
        }
        let slot = 0;
        if model.moving() > 0 {
            self.transcript.energy(JumpSource::Contact, slot, normal);
            self.transcript.energy(JumpSource::Friction, slot, friction);
        }
    }

    /// Tells of pairs that met faster than contacts at rest do.
    fn meet(&mut self, model: &Model, contacts: &ContactGeometry, state: &State, h: f64) {
        let slow = SLOW * h * model.gravity.norm();
        let list = &self.spots.list;
        let mut from = 0;
        while from < list.len() {
            let pair = list[from].pair;
            let to = from + list[from..].iter().take_while(|spot| spot.pair == pair).count();
            let spots = from..to;
            from = to;
            let mut fastest: Option<(f64, usize)> = None;
            for k in spots.clone().filter(|k| self.normals[*k] != 0.0) {
                let speed = approach(contacts, &list[k], &self.before) * list[k].metres;
                if fastest.is_none_or(|(least, _)| speed < least) {
                    fastest = Some((speed, k));
                }
            }
            let Some((speed, k)) = fastest.filter(|(speed, _)| -speed > slow) else { continue };
            let (mut impulse, mut weight, mut point) = (Vec3::zeros(), 0.0, Vec3::zeros());
            for (k, spot) in list.iter().enumerate().take(spots.end).skip(spots.start) {
                let push =
                    linear(&spot.wrenches[0]) * self.normals[k] - linear(&spot.wrenches[1]) * self.normals[k];
                let both = contacts.parts[pair.0].slot.is_some() && contacts.parts[pair.1].slot.is_some();
                let push = if both { push * 0.5 } else { push };
                impulse += push + self.drags[k];
                let size = push.norm();
                weight += size;
                point += spot.point * size;
            }
            let spot = &list[k];
            let energy = |twists: &[Vec6]| -> f64 {
                [pair.0, pair.1]
                    .iter()
                    .filter_map(|part| contacts.parts[*part].slot)
                    .map(|slot| {
                        let (link, t) = (&model.links[slot], &twists[slot]);
                        let w = state.rotations[slot].tr_mul(&angular(t));
                        0.5 * (link.mass * linear(t).norm_squared() + w.dot(&link.inertia.component_mul(&w)))
                    })
                    .sum()
            };
            self.transcript.impacts.push(Impact {
                time: state.time + h,
                bodies: (contacts.parts[pair.0].body, contacts.parts[pair.1].body),
                point: point / weight,
                normal: spot.normal,
                impulse,
                energy: (energy(&self.before), energy(&self.after)),
                speed: (speed, approach(contacts, spot, &self.after) * spot.metres),
                kind: ImpactKind::Stepped,
            });
        }
    }
}

/// An impulse on a body as the ledger wants it.
fn jump(cause: JumpSource, slot: usize, centre: &Vec3, wrench: &Vec6) -> MomentumJump {
    let push = linear(wrench);
    MomentumJump {
        source: cause,
        slot,
        linear: push,
        angular: centre.cross(&push) + angular(wrench),
        energy: 0.0,
    }
}
