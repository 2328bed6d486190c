//! The unknowns of a plan: their indices, bounds and greatest steps, and an iterate of the solver.
//!
//! Order in time: per node configurations, momenta (where they are unknown), impulses; then the control inputs of the interval that begins
//! there. Time scales follow, separating planes come last: later rounds of a search add planes, and no other index changes.

use super::assembly::ConstraintSet;
use super::contact::ContactGroup;
use crate::islands::islands_of;
use crate::plan::{MomentumCondition, Plan};
use crate::tolerances::variables::MAX_STEP;
use percussion_geometry::Vec3;
use percussion_mechanics::State;
use percussion_solve::nlp::Bound;

/// The index of no variable or row: of something fixed.
pub const NONE: usize = usize::MAX;

/// An iterate of the solver: configurations on their manifold, everything else as numbers.
#[derive(Clone, Debug)]
pub struct Iterate {
    /// States at the nodes; their momenta are not part of it.
    pub nodes: Vec<State>,
    /// Control inputs, time scales, momenta, impulses and heights of planes, by the variable's index; zero for other variables.
    pub scalars: Vec<f64>,
    /// Unit normals of the separating planes.
    pub planes: Vec<Vec3>,
}

/// Indices of the variables, in the order of time.
#[derive(Clone, Debug, Default)]
pub struct VariableIndices {
    /// First index of the configuration of an island at a node; [`NONE`] if it is fixed.
    pub configurations: Vec<Vec<usize>>,
    /// First index of the momentum of an island at a node; [`NONE`] where it is no unknown.
    pub momenta: Vec<Vec<usize>>,
    /// First index of the impulses of each contact group.
    pub impulses: Vec<usize>,
    /// First index of the control inputs of an interval.
    pub inputs: Vec<usize>,
    /// First time scale; [`NONE`] if they are known.
    pub time_scales: usize,
    /// First index of each separating plane: its rotations, then its height.
    pub planes: Vec<usize>,
    /// Number of variables.
    pub count: usize,
}

impl VariableIndices {
    /// Of a plan with its contact groups and the separating planes of a constraint set.
    pub(super) fn new(plan: &Plan, groups: &[ContactGroup], set: &ConstraintSet) -> Self {
        let mut indices = Self { impulses: vec![NONE; groups.len()], time_scales: NONE, ..Self::default() };
        let mut next = 0;
        let mut take = |count: usize| {
            next += count;
            next - count
        };
        for node in 0..=plan.intervals {
            let (mut configurations, mut momenta) = (Vec::new(), Vec::new());
            for (i, island) in plan.model.islands.iter().enumerate() {
                let fixed = plan.boundary(node).is_some_and(|boundary| boundary.fixed[i]);
                configurations.push(if fixed { NONE } else { take(island.dofs.len()) });
            }
            for (i, island) in plan.model.islands.iter().enumerate() {
                let unknown = has_unknown_momentum(plan, groups, node, i);
                momenta.push(if unknown { take(island.dofs.len()) } else { NONE });
            }
            indices.configurations.push(configurations);
            indices.momenta.push(momenta);
            let own = groups.iter().zip(&mut indices.impulses).filter(|(group, _)| group.node == node);
            for (group, first) in own {
                *first = take(group.constraints.iter().map(|c| c.directions.count()).sum());
            }
            if node < plan.intervals {
                indices.inputs.push(take(plan.components()));
            }
        }
        if plan.has_unknown_time_scales() {
            indices.time_scales = take(plan.segments());
        }
        for plane in set.planes() {
            indices.planes.push(take(plane.rotations() + 1));
        }
        indices.count = next;
        indices
    }

    /// The length of an interval, s.
    pub fn length(&self, plan: &Plan, at: &Iterate, interval: usize) -> f64 {
        plan.step * self.time_scale(plan, at, interval)
    }

