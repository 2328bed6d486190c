//! Separations of pairs of parts as path constraints.

use super::super::contact::{FeatureGap, SeparatingFeature, bodies_of_parts, set_generalised_forces};
use super::super::path::{PathConstraint, depends_on_unknowns};
use super::super::{Assembly, Evaluation, Label, Workspace};
use super::SeparatingPlane;
use crate::clearance::nearest;
use percussion_geometry::{Pose, Vec3};
use percussion_mechanics::contact::PairWarmStart;
use percussion_mechanics::kinematics::ConfigurationKinematics;
use percussion_mechanics::{Model, State};
use percussion_solve::nlp::{Bound, Undefined};

/// Two parts that are kept apart.
#[derive(Clone, Debug, PartialEq)]
pub struct SeparationConstraint {
    /// One node or both ends of an interval, each with the least separation there, m.
    pub nodes: Vec<(usize, f64)>,
    /// The parts.
    pub pair: (usize, usize),
    /// The kind of constraint.
    pub kind: SeparationKind,
}

/// The kind of avoidance constraint of two parts.
#[derive(Clone, Debug, PartialEq)]
pub enum SeparationKind {
    /// By a separating plane, which is an unknown.
    Plane(SeparatingPlane),
    /// By the surface of a half-space: gaps of points of the other part, and a radius about these.
    HalfSpace(Vec<SeparatingFeature>, f64),
    /// By the separation itself, which is smooth for curved parts.
    Separation,
}

/// The separation `s` of two parts.
#[derive(Clone, Debug)]
struct Separation {
    pair: (usize, usize),
    /// Its index among the warm starts.
    index: usize,
    /// The active pair of features, for the Jacobian.
    feature: Option<SeparatingFeature>,
}

impl PathConstraint for Separation {
    fn bodies(&self, model: &Model) -> [Option<usize>; 2] {
        bodies_of_parts(model, self.pair)
    }

    fn value(
        &self,
        kinematics: &ConfigurationKinematics,
        workspace: &mut Workspace,
        out: &mut [f64],
    ) -> Evaluation {
        let warm_start = &mut workspace.avoidance.warm_starts[self.index];
        out[0] = separation(kinematics.model, kinematics.state, self.pair, warm_start)?;
        Ok(())
    }

    fn jacobian(&self, kinematics: &mut ConfigurationKinematics, out: &mut [f64]) {
        let Some(feature) = &self.feature else { return out.fill(0.0) };
        let wrenches = |poses: &[Pose; 2], [a, b]: [Vec3; 2]| {
            let point = feature.contact_point(poses);
            [point.wrench_a(&a), point.wrench_b(&b)]
        };
        set_generalised_forces(self.pair, kinematics, wrenches, out);
    }

    fn with_active_feature(
        &self,
        model: &Model,
        state: &State,
        workspace: &mut Workspace,
    ) -> Result<Option<Box<dyn PathConstraint>>, Undefined> {
        let Some(contacts) = &model.contacts else { return Ok(None) };
        let warm_start = &mut workspace.avoidance.warm_starts[self.index];
        let feature = SeparatingFeature::nearest(contacts, self.pair, state, warm_start);
        let feature = Some(feature.map_err(|e| Undefined(e.to_string()))?);
        Ok(Some(Box::new(Self { feature, ..*self })))
    }
}

/// Adds separations at nodes: all but those by planes.
pub(in super::super) fn add_separations(assembly: &mut Assembly) {
    for (index, constraint) in assembly.set.separations.iter().enumerate() {
        let pair = constraint.pair;
        for &(node, least) in &constraint.nodes {
            let (separation, label) =
                (Separation { pair, index, feature: None }, Label::Separation { pair, node });
            if !depends_on_unknowns(assembly.problem, node, &separation) {
                continue;
            }
            match &constraint.kind {
                SeparationKind::Plane(_) => {}
                SeparationKind::Separation => {
                    assembly.path_constraint(node, &label, separation, &[Bound::at_least(least)]);
                }
                SeparationKind::HalfSpace(features, radius) => {
                    for feature in features {
                        let gap = FeatureGap { pair, feature: *feature };
                        assembly.path_constraint(node, &label, gap, &[Bound::at_least(least + radius)]);
                    }
                }
            }
        }
    }
}

/// The separation of two parts in a state.
pub fn separation(
    model: &Model,
    state: &State,
    pair: (usize, usize),
    warm_start: &mut PairWarmStart,
) -> Result<f64, Undefined> {
    let Some(contacts) = &model.contacts else { return Ok(f64::INFINITY) };
    let nearest = nearest(contacts, pair, state, warm_start);
    Ok(nearest.map_err(|e| Undefined(e.to_string()))?.separation)
}
