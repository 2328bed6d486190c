//! Hulls of points: what comes out is the hull, whatever goes in.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod shapes_common;

use percussion_geometry::shapes::{Feature, Polygon, Polytope};
use percussion_geometry::{ShapeError, Vec2, Vec3};
use percussion_testing::Random;
use shapes_common::{check_polytope, counts, polytope};

/// Checks the polytope and that it holds every point; its faces are planes through input points, so that
/// this proves it to be the hull.
fn check_hull(points: &[Vec3], p: &Polytope) {
    check_polytope(p);
    let furthest = points.iter().map(|v| v.amax()).fold(0.0, f64::max);
    // Twice the flatness tolerance, which is a multiple of the diameter: once for the corners of the face,
    // once for the points that were dropped.
    let slack = 4e-9 * p.outer_radius() + 64.0 * f64::EPSILON * furthest;
    for face in p.faces() {
        for point in points {
            let height = face.normal.dot(point) - face.offset;
            assert!(height <= slack, "every point within every face: {height:e} of {:e}", p.outer_radius());
        }
    }
    for (vertex, &source) in p.vertices().iter().zip(p.sources()) {
        assert_eq!(*vertex, points[source as usize]);
    }
    assert!(p.sources().is_sorted(), "vertices keep the order of the input");
}

fn box_corners(a: f64, b: f64, c: f64) -> Vec<Vec3> {
    (0..8)
        .map(|k| {
            let pick = |bit: usize, side: f64| if k >> bit & 1 == 1 { side / 2.0 } else { -side / 2.0 };
            Vec3::new(pick(0, a), pick(1, b), pick(2, c))
        })
        .collect()
}

#[test]
fn random_points_give_their_hull() {
    let mut random = Random::new(1);
    for round in 0..400 {
        let n = 4 + random.below(60);
        let points: Vec<Vec3> = match round % 4 {
            0 => (0..n).map(|_| random.vector()).collect(),
            1 => (0..n).map(|_| random.direction()).collect(),
            // A coarse lattice: collinear, coplanar, cospherical and repeated points all at once.
            2 => (0..n).map(|_| random.vector().map(|c| (3.0 * c).round())).collect(),
            _ => (0..n).map(|_| random.rotation() * random.vector().map(|c| (2.0 * c).round())).collect(),
        };
        match Polytope::from_vertices(&points) {
            Ok(p) => check_hull(&points, &p),
            Err(error) => assert!(
                n < 12 && matches!(error, ShapeError::Flat { .. } | ShapeError::TooFewPoints { .. }),
                "{error}"
            ),
        }
    }
}

#[test]
fn rounded_lattices_keep_the_faces_of_a_box() {
    let mut random = Random::new(2);
    for round in 0..60 {
        let turn = random.rotation();
        let shift = random.vector() * [0.0, 1.0, 1e3, 1e6][round % 4];
        let scale = [1.0f64, 1e-6, 1e6, 1e-3][round / 4 % 4].max(shift.amax() * 1e-5);
        let mut points = Vec::new();
        for k in 0..125 {
            let v = Vec3::new((k % 5) as f64, (k / 5 % 5) as f64, (k / 25) as f64) / 4.0;
            points.push(turn * (v * scale) + shift);
        }
        let p = Polytope::from_vertices(&points).unwrap_or_else(|e| panic!("round {round}: {e}"));
        check_hull(&points, &p);
        assert_eq!(counts(&p), (8, 12, 6), "round {round}, scale {scale:e}, shift {shift:?}");
        assert_eq!(p.sources(), [0, 4, 20, 24, 100, 104, 120, 124]);
    }
}

#[test]
fn turned_and_rounded_boxes_have_six_faces_at_every_size_and_place() {
    let mut random = Random::new(3);
    for round in 0..2000 {
        let sides = match round % 5 {
            0 => Vec3::new(1.0, 1.0, 1.0),
            1 => Vec3::new(1.0, 1e-6, 1e-6),
            2 => Vec3::new(1.0, 1.0, 1e-6),
            3 => Vec3::new(1.0, 1e-3, 1e-6),
            _ => Vec3::new(random.unit() + 0.1, random.unit() + 0.1, random.unit() + 0.1),
        };
        let scale = [1e-6f64, 1.0, 1e6][round / 5 % 3];
        // Far away, but with the thinnest side still resolved by the coordinates.
        let far =
            [0.0f64, 1e6][round / 15 % 2] * scale.max(1.0) * if sides.min() < 0.01 { 1e-6 } else { 1.0 };
        let far = if scale < 1.0 { far.min(1e-1) } else { far };
        let turn = random.rotation();
        let shift = random.direction() * far;
        let points: Vec<Vec3> = box_corners(scale * sides.x, scale * sides.y, scale * sides.z)
            .iter()
            .map(|v| turn * v + shift)
            .collect();
        let p = Polytope::from_vertices(&points)
            .unwrap_or_else(|e| panic!("round {round}: {sides:?} {scale:e} {far:e}: {e}"));
        check_hull(&points, &p);
        assert_eq!(counts(&p), (8, 12, 6), "round {round}: {sides:?} {scale:e} {far:e}");
        assert_eq!(p.sources(), [0, 1, 2, 3, 4, 5, 6, 7], "convex input keeps its indices");
    }
}

