//! The active set of a step [Hart 4.8-4.11]: contacts that are closed or may close within it.
//!
//! ```text
//! bound of a pair    distance that its parts can travel towards each other in a step, unless the scene prescribes it: both in
//!                    motion, or one of them while impulses stop the other
//! candidate pairs    those whose boxes, grown by the maximum travel of each, overlap
//! contacts           active and nearly active events of each pair, every one with its own distance [Hart 4.17]
//! ```
//!
//! The active set depends on the configuration and the velocities alone: queries start cold, so that a run that continues
//! from a checkpoint is bitwise identical.

use super::StepInput;
use super::contact_constraint::{ContactConstraint, ContactPair, PairSide};
use super::free_velocities::FreeVelocities;
use super::motion_bound::MotionBound;
use super::options::DistanceMetric;
use crate::contact::{
    ActivityTolerances, CandidatePair, CandidatePairs, ContactGeometry, ContactPoint, ManifoldQuery,
    PairWarmStart, PartPose,
};
use crate::discrete::StepError;

/// Minimum distance by which the point of an event may lie outside its features, relative to the smaller part: faces in contact
/// keep all their corners.
const MIN_FEATURE_SLACK: f64 = 1e-3;
/// Sine of the angle between faces in contact, at least and at most; between them the rotation in a step.
const TILT: (f64, f64) = (0.1, 0.9);
/// Factor on the distance that a pair can travel in a step: impulses speed bodies up.
const TRAVEL_MARGIN: f64 = 1.25;

/// The active set, with workspace.
#[derive(Debug, Default)]
pub(super) struct ActiveContacts {
    candidates: Option<CandidatePairs>,
    query: PairQuery,
    /// The contacts, by pair.
    pub list: Vec<ContactConstraint>,
    /// Deepest penetration of two parts, in units of the metric.
    pub max_penetration: f64,
}

impl ActiveContacts {
    /// Finds the active set at the state of a step, for bodies that move with the velocities without impulses.
    pub fn find_contacts(&mut self, step: &StepInput, velocities: &FreeVelocities) -> Result<(), StepError> {
        let Some(geometry) = step.geometry else { return Ok(()) };
        self.list.clear();
        self.max_penetration = 0.0;
        self.query.bound_motions(step, geometry, velocities);
        for candidate in self.query.candidate_pairs(step, geometry, &mut self.candidates)? {
            let penetration = self.query.pair_contacts(step, geometry, candidate.pair, &mut self.list)?;
            self.max_penetration = self.max_penetration.max(penetration);
        }
        // A contact along which no body can move is no constraint.
        self.list.retain(|contact| {
            let slots = contact.slots(geometry);
            [0, 1].iter().any(|&side| {
                slots[side].is_some_and(|slot| velocities.dofs[slot].is_moved_by(&contact.gradient[side]))
            })
        });
        Ok(())
    }
}

/// Poses and motion bounds of all parts, and workspace of the query of a pair.
#[derive(Debug, Default)]
struct PairQuery {
    poses: Vec<PartPose>,
    bounds: Vec<MotionBound>,
    manifold: ManifoldQuery,
    points: Vec<ContactPoint>,
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

    /// Pairs of parts whose grown boxes touch.
    fn candidate_pairs<'a>(
        &self,
        step: &StepInput,
        geometry: &ContactGeometry,
        pairs: &'a mut Option<CandidatePairs>,
    ) -> Result<&'a [CandidatePair], StepError> {
        let bounding_box = |part: usize| {
            let margin = self.margin(step, geometry, part);
            geometry.parts[part].bounds_at(&self.poses[part]).grown(margin)
        };
        match pairs {
            Some(pairs) => pairs.update(geometry, bounding_box)?,
            None => *pairs = Some(CandidatePairs::new(geometry, bounding_box)?),
        }
        Ok(pairs.as_ref().map_or(&[], |pairs| pairs.pairs()))
    }

    /// Adds the contacts of a pair to the list; its penetration in units of the metric, negative where it is apart.
    fn pair_contacts(
        &mut self,
        step: &StepInput,
        geometry: &ContactGeometry,
        (a, b): (usize, usize),
        list: &mut Vec<ContactConstraint>,
    ) -> Result<f64, StepError> {
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
        if (poses[a].reference - poses[b].reference).norm_squared() > reach * reach {
            return Ok(0.0);
        }
        let turn = bounds[a].angular_speed + bounds[b].angular_speed;
        let tolerances = ActivityTolerances {
            within,
            eps_x: options.eps_x.unwrap_or(travel.max(MIN_FEATURE_SLACK * radius)),
            eps_t: within.max(MIN_FEATURE_SLACK * radius),
            eps_0: options.eps_0.unwrap_or(0.0),
            tilt: (TRAVEL_MARGIN * step.h.abs() * turn).clamp(TILT.0, TILT.1),
        };
        self.points.clear();
        let cold = &mut PairWarmStart::default();
        let (query, points) = (&mut self.manifold, &mut self.points);
        let closest =
            geometry.active_events((a, b), (&poses[a], &poses[b]), &tolerances, cold, query, points)?;
        let Some(closest) = closest else { return Ok(0.0) };
        let pair = ContactPair {
            parts: (a, b),
            sides: [p, q].map(|part| PairSide::new(part, state, step.h)),
            frame: q.slot.or(p.slot).map(|slot| (&state.positions[slot], &state.rotations[slot])),
            surface: geometry.surface(a, b),
            metric: options.metric,
            radius,
        };
        let distance = pair.distance(&closest).0;
        if options.eps_t.is_none_or(|eps| distance <= eps) {
            list.extend(self.points.iter().map(|point| ContactConstraint::new(&pair, point)));
        }
        Ok(-distance)
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
