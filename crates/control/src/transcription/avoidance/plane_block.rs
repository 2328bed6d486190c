//! A separating plane at a node: heights of all vertices of both parts.

use super::super::{ConstraintBlock, Context, Evaluation, NodeIslands, Problem};
use super::SeparatingPlane;
use crate::islands::island_of;
use percussion_geometry::Vec3;
use percussion_mechanics::State;
use percussion_mechanics::contact::ContactGeometry;
use percussion_mechanics::kinematics::{AncestorChain, KinematicsCache};

/// Rows of a separating plane at a node.
pub struct PlaneBlock {
    plane: SeparatingPlane,
    /// Its index among the planes of an iterate.
    index: usize,
    pair: (usize, usize),
    islands: NodeIslands,
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
        let mut sides = [None; 2];
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
        }
        let mut islands: Vec<usize> = sides.into_iter().flatten().collect();
        islands.dedup();
        let (islands, mut variables) = NodeIslands::new(problem, node, islands);
        let first = variables.len();
        variables.extend(indices.planes[index]..=indices.planes[index] + plane.rotations());
        Self { plane: plane.clone(), index, pair, islands, sides, first, variables, rows, free_bodies }
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
        context: &'a mut Context,
        contacts: &ContactGeometry,
    ) -> [Option<(AncestorChain<'a>, usize)>; 2] {
        let model = &*context.problem.plan.model;
        let kinematics: &'a mut KinematicsCache = &mut context.workspace.kinematics;
        self.islands.update(kinematics, model, context.at);
        let kinematics = &*kinematics;
        let slots = [self.pair.0, self.pair.1].map(|part| contacts.parts[part].slot);
        slots.map(|slot| self.islands.chain(kinematics, model, slot?))
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
    fn variables_and_rows(&self) -> (&[usize], &[(usize, f64)]) {
        (&self.variables, &self.rows)
    }

    fn value(&self, context: &mut Context, out: &mut [f64]) -> Evaluation {
        let Context { problem, at, .. } = *context;
        let Some(contacts) = &problem.plan.model.contacts else { return Ok(()) };
        let n = at.planes[self.index];
        let height = at.scalars[problem.indices.planes[self.index] + self.plane.rotations()];
        self.each(contacts, &at.nodes[self.islands.node], |row, side, from_anchor, _| {
            out[row] = SIGNS[side] * (n.dot(&from_anchor) - height) - self.plane.hulls[side].radius;
        });
        Ok(())
    }

    fn jacobian(&self, context: &mut Context, out: &mut [f64]) -> Evaluation {
        let Some(contacts) = &context.problem.plan.model.contacts else { return Ok(()) };
        let (state, n) = (&context.at.nodes[self.islands.node], context.at.planes[self.index]);
        let tangents = self.plane.tangents(&n);
        let (rows, rotations) = (self.rows.len(), self.plane.rotations());
        let chains = self.chains(context, contacts);
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

    fn hessian(&self, context: &mut Context, weights: &[f64], out: &mut [f64]) -> Evaluation {
        let Some(contacts) = &context.problem.plan.model.contacts else { return Ok(()) };
        let (state, n) = (&context.at.nodes[self.islands.node], context.at.planes[self.index]);
        let (all, rotations) = (self.variables.len(), self.plane.rotations());
        let sums = self.moments(contacts, state, weights);
        let chains = self.chains(context, contacts);
        let tangents = self.plane.tangents(&n);
        (self.first..self.first + rotations)
            .for_each(|place| out[place * all + place] = -n.dot(&sums.anchor));
        for (side, own) in chains.iter().enumerate() {
            let Some((chain, first)) = own else { continue };
            for (place, tangent) in (self.first..).zip(&tangents).take(rotations) {
                let torque = sums.center[side].cross(tangent);
                chain.reduce(&(tangent * sums.weight[side]), &torque, |dof, slope| {
                    out[(first + dof) * all + place] += slope;
                    out[place * all + first + dof] += slope;
                });
            }
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
        self.sides[side] == Some(self.islands.dof(variable).0)
    }

    fn curves(&self, one: usize, other: usize) -> bool {
        let (first, height) = (self.first, self.first + self.plane.rotations());
        if one == height || other == height {
            return false;
        }
        match (one >= first, other >= first) {
            (true, true) => one == other,
            (false, false) => {
                let island = |v: usize| self.islands.dof(v).0;
                // Displacements of free bodies are linear.
                let rotates = |v: usize| !self.free_bodies || v % 6 >= 3;
                island(one) == island(other) && rotates(one) && rotates(other)
            }
            _ => true,
        }
    }
}
