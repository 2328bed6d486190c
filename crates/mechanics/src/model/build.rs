//! Builds a [`Model`] and its first [`State`] from bodies, joints and forces.
//!
//! Order of work: joints are checked and ordered into a forest (a body without a joint is free), bodies are grouped into
//! islands and numbered, frames move to principal axes, joint coordinates are computed from the poses, momenta
//! follow from velocities (`start`).

use super::initial_momenta::{self, Velocity};
use super::island::Groups;
use super::joint_spec::{JointId, JointSpec};
use super::{Island, Model, ModelError, check};
use crate::body::{Body, BodyId, BodyKind};
use crate::contact::{ContactGeometry, ContactSpec};
use crate::force::{Anchor, ContactPotential, Force, ForceLaw, JointForce};
use crate::joint::{Frame, Joint, JointFrame, JointKind};
use crate::model::State;
use crate::rotation::Mat3;
use crate::tree::{Closure, Link};
use nalgebra::Rotation3;
use percussion_geometry::{Pose, Vec3};
use std::sync::Arc;

/// Name of the force of the contact potential.
const CONTACT_POTENTIAL: &str = "contact potential";

/// Collects bodies, joints and forces, and builds the model.
#[derive(Clone, Debug, Default)]
pub struct ModelBuilder {
    pub(super) bodies: Vec<Body>,
    pub(super) placed: Vec<Pose>,
    pub(super) velocities: Vec<Option<Velocity>>,
    pub(super) joints: Vec<JointSpec>,
    pub(super) rates: Vec<Option<Vec<f64>>>,
    pub(super) loops: Vec<JointSpec>,
    pub(super) forces: Vec<Force>,
    pub(super) joint_forces: Vec<JointForce>,
    /// Forces along joints that are constraints; their slots are indices of loops.
    pub(super) closure_forces: Vec<JointForce>,
    /// Whether the model has no tree.
    pub(super) open: bool,
    pub(super) gravity: Vec3,
    pub(super) contact: Option<ContactSpec>,
    pub(super) project: bool,
}

impl ModelBuilder {
    /// An empty builder.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a body whose own frame is placed at `pose`.
    pub fn body(&mut self, mut body: Body, pose: Pose) -> BodyId {
        if body.kind == BodyKind::Particle {
            // The engine starts a particle with the world's axes; the author's may be others.
            body.principal.rotation = pose.rotation.inverse();
        }
        self.bodies.push(body);
        self.placed.push(pose);
        self.velocities.push(None);
        BodyId(self.bodies.len() - 1)
    }

    /// Gives a body a velocity of its centre of mass and an angular velocity, world axes.
    pub fn velocity(&mut self, body: BodyId, velocity: Vec3, angular_velocity: Vec3) {
        self.velocities[body.0] = Some(Velocity { linear: velocity, angular: angular_velocity });
    }

    /// Enables contact. Bodies that share a joint collide only if a rule for the pair enables it.
    pub fn contact(&mut self, contact: ContactSpec) {
        self.contact = Some(contact);
    }

    /// A joint at a frame given in the world, for bodies where they have been added.
    pub fn joint_at(
        &self,
        name: &str,
        kind: JointKind,
        parent: Option<BodyId>,
        child: BodyId,
        frame: &Pose,
    ) -> JointSpec {
        let placed = |id: BodyId| (id, &self.placed[id.0]);
        JointSpec::at(name, kind, parent.map(placed), placed(child), frame)
    }

    /// Adds a joint of the tree.
    pub fn joint(&mut self, joint: JointSpec) -> JointId {
        self.joints.push(joint);
        self.rates.push(None);
        JointId(self.joints.len() - 1)
    }

    /// Gives a joint the rates of its degrees of freedom.
    pub fn rates(&mut self, joint: JointId, rates: &[f64]) {
        self.rates[joint.0] = Some(rates.to_vec());
    }

    /// Adds a joint that closes a loop.
    pub fn close(&mut self, joint: JointSpec) {
        self.loops.push(joint);
    }

    /// Adds a force; its anchors are on bodies by index in the list and points in the bodies' own frames.
    pub fn force(&mut self, force: Force) {
        self.forces.push(force);
    }

    /// Adds a force along a joint; its slot is the joint's index in the list.
    pub fn joint_force(&mut self, force: JointForce) {
        self.joint_forces.push(force);
    }

    /// Sets uniform gravity, m/s².
    pub fn gravity(&mut self, gravity: Vec3) {
        self.gravity = gravity;
    }

