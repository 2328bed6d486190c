//! Parametrised solids, half-spaces and cuts.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod shapes_common;

use percussion_geometry::shapes::{Capsule, Cylinder, HalfSpace, Polygon, Polytope, Sphere};
use percussion_geometry::{ShapeError, Vec2, Vec3};
use percussion_testing::Random;
use shapes_common::{check_polytope, counts, polytope};

fn close(a: f64, b: f64) -> bool {
    (a - b).abs() <= 1e-12 * b.abs()
}

#[test]
fn every_solid_is_a_polytope_about_its_centroid_with_the_right_volume() {
    let golden = (1.0 + 5f64.sqrt()) / 2.0;
    let hexagon = 1.5 * 3f64.sqrt() * 4.0;
    let cases = vec![
        ("cuboid", Polytope::cuboid(1.0, 2.0, 3.0).unwrap(), (8, 12, 6), 6.0),
        ("cube", Polytope::cube(2.0).unwrap(), (8, 12, 6), 8.0),
        ("prism", Polytope::prism(6, 2.0, 5.0).unwrap(), (12, 18, 8), hexagon * 5.0),
        ("prism of side", Polytope::prism_of_side(6, 2.0, 5.0).unwrap(), (12, 18, 8), hexagon * 5.0),
        (
            "antiprism",
            Polytope::antiprism(3, 1.0, 2f64.sqrt()).unwrap(),
            (6, 12, 8),
            2f64.sqrt() / 3.0 * 3f64.powf(1.5),
        ),
        ("pyramid", Polytope::pyramid(2.0, 3.0, 4.0).unwrap(), (5, 8, 5), 8.0),
        ("regular pyramid", Polytope::regular_pyramid(6, 2.0, 3.0).unwrap(), (7, 12, 7), hexagon),
        ("frustum", Polytope::frustum(6, 2.0, 1.0, 3.0).unwrap(), (12, 18, 8), hexagon * (1.0 + 0.5 + 0.25)),
        ("wedge", Polytope::wedge(3.0, 2.0, 1.0).unwrap(), (6, 9, 5), 3.0),
        ("tetrahedron", Polytope::tetrahedron(2.0).unwrap(), (4, 6, 4), 8.0 / (6.0 * 2f64.sqrt())),
        ("octahedron", Polytope::octahedron(2.0).unwrap(), (6, 12, 8), 8.0 * 2f64.sqrt() / 3.0),
        ("icosahedron", Polytope::icosahedron(1.0).unwrap(), (12, 30, 20), 5.0 / 6.0 * golden * golden),
        (
            "dodecahedron",
            Polytope::dodecahedron(1.0).unwrap(),
            (20, 30, 12),
            (15.0 + 7.0 * 5f64.sqrt()) / 4.0,
        ),
    ];
    for (name, solid, size, volume) in cases {
        check_polytope(&solid);
        assert_eq!(counts(&solid), size, "{name}");
        assert!(close(solid.volume(), volume), "{name}: {} {volume}", solid.volume());
        assert!(solid.reference().norm() < 1e-14 * solid.outer_radius(), "{name}: {:?}", solid.reference());
    }
    for solid in [
        Polytope::tetrahedron(2.0),
        Polytope::octahedron(2.0),
        Polytope::icosahedron(2.0),
        Polytope::dodecahedron(2.0),
    ] {
        let solid = solid.unwrap();
        for edge in 0..solid.edges().len() {
            let [a, b] = solid.edge_ends(edge);
            assert!(close((a - b).norm(), 2.0));
        }
    }
    for edge in Polytope::prism_of_side(7, 0.3, 1.0).unwrap().face_edges(0) {
        let [a, b] = Polytope::prism_of_side(7, 0.3, 1.0).unwrap().edge_ends(edge);
        assert!(close((a - b).norm(), 0.3));
    }
}

