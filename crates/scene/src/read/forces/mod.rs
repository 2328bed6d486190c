//! Forces: one function for each force law.

mod along;
mod between;
mod outside;

use super::joints::{BodyTable, WrittenJoint};
use crate::report::{Place, Read};
use crate::tree::{Entry, Fields, Node, Table};
use percussion_geometry::{Pose, Vec3};
use percussion_mechanics::force::{Anchor, Force, ForceLaw, JointForce};
use percussion_mechanics::table::Table as TimeTable;

/// A force as written.
#[derive(Clone, Debug)]
pub(crate) enum WrittenForce {
    /// On points of bodies.
    Points(Force),
    /// Along a joint.
    Joint(JointForce),
}

/// What forces refer to.
pub(crate) struct ForceContext<'a> {
    pub body_table: &'a BodyTable<'a>,
    /// Joints without complaints.
    pub joints: &'a [WrittenJoint],
    /// All joints, with those that have complaints.
    pub joints_table: Option<&'a Table>,
    /// Initial poses.
    pub poses: &'a [Pose],
}

/// Names of the force laws in scene files.
pub(crate) const KINDS: [&str; 10] = [
    "spring",
    "damper",
    "charges",
    "mutual-gravity",
    "attraction",
    "load",
    "drag",
    "torsion-spring",
    "torsion-damper",
    "motor",
];

/// The forces under `[forces]`, without those with complaints.
pub(crate) fn forces(context: &ForceContext<'_>, root: &Table) -> Vec<WrittenForce> {
    let entries = root.table("forces").map_or(&[][..], |table| &table.entries);
    entries.iter().flat_map(|entry| force(context, entry).unwrap_or_default()).collect()
}

/// The forces of one entry; empty if a body or joint of it has complaints.
type ForceResult = Read<Vec<WrittenForce>>;

fn force(context: &ForceContext<'_>, entry: &Entry) -> ForceResult {
    let name = format!("forces.{}", entry.key);
    let f = Fields::of_some_kind(context.body_table.report, &entry.node, &name)?;
    let Some(kind) = f.word("kind", &KINDS)? else {
        return Err(f.missing("kind", &format!("give one of {}", KINDS.join(", "))));
    };
    let reader = Reader { f, context, name: &entry.key, kind };
    match kind {
        "spring" => reader.spring(),
        "damper" => reader.damper(),
        "charges" => reader.charges(),
        "mutual-gravity" => reader.mutual_gravity(),
        "attraction" => reader.attraction(),
        "load" => reader.load(),
        "drag" => reader.drag(),
        "torsion-spring" => reader.torsion_spring(),
        "torsion-damper" => reader.torsion_damper(),
        _ => reader.motor(),
    }
}

struct Reader<'a> {
    f: Fields<'a>,
    context: &'a ForceContext<'a>,
    name: &'a str,
    kind: &'a str,
}

impl Reader<'_> {
    /// Checks the keys: those of the law and `kind`.
    fn keys(&self, own: &[&str]) {
        let known: Vec<&str> = ["kind"].iter().chain(own).copied().collect();
        self.f.check_keys(self.kind, &known);
    }

    fn needed<T>(&self, key: &str, value: Read<Option<T>>) -> Read<T> {
        value?.ok_or_else(|| self.f.missing(key, "add it"))
    }

    fn points(&self, law: ForceLaw) -> Vec<WrittenForce> {
        vec![WrittenForce::Points(Force { name: self.name.to_owned(), law })]
    }

    /// The softening length of an inverse-square law.
    fn softening(&self) -> Read<f64> {
        Ok(self.f.not_negative("softening", "length in metres")?.unwrap_or(0.0))
    }

    fn time_table<const N: usize>(&self, times: Vec<f64>, values: Vec<[f64; N]>) -> Read<TimeTable<N>> {
        TimeTable::new(times, values).map_err(|error| {
            self.f.report.complain_with(self.f.place_of("times"), &format!("`{}`: {error}", self.f.name))
        })
    }

    fn ends(&self) -> Read<Option<(Anchor, Anchor)>> {
        let (a, b) = (self.anchor("a"), self.anchor("b"));
        Ok(a?.zip(b?))
    }

    fn anchor(&self, key: &str) -> Read<Option<Anchor>> {
        let remedy = "name a body, or give { body = \"name\", point = [x, y, z] } or { world = [x, y, z] }";
        let Some(node) = self.f.node(key) else { return Err(self.f.missing(key, remedy)) };
        self.anchor_of(node, &self.f.path(key), &[])
    }

    /// A point: the center of mass of a body, a point in the body frame, or a point in the world. `beside` are further keys of its table.
    fn anchor_of(&self, node: &Node, path: &str, beside: &[&str]) -> Read<Option<Anchor>> {
        if let Some(name) = node.text() {
            return self.on_body(node.place, name, None);
        }
        let known: Vec<&str> = ["body", "point", "world"].iter().chain(beside).copied().collect();
        let f = Fields::of(self.f.report, node, path, &known)?;
        if let Some(point) = f.vector("world")? {
            f.refuse(&["body", "point"], "is given together with `world`", "keep one of the two")?;
            return Ok(Some(Anchor { body: None, arm: point }));
        }
        let name = f.text("body")?.ok_or_else(|| f.missing("body", "name the body, or give `world`"))?;
        let point = f.vector("point")?;
        self.on_body(f.node("body").map_or(f.place, |node| node.place), name, point)
    }

    fn on_body(&self, place: Place, name: &str, point: Option<Vec3>) -> Read<Option<Anchor>> {
        let body = self.context.body_table.find(place, name)?;
        let written = self.context.body_table.bodies[body].1.as_ref();
        Ok(written.map(|written| {
            let arm = point.unwrap_or(written.body.principal.position);
            Anchor { body: Some(body), arm }
        }))
    }

    /// Initial position of an anchor.
    fn initial_position(&self, anchor: &Anchor) -> Vec3 {
        anchor.body.map_or(anchor.arm, |body| self.context.poses[body].point(&anchor.arm))
    }

    /// Bodies by name: one under `body`, or several under `bodies`. `None` if neither is given.
    fn named_bodies(&self) -> Read<Option<Vec<(String, usize)>>> {
        let f = &self.f;
        if f.has("body") && f.has("bodies") {
            return Err(f.wrong("bodies", "is given together with `body`", "list all under `bodies`"));
        }
        let nodes: Vec<&Node> = match (f.node("body"), f.list("bodies")?) {
            (Some(node), _) => vec![node],
            (None, Some(list)) => list.iter().collect(),
            (None, None) => return Ok(None),
        };
        let mut all = Vec::new();
        for node in nodes {
            let name = crate::tree::text(f.report, node, &f.path("bodies"))?;
            all.push((name.to_owned(), self.context.body_table.find(node.place, name)?));
        }
        if all.is_empty() {
            return Err(f.wrong("bodies", "is empty", "name at least one body"));
        }
        Ok(Some(all))
    }

    /// One law for each of several bodies: `NAME` for one, `NAME-BODY` for more.
    fn each(&self, bodies: &[(String, usize)], law: impl Fn(usize) -> ForceLaw) -> Vec<WrittenForce> {
        let name = |body: &str| match bodies.len() {
            1 => self.name.to_owned(),
            _ => format!("{}-{body}", self.name),
        };
        bodies
            .iter()
            .map(|(body, id)| WrittenForce::Points(Force { name: name(body), law: law(*id) }))
            .collect()
    }
}
