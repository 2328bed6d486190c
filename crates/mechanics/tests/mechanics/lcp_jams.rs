//! Friction too large for a unique answer: Painlevé's rod and wedged blocks get an answer or evidence, never nonsense.

use crate::common::*;

/// How a run ended.
#[derive(Debug, PartialEq)]
enum Ending {
    /// After all steps, all numbers finite; greatest residual.
    Ran(f64),
    /// With evidence that the friction cone is not pointed.
    Jammed,
    /// Without an answer that is good enough; its residual.
    Unsolved(f64),
}

/// Runs, and insists that nothing but an answer or a reason comes out.
fn ending(builder: ModelBuilder, lcp: LcpOptions, h: f64, steps: usize) -> Ending {
    let mut sim = stepped(builder, lcp, h);
    let mut worst = 0.0_f64;
    for _ in 0..steps {
        match sim.step() {
            Ok(_) => {
                assert!(sim.state().is_finite());
                worst = worst.max(solve(&sim).residual);
            }
            Err(failure) => {
                let said = failure.to_string();
                return match failure.error {
                    StepError::Jammed { contacts } => {
                        assert!(contacts > 0 && said.contains("not pointed"), "{said}");
                        Ending::Jammed
                    }
                    StepError::Impulses { residual } => Ending::Unsolved(residual),
                    other => panic!("{other}"),
                };
            }
        }
    }
    Ending::Ran(worst)
}

const LENGTH: f64 = 1.0;

/// A thin rod that leans by `angle` from the floor, slides on its lower end with a speed, the upper end behind or in front.
fn rod(angle: f64, mu: f64, speed: f64) -> ModelBuilder {
    moving_rod(angle, mu, [speed, 0.0])
}

/// The same with a velocity along the floor and away from it.
fn moving_rod(angle: f64, mu: f64, velocity: [f64; 2]) -> ModelBuilder {
    let mut builder = ground(0.0, mu);
    let thick = 1e-3;
    let shape = PlanarShape::Polygon(Polygon::rectangle(LENGTH, thick).unwrap());
    // The lower end touches with its lower corner.
    let height = 0.5 * LENGTH * angle.sin() + 0.5 * thick * angle.cos();
    let id = flat(&mut builder, "rod", shape, (1.0, LENGTH * LENGTH / 12.0), angle, Vec2::new(0.0, height));
    builder.velocity(id, Vec3::new(velocity[0], velocity[1], 0.0), Vec3::zeros());
    builder
}

/// Normal acceleration of the end per newton of pressure while it slides towards where the rod leans to is
/// `(1 + 3 cos(cos - μ sin))/m`: negative for some angles beyond μ = 4/3, first at tan = 2.
#[test]
fn painleves_rod_gets_an_answer_from_every_solver() {
    let yields = |angle: f64, mu: f64| 1.0 + 3.0 * angle.cos() * (angle.cos() - mu * angle.sin());
    let worst = 2.0_f64.atan();
    assert!(yields(worst, 4.0 / 3.0).abs() < 1e-15 && yields(worst, 1.34) < 0.0);
    for (_, solver) in StepSolver::WORDS {
        for mu in [0.5, 1.3, 1.4, 2.0, 5.0] {
            for angle in [0.6, worst, 1.3] {
                for speed in [-2.0, 2.0] {
                    let lcp = LcpOptions { solver, ..LcpOptions::default() };
                    let ending = ending(rod(angle, mu, speed), lcp, 0.005, 200);
                    if mu > 4.0 / 3.0 && angle == worst {
                        println!("{solver:?} {mu} {speed}: {ending:?}");
                    }
                    // One contact alone is pointed: the direct methods must answer.
                    let must = matches!(solver, StepSolver::Lemke | StepSolver::Auto);
                    assert!(
                        !must || matches!(ending, Ending::Ran(residual) if residual < 1e-8),
                        "{solver:?} {mu} {angle} {speed}: {ending:?}"
                    );
                    assert_ne!(ending, Ending::Jammed, "{solver:?} {mu} {angle} {speed}");
                }
            }
        }
    }
}

/// In the inconsistent regime the rod is stopped at once: its end, pressed by its own sliding, sticks (an impact without
/// collision), however small the step.
#[test]
fn painleves_rod_stops_sliding_within_a_step_where_no_finite_force_would_do() {
    let (angle, mu, speed) = (2.0_f64.atan(), 5.0, 2.0);
    for h in [1e-3, 1e-4, 1e-5] {
        for (sign, stops) in [(1.0, false), (-1.0, true)] {
            let mut sim = stepped(rod(angle, mu, sign * speed), LcpOptions::default(), h);
            sim.step().unwrap();
            let end = sim.model().pose(sim.state(), 1).point(&Vec3::new(-0.5 * LENGTH, -5e-4, 0.0));
            let slip = velocity_at(&sim, 1, &end).x;
            println!("{h} {sign}: slip {slip:.3e}");
            if stops {
                assert!(slip.abs() < 10.0 * h, "{h}: {slip:e}");
            } else {
                assert!((slip - speed).abs() < 100.0 * h, "{h}: {slip:e}");
            }
        }
    }
}

