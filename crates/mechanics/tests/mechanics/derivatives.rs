//! Derivatives of the discrete equations against differences, against each other and against the sweeps on the tree.

use crate::common::*;

/// A long step, so that no term hides behind `1/h`.
const STEP: f64 = 0.05;
/// How far degrees of freedom go in it, rad and m.
const REACH: f64 = 0.3;
/// Agreement with differences of fourth order, relative to the greatest entry of the column.
const DIFFERENCES: f64 = 1e-8;

/// The same sums in another order, of numbers of size one to a hundred.
const ROUNDING: f64 = 1e-12;

/// Two configurations a step apart, and control inputs.
struct Case {
    model: Model,
    start: State,
    end: State,
    controls: Vec<Control>,
    control_inputs: Vec<f64>,
    t: f64,
}

impl Case {
    fn new((model, state): (Model, State), seed: u64) -> Self {
        let mut random = Random::new(seed + 77);
        let start = elsewhere(&model, &state, 1.0, &mut random);
        let end = elsewhere(&model, &start, REACH, &mut random);
        let (controls, control_inputs) = controls(&model, &mut random);
        Self { model, start, end, controls, control_inputs, t: 0.3 }
    }

    /// With every force on it.
    fn all() -> impl Iterator<Item = (String, Self)> {
        ALL_KINDS.into_iter().flat_map(|kind| {
            (0..3).map(move |seed| (format!("{kind:?} {seed}"), Self::new(everything(kind, seed), seed)))
        })
    }

    fn interval(&self) -> IntervalInputs<'_> {
        let (controls, control_inputs) = (&self.controls, &self.control_inputs);
        let scene = (&self.model, island(&self.model));
        let interval = uncontrolled(scene, (&self.start, &self.end), (self.t, STEP));
        IntervalInputs { controls, control_inputs, ..interval }
    }

    fn derivatives(&self) -> Derivatives {
        let mut out = Derivatives::default();
        Differentiator::default().differentiate(&self.interval(), &mut out).unwrap();
        out
    }
}

/// `p⁻` above `p⁺`.
fn momenta(interval: &IntervalInputs) -> DVector<f64> {
    let n = interval.island.dofs.len();
    let mut p = vec![0.0; 2 * n];
    let (before, after) = p.split_at_mut(n);
    Differentiator::default().momenta(interval, before, after).unwrap();
    DVector::from_vec(p)
}

/// A column of both matrices beside differences.
fn compare(what: &str, found: [&[f64]; 2], difference: &DVector<f64>) -> f64 {
    let n = found[0].len();
    let mut worst = 0f64;
    for (half, found) in found.into_iter().enumerate() {
        let found = DVector::from_column_slice(found);
        let expected = difference.rows(half * n, n);
        let error = (&found - expected).amax() / expected.amax().max(1e-3);
        assert!(error < DIFFERENCES, "{what}, half {half}: {error:e}\n{found}{expected}");
        worst = worst.max(error);
    }
    worst
}

fn column(matrix: &[f64], n: usize, k: usize) -> &[f64] {
    &matrix[k * n..(k + 1) * n]
}

fn both<'a>(d: &'a Derivatives, part: impl Fn(&'a Momentum) -> &'a [f64]) -> [&'a [f64]; 2] {
    [part(&d.before), part(&d.after)]
}

#[test]
fn derivatives_by_both_ends_agree_with_differences_for_every_joint_under_every_force() {
    for (name, case) in Case::all() {
        let (interval, d) = (case.interval(), case.derivatives());
        let n = d.dofs;
        let mut worst = 0f64;
        for k in 0..n {
            let pushed = |state: &State, e: f64| {
                let mut u = vec![0.0; n];
                u[k] = e;
                moved(&case.model, state, &u)
            };
            let start =
                derivative(|e| momenta(&IntervalInputs { start: &pushed(&case.start, e), ..interval }));
            let found = both(&d, |m| column(&m.by_start, n, k));
            worst = worst.max(compare(&format!("{name}: start, degree of freedom {k}"), found, &start));
            let end = derivative(|e| momenta(&IntervalInputs { end: &pushed(&case.end, e), ..interval }));
            let found = both(&d, |m| column(&m.by_end, n, k));
            worst = worst.max(compare(&format!("{name}: end, degree of freedom {k}"), found, &end));
        }
        println!("{name}: {worst:e}");
    }
}

