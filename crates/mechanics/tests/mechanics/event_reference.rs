//! The reference of collision schemes, checked itself by closed forms, differences, conservation.

use crate::common::events::{
    Contact, Flight, Glide, History, Motion, Pair, PairHistory, STRIDE, Solid, StepError, Vec3, quick_pair,
    thrown, tilted_brick, tilted_cube,
};
use crate::common::*;
use rapier3d_f64::parry::math::{Pose, Rotation, Vector};
use rapier3d_f64::parry::query;
use rapier3d_f64::parry::shape::ConvexPolyhedron;

const G: f64 = 9.81;

fn turned(axis: Vec3) -> Matrix3<f64> {
    Rotation3::from_scaled_axis(axis).into_inner()
}

fn starts() -> [(&'static str, (Flight, Motion)); 3] {
    [("cube", tilted_cube()), ("brick", tilted_brick()), ("quick pair", quick_pair())]
}

/// The first impacts of a start, by asking for ever more time.
fn impacts(flight: &Flight, start: &Motion, count: usize) -> History {
    let mut until = 1.0;
    loop {
        let history = flight.run(start, until).unwrap();
        if history.impacts.len() >= count {
            return history;
        }
        until *= 1.5;
    }
}

#[test]
fn a_point_bounces_in_a_geometric_series() {
    let solid = Solid { mass: 2.0, moments: Vec3::repeat(1.0), vertices: vec![Vec3::zeros()], faces: vec![] };
    let (height, e) = (0.7, 0.8);
    let flight = Flight::new(solid, G, e);
    let (above, spin) = (Vec3::z() * height, Vec3::new(1.0, 2.0, 3.0));
    let start = flight.solid.moving(above, turned(Vec3::x()), Vec3::x(), spin);
    let fall = (2.0 * height / G).sqrt();
    // All bounces end at fall (1+e)/(1-e).
    let history = flight.run(&start, 0.97 * fall * (1.0 + e) / (1.0 - e)).unwrap();
    assert!(history.impacts.len() > 12);
    let mut exact = fall;
    for (k, impact) in history.impacts.iter().enumerate() {
        assert!((impact.time - exact).abs() < 1e-14, "{k}: {:e}", impact.time - exact);
        assert!((impact.after.velocity.z - G * fall * e.powi(k as i32 + 1)).abs() < 1e-13);
        assert_eq!((impact.after.velocity.x, impact.after.momentum), (1.0, start.momentum));
        exact += 2.0 * fall * e.powi(k as i32 + 1);
    }
    assert!(matches!(flight.run(&start, 5.0), Err(StepError::Grazing { .. } | StepError::Endless { .. })));
}

#[test]
fn a_falling_rod_turns_as_the_textbook_says() {
    let (mass, length, tilt, e): (f64, f64, f64, f64) = (1.5, 0.6, 0.4, 0.7);
    let ends = vec![Vec3::x() * (0.5 * length), Vec3::x() * (-0.5 * length)];
    let j = mass * length * length / 12.0;
    let solid = Solid { mass, moments: Vec3::new(0.1 * j, j, j), vertices: ends, faces: vec![] };
    let flight = Flight::new(solid, G, e);
    // Turned about y, the end on +x is the lower one.
    let start =
        flight.solid.moving(Vec3::new(0.0, 0.0, 1.0), turned(Vec3::y() * tilt), Vec3::zeros(), Vec3::zeros());
    let fall = (2.0 * (1.0 - 0.5 * length * tilt.sin()) / G).sqrt();
    let impact = flight.run(&start, fall + 0.01).unwrap().impacts.remove(0);
    let (speed, c) = (G * fall, tilt.cos());
    let spin = -6.0 * (1.0 + e) * speed * c / (length * (1.0 + 3.0 * c * c));
    assert_eq!(impact.vertex, 0);
    assert!((impact.time - fall).abs() < 1e-15);
    assert!((flight.solid.spin(&impact.after) - Vec3::y() * spin).norm() < 1e-13);
    assert!((impact.impulse - mass * (impact.after.velocity.z + speed)).abs() < 1e-13);
    assert!((impact.impulse - mass * (1.0 + e) * speed / (1.0 + 3.0 * c * c)).abs() < 1e-13);
}

#[test]
fn a_top_with_two_equal_moments_precesses_in_closed_form() {
    for moments in [Vec3::new(1.0, 1.0, 1.6), Vec3::new(2.0, 2.0, 0.7)] {
        let solid = Solid { mass: 1.0, moments, vertices: vec![], faces: vec![] };
        let r = turned(Vec3::new(0.3, -1.0, 0.8));
        let start = solid.moving(Vec3::zeros(), r, Vec3::zeros(), r * Vec3::new(0.9, -0.4, 2.0));
        let mut glide = Glide::new(0.0, &solid, &start, Vec3::zeros(), STRIDE);
        glide.reach(10.0);
        let mut worst = 0f64;
        for i in 0..=1000 {
            let t = 0.01 * i as f64;
            // The frame turns about L at |L|/J1 while the body turns about its figure axis.
            let own = 2.0 * (1.0 - moments.z / moments.x);
            let exact = turned(start.momentum * (t / moments.x)) * r * turned(Vec3::z() * (own * t));
            worst = worst.max((glide.at(t).rotation - exact).amax());
        }
        assert!(worst < 2e-14, "{worst:e}");
    }
}

#[test]
fn a_top_with_three_moments_returns_after_the_elliptic_period() {
    let (moments, spin) = (Vec3::new(1.0, 2.0, 2.5), Vec3::new(0.9, 0.2, 1.4));
    let solid = Solid { mass: 1.0, moments, vertices: vec![], faces: vec![] };
    let start = solid.moving(Vec3::zeros(), Matrix3::identity(), Vec3::zeros(), spin);
    let (j, square, energy) = (moments, start.momentum.norm_squared(), 2.0 * solid.kinetic(&start));
    let outer = (j.z - j.y) * (square - energy * j.x);
    let modulus = (j.y - j.x) * (energy * j.z - square) / outer;
    assert!((0.1..0.95).contains(&modulus));
    let (mut a, mut b) = (1.0, (1.0f64 - modulus).sqrt());
    for _ in 0..8 {
        (a, b) = (0.5 * (a + b), (a * b).sqrt());
    }
    // 4 K(k) in units of sqrt(J1 J2 J3 / outer), K from the arithmetic-geometric mean.
    let period = 2.0 * std::f64::consts::PI / a * (j.product() / outer).sqrt();
    let mut glide = Glide::new(0.0, &solid, &start, Vec3::zeros(), STRIDE);
    glide.reach(10.0 * period);
    for cycles in [1.0, 2.0, 10.0] {
        let body = glide.at(cycles * period).rotation.transpose() * start.momentum;
        assert!((body - start.momentum).norm() < 1e-13 * cycles, "{:e}", (body - start.momentum).norm());
    }
    let half = glide.at(0.5 * period).rotation.transpose() * start.momentum;
    assert!((half - start.momentum).norm() > 1.0);
}

#[test]
fn between_impacts_differences_obey_newton_and_euler() {
    for (name, (flight, start)) in starts() {
        let history = impacts(&flight, &start, 8);
        let h = 1e-4;
        let mut checked = 0;
        for k in 0..400 {
            let t = history.until * (k as f64 + 0.5) / 400.0;
            let apart = |time: f64| (time - t).abs() >= 2.1 * h;
            if !history.times().into_iter().chain([0.0, history.until]).all(apart) {
                continue;
            }
            let at = |i: f64| history.state_at(t + i * h);
            let motion = at(0.0);
            let slope = |f: &dyn Fn(&Motion) -> Matrix3<f64>| {
                ((f(&at(1.0)) - f(&at(-1.0))) * 8.0 - (f(&at(2.0)) - f(&at(-2.0)))) / (12.0 * h)
            };
            let spin = flight.solid.spin(&motion).cross_matrix();
            // What differences leave out is about |ω|⁵ h⁴/30.
            assert!((slope(&|m| m.rotation) - spin * motion.rotation).amax() < 1e-8, "{name} at {t}");
            let rates = slope(&|m| Matrix3::from_columns(&[m.position, m.velocity, m.momentum]));
            let expected = Matrix3::from_columns(&[motion.velocity, Vec3::z() * -G, Vec3::zeros()]);
            assert!((rates - expected).amax() < 1e-10, "{name} at {t}");
            assert_eq!(at(-2.0).momentum, at(2.0).momentum);
            checked += 1;
        }
        assert!(checked > 350);
    }
}

#[test]
fn fifty_elastic_impacts_keep_energy_and_the_momenta_the_floor_cannot_change() {
    for (name, (flight, mut start)) in starts() {
        start.velocity = Vec3::new(0.3, -0.2, 0.1);
        let history = impacts(&flight, &start, 50);
        let scale = history.impacts.iter().map(|i| i.before.momentum.norm()).fold(0.0, f64::max);
        let (mut energy, mut spin, mut lift) = (0f64, 0f64, 0f64);
        for impact in &history.impacts {
            let after = &impact.after;
            energy = energy.max((flight.energy(after) / flight.energy(&start) - 1.0).abs());
            spin = spin.max((after.momentum.z - start.momentum.z).abs() / scale);
            lift = lift.max(flight.heights(after)[impact.vertex].abs());
            assert_eq!(after.velocity.xy(), start.velocity.xy());
        }
        assert!(energy < 1e-13 && spin < 1e-14 && lift < 1e-14, "{name}: {energy:e} {spin:e} {lift:e}");
    }
}

#[test]
fn no_corner_is_ever_below_the_floor() {
    for (name, (mut flight, start)) in starts() {
        for (restitution, until) in [(1.0, 2.0), (0.6, 1.2)] {
            flight.restitution = restitution;
            let history = flight.run(&start, until).unwrap();
            let lowest = (0..=100_000)
                .flat_map(|i| flight.heights(&history.state_at(1e-5 * until * i as f64)))
                .fold(f64::INFINITY, f64::min);
            assert!(history.impacts.len() > 2 && lowest > -1e-14, "{name}: {lowest:e}");
        }
    }
}

#[test]
fn a_corner_leaves_with_the_share_of_its_speed_that_restitution_says() {
    let (mut flight, start) = tilted_brick();
    for (restitution, until) in [(1.0, 2.0), (0.6, 1.2), (0.2, 0.7)] {
        flight.restitution = restitution;
        let history = flight.run(&start, until).unwrap();
        assert!(history.impacts.len() > 1);
        for impact in &history.impacts {
            // Differences of heights on either side, not the velocities the impact law has set.
            let h = 1e-6;
            let height = |i: f64| flight.heights(&history.state_at(impact.time + i * h))[impact.vertex];
            let before = (4.0 * height(-1.0) - height(-2.0)) / (-2.0 * h);
            let after = (4.0 * height(1.0) - height(2.0)) / (2.0 * h);
            assert!((after + restitution * before).abs() < 1e-7, "{before} {after}");
            // Work of the impulse: mean of the speeds at the corner.
            let work = 0.5 * impact.impulse * (before + after);
            let gain = flight.energy(&impact.after) - flight.energy(&impact.before);
            assert!((gain - work).abs() < 1e-6);
        }
    }
}

#[test]
fn impact_times_do_not_depend_on_the_integrators_step() {
    for (name, (mut flight, start)) in starts() {
        let coarse = impacts(&flight, &start, 5);
        let mut worst = 0f64;
        for stride in [0.5 * STRIDE, 0.3 * STRIDE] {
            flight.stride = stride;
            let fine = flight.run(&start, coarse.until).unwrap();
            for (a, b) in coarse.impacts.iter().zip(&fine.impacts).take(5) {
                assert_eq!(a.vertex, b.vertex, "{name}");
                worst = worst.max((a.time - b.time).abs());
            }
        }
        assert!(worst < 1e-12, "{name}: {worst:.1e} s");
    }
}

#[test]
fn the_tilted_starts_bounce_well_apart_and_forgive_a_nudge() {
    let known = [[0.3590, 0.7741, 1.2753, 1.5588, 2.2311], [0.3559, 0.6454, 1.1374, 1.4175, 2.0494]];
    for ((flight, start), known) in [tilted_cube(), tilted_brick()].into_iter().zip(known) {
        let times = flight.run(&start, 2.24).unwrap().times();
        assert!(times.len() >= 5);
        for (time, known) in times.iter().zip(known) {
            assert!((time - known).abs() < 6e-5, "{times:?}");
        }
        let mut worst = 0f64;
        for axis in 0..3 {
            let mut nudged = start;
            nudged.rotation = turned(Vec3::ith(axis, 1e-9)) * start.rotation;
            // The spin stays, so the momentum turns along.
            nudged.momentum = turned(Vec3::ith(axis, 1e-9)) * start.momentum;
            let moved = flight.run(&nudged, 2.24).unwrap().times();
            worst = times.iter().zip(&moved).take(5).map(|(a, b)| (a - b).abs() / 1e-9).fold(worst, f64::max);
        }
        assert!(worst < 20.0, "{worst}");
    }
}

#[test]
fn the_quick_pair_is_quick() {
    let (flight, start) = quick_pair();
    let history = flight.run(&start, 1.0).unwrap();
    let [first, a, b] = history.impacts.as_slice() else { panic!("{:?}", history.times()) };
    println!("{:.15} {:.15} {:.15}", first.time, a.time, b.time);
    assert!((a.time - 0.390617384785569).abs() < 1e-12);
    assert!((b.time - 0.392969572151271).abs() < 1e-12);
    assert!(b.time - a.time < 0.0025 && a.vertex != b.vertex);
}

#[test]
fn what_has_no_unique_continuation_is_refused() {
    let (flight, mut flat) = tilted_cube();
    flat.rotation = Matrix3::identity();
    assert!(matches!(flight.run(&flat, 1.0), Err(StepError::Simultaneous { .. })));
    flat.rotation = turned(Vec3::x() * 0.3);
    assert!(matches!(flight.run(&flat, 1.0), Err(StepError::Simultaneous { .. })), "an edge");
    let (mut plastic, start) = tilted_cube();
    plastic.restitution = 0.0;
    assert!(matches!(plastic.run(&start, 1.0), Err(StepError::Grazing { .. })));
    let mut sunk = start;
    sunk.position.z = 0.1;
    assert!(matches!(flight.run(&sunk, 1.0), Err(StepError::Overlap { .. })));
    let mut skew = start;
    skew.rotation[(0, 0)] += 1e-6;
    assert!(matches!(flight.run(&skew, 1.0), Err(StepError::NotARotation { .. })));
    let mut lost = start;
    lost.velocity.x = f64::NAN;
    assert_eq!(flight.run(&lost, 1.0).unwrap_err(), StepError::NotFinite);
}

/// A cube whose corner 0 points along -x.
fn on_its_corner() -> Matrix3<f64> {
    Rotation3::rotation_between(&-Vec3::repeat(1.0), &-Vec3::x()).unwrap().into_inner()
}

fn two_cubes(restitution: f64) -> Pair {
    Pair::new(Solid::brick(Vec3::repeat(0.2), 270.0), Solid::brick(Vec3::repeat(0.2), 500.0), restitution)
}

#[test]
fn central_impacts_are_those_of_two_points() {
    let quarter = std::f64::consts::FRAC_PI_4;
    let corner = (Matrix3::identity(), on_its_corner(), 0.1 + 0.1 * 3f64.sqrt());
    let edges = (turned(Vec3::z() * quarter), turned(Vec3::y() * quarter), 0.2 * 2f64.sqrt());
    for (case, (first, second, reach)) in [corner, edges].into_iter().enumerate() {
        for e in [1.0, 0.3] {
            let pair = two_cubes(e);
            let [a, b] = &pair.solids;
            let (distance, v, w) = (0.9, 0.4, -0.7);
            let start = [
                a.moving(Vec3::zeros(), first, Vec3::x() * v, Vec3::zeros()),
                b.moving(Vec3::x() * distance, second, Vec3::x() * w, Vec3::zeros()),
            ];
            let history = pair.run(&start, 2.0).unwrap();
            let [impact] = history.impacts.as_slice() else { panic!("{:?}", history.times()) };
            let impulse = (1.0 + e) * (v - w) * a.mass * b.mass / (a.mass + b.mass);
            assert!((impact.time - (distance - reach) / (v - w)).abs() < 1e-14);
            assert!((impact.normal - Vec3::x()).norm() < 1e-14);
            assert!((impact.after[0].velocity - Vec3::x() * (v - impulse / a.mass)).norm() < 1e-14);
            assert!((impact.after[1].velocity - Vec3::x() * (w + impulse / b.mass)).norm() < 1e-14);
            assert!(impact.after.iter().all(|m| m.momentum.norm() < 1e-14));
            match &impact.contact {
                Contact::CornerOnFace { of: 1, corner: 0, face } => assert!(case == 0 && face.contains(&7)),
                Contact::EdgeOnEdge { .. } => assert!(case == 1),
                other => panic!("{other:?}"),
            }
        }
    }
}

#[test]
fn an_eccentric_corner_turns_the_body_it_strikes_and_not_its_own() {
    let (e, offset, speed) = (0.6, Vec3::new(0.0, 0.03, -0.05), 0.8);
    let pair = two_cubes(e);
    let [a, b] = &pair.solids;
    let start = [
        a.moving(Vec3::zeros(), Matrix3::identity(), Vec3::zeros(), Vec3::zeros()),
        b.moving(Vec3::x() * 0.7 + offset, on_its_corner(), Vec3::x() * -speed, Vec3::zeros()),
    ];
    let history = pair.run(&start, 0.8).unwrap();
    let impact = &history.impacts[0];
    let j = a.moments.x;
    let impulse = (1.0 + e) * speed / (1.0 / a.mass + 1.0 / b.mass + offset.norm_squared() / j);
    assert!((impact.time - (0.7 - 0.1 - 0.1 * 3f64.sqrt()) / speed).abs() < 1e-14);
    assert!((impact.impulse - impulse).abs() < 1e-13);
    // Pushed along -x at (0.1, y, z): the couple is (0, -z, y) times the impulse.
    let couple = Vec3::new(0.0, -offset.z, offset.y) * impulse;
    assert!((impact.after[0].momentum - couple).norm() < 1e-14);
    assert!(impact.after[1].momentum.norm() < 1e-14);
}

/// What comes before a contact that lasts: ever shorter bounces, each shorter by the coefficient of restitution.
fn endless(pair: &Pair, start: &[Motion; 2], time: f64) -> PairHistory {
    let history = pair.run(start, time - 1e-5).unwrap();
    let times = history.times();
    let gaps: Vec<f64> = times.windows(2).map(|t| t[1] - t[0]).collect();
    assert!(gaps.len() > 5, "{times:?}");
    for gap in gaps[gaps.len() - 4..].windows(2) {
        assert!((gap[1] / gap[0] - pair.restitution).abs() < 0.01, "{gaps:?}");
    }
    history
}

#[test]
fn thrown_bodies_keep_momenta_and_elastic_ones_energy() {
    for e in [1.0, 0.5] {
        let (mut faces, mut edges, mut again, mut misses, mut lasting) = (0, 0, 0, 0, 0);
        let mut off = [0f64; 4];
        for (pair, start) in thrown(12, 150, e) {
            let history = match pair.run(&start, 1.5) {
                Err(StepError::Grazing { time, .. }) => {
                    lasting += 1;
                    endless(&pair, &start, time)
                }
                other => other.unwrap(),
            };
            let (energy, p, l) = pair.totals(&start);
            again += usize::from(history.impacts.len() > 1);
            misses += usize::from(history.impacts.is_empty());
            let mut left = energy;
            for impact in &history.impacts {
                match impact.contact {
                    Contact::CornerOnFace { .. } => faces += 1,
                    Contact::EdgeOnEdge { .. } => edges += 1,
                }
                let speed = |motions: &[Motion; 2]| {
                    let v = [0, 1].map(|k| {
                        let m = &motions[k];
                        m.velocity + pair.solids[k].spin(m).cross(&(impact.point - m.position))
                    });
                    impact.normal.dot(&(v[1] - v[0]))
                };
                let (before, after) = (speed(&impact.before), speed(&impact.after));
                assert!(before < 0.0 && impact.impulse > 0.0);
                left += 0.5 * impact.impulse * (before + after);
                let totals = pair.totals(&impact.after);
                off[0] = off[0].max((totals.0 / left - 1.0).abs());
                off[1] = off[1].max((totals.1 - p).norm());
                off[2] = off[2].max((totals.2 - l).norm());
                off[3] = off[3].max((after + e * before).abs());
            }
            let last = pair.totals(&history.state_at(history.until));
            off[2] = off[2].max((last.2 - l).norm());
            assert!(e < 1.0 || (last.0 / energy - 1.0).abs() < 1e-13);
        }
        assert!(
            faces > 30 && edges > 30 && again > 3 && misses > 3,
            "e {e}: {faces} on faces, {edges} on edges, {again} more than once, {misses} misses, {lasting} lasting"
        );
        assert!(off.iter().all(|&o| o < 1e-13), "{off:?}");
    }
}

#[test]
fn thrown_bodies_touch_when_parry_says_so_and_never_before() {
    for (pair, start) in thrown(12, 60, 1.0) {
        let shapes = [0, 1].map(|k| {
            let corners: Vec<_> =
                pair.solids[k].vertices.iter().map(|v| Vector::new(v.x, v.y, v.z)).collect();
            ConvexPolyhedron::from_convex_hull(&corners).unwrap()
        });
        let distance = |motions: &[Motion; 2]| {
            let [a, b] = motions.map(|m| {
                let q = UnitQuaternion::from_rotation_matrix(&Rotation3::from_matrix_unchecked(m.rotation));
                let p = m.position;
                Pose::from_parts(Vector::new(p.x, p.y, p.z), Rotation::from_xyzw(q.i, q.j, q.k, q.w))
            });
            query::distance(&a, &shapes[0], &b, &shapes[1]).unwrap().distance
        };
        let history = pair.run(&start, 1.5).unwrap();
        for impact in &history.impacts {
            assert!(distance(&impact.before) < 1e-9);
        }
        let times = history.times();
        for i in 0..=3000 {
            let t = 5e-4 * i as f64;
            let near = times.iter().any(|x| (x - t).abs() < 1e-6);
            assert!(near || distance(&history.state_at(t)) > 0.0, "{t}: {times:?}");
        }
    }
}

#[test]
fn impacts_of_two_bodies_do_not_depend_on_the_integrators_step() {
    let mut worst = 0f64;
    for (mut pair, start) in thrown(12, 60, 1.0) {
        let run = |pair: &Pair| -> PairHistory { pair.run(&start, 1.5).unwrap() };
        let coarse = run(&pair);
        pair.stride = 0.5 * STRIDE;
        let fine = run(&pair);
        assert_eq!(coarse.impacts.len(), fine.impacts.len());
        for (a, b) in coarse.impacts.iter().zip(&fine.impacts) {
            assert_eq!(a.contact, b.contact);
            worst = worst.max((a.time - b.time).abs());
        }
    }
    assert!(worst < 1e-12, "{worst:e}");
}

#[test]
fn faces_that_meet_and_bodies_that_overlap_are_refused() {
    let pair = two_cubes(1.0);
    let still =
        |x: f64| pair.solids[0].moving(Vec3::x() * x, Matrix3::identity(), Vec3::zeros(), Vec3::zeros());
    let mut start = [still(0.0), still(0.5)];
    start[0].velocity.x = 1.0;
    assert!(matches!(pair.run(&start, 1.0), Err(StepError::Simultaneous { .. })));
    assert!(matches!(pair.run(&[still(0.0), still(0.19)], 1.0), Err(StepError::Overlap { .. })));
}
