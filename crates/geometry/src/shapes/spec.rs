//! The shapes that a user can name, with their parameters: one description for scene files, lines of JSON and Rust.
//!
//! A [`ShapeSpec`] is read by [`ShapeSpec::read`] from anything that implements [`ShapeParameters`], and
//! [built](ShapeSpec::build) into convex parts. Lengths are full lengths in metres; frames are those of the constructors in
//! `solids.rs`, `outlines.rs` and `smooth.rs`.

use super::{
    Capsule, Circle, Cone, Cylinder, Ellipse, Ellipsoid, HalfPlane, HalfSpace, PlanarShape, Polygon,
    Polytope, Solid, Sphere, TriangleMesh, positive,
};
use crate::{ShapeError, Vec2, Vec3};
use nalgebra::SVector;
use std::f64::consts::PI;

/// The name of every shape.
pub const SHAPE_KINDS: [&str; 29] = [
    "vertices",
    "half_spaces",
    "mesh",
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
    "polygon",
    "regular_polygon",
    "rectangle",
    "square",
    "triangle",
    "circle",
    "ellipse",
    "half_plane",
];

/// A shape and its parameters.
#[derive(Clone, Debug, PartialEq)]
pub enum ShapeSpec {
    /// The convex hull of points in space.
    Hull(Vec<Vec3>),
    /// All points with `<n, x> <= d` for every row `[n, d]`.
    HalfSpaces(Vec<[f64; 4]>),
    /// A closed triangle mesh, or its convex parts if it is not convex.
    Mesh {
        /// Vertices.
        vertices: Vec<Vec3>,
        /// Corners of the triangles, counter-clockwise seen from outside.
        triangles: Vec<[u32; 3]>,
    },
    /// A box with these side lengths.
    Box([f64; 3]),
    /// A cube with this edge length.
    Cube(f64),
    /// A prism over a regular polygon: its number of sides and width, and the height.
    Prism(usize, Width, f64),
    /// An antiprism over a regular polygon: its number of sides and width, and the height.
    Antiprism(usize, Width, f64),
    /// A pyramid over a rectangle, and its height.
    Pyramid([f64; 2], f64),
    /// A pyramid over a regular polygon: its number of sides and circumradius, and the height.
    RegularPyramid(usize, f64, f64),
    /// A regular pyramid without its top: number of sides, circumradii of bottom and top, height.
    Frustum(usize, f64, f64, f64),
    /// A ramp: length, width, height.
    Wedge([f64; 3]),
    /// A regular tetrahedron with this edge length.
    Tetrahedron(f64),
    /// A regular octahedron with this edge length.
    Octahedron(f64),
    /// A regular icosahedron with this edge length.
    Icosahedron(f64),
    /// A regular dodecahedron with this edge length.
    Dodecahedron(f64),
    /// The hull of so many points spread evenly over a sphere of this radius.
    Rounded(usize, f64),
    /// The hull of a planar outline with a thickness along z, its middle plane in z = 0.
    ExtrudedPolygon(Vec<Vec2>, f64),
    /// A ball of this radius.
    Sphere(f64),
    /// A capsule: length of its core segment along z, radius.
    Capsule(f64, f64),
    /// A cylinder along z: height, radius.
    Cylinder(f64, f64),
    /// A cone along z: height, radius of the base.
    Cone(f64, f64),
    /// An ellipsoid with these semi-axes.
    Ellipsoid([f64; 3]),
    /// A half-space: outward normal, distance of its boundary from the origin.
    HalfSpace(Vec3, f64),
    /// The convex hull of points in the plane.
    Polygon(Vec<Vec2>),
    /// All points of the plane with `<n, x> <= d` for every row `[n, d]`.
    HalfPlanes(Vec<[f64; 3]>),
    /// A regular polygon: number of sides, width.
    RegularPolygon(usize, Width),
    /// A rectangle with these side lengths.
    Rectangle([f64; 2]),
    /// A square with this side length.
    Square(f64),
    /// An isosceles triangle: base along x, height.
    Triangle(f64, f64),
    /// A disc of this radius.
    Circle(f64),
    /// An ellipse with these semi-axes.
    Ellipse([f64; 2]),
    /// A half-plane: outward normal, distance of its boundary from the origin.
    HalfPlane(Vec2, f64),
}

/// The width of a regular polygon.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Width {
    /// Length of a side.
    Side(f64),
    /// Distance of the corners from the centre.
    Circumradius(f64),
}

