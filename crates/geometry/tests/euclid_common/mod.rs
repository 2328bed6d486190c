//! Bodies, placements and brute force for the Euclidean tests.
#![allow(dead_code)]

pub use super::common::{cuboid, octahedron};
use percussion_geometry::euclid::EuclideanIn;
use percussion_geometry::shapes::{Polytope, Solid};
use percussion_geometry::{Pose, Vec2, Vec3};
use percussion_testing::Random;

pub fn pose(random: &mut Random, reach: f64) -> Pose {
    Pose::new(random.rotation(), random.direction() * random.between(0.0, reach))
}

/// A right prism over a regular polygon, scaled along each axis.
pub fn prism(sides: usize, scale: Vec3) -> Polytope {
    let mut vertices = Vec::new();
    for z in [-1.0, 1.0] {
        for k in 0..sides {
            let angle = std::f64::consts::TAU * k as f64 / sides as f64;
            vertices.push(Vec3::new(angle.cos(), angle.sin(), z).component_mul(&scale));
        }
    }
    let n = sides as u32;
    let mut faces = vec![(0..n).rev().collect::<Vec<_>>(), (n..2 * n).collect()];
    faces.extend((0..n).map(|k| vec![k, (k + 1) % n, n + (k + 1) % n, n + k]));
    Polytope::from_faces(vertices, &faces).unwrap()
}

pub fn tetrahedron(scale: Vec3) -> Polytope {
    let corners = [[1.0, 1.0, 1.0], [1.0, -1.0, -1.0], [-1.0, 1.0, -1.0], [-1.0, -1.0, 1.0]];
    let vertices = corners.map(|c| Vec3::from(c).component_mul(&scale)).to_vec();
    Polytope::from_faces(vertices, &[vec![0, 1, 2], vec![0, 3, 1], vec![0, 2, 3], vec![1, 3, 2]]).unwrap()
}

/// The hull of random points on a sphere, scaled along each axis: triangular faces only.
pub fn boulder(random: &mut Random, points: usize, scale: Vec3) -> Polytope {
    let cloud: Vec<_> = (0..points)
        .map(|_| {
            let v = random.direction();
            parry3d_f64::math::Vector::new(v.x, v.y, v.z)
        })
        .collect();
    let (vertices, triangles) = parry3d_f64::transformation::convex_hull(&cloud);
    let vertices = vertices.iter().map(|v| Vec3::new(v.x, v.y, v.z).component_mul(&scale)).collect();
    Polytope::from_faces(vertices, &triangles.iter().map(|t| t.to_vec()).collect::<Vec<_>>()).unwrap()
}

/// Some polytope of about unit size, stretched by `stretch`.
pub fn any_polytope(random: &mut Random, stretch: Vec3) -> Polytope {
    let mut scale = stretch * random.between(0.5, 1.5);
    scale.x *= random.between(0.5, 1.5);
    match random.below(5) {
        0 => cuboid(scale),
        1 => prism(3 + random.below(6), scale),
        2 => tetrahedron(scale),
        3 => octahedron(scale),
        _ => {
            let points = 12 + random.below(20);
            boulder(random, points, scale)
        }
    }
}

/// A polytope placed in the world minus `origin`: plain lists for brute force.
pub struct Placed {
    pub vertices: Vec<Vec3>,
    pub normals: Vec<Vec3>,
    pub edges: Vec<[usize; 2]>,
    pub triangles: Vec<[usize; 3]>,
}

impl Placed {
    pub fn new(body: &Polytope, pose: &Pose, origin: &Vec3) -> Self {
        let shift = pose.position - origin;
        let mut triangles = Vec::new();
        for face in body.faces() {
            let corners = body.face_loop(face);
            for pair in corners[1..].windows(2) {
                triangles.push([corners[0] as usize, pair[0] as usize, pair[1] as usize]);
            }
        }
        Self {
            vertices: body.vertices().iter().map(|v| pose.rotation * v + shift).collect(),
            normals: body.faces().iter().map(|f| pose.rotation * f.normal).collect(),
            edges: body.edges().iter().map(|e| e.vertices.map(|v| v as usize)).collect(),
            triangles,
        }
    }

    pub fn lowest(&self, n: &Vec3) -> f64 {
        self.vertices.iter().map(|v| n.dot(v)).fold(f64::INFINITY, f64::min)
    }

    pub fn highest(&self, n: &Vec3) -> f64 {
        -self.lowest(&-n)
    }

    /// How far outside the body a point is (positive) by its face planes.
    pub fn outside(&self, p: &Vec3) -> f64 {
        self.normals.iter().map(|n| n.dot(p) - self.highest(n)).fold(f64::NEG_INFINITY, f64::max)
    }
}

