//! Bounding volumes of placed bodies: axis-aligned boxes and balls.
//!
//! Boxes are tight: each of their sides touches the body, because they are read off the support functions
//! along the world axes. Nothing here allocates, except the least ball of a polytope (a setup-time question).

use nalgebra::SVector;

use crate::shapes::{Compound, PlanarCompound, PlanarShape, Polytope, Solid};
use crate::{PlanarPose, Pose, Vec2, Vec3};

/// An axis-aligned box in `D` dimensions.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bounds<const D: usize> {
    /// Least coordinates.
    pub lower: SVector<f64, D>,
    /// Greatest coordinates.
    pub upper: SVector<f64, D>,
}

/// An axis-aligned box in space.
pub type Aabb = Bounds<3>;
/// An axis-aligned box in the plane.
pub type PlanarAabb = Bounds<2>;

impl<const D: usize> Bounds<D> {
    /// A box from its least and greatest coordinates.
    pub fn new(lower: SVector<f64, D>, upper: SVector<f64, D>) -> Self {
        Self { lower, upper }
    }

    /// The box that holds nothing: the neutral element of [`merged`](Self::merged).
    pub fn empty() -> Self {
        Self { lower: SVector::repeat(f64::INFINITY), upper: SVector::repeat(f64::NEG_INFINITY) }
    }

    /// The box that holds everything.
    pub fn everything() -> Self {
        Self { lower: SVector::repeat(f64::NEG_INFINITY), upper: SVector::repeat(f64::INFINITY) }
    }

    /// The box of some points.
    pub fn of_points<'a>(points: impl IntoIterator<Item = &'a SVector<f64, D>>) -> Self {
        points.into_iter().fold(Self::empty(), |b, p| Self { lower: b.lower.inf(p), upper: b.upper.sup(p) })
    }

    /// Whether some side is infinite.
    pub fn is_unbounded(&self) -> bool {
        self.lower.iter().chain(self.upper.iter()).any(|c| c.is_infinite())
    }

    /// Its middle (not a number for unbounded boxes).
    pub fn centre(&self) -> SVector<f64, D> {
        self.lower + (self.upper - self.lower) / 2.0
    }

    /// Its side lengths.
    pub fn extents(&self) -> SVector<f64, D> {
        self.upper - self.lower
    }

    /// The least box that holds both.
    pub fn merged(&self, other: &Self) -> Self {
        Self { lower: self.lower.inf(&other.lower), upper: self.upper.sup(&other.upper) }
    }

    /// The box with every side moved outwards by `margin`.
    pub fn grown(&self, margin: f64) -> Self {
        Self { lower: self.lower.add_scalar(-margin), upper: self.upper.add_scalar(margin) }
    }

    /// Whether the boxes have a point in common; touching counts.
    #[inline]
    pub fn overlaps(&self, other: &Self) -> bool {
        (0..D).all(|k| self.lower[k] <= other.upper[k] && other.lower[k] <= self.upper[k])
    }

    /// Whether a point lies in the box or on its boundary.
    pub fn holds(&self, point: &SVector<f64, D>) -> bool {
        (0..D).all(|k| self.lower[k] <= point[k] && point[k] <= self.upper[k])
    }

    /// Whether the other box lies in this one.
    pub fn contains(&self, other: &Self) -> bool {
        (0..D).all(|k| self.lower[k] <= other.lower[k] && other.upper[k] <= self.upper[k])
    }
}

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
}

impl Polytope {
    /// The tight world box at `pose`.
    pub fn bounds(&self, pose: &Pose) -> Aabb {
        let turn = pose.rotation.matrix();
        let mut bounds = Aabb::empty();
        for vertex in self.vertices() {
            let world = turn * vertex;
            bounds.lower = bounds.lower.inf(&world);
            bounds.upper = bounds.upper.sup(&world);
        }
        Aabb::new(bounds.lower + pose.position, bounds.upper + pose.position)
    }

