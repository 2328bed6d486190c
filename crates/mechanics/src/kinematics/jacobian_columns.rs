//! Jacobian columns of the bodies of an island and the second derivatives of points of the bodies.
//!
//! The ancestor chain of a body lists the degrees of freedom between the world and the body, the outermost first, each with the
//! velocity `v` of the body's centre of mass and the angular velocity `ω` at unit rate (a null-space column). For a point at `r` from the
//! centre of mass
//!
//! ```text
//! ∂x/∂i = u_i = v_i + ω_i × r          ∂²x/∂i∂j = ω_i × u_j     i outer, j inner or the same
//! ```
//!
//! The three rotations of a free or spherical joint are components of one rotation vector: the mean of both orders applies to them.

use crate::joint::{JointFrame, JointKind};
use crate::model::{Model, State};
use crate::rotation::{tangents, tangents_change};
use crate::spatial::{angular, linear};
use percussion_geometry::Vec3;
use std::ops::Range;

/// A degree of freedom of an ancestor joint of a body, with the twist of the body at unit rate.
#[derive(Clone, Copy, Debug)]
pub struct JointColumn {
    /// Index of the degree of freedom in the island.
    pub dof: usize,
    /// Velocity of the centre of mass.
    pub velocity: Vec3,
    /// Angular velocity.
    pub angular_velocity: Vec3,
    /// Slot of the joint, if the degree of freedom is a component of its rotation vector.
    rotation_vector: Option<usize>,
    /// Part of the second derivative of the centre of mass along the degree of freedom that is not due to a rotation.
    curvature: Vec3,
    /// Index of the rod joint in the island, if the degree of freedom swings a rod.
    pub(super) rod: Option<usize>,
}

/// Derivatives of the two swing columns of a rod joint along its two swings.
#[derive(Clone, Copy, Debug)]
pub(super) struct RodSwings {
    /// Index of its first degree of freedom in the island.
    first: usize,
    /// Along either swing, the derivatives of both velocity columns.
    changes: [[Vec3; 2]; 2],
    /// Along either swing, the rotation rate of the two swing directions about the rod.
    rotations: [f64; 2],
}

impl RodSwings {
    /// Derivative along one of the rod's degrees of freedom of the velocity at given rates of the island.
    pub fn velocity_derivative(&self, rates: &[f64], dof: usize) -> Vec3 {
        let [one, other] = &self.changes[dof - self.first];
        one * rates[self.first] + other * rates[self.first + 1]
    }
}

impl JointColumn {
    /// Velocity of the point at `arm` from the centre of mass.
    pub fn point_velocity(&self, arm: &Vec3) -> Vec3 {
        self.velocity + self.angular_velocity.cross(arm)
    }

    /// Whether both degrees of freedom are components of one rotation vector.
    pub fn shares_rotation_vector(&self, other: &Self) -> bool {
        self.rotation_vector.is_some() && self.rotation_vector == other.rotation_vector
    }
}

/// The ancestor chains of all bodies of an island at a configuration.
#[derive(Debug, Default)]
pub struct JacobianColumns {
    list: Vec<JointColumn>,
    /// Range of each body in the list.
    ranges: Vec<Range<usize>>,
    rods: Vec<RodSwings>,
}

impl JacobianColumns {
    /// Computes the columns of an island at a state.
    pub fn set(&mut self, model: &Model, island: usize, state: &State) {
        let it = &model.islands[island];
        self.list.clear();
        self.ranges.clear();
        self.rods.clear();
        for slot in it.bodies.clone() {
            let link = &model.links[slot];
            let start = self.list.len();
            let centre = state.positions[slot];
            if let Some(parent) = link.parent {
                let reach = centre - state.positions[parent];
                for k in self.ranges[parent - it.bodies.start].clone() {
                    let outer = self.list[k];
                    self.list.push(JointColumn {
                        velocity: outer.velocity + outer.angular_velocity.cross(&reach),
                        ..outer
                    });
                }
            }
            self.push_joint(model, it.dofs.start, state, slot);
            self.ranges.push(start..self.list.len());
        }
    }

