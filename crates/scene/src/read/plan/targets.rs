//! Targets of bodies and joints at an instant, with the same keys for the start, the end, path conditions and goals.

use super::context::Context;
use super::range::{range, range_of, vector_of};
use crate::placement::{ORIENTATION_KEYS, rotation};
use crate::read::joints::{coordinate_names, given_rates};
use crate::report::{Read, read_all};
use crate::tree::{Entry, Fields, Table, Value};
use nalgebra::Rotation3;
use percussion_geometry::Vec3;
use percussion_mechanics::JointKind;
use percussion_solve::nlp::Bound;

/// The keys of a target of a body.
const BODY: [&str; 14] = [
    "position",
    "rotation_vector",
    "rotation",
    "quaternion",
    "axis",
    "angle",
    "angle_degrees",
    "velocity",
    "angular_velocity",
    "at_rest",
    "relative_to",
    "point",
    "align",
    "free",
];

/// The keys of a target of a joint.
const JOINT: [&str; 9] = [
    "angle",
    "angle_degrees",
    "travel",
    "coordinates",
    "rotation_vector",
    "rate",
    "rates",
    "at_rest",
    "free",
];

/// What can be free of a body, and of a joint.
const BODY_FREE: [&str; 4] = ["position", "orientation", "velocity", "angular_velocity"];
const JOINT_FREE: [&str; 2] = ["coordinates", "rates"];

/// The alignment of two axes.
#[derive(Clone, Debug)]
pub(super) struct Align {
    /// In the body frame.
    pub axis: Vec3,
    /// In the world, or in the frame of the reference body.
    pub with: Vec3,
    /// The cosine between them.
    pub cosine: Bound,
}

/// A target of a body.
#[derive(Clone, Debug)]
pub(super) struct BodyTarget<'a> {
    pub f: Fields<'a>,
    pub body: usize,
    /// The reference body, moving or fixed; none for the world.
    pub from: Option<usize>,
    /// The point whose position and velocity are given.
    pub point: Option<Vec3>,
    pub position: Option<[Bound; 3]>,
    pub rotation: Option<Rotation3<f64>>,
    pub velocity: Option<[Bound; 3]>,
    pub angular: Option<[Bound; 3]>,
    pub align: Vec<Align>,
    /// Position, orientation, velocity, angular velocity.
    pub free: [bool; 4],
}

/// A target of a joint.
#[derive(Clone, Debug)]
pub(super) struct JointTarget<'a> {
    pub f: Fields<'a>,
    /// Slot of its child.
    pub slot: usize,
    /// A bound for each coordinate; none where it is not given.
    pub coordinates: Vec<Option<Bound>>,
    /// The rotation of a spherical joint.
    pub rotation_vector: Option<Vec3>,
    pub rates: Option<Vec<f64>>,
    /// Coordinates, rates.
    pub free: [bool; 2],
}

/// The targets under the keys `bodies` and `joints` of a table.
#[derive(Clone, Debug, Default)]
pub(super) struct Targets<'a> {
    pub bodies: Vec<BodyTarget<'a>>,
    pub joints: Vec<JointTarget<'a>>,
}

impl<'a> Targets<'a> {
    /// Reads all targets. `may_free` is set for the start, where everything is as in the scene unless it is free.
    pub fn read(context: &Context<'a>, f: &Fields<'a>, may_free: bool) -> Read<Self> {
        let (bodies, joints) = (f.path("bodies"), f.path("joints"));
        let body = |entry| BodyTarget::read(context, entry, &bodies, may_free);
        let joint = |entry| JointTarget::read(context, entry, &joints, may_free);
        let (bodies, joints) = (
            read_all(f.entries("bodies")?.iter().map(body)),
            read_all(f.entries("joints")?.iter().map(joint)),
        );
        Ok(Self { bodies: bodies?, joints: joints? })
    }

    pub fn body(&self, body: usize) -> Option<&BodyTarget<'a>> {
        self.bodies.iter().find(|target| target.body == body)
    }

    pub fn joint(&self, slot: usize) -> Option<&JointTarget<'a>> {
        self.joints.iter().find(|target| target.slot == slot)
    }

    pub fn is_empty(&self) -> bool {
        self.bodies.is_empty() && self.joints.is_empty()
    }
}

