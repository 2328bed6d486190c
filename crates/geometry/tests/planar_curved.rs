//! Where curved planar bodies touch: points, weights and directions against closed forms and against a bisection of
//! the direction, which uses support points only.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::print_stdout)]

mod common;

use common::{Random, ask_planar, circle, lattice};
use percussion_geometry::separation::{Outcome, PlanarSeparation};
use percussion_geometry::shapes::{PlanarShape, Polygon};
use percussion_geometry::{PlanarPose, Vec2};

/// Points may be off by this multiple of the pair's size, per unit of slope `|α|` and of what rounding does to them by
/// their very nature: some twenty roundings.
const POINT: f64 = 4e-15;

/// Certificates are this narrow (multiple of the pair's size, per unit of slope).
const CERTIFICATE: f64 = 2e-15;

struct Scene {
    a: PlanarShape,
    pa: PlanarPose,
    b: PlanarShape,
    pb: PlanarPose,
    beta: Option<Vec2>,
}

impl Scene {
    fn ask(&self) -> PlanarSeparation {
        ask_planar(&self.a, &self.pa, &self.b, &self.pb, self.beta)
    }

    fn size(&self) -> f64 {
        self.a.outer_radius() + self.b.outer_radius()
    }

    /// Support points of a and b that face each other across the world direction `n` from b to a, both seen from
    /// a's position.
    fn facing(&self, n: &Vec2) -> (Vec2, Vec2) {
        let side = |shape: &PlanarShape, pose: &PlanarPose, n: Vec2| {
            pose.direction(&shape.support(&pose.inverse_direction(&n)).unwrap())
                + (pose.position - self.pa.position)
        };
        (side(&self.a, &self.pa, -n), side(&self.b, &self.pb, *n))
    }

    /// Contact points (seen from a's position) and unit normal by halving the angle between β and the normal until
    /// nothing lies between: at one end the pair of support points is to the left of the line, at the other to
    /// the right.
    fn bisected(&self, beta: &Vec2) -> (Vec2, Vec2, Vec2) {
        let across = Vec2::new(-beta.y, beta.x);
        let normal = |angle: f64| angle.cos() * beta + angle.sin() * across;
        let sideways = |angle: f64| {
            let (x, y) = self.facing(&normal(angle));
            across.dot(&(x - y))
        };
        let mut ends = [-std::f64::consts::FRAC_PI_2, std::f64::consts::FRAC_PI_2];
        loop {
            let middle = 0.5 * (ends[0] + ends[1]);
            if middle <= ends[0] || middle >= ends[1] {
                break;
            }
            // The lowest point of a - b moves right when the normal turns left.
            ends[usize::from(sideways(middle) < 0.0)] = middle;
        }
        let [c, d] = ends.map(sideways);
        let [(x0, y0), (x1, y1)] = ends.map(|angle| self.facing(&normal(angle)));
        let weight = if c == d { 0.5 } else { c / (c - d) };
        (x0 + (x1 - x0) * weight, y0 + (y1 - y0) * weight, normal(ends[0]))
    }

    /// The shortest edge, or the size where there is none.
    fn shortest(&self) -> f64 {
        let edge = |shape: &PlanarShape| match shape {
            PlanarShape::Polygon(p) => {
                let ends = p.vertices().iter().zip(p.vertices().iter().cycle().skip(1));
                ends.map(|(v, w)| (v - w).norm()).fold(f64::INFINITY, f64::min)
            }
            _ => f64::INFINITY,
        };
        edge(&self.a).min(edge(&self.b)).min(self.size())
    }

    /// Least and largest radius of curvature of the difference on its arcs.
    fn radii(&self) -> (f64, f64) {
        let radii = |shape: &PlanarShape| match shape {
            PlanarShape::Ellipse(e) => {
                let (short, long) = (e.semi_axes().min(), e.semi_axes().max());
                (short * short / long, long * long / short)
            }
            PlanarShape::Circle(c) => (c.radius(), c.radius()),
            _ => (0.0, 0.0),
        };
        let (a, b) = (radii(&self.a), radii(&self.b));
        (a.0 + b.0, a.1 + b.1)
    }

    /// Turned and moved as a whole.
    fn moved(mut self, motion: &PlanarPose) -> Self {
        for pose in [&mut self.pa, &mut self.pb] {
            *pose = PlanarPose {
                rotation: motion.rotation * pose.rotation,
                position: motion.point(&pose.position),
            };
        }
        self.beta = self.beta.map(|beta| motion.direction(&beta));
        self
    }
}