    /// Appends the columns of the body's own joint.
    fn push_joint(&mut self, model: &Model, start: usize, state: &State, slot: usize) {
        let link = &model.links[slot];
        let parent = link.parent.map(|p| (&state.positions[p], &state.rotations[p]));
        let child = (&state.positions[slot], &state.rotations[slot]);
        let frame = link.joint.stand(parent, child, &state.coordinates[link.coordinates()]);
        let motion = link.joint.motion(&frame, child.0);
        let rotations = match link.joint.kind {
            JointKind::Spherical => 0..3,
            JointKind::Free => 3..6,
            JointKind::Rod => 2..5,
            _ => 0..0,
        };
        let is_rod = link.joint.kind == JointKind::Rod;
        if is_rod {
            self.rods.push(rod_swings(&frame, link.dof - start));
        }
        for k in 0..link.joint.dofs() {
            let column = motion.column(k).into_owned();
            let swings = is_rod && k < 2;
            self.list.push(JointColumn {
                dof: link.dof - start + k,
                velocity: linear(&column),
                angular_velocity: angular(&column),
                rotation_vector: rotations.contains(&k).then_some(slot),
                curvature: if swings { -(frame.frame.axes * frame.shift) } else { Vec3::zeros() },
                rod: swings.then(|| self.rods.len() - 1),
            });
        }
    }

    /// Whether differences of gradients are second derivatives without correction: true without rods, whose swing directions rotate.
    pub fn connection_is_zero(&self) -> bool {
        self.rods.is_empty()
    }

    /// Adds the connection terms by which second derivatives exceed differences of gradients: the swing directions of a rod rotate
    /// about it along its swings.
    pub fn add_connection(&self, gradient: &[f64], mut with: impl FnMut(usize, usize, f64)) {
        for RodSwings { first, rotations, .. } in &self.rods {
            for (j, rotation) in rotations.iter().enumerate() {
                with(first + j, *first, -rotation * gradient[first + 1]);
                with(first + j, first + 1, rotation * gradient[*first]);
            }
        }
    }

    /// The ancestor chain of a body, by its index in the island.
    pub fn ancestors(&self, body: usize) -> AncestorChain<'_> {
        AncestorChain { columns: &self.list[self.ranges[body].clone()], rods: &self.rods }
    }
}

/// The swing derivatives of a rod joint.
fn rod_swings(frame: &JointFrame, first: usize) -> RodSwings {
    let length = frame.shift.norm();
    let direction = frame.shift / length;
    let (e1, e2) = tangents(&direction);
    let rotation = |motion: Vec3| tangents_change(&direction, &motion).0.dot(&e2);
    let along = |motion: Vec3| {
        let (d1, d2) = tangents_change(&direction, &motion);
        [(e1, d1), (e2, d2)]
            .map(|(e, d)| frame.frame.axes * (d.cross(&direction) + e.cross(&motion)) * length)
    };
    let swings = [e1.cross(&direction), e2.cross(&direction)];
    RodSwings { first, changes: swings.map(along), rotations: swings.map(rotation) }
}

/// The degrees of freedom between the world and one body, the outermost first.
#[derive(Clone, Copy, Debug)]
pub struct AncestorChain<'a> {
    /// The columns.
    pub columns: &'a [JointColumn],
    pub(super) rods: &'a [RodSwings],
}

impl AncestorChain<'_> {
    /// Jacobian column of the point at `arm` from the centre of mass, for each degree of freedom.
    pub fn point_jacobian(&self, arm: &Vec3, mut with: impl FnMut(usize, Vec3)) {
        for column in self.columns {
            with(column.dof, column.point_velocity(arm));
        }
    }

    /// Generalised force along each degree of freedom of a force on the body and its torque about the centre of mass.
    pub fn reduce(&self, force: &Vec3, torque: &Vec3, mut with: impl FnMut(usize, f64)) {
        for column in self.columns {
            with(column.dof, column.velocity.dot(force) + column.angular_velocity.dot(torque));
        }
    }

    /// Second derivatives of `Σ w n·x` over points `x` of the body, for given `weight = Σ w` and `moment = Σ w r` from the centre of
    /// mass.
    pub fn second_derivatives(
        &self,
        n: &Vec3,
        weight: f64,
        moment: &Vec3,
        mut with: impl FnMut(usize, usize, f64),
    ) {
        let second = |outer: &JointColumn, inner: &JointColumn| {
            outer
                .angular_velocity
                .dot(&(inner.velocity * weight + inner.angular_velocity.cross(moment)).cross(n))
        };
        for (k, outer) in self.columns.iter().enumerate() {
            let own = second(outer, outer) + weight * outer.curvature.dot(n);
            with(outer.dof, outer.dof, own);
            for inner in &self.columns[k + 1..] {
                let mut value = second(outer, inner);
                if outer.shares_rotation_vector(inner) {
                    value = 0.5 * (value + second(inner, outer));
                }
                with(outer.dof, inner.dof, value);
                with(inner.dof, outer.dof, value);
            }
        }
    }
}
