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
//!     touching:  all contacts of the islands that meet here, at one node            meeting.rs
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
mod meeting;
mod paths;
mod search;

use super::decomposition::{Response, TOLERANCE};
use super::impulse::{Laws, Metric, Spots};
use super::{Scheme, Variational};
use crate::contact::{
    CandidatePairs, CollisionGroup, CollisionModel, ContactGeometry, ContactOptions, ContactPoint,
    EnergyJumpCondition, Impact, ImpactKind, PairWarmStart, StepRecord,
};
use crate::discrete::{SolverStats, StepError, StepFailure, TOLERANCES};
use crate::model::Model;
use crate::state::State;
use meeting::Verdict;
use paths::Paths;
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
    /// How often in a row it was found touching, or nearly, and was certified for next to nothing.
    lingers: usize,
    /// Whether the present cluster knows it.
    asked: bool,
    memory: PairWarmStart,
}

/// The exact scheme and its memory.
#[derive(Debug)]
pub struct Exact {
    name: &'static str,
    options: ContactOptions,
    loss: Option<CollisionModel>,
    contacts: Arc<ContactGeometry>,
    trial: Variational,
    paths: Paths,
    watch: CandidatePairs,
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
    /// ContactGeometry of the cluster: the pair, one of its touches, and its contact as a whole.
    contacts_met: Vec<((usize, usize), ContactPoint, ContactPoint)>,
    group: CollisionGroup,
    metric: Metric,
    spots: Spots,
    /// Of the decomposition scheme's printed friction, which has no place here.
    no_spots: Spots,
    laws: Laws,
    momenta: Vec<f64>,
    /// What the impact did to the momenta.
    jump: Vec<f64>,
    transcript: StepRecord,
    response: Response,
    /// Typical size of the parts, m.
    size: f64,
    /// How often pairs were looked at in the step.
    looks: usize,
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
/// Part of a step that is next to nothing: a contact that opens is certified for more.
const BRIEF: f64 = 1e-4;
/// Looks in a row at a pair that touches, each good for next to nothing, after which it is asked whether it rests. Parts that move as
/// one stay a rounding apart, and bounds on their motion that know nothing of each other never let them go; an approach is over
/// after three or four.
const LINGERS: usize = 16;
/// Steps of free fall whose speed is still that of rest at the end of a step; what closes faster was not at rest.
const AT_REST: f64 = 2.0;

impl Exact {
    /// For a model with contact and a state of it.
    pub fn new(
        model: &Model,
        contacts: Arc<ContactGeometry>,
        state: &State,
        options: &ContactOptions,
        loss: Option<CollisionModel>,
    ) -> Result<Self, StepFailure> {
        let paths = Paths::new(model, state);
        let mut island_of = vec![0; model.moving()];
        for (index, island) in model.islands.iter().enumerate() {
            island_of[island.bodies.clone()].fill(index);
        }
        let boxes: Vec<Aabb> =
            contacts.parts.iter().map(|part| part.bounds(&part.body_pose(state))).collect();
        let watch = CandidatePairs::new(&contacts, |part| boxes[part])
            .map_err(|error| failure(model, state, 0, error.into()))?;
        let radii = contacts.parts.iter().map(|part| part.radius).filter(|radius| radius.is_finite());
        let size = radii.fold(f64::INFINITY, f64::min);
        Ok(Self {
            name: if loss.is_some() { "dissipative" } else { "exact" },
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
            group: CollisionGroup::default(),
            metric: Metric::default(),
            spots: Spots::default(),
            no_spots: Spots::default(),
            laws: Laws::new(),
            momenta: Vec::new(),
            jump: Vec::new(),
            transcript: StepRecord::default(),
            response: {
                let response = Response::new(model, state, options);
                match loss {
                    Some(CollisionModel::Frictional) => response,
                    Some(CollisionModel::Plastic) => response.with_restitution(0.0),
                    Some(CollisionModel::Elastic) => response.with_restitution(1.0).without_friction(),
                    Some(CollisionModel::Frictionless) | None => response.without_friction(),
                }
            },
            size: if size.is_finite() { size } else { 1.0 },
            looks: 0,
            contacts,
        })
    }

    /// How often pairs of parts were looked at in the last step: what the search for contact cost.
    pub fn looks(&self) -> usize {
        self.looks
    }
}

impl Scheme for Exact {
    fn name(&self) -> &'static str {
        self.name
    }

