//! The centre of pressure of faces in an impact lies within both of them.
//!
//! Three corners represent a face. Their normal impulses may have any sign; only their sum and where it acts have a meaning:
//!
//! ```text
//! Σ Λi ≥ 0                          unilateral
//! Σ Λi gij(q) ≥ 0,  Σ Λi cij ≥ 0    the centre of pressure is inside of side j of the face that the normal is fixed on, and of the other
//!                                   one, where distances of corners are constant
//! ```

use super::super::assembly::Assembly;
use super::super::block::ConstraintBlock;
use super::super::label::Label;
use super::super::linear::Linear;
use super::super::variables::Iterate;
use super::super::workspace::{Problem, Workspace};
use super::feature::SeparatingFeature;
use super::group::ContactGroup;
use super::position::FeatureGap;
use super::resolve::poses;
use percussion_mechanics::kinematics::ConfigurationKinematics;
use percussion_mechanics::{Model, State};
use percussion_solve::nlp::{Bound, Undefined};

/// Step of central differences, rad and m.
const EPSILON: f64 = 1e-5;

/// Adds the rows of a contact group if it is an impact of faces with a region that is enforced.
pub(super) fn add_center_of_pressure(assembly: &mut Assembly, group: &ContactGroup, first: usize) {
    // The corners of a face are the constraints of one planned contact.
    let Some(&contact) = group.contacts.first() else { return };
    let (problem, resolved) = (assembly.problem, &assembly.set.contacts[contact]);
    let is_impact = problem.plan.contacts[contact].joint.is_none() && group.constraints.len() > 1;
    let Some(region) = resolved.region.as_ref().filter(|_| is_impact) else { return };
    let mut next = first;
    let mut normals = Vec::new();
    for constraint in &group.constraints {
        if constraint.directions.has_normal() {
            normals.push(next);
        }
        next += constraint.directions.count();
    }
    let total = assembly.row(Bound::at_least(0.0), Label::Unilateral { contact });
    let mut terms: Vec<(usize, usize, f64)> = normals.iter().map(|&normal| (total, normal, 1.0)).collect();
    let inside =
        |assembly: &mut Assembly| assembly.row(Bound::at_least(0.0), Label::ContactRegion { contact });
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
    node: usize,
    islands: Vec<usize>,
    pair: (usize, usize),
    /// Boundaries of each corner.
    boundaries: Vec<Vec<SeparatingFeature>>,
    /// Degrees of freedom of the islands, then normal impulses.
    variables: Vec<usize>,
    dofs: usize,
    rows: Vec<(usize, f64)>,
}

/// Scratch memory of a gradient: along all degrees of freedom of the model, and of the islands.
struct Gradient {
    whole: Vec<f64>,
    own: Vec<f64>,
}

impl CenterOfPressure {
    fn new(
        problem: &Problem,
        group: &ContactGroup,
        normals: &[usize],
        (pair, boundaries): ((usize, usize), Vec<Vec<SeparatingFeature>>),
        rows: Vec<(usize, f64)>,
    ) -> Self {
        let (plan, indices) = (&problem.plan, &problem.indices);
        let islands = group.islands.iter();
        let mut variables: Vec<usize> =
            islands.flat_map(|&island| indices.configuration(plan, group.node, island)).collect();
        let dofs = variables.len();
        variables.extend(normals);
        Self { node: group.node, islands: group.islands.clone(), pair, boundaries, variables, dofs, rows }
    }

    fn impulses<'a>(&'a self, at: &'a Iterate) -> impl Iterator<Item = f64> + 'a {
        self.variables[self.dofs..].iter().map(|&v| at.scalars[v])
    }

    fn memory(&self, model: &Model) -> Gradient {
        Gradient { whole: vec![0.0; model.dofs], own: vec![0.0; self.dofs] }
    }

