//! Bodies built from what a line says: lists of convex parts, in the plane or in space.

use percussion_geometry::shapes::{
    Capsule, Circle, Cone, Cylinder, Ellipse, Ellipsoid, HalfPlane, HalfSpace, PlanarShape, Polygon,
    Polytope, Solid, Sphere, TriangleMesh,
};
use percussion_geometry::{PlanarPose, Pose, PoseIn, Vec2, Vec3};

use super::names::Names;
use super::shape::{Kind, Prism, Pyramid, ShapeText};
use super::vector::Coordinates;
use super::wrong::Wrong;

/// A body in its own frame.
#[derive(Clone, Debug)]
pub enum Body {
    /// Convex parts in space, each placed in the body frame.
    Space(Vec<Part<Solid, Pose>>),
    /// Convex parts in the plane.
    Plane(Vec<Part<PlanarShape, PlanarPose>>),
}

/// A convex part and its placement in the body frame; `None` where both frames agree.
#[derive(Clone, Debug)]
pub struct Part<S, P> {
    /// The convex shape.
    pub shape: S,
    /// Its placement.
    pub pose: Option<P>,
}

impl<S, const D: usize> Part<S, PoseIn<D>> {
    /// World placement of the part of a body.
    pub fn placed(&self, body: &PoseIn<D>) -> PoseIn<D> {
        self.pose.as_ref().map_or(*body, |part| body.then(part))
    }

    /// The part of a body that stands at `pose` in a larger one.
    fn moved(self, pose: &PoseIn<D>) -> Self {
        Self { pose: Some(self.placed(pose)), shape: self.shape }
    }
}

