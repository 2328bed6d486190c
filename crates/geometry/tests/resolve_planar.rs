//! Degenerate contacts in the plane: corners on corners, edges on edges.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::print_stdout)]

mod common;

use common::{Random, ask_planar, circle, half_plane};
use percussion_geometry::separation::{
    BetaTerm, PlanarResolved, PlanarSeparation, planar_ranges, planar_subdifferential, resolve_planar,
};
use percussion_geometry::shapes::{Feature, PlanarShape, Polygon};
use percussion_geometry::{PlanarPose, Vec2};

struct Pair {
    a: PlanarShape,
    pose_a: PlanarPose,
    b: PlanarShape,
    pose_b: PlanarPose,
}

impl Pair {
    fn ask(&self) -> PlanarSeparation {
        self.ask_along(None)
    }

    fn ask_along(&self, beta: Option<Vec2>) -> PlanarSeparation {
        ask_planar(&self.a, &self.pose_a, &self.b, &self.pose_b, beta)
    }

    fn resolved(&self) -> PlanarResolved {
        resolve_planar(&self.a, &self.pose_a, &self.b, &self.pose_b, &self.ask()).unwrap()
    }

    fn references(&self) -> (Vec2, Vec2) {
        (self.pose_a.point(&self.a.reference()), self.pose_b.point(&self.b.reference()))
    }

    fn moved(&self, v: &[f64; 6], by: f64) -> Pair {
        let (ca, cb) = self.references();
        let moved = |pose: &PlanarPose, reference: &Vec2, v: &[f64]| {
            let turned = PlanarPose::new(v[2] * by, Vec2::zeros());
            let position = reference + turned.direction(&(pose.position - reference));
            PlanarPose {
                rotation: turned.rotation * pose.rotation,
                position: position + Vec2::new(v[0], v[1]) * by,
            }
        };
        Pair {
            a: self.a.clone(),
            pose_a: moved(&self.pose_a, &ca, &v[..3]),
            b: self.b.clone(),
            pose_b: moved(&self.pose_b, &cb, &v[3..]),
        }
    }
}

fn tip_square() -> PlanarShape {
    PlanarShape::Polygon(Polygon::from_loop(vec![Vec2::x(), Vec2::y(), -Vec2::x(), -Vec2::y()]).unwrap())
}

fn flat_square() -> PlanarShape {
    PlanarShape::Polygon(Polygon::square(2.0).unwrap())
}

fn pair(a: PlanarShape, at: Vec2, b: PlanarShape) -> Pair {
    Pair { a, pose_a: PlanarPose::at(at), b, pose_b: PlanarPose::identity() }
}

/// One-sided derivatives against the subdifferential, with β following and held.
fn check(name: &str, pair: &Pair, random: &mut Random, velocities: usize) {
    let (answer, chosen) = (pair.ask(), pair.resolved());
    let set = planar_subdifferential(&pair.a, &pair.pose_a, &pair.b, &pair.pose_b, &answer).unwrap();
    let (ca, cb) = pair.references();
    for term in [BetaTerm::Follow, BetaTerm::Hold] {
        let gradients = set.motion(&ca, &cb, term);
        assert!(gradients.contains(answer.motion_gradient(&ca, &cb, term), 1e-10), "{name}");
        let own: [f64; 6] = chosen.motion_gradient(&ca, &cb, term).into();
        assert!(gradients.contains(own, 1e-10), "{name}");
        for _ in 0..velocities {
            let v = [0; 6].map(|_| random.uniform());
            let held = (term == BetaTerm::Hold).then_some(answer.beta);
            let value = |by: f64| pair.moved(&v, by).ask_along(held).separation;
            let slope = |by: f64| (value(by) - value(0.0)) / by;
            let slope = 2.0 * slope(5e-6) - slope(1e-5);
            let predicted = gradients.directional_derivative(&v);
            let size = 1.0 + gradients.support(&v).abs();
            assert!((slope - predicted).abs() <= 1e-6 * size, "{name} {term:?}: {slope} {predicted}");
            let opposite = v.map(|c| -c);
            assert!(slope <= gradients.support(&v) + 1e-6 * size, "{name}");
            assert!(slope >= -gradients.support(&opposite) - 1e-6 * size, "{name}");
            let perturbed: [f64; 6] = std::array::from_fn(|k| own[k] + 1e-2 * v[k]);
            let reach = set.alphas().len() + set.contact_region().len();
            // A segment or point in six dimensions does not hold random neighbours.
            assert!(reach > 3 || !gradients.contains(perturbed, 1e-7), "{name}");
        }
    }
}

