//! Named families of pairs, in space and in the plane: generic ones and every degeneracy that engineering scenes are
//! full of.
#![allow(dead_code)]

use super::common::{Random, ask_planar, body, cuboid, lattice, prism, scaled, solve};
use nalgebra::Rotation3;
use percussion_geometry::shapes::{PlanarShape, Polygon, Polytope};
use percussion_geometry::{PlanarPose, Pose, Vec2, Vec3};

/// Two placed bodies.
pub struct Pair {
    pub a: Polytope,
    pub pose_a: Pose,
    pub b: Polytope,
    pub pose_b: Pose,
}

/// Two placed polygons.
pub struct PlanarPair {
    pub a: Polygon,
    pub pose_a: PlanarPose,
    pub b: Polygon,
    pub pose_b: PlanarPose,
}

/// Families in space.
pub const FAMILIES: [&str; 14] = [
    "random hulls",
    "solids",
    "aligned boxes",
    "turned together",
    "touching",
    "edge-parallel",
    "corner-corner",
    "needles",
    "flakes",
    "size ratio 1e6",
    "far from the origin",
    "nearly concentric",
    "lattice tetrahedra",
    "dots at corners",
];

/// Families in the plane.
pub const PLANAR_FAMILIES: [&str; 10] = [
    "random polygons",
    "regular polygons",
    "aligned rectangles",
    "turned together",
    "touching",
    "slivers",
    "size ratio 1e6",
    "far from the origin",
    "nearly concentric",
    "dots at corners",
];

/// The hull of 4 to 32 random points: in a ball, on a sphere, or squeezed along an axis.
pub fn hull(random: &mut Random) -> Polytope {
    loop {
        let count = 4 + random.below(29);
        let kind = random.below(3);
        let points: Vec<Vec3> = (0..count)
            .map(|_| {
                let p = random.direction();
                match kind {
                    0 => p * (0.2 + 0.8 * random.uniform().abs()),
                    1 => p,
                    _ => p.component_mul(&Vec3::new(1.0, 0.6, 0.3)),
                }
            })
            .collect();
        // Four or five random points may be too thin to be called a generic body.
        if let Ok(hull) = Polytope::from_vertices(&points)
            && hull.inner_radius() > 0.02
        {
            return hull;
        }
    }
}

/// A parametrised solid.
pub fn solid(random: &mut Random) -> Polytope {
    let mut length = || 0.3 + 0.4 * (random.uniform() + 1.0);
    let (p, q, r) = (length(), length(), length());
    let sides = 3 + random.below(10);
    match random.below(10) {
        0 => Polytope::cuboid(p, q, r),
        1 => Polytope::prism(sides, p, q),
        2 => Polytope::antiprism(sides, p, q),
        3 => Polytope::pyramid(p, q, r),
        4 => Polytope::regular_pyramid(sides, p, q),
        5 => Polytope::wedge(p, q, r),
        6 => Polytope::tetrahedron(p),
        7 => Polytope::octahedron(p),
        8 => Polytope::icosahedron(p),
        _ => Polytope::dodecahedron(p / 2.0),
    }
    .unwrap()
}

fn place(random: &mut Random, reach: f64) -> Pose {
    Pose::new(random.rotation(), random.direction() * reach * (0.3 + random.uniform().abs()))
}

