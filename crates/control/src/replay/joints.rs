//! Joints that contacts of a plan make, in a simulation: loops on the model that enter and leave at their nodes.
//!
//! ```text
//! node where one enters     the point is where it is; momenta lose what the joints do not allow, a plastic impact
//! interval                  one step of the model with a loop for each joint that holds
//! node where one leaves     nothing jumps
//! ```
//!
//! The variational scheme keeps velocities within what loops allow at the ends of its steps, as the plan does where a joint enters or leaves: both solve the same equations. Bodies that a
//! joint holds do not collide, nor in the intervals just before it enters and after it leaves, where a rounding decides whether they touch. Whether a foothold only pushes is not enforced:
//! it is looked at.

use super::ReplayError;
use crate::plan::{ContactJoint, Plan, PlannedContact};
use crate::transcription::{Frozen, ResolvedContact};
use percussion_geometry::Vec3;
use percussion_mechanics::discrete::Reactions;
use percussion_mechanics::joint::{Frame, Joint, JointKind};
use percussion_mechanics::rotation::Mat3;
use percussion_mechanics::spatial::{angular, linear};
use percussion_mechanics::tree::Closure;
use percussion_mechanics::{Model, State};

/// How far the point that a joint holds may move in a plan, m, relative to the size of its part: beyond that it is another one.
const HELD: f64 = 1e-6;
/// Part of a length by which those of two intervals may differ that count as equal.
const EVEN: f64 = 1e-9;

/// A joint that a contact made, as the simulation found it.
#[derive(Clone, Debug, PartialEq)]
pub struct Made {
    /// The contact's name.
    pub name: String,
    /// What the joint holds.
    pub tie: ContactJoint,
    /// The bodies, by their places in the list; the first one moves.
    pub bodies: (usize, usize),
    /// Where it holds, m.
    pub point: Vec3,
    /// Normal of the contact, from the second body to the first.
    pub normal: Vec3,
    /// The nodes where it entered, and where it is to leave if it is.
    pub nodes: (usize, Option<usize>),
    /// When that was planned, s.
    pub times: (f64, Option<f64>),
    /// The impulse on the first body with which it entered, N s.
    pub impulse: Vec3,
    /// Kinetic energy of all bodies before and after that, J.
    pub energy: (f64, f64),
    /// Normal velocity of its point before and after that, m/s.
    pub speed: (f64, f64),
    /// Of a foothold, how far it was from its cone of friction.
    pub cone: Option<Cone>,
}

/// How far the impulses and forces of a foothold were outside of the cone of friction: `|f_t| - μ f_n`, negative inside.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Cone {
    /// The coefficient of friction.
    pub friction: f64,
    /// Of the impulse with which it entered, N s.
    pub blow: f64,
    /// The greatest one of its forces at nodes between its ends, N; `None` if it was not looked at.
    pub force: Option<f64>,
}

impl Cone {
    fn excess(&self, force: &Vec3, normal: &Vec3) -> f64 {
        let along = force.dot(normal);
        (force - normal * along).norm() - self.friction * along
    }
}

/// A joint of the plan.
struct Planned {
    meeting: PlannedContact,
    tie: ContactJoint,
    last: usize,
    child: usize,
    parent: Option<usize>,
    /// The point of the child that is held, in its principal frame.
    arm: Vec3,
    pair: (usize, usize),
    feature: Frozen,
    /// Whether the child is the first body of the pair: normals point to it.
    first: bool,
    times: (f64, Option<f64>),
    /// The loop, and its place among what was made, once it has entered.
    made: Option<(Closure, usize)>,
}

impl Planned {
    /// Whether it holds in the interval that begins at a node.
    fn holds(&self, node: usize) -> bool {
        (self.meeting.node..self.last).contains(&node)
    }

    /// Whether its bodies touch at an end of that interval.
    fn touches(&self, node: usize) -> bool {
        (self.meeting.node..=self.last + 1).contains(&(node + 1))
    }

    fn held(&self, state: &State) -> Vec3 {
        state.principal_pose(self.child).point(&self.arm)
    }

    /// The point that is held as the parent sees it.
    fn seen(&self, state: &State) -> Vec3 {
        let point = self.held(state);
        self.parent.map_or(point, |slot| state.principal_pose(slot).inverse_point(&point))
    }