#[test]
fn a_corner_on_a_corner_has_two_extreme_directions() {
    for gap in [-0.25, 0.0, 0.5] {
        let pair = pair(tip_square(), Vec2::new(2.0 + gap, 0.0), tip_square());
        let r = pair.resolved();
        assert_eq!(r.separation, gap);
        assert!((r.alpha - Vec2::x()).norm() <= 1e-15, "{}", r.alpha);
        assert!(r.several_alphas && !r.several_duals);
        assert_eq!(r.features, (Feature::Vertex(2), Feature::Vertex(0)));
        assert_eq!((r.weights_a, r.weights_b), (vec![(2, 1.0)], vec![(0, 1.0)]));
        let range = planar_ranges(&pair.a, &pair.pose_a, &pair.b, &pair.pose_b, &pair.ask()).unwrap();
        assert!((range.alpha[0].0 - 1.0).abs() <= 1e-15 && (range.alpha[0].1 - 1.0).abs() <= 1e-15);
        assert!((range.alpha[1].0 + 1.0).abs() <= 1e-15 && (range.alpha[1].1 - 1.0).abs() <= 1e-15);
        check("corner on corner", &pair, &mut Random(3), 100);
    }
}

#[test]
fn an_edge_on_an_edge_has_a_segment_of_contact_points() {
    for (shift, gap) in [(0.0, 0.0), (0.0, 0.25), (0.5, -0.125), (1.5, 0.0)] {
        let pair = pair(flat_square(), Vec2::new(shift, 2.0 + gap), flat_square());
        let (answer, r) = (pair.ask(), pair.resolved());
        assert!((r.alpha - Vec2::y()).norm() <= 1e-15 || shift > 0.0);
        assert!((r.normal() - Vec2::y()).norm() <= 1e-15);
        assert!(r.several_duals && !r.several_alphas);
        assert_eq!(r.features, (Feature::Edge(0), Feature::Edge(2)));
        for weights in [&r.weights_a, &r.weights_b] {
            let total: f64 = weights.iter().map(|(_, w)| w).sum();
            assert!((total - 1.0).abs() <= 1e-15 && weights.iter().all(|(_, w)| *w > 0.0));
        }
        // The overlap along the edges, b shifted by s β.
        let slide = answer.separation * answer.beta.x;
        let set = planar_subdifferential(&pair.a, &pair.pose_a, &pair.b, &pair.pose_b, &answer).unwrap();
        let mut ends: Vec<f64> = set.contact_region().iter().map(|p| p.x).collect();
        ends.sort_by(f64::total_cmp);
        assert!((ends[0] - (shift - 1.0).max(slide - 1.0)).abs() <= 1e-14);
        assert!((ends[1] - (shift + 1.0).min(slide + 1.0)).abs() <= 1e-14);
        // Least norm: the contact point in the middle of the overlap.
        assert!((r.point_a.x - 0.5 * (ends[0] + ends[1])).abs() <= 1e-14, "{}", r.point_a);
        check("edge on edge", &pair, &mut Random(5), 100);
    }
}

