//! Impulses with friction: closed forms, solvers against each other, jams.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::print_stdout)]

mod common;

use percussion_solve::lcp::friction::{
    Cone, ConvexRelaxation, FixedPoint, FixedPointMap, FrictionalLemke, FrictionalOutcome,
    FrictionalSolution, cone_residual, frictional_residual, relaxation_residual,
};
use percussion_solve::{
    FrictionContactProblem as Problem, GaussSeidel, Impulses, QpSolver, QuadraticProgram, SolveError,
};
use percussion_testing::Random;

/// Residual of small problems.
const EVIDENCE: f64 = 1e-12;

type V3 = [f64; 3];

fn cross(a: V3, b: V3) -> V3 {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

/// A rigid body's row for a force along `n` through a point at `r` from its centre.
fn wrench(n: V3, r: V3, sign: f64) -> Vec<f64> {
    n.into_iter().chain(cross(r, n)).map(|v| sign * v).collect()
}

/// Six unknowns: mass and the same moment of inertia about all axes.
fn ball(problem: &mut Problem, mass: f64, inertia: f64, momentum: &[f64]) -> usize {
    let mut inverse = [0.0; 36];
    for i in 0..6 {
        inverse[7 * i] = if i < 3 { 1.0 / mass } else { 1.0 / inertia };
    }
    problem.block(&inverse, momentum).unwrap()
}

/// A contact at a point: `n` points from `under` (or the ground) to `over`; both with their centres.
fn contact_at(
    problem: &mut Problem,
    point: V3,
    (over, over_centre): (usize, V3),
    under: Option<(usize, V3)>,
    [n, s, t]: [V3; 3],
    friction: f64,
    gap: f64,
) {
    let from = |c: V3| [point[0] - c[0], point[1] - c[1], point[2] - c[2]];
    let rows = [n, s, t]
        .map(|d| (wrench(d, from(over_centre), 1.0), under.map(|(_, centre)| wrench(d, from(centre), -1.0))));
    for (k, (a, b)) in rows.iter().enumerate() {
        let mut row = vec![(over, a.as_slice())];
        if let (Some((under, _)), Some(b)) = (under, b) {
            row.push((under, b.as_slice()));
        }
        if k == 0 { problem.contact(&row, friction, gap) } else { problem.tangent(&row) }.unwrap();
    }
}

const UP: [V3; 3] = [[0.0, 0.0, 1.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]];

fn lemke(problem: &Problem) -> FrictionalSolution {
    let solution = FrictionalLemke::new().solve(problem).clone();
    if solution.is_solved() {
        let residual = frictional_residual(problem, &solution.impulses, Cone::Facets).unwrap();
        assert!(residual.worst() <= EVIDENCE, "{residual:?}");
    }
    solution
}

fn close(a: &[f64], b: &[f64], tolerance: f64) {
    assert_eq!(a.len(), b.len());
    assert!(a.iter().zip(b).all(|(a, b)| (a - b).abs() <= tolerance), "{a:?} {b:?}");
}

/// A block of mass 2 in the plane, moved by b, on a floor with friction.
fn planar_block(b: [f64; 2], friction: f64, gap: f64) -> Problem {
    let mut problem = Problem::new();
    let block = problem.block(&[0.5, 0.0, 0.0, 0.5], &b).unwrap();
    problem.contact(&[(block, &[0.0, 1.0])], friction, gap).unwrap();
    problem.tangent(&[(block, &[1.0, 0.0])]).unwrap();
    problem
}

#[test]
fn a_block_on_a_plane_sticks_slides_or_leaves() {
    // Sticks: all of the momentum 0.6 is within 0.5 * 2.
    let stuck = lemke(&planar_block([0.6, -2.0], 0.5, 0.0)).impulses;
    close(&stuck.velocity, &[0.0, 0.0], 1e-15);
    close(&[stuck.normal[0], stuck.facets[1] - stuck.facets[0], stuck.slip[0]], &[2.0, 0.6, 0.0], 1e-15);
    // Slides: friction takes 0.5 * 2 of 6.
    let slides = lemke(&planar_block([-6.0, -2.0], 0.5, 0.0)).impulses;
    close(&slides.velocity, &[-2.5, 0.0], 1e-15);
    close(
        &[slides.normal[0], slides.facets[0], slides.facets[1], slides.slip[0]],
        &[2.0, 1.0, 0.0, 2.5],
        1e-15,
    );
    // Leaves: no impulse at all.
    let leaves = lemke(&planar_block([6.0, 2.0], 0.5, 0.0)).impulses;
    close(&leaves.velocity, &[3.0, 1.0], 1e-15);
    close(&[leaves.normal[0], leaves.facets[0], leaves.facets[1]], &[0.0; 3], 0.0);
    // A gap lets it fall on, a penetration pushes it out.
    close(&lemke(&planar_block([0.0, -2.0], 0.5, 0.25)).impulses.velocity, &[0.0, -0.25], 1e-15);
    close(&lemke(&planar_block([0.0, -2.0], 0.5, -0.25)).impulses.velocity, &[0.0, 0.25], 1e-15);
    // No friction: only the fall is stopped.
    close(&lemke(&planar_block([6.0, -2.0], 0.0, 0.0)).impulses.velocity, &[3.0, 0.0], 1e-15);
}

/// Two blocks on a line, the left one pushes the right one against a wall; equal tangents along the floor's
/// normal.
#[test]
fn two_blocks_and_a_wall() {
    let mut problem = Problem::new();
    let left = problem.block(&[1.0, 0.0, 0.0, 1.0], &[4.0, 0.0]).unwrap();
    let right = problem.block(&[0.5, 0.0, 0.0, 0.5], &[0.0, -1.0]).unwrap();
    problem.contact(&[(right, &[1.0, 0.0]), (left, &[-1.0, 0.0])], 0.0, 0.0).unwrap();
    problem.contact(&[(right, &[-1.0, 0.0])], 0.125, 0.0).unwrap();
    problem.tangent(&[(right, &[0.0, 1.0])]).unwrap();
    let solution = lemke(&problem);
    assert!(solution.is_solved());
    // The wall takes 4 and, with friction 1/8, half of the fall of momentum 1.
    close(&solution.impulses.normal, &[4.0, 4.0], 1e-15);
    close(&solution.impulses.velocity, &[0.0, 0.0, 0.0, -0.25], 1e-15);
}

#[test]
fn four_corners_share_a_load_that_one_could_carry() {
    for friction in [0.0, 0.3, 0.8] {
        let mut problem = Problem::new();
        // Falls, slides along x and would tip: the corner impulses are not unique, the velocity is.
        let body = ball(&mut problem, 2.0, 0.5, &[1.0, 0.0, -4.0, 0.0, 0.0, 0.0]);
        for (x, y) in [(1.0, 1.0), (-1.0, 1.0), (1.0, -1.0), (-1.0, -1.0)] {
            contact_at(&mut problem, [x, y, -0.5], (body, [0.0; 3]), None, UP, friction, 0.0);
        }
        let solution = lemke(&problem);
        assert!(solution.is_solved());
        let total: f64 = solution.impulses.normal.iter().sum();
        assert!((total - 4.0).abs() < 1e-13);
        let slide = (0.5 - friction * 4.0 / 2.0_f64).max(0.0);
        close(&solution.impulses.velocity, &[slide, 0.0, 0.0, 0.0, 0.0, 0.0], 1e-13);
    }
}

/// The same equality three times, and contacts without tangents; for the sweeps a frictionless one with tangents, too.
#[test]
fn redundant_equalities_and_contacts_without_tangents_or_friction() {
    let mut problem = planar_block([3.0, -2.0], 0.5, 0.0);
    let other = problem.block(&[0.25], &[8.0]).unwrap();
    for scale in [1.0, 2.0, -3.0] {
        problem.equality(&[(0, &[scale, 0.0]), (other, &[-scale])], 0.0).unwrap();
    }
    problem.contact(&[(other, &[-1.0])], 0.7, 1.5).unwrap();
    let solution = lemke(&problem);
    assert!(solution.is_solved());
    // Together 11 - 1 of momentum for 6 of mass is more than 1.5: the stop holds.
    close(&solution.impulses.velocity, &[1.5, 0.0, 1.5], 1e-14);
    assert!((solution.impulses.normal[1] - 1.0).abs() < 1e-13, "{:?}", solution.impulses);
    let mut swept = problem.clone();
    swept.contact(&[(0, &[-1.0, 0.0])], 0.0, 4.0).unwrap().tangent(&[(0, &[0.0, 1.0])]).unwrap();
    let mut sweeps = GaussSeidel::new();
    sweeps.tolerance = 1e-12;
    let solution = sweeps.solve(&swept).unwrap();
    assert!(solution.is_solved());
    close(&solution.impulses.velocity, &[1.5, 0.0, 1.5], 1e-10);
    // Contradicting equalities: evidence instead of an answer.
    problem.equality(&[(0, &[1.0, 0.0]), (other, &[-1.0])], 1.0).unwrap();
    let solution = lemke(&problem);
    assert_eq!(solution.outcome, FrictionalOutcome::NotPointed);
    assert!(cone_residual(&problem, solution.evidence.as_ref().unwrap()).unwrap() < 1e-12);
}

/// A rod of length 2 whose lower end slides on a rough floor, tilted by `angle` from it.
fn rod(angle: f64, friction: f64, push: f64) -> Problem {
    let mut problem = Problem::new();
    let (mass, inertia) = (1.0, 1.0 / 3.0);
    let w = [1.0 / mass, 0.0, 0.0, 0.0, 1.0 / mass, 0.0, 0.0, 0.0, 1.0 / inertia];
    let rod = problem.block(&w, &[push, -0.01, 0.0]).unwrap();
    // Its end is at -(cos, sin) from the centre.
    let (x, y) = (-angle.cos(), -angle.sin());
    problem.contact(&[(rod, &[0.0, 1.0, x])], friction, 0.0).unwrap();
    problem.tangent(&[(rod, &[1.0, 0.0, -y])]).unwrap();
    problem
}

/// Painlevé's rod: pressing harder makes the end approach. Impulses exist nevertheless, as one contact alone
/// is pointed.
#[test]
fn painleves_rod_gets_impulses_at_any_friction() {
    for friction in [0.1, 1.0, 1.5, 2.5, 10.0] {
        for k in 1..30 {
            for push in [-1.0, 1.0] {
                let angle = 0.05 * f64::from(k);
                let problem = rod(angle, friction, push);
                let solution = lemke(&problem);
                assert!(solution.is_solved(), "{friction} {angle} {push} {:?}", solution.outcome);
            }
        }
    }
}

/// A block wedged between two walls that leave it too little space: pressed from both sides, with friction or
/// without.
#[test]
fn a_jam_is_proved_by_impulses_that_cancel() {
    for friction in [0.0, 0.4] {
        let mut problem = Problem::new();
        let block = problem.block(&[0.5, 0.0, 0.0, 0.5], &[0.0, -1.0]).unwrap();
        for sign in [1.0, -1.0] {
            problem.contact(&[(block, &[sign, 0.0])], friction, -0.1).unwrap();
            problem.tangent(&[(block, &[0.0, 1.0])]).unwrap();
        }
        let solution = lemke(&problem);
        assert_eq!(solution.outcome, FrictionalOutcome::NotPointed);
        let evidence = solution.evidence.unwrap();
        assert!(cone_residual(&problem, &evidence).unwrap() < 1e-12);
        assert!(evidence.normal.iter().all(|c| *c > 0.0));
    }
    // With space to spare the same cone does no harm.
    let mut problem = Problem::new();
    let block = problem.block(&[0.5, 0.0, 0.0, 0.5], &[1.0, -1.0]).unwrap();
    for sign in [1.0, -1.0] {
        problem.contact(&[(block, &[sign, 0.0])], 0.4, 0.1).unwrap();
        problem.tangent(&[(block, &[0.0, 1.0])]).unwrap();
    }
    let solution = lemke(&problem);
    assert!(solution.is_solved());
    assert!((solution.impulses.velocity[0] - 0.1).abs() < 1e-15);
}

/// Bodies in space with random contacts among them and with the ground, some joined.
fn random_problem(random: &mut Random, bodies: usize, contacts: usize, friction: f64) -> Problem {
    let mut problem = Problem::new();
    for _ in 0..bodies {
        let momentum: Vec<f64> = random.numbers(6);
        ball(&mut problem, random.between(0.5, 2.0), random.between(0.1, 0.6), &momentum);
    }
    let direction = |random: &mut Random| common::unit3([random.normal(), random.normal(), random.normal()]);
    let centre = |k: usize| [2.0 * k as f64, 0.0, 0.0];
    for k in 0..bodies / 3 {
        let axis = direction(random);
        let (a, b) = (wrench(axis, [1.0, 0.0, 0.0], 1.0), wrench(axis, [-1.0, 0.0, 0.0], -1.0));
        problem.equality(&[(k, &a), (k + 1, &b)], 0.0).unwrap();
    }
    for _ in 0..contacts {
        let n = direction(random);
        let s = common::unit3(cross(n, direction(random)));
        let frame = [n, s, cross(n, s)];
        let over = random.below(bodies);
        let other = (over + 1 + random.below(bodies)) % bodies;
        let under = (other != over && random.below(3) > 0).then(|| (other, centre(other)));
        let c = centre(over);
        let r = direction(random);
        let point = [c[0] + r[0], c[1] + r[1], c[2] + r[2]];
        let friction = if random.below(5) == 0 { 0.0 } else { friction * random.unit() };
        contact_at(&mut problem, point, (over, c), under, frame, friction, random.between(0.0, 0.3));
    }
    problem
}

#[test]
fn random_problems_are_solved_by_pivoting() {
    let mut random = Random::new(11);
    let mut pivots = 0;
    for k in 0..60 {
        let problem = random_problem(&mut random, 2 + k % 5, 3 + k % 10, 0.5);
        let solution = lemke(&problem);
        assert!(solution.is_solved(), "problem {k}: {:?} {:?}", solution.outcome, solution.residual);
        pivots = pivots.max(solution.iterations);
    }
    println!("most pivots {pivots}");
}

fn distance(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).fold(0.0, |m: f64, (a, b)| m.max((a - b).abs()))
}

