//! Shapes: a kind with its measures, the name of another shape, or parts; each may be placed in the frame of what it
//! belongs to. A shape lives in space or in the plane, and so do all of its parts.

use super::outlines::{self, PLANAR};
use crate::placement::{PLACEMENT, placement, planar_placement};
use crate::report::{Read, Report, Reported};
use crate::tree::{Fields, Node, Table, Value};
use percussion_geometry::shapes::{
    Capsule, Cone, Cylinder, Ellipsoid, HalfSpace, PlanarShape, Polygon, Polytope, Solid, Sphere,
    TriangleMesh,
};
use percussion_geometry::{PlanarPose, Pose, ShapeError, Vec2, Vec3};
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

/// The keys that say what a shape is; exactly one is given.
pub(crate) const KINDS: [&str; 31] = [
    "shape",
    "parts",
    "vertices",
    "half_spaces",
    "mesh",
    "polygon",
    "box",
    "cube",
    "prism",
    "antiprism",
    "pyramid",
    "frustum",
    "wedge",
    "tetrahedron",
    "octahedron",
    "icosahedron",
    "dodecahedron",
    "rounded",
    "sphere",
    "capsule",
    "cylinder",
    "cone",
    "ellipsoid",
    "half_space",
    "regular_polygon",
    "rectangle",
    "square",
    "triangle",
    "circle",
    "ellipse",
    "half_plane",
];

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
        let known: Vec<&str> = KINDS.iter().chain(&PLACEMENT).copied().collect();
        let fields = Fields::of(self.report, node, name, &known)?;
        let kinds: Vec<&str> = KINDS.into_iter().filter(|kind| fields.has(kind)).collect();
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
                return Err(fields.wrong(
                    key,
                    "mixes shapes of the plane and of space",
                    "make all planar, or none",
                ));
            }
        }
        Ok(all)
    }

    fn named(&self, name: &str, asked: &Node) -> Read<Parts> {
        match self.built.borrow().get(name) {
            Some(Some(parts)) => return parts.clone(),
            Some(None) => {
                let message = format!("shape `{name}` is made of itself");
                return Err(self.report.complain(asked.place, message, "break the circle of names"));
            }
            None => {}
        }
        let Some(entry) = self.named.and_then(|table| table.entry(name)) else {
            let message = format!("there is no shape `{name}`");
            let known = self.named.map(|table| table.keys().collect::<Vec<_>>()).unwrap_or_default();
            let remedy = format!("define it under [shapes.{name}]");
            return Err(self.report.unknown(asked.place, message, name, known, &remedy));
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
            "mesh" => {
                let mesh = Fields::of(self.report, node, &name, &["vertices", "triangles"])?;
                let refuse =
                    |error: ShapeError| self.report.complain_with(fields.place_of(kind), &error.to_string());
                let parts = triangle_mesh(&mesh)?.map_err(refuse)?.decomposed().map_err(refuse)?.parts;
                let placed = |part| (Pose::identity(), Solid::Polytope(part));
                Ok(Parts::Space(parts.into_iter().map(placed).collect()))
            }
            // A polygon with a thickness is a solid, one without is an outline.
            _ if PLANAR.contains(&kind) || (kind == "polygon" && matches!(node.value, Value::List(_))) => {
                match outlines::outline(fields, kind)? {
                    Ok(shape) => Ok(Parts::Plane(vec![(PlanarPose::identity(), shape)])),
                    Err(error) => Err(self.report.complain_with(fields.place_of(kind), &error.to_string())),
                }
            }
            _ => {
                let solid =
                    if CURVED.contains(&kind) { curved(fields, kind) } else { polytope(fields, kind) };
                match solid? {
                    Ok(solid) => Ok(Parts::Space(vec![(Pose::identity(), solid)])),
                    Err(error) => Err(self.report.complain_with(fields.place_of(kind), &error.to_string())),
                }
            }
        }
    }
}

/// What was read, and then what geometry makes of it.
pub(super) type Built<T> = Read<Result<T, ShapeError>>;

const CURVED: [&str; 6] = ["sphere", "capsule", "cylinder", "cone", "ellipsoid", "half_space"];

/// Measures in a table, all of them required unless read otherwise.
pub(super) struct Measures<'a>(pub Fields<'a>);

impl<'a> Measures<'a> {
    pub fn of(fields: &Fields<'a>, kind: &str, known: &[&str]) -> Read<Self> {
        let Some(node) = fields.node(kind) else { return Err(fields.missing(kind, "give its measures")) };
        Ok(Self(Fields::of(fields.report, node, &fields.path(kind), known)?))
    }

    pub fn number(&self, key: &str) -> Read<f64> {
        self.0.number(key)?.ok_or_else(|| self.0.missing(key, "add it"))
    }

    pub fn count(&self, key: &str) -> Read<usize> {
        self.0.count(key, 3)?.ok_or_else(|| self.0.missing(key, "add it"))
    }

    /// The circumradius of a regular polygon, given as such or by its side.
    pub fn circumradius(&self, fields: &Fields, kind: &str, sides: usize) -> Read<f64> {
        match (self.0.number("side")?, self.0.number("circumradius")?) {
            (None, Some(radius)) => Ok(radius),
            (Some(side), None) => Ok(side / (2.0 * (std::f64::consts::PI / sides as f64).sin())),
            _ => Err(fields.wrong(kind, "needs a width", "give one of `side` and `circumradius`")),
        }
    }
}

/// A number or list that was found to be given.
pub(super) fn given<T>(fields: &Fields, kind: &str, value: Option<T>) -> Read<T> {
    value.ok_or_else(|| fields.missing(kind, "add it"))
}

