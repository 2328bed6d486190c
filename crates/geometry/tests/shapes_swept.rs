//! Boxes of bodies on their way hold them at every instant, and hardly more.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod shapes_common;

use std::f64::consts::{PI, TAU};

use nalgebra::{Rotation3, Unit, UnitQuaternion};
use percussion_geometry::bounds::{PlanarSweep, Sweep};
use percussion_geometry::broad::{BroadPhase, Part, PartId};
use percussion_geometry::shapes::{
    Capsule, Circle, Compound, Cone, Cylinder, Ellipse, Ellipsoid, HalfPlane, HalfSpace, PlanarCompound,
    PlanarShape, Polygon, Polytope, Solid, Sphere,
};
use percussion_geometry::{Aabb, Bounds, PlanarAabb, PlanarPose, Pose, Vec2, Vec3};
use percussion_testing::Random;

const INSTANTS: usize = 1000;

/// A polytope off its frame's origin, a plank, a needle and all smooth bodies.
fn zoo(random: &mut Random) -> Vec<Solid> {
    let points: Vec<Vec3> = (0..8).map(|_| random.vector() + Vec3::new(3.0, -1.0, 0.5)).collect();
    vec![
        Solid::Polytope(Polytope::from_vertices(&points).unwrap()),
        Solid::Polytope(Polytope::cuboid(2.0, 0.2, 0.01).unwrap()),
        Solid::Polytope(Polytope::cuboid(0.001, 0.001, 3.0).unwrap()),
        Solid::Sphere(Sphere::new(0.3 + random.unit()).unwrap()),
        Solid::Capsule(Capsule::new(1.0, 0.02 + random.unit()).unwrap()),
        Solid::Cylinder(Cylinder::new(0.02 + random.unit(), 0.02 + random.unit()).unwrap()),
        Solid::Cone(Cone::new(0.2 + 2.0 * random.unit(), 0.05 + random.unit()).unwrap()),
        Solid::Ellipsoid(Ellipsoid::new(Vec3::repeat(1.05) + random.vector()).unwrap()),
    ]
}

/// A start, an end, and the turn between them: axis (world) and angle, by which the instants are made.
struct Flight {
    start: Pose,
    end: Pose,
    pivot: Vec3,
    axis: Unit<Vec3>,
    angle: f64,
}

impl Flight {
    /// The point `pivot` goes straight by about `way`, the body turns by `angle`.
    fn random(random: &mut Random, pivot: Vec3, way: f64, angle: f64) -> Self {
        let axis = if random.unit() < 0.2 { Vec3::z_axis() } else { Unit::new_normalize(random.direction()) };
        let start = Pose::new(random.rotation(), random.vector() * 3.0);
        let rotation = Rotation3::from_axis_angle(&axis, angle) * start.rotation;
        let end = start.point(&pivot) + random.vector() * way;
        Self { start, end: Pose::new(rotation, end - rotation * pivot), pivot, axis, angle }
    }

    /// Made with quaternions, unlike the bounds.
    fn at(&self, t: f64) -> Pose {
        let turn = UnitQuaternion::from_axis_angle(&self.axis, t * self.angle);
        let rotation = turn.to_rotation_matrix() * self.start.rotation;
        let place = self.start.point(&self.pivot) * (1.0 - t) + self.end.point(&self.pivot) * t;
        Pose::new(rotation, place - rotation * self.pivot)
    }

    /// The box that all instants fill.
    fn filled(&self, bounds: impl Fn(&Pose) -> Aabb) -> Aabb {
        let instants = (0..=INSTANTS).map(|k| bounds(&self.at(k as f64 / INSTANTS as f64)));
        instants.fold(Aabb::empty(), |all, b| all.merged(&b))
    }
}

fn volume<const D: usize>(b: &Bounds<D>) -> f64 {
    b.extents().product()
}

/// Mean ratio of the bounds' volume to what the instants fill, over a few hundred flights of each body.
fn looseness(seed: u64, rounds: usize, angle: impl Fn(&mut Random) -> f64) -> f64 {
    let mut random = Random::new(seed);
    let (mut sum, mut count) = (0.0, 0.0);
    for _ in 0..rounds {
        for solid in zoo(&mut random) {
            let way = 2.0 * random.unit();
            let angle = angle(&mut random);
            let flight = Flight::random(&mut random, solid.reference(), way, angle);
            let filled = flight.filled(|pose| solid.bounds(pose));
            let held = solid.swept_bounds(&flight.start, &flight.end);
            assert!(held.contains(&filled), "{solid:?} turned by {angle}: {held:?} {filled:?}");
            sum += volume(&held) / volume(&filled);
            count += 1.0;
        }
    }
    sum / count
}