impl Body {
    /// Builds a body from its kind; named shapes are looked up as of line `line`.
    pub fn build(kind: &Kind, names: &Names, line: u64) -> Result<Body, Wrong> {
        let solid = |shape: Solid| Ok(Body::Space(vec![Part { shape, pose: None }]));
        let polytope =
            |shape: Polytope| Ok(Body::Space(vec![Part { shape: Solid::Polytope(shape), pose: None }]));
        let planar = |shape: PlanarShape| Ok(Body::Plane(vec![Part { shape, pose: None }]));
        let polygon =
            |shape: Polygon| Ok(Body::Plane(vec![Part { shape: PlanarShape::Polygon(shape), pose: None }]));
        match kind {
            Kind::Named(name) => names.get(name, line).cloned(),
            Kind::Parts(parts) => compound(parts, names, line),
            Kind::Vertices(vertices) => from_vertices(vertices),
            Kind::HalfSpaces(rows) => from_half_spaces(rows),
            Kind::Mesh(mesh) => {
                let vertices = mesh.vertices.iter().copied().map(Vec3::from).collect();
                let parts = TriangleMesh::new(vertices, mesh.triangles.clone())?.decomposed()?.parts;
                let placed = |part| Part { shape: Solid::Polytope(part), pose: None };
                Ok(Body::Space(parts.into_iter().map(placed).collect()))
            }
            &Kind::Box([a, b, c]) => polytope(Polytope::cuboid(a, b, c)?),
            &Kind::Cube(edge) => polytope(Polytope::cube(edge)?),
            Kind::Prism(prism) => polytope(match side_or_circumradius("prism", prism)? {
                Extent::Side(side) => Polytope::prism_of_side(prism.sides, side, prism.height)?,
                Extent::Circumradius(radius) => Polytope::prism(prism.sides, radius, prism.height)?,
            }),
            Kind::Antiprism(prism) => polytope(match side_or_circumradius("antiprism", prism)? {
                Extent::Side(side) => {
                    let radius = side / (2.0 * (std::f64::consts::PI / prism.sides.max(1) as f64).sin());
                    Polytope::antiprism(prism.sides, radius, prism.height)?
                }
                Extent::Circumradius(radius) => Polytope::antiprism(prism.sides, radius, prism.height)?,
            }),
            Kind::Pyramid(Pyramid { base: Some([x, y]), sides: None, circumradius: None, height }) => {
                polytope(Polytope::pyramid(*x, *y, *height)?)
            }
            Kind::Pyramid(Pyramid { base: None, sides: Some(sides), circumradius: Some(radius), height }) => {
                polytope(Polytope::regular_pyramid(*sides, *radius, *height)?)
            }
            Kind::Pyramid(_) => Err(Wrong::Measures(
                "pyramid: give `height` and either `base` [x, y], or `sides` and `circumradius`".into(),
            )),
            Kind::Frustum(f) => polytope(Polytope::frustum(f.sides, f.bottom, f.top, f.height)?),
            &Kind::Wedge([length, width, height]) => polytope(Polytope::wedge(length, width, height)?),
            &Kind::Tetrahedron(edge) => polytope(Polytope::tetrahedron(edge)?),
            &Kind::Octahedron(edge) => polytope(Polytope::octahedron(edge)?),
            &Kind::Icosahedron(edge) => polytope(Polytope::icosahedron(edge)?),
            &Kind::Dodecahedron(edge) => polytope(Polytope::dodecahedron(edge)?),
            Kind::Rounded(round) => polytope(Polytope::rounded(round.count, round.radius)?),
            &Kind::Sphere(radius) => solid(Solid::Sphere(Sphere::new(radius)?)),
            Kind::Capsule(c) => solid(Solid::Capsule(Capsule::new(c.length / 2.0, c.radius)?)),
            Kind::Cylinder(c) => solid(Solid::Cylinder(Cylinder::new(c.height / 2.0, c.radius)?)),
            Kind::Cone(c) => solid(Solid::Cone(Cone::new(c.height, c.radius)?)),
            &Kind::Ellipsoid(axes) => solid(Solid::Ellipsoid(Ellipsoid::new(Vec3::from(axes))?)),
            Kind::HalfSpace(boundary) => {
                let normal = boundary.normal.space().ok_or_else(|| {
                    Wrong::Measures(
                        "half_space: `normal` needs three entries; in the plane use half_plane".into(),
                    )
                })?;
                solid(Solid::HalfSpace(HalfSpace::new(normal, boundary.offset)?))
            }
            Kind::Polygon(vertices) => {
                let vertices: Vec<Vec2> = vertices.iter().copied().map(Vec2::from).collect();
                polygon(Polygon::from_vertices(&vertices)?)
            }
            Kind::RegularPolygon(p) => polygon(match extent("regular_polygon", p.side, p.circumradius)? {
                Extent::Side(side) => Polygon::regular_of_side(p.sides, side)?,
                Extent::Circumradius(radius) => Polygon::regular(p.sides, radius)?,
            }),
            &Kind::Rectangle([a, b]) => polygon(Polygon::rectangle(a, b)?),
            &Kind::Square(side) => polygon(Polygon::square(side)?),
            Kind::Triangle(t) => polygon(Polygon::triangle(t.base, t.height)?),
            &Kind::Circle(radius) => planar(PlanarShape::Circle(Circle::new(radius)?)),
            &Kind::Ellipse(axes) => planar(PlanarShape::Ellipse(Ellipse::new(Vec2::from(axes))?)),
            Kind::HalfPlane(boundary) => {
                let normal = boundary.normal.plane().ok_or_else(|| {
                    Wrong::Measures("half_plane: `normal` needs two entries; in space use half_space".into())
                })?;
                planar(PlanarShape::HalfPlane(HalfPlane::new(normal, boundary.offset)?))
            }
        }
    }
}

impl Body {
    /// The body turned and shifted within its own frame, as a definition with a placement asks for.
    pub fn moved(self, shape: &ShapeText) -> Result<Body, Wrong> {
        Ok(match self {
            Body::Space(parts) => {
                let pose = shape.placement.space()?;
                Body::Space(parts.into_iter().map(|part| part.moved(&pose)).collect())
            }
            Body::Plane(parts) => {
                let pose = shape.placement.plane()?;
                Body::Plane(parts.into_iter().map(|part| part.moved(&pose)).collect())
            }
        })
    }
}

