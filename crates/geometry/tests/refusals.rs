//! NaN, infinities and meaningless directions are refused on every path, warm ones included, and leave no damage.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod common;

use common::{Random, ask, body, circle, cuboid, curved_solids, ellipse, half_plane, half_space};
use nalgebra::{Rotation, Rotation3};
use percussion_geometry::separation::{
    Options, PlanarOptions, PlanarWarmStart, QueryError, WarmStart, planar_separation, separation,
};
use percussion_geometry::shapes::{PlanarShape, Polygon, Polytope, Solid};
use percussion_geometry::{PlanarPose, Pose, PoseIn, Vec2, Vec3};

const BAD: [f64; 3] = [f64::NAN, f64::INFINITY, f64::NEG_INFINITY];

fn solids() -> Vec<Solid> {
    let block = Solid::Polytope(cuboid(Vec3::new(0.5, 0.4, 0.3)));
    let round = Solid::Polytope(Polytope::rounded(100, 0.5).unwrap());
    [vec![block, round], curved_solids(), vec![half_space(Vec3::z(), -0.3)]].concat()
}

/// Placements with one bad number each, in every place.
fn spoiled<const D: usize>(good: &PoseIn<D>) -> Vec<PoseIn<D>> {
    let spoil = |(bad, k): (f64, usize)| {
        let (mut position, mut matrix) = (good.position, *good.rotation.matrix());
        match k.checked_sub(D) {
            None => position[k] = bad,
            Some(entry) => matrix[entry] = bad,
        }
        PoseIn { rotation: Rotation::from_matrix_unchecked(matrix), position }
    };
    BAD.iter().flat_map(|&bad| (0..D + D * D).map(move |k| (bad, k))).map(spoil).collect()
}

#[test]
fn placements_that_are_not_finite_are_refused_for_every_pair_of_kinds() {
    let good = Pose::new(Rotation3::new(Vec3::new(0.1, 0.2, 0.3)), Vec3::new(0.3, 0.2, 1.1));
    let here = Pose::identity();
    for a in solids() {
        for b in solids() {
            if matches!((&a, &b), (Solid::HalfSpace(_), Solid::HalfSpace(_))) {
                continue;
            }
            for beta in [None, Some(Vec3::z())] {
                for prediction in [f64::INFINITY, 0.1] {
                    let options = Options { beta, prediction };
                    let mut warm = WarmStart::default();
                    let before = separation(&a, &good, &b, &here, &options, &mut warm);
                    for pose in spoiled(&good) {
                        let refused = separation(&a, &pose, &b, &here, &options, &mut warm);
                        assert_eq!(refused, Err(QueryError::NotFinite { body: 'a' }), "{a:?} {b:?} {pose:?}");
                        let refused = separation(&a, &here, &b, &pose, &options, &mut warm);
                        assert_eq!(refused, Err(QueryError::NotFinite { body: 'b' }), "{a:?} {b:?} {pose:?}");
                    }
                    // The warm start is as good as before.
                    let after = separation(&a, &good, &b, &here, &options, &mut warm);
                    if let (Ok(before), Ok(after)) = (before, after) {
                        assert_eq!(before.outcome, after.outcome);
                        let [before, after] = [before.separation, after.separation];
                        assert!((before - after).abs() < 1e-12 || before == after);
                    }
                }
            }
        }
    }
}

#[test]
fn directions_without_direction_are_refused() {
    let mut random = Random(101);
    let (pa, pb) = (Pose::at(Vec3::new(0.0, 0.1, 2.0)), Pose::identity());
    let mut directions = vec![Vec3::zeros()];
    for bad in BAD {
        directions.extend([Vec3::new(bad, 0.0, 1.0), Vec3::new(0.0, 1.0, bad), Vec3::repeat(bad)]);
    }
    let shapes = solids();
    for a in &shapes[..7] {
        for b in &shapes {
            for beta in &directions {
                let options = Options { beta: Some(*beta), ..Options::default() };
                let refused = separation(a, &pa, b, &pb, &options, &mut WarmStart::default());
                assert_eq!(refused, Err(QueryError::BadDirection), "{beta:?}");
            }
        }
    }
    // Tiny and huge directions are directions.
    let (a, b) = (Solid::Polytope(body(&mut random)), Solid::Polytope(body(&mut random)));
    let along = |length: f64| ask(&a, &pa, &b, &pb, Some(Vec3::new(0.1, 0.2, 1.0) * length)).separation;
    for length in [1e-300, 1e-8, 1e150, 1e300] {
        assert!((along(length) - along(1.0)).abs() < 1e-14, "{length}");
    }
}

#[test]
fn planar_placements_and_directions_are_checked_too() {
    let shapes = [
        PlanarShape::Polygon(Polygon::regular(5, 0.5).unwrap()),
        circle(0.5),
        ellipse(0.3, 0.8),
        half_plane(Vec2::y(), 0.1),
    ];
    let good = PlanarPose::new(0.3, Vec2::new(0.2, 1.9));
    let here = PlanarPose::identity();
    for a in &shapes {
        for b in &shapes {
            let query = |pa: &PlanarPose, pb: &PlanarPose, beta: Option<Vec2>| {
                let options = PlanarOptions { beta, ..PlanarOptions::default() };
                planar_separation(a, pa, b, pb, &options, &mut PlanarWarmStart::default())
            };
            let unbounded = matches!((a, b), (PlanarShape::HalfPlane(_), PlanarShape::HalfPlane(_)));
            if unbounded {
                assert_eq!(query(&good, &here, None), Err(QueryError::BothUnbounded));
                continue;
            }
            for pose in &spoiled(&good) {
                assert_eq!(query(pose, &here, None), Err(QueryError::NotFinite { body: 'a' }));
                assert_eq!(query(&here, pose, None), Err(QueryError::NotFinite { body: 'b' }));
            }
            for bad in BAD {
                for beta in [Vec2::zeros(), Vec2::new(bad, 1.0), Vec2::new(0.0, bad)] {
                    assert_eq!(query(&good, &here, Some(beta)), Err(QueryError::BadDirection));
                }
            }
        }
    }
}

#[test]
fn concentric_bodies_have_an_answer() {
    // No line of centres: the last direction, else a fixed axis; never NaN.
    let shapes = solids();
    let here = Pose::new(Rotation3::new(Vec3::new(0.3, 0.1, 0.2)), Vec3::new(1.0, 2.0, 3.0));
    for a in &shapes[..7] {
        for b in &shapes[..7] {
            let centred = |s: &Solid| Pose::new(here.rotation, here.position - here.rotation * s.reference());
            let found = ask(a, &centred(a), b, &centred(b), None);
            assert!(found.separation < 0.0 && found.separation.is_finite() && found.alpha.norm().is_finite());
            assert!((found.beta.norm() - 1.0).abs() < 1e-14 && found.certificate_gap() < 1e-11);
            let mut warm = WarmStart { beta: Vec3::x(), ..WarmStart::default() };
            let turned = separation(a, &centred(a), b, &centred(b), &Options::default(), &mut warm).unwrap();
            assert!(
                turned.reference_distance > 1e-15 || (turned.beta - Vec3::x()).norm() < 1e-14,
                "{turned:?}"
            );
        }
    }
}
