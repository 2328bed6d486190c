//! The table `[shoot]`: what it finds, beside a closed form and an independent solution, and what it refuses.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::print_stdout)]

mod common;

use common::{all_refused, gallery, scene};
use percussion_scene::Scene;
use percussion_scene::run::{RunError, ShootFigures, Status, shoot};
use percussion_solve::nlp::CallbackAction;
use std::path::PathBuf;

const G: f64 = 9.81;

fn folder(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("shoot-{name}"))
}

fn solved(scene: Scene, name: &str) -> ShootFigures {
    let summary = shoot(scene, &folder(name), &mut |_| CallbackAction::Continue).unwrap();
    assert_eq!(summary.status, Status::Finished);
    summary.shoot.unwrap()
}

fn near(figures: &ShootFigures, expected: &[f64], tolerance: f64) {
    for (one, expected) in figures.unknowns.iter().zip(expected) {
        let off = (one.value - expected).abs();
        println!("{}: {} and {expected}, {off:.1e} apart", one.name, one.value);
        assert!(off < tolerance, "{} is {}, not {expected}", one.name, one.value);
    }
    assert_eq!(figures.unknowns.len(), expected.len());
}

/// With `d` from the centre to wall and floor less the radius: across `s T = 2 d`; it comes up as fast as it was thrown, so that
/// `v = s tan φ`, and is in the air for `T = 2 w/g` with `w² = v² + 2 g d`. Together `s² = g d/(1 + 1/cos φ)`.
#[test]
fn a_disc_returns_as_in_the_closed_form() {
    let (d, angle) = (0.9, 1.0_f64);
    let across = (G * d / (1.0 + 1.0 / angle.cos())).sqrt();
    let figures = solved(gallery("shooting-circle", &[]), "circle");
    assert_eq!((figures.outcome.as_str(), figures.impacts), ("converged", 2));
    near(&figures, &[-across, across * angle.tan(), 2.0 * d / across], 1e-12);
    // Newton's method at its end: errors are squared.
    let last = &figures.residuals[figures.residuals.len() - 3..];
    assert!(last[1] < 1e-4 * last[0] && last[2] < 1e-4 * last[1], "{last:?}");
}

/// An ellipse in the air and at walls, in closed form but for the instants of touching, which are bisected to the last bit.
#[derive(Clone, Copy)]
struct Ellipse {
    at: [f64; 2],
    turned: f64,
    velocity: [f64; 2],
    spin: f64,
}

const AXES: [f64; 2] = [0.15, 0.1];
const MOMENT: f64 = (AXES[0] * AXES[0] + AXES[1] * AXES[1]) / 4.0;

impl Ellipse {
    fn after(&self, t: f64) -> Self {
        Self {
            at: [self.at[0] + self.velocity[0] * t, self.at[1] + self.velocity[1] * t - 0.5 * G * t * t],
            turned: self.turned + self.spin * t,
            velocity: [self.velocity[0], self.velocity[1] - G * t],
            ..*self
        }
    }

    /// From the centre to the point that is furthest against a world axis.
    fn foot(&self, axis: usize) -> [f64; 2] {
        let (sin, cos) = self.turned.sin_cos();
        // The axis in the body's frame; the point -A² n/|A n| there.
        let n = if axis == 0 { [cos, -sin] } else { [sin, cos] };
        let length = (AXES[0] * n[0]).hypot(AXES[1] * n[1]);
        let p = [0, 1].map(|i| -AXES[i] * AXES[i] * n[i] / length);
        [cos * p[0] - sin * p[1], sin * p[0] + cos * p[1]]
    }

    fn gap(&self, axis: usize) -> f64 {
        self.at[axis] + self.foot(axis)[axis]
    }

    /// Reflected at a wall across an axis without friction: the velocity of the point that touches is reversed along it.
    fn struck(mut self, axis: usize) -> Self {
        let foot = self.foot(axis);
        // n·(ω × r) is -ω r_y across x and ω r_x across y.
        let arm = if axis == 0 { -foot[1] } else { foot[0] };
        let speed = self.velocity[axis] + self.spin * arm;
        let impulse = -2.0 * speed / (1.0 + arm * arm / MOMENT);
        self.velocity[axis] += impulse;
        self.spin += impulse * arm / MOMENT;
        self
    }

