//! Groups of islands in persistent contact: joint trajectories with closed contacts as constraints.
//!
//! A group begins at the node of its islands and lasts to the end of the step, or to the next impact of one of them. Its trajectory
//! `q(τ)` is the end of the interval of length `τ` ([`crate::response::closed_contact`]), so pairs with other bodies are advanced as
//! they are on free trajectories. Pairs of the group that are in contact are its own: they are not advanced.
//!
//! ```text
//! begin_group        contacts of its pairs, and those that may close within the step
//! locate_closings    contacts that close fast are impacts at the root of their gap: closings.rs
//! missing_contacts   further contacts that its end shows: missing_contacts.rs
//! solve_group        configuration and momenta at a time
//! end_group          its impulses are recorded
//! ```

use super::candidates::Candidates;
use super::contact_energy::{ContactEnergy, IntervalEnd};
use super::kept_groups::KeptGroup;
use super::missing_contacts::MissingContacts;
use super::trajectories::StepTrajectories;
use super::{ImpactTiming, NEGLIGIBLE_CLOSING, SHORT_BOUNCE_ELASTIC, StepContext, failure};
use crate::contact::{ContactFrame, ContactFunction, ContactGeometry, ManifoldQuery};
use crate::discrete::{StepError, StepFailure};
use crate::model::{Model, State};
use crate::response::closed_contact::{
    ClosedContact, ClosedContactStep, ClosedContactWarmStart, ContactLimits, IntervalOutcome,
};
use crate::response::impulse::CLOSING_SPEED_ROUNDING;
use crate::schemes::StepContact;
use crate::spatial::{Vec6, angular, linear};
use crate::step_record::{JumpSource, MomentumJump, StepRecord};
use crate::tolerances::exact::contact_groups::{COLLINEAR, FACE_TILTS, TRAVEL_GROWTH, TRAVEL_MARGIN};
use percussion_geometry::Vec3;
use percussion_geometry::events::EventKind;
use percussion_geometry::separation::QueryError;
use std::sync::Arc;

/// A group of islands.
#[derive(Debug, Default)]
pub(super) struct ContactGroup {
    pub interval: ClosedContactStep,
    /// Time of its node since the beginning of the step, s.
    pub(super) since: f64,
    /// Length of the interval that was solved last, s.
    pub(super) solved: f64,
    outcome: IntervalOutcome,
    pub kept: KeptGroup,
}

/// Velocity of the contact point on `a` relative to that on `b` along the normal, m/s.
fn normal_velocity(
    contacts: &ContactGeometry,
    (state, twists): (&State, &[Vec6]),
    pair: (usize, usize),
    frame: &ContactFrame,
) -> f64 {
    let of = |part: usize| {
        contacts.parts[part].slot.map_or_else(Vec3::zeros, |slot| {
            linear(&twists[slot]) + angular(&twists[slot]).cross(&(frame.point - state.positions[slot]))
        })
    };
    frame.normal.dot(&(of(pair.0) - of(pair.1)))
}

/// Whether the contacts of two polytopes lie on a line: edges or corners that meet, as those of neighbours across the diagonal in a grid
/// of boxes. Such pairs often carry no load, and which of their contacts would is a matter of rounding.
fn is_degenerate(found: &[(ContactFunction, ContactFrame)], size: f64) -> bool {
    let polytopes =
        |(function, _): &(ContactFunction, ContactFrame)| !matches!(function.kind, EventKind::Smooth { .. });
    let Some((_, first)) = found.first() else { return false };
    let apart = |(_, frame): &(ContactFunction, ContactFrame)| frame.point - first.point;
    let line = found.iter().map(apart).fold(Vec3::zeros(), |a, b| if b.norm() > a.norm() { b } else { a });
    let width = |arm: Vec3| line.try_normalize(0.0).map_or(0.0, |along| along.cross(&arm).norm());
    found.iter().all(polytopes) && found.iter().all(|contact| width(apart(contact)) <= COLLINEAR * size)
}

