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
    let mut builder = ground(0.0, mu);
    let thick = 1e-3;
    let shape = PlanarShape::Polygon(Polygon::rectangle(LENGTH, thick).unwrap());
    // The lower end touches with its lower corner.
    let height = 0.5 * LENGTH * angle.sin() + 0.5 * thick * angle.cos();
    let id = flat(&mut builder, "rod", shape, (1.0, LENGTH * LENGTH / 12.0), angle, Vec2::new(0.0, height));
    builder.velocity(id, Vec3::new(speed, 0.0, 0.0), Vec3::zeros());
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
