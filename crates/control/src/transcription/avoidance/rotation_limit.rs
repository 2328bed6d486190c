//! Limits of the rotations of joints in an interval.
//!
//! Between nodes collisions are not constrained. A body that rotates by a large angle from node to node can pass through anything on the way, and
//! the discrete equations do not resolve such rotations. Bodies that keep apart from others, and all ancestors of them, therefore rotate by small
//! angles only:
//!
//! ```text
//! free, spherical   cos φ = (tr B - 1)/2 ≥ cos of the limit     B = R1 R0ᵀ of the joint
//! angles            |φ1 - φ0| ≤ the limit
//! ```

use super::super::{Assembly, ConstraintBlock, Context, Evaluation, Label, NONE, range, rotation_vector};
use crate::islands::island_of;
use crate::tolerances::avoidance::rotation_limit::MAX_ROTATION;
use nalgebra::Rotation3;
use percussion_geometry::Vec3;
use percussion_mechanics::discrete::difference;
use percussion_mechanics::rotation::Mat3;
use percussion_solve::nlp::Bound;
use std::collections::HashSet;

/// The rotation of a free or spherical joint over an interval.
struct RotationLimit {
    interval: usize,
    island: usize,
    /// Place of the first of its three rotations among the island's degrees of freedom.
    first: usize,
    variables: Vec<usize>,
    row: [(usize, f64); 1],
}

impl RotationLimit {
    fn rotation(&self, Context { problem, at, .. }: &Context) -> Mat3 {
        let model = &problem.plan.model;
        let island = &model.islands[self.island];
        let mut d = vec![0.0; island.dofs.len()];
        difference(model, island, &at.nodes[self.interval], &at.nodes[self.interval + 1], &mut d);
        let rotation = Vec3::new(d[self.first], d[self.first + 1], d[self.first + 2]);
        *Rotation3::from_scaled_axis(rotation).matrix()
    }
}

impl ConstraintBlock for RotationLimit {
    fn variables_and_rows(&self) -> (&[usize], &[(usize, f64)]) {
        (&self.variables, &self.row)
    }

    fn value(&self, context: &mut Context, out: &mut [f64]) -> Evaluation {
        out[0] = 0.5 * (self.rotation(context).trace() - 1.0);
        Ok(())
    }

    fn jacobian(&self, context: &mut Context, out: &mut [f64]) -> Evaluation {
        let b = self.rotation(context);
        let slope = Vec3::new(b[(1, 2)] - b[(2, 1)], b[(2, 0)] - b[(0, 2)], b[(0, 1)] - b[(1, 0)]) * 0.5;
        out[..3].copy_from_slice((-slope).as_slice());
        out[3..].copy_from_slice(slope.as_slice());
        Ok(())
    }

    fn hessian(&self, context: &mut Context, weights: &[f64], out: &mut [f64]) -> Evaluation {
        let b = self.rotation(context);
        let w = 0.5 * weights[0];
        let across = Mat3::identity() * b.trace();
        let own = (b + b.transpose()) * 0.5 - across;
        let mixed = across - b;
        for i in 0..3 {
            for j in 0..3 {
                out[i * 6 + j] = w * own[(i, j)];
                out[(3 + i) * 6 + 3 + j] = w * own[(i, j)];
                out[i * 6 + 3 + j] = w * mixed[(i, j)];
                out[(3 + j) * 6 + i] = w * mixed[(i, j)];
            }
        }
        Ok(())
    }
}

/// The change of the angle of a joint over an interval.
struct AngleLimit {
    interval: usize,
    coordinate: usize,
    variables: Vec<usize>,
    row: [(usize, f64); 1],
}

impl ConstraintBlock for AngleLimit {
    fn variables_and_rows(&self) -> (&[usize], &[(usize, f64)]) {
        (&self.variables, &self.row)
    }

    fn value(&self, context: &mut Context, out: &mut [f64]) -> Evaluation {
        let [start, end] = [0, 1].map(|k| context.at.nodes[self.interval + k].coordinates[self.coordinate]);
        out[0] = end - start;
        Ok(())
    }

    fn jacobian(&self, _: &mut Context, out: &mut [f64]) -> Evaluation {
        out.copy_from_slice(&[-1.0, 1.0]);
        Ok(())
    }

    fn curves(&self, _: usize, _: usize) -> bool {
        false
    }
}

/// Limits rotations in the intervals over which parts keep apart.
pub(in super::super) fn add_rotation_limits(assembly: &mut Assembly) {
    let model = &assembly.problem.plan.model;
    let Some(contacts) = &model.contacts else { return };
    let mut known = HashSet::new();
    for separation in &assembly.set.separations {
        let [(from, _), _] = separation.nodes[..] else { continue };
        let parts = [separation.pair.0, separation.pair.1];
        for slot in parts.into_iter().filter_map(|part| contacts.parts[part].slot) {
            let island = island_of(model, slot);
            if known.insert((from, island)) {
                limit_island(assembly, from, island);
            }
        }
    }
}

/// Limits the rotations of all joints of an island in an interval.
fn limit_island(assembly: &mut Assembly, interval: usize, island: usize) {
    let problem = assembly.problem;
    let model = &problem.plan.model;
    let it = &model.islands[island];
    let firsts = [interval, interval + 1].map(|node| problem.indices.configurations[node][island]);
    if firsts == [NONE; 2] {
        return;
    }
    // Variables of some degrees of freedom at both nodes.
    let variables = |place: usize, count: usize| -> Vec<usize> {
        let at = |first: usize| range(if first == NONE { NONE } else { first + place }, count);
        firsts.into_iter().flat_map(at).collect()
    };
    for link in &model.links[it.bodies.clone()] {
        let label = Label::RotationLimit { interval, body: link.body };
        let first = link.dof - it.dofs.start;
        if let Some(rotation) = rotation_vector(&link.joint) {
            let row = [(assembly.row(Bound::at_least(MAX_ROTATION.cos()), label), 1.0)];
            let (first, variables) = (first + rotation, variables(first + rotation, 3));
            assembly.block(RotationLimit { interval, island, first, variables, row });
            continue;
        }
        for (i, coordinate) in link.coordinates().enumerate().filter(|(i, _)| link.joint.kind.is_angle(*i)) {
            let row = [(assembly.row(Bound::between(-MAX_ROTATION, MAX_ROTATION), label.clone()), 1.0)];
            assembly.block(AngleLimit { interval, coordinate, variables: variables(first + i, 1), row });
        }
    }
}
