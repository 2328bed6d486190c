//! Given forces and torques, constant or tabulated in time.
//!
//! In the world's axes they keep their direction; in the body's they turn with it, `F = frame f` with the directors as
//! they are (averaged ones at the middle of a step). All of its power is external work, none is potential:
//! `F·x' + torque·ω`.

use super::parameter::{ParameterError, finite, finite_number};
use super::{Anchor, Bodies, BodyKinematics, ForceAccumulator, Stiffness};
use crate::body::Body;
use crate::table::Table;
use percussion_geometry::Vec3;

/// Axes in which components are given.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Axes {
    /// Of the world.
    World,
    /// Of the body's own frame; they turn with it.
    Body,
}

impl Axes {
    /// A vector given by components, in the world's axes.
    pub fn to_world(self, components: &Vec3, body: &BodyKinematics) -> Vec3 {
        match self {
            Self::World => *components,
            Self::Body => body.frame * components,
        }
    }
}

/// A vector in time, in some axes.
#[derive(Clone, Debug)]
pub struct Given {
    /// Components.
    pub components: Table<3>,
    /// Their axes.
    pub axes: Axes,
}

impl Given {
    /// Constant in time.
    pub fn constant(components: Vec3, axes: Axes) -> Self {
        Self { components: Table::constant(components.into()), axes }
    }

    fn components_at(&self, t: f64) -> Vec3 {
        Vec3::from(self.components.at(t))
    }

    fn at(&self, t: f64, body: &BodyKinematics) -> Vec3 {
        self.axes.to_world(&self.components_at(t), body)
    }

    fn slope(&self, t: f64, body: &BodyKinematics) -> Vec3 {
        self.axes.to_world(&Vec3::from(self.components.slope(t)), body)
    }

    /// Components that turn with the body, zero if none do.
    fn turning(given: &Option<Self>, t: f64) -> Vec3 {
        match given {
            Some(given) if given.axes == Axes::Body => given.components_at(t),
            _ => Vec3::zeros(),
        }
    }
}

/// A force at a point of a body, a torque on it, or both.
#[derive(Clone, Debug)]
pub struct Load {
    /// The point of the force; the torque acts on its body.
    pub anchor: Anchor,
    /// The force, N.
    pub force: Option<Given>,
    /// The torque, N m.
    pub torque: Option<Given>,
}

impl Load {
    pub(super) fn add_forces(&self, t: f64, bodies: &Bodies, accumulators: &mut [ForceAccumulator]) {
        self.apply(bodies, accumulators, |given, body| given.at(t, body));
    }

    /// Partial derivative by time.
    pub(super) fn add_time_derivatives(
        &self,
        t: f64,
        bodies: &Bodies,
        accumulators: &mut [ForceAccumulator],
    ) {
        self.apply(bodies, accumulators, |given, body| given.slope(t, body));
    }

    fn apply(
        &self,
        bodies: &Bodies,
        accumulators: &mut [ForceAccumulator],
        value: impl Fn(&Given, &BodyKinematics) -> Vec3,
    ) {
        let Some((i, body)) = self.anchor.kinematics(bodies) else { return };
        if let Some(force) = &self.force {
            self.anchor.apply_force(bodies, &value(force, body), accumulators);
        }
        if let Some(torque) = &self.torque {
            accumulators[i].torque += value(torque, body);
        }
    }

    pub(super) fn stiffness(&self, t: f64, list: &mut Vec<Stiffness>) {
        let given = [&self.force, &self.torque];
        let turns = given.into_iter().flatten().any(|given| given.axes == Axes::Body);
        if let (Some(body), true) = (self.anchor.body, turns) {
            list.push(Stiffness::Following {
                body,
                arm: self.anchor.arm,
                force: Given::turning(&self.force, t),
                torque: Given::turning(&self.torque, t),
            });
        }
    }

    pub(super) fn power(&self, t: f64, bodies: &Bodies) -> f64 {
        let Some((_, body)) = self.anchor.kinematics(bodies) else { return 0.0 };
        let by_force = self.force.as_ref().map_or(0.0, |f| f.at(t, body).dot(&self.anchor.velocity(bodies)));
        by_force + self.torque.as_ref().map_or(0.0, |torque| torque.at(t, body).dot(&body.spin()))
    }

    /// Whether it requires a body with an orientation.
    pub(super) fn turns(&self) -> bool {
        self.torque.is_some() || self.force.as_ref().is_some_and(|force| force.axes == Axes::Body)
    }

    pub(super) fn check(&self) -> Result<(), ParameterError> {
        finite("a coordinate of its point", &self.anchor.arm)?;
        for (what, given) in
            [("a component of the force", &self.force), ("a component of the torque", &self.torque)]
        {
            let numbers = given.iter().flat_map(|given| given.components.numbers());
            for number in numbers {
                finite_number(what, number)?;
            }
        }
        Ok(())
    }

    /// From the author's axes to the principal ones.
    pub(super) fn resolve_bodies(&mut self, bodies: &[Body]) {
        let Some(body) = self.anchor.body else { return };
        let down = bodies[body].principal.rotation.inverse();
        for given in [&mut self.force, &mut self.torque].into_iter().flatten() {
            if given.axes == Axes::Body {
                given.components.map(|v| (down * Vec3::from(v)).into());
            }
        }
    }
}
