//! How points of bodies move along the degrees of freedom of their island, to second order.
//!
//! Degrees of freedom on the way from the world to a body, outer ones first, each with the velocity `v` that it gives the body's centre of
//! mass and its turn `ω`. An outer degree of freedom carries all that inner ones do:
//!
//! ```text
//! ∂x/∂i = u_i = v_i + ω_i × r          ∂²x/∂i∂j = ω_i × u_j     i outer, j inner or the same
//! ```
//!
//! The three turns of a free or spherical joint are one rotation vector: there both orders count half.
//!
//! Several pieces ask about one island at one node: a [`KinematicsCache`] keeps the answers while a candidate is looked at.

use percussion_geometry::Vec3;
use percussion_mechanics::joint::motion::{angular, linear};
use percussion_mechanics::joint::{JointFrame, JointKind};
use percussion_mechanics::rotation::{tangents, tangents_change};
use percussion_mechanics::{Model, State};
use std::ops::Range;

/// A degree of freedom on the way to a body.
#[derive(Clone, Copy, Debug)]
pub(crate) struct JacobianColumn {
    /// Its place among the degrees of freedom of the island.
    pub dof: usize,
    pub velocity: Vec3,
    pub turn: Vec3,
    /// The joint, if the degree of freedom is a component of its rotation vector.
    pub vector: Option<usize>,
    /// The second derivative of the centre along the degree of freedom that no turn explains.
    bend: Vec3,
    /// The rod that it swings, by its place among those of the island.
    pub rod: Option<usize>,
}

/// How the velocities that the two swings of a rod give change while it swings.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Rod {
    /// Place of its first degree of freedom in the island.
    pub first: usize,
    /// Along either swing, those of both.
    changes: [[Vec3; 2]; 2],
    /// By how much the two directions in which it swings turn about it, along either swing.
    turns: [f64; 2],
}

impl Rod {
    /// The change of the velocity that rates of the island give, along one of the rod's degrees of freedom.
    pub fn change(&self, rates: &[f64], dof: usize) -> Vec3 {
        let [one, other] = &self.changes[dof - self.first];
        one * rates[self.first] + other * rates[self.first + 1]
    }
}

impl JacobianColumn {
    /// Whether two degrees of freedom are components of one rotation vector.
    pub fn joins(&self, other: &Self) -> bool {
        self.vector.is_some() && self.vector == other.vector
    }
}

/// The degrees of freedom on the way to each body of an island.
#[derive(Debug, Default)]
pub(crate) struct JacobianColumns {
    list: Vec<JacobianColumn>,
    /// Of each body its range in the list.
    ranges: Vec<Range<usize>>,
    rods: Vec<Rod>,
}

impl JacobianColumns {
    /// Looks at an island in a state.
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
                    self.list.push(JacobianColumn {
                        velocity: outer.velocity + outer.turn.cross(&reach),
                        ..outer
                    });
                }
            }
            self.push_joint(model, it.dofs.start, state, slot);
            self.ranges.push(start..self.list.len());
        }
    }

    /// The degrees of freedom of the joint of a slot itself.
    fn push_joint(&mut self, model: &Model, start: usize, state: &State, slot: usize) {
        let link = &model.links[slot];
        let parent = link.parent.map(|p| (&state.positions[p], &state.rotations[p]));
        let child = (&state.positions[slot], &state.rotations[slot]);
        let stand = link.joint.stand(parent, child, &state.coordinates[link.coordinates()]);
        let motion = link.joint.motion(&stand, child.0);
        let one = match link.joint.kind {
            JointKind::Spherical => 0..3,
            JointKind::Free => 3..6,
            JointKind::Rod => 2..5,
            _ => 0..0,
        };
        let is_rod = link.joint.kind == JointKind::Rod;
        if is_rod {
            self.rods.push(rod(&stand, link.dof - start));
        }
        for k in 0..link.joint.dofs() {
            let column = motion.column(k).into_owned();
            let swings = is_rod && k < 2;
            self.list.push(JacobianColumn {
                dof: link.dof - start + k,
                velocity: linear(&column),
                turn: angular(&column),
                vector: one.contains(&k).then_some(slot),
                bend: if swings { -(stand.frame.axes * stand.shift) } else { Vec3::zeros() },
                rod: swings.then(|| self.rods.len() - 1),
            });
        }
    }

    /// Whether differences of gradients are second derivatives as they are.
    pub fn connection_is_zero(&self) -> bool {
        self.rods.is_empty()
    }

    /// What differences of gradients lack of second derivatives: the directions in which a rod swings turn while it swings.
    pub fn add_connection(&self, gradient: &[f64], mut with: impl FnMut(usize, usize, f64)) {
        for Rod { first, turns, .. } in &self.rods {
            for (j, turn) in turns.iter().enumerate() {
                with(first + j, *first, -turn * gradient[first + 1]);
                with(first + j, first + 1, turn * gradient[*first]);
            }
        }
    }

    /// The way to a body, by its place in the island.
    pub fn ancestors(&self, body: usize) -> AncestorChain<'_> {
        AncestorChain { columns: &self.list[self.ranges[body].clone()], rods: &self.rods }
    }
}