#[test]
fn points_repeated_up_to_rounding_are_one() {
    let mut random = Random::new(4);
    for _ in 0..100 {
        let turn = random.rotation();
        let mut points: Vec<Vec3> = box_corners(1.0, 2.0, 3.0).iter().map(|v| turn * v).collect();
        for k in 0..24 {
            points.push(points[k % 8] + random.vector() * 4e-16);
        }
        let p = Polytope::from_vertices(&points).unwrap();
        assert_eq!(counts(&p), (8, 12, 6));
        assert_eq!(p.sources(), [0, 1, 2, 3, 4, 5, 6, 7], "the first of each keeps its place");
    }
}

#[test]
fn points_inside_edges_and_faces_are_dropped() {
    let mut random = Random::new(5);
    for _ in 0..50 {
        let turn = random.rotation();
        let corners = box_corners(1.0, 1.0, 1.0);
        let mut points = Vec::new();
        // Points on the surface first, so that the corners come late.
        for _ in 0..200 {
            let mut v = random.vector() * 0.5;
            let axis = random.below(3);
            v[axis] = 0.5f64.copysign(v[axis]);
            if random.below(2) == 0 {
                let other = (axis + 1) % 3;
                v[other] = 0.5f64.copysign(v[other]);
            }
            points.push(turn * v);
        }
        points.extend(corners.iter().map(|v| turn * v));
        let p = Polytope::from_vertices(&points).unwrap();
        check_hull(&points, &p);
        assert_eq!(counts(&p), (8, 12, 6));
        assert_eq!(p.sources(), [200, 201, 202, 203, 204, 205, 206, 207]);
    }
}

#[test]
fn a_prism_with_a_thousand_sides_has_two_caps() {
    let mut random = Random::new(6);
    for sides in [3, 7, 100, 1000] {
        let turn = random.rotation();
        let points: Vec<Vec3> = (0..2 * sides)
            .map(|k| {
                let angle = std::f64::consts::TAU * (k % sides) as f64 / sides as f64;
                turn * Vec3::new(angle.cos(), angle.sin(), if k < sides { -0.5 } else { 0.5 })
            })
            .collect();
        let p = Polytope::from_vertices(&points).unwrap();
        check_hull(&points, &p);
        assert_eq!(counts(&p), (2 * sides, 3 * sides, sides + 2));
    }
}

#[test]
fn five_thousand_points_on_a_sphere_are_quick() {
    let mut random = Random::new(7);
    let points: Vec<Vec3> = (0..5000).map(|_| random.direction()).collect();
    let clock = std::time::Instant::now();
    let p = Polytope::from_vertices(&points).unwrap();
    assert!(clock.elapsed().as_secs_f64() < 5.0, "{:?}", clock.elapsed());
    assert_eq!(p.vertices().len(), 5000);
    assert_eq!(p.faces().len(), 2 * 5000 - 4);
}

