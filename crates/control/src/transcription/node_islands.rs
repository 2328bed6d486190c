//! Islands whose configurations at a node are the first variables of a block.

use super::variables::Iterate;
use super::workspace::Problem;
use crate::islands::island_of;
use percussion_mechanics::Model;
use percussion_mechanics::kinematics::{AncestorChain, KinematicsCache};

/// Islands at a node with the places of their local variables.
pub struct NodeIslands {
    pub node: usize,
    pub islands: Vec<usize>,
    /// Place of the first local variable of each.
    firsts: Vec<usize>,
}

impl NodeIslands {
    /// Islands at a node, and the variables of their configurations.
    pub fn new(problem: &Problem, node: usize, islands: Vec<usize>) -> (Self, Vec<usize>) {
        let (mut firsts, mut variables) = (Vec::new(), Vec::new());
        for &island in &islands {
            firsts.push(variables.len());
            variables.extend(problem.indices.configuration(&problem.plan, node, island));
        }
        (Self { node, islands, firsts }, variables)
    }

    /// The islands, each with the place of its first local variable.
    pub fn iter(&self) -> impl Iterator<Item = (usize, usize)> {
        self.islands.iter().copied().zip(self.firsts.iter().copied())
    }

    /// The island of a local variable of a configuration, and the degree of freedom in it.
    pub fn dof(&self, variable: usize) -> (usize, usize) {
        let at = self.firsts.partition_point(|first| *first <= variable) - 1;
        (self.islands[at], variable - self.firsts[at])
    }

    /// Updates the Jacobian columns of all of them.
    pub fn update(&self, kinematics: &mut KinematicsCache, model: &Model, at: &Iterate) {
        self.islands.iter().for_each(|&island| kinematics.update(model, &at.nodes, (self.node, island)));
    }

    /// The ancestor chain of the body at a slot, with the place of its island's first variable; `None` for other islands.
    pub fn chain<'a>(
        &self,
        kinematics: &'a KinematicsCache,
        model: &Model,
        slot: usize,
    ) -> Option<(AncestorChain<'a>, usize)> {
        let island = island_of(model, slot);
        let (_, first) = self.iter().find(|(own, _)| *own == island)?;
        let body = slot - model.islands[island].bodies.start;
        Some((kinematics.columns(model, (self.node, island)).ancestors(body), first))
    }
}