/// What a [`ShapeSpec`] is built into.
#[derive(Clone, Debug, PartialEq)]
pub enum ShapeParts {
    /// Convex parts in space, all in the shape's own frame: one, or those of a mesh.
    Space(Vec<Solid>),
    /// A convex shape in the plane.
    Plane(PlanarShape),
}

/// Rows of numbers, all of the shorter width (of the plane) or all of the longer one (of space).
#[derive(Clone, Debug, PartialEq)]
pub enum Rows<const P: usize, const S: usize> {
    /// Rows of a shape in the plane.
    Plane(Vec<[f64; P]>),
    /// Rows of a shape in space.
    Space(Vec<[f64; S]>),
}

/// The parameters of one shape as a file gives them, by name; the name of the only one is empty. `None` where one is not
/// given. Errors carry the place and the remedy in the reader's own way.
pub trait ShapeParameters: Sized {
    /// A parameter that cannot be used.
    type Error;

    /// The table that is given, which may have these keys.
    fn table(&self, keys: &'static [&'static str]) -> Result<Self, Self::Error>;
    /// Whether a list is given and no table.
    fn is_list(&self) -> bool;
    /// A number.
    fn number(&self, key: &'static str) -> Result<Option<f64>, Self::Error>;
    /// A number of sides or vertices.
    fn count(&self, key: &'static str) -> Result<Option<usize>, Self::Error>;
    /// Some numbers.
    fn numbers<const N: usize>(&self, key: &'static str) -> Result<Option<[f64; N]>, Self::Error>;
    /// A normal, of any length.
    fn normal<const D: usize>(&self, key: &'static str) -> Result<Option<[f64; D]>, Self::Error>;
    /// Rows of numbers.
    fn rows<const P: usize, const S: usize>(
        &self,
        key: &'static str,
    ) -> Result<Option<Rows<P, S>>, Self::Error>;
    /// Triangles of a mesh with so many vertices.
    fn triangles(&self, key: &'static str, vertices: usize) -> Result<Option<Vec<[u32; 3]>>, Self::Error>;
    /// A required parameter is missing.
    fn missing(&self, key: &'static str) -> Self::Error;
    /// The parameters together are too many or too few: the message follows the name of the shape.
    fn unfit(&self, message: &'static str, remedy: &'static str) -> Self::Error;
}

/// Reads required parameters.
struct Required<P>(P);

impl<P: ShapeParameters> Required<P> {
    fn get<T>(&self, key: &'static str, value: Result<Option<T>, P::Error>) -> Result<T, P::Error> {
        value?.ok_or_else(|| self.0.missing(key))
    }

    fn number(&self, key: &'static str) -> Result<f64, P::Error> {
        self.get(key, self.0.number(key))
    }

    fn count(&self, key: &'static str) -> Result<usize, P::Error> {
        self.get(key, self.0.count(key))
    }

    fn points<const D: usize>(&self, key: &'static str) -> Result<Vec<SVector<f64, D>>, P::Error> {
        let (Rows::Plane(rows) | Rows::Space(rows)) = self.get(key, self.0.rows::<D, D>(key))?;
        Ok(vectors(rows))
    }

    fn width(&self) -> Result<Width, P::Error> {
        match (self.0.number("side")?, self.0.number("circumradius")?) {
            (Some(side), None) => Ok(Width::Side(side)),
            (None, Some(radius)) => Ok(Width::Circumradius(radius)),
            _ => Err(self.0.unfit("needs a width", "give one of `side` and `circumradius`")),
        }
    }

    fn half_space<const D: usize>(&self) -> Result<(SVector<f64, D>, f64), P::Error> {
        let normal = self.get("normal", self.0.normal("normal"))?;
        Ok((SVector::from(normal), self.0.number("offset")?.unwrap_or(0.0)))
    }
}

fn vectors<const D: usize>(points: Vec<[f64; D]>) -> Vec<SVector<f64, D>> {
    points.into_iter().map(SVector::from).collect()
}

impl ShapeSpec {
    /// Reads the parameters of the shape of this kind; `None` if the kind is not one of [`SHAPE_KINDS`].
    pub fn read<P: ShapeParameters>(kind: &str, given: P) -> Result<Option<Self>, P::Error> {
        let given = Required(given);
        let number = || given.number("");
        let pair = || given.get("", given.0.numbers::<2>(""));
        let triple = || given.get("", given.0.numbers::<3>(""));
        Ok(Some(match kind {
            "vertices" => match given.get("", given.0.rows::<2, 3>(""))? {
                Rows::Plane(points) => Self::Polygon(vectors(points)),
                Rows::Space(points) => Self::Hull(vectors(points)),
            },
            "half_spaces" => match given.get("", given.0.rows::<3, 4>(""))? {
                Rows::Plane(rows) => Self::HalfPlanes(rows),
                Rows::Space(rows) => Self::HalfSpaces(rows),
            },
            "box" => Self::Box(triple()?),
            "cube" => Self::Cube(number()?),
            "wedge" => Self::Wedge(triple()?),
            "tetrahedron" => Self::Tetrahedron(number()?),
            "octahedron" => Self::Octahedron(number()?),
            "icosahedron" => Self::Icosahedron(number()?),
            "dodecahedron" => Self::Dodecahedron(number()?),
            "sphere" => Self::Sphere(number()?),
            "ellipsoid" => Self::Ellipsoid(triple()?),
            "rectangle" => Self::Rectangle(pair()?),
            "square" => Self::Square(number()?),
            "circle" => Self::Circle(number()?),
            "ellipse" => Self::Ellipse(pair()?),
            "polygon" if given.0.is_list() => Self::Polygon(given.points("")?),
            _ => return Self::read_table(kind, given.0),
        }))
    }

    /// Reads the parameters of a shape that has several, by name.
    fn read_table<P: ShapeParameters>(kind: &str, given: P) -> Result<Option<Self>, P::Error> {
        let table = |keys: &'static [&'static str]| given.table(keys).map(Required);
        Ok(Some(match kind {
            "mesh" => {
                let t = table(&["vertices", "triangles"])?;
                let vertices = t.points("vertices")?;
                let triangles = t.get("triangles", t.0.triangles("triangles", vertices.len()))?;
                Self::Mesh { vertices, triangles }
            }
            "prism" | "antiprism" => {
                let t = table(&["sides", "side", "circumradius", "height"])?;
                let make = if kind == "prism" { Self::Prism } else { Self::Antiprism };
                make(t.count("sides")?, t.width()?, t.number("height")?)
            }
            "pyramid" => {
                let t = table(&["base", "sides", "circumradius", "height"])?;
                let height = t.number("height")?;
                match (t.0.numbers("base")?, t.0.count("sides")?, t.0.number("circumradius")?) {
                    (Some(base), None, None) => Self::Pyramid(base, height),
                    (None, Some(sides), Some(radius)) => Self::RegularPyramid(sides, radius, height),
                    _ => {
                        let remedy = "give either `base` = [x, y], or `sides` and `circumradius`";
                        return Err(t.0.unfit("needs one base", remedy));
                    }
                }
            }
            "frustum" => {
                let t = table(&["sides", "bottom", "top", "height"])?;
                let (bottom, top) = (t.number("bottom")?, t.number("top")?);
                Self::Frustum(t.count("sides")?, bottom, top, t.number("height")?)
            }
            "rounded" => {
                let t = table(&["count", "radius"])?;
                Self::Rounded(t.count("count")?, t.number("radius")?)
            }
            "polygon" => {
                let t = table(&["vertices", "thickness"])?;
                Self::ExtrudedPolygon(t.points("vertices")?, t.number("thickness")?)
            }
            "capsule" => {
                let t = table(&["length", "radius"])?;
                Self::Capsule(t.number("length")?, t.number("radius")?)
            }
            "cylinder" | "cone" => {
                let t = table(&["height", "radius"])?;
                let make = if kind == "cylinder" { Self::Cylinder } else { Self::Cone };
                make(t.number("height")?, t.number("radius")?)
            }
            "half_space" => table(&["normal", "offset"])?.half_space().map(|(n, d)| Self::HalfSpace(n, d))?,
            "half_plane" => table(&["normal", "offset"])?.half_space().map(|(n, d)| Self::HalfPlane(n, d))?,
            "regular_polygon" => {
                let t = table(&["sides", "side", "circumradius"])?;
                Self::RegularPolygon(t.count("sides")?, t.width()?)
            }
            "triangle" => {
                let t = table(&["base", "height"])?;
                Self::Triangle(t.number("base")?, t.number("height")?)
            }
            _ => return Ok(None),
        }))
    }

    /// Builds the shape.
    pub fn build(&self) -> Result<ShapeParts, ShapeError> {
        let solid = |solid: Solid| Ok(ShapeParts::Space(vec![solid]));
        let polytope = |polytope: Polytope| Ok(ShapeParts::Space(vec![Solid::Polytope(polytope)]));
        let planar = |shape: PlanarShape| Ok(ShapeParts::Plane(shape));
        let polygon = |polygon: Polygon| Ok(ShapeParts::Plane(PlanarShape::Polygon(polygon)));
        match *self {
            Self::Hull(ref points) => polytope(Polytope::from_vertices(points)?),
            Self::HalfSpaces(ref rows) => {
                let planes: Vec<_> = rows.iter().map(|&[x, y, z, d]| (Vec3::new(x, y, z), d)).collect();
                polytope(Polytope::from_half_spaces(&planes)?)
            }
            Self::Mesh { ref vertices, ref triangles } => {
                let parts = TriangleMesh::new(vertices.clone(), triangles.clone())?.decomposed()?.parts;
                Ok(ShapeParts::Space(parts.into_iter().map(Solid::Polytope).collect()))
            }
            Self::Box([a, b, c]) => polytope(Polytope::cuboid(a, b, c)?),
            Self::Cube(edge) => polytope(Polytope::cube(edge)?),
            Self::Prism(sides, width, height) => polytope(match width {
                Width::Side(side) => Polytope::prism_of_side(sides, side, height)?,
                Width::Circumradius(radius) => Polytope::prism(sides, radius, height)?,
            }),
            Self::Antiprism(sides, width, height) => {
                let radius = match width {
                    Width::Side(side) => side / (2.0 * (PI / sides.max(1) as f64).sin()),
                    Width::Circumradius(radius) => radius,
                };
                polytope(Polytope::antiprism(sides, radius, height)?)
            }
            Self::Pyramid([x, y], height) => polytope(Polytope::pyramid(x, y, height)?),
            Self::RegularPyramid(sides, radius, height) => {
                polytope(Polytope::regular_pyramid(sides, radius, height)?)
            }
            Self::Frustum(sides, bottom, top, height) => {
                polytope(Polytope::frustum(sides, bottom, top, height)?)
            }
            Self::Wedge([length, width, height]) => polytope(Polytope::wedge(length, width, height)?),
            Self::Tetrahedron(edge) => polytope(Polytope::tetrahedron(edge)?),
            Self::Octahedron(edge) => polytope(Polytope::octahedron(edge)?),
            Self::Icosahedron(edge) => polytope(Polytope::icosahedron(edge)?),
            Self::Dodecahedron(edge) => polytope(Polytope::dodecahedron(edge)?),
            Self::Rounded(count, radius) => polytope(Polytope::rounded(count, radius)?),
            Self::ExtrudedPolygon(ref outline, thickness) => {
                let half = positive("polygon thickness", thickness)? / 2.0;
                let base = Polygon::from_vertices(outline)?;
                let at = |z: f64| base.vertices().iter().map(move |v| Vec3::new(v.x, v.y, z));
                polytope(Polytope::from_vertices(&at(-half).chain(at(half)).collect::<Vec<_>>())?)
            }
            Self::Sphere(radius) => solid(Solid::Sphere(Sphere::new(radius)?)),
            Self::Capsule(length, radius) => solid(Solid::Capsule(Capsule::new(length / 2.0, radius)?)),
            Self::Cylinder(height, radius) => solid(Solid::Cylinder(Cylinder::new(height / 2.0, radius)?)),
            Self::Cone(height, radius) => solid(Solid::Cone(Cone::new(height, radius)?)),
            Self::Ellipsoid(axes) => solid(Solid::Ellipsoid(Ellipsoid::new(Vec3::from(axes))?)),
            Self::HalfSpace(normal, offset) => solid(Solid::HalfSpace(HalfSpace::new(normal, offset)?)),
            Self::Polygon(ref points) => polygon(Polygon::from_vertices(points)?),
            Self::HalfPlanes(ref rows) => {
                let lines: Vec<_> = rows.iter().map(|&[x, y, d]| (Vec2::new(x, y), d)).collect();
                polygon(Polygon::from_half_planes(&lines)?)
            }
            Self::RegularPolygon(sides, width) => polygon(match width {
                Width::Side(side) => Polygon::regular_of_side(sides, side)?,
                Width::Circumradius(radius) => Polygon::regular(sides, radius)?,
            }),
            Self::Rectangle([a, b]) => polygon(Polygon::rectangle(a, b)?),
            Self::Square(side) => polygon(Polygon::square(side)?),
            Self::Triangle(base, height) => polygon(Polygon::triangle(base, height)?),
            Self::Circle(radius) => planar(PlanarShape::Circle(Circle::new(radius)?)),
            Self::Ellipse(axes) => planar(PlanarShape::Ellipse(Ellipse::new(Vec2::from(axes))?)),
            Self::HalfPlane(normal, offset) => {
                planar(PlanarShape::HalfPlane(HalfPlane::new(normal, offset)?))
            }
        }
    }
}
