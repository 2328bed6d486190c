//! Momenta from velocities at the start, and velocities from momenta at any time.
//!
//! A joint's rate or a body's velocity may be given; what is not given is zero, relative to the parent. Velocities that
//! joints do not allow are an error unless projection is enabled; then the nearest allowed ones in the metric of
//! the masses are taken: `ν = (Pᵀ M P)⁻¹ Pᵀ M t`, and for loops the nearest among those with `G P ν = 0`.

use super::{Model, ModelBuilder, ModelError};
use crate::model::State;
use crate::spatial::{Vec6, angular, linear, shift_twist, spatial_inertia, twist};
use crate::tolerances::VELOCITY_MISFIT;
use crate::tree::{Node, System};
use nalgebra::{DMatrix, DVector};
use percussion_geometry::Vec3;
use std::ops::Range;

/// Velocity of a body: of its centre of mass, and angular, world axes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Velocity {
    /// m/s
    pub linear: Vec3,
    /// rad/s
    pub angular: Vec3,
}

impl Model {
    /// The reduced mass matrix of a range of bodies as a linear system on the tree, at a configuration.
    /// Allocates: for the start and for reports, not for steps.
    pub fn mass_system(&self, state: &State, bodies: Range<usize>) -> System {
        let mut system = System::default();
        let (b0, f0) = (bodies.start, self.links.get(bodies.start).map_or(0, |link| link.dof));
        for slot in bodies {
            system.nodes.push(self.mass_node(state, slot, b0, f0));
        }
        system
    }

    pub(crate) fn mass_node(&self, state: &State, slot: usize, b0: usize, f0: usize) -> Node {
        let link = &self.links[slot];
        let mut node = Node::empty();
        let (position, rotation) = (&state.positions[slot], &state.rotations[slot]);
        let parent = super::placed(&state.positions, &state.rotations, link.parent);
        let frame = link.joint.frame(parent, (position, rotation), &state.coordinates[link.coordinates()]);
        node.parent = link.parent.map(|p| p - b0);
        node.dofs = link.joint.dofs();
        node.first = link.dof - f0;
        node.motion0 = link.joint.motion(&frame, position);
        node.motion1 = node.motion0;
        node.reach0 = parent.map_or_else(Vec3::zeros, |(from, _)| position - from);
        node.reach1 = node.reach0;
        node.block = spatial_inertia(link.mass, &link.inertia, rotation);
        node
    }

    /// Rates of all degrees of freedom, from the momenta.
    pub fn rates(&self, state: &State) -> Vec<f64> {
        self.velocities(state).0
    }

    /// Twists `(v, ω)` of all moving bodies, by slot.
    pub fn twists(&self, state: &State) -> Vec<Vec6> {
        self.velocities(state).1
    }

    fn velocities(&self, state: &State) -> (Vec<f64>, Vec<Vec6>) {
        let (mut rates, mut twists) = (vec![0.0; self.dofs], vec![Vec6::zeros(); self.moving()]);
        self.velocities_into(state, &mut System::default(), &mut rates, &mut twists);
        (rates, twists)
    }

    /// Rates of all degrees of freedom and twists of all bodies, into the caller's buffers.
    pub(crate) fn velocities_into(
        &self,
        state: &State,
        system: &mut System,
        rates: &mut [f64],
        twists: &mut [Vec6],
    ) {
        for island in &self.islands {
            let (b0, f0) = (island.bodies.start, island.dofs.start);
            system.nodes.clear();
            system.nodes.extend(island.bodies.clone().map(|slot| self.mass_node(state, slot, b0, f0)));
            // A reduced mass matrix is positive definite: masses and moments are positive, columns independent.
            if system.factor().is_ok() {
                let range = island.dofs.clone();
                let twists = &mut twists[island.bodies.clone()];
                system.solve(&state.momenta[range.clone()], &mut rates[range], twists);
            }
        }
    }
}

/// Fills in the momenta of the first state.
pub(super) fn set_momenta(
    builder: &ModelBuilder,
    parent_joints: &[Option<usize>],
    model: &Model,
    state: &mut State,
    project: bool,
) -> Result<(), ModelError> {
    let wanted = wanted_twists(builder, parent_joints, model, state, project)?;
    for island in &model.islands {
        let mut system = model.mass_system(state, island.bodies.clone());
        let mut wrenches: Vec<Vec6> = system
            .nodes
            .iter()
            .zip(&wanted[island.bodies.clone()])
            .map(|(node, twist)| node.block * twist)
            .collect();
        let range = island.dofs.clone();
        system.reduce(&mut wrenches, &mut state.momenta[range.clone()]);
        if island.closures.is_empty() || system.factor().is_err() {
            continue;
        }
        project_on_loops(model, state, island, &mut system, project)?;
    }
    Ok(())
}

