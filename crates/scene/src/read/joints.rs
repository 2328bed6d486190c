//! Joints: parent, child, kind, frames and initial coordinates.
//!
//! Frames are given for the poses of the bodies *as written*: a joint at a point of the world with an axis has its frames there on both
//! bodies, and its coordinates are zero for these poses. Coordinates that are given then move the child with all its
//! descendants (`assembly`).

use super::bodies::WrittenBody;
use crate::placement::{PLACEMENT, angle, placement};
use crate::report::{Place, Read, Report};
use crate::tolerances::RIGHT_ANGLE;
use crate::tree::{Entry, Fields, Table};
use nalgebra::{Matrix3, Rotation3};
use percussion_geometry::{Pose, Vec3};
use percussion_mechanics::body::BodyKind;
use percussion_mechanics::joint::{ALL_KINDS, Limits};
use percussion_mechanics::rotation::tangents;
use percussion_mechanics::{BodyId, JointKind, JointSpec};
use std::collections::HashMap;

/// The keys of a joint.
pub(crate) const KEYS: [&str; 24] = [
    "kind",
    "parent",
    "child",
    "at",
    "axis",
    "second_axis",
    "from",
    "to",
    "parent_frame",
    "child_frame",
    "length",
    "angle",
    "angle_degrees",
    "travel",
    "coordinates",
    "rotation_vector",
    "rate",
    "rates",
    "limits",
    "limit_restitution",
    "friction",
    "damping",
    "loop",
    "collide",
];

/// A joint as written.
#[derive(Clone, Debug)]
pub(crate) struct WrittenJoint {
    pub spec: JointSpec,
    /// Initial joint coordinates.
    pub coordinates: Option<Vec<f64>>,
    /// Initial rotation vector of a spherical joint.
    pub rotation_vector: Option<Vec3>,
    pub rates: Option<Vec<f64>>,
    pub closes_loop: bool,
    /// Whether its two bodies may collide.
    pub collide: bool,
    /// Place of its name.
    pub place: Place,
}

/// The bodies of a scene by name.
pub(crate) struct BodyTable<'a> {
    pub report: &'a Report,
    pub bodies: &'a [(String, Option<WrittenBody>)],
    pub index: HashMap<&'a str, usize>,
}

impl<'a> BodyTable<'a> {
    /// All bodies.
    pub fn new(report: &'a Report, bodies: &'a [(String, Option<WrittenBody>)]) -> Self {
        let index = bodies.iter().enumerate().map(|(i, (name, _))| (name.as_str(), i)).collect();
        Self { report, bodies, index }
    }

    /// The index of a body.
    pub fn find(&self, place: Place, name: &str) -> Read<usize> {
        self.index.get(name).copied().ok_or_else(|| {
            let known = self.bodies.iter().map(|(name, _)| name.as_str());
            let remedy = format!("define it under [bodies.{name}]");
            self.report.unknown(place, format!("there is no body `{name}`"), name, known, &remedy)
        })
    }

    /// Bodies that move, with those that have complaints.
    pub fn moving(&self) -> Vec<usize> {
        let moves = |id: &usize| self.written(*id).is_none_or(|body| body.body.moves());
        (0..self.bodies.len()).filter(moves).collect()
    }

    /// The center of mass of a body in its own frame.
    pub fn center_of_mass(&self, id: usize) -> Vec3 {
        self.written(id).map_or_else(Vec3::zeros, |body| body.body.principal.position)
    }

    fn written(&self, id: usize) -> Option<&WrittenBody> {
        self.bodies[id].1.as_ref()
    }
}

/// The joints under `[joints]`, without those with complaints.
pub(crate) fn joints(body_table: &BodyTable<'_>, root: &Table) -> Vec<WrittenJoint> {
    let entries = root.table("joints").map_or(&[][..], |table| &table.entries);
    entries.iter().filter_map(|entry| joint(body_table, entry).ok().flatten()).collect()
}

