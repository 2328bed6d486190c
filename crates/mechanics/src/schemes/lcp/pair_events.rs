//! Contact events of a pair of parts at a configuration, as constraints.

use super::StepInput;
use super::contact_constraint::{ContactConstraint, ContactPair, PairSide};
use super::options::Stabilisation;
use crate::contact::{
    ActivityTolerances, ContactGeometry, ContactPoint, ManifoldQuery, PairWarmStart, PartPose,
};
use crate::discrete::StepError;
use crate::model::State;

/// A configuration within the step.
#[derive(Clone, Copy)]
pub(super) struct Instant<'a> {
    pub state: &'a State,
    /// Time since the beginning of the step, s.
    pub since: f64,
}

impl Instant<'_> {
    /// The poses of a pair of parts.
    pub fn poses(&self, geometry: &ContactGeometry, (a, b): (usize, usize)) -> (PartPose, PartPose) {
        let pose = |part: usize| {
            let part = &geometry.parts[part];
            part.part_pose(&part.body_pose(self.state))
        };
        (pose(a), pose(b))
    }
}

/// Finds events; queries start cold, so that results depend on the configuration alone.
#[derive(Debug, Default)]
pub(super) struct PairEvents {
    manifold: ManifoldQuery,
    points: Vec<ContactPoint>,
}

impl PairEvents {
    /// Adds the events of a pair to a list, unless its distance exceeds `farthest` (in units of the metric). Returns the distance of the
    /// pair in units of the metric, and in metres; none if it is farther apart than the tolerances reach.
    pub fn add_contacts(
        &mut self,
        (step, geometry): (&StepInput, &ContactGeometry),
        (a, b): (usize, usize),
        poses: (&PartPose, &PartPose),
        at: &Instant,
        (tolerances, farthest): (&ActivityTolerances, Option<f64>),
        list: &mut Vec<ContactConstraint>,
    ) -> Result<Option<(f64, f64)>, StepError> {
        let (p, q) = (&geometry.parts[a], &geometry.parts[b]);
        self.points.clear();
        let cold = &mut PairWarmStart::default();
        let closest =
            geometry.active_events((a, b), poses, tolerances, cold, &mut self.manifold, &mut self.points)?;
        let Some(closest) = closest else { return Ok(None) };
        let pair = ContactPair {
            parts: (a, b),
            sides: [p, q].map(|part| PairSide::new(part, at.state, step.h, at.since)),
            frame: q.slot.or(p.slot).map(|slot| (&at.state.positions[slot], &at.state.rotations[slot])),
            surface: geometry.surface(a, b),
            metric: step.options.metric,
            ratio_gradient: step.options.stabilisation == Stabilisation::Published,
            radius: p.radius.min(q.radius),
        };
        let distance = pair.distance(&closest).0;
        if farthest.is_none_or(|eps| distance <= eps) {
            list.extend(self.points.iter().map(|point| ContactConstraint::new(&pair, point)));
        }
        Ok(Some((distance, closest.gap())))
    }
}
