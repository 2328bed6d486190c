//! Bounding boxes touch the body on every side, bounding balls hold it.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod shapes_common;

use percussion_geometry::bounds::{Aabb, Ball};
use percussion_geometry::shapes::{
    Capsule, Circle, Compound, Cone, Cylinder, Ellipse, Ellipsoid, HalfPlane, HalfSpace, PlanarCompound,
    PlanarShape, Polygon, Polytope, Solid, Sphere,
};
use percussion_geometry::{PlanarPose, Pose, Vec2, Vec3};
use percussion_testing::Random;
use shapes_common::polytope;

fn zoo(random: &mut Random) -> Vec<Solid> {
    vec![
        Solid::Polytope(polytope(random)),
        Solid::Sphere(Sphere::new(0.3 + random.unit()).unwrap()),
        Solid::Capsule(Capsule::new(0.2 + random.unit(), 0.2 + random.unit()).unwrap()),
        Solid::Cylinder(Cylinder::new(0.2 + random.unit(), 0.2 + random.unit()).unwrap()),
        Solid::Cone(Cone::new(0.2 + 2.0 * random.unit(), 0.2 + random.unit()).unwrap()),
        Solid::Ellipsoid(Ellipsoid::new(Vec3::repeat(1.1) + random.vector()).unwrap()),
    ]
}

/// Many points of the boundary: supports in many directions.
fn boundary(solid: &Solid, random: &mut Random) -> Vec<Vec3> {
    (0..400).map(|_| solid.support(&random.direction()).unwrap()).collect()
}

#[test]
fn boxes_hold_the_body_and_touch_it_on_all_six_sides() {
    let mut random = Random::new(41);
    for _ in 0..50 {
        for solid in zoo(&mut random) {
            let pose = Pose::new(random.rotation(), random.vector() * 3.0);
            let bounds = solid.bounds(&pose);
            for point in boundary(&solid, &mut random) {
                assert!(bounds.grown(1e-12).contains_point(&pose.point(&point)));
            }
            for axis in 0..3 {
                for sign in [1.0, -1.0] {
                    let mut outward = Vec3::zeros();
                    outward[axis] = sign;
                    let world = pose.point(&solid.support(&pose.inverse_direction(&outward)).unwrap());
                    let side = if sign > 0.0 { bounds.upper[axis] } else { bounds.lower[axis] };
                    assert!((world[axis] - side).abs() < 1e-14 * 8.0);
                }
            }
        }
    }
}

#[test]
fn boxes_of_simple_bodies_have_closed_forms() {
    let turn = nalgebra::Rotation3::from_euler_angles(0.3, -0.5, 0.9);
    let pose = Pose::new(turn, Vec3::new(1.0, 2.0, 3.0));
    let cube = Solid::Polytope(Polytope::cuboid(2.0, 4.0, 6.0).unwrap()).bounds(&pose);
    let half = turn.matrix().abs() * Vec3::new(1.0, 2.0, 3.0);
    assert!(
        (cube.upper - pose.position - half).norm() < 1e-14
            && (pose.position - cube.lower - half).norm() < 1e-14
    );
    let capsule = Solid::Capsule(Capsule::new(1.5, 0.5).unwrap()).bounds(&pose);
    let axis = turn * Vec3::z();
    let half = axis.abs() * 1.5 + Vec3::repeat(0.5);
    assert!((capsule.extents() / 2.0 - half).norm() < 1e-14);
    let cylinder = Solid::Cylinder(Cylinder::new(1.5, 0.5).unwrap()).bounds(&pose);
    let half = axis.map(|c| 1.5 * c.abs() + 0.5 * (1.0 - c * c).sqrt());
    assert!((cylinder.extents() / 2.0 - half).norm() < 1e-14);
}

