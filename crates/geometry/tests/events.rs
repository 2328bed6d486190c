//! Contact events as statements: their values, gradients, symmetry, and what they leave out.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::print_stdout)]

mod common;

use common::{
    Random, ask, body, column_error, cuboid, lattice, moved, octahedron, prism, solve, tetrahedron,
};
use nalgebra::Rotation3;
use percussion_geometry::events::{
    ContactEvent, ContactRegion, EventKind, EventOptions, EventWorkspace, Side,
};
use percussion_geometry::separation::{BetaTerm, Options, WarmStart, separation};
use percussion_geometry::shapes::{Polytope, Solid};
use percussion_geometry::{Pose, Vec3};

fn active(a: &Polytope, b: &Polytope) -> EventOptions {
    EventOptions::active(a.outer_radius(), b.outer_radius())
}

fn nearly(a: &Polytope, b: &Polytope) -> EventOptions {
    EventOptions::nearly_active(a.outer_radius(), b.outer_radius())
}

fn place(random: &mut Random, reach: f64) -> Pose {
    Pose::new(random.rotation(), random.direction() * reach * (0.3 + random.uniform().abs()))
}

/// Two random bodies, moved along their line of centres until their separation is `gap`.
fn pair(random: &mut Random, gap: f64) -> (Polytope, Pose, Polytope, Pose) {
    let (a, b) = (body(random), body(random));
    let (pa, pb) = (place(random, 1.0), place(random, 1.0));
    let answer = solve(&a, &pa, &b, &pb);
    let position = pa.position - answer.beta * (answer.separation - gap);
    (a, Pose::new(pa.rotation, position), b, pb)
}

/// The component function of an event's features, from vertices alone: value and direction [Hart 3.14].
fn component(
    kind: &EventKind,
    a: &Polytope,
    pose_a: &Pose,
    b: &Polytope,
    pose_b: &Pose,
    beta: &Vec3,
) -> (f64, Vec3) {
    let face_point = |p: &Polytope, f: u32| p.vertices()[p.face_loop(&p.faces()[f as usize])[0] as usize];
    let edge = |p: &Polytope, pose: &Pose, e: u32| {
        p.edges()[e as usize].vertices.map(|v| pose.point(&p.vertices()[v as usize]))
    };
    let (nu, x, y) = match *kind {
        EventKind::CornerOnFace { corner_of: Side::A, vertex, face } => {
            let nu = pose_b.direction(&b.faces()[face as usize].normal);
            (nu, pose_a.point(&a.vertices()[vertex as usize]), pose_b.point(&face_point(b, face)))
        }
        EventKind::CornerOnFace { corner_of: Side::B, vertex, face } => {
            let nu = -pose_a.direction(&a.faces()[face as usize].normal);
            (nu, pose_a.point(&face_point(a, face)), pose_b.point(&b.vertices()[vertex as usize]))
        }
        EventKind::EdgeOnEdge { edge_a, edge_b } => {
            let ([p, q], [r, t]) = (edge(a, pose_a, edge_a), edge(b, pose_b, edge_b));
            ((q - p).cross(&(t - r)), p, r)
        }
        EventKind::Smooth { .. } => panic!("polytopes have no smooth events"),
    };
    let alpha = nu / nu.dot(beta);
    (alpha.dot(&(x - y)), alpha)
}

fn every_kind(a: &Polytope, b: &Polytope) -> Vec<EventKind> {
    let mut kinds = Vec::new();
    for (corner_of, p, q) in [(Side::A, a, b), (Side::B, b, a)] {
        for vertex in 0..p.vertices().len() as u32 {
            let on = |face| EventKind::CornerOnFace { corner_of, vertex, face };
            kinds.extend((0..q.faces().len() as u32).map(on));
        }
    }
    for edge_a in 0..a.edges().len() as u32 {
        kinds.extend((0..b.edges().len() as u32).map(|edge_b| EventKind::EdgeOnEdge { edge_a, edge_b }));
    }
    kinds
}