/// Twists as the scene gives them, by slot; refused where joints do not allow them (unless they will be projected).
fn wanted_twists(
    builder: &ModelBuilder,
    parent_joints: &[Option<usize>],
    model: &Model,
    state: &State,
    project: bool,
) -> Result<Vec<Vec6>, ModelError> {
    let fastest = builder
        .velocities
        .iter()
        .flatten()
        .map(|v| v.linear.norm().max(v.angular.norm()))
        .fold(0.0, f64::max);
    let mut wanted = vec![Vec6::zeros(); model.moving()];
    for (slot, link) in model.links.iter().enumerate() {
        let node = model.mass_node(state, slot, 0, 0);
        let base = link.parent.map_or_else(Vec6::zeros, |p| shift_twist(&wanted[p], &node.reach0));
        let n = node.dofs;
        let given = parent_joints[link.body].and_then(|joint| builder.rates[joint].as_ref());
        let mut twist_here = base;
        if let Some(rates) = given {
            if rates.len() != n {
                let (joint, found) = (link.joint.name.clone(), rates.len());
                return Err(ModelError::Rates { joint, expected: n, found });
            }
            for (k, rate) in rates.iter().enumerate() {
                twist_here += node.motion0.column(k) * *rate;
            }
        }
        if let Some(velocity) = &builder.velocities[link.body] {
            let turning = if link.joint.particle { Vec3::zeros() } else { velocity.angular };
            let asked = twist(&velocity.linear, &turning);
            let columns = DMatrix::from_fn(6, n, |r, c| node.motion0[(r, c)]);
            let difference = asked - base;
            let b = DVector::from_column_slice(difference.as_slice());
            let fitted = match n {
                0 => DVector::zeros(6),
                _ => {
                    let svd = columns.clone().svd(true, true);
                    let u = svd.solve(&b, 1e-14).unwrap_or_else(|_| DVector::zeros(n));
                    columns * u
                }
            };
            let misfit = (b - fitted).amax();
            if !project && misfit > VELOCITY_MISFIT * fastest.max(f64::MIN_POSITIVE) {
                return Err(ModelError::Velocity {
                    body: model.bodies[link.body].name.clone(),
                    joint: link.joint.name.clone(),
                    misfit,
                });
            }
            twist_here = asked;
        }
        wanted[slot] = twist_here;
    }
    Ok(wanted)
}

/// Removes the part of the momenta of an island that its loops do not allow, or refuses it. Returns the multipliers `λ` of the loops' rows: `Gᵀ λ` was removed.
pub(super) fn project_on_loops(
    model: &Model,
    state: &mut State,
    island: &super::Island,
    system: &mut System,
    project: bool,
) -> Result<Vec<f64>, ModelError> {
    let n = island.dofs.len();
    let b0 = island.bodies.start;
    let mut twists = vec![Vec6::zeros(); island.bodies.len()];
    let mut rates = vec![0.0; n];
    system.solve(&state.momenta[island.dofs.clone()], &mut rates, &mut twists);
    let speed = twists.iter().map(|t| linear(t).norm().max(angular(t).norm())).fold(0.0, f64::max);
    let mut rows: Vec<Vec<f64>> = Vec::new();
    let mut errors = Vec::new();
    for closure in &model.closures[island.closures.clone()] {
        let parent = super::placed(&state.positions, &state.rotations, closure.parent);
        let child = (&state.positions[closure.child], &state.rotations[closure.child]);
        for &row in closure.joint.rows() {
            let value = closure.joint.row(row, parent, child);
            let mut wrenches = vec![Vec6::zeros(); island.bodies.len()];
            if let (Some(slot), Some((_, rotation))) = (closure.parent, parent) {
                wrenches[slot - b0] += value.parent.on_twists(rotation);
            }
            wrenches[closure.child - b0] += value.child.on_twists(child.1);
            let mut reduced = vec![0.0; n];
            system.reduce(&mut wrenches, &mut reduced);
            let error: f64 = reduced.iter().zip(&rates).map(|(g, r)| g * r).sum();
            if !project && error.abs() > VELOCITY_MISFIT * speed.max(f64::MIN_POSITIVE) {
                return Err(ModelError::Velocity {
                    body: model.bodies[model.links[closure.child].body].name.clone(),
                    joint: closure.joint.name.clone(),
                    misfit: error.abs(),
                });
            }
            rows.push(reduced);
            errors.push(error);
        }
    }
    // M⁻¹ Gᵀ, and the smallest multipliers that remove the error (loops are often redundant).
    let m = rows.len();
    if m == 0 {
        // A free joint closes nothing.
        return Ok(Vec::new());
    }
    let mut columns = DMatrix::zeros(n, m);
    for (c, row) in rows.iter().enumerate() {
        let mut column = vec![0.0; n];
        system.solve(row, &mut column, &mut twists);
        columns.set_column(c, &DVector::from_vec(column));
    }
    let g = DMatrix::from_fn(m, n, |r, c| rows[r][c]);
    let schur = &g * columns;
    let scale = schur.amax();
    let svd = schur.svd(true, true);
    let multipliers =
        svd.solve(&DVector::from_vec(errors), scale * 1e-12).unwrap_or_else(|_| DVector::zeros(m));
    let correction = g.transpose() * &multipliers;
    for (p, c) in state.momenta[island.dofs.clone()].iter_mut().zip(correction.iter()) {
        *p -= c;
    }
    Ok(multipliers.as_slice().to_vec())
}