    /// Velocities that joints do not allow are projected to the nearest allowed ones, in the metric of the masses.
    pub fn project(&mut self, project: bool) {
        self.project = project;
    }

    /// The centre of mass of a body as an anchor of forces.
    pub fn centre(&self, body: BodyId) -> Anchor {
        Anchor { body: Some(body.0), arm: self.bodies[body.0].principal.position }
    }

    /// Pose of a body.
    pub fn pose(&self, body: BodyId) -> Pose {
        self.placed[body.0]
    }

    /// Builds the model and its first state.
    pub fn build(mut self) -> Result<(Model, State), ModelError> {
        self.check_ids()?;
        self.check_loop_joints()?;
        self.add_joint_friction();
        self.check_names()?;
        self.check_numbers()?;
        self.check_forces()?;
        self.check_driven()?;
        let parent_joints = self.parent_joints()?;
        let order = self.order(&parent_joints)?;
        self.assemble(&parent_joints, order)
    }

    /// The joint to the parent of each body.
    fn parent_joints(&self) -> Result<Vec<Option<usize>>, ModelError> {
        let mut parent_joints: Vec<Option<usize>> = vec![None; self.bodies.len()];
        for (i, joint) in self.joints.iter().chain(&self.loops).enumerate() {
            let child = &self.bodies[joint.child.0];
            let (name, body) = (joint.name.clone(), child.name.clone());
            if joint.parent == Some(joint.child) {
                return Err(ModelError::ToItself { joint: name, body });
            }
            if !child.moves() {
                return Err(ModelError::FixedChild { joint: name, body });
            }
            if child.kind == BodyKind::Particle && !joint.kind.suits_particle() {
                return Err(ModelError::Particle { joint: name, kind: joint.kind.word(), body });
            }
            if i >= self.joints.len() {
                continue;
            }
            if let Some(first) = parent_joints[joint.child.0] {
                let first = self.joints[first].name.clone();
                return Err(ModelError::TwoParents { body, first, second: name });
            }
            parent_joints[joint.child.0] = Some(i);
        }
        // Walking up from any body must end.
        for start in 0..self.bodies.len() {
            let mut at = start;
            for _ in 0..=self.bodies.len() {
                match parent_joints[at].and_then(|joint| self.joints[joint].parent) {
                    Some(parent) => at = parent.0,
                    None => break,
                }
                if at == start {
                    let joint =
                        parent_joints[at].map_or_else(String::new, |joint| self.joints[joint].name.clone());
                    return Err(ModelError::Cycle { body: self.bodies[at].name.clone(), joint });
                }
            }
        }
        Ok(parent_joints)
    }

    pub(super) fn moving(&self, id: Option<BodyId>) -> Option<usize> {
        id.map(|id| id.0).filter(|&body| self.bodies[body].moves())
    }

    /// Bodies in slot order, with the group of each.
    fn order(&self, parent_joints: &[Option<usize>]) -> Result<Vec<(usize, usize)>, ModelError> {
        let mut groups = Groups::new(self.bodies.len());
        for joint in self.joints.iter().chain(&self.loops) {
            if let Some(parent) = self.moving(joint.parent) {
                groups.join(parent, joint.child.0);
            }
        }
        for force in &self.forces {
            let mut clone = force.clone();
            let bodies: Vec<usize> = clone
                .anchors_mut()
                .into_iter()
                .filter_map(|anchor| self.moving(anchor.body.map(BodyId)))
                .collect();
            bodies.windows(2).for_each(|pair| groups.join(pair[0], pair[1]));
        }
        if self.contact.as_ref().is_some_and(|contact| contact.potential.is_some()) {
            // Whatever has a shape may be pushed by whatever else has one.
            let shaped = |body: &usize| {
                let body = &self.bodies[*body];
                body.moves() && !(body.shapes.is_empty() && body.outlines.is_empty())
            };
            let shaped: Vec<usize> = (0..self.bodies.len()).filter(shaped).collect();
            shaped.windows(2).for_each(|pair| groups.join(pair[0], pair[1]));
        }
        let depth = |mut body: usize| {
            let mut depth = 0;
            while let Some(parent) =
                parent_joints[body].and_then(|joint| self.moving(self.joints[joint].parent))
            {
                depth += 1;
                body = parent;
            }
            depth
        };
        let mut order: Vec<(usize, usize, usize)> = (0..self.bodies.len())
            .filter(|&body| self.bodies[body].moves())
            .map(|body| (groups.find(body), depth(body), body))
            .collect();
        order.sort_unstable();
        Ok(order.into_iter().map(|(group, _, body)| (group, body)).collect())
    }

