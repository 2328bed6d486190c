//! From a configuration with overlaps to one without, and the momenta that go with it.
//!
//! ```text
//! groups of islands that overlap, with a buffer                                     groups.rs
//! q  ← nearest configuration to q̃ without overlap; pairs that this made overlap join and it is done again   projection.rs
//! p  ← momenta lifted from q̃ to q                                                   lift.rs
//! p  ← p + Σ λ_i ∇s_i + friction                                                    spots.rs, response/impulse/
//! ```
//!
//! What a transcript tells of it: the trial configuration `q̃` of every island of a group as a node; what the projection did to
//! momenta and energy; impulses with their points; energies that restitution and friction took; one meeting for each pair.
//!
//! The energy-consistent variant scales the impulses by the factor near one for which kinetic and potential energy after the
//! update are those of `q̃` less what restitution and friction take. If the approach has not enough energy to pay for
//! `V(q) - V(q̃)`, they stop it, and the rest stays with the projection.

use super::fields::Fields;
use super::groups::{Close, Groups};
use super::lift::Lift;
use super::projection::{Projection, Task};
use super::spots::Scene;
use crate::contact::ContactGeometry;
use crate::discrete::{SolverStats, StepError, StepFailure};
use crate::model::Model;
use crate::model::State;
use crate::response::impulse::{Ground, Laws, Metric, Spots, energy};
use crate::response::{CollisionGroup, ContactOptions, FrictionLaw, ImpactLaw};
use crate::step_record::{Impact, ImpactKind, JumpSource, StepRecord};
use percussion_geometry::Vec3;

/// Rounds of a projection that makes new pairs overlap, after which what overlaps is left to the next step.
const MOST_ROUNDS: usize = 20;

/// Responds to overlaps; its memory serves again.
#[derive(Debug)]
pub struct Response {
    options: ContactOptions,
    groups: Groups,
    at: State,
    projection: Projection,
    fields: Fields,
    lift: Lift,
    laws: Laws,
    group: CollisionGroup,
    metric: Metric,
    spots: Spots,
    wide: Spots,
    islands: Vec<usize>,
    pairs: Vec<Close>,
    roots: Vec<usize>,
    /// Whether a group has to be projected (again), by its least island.
    stale: Vec<bool>,
    momenta: Vec<f64>,
    effort: SolverStats,
}

impl Response {
    /// For a model and a state of it.
    pub fn new(model: &Model, state: &State, options: &ContactOptions) -> Self {
        Self {
            options: *options,
            groups: Groups::new(model),
            at: state.clone(),
            projection: Projection::default(),
            fields: Fields::default(),
            lift: Lift::default(),
            laws: Laws::new(),
            group: CollisionGroup::default(),
            metric: Metric::default(),
            spots: Spots::default(),
            wide: Spots::default(),
            islands: Vec::new(),
            pairs: Vec::new(),
            roots: Vec::new(),
            stale: vec![false; model.islands.len()],
            momenta: Vec::new(),
            effort: SolverStats::default(),
        }
    }

    /// How hard the last response was: the most iterations of a projection, and what impulses of friction are wrong by,
    /// relative to the momentum of their group.
    pub fn effort(&self) -> SolverStats {
        self.effort
    }

    /// From now on contacts that close more slowly than this (m/s) rest: they do not bounce, and are no news. What hits a body
    /// that rests is faster.
    pub fn rest_below(&mut self, speed: f64) {
        self.laws.slow = speed;
    }

    /// Surfaces bounce by this coefficient, whatever they say.
    pub fn with_restitution(mut self, restitution: f64) -> Self {
        self.laws.restitution = Some(restitution);
        self
    }

    /// Surfaces are smooth, whatever they say.
    pub fn without_friction(mut self) -> Self {
        self.laws.roughest = 0.0;
        self
    }

