//! Boxes along the world axes.

use nalgebra::SVector;

use crate::Vec3;

/// A closed box along the axes, in `D` dimensions. Boxes that share only a boundary point overlap, so a box
/// may have no height. A side may lie at infinity (a floor has such a box).
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
    #[inline]
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

    /// The least box that holds some points; [`empty`](Self::empty) without points.
    pub fn from_points<'a>(points: impl IntoIterator<Item = &'a SVector<f64, D>>) -> Self {
        points.into_iter().fold(Self::empty(), |b, p| Self { lower: b.lower.inf(p), upper: b.upper.sup(p) })
    }

    /// Whether some side is infinite.
    pub fn is_unbounded(&self) -> bool {
        self.lower.iter().chain(self.upper.iter()).any(|c| c.is_infinite())
    }

    /// Its middle. Not a number along an axis on which both sides are at infinity.
    #[inline]
    pub fn centre(&self) -> SVector<f64, D> {
        self.lower * 0.5 + self.upper * 0.5
    }

    /// Its side lengths.
    #[inline]
    pub fn extents(&self) -> SVector<f64, D> {
        self.upper - self.lower
    }

    /// The least box that holds both.
    #[inline]
    pub fn merged(&self, other: &Self) -> Self {
        Self { lower: self.lower.inf(&other.lower), upper: self.upper.sup(&other.upper) }
    }

    /// What both boxes hold; inside out along an axis on which they are apart.
    #[inline]
    pub fn intersection(&self, other: &Self) -> Self {
        Self { lower: self.lower.sup(&other.lower), upper: self.upper.inf(&other.upper) }
    }

    /// The box with every side moved outwards by `margin`.
    #[inline]
    pub fn grown(&self, margin: f64) -> Self {
        Self { lower: self.lower.add_scalar(-margin), upper: self.upper.add_scalar(margin) }
    }

    /// Whether the boxes have a point in common; touching counts.
    #[inline(always)]
    pub fn overlaps(&self, other: &Self) -> bool {
        // Without short cuts: six comparisons cost less than one mispredicted branch.
        (0..D)
            .fold(true, |all, k| all & (self.lower[k] <= other.upper[k]) & (other.lower[k] <= self.upper[k]))
    }

    /// Whether a point lies in the box or on its boundary.
    pub fn contains_point(&self, point: &SVector<f64, D>) -> bool {
        (0..D).all(|k| self.lower[k] <= point[k] && point[k] <= self.upper[k])
    }

    /// Whether the other box lies in this one.
    #[inline]
    pub fn contains(&self, other: &Self) -> bool {
        (0..D).all(|k| self.lower[k] <= other.lower[k] && other.upper[k] <= self.upper[k])
    }
}

impl PlanarAabb {
    /// The box in space of a body in the plane `z = 0`: of no height.
    #[inline]
    pub fn lifted(&self) -> Aabb {
        let lift = |p: &crate::Vec2| Vec3::new(p.x, p.y, 0.0);
        Aabb { lower: lift(&self.lower), upper: lift(&self.upper) }
    }
}

impl From<parry3d_f64::bounding_volume::Aabb> for Aabb {
    fn from(other: parry3d_f64::bounding_volume::Aabb) -> Self {
        let v = |p: parry3d_f64::math::Vector| Vec3::new(p.x, p.y, p.z);
        Self { lower: v(other.mins), upper: v(other.maxs) }
    }
}

impl From<Aabb> for parry3d_f64::bounding_volume::Aabb {
    fn from(other: Aabb) -> Self {
        let v = |p: Vec3| parry3d_f64::math::Vector::new(p.x, p.y, p.z);
        Self { mins: v(other.lower), maxs: v(other.upper) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Vec2;

    fn cube(x: f64) -> Aabb {
        Aabb::new(Vec3::new(x, 0.0, 0.0), Vec3::new(x + 1.0, 1.0, 1.0))
    }

    #[test]
    fn boxes_that_share_a_face_overlap_and_boxes_a_hair_apart_do_not() {
        assert!(cube(0.0).overlaps(&cube(1.0)));
        assert!(!cube(0.0).overlaps(&cube(1.0_f64.next_up())));
        assert!(cube(0.0).grown(1e-15).overlaps(&cube(1.0_f64.next_up())));
    }

    #[test]
    fn everything_meets_every_box_also_those_at_infinity() {
        let floor = Aabb { upper: Vec3::new(f64::INFINITY, f64::INFINITY, 0.0), ..Aabb::everything() };
        assert!(Aabb::everything().overlaps(&cube(1e300)));
        assert!(floor.overlaps(&cube(5.0)));
        assert!(!floor.overlaps(&Aabb::new(Vec3::repeat(1e-300), Vec3::repeat(1.0))));
        assert_eq!(
            floor.intersection(&cube(5.0)),
            Aabb::new(Vec3::new(5.0, 0.0, 0.0), Vec3::new(6.0, 1.0, 0.0))
        );
    }

    #[test]
    fn conversion_to_the_tree_crate_and_back_changes_nothing() {
        let b = Aabb::new(Vec3::new(-1.0, 0.1, 3.0), Vec3::new(2.0, 0.2, 1e9));
        assert_eq!(Aabb::from(parry3d_f64::bounding_volume::Aabb::from(b)), b);
    }

    #[test]
    fn the_box_of_points_touches_the_outermost_ones_and_lifts_to_the_plane_in_space() {
        let b = PlanarAabb::from_points(&[Vec2::new(1.0, -2.0), Vec2::new(-1.0, 5.0), Vec2::zeros()]);
        assert_eq!((b.lower, b.upper), (Vec2::new(-1.0, -2.0), Vec2::new(1.0, 5.0)));
        assert_eq!(b.lifted(), Aabb::new(Vec3::new(-1.0, -2.0, 0.0), Vec3::new(1.0, 5.0, 0.0)));
        assert_eq!(Aabb::from_points(&[]), Aabb::empty());
    }
}