fn ellipse(semi: Vec2) -> PlanarShape {
    common::ellipse(semi.x, semi.y)
}

/// Corners at random points of an ellipse: edges long and short.
fn polygon(random: &mut Random, semi: Vec2) -> PlanarShape {
    loop {
        let mut angles: Vec<f64> =
            (0..3 + random.below(9)).map(|_| random.uniform() * std::f64::consts::PI).collect();
        angles.sort_by(f64::total_cmp);
        let corners = angles.iter().map(|angle| Vec2::new(angle.cos(), angle.sin()).component_mul(&semi));
        if let Ok(p) = Polygon::from_loop(corners.collect())
            && p.inner_radius() > 0.1 * semi.min()
        {
            return PlanarShape::Polygon(p);
        }
    }
}

fn length(random: &mut Random) -> f64 {
    0.2 + 0.4 * (random.uniform() + 1.0)
}

fn pose(random: &mut Random, reach: f64) -> PlanarPose {
    PlanarPose::new(random.uniform() * 3.2, Vec2::new(random.uniform(), random.uniform()) * reach)
}

/// A curved body, and anything. `thin` is the proportion of ellipses.
fn pair(random: &mut Random, thin: f64) -> (PlanarShape, PlanarShape) {
    let axes = |r: &mut Random| Vec2::new(length(r), length(r) * thin);
    let curved = match random.below(2) {
        0 => circle(length(random)),
        _ => ellipse(axes(random)),
    };
    let other = match random.below(4) {
        0 => circle(length(random)),
        1 => ellipse(axes(random)),
        _ => {
            let semi = Vec2::new(length(random), length(random));
            polygon(random, semi)
        }
    };
    if random.below(2) == 0 { (curved, other) } else { (other, curved) }
}

/// All that must hold of an answer; returns the error of its points in such units.
fn verify(scene: &Scene, answer: &PlanarSeparation, what: &str) -> f64 {
    assert_eq!(answer.outcome, Outcome::Solved, "{what}");
    let (size, slope) = (scene.size(), answer.alpha.norm());
    // Support points move with their radius of curvature when the direction is off by a rounding, and a short edge turns
    // when the heights of its ends are; the direction, the other way round, moves with the sharpness of the curve.
    let (sharp, flat) = scene.radii();
    let unit = size * slope * (flat / scene.shortest()).max(1.0);
    let turned = slope * (size / sharp + size / scene.shortest());
    // World coordinates round to their own size.
    let far = 4.0 * f64::EPSILON * (scene.pa.position.amax() + scene.pb.position.amax());
    let (p, q, normal) = scene.bisected(&answer.beta);
    let seen = [answer.point_a, answer.point_b].map(|point| point - scene.pa.position);
    let off = (seen[0] - p).norm().max((seen[1] - q).norm());
    assert!(off <= POINT * unit + far, "{what}: {off:e} {answer:?}");
    let residual = (answer.point_a - answer.point_b - answer.separation * answer.beta).norm();
    assert!(residual <= 1e-15 * (size + answer.separation.abs()) + far, "{what}: {residual:e} {answer:?}");
    assert!((answer.alpha.dot(&answer.beta) - 1.0).abs() <= 1e-14 * slope, "{what}: {answer:?}");
    let turn = answer.normal().perp(&normal).abs();
    assert!(turn <= POINT * turned, "{what}: {turn:e} {answer:?}");
    let (low, high) = (answer.certificate_gap(), CERTIFICATE * size * slope);
    assert!((0.0..=high).contains(&low), "{what}: {low:e} {answer:?}");
    // The supporting lines at the answer's own direction are as far apart as its separation.
    let (x, y) = scene.facing(&answer.normal());
    let between = answer.alpha.dot(&(x - y));
    assert!((between - answer.separation).abs() <= 2.0 * high + far * slope, "{what}: {between} {answer:?}");
    for (shape, pose, point, mut weights) in [
        (&scene.a, &scene.pa, p, answer.weights_a().collect::<Vec<_>>()),
        (&scene.b, &scene.pb, q, answer.weights_b().collect()),
    ] {
        let PlanarShape::Polygon(polygon) = shape else {
            assert!(weights.is_empty());
            continue;
        };
        weights.sort_by(|v, w| w.1.total_cmp(&v.1));
        let total: f64 = weights.iter().map(|(_, w)| w).sum();
        assert!((total - 1.0).abs() <= 4.0 * f64::EPSILON && weights.iter().all(|(_, w)| *w > 0.0));
        let local = pose.inverse_direction(&(point - (pose.position - scene.pa.position)));
        let made =
            weights.iter().fold(Vec2::zeros(), |sum, &(k, w)| sum + w * polygon.vertices()[k as usize]);
        assert!((made - local).norm() <= POINT * unit, "{what}: {answer:?}");
        if let [(i, w), (j, _)] = weights[..] {
            assert!(polygon.feature(&[i, j]).is_some(), "{what}: no edge {answer:?}");
            let edge = polygon.vertices()[i as usize] - polygon.vertices()[j as usize];
            let share = edge.dot(&(local - polygon.vertices()[j as usize])) / edge.norm_squared();
            assert!((share - w).abs() * edge.norm() <= POINT * unit, "{what}: {share} {answer:?}");
        }
    }
    (off - far).max(0.0) / unit
}

