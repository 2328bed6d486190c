//! Contact groups: contact constraints at one node whose impulses act together. Planned impacts make one, contact joints up to three at
//! every node.
//!
//! At a node where a joint enters or leaves, momenta of connected bodies change in three stages, as in RATTLE, where velocities are projected
//! at the ends of phases:
//!
//! ```text
//! phase end     p = p⁺ + Σ Dᵀ Λ,   D v = 0      all joints of the interval before: half an interval of their forces
//! impact        p' = p + Σ Dᵀ Λ,   D v' = 0     all joints of the interval after, where one enters
//! phase start   p⁻ = p' + Σ Dᵀ Λ                all joints of the interval after: their points coincide at its end
//! ```
//!
//! At other nodes the first and the last are one impulse, without conditions on velocities: `p⁻ = p⁺ + Σ Dᵀ Λ`.

use super::super::assembly::ConstraintSet;
use super::constraint::{ContactConstraint, ImpulseDirections, ImpulseLaw};
use super::resolve::ResolvedContact;
use crate::islands::islands_of;
use crate::plan::{ContactFriction, ContactJoint, MomentumCondition, Plan, PlannedContact};

/// Stage of a node at which impulses act.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(in super::super) enum GroupStage {
    /// Joints at the end of the interval before: the unknown momentum is the one after the impulses.
    PhaseEnd,
    /// Impacts: the unknown momentum is the one before the impulses.
    Impact,
    /// Joints from the node on.
    PhaseStart,
}

/// Contact constraints at a node.
pub(in super::super) struct ContactGroup {
    pub node: usize,
    pub stage: GroupStage,
    /// The planned contact of each constraint.
    pub contacts: Vec<usize>,
    pub constraints: Vec<ContactConstraint>,
    pub islands: Vec<usize>,
}

impl ContactGroup {
    /// Its constraints, each with the first variable of its impulses, of which `first` is the first of all, and its planned contact.
    pub fn impulses(&self, first: usize) -> impl Iterator<Item = (usize, usize, &ContactConstraint)> {
        let mut next = first;
        self.constraints.iter().zip(&self.contacts).map(move |(constraint, &contact)| {
            let own = next;
            next += constraint.directions.count();
            (own, contact, constraint)
        })
    }

    /// Whether a constraint is the only one of its planned contact: a point, not a corner of a face.
    pub fn is_single(&self, constraint: usize) -> bool {
        let own = self.contacts[constraint];
        self.contacts.iter().filter(|contact| **contact == own).count() == 1
    }
}

impl ResolvedContact {
    fn impact_constraints(&self, planned: &PlannedContact) -> Vec<ContactConstraint> {
        let normal = ImpulseLaw::Restitution(planned.restitution);
        let law = match planned.friction {
            ContactFriction::Frictionless => ImpulseLaw::None,
            ContactFriction::Sticking => ImpulseLaw::Stop,
            ContactFriction::Coulomb(mu) if self.slides => ImpulseLaw::Slide(mu),
            ContactFriction::Coulomb(mu) => ImpulseLaw::Stick(mu),
        };
        // Faces stick if one corner does and nothing rotates about the normal: laws at all corners would be redundant.
        let face_sticks = law == ImpulseLaw::Stop && self.features.len() > 1;
        let features = self.features.iter().enumerate().map(|(corner, feature)| {
            let tangential = if face_sticks && corner > 0 { ImpulseLaw::None } else { law };
            let directions = match tangential {
                ImpulseLaw::None => ImpulseDirections::Normal(*feature),
                _ => ImpulseDirections::Contact(*feature),
            };
            ContactConstraint { pair: self.pair, directions, normal, tangential }
        });
        let torsion = face_sticks.then(|| ContactConstraint {
            pair: self.pair,
            directions: ImpulseDirections::Torsion(self.features[0]),
            normal: ImpulseLaw::Stop,
            tangential: ImpulseLaw::None,
        });
        features.chain(torsion).collect()
    }

    /// The constraint of a contact joint.
    fn joint_constraint(
        &self,
        planned: &PlannedContact,
        joint: ContactJoint,
        law: ImpulseLaw,
    ) -> ContactConstraint {
        let pair = self.pair;
        if planned.foothold().is_some() {
            // The same three impulses along other axes: the normal one has a sign.
            let directions = ImpulseDirections::Foothold(self.features[0]);
            return ContactConstraint { pair, directions, normal: law, tangential: law };
        }
        let (a, b) = (self.features[0].point_a, self.features[0].point_b);
        let directions = match joint {
            ContactJoint::Point => ImpulseDirections::Point(a, b),
            ContactJoint::Rigid => ImpulseDirections::Rigid(a, b),
        };
        ContactConstraint { pair, directions, normal: law, tangential: ImpulseLaw::None }
    }
}