    fn order(&self) -> u32 {
        2
    }

    fn tolerances(&self) -> Vec<(&'static str, f64)> {
        // ContactGeometry that rest are the decomposition scheme's.
        TOLERANCES.into_iter().chain([("contact_gap", TOUCH * self.size), TOLERANCE]).collect()
    }

    fn step(&mut self, model: &Model, state: &mut State, h: f64) -> Result<SolverStats, StepFailure> {
        self.transcript.clear();
        self.paths.end.clone_from(state);
        let effort = self.trial.step(model, &mut self.paths.end, h)?;
        self.paths.begin(state);
        self.begin(model, state, h)?;
        while let Some(k) = self.earliest(h) {
            if !self.look(model, k, h)? {
                let t = self.pairs[k].clear;
                if self.pairs[k].lingers > LINGERS && self.parts_company(model, k, h)? {
                    self.pairs[k].clear = (t + HURRY * h).min(h);
                } else {
                    self.collide(model, state, k, t, h)?;
                }
            }
        }
        self.hand_over(model, h)?;
        std::mem::swap(state, &mut self.paths.end);
        Ok(effort)
    }

    fn transcript(&self) -> Option<&StepRecord> {
        Some(&self.transcript)
    }
}

impl Exact {
    /// Which pairs come near each other in the step.
    fn begin(&mut self, model: &Model, state: &State, h: f64) -> Result<(), StepFailure> {
        self.looks = 0;
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
            .map_err(|error| failure(model, state, 0, error.into()))?;
        self.pairs.clear();
        for k in 0..self.watch.near().len() {
            let (pair, memory) = (self.watch.near()[k].pair, *self.watch.memory(k));
            self.pairs.push(Watched { pair, clear: 0.0, looks: 0, lingers: 0, asked: false, memory });
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
            .map_err(|error| failure(model, &self.paths.node, a.part.body, error.into()))?;
        let ahead = match self.ball_time(model, pair, &touch) {
            Some(time) => time.min(h - t),
            None => {
                let carrier = self.contacts.carrier(pair, (&a.pose, &b.pose), &memory);
                clear_for(&a, &b, &touch, &carrier, h - t)
            }
        };
        self.pairs[k].memory = memory;
        self.pairs[k].looks = looks + 1;
        self.looks += 1;
        let hurried = looks > LOOKS && touch.gap() > TOUCH * self.size;
        let ahead = if hurried { ahead.max(HURRY * h) } else { ahead };
        if ahead >= h - t {
            self.pairs[k].clear = h;
            return Ok(true);
        }
        let watched = &mut self.pairs[k];
        let touching = touch.gap() <= TOUCH * self.size;
        watched.lingers = if touching && ahead < BRIEF * h { watched.lingers + 1 } else { 0 };
        if ahead <= STALLED * h || watched.lingers > LINGERS {
            return Ok(false);
        }
        watched.clear = t + ahead;
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
            EnergyJumpCondition::Discrete => self.discrete_energy(model, t)?,
            EnergyJumpCondition::Projected => None,
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
        let body = self.first_of_cluster(model);
        let verdict = self.strike(model, h).map_err(|trouble| failure(model, state, body, trouble))?;
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
                (watched.clear, watched.lingers) = (t, 0);
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
                        lingers: 0,
                        asked: false,
                        memory: PairWarmStart::default(),
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
        self.transcript.fallbacks += 1;
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
                kind: ImpactKind::Fallback,
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
            let islands = model.islands.iter().zip(&self.resting).filter(|(_, resting)| **resting);
            let bodies = islands.flat_map(|(island, _)| island.bodies.clone());
            let pull = bodies.map(|slot| self.paths.bounds[slot].pull()).fold(0.0, f64::max);
            self.response.rest_below(AT_REST * pull * h);
            let ended = self.response.respond(model, end, h, h, Some(&self.resting), transcript);
            self.response.rest_below(0.0);
            ended?;
        }
        self.response.respond(model, end, h, h, Some(&self.handed), transcript)
    }
}

/// A step that could not be made because of a body.
fn failure(model: &Model, state: &State, body: usize, trouble: StepError) -> StepFailure {
    let body = model.bodies.get(body).map_or_else(String::new, |body| body.name.clone());
    StepFailure { step: state.steps, time: state.time, body, trouble, history: Vec::new() }
}
