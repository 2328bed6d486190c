//! Small curved bodies at the corners and edges of large ones, on lines through corners: the faces of the Minkowski
//! difference there are tiny, far out, or met in a single point.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::print_stdout)]

mod common;
#[path = "common/families.rs"]
mod families;

use common::{Random, ask, capsule, cone, cylinder, ellipsoid, sphere, support_height};
use families::{hull, solid};
use percussion_geometry::separation::Outcome;
use percussion_geometry::shapes::{Polytope, Solid};
use percussion_geometry::{Pose, Vec3};

/// A curved body of about the given size.
fn curved(kind: usize, r: f64) -> Solid {
    match kind {
        0 => sphere(r),
        1 => ellipsoid(r, 0.4 * r, 0.3 * r),
        2 => capsule(r, 0.3 * r),
        3 => cylinder(r, 0.5 * r),
        _ => cone(r, 0.5 * r),
    }
}

/// A corner of the body, or a point of an edge, relative to its reference point.
fn spot(random: &mut Random, p: &Polytope) -> Vec3 {
    let ends = p.edges()[random.below(p.edges().len())].vertices.map(|k| p.vertices()[k as usize]);
    let share = if random.below(2) == 0 { 0.0 } else { 0.5 };
    ends[0] + (ends[1] - ends[0]) * share - p.reference()
}

#[test]
fn small_curved_bodies_at_corners_carry_their_certificates() {
    let mut random = Random(121);
    let (mut widest, mut most) = (0.0f64, 0);
    for round in 0..40_000 {
        let r = 10f64.powf(-6.0 * random.uniform().abs());
        let a = if round % 2 == 0 { hull(&mut random) } else { solid(&mut random) };
        let b = curved(random.below(5), r);
        let out = spot(&mut random, &a);
        let pa = Pose::new(random.rotation(), random.direction());
        let at = pa.point(&(a.reference() + out * (0.5 + random.uniform().abs())));
        let pb = Pose::new(random.rotation(), at + random.direction() * r * 0.5);
        let beta = (random.below(3) == 0).then(|| -pa.direction(&out));
        let size = a.outer_radius() + b.outer_radius();
        let a = Solid::Polytope(a);
        let found = ask(&a, &pa, &b, &pb, beta);
        if found.outcome != Outcome::Solved {
            continue;
        }
        let slope = found.alpha.norm();
        let height = |s: &Solid, p: &Pose, n: Vec3| support_height(s, p, &pb.position, &n);
        let planes = -height(&a, &pa, -found.alpha) - height(&b, &pb, found.alpha);
        let gap = found.certificate_gap() / size / slope.max(1.0);
        assert!(
            (planes - found.separation).abs() <= found.certificate_gap() + 1e-13 * size * slope,
            "{found:?}"
        );
        assert!(gap <= 1e-11, "{round}: {b:?} {found:?}");
        widest = widest.max(gap);
        most = most.max(found.iterations);
    }
    println!("certificate at most {widest:.1e} of size and slope, at most {most} support evaluations");
}

#[test]
fn answers_name_real_vertices_where_the_line_meets_a_corner() {
    let mut random = Random(122);
    for round in 0..20_000 {
        let p = if round % 2 == 0 { hull(&mut random) } else { solid(&mut random) };
        let out = spot(&mut random, &p);
        let turn = if round % 3 == 0 { nalgebra::Rotation3::identity() } else { random.rotation() };
        let b = if round % 5 == 4 { Solid::Polytope(solid(&mut random)) } else { curved(round % 5, 0.5) };
        let pa = Pose::new(turn, -(turn * out) * 1.7 - turn * p.reference());
        let beta = (random.below(3) == 0).then(|| -(turn * out));
        let count = p.vertices().len() as u32;
        let a = Solid::Polytope(p);
        let found = ask(&a, &pa, &b, &Pose::identity(), beta);
        if found.outcome == Outcome::Solved {
            assert!(found.basis.iter().all(|pair| pair[0] < count), "{found:?}");
            let total: f64 = found.weights_a().map(|(_, weight)| weight).sum();
            assert!((total - 1.0).abs() < 1e-14, "{found:?}");
        }
    }
}