/// Lower bound of the separation that the direction proves, from all vertices.
fn bound(alpha: &Vec3, a: &Polytope, pose_a: &Pose, b: &Polytope, pose_b: &Pose) -> f64 {
    let low = a.vertices().iter().map(|v| alpha.dot(&pose_a.point(v))).fold(f64::INFINITY, f64::min);
    let high = b.vertices().iter().map(|v| alpha.dot(&pose_b.point(v))).fold(f64::NEG_INFINITY, f64::max);
    low - high
}

#[test]
fn the_separation_is_the_largest_component_function() {
    // Theorem 3.13: a restricted problem is bounded exactly when its direction supports both bodies at its
    // features, and then its value is the bound that direction proves.
    let mut random = Random(21);
    let mut events = EventWorkspace::new();
    for round in 0..2_000 {
        let gap = if round % 2 == 0 { 0.05 * random.uniform() } else { 0.0 };
        let (a, pa, b, pb) = pair(&mut random, gap);
        let answer = solve(&a, &pa, &b, &pb);
        let mut best = (f64::NEG_INFINITY, None);
        for kind in every_kind(&a, &b) {
            let (s, alpha) = component(&kind, &a, &pa, &b, &pb, &answer.beta);
            if s.is_finite() && alpha.norm() < 1e6 {
                let proven = bound(&alpha, &a, &pa, &b, &pb);
                assert!(proven <= answer.separation + 1e-9 * alpha.norm());
                if (s - proven).abs() < 1e-10 * alpha.norm() && s > best.0 {
                    best = (s, Some(kind));
                }
            }
        }
        assert!((best.0 - answer.separation).abs() < 1e-10, "{best:?} {}", answer.separation);
        let list = events.find(&a, &pa, &b, &pb, &answer, &active(&a, &b));
        // A generic pair has exactly one active event.
        assert_eq!(list.len(), 1, "{list:?}");
        assert_eq!(Some(list[0].kind), best.1);
        assert!((list[0].separation - answer.separation).abs() < 1e-12 * list[0].alpha.norm());
        assert!((list[0].alpha - answer.alpha).norm() < 1e-8 * answer.alpha.norm().powi(2));
        assert!((list[0].point_a - answer.point_a).norm() < 1e-8 * answer.alpha.norm());
    }
}

#[test]
fn nearly_active_events_are_those_of_the_definition() {
    // Every corner-face and edge-edge pair of both bodies, checked one by one.
    let mut random = Random(22);
    let mut events = EventWorkspace::new();
    let (mut total, mut rounds) = (0, 0);
    for _ in 0..1_500 {
        let gap = 0.02 * random.uniform();
        let (a, pa, b, pb) = pair(&mut random, gap);
        let answer = solve(&a, &pa, &b, &pb);
        if answer.alpha.norm() > 3.0 {
            continue;
        }
        let options = EventOptions { eps_x: 0.02, eps_t: 0.05, eps_0: 1e-9, tilt: 0.4 };
        let list = events.find(&a, &pa, &b, &pb, &answer, &options).to_vec();
        let window = options.eps_t * answer.reference_distance.max(a.inner_radius() + b.inner_radius());
        for event in &list {
            let (s, alpha) = component(&event.kind, &a, &pa, &b, &pb, &answer.beta);
            assert!((s - event.separation).abs() < 1e-9 * alpha.norm(), "{event:?} {s}");
            assert!((alpha - event.alpha).norm() < 1e-9 * alpha.norm());
            assert!((event.point_a - event.point_b - answer.beta * s).norm() < 1e-9 * alpha.norm());
            assert!(s >= answer.separation - 1.1e-9 * alpha.norm() && s <= answer.separation + window + 1e-8);
            // The points lie within eps_x of their bodies, as distances to all face planes.
            for (p, pose, x) in [(&a, &pa, event.point_a), (&b, &pb, event.point_b)] {
                let x = pose.inverse_point(&x);
                let out = p.faces().iter().map(|f| f.normal.dot(&x) - f.offset).fold(f64::MIN, f64::max);
                assert!(out <= options.eps_x * 1.5, "{out}");
            }
        }
        // Nothing that lies inside its features is missing.
        for kind in every_kind(&a, &b) {
            let (s, alpha) = component(&kind, &a, &pa, &b, &pb, &answer.beta);
            if !(s.is_finite() && alpha.norm() < 1e3)
                || s < answer.separation
                || s > answer.separation + window
            {
                continue;
            }
            let Some((x, y)) = points_inside(&kind, &a, &pa, &b, &pb, &answer.beta, s) else { continue };
            if !admissible(&kind, &alpha, &a, &pa, &b, &pb, options.tilt * 0.999) {
                continue;
            }
            let present = list.iter().any(|e| {
                e.kind == kind
                    || (e.point_a - x).norm() < 1e-8
                        && (e.point_b - y).norm() < 1e-8
                        && e.normal().cross(&alpha.normalize()).norm() <= options.tilt
            });
            assert!(present, "missing {kind:?} at {s}: {list:#?}");
        }
        total += list.len();
        rounds += 1;
    }
    println!("{total} events in {rounds} pairs");
    assert!(total > rounds + rounds / 10);
}

