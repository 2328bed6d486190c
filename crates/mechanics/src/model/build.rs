//! From what a scene says to a [`Model`] and its first [`State`].
//!
//! Order of work: joints are checked and hung into a forest (a body without a joint is free), bodies are grouped into
//! islands and numbered, frames move to principal axes, joint coordinates are read off the placements, momenta
//! follow from velocities (`start`).

use super::initial_momenta::{self, Velocity};
use super::island::Groups;
use super::{Island, Model, ModelError, check};
use crate::body::{Body, BodyId, BodyKind};
use crate::contact::{ContactGeometry, ContactSpec};
use crate::force::{Anchor, ContactPotential, Force, ForceLaw, JointForce};
use crate::joint::{Frame, Joint, JointFrame, JointKind, Limits};
use crate::model::State;
use crate::rotation::Mat3;
use crate::tree::{Closure, Link};
use nalgebra::Rotation3;
use percussion_geometry::{Pose, Vec3};
use std::sync::Arc;

/// The name of the force that contact is where it is a potential.
const CONTACT_POTENTIAL: &str = "contact potential";

/// A joint's place in the list of tree joints.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct JointId(pub usize);

/// A joint as a scene describes it.
#[derive(Clone, Debug)]
pub struct JointSpec {
    /// Its name.
    pub name: String,
    /// What it lets the child do.
    pub kind: JointKind,
    /// The body it hangs on; `None` is the world.
    pub parent: Option<BodyId>,
    /// The body that hangs.
    pub child: BodyId,
    /// The joint's frame in the parent's own frame (or in the world).
    pub on_parent: Pose,
    /// The joint's frame in the child's own frame.
    pub on_child: Pose,
    /// Length of a rod, m; `None` takes the distance of the two points.
    pub length: Option<f64>,
    /// Whole turns to add to the angles read off the placements (which lie within half a turn).
    pub turns: [f64; 3],
    /// Bounds on the coordinates.
    pub limits: [Option<Limits>; 3],
}

impl JointSpec {
    /// A joint at a frame given in the world, for bodies placed where they are.
    pub fn at(
        name: &str,
        kind: JointKind,
        parent: Option<(BodyId, &Pose)>,
        child: (BodyId, &Pose),
        frame: &Pose,
    ) -> Self {
        let seen_from = |pose: &Pose| {
            Pose::new(pose.rotation.inverse() * frame.rotation, pose.inverse_point(&frame.position))
        };
        Self {
            name: name.to_owned(),
            kind,
            parent: parent.map(|(id, _)| id),
            child: child.0,
            on_parent: parent.map_or(*frame, |(_, pose)| seen_from(pose)),
            on_child: seen_from(child.1),
            length: None,
            turns: [0.0; 3],
            limits: [None; 3],
        }
    }
}

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
    pub(super) gravity: Vec3,
    pub(super) contact: Option<ContactSpec>,
    pub(super) project: bool,
}

impl ModelBuilder {
    /// Nothing yet.
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