/// A rod where it stands.
fn rod(stand: &JointFrame, first: usize) -> Rod {
    let length = stand.shift.norm();
    let direction = stand.shift / length;
    let (e1, e2) = tangents(&direction);
    let turn = |motion: Vec3| tangents_change(&direction, &motion).0.dot(&e2);
    let along = |motion: Vec3| {
        let (d1, d2) = tangents_change(&direction, &motion);
        [(e1, d1), (e2, d2)]
            .map(|(e, d)| stand.frame.axes * (d.cross(&direction) + e.cross(&motion)) * length)
    };
    let swings = [e1.cross(&direction), e2.cross(&direction)];
    Rod { first, changes: swings.map(along), turns: swings.map(turn) }
}

/// The degrees of freedom on the way to one body.
#[derive(Clone, Copy, Debug)]
pub(crate) struct AncestorChain<'a> {
    pub columns: &'a [JacobianColumn],
    pub rods: &'a [Rod],
}

impl AncestorChain<'_> {
    /// What a force on the body does along each degree of freedom, with its torque about the centre of mass.
    pub fn reduce(&self, force: &Vec3, torque: &Vec3, mut with: impl FnMut(usize, f64)) {
        for column in self.columns {
            with(column.dof, column.velocity.dot(force) + column.turn.dot(torque));
        }
    }

    /// Second derivatives of `Σ w n·x` along each two degrees of freedom, for points of the body with given `Σ w` and `Σ w r`, seen from
    /// the centre of mass.
    pub fn second_derivatives(
        &self,
        n: &Vec3,
        weight: f64,
        moment: &Vec3,
        mut with: impl FnMut(usize, usize, f64),
    ) {
        let second = |outer: &JacobianColumn, inner: &JacobianColumn| {
            outer.turn.dot(&(inner.velocity * weight + inner.turn.cross(moment)).cross(n))
        };
        for (k, outer) in self.columns.iter().enumerate() {
            let own = second(outer, outer) + weight * outer.bend.dot(n);
            with(outer.dof, outer.dof, own);
            for inner in &self.columns[k + 1..] {
                let mut value = second(outer, inner);
                if outer.joins(inner) {
                    value = 0.5 * (value + second(inner, outer));
                }
                with(outer.dof, inner.dof, value);
                with(inner.dof, outer.dof, value);
            }
        }
    }
}

/// Columns of the islands at the nodes of one candidate, each looked up once.
#[derive(Debug, Default)]
pub(crate) struct KinematicsCache {
    columns: Vec<JacobianColumns>,
    known: Vec<bool>,
}

impl KinematicsCache {
    /// Another candidate is looked at.
    pub fn clear(&mut self) {
        self.known.fill(false);
    }

    /// Makes sure that the columns of an island at a node are known.
    pub fn update(&mut self, model: &Model, nodes: &[State], (node, island): (usize, usize)) {
        let at = node * model.islands.len() + island;
        if self.known.len() <= at {
            let count = nodes.len() * model.islands.len();
            self.known.resize(count, false);
            self.columns.resize_with(count, JacobianColumns::default);
        }
        if !self.known[at] {
            self.columns[at].set(model, island, &nodes[node]);
            self.known[at] = true;
        }
    }

    /// Columns that were looked up.
    pub fn columns(&self, model: &Model, (node, island): (usize, usize)) -> &JacobianColumns {
        &self.columns[node * model.islands.len() + island]
    }
}
