//! Joints, springs and charges of a scene, as points in body frames.

use percussion_geometry::{Pose, Vec3};
use percussion_mechanics::force::{Anchor, ForceLaw};
use percussion_mechanics::joint::{Frame, Joint};
use percussion_mechanics::{JointKind, Model};

/// A point of a body in its own frame, or of the world.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BodyPoint {
    /// Index of the body; `None` is the world.
    pub body: Option<usize>,
    /// The point.
    pub point: Vec3,
}

/// A joint.
#[derive(Clone, Debug)]
pub struct JointLine {
    /// Its name in the scene.
    pub name: String,
    /// Its kind.
    pub kind: JointKind,
    /// Its point on the parent.
    pub parent: BodyPoint,
    /// Its point on the child.
    pub child: BodyPoint,
    /// The z axis of the joint on the parent: the axis of a revolute joint.
    pub axis: Vec3,
}

/// A spring between two points.
#[derive(Clone, Debug)]
pub struct SpringLine {
    /// Its name in the scene.
    pub name: String,
    /// Its ends.
    pub ends: [BodyPoint; 2],
}

/// A charge on a point of a body.
#[derive(Clone, Copy, Debug)]
pub struct Charge {
    /// Its point.
    pub place: BodyPoint,
    /// Its charge, C.
    pub charge: f64,
}

/// Joints, springs and charges.
#[derive(Clone, Debug, Default)]
pub struct Connections {
    /// Joints, without those of free bodies.
    pub joints: Vec<JointLine>,
    /// Springs.
    pub springs: Vec<SpringLine>,
    /// Charges.
    pub charges: Vec<Charge>,
}

impl Connections {
    /// Those of a model.
    pub fn of(model: &Model) -> Self {
        let mut all = Self::default();
        let tree = model.links.iter().enumerate().map(|(slot, link)| (&link.joint, link.parent, slot));
        let loops = model.closures.iter().map(|closure| (&closure.joint, closure.parent, closure.child));
        for (joint, parent, child) in tree.chain(loops) {
            let bound = match joint.kind {
                JointKind::Free => false,
                // Free bodies of planar scenes have a planar joint to the world.
                JointKind::Planar => parent.is_some(),
                _ => true,
            };
            if bound {
                all.joints.push(joint_line(model, joint, parent, child));
            }
        }
        for force in &model.forces {
            match &force.law {
                ForceLaw::Spring(spring) => {
                    let ends = [&spring.a, &spring.b].map(|end| anchored(model, end));
                    all.springs.push(SpringLine { name: force.name.clone(), ends });
                }
                ForceLaw::Charges(charges) => {
                    all.charges.extend(charges.charges.iter().map(|source| Charge {
                        place: anchored(model, &source.anchor),
                        charge: source.weight,
                    }))
                }
                _ => {}
            }
        }
        all
    }
}

fn joint_line(model: &Model, joint: &Joint, parent: Option<usize>, child: usize) -> JointLine {
    let (parent_place, axis) = framed(model, parent, &joint.parent_frame);
    let (child_place, _) = framed(model, Some(child), &joint.child_frame);
    JointLine { name: joint.name.clone(), kind: joint.kind, parent: parent_place, child: child_place, axis }
}

/// Origin and z axis of a joint frame, in the body frame.
fn framed(model: &Model, slot: Option<usize>, frame: &Frame) -> (BodyPoint, Vec3) {
    let axis: Vec3 = frame.axes.column(2).into();
    match slot {
        None => (BodyPoint { body: None, point: frame.point }, axis),
        Some(slot) => {
            let (body, principal) = owned(model, slot);
            let place = BodyPoint { body: Some(body), point: principal.point(&frame.point) };
            (place, principal.direction(&axis))
        }
    }
}

fn anchored(model: &Model, anchor: &Anchor) -> BodyPoint {
    match anchor.body {
        None => BodyPoint { body: None, point: anchor.arm },
        Some(slot) => {
            let (body, principal) = owned(model, slot);
            BodyPoint { body: Some(body), point: principal.point(&anchor.arm) }
        }
    }
}

fn owned(model: &Model, slot: usize) -> (usize, &Pose) {
    let body = model.links[slot].body;
    (body, &model.bodies[body].principal)
}