    /// How the child is turned as the parent sees it.
    fn turned(&self, state: &State) -> Mat3 {
        let from = self.parent.map_or_else(Mat3::identity, |slot| state.rotations[slot].transpose());
        from * state.rotations[self.child]
    }

    /// Whether what it holds stays where it is in the plan.
    fn check(&self, nodes: &[State], most: f64) -> Result<(), ReplayError> {
        let place = self.seen(&nodes[0]);
        let turn = self.turned(&nodes[0]);
        let arm = if self.tie == ContactJoint::Rigid { self.arm.norm() } else { 0.0 };
        let moved = nodes
            .iter()
            .map(|node| (self.seen(node) - place).norm().max(arm * (self.turned(node) - turn).norm()));
        let moved = moved.fold(0.0, f64::max);
        match moved <= most {
            true => Ok(()),
            false => Err(ReplayError::Slips { name: self.meeting.name.clone(), moved }),
        }
    }

    /// The loop that holds its bodies as they are in a state.
    fn closed(&self, model: &Model, state: &State) -> Closure {
        let axes = self.turned(state);
        let kind = if self.tie == ContactJoint::Rigid { JointKind::Fixed } else { JointKind::Spherical };
        let joint = Joint {
            name: self.meeting.name.clone(),
            kind,
            parent_frame: Frame { point: self.seen(state), axes },
            child_frame: Frame { point: self.arm, axes: Mat3::identity() },
            length: 0.0,
            particle: model.links[self.child].joint.particle,
            limits: [None; 3],
        };
        Closure { joint, parent: self.parent, child: self.child }
    }

    /// Normal of the contact, towards the child.
    fn normal(&self, model: &Model, state: &State) -> Vec3 {
        let Some(contacts) = &model.contacts else { return Vec3::zeros() };
        let pose = |part: usize| contacts.parts[part].body_pose(state);
        let normal = self.feature.read((&pose(self.pair.0), &pose(self.pair.1))).normal;
        if self.first { normal } else { -normal }
    }

    /// Whether a loop is its own.
    fn is(&self, closure: &Closure) -> bool {
        self.made.as_ref().is_some_and(|(own, _)| {
            let (mine, other) = (&own.joint, &closure.joint);
            let frames = (mine.parent_frame, mine.child_frame) == (other.parent_frame, other.child_frame);
            mine.name == other.name && own.child == closure.child && frames
        })
    }

    /// What is to be told of it, entering between two states with an impulse.
    fn report(&self, model: &Model, (before, after): (&State, &State), impulse: Vec3) -> Made {
        let energy = |state: &State| {
            let rates = model.rates(state);
            0.5 * rates.iter().zip(&state.momenta).map(|(v, p)| v * p).sum::<f64>()
        };
        let normal = self.normal(model, before);
        let cone = self.meeting.foothold().map(|friction| {
            let cone = Cone { friction, blow: 0.0, force: None };
            Cone { blow: cone.excess(&impulse, &normal), ..cone }
        });
        Made {
            name: self.meeting.name.clone(),
            tie: self.tie,
            bodies: self.meeting.bodies,
            point: self.held(before),
            normal,
            nodes: (self.meeting.node, self.meeting.released),
            times: self.times,
            impulse,
            energy: (energy(before), energy(after)),
            speed: (self.speed(model, before, &normal), self.speed(model, after, &normal)),
            cone,
        }
    }

    /// Velocity of the point of the child along the normal, from the parent or the world, m/s.
    fn speed(&self, model: &Model, state: &State, normal: &Vec3) -> f64 {
        let (twists, point) = (model.twists(state), self.held(state));
        let velocity = |slot: usize| {
            linear(&twists[slot]) + angular(&twists[slot]).cross(&(point - state.positions[slot]))
        };
        let from = self.parent.map_or_else(Vec3::zeros, velocity);
        normal.dot(&(velocity(self.child) - from))
    }
}

/// The model of a replay from interval to interval.
pub struct Joints {
    model: Model,
    joints: Vec<Planned>,
    /// The model of the present interval.
    present: Option<Model>,
    made: Vec<Made>,
    /// The last two states that one interval after the other has led to without a break.
    trail: Vec<State>,
    reactions: Reactions,
}