    /// The least ball that holds the body, body frame: Welzl's method with move to front.
    pub fn bounding_ball(&self) -> Ball<3> {
        let mut points: Vec<Vec3> = self.vertices().to_vec();
        // Rounding can leave a point a hair outside: the radius is taken over all points at the end.
        let ball = least_ball(&mut points, self.vertices().len(), &mut Vec::with_capacity(4));
        let radius = self.vertices().iter().map(|v| (v - ball.centre).norm()).fold(0.0, f64::max);
        Ball { centre: ball.centre, radius }
    }
}

impl Solid {
    /// The tight world box at `pose`; a half-space fills all of space.
    pub fn bounds(&self, pose: &Pose) -> Aabb {
        if let Solid::Polytope(p) = self {
            return p.bounds(pose);
        }
        let mut bounds = Aabb::everything();
        for axis in 0..3 {
            let direction: Vec3 = pose.rotation.matrix().row(axis).transpose();
            if let (Some(top), Some(bottom)) = (self.support(&direction), self.support(&-direction)) {
                bounds.upper[axis] = direction.dot(&top) + pose.position[axis];
                bounds.lower[axis] = direction.dot(&bottom) + pose.position[axis];
            }
        }
        bounds
    }

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
    /// The tight world box at `pose`.
    pub fn bounds(&self, pose: &Pose) -> Aabb {
        self.parts()
            .iter()
            .fold(Aabb::empty(), |bounds, (place, solid)| bounds.merged(&solid.bounds(&pose.then(place))))
    }

    /// A ball that holds the body, body frame: the better of two quick choices, not always the least.
    pub fn bounding_ball(&self) -> Ball<3> {
        let placed = || {
            self.parts().iter().map(|(place, solid)| {
                let ball = solid.bounding_ball();
                Ball { centre: place.point(&ball.centre), radius: ball.radius }
            })
        };
        let first = placed().next().unwrap_or(Ball { centre: Vec3::zeros(), radius: 0.0 });
        let merged = placed().fold(first, |all, ball| all.merged(&ball));
        if merged.radius.is_infinite() {
            return merged;
        }
        let middle = self.bounds(&Pose::identity()).centre();
        let radius = placed().map(|b| (b.centre - middle).norm() + b.radius).fold(0.0, f64::max);
        if radius < merged.radius { Ball { centre: middle, radius } } else { merged }
    }
}

impl PlanarShape {
    /// The tight world box at `pose`; a half-plane fills all of the plane.
    pub fn bounds(&self, pose: &PlanarPose) -> PlanarAabb {
        let mut bounds = PlanarAabb::everything();
        for axis in 0..2 {
            let direction: Vec2 = pose.rotation.matrix().row(axis).transpose();
            if let (Some(top), Some(bottom)) = (self.support(&direction), self.support(&-direction)) {
                bounds.upper[axis] = direction.dot(&top) + pose.position[axis];
                bounds.lower[axis] = direction.dot(&bottom) + pose.position[axis];
            }
        }
        bounds
    }

    /// The least disc that holds the body, body frame; of infinite radius for a half-plane.
    pub fn bounding_ball(&self) -> Ball<2> {
        match self {
            PlanarShape::Polygon(p) => {
                let mut points: Vec<Vec2> = p.vertices().to_vec();
                let count = points.len();
                let ball = least_ball(&mut points, count, &mut Vec::with_capacity(3));
                let radius = points.iter().map(|v| (v - ball.centre).norm()).fold(0.0, f64::max);
                Ball { centre: ball.centre, radius }
            }
            _ => Ball { centre: Vec2::zeros(), radius: self.outer_radius() },
        }
    }
}

impl PlanarCompound {
    /// The tight world box at `pose`.
    pub fn bounds(&self, pose: &PlanarPose) -> PlanarAabb {
        self.parts().iter().fold(PlanarAabb::empty(), |bounds, (place, shape)| {
            bounds.merged(&shape.bounds(&pose.then(place)))
        })
    }

    /// A disc that holds the body, body frame.
    pub fn bounding_ball(&self) -> Ball<2> {
        let placed = || {
            self.parts().iter().map(|(place, shape)| {
                let ball = shape.bounding_ball();
                Ball { centre: place.point(&ball.centre), radius: ball.radius }
            })
        };
        let first = placed().next().unwrap_or(Ball { centre: Vec2::zeros(), radius: 0.0 });
        placed().fold(first, |all, ball| all.merged(&ball))
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
