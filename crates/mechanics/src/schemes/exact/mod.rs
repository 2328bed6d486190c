//! The exact variational collision integrator [Johnson 3.4, 3.75-3.76; Leyendecker 3; Pekarek].
//!
//! Contact time and configuration are solved for inside the step; momenta jump there and the step goes on from the
//! node until its end is reached.
//!
//! ```text
//! trial step of all islands                                                        schemes/variational.rs
//! pairs whose swept boxes touch, each with the time until which it is certainly apart     paths.rs, search.rs
//! while the earliest of these is within the step
//!     look at the pair there: apart still?   then certify on
//!     touching:  all contacts of the islands that meet here, at one node            cluster
//!                momenta jump                                                       schemes/impulse/, jump.rs
//!                the islands go on from the node; their pairs are certified anew
//!     too many impacts of an island:  the decomposition scheme finishes its step
//! ```
//!
//! Islands that do not meet know nothing of each other: there is no common subdivision of the step. A collision is not
//! missed because the trial step ends apart: every pair is certified from the beginning of the step to its end.
//!
//! Energy at an impact: `projected` keeps the Hamiltonian of the reduced momenta [3.74], the reflection in closed form;
//! `discrete` keeps `E_d` of the intervals before and after [3.76b] by scaling the jump, one scalar equation. With
//! restitution both lose what the reflection loses.

mod balls;
mod jump;
mod paths;
mod search;

use super::decomposition::Response;
use super::impulse::{Ground, Laws, Metric, Spots, energy};
use super::{Scheme, Variational};
use crate::contact::{
    ContactOptions, Contacts, EnergyJump, FrictionLaw, Group, Impact, ImpactKind, ImpactLaw, JumpCause, Loss,
    Memory, Touch, Transcript, Watch,
};
use crate::discrete::{Effort, StepFailure, Trouble};
use crate::model::Model;
use crate::state::State;
use paths::Paths;
use percussion_geometry::separation::QueryError;
use percussion_geometry::{Aabb, Vec3};
use search::{Side, clear_for};
use std::sync::Arc;

/// A pair on watch in the present step.
#[derive(Clone, Copy, Debug)]
struct Watched {
    pair: (usize, usize),
    /// Certainly apart until then, s since the beginning of the step.
    clear: f64,
    /// How often it was looked at.
    looks: usize,
    /// Whether the present cluster knows it.
    asked: bool,
    memory: Memory,
}

/// The exact scheme and its memory.
#[derive(Debug)]
pub struct Exact {
    name: &'static str,
    options: ContactOptions,
    loss: Option<Loss>,
    contacts: Arc<Contacts>,
    trial: Variational,
    paths: Paths,
    watch: Watch,
    boxes: Vec<Aabb>,
    pairs: Vec<Watched>,
    island_of: Vec<usize>,
    /// Impacts of each island in the step.
    count: Vec<usize>,
    /// Islands handed to the decomposition scheme.
    handed: Vec<bool>,
    /// Those of them whose contacts rest, or come to rest by bouncing ever lower.
    resting: Vec<bool>,
    cluster: Vec<usize>,
    /// Contacts of the cluster: the pair, one of its touches, and its contact as a whole.
    contacts_met: Vec<((usize, usize), Touch, Touch)>,
    group: Group,
    metric: Metric,
    spots: Spots,
    /// Of the decomposition scheme's printed friction, which has no place here.
    no_spots: Spots,
    laws: Laws,
    momenta: Vec<f64>,
    /// What the impact did to the momenta.
    jump: Vec<f64>,
    transcript: Transcript,
    response: Response,
    /// Typical size of the parts, m.
    size: f64,
}

/// Gap, relative to the size of the scene's parts, at which parts touch.
const TOUCH: f64 = 1e-10;
/// Part of the step below which a certificate brings nothing: the parts touch.
const STALLED: f64 = 1e-13;
/// Looks at a pair in one step after which it is hurried on: bounds on its motion are far too wide, as for a body that spins
/// wildly close to another without touching it.
const LOOKS: usize = 1000;
/// Part of a step by which such a pair is moved on at least.
const HURRY: f64 = 1e-3;

