//! A body that hangs on the joint that a contact made: its motion without efforts, for guesses.
//!
//! The plan's own equations are marched: from the momentum `p` that arrives at a node and the point `x` that is held,
//!
//! ```text
//! p⁻(q_k, q_{k+1}) = p + D(q_k)ᵀ λ        x(q_{k+1}) = x(q_k)        by Newton's method in q_{k+1} and λ
//! ```
//!
//! Only for one island that a point of the world, or of a body that never moves, holds.

use crate::kinematics::Stance;
use crate::plan::{ContactJoint, Measure, Plan, PlannedContact, Seen};
use crate::transcription::ResolvedContact;
use nalgebra::{DMatrix, DVector};
use percussion_mechanics::State;
use percussion_mechanics::discrete::{Derivatives, Differentiator, IntervalInputs, displace};

/// Iterations of a step at most.
const MOST_ITERATIONS: usize = 30;
/// Correction, rad and m, after which the next one is rounding.
const CONVERGED: f64 = 1e-9;

/// A body on the joint that a contact made.
pub(crate) struct Swing<'a> {
    plan: &'a Plan,
    encounter: ResolvedContact,
    tie: ContactJoint,
    /// The point that is held, and where.
    measure: Measure,
    place: [f64; 3],
    /// What arrives at the node.
    momentum: Vec<f64>,
    tool: Differentiator,
    derivatives: Derivatives,
}

impl<'a> Swing<'a> {
    /// Of a meeting, after an interval between two states; `None` where this cannot be followed.
    pub fn new(plan: &'a Plan, meeting: &PlannedContact, before: &State, at: &State, h: f64) -> Option<Self> {
        let (model, tie) = (&*plan.model, meeting.tie?);
        let [_] = &model.islands[..] else { return None };
        let encounter = ResolvedContact::find(model, meeting, at).ok()?;
        let contacts = model.contacts.as_ref()?;
        let (p, q) = (&contacts.parts[encounter.pair.0], &contacts.parts[encounter.pair.1]);
        let feature = &encounter.features[0];
        let (mover, point) = match (p.slot, q.slot) {
            (Some(_), None) => (p.body, feature.point_a),
            (None, Some(_)) => (q.body, feature.point_b),
            _ => return None,
        };
        let components = model.bodies[mover].principal.point(&point);
        let measure = Measure::Point { of: Seen { body: Some(mover), components }, from: None };
        let mut place = [0.0; 3];
        measure.value(&Stance::new(model, at), &mut place);
        let (tool, derivatives) = (Differentiator::default(), Derivatives::default());
        let momentum = vec![0.0; model.dofs];
        let mut swing = Self { plan, encounter, tie, measure, place, momentum, tool, derivatives };
        swing.differentiate(before, at, h)?;
        swing.momentum.clone_from(&swing.derivatives.after.value);
        Some(swing)
    }

    fn differentiate(&mut self, start: &State, end: &State, h: f64) -> Option<()> {
        let model = &*self.plan.model;
        let (island, t) = (&model.islands[0], start.time + 0.5 * h);
        let passage = IntervalInputs { model, island, start, end, t, h, controls: &[], efforts: &[] };
        self.tool.differentiate(&passage, &mut self.derivatives).ok()
    }

    /// Where the point is that is held, and how it moves along the degrees of freedom.
    fn held(&self, state: &State) -> ([f64; 3], DMatrix<f64>) {
        let n = self.plan.model.dofs;
        let mut stance = Stance::new(&self.plan.model, state);
        let (mut place, mut gradient) = ([0.0; 3], vec![0.0; 3 * n]);
        self.measure.value(&stance, &mut place);
        self.measure.gradient(&mut stance, &mut gradient);
        (place, DMatrix::from_row_slice(3, n, &gradient))
    }

    /// The next state; `None` if it is not found.
    pub fn step(&mut self, from: &State, h: f64) -> Option<State> {
        let mut to = from.clone();
        to.time += h;
        if self.tie == ContactJoint::Rigid {
            return Some(to);
        }
        let model = &*self.plan.model;
        let n = model.dofs;
        let (_, pull) = self.held(from);
        let mut impulse = DVector::zeros(3);
        for _ in 0..MOST_ITERATIONS {
            let (place, along) = self.held(&to);
            self.differentiate(from, &to, h)?;
            let mut matrix = DMatrix::zeros(n + 3, n + 3);
            matrix.view_mut((0, 0), (n, n)).copy_from(&DMatrix::from_column_slice(
                n,
                n,
                &self.derivatives.before.by_end,
            ));
            matrix.view_mut((0, n), (n, 3)).copy_from(&-pull.transpose());
            matrix.view_mut((n, 0), (3, n)).copy_from(&along);
            let held_back = pull.tr_mul(&impulse);
            let leaves = &self.derivatives.before.value;
            let right = DVector::from_fn(n + 3, |i, _| match i.checked_sub(n) {
                None => leaves[i] - self.momentum[i] - held_back[i],
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

    /// How high the corners are that would lie on a face: the lowest of those that are not held, or with `flat` the second lowest, m.
    pub fn height(&self, state: &State, flat: bool) -> Option<f64> {
        let contacts = self.plan.model.contacts.as_ref()?;
        let (p, q) = (&contacts.parts[self.encounter.pair.0], &contacts.parts[self.encounter.pair.1]);
        let poses = (p.body_pose(state), q.body_pose(state));
        let mut heights: Vec<f64> =
            self.encounter.corners.iter().map(|corner| corner.read((&poses.0, &poses.1)).gap).collect();
        heights.sort_by(f64::total_cmp);
        heights.get(usize::from(flat)).copied()
    }
}
