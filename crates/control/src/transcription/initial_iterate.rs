//! A candidate from a path: momenta and impulses follow from configurations and efforts.

use super::Transcription;
use super::contact::{ContactGroup, GroupStage, ImpulseDirections, contact_groups};
use super::variables::{Iterate, NONE};
use percussion_mechanics::discrete::displace;

impl Transcription {
    /// A candidate from configurations, efforts (by interval) and time scales; momenta and impulses follow from them.
    pub fn initial_iterate(
        &mut self,
        nodes: Vec<percussion_mechanics::State>,
        inputs: &[f64],
        time_scales: &[f64],
    ) -> Iterate {
        let indices = self.problem.indices.clone();
        let mut point = Iterate { nodes, scalars: vec![0.0; indices.count], planes: Vec::new() };
        self.add_planes(&mut point);
        let last = self.problem.plan.intervals;
        for (node, boundary) in [(0, &self.problem.plan.start), (last, &self.problem.plan.end)] {
            for (island, fixed) in self.problem.plan.model.islands.iter().zip(&boundary.fixed) {
                if *fixed {
                    let zero = vec![0.0; island.dofs.len()];
                    displace(
                        &self.problem.plan.model,
                        island,
                        &boundary.state,
                        &zero,
                        &mut point.nodes[node],
                    );
                }
            }
        }
        let m = self.problem.plan.components();
        for (k, &first) in indices.inputs.iter().enumerate() {
            point.scalars[first..first + m].copy_from_slice(&inputs[k * m..(k + 1) * m]);
        }
        if indices.time_scales != NONE {
            point.scalars[indices.time_scales..indices.time_scales + time_scales.len()]
                .copy_from_slice(time_scales);
        }
        let plan = self.problem.plan.clone();
        let mut time = plan.start.state.time;
        for k in 0..=plan.intervals {
            point.nodes[k].time = time;
            if k < plan.intervals {
                time += indices.length(&plan, &point, k);
            }
        }
        // Momenta as the intervals before (at the start: after) have them.
        for (k, momenta) in indices.momenta.iter().enumerate() {
            for (island, &first) in momenta.iter().enumerate().filter(|(_, first)| **first != NONE) {
                let found = match k {
                    0 => self.momenta(&point, 0, island).map(|(before, _)| before),
                    k => self.momenta(&point, k - 1, island).map(|(_, after)| after),
                };
                if let Ok(found) = found {
                    point.scalars[first..first + found.len()].copy_from_slice(&found);
                }
            }
        }
        let groups = contact_groups(&plan, &self.set);
        for (group, &first) in groups.iter().zip(&indices.impulses) {
            // A small positive normal impulse: inside of its bound. ContactGeometry share it, and that of a face acts in its middle.
            let mut at = first;
            for (e, constraint) in group.constraints.iter().enumerate() {
                if constraint.directions.has_normal() {
                    point.scalars[at] = self.share(group, e) * self.likely_impulse(&point, group);
                }
                at += constraint.directions.count();
            }
        }
        point
    }

    /// Gives a candidate the planes that it does not have yet, where the set-up begins with them.
    pub fn add_planes(&self, point: &mut Iterate) {
        point.scalars.resize(self.problem.indices.count, 0.0);
        let known = point.planes.len();
        let planes = self.set.planes().zip(&self.problem.indices.planes).skip(known);
        for (plane, first) in planes {
            point.planes.push(plane.normal);
            point.scalars[first + plane.rotations()] = plane.height;
        }
    }

    /// The events of a contact at its own node: the first variable of the impulses of each, and where they act.
    pub(crate) fn impulses_of(&self, contact: usize) -> impl Iterator<Item = (usize, ImpulseDirections)> {
        let groups = contact_groups(&self.problem.plan, &self.set);
        let node = self.problem.plan.contacts[contact].node;
        let mut found = Vec::new();
        for (group, &first) in groups.into_iter().zip(&self.problem.indices.impulses) {
            let mut next = first;
            for (own, constraint) in group.contacts.into_iter().zip(group.constraints) {
                let count = constraint.directions.count();
                if own == contact && group.node == node && group.stage == GroupStage::Impact {
                    found.push((next, constraint.directions));
                }
                next += count;
            }
        }
        found.into_iter()
    }

    /// Which part of a group's impulse an event is likely to have.
    fn share(&self, group: &ContactGroup, constraint: usize) -> f64 {
        let contact = group.contacts[constraint];
        let corner = group.contacts[..constraint].iter().filter(|other| **other == contact).count();
        let mut contacts = group.contacts.clone();
        contacts.sort_unstable();
        contacts.dedup();
        let of_contact = self.set.contacts[contact].shares.get(corner).copied().unwrap_or(1.0);
        of_contact / contacts.len() as f64
    }

    /// How strong a normal impulse is likely to be: what momenta change by at the node.
    fn likely_impulse(&mut self, point: &Iterate, group: &ContactGroup) -> f64 {
        let mut change = 0.0_f64;
        for &island in &group.islands {
            let k = group.node;
            let Ok((_, after)) = self.momenta(point, k - 1, island) else { continue };
            // A joint may hold what has arrived at the end.
            let before = match k == self.problem.plan.intervals {
                true => Ok(vec![0.0; after.len()]),
                false => self.momenta(point, k, island).map(|(before, _)| before),
            };
            let Ok(before) = before else { continue };
            let linear: f64 = after.iter().zip(&before).take(3).map(|(a, b)| (b - a) * (b - a)).sum();
            change = change.max(linear.sqrt());
        }
        change.max(1e-6)
    }
}