/// A random pair of the named family.
pub fn pair(name: &str, random: &mut Random) -> Pair {
    let new = |a, pose_a, b, pose_b| Pair { a, pose_a, b, pose_b };
    match name {
        "random hulls" => new(hull(random), place(random, 1.2), hull(random), place(random, 1.2)),
        "solids" => new(solid(random), place(random, 0.8), solid(random), place(random, 0.8)),
        "aligned boxes" => {
            let (a, mut pa, b, pb) = lattice::boxes(random);
            // Concentric pairs have no line of centres.
            if pa.position == pb.position {
                pa.position.z += 0.25;
            }
            new(a, pa, b, pb)
        }
        "turned together" => {
            // The lattice turned as a whole: coincidences up to rounding.
            let p = pair("aligned boxes", random);
            let turn = random.rotation();
            let turned = |q: Pose| Pose::new(turn * q.rotation, turn * q.position);
            Pair { pose_a: turned(p.pose_a), pose_b: turned(p.pose_b), ..p }
        }
        "touching" => {
            let mut p = pair(["random hulls", "solids"][random.below(2)], random);
            let found = solve(&p.a, &p.pose_a, &p.b, &p.pose_b);
            p.pose_a.position -= found.beta * found.separation;
            p
        }
        "edge-parallel" => {
            // Prisms with one common axis direction.
            let turn = random.rotation();
            let along = turn * Vec3::z();
            let spin = |r: &mut Random| Rotation3::new(along * 3.0 * r.uniform()) * turn;
            let a = prism(3 + random.below(6), Vec3::new(0.5, 0.5, 1.0));
            let b = prism(3 + random.below(6), Vec3::new(0.7, 0.7, 0.5));
            let at = random.direction() * 1.2 * random.uniform();
            new(a, Pose::new(spin(random), at), b, Pose::new(spin(random), Vec3::zeros()))
        }
        "corner-corner" => {
            let (a, pa, b, pb) = lattice::tips(random);
            new(a, pa, b, pb)
        }
        "needles" | "flakes" => {
            let thin = |r: &mut Random| 10f64.powf(-3.0 * r.uniform().abs());
            let size = |t: f64| if name == "needles" { Vec3::new(t, t, 1.0) } else { Vec3::new(1.0, 1.0, t) };
            let (p, q) = (size(thin(random)), size(thin(random)));
            new(prism(3 + random.below(5), p), place(random, 0.5), cuboid(q), place(random, 0.5))
        }
        "size ratio 1e6" => {
            let p = pair(["random hulls", "aligned boxes"][random.below(2)], random);
            Pair { b: scaled(&p.b, 1e-6), ..p }
        }
        "far from the origin" => {
            let mut p = pair(["random hulls", "aligned boxes", "touching"][random.below(3)], random);
            let far = Vec3::new(1e6, -3e6, 2e6);
            p.pose_a.position += far;
            p.pose_b.position += far;
            p
        }
        "nearly concentric" => {
            // The line of centres is far shorter than the bodies.
            let (a, b) = (body(random), body(random));
            let centred =
                |p: &Polytope, turn: Rotation3<f64>, at: Vec3| Pose::new(turn, at - turn * p.reference());
            let shift = random.direction() * 10f64.powf(-3.0 * random.uniform().abs());
            let (pa, pb) =
                (centred(&a, random.rotation(), shift), centred(&b, random.rotation(), Vec3::zeros()));
            new(a, pa, b, pb)
        }
        "lattice tetrahedra" => loop {
            let (a, pa, b, pb) = lattice::tetrahedra(random);
            if (pa.position + a.reference() - b.reference()).norm() > 1e-3 {
                break new(a, pa, b, pb);
            }
        },
        "dots at corners" => dot_at_corner(random),
        _ => unreachable!("no such family"),
    }
}

/// Puts a body shrunk by up to a million where a corner or an edge of the other is in the way: the faces of the
/// Minkowski difference there are as small as the body, and as far out as the other is large.
fn dot_at_corner(random: &mut Random) -> Pair {
    let p = pair("random hulls", random);
    let factor = 10f64.powf(-6.0 * random.uniform().abs());
    let b = scaled(&p.b, factor);
    let ends = p.a.edges()[random.below(p.a.edges().len())].vertices.map(|k| p.a.vertices()[k as usize]);
    let share = if random.below(2) == 0 { 0.0 } else { random.uniform().abs() };
    let spot = ends[0] + (ends[1] - ends[0]) * share;
    let c = p.a.reference();
    let at = p.pose_a.point(&(c + (spot - c) * (0.5 + random.uniform().abs())));
    let turn = p.pose_b.rotation;
    let position = at - turn * b.reference() + random.direction() * factor * 0.5;
    let pose_b = Pose::new(turn, position);
    // Either may be the small one.
    if random.below(2) == 0 {
        Pair { a: p.a, pose_a: p.pose_a, b, pose_b }
    } else {
        Pair { a: b, pose_a: pose_b, b: p.a, pose_b: p.pose_a }
    }
}

/// The hull of 3 to 32 random points.
pub fn polygon(random: &mut Random) -> Polygon {
    loop {
        let count = 3 + random.below(30);
        let round = random.below(2) == 0;
        let points: Vec<Vec2> = (0..count)
            .map(|_| {
                let (sin, cos) = (random.uniform() * std::f64::consts::PI).sin_cos();
                Vec2::new(cos, sin) * if round { 1.0 } else { random.uniform().abs() }
            })
            .collect();
        if let Ok(hull) = Polygon::from_vertices(&points)
            && hull.inner_radius() > 0.02
        {
            return hull;
        }
    }
}