/// The same program in the velocities themselves, as a dense one.
#[test]
fn relaxations_agree_with_the_dense_quadratic_solver() {
    let mut random = Random::new(12);
    let (mut relaxation, mut solver, mut worst) = (ConvexRelaxation::new(), QpSolver::new(), 0.0_f64);
    for k in 0..40 {
        // One body, contacts with the ground: small enough to write down by hand.
        let mut problem = Problem::new();
        let (mass, inertia) = (random.between(0.5, 2.0), random.between(0.1, 0.6));
        let b = random.numbers(6);
        let body = ball(&mut problem, mass, inertia, &b);
        let mut hessian = [0.0; 36];
        (0..6).for_each(|i| hessian[7 * i] = if i < 3 { mass } else { inertia });
        let gradient: Vec<f64> = b.iter().map(|v| -v).collect();
        let mut qp = QuadraticProgram::new(&hessian, &gradient).unwrap();
        let mut widening = vec![];
        for _ in 0..3 + k % 4 {
            let [n, other, r] =
                [0; 3].map(|_| common::unit3([random.normal(), random.normal(), random.normal()]));
            let s = common::unit3(cross(n, other));
            let (friction, gap, gamma) =
                (random.between(0.1, 0.9), random.between(0.0, 0.2), random.between(0.0, 0.3));
            contact_at(&mut problem, r, (body, [0.0; 3]), None, [n, s, cross(n, s)], friction, gap);
            for d in [s, cross(n, s)] {
                for sign in [friction, -friction] {
                    let row: Vec<f64> =
                        wrench(n, r, 1.0).iter().zip(wrench(d, r, sign)).map(|(a, b)| a + b).collect();
                    qp.at_least(&row, -(gap + gamma)).unwrap();
                }
            }
            widening.push(gamma);
        }
        let solution = relaxation.solve(&problem, &widening).unwrap();
        assert!(solution.is_solved());
        assert!(relaxation_residual(&problem, &widening, &solution.impulses).unwrap().worst() <= 1e-10);
        let reference = solver.solve(&qp).unwrap();
        worst = worst.max(distance(&solution.impulses.velocity, &reference.x));
    }
    assert!(worst < 1e-10, "{worst:e}");
}