impl<'a> BodyTarget<'a> {
    fn read(context: &Context<'a>, entry: &'a Entry, above: &str, may_free: bool) -> Read<Self> {
        let body = context.body_table.find(entry.place, &entry.key)?;
        let f = Fields::of(context.report, &entry.node, &format!("{above}.{}", entry.key), &BODY)?;
        if context.model.slots[body].is_none() {
            let message = format!("`{}` is about a fixed body, which does not move", f.name);
            return Err(context.report.complain(entry.place, message, "name a body that moves"));
        }
        let particle = context.is_particle(body);
        if particle {
            let turning: Vec<&str> =
                ORIENTATION_KEYS.into_iter().chain(["angular_velocity", "align"]).collect();
            f.refuse(&turning, "is given for a particle, which has no orientation", "remove it")?;
        }
        // All are read before missing ones are reported, so that all complaints are found.
        let (position, velocity) = (vector_of(&f, "position"), vector_of(&f, "velocity"));
        let (angular, point) = (vector_of(&f, "angular_velocity"), f.vector("point"));
        let rotation_vector =
            ORIENTATION_KEYS.into_iter().chain(["angle", "angle_degrees"]).any(|key| f.has(key));
        let rotation_vector = rotation_vector.then(|| rotation(&f)).transpose();
        let (from, align) = (context.body_of(&f, "relative_to"), align(&f));
        let free = freed(&f, &BODY_FREE, may_free);
        let at_rest = f.boolean("at_rest");
        let (mut velocity, mut angular) = (velocity?, angular?);
        if at_rest?.unwrap_or(false) {
            let moving = ["velocity", "angular_velocity"];
            f.refuse(&moving, "is given together with `at_rest`", "keep one of the two")?;
            velocity = Some([Bound::equal(0.0); 3]);
            angular = (!particle).then_some([Bound::equal(0.0); 3]);
        }
        let from = from?;
        if from == Some(body) {
            return Err(f.wrong("relative_to", "is the body itself", "name another body, or remove it"));
        }
        let (position, rotation, free) = (position?, rotation_vector?, free?);
        let given = [position.is_some(), rotation.is_some(), velocity.is_some(), angular.is_some()];
        if let Some(i) = (0..4).find(|&i| given[i] && free[i] && f.node("free").is_some_and(is_list)) {
            let message = format!("names the {}, which is given", BODY_FREE[i].replace('_', " "));
            return Err(f.wrong("free", &message, "keep one of the two"));
        }
        let (point, align) = (point?, align?);
        Ok(Self { f, body, from, point, position, rotation, velocity, angular, align, free })
    }
}

fn is_list(node: &crate::tree::Node) -> bool {
    matches!(node.value, Value::List(_))
}

/// `true` for all, or a list of words.
fn freed<const N: usize>(f: &Fields, words: &[&str; N], may_free: bool) -> Read<[bool; N]> {
    let Some(node) = f.node("free") else { return Ok([false; N]) };
    if !may_free {
        let remedy = "remove it: what is not given is free here; only at the start it is as in the scene";
        return Err(f.wrong("free", "is given", remedy));
    }
    if let Value::Boolean(all) = node.value {
        return Ok([all; N]);
    }
    let name = f.path("free");
    let Value::List(items) = &node.value else {
        let remedy = format!("write true, or a list of {}", words.join(", "));
        return Err(f.wrong("free", &format!("is {}", node.kind()), &remedy));
    };
    let mut free = [false; N];
    for item in items {
        let word = crate::tree::text(f.report, item, &name)?;
        match words.iter().position(|known| *known == word) {
            Some(i) => free[i] = true,
            None => {
                let message = format!("`{name}` names \"{word}\"");
                return Err(f.report.unknown(item.place, message, word, words.iter().copied(), ""));
            }
        }
    }
    Ok(free)
}

fn align(f: &Fields) -> Read<Vec<Align>> {
    let mut all = Vec::new();
    for (i, node) in f.list("align")?.unwrap_or_default().iter().enumerate() {
        let name = format!("{}[{i}]", f.path("align"));
        let own = Fields::of(f.report, node, &name, &["axis", "with", "cosine"])?;
        let (axis, with, cosine) = (own.direction("axis"), own.direction("with"), range_of(&own, "cosine"));
        let axis =
            axis?.ok_or_else(|| own.missing("axis", "give a direction of the body, such as [0, 0, 1]"))?;
        let with = with?.ok_or_else(|| own.missing("with", "give a direction, such as [0, 0, 1]"))?;
        let cosine = cosine?
            .ok_or_else(|| own.missing("cosine", "give a number, or a range such as { min = 0.9 }"))?;
        if !(cosine.lower <= 1.0 && cosine.upper >= -1.0) {
            return Err(own.wrong("cosine", "is not a cosine", "give bounds between -1 and 1"));
        }
        all.push(Align { axis, with, cosine });
    }
    Ok(all)
}

