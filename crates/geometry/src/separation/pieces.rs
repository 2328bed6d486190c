//! Curved bodies as finitely many smooth pieces, and Newton's method on the active ones.
//!
//! The support function of every body here is a maximum of finitely many smooth ones: a vertex (linear), a ball
//! (sphere, end of a capsule), a rim (end of a cylinder, base of a cone), an ellipsoid. Where a ruled surface
//! meets an edge, several pieces are active at once and plain portals degenerate into slivers. With the active
//! pieces `S` known, the optimum solves
//!
//! ```text
//! h_i(n) = τ for i in S,   Σ λ_i w_i(n) ∥ d,   Σ λ_i = 1,   <n, d> = 1
//! ```
//!
//! where `w_i = ∇h_i`. The Jacobian is the saddle `[Σ λ_i H_i, W; Wᵀ, 0]` in the plane orthogonal to `d`.

use super::portal::{Point, RayCast, SupportMap};
use super::small::{M, V, add_scaled, complete, dot, norm, scale, sub};
use super::support::support_vertex;
use crate::Vec3;
use crate::shapes::Solid;
use nalgebra::{Matrix4, Vector4};

/// Two bounded solids as pieces: identities are piece numbers on both sides.
pub(crate) struct PiecePair<'a> {
    pub a: &'a Solid,
    pub b: &'a Solid,
    pub r: M,
    pub hint: [u32; 2],
}

/// A symmetric three-by-three matrix by rows.
type Curvature = [V; 3];

/// Which smooth piece of the body supports it along `n`.
fn piece_of(solid: &Solid, n: &V, hint: u32) -> u32 {
    match solid {
        Solid::Polytope(p) => support_vertex(p, n, hint),
        Solid::Capsule(_) | Solid::Cylinder(_) => (n[2] >= 0.0) as u32,
        Solid::Cone(c) => (n[2] * c.height() > n[0].hypot(n[1]) * c.radius()) as u32,
        Solid::Sphere(_) | Solid::Ellipsoid(_) | Solid::HalfSpace(_) => 0,
    }
}

/// Support point and curvature (Hessian of the support function) of one piece.
fn piece(solid: &Solid, id: u32, n: &V) -> (V, Curvature) {
    let flat = [[0.0; 3]; 3];
    let sign = if id == 1 { 1.0 } else { -1.0 };
    match solid {
        Solid::Polytope(p) => (p.lanes().get(id as usize), flat),
        Solid::Sphere(s) => ball(s.radius(), 0.0, n),
        Solid::Capsule(s) => ball(s.radius(), sign * s.half_length(), n),
        Solid::Cylinder(s) => rim(s.radius(), sign * s.half_height(), n),
        Solid::Cone(c) if id == 1 => ([0.0, 0.0, 0.75 * c.height()], flat),
        Solid::Cone(c) => rim(c.radius(), -0.25 * c.height(), n),
        Solid::Ellipsoid(e) => ellipsoid(&e.semi_axes(), n),
        // Half-spaces are answered in closed form and never get here.
        Solid::HalfSpace(_) => ([f64::NAN; 3], flat),
    }
}

/// `h = z n_z + r |n|`.
fn ball(radius: f64, z: f64, n: &V) -> (V, Curvature) {
    let length = norm(n);
    let u = scale(n, 1.0 / length);
    let k = radius / length;
    let entry = |i: usize, j: usize| k * ((i == j) as u8 as f64 - u[i] * u[j]);
    let curvature = [0, 1, 2].map(|i| [0, 1, 2].map(|j| entry(i, j)));
    ([radius * u[0], radius * u[1], radius * u[2] + z], curvature)
}

/// `h = z n_z + r |(n_x, n_y)|`.
fn rim(radius: f64, z: f64, n: &V) -> (V, Curvature) {
    let across = n[0].hypot(n[1]);
    if !(across > 0.0) {
        return ([radius, 0.0, z], [[0.0; 3]; 3]);
    }
    let (x, y) = (n[0] / across, n[1] / across);
    let k = radius / across;
    ([radius * x, radius * y, z], [[k * y * y, -k * x * y, 0.0], [-k * x * y, k * x * x, 0.0], [0.0; 3]])
}

/// `h = |A n|` with `A` the semi-axes.
fn ellipsoid(semi: &Vec3, n: &V) -> (V, Curvature) {
    let stretched = [semi.x * semi.x * n[0], semi.y * semi.y * n[1], semi.z * semi.z * n[2]];
    let h = dot(&stretched, n).sqrt();
    let x = scale(&stretched, 1.0 / h);
    let entry = |i: usize, j: usize| ((i == j) as u8 as f64 * semi[i] * semi[i] - x[i] * x[j]) / h;
    (x, [0, 1, 2].map(|i| [0, 1, 2].map(|j| entry(i, j))))
}

impl SupportMap for PiecePair<'_> {
    fn support(&mut self, n: &V) -> Point {
        let along_b = self.r.transposed_times(&scale(n, -1.0));
        self.hint = [piece_of(self.a, n, self.hint[0]), piece_of(self.b, &along_b, self.hint[1])];
        self.point(self.hint, n).0
    }
}

impl PiecePair<'_> {
    /// Support point of a pair of pieces along `n` and the curvature as a function on vectors.
    fn point(&self, id: [u32; 2], n: &V) -> (Point, impl Fn(&V) -> V + use<>) {
        let along_b = self.r.transposed_times(&scale(n, -1.0));
        let (x, curve_a) = piece(self.a, id[0], n);
        let (y, curve_b) = piece(self.b, id[1], &along_b);
        let r = self.r;
        let curvature = move |v: &V| {
            let across = M(curve_b).times(&r.transposed_times(v));
            add_scaled(&M(curve_a).times(v), &r.times(&across), 1.0)
        };
        (Point { w: sub(&x, &r.times(&y)), x, id }, curvature)
    }
}

