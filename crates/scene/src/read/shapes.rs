//! Shapes: a kind with its measures, the name of another shape, or parts; each may be placed in the frame of what it
//! belongs to. A shape lives in space or in the plane, and so do all of its parts.

use crate::placement::{PLACEMENT, placement, planar_placement};
use crate::report::{Read, Report, Reported};
use crate::tree::{Fields, Node, Table, Value};
use percussion_geometry::shapes::{
    PlanarShape, Rows, SHAPE_KINDS, ShapeParameters, ShapeParts, ShapeSpec, Solid,
};
use percussion_geometry::{PlanarPose, Pose};
use std::cell::RefCell;
use std::collections::HashMap;

/// Convex parts, placed.
#[derive(Clone, Debug)]
pub(crate) enum Parts {
    Space(Vec<(Pose, Solid)>),
    Plane(Vec<(PlanarPose, PlanarShape)>),
}

impl Parts {
    /// Parts beside others; false if they do not live where those do.
    pub fn add(&mut self, more: Parts) -> bool {
        match (&mut *self, more) {
            (Self::Space(all), Self::Space(more)) => all.extend(more),
            (Self::Plane(all), Self::Plane(more)) => all.extend(more),
            (Self::Space(none), more) if none.is_empty() => *self = more,
            _ => return false,
        }
        true
    }
}

/// Keys of a shape that is made of other shapes.
const REFERENCES: [&str; 2] = ["shape", "parts"];

/// The named shapes of a scene.
pub(crate) struct Shapes<'a> {
    report: &'a Report,
    named: Option<&'a Table>,
    /// What has been built; `None` while it is being built, to notice circles.
    built: RefCell<HashMap<String, Option<Read<Parts>>>>,
}

impl<'a> Shapes<'a> {
    /// The shapes under `[shapes]`; every one is built, whether a body uses it or not.
    pub fn read(report: &'a Report, root: &'a Table) -> Self {
        let shapes = Self { report, named: root.table("shapes"), built: RefCell::default() };
        for entry in shapes.named.map_or(&[][..], |table| &table.entries) {
            _ = shapes.named(&entry.key, &entry.node);
        }
        shapes
    }

    /// A shape: a name, or a table.
    pub fn parts(&self, node: &'a Node, name: &str) -> Read<Parts> {
        if let Some(reference) = node.text() {
            return self.named(reference, node);
        }
        let kinds = || REFERENCES.into_iter().chain(SHAPE_KINDS);
        let known: Vec<&str> = kinds().chain(PLACEMENT).collect();
        let fields = Fields::of(self.report, node, name, &known)?;
        let kinds: Vec<&str> = kinds().filter(|kind| fields.has(kind)).collect();
        let kind = match kinds[..] {
            [kind] => kind,
            // A misspelt kind has been complained about already.
            [] if fields.table.keys().any(|key| !PLACEMENT.contains(&key)) => return Err(Reported),
            [] => {
                let remedy =
                    "add its kind, such as box = [1, 1, 1] or sphere = 0.5, or the name of another shape";
                return Err(self.report.complain(fields.place, format!("`{name}` has no kind"), remedy));
            }
            [first, second, ..] => {
                let remedy = "keep one, or list both under `parts`";
                return Err(fields.wrong(second, &format!("is given together with `{first}`"), remedy));
            }
        };
        match self.of_kind(&fields, kind)? {
            Parts::Space(parts) => {
                let pose = placement(&fields)?;
                Ok(Parts::Space(parts.into_iter().map(|(part, solid)| (pose.then(&part), solid)).collect()))
            }
            Parts::Plane(parts) => {
                let pose = planar_placement(&fields)?;
                Ok(Parts::Plane(parts.into_iter().map(|(part, shape)| (pose.then(&part), shape)).collect()))
            }
        }
    }

    /// Several shapes, listed under a key.
    pub fn several(&self, fields: &Fields<'a>, key: &str, list: &'a [Node]) -> Read<Parts> {
        let mut all = Parts::Space(Vec::new());
        for (i, part) in list.iter().enumerate() {
            if !all.add(self.parts(part, &format!("{}[{i}]", fields.path(key)))?) {
                let remedy = "make all planar, or none";
                return Err(fields.wrong(key, "mixes shapes of the plane and of space", remedy));
            }
        }
        Ok(all)
    }