impl<'a> JointTarget<'a> {
    fn read(context: &Context<'a>, entry: &'a Entry, above: &str, may_free: bool) -> Read<Self> {
        let slot = context.joint(entry.place, &entry.key)?;
        let joint = &context.link(slot).joint;
        let name = format!("{above}.{}", entry.key);
        let count = joint.coordinates();
        if entry.node.table().is_none() && count == 1 {
            let coordinates = vec![Some(range(context.report, &entry.node, &name)?)];
            // There is no table: further keys are absent.
            static NONE: Table = Table { entries: Vec::new() };
            let f = Fields { report: context.report, table: &NONE, place: entry.place, name };
            return Ok(Self { f, slot, coordinates, rotation_vector: None, rates: None, free: [false; 2] });
        }
        let f = Fields::of(context.report, &entry.node, &name, &JOINT)?;
        if joint.kind == JointKind::Free {
            let message = format!("`{name}` is about a free joint");
            let remedy = "give a target of the body: [..bodies.NAME] with `position` and so on";
            return Err(context.report.complain(entry.place, message, remedy));
        }
        let names = &coordinate_names(joint.kind)[..count.min(coordinate_names(joint.kind).len())];
        let word = joint.kind.word();
        let coordinates = coordinates(&f, names, word);
        let rates = rates(&f, joint.dofs(), word);
        if joint.kind != JointKind::Spherical {
            let message = format!("is given, but a {word} joint has no rotation vector");
            f.refuse(&["rotation_vector"], &message, "it is for spherical joints")?;
        }
        let (rotation_vector, free) = (f.vector("rotation_vector"), freed(&f, &JOINT_FREE, may_free));
        Ok(Self {
            slot,
            coordinates: coordinates?,
            rotation_vector: rotation_vector?,
            rates: rates?,
            free: free?,
            f,
        })
    }
}

fn coordinates(f: &Fields, names: &[&str], word: &str) -> Read<Vec<Option<Bound>>> {
    let shorts = ["angle", "angle_degrees", "travel"];
    if let Some(items) = f.list("coordinates")? {
        f.refuse(&shorts, "is given together with `coordinates`", "keep one of the two")?;
        if items.len() != names.len() || names.is_empty() {
            let message = format!("has {} entries, but a {word} joint has {}", items.len(), names.len());
            let remedy = match names.is_empty() {
                true => "remove it".to_owned(),
                false => format!("give [{}]", names.join(", ")),
            };
            return Err(f.wrong("coordinates", &message, &remedy));
        }
        let path = f.path("coordinates");
        let each = items.iter().enumerate();
        return each.map(|(i, item)| range(f.report, item, &format!("{path}[{i}]")).map(Some)).collect();
    }
    let (radians, degrees) = (range_of(f, "angle"), range_of(f, "angle_degrees"));
    let (radians, degrees, travel) = (radians?, degrees?, range_of(f, "travel")?);
    f.not_both("angle", "angle_degrees")?;
    let degrees = degrees.map(|d| Bound::between(d.lower.to_radians(), d.upper.to_radians()));
    let angle = radians.or(degrees);
    for (given, name) in [(angle, "angle"), (travel, "travel")] {
        if given.is_some() && !names.contains(&name) {
            let key = if name == "angle" { f.first_of(&shorts[..2]).unwrap_or(name) } else { name };
            let remedy = match names.is_empty() {
                true => "remove it".to_owned(),
                false => format!("give coordinates = [{}]", names.join(", ")),
            };
            return Err(f.wrong(key, &format!("is not a coordinate of a {word} joint"), &remedy));
        }
    }
    let of = |name: &&str| match *name {
        "angle" => angle,
        "travel" => travel,
        _ => None,
    };
    Ok(names.iter().map(of).collect())
}

fn rates(f: &Fields, dofs: usize, word: &str) -> Read<Option<Vec<f64>>> {
    let given: Vec<&str> = ["rate", "rates", "at_rest"].into_iter().filter(|key| f.has(key)).collect();
    if let [first, second, ..] = given[..] {
        f.not_both(first, second)?;
    }
    if f.boolean("at_rest")?.unwrap_or(false) {
        return Ok(Some(vec![0.0; dofs]));
    }
    given_rates(f, dofs, word)
}
