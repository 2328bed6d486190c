//! Reading a [`Simulation`] by the names of bodies and joints.

use crate::simulation::Simulation;
use crate::spatial::{angular, linear};
use percussion_geometry::{Pose, Vec3};
use thiserror::Error;

/// An unknown name.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[error("there is no {what} `{name}`")]
pub struct UnknownName {
    /// `body` or `joint`.
    pub what: &'static str,
    /// The name.
    pub name: String,
}

/// A body at the present instant.
#[derive(Clone, Copy)]
pub struct BodyView<'a> {
    simulation: &'a Simulation,
    index: usize,
}

/// A joint at the present instant.
#[derive(Clone, Copy)]
pub struct JointView<'a> {
    simulation: &'a Simulation,
    place: JointPlace,
}

/// A joint of the tree by the slot of its child, or one that is a constraint, by its index.
#[derive(Clone, Copy)]
enum JointPlace {
    Link(usize),
    Closure(usize),
}

/// A contact of the last step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ContactView<'a> {
    /// Names of the bodies.
    pub bodies: (&'a str, &'a str),
    /// Its point.
    pub point: Vec3,
    /// Unit normal from the second body to the first.
    pub normal: Vec3,
    /// Impulse on the first body, friction included, N s.
    pub impulse: Vec3,
}

/// Energy of a model, J.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Energy {
    /// Kinetic energy.
    pub kinetic: f64,
    /// Potential energy of gravity and forces.
    pub potential: f64,
}

impl Energy {
    /// Kinetic and potential energy.
    pub fn total(&self) -> f64 {
        self.kinetic + self.potential
    }
}

impl Simulation {
    /// A body by name.
    pub fn body(&self, name: &str) -> Result<BodyView<'_>, UnknownName> {
        let unknown = || UnknownName { what: "body", name: name.to_owned() };
        let index = self.model().body_named(name).ok_or_else(unknown)?;
        Ok(BodyView { simulation: self, index })
    }

    /// A joint by name: one with coordinates, not one that closes a loop of a tree.
    pub fn joint(&self, name: &str) -> Result<JointView<'_>, UnknownName> {
        let unknown = || UnknownName { what: "joint with coordinates", name: name.to_owned() };
        let model = self.model();
        let link = model.links.iter().position(|link| link.joint.name == name).map(JointPlace::Link);
        let constraint =
            || model.closures.iter().position(|own| own.joint.name == name && own.coordinate.is_some());
        let place = link.or_else(|| constraint().map(JointPlace::Closure)).ok_or_else(unknown)?;
        Ok(JointView { simulation: self, place })
    }

    /// Energy at the present instant.
    pub fn energy(&self) -> Energy {
        let latest = self.ledger().latest();
        Energy { kinetic: latest.kinetic, potential: latest.potential }
    }

    /// Contacts of the last step with their impulses; none of schemes in which contact is a potential.
    pub fn contacts(&self) -> Vec<ContactView<'_>> {
        let name = |body: usize| self.model().bodies[body].name.as_str();
        self.step_contacts()
            .into_iter()
            .map(|contact| ContactView {
                bodies: (name(contact.bodies.0), name(contact.bodies.1)),
                point: contact.point,
                normal: contact.normal,
                impulse: contact.impulse,
            })
            .collect()
    }
}

impl BodyView<'_> {
    /// Pose of the body's own frame.
    pub fn pose(&self) -> Pose {
        self.simulation.model().pose(self.simulation.state(), self.index)
    }

    /// Origin of the body's own frame.
    pub fn position(&self) -> Vec3 {
        self.pose().position
    }

    /// Centre of mass; of fixed and driven bodies the origin of their own frame.
    pub fn center_of_mass(&self) -> Vec3 {
        let slot = self.simulation.model().slots[self.index];
        slot.map_or_else(|| self.position(), |slot| self.simulation.state().positions[slot])
    }

    /// Velocity of the centre of mass, m/s; zero of fixed and driven bodies.
    pub fn velocity(&self) -> Vec3 {
        self.twist().0
    }

    /// Angular velocity, world axes, rad/s; zero of fixed and driven bodies.
    pub fn angular_velocity(&self) -> Vec3 {
        self.twist().1
    }

    fn twist(&self) -> (Vec3, Vec3) {
        let model = self.simulation.model();
        let Some(slot) = model.slots[self.index] else { return (Vec3::zeros(), Vec3::zeros()) };
        let twist = model.twists(self.simulation.state())[slot];
        (linear(&twist), angular(&twist))
    }
}

impl JointView<'_> {
    /// Its coordinates, rad and m, in the order of its kind.
    pub fn coordinates(&self) -> &[f64] {
        let model = self.simulation.model();
        let range = match self.place {
            JointPlace::Link(slot) => model.links[slot].coordinates(),
            JointPlace::Closure(index) => {
                let closure = &model.closures[index];
                let first = closure.coordinate.unwrap_or_default();
                first..first + closure.joint.coordinates()
            }
        };
        &self.simulation.state().coordinates[range]
    }

    /// Rates of its degrees of freedom; of a joint that is a constraint, of its coordinates.
    pub fn rates(&self) -> Vec<f64> {
        let model = self.simulation.model();
        let state = self.simulation.state();
        let index = match self.place {
            JointPlace::Link(slot) => return model.rates(state)[model.links[slot].dofs()].to_vec(),
            JointPlace::Closure(index) => index,
        };
        let closure = &model.closures[index];
        let twists = model.twists(state);
        let parent = closure.parent.map(|slot| (&state.positions[slot], &state.rotations[slot]));
        let child = (&state.positions[closure.child], &state.rotations[closure.child]);
        let rate = |i: usize| {
            let row = closure.joint.coordinate_row(i, parent, child);
            row.child.dot(&twists[closure.child])
                + closure.parent.map_or(0.0, |slot| row.parent.dot(&twists[slot]))
        };
        (0..closure.joint.coordinates()).map(rate).collect()
    }
}
