//! A joint is written three times: as constraints, as null-space columns and as a reparametrisation. Each is checked
//! against the others and against differences.

use crate::common::*;

/// A few dozen roundings of numbers of size one.
const ROUNDING: f64 = 1e-13;
/// Differences of fourth order of functions of size one.
const DIFFERENCES: f64 = 1e-11;

/// The axial vector of the derivative of a rotation that is `r` at zero.
fn spin(rate: &Mat3, r: &Mat3) -> Vec3 {
    let k = rate * r.transpose();
    assert!((k + k.transpose()).amax() < DIFFERENCES, "directors do not turn rigidly: {k}");
    Vec3::new(k[(2, 1)], k[(0, 2)], k[(1, 0)])
}

/// Twist of a placement that depends on one number.
fn twist_of(place: impl Fn(f64) -> (Vec3, Mat3)) -> Vec6 {
    let (_, r) = place(0.0);
    twist(&derivative(|e| place(e).0), &spin(&derivative(|e| place(e).1), &r))
}

/// The parent-side frame of a joint whose parent moves by a change.
fn frame_after(s: &Standing, change: &Displacement) -> Frame {
    match &s.parent {
        Some((position, rotation)) => {
            s.joint.parent_frame.on(&(position + change.shift), &(change.turn.matrix() * rotation))
        }
        None => s.joint.parent_frame,
    }
}

/// Where the child goes when the parent makes a change and the joint a step.
fn placed(s: &Standing, change: &Displacement, step: &JointIncrement) -> ((Vec3, Mat3), Vec<f64>) {
    let mut coordinates = s.coordinates.clone();
    s.joint.advance_coordinates(step, &mut coordinates);
    (s.joint.child_pose(&s.stand, &frame_after(s, change), step, &coordinates), coordinates)
}

/// A step of some size along all degrees of freedom.
fn step_of(s: &Standing, size: f64, random: &mut Random) -> JointIncrement {
    let d: Vec<f64> = (0..6).map(|_| size * random.signed()).collect();
    s.joint.incremented(&s.stand, &JointIncrement::zero(), &d)
}

/// `G` on the twists of parent and child; the parent's columns are left out for the world, and a particle's turning is
/// that of its parent.
fn constraint_matrix(s: &Standing) -> DMatrix<f64> {
    let rows = s.joint.rows();
    let child = (&s.child.0, &s.child.1);
    let mut g = DMatrix::zeros(rows.len(), 12);
    for (i, &row) in rows.iter().enumerate() {
        let value = s.joint.row(row, borrowed(&s.parent), child);
        if let Some((_, rotation)) = &s.parent {
            g.view_mut((i, 0), (1, 6)).copy_from(&value.parent.on_twists(rotation).transpose());
        }
        g.view_mut((i, 6), (1, 6)).copy_from(&value.child.on_twists(&s.child.1).transpose());
    }
    if s.joint.particle {
        let turning = g.columns(9, 3).into_owned();
        let mut parents = g.columns_mut(3, 3);
        parents += turning;
    }
    let from = if s.parent.is_some() { 0 } else { 6 };
    let to = if s.joint.particle { 9 } else { 12 };
    g.columns(from, to - from).into_owned()
}

/// The columns of allowed twists of parent and child, in the same layout.
fn null_space(s: &Standing) -> DMatrix<f64> {
    let (own, inherited) = (s.joint.dofs(), if s.parent.is_some() { 6 } else { 0 });
    let mut p = DMatrix::zeros(12, inherited + own);
    if let Some((position, _)) = &s.parent {
        let reach = s.child.0 - position;
        for k in 0..6 {
            let unit = Vec6::ith(k, 1.0);
            p.view_mut((0, k), (6, 1)).copy_from(&unit);
            p.view_mut((6, k), (6, 1)).copy_from(&shift_twist(&unit, &reach));
        }
    }
    let motion = s.joint.motion(&s.stand, &s.child.0);
    for k in 0..own {
        p.view_mut((6, inherited + k), (6, 1)).copy_from(&motion.column(k));
    }
    let from = if s.parent.is_some() { 0 } else { 6 };
    let to = if s.joint.particle { 9 } else { 12 };
    p.rows(from, to - from).into_owned()
}

fn rank(m: &DMatrix<f64>) -> usize {
    if m.is_empty() { 0 } else { m.clone().svd(false, false).rank(1e-6) }
}

