//! Joints: what hangs on what, how, and where its coordinates stand at the start.
//!
//! Frames are those of the bodies *as written*: a joint at a point of the world with an axis holds both bodies there,
//! and its coordinates are zero for that placement. Coordinates that are given then move the child, with everything
//! that hangs on it (`assembly`).

use super::bodies::WrittenBody;
use crate::placement::{PLACEMENT, angle, placement};
use crate::report::{Place, Read, Report};
use crate::tree::{Entry, Fields, Table};
use nalgebra::{Matrix3, Rotation3};
use percussion_geometry::{Pose, Vec3};
use percussion_mechanics::body::BodyKind;
use percussion_mechanics::joint::{ALL_KINDS, Limits};
use percussion_mechanics::rotation::tangents;
use percussion_mechanics::{BodyId, JointKind, JointSpec};
use std::collections::HashMap;

/// The keys of a joint.
pub(crate) const KEYS: [&str; 21] = [
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
    "loop",
    "collide",
];

/// Cosine between two axes that counts as a right angle: six printed digits.
const RIGHT_ANGLE: f64 = 1e-6;

/// A joint as written.
#[derive(Clone, Debug)]
pub(crate) struct WrittenJoint {
    pub spec: JointSpec,
    /// Joint coordinates that place the child.
    pub coordinates: Option<Vec<f64>>,
    /// Rotation of a spherical joint that places the child.
    pub turned: Option<Vec3>,
    pub rates: Option<Vec<f64>>,
    pub closes_loop: bool,
    /// Whether the bodies it ties may meet.
    pub collide: bool,
    /// Where its name stands.
    pub place: Place,
}

/// The bodies a joint or a force may name.
pub(crate) struct BodyTable<'a> {
    pub report: &'a Report,
    pub bodies: &'a [(String, Option<WrittenBody>)],
    pub index: HashMap<&'a str, usize>,
}

impl<'a> BodyTable<'a> {
    /// All bodies by name.
    pub fn new(report: &'a Report, bodies: &'a [(String, Option<WrittenBody>)]) -> Self {
        let index = bodies.iter().enumerate().map(|(i, (name, _))| (name.as_str(), i)).collect();
        Self { report, bodies, index }
    }

    /// A body by name.
    pub fn find(&self, place: Place, name: &str) -> Read<usize> {
        self.index.get(name).copied().ok_or_else(|| {
            let known = self.bodies.iter().map(|(name, _)| name.as_str());
            let remedy = format!("define it under [bodies.{name}]");
            self.report.unknown(place, format!("there is no body `{name}`"), name, known, &remedy)
        })
    }

    /// Bodies that move, or may.
    pub fn moving(&self) -> Vec<usize> {
        let moves = |id: &usize| self.written(*id).is_none_or(|body| body.body.moves());
        (0..self.bodies.len()).filter(moves).collect()
    }

    /// The centre of mass of a body in its own frame.
    pub fn centre(&self, id: usize) -> Vec3 {
        self.written(id).map_or_else(Vec3::zeros, |body| body.body.principal.position)
    }

    fn written(&self, id: usize) -> Option<&WrittenBody> {
        self.bodies[id].1.as_ref()
    }
}

/// The joints under `[joints]`, those with complaints left out.
pub(crate) fn joints(cast: &BodyTable<'_>, root: &Table) -> Vec<WrittenJoint> {
    let entries = root.table("joints").map_or(&[][..], |table| &table.entries);
    entries.iter().filter_map(|entry| joint(cast, entry).ok().flatten()).collect()
}

/// One joint; `None` if a body it names has complaints of its own.
fn joint(cast: &BodyTable<'_>, entry: &Entry) -> Read<Option<WrittenJoint>> {
    let f = Fields::of(cast.report, &entry.node, &format!("joints.{}", entry.key), &KEYS)?;
    let words: Vec<&str> = ALL_KINDS.iter().map(|kind| kind.word()).collect();
    let kind = f.word("kind", &words)?.ok_or_else(|| f.missing("kind", "give one of the nine kinds"));
    let parent = end(cast, &f, "parent", "name a body, or \"world\"");
    let child = end(cast, &f, "child", "name the body that hangs");
    let (kind, parent, child) = (kind?, parent?, child?);
    let Some(child) = child else {
        return Err(f.wrong("child", "is the world", "swap parent and child: the world cannot hang"));
    };
    if parent == Some(child) {
        let message = format!("joint `{}` ties `{}` to itself", entry.key, cast.bodies[child].0);
        return Err(cast.report.complain(f.place_of("child"), message, "name two bodies"));
    }
    let Some(hanging) = cast.written(child) else { return Ok(None) };
    let carrying = match parent {
        None => None,
        Some(id) => match cast.written(id) {
            Some(body) => Some((BodyId(id), &body.pose)),
            None => return Ok(None),
        },
    };
    // The word is one of the list's.
    let kind = ALL_KINDS.into_iter().find(|k| k.word() == kind).unwrap_or(JointKind::Free);
    let reader = Reader { f, kind, particle: hanging.body.kind == BodyKind::Particle };
    let mut spec = reader.frames(&entry.key, carrying, (BodyId(child), &hanging.pose))?;
    let (length, limits) = (reader.length(), reader.limits());
    (spec.length, spec.limits) = (length?, limits?);
    let closes_loop = reader.f.boolean("loop")?.unwrap_or(false);
    if closes_loop {
        let placing = ["angle", "angle_degrees", "travel", "coordinates", "rotation_vector", "rate", "rates"];
        let message = "is given to a joint that closes a loop";
        reader.f.refuse(&placing, message, "the rest of the loop says where it stands and how it moves")?;
    }
    let (coordinates, turned, rates) = (reader.coordinates(), reader.turned(), reader.rates());
    let collide = reader.f.boolean("collide")?.unwrap_or(false);
    let joint = WrittenJoint {
        spec,
        coordinates: coordinates?,
        turned: turned?,
        rates: rates?,
        closes_loop,
        collide,
        place: entry.place,
    };
    if joint.rates.is_some() && hanging.velocity.is_some() {
        let key = reader.f.first_of(&["rate", "rates"]).unwrap_or("rates");
        let message = format!("is given together with a velocity of `{}`", cast.bodies[child].0);
        return Err(reader.f.wrong(key, &message, "keep one of the two"));
    }
    Ok(Some(joint))
}