#[test]
fn weights_and_directions_of_lattice_polygons_are_the_shortest() {
    let mut random = Random(29);
    let (mut corners, mut edges) = (0, 0);
    for index in 0..5000 {
        let mut polygon = || loop {
            let points: Vec<Vec2> =
                (0..5).map(|_| Vec2::new(random.below(5) as f64, random.below(5) as f64)).collect();
            if let Ok(p) = Polygon::from_vertices(&points) {
                break p;
            }
        };
        let (p, q) = (polygon(), polygon());
        let at = Vec2::new(0.5 * random.below(12) as f64, 0.5 * random.below(12) as f64);
        let pair = pair(PlanarShape::Polygon(p.clone()), at, PlanarShape::Polygon(q.clone()));
        let answer = pair.ask();
        if answer.reference_distance < 0.2 {
            continue;
        }
        let r = pair.resolved();
        // All optimal directions by brute force: every edge normal of either polygon, checked at all vertices.
        let normals =
            (0..p.vertices().len()).map(|k| -p.edge(k).0).chain((0..q.vertices().len()).map(|k| q.edge(k).0));
        let slope = |n: &Vec2| n.dot(&answer.beta);
        let value = |n: &Vec2| {
            let low = p.vertices().iter().map(|v| n.dot(&(v + at))).fold(f64::INFINITY, f64::min);
            let high = q.vertices().iter().map(|v| n.dot(v)).fold(f64::NEG_INFINITY, f64::max);
            (low - high) / slope(n)
        };
        let side = Vec2::new(-answer.beta.y, answer.beta.x);
        let optimal: Vec<f64> = normals
            .filter(|n| slope(n) > 1e-6 && (value(n) - answer.separation).abs() <= 1e-11)
            .map(|n| side.dot(&(n / slope(&n))))
            .collect();
        let low = optimal.iter().copied().fold(f64::INFINITY, f64::min);
        let high = optimal.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        assert_eq!(r.several_alphas, high - low > 1e-9, "{index}");
        let shortest = answer.beta + side * 0f64.clamp(low, high);
        assert!((r.alpha - shortest).norm() <= 1e-12 * shortest.norm(), "{index}: {} {shortest}", r.alpha);
        corners += usize::from(r.several_alphas);
        edges += usize::from(r.several_duals);
        // Both sums, the balance, and nothing but active vertices.
        let mixed = |weights: &[(u32, f64)], points: &[Vec2]| {
            weights.iter().fold(Vec2::zeros(), |sum, &(k, w)| sum + w * points[k as usize])
        };
        let apart = mixed(&r.weights_a, p.vertices()) + at - mixed(&r.weights_b, q.vertices());
        assert!((apart - answer.separation * answer.beta).norm() <= 1e-13, "{index}");
        if index % 25 == 0 {
            check("lattice", &pair, &mut random, 4);
        }
    }
    println!("{corners} corners on corners, {edges} edges on edges");
    assert!(corners > 30 && edges > 300, "{corners} {edges}");
}

#[test]
fn a_square_on_a_line_and_a_disc_on_a_square_are_resolved() {
    let ground = half_plane(Vec2::y(), 0.0);
    let flat = pair(flat_square(), Vec2::new(0.5, 1.25), ground.clone());
    let r = flat.resolved();
    assert_eq!(
        (r.weights_a.clone(), r.features),
        (vec![(0, 0.5), (1, 0.5)], (Feature::Edge(0), Feature::Plane))
    );
    assert!(r.point_a == Vec2::new(0.5, 0.25) && r.weights_b.is_empty() && r.several_duals);
    let tipped = pair(tip_square(), Vec2::new(0.5, 1.25), ground);
    assert_eq!(tipped.resolved().features, (Feature::Vertex(3), Feature::Plane));

    let disc = circle(0.5);
    let r = pair(disc, Vec2::new(0.0, 2.0), flat_square()).resolved();
    assert_eq!(r.features, (Feature::Curved, Feature::Edge(2)));
    assert!((r.alpha - Vec2::y()).norm() <= 1e-13 && r.weights_a.is_empty());
    assert!(r.weights_b.iter().all(|(_, w)| (w - 0.5).abs() <= 1e-7), "{:?}", r.weights_b);
}