#[test]
fn an_infeasible_relaxation_is_a_cone_that_is_not_pointed() {
    let mut problem = Problem::new();
    let block = problem.block(&[0.5, 0.0, 0.0, 0.5], &[0.0, -1.0]).unwrap();
    for sign in [1.0, -1.0] {
        problem.contact(&[(block, &[sign, 0.0])], 0.4, -0.1).unwrap();
        problem.tangent(&[(block, &[0.0, 1.0])]).unwrap();
    }
    let solution = FixedPoint::new().solve(&problem).unwrap().clone();
    assert_eq!(solution.outcome, FrictionalOutcome::NotPointed);
    assert!(cone_residual(&problem, &solution.evidence.unwrap()).unwrap() < 1e-7);
}

/// All three maps lead where pivoting leads; without extrapolation, by contraction.
#[test]
fn fixed_points_are_the_solutions_that_pivoting_finds() {
    let mut random = Random::new(13);
    let (mut converged, mut slowest, mut worst) = ([0; 2], 0.0_f64, 0.0_f64);
    for k in 0..40 {
        let problem = random_problem(&mut random, 2 + k % 5, 3 + k % 10, 0.2);
        let exact = lemke(&problem);
        assert!(exact.is_solved());
        for map in [FixedPointMap::Velocity, FixedPointMap::Widening, FixedPointMap::LimitedSlip] {
            for memory in [0, 5] {
                let mut fixed = FixedPoint::new();
                (fixed.map, fixed.anderson_depth, fixed.tolerance) = (map, memory, 1e-11);
                let solution = fixed.solve(&problem).unwrap().clone();
                let report = fixed.report();
                if report.converged {
                    converged[usize::from(memory > 0)] += 1;
                    worst = worst.max(distance(&solution.impulses.velocity, &exact.impulses.velocity));
                    // Extrapolated changes may grow for once.
                    slowest = if memory == 0 { slowest.max(report.contraction) } else { slowest };
                }
            }
        }
    }
    println!("converged {converged:?} of 120, slowest contraction {slowest:.3}, difference {worst:.1e}");
    assert!(converged[0] >= 100 && converged[1] >= 110 && worst < 1e-8, "{converged:?} {worst:e}");
    assert!(slowest < 1.0, "{slowest}");
}