    /// Responds to the overlaps of a trial configuration at the end of a step `h`, which `trial` ceases to be. Nodes are
    /// written at the time `since` the beginning of the step. Groups without an island that `only` marks are left alone.
    /// On failure `trial` is untouched.
    pub fn respond(
        &mut self,
        model: &Model,
        trial: &mut State,
        h: f64,
        since: f64,
        only: Option<&[bool]>,
        transcript: &mut StepRecord,
    ) -> Result<(), StepFailure> {
        self.effort = SolverStats::default();
        let Some(contacts) = model.contacts.as_deref() else { return Ok(()) };
        let failed = |trouble: StepError, history: &[f64], body: usize| StepFailure {
            step: trial.steps.saturating_sub(1),
            time: trial.time - h,
            body: model.bodies[body].name.clone(),
            trouble,
            history: history.to_vec(),
        };
        match self.groups.gather(model, contacts, trial) {
            Ok(false) => return Ok(()),
            Ok(true) => {}
            Err(trouble) => return Err(failed(trouble, &[], 0)),
        }
        self.at.clone_from(trial);
        let ended = self.separate(model, contacts, trial, h, only);
        let ended = ended.and_then(|()| self.strike_all(model, contacts, trial, (h, since), transcript));
        match ended {
            Ok(()) => {
                transcript.overlap = transcript.overlap.max(self.groups.remaining);
                std::mem::swap(trial, &mut self.at);
                Ok(())
            }
            Err(trouble) => {
                let body = self.pairs.first().map_or(0, |close| contacts.parts[close.pair.0].body);
                Err(failed(trouble, &self.projection.history, body))
            }
        }
    }

    /// Moves bodies apart that overlap, without a response: momenta are lifted along. Returns the longest way of a centre of
    /// mass, m. On failure `state` is untouched.
    pub fn move_apart(&mut self, model: &Model, state: &mut State) -> Result<f64, StepFailure> {
        let Some(contacts) = model.contacts.as_deref() else { return Ok(0.0) };
        let ended = match self.groups.gather(model, contacts, state) {
            Ok(false) => return Ok(0.0),
            Ok(true) => {
                self.at.clone_from(state);
                self.separate(model, contacts, state, 0.0, None).and_then(|()| self.lift_all(model, state))
            }
            Err(trouble) => Err(trouble),
        };
        if let Err(trouble) = ended {
            let body = self.pairs.first().map_or(0, |close| contacts.parts[close.pair.0].body);
            return Err(StepFailure {
                step: state.steps,
                time: state.time,
                body: model.bodies[body].name.clone(),
                trouble,
                history: self.projection.history.clone(),
            });
        }
        let ways = state.positions.iter().zip(&self.at.positions).map(|(from, to)| (to - from).norm());
        let longest = ways.fold(0.0, f64::max);
        std::mem::swap(state, &mut self.at);
        Ok(longest)
    }

    /// Lifts the momenta of all groups that were projected.
    fn lift_all(&mut self, model: &Model, trial: &State) -> Result<(), StepError> {
        let mut nobody = StepRecord::default();
        for k in 0..self.roots.len() {
            self.take(model, self.roots[k]);
            self.group.begin(model, &self.at, &self.islands)?;
            let (states, momenta) = ((trial, &self.at), &mut self.momenta);
            self.lift.lift(model, &self.islands, states, &mut self.group, momenta, &mut nobody)?;
            self.group.set_momenta(model, &self.momenta, &mut self.at);
        }
        Ok(())
    }

