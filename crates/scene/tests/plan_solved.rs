//! Plans of the gallery with contacts, solved in other ways than their files say.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::print_stdout)]

mod common;

use common::solved::{planned, solved};
use percussion_control::PlanSolution;
use percussion_control::plan::{ContactJoint, Plan, PlannedContact};
use percussion_control::replay::{momenta_at_end, replay};
use percussion_control::solution::Outcome;
use percussion_control::transcription::{ConstraintSet, Iterate, ResolvedContact, Transcription};
use percussion_geometry::Vec3;
use percussion_mechanics::State;
use percussion_mechanics::discrete::Differentiator;
use percussion_mechanics::rotation::{Mat3, RodriguesVector};
use percussion_mechanics::schemes::SchemeKind;
use percussion_solve::nlp::{InteriorPoint, Options, Solution};

#[test]
fn contact_times_and_objectives_do_not_depend_on_the_node() {
    let mut found = Vec::new();
    for node in ["4", "9", "14"] {
        let one = solved("cube-wall", &[("plan.contacts.0.node", node)]);
        assert_eq!(one.outcome, Outcome::Optimal);
        found.push((one.contacts[0].time, one.objective));
    }
    let spread = |of: fn(&(f64, f64)) -> f64| {
        let values = found.iter().map(of);
        let most = values.clone().fold(0.0_f64, f64::max);
        let least = values.fold(f64::INFINITY, f64::min);
        (most - least) / least
    };
    assert!(spread(|one| one.0) < 0.015);
    assert!(spread(|one| one.1) < 0.03);
}

/// Two masses on a line that collide twice without loss, in continuous time.
///
/// The mass that is pushed goes from 0 with the speed `speed` to `goal`, where it stops at `end`; the other one waits `gap`
/// before it. Between collisions the least `∫ F²` belongs to a force that is linear in time: in closed form by places and speeds. What is left
/// to choose are the times of the collisions and the speeds before them.
struct Line {
    masses: (f64, f64),
    speed: f64,
    gap: f64,
    goal: f64,
    end: f64,
}

impl Line {
    fn price(&self, [t1, t2, v1, v2]: [f64; 4]) -> f64 {
        let part = |t: f64, d: f64, a: f64, b: f64| {
            4.0 / t * (a * a + a * b + b * b) - 12.0 / (t * t) * (a + b) * d + 12.0 * d * d / (t * t * t)
        };
        let (m, other) = self.masses;
        let sum = m + other;
        let (back, away) = ((m - other) / sum * v1, 2.0 * m / sum * v1);
        let met = self.gap + away * (t2 - t1);
        let after = ((m - other) * v2 + 2.0 * other * away) / sum;
        let parts = [
            part(t1, self.gap, self.speed, v1),
            part(t2 - t1, met - self.gap, back, v2),
            part(self.end - t2, self.goal - met, after, 0.0),
        ];
        m * m * parts.iter().sum::<f64>()
    }

    /// The least objective with collisions at given times, and the speeds before them; none where the cubes do not run into each other.
    fn at_times(&self, t1: f64, t2: f64) -> Option<(f64, [f64; 2])> {
        // Quadratic in the speeds: differences are exact.
        let f = |a: f64, b: f64| self.price([t1, t2, a, b]);
        let slope = [0.5 * (f(1.0, 0.0) - f(-1.0, 0.0)), 0.5 * (f(0.0, 1.0) - f(0.0, -1.0))];
        let along =
            [f(1.0, 0.0) + f(-1.0, 0.0), f(0.0, 1.0) + f(0.0, -1.0)].map(|sum| sum - 2.0 * f(0.0, 0.0));
        let across = 0.25 * (f(1.0, 1.0) - f(1.0, -1.0) - f(-1.0, 1.0) + f(-1.0, -1.0));
        let determinant = along[0] * along[1] - across * across;
        let v1 = (across * slope[1] - along[1] * slope[0]) / determinant;
        let v2 = (across * slope[0] - along[0] * slope[1]) / determinant;
        let away = 2.0 * self.masses.0 / (self.masses.0 + self.masses.1) * v1;
        (v1 > 0.0 && v2 > away).then(|| (f(v1, v2), [v1, v2]))
    }

