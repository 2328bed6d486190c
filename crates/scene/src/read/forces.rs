//! Forces: one function for each law.

use super::joints::{Cast, WrittenJoint, coordinate_names};
use crate::report::{Place, Read};
use crate::tree::{Entry, Fields, Node, Table};
use percussion_geometry::{Pose, Vec3};
use percussion_mechanics::force::{Anchor, Force, JointForce, JointLaw, Law, Spring, Table as Course};

/// A force as written.
#[derive(Debug)]
pub(crate) enum WrittenForce {
    /// Between points.
    Points(Force),
    /// Along a joint.
    Joint(JointForce),
}

/// What forces may refer to.
pub(crate) struct Stage<'a> {
    pub cast: &'a Cast<'a>,
    pub joints: &'a [WrittenJoint],
    /// Names of joints that have complaints of their own.
    pub joints_table: Option<&'a Table>,
    /// Placements at the start.
    pub poses: &'a [Pose],
}

/// The laws by their names in scene files.
const KINDS: [&str; 5] = ["spring", "damper", "torsion-spring", "torsion-damper", "motor"];

/// The forces under `[forces]` with the places of their names, those with complaints left out.
pub(crate) fn forces(stage: &Stage<'_>, root: &Table) -> Vec<WrittenForce> {
    let entries = root.table("forces").map_or(&[][..], |table| &table.entries);
    entries.iter().filter_map(|entry| force(stage, entry).ok().flatten()).collect()
}

/// One force; `None` if something it names has complaints of its own.
fn force(stage: &Stage<'_>, entry: &Entry) -> Read<Option<WrittenForce>> {
    let name = format!("forces.{}", entry.key);
    let any: Vec<&str> = entry.node.table().map(|table| table.keys().collect()).unwrap_or_default();
    let f = Fields::of(stage.cast.report, &entry.node, &name, &any)?;
    let Some(kind) = f.word("kind", &KINDS)? else {
        return Err(f.missing("kind", &format!("give one of {}", KINDS.join(", "))));
    };
    let reader = Reader { f, stage, name: &entry.key };
    match kind {
        "spring" => reader.spring(),
        "damper" => reader.damper(),
        "torsion-spring" => reader.torsion_spring(),
        "torsion-damper" => reader.torsion_damper(),
        _ => reader.motor(),
    }
}

type Made = Read<Option<WrittenForce>>;

struct Reader<'a> {
    f: Fields<'a>,
    stage: &'a Stage<'a>,
    name: &'a str,
}