/// Contact points of an event if they lie within both features.
fn points_inside(
    kind: &EventKind,
    a: &Polytope,
    pa: &Pose,
    b: &Polytope,
    pb: &Pose,
    beta: &Vec3,
    s: f64,
) -> Option<(Vec3, Vec3)> {
    let inside = |p: &Polytope, pose: &Pose, x: &Vec3| {
        let x = pose.inverse_point(x);
        p.faces().iter().all(|f| f.normal.dot(&x) - f.offset <= 1e-12)
    };
    let (x, y) = match *kind {
        EventKind::CornerOnFace { corner_of: Side::A, vertex, .. } => {
            let x = pa.point(&a.vertices()[vertex as usize]);
            (x, x - beta * s)
        }
        EventKind::CornerOnFace { vertex, .. } => {
            let y = pb.point(&b.vertices()[vertex as usize]);
            (y + beta * s, y)
        }
        EventKind::EdgeOnEdge { edge_a, edge_b } => {
            // Least squares for x + u e = y + v f + s β.
            let ends = |p: &Polytope, pose: &Pose, e: u32| {
                p.edges()[e as usize].vertices.map(|v| pose.point(&p.vertices()[v as usize]))
            };
            let ([p, q], [r, t]) = (ends(a, pa, edge_a), ends(b, pb, edge_b));
            let m = nalgebra::Matrix3x2::from_columns(&[q - p, r - t]);
            let uv = m.svd(true, true).solve(&(r + beta * s - p), 1e-14).ok()?;
            let x = p + (q - p) * uv.x;
            (x, x - beta * s)
        }
        EventKind::Smooth { .. } => return None,
    };
    (inside(a, pa, &x) && inside(b, pb, &y)).then_some((x, y))
}

/// Whether moving from the features into their bodies never falls more steeply than `tilt`.
fn admissible(
    kind: &EventKind,
    alpha: &Vec3,
    a: &Polytope,
    pa: &Pose,
    b: &Polytope,
    pb: &Pose,
    tilt: f64,
) -> bool {
    let n = alpha.normalize();
    let corner = |p: &Polytope, pose: &Pose, v: u32, up: Vec3| {
        p.neighbours(v as usize).iter().all(|&w| {
            let e = pose.direction(&(p.vertices()[w as usize] - p.vertices()[v as usize]));
            up.dot(&e.normalize()) >= -tilt
        })
    };
    let edge = |p: &Polytope, pose: &Pose, e: u32, up: Vec3| {
        let e = p.edges()[e as usize];
        let [v, w] = e.vertices.map(|v| p.vertices()[v as usize]);
        let along = (w - v).normalize();
        e.faces.iter().all(|&f| {
            // Towards the face's middle, across the edge.
            let corners = p.face_loop(&p.faces()[f as usize]);
            let middle =
                corners.iter().map(|&c| p.vertices()[c as usize]).sum::<Vec3>() / corners.len() as f64;
            let into = middle - v;
            let into = (into - along * along.dot(&into)).normalize();
            up.dot(&pose.direction(&into)) >= -tilt
        })
    };
    match *kind {
        EventKind::CornerOnFace { corner_of: Side::A, vertex, face } => {
            n.dot(&pb.direction(&b.faces()[face as usize].normal)) > 0.0 && corner(a, pa, vertex, n)
        }
        EventKind::CornerOnFace { vertex, face, .. } => {
            n.dot(&pa.direction(&a.faces()[face as usize].normal)) < 0.0 && corner(b, pb, vertex, -n)
        }
        EventKind::EdgeOnEdge { edge_a, edge_b } => edge(a, pa, edge_a, n) && edge(b, pb, edge_b, -n),
        EventKind::Smooth { .. } => false,
    }
}

