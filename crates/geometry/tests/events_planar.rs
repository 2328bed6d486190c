//! Contact events in the plane.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::print_stdout)]

mod common;

use common::{Random, ask_planar, circle, column_error, half_plane};
use percussion_geometry::events::{EventOptions, PlanarEventWorkspace, planar_region};
use percussion_geometry::separation::{BetaTerm, PlanarSeparation};
use percussion_geometry::shapes::{Feature, PlanarShape, Polygon};
use percussion_geometry::{PlanarPose, Vec2};

fn solve(a: &Polygon, pa: &PlanarPose, b: &Polygon, pb: &PlanarPose) -> PlanarSeparation {
    ask_planar(&PlanarShape::Polygon(a.clone()), pa, &PlanarShape::Polygon(b.clone()), pb, None)
}

fn regular(sides: usize, x: f64, y: f64) -> Polygon {
    let corner = |k: usize| {
        let angle = (k as f64 + 0.5) / sides as f64 * std::f64::consts::TAU;
        Vec2::new(x * angle.cos(), y * angle.sin())
    };
    Polygon::from_loop((0..sides).map(corner).collect()).unwrap()
}

fn rectangle(x: f64, y: f64) -> Polygon {
    Polygon::rectangle(2.0 * x, 2.0 * y).unwrap()
}

fn options(a: &Polygon, b: &Polygon, near: bool) -> EventOptions {
    let make = if near { EventOptions::nearly_active } else { EventOptions::active };
    make(a.outer_radius(), b.outer_radius())
}

fn pair(random: &mut Random, gap: f64) -> (Polygon, PlanarPose, Polygon, PlanarPose) {
    let mut shape = || {
        let sides = 3 + random.below(9);
        regular(sides, 0.7 + 0.3 * random.uniform(), 0.7 + 0.3 * random.uniform())
    };
    let (a, b) = (shape(), shape());
    let mut pose = || PlanarPose::new(3.0 * random.uniform(), Vec2::new(random.uniform(), random.uniform()));
    let (mut pa, pb) = (pose(), pose());
    let answer = solve(&a, &pa, &b, &pb);
    pa.position -= answer.beta * (answer.separation - gap);
    (a, pa, b, pb)
}

/// Value of a corner-on-edge pair from the vertices alone.
fn component(
    features: &[Feature; 2],
    (a, pa): (&Polygon, &PlanarPose),
    (b, pb): (&Polygon, &PlanarPose),
    beta: &Vec2,
) -> f64 {
    let edge = |p: &Polygon, pose: &PlanarPose, k: u32| {
        let n = p.vertices().len();
        let from = pose.point(&p.vertices()[k as usize]);
        let side = pose.point(&p.vertices()[(k as usize + 1) % n]) - from;
        (from, Vec2::new(side.y, -side.x))
    };
    match *features {
        [Feature::Vertex(v), Feature::Edge(e)] => {
            let (from, normal) = edge(b, pb, e);
            normal.dot(&(pa.point(&a.vertices()[v as usize]) - from)) / normal.dot(beta)
        }
        [Feature::Edge(e), Feature::Vertex(v)] => {
            let (from, normal) = edge(a, pa, e);
            normal.dot(&(from - pb.point(&b.vertices()[v as usize]))) / normal.dot(beta)
        }
        _ => panic!("{features:?}"),
    }
}

