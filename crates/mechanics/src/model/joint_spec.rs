//! A joint as a scene describes it, with its friction and damping, which are forces along it.

use super::ModelBuilder;
use crate::body::BodyId;
use crate::force::{JointForce, JointLaw};
use crate::joint::{JointKind, Limits};
use percussion_geometry::Pose;

/// Index of a joint in the list of tree joints.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct JointId(pub usize);

/// A joint as a scene describes it.
#[derive(Clone, Debug)]
pub struct JointSpec {
    /// Its name.
    pub name: String,
    /// The kind of motion that it allows.
    pub kind: JointKind,
    /// The parent; `None` is the world.
    pub parent: Option<BodyId>,
    /// The child.
    pub child: BodyId,
    /// The joint's frame in the parent's own frame (or in the world).
    pub parent_frame: Pose,
    /// The joint's frame in the child's own frame.
    pub child_frame: Pose,
    /// Length of a rod, m; `None` takes the distance of the two points.
    pub length: Option<f64>,
    /// Whole turns to add to the angles computed from the poses (which lie within half a turn).
    pub turns: [f64; 3],
    /// Stops of the coordinates.
    pub limits: [Option<Limits>; 3],
    /// Bounds of dry friction along the coordinates, N m or N.
    pub friction: [f64; 3],
    /// Damping along the coordinates, N m s/rad or N s/m.
    pub damping: [f64; 3],
}

impl JointSpec {
    /// A joint at a frame given in the world, for bodies at given poses.
    pub fn at(
        name: &str,
        kind: JointKind,
        parent: Option<(BodyId, &Pose)>,
        child: (BodyId, &Pose),
        frame: &Pose,
    ) -> Self {
        let seen_from = |pose: &Pose| {
            Pose::new(pose.rotation.inverse() * frame.rotation, pose.inverse_point(&frame.position))
        };
        Self {
            name: name.to_owned(),
            kind,
            parent: parent.map(|(id, _)| id),
            child: child.0,
            parent_frame: parent.map_or(*frame, |(_, pose)| seen_from(pose)),
            child_frame: seen_from(child.1),
            length: None,
            turns: [0.0; 3],
            limits: [None; 3],
            friction: [0.0; 3],
            damping: [0.0; 3],
        }
    }
}

impl ModelBuilder {
    /// Friction and damping of the joints as forces along them.
    pub(super) fn add_joint_friction(&mut self) {
        for slot in 0..self.joints.len() {
            let spec = &mut self.joints[slot];
            let (friction, damping) = (std::mem::take(&mut spec.friction), std::mem::take(&mut spec.damping));
            let laws = friction
                .map(|bound| (bound, "friction", JointLaw::Friction { bound }))
                .into_iter()
                .chain(damping.map(|damping| (damping, "damping", JointLaw::Damper { damping })));
            let counted = spec.kind.coordinates(false) > 1;
            for (k, (_, what, law)) in laws.enumerate().filter(|(_, (value, ..))| *value != 0.0) {
                let coordinate = k % friction.len();
                let name = match counted {
                    true => format!("{} {what} {coordinate}", spec.name),
                    false => format!("{} {what}", spec.name),
                };
                self.joint_forces.push(JointForce { name, slot, coordinate, law });
            }
        }
    }
}
