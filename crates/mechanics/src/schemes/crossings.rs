//! Parts that pass through each other within a step of a scheme that looks at contact only at the ends of steps.
//!
//! ```text
//! fast_parts     can anything travel farther than a part of the thickness of the thinnest part
//! swept_pairs    pairs whose boxes over the step overlap
//! travel         bound on the distance that points of two parts move relative to each other
//! crossing       t = 0
//!                repeat  separation at t on the path between both ends;   t += max(gap, part of the thickness)/travel
//!                        deep overlap: since the last instant apart, with the normal there
//!                at the end the normal is reversed: a crossing
//! ```
//!
//! The path between the ends has constant velocity and angular velocity. Nothing passes through a half-space. Crossings are recorded, and
//! are a warning of the run; the step is as the scheme has made it.

use super::{Scheme, SchemeKind, StepContact};
use crate::contact::{CandidatePairs, ContactGeometry, PairWarmStart, Part};
use crate::discrete::{SolverStats, StepError, StepFailure};
use crate::model::{Model, State};
use crate::named_arrays::NamedArrays;
use crate::step_record::{Crossing, StepRecord};
use crate::tolerances::crossings::{CROSSING_DEPTH, CROSSING_TRAVEL, SHORT_TRAVEL};
use percussion_geometry::{Aabb, Pose, Vec3};

/// Instants at which a pair is looked at, at most.
const MAX_INSTANTS: usize = 2000;

/// A scheme with a search for crossings after every step.
pub(super) struct WithCrossings<S> {
    scheme: S,
    search: CrossingSearch,
    before: State,
    record: StepRecord,
}

impl<S: Scheme> WithCrossings<S> {
    /// For a model, a state of it and a scheme.
    pub fn new(model: &Model, state: &State, scheme: S) -> Self {
        let (search, record) = (CrossingSearch::new(model), StepRecord::default());
        Self { scheme, search, before: state.clone(), record }
    }
}

impl<S: Scheme> Scheme for WithCrossings<S> {
    fn kind(&self) -> SchemeKind {
        self.scheme.kind()
    }

    fn tolerances(&self) -> Vec<(&'static str, f64)> {
        self.scheme.tolerances()
    }

    fn step(&mut self, model: &Model, state: &mut State, h: f64) -> Result<SolverStats, StepFailure> {
        self.before.clone_from(state);
        let stats = self.scheme.step(model, state, h)?;
        self.record.clear();
        if let Some(record) = self.scheme.step_record() {
            self.record.clone_from(record);
        }
        if let Some(contacts) = model.contacts.as_deref() {
            let found = self.search.find_crossing(contacts, (&self.before, state), h);
            let found = found.map_err(|error| StepFailure {
                step: self.before.steps,
                time: self.before.time,
                body: model.bodies.first().map_or_else(String::new, |body| body.name.clone()),
                error,
                history: Vec::new(),
            });
            match found {
                Ok(found) => self.record.crossing = found,
                Err(failure) => {
                    state.clone_from(&self.before);
                    return Err(failure);
                }
            }
        }
        Ok(stats)
    }

    fn step_record(&self) -> Option<&StepRecord> {
        Some(&self.record)
    }

    fn contacts(&self) -> Vec<StepContact> {
        self.scheme.contacts()
    }

    fn save_warm_start(&self, arrays: &mut NamedArrays) {
        self.scheme.save_warm_start(arrays);
    }

    fn restore_warm_start(&mut self, arrays: &NamedArrays) -> bool {
        self.scheme.restore_warm_start(arrays)
    }
}

/// The search, with workspace.
#[derive(Debug, Default)]
struct CrossingSearch {
    /// Radius of the smallest ball inside of a bounded part, m.
    thinnest: f64,
    broad: Option<CandidatePairs>,
    motions: Vec<PartMotion>,
    boxes: Vec<Aabb>,
}

/// Motion of a part over a step.
#[derive(Clone, Copy, Debug)]
struct PartMotion {
    from: Pose,
    to: Pose,
    way: Vec3,
    /// Rotation vector.
    turn: Vec3,
    /// Bound on what the rotation adds to the way of its points, m.
    swing: f64,
}