#[test]
fn what_is_no_body_is_refused_with_the_reason() {
    let mut random = Random::new(8);
    let refuse = |points: &[Vec3]| Polytope::from_vertices(points).unwrap_err();
    assert_eq!(refuse(&[]), ShapeError::TooFewPoints { given: 0, needed: 4 });
    assert_eq!(refuse(&[Vec3::x(), Vec3::y(), Vec3::z()]), ShapeError::TooFewPoints { given: 3, needed: 4 });
    let triple = [Vec3::x(), Vec3::y(), Vec3::z(), Vec3::x(), Vec3::y()];
    assert_eq!(refuse(&triple), ShapeError::TooFewPoints { given: 3, needed: 4 });
    for bad in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
        let mut points = box_corners(1.0, 1.0, 1.0);
        points[5].y = bad;
        assert!(matches!(refuse(&points), ShapeError::NotFinite { what: "vertex", index: 5, .. }));
    }
    for round in 0..300 {
        let turn = random.rotation();
        let scale = [1.0, 1e-6, 1e6][round % 3];
        let shift = random.vector() * [0.0, 1.0, 1e6][round / 3 % 3];
        let dimension = round % 4;
        let points: Vec<Vec3> = (0..20)
            .map(|_| {
                let mut v = random.vector();
                for axis in dimension.min(2)..3 {
                    v[axis] = 0.0;
                }
                turn * (v * scale) + shift
            })
            .collect();
        // Near rounding, points on a short line far away coincide.
        match (refuse(&points), dimension) {
            (ShapeError::Flat { lie, .. }, 0) => assert_eq!(lie, "coincide"),
            (ShapeError::Flat { lie, .. }, 1) if shift.amax() < 1e5 * scale => {
                assert_eq!(lie, "lie on a line")
            }
            (ShapeError::Flat { lie, .. }, _) if shift.amax() < 1e5 * scale => {
                assert_eq!(lie, "lie in a plane")
            }
            (ShapeError::Flat { .. } | ShapeError::TooFewPoints { .. }, _) => {}
            (error, _) => panic!("round {round}: {error}"),
        }
    }
    let message = refuse(&[Vec3::zeros(), Vec3::x(), Vec3::y(), Vec3::new(1.0, 1.0, 0.0)]).to_string();
    assert!(message.contains("4 points lie in a plane") && message.contains("no volume"), "{message}");
}

#[test]
fn extreme_coordinates_do_not_break_the_hull() {
    for scale in [1e-70, 1e-30, 1e-10, 1e10, 1e30, 1e70] {
        let points: Vec<Vec3> = box_corners(scale, scale, scale);
        let p = Polytope::from_vertices(&points).unwrap_or_else(|e| panic!("{scale:e}: {e}"));
        assert_eq!(counts(&p), (8, 12, 6));
    }
    // Denormal dust on exact coordinates.
    let mut points = box_corners(1.0, 1.0, 1.0);
    points.push(Vec3::new(0.5, 5e-324, -3e-310));
    assert_eq!(counts(&Polytope::from_vertices(&points).unwrap()), (8, 12, 6));
}

#[test]
fn features_are_found_from_active_vertices() {
    let cube = Polytope::from_vertices(&box_corners(1.0, 1.0, 1.0)).unwrap();
    assert_eq!(cube.feature(&[]), None);
    assert_eq!(cube.feature(&[99]), None);
    assert_eq!(cube.feature(&[3]), Some(Feature::Vertex(3)));
    assert_eq!(cube.feature(&[3, 3, 3]), Some(Feature::Vertex(3)));
    let edge = cube.edge_between(0, 1).unwrap() as u32;
    assert_eq!(cube.feature(&[0, 1]), Some(Feature::Edge(edge)));
    assert_eq!(cube.feature(&[1, 0, 1]), Some(Feature::Edge(edge)));
    assert_eq!(cube.edge_between(0, 3), None);
    let Some(Feature::Face(bottom)) = cube.feature(&[0, 3]) else { panic!("a diagonal lies in a face") };
    assert!((cube.faces()[bottom as usize].normal + Vec3::z()).norm() < 1e-15);
    assert_eq!(cube.feature(&[0, 1, 3, 2]), Some(Feature::Face(bottom)));
    assert_eq!(cube.feature(&[0, 7]), None, "the space diagonal has no face");
    assert_eq!(cube.feature(&[0, 1, 7]), None);
}

#[test]
fn every_face_edge_and_vertex_of_a_random_body_is_found_again() {
    let mut random = Random::new(9);
    for _ in 0..50 {
        let p = polytope(&mut random);
        for (f, face) in p.faces().iter().enumerate() {
            let loop_ = p.face_loop(face);
            assert_eq!(p.feature(loop_), Some(Feature::Face(f as u32)));
        }
        for (e, edge) in p.edges().iter().enumerate() {
            assert_eq!(p.feature(&edge.vertices), Some(Feature::Edge(e as u32)));
        }
    }
}

#[test]
fn polygons_are_the_hulls_of_their_points() {
    let mut random = Random::new(10);
    for round in 0..500 {
        let n = 3 + random.below(40);
        let angle = random.signed() * 3.0;
        let (sin, cos) = angle.sin_cos();
        let points: Vec<Vec2> = (0..n)
            .map(|_| {
                let mut v = Vec2::new(random.signed(), random.signed());
                if round % 2 == 0 {
                    v = v.map(|c| (3.0 * c).round());
                }
                Vec2::new(cos * v.x - sin * v.y, sin * v.x + cos * v.y)
            })
            .collect();
        match Polygon::from_vertices(&points) {
            Ok(p) => {
                for k in 0..p.vertices().len() {
                    let (normal, offset) = p.edge(k);
                    assert!(points.iter().all(|v| normal.dot(v) <= offset + 1e-9));
                    assert_eq!(p.vertices()[k], points[p.sources()[k] as usize]);
                }
                let first = p.sources()[0];
                assert!(p.sources().iter().all(|&s| s >= first));
            }
            Err(e) => assert!(
                n < 8 && matches!(e, ShapeError::Flat { .. } | ShapeError::TooFewPoints { .. }),
                "{e}"
            ),
        }
    }
}

