//! Where impulses act: at contacts, and at the nodes of the joints that contacts make.
//!
//! At a node where a joint enters or leaves, three things happen to the momenta of all that hangs together, one after the other, as in the constrained scheme
//! with velocities projected at the ends of phases (RATTLE):
//!
//! ```text
//! ends     p = p⁺ + Σ Dᵀ Λ,   D v = 0      all joints of the interval before: half an interval of their forces
//! jumps    p' = p + Σ Dᵀ Λ,   D v' = 0     all joints of the interval after, where one enters: the blow
//! holds    p⁻ = p' + Σ Dᵀ Λ                all joints of the interval after: their points are together at its end
//! ```
//!
//! At other nodes the first and the last are one impulse, and nothing is said about velocities: `p⁻ = p⁺ + Σ Dᵀ Λ`.

use super::build::Setup;
use super::encounter::ResolvedContact;
use super::local::{Directions, Event, Law};
use crate::plan::{ContactJoint, Drive, Plan, PlannedContact, Slip};

/// What impulses at a node do.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Stage {
    /// Joints hold to the end of the interval before: the unknown momentum is what they leave.
    Ends,
    /// Something meets: the unknown momentum is what arrives.
    Jumps,
    /// Joints hold from the node on.
    Holds,
}

/// Where local events are, before variables have numbers.
pub(super) struct Site {
    pub node: usize,
    pub stage: Stage,
    /// Of each event its meeting.
    pub meetings: Vec<usize>,
    pub events: Vec<Event>,
    pub islands: Vec<usize>,
}

impl Site {
    /// Whether an event is the only one of its meeting here: a point, not one of the corners of a face.
    pub fn single(&self, event: usize) -> bool {
        let own = self.meetings[event];
        self.meetings.iter().filter(|meeting| **meeting == own).count() == 1
    }
}

/// Islands of the bodies of a meeting.
pub(super) fn islands_of(plan: &Plan, meeting: &PlannedContact) -> Vec<usize> {
    let model = &plan.model;
    let slots = [meeting.bodies.0, meeting.bodies.1].into_iter().filter_map(|body| model.slots[body]);
    let mut islands: Vec<usize> =
        slots.map(|slot| model.islands.partition_point(|i| i.bodies.end <= slot)).collect();
    islands.sort_unstable();
    islands.dedup();
    islands
}

impl ResolvedContact {
    /// The events of a contact that makes no joint.
    fn events(&self, meeting: &PlannedContact) -> Vec<Event> {
        let normal = Law::Restitution(meeting.restitution);
        let across = match meeting.slip {
            Slip::Free => Law::None,
            Slip::Sticks => Law::Stop,
            Slip::Friction(mu) if self.slides => Law::Slide(mu),
            Slip::Friction(mu) => Law::Stick(mu),
        };
        // Faces that stick do so if one corner does and nothing turns about the normal: laws at all corners would repeat each other.
        let sticks = across == Law::Stop && self.features.len() > 1;
        let features = self.features.iter().enumerate().map(|(corner, frozen)| {
            let across = if sticks && corner > 0 { Law::None } else { across };
            let directions =
                if across == Law::None { Directions::Normal(*frozen) } else { Directions::Contact(*frozen) };
            Event { pair: self.pair, directions, normal, across }
        });
        let turn = sticks.then(|| Event {
            pair: self.pair,
            directions: Directions::Spin(self.features[0]),
            normal: Law::Stop,
            across: Law::None,
        });
        features.chain(turn).collect()
    }

    fn tie_event(&self, meeting: &PlannedContact, tie: ContactJoint, law: Law) -> Event {
        if meeting.foothold().is_some() {
            // The same three impulses along other axes: the normal one has a sign.
            let directions = Directions::Foothold(self.features[0]);
            return Event { pair: self.pair, directions, normal: law, across: law };
        }
        let (a, b) = (self.features[0].point_a, self.features[0].point_b);
        let directions = match tie {
            ContactJoint::Point => Directions::Point(a, b),
            ContactJoint::Rigid => Directions::Rigid(a, b),
        };
        Event { pair: self.pair, directions, normal: law, across: Law::None }
    }
}