    /// The best of all times: of a grid, and of ever finer ones about the best.
    fn best(&self) -> (f64, [f64; 2], [f64; 2]) {
        let least = 0.01 * self.end;
        let (mut centre, mut reach) = ([0.5 * self.end; 2], 0.5 * self.end);
        let mut best = (f64::INFINITY, centre, [0.0; 2]);
        while reach > 1e-7 {
            let steps = || (-40..=40).map(|k| f64::from(k) / 40.0 * reach);
            for (t1, t2) in steps().flat_map(|a| steps().map(move |b| (a, b))) {
                let (t1, t2) = (centre[0] + t1, centre[1] + t2);
                if t1 > least
                    && t2 > t1 + least
                    && t2 < self.end - least
                    && let Some((price, speeds)) = self.at_times(t1, t2)
                    && price < best.0
                {
                    best = (price, [t1, t2], speeds);
                }
            }
            centre = best.1;
            reach *= 0.1;
        }
        best
    }
}

#[test]
fn two_cubes_agree_with_two_masses_on_a_line() {
    let settings = planned("two-cubes", &[]);
    let (plan, start) = (&settings.plan, &settings.plan.start.state);
    let mass = |body: usize| plan.model.links[plan.model.slots[body].unwrap()].mass;
    let line = Line {
        masses: (mass(0), mass(1)),
        speed: start.momenta[0] / mass(0),
        gap: start.positions[1].x - start.positions[0].x - 0.05,
        goal: plan.end.state.positions[0].x,
        end: 0.5,
    };
    let found = solved("two-cubes", &[]);
    assert_eq!(found.outcome, Outcome::Optimal);
    let (least, at, speeds) = line.best();
    println!("on a line: contacts {at:?} s at {speeds:?} m/s, J {least:.4e}");
    // The published figures; and the discrete equations are of second order: (0.01 s)² of what changes within 0.1 s.
    let times = [found.contacts[0].time, found.contacts[1].time];
    for ((time, line), published) in times.iter().zip(at).zip([0.1975, 0.39]) {
        assert!((time - line).abs() < 1e-3 * line, "{time} {line}");
        assert!((time - published).abs() < 2e-3 * published, "{time} {published}");
    }
    assert!((found.objective - least).abs() < 2e-3 * least, "{:e} {least:e}", found.objective);
    for (sigma, published) in found.time_scales.iter().zip([0.98725, 1.0132, 1.0004]) {
        assert!((sigma - published).abs() < 2e-3 * published, "{sigma} {published}");
    }
    assert!((found.objective - 2.8573e-5).abs() < 2e-3 * 2.8573e-5);
    // Nothing turns.
    assert!(found.nodes.iter().flat_map(|node| &node.rotations).all(|r| (r.trace() - 3.0).abs() < 1e-12));
}

/// Corners of the die, in the world.
fn corners(state: &State) -> Vec<Vec3> {
    let sign = |bit: usize, k: usize| if k >> bit & 1 == 1 { 0.025 } else { -0.025 };
    let own = (0..8).map(|k| Vec3::new(sign(0, k), sign(1, k), sign(2, k)));
    own.map(|corner| state.positions[0] + state.rotations[0] * corner).collect()
}

/// The guess follows the die on the joint that its corner makes.
#[test]
fn a_guess_swings_about_the_corner_that_sticks() {
    let settings = planned("dice-throw", &[]);
    let path = settings.computed_guess().unwrap().initial_path(&settings.plan).unwrap();
    let held = |node: &State| corners(node).into_iter().min_by(|a, b| a.z.total_cmp(&b.z)).unwrap();
    let place = held(&path.nodes[40]);
    assert!(place.z.abs() < 1e-3);
    let corner = corners(&path.nodes[40]).iter().position(|c| *c == place).unwrap();
    // Neither the joint nor the weight has a moment about the vertical through the corner.
    let about = |node: &State| {
        let (p, arm) = (&node.momenta, node.positions[0] - place);
        p[5] + arm.x * p[1] - arm.y * p[0]
    };
    let first = about(&path.nodes[41]);
    for node in &path.nodes[41..=50] {
        assert!((corners(node)[corner] - place).norm() < 1e-9);
        assert!((about(node) - first).abs() < 1e-9 * first.abs().max(1e-4), "{} {first}", about(node));
    }
    // Nearly flat at the end of it, and then at rest.
    let mut heights: Vec<f64> = corners(&path.nodes[50]).iter().map(|c| c.z).collect();
    heights.sort_by(f64::total_cmp);
    assert!(heights[3] < 6e-3 && heights[4] > 0.04, "{heights:?}");
    assert!(path.nodes[51..].iter().all(|node| node.positions == path.nodes[50].positions));
}