    /// Projects all groups, again while that makes other pairs overlap.
    fn separate(
        &mut self,
        model: &Model,
        contacts: &ContactGeometry,
        trial: &State,
        h: f64,
        only: Option<&[bool]>,
    ) -> Result<(), StepError> {
        self.stale.fill(true);
        for _ in 0..MOST_ROUNDS {
            self.list_roots(model, only);
            for k in 0..self.roots.len() {
                let root = self.roots[k];
                if !std::mem::replace(&mut self.stale[root], false) {
                    continue;
                }
                self.take(model, root);
                self.islands.iter().for_each(|&i| self.at.take_place(trial, &model.islands[i]));
                let task = Task {
                    model,
                    contacts,
                    islands: &self.islands,
                    trial,
                    depth: self.groups.depth(root),
                    weight: self.options.weigh_potential.then_some(h * h),
                };
                self.projection.project(&task, &mut self.pairs, &mut self.at)?;
                self.effort.iterations = self.effort.iterations.max(self.projection.history.len());
            }
            if !self.groups.discover(contacts, (trial, &self.at), &self.roots, &mut self.stale)? {
                return Ok(());
            }
        }
        self.list_roots(model, only);
        Ok(())
    }

    /// Lists the groups with an island that is marked.
    fn list_roots(&mut self, model: &Model, only: Option<&[bool]>) {
        let marked = |island: &usize| only.is_none_or(|only| only[*island]);
        self.roots.clear();
        for island in (0..model.islands.len()).filter(marked) {
            self.roots.extend(self.groups.group_of(island));
        }
        self.roots.sort_unstable();
        self.roots.dedup();
    }

    /// Lists the islands and pairs of a group.
    fn take(&mut self, model: &Model, root: usize) {
        let groups = &self.groups;
        self.islands.clear();
        self.islands.extend((0..model.islands.len()).filter(|&i| groups.group_of(i) == Some(root)));
        self.pairs.clear();
        let mine = |close: &&Close| groups.takes_part(close) && groups.group_of(close.island()) == Some(root);
        self.pairs.extend(groups.close.iter().filter(mine));
    }

    /// Lifts and updates the momenta of all groups that were projected.
    fn strike_all(
        &mut self,
        model: &Model,
        contacts: &ContactGeometry,
        trial: &State,
        (h, since): (f64, f64),
        transcript: &mut StepRecord,
    ) -> Result<(), StepError> {
        for k in 0..self.roots.len() {
            self.take(model, self.roots[k]);
            for &index in &self.islands {
                transcript.node(index, &model.islands[index], trial, since);
            }
            let slot = model.islands[self.islands[0]].bodies.start;
            self.group.begin(model, &self.at, &self.islands)?;
            self.metric.begin(model, &mut self.group)?;
            let kinetic = self.lift.lift(
                model,
                &self.islands,
                (trial, &self.at),
                &mut self.group,
                &mut self.momenta,
                transcript,
            )?;
            let rise = self.fields.potential(model, &self.islands, &self.at)?
                - self.fields.potential(model, &self.islands, trial)?;
            self.laws.u.clone_from(&self.momenta);
            self.metric.weigh(&mut self.laws.u);
            let ground =
                Ground { model, contacts, at: &self.at, group: &mut self.group, metric: &self.metric };
            let mut scene = Scene { ground, trial, depth: self.groups.depth(self.roots[k]) };
            self.wide.clear();
            match self.options.law {
                ImpactLaw::Sum => self.spots.find_pairs(&mut scene, &mut self.pairs)?,
                _ => self.spots.find_events(&mut scene, &mut self.pairs)?,
            }
            if self.options.friction == FrictionLaw::Ratio {
                self.wide.find_pairs(&mut scene, &mut self.pairs)?;
            }
            self.laws.strike(&self.options, &mut self.spots, &mut self.wide)?;
            self.effort.decrement = self.effort.decrement.max(self.laws.residual);
            let lifted = energy(&self.laws.start) - kinetic;
            let mut taken = rise + lifted;
            if self.options.consistent {
                taken += self.pay(rise);
            }
            transcript.energy(JumpSource::Projection, slot, taken);
            transcript.energy(JumpSource::Contact, slot, self.laws.contact);
            transcript.energy(JumpSource::Friction, slot, self.laws.friction);
            self.report(contacts, trial.time - h + since, transcript);
            // p + L (u - u₀): bodies without impulse keep their momenta to the bit.
            let Laws { u, start, .. } = &mut self.laws;
            u.iter_mut().zip(start.iter()).for_each(|(u, start)| *u -= start);
            self.metric.unweigh(u);
            self.momenta.iter_mut().zip(u.iter()).for_each(|(p, change)| *p += change);
            self.group.set_momenta(model, &self.momenta, &mut self.at);
        }
        Ok(())
    }