#[test]
fn rounded_bodies_have_the_vertices_asked_for() {
    for count in [4, 5, 8, 12, 32, 100, 512, 2000] {
        let body = Polytope::rounded(count, 2.0).unwrap();
        check_polytope(&body);
        assert_eq!(body.vertices().len(), count);
        assert!(body.reference().norm() < 1e-13);
        assert!(count < 100 || body.volume() > 0.9 * 4.0 / 3.0 * std::f64::consts::PI * 8.0);
    }
}

#[test]
fn outlines_are_centred_polygons() {
    let cases = [
        (Polygon::rectangle(2.0, 3.0).unwrap(), 4, 6.0),
        (Polygon::square(2.0).unwrap(), 4, 4.0),
        (Polygon::regular(6, 2.0).unwrap(), 6, 6.0 * 3f64.sqrt()),
        (Polygon::regular_of_side(6, 2.0).unwrap(), 6, 6.0 * 3f64.sqrt()),
        (Polygon::triangle(3.0, 2.0).unwrap(), 3, 3.0),
    ];
    for (polygon, corners, area) in cases {
        assert_eq!(polygon.vertices().len(), corners);
        assert!(close(polygon.area_and_centroid().0, area));
        assert!(polygon.reference().norm() < 1e-15 * 8.0);
    }
}

#[test]
fn parameters_out_of_range_are_named() {
    let bad = [0.0, -1.0, f64::NAN, f64::INFINITY];
    for x in bad {
        let refusals = [
            (Polytope::cuboid(1.0, x, 1.0).err(), "box side b"),
            (Polytope::cube(x).err(), "cube edge"),
            (Polytope::prism(5, x, 1.0).err(), "prism circumradius"),
            (Polytope::prism_of_side(5, x, 1.0).err(), "prism side"),
            (Polytope::prism(5, 1.0, x).err(), "prism height"),
            (Polytope::antiprism(5, 1.0, x).err(), "antiprism height"),
            (Polytope::pyramid(1.0, 1.0, x).err(), "pyramid height"),
            (Polytope::regular_pyramid(4, x, 1.0).err(), "pyramid circumradius"),
            (Polytope::frustum(4, 1.0, x, 1.0).err(), "frustum top circumradius"),
            (Polytope::wedge(x, 1.0, 1.0).err(), "wedge length"),
            (Polytope::tetrahedron(x).err(), "tetrahedron edge"),
            (Polytope::octahedron(x).err(), "octahedron edge"),
            (Polytope::icosahedron(x).err(), "icosahedron edge"),
            (Polytope::dodecahedron(x).err(), "dodecahedron edge"),
            (Polytope::rounded(8, x).err(), "radius of a rounded body"),
            (Polygon::rectangle(x, 1.0).err(), "rectangle side a"),
            (Polygon::square(x).err(), "square side"),
            (Polygon::regular(5, x).err(), "polygon circumradius"),
            (Polygon::triangle(1.0, x).err(), "triangle height"),
            (Sphere::new(x).err(), "sphere radius"),
            (Capsule::new(1.0, x).err(), "capsule radius"),
            (Cylinder::new(x, 1.0).err(), "cylinder half-height"),
        ];
        for (error, name) in refusals {
            match error {
                Some(ShapeError::OutOfRange { what, .. }) => assert_eq!(what, name),
                other => panic!("{name} = {x}: {other:?}"),
            }
        }
    }
    assert!(matches!(Polytope::prism(2, 1.0, 1.0), Err(ShapeError::OutOfRange { value: 2.0, .. })));
    assert!(matches!(Polytope::rounded(3, 1.0), Err(ShapeError::OutOfRange { .. })));
    assert!(matches!(Polygon::regular(2, 1.0), Err(ShapeError::OutOfRange { .. })));
    assert!(HalfSpace::new(Vec3::zeros(), 0.0).is_err());
}