#[test]
fn half_spaces_fill_everything_but_what_lies_before_a_wall_along_the_axes() {
    let floor = Solid::HalfSpace(HalfSpace::new(Vec3::z(), 0.5).unwrap());
    let tilted = Pose::new(nalgebra::Rotation3::new(Vec3::x() * 1e-9), Vec3::zeros());
    assert_eq!(floor.bounds(&tilted), Aabb::everything());
    let turned = Pose::new(nalgebra::Rotation3::new(Vec3::z()), Vec3::new(3.0, 4.0, 5.0));
    let below = floor.bounds(&turned);
    assert_eq!(below, Aabb { upper: Vec3::new(f64::INFINITY, f64::INFINITY, 5.5), ..Aabb::everything() });
    let wall = Solid::HalfSpace(HalfSpace::new(-2.0 * Vec3::y(), 0.5).unwrap());
    let beyond = wall.bounds(&Pose::at(Vec3::repeat(1.0)));
    assert_eq!((beyond.lower.y, beyond.upper.y), (0.5, f64::INFINITY));
    assert!(floor.bounds(&Pose::identity()).is_unbounded());
    assert!(floor.bounding_ball().radius.is_infinite());
    let wall = PlanarShape::HalfPlane(HalfPlane::new(Vec2::y(), 0.0).unwrap());
    assert!(wall.bounds(&PlanarPose::identity()).is_unbounded());
    let both = Compound::new(vec![
        (Pose::identity(), floor),
        (Pose::identity(), Solid::Sphere(Sphere::new(1.0).unwrap())),
    ]);
    let both = both.unwrap();
    assert!(both.bounds(&Pose::identity()).is_unbounded());
    assert!(both.bounding_ball().radius.is_infinite());
}

#[test]
fn boxes_merge_grow_and_overlap() {
    let a = Aabb::new(Vec3::zeros(), Vec3::repeat(1.0));
    let b = Aabb::new(Vec3::repeat(1.0), Vec3::repeat(2.0));
    assert!(a.overlaps(&b), "touching counts");
    assert!(!a.overlaps(&b.grown(-1e-9)));
    let all = a.merged(&b);
    assert!(all.contains(&a) && all.contains(&b) && !a.contains(&all));
    assert_eq!(all.centre(), Vec3::repeat(1.0));
    assert_eq!(all.extents(), Vec3::repeat(2.0));
    assert_eq!(Aabb::empty().merged(&a), a);
    assert!(!Aabb::empty().overlaps(&a) && Aabb::everything().contains(&a));
    assert_eq!(Aabb::from_points(&[Vec3::zeros(), Vec3::repeat(1.0)]), a);
}

#[test]
fn balls_hold_the_body() {
    let mut random = Random::new(42);
    for _ in 0..50 {
        for solid in zoo(&mut random) {
            let ball = solid.bounding_ball();
            for point in boundary(&solid, &mut random) {
                assert!((point - ball.centre).norm() <= ball.radius * (1.0 + 1e-12));
            }
            assert!(ball.radius <= solid.outer_radius() * (1.0 + 1e-12), "no worse than about the reference");
        }
    }
}

#[test]
fn the_least_ball_of_a_polytope_is_least() {
    let mut random = Random::new(43);
    for _ in 0..300 {
        let body = polytope(&mut random);
        let ball = body.bounding_ball();
        // Optimal when the centre lies in the hull of the points on the rim: no direction leads away
        // from all of them. Equivalently, no small step of the centre lowers the largest distance.
        let radius = |c: &Vec3| body.vertices().iter().map(|v| (v - c).norm()).fold(0.0, f64::max);
        for _ in 0..200 {
            let step = random.direction() * 10f64.powf(-1.0 - 5.0 * random.unit());
            assert!(radius(&(ball.centre + step)) >= ball.radius * (1.0 - 1e-13));
        }
    }
    let cube = Polytope::cube(2.0).unwrap().bounding_ball();
    assert!(cube.centre.norm() < 1e-14 && (cube.radius - 3f64.sqrt()).abs() < 1e-14);
    let small = Polytope::cube(0.002).unwrap().bounding_ball();
    assert!((small.radius - 0.001 * 3f64.sqrt()).abs() < 1e-16);
}

