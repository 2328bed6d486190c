//! Features of scenes that plans do not support.

use super::context::Context;
use crate::report::{Place, Read};
use percussion_mechanics::force::{ForceLaw, JointLaw};
use percussion_mechanics::schemes::{Coordinates, SchemeKind};
use percussion_mechanics::{JointKind, Model};

/// Reports features that plans do not support.
pub(super) fn check(context: &Context<'_>, scheme: SchemeKind, place: Place) -> Read<()> {
    if scheme.capabilities().coordinates == Coordinates::Maximal && !context.parts.joints.is_empty() {
        let message = format!(
            "plans need joints with coordinates, but the scheme \"{scheme}\" treats them as constraints"
        );
        return Err(context.report.complain(place, message, "choose another `scheme` under [run]"));
    }
    let mut outcome = Ok(());
    for joint in context.parts.joints {
        let what = match joint.spec.kind {
            _ if joint.closes_loop => "closes a loop",
            JointKind::Rod => "is a rod",
            _ => continue,
        };
        let message = format!("joint `{}` {what}: plans do not support loops and rods", joint.spec.name);
        let remedy = "replace it by joints of a tree, such as two spherical ones for a rod, or remove [plan]";
        outcome = Err(context.report.complain(joint.place, message, remedy));
    }
    for (body, _) in context.model.prescribed_motions() {
        let message = format!("`{}` has a prescribed motion, which plans do not support", context.name(body));
        let written = context.body_table.bodies[body].1.as_ref().map_or(place, |body| body.place);
        outcome = Err(context.report.complain(written, message, "remove its `motion`, or remove [plan]"));
    }
    outcome
}

/// The name of a force that is given by a table in time.
pub(super) fn tabulated(model: &Model) -> Option<&str> {
    let load = model.forces.iter().find(|force| match &force.law {
        ForceLaw::Load(load) => {
            let given = [&load.force, &load.torque].into_iter().flatten();
            given.into_iter().any(|given| given.components.values().count() > 1)
        }
        _ => false,
    });
    let motor = model.joint_forces.iter().find(|force| match &force.law {
        JointLaw::Motor(table) => table.values().count() > 1,
        _ => false,
    });
    load.map(|force| force.name.as_str()).or(motor.map(|force| force.name.as_str()))
}