#[test]
fn the_hull_of_the_active_events_is_the_contact_region() {
    // Theorem 3.4 on a lattice, where faces, edges and corners meet in every combination.
    let mut random = Random(23);
    let (mut events, mut region) = (EventWorkspace::new(), ContactRegion::new());
    let mut seen = [0; 3];
    for round in 0..30_000 {
        let half = |r: &mut Random| Vec3::from_fn(|_, _| 0.25 * (1 + r.below(3)) as f64);
        let shape = |r: &mut Random| {
            let h = half(r);
            if r.below(2) == 0 { cuboid(h) } else { octahedron(h) }
        };
        let (a, b) = (shape(&mut random), shape(&mut random));
        let turn = if round % 2 == 0 { Rotation3::identity() } else { random.rotation() };
        let (ca, cb): (Vec3, Vec3) = (lattice::point(&mut random, 4), lattice::point(&mut random, 4));
        if (ca - cb).norm() < 0.1 {
            continue;
        }
        let (pa, pb) = (Pose::new(turn, turn * ca), Pose::new(turn, turn * cb));
        let answer = solve(&a, &pa, &b, &pb);
        let list = events.find(&a, &pa, &b, &pb, &answer, &active(&a, &b));
        assert!(!list.is_empty());
        let highest = list.iter().map(|e| e.separation).fold(f64::MIN, f64::max);
        assert!((highest - answer.separation).abs() < 1e-12);
        region.find(&a, &pa, &b, &pb, &answer, 0.0);
        let corners = region.points_a();
        // Every corner of the region is an event, every event lies in the region (a flat one: the nearest point
        // of the polygon's fan of triangles).
        for c in corners {
            assert!(list.iter().any(|e| (e.point_a - c).norm() < 1e-8), "{c} not in {list:#?}");
        }
        for e in list {
            assert!(distance_to_fan(&e.point_a, corners) < 1e-8, "{e:?}\n{corners:?}");
            assert!((e.separation - answer.separation).abs() < 1e-12 * e.alpha.norm());
            let proven = bound(&e.alpha, &a, &pa, &b, &pb);
            assert!(proven >= answer.separation - 1e-7 * e.alpha.norm(), "inadmissible {e:?}");
        }
        for (k, e) in list.iter().enumerate() {
            for f in &list[..k] {
                let twice = (e.point_a - f.point_a).norm() < 1e-9 && (e.normal() - f.normal()).norm() < 1e-9;
                assert!(!twice, "the same event twice: {e:?} {f:?}");
            }
        }
        seen[region.dimension().unwrap()] += 1;
    }
    println!("{seen:?} points, segments, polygons");
    assert!(seen.iter().all(|&n| n > 500), "{seen:?}");
}

fn distance_to_fan(p: &Vec3, corners: &[Vec3]) -> f64 {
    let segment = |q: &Vec3, r: &Vec3| {
        let e = r - q;
        let t = if e.norm() > 0.0 { ((p - q).dot(&e) / e.norm_squared()).clamp(0.0, 1.0) } else { 0.0 };
        (q + e * t - p).norm()
    };
    let mut best = (0..corners.len())
        .map(|k| segment(&corners[k], &corners[(k + 1) % corners.len()]))
        .fold(f64::INFINITY, f64::min);
    for k in 2..corners.len() {
        let (u, v) = (corners[k - 1] - corners[0], corners[k] - corners[0]);
        let n = u.cross(&v);
        if n.norm() > 1e-12 {
            let w = p - corners[0];
            let (x, y) = (w.cross(&v).dot(&n) / n.norm_squared(), u.cross(&w).dot(&n) / n.norm_squared());
            if x >= 0.0 && y >= 0.0 && x + y <= 1.0 {
                best = best.min(w.dot(&n).abs() / n.norm());
            }
        }
    }
    best
}

