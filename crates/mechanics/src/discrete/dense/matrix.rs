//! Newton's matrix of a step in redundant coordinates.

use super::{Dense, Redundant};
use crate::discrete::directors::dof_forms;
use crate::discrete::{Interval, middle};
use crate::force::{Bodies, ForceError, Stiffness};
use crate::joint::LinearForm;
use crate::model::{Island, Model, State};
use crate::spatial::{Mat6, Vec6, angular, linear};
use nalgebra::DMatrix;

impl Dense {
    /// `-D2 D1 L_d`. Forces are differentiated along rigid displacements only: at the solution there are no others, and
    /// covectors that vanish on rigid displacements are balanced by the multipliers.
    pub(super) fn set_tangent(
        &mut self,
        model: &Model,
        island: &Island,
        state: &State,
        t: f64,
        h: f64,
    ) -> Result<(), ForceError> {
        let (n, b0) = (self.directors.size, island.bodies.start);
        self.tangent.fill(0.0);
        for (k, m) in self.directors.mass.iter().enumerate() {
            self.tangent[k * n + k] = m / h;
        }
        let Interval { stiffness, blocks, rotations0, rotations, placements, twists, wrenches, .. } =
            &mut self.newton.interval;
        stiffness.clear();
        let bodies = Bodies { first: b0, kinematics: placements };
        for force in &model.forces[island.forces.clone()] {
            force.stiffness(t, &bodies, stiffness)?;
        }
        if !stiffness.is_empty() {
            let ends = (rotations0.as_slice(), rotations.as_slice());
            let coupled = stiffness.iter().any(Stiffness::couples);
            blocks.fill(Mat6::zeros());
            for element in stiffness.iter() {
                element.add_blocks(b0, ends, &middle(h), -0.5 * h, blocks);
            }
            for (j, k) in (0..island.bodies.len()).flat_map(|j| (0..6).map(move |k| (j, k))) {
                twists.fill(Vec6::zeros());
                twists[j][k] = 1.0;
                wrenches.fill(Vec6::zeros());
                wrenches[j] = blocks[j].column(k).into_owned();
                if coupled {
                    for element in stiffness.iter() {
                        element.add_coupling(b0, ends, &middle(h), -0.5 * h, twists, wrenches);
                    }
                }
                self.left.fill(0.0);
                for (i, wrench) in wrenches.iter().enumerate() {
                    let form = LinearForm::of_wrench(linear(wrench), &angular(wrench), &rotations0[i]);
                    self.directors.put(i, &form, &mut self.left);
                }
                self.right.fill(0.0);
                let unit = &twists[j];
                let form = LinearForm::of_wrench(linear(unit), &angular(unit), &rotations[j]);
                self.directors.put(j, &form, &mut self.right);
                add_product(&self.left, 1.0, &self.right, &mut self.tangent);
            }
        }
        self.add_joint_forces(model, island, state, t, h);
        Ok(())
    }

    fn add_joint_forces(&mut self, model: &Model, island: &Island, state: &State, t: f64, h: f64) {
        let b0 = island.bodies.start;
        let it = &self.newton.interval;
        let start = &state.positions[island.bodies.clone()];
        for force in &model.joint_forces[island.joint_forces.clone()] {
            let (link, i) = (&model.links[force.slot], force.slot - b0);
            let (_, applied) = it.joint_force(force, model, island, state, t, h);
            let from = state.coordinates[link.coordinates()].first().copied().unwrap_or(0.0);
            let slope = -0.5 * h * (0.5 * applied.by_position + applied.by_velocity / h);
            let ends = [
                (&mut self.left, from, start, &it.rotations0),
                (&mut self.right, from + it.increments[i].numbers[0], it.positions.as_slice(), &it.rotations),
            ];
            for (side, first, x, r) in ends {
                let parent = link.parent.map(|p| p - b0);
                let above = parent.map(|p| (&x[p], &r[p]));
                let forms = dof_forms(&link.joint, force.coordinate, first, above, (&x[i], &r[i]));
                side.fill(0.0);
                self.directors.put(i, &forms.0, side);
                if let Some(p) = parent {
                    self.directors.put(p, &forms.1, side);
                }
            }
            add_product(&self.left, slope, &self.right, &mut self.tangent);
        }
    }

    /// Order of Newton's matrix.
    fn order(&self) -> usize {
        match self.kind {
            Redundant::Multipliers => self.directors.size + self.kept.len(),
            Redundant::Projected => self.directors.size,
        }
    }

    /// Newton's matrix, column by column, into zeros.
    fn write_matrix(&self, h: f64, out: &mut [f64]) {
        let (n, order) = (self.directors.size, self.order());
        let equations = order - self.kept.len();
        for c in 0..n {
            let column = &mut out[c * order..(c + 1) * order];
            match self.kind {
                Redundant::Multipliers => {
                    column[..n].iter_mut().enumerate().for_each(|(r, v)| *v = self.tangent[r * n + c]);
                }
                Redundant::Projected => {
                    for (value, null) in column.iter_mut().zip(self.null.chunks_exact(n)) {
                        let rows = null.iter().enumerate().filter(|(_, p)| **p != 0.0);
                        *value = rows.map(|(r, p)| p * self.tangent[r * n + c]).sum();
                    }
                }
            }
            for (value, &k) in column[equations..].iter_mut().zip(&self.kept) {
                *value = self.g1[k * n + c];
            }
        }
        if self.kind == Redundant::Multipliers {
            for (column, &k) in out[n * order..].chunks_exact_mut(order).zip(&self.kept) {
                let row = &self.g0[k * n..(k + 1) * n];
                column.iter_mut().zip(row).for_each(|(value, g)| *value = h * g);
            }
        }
    }

    /// Solves for the correction and applies it; leaves it in `rhs`. `None` where the matrix is singular.
    pub(super) fn correct(&mut self, h: f64) -> Option<()> {
        let (n, order) = (self.directors.size, self.order());
        let mut lu = std::mem::take(&mut self.lu);
        self.write_matrix(h, lu.reset(order));
        let factored = lu.factor();
        self.lu = lu;
        factored.ok()?;
        self.rhs.clear();
        match self.kind {
            Redundant::Multipliers => self.rhs.extend(self.residual.iter().map(|r| -r)),
            Redundant::Projected => {
                let along = |null: &[f64]| -null.iter().zip(&self.residual).map(|(p, r)| p * r).sum::<f64>();
                self.rhs.extend(self.null.chunks_exact(n.max(1)).map(along));
            }
        }
        self.rhs.extend(self.kept.iter().map(|&k| -self.values[k]));
        self.lu.solve(&mut self.rhs);
        self.delta.iter_mut().zip(&self.rhs).for_each(|(q, d)| *q += d);
        if self.kind == Redundant::Multipliers {
            for (&k, d) in self.kept.iter().zip(&self.rhs[n..]) {
                self.multipliers[k] += d;
            }
        }
        Some(())
    }

    /// Newton's matrix at the end of the last step.
    pub fn matrix(&self, h: f64) -> DMatrix<f64> {
        let order = self.order();
        let mut matrix = DMatrix::zeros(order, order);
        self.write_matrix(h, matrix.as_mut_slice());
        matrix
    }
}

/// Adds `scale left rightᵀ` to a matrix kept row by row.
fn add_product(left: &[f64], scale: f64, right: &[f64], out: &mut [f64]) {
    for (row, l) in out.chunks_exact_mut(right.len().max(1)).zip(left) {
        if *l != 0.0 {
            row.iter_mut().zip(right).for_each(|(o, r)| *o += scale * l * r);
        }
    }
}