impl Exact {
    /// For a model with contact and a state of it.
    pub fn new(
        model: &Model,
        contacts: Arc<Contacts>,
        state: &State,
        options: &ContactOptions,
        loss: Option<Loss>,
    ) -> Result<Self, StepFailure> {
        let paths = Paths::new(model, state);
        let mut island_of = vec![0; model.moving()];
        for (index, island) in model.islands.iter().enumerate() {
            island_of[island.bodies.clone()].fill(index);
        }
        let boxes: Vec<Aabb> =
            contacts.parts.iter().map(|part| part.bounds(&part.body_pose(state))).collect();
        let watch =
            Watch::new(&contacts, |part| boxes[part]).map_err(|error| failure(model, state, error.into()))?;
        let radii = contacts.parts.iter().map(|part| part.radius).filter(|radius| radius.is_finite());
        let size = radii.fold(f64::INFINITY, f64::min);
        Ok(Self {
            name: if loss.is_some() { "lossful" } else { "exact" },
            options: *options,
            loss,
            trial: Variational::new(model, state),
            paths,
            watch,
            boxes,
            pairs: Vec::new(),
            island_of,
            count: vec![0; model.islands.len()],
            handed: vec![false; model.islands.len()],
            resting: vec![false; model.islands.len()],
            cluster: Vec::new(),
            contacts_met: Vec::new(),
            group: Group::default(),
            metric: Metric::default(),
            spots: Spots::default(),
            no_spots: Spots::default(),
            laws: Laws::new(),
            momenta: Vec::new(),
            jump: Vec::new(),
            transcript: Transcript::default(),
            response: Response::new(model, state, options),
            size: if size.is_finite() { size } else { 1.0 },
            contacts,
        })
    }
}

impl Scheme for Exact {
    fn name(&self) -> &'static str {
        self.name
    }

    fn order(&self) -> u32 {
        2
    }

    fn step(&mut self, model: &Model, state: &mut State, h: f64) -> Result<Effort, StepFailure> {
        self.transcript.clear();
        self.paths.end.clone_from(state);
        let effort = self.trial.step(model, &mut self.paths.end, h)?;
        self.paths.begin(state);
        self.begin(model, state, h)?;
        while let Some(k) = self.earliest(h) {
            if !self.look(model, k, h)? {
                let t = self.pairs[k].clear;
                self.collide(model, state, k, t, h)?;
            }
        }
        self.hand_over(model, h)?;
        std::mem::swap(state, &mut self.paths.end);
        Ok(effort)
    }

    fn transcript(&self) -> Option<&Transcript> {
        Some(&self.transcript)
    }
}

impl Exact {
    /// Which pairs come near each other in the step.
    fn begin(&mut self, model: &Model, state: &State, h: f64) -> Result<(), StepFailure> {
        self.count.fill(0);
        self.handed.fill(false);
        self.resting.fill(false);
        for index in 0..model.islands.len() {
            self.paths.bound(model, index, h)?;
        }
        let gravity = model.gravity.norm();
        for (part, boxed) in self.contacts.parts.iter().zip(&mut self.boxes) {
            if part.slot.is_some() {
                *boxed = self.paths.swept(part, gravity, h, 0.0);
            }
        }
        let boxes = &self.boxes;
        self.watch
            .look(&self.contacts, |part| boxes[part])
            .map_err(|error| failure(model, state, error.into()))?;
        self.pairs.clear();
        for k in 0..self.watch.near().len() {
            let (pair, memory) = (self.watch.near()[k].pair, *self.watch.memory(k));
            self.pairs.push(Watched { pair, clear: 0.0, looks: 0, asked: false, memory });
        }
        Ok(())
    }

