//! Mass properties against closed forms, quadrature, cuts, rotations and an independent library.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod shapes_common;

use nalgebra::Matrix3;
use parry3d_f64::shape as parry;
use percussion_geometry::shapes::{
    Capsule, Circle, Compound, Cone, Cylinder, Ellipse, Ellipsoid, HalfPlane, HalfSpace, PlanarCompound,
    PlanarShape, Polygon, Polytope, Solid, Sphere,
};
use percussion_geometry::{MassProperties, PlanarPose, Pose, ShapeError, Vec2, Vec3};
use percussion_testing::Random;
use shapes_common::polytope;

fn assert_close(a: &MassProperties, b: &MassProperties, tolerance: f64, what: &str) {
    let size = (b.inertia.norm() / b.volume).sqrt();
    assert!((a.volume - b.volume).abs() <= tolerance * b.volume, "{what}: {} {}", a.volume, b.volume);
    assert!(
        (a.centroid - b.centroid).norm() <= tolerance * (size + b.centroid.norm()),
        "{what}: {} {}",
        a.centroid,
        b.centroid
    );
    assert!(
        (a.inertia - b.inertia).norm() <= tolerance * b.inertia.norm(),
        "{what}: {} {}",
        a.inertia,
        b.inertia
    );
}

/// Volume, centroid and inertia by the four-point rule, exact for quadratics, on the tetrahedra that join an
/// interior point to the faces: another formula than the one under test.
fn by_quadrature(body: &Polytope) -> MassProperties {
    let (near, far) = ((5.0 - 5f64.sqrt()) / 20.0, (5.0 + 3.0 * 5f64.sqrt()) / 20.0);
    let apex = body.reference() + Vec3::new(0.1, -0.2, 0.15) * body.inner_radius();
    let mut nodes = Vec::new();
    for face in body.faces() {
        let corners: Vec<Vec3> = body.face_loop(face).iter().map(|&v| body.vertices()[v as usize]).collect();
        for k in 1..corners.len() - 1 {
            let tetrahedron = [apex, corners[0], corners[k], corners[k + 1]];
            let [o, a, b, c] = tetrahedron;
            let volume = Matrix3::from_columns(&[a - o, b - o, c - o]).determinant() / 6.0;
            for node in 0..4 {
                let point: Vec3 = (0..4).map(|j| tetrahedron[j] * if j == node { far } else { near }).sum();
                nodes.push((volume / 4.0, point));
            }
        }
    }
    by_nodes(&nodes)
}

fn by_nodes(nodes: &[(f64, Vec3)]) -> MassProperties {
    let volume: f64 = nodes.iter().map(|n| n.0).sum();
    let centroid = nodes.iter().map(|n| n.1 * n.0).sum::<Vec3>() / volume;
    let mut inertia = Matrix3::zeros();
    for (weight, point) in nodes {
        let r = point - centroid;
        inertia += (Matrix3::identity() * r.dot(&r) - r * r.transpose()) * *weight;
    }
    MassProperties { volume, centroid, inertia }
}

/// From, to, and the radius between.
type Slab<'a> = (f64, f64, &'a dyn Fn(f64) -> f64);

/// A body of revolution about z from its radius, by Gauss's rule of four points on many slices: exact for the
/// quartics that cones, cylinders and balls make of it.
fn by_slices(pieces: &[Slab]) -> MassProperties {
    let gauss = [(0.3399810435848563, 0.6521451548625461), (0.8611363115940526, 0.3478548451374538)];
    let (mut volume, mut first, mut along, mut across) = (0.0, 0.0, 0.0, 0.0);
    for (from, to, radius) in pieces {
        let slices = 64;
        let half = (to - from) / (2 * slices) as f64;
        for slice in 0..slices {
            let middle = from + half * (2 * slice + 1) as f64;
            for (x, w) in gauss.iter().flat_map(|&(x, w)| [(x, w), (-x, w)]) {
                let z = middle + half * x;
                let square = radius(z).powi(2);
                let disc = std::f64::consts::PI * square * w * half;
                volume += disc;
                first += disc * z;
                along += disc * z * z;
                across += disc * square / 4.0;
            }
        }
    }
    let centre = first / volume;
    along -= volume * centre * centre;
    let inertia = Matrix3::from_diagonal(&Vec3::new(across + along, across + along, 2.0 * across));
    MassProperties { volume, centroid: Vec3::new(0.0, 0.0, centre), inertia }
}