/// The angular velocity that is left when a die stops with one of its corners: angular momentum about that corner stays.
fn stopped(mass: f64, inertia: f64, arm: &Vec3, velocity: &Vec3, spin: &Vec3) -> Vec3 {
    let about = spin * inertia + arm.cross(velocity) * mass;
    let moments = (Mat3::identity() * arm.norm_squared() - arm * arm.transpose()) * mass;
    (moments + Mat3::identity() * inertia).try_inverse().unwrap() * about
}

#[test]
fn a_die_lands_on_the_prescribed_face_and_rests() {
    let plan = planned("dice-throw", &[]).plan;
    let found = solved("dice-throw", &[]);
    assert_eq!(found.outcome, Outcome::Optimal);
    let model = &plan.model;
    // The simulator, which finds the two impacts by itself, flies the same way from the throw to the floor.
    let mut state = found.nodes[0].clone();
    let mut scheme = SchemeKind::Exact.build(model, &state, &Default::default()).unwrap();
    let mut impacts = 0;
    for (k, node) in found.nodes.iter().enumerate().take(40).skip(1) {
        let h = node.time - found.nodes[k - 1].time;
        scheme.step(model, &mut state, h).unwrap();
        impacts += scheme.step_record().map_or(0, |record| record.impacts.len());
        let off = (state.positions[0] - node.positions[0]).norm();
        let turned = (state.rotations[0] - node.rotations[0]).amax();
        assert!(off < 1e-8 && turned < 1e-8, "node {k}: {off:e} m, {turned:e}");
    }
    assert_eq!(impacts, 2);
    // One corner touches the floor at node 40 and stays there.
    let held = corners(&found.nodes[40]).iter().position(|c| c.z.abs() < 1e-9).unwrap();
    let place = corners(&found.nodes[40])[held];
    for node in &found.nodes[40..] {
        assert!((corners(node)[held] - place).norm() < 1e-9);
        assert!(corners(node).iter().all(|corner| corner.z > -1e-9));
    }
    // What the blow leaves, by hand; half an interval later the weight has turned it a little.
    let link = &model.links[0];
    let before = |k: usize| {
        let (a, b) = (&found.nodes[k], &found.nodes[k + 1]);
        let h = b.time - a.time;
        let turn = a.rotations[0].transpose() * b.rotations[0];
        let spin = a.rotations[0] * RodriguesVector::from_matrix(&turn).log() / h;
        ((b.positions[0] - a.positions[0]) / h, spin, h)
    };
    let (fall, spin, h) = before(39);
    let velocity = fall + Vec3::new(0.0, 0.0, -9.81) * (0.5 * h);
    let arm = found.nodes[40].positions[0] - place;
    let wanted = stopped(link.mass, link.inertia.x, &arm, &velocity, &spin);
    let (_, left, _) = before(40);
    println!("turns by {left:?} rad/s after the blow, {wanted:?} by hand");
    assert!((left - wanted).norm() < 0.06 * wanted.norm(), "{left} {wanted}");
    // It lies on the face opposite to its x axis, and nothing moves.
    for node in &found.nodes[50..] {
        assert!((node.rotations[0].column(0) - Vec3::z()).norm() < 1e-9);
        assert!((node.positions[0] - found.nodes[50].positions[0]).norm() < 1e-9);
        assert!((node.positions[0].z - 0.025).abs() < 1e-9);
    }
    assert!(found.nodes[plan.intervals].momenta.iter().all(|p| p.abs() < 1e-9));
}