/// All solutions of a step of one contact in the plane: velocities along the floor and away from it after impulses `x`, `u = u* + G x`, with
/// separation, rest or sliding either way.
fn solutions(free: [f64; 2], [tt, tn, nn]: [f64; 3], mu: f64) -> Vec<[f64; 2]> {
    let after = |t: f64, n: f64| [free[0] + tt * t + tn * n, free[1] + tn * t + nn * n];
    let mut found = vec![];
    if free[1] >= 0.0 {
        found.push(free);
    }
    let determinant = tt * nn - tn * tn;
    let t = (tn * free[1] - nn * free[0]) / determinant;
    let n = (tn * free[0] - tt * free[1]) / determinant;
    if n >= 0.0 && t.abs() <= mu * n {
        found.push(after(t, n));
    }
    for sign in [-1.0, 1.0] {
        // Friction -sign μ n, sliding with that sign.
        let n = -free[1] / (nn - sign * mu * tn);
        let u = after(-sign * mu * n, n);
        if n >= 0.0 && sign * u[0] > 0.0 {
            found.push(u);
        }
    }
    found
}

/// Leading and trailing, where a step has one solution and where it has several: the rod takes one of them.
#[test]
fn painleves_rod_takes_a_solution_of_the_closed_form_of_a_step() {
    let (mu, mut several) = (2.0, 0);
    let angles = [0.3, 0.6, 2.0_f64.atan(), 1.3];
    let speeds = [-3.0, -0.3, -1e-3, 1e-3, 0.3, 3.0];
    for (h, rise) in [(1e-3, 0.0), (1e-4, 0.0), (1e-3, 1.5), (1e-4, 1.5)] {
        for (angle, speed) in angles.iter().flat_map(|angle| speeds.map(|speed| (*angle, speed))) {
            // Rising, it leaves the floor, or sliding presses it down.
            let rise = rise * G * h;
            let mut sim = stepped(moving_rod(angle, mu, [speed, rise]), sharp(), h);
            let corner = sim.model().pose(sim.state(), 1).point(&Vec3::new(-0.5 * LENGTH, -5e-4, 0.0));
            let arm = corner - position(&sim, 1);
            let moment = LENGTH * LENGTH / 12.0;
            let compliance =
                [1.0 + arm.y * arm.y / moment, -arm.x * arm.y / moment, 1.0 + arm.x * arm.x / moment];
            let all = solutions([speed, rise - G * h], compliance, mu);
            several += usize::from(all.len() > 1);
            assert!(!all.is_empty(), "{h} {angle} {speed}");
            sim.step().unwrap();
            assert!(solve(&sim).converged && solve(&sim).residual < 1e-10, "{:?}", solve(&sim));
            let t = &sim.model().twists(sim.state())[0];
            let u = linear(t) + angular(t).cross(&arm);
            let off = all.iter().map(|s| (u.x - s[0]).hypot(u.y - s[1])).fold(f64::INFINITY, f64::min);
            println!("{h} {angle:.2} {speed} {rise:.1e}: {} solutions, off {off:.1e}", all.len());
            assert!(off < 1e-9, "{h} {angle} {speed}: {u:?}, not one of {all:?}");
        }
    }
    assert!(several > 0);
}

/// A block between two walls; `room` is what they leave it beyond its width, negative if too little.
fn wedged(room: f64, mu: f64) -> ModelBuilder {
    let mut builder = ground(0.0, mu);
    let half = 0.5 + 0.5 * room;
    for (name, side) in [("left", -1.0), ("right", 1.0)] {
        let (near, far) = (side * half, side * (half + 1.0));
        let (low, high) = (near.min(far), near.max(far));
        let corners = [(low, 0.0), (high, 0.0), (high, 3.0), (low, 3.0)];
        block(&mut builder, name, &corners.map(|(x, y)| Vec2::new(x, y)));
    }
    let shape = PlanarShape::Polygon(Polygon::rectangle(1.0, 0.5).unwrap());
    flat(&mut builder, "block", shape, (1.0, 0.1), 0.0, Vec2::new(0.0, 1.5));
    builder
}

#[test]
fn a_block_between_walls_gets_an_answer_or_evidence_from_every_solver() {
    for (_, solver) in StepSolver::WORDS {
        for mu in [0.5, 3.0] {
            for room in [0.0, -1e-6, -1e-2] {
                let lcp = LcpOptions { solver, ..LcpOptions::published() };
                let ending = ending(wedged(room, mu), lcp, 0.01, 20);
                println!("{solver:?}, friction {mu}, room {room}: {ending:?}");
                let direct = matches!(solver, StepSolver::Lemke | StepSolver::Auto);
                if direct && room == 0.0 {
                    assert!(matches!(ending, Ending::Ran(residual) if residual < 1e-8), "{ending:?}");
                }
                if solver == StepSolver::Lemke && room < 0.0 {
                    // The constraints of both walls contradict each other: the impulses cancel.
                    assert_eq!(ending, Ending::Jammed);
                }
            }
        }
    }
}

/// Walls that leave a block too little room: no displacement removes the penetration, which the step reports, and the block stays.
#[test]
fn a_block_between_walls_that_leave_no_room_stays_and_its_penetration_is_reported() {
    for room in [-1e-6, -1e-2] {
        let mut sim = stepped(wedged(room, 0.5), LcpOptions::default(), 0.01);
        for _ in 0..20 {
            sim.step().unwrap();
            let left = sim.step_record().unwrap().projection.unwrap().left;
            assert!(left >= -0.4999 * room && left <= -0.5001 * room, "{room}: {left:e}");
        }
        let fallen = 1.5 - position(&sim, 3).y;
        println!("{room}: {fallen:e}");
    }
}
