//! How points of a body move along the freedoms of its island, to second order.
//!
//! Freedoms on the way from the world to a body, outer ones first, each with the velocity `v` that it gives the body's centre of
//! mass and its turn `ω`. An outer freedom carries all that inner ones do:
//!
//! ```text
//! ∂x/∂i = u_i = v_i + ω_i × r          ∂²x/∂i∂j = ω_i × u_j     i outer, j inner or the same
//! ```
//!
//! The three turns of a free or spherical joint are one rotation vector: there both orders count half.

use percussion_geometry::Vec3;
use percussion_mechanics::joint::JointKind;
use percussion_mechanics::joint::motion::{angular, linear};
use percussion_mechanics::{Model, State};

/// A freedom on the way to a body.
#[derive(Clone, Copy, Debug)]
struct Column {
    /// Its place among the freedoms of the island.
    freedom: usize,
    velocity: Vec3,
    turn: Vec3,
    /// The joint, if the freedom is a component of its rotation vector.
    vector: Option<usize>,
    /// The second derivative of the centre along the freedom that no turn explains.
    bend: Vec3,
}

/// All of them.
#[derive(Debug, Default)]
pub(super) struct Columns {
    list: Vec<Column>,
}

impl Columns {
    /// Of the body at a slot.
    pub fn of(model: &Model, state: &State, slot: usize) -> Self {
        let island = model.islands.partition_point(|i| i.bodies.end <= slot);
        let (start, centre) = (model.islands[island].freedoms.start, state.positions[slot]);
        let mut list = Vec::new();
        let mut next = Some(slot);
        while let Some(at) = next {
            let link = &model.links[at];
            let parent = link.parent.map(|p| (&state.positions[p], &state.rotations[p]));
            let child = (&state.positions[at], &state.rotations[at]);
            let stand = link.joint.stand(parent, child, &state.coordinates[link.coordinates()]);
            let motion = link.joint.motion(&stand, child.0);
            let one = match link.joint.kind {
                JointKind::Spherical => 0..3,
                JointKind::Free => 3..6,
                JointKind::Rod => 2..5,
                _ => 0..0,
            };
            // Inner ones first: the list is turned around at the end.
            for k in (0..link.joint.freedoms()).rev() {
                let column = motion.column(k).into_owned();
                let (velocity, turn) = (linear(&column), angular(&column));
                let swings = link.joint.kind == JointKind::Rod && k < 2;
                list.push(Column {
                    freedom: link.freedom - start + k,
                    velocity: velocity + turn.cross(&(centre - child.0)),
                    turn,
                    vector: one.contains(&k).then_some(at),
                    bend: if swings { -(stand.frame.axes * stand.shift) } else { Vec3::zeros() },
                });
            }
            next = link.parent;
        }
        list.reverse();
        Self { list }
    }

    /// What a force on the body does along each freedom, with its torque about the centre of mass.
    pub fn reduce(&self, force: &Vec3, torque: &Vec3, mut with: impl FnMut(usize, f64)) {
        for column in &self.list {
            with(column.freedom, column.velocity.dot(force) + column.turn.dot(torque));
        }
    }

    /// Second derivatives of `Σ w n·x` along each two freedoms, for points of the body with given `Σ w` and `Σ w r`, seen from
    /// the centre of mass.
    pub fn bend(&self, n: &Vec3, weight: f64, moment: &Vec3, mut with: impl FnMut(usize, usize, f64)) {
        let second = |outer: &Column, inner: &Column| {
            outer.turn.dot(&(inner.velocity * weight + inner.turn.cross(moment)).cross(n))
        };
        for (k, outer) in self.list.iter().enumerate() {
            let own = second(outer, outer) + weight * outer.bend.dot(n);
            with(outer.freedom, outer.freedom, own);
            for inner in &self.list[k + 1..] {
                let mut value = second(outer, inner);
                if outer.vector.is_some() && outer.vector == inner.vector {
                    value = 0.5 * (value + second(inner, outer));
                }
                with(outer.freedom, inner.freedom, value);
                with(inner.freedom, outer.freedom, value);
            }
        }
    }
}
