//! A plan as a nonlinear program: sparse, block tri-diagonal in time [Johnson 4.2; Leyendecker 5.2].
//!
//! | module | contents |
//! |---|---|
//! | [`variables`](VariableIndices) | the unknowns, their indices and bounds; an iterate |
//! | `dynamics` | discrete Euler-Lagrange defects: momenta of an island at both ends of an interval |
//! | `contact` | planned contacts: features, impulses and their laws, contact joints, friction cones, centres of pressure |
//! | `path` | functions of one node's configuration; conditions on velocities |
//! | `avoidance` | separating planes, separations of curved parts, limits of rotations between nodes |
//! | `objective` | control effort, goals, time |
//! | `block`, `linear` | a sum of blocks with few variables each; blocks that are linear |
//! | `node_islands` | islands whose configurations at a node are variables of a block |
//! | `assembly` | rows and blocks of all families, in order |
//! | `label` | names of rows and variables |
//! | `initial_iterate` | an iterate from an initial path |
//!
//! Every folder has its own workspace type; `Workspace` holds one of each.
//!
//! # A new kind of path constraint
//!
//! Path constraints are functions of the configuration of one node. One file implements `PathConstraint` and a
//! function that adds instances to the program; one line in `PATH_CONSTRAINTS` of `path/mod.rs` registers it. A body that must stay above
//! a height at all nodes:
//!
//! ```text
//! //! path/height.rs
//! struct Height { body: usize }
//!
//! impl PathConstraint for Height {
//!     fn bodies(&self, _: &Model) -> [Option<usize>; 2] { [Some(self.body), None] }                        // sparsity
//!     fn value(&self, at: &ConfigurationKinematics, _: &mut Workspace, out: &mut [f64]) -> Evaluation {
//!         out[0] = at.center_of_mass(Some(self.body)).z;
//!         Ok(())
//!     }
//!     fn jacobian(&self, at: &mut ConfigurationKinematics, out: &mut [f64]) {
//!         out.fill(0.0);
//!         at.generalised_forces(&[(Some(self.body), twist(&Vec3::z(), &Vec3::zeros()))], out);       // of a force along z
//!     }
//! }
//!
//! pub(super) fn add(assembly: &mut Assembly) {
//!     for node in 0..=assembly.problem.plan.intervals {
//!         let label = Label::Path { name: "height".into(), node };
//!         assembly.path_constraint(node, &label, Height { .. }, &[Bound::at_least(0.1)]);
//!     }
//! }
//! ```
//!
//! The Hessian of the Lagrangian is a central difference of the Jacobian unless `second_derivative` returns a closed form.
//! `path/condition.rs` is the complete example: all conditions of a plan are made this way.

mod assembly;
mod avoidance;
mod block;
mod contact;
mod dynamics;
mod initial_iterate;
mod label;
mod linear;
mod node_islands;
mod objective;
mod path;
mod variables;
mod workspace;

pub use assembly::ConstraintSet;
pub use avoidance::{Hull, SeparatingPlane, SeparationConstraint, SeparationKind, separation};
pub(crate) use contact::world_aligned_tangents;
pub use contact::{
    ContactConstraint, ContactRegion, ContactResolutionError, FeatureGeometry, ImpulseDirections, ImpulseLaw,
    ResolvedContact, SeparatingFeature,
};
pub use label::{Label, LabelRank};
pub use variables::{Iterate, NONE, VariableIndices};

use crate::plan::{Plan, left_jacobian};
use assembly::{Assembly, Family};
use block::{AssembledBlock, ConstraintBlock, EPSILON, Evaluation, OBJECTIVE, central_difference};
use linear::Linear;
use node_islands::NodeIslands;
use percussion_geometry::Vec3;
use percussion_mechanics::discrete::displace;
use percussion_mechanics::joint::{Joint, JointKind};
use percussion_solve::nlp::{ChartBlock, Layout, Program, Undefined};
use variables::range;
use workspace::{Context, Problem, Workspace};

/// A plan as a nonlinear program.
pub struct Transcription {
    problem: Problem,
    workspace: Workspace,
    blocks: Vec<AssembledBlock>,
    layout: Layout,
    labels: Vec<Label>,
    set: ConstraintSet,
    scratch: (Vec<f64>, Vec<f64>),
}

impl Transcription {
    /// The plan.
    pub fn plan(&self) -> &Plan {
        &self.problem.plan
    }

    /// Indices of the unknowns.
    pub fn indices(&self) -> &VariableIndices {
        &self.problem.indices
    }

    /// Contacts and pairs that it was made for.
    pub fn constraint_set(&self) -> &ConstraintSet {
        &self.set
    }