#[test]
fn a_body_is_recovered_from_its_own_half_spaces() {
    let mut random = Random::new(21);
    for round in 0..400 {
        let scale = [1.0, 1e-6, 1e6][round % 3];
        let turn = random.rotation();
        let stretch =
            [Vec3::repeat(1.0), Vec3::new(1.0, 1.0, 1e-4), Vec3::new(1.0, 1e-3, 1e-3)][round / 3 % 3];
        let shift = random.vector() * [0.0, 3.0, 100.0][round / 9 % 3] * scale;
        let points: Vec<Vec3> = (0..6 + random.below(30))
            .map(|_| turn * random.direction().component_mul(&stretch) * scale + shift)
            .collect();
        let body = Polytope::from_vertices(&points).unwrap();
        let mut half_spaces: Vec<(Vec3, f64)> =
            body.faces().iter().map(|f| (f.normal * 3.0, f.offset)).collect();
        // Redundant ones: loose, and repeated.
        for _ in 0..10 {
            let normal = random.direction();
            let offset = normal.dot(&body.vertices()[body.support_index(&normal)]);
            half_spaces.push((normal, offset + 0.01 * scale));
        }
        half_spaces.push(half_spaces[0]);
        let again = Polytope::from_half_spaces(&half_spaces).unwrap_or_else(|e| panic!("round {round}: {e}"));
        check_polytope(&again);
        assert_eq!(counts(&again), counts(&body), "round {round}");
        // Corners between nearly parallel faces are ill-conditioned: bound by the rounding of the offsets
        // over the smallest angle that a thin body has.
        let tolerance = 1e-12 * (body.outer_radius() + shift.norm());
        for v in body.vertices() {
            let nearest = again.vertices().iter().map(|w| (v - w).norm()).fold(f64::INFINITY, f64::min);
            assert!(nearest < tolerance / stretch.min(), "round {round}: {nearest:e}");
        }
    }
}

#[test]
fn a_box_from_half_spaces_has_round_corners() {
    let sides = [Vec3::x(), Vec3::y(), Vec3::z()];
    let mut planes: Vec<(Vec3, f64)> = sides.iter().flat_map(|n| [(*n, 1.0), (-n, 0.25)]).collect();
    planes.push((Vec3::new(1.0, 1.0, 0.0), 9.0));
    let body = Polytope::from_half_spaces(&planes).unwrap();
    assert_eq!(counts(&body), (8, 12, 6));
    for v in body.vertices() {
        assert!(v.iter().all(|&c| c == 1.0 || c == -0.25), "{v:?}");
    }
}

#[test]
fn an_apex_where_many_planes_meet_is_one_vertex() {
    let n = 40;
    let mut planes = vec![(-Vec3::z(), 0.0)];
    for k in 0..n {
        let angle = std::f64::consts::TAU * k as f64 / n as f64;
        let normal = Vec3::new(angle.cos(), angle.sin(), 1.0);
        planes.push((normal, 1.0 / 2f64.sqrt()));
    }
    let body = Polytope::from_half_spaces(&planes).unwrap();
    check_polytope(&body);
    assert_eq!(counts(&body), (n + 1, 2 * n, n + 1));
    assert!(body.vertices().iter().any(|v| (v - Vec3::z()).norm() < 1e-14));
}

