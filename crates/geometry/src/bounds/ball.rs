//! Balls that hold bodies, in body frames: the least ball of points [Welzl 1991], with move to front, closed
//! forms for smooth bodies, and a quick choice for bodies of several parts.

use nalgebra::SVector;

use crate::shapes::{Compound, PlanarCompound, PlanarShape, Polytope, Solid};
use crate::{PlanarPose, Pose, Vec2, Vec3};

/// A ball that holds a body.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ball<const D: usize> {
    /// Its centre.
    pub centre: SVector<f64, D>,
    /// Its radius.
    pub radius: f64,
}

impl<const D: usize> Ball<D> {
    /// The least ball that holds both.
    pub fn merged(&self, other: &Self) -> Self {
        let between = other.centre - self.centre;
        let distance = between.norm();
        if distance + other.radius <= self.radius || self.radius.is_infinite() {
            return *self;
        }
        if distance + self.radius <= other.radius || other.radius.is_infinite() {
            return *other;
        }
        let radius = (distance + self.radius + other.radius) / 2.0;
        Self { centre: self.centre + between * ((radius - self.radius) / distance), radius }
    }

    /// The least ball that holds some points; of radius zero about the origin without points.
    pub fn from_points(points: &[SVector<f64, D>]) -> Self {
        let mut order = points.to_vec();
        let centre = least_ball(&mut order, points.len(), &mut Vec::with_capacity(D + 1)).centre;
        // Rounding can leave a point a hair outside: the radius is taken over all points at the end.
        Self { centre, radius: points.iter().map(|p| (p - centre).norm()).fold(0.0, f64::max) }
    }

    /// A ball that holds some balls: merged one after the other, or about the point `middle` if that is better.
    fn of_balls(balls: impl Iterator<Item = Self> + Clone, middle: &SVector<f64, D>) -> Self {
        let nothing = Self { centre: *middle, radius: 0.0 };
        let merged = balls.clone().reduce(|all, ball| all.merged(&ball)).unwrap_or(nothing);
        if merged.radius.is_infinite() {
            return merged;
        }
        let radius = balls.map(|b| (b.centre - middle).norm() + b.radius).fold(0.0, f64::max);
        if radius < merged.radius { Self { centre: *middle, radius } } else { merged }
    }
}

impl Polytope {
    /// The least ball that holds the body, body frame.
    pub fn bounding_ball(&self) -> Ball<3> {
        Ball::from_points(self.vertices())
    }
}

impl Solid {
    /// The least ball that holds the body, body frame; of infinite radius for a half-space.
    pub fn bounding_ball(&self) -> Ball<3> {
        match self {
            Solid::Polytope(p) => p.bounding_ball(),
            Solid::Cone(c) => {
                // Through rim and apex, or the rim's own circle when the cone is flat.
                let (r, h) = (c.radius(), c.height());
                let up = ((h * h - r * r) / (2.0 * h)).max(0.0);
                Ball { centre: Vec3::new(0.0, 0.0, up - h / 4.0), radius: r.hypot(up) }
            }
            _ => Ball { centre: Vec3::zeros(), radius: self.outer_radius() },
        }
    }
}

impl Compound {
    /// A ball that holds the body, body frame: the better of two quick choices, not always the least.
    pub fn bounding_ball(&self) -> Ball<3> {
        let balls = self.parts().iter().map(|(place, solid)| {
            let ball = solid.bounding_ball();
            Ball { centre: place.point(&ball.centre), ..ball }
        });
        Ball::of_balls(balls, &self.bounds(&Pose::identity()).centre())
    }
}

impl PlanarShape {
    /// The least disc that holds the body, body frame; of infinite radius for a half-plane.
    pub fn bounding_ball(&self) -> Ball<2> {
        match self {
            PlanarShape::Polygon(p) => Ball::from_points(p.vertices()),
            _ => Ball { centre: Vec2::zeros(), radius: self.outer_radius() },
        }
    }
}

impl PlanarCompound {
    /// A disc that holds the body, body frame: the better of two quick choices, not always the least.
    pub fn bounding_ball(&self) -> Ball<2> {
        let balls = self.parts().iter().map(|(place, shape)| {
            let ball = shape.bounding_ball();
            Ball { centre: place.point(&ball.centre), ..ball }
        });
        Ball::of_balls(balls, &self.bounds(&PlanarPose::identity()).centre())
    }
}

/// The least ball of the first `count` points with the points of `rim` on its boundary.
fn least_ball<const D: usize>(
    points: &mut [SVector<f64, D>],
    count: usize,
    rim: &mut Vec<SVector<f64, D>>,
) -> Ball<D> {
    let mut ball = through(rim);
    if rim.len() == D + 1 {
        return ball;
    }
    for k in 0..count {
        // A negative radius is the empty ball, outside of which everything lies.
        let outside = (points[k] - ball.centre).norm() > ball.radius * (1.0 + 1e-13);
        if outside || ball.radius < 0.0 {
            rim.push(points[k]);
            ball = least_ball(points, k, rim);
            rim.pop();
            // Points that were once outside decide early next time.
            points[..=k].rotate_right(1);
        }
    }
    ball
}

/// The least ball through up to `D + 1` points: its centre is combined from them.
fn through<const D: usize>(rim: &[SVector<f64, D>]) -> Ball<D> {
    let Some(&origin) = rim.first() else {
        return Ball { centre: SVector::zeros(), radius: -1.0 };
    };
    // An orthonormal basis of the span gives the centre coordinate by coordinate: with b the part of a side
    // across the earlier ones, |side|² = 2 <side, centre> fixes the centre's component along b.
    let mut basis: Vec<SVector<f64, D>> = Vec::with_capacity(D);
    let mut centre = SVector::<f64, D>::zeros();
    for point in &rim[1..] {
        let side = point - origin;
        let mut across = side;
        for b in &basis {
            across -= b * b.dot(&across);
        }
        let length = across.norm();
        if length <= 1e-12 * side.norm() {
            continue;
        }
        let unit = across / length;
        centre += unit * ((side.norm_squared() / 2.0 - side.dot(&centre)) / length);
        basis.push(unit);
    }
    Ball { centre: origin + centre, radius: centre.norm() }
}
