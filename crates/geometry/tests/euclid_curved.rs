//! Distance and depth of curved bodies. Each answer is checked from both sides without the solver: the support
//! gap of its normal proves the lower bound; apart, its two points (which must lie on the bodies) prove the
//! upper one; overlapping, no normal of a dense sample, climbed to its peak, may beat the upper bound.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::print_stdout)]

mod euclid_common;

use euclid_common::*;
use nalgebra::Rotation3;
use percussion_geometry::euclid::{Euclidean, euclidean};
use percussion_geometry::separation::QueryError;
use percussion_geometry::shapes::{Capsule, Cone, Cylinder, Ellipsoid, HalfSpace, Solid, Sphere};
use percussion_geometry::{Pose, Vec3};

fn sphere(r: f64) -> Solid {
    Solid::Sphere(Sphere::new(r).unwrap())
}
fn capsule(h: f64, r: f64) -> Solid {
    Solid::Capsule(Capsule::new(h, r).unwrap())
}
fn cylinder(h: f64, r: f64) -> Solid {
    Solid::Cylinder(Cylinder::new(h, r).unwrap())
}
fn cone(h: f64, r: f64) -> Solid {
    Solid::Cone(Cone::new(h, r).unwrap())
}
fn ellipsoid(x: f64, y: f64, z: f64) -> Solid {
    Solid::Ellipsoid(Ellipsoid::new(Vec3::new(x, y, z)).unwrap())
}

fn any_solid(random: &mut Random, kind: usize) -> Solid {
    let mut size = || random.between(0.3, 1.5);
    let (a, b, c) = (size(), size(), size());
    match kind {
        0 => sphere(a),
        1 => capsule(a, b),
        2 => cylinder(a, b),
        3 => cone(a, b),
        4 => ellipsoid(a, b, c),
        _ => Solid::Polytope(any_polytope(random, Vec3::repeat(0.8))),
    }
}

/// How far a body point is outside (positive); zero on the surface.
fn outside(solid: &Solid, p: &Vec3) -> f64 {
    let across = p.xy().norm();
    match solid {
        Solid::Polytope(s) => {
            s.faces().iter().map(|f| f.normal.dot(p) - f.offset).fold(f64::NEG_INFINITY, f64::max)
        }
        Solid::Sphere(s) => p.norm() - s.radius(),
        Solid::Capsule(s) => {
            let nearest = Vec3::new(0.0, 0.0, p.z.clamp(-s.half_length(), s.half_length()));
            (p - nearest).norm() - s.radius()
        }
        Solid::Cylinder(s) => (p.z.abs() - s.half_height()).max(across - s.radius()),
        Solid::Cone(s) => {
            let (h, r) = (s.height(), s.radius());
            let slant = (across * h + (p.z - 0.75 * h) * r) / r.hypot(h);
            slant.max(-0.25 * h - p.z)
        }
        Solid::Ellipsoid(s) => {
            let q = p.component_div(&s.semi_axes());
            let gradient = q.component_div(&s.semi_axes()).norm();
            (q.norm_squared() - 1.0) / (2.0 * gradient)
        }
        Solid::HalfSpace(s) => s.normal().dot(p) - s.offset(),
    }
}

/// The support gap of a unit normal, from the shapes' own supports.
fn gap(a: &Solid, pose_a: &Pose, b: &Solid, pose_b: &Pose, n: &Vec3) -> f64 {
    let x = pose_a.direction(&a.support(&pose_a.inverse_direction(&-n)).unwrap());
    let y = pose_b.direction(&b.support(&pose_b.inverse_direction(n)).unwrap());
    n.dot(&(pose_a.position - pose_b.position)) + n.dot(&x) - n.dot(&y)
}

/// Largest support gap over a spiral of normals, the best few climbed by shrinking steps.
fn sampled(a: &Solid, pose_a: &Pose, b: &Solid, pose_b: &Pose) -> f64 {
    let h = |n: &Vec3| gap(a, pose_a, b, pose_b, n);
    let count = 3000;
    let mut samples: Vec<(f64, Vec3)> = (0..count)
        .map(|k| {
            let z = 1.0 - 2.0 * (k as f64 + 0.5) / count as f64;
            let angle = 2.399963229728653 * k as f64;
            let n = Vec3::new((1.0 - z * z).sqrt() * angle.cos(), (1.0 - z * z).sqrt() * angle.sin(), z);
            (h(&n), n)
        })
        .collect();
    samples.sort_by(|s, t| t.0.total_cmp(&s.0));
    let mut best = f64::NEG_INFINITY;
    for (mut value, mut n) in samples.into_iter().take(5) {
        let mut step = 0.05;
        while step > 1e-9 {
            let u = n.cross(&if n.x.abs() < 0.6 { Vec3::x() } else { Vec3::y() }).normalize();
            let v = n.cross(&u);
            let mut moved = false;
            for k in 0..8 {
                let angle = std::f64::consts::FRAC_PI_4 * f64::from(k);
                let next = (n + step * (angle.cos() * u + angle.sin() * v)).normalize();
                if h(&next) > value {
                    (value, n, moved) = (h(&next), next, true);
                }
            }
            step = if moved { step } else { 0.5 * step };
        }
        best = best.max(value);
    }
    best
}