#[test]
fn open_and_empty_half_spaces_are_refused() {
    let open = Polytope::from_half_spaces(&[
        (Vec3::x(), 1.0),
        (-Vec3::x(), 1.0),
        (Vec3::y(), 1.0),
        (-Vec3::y(), 1.0),
        (Vec3::z(), 1.0),
    ]);
    match open {
        Err(ShapeError::Unbounded { count: 5, direction }) => {
            assert!((Vec3::from_column_slice(&direction) + Vec3::z()).norm() < 1e-9, "{direction:?}");
        }
        other => panic!("{other:?}"),
    }
    let slab = Polytope::from_half_spaces(&[(Vec3::x(), 1.0), (-Vec3::x(), 1.0)]);
    match slab {
        Err(ShapeError::Unbounded { direction, .. }) => assert!(direction[0].abs() < 1e-9),
        other => panic!("{other:?}"),
    }
    assert!(matches!(Polytope::from_half_spaces(&[]), Err(ShapeError::Unbounded { .. })));
    let mut empty: Vec<(Vec3, f64)> =
        [Vec3::x(), Vec3::y(), Vec3::z()].iter().flat_map(|n| [(*n, 1.0), (-n, 1.0)]).collect();
    empty.push((Vec3::x(), -1.5));
    match Polytope::from_half_spaces(&empty) {
        Err(ShapeError::Empty { count: 7, radius }) => assert!((radius + 0.25).abs() < 1e-12, "{radius}"),
        other => panic!("{other:?}"),
    }
    // Touching planes enclose nothing.
    empty[6].1 = -1.0;
    assert!(matches!(Polytope::from_half_spaces(&empty), Err(ShapeError::Empty { .. })));
    empty[6].1 = f64::NAN;
    assert!(matches!(Polytope::from_half_spaces(&empty), Err(ShapeError::NotFinite { index: 6, .. })));
    empty[6] = (Vec3::zeros(), 1.0);
    assert!(matches!(Polytope::from_half_spaces(&empty), Err(ShapeError::OutOfRange { .. })));
}

#[test]
fn a_polygon_is_recovered_from_its_own_half_planes() {
    let mut random = Random::new(22);
    for round in 0..300 {
        let points: Vec<Vec2> = (0..4 + random.below(20))
            .map(|_| {
                Vec2::new(random.signed(), [1.0, 1e-4][round % 2] * random.signed()) + Vec2::new(0.3, 2.0)
            })
            .collect();
        let Ok(body) = Polygon::from_vertices(&points) else { continue };
        let mut planes: Vec<(Vec2, f64)> = (0..body.vertices().len()).map(|k| body.edge(k)).collect();
        planes.push((Vec2::new(1.0, 0.3), 50.0));
        planes.push(planes[0]);
        let again = Polygon::from_half_planes(&planes).unwrap();
        assert_eq!(again.vertices().len(), body.vertices().len(), "round {round}");
        let (area, other) = (again.area_and_centroid().0, body.area_and_centroid().0);
        assert!((area - other).abs() < 1e-9 * other, "round {round}");
    }
    let open = Polygon::from_half_planes(&[(Vec2::x(), 1.0), (Vec2::y(), 1.0)]);
    assert!(matches!(open, Err(ShapeError::Unbounded { .. })), "{open:?}");
    let empty = Polygon::from_half_planes(&[
        (Vec2::x(), -1.0),
        (-Vec2::x(), -1.0),
        (Vec2::y(), 1.0),
        (-Vec2::y(), 1.0),
    ]);
    assert!(
        matches!(empty, Err(ShapeError::Empty { radius, .. }) if (radius + 1.0).abs() < 1e-12),
        "{empty:?}"
    );
}

#[test]
fn two_halves_of_a_body_fill_it() {
    let mut random = Random::new(23);
    for _ in 0..200 {
        let body = polytope(&mut random);
        let normal = random.direction();
        let offset = normal.dot(&body.reference()) + 0.3 * random.signed() * body.inner_radius();
        let lower = body.clipped(&normal, offset).unwrap();
        let upper = body.clipped(&-normal, -offset).unwrap();
        check_polytope(&lower);
        check_polytope(&upper);
        assert!((lower.volume() + upper.volume() - body.volume()).abs() < 1e-13);
        assert!((lower.joined(&upper).unwrap().volume() - body.volume()).abs() < 1e-13);
    }
    let cube = Polytope::cube(1.0).unwrap();
    assert_eq!(cube.clipped(&Vec3::z(), 0.5).unwrap(), cube, "touching planes leave the body as it is");
    assert!(cube.clipped(&Vec3::z(), -0.5).is_none());
    assert!(cube.clipped(&Vec3::z(), -2.0).is_none());
}