/// Pivoting, fixed point and sweeps, with small friction: one velocity.
#[test]
fn gauss_seidel_agrees_with_pivoting_and_the_fixed_point() {
    let mut random = Random::new(14);
    let (mut fixed, mut sweeps) = (FixedPoint::new(), GaussSeidel::new());
    (sweeps.tolerance, sweeps.max_sweeps) = (1e-11, 100_000);
    let (mut compared, mut most, mut worst) = (0, 0, 0.0_f64);
    for k in 0..40 {
        let problem = random_problem(&mut random, 2 + k % 5, 3 + k % 10, 0.2);
        let exact = lemke(&problem);
        let relaxed = fixed.solve(&problem).unwrap().clone();
        let swept = sweeps.solve(&problem).unwrap();
        if !fixed.report().converged {
            continue;
        }
        assert!(swept.is_solved(), "problem {k} {:?}", swept.residual);
        assert!(frictional_residual(&problem, &swept.impulses, Cone::Facets).unwrap().worst() <= 1e-11);
        most = most.max(swept.iterations);
        for other in [&exact, &relaxed] {
            worst = worst.max(distance(&swept.impulses.velocity, &other.impulses.velocity));
        }
        compared += 1;
    }
    println!("compared {compared}, most sweeps {most}, difference {worst:.1e}");
    assert!(compared >= 35 && worst < 1e-8, "{compared} {worst:e}");
}