#[test]
fn derivatives_by_length_time_and_control_inputs_agree_with_differences() {
    for (name, case) in Case::all() {
        let (interval, d) = (case.interval(), case.derivatives());
        let n = d.dofs;
        let length = derivative(|e| momenta(&IntervalInputs { h: STEP * (1.0 + e), ..interval })) / STEP;
        compare(&format!("{name}: length"), both(&d, |m| &m.by_length), &length);
        let time = derivative(|e| momenta(&IntervalInputs { t: case.t + e, ..interval }));
        compare(&format!("{name}: time"), both(&d, |m| &m.by_time), &time);
        for k in 0..case.control_inputs.len() {
            let input = derivative(|e| {
                let mut control_inputs = case.control_inputs.clone();
                control_inputs[k] += e;
                momenta(&IntervalInputs { control_inputs: &control_inputs, ..interval })
            });
            let found = both(&d, |m| column(&m.by_input, n, k));
            compare(&format!("{name}: input {k}"), found, &input);
        }
    }
}

#[test]
fn the_dense_matrix_is_the_operator_on_the_tree() {
    for (name, mut case) in Case::all() {
        // The tree does not contain control inputs.
        case.control_inputs.fill(0.0);
        let d = case.derivatives();
        let n = d.dofs;
        let (model, island, start) = (&case.model, island(&case.model), &case.start);
        let mut interval = Interval::default();
        interval.begin(model, island, start);
        interval.set_increments(model, island, start, &case.end);
        interval.evaluate(model, island, start, case.t, STEP).unwrap();
        interval.linearise(model, island, start, case.t, STEP).unwrap();
        let Interval { system, stiffness, rotations, .. } = &interval;
        let ends = (&start.rotations[island.bodies.clone()], rotations.as_slice());
        let mut room = (vec![Vec6::zeros(); rotations.len()], vec![Vec6::zeros(); rotations.len()]);
        for k in 0..n {
            let (mut unit, mut product) = (vec![0.0; n], vec![0.0; n]);
            unit[k] = 1.0;
            system.multiply(&unit, &mut room.0, &mut room.1, &mut product, |twists, wrenches| {
                for element in stiffness {
                    let (first, weights) = (island.bodies.start, middle(STEP));
                    element.add_coupling(first, ends, &weights, -0.5 * STEP, twists, wrenches);
                }
            });
            let found = DVector::from_column_slice(column(&d.before.by_end, n, k));
            let expected = DVector::from_vec(product);
            let error = (found - &expected).amax() / expected.amax().max(1.0);
            assert!(error < ROUNDING, "{name}: degree of freedom {k}: {error:e}");
        }
    }
}

#[test]
fn mixed_derivatives_of_the_action_are_symmetric_where_forces_have_a_potential() {
    // p⁻ = -D1 L and p⁺ = D2 L.
    let view = |list: &[f64], n| DMatrixView::from_slice(list, n, n).into_owned();
    for kind in ALL_KINDS {
        for seed in 0..3 {
            let mut case = Case::new(conservative(kind, seed).build().unwrap(), seed);
            case.control_inputs.fill(0.0);
            let d = case.derivatives();
            let n = d.dofs;
            let (left, right) = (view(&d.after.by_start, n), view(&d.before.by_end, n));
            let error = (&left + right.transpose()).amax() / left.amax();
            assert!(error < ROUNDING, "{kind:?}: {error:e}");
        }
    }
    // And only there: damping shows.
    let mut case = Case::new(everything(JointKind::Revolute, 0), 0);
    case.control_inputs.fill(0.0);
    let d = case.derivatives();
    let n = d.dofs;
    let (left, right) = (view(&d.after.by_start, n), view(&d.before.by_end, n));
    assert!((&left + right.transpose()).amax() / left.amax() > 1e-6);
}