/// A joint that a contact makes.
struct Joint<'a> {
    meeting: usize,
    encounter: &'a ResolvedContact,
    asked: &'a PlannedContact,
    tie: ContactJoint,
    last: usize,
    islands: Vec<usize>,
}

impl Joint<'_> {
    /// Whether it holds in the interval before a node, and in the one after.
    fn holds(&self, node: usize, intervals: usize) -> (bool, bool) {
        let after = self.asked.node <= node && (node < self.last || self.last == intervals);
        (self.asked.node < node && node <= self.last, after)
    }

    fn event(&self, law: Law) -> Event {
        self.encounter.tie_event(self.asked, self.tie, law)
    }

    fn site(&self, node: usize, stage: Stage, law: Law) -> Site {
        let (meetings, events) = (vec![self.meeting], vec![self.event(law)]);
        Site { node, stage, meetings, events, islands: self.islands.clone() }
    }
}

/// Where impulses act, in the order of time.
pub(super) fn sites(plan: &Plan, setup: &Setup) -> Vec<Site> {
    let mut sites = Vec::new();
    let mut joints = Vec::new();
    for (meeting, (asked, encounter)) in plan.meetings.iter().zip(&setup.encounters).enumerate() {
        let islands = islands_of(plan, asked);
        match asked.tie {
            Some(tie) => {
                let last = asked.last(plan.intervals);
                joints.push(Joint { meeting, encounter, asked, tie, last, islands });
            }
            None => {
                let events = encounter.events(asked);
                let meetings = vec![meeting; events.len()];
                sites.push(Site { node: asked.node, stage: Stage::Jumps, meetings, events, islands });
            }
        }
    }
    for node in 1..plan.intervals {
        let held = |joint: &&Joint| joint.holds(node, plan.intervals) != (false, false);
        for group in groups(joints.iter().filter(held).collect()) {
            let enters = group.iter().any(|joint| joint.asked.node == node);
            let after = || group.iter().filter(|joint| joint.holds(node, plan.intervals).1);
            if enters || group.iter().any(|joint| joint.last == node) {
                let before = group.iter().filter(|joint| joint.holds(node, plan.intervals).0);
                sites.extend(before.map(|joint| joint.site(node, Stage::Ends, Law::Stop)));
            }
            if enters {
                let mut islands: Vec<usize> = after().flat_map(|joint| joint.islands.clone()).collect();
                islands.sort_unstable();
                islands.dedup();
                sites.push(Site {
                    node,
                    stage: Stage::Jumps,
                    meetings: after().map(|joint| joint.meeting).collect(),
                    events: after().map(|joint| joint.event(Law::Stop)).collect(),
                    islands,
                });
            }
            sites.extend(after().map(|joint| joint.site(node, Stage::Holds, Law::None)));
        }
    }
    for joint in joints.iter().filter(|joint| joint.last == plan.intervals) {
        let any = |wanted: &dyn Fn(&Drive) -> bool| joint.islands.iter().any(|&i| wanted(&plan.end.drive[i]));
        if any(&|drive| *drive != Drive::Free) {
            // Momenta that are sought must let the joint rest; given ones do already.
            let sought = any(&|drive| *drive == Drive::Conditioned);
            let law = if sought { Law::Stop } else { Law::None };
            sites.push(joint.site(plan.intervals, Stage::Ends, law));
        }
    }
    sites.sort_by_key(|site| (site.node, site.stage));
    sites
}

/// Joints that hang together by islands they share.
fn groups<'a, 'b>(joints: Vec<&'b Joint<'a>>) -> Vec<Vec<&'b Joint<'a>>> {
    let mut groups: Vec<Vec<&Joint>> = Vec::new();
    for joint in joints {
        let shares = |group: &Vec<&Joint>| {
            group.iter().any(|other| other.islands.iter().any(|island| joint.islands.contains(island)))
        };
        let (mut own, others): (Vec<_>, Vec<_>) = groups.into_iter().partition(shares);
        let mut whole: Vec<&Joint> = own.drain(..).flatten().collect();
        whole.push(joint);
        groups = others;
        groups.push(whole);
    }
    groups
}
