//! Contact with friction on Coulomb's cone: closed forms, quadratic programs, and the laws checked contact by contact.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use percussion_solve::contact::{
    ContactLaw, ContactOutcome, ContactSolver, ContactSolverOptions, ContactStatus, ContactSystem,
};
use percussion_solve::{QpSolver, QuadraticProgram};
use percussion_testing::Random;

type V3 = [f64; 3];

/// Weight of the regularisation, relative to the diagonal of `A`.
const WEIGHT: f64 = 1e-6;
/// Number of contacts that share their load without the initial iterate.
const FEW: usize = 16;

fn cross(a: V3, b: V3) -> V3 {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

/// One contact of a [`Problem`], its rows and columns over all degrees of freedom.
struct Entry {
    law: ContactLaw,
    bias: V3,
    rows: [Vec<f64>; 3],
    columns: [Vec<f64>; 3],
}

/// Bodies of six degrees of freedom with contacts, as dense rows and columns.
struct Problem {
    /// Reciprocals of masses and moments of inertia, for every degree of freedom.
    inverse: Vec<f64>,
    v0: Vec<f64>,
    contacts: Vec<Entry>,
}

impl Problem {
    fn new(bodies: &[(f64, f64)], v0: &[f64]) -> Self {
        let inverse = bodies.iter().flat_map(|&(mass, inertia)| {
            [mass, mass, mass, inertia, inertia, inertia].map(|inertia| 1.0 / inertia)
        });
        Self { inverse: inverse.collect(), v0: v0.to_vec(), contacts: Vec::new() }
    }

    /// A contact with the arms of its impulses; `stray` is added to them in the rows, which makes `A` not symmetric.
    fn contact(
        &mut self,
        law: ContactLaw,
        bias: V3,
        axes: [V3; 3],
        sides: &[(usize, V3, f64)],
        stray: &[V3; 2],
    ) {
        let empty = || vec![0.0; self.v0.len()];
        let mut entry =
            Entry { law, bias, rows: [empty(), empty(), empty()], columns: [empty(), empty(), empty()] };
        for (k, axis) in axes.iter().enumerate() {
            for (&(body, arm, sign), stray) in sides.iter().zip(stray) {
                let elsewhere = [0, 1, 2].map(|c| arm[c] + stray[c]);
                let wrench = |arm: V3| axis.iter().copied().chain(cross(arm, *axis)).map(move |v| sign * v);
                for (c, (of_row, of_column)) in wrench(elsewhere).zip(wrench(arm)).enumerate() {
                    let dof = 6 * body + c;
                    entry.rows[k][dof] += of_row;
                    entry.columns[k][dof] += of_column * self.inverse[dof];
                }
            }
        }
        self.contacts.push(entry);
    }

    fn system(&self, weight: f64) -> ContactSystem {
        let mut system = ContactSystem::default();
        system.clear(self.v0.len());
        for entry in &self.contacts {
            system.add_contact(entry.law, entry.bias, weight);
            for first in (0..self.v0.len()).step_by(6) {
                let of = |vectors: &[Vec<f64>; 3]| -> Vec<f64> {
                    vectors.iter().flat_map(|v| v[first..first + 6].to_vec()).collect()
                };
                let (rows, columns) = (of(&entry.rows), of(&entry.columns));
                if rows.iter().any(|v| *v != 0.0) {
                    system.add_block(first, &rows, &columns);
                }
            }
        }
        system
    }

    fn velocities(&self, x: &[V3]) -> Vec<f64> {
        let mut v = self.v0.clone();
        for (entry, x) in self.contacts.iter().zip(x) {
            for (column, x) in entry.columns.iter().zip(x) {
                v.iter_mut().zip(column).for_each(|(v, d)| *v += x * d);
            }
        }
        v
    }

    fn values(&self, x: &[V3]) -> Vec<V3> {
        let v = self.velocities(x);
        let of = |entry: &Entry| [0, 1, 2].map(|k| entry.bias[k] + dot(&entry.rows[k], &v));
        self.contacts.iter().map(of).collect()
    }

    /// Worst violation of the laws of contact and friction, in velocities and relative impulses.
    fn violation(&self, x: &[V3]) -> f64 {
        let largest = x.iter().map(|x| x[0]).fold(1e-3, f64::max);
        let mut worst = 0.0f64;
        for ((entry, x), y) in self.contacts.iter().zip(x).zip(self.values(x)) {
            let (load, pulled) = (x[0] / largest, [x[1] / largest, x[2] / largest]);
            if let ContactLaw::Bounded { bound, compliance } = entry.law {
                let speed = y[0] + compliance * x[0];
                worst = worst.max((x[0] - (x[0] - speed).clamp(-bound, bound)).abs());
                continue;
            }
            let slip = y[1].hypot(y[2]);
            // Neither impulses that pull, nor penetration; one of impulse and opening is zero.
            worst = worst.max(-load).max(-y[0]).max(load.min(y[0]));
            match entry.law {
                ContactLaw::Cone { friction } => {
                    let bound = friction * load;
                    worst = worst.max(pulled[0].hypot(pulled[1]) - bound);
                    // Maximum dissipation: no impulse of the cone opposes the slip more. Inside of the cone there is no slip.
                    worst = worst.max(pulled[0] * y[1] + pulled[1] * y[2] + bound * slip);
                    worst = worst.max((bound - pulled[0].hypot(pulled[1])).min(slip));
                }
                ContactLaw::Sliding { friction, direction } => {
                    let off = [0, 1].map(|t| pulled[t] + friction * load * direction[t]);
                    worst = worst.max(off[0].hypot(off[1]));
                }
                ContactLaw::Bounded { .. } | ContactLaw::Tresca { .. } => {}
            }
        }
        worst
    }
}

fn solve(problem: &Problem, weight: f64, x: &mut [V3]) -> ContactOutcome {
    let mut system = problem.system(weight);
    ContactSolver::default().solve(&mut system, &problem.v0, x, &ContactSolverOptions::default())
}

/// Axes of a contact with a normal, its tangents turned about it.
fn axes(normal: V3, turn: f64) -> [V3; 3] {
    let helper = if normal[0].abs() < 0.7 { [1.0, 0.0, 0.0] } else { [0.0, 1.0, 0.0] };
    let s = cross(normal, helper);
    let length = dot(&s, &s).sqrt();
    let s = s.map(|v| v / length);
    let t = cross(normal, s);
    let (sin, cos) = turn.sin_cos();
    [normal, [0, 1, 2].map(|k| cos * s[k] + sin * t[k]), [0, 1, 2].map(|k| cos * t[k] - sin * s[k])]
}

/// Bodies with contacts between them and with the ground, at random.
fn random_problem(random: &mut Random, friction: f64, stray: f64) -> Problem {
    let bodies: Vec<(f64, f64)> =
        (0..2 + random.below(5)).map(|_| (random.between(0.3, 3.0), random.between(0.1, 1.0))).collect();
    let v0 = random.numbers(6 * bodies.len());
    let mut problem = Problem::new(&bodies, &v0);
    for _ in 0..1 + random.below(16) {
        let normal = <V3>::from(random.direction());
        let a = random.below(bodies.len());
        let b = random.below(bodies.len() + 1);
        let sides = [(a, random.vector().into(), 1.0), (b, random.vector().into(), -1.0)];
        let sides = if b == a || b == bodies.len() { &sides[..1] } else { &sides[..] };
        let strays = [random.vector(), random.vector()].map(|v| <V3>::from(v * stray));
        let law = ContactLaw::Cone { friction };
        // A gap over a step: there is a solution, all at rest with the gaps open.
        let bias = [random.between(0.0, 0.1), 0.0, 0.0];
        problem.contact(law, bias, axes(normal, random.between(0.0, 6.0)), sides, &strays);
    }
    problem
}

#[test]
fn a_block_on_a_slope_sticks_below_the_friction_angle_and_slides_above_it() {
    let (mass, h, g, mu) = (2.0, 0.01, 9.81, 0.5f64);
    for turn in [0.0, 0.4, 1.3, 2.9, 4.0] {
        for angle in [0.1, mu.atan() - 1e-9, mu.atan() + 1e-9, 0.7, 1.5] {
            // Gravity in the frame of the slope: down it along x.
            let (sin, cos) = angle.sin_cos();
            let mut problem = Problem::new(&[(mass, 1.0)], &[h * g * sin, 0.0, -h * g * cos, 0.0, 0.0, 0.0]);
            let law = ContactLaw::Cone { friction: mu };
            let up = axes([0.0, 0.0, 1.0], turn);
            problem.contact(law, [0.0; 3], up, &[(0, [0.0; 3], 1.0)], &[[0.0; 3]; 2]);
            let mut system = problem.system(0.0);
            let mut x = [[0.0; 3]];
            let mut solver = ContactSolver::default();
            let outcome = solver.solve(&mut system, &problem.v0, &mut x, &ContactSolverOptions::default());
            let v = problem.velocities(&x);
            let speed = (h * g * (sin - mu * cos)).max(0.0);
            assert!(outcome.converged, "{turn} {angle}: {outcome:?}");
            assert!((x[0][0] - mass * h * g * cos).abs() < 1e-15 * mass, "{x:?}");
            assert!((v[0] - speed).abs() < 1e-14 && v[1].abs() < 1e-14 && v[2].abs() < 1e-14, "{v:?}");
            let expected = if speed > 0.0 { ContactStatus::Sliding } else { ContactStatus::Sticking };
            assert_eq!(solver.status(&system, 0, &x[0]), expected, "{turn} {angle}");
        }
    }
}

#[test]
fn without_friction_the_velocities_are_the_nearest_ones_that_do_not_penetrate() {
    let mut random = Random::new(31);
    let mut solver = QpSolver::new();
    for k in 0..300 {
        let problem = random_problem(&mut random, 0.0, 0.0);
        let mut x = vec![[0.0; 3]; problem.contacts.len()];
        let outcome = solve(&problem, WEIGHT, &mut x);
        // u = M^(1/2) v: least distance in kinetic energy.
        let root: Vec<f64> = problem.inverse.iter().map(|i| i.sqrt()).collect();
        let target: Vec<f64> = problem.v0.iter().zip(&root).map(|(v, r)| v / r).collect();
        let mut program = QuadraticProgram::least_distance(&target).unwrap();
        for entry in &problem.contacts {
            let row: Vec<f64> = entry.rows[0].iter().zip(&root).map(|(g, r)| g * r).collect();
            program.at_least(&row, -entry.bias[0]).unwrap();
        }
        let solution = solver.solve(&program).unwrap();
        assert!(solution.is_optimal());
        assert!(outcome.converged, "{k}: {outcome:?}");
        for ((v, u), r) in problem.velocities(&x).iter().zip(&solution.x).zip(&root) {
            assert!((v - u * r).abs() < 1e-9, "{k}: {v} {}", u * r);
        }
    }
}

/// Solves random problems: what is called solved obeys the laws. The number that is not solved.
fn unsolved_random_problems(seed: u64, friction: f64, stray: f64, count: usize) -> usize {
    let mut random = Random::new(seed);
    let options = ContactSolverOptions::default();
    let mut unsolved = 0;
    for k in 0..count {
        let problem = random_problem(&mut random, friction, stray);
        let mut x = vec![[0.0; 3]; problem.contacts.len()];
        let outcome = solve(&problem, WEIGHT, &mut x);
        let violation = problem.violation(&x);
        assert!(outcome.newton_steps <= options.newton_steps && outcome.sweeps <= options.sweeps);
        assert!(!outcome.converged || violation < 1e-9, "{friction} {k}: {violation:e} {outcome:?}");
        assert!(x.iter().flatten().all(|v| v.is_finite()), "{friction} {k}: {x:?}");
        unsolved += usize::from(!outcome.converged);
    }
    unsolved
}

#[test]
fn impulses_of_random_contacts_obey_the_laws_of_contact_and_of_coulomb() {
    for friction in [0.0, 0.1, 0.3] {
        assert_eq!(unsolved_random_problems(32, friction, 0.0, 200), 0, "{friction}");
    }
    // All of these have solutions; with much friction a few are not found within the budget, which the outcome says.
    for (friction, bound) in [(0.5, 0), (1.0, 1), (2.0, 8)] {
        let unsolved = unsolved_random_problems(41, friction, 0.0, 2000);
        assert!(unsolved <= bound, "{friction}: {unsolved} of 2000 unsolved");
    }
}

#[test]
fn the_laws_hold_where_impulses_act_at_other_points_than_velocities_are_measured() {
    for (friction, bound) in [(0.0, 0), (0.1, 0), (0.3, 0), (1.0, 1)] {
        let unsolved = unsolved_random_problems(33, friction, 0.02, 2000);
        assert!(unsolved <= bound, "{friction}: {unsolved} of 2000 unsolved");
    }
}

/// A table on feet at the corners of a regular polygon, pushed along x by a part of its weight.
fn table(feet: usize, push: f64, law: ContactLaw) -> Problem {
    let (mass, h, g) = (4.0, 1e-3, 9.81);
    let mut problem = Problem::new(&[(mass, 1.0)], &[h * g * push, 0.0, -h * g, 0.0, 0.0, 0.0]);
    for k in 0..feet {
        let (sin, cos) = (std::f64::consts::TAU * (k as f64 + 0.5) / feet as f64).sin_cos();
        let up = [[0.0, 0.0, 1.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]];
        problem.contact(law, [0.0; 3], up, &[(0, [cos, sin, -0.5], 1.0)], &[[0.0; 3]; 2]);
    }
    problem
}

#[test]
fn the_feet_of_a_table_share_its_weight_equally() {
    let weight = 4.0 * 1e-3 * 9.81;
    for feet in [4usize, 40] {
        for friction in [0.0, 0.5] {
            let problem = table(feet, 0.0, ContactLaw::Cone { friction });
            let mut x = vec![[0.0; 3]; feet];
            let outcome = solve(&problem, WEIGHT, &mut x);
            assert!(outcome.converged, "{feet}: {outcome:?}");
            // For few contacts the regularisation ends with rounding; for many it is a compliance. Rounding of loads that the balance
            // does not determine is multiplied by the condition of the regularised matrix.
            let tolerance = if feet <= FEW { 1e-12 } else { WEIGHT };
            for x in &x {
                let bound = tolerance.max(f64::EPSILON / WEIGHT) * weight;
                assert!((x[0] - weight / feet as f64).abs() < bound, "{feet}: {x:?}");
                assert!(x[1].hypot(x[2]) < bound, "{feet}: {x:?}");
            }
            let v = problem.velocities(&x);
            assert!(v.iter().all(|v| v.abs() < tolerance * 1e-3 * 9.81), "{feet}: {v:?}");
        }
    }
}

#[test]
fn a_table_that_is_pushed_balances_force_and_moment() {
    for feet in [4usize, 40] {
        let problem = table(feet, 0.3, ContactLaw::Cone { friction: 0.5 });
        let mut x = vec![[0.0; 3]; feet];
        let outcome = solve(&problem, WEIGHT, &mut x);
        assert!(outcome.converged, "{feet}: {outcome:?}");
        let v = problem.velocities(&x);
        let tolerance = if feet <= FEW { 1e-12 } else { 2.0 * WEIGHT };
        assert!(v.iter().all(|v| v.abs() < tolerance * 1e-3 * 9.81), "{feet}: {v:?}");
        // The feet in front carry more, those at either side of the push the same.
        for k in 0..feet {
            let mirrored = feet - 1 - k;
            assert!((x[k][0] - x[mirrored][0]).abs() < 1e-9 * x[k][0].abs(), "{feet}: {x:?}");
        }
        assert!(x[0][0] > x[feet / 2][0]);
    }
}

#[test]
fn a_contact_that_slides_in_a_given_direction_has_its_friction_against_it() {
    let mu = 0.4;
    let direction = [0.6, -0.8];
    let problem = table(4, 0.0, ContactLaw::Sliding { friction: mu, direction });
    let mut x = vec![[0.0; 3]; 4];
    let outcome = solve(&problem, WEIGHT, &mut x);
    assert!(outcome.converged && problem.violation(&x) < 1e-12, "{outcome:?}");
    let v = problem.velocities(&x);
    // The table is lifted nowhere, and the whole friction is that of its weight.
    let gained = 1e-3 * 9.81 * mu;
    assert!((v[0] + gained * direction[0]).abs() < 1e-12 && (v[1] + gained * direction[1]).abs() < 1e-12);
    for status in 0..4 {
        let mut system = problem.system(WEIGHT);
        let mut solver = ContactSolver::default();
        let mut x = vec![[0.0; 3]; 4];
        solver.solve(&mut system, &problem.v0, &mut x, &ContactSolverOptions::default());
        assert_eq!(solver.status(&system, status, &x[status]), ContactStatus::Sliding);
    }
}

#[test]
fn friction_with_given_normal_impulses_makes_the_velocities_of_the_cone_whose_normal_impulses_they_are() {
    let mut random = Random::new(35);
    let mut compared = 0;
    for _ in 0..100 {
        let mut problem = random_problem(&mut random, 0.4, 0.0);
        let mut x = vec![[0.0; 3]; problem.contacts.len()];
        if !solve(&problem, WEIGHT, &mut x).converged {
            continue;
        }
        let expected = problem.velocities(&x);
        let normal: Vec<V3> = x.iter().map(|x| [x[0], 0.0, 0.0]).collect();
        problem.v0 = problem.velocities(&normal);
        for (entry, x) in problem.contacts.iter_mut().zip(&x) {
            entry.law = ContactLaw::Tresca { radius: 0.4 * x[0] };
        }
        let mut found = vec![[0.0; 3]; x.len()];
        let outcome = solve(&problem, WEIGHT, &mut found);
        assert!(outcome.converged, "{outcome:?}");
        for (k, (found, x)) in found.iter().zip(&x).enumerate() {
            assert!(
                found[0].abs() < 1e-15 && found[1].hypot(found[2]) <= 0.4 * x[0] + 1e-15,
                "{k}: {found:?}"
            );
        }
        let v = problem.velocities(&found);
        assert!(
            v.iter().zip(&expected).all(|(v, expected)| (v - expected).abs() < 1e-9),
            "{v:?} {expected:?}"
        );
        compared += 1;
    }
    assert!(compared > 90, "{compared}");
}

#[test]
fn a_solution_is_confirmed_without_a_step() {
    let mut random = Random::new(34);
    for _ in 0..100 {
        let problem = random_problem(&mut random, 0.4, 0.0);
        // Without regularisation the solution is its own reference.
        let mut x = vec![[0.0; 3]; problem.contacts.len()];
        let outcome = solve(&problem, 0.0, &mut x);
        if !outcome.converged || outcome.residual.max() > 1e-14 * outcome.scale {
            continue;
        }
        let before = x.clone();
        let outcome = solve(&problem, 0.0, &mut x);
        assert_eq!((outcome.newton_steps, outcome.sweeps), (0, 0), "{outcome:?}");
        assert_eq!(before, x);
    }
    let many = table(40, 0.3, ContactLaw::Cone { friction: 0.5 });
    let mut x = vec![[0.0; 3]; 40];
    // Its reference is the initial iterate, until that is the solution.
    while solve(&many, WEIGHT, &mut x).newton_steps > 0 {}
    let before = x.clone();
    let outcome = solve(&many, WEIGHT, &mut x);
    assert_eq!((outcome.newton_steps, outcome.sweeps, outcome.converged), (0, 0, true));
    assert_eq!(before, x);
}

#[test]
fn a_problem_without_solution_ends_within_its_budget_and_says_so() {
    // Painlevé: the friction of a normal impulse closes the contact more than the impulse opens it.
    let sliding = ContactLaw::Sliding { friction: 1.0, direction: [1.0, 0.0] };
    let mut system = ContactSystem::default();
    system.clear(3);
    system.add_contact(sliding, [-1.0, 1.0, 0.0], WEIGHT);
    let rows = [1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0];
    let columns = [1.0, 3.0, 0.0, 3.0, 10.0, 0.0, 0.0, 0.0, 10.0];
    system.add_block(0, &rows, &columns);
    let options = ContactSolverOptions::default();
    let mut x = [[0.0; 3]];
    let outcome = ContactSolver::default().solve(&mut system, &[0.0; 3], &mut x, &options);
    assert!(!outcome.converged, "{outcome:?} {x:?}");
    assert!(outcome.newton_steps <= options.newton_steps && outcome.sweeps <= options.sweeps);
    assert!(x[0].iter().all(|v| v.is_finite()) && outcome.residual.max().is_finite());
    // A contact that its own normal impulse closes.
    let mut system = ContactSystem::default();
    system.clear(1);
    system.add_contact(ContactLaw::Cone { friction: 0.0 }, [-1.0, 0.0, 0.0], WEIGHT);
    system.add_block(0, &[1.0, 0.0, 0.0], &[-1.0, 0.0, 0.0]);
    let mut x = [[0.0; 3]];
    let outcome = ContactSolver::default().solve(&mut system, &[0.0], &mut x, &options);
    assert!(!outcome.converged, "{outcome:?} {x:?}");
    // Two walls that close on a body.
    let mut problem = Problem::new(&[(1.0, 1.0)], &[0.0; 6]);
    for sign in [1.0, -1.0] {
        let law = ContactLaw::Cone { friction: 0.5 };
        let facing = axes([0.0, 0.0, sign], 0.0);
        problem.contact(law, [-1.0, 0.0, 0.0], facing, &[(0, [0.0; 3], 1.0)], &[[0.0; 3]; 2]);
    }
    let mut x = vec![[0.0; 3]; 2];
    let outcome = solve(&problem, 0.0, &mut x);
    assert!(!outcome.converged, "{outcome:?} {x:?}");
    assert!(outcome.newton_steps <= options.newton_steps && outcome.sweeps <= options.sweeps);
    assert!(x.iter().flatten().all(|v| v.is_finite()));
}

#[test]
fn the_solution_does_not_depend_on_units_of_mass_and_speed() {
    let mut random = Random::new(35);
    for _ in 0..50 {
        let problem = random_problem(&mut random, 0.5, 0.0);
        let mut x = vec![[0.0; 3]; problem.contacts.len()];
        let outcome = solve(&problem, WEIGHT, &mut x);
        for (mass, speed) in [(1e-6, 1e-3), (1e3, 1.0), (1.0, 1e-9), (1e6, 1e3)] {
            let mut scaled = Problem {
                inverse: problem.inverse.iter().map(|i| i / mass).collect(),
                v0: problem.v0.iter().map(|v| v * speed).collect(),
                contacts: Vec::new(),
            };
            for entry in &problem.contacts {
                scaled.contacts.push(Entry {
                    law: entry.law,
                    bias: entry.bias.map(|b| b * speed),
                    rows: entry.rows.clone(),
                    columns: entry.columns.clone().map(|c| c.iter().map(|d| d / mass).collect()),
                });
            }
            let mut y = vec![[0.0; 3]; x.len()];
            let of_scaled = solve(&scaled, WEIGHT, &mut y);
            assert_eq!(outcome.converged, of_scaled.converged);
            let velocities = problem.velocities(&x);
            for (v, w) in velocities.iter().zip(scaled.velocities(&y)) {
                assert!((v - w / speed).abs() < 1e-8, "{mass} {speed}: {v} {}", w / speed);
            }
        }
    }
}
