//! Jacobian columns, their derivatives and reduced mass matrices agree with differences of configurations.

use crate::common::*;

/// The island of the tree in the list of islands.
const TREE: usize = 1;

fn cases() -> impl Iterator<Item = (JointKind, Model, State)> {
    ALL_KINDS.into_iter().enumerate().filter(|(_, kind)| *kind != JointKind::Fixed).map(|(seed, kind)| {
        let (model, state) = conservative(kind, seed as u64).build().unwrap();
        (kind, model, state)
    })
}

fn columns(model: &Model, state: &State) -> JacobianColumns {
    let mut columns = JacobianColumns::default();
    columns.set(model, TREE, state);
    columns
}

/// Slot of the tip and its index in the island.
fn tip(model: &Model) -> (usize, usize) {
    let slot = model.slots[TIP].unwrap();
    (slot, slot - island(model).bodies.start)
}

fn unit(n: usize, k: usize, size: f64) -> Vec<f64> {
    let mut d = vec![0.0; n];
    d[k] = size;
    d
}

#[test]
fn jacobian_columns_of_a_point_are_its_derivatives() {
    for (kind, model, state) in cases() {
        let (slot, body) = tip(&model);
        let n = island(&model).dofs.len();
        let arm = Vec3::new(0.2, -0.3, 0.4);
        let local = state.rotations[slot].tr_mul(&arm);
        let mut found = vec![Vec3::zeros(); n];
        columns(&model, &state).ancestors(body).point_jacobian(&arm, |dof, column| found[dof] = column);
        for (k, column) in found.iter().enumerate() {
            let expected = derivative(|t| {
                let state = moved(&model, &state, &unit(n, k, t));
                state.positions[slot] + state.rotations[slot] * local
            });
            assert!((column - expected).norm() < 1e-10, "{kind:?} {k}");
        }
    }
}

/// Second derivatives of a function of the degrees of freedom beside its second differences.
fn compare_second(what: &str, found: &[f64], n: usize, f: impl Fn(&[f64]) -> f64) {
    let h = 1e-4;
    for (i, j) in (0..n).flat_map(|i| (0..n).map(move |j| (i, j))) {
        let at = |a: f64, b: f64| {
            let mut d = unit(n, i, a);
            d[j] += b;
            f(&d)
        };
        let expected = (at(h, h) - at(h, -h) - at(-h, h) + at(-h, -h)) / (4.0 * h * h);
        assert!((found[i * n + j] - expected).abs() < 1e-6, "{what} {i} {j}");
    }
}

#[test]
fn second_derivatives_of_a_point_are_those_of_displacements() {
    for (kind, model, state) in cases() {
        let (slot, _) = tip(&model);
        let n = island(&model).dofs.len();
        let (normal, arm) = (Vec3::new(0.3, 0.5, -0.8), Vec3::new(0.2, -0.3, 0.4));
        let local = state.rotations[slot].tr_mul(&arm);
        let columns = columns(&model, &state);
        let mut found = vec![0.0; n * n];
        let function = SecondDerivatives::Point { slot, n: normal, arm };
        function.for_each(
            |slot| Some((columns.ancestors(slot - island(&model).bodies.start), 0)),
            |i, j, value| found[i * n + j] += value,
        );
        compare_second(kind.word(), &found, n, |d| {
            let state = moved(&model, &state, d);
            normal.dot(&(state.positions[slot] + state.rotations[slot] * local))
        });
    }
}

#[test]
fn second_derivatives_of_an_alignment_are_those_of_displacements() {
    let (model, state) = conservative(JointKind::Universal, 3).build().unwrap();
    let n = island(&model).dofs.len();
    let first = island(&model).bodies.start;
    let slots = [first + 1, first + 3];
    let axes = [Vec3::new(0.6, 0.0, 0.8), Vec3::new(0.0, 1.0, 0.0)];
    let local = [0, 1].map(|k| state.rotations[slots[k]].tr_mul(&axes[k]));
    let columns = columns(&model, &state);
    let mut found = vec![0.0; n * n];
    SecondDerivatives::Axes { slots: slots.map(Some), axes }
        .for_each(|slot| Some((columns.ancestors(slot - first), 0)), |i, j, value| found[i * n + j] += value);
    compare_second("alignment", &found, n, |d| {
        let state = moved(&model, &state, d);
        (state.rotations[slots[0]] * local[0]).dot(&(state.rotations[slots[1]] * local[1]))
    });
}

#[test]
fn column_derivatives_are_those_of_virtual_velocities() {
    let mut random = Random::new(5);
    for (kind, model, state) in cases() {
        let (_, body) = tip(&model);
        let n = island(&model).dofs.len();
        let rates: Vec<f64> = (0..n).map(|_| random.signed()).collect();
        let velocity = |state: &State| {
            let columns = columns(&model, state);
            let (v, ω) = set_column_derivatives(columns.ancestors(body), &rates, &mut Vec::new());
            Vec6::new(v.x, v.y, v.z, ω.x, ω.y, ω.z)
        };
        let columns = columns(&model, &state);
        let mut found = Vec::new();
        set_column_derivatives(columns.ancestors(body), &rates, &mut found);
        for one in &found {
            let expected = derivative(|t| velocity(&moved(&model, &state, &unit(n, one.column.dof, t))));
            let (y, z) = one.derivative;
            let error = (Vec6::new(y.x, y.y, y.z, z.x, z.y, z.z) - expected).norm();
            assert!(error < 1e-9, "{kind:?} {}: {error:e}", one.column.dof);
        }
    }
}

