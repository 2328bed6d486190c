//! Curved bodies between polytopes that they hold and polytopes that hold them.
//!
//! If `I ⊂ K ⊂ O` have the same reference point, `s(I) >= s(K) >= s(O)`. The inner hull is made of support points,
//! the outer one of supporting planes, at directions all around and, more densely, about the normal of the answer:
//! wherever the directions are, the bounds hold; where they are dense, the bounds are close.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::print_stdout)]

mod common;

use common::{Random, any_solid, ask, sphere};
use percussion_geometry::shapes::{Polytope, Solid};
use percussion_geometry::{Pose, Vec3};

/// Directions all around, and about `n` at the given angles.
fn directions(n: &Vec3, angles: &[f64]) -> Vec<Vec3> {
    let mut out: Vec<Vec3> =
        Polytope::rounded(60, 1.0).unwrap().vertices().iter().map(|v| v.normalize()).collect();
    let u = n.cross(&if n.x.abs() < 0.5 { Vec3::x() } else { Vec3::y() }).normalize();
    let v = n.cross(&u);
    for angle in angles {
        for k in 0..8 {
            let (sin, cos) = (0.3 + k as f64 / 8.0 * std::f64::consts::TAU).sin_cos();
            out.push((n + (u * cos + v * sin) * *angle).normalize());
        }
    }
    out.push(*n);
    out
}

/// Polytopes inside and outside a solid, with its reference point. A polytope is its own hull.
fn hulls(solid: &Solid, n: &Vec3) -> [Polytope; 2] {
    if let Solid::Polytope(p) = solid {
        return [p.clone(), p.clone()];
    }
    let directions = directions(n, &[0.4, 0.1, 0.02]);
    let points: Vec<Vec3> = directions.iter().map(|d| solid.support(d).unwrap()).collect();
    let planes: Vec<(Vec3, f64)> = directions.iter().zip(&points).map(|(d, p)| (*d, d.dot(p))).collect();
    let inner = Polytope::from_vertices(&points).unwrap();
    let outer = Polytope::from_half_spaces(&planes).unwrap();
    [inner, outer].map(|p| p.with_reference(solid.reference()).unwrap())
}

#[test]
fn curved_pairs_lie_between_their_inner_and_outer_hulls() {
    let mut random = Random(111);
    let (mut widest, mut total, mut count) = (0.0f64, 0.0, 0);
    for kind_a in 0..6 {
        for kind_b in 0..5 {
            for _ in 0..40 {
                let (a, b) = (any_solid(&mut random, kind_a), any_solid(&mut random, kind_b));
                let size = a.outer_radius() + b.outer_radius();
                let pa =
                    Pose::new(random.rotation(), random.direction() * size * (0.2 + random.uniform().abs()));
                let pb = Pose::new(random.rotation(), Vec3::zeros());
                let ask = |a: &Solid, b: &Solid| ask(a, &pa, b, &pb, None);
                let answer = ask(&a, &b);
                let n = answer.normal();
                let [inner_a, outer_a] = hulls(&a, &pa.inverse_direction(&-n)).map(Solid::Polytope);
                let [inner_b, outer_b] = hulls(&b, &pb.inverse_direction(&n)).map(Solid::Polytope);
                let (above, below) = (ask(&inner_a, &inner_b).separation, ask(&outer_a, &outer_b).separation);
                // Hulls are exact to the tolerance of their construction.
                let slack = 1e-9 * size * answer.alpha.norm();
                let s = answer.separation;
                assert!(below <= s + slack && s <= above + slack, "{below} {s} {above} {a:?} {b:?}");
                let width = (above - below) / size;
                widest = widest.max(width);
                total += width;
                count += 1;
            }
        }
    }
    println!("bracket at most {widest:.1e} of size, mean {:.1e}, over {count} pairs", total / count as f64);
    // A bracket that does not close would prove nothing.
    assert!(widest < 1e-3 && total / (count as f64) < 1e-4, "{widest} {}", total / count as f64);
}

#[test]
fn a_ball_is_the_limit_of_its_hulls() {
    // The bracket closes as the number of directions grows, on the closed form.
    let ball = sphere(1.0);
    let at = Pose::at(Vec3::new(1.3, 1.7, 0.9));
    let exact = at.position.norm() - 2.0;
    let mut last = f64::INFINITY;
    for count in [20, 80, 320] {
        let round = Polytope::rounded(count, 1.0).unwrap();
        let normals: Vec<Vec3> = round.vertices().iter().map(|v| v.normalize()).collect();
        let inner = Polytope::from_vertices(&normals).unwrap().with_reference(Vec3::zeros()).unwrap();
        let planes: Vec<(Vec3, f64)> = normals.iter().map(|n| (*n, 1.0)).collect();
        let outer = Polytope::from_half_spaces(&planes).unwrap().with_reference(Vec3::zeros()).unwrap();
        let from = |p: Polytope| ask(&Solid::Polytope(p), &at, &ball, &Pose::identity(), None).separation;
        let (above, below) = (from(inner), from(outer));
        assert!(below <= exact + 1e-12 && exact <= above + 1e-12);
        assert!(above - below < 0.6 * last);
        last = above - below;
    }
    assert!(last < 0.03, "{last}");
}