    /// A joint with frames on principal axes, and fixed parents replaced by the world.
    fn resolve(
        &self,
        spec: &JointSpec,
        slots: &[Option<usize>],
    ) -> Result<(Joint, Option<usize>), ModelError> {
        let child = &self.bodies[spec.child.0];
        let to_principal = |body: &Body, frame: &Pose| {
            let p = &body.principal;
            Pose::new(p.rotation.inverse() * frame.rotation, p.inverse_point(&frame.position))
        };
        let (parent_frame, parent) = match spec.parent {
            None => (spec.parent_frame, None),
            Some(id) => match slots[id.0] {
                Some(slot) => (to_principal(&self.bodies[id.0], &spec.parent_frame), Some(slot)),
                None => (self.placed[id.0].then(&spec.parent_frame), None),
            },
        };
        let points = (
            spec.parent.map_or(spec.parent_frame.position, |id| {
                self.placed[id.0].point(&spec.parent_frame.position)
            }),
            self.placed[spec.child.0].point(&spec.child_frame.position),
        );
        let length = match spec.kind {
            JointKind::Rod => spec.length.unwrap_or((points.1 - points.0).norm()),
            _ => 0.0,
        };
        let least = crate::tolerances::JOINT_MISFIT * points.0.norm().max(points.1.norm());
        if spec.kind == JointKind::Rod && !(length > least && length.is_finite()) {
            return Err(ModelError::Rod { joint: spec.name.clone(), length });
        }
        let particle = child.kind == BodyKind::Particle;
        let mut child_frame = Frame::of(&to_principal(child, &spec.child_frame));
        if particle {
            // Its axes follow the parent-side ones from where they are now, whatever the author's are.
            let above = spec.parent.map_or_else(Rotation3::identity, |id| self.placed[id.0].rotation);
            child_frame.axes = *(above * spec.parent_frame.rotation).matrix();
        }
        let joint = Joint {
            name: spec.name.clone(),
            kind: spec.kind,
            parent_frame: Frame::of(&parent_frame),
            child_frame,
            length,
            particle,
            limits: spec.limits,
        };
        Ok((joint, parent))
    }

    fn assemble(
        self,
        parent_joints: &[Option<usize>],
        order: Vec<(usize, usize)>,
    ) -> Result<(Model, State), ModelError> {
        let mut slots = vec![None; self.bodies.len()];
        for (slot, &(_, body)) in order.iter().enumerate() {
            slots[body] = Some(slot);
        }
        let mut state = self.initial_poses(&order);
        let links = self.links(parent_joints, &order, &slots, &mut state)?;
        let group_of = |slot: usize| order[slot].0;
        let (closures, closure_forces) = self.closures(&slots, group_of, &mut state)?;
        let contacts = self.contacts(&slots, &links)?;
        let grouped_forces = self.grouped_forces(contacts.as_ref(), &slots, group_of)?;
        let joint_forces = self.joint_forces_by_group(&slots, &links, group_of)?;

        let mut islands: Vec<Island> = Vec::new();
        let mut from = 0;
        while from < order.len() {
            let group = group_of(from);
            let to = from + order[from..].iter().take_while(|(g, _)| *g == group).count();
            let range = |groups: &mut dyn Iterator<Item = usize>| {
                let groups: Vec<usize> = groups.collect();
                groups.partition_point(|&g| g < group)..groups.partition_point(|&g| g <= group)
            };
            let island = Island {
                bodies: from..to,
                dofs: links[from].dof..links[to - 1].dofs().end,
                coordinates: links[from].coordinate..links[to - 1].coordinates().end,
                closures: range(&mut closures.iter().map(|c| group_of(c.child))),
                forces: range(&mut grouped_forces.iter().map(|(group, _)| *group)),
                joint_forces: range(&mut joint_forces.iter().map(|f| group_of(f.slot))),
                simple: false,
            };
            let alone = to - from == 1
                && parent_joints[order[from].1].is_none()
                && island.closures.is_empty()
                && island.forces.is_empty();
            islands.push(Island { simple: alone, ..island });
            from = to;
        }
        let model = Model {
            contacts,
            bodies: self.bodies.clone(),
            placed: self.placed.clone(),
            slots,
            links,
            closures,
            closure_forces,
            forces: grouped_forces.into_iter().map(|(_, force)| force).collect(),
            joint_forces,
            islands,
            gravity: self.gravity,
            dofs: state.momenta.len(),
            coordinates: state.coordinates.len(),
        };
        check::fit(&model, &state)?;
        initial_momenta::set_momenta(&self, parent_joints, &model, &mut state, self.project)?;
        Ok((model, state))
    }