fn planar_place(random: &mut Random, reach: f64) -> PlanarPose {
    PlanarPose::new(random.uniform() * 3.2, Vec2::new(random.uniform(), random.uniform()) * reach)
}

/// A random pair of the named planar family.
pub fn planar_pair(name: &str, random: &mut Random) -> PlanarPair {
    let new = |a, pose_a, b, pose_b| PlanarPair { a, pose_a, b, pose_b };
    match name {
        "random polygons" => {
            new(polygon(random), planar_place(random, 1.5), polygon(random), planar_place(random, 1.0))
        }
        "regular polygons" => {
            let regular = |r: &mut Random| {
                let sides = 3 + r.below(10);
                Polygon::regular(sides, 0.3 + 0.7 * r.uniform().abs()).unwrap()
            };
            new(regular(random), planar_place(random, 1.5), regular(random), planar_place(random, 0.5))
        }
        "aligned rectangles" => {
            let rectangle = |r: &mut Random| {
                Polygon::rectangle(0.5 * (1 + r.below(3)) as f64, 0.5 * (1 + r.below(4)) as f64).unwrap()
            };
            let (a, b) = (rectangle(random), rectangle(random));
            let (mut pa, pb): (Vec2, Vec2) = (lattice::point(random, 8), lattice::point(random, 8));
            if pa == pb {
                pa.x += 0.25;
            }
            new(a, PlanarPose::at(pa), b, PlanarPose::at(pb))
        }
        "turned together" => {
            let p = planar_pair("aligned rectangles", random);
            let turn = nalgebra::Rotation2::new(3.0 * random.uniform());
            let turned = |q: PlanarPose| PlanarPose { rotation: turn, position: turn * q.position };
            PlanarPair { pose_a: turned(p.pose_a), pose_b: turned(p.pose_b), ..p }
        }
        "touching" => {
            let mut p = planar_pair(["random polygons", "regular polygons"][random.below(2)], random);
            let (a, b) = (PlanarShape::Polygon(p.a.clone()), PlanarShape::Polygon(p.b.clone()));
            let found = ask_planar(&a, &p.pose_a, &b, &p.pose_b, None);
            p.pose_a.position -= found.beta * found.separation;
            p
        }
        "slivers" => {
            let thin = |r: &mut Random| 10f64.powf(-3.0 * r.uniform().abs());
            let a = Polygon::triangle(thin(random), 1.0).unwrap();
            let b = Polygon::rectangle(1.0, thin(random)).unwrap();
            new(a, planar_place(random, 0.7), b, planar_place(random, 0.2))
        }
        "size ratio 1e6" => {
            let p = planar_pair("random polygons", random);
            let small = p.b.vertices().iter().map(|v| v * 1e-6).collect();
            PlanarPair { b: Polygon::from_loop(small).unwrap(), ..p }
        }
        "far from the origin" => {
            let mut p = planar_pair(PLANAR_FAMILIES[random.below(5)], random);
            let far = Vec2::new(1e6, -2e6);
            p.pose_a.position += far;
            p.pose_b.position += far;
            p
        }
        "nearly concentric" => {
            let mut p = planar_pair("random polygons", random);
            let (sin, cos) = (3.2 * random.uniform()).sin_cos();
            let shift = Vec2::new(cos, sin) * 10f64.powf(-3.0 * random.uniform().abs());
            p.pose_a.position = shift - p.pose_a.rotation * p.a.reference();
            p.pose_b.position = -(p.pose_b.rotation * p.b.reference());
            p
        }
        "dots at corners" => {
            let mut p = planar_pair("random polygons", random);
            let factor = 10f64.powf(-6.0 * random.uniform().abs());
            p.b = Polygon::from_loop(p.b.vertices().iter().map(|v| v * factor).collect()).unwrap();
            let (corner, c) = (p.a.vertices()[random.below(p.a.vertices().len())], p.a.reference());
            let at = p.pose_a.point(&(c + (corner - c) * (0.5 + random.uniform().abs())));
            let offset = Vec2::new(random.uniform(), random.uniform()) * factor * 0.5;
            p.pose_b.position = at - p.pose_b.rotation * p.b.reference() + offset;
            p
        }
        _ => unreachable!("no such family"),
    }
}