/// All groups of a step.
#[derive(Debug)]
pub(super) struct ContactGroups {
    geometry: Arc<ContactGeometry>,
    limits: ContactLimits,
    /// Approach speed from which stops rebound at the end of an interval, m/s.
    pub rebound_speed: f64,
    pub(super) groups: Vec<ContactGroup>,
    /// Groups in use; ended ones have no islands.
    count: usize,
    /// The first of them, which were at rest over the last step.
    pub(super) kept: usize,
    /// Group of each island.
    of_island: Vec<Option<usize>>,
    query: ManifoldQuery,
    found: Vec<(ContactFunction, ContactFrame)>,
    /// Contacts that close fast, by index in their group.
    pub(super) fast: Vec<usize>,
    /// Those of them that are closed at a time.
    pub(super) closing: Vec<usize>,
    /// Whether one of them closes before the end of the step, or its impact is resolved there.
    pub(super) closes_later: bool,
    /// Time of the first of these impacts, if it is resolved there.
    pub(super) first_closing: Option<f64>,
    /// Least gap of the contacts of each pair at the end, at most zero.
    pub(super) lowest: Vec<((usize, usize), f64)>,
    /// Whether a contact of the group that was begun last closes at its beginning.
    closes: bool,
    /// Contacts of the step with their impulses.
    pub contacts: Vec<StepContact>,
    /// Largest relative residual of a contact problem of the step.
    pub residual: f64,
    /// Contact problems of the step that were not solved.
    pub unsolved: u64,
    energy: ContactEnergy,
    /// Impulses of the last step.
    pub warm_start: ClosedContactWarmStart,
}

impl ContactGroups {
    /// No groups, for a model.
    pub fn new(model: &Model, geometry: Arc<ContactGeometry>, contact_gap: f64) -> Self {
        Self {
            geometry,
            limits: ContactLimits { closed_gap: contact_gap, step: 0.0 },
            rebound_speed: f64::INFINITY,
            groups: Vec::new(),
            count: 0,
            kept: 0,
            of_island: vec![None; model.islands.len()],
            query: ManifoldQuery::default(),
            found: Vec::new(),
            fast: Vec::new(),
            closing: Vec::new(),
            closes_later: false,
            first_closing: None,
            closes: false,
            lowest: Vec::new(),
            contacts: Vec::new(),
            residual: 0.0,
            unsolved: 0,
            energy: ContactEnergy::default(),
            warm_start: ClosedContactWarmStart::default(),
        }
    }

    /// Begins a step of length `h`.
    pub fn clear(&mut self, h: f64) {
        self.kept = 0;
        for group in 0..self.count {
            if std::mem::take(&mut self.groups[group].kept.lasted) && self.limits.step == h {
                self.groups.swap(self.kept, group);
                self.kept += 1;
            }
        }
        self.limits.step = h;
        self.count = self.kept;
        self.of_island.fill(None);
        self.contacts.clear();
        self.warm_start.begin();
        self.residual = 0.0;
        self.unsolved = 0;
    }

    /// A group without islands.
    fn next_group(&mut self) -> usize {
        let group = self.count;
        if self.groups.len() == group {
            self.groups.push(ContactGroup::default());
        }
        self.count += 1;
        group
    }

    /// Adds a group of islands without contacts, whose node is at `t`.
    pub fn add_group(&mut self, model: &Model, islands: &[usize], t: f64) -> usize {
        let group = self.next_group();
        (self.groups[group].since, self.groups[group].solved) = (t, f64::NAN);
        self.groups[group].interval.set_islands(model, islands);
        islands.iter().for_each(|&island| self.of_island[island] = Some(group));
        group
    }

    /// Makes the islands of a group those of another, or of none.
    pub(super) fn set_group(&mut self, group: usize, to: Option<usize>) {
        for island in self.groups[group].interval.islands() {
            self.of_island[island] = to;
        }
    }