#[test]
fn the_box_holds_the_body_at_a_thousand_instants_and_hardly_more() {
    // Turns by up to half a turn, by a tenth, and by a hundredth of a radian.
    let wide = looseness(1, 150, |r| PI * r.unit());
    let small = looseness(2, 100, |r| 0.1 * r.unit());
    let tiny = looseness(3, 50, |r| 0.01 * r.unit());
    let none = looseness(4, 20, |_| 0.0);
    assert!(wide < 1.03, "{wide}");
    assert!(small < 1.002, "{small}");
    assert!(tiny < 1.0001, "{tiny}");
    assert!((none - 1.0).abs() < 1e-9, "{none}");
}

#[test]
fn a_half_turn_is_held_whichever_way_round_it_goes() {
    let mut random = Random::new(5);
    for _ in 0..100 {
        for solid in zoo(&mut random) {
            let angle = PI - 1e-9 * random.unit() * if random.unit() < 0.5 { 1.0 } else { 0.0 };
            let mut flight = Flight::random(&mut random, solid.reference(), 1.0, angle);
            let held = solid.swept_bounds(&flight.start, &flight.end);
            assert!(held.contains(&flight.filled(|pose| solid.bounds(pose))));
            flight.angle -= TAU;
            assert!(held.contains(&flight.filled(|pose| solid.bounds(pose))));
        }
    }
}

#[test]
fn nothing_is_lost_far_from_the_origin() {
    let mut random = Random::new(10);
    for _ in 0..30 {
        for solid in zoo(&mut random) {
            let angle = PI * random.unit();
            let mut flight = Flight::random(&mut random, solid.reference(), 1.0, angle);
            let far = Vec3::new(1e7, -3e6, 20.0);
            flight.start.position += far;
            flight.end.position += far;
            let held = solid.swept_bounds(&flight.start, &flight.end);
            assert!(held.contains(&flight.filled(|pose| solid.bounds(pose))));
        }
    }
}

#[test]
fn the_motion_is_the_one_that_is_bounded() {
    let mut random = Random::new(6);
    for _ in 0..500 {
        let (pivot, angle) = (random.vector(), 3.1 * random.unit());
        let flight = Flight::random(&mut random, pivot, 2.0, angle);
        let sweep = Sweep::new(&flight.start, &flight.end).about(pivot);
        assert!((sweep.angle() - angle).abs() < 1e-14);
        for k in 0..=20 {
            let (ours, theirs) = (sweep.at(f64::from(k) / 20.0), flight.at(f64::from(k) / 20.0));
            assert!((ours.rotation.matrix() - theirs.rotation.matrix()).norm() < 1e-13);
            assert!((ours.position - theirs.position).norm() < 1e-13);
        }
    }
}

#[test]
fn a_plank_that_spins_about_its_length_needs_no_more_room_than_its_diagonal() {
    let plank = Solid::Polytope(Polytope::cuboid(10.0, 0.2, 0.1).unwrap());
    let end = Pose::new(Rotation3::new(Vec3::x() * 3.0), Vec3::zeros());
    let held = plank.swept_bounds(&Pose::identity(), &end);
    assert!((held.extents().x - 10.0).abs() < 1e-12, "no bulge along the axis");
    assert!(held.extents().y <= 0.2_f64.hypot(0.1) * (1.0 + 1e-12));
    // A rolling wheel stays as tall as it is.
    let wheel = Solid::Cylinder(Cylinder::new(0.1, 1.0).unwrap());
    let rolled = Pose::new(Rotation3::new(Vec3::z() * 2.0), Vec3::new(2.0, 0.0, 0.0));
    let held = wheel.swept_bounds(&Pose::identity(), &rolled);
    assert!((held.extents() - Vec3::new(4.0, 2.0, 0.2)).amax() < 1e-12, "{:?}", held.extents());
}