/// Blocks on top of each other, four corners per interface; the middle one is pushed.
fn tower(blocks: usize, friction: f64, push: f64) -> Problem {
    let mut problem = Problem::new();
    for k in 0..blocks {
        let x = if k == blocks / 2 { push } else { 0.0 };
        ball(&mut problem, 1.0, 1.0 / 6.0, &[x, 0.0, -0.01, 0.0, 0.0, 0.0]);
    }
    let centre = |k: usize| [0.0, 0.0, k as f64];
    for k in 0..blocks {
        for (x, y) in [(0.5, 0.5), (-0.5, 0.5), (0.5, -0.5), (-0.5, -0.5)] {
            let under = (k > 0).then(|| (k - 1, centre(k.max(1) - 1)));
            contact_at(&mut problem, [x, y, k as f64 - 0.5], (k, centre(k)), under, UP, friction, 0.0);
        }
    }
    problem
}

#[test]
fn a_tower_carries_its_weight_in_every_solver() {
    let problem = tower(6, 0.4, 0.0);
    let mut sweeps = GaussSeidel::new();
    sweeps.tolerance = 1e-10;
    for cone in [Cone::Facets, Cone::Round] {
        sweeps.cone = cone;
        let solution = sweeps.solve(&problem).unwrap();
        assert!(solution.is_solved());
        for (k, corners) in solution.impulses.normal.chunks(4).enumerate() {
            let carried = 0.01 * (6 - k) as f64;
            assert!((corners.iter().sum::<f64>() - carried).abs() < 1e-10, "{k}");
        }
        // Each interface may err by the residual times √g, and a tilt grows with the height.
        close(&solution.impulses.velocity, &[0.0; 36], 1e-10);
    }
    close(&lemke(&problem).impulses.velocity, &[0.0; 36], 1e-12);
    close(&FixedPoint::new().solve(&problem).unwrap().impulses.velocity, &[0.0; 36], 1e-12);
}

