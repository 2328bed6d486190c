//! Planar shapes, in the xy-plane of what they belong to.

use super::shapes::{Built, Measures, given};
use crate::tree::Fields;
use percussion_geometry::Vec2;
use percussion_geometry::shapes::{Circle, Ellipse, HalfPlane, PlanarShape, Polygon};

/// The kinds that are always planar; a `polygon` is if it is a list of points.
pub(super) const PLANAR: [&str; 7] =
    ["regular_polygon", "rectangle", "square", "triangle", "circle", "ellipse", "half_plane"];

/// A planar shape of a kind.
pub(super) fn outline(fields: &Fields, kind: &'static str) -> Built<PlanarShape> {
    let number = || given(fields, kind, fields.number(kind)?);
    let two = || given(fields, kind, fields.numbers::<2>(kind)?);
    let polygon = match kind {
        "circle" => return Ok(Circle::new(number()?).map(PlanarShape::Circle)),
        "ellipse" => return Ok(Ellipse::new(Vec2::from(two()?)).map(PlanarShape::Ellipse)),
        "half_plane" => {
            let m = Measures::of(fields, kind, &["normal", "offset"])?;
            let normal = given(&m.0, "normal", m.0.numbers::<2>("normal")?)?;
            let offset = m.0.number("offset")?.unwrap_or(0.0);
            return Ok(HalfPlane::new(Vec2::from(normal), offset).map(PlanarShape::HalfPlane));
        }
        "square" => Polygon::square(number()?),
        "rectangle" => two().map(|[a, b]| Polygon::rectangle(a, b))?,
        "triangle" => {
            let m = Measures::of(fields, kind, &["base", "height"])?;
            Polygon::triangle(m.number("base")?, m.number("height")?)
        }
        "regular_polygon" => {
            let m = Measures::of(fields, kind, &["sides", "side", "circumradius"])?;
            let sides = m.count("sides")?;
            Polygon::regular(sides, m.circumradius(fields, kind, sides)?)
        }
        _ => {
            let points = given(fields, kind, fields.rows::<2>(kind)?)?;
            Polygon::from_vertices(&points.into_iter().map(Vec2::from).collect::<Vec<_>>())
        }
    };
    Ok(polygon.map(PlanarShape::Polygon))
}
