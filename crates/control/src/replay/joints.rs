//! Contact joints in a replay: loop joints of the model that enter and leave at their nodes.
//!
//! ```text
//! node where one enters     the point is the present one; momenta are projected on the joints, a plastic impact
//! interval                  one step of the model with a loop joint for each joint that holds
//! node where one leaves     no jump
//! ```
//!
//! The variational scheme satisfies the velocity constraints of loops at the ends of its steps, as the plan does where a joint enters or leaves:
//! both solve the same equations. Contact between the two bodies is disabled while a joint holds, and in the intervals just before it enters and
//! after it leaves, where it would depend on rounding. The friction cone of a foothold is not enforced: its excess is recorded.

use super::ReplayError;
use crate::clearance::poses;
use crate::plan::{ContactJoint, Plan, PlannedContact};
use crate::tolerances::replay::joints::{EQUAL_LENGTH, MAX_MOTION};
use crate::transcription::ResolvedContact;
use percussion_geometry::Vec3;
use percussion_mechanics::discrete::Reactions;
use percussion_mechanics::joint::{Frame, Joint, JointKind};
use percussion_mechanics::rotation::Mat3;
use percussion_mechanics::spatial::{angular, linear};
use percussion_mechanics::tree::Closure;
use percussion_mechanics::{Model, State};

/// A contact joint in a simulation.
#[derive(Clone, Debug, PartialEq)]
pub struct JointRecord {
    /// The name of its contact.
    pub name: String,
    /// Its kind.
    pub joint: ContactJoint,
    /// The bodies, by their indices in the model; the first one moves.
    pub bodies: (usize, usize),
    /// Its point, m.
    pub point: Vec3,
    /// Normal of the contact, from the second body to the first.
    pub normal: Vec3,
    /// The nodes where it enters and leaves; `None` for the end.
    pub nodes: (usize, Option<usize>),
    /// Their planned times, s.
    pub times: (f64, Option<f64>),
    /// The impulse on the first body when it entered, N s.
    pub impulse: Vec3,
    /// Kinetic energy of all bodies before and after that, J.
    pub energy: (f64, f64),
    /// Normal velocity of its point before and after that, m/s.
    pub speed: (f64, f64),
    /// Of a foothold, the excess over its friction cone.
    pub cone: Option<ConeExcess>,
}

/// The excess of impulses and forces of a foothold over the friction cone: `|f_t| - μ f_n`, negative inside.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ConeExcess {
    /// The coefficient of friction.
    pub friction: f64,
    /// Of the impulse when it entered, N s.
    pub impulse: f64,
    /// The greatest one of its forces at nodes between its ends, N; `None` if there is none.
    pub force: Option<f64>,
}

impl ConeExcess {
    fn excess(&self, force: &Vec3, normal: &Vec3) -> f64 {
        let along = force.dot(normal);
        (force - normal * along).norm() - self.friction * along
    }
}

/// A joint of the plan.
struct PlannedJoint {
    planned: PlannedContact,
    joint: ContactJoint,
    last: usize,
    child: usize,
    parent: Option<usize>,
    /// The point of the child, in its principal frame.
    arm: Vec3,
    resolved: ResolvedContact,
    times: (f64, Option<f64>),
    /// The loop joint and the index of its record, once it has entered.
    made: Option<(Closure, usize)>,
}

impl PlannedJoint {
    /// Whether it holds in the interval that begins at a node.
    fn holds(&self, node: usize) -> bool {
        (self.planned.node..self.last).contains(&node)
    }

    /// Whether contact of its bodies is disabled in that interval.
    fn disables_contact(&self, node: usize) -> bool {
        (self.planned.node..=self.last + 1).contains(&(node + 1))
    }

    fn point(&self, state: &State) -> Vec3 {
        state.principal_pose(self.child).point(&self.arm)
    }

    /// The point in the frame of the parent.
    fn point_in_parent(&self, state: &State) -> Vec3 {
        let point = self.point(state);
        self.parent.map_or(point, |slot| state.principal_pose(slot).inverse_point(&point))
    }

    /// The orientation of the child in the frame of the parent.
    fn rotation_in_parent(&self, state: &State) -> Mat3 {
        let from = self.parent.map_or_else(Mat3::identity, |slot| state.rotations[slot].transpose());
        from * state.rotations[self.child]
    }

