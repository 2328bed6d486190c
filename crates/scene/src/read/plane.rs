//! Check that planar bodies stay in one plane, that of their own x and y axes.

use super::bodies::WrittenBody;
use super::joints::WrittenJoint;
use crate::report::Report;
use crate::tolerances::SAME_AXIS;
use percussion_geometry::{Pose, Vec3};
use percussion_mechanics::JointKind;

/// Reports planar bodies that can leave their plane, or that lie in different planes.
pub(crate) fn check(
    report: &Report,
    bodies: &[(String, Option<WrittenBody>)],
    joints: &[WrittenJoint],
    poses: &[Pose],
) {
    let fixed = |id: usize| bodies[id].1.as_ref().is_some_and(|body| !body.body.moves());
    let mut first: Option<(&str, Vec3)> = None;
    for (id, (name, body)) in bodies.iter().enumerate() {
        let Some(body) = body.as_ref().filter(|body| !body.body.outlines.is_empty()) else { continue };
        let normal = poses[id].direction(&Vec3::z());
        let joint = joints.iter().find(|joint| joint.spec.child.0 == id && !joint.closes_loop);
        let planar = joint.filter(|joint| {
            joint.spec.kind == JointKind::Planar && joint.spec.parent.is_none_or(|parent| fixed(parent.0))
        });
        match planar {
            None if body.body.moves() => {
                let message = format!("`bodies.{name}` has planar shapes but can leave its plane");
                let remedy =
                    "connect it to the world by a joint with kind = \"planar\" and parent = \"world\"";
                _ = report.complain(body.place, message, remedy);
                continue;
            }
            Some(joint) if !close(&joint.spec.child_frame.direction(&Vec3::z()), &Vec3::z()) => {
                let message = format!(
                    "`bodies.{name}` has planar shapes normal to its own z axis, but the plane of joint `{}` has another normal",
                    joint.spec.name
                );
                let remedy = format!(
                    "give the joint axis = [{:?}, {:?}, {:?}], or turn the body",
                    normal.x, normal.y, normal.z
                );
                _ = report.complain(body.place, message, remedy);
                continue;
            }
            _ => {}
        }
        if body.body.motion.as_ref().is_some_and(|motion| !motion.keeps_plane(&normal)) {
            let message = format!("`bodies.{name}` has planar shapes, but its motion leaves their plane");
            let remedy = "translate it in the plane, or rotate it about the normal of the plane";
            _ = report.complain(body.place, message, remedy);
            continue;
        }
        match first {
            None => first = Some((name, normal)),
            Some((other, across)) if !close(&normal, &across) => {
                let message = format!("the z axes of the planar bodies `{other}` and `{name}` differ");
                _ = report.complain(body.place, message, "rotate one of them, with its joint");
            }
            Some(_) => {}
        }
    }
}

fn close(a: &Vec3, b: &Vec3) -> bool {
    (a - b).norm() <= SAME_AXIS
}