#[test]
fn a_child_that_its_joint_places_satisfies_the_constraints() {
    let mut random = Random::new(1);
    for s in Standing::all(1) {
        let shift = random.vector();
        let turn =
            s.parent.map_or_else(RodriguesVector::identity, |_| RodriguesVector::exp(&random.vector()));
        let parent = Displacement { shift, turn };
        for size in [0.0, 1e-6, 0.3, 2.0] {
            let step = step_of(&s, size, &mut random);
            let ((position, rotation), _) = placed(&s, &parent, &step);
            let moved = s
                .parent
                .map(|(position, rotation)| (position + parent.shift, parent.turn.matrix() * rotation));
            for &row in s.joint.rows() {
                let g = s.joint.row(row, borrowed(&moved), (&position, &rotation)).value;
                assert!(g.abs() < ROUNDING, "{}: {row} is {g:e}", s.name());
            }
        }
    }
}

#[test]
fn constraint_jacobians_are_the_differences_of_the_constraints_for_any_directors() {
    let mut random = Random::new(2);
    for s in Standing::all(2) {
        let parent = s.parent.map(|_| (random.vector(), random.matrix()));
        let child = (random.vector(), random.matrix());
        for &row in s.joint.rows() {
            let value = s.joint.row(row, borrowed(&parent), (&child.0, &child.1));
            // Rows are of second degree: differences over any stride are exact.
            let slope = |p: (Vec3, Mat3), c: (Vec3, Mat3)| {
                let at = |e: f64| {
                    let parent = parent.map(|(x, r)| (x + p.0 * e, r + p.1 * e));
                    let child = (child.0 + c.0 * e, child.1 + c.1 * e);
                    s.joint.row(row, borrowed(&parent), (&child.0, &child.1)).value
                };
                at(0.5) - at(-0.5)
            };
            let none = (Vec3::zeros(), Mat3::zeros());
            let part = |form: &LinearForm, k: usize| if k < 3 { form.force[k] } else { form.moment[k - 3] };
            for k in 0..12 {
                let mut unit = none;
                *if k < 3 { &mut unit.0[k] } else { &mut unit.1[k - 3] } = 1.0;
                let of_child = slope(none, unit) - part(&value.child, k);
                assert!(of_child.abs() < ROUNDING, "{} {row}", s.name());
                if parent.is_some() {
                    let of_parent = slope(unit, none) - part(&value.parent, k);
                    assert!(of_parent.abs() < ROUNDING, "{} {row}", s.name());
                }
            }
        }
    }
}

#[test]
fn the_columns_of_motion_span_exactly_what_the_constraints_leave() {
    for s in Standing::all(3) {
        let (g, p) = (constraint_matrix(&s), null_space(&s));
        let twists = p.nrows();
        assert_eq!(rank(&g), s.joint.rows().len(), "{}: redundant constraints", s.name());
        assert_eq!(rank(&p), p.ncols(), "{}: dependent columns", s.name());
        assert_eq!(rank(&g) + rank(&p), twists, "{}: too many or too few", s.name());
        if !g.is_empty() && !p.is_empty() {
            let product = (&g * &p).amax();
            assert!(product < ROUNDING, "{}: G P = {product:e}", s.name());
        }
    }
}

#[test]
fn twists_keep_directors_orthonormal() {
    // [Johnson 3.21]: d_i·d_j = δ_ij; its derivative along any column is d_i·δd_j + δd_i·d_j.
    for s in Standing::all(4) {
        let motion = s.joint.motion(&s.stand, &s.child.0);
        for k in 0..s.joint.dofs() {
            let moved = hat(&angular(&motion.column(k).into_owned())) * s.child.1;
            let internal = s.child.1.transpose() * moved + moved.transpose() * s.child.1;
            assert!(internal.amax() < ROUNDING, "{}", s.name());
        }
    }
}

#[test]
fn columns_of_motion_are_the_differences_of_placements_where_a_step_begins_and_where_it_arrives() {
    let mut random = Random::new(5);
    for s in Standing::all(5) {
        for size in [0.0, 0.8] {
            let step = step_of(&s, size, &mut random);
            let ((position, rotation), coordinates) = placed(&s, &Displacement::zero(), &step);
            let stand = s.joint.frame(borrowed(&s.parent), (&position, &rotation), &coordinates);
            let motion = s.joint.motion(&stand, &position);
            for k in 0..s.joint.dofs() {
                let found = twist_of(|e| {
                    let mut d = [0.0; 6];
                    d[k] = e;
                    placed(&s, &Displacement::zero(), &s.joint.incremented(&s.stand, &step, &d)).0
                });
                let error = (found - motion.column(k)).amax();
                assert!(error < DIFFERENCES, "{} degree of freedom {k}: {found} {error:e}", s.name());
            }
        }
    }
}