enum Extent {
    Side(f64),
    Circumradius(f64),
}

fn side_or_circumradius(kind: &str, prism: &Prism) -> Result<Extent, Wrong> {
    extent(kind, prism.side, prism.circumradius)
}

fn extent(kind: &str, side: Option<f64>, circumradius: Option<f64>) -> Result<Extent, Wrong> {
    match (side, circumradius) {
        (Some(side), None) => Ok(Extent::Side(side)),
        (None, Some(radius)) => Ok(Extent::Circumradius(radius)),
        _ => Err(Wrong::Measures(format!("{kind}: give one of `side` and `circumradius`"))),
    }
}

/// The hull of points that all have two or all have three coordinates.
fn from_vertices(vertices: &[Coordinates]) -> Result<Body, Wrong> {
    let dimension = vertices.first().map_or(3, Coordinates::dimension);
    if let Some(index) = vertices.iter().position(|v| v.dimension() != dimension) {
        return Err(Wrong::Measures(format!(
            "vertices: vertex {index} has {} coordinates, but vertex 0 has {dimension}",
            vertices[index].dimension()
        )));
    }
    if dimension == 2 {
        let points: Vec<Vec2> = vertices.iter().filter_map(Coordinates::plane).collect();
        let shape = PlanarShape::Polygon(Polygon::from_vertices(&points)?);
        return Ok(Body::Plane(vec![Part { shape, pose: None }]));
    }
    let points: Vec<Vec3> = vertices.iter().filter_map(Coordinates::space).collect();
    let shape = Solid::Polytope(Polytope::from_vertices(&points)?);
    Ok(Body::Space(vec![Part { shape, pose: None }]))
}

/// The body within half-spaces `[nx, ny, nz, offset]`, or within half-planes `[nx, ny, offset]`.
fn from_half_spaces(rows: &[Vec<f64>]) -> Result<Body, Wrong> {
    let width = rows.first().map_or(4, Vec::len);
    if let Some(index) = rows.iter().position(|row| row.len() != width || !(3..=4).contains(&width)) {
        return Err(Wrong::Measures(format!(
            "half_spaces: row {index} has {} entries; give [nx, ny, nz, offset] in every row, or [nx, ny, offset] \
             in the plane",
            rows[index].len()
        )));
    }
    if width == 3 {
        let planes: Vec<(Vec2, f64)> = rows.iter().map(|r| (Vec2::new(r[0], r[1]), r[2])).collect();
        let shape = PlanarShape::Polygon(Polygon::from_half_planes(&planes)?);
        return Ok(Body::Plane(vec![Part { shape, pose: None }]));
    }
    let planes: Vec<(Vec3, f64)> = rows.iter().map(|r| (Vec3::new(r[0], r[1], r[2]), r[3])).collect();
    let shape = Solid::Polytope(Polytope::from_half_spaces(&planes)?);
    Ok(Body::Space(vec![Part { shape, pose: None }]))
}

/// All parts of all members, flattened; members must agree on the dimension.
fn compound(members: &[ShapeText], names: &Names, line: u64) -> Result<Body, Wrong> {
    let mut whole: Option<Body> = None;
    for (index, member) in members.iter().enumerate() {
        let place = |wrong: Wrong| wrong.within(format!("parts[{index}]"));
        let body = Body::build(&member.kind, names, line).map_err(place)?;
        match (&mut whole, body.moved(member).map_err(place)?) {
            (None, first) => whole = Some(first),
            (Some(Body::Space(all)), Body::Space(parts)) => all.extend(parts),
            (Some(Body::Plane(all)), Body::Plane(parts)) => all.extend(parts),
            _ => {
                let why = "a planar part among parts of space; make all parts planar or none".to_owned();
                return Err(place(Wrong::Dimension(why)));
            }
        }
    }
    whole.ok_or(Wrong::Shape(percussion_geometry::ShapeError::EmptyCompound))
}