    /// Begins a group as it ended the last step, at rest.
    pub(super) fn resume(&mut self, group: usize, h: f64) {
        let ContactGroup { interval, since, solved, outcome, .. } = &mut self.groups[group];
        interval.repeat_rest();
        (*since, *solved) = (0.0, h);
        *outcome = IntervalOutcome { solved: true, ..IntervalOutcome::default() };
    }

    /// Whether a group is at rest: it stays where it is.
    pub fn is_at_rest(&self, group: usize) -> bool {
        self.groups[group].interval.is_at_rest()
    }

    /// The group of an island.
    pub fn of(&self, island: usize) -> Option<usize> {
        self.of_island[island]
    }

    /// The `k`-th island of a group.
    pub fn island(&self, group: usize, k: usize) -> Option<usize> {
        self.groups[group].interval.island(k)
    }

    /// Islands of a group.
    pub fn islands(&self, group: usize) -> impl Iterator<Item = usize> {
        self.groups[group].interval.islands()
    }

    /// Pairs that were in persistent contact in the step.
    pub fn closed_pairs(&self) -> impl Iterator<Item = (usize, usize)> {
        let contacts = self.groups[..self.count].iter().flat_map(|group| &group.interval.contacts);
        contacts.map(|contact| contact.function.pair)
    }

    /// Configuration and momenta of a group a time `tau` after its node, into a state.
    pub fn solve_group(
        &mut self,
        group: usize,
        model: &Model,
        (node, excluded_stops): (&State, &[bool]),
        tau: f64,
        end: &mut State,
    ) -> Result<(), StepError> {
        let ContactGroup { interval, solved, outcome, .. } = &mut self.groups[group];
        interval.exclude_stops(excluded_stops);
        interval.rebound_speed = self.rebound_speed;
        *solved = tau;
        *outcome = interval.solve(model, &self.geometry, node, tau, &self.limits, end)?;
        Ok(())
    }

    /// Ends a group at `t`, solved there last: its impulses are recorded.
    fn end_group(
        &mut self,
        step: &StepContext,
        group: usize,
        (t, short): (f64, f64),
        (node, end): (&State, &State),
        record: &mut StepRecord,
    ) {
        let ContactGroup { interval, since, outcome, .. } = &mut self.groups[group];
        let tau = t - *since;
        for island in interval.islands() {
            self.of_island[island] = None;
        }
        if !(tau > short) {
            return;
        }
        if !outcome.solved {
            self.residual = self.residual.max(outcome.residual);
            self.unsolved += 1;
        }
        for (slot, impulse, moment) in interval.rest_impulses() {
            record.jumps.push(MomentumJump {
                source: JumpSource::Contact,
                slot,
                linear: impulse,
                angular: step.start.positions[slot].cross(&impulse) + moment,
                energy: 0.0,
            });
        }
        let (mut normal_energy, mut friction_energy) = (0.0, 0.0);
        let mut first_slot = None;
        for contact in &interval.contacts {
            let parts = [contact.function.pair.0, contact.function.pair.1];
            let parts = parts.map(|part| &step.contacts.parts[part]);
            let ends = [
                (contact.impulses_at_start(), contact.start.point),
                (contact.impulses_at_end(), contact.end.point),
            ];
            for ((normal, tangential), point) in &ends {
                for (part, sign) in parts.into_iter().zip([1.0, -1.0]) {
                    let Some(slot) = part.slot else { continue };
                    first_slot = first_slot.or(Some(slot));
                    for (source, impulse) in
                        [(JumpSource::Contact, normal), (JumpSource::Friction, tangential)]
                    {
                        if *impulse != Vec3::zeros() {
                            record.impulse(source, slot, point, &(impulse * sign));
                        }
                    }
                }
            }
            let [((n0, t0), _), ((n1, t1), _)] = ends;
            let impulse = n0 + t0 + n1 + t1;
            if impulse != Vec3::zeros() {
                self.contacts.push(StepContact {
                    bodies: (parts[0].body, parts[1].body),
                    point: (contact.start.point + contact.end.point) * 0.5,
                    normal: contact.end.normal,
                    impulse,
                });
            }
        }
        for at in [(node, IntervalEnd::Start), (end, IntervalEnd::End)] {
            let model = (step.model, step.contacts);
            let rows = (&interval.contacts[..], &interval.joint_rows[..]);
            let energies = self.energy.energies(model, interval.islands(), rows, at);
            // The mass matrices of a state in a run can be factored.
            let (normal, friction) = energies.unwrap_or_default();
            normal_energy += normal;
            friction_energy += friction;
        }
        interval.record_joint_rows(step.model, &self.energy.of_rows, end, record);
        for (source, energy) in
            [(JumpSource::Contact, normal_energy), (JumpSource::Friction, friction_energy)]
        {
            if let Some(slot) = first_slot.filter(|_| energy != 0.0) {
                record.energy(source, slot, energy);
            }
        }
    }
}