/// News need not climb again if they are known already.
#[test]
fn a_warm_start_needs_next_to_no_sweeps() {
    let problem = tower(8, 0.3, 0.02);
    let mut sweeps = GaussSeidel::new();
    let cold = sweeps.solve(&problem).unwrap().clone();
    assert!(cold.is_solved() && cold.iterations > 20);
    let warm = sweeps.solve_from(&problem, &cold.impulses).unwrap();
    assert!(warm.is_solved() && warm.iterations <= 2, "{}", warm.iterations);
    // Impulses of another problem are no obstacle.
    let other = lemke(&planar_block([0.6, -2.0], 0.5, 0.0)).impulses;
    assert!(sweeps.solve_from(&problem, &other).unwrap().is_solved());
    assert!(sweeps.solve_from(&problem, &Impulses::default()).unwrap().is_solved());
}

/// A puck that slides and spins. Facets along the direction of sliding make the pyramid touch the round cone
/// where it matters; facets elsewhere come near it with first order, as the impulse jumps from edge to edge.
#[test]
fn the_round_cone_agrees_with_aligned_facets_and_with_many() {
    let points = [[0.6, 0.1, -0.3], [-0.5, 0.4, -0.3], [-0.1, -0.7, -0.3]];
    let build = |tangents: usize, first: [f64; 3]| {
        let mut problem = Problem::new();
        let body = ball(&mut problem, 1.0, 0.3, &[2.0, 0.7, -1.0, 0.3, 0.1, 0.4]);
        for (point, first) in points.into_iter().zip(first) {
            problem.contact(&[(body, &wrench(UP[0], point, 1.0))], 0.4, 0.0).unwrap();
            for k in 0..tangents {
                let angle = first + std::f64::consts::PI * k as f64 / tangents as f64;
                problem.tangent(&[(body, &wrench([angle.cos(), angle.sin(), 0.0], point, 1.0))]).unwrap();
            }
        }
        problem
    };
    let mut sweeps = GaussSeidel::new();
    (sweeps.cone, sweeps.tolerance) = (Cone::Round, 1e-12);
    let round = sweeps.solve(&build(2, [0.0; 3])).unwrap().clone();
    assert!(round.is_solved() && round.impulses.slip.iter().all(|s| *s > 0.1));
    let v = &round.impulses.velocity;
    let aligned = points.map(|r| {
        let spin = cross([v[3], v[4], v[5]], r);
        (v[1] + spin[1]).atan2(v[0] + spin[0])
    });
    assert!(distance(&lemke(&build(2, aligned)).impulses.velocity, v) < 1e-10);
    for tangents in [4, 8, 16, 32] {
        let exact = lemke(&build(tangents, [0.05; 3]));
        assert!(exact.is_solved());
        let error = distance(&exact.impulses.velocity, v);
        println!("tangents {tangents}, difference {error:.1e}");
        // The momentum that friction takes, 0.4, may be off by the angle π/2 t, on a lever of 0.7 over the
        // inertia.
        assert!(
            error * (tangents as f64) < 0.4 * 0.5 * std::f64::consts::PI * 0.7 / 0.3,
            "{tangents} {error}"
        );
    }
    // Sweeps over more than two tangents agree with pivoting.
    let octagon = build(4, [0.05; 3]);
    (sweeps.cone, sweeps.max_sweeps) = (Cone::Facets, 100_000);
    let swept = sweeps.solve(&octagon).unwrap();
    assert!(swept.is_solved(), "{:?}", swept.residual);
    assert!(distance(&swept.impulses.velocity, &lemke(&octagon).impulses.velocity) < 1e-9);
    sweeps.cone = Cone::Round;
    assert!(matches!(sweeps.solve(&octagon), Err(SolveError::Unsuitable { .. })));
}