#[test]
fn a_box_has_the_textbook_inertia() {
    for scale in [1.0, 1e-6, 1e6] {
        let (a, b, c) = (1.0 * scale, 2.0 * scale, 3.0 * scale);
        let m = Polytope::cuboid(a, b, c).unwrap().mass_properties();
        let volume = a * b * c;
        let diagonal = Vec3::new(b * b + c * c, a * a + c * c, a * a + b * b) * (volume / 12.0);
        let expected =
            MassProperties { volume, centroid: Vec3::zeros(), inertia: Matrix3::from_diagonal(&diagonal) };
        assert_close(&m, &expected, 1e-14, "box");
        assert!((m.mass(7800.0) - 7800.0 * volume).abs() < 1e-9 * volume * 7800.0);
        assert_eq!(m.inertia_of_density(2.0), m.inertia * 2.0);
    }
}

#[test]
fn regular_solids_have_spherical_inertia() {
    let edge = 1.7f64;
    let golden = (1.0 + 5f64.sqrt()) / 2.0;
    let cases = [
        (Polytope::tetrahedron(edge).unwrap(), 1.0 / 20.0),
        (Polytope::octahedron(edge).unwrap(), 1.0 / 10.0),
        (Polytope::cube(edge).unwrap(), 1.0 / 6.0),
        (Polytope::icosahedron(edge).unwrap(), golden * golden / 10.0),
        (Polytope::dodecahedron(edge).unwrap(), (39.0 * golden + 28.0) / 150.0),
    ];
    for (body, factor) in cases {
        let m = body.mass_properties();
        let expected = MassProperties {
            volume: m.volume,
            centroid: Vec3::zeros(),
            inertia: Matrix3::identity() * (factor * m.volume * edge * edge),
        };
        assert_close(&m, &expected, 1e-13, "regular solid");
    }
}

#[test]
fn polytopes_agree_with_quadrature() {
    let mut random = Random::new(31);
    for _ in 0..300 {
        let body = polytope(&mut random);
        assert_close(&body.mass_properties(), &by_quadrature(&body), 1e-12, "random body");
    }
}

#[test]
fn curved_shapes_agree_with_slices_and_with_parry() {
    let (r, h) = (0.7f64, 1.3f64);
    let ball = |z: f64| (r * r - z * z).max(0.0).sqrt();
    let sphere = Solid::Sphere(Sphere::new(r).unwrap());
    let cylinder = Solid::Cylinder(Cylinder::new(h, r).unwrap());
    let capsule = Solid::Capsule(Capsule::new(h, r).unwrap());
    let cone = Solid::Cone(Cone::new(h, r).unwrap());
    let cases = [
        (&sphere, by_slices(&[(-r, r, &ball)]), Box::new(parry::Ball::new(r)) as Box<dyn parry::Shape>),
        (&cylinder, by_slices(&[(-h, h, &|_| r)]), Box::new(parry::Cylinder::new(h, r))),
        (
            &capsule,
            by_slices(&[(-h - r, -h, &|z| ball(z + h)), (-h, h, &|_| r), (h, h + r, &|z| ball(z - h))]),
            Box::new(parry::Capsule::new_y(h, r)),
        ),
        (
            &cone,
            by_slices(&[(-h / 4.0, 3.0 * h / 4.0, &|z| r * (0.75 - z / h))]),
            Box::new(parry::Cone::new(h / 2.0, r)),
        ),
    ];
    for (solid, slices, theirs) in cases {
        let m = solid.mass_properties().unwrap();
        assert_close(&m, &slices, 1e-12, "slices");
        let theirs = theirs.mass_properties(1.0);
        assert!((theirs.mass() - m.volume).abs() < 1e-12 * m.volume);
        // Their axis is y.
        let moments = theirs.principal_inertia();
        let mut mine = [m.inertia.m11, m.inertia.m22, m.inertia.m33];
        let mut other = [moments.x, moments.y, moments.z];
        mine.sort_by(f64::total_cmp);
        other.sort_by(f64::total_cmp);
        for k in 0..3 {
            assert!((mine[k] - other[k]).abs() < 1e-12 * mine[2], "{mine:?} {other:?}");
        }
    }
    assert!(Solid::HalfSpace(HalfSpace::new(Vec3::z(), 0.0).unwrap()).mass_properties().is_none());
}

#[test]
fn an_ellipsoid_is_a_stretched_ball() {
    let axes = Vec3::new(0.5, 1.0, 2.0);
    let m = Ellipsoid::new(axes).unwrap().mass_properties();
    let ball = Sphere::new(1.0).unwrap().mass_properties();
    // Second moments of the ball, stretched: S -> A S A det A.
    let second = Matrix3::identity() * (ball.inertia.trace() / 2.0) - ball.inertia;
    let stretch = Matrix3::from_diagonal(&axes);
    let s = stretch * second * stretch * axes.product();
    let inertia = Matrix3::identity() * s.trace() - s;
    let expected = MassProperties { volume: ball.volume * axes.product(), centroid: Vec3::zeros(), inertia };
    assert_close(&m, &expected, 1e-14, "ellipsoid");
}

