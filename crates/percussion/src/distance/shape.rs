//! What a shape object of a line says, before anything is built from it.
//!
//! A shape is a name, or an object with one key that says its kind (`box`, `sphere`, `vertices`, ...) and
//! optional keys that place it (`position`, and one of `rotation`, `rotation_vector`, `angle`).

use std::borrow::Cow;
use std::fmt;

use serde::Deserialize;
use serde::de::{self, Deserializer, MapAccess, Visitor};

use super::placement::Placement;
use super::vector::Coordinates;

/// A shape with its placement, as written.
#[derive(Clone, Debug, PartialEq)]
pub struct ShapeText<'l> {
    /// Its kind and measures.
    pub kind: Kind<'l>,
    /// Where it stands.
    pub placement: Placement,
}

/// The kinds of shapes, with their measures in metres.
#[derive(Clone, Debug, PartialEq)]
#[allow(missing_docs, reason = "the variants are the keys of the shape reference in the guide")]
pub enum Kind<'l> {
    Named(Cow<'l, str>),
    Parts(Vec<ShapeText<'l>>),
    Vertices(Vec<Coordinates>),
    HalfSpaces(Vec<Vec<f64>>),
    Mesh(Mesh),
    Box([f64; 3]),
    Cube(f64),
    Prism(Prism),
    Antiprism(Prism),
    Pyramid(Pyramid),
    Frustum(Frustum),
    Wedge([f64; 3]),
    Tetrahedron(f64),
    Octahedron(f64),
    Icosahedron(f64),
    Dodecahedron(f64),
    Rounded(Rounded),
    Sphere(f64),
    Capsule(Capsule),
    Cylinder(Round),
    Cone(Round),
    Ellipsoid([f64; 3]),
    HalfSpace(Boundary),
    Polygon(Vec<[f64; 2]>),
    RegularPolygon(RegularPolygon),
    Rectangle([f64; 2]),
    Square(f64),
    Triangle(Triangle),
    Circle(f64),
    Ellipse([f64; 2]),
    HalfPlane(Boundary),
}

/// A triangle mesh: vertices, and triangles as triples of vertex indices, counter-clockwise from outside.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
#[allow(missing_docs)]
pub struct Mesh {
    pub vertices: Vec<[f64; 3]>,
    pub triangles: Vec<[u32; 3]>,
}

/// A prism over a regular polygon; give the polygon's `side` or its `circumradius`.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
#[allow(missing_docs)]
pub struct Prism {
    pub sides: usize,
    pub side: Option<f64>,
    pub circumradius: Option<f64>,
    pub height: f64,
}

/// A pyramid over a rectangle (`base`) or over a regular polygon (`sides` and `circumradius`).
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
#[allow(missing_docs)]
pub struct Pyramid {
    pub base: Option<[f64; 2]>,
    pub sides: Option<usize>,
    pub circumradius: Option<f64>,
    pub height: f64,
}

/// A regular pyramid without its top; circumradii of bottom and top.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
#[allow(missing_docs)]
pub struct Frustum {
    pub sides: usize,
    pub bottom: f64,
    pub top: f64,
    pub height: f64,
}

/// A round polytope with `count` vertices.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
#[allow(missing_docs)]
pub struct Rounded {
    pub count: usize,
    pub radius: f64,
}

/// A capsule along z; `length` is that of its core, between the centres of the two half-balls.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
#[allow(missing_docs)]
pub struct Capsule {
    pub length: f64,
    pub radius: f64,
}

/// A cylinder or cone along z.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
#[allow(missing_docs)]
pub struct Round {
    pub height: f64,
    pub radius: f64,
}

/// A half-space or half-plane: its outward normal and the distance of its boundary from the origin.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
#[allow(missing_docs)]
pub struct Boundary {
    pub normal: Coordinates,
    #[serde(default)]
    pub offset: f64,
}

/// A regular polygon; give `side` or `circumradius`.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
#[allow(missing_docs)]
pub struct RegularPolygon {
    pub sides: usize,
    pub side: Option<f64>,
    pub circumradius: Option<f64>,
}

/// An isosceles triangle with its base along x.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
#[allow(missing_docs)]
pub struct Triangle {
    pub base: f64,
    pub height: f64,
}

#[derive(Deserialize)]
#[serde(field_identifier, rename_all = "snake_case")]
enum Key {
    Shape,
    Position,
    Rotation,
    RotationVector,
    Angle,
    Parts,
    Vertices,
    HalfSpaces,
    Mesh,
    Box,
    Cube,
    Prism,
    Antiprism,
    Pyramid,
    Frustum,
    Wedge,
    Tetrahedron,
    Octahedron,
    Icosahedron,
    Dodecahedron,
    Rounded,
    Sphere,
    Capsule,
    Cylinder,
    Cone,
    Ellipsoid,
    HalfSpace,
    Polygon,
    RegularPolygon,
    Rectangle,
    Square,
    Triangle,
    Circle,
    Ellipse,
    HalfPlane,
}

impl<'de> Deserialize<'de> for ShapeText<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(Shape)
    }
}