/// The support gap of a unit normal.
pub fn support_gap(a: &Placed, b: &Placed, n: &Vec3) -> f64 {
    a.lowest(n) - b.highest(n)
}

/// Largest support gap over all face normals and all edge-edge cross products, both senses, no selection:
/// positive when apart, minus the exact depth when overlapping.
pub fn brute_facets(a: &Placed, b: &Placed) -> f64 {
    let mut best = f64::NEG_INFINITY;
    let mut offer = |n: Vec3| best = best.max(support_gap(a, b, &n)).max(support_gap(a, b, &-n));
    a.normals.iter().chain(&b.normals).for_each(|n| offer(*n));
    for e in &a.edges {
        let d = (a.vertices[e[1]] - a.vertices[e[0]]).normalize();
        for f in &b.edges {
            let g = (b.vertices[f[1]] - b.vertices[f[0]]).normalize();
            let lateral = g - d * d.dot(&g);
            let lateral = lateral - d * d.dot(&lateral);
            if lateral.norm() > 1e-13 {
                offer(d.cross(&lateral).normalize());
            }
        }
    }
    best
}

fn point_segment(p: &Vec3, a: &Vec3, b: &Vec3) -> f64 {
    let t = ((p - a).dot(&(b - a)) / (b - a).norm_squared()).clamp(0.0, 1.0);
    (p - a - t * (b - a)).norm()
}

/// Distance of a point from a triangle: the plane where the foot is inside, else the nearest side.
fn point_triangle(p: &Vec3, t: [&Vec3; 3]) -> f64 {
    let sides = [(t[0], t[1]), (t[1], t[2]), (t[2], t[0])];
    let around = sides.iter().map(|(a, b)| point_segment(p, a, b)).fold(f64::INFINITY, f64::min);
    // The normal from orthogonalised sides: a plain cross product is rounded to the longest side.
    let long = sides.iter().map(|(a, b)| *b - *a).max_by(|s, t| s.norm().total_cmp(&t.norm())).unwrap();
    let short = sides.iter().map(|(a, b)| *b - *a).min_by(|s, t| s.norm().total_cmp(&t.norm())).unwrap();
    let short = short - long * (long.dot(&short) / long.norm_squared());
    let short = short - long * (long.dot(&short) / long.norm_squared());
    let cross = (t[1] - t[0]).cross(&(t[2] - t[0]));
    let n = long.normalize().cross(&(short / short.norm()));
    let n = if n.dot(&cross) < 0.0 { -n } else { n };
    if !n.iter().all(|c| c.is_finite()) || sides.iter().any(|(a, b)| (*b - *a).cross(&(p - *a)).dot(&n) < 0.0)
    {
        return around;
    }
    around.min(n.normalize().dot(&(p - t[0])).abs())
}

fn segment_segment(a: [&Vec3; 2], b: [&Vec3; 2]) -> f64 {
    let (d, e, r) = (a[1] - a[0], b[1] - b[0], a[0] - b[0]);
    let ends = point_segment(a[0], b[0], b[1])
        .min(point_segment(a[1], b[0], b[1]))
        .min(point_segment(b[0], a[0], a[1]))
        .min(point_segment(b[1], a[0], a[1]));
    // The common perpendicular, from orthogonalised directions; refined once from where it leads.
    let lateral = e - d * (d.dot(&e) / d.norm_squared());
    let lateral = lateral - d * (d.dot(&lateral) / d.norm_squared());
    if lateral.norm() <= 1e-14 * e.norm() {
        return ends;
    }
    let (mut s, mut t, mut r) = (0.0, 0.0, r);
    for _ in 0..3 {
        let dt = r.dot(&lateral) / lateral.norm_squared();
        t += dt;
        s += (dt * e - r).dot(&d) / d.norm_squared();
        r = a[0] - b[0] + s * d - t * e;
    }
    if !(0.0..=1.0).contains(&s) || !(0.0..=1.0).contains(&t) {
        return ends;
    }
    ends.min(r.norm())
}

/// Distance of two bodies that are apart, over all vertex-face and edge-edge pairs.
pub fn brute_distance(a: &Placed, b: &Placed) -> f64 {
    let mut best = f64::INFINITY;
    for (p, q) in [(a, b), (b, a)] {
        for v in &p.vertices {
            for t in &q.triangles {
                best = best.min(point_triangle(v, t.map(|k| &q.vertices[k])));
            }
        }
    }
    for e in &a.edges {
        for f in &b.edges {
            best = best.min(segment_segment(e.map(|k| &a.vertices[k]), f.map(|k| &b.vertices[k])));
        }
    }
    best
}

/// The value of (2.28) by brute force.
pub fn brute(a: &Placed, b: &Placed) -> f64 {
    let facets = brute_facets(a, b);
    if facets > 0.0 { brute_distance(a, b) } else { facets }
}

