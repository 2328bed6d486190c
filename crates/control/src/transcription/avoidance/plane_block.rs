//! A separating plane at a node: heights of all vertices of both parts.

use super::super::block::ConstraintBlock;
use super::super::variables::Iterate;
use super::super::workspace::{Problem, Workspace};
use super::SeparatingPlane;
use crate::islands::island_of;
use percussion_geometry::Vec3;
use percussion_mechanics::contact::ContactGeometry;
use percussion_mechanics::kinematics::{AncestorChain, KinematicsCache};
use percussion_mechanics::{Model, State};
use percussion_solve::nlp::Undefined;

/// Rows of a separating plane at a node.
pub struct PlaneBlock {
    plane: SeparatingPlane,
    /// Its index among the planes of an iterate.
    index: usize,
    node: usize,
    pair: (usize, usize),
    /// Islands with variables, each with the place of its first local variable.
    islands: Vec<(usize, usize)>,
    /// The islands of the two parts, if they move.
    sides: [Option<usize>; 2],
    /// Place of the first local variable of the plane.
    first: usize,
    variables: Vec<usize>,
    rows: Vec<(usize, f64)>,
    /// Whether both bodies are free: then displacements are linear.
    free_bodies: bool,
}

impl PlaneBlock {
    /// A plane at a node with the rows of its vertices.
    pub fn new(
        problem: &Problem,
        (plane, index): (&SeparatingPlane, usize),
        node: usize,
        pair: (usize, usize),
        rows: Vec<(usize, f64)>,
    ) -> Self {
        let (model, indices) = (&problem.plan.model, &problem.indices);
        let (mut islands, mut variables, mut sides): (Vec<(usize, usize)>, Vec<usize>, _) =
            (Vec::new(), Vec::new(), [None; 2]);
        let parts = model.contacts.as_ref().map_or(&[][..], |contacts| &contacts.parts);
        let mut free_bodies = true;
        for (side, part) in sides.iter_mut().zip([pair.0, pair.1]) {
            let Some(slot) = parts.get(part).and_then(|part| part.slot) else { continue };
            let island = island_of(model, slot);
            if !indices.is_free(node, island) {
                continue;
            }
            *side = Some(island);
            let count = model.islands[island].dofs.len();
            let joint = &model.links[slot].joint;
            free_bodies &=
                count == 6 && !joint.particle && joint.parent_frame.axes == nalgebra::Matrix3::identity();
            if !islands.iter().any(|(known, _)| *known == island) {
                islands.push((island, variables.len()));
                variables.extend(indices.configuration(&problem.plan, node, island));
            }
        }
        let first = variables.len();
        variables.extend(indices.planes[index]..=indices.planes[index] + plane.rotations());
        Self { plane: plane.clone(), index, node, pair, islands, sides, first, variables, rows, free_bodies }
    }

    /// Each vertex with its row and side, and its position from the anchor and from the centre of mass.
    fn each(
        &self,
        contacts: &ContactGeometry,
        state: &State,
        mut with: impl FnMut(usize, usize, Vec3, Vec3),
    ) {
        let mut row = 0;
        for (side, (hull, part)) in self.plane.hulls.iter().zip([self.pair.0, self.pair.1]).enumerate() {
            let part = &contacts.parts[part];
            let pose = part.body_pose(state);
            for vertex in &hull.vertices {
                let at = pose.point(vertex);
                with(row, side, at - self.plane.anchor, at - pose.position);
                row += 1;
            }
        }
    }

    /// Ancestor chains of the bodies of both sides, with the places of their first variables.
    fn chains<'a>(
        &self,
        kinematics: &'a mut KinematicsCache,
        model: &Model,
        contacts: &ContactGeometry,
        at: &Iterate,
    ) -> [Option<(AncestorChain<'a>, usize)>; 2] {
        for &island in self.sides.iter().flatten() {
            kinematics.update(model, &at.nodes, (self.node, island));
        }
        let kinematics = &*kinematics;
        let parts = [self.pair.0, self.pair.1].map(|part| &contacts.parts[part]);
        [0, 1].map(|side| {
            let (island, slot) = (self.sides[side]?, parts[side].slot?);
            let (_, first) = self.islands.iter().find(|(own, _)| *own == island)?;
            let body = slot - model.islands[island].bodies.start;
            Some((kinematics.columns(model, (self.node, island)).ancestors(body), *first))
        })
    }

    /// Sums over vertices: signed weights, and these times positions from the anchor and the centre of mass.
    fn moments(&self, contacts: &ContactGeometry, state: &State, weights: &[f64]) -> Moments {
        let mut sums = Moments::default();
        self.each(contacts, state, |row, side, from_anchor, from_center| {
            let w = SIGNS[side] * weights[row];
            sums.weight[side] += w;
            sums.anchor += from_anchor * w;
            sums.center[side] += from_center * w;
        });
        sums
    }
}