    /// Poses of the moving bodies at the start, without coordinates and momenta.
    fn initial_poses(&self, order: &[(usize, usize)]) -> State {
        let poses: Vec<Pose> =
            order.iter().map(|&(_, body)| self.bodies[body].principal_pose(&self.placed[body])).collect();
        State {
            time: 0.0,
            steps: 0,
            positions: poses.iter().map(|pose| pose.position).collect(),
            // A particle has no orientation: the engine starts it with the world's axes.
            rotations: poses
                .iter()
                .zip(order)
                .map(|(pose, &(_, body))| match self.bodies[body].kind {
                    BodyKind::Particle => Mat3::identity(),
                    _ => *pose.rotation.matrix(),
                })
                .collect(),
            coordinates: Vec::new(),
            momenta: Vec::new(),
        }
    }

    /// The moving bodies with the joints to their parents; fills in the coordinates of the state, and momenta of zero.
    fn links(
        &self,
        parent_joints: &[Option<usize>],
        order: &[(usize, usize)],
        slots: &[Option<usize>],
        state: &mut State,
    ) -> Result<Vec<Link>, ModelError> {
        let mut links = Vec::with_capacity(order.len());
        let mut dof = 0;
        for (slot, &(_, body)) in order.iter().enumerate() {
            let (joint, parent) = match parent_joints[body] {
                Some(i) => self.resolve(&self.joints[i], slots)?,
                None => (free(&self.bodies[body].name, self.bodies[body].kind), None),
            };
            let turns = parent_joints[body].map_or([0.0; 3], |i| self.joints[i].turns);
            let coordinate = state.coordinates.len();
            let above = super::placed(&state.positions, &state.rotations, parent);
            let here = (&state.positions[slot], &state.rotations[slot]);
            let found = read_coordinates(&joint, &joint.frame(above, here, &[]), &turns);
            state.coordinates.extend(found);
            let taken = joint.dofs();
            let (mass, inertia) = (self.bodies[body].mass, self.bodies[body].inertia);
            links.push(Link { body, parent, joint, dof, coordinate, mass, inertia });
            dof += taken;
        }
        state.momenta = vec![0.0; dof];
        Ok(links)
    }

    /// Joints that close loops, sorted by group, with the forces along them; in a model without a tree their coordinates are added to
    /// the state.
    fn closures(
        &self,
        slots: &[Option<usize>],
        group_of: impl Fn(usize) -> usize,
        state: &mut State,
    ) -> Result<(Vec<Closure>, Vec<JointForce>), ModelError> {
        let mut closures = Vec::new();
        for (index, spec) in self.loops.iter().enumerate() {
            let (joint, parent) = self.resolve(spec, slots)?;
            // The child of a loop moves: checked with the joints.
            let Some(child) = slots[spec.child.0] else { continue };
            closures.push((index, Closure { joint, parent, child, coordinate: None }));
        }
        closures.sort_by_key(|(_, closure)| group_of(closure.child));
        let mut forces = self.closure_forces.clone();
        for force in &mut forces {
            force.slot = closures.iter().position(|(index, _)| *index == force.slot).unwrap_or(0);
        }
        if self.open {
            for (index, closure) in &mut closures {
                let parent = super::placed(&state.positions, &state.rotations, closure.parent);
                let child = (&state.positions[closure.child], &state.rotations[closure.child]);
                let frame = closure.joint.frame(parent, child, &[]);
                closure.coordinate = Some(state.coordinates.len());
                state.coordinates.extend(read_coordinates(&closure.joint, &frame, &self.loops[*index].turns));
            }
        }
        Ok((closures.into_iter().map(|(_, closure)| closure).collect(), forces))
    }