#[test]
fn an_interval_and_a_node_are_displaced_in_the_same_chart() {
    let mut random = Random::new(5);
    for (name, case) in Case::all() {
        let (model, island) = (&case.model, island(&case.model));
        let d: Vec<f64> = island.dofs.clone().map(|_| 0.4 * random.signed()).collect();
        let mut interval = Interval::default();
        interval.begin(model, island, &case.start);
        interval.set_increments(model, island, &case.start, &case.end);
        interval.correct(model, island, &d);
        interval.evaluate(model, island, &case.start, case.t, STEP).unwrap();
        let expected = moved(model, &case.end, &d);
        for (i, slot) in island.bodies.clone().enumerate() {
            let far = (interval.positions[i] - expected.positions[slot]).amax();
            let turned = (interval.rotations[i] - expected.rotations[slot]).amax();
            assert!(far < ROUNDING && turned < ROUNDING, "{name}: slot {slot}: {far:e} {turned:e}");
        }
    }
}

#[test]
fn a_control_does_what_a_load_of_the_same_size_does() {
    let (point, input) = (Vec3::new(0.2, -0.1, 0.3), Vec3::new(1.0, -2.0, 0.7));
    for axes in [Axes::World, Axes::Body] {
        for turning in [false, true] {
            let given = Some(Given::constant(input, axes));
            let anchor = Anchor { body: Some(TIP), arm: point };
            let load = match turning {
                false => Load { anchor, force: given, torque: None },
                true => Load { anchor, force: None, torque: given },
            };
            let mut builder = conservative(JointKind::Universal, 3);
            let bare = Case::new(builder.clone().build().unwrap(), 3);
            builder.force(Force { name: "load".to_owned(), law: ForceLaw::Load(load) });
            let loaded = Case::new(builder.build().unwrap(), 3);
            let control = match turning {
                false => Control::force(&bare.model, TIP, &point, axes).unwrap(),
                true => Control::torque(&bare.model, TIP, axes).unwrap(),
            };
            let (controls, control_inputs) = ([control], [input.x, input.y, input.z]);
            let (mut with, mut without) = (Derivatives::default(), Derivatives::default());
            let mut differentiator = Differentiator::default();
            let interval =
                IntervalInputs { controls: &controls, control_inputs: &control_inputs, ..bare.interval() };
            differentiator.differentiate(&interval, &mut with).unwrap();
            let interval = IntervalInputs { controls: &[], control_inputs: &[], ..loaded.interval() };
            differentiator.differentiate(&interval, &mut without).unwrap();
            for (a, b) in [(&with.before, &without.before), (&with.after, &without.after)] {
                for (a, b) in [
                    (&a.value, &b.value),
                    (&a.by_start, &b.by_start),
                    (&a.by_end, &b.by_end),
                    (&a.by_length, &b.by_length),
                ] {
                    let (a, b) = (DVector::from_column_slice(a), DVector::from_column_slice(b));
                    assert!((&a - &b).amax() < ROUNDING * a.amax());
                }
            }
        }
    }
}

