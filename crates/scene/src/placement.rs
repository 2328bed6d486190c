//! Where something stands: a position, and one of several ways to say how it is turned.

use crate::orthonormal::orthonormal;
use crate::report::Read;
use crate::tree::Fields;
use nalgebra::{Quaternion, Rotation3, Unit, UnitQuaternion};
use percussion_geometry::{PlanarPose, Pose, Vec2, Vec3};

/// The keys that place something.
pub(crate) const PLACEMENT: [&str; 7] =
    ["position", "rotation_vector", "rotation", "quaternion", "axis", "angle", "angle_degrees"];

/// The ways to say how something is turned; at most one may be given.
pub(crate) const WAYS: [&str; 4] = ["rotation_vector", "rotation", "quaternion", "axis"];

/// How far the length of a quaternion may be from one: six printed digits.
const UNIT: f64 = 1e-6;

/// The placement; what is not said is zero.
pub(crate) fn placement(fields: &Fields) -> Read<Pose> {
    let position = fields.vector("position")?.unwrap_or_else(Vec3::zeros);
    Ok(Pose::new(rotation(fields)?, position))
}

/// The placement of a planar shape in the plane: two coordinates and an angle.
pub(crate) fn planar_placement(fields: &Fields) -> Read<PlanarPose> {
    fields.refuse(&WAYS, "does not turn a planar shape", "give `angle` or `angle_degrees`")?;
    let position = fields.numbers::<2>("position")?.map_or_else(Vec2::zeros, Vec2::from);
    Ok(PlanarPose::new(angle(fields)?.unwrap_or(0.0), position))
}

/// How it is turned.
pub(crate) fn rotation(fields: &Fields) -> Read<Rotation3<f64>> {
    let given: Vec<&str> = WAYS.into_iter().filter(|way| fields.has(way)).collect();
    if let [first, second, ..] = given[..] {
        let message = format!("is given together with `{first}`");
        return Err(fields.wrong(second, &message, "keep one of the two"));
    }
    if let Some(key) = fields.first_of(&["angle", "angle_degrees"])
        && !fields.has("axis")
    {
        return Err(fields.wrong(
            key,
            "has no `axis`",
            "add the axis to turn about, such as axis = [0, 0, 1]",
        ));
    }
    if let Some(vector) = fields.vector("rotation_vector")? {
        return Ok(Rotation3::new(vector));
    }
    if let Some(rows) = fields.rows::<3>("rotation")? {
        let Ok(rows) = <[[f64; 3]; 3]>::try_from(rows) else {
            return Err(fields.wrong("rotation", "does not have three rows", "give a 3 by 3 matrix by rows"));
        };
        return orthonormal(&rows)
            .map_err(|said| fields.report.complain_with(fields.place_of("rotation"), &said));
    }
    if let Some(node) = fields.node("quaternion") {
        let name = fields.path("quaternion");
        let parts = Fields::of(fields.report, node, &name, &["w", "x", "y", "z"])?;
        let part = |key: &str| {
            parts
                .number(key)?
                .ok_or_else(|| parts.missing(key, "give all of w (the scalar part), x, y and z"))
        };
        let quaternion = Quaternion::new(part("w")?, part("x")?, part("y")?, part("z")?);
        let length = quaternion.norm();
        if !((length - 1.0).abs() <= UNIT) {
            let message = format!("has the length {length}");
            return Err(fields.wrong(
                "quaternion",
                &message,
                "give a unit quaternion with at least six digits",
            ));
        }
        return Ok(UnitQuaternion::new_normalize(quaternion).to_rotation_matrix());
    }
    if let Some(axis) = fields.direction("axis")? {
        let Some(angle) = angle(fields)? else {
            let remedy = "add `angle` (radians) or `angle_degrees`";
            return Err(fields.wrong("axis", "has no angle", remedy));
        };
        return Ok(Rotation3::from_axis_angle(&Unit::new_unchecked(axis), angle));
    }
    Ok(Rotation3::identity())
}

/// `angle` in radians, or `angle_degrees`.
pub(crate) fn angle(fields: &Fields) -> Read<Option<f64>> {
    angle_of(fields, ["angle", "angle_degrees"])
}

/// An angle under the first of two keys in radians, or under the second in degrees.
pub(crate) fn angle_of(fields: &Fields, [radians, degrees]: [&str; 2]) -> Read<Option<f64>> {
    match (fields.number(radians)?, fields.number(degrees)?) {
        (Some(_), Some(_)) => {
            let message = format!("is given together with `{radians}`");
            Err(fields.wrong(degrees, &message, "keep one of the two"))
        }
        (angle, degrees) => Ok(angle.or(degrees.map(f64::to_radians))),
    }
}