/// A candidate optimum: direction (`<n,d> = 1`), and up to three points with weights.
pub(crate) struct Candidate {
    pub n: V,
    pub corner: [Point; 3],
    pub weights: V,
    /// `Σ λ_i <w_i, d>`.
    pub depth: f64,
}

/// Newton's method from direction `n` with the distinct pieces among `corner` and their weights. `None` where
/// it does not converge to non-negative weights.
pub(crate) fn newton(
    pair: &PiecePair,
    cast: &RayCast,
    n: &V,
    corner: &[Point; 3],
    weights: &V,
) -> Option<Candidate> {
    let mut ids: [[u32; 2]; 3] = [corner[0].id; 3];
    let mut lambda = [0.0; 3];
    let mut count = 0;
    for (point, weight) in corner.iter().zip(weights) {
        match ids[..count].iter().position(|&id| id == point.id) {
            Some(k) => lambda[k] += weight,
            None => {
                ids[count] = point.id;
                lambda[count] = *weight;
                count += 1;
            }
        }
    }
    loop {
        let drop = match newton_on(pair, cast, n, &ids[..count], &lambda) {
            Ok(candidate) => return Some(candidate),
            Err(_) if count == 1 => return None,
            // A piece that pulls the wrong way is not active: go on without it.
            Err(Some(drop)) => drop,
            // Nor is one far below the supporting plane, which a portal may keep at a weight that is small but still
            // moves the point by the radius of a small body: go on without the lowest.
            Err(None) => {
                let height = |k: &usize| dot(n, &pair.point(ids[*k], n).0.w);
                (0..count).min_by(|i, j| height(i).total_cmp(&height(j)))?
            }
        };
        ids.swap(drop, count - 1);
        lambda.swap(drop, count - 1);
        count -= 1;
    }
}

/// Newton on a fixed active set; `Err(Some(k))` where piece `k` gets a negative weight.
fn newton_on(
    pair: &PiecePair,
    cast: &RayCast,
    n: &V,
    ids: &[[u32; 2]],
    start: &V,
) -> Result<Candidate, Option<usize>> {
    let (u, v) = complete(&cast.d);
    let count = ids.len();
    let total: f64 = start[..count].iter().sum();
    let mut n = *n;
    let mut lambda = [0, 1, 2].map(|k| if k < count { start[k] / total } else { 0.0 });
    let mut last = f64::INFINITY;
    for _ in 0..20 {
        let points: [(Point, _); 3] = [0, 1, 2].map(|k| {
            let (mut p, curvature) = pair.point(ids[k.min(count - 1)], &n);
            p.w = sub(&p.w, &cast.offset);
            (p, curvature)
        });
        let flat = points.each_ref().map(|(p, _)| [dot(&u, &p.w), dot(&v, &p.w)]);
        let height = points.each_ref().map(|(p, _)| dot(&n, &p.w));
        // Unknowns: step of n along u and v, new weights of pieces 1 and 2 (piece 0 has the rest).
        let mut jacobian = Matrix4::identity();
        let mut residual = Vector4::zeros();
        let curvature_along =
            |dir: &V| (0..count).fold([0.0; 3], |sum, k| add_scaled(&sum, &points[k].1(dir), lambda[k]));
        let (along_u, along_v) = (curvature_along(&u), curvature_along(&v));
        for (row, axis) in [u, v].iter().enumerate() {
            jacobian[(row, 0)] = dot(axis, &along_u);
            jacobian[(row, 1)] = dot(axis, &along_v);
            residual[row] = -flat[0][row];
            for k in 1..count {
                let arm = flat[k][row] - flat[0][row];
                jacobian[(row, k + 1)] = arm;
                // h_k = h_0 linearised in n.
                jacobian[(k + 1, row)] = arm;
            }
        }
        for k in 1..count {
            jacobian[(k + 1, k + 1)] = 0.0;
            residual[k + 1] = height[0] - height[k];
        }
        let error = {
            let sum = |row: usize| (0..count).map(|k| lambda[k] * flat[k][row]).sum::<f64>();
            let uneven = (1..count).map(|k| (height[k] - height[0]).abs()).fold(0.0, f64::max);
            sum(0).hypot(sum(1)) + uneven
        };
        if error <= 1e-15 * cast.size || (error >= 0.25 * last && error <= 1e-13 * cast.size) {
            if let Some(k) = (0..count).find(|&k| lambda[k] < 0.0) {
                return Err(Some(k));
            }
            let corner = points.map(|(p, _)| p);
            let depth = (0..count).map(|k| lambda[k] * dot(&corner[k].w, &cast.d)).sum();
            return Ok(Candidate { n, corner, weights: lambda, depth });
        }
        last = error;
        let step = jacobian.lu().solve(&residual).ok_or(None)?;
        if !step.iter().all(|c| c.is_finite()) || step[0].hypot(step[1]) > 2.0 * norm(&n) {
            return Err(None);
        }
        n = add_scaled(&add_scaled(&n, &u, step[0]), &v, step[1]);
        let rest: f64 = (1..count).map(|k| step[k + 1]).sum();
        lambda = [1.0 - rest, if count > 1 { step[2] } else { 0.0 }, if count > 2 { step[3] } else { 0.0 }];
    }
    // Weights that stay negative name the piece to drop.
    Err((0..count).find(|&k| lambda[k] < -0.5))
}
