//! A candidate from a path: momenta and impulses follow from configurations and efforts.

use super::Transcription;
use super::local::Directions;
use super::point::{NONE, Point};
use super::sites::{Site, Stage, sites};
use percussion_mechanics::discrete::displace;

impl Transcription {
    /// A candidate from configurations, efforts (by interval) and time scales; momenta and impulses follow from them.
    pub fn candidate(
        &mut self,
        nodes: Vec<percussion_mechanics::State>,
        efforts: &[f64],
        scales: &[f64],
    ) -> Point {
        let numbering = self.context.numbering.clone();
        let mut point = Point { nodes, numbers: vec![0.0; numbering.count], planes: Vec::new() };
        self.add_planes(&mut point);
        let last = self.context.plan.intervals;
        for (node, terminal) in [(0, &self.context.plan.start), (last, &self.context.plan.end)] {
            for (island, fixed) in self.context.plan.model.islands.iter().zip(&terminal.fixed) {
                if *fixed {
                    let still = vec![0.0; island.dofs.len()];
                    displace(
                        &self.context.plan.model,
                        island,
                        &terminal.state,
                        &still,
                        &mut point.nodes[node],
                    );
                }
            }
        }
        let m = self.context.plan.components();
        for (k, &first) in numbering.efforts.iter().enumerate() {
            point.numbers[first..first + m].copy_from_slice(&efforts[k * m..(k + 1) * m]);
        }
        if numbering.scales != NONE {
            point.numbers[numbering.scales..numbering.scales + scales.len()].copy_from_slice(scales);
        }
        let plan = self.context.plan.clone();
        let mut time = plan.start.state.time;
        for k in 0..=plan.intervals {
            point.nodes[k].time = time;
            if k < plan.intervals {
                time += numbering.length(&plan, &point, k);
            }
        }
        // Momenta as the intervals before (at the start: after) have them.
        for (k, momenta) in numbering.momenta.iter().enumerate() {
            for (island, &first) in momenta.iter().enumerate().filter(|(_, first)| **first != NONE) {
                let found = match k {
                    0 => self.momenta(&point, 0, island).map(|(before, _)| before),
                    k => self.momenta(&point, k - 1, island).map(|(_, after)| after),
                };
                if let Ok(found) = found {
                    point.numbers[first..first + found.len()].copy_from_slice(&found);
                }
            }
        }
        let sites = sites(&plan, &self.setup);
        for (site, &first) in sites.iter().zip(&numbering.impulses) {
            // A small positive normal impulse: inside of its bound. ContactGeometry share it, and that of a face acts in its middle.
            let mut at = first;
            for (e, event) in site.events.iter().enumerate() {
                if event.directions.pushes() {
                    point.numbers[at] = self.share(site, e) * self.likely_impulse(&point, site);
                }
                at += event.directions.count();
            }
        }
        point
    }

    /// Gives a candidate the planes that it does not have yet, where the set-up begins with them.
    pub fn add_planes(&self, point: &mut Point) {
        point.numbers.resize(self.context.numbering.count, 0.0);
        let known = point.planes.len();
        let planes = self.setup.planes().zip(&self.context.numbering.planes).skip(known);
        for (plane, first) in planes {
            point.planes.push(plane.normal);
            point.numbers[first + plane.turns()] = plane.height;
        }
    }

    /// The events of a meeting at its own node: the first variable of the impulses of each, and where they act.
    pub(crate) fn sites_of(&self, meeting: usize) -> impl Iterator<Item = (usize, Directions)> {
        let sites = sites(&self.context.plan, &self.setup);
        let node = self.context.plan.meetings[meeting].node;
        let mut found = Vec::new();
        for (site, &first) in sites.into_iter().zip(&self.context.numbering.impulses) {
            let mut next = first;
            for (own, event) in site.meetings.into_iter().zip(site.events) {
                let count = event.directions.count();
                if own == meeting && site.node == node && site.stage == Stage::Jumps {
                    found.push((next, event.directions));
                }
                next += count;
            }
        }
        found.into_iter()
    }

    /// Which part of a site's impulse an event is likely to have.
    fn share(&self, site: &Site, event: usize) -> f64 {
        let meeting = site.meetings[event];
        let corner = site.meetings[..event].iter().filter(|other| **other == meeting).count();
        let mut meetings = site.meetings.clone();
        meetings.sort_unstable();
        meetings.dedup();
        let of_contact = self.setup.encounters[meeting].shares.get(corner).copied().unwrap_or(1.0);
        of_contact / meetings.len() as f64
    }

    /// How strong a normal impulse is likely to be: what momenta change by at the node.
    fn likely_impulse(&mut self, point: &Point, site: &Site) -> f64 {
        let mut change = 0.0_f64;
        for &island in &site.islands {
            let k = site.node;
            let Ok((_, after)) = self.momenta(point, k - 1, island) else { continue };
            // A joint may hold what has arrived at the end.
            let before = match k == self.context.plan.intervals {
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
