//! Pairs of parts that may have met in a step, by the velocities that the step ends with.
//!
//! ```text
//! swept boxes    around a part at both ends of the step, grown by what an arc bulges and a projection moves
//! travel         by how much the two parts of a pair can have approached each other
//! ends_apart     the pair cannot penetrate: farther apart than the travel, or its contacts stay closed along straight paths
//! may_cross      the travel exceeds a part of the thickness: the end of the step does not tell on which side the parts are
//! ```

use super::StepInput;
use super::contact_constraint::ContactConstraint;
use super::find_contacts::PairGap;
use super::motion_bound::MotionBound;
use crate::contact::{CandidatePairs, ContactGeometry};
use crate::discrete::StepError;
use crate::model::State;
use crate::spatial::Vec6;
use crate::tolerances::lcp::swept_pairs::{BULGE, CROSSING_TRAVEL};
pub(super) use crate::tolerances::lcp::swept_pairs::{PENETRATION_ROUNDING, PROJECTION_REACH};
use percussion_geometry::Aabb;

/// Pairs of a part for which there is room from the beginning.
pub(super) const PAIRS_PER_PART: usize = 4;

/// A pair that may have met.
#[derive(Clone, Copy, Debug)]
pub(super) struct SweptPair {
    /// The parts, in the order of queries.
    pub pair: (usize, usize),
    /// Radius of the smaller part, m.
    pub radius: f64,
    /// By how much the parts can have approached each other, m.
    pub travel: f64,
    /// Whether the pair need not be looked at as long as nothing moves its bodies.
    pub ends_apart: bool,
    /// Whether the parts may have crossed.
    pub may_cross: bool,
}

/// Velocities and contacts of a step.
#[derive(Clone, Copy)]
pub(super) struct Sweep<'a> {
    /// Twists of all bodies, by slot.
    pub twists: &'a [Vec6],
    /// Farthest point of each body, m.
    pub extents: &'a [f64],
    /// Contacts of the velocity problem, by pair.
    pub contacts: &'a [ContactConstraint],
    /// Distances of pairs at the beginning, sorted.
    pub gaps: &'a [PairGap],
    /// Boxes of the parts within which these are all the pairs.
    pub boxes: &'a [Aabb],
}

/// The pairs, with workspace.
#[derive(Debug, Default)]
pub(super) struct SweptPairs {
    broad: Option<CandidatePairs>,
    bounds: Vec<MotionBound>,
    boxes: Vec<Aabb>,
    /// The pairs.
    pub list: Vec<SweptPair>,
}

impl SweptPairs {
    /// Finds the pairs of a step whose end is `next`.
    pub fn swept_pairs(
        &mut self,
        step: &StepInput,
        geometry: &ContactGeometry,
        sweep: &Sweep,
        next: &State,
    ) -> Result<(), StepError> {
        let StepInput { state, h, .. } = *step;
        self.bounds.clear();
        self.bounds.extend(geometry.parts.iter().map(|part| match (part.slot, &part.motion) {
            (Some(slot), _) => MotionBound::of_body(&sweep.twists[slot], sweep.extents[slot]),
            (None, Some(motion)) => MotionBound::of_driven(&motion.step(state.time, h), part),
            (None, None) => MotionBound::default(),
        }));
        let bounds = &self.bounds;
        let bounding_box = |part: usize| {
            let (bound, part) = (&bounds[part], &geometry.parts[part]);
            let ends = [state, next].map(|at| part.bounds(&part.body_pose(at)));
            let turn = h.abs() * bound.turning_speed();
            let bulge = h.abs() * bound.swing * (turn / 8.0).min(BULGE);
            let reach = if part.radius.is_finite() { 0.5 * PROJECTION_REACH * part.radius } else { 0.0 };
            ends[0].merged(&ends[1]).grown(bulge + reach)
        };
        self.boxes.clear();
        self.boxes.extend((0..geometry.parts.len()).map(bounding_box));
        let boxes = &self.boxes;
        self.list.clear();
        // Room for pairs that come and go.
        self.list.reserve(PAIRS_PER_PART * geometry.parts.len());
        if sweep.boxes.iter().zip(boxes).all(|(known, swept)| known.contains(swept)) {
            // No body is faster than it was thought to be: the pairs are known.
            let pairs = sweep.gaps.iter().map(|known| known.pair);
            self.list.extend(pairs.map(|pair| swept_pair(step, geometry, sweep, bounds, pair)));
            return Ok(());
        }
        let pairs = match &mut self.broad {
            Some(pairs) => {
                pairs.update(geometry, |part| boxes[part])?;
                pairs
            }
            none => none.insert(CandidatePairs::new(geometry, |part| boxes[part])?),
        };
        let pairs = pairs.pairs().iter().map(|found| found.pair);
        self.list.extend(pairs.map(|pair| swept_pair(step, geometry, sweep, bounds, pair)));
        Ok(())
    }
}

/// What is known of a pair.
fn swept_pair(
    step: &StepInput,
    geometry: &ContactGeometry,
    sweep: &Sweep,
    bounds: &[MotionBound],
    pair: (usize, usize),
) -> SweptPair {
    let (a, b) = (&bounds[pair.0], &bounds[pair.1]);
    let (p, q) = (&geometry.parts[pair.0], &geometry.parts[pair.1]);
    let (travel, radius) = (step.h.abs() * a.relative_speed(b), p.radius.min(q.radius));
    let turn = step.h.abs() * (a.turning_speed() + b.turning_speed());
    let rounding = PENETRATION_ROUNDING * radius;
    let known = sweep.gaps.binary_search_by_key(&pair, |known| known.pair).ok();
    let ends_apart = known.is_some_and(|at| {
        let gap = sweep.gaps[at].gap;
        gap > travel
            || (gap > -rounding && turn * travel < 0.1 * rounding && {
                let from = sweep.contacts.partition_point(|contact| sorted(contact.pair) < sorted(pair));
                let own = sweep.contacts[from..].iter().take_while(|contact| contact.pair == pair);
                let mut count = 0;
                let closed = own.inspect(|_| count += 1).all(|contact| {
                    let rate = contact.distance_rate(geometry, sweep.twists);
                    (contact.distance + step.h * rate) * contact.unit > -rounding
                });
                closed && count > 0
            })
    });
    let thickness = p.shape.inner_radius() + q.shape.inner_radius();
    SweptPair { pair, radius, travel, ends_apart, may_cross: travel > CROSSING_TRAVEL * thickness }
}

/// A pair with the part first that comes first in the list of all.
fn sorted((a, b): (usize, usize)) -> (usize, usize) {
    (a.min(b), a.max(b))
}