    /// The name of the bounds of a variable.
    pub fn bound_name(&self, variable: usize) -> String {
        label::bounds(&self.problem.plan, &self.problem.indices, variable)
    }

    /// The label of a row.
    pub fn label(&self, row: usize) -> &Label {
        &self.labels[row]
    }
}

/// The place of the rotation vector among the degrees of freedom of a joint that has one.
fn rotation_vector(joint: &Joint) -> Option<usize> {
    match joint.kind {
        JointKind::Spherical => Some(0),
        JointKind::Free if !joint.particle => Some(3),
        _ => None,
    }
}

impl Program for Transcription {
    type Point = Iterate;

    fn layout(&self) -> &Layout {
        &self.layout
    }

    fn coordinates(&self, at: &Iterate, out: &mut [f64]) {
        out.copy_from_slice(&at.scalars);
    }

    fn retract(&self, from: &Iterate, step: &[f64], to: &mut Iterate) {
        let Problem { plan, indices } = &self.problem;
        for ((there, here), d) in to.scalars.iter_mut().zip(&from.scalars).zip(step) {
            *there = here + d;
        }
        for ((here, there), firsts) in from.nodes.iter().zip(&mut to.nodes).zip(&indices.configurations) {
            there.clone_from(here);
            for (island, &first) in plan.model.islands.iter().zip(firsts).filter(|(_, first)| **first != NONE)
            {
                let own = first..first + island.dofs.len();
                displace(&plan.model, island, here, &step[own.clone()], there);
                // Configurations are no scalars.
                to.scalars[own].fill(0.0);
            }
        }
        let planes = indices.planes.iter().zip(self.set.planes());
        for (((&first, plane), here), there) in planes.zip(&from.planes).zip(&mut to.planes) {
            let own = first..first + plane.rotations();
            *there = plane.rotated(here, &step[own.clone()]);
            to.scalars[own].fill(0.0);
        }
    }

    fn evaluate(&mut self, at: &Iterate, constraints: &mut [f64]) -> Result<f64, Undefined> {
        let Self { problem, workspace, scratch, .. } = self;
        let mut context = Context { problem, workspace, at };
        constraints.fill(0.0);
        let mut objective = 0.0;
        for block in &self.blocks {
            objective += block.add_value(&mut context, &mut scratch.0, constraints)?;
        }
        Ok(objective)
    }

    fn differentiate(&mut self, at: &Iterate, gradient: &mut [f64], jacobian: &mut [f64]) -> Evaluation {
        let Self { problem, workspace, scratch, .. } = self;
        gradient.fill(0.0);
        workspace.kinematics.clear();
        let mut context = Context { problem, workspace, at };
        let mut next = 0;
        for block in &self.blocks {
            next = block.put_jacobian(&mut context, &mut scratch.0, gradient, (&mut *jacobian, next))?;
        }
        Ok(())
    }

    fn lagrangian_hessian(
        &mut self,
        at: &Iterate,
        weight: f64,
        multipliers: &[f64],
        hessian: &mut [f64],
    ) -> Evaluation {
        let Self { problem, workspace, scratch, .. } = self;
        workspace.kinematics.clear();
        let mut context = Context { problem, workspace, at };
        let mut next = 0;
        for block in &self.blocks {
            next = block.put_hessian(&mut context, scratch, (weight, multipliers), (&mut *hessian, next))?;
        }
        Ok(())
    }

    fn chart(&self, base: &Iterate, x: &[f64], blocks: &mut Vec<ChartBlock>) {
        blocks.clear();
        let model = &self.problem.plan.model;
        for firsts in &self.problem.indices.configurations {
            for (island, &first) in model.islands.iter().zip(firsts).filter(|(_, first)| **first != NONE) {
                for link in &model.links[island.bodies.clone()] {
                    let Some(rotation) = rotation_vector(&link.joint) else { continue };
                    let at = first + link.dof - island.dofs.start + rotation;
                    let entries = left_jacobian(&Vec3::new(x[at], x[at + 1], x[at + 2]));
                    blocks.push(ChartBlock { first: at, entries: entries.as_slice().to_vec(), size: 3 });
                }
            }
        }
        let planes = self.problem.indices.planes.iter().zip(self.set.planes());
        for ((&first, plane), n) in planes.zip(&base.planes) {
            blocks.push(plane.chart(n, first, &x[first..first + plane.rotations()]));
        }
        blocks.sort_by_key(|block| block.first);
    }

    fn constraint_name(&self, constraint: usize) -> String {
        self.labels[constraint].words(&self.problem.plan)
    }

    fn variable_name(&self, variable: usize) -> String {
        label::variable(&self.problem.plan, &self.problem.indices, variable)
    }
}