#[test]
fn a_bound_on_the_turning_holds_bodies_that_spin_and_tumble() {
    let mut random = Random::new(7);
    for round in 0..400 {
        for solid in zoo(&mut random) {
            let pivot = solid.reference() + if round % 2 == 0 { Vec3::zeros() } else { random.vector() };
            // Several arcs about different axes, one after the other, the pivot going on meanwhile and back.
            let start = Pose::new(random.rotation(), random.vector());
            let (from, to) = (start.point(&pivot), random.vector());
            let arcs: Vec<Vec3> =
                (0..3).map(|_| random.direction() * [0.2, 1.0, 6.0][round % 3] * random.unit()).collect();
            let turning: f64 = arcs.iter().map(|arc| arc.norm()).sum();
            let place = |rotation: Rotation3<f64>, t: f64| {
                Pose::new(rotation, from * (1.0 - t) + to * t - rotation * pivot)
            };
            let mut rotation = start.rotation;
            let mut filled = Aabb::empty();
            for arc in &arcs {
                for k in 0..=100 {
                    let turned = Rotation3::new(arc * (f64::from(k) / 100.0)) * rotation;
                    filled = filled.merged(&solid.bounds(&place(turned, random.unit())));
                }
                rotation = Rotation3::new(*arc) * rotation;
            }
            let sweep = Sweep::new(&start, &place(rotation, 1.0)).about(pivot).turning(turning);
            let held = solid.swept_bounds_along(&sweep);
            assert!(held.contains(&filled), "{solid:?} {turning}");
            // Never worse than the ball, and no smaller than for the steady motion.
            let size = (solid.reference() - pivot).norm() + solid.outer_radius();
            assert!(Aabb::from_points(&[from, to]).grown(size * (1.0 + 1e-12)).contains(&held));
            let unknown = solid.swept_bounds_along(&sweep.turning(f64::NAN));
            assert!(unknown.contains(&held));
        }
    }
}

#[test]
fn bodies_of_several_parts_turn_about_one_pivot() {
    let mut random = Random::new(8);
    let (mut sum, mut count) = (0.0, 0.0);
    for _ in 0..40 {
        let parts: Vec<(Pose, Solid)> = zoo(&mut random)
            .into_iter()
            .map(|solid| (Pose::new(random.rotation(), random.vector() * 2.0), solid))
            .collect();
        let compound = Compound::new(parts).unwrap();
        let (pivot, angle) = (random.vector(), PI * random.unit());
        let flight = Flight::random(&mut random, pivot, 2.0, angle);
        let filled = flight.filled(|pose| compound.bounds(pose));
        let held = compound.swept_bounds_along(&Sweep::new(&flight.start, &flight.end).about(pivot));
        assert!(held.contains(&filled));
        sum += volume(&held) / volume(&filled);
        count += 1.0;
        let centred = Flight { pivot: Vec3::zeros(), ..flight };
        let held = compound.swept_bounds(&centred.start, &centred.end);
        assert!(held.contains(&centred.filled(|pose| compound.bounds(pose))));
    }
    assert!(sum / count < 1.04, "{}", sum / count);
}

#[test]
fn planar_bodies_are_held_too() {
    let mut random = Random::new(9);
    let (mut sum, mut count) = (0.0, 0.0);
    for round in 0..600 {
        let points: Vec<Vec2> = (0..7).map(|_| Vec2::new(random.signed() + 1.0, random.signed())).collect();
        let shapes = [
            PlanarShape::Polygon(Polygon::from_vertices(&points).unwrap()),
            PlanarShape::Circle(Circle::new(0.1 + random.unit()).unwrap()),
            PlanarShape::Ellipse(Ellipse::new(Vec2::new(0.01 + random.unit(), 1.0)).unwrap()),
        ];
        let start = PlanarPose::new(TAU * random.unit(), Vec2::new(random.signed(), random.signed()));
        let angle = if round % 10 == 0 { PI } else { PI * random.signed() };
        let way = Vec2::new(random.signed(), random.signed());
        let at = |pivot: Vec2, t: f64, angle: f64| {
            let turned = PlanarPose::new(start.rotation.angle() + t * angle, Vec2::zeros());
            PlanarPose { position: start.point(&pivot) + way * t - turned.point(&pivot), ..turned }
        };
        let filled = |pivot: Vec2, angle: f64, bounds: &dyn Fn(&PlanarPose) -> PlanarAabb| {
            (0..=INSTANTS)
                .map(|k| bounds(&at(pivot, k as f64 / INSTANTS as f64, angle)))
                .fold(PlanarAabb::empty(), |all, b| all.merged(&b))
        };
        for shape in &shapes {
            let pivot = shape.reference();
            let held = shape.swept_bounds(&start, &at(pivot, 1.0, angle));
            let instants = filled(pivot, angle, &|pose| shape.bounds(pose));
            assert!(held.contains(&instants), "{shape:?} {angle}");
            if round % 10 != 0 {
                sum += volume(&held) / volume(&instants);
                count += 1.0;
            }
            // Three turns more, known only by a bound.
            let far = angle + 3.0 * TAU;
            let sweep = PlanarSweep::new(&start, &at(pivot, 1.0, angle)).about(pivot).turning(far.abs());
            assert!(shape.swept_bounds_along(&sweep).contains(&filled(pivot, far, &|p| shape.bounds(p))));
        }
        let place = PlanarPose::new(1.0, Vec2::new(0.5, -0.2));
        let compound = PlanarCompound::new(shapes.map(|shape| (place, shape)).into()).unwrap();
        let held = compound.swept_bounds(&start, &at(Vec2::zeros(), 1.0, angle));
        assert!(held.contains(&filled(Vec2::zeros(), angle, &|pose| compound.bounds(pose))));
    }
    assert!(sum / count < 1.02, "{}", sum / count);
}