#[test]
fn a_slightly_tilted_box_nearly_touches_with_its_far_corners() {
    let (a, b) = (cuboid(Vec3::new(0.5, 0.5, 0.5)), cuboid(Vec3::new(1.0, 1.0, 0.5)));
    // The furthest corner rises by 1.4 tilt, within eps_t D = 0.01.
    let tilt = 0.006;
    let mut events = EventWorkspace::new();
    for axis in [Vec3::y(), Vec3::new(1.0, 0.7, 0.0).normalize()] {
        let pa = Pose::new(Rotation3::new(axis * tilt), Vec3::new(0.1, 0.05, 1.02));
        let pb = Pose::identity();
        let answer = solve(&a, &pa, &b, &pb);
        let few = events.find(&a, &pa, &b, &pb, &answer, &active(&a, &b)).len();
        assert!(few < 4);
        let list = events.find(&a, &pa, &b, &pb, &answer, &nearly(&a, &b));
        assert_eq!(list.len(), 4, "{list:?}");
        for event in list {
            let EventKind::CornerOnFace { corner_of: Side::A, vertex, .. } = event.kind else { panic!() };
            // β leans a little: the height above the face is s_m/|alpha|.
            let height = pa.point(&a.vertices()[vertex as usize]).z - 0.5;
            assert!((event.gap() - height).abs() < 1e-14);
            assert!(event.separation >= answer.separation - 1e-14);
        }
        assert!(list.iter().any(|e| e.separation > answer.separation + 0.5 * tilt));
    }
}

#[test]
fn tilted_boxes_of_equal_size_nearly_touch_in_four_places() {
    // Corners meet corners: each place offers a corner of a, a corner of b and two edge crossings.
    let body = cuboid(Vec3::new(0.5, 0.5, 0.5));
    let mut events = EventWorkspace::new();
    for yaw in [0.0, 0.002, -0.004] {
        for tilt in [Vec3::zeros(), Vec3::new(0.004, 0.0, 0.0), Vec3::new(0.003, -0.002, 0.0)] {
            let pa = Pose::new(Rotation3::new(tilt) * Rotation3::new(Vec3::z() * yaw), Vec3::z() * 1.01);
            let answer = solve(&body, &pa, &body, &Pose::identity());
            let list = events.find(&body, &pa, &body, &Pose::identity(), &answer, &nearly(&body, &body));
            for sx in [-0.5, 0.5] {
                for sy in [-0.5, 0.5] {
                    let here = |e: &&ContactEvent| {
                        (e.point_b.x - sx).abs() < 0.02 && (e.point_b.y - sy).abs() < 0.02
                    };
                    assert_eq!(list.iter().filter(here).count(), 1, "yaw {yaw} tilt {tilt:?} {list:#?}");
                }
            }
        }
    }
}

#[test]
fn the_top_of_a_thin_plate_is_no_contact() {
    let (plate, floor) = (cuboid(Vec3::new(0.5, 0.5, 1e-4)), cuboid(Vec3::new(5.0, 5.0, 0.5)));
    let pa = Pose::new(Rotation3::new(Vec3::new(1e-5, 2e-5, 0.1)), Vec3::z() * 0.5003);
    let answer = solve(&plate, &pa, &floor, &Pose::identity());
    let mut events = EventWorkspace::new();
    let options = EventOptions { eps_t: 1e-2, ..nearly(&plate, &floor) };
    let list = events.find(&plate, &pa, &floor, &Pose::identity(), &answer, &options);
    assert_eq!(list.len(), 4, "{list:#?}");
    for event in list {
        let EventKind::CornerOnFace { vertex, .. } = event.kind else { panic!() };
        assert!(plate.vertices()[vertex as usize].z < 0.0);
    }
}