/// Boxes and curves side by side, one above the other and within each other, none of them turned: the line of centres is
/// the normal of an edge, and corners are level.
fn on_lattice(random: &mut Random) -> Scene {
    let side = |r: &mut Random| 0.25 * (1 + r.below(4)) as f64;
    let plank = PlanarShape::Polygon(Polygon::rectangle(side(random), side(random)).unwrap());
    let curve = match random.below(2) {
        0 => circle(side(random)),
        _ => ellipse(Vec2::new(side(random), side(random))),
    };
    let (a, b) = if random.below(2) == 0 { (plank, curve) } else { (curve, plank) };
    let mut place = |turned: bool| {
        let at = lattice::point(random, 3);
        if turned { PlanarPose::new(random.uniform(), at) } else { PlanarPose::at(at) }
    };
    let (turn_a, turn_b) = (matches!(a, PlanarShape::Ellipse(_)), matches!(b, PlanarShape::Ellipse(_)));
    let (mut pa, pb) = (place(turn_a), place(turn_b));
    if pa.position == pb.position {
        pa.position.y += 0.25;
    }
    Scene { a, pa, b, pb, beta: None }
}

#[test]
fn level_corners_of_planks_do_not_stop_the_search() {
    let mut random = Random(37);
    let (mut worst, mut edges) = (0.0f64, 0);
    for index in 0..20_000 {
        let scene = on_lattice(&mut random);
        let answer = scene.ask();
        worst = worst.max(verify(&scene, &answer, &format!("{index}")));
        edges += usize::from(answer.weights_a().count() == 2 || answer.weights_b().count() == 2);
        // As a whole turned, the same up to rounding.
        let motion = pose(&mut random, 1.0);
        let turned = scene.moved(&motion);
        let again = turned.ask();
        worst = worst.max(verify(&turned, &again, &format!("{index} turned")));
        assert!((again.separation - answer.separation).abs() <= POINT * answer.alpha.norm());
    }
    println!("points to {worst:.1e}, {edges} on edges");
    assert!(edges > 5000);
}

/// The scene with body a moved along β until the separation is `gap`.
fn at_distance(mut scene: Scene, gap: f64) -> Scene {
    let answer = scene.ask();
    scene.pa.position += (gap - answer.separation) * answer.beta;
    scene
}

#[test]
fn points_weights_and_directions_are_those_of_a_bisection() {
    let mut random = Random(31);
    let (mut worst, mut most, mut total, mut edges) = (0.0f64, 0, 0, 0);
    let count = 30_000;
    for index in 0..count {
        let (a, b) = pair(&mut random, 1.0);
        let (pa, pb) = (pose(&mut random, 1.5), pose(&mut random, 0.1));
        let scene = Scene { a, pa, b, pb, beta: None };
        // Wherever they came to lie; in touch; a hair apart and a hair inside.
        let scene = match index % 5 {
            0 | 1 => scene,
            2 => at_distance(scene, 0.0),
            3 => at_distance(scene, 1e-9),
            _ => at_distance(scene, -1e-9),
        };
        let answer = scene.ask();
        worst = worst.max(verify(&scene, &answer, &format!("{index}")));
        most = most.max(answer.iterations);
        total += answer.iterations;
        edges += usize::from(answer.weights_a().count() == 2 || answer.weights_b().count() == 2);
    }
    let mean = f64::from(total) / count as f64;
    println!("points to {worst:.1e}, {edges} on edges, iterations at most {most}, mean {mean:.2}");
    assert!(edges > count / 20 && most <= 40);
}