#[test]
fn differences_of_gradients_with_the_connection_are_second_derivatives() {
    let (model, state) = conservative(JointKind::Rod, 8).build().unwrap();
    let (slot, body) = tip(&model);
    let n = island(&model).dofs.len();
    let normal = Vec3::new(0.3, 0.5, -0.8);
    let gradient = |state: &State| {
        let mut out = vec![0.0; n];
        columns(&model, state).ancestors(body).reduce(&normal, &Vec3::zeros(), |dof, value| out[dof] = value);
        nalgebra::DVector::from_vec(out)
    };
    let columns = columns(&model, &state);
    assert!(!columns.connection_is_zero());
    let mut second = vec![0.0; n * n];
    let function = SecondDerivatives::Point { slot, n: normal, arm: Vec3::zeros() };
    function.for_each(|_| Some((columns.ancestors(body), 0)), |i, j, value| second[i * n + j] += value);
    let mut connection = vec![0.0; n * n];
    columns.add_connection(gradient(&state).as_slice(), |i, j, value| connection[i * n + j] += value);
    let slopes: Vec<_> =
        (0..n).map(|i| derivative(|t| gradient(&moved(&model, &state, &unit(n, i, t))))).collect();
    for (i, j) in (0..n).flat_map(|i| (0..n).map(move |j| (i, j))) {
        let found = 0.5 * (slopes[i][j] + connection[i * n + j] + slopes[j][i] + connection[j * n + i]);
        assert!((found - second[i * n + j]).abs() < 1e-9, "{i} {j}: {found} {}", second[i * n + j]);
    }
}

#[test]
fn reduced_inertia_solves_for_the_rates_of_the_tree() {
    for (kind, model, mut state) in cases() {
        let mut random = Random::new(6);
        state.momenta.iter_mut().for_each(|p| *p = random.signed());
        let mut inertia = ReducedInertia::default();
        inertia.set(&model, &[TREE], &state);
        let dofs = island(&model).dofs.clone();
        let mut x = state.momenta[dofs.clone()].to_vec();
        inertia.solve(&mut x);
        let mut kinematics = ConfigurationKinematics::new(&model, &state);
        let mut rates = vec![0.0; model.dofs];
        kinematics.rates(&[TREE], &state.momenta, &mut rates);
        let expected = model.rates(&state);
        for (k, x) in x.iter().enumerate() {
            let rate = expected[dofs.start + k];
            assert!((x - rate).abs() < 1e-10 * (1.0 + rate.abs()), "{kind:?} {k}");
            assert_eq!(rates[dofs.start + k].to_bits(), rate.to_bits());
        }
    }
}

#[test]
fn the_mass_gradient_is_the_derivative_of_the_kinetic_form() {
    let mut random = Random::new(7);
    for (kind, model, state) in cases() {
        let n = island(&model).dofs.len();
        let list = |random: &mut Random| (0..n).map(|_| random.signed()).collect::<Vec<f64>>();
        let (mu, nu) = (list(&mut random), list(&mut random));
        let form = |state: &State| {
            let bodies = island(&model).bodies.clone();
            let system = model.mass_system(state, bodies.clone());
            let room = || vec![Vec6::zeros(); bodies.len()];
            let mut product = vec![0.0; n];
            system.multiply(&nu, &mut room(), &mut room(), &mut product, |_, _| ());
            -mu.iter().zip(&product).map(|(m, p)| m * p).sum::<f64>()
        };
        let mut inertia = ReducedInertia::default();
        inertia.set(&model, &[TREE], &state);
        let mut found = vec![0.0; n];
        inertia.add_mass_gradient(&model, (&mu, &nu), &mut found);
        for (k, found) in found.iter().enumerate() {
            let expected = derivative(|t| form(&moved(&model, &state, &unit(n, k, t))));
            assert!((found - expected).abs() < 1e-8, "{kind:?} {k}: {found} {expected}");
        }
    }
}

#[test]
fn the_cache_holds_the_columns_of_every_state() {
    let (model, state) = conservative(JointKind::Revolute, 2).build().unwrap();
    let n = island(&model).dofs.len();
    let states = [moved(&model, &state, &unit(n, 1, 0.3)), state];
    let mut cache = KinematicsCache::default();
    for (k, state) in states.iter().enumerate() {
        cache.update(&model, &states, (k, TREE));
        let expected = columns(&model, state);
        let found = cache.columns(&model, (k, TREE));
        for body in 0..island(&model).bodies.len() {
            for (one, other) in found.ancestors(body).columns.iter().zip(expected.ancestors(body).columns) {
                assert_eq!((one.velocity, one.angular_velocity), (other.velocity, other.angular_velocity));
            }
        }
    }
}