impl StepTrajectories {
    /// Ends the groups of some islands at `t`.
    pub fn end_groups(
        &mut self,
        step: &StepContext,
        islands: &[usize],
        t: f64,
        record: &mut StepRecord,
    ) -> Result<(), StepFailure> {
        for &island in islands {
            let Some(group) = self.groups.of(island) else { continue };
            let ContactGroup { since, solved, .. } = self.groups.groups[group];
            if t - since > self.short && solved != t - since {
                self.evaluate_group(step.model, group, island, t)?;
            }
            let states = (&self.node, &self.sample);
            self.groups.end_group(step, group, (t, self.short), states, record);
        }
        Ok(())
    }

    /// Takes the islands of a group whose equations have no solution out of it.
    pub fn dissolve_failed_group(&mut self, model: &Model, islands: &mut Vec<usize>) {
        islands.clear();
        let Some(group) = self.failed_group.take() else { return };
        islands.extend((0..model.islands.len()).filter(|&island| self.groups.of(island) == Some(group)));
        for &island in &*islands {
            self.groups.of_island[island] = None;
        }
    }

    /// Records the groups that last to the end of the step.
    pub fn record_groups(&mut self, step: &StepContext, record: &mut StepRecord) -> Result<(), StepFailure> {
        for island in 0..step.model.islands.len() {
            let Some(group) = self.groups.of(island) else { continue };
            let ContactGroup { since, solved, .. } = self.groups.groups[group];
            if step.h - since > self.short && solved != step.h - since {
                self.update_end(step.model, island, step.h)?;
            }
            if step.h - since > self.short {
                let contacts = &self.groups.groups[group].interval.contacts;
                self.groups.warm_start.store(step.contacts, &self.end, contacts);
                if since == 0.0 && self.groups.is_at_rest(group) {
                    self.keep_group(step, group);
                }
            }
            let states = (&self.node, &self.end);
            self.groups.end_group(step, group, (step.h, self.short), states, record);
        }
        self.groups.warm_start.finish();
        record.unsolved += self.groups.unsolved;
        record.contact_residual = record.contact_residual.max(self.groups.residual);
        Ok(())
    }

    /// Begins a group of islands in contact at their nodes at `t`, where none of them closes. False where its equations have no solution:
    /// then there is no group.
    pub fn begin_group(
        &mut self,
        step: &StepContext,
        candidates: &mut Candidates,
        islands: (&[usize], &[bool]),
        t: f64,
    ) -> Result<bool, StepFailure> {
        self.try_group(step, candidates, islands, (t, false))
    }

