//! The active set of a step [Hart 4.8-4.11]: contacts that are closed or may close within it.
//!
//! ```text
//! bound of a pair    distance that its parts can travel towards each other in a step, unless the scene prescribes it: both in
//!                    motion, or one of them while impulses stop the other
//! candidate pairs    those whose boxes, grown by the maximum travel of each, overlap
//! contacts           active and nearly active events of each pair, every one with its own distance [Hart 4.17]
//! at_midpoint        the events of closed pairs half a step later, not with the published scheme
//! ```
//!
//! **Midpoint.** A body that rolls or wobbles turns its normals and arms in a step. With those of the beginning, velocities that
//! keep a contact closed leave a gap or a penetration of the order `h²`, and lose or bring energy accordingly; with those of the
//! middle, of the order `h³`. Pairs are closed that are nearer than their motion bends in a step and do not collide. The middle
//! is where the velocities at the beginning lead in half a step [Moreau]; distances are extrapolated back from there, and shifted
//! so that the pair has the distance that it has. Substeps have the events of the beginning: they are for piles whose steps are not solved.
//!
//! Pairs are queried in parallel. The active set depends on the configuration and the velocities alone: queries start cold, so that a run that continues
//! from a checkpoint is bitwise identical.

use super::StepInput;
use super::contact_constraint::ContactConstraint;
use super::free_velocities::FreeVelocities;
use super::motion_bound::MotionBound;
use super::options::{DistanceMetric, Stabilisation};
use super::pair_events::{Instant, PairEvents};
use super::swept_pairs::{PAIRS_PER_PART, PROJECTION_REACH};
use super::update_configuration::place_body;
use crate::contact::{ActivityTolerances, CandidatePair, CandidatePairs, ContactGeometry, PartPose};
use crate::discrete::StepError;
use crate::model::State;
use crate::tolerances::lcp::find_contacts::{
    CLOSED, IMPACT_DEPTH, MAX_TURN, MIN_FEATURE_SLACK, NO_BEND, TILT, TRAVEL_MARGIN,
};
use percussion_geometry::Aabb;
use rayon::prelude::*;

/// Pairs from which queries run in parallel, the least of a part, and the most parts.
const MIN_PARALLEL: usize = 256;
const MIN_PART: usize = 64;
const MAX_PARTS: usize = 16;

/// Pairs of a part that is queried by one thread.
pub(super) fn part_length(pairs: usize) -> usize {
    if pairs < MIN_PARALLEL { pairs.max(1) } else { pairs.div_ceil(MAX_PARTS).max(MIN_PART) }
}

/// The active set, with workspace.
#[derive(Debug, Default)]
pub(super) struct ActiveContacts {
    candidates: Option<CandidatePairs>,
    query: PairQuery,
    parts: Vec<CandidatePart>,
    /// The contacts, by pair.
    pub list: Vec<ContactConstraint>,
    /// Deepest penetration of two parts, in units of the metric.
    pub max_penetration: f64,
    /// Pairs that were queried, sorted.
    pub gaps: Vec<PairGap>,
}

impl ActiveContacts {
    /// Finds the active set at the state of a step, for bodies that move with the velocities without impulses.
    pub fn find_contacts(&mut self, step: &StepInput, velocities: &FreeVelocities) -> Result<(), StepError> {
        let Some(geometry) = step.geometry else { return Ok(()) };
        self.list.clear();
        self.gaps.clear();
        self.gaps.reserve(PAIRS_PER_PART * geometry.parts.len());
        self.max_penetration = 0.0;
        self.query.bound_motions(step, geometry, velocities);
        self.query.bound_boxes(step, geometry);
        let candidates = self.query.candidate_pairs(geometry, &mut self.candidates)?;
        let query = &self.query;
        // Every pair is queried by itself: results do not depend on the parts, which are put together in their order.
        let length = part_length(candidates.len());
        let count = candidates.len().div_ceil(length);
        self.parts.resize_with(count.max(self.parts.len()), CandidatePart::default);
        let parts = &mut self.parts[..count];
        let collect =
            |part: &mut CandidatePart, pairs| part.pair_contacts(step, geometry, query, velocities, pairs);
        match parts {
            [part] => collect(part, candidates),
            _ => {
                let pairs = candidates.par_chunks(length);
                parts.par_iter_mut().zip(pairs).for_each(|(part, pairs)| collect(part, pairs));
            }
        }
        for part in parts {
            if let Some(error) = part.error.take() {
                return Err(error);
            }
            self.list.extend_from_slice(&part.list);
            self.gaps.extend_from_slice(&part.gaps);
            self.max_penetration = self.max_penetration.max(part.max_penetration);
        }
        self.gaps.sort_unstable_by_key(|known| known.pair);
        self.drop_immovable(geometry, velocities);
        Ok(())
    }

    /// Boxes of the parts within which the queried pairs are all the pairs.
    pub fn boxes(&self) -> &[Aabb] {
        &self.query.boxes
    }

