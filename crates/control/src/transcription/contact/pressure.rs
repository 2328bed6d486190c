//! The centre of pressure of faces in an impact lies within both of them.
//!
//! Three corners represent a face. Their normal impulses may have any sign; only their sum and where it acts have a meaning:
//!
//! ```text
//! Σ Λi ≥ 0                          unilateral
//! Σ Λi gij(q) ≥ 0,  Σ Λi cij ≥ 0    the centre of pressure is inside of side j of the face that the normal is fixed on, and of the other
//!                                   one, where distances of corners are constant
//! ```

use super::super::path::PathConstraint;
use super::super::{
    Assembly, ConstraintBlock, Context, EPSILON, Evaluation, Iterate, Label, Linear, NodeIslands, Problem,
};
use super::constraint::ContactConstraint;
use super::feature::SeparatingFeature;
use super::group::ContactGroup;
use super::position::FeatureGap;
use crate::clearance::poses;
use percussion_mechanics::kinematics::ConfigurationKinematics;
use percussion_mechanics::{Model, State};
use percussion_solve::nlp::Bound;

/// Adds the rows of a contact group if it is an impact of faces with a region that is enforced.
pub(super) fn add_center_of_pressure(assembly: &mut Assembly, group: &ContactGroup, first: usize) {
    // The corners of a face are the constraints of one planned contact.
    let Some(&contact) = group.contacts.first() else { return };
    let (problem, resolved) = (assembly.problem, &assembly.set.contacts[contact]);
    let is_impact = problem.plan.contacts[contact].joint.is_none() && group.constraints.len() > 1;
    let Some(region) = resolved.region.as_ref().filter(|_| is_impact) else { return };
    let normal = |(next, _, constraint): (usize, usize, &ContactConstraint)| {
        constraint.directions.has_normal().then_some(next)
    };
    let normals: Vec<usize> = group.impulses(first).filter_map(normal).collect();
    let total = assembly.row(Bound::at_least(0.0), Label::Unilateral(contact));
    let mut terms: Vec<(usize, usize, f64)> = normals.iter().map(|&normal| (total, normal, 1.0)).collect();
    let inside = |assembly: &mut Assembly| assembly.row(Bound::at_least(0.0), Label::ContactRegion(contact));
    for j in 0..region.own_distances.first().map_or(0, Vec::len) {
        let row = inside(assembly);
        terms.extend(normals.iter().zip(&region.own_distances).map(|(&normal, own)| (row, normal, own[j])));
    }
    assembly.block(Linear::new(&terms));
    let count = region.boundaries.first().map_or(0, Vec::len);
    if count > 0 {
        let rows = (0..count).map(|_| (inside(assembly), 1.0)).collect();
        let boundaries = (resolved.pair, region.boundaries.clone());
        assembly.block(CenterOfPressure::new(problem, group, &normals, boundaries, rows));
    }
}

/// `Σ Λi gij(q)` for the sides `j` of a face.
struct CenterOfPressure {
    islands: NodeIslands,
    pair: (usize, usize),
    /// Boundaries of each corner.
    boundaries: Vec<Vec<SeparatingFeature>>,
    /// Degrees of freedom of the islands, then normal impulses.
    variables: Vec<usize>,
    dofs: usize,
    rows: Vec<(usize, f64)>,
}

impl CenterOfPressure {
    fn new(
        problem: &Problem,
        group: &ContactGroup,
        normals: &[usize],
        (pair, boundaries): ((usize, usize), Vec<Vec<SeparatingFeature>>),
        rows: Vec<(usize, f64)>,
    ) -> Self {
        let (islands, mut variables) = NodeIslands::new(problem, group.node, group.islands.clone());
        let dofs = variables.len();
        variables.extend(normals);
        Self { islands, pair, boundaries, variables, dofs, rows }
    }

    fn impulses<'a>(&'a self, at: &'a Iterate) -> impl Iterator<Item = f64> + 'a {
        self.variables[self.dofs..].iter().map(|&v| at.scalars[v])
    }