    /// Begins a group of islands in contact at the beginning of the step, unless one of their contacts closes there. Where impacts are
    /// resolved at the end of the step, such contacts are left out of the group instead.
    pub fn begin_resting_group(
        &mut self,
        step: &StepContext,
        candidates: &mut Candidates,
        islands: (&[usize], &[bool]),
    ) -> Result<bool, StepFailure> {
        self.try_group(step, candidates, islands, (0.0, true))
    }

    fn try_group(
        &mut self,
        step: &StepContext,
        candidates: &mut Candidates,
        (islands, excluded): (&[usize], &[bool]),
        (t, at_start): (f64, bool),
    ) -> Result<bool, StepFailure> {
        let group = self.groups.next_group();
        for candidate in &mut candidates.list {
            (candidate.beyond, candidate.refinements) = (None, 0);
        }
        let mut margin = TRAVEL_MARGIN;
        let mut round = 0;
        let begun = loop {
            let tilt = FACE_TILTS[round];
            (self.groups.groups[group].since, self.groups.groups[group].solved) = (t, f64::NAN);
            self.groups.groups[group].interval.set_islands(step.model, islands);
            candidates.reset(step, islands, excluded, t);
            self.clear_stops(step.model, islands);
            for &island in islands {
                self.groups.of_island[island] = None;
                self.invalidate(island);
            }
            self.groups.closes = false;
            let contacts = (t, margin, tilt);
            self.add_group_contacts(step, candidates, (islands, excluded), contacts, (group, at_start))?;
            if at_start && step.timing == ImpactTiming::TimeOfImpact && self.groups.closes {
                candidates.reset(step, islands, excluded, t);
                self.groups.count -= 1;
                return Ok(false);
            }
            for &island in islands {
                self.groups.of_island[island] = Some(group);
                self.invalidate(island);
            }
            let begun = self.locate_closings(step, candidates, islands, t, group);
            if begun.is_err() {
                break begun;
            }
            match self.missing_contacts(step, candidates, group)? {
                MissingContacts::None => break begun,
                MissingContacts::Dormant => {}
                MissingContacts::OfPairs if round + 1 < FACE_TILTS.len() => {
                    round += 1;
                    margin *= TRAVEL_GROWTH;
                }
                MissingContacts::OfPairs => break begun,
            }
        };
        let unsolved = matches!(&begun, Err(failed) if failed.error.is_unsolved());
        if unsolved {
            // Pairs of the group are advanced again.
            candidates.reset(step, islands, excluded, t);
            self.failed_group = None;
            for &island in islands {
                self.groups.of_island[island] = None;
                self.invalidate(island);
            }
            return Ok(false);
        }
        begun?;
        for &island in islands {
            self.update_motion_bounds(step.model, island, step.h)?;
        }
        candidates.add_candidate_pairs(step, self, (islands, excluded), t);
        if self.groups.is_at_rest(group) {
            self.list_owned_pairs(step, candidates, group);
        }
        Ok(true)
    }