/// A joint that a planned contact makes.
struct JointInPlan<'a> {
    contact: usize,
    resolved: &'a ResolvedContact,
    planned: &'a PlannedContact,
    joint: ContactJoint,
    /// The last node where it acts.
    last: usize,
    islands: Vec<usize>,
}

impl JointInPlan<'_> {
    /// Whether it holds in the interval before a node, and in the one after.
    fn holds(&self, node: usize, intervals: usize) -> (bool, bool) {
        let after = self.planned.node <= node && (node < self.last || self.last == intervals);
        (self.planned.node < node && node <= self.last, after)
    }

    fn constraint(&self, law: ImpulseLaw) -> ContactConstraint {
        self.resolved.joint_constraint(self.planned, self.joint, law)
    }

    fn group(&self, node: usize, stage: GroupStage, law: ImpulseLaw) -> ContactGroup {
        let (contacts, constraints) = (vec![self.contact], vec![self.constraint(law)]);
        ContactGroup { node, stage, contacts, constraints, islands: self.islands.clone() }
    }
}

/// The contact groups of a plan, in the order of time.
pub(in super::super) fn contact_groups(plan: &Plan, set: &ConstraintSet) -> Vec<ContactGroup> {
    let mut groups = Vec::new();
    let mut joints = Vec::new();
    for (contact, (planned, resolved)) in plan.contacts.iter().zip(&set.contacts).enumerate() {
        let islands = islands_of(&plan.model, [planned.bodies.0, planned.bodies.1]);
        match planned.joint {
            Some(joint) => {
                let last = planned.last(plan.intervals);
                joints.push(JointInPlan { contact, resolved, planned, joint, last, islands });
            }
            None => {
                let constraints = resolved.impact_constraints(planned);
                let contacts = vec![contact; constraints.len()];
                let (node, stage) = (planned.node, GroupStage::Impact);
                groups.push(ContactGroup { node, stage, contacts, constraints, islands });
            }
        }
    }
    (1..plan.intervals).for_each(|node| add_joint_groups(plan, &joints, node, &mut groups));
    for joint in joints.iter().filter(|joint| joint.last == plan.intervals) {
        let any = |wanted: &dyn Fn(&MomentumCondition) -> bool| {
            joint.islands.iter().any(|&i| wanted(&plan.end.momentum[i]))
        };
        if any(&|momentum| *momentum != MomentumCondition::Free) {
            // Unknown momenta must satisfy the joint; given ones do already.
            let unknown = any(&|momentum| *momentum == MomentumCondition::Conditioned);
            let law = if unknown { ImpulseLaw::Stop } else { ImpulseLaw::None };
            groups.push(joint.group(plan.intervals, GroupStage::PhaseEnd, law));
        }
    }
    groups.sort_by_key(|group| (group.node, group.stage));
    groups
}

/// Adds the groups of contact joints at a node between the ends.
fn add_joint_groups(plan: &Plan, joints: &[JointInPlan], node: usize, groups: &mut Vec<ContactGroup>) {
    let acts = |joint: &&JointInPlan| joint.holds(node, plan.intervals) != (false, false);
    for connected in connected_joints(joints.iter().filter(acts).collect()) {
        let enters = connected.iter().any(|joint| joint.planned.node == node);
        let after = || connected.iter().filter(|joint| joint.holds(node, plan.intervals).1);
        if enters || connected.iter().any(|joint| joint.last == node) {
            let before = connected.iter().filter(|joint| joint.holds(node, plan.intervals).0);
            groups.extend(before.map(|joint| joint.group(node, GroupStage::PhaseEnd, ImpulseLaw::Stop)));
        }
        if enters {
            let mut islands: Vec<usize> = after().flat_map(|joint| joint.islands.clone()).collect();
            islands.sort_unstable();
            islands.dedup();
            groups.push(ContactGroup {
                node,
                stage: GroupStage::Impact,
                contacts: after().map(|joint| joint.contact).collect(),
                constraints: after().map(|joint| joint.constraint(ImpulseLaw::Stop)).collect(),
                islands,
            });
        }
        groups.extend(after().map(|joint| joint.group(node, GroupStage::PhaseStart, ImpulseLaw::None)));
    }
}

/// Joints that are connected by islands they share.
fn connected_joints<'a, 'b>(joints: Vec<&'b JointInPlan<'a>>) -> Vec<Vec<&'b JointInPlan<'a>>> {
    let mut groups: Vec<Vec<&JointInPlan>> = Vec::new();
    for joint in joints {
        let shares = |group: &Vec<&JointInPlan>| {
            group.iter().any(|other| other.islands.iter().any(|island| joint.islands.contains(island)))
        };
        let (mut own, others): (Vec<_>, Vec<_>) = groups.into_iter().partition(shares);
        let mut whole: Vec<&JointInPlan> = own.drain(..).flatten().collect();
        whole.push(joint);
        groups = others;
        groups.push(whole);
    }
    groups
}