/// One joint; `None` if one of its bodies has complaints.
fn joint(body_table: &BodyTable<'_>, entry: &Entry) -> Read<Option<WrittenJoint>> {
    let f = Fields::of(body_table.report, &entry.node, &format!("joints.{}", entry.key), &KEYS)?;
    let words: Vec<&str> = ALL_KINDS.iter().map(|kind| kind.word()).collect();
    let kind = f.word("kind", &words)?.ok_or_else(|| f.missing("kind", "give one of the nine kinds"));
    let parent = end(body_table, &f, "parent", "name a body, or \"world\"");
    let child = end(body_table, &f, "child", "name the child body");
    let (kind, parent, child) = (kind?, parent?, child?);
    let Some(child) = child else {
        let remedy = "swap parent and child: the world can only be a parent";
        return Err(f.wrong("child", "is the world", remedy));
    };
    if parent == Some(child) {
        let message = format!("joint `{}` connects `{}` to itself", entry.key, body_table.bodies[child].0);
        return Err(body_table.report.complain(f.place_of("child"), message, "name two bodies"));
    }
    let Some(child_body) = body_table.written(child) else { return Ok(None) };
    let parent = match parent {
        None => None,
        Some(id) => match body_table.written(id) {
            Some(body) => Some((BodyId(id), &body.pose)),
            None => return Ok(None),
        },
    };
    // The word is one of the list.
    let kind = ALL_KINDS.into_iter().find(|k| k.word() == kind).unwrap_or(JointKind::Free);
    let reader = Reader { f, kind, particle: child_body.body.kind == BodyKind::Particle };
    let mut spec = reader.frames(&entry.key, parent, (BodyId(child), &child_body.pose))?;
    let (length, limits) = (reader.length(), reader.limits());
    (spec.length, spec.limits) = (length?, limits?);
    (spec.friction, spec.damping) = (reader.along("friction")?, reader.along("damping")?);
    let closes_loop = reader.f.boolean("loop")?.unwrap_or(false);
    if closes_loop {
        let placing = ["angle", "angle_degrees", "travel", "coordinates", "rotation_vector", "rate", "rates"];
        let message = "is given to a joint that closes a loop";
        reader.f.refuse(
            &placing,
            message,
            "remove it: the coordinates of the loop follow from its other joints",
        )?;
    }
    let (coordinates, rotation_vector, rates) =
        (reader.coordinates(), reader.rotation_vector(), reader.rates());
    let collide = reader.f.boolean("collide")?.unwrap_or(false);
    let joint = WrittenJoint {
        spec,
        coordinates: coordinates?,
        rotation_vector: rotation_vector?,
        rates: rates?,
        closes_loop,
        collide,
        place: entry.place,
    };
    if joint.rates.is_some() && child_body.velocity.is_some() {
        let key = reader.f.first_of(&["rate", "rates"]).unwrap_or("rates");
        let message = format!("is given together with a velocity of `{}`", body_table.bodies[child].0);
        return Err(reader.f.wrong(key, &message, "keep one of the two"));
    }
    Ok(Some(joint))
}

/// Parent or child of a joint; `None` is the world.
fn end(body_table: &BodyTable<'_>, f: &Fields<'_>, key: &str, remedy: &str) -> Read<Option<usize>> {
    let Some(name) = f.text(key)? else { return Err(f.missing(key, remedy)) };
    if name == "world" && !body_table.index.contains_key("world") {
        return Ok(None);
    }
    body_table.find(f.node(key).map_or(f.place, |node| node.place), name).map(Some)
}

/// Names of the coordinates of a joint in scene files.
pub(crate) fn coordinate_names(kind: JointKind) -> &'static [&'static str] {
    match kind {
        JointKind::Revolute => &["angle"],
        JointKind::Prismatic => &["travel"],
        JointKind::Cylindrical => &["angle", "travel"],
        JointKind::Universal => &["first", "second"],
        JointKind::Planar => &["x", "y", "angle"],
        JointKind::Fixed | JointKind::Spherical | JointKind::Free | JointKind::Rod => &[],
    }
}

/// The rates of a joint with a number of degrees of freedom: one under `rate`, or all under `rates`.
pub(crate) fn given_rates(f: &Fields<'_>, dofs: usize, word: &str) -> Read<Option<Vec<f64>>> {
    let (key, rates) = match f.number("rate")? {
        Some(rate) => ("rate", Some(vec![rate])),
        None => ("rates", f.number_list("rates")?),
    };
    match rates {
        Some(rates) if rates.len() != dofs => {
            let message =
                format!("gives {} for the {dofs} degrees of freedom of a {word} joint", rates.len());
            Err(f.wrong(key, &message, &format!("give a list `rates` of {dofs}")))
        }
        rates => Ok(rates),
    }
}

struct Reader<'a> {
    f: Fields<'a>,
    kind: JointKind,
    particle: bool,
}