    /// Scales the impulses so that kinetic energy pays for a rise of the potential energy, as far as it can. Returns the
    /// energy brought, J.
    fn pay(&mut self, rise: f64) -> f64 {
        let Laws { u, start, .. } = &mut self.laws;
        let (mut square, mut along) = (0.0, 0.0);
        for (u, start) in u.iter().zip(start.iter()) {
            square += (u - start) * (u - start);
            along += start * (u - start);
        }
        if !(square > 0.0) {
            return 0.0;
        }
        let before = energy(u);
        // K(κ) = K + κ along + κ²/2 square = K(1) - rise
        let loss = -along - 0.5 * square;
        let inside = along * along - 2.0 * square * (loss + rise);
        let factor = (-along + inside.max(0.0).sqrt()) / square;
        u.iter_mut().zip(start.iter()).for_each(|(u, start)| *u = start + factor * (*u - start));
        for spot in self.spots.list.iter_mut().chain(&mut self.wide.list) {
            spot.push *= factor;
            spot.drag *= factor;
        }
        energy(u) - before
    }

    /// Books the impulses and tells of the pairs that met.
    fn report(&self, contacts: &ContactGeometry, time: f64, transcript: &mut StepRecord) {
        let energies = (energy(&self.laws.start), energy(&self.laws.u));
        for pair in &self.spots.pairs {
            let spots = &self.spots.list[pair.clone()];
            let (mut impulse, mut weight, mut point) = (Vec3::zeros(), 0.0, Vec3::zeros());
            let mut strongest = &spots[0];
            for spot in spots {
                let push = spot.normal * spot.push;
                self.book(contacts, spot.pair, JumpSource::Contact, &spot.point, &push, transcript);
                self.book(contacts, spot.pair, JumpSource::Friction, &spot.point, &spot.drag, transcript);
                impulse += push + spot.drag;
                weight += spot.push;
                point += spot.point * spot.push;
                if spot.push > strongest.push {
                    strongest = spot;
                }
            }
            for spot in self.wide.list.iter().filter(|spot| spot.pair == strongest.pair) {
                self.book(contacts, spot.pair, JumpSource::Friction, &spot.point, &spot.drag, transcript);
                impulse += spot.drag;
            }
            // ContactGeometry that rest are no news.
            let fastest = spots.iter().map(|spot| -spot.before).fold(f64::NEG_INFINITY, f64::max);
            if weight > 0.0 && (self.laws.slow == 0.0 || fastest >= self.laws.slow) {
                let (a, b) = strongest.pair;
                transcript.impacts.push(Impact {
                    time,
                    bodies: (contacts.parts[a].body, contacts.parts[b].body),
                    point: point / weight,
                    normal: strongest.normal,
                    impulse,
                    energy: energies,
                    speed: (strongest.before, self.spots.rows.dot(strongest.rows[0], &self.laws.u)),
                    kind: ImpactKind::Response,
                });
            }
        }
    }

    fn book(
        &self,
        contacts: &ContactGeometry,
        (a, b): (usize, usize),
        cause: JumpSource,
        point: &Vec3,
        impulse: &Vec3,
        transcript: &mut StepRecord,
    ) {
        if *impulse == Vec3::zeros() {
            return;
        }
        for (part, sign) in [(a, 1.0), (b, -1.0)] {
            if let Some(slot) = contacts.parts[part].slot {
                transcript.impulse(cause, slot, point, &(impulse * sign));
            }
        }
    }
}