    /// Adds contacts, which are sorted by pair, behind those of their pairs.
    pub fn add_contacts(
        &mut self,
        geometry: &ContactGeometry,
        velocities: &FreeVelocities,
        more: &[ContactConstraint],
    ) {
        let key = |contact: &ContactConstraint| {
            (contact.pair.0.min(contact.pair.1), contact.pair.0.max(contact.pair.1))
        };
        for contact in more {
            let to = self.list.partition_point(|other| key(other) <= key(contact));
            self.list.insert(to, *contact);
        }
        self.drop_immovable(geometry, velocities);
    }

    /// Drops contacts along which no body can move: they are no constraints.
    fn drop_immovable(&mut self, geometry: &ContactGeometry, velocities: &FreeVelocities) {
        self.list.retain(|contact| {
            let slots = contact.slots(geometry);
            [0, 1].iter().any(|&side| {
                slots[side].is_some_and(|slot| velocities.dofs[slot].is_moved_by(&contact.gradient[side]))
            })
        });
    }
}

/// Distance of a pair at the beginning of the step.
#[derive(Clone, Copy, Debug)]
pub(super) struct PairGap {
    /// The parts, in the order of queries.
    pub pair: (usize, usize),
    /// A lower bound of their gap, m.
    pub gap: f64,
}

/// Poses and motion bounds of all parts.
#[derive(Debug, Default)]
struct PairQuery {
    poses: Vec<PartPose>,
    bounds: Vec<MotionBound>,
    boxes: Vec<Aabb>,
}

/// A part of the candidate pairs, in parallel with others: their contacts, and workspace.
#[derive(Debug, Default)]
struct CandidatePart {
    list: Vec<ContactConstraint>,
    gaps: Vec<PairGap>,
    max_penetration: f64,
    error: Option<StepError>,
    workspace: PairWorkspace,
}

/// Workspace of the query of a pair.
#[derive(Debug, Default)]
struct PairWorkspace {
    events: PairEvents,
    /// Bodies of closed pairs half a step later.
    middle: Option<State>,
}

impl CandidatePart {
    /// Finds the contacts of pairs.
    fn pair_contacts(
        &mut self,
        step: &StepInput,
        geometry: &ContactGeometry,
        query: &PairQuery,
        velocities: &FreeVelocities,
        pairs: &[CandidatePair],
    ) {
        self.list.clear();
        self.gaps.clear();
        self.gaps.reserve(2 * pairs.len());
        self.max_penetration = 0.0;
        self.error = None;
        for candidate in pairs {
            let (list, workspace) = (&mut self.list, &mut self.workspace);
            match query.pair_contacts(step, geometry, candidate.pair, velocities, (list, workspace)) {
                Ok((penetration, gap)) => {
                    self.max_penetration = self.max_penetration.max(penetration);
                    self.gaps.push(PairGap { pair: candidate.pair, gap });
                }
                Err(error) => {
                    self.error = Some(error);
                    return;
                }
            }
        }
    }
}

impl PairQuery {
    /// Poses and motion bounds of all parts.
    fn bound_motions(&mut self, step: &StepInput, geometry: &ContactGeometry, velocities: &FreeVelocities) {
        let StepInput { state, h, .. } = *step;
        self.poses.clear();
        self.bounds.clear();
        for part in &geometry.parts {
            self.poses.push(part.part_pose(&part.body_pose(state)));
            self.bounds.push(match (part.slot, &part.motion) {
                (Some(slot), _) => MotionBound::of_body(&velocities.free[slot], velocities.extents[slot]),
                (None, Some(motion)) => MotionBound::of_driven(&motion.step(state.time, h), part),
                (None, None) => MotionBound::default(),
            });
        }
    }

    /// Boxes of all parts, grown by their travel.
    fn bound_boxes(&mut self, step: &StepInput, geometry: &ContactGeometry) {
        let mut boxes = std::mem::take(&mut self.boxes);
        boxes.clear();
        boxes.extend(geometry.parts.iter().enumerate().map(|(index, part)| {
            // What a projection may move.
            let reach = match step.options.stabilisation {
                Stabilisation::Projection if part.radius.is_finite() => PROJECTION_REACH * part.radius,
                _ => 0.0,
            };
            part.bounds_at(&self.poses[index]).grown(self.margin(step, geometry, index) + reach)
        }));
        self.boxes = boxes;
    }