#[test]
fn the_separation_is_the_largest_admissible_component() {
    let mut random = Random(31);
    let mut events = PlanarEventWorkspace::new();
    for _ in 0..5_000 {
        let gap = 0.05 * random.uniform();
        let (a, pa, b, pb) = pair(&mut random, gap);
        let answer = solve(&a, &pa, &b, &pb);
        let mut best = f64::NEG_INFINITY;
        let mut kinds = Vec::new();
        for v in 0..a.vertices().len() as u32 {
            kinds.extend((0..b.vertices().len() as u32).map(|e| [Feature::Vertex(v), Feature::Edge(e)]));
        }
        for v in 0..b.vertices().len() as u32 {
            kinds.extend((0..a.vertices().len() as u32).map(|e| [Feature::Edge(e), Feature::Vertex(v)]));
        }
        for kind in &kinds {
            let s = component(kind, (&a, &pa), (&b, &pb), &answer.beta);
            // The edge's normal supports the corner's body at the corner: a bounded restricted problem.
            let (p, pose, own, v, normal) = match *kind {
                [Feature::Vertex(v), Feature::Edge(e)] => {
                    (&a, &pa, 1.0, v, pb.direction(&b.edge(e as usize).0))
                }
                [Feature::Edge(e), Feature::Vertex(v)] => {
                    (&b, &pb, -1.0, v, pa.direction(&a.edge(e as usize).0))
                }
                _ => panic!(),
            };
            let x = pose.point(&p.vertices()[v as usize]);
            let supports = p.vertices().iter().all(|y| normal.dot(&(pose.point(y) - x)) >= -1e-12);
            if supports && normal.dot(&answer.beta) * own > 0.0 {
                best = best.max(s);
            }
        }
        assert!((best - answer.separation).abs() < 1e-12, "{best} {}", answer.separation);
        let list = events.find(&a, &pa, &b, &pb, &answer, &options(&a, &b, false));
        assert_eq!(list.len(), 1);
        assert!((list[0].separation - best).abs() < 1e-12);
        assert!((list[0].point_a - answer.point_a).norm() < 1e-9);
    }
}

#[test]
fn edges_on_edges_touch_in_the_ends_of_their_overlap() {
    let mut random = Random(32);
    let mut events = PlanarEventWorkspace::new();
    let mut used = 0;
    for _ in 0..10_000 {
        let half = |r: &mut Random| 0.25 * (1 + r.below(4)) as f64;
        let (wa, ha, wb, hb) = (half(&mut random), half(&mut random), half(&mut random), half(&mut random));
        let (a, b) = (rectangle(wa, ha), rectangle(wb, hb));
        let x = 0.25 * (random.below(9) as f64 - 4.0);
        let turn = 3.0 * random.uniform();
        let frame = PlanarPose::new(turn, Vec2::new(5.0, -3.0));
        let pa = frame.then(&PlanarPose::at(Vec2::new(x, ha + hb)));
        let pb = frame;
        let answer = solve(&a, &pa, &b, &pb);
        let (low, high) = ((x - wa).max(-wb), (x + wa).min(wb));
        if high < low - 1e-9 {
            continue;
        }
        used += 1;
        let list = events.find(&a, &pa, &b, &pb, &answer, &options(&a, &b, false)).to_vec();
        let ends: Vec<Vec2> = [low, high].map(|x| frame.point(&Vec2::new(x, hb))).to_vec();
        let expected = if high - low < 1e-9 { 1 } else { 2 };
        if expected == 2 {
            assert_eq!(list.len(), 2, "{list:?}");
        }
        for end in &ends {
            assert!(list.iter().any(|e| (e.point_a - end).norm() < 1e-9), "{end} {list:?}");
        }
        assert!(list.iter().all(|e| e.separation.abs() < 1e-12 * e.alpha.norm()));
        let (p, q) = planar_region(&a, &pa, &b, &pb, &answer, 0.0).unwrap();
        assert!((p - ends[1]).norm() < 1e-8 && (q - ends[0]).norm() < 1e-8, "{p} {q} {ends:?}");
    }
    assert!(used > 5_000);
}