#[test]
fn floors_that_move_stay_floors_and_floors_that_turn_reach_everywhere() {
    let floor = Solid::HalfSpace(HalfSpace::new(Vec3::z(), 0.0).unwrap());
    let lift = floor.swept_bounds(&Pose::identity(), &Pose::at(Vec3::new(1.0, 2.0, 3.0)));
    assert_eq!((lift.lower.z, lift.upper), (f64::NEG_INFINITY, Vec3::new(f64::INFINITY, f64::INFINITY, 3.0)));
    let tilt = Pose::new(Rotation3::new(Vec3::x()), Vec3::zeros());
    assert_eq!(floor.swept_bounds(&Pose::identity(), &tilt), Aabb::everything());
    let wall = PlanarShape::HalfPlane(HalfPlane::new(Vec2::y(), 0.0).unwrap());
    let turned = PlanarPose::new(0.1, Vec2::zeros());
    assert_eq!(wall.swept_bounds(&PlanarPose::identity(), &turned), PlanarAabb::everything());
}

#[test]
fn a_fast_thin_blade_is_caught_only_on_its_way() {
    // Half a turn: the blade lies along x before and after, and passes the post on the y axis in between.
    let blade = Solid::Polytope(Polytope::cuboid(2.0, 0.02, 0.001).unwrap());
    let post = Solid::Cylinder(Cylinder::new(1.0, 0.05).unwrap());
    let (start, end) = (Pose::identity(), Pose::new(Rotation3::new(Vec3::z() * 3.1), Vec3::zeros()));
    let (blade_id, post_id) = (PartId::new(0, 0), PartId::new(1, 0));
    let mut broad = BroadPhase::new();
    let proxy = broad.insert(Part::moving(blade_id), &blade.bounds(&start)).unwrap();
    let stands = Pose::at(Vec3::new(0.0, 0.9, 0.0));
    broad.insert(Part::fixed(post_id), &post.bounds(&stands)).unwrap();
    broad.update_swept(proxy, &blade.bounds(&start), &blade.bounds(&end)).unwrap();
    broad.refresh();
    assert!(broad.pairs().is_empty(), "neither end nor the box around both reaches the post");
    broad.update(proxy, &blade.swept_bounds(&start, &end)).unwrap();
    broad.refresh();
    assert_eq!(broad.pairs(), [(blade_id, post_id)]);
    // It does hit: at half the way the box of the blade alone meets the post's.
    let sweep = Sweep::new(&start, &end);
    assert!(blade.bounds(&sweep.at(0.5)).overlaps(&post.bounds(&stands)));
    // A full turn ends where it began; only the bound on the turning differs.
    broad.update(proxy, &blade.swept_bounds(&start, &start)).unwrap();
    broad.refresh();
    assert!(broad.pairs().is_empty());
    broad.update(proxy, &blade.swept_bounds_along(&Sweep::new(&start, &start).turning(TAU))).unwrap();
    broad.refresh();
    assert_eq!(broad.pairs(), [(blade_id, post_id)]);
}