#[test]
fn merged_balls_hold_both() {
    let at = |x: f64, radius: f64| Ball { centre: Vec3::new(x, 0.0, 0.0), radius };
    assert_eq!(at(0.0, 1.0).merged(&at(4.0, 1.0)), at(2.0, 3.0));
    assert_eq!(at(0.0, 5.0).merged(&at(1.0, 1.0)), at(0.0, 5.0));
    assert_eq!(at(1.0, 1.0).merged(&at(0.0, 5.0)), at(0.0, 5.0));
}

#[test]
fn compounds_are_bounded_by_their_parts() {
    let mut random = Random::new(44);
    for _ in 0..30 {
        let parts: Vec<(Pose, Solid)> = zoo(&mut random)
            .into_iter()
            .map(|solid| (Pose::new(random.rotation(), random.vector() * 2.0), solid))
            .collect();
        let compound = Compound::new(parts).unwrap();
        let pose = Pose::new(random.rotation(), random.vector());
        let (bounds, ball) = (compound.bounds(&pose), compound.bounding_ball());
        let mut reached = Aabb::empty();
        for (k, (place, solid)) in compound.parts().iter().enumerate() {
            assert!(bounds.contains(&solid.bounds(&compound.part_pose(k, &pose))));
            reached = reached.merged(&solid.bounds(&compound.part_pose(k, &pose)));
            for point in boundary(solid, &mut random) {
                assert!((place.point(&point) - ball.centre).norm() <= ball.radius * (1.0 + 1e-12));
            }
        }
        assert_eq!(reached, bounds);
    }
}

#[test]
fn planar_boxes_and_discs_hold_the_body() {
    let mut random = Random::new(45);
    for _ in 0..100 {
        let points: Vec<Vec2> = (0..9).map(|_| Vec2::new(random.signed(), random.signed())).collect();
        let shapes = vec![
            PlanarShape::Polygon(Polygon::from_vertices(&points).unwrap()),
            PlanarShape::Circle(Circle::new(0.1 + random.unit()).unwrap()),
            PlanarShape::Ellipse(Ellipse::new(Vec2::new(0.1 + random.unit(), 0.1 + random.unit())).unwrap()),
        ];
        for shape in &shapes {
            let pose = PlanarPose::new(random.signed() * 3.0, Vec2::new(random.signed(), random.signed()));
            let (bounds, ball) = (shape.bounds(&pose), shape.bounding_ball());
            let mut reached = percussion_geometry::PlanarAabb::empty();
            for k in 0..3600 {
                let (sin, cos) = (k as f64 * std::f64::consts::TAU / 3600.0).sin_cos();
                let point = shape.support(&Vec2::new(cos, sin)).unwrap();
                let world = pose.point(&point);
                assert!(bounds.grown(1e-13).contains_point(&world));
                reached = reached.merged(&percussion_geometry::PlanarAabb::new(world, world));
                assert!((point - ball.centre).norm() <= ball.radius * (1.0 + 1e-12));
            }
            assert!((bounds.extents() - reached.extents()).norm() < 1e-5, "tight");
        }
        let parts =
            shapes.into_iter().map(|s| (PlanarPose::new(1.0, Vec2::new(random.signed(), 0.0)), s)).collect();
        let compound = PlanarCompound::new(parts).unwrap();
        let (pose, ball) = (PlanarPose::new(0.4, Vec2::x()), compound.bounding_ball());
        for (k, (place, shape)) in compound.parts().iter().enumerate() {
            assert!(compound.bounds(&pose).contains(&shape.bounds(&compound.part_pose(k, &pose))));
            let point = place.point(&shape.support(&Vec2::new(0.3, 0.8)).unwrap());
            assert!((point - ball.centre).norm() <= ball.radius * (1.0 + 1e-12));
        }
    }
}