#[test]
fn a_slightly_tilted_rectangle_nearly_touches_with_its_far_corner() {
    let (a, b) = (rectangle(0.5, 0.5), rectangle(2.0, 0.5));
    let pa = PlanarPose::new(0.004, Vec2::new(0.3, 1.01));
    let answer = solve(&a, &pa, &b, &PlanarPose::identity());
    let mut events = PlanarEventWorkspace::new();
    assert_eq!(events.find(&a, &pa, &b, &PlanarPose::identity(), &answer, &options(&a, &b, false)).len(), 1);
    let list = events.find(&a, &pa, &b, &PlanarPose::identity(), &answer, &options(&a, &b, true));
    assert_eq!(list.len(), 2);
    for event in list {
        assert!((event.gap() - (event.point_a.y - 0.5)).abs() < 1e-14);
    }
    let far = list.iter().map(|e| e.separation).fold(f64::MIN, f64::max);
    assert!(far > answer.separation + 0.003);
}

#[test]
fn planar_gradients_agree_with_differences() {
    let mut random = Random(33);
    let mut events = PlanarEventWorkspace::new();
    let (mut checked, mut worst) = (0, 0f64);
    for _ in 0..500 {
        let gap = 0.05 * random.uniform();
        let (a, pa, b, pb) = pair(&mut random, gap);
        let answer = solve(&a, &pa, &b, &pb);
        let (ca, cb) = (pa.point(&a.reference()), pb.point(&b.reference()));
        for event in events.find(&a, &pa, &b, &pb, &answer, &options(&a, &b, true)) {
            if event.alpha.norm() > 5.0 {
                continue;
            }
            let value = |pa: &PlanarPose, pb: &PlanarPose| {
                let beta = (pa.point(&a.reference()) - pb.point(&b.reference())).normalize();
                component(&event.features, (&a, pa), (&b, pb), &beta)
            };
            let columns: [f64; 6] = event.motion_gradient(&ca, &cb, BetaTerm::Follow).into();
            for (k, &column) in columns.iter().enumerate() {
                let moved = |step: f64| {
                    let change = |pose: &PlanarPose, c: &Vec2| match k % 3 {
                        2 => {
                            let r = nalgebra::Rotation2::new(step);
                            PlanarPose { rotation: r * pose.rotation, position: c + r * (pose.position - c) }
                        }
                        axis => PlanarPose {
                            rotation: pose.rotation,
                            position: pose.position + Vec2::ith(axis, step),
                        },
                    };
                    if k < 3 { value(&change(&pa, &ca), &pb) } else { value(&pa, &change(&pb, &cb)) }
                };
                let error = column_error(column, 1e-5, moved);
                worst = worst.max(error);
                assert!(error < 1e-6, "column {k}: {error} {column} {event:?}");
            }
            checked += 1;
        }
    }
    println!("{checked} planar gradients, largest relative error {worst:e}");
    assert!(checked > 400);
}

#[test]
fn a_rectangle_rests_on_a_line_with_two_corners_and_a_disc_with_one_point() {
    let floor = half_plane(Vec2::new(0.6, 0.8), 0.5);
    let tilt = -(0.6f64).atan2(0.8);
    let body = rectangle(0.3, 0.2);
    let up = Vec2::new(0.6, 0.8);
    let mut events = PlanarEventWorkspace::new();
    for (shape, expected) in [(PlanarShape::Polygon(body), 2), (circle(0.2), 1)] {
        let pose = PlanarPose::new(tilt, up * (0.5 + 0.2 + 0.003) + Vec2::new(0.8, -0.6) * 0.7);
        let near = EventOptions::nearly_active(0.4, f64::INFINITY);
        for swapped in [false, true] {
            let (a, pa, b, pb) = if swapped {
                (&floor, &PlanarPose::identity(), &shape, &pose)
            } else {
                (&shape, &pose, &floor, &PlanarPose::identity())
            };
            let answer = ask_planar(a, pa, b, pb, None);
            let list = events.manifold(a, pa, b, pb, &answer, &near);
            assert_eq!(list.len(), expected);
            for event in list {
                assert!((event.separation - 0.003).abs() < 1e-14);
                let on_floor = if swapped { event.point_a } else { event.point_b };
                assert!((up.dot(&on_floor) - 0.5).abs() < 1e-14);
                assert!((event.point_a - event.point_b - event.beta * event.separation).norm() < 1e-15);
            }
        }
    }
}