#[test]
fn a_motor_is_the_slope_of_its_work_on_every_dof() {
    let mut random = Random::new(17);
    for kind in ALL_KINDS {
        let (model, start) = chain(kind, 3);
        let (n, whole) = (model.dofs, &model.islands[0]);
        let displaced = |from: &State, d: &[f64]| {
            let mut to = from.clone();
            displace(&model, whole, from, d, &mut to);
            to
        };
        let d: Vec<f64> = (0..n).map(|_| REACH * random.signed()).collect();
        let end = displaced(&start, &d);
        let both =
            |model: &Model| momenta(&uncontrolled((model, &model.islands[0]), (&start, &end), (0.0, STEP)));
        let joints = model.links.iter().enumerate();
        for (slot, coordinate) in joints.flat_map(|(i, link)| (0..link.joint.dofs()).map(move |k| (i, k))) {
            let law = JointLaw::Motor(Table::constant([0.7]));
            let motor = JointForce { name: "motor".to_owned(), slot, coordinate, law };
            let driven = model.with_forces(Vec::new(), vec![motor]);
            // What it adds to the momenta at the two ends, over its share of the step.
            let added = (both(&driven) - both(&model)) * (2.0 / STEP);
            for k in 0..2 * n {
                let (from, sign) = if k < n { (&start, -1.0) } else { (&end, 1.0) };
                // The work along a small displacement, booked as that of a step.
                let work = derivative(|e| {
                    let mut d = vec![0.0; n];
                    d[k % n] = e;
                    let mut ledger = Ledger::new(&driven, from).unwrap();
                    ledger.record(&driven, from, &displaced(from, &d), STEP, None).unwrap();
                    ledger.source("motor").unwrap().energy
                });
                let power = sign * added[k];
                let place = format!("{kind:?}: motor {coordinate} of joint {slot}, degree of freedom {k}");
                assert!((work - power).abs() < DIFFERENCES, "{place}: {work} {power}");
            }
        }
    }
}

#[test]
fn controls_without_meaning_are_refused() {
    let mut builder = tree(JointKind::Rod, 0);
    let floor = builder.body(Body::fixed("floor"), Pose::identity());
    let (model, _) = builder.build().unwrap();
    let bead = ControlError::Particle("bead".to_owned());
    assert_eq!(Control::torque(&model, BEAD, Axes::World).unwrap_err(), bead);
    assert_eq!(Control::force(&model, BEAD, &Vec3::zeros(), Axes::Body).unwrap_err(), bead);
    assert!(Control::force(&model, BEAD, &Vec3::zeros(), Axes::World).is_ok());
    let refused = Control::torque(&model, floor.0, Axes::World).unwrap_err();
    assert_eq!(refused, ControlError::Fixed("floor".to_owned()));
}

#[test]
fn loops_and_their_bending_agree_with_differences() {
    for kind in ALL_KINDS {
        for to_world in [false, true] {
            let case = Case::new(closed(JointKind::Spherical, kind, to_world), 4);
            let interval = case.interval();
            let n = interval.island.dofs.len();
            let (mut tool, mut d) = (Differentiator::default(), Derivatives::default());
            tool.differentiate(&interval, &mut d).unwrap();
            let m = d.gaps.len();
            let multipliers: Vec<f64> = (0..m).map(|i| 1.0 - 0.4 * i as f64).collect();
            // `g` and `Bᵀ λ` with the configuration displaced at both ends.
            let along = |k: usize, e: f64| {
                let mut u = vec![0.0; n];
                u[k] = e;
                let (start, end) = (moved(&case.model, &case.start, &u), moved(&case.model, &case.end, &u));
                let mut d = Derivatives::default();
                let interval = IntervalInputs { start: &start, end: &end, ..interval };
                Differentiator::default().differentiate(&interval, &mut d).unwrap();
                let reduced = |rows: &[f64]| {
                    DMatrix::from_row_slice(m, n, rows).transpose() * DVector::from_column_slice(&multipliers)
                };
                let (before, after) = (reduced(&d.rows_before), reduced(&d.rows_after));
                DVector::from_iterator(m + 2 * n, d.gaps.iter().chain(&before).chain(&after).copied())
            };
            let mut bent = [vec![0.0; n * n], vec![0.0; n * n]];
            for (out, end) in bent.iter_mut().zip([End::Before, End::After]) {
                tool.differentiate_loop_forces(&interval, end, &multipliers, out);
            }
            for k in 0..n {
                let expected = derivative(|e| along(k, e));
                let rows = (0..m).map(|r| d.rows_after[r * n + k]);
                let columns = bent.iter().flat_map(|bent| column(bent, n, k).iter().copied());
                let found = DVector::from_iterator(m + 2 * n, rows.chain(columns));
                let error = (found - expected).amax();
                assert!(error < DIFFERENCES, "{kind:?}: degree of freedom {k}: {error:e}");
            }
        }
    }
}
