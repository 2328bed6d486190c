//! Errors of the model builder, reported at the line of the body, joint or force concerned.

use super::bodies::WrittenBody;
use super::joints::WrittenJoint;
use crate::report::{Place, Report, Reported};
use crate::tree::Fields;
use percussion_mechanics::ModelError;
use percussion_mechanics::contact::ContactError;

/// Reports an error of the model builder at the place of its cause.
pub(crate) fn report_model_error(
    report: &Report,
    top: &Fields<'_>,
    bodies: &[(String, Option<WrittenBody>)],
    joints: &[WrittenJoint],
    error: &ModelError,
) -> Reported {
    let body = |name: &str| {
        let found = bodies.iter().find(|(own, _)| own == name);
        found.and_then(|(_, body)| body.as_ref())
    };
    let joint = |name: &str| joints.iter().find(|joint| joint.spec.name == name).map(|joint| joint.place);
    let entry = |collection: &str, name: &str| {
        top.table.table(collection).and_then(|table| table.entry(name)).map(|entry| entry.place)
    };
    // A force on several bodies has the name of the force and that of a body.
    let force = |name: &str| {
        let entries = top.table.table("forces").map_or(&[][..], |table| &table.entries);
        let made = |own: &str| name.strip_prefix(own).is_some_and(|rest| rest.starts_with('-'));
        entry("forces", name).or(entries.iter().find(|entry| made(&entry.key)).map(|entry| entry.place))
    };
    let mut text = error.to_string();
    let place: Option<Place> = match error {
        ModelError::Body { body: name, .. } => body(name).map(|b| b.place),
        ModelError::Duplicate { what, name } => entry(what, name),
        // Numbers are checked when they are read: this is an overflow of a product.
        ModelError::NotFinite { place } | ModelError::Range { place, .. } => {
            let quoted = place.split('`').nth(1).unwrap_or_default();
            match place.starts_with("force ") {
                true => force(quoted),
                false => joint(quoted).or(body(quoted).map(|b| b.place)),
            }
        }
        ModelError::Unknown { .. } => None,
        ModelError::Contact(
            ContactError::LeavesPlane { body: name }
            | ContactError::DrivenFromPlane { body: name }
            | ContactError::TwoPlanes { b: name, .. },
        )
        | ModelError::MovingDriven { body: name } => body(name).map(|b| b.place),
        ModelError::Contact(ContactError::Range { .. }) => Some(top.place_of("contact")),
        ModelError::TiedToDriven { what, name, .. } => match *what {
            "force" => force(name),
            _ => joint(name),
        },
        ModelError::FixedVelocity { body: name } => body(name).map(|b| b.velocity_place),
        ModelError::ToItself { joint: name, .. }
        | ModelError::FixedChild { joint: name, .. }
        | ModelError::TwoParents { second: name, .. }
        | ModelError::Cycle { joint: name, .. }
        | ModelError::Particle { joint: name, .. }
        | ModelError::Misfit { joint: name, .. }
        | ModelError::Flipped { joint: name, .. }
        | ModelError::Rod { joint: name, .. }
        | ModelError::LoopCoordinates { joint: name, .. }
        | ModelError::OutsideLimits { joint: name, .. }
        | ModelError::Rates { joint: name, .. } => joint(name),
        ModelError::Velocity { body: name, joint: through, .. } => {
            text = text.replace("`project = true`", "`project_velocities = true` under [run]");
            match body(name) {
                Some(b) if b.velocity.is_some() => Some(b.velocity_place),
                other => joint(through).or(other.map(|b| b.place)),
            }
        }
        ModelError::Coordinate { force: name, .. } | ModelError::NoOrientation { force: name, .. } => {
            force(name)
        }
    };
    report.complain_with(place.unwrap_or(top.place), &text)
}
