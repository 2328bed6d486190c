//! Islands that meet at an instant: who takes part, what the law of impact does to their momenta, and what is told of it.

use super::{Exact, TOUCH, Watched, failure};
use crate::contact::Part;
use crate::discrete::{StepError, StepFailure};
use crate::model::Model;
use crate::response::impulse::{Ground, Laws, Spots, energy};
use crate::response::{CollisionModel, ContactOptions, FrictionLaw, ImpactLaw};
use crate::spatial::{angular, linear};
use crate::step_record::{Impact, ImpactKind, JumpSource};
use percussion_geometry::Vec3;
use percussion_geometry::separation::QueryError;

/// Closing speed that is rounding, relative to the greatest there could be.
const STILL: f64 = 1e-12;
/// Duration of a bounce, as part of a step, below which a contact rests: where every bounce loses energy, and where none does.
const LOW_BOUNCE: f64 = 1e-4;
const LOWEST_BOUNCE: f64 = 1e-5;
/// Part of a step within which two contacts are looked at together.
const NEAR_IN_TIME: f64 = 1e-9;

/// What an impact came to.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Verdict {
    /// Momenta have changed.
    Done,
    /// No contact closes.
    Rests,
}

impl Exact {
    /// Everything that touches at `t` and hangs together with a pair that does.
    pub(super) fn cluster(&mut self, model: &Model, first: usize, t: f64, h: f64) -> Result<(), StepFailure> {
        self.cluster.clear();
        self.contacts_met.clear();
        let pair = self.pairs[first].pair;
        self.cluster.extend(self.island(pair.0));
        let other = self.island(pair.1);
        self.cluster.extend(other.filter(|island| !self.cluster.contains(island)));
        self.pairs.iter_mut().for_each(|watched| watched.asked = false);
        let mut grown = true;
        while grown {
            grown = false;
            for k in 0..self.pairs.len() {
                let pair = self.pairs[k].pair;
                let islands = [self.island(pair.0), self.island(pair.1)];
                if self.pairs[k].asked
                    || !islands.iter().flatten().any(|island| self.cluster.contains(island))
                    || islands.iter().flatten().any(|&island| self.handed[island])
                {
                    continue;
                }
                self.pairs[k].asked = true;
                // Certified far beyond this instant: not touching.
                if k != first && self.pairs[k].clear > t + NEAR_IN_TIME * h {
                    continue;
                }
                self.bring(model, pair, t)?;
                if self.touches(model, k)? || k == first {
                    let cluster = &self.cluster;
                    let new = islands.into_iter().flatten().find(|island| !cluster.contains(island));
                    self.cluster.extend(new);
                    grown |= new.is_some();
                }
            }
        }
        self.cluster.sort_unstable();
        Ok(())
    }

    /// A body of the islands that meet.
    pub(super) fn first_of_cluster(&self, model: &Model) -> usize {
        self.cluster.first().map_or(0, |&index| model.links[model.islands[index].bodies.start].body)
    }

    /// Adds the contacts of a pair, if it touches at the probe.
    pub(super) fn touches(&mut self, model: &Model, k: usize) -> Result<bool, StepFailure> {
        let Watched { pair, mut memory, .. } = self.pairs[k];
        let (p, q) = (&self.contacts.parts[pair.0], &self.contacts.parts[pair.1]);
        let poses = (p.body_pose(&self.paths.probe), q.body_pose(&self.paths.probe));
        let poses = (&poses.0, &poses.1);
        let wrong = |error: QueryError| failure(model, &self.paths.node, p.body, error.into());
        let apart = self.contacts.touch(pair, poses, f64::INFINITY, &mut memory).map_err(wrong)?.gap();
        if apart > TOUCH * self.size {
            return Ok(false);
        }
        let touch = self.contacts.resolved(pair, poses, &mut memory).map_err(wrong)?;
        let Spots { touches, room, .. } = &mut self.spots;
        touches.clear();
        if self.options.law != ImpactLaw::Sum {
            let window = TOUCH * self.size;
            self.contacts.events(pair, poses, window, &mut memory, room, touches).map_err(wrong)?;
        }
        if touches.is_empty() {
            touches.push(touch);
        }
        self.contacts_met.extend(touches.iter().map(|one| (pair, *one, touch)));
        Ok(true)
    }

    /// Whether a pair that touches at the probe opens everywhere, and does not rest: the certificate only could not tell.
    pub(super) fn parts_company(&mut self, model: &Model, k: usize, h: f64) -> Result<bool, StepFailure> {
        self.contacts_met.clear();
        if !self.touches(model, k)? {
            return Ok(true);
        }
        let pair = self.pairs[k].pair;
        let parts = [pair.0, pair.1].map(|part| &self.contacts.parts[part]);
        let slots = || parts.iter().filter_map(|part| part.slot);
        let pull = slots().map(|slot| self.paths.bounds[slot].pull()).fold(0.0, f64::max);
        let velocity = |part: &Part, point: &Vec3| {
            part.slot.map_or_else(Vec3::zeros, |slot| {
                let twist = &self.paths.twists[slot];
                linear(twist) + angular(twist).cross(&(point - self.paths.probe.positions[slot]))
            })
        };
        Ok(self.contacts_met.iter().all(|(_, touch, _)| {
            let point = touch.point();
            touch.normal().dot(&(velocity(parts[0], &point) - velocity(parts[1], &point)))
                > pull * h * LOW_BOUNCE
        }))
    }