impl PartMotion {
    fn of(part: &Part, before: &State, after: &State) -> Self {
        let (from, to) = (part.body_pose(before), part.body_pose(after));
        let turn = (to.rotation * from.rotation.inverse()).scaled_axis();
        let swing = if turn == Vec3::zeros() { 0.0 } else { turn.norm() * part.reach };
        Self { from, to, way: to.position - from.position, turn, swing }
    }

    /// The pose at a fraction of the step.
    fn at(&self, fraction: f64) -> Pose {
        let turn = nalgebra::Rotation3::from_scaled_axis(self.turn * fraction);
        Pose::new(turn * self.from.rotation, self.from.position + self.way * fraction)
    }
}

impl CrossingSearch {
    fn new(model: &Model) -> Self {
        let parts = model.contacts.iter().flat_map(|contacts| &contacts.parts);
        let thinnest = parts.map(|part| part.shape.inner_radius()).fold(f64::INFINITY, f64::min);
        Self { thinnest, ..Self::default() }
    }

    /// The crossing of the fastest pair, if there is one.
    fn find_crossing(
        &mut self,
        contacts: &ContactGeometry,
        (before, after): (&State, &State),
        h: f64,
    ) -> Result<Option<Crossing>, StepError> {
        self.motions.clear();
        self.motions.extend(contacts.parts.iter().map(|part| PartMotion::of(part, before, after)));
        let longest = self.motions.iter().map(|motion| motion.way.norm() + motion.swing).fold(0.0, f64::max);
        if !(2.0 * longest > CROSSING_TRAVEL * self.thinnest) {
            return Ok(None);
        }
        self.boxes.clear();
        for (part, motion) in contacts.parts.iter().zip(&self.motions) {
            let ends = part.bounds(&motion.from).merged(&part.bounds(&motion.to));
            self.boxes.push(ends.grown(if motion.swing.is_finite() { 0.5 * motion.swing } else { 0.0 }));
        }
        let boxes = &self.boxes;
        let pairs = match &mut self.broad {
            Some(pairs) => {
                pairs.update(contacts, |part| boxes[part])?;
                pairs
            }
            none => none.insert(CandidatePairs::new(contacts, |part| boxes[part])?),
        };
        let mut fastest: Option<Crossing> = None;
        for k in 0..pairs.pairs().len() {
            let pair = pairs.pairs()[k].pair;
            let parts = [&contacts.parts[pair.0], &contacts.parts[pair.1]];
            if parts.iter().any(|part| part.shape.is_unbounded()) {
                continue;
            }
            let [a, b] = [self.motions[pair.0], self.motions[pair.1]];
            let travel = (a.way - b.way).norm() + a.swing + b.swing;
            let radii = parts.map(|part| part.shape.inner_radius());
            let slow = fastest.is_some_and(|known| known.speed * h.abs() >= travel);
            if slow || !(travel > CROSSING_TRAVEL * radii[0].min(radii[1])) {
                continue;
            }
            if has_crossed(contacts, pair, (&a, &b), (travel, radii))? {
                let bodies = (parts[0].body, parts[1].body);
                fastest = Some(Crossing { bodies, speed: travel / h.abs() });
            }
        }
        Ok(fastest)
    }
}

/// Whether the parts of a pair pass through each other.
fn has_crossed(
    contacts: &ContactGeometry,
    pair: (usize, usize),
    (a, b): (&PartMotion, &PartMotion),
    (travel, radii): (f64, [f64; 2]),
) -> Result<bool, StepError> {
    let short = SHORT_TRAVEL * (radii[0] + radii[1]);
    let deep = CROSSING_DEPTH * radii[0].min(radii[1]);
    let (mut t, mut warm_start) = (0.0, PairWarmStart::default());
    let mut apart: Option<Vec3> = None;
    let mut crossed = false;
    for _ in 0..MAX_INSTANTS {
        let poses = (a.at(t), b.at(t));
        let contact = contacts.separation(pair, (&poses.0, &poses.1), f64::INFINITY, &mut warm_start)?;
        let gap = contact.gap();
        // The normal of parts that overlap where they were not apart before is all there is to know.
        let side = *apart.get_or_insert(contact.normal());
        if gap > 0.0 && !crossed {
            apart = Some(contact.normal());
        }
        crossed |= -gap > deep;
        if t == 1.0 {
            return Ok(crossed && contact.normal().dot(&side) < 0.0);
        }
        t = (t + gap.max(short) / travel).min(1.0);
    }
    Ok(crossed)
}