#[test]
fn thin_tiny_and_distant_bodies_keep_their_points() {
    let mut random = Random(32);
    let (mut worst, mut most) = (0.0f64, 0);
    for index in 0..20_000 {
        let thin = 10f64.powf(-3.0 * random.uniform().abs());
        let (a, b) = match index % 4 {
            0 | 1 => pair(&mut random, thin),
            2 => (circle(1e-6 * length(&mut random)), polygon(&mut random, Vec2::new(1.0, 0.7))),
            _ => (ellipse(Vec2::new(1e-6, 2e-6)), ellipse(Vec2::new(0.3, 1.1))),
        };
        let far = if index % 4 == 1 { Vec2::new(1e6, -2e6) } else { Vec2::zeros() };
        let (mut pa, mut pb) = (pose(&mut random, 1.5), pose(&mut random, 0.1));
        pa.position += far;
        pb.position += far;
        let scene = Scene { a, pa, b, pb, beta: None };
        let answer = scene.ask();
        worst = worst.max(verify(&scene, &answer, &format!("{index}")));
        most = most.max(answer.iterations);
    }
    println!("points to {worst:.1e}, iterations at most {most}");
}

#[test]
fn needles_dots_and_coincident_centres_carry_their_certificates() {
    let mut random = Random(36);
    let (mut worst, mut most) = (0.0f64, 0);
    for index in 0..200_000 {
        let thin = 10f64.powf(-7.0 * random.uniform().abs());
        let (a, b) = match index % 3 {
            0 => pair(&mut random, thin),
            1 => (ellipse(Vec2::new(1.0, thin)), polygon(&mut random, Vec2::new(1.0, 1.0))),
            _ => (circle(thin), polygon(&mut random, Vec2::new(0.7, 1.0))),
        };
        let reach = [1.5, 0.1, 1e-9, 0.0][random.below(4)];
        let (pa, pb) = match random.below(2) {
            0 => (
                PlanarPose::at(lattice::point(&mut random, 2)),
                PlanarPose::at(lattice::point(&mut random, 2)),
            ),
            _ => (pose(&mut random, reach), PlanarPose::new(random.uniform(), Vec2::zeros())),
        };
        let scene = Scene { a, pa, b, pb, beta: None };
        let answer = scene.ask();
        let gap = answer.certificate_gap() / scene.size();
        assert!((0.0..=1e-11).contains(&gap) && answer.point_a.norm().is_finite(), "{index}: {answer:?}");
        // However thin, the line of centres passes through the inscribed circles.
        let steepest = scene.size() / (scene.a.inner_radius() + scene.b.inner_radius());
        assert!(answer.alpha.norm() <= 1.001 * steepest, "{index}: {answer:?}");
        worst = worst.max(gap);
        most = most.max(answer.iterations);
    }
    println!("worst certificate {worst:.1e} of size, at most {most} iterations");
    assert!(most <= 100);
}

#[test]
fn a_prescribed_direction_finds_the_same_points() {
    let mut random = Random(33);
    let mut hits = 0;
    for index in 0..20_000 {
        let (a, b) = pair(&mut random, 0.5);
        let (pa, pb) = (pose(&mut random, 1.0), pose(&mut random, 0.1));
        let beta = Some(Vec2::new(random.uniform(), random.uniform()));
        let scene = Scene { a, pa, b, pb, beta };
        let answer = scene.ask();
        // Near its silhouette a curved body is arbitrarily steep, and points slide along it.
        if answer.outcome == Outcome::Solved && answer.alpha.norm() < 20.0 {
            hits += 1;
            verify(&scene, &answer, &format!("{index}"));
        }
    }
    assert!(hits > 5000, "{hits}");
}

/// Smaller root `s` of `|p + s β| = 1`.
fn entry(p: &Vec2, beta: &Vec2) -> Option<f64> {
    let (a, b, c) = (beta.norm_squared(), p.dot(beta), p.norm_squared() - 1.0);
    // p is outside or inside; with both terms of one sign nothing cancels.
    let root = (b * b - a * c).max(0.0).sqrt();
    let outer = if b > 0.0 { -(b + root) / a } else { (root - b) / a };
    (b * b >= a * c).then(|| outer.min(c / a / outer))
}