    /// Lets the law of impact change the momenta of the cluster at its nodes.
    pub(super) fn strike(&mut self, model: &Model, h: f64) -> Result<Verdict, StepError> {
        self.group.begin(model, &self.paths.node, &self.cluster)?;
        self.metric.begin(model, &mut self.group)?;
        self.group.momenta(model, &self.paths.node, &mut self.momenta);
        self.laws.u.clone_from(&self.momenta);
        self.metric.weigh(&mut self.laws.u);
        let (group, metric) = (&mut self.group, &self.metric);
        let mut ground = Ground { model, contacts: &self.contacts, at: &self.paths.node, group, metric };
        self.spots.clear();
        for (pair, touch, whole) in &self.contacts_met {
            let from = self.spots.list.len();
            self.spots.add(&mut ground, *pair, touch, whole);
            let known =
                self.spots.pairs.last_mut().filter(|range| self.spots.list[range.start].pair == *pair);
            match known {
                Some(range) => range.end = self.spots.list.len(),
                None if self.spots.list.len() > from => self.spots.pairs.push(from..self.spots.list.len()),
                None => {}
            }
        }
        for spot in &mut self.spots.list {
            match self.loss {
                Some(CollisionModel::Elastic) => (spot.restitution, spot.friction) = (1.0, 0.0),
                None | Some(CollisionModel::Frictionless) => spot.friction = 0.0,
                Some(CollisionModel::Frictional | CollisionModel::Plastic) => {}
            }
        }
        let slowest = self.slowest(model, h);
        let speed = (2.0 * energy(&self.laws.u)).sqrt();
        let (rows, u) = (&self.spots.rows, &self.laws.u);
        let closes =
            |row: usize| rows.dot(row, u) < -slowest.max(STILL * speed * rows.product(row, row).sqrt());
        if !self.spots.list.iter().any(|spot| closes(spot.rows[0])) {
            return Ok(Verdict::Rests);
        }
        if self.loss == Some(CollisionModel::Plastic) {
            self.laws.stop(&mut self.spots)?;
        } else {
            if self.options.law == ImpactLaw::Sum {
                // What opens already takes no part in the sum: a floor does not pull.
                self.spots.list.retain(|spot| closes(spot.rows[0]));
                self.spots.pairs.clear();
                self.spots.pairs.extend((0..self.spots.list.len()).map(|k| k..k + 1));
            }
            let options = ContactOptions { friction: FrictionLaw::Coulomb, ..self.options };
            self.laws.strike(&options, &mut self.spots, &mut self.no_spots)?;
        }
        let Laws { u, start, .. } = &self.laws;
        self.jump.clear();
        self.jump.extend(u.iter().zip(start).map(|(u, start)| u - start));
        self.metric.unweigh(&mut self.jump);
        self.momenta.iter_mut().zip(&self.jump).for_each(|(p, change)| *p += change);
        Ok(Verdict::Done)
    }

    /// Closing speed below which the contacts of the cluster rest, m/s: they would be back within a small part of the step.
    pub(super) fn slowest(&self, model: &Model, h: f64) -> f64 {
        let bodies = self.cluster.iter().flat_map(|&index| model.islands[index].bodies.clone());
        let pull = bodies.map(|slot| self.paths.bounds[slot].pull()).fold(0.0, f64::max);
        pull * h * if self.loses() { LOW_BOUNCE } else { LOWEST_BOUNCE }
    }

    /// Impulses and energies for the ledger; for whoever watches, one impact for each pair that met.
    pub(super) fn write_down(&mut self, model: &Model, time: f64, scale: f64) {
        let Laws { u, start, friction, .. } = &mut self.laws;
        u.iter_mut().zip(start.iter()).for_each(|(u, start)| *u = start + scale * (*u - start));
        let (before, after, rubbed) = (energy(start), energy(u), *friction * scale);
        for range in &self.spots.pairs {
            let mut met: Option<Impact> = None;
            for spot in &self.spots.list[range.clone()] {
                let (along, across) = (spot.normal * (spot.push * scale), spot.drag * scale);
                let parts = (&self.contacts.parts[spot.pair.0], &self.contacts.parts[spot.pair.1]);
                for (part, sign) in [(parts.0, 1.0), (parts.1, -1.0)] {
                    let Some(slot) = part.slot else { continue };
                    self.transcript.impulse(JumpSource::Contact, slot, &spot.point, &(along * sign));
                    if across != Vec3::zeros() {
                        self.transcript.impulse(JumpSource::Friction, slot, &spot.point, &(across * sign));
                    }
                }
                if spot.push == 0.0 && across == Vec3::zeros() {
                    continue;
                }
                let impact = Impact {
                    time,
                    bodies: (parts.0.body, parts.1.body),
                    point: spot.point,
                    normal: spot.normal,
                    impulse: along + across,
                    energy: (before, after),
                    speed: (spot.before, self.spots.rows.dot(spot.rows[0], &self.laws.u)),
                    kind: ImpactKind::Impact,
                };
                match &mut met {
                    Some(known) => known.join(&impact),
                    None => met = Some(impact),
                }
            }
            self.transcript.impacts.extend(met);
        }
        if let (true, Some(&index)) = (self.loses(), self.cluster.first()) {
            let slot = model.islands[index].bodies.start;
            self.transcript.energy(JumpSource::Contact, slot, after - before - rubbed);
            if rubbed != 0.0 {
                self.transcript.energy(JumpSource::Friction, slot, rubbed);
            }
        }
    }
}