    /// Lets bodies meet. Bodies that a joint ties directly do so only where a rule says it.
    pub fn contact(&mut self, contact: ContactSpec) {
        self.contact = Some(contact);
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

    /// Adds a force; its anchors name bodies by their place in the list and points in the bodies' own frames.
    pub fn force(&mut self, force: Force) {
        self.forces.push(force);
    }

    /// Adds a force along a joint; its slot is the joint's place in the list.
    pub fn joint_force(&mut self, force: JointForce) {
        self.joint_forces.push(force);
    }

    /// Sets uniform gravity, m/s².
    pub fn gravity(&mut self, gravity: Vec3) {
        self.gravity = gravity;
    }

    /// Velocities that joints do not allow are projected to the nearest that they do, in the metric of the masses.
    pub fn project(&mut self, project: bool) {
        self.project = project;
    }

    /// The point of a body where its centre of mass is, for forces that act there.
    pub fn centre(&self, body: BodyId) -> Anchor {
        Anchor { body: Some(body.0), arm: self.bodies[body.0].principal.position }
    }

    /// Where a body is placed.
    pub fn pose(&self, body: BodyId) -> Pose {
        self.placed[body.0]
    }

    /// Builds the model and its first state.
    pub fn build(self) -> Result<(Model, State), ModelError> {
        self.check_ids()?;
        self.check_names()?;
        self.check_numbers()?;
        self.check_forces()?;
        self.check_driven()?;
        let hung = self.hang()?;
        let order = self.order(&hung)?;
        self.assemble(&hung, order)
    }

    /// Which joint each body hangs on.
    fn hang(&self) -> Result<Vec<Option<usize>>, ModelError> {
        let mut hung: Vec<Option<usize>> = vec![None; self.bodies.len()];
        for (i, joint) in self.joints.iter().chain(&self.loops).enumerate() {
            let child = &self.bodies[joint.child.0];
            if joint.parent == Some(joint.child) {
                return Err(ModelError::ToItself { joint: joint.name.clone(), body: child.name.clone() });
            }
            if !child.moves() {
                return Err(ModelError::FixedChild { joint: joint.name.clone(), body: child.name.clone() });
            }
            if child.kind == BodyKind::Particle && !joint.kind.suits_particle() {
                return Err(ModelError::Particle {
                    joint: joint.name.clone(),
                    kind: joint.kind.word(),
                    body: child.name.clone(),
                });
            }
            if i >= self.joints.len() {
                continue;
            }
            if let Some(first) = hung[joint.child.0] {
                return Err(ModelError::TwoParents {
                    body: child.name.clone(),
                    first: self.joints[first].name.clone(),
                    second: joint.name.clone(),
                });
            }
            hung[joint.child.0] = Some(i);
        }
        // Walking up from any body must end.
        for start in 0..self.bodies.len() {
            let mut at = start;
            for _ in 0..=self.bodies.len() {
                match hung[at].and_then(|joint| self.joints[joint].parent) {
                    Some(parent) => at = parent.0,
                    None => break,
                }
                if at == start {
                    let joint = hung[at].map_or_else(String::new, |joint| self.joints[joint].name.clone());
                    return Err(ModelError::Cycle { body: self.bodies[at].name.clone(), joint });
                }
            }
        }
        Ok(hung)
    }

    pub(super) fn moving(&self, id: Option<BodyId>) -> Option<usize> {
        id.map(|id| id.0).filter(|&body| self.bodies[body].moves())
    }

    /// Bodies in slot order, with the group of each.
    fn order(&self, hung: &[Option<usize>]) -> Result<Vec<(usize, usize)>, ModelError> {
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
            while let Some(parent) = hung[body].and_then(|joint| self.moving(self.joints[joint].parent)) {
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
        let (on_parent, parent) = match spec.parent {
            None => (spec.on_parent, None),
            Some(id) => match slots[id.0] {
                Some(slot) => (to_principal(&self.bodies[id.0], &spec.on_parent), Some(slot)),
                None => (self.placed[id.0].then(&spec.on_parent), None),
            },
        };
        let points = (
            spec.parent
                .map_or(spec.on_parent.position, |id| self.placed[id.0].point(&spec.on_parent.position)),
            self.placed[spec.child.0].point(&spec.on_child.position),
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
        let mut on_child = Frame::of(&to_principal(child, &spec.on_child));
        if particle {
            // Its axes follow the parent-side ones from where they are now, whatever the author's are.
            let above = spec.parent.map_or_else(Rotation3::identity, |id| self.placed[id.0].rotation);
            on_child.axes = *(above * spec.on_parent.rotation).matrix();
        }
        let joint = Joint {
            name: spec.name.clone(),
            kind: spec.kind,
            on_parent: Frame::of(&on_parent),
            on_child,
            length,
            particle,
            limits: spec.limits,
        };
        Ok((joint, parent))
    }

    fn assemble(
        self,
        hung: &[Option<usize>],
        order: Vec<(usize, usize)>,
    ) -> Result<(Model, State), ModelError> {
        let mut slots = vec![None; self.bodies.len()];
        for (slot, &(_, body)) in order.iter().enumerate() {
            slots[body] = Some(slot);
        }
        let poses: Vec<Pose> =
            order.iter().map(|&(_, body)| self.bodies[body].principal_pose(&self.placed[body])).collect();
        let mut state = State {
            time: 0.0,
            steps: 0,
            positions: poses.iter().map(|pose| pose.position).collect(),
            // A particle has no orientation: the engine starts it with the world's axes.
            rotations: poses
                .iter()
                .zip(&order)
                .map(|(pose, &(_, body))| match self.bodies[body].kind {
                    BodyKind::Particle => Mat3::identity(),
                    _ => *pose.rotation.matrix(),
                })
                .collect(),
            coordinates: Vec::new(),
            momenta: Vec::new(),
        };
        let mut links = Vec::with_capacity(order.len());
        let mut dof = 0;
        for (slot, &(_, body)) in order.iter().enumerate() {
            let (joint, parent) = match hung[body] {
                Some(i) => self.resolve(&self.joints[i], &slots)?,
                None => (free(&self.bodies[body].name, self.bodies[body].kind), None),
            };
            let turns = hung[body].map_or([0.0; 3], |i| self.joints[i].turns);
            let coordinate = state.coordinates.len();
            let above = super::placed(&state.positions, &state.rotations, parent);
            let here = (&state.positions[slot], &state.rotations[slot]);
            let found = read_coordinates(&joint, &joint.stand(above, here, &[]), &turns);
            state.coordinates.extend(found);
            let taken = joint.dofs();
            links.push(Link {
                body,
                parent,
                joint,
                dof,
                coordinate,
                mass: self.bodies[body].mass,
                inertia: self.bodies[body].inertia,
            });
            dof += taken;
        }
        state.momenta = vec![0.0; dof];
        let coordinates = state.coordinates.len();
        let group_of = |slot: usize| order[slot].0;

        let mut closures = Vec::new();
        for spec in &self.loops {
            let (joint, parent) = self.resolve(spec, &slots)?;
            // The child of a loop moves: checked when joints were hung.
            let Some(child) = slots[spec.child.0] else { continue };
            closures.push(Closure { joint, parent, child });
        }
        closures.sort_by_key(|closure| group_of(closure.child));

        let contacts = self.contacts(&slots, &links)?;
        let mut forces = self.forces.clone();
        let mut keyed = Vec::new();
        for mut force in forces.drain(..) {
            let mut group = None;
            force.settle(&self.bodies).map_err(|error| error.of(&force.name))?;
            for anchor in force.anchors_mut() {
                self.resolve_anchor(anchor, &slots);
                group = group.or(anchor.body.map(group_of));
            }
            // A force between fixed things moves nothing.
            keyed.extend(group.map(|group| (group, force)));
        }
        if let Some(force) = self.contact_potential(contacts.as_ref())? {
            let mut group = None;
            force.for_each_slot(&mut |slot| group = Some(group_of(slot)));
            keyed.extend(group.map(|group| (group, force)));
        }
        keyed.sort_by_key(|(group, _)| *group);
        let force_groups: Vec<usize> = keyed.iter().map(|(group, _)| *group).collect();
        let forces: Vec<Force> = keyed.into_iter().map(|(_, force)| force).collect();

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
                forces: range(&mut force_groups.iter().copied()),
                joint_forces: range(&mut joint_forces.iter().map(|f| group_of(f.slot))),
                simple: false,
            };
            let alone = to - from == 1
                && hung[order[from].1].is_none()
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
            forces,
            joint_forces,
            islands,
            gravity: self.gravity,
            dofs: dof,
            coordinates,
        };
        check::fit(&model, &state)?;
        initial_momenta::set_momenta(&self, hung, &model, &mut state, self.project)?;
        Ok((model, state))
    }

    /// What may meet, once bodies have slots.
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

    /// Contact as a force, if it is one and anything may meet.
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

/// The joint of a body that hangs on nothing.
fn free(name: &str, kind: BodyKind) -> Joint {
    let frame = Frame { point: Vec3::zeros(), axes: Mat3::identity() };
    Joint {
        name: format!("{name} (free)"),
        kind: JointKind::Free,
        on_parent: frame,
        on_child: frame,
        length: 0.0,
        particle: kind == BodyKind::Particle,
        limits: [None; 3],
    }
}

/// Joint coordinates from where a joint stands, with whole turns added to the angles.
pub(super) fn read_coordinates(joint: &Joint, stand: &JointFrame, turns: &[f64; 3]) -> Vec<f64> {
    let r = &stand.turned;
    let about_z = || r[(1, 0)].atan2(r[(0, 0)]);
    let mut found = match joint.kind {
        JointKind::Revolute => vec![about_z()],
        JointKind::Prismatic => vec![stand.shift.z],
        JointKind::Cylindrical => vec![about_z(), stand.shift.z],
        // R_J = R_x(a) R_y(b): its second column is (0, cos a, sin a), its first row (cos b, 0, sin b).
        JointKind::Universal => vec![r[(2, 1)].atan2(r[(1, 1)]), r[(0, 2)].atan2(r[(0, 0)])],
        JointKind::Planar if joint.particle => vec![stand.shift.x, stand.shift.y],
        JointKind::Planar => vec![stand.shift.x, stand.shift.y, about_z()],
        JointKind::Fixed | JointKind::Spherical | JointKind::Free | JointKind::Rod => Vec::new(),
    };
    for (i, value) in found.iter_mut().enumerate() {
        if joint.kind.is_angle(i) {
            *value += turns[i] * std::f64::consts::TAU;
        }
    }
    found
}