/// The simulation finds the two impacts and makes both joints, at the corner and of the face.
#[test]
fn a_die_is_caught_by_the_floor_in_a_simulation_too() {
    let plan = planned("dice-throw", &[]).plan;
    let found = solved("dice-throw", &[]);
    let follow = |nodes: &[State]| {
        replay(&plan, nodes, &found.inputs, SchemeKind::Exact, &Default::default()).unwrap()
    };
    let made = follow(&found.nodes);
    println!("{:?}", made.deviation);
    assert!(made.deviation.position < 1e-8 && made.deviation.rotation < 1e-8, "{:?}", made.deviation);
    let [corner, face] = &made.joints[..] else { panic!("{:?}", made.joints) };
    assert_eq!((corner.joint, corner.nodes), (ContactJoint::Point, (40, Some(50))));
    assert_eq!((face.joint, face.nodes), (ContactJoint::Rigid, (50, None)));
    assert!((corner.impulse - found.contacts[2].impulse).norm() < 1e-9);
    assert!((face.impulse - found.contacts[3].impulse).norm() < 1e-9);
    assert!(face.energy.1.abs() < 1e-12 && corner.cone.is_none());
    // What the corner leaves of the spin, by hand: angular momentum about it stays.
    let link = &plan.model.links[0];
    let (arm, mass) = (found.nodes[40].positions[0] - corner.point, link.mass);
    let p = momenta_before(&plan, &found, 40);
    let velocity = Vec3::new(p[0], p[1], p[2]) / mass;
    let spin =
        stopped(mass, link.inertia.x, &arm, &velocity, &(Vec3::new(p[3], p[4], p[5]) / link.inertia.x));
    let kept = 0.5 * (link.inertia.x * spin.norm_squared() + mass * spin.cross(&arm).norm_squared());
    assert!((corner.energy.1 - kept).abs() < 1e-9 * kept, "{} {kept}", corner.energy.1);
    // Another throw lands elsewhere.
    let mut nodes = found.nodes.clone();
    nodes[0].momenta[3] *= 1.01;
    assert!(follow(&nodes).deviation.rotation > 1e-3);
}

/// Momenta with which a plan without control inputs arrives at a node.
fn momenta_before(plan: &Plan, found: &PlanSolution, node: usize) -> Vec<f64> {
    let ends = (&found.nodes[node - 1], &found.nodes[node]);
    momenta_at_end(plan, ends, &[], &mut Differentiator::default()).unwrap()
}

/// The program of the two cubes with torques, solved from the solution without them; no pair has an avoidance constraint.
fn with_torques(found: &PlanSolution, leave_saddles: bool) -> Solution<Iterate> {
    let torque = [("plan.controls.torque", "{ kind = \"torque\", body = \"pusher\" }")];
    let plan = planned("two-cubes", &torque).plan;
    let encounter = |meeting: &PlannedContact| {
        ResolvedContact::find(&plan.model, meeting, &found.nodes[meeting.node]).unwrap()
    };
    let encounters = plan.contacts.iter().map(encounter).collect();
    let forces = found.inputs.chunks_exact(3);
    let inputs: Vec<f64> = forces.flat_map(|f| [f[0], f[1], f[2], 0.0, 0.0, 0.0]).collect();
    let mut program =
        Transcription::new(plan, ConstraintSet { contacts: encounters, separations: Vec::new() });
    let start = program.initial_iterate(found.nodes.clone(), &inputs, &found.time_scales);
    // Rounding turns the cubes a little, and from there the objective falls: closer than this no search stays at the saddle.
    let tolerance = if leave_saddles { Options::default().tolerance } else { 1e-5 };
    let options = Options { leave_saddles, tolerance, ..Options::default() };
    InteriorPoint::new().solve(&mut program, &start, &options).unwrap()
}

/// Torques could turn the cubes: the solution without rotation satisfies the first-order conditions nevertheless, by symmetry.
#[test]
fn with_torques_the_symmetric_solution_is_a_saddle_and_is_left() {
    let found = solved("two-cubes", &[]);
    let stays = with_torques(&found, false);
    let percussion_solve::nlp::Outcome::Saddle { curvature } = stays.outcome else {
        panic!("{:?}", stays.outcome)
    };
    println!("J {:.4e}, curvature {curvature:.2e}", stays.objective);
    assert!(curvature < 0.0);
    assert!((stays.objective - found.objective).abs() < 1e-6 * found.objective);
    let left = with_torques(&found, true);
    println!("{:?}, J {:.4e}, {} iterations", left.outcome, left.objective, left.iterations);
    assert!(left.objective < 0.9 * found.objective && left.residual.violation() < 1e-9, "{:?}", left.outcome);
}