impl Reader<'_> {
    /// The joint with its frames on both bodies.
    fn frames(&self, name: &str, parent: Option<(BodyId, &Pose)>, child: (BodyId, &Pose)) -> Read<JointSpec> {
        let f = &self.f;
        let explicit = (self.explicit("parent_frame")?, self.explicit("child_frame")?);
        if explicit.0.is_some() || explicit.1.is_some() {
            let message = "is given together with explicit frames";
            f.refuse(&["at", "axis", "second_axis", "from", "to"], message, "keep one of the two")?;
            let parent_pose = parent.map_or_else(Pose::identity, |(_, pose)| *pose);
            // The other frame follows from the poses of the bodies as written.
            let frame = match explicit {
                (Some(parent_frame), _) => parent_pose.then(&parent_frame),
                (None, child_frame) => child.1.then(&child_frame.unwrap_or_else(Pose::identity)),
            };
            let mut spec = JointSpec::at(name, self.kind, parent, child, &frame);
            if let (Some(parent_frame), Some(child_frame)) = explicit {
                (spec.parent_frame, spec.child_frame) = (parent_frame, child_frame);
            }
            return Ok(spec);
        }
        if self.kind == JointKind::Rod {
            return self.rod(name, parent, child);
        }
        f.refuse(&["from", "to"], "is for rods", "give `at`")?;
        let at = match f.vector("at")? {
            Some(at) => at,
            None if self.kind_turns_about_a_point() => {
                return Err(
                    f.missing("at", "give the point of rotation in the world, for the bodies as written")
                );
            }
            None => child.1.position,
        };
        let frame = Pose::new(self.axes()?, at);
        Ok(JointSpec::at(name, self.kind, parent, child, &frame))
    }

    fn kind_turns_about_a_point(&self) -> bool {
        use JointKind::{Cylindrical, Revolute, Spherical, Universal};
        matches!(self.kind, Revolute | Cylindrical | Universal | Spherical)
    }

    fn explicit(&self, key: &str) -> Read<Option<Pose>> {
        let Some(node) = self.f.node(key) else { return Ok(None) };
        let fields = Fields::of(self.f.report, node, &self.f.path(key), &PLACEMENT)?;
        placement(&fields).map(Some)
    }

    /// A rod between two points: those given, or the origins of the body frames.
    fn rod(&self, name: &str, parent: Option<(BodyId, &Pose)>, child: (BodyId, &Pose)) -> Read<JointSpec> {
        let f = &self.f;
        f.refuse(&["at", "axis", "second_axis"], "is not for rods", "give the ends `from` and `to`")?;
        let to = f.vector("to")?.unwrap_or(child.1.position);
        let from = match (f.vector("from")?, parent) {
            (Some(from), _) => from,
            (None, Some((_, pose))) => pose.position,
            (None, None) => {
                return Err(f.missing("from", "give the end of the rod that is fixed in the world"));
            }
        };
        let mut spec = JointSpec::at(name, self.kind, parent, child, &Pose::at(from));
        spec.child_frame.position = child.1.inverse_point(&to);
        Ok(spec)
    }

    /// The axes of the joint in the world: z along `axis`; for universal joints x along `axis` and y along `second_axis`.
    fn axes(&self) -> Read<Rotation3<f64>> {
        use JointKind::{Cylindrical, Planar, Prismatic, Revolute, Universal};
        let f = &self.f;
        let word = self.kind.word();
        if !matches!(self.kind, Revolute | Prismatic | Cylindrical | Planar | Universal) {
            f.refuse(
                &["axis", "second_axis"],
                &format!("is given, but a {word} joint has no axis"),
                "remove it",
            )?;
            return Ok(Rotation3::identity());
        }
        let Some(axis) = f.direction("axis")? else {
            return Err(f.missing(
                "axis",
                &format!("give the axis of the {word} joint in the world, such as [0, 0, 1]"),
            ));
        };
        let second = match (self.kind, f.direction("second_axis")?) {
            (Universal, None) => {
                return Err(f.missing("second_axis", "give the second axis, at right angles to `axis`"));
            }
            (Revolute | Prismatic | Cylindrical, Some(_)) => {
                let message = format!("is given, but a {word} joint has one axis");
                return Err(f.wrong("second_axis", &message, "remove it"));
            }
            (_, None) => tangents(&axis).0,
            (_, Some(second)) => second,
        };
        let cosine = axis.dot(&second);
        if !(cosine.abs() <= RIGHT_ANGLE) {
            let message = format!("is not at right angles to `axis` (cosine {cosine:.2e})");
            return Err(f.wrong("second_axis", &message, "make them perpendicular, to six digits or more"));
        }
        let second = (second - axis * cosine).normalize();
        let columns = match self.kind {
            Universal => [axis, second, axis.cross(&second)],
            _ => [second, axis.cross(&second), axis],
        };
        Ok(Rotation3::from_matrix_unchecked(Matrix3::from_columns(&columns)))
    }

    fn length(&self) -> Read<Option<f64>> {
        if self.kind != JointKind::Rod {
            self.f.refuse(&["length"], "is for rods", "remove it")?;
        }
        self.f.positive("length", "length in metres")
    }

    /// The initial coordinates.
    fn coordinates(&self) -> Read<Option<Vec<f64>>> {
        let f = &self.f;
        let names = coordinate_names(self.kind);
        let names =
            if self.particle { &names[..self.kind.coordinates(true).min(names.len())] } else { names };
        let word = self.kind.word();
        let shorts = ["angle", "angle_degrees", "travel"];
        if let Some(given) = f.number_list("coordinates")? {
            f.refuse(&shorts, "is given together with `coordinates`", "keep one of the two")?;
            if given.len() != names.len() || names.is_empty() {
                let message = format!("has {} entries, but a {word} joint has {}", given.len(), names.len());
                let remedy = match names.is_empty() {
                    true => "remove it and give the poses of the bodies".to_owned(),
                    false => format!("give [{}]", names.join(", ")),
                };
                return Err(f.wrong("coordinates", &message, &remedy));
            }
            return Ok(Some(given));
        }
        let (angle, travel) = (angle(f)?, f.number("travel")?);
        if angle.is_none() && travel.is_none() {
            return Ok(None);
        }
        let coordinates = names
            .iter()
            .map(|name| match *name {
                "angle" => Some(angle.unwrap_or(0.0)),
                "travel" => Some(travel.unwrap_or(0.0)),
                _ => None,
            })
            .collect::<Option<Vec<f64>>>();
        let fits =
            (angle.is_none() || names.contains(&"angle")) && (travel.is_none() || names.contains(&"travel"));
        match coordinates.filter(|_| fits) {
            Some(coordinates) => Ok(Some(coordinates)),
            None => {
                let key = f.first_of(&shorts).unwrap_or("angle");
                let remedy = match names.is_empty() {
                    true => "remove it and give the poses of the bodies".to_owned(),
                    false => format!("give coordinates = [{}]", names.join(", ")),
                };
                Err(f.wrong(key, &format!("is not a coordinate of a {word} joint"), &remedy))
            }
        }
    }

    fn rotation_vector(&self) -> Read<Option<Vec3>> {
        if self.kind != JointKind::Spherical {
            let message = format!("is given, but a {} joint has no rotation vector", self.kind.word());
            self.f.refuse(&["rotation_vector"], &message, "it is for spherical joints")?;
        }
        self.f.vector("rotation_vector")
    }

    fn rates(&self) -> Read<Option<Vec<f64>>> {
        self.f.not_both("rate", "rates")?;
        given_rates(&self.f, self.kind.dofs(self.particle), self.kind.word())
    }

    /// A number for each coordinate: one, or a list.
    fn along(&self, key: &str) -> Read<[f64; 3]> {
        let f = &self.f;
        let mut along = [0.0; 3];
        let Some(node) = f.node(key) else { return Ok(along) };
        let count = self.kind.coordinates(self.particle);
        let given = match node.value {
            crate::tree::Value::List(_) => f.number_list(key)?.unwrap_or_default(),
            _ => f.number(key)?.into_iter().collect(),
        };
        if given.len() != count || count == 0 {
            let word = self.kind.word();
            let message = format!("has {} entries, but a {word} joint has {count} coordinates", given.len());
            let remedy = if count == 0 { "remove it" } else { "give one number for each" };
            return Err(f.wrong(key, &message, remedy));
        }
        if given.iter().any(|value| !(*value >= 0.0)) {
            return Err(f.wrong(key, "is negative", "give numbers of zero or more"));
        }
        along.iter_mut().zip(given).for_each(|(along, value)| *along = value);
        Ok(along)
    }

    /// `[lower, upper]` for one coordinate, or a list of such pairs.
    fn limits(&self) -> Read<[Option<Limits>; 3]> {
        let f = &self.f;
        let mut limits = [None; 3];
        let restitution = f.not_negative("limit_restitution", "coefficient from 0 to 1")?;
        if restitution.is_some_and(|restitution| restitution > 1.0) {
            return Err(f.wrong("limit_restitution", "is greater than 1", "give a coefficient from 0 to 1"));
        }
        if restitution.is_some() && !f.has("limits") {
            return Err(f.wrong(
                "limit_restitution",
                "is given without `limits`",
                "give limits, or remove it",
            ));
        }
        let Some(items) = f.list("limits")? else { return Ok(limits) };
        let count = self.kind.coordinates(self.particle);
        let nested = items.iter().any(|item| matches!(item.value, crate::tree::Value::List(_)));
        let pairs =
            if nested { f.rows::<2>("limits")? } else { f.numbers::<2>("limits")?.map(|pair| vec![pair]) };
        let pairs = pairs.unwrap_or_default();
        if pairs.len() != count {
            let word = self.kind.word();
            let message = format!("bounds {} coordinates, but a {word} joint has {count}", pairs.len());
            return Err(f.wrong("limits", &message, "give one pair [lower, upper] for each"));
        }
        for (limit, [lower, upper]) in limits.iter_mut().zip(pairs) {
            if !(lower <= upper) {
                let message = format!("has the lower bound {lower} above the upper bound {upper}");
                return Err(f.wrong("limits", &message, "swap them"));
            }
            *limit = Some(Limits { lower, upper, restitution: restitution.unwrap_or(0.0) });
        }
        Ok(limits)
    }
}
