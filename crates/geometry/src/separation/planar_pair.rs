//! Two bounded planar bodies as one: support points and curvature of their Minkowski difference, in body a's frame.

use super::planar_portal::{P, dot, sub};
use crate::Vec2;
use crate::shapes::PlanarShape;

/// A point of the Minkowski difference: the point less the line's offset, its part on body a, its vertices.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PlanarPoint {
    pub w: P,
    pub x: P,
    pub id: [u32; 2],
}

/// Two bounded bodies: `r` turns b's frame into a's. Points are relative to `offset`, a point of the line.
pub(crate) struct PlanarPair<'a> {
    pub a: &'a PlanarShape,
    pub b: &'a PlanarShape,
    pub r: [P; 2],
    pub offset: P,
}

/// Furthest point of a body along `n`, relative to its reference; its vertex, `u32::MAX` where there are none.
fn support_of(shape: &PlanarShape, n: &P) -> (P, u32) {
    match shape {
        PlanarShape::Polygon(p) => {
            // From the reference point: short vectors, no digits lost where it is far from the origin.
            let mut best = (f64::NEG_INFINITY, 0);
            for (k, v) in p.relative().iter().enumerate() {
                let height = dot(n, v);
                if height > best.0 {
                    best = (height, k);
                }
            }
            (p.relative()[best.1], best.1 as u32)
        }
        // Half-planes are answered in closed form before the kernel runs.
        _ => (shape.support(&Vec2::from(*n)).map_or([f64::NAN; 2], Into::into), u32::MAX),
    }
}

/// How fast the support point moves along `t` when `n` does, where `n x t = 1`.
///
/// An ellipse has `h = |A n|` and Hessian `(A² h² - A² n nᵀ A²)/h³`, between `t` and `t` that is
/// `(det A)² (n x t)²/h³`. Vertices stay where they are.
fn curvature_of(shape: &PlanarShape, n: &P) -> f64 {
    let semi = match shape {
        PlanarShape::Circle(s) => [s.radius(); 2],
        PlanarShape::Ellipse(s) => s.semi_axes().into(),
        PlanarShape::Polygon(_) | PlanarShape::HalfPlane(_) => return 0.0,
    };
    let h = (semi[0] * n[0]).hypot(semi[1] * n[1]);
    (semi[0] / h) * (semi[1] / h) * (semi[0] * semi[1] / h)
}

impl PlanarPair<'_> {
    fn turn(&self, v: &P) -> P {
        [dot(&self.r[0], v), dot(&self.r[1], v)]
    }

    /// The direction `-n` in b's frame.
    fn along_b(&self, n: &P) -> P {
        let r = &self.r;
        [-(r[0][0] * n[0] + r[1][0] * n[1]), -(r[0][1] * n[0] + r[1][1] * n[1])]
    }

    fn point(&self, x: P, y: &P, id: [u32; 2]) -> PlanarPoint {
        PlanarPoint { w: sub(&sub(&x, &self.turn(y)), &self.offset), x, id }
    }

    /// Furthest point along `n`.
    pub fn support(&self, n: &P) -> PlanarPoint {
        let (x, i) = support_of(self.a, n);
        let (y, j) = support_of(self.b, &self.along_b(n));
        self.point(x, &y, [i, j])
    }

    /// The point of two vertices; of the furthest point along `n` on a body that has none.
    pub fn at(&self, id: [u32; 2], n: &P) -> PlanarPoint {
        let x = vertex(self.a, id[0]).unwrap_or_else(|| support_of(self.a, n).0);
        let y = vertex(self.b, id[1]).unwrap_or_else(|| support_of(self.b, &self.along_b(n)).0);
        self.point(x, &y, id)
    }

    /// The point of two vertices, if both bodies have them.
    pub fn vertices(&self, id: [u32; 2]) -> Option<PlanarPoint> {
        Some(self.point(vertex(self.a, id[0])?, &vertex(self.b, id[1])?, id))
    }

    /// From one vertex to another of the only polygon of the pair, as a vector of the difference; `None` where
    /// they are the same or there is none. From the coordinates as given, so that a short edge keeps its direction.
    pub fn side(&self, from: [u32; 2], to: [u32; 2]) -> Option<P> {
        let along = |shape: &PlanarShape, side: usize| match shape {
            PlanarShape::Polygon(p) if from != to => {
                let [v, w] = [from, to].map(|id| p.vertices().get(id[side] as usize));
                Some((w? - v?).into())
            }
            _ => None,
        };
        along(self.a, 0).or_else(|| Some(self.turn(&along(self.b, 1)?).map(|c| -c)))
    }

    /// How fast the support point moves along `t` when `n` does, where `n x t = 1`.
    pub fn curvature(&self, n: &P) -> f64 {
        curvature_of(self.a, n) + curvature_of(self.b, &self.along_b(n))
    }
}

/// A vertex relative to the reference point.
fn vertex(shape: &PlanarShape, index: u32) -> Option<P> {
    shape.polygon()?.relative().get(index as usize).copied()
}