    /// Checks that its point, and of a rigid joint its orientation, is constant in the plan.
    fn check(&self, nodes: &[State], most: f64) -> Result<(), ReplayError> {
        let place = self.point_in_parent(&nodes[0]);
        let rotation = self.rotation_in_parent(&nodes[0]);
        let arm = if self.joint == ContactJoint::Rigid { self.arm.norm() } else { 0.0 };
        let moved = nodes.iter().map(|node| {
            (self.point_in_parent(node) - place)
                .norm()
                .max(arm * (self.rotation_in_parent(node) - rotation).norm())
        });
        let moved = moved.fold(0.0, f64::max);
        match moved <= most {
            true => Ok(()),
            false => Err(ReplayError::MovingPoint { name: self.planned.name.clone(), moved }),
        }
    }

    /// The loop joint of its bodies at a state.
    fn loop_joint(&self, model: &Model, state: &State) -> Closure {
        let axes = self.rotation_in_parent(state);
        let kind = if self.joint == ContactJoint::Rigid { JointKind::Fixed } else { JointKind::Spherical };
        let joint = Joint {
            name: self.planned.name.clone(),
            kind,
            parent_frame: Frame { point: self.point_in_parent(state), axes },
            child_frame: Frame { point: self.arm, axes: Mat3::identity() },
            length: 0.0,
            particle: model.links[self.child].joint.particle,
            limits: [None; 3],
        };
        Closure { joint, parent: self.parent, child: self.child, coordinate: None }
    }

    /// Normal of the contact, towards the child.
    fn normal(&self, model: &Model, state: &State) -> Vec3 {
        let Some(contacts) = &model.contacts else { return Vec3::zeros() };
        let pair = self.resolved.pair;
        let normal = self.resolved.features[0].evaluate(&poses(contacts, pair, state)).normal;
        // Normals point to the first body of the pair, which is the child if it moves.
        if contacts.parts[pair.0].slot.is_some() { normal } else { -normal }
    }

    /// Whether a loop joint is its own.
    fn is(&self, closure: &Closure) -> bool {
        self.made.as_ref().is_some_and(|(own, _)| {
            let (mine, other) = (&own.joint, &closure.joint);
            let frames = (mine.parent_frame, mine.child_frame) == (other.parent_frame, other.child_frame);
            mine.name == other.name && own.child == closure.child && frames
        })
    }

    /// Its record, entering between two states with an impulse.
    fn record(&self, model: &Model, (before, after): (&State, &State), impulse: Vec3) -> JointRecord {
        let energy = |state: &State| {
            let rates = model.rates(state);
            0.5 * rates.iter().zip(&state.momenta).map(|(v, p)| v * p).sum::<f64>()
        };
        let normal = self.normal(model, before);
        let cone = self.planned.foothold().map(|friction| {
            let cone = ConeExcess { friction, impulse: 0.0, force: None };
            ConeExcess { impulse: cone.excess(&impulse, &normal), ..cone }
        });
        JointRecord {
            name: self.planned.name.clone(),
            joint: self.joint,
            bodies: self.planned.bodies,
            point: self.point(before),
            normal,
            nodes: (self.planned.node, self.planned.release_node),
            times: self.times,
            impulse,
            energy: (energy(before), energy(after)),
            speed: (self.speed(model, before, &normal), self.speed(model, after, &normal)),
            cone,
        }
    }

    /// Velocity of the point of the child along the normal, from the parent or the world, m/s.
    fn speed(&self, model: &Model, state: &State, normal: &Vec3) -> f64 {
        let (twists, point) = (model.twists(state), self.point(state));
        let velocity = |slot: usize| {
            linear(&twists[slot]) + angular(&twists[slot]).cross(&(point - state.positions[slot]))
        };
        let from = self.parent.map_or_else(Vec3::zeros, velocity);
        normal.dot(&(velocity(self.child) - from))
    }
}

/// The model of a replay from interval to interval.
pub struct ContactJoints {
    model: Model,
    joints: Vec<PlannedJoint>,
    /// The model of the present interval.
    present: Option<Model>,
    made: Vec<JointRecord>,
    /// The last two states without a collision in between.
    trail: Vec<State>,
    reactions: Reactions,
}