    /// Forces on moving bodies with the groups of these bodies, sorted by group.
    fn grouped_forces(
        &self,
        contacts: Option<&Arc<ContactGeometry>>,
        slots: &[Option<usize>],
        group_of: impl Fn(usize) -> usize,
    ) -> Result<Vec<(usize, Force)>, ModelError> {
        let mut keyed = Vec::new();
        for mut force in self.forces.iter().cloned() {
            let mut group = None;
            force.resolve_bodies(&self.bodies).map_err(|error| error.of(&force.name))?;
            for anchor in force.anchors_mut() {
                self.resolve_anchor(anchor, slots);
                group = group.or(anchor.body.map(&group_of));
            }
            // A force between fixed bodies is left out.
            keyed.extend(group.map(|group| (group, force)));
        }
        if let Some(force) = self.contact_potential(contacts)? {
            let mut group = None;
            force.for_each_slot(&mut |slot| group = Some(group_of(slot)));
            keyed.extend(group.map(|group| (group, force)));
        }
        keyed.sort_by_key(|(group, _)| *group);
        Ok(keyed)
    }

    /// Forces along joints at the slots of the joints' children, sorted by group.
    fn joint_forces_by_group(
        &self,
        slots: &[Option<usize>],
        links: &[Link],
        group_of: impl Fn(usize) -> usize,
    ) -> Result<Vec<JointForce>, ModelError> {
        let mut joint_forces = self.joint_forces.clone();
        for force in &mut joint_forces {
            let spec = &self.joints[force.slot];
            let Some(slot) = slots[spec.child.0] else { continue };
            let count = links[slot].joint.coordinates();
            if force.coordinate >= count {
                return Err(ModelError::Coordinate {
                    force: force.name.clone(),
                    joint: spec.name.clone(),
                    coordinates: count,
                    asked: force.coordinate,
                });
            }
            force.slot = slot;
        }
        joint_forces.sort_by_key(|force| group_of(force.slot));
        Ok(joint_forces)
    }

    /// Contact geometry, for bodies with slots.
    fn contacts(
        &self,
        slots: &[Option<usize>],
        links: &[Link],
    ) -> Result<Option<Arc<ContactGeometry>>, ModelError> {
        let Some(spec) = &self.contact else { return Ok(None) };
        let tied = self.joints.iter().chain(&self.loops);
        let joined: Vec<(usize, usize)> =
            tied.filter_map(|joint| joint.parent.map(|parent| (parent.0, joint.child.0))).collect();
        Ok(Some(Arc::new(ContactGeometry::build(spec, &self.bodies, &self.placed, slots, links, &joined)?)))
    }

    /// The contact potential, if there is one and any pair may collide.
    fn contact_potential(
        &self,
        contacts: Option<&Arc<ContactGeometry>>,
    ) -> Result<Option<Force>, ModelError> {
        let potential = self.contact.as_ref().and_then(|contact| contact.potential);
        let law = contacts.zip(potential).and_then(|(c, p)| ContactPotential::new(c.clone(), p));
        let Some(law) = law else { return Ok(None) };
        let name = CONTACT_POTENTIAL.to_owned();
        let mut taken = self.forces.iter().map(|f| &f.name).chain(self.joint_forces.iter().map(|f| &f.name));
        match taken.any(|other| *other == name) {
            true => Err(ModelError::Duplicate { what: "forces", name }),
            false => Ok(Some(Force { name, law: ForceLaw::Contact(law) })),
        }
    }

    fn resolve_anchor(&self, anchor: &mut Anchor, slots: &[Option<usize>]) {
        let Some(body) = anchor.body else { return };
        *anchor = match slots[body] {
            Some(slot) => Anchor { body: Some(slot), arm: self.bodies[body].arm(&anchor.arm) },
            None => Anchor { body: None, arm: self.placed[body].point(&anchor.arm) },
        };
    }
}

/// The joint of a body without parent.
fn free(name: &str, kind: BodyKind) -> Joint {
    let frame = Frame { point: Vec3::zeros(), axes: Mat3::identity() };
    Joint {
        name: format!("{name} (free)"),
        kind: JointKind::Free,
        parent_frame: frame,
        child_frame: frame,
        length: 0.0,
        particle: kind == BodyKind::Particle,
        limits: [None; 3],
    }
}

/// Joint coordinates from the frame of a joint, with whole turns added to the angles.
pub(super) fn read_coordinates(joint: &Joint, frame: &JointFrame, turns: &[f64; 3]) -> Vec<f64> {
    let (found, count) = joint.read_coordinates(frame);
    let mut found = found[..count].to_vec();
    for (i, value) in found.iter_mut().enumerate() {
        if joint.kind.is_angle(i) {
            *value += turns[i] * std::f64::consts::TAU;
        }
    }
    found
}