#[test]
fn misuse_is_refused_with_its_place() {
    let mut problem = Problem::new();
    assert!(matches!(problem.tangent(&[(0, &[1.0])]), Err(SolveError::OutOfRange { what: "block", .. })));
    assert!(matches!(problem.block(&[], &[]), Err(SolveError::Empty { .. })));
    assert!(matches!(problem.block(&[1.0; 49], &[0.0; 7]), Err(SolveError::OutOfRange { .. })));
    assert!(matches!(problem.block(&[-1.0], &[0.0]), Err(SolveError::NotPositiveDefinite { .. })));
    assert!(matches!(problem.block(&[1.0, 0.5, 0.0, 1.0], &[0.0; 2]), Err(SolveError::NotSymmetric { .. })));
    let block = problem.block(&[1.0], &[0.0]).unwrap();
    assert!(matches!(problem.tangent(&[(block, &[1.0])]), Err(SolveError::Empty { .. })));
    assert!(matches!(problem.contact(&[(block, &[1.0])], -0.5, 0.0), Err(SolveError::Unsuitable { .. })));
    assert!(matches!(problem.contact(&[(block, &[1.0, 2.0])], 0.5, 0.0), Err(SolveError::Length { .. })));
    assert!(matches!(problem.contact(&[(block, &[0.0])], 0.5, 0.0), Err(SolveError::Unsuitable { .. })));
    let twice: [(usize, &[f64]); 2] = [(block, &[1.0]), (block, &[1.0])];
    assert!(matches!(problem.equality(&twice, 0.0), Err(SolveError::Unsuitable { .. })));
}

#[test]
fn a_belt_that_runs_carries_along_what_lies_on_it() {
    // A block of mass 2 at rest, pressed with impulse 2 on a belt at speed 3: friction 1/2 speeds it up by 1/2.
    // Against a belt that runs at 0.2 it is carried along.
    for (belt, expected) in [(3.0, 0.5), (-3.0, -0.5), (0.2, 0.2)] {
        let mut problem = Problem::new();
        let block = problem.block(&[0.5, 0.0, 0.0, 0.5], &[0.0, -2.0]).unwrap();
        problem.contact(&[(block, &[0.0, 1.0])], 0.5, 0.0).unwrap();
        problem.drifting_tangent(&[(block, &[1.0, 0.0])], -belt).unwrap();
        let checked = |name: &str, solution: &FrictionalSolution| {
            assert!(solution.is_solved(), "{name} {belt}: {solution:?}");
            let v = &solution.impulses.velocity;
            assert!((v[0] - expected).abs() < 1e-8 && v[1].abs() < 1e-8, "{name} {belt}: {v:?}");
            let slip = solution.impulses.slip[0];
            assert!((slip - (v[0] - belt).abs()).abs() < 1e-8, "{name} {belt}: {slip}");
        };
        checked("lemke", FrictionalLemke::new().solve(&problem));
        checked("sweeps", GaussSeidel::new().solve(&problem).unwrap());
        checked("exact", GaussSeidel::exact().solve(&problem).unwrap());
        for map in [FixedPointMap::Velocity, FixedPointMap::Widening, FixedPointMap::LimitedSlip] {
            let mut fixed_point = FixedPoint::new();
            fixed_point.map = map;
            checked("fixed point", fixed_point.solve(&problem).unwrap());
        }
    }
}