#[test]
fn turned_rectangles_keep_four_corners_at_every_size_and_place() {
    let mut random = Random::new(11);
    for round in 0..1000 {
        let sides = [Vec2::new(1.0, 1.0), Vec2::new(1.0, 1e-6), Vec2::new(0.3, 0.7)][round % 3];
        let scale = [1.0, 1e-6, 1e6][round / 3 % 3];
        let far = if sides.min() < 0.01 { 0.0 } else { [0.0, 1e6][round / 9 % 2] * scale };
        let (sin, cos) = (random.signed() * 3.0).sin_cos();
        let shift = Vec2::new(random.signed(), random.signed()) * far;
        let mut points = Vec::new();
        for (x, y) in [(-0.5, -0.5), (0.5, -0.5), (0.5, 0.5), (-0.5, 0.5), (0.0, 0.5), (0.5, 0.1), (0.0, 0.0)]
        {
            let (x, y) = (x * sides.x * scale, y * sides.y * scale);
            points.push(Vec2::new(cos * x - sin * y, sin * x + cos * y) + shift);
        }
        let p = Polygon::from_vertices(&points).unwrap();
        assert_eq!(p.sources(), [0, 1, 2, 3], "round {round}");
    }
}

#[test]
fn planar_points_that_are_no_polygon_are_refused() {
    let refuse = |points: &[Vec2]| Polygon::from_vertices(points).unwrap_err();
    assert_eq!(refuse(&[Vec2::x()]), ShapeError::TooFewPoints { given: 1, needed: 3 });
    assert_eq!(refuse(&[Vec2::x(), Vec2::y(), Vec2::x()]), ShapeError::TooFewPoints { given: 2, needed: 3 });
    assert!(matches!(refuse(&[Vec2::x(); 5]), ShapeError::Flat { lie: "coincide", .. }));
    let line: Vec<Vec2> = (0..5).map(|k| Vec2::new(0.1, 0.3) * k as f64).collect();
    assert!(matches!(refuse(&line), ShapeError::Flat { lie: "lie on a line", measure: "area", .. }));
    let bad = [Vec2::x(), Vec2::new(f64::NAN, 0.0), Vec2::y()];
    assert!(matches!(refuse(&bad), ShapeError::NotFinite { index: 1, .. }));
}

#[test]
fn polygon_features_are_vertices_and_edges() {
    let p = Polygon::from_vertices(&[Vec2::zeros(), Vec2::x(), Vec2::new(1.0, 1.0), Vec2::y()]).unwrap();
    assert_eq!(p.feature(&[2]), Some(Feature::Vertex(2)));
    assert_eq!(p.feature(&[1, 2]), Some(Feature::Edge(1)));
    assert_eq!(p.feature(&[0, 3]), Some(Feature::Edge(3)));
    assert_eq!(p.feature(&[0, 2]), None);
    assert_eq!(p.feature(&[0, 1, 2]), None);
    assert_eq!(p.feature(&[]), None);
}

#[test]
fn noise_at_every_level_gives_a_proper_polytope() {
    let mut random = Random::new(12);
    let mut built = 0;
    for round in 0..20_000 {
        let n = 8 + random.below(60);
        let noise = 10f64.powf(-6.0 - 11.0 * random.unit());
        let stretch = match round % 4 {
            0 => Vec3::new(1.0, 1.0, 10f64.powf(-6.0 * random.unit())),
            1 => Vec3::new(1.0, 10f64.powf(-5.0 * random.unit()), 10f64.powf(-5.0 * random.unit())),
            _ => Vec3::repeat(1.0),
        };
        let levels = (1 + random.below(4)) as f64;
        let turn = random.rotation();
        let points: Vec<Vec3> = (0..n)
            .map(|_| {
                let lattice = random.vector().map(|c| (levels * c).round() / levels);
                turn * lattice.component_mul(&stretch) + random.vector() * noise
            })
            .collect();
        match Polytope::from_vertices(&points) {
            Ok(p) => {
                check_hull(&points, &p);
                built += 1;
            }
            Err(ShapeError::Flat { .. } | ShapeError::TooFewPoints { .. }) => {}
            Err(error) => panic!("round {round}, noise {noise:e}, {stretch:?}: {error}"),
        }
    }
    assert!(built > 19_000, "{built}");
}