    /// Contacts of the pairs of a group that are closed, or may close within the step.
    fn add_group_contacts(
        &mut self,
        step: &StepContext,
        candidates: &mut Candidates,
        (islands, excluded): (&[usize], &[bool]),
        (t, margin, tilt): (f64, f64, f64),
        (group, at_start): (usize, bool),
    ) -> Result<(), StepFailure> {
        let StepContext { contacts, h, .. } = *step;
        for candidate in &mut candidates.list {
            let own = step.islands(candidate.pair);
            let within = own.iter().flatten().all(|island| islands.contains(island) && !excluded[*island]);
            if !within || own == [None, None] {
                continue;
            }
            for &island in own.iter().flatten() {
                self.evaluate(step.model, island, t)?;
            }
            let (p, q) = (&contacts.parts[candidate.pair.0], &contacts.parts[candidate.pair.1]);
            let (a, b) = (p.body_pose(&self.sample), q.body_pose(&self.sample));
            let failed = |error: QueryError| failure(step.model, &self.node, p.body, error.into());
            let whole = contacts
                .separation(candidate.pair, (&a, &b), f64::INFINITY, &mut candidate.warm_start)
                .map_err(failed)?;
            let acceleration = self.max_acceleration([p.slot, q.slot].into_iter().flatten());
            let slow = step.short_bounce(candidate.pair) * acceleration * h;
            let gap = whole.gap();
            let frame = ContactFrame { gap, normal: whole.normal(), point: whole.point() };
            let closing = -normal_velocity(contacts, (&self.sample, &self.twists), candidate.pair, &frame);
            let nearly = gap <= slow * h && closing <= slow;
            if !(gap <= step.contact_gap || nearly) {
                continue;
            }
            let speed = |slot: Option<usize>, reach: f64| {
                slot.map_or(0.0, |slot| {
                    let twist = &self.twists[slot];
                    linear(twist).norm() + angular(twist).norm() * reach + acceleration * h
                })
            };
            // Half-spaces have no reach, and do not move.
            let finite = |reach: f64| if reach.is_finite() { reach } else { 0.0 };
            let travel = speed(p.slot, finite(p.reach)) + speed(q.slot, finite(q.reach));
            let window = margin * travel * (h - t) + slow * h + step.contact_gap;
            let size = p.radius.min(q.radius);
            let with_impacts = at_start && step.timing == ImpactTiming::EndOfStep;
            let left_to_end = self.is_left_to_end(step, candidate.pair, t);
            let groups = &mut self.groups;
            groups.found.clear();
            let (query, found) = (&mut groups.query, &mut groups.found);
            contacts
                .contact_functions(
                    candidate.pair,
                    (&a, &b),
                    (window, tilt),
                    &mut candidate.warm_start,
                    query,
                    found,
                )
                .map_err(failed)?;
            if let Some((end_a, end_b)) = &candidate.beyond {
                let at_end = (end_a, end_b);
                let mut warm_start = candidate.warm_start;
                contacts
                    .further_contact_functions(
                        candidate.pair,
                        ((&a, &b), at_end),
                        (window, tilt),
                        &mut warm_start,
                        query,
                        found,
                    )
                    .map_err(failed)?;
            }
            candidate.owned = true;
            let rest_speed = NEGLIGIBLE_CLOSING * SHORT_BOUNCE_ELASTIC * acceleration * h;
            let rounding = CLOSING_SPEED_ROUNDING * travel;
            let closes = |(_, frame): &(ContactFunction, ContactFrame)| {
                let velocity = normal_velocity(contacts, (&self.sample, &self.twists), candidate.pair, frame);
                frame.gap <= step.contact_gap && -velocity > rest_speed.max(rounding)
            };
            groups.closes |= groups.found.iter().any(closes);
            if !candidate.loadable
                && is_degenerate(&groups.found, size)
                && !groups.warm_start.has_loaded(candidate.pair)
            {
                continue;
            }
            let friction = step.friction(candidate.pair);
            // Impacts that are resolved later: faster than at rest.
            let elastic = step.is_elastic(candidate.pair);
            let (list, sample, twists) =
                (&mut groups.groups[group].interval.contacts, &self.sample, &self.twists);
            list.extend(groups.found.drain(..).map(|(function, frame)| {
                let tangents = contacts.tangents(function.pair, &frame.normal);
                let velocity = normal_velocity(contacts, (sample, twists), function.pair, &frame);
                let closes = frame.gap <= step.contact_gap && -velocity > slow.max(rounding);
                let mut contact = ClosedContact::new(function, frame, tangents, friction, size);
                contact.excluded = with_impacts && (closes || elastic && velocity > slow.max(rounding));
                candidate.owned &= !(with_impacts && closes) || left_to_end;
                groups.warm_start.initialise(contacts, sample, &mut contact);
                contact
            }));
            candidate.loadable = true;
        }
        Ok(())
    }
}