    fn named(&self, name: &str, reference: &Node) -> Read<Parts> {
        match self.built.borrow().get(name) {
            Some(Some(parts)) => return parts.clone(),
            Some(None) => {
                let message = format!("shape `{name}` contains itself");
                return Err(self.report.complain(reference.place, message, "break the circle of names"));
            }
            None => {}
        }
        let Some(entry) = self.named.and_then(|table| table.entry(name)) else {
            let message = format!("there is no shape `{name}`");
            let known = self.named.map(|table| table.keys().collect::<Vec<_>>()).unwrap_or_default();
            let remedy = format!("define it under [shapes.{name}]");
            return Err(self.report.unknown(reference.place, message, name, known, &remedy));
        };
        self.built.borrow_mut().insert(name.to_owned(), None);
        let parts = self.parts(&entry.node, &format!("shapes.{name}"));
        self.built.borrow_mut().insert(name.to_owned(), Some(parts.clone()));
        parts
    }

    fn of_kind(&self, fields: &Fields<'a>, kind: &'static str) -> Read<Parts> {
        // The key is given: `of_kind` is called for keys that are.
        let Some(node) = fields.node(kind) else { return Ok(Parts::Space(Vec::new())) };
        let name = fields.path(kind);
        match kind {
            "shape" => self.parts(node, &name),
            "parts" => {
                let list = fields.list(kind)?.unwrap_or_default();
                if list.is_empty() {
                    return Err(fields.wrong(kind, "is empty", "list at least one part"));
                }
                self.several(fields, kind, list)
            }
            _ => {
                let spec = ShapeSpec::read(kind, Given { fields: fields.clone(), kind, node })?;
                // Every kind that is known can be read.
                let Some(spec) = spec else { return Err(fields.missing(kind, "give a shape")) };
                match spec.build() {
                    Ok(ShapeParts::Space(parts)) => {
                        Ok(Parts::Space(parts.into_iter().map(|solid| (Pose::identity(), solid)).collect()))
                    }
                    Ok(ShapeParts::Plane(shape)) => Ok(Parts::Plane(vec![(PlanarPose::identity(), shape)])),
                    Err(error) => Err(self.report.complain_with(fields.place_of(kind), &error.to_string())),
                }
            }
        }
    }
}

/// The parameters of a kind: under its key, or in the table there.
struct Given<'a> {
    fields: Fields<'a>,
    kind: &'static str,
    node: &'a Node,
}

impl Given<'_> {
    /// The only parameter has no name of its own.
    fn key(&self, key: &'static str) -> &'static str {
        if key.is_empty() { self.kind } else { key }
    }
}

impl ShapeParameters for Given<'_> {
    type Error = Reported;

    fn table(&self, keys: &'static [&'static str]) -> Read<Self> {
        let fields = Fields::of(self.fields.report, self.node, &self.fields.path(self.kind), keys)?;
        Ok(Self { fields, ..*self })
    }

    fn is_list(&self) -> bool {
        matches!(self.node.value, Value::List(_))
    }

    fn number(&self, key: &'static str) -> Read<Option<f64>> {
        self.fields.number(self.key(key))
    }

    fn count(&self, key: &'static str) -> Read<Option<usize>> {
        self.fields.count(self.key(key), 3)
    }

    fn numbers<const N: usize>(&self, key: &'static str) -> Read<Option<[f64; N]>> {
        self.fields.numbers(self.key(key))
    }

    fn normal<const D: usize>(&self, key: &'static str) -> Read<Option<[f64; D]>> {
        if D == 3 {
            return Ok(self.fields.direction(key)?.map(|normal| std::array::from_fn(|k| normal[k])));
        }
        self.fields.numbers(key)
    }

    fn rows<const P: usize, const S: usize>(&self, key: &'static str) -> Read<Option<Rows<P, S>>> {
        let key = self.key(key);
        let first = match self.fields.node(key).map(|node| &node.value) {
            Some(Value::List(rows)) => rows.first().map(|row| &row.value),
            _ => None,
        };
        match first {
            Some(Value::List(row)) if row.len() == P => Ok(self.fields.rows(key)?.map(Rows::Plane)),
            _ => Ok(self.fields.rows(key)?.map(Rows::Space)),
        }
    }

    fn triangles(&self, key: &'static str, vertices: usize) -> Read<Option<Vec<[u32; 3]>>> {
        let (fields, path) = (&self.fields, self.fields.path(key));
        let corners = |(i, row)| crate::tree::corners(fields.report, row, &format!("{path}[{i}]"), vertices);
        fields.list(key)?.map(|rows| rows.iter().enumerate().map(corners).collect()).transpose()
    }

    fn missing(&self, key: &'static str) -> Reported {
        self.fields.missing(self.key(key), "add it")
    }

    fn unfit(&self, message: &'static str, remedy: &'static str) -> Reported {
        self.fields.report.complain(self.fields.place, format!("`{}` {message}", self.fields.name), remedy)
    }
}
