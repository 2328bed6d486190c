//! The initial iterate from a path: momenta and impulses follow from configurations and control inputs.

use super::Transcription;
use super::contact::{ContactGroup, GroupStage, ImpulseDirections, contact_groups};
use super::variables::{Iterate, NONE};
use percussion_mechanics::discrete::displace;

impl Transcription {
    /// The iterate of configurations, control inputs (by interval) and time scales; momenta and impulses follow from them.
    pub fn initial_iterate(
        &mut self,
        nodes: Vec<percussion_mechanics::State>,
        inputs: &[f64],
        time_scales: &[f64],
    ) -> Iterate {
        let indices = self.problem.indices.clone();
        let mut point = Iterate { nodes, scalars: vec![0.0; indices.count], planes: Vec::new() };
        self.add_planes(&mut point);
        let plan = self.problem.plan.clone();
        for (node, boundary) in [(0, &plan.start), (plan.intervals, &plan.end)] {
            for (island, _) in plan.model.islands.iter().zip(&boundary.fixed).filter(|(_, fixed)| **fixed) {
                let zero = vec![0.0; island.dofs.len()];
                displace(&plan.model, island, &boundary.state, &zero, &mut point.nodes[node]);
            }
        }
        let m = plan.components();
        for (k, &first) in indices.inputs.iter().enumerate() {
            point.scalars[first..first + m].copy_from_slice(&inputs[k * m..(k + 1) * m]);
        }
        if indices.time_scales != NONE {
            point.scalars[indices.time_scales..indices.time_scales + time_scales.len()]
                .copy_from_slice(time_scales);
        }
        let times = indices.times(&plan, &point);
        point.nodes.iter_mut().zip(times).for_each(|(node, time)| node.time = time);
        self.set_momenta(&mut point);
        let groups = contact_groups(&plan, &self.set);
        for (group, &first) in groups.iter().zip(&indices.impulses) {
            // A small positive normal impulse, inside of its bound. Contacts share it, and that of a face acts at its middle.
            for (c, (at, _, constraint)) in group.impulses(first).enumerate() {
                if constraint.directions.has_normal() {
                    point.scalars[at] = self.share(group, c) * self.estimated_impulse(&point, group);
                }
            }
        }
        point
    }

    /// Sets unknown momenta to those of the intervals before them, at the start of the interval after it.
    fn set_momenta(&mut self, point: &mut Iterate) {
        let unknown = self.problem.indices.momenta.clone();
        for (k, momenta) in unknown.iter().enumerate() {
            for (island, &first) in momenta.iter().enumerate().filter(|(_, first)| **first != NONE) {
                let found = match k {
                    0 => self.momenta(point, 0, island).map(|(before, _)| before),
                    k => self.momenta(point, k - 1, island).map(|(_, after)| after),
                };
                if let Ok(found) = found {
                    point.scalars[first..first + found.len()].copy_from_slice(&found);
                }
            }
        }
    }

    /// Adds the separating planes that an iterate does not have yet, with their first normals and heights.
    pub fn add_planes(&self, point: &mut Iterate) {
        point.scalars.resize(self.problem.indices.count, 0.0);
        let known = point.planes.len();
        let planes = self.set.planes().zip(&self.problem.indices.planes).skip(known);
        for (plane, first) in planes {
            point.planes.push(plane.normal);
            point.scalars[first + plane.rotations()] = plane.height;
        }
    }

    /// The constraints of a planned contact at its own node: the first variable of the impulses of each, and their directions.
    pub(crate) fn impulses_of(&self, contact: usize) -> impl Iterator<Item = (usize, ImpulseDirections)> {
        let groups = contact_groups(&self.problem.plan, &self.set);
        let node = self.problem.plan.contacts[contact].node;
        let mut found = Vec::new();
        for (group, &first) in groups.iter().zip(&self.problem.indices.impulses) {
            if group.node == node && group.stage == GroupStage::Impact {
                let own = group.impulses(first).filter(|(_, own, _)| *own == contact);
                found.extend(own.map(|(first, _, constraint)| (first, constraint.directions.clone())));
            }
        }
        found.into_iter()
    }

    /// The estimated part of a constraint in the impulse of its group.
    fn share(&self, group: &ContactGroup, constraint: usize) -> f64 {
        let contact = group.contacts[constraint];
        let corner = group.contacts[..constraint].iter().filter(|other| **other == contact).count();
        let mut contacts = group.contacts.clone();
        contacts.sort_unstable();
        contacts.dedup();
        let of_contact = self.set.contacts[contact].shares.get(corner).copied().unwrap_or(1.0);
        of_contact / contacts.len() as f64
    }

    /// An estimate of a normal impulse: the change of momentum at the node.
    fn estimated_impulse(&mut self, point: &Iterate, group: &ContactGroup) -> f64 {
        let mut change = 0.0_f64;
        for &island in &group.islands {
            let k = group.node;
            let Ok((_, after)) = self.momenta(point, k - 1, island) else { continue };
            // At the end a joint stops the bodies.
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
