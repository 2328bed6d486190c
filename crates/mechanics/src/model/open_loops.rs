//! Models without a tree.

use super::{JointSpec, Model, ModelBuilder, ModelError};
use crate::body::BodyId;
use crate::joint::JointKind;
use crate::model::State;
use crate::spatial::{angular, linear};

impl ModelBuilder {
    /// Builds the model without a tree: every body has all its degrees of freedom (those of the plane, if it is constrained to one), and joints
    /// are constraints between them, for schemes that keep constraints by multipliers alone. The first state is that of
    /// [`ModelBuilder::build`].
    pub fn build_open(self) -> Result<(Model, State), ModelError> {
        let fixed = |joint: &JointSpec| self.moving(joint.parent).is_none();
        let stays =
            |joint: &JointSpec| matches!(joint.kind, JointKind::Free | JointKind::Planar) && fixed(joint);
        if self.joints.iter().all(stays) {
            return self.build();
        }
        let (tree, start) = self.clone().build()?;
        if let Some(force) = self.joint_forces.iter().find(|force| !stays(&self.joints[force.slot])) {
            let (force, joint) = (force.name.clone(), self.joints[force.slot].name.clone());
            return Err(ModelError::OpenJoint { force, joint });
        }
        let mut open = Self { joints: Vec::new(), rates: Vec::new(), project: true, ..self.clone() };
        let mut numbers = vec![None; self.joints.len()];
        for (i, joint) in self.joints.iter().enumerate() {
            if stays(joint) {
                numbers[i] = Some(open.joint(joint.clone()).0);
            } else {
                open.close(joint.clone());
            }
        }
        for force in &mut open.joint_forces {
            // Forces on other joints were refused above.
            force.slot = numbers[force.slot].unwrap_or(force.slot);
        }
        for (link, twist) in tree.links.iter().zip(tree.twists(&start)) {
            open.velocity(BodyId(link.body), linear(&twist), angular(&twist));
        }
        open.build()
    }
}
