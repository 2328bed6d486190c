//! The parts of a model: bodies, joints and forces, from which it is built for the scene and for other poses and velocities.

use super::bodies::WrittenBody;
use super::forces::WrittenForce;
use super::joints::WrittenJoint;
use percussion_geometry::{Pose, Vec3};
use percussion_mechanics::ModelBuilder;

/// Bodies, joints and forces of a scene.
pub(crate) struct SceneParts<'a> {
    pub gravity: Vec3,
    /// Whether velocities that violate joints are projected.
    pub project_velocities: bool,
    /// None of them has complaints.
    pub bodies: &'a [(String, Option<WrittenBody>)],
    pub joints: &'a [WrittenJoint],
    pub forces: Vec<WrittenForce>,
}

/// Poses and velocities of all bodies.
pub(crate) struct InitialState {
    /// Poses of the bodies.
    pub poses: Vec<Pose>,
    /// Velocities of the centers of mass and angular velocities, world axes.
    pub velocities: Vec<Option<(Vec3, Vec3)>>,
    /// Rates of the joints.
    pub rates: Vec<Option<Vec<f64>>>,
}

impl SceneParts<'_> {
    /// The velocities of the scene, for bodies at `poses`.
    pub fn as_written(&self, poses: Vec<Pose>) -> InitialState {
        let of = |((_, body), pose): (&(String, Option<WrittenBody>), &Pose)| {
            body.as_ref().and_then(|body| body.velocity).map(|velocity| velocity.in_world(pose))
        };
        InitialState {
            velocities: self.bodies.iter().zip(&poses).map(of).collect(),
            rates: self.joints.iter().map(|joint| joint.rates.clone()).collect(),
            poses,
        }
    }

    /// A model builder with everything but contact.
    pub fn builder(&self, initial: &InitialState) -> ModelBuilder {
        let mut builder = ModelBuilder::new();
        builder.gravity(self.gravity);
        builder.project(self.project_velocities);
        for (i, body) in self.bodies.iter().filter_map(|(_, body)| body.as_ref()).enumerate() {
            let id = builder.body(body.body.clone(), initial.poses[i]);
            if let Some((linear, angular)) = initial.velocities[i] {
                builder.velocity(id, linear, angular);
            }
        }
        for (joint, rates) in self.joints.iter().zip(&initial.rates) {
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