#[test]
fn inertia_turns_and_shifts_as_a_tensor() {
    let mut random = Random::new(32);
    for _ in 0..200 {
        let body = polytope(&mut random);
        let pose = Pose::new(random.rotation(), random.vector() * 3.0);
        let moved: Vec<Vec3> = body.vertices().iter().map(|v| pose.point(v)).collect();
        let moved = Polytope::from_vertices(&moved).unwrap().mass_properties();
        let here = body.mass_properties();
        assert_close(&here.placed(&pose), &moved, 1e-12, "placed");
        // About another point: by quadrature of r² - r r^T about it.
        let point = random.vector();
        let d = here.centroid - point;
        let expected = here.inertia + (Matrix3::identity() * d.dot(&d) - d * d.transpose()) * here.volume;
        assert!((here.inertia_about(&point) - expected).norm() < 1e-13 * expected.norm());
    }
}

#[test]
fn parts_sum_to_the_whole() {
    let mut random = Random::new(33);
    for _ in 0..200 {
        let body = polytope(&mut random);
        let normal = random.direction();
        let offset = normal.dot(&body.reference());
        let lower = body.clipped(&normal, offset).unwrap().mass_properties();
        let upper = body.clipped(&-normal, -offset).unwrap().mass_properties();
        assert_close(&(lower + upper), &body.mass_properties(), 1e-12, "halves");
        let both: MassProperties = [lower, upper].into_iter().sum();
        assert_close(&both, &body.mass_properties(), 1e-12, "halves");
    }
    assert_eq!(std::iter::empty::<MassProperties>().sum::<MassProperties>(), MassProperties::zero());
}

#[test]
fn bodies_far_from_the_origin_keep_their_digits() {
    let mut random = Random::new(34);
    for _ in 0..50 {
        let body = polytope(&mut random);
        // A power of two, so that the shift itself rounds as little as it can.
        let shift = Vec3::new(65536.0, -65536.0, 131072.0);
        let points: Vec<Vec3> = body.vertices().iter().map(|v| v + shift).collect();
        let rounded: Vec<Vec3> = points.iter().map(|v| v - shift).collect();
        let far = Polytope::from_vertices(&points).unwrap().mass_properties();
        let near = Polytope::from_vertices(&rounded).unwrap().mass_properties();
        assert!((far.volume - near.volume).abs() < 1e-13 * near.volume.max(0.1));
        assert!((far.inertia - near.inertia).norm() < 1e-9 * near.inertia.norm(), "centroid rounds at 1e-11");
    }
}

#[test]
fn needles_and_flakes_keep_their_digits() {
    for (a, b, c) in [(1.0, 1e-6, 1e-6), (1.0, 1.0, 1e-6), (1e6, 1.0, 1e-3)] {
        let m = Polytope::cuboid(a, b, c).unwrap().mass_properties();
        let expected = Vec3::new(b * b + c * c, a * a + c * c, a * a + b * b) * (a * b * c / 12.0);
        for k in 0..3 {
            assert!(
                (m.inertia[(k, k)] - expected[k]).abs() < 1e-13 * expected[k],
                "each moment to its own digits"
            );
        }
    }
}

#[test]
fn principal_axes_diagonalise() {
    let mut random = Random::new(35);
    for round in 0..300 {
        let body =
            if round % 3 == 0 { Polytope::cuboid(1.0, 1.0, 2.0).unwrap() } else { polytope(&mut random) };
        let turned = body.mass_properties().placed(&Pose::new(random.rotation(), Vec3::zeros()));
        let principal = turned.principal();
        let axes = principal.axes.matrix();
        assert!((axes.determinant() - 1.0).abs() < 1e-13);
        assert!((axes * axes.transpose() - Matrix3::identity()).norm() < 1e-13);
        let diagonal = Matrix3::from_diagonal(&principal.moments);
        assert!((axes * diagonal * axes.transpose() - turned.inertia).norm() < 1e-13 * turned.inertia.norm());
        assert!(principal.moments.x <= principal.moments.y && principal.moments.y <= principal.moments.z);
        assert!(principal.moments.x + principal.moments.y >= principal.moments.z, "moments of a real body");
    }
    let own = Polytope::cuboid(3.0, 2.0, 1.0).unwrap().mass_properties().principal();
    assert_eq!(own.axes.matrix(), &Matrix3::identity(), "a box sorted by length keeps its own axes");
}