    /// The pair that may touch first.
    fn earliest(&self, h: f64) -> Option<usize> {
        let mut best: Option<usize> = None;
        for (k, watched) in self.pairs.iter().enumerate() {
            if watched.clear < h && best.is_none_or(|b| watched.clear < self.pairs[b].clear) {
                best = Some(k);
            }
        }
        best
    }

    fn island(&self, part: usize) -> Option<usize> {
        self.contacts.parts[part].slot.map(|slot| self.island_of[slot])
    }

    /// Brings both parts of a pair to a time.
    fn bring(&mut self, model: &Model, pair: (usize, usize), t: f64) -> Result<(), StepFailure> {
        for part in [pair.0, pair.1] {
            if let Some(island) = self.island(part) {
                self.paths.look(model, island, t)?;
            }
        }
        Ok(())
    }

    fn side(&self, part: usize, t: f64, h: f64) -> Side<'_> {
        let part = &self.contacts.parts[part];
        let pose = part.body_pose(&self.paths.probe);
        let since = part.slot.map_or(0.0, |slot| self.paths.since[self.island_of[slot]]);
        let way = h - since;
        Side {
            part,
            pose,
            twist: part.slot.map_or_else(Default::default, |slot| self.paths.twists[slot]),
            bound: part.slot.map_or_else(Default::default, |slot| self.paths.bounds[slot]),
            behind: if way > 0.0 { (t - since) / way } else { 0.0 },
            way,
        }
    }

    /// Certifies the pair that may touch first until another may be earlier. False: it touches where it is.
    fn look(&mut self, model: &Model, k: usize, h: f64) -> Result<bool, StepFailure> {
        while self.certify(model, k, h)? {
            if self.earliest(h) != Some(k) {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Looks at a pair where it may touch first, and certifies it on. False: it touches there.
    fn certify(&mut self, model: &Model, k: usize, h: f64) -> Result<bool, StepFailure> {
        let Watched { pair, clear: t, looks, mut memory, .. } = self.pairs[k];
        self.bring(model, pair, t)?;
        let (a, b) = (self.side(pair.0, t, h), self.side(pair.1, t, h));
        let touch = self
            .contacts
            .touch(pair, (&a.pose, &b.pose), f64::INFINITY, &mut memory)
            .map_err(|error| failure(model, &self.paths.node, error.into()))?;
        let ahead = match self.ball_time(model, pair, &touch) {
            Some(time) => time.min(h - t),
            None => {
                let carrier = self.contacts.carrier(pair, (&a.pose, &b.pose), &memory);
                clear_for(&a, &b, &touch, &carrier, h - t)
            }
        };
        self.pairs[k].memory = memory;
        self.pairs[k].looks = looks + 1;
        let hurried = looks > LOOKS && touch.gap() > TOUCH * self.size;
        let ahead = if hurried { ahead.max(HURRY * h) } else { ahead };
        let stalled = ahead <= STALLED * h;
        if ahead >= h - t {
            self.pairs[k].clear = h;
        } else if !stalled {
            self.pairs[k].clear = t + ahead;
        }
        Ok(!stalled || ahead >= h - t)
    }

    /// Everything that touches at `t` and hangs together with a pair that does.
    fn cluster(&mut self, model: &Model, first: usize, t: f64, h: f64) -> Result<(), StepFailure> {
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

    /// Adds the contacts of a pair, if it touches at the probe.
    fn touches(&mut self, model: &Model, k: usize) -> Result<bool, StepFailure> {
        let Watched { pair, mut memory, .. } = self.pairs[k];
        let (p, q) = (&self.contacts.parts[pair.0], &self.contacts.parts[pair.1]);
        let poses = (p.body_pose(&self.paths.probe), q.body_pose(&self.paths.probe));
        let poses = (&poses.0, &poses.1);
        let wrong = |error: QueryError| failure(model, &self.paths.node, error.into());
        let touch = self.contacts.resolved(pair, poses, &mut memory).map_err(wrong)?;
        if touch.gap() > TOUCH * self.size {
            return Ok(false);
        }
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

    /// An impact: a node for all islands that meet, and what becomes of their momenta.
    fn collide(
        &mut self,
        model: &Model,
        state: &State,
        first: usize,
        t: f64,
        h: f64,
    ) -> Result<(), StepFailure> {
        self.cluster(model, first, t, h)?;
        let before = match self.options.energy {
            EnergyJump::Discrete => self.discrete_energy(model, t)?,
            EnergyJump::Projected => None,
        };
        for i in 0..self.cluster.len() {
            let index = self.cluster[i];
            self.paths.look(model, index, t)?;
            self.paths.arrive(model, index, t);
            if t > 0.0 {
                self.transcript.node(index, &model.islands[index], &self.paths.node, t);
            }
            self.count[index] += 1;
        }
        let verdict = self.strike(model, h).map_err(|trouble| failure(model, state, trouble))?;
        let tired = self.cluster.iter().any(|&index| self.count[index] > self.options.cascade);
        if verdict == Verdict::Rests || tired {
            return self.give_up(model, verdict == Verdict::Rests, t, h);
        }
        let scale = match before {
            Some(before) => self.keep_discrete_energy(model, before, t, h)?,
            None => {
                self.group.set_momenta(model, &self.momenta, &mut self.paths.node);
                self.go_on(model, t, h)?;
                1.0
            }
        };
        self.write_down(model, state.time + t, scale);
        Ok(())
    }

    /// Lets the law of impact change the momenta of the cluster at its nodes.
    fn strike(&mut self, model: &Model, h: f64) -> Result<Verdict, Trouble> {
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
                Some(Loss::Elastic) => (spot.restitution, spot.friction) = (1.0, 0.0),
                None | Some(Loss::Frictionless) => spot.friction = 0.0,
                Some(Loss::Frictional | Loss::Plastic) => {}
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
        if self.loss == Some(Loss::Plastic) {
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
    fn slowest(&self, model: &Model, h: f64) -> f64 {
        let bodies = self.cluster.iter().flat_map(|&index| model.islands[index].bodies.clone());
        let pull = bodies.map(|slot| self.paths.bounds[slot].acceleration).fold(0.0, f64::max);
        pull * h * if self.loses() { LOW_BOUNCE } else { LOWEST_BOUNCE }
    }

    /// The islands of the cluster go on from their nodes with new momenta.
    fn go_on(&mut self, model: &Model, t: f64, h: f64) -> Result<(), StepFailure> {
        let gravity = model.gravity.norm();
        for i in 0..self.cluster.len() {
            let index = self.cluster[i];
            self.paths.forget(index);
            self.paths.finish(model, index, h)?;
            self.paths.bound(model, index, h)?;
        }
        for watched in &mut self.pairs {
            let islands = [watched.pair.0, watched.pair.1]
                .map(|part| self.contacts.parts[part].slot.map(|slot| self.island_of[slot]));
            if islands.iter().flatten().any(|island| self.cluster.contains(island))
                && !islands.iter().flatten().any(|&island| self.handed[island])
            {
                watched.clear = t;
            }
        }
        // Where a new path leaves the box of the old one, new pairs may come near.
        for part in 0..self.contacts.parts.len() {
            let Some(index) = self.island(part) else { continue };
            if !self.cluster.contains(&index) || self.handed[index] {
                continue;
            }
            let swept = self.paths.swept(&self.contacts.parts[part], gravity, h, t);
            if self.boxes[part].contains(&swept) {
                continue;
            }
            self.boxes[part] = self.boxes[part].merged(&swept);
            for other in 0..self.contacts.parts.len() {
                if !self.boxes[part].overlaps(&self.boxes[other]) || !self.contacts.may_meet(part, other) {
                    continue;
                }
                let pair = self.contacts.ordered(part, other);
                let handed = self.island(other).is_some_and(|island| self.handed[island]);
                if !handed && !self.pairs.iter().any(|watched| watched.pair == pair) {
                    self.pairs.push(Watched {
                        pair,
                        clear: t,
                        looks: 0,
                        asked: false,
                        memory: Memory::default(),
                    });
                }
            }
        }
        Ok(())
    }

    /// A contact that rests, or no end of impacts: the islands finish their step without, and the decomposition scheme responds
    /// there.
    fn give_up(&mut self, model: &Model, rests: bool, t: f64, h: f64) -> Result<(), StepFailure> {
        // The limit of a cascade with losses is rest; one without them goes on.
        let tired = rests || self.loses();
        for i in 0..self.cluster.len() {
            let index = self.cluster[i];
            self.handed[index] = true;
            self.resting[index] = tired;
            self.paths.forget(index);
            self.paths.finish(model, index, h)?;
        }
        let (contacts, island_of, handed) = (&self.contacts, &self.island_of, &self.handed);
        self.pairs.retain(|watched| {
            let island = |part: usize| contacts.parts[part].slot.map(|slot| island_of[slot]);
            ![watched.pair.0, watched.pair.1].into_iter().filter_map(island).any(|island| handed[island])
        });
        if rests {
            self.transcript.rests += 1;
            return Ok(());
        }
        self.transcript.hand_overs += 1;
        if let Some((pair, touch, _)) = self.contacts_met.first() {
            let bodies = (self.contacts.parts[pair.0].body, self.contacts.parts[pair.1].body);
            let speed = self.spots.list.first().map_or(0.0, |spot| spot.before);
            self.transcript.impacts.push(Impact {
                time: self.paths.begun + t,
                bodies,
                point: touch.point(),
                normal: touch.normal(),
                impulse: Vec3::zeros(),
                energy: (0.0, 0.0),
                speed: (speed, speed),
                kind: ImpactKind::HandOver,
            });
        }
        Ok(())
    }

    fn hand_over(&mut self, model: &Model, h: f64) -> Result<(), StepFailure> {
        if !self.handed.iter().any(|&handed| handed) {
            return Ok(());
        }
        let (end, transcript) = (&mut self.paths.end, &mut self.transcript);
        if self.resting.iter().any(|&resting| resting) {
            self.response.limit_restitution(0.0);
            self.response.respond(model, end, h, h, Some(&self.resting), transcript)?;
            self.response.limit_restitution(1.0);
        }
        self.response.respond(model, end, h, h, Some(&self.handed), transcript)
    }

    /// Impulses and energies for the ledger; for whoever watches, one impact for each pair that met.
    fn write_down(&mut self, model: &Model, time: f64, scale: f64) {
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
                    self.transcript.impulse(JumpCause::Contact, slot, &spot.point, &(along * sign));
                    if across != Vec3::zeros() {
                        self.transcript.impulse(JumpCause::Friction, slot, &spot.point, &(across * sign));
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
            self.transcript.energy(JumpCause::Contact, slot, after - before - rubbed);
            if rubbed != 0.0 {
                self.transcript.energy(JumpCause::Friction, slot, rubbed);
            }
        }
    }
}

/// What an impact came to.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Verdict {
    /// Momenta have changed.
    Done,
    /// No contact closes.
    Rests,
}

/// Closing speed that is rounding, relative to the greatest there could be.
const STILL: f64 = 1e-12;
/// Duration of a bounce, as part of a step, below which a contact rests: where every bounce loses energy, and where none does.
const LOW_BOUNCE: f64 = 1e-4;
const LOWEST_BOUNCE: f64 = 1e-5;
/// Part of a step within which two contacts are looked at together.
const NEAR_IN_TIME: f64 = 1e-9;

fn failure(model: &Model, state: &State, trouble: Trouble) -> StepFailure {
    let body = model.bodies.first().map_or_else(String::new, |body| body.name.clone());
    StepFailure { step: state.steps, time: state.time, body, trouble, history: Vec::new() }
}