#[test]
fn gradients_agree_with_differences_of_the_same_event() {
    let mut random = Random(24);
    let mut events = EventWorkspace::new();
    let (mut checked, mut edges, mut worst) = (0, 0, 0f64);
    for round in 0..400 {
        let gap = 0.05 * random.uniform();
        let (a, pa, b, pb) = pair(&mut random, gap);
        let answer = solve(&a, &pa, &b, &pb);
        let options = EventOptions { eps_x: 0.05, eps_t: 0.1, eps_0: 1e-9, tilt: 0.5 };
        let list = events.find(&a, &pa, &b, &pb, &answer, &options).to_vec();
        let reference = |p: &Polytope, pose: &Pose| pose.point(&p.reference());
        let (ca, cb) = (reference(&a, &pa), reference(&b, &pb));
        let follows = round % 2 == 0;
        for event in list.iter().filter(|e| e.alpha.norm() < 5.0) {
            let value = |pa: &Pose, pb: &Pose| {
                let line = reference(&a, pa) - reference(&b, pb);
                let beta = if follows { line.normalize() } else { answer.beta };
                component(&event.kind, &a, pa, &b, pb, &beta).0
            };
            if let EventKind::EdgeOnEdge { edge_a, edge_b } = event.kind {
                let along = |p: &Polytope, pose: &Pose, e: u32| {
                    let [v, w] = p.edges()[e as usize].vertices.map(|v| p.vertices()[v as usize]);
                    pose.direction(&(w - v)).normalize()
                };
                // Nearly parallel edges curve faster than a difference of this step can follow.
                if along(&a, &pa, edge_a).cross(&along(&b, &pb, edge_b)).norm() < 0.1 {
                    continue;
                }
                edges += 1;
            }
            let term = if follows { BetaTerm::Follow } else { BetaTerm::Hold };
            let gradient = event.motion_gradient(&ca, &cb, term).columns();
            for (k, column) in gradient.into_iter().enumerate() {
                let value = |by: f64| match k < 6 {
                    true => value(&moved(&pa, &ca, k, by), &pb),
                    false => value(&pa, &moved(&pb, &cb, k - 6, by)),
                };
                let error = column_error(column, 1e-5, value);
                worst = worst.max(error);
                assert!(error < 1e-6, "column {k}: {error} {column} {event:?}");
            }
            checked += 1;
        }
    }
    println!("{checked} gradients, {edges} of edge pairs, largest relative error {worst:e}");
    assert!(checked > 500 && edges > 100);
}

#[test]
fn exchanging_the_bodies_turns_the_events_round() {
    let mut random = Random(25);
    let (mut events, mut swapped) = (EventWorkspace::new(), EventWorkspace::new());
    for round in 0..3_000 {
        let (a, pa, b, pb) = if round % 3 == 0 {
            let (a, b) = (prism(5, Vec3::new(0.5, 0.6, 0.4)), cuboid(Vec3::new(0.6, 0.5, 0.4)));
            let turn = random.rotation();
            let up = turn * Vec3::new(0.5 * random.uniform(), 0.5 * random.uniform(), 0.8);
            let yaw = Rotation3::new(Vec3::z() * random.uniform());
            (a, Pose::new(turn * yaw, up), b, Pose::new(turn, Vec3::zeros()))
        } else {
            let gap = 0.01 * random.uniform();
            pair(&mut random, gap)
        };
        let (there, back) = (solve(&a, &pa, &b, &pb), solve(&b, &pb, &a, &pa));
        let options = nearly(&a, &b);
        let list = events.find(&a, &pa, &b, &pb, &there, &options);
        let other = swapped.find(&b, &pb, &a, &pa, &back, &options);
        assert_eq!(list.len(), other.len(), "{list:#?}\n{other:#?}");
        for e in list {
            let twin = other.iter().map(|f| f.flipped()).find(|f| {
                (e.point_a - f.point_a).norm() < 1e-9
                    && (e.point_b - f.point_b).norm() < 1e-9
                    && (e.separation - f.separation).abs() < 1e-9
                    && (e.alpha - f.alpha).norm() < 1e-7
            });
            assert!(twin.is_some(), "{e:?}\n{other:#?}");
        }
    }
}

