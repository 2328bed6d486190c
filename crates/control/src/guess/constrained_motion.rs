//! The motion of a body on a contact joint without control inputs, for guesses.
//!
//! The discrete equations of the plan, from the momentum `p` at a node before its joint impulse, with the point `x` that the joint holds:
//!
//! ```text
//! p⁻(q_k, q_{k+1}) = p + D(q_k)ᵀ λ        x(q_{k+1}) = x(q_k)        by Newton's method in q_{k+1} and λ
//! ```
//!
//! Only for one island and a point of the world, or of a fixed body.

use crate::clearance::poses;
use crate::plan::{BodyPoint, ContactJoint, Measure, Plan, PlannedContact};
use crate::tolerances::guess::constrained_motion::CONVERGED;
use crate::transcription::ResolvedContact;
use nalgebra::{DMatrix, DVector};
use percussion_mechanics::State;
use percussion_mechanics::discrete::{Derivatives, Differentiator, IntervalInputs, displace};
use percussion_mechanics::kinematics::ConfigurationKinematics;

/// Most iterations of a step.
const MAX_ITERATIONS: usize = 30;

/// A body on a contact joint.
pub(crate) struct ConstrainedMotion<'a> {
    plan: &'a Plan,
    resolved: ResolvedContact,
    joint: ContactJoint,
    /// The point of the body, and where the joint holds it.
    measure: Measure,
    place: [f64; 3],
    /// The momentum at the node, before the joint impulse.
    momentum: Vec<f64>,
    differentiator: Differentiator,
    derivatives: Derivatives,
}

impl<'a> ConstrainedMotion<'a> {
    /// Of a planned, after an interval between two states; `None` where this cannot be followed.
    pub fn new(plan: &'a Plan, planned: &PlannedContact, before: &State, at: &State, h: f64) -> Option<Self> {
        let (model, joint) = (&*plan.model, planned.joint?);
        let [_] = &model.islands[..] else { return None };
        let resolved = ResolvedContact::find(model, planned, at).ok()?;
        let contacts = model.contacts.as_ref()?;
        let (mover, point, other) = resolved.held_point(contacts);
        if mover.slot.is_none() || other.slot.is_some() {
            return None;
        }
        let components = model.bodies[mover.body].principal.point(&point);
        let measure = Measure::Point { of: BodyPoint { body: Some(mover.body), components }, from: None };
        let mut place = [0.0; 3];
        measure.value(&ConfigurationKinematics::new(model, at), &mut place);
        let (differentiator, derivatives) = (Differentiator::default(), Derivatives::default());
        let momentum = vec![0.0; model.dofs];
        let mut motion =
            Self { plan, resolved, joint, measure, place, momentum, differentiator, derivatives };
        motion.differentiate(before, at, h)?;
        motion.momentum.clone_from(&motion.derivatives.after.value);
        Some(motion)
    }

    fn differentiate(&mut self, start: &State, end: &State, h: f64) -> Option<()> {
        let model = &*self.plan.model;
        let (island, t) = (&model.islands[0], start.time + 0.5 * h);
        let interval = IntervalInputs { model, island, start, end, t, h, controls: &[], control_inputs: &[] };
        self.differentiator.differentiate(&interval, &mut self.derivatives).ok()
    }

    /// The point and its Jacobian.
    fn point(&self, state: &State) -> ([f64; 3], DMatrix<f64>) {
        let n = self.plan.model.dofs;
        let mut kinematics = ConfigurationKinematics::new(&self.plan.model, state);
        let (mut place, mut gradient) = ([0.0; 3], vec![0.0; 3 * n]);
        self.measure.value(&kinematics, &mut place);
        self.measure.gradient(&mut kinematics, &mut gradient);
        (place, DMatrix::from_row_slice(3, n, &gradient))
    }

    /// The next state; `None` if it is not found.
    pub fn step(&mut self, from: &State, h: f64) -> Option<State> {
        let mut to = from.clone();
        to.time += h;
        if self.joint == ContactJoint::Rigid {
            return Some(to);
        }
        let model = &*self.plan.model;
        let n = model.dofs;
        let (_, jacobian) = self.point(from);
        let mut impulse = DVector::zeros(3);
        for _ in 0..MAX_ITERATIONS {
            let (place, along) = self.point(&to);
            self.differentiate(from, &to, h)?;
            let mut matrix = DMatrix::zeros(n + 3, n + 3);
            let by_end = DMatrix::from_column_slice(n, n, &self.derivatives.before.by_end);
            matrix.view_mut((0, 0), (n, n)).copy_from(&by_end);
            matrix.view_mut((0, n), (n, 3)).copy_from(&-jacobian.transpose());
            matrix.view_mut((n, 0), (3, n)).copy_from(&along);
            let joint_impulse = jacobian.tr_mul(&impulse);
            let momenta = &self.derivatives.before.value;
            let right = DVector::from_fn(n + 3, |i, _| match i.checked_sub(n) {
                None => momenta[i] - self.momentum[i] - joint_impulse[i],
                Some(k) => place[k] - self.place[k],
            });
            let step = matrix.lu().solve(&right)?;
            let d: Vec<f64> = step.rows(0, n).iter().map(|d| -d).collect();
            impulse -= step.rows(n, 3);
            let here = to.clone();
            displace(model, &model.islands[0], &here, &d, &mut to);
            if d.iter().all(|d| d.abs() < CONVERGED) {
                self.differentiate(from, &to, h)?;
                self.momentum.clone_from(&self.derivatives.after.value);
                to.momenta.clone_from(&self.momentum);
                return Some(to);
            }
        }
        None
    }

    /// The gap of the lowest corner that the joint does not hold, m; with `flat` of the second lowest, where a face is parallel to the surface.
    pub fn height(&self, state: &State, flat: bool) -> Option<f64> {
        let contacts = self.plan.model.contacts.as_ref()?;
        let poses = &poses(contacts, self.resolved.pair, state);
        let corners = self.resolved.corners.iter();
        let mut heights: Vec<f64> = corners.map(|corner| corner.evaluate(poses).gap).collect();
        heights.sort_by(f64::total_cmp);
        heights.get(usize::from(flat)).copied()
    }
}
