//! From a plan to variables, rows and blocks.
//!
//! ```text
//! contact groups -> indices of the unknowns -> rows and blocks of every family, in the order of FAMILIES -> sparse layout
//! ```

use super::Transcription;
use super::avoidance::{self, SeparatingPlane, SeparationConstraint, SeparationKind};
use super::block::{AssembledBlock, ConstraintBlock};
use super::contact::{self, ContactGroup, ResolvedContact, contact_groups};
use super::dynamics;
use super::label::Label;
use super::objective;
use super::path::{self, NodeConstraints, PathConstraint};
use super::variables::VariableIndices;
use super::workspace::{Problem, Workspace};
use crate::plan::Plan;
use percussion_solve::nlp::{Bound, Layout};

/// What a program is made for: the features of planned contacts and the pairs of parts that are kept apart.
#[derive(Clone, Debug, Default)]
pub struct ConstraintSet {
    /// One for each planned contact.
    pub contacts: Vec<ResolvedContact>,
    /// Pairs that are kept apart.
    pub separations: Vec<SeparationConstraint>,
}

impl ConstraintSet {
    /// The separating planes, in the order of their variables.
    pub fn planes(&self) -> impl Iterator<Item = &SeparatingPlane> {
        self.separations.iter().filter_map(|separation| match &separation.kind {
            SeparationKind::Plane(plane) => Some(plane),
            _ => None,
        })
    }
}

/// Adds the rows and blocks of one kind of constraint or cost.
pub(super) type Family = fn(&mut Assembly);

/// Everything that a program consists of. Rows are numbered in this order.
const FAMILIES: [Family; 8] = [
    dynamics::add,
    contact::add_impulses,
    path::add_velocity_conditions,
    path::add_path_constraints,
    avoidance::add_planes,
    avoidance::add_rotation_limits,
    objective::add_time,
    objective::add_control_effort,
];

/// Rows and blocks as they are made.
pub(super) struct Assembly<'a> {
    pub problem: &'a Problem,
    pub set: &'a ConstraintSet,
    pub groups: &'a [ContactGroup],
    /// The first rows to which the momenta of each island at each node go, for impulses to be added to: of the interval before, and of the
    /// one after; [`NONE`](super::NONE) for no rows.
    pub momentum_rows: Vec<Vec<(usize, usize)>>,
    /// Path constraints, node by node.
    pub nodes: Vec<NodeConstraints>,
    bounds: Vec<Bound>,
    labels: Vec<Label>,
    blocks: Vec<Box<dyn ConstraintBlock>>,
}

impl Assembly<'_> {
    /// Adds a row; returns its index.
    pub fn row(&mut self, bound: Bound, label: Label) -> usize {
        self.bounds.push(bound);
        self.labels.push(label);
        self.bounds.len() - 1
    }

    /// Adds a block.
    pub fn block(&mut self, block: impl ConstraintBlock + 'static) {
        self.blocks.push(Box::new(block));
    }

    /// Adds a path constraint at a node: a row for each of its functions, with a label and its bound.
    pub fn path_constraint(
        &mut self,
        node: usize,
        label: &Label,
        constraint: impl PathConstraint + 'static,
        bounds: &[Bound],
    ) {
        let rows = bounds.iter().map(|bound| (self.row(*bound, label.clone()), 1.0)).collect();
        self.node_function(node, constraint, rows);
    }

    /// Adds functions of a node's configuration to rows that exist, or to the objective.
    pub fn node_function(
        &mut self,
        node: usize,
        function: impl PathConstraint + 'static,
        rows: Vec<(usize, f64)>,
    ) {
        self.nodes[node].functions.push(Box::new(function));
        self.nodes[node].rows.extend(rows);
    }
}

impl Transcription {
    /// The program of a plan, for given features and pairs.
    pub fn new(plan: Plan, set: ConstraintSet) -> Self {
        let groups = contact_groups(&plan, &set);
        let indices = VariableIndices::new(&plan, &groups, &set);
        let problem = Problem { plan, indices };
        let mut assembly = Assembly {
            problem: &problem,
            set: &set,
            groups: &groups,
            momentum_rows: Vec::new(),
            nodes: (0..=problem.plan.intervals).map(|_| NodeConstraints::default()).collect(),
            bounds: Vec::new(),
            labels: Vec::new(),
            blocks: Vec::new(),
        };
        FAMILIES.iter().for_each(|add| add(&mut assembly));
        let Assembly { bounds, labels, blocks, .. } = assembly;
        let mut layout = Layout {
            variables: problem.indices.bounds(&problem.plan, &groups),
            constraints: bounds,
            step_limits: problem.indices.max_steps(&problem.plan, &set),
            ..Layout::default()
        };
        let blocks = blocks
            .into_iter()
            .map(|block| AssembledBlock::new(block, &mut layout.jacobian, &mut layout.hessian))
            .collect();
        let mut workspace = Workspace::default();
        workspace.avoidance.warm_starts.resize_with(set.separations.len(), Default::default);
        Self { problem, workspace, blocks, layout, labels, set, scratch: Default::default() }
    }
}