#[test]
fn a_problem_of_zeros_is_solved_by_zeros_from_any_start() {
    let mut problem = Problem::new();
    let mut w = [0.0; 36];
    (0..6).for_each(|k| w[7 * k] = 1.0);
    let body = problem.block(&w, &[0.0; 6]).unwrap();
    problem.contact(&[(body, &[0.0, 0.0, 1.0, 0.2, 0.1, 0.0])], 0.3, 0.0).unwrap();
    problem.tangent(&[(body, &[1.0, 0.0, 0.0, 0.0, 0.3, 0.1])]).unwrap();
    problem.tangent(&[(body, &[0.0, 1.0, 0.0, -0.3, 0.0, 0.2])]).unwrap();
    let mut start = Impulses::none(&problem);
    start.normal[0] = 1.0;
    start.facets.copy_from_slice(&[0.1, 0.0, 0.0, 0.2]);
    for mut solver in [GaussSeidel::new(), GaussSeidel::exact(), GaussSeidel::fast()] {
        let solution = solver.solve_from(&problem, &start).unwrap();
        assert!(solution.impulses.velocity.iter().all(|v| v.abs() < 1e-8), "{solution:?}");
    }
}

#[test]
fn a_contact_of_bodies_is_the_contact_of_its_rows() {
    let f = |k: usize| ((k * 37 + 11) as f64).sin();
    let inertia = [0.7, 0.0, 0.0, 0.0, 0.9, 0.0, 0.0, 0.0, 1.3];
    let skew = [0.7, 0.1, 0.0, 0.1, 0.9, -0.2, 0.0, -0.2, 1.3];
    let bodies = || {
        let mut problem = Problem::new();
        problem.body(0.5, &inertia, &std::array::from_fn(f)).unwrap();
        problem.body(0.8, &skew, &std::array::from_fn(|i| f(i + 6))).unwrap();
        problem.block(&[2.0], &[1.0]).unwrap();
        problem
    };
    let rows: Vec<([[f64; 6]; 2], f64)> = (0..3)
        .map(|k| ([0, 1].map(|side| std::array::from_fn(|i| f(100 * k + 10 * side + i))), f(k) * k as f64))
        .collect();
    for who in [&[0, 1][..], &[1]] {
        let (mut whole, mut parts) = (bodies(), bodies());
        whole.contact_of_bodies(who, &rows, 0.4, -0.1).unwrap();
        for (k, (values, drift)) in rows.iter().enumerate() {
            let entries: Vec<_> = who.iter().zip(values).map(|(b, values)| (*b, &values[..])).collect();
            match k {
                0 => parts.contact(&entries, 0.4, -0.1).unwrap(),
                _ => parts.drifting_tangent(&entries, *drift).unwrap(),
            };
        }
        assert_eq!(whole, parts);
        assert!(whole.momentum_size() > 0.0);
    }
    let mut bad = rows.clone();
    bad[2].0[1][4] = f64::NAN;
    let refused = |who: &[usize], rows: &[([[f64; 6]; 2], f64)], friction: f64, gap: f64| {
        bodies().contact_of_bodies(who, rows, friction, gap).map(|_| ()).unwrap_err()
    };
    assert!(matches!(refused(&[0, 1], &bad, 0.4, 0.0), SolveError::NotFinite { index: 4, .. }));
    assert!(matches!(refused(&[0, 0], &rows, 0.4, 0.0), SolveError::Unsuitable { .. }));
    assert!(matches!(refused(&[0, 3], &rows, 0.4, 0.0), SolveError::OutOfRange { .. }));
    assert!(matches!(refused(&[0, 2], &rows, 0.4, 0.0), SolveError::Length { .. }));
    assert!(matches!(refused(&[], &rows, 0.4, 0.0), SolveError::Length { .. }));
    assert!(matches!(refused(&[0, 1], &[], 0.4, 0.0), SolveError::Empty { .. }));
    assert!(matches!(refused(&[0, 1], &rows, -0.4, 0.0), SolveError::Unsuitable { .. }));
    assert!(matches!(refused(&[0, 1], &rows, 0.4, f64::NAN), SolveError::NotFinite { .. }));
}
