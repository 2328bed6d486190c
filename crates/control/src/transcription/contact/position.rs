//! Planned contacts as path constraints: gaps of their features, regions, and what contact joints hold.
//!
//! ```text
//! gap         g(q_k) = 0                        at the node of the contact, for each feature
//! region      gᵢ(q_k) ≥ 0                       boundaries of the faces and edges
//! joint       x(q_j) - x(q_k) = 0               at all nodes j while it holds; a rigid one with the orientation
//! ```

use super::super::path::{MeasureFunction, PathConstraint, point_second_derivatives};
use super::super::{Assembly, Evaluation, Label, Workspace};
use super::feature::SeparatingFeature;
use super::resolve::ResolvedContact;
use crate::clearance::poses;
use crate::plan::{BodyPoint, ContactJoint, Measure, Plan};
use percussion_geometry::{Pose, Vec3};
use percussion_mechanics::kinematics::{ConfigurationKinematics, SecondDerivatives};
use percussion_mechanics::spatial::Vec6;
use percussion_mechanics::{Model, State};
use percussion_solve::nlp::Bound;

/// The gap of two separating features, m.
#[derive(Clone, Debug)]
pub(in super::super) struct FeatureGap {
    /// The parts.
    pub pair: (usize, usize),
    /// Their features.
    pub feature: SeparatingFeature,
}

/// Sets the generalised forces of wrenches on the bodies of two parts, which follow from the poses and the centres of mass.
pub(in super::super) fn set_generalised_forces(
    pair: (usize, usize),
    kinematics: &mut ConfigurationKinematics,
    wrenches: impl FnOnce(&[Pose; 2], [Vec3; 2]) -> [Vec6; 2],
    out: &mut [f64],
) {
    out.fill(0.0);
    let Some(contacts) = kinematics.model.contacts.as_ref() else { return };
    let bodies = [pair.0, pair.1].map(|part| Some(contacts.parts[part].body));
    let centers = bodies.map(|body| kinematics.center_of_mass(body));
    let [on_a, on_b] = wrenches(&poses(contacts, pair, kinematics.state), centers);
    kinematics.generalised_forces(&[(bodies[0], on_a), (bodies[1], on_b)], out);
}

impl PathConstraint for FeatureGap {
    fn bodies(&self, model: &Model) -> [Option<usize>; 2] {
        bodies_of_parts(model, self.pair)
    }

    fn value(&self, kinematics: &ConfigurationKinematics, _: &mut Workspace, out: &mut [f64]) -> Evaluation {
        let Some(contacts) = &kinematics.model.contacts else { return Ok(()) };
        let poses = poses(contacts, self.pair, kinematics.state);
        out[0] = self.feature.evaluate(&poses).gap;
        Ok(())
    }

    fn jacobian(&self, kinematics: &mut ConfigurationKinematics, out: &mut [f64]) {
        let wrenches = |poses: &[Pose; 2], centres| self.feature.gap_wrenches(poses, centres);
        set_generalised_forces(self.pair, kinematics, wrenches, out);
    }

    fn second_derivative(&self, model: &Model, state: &State, weights: &[f64]) -> Option<SecondDerivatives> {
        let contacts = model.contacts.as_ref()?;
        let parts = [self.pair.0, self.pair.1].map(|part| &contacts.parts[part]);
        let geometry = self.feature.evaluate(&poses(contacts, self.pair, state));
        let n = geometry.normal * weights[0];
        match self.feature.attached_body()? {
            0 if parts[0].slot.is_none() => {
                Some(point_second_derivatives(state, parts[1].slot, -n, geometry.point_b))
            }
            1 if parts[1].slot.is_none() => {
                Some(point_second_derivatives(state, parts[0].slot, n, geometry.point_a))
            }
            _ => None,
        }
    }
}

/// The bodies of two parts.
pub(in super::super) fn bodies_of_parts(model: &Model, pair: (usize, usize)) -> [Option<usize>; 2] {
    let parts = model.contacts.as_ref().map(|contacts| &contacts.parts);
    [pair.0, pair.1].map(|part| parts.map(|parts| parts[part].body))
}

/// Adds gaps, regions and joints of all planned contacts.
pub(in super::super) fn add_positions(assembly: &mut Assembly) {
    let (plan, set) = (&assembly.problem.plan, assembly.set);
    for (contact, (planned, resolved)) in plan.contacts.iter().zip(&set.contacts).enumerate() {
        let pair = resolved.pair;
        for feature in &resolved.features {
            let gap = FeatureGap { pair, feature: *feature };
            assembly.path_constraint(planned.node, &Label::ContactGap(contact), gap, &[Bound::equal(0.0)]);
        }
        for feature in resolved.enforced_boundaries(planned) {
            let (gap, label) = (FeatureGap { pair, feature: *feature }, Label::ContactRegion(contact));
            assembly.path_constraint(planned.node, &label, gap, &[Bound::at_least(0.0)]);
        }
        if let Some(joint) = planned.joint {
            add_joint(assembly, contact, joint);
        }
    }
}

/// Adds a contact joint: measures of the two bodies at every later node equal those at the node of the contact.
fn add_joint(assembly: &mut Assembly, contact: usize, joint: ContactJoint) {
    let plan = &assembly.problem.plan;
    let (planned, resolved) = (&plan.contacts[contact], &assembly.set.contacts[contact]);
    let measures = joint_measures(plan, resolved, joint);
    let last = planned.last(plan.intervals);
    for node in planned.node + 1..=last {
        for measure in &measures {
            let label = Label::ContactJoint { contact, node };
            let rows = [(); 3].map(|()| assembly.row(Bound::equal(0.0), label.clone()));
            for (at, factor) in [(node, 1.0), (planned.node, -1.0)] {
                assembly.node_function(
                    at,
                    MeasureFunction(measure.clone()),
                    rows.map(|row| (row, factor)).to_vec(),
                );
            }
        }
        // Where the joint leaves, other corners may be planned to touch the face.
        let clear = node < last || planned.release_node.is_none();
        for corner in resolved.corners.iter().filter(|_| clear) {
            let label = Label::Separation { pair: resolved.pair, node };
            let gap = FeatureGap { pair: resolved.pair, feature: *corner };
            assembly.path_constraint(node, &label, gap, &[Bound::at_least(0.0)]);
        }
    }
}

/// What a contact joint keeps constant: the point of the body that moves, on the other one or in the world; of a rigid one the orientation too.
fn joint_measures(plan: &Plan, resolved: &ResolvedContact, joint: ContactJoint) -> Vec<Measure> {
    let Some(contacts) = &plan.model.contacts else { return Vec::new() };
    let (mover, point, other) = resolved.held_point(contacts);
    // Features are in principal frames, measures in those of the author.
    let (body, from) = (mover.body, other.slot.map(|_| other.body));
    let components = plan.model.bodies[body].principal.point(&point);
    let mut measures = vec![Measure::Point { of: BodyPoint { body: Some(body), components }, from }];
    if joint == ContactJoint::Rigid {
        measures.push(Measure::Attitude { body, from, target: resolved.attitude });
    }
    measures
}
