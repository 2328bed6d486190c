//! Poses: a position, and an orientation in one of several forms.

use crate::orthonormal::orthonormal;
use crate::report::Read;
use crate::tolerances::UNIT_NORM;
use crate::tree::Fields;
use nalgebra::{Quaternion, Rotation3, Unit, UnitQuaternion};
use percussion_geometry::{PlanarPose, Pose, Vec2, Vec3};

/// The keys of a pose.
pub(crate) const PLACEMENT: [&str; 7] =
    ["position", "rotation_vector", "rotation", "quaternion", "axis", "angle", "angle_degrees"];

/// The keys of an orientation; at most one may be given.
pub(crate) const ORIENTATION_KEYS: [&str; 4] = ["rotation_vector", "rotation", "quaternion", "axis"];

/// The pose; position and rotation default to zero.
pub(crate) fn placement(fields: &Fields) -> Read<Pose> {
    let position = fields.vector("position")?.unwrap_or_else(Vec3::zeros);
    Ok(Pose::new(rotation(fields)?, position))
}

/// The pose of a planar shape in the plane: two coordinates and an angle.
pub(crate) fn planar_placement(fields: &Fields) -> Read<PlanarPose> {
    fields.refuse(
        &ORIENTATION_KEYS,
        "does not apply to a planar shape",
        "give `angle` or `angle_degrees`",
    )?;
    let position = fields.numbers::<2>("position")?.map_or_else(Vec2::zeros, Vec2::from);
    Ok(PlanarPose::new(angle(fields)?.unwrap_or(0.0), position))
}

/// The rotation.
pub(crate) fn rotation(fields: &Fields) -> Read<Rotation3<f64>> {
    let given: Vec<&str> = ORIENTATION_KEYS.into_iter().filter(|key| fields.has(key)).collect();
    if let [first, second, ..] = given[..] {
        fields.not_both(first, second)?;
    }
    if let Some(key) = fields.first_of(&["angle", "angle_degrees"])
        && !fields.has("axis")
    {
        let remedy = "add the axis to turn about, such as axis = [0, 0, 1]";
        return Err(fields.wrong(key, "has no `axis`", remedy));
    }
    if let Some(vector) = fields.vector("rotation_vector")? {
        return Ok(Rotation3::new(vector));
    }
    if let Some(rows) = fields.rows::<3>("rotation")? {
        let Ok(rows) = <[[f64; 3]; 3]>::try_from(rows) else {
            return Err(fields.wrong("rotation", "does not have three rows", "give a 3 by 3 matrix by rows"));
        };
        return orthonormal(&rows)
            .map_err(|error| fields.report.complain_with(fields.place_of("rotation"), &error));
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
        if !((length - 1.0).abs() <= UNIT_NORM) {
            let message = format!("has the norm {length}");
            let remedy = "give a unit quaternion with at least six digits";
            return Err(fields.wrong("quaternion", &message, remedy));
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
    let (angle, in_degrees) = (fields.number(radians)?, fields.number(degrees)?);
    fields.not_both(radians, degrees)?;
    Ok(angle.or(in_degrees.map(f64::to_radians)))
}
