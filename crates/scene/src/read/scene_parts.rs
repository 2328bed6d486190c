//! What a model is built from, so that it can be built again with bodies in other places and at other speeds.

use super::bodies::WrittenBody;
use super::forces::WrittenForce;
use super::joints::WrittenJoint;
use percussion_geometry::{Pose, Vec3};
use percussion_mechanics::ModelBuilder;

/// Bodies, joints and forces of a scene.
pub(crate) struct SceneParts<'a> {
    pub gravity: Vec3,
    /// Whether velocities that joints do not allow are projected.
    pub project: bool,
    /// None of them has complaints.
    pub bodies: &'a [(String, Option<WrittenBody>)],
    pub joints: &'a [WrittenJoint],
    pub forces: Vec<WrittenForce>,
}

/// How everything stands and moves.
pub(crate) struct InitialState {
    /// Placements of the bodies.
    pub poses: Vec<Pose>,
    /// Velocities of centres of mass, and angular ones, world axes.
    pub velocities: Vec<Option<(Vec3, Vec3)>>,
    /// Rates of the joints.
    pub rates: Vec<Option<Vec<f64>>>,
}

impl SceneParts<'_> {
    /// As the scene says it, for bodies placed at `poses`.
    pub fn as_written(&self, poses: Vec<Pose>) -> InitialState {
        let of = |((_, body), pose): (&(String, Option<WrittenBody>), &Pose)| {
            body.as_ref().and_then(|body| body.velocity).map(|velocity| velocity.of(pose))
        };
        InitialState {
            velocities: self.bodies.iter().zip(&poses).map(of).collect(),
            rates: self.joints.iter().map(|joint| joint.rates.clone()).collect(),
            poses,
        }
    }

    /// Everything handed to a builder; contact is not.
    pub fn builder(&self, posture: &InitialState) -> ModelBuilder {
        let mut builder = ModelBuilder::new();
        builder.gravity(self.gravity);
        builder.project(self.project);
        for (i, body) in self.bodies.iter().filter_map(|(_, body)| body.as_ref()).enumerate() {
            let id = builder.body(body.body.clone(), posture.poses[i]);
            if let Some((linear, angular)) = posture.velocities[i] {
                builder.velocity(id, linear, angular);
            }
        }
        for (joint, rates) in self.joints.iter().zip(&posture.rates) {
            if joint.closes_loop {
                builder.close(joint.spec.clone());
                continue;
            }
            let id = builder.joint(joint.spec.clone());
            if let Some(rates) = rates {
                builder.rates(id, rates);
            }
        }
        for force in &self.forces {
            match force.clone() {
                WrittenForce::Points(force) => builder.force(force),
                WrittenForce::Joint(force) => builder.joint_force(force),
            }
        }
        builder
    }
}
