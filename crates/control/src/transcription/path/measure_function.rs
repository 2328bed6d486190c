//! A measure of the plan as a path constraint.

use super::super::Evaluation;
use super::super::workspace::Workspace;
use super::{PathConstraint, point_second_derivatives};
use crate::plan::{BodyPoint, Measure};
use percussion_geometry::{Pose, Vec3};
use percussion_mechanics::kinematics::{ConfigurationKinematics, SecondDerivatives};
use percussion_mechanics::{Model, State};

/// The components of a measure; none that depends on velocities.
#[derive(Clone, Debug)]
pub(in super::super) struct MeasureFunction(pub Measure);

/// The bodies that a measure depends on; of a coordinate the child of its joint.
pub(in super::super) fn bodies_of(measure: &Measure, model: &Model) -> [Option<usize>; 2] {
    match measure {
        Measure::Coordinate { dof, .. } => {
            let link = model.links.iter().find(|link| link.dofs().contains(dof));
            [link.map(|link| link.body), None]
        }
        _ => measure.bodies(),
    }
}

impl PathConstraint for MeasureFunction {
    fn rows(&self) -> usize {
        self.0.components()
    }

    fn bodies(&self, model: &Model) -> [Option<usize>; 2] {
        bodies_of(&self.0, model)
    }

    fn value(&self, kinematics: &ConfigurationKinematics, _: &mut Workspace, out: &mut [f64]) -> Evaluation {
        self.0.value(kinematics, out);
        Ok(())
    }

    fn jacobian(&self, kinematics: &mut ConfigurationKinematics, out: &mut [f64]) {
        self.0.gradient(kinematics, out);
    }

    fn second_derivative(&self, model: &Model, state: &State, weights: &[f64]) -> Option<SecondDerivatives> {
        let slot = |body: Option<usize>| body.and_then(|body| model.slots[body]);
        let pose = |body: Option<usize>| body.map_or_else(Pose::identity, |body| model.pose(state, body));
        match &self.0 {
            Measure::Coordinate { .. } => Some(SecondDerivatives::Zero),
            Measure::Point { of, from } if slot(*from).is_none() => {
                let n = pose(*from).direction(&Vec3::new(weights[0], weights[1], weights[2]));
                let x = pose(of.body).point(&of.components);
                Some(point_second_derivatives(state, slot(of.body), n, x))
            }
            Measure::Alignment { one, other } => {
                let axis = |on: &BodyPoint| pose(on.body).direction(&on.components);
                let axes = [axis(one) * weights[0], axis(other)];
                Some(SecondDerivatives::Axes { slots: [slot(one.body), slot(other.body)], axes })
            }
            _ => None,
        }
    }
}
