//! Parametrised polygons, each with its centroid at the origin of its frame.

use std::f64::consts::TAU;

use super::{Polygon, at_least, positive};
use crate::{ShapeError, Vec2};

impl Polygon {
    /// A rectangle with side lengths `a`, `b` along x, y; counter-clockwise from the corner `(-a/2, -b/2)`.
    pub fn rectangle(a: f64, b: f64) -> Result<Self, ShapeError> {
        let (x, y) = (positive("rectangle side a", a)? / 2.0, positive("rectangle side b", b)? / 2.0);
        Self::from_loop(vec![Vec2::new(-x, -y), Vec2::new(x, -y), Vec2::new(x, y), Vec2::new(-x, y)])
    }

    /// A square with the given side length.
    pub fn square(side: f64) -> Result<Self, ShapeError> {
        positive("square side", side)?;
        Self::rectangle(side, side)
    }

    /// A regular polygon with its corners on a circle; the first corner lies on the x axis.
    pub fn regular(sides: usize, circumradius: f64) -> Result<Self, ShapeError> {
        at_least("number of polygon sides", sides, 3, "at least 3")?;
        positive("polygon circumradius", circumradius)?;
        let corner = |k: usize| {
            let (sin, cos) = (TAU * k as f64 / sides as f64).sin_cos();
            Vec2::new(cos, sin) * circumradius
        };
        Self::from_loop((0..sides).map(corner).collect())
    }

    /// A regular polygon with sides of the given length.
    pub fn regular_of_side(sides: usize, side: f64) -> Result<Self, ShapeError> {
        at_least("number of polygon sides", sides, 3, "at least 3")?;
        positive("polygon side", side)?;
        Self::regular(sides, side / (2.0 * (TAU / 2.0 / sides as f64).sin()))
    }

    /// An isosceles triangle with its base along x and its apex, the last vertex, on the y axis.
    pub fn triangle(base: f64, height: f64) -> Result<Self, ShapeError> {
        let x = positive("triangle base", base)? / 2.0;
        let third = positive("triangle height", height)? / 3.0;
        Self::from_loop(vec![Vec2::new(-x, -third), Vec2::new(x, -third), Vec2::new(0.0, 2.0 * third)])
    }
}