    /// Pairs of parts whose grown boxes touch.
    fn candidate_pairs<'a>(
        &self,
        geometry: &ContactGeometry,
        pairs: &'a mut Option<CandidatePairs>,
    ) -> Result<&'a [CandidatePair], StepError> {
        let bounding_box = |part: usize| self.boxes[part];
        match pairs {
            Some(pairs) => pairs.update(geometry, bounding_box)?,
            None => *pairs = Some(CandidatePairs::new(geometry, bounding_box)?),
        }
        Ok(pairs.as_ref().map_or(&[], |pairs| pairs.pairs()))
    }

    /// Adds the contacts of a pair to the list. Returns its penetration in units of the metric, negative where it is apart, and a lower
    /// bound of its gap, m.
    fn pair_contacts(
        &self,
        step: &StepInput,
        geometry: &ContactGeometry,
        (a, b): (usize, usize),
        velocities: &FreeVelocities,
        (list, workspace): (&mut Vec<ContactConstraint>, &mut PairWorkspace),
    ) -> Result<(f64, f64), StepError> {
        let StepInput { state, options, .. } = *step;
        let (p, q) = (&geometry.parts[a], &geometry.parts[b]);
        let (poses, bounds) = (&self.poses, &self.bounds);
        let radius = p.radius.min(q.radius);
        let travel = TRAVEL_MARGIN * step.h.abs() * bounds[a].approach_speed(&bounds[b]);
        let within = match options.eps_t {
            Some(_) => self.margin(step, geometry, a) + self.margin(step, geometry, b),
            None => travel,
        };
        let reach = p.radius + q.radius + within;
        let apart = (poses[a].reference - poses[b].reference).norm_squared();
        if apart > reach * reach {
            return Ok((0.0, apart.sqrt() - p.radius - q.radius));
        }
        let turn = bounds[a].angular_speed + bounds[b].angular_speed;
        let tolerances = ActivityTolerances {
            within,
            eps_x: options.eps_x.unwrap_or(travel.max(MIN_FEATURE_SLACK * radius)),
            eps_t: within.max(MIN_FEATURE_SLACK * radius),
            eps_0: options.eps_0.unwrap_or(0.0),
            tilt: (TRAVEL_MARGIN * step.h.abs() * turn).clamp(TILT.0, TILT.1),
        };
        let before = list.len();
        let (scene, places) = ((step, geometry), (&poses[a], &poses[b]));
        let found = workspace.events.add_contacts(
            scene,
            (a, b),
            places,
            &Instant { state, since: 0.0 },
            (&tolerances, options.eps_t),
            list,
        )?;
        let Some((distance, gap)) = found else { return Ok((0.0, within)) };
        let turn = step.h.abs() * turn;
        let bend = turn * travel;
        let bends = gap <= bend + CLOSED * radius && bend > NO_BEND * radius && turn <= MAX_TURN;
        // Impacts have the events of the beginning: they conserve angular momentum.
        let collides = |contact: &ContactConstraint| {
            let rate = contact.distance_rate(geometry, &velocities.initial);
            (contact.distance + step.h * rate) * contact.unit < -IMPACT_DEPTH * travel
        };
        let midpoint = options.stabilisation == Stabilisation::Projection;
        if midpoint && bends && !list[before..].iter().any(collides) {
            let part = (before, list);
            workspace.at_midpoint(step, geometry, (a, b), velocities, (&tolerances, distance), part)?;
        }
        Ok((-distance, gap))
    }

    /// By how much the box of a part is grown, m. Lengths in the ratio metric are relative to a distance between parts: boxes
    /// allow for it.
    fn margin(&self, step: &StepInput, geometry: &ContactGeometry, part: usize) -> f64 {
        match (step.options.eps_t, step.options.metric) {
            (None, _) => TRAVEL_MARGIN * step.h.abs() * self.bounds[part].max_speed,
            (Some(eps), DistanceMetric::Gap) => 0.5 * eps,
            (Some(eps), DistanceMetric::Ratio) => {
                let radius = geometry.parts[part].radius;
                if radius.is_finite() { eps * radius } else { 0.0 }
            }
        }
    }
}

impl PairWorkspace {
    /// Replaces the contacts of a pair in the list from `before` on by those half a step later, with distances extrapolated back.
    fn at_midpoint(
        &mut self,
        step: &StepInput,
        geometry: &ContactGeometry,
        pair: (usize, usize),
        velocities: &FreeVelocities,
        (tolerances, distance): (&ActivityTolerances, f64),
        (before, list): (usize, &mut Vec<ContactConstraint>),
    ) -> Result<(), StepError> {
        let since = 0.5 * step.h;
        let middle = self.middle.get_or_insert_with(|| step.state.clone());
        middle.time = step.state.time + since;
        for part in [pair.0, pair.1] {
            if let Some(slot) = geometry.parts[part].slot {
                place_body(step, slot, &velocities.initial[slot], since, middle);
            }
        }
        let at = Instant { state: middle, since };
        let poses = at.poses(geometry, pair);
        let end = list.len();
        let scene = (step, geometry);
        let found = self.events.add_contacts(
            scene,
            pair,
            (&poses.0, &poses.1),
            &at,
            (tolerances, step.options.eps_t),
            list,
        )?;
        if found.is_none() || list.len() == end {
            return Ok(());
        }
        list.drain(before..end);
        let mut least = f64::INFINITY;
        for contact in &mut list[before..] {
            contact.distance -= since * contact.distance_rate(geometry, &velocities.initial);
            least = least.min(contact.distance);
        }
        list[before..].iter_mut().for_each(|contact| contact.distance += distance - least);
        Ok(())
    }
}