impl Joints {
    /// Of a plan and its nodes, for its model under efforts.
    pub fn new(plan: &Plan, nodes: &[State], model: Model) -> Result<Self, ReplayError> {
        let intervals = nodes.len() - 1;
        let mut joints = Vec::new();
        for meeting in &plan.meetings {
            let (Some(tie), last) = (meeting.tie, meeting.last(intervals)) else { continue };
            if meeting.node.max(last) > intervals {
                return Err(ReplayError::Nodes { name: meeting.name.clone(), nodes: nodes.len() });
            }
            let encounter = ResolvedContact::find(&plan.model, meeting, &nodes[meeting.node])?;
            // A contact that was found has parts, and one of them moves.
            let Some(contacts) = &plan.model.contacts else { continue };
            let (p, q) = (&contacts.parts[encounter.pair.0], &contacts.parts[encounter.pair.1]);
            let feature = encounter.features[0];
            let (part, arm, parent) = match p.slot {
                Some(_) => (p, feature.point_a, q.slot),
                None => (q, feature.point_b, None),
            };
            let Some(child) = part.slot else { continue };
            let joint = Planned {
                meeting: meeting.clone(),
                tie,
                last,
                child,
                parent,
                arm,
                pair: encounter.pair,
                feature,
                first: p.slot.is_some(),
                times: (nodes[meeting.node].time, meeting.released.map(|node| nodes[node].time)),
                made: None,
            };
            joint.check(&nodes[meeting.node..=last], HELD * part.radius)?;
            joints.push(joint);
        }
        let (made, trail, reactions) = (Vec::new(), Vec::new(), Reactions::default());
        Ok(Self { model, joints, present: None, made, trail, reactions })
    }

    /// The model of the interval that begins at a node, if it is another one than before; momenta lose what joints that enter do not allow.
    pub fn enter(&mut self, node: usize, state: &mut State) -> Option<Model> {
        let of = |joint: &Planned, node: usize| (joint.holds(node), joint.touches(node));
        let changes = |joint: &Planned| match node {
            0 => of(joint, 0) != (false, false),
            node => of(joint, node) != of(joint, node - 1),
        };
        if !self.joints.iter().any(changes) {
            return None;
        }
        let entering = self.joints.iter_mut().filter(|joint| joint.meeting.node == node);
        for (place, joint) in (self.made.len()..).zip(entering) {
            joint.made = Some((joint.closed(&self.model, state), place));
        }
        let held = self.joints.iter().filter(|joint| joint.holds(node));
        let closures: Vec<Closure> = held.filter_map(|joint| Some(joint.made.as_ref()?.0.clone())).collect();
        let touching = self.joints.iter().filter(|joint| joint.touches(node));
        let touching: Vec<(usize, usize)> = touching.map(|joint| joint.meeting.bodies).collect();
        let model = self.model.with_loops(&closures).without_contact(&touching);
        let entering = self.joints.iter().filter(|joint| joint.meeting.node == node);
        if entering.clone().next().is_some() {
            let before = state.clone();
            let impulses = model.apply_plastic_impact(state);
            for joint in entering {
                let at = model.closures.iter().position(|own| joint.is(own));
                let impulse = at.map_or_else(Vec3::zeros, |at| impulses[at]);
                self.made.push(joint.report(&model, (&before, state), impulse));
            }
        }
        self.trail.clear();
        self.trail.push(state.clone());
        self.present = Some(model.clone());
        Some(model)
    }

    /// Looks at the forces of footholds after a step, or only notes that one was broken by a collision.
    pub fn look(&mut self, state: &State, broken: bool) {
        let Some(model) = &self.present else { return };
        if broken {
            self.trail.clear();
        }
        if let [before, now] = &self.trail[..] {
            let (h, next) = (now.time - before.time, state.time - now.time);
            let even = (h - next).abs() <= EVEN * h.abs();
            // Forces that have values in the steps have them here.
            if even && self.reactions.read(model, before, now, state, h).is_ok() {
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

    /// The joints that have been made so far.
    pub fn made(&self) -> &[Made] {
        &self.made
    }
}