struct Shape;

impl<'de> Visitor<'de> for Shape {
    type Value = ShapeText<'de>;

    fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(
            "a shape: an object such as {\"box\": [1, 1, 1], \"position\": [0, 0, 1]}, or a defined name",
        )
    }

    fn visit_borrowed_str<E: de::Error>(self, name: &'de str) -> Result<ShapeText<'de>, E> {
        Ok(ShapeText { kind: Kind::Named(Cow::Borrowed(name)), placement: Placement::default() })
    }

    fn visit_str<E: de::Error>(self, name: &str) -> Result<ShapeText<'de>, E> {
        Ok(ShapeText { kind: Kind::Named(Cow::Owned(name.to_owned())), placement: Placement::default() })
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<ShapeText<'de>, A::Error> {
        let mut kind = None;
        let mut placement = Placement::default();
        while let Some(key) = map.next_key::<Key>()? {
            let said = match key {
                Key::Position => {
                    once(&mut placement.position, "position", map.next_value()?)?;
                    continue;
                }
                Key::Rotation => {
                    once(&mut placement.rotation, "rotation", map.next_value()?)?;
                    continue;
                }
                Key::RotationVector => {
                    once(&mut placement.rotation_vector, "rotation_vector", map.next_value()?)?;
                    continue;
                }
                Key::Angle => {
                    once(&mut placement.angle, "angle", map.next_value()?)?;
                    continue;
                }
                Key::Shape => Kind::Named(map.next_value::<Name>()?.0),
                Key::Parts => Kind::Parts(map.next_value()?),
                Key::Vertices => Kind::Vertices(map.next_value()?),
                Key::HalfSpaces => Kind::HalfSpaces(map.next_value()?),
                Key::Mesh => Kind::Mesh(map.next_value()?),
                Key::Box => Kind::Box(map.next_value()?),
                Key::Cube => Kind::Cube(map.next_value()?),
                Key::Prism => Kind::Prism(map.next_value()?),
                Key::Antiprism => Kind::Antiprism(map.next_value()?),
                Key::Pyramid => Kind::Pyramid(map.next_value()?),
                Key::Frustum => Kind::Frustum(map.next_value()?),
                Key::Wedge => Kind::Wedge(map.next_value()?),
                Key::Tetrahedron => Kind::Tetrahedron(map.next_value()?),
                Key::Octahedron => Kind::Octahedron(map.next_value()?),
                Key::Icosahedron => Kind::Icosahedron(map.next_value()?),
                Key::Dodecahedron => Kind::Dodecahedron(map.next_value()?),
                Key::Rounded => Kind::Rounded(map.next_value()?),
                Key::Sphere => Kind::Sphere(map.next_value()?),
                Key::Capsule => Kind::Capsule(map.next_value()?),
                Key::Cylinder => Kind::Cylinder(map.next_value()?),
                Key::Cone => Kind::Cone(map.next_value()?),
                Key::Ellipsoid => Kind::Ellipsoid(map.next_value()?),
                Key::HalfSpace => Kind::HalfSpace(map.next_value()?),
                Key::Polygon => Kind::Polygon(map.next_value()?),
                Key::RegularPolygon => Kind::RegularPolygon(map.next_value()?),
                Key::Rectangle => Kind::Rectangle(map.next_value()?),
                Key::Square => Kind::Square(map.next_value()?),
                Key::Triangle => Kind::Triangle(map.next_value()?),
                Key::Circle => Kind::Circle(map.next_value()?),
                Key::Ellipse => Kind::Ellipse(map.next_value()?),
                Key::HalfPlane => Kind::HalfPlane(map.next_value()?),
            };
            if kind.replace(said).is_some() {
                return Err(de::Error::custom(
                    "two kinds in one shape; keep one, or list them under `parts`",
                ));
            }
        }
        let Some(kind) = kind else {
            return Err(de::Error::custom(
                "a shape without a kind; add one of the keys vertices, box, sphere, capsule, ... or shape",
            ));
        };
        Ok(ShapeText { kind, placement })
    }
}

/// Fills a slot that may be given once.
pub(super) fn once<T, E: de::Error>(slot: &mut Option<T>, key: &'static str, value: T) -> Result<(), E> {
    match slot.replace(value) {
        None => Ok(()),
        Some(_) => Err(E::duplicate_field(key)),
    }
}

/// A string that borrows from the line where it can.
pub(super) struct Name<'l>(pub Cow<'l, str>);

impl<'de> Deserialize<'de> for Name<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Text;
        impl<'de> Visitor<'de> for Text {
            type Value = Name<'de>;
            fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
                f.write_str("the name of a defined shape")
            }
            fn visit_borrowed_str<E: de::Error>(self, name: &'de str) -> Result<Name<'de>, E> {
                Ok(Name(Cow::Borrowed(name)))
            }
            fn visit_str<E: de::Error>(self, name: &str) -> Result<Name<'de>, E> {
                Ok(Name(Cow::Owned(name.to_owned())))
            }
        }
        deserializer.deserialize_str(Text)
    }
}