/// Heights count upwards for the first part, downwards for the second.
const SIGNS: [f64; 2] = [1.0, -1.0];

#[derive(Default)]
struct Moments {
    weight: [f64; 2],
    anchor: Vec3,
    center: [Vec3; 2],
}

impl ConstraintBlock for PlaneBlock {
    fn variables(&self) -> &[usize] {
        &self.variables
    }

    fn rows(&self) -> &[(usize, f64)] {
        &self.rows
    }

    fn value(
        &self,
        problem: &Problem,
        _: &mut Workspace,
        at: &Iterate,
        out: &mut [f64],
    ) -> Result<(), Undefined> {
        let Some(contacts) = &problem.plan.model.contacts else { return Ok(()) };
        let n = at.planes[self.index];
        let height = at.scalars[problem.indices.planes[self.index] + self.plane.rotations()];
        self.each(contacts, &at.nodes[self.node], |row, side, from_anchor, _| {
            out[row] = SIGNS[side] * (n.dot(&from_anchor) - height) - self.plane.hulls[side].radius;
        });
        Ok(())
    }

    fn jacobian(
        &self,
        problem: &Problem,
        workspace: &mut Workspace,
        at: &Iterate,
        out: &mut [f64],
    ) -> Result<(), Undefined> {
        let model = &*problem.plan.model;
        let Some(contacts) = &model.contacts else { return Ok(()) };
        let state = &at.nodes[self.node];
        let n = at.planes[self.index];
        let tangents = self.plane.tangents(&n);
        let (rows, rotations) = (self.rows.len(), self.plane.rotations());
        let chains = self.chains(&mut workspace.kinematics, model, contacts, at);
        self.each(contacts, state, |row, side, from_anchor, from_center| {
            let sign = SIGNS[side];
            if let Some((chain, first)) = &chains[side] {
                chain.reduce(&(n * sign), &(from_center.cross(&n) * sign), |dof, slope| {
                    out[(first + dof) * rows + row] = slope;
                });
            }
            for (t, tangent) in tangents.iter().enumerate().take(rotations) {
                out[(self.first + t) * rows + row] = sign * tangent.dot(&from_anchor);
            }
            out[(self.first + rotations) * rows + row] = -sign;
        });
        Ok(())
    }

    fn hessian(
        &self,
        problem: &Problem,
        workspace: &mut Workspace,
        at: &Iterate,
        weights: &[f64],
        out: &mut [f64],
    ) -> Result<(), Undefined> {
        if weights.iter().all(|w| *w == 0.0) {
            return Ok(());
        }
        let model = &*problem.plan.model;
        let Some(contacts) = &model.contacts else { return Ok(()) };
        let state = &at.nodes[self.node];
        let n = at.planes[self.index];
        let all = self.variables.len();
        let sums = self.moments(contacts, state, weights);
        let chains = self.chains(&mut workspace.kinematics, model, contacts, at);
        let tangents = self.plane.tangents(&n);
        for (t, place) in (self.first..self.first + self.plane.rotations()).enumerate() {
            out[place * all + place] = -n.dot(&sums.anchor);
            for (side, (chain, first)) in
                chains.iter().enumerate().filter_map(|(s, w)| Some((s, w.as_ref()?)))
            {
                let torque = sums.center[side].cross(&tangents[t]);
                chain.reduce(&(tangents[t] * sums.weight[side]), &torque, |dof, slope| {
                    out[(first + dof) * all + place] += slope;
                    out[place * all + first + dof] += slope;
                });
            }
        }
        for (side, (chain, first)) in chains.iter().enumerate().filter_map(|(s, w)| Some((s, w.as_ref()?))) {
            chain.second_derivatives(&n, sums.weight[side], &sums.center[side], |i, j, value| {
                out[(first + i) * all + first + j] += value;
            });
        }
        Ok(())
    }

    fn depends(&self, row: usize, variable: usize) -> bool {
        if variable >= self.first {
            return true;
        }
        let side = usize::from(row >= self.plane.hulls[0].vertices.len());
        let at = self.islands.partition_point(|(_, first)| *first <= variable);
        self.sides[side] == Some(self.islands[at - 1].0)
    }

    fn curves(&self, one: usize, other: usize) -> bool {
        let (first, height) = (self.first, self.first + self.plane.rotations());
        if one == height || other == height {
            return false;
        }
        match (one >= first, other >= first) {
            (true, true) => one == other,
            (false, false) => {
                let island = |v: usize| self.islands.partition_point(|(_, first)| *first <= v);
                // Displacements of free bodies are linear.
                let rotates = |v: usize| !self.free_bodies || v % 6 >= 3;
                island(one) == island(other) && rotates(one) && rotates(other)
            }
            _ => true,
        }
    }
}