fn gap_of(a: &[Vec2], b: &[Vec2], n: &Vec2) -> f64 {
    let low = a.iter().map(|v| n.dot(v)).fold(f64::INFINITY, f64::min);
    let high = b.iter().map(|v| n.dot(v)).fold(f64::NEG_INFINITY, f64::max);
    low - high
}

/// Distance or depth of two polygons: separating axes when overlapping, every corner against every side when apart.
pub fn planar_brute(a: &[Vec2], b: &[Vec2]) -> f64 {
    let mut best = f64::NEG_INFINITY;
    for polygon in [a, b] {
        for (k, p) in polygon.iter().enumerate() {
            let side = polygon[(k + 1) % polygon.len()] - p;
            let n = Vec2::new(side.y, -side.x).normalize();
            best = best.max(gap_of(a, b, &n)).max(gap_of(a, b, &-n));
        }
    }
    if best <= 0.0 {
        return best;
    }
    let mut nearest = f64::INFINITY;
    for (points, sides) in [(a, b), (b, a)] {
        for p in points {
            for (k, q) in sides.iter().enumerate() {
                let side = sides[(k + 1) % sides.len()] - q;
                let t = ((p - q).dot(&side) / side.norm_squared()).clamp(0.0, 1.0);
                nearest = nearest.min((p - q - t * side).norm());
            }
        }
    }
    nearest
}

/// All offsets of whole quarters, at most `reach` of them along each axis.
pub fn grid(reach: [i32; 3]) -> impl Iterator<Item = Vec3> {
    let line = |k: usize| -reach[k]..=reach[k];
    let (x, y, z) = (line(0), line(1), line(2));
    let plane = x.flat_map(move |i| y.clone().map(move |j| (i, j)));
    plane.flat_map(move |(i, j)| z.clone().map(move |k| Vec3::new(i.into(), j.into(), k.into()) * 0.25))
}

/// What lengths of a pair are rounded to.
pub fn scale(a: &Solid, pose_a: &Pose, b: &Solid, pose_b: &Pose) -> f64 {
    let reach = (pose_a.point(&a.reference()) - pose_b.point(&b.reference())).norm();
    reach.max(a.outer_radius() + b.outer_radius())
}

/// Worst errors over a family of pairs, relative to the pair's scale.
#[derive(Debug, Default)]
pub struct Tally {
    pub pairs: usize,
    pub overlapping: usize,
    value: f64,
    certificate: f64,
    normal: f64,
    identity: f64,
    surface: f64,
    beaten: f64,
    iterations: u32,
}

/// Errors of one answer, metres.
#[derive(Default)]
pub struct Errors {
    /// What lengths of the pair are rounded to, and the coordinates of points in the world.
    pub size: f64,
    pub rounding: f64,
    /// Of the value, and of the support gap of the normal.
    pub value: f64,
    pub normal: f64,
    /// How far the points are from the surfaces.
    pub surface: [f64; 2],
    /// How far another normal beats the upper bound.
    pub beaten: f64,
}

/// Largest errors allowed, relative to the pair's scale.
pub struct Limits {
    pub certificate: f64,
    pub normal: f64,
    pub surface: f64,
    pub beaten: f64,
}

impl Tally {
    pub fn note<const D: usize>(&mut self, answer: &EuclideanIn<D>, errors: Errors) {
        assert!(answer.lower <= answer.distance && answer.distance <= answer.upper, "{answer:?}");
        assert!((answer.normal.norm() - 1.0).abs() < 1e-14, "{answer:?}");
        self.pairs += 1;
        self.overlapping += usize::from(answer.distance < 0.0);
        self.iterations = self.iterations.max(answer.iterations);
        let identity = (answer.point_a - answer.point_b - answer.distance * answer.normal).norm();
        let off = errors.surface[0].abs().max(errors.surface[1].abs());
        assert!(off.is_finite() && errors.surface.iter().all(|e| e.is_finite()), "{answer:?}");
        for (slot, error) in [
            (&mut self.value, errors.value.abs()),
            (&mut self.certificate, answer.certificate_gap()),
            (&mut self.normal, errors.normal.abs()),
            (&mut self.identity, identity - errors.rounding),
            (&mut self.surface, off - errors.rounding),
            (&mut self.beaten, errors.beaten),
        ] {
            assert!(error.is_finite(), "{answer:?}");
            *slot = slot.max(error / errors.size);
        }
    }

    pub fn check(&self, name: &str, limits: Limits) {
        println!("{name}: {self:?}");
        let fine = self.value <= 5e-14 && self.identity <= 1e-14 && self.certificate <= limits.certificate;
        let fine = fine && self.normal <= limits.normal && self.surface <= limits.surface;
        assert!(fine && self.beaten <= limits.beaten, "{name}: {self:?}");
    }
}