    /// Flies for a time, with all impacts on the way.
    fn advanced(mut self, time: f64) -> (Self, Vec<f64>) {
        let (mut now, mut impacts) = (0.0, Vec::new());
        const LOOKS: usize = 4000;
        loop {
            let left = time - now;
            let touch = (1..=LOOKS).find_map(|k| {
                let (before, after) = (left * (k - 1) as f64 / LOOKS as f64, left * k as f64 / LOOKS as f64);
                [0, 1]
                    .into_iter()
                    .find(|&axis| self.after(after).gap(axis) < 0.0)
                    .map(|axis| (axis, before, after))
            });
            let Some((axis, mut low, mut high)) = touch else { return (self.after(left), impacts) };
            for _ in 0..80 {
                let middle = 0.5 * (low + high);
                *(if self.after(middle).gap(axis) < 0.0 { &mut high } else { &mut low }) = middle;
            }
            self = self.after(low).struck(axis);
            now += low;
            impacts.push(now);
        }
    }
}

/// Velocities, spin and time of the throw, from an integrator that has no steps.
fn thrown() -> nalgebra::Vector4<f64> {
    let missed = |u: &nalgebra::Vector4<f64>| {
        let begun = Ellipse { at: [1.0, 1.0], turned: 0.0, velocity: [u[0], u[1]], spin: u[2] };
        let (end, impacts) = begun.advanced(u[3]);
        assert_eq!(impacts.len(), 2);
        let heading = end.velocity[1].atan2(end.velocity[0]);
        // Whole turns do not count.
        let turned = end.turned.sin().atan2(end.turned.cos());
        nalgebra::Vector4::new(end.at[0] - 1.0, end.at[1] - 1.0, turned, heading - 1.0)
    };
    let mut u = nalgebra::Vector4::new(-1.5, 3.97, 0.564, 1.2525);
    // Newton's method, halved where it leads too far.
    for _ in 0..30 {
        let here = missed(&u);
        let column = |i: usize| {
            let h = nalgebra::Vector4::ith(i, 1e-6);
            (missed(&(u + h)) - missed(&(u - h))) / 2e-6
        };
        let slope = nalgebra::Matrix4::from_columns(&[0, 1, 2, 3].map(column));
        let mut step = -slope.lu().solve(&here).unwrap();
        while missed(&(u + step)).norm() > here.norm() && step.norm() > 1e-13 {
            step *= 0.5;
        }
        u += step;
    }
    assert!(missed(&u).norm() < 1e-11, "{}", missed(&u).norm());
    u
}

/// The scheme turns a spinning body by `asin(ω h)/h`, an error of order two; nothing else is different.
#[test]
fn an_ellipse_returns_as_in_an_independent_solution() {
    let exact = thrown();
    let found = ["0.01", "0.005", "0.0025"].map(|step| {
        let figures = solved(gallery("shooting-ellipse", &[("run.step", step)]), step);
        assert_eq!((figures.outcome.as_str(), figures.impacts), ("converged", 2));
        nalgebra::Vector4::from_iterator(figures.unknowns.iter().map(|one| one.value))
    });
    let errors = found.map(|u| (u - exact).amax());
    println!("{exact:?}, errors {errors:?}");
    for pair in errors.windows(2) {
        assert!(((pair[0] / pair[1]).log2() - 2.0).abs() < 0.1, "{errors:?}");
    }
    assert!(errors[2] < 5e-3);
    // Without the part of order two.
    let limit = found[2] + (found[2] - found[1]) / 3.0;
    assert!((limit - exact).amax() < 2e-4, "{}", (limit - exact).amax());
}