impl ContactJoints {
    /// Of a plan and its nodes, for its model with control inputs.
    pub fn new(plan: &Plan, nodes: &[State], model: Model) -> Result<Self, ReplayError> {
        let intervals = nodes.len() - 1;
        let mut joints = Vec::new();
        for planned in &plan.contacts {
            let (Some(joint), last) = (planned.joint, planned.last(intervals)) else { continue };
            if planned.node.max(last) > intervals {
                return Err(ReplayError::Nodes { name: planned.name.clone(), nodes: nodes.len() });
            }
            let resolved = ResolvedContact::find(&plan.model, planned, &nodes[planned.node])?;
            // A resolved contact has parts, and one of them moves.
            let Some(contacts) = &plan.model.contacts else { continue };
            let (part, arm, other) = resolved.held_point(contacts);
            let Some(child) = part.slot else { continue };
            let joint = PlannedJoint {
                planned: planned.clone(),
                joint,
                last,
                child,
                parent: other.slot,
                arm,
                resolved,
                times: (nodes[planned.node].time, planned.release_node.map(|node| nodes[node].time)),
                made: None,
            };
            joint.check(&nodes[planned.node..=last], MAX_MOTION * part.radius)?;
            joints.push(joint);
        }
        let (made, trail, reactions) = (Vec::new(), Vec::new(), Reactions::default());
        Ok(Self { model, joints, present: None, made, trail, reactions })
    }

    /// The model of the interval that begins at a node, if it changes there; momenta are projected on joints that enter.
    pub fn enter(&mut self, node: usize, state: &mut State) -> Option<Model> {
        let of = |joint: &PlannedJoint, node: usize| (joint.holds(node), joint.disables_contact(node));
        let changes = |joint: &PlannedJoint| match node {
            0 => of(joint, 0) != (false, false),
            node => of(joint, node) != of(joint, node - 1),
        };
        if !self.joints.iter().any(changes) {
            return None;
        }
        let entering = self.joints.iter_mut().filter(|joint| joint.planned.node == node);
        for (place, joint) in (self.made.len()..).zip(entering) {
            joint.made = Some((joint.loop_joint(&self.model, state), place));
        }
        let held = self.joints.iter().filter(|joint| joint.holds(node));
        let closures: Vec<Closure> = held.filter_map(|joint| Some(joint.made.as_ref()?.0.clone())).collect();
        let disabled = self.joints.iter().filter(|joint| joint.disables_contact(node));
        let disabled: Vec<(usize, usize)> = disabled.map(|joint| joint.planned.bodies).collect();
        let model = self.model.with_loops(&closures).without_contact(&disabled);
        let entering = self.joints.iter().filter(|joint| joint.planned.node == node);
        if entering.clone().next().is_some() {
            let before = state.clone();
            let impulses = model.apply_plastic_impact(state);
            for joint in entering {
                let at = model.closures.iter().position(|own| joint.is(own));
                let impulse = at.map_or_else(Vec3::zeros, |at| impulses[at]);
                self.made.push(joint.record(&model, (&before, state), impulse));
            }
        }
        self.trail.clear();
        self.trail.push(state.clone());
        self.present = Some(model.clone());
        Some(model)
    }

    /// Records the forces of footholds after a step; a step with a collision has none.
    pub fn record_reactions(&mut self, state: &State, broken: bool) {
        let Some(model) = &self.present else { return };
        if broken {
            self.trail.clear();
        }
        if let [before, now] = &self.trail[..] {
            let (h, next) = (now.time - before.time, state.time - now.time);
            let equal = (h - next).abs() <= EQUAL_LENGTH * h.abs();
            // Forces that are defined in the steps are defined here.
            if equal && self.reactions.read(model, before, now, state, h).is_ok() {
                for joint in &self.joints {
                    let Some((_, place)) = joint.made else { continue };
                    let Some(at) = model.closures.iter().position(|own| joint.is(own)) else { continue };
                    let normal = joint.normal(model, now);
                    if let Some(cone) = &mut self.made[place].cone {
                        let excess = cone.excess(&self.reactions.closure(at).force, &normal);
                        cone.force = Some(cone.force.map_or(excess, |most| most.max(excess)));
                    }
                }
            }
            self.trail.remove(0);
        }
        self.trail.push(state.clone());
    }

    /// The joints that have entered so far.
    pub fn records(&self) -> &[JointRecord] {
        &self.made
    }
}