#[test]
fn a_curve_over_a_plank_touches_its_edge_or_its_corner_where_closed_forms_say() {
    let mut random = Random(34);
    let (mut edges, mut corners) = (0, 0);
    for index in 0..20_000 {
        let half = Vec2::new(length(&mut random), length(&mut random));
        let corner = |x: f64, y: f64| Vec2::new(x * half.x, y * half.y);
        let plank = vec![corner(-1.0, -1.0), corner(1.0, -1.0), corner(1.0, 1.0), corner(-1.0, 1.0)];
        let semi = match index % 2 {
            0 => Vec2::repeat(length(&mut random)),
            _ => Vec2::new(length(&mut random), length(&mut random)),
        };
        let turn = random.uniform() * 3.0;
        let at = Vec2::new(2.0 * random.uniform(), 0.1 + random.uniform().abs() * 2.0);
        let beta = at.normalize();
        let body = if index % 2 == 0 { circle(semi.x) } else { ellipse(semi) };
        let place = PlanarPose::new(turn, at);
        // The lowest point of the curve: A² n/|A n| with the downward normal in its frame.
        let down = place.inverse_direction(&-Vec2::y());
        let lowest = at
            + place.direction(
                &semi.component_mul(&semi.component_mul(&down)).scale(1.0 / semi.component_mul(&down).norm()),
            );
        let s = (lowest.y - half.y) / beta.y;
        let on_edge = lowest - s * beta;
        let motion = pose(&mut random, 3.0);
        let scene = Scene {
            a: body,
            pa: place,
            b: PlanarShape::Polygon(Polygon::from_loop(plank).unwrap()),
            pb: PlanarPose::identity(),
            beta: None,
        }
        .moved(&motion);
        let answer = scene.ask();
        let unit = POINT * scene.size() * answer.alpha.norm();
        let check = |s: f64, p: Vec2, q: Vec2| {
            assert!((answer.separation - s).abs() <= unit, "{index}: {s} {answer:?}");
            assert!((answer.point_a - motion.point(&p)).norm() <= unit, "{index}: {p} {answer:?}");
            assert!((answer.point_b - motion.point(&q)).norm() <= unit, "{index}: {q} {answer:?}");
        };
        if on_edge.x.abs() < half.x {
            edges += 1;
            check(s, lowest, on_edge);
            let share = (1.0 + on_edge.x / half.x) / 2.0;
            for (k, w) in answer.weights_b() {
                let expected = if k == 2 { share } else { 1.0 - share };
                assert!(k >= 2 && (w - expected).abs() * half.x <= unit, "{index}: {answer:?}");
            }
            continue;
        }
        // Around the corner: in the frame where the curve is the unit circle.
        let tip = corner(on_edge.x.signum(), 1.0);
        let stretch = |v: Vec2| place.inverse_direction(&v).component_div(&semi);
        let Some(s) = entry(&stretch(tip - at), &stretch(beta)) else { continue };
        let point = tip + s * beta;
        let outward = place.direction(&stretch(point - at).component_div(&semi));
        // Only if the normal there is one of the corner's; else another edge is touched.
        if outward.x * tip.x < 0.0 && outward.y < 0.0 {
            corners += 1;
            check(s, point, tip);
            let alpha = motion.direction(&(-outward / -outward.dot(&beta)));
            assert!(
                (answer.alpha - alpha).norm()
                    <= POINT * alpha.norm_squared() * scene.size() / scene.radii().0,
                "{index}: {answer:?}"
            );
            assert_eq!(answer.weights_b().count(), 1, "{index}: {answer:?}");
        }
    }
    println!("{edges} on edges, {corners} on corners");
    assert!(edges > 5000 && corners > 1000);
}

#[test]
fn equal_aligned_ellipses_share_the_way() {
    let mut random = Random(35);
    for _ in 0..5000 {
        let semi = Vec2::new(length(&mut random), length(&mut random));
        let (pa, shift) = (pose(&mut random, 2.0), pose(&mut random, 2.0));
        let scene = Scene {
            a: ellipse(semi),
            pa,
            b: ellipse(semi),
            pb: PlanarPose { position: shift.position, ..pa },
            beta: None,
        };
        let answer = scene.ask();
        let between = pa.position - shift.position;
        // Both reach the same way towards each other.
        let reach = between / pa.inverse_direction(&between).component_div(&semi).norm();
        let unit = POINT * scene.size() * answer.alpha.norm();
        assert!((answer.point_a - (pa.position - reach)).norm() <= unit, "{answer:?}");
        assert!((answer.point_b - (shift.position + reach)).norm() <= unit, "{answer:?}");
    }
}