    /// Gaps of all corners over all sides, corner by corner.
    fn gaps(&self, model: &Model, state: &State) -> Vec<f64> {
        let mut gaps = vec![0.0; self.boundaries.len() * self.rows.len()];
        let Some(contacts) = &model.contacts else { return gaps };
        let poses = poses(contacts, self.pair, state);
        let all = self.boundaries.iter().flatten();
        gaps.iter_mut().zip(all).for_each(|(out, side)| *out = side.evaluate((&poses.0, &poses.1)).gap);
        gaps
    }

    /// Sets the gradient of one gap along the degrees of freedom of the islands.
    fn gap_gradient(
        &self,
        kinematics: &mut ConfigurationKinematics,
        (corner, side): (usize, usize),
        memory: &mut Gradient,
    ) {
        let model = kinematics.model;
        FeatureGap::gradient(self.pair, &self.boundaries[corner][side], kinematics, &mut memory.whole);
        let mut next = 0;
        for &island in &self.islands {
            let range = model.islands[island].dofs.clone();
            let count = range.len();
            memory.own[next..next + count].copy_from_slice(&memory.whole[range]);
            next += count;
        }
    }
}

impl ConstraintBlock for CenterOfPressure {
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
        let gaps = self.gaps(&problem.plan.model, &at.nodes[self.node]);
        for (impulse, gaps) in self.impulses(at).zip(gaps.chunks_exact(self.rows.len())) {
            out.iter_mut().zip(gaps).for_each(|(o, gap)| *o += impulse * gap);
        }
        Ok(())
    }

    fn jacobian(
        &self,
        problem: &Problem,
        _: &mut Workspace,
        at: &Iterate,
        out: &mut [f64],
    ) -> Result<(), Undefined> {
        let (model, state, rows) = (&*problem.plan.model, &at.nodes[self.node], self.rows.len());
        out[self.dofs * rows..].copy_from_slice(&self.gaps(model, state));
        let mut kinematics = ConfigurationKinematics::new(model, state);
        let mut memory = self.memory(model);
        for (corner, impulse) in self.impulses(at).enumerate() {
            for side in 0..rows {
                self.gap_gradient(&mut kinematics, (corner, side), &mut memory);
                memory.own.iter().enumerate().for_each(|(v, slope)| out[v * rows + side] += impulse * slope);
            }
        }
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
        let (model, state, all) = (&*problem.plan.model, &at.nodes[self.node], self.variables.len());
        let mut memory = self.memory(model);
        let impulses: Vec<f64> = self.impulses(at).collect();
        // ∂²/∂q∂Λi = Σ wj ∇gij
        let mut kinematics = ConfigurationKinematics::new(model, state);
        for corner in 0..impulses.len() {
            for (side, weight) in weights.iter().enumerate() {
                self.gap_gradient(&mut kinematics, (corner, side), &mut memory);
                for (v, slope) in memory.own.iter().enumerate() {
                    out[v * all + self.dofs + corner] += weight * slope;
                    out[(self.dofs + corner) * all + v] += weight * slope;
                }
            }
        }
        // ∂²/∂q²: differences of Σ wj Λi ∇gij
        let mut first = 0;
        for &island in &self.islands {
            let count = model.islands[island].dofs.len();
            for j in 0..count {
                for sign in [1.0, -1.0] {
                    let mut d = vec![0.0; count];
                    d[j] = sign * EPSILON;
                    let displaced = workspace.states.displaced(model, state, island, &d);
                    let mut kinematics = ConfigurationKinematics::new(model, &displaced);
                    for (corner, impulse) in impulses.iter().enumerate() {
                        for (side, weight) in weights.iter().enumerate() {
                            self.gap_gradient(&mut kinematics, (corner, side), &mut memory);
                            let factor = sign * weight * impulse / (2.0 * EPSILON);
                            for (v, slope) in memory.own.iter().enumerate() {
                                out[(first + j) * all + v] += factor * slope;
                            }
                        }
                    }
                    workspace.states.release(displaced);
                }
            }
            first += count;
        }
        Ok(())
    }

    fn curves(&self, one: usize, other: usize) -> bool {
        one < self.dofs || other < self.dofs
    }
}