#[test]
fn tetrahedra_tip_to_tip_offer_the_extreme_normals() {
    // Two tips meet: each event's direction proves the same separation, and they differ.
    let tip =
        |z: f64| [Vec3::zeros(), Vec3::new(0.4, 0.0, z), Vec3::new(-0.2, 0.35, z), Vec3::new(-0.2, -0.35, z)];
    let (a, b) = (tetrahedron(tip(1.0)), tetrahedron(tip(-1.0)));
    let (pa, pb) = (Pose::identity(), Pose::new(Rotation3::new(Vec3::z() * 0.3), Vec3::zeros()));
    let answer = solve(&a, &pa, &b, &pb);
    assert!(answer.separation.abs() < 1e-12);
    let mut events = EventWorkspace::new();
    let list = events.find(&a, &pa, &b, &pb, &answer, &active(&a, &b));
    assert!(list.len() >= 3, "{list:?}");
    for (k, event) in list.iter().enumerate() {
        assert!(event.separation.abs() < 1e-12 && event.point_a.norm() < 1e-12);
        assert!((bound(&event.alpha, &a, &pa, &b, &pb)).abs() < 1e-12);
        assert!(list[..k].iter().all(|f| (f.normal() - event.normal()).norm() > 1e-3));
    }
    // The optimal direction of the kernel lies in their hull: here simply within their spread about z.
    let mean = list.iter().map(|e| e.alpha).sum::<Vec3>() / list.len() as f64;
    let spread = list.iter().map(|e| (e.alpha - mean).norm()).fold(0.0, f64::max);
    assert!((mean - answer.alpha).norm() < spread + 1e-9);
}

#[test]
fn a_large_polytope_costs_only_its_neighbourhood() {
    // A faceted disc of 400 sides standing on its rim: one side down.
    let (wheel, floor) = (prism(400, Vec3::new(1.0, 1.0, 0.2)), cuboid(Vec3::new(2.0, 2.0, 0.5)));
    let turn = Rotation3::new(Vec3::x() * std::f64::consts::FRAC_PI_2);
    let down = 0.5 + (std::f64::consts::PI / 400.0).cos();
    let pa = Pose::new(turn, Vec3::new(0.0, 0.0, down));
    let answer = solve(&wheel, &pa, &floor, &Pose::identity());
    let mut events = EventWorkspace::new();
    let list = events.find(&wheel, &pa, &floor, &Pose::identity(), &answer, &active(&wheel, &floor)).to_vec();
    assert!(list.len() == 2 || list.len() == 4, "{list:#?}");
    for event in &list {
        assert!(event.separation.abs() < 1e-12 && (event.normal() - Vec3::z()).norm() < 1e-9);
    }
}

#[test]
fn along_a_prescribed_direction_heights_are_heights() {
    // β is the floor's normal and does not follow the bodies: s_m is the corner's height.
    let (a, b) = (cuboid(Vec3::new(0.5, 0.5, 0.5)), cuboid(Vec3::new(3.0, 3.0, 0.5)));
    let pa = Pose::new(Rotation3::new(Vec3::new(0.004, -0.002, 0.4)), Vec3::new(1.7, -1.2, 1.01));
    let (sa, sb) = (Solid::Polytope(a.clone()), Solid::Polytope(b.clone()));
    let answer = ask(&sa, &pa, &sb, &Pose::identity(), Some(Vec3::z()));
    let mut events = EventWorkspace::new();
    let list = events.find(&a, &pa, &b, &Pose::identity(), &answer, &nearly(&a, &b));
    assert_eq!(list.len(), 4);
    for event in list {
        assert!((event.separation - (event.point_a.z - 0.5)).abs() < 1e-14);
        let g = event.motion_gradient(&pa.position, &Vec3::zeros(), BetaTerm::Follow);
        assert!((g.translation_a - Vec3::z()).norm() < 1e-14);
    }
}

#[test]
fn bodies_out_of_reach_have_no_events() {
    let body = cuboid(Vec3::new(0.5, 0.5, 0.5));
    let (solid, far) = (Solid::Polytope(body.clone()), Pose::at(Vec3::x() * 9.0));
    let near_only = Options { prediction: 0.1, ..Options::default() };
    let answer =
        separation(&solid, &far, &solid, &Pose::identity(), &near_only, &mut WarmStart::default()).unwrap();
    let mut events = EventWorkspace::new();
    assert!(events.find(&body, &far, &body, &Pose::identity(), &answer, &nearly(&body, &body)).is_empty());
    assert!(
        events.manifold(&solid, &far, &solid, &Pose::identity(), &answer, &nearly(&body, &body)).is_empty()
    );
    let mut region = ContactRegion::new();
    region.find(&body, &far, &body, &Pose::identity(), &answer, 0.0);
    assert_eq!(region.dimension(), None);
}
