//! Forward kinematics: from the poses as written and the joint coordinates to the initial poses.
//!
//! Parents first: a child whose joint has coordinates gets the pose `X_parent F_parent J(c) F_child⁻¹`; a child whose joint has none
//! keeps its pose relative to its parent.

use super::joints::WrittenJoint;
use nalgebra::{Rotation3, Unit};
use percussion_geometry::{Pose, Vec3};
use percussion_mechanics::JointKind;

/// Initial poses from the poses as written. Cycles of joints and children of two joints leave the poses unchanged: the model
/// refuses them later. A pose in `moved_to` has precedence over the coordinates of joints.
pub(crate) fn assemble(written: &[Pose], joints: &[WrittenJoint], moved_to: &[Option<Pose>]) -> Vec<Pose> {
    let mut poses = written.to_vec();
    let nothing = joints.iter().all(|joint| joint.coordinates.is_none() && joint.rotation_vector.is_none());
    if nothing && moved_to.iter().all(Option::is_none) {
        return poses;
    }
    let mut joint_above: Vec<Option<&WrittenJoint>> = vec![None; written.len()];
    let mut children: Vec<Vec<usize>> = vec![Vec::new(); written.len()];
    let mut open = Vec::new();
    for joint in joints.iter().filter(|joint| !joint.closes_loop) {
        let child = joint.spec.child.0;
        if joint_above[child].replace(joint).is_some() {
            return poses;
        }
        match joint.spec.parent {
            Some(parent) => children[parent.0].push(child),
            None => open.push(child),
        }
    }
    // Bodies without a joint above are roots; bodies that are not reached from roots are in a cycle.
    open.extend((0..written.len()).filter(|&body| joint_above[body].is_none()));
    let mut moved = vec![false; written.len()];
    while let Some(body) = open.pop() {
        open.extend(&children[body]);
        if let Some(pose) = moved_to.get(body).copied().flatten() {
            (poses[body], moved[body]) = (pose, true);
            continue;
        }
        let Some(joint) = joint_above[body] else { continue };
        let parent = joint.spec.parent.map(|id| id.0);
        let parent_pose = parent.map_or_else(Pose::identity, |parent| poses[parent]);
        let parent_moved = parent.is_some_and(|parent| moved[parent]);
        let placed = joint.coordinates.is_some() || joint.rotation_vector.is_some();
        moved[body] = placed || parent_moved;
        if placed {
            let frame = parent_pose.then(&joint.spec.parent_frame).then(&displacement(joint));
            poses[body] = frame.then(&inverse(&joint.spec.child_frame));
        } else if let (true, Some(parent)) = (parent_moved, parent) {
            poses[body] = parent_pose.then(&inverse(&written[parent])).then(&written[body]);
        }
    }
    poses
}

/// `J(c)`: the pose of the child frame in the parent frame.
fn displacement(joint: &WrittenJoint) -> Pose {
    let about = |axis: Vec3, angle: f64| Rotation3::from_axis_angle(&Unit::new_unchecked(axis), angle);
    let about_z = |angle: f64| about(Vec3::z(), angle);
    let (none, zero) = (Rotation3::identity(), Vec3::zeros());
    let (rotation, position) = match (joint.spec.kind, joint.coordinates.as_deref().unwrap_or_default()) {
        (JointKind::Revolute, &[angle]) => (about_z(angle), zero),
        (JointKind::Prismatic, &[travel]) => (none, Vec3::z() * travel),
        (JointKind::Cylindrical, &[angle, travel]) => (about_z(angle), Vec3::z() * travel),
        (JointKind::Universal, &[first, second]) => {
            (about(Vec3::x(), first) * about(Vec3::y(), second), zero)
        }
        (JointKind::Planar, &[x, y]) => (none, Vec3::new(x, y, 0.0)),
        (JointKind::Planar, &[x, y, angle]) => (about_z(angle), Vec3::new(x, y, 0.0)),
        _ => (joint.rotation_vector.map_or(none, Rotation3::new), zero),
    };
    Pose::new(rotation, position)
}

fn inverse(pose: &Pose) -> Pose {
    let back = pose.rotation.inverse();
    Pose::new(back, -(back * pose.position))
}