fn curved(fields: &Fields, kind: &'static str) -> Built<Solid> {
    Ok(match kind {
        "sphere" => Sphere::new(given(fields, kind, fields.number(kind)?)?).map(Solid::Sphere),
        "ellipsoid" => Ellipsoid::new(given(fields, kind, fields.vector(kind)?)?).map(Solid::Ellipsoid),
        "capsule" => {
            let m = Measures::of(fields, kind, &["length", "radius"])?;
            Capsule::new(m.number("length")? / 2.0, m.number("radius")?).map(Solid::Capsule)
        }
        "cylinder" => {
            let m = Measures::of(fields, kind, &["height", "radius"])?;
            Cylinder::new(m.number("height")? / 2.0, m.number("radius")?).map(Solid::Cylinder)
        }
        "cone" => {
            let m = Measures::of(fields, kind, &["height", "radius"])?;
            Cone::new(m.number("height")?, m.number("radius")?).map(Solid::Cone)
        }
        _ => {
            let m = Measures::of(fields, kind, &["normal", "offset"])?;
            let normal = m.0.direction("normal")?.ok_or_else(|| m.0.missing("normal", "add it"))?;
            HalfSpace::new(normal, m.0.number("offset")?.unwrap_or(0.0)).map(Solid::HalfSpace)
        }
    })
}

fn polytope(fields: &Fields, kind: &'static str) -> Built<Solid> {
    let number = || given(fields, kind, fields.number(kind)?);
    let three = || given(fields, kind, fields.numbers::<3>(kind)?);
    let built = match kind {
        "vertices" => {
            let rows = given(fields, kind, fields.rows::<3>(kind)?)?;
            Polytope::from_vertices(&rows.into_iter().map(Vec3::from).collect::<Vec<_>>())
        }
        "half_spaces" => {
            let rows = given(fields, kind, fields.rows::<4>(kind)?)?;
            let planes: Vec<(Vec3, f64)> =
                rows.into_iter().map(|[x, y, z, offset]| (Vec3::new(x, y, z), offset)).collect();
            Polytope::from_half_spaces(&planes)
        }
        "polygon" => return extruded(fields, kind),
        "box" => three().map(|[a, b, c]| Polytope::cuboid(a, b, c))?,
        "wedge" => three().map(|[length, width, height]| Polytope::wedge(length, width, height))?,
        "cube" => Polytope::cube(number()?),
        "tetrahedron" => Polytope::tetrahedron(number()?),
        "octahedron" => Polytope::octahedron(number()?),
        "icosahedron" => Polytope::icosahedron(number()?),
        "dodecahedron" => Polytope::dodecahedron(number()?),
        "prism" | "antiprism" => {
            let m = Measures::of(fields, kind, &["sides", "side", "circumradius", "height"])?;
            let (sides, height) = (m.count("sides")?, m.number("height")?);
            let radius = m.circumradius(fields, kind, sides)?;
            let make = if kind == "prism" { Polytope::prism } else { Polytope::antiprism };
            make(sides, radius, height)
        }
        "pyramid" => {
            let m = Measures::of(fields, kind, &["base", "sides", "circumradius", "height"])?;
            let height = m.number("height")?;
            match m.0.numbers::<2>("base")? {
                Some([x, y]) => {
                    m.0.refuse(&["sides", "circumradius"], "is given together with `base`", "keep one")?;
                    Polytope::pyramid(x, y, height)
                }
                None => Polytope::regular_pyramid(m.count("sides")?, m.number("circumradius")?, height),
            }
        }
        "frustum" => {
            let m = Measures::of(fields, kind, &["sides", "bottom", "top", "height"])?;
            Polytope::frustum(m.count("sides")?, m.number("bottom")?, m.number("top")?, m.number("height")?)
        }
        _ => {
            let m = Measures::of(fields, kind, &["count", "radius"])?;
            Polytope::rounded(m.count("count")?, m.number("radius")?)
        }
    };
    Ok(built.map(Solid::Polytope))
}

/// The hull of a planar outline, thick along z, its middle plane in z = 0.
fn extruded(fields: &Fields, kind: &'static str) -> Built<Solid> {
    let m = Measures::of(fields, kind, &["vertices", "thickness"])?;
    let rows = m.0.rows::<2>("vertices")?.ok_or_else(|| m.0.missing("vertices", "add the outline"))?;
    let half = m.0.positive("thickness", "thickness in metres")?;
    let half = half.ok_or_else(|| m.0.missing("thickness", "add it"))? / 2.0;
    let outline: Vec<Vec2> = rows.into_iter().map(Vec2::from).collect();
    Ok(Polygon::from_vertices(&outline).and_then(|polygon| {
        let at = |z: f64| polygon.vertices().iter().map(move |v| Vec3::new(v.x, v.y, z));
        Polytope::from_vertices(&at(-half).chain(at(half)).collect::<Vec<_>>()).map(Solid::Polytope)
    }))
}

fn triangle_mesh(fields: &Fields) -> Built<TriangleMesh> {
    let vertices = given(fields, "vertices", fields.rows::<3>("vertices")?)?;
    let vertices: Vec<Vec3> = vertices.into_iter().map(Vec3::from).collect();
    let rows = given(fields, "triangles", fields.list("triangles")?)?;
    let mut triangles = Vec::with_capacity(rows.len());
    for (i, row) in rows.iter().enumerate() {
        let name = format!("{}[{i}]", fields.path("triangles"));
        let corners = crate::tree::corners(fields.report, row, &name, vertices.len())?;
        triangles.push(corners);
    }
    Ok(TriangleMesh::new(vertices, triangles))
}