#[test]
fn a_parent_carries_its_child_as_one_body() {
    for s in Standing::all(6) {
        let Some((from, _)) = s.parent else { continue };
        for k in 0..6 {
            let unit = Vec6::ith(k, 1.0);
            let found = twist_of(|e| {
                let change = Displacement {
                    shift: linear(&unit) * e,
                    turn: RodriguesVector::exp(&(angular(&unit) * e)),
                };
                placed(&s, &change, &JointIncrement::zero()).0
            });
            let error = (found - shift_twist(&unit, &(s.child.0 - from))).amax();
            assert!(error < DIFFERENCES, "{} twist {k}: {error:e}", s.name());
        }
    }
}

/// `Joint::advance` with its arms.
fn advance(s: &Standing, parent: &Displacement, step: &JointIncrement) -> Displacement {
    let parent_arm = s.parent.map_or_else(Vec3::zeros, |(_, r)| r * s.joint.parent_frame.point);
    let child_arm = s.child.1 * s.joint.child_frame.point;
    s.joint.child_displacement(&s.stand, parent, step, (&parent_arm, &child_arm))
}

#[test]
fn changes_agree_with_the_difference_of_placements_for_small_and_large_steps() {
    let mut random = Random::new(7);
    for s in Standing::all(7) {
        for size in [1e-9, 1e-3, 0.5, 2.9] {
            let parent = s.parent.map_or_else(Displacement::zero, |_| Displacement {
                shift: random.vector() * size,
                turn: RodriguesVector::exp(&(random.vector() * size / 2.0)),
            });
            let step = step_of(&s, size, &mut random);
            let change = advance(&s, &parent, &step);
            let ((position, rotation), _) = placed(&s, &parent, &step);
            // Rounding in placements a few metres from the origin, and more metres for larger steps.
            let tolerance = 1e-14 * (1.0 + size);
            let shift = (position - s.child.0 - change.shift).amax();
            assert!(shift < tolerance, "{} by {size}: shift off by {shift:e}", s.name());
            let turn = (change.turn.matrix() * s.child.1 - rotation).amax();
            assert!(turn < tolerance, "{} by {size}: turn off by {turn:e}", s.name());
        }
    }
}

#[test]
fn a_tiny_step_is_known_to_relative_precision() {
    let mut random = Random::new(8);
    // The second order of a step this long is below the rounding of its first.
    let size = 1e-17;
    for s in Standing::all(8) {
        let Some((from, _)) = s.parent else { continue };
        let d: Vec<f64> = (0..6).map(|_| size * random.signed()).collect();
        let base = twist(&random.vector(), &random.vector()) * size;
        let parent = Displacement { shift: linear(&base), turn: RodriguesVector::exp(&angular(&base)) };
        let change = advance(&s, &parent, &s.joint.incremented(&s.stand, &JointIncrement::zero(), &d));
        let mut expected = shift_twist(&base, &(s.child.0 - from));
        let motion = s.joint.motion(&s.stand, &s.child.0);
        (0..s.joint.dofs()).for_each(|k| expected += motion.column(k) * d[k]);
        let error = (twist(&change.shift, &change.turn.log()) - expected).amax();
        assert!(error < 1e-14 * size, "{}: {error:e}", s.name());
    }
}

#[test]
fn a_rod_that_lies_level_swings_the_way_its_columns_say() {
    // Rounding decides on which side of the level a rod lies: both sides must mean the same columns.
    let joint = |length: f64| Joint {
        name: "rod".to_owned(),
        kind: JointKind::Rod,
        parent_frame: Frame { point: Vec3::zeros(), axes: Mat3::identity() },
        child_frame: Frame { point: Vec3::zeros(), axes: Mat3::identity() },
        length,
        particle: true,
        limits: [None; 3],
    };
    for direction in
        [Vec3::x(), -Vec3::x(), Vec3::y(), -Vec3::y(), Vec3::new(0.6, -0.8, 0.0), Vec3::z(), -Vec3::z()]
    {
        let rod = joint(0.7);
        let at = |tilt: Vec3| {
            let shift = direction * rod.length + tilt;
            let frame = rod.parent_frame;
            rod.motion(&JointFrame { parent: frame, shift, rotation: Mat3::identity(), first: 0.0 }, &shift)
        };
        for k in 0..3 {
            let tilt = Vec3::ith(k, 1e-17);
            let error = (at(tilt) - at(-tilt)).amax();
            assert!(error < 1e-15, "{direction}: columns jump by {error}");
        }
    }
}
