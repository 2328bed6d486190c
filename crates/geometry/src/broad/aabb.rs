//! Boxes along the world axes: what the broad phase knows of a body.

use crate::{Vec2, Vec3};

/// A closed box along the world axes. Boxes that share only a boundary point count as intersecting, so a
/// planar body is a box of no height. A side may lie at infinity (a half-space has such a box).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Aabb {
    /// The least coordinates.
    pub min: Vec3,
    /// The greatest coordinates.
    pub max: Vec3,
}

impl Aabb {
    /// The whole of space: the box of a half-space whose normal is not along an axis.
    pub const EVERYWHERE: Aabb = Aabb {
        min: Vec3::new(f64::NEG_INFINITY, f64::NEG_INFINITY, f64::NEG_INFINITY),
        max: Vec3::new(f64::INFINITY, f64::INFINITY, f64::INFINITY),
    };

    /// A box from its least and greatest corner.
    #[inline]
    pub fn new(min: Vec3, max: Vec3) -> Self {
        Self { min, max }
    }

    /// The box of a planar body: no height, at `z = 0`.
    #[inline]
    pub fn planar(min: Vec2, max: Vec2) -> Self {
        Self { min: Vec3::new(min.x, min.y, 0.0), max: Vec3::new(max.x, max.y, 0.0) }
    }

    /// The smallest box that holds all points; `None` without points.
    pub fn around<'a>(points: impl IntoIterator<Item = &'a Vec3>) -> Option<Self> {
        let mut points = points.into_iter();
        let first = points.next()?;
        Some(points.fold(Self::new(*first, *first), |b, p| Self { min: b.min.inf(p), max: b.max.sup(p) }))
    }

    /// The smallest box that holds both.
    #[inline]
    pub fn merged(&self, other: &Aabb) -> Self {
        Self { min: self.min.inf(&other.min), max: self.max.sup(&other.max) }
    }

    /// The box grown by `margin` (metres) on every side.
    #[inline]
    pub fn loosened(&self, margin: f64) -> Self {
        let m = Vec3::repeat(margin);
        Self { min: self.min - m, max: self.max + m }
    }

    /// A box that holds everything a body sweeps while its box goes from `start` to `end` **in a straight
    /// line without turning**; a body that turns as well needs [`loosened`](Self::loosened) by how far
    /// its points stray from that.
    #[inline]
    pub fn swept(start: &Aabb, end: &Aabb) -> Self {
        start.merged(end)
    }

    /// Whether the closed boxes have a point in common.
    #[inline(always)]
    pub fn intersects(&self, other: &Aabb) -> bool {
        // Without short cuts: six comparisons cost less than one mispredicted branch.
        (self.min.x <= other.max.x)
            & (other.min.x <= self.max.x)
            & (self.min.y <= other.max.y)
            & (other.min.y <= self.max.y)
            & (self.min.z <= other.max.z)
            & (other.min.z <= self.max.z)
    }

    /// Whether `other` lies inside, boundary included.
    #[inline]
    pub fn contains(&self, other: &Aabb) -> bool {
        (0..3).all(|k| self.min[k] <= other.min[k] && other.max[k] <= self.max[k])
    }

    /// The middle. Not a number along an axis on which both sides are at infinity.
    #[inline]
    pub fn centre(&self) -> Vec3 {
        0.5 * self.min + 0.5 * self.max
    }

    /// Lengths of the sides.
    #[inline]
    pub fn extents(&self) -> Vec3 {
        self.max - self.min
    }
}

impl From<parry3d_f64::bounding_volume::Aabb> for Aabb {
    fn from(other: parry3d_f64::bounding_volume::Aabb) -> Self {
        let v = |p: parry3d_f64::math::Vector| Vec3::new(p.x, p.y, p.z);
        Self { min: v(other.mins), max: v(other.maxs) }
    }
}

impl From<Aabb> for parry3d_f64::bounding_volume::Aabb {
    fn from(other: Aabb) -> Self {
        let v = |p: Vec3| parry3d_f64::math::Vector::new(p.x, p.y, p.z);
        Self { mins: v(other.min), maxs: v(other.max) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cube(x: f64) -> Aabb {
        Aabb::new(Vec3::new(x, 0.0, 0.0), Vec3::new(x + 1.0, 1.0, 1.0))
    }

    #[test]
    fn boxes_that_share_a_face_intersect_and_boxes_a_hair_apart_do_not() {
        assert!(cube(0.0).intersects(&cube(1.0)));
        assert!(!cube(0.0).intersects(&cube(1.0_f64.next_up())));
        assert!(cube(0.0).loosened(1e-15).intersects(&cube(1.0_f64.next_up())));
    }

    #[test]
    fn a_swept_box_holds_the_box_at_every_moment_of_a_straight_flight() {
        let (start, end) = (cube(-3.0), cube(7.0));
        let swept = Aabb::swept(&start, &end);
        for k in 0..=100 {
            assert!(swept.contains(&cube(-3.0 + 0.1 * f64::from(k))));
        }
        assert_eq!(swept.extents(), Vec3::new(11.0, 1.0, 1.0));
    }

    #[test]
    fn everywhere_meets_every_box_also_those_at_infinity() {
        let floor = Aabb { max: Vec3::new(f64::INFINITY, f64::INFINITY, 0.0), ..Aabb::EVERYWHERE };
        assert!(Aabb::EVERYWHERE.intersects(&cube(1e300)));
        assert!(floor.intersects(&cube(5.0)));
        assert!(!floor.intersects(&Aabb::new(Vec3::repeat(1e-300), Vec3::repeat(1.0))));
    }

    #[test]
    fn conversion_to_the_tree_crate_and_back_changes_nothing() {
        let b = Aabb::new(Vec3::new(-1.0, 0.1, 3.0), Vec3::new(2.0, 0.2, 1e9));
        assert_eq!(Aabb::from(parry3d_f64::bounding_volume::Aabb::from(b)), b);
    }

    #[test]
    fn the_box_around_points_touches_the_outermost_ones() {
        let points = [Vec3::new(1.0, -2.0, 0.0), Vec3::new(-1.0, 5.0, 0.5)];
        let b = Aabb::around(&points).unwrap();
        assert_eq!((b.min, b.max), (Vec3::new(-1.0, -2.0, 0.0), Vec3::new(1.0, 5.0, 0.5)));
        assert_eq!(Aabb::around(&[]), None);
    }
}