    /// Gaps of all corners over all sides, corner by corner.
    fn gaps(&self, model: &Model, state: &State) -> Vec<f64> {
        let all = self.boundaries.iter().flatten();
        let poses = model.contacts.as_ref().map(|contacts| poses(contacts, self.pair, state));
        all.map(|side| poses.as_ref().map_or(0.0, |poses| side.evaluate(poses).gap)).collect()
    }

    /// The gradient of one gap along the degrees of freedom of the islands.
    fn gap_gradient(
        &self,
        kinematics: &mut ConfigurationKinematics,
        (corner, side): (usize, usize),
    ) -> Vec<f64> {
        let islands = &kinematics.model.islands;
        let mut whole = vec![0.0; kinematics.model.dofs];
        let gap = FeatureGap { pair: self.pair, feature: self.boundaries[corner][side] };
        gap.jacobian(kinematics, &mut whole);
        self.islands
            .islands
            .iter()
            .flat_map(|&island| &whole[islands[island].dofs.clone()])
            .copied()
            .collect()
    }
}

impl ConstraintBlock for CenterOfPressure {
    fn variables_and_rows(&self) -> (&[usize], &[(usize, f64)]) {
        (&self.variables, &self.rows)
    }

    fn value(&self, Context { problem, at, .. }: &mut Context, out: &mut [f64]) -> Evaluation {
        let gaps = self.gaps(&problem.plan.model, &at.nodes[self.islands.node]);
        for (impulse, gaps) in self.impulses(at).zip(gaps.chunks_exact(self.rows.len())) {
            out.iter_mut().zip(gaps).for_each(|(o, gap)| *o += impulse * gap);
        }
        Ok(())
    }

    fn jacobian(&self, Context { problem, at, .. }: &mut Context, out: &mut [f64]) -> Evaluation {
        let (model, state, rows) = (&*problem.plan.model, &at.nodes[self.islands.node], self.rows.len());
        out[self.dofs * rows..].copy_from_slice(&self.gaps(model, state));
        let mut kinematics = ConfigurationKinematics::new(model, state);
        for (corner, impulse) in self.impulses(at).enumerate() {
            for side in 0..rows {
                let gradient = self.gap_gradient(&mut kinematics, (corner, side));
                gradient.iter().enumerate().for_each(|(v, slope)| out[v * rows + side] += impulse * slope);
            }
        }
        Ok(())
    }

    fn hessian(&self, context: &mut Context, weights: &[f64], out: &mut [f64]) -> Evaluation {
        let (model, all) = (&*context.problem.plan.model, self.variables.len());
        let state = &context.at.nodes[self.islands.node];
        let impulses: Vec<f64> = self.impulses(context.at).collect();
        // ∂²/∂q∂Λi = Σ wj ∇gij
        let mut kinematics = ConfigurationKinematics::new(model, state);
        for corner in 0..impulses.len() {
            for (side, weight) in weights.iter().enumerate() {
                let gradient = self.gap_gradient(&mut kinematics, (corner, side));
                for (v, slope) in gradient.iter().enumerate() {
                    out[v * all + self.dofs + corner] += weight * slope;
                    out[(self.dofs + corner) * all + v] += weight * slope;
                }
            }
        }
        // ∂²/∂q²: differences of Σ wj Λi ∇gij
        for (v, sign) in (0..self.dofs).flat_map(|v| [(v, 1.0), (v, -1.0)]) {
            let (island, dof) = self.islands.dof(v);
            let displaced = context.workspace.displaced.set(model, state, island, (dof, sign * EPSILON));
            let mut kinematics = ConfigurationKinematics::new(model, displaced);
            for (corner, impulse) in impulses.iter().enumerate() {
                for (side, weight) in weights.iter().enumerate() {
                    let factor = sign * weight * impulse / (2.0 * EPSILON);
                    let gradient = self.gap_gradient(&mut kinematics, (corner, side));
                    out[v * all..].iter_mut().zip(gradient).for_each(|(o, slope)| *o += factor * slope);
                }
            }
        }
        Ok(())
    }

    fn curves(&self, one: usize, other: usize) -> bool {
        one < self.dofs || other < self.dofs
    }
}
