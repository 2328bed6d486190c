//! What a plan refers to: bodies and joints of the scene, the model, and its initial state.

use crate::read::joints::{BodyTable, WrittenJoint};
use crate::read::scene_parts::{InitialState, SceneParts};
use crate::read::{assembly, start};
use crate::report::{Place, Read, Report, Reported};
use crate::tree::{Fields, Node};
use percussion_geometry::Pose;
use percussion_mechanics::body::BodyKind;
use percussion_mechanics::contact::ContactSpec;
use percussion_mechanics::tree::Link;
use percussion_mechanics::{Model, State};
use std::sync::Arc;

/// What a plan refers to.
pub(super) struct Context<'a> {
    pub report: &'a Report,
    pub body_table: &'a BodyTable<'a>,
    pub parts: &'a SceneParts<'a>,
    pub contact: Option<&'a ContactSpec>,
    pub model: &'a Arc<Model>,
    pub state: &'a State,
}

impl<'a> Context<'a> {
    /// The body of a node with its name.
    pub fn body(&self, node: &Node, name: &str) -> Read<usize> {
        self.body_table.find(node.place, crate::tree::text(self.report, node, name)?)
    }

    /// The body named by a key.
    pub fn body_of(&self, f: &Fields, key: &str) -> Read<Option<usize>> {
        f.node(key).map(|node| self.body(node, &f.path(key))).transpose()
    }

    /// Two different bodies named by a list.
    pub fn pair(&self, node: &Node, name: &str) -> Read<(usize, usize)> {
        const TWO: &str = "name two bodies, such as [\"cube\", \"wall\"]";
        let names = crate::tree::list(self.report, node, name)?;
        let [a, b] = names else {
            let message = format!("`{name}` has {} entries", names.len());
            return Err(self.report.complain(node.place, message, TWO));
        };
        let (a, b) = (self.body(a, name), self.body(b, name));
        let (a, b) = (a?, b?);
        if a == b {
            return Err(self.report.complain(node.place, format!("`{name}` names one body twice"), TWO));
        }
        Ok((a, b))
    }

    /// The slot of the child of a joint.
    pub fn joint(&self, place: Place, name: &str) -> Read<usize> {
        let found = self.parts.joints.iter().find(|joint| joint.spec.name == name);
        if let Some(slot) = found.and_then(|joint| self.model.slots[joint.spec.child.0]) {
            return Ok(slot);
        }
        let known = self.parts.joints.iter().map(|joint| joint.spec.name.as_str());
        let remedy = format!("define it under [joints.{name}]");
        Err(self.report.unknown(place, format!("there is no joint `{name}`"), name, known, &remedy))
    }

    /// The joint of a slot as written; none for a body without one.
    pub fn written(&self, slot: usize) -> Option<(usize, &'a WrittenJoint)> {
        let body = self.model.links[slot].body;
        self.parts.joints.iter().enumerate().find(|(_, joint)| joint.spec.child.0 == body)
    }

    pub fn link(&self, slot: usize) -> &'a Link {
        &self.model.links[slot]
    }

    pub fn name(&self, body: usize) -> &'a str {
        &self.model.bodies[body].name
    }

    pub fn is_particle(&self, body: usize) -> bool {
        self.model.bodies[body].kind == BodyKind::Particle
    }

    /// The island of a body, if it moves.
    pub fn island(&self, body: usize) -> Option<usize> {
        self.model.slots[body].map(|slot| self.island_of(slot))
    }

    pub fn island_of(&self, slot: usize) -> usize {
        self.model.islands.partition_point(|island| island.bodies.end <= slot)
    }

    /// The initial pose of a body in the scene.
    pub fn pose(&self, body: usize) -> Pose {
        self.model.pose(self.state, body)
    }

    /// The state for given poses, joint coordinates and velocities. Complaints are reported at `place`.
    pub fn rebuilt(
        &self,
        base: &[Pose],
        moved_to: &[Option<Pose>],
        joints: &[WrittenJoint],
        initial: InitialState,
        place: Place,
    ) -> Read<(State, Vec<Pose>)> {
        let poses = assembly::assemble(base, joints, moved_to);
        let initial = InitialState { poses: poses.clone(), ..initial };
        let mut builder = self.parts.builder(&initial);
        if let Some(contact) = self.contact {
            builder.contact(contact.clone());
        }
        let refused = |error: String| -> Reported { self.report.complain_with(place, &error) };
        let (model, mut state) = builder.build().map_err(|error| refused(error.to_string()))?;
        start::set_coordinates(&model, &mut state, joints);
        if !state.is_finite() {
            return Err(refused(
                "the state is not finite: products of its numbers overflow; use units nearer to one"
                    .to_owned(),
            ));
        }
        Ok((state, poses))
    }
}
