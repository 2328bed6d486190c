//! Models without a tree.

use super::{JointSpec, Model, ModelBuilder, ModelError};
use crate::body::BodyId;
use crate::force::JointForce;
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
        let mut full = self.clone();
        full.add_joint_friction();
        let mut open = Self {
            joints: Vec::new(),
            rates: Vec::new(),
            joint_forces: Vec::new(),
            project: true,
            open: true,
            ..full.clone()
        };
        // Joint or loop of each joint.
        let mut numbers = Vec::with_capacity(full.joints.len());
        for joint in &full.joints {
            if stays(joint) {
                numbers.push((true, open.joint(joint.clone()).0));
            } else {
                open.close(joint.clone());
                numbers.push((false, open.loops.len() - 1));
            }
        }
        for force in full.joint_forces {
            let (is_joint, slot) = numbers[force.slot];
            let list = if is_joint { &mut open.joint_forces } else { &mut open.closure_forces };
            list.push(JointForce { slot, ..force });
        }
        for (link, twist) in tree.links.iter().zip(tree.twists(&start)) {
            open.velocity(BodyId(link.body), linear(&twist), angular(&twist));
        }
        open.build()
    }
}