#[test]
fn a_shooting_problem_without_solution_reports_its_outcome() {
    let far = gallery("shooting-circle", &[("shoot.iterations", "2")]);
    let summary = shoot(far, &folder("limit"), &mut |_| CallbackAction::Continue).unwrap();
    let figures = summary.shoot.unwrap();
    assert_eq!((summary.status, figures.iterations), (Status::Failed, 2));
    assert_eq!(figures.outcome, "iteration-limit");
    assert!(figures.targets.iter().any(|target| target.residual > 1e-3));
    let stopped = shoot(gallery("shooting-circle", &[]), &folder("stop"), &mut |round| {
        if round.iteration == 1 { CallbackAction::Stop } else { CallbackAction::Continue }
    });
    let stopped = stopped.unwrap();
    assert_eq!((stopped.status, stopped.shoot.unwrap().iterations), (Status::Interrupted, 1));
    // It leaves the wall: nothing is touched.
    let away = gallery("shooting-circle", &[("bodies.disc.velocity", "[2, 9, 0]")]);
    let error = shoot(away, &folder("away"), &mut |_| CallbackAction::Continue).unwrap_err();
    assert!(matches!(error, RunError::Shooting(_)));
    let said = std::error::Error::source(&error).unwrap().to_string();
    assert!(said.contains("0 impacts") && said.contains("begin with one"), "{said}");
    let none = shoot(scene(FREE), &folder("none"), &mut |_| CallbackAction::Continue);
    assert!(matches!(none, Err(RunError::NoPlan)));
}

const FREE: &str = "run = { step = 0.1, until = 1 }\nbodies.stone = { mass = 1, inertia = [[1, 0, 0], [0, 1, 0], [0, 0, 1]], velocity = [1, 0, 0] }\n";

#[test]
fn a_free_body_is_thrown_to_a_place_and_a_turn() {
    let text = FREE.to_owned()
        + "[shoot]\nvary.bodies.stone = { velocity = [\"x\", \"y\", \"z\"], angular_velocity = [\"z\"] }\n\
         end.bodies.stone = { position = [1, 2, 3], angular_velocity = [0, 0, 0.5] }\n";
    // The spin about z is the only unknown, but three components are targets.
    let error = Scene::parse(&text, "test.toml", "folder", &[]).unwrap_err();
    assert!(error.to_string().contains("the targets are 6 numbers, but the unknowns are 4"), "{error}");
    let text = text
        .replace("[\\\"z\\\"]", "")
        .replace("angular_velocity = [\"z\"]", "angular_velocity = [\"x\", \"y\", \"z\"]");
    let figures = solved(scene(&text), "free");
    near(&figures, &[1.0, 2.0, 3.0, 0.0, 0.0, 0.5], 1e-9);
}

#[test]
fn complaints_name_the_line_and_the_remedy() {
    all_refused(
        FREE,
        &[
            "[shoot] # <- the targets are 3 numbers, but the unknowns are 1\nvary.bodies.stone.velocity = [\"x\"]\nend.bodies.stone.position = [1, 0, 0]",
            "[shoot] # <- the targets are 1 numbers, but the unknowns are 2\nvary.bodies.stone.velocity = [\"x\", \"y\"]\nend.headings.stone = 1",
            "[shoot] # <- has no unknowns\nend.headings.stone = 1",
            "[shoot] # <- specifies nothing\nvary.time = true",
            "[shoot]\nvary.bodies.stnoe.velocity = [\"x\"] # <- stnoe\nend.headings.stone = 1",
            "[shoot]\nvary.bodies.stone.velocity = [\"w\"] # <- names \"w\"\nend.headings.stone = 1",
            "[shoot]\nvary.bodies.stone.velocity = [\"x\", \"x\"] # <- twice\nend.headings.stone = 1",
            "[shoot]\nvary.time = true\nend.headings.stne = 1 # <- stne",
            "[shoot]\nvary.time = true\nend.bodies.stone.position = { min = [0, 0, 0] } # <- is a range",
            "[shoot]\nvary.time = true\nimpacts = 2 # <- has no contact\nend.headings.stone = 1",
            "[shoot]\nvary.joints.hinge.rates = [\"angle\"] # <- there is no joint `hinge`\nend.headings.stone = 1",
        ],
    );
    let hinged = "run = { step = 0.1, until = 1 }\nbodies.arm = { mass = 1, inertia = [[1, 0, 0], [0, 1, 0], [0, 0, 1]], position = [1, 0, 0] }\n\
        joints.hinge = { kind = \"revolute\", parent = \"world\", child = \"arm\", at = [0, 0, 0], axis = [0, 0, 1] }\n";
    all_refused(
        hinged,
        &[
            "[shoot]\nvary.bodies.arm.velocity = [\"x\"] # <- is about a body on joint `hinge`\nend.headings.arm = 1",
            "[shoot]\nvary.joints.hinge.rates = [\"angle\"]\nend.bodies.arm.position = [1, 0, 2] # <- no degree of freedom changes it from 0",
        ],
    );
}
