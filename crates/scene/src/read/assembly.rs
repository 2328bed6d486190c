//! Joint coordinates place bodies: from the placements as written to those at the start.
//!
//! Parents first: a child whose joint has coordinates goes where they put it, `X_parent F_parent J(c) F_child⁻¹`; one
//! whose joint has none keeps its placement relative to a parent that was moved.

use super::joints::WrittenJoint;
use nalgebra::{Rotation3, Unit};
use percussion_geometry::{Pose, Vec3};
use percussion_mechanics::JointKind;

/// Placements at the start, from those as written. Joints that go round in circles or share a child leave bodies where
/// they are: the model refuses them afterwards. Bodies for which `moved_to` has a placement stand there, whatever
/// their joints say.
pub(crate) fn assemble(written: &[Pose], joints: &[WrittenJoint], moved_to: &[Option<Pose>]) -> Vec<Pose> {
    let mut poses = written.to_vec();
    let nothing = joints.iter().all(|joint| joint.coordinates.is_none() && joint.turned.is_none());
    if nothing && moved_to.iter().all(Option::is_none) {
        return poses;
    }
    let mut hung: Vec<Option<&WrittenJoint>> = vec![None; written.len()];
    let mut children: Vec<Vec<usize>> = vec![Vec::new(); written.len()];
    let mut open = Vec::new();
    for joint in joints.iter().filter(|joint| !joint.closes_loop) {
        let child = joint.spec.child.0;
        if hung[child].replace(joint).is_some() {
            return poses;
        }
        match joint.spec.parent {
            Some(parent) => children[parent.0].push(child),
            None => open.push(child),
        }
    }
    // Bodies that hang on nothing carry others; what the walk does not reach goes round in a circle.
    open.extend((0..written.len()).filter(|&body| hung[body].is_none()));
    let mut moved = vec![false; written.len()];
    while let Some(body) = open.pop() {
        open.extend(&children[body]);
        if let Some(pose) = moved_to.get(body).copied().flatten() {
            (poses[body], moved[body]) = (pose, true);
            continue;
        }
        let Some(joint) = hung[body] else { continue };
        let parent = joint.spec.parent.map(|id| id.0);
        let carrier = parent.map_or_else(Pose::identity, |parent| poses[parent]);
        let carried = parent.is_some_and(|parent| moved[parent]);
        let placed = joint.coordinates.is_some() || joint.turned.is_some();
        moved[body] = placed || carried;
        if placed {
            let frame = carrier.then(&joint.spec.parent_frame).then(&displacement(joint));
            poses[body] = frame.then(&inverse(&joint.spec.child_frame));
        } else if let (true, Some(parent)) = (carried, parent) {
            poses[body] = carrier.then(&inverse(&written[parent])).then(&written[body]);
        }
    }
    poses
}

/// `J(c)`: the child-side frame, seen from the parent-side frame.
fn displacement(joint: &WrittenJoint) -> Pose {
    let about = |axis: Vec3, angle: f64| Rotation3::from_axis_angle(&Unit::new_unchecked(axis), angle);
    let about_z = |angle: f64| about(Vec3::z(), angle);
    let (none, still) = (Rotation3::identity(), Vec3::zeros());
    let (rotation, position) = match (joint.spec.kind, joint.coordinates.as_deref().unwrap_or_default()) {
        (JointKind::Revolute, &[angle]) => (about_z(angle), still),
        (JointKind::Prismatic, &[travel]) => (none, Vec3::z() * travel),
        (JointKind::Cylindrical, &[angle, travel]) => (about_z(angle), Vec3::z() * travel),
        (JointKind::Universal, &[first, second]) => {
            (about(Vec3::x(), first) * about(Vec3::y(), second), still)
        }
        (JointKind::Planar, &[x, y]) => (none, Vec3::new(x, y, 0.0)),
        (JointKind::Planar, &[x, y, angle]) => (about_z(angle), Vec3::new(x, y, 0.0)),
        _ => (joint.turned.map_or(none, Rotation3::new), still),
    };
    Pose::new(rotation, position)
}

fn inverse(pose: &Pose) -> Pose {
    let back = pose.rotation.inverse();
    Pose::new(back, -(back * pose.position))
}