#[test]
fn a_compound_is_the_sum_of_its_placed_parts() {
    let mut random = Random::new(36);
    let pose = Pose::new(random.rotation(), random.vector());
    // A box in two pieces, each in its own frame.
    let half = Polytope::cuboid(0.5, 2.0, 3.0).unwrap();
    let at = |x: f64| Pose::new(nalgebra::Rotation3::identity(), Vec3::new(x, 0.0, 0.0));
    let parts = vec![
        (pose.then(&at(-0.25)), Solid::Polytope(half.clone())),
        (pose.then(&at(0.25)), Solid::Polytope(half)),
    ];
    let compound = Compound::new(parts).unwrap();
    let whole = Polytope::cuboid(1.0, 2.0, 3.0).unwrap().mass_properties().placed(&pose);
    assert_close(&compound.mass_properties().unwrap(), &whole, 1e-13, "compound");
    assert_eq!(Compound::new(vec![]).unwrap_err(), ShapeError::EmptyCompound);
    let nowhere = (Pose::at(Vec3::new(f64::NAN, 0.0, 0.0)), Solid::Sphere(Sphere::new(1.0).unwrap()));
    assert!(matches!(Compound::new(vec![nowhere]), Err(ShapeError::NotFinite { index: 0, .. })));
    let floor = Compound::from(Solid::HalfSpace(HalfSpace::new(Vec3::z(), 0.0).unwrap()));
    assert!(floor.mass_properties().is_none());
}

#[test]
fn planar_bodies_have_the_textbook_inertia() {
    let close = |a: f64, b: f64| assert!((a - b).abs() < 1e-13 * b, "{a} {b}");
    let (a, b) = (2.0f64, 3.0f64);
    let rectangle = Polygon::rectangle(a, b).unwrap().mass_properties();
    close(rectangle.area, 6.0);
    close(rectangle.inertia, a * b * (a * a + b * b) / 12.0);
    let hexagon = Polygon::regular_of_side(6, a).unwrap().mass_properties();
    close(hexagon.inertia, 5.0 * 3f64.sqrt() / 8.0 * a.powi(4));
    let triangle = Polygon::regular_of_side(3, a).unwrap().mass_properties();
    close(triangle.inertia, triangle.area * a * a / 12.0);
    let circle = Circle::new(a).unwrap().mass_properties();
    close(circle.inertia, std::f64::consts::PI * a.powi(4) / 2.0);
    let ellipse = Ellipse::new(Vec2::new(a, b)).unwrap().mass_properties();
    close(ellipse.inertia, std::f64::consts::PI * a * b * (a * a + b * b) / 4.0);
    close(Ellipse::new(Vec2::new(a, a)).unwrap().mass_properties().inertia, circle.inertia);
    close(rectangle.inertia_about(&Vec2::new(1.0, 1.5)), a * b * (a * a + b * b) / 3.0);
    assert!(PlanarShape::HalfPlane(HalfPlane::new(Vec2::y(), 0.0).unwrap()).mass_properties().is_none());

    // A rectangle from two halves, turned and shifted.
    let half = PlanarShape::Polygon(Polygon::rectangle(1.0, b).unwrap());
    let pose = PlanarPose::new(0.7, Vec2::new(2.0, -1.0));
    let at = |x: f64| pose.then(&PlanarPose::at(Vec2::new(x, 0.0)));
    let compound = PlanarCompound::new(vec![(at(-0.5), half.clone()), (at(0.5), half)]).unwrap();
    let sum = compound.mass_properties().unwrap();
    close(sum.area, rectangle.area);
    close(sum.inertia, rectangle.inertia);
    assert!((sum.centroid - pose.position).norm() < 1e-14);
    assert_eq!(PlanarCompound::new(vec![]).unwrap_err(), ShapeError::EmptyCompound);
}

#[test]
fn a_polygon_agrees_with_the_slab_that_it_is() {
    let mut random = Random::new(37);
    for _ in 0..100 {
        let points: Vec<Vec2> = (0..8).map(|_| Vec2::new(random.signed(), random.signed())).collect();
        let polygon = Polygon::from_vertices(&points).unwrap();
        let slab: Vec<Vec3> =
            points.iter().flat_map(|p| [-0.5, 0.5].map(|z| Vec3::new(p.x, p.y, z))).collect();
        let (flat, solid) =
            (polygon.mass_properties(), Polytope::from_vertices(&slab).unwrap().mass_properties());
        assert!((flat.area - solid.volume).abs() < 1e-12 * flat.area);
        assert!((flat.inertia - solid.inertia.m33).abs() < 1e-12 * flat.inertia);
        assert!((flat.centroid - solid.centroid.xy()).norm() < 1e-12);
    }
}