    /// The time scale of an interval.
    pub fn time_scale(&self, plan: &Plan, at: &Iterate, interval: usize) -> f64 {
        match self.time_scales {
            NONE => plan.time_bounds.total.lower / (plan.step * plan.intervals as f64),
            first => at.scalars[first + plan.segment(interval)],
        }
    }

    /// Times of all nodes, s.
    pub fn times(&self, plan: &Plan, at: &Iterate) -> Vec<f64> {
        let mut times = vec![plan.start.state.time];
        for k in 0..plan.intervals {
            times.push(times[k] + self.length(plan, at, k));
        }
        times
    }

    /// Variables of the configuration of an island at a node, each [`NONE`] if it is fixed.
    pub(super) fn configuration(
        &self,
        plan: &Plan,
        node: usize,
        island: usize,
    ) -> impl Iterator<Item = usize> + use<> {
        range(self.configurations[node][island], plan.model.islands[island].dofs.len())
    }

    /// Whether the configuration of an island is unknown at a node.
    pub(super) fn is_free(&self, node: usize, island: usize) -> bool {
        self.configurations[node][island] != NONE
    }

    /// The variable of the time scale of an interval.
    pub(super) fn time_scale_of(&self, plan: &Plan, interval: usize) -> usize {
        match self.time_scales {
            NONE => NONE,
            first => first + plan.segment(interval),
        }
    }

    /// Bounds of all variables.
    pub(super) fn bounds(&self, plan: &Plan, groups: &[ContactGroup]) -> Vec<Bound> {
        let mut bounds = vec![Bound::FREE; self.count];
        for &first in &self.inputs {
            let each = plan.actuators.iter().flat_map(|a| a.bounds.iter().copied());
            bounds[first..].iter_mut().zip(each).for_each(|(bound, own)| *bound = own);
        }
        for (group, &first) in groups.iter().zip(&self.impulses) {
            for (c, (next, _, constraint)) in group.impulses(first).enumerate() {
                // A point is unilateral. The three points of a face represent its force and where it acts: each of them may pull.
                if constraint.directions.has_normal() && group.is_single(c) {
                    bounds[next] = Bound::at_least(0.0);
                }
            }
        }
        if self.time_scales != NONE {
            bounds[self.time_scales..self.time_scales + plan.segments()].fill(plan.time_bounds.scale);
        }
        bounds
    }

    /// Greatest steps of all variables in one iteration of the solver.
    pub(super) fn max_steps(&self, plan: &Plan, set: &ConstraintSet) -> Vec<f64> {
        let mut steps = vec![f64::INFINITY; self.count];
        for configurations in &self.configurations {
            let each = plan.model.islands.iter().zip(configurations).filter(|(_, first)| **first != NONE);
            each.for_each(|(island, &first)| steps[first..first + island.dofs.len()].fill(MAX_STEP));
        }
        for (first, plane) in self.planes.iter().zip(set.planes()) {
            steps[*first..*first + plane.rotations()].fill(MAX_STEP);
        }
        steps
    }
}

/// So many indices from a first one on; all [`NONE`] if that is.
pub(super) fn range(first: usize, count: usize) -> impl Iterator<Item = usize> {
    (0..count).map(move |i| if first == NONE { NONE } else { first + i })
}

/// Whether the momentum of an island is an unknown at a node: it jumps there, or a condition on velocities depends on it.
fn has_unknown_momentum(plan: &Plan, groups: &[ContactGroup], node: usize, island: usize) -> bool {
    if let Some(boundary) = plan.boundary(node) {
        return boundary.momentum[island] == MomentumCondition::Conditioned;
    }
    let jumps = groups.iter().any(|group| {
        group.node == node
            && group.islands.contains(&island)
            && group.constraints.iter().any(|c| c.law_rows() > 0)
    });
    let conditioned = plan.conditions.iter().any(|condition| {
        condition.measure.depends_on_velocity()
            && condition.nodes.contains(node, plan.intervals)
            && islands_of(&plan.model, condition.measure.bodies().into_iter().flatten()).contains(&island)
    });
    jumps || conditioned
}