#[derive(Debug, Default)]
struct Tally {
    pairs: usize,
    overlapping: usize,
    certificate: f64,
    lower: f64,
    surface: f64,
    identity: f64,
    beaten: f64,
    iterations: u32,
}

impl Tally {
    fn add(&mut self, a: &Solid, pose_a: &Pose, b: &Solid, pose_b: &Pose, sample: bool) -> Euclidean {
        let answer = euclidean(a, pose_a, b, pose_b).unwrap();
        let size = scale(a, pose_a, b, pose_b);
        let worst = |slot: &mut f64, error: f64| {
            assert!(error.is_finite(), "{answer:?}");
            *slot = slot.max(error / size);
        };
        self.pairs += 1;
        self.overlapping += usize::from(answer.distance < 0.0);
        self.iterations = self.iterations.max(answer.iterations);
        assert!((answer.normal.norm() - 1.0).abs() < 1e-14);
        assert!(answer.lower <= answer.distance && answer.distance <= answer.upper);
        worst(&mut self.certificate, answer.certificate_gap());
        worst(&mut self.lower, (gap(a, pose_a, b, pose_b, &answer.normal) - answer.lower).abs());
        worst(&mut self.surface, outside(a, &pose_a.inverse_point(&answer.point_a)).abs());
        worst(&mut self.surface, outside(b, &pose_b.inverse_point(&answer.point_b)).abs());
        let identity = answer.point_a - answer.point_b - answer.distance * answer.normal;
        worst(&mut self.identity, identity.norm());
        if answer.distance < 0.0 && sample {
            worst(&mut self.beaten, (sampled(a, pose_a, b, pose_b) - answer.upper).max(0.0));
        }
        answer
    }

    fn check(&self, name: &str, certificate: f64, surface: f64) {
        println!("{name}: {self:?}");
        assert!(self.certificate <= certificate, "{name}: {self:?}");
        assert!(self.lower <= 1e-14, "{name}: {self:?}");
        assert!(self.surface <= surface, "{name}: {self:?}");
        assert!(self.identity <= 1e-14, "{name}: {self:?}");
        assert!(self.beaten <= 1e-13, "{name}: {self:?}");
    }
}

#[test]
fn every_pair_of_kinds_proves_its_distance() {
    let mut random = Random(21);
    for kind_a in 0..6 {
        for kind_b in 0..=kind_a {
            let mut tally = Tally::default();
            for _ in 0..150 {
                let (a, b) = (any_solid(&mut random, kind_a), any_solid(&mut random, kind_b));
                let apart = random.between(1.0, 1.6) * (a.outer_radius() + b.outer_radius());
                let pose_a = Pose::new(random.rotation(), random.unit() * apart);
                let pose_b = Pose::new(random.rotation(), Vec3::zeros());
                tally.add(&a, &pose_a, &b, &pose_b, false);
            }
            assert!(tally.overlapping == 0);
            tally.check(&format!("apart {kind_a}-{kind_b}"), 1e-10, 1e-9);
        }
    }
}

#[test]
fn every_pair_of_kinds_proves_its_depth() {
    let mut random = Random(22);
    for kind_a in 0..6 {
        for kind_b in 0..=kind_a {
            let mut tally = Tally::default();
            for _ in 0..40 {
                let (a, b) = (any_solid(&mut random, kind_a), any_solid(&mut random, kind_b));
                let near = random.between(0.0, 0.8) * (a.inner_radius() + b.inner_radius());
                let pose_a = Pose::new(random.rotation(), random.unit() * near);
                let pose_b = Pose::new(random.rotation(), Vec3::zeros());
                tally.add(&a, &pose_a, &b, &pose_b, true);
            }
            tally.check(&format!("overlap {kind_a}-{kind_b}"), 1e-10, 1e-9);
        }
    }
}