/// One end of a joint; `None` is the world.
fn end(cast: &BodyTable<'_>, f: &Fields<'_>, key: &str, remedy: &str) -> Read<Option<usize>> {
    let Some(name) = f.text(key)? else { return Err(f.missing(key, remedy)) };
    if name == "world" && !cast.index.contains_key("world") {
        return Ok(None);
    }
    cast.find(f.node(key).map_or(f.place, |node| node.place), name).map(Some)
}

/// The coordinates a joint keeps, by their names in scene files.
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
            f.refuse(&["at", "axis", "second_axis", "from", "to"], message, "keep one way to say it")?;
            let parent_pose = parent.map_or_else(Pose::identity, |(_, pose)| *pose);
            // One frame says where the other is, for the bodies as written.
            let frame = match explicit {
                (Some(on_parent), _) => parent_pose.then(&on_parent),
                (None, on_child) => child.1.then(&on_child.unwrap_or_else(Pose::identity)),
            };
            let mut spec = JointSpec::at(name, self.kind, parent, child, &frame);
            if let (Some(on_parent), Some(on_child)) = explicit {
                (spec.on_parent, spec.on_child) = (on_parent, on_child);
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
                return Err(f.missing(
                    "at",
                    "give the point of the world about which it turns, for the bodies as written",
                ));
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

    /// A rod between two points: those given, or the origins of the bodies' own frames.
    fn rod(&self, name: &str, parent: Option<(BodyId, &Pose)>, child: (BodyId, &Pose)) -> Read<JointSpec> {
        let f = &self.f;
        f.refuse(&["at", "axis", "second_axis"], "is not for rods", "give the ends `from` and `to`")?;
        let to = f.vector("to")?.unwrap_or(child.1.position);
        let from = match (f.vector("from")?, parent) {
            (Some(from), _) => from,
            (None, Some((_, pose))) => pose.position,
            (None, None) => return Err(f.missing("from", "give the point of the world the rod hangs on")),
        };
        let mut spec = JointSpec::at(name, self.kind, parent, child, &Pose::at(from));
        spec.on_child.position = child.1.inverse_point(&to);
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
                return Err(f.wrong(
                    "second_axis",
                    &format!("is given, but a {word} joint has one axis"),
                    "remove it",
                ));
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

    /// The coordinates that place the child.
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
                let message =
                    format!("has {} entries, but a {word} joint keeps {}", given.len(), names.len());
                let remedy = match names.is_empty() {
                    true => "remove it and place the bodies".to_owned(),
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
                    true => "remove it and place the bodies".to_owned(),
                    false => format!("give coordinates = [{}]", names.join(", ")),
                };
                Err(f.wrong(key, &format!("does not say where a {word} joint stands"), &remedy))
            }
        }
    }

    fn turned(&self) -> Read<Option<Vec3>> {
        if self.kind != JointKind::Spherical {
            let message = format!("is given, but a {} joint is not placed by one", self.kind.word());
            self.f.refuse(&["rotation_vector"], &message, "it is for spherical joints")?;
        }
        self.f.vector("rotation_vector")
    }

    fn rates(&self) -> Read<Option<Vec<f64>>> {
        let f = &self.f;
        if f.has("rate") && f.has("rates") {
            return Err(f.wrong("rates", "is given together with `rate`", "keep one of the two"));
        }
        let dofs = self.kind.dofs(self.particle);
        let (key, given) = match f.number("rate")? {
            Some(rate) => ("rate", Some(vec![rate])),
            None => ("rates", f.number_list("rates")?),
        };
        match given {
            Some(rates) if rates.len() != dofs => {
                let word = self.kind.word();
                let message =
                    format!("gives {} for the {dofs} degrees of freedom of a {word} joint", rates.len());
                Err(f.wrong(key, &message, &format!("give a list `rates` of {dofs}")))
            }
            given => Ok(given),
        }
    }

    /// `[lower, upper]` for one coordinate, or a list of such pairs.
    fn limits(&self) -> Read<[Option<Limits>; 3]> {
        let f = &self.f;
        let mut limits = [None; 3];
        let Some(items) = f.list("limits")? else { return Ok(limits) };
        let count = self.kind.coordinates(self.particle);
        let nested = items.iter().any(|item| matches!(item.value, crate::tree::Value::List(_)));
        let pairs =
            if nested { f.rows::<2>("limits")? } else { f.numbers::<2>("limits")?.map(|pair| vec![pair]) };
        let pairs = pairs.unwrap_or_default();
        if pairs.len() != count {
            let word = self.kind.word();
            let message = format!("bounds {} coordinates, but a {word} joint keeps {count}", pairs.len());
            return Err(f.wrong("limits", &message, "give one pair [lower, upper] for each"));
        }
        for (limit, [lower, upper]) in limits.iter_mut().zip(pairs) {
            if !(lower <= upper) {
                let message = format!("has the lower bound {lower} above the upper bound {upper}");
                return Err(f.wrong("limits", &message, "swap them"));
            }
            *limit = Some(Limits { lower, upper });
        }
        Ok(limits)
    }
}