impl Reader<'_> {
    /// Checks the keys: those of the law, and the one that every force has.
    fn keys(&self, own: &[&str]) {
        let known: Vec<&str> = ["kind"].iter().chain(own).copied().collect();
        self.f.check_keys(&known);
    }

    fn needed<T>(&self, key: &str, value: Read<Option<T>>) -> Read<T> {
        value?.ok_or_else(|| self.f.missing(key, "add it"))
    }

    fn points(&self, law: Law) -> WrittenForce {
        WrittenForce::Points(Force { name: self.name.to_owned(), law })
    }

    fn spring(&self) -> Made {
        self.keys(&["a", "b", "stiffness", "rest_length", "damping"]);
        let stiffness = self.needed("stiffness", self.f.not_negative("stiffness", "stiffness in N/m"));
        let damping = self.f.not_negative("damping", "damping in N s/m");
        let rest = self.f.not_negative("rest_length", "length in metres");
        let Some((a, b)) = self.ends()? else { return Ok(None) };
        let rest_length = rest?.unwrap_or_else(|| (self.at_start(&a) - self.at_start(&b)).norm());
        let (stiffness, damping) = (stiffness?, damping?.unwrap_or(0.0));
        Ok(Some(self.points(Law::Spring(Spring { a, b, stiffness, rest_length, damping }))))
    }

    fn damper(&self) -> Made {
        self.keys(&["a", "b", "damping"]);
        let damping = self.needed("damping", self.f.not_negative("damping", "damping in N s/m"));
        let Some((a, b)) = self.ends()? else { return Ok(None) };
        let damping = damping?;
        Ok(Some(self.points(Law::Spring(Spring { a, b, stiffness: 0.0, rest_length: 0.0, damping }))))
    }

    fn torsion_spring(&self) -> Made {
        self.keys(&["joint", "coordinate", "stiffness", "rest"]);
        let what = "stiffness in N m/rad or N/m";
        let stiffness = self.needed("stiffness", self.f.not_negative("stiffness", what));
        let rest = self.f.number("rest");
        let Some(along) = self.along()? else { return Ok(None) };
        Ok(Some(self.joint(along, JointLaw::Spring { stiffness: stiffness?, rest: rest?.unwrap_or(0.0) })))
    }

    fn torsion_damper(&self) -> Made {
        self.keys(&["joint", "coordinate", "damping"]);
        let what = "damping in N m s/rad or N s/m";
        let damping = self.needed("damping", self.f.not_negative("damping", what));
        let Some(along) = self.along()? else { return Ok(None) };
        Ok(Some(self.joint(along, JointLaw::Damper { damping: damping? })))
    }

    fn motor(&self) -> Made {
        self.keys(&["joint", "coordinate", "value", "times", "values"]);
        let course = match self.f.number("value")? {
            Some(value) => {
                self.f.refuse(
                    &["times", "values"],
                    "is given together with `value`",
                    "keep one way to say it",
                )?;
                Course::constant([value])
            }
            None => {
                let remedy = "give a constant `value`, or `times` and `values`";
                let times = self.f.number_list("times")?.ok_or_else(|| self.f.missing("times", remedy))?;
                let values = self.f.number_list("values")?.ok_or_else(|| self.f.missing("values", remedy))?;
                self.course(times, values.into_iter().map(|value| [value]).collect())?
            }
        };
        let Some(along) = self.along()? else { return Ok(None) };
        Ok(Some(self.joint(along, JointLaw::Motor(course))))
    }

    fn course<const N: usize>(&self, times: Vec<f64>, values: Vec<[f64; N]>) -> Read<Course<N>> {
        Course::new(times, values).map_err(|error| {
            self.f.report.pass_on(self.f.place_of("times"), &format!("`{}`: {error}", self.f.name))
        })
    }

    fn joint(&self, (slot, coordinate): (usize, usize), law: JointLaw) -> WrittenForce {
        WrittenForce::Joint(JointForce { name: self.name.to_owned(), slot, coordinate, law })
    }

    /// The joint a force acts along, as its place among the tree's joints, and which coordinate.
    fn along(&self) -> Read<Option<(usize, usize)>> {
        let f = &self.f;
        let name = self.needed("joint", f.text("joint"))?;
        let place = f.node("joint").map_or(f.place, |node| node.place);
        let trees = || self.stage.joints.iter().filter(|joint| !joint.closes_loop);
        let Some(slot) = trees().position(|joint| joint.spec.name == name) else {
            if self.stage.joints.iter().any(|joint| joint.spec.name == name) {
                let remedy = "let another joint close the loop, or act along that one";
                let message = format!("joint `{name}` closes a loop and keeps no coordinates");
                return Err(f.report.complain(place, message, remedy));
            }
            if self.stage.joints_table.is_some_and(|table| table.entry(name).is_some()) {
                return Ok(None);
            }
            let known = trees().map(|joint| joint.spec.name.as_str());
            let message = format!("there is no joint `{name}`");
            return Err(f.report.unknown(place, message, name, known, "define it under [joints]"));
        };
        let kind = trees().nth(slot).map(|joint| joint.spec.kind);
        let names = kind.map_or(&[][..], coordinate_names);
        let coordinate = match f.text("coordinate")? {
            Some(_) if !names.is_empty() => {
                let word = f.word("coordinate", names)?;
                names.iter().position(|name| Some(*name) == word).unwrap_or(0)
            }
            None if names.len() > 1 => {
                return Err(f.missing("coordinate", &format!("give one of {}", names.join(", "))));
            }
            // A joint without coordinates is refused when the model is built, with its kind.
            _ => 0,
        };
        Ok(Some((slot, coordinate)))
    }

    fn ends(&self) -> Read<Option<(Anchor, Anchor)>> {
        let (a, b) = (self.anchor("a"), self.anchor("b"));
        Ok(a?.zip(b?))
    }

    fn anchor(&self, key: &str) -> Read<Option<Anchor>> {
        let remedy = "name a body, or give { body = \"name\", point = [x, y, z] } or { world = [x, y, z] }";
        let Some(node) = self.f.node(key) else { return Err(self.f.missing(key, remedy)) };
        self.anchor_of(node, &self.f.path(key))
    }

    /// A point: a body's centre of mass, a point of its own frame, or one of the world.
    fn anchor_of(&self, node: &Node, path: &str) -> Read<Option<Anchor>> {
        if let Some(name) = node.text() {
            return self.on_body(node.place, name, None);
        }
        let f = Fields::of(self.f.report, node, path, &["body", "point", "world"])?;
        if let Some(point) = f.vector("world")? {
            f.refuse(&["body", "point"], "is given together with `world`", "keep one way to say it")?;
            return Ok(Some(Anchor { body: None, arm: point }));
        }
        let name = f.text("body")?.ok_or_else(|| f.missing("body", "name the body, or give `world`"))?;
        let point = f.vector("point")?;
        self.on_body(f.node("body").map_or(f.place, |node| node.place), name, point)
    }

    fn on_body(&self, place: Place, name: &str, point: Option<Vec3>) -> Read<Option<Anchor>> {
        let body = self.stage.cast.find(place, name)?;
        let written = self.stage.cast.bodies[body].1.as_ref();
        Ok(written.map(|written| {
            let arm = point.unwrap_or(written.body.principal.position);
            Anchor { body: Some(body), arm }
        }))
    }

    /// Where an anchor is at the start.
    fn at_start(&self, anchor: &Anchor) -> Vec3 {
        anchor.body.map_or(anchor.arm, |body| self.stage.poses[body].point(&anchor.arm))
    }
}
